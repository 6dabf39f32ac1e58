"""Results as closed formulas in coordinates, speeds and parameters, while they are short."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from ...errors import DerivationError, UsageError
from ...runtime.derived import Derived
from ...runtime.evaluation.arrays import Floats
from ...symbolic.exact.budget import Budget
from ...symbolic.language.program import Array
from ..documents.document import Block, Formula, Numbers, Prose

#: The most products of terms that a closed formula takes, and operations that it has.
PRODUCTS, OPERATIONS = 20_000, 400

#: The matrix of what Christoffel's symbols make of the speeds.
CHRISTOFFEL = "C_christoffel"


def closed(derived: Derived, array: Array, value: Floats) -> Iterator[Block]:
    """A matrix over pairs of speeds, or a column over speeds, with its numbers.

    Nothing where it is too long, or where what it takes has no closed form.

    Source
        Read off the program; Γ as in screw paper (86).
    """
    speeds = derived.model.speeds
    columns = {"pairs": len(speeds), "speeds": 1}.get(array.index_set)
    if columns is None or len(array.port.entries) != 1:
        return
    reading = derived.reading
    given = {call.writes[port]: name for name, (_, call, port) in reading.places.items()}
    budget = Budget(PRODUCTS)
    entries: list[sp.Expr] = []
    try:
        for ref in derived.program().refs(array.name):
            # What no step writes is zero.
            entries.append(reading.composed(given[ref], budget).matrix()[0] if ref in given else 0)
            if sum(int(sp.count_ops(x)) for x in entries) > OPERATIONS:
                return
    except (DerivationError, UsageError):
        return
    matrix = sp.Matrix(len(speeds), columns, entries)
    yield Formula(array.name, matrix, Numbers.of(np.reshape(value, (-1, columns))), shaded=True)
    if array.name == CHRISTOFFEL:
        yield from _symbols(derived, matrix)


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
