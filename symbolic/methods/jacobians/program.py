"""Geometric Jacobians of all bodies and their partial derivatives, as a program (`jacobians`).

A derivative has a value for each nest of brackets of speeds on a way from the ground to a body;
what is not on one way, or stands in the wrong order, is zero and not computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from ....errors import UsageError
from ...language.program import Array, Kernel, Map, Program, Ref, Step, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Place, Walk
from ...mechanics.hinges import unfactored
from ...plans.jacobian_indices import ORDER, PARTS, Chosen, Ways, led, own_speeds
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.conditions import refuse
from ...tree.joint import BY_SPEED, Joint
from ...tree.walking import Finder, Related
from ..closed.kernels import screws
from . import kernels

#: Representation → where its angular and its linear part come from.
REPRESENTATIONS: Mapping[str, tuple[str, str]] = {
    "body": ("body", "body"),
    "spatial": ("spatial", "spatial"),
    "hybrid": ("spatial", "origin"),
    "mixed": ("body", "origin"),
}

HALVES = ("angular", "linear")

#: The halves of columns that a program gives, each of a part.
GIVEN = (
    ("angular", "body"),
    ("angular", "spatial"),
    ("linear", "body"),
    ("linear", "spatial"),
    ("linear", "origin"),
)

#: What sees a screw from a body, and what makes one derivative more of it, by part.
SEEN = {"body": kernels.seen, "origin": kernels.origin}
MORE = {
    "body": kernels.body_derivative,
    "spatial": kernels.spatial_derivative,
    "origin": kernels.origin_derivative,
}

#: More values than this are no program any more: of a chain of 30 bodies up to the second order,
#: or of 60 up to the first, there are some 40,000 a representation.
LIMIT = 50_000


class Screws(Joint):
    """The links of a tree with the screw S of each speed, and what bodies see of them."""

    by_speed: ClassVar[Mapping[str, str]] = {**BY_SPEED, "S": "S"}

    def __init__(self, plan: Plan, chosen: Mapping[str, tuple[Chosen, ...]]) -> None:
        super().__init__(plan, forced=False)
        self.chosen = chosen
        self.sets |= {name: tuple(x.member for x in found) for name, found in chosen.items()}
        #: The index set of screws: of all hinges, also of those that share coordinates.
        self.screws = "hinge speeds" if self.shared else "speeds"
        self.sets[self.screws] = (*plan.model.speeds, *led(plan))

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Screws by speed, a hinge's own."""
        found = super().writes(name, link)
        if self.shared and isinstance(found, Place) and found.array == "S":
            return replace(found, relation=found.relation.replace("speed", "screw"))
        return found

    def finder(self, relation: str) -> Finder | None:
        """Also the own speeds of hinges that share a coordinate."""
        word, _, number = relation.partition(" ")
        if word != "screw":
            return super().finder(relation)

        def at(link: Link) -> str | None:
            names = own_speeds(self.plan, self.hinge(link))
            return names[int(number) - 1] if int(number) <= len(names) else None

        return self.screws, at

    def among(self, part: str, order: int, kernel: Kernel, into: str = "") -> Walk:
        """A kernel at all values that a part has of an order's derivatives, or `into` others."""
        name, before = f"{part}_{order}", f"{part}_{order - 1}"
        screws = {"spatial_0": ("S", self.screws)}  # of each speed one, as `single` writes them
        array, members = screws.get(before, (before, before))
        known = {
            "S": Place("S", "first"),
            "Ab": Place("Ab", "body"),
            "xb": Place("xb", "body"),
            "Jb": Place("body_0", "last"),
            "D": Place(array, "inner" if part == "body" else "outer"),
            "column": Place("S", "first") if name in screws else Place(name, "own"),
        }
        related: Related[Chosen] = {
            "own": (name, lambda of: of.member),
            "body": (self.set, lambda of: of.body),
            "first": (self.screws, lambda of: of.speeds[0]),
            "last": ("body_0", lambda of: Chosen(of.body, of.speeds[-1:]).member),
            "inner": (members, lambda of: Chosen(of.body, of.speeds[:-1]).member),
            "outer": (members, lambda of: Chosen(of.body, of.speeds[1:]).member),
        }
        kept = {port.name: Place(into or name, "own") for port in kernel.outputs}
        return self.over(self.chosen[name], lambda _: [Action.of(kernel, known, kept)], related)


