"""Processor time, and the machine that it was taken on."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from pathlib import Path

from ...codegen.toolchain import find_compiler
from ...errors import ToolchainError

#: A sample lasts at least this long, in seconds, so that the clock's steps are no matter.
SAMPLE = 2e-3

DEPENDS = (
    "Times are this process's processor time, the least of some samples; they depend on the "
    "machine, ratios within a row far less."
)


def seconds(call: Callable[[], object], *, samples: int = 7, sample: float = SAMPLE) -> float:
    """Processor time of one call: the least mean of some samples.

    Units
        s.
    Source
        own
    """
    call()
    passes = 1
    while (taken := _taken(call, passes)) < sample:
        passes = max(2 * passes, round(1.2 * passes * sample / max(taken, sample / 100)))
    return min(_taken(call, passes) for _ in range(samples)) / passes


def _taken(call: Callable[[], object], passes: int) -> float:
    begin = time.process_time()
    for _ in range(passes):
        call()
    return time.process_time() - begin


def machine() -> str:
    """Processor, compiler and Python in one sentence."""
    try:
        said = find_compiler(vectors=False).identity.splitlines()
        compiler = next((line for line in said if line and "/" not in line), "a C compiler")
    except ToolchainError:
        compiler = "no C compiler"
    return f"On {_processor()}, {compiler}, Python {platform.python_version()}."


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def shown(seconds: float) -> str:
    """A time in three digits with its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
