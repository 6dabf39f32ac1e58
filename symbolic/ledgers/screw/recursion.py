"""Recursive dynamics of trees in four representations: screw paper (66)–(77).

The algorithms take numbers and give the joints' generalised forces; d'Alembert's principle on
the particles judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Entry, Sides
from ...exact.motion import GROUND, Body
from ...exact.screws import Ad, Ad_shift, Ad_turn, ad, ad_spin, ad_velocity, angular, bracket, twist
from ...exact.series import Series
from .cases import entry
from .checks import At
from .particles import Cloud, framed, generalised_forces, unturned
from .tree import Tree, one_freedom

Vectors = dict[int, sp.Matrix]


@dataclass(frozen=True, eq=False)
class Given:
    """What inverse dynamics starts from: C_i, q̇, q̈, the ground's V̇ and the applied wrenches.

    Sign
        `ground` is (0, −g) to have weights without stating them.
    """

    tree: Tree
    ground: sp.Matrix
    applied: Mapping[int, sp.Matrix]
    sign: int = -1
    leaves: bool = True

    def pose(self, i: int) -> sp.Matrix:
        return self.tree.motion.C[i].value

    def relative(self, i: int, j: int) -> sp.Matrix:
        return screws.inverse(self.pose(i)) * self.pose(j)

    def shift(self, i: int, j: int) -> sp.Matrix:
        """r_{i,j}."""
        return screws.place(self.pose(j)) - screws.place(self.pose(i))

    def rate(self, i: int, order: int) -> sp.Expr:
        return self.tree.motion.q[i, 0].at(order)[0]

    def inward(
        self, balance: Callable[[int], sp.Matrix], transport: Callable[[int], sp.Matrix]
    ) -> Vectors:
        """W_i: the body's own balance, less what is applied, and what the children transmit."""
        bodies = self.tree.numbers
        W = {i: sp.zeros(6, 1) for i in bodies}
        for i in reversed(bodies):
            if self.leaves or i in self.tree.parents.values():
                W[i] += balance(i) + self.sign * self.applied[i]
            parent = self.tree.parent(i)
            if parent != GROUND:
                W[parent] += transport(i) * W[i]
        return W


@dataclass(frozen=True, eq=False)
class Swept:
    """Twists and accelerations, the wrenches that the joints transmit, and the joints' columns."""

    V: Vectors
    A: Vectors
    W: Vectors
    columns: Vectors

    @property
    def Q(self) -> sp.Matrix:
        return sp.Matrix([(self.columns[i].T * W)[0] for i, W in self.W.items()])


def body_fixed(given: Given) -> Swept:
    """(67), (68)"""
    tree = given.tree
    V, A = {GROUND: sp.zeros(6, 1)}, {GROUND: given.ground}
    for i, parent in tree.parents.items():
        back, X = Ad(given.relative(i, parent)), tree.X[i]
        V[i] = back * V[parent] + X * given.rate(i, 1)
        A[i] = back * A[parent] - given.rate(i, 1) * ad(X) * V[i] + X * given.rate(i, 2)

    def balance(i: int) -> sp.Matrix:
        return tree.M[i] * A[i] - ad(V[i]).T * tree.M[i] * V[i]

    W = given.inward(balance, lambda i: Ad(given.relative(i, tree.parent(i))).T)
    return Swept(V, A, W, tree.X)


def spatial(given: Given) -> Swept:
    """(71), (72)"""
    tree = given.tree
    V, A = {GROUND: sp.zeros(6, 1)}, {GROUND: given.ground}
    J = {i: Ad(given.pose(i)) * tree.X[i] for i in tree.numbers}
    for i, parent in tree.parents.items():
        V[i] = V[parent] + J[i] * given.rate(i, 1)
        A[i] = A[parent] + J[i] * given.rate(i, 2) + bracket(V[parent], V[i])

    def balance(i: int) -> sp.Matrix:
        back = Ad(screws.inverse(given.pose(i)))
        M = back.T * tree.M[i] * back
        return M * A[i] - ad(V[i]).T * M * V[i]

    return Swept(V, A, given.inward(balance, lambda i: sp.eye(6)), J)


