"""Is a model a system that can be solved? One clear message when it is not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import fields
from itertools import repeat
from operator import attrgetter, is_
from typing import TypeVar

from ...errors import ModelError
from ..expressions.quantities import miscounted
from ..parts.bodies import Beam, Body, End, Point
from ..parts.frames import NAME, Frame
from ..parts.hinges import GROUND, Hinge
from ..parts.naming import NO_NAME, are_names, is_name
from ..parts.system import System
from ..topology import Forest, check_cuts, check_transfer, ring
from .bodies import check_beam, check_body
from .couplings import check_couplings
from .hinges import check_ends, check_hinge, joining_nothing
from .inertia import check_inertia
from .laws import check_base, check_forces, check_loads, check_sensors
from .names import check_frame_names, check_input_names
from .numbers import UNIT_SLACK, axes, finite, vector
from .tabulated import check_tables

#: The longest name of a model: its files' names must fit into a folder of any system.
LONGEST_NAME = 100


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
    if model.kinematic and (model.absolute or model.beams):
        raise ModelError("needs joint coordinates and rigid bodies", field="kinematic")
    _parameters(model)
    _inputs(model)
    vector(model, model.gravity, "model", "gravity")
    if not model.bodies:
        raise ModelError("there is no body; a model has one at least", field="bodies")
    _unique([body.name for body in model.bodies], "body")
    _unique([hinge.name for hinge in model.hinges], "hinge")
    _unique([load.name for load in model.loads], "load")
    _unique([force.name for force in model.forces], "force")
    for name, count in Counter(frame.name for frame in model.frames).items():
        if count > 1:
            raise ModelError(
                f"the name is used {count} times; rename all but one", element=f"frame {name}"
            )
    taken = {hinge.name for hinge in model.hinges}
    for beam in model.beams:
        if beam.name in taken:
            message = "a hinge has this name too"
            raise ModelError(message, element=f"beam {beam.name}", field="name")
    for beam in _unlike(model.beams, {"name"}):
        check_beam(model, beam)
    for body in _unlike([body for body in model.bodies if isinstance(body, Body)], {"name"}):
        check_body(model, body)
    for hinge in _unlike(model.hinges, {"name", "ends"}):
        check_hinge(model, hinge)
    for hinge in joining_nothing(model):
        check_ends(model, hinge)
    for frame in model.frames:
        _frame(model, frame)
    check_frame_names(model)
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


P = TypeVar("P", Body, Beam, Hinge)


def _unlike(parts: Sequence[P], own: Set[str]) -> Iterator[P]:
    """The parts that share not all their data, but for what is each one's own, with one before."""
    if not parts:
        return
    names = [each.name for each in fields(parts[0]) if each.name not in own]
    if all(_is_one(map(attrgetter(name), parts)) for name in names):
        yield parts[0]
        return
    data_of, met = attrgetter(*names), set[tuple[int, ...]]()
    for part in parts:
        data = tuple(map(id, data_of(part)))
        if data not in met:
            met.add(data)
            yield part


def _is_one(values: Iterator[object]) -> bool:
    """Are all of them the same thing?"""
    return all(map(is_, values, repeat(next(values))))


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
            raise ModelError(
                f"{name} is the name of a coordinate or speed; rename it", field="parameters"
            )
        finite(name, number, "parameters")
    check_tables(model)


def _inputs(model: System) -> None:
    for name, count in Counter(x.name for x in model.inputs).items():
        if count > 1:
            raise ModelError(
                f"the name is used {count} times; rename all but one", element=f"input {name}"
            )
    check_input_names(model)
    for given in model.inputs:
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


def _names_of_states(model: System) -> None:
    """Hinges a and a_1 may both lead to qa_1."""
    names = (*model.coordinates, *model.speeds)
    for name, count in Counter(names if len({*names}) < len(names) else ()).items():
        if count > 1:
            raise ModelError(f"{count} coordinates or speeds are called {name}; rename a hinge")


def _unique(names: Sequence[str], kind: str) -> None:
    if are_names(names) and GROUND not in names and len({*names}) == len(names):
        return
    for name, count in Counter(names).items():
        if not is_name(name):
            raise ModelError(f"{name!r} {NO_NAME}", element=kind, field="name")
        if count > 1:
            raise ModelError(
                f"the name is used {count} times; rename all but one", element=f"{kind} {name}"
            )
        if kind == "body" and name == GROUND:
            raise ModelError(
                "the name is taken by the ground", element=f"body {name}", field="name"
            )


def _ground(model: System) -> None:
    if not model.ground:
        return
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
        vector(model, point.position, element, f"point {point.name}")
        axes(model, point, element)


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
    vector(model, frame.position, element, "position")
    axes(model, Point(frame.name, frame.position, frame.axes), element, "axes")


def _graph(model: System) -> None:
    links = [(first.body, second.body) for first, second in map(attrgetter("ends"), model.hinges)]
    grounded = sum(link.count(GROUND) for link in links)
    if grounded == 0 or (model.absolute and grounded != 1):
        raise ModelError(
            f"{grounded} hinges lead to the ground (body {GROUND}); "
            + (
                "a tree in absolute coordinates needs exactly one"
                if model.absolute
                else "at least one must; to a body that flies a free one does"
            ),
            field="hinges",
        )
    forest = Forest()
    closing = [link for link in links if not forest.join(*link)]
    ground = forest.find(GROUND)
    loose = [body.name for body in model.bodies if forest.find(body.name) != ground]
    if loose:
        element = f"{model.body(loose[0]).kind} {loose[0]}"
        raise ModelError(
            "is not connected to the ground; join it by a hinge, to the ground itself by a free "
            "one if it flies",
            element=element,
        )
    if not model.absolute:
        check_cuts(model.dimension, model.hinges, model.cuts, model.value)
    elif model.cuts:
        raise ModelError('need joint coordinates; leave out coordinates = "absolute"', field="cuts")
    elif closing:
        raise ModelError(
            f"the bodies {' – '.join(ring(links))} form a closed loop; that "
            'takes joint coordinates: leave out coordinates = "absolute"',
            field="hinges",
        )


def _asked(model: System) -> None:
    if not model.asked:
        return
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
            raise ModelError(miscounted(state, len(names)), field=field)
        if not ({*map(type, state)} <= {float} and all(map(math.isfinite, state))):
            for number, name in zip(state, names, strict=True):
                finite(name, number, field)
    for where in model.quaternions:
        norm = math.hypot(*model.q0[where : where + 4])
        if abs(norm - 1) > UNIT_SLACK:
            name = model.coordinates[where]
            raise ModelError(
                f"the quaternion at {name} has norm {norm:g} instead of 1; divide it by that",
                field="q0",
            )
