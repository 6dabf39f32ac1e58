"""CUDA, one state a thread."""

from __future__ import annotations

from ..target import Target

TARGET = Target(
    "cuda",
    language="CUDA",
    loader="mstmm.runtime.device.module:DeviceModule",
)