def steps_of(tree: Screws, orders: Iterable[int]) -> Iterator[Step]:
    """The whole method."""
    d, n = tree.dimension, tree.space.motion
    yield from placed_screws(tree)
    for part in PARTS:
        for order in orders:
            if (part, order) != ("spatial", 0):
                kernel = (MORE if order else SEEN)[part].of(dimension=d)
                walk = tree.among(part, order, kernel)
                yield Map(f"{part}_{order}", f"order {order}, {part}", walk)
    for half, part in GIVEN:
        rows = d if part == "origin" else n
        shown = kernels.angular if half == "angular" else kernels.linear
        kernel = shown.of(dimension=d, rows=rows)
        for order in orders:
            name = f"{half}_{part}_{order}"
            yield Map(f"show_{name}", "as results", tree.among(part, order, kernel, name))
    yield shared.poses(tree)


def placed_screws(tree: Screws) -> Iterator[Step]:
    """S: the screws of all speeds at the inertial origin; Ab and xb: the frames of bodies."""
    frame = kernels.frame.of(dimension=tree.dimension)

    def screw(link: Link) -> Iterator[Kernel]:
        if tree.freedom(link):
            yield screws.at(tree, link)
            yield kernels.single.at(tree, link)

    yield shared.relatives(tree)
    yield shared.places(tree)
    yield Map("frames", "axes and origins of bodies", tree.inward(lambda _: [frame]))
    yield Map("screws", "screws of every hinge, one by one", tree.inward(screw))


def jacobian_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    order: int = ORDER,
) -> Program:
    """The geometric Jacobians of all bodies, and their partial derivatives up to an order.

    `runtime` names the model parameters that stay arguments; `forced` and
    `loaded` change nothing.

    Shape
        Arguments `q`, `v` (unused); per order N the results `angular_P_N` and `linear_P_N` with
        three components for each member of the set `P_N`, P being `body`, `spatial` or `origin`:
        see `Ways`. A member lists speeds from the ground outwards; of `body` the
        first is the column's, of `spatial` the last, of `origin` any. Of closed loops the speeds
        are those of the tree that the cuts leave. Hinges that share a coordinate have one each:
        what the coordinate has is their sum.
    Frame
        `body`: the body's axes, of its origin; `spatial`: inertial axes, of the point at the
        inertial origin; `origin`: inertial axes, of the body's origin.
    Raises
        UsageError: the model has beams, driven hinges, a moving base, or racks; an order that is
            no whole number from 0 on, or so high that there are too many values.
    Source
        Screw paper (6), (13), (15), (16), (21), (24), (26), (104)-(107); (26) completed.
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise UsageError(f"order = {order!r} must be a whole number from 0 on")
    if order > LIMIT:  # a count of its values would not end
        raise UsageError(f"order = {order} must be {LIMIT} or less")
    ways, orders = Ways.of(plan), range(order + 1)
    values = ways.count(order)
    if values > LIMIT:
        raise UsageError(
            f"{plan.model.name}: its Jacobians up to order {order} have {values} values, more than "
            f"{LIMIT}; compile with a lower order"
        )
    chosen = {f"{part}_{n}": ways.chosen(part, n) for part in PARTS for n in orders}
    tree = Screws(plan, chosen)
    refuse(
        tree.loops,
        "jacobians takes rigid bodies",
        "frame_jacobian of any solver takes these, without partial derivatives",
        closed=True,
        kinds=unfactored(plan.model),
    )
    title = "geometric Jacobians and their derivatives"
    steps, arrays = steps_of(tree, orders), caller_arrays(orders)
    return tree.program("jacobians", title, steps, arrays, entries(tree, orders), runtime)


def entries(tree: Screws, orders: Iterable[int]) -> Iterator[Wanted]:
    """What a caller may ask for: every representation's derivatives that are not all zero."""
    for representation, parts in REPRESENTATIONS.items():
        for order in orders:
            halves = tuple(
                f"{half}_{part}_{order}"
                for half, part in zip(HALVES, parts, strict=True)
                if tree.sets[f"{part}_{order}"]
            )
            title = f"geometric Jacobians, {representation}, derivative of order {order}"
            yield Wanted(f"jacobian_{representation}_{order}", title, halves, whole=True)
    yield shared.POSES


def caller_arrays(orders: Iterable[int]) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield given("q", "coordinates")
    yield given("v", "speeds")
    for order in orders:
        for half, part in GIVEN:
            yield result(f"{half}_{part}_{order}", f"{part}_{order}", 3)
    yield result("poses", "bodies", 4, 4)
