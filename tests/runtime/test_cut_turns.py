"""A law of the angle in a cut hinge knows whole turns in the plane; in space they are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import cos, pi, sin

import numpy as np
import pytest
from compiler import TARGET

import mstmm
from mstmm.errors import NumericsError
from mstmm.model import Model
from mstmm.model.files.toml import from_text
from mstmm.runtime.motions.results import Run
from mstmm.runtime.solver import Solver
from mstmm.symbolic.tree.cut_force_kernels import seen_coordinates

#: A crank of 0.5 m, a coupler of 2 m, a rocker of 1.5 m on pivots 2 m apart: the crank turns round.
#: Points have axes of their own, which a sum of angles has to reckon with.
FOUR_BAR = """
name = "turning"
dimension = 2
gravity = [0.0, -9.81]
[ground]
points = {{ o = {{ axes = 0.3 }}, p = {{ position = [2.0, 0.0] }} }}
[bodies.crank]
mass = 1.0
inertia = 0.1
centre = [0.25, 0.0]
points = {{ a = {{ axes = -0.4 }}, b = {{ position = [0.5, 0.0], axes = 0.2 }} }}
[bodies.coupler]
mass = 1.0
inertia = 0.4
centre = [1.0, 0.0]
points = {{ a = {{ axes = 0.1 }}, b = {{ position = [2.0, 0.0] }} }}
[bodies.rocker]
mass = 1.0
inertia = 0.2
centre = [0.75, 0.0]
points = {{ a = {{ axes = 0.7 }}, b = {{ position = [1.5, 0.0], axes = -0.6 }} }}
[hinges]
h1 = {{ kind = "pin", parent = "ground:o", child = "crank:a"{h1} }}
h2 = {{ kind = "pin", parent = "coupler:a", child = "crank:b" }}
h3 = {{ kind = "pin", parent = "coupler:b", child = "rocker:b"{h3} }}
h4 = {{ kind = "pin", parent = "ground:p", child = "rocker:a"{h4} }}
"""

SPRING = ", spring = { stiffness = 0.5, rest = 0.3 }"
MOTOR = ', force = ["-2*(q1 - 4*t) - (u1 - 4)"]'


def four_bar(h1: str, h3: str = "", h4: str = "") -> Model:
    return from_text(FOUR_BAR.format(h1=h1, h3=h3, h4=h4))


def moved(model: Model, cuts: tuple[str, ...], start: dict[str, float], t_end: float) -> Run:
    solver = mstmm.compile(replace(model, cuts=cuts, q0=(), v0=()), target=TARGET)
    begun = solver.assemble(fixed={k: v for k, v in start.items() if k in names(solver.model)})
    return solver.simulate(begun.q, begun.v, t_end=t_end, method="dopri5", rtol=1e-10, atol=1e-10)


def names(model: Model) -> tuple[str, ...]:
    return (*model.coordinates, *model.speeds)


@cache
def free_four_bar() -> Solver:
    """Cut at its last hinge, and without forces, which do not count where it is put together."""
    return mstmm.compile(replace(four_bar(""), cuts=("h4",), q0=(), v0=()), target="numpy")


def closed_start(speed: float) -> dict[str, float]:
    """All coordinates and speeds with the crank at 1 rad, from all trees that cuts leave."""
    found: dict[str, float] = {}
    guesses = {"qh1": 1.0, "qh2": 0.6, "qh3": 1.0, "qh4": 1.6}
    first = free_four_bar()
    begun = first.assemble(
        [guesses[x] for x in first.model.coordinates], fixed={"h1": 1.0, "uh1": speed}
    )
    found |= dict(zip(first.model.coordinates, begun.q, strict=True))
    found |= dict(zip(first.model.speeds, begun.v, strict=True))
    # φ + α of crank, coupler and rocker add up to the angle of the cut hinge.
    crank = found["qh1"] + 0.3 + 0.4
    coupler = crank + 0.2 - found["qh2"] - 0.1
    rocker = coupler + found["qh3"] + 0.6
    found["qh4"] = rocker + 0.7
    found["uh4"] = found["uh1"] - found["uh2"] + found["uh3"]
    return found


@pytest.mark.parametrize(
    ("laws", "speed", "turns"),
    [
        pytest.param((SPRING, "", ""), 9.0, 2, marks=pytest.mark.slow),
        ((MOTOR, "", ""), 0.0, 1),
        ((SPRING, SPRING, SPRING), 9.0, 2),
    ],
)
def test_a_motion_does_not_depend_on_which_hinge_is_cut(
    laws: tuple[str, str, str], speed: float, turns: int
) -> None:
    """The crank turns round; where its hinge is in the tree, its coordinate counts turns."""
    model = four_bar(*laws)
    start = closed_start(speed)
    runs = {cut: moved(model, (cut,), start, 3.0) for cut in ("h1", "h2", "h3", "h4")}
    known = runs["h4"]
    assert np.ptp(known["qh1"].values) > 2 * pi * turns
    for cut, run in runs.items():
        for name in {*run.coordinates} & {*known.coordinates}:
            assert run[name].values[-1] == pytest.approx(known[name].values[-1], abs=2e-7), cut


WOUND = """
name = "wound"
dimension = 2
gravity = [0.0, 0.0]
cuts = ["bush"]
[bodies.wheel]
mass = 1.0
inertia = 0.5
points = { hub = {} }
[hinges]
pivot = { kind = "pin", parent = "ground", child = "wheel:hub" }
[hinges.bush]
kind = "elastic"
parent = "ground"
child = "wheel:hub"
spring = { stiffness = [3, 4, 5] }
"""


@pytest.mark.parametrize("algorithm", ["riccati", "overall"])
def test_a_bushing_is_wound_up_over_any_number_of_turns(algorithm: str) -> None:
    """J q'' = -k q, beside a pin that holds all else."""
    solver = mstmm.compile(from_text(WOUND), algorithm=algorithm, target="numpy")
    for q in (1.0, 4.0, -20.0):
        assert solver.accelerations([q], [0.0]) == pytest.approx([-5.0 * q / 0.5], rel=1e-12)


def test_turns_are_counted_from_what_the_start_asks() -> None:
    """By how many whole turns axes differ says nothing; what the start asks of the hinge does."""
    plain = 'cuts = ["h4"]' + FOUR_BAR.format(h1="", h3="", h4=SPRING)
    start = """[start.positions]
