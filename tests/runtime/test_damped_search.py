"""The search for complex eigenvalues by winding numbers, on full matrices: none is lost."""

from __future__ import annotations

import numpy as np
import pytest
from dense_damped import DenseDamped, damped_at_random

from mstmm.errors import NumericsError
from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.vibration.spectra.continued import found_along
from mstmm.runtime.vibration.spectra.growth import growth
from mstmm.runtime.vibration.spectra.spectrum import (
    Spectrum,
    found_in,
    found_within,
    radius_of,
    surveyed,
)
from mstmm.runtime.vibration.spectra.winding import Boxes
from mstmm.runtime.vibration.spectra.zeros import APART, SMALLER, _parted
from mstmm.runtime.vibration.stiffness import Complex


def within(stiffness: DenseDamped, radius: float) -> Spectrum:
    (found,) = found_within(stiffness, surveyed(stiffness), radius)
    return found


def one(box: list[float]) -> Boxes:
    return Boxes(np.array([box]), np.zeros(1, dtype=np.int64))


def residuals(stiffness: DenseDamped, found: Spectrum) -> Floats:
    """|A(s) u| beside the same a little off."""
    pairs = zip(found.values, found.modes, strict=True)
    both = [
        np.linalg.norm(stiffness.at(np.array([s, 1.3 * s + 1e-3])) @ u, axis=1) for s, u in pairs
    ]
    return np.array([at / beside for at, beside in both])


@pytest.mark.parametrize("part", range(5))
def test_random_systems_have_as_many_as_turns_and_as_qz_finds(part: int) -> None:
    """50 of them, of 1 to 10 freedoms, some overdamped, some with eigenvalues that grow."""
    for seed in range(10 * part, 10 * part + 10):
        stiffness = damped_at_random(1 + seed % 10, seed)
        reference = stiffness.eigenvalues_by_qz()
        found = within(stiffness, 1.1 * np.abs(reference).max())
        assert found.number == found.held == len(reference)
        for s in found.values:
            assert np.abs(reference - s).min() < 2e-11 * abs(s)  # QZ: 6e-13 by the worst
        assert residuals(stiffness, found).max() < 1e-11


def turned_about(M: Floats, C: Floats, K: Floats) -> DenseDamped:
    """The same in other coordinates."""
    turn = np.random.default_rng(1).standard_normal(M.shape)
    return DenseDamped(*(turn.T @ x @ turn for x in (M, C, K)))


def test_equal_and_defective_ones() -> None:
    """A freedom with critical damping, two that are equal, and one without damping."""
    stiffness = turned_about(
        np.eye(4), np.diag([4.0, 0.2, 0.2, 0.0]), np.diag([4.0, 9.0, 9.0, 25.0])
    )
    found = within(stiffness, 6.0)
    pair = -0.1 + 1j * np.sqrt(9 - 0.01)
    np.testing.assert_allclose(found.values, [-2, pair, pair, 5j], rtol=1e-11)
    assert found.multiplicity.tolist() == [2, 2, 2, 1]
    assert found.values[0].imag == 0
    assert np.linalg.matrix_rank(found.modes[1:3], tol=0.1) == 2
    assert residuals(stiffness, found).max() < 1e-12


def test_what_nothing_resists_is_zero() -> None:
    """Two discs that turn freely, damped between each other, and one that only creeps to rest."""
    M, K = np.diag([1.0, 2.0, 3.0]), np.zeros((3, 3))
    K[:2, :2] = [[5, -5], [-5, 5]]
    stiffness = DenseDamped(M, np.diag([0.0, 0.0, 0.6]), K)
    survey = surveyed(stiffness)
    assert survey.at_zero == 3  # 0 twice of the discs, as a place and a speed, and once of a place
    found = within(stiffness, radius_of(stiffness, survey, 6))
    np.testing.assert_allclose(found.values, [0, 0, -0.2, 1j * np.sqrt(7.5)], rtol=1e-13)
    assert found.multiplicity.tolist() == [3, 3, 1, 1]
    np.testing.assert_allclose(found.modes[:2], [[0, 0, 1], [1, 1, 0]], atol=1e-8)


