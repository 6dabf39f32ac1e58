"""Kinematics of the recursive formulation as checks: (3.1)–(3.43)."""

from __future__ import annotations

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.motion import GROUND, spin
from ...exact.screws import skew
from ...exact.series import Series
from .cases import entry
from .formulation import JointFunctions, across, kinematics
from .tree import JointTree


def functions(tree: JointTree, j: int) -> JointFunctions:
    joint = tree.joints[j]
    return JointFunctions(joint.kind, joint.circle, tree.of(j, 0), tree.of(j, 1))


#: The body connection array of Fig. 3.1.
ARRAY = (0, 1, 2, 3, 3, 5, 6, 4, 8, 4)


def connection_array(tree: JointTree) -> Sides:
    """β_j < j."""
    for j, joint in tree.joints.items():
        yield sp.Matrix([min(joint.pred, j - 1)]), sp.Matrix([joint.pred])
    for j, i in enumerate(ARRAY, start=1):
        yield "3.1", sp.Matrix([min(i, j - 1)]), sp.Matrix([i])


class Turned:
    """The rotations of a joint's frames and bodies, as matrices and as tensors in inertial axes."""

    def __init__(self, tree: JointTree, j: int) -> None:
        joint = tree.joints[j]
        self.inner, self.outer = tree.motion.R(joint.pred), tree.motion.R(j)
        self.Bi, self.Bj, self.C = joint.Bi, joint.Bj, tree.motion.turned(j).value
        self.Ri, self.Rj = self.inner.value, self.outer.value
        self.Fi, self.Fj = self.Ri * joint.Bi, self.Rj * joint.Bj
        self.tensors = (
            self.Ri * self.Bi * self.Ri.T,
            self.Fi * self.C * self.Fi.T,
            self.Rj * self.Bj * self.Rj.T,
        )


def frames(tree: JointTree) -> Sides:
    """The frame on body j is C of the one on body i, and all rotations are orthonormal."""
    for j in tree.joints:
        at = Turned(tree, j)
        yield at.Fj, at.tensors[1] * at.Fi
        for R in (at.Bi, at.Bj, at.C, at.Rj):
            yield R * R.T, sp.eye(3)


def composition(tree: JointTree) -> Sides:
    """Tensors follow each other to the left; their matrices, in their own frames, to the right."""
    for j in tree.joints:
        at = Turned(tree, j)
        Bi, C, Bj = at.tensors
        yield at.Rj, Bj.T * C * Bi * at.Ri
        yield at.Rj, at.Ri * at.Bi * at.C * at.Bj.T


def relative_spin(tree: JointTree) -> Sides:
    """(3.11)–(3.13): the axial vector of Ċ Cᵀ, expressed in the joint's frame, is ω^j − ω^i."""
    for j in tree.joints:
        at, of = Turned(tree, j), functions(tree, j)
        turn = tree.motion.turned(j)
        difference = spin(at.outer).value - spin(at.inner).value
        yield difference, at.Fi * spin(turn).value
        yield "3.12", turn.value, of.C
        yield "3.13", difference, at.Fi * of.W * of.u


def joint_axes(tree: JointTree) -> Sides:
    """w is the axial vector of ∂C/∂q Cᵀ."""
    for j, joint in tree.joints.items():
        of = functions(tree, j)
        for m in range(joint.kind.count):
            yield skew(of.W[:, m]), tree.slopes[j, m].turned(j).at(1) * of.C.T


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


class Arms:
    """b^ik, c^k and b^jk on their way, w and c_q at the instant."""

    def __init__(self, tree: JointTree, j: int) -> None:
        joint, motion = tree.joints[j], tree.motion
        self.inner, self.outer = motion.R(joint.pred), motion.R(j)
        F = self.inner @ Series.constant(joint.Bi, self.inner.order)
        of = functions(tree, j)
        self.bi = self.inner @ Series.constant(joint.bi, self.inner.order)
        self.bj = self.outer @ Series.constant(joint.bj, self.inner.order)
        self.c = F @ motion.moved(j)
        self.F, self.seen = F.value, motion.moved(j)
        self.w, self.c_q, self.u = F.value * of.W, F.value * of.c_q, of.u
        self.ri, self.rj = motion.r(joint.pred), motion.r(j)
        self.wi, self.wj = spin(self.inner).value, spin(self.outer).value
        self.of = of


