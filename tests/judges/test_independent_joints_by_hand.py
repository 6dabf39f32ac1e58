"""The judge of joint coordinates against one hinged body, derived by hand, kind by kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any

import numpy as np
import pytest
import scipy
from independent.joints import coordinate_rates, joint_motion

from mstmm.model import GROUND, Body, End, Hinge, Model, Point

MASS = 2.0
GRAVITY = (1.5, -2.5, -9.0)
PRINCIPAL = (0.3, 0.5, 0.7)


def close(found: Any, expected: Any) -> None:
    """Equal to rounding: the numbers are of order 1 to 20."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def one(
    kind: str,
    dimension: int = 3,
    gravity: Sequence[float] | None = None,
    centre: Sequence[float] | None = None,
    pitch: float = 0.0,
    ground_is_child: bool = False,
    axes: Any = None,
) -> Model:
    """A body of `MASS` and `PRINCIPAL` moments, hinged at its origin to the ground."""
    moments = tuple(tuple(PRINCIPAL[i] if i == j else 0.0 for j in range(3)) for i in range(3))
    body = Body(
        "b",
        MASS,
        PRINCIPAL[2] if dimension == 2 else moments,
        tuple((0.0,) * dimension if centre is None else centre),
        (Point("P", (0.0,) * dimension, axes),),
    )
    ends = End(GROUND, "G"), End("b", "P")
    hinge = Hinge("h", kind, ends[::-1] if ground_is_child else ends, pitch)
    return Model(
        "one",
        dimension,
        (body,),
        (hinge,),
        tuple(GRAVITY[:dimension] if gravity is None else gravity),
        absolute=False,
    )


def test_a_block_slides_down_and_is_pushed() -> None:
    found = joint_motion(one("prismatic"), [0.4], [1.2], [3.0])
    close(found.accelerations, [-9.0 + 3.0 / MASS])
    close(found.loads["b:P"], [0, 0, 0, 3.0, -5.0, -3.0])
    close(found.poses[0, :3, 3], [0, 0, 0.4])
    close(found.energy, MASS * (1.2**2 / 2 + 9.0 * 0.4))


def test_with_the_ground_as_child_the_push_turns_round() -> None:
    found = joint_motion(one("prismatic", ground_is_child=True), [0.4], [1.2], [3.0])
    close(found.accelerations, [9.0 + 3.0 / MASS])
    close(found.loads["b:P"], [0, 0, 0, 3.0, -5.0, 3.0])
    close(found.poses[0, :3, 3], [0, 0, -0.4])


def test_a_planar_block_slides_along_the_first_axis() -> None:
    found = joint_motion(one("prismatic", 2, centre=(0.0, 0.2)), [0.4], [1.2], [3.0])
    close(found.accelerations, [1.5 + 3.0 / MASS])
    # The push acts at the point, 0.2 below the centre: the guide holds its moment.
    close(found.loads["b:P"], [0, 0, -0.2 * 3.0, -3.0, -5.0, 0])


def test_an_eccentric_revolute_body_is_a_pendulum() -> None:
    found = joint_motion(one("revolute", centre=(0.6, 0, 0)), [0.7], [1.3], [2.0])
    moment = 2.0 + MASS * 0.6 * (GRAVITY[1] * cos(0.7) - GRAVITY[0] * sin(0.7))
    alpha = moment / (PRINCIPAL[2] + MASS * 0.6**2)
    close(found.accelerations, [alpha])
    radial, across = np.array([cos(0.7), sin(0.7), 0]), np.array([-sin(0.7), cos(0.7), 0])
    carried = MASS * (0.6 * alpha * across - 0.6 * 1.3**2 * radial - np.array(GRAVITY))
    close(found.loads["b:P"][3:], -carried)
    # Its plane of motion carries the weight: moment 0.6 radial × MASS · 9 along z, held below.
    held = 0.6 * MASS * 9.0 * np.array([sin(0.7), -cos(0.7), 0])
    close(found.loads["b:P"][:3], held + np.array([0, 0, 2.0]))


def test_a_cylinder_turns_and_slides_apart() -> None:
    found = joint_motion(one("cylindrical"), [0.3, 0.4], [5.0, 1.2], [2.0, 3.0])
    close(found.accelerations, [2.0 / PRINCIPAL[2], -9.0 + 3.0 / MASS])
    close(found.poses[0, :3, 3], [0, 0, 0.4])
    close(found.loads["b:P"], [0, 0, 2.0, 3.0, -5.0, -3.0])


@pytest.mark.parametrize("pitch", [0.2, -0.2])
def test_a_nut_screws_itself_down(pitch: float) -> None:
    found = joint_motion(one("helical", pitch=pitch), [2.0], [3.0], [4.0])
    alpha = (4.0 - MASS * 9.0 * pitch) / (PRINCIPAL[2] + MASS * pitch**2)
    close(found.accelerations, [alpha])
    close(found.poses[0, :3, 3], [0, 0, 2.0 * pitch])
    thread = PRINCIPAL[2] * alpha
    close(found.loads["b:P"], [0, 0, thread, 3.0, -5.0, -MASS * (9.0 + pitch * alpha)])


