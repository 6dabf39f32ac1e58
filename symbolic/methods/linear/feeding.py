"""Laws of hinges that read others' states, and sensors: what each makes of small motions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from ....model import GROUND, End, Sensor
from ....model.expressions.domains import slope
from ....model.parts.hinges import OWN
from ...language.program import Call, Ref
from ...mechanics import laws
from ...mechanics.constants import column
from ...mechanics.hinges import joint, sizes, tidy
from ...plans.plan import Link
from ...tree.acting import symbols
from . import tie_kernels as ties
from .fed import Fed, Freedom

if TYPE_CHECKING:
    from .resting import Resting


def heard(tree: Resting) -> dict[str, Freedom]:
    """By the names of coordinates and speeds the links and freedoms whose displacements they tell.

    None of hinges whose coordinates are not those that speeds are rates of.
    """
    found: dict[str, Freedom] = {}
    for link in tree.links:
        hinge = tree.hinge(link)
        of = joint(tree.dimension, hinge.kind)
        if tree.freedom(link) and link.hinge not in tree.leaders and [*of.rates] == [*of.u]:
            names = tree.model.hinge_coordinates(hinge), tree.model.hinge_speeds(hinge)
            pairs = ((x, k) for each in names for k, x in enumerate(each))
            found |= {x: (link.name, k) for x, k in pairs if not OWN.fullmatch(x)}
    return found


def gauged(tree: Resting) -> dict[str, Sensor]:
    """By what laws read the sensors whose ends are at rigid bodies and the ground."""
    beams = {link.name for link in tree.links if tree.is_cell(link)}
    sensors = [x for x in tree.model.sensors if not any(end.body in beams for end in x.ends)]
    return {name: x for x in sensors for name in (x.name, x.rate)}


def feeding(tree: Resting) -> Iterator[Fed]:
    """What laws of the tree's hinges read elsewhere, reading by reading."""
    known, sensors = heard(tree), gauged(tree)
    still = dict.fromkeys([laws.inside(x) for x in tree.model.speeds], sp.Integer(0))
    still |= dict.fromkeys([laws.inside(x.rate) for x in sensors.values()], sp.Integer(0))
    told: dict[Freedom | Sensor, list[str]] = {}
    places: dict[str, Freedom | Sensor] = {**known, **sensors}
    for name, place in places.items():
        told.setdefault(place, []).append(name)
    for link in tree.links if tree.model.controlled else ():
        if not tree.freedom(link):
            continue
        own = dict.fromkeys(joint(tree.dimension, tree.hinge(link).kind).u, sp.Integer(0))
        for i, law in enumerate(tree.laws[link.hinge]):
            for place, names in told.items():
                steep, viscous = (-slope(law, laws.inside(x)).xreplace(own | still) for x in names)
                if steep != 0 or viscous != 0:
                    yield Fed(f"{link.name} {i} {names[0]}", (link.name, i), place, steep, viscous)


def mutual(tree: Resting) -> Iterator[Fed]:
    """Those of which each hinge feels the other's displacement, once for both."""
    found: dict[tuple[Any, Any], Fed] = {(x.felt, x.told): x for x in feeding(tree)}
    for felt, told in [*found]:
        each = found.pop((felt, told), None)
        if each is not None and (felt == told or found.pop((told, felt), None)):
            yield replace(each, mutual=felt != told)


def unequal(tree: Resting) -> Iterator[Fed]:
    """Those that are felt in another way than the other hinge feels this one."""
    found: dict[tuple[Any, Any], Fed] = {(x.felt, x.told): x for x in feeding(tree)}
    for (felt, told), each in found.items():
        back = found.get((told, felt))
        if back is None or any(tidy(sp.Matrix([_named(tree, each) - _named(tree, back)]))):
            yield each


def _named(tree: Resting, each: Fed) -> sp.Expr:
    """The slope k with the hinge's own coordinates by the names that others call them."""
    own = tree.leading(tree.plan.link(each.felt[0]))
    names = tree.model.hinge_coordinates(own)
    called = zip(joint(tree.dimension, own.kind).q, names, strict=True)
    return each.stiffness.xreplace({x: laws.inside(name) for x, name in called})


def fed_at_rest(tree: Resting) -> Iterator[Call]:
    """k + s c of each, and how far the ends of sensors move along what these tell."""
    for each in tree.fed:
        link = tree.plan.link(each.felt[0])
        kernel = ties.fed.of(
            dimension=tree.dimension,
            label=each.name.replace(" ", "_"),
            stiffness=each.stiffness,
            viscous=each.viscous,
            mutual=each.mutual,
        )
        known = _read(tree, link)
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, each.name, reads, {"cf": Ref(each.tie.force, each.name)})
        if isinstance(each.told, Sensor):
            yield from _opened(tree, each, each.told)


def _read(tree: Resting, link: Link) -> dict[str, Ref | sp.Matrix]:
    """What the law of a hinge reads, by what kernels call it."""
    hinge, own = tree.hinge(link), tree.leading(link)
    of, model = joint(tree.dimension, hinge.kind), tree.model
    known: dict[str, Ref | sp.Matrix] = {**symbols(model), **tree.between.readings}
    known |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
    names = zip(of.q, model.hinge_coordinates(own), strict=True)
    return known | {x.name: Ref("q", name) for x, name in names} | {"s": Ref("s", "")}


def _opened(tree: Resting, each: Fed, sensor: Sensor) -> Iterator[Call]:
    ends, d = dict(zip("ab", each.tie.ends, strict=True)), tree.dimension
    along: Ref | sp.Matrix = column(sensor.along) if sensor.along else Ref("Vs", each.name)
    if not sensor.along:
        known = {x: y for side, end in ends.items() for x, y in _end(tree, end, side).items()}
        kernel = ties.gauge.of(dimension=d)
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, each.name, reads, {"Vs": along})
    for side, end in ends.items():
        if end.body != GROUND:
            here = _end(tree, end, "")
            kernel = ties.opening.of(dimension=d, second=side == "b", gauge=True)
            reads = {"A": here["A"], "r": here["r"], "Va": along}
            yield Call(kernel, each.name, reads, {"Jl": Ref(each.tie.columns(side), each.name)})


def _end(tree: Resting, end: End, side: str) -> dict[str, Ref | sp.Matrix]:
    """The axes and the origin of the link at an end of a sensor, and the end from there."""
    ground, d = end.body == GROUND, tree.dimension
    arm = tree.between.arm(end) if not ground or end.point else sp.zeros(d, 1)
    return {
        f"A{side}": sp.eye(d) if ground else Ref("A", end.body),
        f"x{side}": sp.zeros(d, 1) if ground else Ref("x", end.body),
        f"r{side}": arm,
    }
