"""Starts in singular positions of the loops: on one branch, or refused with the branches named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from commands import run as command
from singular_models import row_of_four_bars

import mstmm
from mstmm.errors import NumericsError, SingularPositionError
from mstmm.model import Model, Point
from mstmm.model.files.toml import write
from mstmm.runtime.solver import Solver


def level(speeds: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Model:
    """Posts of 1 m that are 1.5 m apart, level: a parallelogram or an antiparallelogram."""
    model = row_of_four_bars(1, angle=0.0, speed=0.0)
    far = (sp.Rational(3, 2), sp.Integer(0))
    bodies = tuple(
        replace(x, points=tuple(Point(p.name, far) if p.name != "a" else p for p in x.points))
        if x.name == "beam1"
        else x
        for x in model.bodies
    )
    ground = tuple(Point(p.name, far) if p.name == "G1" else p for p in model.ground)
    return replace(model, name="level", bodies=bodies, ground=ground, v0=speeds)


@cache
def solver(algorithm: str = "riccati") -> Solver:
    return mstmm.compile(level(), algorithm=algorithm, target="numpy")


#: By hand: posts at a and b, the beam at c, all small. Upwards a + 1.5 c = b, and along the bars to
#: second order a² + 1.5 c² = b²: so b = a, or 1.5 (b + a) = b − a, b = −5 a. uleft1 is c' − a'.
PARALLEL = np.array([1.0, 1.0, -1.0])
ANTI = np.array([1.0, -5.0, -5.0])


@pytest.mark.parametrize("algorithm", ["riccati", "dca", "hdca"])
def test_speeds_of_a_branch_stay_and_motion_goes_on_along_it(algorithm: str) -> None:
    made = solver(algorithm)
    for branch in (PARALLEL, ANTI):
        start = made.assemble(v0=2.0 * branch)
        assert start.v == pytest.approx(2.0 * branch, abs=1e-12)
        run = made.simulate(v0=2.0 * branch, t_end=0.05, dt=1e-2)
        ahead = np.sign(run.q[-1][:2])
        assert (ahead == np.sign(branch[:2])).all()
        assert abs(run.q[-1][0]) > 0.07  # gravity takes some of 0.1


def test_speeds_that_one_branch_alone_has_select_it() -> None:
    names = solver().speeds
    for branch in (PARALLEL, ANTI):
        fixed = dict(zip(names[:2], (2.0 * branch[:2]).tolist(), strict=True))
        assert solver().assemble(fixed=fixed).v == pytest.approx(2.0 * branch, abs=1e-9)


@pytest.mark.parametrize(
    ("fixed", "why"),
    [
        ({"ufoot0": 2.0}, "more than one has ufoot0 = 2"),
        ({"ufoot0": 2.0, "ufoot1": 1.0}, "none has ufoot0 = 2, ufoot1 = 1"),
        ({"ufoot0": 0.0, "ufoot1": 1.0}, "none has ufoot0 = 0, ufoot1 = 1"),
    ],
)
def test_others_are_refused_with_the_branches_named(fixed: dict[str, float], why: str) -> None:
    with pytest.raises(SingularPositionError, match=why) as refused:
        solver().assemble(fixed=fixed)
    said = str(refused.value)
    assert "the start is a singular position of the loops" in said
    assert "(1) ufoot0 = 1, ufoot1 = 1, uleft1 = -1; " in said
    assert "(2) ufoot0 = 1, ufoot1 = -5, uleft1 = -5, or multiples" in said


def test_at_rest_no_motion_begins_there_and_check_says_the_same(tmp_path: Path) -> None:
    start = solver().assemble()
    assert not start.v.any()
    assert "at rest, which does not say on which it goes on" in start.undecided
    with pytest.raises(NumericsError, match="at rest, which does not say"):
        solver().simulate(t_end=0.1)
    for speeds, code in (((0.0, 0.0, 0.0), 1), (tuple(2.0 * ANTI), 0), ((2.0, 0.0, 0.0), 1)):
        file = tmp_path / "level.toml"
        write(level(speeds), file)
        checked = command("check", file)
        assert checked.exit_code == code, checked.output
        moved = command(
            "simulate", file, "--target", "numpy", "--t-end", "0.01", "-o", tmp_path / "run.csv"
        )
        assert (moved.exit_code == 0) == (code == 0), moved.output


def test_two_windows_have_the_branches_of_both() -> None:
    """Of a row of equal lengths, level: a window may also turn about two pins that coincide."""
    made = mstmm.compile(row_of_four_bars(2, angle=0.0, speed=0.0), target="numpy")
    start = made.assemble()
    for said in ("ufoot0 = 1, ufoot1 = 1, ufoot2 = 1", "ufoot0 = 0, ufoot1 = 1, ufoot2 = 1"):
        assert said in start.undecided


def test_ready_made_loops_start_where_they_did() -> None:
    for name in ("four-bar", "slider-crank", "hdca-case-1", "hdca-case-3", "delta-robot"):
        model = mstmm.load(name)
        assert mstmm.compile(model, target="numpy").assemble().undecided == "", name