def test_a_slow_one_is_not_zero() -> None:
    """10⁻⁸ of the other, which doubles tell where it is alone."""
    stiffness = DenseDamped(np.eye(1), np.array([[1.0]]), np.array([[1e-8]]))
    survey = surveyed(stiffness)
    assert survey.at_zero == 0
    found = within(stiffness, 2.0)
    np.testing.assert_allclose(found.values, [-1e-8, -1 + 1e-8], rtol=1e-7)


def test_in_a_box() -> None:
    stiffness = damped_at_random(12, 8)
    reference, survey = stiffness.eigenvalues_by_qz(), surveyed(stiffness)
    upper = reference[reference.imag > 0]
    middle = np.sort(upper.imag)[5]
    box = [upper.real.min() - 1, 1.0, middle + 1e-3, 2 * upper.imag.max()]
    (found,) = found_in(stiffness, survey, one(box))
    assert found.number == len(found.values) == (upper.imag > middle + 1e-3).sum() > 2
    with pytest.raises(NumericsError, match="on the edge"):
        found_in(stiffness, survey, one([*box[:2], found.values[0].imag, box[3]]))


def test_at_many_parameters_at_once() -> None:
    """As at each alone, with one that is unstable among them."""
    stiffness = damped_at_random(6, 1)
    turn = np.random.default_rng(0).standard_normal((6, 6))
    stiffness.G = turn
    parameters = np.array([[0.0], [0.3], [3.0]])
    found = found_within(stiffness, surveyed(stiffness), 1e4, parameters)
    for p, each in zip(parameters[:, 0], found, strict=True):
        reference = stiffness.eigenvalues_by_qz(p)
        assert each.number == each.held == len(reference) == 12
        for s in each.values:
            assert np.abs(reference - s).min() < 1e-11 * abs(s)
    assert (found[0].values.real < 0).all()
    assert (found[2].values.real > 0).any()


@pytest.mark.parametrize("seed", range(3))
def test_along_a_parameter_as_qz_finds_at_each(seed: int) -> None:
    """Some cross the region's edge on the way, some meet: none is lost, none is listed twice."""
    stiffness = damped_at_random(6, 3 * seed + 1)
    turn = np.random.default_rng(seed).standard_normal((6, 6))
    stiffness.G = turn - turn.T
    parameters = np.linspace(0, 2, 50)[:, np.newaxis]
    each = [stiffness.eigenvalues_by_qz(p) for p in parameters[:, 0]]
    radius = float(np.median([np.abs(x[7]) for x in each]))
    survey = surveyed(stiffness)
    stiffness.points = 0
    found_within(stiffness, survey, radius, parameters)
    alone, stiffness.points = stiffness.points, 0
    found = found_along(stiffness, survey, radius, parameters)
    assert stiffness.points < alone / 3
    for own, reference in zip(found, each, strict=True):
        known = reference[(np.abs(reference) <= radius) & (reference.imag > -1e-9)]
        assert len(own.values) == len(known)
        for s in known:
            assert np.abs(own.values - s).min() < 1e-10 * abs(s)
    held = {len(x.values) for x in found}
    assert len(held) > 1


