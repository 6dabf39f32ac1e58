"""A planar uniform Euler–Bernoulli beam on a floating frame at x = 0, from its displacements.

What a section does is ρ(x) = (x + ψ·η, φ·η), turned by φ'·η. Differentiating the position of
every section and integrating virtual power over the length gives the balance

    M (a_F, η̈) + p = what the ends do,

with a_F = (r̈, Ω̇) of the floating frame; ξ = x/L, and all integrals are exact. In the frame's
axes; gravity is an acceleration of the ground and appears nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix

XI = sp.Symbol("xi", real=True)
#: Mass, length, stiffnesses EA and EI, and the factor of the stiffness matrix that damps.
MASS, LENGTH, AXIAL, BENDING, DAMPING = sp.symbols("m L EA EI damping", real=True)
#: Spin of the floating frame.
SPIN = sp.Symbol("w", real=True)


@dataclass(frozen=True)
class Shapes:
    """Shape functions of ξ at one or all places: ψ (axial), φ (bending), and φ' = dφ/dx.

    Shape
        Rows of one entry for each modal coordinate, axial ones first.
    """

    psi: sp.Matrix
    phi: sp.Matrix
    slope: sp.Matrix

    def at(self, xi: sp.Expr, length: sp.Expr) -> Shapes:
        """Their values at a place of a beam of that length."""
        values = {XI: xi, LENGTH: length}
        return Shapes(*(row.xreplace(values) for row in (self.psi, self.phi, self.slope)))


@cache
def shapes(axial: int, bending: int) -> Shapes:
    """ξ Pᵢ(2ξ − 1) and ξ² Pᵢ(2ξ − 1), Pᵢ Legendre's polynomials: clamped to the frame at ξ = 0."""

    def row(power: int, count: int) -> list[sp.Expr]:
        return [sp.expand(XI**power * sp.legendre(i, 2 * XI - 1)) for i in range(count)]

    psi = sp.Matrix([[*row(1, axial), *[sp.Integer(0)] * bending]])
    phi = sp.Matrix([[*[sp.Integer(0)] * axial, *row(2, bending)]])
    return Shapes(psi, phi, phi.diff(XI) / LENGTH)


@dataclass(frozen=True, eq=False)
class BeamBalance:
    """M and p of a beam, its first moment and stiffness.

    Shape
        `eta`, `rates`: columns of n symbols; `M`: (3 + n)², `p`: 3 + n; `first`: 2, the mass
        times the place of the centre of mass; `K`: n².
    Frame
        The floating frame.
    """

    eta: sp.Matrix
    rates: sp.Matrix
    M: sp.Matrix
    p: sp.Matrix
    first: sp.Matrix
    K: sp.Matrix


@dataclass(frozen=True)
class _Place:
    """A section's position seen from an inertial frame, ∂/∂(frame, η) and acceleration at rest.

    `jacobian`: 2×(3 + n); `bias`: r̈ if no speed changes.
    """

    jacobian: sp.Matrix
    bias: sp.Matrix


def coordinates(count: int) -> tuple[sp.Matrix, sp.Matrix]:
    """The modal coordinates and speeds, as columns of symbols."""
    return tuple(
        sp.Matrix(count, 1, sp.symbols(f"{letter}1:{count + 1}", real=True)) for letter in "qu"
    )


def displaced(of: Shapes, x: sp.Expr, eta: sp.Matrix) -> sp.Matrix:
    """ρ, where the section at x is in the floating frame."""
    return sp.Matrix([x, 0]) + of.psi.col_join(of.phi) * eta


def _place(rho: sp.Matrix, eta: sp.Matrix, rates: sp.Matrix) -> _Place:
    """Differentiate r = r_F + A(θ) ρ(η), in the axes that the frame has at the moment."""
    origin = sp.Matrix(sp.symbols("x_F y_F", real=True))
    velocity = sp.Matrix(sp.symbols("v_F1:3", real=True))
    theta = sp.Symbol("theta_F", real=True)
    c, s = sp.cos(theta), sp.sin(theta)
    r = origin + sp.Matrix([[c, -s], [s, c]]) * rho
    q = sp.Matrix([*origin, theta, *eta])
    u = sp.Matrix([*velocity, SPIN, *rates])
    jacobian = r.jacobian(q)
    bias = (jacobian * u).jacobian(q) * u
    return _Place(jacobian.subs(theta, 0), bias.subs(theta, 0))


