"""Four representations of twists in inverse dynamics: operations and time, by hinge and length.

    python -m benchmarks.representations --output docs/representations

Chains of one body again and again. Operations are counted in the emitted code; times are of the
emitted C, the four in turn, round by round, on one core. Results are compared with 50 digits.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import mpmath
import numpy as np

from mstmm.codegen.build import build
from mstmm.codegen.costs.cost import costs
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.runtime.evaluation.backend import CLibrary
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.plans.plan import plan

from . import machine
from .harness import Call, pin_to_one_core

REPRESENTATIONS = ("body", "spatial", "hybrid", "mixed")
LENGTHS = (7, 20, 100, 500)
DIGITS = 50
STATES = 8

#: What a column of the table is about: the hinges of a chain, one after the other.
CHAINS: dict[str, tuple[str, ...]] = {
    "revolute": ("revolute",),
    "revolute, prismatic": ("revolute", "prismatic"),
    "helical": ("helical",),
    "universal": ("universal",),
    "ball": ("ball",),
    "pin (plane)": ("pin",),
}

#: Entries, and what is asked of them.
ENTRIES = {
    "inverse_dynamics": "the hinges' forces",
    "inverse_loads": "the hinges' forces, and the loads at all hinges in inertial axes",
}

#: How far from the inertial origin the base stands in the study of digits, in metres.
DISTANCES = (0.0, 10.0, 1e3, 1e5)

#: A turn by cos = 0.6, sin = 0.8 about the first axis.
TWIST = ((1, 0, 0), (0, 0.6, -0.8), (0, 0.8, 0.6))
INERTIA = ((0.11, 0.012, 0.015), (0.012, 0.14, 0.01), (0.015, 0.01, 0.09))

Floats = np.ndarray


@dataclass(frozen=True)
class Row:
    """One chain, entry and representation.

    `operations` and `seconds` (median and quartiles) are a body's; `error` is relative to the
    largest result.
    """

    chain: str
    bodies: int
    entry: str
    representation: str
    operations: float
    seconds: float
    low: float
    high: float
    error: float


def chain(kinds: Sequence[str], count: int, distance: float = 0.0) -> Model:
    """Equal bodies, their mass anywhere, hinge after hinge of these kinds."""
    flat = kinds[0] == "pin"
    if flat:
        points = (Point("O", (0, 0)), Point("I", (0.3, 0.1)))
        body = Body("1", 1.3, 0.11, (0.14, 0.06), points)
    else:
        points = (Point("O", (0, 0, 0)), Point("I", (0.3, 0.1, 0.2), axes=TWIST))
        body = Body("1", 1.3, INERTIA, (0.14, 0.06, 0.11), points)
    base = Point("P", (distance, *(0,) * (1 if flat else 2)))
    bodies, hinges = [], []
    for k in range(1, count + 1):
        bodies.append(replace(body, name=str(k), points=points if k < count else points[:1]))
        kind = kinds[k % len(kinds)]
        parent = End(str(k - 1), "I") if k > 1 else End(GROUND, "P")
        pitch = 0.05 if kind == "helical" else 0
        hinges.append(Hinge(str(k), kind, (parent, End(str(k), "O")), pitch))
    return Model(
        name="chain",
        dimension=2 if flat else 3,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=(0, -9.81) if flat else (1.0, 2.0, -9.5),
        absolute=False,
        ground=(base,),
    )


def states(model: Model, count: int) -> dict[str, Floats]:
    """Coordinates, speeds and accelerations at random; unit quaternions."""
    rng = Random(len(model.bodies))
    q = np.array([[rng.uniform(-1, 1) for _ in model.coordinates] for _ in range(count)])
    for k in model.quaternions:
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    v, ad = (np.array([[rng.uniform(-1, 1) for _ in model.speeds] for _ in range(count)])
             for _ in range(2))  # fmt: skip
    return {"q": q, "v": v, "ad": ad}


class Contender:
    """A representation's compiled code, called on states of its own."""

    def __init__(self, made: Generated, given: dict[str, Floats], entry: str) -> None:
        self.interface = interface = made.sources.interface
        prefix = interface.prefix
        path = build(
            prefix,
            made.sources.library,
            portable=False,
            compiler=find_compiler(),
        )
        self.library = CLibrary(path, made.sources)
        count = len(given["q"])
        self.arrays = {
            name: given[name].copy() if name in given else np.zeros((count, interface.sizes[name]))
            for name in interface.arguments[entry]
        }
        function, work = self.library.function(entry), self.library.work()
        self.call = Call(function, list(self.arrays.values()), context=work, kept=self.library)

    def results(self, entry: str) -> Floats:
        """One evaluation of all states, every result."""
        self.call.once()
        return np.hstack([self.arrays[name] for name in self.interface.results[entry]])


