"""How many states inputs reach and outputs tell: systems whose counts are known beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mstmm
from mstmm.runtime.linear.staircase import minimal, reached
from mstmm.runtime.linear.state_space import LinearSystem

CASES = Path(__file__).parents[1] / "data" / "cases"
Matrix = np.ndarray

#: Of a chain of masses and springs, the stiffest over the softest spring.
STIFF = 1e4


def turned(rng: np.random.Generator, n: int) -> Matrix:
    """An orthogonal matrix by chance."""
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def known(seed: int) -> tuple[int, Matrix, Matrix]:
    """A system of so many reached states among others, in other coordinates and units.

    Parts by chance, integrators in a row, rates far apart, inputs that do the same.
    """
    rng = np.random.default_rng(seed)
    r, rest, inputs = rng.integers(0, 8), rng.integers(1, 6), rng.integers(1, 4)
    kind, n = seed % 4, r + rest
    own, B = rng.normal(size=(r, r)), rng.normal(size=(r, inputs))
    if kind == 1:
        own, B = np.eye(r, k=1), np.zeros((r, inputs))
        B[-1:] = rng.normal(size=inputs)
    elif kind == 2:
        own *= 10.0 ** rng.uniform(-2, 2, (r, 1))
    elif kind == 3:
        B[:, 1:] = B[:, :1] * rng.normal(size=inputs - 1)
    A = np.block(
        [[own, rng.normal(size=(r, rest))], [np.zeros((rest, r)), rng.normal(size=(rest, rest))]]
    )
    T = turned(rng, n) @ np.diag(10.0 ** rng.uniform(-1, 1, n)) @ turned(rng, n)
    T = np.diag(10.0 ** rng.uniform(-4, 4, n)) @ T if seed % 3 == 0 else T
    B = np.vstack([B, np.zeros((rest, inputs))]) * 10.0 ** rng.uniform(-5, 5, inputs)
    return int(r), T @ A @ np.linalg.inv(T), T @ B


def system(A: Matrix, B: Matrix, C: Matrix) -> LinearSystem:
    sizes = {"x": len(A), "u": B.shape[1], "y": len(C)}
    names = [tuple(f"{name}{k}" for k in range(size)) for name, size in sizes.items()]
    none = np.zeros(0)
    return LinearSystem(A, B, C, np.zeros((len(C), B.shape[1])), *names, none, none, none, ())


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_that_systems_were_built_with(seed: int) -> None:
    for k in range(seed, 200, 4):
        r, A, B = known(k)
        assert system(A, B, B.T).controllable == r, k
        assert system(A.T, B, B.T).observable == r, k


def masses(springs: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Masses in a row from a wall on, a force on the last."""
    n = len(springs)
    stretch = np.eye(n) - np.eye(n, k=-1)
    K = stretch.T @ np.diag(springs) @ stretch
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / weights[:, np.newaxis], np.zeros((n, n))]])
    B = np.zeros((2 * n, 1))
    B[-1] = 1 / weights[-1]
    return A, B


@pytest.mark.parametrize("n", [2, 5, 12])
def test_a_stiff_row_of_masses_is_reached_from_its_end(n: int) -> None:
    """Whatever the units; what stands beside it, tied to nothing, is not."""
    rng = np.random.default_rng(n)
    A, B = masses(STIFF ** rng.uniform(0, 1, n), 10.0 ** rng.uniform(-1, 1, n))
    beside = np.array([[0.0, 1.0], [-3.0, -0.1]])
    A = np.block([[A, np.zeros((2 * n, 2))], [np.zeros((2, 2 * n)), beside]])
    B = np.vstack([B, np.zeros((2, 1))])
    units = 10.0 ** rng.uniform(-3, 3, 2 * n + 2)
    for scale in (np.ones(2 * n + 2), units):
        assert len(reached(A * scale[:, np.newaxis] / scale, B * scale[:, np.newaxis])[0]) == 2 * n


def test_alike_halves_move_apart_unreached() -> None:
    """Two equal masses on equal springs, pushed at a third between them: their difference."""
    K = np.array([[3.0, -1.0, -1.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-K, np.zeros((3, 3))]])
    B = np.eye(6)[:, 3:4]
    assert system(A, B, np.eye(6)).controllable == 4
    assert system(A, B, B.T).observable == 4
    A[4, 1] *= 1.001
    assert system(A, B, np.eye(6)).controllable == 6


def values(A: Matrix, B: Matrix, C: Matrix) -> Iterator[Matrix]:
    """C (s − A)⁻¹ B at some s."""
    for s in (1.3 + 0.4j, -2.1 + 3.0j, 0.2 - 7.0j):
        yield C @ np.linalg.solve(s * np.eye(len(A)) - A, B)


@pytest.mark.parametrize("seed", range(8))
def test_the_minimal_system_has_the_same_transfer_function(seed: int) -> None:
    """Its order is that of the part that was built to be reached and told."""
    rng = np.random.default_rng(seed)
    both, deaf, blind = rng.integers(1, 5), rng.integers(0, 3), rng.integers(0, 3)
    n = both + deaf + blind
    A, parts = rng.normal(size=(n, n)), np.cumsum([both, deaf])
    A[both : parts[1], :both] = A[both : parts[1], parts[1] :] = 0.0  # deaf: nothing drives it
    A[:both, parts[1] :] = A[both : parts[1], parts[1] :] = 0.0  # blind: it drives nothing
    B, C = rng.normal(size=(n, 2)), rng.normal(size=(3, n))
    B[both : parts[1]], C[:, parts[1] :] = 0.0, 0.0
    T = np.diag(10.0 ** rng.uniform(-2, 2, n)) @ turned(rng, n)
    A, B, C = T @ A @ np.linalg.inv(T), T @ B, C @ np.linalg.inv(T)
    least = minimal(A, B, C)
    assert len(least[0]) == both
    # Units a hundred apart each way, and what the solutions lose: 1e-9 of the largest value.
    for there, here in zip(values(A, B, C), values(*least), strict=True):
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-9 * np.abs(there).max())


def test_two_carts_that_nothing_joins() -> None:
    """The force on one reaches its place and speed; its place tells the same two."""
    solver = mstmm.compile(CASES / "two_carts.toml", target="numpy")
    every = solver.state_space()
    assert (every.controllable, every.observable) == (2, 4)
    one = solver.state_space(outputs=["qha"])
    assert (one.controllable, one.observable) == (2, 2)
    A, B, C, D = one.minimal()
    assert (A.shape, B.shape, C.shape, D.shape) == ((2, 2), (2, 1), (1, 2), (1, 1))
    other = solver.state_space(outputs=["qhb"])
    assert other.minimal()[0].shape == (0, 0)


def test_independent_coordinates_of_a_loop_are_all_reached() -> None:
    """A four-bar by its crank: two states; by no input, none."""
    solver = mstmm.compile("four-bar", target="numpy")
    q = solver.equilibrium().q
    by_crank = solver.state_space(q, inputs=["shaft"], outputs=["qshaft"])
    assert (by_crank.controllable, by_crank.observable) == (2, 2)
    assert len(by_crank.minimal()[0]) == 2
    assert solver.state_space(q, inputs=[]).controllable == 0


def test_nothing_is_reached_of_nothing() -> None:
    assert system(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0))).controllable == 0
    assert system(np.eye(2), np.zeros((2, 1)), np.eye(2)).controllable == 0
    assert system(np.zeros((2, 2)), np.eye(2), np.eye(2)).controllable == 2
