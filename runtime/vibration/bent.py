"""Beams that loads bend at rest: how far, and whether they may be taken as straight."""

from __future__ import annotations

import numpy as np

from ...errors import UsageError
from ...model import Beam, Model
from ...symbolic.methods.linear.cells import in_cells
from ...symbolic.plans.plan import plan
from .coded.damped import GeneratedComplexStiffness
from .coded.resting import loads_at_rest
from .generated import GeneratedStiffness

#: Of small motions, without damping or with it.
Stiffness = GeneratedStiffness | GeneratedComplexStiffness

#: By so much, in rad, loads may turn sections of beams that are taken as straight. As measured, not
#: proven, ω² of single cantilevers is off by up to 2.5·10⁻³ then, of columns near buckling by
#: 9·10⁻³, of frames, whose beams turn each other, by 2.5·10⁻².
STRAIGHT = 0.05

#: What turns sections by less, in rad, is not told.
TOLD = 1e-6


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

    Units
        rad.
    """
    loads = loads_at_rest(stiffness)
    if efforts := stiffness.borne():
        loads[: stiffness.speeds] = [*efforts.values()]
    found = stiffness.still("respond", loads)
    u = np.concatenate([found[x[0]] for x in stiffness.named if x[0] in found])[np.newaxis]
    return float(np.linalg.norm(stiffness.moved(u)[0, :, :3], axis=1).max(initial=0.0))


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
