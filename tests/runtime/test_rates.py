"""Rates of inverse dynamics: against differences in 50 digits, and a drive with a spring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb, factorial
from random import Random

import mpmath
import numpy as np
import pytest
import sympy as sp
from acting_models import PARAMETERS, moved, sprung
from compiler import TARGETS
from coupled_models import with_rotors
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state, sized
from test_inverse import arm

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.methods.rates.program import rates_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray

SLOW = (pytest.mark.slow,)

#: Differences at this step, in 50 digits, are right to 22.
STEP = mpmath.mpf(10) ** -12

#: The axes in a random model are orthogonal to double precision only; 5e-14 was seen.
ROUNDED = 1e-12


def motion(rng: Random, count: int) -> Callable[[object, int], Array]:
    """Polynomials of the fourth degree, and their derivatives."""
    c = [np.array([mpmath.mpf(rng.uniform(-1, 1)) for _ in range(count)]) for _ in range(5)]

    def at(t: object, order: int) -> Array:
        terms = [
            factorial(order) * comb(j, order) * c[j] * t ** (j - order) for j in range(order, 5)
        ]
        return sum(terms[1:], terms[0])

    return at


def check(model: Model, rng: Random) -> None:
    """Differences of inverse dynamics along the motion of these speeds from the model's start."""
    with mpmath.workdps(50):
        along = motion(rng, len(model.speeds))
        inverse = Interpreter(inverse_program(plan(model)), digits(50))
        start = np.array([mpmath.mpf(x) for x in model.q0])
        still = {"mu": [mpmath.mpf(0)] * len(inverse.program.sets["conditions"])}

        def rates(q: Array, t: mpmath.mpf) -> Array:
            given = {"q": list(q), "v": list(along(t, 0)), "ad": list(along(t, 1)), "t": [t + 1]}
            return np.array(inverse.results("rates", given | still)["qd"])

        def place(h: mpmath.mpf) -> Array:
            """One step of Runge and Kutta: right to its fifth power."""
            k1 = rates(start, mpmath.mpf(0))
            k2 = rates(start + h / 2 * k1, h / 2)
            k3 = rates(start + h / 2 * k2, h / 2)
            return start + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(start + h * k3, h))

        def tau(t: mpmath.mpf) -> Array:
            given = {"q": list(place(t)), "v": list(along(t, 0)), "ad": list(along(t, 1))}
            found = inverse.results("inverse_dynamics", given | still | {"t": [t + 1]})
            return np.array(found["tau"])

        names = ("v", "ad", "jerk", "snap")
        now = {name: list(along(mpmath.mpf(0), k)) for k, name in enumerate(names)}
        found = Interpreter(rates_program(plan(model)), digits(50)).results(
            "inverse_rates", now | {"q": list(start), "t": [mpmath.mpf(1)]}
        )
        after, here, before = (tau(mpmath.mpf(k) * STEP) for k in (1, 0, -1))
        expected = {
            "tau": here,
            "taud": (after - before) / (2 * STEP),
            "taudd": (after - 2 * here + before) / STEP**2,
        }
        for name, value in expected.items():
            size = max(1.0, float(abs(value).max()))
            assert float(abs(np.array(found[name]) - value).max()) < ROUNDED * size, name


#: Kinds of hinges that have no fixed screw of their own, one after the other.
SEVERAL = [
    pytest.param(d, kind, marks=() if (d, kind) in ((3, "free"), (3, "universal")) else SLOW)
    for d in (2, 3)
    for kind, record in HINGE_KINDS[d].items()
    if record.speeds > 1 or kind == "rack"
]


@pytest.mark.parametrize(("dimension", "kind"), SEVERAL)
def test_hinges_of_several_freedoms(dimension: int, kind: str) -> None:
    """Described from either side, with rotors and a law."""
    rng = Random(f"{dimension} {kind}")
    model = joint_tree(rng, dimension, ["pin" if dimension == 2 else "revolute"], 2)
    inner, outer = model.hinges
    for ends in (inner.ends, inner.ends[::-1]):
        sizes = sized(dimension, kind, rng.uniform(0.1, 0.5))
        hinges = (replace(inner, kind=kind, ends=ends, **sizes), outer)
        varied = replace(model, hinges=hinges, q0=(), v0=())
        q, _ = random_joint_state(rng, varied)
        check(with_rotors(rng, replace(varied, q0=tuple(q))), rng)


