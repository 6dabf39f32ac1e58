"""Divide and conquer keeps its digits where levers are long against radii of gyration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from divided_models import row
from independent.joints import joint_motion
from independent.tree import extended
from loop_models import four_bar

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model, Point
from mstmm.symbolic.methods.divide.digits import refinements


def state(model: Model, lever: float) -> tuple[np.ndarray, np.ndarray]:
    """Some place, and speeds that a fall gives such levers."""
    some = np.random.default_rng(1)
    q = np.array(model.q0) + some.uniform(-0.7, 0.7, len(model.q0))
    for k, name in enumerate(model.coordinates):
        if name.endswith("_Qw"):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q, some.uniform(-1, 1, len(model.speeds)) / np.sqrt(lever)


@pytest.mark.parametrize(
    ("dimension", "lever", "algorithm"),
    [
        (2, 1e3, "dca"),
        (2, 1e5, "hdca"),
        (3, 1e5, "dca"),
        pytest.param(3, 1e3, "hdca", marks=pytest.mark.slow),
    ],
)
def test_accelerations_in_fifty_digits(dimension: int, lever: float, algorithm: str) -> None:
    model = row(lever, dimension)
    q, v = state(model, lever)
    exact = joint_motion(model, q, v, arithmetic=extended(50)).accelerations.astype(float)
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    found = solver.accelerations(q, v)
    assert np.abs(found - exact).max() < 1e-11 * np.abs(exact).max()
    if algorithm == "hdca":
        speeds = solver.velocities(q, solver.momenta(q, v))
        # in space what a body turns about its own lever errs by the rounding of the lever's moment
        tolerance = 1e-11 if dimension == 2 else 1e-8
        assert np.abs(speeds - v).max() < tolerance * np.abs(v).max()


def test_ordinary_levers_are_not_refined() -> None:
    assert [refinements(row(lever)) for lever in (1.0, 10.0, 1e3, 1e4, 1e5)] == [0, 0, 1, 2, 3]
    assert refinements(four_bar(2)) == refinements(four_bar(3, ("revolute",) * 4)) == 0


def test_a_lever_along_a_thin_rod_turns_it_across_alone() -> None:
    """About its length, of which the inertia is small, a force at its end does not turn it."""
    rod = row(1.0, 3)
    thin = ((1e-6, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    last = replace(rod.bodies[-1], inertia=thin)  # which holds no other
    model = replace(rod, bodies=(*rod.bodies[:-1], last))
    assert refinements(model) == 0


def test_levers_that_leave_nothing_of_the_masses_are_refused() -> None:
    with pytest.raises(UsageError, match=r"row: dca takes no levers as long as those of body0"):
        mstmm.compile(row(1e7), algorithm="dca", target="numpy")


@pytest.mark.parametrize("algorithm", ["dca", "hdca"])
def test_values_at_run_time_that_make_levers_too_long_are_refused(algorithm: str) -> None:
    """What is refused when it is compiled is refused when it is set; so is what needs more care."""
    lever = sp.Symbol("lever", real=True)
    model = replace(
        row(1.0),
        bodies=tuple(
            replace(
                body,
                points=(Point("a", (-lever, sp.Integer(0))), Point("b", (lever, sp.Integer(0)))),
            )
            for body in row(1.0).bodies
        ),
        parameters={"lever": 1.0},
    )
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy", parameters=["lever"])
    entry = solver.accelerations if algorithm == "dca" else solver.momenta
    still = np.zeros(4)
    assert np.isfinite(entry(still, still, parameters={"lever": 10.0})).all()
    with pytest.raises(
        UsageError, match=rf"row: {algorithm} takes no levers as long as those of b"
    ):
        entry(still, still, parameters={"lever": 1e7})
    with pytest.raises(UsageError, match=r"lever = 100000: row: this code of .* compile"):
        entry(still, still, parameters={"lever": 1e5})


def test_a_loop_of_long_levers_stays_closed() -> None:
    """Bars of a kilometre whose masses are at their middles, as riccati moves them."""
    base = four_bar()
    bodies = tuple(
        replace(
            body,
            inertia=0.01,
            centre=tuple(1e3 * x for x in body.centre),
            points=tuple(
                replace(point, position=tuple(1e3 * x for x in point.position))
                for point in body.points
            ),
        )
        for body in base.bodies
    )
    ground = tuple(
        replace(point, position=tuple(1e3 * x for x in point.position)) for point in base.ground
    )
    model = replace(base, bodies=bodies, ground=ground, q0=(0.9, -0.5, -1.0), v0=())
    assert refinements(model) > 0
    one, other = (
        mstmm.compile(model, algorithm=name, target="numpy") for name in ("riccati", "dca")
    )
    start = one.assemble(v0=[0.01, 0, 0])
    expected = one.accelerations(start.q, start.v)
    found = other.accelerations(start.q, start.v)
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()
