"""Dynamics of the recursive formulation as checks: (1.6)–(2.3), (3.44)–(3.61), (4.1)–(4.4).

What the recursion finds is put back into the motion, and d'Alembert's principle on the
particles judges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.motion import Coordinate
from ...exact.true_motion import demanded
from ..screw.lagrange import total
from .formulation import Recursion
from .tree import JointTree, entry

#: A driven joint, one that is driven in part, and none.
DRIVES: tuple[frozenset[Coordinate], ...] = (
    frozenset({(2, 0)}),
    frozenset({(3, 1), (4, 0)}),
    frozenset(),
)


def forces(tree: JointTree) -> dict[int, sp.Matrix]:
    """(F, T) on every body."""
    draw = Points(31)
    return {j: draw.vector(6) for j in tree.bodies}


def joint_forces(tree: JointTree) -> dict[Coordinate, sp.Expr]:
    draw = Points(32)
    return {x: draw.number() for x in tree.coordinates}


@cache
def recursion(tree: JointTree, driven: frozenset[Coordinate] = frozenset()) -> Recursion:
    return Recursion(tree, forces(tree), joint_forces(tree), driven)


def column(values: Mapping[Coordinate, sp.Expr], tree: JointTree) -> sp.Matrix:
    return sp.Matrix([values[x] for x in tree.coordinates])


def found(tree: JointTree, driven: frozenset[Coordinate] = frozenset()) -> JointTree:
    """The instant with the accelerations that the recursion finds."""
    rates = recursion(tree, driven).accelerations[0]
    return tree.accelerating({x: rate[0] for x, rate in rates.items()})


def principle(tree: JointTree) -> Sides:
    """Each unknown coordinate's equation is met; the motion is the one that was found."""
    of, moving = recursion(tree), found(tree)
    yield column(joint_forces(tree), tree), column(demanded(moving, forces(tree)), tree)
    for j in tree.bodies:
        yield moving.motion.v(j).at(1), of.accelerations[1][j]


def masses_and_loads(tree: JointTree) -> Sides:
    """(3.46)–(3.48), with (2.1): M v̇ − Q is what particles demand besides (F, T)."""
    of = recursion(tree)
    for j, body in tree.bodies.items():
        weights = sp.diag(*body.masses)
        demands = tree.motion.x(j).at(2) * weights
        arms = tree.motion.x(j).value - tree.motion.r(j).value * sp.ones(1, demands.cols)
        products = demands * arms.T
        turned = screws.axial(products - products.T)
        wrench = sp.Matrix.vstack(demands * sp.ones(demands.cols, 1), turned) - forces(tree)[j]
        yield wrench, of.mass(j) * tree.motion.v(j).at(1) - of.load(j)


def d_alembert(tree: JointTree, left_out: int = 0) -> Sides:
    """Σ δuᵀ (M v̇ − Q) is δqᵀ times what the joints must give; the last bodies may be left out."""
    of, needed = recursion(tree), demanded(tree, forces(tree))
    for x in tree.coordinates:
        terms = (
            (tree.slopes[x].v(j).value.T * (of.mass(j) * tree.motion.v(j).at(1) - of.load(j)))[0]
            for j in tree.numbers[: len(tree.numbers) - left_out]
        )
        yield sp.Matrix([total(terms)]), sp.Matrix([needed[x]])


def truncated(tree: JointTree, printed: bool = False) -> Sides:
    """Without the outermost bodies, whose M_r and Q_r are left to those that they hang on.

    `printed`: with the acceleration of the body before the one that is multiplied by M + M_r.
    """
    of, given = recursion(tree), joint_forces(tree)
    _, rates = of.accelerations
    bodies = tree.numbers
    for count in range(1, len(bodies)):
        kept = bodies[:count]
        for x in tree.coordinates:
            if x[0] in kept:
                value = sp.Integer(0)
                for j in kept:
                    M, Q, at = of.mass(j), of.load(j), j
                    for child in tree.children(j):
                        if child not in kept:
                            M, Q = M + of.left[child].M, Q + of.left[child].Q
                            at = tree.parent(j) if printed else j
                    value += (tree.slopes[x].v(j).value.T * (M * rates[at] - Q))[0]
                yield sp.Matrix([value]), sp.Matrix([given[x]])


def effective_mass(tree: JointTree) -> Sides:
    """(3.53), (3.59); it is symmetric, and nothing is left along the joint of an only child."""
    of = recursion(tree)
    for j in tree.bodies:
        A, B, M = of.at[j].A, of.B(j), of.M[j]
        stated = A.T * M * A - A.T * M * B * (B.T * M * B).inv() * B.T * M * A
        yield of.left[j].M, stated
        yield stated, stated.T
        yield stated * A.inv() * B, sp.zeros(6, B.cols)