def hybrid(given: Given) -> Swept:
    """(76), (77)"""
    tree = given.tree
    V, A = {GROUND: sp.zeros(6, 1)}, {GROUND: given.ground}
    turns = {i: Ad_turn(screws.turn(given.pose(i))) for i in tree.numbers}
    X = {i: turns[i] * tree.X[i] for i in tree.numbers}
    for i, parent in tree.parents.items():
        shift = Ad_shift(given.shift(i, parent))
        V[i] = shift * V[parent] + X[i] * given.rate(i, 1)
        drift = ad_velocity(V[parent][3:, :] - V[i][3:, :]) * V[parent]
        turning = ad_spin(V[i][:3, :]) * X[i] * given.rate(i, 1)
        A[i] = shift * A[parent] + drift + turning + X[i] * given.rate(i, 2)

    def balance(i: int) -> sp.Matrix:
        M = turns[i] * tree.M[i] * turns[i].T
        return M * A[i] + ad_spin(V[i][:3, :]) * M * angular(V[i])

    W = given.inward(balance, lambda i: Ad_shift(given.shift(i, tree.parent(i))).T)
    return Swept(V, A, W, X)


def mixed(given: Given) -> Swept:
    """By (57), (58); the sweeps are not written out in the paper."""
    tree = given.tree
    V, A = {GROUND: sp.zeros(6, 1)}, {GROUND: given.ground}
    R = {i: screws.turn(given.pose(i)) for i in (GROUND, *tree.numbers)}
    for i, parent in tree.parents.items():
        e, x = tree.X[i][:3, :], tree.X[i][3:, :]
        q, qq = given.rate(i, 1), given.rate(i, 2)
        step = given.relative(parent, i)
        turn, arm = screws.turn(step).T, screws.place(step)
        w, wd = V[parent][:3, :], A[parent][:3, :]
        spin = turn * w + e * q
        V[i] = twist(spin, V[parent][3:, :] + R[parent] * w.cross(arm) + R[i] * x * q)
        inner = (2 * spin - e * q).cross(x * q) + x * qq
        lin = A[parent][3:, :] + R[parent] * (wd.cross(arm) + w.cross(w.cross(arm))) + R[i] * inner
        A[i] = twist(turn * wd + spin.cross(e * q) + e * qq, lin)

    def balance(i: int) -> sp.Matrix:
        M, (w, wd, rdd) = tree.M[i], (V[i][:3, :], A[i][:3, :], A[i][3:, :])
        theta, first = M[:3, :3], screws.axial(M[:3, 3:])
        moment = theta * wd + w.cross(theta * w) + first.cross(R[i].T * rdd)
        force = M[5, 5] * rdd + R[i] * (wd.cross(first) + w.cross(w.cross(first)))
        return twist(moment, force)

    def transport(i: int) -> sp.Matrix:
        step = given.relative(tree.parent(i), i)
        turn, lever = screws.turn(step), screws.skew(screws.place(step))
        above = sp.Matrix.hstack(turn, lever * turn * R[i].T)
        return sp.Matrix.vstack(above, sp.Matrix.hstack(sp.zeros(3, 3), sp.eye(3)))

    columns = {i: twist(tree.X[i][:3, :], R[i] * tree.X[i][3:, :]) for i in tree.numbers}
    return Swept(V, A, given.inward(balance, transport), columns)


Algorithm = Callable[[Given], Swept]

#: How each algorithm tells the wrench of a body whose pose is C: the frame of the sums.
FRAMES: dict[Algorithm, Callable[[Series], Series]] = {
    body_fixed: lambda C: C,
    spatial: lambda C: Series.constant(sp.eye(4), C.order),
    hybrid: unturned,
}


def forces(tree: Tree) -> Vectors:
    """Something that acts on every particle, one column each."""
    draw = Points(11)
    return {
        i: sp.Matrix.hstack(*(draw.vector(3) for _ in tree.bodies[i].masses)) for i in tree.numbers
    }


def applied(tree: Tree, algorithm: Algorithm) -> Vectors:
    """The wrenches of these forces as the algorithm takes them."""

    def wrench(i: int) -> sp.Matrix:
        C, cloud = tree.motion.C[i], Cloud(tree.motion, i)
        if algorithm is mixed:
            turned = cloud.wrench(framed(C.map(screws.turn), C), forces(tree)[i])
            return twist(turned[:3, :], cloud.wrench(unturned(C), forces(tree)[i])[3:, :])
        return cloud.wrench(FRAMES[algorithm](C), forces(tree)[i])

    return {i: wrench(i) for i in tree.numbers}


#: The number of each algorithm's outward sweep.
OUTWARD: dict[Algorithm, str] = {body_fixed: "67", spatial: "71", hybrid: "76"}


