"""Beams that bending shortens: under spin, under axial loads, against theory and other models."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from compiler import TARGET
from independent.rotating import southwell, spinning_frequencies

from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.runtime.solver import Solver, compile_model

Array = np.ndarray

#: A panel: m, kg/m, N m².
LENGTH, DENSITY, BENDING = 5.0, 1.5, 60.0


def cantilever(
    motion: sp.Expr, bending: int | tuple[str, ...] = 6, axial: int = 0, **changes: object
) -> Model:
    """A beam clamped to a pin that is driven."""
    given = {"length": LENGTH, "density": DENSITY, "bending_stiffness": BENDING}
    given |= {"axial_stiffness": 1e6, **changes}
    points = (Point("I", (0, 0)), Point("O", (given["length"], 0)))
    return Model(
        name="cantilever",
        dimension=2,
        bodies=(Beam("b", axial=axial, bending=bending, points=points, **given),),
        hinges=(Hinge("r", "pin", (End(GROUND, "O"), End("b", "I")), motion=(motion,)),),
        gravity=(0, 0),
        parameters={"spin": 1.0},
        absolute=False,
    )


SPINNING = parameter("spin") * TIME


@cache
def spun(foreshortening: bool = True, bending: int | tuple[str, ...] = 6) -> Solver:
    model = cantilever(SPINNING, bending, foreshortening=foreshortening)
    return compile_model(model, target=TARGET, parameters=("spin",))


def stiffness(solver: Solver, **parameters: float) -> Array:
    """−∂η̈/∂η about the straight beam, on which no Coriolis forces act."""
    n = len(solver.model.speeds)
    still = np.zeros(n)

    def at(q: Array) -> Array:
        return solver.accelerations(q, still, parameters=parameters)

    return np.array([at(-q) - at(q) for q in 1e-6 * np.eye(n)]).T / 2e-6


def squares(solver: Solver, **parameters: float) -> Array:
    """ω² of small motions."""
    return np.sort(np.linalg.eigvals(stiffness(solver, **parameters)).real)


def test_southwells_coefficient() -> None:
    """At small spins ω² = ω₀² + (S₁ − 1) Ω²; S₁ is known to be 1.193."""
    solver, spin = spun(), 0.05
    risen = squares(solver, spin=spin)[0] - squares(solver, spin=0.0)[0]
    assert southwell() == pytest.approx(1.193, abs=1e-3)
    assert risen / spin**2 == pytest.approx(southwell() - 1, rel=2e-3)


#: Known frequencies of the panel, in rad/s, by its spin.
KNOWN = {1.0: 0.984, 2.0: 1.173, 4.0: 1.543}


def test_a_spinning_panel_vibrates() -> None:
    """By linearisation, against finite elements under the tension of the spin."""
    for spin, known in KNOWN.items():
        found = np.sqrt(squares(spun(), spin=spin)[:2])
        assert found[0] == pytest.approx(known, rel=5e-3)
        assert found == pytest.approx(
            spinning_frequencies(LENGTH, DENSITY, BENDING, spin)[:2], rel=1e-3
        )


def clamped(power: int) -> str:
    """A deflection whose curvature is (1 − ξ)ⁿ: a static one, without load at the tip, for n ≥ 2.

    Great n bend it near the root alone, as the tension of a spin does.
    """
    return f"((1 - xi)^{power + 2} - 1 + {power + 2}*xi)/{(power + 1) * (power + 2)}"


def test_few_functions_that_suit_the_spin_suffice() -> None:
    """Three that are given; three built-in ones err by 8 % at 4 rad/s."""
    given = spun(bending=(clamped(2), clamped(5), clamped(10)))
    for spin, known in KNOWN.items():
        found, built_in = (np.sqrt(squares(of, spin=spin)[0]) for of in (given, spun(bending=3)))
        assert found == pytest.approx(known, rel=5e-3)
        exact = spinning_frequencies(LENGTH, DENSITY, BENDING, spin)[0]
        assert abs(found - exact) < 0.2 * abs(built_in - exact)


def test_the_page_tells_what_a_number_of_functions_gives() -> None:
    text = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([3-6]) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [count for count, *_ in rows] == ["3", "4", "5", "6"]
    for count, *known in rows:
        solver = spun(bending=int(count))
        found = [np.sqrt(squares(solver, spin=spin)[0]) for spin in (1.0, 2.0, 4.0)]
        assert [f"{x:.4f}" for x in found] == known


def test_without_foreshortening_it_would_grow() -> None:
    grown = [np.sqrt(-squares(spun(False), spin=spin)[0]) for spin in (1.0, 2.0, 4.0)]
    assert grown == pytest.approx([0.46, 1.79, 3.90], rel=1e-2)


def test_the_panels_motion_has_that_frequency() -> None:
    """Let go from its first mode at 2 rad/s: the tip passes the axis twice a period."""
    solver = spun()
    values, modes = np.linalg.eig(stiffness(solver, spin=2.0))
    first = modes[:, np.argmin(values.real)].real
    q = 0.05 * first / first.sum()
    run = solver.simulate(q, 0 * q, t_end=30.0, dt=2e-3, parameters={"spin": 2.0})
    tip = run.q.sum(axis=1)
    before = np.flatnonzero(np.diff(np.sign(tip)))
    times = run.time[before] - tip[before] * np.diff(run.time)[before] / np.diff(tip)[before]
    assert np.abs(tip).max() == pytest.approx(0.05, rel=1e-2)
    assert np.pi / np.polyfit(np.arange(len(times)), times, 1)[0] == pytest.approx(1.173, rel=5e-3)


# Chains of rods


def chain(motion: sp.Expr, rods: int, length: float, density: float, EI: float) -> Model:
    """Rods on springs at the middles of equal parts of a beam; the first half of one is driven."""
    h = length / rods
    bodies, hinges = [], []
    for k in range(rods + 1):
        own = h if 0 < k < rods else h / 2
        mass = density * own
        ends = (Point("I", (0, 0)), Point("O", (own, 0)))
        bodies.append(Body(f"b{k}", mass, mass * own**2 / 12, (own / 2, 0), ends))
        if k:
            ends = (End(f"b{k - 1}", "O"), End(f"b{k}", "I"))
            hinges.append(Hinge(f"h{k}", "pin", ends, force=(-EI / h * hinge_symbol("q", 1),)))
    hinges.insert(0, Hinge("r", "pin", (End(GROUND, "O"), End("b0", "I")), motion=(motion,)))
    return Model(
        "chain",
        2,
        tuple(bodies),
        tuple(hinges),
        (0, 0),
        parameters={"spin": 1.0},
        absolute=False,
    )


def test_chains_of_rods_come_to_vibrate_alike() -> None:
    """Their frequencies err by the squared length of a rod: extrapolated from 12 and 24 rods."""
    coarse, fine = (
        compile_model(
            chain(SPINNING, rods, LENGTH, DENSITY, BENDING), target=TARGET, parameters=("spin",)
        )
        for rods in (12, 24)
    )
    for spin in (0.0, 1.0, 2.0, 4.0):
        first, second, beam = (np.sqrt(squares(of, spin=spin)[0]) for of in (coarse, fine, spun()))
        assert (4 * second - first) / 3 == pytest.approx(beam, rel=2e-3)


# Spin-up: Kane, Ryan and Banerjee's cantilever

SPIN, UNTIL = 6.0, 15.0
ROD = {"length": 10.0, "density": 1.2, "bending_stiffness": 1.4e4}
RAMP = (
    SPIN
    / UNTIL
    * (TIME**2 / 2 + (UNTIL / (2 * sp.pi)) ** 2 * (sp.cos(2 * sp.pi * TIME / UNTIL) - 1))
)


def deflections(model: Model) -> tuple[Array, Array]:
    """Of the tip across the root's axis during the spin-up, and half as long after it."""
    after = replace(
        model, hinges=(replace(model.hinges[0], motion=(SPIN * TIME,)), *model.hinges[1:])
    )
    found, q, v = [], np.zeros(len(model.speeds)), np.zeros(len(model.speeds))
    for part, time in ((model, UNTIL), (after, UNTIL / 2)):
        solver = compile_model(part, target=TARGET)
        run = solver.simulate(q, v, t_end=time, dt=2.5e-3 if model.beams else 2.5e-4, record=0.05)
        if model.beams:
            found.append(run.q.sum(axis=1))
        else:
            angles = np.cumsum(run.q, axis=1)
            h = model.value(ROD["length"]) / run.q.shape[1]
            lengths = np.full(run.q.shape[1], h)
            lengths[-1] /= 2
            found.append(np.sin(angles) @ lengths)
        q, v = run.q[-1], run.v[-1]
    return found[0], found[1]


