"""Single states in singular positions of the loops: their limit along the speeds, or an error."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from compiler import needs_compiler
from overconstrained_models import bricard
from singular_models import GRAVITY, T_END, followed, posts, row_of_four_bars

import mstmm
from mstmm.errors import SingularPositionError
from mstmm.model import Model
from mstmm.model.files.toml import from_text
from mstmm.runtime.evaluation.lost import loops_lost
from mstmm.runtime.solver import Solver

ROW = row_of_four_bars(1)

#: One post is three times as heavy, so that the bars fall apart where a condition is lost.
MODEL = replace(
    ROW,
    bodies=tuple(
        replace(x, mass=3 * x.mass, inertia=3 * x.inertia) if x.name == "post1" else x
        for x in ROW.bodies
    ),
)

#: The direction in which the parallelogram moves: posts and level bar turn against each other.
ALONG = np.sign(MODEL.q0)

TARGETS = [
    pytest.param("c", marks=needs_compiler),
    pytest.param("c-batch", marks=needs_compiler),
    "numpy",
]


@cache
def solver(target: str, algorithm: str = "riccati") -> Solver:
    return mstmm.compile(MODEL, algorithm=algorithm, target=target)


def limit(x: float) -> np.ndarray:
    """Lagrange: (1/3 + 3/3 + 1) θ'' = −g (1/2 + 3/2 + 1) cos θ."""
    return ALONG * (-3.0 * GRAVITY / (7.0 / 3.0) * np.cos(x))


def place(x: float) -> np.ndarray:
    """The parallelogram at an angle, closed but for rounding."""
    return x * ALONG + 1e-14 * np.array([0.3, -1.0, 0.7])


@pytest.mark.parametrize("algorithm", ["riccati", "dca", "hdca"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2])
def test_accelerations_are_the_limit_along_the_speeds(
    x: float, target: str, algorithm: str
) -> None:
    # a gap of 1e-14 m turns the speeds by 1e-14 / (3e-3)² beside it: 2e-8 rad/s² of accelerations
    found = solver(target, algorithm).accelerations(place(x), -2.0 * ALONG)
    assert found == pytest.approx(limit(x), abs=1e-7)


@pytest.mark.parametrize("target", TARGETS)
def test_so_they_are_in_batches_and_of_the_right_hand_side(target: str) -> None:
    x = np.array([0.5, 0.0, 1e-6, -0.3])
    found = solver(target).accelerations([place(each) for each in x], np.tile(1.5 * ALONG, (4, 1)))
    assert found == pytest.approx(np.array([limit(each) for each in x]), abs=1e-7)
    rates = solver(target).rhs(0.0, np.concatenate([place(1e-6), 1.5 * ALONG]))
    assert rates == pytest.approx(np.concatenate([1.5 * ALONG, limit(1e-6)]), abs=1e-7)


@pytest.mark.parametrize("algorithm", ["riccati", "dca", "hdca"])
def test_loads_are_those_of_states_beside_it(algorithm: str) -> None:
    """Posts of equal weight fall together, so that the level bar is not pulled."""
    made = mstmm.compile(ROW, algorithm=algorithm, target="numpy")
    here, *beside = (made.joint_loads(x * ALONG, -2.0 * ALONG) for x in (0.0, -1e-2, 1e-2))
    # even in the distance, of which the square is 1e-4
    assert here == pytest.approx(np.mean(beside, axis=0), abs=1e-2)


def test_loads_that_grow_beyond_all_bounds_are_an_error_there_and_right_beside_it() -> None:
    """What keeps posts of unequal weight together pulls along the bars: with 1 / x."""
    made = solver("numpy")
    with pytest.raises(SingularPositionError, match="loads grow beyond all bounds"):
        made.joint_loads(0.0 * ALONG, -2.0 * ALONG)
    states = (1e-4 * ALONG, 1e-2 * ALONG)
    pulls = [np.abs(made.joint_loads(q, -2.0 * ALONG)).max() for q in states]
    assert pulls[0] == pytest.approx(100.0 * pulls[1], rel=0.1)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("x", [0.0, 1e-9])
def test_what_no_branch_decides_is_an_error(x: float, target: str) -> None:
    still, odd = 0.0 * ALONG, np.array([1.0, 2.0, -0.5])
    J = solver("numpy").jacobian(still)
    odd = odd - np.linalg.pinv(J, rcond=1e-9) @ J @ odd  # closed at first order, as all branches
    with pytest.raises(SingularPositionError, match="at rest it does not say which"):
        solver(target).accelerations(x * ALONG, still)
    with pytest.raises(SingularPositionError, match="its speeds belong to none"):
        solver(target).accelerations(x * ALONG, odd)
    with pytest.raises(SingularPositionError, match="of state 1 are a singular position"):
        solver(target).accelerations([0.5 * ALONG, x * ALONG], still)


def beside_each_other() -> Model:
    """Three parallelograms, and two wheels with two rods, of whose conditions one is redundant."""
    text = ['name = "several"', "dimension = 2", "gravity = [0, -9.81]"]
    text += ['cuts = ["C0", "C1", "C2", "A", "B"]', "[ground.points]"]
    text += [f"g{k} = {{ position = [{k}, 0] }}" for k in range(8)]
    rod = "mass = 1\ninertia = 0.1\ncentre = [0.5, 0]"
    hinges = []
    for k in range(3):
        for name in (f"p{k}", f"r{k}", f"s{k}"):
            text += [f"[bodies.{name}]", rod, "points = { l = {}, e = { position = [1, 0] } }"]
        hinges += [(f"P{k}", f"ground:g{2 * k}", f"p{k}:l"), (f"S{k}", f"p{k}:e", f"s{k}:l")]
        hinges += [(f"R{k}", f"ground:g{2 * k + 1}", f"r{k}:l"), (f"C{k}", f"s{k}:e", f"r{k}:e")]
    for name in ("w", "x"):
        text += [f"[bodies.{name}]", "mass = 1", "inertia = 1", f"[bodies.{name}.points]"]
        text += ["o = {}", "a = { position = [0.5, 0.2] }", "b = { position = [0, 0.5] }"]
        hinges += [(f"O{name}", f"ground:g{6 + (name == 'x')}", f"{name}:o")]
    for name in ("a", "b"):
        text += [f"[bodies.{name}]", rod, "points = { l = {}, e = { position = [1, 0] } }"]
        hinges += [(f"L{name}", f"w:{name}", f"{name}:l"), (name.upper(), f"{name}:e", f"x:{name}")]
    for name, parent, child in hinges:
        text += [f"[hinges.{name}]", 'kind = "pin"', f'parent = "{parent}"', f'child = "{child}"']
    return from_text("\n".join(text))


@pytest.mark.parametrize("algorithm", ["riccati", "dca", "hdca"])
def test_the_loop_that_is_singular_is_named(algorithm: str) -> None:
    model = beside_each_other()
    made = mstmm.compile(model, algorithm=algorithm, target="numpy")
    level = dict.fromkeys(model.coordinates, 0.0)
    for k, angle in enumerate((0.5, 0.0, -0.3)):
        level |= {f"qP{k}": angle, f"qR{k}": angle, f"qS{k}": -angle}
    q = np.array([level[name] for name in model.coordinates])
    with pytest.raises(SingularPositionError, match="position of the loops through C1, or"):
        made.accelerations(q, 0.0 * q)
    with pytest.raises(SingularPositionError, match="position of the loops through C1, which"):
        made.simulate(q, t_end=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_loops_redundant_everywhere_are_not_named(seed: int) -> None:
    """Rows of a loop's J that depend there alone, beside rows that depend everywhere, but for
    rounding."""
    rng = np.random.default_rng(seed)
    alone, shared = rng.normal(size=(2, 1, 6))
    beside = np.vstack([rng.normal(size=(3, 6)), shared, 2.0 * shared])
    here = np.vstack([alone, -alone, beside[2:]]) + 1e-13 * rng.normal(size=(5, 6))
    model, names = beside_each_other(), ["C1_1", "C1_2", "C2_1", "A_1", "B_1"]
    assert loops_lost(model, names, here, beside) == " through C1"
    assert loops_lost(model, names, beside, beside) == ""


def test_momenta_do_not_tell_their_rates_there() -> None:
    with pytest.raises(SingularPositionError, match="momentum_rates cannot be had"):
        solver("numpy", "hdca").momentum_rates(0.0 * ALONG, ALONG)


def test_an_overconstrained_mechanism_is_not_singular_for_that() -> None:
    model: Model = bricard()
    made = mstmm.compile(model, target="numpy")
    run = made.simulate(t_end=0.02, dt=1e-2)
    found = made.accelerations(run.q[-1], run.v[-1])
    assert found == pytest.approx(run.a[-1], abs=1e-9)
    assert np.isfinite(made.accelerations(run.q[0], 0.0 * run.v[0])).all()


@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
@pytest.mark.parametrize(
    ("method", "tolerance", "most"),
    [("RK45", 1e-8, 2e-6), ("DOP853", 1e-10, 2e-7), ("LSODA", 1e-8, 2e-5)],
)
@needs_compiler
def test_scipy_passes_too(algorithm: str, method: str, tolerance: float, most: float) -> None:
    angle, _, crossings = followed(1)
    run = mstmm.compile(ROW, algorithm=algorithm).simulate(
        t_end=T_END, method=method, rtol=tolerance, atol=tolerance, record=0.25
    )
    assert np.abs(run.q[-1][posts(MODEL)] - angle).max() < most
    assert [x.time for x in run.passages] == pytest.approx(crossings, abs=most)


@needs_compiler
def test_scipy_refuses_what_momenta_do_not_tell() -> None:
    with pytest.raises(SingularPositionError, match="simulate with dopri5"):
        solver("c", "hdca").simulate(
            t_end=T_END, method="DOP853", rtol=1e-10, atol=1e-10, record=0.25
        )
