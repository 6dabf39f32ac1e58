"""Joints of `sympy.physics.mechanics`: their kinds, axes and speeds as hinges have them."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.physics import mechanics as me

from ...errors import ModelError
from ...model.expressions.quantities import shown

#: The kind of hinge of each joint; of a ball, its order of turns says which.
JOINTS: dict[type, str] = {
    me.PinJoint: "revolute",
    me.PrismaticJoint: "prismatic",
    me.CylindricalJoint: "cylindrical",
    me.PlanarJoint: "planar",
    me.WeldJoint: "fixed",
    me.SphericalJoint: "",
}


def refuse(system: me.System) -> None:
    """Name what no model has."""
    for field, given in (
        ("nonholonomic constraint", system.nonholonomic_constraints),
        ("auxiliary speed", system.u_aux),
    ):
        if len(given):
            raise ModelError(f"{shown(given[0], 120)}: is not taken", field=field)
    said = system.velocity_constraints
    derived = system.holonomic_constraints.diff(me.dynamicsymbols._t)
    if said != derived and (
        len(said) != len(derived) or any(sp.simplify(x) for x in said - derived)
    ):
        raise ModelError(
            f"{shown(said[0], 120)} = 0 is no rate of a holonomic constraint, and is not taken",
            field="velocity constraint",
        )
    if len(system.q) != len(system.u):
        raise ModelError(f"{len(system.q)} coordinates have {len(system.u)} speeds", field="speeds")
    rates = dict(zip(system.q.diff(me.dynamicsymbols._t), speeds_of(system), strict=True))
    for kde in system.kdes:
        if sp.simplify(kde.xreplace(rates)) != 0:
            raise ModelError(
                f"{shown(kde, 120)} = 0: a speed must be the rate of its coordinate",
                field="kinematic differential equation",
            )


def speeds_of(system: me.System) -> list[Any]:
    """The speed of each coordinate: a joint's are in the order of its coordinates."""
    pairs = {
        q: u
        for joint in system.joints
        for q, u in zip(joint.coordinates, joint.speeds, strict=True)
    }
    left = [u for u in system.u if u not in pairs.values()]
    return [pairs[q] if q in pairs else left.pop(0) for q in system.q]


def axis_of(joint: Any) -> Any:
    """The vector about or along which a joint moves; none of a weld."""
    if isinstance(joint, me.PlanarJoint):
        return joint.rotation_axis
    return None if isinstance(joint, me.WeldJoint) else joint.joint_axis.normalize()


def ordered(joint: Any) -> list[Any]:
    """A joint's coordinates in the hinge's order: a plane's lengths before its angle."""
    q = list(joint.coordinates)
    return [*q[1:], q[0]] if isinstance(joint, me.PlanarJoint) else q


def axes_along(axis: sp.Matrix, where: str) -> sp.Matrix:
    """Right-handed axes, the third along a constant unit vector.

    They are coordinate axes if it is one: that of +x has y and z before it, as planar joints want.
    """
    n = [tidy(x) for x in axis]
    if any(x.free_symbols for x in n):
        raise ModelError("its axis must be of numbers alone", element=where)
    k = max(range(3), key=lambda i: abs(float(n[i])))
    step = 1 if n[k] > 0 else 2
    third = sp.Matrix(n)
    first = sp.eye(3)[:, (k + step) % 3]
    first = first - third * third.dot(first)
    first = first / first.norm()
    return sp.Matrix.hstack(first, third.cross(first), third)


def tidy(x: sp.Expr) -> sp.Expr:
    """Without what cancels: only where something seems to move."""
    return sp.trigsimp(x) if me.find_dynamicsymbols(x) else x
