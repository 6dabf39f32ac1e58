"""Motion equations of trees in closed form: screw paper (78)–(88).

Mass matrix, its slopes and Christoffel's symbols are judged by sums over particles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.screws import Ad_turn, ad, ad_spin, angular, bar, bracket, hat
from ...exact.series import Series
from .body_fixed import system
from .cases import entry
from .checks import At
from .lagrange import bearing, lagrange, total
from .particles import Cloud, generalised_forces
from .recursion import Given, applied, body_fixed, forces, hybrid, spatial
from .tree import Motion, Tree

# Euler–Jourdain


def projected(tree: Tree) -> Sides:
    """Jᵀ (M V̇ − … − W) is what the joints must give, in each representation."""
    at = At(tree)
    needed = generalised_forces(tree, forces(tree))
    bodies = tree.numbers

    def by(columns: Callable[[int, int], sp.Matrix], rest: Callable[[int], sp.Matrix]) -> sp.Matrix:
        left = {i: rest(i) for i in bodies}
        return sp.Matrix([total((columns(i, j).T * left[i])[0] for i in bodies) for j in bodies])

    app = {algorithm: applied(tree, algorithm) for algorithm in (body_fixed, spatial, hybrid)}

    def in_body(i: int) -> sp.Matrix:
        M, V = tree.M[i], at.m.Vb(i)
        return M * V.at(1) - ad(V.value).T * M * V.value - app[body_fixed][i]

    def in_space(i: int) -> sp.Matrix:
        back = screws.Ad(screws.inverse(at.m.C[i].value))
        M, V = back.T * tree.M[i] * back, at.m.Vs(i)
        return M * V.at(1) - ad(V.value).T * M * V.value - app[spatial][i]

    def between(i: int) -> sp.Matrix:
        turn = Ad_turn(screws.turn(at.m.C[i].value))
        M, V = turn * tree.M[i] * turn.T, at.m.Vh(i)
        turning = ad_spin(V.value[:3, :]) * M * angular(V.value)
        return M * V.at(1) + turning - app[hybrid][i]

    yield needed, by(at.Jb, in_body)
    yield needed, by(_spatial_columns(at), in_space)
    yield needed, by(at.Jh, between)


def _spatial_columns(at: At) -> Callable[[int, int], sp.Matrix]:
    return lambda i, j: at.Js(j) if j in at.tree.path(i) else sp.zeros(6, 1)


def reactions(tree: Tree) -> Sides:
    """(78): what its joints' constraints exert on each body does no work in any joint.

    A joint carries its driving force, along an unit of its screw, and a reaction that is
    reciprocal to it: the reaction is what the transmitted wrench has besides.
    """
    swept = body_fixed(Given(tree, sp.zeros(6, 1), applied(tree, body_fixed)))
    needed = generalised_forces(tree, forces(tree))
    for n, i in enumerate(tree.numbers):
        X = tree.X[i]
        reaction = swept.W[i] - X * needed[n] / (X.T * X)[0]
        yield X.T * reaction, sp.zeros(1, 1)


def momentum_form(tree: Tree) -> Sides:
    at = At(tree)
    app, bodies = applied(tree, spatial), tree.numbers
    before = {0: sp.zeros(6, 1)}
    column = _spatial_columns(at)
    demands = {}
    for i, parent in tree.parents.items():
        cloud, C = Cloud(at.m, i), at.m.C[i]
        momentum = cloud.momentum(Series.constant(sp.eye(4), C.order))
        back = screws.Ad(screws.inverse(C.value))
        M = back.T * tree.M[i] * back
        moved = at.sum(i, lambda j: at.Js(j) * at.q(j, 1))
        yield momentum.value, M * moved
        before[i] = M.LUsolve(momentum.value)
        yield at.Js(i) * at.q(i, 1), before[i] - before[parent]
        demands[i] = momentum.at(1) - app[i]
    needed = [total((column(i, j).T * demands[i])[0] for i in bodies) for j in bodies]
    yield generalised_forces(tree, forces(tree)), sp.Matrix(needed)


# Lagrange


def inertial_forces(tree: Tree) -> sp.Matrix:
    """Σ m ẍ · ∂x/∂q."""
    return generalised_forces(tree, {i: 0 * tree.bodies[i].points for i in tree.numbers})


def equations_of_motion(tree: Tree) -> Sides:
    """(81): d/dt ∂T/∂q̇ − ∂T/∂q by M and its slopes, then by Christoffel's symbols and by C."""
    at, of, closed = At(tree), lagrange(tree), Closed(At(tree))
    needed, u = inertial_forces(tree), at.rates(1)
    bodies, pushed = tree.numbers, of.mass() * at.rates(2)
    slopes = [of.matrix(lambda i, j, k=k: of.slopes[i, j, k]) for k in bodies]  # type: ignore[misc]
    energy = sp.Matrix([(u.T * slope * u)[0] / 2 for slope in slopes])
    yield needed, pushed, of.mass_rate(at) * u, -energy
    turned = [
        total(of.christoffel(i, j, k) * at.q(j, 1) * at.q(k, 1) for j in bodies for k in bodies)
        for i in bodies
    ]
    yield "86", needed, pushed, sp.Matrix(turned)
    yield "1", needed, closed.J.T * closed.M * closed.J * at.rates(2), closed.C * u


