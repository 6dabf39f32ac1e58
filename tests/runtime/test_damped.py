"""The dynamic stiffness at complex frequencies, against matrices of the whole system."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from damped_trees import DampedDense, damped_tree, rotor

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.report.derivation import derivation_document
from mstmm.report.documents import plain
from mstmm.report.state import state_of
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness
from mstmm.runtime.vibration.stability import growing
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.algorithms import chosen
from mstmm.symbolic.plans.plan import plan


def frequencies(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.normal(size=count) * 3 + 1j * rng.normal(size=count) * 10


def see_determinants(dense: DampedDense, stiffness: GeneratedComplexStiffness, seed: int) -> None:
    """Δ is det(s² M + s C + K), and loads along speeds move it as that matrix says."""
    rng, n = np.random.default_rng(seed), len(dense.model.speeds)
    s = frequencies(rng, 20)
    (logs, angles, pivots), (known, turns, _) = (
        x.determinants(s) for x in (stiffness, dense.system)
    )
    assert abs(logs - known).max() < 1e-9
    assert abs(np.angle(np.exp(1j * (angles - turns)))).max() < 1e-9
    assert (pivots > 0).all()
    assert (pivots <= 1).all()
    loads = np.zeros((20, stiffness.length), complex)
    loads[:, :n] = rng.normal(size=(20, n)) + 1j * rng.normal(size=(20, n))
    found, expected = stiffness.responses(s, loads), dense.system.responses(s, loads[:, :n])
    assert abs(found[:, :n] - expected).max() < 1e-9 * abs(expected).max()


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 12))]
)
def test_the_determinant_is_that_of_the_whole_system(seed: int, tied: bool) -> None:
    dense = DampedDense(damped_tree(seed, tied=tied), np.array(damped_tree(seed).q0))
    stiffness = GeneratedComplexStiffness(dense.riccati, dense.q)
    see_determinants(dense, stiffness, seed)
    known = dense.system.eigenvalues_by_qz()
    assert growing(dense.riccati, stiffness, dense.q, 0.0) == (known.real > 0).sum()


def test_a_rotor_turns_as_a_hinge_that_is_driven_turns_it() -> None:
    """At two speeds in one batch; its axes do not turn with it, nor does what a law reads."""
    solver = mstmm.compile(
        rotor(), algorithm="damped", target="numpy", parameters=("W",), wrenches=True
    )
    q, rng = np.array(rotor().q0), np.random.default_rng(3)
    stiffness = GeneratedComplexStiffness(solver, q)
    s = frequencies(rng, 6)
    W = np.array([0.0, 30.0, 30.0, 30.0, -55.0, -55.0])
    logs, angles, _ = stiffness.determinants(s, W[:, np.newaxis])
    driven = mstmm.compile(rotor(driven=True), target="numpy", parameters=("W",))
    n = len(driven.speeds)
    inverse = mstmm.compile(rotor(driven=True), algorithm="rnea-body", target="numpy")
    M = inverse.mass_matrix(q)
    loads = np.zeros((len(s), stiffness.length), complex)
    loads[:, :n] = rng.normal(size=(len(s), n))
    found = stiffness.responses(s, loads, W[:, np.newaxis])[:, :n]
    for k, at in enumerate(s):
        A = driven.linearize(q, np.zeros(n), parameters={"W": W[k]})[0]
        whole = at**2 * M - at * M @ A[n:, n:] - M @ A[n:, :n]
        sign, known = np.linalg.slogdet(whole)
        assert logs[k] == pytest.approx(known, abs=1e-9)
        assert abs(np.exp(1j * angles[k]) - sign) < 1e-9
        moved = np.linalg.solve(whole, loads[k, :n])  # which tells the sense of the spin
        assert abs(found[k] - moved).max() < 1e-9 * abs(moved).max()


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_the_code_is_what_the_kernels_say(target: str) -> None:
    """In pairs of real numbers, block by block."""
    solver = mstmm.compile(rotor(), algorithm="damped", target=target, wrenches=True)
    proof = mstmm.validate(solver, points=2)
    assert proof.ok, proof


@pytest.mark.parametrize("seed", [0, 1])
def test_pairs_of_real_numbers_are_the_complex_program(seed: int) -> None:
    """The interpreter runs it in complex numbers, the code in pairs."""
    model = damped_tree(seed, tied=True)
    program, q, n = chosen("damped").program(plan(model)), model.q0, len(model.speeds)
    solver = mstmm.compile(model, algorithm="damped", target="numpy", wrenches=True)
    s = frequencies(np.random.default_rng(seed), 2)
    logs, angles, _ = GeneratedComplexStiffness(solver, np.array(q)).determinants(s)
    for k, at in enumerate(s):
        known = Interpreter(program).results(
            "determine", {"q": q, "v": [0.0] * n, "s": [complex(at)]}
        )
        assert logs[k] == pytest.approx(known["logdet"][0], rel=1e-11)
        assert angles[k] == pytest.approx(known["angle"][0], abs=1e-10)


def test_what_spins_is_refused_by_what_does_not_take_it() -> None:
    for algorithm in ("riccati", "linear"):
        with pytest.raises(UsageError, match="body disc spins about its axis, which damped takes"):
            mstmm.compile(rotor(), algorithm=algorithm, target="numpy")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"centre": (0.1, 0.01, 0.0)}, "must lie on the first axis of a body that spins"),
        ({"inertia": ((1, 0, 0), (0, 2, 0), (0, 0, 3))}, "must be round about the first axis"),
    ],
)
def test_what_spins_is_round(change: dict[str, Any], said: str) -> None:
    model = rotor()
    disc = replace(model.body("disc"), **change)
    others = tuple(disc if body.name == "disc" else body for body in model.bodies)
    with pytest.raises(ModelError, match=said):
        replace(model, bodies=others)


def test_a_derivation_shows_its_numbers_at_a_complex_frequency() -> None:
    """Of one body on a damped spring: m s² + c s + k, as pairs of real numbers."""
    body = Body("mass", 2.0, 0.1, (0.0, 0.0), (Point("at", (0.0, 0.0)),))
    force = (-7 * hinge_symbol("q", 1) - 3 * hinge_symbol("u", 1),)
    hinge = Hinge("slide", "prismatic", (End(GROUND, "O"), End("mass", "at")), force=force)
    model = Model(name="one", dimension=2, bodies=(body,), hinges=(hinge,), gravity=(0.0, 0.0))
    s = -0.5 + 3j
    values = mstmm.derive(model, algorithm="damped").at([0.0], [0.0], s=[s.real, s.imag])
    known = 2 * s**2 + 3 * s + 7
    assert np.ravel(values["logdet"]) == pytest.approx([np.log(abs(known))])
    assert np.ravel(values["angle"]) == pytest.approx([np.angle(known)])
    state = state_of(model, "s = -0.5 + 3i")
    assert state.further == {"s": [-0.5, 3.0]}
    page = derivation_document(mstmm.derive(model, algorithm="damped"), state)
    text = plain.text(page)
    assert "The complex frequency is s = −0.5 + 3 i 1/s." in text
    assert "It agrees with log |det(s² M + s C + K)|" in text
    with pytest.raises(UsageError, match="is no complex number"):
        state_of(model, "s = fast")
