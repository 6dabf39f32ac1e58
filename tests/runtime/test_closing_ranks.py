"""Ranks and pivots of each closing: no loop hides another, and none is lost in rounding."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest
from compiler import needs_compiler
from independent.loops import opened
from loop_models import ladder
from overconstrained_models import bricard
from scipy.integrate import solve_ivp
from scipy.linalg import qr
from test_heavy_bodies import with_coupler

import mstmm
from mstmm.errors import NumericsError
from mstmm.model import Model
from mstmm.model.files import toml
from mstmm.runtime.solver import Solver

LONG = pytest.mark.long

TARGETS = [pytest.param("c", marks=needs_compiler), "numpy"]

#: Three cranks that a level bar joins: how its four hinges turn.
CRANKS, TURNS = ("qHA", "qHB", "qHD", "qHK"), np.array([1.0, 1.0, 1.0, -1.0])

GRAVITY = np.array([0.3, -9.81])


def beside(light: float) -> Model:
    """A four-bar with a coupler so light, beside a level bar on three cranks: one redundant."""

    def bar(name: str, mass: float, length: float) -> list[str]:
        ends = f'l = {{}}, e = {{ position = ["{length}", 0] }}'
        ends += f', m = {{ position = ["{length}/2", 0] }}'
        inertia = f'inertia = "{mass}*{length}**2/12"'
        centre = f'centre = ["{length}/2", 0]'
        return [f"[bodies.{name}]", f"mass = {mass}", inertia, centre, f"points = {{ {ends} }}"]

    pivots = {"g1": 10, "g2": 11.7, "h1": 5, "h2": 6.5, "h3": 8}
    text = ['name = "beside"', "dimension = 2", f"gravity = {GRAVITY.tolist()}"]
    text += ['cuts = ["C", "CB", "CD"]', "[ground.points]"]
    text += [f"{name} = {{ position = [{x}, 0] }}" for name, x in pivots.items()]
    text += bar("P", 1, 1.0) + bar("S", light, 1.2) + bar("R", 1, 1.4)
    text += bar("A", 1, 1.0) + bar("B", 1, 1.0) + bar("D", 1, 1.0) + bar("K", 1, 3.0)
    for name, parent, child in (
        *(("HP", "ground:g1", "P:l"), ("HS", "P:e", "S:l"), ("HR", "ground:g2", "R:l")),
        *(("C", "S:e", "R:e"), ("HA", "ground:h1", "A:l"), ("HB", "ground:h2", "B:l")),
        *(("HD", "ground:h3", "D:l"), ("HK", "A:e", "K:l")),
        *(("CB", "B:e", "K:m"), ("CD", "D:e", "K:e")),
    ):
        text += [f"[hinges.{name}]", 'kind = "pin"', f'parent = "{parent}"', f'child = "{child}"']
    text += ["[start.positions]", "HA = { fixed = 0.7 }", "HK = -0.7", "HB = 0.7", "HD = 0.7"]
    text += ["HP = { fixed = 1.1 }", "HS = -1.0", "HR = 1.2"]
    return toml.from_text("\n".join(text))


@cache
def solver(light: float, target: str, algorithm: str = "riccati") -> Solver:
    return mstmm.compile(beside(light), algorithm=algorithm, target=target)


def state(of: Solver, x: float, speed: float) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The cranks at an angle, the four-bar somewhere at rest; and where the cranks' hinges are."""
    cranks = [of.coordinates.index(name) for name in CRANKS]
    q = np.array(of.assemble().q)
    q[cranks], v = x * TURNS, np.zeros(len(of.speeds))
    v[cranks] = speed * TURNS
    return q, v, cranks


