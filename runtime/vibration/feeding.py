"""Laws of speeds that feed energy in where a model rests: no damper, which could be left out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ...model import GROUND, Body, End, Model
from ...model.expressions.evaluation import evaluated
from ...model.expressions.quantities import exact_expression, hinge_symbol, parameter
from ...model.parts.forces import LENGTH, RATE
from ...model.parts.placed import Reader
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator

#: The speed at which laws are asked, in SI units, and what is rounding of their slopes.
SPEED, ROUNDING = Fraction(1, 10**6), 1e-9


def feeding(code: Evaluator, model: Model, q: Floats, t: float) -> Iterator[str]:
    """What of a model feeds energy in as it begins to move: laws of hinges, and of forces.

    A law does where the power of what its force changes with the speed is positive for any small
    speed. Dampers never do, as their coefficients are not negative. `model` has the parameters'
    values, and `code` tells poses.

    Shape
        `q` (nq).
    Source
        own
    """
    fixed = {parameter(name): Fraction(value) for name, value in model.parameters.items()}
    places = dict(zip(model.coordinates, q.tolist(), strict=False))
    fixed |= {parameter(name): Fraction(value) for name, value in places.items()}
    for hinge in model.tree_hinges:
        names, count = model.hinge_coordinates(hinge), len(model.hinge_speeds(hinge))
        own = {hinge_symbol("q", k): Fraction(places[x]) for k, x in enumerate(names, start=1)}
        speeds = [hinge_symbol("u", k) for k in range(1, count + 1)]
        laws = [exact_expression(law) for law in hinge.force]
        if any(law.free_symbols & {*speeds} for law in laws):
            rises = _slopes(laws, speeds, {**fixed, **own})
            if np.linalg.eigvalsh(rises + rises.T).max() > ROUNDING * np.abs(rises).max():
                yield f"the law of hinge {hinge.name}"
    for force in model.forces:
        law = exact_expression(force.law)
        if RATE in law.free_symbols:
            told = {x: model.parameters[x] for x in code.parameters}
            poses = Poses.poses(code, q, t=t, parameters=told)
            first, second = (_position(model, end, poses) for end in force.ends)
            length = Fraction(float(np.linalg.norm(second - first)))
            damping = _slopes([law], [RATE], {**fixed, LENGTH: length})[0, 0]
            if damping + model.value(force.damping) < 0:
                yield f"force {force.name}"


def _slopes(laws: list[Any], speeds: list[Any], at: dict[Any, Fraction]) -> Floats:
    """How the laws change with each speed about rest; 0 where they have no value."""
    still = {**at, **dict.fromkeys(speeds, Fraction(0))}
    found = np.zeros((len(laws), len(speeds)))
    for i, law in enumerate(laws):
        for j, speed in enumerate(speeds):
            after, before = (evaluated(law, {**still, speed: s * SPEED}) for s in (1, -1))
            if after is not None and before is not None:
                found[i, j] = (after - before) / (2 * SPEED)
    return found


def _position(model: Model, end: End, poses: Floats) -> Floats:
    """Where a point is, in inertial axes."""
    d = model.dimension
    body = None if end.point else model.body(end.body)
    if isinstance(body, Body):
        local = np.array([model.value(x) for x in body.centre])
    else:
        local = Reader(model, float).frame(end)[1][:d]
    if end.body == GROUND:
        return local
    pose = poses[[body.name for body in model.bodies].index(end.body)]
    found: Floats = pose[:d, :d] @ local + pose[:d, 3]
    return found
