"""Geometric Jacobians of all bodies and their partial derivatives, as a program (`jacobians`).

A derivative has a value for each sorted way of choosing its speeds on a way from the ground to a
body; what is not on one way, or stands in the wrong order, is zero and not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from ....errors import UsageError
from ...language.program import (
    Array,
    Call,
    Entry,
    Kernel,
    Map,
    Port,
    Program,
    Ref,
    Sweep,
    Written,
    given,
    named,
    result,
)
from ...mechanics.hinges import joint, unfactored
from ...plans.jacobian_indices import PARTS, Chosen, Ways
from ...plans.plan import Link, Plan
from ...tree.writer import acting_arrays, index_sets
from ..closed.program import ClosedWriter
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

#: Derivatives up to this order, if no other is asked for.
ORDER = 2

#: More values than this are no program any more: of a chain of 30 bodies up to the second order,
#: or of 60 up to the first, there are some 40,000 a representation.
LIMIT = 50_000


class JacobianWriter(ClosedWriter):
    """Collects the calls of the columns and their derivatives."""

    algorithm = "jacobians"
    instead = "closed-form has the spatial columns of all hinges in such trees"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.indices = Ways.of(plan)
        self.chosen = self.indices.chosen

    def unfit(self) -> dict[str, bool]:
        """What else is not taken: hinges whose freedoms are no factors exp(X q), one after one."""
        return unfactored(self.model)

    def frames(self) -> Iterable[Call]:
        kernel = kernels.frame(self.dimension)
        for link in self.plan.links:
            data = self.data[link.name]
            reads = self.own(link, "A", "x") | {"Kb": data.axes, "ob": data.origin}
            yield Call(kernel, link.name, reads, self.own_of(link, "Ab", "xb"))

    def own_of(self, link: Link, *names: str) -> dict[str, Ref]:
        return {name: Ref(name, link.name) for name in names}

    def singles(self) -> Iterable[Call]:
        for link in self.outer:
            kernel = kernels.single(self.dimension, self.freedom(link))
            writes = {f"S_{j}": Ref("spatial_0", s) for j, s in enumerate(self.speeds(link), 1)}
            yield Call(kernel, link.name, self.own(link, kernel.inputs[0].name), writes)

    def derivatives(self, part: str, order: int) -> Iterable[Call]:
        """A part's derivatives of an order from those of the order before."""
        for chosen in self.chosen(part, order):
            kernel, reads = self._derivative(part, order, chosen)
            (port,) = kernel.outputs
            writes = {port.name: Ref(f"{part}_{order}", chosen.member)}
            yield Call(kernel, chosen.member, reads, writes)

    def _derivative(self, part: str, order: int, chosen: Chosen) -> tuple[Kernel, dict[str, Ref]]:
        d, (body, speeds) = self.dimension, chosen
        first = Ref("spatial_0", Chosen("", speeds[:1]).member)
        if order == 0:
            places = {name: Ref(name, body) for name in ("Ab", "xb")}
            kernel = kernels.seen(d) if part == "body" else kernels.origin(d)
            known = {"S": first} | places
            return kernel, {port.name: known[port.name] for port in kernel.inputs}

        def before(*those: str) -> Ref:
            return Ref(f"{part}_{order - 1}", Chosen(body, those).member)

        if part == "body":
            last = Ref("body_0", Chosen(body, speeds[-1:]).member)
            return kernels.body_derivative(d), {"D": before(*speeds[:-1]), "Jb": last}
        kernel = (
            kernels.spatial_derivative(d) if part == "spatial" else kernels.origin_derivative(d)
        )
        return kernel, {"S": first, "D": before(*speeds[1:])}

    def results(self, half: str, part: str, order: int) -> Iterable[Call]:
        """The angular or linear half of a part's derivatives, as results."""
        rows = self.rows(part)
        kernel = (
            kernels.angular(self.dimension)
            if half == "angular"
            else kernels.linear(self.dimension, rows)
        )
        for chosen in self.chosen(part, order):
            at = chosen.member
            reads = {"D": Ref(f"{part}_{order}", at)}
            yield Call(kernel, at, reads, {"part": Ref(f"{half}_{part}_{order}", at)})

    def rows(self, part: str) -> int:
        return self.dimension if part == "origin" else self.space.motion


