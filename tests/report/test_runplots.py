"""Plots of runs: what is drawn where, with which words."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import mstmm
from mstmm.errors import UsageError
from mstmm.runtime.motions.results import Run

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
