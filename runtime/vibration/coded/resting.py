"""Loads at rest as loads along the displacements of small motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from ....codegen.face.choice import Choice
from ....model import Beam, Body, Model
from ....model.expressions.quantities import Vector
from ....model.parts.forces import Load
from ....symbolic.methods.linear.cells import cells_for, in_cells
from ....symbolic.plans.plan import plan
from ...evaluation.arrays import Floats
from ...evaluation.evaluator import Evaluator

#: Cells of a stretch of a beam: at first, and for statics.
FEWEST, ENOUGH = 4, 16

#: So slow, in rad/s, that only what beams bear at rest makes waves.
STILL = 1e-6


def fewest(code: Evaluator, parameters: Mapping[str, float] | None) -> int:
    """How many cells what beams bear at rest takes by itself, as it makes waves too."""
    told = dict(zip(code.parameters, code.parameter_values(parameters).tolist(), strict=True))
    return max(FEWEST, cells_for(code.model.with_parameters(**told), STILL))


def standing_code(code: Evaluator) -> Evaluator:
    """Code of `riccati` of what spins and loses energy as if it did neither."""
    riccati = Choice("riccati")
    if not any(x.complex_alone for x in code.model.bodies):
        return code.companion(riccati)
    found: Evaluator | None = vars(code).get("_standing_still")
    if found is None:
        found = vars(code)["_standing_still"] = Evaluator(
            standing(code.model),
            method=riccati,
            target=code.kind.beside or code.target,
            parameters=code.parameters,
            portable=code.portable,
            threads=code.threads,
            asked_by=code,
        )
    return found


def standing(model: Model) -> Model:
    """A model of which nothing spins, or loses energy by a factor."""
    plain = {body.name: replace(body, spin=0) for body in model.bodies}
    plain |= {beam.name: replace(beam, spin=0, loss=0) for beam in model.beams}
    return replace(model, bodies=tuple(plain[x.name] for x in model.bodies))


class Motions(Protocol):
    """What is asked of small motions: see `SmallMotions`."""

    cells: int | None
    speeds: int
    along: list[tuple[str, ...]]

    @property
    def model(self) -> Model: ...
    @property
    def moving(self) -> Sequence[str]: ...
    @property
    def cells_of(self) -> Sequence[str]: ...
    def placed(self) -> Floats: ...


def loads_at_rest(motions: Motions) -> Floats:
    """Weight and loads of the model as loads along displacements, along speeds none.

    The weight of a cell is that at its ends, half at each, with the couples that hold ends of a
    beam without turn.
    """
    model = motions.model
    d, cut = model.dimension, in_cells(model, motions.cells or 1)
    pull = np.array([model.value(x) for x in model.gravity])
    frames = dict(zip(motions.moving, motions.placed(), strict=True))
    near, far = dict[str, Floats](), dict[str, Floats]()
    for link in plan(cut).links:
        body, name = link.body, link.name
        near[name] = np.zeros(3 * (d - 1))
        if isinstance(body, Beam):
            length = model.value(body.length)
            weight = pull * model.value(body.density) * length
            back = 1 if model.value(body.point(link.output).position[0]) == 0 else -1
            about = moment(back * length / 12 * frames[name][:d, 0], weight)
            near[name] = np.concatenate([weight / 2, about])
            far[name] = np.concatenate([weight / 2, -about])
        else:
            near[name][:d] = pull * model.value(body.mass)
    for load in model.loads:
        near[load.body] += wrench(model, load, frames[load.body][:d, :d])
    along = np.zeros(motions.speeds if motions.along[0][-1] == "tau" else 0)
    ordered = [near[x] for x in motions.moving] + [far[x] for x in motions.cells_of]
    return np.concatenate([along, *ordered])


def wrench(model: Model, load: Load, R: Floats) -> Floats:
    """A load on a body whose axes are R, about its centre of mass, in inertial axes."""
    d, body = model.dimension, model.body(load.body)
    assert isinstance(body, Body)
    place = body.point(load.point).position if load.point else body.centre
    given = (load.force, d), (load.moment, 2 * d - 3), (place, d), (body.centre, d)
    force, couple, at, centre = (_values(model, *x) for x in given)
    if load.frame == "body":
        force, couple = R @ force, R @ couple if d == 3 else couple
    return np.concatenate([force, couple + moment(R @ (at - centre), force)])


def moment(arm: Floats, force: Floats) -> Floats:
    """That of a force at an arm, about the third axis or all three."""
    if len(arm) == 3:
        return np.cross(arm, force)
    return np.array([arm[0] * force[1] - arm[1] * force[0]])


def _values(model: Model, given: Vector, count: int) -> Floats:
    return np.array([model.value(x) for x in given] or [0.0] * count)
