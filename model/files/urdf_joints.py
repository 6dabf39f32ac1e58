"""What of a hinge a joint of a URDF file says: its kind, axes, law, rotor, limits and start."""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from ...errors import ModelError
from ..expressions.quantities import exact_expression, hinge_symbol
from ..parts.limits import Limits
from .placing import hinge_axes
from .urdf_rigid import Floats, Pose, turn
from .urdf_tags import AXIAL, Joint

#: Speed at which Coulomb friction has reached tanh(1) = 76 % of its value, rad/s or m/s.
FRICTION_SPEED = 1e-2
#: Where a free hinge starts: at its parent's point, in its axes.
FLOATING = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
#: Kinds of hinges by the types of joints.
HINGES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "spherical": "ball",
}


def displacement(joint: Joint, position: float) -> Pose:
    """The child's frame at a position, as seen from its place at zero."""
    if joint.kind == "prismatic":
        return Pose(origin=position * joint.axis)
    N = axes_of(joint)
    return Pose(N @ turn(2, position) @ N.T)


def axes_of(joint: Joint) -> Floats:
    """The hinge's axes in the joint's frame."""
    return hinge_axes(joint.axis) if joint.kind in (*AXIAL, "planar") else np.eye(3)


def law_of(joint: Joint) -> tuple[sp.Expr, ...]:
    """Damping and Coulomb friction, the latter smoothed near rest."""
    if joint.damping == 0 and joint.friction == 0:
        return ()
    if joint.kind not in AXIAL:
        raise ModelError(
            f"has no meaning for a {joint.kind} joint",
            element=f"joint {joint.name}",
            field="damping or friction",
        )
    u = hinge_symbol("u", 1)
    smooth = sp.tanh(u / exact_expression(FRICTION_SPEED))
    d, f = exact_expression(joint.damping), exact_expression(joint.friction)
    return (-d * u - f * smooth,)


def rotor_of(joint: Joint) -> tuple[float, ...]:
    """Inertia of a motor's rotor as felt at the joint."""
    if joint.rotor == 0:
        return ()
    if joint.kind not in AXIAL:
        raise ModelError(
            f"has no meaning for a {joint.kind} joint",
            element=f"joint {joint.name}",
            field="rotor inertia",
        )
    return (joint.rotor,)


def limits_of(joint: Joint) -> Limits | None:
    """What bounds a joint: its range, and its largest speed and force."""
    if joint.kind not in AXIAL:
        return None
    speed, effort = (() if x is None else (x,) for x in (joint.velocity, joint.effort))
    range_ = () if joint.limits is None else (joint.limits,)
    return Limits(range_, speed, effort) if range_ or speed or effort else None


def start_of(joint: Joint) -> tuple[float, ...]:
    if joint.kind == "floating":
        return FLOATING
    if joint.kind == "spherical":
        return (1.0, 0.0, 0.0, 0.0)
    if joint.kind == "planar":
        return (0.0, 0.0, 0.0)
    lower, upper = joint.limits or (0.0, 0.0)
    if lower <= 0 <= upper:
        return (0.0,)
    middle = lower / 2 + upper / 2
    return (middle if math.isfinite(middle) else min(lower, upper, key=abs),)
