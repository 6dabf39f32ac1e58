"""All equations of the recursive-formulation paper that are checked, in order."""

from __future__ import annotations

from . import (
    slaatsdynamics,
    slaatsexample,
    slaatsframes,
    slaatskane,
    slaatskinematics,
    slaatsloops,
)

#: Checks of any tree.
CHECKS = (
    *slaatskinematics.CHECKS,
    *slaatsdynamics.CHECKS,
    *slaatsloops.CHECKS,
    *slaatskane.CHECKS,
    *slaatsframes.CHECKS,
)

#: Checks of the two bodies of Appendix C, `slaatsexample.drawn()`.
EXAMPLE = slaatsexample.CHECKS
