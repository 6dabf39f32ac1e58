"""Bodies and joints with closed loops, moving: poses as Taylor series, and what follows.

Everything here is definition. What the divide-and-conquer paper states of it is judged in
`hdcaledger` and what that lists.

Twists are (v, ω) and wrenches (f, t), in inertial axes. A joint leads from its predecessor to
its successor, V_succ − V_pred = H q̇ at the successor's point; impulse and force that it
transmits act on the successor with +, on the predecessor with −. Body 0 is the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import sympy as sp

from .screws import axial, skew
from .series import Series, blocks

Method = TypeVar("Method", bound=Callable[..., Any])


def once(method: Method) -> Method:
    """A method whose values an instance remembers."""

    @wraps(method)
    def found(self: Any, *args: Any) -> Any:
        known = self.__dict__.setdefault("_known", {})
        key = (method.__name__, *args)
        if key not in known:
            known[key] = method(self, *args)
        return known[key]

    return cast(Method, found)


GROUND = 0

#: The order of the poses' series: momenta are then known with their rates.
ORDER = 2

#: The free ones of a joint's six directions in its own axes: x, y, z, then turns about them.
FREE = {
    "revolute": (5,),
    "prismatic": (2,),
    "cylindrical": (2, 5),
    "ball": (3, 4, 5),
    "free": (0, 1, 2, 3, 4, 5),
}


@dataclass(frozen=True, eq=False)
class Joint:
    """Where it sits: a point and axes E in the predecessor's axes, a point in the successor's.

    Points are taken from the centres of mass. In the joint's own axes: `shift`, the
    successor's point from the predecessor's, and `turn`, the successor's axes.
    """

    pred: int
    succ: int
    kind: str
    at_pred: sp.Matrix
    E: sp.Matrix
    at_succ: sp.Matrix
    shift: sp.Matrix
    turn: sp.Matrix

    @property
    def H(self) -> sp.Matrix:
        """Free directions in the joint's own axes: ones and zeros."""
        return sp.eye(6)[:, list(FREE[self.kind])]

    @property
    def D(self) -> sp.Matrix:
        """Constrained directions in the joint's own axes."""
        return sp.eye(6)[:, [k for k in range(6) if k not in FREE[self.kind]]]


@dataclass(frozen=True, eq=False)
class System:
    """Joints by number: joint i carries body i, those in `cuts` close loops.

    `mass`, `inertia` (about the centre, body's axes) and `load` (f, t about the centre) by body,
    all loads together; `gravity` is the part of the loads that has a potential.
    """

    joints: Mapping[int, Joint]
    cuts: tuple[int, ...]
    mass: Mapping[int, sp.Expr]
    inertia: Mapping[int, sp.Matrix]
    load: Mapping[int, sp.Matrix]
    gravity: sp.Matrix

    @property
    def bodies(self) -> tuple[int, ...]:
        return tuple(self.mass)

    def path(self, i: int) -> tuple[int, ...]:
        """The joints from the ground to body i."""
        return () if i == GROUND else (*self.path(self.joints[i].pred), i)

    def outboard(self, k: int) -> tuple[int, ...]:
        """The bodies beyond tree joint k."""
        return tuple(i for i in self.bodies if k in self.path(i))

    def sides(self, k: int) -> Iterator[tuple[int, int]]:
        """The cut joints' sides (joint, sign) on bodies beyond tree joint k."""
        beyond = self.outboard(k)
        for c in self.cuts:
            for sign, body in ((1, self.joints[c].succ), (-1, self.joints[c].pred)):
                if body in beyond:
                    yield c, sign


