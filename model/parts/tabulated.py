"""Quantities that are known at values of a parameter, such as a bearing's at some speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ...blame import blamed_parts
from ...errors import UsageError
from ..expressions.quantities import parameter

if TYPE_CHECKING:
    import sympy as sp


@blamed_parts
@dataclass(frozen=True)
class Tabulated:
    """Quantities that are known at values of a parameter, and on straight lines between them.

    Such as the stiffness and damping of a bearing, measured or computed at some speeds. `of` is the
    parameter, `at` its values, ascending; `columns` has of each quantity as many. A model whose
    parameter lies outside is refused by name; generated code keeps the outermost values there.

    Shape
        `at` (n), each of `columns` (n), n ≥ 2.
    Units
        SI.
    """

    name: str
    of: str
    at: tuple[float, ...]
    columns: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def column(self, name: str) -> sp.Expr:
        """A quantity as an expression in the parameter: ½ Σ of slopes' changes times |W − Wᵢ|.

        Raises
            UsageError: the table has no such quantity.
        Source
            own: on straight lines between values, and constant beyond.
        """
        from ..expressions.text import read

        if name not in self.columns:
            raise UsageError(
                f"table {self.name} has no quantity {name!r}; it has: {', '.join(self.columns)}"
            )
        y = self.columns[name]
        slopes = [
            (b - a) / (v - u) for (a, b), (u, v) in zip(pairwise(y), pairwise(self.at), strict=True)
        ]
        changes = [b - a for a, b in pairwise([0.0, *slopes, 0.0])]
        bends = (
            f" + ({c / 2!r})*abs({self.of} - ({x!r}))"
            for c, x in zip(changes, self.at, strict=True)
        )
        whole = f"{(y[0] + y[-1]) / 2!r}{''.join(bends)}"
        return read(whole, {parameter(self.of): None})