def test_through_loops_the_forces_are_those_of_the_tree() -> None:
    rng = Random(1)
    check(four_bar(), rng)


@pytest.mark.parametrize(
    ("dimension", "kinds"), [(3, ["revolute", "prismatic", "helical", "fixed"]), (2, ["pin"])]
)
@pytest.mark.parametrize("seed", range(2))
def test_rates_are_those_of_inverse_dynamics(dimension: int, kinds: list[str], seed: int) -> None:
    rng = Random(seed)
    check(with_rotors(rng, joint_tree(rng, dimension, kinds, 4)), rng)


def test_laws_have_rates_too() -> None:
    """With parameters of names that the kernels use themselves."""
    rng = Random(3)
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    law = (-3 * q**3 - q * u / 2 * parameter("W1") + sp.sin(2 * TIME) * q * parameter("jerk_1"),)
    model = joint_tree(rng, 2, ["pin", "prismatic"], 3)
    hinges = tuple(replace(hinge, force=law) for hinge in model.hinges)
    parameters = {**model.parameters, "W1": 1.2, "jerk_1": 0.7}
    check(replace(model, hinges=hinges, parameters=parameters), rng)


@pytest.mark.parametrize("target", TARGETS)
def test_compiled(target: str) -> None:
    model = sprung(Random(7), joint_tree(Random(5), 3, ["revolute", "helical"], 2))
    solver = mstmm.compile(model, algorithm="inverse-rates", target=target)
    rng = Random(6)
    q, v, a, jerk, snap = (
        np.array([[rng.uniform(-1, 1) for _ in model.speeds] for _ in range(3)]) for _ in range(5)
    )
    found = solver.inverse_rates(q, v, a, jerk, snap)
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    np.testing.assert_allclose(found.tau, inverse.inverse_dynamics(q, v, a), rtol=0, atol=1e-11)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_a_motor_behind_a_spring_by_hand() -> None:
    """One pinned mass: τ = m l² q̈ + m g l cos q, and two rates of it by hand."""
    m, length, g, k, J = 2.0, 0.5, 9.81, 300.0, 0.1
    solver = mstmm.compile(arm((length,), (m,)), algorithm="inverse-rates", target="numpy")
    q, v, a, jerk, snap = 0.3, 0.7, -1.1, 2.0, 0.4
    tau = m * length**2 * a + m * g * length * np.cos(q)
    second = m * length**2 * snap - m * g * length * (np.cos(q) * v**2 + np.sin(q) * a)
    drives = solver.series_elastic([q], [v], [a], [jerk], [snap], stiffness=k, inertia=J)
    np.testing.assert_allclose(drives.angle, [q + tau / k], rtol=1e-14)
    np.testing.assert_allclose(drives.torque, [J * (a + second / k) + tau], rtol=1e-13)
    with pytest.raises(UsageError, match="must be positive"):
        solver.series_elastic([q], [v], [a], [jerk], [snap], stiffness=0.0, inertia=J)
    for name, value, said in (
        ("stiffness", [1.0, 2.0], r"shape \(2,\) instead of \(1,\) or one number"),
        ("inertia", [[1.0]], r"shape \(1, 1\) instead of"),
        ("inertia", -1.0, "must not be negative"),
        ("inertia", float("inf"), "is not finite"),
    ):
        given = {"stiffness": k, "inertia": J, name: value}
        with pytest.raises(UsageError, match=f"{name}.*{said}"):
            solver.series_elastic([q], [v], [a], [jerk], [snap], **given)


def test_what_it_does_not_take_is_refused() -> None:
    model = moved(Random(1), replace(four_bar(), parameters=PARAMETERS))
    with pytest.raises(UsageError, match=r"inverse-rates takes rigid.*without a moving base; rnea"):
        mstmm.compile(model, algorithm="inverse-rates", target="numpy")