def places(tree: JointTree) -> Sides:
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        at = Arms(tree, j)
        yield found[j].r, at.ri.value, (at.rj - at.ri).value
        yield found[j].R, tree.motion.R(j).value
        yield "3.17", (at.rj - at.ri).value, at.bi.value, at.c.value, -at.bj.value
        yield "3.17", found[j].r - found[joint.pred].r, at.bi.value + at.c.value - at.bj.value


def velocity_of_places(tree: JointTree) -> Sides:
    """(3.18)–(3.25), in the order of the paper's derivation."""
    for j in tree.joints:
        at = Arms(tree, j)
        bi, c, bj = at.bi.value, at.c.value, at.bj.value
        sliding, turning = at.c_q * at.u, at.w * at.u
        yield at.rj.at(1), at.ri.at(1), at.bi.at(1), at.c.at(1), -at.bj.at(1)
        yield "3.19", at.bi.at(1), at.wi.cross(bi)
        yield "3.20", at.bj.at(1), at.wj.cross(bj)
        yield "3.21", at.c.at(1), at.wi.cross(c), at.F * at.seen.at(1)
        yield "3.23", at.c.at(1), at.wi.cross(c), sliding
        yield "3.24", at.bj.at(1), at.wi.cross(bj), turning.cross(bj)
        relative = (at.c_q - across(at.w, bj)) * at.u
        yield "3.25", at.rj.at(1), at.ri.at(1), at.wi.cross(bi + c - bj), relative


def velocities(tree: JointTree) -> Sides:
    """v_j = A v_i + B q̇."""
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        inner = tree.motion.v(joint.pred).value if joint.pred != GROUND else sp.zeros(6, 1)
        yield tree.motion.v(j).value, found[j].A * inner + found[j].B * tree.of(j, 1)


def matrices_of_velocities(tree: JointTree) -> Sides:
    """(3.28), (3.30), (3.31): by what a unit speed of the inner body or of the joint moves."""
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        at = Arms(tree, j)
        z = at.bi.value + at.c.value - at.bj.value
        yield found[j].A[:3, 3:], -skew(z)
        yield "3.31", skew(z), skew(at.rj.value - at.ri.value)
        for m in range(joint.kind.count):
            yield "3.30", found[j].B[:, m], tree.slopes[j, m].v(j).value


def displacements(tree: JointTree) -> Sides:
    """δu_j = A δu_i + B δq, for each coordinate."""
    found = kinematics(tree)
    for x in tree.coordinates:
        moving = tree.slopes[x]
        for j, joint in tree.joints.items():
            own = found[j].B[:, x[1]] if x[0] == j else sp.zeros(6, 1)
            inner = moving.v(joint.pred).value
            yield moving.v(j).value, found[j].A * inner + own


def accelerations(tree: JointTree) -> Sides:
    """v̇_j = A v̇_i + B q̈ + D, D = Ȧ v_i + Ḃ q̇."""
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        inner, of = tree.motion.v(joint.pred), found[j]
        yield tree.motion.v(j).at(1), of.A * inner.at(1) + of.B * tree.of(j, 2) + of.D
        moved, turned = of.A_rate * inner.value, of.B_rate * tree.of(j, 1)
        held = tree.motion.v(j).at(1) - of.A * inner.at(1) - of.B * tree.of(j, 2)
        yield "3.36", held, moved, turned


def rates_of_axes(tree: JointTree, printed: bool = False) -> Sides:
    """ω̇_ij − w q̈ = ẇ q̇; the print leaves out that w turns with body i."""
    for j in tree.joints:
        at = Arms(tree, j)
        difference = spin(at.outer).at(1) - spin(at.inner).at(1)
        turned = sp.zeros(3, 1) if printed else at.wi.cross(at.w * at.u)
        yield difference - at.w * tree.of(j, 2), turned, at.F * at.of.W_rate * at.u


