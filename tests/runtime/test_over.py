"""Modes over the values of a parameter: lines through crossings, and a place that moves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import mstmm
from mstmm.errors import UsageError
from mstmm.model.files.toml import from_text

POST = """
name = "post"
dimension = 3
gravity = [0, 0, 0]
[parameters]
EI = 1.0
[beams.post]
length = 1.0
density = 1.0
axial_stiffness = 1e4
torsional_stiffness = 5.0
polar_inertia = 0.01
bending_stiffness = ["EI", 1.5]
[beams.post.points.foot]
[hinges.foot]
kind = "fixed"
parent = "ground"
child = "post:foot"
"""

ARM = """
name = "arm"
dimension = 2
gravity = [0, -9.81]
[parameters]
k = 5.0
[bodies.rod]
mass = 1.3
inertia = 0.2
centre = [0.7, 0]
[bodies.rod.points.foot]
[hinges.pin]
kind = "pin"
parent = "ground"
child = "rod:foot"
spring = { stiffness = "k" }
"""


@pytest.mark.long
def test_lines_go_through_crossings_of_a_post_that_gets_stiffer_one_way() -> None:
    """Clamped-free bending is 3.516 √EI and 22.03 √EI; at EI = 1.5 both ways are equal."""
    post = mstmm.compile(from_text(POST), algorithm="linear", target="numpy", parameters=["EI"])
    at = np.linspace(1.0, 2.0, 5)
    found = post.modes_over("EI", at, count=4)
    roots = np.array([3.5160152685001522, 22.034491564666]) ** 2
    moving, still = np.multiply.outer(at, roots), np.multiply.outer(1.5 + 0 * at, roots)
    expected = np.stack([moving, still], axis=2).reshape(5, 4)
    np.testing.assert_allclose(found.squares, expected, rtol=1e-11)
    assert found.numbers[:2].tolist() == [[1, 2, 3, 4]] * 2
    assert found.numbers[3:].tolist() == [[2, 1, 4, 3]] * 2
    assert (found.steps[4].certificate.multiplicity == 1).all()
    assert found["frequencies"].dims == ("at", "line")
    assert max(map(len, str(found).splitlines())) <= 80


def test_a_place_that_moves_is_followed() -> None:
    """An arm that weighs on a spring: k θ + m g l cos θ = 0 and ω² = (k − m g l sin θ)/J."""
    arm = mstmm.compile(from_text(ARM), target="numpy", parameters=["k"])
    at, weight, J = np.linspace(5.0, 60.0, 8), 1.3 * 9.81 * 0.7, 0.2 + 1.3 * 0.7**2
    found = arm.modes_over("k", at)
    angles = [brentq(lambda x, k=k: k * x + weight * np.cos(x), -2, 0, xtol=1e-14) for k in at]
    np.testing.assert_allclose(found.q[:, 0], angles, atol=1e-8)
    np.testing.assert_allclose(found.squares[:, 0], (at - weight * np.sin(angles)) / J, rtol=1e-8)
    assert "is followed" in str(found)
    assert found.origin == "found near the start"
    stiff = arm.modes_over("k", [60.0], [angles[-1]], count=1)
    assert stiff.origin == "given"


def test_a_line_ends_where_its_mode_leaves_the_list() -> None:
    arm = mstmm.compile(from_text(ARM), target="numpy", parameters=["k"])
    found = arm.modes_over("k", [5.0, 60.0], below=8.0)
    assert found.numbers.ravel().tolist() == [1, 0]
    assert np.isnan(found.frequencies[1, 0])
    none = arm.modes_over("k", [50.0, 60.0], below=1.0)
    assert none.squares.shape == (2, 0)
    assert str(none)


def test_what_modes_over_does_not_take_is_told() -> None:
    arm = mstmm.compile(from_text(ARM), target="numpy", parameters=["k"])
    for none in ([], [1.0, np.nan]):
        with pytest.raises(UsageError, match="finite numbers, one at least"):
            arm.modes_over("k", none)
    with pytest.raises(UsageError, match="k goes through values, and parameters sets it to one"):
        arm.modes_over("k", [5.0], parameters={"k": 50.0})
    with pytest.raises(UsageError, match="'g' is no run-time parameter"):
        arm.modes_over("g", [1.0])
    with pytest.raises(UsageError, match="is not at rest there"):
        arm.modes_over("k", [5.0], [0.3])
