"""The step that gives the states of all ends of all elements, in either kind of coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING

import sympy as sp

from ..model import GROUND, End
from . import endkernels as kernels
from .constants import column
from .ends import landing, outputs, states
from .plan import Link, Plan
from .program import Array, Call, Entry, Kernel, Port, Ref, Step, Storage, Written

if TYPE_CHECKING:
    from .jointwriter import Writer

Reads = dict[str, Ref | sp.Matrix]

TITLE = "accelerations and loads at every end of every element"


def end_sets(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {"states": states(plan)}


def end_arrays() -> Iterable[Array]:
    """z_a = (m, q) and z_b = (r̈, Ω̇) of all ends."""
    for name in ("za", "zb"):
        yield Array(name, "states", Port(name, 6), Storage.RESULT, name)


def end_entry(steps: tuple[str, ...]) -> Entry:
    """The public function, after the steps that give all accelerations and loads."""
    return Entry("end_states", TITLE, (*steps, "end_states"), ("a", "za", "zb"))


def joint_end_step(writer: Writer) -> Step:
    """The states of all ends in joint coordinates."""
    return Step("map", "end_states", TITLE, tuple(_joint_calls(writer)))


def _joint_calls(writer: Writer) -> Iterable[Call]:
    plan, d = writer.plan, writer.dimension
    ways = outputs(plan)
    loaded = {end for way in ways.values() for end in way}
    point, through = kernels.link_point(d), kernels.through_hinge(d)
    for link in plan.links:
        for end, member, arm in _seats(writer, link):
            known: Reads = {"g": writer.ground.gravity, "arm": arm}
            known |= {name: Ref(name, member) for name in ("acc", "w", "A")}
            yield Call(point, link.name, known, {"zb": Ref("zb", end)})
        hung = writer.hung[link.name]
        reads = writer.own(link, "IAh", "a0", "A", "r") | writer.bias(link)
        reads |= {"rk": hung.arm, "Ap": writer.of_parent("A", link)}
        yield from _carried(through, link, reads, ways[link.hinge])
        yield from _moved(writer, link.hinge, link.name, ways[link.hinge][1])
        yield from _unloaded(link, loaded)
    yield from writer.loops.end_loads()
    for hinge in plan.cuts:
        tip, root = ways[hinge.name]
        yield from _moved(writer, hinge.name, hinge.name, root)
        if hinge not in writer.loops.borne:
            for place in (str(tip), landing(hinge.name, root)):
                yield Call(kernels.no_load(), hinge.name, {}, {"za": Ref("za", place)})


def absolute_end_step(plan: Plan, known: Callable[[], Mapping[str, Reads]]) -> Step:
    """The states of all ends in absolute coordinates; `known`: what is known of each body."""
    return Step("map", "end_states", TITLE, Written(lambda: _absolute_calls(plan, known())))


def _absolute_calls(plan: Plan, known: Mapping[str, Reads]) -> Iterable[Call]:
    d = plan.model.dimension
    ways = outputs(plan)
    loaded = {end for way in ways.values() for end in way}
    point, through = kernels.body_point(d), kernels.through_pin(d)
    for link in plan.links:
        reads = known[link.name]
        moving = {port.name: reads[port.name] for port in point.inputs if port.name != "arm"}
        for end, arm in _arms(link):
            yield Call(point, link.name, moving | {"arm": arm}, {"zb": Ref("zb", end)})
        loading = {port.name: reads[port.name] for port in through.inputs}
        yield from _carried(through, link, loading, ways[link.hinge])
        if ways[link.hinge][1].body == GROUND:
            yield _at_rest(link.hinge, link.name)
        yield from _unloaded(link, loaded)


def _seats(writer: Writer, link: Link) -> Iterable[tuple[str, str, sp.Matrix]]:
    """All ends of a link: what member of the links' set each is fixed in, and where."""
    if link.name in writer.beams.beams:
        for point in link.body.points:
            end = f"{link.name}:{point.name}"
            yield end, link.name if point.name == link.output else end, writer.zero
        return
    turn = writer.data[link.name].axes
    for end, arm in _arms(link):
        yield end, link.name, turn * arm


def _arms(link: Link) -> Iterable[tuple[str, sp.Matrix]]:
    """All ends of a body, each with its place from the output end in body axes."""
    output = column(link.body.point(link.output).position)
    for point in link.body.points:
        yield f"{link.name}:{point.name}", column(point.position) - output


def _carried(kernel: Kernel, link: Link, reads: Reads, way: tuple[End, End]) -> Iterable[Call]:
    """Loads at both ends of a link's hinge."""
    tip, root = way
    writes = {"load": Ref("za", str(tip)), "far": Ref("za", landing(link.hinge, root))}
    yield Call(kernel, link.name, reads, writes)


def _moved(writer: Writer, hinge: str, member: str, root: End) -> Iterable[Call]:
    """The acceleration of the ground at a hinge, if the hinge leads there."""
    if root.body != GROUND:
        return
    if writer.model.base is None:
        yield _at_rest(hinge, member)
        return
    point = writer.model.ground_point(root.point)
    known: Reads = {"g": writer.ground.gravity, "arm": column(point.position)}
    known |= {name: writer.ground.at(name) for name in ("acc", "w", "A")}
    kernel = kernels.link_point(writer.dimension)
    yield Call(kernel, hinge, known, {"zb": Ref("zb", f"hinge {hinge}:O")})


def _at_rest(hinge: str, member: str) -> Call:
    target = Ref("zb", f"hinge {hinge}:O")
    return Call(kernels.ground_point(), member, {}, {"zb": target})


def _unloaded(link: Link, loaded: Set[End]) -> Iterable[Call]:
    """The ends of a body at which nothing acts."""
    for point in link.body.points:
        end = End(link.name, point.name)
        if end not in loaded:
            yield Call(kernels.no_load(), link.name, {}, {"za": Ref("za", str(end))})