h1 = 1.0
h2 = { guess = 0.6 }
h3 = { guess = 1.0 }
h4 = { guess = %s }
"""
    loads = {}
    for axes, asked in ((0.7, 1.7), (0.7 + 2 * pi, 1.7), (0.7, 1.7 - 4 * pi)):
        text = plain.replace("axes = 0.7 }", f"axes = {axes} }}") + start % asked
        solver = mstmm.compile(from_text(text), target="numpy")
        begun = solver.assemble()
        held = solver.energy(begun.q, 0 * begun.v)
        loads[axes, asked] = held, solver.accelerations(begun.q, begun.v)
    first, same, wound = loads.values()
    assert same[0] == pytest.approx(first[0], rel=1e-12)
    assert same[1] == pytest.approx(first[1], rel=1e-9)
    # k (θ − 4π − 0.3)² − k (θ − 0.3)² with θ of the closed four-bar, where the crank is at 1 rad.
    theta = closed_start(1.0)["qh4"]
    more = 0.25 * ((theta - 4 * pi - 0.3) ** 2 - (theta - 0.3) ** 2)
    assert wound[0] - first[0] == pytest.approx(more, rel=1e-9)


#: The same four-bar in space, its coupler between a ball and a universal hinge.
IN_SPACE = """
name = "in-space"
dimension = 3
gravity = [0.0, 0.0, 0.0]
[ground]
points = {{ o = {{}}, p = {{ position = [2.0, 0.0, 0.0] }} }}
[bodies.crank]
mass = 1.0
inertia = [0.02, 0.1, 0.1, 0.0, 0.0, 0.0]
centre = [0.25, 0.0, 0.0]
points = {{ a = {{}}, b = {{ position = [0.5, 0.0, 0.0] }} }}
[bodies.coupler]
mass = 1.0
inertia = [0.02, 0.4, 0.4, 0.0, 0.0, 0.0]
centre = [1.0, 0.0, 0.0]
points = {{ a = {{}}, b = {{ position = [2.0, 0.0, 0.0] }} }}
[bodies.rocker]
mass = 1.0
inertia = [0.02, 0.2, 0.2, 0.0, 0.0, 0.0]
centre = [0.75, 0.0, 0.0]
points = {{ a = {{}}, b = {{ position = [1.5, 0.0, 0.0] }} }}
[hinges]
h1 = {{ kind = "revolute", parent = "ground:o", child = "crank:a", force = ["{law}"] }}
h2 = {{ kind = "ball", parent = "coupler:a", child = "crank:b" }}
h3 = {{ kind = "universal", parent = "rocker:b", child = "coupler:b" }}
h4 = {{ kind = "revolute", parent = "ground:p", child = "rocker:a" }}
"""


@pytest.mark.parametrize(
    ("law", "cut", "is_told"),
    [
        ("2 - 0.1*(q1 - 6*t)", "h1", True),
        ("2 - 0.1*(q1 - 6*t)", "h2", False),
        ("4*sin(q1) + 2", "h1", False),
    ],
)
def test_in_space_an_angle_that_poses_do_not_tell_is_refused(
    law: str, cut: str, is_told: bool
) -> None:
    """Cut where its law is, the crank passes half a turn; a law that is periodic may be there."""
    model = replace(from_text(IN_SPACE.format(law=law)), cuts=(cut,), q0=(), v0=())
    solver = mstmm.compile(model, target="numpy")
    begun = solver.assemble()

    def move() -> Run:
        return solver.simulate(begun.q, begun.v, t_end=2.0, method="dopri5", record=0.05)

    if is_told:
        with pytest.raises(NumericsError, match="hinge h1 is cut, and a law reads its angle"):
            move()
    else:
        assert len(move().time) == 41


@pytest.mark.parametrize("left", [2.0, 1e-3, 1e-5])
def test_a_quaternion_next_to_half_a_turn_keeps_its_digits(left: float) -> None:
    """1 + tr R alone has lost all digits but those of (π − φ)²."""
    turn, axis = pi - left, np.array([2.0, -1.2, -1.0]) / np.sqrt(6.44)
    across = np.cross(np.eye(3), axis)
    R = np.eye(3) + sin(turn) * across + (1 - cos(turn)) * across @ across
    found = seen_coordinates(3, "ball", R, np.zeros(3), {})
    expected = [cos(turn / 2), *sin(turn / 2) * axis]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15 / min(left, 1.0))
