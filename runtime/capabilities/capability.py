"""What a solver can compute, in parts: each is a few methods over the evaluator of one model."""

from __future__ import annotations

from ..evaluation.evaluator import Evaluator


class Capability:
    """Methods of one kind over generated code.

    Shape
        As in `Solver`.
    """

    def __init__(self, code: Evaluator) -> None:
        self.code = code
