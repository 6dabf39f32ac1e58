"""Appendix C of the recursive-formulation paper: two bodies joined by a universal joint.

Every formula of it that has numbers, entry by entry, against the general kinematics. Body 1
has Bryant angles α, the joint q; arms are e¹₃ and −e²₃, and the joint's frames are the bodies'.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Instant, Sides
from ...exact.motion import GROUND, Body, spin
from ...exact.screws import skew
from .formulation import Moved, across, kinematics
from .tree import KINDS, ORDER, Jointed, JointTree, constant, entry

Circle = Sequence[tuple[sp.Expr, sp.Expr]]


def example(
    circles: tuple[Circle, Circle], rates: tuple[Sequence[Sequence[sp.Expr]], ...]
) -> JointTree:
    """The two bodies, by cosines and sines of (α, q), and derivatives of (r¹, α) and q."""
    one, e3 = sp.eye(4), sp.eye(3)[:, 2]
    still = ((sp.Integer(1), sp.Integer(0)),) * 3
    arms = screws.pose(sp.eye(3), e3), screws.pose(sp.eye(3), -e3)
    joints = {
        1: Jointed.of((GROUND, 1), KINDS["free"], (one, one), (*still, *circles[0])),
        2: Jointed.of((1, 2), KINDS["universal"], arms, tuple(circles[1])),
    }
    point = Body(sp.ones(1, 1), sp.zeros(3, 1))
    moved = {(j, m): r for j, each in zip((1, 2), rates, strict=True) for m, r in enumerate(each)}
    return JointTree(joints, dict.fromkeys(joints, point), moved)


def drawn(seed: int = 81) -> JointTree:
    """The example at an exact instant."""
    draw = Points(seed)
    rates = [[[draw.number() for _ in range(ORDER + 1)] for _ in range(n)] for n in (6, 2)]
    circles = [draw.circle() for _ in range(5)]
    return example((circles[:3], circles[3:]), tuple(rates))


class Letters:
    """The appendix's letters: sα₁ …, s₁ …, and the rates of α and q."""

    def __init__(self, tree: JointTree) -> None:
        self.tree = tree
        (self.ca1, self.sa1), (self.ca2, self.sa2), (self.ca3, self.sa3) = tree.joints[1].circle[3:]
        (self.c1, self.s1), (self.c2, self.s2) = tree.joints[2].circle
        self.da = tree.of(1, 1)[3:, :]
        self.dq = tree.of(2, 1)

    @property
    def at(self) -> Moved:
        return kinematics(self.tree)[2]

    @property
    def R1(self) -> sp.Matrix:
        """(C.3)"""
        ca1, sa1, ca2, sa2, ca3, sa3 = self.ca1, self.sa1, self.ca2, self.sa2, self.ca3, self.sa3
        return sp.Matrix(
            [
                [ca2 * ca3, -ca2 * sa3, sa2],
                [ca1 * sa3 + sa1 * sa2 * ca3, ca1 * ca3 - sa1 * sa2 * sa3, -sa1 * ca2],
                [sa1 * sa3 - ca1 * sa2 * ca3, sa1 * ca3 + ca1 * sa2 * sa3, ca1 * ca2],
            ]
        )

    @property
    def C1(self) -> sp.Matrix:
        """(C.6)"""
        c1, s1, c2, s2 = self.c1, self.s1, self.c2, self.s2
        return sp.Matrix([[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])

    @property
    def z(self) -> sp.Matrix:
        """(C.29)–(C.31)"""
        ca1, sa1, ca2, sa2, ca3, sa3 = self.ca1, self.sa1, self.ca2, self.sa2, self.ca3, self.sa3
        c1, s1, c2, s2 = self.c1, self.s1, self.c2, self.s2
        first = sa2 + ca2 * ca3 * s2 + ca2 * sa3 * s1 * c2 + sa2 * c1 * c2
        second = -sa1 * ca2 + (ca1 * sa3 + sa1 * sa2 * ca3) * s2
        second -= (ca1 * ca3 - sa1 * sa2 * sa3) * s1 * c2 + sa1 * ca2 * c1 * c2
        third = ca1 * ca2 + (sa1 * sa3 - ca1 * sa2 * ca3) * s2
        third += -(sa1 * ca3 + ca1 * sa2 * sa3) * s1 * c2 + ca1 * ca2 * c1 * c2
        return sp.Matrix([first, second, third])

    @property
    def W(self) -> sp.Matrix:
        """(C.34), as columns"""
        ca1, sa1, ca2, sa2, ca3, sa3 = self.ca1, self.sa1, self.ca2, self.sa2, self.ca3, self.sa3
        c1, s1 = self.c1, self.s1
        return sp.Matrix(
            [
                [ca2 * ca3, -ca2 * sa3 * c1 + sa2 * s1],
                [
                    ca1 * sa3 + sa1 * sa2 * ca3,
                    (ca1 * ca3 - sa1 * sa2 * sa3) * c1 - sa1 * ca2 * s1,
                ],
                [
                    sa1 * sa3 - ca1 * sa2 * ca3,
                    (sa1 * ca3 + ca1 * sa2 * sa3) * c1 + ca1 * ca2 * s1,
                ],
            ]
        )

    @property
    def b21(self) -> sp.Matrix:
        """(C.36)–(C.38)"""
        ca1, sa1, ca2, sa2, ca3, sa3 = self.ca1, self.sa1, self.ca2, self.sa2, self.ca3, self.sa3
        c1, s1, c2, s2 = self.c1, self.s1, self.c2, self.s2
        first = -ca2 * ca3 * s2 - ca2 * sa3 * s1 * c2 - sa2 * c1 * c2
        second = -(ca1 * sa3 + sa1 * sa2 * ca3) * s2
        second += (ca1 * ca3 - sa1 * sa2 * sa3) * s1 * c2 + sa1 * ca2 * c1 * c2
        third = -(sa1 * sa3 - ca1 * sa2 * ca3) * s2
        third += (sa1 * ca3 + ca1 * sa2 * sa3) * s1 * c2 - ca1 * ca2 * c1 * c2
        return sp.Matrix([first, second, third])


def orientations(tree: JointTree) -> Sides:
    of = Letters(tree)
    yield tree.motion.R(1).value, of.R1
    yield tree.motion.turned(2).value, of.C1


def angular_velocities(tree: JointTree) -> Sides:
    """(C.10), (C.11), (C.13), (C.14), (C.16); Ṙ Rᵀ is given by entries."""
    of = Letters(tree)
    (d1, d2, d3), (u1, u2) = of.da, of.dq
    spinning = [
        d1 + d3 * of.sa2,
        d2 * of.ca1 - d3 * of.sa1 * of.ca2,
        d2 * of.sa1 + d3 * of.ca1 * of.ca2,
    ]
    w1, w12 = sp.Matrix(spinning), sp.Matrix([u1, u2 * of.c1, u2 * of.s1])
    R, C = tree.motion.R(1), tree.motion.turned(2)
    yield (R.rate @ R.T).value, skew(w1)
    yield (C.rate @ C.T).value, skew(w12)
    yield spin(R).value, w1
    axes = sp.Matrix([[1, 0], [0, of.c1], [0, of.s1]])
    yield w12, axes * of.dq
    yield spin(tree.motion.R(2)).value, w1 + of.R1 * axes * of.dq


def axes(tree: JointTree) -> Sides:
    """(C.15), (C.33), (C.34)"""
    of = Letters(tree)
    yield of.at.B[3:, :], of.R1 * sp.Matrix([[1, 0], [0, of.c1], [0, of.s1]])
    yield of.at.B[3:, :], of.W


def arms(tree: JointTree) -> Sides:
    """(C.26), (C.27), (C.29)–(C.31), (C.36)–(C.38), and (C.17)–(C.19) that they are put into."""
    of, e3 = Letters(tree), sp.eye(3)[:, 2]
    b11 = of.R1 * e3
    yield tree.motion.R(2).value * -e3, -of.R1 * of.C1 * e3
    yield of.b21, -of.R1 * of.C1 * e3
    yield of.z, b11 - of.b21
    yield tree.motion.r(2).value, tree.motion.r(1).value + b11 - of.b21


def place(tree: JointTree, printed: bool = False) -> Sides:
    """Of the print b¹² is read as an arm of body 1, which its first index says."""
    of, e3 = Letters(tree), sp.eye(3)[:, 2]
    b11, moving = of.R1 * e3, of.R1 if printed else of.R1 * of.C1
    yield (tree.motion.r(2) - tree.motion.r(1)).value, b11, -moving * -e3


def velocity(tree: JointTree) -> Sides:
    """(C.20)–(C.25), (C.28), (C.32), (C.35); δu (C.39)–(C.41) by the same A and B."""
    of = Letters(tree)
    w1, r1 = spin(tree.motion.R(1)).value, tree.motion.r(1).at(1)
    moved = r1 - of.z.cross(w1) - across(of.W, of.b21) * of.dq
    yield tree.motion.r(2).at(1), moved
    yield of.at.B[:3, :], -across(of.W, of.b21)
    yield of.at.B[:3, :], skew(of.b21) * of.W
    yield (
        of.at.A,
        sp.Matrix.vstack(
            sp.Matrix.hstack(sp.eye(3), -skew(of.z)), sp.Matrix.hstack(sp.zeros(3, 3), sp.eye(3))
        ),
    )
    yield tree.motion.v(2).value, of.at.A * tree.motion.v(1).value + of.at.B * of.dq
    for x in tree.coordinates:
        own = of.at.B[:, x[1]] if x[0] == 2 else sp.zeros(6, 1)
        moving = tree.slopes[x]
        yield moving.v(2).value, of.at.A * moving.v(1).value + own


def acceleration(tree: JointTree, printed: bool = False) -> Sides:
    """(C.42)–(C.46), with the rates of b21, W and z along the motion."""
    of = Letters(tree)
    at, e3 = of.at, constant(sp.eye(3)[:, 2])
    R, C = tree.motion.R(1), tree.motion.turned(2)
    b21 = -(R @ C @ e3)
    W_rate = skew(spin(R).value) * of.W + of.R1 * sp.Matrix(
        [[0, 0], [0, -of.s1 * of.dq[0]], [0, of.c1 * of.dq[0]]]
    )
    z_rate = (R @ e3 - b21).at(1)
    turned = skew(b21.at(1)) * of.W
    if printed:
        B_rate = sp.Matrix.vstack(turned + turned, of.W)
    else:
        B_rate = sp.Matrix.vstack(turned + skew(of.b21) * W_rate, W_rate)
    zero = sp.zeros(3, 3)
    A_rate = sp.Matrix.vstack(sp.Matrix.hstack(zero, -skew(z_rate)), sp.Matrix.hstack(zero, zero))
    yield at.A_rate, A_rate
    yield at.B_rate, B_rate
    D = A_rate * tree.motion.v(1).value + B_rate * of.dq
    yield tree.motion.v(2).at(1), at.A * tree.motion.v(1).at(1) + at.B * tree.of(2, 2) + D


EXAMPLE = Instant("two bodies of Appendix C", drawn)

appendix = partial(entry, instants=(EXAMPLE,))

ENTRIES = (
    appendix(
        "C.3",
        "orientations, (C.1)–(C.6)",
        orientations,
        "R¹ = R_x(α₁) R_y(α₂) R_z(α₃), C = R_x(q₁) R_y(q₂)",
    ),
    appendix(
        "C.13",
        "angular velocities, (C.7)–(C.16)",
        angular_velocities,
        "ω¹ = (α̇₁ + α̇₃ s₂, α̇₂ c₁ − α̇₃ s₁ c₂, α̇₂ s₁ + α̇₃ c₁ c₂)",
    ),
    appendix(
        "C.34", "axes of the joint, (C.15), (C.33)", axes, "W = R¹ [[1, 0], [0, c₁], [0, s₁]]"
    ),
    appendix(
        "C.29",
        "arms and z, (C.17), (C.19), (C.26)–(C.31), (C.36)–(C.38)",
        arms,
        "z = R¹ e₃ + R¹ C e₃, b²¹ = −R¹ C e₃",
    ),
    appendix(
        "C.18",
        "place of body 2",
        place,
        "r¹² = b¹¹ + c¹ − b²¹",
        as_printed="r¹² = b¹¹ + c¹ − b¹²",
        correction="b²¹, the arm of body 2 to joint 1, as in (3.17)",
    ),
    appendix(
        "C.21",
        "velocity and virtual displacement, (C.20)–(C.25), (C.32)–(C.41)",
        velocity,
        "v² = A v¹ + B q̇, A = [[1, −~z], [0, 1]], B = [b²¹ × W; W]",
    ),
    appendix(
        "C.46",
        "acceleration, (C.42)–(C.45)",
        acceleration,
        "Ḃ = [ḃ²¹ × W + b²¹ × Ẇ; Ẇ]",
        as_printed="Ḃ = [ḃ²¹ × W + ḃ²¹ × W; W]",
        correction="the second term is b21 × Ẇ, the lower block Ẇ",
    ),
)
