"""Appendix C of the recursive-formulation paper: two bodies joined by a universal joint.

Every formula of it that has numbers, entry by entry, against the general kinematics. Body 1
has Bryant angles α, the joint q; arms are e¹₃ and −e²₃, and the joint's frames are the bodies'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from ...exact import screws
from ...exact.claims import Symbols, rates
from ...exact.evaluation import Points
from ...exact.ledger import Instant, Sides
from ...exact.motion import GROUND, Body, spin
from ...exact.screws import skew
from .cases import entry
from .formulation import Moved, across, kinematics
from .tree import KINDS, ORDER, Jointed, JointTree, constant

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
    R1, C1, outer = tree.motion.R(1).value, tree.motion.turned(2).value, tree.motion.R(2).value
    yield R1, of.R1
    yield "C.6", C1, of.C1
    # Of e^1 = R · e^0 and e^21 = C · e^11 the tensors, as sums of dyads.
    one = sp.eye(3)
    for number, after, before, matrix in (("C.2", R1, one, of.R1), ("C.5", outer, R1, of.C1)):
        tensor = sum((after[:, k] * before[:, k].T for k in range(3)), sp.zeros(3, 3))
        yield number, tensor, before * matrix * before.T


def angular_velocities(tree: JointTree) -> Sides:
    """(C.9)–(C.16); Ṙ Rᵀ is given by entries."""
    of = Letters(tree)
    (d1, d2, d3), (u1, u2) = of.da, of.dq
    spinning = [
        d1 + d3 * of.sa2,
        d2 * of.ca1 - d3 * of.sa1 * of.ca2,
        d2 * of.sa1 + d3 * of.ca1 * of.ca2,
    ]
    w1, w12 = sp.Matrix(spinning), sp.Matrix([u1, u2 * of.c1, u2 * of.s1])
    R, C = tree.motion.R(1), tree.motion.turned(2)
    yield spin(R).value, w1
    tensor = (R.rate @ R.T).value
    yield "C.9", tensor * tree.motion.r(1).value, spin(R).value.cross(tree.motion.r(1).value)
    yield "C.10", tensor, skew(w1)
    yield "C.11", (C.rate @ C.T).value, skew(w12)
    axes = sp.Matrix([[1, 0], [0, of.c1], [0, of.s1]])
    relative = spin(tree.motion.R(2)).value - spin(R).value
    yield "C.14", relative, of.R1 * w12
    yield "C.14", relative, of.R1 * axes * of.dq
    for m in range(2):
        yield "C.15", tree.slopes[2, m].spin(2).value, of.R1 * axes[:, m]
    yield "C.16", spin(tree.motion.R(2)).value, w1, of.W * of.dq


def axes(tree: JointTree) -> Sides:
    """(C.33), (C.34): W entry by entry, of unit speeds in the joint."""
    of = Letters(tree)
    for m in range(2):
        yield tree.slopes[2, m].spin(2).value, of.W[:, m]
    yield "C.33", of.at.B[3:, :], of.W


def arms(tree: JointTree) -> Sides:
    """(C.17), (C.19), (C.26)–(C.31), (C.36)–(C.38)."""
    of, e3 = Letters(tree), sp.eye(3)[:, 2]
    r1, r2 = tree.motion.r(1).value, tree.motion.r(2).value
    b11, b21 = tree.motion.R(1).value * e3, -tree.motion.R(2).value * e3
    for k, number in enumerate(("", "C.30", "C.31")):
        yield number, (r2 - r1)[k, :], of.z[k, :]
    yield "C.17", r2, r1, b11 - b21
    yield "C.19", tree.motion.moved(2).value, sp.zeros(3, 1)
    yield "C.26", b11, of.R1 * e3
    yield "C.27", b21, of.R1 * of.C1 * -e3
    for k, number in enumerate(("C.36", "C.37", "C.38")):
        yield number, b21[k, :], of.b21[k, :]


def place(tree: JointTree, printed: bool = False) -> Sides:
    """Of the print b¹² is read as an arm of body 1, which its first index says."""
    of, e3 = Letters(tree), sp.eye(3)[:, 2]
    b11, moving = of.R1 * e3, of.R1 if printed else of.R1 * of.C1
    yield (tree.motion.r(2) - tree.motion.r(1)).value, b11, -moving * -e3


def velocity(tree: JointTree) -> Sides:
    """(C.20)–(C.24), (C.28), (C.32), (C.35), and δu (C.39) by the same A and B."""
    of = Letters(tree)
    w1, r1 = spin(tree.motion.R(1)).value, tree.motion.r(1).at(1)
    b11, b21 = tree.motion.R(1).value[:, 2], -tree.motion.R(2).value[:, 2]
    yield tree.motion.v(2).value, of.at.A * tree.motion.v(1).value, of.at.B * of.dq
    turned = (of.W * of.dq).cross(b21)
    yield "C.20", tree.motion.r(2).at(1), r1, w1.cross(b11 - b21), -turned
    yield "C.20", tree.motion.r(2).at(1), r1, -of.z.cross(w1), -across(of.W, of.b21) * of.dq
    above = sp.Matrix.hstack(sp.eye(3), -skew(of.z))
    yield "C.23", of.at.A, above.col_join(sp.Matrix.hstack(sp.zeros(3, 3), sp.eye(3)))
    for m in range(2):
        column = tree.slopes[2, m].v(2).value
        yield "C.24", column, sp.Matrix.vstack(-across(of.W, b21)[:, m], of.W[:, m])
        yield "C.32", column, sp.Matrix.vstack(b21.cross(of.W[:, m]), of.W[:, m])
        yield "C.35", column[:3, :], skew(of.b21) * of.W[:, m]
    yield "C.28", (b11 - b21).cross(w1), skew(of.z) * w1
    for x in tree.coordinates:
        own = of.at.B[:, x[1]] if x[0] == 2 else sp.zeros(6, 1)
        moving = tree.slopes[x]
        yield "C.39", moving.v(2).value, of.at.A * moving.v(1).value + own


def acceleration(tree: JointTree, printed: bool = False) -> Sides:
    """(C.42)–(C.46), with the rates of b21, W and z along the motion."""
    of = Letters(tree)
    at, e3 = of.at, constant(sp.eye(3)[:, 2])
    R = tree.motion.R(1)
    b21 = -(tree.motion.R(2) @ e3)
    W_rate = skew(spin(R).value) * of.W + of.R1 * sp.Matrix(
        [[0, 0], [0, -of.s1 * of.dq[0]], [0, of.c1 * of.dq[0]]]
    )
    z_rate = (tree.motion.r(2) - tree.motion.r(1)).at(1)
    turned = skew(b21.at(1)) * of.W
    if printed:
        B_rate = sp.Matrix.vstack(turned + turned, of.W)
    else:
        B_rate = sp.Matrix.vstack(turned + skew(of.b21) * W_rate, W_rate)
    yield at.B_rate, B_rate
    zero = sp.zeros(3, 3)
    A_rate = sp.Matrix.vstack(sp.Matrix.hstack(zero, -skew(z_rate)), sp.Matrix.hstack(zero, zero))
    yield "C.44", at.A_rate, A_rate
    yield "C.45", -at.A_rate[:3, 3:], skew((R @ e3 - b21).at(1))
    v1, v2 = tree.motion.v(1), tree.motion.v(2)
    moved = at.A * v1.at(1), at.B * tree.of(2, 2)
    yield "C.42", v2.at(1), *moved, A_rate * v1.value, B_rate * of.dq
    yield "C.43", v2.at(1) - moved[0] - moved[1], A_rate * v1.value, B_rate * of.dq


def letters(tree: JointTree) -> Mapping[str, Any]:
    """Sines and cosines ca1 … sa3 of α, c1 … s2 of q; the appendix's letters with index 1 or 12.

    `R1`, `C1`, `W`, `z`, `b11`, `b21`, `A`, `B`, `D`, `omega1`, `omega2`, `v1`, `v2`, `r1`, `r2`,
    `dalpha`, `q1`'s rates `dq`, `ddq`; `d` before a name is its rate.
    """
    of, m, e3 = Letters(tree), tree.motion, constant(sp.eye(3)[:, 2])
    names = [f"{f}{a}{k}" for f in "cs" for a, n in (("a", 3), ("", 2)) for k in range(1, n + 1)]
    known: dict[str, Any] = {name: partial(getattr, of, name) for name in [*names, "W", "z"]}
    for name, series in {
        "R1": lambda: m.R(1), "R2": lambda: m.R(2), "C1": lambda: m.turned(2),
        "r1": lambda: m.r(1), "r2": lambda: m.r(2),
        "b11": lambda: m.R(1) @ e3, "b21": lambda: -(m.R(2) @ e3),
        "v1": lambda: m.v(1), "v2": lambda: m.v(2),
        "omega1": lambda: m.spin(1), "omega2": lambda: m.spin(2),
    }.items():  # fmt: skip
        known |= rates(name, series, 1)
    for name, field in {"A": "A", "dA": "A_rate", "B": "B", "dB": "B_rate", "D": "D"}.items():
        known[name] = lambda field=field: getattr(of.at, field)
    known |= {"dalpha": lambda: of.da, "dq": lambda: of.dq, "ddq": lambda: tree.of(2, 2)}
    return Symbols(known)


EXAMPLE = Instant("two bodies of Appendix C", drawn)

appendix = partial(entry, instants=(EXAMPLE,), symbols=letters)

ENTRIES = (
    appendix(
        "C.3",
        "orientations",
        orientations,
        "R¹ = R_x(α₁) R_y(α₂) R_z(α₃), C = R_x(q₁) R_y(q₂)",
    ),
    appendix(
        "C.13",
        "angular velocities",
        angular_velocities,
        "ω¹ = (α̇₁ + α̇₃ s₂, α̇₂ c₁ − α̇₃ s₁ c₂, α̇₂ s₁ + α̇₃ c₁ c₂)",
    ),
    appendix("C.34", "axes of the joint", axes, "W = R¹ [[1, 0], [0, c₁], [0, s₁]]"),
    appendix("C.29", "arms and z", arms, "z = R¹ e₃ + R¹ C e₃, b²¹ = −R¹ C e₃"),
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
        "velocity and virtual displacement",
        velocity,
        "v² = A v¹ + B q̇, A = [[1, −~z], [0, 1]], B = [b²¹ × W; W]",
    ),
    appendix(
        "C.46",
        "acceleration",
        acceleration,
        "Ḃ = [ḃ²¹ × W + b²¹ × Ẇ; Ẇ]",
        as_printed="Ḃ = [ḃ²¹ × W + ḃ²¹ × W; W]",
        correction="the second term is b21 × Ẇ, the lower block Ẇ",
    ),
)
