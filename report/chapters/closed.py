"""Results as closed formulas in coordinates, speeds and parameters, while they are short.

c_1 and s_1 stand for the cosine and the sine of a coordinate q1 or theta1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import sympy as sp

from ...errors import DerivationError, UsageError
from ...model import Model
from ...runtime.derived import Derived
from ...runtime.evaluation.arrays import Floats
from ...symbolic.exact.budget import Budget
from ...symbolic.language.decimals import TYPED
from ...symbolic.language.program import Array
from ..documents.document import Block, Cell, Formula, Formulas, Numbers, Prose, Table

#: The most products of terms that a closed formula takes, and operations that it has.
PRODUCTS, OPERATIONS = 1_500, 400
#: Entries of more operations are not factored into polynomials.
FACTORED = 60
#: The most signs of a row of a formula: so many a screen has room for.
WIDEST = 130
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
    matrix = sp.Matrix(len(speeds), width, [x[0] for x in found]) if found else sp.Matrix()
    if not found or _width(matrix) > WIDEST:
        return
    yield from _told(derived.model, matrix.free_symbols)
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
    if not found or any(_width(x) > WIDEST for x in found):
        return
    yield from _told(derived.model, {x for matrix in found for x in matrix.free_symbols})
    rows: list[tuple[Cell, ...]] = []
    for name, matrix, numbers in zip(members, found, value, strict=True):
        formula = Formulas(((array.name, matrix),), "", str(matrix.tolist()))
        rows.append((name.replace(" ", ", "), formula, Numbers.of(numbers[:, None])))
    yield Table(("of", "", "at this state"), tuple(rows))


def _composed(derived: Derived, array: Array) -> list[sp.Matrix]:
    """An array's values as formulas; none where they are too long."""
    reading = derived.reading
    given = {call.writes[port]: name for name, (_, call, port) in reading.places.items()}
    budget, short = Budget(PRODUCTS), short_names(derived.model)
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
        found.append(matrix.xreplace(short).applyfunc(factored).applyfunc(_short))
    return found


def short_names(model: Model) -> Mapping[sp.Expr, sp.Symbol]:
    """c_1, s_1 for the cosine and sine of a coordinate q1 or theta1, where that is no other's."""
    taken = {*model.parameters, *model.coordinates, *model.speeds}
    found: dict[sp.Expr, sp.Symbol] = {}
    for name in model.coordinates:
        at = re.sub(r"^(q|theta)_?(?=\w)", "", name)
        q = sp.Symbol(name, real=True)
        for letter, function in (("c", sp.cos), ("s", sp.sin)):
            word = f"{letter}_{at}"
            if word not in taken:
                taken.add(word)
                found[function(q)] = sp.Symbol(word, real=True)
    return found


def where(model: Model, used: Iterable[sp.Basic]) -> str:
    """What the short names among the symbols stand for; "" if there are none."""
    there = {*used}
    words = [f"{x} = {function}" for function, x in short_names(model).items() if x in there]
    return f"Here {', '.join(words)}." if words else ""


def _told(model: Model, used: Iterable[sp.Basic]) -> Iterator[Block]:
    if said := where(model, used):
        yield Prose(said)


def factored(x: sp.Expr) -> sp.Expr:
    """The shorter of two ways to factor it; one takes long where there is much."""
    short = sp.factor_terms(x)
    return min((short, sp.factor(x)), key=sp.count_ops) if sp.count_ops(x) <= FACTORED else short


def _width(matrix: sp.Matrix) -> int:
    """How many signs its columns take; of a quotient what stands above its line, or below."""

    def signs(x: sp.Expr) -> int:
        return max(len(re.sub(r"[* _]", "", str(part))) for part in x.as_numer_denom())

    return sum(max(map(signs, matrix[:, j])) for j in range(matrix.cols))


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
