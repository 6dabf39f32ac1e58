"""The page of the beam: shape functions, virtual power, transfer matrix, code and proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ..exact.evaluation import Points, Values, evaluated
from ..language.program import Kernel, Port
from ..mechanics import beams as beam
from ..mechanics.beams import (
    AXIAL,
    BENDING,
    DAMPING,
    LENGTH,
    MASS,
    SPIN,
    BeamBalance,
    Functions,
    Transfer,
)
from ..mechanics.frames import Path
from ..mechanics.hinges import section
from ..methods.riccati.dialect import wrench_to_loads
from ..tree import beam_kernels
from .page import Check, ElementPage, Section, Statement, kernel_section

#: Shape functions that are shown: one along the axis, two across it.
SHOWN = Functions(1, 2)

POINTS = 3

SEED = 2015

POWER = "virtual power of the beam, integrated exactly"
APPENDED = "deduction paper, state with modal accelerations; derived here"


@dataclass(frozen=True, eq=False)
class BeamForms:
    """What the page states of a beam, and what is emitted for it."""

    balance: BeamBalance
    transfer: Transfer
    link: Kernel
    relative: Kernel

    @classmethod
    def of(cls, functions: Functions) -> BeamForms:
        return cls(
            beam.balance(functions),
            beam.transfer(functions),
            beam_kernels.link.of(
                dimension=2, functions=functions, count=functions.modes, input_count=1, forced=False
            ),
            beam_kernels.relative.of(dimension=2, functions=functions, backward=False),
        )


CLAIMS = {
    "motion": "velocity, spin and their rates of the kernel for a section are those of its pose, "
    "differentiated",
    "power": "M is symmetric, and d/dt of the kinetic energy, spin and frame held, is that of M, p",
    "form": "with z_a = S z_b + e at the input the transfer matrix and its modal rows give S, e at "
    "the output; the kernel gives the same, S = Π IA, e = Π pA",
}


def beam_page() -> ElementPage:
    """Derive and prove the uniform beam with one axial and two bending functions."""
    forms = BeamForms.of(SHOWN)
    return ElementPage(
        element="beam",
        dimension=2,
        title="beam in the plane",
        summary="A uniform Euler–Bernoulli beam on a floating frame at its end ξ = 0, here its "
        "input; q1 is the axial modal coordinate, q2 and q3 those of bending, u their speeds, "
        "w the frame's spin. Components in the frame's axes.",
        sections=tuple(_sections(forms)),
        checks=beam_checks(forms),
    )


def _sections(forms: BeamForms) -> Iterator[Section]:
    shapes = beam.shapes(SHOWN)
    eta = forms.balance.eta
    yield Section(
        "Shape functions",
        (
            Statement("ξ Pᵢ(2ξ − 1) along the axis, ξ² Pᵢ(2ξ − 1) across it, clamped to the frame"),
            Statement("", "psi", shapes.psi, "Legendre's polynomials"),
            Statement("", "phi", shapes.phi, "Legendre's polynomials"),
            Statement("", "slope", shapes.slope, "dφ/dx, x = L ξ"),
            Statement("bending draws the section back by ½ ηᵀ G η, of second order in η"),
            Statement("", "G", shapes.shortening, "∫ slopeᵀ slope dx up to the section"),
            Statement(
                "where the section at ξ is", "rho", beam.displaced(shapes, LENGTH * beam.XI, eta)
            ),
        ),
    )
    yield Section(
        "Balance",
        (
            Statement("M (a_I, η̈) + p = J_Oᵀ λ_O − J_Iᵀ λ_I, with λ = (−q, m)", source=POWER),
            *_stated(),
            Statement(
                "G makes axial forces stiffen the beam or buckle it; `foreshortening = false` in a "
                "model leaves it out: for spins well below the first bending frequency alone"
            ),
        ),
    )
    J, g = beam.section(SHOWN, sp.Integer(1))
    yield Section(
        "Output section",
        (
            Statement("a_O = J_O (a_I, η̈) + g_O", source="the section's place, differentiated"),
            Statement("", "J_O", J, "∂ of the velocities"),
            Statement("", "g_O", g, "the rest"),
        ),
    )
    yield Section(
        "Paper form",
        (
            Statement("z = [r̈; Ω̇; m; q; η̈; 1]: z_O = U z_I, and the modal rows vanish on z_I"),
            Statement("", "U", forms.transfer.matrix.expand(), APPENDED),
            Statement("", "rows", forms.transfer.modal.expand(), APPENDED),
        ),
    )
    about = "what a section's point does, seen from the floating frame"
    yield kernel_section("Fast form: relative motion of a section", forms.relative, about)
    about = "λ = IA a + pA at the output, the modal accelerations eliminated: η̈ = k − G a_O"
    yield kernel_section("Fast form: elimination", forms.link, about)


def _stated() -> Iterator[Statement]:
    """The balance by its parts: ½ ηᵀ G η is Σ P_d h_d, of which `N`, `h_s`, … say the rest."""
    said: list[Statement] = []

    def let(name: str, value: sp.Matrix) -> sp.Matrix:
        said.append(Statement("", name, value, POWER))
        return Port(name, *value.shape).symbols()

    of = beam.stated(SHOWN, let)
    yield Statement("with Legendre’s P_d(2ξ − 1), ½ ηᵀ G η = Σ P_d h_s; its rate and bias at rest")
    yield from said
    yield Statement("", "M", of.M, POWER)
    yield Statement("", "p", of.p, POWER)


def beam_checks(forms: BeamForms, count: int = POINTS) -> tuple[Check, ...]:
    """Prove every claim."""
    points, where = Points(SEED), dict.fromkeys(CLAIMS, "")
    for number in range(count):
        for name, difference in _differences(points, forms).items():
            wrong = [k + 1 for k, x in enumerate(difference) if x != 0]
            if wrong and not where[name]:
                where[name] = f"point {number + 1}, component {wrong[0]}"
    return tuple(Check(claim, count, where[name]) for name, claim in CLAIMS.items())


def _differences(points: Points, forms: BeamForms) -> dict[str, sp.Matrix]:
    of = forms.balance
    known = dict(zip([*of.eta, *of.rates, SPIN], points.vector(2 * len(of.eta) + 1), strict=True))
    positive = (MASS, LENGTH, AXIAL, BENDING, DAMPING)
    known |= {symbol: abs(points.number()) for symbol in positive}
    IA, pA = points.positive(3), points.vector(3)
    paper, fast = _by_matrix(forms, known, IA, pA), _by_kernel(forms, known, IA, pA)
    return {
        "motion": _motion(points, forms, known),
        "power": _power(of).xreplace(known),
        "form": paper - fast,
    }


def _motion(points: Points, forms: BeamForms, known: Values) -> sp.Matrix:
    """The relative kernel against the pose of a section, differentiated."""
    of = section(SHOWN)
    names = sorted(of.rotation.free_symbols | of.position.free_symbols, key=str)
    values = {**known, **{x: points.number() for x in names if x not in known}}
    angle = next(iter(of.rotation.atoms(sp.cos))).args[0]
    values[sp.cos(angle)], values[sp.sin(angle)] = points.circle()
    frame = Path.along(of).at(values, sp.zeros(len(of.u), 1))
    given = {
        port.name: sp.Matrix([values[sp.Symbol(port.name, real=True)]])
        for port in forms.relative.inputs
        if port.name not in ("K", "rk")
    }
    given |= {"K": sp.eye(2), "rk": sp.zeros(2, 1)}
    found = evaluated(forms.relative, given, values)
    rate = sp.Matrix.vstack(found["br"], found["bw"])
    return sp.Matrix.vstack(
        sp.Matrix.vstack(found["vr"], found["wr"]) - frame.velocity(), rate - frame.acceleration()
    )


def _power(of: BeamBalance) -> sp.Matrix:
    """Of a still frame: M = Mᵀ, and u·p is what the energy gains, but for damping."""
    still = {SPIN: sp.S.Zero, DAMPING: sp.S.Zero}
    Mee, pe = of.M[3:, 3:], of.p[3:, :].xreplace(still)
    energy = (of.rates.T * Mee * of.rates + of.eta.T * of.K * of.eta)[0] / 2
    gained = sum(energy.diff(x) * dx for x, dx in zip(of.eta, of.rates, strict=True))
    skew = of.M - of.M.T
    return sp.Matrix([*skew, gained - (of.rates.T * pe)[0]])


def _by_matrix(forms: BeamForms, known: Values, IA: sp.Matrix, pA: sp.Matrix) -> sp.Matrix:
    """S and e at the output from the transfer matrix and what hangs at the input."""
    matrix = forms.transfer.matrix.xreplace(dict(known))
    modal = forms.transfer.modal.xreplace(dict(known))
    modes, Pi = modal.rows, wrench_to_loads(2)
    at_input = sp.zeros(7 + modes, 4 + modes)
    at_input[:3, :3] = sp.eye(3)
    at_input[3:6, :3], at_input[3:6, 3 + modes] = Pi * IA, Pi * pA
    at_input[6:, 3:] = sp.eye(1 + modes)
    rows = modal * at_input
    kept = [0, 1, 2, 3 + modes]
    back = sp.zeros(4 + modes, 4)
    back[:3, :3], back[3 + modes, 3] = sp.eye(3), 1
    back[3 : 3 + modes, :] = rows[:, 3 : 3 + modes].LUsolve(-rows.extract(range(modes), kept))
    at_output = matrix * at_input * back
    S = at_output[3:6, :3] * at_output[:3, :3].inv()
    return S.row_join(at_output[3:6, 3] - S * at_output[:3, 3])


def _by_kernel(forms: BeamForms, known: Values, IA: sp.Matrix, pA: sp.Matrix) -> sp.Matrix:
    """The same from the kernel, all axes those of the floating frame."""
    J, g = (part.xreplace(dict(known)) for part in beam.section(SHOWN, sp.Integer(1)))
    back, modes = J[:, :3].inv(), J.cols - 3
    given = {str(symbol): sp.Matrix([value]) for symbol, value in known.items()}
    given |= {"IAt_I1": IA, "pAt_I1": pA, "C_I1": sp.eye(2), "r_I1": sp.zeros(2, 1)}
    given |= {"gam_I1": sp.zeros(3, 1), "H_I1": sp.zeros(3, modes)}
    given |= {"C_O": sp.eye(2), "r_O": sp.Matrix([-J[1, 2], J[0, 2]])}
    given |= {"gam_O": -back * g, "H_O": -back * J[:, 3:]}
    found = evaluated(forms.link, {port.name: given[port.name] for port in forms.link.inputs})
    Pi = wrench_to_loads(2)
    return (Pi * found["IA"]).row_join(Pi * found["pA"])