def rate(x: float) -> float:
    """Lagrange, of three bars that turn and one that moves with their ends: 2 x'' = (3/2 + 1) g."""
    return float((3 * 0.5 + 1) * GRAVITY @ [-np.sin(x), np.cos(x)] / 2.0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("light", [1e-6, pytest.param(1.0, marks=LONG)])
def test_a_stiff_loop_hides_no_singular_position_of_another(light: float, target: str) -> None:
    """Its own least pivot is that small everywhere, which says nothing of the cranks'."""
    of = solver(light, target)
    q, v, cranks = state(of, 0.5, -6.0)
    wanted = solve_ivp(
        lambda _, y: [y[1], rate(y[0])],
        *((0.0, 0.3), (0.5, -6.0)),
        **{"rtol": 1e-12, "atol": 1e-13, "dense_output": True},
    ).sol
    run = of.simulate(q, v, t_end=0.3, method="dopri5", rtol=1e-9, atol=1e-9)
    assert np.abs(run.q[-1][cranks] - wanted(0.3)[0] * TURNS).max() < 1e-9
    (passage,) = run.passages
    assert wanted(passage.time)[0] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
def test_single_states_beside_a_stiff_loop_are_the_limit(algorithm: str, target: str) -> None:
    """A gap of 1e-13 m is 8e-13 / x of an acceleration where the condition is taken as it is."""
    of = solver(1e-8, target, algorithm)
    for x in (1e-4, 1e-5, 1e-6):
        q, v, cranks = state(of, x, -2.0)
        q[cranks] += 1e-13 * np.array([0.3, -1.0, 0.7, 0.2])
        assert of.accelerations(q, v)[cranks] == pytest.approx(rate(x) * TURNS, abs=3e-7)


@pytest.mark.parametrize("light", [1e-8, *(pytest.param(x, marks=LONG) for x in (1.0, 1e-6))])
def test_stiff_loops_beside_redundant_ones_in_fifty_digits(light: float) -> None:
    """[[M, Jᵀ], [J, 0]] (a, μ), without its redundant row; M and h of the opened tree."""
    of = solver(light, "numpy")
    q = np.array(of.assemble().q)
    along = np.linalg.svd(of.jacobian(q))[2][5:]
    v = along.T @ np.linspace(1.0, 2.0, len(along))
    tree = mstmm.compile(opened(of.model), algorithm="closed-form", target="numpy")
    M, h, J = tree.mass_matrix(q), tree.bias_forces(q, v), of.jacobian(q)
    step = 1e-4
    turned = [of.jacobian(q + k * step * v) @ v for k in (-2, -1, 1, 2)]
    bias = np.array([1, -8, 8, -1]) @ turned / (12 * step)
    rows = sorted(qr(J.T, mode="r", pivoting=True)[1][:5])  # those of their own
    with mpmath.workdps(50):
        left = mpmath.matrix(np.block([[M, J[rows].T], [J[rows], np.zeros((5, 5))]]).tolist())
        right = mpmath.matrix([*(-h).tolist(), *(-bias[rows]).tolist()])
        exact = np.array(mpmath.lu_solve(left, right).tolist(), dtype=float)[: len(q), 0]
    found = of.accelerations(q, v)
    assert np.abs(found - exact).max() < 1e-10 * np.abs(exact).max()


@pytest.mark.parametrize("target", [*TARGETS, pytest.param("c-batch", marks=needs_compiler)])
def test_each_closing_tells_its_rank_and_pivots(target: str) -> None:
    of = solver(1e-6, target)
    found = of.closings(of.assemble().q)
    assert sorted(x.rank for x in found) == [1, 2, 2]
    assert {x.place for x in found} == {"ground"}
    parts = sorted(x.least for x in found)
    assert parts[0] < 1e-5 < 1e-2 < parts[1]  # of the light coupler alone
    assert max(x.dropped for x in found) < 1e-14
    of = mstmm.compile(ladder(3), target="numpy")
    assert [x.place for x in of.closings(of.assemble().q)] == ["B2", "B1", "ground"]
    assert mstmm.compile("double-pendulum", target="numpy").closings([0.1, 0.2]) == ()


@pytest.mark.parametrize(
    "algorithm", ["riccati", *(pytest.param(x, marks=LONG) for x in ("dca", "hdca"))]
)
def test_what_closings_leave_is_redundant(algorithm: str) -> None:
    of = mstmm.compile(bricard(), algorithm=algorithm, target="numpy")
    q = of.assemble().q
    assert sum(x.conditions - x.rank for x in of.closings(q)) == of.redundant(q) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_that_rounding_takes_away_are_refused(target: str) -> None:
    """A light crank and rocker bear the coupler: Λ loses a condition that J has."""
    start = mstmm.compile(with_coupler(1.0), target="numpy").assemble(v0=[0.3, 0, 0])
    wanted = mstmm.compile(with_coupler(1e10), algorithm="overall", target="numpy")
    known = wanted.accelerations(start.q, start.v)
    near = mstmm.compile(with_coupler(1e10), target=target).accelerations(start.q, start.v)
    assert np.abs(near - known).max() < 1e-4 * np.abs(known).max()
    heavy = mstmm.compile(with_coupler(1e13), target=target)
    with pytest.raises(NumericsError, match=r"1 of the conditions .* close at ground cannot be t"):
        heavy.accelerations(start.q, start.v)
