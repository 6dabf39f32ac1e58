"""Winding numbers that are proven in balls, and edges that are moved off eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
from test_campbell import FILM, STIFF

import mstmm
from mstmm.errors import NumericsError
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness
from mstmm.runtime.vibration.spectra import enclosed


def sprung(c: float = 1.2) -> Solver:
    """s² + c s + 1 = 0, of 6/5 at s = −3/5 ± 4/5 i."""
    return mstmm.compile(from_text(STIFF % c), algorithm="damped", target="numpy")


def corners(left: float, right: float, low: float, high: float) -> list[complex]:
    return [complex(x, y) for x, y in ((right, low), (right, high), (left, high), (left, low))]


def test_edges_are_proven_to_a_rounding_beside_an_eigenvalue() -> None:
    pytest.importorskip("flint")
    of = GeneratedComplexStiffness(sprung(), np.zeros(1))
    for beside, number in ((-1e-15, 1), (1e-15, 0)):
        path = corners(-2, 1, 0.8 * (1 + beside), 2)
        assert of.proven([*path, path[0]], mirrored=False) == number
    assert of.proven(corners(-2, 1, 0, 2), mirrored=True) == 2
    of = GeneratedComplexStiffness(sprung(1.25), np.zeros(1))
    assert of.proven(corners(-0.625, 1, 0, 2), mirrored=True) is None


@pytest.mark.parametrize(("left", "number"), [(-0.01, 2), (0.01, 0)])
def test_whole_turns_within_a_part_are_seen(left: float, number: int) -> None:
    """Beside a double zero s² turns by 358°, as if by −2°."""
    pytest.importorskip("flint")
    path = corners(left, 1, -1, 1)
    assert (
        enclosed.proven(lambda s, arg: arg(s**2), [*path, path[0]], [64], mirrored=False) == number
    )


def test_what_takes_too_many_parts_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    monkeypatch.setattr(enclosed, "PARTS", 5)
    with pytest.raises(NumericsError, match="more than 5 parts do not tell"):
        sprung().damped(box=(-2, 1, 0.5, 2), prove=True)


def test_edges_through_a_double_zero_do_not_take_all_parts() -> None:
    """Beside it parts are as short as the distance squared, of s² + 2 s + 1 in balls."""
    pytest.importorskip("flint")
    path = corners(-1, 1, 0, 2)
    with pytest.raises(NumericsError, match=r"more than 1\d{3} parts do not tell"):
        enclosed.proven(lambda s, arg: arg(s**2 + 2 * s + 1), path, [64], mirrored=True)


@pytest.mark.parametrize("prove", [False, True])
def test_edges_through_eigenvalues_are_moved_outwards(prove: bool) -> None:
    """Through a simple one, and through one that occurs twice: s = −1 ± i √399 of an oil film."""
    if prove:
        pytest.importorskip("flint")
    found = sprung().damped(box=(-2, 1, 0.8, 2), prove=prove)
    np.testing.assert_allclose(found.eigenvalues, [-0.6 + 0.8j], rtol=1e-12)
    assert found.region[2] < 0.8
    assert "whose edges were moved outwards" in str(found)
    assert ("proven in balls" in str(found)) == prove
    film = mstmm.compile(from_text(FILM), target="numpy", parameters=["x"])
    found = film.damped(box=(-1, 5, 10, 30), prove=prove, parameters={"x": 0.0})
    np.testing.assert_allclose(found.eigenvalues, 2 * [-1 + 1j * np.sqrt(399)], rtol=1e-7)
    assert (found.number, found.moved) == (2, True)
    assert not film.damped(box=(-2, 5, 10, 30), prove=prove, parameters={"x": 0.0}).moved
