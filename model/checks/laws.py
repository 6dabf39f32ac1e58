"""Are forces, potentials, prescribed motions, loads and the base's motion laws that make sense?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy as sp

from ...errors import ModelError
from ..expressions.continuity import jump
from ..expressions.functions import WRITTEN, step
from ..expressions.quantities import (
    TIME,
    Quantity,
    exact_expression,
    hinge_symbol,
    miscounted,
    parameter,
    shown,
)
from ..parts.bodies import Beam, Body, End
from ..parts.forces import LENGTH, RATE, Force, Load
from ..parts.hinge_kinds import HINGE_KINDS, HingeKind
from ..parts.hinges import GROUND, OWN, Hinge
from ..parts.system import System
from .names import check_sensor_names

#: How far from 1 the length of a quaternion may be.
UNIT = 1e-9

FRAMES = ("inertial", "body")


def check_hinge_laws(model: System, hinge: Hinge) -> None:
    """See that a hinge's laws fit its kind and depend on what they may.

    Raises
        ModelError: names the hinge and the field.
    """
    element = f"hinge {hinge.name}"
    laws = (hinge.force, hinge.motion, hinge.stiffness, hinge.damping)
    if model.absolute and (any(laws) or hinge.potential != 0):
        raise ModelError(
            'needs joint coordinates; leave out coordinates = "absolute"',
            element=element,
            field=_first_law(hinge),
        )
    if model.absolute and hinge.rotor:
        raise ModelError(
            'needs joint coordinates; leave out coordinates = "absolute"',
            element=element,
            field="rotor",
        )
    kind = HINGE_KINDS[model.dimension][hinge.kind]
    _count(hinge.force, kind.speeds, element, "force")
    _count(hinge.motion, kind.coordinates, element, "motion")
    _count(hinge.rotor, kind.speeds, element, "rotor")
    for inertia in hinge.rotor:
        value = _number(model, inertia, element, "rotor")
        if value < 0:
            raise ModelError(
                f"must not be negative, is {value:g} kg m² or kg", element=element, field="rotor"
            )
    if hinge.motion:
        why = (
            "a force law too; leave out one of them" if hinge.force or hinge.potential != 0 else ""
        )
        why = why or kind.why_not_driven
        if why:
            raise ModelError(f"cannot be prescribed: it has {why}", element=element, field="motion")
    _elastic(model, hinge, kind)
    q = [hinge_symbol("q", k + 1) for k in range(kind.coordinates)]
    u = [hinge_symbol("u", k + 1) for k in range(kind.speeds)]
    inputs = [parameter(x.name) for x in model.inputs]
    read = _elsewhere(model, hinge.force, element, "force", inside=True)
    _depends(model, hinge.force, [TIME, *q, *u, *read], element, "force", inputs)
    _depends(model, [hinge.potential], [TIME, *q], element, "potential", inputs)
    _continuous(model, hinge.potential, q, element)
    _depends(model, hinge.motion, [TIME], element, "motion")
    _smooth(hinge.motion, element, "motion")


def _first_law(hinge: Hinge) -> str:
    if hinge.force or hinge.motion:
        return "force or motion"
    return "potential" if hinge.potential != 0 else "stiffness or damping"


def _elastic(model: System, hinge: Hinge, kind: HingeKind) -> None:
    element = f"hinge {hinge.name}"
    for field, given, count in (
        ("stiffness", hinge.stiffness, kind.stiffnesses),
        ("damping", hinge.damping, kind.speeds if kind.sprung else 0),
        ("rest", hinge.rest, kind.rests),
    ):
        if given and not count:
            raise ModelError(
                f"belongs to elastic hinges; give a {hinge.kind} hinge a potential or a force",
                element=element,
                field=field,
            )
        _count(given, count, element, field)
        _depends(model, given, [], element, field)
        for quantity in given:
            _number(model, quantity, element, field)
    if hinge.rest and not hinge.stiffness:
        raise ModelError("needs a stiffness", element=element, field="rest")
    if hinge.rest and kind.has_quaternion and not kind.sprung:
        length = math.hypot(*(model.value(x) for x in hinge.rest[-4:]))
        if abs(length - 1) > UNIT:
            raise ModelError(
                f"ends in a quaternion w, x, y, z of length {length:.12g}; it must be 1",
                element=element,
                field="rest",
            )


def check_loads(model: System) -> None:
    """See that every load acts on a body, and depends on the time and the parameters alone.

    Raises
        ModelError: names the load and the field.
    """
    if model.loads and model.absolute:
        raise ModelError(
            'need joint coordinates; leave out coordinates = "absolute"', field="loads"
        )
    for load in model.loads:
        _load(model, load)


def _load(model: System, load: Load) -> None:
    element = f"load {load.name}"
    try:
        body = model.body(load.body)
        if isinstance(body, Beam):
            raise ModelError("a load acts on a rigid body; weld one to the beam (fixed hinge)")
        if load.point:
            body.point(load.point)
    except ModelError as error:
        raise ModelError(str(error), element=element, field="body") from None
    if load.frame not in FRAMES:
        raise ModelError(
            f"there is no frame {load.frame!r}; there are: {', '.join(FRAMES)}",
            element=element,
            field="frame",
        )
    if not load.force and not load.moment:
        raise ModelError("has neither force nor moment; give it one", element=element)
    for field, given, count in (
        ("force", load.force, model.dimension),
        ("moment", load.moment, 1 if model.dimension == 2 else 3),
    ):
        _count(given, count, element, field)
        read = _elsewhere(model, given, element, field)
        inputs = [parameter(x.name) for x in model.inputs]
        _depends(model, given, [TIME, *read], element, field, inputs)


def _elsewhere(
    model: System, given: Iterable[Quantity], element: str, field: str, inside: bool = False
) -> list[sp.Symbol]:
    """What laws read of coordinates, speeds and sensors; in a hinge's laws q1, u1, … are its own.

    Raises
        ModelError: one is of a hinge that is cut, or of absolute coordinates in space.
    """
    laws = [law for law in given if isinstance(law, sp.Expr)]
    used = {x.name for law in laws for x in law.free_symbols} - model.parameters.keys()
    if inside:
        used = {name for name in used if not OWN.fullmatch(name)}
    if not used:
        return []
    for hinge in model.hinges if not model.absolute else ():
        names = (*model.hinge_coordinates(hinge), *model.hinge_speeds(hinge))
        for name in sorted(used & {*names}) if hinge.name in model.cuts else ():
            raise ModelError(
                f"reads {name} of hinge {hinge.name}, which is cut to open a loop and has no "
                "coordinates in the state; cut another hinge (cuts = …)",
                element=element,
                field=field,
            )
    for name, leader in model.followers.items():
        for own in sorted(used & {f"q{name}", f"u{name}"}):
            raise ModelError(
                f"reads {own} of hinge {name}, which shares the coordinate of {leader.hinge}; "
                f"read {own[0]}{leader.hinge}, or let it keep its own (own = true in its mimic)",
                element=element,
                field=field,
            )
    if model.absolute and model.dimension == 3 and used & {*model.coordinates, *model.speeds}:
        raise ModelError(
            "reads coordinates or speeds; in space that needs joint coordinates",
            element=element,
            field=field,
        )
    return [parameter(name) for name in sorted(used & model.readings)]


def check_sensors(model: System) -> None:
    """See that every sensor has a name of its own and something to measure.

    Raises
        ModelError: names the sensor and the field.
    """
    check_sensor_names(model)
    for sensor in model.sensors:
        element = f"sensor {sensor.name}"
        _ends(model, sensor.ends, element)
        if len(sensor.ends) == 1 and not sensor.along:
            raise ModelError(
                "is missing: one end has a place only along a direction, as along = [0, 1]",
                element=element,
                field="along",
            )
        _count(sensor.along, model.dimension, element, "along")
        _depends(model, sensor.along, [], element, "along")


def check_forces(model: System) -> None:
    """See that every force acts between two points or on one, by laws of what they may depend on.

    Raises
        ModelError: names the force and the field.
    """
    for force in model.forces:
        element = f"force {force.name}"
        _force_ends(model, force, element)
        alone = len(force.ends) == 1
        said = [field for field in (*OF_LINES, *OF_MEDIA) if getattr(force, field) not in (0, ())]
        for field in said:
            if field in (OF_LINES if alone else OF_MEDIA):
                acts = "one point; write drag, quadratic" if alone else "two points"
                raise ModelError(f"the force acts on {acts}", element=element, field=field)
        if not {*said} - {"rest", "medium"}:
            wanted = " or ".join(("drag", "quadratic") if alone else OF_LINES[1:])
            raise ModelError(f"exerts nothing; give it {wanted}", element=element)
        _force_laws(model, force, element)


#: The fields of a force along a line, and of a medium's on a point.
OF_LINES = ("rest", "stiffness", "damping", "law", "potential", "mu")
OF_MEDIA = ("medium", "drag", "quadratic")


def _force_ends(model: System, force: Force, element: str) -> None:
    _ends(model, force.ends, element)
    bodies = [end.body for end in force.ends]
    if bodies == [GROUND]:
        raise ModelError("a medium drags a body, not the ground", element=element, field="ends")
    if force.mu != 0 and (force.ends[-1].point or bodies[-1] == GROUND):
        raise ModelError(
            f"attracts a body's centre of mass, which is written without a point, not "
            f"{force.ends[-1]}",
            element=element,
            field="ends",
        )


def _ends(model: System, ends: Sequence[End], element: str) -> None:
    if len(ends) not in (1, 2) or not all(isinstance(end, End) for end in ends):
        raise ModelError("must be one or two ends (End)", element=element, field="ends")
    for end in ends:
        try:
            _force_end(model, end)
        except ModelError as error:
            raise ModelError(str(error), element=element, field="ends") from None
    bodies = [end.body for end in ends]
    if len(bodies) == 2 and bodies[0] == bodies[1]:
        where = "the ground" if bodies[0] == GROUND else f"body {bodies[0]}"
        raise ModelError(f"is between two points of {where}", element=element, field="ends")


def _force_end(model: System, end: End) -> None:
    if end.body == GROUND:
        if not end.point:
            raise ModelError("the ground has no centre of mass; name a point of it")
        return
    body = model.body(end.body)
    if not isinstance(body, Body):
        raise ModelError(
            f"{body.name} is a beam; weld a rigid body to it (fixed hinge) and take a point of that"
        )
    if end.point:
        body.point(end.point)


def _force_laws(model: System, force: Force, element: str) -> None:
    inputs = [parameter(x.name) for x in model.inputs]
    for field in ("stiffness", "rest", "damping", "mu", "drag", "quadratic"):
        given = getattr(force, field)
        _depends(model, [given], [], element, field)
        if _number(model, given, element, field) < 0:
            raise ModelError("must not be negative", element=element, field=field)
    if force.rest != 0 and force.stiffness == 0:
        raise ModelError("needs a stiffness", element=element, field="rest")
    read = _elsewhere(model, [force.law], element, "law")
    _depends(model, [force.law], [TIME, LENGTH, RATE, *read], element, "law", inputs)
    _depends(model, [force.potential], [TIME, LENGTH], element, "potential", inputs)
    _continuous(model, force.potential, [LENGTH], element, above=0.0)
    _count(force.medium, model.dimension, element, "medium")
    _depends(model, force.medium, [TIME], element, "medium", inputs)


def check_base(model: System) -> None:
    """See that the motion of the base depends smoothly on the time and the parameters.

    Raises
        ModelError: names the field.
    """
    if model.base is None:
        return
    if model.absolute:
        raise ModelError(
            'needs joint coordinates; leave out coordinates = "absolute"', field="base"
        )
    for field, given, count in (
        ("position", model.base.position, model.dimension),
        ("angles", model.base.angles, 1 if model.dimension == 2 else 3),
    ):
        _count(given, count, "base", field)
        _depends(model, given, [TIME], "base", field)
        _smooth(given, "base", field)


def _number(model: System, quantity: Quantity, element: str, field: str) -> float:
    try:
        return model.value(quantity)
    except ModelError as error:
        raise ModelError(str(error), element=element, field=field) from None


def _count(given: Sequence[Quantity], count: int, element: str, field: str) -> None:
    if not isinstance(given, tuple | list):
        raise ModelError(f"must be {count} quantities, is {given!r}", element=element, field=field)
    if given and len(given) != count:
        raise ModelError(miscounted(given, count), element=element, field=field)


def _depends(
    model: System,
    laws: Iterable[Quantity],
    varying: Sequence[sp.Symbol],
    element: str,
    field: str,
    inputs: Sequence[sp.Symbol] = (),
) -> None:
    """See that the laws depend on the parameters and what may vary, and that these differ.

    Of the inputs on those alone that are given.
    """
    barred = {parameter(x.name) for x in model.inputs} - set(inputs)
    for law in laws:
        try:
            exact = exact_expression(law)
            if exact.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
                raise ModelError(f"{law} is no finite number")
            used = exact.free_symbols
        except (ModelError, OverflowError) as error:
            why = error if isinstance(error, ModelError) else "is no finite number"
            raise ModelError(str(why), element=element, field=field) from None
        if not used:
            continue
        parameters = {parameter(name) for name in model.parameters}
        for symbol in used & barred:
            raise ModelError(
                f"{shown(law)} depends on the input {symbol}; inputs may stand in the forces and "
                "potentials of hinges, in loads and in laws of forces",
                element=element,
                field=field,
            )
        unknown = used - parameters - set(varying)
        if unknown:
            names = ", ".join(sorted(map(str, unknown)))
            raise ModelError(f"{shown(law)} depends on {names}", element=element, field=field)
        for symbol in varying:
            if symbol in used & parameters:
                raise ModelError(
                    f"{shown(law)} depends on {symbol}, which is a parameter too; rename that",
                    element=element,
                    field=field,
                )


def _continuous(
    model: System,
    potential: Quantity,
    along: Sequence[sp.Symbol],
    element: str,
    above: float = -math.inf,
) -> None:
    """See that no energy jumps along what exceeds `above`: no force would make up for it."""
    if not isinstance(potential, sp.Expr) or not potential.free_symbols & {*along}:
        return
    inputs = {x.name for x in model.inputs}
    values = {parameter(x): Fraction(y) for x, y in model.parameters.items() if x not in inputs}
    found = jump(potential, along, values, above)
    if found:
        name = along[0].name
        raise ModelError(
            f"{shown(potential)} jumps by {found.height:g} J where {shown(found.zero)} = 0, and no "
            "force does that; multiply what steps by what is zero there, as in "
            f"({name} - 1)*step({name} - 1), or write a force",
            element=element,
            field="potential",
        )


def _smooth(laws: Iterable[Quantity], element: str, field: str) -> None:
    for law in laws:
        jumps = exact_expression(law).atoms(step, sp.sign, sp.Abs)
        if jumps:
            found = ", ".join(sorted({WRITTEN.get(x.func, x.func.__name__) for x in jumps}))
            raise ModelError(
                f"{shown(law)} must be smooth, without {found}; round it off, as sqrt(x**2 + 1e-6) "
                "does abs(x), tanh(x/1e-3) sign(x), and (1 + tanh(x/1e-3))/2 step(x)",
                element=element,
                field=field,
            )
