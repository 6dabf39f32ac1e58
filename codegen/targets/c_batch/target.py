"""C of many states at once, one in each lane of a vector."""

from __future__ import annotations

from ..target import Target

TARGET = Target(
    "c-batch",
    language="C",
    loader="mstmm.runtime.evaluation.backend:CBatchLibrary",
    compiled=True,
    vectors=True,
)
