"""The divide-and-conquer paper's quantities at an exact instant, by their definitions.

Twists are (v, ω) and wrenches (f, t), in inertial axes. A joint leads from its predecessor to
its successor, V_succ − V_pred = H q̇ at the successor's point; impulse and force that it
transmits act on the successor with +, on the predecessor with −. Body 0 is the ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.motion import Joint, Motion, Tree, stacked
from ...symbolic.exact.once import once
from ...symbolic.exact.series import Series, blocks
from ...symbolic.exact.true_motion import Loaded, exerted


class Momenta:
    """What the paper's letters mean in a motion: twists, shifts, momenta, directions."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.tree = motion.tree
        self.bodies = tuple(motion.tree.bodies)
        self.joints: dict[int, Joint] = {**motion.tree.joints, **motion.tree.cuts}
        self.mass = {i: body.mass for i, body in motion.tree.bodies.items()}
        self.R = {i: motion.R(i) for i in motion.C}
        self.C = {i: motion.r(i) for i in motion.C}
        self.O = {
            k: motion.point(joint.succ, screws.place(joint.outer))
            for k, joint in self.joints.items()
        }

    @once
    def spin(self, i: int) -> Series:
        return self.motion.spin(i)

    @once
    def V(self, i: int, at: Series) -> Series:
        """The twist of body i's material point that is there."""
        omega = self.spin(i)
        return stacked(self.C[i].rate + omega.map(screws.skew) @ (at - self.C[i]), omega)

    @once
    def axes(self, k: int) -> Series:
        """From twists (ω, v) in a joint's own axes to (v, ω) in the inertial ones."""
        joint = self.joints[k]
        frame = self.R[joint.pred] @ self.motion.constant(screws.turn(joint.inner))
        none = self.motion.constant(sp.zeros(3, 3))
        return blocks([[none, frame], [frame, none]])

    @once
    def H(self, k: int) -> Series:
        return self.axes(k) @ self.motion.constant(self.joints[k].free)

    @once
    def D(self, k: int) -> Series:
        return self.axes(k) @ self.motion.constant(self.joints[k].held)

    @once
    def S(self, a: Series, b: Series) -> Series:
        """The shift of wrenches from b to a, [[1, 0], [~(b − a), 1]]."""
        one, none = (self.motion.constant(x) for x in (sp.eye(3), sp.zeros(3, 3)))
        return blocks([[one, none], [(b - a).map(screws.skew), one]])

    @once
    def J(self, i: int) -> Series:
        """Inertia about the centre, in inertial axes."""
        return self.R[i] @ self.motion.constant(self.tree.bodies[i].J) @ self.R[i].T

    @once
    def P(self, i: int, about: Series) -> Series:
        """Momentum of body i about a moving point: (m v_C, J ω + (C − O) × m v_C)."""
        p = self.C[i].rate.map(lambda v: self.mass[i] * v)
        return stacked(p, self.J(i) @ self.spin(i) + (self.C[i] - about).map(screws.skew) @ p)

    def column(self, i: int, k: int, at: Series) -> Series:
        """What unit speeds of joint k give body i there; nothing unless k leads to i."""
        H = self.H(k)
        if k not in self.tree.path(i):
            return H.map(lambda term: 0 * term)
        return self.S(self.O[k], at).T @ H

    def jacobian(self, i: int, at: Series) -> Series:
        """V = J q̇ of body i there."""
        return blocks([[self.column(i, k, at) for k in self.bodies]])

    @once
    def mass_matrix(self) -> Series:
        """That of the open tree."""
        total = None
        for i in self.bodies:
            J = self.jacobian(i, self.C[i])
            one, none = (self.motion.constant(x * sp.eye(3)) for x in (self.mass[i], 0))
            own = J.T @ blocks([[one, none], [none, self.J(i)]]) @ J
            total = own if total is None else total + own
        assert total is not None
        return total

    @once
    def conditions(self) -> Series:
        """Φ_q: Dᵀ (V_succ − V_pred) at every cut, of the speeds."""
        rows = []
        for c, cut in self.tree.cuts.items():
            relative = self.jacobian(cut.succ, self.O[c]) - self.jacobian(cut.pred, self.O[c])
            rows.append([self.D(c).T @ relative])
        return blocks(rows)

    def sides(self, k: int) -> Iterator[tuple[int, int]]:
        """The cut joints' sides (joint, sign) on bodies beyond tree joint k."""
        beyond = self.tree.outboard(k)
        for c, cut in self.tree.cuts.items():
            for sign, body in ((1, cut.succ), (-1, cut.pred)):
                if body in beyond:
                    yield c, sign


class Instant(Momenta):
    """The true motion under loads (f, t) about the bodies' centres, which holds its loops closed.

    `gravity` is the part of the loads that has a potential; `sigma`: the cuts' impulses at the
    instant, any numbers, for they depend on the history. Momenta that a joint transmits are sums
    over the bodies beyond it.
    """

    def __init__(
        self,
        tree: Tree,
        load: Mapping[int, sp.Matrix],
        gravity: sp.Matrix,
        sigma: Mapping[int, sp.Matrix],
    ) -> None:
        of = Loaded(tree, load)
        super().__init__(of.moving.motion)
        self.load, self.gravity, self.sigma = load, gravity, sigma
        self.lam = dict(of.solution[1])

    def q(self, k: int) -> sp.Matrix:
        """Speeds of tree joint k."""
        return self.tree.of(k, 1)

    @property
    def speeds(self) -> sp.Matrix:
        return sp.Matrix.vstack(*(self.tree.of(k, 1) for k in self.bodies))

    @property
    def accelerations(self) -> sp.Matrix:
        return sp.Matrix.vstack(*(self.tree.of(k, 2) for k in self.bodies))

    def reaction(self, c: int) -> Series:
        """D σ of a cut; σ̇ = λ."""
        return self.D(c) @ Series((self.sigma[c], self.lam[c]))

    @once
    def articulated(self, k: int) -> Series:
        """P̄ that joint k transmits to its successor: momentum beyond, less the cuts' impulses."""
        if k in self.tree.cuts:
            return self.reaction(k)
        first, *rest = (self.P(i, self.O[k]) for i in self.tree.outboard(k))
        total = sum(rest, first)
        for c, sign in self.sides(k):
            shifted = self.S(self.O[k], self.O[c]) @ self.reaction(c)
            total = total - shifted if sign > 0 else total + shifted
        return total

    @once
    def p(self, k: int) -> Series:
        """The augmented momentum of a joint: Hᵀ P̄, zero at a cut."""
        return self.H(k).T @ self.articulated(k)

    @once
    def T(self, k: int) -> Series:
        """The constrained part of a joint's impulse on its successor: D σ."""
        D = self.D(k)
        return D @ (D.T @ self.articulated(k))

    def multiplier(self, k: int) -> sp.Matrix:
        """σ of any joint."""
        return (self.D(k).T @ self.articulated(k)).value

    @once
    def F(self, k: int) -> sp.Matrix:
        """The force that joint k exerts on its successor, about its point, by Newton and Euler."""
        return exerted(self.tree, self.load, self.lam, k, self.O[k].value)

    def Q(self, i: int, about: Series) -> sp.Matrix:
        """The load on body i about a point."""
        return self.S(about, self.C[i]).value * self.load[i]
