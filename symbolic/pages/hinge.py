"""The page of a kind of hinge: pose, motion, constraints, transfer relations, code and proof."""

from __future__ import annotations

import sympy as sp

from ...model.parts.hinge_kinds import HINGE_KINDS, HingeKind
from ..mechanics.hinges import Joint, joint, tidy
from ..mechanics.space import Space
from ..methods.riccati.dialect import wrench_to_loads
from .hinge_proof import Kernels, Paper, force_symbols, hinge_checks, spin_symbols
from .page import ElementPage, Section, Statement, kernel_section

DEDUCTION = "deduction paper, hinge element; completed"
OWN = "own"


def hinge_page(dimension: int, kind: str) -> ElementPage:
    """Derive and prove a kind of hinge."""
    of = joint(dimension, kind)
    paper = paper_form(of)
    record = HINGE_KINDS[dimension][kind]
    freedoms = f"{record.speeds} {'freedom' if record.speeds == 1 else 'freedoms'}"
    return ElementPage(
        element=kind,
        dimension=dimension,
        title=f"{kind} hinge {'in the plane' if dimension == 2 else 'in space'}",
        summary=f"A hinge of {freedoms}: the child {record.does}.",
        sections=(
            _pose(of),
            _motion(of),
            _constraints(paper.D, record),
            _relations(of),
            _paper_section(paper),
            *_fast_form(of, kind),
        ),
        checks=hinge_checks(dimension, kind, paper),
    )


def constrained(of: Joint) -> sp.Matrix:
    """D: the columns span what the hinge does not let happen, Dᵀ H = 0.

    Source
        Own: the null space of Hᵀ, free of denominators.
    """
    found = []
    for vector in of.subspace.T.nullspace() if len(of.u) else list(_columns(of)):
        denominator = sp.lcm_list([sp.fraction(sp.together(x))[1] for x in vector])
        found.append((vector * denominator).applyfunc(sp.cancel))
    return sp.Matrix.hstack(*found) if found else sp.zeros(of.subspace.rows, 0)


def _columns(of: Joint) -> list[sp.Matrix]:
    unit = sp.eye(of.subspace.rows)
    return [unit[:, k] for k in range(unit.cols)]


def _pose(of: Joint) -> Section:
    lines = [
        Statement("of the child's point frame, as seen from the parent's"),
        *([Statement("", "q", of.q, "coordinates")] if len(of.q) else []),
        Statement("", "R", of.rotation, "child to parent axes"),
        Statement("", "p", of.position, "in parent axes"),
    ]
    if len(of.q) and of.rates != of.u:
        lines.append(Statement("the coordinates' rates from the speeds u", "qd", of.rates, OWN))
    return Section("Relative pose", tuple(lines))


def _motion(of: Joint) -> Section:
    H = of.subspace
    lines = [
        Statement("in the child's axes; found by differentiation, dR/dt = R ~w"),
        Statement("", "v", of.velocity, "v = Rᵀ dp/dt"),
        Statement("", "w", of.spin, "~w = Rᵀ dR/dt"),
    ]
    if H.cols:
        lines.append(Statement("motion subspace: (v, w) = H u", "H", H, "∂(v, w)/∂u"))
    lines += [
        Statement("bias, the part that remains where the speeds stay constant"),
        Statement("", "b_v", of.bias, "Rᵀ d²p/dt² at constant u"),
        Statement("", "b_w", of.twist, "dw/dt at constant u"),
    ]
    return Section("Relative velocity, motion subspace and bias", tuple(lines))


def _constraints(D: sp.Matrix, record: HingeKind) -> Section:
    if not D.cols:
        lines = [Statement("nothing: H spans every motion, and the hinge carries only τ")]
    else:
        lines = [
            Statement("relative motions that the hinge prevents, and wrenches that it carries"),
            Statement("", "D", D, "Dᵀ H = 0"),
        ]
    if record.why_not_cut:
        lines.append(Statement(f"where it closes a loop it cannot be cut: {record.why_not_cut}"))
    return Section("What it constrains", tuple(lines))


