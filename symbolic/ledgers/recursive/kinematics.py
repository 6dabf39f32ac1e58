"""Kinematics of the recursive formulation as checks: (3.1)–(3.43)."""

from __future__ import annotations

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.motion import GROUND, spin
from ...exact.screws import skew
from ...exact.series import Series
from .formulation import JointFunctions, kinematics
from .tree import JointTree, entry


def functions(tree: JointTree, j: int) -> JointFunctions:
    joint = tree.joints[j]
    return JointFunctions(joint.kind, joint.circle, tree.of(j, 0), tree.of(j, 1))


def connection_array(tree: JointTree) -> Sides:
    """β_j < j."""
    for j, joint in tree.joints.items():
        yield sp.Matrix([min(joint.pred, j - 1)]), sp.Matrix([joint.pred])


def orthonormal(tree: JointTree) -> Sides:
    for j, joint in tree.joints.items():
        for R in (joint.Bi, joint.Bj, tree.motion.turned(j).value, tree.motion.R(j).value):
            yield R * R.T, sp.eye(3)


def composition(tree: JointTree) -> Sides:
    """Tensors follow each other to the left; their matrices, in their own frames, to the right."""
    for j, joint in tree.joints.items():
        Ri, C = tree.motion.R(joint.pred).value, tree.motion.turned(j).value
        Bi = Ri * joint.Bi * Ri.T
        inner = Bi * Ri
        turned = inner * C * inner.T
        outer = turned * inner
        Bj = outer * joint.Bj * outer.T
        yield tree.motion.R(j).value, Bj.T * turned * Bi * Ri
        yield tree.motion.R(j).value, Ri * joint.Bi * C * joint.Bj.T


def joint_axes(tree: JointTree) -> Sides:
    """w is the axial vector of ∂C/∂q Cᵀ; the relative spin is W q̇."""
    for j, joint in tree.joints.items():
        of = functions(tree, j)
        yield tree.motion.turned(j).value, of.C
        for m in range(joint.kind.count):
            yield skew(of.W[:, m]), tree.slopes[j, m].turned(j).at(1) * of.C.T
        yield spin(tree.motion.turned(j)).value, of.W * of.u
        rate = spin(tree.motion.turned(j)).at(1)
        yield rate, of.W * tree.of(j, 2) + of.W_rate * of.u


def joint_places(tree: JointTree) -> Sides:
    for j in tree.bodies:
        of, c = functions(tree, j), tree.motion.moved(j)
        yield c.value, of.c
        yield c.at(1), of.c_q * of.u
        yield c.at(2), of.c_q * tree.of(j, 2) + of.c_q_rate * of.u


def spins(tree: JointTree) -> Sides:
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        w = found[joint.pred].R * joint.Bi * functions(tree, j).W
        inner = spin(tree.motion.R(joint.pred)).value
        yield spin(tree.motion.R(j)).value, inner + w * tree.of(j, 1)


def places(tree: JointTree) -> Sides:
    found = kinematics(tree)
    for j in tree.bodies:
        yield tree.motion.R(j).value, found[j].R
        yield tree.motion.r(j).value, found[j].r


def constant_arms(tree: JointTree) -> Sides:
    """(3.19), (3.20): what is fixed in a body turns with it."""
    for j, joint in tree.joints.items():
        for i, arm in ((joint.pred, joint.bi), (j, joint.bj)):
            R = tree.motion.R(i)
            b = R @ Series.constant(arm, R.order)
            yield b.at(1), spin(R).value.cross(b.value)


def joint_velocity(tree: JointTree) -> Sides:
    """(3.21), (3.23): ċ = ω_i × c + c_q q̇."""
    for j, joint in tree.joints.items():
        R = tree.motion.R(joint.pred)
        F = R @ Series.constant(joint.Bi, R.order)
        c = F @ tree.motion.moved(j)
        of = functions(tree, j)
        yield c.at(1), spin(R).value.cross(c.value) + F.value * of.c_q * of.u


def velocities(tree: JointTree) -> Sides:
    """v_j = A v_i + B q̇."""
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        inner = tree.motion.v(joint.pred).value if joint.pred != GROUND else sp.zeros(6, 1)
        yield tree.motion.v(j).value, found[j].A * inner + found[j].B * tree.of(j, 1)


def displacements(tree: JointTree) -> Sides:
    """δu_j = A δu_i + B δq, for each coordinate."""
    found = kinematics(tree)
    for x in tree.coordinates:
        moving = tree.slopes[x]
        for j, joint in tree.joints.items():
            own = found[j].B[:, x[1]] if x[0] == j else sp.zeros(6, 1)
            inner = moving.v(joint.pred).value
            yield moving.v(j).value, found[j].A * inner + own


def accelerations(tree: JointTree, printed: bool = False) -> Sides:
    """v̇_j = A v̇_i + B q̈ + D."""
    found = kinematics(tree, printed)
    for j, joint in tree.joints.items():
        inner = tree.motion.v(joint.pred).at(1)
        yield tree.motion.v(j).at(1), found[j].A * inner + found[j].B * tree.of(j, 2) + found[j].D


