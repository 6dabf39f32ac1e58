"""The turn of a cut hinge in the plane, over any number of turns: the sum of those on its loop.

Of a hinge between a point P of its parent and a point C of its child, at angles α in their bodies,
which stand at φ,

    φ_C + α_C = φ_P + α_P + θ.

In the plane angles add up, so that the θ of a cut hinge follows from the coordinates of the hinges
on both ways to where these meet. Its bodies' poses would tell it within one turn alone. Since the α
say nothing of whole turns, these are counted from the model's start: there θ is nearest to what the
start asks of the hinge, or to zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ...model import GROUND, Beam, End, Hinge, Model
from ...model.expressions.quantities import TIME, exact_expression
from ..mechanics.hinges import joint
from ..mechanics.laws import force, settled
from .plan import Plan, plan


@dataclass(frozen=True)
class Turns:
    """θ = Σ `plus` − Σ `minus` + `offset` + `driven`.

    `plus` and `minus` are coordinates by name; `offset` is of the points' axes and of whole turns,
    `driven` of the hinges whose motion is prescribed.
    """

    plus: tuple[str, ...]
    minus: tuple[str, ...]
    offset: sp.Expr
    driven: sp.Expr


def turns_of(plan: Plan, hinge: Hinge) -> Turns | None:
    """The turn of a cut hinge; none in space, in absolute coordinates or where a beam bends."""
    model = plan.model
    first, second = (plan.way(end.body) for end in hinge.ends)
    alone = [(body, -1) for body in first if body not in second]
    alone += [(body, 1) for body in second if body not in first]
    base = next((body for body in first if body in second), GROUND)
    bodies = {base, *(body for body, _ in alone), *(end.body for end in hinge.ends)} - {GROUND}
    if model.dimension == 3 or model.absolute:
        return None
    if any(isinstance(model.body(body), Beam) for body in bodies):
        return None
    hinges = {each.name: each for each in model.hinges}
    named: dict[int, list[str]] = {1: [], -1: []}
    offset, driven, known = _between(model, hinge), sp.Integer(0), 0.0
    for body, side in alone:
        link = plan.link(body)
        there = hinges[link.hinge]
        sign = side if there.ends[1] == End(body, link.output) else -side
        offset -= sign * _between(model, there)
        turn = _coordinate(there)
        if turn is not None and there.motion:
            driven += sign * settled(there.motion[turn])
            known += sign * model.value(exact_expression(there.motion[turn]).subs(TIME, 0))
        elif turn is not None:
            name = model.hinge_coordinates(there)[turn]
            named[sign].append(name)
            known += sign * float(model.q0[model.coordinates.index(name)])
    whole = round((_asked(model, hinge) - known - model.value(offset)) / (2 * math.pi))
    offset = sp.expand(offset + 2 * sp.pi * whole)
    return Turns(tuple(named[1]), tuple(named[-1]), offset, driven)


def _asked(model: Model, hinge: Hinge) -> float:
    """The turn that the model's start asks of a cut hinge; zero if none."""
    turn = _coordinate(hinge)
    said = (x.values for x in model.asked if x.owner == hinge.name and not x.speeds)
    return next((float(x[turn]) for x in said if x and turn is not None), 0.0)


@dataclass(frozen=True)
class Folded:
    """An angle that poses tell within one turn: its place among a hinge's coordinates, and where in
    the hinge's rotation its sine and cosine stand."""

    coordinate: int
    sine: tuple[int, int]
    cosine: tuple[int, int]


def folded(model: Model) -> dict[str, tuple[Folded, ...]]:
    """By cut hinge the angles whose whole turns its law would tell apart, but no sum counts.

    Source
        own
    """
    if not any(hinge.name in model.cuts and _acts(hinge) for hinge in model.hinges):
        return {}
    planned = plan(model)
    cut = (hinge for hinge in planned.cuts if _acts(hinge) and turns_of(planned, hinge) is None)
    found = {hinge.name: tuple(_folded(model.dimension, hinge)) for hinge in cut}
    return {name: angles for name, angles in found.items() if angles}


def _acts(hinge: Hinge) -> bool:
    return bool(hinge.force or hinge.potential != 0 or hinge.stiffness)


def _folded(dimension: int, hinge: Hinge) -> Iterator[Folded]:
    of, law = joint(dimension, hinge.kind), force(dimension, hinge)
    entries = {x: divmod(k, dimension) for k, x in reversed(list(enumerate(of.rotation)))}
    shifts = {q for q in of.q for x in of.position if q in x.free_symbols}
    for k, q in enumerate(of.q):
        waves = sp.sin(q), sp.cos(q)
        if q in shifts or not all(wave in entries for wave in waves):
            continue
        if any(x.subs(q, q + 2 * sp.pi) != x for x in law):
            yield Folded(k, *(entries[wave] for wave in waves))


def _between(model: Model, hinge: Hinge) -> sp.Expr:
    """α_C − α_P: by how much the child's point is turned in its body more than the parent's."""
    parent, child = (_angle(model, end) for end in hinge.ends)
    return child - parent


def _angle(model: Model, end: End) -> sp.Expr:
    """The angle of a point's axes in its body's."""
    if end.body == GROUND:
        axes = model.ground_point(end.point).axes
    else:
        axes = next(p for p in model.body(end.body).points if p.name == end.point).axes
    return sp.Integer(0) if axes is None else exact_expression(axes)


def _coordinate(hinge: Hinge) -> int | None:
    """Which of a hinge's coordinates is its turn; none where it does not turn."""
    of = joint(2, hinge.kind)
    turned = of.rotation[1, 0]
    return None if turned == 0 else list(of.q).index(turned.args[0])
