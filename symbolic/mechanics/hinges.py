"""What a hinge lets its child do: one rule for all kinds, from the relative pose of the record.

Relative velocity, motion subspace H and the bias follow from the pose by differentiation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import sympy as sp

from ...model import Hinge, Mimic, Model
from ...model.expressions.differentiated import jacobian
from ...model.expressions.quantities import Quantity, exact_expression, hinge_symbol
from ...model.parts.hinge_kinds import (
    ANGLE,
    HINGE_KINDS,
    LENGTH,
    OFFSET,
    QUATERNION,
    RATIO,
    SHARING,
    SIZES,
    Coordinate,
    HingeKind,
    about,
    flat,
)
from ..language.program import Slot
from .beams import Functions, coordinates, displaced, named
from .space import Space

SLOTS: Mapping[Coordinate, Slot] = {
    ANGLE: Slot.ANGLE,
    LENGTH: Slot.VECTOR,
    QUATERNION: Slot.QUATERNION,
}


@dataclass(frozen=True)
class Joint:
    """The relative motion in a hinge, of the child's point frame as seen from the parent's.

    Shape
        `q`, `u`, `rates` (q̇): columns; `rotation` R: d×d, child to parent axes; `position` p:
        d, in parent axes; `velocity` Rᵀṗ, `spin` and their rates at constant u (`bias`,
        `twist`: Rᵀp̈ and d/dt of `spin`): in child axes.
    Sign
        Of the child relative to the parent.
    """

    dimension: int
    slots: tuple[Slot, ...]
    q: sp.Matrix
    u: sp.Matrix
    rates: sp.Matrix
    rotation: sp.Matrix
    position: sp.Matrix
    velocity: sp.Matrix
    spin: sp.Matrix
    bias: sp.Matrix
    twist: sp.Matrix

    @property
    def subspace(self) -> sp.Matrix:
        """H: (velocity, spin) = H u."""
        motion = sp.Matrix.vstack(self.velocity, self.spin)
        return jacobian(motion, self.u)

    @property
    def backward_subspace(self) -> sp.Matrix:
        """H of the parent's motion relative to the child, in the parent's axes."""
        d, R = self.dimension, self.rotation
        space, H = Space(d), self.subspace
        spin = H[d:, :] if d == 2 else R * H[d:, :]
        lever = space.shift(self.position)[:d, d:]
        return tidy(sp.Matrix.vstack(-R * H[:d, :] + lever * spin, -spin))

    def steady(self, backward: bool) -> bool:
        """Is H u̇ in the link's axes all that the hinge itself adds to its acceleration?

        Then H is the same at all coordinates, and no turn takes a slide along: ω × v = 0. For
        the acceleration of the link's point is d/dt (A v) = A (v̇ + ω × v).
        """
        if not len(self.u):
            return True
        H = self.backward_subspace if backward else self.subspace
        d, motion = self.dimension, H * self.u
        taken = tidy(Space(d).turn(motion[d:, :], motion[:d, :]))
        return not H.free_symbols & set(self.q) and not any(taken)

    @cached_property
    def factored(self) -> bool:
        """Is the pose exp(X₁ q₁) exp(X₂ q₂) …: each screw moved by the coordinates before it alone?

        Source
            own: the pose's rate along q_k is that of a screw J_k(q₁ … q_k₋₁) of the parent.
        """
        if self.rates != self.u or not len(self.q):
            return not len(self.q)
        d = self.dimension
        spins = self.subspace[d:, :] if d == 2 else tidy(self.rotation * self.subspace[d:, :])
        lever = Space(d).shift(-self.position)[:d, d:]
        screws = jacobian(self.position, self.q).col_join(spins)
        screws[:d, :] += lever * spins
        return not any(
            tidy(screws[:, k]).free_symbols & set(self.q[k:]) for k in range(len(self.q))
        )

    @property
    def turning(self) -> bool:
        """Does it turn in any way, its speeds the child's motion in the child's axes?"""
        return Slot.QUATERNION in self.slots

    def eliminated(self, backward: bool) -> tuple[int, ...]:
        """The components of (r̈, Ω̇) that H spans, if it spans components; else none."""
        H = self.backward_subspace if backward else self.subspace
        moving = [i for i in range(H.rows) if any(x != 0 for x in H.row(i))]
        return tuple(moving) if len(moving) == H.cols else ()


def third(rotation: sp.Matrix) -> bool:
    """Is it, by its zeros, a rotation about the third axis, or one in the plane?"""
    return rotation.rows == 2 or all(
        rotation[2, k] == rotation[k, 2] == int(k == 2) for k in range(3)
    )


def tidy(matrix: sp.Matrix) -> sp.Matrix:
    """Expanded, with sin² + cos² = 1: the entries are short."""

    def one(x: sp.Expr) -> sp.Expr:
        x = sp.expand(x)
        for square in [a for a in x.atoms(sp.Pow) if a.base.func is sp.sin and a.exp == 2]:
            x = sp.expand(x.subs(square, 1 - sp.cos(square.base.args[0]) ** 2))
        return x

    return matrix.applyfunc(one)


def derived(
    dimension: int, slots: tuple[Slot, ...], q: sp.Matrix, rotation: sp.Matrix, position: sp.Matrix
) -> Joint:
    """A relative motion whose speeds are the rates of its coordinates."""
    count = len(q)
    u = sp.Matrix(sp.symbols(f"u1:{count + 1}", real=True))

    def along(value: sp.Matrix) -> sp.Matrix:
        return jacobian(value, q) * u if count else sp.zeros(len(value), 1)

    R, p = rotation, position
    turning = sp.Matrix(R.rows, R.cols, list(along(R.reshape(len(R), 1))))
    w = tidy(axial(R.T * turning))
    return Joint(
        dimension,
        slots,
        q,
        u,
        u,
        R,
        p,
        tidy(R.T * along(p)),
        w,
        tidy(R.T * along(along(p))),
        tidy(along(w)),
    )


def axial(W: sp.Matrix) -> sp.Matrix:
    """w of ~w: one component in the plane, three in space."""
    return sp.Matrix([W[1, 0]] if W.rows == 2 else [W[2, 1], W[0, 2], W[1, 0]])


def turned(dimension: int, angles: sp.Matrix) -> sp.Matrix:
    """The rotation by an angle, or about the fixed first, second and third axis in turn."""
    if dimension == 2:
        return flat(angles[0])
    return about(2, angles[2]) * about(1, angles[1]) * about(0, angles[0])


def _turning(kind: HingeKind) -> Joint:
    """A kind with a quaternion: its speeds are the child's motion in the child's axes."""
    q, u, none = sp.Matrix(kind.q), sp.Matrix(kind.u), sp.zeros(3, 1)
    velocity, spin = (u[:3, :] if len(u) == 6 else none), u[-3:, :]
    return Joint(
        3,
        tuple(SLOTS[slot] for slot in kind.slots),
        q,
        u,
        sp.Matrix(kind.rates),
        sp.Matrix(kind.rotation),
        sp.Matrix(kind.position),
        velocity,
        spin,
        spin.cross(velocity),
        none,
    )


def sizes(hinge: Hinge) -> dict[sp.Symbol, sp.Expr]:
    """The sizes of a hinge: what the symbols in its kind's pose stand for."""
    found = {size: exact_expression(getattr(hinge, size.name)) for size in SIZES}
    if hinge.mimic:
        own = (RATIO, hinge.mimic.ratio), (OFFSET, hinge.mimic.offset)
        found |= {size: exact_expression(value) for size, value in own}
    return found


