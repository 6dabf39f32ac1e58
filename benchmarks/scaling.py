"""Work, depth and time of long chains: the recursion against divide and conquer.

    python -m benchmarks.scaling --output docs/scaling

*Work* is the number of operations of a right-hand side, *depth* the longest chain of operations
that wait for each other. Times are the least of interleaved samples: without vectors, as usual,
and with OpenMP's threads. Run it in the repository's root; it needs a compiler with OpenMP, and
Matplotlib.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

import mstmm
from mstmm.codegen.build import THREADS, build
from mstmm.codegen.costs.depth import depths
from mstmm.codegen.generate import Generated, generate
from mstmm.runtime.evaluation.backend import CLibrary

from . import machine
from .harness import Call

#: Balls, three freedoms each, and what a right-hand side is of each algorithm.
MODEL = "ball-chain"
ENTRIES = {"riccati": "accelerations", "dca": "accelerations", "hdca": "momentum_rates"}

#: Flags of the compiler besides the usual ones.
BUILDS = {
    "scalar": ("-fno-tree-vectorize", "-fno-tree-slp-vectorize"),
    "usual": (),
    "threads": THREADS,
}

SIZES = (10, 30, 100, 300, 1000, 3000, 10_000)
QUICK = (10, 30)
SAMPLES = 31


@dataclass(frozen=True)
class Row:
    """One algorithm on one chain.

    Units
        `work`, `depth`, `swept`: operations, `swept` of the depth those before the first merge;
        `scalar` (without vectors), `usual`, `threads`: ns a body.
    """

    bodies: int
    algorithm: str
    work: int
    depth: int
    swept: int
    scalar: float
    usual: float
    threads: float


def rows(bodies: int, samples: int) -> list[Row]:
    """All algorithms on one chain, timed in turn."""
    model = mstmm.load(MODEL, n=bodies)
    made = {
        name: generate(model, algorithm=name, entries=[entry]) for name, entry in ENTRIES.items()
    }
    calls = {
        (name, how): _call(made[name], flags) for name in ENTRIES for how, flags in BUILDS.items()
    }
    passes = {key: call.passes() for key, call in calls.items()}
    best = dict.fromkeys(calls, np.inf)
    for _ in range(samples):
        for key, call in calls.items():
            best[key] = min(best[key], call.seconds(passes[key]))
    return [
        Row(
            bodies,
            name,
            *_counted(made[name]),
            *(round(1e9 * best[name, how] / bodies, 1) for how in BUILDS),
        )
        for name in ENTRIES
    ]


def _counted(made: Generated) -> tuple[int, int, int]:
    """Work, depth, and when the first merge may begin (none is merged: at the end)."""
    (entry,) = made.module.entries
    found = depths(made.module, entry)
    deepest = max(found.values())
    return sum(made.module.operations(entry).values()), deepest, found.get("columns", deepest)


def _call(made: Generated, flags: tuple[str, ...]) -> Call:
    """The one entry at one state, compiled with further flags."""
    sources = made.sources
    prefix, sizes = sources.interface.prefix, sources.interface.sizes
    backend, rng = (
        CLibrary(build(prefix, sources.library, extra_flags=flags), sources),
        np.random.default_rng(1),
    )
    ((entry, names),) = sources.interface.arguments.items()
    arrays = []
    for name in names:
        value = rng.uniform(-1.0, 1.0, sizes[name])
        arrays.append(np.array([made.model.q0 if name == "q" else value], dtype=float))
    return Call(backend.function(entry), arrays, backend.work(), kept=backend)


def page(found: Sequence[Row], described: str) -> str:
    """The tables as Markdown."""
    return f"""# Work, depth and time

Chains of balls ({MODEL}), a right-hand side of each algorithm in target `c`: accelerations of
`riccati` and `dca`, speeds and rates of momenta of `hdca`. {described}

*Work*: operations a body. *Depth*: the longest chain of operations that wait for each other,
what would remain with any number of workers; *swept*, the part of it before the first merge, along
the chain. Then ns a body, the least of {SAMPLES} interleaved samples: built without vectors, as
usual, and with `threads=True` ({os.cpu_count()} hardware threads); ratios above 1 are gains.

{_table(found)}

{_verdict(found)}

![work, depth and time over the length of the chain](scaling.png)

