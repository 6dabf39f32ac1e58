"""Damped modes, Campbell diagrams and critical speeds of rotors, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from test_damped_beams import CASES, damped_cantilever

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver

#: A disc on a bearing that holds its place and its tilt; W is its spin, c what damps its tilt.
DISC = """
name = "disc"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 10.0
k = 30.0
c = 0.0
[bodies.disc]
mass = 2
inertia = [0.05, 0.03, 0.03, 0, 0, 0]
spin = "%s"
[bodies.disc.points.centre]
[hinges.bearing]
kind = "elastic"
parent = "ground"
child = "disc:centre"
spring = { stiffness = [0, 800, 600, 0, "k", "k"] }
damper = { damping = [0, 0, 0, 0, "c", "c"] }
"""


def disc(spin: str = "W") -> Solver:
    model = from_text(DISC % spin)
    return mstmm.compile(model, algorithm="damped", target="numpy", parameters=["W", "k", "c"])


def tilts(speed: float, c: float = 0.0, k: float = 30.0) -> list[complex]:
    """Roots of 0.03 s² + (c ∓ 0.05 W i) s + k: of the disc's tilt, with and against its spin."""
    found = [np.roots([0.03, c - sign * 0.05j * speed, k]) for sign in (1, -1)]
    return sorted((s for s in np.concatenate(found) if s.imag > 0), key=abs)


def test_a_campbell_diagram_and_its_critical_speeds() -> None:
    solver, speeds = disc(), np.linspace(0.0, 60.0, 7)
    found = solver.campbell("W", speeds, below=1e3)
    assert found.frequencies.shape == (7, 4)
    assert found.zero.tolist() == [2] * 7  # along the axis, and about it
    tilted = np.array([[s.imag for s in tilts(x)] for x in speeds])
    for line in (np.sqrt(300), 20.0, tilted[:, 0], tilted[:, 1]):
        assert np.abs(found.frequencies - np.reshape(line, (-1, 1))).max(axis=0).min() < 1e-10
    senses = {x: found.frequencies[-1, k] for k, x in enumerate(found.senses)}
    assert senses["backward"] == pytest.approx(tilted[-1, 0], rel=1e-12)
    assert senses["forward"] == pytest.approx(tilted[-1, 1], rel=1e-12)
    assert found.senses.count("straight") == 2
    assert np.abs(found.whirl[1:, found.senses.index("forward")] - 1).max() < 1e-6
    assert "counted" in str(found)
    critical = solver.critical_speeds("W", below=1e3)
    # 30 = 0.03 W² + 0.05 W² against the spin; with it there is none, as 0.05 > 0.03.
    np.testing.assert_allclose(critical.speeds, [np.sqrt(300), np.sqrt(375), 20], rtol=1e-13)
    assert critical.senses == ("straight", "backward", "straight")
    double = solver.critical_speeds("W", below=1e3, harmonic=2)
    # 30 = 0.12 W² ± 0.1 W²
    reference = [np.sqrt(75), 10, np.sqrt(30 / 0.22), np.sqrt(30 / 0.02)]
    np.testing.assert_allclose(double.speeds, reference, rtol=1e-13)
    assert double.senses[2:] == ("backward", "forward")


def test_damped_modes_of_a_spinning_disc() -> None:
    parameters = {"W": 40.0, "c": 0.3}
    found = disc().damped(below=1e3, parameters=parameters)
    assert found.number == 12
    reference = sorted([0, np.sqrt(300) * 1j, 20j, *tilts(40.0, 0.3)], key=abs)
    unequal = [s for k, s in enumerate(found.eigenvalues) if s or not k]
    np.testing.assert_allclose(unequal, reference, rtol=1e-10, atol=1e-10)
    assert found.multiplicity[found.eigenvalues == 0].tolist() == [4, 4]
    assert found.kinds.count("vibrates") == 4
    k = int(np.argmax(found.frequencies))
    s = found.eigenvalues[k]
    assert found.damping_ratio[k] == pytest.approx(-s.real / abs(s), rel=1e-9)
    assert found.times[k] == pytest.approx(-1 / s.real, rel=1e-9)
    tilt = found.bodies[k, 0, 1:3]
    assert abs(tilt[1] / tilt[0] + 1j) < 1e-9  # forward, as the axis goes from y to z


