"""Trees of one-freedom joints, and what the screw paper's letters mean in their motion.

Everything here is definition: twists come from the poses' rates (89), Jacobians from their
definitions (104)–(107). What the screw paper states of them is judged in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import sympy as sp

from ...symbolic.exact import motion, screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Body, Joint, Step, inverse, spin, stacked
from ...symbolic.exact.once import once
from ...symbolic.exact.series import Series, blocks

#: The derivative of highest order that the statements need.
ORDER = 4


class Motion(motion.Motion):
    """The tree's twists and Jacobians as series, by their definitions."""

    tree: Tree

    @once
    def relative(self, i: int, j: int) -> Series:
        """C_{i,j} = C_i⁻¹ C_j."""
        return inverse(self.C[i]) @ self.C[j]

    def shift(self, i: int, j: int) -> Series:
        """r_{i,j} = r_j − r_i in inertial axes."""
        return self.r(j) - self.r(i)

    # Twists (89), (96)–(101)

    @once
    def Vb(self, i: int) -> Series:
        return body_twist(self.C[i])

    @once
    def Vs(self, i: int) -> Series:
        return spatial_twist(self.C[i])

    @once
    def Vh(self, i: int) -> Series:
        return hybrid_twist(self.C[i])

    @once
    def Vm(self, i: int) -> Series:
        return mixed_twist(self.C[i])

    # Jacobians (104)–(107); zero where j is not on the path to i

    def _column(self, i: int, j: int, column: Callable[[], Series]) -> Series:
        return column() if j in self.tree.path(i) else self.constant(sp.zeros(6, 1))

    def X(self, j: int) -> Series:
        return self.constant(self.tree.X[j])

    @once
    def Jb(self, i: int, j: int) -> Series:
        return self._column(i, j, lambda: Ad(self.relative(i, j)) @ self.X(j))

    @once
    def Js(self, j: int) -> Series:
        return Ad(self.C[j]) @ self.X(j)

    @once
    def X0(self, j: int) -> Series:
        """⁰X_j = Ad_{R_j} X_j."""
        return Ad_turn(self.R(j)) @ self.X(j)

    @once
    def Jh(self, i: int, j: int) -> Series:
        return self._column(i, j, lambda: Ad_shift(self.shift(i, j)) @ self.X0(j))

    @once
    def E(self, i: int) -> Series:
        """diag(R_iᵀ, 1)."""
        one, none = self.constant(sp.eye(3)), self.constant(sp.zeros(3, 3))
        return blocks([[self.R(i).T, none], [none, one]])

    @once
    def Jm(self, i: int, j: int) -> Series:
        return self.E(i) @ self.Jh(i, j)


class Tree(motion.TreeOf[Motion]):
    """p(i), X_i, B_i, cos and sin of q_i, all rational; a body is a cloud of particles."""

    seen_as = Motion

    @classmethod
    def drawn(cls, seed: int, parents: Mapping[int, int]) -> Tree:
        """A generic tree of revolute, helical and prismatic joints."""
        draw = Points(seed)

        def screw(kind: int) -> sp.Matrix:
            axis = draw.rotation(3)[:, 0]
            if kind == 2:
                return screws.twist(sp.zeros(3, 1), axis)
            pitch = draw.number() if kind == 1 else sp.Integer(0)
            return screws.unit_screw(axis, draw.vector(3), pitch)

        joints, bodies = {}, {}
        for i, parent in parents.items():
            frame = screws.pose(draw.rotation(3), draw.vector(3))
            joints[i] = one_freedom(parent, i, screw((i + seed) % 3), frame, draw.circle())
            bodies[i] = Body.drawn(draw)
        rates = {(i, 0): [draw.number() for _ in range(ORDER + 1)] for i in parents}
        return cls(joints, bodies, rates)

    @property
    def parents(self) -> dict[int, int]:
        return {i: joint.pred for i, joint in self.joints.items()}

    @cached_property
    def X(self) -> dict[int, sp.Matrix]:
        return {i: joint.steps[0].screws for i, joint in self.joints.items()}

    @cached_property
    def B(self) -> dict[int, sp.Matrix]:
        return {i: joint.inner for i, joint in self.joints.items()}


def one_freedom(
    pred: int, succ: int, X: sp.Matrix, B: sp.Matrix, circle: tuple[sp.Expr, sp.Expr]
) -> Joint:
    """C_{p,i} = B_i exp(X_i q_i) (92)."""
    return Joint(pred, succ, (Step(X, (0,)),), B, circle=(circle,))


def inertia(masses: sp.Matrix, points: sp.Matrix) -> sp.Matrix:
    """[[Θ, ~h], [−~h, m]] of particles, about the point that they are described from.

    Source
        screw paper (40), (41): the sums that these stand for.
    """
    second = points * sp.diag(*masses) * points.T
    first, theta = screws.skew(points * masses), second.trace() * sp.eye(3) - second
    mass = sum(masses, sp.Integer(0)) * sp.eye(3)
    return sp.Matrix.vstack(sp.Matrix.hstack(theta, first), sp.Matrix.hstack(-first, mass))


def body_twist(C: Series) -> Series:
    """Vᵇ^ = C⁻¹ Ċ."""
    return (inverse(C) @ C.rate).map(screws.vee)


def spatial_twist(C: Series) -> Series:
    """Vˢ^ = Ċ C⁻¹."""
    return (C.rate @ inverse(C)).map(screws.vee)


def hybrid_twist(C: Series) -> Series:
    """Vʰ = (ωˢ, ṙ)."""
    return stacked(spin(C.map(screws.turn)), C.map(screws.place).rate)


def mixed_twist(C: Series) -> Series:
    """Vᵐ = (ωᵇ, ṙ)."""
    R = C.map(screws.turn)
    return stacked((R.T @ R.rate).map(screws.axial), C.map(screws.place).rate)


def Ad(C: Series) -> Series:
    R, r = C.map(screws.turn), C.map(screws.place)
    none = Series.constant(sp.zeros(3, 3), C.order)
    return blocks([[R, none], [r.map(screws.skew) @ R, R]])


def Ad_turn(R: Series) -> Series:
    none = Series.constant(sp.zeros(3, 3), R.order)
    return blocks([[R, none], [none, R]])


def Ad_shift(r: Series) -> Series:
    none = Series.constant(sp.zeros(3, 3), r.order)
    one = Series.constant(sp.eye(3), r.order)
    return blocks([[one, none], [r.map(screws.skew), one]])
