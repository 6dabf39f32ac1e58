"""Inverse dynamics and the mass matrix: against the judge of joint coordinates and by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import sympy as sp
from closeness import close
from independent.joints import joint_motion
from independent.tree import Array
from random_models import joint_tree, random_joint_state

import mstmm
from mstmm.codegen.generate import generate
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: Double precision against a dense solve; 1e-12 was seen, of forces of up to some 1000 N.
TOLERANCE = 1e-11


def external_loads(rng: Random, model: Model) -> Array:
    """Moment and force on each body; only those of the plane in the plane."""
    wrenches = np.array([[rng.uniform(-5, 5) for _ in range(6)] for _ in model.bodies])
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    return wrenches


# By hand


def arm(lengths: tuple[float, ...], masses: tuple[float, ...]) -> Model:
    """Planar links pinned one behind the other, their masses at the tips (no inertia)."""
    bodies, hinges = [], []
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        points = (Point("O", (0, 0)), Point("I", (length, 0)))
        bodies.append(Body(str(k), mass, 0, (length, 0), points))
        below = End(GROUND, "O") if k == 1 else End(str(k - 1), "I")
        hinges.append(Hinge(str(k), "pin", (below, End(str(k), "O"))))
    return Model("arm", 2, tuple(bodies), tuple(hinges), (0, -9.81), absolute=False)


def test_two_link_arm() -> None:
    (l1, l2), (m1, m2), g = (0.7, 0.4), (1.5, 0.8), 9.81
    solver = mstmm.compile(arm((l1, l2), (m1, m2)), algorithm="rnea-body", target="numpy")
    q, v, a = (0.3, -1.1), (0.9, -2.0), (1.3, 0.6)
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    coupling = m2 * l2 * (l2 + l1 * c2)
    M = [[m1 * l1**2 + m2 * (l1**2 + 2 * l1 * l2 * c2 + l2**2), coupling], [coupling, m2 * l2**2]]
    close(solver.mass_matrix(q), M)
    far = m2 * l2 * g * np.cos(q[0] + q[1])
    h = [
        -m2 * l1 * l2 * s2 * (2 * v[0] * v[1] + v[1] ** 2)
        + (m1 + m2) * l1 * g * np.cos(q[0])
        + far,
        m2 * l1 * l2 * s2 * v[0] ** 2 + far,
    ]
    close(solver.inverse_dynamics(q, v, a), np.array(M) @ a + h)
    close(solver.inverse_loads(q, v, (0.0, 0.0))[1, 2], h[1])


def lift(kind: str, backward: bool = False) -> Model:
    """One body of 2 kg and 0.3 kg m² about the vertical axis, on a vertical hinge."""
    ends = (End(GROUND, "O"), End("1", "O"))
    inertia = tuple(tuple(0.3 if i == j else 0.0 for j in range(3)) for i in range(3))
    body = Body("1", 2, inertia, (0, 0, 0), (Point("O", (0, 0, 0)),))
    hinge = Hinge("1", kind, ends[::-1] if backward else ends)
    return Model("lift", 3, (body,), (hinge,), (0, 0, -10), absolute=False)


@pytest.mark.parametrize(("backward", "sign"), [(False, 1), (True, -1)])
def test_prismatic_and_revolute(backward: bool, sign: int) -> None:
    """The ground as the hinge's child is pushed down to lift the body."""
    solver = mstmm.compile(lift("prismatic", backward), algorithm="rnea-body", target="numpy")
    close(solver.inverse_dynamics([0.4], [3.0], [1.5]), [2 * 1.5 + sign * 2 * 10])
    close(solver.mass_matrix([0.4]), [[2]])
    close(solver.inverse_loads([0.4], [3.0], [sign * 1.5])[0], [0, 0, 0, 0, 0, -2 * 11.5])
    solver = mstmm.compile(lift("revolute", backward), algorithm="rnea-body", target="numpy")
    close(solver.inverse_dynamics([0.4], [3.0], [1.5]), [0.3 * 1.5])
    close(solver.mass_matrix([0.4]), [[0.3]])


def test_branches_are_apart() -> None:
    """M has no entry for two hinges of which neither carries the other."""
    points = (Point("O", (0, 0)), Point("I", (1, 0)), Point("J", (0, 1)))
    bodies = tuple(Body(name, 1, 0.1, (0.5, 0), points) for name in "123")
    roots = {"1": End(GROUND, "O"), "2": End("1", "I"), "3": End("1", "J")}
    hinges = tuple(Hinge(name, "pin", (root, End(name, "O"))) for name, root in roots.items())
    model = Model("fork", 2, bodies, hinges, (0, -9.81), absolute=False)
    M = mstmm.compile(model, algorithm="rnea-body", target="numpy").mass_matrix([0.1, 0.7, -0.4])
    assert M[1, 2] == M[2, 1] == 0
    assert (M != 0).sum() == 7


