"""`mstmm check`: is a model file right, and what does it say?"""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..model.expressions.quantities import told
from .screen import Json, print_json, print_wrapped

if TYPE_CHECKING:
    from ..model import Model
    from ..runtime.closing.start import Start


def check(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A model file, e.g. arm.toml or robot.urdf, or a ready-made model."
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of model files.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse what is odd in a file, and mended or taken as it is."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a model file and say what it describes.

    What the numbers of a file mean, and each kind of hinge: docs/conventions.md, docs/hinges.md.
    """
    if schema == (file is not None):
        raise UsageError("check takes a model file, or --schema without one")
    if file is None:
        from ..model.files.located import schema as json_schema

        sys.stdout.write(json_schema())
        return
    from .. import load
    from ..symbolic.plans.directions import transfer
    from ..symbolic.plans.plan import plan
    from .acting import Freedoms, acting, acting_lines

    model = load(file, strict=strict)
    topology = plan(model).describe().splitlines()
    order = [] if model.kinematic else transfer(model).describe().splitlines()
    start, met = _start(model)
    freedoms = Freedoms.of(model, met)
    if as_json:
        moved = [asdict(each) for each in start.moved] if start else []
        acts = {"freedoms": {**asdict(freedoms), "left": freedoms.left}, "acting": acting(model)}
        undecided = start.undecided if start else ""
        summary = {**_summary(model), **acts, "moved": moved, "undecided": undecided}
        print_json({**summary, "topology": topology, "transfer": order})
    else:
        at_start = [str(start)] if start else _begins(model)
        words = [*_words(model), *acting_lines(model), *_limits(model)]
        print_wrapped([words[0], words[1], str(freedoms), *words[2:], *at_start, *topology, *order])
    if start and start.undecided:
        raise typer.Exit(1)


def _start(model: Model) -> tuple[Start | None, int]:
    """The start with closed loops, if there are any, and how many freedoms these take there."""
    if not model.conditioned:
        return None, 0
    if any(beam.linear_alone for beam in model.beams):  # of which `linear` alone knows
        return None, len(model.condition_units)
    from ..runtime.solver import compile_model
    from ..runtime.vibration.coded.resting import standing

    solver = compile_model(standing(model), target="numpy")
    start = solver.assemble()
    return start, len(model.condition_units) - int(solver.redundant(start.q))


def _summary(model: Model) -> dict[str, object]:
    inputs = [x.name for x in model.inputs]
    return {
        "model": model.name,
        "description": model.description,
        "dimension": model.dimension,
        "coordinates": "absolute" if model.absolute else "joint",
        "kinematic": model.kinematic,
        "bodies": [body.name for body in model.bodies],
        "beams": {beam.name: beam.modes for beam in model.beams},
        "hinges": {hinge.name: hinge.kind for hinge in model.hinges},
        "parameters": {name: x for name, x in model.parameters.items() if name not in inputs},
        "inputs": {name: model.parameters[name] for name in inputs},
        "forces": {x.name: [str(end).rstrip(":") for end in x.ends] for x in model.forces},
        "speeds": list(model.speeds),
        "frames": list(model.every_frame),
        "limits": {
            hinge.name: {
                "position": [list(map(_finite, pair)) for pair in hinge.limits.position],
                "speed": list(map(_finite, hinge.limits.speed)),
                "effort": list(map(_finite, hinge.limits.effort)),
            }
            for hinge in model.hinges
            if hinge.limits
        },
    }


def _finite(limit: float) -> float | None:
    """A limit as JSON has it, which knows no infinite numbers."""
    return limit if math.isfinite(limit) else None


def _words(model: Model) -> list[str]:
    from ..model.expressions.quantities import shorten

    title = f"{model.name}: {model.description}" if model.description else model.name
    space = "the plane" if model.dimension == 2 else "space"
    kind = "absolute" if model.absolute else "joint"
    inputs = {x.name: x.unit for x in model.inputs}
    numbers = {name: f"{name}={value:g}" for name, value in model.parameters.items()}
    values = ", ".join(text for name, text in numbers.items() if name not in inputs)
    given = ", ".join(f"{numbers[name]} {unit}".rstrip() for name, unit in inputs.items())
    driven = sum(bool(hinge.motion) for hinge in model.hinges)
    return [
        title,
        f"in {space}, {_bodies(model)}, "
        f"{told(len(model.hinges), 'hinge')}"
        + (f" ({driven} driven)" if driven else "")
        + (f", {told(len(model.loads), 'load')}" if model.loads else "")
        + (f", {told(len(model.forces), 'force')}" if model.forces else "")
        + (", a moving base" if model.base else "")
        + f", {told(len(model.speeds), 'speed')}, {kind} coordinates",
        *([model.no_dynamics] if model.kinematic else []),
        *_named(model),
        *_functions(model),
        *([f"parameters: {values}"] if values else []),
        *([f"inputs: {given}"] if given else []),
        *([f"frames: {shorten([frame.name for frame in model.frames])}"] if model.frames else []),
    ]


def _named(model: Model) -> list[str]:
    """The names of coordinates and speeds, if there are any."""
    from ..model.expressions.quantities import shorten

    named = f"coordinates: {shorten(model.coordinates)}; speeds: {shorten(model.speeds)}"
    return [named] if model.coordinates else []


def _begins(model: Model) -> list[str]:
    """The state at t = 0, where it is not zero."""
    from ..model.expressions.quantities import shorten

    if not model.coordinates:
        return []
    state = zip((*model.coordinates, *model.speeds), (*model.q0, *model.v0), strict=True)
    found = [f"{name} = {value:g}" for name, value in state if value]
    return [f"start: {shorten(found)}, all else zero" if found else "start: all zero"]


def _limits(model: Model) -> list[str]:
    """The hinges' limits, one line each, and which of them the start does not keep."""
    from ..model.parts.hinge_kinds import HINGE_KINDS
    from ..model.parts.limits import described

    kinds = HINGE_KINDS[model.dimension]
    said = {h.name: described(h.limits, kinds[h.kind]) for h in model.hinges if h.limits}
    cut = ", which inverse kinematics does not look at: the hinge is cut"
    lines = [
        f"limits of {name}: {text}{cut if name in model.cuts else ''}"
        for name, text in said.items()
        if text
    ]
    for name, value, (lower, upper) in zip(
        model.coordinates, model.q0, model.position_limits, strict=True
    ):
        if not lower <= value <= upper:
            lines.append(f"the start is outside the limits: {name} = {value:g}")
    return lines


def _bodies(model: Model) -> str:
    """How many bodies there are, and the beams and their shape functions."""
    beams = len(model.beams)
    rigid = told(len(model.bodies) - beams, "body", "bodies")
    if not beams:
        return rigid
    axial = sum(beam.axial_modes for beam in model.beams)
    bending = sum(beam.bending_modes for beam in model.beams)
    functions = f"{axial} axial and {bending} bending shape functions"
    if not axial and not bending:
        functions = "no shape function, for linear"
    return f"{rigid}, {told(beams, 'beam')} with {functions}"


def _functions(model: Model) -> list[str]:
    """The shape functions that beams are given, as they are read."""
    return [
        f"{kind} functions of {beam.name}: {', '.join(map(str, functions))}"
        for beam in model.beams
        for kind, functions in (("axial", beam.axial), ("bending", beam.bending))
        if not isinstance(functions, int)
    ]