def test_a_spin_up() -> None:
    """The tip lags by 0.57 m at most and comes back; a chain of rods does the same."""
    rising, steady = deflections(cantilever(RAMP, bending=4, **ROD))
    assert rising.min() == pytest.approx(-0.57, abs=0.01)
    assert np.abs(steady).max() < 5e-3
    rods, _ = deflections(chain(RAMP, 12, *ROD.values()))
    assert np.abs(rising - rods).max() < 0.01


def test_the_steady_spin_lengthens_the_axis() -> None:
    """By Ω² ρA L³ / 3 EA where its own lengthening is small: 5.14e-4 m."""
    EA, spin = 2.8e7, SPIN
    model = cantilever(spin * TIME, bending=3, axial=3, **ROD, axial_stiffness=EA)
    solver = compile_model(model, target=TARGET)
    n = len(model.speeds)
    still, step = np.zeros(n), 1e-7 * np.eye(n)
    slopes = [
        (solver.accelerations(x, still) - solver.accelerations(-x, still)) / 2e-7 for x in step
    ]
    eta = np.linalg.solve(-np.array(slopes).T, solver.accelerations(still, still))
    expected = spin**2 * ROD["density"] * ROD["length"] ** 3 / (3 * EA)
    assert expected == pytest.approx(5.14e-4, rel=1e-3)
    assert eta[:3].sum() == pytest.approx(expected, rel=1e-3)
    assert np.abs(eta[3:]).max() < 1e-12


