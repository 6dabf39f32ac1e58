"""Twists, accelerations and jerks against products of exponentials differentiated in 60 digits."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import mstmm
from mstmm.errors import UsageError

#: Kind, axis (of length one in decimals), a point of it, pitch.
SCREWS = [
    ("revolute", [0.6, -0.8, 0.0], [0.3, 0.1, -0.2], 0.0),
    ("helical", [0.0, 0.6, 0.8], [0.1, 0.5, 0.2], 0.07),
    ("prismatic", [-0.8, 0.0, 0.6], [0.0, 0.0, 0.9], 0.0),
    ("revolute", [0.0, 0.0, -1.0], [0.4, -0.3, 0.6], 0.0),
]
REPRESENTATIONS = ("body", "spatial", "hybrid", "mixed")


def arm(folder: Path) -> Any:
    parts = ['name = "arm"\ndimension = 3\ngravity = [0, 0, -9.81]\n']
    for k, (kind, axis, through, pitch) in enumerate(SCREWS):
        parts.append(
            f"[bodies.b{k}]\nmass = 1\ninertia = [1, 1, 1, 0, 0, 0]\n"
            f'[hinges.h{k}]\nkind = "{kind}"\nparent = "{f"b{k - 1}" if k else "ground"}"\n'
            f'child = "b{k}"\naxis = {axis}\nthrough = {through}\npitch = {pitch}\n'
        )
    (folder / "arm.toml").write_text("".join(parts))
    return mstmm.load(folder / "arm.toml")


def exponential(screw: Any, q: Any) -> Any:
    """exp(Y q), Y = (e, s × e + h e), of a slider (0, e): SPEC-003, 1.3."""
    kind, axis, through, pitch = screw
    e = [mpmath.mpf(str(x)) for x in axis]
    s = [mpmath.mpf(str(x)) for x in through]
    w = [mpmath.mpf(0)] * 3 if kind == "prismatic" else e
    lever = [s[(i + 1) % 3] * e[(i + 2) % 3] - s[(i + 2) % 3] * e[(i + 1) % 3] for i in range(3)]
    m = (
        e
        if kind == "prismatic"
        else [x + mpmath.mpf(str(pitch)) * y for x, y in zip(lever, e, strict=True)]
    )
    Y = mpmath.matrix(
        [[0, -w[2], w[1], m[0]], [w[2], 0, -w[0], m[1]], [-w[1], w[0], 0, m[2]], [0, 0, 0, 0]]
    )
    return mpmath.expm(q * Y, method="taylor")


def coordinates(t: Any, order: int) -> list[Any]:
    """q_k = sin(a t + b), and its derivatives."""
    found = []
    for k in range(len(SCREWS)):
        a, b = mpmath.mpf(k + 2) / 2, mpmath.mpf(k) / 3
        found.append(a**order * mpmath.sin(a * t + b + order * mpmath.pi / 2))
    return found


def pose(t: Any, body: int) -> Any:
    C = mpmath.eye(4)
    for screw, q in zip(SCREWS[: body + 1], coordinates(t, 0), strict=False):
        C = C * exponential(screw, q)
    return C


def twist(t: Any, body: int, of: str) -> Any:
    """By definition (SPEC-003, 1.4): C⁻¹Ċ, Ċ C⁻¹, (ω, ṙ) in inertial axes, and mixed."""
    h = mpmath.mpf(10) ** -20
    C, rate = pose(t, body), (pose(t + h, body) - pose(t - h, body)) / (2 * h)
    hats = {"body": mpmath.inverse(C) * rate, "spatial": rate * mpmath.inverse(C)}

    def parts(hat: Any) -> tuple[list[Any], list[Any]]:
        return [hat[2, 1], hat[0, 2], hat[1, 0]], [hat[i, 3] for i in range(3)]

    if of in hats:
        return mpmath.matrix([*itertools.chain(*parts(hats[of]))])
    angular, _ = parts(hats["spatial" if of == "hybrid" else "body"])
    return mpmath.matrix([*angular, *(rate[i, 3] for i in range(3))])


@pytest.mark.parametrize("of", REPRESENTATIONS)
def test_motions_are_those_of_products_of_exponentials(of: str, tmp_path: Path) -> None:
    with mpmath.workdps(60):
        t, k, body = mpmath.mpf("0.7"), mpmath.mpf(10) ** -10, len(SCREWS) - 1
        here, after, before = (twist(t + s * k, body, of) for s in (0, 1, -1))
        expected = [here, (after - before) / (2 * k), (after - 2 * here + before) / k**2]
        states = [np.array(coordinates(t, j), dtype=float) for j in range(4)]
    solver = mstmm.compile(arm(tmp_path), target="numpy")
    found = solver.kinematics(*states, frames=f"b{body}", representation=of)
    for got, right in zip((found.twists, found.accelerations, found.jerks), expected, strict=True):
        right = np.array([float(x) for x in right])
        np.testing.assert_allclose(got, right, rtol=0, atol=1e-13 * np.abs(right).max())


@pytest.mark.parametrize("name", ["spatial-tree", "double-pendulum"])
def test_jerks_are_rates_of_accelerations(name: str) -> None:
    """All hinge kinds of the tree, in the plane and in space: differences along the motion."""
    solver = mstmm.compile(name, target="numpy")
    rng = np.random.default_rng(0)
    n, h = len(solver.speeds), 1e-5
    q, v, a, jerk = np.array(solver.model.q0), *rng.uniform(-1, 1, (3, n))
    frames = list(solver.bodies)

    def moved(s: float) -> Any:
        """The state after s, by Runge and Kutta, whose error is that of the fifth power."""

        def rate(q: Any, t: float) -> Any:
            return solver.rates(q, v + a * t + jerk * t**2 / 2)

        k1 = rate(q, 0)
        k2 = rate(q + s / 2 * k1, s / 2)
        k3 = rate(q + s / 2 * k2, s / 2)
        k4 = rate(q + s * k3, s)
        place = q + s / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return place, v + a * s + jerk * s**2 / 2, a + jerk * s

    found = solver.kinematics(q, v, a, jerk, representation="hybrid")
    given = {"frames": frames, "representation": "hybrid"}
    np.testing.assert_allclose(found.twists, solver.frame_velocities(q, v, **given), atol=1e-13)
    np.testing.assert_allclose(
        found.accelerations, solver.frame_accelerations(q, v, a, **given), atol=1e-12
    )
    sides = [solver.frame_accelerations(*moved(s), **given) for s in (h, -h)]
    expected = (sides[0] - sides[1]) / (2 * h)
    np.testing.assert_allclose(found.jerks, expected, atol=1e-7 * np.abs(expected).max())


def test_what_is_not_given_is_zero_and_what_is_unknown_is_named() -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    q, v = np.zeros((5, 2)), np.ones((5, 2))
    found = solver.kinematics(q, v)
    assert found.jerks.shape == (5, 2, 6)
    full = solver.kinematics(q, v, np.zeros(2), np.zeros(2))
    assert np.array_equal(found.jerks, full.jerks)
    with pytest.raises(UsageError, match="no representation 'mixd'"):
        solver.kinematics(q, v, representation="mixd")
    with pytest.raises(UsageError, match="no frame 'b9'"):
        solver.kinematics(q, v, frames="b9")
