"""A planar uniform Euler–Bernoulli beam on a floating frame at x = 0, from its displacements.

What a section does is ρ(x) = (x + ψ·η − ½ ηᵀ G η, φ·η), turned by φ'·η. ψ·η is how much longer
the axis has become up to x; bending draws the section back by the foreshortening, half the
integral of the squared slope, G(x) = ∫ φ'ᵀ φ' from 0 to x: second order in the deformation. As
strain energy is that of ψ and φ alone, the virtual power of any axial force along ρ holds its
geometric stiffness: of inertia, of gravity, of what hangs on a section. Differentiating the
position of every section and integrating virtual power over the length gives the balance

    M (a_F, η̈) + p = what the ends do,

with a_F = (r̈, Ω̇) of the floating frame; ξ = x/L, and all integrals are exact, so that energy is
kept. In the frame's axes; gravity is an acceleration of the ground and appears nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from ...model import Beam
from ...model.expressions.differentiated import jacobian
from ...model.parts.shapes import ACROSS, ALONG, Stated, coefficients, count
from ..language.letters import letters

XI = sp.Symbol("xi", real=True)
#: Mass, length, stiffnesses EA and EI, and the factor of the stiffness matrix that damps.
MASS, LENGTH, AXIAL, BENDING, DAMPING = sp.symbols("m L EA EI damping", real=True)
#: Spin of the floating frame.
SPIN = sp.Symbol("w", real=True)

#: What the balance and the sections of a beam are written with.
LETTERS = letters("""
    q       | q       | 1 | | modal coordinate
    u       | u       | 1 | | rate of a modal coordinate
    w       | Ω       | 1 | | spin of the floating frame
    m       | m       | 1 | | mass of the beam
    L       | L       | 1 | | length of the beam
    EA      | EA      | 1 | | stiffness of the beam along its axis, N
    EI      | EI      | 1 | | bending stiffness of the beam, N m²
    damping | damping | 1 | | factor of the stiffness matrix that damps, s
    at      | at      | 1 | | place of the section along the undeformed beam, m
    turn    | turn    | 1 | | angle of the point's axes in the section
    psi     | psi     | 1 | | shape function along the axis, ψ, at the section
    phi     | phi     | 1 | | shape function across the axis, φ, at the section
    slope   | slope   | 1 | | slope of a shape function across the axis at the section, 1/m
    short   | short   | 1 | | entry of G at the section: ½ ηᵀ G η is the foreshortening, 1/m
