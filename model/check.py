"""Is a model a system that can be solved? One clear message when it is not."""

from __future__ import annotations

import math
import numbers
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import fields
from operator import attrgetter
from typing import TypeVar

import numpy as np

from ..errors import ModelError
from .bodies import Beam, Body, End, Point
from .couplings import check_couplings
from .doubts import doubt
from .frames import NAME, Frame
from .hinge_kinds import HINGE_KINDS, SIZES, HingeKind
from .inertia import check_inertia
from .laws import check_base, check_forces, check_hinge_laws, check_loads, check_sensors
from .limits import check_limits
from .naming import NO_NAME, is_name
from .quantities import Quantity
from .topology import Forest, check_cuts, check_transfer, ring
from .types import GROUND, Hinge, System

#: The longest name of a model: its files' names must fit into a folder of any system.
LONGEST_NAME = 100

#: Relative slack of the inertia's inequalities: rounding of given numbers, not physics.
INERTIA_SLACK = 1e-9
#: And besides, of bodies whose inertia is nothing but rounding: m², of a mass's moment.
INERTIA_NOISE = 1e-15
#: How far a start quaternion's norm may be from 1: numbers written with nine digits.
UNIT_SLACK = 1e-9


def check(model: System) -> None:
    """Check the whole model.

    Raises
        ModelError: names the element and the field.
    """
    if model.dimension not in (2, 3):
        raise ModelError(f"must be 2 or 3, not {model.dimension!r}", field="dimension")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", model.name):
        raise ModelError(
            f"{model.name!r} is no name; use letters, digits, - and _, a letter first", field="name"
        )
    if len(model.name) > LONGEST_NAME:
        raise ModelError(
            f"has {len(model.name)} characters; use at most {LONGEST_NAME}",
            field="name",
        )
    _parameters(model)
    _inputs(model)
    _vector(model, model.gravity, "model", "gravity")
    if not model.bodies:
        raise ModelError("there is no body", field="bodies")
    _unique((body.name for body in model.bodies), "body")
    _unique((hinge.name for hinge in model.hinges), "hinge")
    _unique((load.name for load in model.loads), "load")
    _unique((force.name for force in model.forces), "force")
    for name, count in Counter(frame.name for frame in model.frames).items():
        if count > 1:
            raise ModelError(f"the name is used {count} times", element=f"frame {name}")
    for beam in model.beams:
        _beam(model, beam)
    for body in _unlike((body for body in model.bodies if isinstance(body, Body)), {"name"}):
        _body(model, body)
    for hinge in _unlike(model.hinges, {"name", "ends"}):
        _hinge(model, hinge)
    for hinge in model.hinges:
        _ends(model, hinge)
    for frame in model.frames:
        _frame(model, frame)
    _names_of_states(model)
    check_loads(model)
    check_forces(model)
    check_sensors(model)
    check_base(model)
    check_couplings(model)
    _ground(model)
    _graph(model)
    check_transfer(model)
    _state(model)
    _asked(model)
    check_inertia(model)


P = TypeVar("P", Body, Hinge)


def _unlike(parts: Iterable[P], own: Set[str]) -> Iterator[P]:
    """The parts that share not all their data, but for what is each one's own, with one before."""
    names: tuple[str, ...] = ()
    met: set[tuple[int, ...]] = set()
    for part in parts:
        names = names or tuple(each.name for each in fields(part) if each.name not in own)
        data = tuple(map(id, attrgetter(*names)(part)))
        if data not in met:
            met.add(data)
            yield part


def _parameters(model: System) -> None:
    for name, number in model.parameters.items():
        if not name.isascii() or not name.isidentifier():
            raise ModelError(
                f"{name!r} is no name; use letters, digits and _, no digit first",
                field="parameters",
            )
        if name == "pi":
            raise ModelError("pi is the number π; take another name", field="parameters")
        if name in model.coordinates or name in model.speeds:
            raise ModelError(f"{name} is the name of a coordinate or speed", field="parameters")
        _finite(name, number, "parameters")


