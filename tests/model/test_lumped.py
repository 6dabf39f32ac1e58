"""Lumped masses: what holds them, and what is said of those that nothing holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compiler import TARGET

import mstmm
from mstmm.errors import ModelError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point, lumped_mass

G = 9.81


def model(dimension: int, bodies: tuple[Body, ...], *hinges: Hinge) -> Model:
    gravity = (0.0, -G, 0.0)[:dimension]
    return Model("lumps", dimension, bodies, hinges, gravity, absolute=False)


def hinge(name: str, kind: str, first: str, second: str) -> Hinge:
    return Hinge(name, kind, (End.parse(first), End.parse(second)))


def on_a_thread(dimension: int, axes: tuple[tuple[float, ...], ...] | None = None) -> Body:
    """A mass of 2 kg at the end of a massless arm of 0.7 m."""
    lump = lumped_mass("L", 2.0, dimension)
    arm = (-0.7, 0.0, 0.0)[:dimension]
    return replace(lump, points=(Point("P", arm, axes),))


def rod(dimension: int) -> Body:
    inertia = 0.02 if dimension == 2 else ((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.02))
    points = tuple(Point(n, (x, 0, 0)[:dimension]) for n, x in (("a", -0.5), ("b", 0.5)))
    return Body("R", 1.0, inertia, (0, 0, 0)[:dimension], points)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_mathematical_pendulum(dimension: int) -> None:
    kind = "pin" if dimension == 2 else "revolute"
    solver = mstmm.compile(
        model(dimension, (on_a_thread(dimension),), hinge("1", kind, "0:O", "L:P")), target=TARGET
    )
    for angle in (-2.0, 0.3, 1.4):
        a = solver.accelerations([angle], [1.7])
        assert a == pytest.approx([-G / 0.7 * np.cos(angle)], rel=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_mass_welded_to_a_rod_is_part_of_it(dimension: int) -> None:
    lump = lumped_mass("L", 2.0, dimension, "P")
    kind = "pin" if dimension == 2 else "ball"
    welded = model(
        dimension,
        (rod(dimension), lump),
        hinge("1", kind, "0:O", "R:a"),
        hinge("2", "fixed", "R:b", "L:P"),
    )
    plain = rod(dimension)
    whole, at = 3.0, 2.0 * 0.5 / 3.0
    more = 1.0 * at**2 + 2.0 * (0.5 - at) ** 2
    inertia = plain.inertia
    if dimension == 2:
        inertia += more
    else:
        inertia = tuple(
            tuple(x + (more if i == j > 0 else 0) for j, x in enumerate(row))
            for i, row in enumerate(plain.inertia)
        )
    one = replace(plain, mass=whole, inertia=inertia, centre=(at, 0, 0)[:dimension])
    joined = model(dimension, (one,), hinge("1", kind, "0:O", "R:a"))
    found, expected = (
        mstmm.compile(m, target="numpy").accelerations(m.q0, np.arange(1.0, 1 + len(m.speeds)))
        for m in (welded, joined)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_rod_welded_to_a_lumped_mass_holds_it() -> None:
    """A pin at the mass itself is fine when the rod turns with it."""
    lump = lumped_mass("L", 2.0, 2, "P", "Q")
    held = model(
        2, (lump, rod(2)), hinge("1", "pin", "0:O", "L:P"), hinge("2", "fixed", "L:Q", "R:a")
    )
    solver = mstmm.compile(held, target="numpy")
    assert solver.accelerations([0.0], [0.0]) == pytest.approx([-G * 0.5 / (0.02 + 0.25)])


def test_a_lumped_mass_slides() -> None:
    slid = model(3, (lumped_mass("L", 2.0, 3, "P"),), hinge("1", "prismatic", "0:O", "L:P"))
    assert mstmm.compile(slid, target="numpy").accelerations([0.1], [0.0]) == pytest.approx([0.0])


LOOSE = {
    "a pin at the mass": (2, (lumped_mass("L", 1, 2, "P"),), ("pin", "P")),
    "an elastic hinge": (2, (on_a_thread(2),), ("elastic", "P")),
    "a ball at the mass": (3, (lumped_mass("L", 1, 3, "P"),), ("ball", "P")),
    "a ball away from the mass": (3, (on_a_thread(3),), ("ball", "P")),
    "an axis through the mass": (
        3,
        (on_a_thread(3, ((0, 0, 1), (1, 0, 0), (0, 1, 0))),),
        ("revolute", "P"),
    ),
    "a universal hinge at the mass": (3, (lumped_mass("L", 1, 3, "P"),), ("universal", "P")),
    "a cylinder": (3, (lumped_mass("L", 1, 3, "P"),), ("cylindrical", "P")),
    "a planar hinge": (3, (lumped_mass("L", 1, 3, "P"),), ("planar", "P")),
    "a slender rod on a ball": (
        3,
        (replace(rod(3), name="L", inertia=((0, 0, 0), (0, 0.02, 0), (0, 0, 0.02))),),
        ("ball", "a"),
    ),
}


@pytest.mark.parametrize("name", LOOSE)
@pytest.mark.parametrize("told", [False, True])
def test_what_nothing_holds_is_named(name: str, told: bool) -> None:
    dimension, bodies, (kind, point) = LOOSE[name]
    ends = ("0:O", f"L:{point}")
    with pytest.raises(ModelError, match="body L · mass: neither it nor what") as caught:
        model(dimension, bodies, hinge("h1", kind, *(reversed(ends) if told else ends)))
    assert "its hinge h1 allows" in str(caught.value)


HELD = {
    "a slot across the arm": (
        2,
        (replace(on_a_thread(2), points=(Point("P", (-0.7, 0.0), np.pi / 2),)),),
        ("slot", "P"),
    ),
    "a pin away from the mass": (2, (on_a_thread(2),), ("pin", "P")),
    "an axis aside of the mass": (3, (on_a_thread(3),), ("revolute", "P")),
    "a screw away from the mass": (3, (on_a_thread(3),), ("helical", "P")),
    "a slender rod along the first axis of a universal hinge that is turned": (
        3,
        (replace(rod(3), name="L", inertia=((0, 0, 0), (0, 0.02, 0), (0, 0, 0.02))),),
        ("universal", "a"),
    ),
    "a slender rod across a universal hinge": (
        3,
        (
            replace(
                rod(3),
                name="L",
                inertia=((0, 0, 0), (0, 0.02, 0), (0, 0, 0.02)),
                points=(Point("a", (-0.5, 0, 0), ((0, 0, 1), (1, 0, 0), (0, 1, 0))),),
            ),
        ),
        ("universal", "a"),
    ),
}


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_moves(name: str) -> None:
    dimension, bodies, (kind, point) = HELD[name]
    held = model(dimension, bodies, hinge("h1", kind, "0:O", f"L:{point}"))
    q = [0.4] * len(held.coordinates)
    a = mstmm.compile(held, target="numpy").accelerations(q, [0.3] * len(held.speeds))
    assert np.isfinite(a).all()


def test_a_mass_that_turns_in_a_slot_is_named() -> None:
    with pytest.raises(ModelError, match="body L"):
        model(2, (lumped_mass("L", 1, 2, "P"),), hinge("h1", "slot", "0:O", "L:P"))


def test_a_driven_hinge_holds() -> None:
    turned = Hinge("1", "pin", (End(GROUND, "O"), End("L", "P")), motion=(1,))
    lump = lumped_mass("L", 2.0, 2, "P", "Q")
    held = model(2, (lump, rod(2)), turned, hinge("2", "pin", "L:Q", "R:a"))
    a = mstmm.compile(held, target="numpy").accelerations([-1.0], [0.0])
    assert a == pytest.approx([-G * 0.5 / (0.02 + 0.25)])