""")


class Functions(NamedTuple):
    """A beam's shape functions along and across its axis; does bending shorten it?

    A number is that of built-in ones, texts are given ones, as `Beam` keeps them.
    """

    axial: Stated
    bending: Stated
    shortens: bool = True

    @classmethod
    def of(cls, beam: Beam) -> Functions:
        """Those of a beam; a single one across the axis shortens it too."""
        shortens = beam.foreshortening and beam.bending_modes > 0
        return cls(beam.axial, beam.bending, shortens)

    @property
    def counts(self) -> tuple[int, int]:
        """How many there are along the axis and across it."""
        return count(self.axial), count(self.bending)

    @property
    def modes(self) -> int:
        """The number of modal coordinates."""
        return sum(self.counts)

    @property
    def label(self) -> str:
        """What names of kernels end with; a hash tells given functions from others."""
        axial, bending = self.counts
        label = f"{axial}_{bending}{'_shortened' * self.shortens}"
        if self[:2] == (axial, bending):
            return label
        given = repr((self.axial, self.bending)).encode()
        return f"{label}_{sha256(given).hexdigest()[:12]}"


@dataclass(frozen=True)
class Shapes:
    """Shape functions of ξ at one or all places: ψ (axial), φ (bending), φ' = dφ/dx, and G.

    Shape
        `psi`, `phi`, `slope`: rows of one entry for each modal coordinate, axial ones first;
        `shortening`: G, symmetric, an entry (1/m) for each pair, zero where bending shortens
        nothing.
    """

    psi: sp.Matrix
    phi: sp.Matrix
    slope: sp.Matrix
    shortening: sp.Matrix

    def at(self, xi: sp.Expr, length: sp.Expr) -> Shapes:
        """Their values at a place of a beam of that length."""
        values = {XI: xi, LENGTH: length}
        return Shapes(*(matrix.xreplace(values) for matrix in self))

    def __iter__(self) -> Iterator[sp.Matrix]:
        return iter((self.psi, self.phi, self.slope, self.shortening))


@cache
def shapes(functions: Functions) -> Shapes:
    """Those given, or ξ Pᵢ(2ξ − 1) and ξ² Pᵢ(2ξ − 1) with Legendre's polynomials Pᵢ.

    All are clamped to the frame at ξ = 0.
    """

    def rows(stated: Stated, kind: int) -> list[sp.Expr]:
        return [
            sp.Add(*(sp.Rational(*x.as_integer_ratio()) * XI**k for k, x in enumerate(row)))
            for row in coefficients(stated, kind)
        ]

    axial, bending = functions.counts
    psi = sp.Matrix([[*rows(functions.axial, ALONG), *[sp.Integer(0)] * bending]])
    phi = sp.Matrix([[*[sp.Integer(0)] * axial, *rows(functions.bending, ACROSS)]])
    slope = phi.diff(XI)
    squares = (slope.T * slope).applyfunc(lambda f: sp.integrate(sp.expand(f), XI))
    return Shapes(psi, phi, slope / LENGTH, squares / LENGTH * int(functions.shortens))


def named(functions: Functions) -> Shapes:
    """The same of one place as symbols: `psi1` …, `phi1` …, `slope1` …, `short11` …."""
    (axial, bending), shortens = functions.counts, functions.shortens
    before, after = [sp.Integer(0)] * axial, [sp.Integer(0)] * bending

    def row(name: str, count: int) -> list[sp.Expr]:
        return [sp.Symbol(f"{name}{j}", real=True) for j in range(1, count + 1)]

    def pair(i: int, j: int) -> sp.Expr:
        return sp.Symbol(f"short{min(i, j) + 1}{max(i, j) + 1}", real=True)

    return Shapes(
        sp.Matrix([[*row("psi", axial), *after]]),
        sp.Matrix([[*before, *row("phi", bending)]]),
        sp.Matrix([[*before, *row("slope", bending)]]),
        sp.diag(sp.zeros(axial), sp.Matrix(bending, bending, pair) * int(shortens)),
    )


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
    shortened = (eta.T * of.shortening * eta)[0] / 2
    return sp.Matrix([x - shortened, 0]) + of.psi.col_join(of.phi) * eta


def _place(rho: sp.Matrix, eta: sp.Matrix, rates: sp.Matrix) -> _Place:
    """Differentiate r = r_F + A(θ) ρ(η), in the axes that the frame has at the moment."""
    origin = sp.Matrix(sp.symbols("x_F y_F", real=True))
    velocity = sp.Matrix(sp.symbols("v_F1:3", real=True))
    theta = sp.Symbol("theta_F", real=True)
    c, s = sp.cos(theta), sp.sin(theta)
    r = origin + sp.Matrix([[c, -s], [s, c]]) * rho
    q = sp.Matrix([*origin, theta, *eta])
    u = sp.Matrix([*velocity, SPIN, *rates])
    moved = jacobian(r, q)
    bias = jacobian(moved * u, q) * u
    return _Place(moved.subs(theta, 0), bias.subs(theta, 0))


def integral(left: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """∫ leftᵀ right over ξ from 0 to 1, of polynomials, exactly."""
    others = sorted((left.free_symbols | right.free_symbols) - {XI}, key=str)
    ring = sp.QQ[(XI, *others)]
    first, second = (DomainMatrix.from_Matrix(x).convert_to(ring) for x in (left, right))

    def one(entry: Any) -> sp.Expr:
        factors: Counter[tuple[int, ...]] = Counter()
        for (power, *rest), factor in entry.terms():
            factors[tuple(rest)] += factor / (power + 1)
        return sp.Add(*(sp.QQ.to_sympy(x) * monomial(rest) for rest, x in factors.items()))

    @cache
    def monomial(powers: tuple[int, ...]) -> sp.Expr:
        return sp.Mul(*(x**power for x, power in zip(others, powers, strict=True) if power))

    product = first.transpose() * second
    return sp.Matrix(*product.shape, lambda i, j: one(product[int(i), int(j)].element))


def stated(functions: Functions, let: Callable[[str, sp.Matrix], sp.Matrix]) -> BeamBalance:
    """Virtual power of inertia and strain along the whole beam, its parts stated by `let`.

    The foreshortening ½ ηᵀ G η is Σ P_d h_d with Legendre's polynomials P_d(2ξ − 1). A beam whose
    h are coordinates of their own has the balance M (a_F, η̈, ḧ) + p; here h = ½ N η with N, whose
    rows are ηᵀ G_d, so that δh = N δη and ḧ = N η̈ + N(η̇) η̇.

    Source
        Deduction paper, rigid–flexible systems, of a beam that bending does not shorten; the
        balance is derived here.
    """
    of = _lengthened(functions)
    orders = _orders(functions)
    if not orders:
        return of
    eta, rates = coordinates(functions.modes)
    N = let("N", sp.Matrix.vstack(*(eta.T * G for G in orders)) / LENGTH)
    h = let("h_s", N * eta / 2)
    rate = let("hd_s", N * rates)
    bias = let("hdd_s", sp.Matrix([(rates.T * G * rates)[0] / LENGTH for G in orders]).expand())
    known = dict(zip([*of.eta, *of.rates], [*eta, *h, *rates, *rate], strict=True))
    M, p, first = (x.xreplace(known) for x in (of.M, of.p, of.first))
    count = 3 + functions.modes
    crossed, own = let("M_s", M[:count, count:]), M[count:, count:]
    carried = let("MN_s", own * N)
    along = let("p_s", p[count:, :] + own * bias)
    added = sp.zeros(count, 3).row_join(crossed * N)
    squared = sp.diag(sp.zeros(3), N.T * carried)
    return BeamBalance(
        eta=eta,
        rates=rates,
        M=M[:count, :count] + added + added.T + squared,
        p=p[:count, :] + crossed * bias + sp.zeros(3, 1).col_join(N.T * along),
        first=first,
        K=of.K[: functions.modes, : functions.modes],
    )


@cache
def balance(functions: Functions) -> BeamBalance:
    """The same in the modal coordinates and speeds alone."""
    return stated(functions, lambda _, value: value)


@cache
def _orders(functions: Functions) -> tuple[sp.Matrix, ...]:
    """G L in Legendre's polynomials, one matrix for each degree."""
    squares = (LENGTH * shapes(functions).shortening).expand()
    if not any(squares):
        return ()

    def part(degree: int) -> sp.Matrix:
        weight = sp.expand((2 * degree + 1) * sp.legendre(degree, 2 * XI - 1))
        return squares.applyfunc(lambda f: integral(sp.Matrix([f]), sp.Matrix([weight]))[0])

    highest = max(map(len, coefficients(functions.bending, ACROSS))) - 1
    return tuple(part(degree) for degree in range(2 * highest))