def sharing(hinge: Hinge, leader: Mimic) -> Hinge:
    """A hinge that follows, as one whose coordinate and speed are the leader's.

    With q_own = ratio q + offset and u_own = ratio u its force along u is ratio times its own, its
    potential is that of q_own, and its rotor's inertia is ratio² its own.

    Source
        own: virtual power.
    """
    ratio, offset = map(exact_expression, (leader.ratio, leader.offset))
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    own = {q: ratio * q + offset, u: ratio * u}

    def shared(law: Quantity) -> sp.Expr:
        return exact_expression(law).xreplace(own)

    return replace(
        hinge,
        kind=hinge.kind + SHARING,
        force=tuple(ratio * shared(law) for law in hinge.force),
        potential=shared(hinge.potential),
        rotor=tuple(ratio**2 * exact_expression(x) for x in hinge.rotor),
        mimic=leader,
    )


def unfactored(model: Model) -> dict[str, str]:
    """By kind a hinge of the model's tree, where they are no factors with screws of their own."""
    found: dict[str, str] = {}
    for hinge in model.tree_hinges:
        of = joint(model.dimension, hinge.kind)
        if not (of.factored or of.turning):
            found.setdefault(hinge.kind, hinge.name)
    return found


@cache
def joint(dimension: int, kind: str) -> Joint:
    """The relative motion of a kind of hinge."""
    record = HINGE_KINDS[dimension][kind]
    if record.has_quaternion:
        return _turning(record)
    slots = tuple(SLOTS[slot] for slot in record.slots)
    rotation, position = sp.Matrix(record.rotation), sp.Matrix(record.position)
    return derived(dimension, slots, sp.Matrix(record.q), rotation, position)


@cache
def section(functions: Functions) -> Joint:
    """The motion of a point's axes in a beam's section, as seen from the floating frame.

    By the values there of the functions (see `beams.named`), the place `at` and the angle `turn`
    of the axes in the section.
    """
    at, turn = sp.symbols("at turn", real=True)
    here, (eta, _) = named(functions), coordinates(functions.modes)
    rotation = flat(turn + (here.slope * eta)[0])
    slots = (Slot.VECTOR,) * functions.modes
    return derived(2, slots, eta, rotation, displaced(here, at, eta))
