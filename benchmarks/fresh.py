"""In a process of its own: how long from a model's name to a solver, and how much memory.

The solver is what `mstmm.compile` gives, with all entries; the cache is empty.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path


def main(name: str) -> None:
    begin = time.perf_counter()
    import mstmm
    import mstmm.codegen.generate
    import mstmm.runtime.solver  # wait for the first call otherwise

    imports = time.perf_counter() - begin

    if name == "panda":
        from benchmarks.cases import robot

        begin, before = time.perf_counter(), used()
        model = robot(name)
    else:
        begin, before = time.perf_counter(), used()
        model = mstmm.load(name)
    mstmm.compile(model)
    report(begin, before, imports)


def used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def report(begin: float, before: float, imports: float) -> None:
    """Seconds, and the larger of the process's and its compiler's memory in MB."""
    found = {"wall": time.perf_counter() - begin, "cpu": used() - before}
    peak = max(own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    print(json.dumps({**found, "memory": peak / 1e3, "imports": imports}))


def own_peak() -> int:
    """In kB. Not `ru_maxrss`, which on Linux starts with the parent's memory."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1])


if __name__ == "__main__":
    main(sys.argv[1])