def reference(model: Model, given: dict[str, Floats], entry: str) -> Floats:
    """The first state's results of the body-fixed program in 50 digits."""
    with mpmath.workdps(DIGITS):
        arguments = {name: [mpmath.mpf(x) for x in array[0]] for name, array in given.items()}
        run = Interpreter(inverse_program(plan(model)), digits(DIGITS))
        found = run.results(entry, arguments)
        return np.array([float(x) for name in run.entry(entry).results for x in found[name]])


def measured(name: str, count: int, rounds: int) -> Iterator[Row]:
    """Both entries of a chain in all representations: judged, then timed in turn."""
    model = chain(CHAINS[name], count)
    given = states(model, STATES)
    made = {
        each: generate(model, algorithm=f"rnea-{each}", entries=tuple(ENTRIES))
        for each in REPRESENTATIONS
    }
    for k, entry in enumerate(ENTRIES):
        contenders = {each: Contender(made[each], given, entry) for each in REPRESENTATIONS}
        expected = reference(model, given, entry)
        size = np.abs(expected).max()
        errors = {
            each: float(np.abs(contender.results(entry)[0] - expected).max() / size)
            for each, contender in contenders.items()
        }
        passes = {each: contender.call.passes() for each, contender in contenders.items()}
        samples: dict[str, list[float]] = {each: [] for each in contenders}
        for _ in range(rounds):
            for each, contender in contenders.items():
                samples[each].append(contender.call.seconds(passes[each]) / count)
        for each, values in samples.items():
            total = costs(made[each].module)[k].whole.total
            low, middle, high = (float(x) for x in np.quantile(values, [0.25, 0.5, 0.75]))
            yield Row(name, count, entry, each, total / count, middle, low, high, errors[each])


def far_away() -> list[dict[str, float]]:
    """Errors of a chain of seven revolute hinges whose base is far from the inertial origin."""
    found = []
    for distance in DISTANCES:
        model = chain(("revolute",), 7, distance)
        given = states(model, 1)
        expected = reference(model, given, "inverse_dynamics")
        row = {"distance": distance}
        for each in REPRESENTATIONS:
            made = generate(model, algorithm=f"rnea-{each}", entries=("inverse_dynamics",))
            got = Contender(made, given, "inverse_dynamics").results("inverse_dynamics")[0]
            row[each] = float(np.abs(got - expected).max() / np.abs(expected).max())
        found.append(row)
    return found


def table(rows: Sequence[Row], entry: str, lengths: Sequence[int]) -> Iterator[str]:
    """Operations and time a body; times of the others as parts of the body-fixed one's."""
    yield "| hinges | bodies | " + " | ".join(REPRESENTATIONS) + " | " + " | ".join(
        f"{each}, ns" for each in REPRESENTATIONS
    ) + " | fastest |"  # fmt: skip
    yield "| --- |" + " ---: |" * (1 + 2 * len(REPRESENTATIONS)) + " --- |"
    at = {(r.chain, r.bodies, r.representation): r for r in rows if r.entry == entry}
    for name in CHAINS:
        for count in lengths:
            own = [at[name, count, each] for each in REPRESENTATIONS]
            fastest = min(own, key=lambda row: row.seconds)
            cells = [f"{row.operations:.0f}" for row in own]
            cells += [_timed(row, own[0]) for row in own]
            yield f"| {name} | {count} | " + " | ".join(cells) + f" | {fastest.representation} |"


