"""All equations of the divide-and-conquer paper, (1)–(77), and its misprints."""

from __future__ import annotations

from . import (
    hdcaboundary,
    hdcacanonical,
    hdcaleaf,
    hdcaloads,
    hdcamerge,
    hdcamomenta,
    hdcashift,
)

CHECKS = (
    *hdcacanonical.CHECKS,
    *hdcashift.CHECKS,
    *hdcaleaf.CHECKS,
    *hdcamerge.CHECKS,
    *hdcaboundary.CHECKS,
    *hdcamomenta.CHECKS,
    *hdcaloads.CHECKS,
)

#: Claims of the text that no equation states, judged by a study of motions.
MEASURED = ("E14: the energy is better kept for all cases, the drift is negligible",)
