"""Results as closed formulas in coordinates, speeds and parameters, while they are short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sympy as sp

from ...errors import DerivationError, UsageError
from ...runtime.derived import Derived
from ...runtime.evaluation.arrays import Floats
from ...symbolic.exact.budget import Budget
from ...symbolic.language.decimals import TYPED
from ...symbolic.language.program import Array
from ..documents.document import Block, Cell, Formula, Formulas, Numbers, Prose, Table

#: The most products of terms that a closed formula takes, and operations that it has.
PRODUCTS, OPERATIONS = 1_500, 400
#: The most members of an array whose columns are told one by one.
ROWS = 24

#: The matrix of what Christoffel's symbols make of the speeds.
CHRISTOFFEL = "C_christoffel"


def closed(derived: Derived, array: Array, value: Floats) -> Iterator[Block]:
    """A matrix over pairs of speeds, or a column over speeds, with its numbers.

    Nothing where it is too long, or where what it takes has no closed form.

    Source
        Read off the program; Γ as in screw paper (86).
    """
    speeds = derived.model.speeds
    width = {"pairs": len(speeds), "speeds": 1}.get(array.index_set)
    if width is None or len(array.port.entries) != 1:
        return
    found = _composed(derived, array)
    if not found:
        return
    matrix = sp.Matrix(len(speeds), width, [x[0] for x in found])
    yield Formula(array.name, matrix, Numbers.of(np.reshape(value, (-1, width))), shaded=True)
    if array.name == CHRISTOFFEL:
        yield from _symbols(derived, matrix)


def columns(
    derived: Derived, array: Array, value: Floats, members: Sequence[str]
) -> Iterator[Block]:
    """Columns by member, such as Jacobians, as formulas beside their numbers; as `closed`."""
    if array.port.cols != 1 or array.port.rows == 1 or array.columns or len(members) > ROWS:
        return
    found = _composed(derived, array)
    if not found:
        return
    rows: list[tuple[Cell, ...]] = []
    for name, matrix, numbers in zip(members, found, value, strict=True):
        formula = Formulas(((array.name, matrix),), "", str(matrix.tolist()))
        rows.append((name.replace(" ", ", "), formula, Numbers.of(numbers[:, None])))
    yield Table(("of", "", "at this state"), tuple(rows))


def _composed(derived: Derived, array: Array) -> list[sp.Matrix]:
    """An array's values as formulas; none where they are too long."""
    reading = derived.reading
    given = {call.writes[port]: name for name, (_, call, port) in reading.places.items()}
    budget = Budget(PRODUCTS)
    found: list[sp.Matrix] = []
    operations = 0
    for ref in derived.program().refs(array.name):
        try:
            name = given.get(ref)  # what no step writes is zero
            matrix = reading.composed(name, budget).matrix() if name else _zeros(array)
        except (DerivationError, UsageError):
            return []
        operations += sum(int(sp.count_ops(x)) for x in matrix)
        if operations > OPERATIONS:
            return []
        found.append(matrix.applyfunc(_short))
    return found


def _short(value: sp.Expr) -> sp.Expr:
    """The value with decimals of 14 digits: 2.4 where doubles multiply to 2.4000000000000004."""
    long = (x for x in value.atoms(sp.Rational) if x.q > TYPED and x.q & (x.q - 1) == 0)
    return value.xreplace({x: sp.Float(f"{float(x):.14g}") for x in long})


def _zeros(array: Array) -> sp.Matrix:
    return sp.zeros(array.port.rows, array.port.cols)


def _symbols(derived: Derived, matrix: sp.Matrix) -> Iterator[Block]:
    """Christoffel's symbols: what stands at each speed in the matrix that they make."""
    yield Prose(
        "Each entry is a sum over the speeds, C_ij = Σ_k Γ_ijk q̇_k. Christoffel's symbols are what "
        "stands at each of them; Γ_ijk = Γ_ikj, and M alone determines them."
    )
    program = derived.program()
    (array,) = (x for x in program.arrays.values() if x.owner == "v")
    for k, ref in enumerate(program.refs(array.name), start=1):
        (speed,) = derived.reading.symbols(ref)
        yield Formula(f"Γ_{k}", matrix.diff(speed).applyfunc(sp.expand), shaded=True)
