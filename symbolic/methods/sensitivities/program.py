"""How inverse dynamics changes with everything it depends on, as a program (`sensitivities`).

By the closed form's sums over links, not by differentiated kernels: with coordinates, speeds and
accelerations (the linearised equations of motion), inertia parameters and hinges' points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from ....model import GROUND, End, Hinge
from ....model.hinge_kinds import HINGE_KINDS
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
from ...plans.jacobian_indices import Chosen, factors
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.mass_matrix import pair
from ...tree.writer import acting_arrays, index_sets
from ..closed.kernels import gathered
from ..jacobians.program import JacobianWriter
from . import kernels

#: How a screw moves: Ṡ, S̈ and what stands for 2 Ṡ at unit speed.
MOVING = ("Sd", "Sdd", "Sv")


@dataclass(frozen=True)
class _Placed:
    """A hinge's end: the link whose hinge it is, and that of the end's body if it is on one."""

    end: End
    link: Link
    body: Link | None

    @property
    def member(self) -> str:
        return f"{self.link.hinge} {self.end}"

    @property
    def sign(self) -> int:
        """How the link moves when the end's point does: with a point of its parent's."""
        return -1 if self.body is self.link else 1


class SensitivityWriter(JacobianWriter):
    """Collects the calls of the program."""

    algorithm = "sensitivities"
    instead = "derivatives and rnea-body take these"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.placed_ends = tuple(self._placed_ends())

    def unfit(self) -> dict[str, bool]:
        """What else is not taken."""
        held = {f"{h.kind}_hinges" for h in self.model.tree_hinges if self._turns_freely(h)}
        others = {name: unfit for name, unfit in unfactored(self.model).items() if name not in held}
        return {"loads": bool(self.model.loads), **others}

    def _turns_freely(self, hinge: Hinge) -> bool:
        """Has a hinge a quaternion, whose screws are held together?"""
        return HINGE_KINDS[self.dimension][hinge.kind].has_quaternion

    def held(self, link: Link) -> bool:
        """Do the screws of the link's hinge, with a quaternion, stand still in its parent?"""
        return self._turns_freely(self.hung[link.name].hinge) and self.changing(link)

    def groups(self, link: Link) -> list[tuple[str, ...]]:
        """The speeds of a hinge from the ground outwards; each group's screws are of one motion.

        Where H does not change in the child or in the parent all are one group, else each is a
        factor of its own.
        """
        own = self.speeds(link)
        if not own or self.held(link) or not self.changing(link):
            return [own] if own else []
        return [(speed,) for speed in factors(self.plan, link)]

    def screw(self, speed: str) -> Ref:
        return Ref("spatial_0", Chosen("", (speed,)).member)

    def after(self, link: Link | None, array: str) -> Ref | sp.Matrix:
        """The twist (`Vs`) of a link or its rate (`As`); of the ground, gravity's."""
        if link is None:
            rising = -self.ground.gravity if array == "As" else self.zero
            return sp.Matrix.vstack(rising, sp.zeros(self.space.spins, 1))
        groups = self.groups(link)
        return Ref(array, groups[-1][-1]) if groups else self.after(self.parent(link), array)

    def parent(self, link: Link) -> Link | None:
        return None if link.parent is None else self.plan.link(link.parent)

    def motions(self) -> Iterable[Call]:
        for link in self.outward():
            before = {f"{x}p": self.after(self.parent(link), f"{x}s") for x in "VA"}
            for group in self.groups(link):
                kernel = kernels.motion(self.dimension, len(group), self.held(link))
                reads: Reads = dict(before)
                writes = {x: Ref(x, group[-1]) for x in ("Vs", "As")}
                for k, speed in enumerate(group, 1):
                    reads |= {f"S_{k}": self.screw(speed)}
                    reads |= {f"u_{k}": Ref("v", speed), f"ad_{k}": Ref("ad", speed)}
                    writes |= {f"{x}_{k}": Ref(x, speed) for x in MOVING}
                yield Call(kernel, group[-1], reads, writes)
                before = {f"{x}p": Ref(f"{x}s", group[-1]) for x in "VA"}

    def sums(self) -> Iterable[Call]:
        """Yc and Wc of all links outwards."""
        for link in self.plan.links:
            motion = {x: self.after(link, x) for x in ("Vs", "As")}
            for kernel, name in (
                (gathered(self.dimension, len(link.inputs), "christoffel"), "Yc"),
                (kernels.wrench(self.dimension, len(link.inputs)), "Wc"),
            ):
                reads: Reads = motion | {"Ms": Ref("Ms", link.name)}
                reads |= {f"{name}_I{k}": Ref(name, x) for k, x in enumerate(link.children, 1)}
                yield self._call(kernel, link.name, reads, {name: Ref(name, link.name)})

    def _call(self, kernel: Kernel, member: str, known: Reads, writes: dict[str, Ref]) -> Call:
        return Call(kernel, member, {port.name: known[port.name] for port in kernel.inputs}, writes)

    def along(self, kernel: Kernel) -> Iterable[Call]:
        """A kernel of a speed and the sums of its hinge's link, at every speed."""
        for link in self.outer:
            for speed in self.speeds(link):
                known: Reads = {x: Ref(x, link.name) for x in ("Mc", "Yc", "Wc")}
                known |= {"S": self.screw(speed)} | {x: Ref(x, speed) for x in MOVING}
                writes = {port.name: Ref(port.name, speed) for port in kernel.outputs}
                yield self._call(kernel, speed, known, writes)

    def linear_alone(self) -> Iterable[Call]:
        for link in self.outer:
            rotor = self.rotor(link)
            kernel = kernels.alone(self.dimension, rotor is not None)
            for k, speed in enumerate(self.speeds(link)):
                known: Reads = {"S": self.screw(speed)}
                known |= {x: Ref(x, speed) for x in ("U", "R", "E")}
                known |= {} if rotor is None else {"rho": sp.Matrix([rotor[k]])}
                yield self._call(kernel, speed, known, _entry(speed, speed))

    def linear_pairs(self) -> Iterable[Call]:
        both = kernels.pair(self.dimension)
        for link in self.outer:
            carrying = [group for x in self._carrying(link) for group in self.groups(x)]
            for group in self.groups(link):
                for speed in group:
                    for inner in (x for before in carrying for x in before):
                        writes = _entry(speed, inner) | _entry(inner, speed, "i")
                        yield self._call(both, pair(speed, inner), self._two(speed, inner), writes)
                    for other in group:
                        if other != speed:
                            yield self._beside(link, speed, other)
                carrying.append(group)

    def _beside(self, link: Link, speed: str, other: str) -> Call:
        """The entries of a speed in the column of another of its hinge's motion."""
        at, writes = pair(speed, other), _entry(speed, other)
        if self.held(link):
            known: Reads = {"S": self.screw(speed)} | {x: Ref(x, other) for x in ("U", "R", "E")}
            return self._call(kernels.alone(self.dimension, False), at, known, writes)
        return self._call(kernels.moved(self.dimension), at, self._two(speed, other), writes)

    def linear_apart(self) -> Iterable[Call]:
        for array in ("dtau_dq", "dtau_dv", "M"):
            yield from self.zeros(array)

    def _carrying(self, link: Link) -> list[Link]:
        """The links that carry a link, from the ground outwards."""
        return [self.plan.link(name) for name in self.plan.way(link.name)[:0:-1]]

    def _two(self, speed: str, inner: str) -> Reads:
        known: Reads = {x: Ref(x, speed) for x in ("U", "B", "R", "E")}
        return known | {"Sa": self.screw(inner)} | {f"{x}a": Ref(x, inner) for x in MOVING}

    def _placed_ends(self) -> Iterable[_Placed]:
        for hinge in self.model.tree_hinges:
            link = next(link for link in self.plan.links if link.hinge == hinge.name)
            for end in hinge.ends:
                yield _Placed(end, link, None if end.body == GROUND else self.plan.link(end.body))

    def displacements(self) -> Iterable[Call]:
        kernel = kernels.placed(self.dimension)
        for placed in self.placed_ends:
            own = placed.body is placed.link
            known: Reads = {x: self.after(placed.body, x) for x in ("Vs", "As")}
            known |= self._frame(placed.body)
            known["arm"] = self.zero if own else self.hung[placed.link.name].arm
            writes = {x: Ref(x, placed.member) for x in ("G", "Gd", "Gdd")}
            yield self._call(kernel, placed.member, known, writes)

    def _frame(self, body: Link | None) -> Reads:
        """The axes of a body, and the axes and the origin of its link; those of the ground."""
        if body is None:
            axes = sp.eye(self.dimension)
            return {"Ab": axes, "A": axes, "x": self.zero}
        return {x: Ref(x, body.name) for x in ("Ab", "A", "x")}

    def displaced(self) -> Iterable[Call]:
        for placed in self.placed_ends:
            kernel = kernels.displaced(self.dimension, placed.sign)
            known: Reads = {x: Ref(x, placed.member) for x in ("G", "Gd", "Gdd")}
            known |= {x: Ref(x, placed.link.name) for x in ("Mc", "Yc", "Wc")}
            yield self._call(kernel, placed.member, known, {"Rx": Ref("Rx", placed.member)})

    def geometry(self) -> Iterable[Call]:
        """Every speed's force by every end's place."""
        for link in self.outer:
            for speed in self.speeds(link):
                for placed in self.placed_ends:
                    yield self._geometry(link, speed, placed)

    def _geometry(self, link: Link, speed: str, placed: _Placed) -> Call:
        at = pair(speed, placed.member)
        writes = {"dx": Ref("dtau_dx", at)}
        moves_with = placed.link.name in self.plan.way(link.name)
        if link.name in self.plan.way(placed.end.body):
            known: Reads = {"S": self.screw(speed), "Rx": Ref("Rx", placed.member)}
            return self._call(kernels.carrying(self.dimension), at, known, writes)
        if moves_with:
            known = {x: Ref(x, speed) for x in ("U", "B")}
            known |= {x: Ref(x, placed.member) for x in ("Gd", "Gdd")}
            return self._call(kernels.carried(self.dimension, placed.sign), at, known, writes)
        zero = {"zero": Ref("dtau_dx", at)}
        return Call(kernels.nothing(self.space.motion), at, {}, zero)

    def wrench_columns(self) -> Iterable[Call]:
        kernel = kernels.regressor(self.dimension)
        for link in self.plan.links:
            known: Reads = {x: self.after(link, x) for x in ("Vs", "As")}
            known |= {x: Ref(x, link.name) for x in ("Ab", "xb")}
            yield self._call(kernel, link.name, known, self.own_of(link, "Z"))

    def screws_seen(self) -> Iterable[Call]:
        return self.derivatives("body", 0)

    def regressor(self) -> Iterable[Call]:
        """Every speed's force by every body's inertia parameters."""
        kernel = kernels.regressor_row(self.dimension)
        nothing = kernels.nothing(kernels.parameter_count(self.dimension))
        for link in self.outer:
            for speed in self.speeds(link):
                for body in self.model.bodies:
                    at = pair(speed, body.name)
                    if link.name in self.plan.way(body.name):
                        seen = Ref("body_0", Chosen(body.name, (speed,)).member)
                        reads: Reads = {"Z": Ref("Z", body.name), "Jb": seen}
                        yield Call(kernel, at, reads, {"Y": Ref("Y", at)})
                    else:
                        yield Call(nothing, at, {}, {"zero": Ref("Y", at)})


