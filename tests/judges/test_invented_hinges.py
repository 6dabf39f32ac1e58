"""Kinds of hinges that nobody has heard of, against Lagrange's equations derived in symbols.

Their screws stand still in the link, with a turn and a slide at right angles to it: the point
goes round a circle, so that ω × v does not vanish. No kind of the table has such a screw alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import sympy as sp
from sizes import covered

import mstmm
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.parts.hinge_kinds import ANGLE, HINGE_KINDS, Q1, HingeKind, about, flat

TOLERANCE = 1e-12
RADIUS, PITCH = sp.Rational(2, 5), sp.Rational(3, 10)
CIRCLE = (RADIUS * sp.cos(Q1) - RADIUS, RADIUS * sp.sin(Q1))
#: The second climbs while it goes round.
WAVE = HingeKind("wave", 2, "goes round a circle", (ANGLE,), flat(Q1), CIRCLE)
STAIR = HingeKind(
    "stair", 3, "goes up a spiral stair", (ANGLE,), about(2, Q1), (*CIRCLE, PITCH * Q1)
)
TURN = {2: "pin", 3: "revolute"}

ARM, CENTRE = (0.7, 0.2, 0.1), (0.3, 0.05, -0.1)
#: The axes of a body's far point, turned about the third.
TILT = ((0.6, -0.8, 0.0), (0.8, 0.6, 0.0), (0.0, 0.0, 1.0))
INERTIA = ((0.05, 0.01, 0.0), (0.01, 0.07, -0.02), (0.0, -0.02, 0.09))
GRAVITY = (0.3, -9.81, 0.5)
Q, V = [0.6, -1.1, 0.4], [1.3, -0.8, 0.9]


def chain(kinds: Sequence[str], dimension: int, outwards: bool = True) -> Model:
    """Equal bodies in a row from the ground; the second hinge told from the child's side if not
    `outwards`."""
    d = dimension
    tilt = math.atan2(0.8, 0.6) if d == 2 else TILT
    points = (Point("a", (0.0,) * d), Point("b", ARM[:d], tilt))
    inertia = INERTIA[2][2] if d == 2 else INERTIA
    names = [str(k + 1) for k in range(len(kinds))]
    bodies = tuple(Body(name, 1.5, inertia, CENTRE[:d], points) for name in names)
    before = [End(GROUND, "O"), *(End(name, "b") for name in names)]
    hinges = []
    for k, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        ends = (before[k], End(name, "a"))
        hinges.append(Hinge(f"H{name}", kind, ends if outwards or k != 1 else ends[::-1]))
    ground = (Point("O", (0.0,) * d),)
    return Model("invented", d, bodies, tuple(hinges), GRAVITY[:d], absolute=False, ground=ground)


def pose(kind: str, q: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
    """Rotation and position in space, by hand."""
    c, s = sp.cos(q), sp.sin(q)
    turned = sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    round_ = sp.Matrix([RADIUS * (c - 1), RADIUS * s, PITCH * q if kind == "stair" else 0])
    return turned, round_ if kind in ("wave", "stair") else sp.zeros(3, 1)


def lagrange(kinds: Sequence[str], dimension: int, outwards: bool) -> np.ndarray:
    """d/dt ∂L/∂q̇ = ∂L/∂q in symbols, solved at (Q, V)."""
    count = len(kinds)
    q, v = sp.symbols(f"q1:{count + 1}"), sp.symbols(f"v1:{count + 1}")

    def rate(x: sp.Matrix) -> sp.Matrix:
        return x.applyfunc(lambda f: sum(sp.diff(f, a) * b for a, b in zip(q, v, strict=True)))

    still = (0,) * (3 - dimension)
    arm, centre, gravity = (sp.Matrix([*x[:dimension], *still]) for x in (ARM, CENTRE, GRAVITY))
    R, r, L = sp.eye(3), sp.zeros(3, 1), sp.Integer(0)
    for k, kind in enumerate(kinds):
        if k:
            r, R = r + R * arm, R * sp.Matrix(TILT)
        turned, shift = pose(kind, q[k])
        if k == 1 and not outwards:
            turned, shift = turned.T, -turned.T * shift
        r, R = r + R * shift, R * turned
        at = r + R * centre
        W = R.T * rate(R)
        w, moving = sp.Matrix([W[2, 1], W[0, 2], W[1, 0]]), rate(at)
        kinetic = 1.5 * moving.dot(moving) + w.dot(sp.Matrix(INERTIA) * w)
        L += kinetic / 2 + 1.5 * gravity.dot(at)
    momentum = sp.Matrix([L]).jacobian(v).T
    here = dict(zip((*q, *v), (*Q[:count], *V[:count]), strict=True))
    mass, force = momentum.jacobian(v), sp.Matrix([L]).jacobian(q).T - rate(momentum)
    numbers = [np.array(x.subs(here).evalf(30).tolist(), dtype=float) for x in (mass, force)]
    return np.linalg.solve(numbers[0], numbers[1][:, 0])


@covered(
    1, kind=[pytest.param(kind, id=kind.name) for kind in (WAVE, STAIR)], outwards=[True, False]
)
def test_a_turn_takes_a_slide_along(
    monkeypatch: pytest.MonkeyPatch, kind: HingeKind, outwards: bool
) -> None:
    """On the ground and between bodies, in four representations and forwards."""
    d = kind.dimension
    monkeypatch.setitem(HINGE_KINDS[d], kind.name, kind)  # type: ignore[arg-type]
    kinds = (kind.name, kind.name, TURN[d])
    expected = lagrange(kinds, d, outwards)
    scale = np.abs(expected).max()
    model = chain(kinds, d, outwards)
    for name in ("riccati", "overall"):
        solver = mstmm.compile(model, algorithm=name, target="numpy")
        assert np.abs(solver.accelerations(Q, V) - expected).max() < TOLERANCE * scale, name
    for name in ("rnea-body", "rnea-spatial", "rnea-hybrid", "rnea-mixed"):
        solver = mstmm.compile(model, algorithm=name, target="numpy")
        assert np.abs(solver.inverse_dynamics(Q, V, expected)).max() < TOLERANCE * scale, name
