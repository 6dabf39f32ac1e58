"""Cut hinges close the way round that their kinds say: n·m = 0 holds with an end turned about too.

The judges are rotation matrices of the closed bodies, by hand from their coordinates.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import mstmm
from mstmm.errors import NumericsError
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver

FLYING = """
name = "held"
dimension = {dimension}
gravity = {gravity}
cuts = ["held"]
[bodies.x]
mass = 1
inertia = {inertia}
points.a = {{}}
[hinges.flight]
kind = "free"
parent = "ground"
child = "x:a"
[hinges.held]
kind = "{kind}"
parent = "ground"
child = "x:a"
"""

RAIL = 'kind = "prismatic"\nparent = "ground"\nchild = "x:b"'

KEPT = {
    "revolute": (2,), "cylindrical": (2,), "planar": (2,), "slot": (2,), "fixed": (0, 1, 2),
    "prismatic": (0, 1, 2), "helical": (2,),
}  # fmt: skip


def held(kind: str, dimension: int, more: str = "") -> Solver:
    """A body that flies, and that a cut hinge holds to the ground."""
    text = FLYING.format(
        kind=kind,
        dimension=dimension,
        gravity=[0, -9.81] if dimension == 2 else [0, 0, -9.81],
        inertia=0.1 if dimension == 2 else [0.1, 0.2, 0.25, 0, 0, 0],
    )
    return mstmm.compile(from_text(text + more), target="numpy")


def about(axis: int, angle: float) -> list[float]:
    """The place of the body at the origin, turned about an axis by an angle."""
    vector = np.sin(angle / 2) * np.eye(3)[axis]
    return [0.0, 0.0, 0.0, math.cos(angle / 2), *vector]


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
@pytest.mark.parametrize("angle", [2.0, -2.5, math.pi])
def test_in_the_plane_a_start_near_half_a_turn_closes_at_none(kind: str, angle: float) -> None:
    start = held(kind, 2).assemble([0.1, 0.1, angle], np.zeros(3))
    assert math.cos(start.q[2]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("kind", KEPT)
def test_in_space_an_axis_that_the_kind_keeps_points_the_same_way(kind: str) -> None:
    code = held(kind, 3, "pitch = 0.1\n" if kind == "helical" else "")
    for axis, angle in ((0, 2.6), (1, math.pi), (1, -2.9)):
        q = code.assemble(about(axis, angle), np.zeros(6)).q
        turn = code.poses(q)[0, :3, :3]
        assert np.allclose(turn[KEPT[kind], KEPT[kind]], 1.0, atol=1e-9)


@pytest.mark.parametrize("axis", range(3))
def test_a_weld_s_conditions_hold_after_half_a_turn_but_it_is_not_closed(axis: int) -> None:
    code, place = held("fixed", 3), about(axis, math.pi)
    gap, _ = code.constraints(place, np.zeros(6))
    assert np.allclose(gap, 0.0, atol=1e-15)
    q = code.assemble(place, np.zeros(6)).q
    assert np.allclose(code.poses(q)[0, :3, :3], np.eye(3), atol=1e-12)


def test_a_driven_hinge_is_held_to_where_it_is_driven() -> None:
    code = held("pin", 2, 'motion = ["2.0 + t"]\n')
    for angle in (2.0 - 0.4, 2.0 + math.pi - 0.3, 2.0 + math.pi):
        q = code.assemble([0.0, 0.0, angle], np.zeros(3)).q
        assert math.cos(q[2] - 2.0) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("lean", [0.3, 2.5])
def test_the_ground_turns_with_what_is_held_to_it(lean: float) -> None:
    code = held("fixed", 2, f"[base]\nangle = {lean}\n")
    for start in (0.4, math.pi - 0.2):
        q = code.assemble([0.0, 0.0, start], np.zeros(3)).q
        pose = code.poses(q)[0]
        assert np.allclose(pose[:2, 0], [math.cos(lean), math.sin(lean)], atol=1e-12)


def test_a_projection_refuses_to_close_it_turned_about() -> None:
    code = held("fixed", 2)
    with pytest.raises(NumericsError, match="end of hinge held turned about"):
        code.project([0.1, 0.1, 2.8], np.zeros(3))
    q, _ = code.project([0.1, 0.1, 0.5], np.zeros(3))
    assert np.allclose(q, 0.0, atol=1e-12)


def test_where_no_other_way_is_found_it_is_said() -> None:
    """A body that a rail holds upside down can be welded to the ground no other way."""
    text = FLYING.format(kind="fixed", dimension=2, gravity=[0, 0], inertia=0.1)
    text = text.replace("points.a = {}", "points.a = {}\npoints.b = { axes = 3.141592653589793 }")
    text = text.replace('kind = "free"\nparent = "ground"\nchild = "x:a"', RAIL)
    with pytest.raises(NumericsError, match="close with an end of hinge held turned about alone"):
        mstmm.compile(from_text(text), target="numpy").assemble([0.3], [0.0])


def test_inverse_kinematics_keeps_the_ends_the_right_way_round() -> None:
    q = held("prismatic", 2).inverse_kinematics("x:a", [0.7, 0.0, 0.0], [0.1, 0.1, 2.9])
    assert math.cos(q[2]) == pytest.approx(1.0, abs=1e-9)
