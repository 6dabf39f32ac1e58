"""The search for modes by the count, on full matrices: nothing is lost, and equals are told."""

from __future__ import annotations

import numpy as np
import pytest
from dense_stiffness import DenseStiffness, chain, chain_squares, with_eigenvalues

from mstmm.errors import NumericsError
from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.vibration.finding import found
from mstmm.runtime.vibration.refinement import settled_basis
from mstmm.runtime.vibration.search import NEAR, Located, between, surveyed
from mstmm.runtime.vibration.stiffness import Whole


def test_all_of_a_chain() -> None:
    stiffness, n = chain(40), 40
    modes = found(stiffness, first=None, below=None, prove=False)
    np.testing.assert_allclose(modes.squares, chain_squares(n), rtol=1e-12)  # rounding: 4e-14
    np.testing.assert_allclose(modes.displacements @ modes.displacements.T, np.eye(n), atol=1e-10)
    assert modes.certificate.multiplicity.tolist() == [1] * n
    assert {*modes.certificate.proof} == {"double"}


def test_the_first_ones_and_those_below() -> None:
    stiffness, squares = chain(40), chain_squares(40)
    first = found(stiffness, first=5, below=None, prove=False)
    np.testing.assert_allclose(first.squares, squares[:5], rtol=1e-12)
    assert squares[4] < first.certificate.upper[-1] < squares[5]
    all_counts, stiffness.counts = stiffness.counts, 0
    found(stiffness, first=None, below=None, prove=False)
    assert all_counts < stiffness.counts / 2  # the others were not looked for
    some = found(stiffness, first=None, below=1.0, prove=False)
    np.testing.assert_allclose(some.squares, squares[squares < 1.0], rtol=1e-12)
    assert not found(stiffness, first=None, below=1e-5, prove=False).squares.size


@pytest.mark.parametrize("seed", range(4))
def test_equal_near_zero_and_negative_ones(seed: int) -> None:
    values = [-5.0, -5.0, -1e-3, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-6, 1e3]
    stiffness = with_eigenvalues(values, seed)
    modes = found(stiffness, first=None, below=None, prove=False)
    # K and M, of condition 100, hold the least of them to 1e-16 of the largest.
    np.testing.assert_allclose(modes.squares, values, rtol=1e-9, atol=1e-12)
    assert modes.squares[3:6].tolist() == [0.0] * 3
    assert modes.multiplicity.tolist() == [2, 2, 1, 3, 3, 3, 4, 4, 4, 4, 1, 1]
    mass = modes.displacements @ stiffness.M @ modes.displacements.T
    np.testing.assert_allclose(mass, np.eye(12), atol=1e-6)
    stiff = modes.displacements @ stiffness.K @ modes.displacements.T
    np.testing.assert_allclose(stiff, np.diag(values), atol=1e-6)


def test_a_group_is_not_cut() -> None:
    stiffness = with_eigenvalues([1.0, 2.0, 2.0, 2.0, 3.0], 0)
    assert len(found(stiffness, first=2, below=None, prove=False).squares) == 4


def test_nor_one_among_which_a_point_fell() -> None:
    squares = np.array([-2.0, -1.0, 1.0, 2.0 - 1e-10, 2.0, 2.0 + 1e-10, 2.5, 3.0])
    where = Located(squares, np.array([0, 0, 0, 0, 1, 2, 2, 3]), wanted=1)
    assert [x.tolist() for x in where.places()] == [[2.0 - 1e-10], [2.0 + 1e-10], [2]]
    assert where.ends == (-2.0, 2.5)


def test_narrow_intervals_that_are_near_each_other_are_one_group() -> None:
    squares = np.array([-2.0, -1.0, *(1 + NEAR * np.array([0.0, 0.1, 0.6, 0.7, 9.0])), 3.0])
    where = Located(squares, np.array([0, 0, 0, 1, 1, 2, 2, 3]), wanted=3)
    assert where.groups.tolist() == [1, 1, 2]


def test_where_balls_are_asked_for_they_stand_close() -> None:
    modes = found(
        with_eigenvalues([-1.0, 0.0, 2.0, 2.0, 3.0], 1), first=None, below=None, prove=True
    )
    certificate = modes.certificate
    assert certificate.multiplicity.tolist() == [1, 1, 2, 1]
    assert {*certificate.proof} == {"0 bits"}
    values = np.array([-1.0, 0.0, 2.0, 3.0])
    assert (certificate.lower < values).all()
    assert (values < certificate.upper).all()
    np.testing.assert_allclose(certificate.upper, certificate.lower, rtol=1e-10, atol=1e-10)


class Forgetful(DenseStiffness):
    """Its count says nothing of one eigenvalue where that would be found, and later does."""

    def counted(self, squares: Floats) -> tuple[Whole, Floats]:
        below, pivot = super().counted(squares)
        return np.where((squares > 2.5) & (len(squares) > 4), below - 1, below), pivot