class Lying(DenseDamped):
    """Whose determinant has a zero that jumps away when it is looked at from near."""

    def determinants(
        self, s: Complex, parameters: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        size, angle, pivot = super().determinants(s, parameters)
        far = s - (0.3 + 2j)
        far = np.where(np.abs(far) < 0.2, 1.0, far)
        return size + np.log(np.abs(far)), angle + np.angle(far), pivot


def test_a_list_that_is_not_whole_is_refused() -> None:
    stiffness = Lying(np.eye(2), np.diag([0.1, 0.2]), np.diag([1.0, 9.0]))
    box = one([-1.0, 1.0, 0.5, 4.0])
    with pytest.raises(NumericsError, match=r"not be whole|do not add up"):
        found_in(stiffness, surveyed(DenseDamped(stiffness.M, stiffness.C, stiffness.K)), box)


@pytest.mark.parametrize("seed", [3, 6, 9, 27])
def test_how_many_grow(seed: int) -> None:
    stiffness = damped_at_random(1 + seed % 10, seed)
    reference = stiffness.eigenvalues_by_qz()
    found = growth(stiffness, len(reference))
    assert found == ((reference.real > 0).sum(), 0, np.inf)


def test_what_is_not_damped_neither_grows_nor_decays() -> None:
    """Two free discs, of which one is damped; and a top that only its spin holds upright."""
    M, K = np.diag([1.0, 2.0, 3.0]), np.zeros((3, 3))
    K[:2, :2] = [[5, -5], [-5, 5]]
    stiffness = DenseDamped(M, np.diag([0.0, 0.0, 0.6]), K)
    assert growth(stiffness, None)[:2] == (0, 5)  # 0 three times, and a pair on the axis
    top = DenseDamped(np.eye(2), np.array([[0.0, 3], [-3, 0]]), -np.eye(2))
    assert growth(top, 4) == (0, 4, np.inf)
    top.C += 0.01 * np.eye(2)  # damping brings it down: Kelvin and Tait
    assert growth(top, 4) == (2, 0, np.inf)


def oil_film(k: float, c: float, x: float, e: float) -> DenseDamped:
    """A journal in an oil film, whose stiffness k, e k is crossed by x."""
    return DenseDamped(np.eye(2), c * np.eye(2), np.array([[k, x], [-x, e * k]]))


def test_growth_of_frequencies_that_are_nearly_equal() -> None:
    """20 oil films, of which some grow: one pair grows by what the other decays faster."""
    random, told = np.random.default_rng(1), set()
    for _ in range(20):
        k, ratio = 10 ** random.uniform(1, 6), 10 ** random.uniform(-5, -1)
        c = 2 * ratio * np.sqrt(k)
        x = c * np.sqrt(k) * 10 ** random.uniform(-2, 0.7)
        film = oil_film(k, c, x, random.choice([1.0, 1.01, 1.001]))
        reference = film.eigenvalues_by_qz()
        grow = int((reference.real > 0).sum())
        assert growth(film, 4) == (grow, 0, np.inf)
        told.add(grow)
    assert told == {0, 2}


@pytest.mark.parametrize("k", [100.0, 800.0])
def test_growth_of_equal_frequencies(k: float) -> None:
    """Closed forms: s = −c/2 ± √(c²/4 − k ± i x), at the limit x = c √k; twice without x."""
    assert growth(oil_film(k, 0.01, 0.05, 1.0), 4) == (0, 0, np.inf)
    assert growth(oil_film(k, 0.01, 0.01 * np.sqrt(k), 1.0), 4) == (0, 2, np.inf)
    for c, expected in ((0.0, (0, 4)), (1e-3, (0, 0)), (-1e-3, (4, 0)), (-1e-6, (4, 0))):
        assert growth(oil_film(k, c, 0.0, 1.0), 4)[:2] == expected
    assert growth(oil_film(k, 0.0, 1e-7 * k, 1.0), 4) == (2, 0, np.inf)


def test_growth_of_what_conserves_energy_by_chance() -> None:
    """A force that follows, too small to bring two frequencies together: all stay on the axis."""
    circulating = DenseDamped(np.eye(2), np.zeros((2, 2)), np.array([[800.0, 49.9], [-49.9, 900]]))
    assert growth(circulating, 4) == (0, 4, np.inf)
    circulating.K[:] = [[800.0, 50.0], [-50.0, 900.0]]
    with pytest.raises(NumericsError, match="not told"):
        growth(circulating, 4)


def test_those_on_the_edge_of_where_they_are_counted() -> None:
    """s = −1, −10 twice and (−3 ± 4 i)/5: as large as what is counted, which is by powers of 10."""
    for C, K in ((2.0, 1.0), (20.0, 100.0), (1.2, 1.0), (0.4 / 2, 0.02 / 2), (0.0, 1e4)):
        stiffness = DenseDamped(np.eye(1), np.array([[C]]), np.array([[K]]))
        found = within(stiffness, radius_of(stiffness, surveyed(stiffness), 2))
        assert found.held == found.number == 2
        np.testing.assert_allclose(found.values, -C / 2 + np.emath.sqrt(C * C / 4 - K), rtol=1e-7)


def test_zeros_of_which_each_is_near_the_next_are_one_group() -> None:
    places = np.array([0.0, 0.8, 1.6]) * APART + 0.1
    sums = np.array([(places**k).sum() for k in (1, 2, 3)], dtype=complex)
    ((middle, count, radius),) = _parted(sums, paired=False)
    assert (count, radius) == (3, SMALLER)
    assert middle == pytest.approx(places.mean(), rel=1e-9)
