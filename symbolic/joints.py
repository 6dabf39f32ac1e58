"""What a hinge lets its child do: one rule for all kinds, from the relative pose.

A kind states the child's pose in the parent's point frame, the rates of its coordinates and
the relative angular velocity; relative velocity, motion subspace H and the bias follow by
differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import sympy as sp

from ..model.types import HINGE_KINDS
from .program import Slot
from .space import Space

PITCH = sp.Symbol("pitch", real=True)


@dataclass(frozen=True)
class Joint:
    """The relative motion in a hinge, of the child's point frame as seen from the parent's.

    Shape
        `q`, `u`, `rates` (q̇): columns; `rotation` R: d×d, child to parent axes; `position` p:
        d, in parent axes; `velocity` Rᵀṗ, `spin` and their rates at constant u (`drift`,
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
    drift: sp.Matrix
    twist: sp.Matrix

    @property
    def subspace(self) -> sp.Matrix:
        """H: (velocity, spin) = H u."""
        motion = sp.Matrix.vstack(self.velocity, self.spin)
        return motion.jacobian(self.u) if len(self.u) else sp.zeros(len(motion), 0)

    @property
    def backward_subspace(self) -> sp.Matrix:
        """H of the parent's motion relative to the child, in the parent's axes."""
        d, R = self.dimension, self.rotation
        space, H = Space(d), self.subspace
        spin = H[d:, :] if d == 2 else R * H[d:, :]
        lever = space.shift(self.position)[:d, d:]
        return tidy(sp.Matrix.vstack(-R * H[:d, :] + lever * spin, -spin))

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


def _derived(
    dimension: int,
    slots: tuple[Slot, ...],
    rotation: Callable[..., sp.Matrix],
    position: Callable[..., list[sp.Expr]],
    spin: Callable[..., list[sp.Expr]],
) -> Joint:
    """A hinge whose speeds are the rates of its coordinates."""
    count = len(slots)
    q = sp.Matrix(sp.symbols(f"q1:{count + 1}", real=True))
    u = sp.Matrix(sp.symbols(f"u1:{count + 1}", real=True))

    def along(value: sp.Matrix) -> sp.Matrix:
        return value.jacobian(q) * u if count else sp.zeros(len(value), 1)

    R, p = rotation(*q), sp.Matrix(position(*q))
    w = sp.Matrix(spin(*q, *u))
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


def _about(axis: int, angle: sp.Expr) -> sp.Matrix:
    """The rotation by an angle about a coordinate axis (0, 1, 2)."""
    c, s = sp.cos(angle), sp.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = sp.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def turned(dimension: int, angles: sp.Matrix) -> sp.Matrix:
    """The rotation by an angle, or about the fixed first, second and third axis in turn."""
    if dimension == 2:
        return _flat(angles[0])
    return _about(2, angles[2]) * _about(1, angles[1]) * _about(0, angles[0])


def _flat(angle: sp.Expr) -> sp.Matrix:
    return sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])


def direction_cosines(w: sp.Expr, x: sp.Expr, y: sp.Expr, z: sp.Expr) -> sp.Matrix:
    """The rotation matrix of a unit quaternion."""
    return sp.Matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_rates(Q: sp.Matrix, omega: sp.Matrix) -> sp.Matrix:
    """Q̇ = ½ Q ∘ (0, ω), ω in the child's axes."""
    w, x, y, z = Q
    p, q, r = omega
    product = [
        -x * p - y * q - z * r,
        w * p + y * r - z * q,
        w * q + z * p - x * r,
        w * r + x * q - y * p,
    ]
    return sp.Matrix(product) / 2


def _turning(moving: bool) -> Joint:
    """A ball, or with `moving` a free body: a quaternion and speeds in the child's axes."""
    names = ("x", "y", "z", "Qw", "Qx", "Qy", "Qz")
    q = sp.Matrix([sp.Symbol(f"q_{name}", real=True) for name in names[0 if moving else 3 :]])
    u = sp.Matrix(sp.symbols("u1:7" if moving else "u1:4", real=True))
    Q, omega = q[-4:, :], u[-3:, :]
    R = direction_cosines(*Q)
    place, velocity = (q[:3, :], u[:3, :]) if moving else (sp.zeros(3, 1), sp.zeros(3, 1))
    turning = quaternion_rates(Q, omega)
    rates = sp.Matrix.vstack(R * velocity, turning) if moving else turning
    slots = (Slot.VECTOR,) * (3 if moving else 0) + (Slot.QUATERNION,)
    drift = omega.cross(velocity)
    return Joint(3, slots, q, u, rates, R, place, velocity, omega, drift, sp.zeros(3, 1))