# Axial loads


def test_a_column_buckles_under_eulers_load() -> None:
    """A heavy body on a light column of 1 m: ω² is 3 EI / m L³, and nothing at m g = π² EI / 4."""
    EI, density = 9.0, 1e-6
    beam = Beam("b", 1.0, density, 1e5, EI, 0, 5, (Point("I", (0, 0)), Point("O", (1.0, 0))))
    model = Model(
        "column",
        2,
        (Body("t", 1.0, 1e-9, (0, 0), (Point("c", (0, 0)),)), beam),
        (
            Hinge("r", "fixed", (End(GROUND, "O"), End("b", "I"))),
            Hinge("w", "fixed", (End("b", "O"), End("t", "c"))),
        ),
        (-parameter("g"), 0),
        parameters={"g": 1.0},
        absolute=False,
    )
    solver = compile_model(model, target=TARGET, parameters=("g",))
    critical = np.pi**2 * EI / 4
    below, above = (squares(solver, g=share * critical)[0] for share in (0.99, 1.01))
    assert below > 0 > above
    assert squares(solver, g=0.0)[0] == pytest.approx(3 * EI, rel=1e-4)


# Lagrange's equations


def lagrange() -> tuple[list[sp.Symbol], sp.Matrix, sp.Matrix]:
    """A hub pinned to the ground, a beam and a body at its tip: M and f of M q̈ = f, by SymPy.

    The beam has ψ = ξ and φ = ξ², ξ² (2ξ − 1); places with the foreshortening as integrals.
    """
    theta, e1, e2, e3 = q = sp.symbols("theta e1:4")
    rates = sp.symbols("dtheta d1:4")
    x = sp.Symbol("x")
    length, rho, EA, EI = sp.Rational(3, 2), sp.Rational(4, 5), 300, 7
    mass, inertia, g = 0.6, 0.02, 9.81
    across = e2 * (x / length) ** 2 + e3 * (x / length) ** 2 * (2 * x / length - 1)
    along = e1 * x / length
    back = sp.integrate(sp.expand(sp.diff(across, x) ** 2), (x, 0, x)) / 2
    turn = sp.Matrix([[sp.cos(theta), -sp.sin(theta)], [sp.sin(theta), sp.cos(theta)]])
    body = sp.Matrix([x + along - back, across])
    place = turn * body

    def rate(of: sp.Matrix) -> sp.Matrix:
        return of.jacobian(q) * sp.Matrix(rates)

    # |d/dt (turn · body)|² in the turning axes: no sines are left.
    moved = rate(body) + rates[0] * sp.Matrix([-body[1], body[0]])
    kinetic = rho * sp.integrate(sp.expand(moved.dot(moved)), (x, 0, length)) / 2
    tip = moved.subs(x, length)
    slope = sp.diff(across, x).subs(x, length)
    spin = rates[0] + sum(slope.diff(e) * d for e, d in zip(q, rates, strict=True))
    kinetic += mass * tip.dot(tip) / 2 + inertia * spin**2 / 2
    low, high = (sp.integrate(sp.expand(c), (x, 0, length)) for c in body)
    height = sp.sin(theta) * low + sp.cos(theta) * high
    potential = rho * g * height + mass * g * place[1].subs(x, length)
    potential += EA * sp.integrate(sp.diff(along, x) ** 2, (x, 0, length)) / 2
    potential += EI * sp.integrate(sp.expand(sp.diff(across, x, 2) ** 2), (x, 0, length)) / 2
    momentum = sp.Matrix([kinetic]).jacobian(rates).T
    M = momentum.jacobian(rates)
    force = sp.Matrix([kinetic - potential]).jacobian(q).T - rate(momentum)
    return [*q, *rates], M, force