def _inputs(model: System) -> None:
    for name, count in Counter(x.name for x in model.inputs).items():
        if count > 1:
            raise ModelError(f"the name is used {count} times", element=f"input {name}")
    for given in model.inputs:
        if any(given.name == hinge.name for hinge in model.hinges):
            raise ModelError(
                "a hinge has this name too, by which its effort is called",
                element=f"input {given.name}",
            )
        if len(given.limits) != 2:
            raise ModelError(
                f"must be a lower and an upper one, is {given.limits!r}",
                element=f"input {given.name}",
                field="limits",
            )
        lower, upper = given.limits
        if not lower <= upper:
            raise ModelError(
                f"the lower, {lower:g}, must not exceed the upper, {upper:g}",
                element=f"input {given.name}",
                field="limits",
            )


def _finite(name: str, number: object, field: str) -> None:
    if not isinstance(number, numbers.Real) or not math.isfinite(number):
        raise ModelError(f"{name} = {number!r} is no finite number", field=field)


def _names_of_states(model: System) -> None:
    """Hinges a and a_1 may both lead to qa_1."""
    for name, count in Counter((*model.coordinates, *model.speeds)).items():
        if count > 1:
            raise ModelError(f"{count} coordinates or speeds are called {name}; rename a hinge")


def _unique(names: Iterable[str], kind: str) -> None:
    for name, count in Counter(names).items():
        if not is_name(name):
            raise ModelError(f"{name!r} {NO_NAME}", element=kind, field="name")
        if count > 1:
            raise ModelError(f"the name is used {count} times", element=f"{kind} {name}")
        if kind == "body" and name == GROUND:
            raise ModelError(
                "the name is taken by the ground", element=f"body {name}", field="name"
            )


def _number(model: System, quantity: Quantity, element: str, field: str) -> float:
    try:
        return model.value(quantity)
    except ModelError as error:
        raise ModelError(str(error), element=element, field=field) from None


def _vector(model: System, vector: object, element: str, field: str) -> tuple[float, ...]:
    if not isinstance(vector, tuple | list):
        raise ModelError(
            f"must be {model.dimension} numbers, is {vector!r}", element=element, field=field
        )
    if len(vector) != model.dimension:
        raise ModelError(
            f"has {len(vector)} components instead of {model.dimension}",
            element=element,
            field=field,
        )
    return tuple(_number(model, component, element, field) for component in vector)


def _body(model: System, body: Body) -> None:
    element = f"body {body.name}"
    mass = _number(model, body.mass, element, "mass")
    if mass < 0 or (model.absolute and mass == 0):
        wanted = "must be positive" if model.absolute else "must not be negative"
        raise ModelError(f"{wanted}, is {mass:g} kg", element=element, field="mass")
    _vector(model, body.centre, element, "centre")
    if not body.points:
        raise ModelError("needs at least one connection point", element=element, field="points")
    _unique_points(body)
    for point in body.points:
        _vector(model, point.position, element, f"point {point.name}")
        _axes(model, point, element)
    _inertia(model, body, element)


def _beam(model: System, beam: Beam) -> None:
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
        value = _number(model, quantity, element, field)
        if not value > 0:
            raise ModelError(f"must be positive, is {value:g} {unit}", element=element, field=field)
    damping = _number(model, beam.damping, element, "damping")
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
        _vector(model, point.position, element, field)
        x, y = (model.exact(component) for component in point.position)
        if y != 0 or not 0 <= x <= length:
            raise ModelError(
                f"must lie on the beam, at (x, 0) with 0 ≤ x ≤ {float(length):g} m; is at "
                f"({float(x):g}, {float(y):g})",
                element=element,
                field=field,
            )
        _axes(model, point, element)


