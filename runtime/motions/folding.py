"""Cut hinges in space whose law reads an angle: their poses tell it within one turn alone."""

from __future__ import annotations

import numpy as np

from ...errors import NumericsError
from ..capabilities.poses import Poses
from ..closing.cut_targets import CutTargets
from ..evaluation.arrays import Floats
from .problem import Problem

#: How far ahead a place is looked at to see how fast an angle turns, in s.
AHEAD = 1e-6


def see_turns(problem: Problem, times: Floats, q: Floats, v: Floats) -> None:
    """See that no such angle passes half a turn, where it jumps by a whole one.

    From record to record an angle goes as far as its rates say, within half a turn.

    Shape
        `times` (records), `q` (records, nq), `v` (records, nv).
    Raises
        NumericsError: names the hinge and the time.
    """
    model = problem.code.model
    if not model.cuts or (model.dimension == 2 and not model.beams):
        return
    from ...symbolic.plans.turns import folded

    found = folded(model)
    if not found:
        return
    code, targets = problem.code, CutTargets(problem.code, problem.given, 0.0)
    rates = Poses.rates(code, q, v, parameters=problem.given or None)
    ahead = Poses.retracted(code, q + AHEAD * rates)
    there = [
        Poses.poses(code, place, t=t, parameters=problem.given or None)
        for place, t in ((q, times), (ahead, times + AHEAD))
    ]
    for name, angles in found.items():
        here, after = (targets.turned(name, pose) for pose in there)
        for angle in angles:
            now, then = (np.arctan2(R[:, *angle.sine], R[:, *angle.cosine]) for R in (here, after))
            speed = (np.angle(np.exp(1j * (then - now)))) / AHEAD
            gone = (speed[1:] + speed[:-1]) / 2 * np.diff(times)
            turns = np.flatnonzero(np.round((gone - np.diff(now)) / (2 * np.pi)))
            if len(turns):
                raise NumericsError(
                    f"{problem.name}: hinge {name} is cut, and a law reads its angle, which the "
                    "poses of its bodies tell from -pi to pi alone: it passes half a turn near "
                    f"t = {times[turns[0] + 1]:g} s; cut another hinge of its loop (cuts=…)"
                )
