"""Where a model is and what acts in its hinges: joint coordinates, prescribed motions, laws."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from mstmm.model import GROUND, Hinge, Model
from mstmm.model.expressions.quantities import TIME, exact_expression, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

from .conditions import held
from .joints import Jet, _across, _axial, _inverse, _path, _point_frame, _steady, frames_along
from .tree import FLOAT, Array


@dataclass(frozen=True)
class State:
    """Where a model is and what acts on it; `wrenches` (bodies × 6) as of `joint_motion`."""

    model: Model
    q: Array
    v: Array
    t: float
    tau: Array
    wrenches: Array


def opened(model: Model) -> Model:
    """The tree that the cuts leave."""
    return replace(model, hinges=model.tree_hinges, cuts=())


def paths(model: Model, q: Array, v: Array, rates: Array, t: float, drive: Array) -> dict[str, Jet]:
    """The tree hinges' coordinates as functions of time, for several speeds v and rates.

    A driven hinge moves as prescribed in those motions where `drive` is 1, rests where it is 0.
    """
    found, place, speed = {}, 0, 0
    for hinge in model.tree_hinges:
        if hinge.motion:
            x, d, dd = (
                np.array([_value(model, law.diff(TIME, k), {TIME: t}) for law in _laws(hinge)])
                for k in range(3)
            )
            found[hinge.name] = Jet(x, np.outer(drive, d), np.outer(drive, dd))
            continue
        record = HINGE_KINDS[model.dimension][hinge.kind]
        coordinates, speeds = record.coordinates, record.speeds
        own = slice(speed, speed + speeds)
        found[hinge.name] = _path(q[place : place + coordinates], v[:, own], rates[:, own])
        place, speed = place + coordinates, speed + speeds
    return found


def places(model: Model, q: Array, t: float) -> Array:
    """Each body's transform to the inertial axes, (bodies, 4, 4)."""
    rest = np.zeros((1, len(model.speeds)))
    along = paths(model, q, rest, rest, t, np.zeros(1))
    return np.array([frame.x for frame in frames_along(opened(model), along, 1, FLOAT)])


def closing(model: Model, q: Array, t: float) -> tuple[Array, Array]:
    """How the cuts' conditions change: J of the speeds, and what the drives add."""
    seen = conditions(model, q, t)
    return seen.d[1:].T, seen.d[0]


def conditions(model: Model, q: Array, t: float) -> Jet:
    """The cuts' conditions as the drives move them, then at a unit of each speed."""
    speeds = len(model.speeds)
    v = np.vstack([np.zeros((1, speeds)), np.eye(speeds)])
    along = paths(model, q, v, 0 * v, t, np.eye(1, speeds + 1)[0])
    frames = frames_along(opened(model), along, speeds + 1, FLOAT)
    names = [body.name for body in model.bodies]
    still = np.zeros((speeds + 1, 0))
    found = [Jet(np.zeros(0), still, still)]
    for hinge in model.hinges:
        if hinge.name in model.cuts:
            ends = [
                _steady(_point_frame(model, end, FLOAT), speeds + 1)
                if end.body == GROUND
                else frames[names.index(end.body)]
                @ _steady(_point_frame(model, end, FLOAT), speeds + 1)
                for end in hinge.ends
            ]
            found.append(held(model, hinge, _inverse(ends[0]) @ ends[1]))
    return Jet(
        np.concatenate([x.x for x in found]),
        np.hstack([x.d for x in found]),
        np.hstack([x.dd for x in found]),
    )


def prescribed(state: State, hinge: Hinge, motions: int) -> Jet | None:
    """The frame that a driven hinge prescribes; it moves in the motion 0."""
    if not hinge.motion:
        return None
    rest = np.zeros((1, len(state.v)))
    along = paths(state.model, state.q, rest, rest, state.t, np.ones(1))[hinge.name]
    still = np.zeros((motions - 1, len(along.x)))
    path = Jet(along.x, np.vstack([along.d, still]), np.vstack([along.dd, still]))
    return _across(state.model, hinge, path, FLOAT)


def subspace(state: State, hinge: Hinge) -> Array:
    """Relative velocity, then spin, of the child's frame for each unit speed; parent's axes."""
    model = state.model
    if hinge.name in model.cuts:
        return np.zeros((6, 0))
    speeds = HINGE_KINDS[model.dimension][hinge.kind].speeds
    rest = np.zeros((1, len(state.v)))
    here = paths(model, state.q, rest, rest, state.t, np.zeros(1))[hinge.name].x
    unit = np.eye(speeds)
    path = Jet(here, unit, 0 * unit) if hinge.motion else _path(here, unit, 0 * unit)
    frame = _across(model, hinge, path, FLOAT)
    spin = _axial(frame.d[:, :3, :3] @ frame.x[:3, :3].T)
    return np.hstack([frame.d[:, :3, 3], spin]).T


def _laws(hinge: Hinge) -> list[sp.Expr]:
    return [exact_expression(law) for law in hinge.motion]


def _value(model: Model, law: sp.Expr, at: dict[sp.Symbol, float]) -> float:
    known = {parameter(name): sp.Float(x, 30) for name, x in model.parameters.items()}
    known |= {symbol: sp.Float(float(x), 30) for symbol, x in at.items()}
    return float(law.xreplace(known))