def test_lagranges_equations() -> None:
    names, M, force = lagrange()
    motion = sp.lambdify(names, (M, force), "numpy")
    points = (Point("I", (0, 0)), Point("O", (1.5, 0)))
    beam = Beam("b", 1.5, 0.8, 300, 7, axial=1, bending=2, points=points)
    tip = Body("t", 0.6, 0.02, (0, 0), (Point("c", (0, 0)),))
    model = Model(
        "arm",
        2,
        (tip, beam),
        (
            Hinge("r", "pin", (End(GROUND, "O"), End("b", "I"))),
            Hinge("w", "fixed", (End("b", "O"), End("t", "c"))),
        ),
        (0, -9.81),
        absolute=False,
    )
    rng = random.Random(3)
    forward = [
        compile_model(model, algorithm=name, target=TARGET) for name in ("riccati", "overall")
    ]
    inverse = compile_model(model, algorithm="rnea-body", target=TARGET)
    for _ in range(5):
        q = [rng.uniform(-2, 2), *(rng.uniform(-0.3, 0.3) for _ in range(3))]
        v = [rng.uniform(-3, 3) for _ in range(4)]
        inertia, right = (np.array(x, dtype=float) for x in motion(*q, *v))
        expected = np.linalg.solve(inertia, right[:, 0])
        for solver in forward:
            np.testing.assert_allclose(solver.accelerations(q, v), expected, rtol=1e-9, atol=1e-9)
        a = [rng.uniform(-2, 2) for _ in range(4)]
        demanded = inertia @ a - right[:, 0]
        np.testing.assert_allclose(
            inverse.inverse_dynamics(q, v, a), demanded, rtol=1e-9, atol=1e-9
        )


def test_a_spinning_motion_keeps_its_energy() -> None:
    """A free arm that spins and bends by a tenth of its length: as exactly as it is integrated."""
    free = cantilever(SPINNING, bending=2, axial=1, axial_stiffness=500.0)
    pin = replace(free.hinges[0], motion=())
    model = replace(free, hinges=(pin,), gravity=(0, -3.0), q0=(), v0=())
    solver = compile_model(model, target=TARGET)
    q, v = [0.3, 0.0, 0.5, 0.1], [2.0, 0.0, 0.0, 0.0]
    coarse, fine = (solver.simulate(q, v, t_end=2.0, dt=dt).energy_drift for dt in (1e-2, 5e-3))
    assert fine < 5e-6
    assert coarse / fine > 20