`python -m benchmarks.scaling --output docs/scaling` repeats it; the table is in `scaling.csv`.
"""


def _table(found: Iterable[Row]) -> str:
    lines = [
        "| bodies | algorithm | work | depth | swept | scalar | usual | ratio | threads | ratio |",
        "| ---: | --- | " + "---: | " * 7 + "---: |",
    ]
    for x in found:
        lines.append(
            f"| {x.bodies} | {x.algorithm} | {x.work / x.bodies:.0f} | {x.depth} | {x.swept} "
            f"| {x.scalar:.1f} | {x.usual:.1f} | {x.scalar / x.usual:.2f} "
            f"| {x.threads:.1f} | {x.usual / x.threads:.2f} |"
        )
    return "\n".join(lines)


def _verdict(found: Sequence[Row]) -> str:
    """What the largest chain says, in words."""
    largest = max(x.bodies for x in found)
    smallest = min(x.bodies for x in found)
    at = {(x.bodies, x.algorithm): x for x in found}
    lines = []
    for name in ENTRIES:
        first, last = at[smallest, name], at[largest, name]
        work = last.work / last.bodies / (first.work / first.bodies)
        slope = (last.depth - first.depth) / (largest - smallest)
        lines.append(
            f"- `{name}`: work a body grows by {work - 1:.0%} from {smallest} to {largest} bodies; "
            f"a further body adds {slope:.1f} operations to the depth."
        )
    slower = [at[x.bodies, "dca"].usual / x.usual for x in found if x.algorithm == "riccati"]
    vectors, threads = (
        max(getattr(x, before) / getattr(x, after) for x in found if x.algorithm != "riccati")
        for before, after in (("scalar", "usual"), ("usual", "threads"))
    )
    lines.append(
        f"- `dca` takes {min(slower):.2f} to {max(slower):.2f} times the time of `riccati`; of "
        f"`dca` and `hdca` vectors gain at most {vectors:.2f}, threads at most {threads:.2f}. "
        "Their workspaces, some 1.8 kB a body, leave the caches on the longest chains."
    )
    merged = [x.depth - x.swept for x in found if x.algorithm == "dca"]
    lines.append(
        f"- Merging and going back down add {merged[0]} to {merged[-1]} operations to the depth of "
        "`dca`: they grow with the logarithm of the length, as do orientations, velocities and the "
        "loads outboard of every hinge, which are found by scans along the chain."
    )
    return "\n".join(lines)


def plot(file: Path, found: Sequence[Row]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    drawn: tuple[tuple[str, Callable[[Row], float]], ...] = (
        ("operations a body", lambda x: x.work / x.bodies),
        ("depth in operations", lambda x: x.depth),
        ("ns a body", lambda x: x.usual),
    )
    for axis, (label, value) in zip(axes, drawn, strict=True):
        for name in ENTRIES:
            own = [x for x in found if x.algorithm == name]
            axis.plot([x.bodies for x in own], [value(x) for x in own], "o-", ms=4, label=name)
        axis.set_xscale("log")
        axis.set_xlabel("bodies")
        axis.set_title(label, fontsize=10)
        axis.grid(visible=True, alpha=0.3)
    axes[0].set_ylim(bottom=0)
    axes[1].set_yscale("log")
    axes[2].set_ylim(bottom=0)
    axes[0].legend(frameon=False)
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--output", type=Path, help="folder for the page, the table and the plot")
    parser.add_argument("--quick", action="store_true", help="short chains, few samples")
    chosen = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait take no core
    kept = machine.describe(None)
    named = ("processor", "compiler of c", "python", "load at the start")
    described = "; ".join(f"{name}: {kept[name]}" for name in named) + "."
    sizes, samples = (QUICK, 3) if chosen.quick else (SIZES, SAMPLES)
    console = Console(stderr=True)
    found: list[Row] = []
    try:
        for bodies in track(sizes, "chains", console=console, disable=not console.is_terminal):
            found += rows(bodies, samples)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    text = page(found, described)
    if chosen.output is None:
        print(text)
        return 0
    chosen.output.mkdir(parents=True, exist_ok=True)
    with (chosen.output / "scaling.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(map(astuple, found))
    (chosen.output / "README.md").write_text(text, encoding="utf-8")
    plot(chosen.output / "scaling.png", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
