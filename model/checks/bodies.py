"""Bodies and beams: is what a model says of each possible?"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from ...errors import ModelError
from ..parts.bodies import Beam, Body
from ..parts.naming import NO_NAME, is_name
from ..parts.system import System
from .doubts import doubt
from .numbers import axes, number, vector

#: Relative slack of the inertia's inequalities: rounding of given numbers, not physics.
INERTIA_SLACK = 1e-9
#: And besides, of bodies whose inertia is nothing but rounding: m², of a mass's moment.
INERTIA_NOISE = 1e-15


def check_body(model: System, body: Body) -> None:
    """A rigid body: its mass, centre, points and inertia."""
    element = f"body {body.name}"
    mass = number(model, body.mass, element, "mass")
    if mass < 0 or (model.absolute and mass == 0):
        wanted = "must be positive" if model.absolute else "must not be negative"
        raise ModelError(f"{wanted}, is {mass:g} kg", element=element, field="mass")
    vector(model, body.centre, element, "centre")
    if not body.points:
        raise ModelError("needs at least one connection point", element=element, field="points")
    _unique_points(body)
    for point in body.points:
        vector(model, point.position, element, f"point {point.name}")
        axes(model, point, element)
    _inertia(model, body, element)


def check_beam(model: System, beam: Beam) -> None:
    """A beam: its data are positive, its points lie on it."""
    element = f"beam {beam.name}"
    if model.dimension != 2 or model.absolute:
        raise ModelError("a beam needs the plane and joint coordinates", element=element)
    if beam.name in (hinge.name for hinge in model.hinges):
        raise ModelError("a hinge has this name too", element=element, field="name")
    for field, quantity, unit in (
        ("length", beam.length, "m"),
        ("density", beam.density, "kg/m"),
        ("axial_stiffness", beam.axial_stiffness, "N"),
        ("bending_stiffness", beam.bending_stiffness, "N m²"),
    ):
        value = number(model, quantity, element, field)
        if not value > 0:
            raise ModelError(f"must be positive, is {value:g} {unit}", element=element, field=field)
    damping = number(model, beam.damping, element, "damping")
    if damping < 0:
        raise ModelError(
            f"must not be negative, is {damping:g} s", element=element, field="damping"
        )
    if beam.modes == 0:
        raise ModelError("has no shape function; use a rigid body instead", element=element)
    if not beam.points:
        raise ModelError("needs at least one connection point", element=element, field="points")
    _unique_points(beam)
    length = model.exact(beam.length)
    for point in beam.points:
        field = f"point {point.name}"
        vector(model, point.position, element, field)
        x, y = (model.exact(component) for component in point.position)
        if y != 0 or not 0 <= x <= length:
            raise ModelError(
                f"must lie on the beam, at (x, 0) with 0 ≤ x ≤ {float(length):g} m; is at "
                f"({float(x):g}, {float(y):g})",
                element=element,
                field=field,
            )
        axes(model, point, element)


def _unique_points(body: Body | Beam) -> None:
    for name, count in Counter(point.name for point in body.points).items():
        if not is_name(name):
            raise ModelError(
                f"{name!r} {NO_NAME}",
                element=f"{body.kind} {body.name}",
                field="points",
            )
        if count > 1:
            raise ModelError(
                f"the name {name!r} is used {count} times",
                element=f"{body.kind} {body.name}",
                field="points",
            )


def _inertia(model: System, body: Body, element: str) -> None:
    """Doubt an inertia that no rigid body has: it is taken all the same.

    Numbers identified from a robot's motion are such: of those the motion depends on sums
    alone, which need not be split as bodies would. The mass matrix must be definite, no more.
    """
    if model.dimension == 2:
        if isinstance(body.inertia, tuple):
            raise ModelError("is one number in the plane", element=element, field="inertia")
        moment = number(model, body.inertia, element, "inertia")
        if moment < 0:
            message = f"no rigid body has {moment:g} kg m²: it is negative"
            doubt(message, element=element, field="inertia", of=body)
        return
    if not isinstance(body.inertia, tuple) or [len(row) for row in body.inertia] != [3, 3, 3]:
        raise ModelError("must be a 3×3 matrix in space", element=element, field="inertia")
    tensor = np.array(
        [[number(model, entry, element, "inertia") for entry in row] for row in body.inertia]
    )
    noise = INERTIA_NOISE * number(model, body.mass, element, "mass")
    slack = INERTIA_SLACK * float(np.abs(tensor).max()) + noise
    if np.abs(tensor - tensor.T).max() > slack:
        raise ModelError("must be symmetric", element=element, field="inertia")
    principal = np.linalg.eigvalsh(tensor)
    least, middle, most = principal
    shown = ", ".join(f"{x:.4g}" for x in principal)
    if least < -slack:
        message = f"no rigid body has principal moments {shown} kg m²: one is negative"
        doubt(message, element=element, field="inertia", of=body)
    elif most > least + middle + slack:
        excess = 100 * (most / (least + middle) - 1) if least + middle > 0 else math.inf
        doubt(
            f"no rigid body has principal moments {shown} kg m²: the largest exceeds the sum of "
            f"the others by {excess:.2g} %",
            element=element,
            field="inertia",
            of=body,
        )