class Motion:
    """Poses as series for given speeds and their rates, (nf, 1) each, by joint."""

    def __init__(self, system: System, rates: Mapping[int, tuple[sp.Matrix, sp.Matrix]]) -> None:
        self.system = system
        self.R = {GROUND: Series.constant(sp.eye(3), ORDER)}
        self.C = {GROUND: Series.constant(sp.zeros(3, 1), ORDER)}
        self.O: dict[int, Series] = {}
        for k in system.bodies:
            self._place(k, system.joints[k], rates[k])
        for c in system.cuts:
            self.O[c] = self.point(system.joints[c].succ, system.joints[c].at_succ)

    def _place(self, k: int, joint: Joint, rates: tuple[sp.Matrix, sp.Matrix]) -> None:
        """Ṙ = ~ω R and ḋ = v in the joint's own axes, to order two."""
        first, second = (joint.H * rate for rate in rates)
        W = skew(first[3:, :])
        turn = Series((sp.eye(3), W, (W**2 + skew(second[3:, :])) / 2))
        shift = Series((joint.shift, first[:3, :], second[:3, :] / 2))
        frame = self.R[joint.pred] @ Series.constant(joint.E, ORDER)
        self.R[k] = frame @ turn @ Series.constant(joint.turn, ORDER)
        self.O[k] = self.point(joint.pred, joint.at_pred) + frame @ shift
        self.C[k] = self.O[k] - self.R[k] @ Series.constant(joint.at_succ, ORDER)

    def point(self, i: int, at: sp.Matrix) -> Series:
        """A point of body i, from its centre."""
        return self.C[i] + self.R[i] @ Series.constant(at, ORDER)

    @once
    def spin(self, i: int) -> Series:
        return (self.R[i].rate @ self.R[i].T).map(axial)

    @once
    def V(self, i: int, at: Series) -> Series:
        """The twist of body i's material point that is there."""
        omega = self.spin(i)
        return blocks([[self.C[i].rate + omega.map(skew) @ (at - self.C[i])], [omega]])

    @once
    def axes(self, k: int) -> Series:
        """diag(R E, R E), from a joint's own axes to the inertial ones."""
        joint = self.system.joints[k]
        frame = self.R[joint.pred] @ Series.constant(joint.E, ORDER)
        none = Series.constant(sp.zeros(3, 3), ORDER)
        return blocks([[frame, none], [none, frame]])

    @once
    def H(self, k: int) -> Series:
        return self.axes(k) @ Series.constant(self.system.joints[k].H, ORDER)

    @once
    def D(self, k: int) -> Series:
        return self.axes(k) @ Series.constant(self.system.joints[k].D, ORDER)

    @once
    def S(self, a: Series, b: Series) -> Series:
        """The shift of wrenches from b to a, [[1, 0], [~(b − a), 1]]."""
        one, none = (Series.constant(x, ORDER) for x in (sp.eye(3), sp.zeros(3, 3)))
        return blocks([[one, none], [(b - a).map(skew), one]])

    @once
    def P(self, i: int, about: Series) -> Series:
        """Momentum of body i about a moving point: (m v_C, J ω + (C − O) × m v_C)."""
        J = self.R[i] @ Series.constant(self.system.inertia[i], ORDER) @ self.R[i].T
        p = self.C[i].rate.map(lambda v: self.system.mass[i] * v)
        return blocks([[p], [J @ self.spin(i) + (self.C[i] - about).map(skew) @ p]])

    def column(self, i: int, k: int, at: Series) -> Series:
        """What unit speeds of joint k give body i there; nothing unless k leads to i."""
        H = self.H(k)
        if k not in self.system.path(i):
            return H.map(lambda term: 0 * term)
        return self.S(self.O[k], at).T @ H

    def jacobian(self, i: int, at: Series) -> Series:
        """V = J q̇ of body i there."""
        return blocks([[self.column(i, k, at) for k in self.system.bodies]])

    @once
    def mass(self) -> Series:
        """The mass matrix of the open tree."""
        total = None
        for i in self.system.bodies:
            J = self.jacobian(i, self.C[i])
            one = Series.constant(self.system.mass[i] * sp.eye(3), ORDER)
            none = Series.constant(sp.zeros(3, 3), ORDER)
            inertia = self.R[i] @ Series.constant(self.system.inertia[i], ORDER) @ self.R[i].T
            own = J.T @ blocks([[one, none], [none, inertia]]) @ J
            total = own if total is None else total + own
        assert total is not None
        return total

    @once
    def conditions(self) -> Series:
        """Φ_q: Dᵀ (V_succ − V_pred) at every cut, of the speeds."""
        rows = []
        for c in self.system.cuts:
            joint, at = self.system.joints[c], self.O[c]
            relative = self.jacobian(joint.succ, at) - self.jacobian(joint.pred, at)
            rows.append([self.D(c).T @ relative])
        return blocks(rows)

    def closing(self) -> Series:
        """Φ̇: the velocities that the cuts hold."""
        rows = []
        for c in self.system.cuts:
            joint, at = self.system.joints[c], self.O[c]
            rows.append([self.D(c).T @ (self.V(joint.succ, at) - self.V(joint.pred, at))])
        return blocks(rows)
