"""The step that gives the states of all ends of all elements, in either kind of coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING

import sympy as sp

from ...model import GROUND, End
from ..language.program import Array, Call, Kernel, Map, Port, Ref, Step, Storage
from ..language.slices import Wanted
from ..language.walk import Action, Binding, Place
from ..mechanics.constants import column
from ..plans.ends import landing, states
from ..plans.plan import Link, Plan
from . import end_kernels as kernels
from .acting import Reads
from .steps import joined
from .walking import Rule, Tree

if TYPE_CHECKING:
    from .absolute import Absolute
    from .joint import Joint

TITLE = "accelerations and loads at every end of every element"
END_STATES = Wanted("end_states", TITLE, ("a", "za", "zb"))


def end_sets(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {"states": states(plan)}


def end_arrays() -> Iterable[Array]:
    """z_a = (m, q) and z_b = (r̈, Ω̇) of all ends."""
    for name in ("za", "zb"):
        yield Array(name, "states", Port(name, 6), Storage.RESULT, name)


def joint_ends(tree: Joint) -> Step:
    """The states of all ends in joint coordinates."""
    ways = tree.plan.outputs
    loaded = {(end.body, end.point) for way in ways.values() for end in way}
    d = tree.dimension
    point, through = kernels.link_point.of(dimension=d), kernels.through_hinge.of(dimension=d)

    def ends(link: Link) -> Iterator[Action | Call]:
        for k, seat in enumerate(_seats(tree, link)):
            yield tree.bound(point, link, seat, {"zb": Place("zb", f"point {k}")})
        taken = {"load": Place("za", "tip"), "far": Place("za", "root")}
        yield tree.bound(through, link, tree.demanded(link), taken)
        if link.parent is None:
            moved, ground = _ground(tree, ways[link.hinge][1])
            yield tree.bound(moved, link, ground, {"zb": Place("zb", "root")})
        yield from _unloaded(tree, link, loaded)

    return Map("end_states", TITLE, joined(tree.inward(ends), _cut_ends(tree, ways)))


def _cut_ends(tree: Joint, ways: Mapping[str, tuple[End, End]]) -> Iterator[Call]:
    no_load = kernels.no_load.of(dimension=tree.dimension)
    yield from tree.loops.end_loads()
    for hinge in tree.plan.cuts:
        tip, root = ways[hinge.name]
        if root.body == GROUND:
            kernel, known = _ground(tree, root)
            yield Call(kernel, hinge.name, known, {"zb": Ref("zb", f"hinge {hinge.name}:O")})
        if hinge not in tree.loops.borne:
            for place in (str(tip), landing(hinge.name, root)):
                yield Call(no_load, hinge.name, {}, {"za": Ref("za", place)})


def absolute_ends(tree: Absolute) -> Rule:
    """The states of all ends of a link in absolute coordinates.

    Its points are numbered as the body has them; `tip` and `root` are the ends that its hinge
    takes over from and leads to.
    """
    d = tree.dimension
    point, through = kernels.body_point.of(dimension=d), kernels.through_pin.of(dimension=d)
    still = kernels.ground_point.of(dimension=d)

    def ends(link: Link) -> Iterable[Action]:
        for k, (_, arm) in enumerate(_arms(link)):
            yield tree.bound(point, link, {"arm": arm}, {"zb": Place("zb", f"point {k}")})
        taken = {"load": Place("za", "tip"), "far": Place("za", "root")}
        yield tree.bound(through, link, {}, taken)
        if link.parent is None:
            yield tree.bound(still, link, {}, {"zb": Place("zb", "root")})
        attached = link.inputs[: len(link.children)]
        yield from _unloaded(tree, link, {(link.name, x) for x in (link.output, *attached)})

    return ends


def _seats(tree: Joint, link: Link) -> Iterator[dict[str, Binding]]:
    """For each end of a link, where it is fixed: its place, and the motion of its section."""
    if link.name in tree.beams.beams:
        for point in link.body.points:
            section = link.name if point.name == link.output else f"{link.name}:{point.name}"
            yield {name: Ref(name, section) for name in ("acc", "w", "A")} | {"arm": tree.zero}
    else:
        turn = tree.data[link.name].axes
        yield from ({"arm": turn * arm} for _, arm in _arms(link))


def _arms(link: Link) -> Iterator[tuple[str, sp.Matrix]]:
    """All ends of a body, each with its place from the output end in body axes."""
    output = column(link.body.point(link.output).position)
    for point in link.body.points:
        yield f"{link.name}:{point.name}", column(point.position) - output


def _ground(tree: Joint, end: End) -> tuple[Kernel, Reads]:
    """The kernel of the acceleration of the ground at an end, and what it reads."""
    if tree.model.base is None:
        return kernels.ground_point.of(dimension=tree.dimension), {}
    arm = column(tree.model.ground_point(end.point).position)
    known: Reads = {"g": tree.ground.gravity, "arm": arm}
    known |= {name: tree.ground.at(name) for name in ("acc", "w", "A")}
    return kernels.link_point.of(dimension=tree.dimension), known


def _unloaded(tree: Tree, link: Link, loaded: Set[tuple[str, str]]) -> Iterator[Action]:
    """The ends of a body at which nothing acts."""
    no_load = kernels.no_load.of(dimension=tree.plan.model.dimension)
    for k, point in enumerate(link.body.points):
        if (link.name, point.name) not in loaded:
            yield tree.bound(no_load, link, {}, {"za": Place("za", f"point {k}")})
