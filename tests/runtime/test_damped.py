"""The dynamic stiffness at complex frequencies, against matrices of the whole system."""

from __future__ import annotations

import numpy as np
import pytest
from damped_trees import DampedDense, damped_tree, rotor

import mstmm
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness


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
@pytest.mark.parametrize("seed", range(12))
def test_the_determinant_is_that_of_the_whole_system(seed: int, tied: bool) -> None:
    dense = DampedDense(damped_tree(seed, tied=tied), np.array(damped_tree(seed).q0))
    see_determinants(dense, GeneratedComplexStiffness(dense.riccati, dense.q), seed)


def test_a_rotor_turns_as_a_hinge_that_is_driven_turns_it() -> None:
    """At two speeds in one batch; its axes do not turn with it, nor does what a law reads."""
    solver = mstmm.compile(rotor(), algorithm="damped", target="numpy", parameters=("W",))
    q, rng = np.array(rotor().q0), np.random.default_rng(3)
    stiffness = GeneratedComplexStiffness(solver, q)
    s = frequencies(rng, 6)
    W = np.array([0.0, 30.0, 30.0, 30.0, -55.0, -55.0])
    logs, angles, _ = stiffness.determinants(s, W[:, np.newaxis])
    driven = mstmm.compile(rotor(driven=True), target="numpy", parameters=("W",))
    n = len(driven.speeds)
    inverse = mstmm.compile(rotor(driven=True), algorithm="rnea-body", target="numpy")
    mass = np.linalg.slogdet(inverse.mass_matrix(q))[1]
    for k, at in enumerate(s):
        A = driven.linearize(q, np.zeros(n), parameters={"W": W[k]})[0]
        sign, known = np.linalg.slogdet(at * np.eye(2 * n) - A)
        assert logs[k] == pytest.approx(known + mass, abs=1e-9)
        assert abs(np.exp(1j * angles[k]) - sign) < 1e-9
