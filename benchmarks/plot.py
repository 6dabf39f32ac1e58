"""Each row's times as parts of its yardstick's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .cases import Floor
from .measure import Measured

#: Contenders of one kind whose ratios differ by less than this factor have one label.
NEAR = 1.4


def groups(row: Measured, yardstick: str) -> list[tuple[list[str], list[float]]]:
    """Names, and how many times as fast as the yardstick: those near each other together."""
    known = ((x.name, row.ratio(Floor(x.name, yardstick, 1.0))) for x in row.figures)
    placed = sorted((1 / ratio[0], name) for name, ratio in known if ratio is not None)
    found: list[tuple[list[str], list[float]]] = []
    for ours in (False, True):
        own = [(x, name) for x, name in placed if name.startswith("c") == ours]
        for k, (x, name) in enumerate(own):
            if k == 0 or x > NEAR * found[-1][1][0]:
                found.append(([], []))
            found[-1][0].append(name)
            found[-1][1].append(x)
    return found


def label(names: Sequence[str]) -> str:
    """Names in a row, what they begin with as the first does said once."""
    head = names[0].partition(",")[0]
    return ", ".join((names[0], *(re.sub(f"^{re.escape(head)},? ", "", x) for x in names[1:])))


def plot(path: Path, rows: Sequence[Measured]) -> bool:
    """Write the plot; False where Matplotlib is not installed or nothing can be compared."""
    try:
        import matplotlib as mpl
    except ImportError:
        return False
    mpl.use("Agg")
    from matplotlib import pyplot

    shown = [row for row in rows if row.figure(row.case.yardstick)]
    if not shown:
        return False
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.75 * len(shown)), constrained_layout=True)
    for height, row in enumerate(reversed(shown)):
        yardstick = row.figure(row.case.yardstick)
        assert yardstick
        for names, faster in groups(row, yardstick.name):
            ours = names[0].startswith("c")
            for x in faster:
                axes.plot(x, height, "o" if ours else "s", color="C0" if ours else "0.6")
            axes.annotate(
                label(names), (faster[0], height), (0, 5), textcoords="offset points",
                fontsize=6, rotation=25, color="C0" if ours else "0.4",
            )  # fmt: skip
        for floor in row.case.floors:
            if row.figure(floor.yardstick) is yardstick:
                axes.plot(1 / floor.ratio, height, "|", color="C3", markersize=14)
    axes.set_yticks(range(len(shown)), [f"{r.case.row}  {r.case.title}" for r in reversed(shown)])
    axes.tick_params(axis="y", labelsize=7)
    axes.set_ylim(-0.5, len(shown))
    axes.set_xscale("log")
    axes.set_xlabel("times as fast as the row's yardstick; red: floors and aims")
    axes.grid(True, axis="x", alpha=0.3)
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)
    return True