def inverse_dynamics(
    tree: Tree, algorithm: Algorithm, sign: int = -1, leaves: bool = True
) -> Sides:
    """Q of given accelerations, with applied wrenches; then with gravity instead."""
    given = Given(tree, sp.zeros(6, 1), applied(tree, algorithm), sign, leaves)
    swept, m = algorithm(given), tree.motion
    yield generalised_forces(tree, forces(tree)), swept.Q
    if number := OUTWARD.get(algorithm):
        twist_of = {"67": m.Vb, "71": m.Vs, "76": m.Vh}[number]
        for i in tree.numbers:
            yield number, twist_of(i).value, swept.V[i]
            yield number, twist_of(i).at(1), swept.A[i]
    g = Points(12).vector(3)
    weights = {i: g * tree.bodies[i].masses.T for i in tree.numbers}
    weighed = replace(rising(tree, g), sign=sign, leaves=leaves)
    yield generalised_forces(tree, weights), algorithm(weighed).Q


def rising(tree: Tree, gravity: sp.Matrix) -> Given:
    """Nothing applied, and the ground rising against gravity."""
    nothing = dict.fromkeys(tree.numbers, sp.zeros(6, 1))
    return Given(tree, twist(sp.zeros(3, 1), -gravity), nothing)


def body_accelerations(tree: Tree) -> Sides:
    at = At(tree)
    for i, parent in tree.parents.items():
        X, q = tree.X[i], at.q(i, 1)
        back = Ad(at.m.relative(i, parent).value)
        V, before = at.m.Vb(i), back * at.m.Vb(parent).value
        moved = back * at.m.Vb(parent).at(1) + X * at.q(i, 2)
        for product in (bracket(before, X * q), bracket(before, V.value), bracket(V.value, X * q)):
            yield V.at(1), moved + product


def joint_acceleration(tree: Tree, printed: bool = False) -> Sides:
    """q̈ = Xᵀ (V̇_i − Ad V̇ + [V_i, Ad V]) / ‖X‖²."""
    at = At(tree)
    for i, parent in tree.parents.items():
        X, V = tree.X[i], at.m.Vb(i)
        back = Ad(at.m.relative(i, parent).value)
        first = V.value if printed else V.at(1)
        product = bracket(V.value, back * at.m.Vb(parent).value)
        inner = first - back * at.m.Vb(parent).at(1) + product
        yield sp.Matrix([at.q(i, 2)]), X.T * inner / (X.T * X)[0]


def spatial_motion(tree: Tree) -> Sides:
    at = At(tree)
    for i, parent in tree.parents.items():
        V, before, J = at.m.Vs(i), at.m.Vs(parent), at.Js(i)
        yield V.value, before.value + J * at.q(i, 1)
        moved = before.at(1) + J * at.q(i, 2)
        yield "70", V.at(1), moved + bracket(V.value, J * at.q(i, 1))
        yield "70", V.at(1), moved + bracket(before.value, V.value)


def hybrid_accelerations(tree: Tree) -> Sides:
    at = At(tree)
    for i, parent in tree.parents.items():
        V, before, X = at.m.Vh(i), at.m.Vh(parent), at.m.X0(i).value
        shift = at.m.shift(i, parent)
        moved = Ad_shift(shift.value) * before.at(1) + X * at.q(i, 2)
        slide, here, there = (
            ad_velocity(r) for r in (shift.at(1), V.value[3:, :], before.value[3:, :])
        )
        turning = ad_spin(V.value[:3, :]) * X * at.q(i, 1)
        whole = ad(V.value) * X * at.q(i, 1)
        yield V.at(1), moved + slide * before.value + turning
        yield "74", V.at(1), moved + there * before.value - here * V.value + whole
        yield "75", V.at(1), moved + slide * V.value + whole - there * X * at.q(i, 1)


def instantaneous_screws(tree: Tree, printed: bool = False) -> Sides:
    """⁰X_i = Ad_R X_i = Ad_{−r} Ad_{C A⁻¹} Y_i."""
    at = At(tree)
    for i in tree.numbers:
        A = sp.eye(4)
        for j in tree.path(i):
            A = A * tree.B[j]
        C = at.m.C[i].value
        Y = Ad(A) * tree.X[i]
        moved = Y if printed else Ad(C * screws.inverse(A)) * Y
        yield at.m.X0(i).value, Ad_shift(-screws.place(C)) * moved


