"""Beams of model files: by stiffnesses, by sections, and what is refused of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from file_texts import assert_round_trip

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import Beam, Model
from mstmm.model.files.profiles import profile
from mstmm.model.files.toml import from_text

GIVEN = """
density = 0.8
axial_stiffness = 2e4
bending_stiffness = {bending}
"""
STEEL = "material = { E = 211e9, G = 81.2e9, rho = 7810 }\n"


def text(dimension: int, said: str) -> str:
    return f"""
name = "wall"
dimension = {dimension}
gravity = {[0] * dimension}
[beams.arm]
length = 1.5
{said}
[beams.arm.points.root]
[beams.arm.points.tip]
x = 1.5
[hinges.wall]
kind = "fixed"
parent = "ground"
child = "arm:root"
"""


def beam(dimension: int, said: str) -> Beam:
    return from_text(text(dimension, said)).beams[0]


def shaft(theory: str = "timoshenko") -> str:
    shape = f'shape = "circle", diameter = 0.05, theory = "{theory}"'
    return f"{STEEL}section = {{ {shape} }}"


def test_a_circular_shaft() -> None:
    """ROSS' first example's shaft: its shear factor is printed as 0.886306356762812."""
    arm = beam(3, shaft())
    area, second = math.pi * 0.05**2 / 4, math.pi * 0.05**4 / 64
    wanted = {
        "density": 7810 * area,
        "axial_stiffness": 211e9 * area,
        "bending_stiffness": (211e9 * second,) * 2,
        "shear_stiffness": (0.886306356762812 * 81.2e9 * area,) * 2,
        "rotary_inertia": (7810 * second,) * 2,
        "torsional_stiffness": 81.2e9 * 2 * second,
        "polar_inertia": 7810 * 2 * second,
    }
    for name, value in wanted.items():
        assert getattr(arm, name) == pytest.approx(value, rel=1e-14), name
    assert_round_trip(from_text(text(3, shaft())))


def test_without_a_theory_it_does_not_shear() -> None:
    arm = beam(3, shaft("euler-bernoulli"))
    assert arm.shear_stiffness == arm.rotary_inertia == (0, 0)
    assert arm.bending_stiffness == beam(3, shaft()).bending_stiffness


def test_what_is_given_takes_the_place_of_what_the_section_says() -> None:
    arm = beam(3, f"torsional_stiffness = 7.0\n{shaft()}")
    assert arm.torsional_stiffness == 7.0
    assert arm.polar_inertia == beam(3, shaft()).polar_inertia


@pytest.mark.parametrize(
    ("ratio", "wanted"),
    # Timoshenko and Goodier, Theory of Elasticity: torsion of rectangular bars.
    [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (10.0, 0.312)],
)
def test_the_torsion_of_rectangles(ratio: float, wanted: float) -> None:
    for sizes in ({"height": ratio, "width": 1.0}, {"height": 1.0, "width": ratio}):
        of = profile("rectangle", sizes, 0.3, "section")
        assert pytest.approx(wanted, abs=6e-4) == of.J / ratio
        assert of.Iz == pytest.approx(sizes["width"] * sizes["height"] ** 3 / 12)
        assert of.Iy == pytest.approx(sizes["height"] * sizes["width"] ** 3 / 12)


def test_a_tube_is_a_circle_less_a_circle() -> None:
    tube = profile("tube", {"diameter": 0.05, "inner": 0.03}, 0.25, "section")
    outer, inner = (profile("circle", {"diameter": d}, 0.25, "section") for d in (0.05, 0.03))
    assert tube.area == pytest.approx(outer.area - inner.area, rel=1e-14)
    assert (tube.Iy, tube.J) == pytest.approx((outer.Iy - inner.Iy, outer.J - inner.J), rel=1e-14)
    thin = profile("tube", {"diameter": 1.0, "inner": 1 - 1e-9}, 0.25, "section")
    assert thin.kappa == pytest.approx(2 * 1.25 / (4 + 3 * 0.25))  # Cowper's thin-walled tube


REFUSED: Mapping[str, tuple[int, str, str]] = {
    "nothing": (2, "", "beams.arm.density: is missing: write density"),
    "material alone": (2, STEEL, "beams.arm.section: is missing"),
    "section alone": (
        2,
        'section = { shape = "circle", diameter = 0.1 }',
        "beams.arm.material: is missing",
    ),
    "shape": (2, STEEL + 'section = { shape = "circel" }', "'circel' is no shape"),
    "sizes": (2, STEEL + 'section = { shape = "tube", diameter = 1 }', "section.inner: is missing"),
    "other sizes": (
        2,
        STEEL + 'section = { shape = "circle", diameter = 1, width = 2 }',
        "section.width: is no size of this",
    ),
    "inside out": (
        2,
        STEEL + 'section = { shape = "tube", diameter = 1, inner = 2 }',
        "section.inner: must be less than the diameter",
    ),
    "theory": (
        2,
        STEEL + 'section = { shape = "circle", diameter = 1, theory = "rayleigh" }',
        "must be euler-bernoulli or timoshenko",
    ),
    "both": (
        2,
        "material = { E = 1, G = 1, nu = 0.3, rho = 1 }\n"
        'section = { shape = "circle", diameter = 1 }',
        "give G or nu",
    ),
    "modulus": (
        2,
        "material = { E = -1, rho = 1 }\nsection = { shape = 'circle', diameter = 1 }",
        "material.E: must be positive",
    ),
    "one number in space": (3, GIVEN.format(bending="20"), "are two numbers in space"),
    "two in the plane": (2, GIVEN.format(bending="[20, 30]"), "is one number in the plane"),
    "torsion": (3, GIVEN.format(bending="[20, 30]"), "torsional_stiffness.*must be positive"),
    "torsion in the plane": (
        2,
        GIVEN.format(bending="20") + "torsional_stiffness = 1",
        "is of beams in space; leave it out",
    ),
    "functions in space": (
        3,
        GIVEN.format(bending="[20, 30]")
        + "torsional_stiffness = 1\npolar_inertia = 0.01\nbending = 3",
        "shape functions are of beams in the plane",
    ),
    "foundation": (
        2,
        GIVEN.format(bending="20") + "foundation = -1",
        "foundation.*must not be negative",
    ),
    "tension of one that shears": (
        2,
        GIVEN.format(bending="20") + "tension = 5\nshear_stiffness = 5",
        "tension: must be below shear_stiffness",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    dimension, said, message = REFUSED[name]
    with pytest.raises(ModelError, match=message):
        from_text(text(dimension, said))


@pytest.mark.parametrize(
    ("dimension", "said", "message"),
    [
        (3, shaft(), "arm is a beam in space"),
        (2, GIVEN.format(bending="20"), "arm has no shape function"),
        (2, GIVEN.format(bending="20") + "bending = 2\ntension = 3", "arm has tension; leave it"),
        (2, f"bending = 2\n{shaft()}", "arm has shear_stiffness and rotary_inertia; leave them"),
    ],
)
@pytest.mark.parametrize("algorithm", ["riccati", "rnea-body", "overall"])
def test_other_algorithms_say_that_linear_takes_it(
    dimension: int, said: str, message: str, algorithm: str
) -> None:
    model = from_text(text(dimension, said))
    with pytest.raises(UsageError, match=f"{message}.* or use linear: {algorithm} takes"):
        mstmm.compile(model, algorithm=algorithm, target="numpy")


def test_a_beam_of_a_section_with_functions_is_one_by_stiffnesses() -> None:
    """The same beam of both descriptions moves alike."""

    def accelerated(model: Model) -> list[float]:
        solver = mstmm.compile(model, target="numpy")
        return [float(x) for x in solver.accelerations([0.01, 0.02], [0.1, 0.2])]

    by_section = from_text(text(2, f"bending = 2\n{shaft('euler-bernoulli')}"))
    arm = by_section.beams[0]
    given = f"density = {arm.density!r}\naxial_stiffness = {arm.axial_stiffness!r}"
    bent = f"bending_stiffness = {arm.bending_stiffness!r}\nbending = 2"
    assert accelerated(by_section) == accelerated(from_text(text(2, f"{given}\n{bent}")))
