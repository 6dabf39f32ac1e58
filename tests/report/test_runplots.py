"""Plots of runs: what is drawn where, with which words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mstmm
from mstmm.errors import UsageError
from mstmm.runtime.motions.results import Known, Run

pytest.importorskip("matplotlib").use("Agg")


@cache
def run(name: str, **how: Any) -> Run:
    return mstmm.compile(name, target="numpy").simulate(t_end=0.05, dt=5e-3, **how)


def subplot() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def labels(axes: Any) -> list[str]:
    return [line.get_label() for line in axes.lines]


def test_all_coordinates_a_panel_for_each_unit() -> None:
    panels = run("spatial-tree").plot()
    said = [axes.get_ylabel() for axes in panels]
    assert said == ["displacement (m)", "angle (rad)", "quaternion"]
    assert labels(panels[0]) == ["qcarriage", "qsleeve_2"]
    assert panels[0].get_title() == "spatial-tree: rk4, dt = 0.005 s"
    assert panels[-1].get_xlabel() == "time (s)"
    np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), run("spatial-tree").q[:, 0])


def test_what_is_named_on_axes_that_are_given() -> None:
    axes = subplot()
    assert run("spatial-tree").plot("carriage", "qsleeve_2", ax=axes) is axes
    assert labels(axes) == ["qcarriage", "qsleeve_2"]
    rates = subplot()
    run("four-bar").plot("v", ax=rates)
    assert rates.get_ylabel() == "angular velocity (rad/s)"
    with pytest.raises(UsageError, match=r"need 3 axes, one for each unit \(m, rad, 1\); ax has 1"):
        run("spatial-tree").plot(ax=subplot())
    with pytest.raises(UsageError, match=r"no 'cariage' \(did you mean carriage\?\)"):
        run("spatial-tree").plot("cariage")


def batch() -> Any:
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=["g"])
    given: dict[str, Any] = {"t_end": 0.05, "dt": 5e-3, "parameters": {"g": [1.0, 3.7, 9.81]}}
    return solver.simulate([[0.1, 0.0], [0.2, 0.0], [0.3, 0.1]], **given)


def test_the_curves_of_all_runs_of_a_batch() -> None:
    """Thin, those of one name alike, and named once."""
    runs = batch()
    axes = subplot()
    assert runs.plot("q2", "q1", ax=axes) is axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["q2", "q1"]
    assert len(axes.lines) == 6
    assert len({line.get_color() for line in axes.lines}) == 2
    assert all(line.get_linewidth() < 1.0 for line in axes.lines)
    for run, line in zip(runs, axes.lines[::2], strict=True):
        np.testing.assert_array_equal(line.get_ydata(), run.q[:, 1])
    assert axes.get_title() == "double-pendulum: rk4, dt = 0.005 s, 3 runs"
    assert axes.get_ylabel() == "angle (rad)"
    assert len(runs.plot().lines) == 6
    assert len(runs.plot("q", "v")) == 2
    with pytest.raises(UsageError, match=r"has no 'q3'"):
        runs.plot("q3")


def test_energy_loads_and_constraints() -> None:
    loop = run("four-bar")
    assert loop.plot_energy(ax=subplot()).get_ylabel() == "energy (J)"
    sizes = loop.plot_loads(ax=subplot())
    assert labels(sizes) == [f"force at {end}" for end in loop.ends]
    one = loop.plot_loads("pivot", ax=subplot())
    assert labels(one) == ["rocker:foot q_x", "rocker:foot q_y"]
    np.testing.assert_array_equal(one.lines[1].get_ydata(), loop.loads[:, 3, 4])
    position, velocity = loop.plot_constraints()
    assert position.get_yscale() == "log"
    assert (position.get_ylabel(), velocity.get_ylabel()) == (
        "opening (m)",
        "rate of opening (m/s)",
    )
    with pytest.raises(UsageError, match="has no closed loops"):
        run("spatial-tree").plot_constraints()
    with pytest.raises(UsageError, match="'nut:I' is no end and no hinge; the ends: carriage:O"):
        run("spatial-tree").plot_loads("nut:I")


def test_the_title_says_the_tolerances() -> None:
    found = mstmm.compile("four-bar", target="numpy").simulate(
        t_end=0.05, method="dopri5", rtol=1e-8, record=0.01
    )
    title = found.plot_energy(ax=subplot()).get_title()
    assert title == "four-bar: dopri5, rtol = 1e-08, atol = 1e-09"


def test_many_runs_are_bands_of_quantiles() -> None:
    """The median in between; a run that ended is no part of what comes later."""
    solver = mstmm.compile("double-pendulum", target="numpy")
    q0 = np.column_stack([np.linspace(0.1, 0.5, 21), np.zeros(21)])
    runs = solver.simulate(q0, t_end=0.05, dt=5e-3)
    axes = subplot()
    runs.plot("q1", ax=axes)
    [median] = axes.lines
    outer, inner = (band.get_paths()[0].vertices for band in axes.collections)
    q1 = np.array([run.q[:, 0] for run in runs])
    np.testing.assert_allclose(median.get_ydata(), np.median(q1, axis=0))
    for band, level in ((outer, 0.05), (inner, 0.25)):
        ends = band[np.isclose(band[:, 0], 0.05), 1]
        low, high = np.quantile(q1[:, -1], (level, 1 - level))
        assert (ends.min(), ends.max()) == pytest.approx((low, high))
    assert axes.get_title() == (
        "double-pendulum: rk4, dt = 0.005 s, 21 runs: median, 50 % and 90 % of them"
    )


def test_runs_that_end_early_leave_the_bands() -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    q0 = np.column_stack([np.linspace(0.1, 0.5, 21), np.zeros(21)])
    event = mstmm.Event("q1 - 0.3", terminal=True)
    runs = solver.simulate(q0, t_end=0.2, dt=5e-3, events=[event])
    axes = subplot()
    runs.plot("q1", ax=axes)
    stay = np.array([run.q[-1, 0] for run in runs if run.time[-1] > 0.199])
    assert 0 < len(stay) < 21
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(np.median(stay))


def test_an_ensemble_is_drawn_by_its_outputs(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    made = mstmm.ensemble(
        "double-pendulum",
        {"q1": np.linspace(0.1, 0.3, 5)},
        to=tmp_path / "x.zarr",
        t_end=0.05,
        dt=5e-3,
        outputs={"q": "q", "height": "l1*cos(q1)", "energy": "energy"},
        target="numpy",
    )
    panels = made.plot()
    assert [axes.get_ylabel() for axes in panels] == ["q", "height", "energy (J)"]
    assert labels(panels[0]) == ["q1", "q2"]
    median = np.median(made.data["height"].values, axis=0)
    np.testing.assert_allclose(panels[1].lines[0].get_ydata(), median)
    assert made.plot("height").get_ylabel() == "height"
    with pytest.raises(UsageError, match=r"'up' is no output .*there are: q, height, energy"):
        made.plot("up")


@pytest.mark.parametrize(("factor", "unit"), [(1.0, "N"), (4e3, "kN"), (4e6, "MN")])
def test_axes_of_forces_have_prefixes(factor: float, unit: str) -> None:
    """The ticks are in the prefixed unit, the curves stay in newtons."""
    loop = run("four-bar")
    sizes = np.abs(loop.loads).max()
    known = Known(2 * factor / sizes * loop.loads, loop.energy)
    axes = np.ravel(replace(loop, outputs=known).plot_loads())[0]
    assert axes.get_ylabel() == f"force ({unit})"
    if factor > 1.0:
        assert axes.yaxis.get_major_formatter()(2 * factor, 0) == "8"
        assert axes.yaxis.get_major_formatter()(-factor, 0) == "−4"
    largest = max(np.abs(line.get_ydata()).max() for line in axes.lines)
    assert factor <= largest <= 4 * factor
