"""Why a motion cannot go on: one diagnosis, whatever the method."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGET, needs_compiler

import mstmm
from mstmm.errors import NumericsError, SingularPositionError
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver

CASES = Path(__file__).parents[1] / "data" / "cases"

#: Two bars, 1 m and 0.7 m long, whose end is driven away from the first one's pivot.
BARS = """
name = "bars"
dimension = 2
gravity = [0, -9.81]
[parameters]
speed = 0.9
[bodies.first]
mass = 1
inertia = 0.1
centre = [0.5, 0]
points = { a = {}, b = { position = [1, 0] } }
[bodies.second]
mass = 1
inertia = 0.1
centre = [0.35, 0]
points = { a = {}, b = { position = [0.7, 0] } }
[bodies.block]
mass = 1
inertia = 0.1
points = { a = {} }
[hinges.pivot]
kind = "pin"
parent = "ground"
child = "first:a"
[hinges.elbow]
kind = "pin"
parent = "first:b"
child = "second:a"
[hinges.ram]
kind = "prismatic"
parent = "ground"
child = "block:a"
motion = "1 + speed*t"
[hinges.eye]
kind = "pin"
parent = "second:b"
child = "block:a"
[start.positions]
pivot = 0.5
elbow = -1.2
"""

#: A point mass on two bars without mass, which it cannot resist where they are in line.
LIGHT = """
name = "light"
dimension = 2
gravity = [0, -9.81]
[bodies.upper]
mass = 0
inertia = 0
points = { a = {}, b = { position = [1, 0] } }
[bodies.lower]
mass = 1
inertia = 0
centre = [1, 0]
points = { a = {} }
[hinges.shoulder]
kind = "pin"
parent = "ground"
child = "upper:a"
[hinges.elbow]
kind = "pin"
parent = "upper:b"
child = "lower:a"
[start.positions]
elbow = -1.5
"""

#: With fixed steps some that are long: they may go over what they come to.
HOW: dict[str, dict[str, float]] = {
    "rk4": {"dt": 1e-2},
    "rkmk4": {"dt": 1e-2},
    "euler": {"dt": 1e-2},
    "dopri5": {"record": 1e-2},
    "radau5": {"record": 1e-2},
    "RK45": {"record": 1e-2},
    "LSODA": {"record": 1e-2},
}


@cache
def solver(text: str, target: str = TARGET, *parameters: str) -> Solver:
    return mstmm.compile(from_text(text), target=target, parameters=parameters)


def limit(said: str) -> tuple[float, float]:
    """The time and the length that a message names."""
    found = re.search(r"at t = (\S+) s .*, \w+ at (\S+) m;", said)
    assert found, said
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("method", HOW)
def test_a_drive_that_asks_for_what_its_loop_cannot_have(method: str) -> None:
    with pytest.raises(NumericsError, match="drive of ram asks for what the loop through") as at:
        solver(BARS).simulate(t_end=1.0, method=method, **HOW[method])
    assert limit(str(at.value)) == pytest.approx((0.7 / 0.9, 1.7), abs=1e-5)
    assert "can go on in no way" in str(at.value)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "radau5"])
def test_the_cylinder_that_is_drawn_in_too_far(method: str) -> None:
    """Its eyes come no nearer than their distances from the elbow let them."""
    code = mstmm.compile(mstmm.load(str(CASES / "excavator_dead.toml")), target=TARGET)
    with pytest.raises(NumericsError, match=r"the drive of cyl2 asks .* loop through eye2") as at:
        code.simulate(t_end=4.0, method=method, **HOW[method])
    least = math.hypot(5 - 2.6, 0.9) - math.hypot(0.6, 0.3)
    when = (math.pi + math.asin((2.05 - least) / 0.2)) / 1.1
    assert limit(str(at.value)) == pytest.approx((when, least), abs=1e-5)


@needs_compiler
def test_every_motion_of_a_batch_says_its_own() -> None:
    runs = solver(BARS, "c-batch", "speed").simulate(
        t_end=1.0, dt=1e-2, parameters={"speed": [0.5, 0.9, 1.2]}
    )
    assert [run is None for run in runs.runs] == [False, True, True]
    assert limit(runs.failed[1])[0] == pytest.approx(0.7 / 0.9, abs=1e-5)
    assert limit(runs.failed[2])[0] == pytest.approx(0.7 / 1.2, abs=1e-5)


def test_a_step_that_goes_over_a_dead_point_is_no_end() -> None:
    """The semi-implicit method leaves its loops open there, and the motion would have ended."""
    with pytest.raises(NumericsError, match="the drive of ram"):
        solver(BARS).simulate(t_end=0.78, method="euler", dt=1e-2)


@pytest.mark.parametrize(
    ("method", "target"),
    [(x, TARGET) for x in ("rk4", "rkmk4", "dopri5", "radau5", "RK45")] + [("rk4", "numpy")],
)
def test_what_no_mass_resists(method: str, target: str) -> None:
    how = {"dt": 1e-3} if method in ("rk4", "rkmk4") else {"record": 1e-2}
    with pytest.raises(NumericsError, match="mass matrix is singular") as at:
        solver(LIGHT, target).simulate(t_end=1.0, method=method, **how)
    assert "no mass resists the motion ushoulder = 1, uelbow = -2;" in str(at.value)
    assert "at t = 0.375" in str(at.value)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_step_that_is_too_long(method: str) -> None:
    """It is no dead point and nothing is singular: the motion goes on in short steps."""
    code = mstmm.compile("four-bar", target=TARGET)
    with pytest.raises(NumericsError, match="so long a step; take a smaller dt") as at:
        code.simulate(v0=[9.0, 0, 0], t_end=3.0, method=method, dt=0.5)
    assert not isinstance(at.value, SingularPositionError)
    run = code.simulate(v0=[9.0, 0, 0], t_end=3.0, method=method, dt=1e-3, record=1.0)
    assert np.abs(run.constraint_position).max() < 1e-9


def test_a_drive_that_turns_back_in_time_goes_on() -> None:
    text = BARS.replace("1 + speed*t", "1.4 + 0.29*sin(4*t)")
    run = solver(text).simulate(t_end=3.0, dt=1e-2)
    assert run.constraint_position.max() < 1e-9
