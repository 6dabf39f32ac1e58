"""S and e at every end, and U of every body, each as one formula while it is short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
import sympy as sp

from ...errors import DerivationError, UsageError
from ...runtime.derived import Derived, Values
from ...runtime.evaluation.arrays import Floats
from ...symbolic.exact.budget import Budget
from ...symbolic.methods.riccati.letters import LETTERS
from ..documents.document import Block, Fold, Formula, Numbers, Prose, Section
from ..state import State
from .closed import factored, short_names, where
from .entries import Entries

#: The most products of terms that a formula takes, and operations that it has.
PRODUCTS, OPERATIONS = 4_000, 150
#: The most ends and bodies that are tried.
PLACES = 30
#: A formula and the numbers of the steps agree within this part of the largest.
AGREEMENT = 1e-11

#: What quantities in the paper's letters are called.
NAMED = re.compile(r"([SeU])\[(.+)\]")


def closed_ends(
    derived: Derived, values: Values, entries: Entries, state: State
) -> Iterator[Section]:
    """The section of the formulas; none where there are none.

    Source
        Read off the program: Riccati paper (4), (29), (30).
    """
    if all(entry.name != LETTERS for entry in entries.shown):
        return
    model = derived.model
    short = short_names(model)
    names = [name for name in derived.reading.places if NAMED.fullmatch(name)][:PLACES]
    found = {name: x for name in names if (x := _composed(derived, name, short)) is not None}
    if not found:
        return
    said = (
        "Put into each other, the steps give S, e and U in coordinates, speeds and parameters. "
        f"Shown are those of at most {OPERATIONS} operations, {len(found)} of {len(names)}."
    )
    used = {x for matrix in found.values() for x in matrix.free_symbols}
    said = f"{said} {where(model, used)}".rstrip()
    at = dict(zip((*model.coordinates, *model.speeds), (*state.q, *state.v), strict=True))
    at |= {**state.parameters, "t": state.t}
    known = {sp.Symbol(x, real=True): sp.Float(y, 30) for x, y in at.items()} | derived.reading.data
    known |= {x: function.subs(known) for function, x in short.items()}
    blocks: list[Block] = []
    apart = 0.0
    for name, matrix in found.items():
        number = np.array(values[name], dtype=float).reshape(matrix.shape)
        apart = max(apart, _apart(matrix.subs(known).evalf(20), number))
        (letter, place) = NAMED.fullmatch(name).groups()  # type: ignore[union-attr]
        label = place.replace(":", ",").replace(" ", "_")
        blocks.append(
            Formula(f"{letter}_{label}", matrix, Numbers.of(number), shaded=matrix.cols > 1)
        )
    fold = Fold(f"{len(found)} formulas", "closed-ends-all", tuple(blocks))
    ok = apart <= AGREEMENT
    word = f"to {apart:.1e} of the largest".replace("-", "−") if apart else "to the last digit"
    judged = Prose(
        f"At this state they {'are' if ok else 'are not'} the numbers of the steps, {word}.",
        "good" if ok else "bad",
    )
    title = "S, e and U as formulas"
    yield Section(title, "closed-ends", (Prose(said), fold, judged), (LETTERS,))


def _composed(derived: Derived, name: str, short: Mapping[sp.Expr, sp.Symbol]) -> sp.Matrix | None:
    """A quantity as one formula, factored; none where it is long, zero, or has no such form."""
    try:
        matrix = derived.reading.composed(name, Budget(PRODUCTS)).matrix()
    except (DerivationError, UsageError):
        return None
    if _operations(matrix) > 2 * OPERATIONS:
        return None
    matrix = matrix.xreplace(short).applyfunc(factored)
    return matrix if 0 < _operations(matrix) <= OPERATIONS else None


def _operations(matrix: sp.Matrix) -> int:
    return sum(int(sp.count_ops(x)) for x in matrix)


def _apart(exact: sp.Matrix, number: Floats) -> float:
    """How far the formula at the state is from the numbers, beside the largest."""
    largest = max(1.0, float(np.abs(number).max(initial=0.0)))
    return float(np.abs(np.array(exact.tolist(), dtype=float) - number).max()) / largest