def test_a_damped_campbell_diagram() -> None:
    solver, speeds = disc(), np.array([0.0, 20.0, 60.0])
    found = solver.campbell("W", speeds, below=1e3, parameters={"c": 0.3})
    assert found.proof == "winding numbers"
    for row, decay, speed in zip(found.frequencies, found.decay, speeds, strict=True):
        s = tilts(speed, 0.3)
        reference = sorted([*s, np.sqrt(300) * 1j, 20j], key=lambda x: x.imag)
        order = np.argsort(row)
        np.testing.assert_allclose(row[order], [x.imag for x in reference], rtol=1e-10)
        np.testing.assert_allclose(decay[order], [-x.real for x in reference], atol=1e-9)
    with pytest.raises(UsageError, match="disc is damped"):
        solver.critical_speeds("W", below=1e3, parameters={"c": 0.3})


def test_what_is_no_spin_is_refused() -> None:
    solver = disc()
    fixed = mstmm.compile(from_text(DISC % "W"), algorithm="damped", target="numpy")
    with pytest.raises(UsageError, match=r'W is fixed in the code.*parameters=\["W"\]'):
        fixed.campbell("W", [0, 1])
    with pytest.raises(UsageError, match="V is no parameter"):
        solver.campbell("V", [0, 1])
    with pytest.raises(UsageError, match="W goes through speeds, and parameters sets it to one"):
        solver.campbell("W", [0, 1], parameters={"W": 9.0})
    with pytest.raises(UsageError, match="W goes through all speeds below"):
        solver.critical_speeds("W", below=10, parameters={"W": 9.0})
    with pytest.raises(UsageError, match="k is neither a spin of disc, nor what a table is over"):
        solver.critical_speeds("k", below=10)
    with pytest.raises(UsageError, match="the spin of disc is no multiple of W"):
        disc("W + 1").critical_speeds("W", below=10)


#: Of a bearing whose oil film pushes the shaft sideways; m = 2, k = 800, c = 4, across it x.
FILM = """
name = "film"
dimension = 2
gravity = [0, 0]
[parameters]
x = 0.0
[bodies.shaft]
mass = 2
inertia = 0.1
[bodies.shaft.points.journal]
[hinges.film]
kind = "free"
parent = "ground"
child = "shaft:journal"
force = ["-800*q1 - x*q2 - 4*u1", "x*q1 - 800*q2 - 4*u2", "-q3"]
"""


@pytest.mark.parametrize(("x", "grow"), [(0.0, 0), (75.0, 0), (85.0, 2)])
def test_oil_whip(x: float, grow: int) -> None:
    """2 s² + 4 s + 800 ∓ i x = 0 has a growing pair from x = 4 √400 = 80 on."""
    solver = mstmm.compile(from_text(FILM), target="numpy", parameters=["x"])
    judged = solver.stability(parameters={"x": x})
    assert (judged.unstable, judged.by) == (grow, "motion")
    found = solver.damped(parameters={"x": x})
    reference = [s for sign in (1, -1) for s in np.roots([2, 4, 800 - sign * 1j * x])]
    reference = sorted([*(s for s in reference if s.imag > 0), 1j * np.sqrt(10)], key=abs)
    np.testing.assert_allclose(found.eigenvalues, reference, rtol=1e-7 if not x else 1e-11)
    assert found.kinds.count("grows") == grow / 2


def test_a_damped_cantilever_by_its_winding_number() -> None:
    """Kelvin and Voigt's beam with a dashpot: four of four in a box, as finite elements say."""
    case = CASES["15-damped-cantilever"]
    solver = mstmm.compile(from_text(damped_cantilever()), algorithm="damped", target="numpy")
    found = solver.damped(box=(-60.0, 5.0, 0.5, 130.0))
    reference = [complex(float(a), float(b)) for a, b in case["reference"][:4]]
    assert found.number == 4
    np.testing.assert_allclose(found.eigenvalues, reference, rtol=1e-12)
    assert found.kinds == ("vibrates",) * 4
    with pytest.raises(NumericsError, match="eigenvalues of beams accumulate at"):
        solver.damped(below=1500.0)


