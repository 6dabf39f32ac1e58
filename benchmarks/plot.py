"""Each row's times as parts of its yardstick's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .cases import Floor
from .measure import Measured


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
        for contender in row.figures:
            ratio = row.ratio(Floor(contender.name, yardstick.name, 1.0))
            if ratio is None:
                continue
            ours = contender.name.startswith("c")
            axes.plot(1 / ratio[0], height, "o" if ours else "s", color="C0" if ours else "0.6")
            axes.annotate(
                contender.name, (1 / ratio[0], height), (0, 5), textcoords="offset points",
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
