"""Appendix C of the recursive-formulation paper in doubles: each formula beside the program.

Two bodies joined by a universal joint; body 1 has Bryant angles α and flies. The formulas are
typed from the paper, misprints among them; the numbers beside them are those of the general
program `slaats` for this very model, which knows none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...model import GROUND, Body, End, Hinge, Model, Point

Floats = npt.NDArray[np.float64]

#: Bryant angles of body 1, the joint's coordinates, and the rates of both and of r¹.
ALPHA, Q = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.5])
ALPHA_RATE, Q_RATE = np.array([0.6, -0.7, 0.8]), np.array([0.9, -1.0])
R_RATE = np.array([0.11, 0.12, 0.13])

E3 = np.array([0.0, 0.0, 1.0])


def mechanism() -> Model:
    """The two bodies; masses and inertias, of which the appendix says nothing, are assumed."""

    def solid(name: str, mass: float, J: tuple[float, float, float], *points: Point) -> Body:
        inertia = tuple(tuple(J[i] if i == j else 0.0 for j in range(3)) for i in range(3))
        return Body(name, mass, inertia, (0, 0, 0), points)

    return Model(
        name="universal-joint",
        dimension=3,
        bodies=(
            solid("1", 1.0, (0.4, 0.5, 0.2), Point("C", (0, 0, 0)), Point("J", (0, 0, 1))),
            solid("2", 1.5, (0.6, 0.7, 0.3), Point("J", (0, 0, -1))),
        ),
        hinges=(
            Hinge("base", "free", (End(GROUND, "O"), End("1", "C"))),
            Hinge("joint", "universal", (End("1", "J"), End("2", "J"))),
        ),
        gravity=(0, 0, 0),
        absolute=False,
    )


def tilde(x: Floats) -> Floats:
    """The matrix of the cross product."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


