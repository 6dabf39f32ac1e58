"""Bodies and beams: is what a model says of each possible?"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from ...errors import ModelError
from ..parts.bodies import OF_LINEAR, Beam, Body
from ..parts.naming import NO_NAME, is_name
from ..parts.system import System
from .doubts import doubt
from .numbers import axes, number, vector

#: Relative slack of the inertia's inequalities: rounding of given numbers, not physics.
INERTIA_SLACK = 1e-9
#: And besides, of bodies whose inertia is nothing but rounding: m², of a mass's moment.
INERTIA_NOISE = 1e-15
#: Of beams, with their units: what must be positive, in the plane and in space, or not negative.
POSITIVE = {
    **{"length": "m", "density": "kg/m"},
    **{"axial_stiffness": "N", "bending_stiffness": "N m²"},
}
OF_SPACE = {"torsional_stiffness": "N m²", "polar_inertia": "kg m"}
NOT_NEGATIVE = {
    **{"shear_stiffness": "N", "rotary_inertia": "kg m"},
    **{"foundation": "N/m²", "damping": "s", "loss": ""},
}


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
    if body.spin != 0:
        _round(model, body, element)


def _round(model: System, body: Body, element: str) -> None:
    """See that what spins is a body in space that is round about its first axis."""
    number(model, body.spin, element, "spin")
    if model.dimension == 2:
        raise ModelError("is of bodies in space; leave it out", element=element, field="spin")
    if any(model.exact(x) != 0 for x in body.centre[1:]):
        raise ModelError(
            "must lie on the first axis of a body that spins", element=element, field="centre"
        )
    assert isinstance(body.inertia, tuple)
    J = [[number(model, x, element, "inertia") for x in row] for row in body.inertia]
    slack = INERTIA_SLACK * abs(J[1][1])
    if abs(J[1][1] - J[2][2]) > slack or any(J[i][j] for i in range(3) for j in range(3) if i != j):
        raise ModelError(
            "must be round about the first axis of a body that spins: [xx, yy, yy, 0, 0, 0]",
            element=element,
            field="inertia",
        )


def check_beam(model: System, beam: Beam) -> None:
    """A beam: its data are positive, its points lie on it."""
    element = f"beam {beam.name}"
    if model.absolute:
        raise ModelError("a beam needs joint coordinates", element=element)
    spatial = model.dimension == 3
    if spatial and beam.modes:
        raise ModelError(
            "shape functions are of beams in the plane; leave them out: in space `linear` takes "
            "beams, which are exact",
            element=element,
            field="axial" if beam.axial_modes else "bending",
        )
    for field in OF_SPACE if not spatial else ():
        if getattr(beam, field) != 0:
            raise ModelError("is of beams in space; leave it out", element=element, field=field)
    for field, unit in (POSITIVE | OF_SPACE if spatial else POSITIVE).items():
        for value in _by_plane(model, beam, field, element):
            if not value > 0:
                message = f"must be positive, is {value:g} {unit}"
                raise ModelError(message, element=element, field=field)
    for field, unit in NOT_NEGATIVE.items():
        for value in _by_plane(model, beam, field, element):
            if value < 0:
                message = f"must not be negative, is {value:g} {unit}".rstrip()
                raise ModelError(message, element=element, field=field)
    number(model, beam.tension, element, "tension")
    if beam.spin != 0:
        number(model, beam.spin, element, "spin")
        round_ = (
            x if isinstance(x, tuple) else (x, x)
            for x in (beam.bending_stiffness, beam.shear_stiffness, beam.rotary_inertia)
        )
        if not spatial or any(model.exact(a) != model.exact(b) for a, b in round_):
            raise ModelError(
                "is of beams in space that are as stiff about both axes of their sections",
                element=element,
                field="spin",
            )
    sheared = beam.shear_stiffness
    for x in sheared if isinstance(sheared, tuple) else (sheared,):
        if x != 0 and abs(model.exact(beam.tension)) >= model.exact(x):
            raise ModelError(
                "must be below shear_stiffness: strains at rest are small",
                element=element,
                field="tension",
            )
    if not beam.points:
        raise ModelError("needs at least one connection point", element=element, field="points")
    _unique_points(beam)
    length = model.exact(beam.length)
    for point in beam.points:
        field = f"point {point.name}"
        vector(model, point.position, element, field)
        x, *across = (model.exact(component) for component in point.position)
        if any(across) or not 0 <= x <= length:
            said, is_at = (
                "0, 0" if spatial else "0",
                ", ".join(f"{y:g}" for y in map(float, across)),
            )
            raise ModelError(
                f"must lie on the beam, at (x, {said}) with 0 ≤ x ≤ {float(length):g} m; is at "
                f"({float(x):g}, {is_at})",
                element=element,
                field=field,
            )
        axes(model, point, element)


def _by_plane(model: System, beam: Beam, field: str, element: str) -> tuple[float, ...]:
    """The values of a number, or in space of a pair where there is one for each plane."""
    given = getattr(beam, field)
    pairs = model.dimension == 3 and field in ("bending_stiffness", *OF_LINEAR[:2])
    if pairs and given != 0 and (not isinstance(given, tuple) or len(given) != 2):
        raise ModelError(
            "are two numbers in space, of the bending about the second and the third axis",
            element=element,
            field=field,
        )
    if not pairs and isinstance(given, tuple):
        raise ModelError("is one number in the plane", element=element, field=field)
    each = given if isinstance(given, tuple) else (given,)
    return tuple(number(model, x, element, field) for x in each)


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
