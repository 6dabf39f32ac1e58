"""All equations of the divide-and-conquer paper, (1)–(77), and its misprints."""

from __future__ import annotations

from . import boundary, canonical, leaves, loads, merge, momentum_rates, shift

ENTRIES = (
    *canonical.ENTRIES,
    *shift.ENTRIES,
    *leaves.ENTRIES,
    *merge.ENTRIES,
    *boundary.ENTRIES,
    *momentum_rates.ENTRIES,
    *loads.ENTRIES,
)

#: Claims of the text that no equation states, judged by a study of motions.
MEASURED = ("E14: the energy is better kept for all cases, the drift is negligible",)