# Force laws and driven hinges


def with_laws(rng: Random, dimension: int, driven: bool) -> tuple[Model, Model]:
    """A tree with a force law in each hinge, or one driven hinge; and the same without."""
    kinds = ["pin", "prismatic", "slot"] if dimension == 2 else ["revolute", "cylindrical"]
    plain = joint_tree(rng, dimension, kinds, 4)
    hinges = list(plain.hinges)
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    for k, hinge in enumerate(hinges):
        count = HINGE_KINDS[dimension][hinge.kind].speeds
        if not driven:
            law = (-3 * q - u / 2 + sp.sin(2 * TIME), *[0.25] * (count - 1))
            hinges[k] = replace(hinge, force=law)
        elif k == len(hinges) // 2:
            motion = (sp.sin(3 * TIME) / 2, TIME**2)[:count]
            hinges[k] = replace(hinge, motion=motion)
    return replace(plain, hinges=tuple(hinges), q0=(), v0=()), plain


# Compiled


def test_parameters_stay_arguments() -> None:
    rng = Random(5)
    model = replace(joint_tree(rng, 2, ["pin", "slot"], 3))
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy", parameters=["m", "g"])
    heavy = replace(model, parameters=dict(model.parameters) | {"m": 2.0, "g": 3.0})
    q, v = random_joint_state(rng, model)
    a = [1.0] * len(v)
    found = solver.inverse_dynamics(q, v, a, parameters={"m": 2.0, "g": 3.0})
    baked = mstmm.compile(heavy, algorithm="rnea-body", target="numpy")
    close(found, baked.inverse_dynamics(q, v, a))
    close(solver.mass_matrix(q, parameters={"m": 2.0}), baked.mass_matrix(q))


def lines_of_code(source: str) -> int:
    """Lines but for the tables of numbers."""
    return len(re.sub(r"\[\d+\] = \{[^}]*\};", "", source).splitlines())


def test_long_chains_are_loops() -> None:
    sources = []
    for count in (50, 100):
        generated = generate(arm((0.1,) * count, (0.2,) * count), algorithm="rnea-body")
        sources.append(generated.sources.files["arm_rnea_body.c"])
    assert lines_of_code(sources[0]) == lines_of_code(sources[1]) < 2000


def test_a_long_chain() -> None:
    model = arm((0.1,) * 30, (0.2,) * 30)
    rng = Random(3)
    q, v = random_joint_state(rng, model)
    tau = [rng.uniform(-1, 1) for _ in v]
    a = np.array(joint_motion(model, q, v, tau).accelerations, dtype=float)
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    size = TOLERANCE * np.abs(a).max()
    close(solver.inverse_dynamics(q, v, a), tau, size)
    close(solver.mass_matrix(q) @ a + solver.inverse_dynamics(q, v, 0 * a), tau, size)


# Bad use


def test_an_algorithm_has_what_it_computes() -> None:
    model = arm((1.0,), (1.0,))
    riccati = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    calls: dict[str, list[Callable[[], object]]] = {
        "riccati does not compute .*'rnea-body'": [
            lambda: riccati.inverse_dynamics([0], [0], [0]),
            lambda: riccati.inverse_loads([0], [0], [0]),
            lambda: riccati.mass_matrix([0]),
        ],
        "rnea-body does not compute .*'riccati'": [
            lambda: inverse.accelerations([0], [0]),
            lambda: inverse.joint_loads([0], [0]),
            lambda: inverse.simulate(t_end=1.0),
        ],
    }
    for message, missing in calls.items():
        for call in missing:
            with pytest.raises(UsageError, match=message):
                call()
    with pytest.raises(UsageError, match="no hinge is driven"):
        inverse.inverse_drives([0], [0], [0])
    absolute = mstmm.compile("rod-chain:n=1", target="numpy")
    with pytest.raises(UsageError, match="none does for this model"):
        absolute.mass_matrix([0])
    with pytest.raises(UsageError, match=r"in absolute coordinates, rnea-body .* joint ones"):
        mstmm.compile("rod-chain:n=1", algorithm="rnea-body", target="numpy")


def test_shapes_are_checked() -> None:
    solver = mstmm.compile(arm((1.0,), (1.0,)), algorithm="rnea-body", target="numpy")
    with pytest.raises(UsageError, match="a has the shape"):
        solver.inverse_dynamics([0], [0], [0, 0])
    with pytest.raises(UsageError, match="there is no frame 'moon'"):
        solver.inverse_loads([0], [0], [0], frame="moon")
