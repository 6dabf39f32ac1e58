"""NumPy, which needs no compiler: many states at once, as arrays."""

from __future__ import annotations

from ..target import Target

TARGET = Target(
    "numpy",
    language="NumPy",
    loader="mstmm.runtime.evaluation.backend:NumpyModule",
    single=True,
    apart=1e-9,  # its own vector loops may round the last states of a batch differently
)
