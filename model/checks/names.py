"""Do names of inputs, sensors and frames hide those of other things?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import ModelError
from ..expressions.functions import FUNCTIONS
from ..parts.frames import GROUND_NAMES, Frame, is_own
from ..parts.hinges import OWN
from ..parts.naming import RECORDED
from ..parts.system import System

#: What texts say without being told: no input and no sensor may be called so.
SPOKEN: Mapping[str, str] = {
    **{name: f"the function {name} of expressions" for name in FUNCTIONS},
    **{name: f"what run[{name!r}] gives, an array of every run" for name in RECORDED},
    **dict.fromkeys(GROUND_NAMES, "the ground"),
    "pi": "the number π",
    "t": "the time",
}

#: What laws of forces between points say besides.
OF_FORCES = dict.fromkeys(("length", "rate"), "the length of a force between points and its rate")


def check_input_names(model: System) -> None:
    """See that no input is called as another thing that laws or runs speak of.

    Raises
        ModelError: names the input and the other.
    """
    if model.inputs:
        taken = {**SPOKEN, **_parts(model), **dict(_state(model))}
        for given in model.inputs:
            _free(given.name, taken, f"input {given.name}")


def check_sensor_names(model: System) -> None:
    """See that no sensor, nor its rate, is called as another thing that laws or runs speak of.

    Raises
        ModelError: names the sensor and the other.
    """
    if not model.sensors:
        return
    inputs = {x.name: "an input" for x in model.inputs}
    taken = {**dict.fromkeys(model.parameters, "a parameter"), **inputs}
    taken |= {**SPOKEN, **OF_FORCES, **_parts(model), **dict(_state(model))}
    for sensor in model.sensors:
        element = f"sensor {sensor.name}"
        for name in (sensor.name, sensor.rate):
            if not name.isascii() or not name.isidentifier():
                raise ModelError("is no name; use letters, digits and _", element=element)
            if OWN.fullmatch(name):
                raise ModelError(
                    f"{name} is a hinge's own coordinate or speed in its laws; call the sensor "
                    "otherwise",
                    element=element,
                )
            _free(name, taken, element)
            taken[name] = f"sensor {sensor.name} or its rate"


def check_frame_names(model: System) -> None:
    """See that no frame is called as a body, or a point of one, that it does not belong to.

    A frame of its own body's name is that body's.

    Raises
        ModelError: names the frame and the other.
    """
    declared = {frame.name: frame for frame in model.frames}
    if not declared:
        return
    for name in GROUND_NAMES:
        if name in declared and not is_own(name, declared[name].body):
            raise _hides(declared[name], "the ground")
    may_be_points = any(":" in name for name in declared)
    for body in model.bodies:
        if body.name in declared and not is_own(body.name, declared[body.name].body):
            raise _hides(declared[body.name], f"{body.kind} {body.name}")
        for point in body.points if may_be_points else ():
            if f"{body.name}:{point.name}" in declared:
                frame = declared[f"{body.name}:{point.name}"]
                raise _hides(frame, f"point {point.name} of {body.kind} {body.name}")


def _hides(frame: Frame, what: str) -> ModelError:
    return ModelError(f"hides {what}; call the frame otherwise", element=f"frame {frame.name}")


def _parts(model: System) -> dict[str, str]:
    hinges = {x.name: f"hinge {x.name}, by which its effort is called" for x in model.hinges}
    return {**{x.name: f"{x.kind} {x.name}" for x in model.bodies}, **hinges}


def _state(model: System) -> Iterator[tuple[str, str]]:
    for name in model.coordinates:
        yield name, f"the coordinate {name}"
    for name in model.speeds:
        yield name, f"the speed {name}"
        yield f"{name}_dot", f"the acceleration {name}_dot"


def _free(name: str, taken: Mapping[str, str], element: str) -> None:
    if name in taken:
        kind = element.partition(" ")[0]
        raise ModelError(
            f"{name} is taken: it is {taken[name]}; call the {kind} otherwise", element=element
        )