def _flying() -> Joint:
    """A planar body that moves anyhow."""
    return _derived(
        2,
        (LENGTH, LENGTH, ANGLE),
        lambda x, y, a: _flat(a),
        lambda x, y, a: [x, y],
        lambda x, y, a, u, v, w: [w],
    )


ANGLE, LENGTH = Slot.ANGLE, Slot.VECTOR

_PLANAR: dict[str, Callable[[], Joint]] = {
    "pin": lambda: _derived(2, (ANGLE,), _flat, lambda a: [0, 0], lambda a, u: [u]),
    "prismatic": lambda: _derived(
        2, (LENGTH,), lambda x: sp.eye(2), lambda x: [x, 0], lambda x, u: [0]
    ),
    "slot": lambda: _derived(
        2, (LENGTH, ANGLE), lambda x, a: _flat(a), lambda x, a: [x, 0], lambda x, a, u, w: [w]
    ),
    "free": lambda: _flying(),
    "elastic": lambda: _flying(),
    "fixed": lambda: _derived(2, (), lambda: sp.eye(2), lambda: [0, 0], lambda: [0]),
}

_SPATIAL: dict[str, Callable[[], Joint]] = {
    "revolute": lambda: _derived(
        3, (ANGLE,), lambda a: _about(2, a), lambda a: [0, 0, 0], lambda a, u: [0, 0, u]
    ),
    "prismatic": lambda: _derived(
        3, (LENGTH,), lambda x: sp.eye(3), lambda x: [0, 0, x], lambda x, u: [0, 0, 0]
    ),
    "helical": lambda: _derived(
        3, (ANGLE,), lambda a: _about(2, a), lambda a: [0, 0, PITCH * a], lambda a, u: [0, 0, u]
    ),
    "cylindrical": lambda: _derived(
        3,
        (ANGLE, LENGTH),
        lambda a, x: _about(2, a),
        lambda a, x: [0, 0, x],
        lambda a, x, w, u: [0, 0, w],
    ),
    "universal": lambda: _derived(
        3,
        (ANGLE, ANGLE),
        lambda a, b: _about(0, a) * _about(1, b),
        lambda a, b: [0, 0, 0],
        lambda a, b, u, v: list(_about(1, b).T * sp.Matrix([u, 0, 0]) + sp.Matrix([0, v, 0])),
    ),
    "planar": lambda: _derived(
        3,
        (LENGTH, LENGTH, ANGLE),
        lambda x, y, a: _about(2, a),
        lambda x, y, a: [x, y, 0],
        lambda x, y, a, u, v, w: [0, 0, w],
    ),
    "ball": lambda: _turning(moving=False),
    "free": lambda: _turning(moving=True),
    "elastic": lambda: _turning(moving=True),
    "fixed": lambda: _derived(3, (), lambda: sp.eye(3), lambda: [0, 0, 0], lambda: [0, 0, 0]),
}

KINDS = {2: _PLANAR, 3: _SPATIAL}
assert all(KINDS[d].keys() == HINGE_KINDS[d].keys() for d in KINDS)


@cache
def joint(dimension: int, kind: str) -> Joint:
    """The relative motion of a kind of hinge."""
    return KINDS[dimension][kind]()


@cache
def section(axial: int, bending: int) -> Joint:
    """The motion of a point's axes in a beam's section, as seen from the floating frame.

    By the values there of the functions and their slopes (`psi1` …, `phi1` …, `slope1` …), the
    place `at` and the angle `turn` of the axes in the section.
    """
    psi, phi, slope = (
        sp.Matrix(1, count, sp.symbols(f"{name}1:{count + 1}", real=True))
        for name, count in (("psi", axial), ("phi", bending), ("slope", bending))
    )
    at, turn = sp.symbols("at turn", real=True)

    def along(row: sp.Matrix, values: tuple[sp.Expr, ...]) -> sp.Expr:
        return sum((a * b for a, b in zip(row, values, strict=True)), sp.Integer(0))

    count = axial + bending
    return _derived(
        2,
        (Slot.VECTOR,) * count,
        lambda *eta: _flat(turn + along(slope, eta[axial:])),
        lambda *eta: [at + along(psi, eta[:axial]), along(phi, eta[axial:])],
        lambda *values: [along(slope, values[count + axial :])],
    )
