"""Dynamics of the recursive formulation as checks: (1.1)–(2.3), (3.44)–(3.61), (4.1)–(4.4).

What the recursion finds is put back into the motion, and d'Alembert's principle on the
particles judges it.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.motion import Coordinate
from ...exact.true_motion import Loaded, demanded, solved
from ..screw.lagrange import total
from .cases import entry
from .formulation import Recursion
from .loads import column, forces, joint_forces, recursion
from .tree import JointTree

#: A driven joint, and two that are driven in part.
DRIVES: tuple[frozenset[Coordinate], ...] = (frozenset({(2, 0)}), frozenset({(3, 1), (4, 0)}))


def found(tree: JointTree, driven: frozenset[Coordinate] = frozenset()) -> JointTree:
    """The instant with the accelerations that the recursion finds."""
    rates = recursion(tree, driven).accelerations[0]
    return tree.accelerating({x: rate[0] for x, rate in rates.items()})


def principle(tree: JointTree) -> Sides:
    """Each unknown coordinate's equation is met; the motion is the one that was found."""
    of, moving = recursion(tree), found(tree)
    given = column(joint_forces(tree), tree)
    mass, second = Loaded(tree, {}).mass, column({x: r[2] for x, r in moving.rates.items()}, tree)
    resting = tree.accelerating(dict.fromkeys(tree.coordinates, sp.Integer(0)))
    rest = column(demanded(resting, forces(tree)), tree)
    yield given, column(demanded(moving, forces(tree)), tree)
    for j in tree.bodies:
        yield moving.motion.v(j).at(1), of.accelerations[1][j]
    yield "1.2", mass * second, given - rest


def masses_and_loads(tree: JointTree) -> Sides:
    """(2.1), (3.46), (3.48): M v̇ − Q is what particles demand besides (F, T)."""
    of = recursion(tree)
    for j, body in tree.bodies.items():
        weights = sp.diag(*body.masses)
        demands = tree.motion.x(j).at(2) * weights
        arms = tree.motion.x(j).value - tree.motion.r(j).value * sp.ones(1, demands.cols)
        products = demands * arms.T
        turned = screws.axial(products - products.T)
        wrench = sp.Matrix.vstack(demands * sp.ones(demands.cols, 1), turned) - forces(tree)[j]
        moved = of.mass(j) * tree.motion.v(j).at(1)
        yield wrench, moved - of.load(j)
        yield "3.48", of.load(j), moved, -wrench
        pushed = tree.motion.x(j).at(1) * weights
        spun = pushed * arms.T
        momentum = pushed * sp.ones(pushed.cols, 1), screws.axial(spun - spun.T)
        yield "3.46", sp.Matrix.vstack(*momentum), of.mass(j) * tree.motion.v(j).value


def d_alembert(tree: JointTree, left_out: int = 0) -> Sides:
    """Σ δuᵀ (M v̇ − Q) is δqᵀ times what the joints must give; the last bodies may be left out."""
    of, needed = recursion(tree), demanded(tree, forces(tree))
    for x in tree.coordinates:
        terms = [
            (tree.slopes[x].v(j).value.T * (of.mass(j) * tree.motion.v(j).at(1) - of.load(j)))[0]
            for j in tree.numbers[: len(tree.numbers) - left_out]
        ]
        yield sp.Matrix([total(terms)]), sp.Matrix([needed[x]])
        if not left_out:
            last = sp.Matrix([terms[-1]])
            yield "3.49", sp.Matrix([needed[x]]), sp.Matrix([total(terms[:-1])]), last


class Kept:
    """The first bodies, the others eliminated: M + M_r and Q + Q_r of each that is kept."""

    def __init__(self, of: Recursion, count: int) -> None:
        self.of, self.tree = of, of.tree
        self.bodies = of.tree.numbers[:count]

    def left(self, j: int) -> tuple[sp.Matrix, sp.Matrix]:
        M, Q = self.of.mass(j), self.of.load(j)
        for child in self.tree.children(j):
            if child not in self.bodies:
                M, Q = M + self.of.left[child].M, Q + self.of.left[child].Q
        return M, Q

    def work(self, j: int, x: Coordinate, rate: sp.Matrix) -> sp.Matrix:
        """δu_jᵀ ((M + M_r) v̇ − (Q + Q_r)) for a coordinate."""
        M, Q = self.left(j)
        return self.tree.slopes[x].v(j).value.T * (M * rate - Q)


def truncated(
    tree: JointTree,
    printed: bool = False,
    number: str = "3.58",
    drives: frozenset[Coordinate] = frozenset(),
) -> Sides:
    """Without the outermost bodies, whose M_r and Q_r are left to those that they hang on.

    `printed`: with the acceleration of the body before the one that is multiplied by M + M_r.
    """
    of, given = recursion(tree, drives), joint_forces(tree)
    _, rates = of.accelerations
    for count in range(1, len(tree.numbers)):
        kept = Kept(of, count)
        for x in tree.coordinates:
            if x[0] not in kept.bodies or x in drives:
                continue
            terms = []
            for j in kept.bodies:
                loaded = any(child not in kept.bodies for child in tree.children(j))
                terms.append(kept.work(j, x, rates[tree.parent(j) if printed and loaded else j]))
            first = count == len(tree.numbers) - 1
            value = sum(terms[1:], terms[0])
            yield "3.52" if first and not drives else number, value, sp.Matrix([given[x]])


