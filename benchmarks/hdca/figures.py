"""The study's plots, like Figures 5 to 11 of the divide-and-conquer paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .measures import EXACT, Case, Line
from .runs import METHODS, Run
from .study import PLOTTED, STEP

STYLE = {
    "dca": {"color": "C3", "label": "DCA"},
    "hdca": {"color": "C0", "label": "HDCA"},
    "hdca, re-gauged": {"color": "C2", "label": "HDCA, re-gauged"},
    "riccati": {"color": "0.6", "label": "riccati, not projected"},
}
MARKS = {"RK45": "o-", "RK23": "s--", "PECE": "^-.", "VODE": "v:"}


#: What made the motions that are plotted over time, and the long ones.
TOLERANT = f"RK45, tolerances {PLOTTED:.0e}"
FIXED = f"classical Runge–Kutta, steps of {STEP:g} s"


def _axes(count: int, by: str, shared: bool = True) -> tuple[Any, Any, Any]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, count, figsize=(3.8 * count, 3.2), sharey=shared, squeeze=False,
        constrained_layout=True,
    )  # fmt: skip
    figure.suptitle(by, fontsize=9, color="0.4")
    return pyplot, figure, axes[0]


def _save(pyplot: Any, figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def errors(path: Path, what: str, ylabel: str, runs: dict[int, Sequence[Run]],
           cases: dict[int, Case]) -> None:  # fmt: skip
    """An error of every form over time, one panel a case."""
    pyplot, figure, axes = _axes(len(cases), TOLERANT)
    for ax, (number, case) in zip(axes, cases.items(), strict=True):
        for run in runs[number]:
            error = np.maximum(getattr(case.errors(run), what), 1e-17)
            ax.semilogy(run.times[1:], error[1:], linewidth=1, **STYLE[run.form.name])
        ax.set_title(f"case {number}", fontsize=10)
        ax.set_xlabel("t in s")
        ax.grid(True, alpha=0.3)
    axes[0].set_ylabel(ylabel)
    axes[0].legend(fontsize=7)
    _save(pyplot, figure, path)


def point_k(path: Path, case: Case, runs: Sequence[Run]) -> None:
    """Height and vertical velocity of K: a line for the exact motion, marks for the forms."""
    pyplot, figure, axes = _axes(2, f"{TOLERANT}; exact: dopri5, {EXACT:.0e}", shared=False)
    exact = case.point_k(case.q, case.v)
    for ax, values, ylabel in zip(axes, exact, ("y of K in m", "ẏ of K in m/s"), strict=True):
        ax.plot(case.times, values, color="0.7", linewidth=3, label="exact")
        ax.set_xlabel("t in s")
        ax.set_ylabel(ylabel)
        ax.grid(True, alpha=0.3)
    for run, mark in zip(runs, "x+1", strict=False):
        style = STYLE[run.form.name]
        for ax, values in zip(axes, case.point_k(*run.speeds), strict=True):
            ax.plot(run.times[::3], values[::3], mark, markersize=5, **style)
    axes[0].legend(fontsize=7)
    _save(pyplot, figure, path)


def ratios(path: Path, what: str, ylabel: str, lines: Sequence[Line],
           cases: Sequence[int]) -> None:  # fmt: skip
    """DCA's number over HDCA's, over the tolerance; above one HDCA is cheaper."""
    pyplot, figure, axes = _axes(len(cases), "motions of 10 s, every method at every tolerance")
    for ax, case in zip(axes, cases, strict=True):
        for method in METHODS:
            pairs = paired(lines, case, method, "hdca")
            tolerances = [a.tolerance for a, _ in pairs]
            values = [getattr(a, what) / getattr(b, what) for a, b in pairs]
            ax.semilogx(tolerances, values, MARKS[method], markersize=4, linewidth=1, label=method)
        ax.axhline(1.0, color="0.4", linewidth=1)
        ax.set_title(f"case {case}", fontsize=10)
        ax.set_xlabel("tolerance")
        ax.invert_xaxis()
        ax.grid(True, alpha=0.3)
    axes[0].set_ylabel(ylabel)
    axes[0].legend(fontsize=7)
    _save(pyplot, figure, path)


def paired(lines: Sequence[Line], case: int, method: str, other: str) -> list[tuple[Line, Line]]:
    """DCA's runs, each with that of another form at the same tolerance."""
    own = [x for x in lines if (x.case, x.method) == (case, method)]
    at = {x.tolerance: x for x in own if x.form == other}
    return [(x, at[x.tolerance]) for x in own if x.form == "dca" and x.tolerance in at]


def long(path: Path, runs: dict[int, Sequence[Run]], cases: dict[int, Case]) -> None:
    """The largest position error so far of long runs with fixed steps, in logarithms."""
    pyplot, figure, axes = _axes(len(cases), FIXED)
    for ax, (number, case) in zip(axes, cases.items(), strict=True):
        for run in runs[number]:
            error = np.maximum.accumulate(case.errors(run).position)
            ax.loglog(run.times[1:], error[1:], linewidth=1.2, **STYLE[run.form.name])
        ax.set_title(f"case {number}", fontsize=10)
        ax.set_xlabel("t in s")
        ax.grid(True, alpha=0.3)
    axes[0].set_ylabel("largest position error in m")
    axes[0].legend(fontsize=7)
    _save(pyplot, figure, path)


def momenta(path: Path, runs: dict[int, Sequence[Run]]) -> None:
    """The largest joint momentum over time, plain and re-gauged."""
    pyplot, figure, axes = _axes(len(runs), TOLERANT)
    for ax, (number, own) in zip(axes, runs.items(), strict=True):
        for run in own:
            if run.form.name.startswith("hdca"):
                p = np.abs(run.states[:, run.states.shape[1] // 2 :]).max(axis=1)
                ax.semilogy(run.times[1:], p[1:], linewidth=1, **STYLE[run.form.name])
        ax.set_title(f"case {number}", fontsize=10)
        ax.set_xlabel("t in s")
        ax.grid(True, alpha=0.3)
    axes[0].set_ylabel("largest |p| in kg m²/s")
    axes[0].legend(fontsize=7)
    _save(pyplot, figure, path)
