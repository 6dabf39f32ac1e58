"""Closed loops through singular positions: how far off a motion is as its steps become finer.

    python -m benchmarks.loops --output docs/loops

Run it in the repository's root. A row of parallelograms falls through the position where all its
bars lie level, in which each could become an antiparallelogram; the judge is the one freedom that
it has.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import mstmm
from mstmm.errors import NumericsError
from mstmm.model import Body, End, Hinge, Model, Point

GRAVITY = 9.81
ZERO = sp.Integer(0)

#: The time in which there are four passages or more.
T_END = 3.5


def bar(name: str) -> Body:
    """A uniform bar of 1 kg and 1 m, which carries two others at its far end."""
    points = (("a", 0), ("b", 1), ("c", 1))
    places = tuple(Point(point, (sp.Integer(x), ZERO)) for point, x in points)
    return Body(name, sp.Integer(1), sp.Rational(1, 12), (sp.Rational(1, 2), ZERO), places)


def pin(name: str, *ends: str) -> Hinge:
    first, second = (End(*end.split(":")) for end in ends)
    return Hinge(name, "pin", (first, second))


def row_of_four_bars(windows: int, angle: float = np.pi / 2, speed: float = -1.0) -> Model:
    """Parallelograms side by side: bars on pivots 1 m apart, their ends joined by level bars.

    Where the bars lie level, each parallelogram can also become an antiparallelogram.
    """
    columns = range(windows + 1)
    hinges = [pin(f"foot{i}", f"0:G{i}", f"post{i}:a") for i in columns]
    for i in columns[1:]:
        hinges += [pin(f"left{i}", f"post{i - 1}:c", f"beam{i}:a")]
        hinges += [pin(f"right{i}", f"post{i}:b", f"beam{i}:b")]
    posts = tuple(bar(f"post{i}") for i in columns)
    model = Model(
        name=f"row-of-{windows}",
        dimension=2,
        bodies=(*posts, *(bar(f"beam{i}") for i in columns[1:])),
        hinges=tuple(hinges),
        gravity=(ZERO, sp.Rational(-981, 100)),
        parameters={},
        absolute=False,
        cuts=tuple(f"right{i}" for i in columns[1:]),
        ground=tuple(Point(f"G{i}", (sp.Integer(i), ZERO)) for i in columns),
    )
    signs = [1.0 if name.startswith("qfoot") else -1.0 for name in model.coordinates]
    return replace(model, q0=tuple(angle * x for x in signs), v0=tuple(speed * x for x in signs))


def posts(model: Model) -> list[int]:
    """Which coordinates are the angles of the posts."""
    return [k for k, name in enumerate(model.coordinates) if name.startswith("qfoot")]


def followed(
    windows: int, t_end: float = T_END, speed: float = -1.0
) -> tuple[float, float, list[float]]:
    """Angle and speed of the row's posts at the end, and when they lay level: its one freedom.

    Lagrange: ((n + 1)/3 + n) θ'' = −g ((n + 1)/2 + n) cos θ, n level bars moving in parallel.
    """
    n = windows
    pull = -GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve_ivp(
        lambda t, y: [y[1], pull * np.cos(y[0])],
        (0.0, t_end),
        [np.pi / 2, speed],
        method="DOP853",
        rtol=3e-14,
        atol=1e-14,
        dense_output=True,
    )

    def level(t: float) -> float:
        return float(np.sin(found.sol(t)[0]))

    times = np.linspace(0.0, t_end, 400)
    heights = [level(t) for t in times]
    crossings = [
        brentq(level, times[k], times[k + 1], xtol=1e-14)
        for k in range(len(times) - 1)
        if heights[k] * heights[k + 1] < 0.0
    ]
    return float(found.y[0, -1]), float(found.y[1, -1]), crossings


ALGORITHMS = ("riccati", "dca", "hdca")
TOLERANCES = tuple(10.0**-k for k in range(4, 13))
STEPS = tuple(10.0**-k for k in (1.5, 2, 2.5, 3, 3.5, 4))


@dataclass(frozen=True)
class Row:
    """A motion: what it was made with, how far its posts end from where they should, in rad."""

    windows: int
    algorithm: str
    method: str
    fineness: float
    error: float
    passages: int


def rows() -> Iterator[Row]:
    """All motions: an error that is no number is a motion that was refused."""
    for windows in (1, 2, 5):
        angle, _, _ = followed(windows)
        model = row_of_four_bars(windows)
        for algorithm in ALGORITHMS:
            solver = mstmm.compile(model, algorithm=algorithm)
            ways = [("dopri5", x, {"rtol": x, "atol": x}) for x in TOLERANCES]
            ways += [("rk4", x, {"dt": x}) for x in STEPS]
            for method, fineness, how in ways:
                error, passages = float("nan"), 0
                try:
                    run = solver.simulate(t_end=T_END, method=method, **how)
                    error = float(np.abs(run.q[-1][posts(model)] - angle).max())
                    passages = len(run.passages)
                except NumericsError as reason:
                    print(reason)
                yield Row(windows, algorithm, method, fineness, error, passages)


def draw(found: list[Row], path: Path) -> None:
    """Error over fineness, a panel a method; lines that coincide show by their widths."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    titles = {"rk4": "rk4: step in s", "dopri5": "dopri5: tolerance"}
    for panel, (method, title) in zip(panels, titles.items(), strict=True):
        for windows, style in ((1, "-"), (2, "--"), (5, ":")):
            for k, algorithm in enumerate(ALGORITHMS):
                line = [
                    (x.fineness, x.error)
                    for x in found
                    if (x.windows, x.algorithm, x.method) == (windows, algorithm, method)
                ]
                label = f"{algorithm}, {windows} loop{'s' if windows > 1 else ''}"
                look = {"color": f"C{k}", "linewidth": 4.0 - 1.5 * k, "zorder": k + 2}
                panel.loglog(*zip(*line, strict=True), style, marker=".", label=label, **look)
        panel.set_xlabel(title)
        panel.invert_xaxis()
        panel.grid(alpha=0.3)
    panels[0].set_ylabel(f"error of the angle after {T_END:g} s in rad")
    panels[1].legend(fontsize=7)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loops")
    parser.add_argument("--output", type=Path, required=True, help="folder for table and plot")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    found = list(rows())
    with (folder / "loops.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["loops", "algorithm", "method", "dt or tolerance", "error", "passages"])
        for x in found:
            writer.writerow(
                [
                    x.windows,
                    x.algorithm,
                    x.method,
                    f"{x.fineness:.1e}",
                    f"{x.error:.1e}",
                    x.passages,
                ]
            )
    draw(found, folder / "loops.png")


if __name__ == "__main__":
    main()