def inserted(
    tree: JointTree, number: str = "3.56", drives: frozenset[Coordinate] = frozenset()
) -> Sides:
    """With δu and v̇ of the outermost kept body by those of its inner body and by its joint."""
    of, given = recursion(tree, drives), joint_forces(tree)
    qdd, rates = of.accelerations
    for count in range(1, len(tree.numbers) + 1):
        kept = Kept(of, count)
        *inner, j = kept.bodies
        parent, at = tree.parent(j), of.at[j]
        M, Q = kept.left(j)
        second = sp.Matrix(
            [
                tree.rates[j, m][2] if (j, m) in drives else qdd[j, m][0]
                for m in range(tree.joints[j].count)
            ]
        )
        wrench = M * (at.A * rates[parent] + at.B * second + at.D) - Q
        for x in tree.coordinates:
            if x[0] not in kept.bodies or x in drives:
                continue
            before = (kept.work(i, x, rates[i]) for i in inner)
            moved = tree.slopes[x].v(parent).value
            own = at.B[:, x[1]].T * wrench if x[0] == j else sp.zeros(1, 1)
            last = count == len(tree.numbers) and not drives
            terms = sum(before, sp.zeros(1, 1)), moved.T * at.A.T * wrench, own
            yield "3.50" if last else number, sp.Matrix([given[x]]), *terms


def effective_mass(tree: JointTree) -> Sides:
    """(3.53), (3.59): what an acceleration of the inner body demands, the joint being free.

    The coordinates' accelerations are those at which Bᵀ M (A x + B q̈) vanishes.
    """
    of = recursion(tree)
    draw = Points(34)
    for j in tree.bodies:
        A, B, M = of.at[j].A, of.B(j), of.M[j]
        number = "3.59" if tree.children(j) else ""
        x = draw.vector(6)
        rate = -solved(B.T * M * B, B.T * M * A * x)
        stated = A.T * M * A - A.T * M * B * (B.T * M * B).inv() * B.T * M * A
        yield number, A.T * M * (A * x + B * rate), stated * x
        yield number, of.left[j].M, stated
        yield number, stated, stated.T


def effective_load(tree: JointTree, printed: bool = False, leaves: bool = True) -> Sides:
    """(3.54), (3.60): for any v̇ of the inner body, Aᵀ (M v̇_j − Q) = M_r v̇ − Q_r."""
    of, given = recursion(tree), joint_forces(tree)
    draw = Points(33)
    for j in tree.numbers:
        if leaves == bool(tree.children(j)):
            continue
        A, B, D, M, Q = of.at[j].A, of.B(j), of.D(j), of.M[j], of.Q[j]
        tau = sp.Matrix([given[j, m] for m in range(B.cols)])
        inner = draw.vector(6)
        rate = solved(B.T * M * B, tau - B.T * (M * (A * inner + D) - Q))
        wrench = M * (A * inner + B * rate + D) - Q
        load = -of.left[j].Q if printed else of.left[j].Q
        yield A.T * wrench, of.left[j].M * inner - load


def joint_acceleration(tree: JointTree) -> Sides:
    """(3.51), (3.57): −(Bᵀ M B)⁻¹ (Bᵀ (M A v̇ + M D − Q) − τ), of the motion that is found."""
    of, moving = recursion(tree), found(tree)
    for j, joint in tree.joints.items():
        B, M = of.B(j), of.M[j]
        tau = sp.Matrix([joint_forces(tree)[j, m] for m in range(B.cols)])
        inner = moving.motion.v(joint.pred).at(1)
        moved = M * (of.at[j].A * inner + of.D(j)) - of.Q[j]
        stated = -(B.T * M * B).inv() * (B.T * moved - tau)
        yield "3.57" if tree.children(j) else "", moving.of(j, 2), stated


def base(tree: JointTree) -> Sides:
    """(3.61): (M + M_r) v̇ = Q + Q_r of a body that hangs on nothing, by its own coordinates."""
    free = {1: (0, "free"), **{j: (1 if j < 4 else 2, "universal") for j in (2, 3, 4)}}
    flying = JointTree.drawn(41, free)
    of = Recursion(flying, forces(flying), dict.fromkeys(flying.coordinates, sp.Integer(0)))
    yield of.M[1] * of.accelerations[1][1], of.Q[1]