def _axes(model: System, point: Point, element: str, field: str = "") -> None:
    field = field or f"axes of point {point.name}"
    if point.axes is None:
        return
    if model.dimension == 2:
        if isinstance(point.axes, tuple):
            raise ModelError("are one angle in the plane", element=element, field=field)
        _number(model, point.axes, element, field)
        return
    if not isinstance(point.axes, tuple) or [len(row) for row in point.axes] != [3, 3, 3]:
        raise ModelError("must be a 3×3 matrix in space", element=element, field=field)
    A = np.array([[_number(model, x, element, field) for x in row] for row in point.axes])
    if np.abs(A.T @ A - np.eye(3)).max() > UNIT_SLACK or np.linalg.det(A) < 0:
        raise ModelError("are no right-handed unit axes", element=element, field=field)


def _ground(model: System) -> None:
    element = f"ground (body {GROUND})"
    joined = {end for hinge in model.hinges for end in hinge.ends}
    between = [force.ends for force in model.forces] + [sensor.ends for sensor in model.sensors]
    taken = {end for ends in between for end in ends} - joined
    if model.absolute and any(End(GROUND, point.name) not in taken for point in model.ground):
        raise ModelError("placed points need joint coordinates", element=element, field="ground")
    for name, count in Counter(point.name for point in model.ground).items():
        if not is_name(name):
            raise ModelError(f"{name!r} {NO_NAME}", element=element, field="ground")
        if count > 1:
            raise ModelError(
                f"the name {name!r} is used {count} times", element=element, field="ground"
            )
    for point in model.ground:
        _vector(model, point.position, element, f"point {point.name}")
        _axes(model, point, element)


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
        moment = _number(model, body.inertia, element, "inertia")
        if moment < 0:
            message = f"no rigid body has {moment:g} kg m²: it is negative"
            doubt(message, element=element, field="inertia")
        return
    if not isinstance(body.inertia, tuple) or [len(row) for row in body.inertia] != [3, 3, 3]:
        raise ModelError("must be a 3×3 matrix in space", element=element, field="inertia")
    tensor = np.array(
        [[_number(model, entry, element, "inertia") for entry in row] for row in body.inertia]
    )
    noise = INERTIA_NOISE * _number(model, body.mass, element, "mass")
    slack = INERTIA_SLACK * float(np.abs(tensor).max()) + noise
    if np.abs(tensor - tensor.T).max() > slack:
        raise ModelError("must be symmetric", element=element, field="inertia")
    principal = np.linalg.eigvalsh(tensor)
    least, middle, most = principal
    shown = ", ".join(f"{x:.4g}" for x in principal)
    if least < -slack:
        message = f"no rigid body has principal moments {shown} kg m²: one is negative"
        doubt(message, element=element, field="inertia")
    elif most > least + middle + slack:
        excess = 100 * (most / (least + middle) - 1) if least + middle > 0 else math.inf
        doubt(
            f"no rigid body has principal moments {shown} kg m²: the largest exceeds the sum of "
            f"the others by {excess:.2g} %",
            element=element,
            field="inertia",
        )


def _hinge(model: System, hinge: Hinge) -> None:
    element = f"hinge {hinge.name}"
    kinds = HINGE_KINDS[model.dimension]
    if hinge.kind not in kinds:
        raise ModelError(
            f"{hinge.kind!r} is no hinge in {model.dimension} dimensions; there is: "
            + ", ".join(kinds),
            element=element,
            field="kind",
        )
    if model.absolute and not kinds[hinge.kind].absolute:
        raise ModelError(
            f"{hinge.kind} cannot be described in absolute coordinates; use joint coordinates",
            element=element,
            field="kind",
        )
    _sizes(model, hinge, kinds[hinge.kind])
    if hinge.limits:
        check_limits(hinge.limits, kinds[hinge.kind], element)
    check_hinge_laws(model, hinge)


def _frame(model: System, frame: Frame) -> None:
    element = f"frame {frame.name}"
    if not NAME.fullmatch(frame.name):
        raise ModelError(
            f"{frame.name!r} is no name; use letters, digits and _ . : / + -",
            element="frame",
            field="name",
        )
    if frame.body != GROUND:
        try:
            body = model.body(frame.body)
        except ModelError as error:
            raise ModelError(str(error), element=element, field="body") from None
        if isinstance(body, Beam):
            raise ModelError(
                f"{frame.body} is a beam, which bends: give it a point there instead",
                element=element,
                field="body",
            )
    _vector(model, frame.position, element, "position")
    _axes(model, Point(frame.name, frame.position, frame.axes), element, "axes")


