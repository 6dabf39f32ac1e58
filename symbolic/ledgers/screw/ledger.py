"""All equations of the screw paper that are judged, in order."""

from __future__ import annotations

from . import (
    balance,
    body_fixed,
    closed_form,
    definitions,
    hybrid,
    integration,
    moving_frames,
    recursion,
    slopes,
    spatial,
    time_derivatives,
)

ENTRIES = (
    *body_fixed.ENTRIES,
    *spatial.ENTRIES,
    *hybrid.ENTRIES,
    *balance.ENTRIES,
    *moving_frames.ENTRIES,
    *recursion.ENTRIES,
    *closed_form.ENTRIES,
    *slopes.ENTRIES,
    *time_derivatives.ENTRIES,
    *integration.ENTRIES,
    *definitions.ENTRIES,
)