def driven(tree: JointTree) -> Sides:
    """(4.1), (4.2): the equations of the unknown coordinates are met, and drives do the rest."""
    for drives in DRIVES:
        moving = found(tree, drives)
        needed = demanded(moving, forces(tree))
        given = joint_forces(tree) | {x: recursion(tree, drives).drive(x) for x in drives}
        yield column(given, tree), column(needed, tree)
    yield from inserted(tree, "", DRIVES[0])
    yield from truncated(tree, number="4.2", drives=DRIVES[0])


def driven_load(tree: JointTree, printed: bool = False) -> Sides:
    """(4.3), (4.4) of a joint all of whose coordinates are driven, for any v̇ of the inner body."""
    of = recursion(tree, DRIVES[0])
    A, M, Q = of.at[2].A, of.M[2], of.Q[2]
    net = Q - M * (of.at[2].B * tree.of(2, 2) + of.at[2].D)
    stated, inner = A.T * net, Points(35).vector(6)
    wrench = M * (A * inner + of.at[2].B * tree.of(2, 2) + of.at[2].D) - Q
    yield A.T * wrench, A.T * M * A * inner, stated if printed else -stated
    yield "4.3", of.left[2].M, A.T * M * A
    yield of.left[2].Q, stated


ENTRIES = (
    entry(
        "2.1",
        "Newton–Euler equations of each body",
        masses_and_loads,
        "M v̇ − Q: m r̈ = F, J ω̇ + ω × J ω = T",
    ),
    entry("2.2", "d'Alembert's principle", d_alembert, "Σ δuᵀ (M v̇ − Q) = 0"),
    entry(
        "1.1",
        "the accelerations that are found explicitly meet all equations",
        principle,
        "q̈ = g(q, q̇, t), M q̈ = f",
    ),
    entry(
        "3.51",
        "accelerations in a joint",
        joint_acceleration,
        "q̈ = −(Bᵀ M B)⁻¹ (Bᵀ (M A v̇ + M D − Q) − τ)",
    ),
    entry(
        "3.50",
        "the outermost body's motion put in terms of its inner body's and its joint's",
        inserted,
        "Σ_{i<j} δuᵀ (M v̇ − Q) + (δu_iᵀ Aᵀ + δqᵀ Bᵀ) (M (A v̇_i + B q̈ + D) − Q) = 0",
    ),
    entry(
        "3.52",
        "the principle without the outermost body",
        truncated,
        "Σ_{i≤h} δuᵀ ((M + M_r) v̇ − (Q + Q_r)) = 0",
    ),
    entry(
        "3.44",
        "the principle, summed over all bodies",
        d_alembert,
        "Σ_{i=1}^{nb} δuᵀ (M v̇ − Q) = 0",
        printed=partial(d_alembert, left_out=1),
        as_printed="Σ_{i=1}^{n} δuᵀ (M v̇ − Q) = 0",
        correction="the sum runs to nb: n is defined nowhere, and with a body less it is not zero",
    ),
    entry(
        "3.55",
        "the principle down to body h + 1",
        partial(truncated, number=""),
        "Σ_{i≤h} δuᵀ (M v̇ − Q) + δu_{h+1}ᵀ ((M + M_r) v̇_{h+1} − (Q + Q_r)) = 0",
        as_printed="Σ_{i≤h} δuᵀ (M v̇ − Q) = + δu_{h+1}ᵀ ((M + M_r) v̇_h − (Q + Q_r)) = 0",
        printed=partial(truncated, number="", printed=True),
        correction="v̇ of body h + 1, as in (3.52) and (3.58); the first = is a + alone",
    ),
    entry("3.53", "effective mass", effective_mass, "M_r = Aᵀ M A − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ M A"),
    *(
        entry(
            number,
            f"effective load, from {where}",
            partial(effective_load, leaves=number == "3.54"),
            "Q_r = Aᵀ (Q − M D) − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ (Q − M D)",
            printed=partial(effective_load, leaves=number == "3.54", printed=True),
            as_printed="Q_r = Aᵀ (M D − Q) − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ (M D − Q)",
            correction=f"the printed bracket is −Q_r: ({meant}) has − (Q + Q_r)",
        )
        for number, meant, where in (
            ("3.54", "3.52", "an outermost body"),
            ("3.60", "3.58", "a body on which others hang"),
        )
    ),
    entry("3.61", "a base without coordinates", base, "(M + M_r) v̇ = Q + Q_r"),
    entry(
        "4.1",
        "driven joints, all or some of their coordinates",
        driven,
        "Σ δuᵀ (M v̇ − Q) + δu_iᵀ Aᵀ (M (A v̇_i + B q̈ + D) − Q) = 0, q̈ known",
    ),
    entry(
        "4.4",
        "effective mass and load of a driven joint",
        driven_load,
        "M_r = Aᵀ M A, Q_r = Aᵀ (Q − M (B q̈ + D))",
        as_printed="M_r = Aᵀ M A, Q_r = Aᵀ (M (B q̈ + D) − Q)",
        correction="the printed bracket is −Q_r",
    ),
)