def rates_of_A_and_B(tree: JointTree) -> Sides:
    """(3.37), (3.38).

    v̇_j at constant rates is quadratic in them. Of a coordinate of j's own joint and of the
    rates as they are, the mixed part is Ḃ's column, and the slopes of A and B along it.
    """
    found = kinematics(tree)
    for j, joint in tree.joints.items():
        z = tree.motion.r(j) - tree.motion.r(joint.pred)
        upper = sp.Matrix.hstack(sp.zeros(3, 3), -skew(z.at(1)))
        yield found[j].A_rate, sp.Matrix.vstack(upper, sp.zeros(3, 6))
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
        yield "3.38", mixed, found[j].B_rate[:, m] + slide + turned


def universal(tree: JointTree) -> Sides:
    """(3.40)–(3.43)"""
    for j, joint in tree.joints.items():
        if len(joint.kind.turns) == joint.kind.count == 2:
            (c1, s1), (c2, s2) = joint.circle
            C = sp.Matrix([[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])
            at = Turned(tree, j)
            yield at.C, C
            yield "3.40", tree.motion.moved(j).value, sp.zeros(3, 1)
            dyads = (at.Fj[:, k] * at.Fi[:, k].T for k in range(3))
            tensor = sum(dyads, sp.zeros(3, 3))
            yield "3.41", at.Fj, tensor * at.Fi
            yield "3.42", tensor, at.Fi * C * at.Fi.T


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
    entry("3.2", "every body comes after the one that it hangs on", connection_array, "β_j < j"),
    entry("3.7", "frames of a joint", frames, "e^jk = C^k · e^ik, R Rᵀ = 1"),
    entry(
        "3.8",
        "rotation of a body, by tensors and by matrices",
        composition,
        "R^j = R^i B^ik C^k (B^jk)ᵀ; as tensors (B^jk)ᵀ · C^k · B^ik · R^i",
    ),
    entry(
        "3.11",
        "relative angular velocity of two bodies",
        relative_spin,
        "ω^ij = ω^j − ω^i is the axial vector of Ċ Cᵀ in the joint's frame, = w q̇",
    ),
    entry("3.14", "axes of a joint", joint_axes, "~w_m = ∂C/∂q_m Cᵀ"),
    entry("3.15", "angular velocity from the inner body's", spins, "ω^j = ω^i + w q̇"),
    entry("3.16", "place of a centroid", places, "r^j = r^i + r^ij, r^ij = b^ik + c^k − b^jk"),
    entry(
        "3.18",
        "velocity of a centroid, derived step by step",
        velocity_of_places,
        "ṙ^j = ṙ^i + ḃ^ik + ċ^k − ḃ^jk = ṙ^i + ω^i × (b^ik + c^k − b^jk) + (c_q − w × b^jk) q̇",
    ),
    entry(
        "3.22", "place in a joint and its slopes", joint_places, "ċ = ∂c/∂q q̇ in the joint's frame"
    ),
    entry("3.26", "velocity from the inner body's", velocities, "v^j = A v^i + B q̇"),
    entry(
        "3.28",
        "what A and B are made of",
        matrices_of_velocities,
        "A = [[1, −~z], [0, 1]], z = b^ik + c^k − b^jk, B = [c_q − w × b; w]",
    ),
    entry("3.32", "virtual displacements", displacements, "δu^j = A δu^i + B δq"),
    entry(
        "3.35",
        "acceleration from the inner body's",
        accelerations,
        "v̇^j = A v̇^i + B q̈ + D, D = Ȧ v^i + Ḃ q̇",
    ),
    entry(
        "3.37",
        "rates of A and B",
        rates_of_A_and_B,
        "Ȧ = [[0, −~ż], [0, 0]], Ḃ = [ċ_q − w × ḃ − ẇ × b; ẇ]",
    ),
    entry(
        "3.39",
        "rates of a joint's axes",
        rates_of_axes,
        "ẇ = ω^i × w + ∂w/∂q q̇",
        as_printed="ẇ = ∂w/∂q q̇",
        correction="ω^i × w is missing: w turns with the inner body; c_q in (3.38) does so too",
    ),
    entry(
        "3.43",
        "universal joint",
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