class Closed:
    """The matrices of (82)–(85): A, a, b, J, M and X of the system."""

    def __init__(self, at: At) -> None:
        tree = at.tree
        self.at = at
        self.A, self.a, self.J = system(at)
        self.X = at.diagonal(lambda i: tree.X[i])
        self.M = at.diagonal(lambda i: tree.M[i])
        self.b = at.diagonal(lambda i: ad(at.m.Vb(i).value))
        self.momenta = at.diagonal(lambda i: bar(tree.M[i] * at.m.Vb(i).value))

    @property
    def MAa(self) -> sp.Matrix:
        return self.M * self.A * self.a

    @property
    def C(self) -> sp.Matrix:
        """(85)"""
        return -self.J.T * (self.MAa + self.b.T * self.M) * self.J

    @property
    def C_skew(self) -> sp.Matrix:
        """With bar(M V) in the place of ad_Vᵀ M: Ṁ − 2C is skew."""
        return -self.J.T * (self.MAa + self.momenta) * self.J

    @property
    def C_christoffel(self) -> sp.Matrix:
        """Σ Γ_ijk q̇_k."""
        half = (self.b.T * self.M + self.momenta - self.M * self.b) / 2
        return -self.J.T * (self.MAa + half) * self.J


def mass_matrix(tree: Tree) -> Sides:
    at = At(tree)
    closed = Closed(at)
    found = lagrange(tree).mass()
    yield found, closed.J.T * closed.M * closed.J
    yield found, sp.Matrix([[_trace(at, i, j) for j in tree.numbers] for i in tree.numbers])


def second_moments(tree: Tree, body: int) -> sp.Matrix:
    """Σ m (p, 1)(p, 1)ᵀ of a body."""
    lifted = sp.Matrix.vstack(tree.bodies[body].points, sp.ones(1, tree.bodies[body].points.cols))
    return lifted * sp.diag(*tree.bodies[body].masses) * lifted.T


def _trace(at: At, i: int, j: int) -> sp.Expr:
    """Σ tr(∂C/∂q_i Σ ∂C/∂q_jᵀ): ½ tr(Ċ Σ Ċᵀ) is the kinetic energy."""

    def slope(body: int, k: int) -> sp.Matrix:
        return at.partial(k, of=Motion.relative, at=(0, body))

    return total(
        (slope(body, i) * second_moments(at.tree, body) * slope(body, j).T).trace()
        for body in bearing(at.tree, i, j)
    )


def energy_slope(tree: Tree) -> Sides:
    """∂V/∂q = A b X, so that ∂T/∂q = (M A b X)ᵀ J q̇."""
    at, of = At(tree), lagrange(tree)
    closed, u = Closed(at), At(tree).rates(1)
    bodies = tree.numbers
    found = [
        (u.T * of.matrix(lambda i, j, k=k: of.slopes[i, j, k]) * u)[0] / 2  # type: ignore[misc]
        for k in bodies
    ]
    yield sp.Matrix(found), (closed.M * closed.A * closed.b * closed.X).T * closed.J * u


