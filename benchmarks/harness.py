"""Calls of compiled functions, all timed by the same loop in C."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cffi import FFI

from .building import DRIVERS, library

Floats = npt.NDArray[np.float64]

#: As in drivers/harness.c.
SINGLE, BATCH, MOTION = 0, 1, 2

#: What one sample lasts at least, in seconds: the clock and the loop are then no matter.
SAMPLE = 1e-3

_DECLARED = """
typedef struct {
    void *function;
    int kind;
    int arguments;
    double *data[6];
    long stride[6];
    void *context;
    long states;
    double dt;
    long steps;
    const double *start[2];
} call;
int harness_once(const call *c);
double harness_time(const call *c, long passes);
double harness_peak(long passes);
"""

ffi = FFI()
ffi.cdef(_DECLARED)


@cache
def harness() -> Any:
    """The compiled loop."""
    return ffi.dlopen(str(library("harness", [DRIVERS / "harness.c"], ("-std=gnu11",))))


@dataclass
class Call:
    """A compiled function and what it is called with.

    `arrays` are (states, length), read or written, in the function's order; `kind` says whether
    a call takes one state, all of them, or is a motion of `steps` steps from `arrays`; `lanes`:
    how many states lie in one row. `kept` is whatever must live as long.
    """

    function: Any
    arrays: Sequence[Floats]
    context: Any = ffi.NULL
    kind: int = SINGLE
    dt: float = 0.0
    steps: int = 0
    lanes: int = 1
    kept: Any = None
    _struct: Any = field(init=False)

    def __post_init__(self) -> None:
        self._struct = struct = ffi.new("call *")
        struct.function = ffi.cast("void *", self.function)
        struct.kind, struct.arguments = self.kind, len(self.arrays)
        struct.context = ffi.cast("void *", self.context)
        struct.states = len(self.arrays[0])
        struct.dt, struct.steps = self.dt, self.steps
        self._starts = [array.copy() for array in self.arrays[:2]]
        for k, array in enumerate(self.arrays):
            assert array.flags.c_contiguous
            assert array.dtype == np.float64
            struct.data[k] = pointer(array)
            struct.stride[k] = array.shape[-1]
        for k, start in enumerate(self._starts):
            struct.start[k] = pointer(start)

    @property
    def states(self) -> int:
        """How many states one pass evaluates; of a motion, its steps."""
        return self.steps if self.kind == MOTION else self.lanes * len(self.arrays[0])

    def once(self) -> int:
        """All states once; not 0 if the function says that something is wrong."""
        return int(harness().harness_once(self._struct))

    def seconds(self, passes: int) -> float:
        """Seconds for one state, the mean of so many passes over all of them."""
        return float(harness().harness_time(self._struct, passes)) / self.states

    def passes(self) -> int:
        """How many passes make a sample."""
        self.seconds(1)
        one = self.seconds(1) * self.states
        if one < SAMPLE / 10:
            one = self.seconds(10) * self.states
        return max(1, round(SAMPLE / max(one, 1e-9)))


def pointer(array: Floats) -> Any:
    return ffi.cast("double *", array.ctypes.data)


def peak(passes: int = 2_000_000) -> float:
    """Multiply-add operations a second of this core, one sample."""
    return float(harness().harness_peak(passes))


def pin_to_one_core() -> int | None:
    """Keep this process on the core with the least to do; None where that cannot be done."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = min(os.sched_getaffinity(0), key=_busy)
    os.sched_setaffinity(0, {core})
    return core


def _busy(core: int) -> int:
    """Ticks that this core has worked so far; few for one that is left alone."""
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return core
    fields = next((x.split()[1:] for x in lines if x.startswith(f"cpu{core} ")), [])
    return sum(int(x) for x in fields[:3])
