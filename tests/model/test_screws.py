"""Hinges given by their axes: poses are the product of exponentials of the hinges' screws."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import mstmm
from mstmm.errors import ModelError

BODY = """[bodies.{name}]
mass = 1.0
inertia = [0.02, 0.03, 0.04, 0, 0, 0]
centre = {centre}
"""
HEAD = """name = "arm"
dimension = 3
gravity = [0, 0, -9.81]
"""
#: Kind, axis, a point of it, pitch: neither along coordinate axes nor through the origin.
SCREWS = [
    ("revolute", [1, -2, 2], [0.3, 0.1, -0.2], 0.0),
    ("helical", [0, 3, 4], [0.1, 0.5, 0.2], 0.07),
    ("prismatic", [-1, 1, 0.5], [0.0, 0.0, 0.9], 0.0),
    ("revolute", [0, 0, -2], [0.4, -0.3, 0.6], 0.0),
]


def arm() -> str:
    names = [f"b{k}" for k in range(len(SCREWS))]
    parts = [HEAD]
    for k, (kind, axis, through, pitch) in enumerate(SCREWS):
        parts.append(BODY.format(name=names[k], centre=[0.1 * k, 0.2, 0.3]))
        parts.append(
            f'[hinges.h{k}]\nkind = "{kind}"\nparent = "{names[k - 1] if k else "ground"}"\n'
            f'child = "{names[k]}"\naxis = {axis}\nthrough = {through}\n'
            + (f"pitch = {pitch}\n" if pitch else "")
        )
    return "".join(parts)


def loaded(text: str, folder: Path) -> Any:
    (folder / "arm.toml").write_text(text)
    return mstmm.load(folder / "arm.toml")


def exponential(kind: str, axis: Any, through: Any, pitch: float, q: float) -> Any:
    """exp(Y q) by SciPy; Y = (e, s × e + h e), of a slider (0, e): SPEC-003, 1.3."""
    e = np.array(axis) / np.linalg.norm(axis)
    turn = np.zeros(3) if kind == "prismatic" else e
    shift = e if kind == "prismatic" else np.cross(through, e) + pitch * e
    Y = np.zeros((4, 4))
    Y[:3, :3] = np.cross(turn, np.eye(3)).T  # its columns are turn × e_k
    Y[:3, 3] = shift
    return scipy.linalg.expm(q * Y)


def test_poses_are_products_of_exponentials(tmp_path: Path) -> None:
    """C_i = exp(Y_1 q_1) … exp(Y_i q_i) (screw paper, (94)), the reference poses identities."""
    solver = mstmm.compile(loaded(arm(), tmp_path), target="numpy")
    q = np.array([0.7, -1.1, 0.4, 2.0])
    C = np.eye(4)
    for k, (screw, place) in enumerate(zip(SCREWS, q, strict=True)):
        C = C @ exponential(*screw, place)
        np.testing.assert_allclose(solver.poses(q, frames=f"b{k}"), C, atol=1e-14)


def test_in_the_plane_a_slider_goes_along_its_axis(tmp_path: Path) -> None:
    text = (
        'name = "cart"\ndimension = 2\ngravity = [0, -10]\n'
        "[bodies.cart]\nmass = 2\ninertia = 0.1\ncentre = [0, 0.1]\n"
        "[bodies.pole]\nmass = 1\ninertia = 0.2\ncentre = [0, -0.5]\n"
        '[hinges.rail]\nkind = "prismatic"\nparent = "ground"\nchild = "cart"\naxis = [4, -3]\n'
        '[hinges.pivot]\nkind = "pin"\nparent = "cart"\nchild = "pole"\nthrough = [0, 0.2]\n'
    )
    solver = mstmm.compile(loaded(text, tmp_path), target="numpy")
    pose = solver.poses([2.0, 0.3], frames="pole")
    turned = [[math.cos(0.3), -math.sin(0.3)], [math.sin(0.3), math.cos(0.3)]]
    lever = np.array([0, 0.2])
    at = np.array([1.6, -1.2]) + lever - turned @ lever
    np.testing.assert_allclose(np.asarray(pose)[:2, -1], at, atol=1e-14)


def test_points_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    text = arm().replace("[hinges.h0]", "[bodies.b0.points.h0]\n[hinges.h0]", 1)
    model = loaded(text.replace("hinges.h1", "hinges.h_1"), tmp_path)
    assert [point.name for point in model.bodies[0].points] == ["h0", "h02", "h_1"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("axis = [1, -2, 2]", "axis = [0, 0, 0]", "hinges.h0.axis: has no direction"),
        ("axis = [1, -2, 2]", "axis = [1, 0]", "hinges.h0.axis: has 2 entries instead of 3"),
        ("axis = [1, -2, 2]", "", "hinges.h0.axis: has 0 entries instead of 3"),
        ('kind = "revolute"', 'kind = "ball"', "hinges.h0.axis: a ball hinge has not one axis"),
        (
            'parent = "b0"',
            'parent = "b0:tip"',
            "hinges.h1.parent: with axis or through it is a body or ground, not 'b0:tip'",
        ),
        ('parent = "b0"', 'parent = "b0:tip"', "leave the point out: the hinge makes its own"),
        (
            'parent = "b0"',
            'parent = "bo"',
            "it is a body or ground, not 'bo' (it has no such body); bodies: b0",
        ),
        (
            "gravity = [0, 0, -9.81]",
            "gravity = [0, 0, 0]\n[parameters]\nl = 1",
            "hinges.h0.axis: must be of numbers alone",
        ),
    ],
)
def test_what_is_no_axis_is_refused_by_name(
    old: str, new: str, expected: str, tmp_path: Path
) -> None:
    text = arm().replace(old, new, 1)
    assert text != arm()
    if "numbers alone" in expected:
        text = text.replace("axis = [1,", 'axis = ["l",')
    with pytest.raises(ModelError) as failure:
        loaded(text, tmp_path)
    assert expected in str(failure.value)