def test_a_loss_factor_is_asked_for_in_a_box_above_the_real_axis() -> None:
    """There a cantilever has s = i ω √(1 + i η); below it not their mirror images."""
    text, _ = damped_cantilever().split("[ground.points.below]")
    model = from_text(text.replace("damping = 0.001", "loss = 0.05"))
    solver = mstmm.compile(model, algorithm="damped", target="numpy")
    found = solver.damped(box=(-10.0, 5.0, 0.5, 130.0))
    omega = np.array([1.87510406871196, 4.69409113297417, 7.85475743823761, 10.9955407348755]) ** 2
    np.testing.assert_allclose(found.eigenvalues, 1j * omega * np.sqrt(1 + 0.05j), rtol=1e-12)
    for asked in ({"below": 50.0}, {"count": 2}, {"box": (-10.0, 5.0, 0.0, 130.0)}):
        with pytest.raises(UsageError, match=r"loss factor of beam beam .* above the real axis"):
            solver.damped(**asked)
    with pytest.raises(UsageError, match="loss factor"):
        solver.stability()


#: A mass on a spring with a damper; what creeps back has s = −k/c, the other −c/m.
STIFF = """
name = "stiff"
dimension = 2
gravity = [0, 0]
[bodies.mass]
mass = 1
inertia = 1
[hinges.slide]
kind = "prismatic"
parent = "ground"
child = "mass"
axis = [1, 0]
spring = { stiffness = 1 }
damper = { damping = %s }
"""


@pytest.mark.parametrize(("c", "zero"), [(1e4, False), (1e7, True)])
def test_what_is_slower_than_rounding_tells_is_said_with_the_table(c: float, zero: bool) -> None:
    """s = −k/c is told if it is 10⁻⁸ of the other; 10⁻¹⁴ is called zero, below what is said."""
    found = mstmm.compile(from_text(STIFF % c), algorithm="damped", target="numpy").damped()
    assert found.kinds == ("zero" if zero else "creeps", "creeps")
    np.testing.assert_allclose(found.eigenvalues, [-0.0 if zero else -1 / c, -c], rtol=2e-8)
    assert (f"zero: |s| below {found.zero:.2g} rad/s" in str(found)) == zero
    assert found.zero > 1 / c or not zero


@pytest.mark.slow
def test_the_rotor_of_ross_whirls_as_finite_elements_say() -> None:
    """Beside it a torsional mode, and two motions that nothing resists: none is hidden."""
    case = CASES["16-rotor"]
    solver = mstmm.compile("ross-rotor", algorithm="damped", target="numpy", parameters=["W"])
    found = solver.campbell("W", [0.0, 500.0], below=850.0)
    assert found.zero.tolist() == [2, 2]
    assert found.senses == ("backward", "forward") * 3 + ("straight",)
    for row, speed in zip(found.frequencies, ("0", "500"), strict=True):
        np.testing.assert_allclose(row[:6], np.array(case["whirl"][speed], float), rtol=1e-12)
    critical = solver.critical_speeds("W", below=1000.0)
    bending = [x != "straight" for x in critical.senses]
    np.testing.assert_allclose(
        critical.speeds[bending], np.array(case["critical"], float), rtol=1e-12
    )
    assert len(critical.speeds) == 7


def test_what_grows_without_vibrating_is_told() -> None:
    """x″ + x′/10 + (100 − W²) x = 0 beside what vibrates: its s = −0.05 + √(0.0025 + W² − 100)."""
    text = """
name = "divergence"
dimension = 2
gravity = [0, 0]
[parameters]
W = 1.0
[bodies.mass]
mass = 1
inertia = 1
[bodies.mass.points.centre]
[hinges.held]
kind = "free"
parent = "ground"
child = "mass:centre"
force = ["(W**2 - 100)*q1 - 0.1*u1", "-400*q2 - 0.1*u2", "-900*q3 - u3"]
"""
    of = mstmm.compile(from_text(text), algorithm="damped", target="numpy", parameters=["W"])
    speeds = np.array([12.0, 5.0, 11.0, 15.0])
    found = of.campbell("W", speeds)  # of three modes, though ten are asked for
    rates = [max(0.0, -0.05 + np.sqrt(max(0.0025 + W**2 - 100, 0.0))) for W in speeds]
    np.testing.assert_allclose(found.growth, rates, rtol=1e-9)
    assert "grows at W = 12, 11 … 15: without vibrating" in str(found)
    assert "see decay" not in str(found)
    assert not of.campbell("W", [0.0, 5.0]).growth.any()
