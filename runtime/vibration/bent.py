"""Beams that loads bend at rest: how far, and whether they may be taken as straight."""

from __future__ import annotations

import numpy as np

from ...errors import UsageError
from ...model import Beam, Body, Model
from ...model.expressions.quantities import Vector
from ...model.parts.forces import Load
from ...symbolic.methods.linear.cells import in_cells
from ...symbolic.plans.plan import plan
from ..evaluation.arrays import Floats
from .coded.damped import GeneratedComplexStiffness
from .generated import GeneratedStiffness

#: Of small motions, without damping or with it.
Stiffness = GeneratedStiffness | GeneratedComplexStiffness

#: By so much, in rad, loads may turn sections of beams that are taken as straight. As measured, not
#: proven, ω² of single cantilevers is off by up to 2.5·10⁻³ then, of columns near buckling by
#: 9·10⁻³, of frames, whose beams turn each other, by 2.5·10⁻².
STRAIGHT = 0.05

#: What turns sections by less, in rad, is not told.
TOLD = 1e-6

#: So far below 0, as a part of what the cells are good for, displacements at rest are asked for:
#: what nothing holds would be anywhere at 0 itself.
BESIDE = 1e-9


def see_straight(stiffness: Stiffness) -> str:
    """What is to be said of beams that loads at rest bend: nothing if they do not.

    Modes are those of straight beams. To the first order in the loads that is right of beams that
    are in one line, in their plane, and across it of those whose moments at rest are small against
    their stiffness; turns of the second order and of beams in an angle are what is left out.

    Raises
        UsageError: they are too far from straight.
    """
    if not stiffness.laden():
        return ""
    model = stiffness.model
    turn = max(_turned(stiffness), _twisted(stiffness) if model.dimension == 3 else 0.0)
    if turn < TOLD:
        return ""
    if not turn <= STRAIGHT:
        raise UsageError(
            f"{model.name}: loads at rest turn sections of beams by up to {turn:.2g} rad, and "
            f"modes take beams that are straight to {STRAIGHT} rad: set gravity to zero for the "
            "frequencies of the straight ones" + _or_shapes(model)
        )
    return f"beams are taken as straight: loads at rest turn their sections by up to {turn:.2g} rad"


def _or_shapes(model: Model) -> str:
    modal = not any(beam.linear_alone for beam in model.beams)
    return "; solver.linearize(q, v) of riccati takes bent ones, by shape functions" * modal


def _turned(stiffness: Stiffness) -> float:
    """How far loads at rest turn what bears them, by the stiffness of small motions itself.

    The weight of cells acts at their ends, half at each.

    Units
        rad.
    """
    model, d = stiffness.model, stiffness.model.dimension
    pull = np.array([model.value(x) for x in model.gravity])
    frames = dict(zip(stiffness.moving, stiffness.placed(), strict=True))
    cut = in_cells(model, stiffness.cells or 1)
    near, far = dict[str, Floats](), dict[str, Floats]()
    for body in cut.bodies:
        own = np.zeros(3 * (d - 1))
        if isinstance(body, Beam):
            own[:d] = pull * (model.value(body.density) * model.value(body.length) / 2)
            far[body.name] = own
        else:
            own[:d] = pull * model.value(body.mass)
        near[body.name] = own
    for load in model.loads:
        near[load.body] += _wrench(model, load, frames[load.body][:d, :d])
    ordered = [near[x] for x in stiffness.moving] + [far[x] for x in stiffness.cells_of]
    whole = np.concatenate([stiffness.laden().get("er", np.zeros(0)), *ordered])
    square, force = BESIDE * stiffness.highest, whole[np.newaxis]
    if isinstance(stiffness, GeneratedStiffness):
        u = stiffness.responses(np.array([-square]), force)[0]
    else:
        s = np.array([np.sqrt(square)], dtype=complex)
        u = stiffness.responses(s, force.astype(complex)).real
    return float(np.linalg.norm(stiffness.moved(u)[0, :, :3], axis=1).max(initial=0.0))


def _wrench(model: Model, load: Load, R: Floats) -> Floats:
    """A load on a body whose axes are R, about its centre of mass, in inertial axes."""
    d, body = model.dimension, model.body(load.body)
    assert isinstance(body, Body)
    place = body.point(load.point).position if load.point else body.centre
    given = (load.force, d), (load.moment, 2 * d - 3), (place, d), (body.centre, d)
    force, moment, at, centre = (_values(model, *x) for x in given)
    arm = R @ (at - centre)
    if load.frame == "body":
        force, moment = R @ force, R @ moment if d == 3 else moment
    about = np.cross(arm, force) if d == 3 else [arm[0] * force[1] - arm[1] * force[0]]
    found: Floats = np.concatenate([force, moment + about])
    return found


def _values(model: Model, given: Vector, count: int) -> Floats:
    return np.array([model.value(x) for x in given] or [0.0] * count)


def _twisted(stiffness: Stiffness) -> float:
    """∫ |m|/k of moments at rest on the way to any tip, k the least stiffness of all against them.

    Moments of bending twist a beam that bends across them, and those of torsion bend one.

    Units
        rad.
    """
    model, found = stiffness.model, stiffness.laden()
    cut, d = in_cells(model, stiffness.cells or 1), model.dimension
    at = {name: k for k, name in enumerate(stiffness.cells_of)}
    total, most = dict[str | None, float]({None: 0.0}), 0.0
    for link in reversed(plan(cut).links):
        own = 0.0
        if link.name in at:
            k, n, beam = at[link.name], 3 * (d - 1), link.body
            assert isinstance(beam, Beam)
            assert isinstance(beam.bending_stiffness, tuple)
            length = model.value(beam.length)
            near, far = (found[x].reshape(-1, n)[k] for x in ("wO", "wI"))
            # Between its ends a moment may be larger by what the weight between them makes.
            moment = max(np.linalg.norm(x[d:]) for x in (near, far))
            moment += np.linalg.norm((near - far)[1:d]) * length / 8
            least = min(map(model.value, (*beam.bending_stiffness, beam.torsional_stiffness)))
            own = float(moment) * length / least
        total[link.name] = total[link.parent] + own
        most = max(most, total[link.name])
    return most