def _bias(of: Joint) -> sp.Matrix:
    """γ of a_I = X⁻¹ a_O + γ + H u̇, the child at the tip side, in the child's axes."""
    space, d = Space(of.dimension), of.dimension
    spin = spin_symbols(d)
    arm = of.rotation.T * of.position

    def cross(w: sp.Matrix, r: sp.Matrix) -> sp.Matrix:
        return space.turn(w, r)

    linear = cross(spin, cross(spin, arm)) + 2 * cross(spin, of.velocity) + of.bias
    angular = of.twist if d == 2 else cross(spin, of.spin) + of.twist
    return tidy(sp.Matrix.vstack(linear, angular))


def _shift(of: Joint) -> sp.Matrix:
    """X(d) from the tip side I (the child's point) to the root side O, in the child's axes."""
    return Space(of.dimension).shift(tidy(-of.rotation.T * of.position))


def _relations(of: Joint) -> Section:
    X = _shift(of)
    lines = [
        Statement(
            "the child at the tip side, its end the hinge's input I; components in the "
            "child's axes, Ω the parent's angular velocity; d = r_O − r_I = −Rᵀ p"
        ),
        Statement("a_O = X a_I + H_O u̇ + γ_O", source=DEDUCTION),
        Statement("", "X", X, "X(d) = [1, −~d; 0, 1]"),
    ]
    if len(of.u):
        lines.append(Statement("", "H_O", tidy(-X * of.subspace), "−X H: seen from the child"))
    lines += [
        Statement(
            "",
            "gamma_O",
            tidy(-X * _bias(of)),
            "−X γ, γ = (~Ω~Ω r + 2 ~Ω v + b_v, ~Ω w + b_w), r = Rᵀ p",
        ),
        Statement("λ_I = Xᵀ λ_O: the hinge has no mass", source=DEDUCTION),
    ]
    if len(of.u):
        lines.append(Statement("H_Oᵀ λ_O = −τ: the forces that act in the hinge", source=DEDUCTION))
    return Section("Transfer relations", tuple(lines))


def paper_form(of: Joint) -> Paper:
    """The matrices of z = [a; m; q; u̇; 1] and the added rows.

    Source
        Deduction paper for the state that carries further accelerations along; the rows are own.
    """
    n, f = Space(of.dimension).motion, len(of.u)
    X, Pi = _shift(of), wrench_to_loads(of.dimension)
    H, gamma = -X * of.subspace, -X * _bias(of)
    size = 2 * n + f + 1
    U = sp.eye(size)
    U[:n, :n] = X
    U[n : 2 * n, n : 2 * n] = Pi * X.inv().T * Pi.T
    U[:n, size - 1] = gamma
    rows = sp.zeros(f, size)
    if f:
        U[:n, 2 * n : 2 * n + f] = H
        rows[:, n : 2 * n] = (Pi * H).T
        rows[:, size - 1] = sp.Matrix(force_symbols(f))
    return Paper(constrained(of), tidy(U), tidy(rows))


def _paper_section(paper: Paper) -> Section:
    lines = [
        Statement(
            "z = [r̈; Ω̇; m; q; u̇; 1]: a hinge does not determine its own relative acceleration, "
            "so the state carries u̇ along, and as many rows are added"
        ),
        Statement("z_O = U z_I", "U", paper.U, DEDUCTION),
    ]
    if paper.rows.rows:
        lines.append(Statement("vanishes on z_O: (Π H_O)ᵀ (m, q) + τ", "rows", paper.rows, OWN))
    return Section("Paper form", tuple(lines))


def _fast_form(of: Joint, kind: str) -> tuple[Section, ...]:
    kernels = Kernels.of(of.dimension, kind, False)
    return (
        kernel_section(
            "Fast form: relative motion",
            kernels.relative,
            "K and rk are the axes and the place of the parent's point in its link",
        ),
        kernel_section(
            "Fast form: elimination",
            kernels.hinge,
            "tips to root: λ = IA a + pA before the hinge, IAt and pAt at the parent's origin",
        ),
        kernel_section(
            "Fast form: accelerations",
            kernels.accelerate,
            "root to tips: the hinge's own acceleration u̇ = k − G a0, then the link's",
        ),
    )
