"""Laws of hinges that read others' coordinates and speeds: what each makes of small motions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import sympy as sp

from ....model.expressions.domains import slope
from ....model.parts.hinges import OWN
from ...language.program import Call, Ref
from ...mechanics import laws
from ...mechanics.hinges import joint, sizes
from ...tree.acting import symbols
from . import tie_kernels as ties
from .fed import Fed

if TYPE_CHECKING:
    from .resting import Resting


def heard(tree: Resting) -> dict[str, tuple[str, int]]:
    """By the names of coordinates and speeds the links and freedoms whose displacements they tell.

    None of hinges whose coordinates are not those that speeds are rates of.
    """
    found: dict[str, tuple[str, int]] = {}
    for link in tree.links:
        hinge = tree.hinge(link)
        of = joint(tree.dimension, hinge.kind)
        if tree.freedom(link) and link.hinge not in tree.leaders and [*of.rates] == [*of.u]:
            names = tree.model.hinge_coordinates(hinge), tree.model.hinge_speeds(hinge)
            pairs = ((x, k) for each in names for k, x in enumerate(each))
            found |= {x: (link.name, k) for x, k in pairs if not OWN.fullmatch(x)}
    return found


def feeding(tree: Resting) -> Iterator[Fed]:
    """What laws of the tree's hinges read elsewhere, reading by reading."""
    known = heard(tree)
    coordinates = {x: name for name, x in known.items() if name in tree.model.coordinates}
    speeds = {x: name for name, x in known.items() if name in tree.model.speeds}
    for link in tree.links if tree.model.controlled else ():
        if not tree.freedom(link):
            continue
        still = dict.fromkeys(joint(tree.dimension, tree.hinge(link).kind).u, sp.Integer(0))
        for i, law in enumerate(tree.laws[link.hinge]):
            for place, name in coordinates.items():
                steep, viscous = (
                    -slope(law, laws.inside(x)).xreplace(still) for x in (name, speeds[place])
                )
                if steep != 0 or viscous != 0:
                    yield Fed(f"{link.name} {i} {name}", (link.name, i), place, steep, viscous)


def fed_at_rest(tree: Resting) -> Iterator[Call]:
    """k + s c of each."""
    for each in tree.fed:
        link = tree.plan.link(each.felt[0])
        hinge, own = tree.hinge(link), tree.leading(link)
        of, model = joint(tree.dimension, hinge.kind), tree.model
        kernel = ties.fed.of(
            dimension=tree.dimension,
            label=each.name.replace(" ", "_"),
            stiffness=each.stiffness,
            viscous=each.viscous,
        )
        known: dict[str, Ref | sp.Matrix] = {**symbols(model), **tree.between.readings}
        known |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
        names = zip(of.q, model.hinge_coordinates(own), strict=True)
        known |= {x.name: Ref("q", name) for x, name in names} | {"s": Ref("s", "")}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, each.name, reads, {"cf": Ref("cf", each.name)})
