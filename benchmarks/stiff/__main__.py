"""Stiff motion: the error of a motion against its steps and its processor time.

    python -m benchmarks.stiff --output docs/stiff

Run it in the repository's root. Three systems: Andrews' squeezer, whose state after 0.03 s is known
from the literature; a steel rod as a beam that swings; a slider-crank with an elastic rod. They are
judged by SciPy's DOP853 and by `radau5` at much smaller tolerances, which must agree.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.integrate

import mstmm
from mstmm.errors import NumericsError
from mstmm.runtime.motions.scipy_methods import Rates

FOLDER = Path(__file__).parent

#: Hairer and Wanner, Sect. VII.7, and the IVP test set: beta, theta, gamma, phi, delta, omega and
#: epsilon after 0.03 s.
SQUEEZER = {
    "qbeta": 15.81077119629904,
    "qtheta": -15.75637105984298,
    "qgamma": 0.04082224013073101,
    "qphi": -0.5347301163226948,
    "qdelta": 0.5244099658805304,
    "qomega": 0.5347301163226948,
    "qepsilon": 1.048080741042263,
}

#: The systems, when their motions end, and their titles.
SYSTEMS = {
    "squeezer": (0.03, "Andrews' squeezer"),
    "beam-pendulum": (1.0, "beam pendulum"),
    "elastic-crank": (0.1, "elastic slider-crank"),
}

TOLERANCES = tuple(10.0**-k for k in range(3, 11))

#: How often a motion is timed; the shortest time counts.
REPEATS = 3


@dataclass(frozen=True)
class Way:
    """A method, with or without the generated derivatives."""

    name: str
    method: str
    jacobian: bool = True
    style: str = "-"
    colour: str = "C0"


WAYS = (
    Way("dopri5", "dopri5", colour="C7"),
    Way("radau5", "radau5", colour="C3"),
    Way("SciPy's Radau, differences", "Radau", False, ":", "C0"),
    Way("SciPy's Radau, derivatives", "Radau", True, "-", "C0"),
    Way("SciPy's BDF, differences", "BDF", False, ":", "C2"),
    Way("SciPy's BDF, derivatives", "BDF", True, "-", "C2"),
)


@dataclass(frozen=True)
class Row:
    """What a motion cost, and how far off it is: the largest of its coordinates, in rad and m."""

    system: str
    way: str
    tolerance: float
    error: float
    steps: int
    seconds: float


def moved(solver: Any, way: Way, t_end: float, tolerance: float, **more: Any) -> Any:
    with ExitStack() as stack:
        if not way.jacobian:
            stack.enter_context(patch.object(Rates, "has_jacobian", lambda self: False))
        asked = {"rtol": tolerance, "atol": tolerance, "record": t_end, **more}
        return solver.simulate(t_end=t_end, method=way.method, **asked)


def counted(solver: Any, way: Way, t_end: float, tolerance: float) -> tuple[Any, int]:
    """The motion and its steps: taken ones of ours, those that SciPy's class made."""
    calls: list[float] = []
    if way.method in ("dopri5", "radau5"):
        never = mstmm.Event(lambda t, q, v: calls.append(t) or 1.0)
        return moved(solver, way, t_end, tolerance, events=[never]), len(calls) - 1
    kind = getattr(scipy.integrate, way.method)
    step: Callable[..., Any] = kind.step

    def counting(self: Any) -> Any:
        calls.append(self.t)
        return step(self)

    with patch.object(kind, "step", counting):
        return moved(solver, way, t_end, tolerance), len(calls)


def reference(solver: Any, name: str, t_end: float) -> Any:
    """The coordinates at the end by two methods that agree; says how far the literature is."""
    found = [
        moved(solver, Way("", method), t_end, tolerance).q[-1]
        for method, tolerance in (("radau5", 1e-12), ("DOP853", 1e-12))
    ]
    apart = np.abs(found[0] - found[1]).max()
    print(f"{name}: the judges are {apart:.1e} apart", flush=True)
    if name == "squeezer":
        known = np.array([SQUEEZER[x] for x in solver.coordinates])
        print(f"{name}: the literature is {np.abs(found[0] - known).max():.1e} off", flush=True)
    return found[0]


def rows(names: list[str]) -> Iterator[Row]:
    """All motions: an error that is no number is a motion that was refused."""
    for name in names:
        t_end, _ = SYSTEMS[name]
        solver = mstmm.compile(mstmm.load(FOLDER / f"{name}.toml"))
        exact = reference(solver, name, t_end)
        for way in WAYS:
            for tolerance in TOLERANCES:
                try:
                    run, steps = counted(solver, way, t_end, tolerance)
                except NumericsError as reason:
                    print(reason)
                    continue
                seconds = []
                for _ in range(REPEATS):
                    begun = time.process_time()
                    moved(solver, way, t_end, tolerance)
                    seconds.append(time.process_time() - begun)
                error = float(np.abs(run.q[-1] - exact).max())
                row = Row(name, way.name, tolerance, error, steps, min(seconds))
                print(row, flush=True)
                yield row


def draw(found: list[Row], path: Path) -> None:
    """Error over steps and over time, a row of panels a system."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(row.system for row in found))
    figure, panels = plt.subplots(
        len(names), 2, figsize=(9.5, 3.4 * len(names)), layout="constrained", squeeze=False
    )
    for line, name in zip(panels, names, strict=True):
        for panel, what in zip(line, ("steps", "seconds"), strict=True):
            for way in WAYS:
                points = [
                    (getattr(row, what), row.error)
                    for row in found
                    if (row.system, row.way) == (name, way.name)
                ]
                if points:
                    panel.loglog(
                        *zip(*points, strict=True), way.style, color=way.colour, marker=".",
                        label=way.name,
                    )  # fmt: skip
            panel.set_xlabel("steps" if what == "steps" else "processor time in s")
            panel.grid(alpha=0.3)
        line[0].set_ylabel("error of q at the end")
        line[0].set_title(f"{SYSTEMS[name][1]}, {SYSTEMS[name][0]:g} s", loc="left")
    lines, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=3, fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stiff")
    parser.add_argument("--output", type=Path, required=True, help="folder for table and plot")
    parser.add_argument("--only", nargs="*", choices=list(SYSTEMS), default=list(SYSTEMS))
    given = parser.parse_args()
    folder = given.output
    folder.mkdir(parents=True, exist_ok=True)
    found = list(rows(given.only))
    with (folder / "stiff.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", "method", "tolerance", "error", "steps", "processor time in s"])
        for x in found:
            numbers = f"{x.tolerance:.0e}", f"{x.error:.1e}", x.steps, f"{x.seconds:.2e}"
            writer.writerow([x.system, x.way, *numbers])
    draw(found, folder / "stiff.png")


if __name__ == "__main__":
    main()