def one_reference(tree: Tree) -> Sides:
    """Sect. 4.4: all frames of bodies equal to the inertial one at q = 0."""
    A = {GROUND: sp.eye(4)}
    for i, parent in tree.parents.items():
        A[i] = A[parent] * tree.B[i]

    joints, bodies = {}, {}
    for i, parent in tree.parents.items():
        X, circle = Ad(A[i]) * tree.X[i], tree.joints[i].circle[0]
        joints[i] = one_freedom(parent, i, X, sp.eye(4), circle)
        points = tree.bodies[i].points
        places = screws.turn(A[i]) * points + screws.place(A[i]) * sp.ones(1, points.cols)
        bodies[i] = Body(tree.bodies[i].masses, places)
    same = Tree(joints, bodies, tree.rates)
    for i in tree.numbers:
        back = Ad(screws.inverse(A[i]))
        yield same.M[i], back.T * tree.M[i] * back
    for algorithm in (body_fixed, spatial, hybrid):
        found = [
            algorithm(Given(each, sp.zeros(6, 1), applied(each, algorithm))).Q
            for each in (tree, same)
        ]
        yield found[0], found[1]


SIGN = "an applied wrench is what the joints need not give: −W, as in (78)"
LEAVES = "the sweep begins with the last body, i = n, not with i = n − 1"


FORMS = {
    "68": "W_i = Ad_{C_i+1,i}ᵀ W_{i+1} + M V̇ − ad_Vᵀ M V − W_app, Q_i = X_iᵀ W_i",
    "72": "W_i = W_{i+1} + M V̇ − ad_Vᵀ M V − W_app, Q_i = J_iᵀ W_i",
    "77": "W_i = Ad_rᵀ W_{i+1} + M V̇ + ad_ω M ʷV − W_app, Q_i = ⁰X_iᵀ W_i",
}


def _inverse(number: str, title: str, algorithm: Algorithm) -> tuple[Entry, Entry]:
    right, formula = partial(inverse_dynamics, algorithm=algorithm), FORMS[number]
    return (
        entry(
            number,
            title,
            right,
            formula,
            printed=partial(right, sign=1),
            as_printed=formula.replace("− W_app", "+ W_app"),
            correction=SIGN,
        ),
        entry(
            f"{number}, range",
            title,
            right,
            f"{formula}, i = n, …, 1",
            printed=partial(right, leaves=False),
            as_printed=f"{formula}, i = n − 1, …, 1",
            correction=LEAVES,
        ),
    )


ENTRIES = (
    entry(
        "66",
        "body-fixed acceleration from the parent's, three forms",
        body_accelerations,
        "V̇_i = Ad V̇_{i−1} + X q̈ + [Ad V_{i−1}, X q̇] = … [Ad V_{i−1}, V_i] = … [V_i, X q̇]",
    ),
    entry(
        "Remark 3",
        "joint acceleration from twists",
        joint_acceleration,
        "q̈_i = X_iᵀ (V̇_i − Ad V̇_{i−1} + [V_i, Ad V_{i−1}]) / ‖X_i‖²",
        as_printed="q̈_i = X_iᵀ (V_i − Ad V̇_{i−1} + [V_i, Ad V_{i−1}]) / ‖X_i‖²",
        correction="V̇_i, not V_i",
        kind="text",
    ),
    *_inverse("68", "body-fixed inverse dynamics", body_fixed),
    entry(
        "69",
        "spatial twist and acceleration from the parent's",
        spatial_motion,
        "V_i = V_{i−1} + J_i q̇_i, V̇_i = V̇_{i−1} + J_i q̈_i + [V_{i−1}, V_i]",
    ),
    *_inverse("72", "spatial inverse dynamics", spatial),
    entry(
        "73",
        "hybrid acceleration from the parent's, three forms",
        hybrid_accelerations,
        "V̇_i = Ad_r V̇_{i−1} + ad_ṙ V_{i−1} + ad_ωi ⁰X_i q̇_i + ⁰X_i q̈_i, r = r_{i−1} − r_i",
    ),
    entry(
        "76b",
        "instantaneous joint screw",
        instantaneous_screws,
        "⁰X_i = Ad_{−r_i} Ad_{C_i A_i⁻¹} Y_i",
        as_printed="⁰X_i = Ad_{−r_i} Y_i",
        correction="Ad_{−r} J_iˢ; Y_i stands for J_iˢ only where C A⁻¹ leaves it alone, "
        "as at q = 0",
    ),
    *_inverse("77", "hybrid inverse dynamics", hybrid),
    entry(
        "mixed",
        "mixed inverse dynamics, by (57) and (58)",
        partial(inverse_dynamics, algorithm=mixed),
        "(t, f) by (57), (58), less what is applied; Q_i = e·t + x·Rᵀf",
        kind="own",
    ),
    entry(
        "Sect. 4.4",
        "one reference frame for all bodies",
        one_reference,
        "B_i = 1, X_i := Y_i, M_i := Ad_{A_i}⁻ᵀ M_i Ad_{A_i}⁻¹: the same Q",
        kind="text",
    ),
)
