"""Frequencies and critical speeds by the count of a Hermitian matrix, on full matrices."""

from __future__ import annotations

import numpy as np
import pytest
from dense_damped import DenseDamped, damped_at_random

from mstmm.errors import NumericsError, UsageError
from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.vibration.spectra.counting import Intervals, parted, refined
from mstmm.runtime.vibration.spectra.critical import criticals
from mstmm.runtime.vibration.spectra.whirl import frequencies, undamped
from mstmm.runtime.vibration.stiffness import Whole


def spinning(n: int, seed: int, free: int = 0) -> DenseDamped:
    """M, K and gyroscopic terms at random; so many freedoms are without stiffness."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    M = root @ root.T / n + 0.1 * np.eye(n)
    root = rng.standard_normal((n, n - free))
    K = 100 * (root @ root.T / n + (0.05 * np.eye(n) if not free else 0))
    turn = 0.3 * rng.standard_normal((n, n))
    return DenseDamped(M, np.zeros((n, n)), K, turn - turn.T)


@pytest.mark.parametrize(("n", "free"), [(3, 0), (12, 0), (6, 2)])
def test_all_frequencies_of_many_speeds(n: int, free: int) -> None:
    stiffness, speeds = spinning(n, n, free), np.linspace(0, 8, 33)[:, np.newaxis]
    assert undamped(stiffness, speeds, 30.0)
    listed = frequencies(stiffness, speeds, first=None, below=1e3)
    for (speed,), found in zip(speeds.tolist(), listed, strict=True):
        reference = stiffness.eigenvalues_by_qz(speed).imag
        reference = np.sort(reference[reference > 1e-5])
        np.testing.assert_allclose(found.omegas, reference, rtol=1e-11)  # QZ: 1e-13
        assert found.zero == n - len(reference)
        for omega, u in zip(found.omegas, found.modes, strict=True):
            A = stiffness.at(np.array([1j, 1.3j]) * omega, np.array([[speed]] * 2))
            at, beside = np.linalg.norm(A @ u, axis=1)
            assert at < 1e-9 * beside


def test_the_first_ones_and_equal_ones() -> None:
    """Two discs that whirl forward and backward alike at rest, and hardly otherwise at 10⁻⁸."""
    gyro = np.zeros((4, 4))
    gyro[0, 1], gyro[2, 3] = 0.1, 1.0
    turn = np.random.default_rng(1).standard_normal((4, 4))
    M, K, G = np.eye(4), np.diag([4.0, 4.0, 9.0, 9.0]), gyro - gyro.T
    stiffness = DenseDamped(turn.T @ M @ turn, 0 * M, turn.T @ K @ turn, turn.T @ G @ turn)
    speeds = np.array([[0.0], [1e-8], [1.0]])
    still, slow, fast = frequencies(stiffness, speeds, first=3, below=None)
    for found in (still, slow):
        np.testing.assert_allclose(found.omegas, [2, 2, 3, 3], rtol=1e-8)  # none is cut off
        assert found.multiplicity.tolist() == [2] * 4
        assert np.linalg.matrix_rank(found.modes, tol=1e-2) == 4
    reference = np.sqrt([4.0025, 4.0025, 9.25]) + np.array([-0.05, 0.05, -0.5])
    np.testing.assert_allclose(fast.omegas, reference, rtol=1e-13)


@pytest.mark.parametrize("harmonic", [1, 2])
def test_critical_speeds_directly(harmonic: int) -> None:
    """Against the eigenvalues of n² M − n G′ in terms of K; some freedoms have none."""
    stiffness = spinning(8, 2)
    n, K = harmonic, stiffness.K
    values = np.linalg.eigvals(np.linalg.solve(K, n * n * stiffness.M - 1j * n * stiffness.G)).real
    reference = np.sort(1 / np.sqrt(values[values > 0]))
    found = criticals(stiffness, lambda w: w[:, np.newaxis], harmonic=n, below=1e3)
    np.testing.assert_allclose(found.speeds, reference, rtol=1e-12)
    for speed, u in zip(found.speeds, found.modes, strict=True):
        A = stiffness.at(np.array([1j, 1.2j]) * n * speed, np.array([[speed]] * 2))
        at, beside = np.linalg.norm(A @ u, axis=1)
        assert at < 1e-10 * beside
    some = criticals(stiffness, lambda w: w[:, np.newaxis], harmonic=n, below=reference[3] + 1e-6)
    assert len(some.speeds) == 4


def test_what_is_damped_or_stands_by_its_spin_is_told() -> None:
    assert not undamped(damped_at_random(5, 1), np.zeros((1, 1)), 10.0)
    stiffness = spinning(4, 0)
    stiffness.K -= 1.5 * np.linalg.eigvalsh(stiffness.K)[0] * np.eye(4)
    with pytest.raises(UsageError, match="but for its spin the model would be unstable"):
        frequencies(stiffness, np.array([[0.0], [1.0]]), first=3, below=None)
    stiffness = spinning(6, 6, free=2)
    values, ways = np.linalg.eigh(stiffness.K)
    stiffness.K -= 2 * values[-1] * np.outer(ways[:, -1], ways[:, -1])
    for still in (None, np.zeros((1, 1))):  # two that nothing resists do not hide one
        with pytest.raises(UsageError, match="but for its spin the model would be unstable"):
            frequencies(stiffness, np.array([[0.0], [1.0]]), first=2, below=None, still=still)


def test_a_count_that_falls_is_refused() -> None:
    def count(at: Floats, lanes: Whole) -> tuple[Whole, Floats]:
        return np.where((at > 2) & (at < 4), 3, np.where(at > 6, 2, 0)), np.ones(len(at))

    one = np.zeros(1, dtype=np.int64)
    whole = Intervals(np.array([1.0]), np.array([9.0]), one, one + 2, one)
    with pytest.raises(NumericsError, match="the count falls"):
        parted(count, whole, one + 2)


def test_roots_to_the_last_digits() -> None:
    """Of functions that are hard for secants, and of one with no change of sign."""

    def determinant(x: Floats, lanes: Whole) -> tuple[Floats, Floats]:
        values = np.choose(lanes, [(x - 2) ** 9, np.expm1(40 * (x - 1.7)), x - 3, x * x + 1])
        with np.errstate(divide="ignore"):
            return np.log(np.abs(values)), np.where(values < 0, np.pi, 0.0)

    lanes, one = np.arange(4), np.zeros(4, dtype=np.int64)
    found = refined(determinant, Intervals(one + 1.0, one + 9.0, one, one + 1, lanes))
    np.testing.assert_allclose(found, [2.0, 1.7, 3.0, np.nan], rtol=1e-15)


def test_few_steps_lead_there() -> None:
    """A fifth of what halves take, on curved ways."""
    roots, asked = np.array([1.9, 3.3, 7.7]), []

    def determinant(x: Floats, lanes: Whole) -> tuple[Floats, Floats]:
        asked.append(len(x))
        values = np.expm1(x - roots[lanes]) * (x + 1)
        with np.errstate(divide="ignore"):
            return np.log(np.abs(values)), np.where(values < 0, np.pi, 0.0)

    lanes, one = np.arange(3), np.zeros(3, dtype=np.int64)
    found = refined(determinant, Intervals(one + 1.0, one + 9.0, one, one + 1, lanes))
    assert abs(found - roots).max() < 1e-14
    assert len(asked) < 18