def effective_load(tree: JointTree, printed: bool = False) -> Sides:
    """(3.54), (3.60): for any v̇ of the inner body, Aᵀ (M v̇_j − Q) = M_r v̇ − Q_r."""
    of = recursion(tree)
    draw = Points(33)
    for j in tree.numbers:
        A, D = of.at[j].A, of.D(j)
        inner = draw.vector(6)
        rate = of.left[j].k - of.left[j].G * A * inner
        wrench = of.M[j] * (A * inner + of.B(j) * rate + D) - of.Q[j]
        load = -of.left[j].Q if printed else of.left[j].Q
        yield A.T * wrench, of.left[j].M * inner - load


def joint_acceleration(tree: JointTree) -> Sides:
    """(3.51), (3.57): −(Bᵀ M B)⁻¹ (Bᵀ (M A v̇ + M D − Q) − τ)."""
    of = recursion(tree)
    rates, accelerations = of.accelerations
    for j, joint in tree.joints.items():
        B, M = of.B(j), of.M[j]
        tau = sp.Matrix([joint_forces(tree)[j, m] for m in range(B.cols)])
        moved = M * (of.at[j].A * accelerations[joint.pred] + of.D(j)) - of.Q[j]
        stated = -(B.T * M * B).inv() * (B.T * moved - tau)
        yield sp.Matrix([rates[j, m][0] for m in range(B.cols)]), stated


def base(tree: JointTree) -> Sides:
    """(3.61): (M + M_r) v̇ = Q + Q_r of a body that hangs on nothing, by its own coordinates."""
    free = {1: (0, "free"), **{j: (1 if j < 4 else 2, "universal") for j in (2, 3, 4)}}
    flying = JointTree.drawn(41, free)
    of = Recursion(flying, forces(flying), dict.fromkeys(flying.coordinates, sp.Integer(0)))
    yield of.M[1] * of.accelerations[1][1], of.Q[1]


def driven(tree: JointTree) -> Sides:
    """(4.1)–(4.4): the equations of the unknown coordinates are met, and drives do the rest."""
    for drives in DRIVES[:2]:
        moving = found(tree, drives)
        needed = demanded(moving, forces(tree))
        given = joint_forces(tree) | {x: recursion(tree, drives).drive(x) for x in drives}
        yield column(given, tree), column(needed, tree)


def driven_load(tree: JointTree, printed: bool = False) -> Sides:
    """(4.3), (4.4) of a joint all of whose coordinates are driven."""
    of = recursion(tree, DRIVES[0])
    A, M = of.at[2].A, of.M[2]
    net = of.Q[2] - M * (of.at[2].B * tree.of(2, 2) + of.at[2].D)
    yield of.left[2].M, A.T * M * A
    yield of.left[2].Q, -A.T * net if printed else A.T * net


ENTRIES = (
    entry(
        "2.1",
        "Newton–Euler equations of each body, (3.45)–(3.48)",
        masses_and_loads,
        "M v̇ − Q: m r̈ = F, J ω̇ + ω × J ω = T",
    ),
    entry("2.2", "d'Alembert's principle, (3.49), (3.50)", d_alembert, "Σ δuᵀ (M v̇ − Q) = 0"),
    entry(
        "1.6",
        "the accelerations found meet all equations, (1.1), (1.2), (2.3)",
        principle,
        "A q̈ = b",
    ),
    entry(
        "3.51",
        "accelerations in a joint, (3.57)",
        joint_acceleration,
        "q̈ = −(Bᵀ M B)⁻¹ (Bᵀ (M A v̇ + M D − Q) − τ)",
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
        "the principle down to body h + 1, (3.56), (3.58)",
        truncated,
        "Σ_{i≤h} δuᵀ (M v̇ − Q) + δu_{h+1}ᵀ ((M + M_r) v̇_{h+1} − (Q + Q_r)) = 0",
        as_printed="Σ_{i≤h} δuᵀ (M v̇ − Q) = + δu_{h+1}ᵀ ((M + M_r) v̇_h − (Q + Q_r)) = 0",
        correction="v̇ of body h + 1, as in (3.52) and (3.58); the first = is a + alone",
    ),
    entry(
        "3.53", "effective mass, (3.59)", effective_mass, "M_r = Aᵀ M A − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ M A"
    ),
    entry(
        "3.54",
        "effective load, (3.60)",
        effective_load,
        "Q_r = Aᵀ (Q − M D) − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ (Q − M D)",
        as_printed="Q_r = Aᵀ (M D − Q) − Aᵀ M B (Bᵀ M B)⁻¹ Bᵀ (M D − Q)",
        correction="the printed bracket is −Q_r: (3.52) has − (Q + Q_r)",
    ),
    entry("3.61", "a base without coordinates", base, "(M + M_r) v̇ = Q + Q_r"),
    entry(
        "4.1",
        "driven joints, all or some of their coordinates, (4.2)",
        driven,
        "v̇^j = A v̇^i + B_u q̈_u + (B_p q̈_p + D)",
    ),
    entry(
        "4.4",
        "effective mass and load of a driven joint, (4.3)",
        driven_load,
        "M_r = Aᵀ M A, Q_r = Aᵀ (Q − M (B q̈ + D))",
        as_printed="M_r = Aᵀ M A, Q_r = Aᵀ (M (B q̈ + D) − Q)",
        correction="the printed bracket is −Q_r",
    ),
)