@cache
def _lengthened(functions: Functions) -> BeamBalance:
    """The balance of a beam that further coordinates h shorten, each by P_d, without strain."""
    of, count = shapes(functions), len(_orders(functions))
    eta, rates = (
        own.col_join(sp.Matrix(count, 1, sp.symbols(f"{letter}:{count}", real=True)))
        for own, letter in zip(coordinates(functions.modes), ("h", "hd"), strict=True)
    )
    back = sp.Matrix(1, count, [-sp.expand(sp.legendre(d, 2 * XI - 1)) for d in range(count)])
    psi, phi = of.psi.row_join(back), of.phi.row_join(sp.zeros(1, count))
    rho = sp.Matrix([LENGTH * XI, 0]) + psi.col_join(phi) * eta
    place = _place(rho, eta, rates)
    stretch, bend = of.psi.diff(XI).row_join(sp.zeros(1, count)), phi.diff(XI, 2)
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


def section(functions: Functions, xi: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
    """J and g of the section at ξ: its acceleration (r̈, Ω̇) is J (a_F, η̈) + g."""
    return section_at(shapes(functions).at(xi, LENGTH), LENGTH * xi)


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
def transfer(functions: Functions) -> Transfer:
    """The transfer equation with modal accelerations in the state, input at ξ = 0.

    Source
        Deduction paper, extended state of a flexible body; the matrix is derived here.
    """
    modes = functions.modes
    of = balance(functions)
    J, g = section(functions, sp.Integer(1))
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