def integral(left: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """∫ leftᵀ right over ξ from 0 to 1, of polynomials, exactly."""
    others = sorted((left.free_symbols | right.free_symbols) - {XI}, key=str)
    ring = sp.QQ[(XI, *others)]
    first, second = (DomainMatrix.from_Matrix(x).convert_to(ring) for x in (left, right))

    def one(entry: Any) -> sp.Expr:
        terms = (
            (c / (powers[0] + 1), zip(others, powers[1:], strict=True))
            for powers, c in entry.terms()
        )
        return sp.Add(
            *(sp.QQ.to_sympy(c) * sp.Mul(*(x**power for x, power in rest)) for c, rest in terms)
        )

    product = first.transpose() * second
    return sp.Matrix(*product.shape, lambda i, j: one(product[int(i), int(j)].element))


@cache
def balance(axial: int, bending: int) -> BeamBalance:
    """Virtual power of inertia and strain along the whole beam.

    Source
        Deduction paper, rigid–flexible systems; the balance is derived here.
    """
    of = shapes(axial, bending)
    eta, rates = coordinates(axial + bending)
    rho = displaced(of, LENGTH * XI, eta)
    place = _place(rho, eta, rates)
    stretch, bend = of.psi.diff(XI), of.phi.diff(XI, 2)
    K = AXIAL / LENGTH * integral(stretch, stretch) + BENDING / LENGTH**3 * integral(bend, bend)
    inertial = MASS * integral(place.jacobian, place.bias)
    elastic = K * (eta + DAMPING * rates)
    return BeamBalance(
        eta=eta,
        rates=rates,
        M=MASS * integral(place.jacobian, place.jacobian),
        p=inertial + sp.Matrix([0, 0, 0, *elastic]),
        first=MASS * integral(sp.ones(1, 1), rho.T).T,
        K=K,
    )


def section(axial: int, bending: int, xi: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
    """J and g of the section at ξ: its acceleration (r̈, Ω̇) is J (a_F, η̈) + g."""
    return section_at(shapes(axial, bending).at(xi, LENGTH), LENGTH * xi)


def section_at(of: Shapes, x: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
    """The same of the section at x, by the values of the functions there."""
    eta, rates = coordinates(of.psi.cols)
    place = _place(displaced(of, x, eta), eta, rates)
    turning = sp.Matrix([[0, 0, 1, *of.slope]])
    return place.jacobian.col_join(turning), place.bias.col_join(sp.zeros(1, 1))


@dataclass(frozen=True, eq=False)
class Transfer:
    """The beam's transfer equation z_O = `matrix` z_I from ξ = 0 to ξ = 1, and `modal` z_I = 0.

    Shape
        z = (ẍ, ÿ, Ω̇, m, q_x, q_y, η̈₁ …, 1): 7 + n entries; `modal`: n rows.
    Frame
        The floating frame.
    Sign
        The paper's: q is the force by the tip side on the root side.
    """

    matrix: sp.Matrix
    modal: sp.Matrix

    def eliminated(self) -> sp.Matrix:
        """The 7×7 matrix without modal accelerations, at numbers in place of all symbols.

        The modal rows are solved for them; that system is not symmetric, and ill-conditioned for
        many functions.
        """
        size = self.matrix.rows
        kept, modes = [*range(6), size - 1], list(range(6, size - 1))
        solved = self.modal[:, modes].LUsolve(-self.modal[:, kept])
        return self.matrix[kept, kept] + self.matrix[kept, modes] * solved


@cache
def transfer(axial: int, bending: int) -> Transfer:
    """The transfer equation with modal accelerations in the state, input at ξ = 0.

    Source
        Deduction paper, extended state of a flexible body; the matrix is derived here.
    """
    modes = axial + bending
    of = balance(axial, bending)
    J, g = section(axial, bending, sp.Integer(1))
    X, Y = J[:, :3], J[:, 3:]
    size = 7 + modes
    unit = sp.eye(size)
    a, eta, one = unit[:3, :], unit[6 : 6 + modes, :], unit[6 + modes :, :]
    # λ = (−q, m) is what the root side exerts.
    wrench = sp.Matrix.vstack(-unit[4:6, :], unit[3:4, :])
    moved = sp.Matrix([[1, 0, 0], [0, 1, 0], [-X[0, 2], -X[1, 2], 1]])
    at_output = moved * (wrench + of.M[:3, :] * a.col_join(eta) + of.p[:3, :] * one)
    load = sp.Matrix.vstack(at_output[2:3, :], -at_output[:2, :])
    motion = X * a + Y * eta + g * one
    modal = of.M[3:, :] * a.col_join(eta) + of.p[3:, :] * one - Y.T * at_output
    return Transfer(sp.Matrix.vstack(motion, load, eta, one), modal)
