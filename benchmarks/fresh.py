"""In a process of its own: how long from a model's name to a solver, and how much memory."""

from __future__ import annotations

import json
import os
import resource
import sys
import time


def main(name: str) -> None:
    begin = time.perf_counter()
    import mstmm.codegen.generate
    import mstmm.runtime.solver  # both wait for the first call otherwise

    imports = time.perf_counter() - begin
    import mstmm

    if name == "panda":
        from benchmarks.cases import robot

        begin, before = time.perf_counter(), used()
        model = robot(name)
    else:
        begin, before = time.perf_counter(), used()
        model = mstmm.load(name)
    mstmm.compile(model).backend  # noqa: B018  builds
    report(begin, before, imports)


def used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def report(begin: float, before: float, imports: float) -> None:
    """Seconds, and the larger of the process's and its compiler's memory in MB."""
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    found = {"wall": time.perf_counter() - begin, "cpu": used() - before}
    print(json.dumps({**found, "memory": peak / 1e3, "imports": imports}))


if __name__ == "__main__":
    main(sys.argv[1])
