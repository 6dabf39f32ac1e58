"""The bound on symbolic work: a composition that would explode stops with advice."""

from __future__ import annotations

from ...errors import DerivationError, UsageError


class Budget:
    """Counts the products of terms, and stops before they exceed `limit`."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise UsageError(f"budget = {limit} must be a positive number of operations")
        self.limit = limit
        self.spent = 0

    def spend(self, products: int) -> None:
        self.spent += products
        if self.spent > self.limit:
            raise DerivationError(
                f"the symbolic composition needs more than the budget of {self.limit} products "
                "of terms; raise it (budget=…, --budget), write numbers for parameters in the "
                "model, or take its numbers at a state, which need no composition: "
                "derive(model).at(q, v)",
                equation="(29), (30)",
            )