def _entry(row: str, column: str, suffix: str = "") -> dict[str, Ref]:
    arrays = {"K": "dtau_dq", "D": "dtau_dv", "M": "M"}
    return {f"{x}{suffix}": Ref(array, pair(row, column)) for x, array in arrays.items()}


def sensitivity_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False
) -> Program:
    """The derivatives of the forces τ(q, v, a) that motions need, without hinges' laws.

    `runtime` names the model parameters that stay arguments; `forced` changes nothing.

    Shape
        Arguments `q`, `v`, `ad` (per speed its rate); results `dtau_dq`, `dtau_dv` and `M` (row by
        row), `Y` (per speed and body ten numbers, in the plane four), `dtau_dx` (per speed and
        hinge's end, turns and shifts), `poses`.
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base or loads.
    Source
        Screw paper, Sect. 6.1 and 6.2; the closed forms are own.
    """
    writer = SensitivityWriter(plan)
    d = writer.dimension
    free = [joint(d, hinge.kind) for hinge in plan.model.tree_hinges]
    projections = tuple(writer.along(kernels.projected(d)))
    responses = tuple(writer.along(kernels.response(d)))
    steps = (
        Map("placements", "relative pose in every hinge", tuple(writer.placements())),
        Sweep("places", "orientation and position of links", tuple(writer.places())),
        Map("frames", "axes and origins of bodies", tuple(writer.frames())),
        Map("columns", "screws of every hinge", tuple(writer.columns_of_hinges())),
        Map("single", "screws one by one", tuple(writer.singles())),
        Sweep("motions", "twists and their rates, outwards", tuple(writer.motions())),
        Sweep("inertias", "inertias, tips to root", tuple(writer.inertias())),
        Sweep("sums", "wrenches and Y, tips to root", tuple(writer.sums())),
        Map("projections", "sums along every screw", projections),
        Map("responses", "responses to every screw", responses),
        Map("alone", "speed by speed", tuple(writer.linear_alone())),
        Map("speed_pairs", "pair by pair", Written(writer.linear_pairs)),
        Map("apart", "speeds on different branches", Written(writer.linear_apart)),
        Map("displacements", "displaced ends of hinges", tuple(writer.displacements())),
        Map("displaced", "responses to displaced ends", tuple(writer.displaced())),
        Map("geometry", "forces by displaced ends", Written(writer.geometry)),
        Map("seen", "screws from every body", Written(writer.screws_seen)),
        Map("wrenches", "wrenches by parameters", tuple(writer.wrench_columns())),
        Map("regressor", "forces by parameters", Written(writer.regressor)),
        Map("body_poses", "pose of every body", tuple(writer.poses())),
    )
    kept = tuple(step for step in steps if step.calls)
    speeds, ends = plan.model.speeds, [placed.member for placed in writer.placed_ends]
    bodies = [body.name for body in plan.model.bodies]
    return Program(
        name=plan.model.name,
        title=f"sensitivities of inverse dynamics: {plan.model.name}",
        algorithm="sensitivities",
        sets=index_sets(writer)
        | {f"{part}_0": _members(writer, part) for part in ("spatial", "body")}
        | {
            "pairs": writer.mass_sets()["pairs"],
            "hinge_ends": tuple(ends),
            "speeds_by_ends": tuple(pair(speed, end) for speed in speeds for end in ends),
            "speeds_by_bodies": tuple(pair(speed, body) for speed in speeds for body in bodies),
        },
        arrays=named(_arrays(writer)),
        steps=kept,
        entries=tuple(_entries({step.name for step in kept})),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=tuple(slot for of in free for slot in of.slots),
    )


