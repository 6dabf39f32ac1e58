"""C of one system, one state at a time."""

from __future__ import annotations

from ..target import Target

TARGET = Target(
    "c",
    language="C",
    loader="mstmm.runtime.evaluation.backend:CLibrary",
    compiled=True,
    single=True,
    threads=True,
)
