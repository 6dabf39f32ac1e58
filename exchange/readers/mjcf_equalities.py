"""The equalities of joints and of tendons of joints in a MuJoCo model: who follows whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...model.expressions.quantities import exact_expression, hinge_symbol
from .mjcf_tendons import Tendon, tendons, total


@dataclass(frozen=True)
class Side:
    """A joint's coordinate, or a tendon's length: Σ factor · q over joints, less its reference."""

    factors: dict[int, float]
    reference: float


@dataclass(frozen=True)
class Following:
    """q = `law` of the coordinates of joints, q1, q2, … in their order.

    `circular`: one of these follows it in turn.
    """

    joints: tuple[int, ...]
    law: sp.Expr
    circular: bool = False

    @property
    def line(self) -> tuple[float, float] | None:
        """Ratio and offset, where it follows one joint by a straight line."""
        if len(self.joints) != 1 or self.circular:
            return None
        q = hinge_symbol("q", 1)
        ratio, offset = self.law.diff(q), self.law.xreplace({q: sp.Integer(0)})
        return None if ratio.free_symbols else (float(ratio), float(offset))


def active(mujoco: Any, m: Any, *kinds: str) -> list[int]:
    """The equalities of these kinds that hold from the start."""
    wanted = {int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")) for kind in kinds}
    return [k for k in range(m.neq) if m.eq_active0[k] and m.eq_type[k] in wanted]


def couplings(mujoco: Any, m: Any) -> tuple[dict[int, Following], dict[int, str]]:
    """What each joint that follows does, and why of other equalities no joint follows.

    An equality y − y₀ = a₀ + a₁ (x − x₀) + … + a₄ (x − x₀)⁴ is solved for a joint of y that is not
    part of x; a linear one, if need be, for one of x. A joint follows once: left are equalities
    of which all joints follow already, tendons around geoms, and those of which y is part of x.
    """
    found: dict[int, Following] = {}
    left: dict[int, str] = {}
    straight = {tendon.number: tendon for tendon in tendons(mujoco, m)}
    for k in active(mujoco, m, "JOINT", "TENDON"):
        of_joints = m.eq_type[k] == int(mujoco.mjtEq.mjEQ_JOINT)
        first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        y, x = (
            _joint(m, number) if of_joints else _length(m, straight.get(number))
            for number in (first, second)
        )
        coefficients = [float(a) for a in m.eq_data[k][:5]]
        if second < 0:
            x, coefficients = Side({}, 0.0), coefficients[:1]
        if y is None or x is None:
            left[k] = "a tendon that is not of joints"
            continue
        following = _solved(y, x, coefficients, found)
        if following is None:
            twice = {*y.factors} & {*x.factors} - {*found}
            left[k] = "the same joint twice" if twice else "its joints follow already"
        else:
            found |= following
    return found, left


def _joint(m: Any, joint: int) -> Side:
    return Side({joint: 1.0}, float(m.qpos0[m.jnt_qposadr[joint]]))


def _length(m: Any, tendon: Tendon | None) -> Side | None:
    if tendon is None or not tendon.joints:
        return None
    return Side(dict(tendon.joints), float(m.tendon_length0[tendon.number]))


def _solved(
    y: Side, x: Side, a: list[float], found: dict[int, Following]
) -> dict[int, Following] | None:
    """An equality as what one of its joints does, if there is one that does not follow yet."""
    if not any(a[2:]):  # all on one side
        slope = a[1] if len(a) > 1 else 0.0
        every = {**y.factors, **x.factors}
        factors = {j: y.factors.get(j, 0.0) - slope * x.factors.get(j, 0.0) for j in every}
        y = Side({j: c for j, c in factors.items() if c}, y.reference - slope * x.reference)
        x, a = Side({}, 0.0), a[:1]
    free = [j for j, c in y.factors.items() if c and j not in found and j not in x.factors]
    if not free:
        return None
    joints = {*y.factors, *x.factors}
    circles = {j: bool(joints - {j} & _led_by(j, found)) for j in free}
    follower = min(free, key=lambda j: circles[j])
    leaders = tuple(j for j in {**y.factors, **x.factors} if j != follower)
    q = {j: hinge_symbol("q", n) for n, j in enumerate(leaders, start=1)}
    stretch = total((q[j], c) for j, c in x.factors.items()) - exact_expression(x.reference)
    law = sum((exact_expression(c) * stretch**n for n, c in enumerate(a)), sp.Integer(0))
    law += exact_expression(y.reference)
    law -= total((q[j], c) for j, c in y.factors.items() if j != follower)
    return {
        follower: Following(leaders, law / exact_expression(y.factors[follower]), circles[follower])
    }


def _led_by(joint: int, found: dict[int, Following]) -> set[int]:
    """The joints that follow a joint, or what follows it."""
    led = {joint}
    while more := {j for j, way in found.items() if led & {*way.joints}} - led:
        led |= more
    return led - {joint}
