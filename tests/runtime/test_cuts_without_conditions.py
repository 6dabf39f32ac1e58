"""Cuts without conditions: an elastic hinge across a loop acts, a free one does nothing.

Every bushing is such a cut. It leaves a tree on which its springs and dampers act.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mstmm
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.runtime.linear.state_space import moved

CASES = Path(__file__).parents[1] / "data" / "cases"


def bushing() -> Model:
    """A pinned bar whose end a bushing holds to the ground."""
    return mstmm.load(str(CASES / "bushing.toml"))


def freed(model: Model) -> Model:
    """The model with a free hinge in the place of its elastic one."""
    hinges = (
        replace(x, kind="free", stiffness=(), damping=(), rest=()) if x.kind == "elastic" else x
        for x in model.hinges
    )
    return replace(model, hinges=tuple(hinges))


def by_hand(angle: float, k: float = 100.0, turning: float = 1.0) -> tuple[float, float]:
    """The bar's acceleration, and its slope: of ½ k |e(θ) − e(0)|² + ½ k_θ θ² and its weight."""
    inertia, weight = 0.1 + 0.25, 9.81 * 0.5
    torque = -weight * np.cos(angle) - k * np.sin(angle) - turning * angle
    slope = weight * np.sin(angle) - k * np.cos(angle) - turning
    return torque / inertia, slope / inertia


@pytest.mark.parametrize("algorithm", ["riccati", "overall", "rnea-body", "derivatives"])
def test_a_bushing_has_the_derivatives_of_the_tree_with_its_force(algorithm: str) -> None:
    solver = mstmm.compile(bushing(), algorithm=algorithm, target="numpy")
    a, slope = by_hand(0.1)
    found = solver.derivatives([0.1], [0.2])
    assert found.a == pytest.approx(a, rel=1e-13)
    assert found.dq[0, 0] == pytest.approx(slope, rel=1e-12)
    A, B = solver.linearize([0.1], [0.2])
    assert pytest.approx(np.array([[0.0, 1.0], [slope, 0.0]]), rel=1e-12) == A
    assert B[1, 0] == pytest.approx(1.0 / 0.35, rel=1e-13)


def test_a_bushing_has_an_equilibrium_and_a_linear_system_there() -> None:
    solver = mstmm.compile(bushing(), target="numpy")
    found = solver.equilibrium()
    assert by_hand(found.q[0])[0] == pytest.approx(0.0, abs=1e-9)
    system = solver.state_space(found.q)
    assert system.poles.imag.max() ** 2 == pytest.approx(-by_hand(found.q[0])[1], rel=1e-10)
    runs = [
        solver.simulate([0.3], [0.0], t_end=0.05, method=method, rtol=1e-10, atol=1e-12)
        for method in ("radau5", "dopri5")
    ]
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-8)


@pytest.mark.parametrize("kind", ["elastic", "free"])
def test_beside_closed_loops_it_counts_too(kind: str) -> None:
    """Along the four-bar's motion the derivatives give how the accelerations change."""
    model = mstmm.load(str(CASES / "bushed_four_bar.toml"))
    solver: Any = mstmm.compile(model if kind == "elastic" else freed(model), target="numpy")
    start = solver.assemble(v0=[1.0, 0.0, 0.0])
    h = 1e-4
    sides = [
        solver.project(start.q + sign * h * start.v, start.v + sign * h * np.array([2.0, 1.0, 3.0]))
        for sign in (1.0, -1.0)
    ]
    found = solver.derivatives(start.q, start.v)
    (q1, v1), (q2, v2) = sides
    expected = (solver.accelerations(q1, v1) - solver.accelerations(q2, v2)) / (2 * h)
    along = found.dq @ (q1 - q2) / (2 * h) + found.dv @ (v1 - v2) / (2 * h)
    assert along == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_a_free_cut_leaves_the_tree_as_it_is() -> None:
    model = freed(bushing())
    tree = replace(model, hinges=model.hinges[:1], cuts=())
    found, expected = (
        mstmm.compile(x, target="numpy").derivatives([0.1], [0.2]) for x in (model, tree)
    )
    for name in ("a", "dq", "dv", "dtau"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-14)


def suspension() -> Model:
    """A wheel on an arm, held to the ground by a bushing in space; a loop that nothing closes."""
    arm, wheel = (
        Body(
            name,
            mass,
            ((0.2, 0.01, 0.0), (0.01, 0.25, 0.02), (0.0, 0.02, 0.15)),
            (0.3, 0.02, 0.01),
            (Point("o", (0, 0, 0)), Point("e", (0.7, 0.1, 0.2))),
        )
        for name, mass in (("arm", 2), ("wheel", 5))
    )
    hinges = (
        Hinge("arm", "revolute", (End(GROUND, "O"), End("arm", "o"))),
        Hinge("knuckle", "ball", (End("arm", "e"), End("wheel", "o"))),
        Hinge(
            "bush",
            "elastic",
            (End(GROUND, "top"), End("wheel", "e")),
            stiffness=(500, 700, 300, 5, 6, 7),
            damping=(10, 20, 5, 0.1, 0.2, 0.3),
        ),
    )
    ground = (Point("top", (0.6, 0.0, 0.5)),)
    return Model(
        "suspension", 3, (arm, wheel), hinges, ground=ground, gravity=(0, 0, -9.81), cuts=("bush",)
    )


def test_in_space_its_derivatives_are_differences_of_accelerations() -> None:
    solver: Any = mstmm.compile(suspension(), target="numpy")
    q = solver.retracted(np.array([0.3, 0.9, 0.1, -0.2, 0.3]))
    v, h = np.array([0.4, -0.3, 0.7, 0.2]), 1e-5
    found = solver.derivatives(q, v)
    for k, unit in enumerate(np.eye(4)):
        places = [moved(solver, q, sign * h * unit) for sign in (1.0, -1.0)]
        sides = [solver.accelerations(x, v) for x in places]
        scale = np.abs(found.dq).max()
        assert (sides[0] - sides[1]) / (2 * h) == pytest.approx(found.dq[:, k], abs=1e-8 * scale)
        sides = [solver.accelerations(q, v + sign * h * unit) for sign in (1.0, -1.0)]
        assert (sides[0] - sides[1]) / (2 * h) == pytest.approx(found.dv[:, k], abs=1e-7)