def test_a_universal_joint_obeys_lagrange() -> None:
    A, B, C = PRINCIPAL
    (q1, q2), (u1, u2), tau = (0.4, 0.9), (1.5, -2.0), (0.6, 0.8)
    # T = (A u1² cos² q2 + B u2² + C u1² sin² q2) / 2
    stiff = A * cos(q2) ** 2 + C * sin(q2) ** 2
    slope = 2 * (C - A) * sin(q2) * cos(q2)
    found = joint_motion(one("universal"), [q1, q2], [u1, u2], tau)
    close(
        found.accelerations, [(tau[0] - slope * u1 * u2) / stiff, (tau[1] + slope * u1**2 / 2) / B]
    )
    along = scipy.spatial.transform.Rotation.from_euler("XY", [q1, q2]).as_matrix()
    close(found.poses[0, :3, :3], along)
    close(found.energy, (A * (u1 * cos(q2)) ** 2 + B * u2**2 + C * (u1 * sin(q2)) ** 2) / 2)
    close(found.loads["b:P"][:3] @ [1, 0, 0], tau[0])
    close(found.loads["b:P"][:3] @ along[:, 1], tau[1])


def test_a_planar_hinge_lets_the_centre_go_straight() -> None:
    turn, spin = 0.7, 2.0
    found = joint_motion(
        one("planar", centre=(0.5, 0, 0), gravity=(0, 0, -9.0)), [1, 2, turn], [3, 4, spin]
    )
    out = np.array([cos(turn), sin(turn), 0])
    close(found.accelerations, [*(0.5 * spin**2 * out)[:2], 0])
    close(found.poses[0, :3, 3], [1, 2, 0])
    weight = np.array([0, 0, -9.0 * MASS])
    close(found.loads["b:P"], [*-np.cross(0.5 * out, weight), *weight])


def test_a_slot_is_a_bead_on_a_wire() -> None:
    found = joint_motion(one("slot", 2), [0.3, 0.4], [1.1, 1.2], [3.0, 2.0])
    close(found.accelerations, [1.5 + 3.0 / MASS, 2.0 / PRINCIPAL[2]])
    close(found.loads["b:P"], [0, 0, 2.0, -3.0, -5.0, 0])


def test_a_slot_in_the_body_runs_round_a_fixed_bead() -> None:
    s, ds, spin, tau = 0.3, 1.1, 1.2, (3.0, 2.0)
    model = one("slot", 2, gravity=(0, 0), ground_is_child=True)
    found = joint_motion(model, [s, 0.4], [ds, spin], tau)
    about = PRINCIPAL[2] + MASS * s**2
    expected = [s * spin**2 + tau[0] / MASS, (tau[1] - 2 * MASS * s * ds * spin) / about]
    close(found.accelerations, expected)
    close(found.poses[0, :2, 3], [-s * cos(0.4), s * sin(0.4)])


def test_a_free_body_falls_and_tumbles() -> None:
    Q = np.array([0.5, 0.1, -0.7, 0.5])
    w, spin = np.array([1.0, 2, 3]), np.array([-1.0, 0.5, 2])
    found = joint_motion(one("free"), [1, 2, 3, *Q], [*w, *spin], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    R = scipy.spatial.transform.Rotation.from_quat([*Q[1:], Q[0]]).as_matrix()
    falling = R.T @ np.array(GRAVITY) - np.cross(spin, w) + np.array([0.1, 0.2, 0.3]) / MASS
    moments = np.array(PRINCIPAL)
    tumbling = (np.array([0.4, 0.5, 0.6]) - np.cross(spin, moments * spin)) / moments
    close(found.accelerations, [*falling, *tumbling])
    close(found.poses[0], np.vstack([np.column_stack([R, [1, 2, 3]]), [0, 0, 0, 1]]))
    close(coordinate_rates(one("free"), [1, 2, 3, *Q], [*w, *spin])[:3], R @ w)


def test_a_free_body_in_the_plane() -> None:
    found = joint_motion(one("free", 2), [1, 2, 0.3], [3, 4, 5], [0.1, 0.2, 0.3])
    close(found.accelerations, [1.5 + 0.1 / MASS, -2.5 + 0.2 / MASS, 0.3 / PRINCIPAL[2]])


def test_a_fixed_body_hangs() -> None:
    found = joint_motion(one("fixed", 2, centre=(0.5, 0.0)), [], [])
    weight = np.array([1.5, -2.5, 0]) * MASS
    close(found.loads["b:P"], [0, 0, 0.5 * 2.5 * MASS, *weight])


def test_the_points_axes_direct_the_hinge() -> None:
    """The third axis of the point along the body's first: it slides along the body's x."""
    axes = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
    found = joint_motion(one("prismatic", axes=axes), [0.4], [0.0])
    close(found.poses[0, :3, :3] @ [1, 0, 0], [0, 0, 1])
    close(found.poses[0, :3, 3], [0, 0, 0.4])
    found = joint_motion(one("prismatic", 2, axes=0.5, ground_is_child=True), [0.4], [0.0])
    close(found.poses[0, :2, 3], [-0.4, 0])
    close(found.poses[0, :2, 0], [cos(0.5), -sin(0.5)])
