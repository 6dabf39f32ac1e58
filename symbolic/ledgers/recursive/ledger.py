"""All equations of the recursive-formulation paper that are judged, in order."""

from __future__ import annotations

from . import dynamics, example, flexible_frames, kane, kinematics, loops, proof

ENTRIES = (
    *kinematics.ENTRIES,
    *dynamics.ENTRIES,
    *proof.ENTRIES,
    *loops.ENTRIES,
    *kane.ENTRIES,
    *flexible_frames.ENTRIES,
    *example.ENTRIES,
)