def rates_of_A_and_B(tree: JointTree) -> Sides:
    """(3.37), (3.38).

    v̇_j at constant rates is quadratic in them. Of a coordinate of j's own joint and of the
    rates as they are, the mixed part is Ḃ's column, and the slopes of A and B along it.
    """
    found = kinematics(tree)
    rates = {x: r[1] for x, r in tree.rates.items()}
    for x in tree.coordinates:
        j, m = x
        moving, alone = tree.along(rates), tree.slopes[x]
        both = tree.along({**rates, x: rates[x] + 1})
        mixed = both.v(j).at(1) - moving.v(j).at(1) - alone.v(j).at(1)
        inner = tree.motion.v(tree.parent(j)).value[3:, :]
        slide = sp.Matrix.vstack(inner.cross(alone.r(j).at(1)), sp.zeros(3, 1))
        only = tree.with_rates({y: (sp.Integer(int(y == x)),) for y in tree.rates})
        turned = kinematics(only)[j].B_rate * tree.of(j, 1)
        yield mixed, found[j].B_rate[:, m] + slide + turned
    for j, joint in tree.joints.items():
        z = tree.motion.r(j) - tree.motion.r(joint.pred)
        upper = sp.Matrix.hstack(sp.zeros(3, 3), -skew(z.at(1)))
        yield found[j].A_rate, sp.Matrix.vstack(upper, sp.zeros(3, 6))


def universal(tree: JointTree) -> Sides:
    """(3.40)–(3.43)"""
    for j, joint in tree.joints.items():
        if len(joint.kind.turns) == joint.kind.count == 2:
            (c1, s1), (c2, s2) = joint.circle
            C = [[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]]
            yield tree.motion.turned(j).value, sp.Matrix(C)
            yield tree.motion.moved(j).value, sp.zeros(3, 1)


def hybrid_motion(tree: JointTree) -> Sides:
    """In the screw paper's order and names: A = Ad_{r_ji}, and v is the hybrid twist."""
    swap = sp.Matrix.vstack(
        sp.Matrix.hstack(sp.zeros(3, 3), sp.eye(3)), sp.Matrix.hstack(sp.eye(3), sp.zeros(3, 3))
    )
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        shift = screws.Ad_shift(found[joint.pred].r - found[j].r)
        yield swap * found[j].A * swap, shift
        yield swap * found[j].v, screws.twist(spin(tree.motion.R(j)).value, tree.motion.r(j).at(1))


ENTRIES = (
    entry(
        "3.2",
        "every body comes after the one that it hangs on, as in (3.1)",
        connection_array,
        "β_j < j",
    ),
    entry("3.3", "rotations are orthonormal, (3.3)–(3.7)", orthonormal, "R Rᵀ = 1"),
    entry(
        "3.8",
        "rotation of a body, by tensors and by matrices",
        composition,
        "R^j = R^i B^ik C^k (B^jk)ᵀ; as tensors (B^jk)ᵀ · C^k · B^ik · R^i",
    ),
    entry("3.14", "axes of a joint, with (3.9)–(3.13)", joint_axes, "~w_m = ∂C/∂q_m Cᵀ, ω = W q̇"),
    entry("3.15", "angular velocity from the inner body's", spins, "ω^j = ω^i + w q̇"),
    entry("3.16", "place of a centroid, with (3.17)", places, "r^j = r^i + b^ik + c^k − b^jk"),
    entry(
        "3.19", "rates of arms that are fixed in a body, with (3.20)", constant_arms, "ḃ = ω × b"
    ),
    entry(
        "3.22", "place in a joint and its slopes", joint_places, "ċ = ∂c/∂q q̇ in the joint's frame"
    ),
    entry("3.23", "velocity in a joint, with (3.21)", joint_velocity, "ċ = ω^i × c + c_q q̇"),
    entry(
        "3.26",
        "velocity from the inner body's, with (3.18), (3.24)–(3.31)",
        velocities,
        "v^j = A v^i + B q̇, A = [[1, −~z], [0, 1]], B = [c_q − w × b; w]",
    ),
    entry(
        "3.32", "virtual displacements, with (3.33), (3.34)", displacements, "δu^j = A δu^i + B δq"
    ),
    entry(
        "3.35",
        "acceleration from the inner body's, with (3.36), (3.39)",
        accelerations,
        "v̇^j = A v̇^i + B q̈ + D, ẇ = ω^i × w + ∂w/∂q q̇",
        as_printed="v̇^j = A v̇^i + B q̈ + D, ẇ = ∂w/∂q q̇",
        correction="(3.39) lacks ω_i × w: w turns with the inner body; c_q does so too",
    ),
    entry(
        "3.37",
        "rates of A and B, with (3.38)",
        rates_of_A_and_B,
        "Ȧ = [[0, −~ż], [0, 0]], Ḃ = [ċ_q − w × ḃ − ẇ × b; ẇ]",
    ),
    entry(
        "3.43",
        "universal joint, with (3.40)–(3.42)",
        universal,
        "C = [[c₂, 0, s₂], [s₁s₂, c₁, −s₁c₂], [−c₁s₂, s₁, c₁c₂]]",
    ),
    entry(
        "3.26, hybrid",
        "A and v in the screw paper's order",
        hybrid_motion,
        "P A P = Ad_{r_ji}, P v = Vʰ, P swaps translation and rotation",
        kind="own",
    ),
)
