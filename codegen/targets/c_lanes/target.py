"""C of one long chain, a segment of it in each lane of a vector."""

from __future__ import annotations

from ..target import Target

TARGET = Target(
    "c-lanes",
    language="C",
    loader="mstmm.runtime.evaluation.backend:CLanesLibrary",
    compiled=True,
    vectors=True,
    beside="c",
)
