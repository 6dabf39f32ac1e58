"""How far the hinges of a loop can move its conditions, whatever the position: for ranks.

Where a position makes the conditions' matrix Λ zero but for rounding, its own diagonal says
nothing. A slide moves a point as far as itself, a turn by a lever and axes by itself: from that and
from what the hinges resist follows what the diagonal would be if no position made it zero, against
which rank is decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import dist, log2

import sympy as sp

from ...model import Beam, End, Hinge, Model
from ..language.program import Ref
from ..mechanics.hinges import joint
from .conditions import Conditions

#: A lever below this part of the model's length is none.
SHORTEST = 1e-6


@dataclass(frozen=True)
class Reach:
    """Of a link's hinge, or of its modes where it `bends`: squares, conditions by speeds."""

    link: str
    squares: sp.Matrix
    bends: bool = False


def reaches(conditions: Conditions) -> Iterator[tuple[Reach, ...]]:
    """What moves the conditions of each cut, then of each coupling, by the plan's links."""
    for hinge, (a, b) in zip(conditions.cuts, conditions.ways, strict=False):
        found = [x for end in hinge.ends for x in _side(conditions, hinge, end, a ^ b)]
        yield tuple({(x.link, x.bends): x for x in found}.values())
    cuts, links = len(conditions.cuts), conditions.plan.links
    for i in range(len(conditions.couplings)):
        own = ((link.name, conditions.coefficients(link).get(cuts + i)) for link in links)
        squares = ((name, 1 if isinstance(c, Ref) else c**2) for name, c in own if c is not None)
        yield tuple(Reach(name, sp.Matrix([[square]])) for name, square in squares)


def _side(
    conditions: Conditions, hinge: Hinge, end: End, between: frozenset[str]
) -> Iterator[Reach]:
    """From one end of a cut inwards, as far as its loop goes.

    A lever is as long as the bodies since the last hinge that leaves no moment.
    """
    form, model = conditions.forms[hinge.name], conditions.plan.model
    places, pairs = form.held
    shifts = [True] * len(places) + [False] * len(pairs)
    shifts += [True] * (form.count - len(shifts))
    lever = 0.0
    for name in conditions.plan.way(end.body):
        lever += _length(model, name)
        long = lever if lever > SHORTEST * model.longest else model.longest
        square = sp.Integer(4) ** round(log2(long))
        beam = conditions.beams.beams.get(name)
        if beam and beam.modes:
            bent = [[1 if shift else 1 / square] * beam.modes for shift in shifts]
            yield Reach(name, sp.Matrix(bent), bends=True)
        if name not in between:
            return
        mobility = conditions.mobility[name]
        if mobility.freedom:
            turns = _turns(conditions.dimension, mobility.kind)
            rows = {True: [square if turn else 1 for turn in turns], False: [*map(int, turns)]}
            yield Reach(name, sp.Matrix([rows[shift] for shift in shifts]))
            lever = 0.0 if sum(turns) == conditions.space.spins else lever


@cache
def _turns(dimension: int, kind: str) -> tuple[bool, ...]:
    """Which speeds of a kind of hinge turn its child."""
    spins = joint(dimension, kind).subspace[dimension:, :]
    return tuple(not spins[:, k].is_zero_matrix for k in range(spins.cols))


def _length(model: Model, body: str) -> float:
    """How far a body's points and centre of mass are apart at most, in m."""
    whole = model.body(body)
    if isinstance(whole, Beam):
        return model.value(whole.length)
    places = [whole.centre, *(point.position for point in whole.points)]
    numbers = [tuple(map(model.value, place)) for place in places]
    return max(dist(a, b) for a, b in product(numbers, numbers))