def _ends(model: System, hinge: Hinge) -> None:
    element = f"hinge {hinge.name}"
    if len(hinge.ends) != 2 or not all(isinstance(end, End) for end in hinge.ends):
        raise ModelError("must be two ends (End)", element=element, field="ends")
    if hinge.ends[0].body == hinge.ends[1].body:
        where = "the ground" if hinge.ends[0].body == GROUND else f"body {hinge.ends[0].body}"
        raise ModelError(f"joins {where} with itself", element=element, field="ends")
    for end in hinge.ends:
        if not is_name(end.point):
            raise ModelError(
                f"{end.point!r} {NO_NAME}",
                element=element,
                field="ends",
            )
        if end.body != GROUND:
            try:
                model.body(end.body).point(end.point)
            except ModelError as error:
                raise ModelError(str(error), element=element, field="ends") from None


def _sizes(model: System, hinge: Hinge, kind: HingeKind) -> None:
    """A hinge has the sizes of its kind, and no others."""
    element = f"hinge {hinge.name}"
    for symbol, size in SIZES.items():
        field = symbol.name
        value = _number(model, getattr(hinge, field), element, field)
        if symbol in kind.sizes:
            if size.needed and value == 0:
                raise ModelError(
                    f"must not be 0: a {kind.name} hinge needs it", element=element, field=field
                )
        elif getattr(hinge, field) != 0:
            raise ModelError(
                f"a {kind.name} hinge has none; leave it out", element=element, field=field
            )


def _graph(model: System) -> None:
    links = [(hinge.ends[0].body, hinge.ends[1].body) for hinge in model.hinges]
    used: Counter[str] = Counter()
    for hinge in model.hinges:
        used.update(str(end) for end in hinge.ends if end.body != GROUND)
    for end, count in used.items():
        if count > 1:
            raise ModelError(f"{count} hinges share it; give each its own point", element=end)
    grounded = [body for link in links for body in link].count(GROUND)
    if grounded == 0 or (model.absolute and grounded != 1):
        raise ModelError(
            f"{grounded} hinges lead to the ground (body {GROUND}); "
            + ("a tree needs exactly one" if model.absolute else "at least one must"),
            field="hinges",
        )
    forest = Forest()
    for link in links:
        forest.join(*link)
    ground = forest.find(GROUND)
    loose = [body.name for body in model.bodies if forest.find(body.name) != ground]
    if loose:
        element = f"{model.body(loose[0]).kind} {loose[0]}"
        raise ModelError("is not connected to the ground", element=element)
    if not model.absolute:
        check_cuts(model.dimension, model.hinges, model.cuts, model.value)
    elif model.cuts:
        raise ModelError("need joint coordinates", field="cuts")
    elif found := ring(links):
        raise ModelError(f"the bodies {' – '.join(found)} form a closed loop", field="hinges")


def _asked(model: System) -> None:
    names = {hinge.name for hinge in model.hinges} | {beam.name for beam in model.beams}
    for asked in model.asked:
        if asked.owner not in names:
            raise ModelError(f"asks of {asked.owner!r}, which is no hinge or beam", field="asked")


def _state(model: System) -> None:
    for field, state, names in (
        ("q0", model.q0, model.coordinates),
        ("v0", model.v0, model.speeds),
    ):
        if len(state) != len(names):
            raise ModelError(f"has {len(state)} entries instead of {len(names)}", field=field)
        for number, name in zip(state, names, strict=True):
            _finite(name, number, field)
    for where in model.quaternions:
        norm = math.hypot(*model.q0[where : where + 4])
        if abs(norm - 1) > UNIT_SLACK:
            name = model.coordinates[where]
            raise ModelError(f"the quaternion at {name} has norm {norm:g} instead of 1", field="q0")
