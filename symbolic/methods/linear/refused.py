"""What the linear method does not take, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Body, Hinge, Model
from ....model.expressions.differentiated import jacobian
from ....model.expressions.quantities import Quantity, exact_expression, hinge_symbol
from ....model.parts.forces import Load
from ....model.parts.hinges import OWN
from ...mechanics.hinges import joint, tidy
from ...plans.plan import Plan, following, plan
from .cell_links import acts
from .cells import in_cells
from .feeding import gauged, heard, unequal
from .resting import Resting, without_drag


def see_carried(plan: Plan) -> None:
    """See that what beams carry at rest follows from a balance of forces.

    Raises
        UsageError: it does not.
    """
    model = plan.model
    if model.beams and acts(model):
        beam = model.beams[0].name
        for hinge in model.hinges:
            if hinge.mimic and not plan.cuts and hinge.name not in model.followers:
                raise UsageError(
                    f"{model.name}: hinge {hinge.name} {following(hinge.mimic)} beside beams "
                    f"({beam}) under gravity or loads at rest; set gravity to zero"
                )
        for force in model.forces:
            if plan.cuts and len(force.ends) == 2:
                raise UsageError(
                    f"{model.name}: force {force.name} acts between points beside loops of beams "
                    f"({beam}) under gravity or loads at rest, which stretch it; set gravity to "
                    "zero, or hold the points by an elastic hinge"
                )
    for body, beam in _passing(model):
        raise UsageError(
            f"{model.name}: body {body} is held at several places beside beam {beam}, whose "
            "tension it would pass on: modes take tensions that no rigid body turns; hinge it at "
            "one place, or leave the tension out"
        )


def _passing(model: Model) -> Iterator[tuple[str, str]]:
    """Rigid bodies that are held at places apart, at one of them by a beam with a tension."""
    pulled = {beam.name for beam in model.beams if beam.tension != 0}
    held: dict[str, list[tuple[Sequence[Quantity], str]]] = {}
    for hinge in model.hinges if pulled else ():
        for end, other in (hinge.ends, hinge.ends[::-1]):
            body = None if end.body == GROUND else model.body(end.body)
            if isinstance(body, Body):
                at = body.point(end.point).position
                held.setdefault(body.name, []).append((at, other.body))
    for name, places in held.items():
        beam = next((other for _, other in places if other in pulled), "")
        if beam and any(at != places[0][0] for at, _ in places):
            yield name, beam


def see_resting(tree: Resting) -> None:
    """See that a model is one that these sweeps take, on which all that acts at rest has an energy.

    Raises
        UsageError: names what is not.
    """
    if found := next(chain(_not_taken(tree), _no_energy(tree)), None):
        local = next(chain(_not_taken(tree), _elsewhere(tree, uneven=True)), None) is None
        instead = "solver.damped (mstmm modes --damped)" if local else "solver.linearize(q, v)"
        raise UsageError(
            f"{tree.model.name} has no modes that an energy counts: {found}; {instead} takes it"
        )


def has_energy(model: Model) -> bool:
    """Has all that acts on a model at rest an energy, but for what takes energy out of it?"""
    tree = Resting(plan(in_cells(without_drag(model), 1)), forced=False)
    return next(chain(_not_taken(tree), _no_energy(tree)), None) is None


def see_local(tree: Resting) -> None:
    """See that a model is one that these sweeps take, on which all acts by the state where it acts.

    Raises
        UsageError: names what is not.
    """
    if found := next(chain(_not_taken(tree), _elsewhere(tree, uneven=True)), None):
        raise UsageError(
            f"{tree.model.name} has no small motions that a sweep along it takes: "
            f"{found.replace('has none, as', 'is not local, as')}; solver.linearize(q, v) takes it"
        )


def _not_taken(tree: Resting) -> Iterator[str]:
    """What of a model's structure is beyond these sweeps."""
    model = tree.model
    if model.base is not None:
        yield "the ground moves (base)"
    for hinge in model.hinges:
        if hinge.motion:
            yield f"hinge {hinge.name} is driven"
        if hinge.mimic and hinge.mimic.law is not None:
            yield f"hinge {hinge.name} {following(hinge.mimic)}"


def _no_energy(tree: Resting) -> Iterator[str]:
    """What of a model has none at rest."""
    yield from _elsewhere(tree, uneven=False)
    for each in unequal(tree):
        feels, name = tree.plan.link(each.felt[0]).hinge, each.name.rpartition(" ")[2]
        yield f"the law of hinge {feels} has none, as it reads {name}, which does not feel it alike"
    for load in tree.model.loads:
        yield from _of_load(tree.model, load)
    for hinge in _moving(tree):
        of = joint(tree.dimension, hinge.kind)
        own = [exact_expression(law) for law in hinge.force]
        still = {hinge_symbol("u", k): sp.Integer(0) for k in range(1, len(of.u) + 1)}
        q = [hinge_symbol("q", k) for k in range(1, len(of.q) + 1)]
        at_rest = sp.Matrix([x.xreplace(still) for x in own])
        if of.turning and any(at_rest):
            yield (
                f"the law of hinge {hinge.name} has none, as it turns in any way; write it as a "
                "stiffness or a potential"
            )
        slopes = jacobian(at_rest, q)
        if not of.turning and own and any(tidy(slopes - slopes.T)):
            yield f"the law of hinge {hinge.name} has none, as its slopes are not symmetric"


def _elsewhere(tree: Resting, *, uneven: bool) -> Iterator[str]:
    """What does not follow from the state where it acts, or of `uneven` ones from displacements."""
    model = tree.model
    if tree.timed:
        yield "what depends on the time has none"
    for load in model.loads:
        if model.read([*load.force, *load.moment]):
            yield f"load {load.name} has none, as it follows the state"
    for force in model.forces:
        if model.read([force.law]):
            yield f"force {force.name} has none, as it follows the state"
        if force.medium:
            yield f"force {force.name} has none, as its medium moves"
    known = {*heard(tree)}
    known = known | {*gauged(tree)} if uneven else known & {*model.coordinates}
    for hinge in _moving(tree):
        read = {name for name in model.read(hinge.force) if not OWN.fullmatch(name)}
        if hinge.name not in model.cuts:
            read -= known
        if read:
            yield f"the law of hinge {hinge.name} has none, as it reads {min(read)}"


def _moving(tree: Resting) -> Iterator[Hinge]:
    """The hinges in which laws may act, those that are cut last."""
    yield from (tree.hinge(link) for link in filter(tree.freedom, tree.links))
    yield from tree.plan.cuts


def _of_load(model: Model, load: Load) -> Iterator[str]:
    force, moment = (any(exact_expression(x) != 0 for x in y) for y in (load.force, load.moment))
    if load.frame == "body" and force:
        yield f"load {load.name} has none, as it turns with its body; say it in inertial axes"
    if model.dimension == 3 and moment:
        yield f"load {load.name} has none, as no moment in space has"