def test_a_list_that_is_not_whole_is_refused() -> None:
    given = with_eigenvalues([1.0, 2.0, 3.0, 4.0], 2)
    with pytest.raises(NumericsError, match="the list would not be whole"):
        found(Forgetful(given.K, given.M), first=None, below=None, prove=False)


def test_points_at_poles_are_moved() -> None:
    # A pole of the first mass alone lies at the middle of the interval.
    stiffness = chain(3)
    at, below, pivot = between(stiffness, np.array([1.0]), np.array([3.0]))
    assert not stiffness.counted(np.array([2.0]))[1][0] > 0.0
    assert at[0] != 2.0
    assert pivot[0] > 1e-3
    assert below[0] == int((chain_squares(3) < at[0]).sum())


def test_rounding_does_not_choose_the_basis() -> None:
    random = np.random.default_rng(3)
    modes = random.standard_normal((3, 8))
    wanted = settled_basis(modes, 8)
    for _ in range(5):
        turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
        np.testing.assert_allclose(settled_basis(turn @ modes, 8), wanted, atol=1e-12)
    first, second = (int(np.abs(x).argmax()) for x in wanted[:2])
    assert wanted[0, first] > 0
    assert np.abs(wanted[1:, first]).max() < 1e-12
    assert abs(wanted[2, second]) < 1e-12 or second == first


@pytest.mark.parametrize("part", [1e-2, 1e-4, 3e-6, 1e-6, 1e-7, 1e-8, 3e-9])
def test_one_that_is_not_wanted_may_be_near_the_last(part: float) -> None:
    """And others that are near each other are told apart, orthogonal by mass."""
    squares = np.array([10.0, 10.0 * (1 + part)])
    stiffness = DenseStiffness(np.diag(squares), np.eye(2))
    below = 10.0 * (1 + part / 2)
    for asked in ({"first": 1, "below": None}, {"first": None, "below": below}):
        one = found(stiffness, **asked, prove=True)
        np.testing.assert_allclose(one.squares, [10.0], rtol=1e-14)
        np.testing.assert_allclose(one.displacements, [[1.0, 0.0]], atol=1e-8)  # 4e-9 at 1e-7
    both = found(stiffness, first=2, below=None, prove=False)
    np.testing.assert_allclose(both.squares, squares, rtol=1e-14)
    np.testing.assert_allclose(both.displacements, np.eye(2), atol=1e-8)
    assert both.multiplicity.tolist() == [1, 1]


def test_many_that_are_near_each_other() -> None:
    """Of 12 within 1e-7, and of 12 at equal distances, whose neighbours are as near as they."""
    for near in (1e-8, 2e-7):
        squares = 1.0 + near * np.arange(12)
        modes = found(with_eigenvalues([*squares, 3.0], 5), first=10, below=None, prove=False)
        np.testing.assert_allclose(modes.squares, squares[:10], rtol=1e-12)
        M = with_eigenvalues([*squares, 3.0], 5).M
        mass = modes.displacements @ M @ modes.displacements.T
        np.testing.assert_allclose(mass, np.eye(10), atol=1e-9)


def test_zero_is_measured_by_what_falls_too() -> None:
    stiffness = DenseStiffness(np.diag([-500.0, -20.0, 1e-15]), np.eye(3))
    modes = found(stiffness, first=None, below=None, prove=False)
    assert modes.squares[2] == 0.0
    where = surveyed(stiffness)
    assert where.below[where.about_zero :][:2].tolist() == [2, 3]


def test_slow_ones_are_not_zero() -> None:
    """Balls tell where doubles see the count move; a proof says how near to zero."""
    values = [-1e-14, 0.05, 1e12]
    slow = DenseStiffness(np.diag(values[1:]), np.eye(2))
    np.testing.assert_allclose(found(slow, first=None, below=None, prove=False).squares, values[1:])
    falls = DenseStiffness(np.diag([values[0], 1.0]), np.eye(2))
    np.testing.assert_allclose(
        found(falls, first=None, below=None, prove=False).squares, [values[0], 1.0]
    )
    less = DenseStiffness(np.diag([1e-20, 1.0]), np.eye(2))
    proven = found(less, first=None, below=None, prove=True)
    assert proven.squares.tolist() == [0.0, 1.0]
    assert proven.certificate.upper[0] < 1e-14


def test_the_largest_ones_are_found() -> None:
    values = [1.0, 1e21, 3e64]
    modes = found(DenseStiffness(np.diag(values), np.eye(3)), first=None, below=None, prove=True)
    np.testing.assert_allclose(modes.squares, [0.0, 0.0, 3e64])


def test_a_proof_covers_all_below_the_limit() -> None:
    class Blind(DenseStiffness):
        def counted(self, squares: Floats) -> tuple[Whole, Floats]:
            below, pivot = super().counted(squares)
            return np.minimum(below, 1), pivot

    given = Blind(np.diag([1.0, 2.0]), np.eye(2))
    with pytest.raises(NumericsError, match=r"below ω² = 3.* there are 2 eigenvalues, but 1 were"):
        found(given, first=None, below=3.0, prove=True)
