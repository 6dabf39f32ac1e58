"""How long a start takes: importing mstmm, and a solver whose code is in the cache or is not.

    python -m benchmarks.start --output docs/calls

Each start is a process of its own; what is given is processor time, of child processes too, the
median of many. Systems whose files are not here are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from . import machine
from .cases import NotHereError, urdf
from .harness import pin_to_one_core

#: Starts from a full cache, and from an empty one.
WARM, COLD = 15, 3

#: What is started: a ready-made model, or a robot's file.
SYSTEMS = {
    "cart-pole": "cart-pole",
    "four-bar": "four-bar",
    "Panda": "panda.urdf",
    "ANYmal": "anymal.urdf",
    "Talos": "talos_reduced.urdf",
}

#: Processor seconds after each step of a session, then seconds by the clock around the compile.
SESSION = """
import json, resource, sys, time
def spent():
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
times = [spent()]
import mstmm
times.append(spent())
import numpy as np
times.append(spent())
began = time.perf_counter()
solver = mstmm.compile(sys.argv[1])
took = time.perf_counter() - began
times.append(spent())
q, v = np.array(solver.model.q0), np.zeros(len(solver.speeds))
solver.accelerations(q, v)
times.append(spent())
solver.simulate(t_end=0.01)
times.append(spent())
print(json.dumps([times, took]))
"""
STEPS = ("import mstmm", "import numpy", "compile", "first accelerations", "first simulate")
CLOCK, NO_BYTECODE = "compile, by the clock", "compile, where Python keeps no bytecode"


def session(name: str, cache: str, *, bytecode: bool = True) -> list[float]:
    """Milliseconds of each step, and of the compile by the clock, in a process of its own.

    Without `bytecode` no module that is imported has been compiled to it before.
    """
    environment = {**os.environ, "MSTMM_CACHE_DIR": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not bytecode:
        nowhere = os.path.join(cache, "no-bytecode")
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": nowhere}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SESSION, name],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    times, took = json.loads(done.stdout)
    return [*(1e3 * (after - before) for before, after in pairwise(times)), 1e3 * took]


def medians(runs: list[list[float]]) -> list[float]:
    """The median of each step."""
    return [statistics.median(step) for step in zip(*runs, strict=True)]


def rows() -> Iterator[tuple[str, list[float], float]]:
    """Each system: its warm steps, and a cold compile."""
    for name, model in SYSTEMS.items():
        try:
            path = str(urdf(model)) if model.endswith(".urdf") else model
        except NotHereError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        cold = []
        for _ in range(COLD):
            with tempfile.TemporaryDirectory(prefix="mstmm-") as cache:
                cold.append(session(path, cache)[2])
        with tempfile.TemporaryDirectory(prefix="mstmm-") as cache:
            session(path, cache)
            warm = medians([session(path, cache) for _ in range(WARM)])
            bare = medians([session(path, cache, bytecode=False) for _ in range(COLD)])
            yield name, [*warm, bare[2]], min(cold)


def text(found: list[tuple[str, list[float], float]], core: int | None) -> str:
    """The table as Markdown."""
    lines = [
        "# A start",
        "",
        "Milliseconds of processor time in fresh processes, that of their children too",
        f"(`python -m benchmarks.start`): medians of {WARM} starts with all in the cache, and the",
        f"least of {COLD} `compile` with an empty one, which imports SymPy, derives, emits and",
        "runs the compiler. Where Python keeps no bytecode (PYTHONDONTWRITEBYTECODE, or files",
        "that cannot be written), it compiles every module that it imports at each start.",
        "",
        *(f"- {key}: {value}" for key, value in machine.describe(core).items()),
        "",
        "| in the cache | " + " | ".join(name for name, *_ in found) + " |",
        "| --- |" + " ---: |" * len(found),
    ]
    for k, step in enumerate((*STEPS, CLOCK, NO_BYTECODE)):
        lines.append(f"| {step} | " + " | ".join(f"{warm[k]:.1f}" for _, warm, _ in found) + " |")
    cold = " | ".join(f"{spent:.0f}" for *_, spent in found)
    return "\n".join([*lines, f"| compile, not in the cache | {cold} |"]) + "\n"


def main() -> None:
    """Measure and write."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--output", type=Path, help="a folder for start.md; else it is printed")
    given = words.parse_args()
    core = pin_to_one_core()
    page = text(list(rows()), core)
    if given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        (given.output / "start.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