def _timed(row: Row, first: Row) -> str:
    share = "" if row is first else f" ({row.seconds / first.seconds:.2f})"
    return f"{1e9 * row.seconds:.1f}{share}"


def page(
    rows: Sequence[Row],
    far: Sequence[dict[str, float]],
    described: dict[str, str],
    lengths: Sequence[int],
) -> str:
    """The tables of a run, in Markdown."""
    lines = ["# Figures", "", "`python -m benchmarks.representations --output docs/representations`"
             " writes this page.", "", "| | |", "| --- | --- |"]  # fmt: skip
    kept = ("processor", "core", "compiler of c", "date", "load at the start", "load at the end")
    lines += [f"| {name} | {described[name]} |" for name in (*kept, "rounds")]
    lines += ["", "![operations and time a body](representations.png)", ""]
    for entry, title in ENTRIES.items():
        lines += [f"## {entry}: {title}", ""]
        lines += [
            "Operations a body, then nanoseconds a body (parts of the body-fixed form's).",
            "",
        ]
        lines += [*table(rows, entry, lengths), ""]
    worst = {
        each: max(r.error for r in rows if r.representation == each) for each in REPRESENTATIONS
    }
    lines += ["## Digits", "", "Largest error of all chains above, relative to the largest result: "
              + ", ".join(f"{each} {error:.1e}" for each, error in worst.items()) + ".", "",
              "Seven revolute hinges whose base stands away from the inertial origin:", "",
              "| distance, m | " + " | ".join(REPRESENTATIONS) + " |",
              "| ---: |" + " ---: |" * len(REPRESENTATIONS)]  # fmt: skip
    for row in far:
        cells = " | ".join(f"{row[each]:.1e}" for each in REPRESENTATIONS)
        lines.append(f"| {row['distance']:g} | {cells} |")
    return "\n".join(lines) + "\n"


def plot(path: Path, rows: Sequence[Row], count: int) -> bool:
    """Bars of operations and time of the chains of so many bodies; False without Matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        return False
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 6), constrained_layout=True, sharex=True)
    for column, entry in enumerate(ENTRIES):
        for k, each in enumerate(REPRESENTATIONS):
            own = [
                r
                for name in CHAINS
                for r in rows
                if (r.chain, r.bodies, r.entry, r.representation) == (name, count, entry, each)
            ]
            places = np.arange(len(own)) + 0.2 * (k - 1.5)
            axes[0, column].bar(places, [r.operations for r in own], 0.2, label=each)
            axes[1, column].bar(places, [1e9 * r.seconds for r in own], 0.2)
        axes[0, column].set_title(f"{entry}, {count} bodies", fontsize=10)
        axes[1, column].set_xticks(range(len(CHAINS)), list(CHAINS), fontsize=7)
    axes[0, 0].set_ylabel("operations a body")
    axes[1, 0].set_ylabel("ns a body")
    axes[0, 0].legend(fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.representations",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument("--rounds", type=int, default=31, help="rounds (default 31)")
    parser.add_argument("--quick", action="store_true", help="short chains, few rounds")
    parser.add_argument("--output", type=Path, help="folder for the tables and the plot")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be 1 or more")
    rounds = min(arguments.rounds, 5) if arguments.quick else arguments.rounds
    lengths = LENGTHS[:1] if arguments.quick else LENGTHS
    described = machine.describe(pin_to_one_core()) | {"rounds": str(rounds)}
    rows: list[Row] = []
    for name in CHAINS:
        for count in lengths:
            print(f"{name}, {count} bodies", file=sys.stderr)
            rows += measured(name, count, rounds)
    far = far_away()
    described["load at the end"] = machine.load()
    text = page(rows, far, described, lengths)
    print(text)
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        (arguments.output / "figures.md").write_text(text, encoding="utf-8")
        found = {"machine": described, "rows": [asdict(row) for row in rows], "far": far}
        saved = json.dumps(found, indent=1) + "\n"
        (arguments.output / "figures.json").write_text(saved, encoding="utf-8")
        plot(arguments.output / "representations.png", rows, lengths[-2:][0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