def _members(writer: SensitivityWriter, part: str) -> tuple[str, ...]:
    return tuple(chosen.member for chosen in writer.chosen(part, 0))


def _arrays(writer: SensitivityWriter) -> Iterable[Array]:
    d, n = writer.dimension, writer.space.motion

    def over(index_set: str, name: str, rows: int, cols: int = 1) -> Array:
        return Array(name, index_set, Port(name, rows, cols))

    yield given("q", "coordinates")
    yield given("v", "speeds")
    yield given("ad", "speeds")
    for name in ("dtau_dq", "dtau_dv", "M"):
        yield result(name, "pairs")
    yield result("Y", "speeds_by_bodies", kernels.parameter_count(d))
    yield result("dtau_dx", "speeds_by_ends", n)
    yield result("poses", "bodies", 4, 4)
    for name in ("C", "A", "Ab"):
        yield over("links", name, d, d)
    for name in ("r", "x", "xb"):
        yield over("links", name, d)
    for name in ("cz", "sz"):
        yield over("links", name, 1)
    for freedom in writer.freedoms():
        for name in ("H", "J"):
            yield over("links", f"{name}{freedom}", n, freedom)
    for name in ("Ms", "Mc"):
        yield Array(name, "links", Port(name, n, n, symmetric=True))
    yield over("links", "Yc", n, n)
    yield over("links", "Wc", n)
    yield over("links", "Z", n, kernels.parameter_count(d))
    for name in ("G", "Gd", "Gdd", "Rx"):
        yield over("hinge_ends", name, n, n)
    for name in ("Vs", "As", *MOVING, "U", "B", "R", "E"):
        yield over("speeds", name, n)
    for part in ("spatial", "body"):
        yield over(f"{part}_0", f"{part}_0", n)
    yield from acting_arrays(writer)


def _entries(known: set[str]) -> Iterable[Entry]:
    placed = ("placements", "places", "frames", "columns", "single", "motions")
    summed = (*placed, "inertias", "sums", "projections")
    linear = (*summed, "responses", "alone", "speed_pairs", "apart")
    geometric = (*summed, "displacements", "displaced", "geometry")
    regressing = (*placed, "seen", "wrenches", "regressor")

    def entry(name: str, title: str, steps: tuple[str, ...], *results: str) -> Entry:
        return Entry(name, title, tuple(s for s in steps if s in known), results, whole=True)

    three = ("dtau_dq", "dtau_dv", "M")
    yield entry("force_derivatives", "linearised equations of motion", linear, *three)
    yield entry("geometry_sensitivity", "forces by places of hinges", geometric, "dtau_dx")
    yield entry("inertia_regressor", "forces by inertia parameters", regressing, "Y")
    yield entry("poses", "pose of every body", ("placements", "places", "body_poses"), "poses")
