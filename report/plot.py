"""The motion as a picture: the angles as in the paper's Fig. 3, and the hinge forces."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ToolchainError
from ..runtime.extras import require

Floats = npt.NDArray[np.float64]

#: Colours that stay apart for colour-blind readers and in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#7b3294", "#444444", "#b8860b")
STYLES = ("-", "--", "-.", ":")
SUFFIXES = ("png", "svg")
#: Independent solutions are marked this many times along the motion.
MARKS = 26


#: Prefixes of units by the size from which on they are used, the largest first.
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

#: Units that take prefixes: of loads and what goes with them.
PREFIXED = ("N", "N m", "J", "N s", "N m s")


def prefixed(axes: Any, unit: str, largest: float) -> str:
    """The unit with a prefix that suits the largest number, in which the axis is labelled.

    What is drawn stays in the unit itself, so that further curves fit.
    """
    size, prefix = next(((x, p) for x, p in PREFIXES if abs(largest) >= x), (1.0, ""))
    if unit not in PREFIXED or not prefix:
        return unit
    axes.yaxis.set_major_formatter(lambda x, _: f"{x / size:g}".replace("-", "−"))
    return f"{prefix}{unit}"


@dataclass(frozen=True)
class Motion:
    """What is drawn.

    Shape
        `time` (T), `angles` (T, n), `forces` (T, ends); the independent solution's `at`
        (S) and `independent` (S, n), or none.
    Units
        s, rad, N.
    """

    time: Floats
    angles: Floats
    coordinates: Sequence[str]
    forces: Floats
    ends: Sequence[str]
    at: Floats | None = None
    independent: Floats | None = None


def save(motion: Motion, file: Path) -> None:
    """Hand a motion to another process, which draws it with `python -m mstmm.report.plot`."""
    given: dict[str, Any] = {
        name: np.asarray(value) for name, value in vars(motion).items() if value is not None
    }
    np.savez(file, **given)


def _saved(file: Path) -> Motion:
    with np.load(file) as given:
        values: dict[str, Any] = dict(given)
    for name in ("coordinates", "ends"):
        values[name] = tuple(map(str, values[name]))
    return Motion(**values)


def draw(motion: Motion, folder: Path, stem: str = "motion") -> tuple[Path, ...]:
    """Draw the angles and the hinge forces over time into `stem.png` and `stem.svg`.

    The files hold no date and are the same for the same motion.

    Raises
        ToolchainError: matplotlib is missing (extra `plot`).
        OSError: a file cannot be written.
    Source
        The angles: Riccati paper, Fig. 3.
    """
    matplotlib = require("matplotlib", extra="plot", purpose="the plot of the motion")
    figure_type = require("matplotlib.figure", extra="plot", purpose="the plot").Figure
    with matplotlib.rc_context({"svg.hashsalt": "mstmm", "svg.fonttype": "path"}):
        figure = figure_type(figsize=(7.5, 7.5), layout="constrained")
        angles, forces = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _angles(angles, motion)
        _forces(forces, motion)
        paths = []
        for suffix in SUFFIXES:
            path = folder / f"{stem}.{suffix}"
            metadata: dict[str, Any] = {"Software" if suffix == "png" else "Creator": "mstmm"}
            if suffix == "svg":
                metadata["Date"] = None
            partial = folder / f".{stem}.{suffix}.partial"
            try:
                figure.savefig(partial, format=suffix, dpi=150, metadata=metadata)
                os.replace(partial, path)
            finally:
                partial.unlink(missing_ok=True)
            paths.append(path)
    return tuple(paths)


def _legend(axes: Any) -> None:
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, ncols=5)


def _look(position: int) -> dict[str, str]:
    return {
        "color": COLOURS[position % len(COLOURS)],
        "linestyle": STYLES[position % len(STYLES)],
    }


def greek(name: str) -> str:
    """`theta1` in mathematical type."""
    if name.startswith("theta") and name[5:]:
        return rf"$\theta_{{{name[5:].lstrip('_')}}}$"
    return name


def _angles(axes: Any, motion: Motion) -> None:
    for i, name in enumerate(motion.coordinates):
        axes.plot(motion.time, motion.angles[:, i], label=greek(name), lw=1.6, **_look(i))
    if motion.at is not None and motion.independent is not None:
        stride = max(1, (len(motion.at) - 1) // (MARKS - 1))
        for i in range(len(motion.coordinates)):
            axes.plot(
                motion.at[::stride],
                motion.independent[::stride, i],
                marker="o",
                ls="none",
                ms=4.5,
                mfc="none",
                color="black",
                label="Lagrange’s equations" if i == 0 else None,
            )
    axes.set_ylabel("angle / rad")
    _legend(axes)
    axes.grid(alpha=0.3)


def _forces(axes: Any, motion: Motion) -> None:
    for i, end in enumerate(motion.ends):
        axes.plot(motion.time, motion.forces[:, i], label=f"at {end}", lw=1.3, **_look(i))
    unit = prefixed(axes, "N", float(np.abs(motion.forces).max(initial=0.0)))
    axes.set_ylabel(f"hinge force / {unit}")
    axes.set_xlabel("time / s")
    axes.set_xlim(motion.time[0], motion.time[-1])
    axes.set_ylim(bottom=0.0)
    _legend(axes)
    axes.grid(alpha=0.3)


def main(arguments: Sequence[str]) -> int:
    """Draw the motion saved in a file into a folder; what is missing goes to stderr."""
    file, folder = map(Path, arguments)
    try:
        draw(_saved(file), folder)
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
