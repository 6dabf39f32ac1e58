"""Quantities that are known at values of parameters, such as a bearing's at some speeds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ...blame import blamed_parts
from ...errors import UsageError
from ..expressions.quantities import Quantity, exact_expression, parameter

if TYPE_CHECKING:
    import numpy.typing as npt
    import sympy as sp

#: Numbers at the values of one parameter, and of two in rows.
Row: TypeAlias = tuple[float, ...]
Rows: TypeAlias = tuple[Row, ...]

Axis: TypeAlias = tuple[str, Row]


@blamed_parts
@dataclass(frozen=True)
class Tabulated:
    """Quantities that are known at values of a parameter, or of two, and on straight lines between.

    Such as the stiffness and damping of a bearing, measured or computed at some speeds. `of` is the
    parameter, `at` its values, ascending; `columns` has of each quantity as many. Of two parameters
    `of` and `at` have one entry each, and `columns` a row for each value of the first. `frequency`
    is the one of them, if any, that is the circular frequency at which all vibrates. A model whose
    parameter lies outside is refused by name; generated code keeps the outermost values there.

    Shape
        `at` (n), each of `columns` (n), n ≥ 2; of two parameters (n), (m) and (n, m).
    Units
        SI.
    """

    name: str
    of: str | tuple[str, ...]
    at: Row | Rows
    columns: Mapping[str, Row | Rows] = field(default_factory=dict)
    frequency: str = ""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Each parameter with its values."""
        if isinstance(self.of, str):
            return ((self.of, self.at),)  # type: ignore[return-value]
        return tuple(zip(self.of, self.at, strict=True))  # type: ignore[arg-type]

    def column(self, name: str) -> sp.Expr:
        """A quantity as an expression in the parameter: ½ Σ of slopes' changes times |W − Wᵢ|.

        Of two parameters each of these numbers is such a sum in the other one.

        Raises
            UsageError: the table has no such quantity.
        Source
            own: on straight lines between values, and constant beyond.
        """
        import numpy as np  # most models have no table, and load neither this nor SymPy

        if name not in self.columns:
            raise UsageError(
                f"table {self.name} has no quantity {name!r}; it has: {', '.join(self.columns)}"
            )
        whole = np.array(self.columns[name], dtype=float)
        for _, at in self.axes:
            whole = np.moveaxis(_bends(at, whole), 0, -1)
        return _sum(self.axes, whole)


def _bends(at: Row, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The mean of the outermost values, then half the change of slope at each, along rows."""
    import numpy as np

    slopes = (np.diff(y, axis=0).T / np.diff(at)).T
    none = np.zeros_like(y[:1])
    changes = np.diff(slopes, axis=0, prepend=none, append=none)
    return np.concatenate([(y[:1] + y[-1:]) / 2, changes / 2])


def _sum(axes: Sequence[Axis], parts: Any) -> sp.Expr:
    import sympy as sp

    if not axes:
        return sp.Float(float(parts))
    (of, at), *others = axes
    first, *rest = (_sum(others, x) for x in parts)
    bends = (abs(parameter(of) - sp.Float(x)) for x in at)
    return sp.Add(first, *(y * bend for y, bend in zip(rest, bends, strict=True)))


def less_half_rise(law: Quantity, names: Collection[str]) -> Quantity | None:
    """f − ½ W df/dW of a law, all these parameters being multiples of W; as it is without them.

    None of a law that is not at most quadratic in W between the bends of tables.

    Source
        own: of f = a + b W + c W² that is a + ½ b W, so that it is straight where f is quadratic.
    """
    import sympy as sp

    f, own = exact_expression(law), {parameter(name) for name in names}
    if not f.free_symbols & own:
        return law
    scale = sp.Dummy("scale")
    signs = {x: sp.Dummy() for x in f.atoms(sp.Abs) if x.free_symbols & own}
    ways = {sign: sp.sign(x.args[0]) for x, sign in signs.items()}
    along = f.xreplace({x: sign * x.args[0] for x, sign in signs.items()})
    along = along.xreplace({x: scale * x for x in own})
    if sp.expand(sp.diff(along, scale, 3)) != 0:
        return None
    found = along - sp.diff(along, scale) / 2
    return found.xreplace({scale: sp.Integer(1)}).xreplace(ways)