def jacobian_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False, order: int = ORDER
) -> Program:
    """The geometric Jacobians of all bodies, and their partial derivatives up to an order.

    `runtime` names the model parameters that stay arguments; `forced` changes nothing.

    Shape
        Arguments `q`, `v` (unused); per order N the results `angular_P_N` and `linear_P_N` with
        three components for each member of the set `P_N`, P being `body`, `spatial` or `origin`:
        see `Ways`. A member lists speeds from the ground outwards; of `body` the
        first is the column's, of `spatial` the last, of `origin` any.
    Frame
        `body`: the body's axes, of its origin; `spatial`: inertial axes, of the point at the
        inertial origin; `origin`: inertial axes, of the body's origin.
    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base, or hinges
            whose speeds are no rates of coordinates; an order that is no whole number from 0 on,
            or so high that there are too many values.
    Source
        Screw paper (6), (13), (15), (16), (21), (24), (26), (104)-(107); (26) completed.
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise UsageError(f"order = {order!r} must be a whole number from 0 on")
    writer = JacobianWriter(plan)
    values = writer.indices.count(order)
    if values > LIMIT:
        raise UsageError(
            f"{plan.model.name}: its Jacobians up to order {order} have {values} values, more than "
            f"{LIMIT}; compile with a lower order"
        )
    orders = range(order + 1)
    placing = (
        Map("placements", "relative pose in every hinge", tuple(writer.placements())),
        Sweep("places", "orientation and position of links", tuple(writer.places())),
        Map("frames", "axes and origins of bodies", tuple(writer.frames())),
        Map("columns", "screws of every hinge", tuple(writer.columns_of_hinges())),
        Map("spatial_0", "screws one by one", tuple(writer.singles())),
    )
    derived = [
        Map(f"{part}_{n}", f"order {n}, {part}", _later(writer.derivatives, part, n))
        for part in PARTS
        for n in orders
        if (part, n) != ("spatial", 0)
    ]
    shown = [
        Map(f"show_{half}_{part}_{n}", "as results", _later(writer.results, half, part, n))
        for half, part in GIVEN
        for n in orders
    ]
    posed = Map("body_poses", "pose of every body", tuple(writer.poses()))
    steps = tuple(step for step in (*placing, *derived, *shown, posed) if step.calls)
    chosen = {
        f"{part}_{n}": tuple(each.member for each in writer.chosen(part, n))
        for part in PARTS
        for n in orders
    }
    return Program(
        name=plan.model.name,
        title=f"geometric Jacobians and their derivatives: {plan.model.name}",
        algorithm="jacobians",
        sets=index_sets(writer) | chosen,
        arrays=named(_arrays(writer, orders)),
        steps=steps,
        entries=tuple(_entries({step.name for step in steps}, orders)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=tuple(
            s for h in plan.model.tree_hinges for s in joint(writer.dimension, h.kind).slots
        ),
    )


def _later(write: Callable[..., Iterable[Call]], *of: str | int) -> Written:
    return Written(partial(write, *of))


def _arrays(writer: JacobianWriter, orders: range) -> Iterable[Array]:
    d, n = writer.dimension, writer.space.motion

    def work(name: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, "links", Port(name, rows, cols))

    yield given("q", "coordinates")
    yield given("v", "speeds")
    for name in ("C", "A", "Ab"):
        yield work(name, d, d)
    for name in ("r", "x", "xb"):
        yield work(name, d)
    for name in ("cz", "sz"):
        yield work(name)
    for freedom in writer.freedoms():
        for name in ("H", "J"):
            yield work(f"{name}{freedom}", n, freedom)
    for order in orders:
        for part in PARTS:
            name = f"{part}_{order}"
            yield Array(name, name, Port(name, writer.rows(part)))
        for half, part in GIVEN:
            yield result(f"{half}_{part}_{order}", f"{part}_{order}", 3)
    yield result("poses", "bodies", 4, 4)
    yield from acting_arrays(writer)


def _entries(known: set[str], orders: range) -> Iterable[Entry]:
    for representation, parts in REPRESENTATIONS.items():
        for order in orders:
            halves = [f"{half}_{part}_{order}" for half, part in zip(HALVES, parts, strict=True)]
            below = [
                f"{part}_{n}"
                for part in PARTS
                for n in range(order + 1)
                if part in parts and (part, n) != ("spatial", 0)
            ]
            steps = ["placements", "places", "frames", "columns", "spatial_0", *below]
            steps += [f"show_{half}" for half in halves]
            yield Entry(
                f"jacobian_{representation}_{order}",
                f"geometric Jacobians, {representation}, derivative of order {order}",
                tuple(name for name in steps if name in known),
                tuple(halves),
                whole=True,
            )
    placing = tuple(name for name in ("placements", "places", "body_poses") if name in known)
    yield Entry("poses", "pose of every body", placing, ("poses",))