@dataclass(frozen=True)
class Printed:
    """The appendix's formulas at a state, corrected unless the name says `printed`."""

    alpha: Floats
    q: Floats
    alpha_rate: Floats
    q_rate: Floats
    r_rate: Floats

    @cached_property
    def R1(self) -> Floats:
        """(C.3)"""
        (c1, c2, c3), (s1, s2, s3) = np.cos(self.alpha), np.sin(self.alpha)
        return np.array(
            [
                [c2 * c3, -c2 * s3, s2],
                [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
                [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
            ]
        )

    @cached_property
    def C1(self) -> Floats:
        """(C.6)"""
        (c1, c2), (s1, s2) = np.cos(self.q), np.sin(self.q)
        return np.array([[c2, 0.0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])

    @cached_property
    def omega1(self) -> Floats:
        """(C.13)"""
        (c1, c2, _), (s1, s2, _) = np.cos(self.alpha), np.sin(self.alpha)
        d1, d2, d3 = self.alpha_rate
        return np.array([d1 + d3 * s2, d2 * c1 - d3 * s1 * c2, d2 * s1 + d3 * c1 * c2])

    @cached_property
    def omega12(self) -> Floats:
        """(C.14), in the axes of body 1"""
        c1, s1 = np.cos(self.q[0]), np.sin(self.q[0])
        return np.array([self.q_rate[0], self.q_rate[1] * c1, self.q_rate[1] * s1])

    @cached_property
    def omega2(self) -> Floats:
        """(C.16)"""
        return self.omega1 + self.R1 @ self.omega12

    @cached_property
    def W(self) -> Floats:
        """(C.34)"""
        (ca1, ca2, ca3), (sa1, sa2, sa3) = np.cos(self.alpha), np.sin(self.alpha)
        c1, s1 = np.cos(self.q[0]), np.sin(self.q[0])
        return np.array(
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

    @cached_property
    def b11(self) -> Floats:
        """(C.26)"""
        (c1, c2, _), (s1, s2, _) = np.cos(self.alpha), np.sin(self.alpha)
        return np.array([s2, -s1 * c2, c1 * c2])

    @cached_property
    def b21(self) -> Floats:
        """(C.36)–(C.38)"""
        (ca1, ca2, ca3), (sa1, sa2, sa3) = np.cos(self.alpha), np.sin(self.alpha)
        (c1, c2), (s1, s2) = np.cos(self.q), np.sin(self.q)
        return np.array(
            [
                -ca2 * ca3 * s2 - ca2 * sa3 * s1 * c2 - sa2 * c1 * c2,
                -(ca1 * sa3 + sa1 * sa2 * ca3) * s2
                + (ca1 * ca3 - sa1 * sa2 * sa3) * s1 * c2
                + sa1 * ca2 * c1 * c2,
                -(sa1 * sa3 - ca1 * sa2 * ca3) * s2
                + (sa1 * ca3 + ca1 * sa2 * sa3) * s1 * c2
                - ca1 * ca2 * c1 * c2,
            ]
        )

    @cached_property
    def z(self) -> Floats:
        """(C.29)–(C.31)"""
        (ca1, ca2, ca3), (sa1, sa2, sa3) = np.cos(self.alpha), np.sin(self.alpha)
        (c1, c2), (s1, s2) = np.cos(self.q), np.sin(self.q)
        return np.array(
            [
                sa2 + ca2 * ca3 * s2 + ca2 * sa3 * s1 * c2 + sa2 * c1 * c2,
                -sa1 * ca2
                + (ca1 * sa3 + sa1 * sa2 * ca3) * s2
                - (ca1 * ca3 - sa1 * sa2 * sa3) * s1 * c2
                - sa1 * ca2 * c1 * c2,
                ca1 * ca2
                + (sa1 * sa3 - ca1 * sa2 * ca3) * s2
                - (sa1 * ca3 + ca1 * sa2 * sa3) * s1 * c2
                + ca1 * ca2 * c1 * c2,
            ]
        )

    @cached_property
    def place_printed(self) -> Floats:
        """r² − r¹ by (C.18), whose b¹² can but be an arm of body 1"""
        found: Floats = self.b11 - self.R1 @ -E3
        return found

    @cached_property
    def place(self) -> Floats:
        """r² − r¹ by (C.18), with b²¹"""
        return self.b11 - self.b21

    @cached_property
    def A(self) -> Floats:
        """(C.23)"""
        return np.block([[np.eye(3), -tilde(self.z)], [np.zeros((3, 3)), np.eye(3)]])

    @cached_property
    def B(self) -> Floats:
        """(C.24), (C.32), (C.35)"""
        return np.vstack([tilde(self.b21) @ self.W, self.W])

    @cached_property
    def v1(self) -> Floats:
        """The velocity of body 1"""
        return np.concatenate([self.r_rate, self.omega1])

    @cached_property
    def v2(self) -> Floats:
        """(C.21)"""
        found: Floats = self.A @ self.v1 + self.B @ self.q_rate
        return found

    @cached_property
    def b21_rate(self) -> Floats:
        """ω² × b²¹, for b²¹ is fixed in body 2"""
        return np.cross(self.omega2, self.b21)

    @cached_property
    def A_rate(self) -> Floats:
        """(C.43)–(C.45)"""
        z_rate = np.cross(self.omega1, self.b11) - self.b21_rate
        found = np.zeros((6, 6))
        found[:3, 3:] = -tilde(z_rate)
        return found

    @cached_property
    def W_rate(self) -> Floats:
        """The rate of W: it turns with body 1, and its second axis about the first."""
        c1, s1 = np.cos(self.q[0]), np.sin(self.q[0])
        own = np.array([[0, 0], [0, -s1], [0, c1]]) * self.q_rate[0]
        found: Floats = tilde(self.omega1) @ self.W + self.R1 @ own
        return found

    @cached_property
    def B_rate(self) -> Floats:
        """(C.46)"""
        above = tilde(self.b21_rate) @ self.W + tilde(self.b21) @ self.W_rate
        return np.vstack([above, self.W_rate])

    @cached_property
    def B_rate_printed(self) -> Floats:
        """(C.46) as printed"""
        return np.vstack([2 * tilde(self.b21_rate) @ self.W, self.W])

    @cached_property
    def D(self) -> Floats:
        """(C.42): Ȧ v¹ + Ḃ q̇"""
        return self.A_rate @ self.v1 + self.B_rate @ self.q_rate

    @cached_property
    def D_printed(self) -> Floats:
        """(C.42) with (C.46) as printed"""
        return self.A_rate @ self.v1 + self.B_rate_printed @ self.q_rate


@dataclass(frozen=True)
class Compared:
    """A printed formula and what the program has in its place."""

    number: str
    what: str
    printed: Floats
    program: Floats
    correct: bool = True

    @property
    def difference(self) -> float:
        return float(np.abs(self.printed - self.program).max())


def quaternion(alpha: Floats) -> Floats:
    """(w, x, y, z) of R_x(α₁) R_y(α₂) R_z(α₃)."""
    found = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in enumerate(alpha):
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
        w, x = found[0], found[1:]
        found = np.concatenate(
            [[w * turn[0] - x @ turn[1:]], w * turn[1:] + turn[0] * x + np.cross(x, turn[1:])]
        )
    return found


def compared(of: Printed, numbers: Mapping[str, Floats]) -> tuple[Compared, ...]:
    """All formulas beside the program's numbers at the same state."""
    acceleration = of.A @ numbers["outward/vd/1"] + of.B @ np.array(
        [float(numbers[f"outward/a/ujoint_{k}"]) for k in (1, 2)]
    )
    place = (numbers["body_poses/poses/2"] - numbers["body_poses/poses/1"])[:3, 3]
    vd2, D, w = numbers["outward/vd/2"], numbers["motions/D/2"], numbers["motions/vel/2"][3:]
    relative = numbers["places/A/1"].T @ (w - numbers["motions/vel/1"][3:])
    turned = numbers["places/A/1"].T @ numbers["places/A/2"]
    return (
        Compared("C.3", "orientation R¹", of.R1, numbers["places/A/1"]),
        Compared("C.6", "orientation C of the joint", of.C1, turned),
        Compared("C.13", "angular velocity ω¹", of.omega1, numbers["motions/vel/1"][3:]),
        Compared("C.14", "angular velocity ω¹²", of.omega12, relative),
        Compared("C.16", "angular velocity ω²", of.omega2, w),
        Compared("C.34", "axes W", of.W, numbers["motions/B2/2"][3:]),
        Compared("C.26", "arm b¹¹", of.b11, numbers["places/A/1"] @ E3),
        Compared("C.36–C.38", "arm b²¹", of.b21, -numbers["places/A/2"] @ E3),
        Compared("C.29–C.31", "z", of.z, numbers["motions/z/2"]),
        Compared("C.18, printed", "place of body 2", of.place_printed, place, False),
        Compared("C.18", "the same with b²¹", of.place, place),
        Compared("C.24, C.32", "B", of.B, numbers["motions/B2/2"]),
        Compared("C.21, C.23", "velocity v² by A and B", of.v2, numbers["motions/vel/2"]),
        Compared("C.46, printed", "D by it", of.D_printed, D, False),
        Compared("C.42–C.46", "D, Ḃ corrected", of.D, D),
        Compared("C.42", "acceleration v̇²", acceleration + of.D, vd2),
    )
