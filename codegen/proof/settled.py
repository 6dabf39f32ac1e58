"""Does the last digit decide what closed loops do? Then rounding was taken for a condition.

Where conditions follow from others, what they demand besides is rounding. An answer that hangs on
it may be the same in compiled code and in 50 digits, and wrong in both: so it is no answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from ...errors import NumericsError
from ...symbolic.language.program import Program, Ref
from ...symbolic.language.tolerances import LOST
from .closed_states import Arguments
from .records import SETTLED, Record, distance
from .replay import Run, Values

#: What is asked of a closed state; how far loops are open there is rounding, and may be.
ANSWERS = ("a", "loads", "drive", "du", "vel", "pd")

#: States shaken in their last digits; each may fall on one side of what it decides.
SHAKEN = 4


def judge_settled(
    program: Program, states: Iterable[Arguments], chooser: random.Random
) -> Iterable[Record]:
    """One record, if there are answers and closed states."""
    having = {name for entry in program.entries for name in entry.results}
    results = [name for name in ANSWERS if name in having]
    record = Record(SETTLED)
    for state in states if results else ():
        try:
            exact = Run(program, state, None, results).values
            others = [Run(program, state, chooser, results).values for _ in range(SHAKEN)]
        except NumericsError:
            continue
        record.points += 1
        for name in results:
            kept = not _moves(list(program.refs(name)), exact, others)
            record.holds(kept, f"{name}, which the last digits of what is given decide,")
    if record.points:
        yield record


def _moves(refs: Sequence[Ref], exact: Values, others: Sequence[Values]) -> bool:
    """Do last digits move values by more than `LOST` of the largest of them, or of 1?"""
    largest = max((float(abs(x)) for ref in refs for x in exact[ref]), default=0.0)
    return any(
        distance(x, y) > LOST * max(largest, 1.0)
        for values in others
        for ref in refs
        for x, y in zip(values[ref], exact[ref], strict=True)
    )
