"""Divide and conquer keeps its digits where light bodies hold heavy ones, or refuses them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from independent.joints import joint_motion
from independent.tree import extended

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.symbolic.methods.divide.digits import refinements


def chain_of(masses: tuple[float, ...], kinds: tuple[str, ...], dimension: int = 2) -> Model:
    """Bodies of one shape and these masses in a row, the first hinged to the ground."""
    flat = (0.0,) * (dimension - 2)
    points = (Point("a", (-0.15, 0.05, *flat)), Point("b", (0.15, 0.1, *flat)))

    def body(k: int, mass: float) -> Body:
        inertia = tuple(tuple(0.02 * mass * (i == j) for j in range(3)) for i in range(3))
        shape = inertia if dimension == 3 else 0.02 * mass
        return Body(f"b{k}", mass, shape, (0.0,) * dimension, points)

    ends = [End(GROUND, "O"), *(End(f"b{k}", "b") for k in range(len(masses)))]
    return Model(
        name="chain",
        dimension=dimension,
        bodies=tuple(body(k, mass) for k, mass in enumerate(masses)),
        hinges=tuple(
            Hinge(f"h{k}", kind, (ends[k], End(f"b{k}", "a"))) for k, kind in enumerate(kinds)
        ),
        gravity=(0.5, -9.81, *flat),
        parameters={},
        absolute=False,
    )


PINS, SLIDES, TURNS = ("pin",) * 3, ("prismatic",) * 2, ("revolute",) * 3


@pytest.mark.parametrize(
    ("masses", "kinds", "dimension", "algorithm"),
    [
        ((1.0, 1e8), PINS[:2], 2, "dca"),
        ((1e12, 1.0, 1e12), PINS, 2, "hdca"),
        ((1.0, 1e12), SLIDES, 2, "dca"),
        ((1.0, 1e12, 1.0), TURNS, 3, "dca"),
    ],
)
def test_accelerations_in_fifty_digits(
    masses: tuple[float, ...], kinds: tuple[str, ...], dimension: int, algorithm: str
) -> None:
    model = chain_of(masses, kinds, dimension)
    some = np.random.default_rng(1)
    q, v = some.uniform(-0.7, 0.7, len(masses)), some.uniform(-1, 1, len(masses))
    exact = joint_motion(model, q, v, arithmetic=extended(50)).accelerations.astype(float)
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    assert np.abs(solver.accelerations(q, v) - exact).max() < 1e-13 * np.abs(exact).max()
    if algorithm == "hdca":
        speeds = solver.velocities(q, solver.momenta(q, v))
        assert np.abs(speeds - v).max() < 1e-11


def test_bodies_of_like_masses_and_light_ones_on_heavy_ones_are_not_refined() -> None:
    assert [refinements(chain_of((1.0, m), PINS[:2])) for m in (1e-12, 1.0, 1e3, 1e6, 1e12)] == [
        0,
        0,
        0,
        1,
        6,
    ]
    assert refinements(chain_of((1e12, 1.0), PINS[:2])) == 0


def with_coupler(factor: float) -> Model:
    """A four-bar whose coupler is so much heavier."""
    model = mstmm.load("four-bar")
    bodies = tuple(
        replace(body, mass=factor * body.mass, inertia=factor * body.inertia)
        if body.name == "coupler"
        else body
        for body in model.bodies
    )
    return replace(model, bodies=bodies)


def test_what_a_loop_holds_is_round_it() -> None:
    """Light crank and rocker hold a heavy coupler, whichever of the hinges is cut."""
    heavy = with_coupler(1e8)
    for cut in (hinge.name for hinge in heavy.hinges):
        assert refinements(replace(heavy, cuts=(cut,), q0=(), v0=())) > 0


def test_a_loop_that_holds_a_heavy_body_keeps_its_digits_or_is_left_to_overall() -> None:
    start = mstmm.compile(with_coupler(1.0), target="numpy").assemble(v0=[0.3, 0, 0])
    one, other = (
        mstmm.compile(with_coupler(1e10), algorithm=name, target="numpy").accelerations(
            start.q, start.v
        )
        for name in ("dca", "overall")
    )
    assert np.abs(one - other).max() < 1e-10 * np.abs(other).max()
    with pytest.raises(UsageError, match=r"dca takes no mass as large .* crank; use overall"):
        mstmm.compile(with_coupler(1e15), algorithm="dca", target="numpy")


@pytest.mark.parametrize("algorithm", ["dca", "hdca"])
def test_masses_that_leave_too_few_digits_are_refused(algorithm: str) -> None:
    wanted = rf"chain: {algorithm} takes no mass as large as that of b1 beyond b0; use riccati"
    with pytest.raises(UsageError, match=wanted):
        mstmm.compile(chain_of((1.0, 1e17), PINS[:2]), algorithm=algorithm, target="numpy")


def test_values_at_run_time_that_no_mobility_is_known_of_are_refused() -> None:
    model = chain_of((1.0, 1.0), PINS[:2])
    mass = sp.Symbol("m", real=True)
    first, second = model.bodies
    model = replace(model, bodies=(first, replace(second, mass=mass)), parameters={"m": 1.0})
    solver = mstmm.compile(model, algorithm="dca", target="numpy", parameters=["m"])
    for value, wanted in ((1e17, "no mass as large"), (1e8, "this code of dca"), (0, "no body wi")):
        with pytest.raises(UsageError, match=f"m = .*chain: .*{wanted}"):
            solver.accelerations([0.1, 0.2], [0.3, 0.4], parameters={"m": value})