def coriolis(tree: Tree) -> Sides:
    """(84) as printed but for lost signs, (85), and the lemma between them."""
    at = At(tree)
    of = Closed(at)
    yield of.A * (of.a * of.J + of.b * of.X), of.b * of.J
    first = -of.J.T * (of.MAa.T + of.MAa) * of.J - (of.M * of.A * of.b * of.X).T * of.J
    second = -(of.a * of.J + of.b * of.X).T * of.A.T * of.M * of.J - of.J.T * of.MAa * of.J
    yield of.C, first
    yield of.C, second
    yield "85", of.C * at.rates(1), lagrange(tree).coriolis(at) * at.rates(1)
    u = at.rates(1)
    for C in (of.C, of.C_skew, of.C_christoffel):
        yield C * u, lagrange(tree).coriolis(at) * u


def skewness(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    of, rate, u = Closed(at), lagrange(tree).mass_rate(at), at.rates(1)
    yield u.T * (rate - 2 * of.C) * u, sp.zeros(1, 1)
    for C in [of.C] if printed else [of.C_skew, of.C_christoffel]:
        yield rate - 2 * C, -(rate - 2 * C).T


def christoffel_matrix(tree: Tree) -> Sides:
    at = At(tree)
    yield lagrange(tree).coriolis(at), Closed(at).C_christoffel


def _columns(at: At) -> dict[int, dict[int, sp.Matrix]]:
    """J_lj of every body body, by the joints j that move it."""
    tree = at.tree
    return {body: {j: at.Jb(body, j) for j in tree.path(body)} for body in tree.numbers}


def _triples(tree: Tree, printed: bool) -> Iterator[tuple[int, ...]]:
    """All i, j, k; of the print, those of its range on a path."""

    def stated(i: int, j: int, k: int) -> bool:
        first, second, third = (len(tree.path(x)) for x in (i, j, k))
        in_range = first < second <= third or second <= first < third
        return in_range and any(bearing(tree, i, j, k))

    every = product(tree.numbers, repeat=3)
    return (triple for triple in every if not printed or stated(*triple))


def symbols_by_screws(tree: Tree, printed: bool = False) -> Sides:
    at, of = At(tree), lagrange(tree)
    columns = _columns(at)
    for i, j, k in _triples(tree, printed):
        found = sp.Integer(0)
        for body in bearing(tree, i, j, k):
            M, J = tree.M[body], columns[body]
            s, r = sorted((i, j) if printed else (j, k), key=tree.path(body).index)
            found += (J[k].T * M * bracket(J[i], J[j]))[0]
            found += (J[j].T * M * bracket(J[i], J[k]))[0]
            found += (J[i].T * M * bracket(J[s], J[r]))[0]
        yield sp.Matrix([of.christoffel(i, j, k)]), sp.Matrix([found / 2])


def symbols_by_second_moments(tree: Tree) -> Sides:
    """Γ_ijk = Σ tr(J_i^ Σ (J_s^ J_r^)ᵀ) with s before r of j and k."""
    at, of = At(tree), lagrange(tree)
    columns = _columns(at)
    for i, j, k in _triples(tree, printed=False):
        found = sp.Integer(0)
        for body in bearing(tree, i, j, k):
            s, r = (hat(columns[body][x]) for x in sorted((j, k), key=tree.path(body).index))
            found += (hat(columns[body][i]) * second_moments(tree, body) * (s * r).T).trace()
        yield sp.Matrix([of.christoffel(i, j, k)]), sp.Matrix([found])


def symbols_by_binet(tree: Tree) -> Sides:
    """The print: ½ Σ J_jᵀ M̌ ad_{ʷJ_k} J_i, M̌ with Binet's inertia ½ tr Θ − Θ at the centre."""
    at, of = At(tree), lagrange(tree)
    columns = _columns(at)
    for i, j, k in _triples(tree, printed=True):
        found = sp.Integer(0)
        for body in bearing(tree, i, j, k):
            J = columns[body]
            found += (J[j].T * _binet(tree, body) * ad(angular(J[k])) * J[i])[0] / 2
        yield sp.Matrix([of.christoffel(i, j, k)]), sp.Matrix([found])


def _binet(tree: Tree, body: int) -> sp.Matrix:
    m = sum(tree.bodies[body].masses)
    back = screws.Ad_shift(-tree.bodies[body].points * tree.bodies[body].masses / m)
    centred = back.inv().T * tree.M[body] * back.inv()
    theta = centred[:3, :3]
    binet = sp.diag(theta.trace() / 2 * sp.eye(3) - theta, m * sp.eye(3))
    return back.T * binet * back


def mass_slopes(tree: Tree) -> Sides:
    """∂M_ij/∂q_k = Σ ([J_i, J_k]ᵀ M J_j for i < k) + (J_iᵀ M [J_j, J_k] for j < k)."""
    at, of = At(tree), lagrange(tree)
    columns = _columns(at)
    for i, j, k in product(tree.numbers, repeat=3):
        found = sp.Integer(0)
        for body in bearing(tree, i, j, k):
            M, J = tree.M[body], columns[body]
            if at.ordered(i, k, body):
                found += (bracket(J[i], J[k]).T * M * J[j])[0]
            if at.ordered(j, k, body):
                found += (J[i].T * M * bracket(J[j], J[k]))[0]
        yield sp.Matrix([of.slopes[i, j, k]]), sp.Matrix([found])


ENTRIES = (
    entry(
        "78",
        "the joints' reactions do no work",
        reactions,
        "J_iᵀ W_c = 0 of the constraints' wrenches",
    ),
    entry(
        "79",
        "Euler–Jourdain equations, in three representations",
        projected,
        "Jᵀ (M V̇ − ad_Vᵀ M V − W) = Q",
    ),
    entry(
        "80",
        "motion equations by spatial momenta",
        momentum_form,
        "Jˢᵀ (Π̇ˢ − Wˢ) = Q, Πˢ_i = Mˢ_i Σ J_j q̇_j",
    ),
    entry(
        "81",
        "Lagrange's equations",
        equations_of_motion,
        "M(q) q̈ + C(q, q̇) q̇ = Q",
    ),
    entry("82", "mass matrix Jᵀ M J, and by 4×4 matrices", mass_matrix, "M = Jᵀ diag(M_i) J"),
    entry(
        "83",
        "slope of the kinetic energy",
        energy_slope,
        "∂T/∂q = (M A b X)ᵀ J q̇, b = diag(ad_{V_i})",
    ),
    entry(
        "84",
        "Coriolis matrix",
        coriolis,
        "C = −Jᵀ ((M A a)ᵀ + M A a) J − (M A b X)ᵀ J = −Jᵀ (M A a + bᵀ M) J",
    ),
    entry(
        "85, skew",
        "Coriolis matrices for which Ṁ − 2C is skew",
        skewness,
        "Ṁ − 2 C is skew for C = −Jᵀ (M A a + Π̄) J, Π̄ V = ad_Vᵀ M V",
        as_printed="Ṁ − 2 C is skew for (85)",
        correction="not claimed of (85), but often assumed: only q̇ᵀ (Ṁ − 2C) q̇ vanishes with it",
        kind="text",
    ),
    entry(
        "86",
        "Coriolis matrix of Christoffel's symbols",
        christoffel_matrix,
        "Σ Γ_ijk q̇_k = −Jᵀ (M A a + (bᵀ M + Π̄ − M b)/2) J",
    ),
    entry(
        "87",
        "Christoffel's symbols by screws, for all i, j, k",
        symbols_by_screws,
        "Γ_ijk = ½ Σ J_kᵀ M [J_i, J_j] + J_jᵀ M [J_i, J_k] + J_iᵀ M [J_s, J_r], "
        "s = min(j, k), r = max(j, k)",
        as_printed="Γ_ijk = ½ Σ J_kᵀ M [J_i, J_j] + J_jᵀ M [J_i, J_k] + J_iᵀ M [J_s, J_r], "
        "s = min(i, j), r = max(i, j)",
        correction="r and s are the later and the earlier of j and k, not of i and j",
    ),
    entry(
        "88",
        "Christoffel's symbols by second moments",
        symbols_by_second_moments,
        "Γ_ijk = Σ tr(J_i^ Σ (J_s^ J_r^)ᵀ)",
        printed=symbols_by_binet,
        as_printed="Γ_ijk = ½ Σ J_jᵀ M̌ ad_{ʷJ_k} J_i",
        correction="tr(J_i^ Σ (J_s^ J_r^)ᵀ); the printed form has another factor and "
        "loses m v_i·(ω_s × v_r)",
    ),
    entry(
        "Sect. 6.1",
        "slopes of the mass matrix",
        mass_slopes,
        "∂M_ij/∂q_k = Σ [J_i, J_k]ᵀ M J_j (i < k) + J_iᵀ M [J_j, J_k] (j < k)",
        kind="own",
    ),
)
