"""The fast form of the Riccati method for trees, as a program.

Each end carries what its subtree demands, λ = IA r̈ + pA, where λ = (−q, m) is the wrench
that the root side exerts on the tip side: S = Π IA and e = Π pA in the paper's letters.
A body adds its own inertia to that of its inputs, moved to its output end; the smooth hinge
at the output then eliminates the body's angular acceleration. The same steps in the paper's
matrices are in `riccati`; that the two agree is proven in the tests.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..model import Model
from . import kernels
from .constants import BodyConstants, column
from .endprogram import absolute_end_step, end_arrays, end_entry, end_sets
from .plan import Link, Plan
from .program import Array, Call, Entry, Port, Program, Ref, Slot, Step, Storage, Written
from .space import Space


class Writer:
    """Collects the calls of the fast program, step by step."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan = plan
        self.model: Model = plan.model
        self.space = Space(self.model.dimension)
        self.forced = forced
        self.links = plan.links
        self.data = {}
        same: dict[tuple[object, ...], BodyConstants] = {}
        for link in plan.links:
            key = (
                link.rigid.mass,
                link.rigid.inertia,
                link.rigid.centre,
                link.rigid.points,
                link.output,
                link.inputs,
            )
            if key not in same:
                same[key] = BodyConstants.of(link.rigid, link.output, link.inputs)
            self.data[link.name] = same[key]
        self.gravity = column(self.model.gravity)
        self.zero = sp.zeros(self.model.dimension, 1)

    def orientation_reads(self, link: Link) -> dict[str, Ref | sp.Matrix]:
        names = ("c", "s") if self.model.dimension == 2 else ("A",)
        return {name: Ref(name, link.name) for name in names}

    def orientation(self) -> Iterable[Call]:
        kernel = kernels.orientation(self.model.dimension)
        coordinate = kernel.inputs[0].name
        for link in self.links:
            yield Call(
                kernel,
                link.name,
                {coordinate: Ref("q", link.name)},
                {port.name: Ref(port.name, link.name) for port in kernel.outputs},
            )

    def of_body(self, link: Link) -> dict[str, Ref | sp.Matrix]:
        """What a body brings to the sweep to the root, whatever hangs on it."""
        data = self.data[link.name]
        reads = {
            "omega": Ref("v", link.name),
            "m": data.mass,
            "g": self.gravity,
            "hb": data.first,
            "J" if self.model.dimension == 2 else "Jb": data.inertia,
        }
        if self.forced:
            reads |= {
                "f": Ref("f", link.name),
                "tau": Ref("tau", link.name),
                "rCb": data.centre,
            }
        return reads

    def tips_to_root(self) -> Iterable[Call]:
        hinge = kernels.hinge(self.model.dimension)
        for link in self.links:
            kernel = kernels.body(self.model.dimension, len(link.inputs), self.forced)
            data = self.data[link.name]
            reads = self.orientation_reads(link) | self.of_body(link)
            for k, child in enumerate(link.children, start=1):
                reads[f"IA_I{k}"] = Ref("IAh", child)
                reads[f"pA_I{k}"] = Ref("pAh", child)
                reads[f"rb_I{k}"] = data.arms[k - 1]
            yield Call(
                kernel,
                link.name,
                reads,
                {"IA": Ref("IA", link.name), "pA": Ref("pA", link.name)},
            )
            yield Call(
                hinge,
                link.name,
                {"IA": Ref("IA", link.name), "pA": Ref("pA", link.name)},
                {port.name: Ref(port.name, link.name) for port in hinge.outputs},
            )

    def root_to_tips(self) -> Iterable[Call]:
        for link in reversed(self.links):
            kernel = kernels.acceleration(self.model.dimension, len(link.inputs))
            reads = self.orientation_reads(link) | {
                "P": Ref("P", link.name),
                "b": Ref("b", link.name),
                "rdd": self.zero if link.parent is None else Ref("rdd", link.name),
            }
            writes = {"a": Ref("a", link.name)}
            if link.inputs:
                reads["omega"] = Ref("v", link.name)
            for k, child in enumerate(link.children, start=1):
                reads[f"rb_I{k}"] = self.data[link.name].arms[k - 1]
                writes[f"rdd_I{k}"] = Ref("rdd", child)
            yield Call(kernel, link.name, reads, writes)

    def loads(self) -> Iterable[Call]:
        kernel = kernels.load(self.model.dimension)
        for link in self.plan.links:
            yield Call(
                kernel,
                link.name,
                {
                    "IAh": Ref("IAh", link.name),
                    "pAh": Ref("pAh", link.name),
                    "rdd": self.zero if link.parent is None else Ref("rdd", link.name),
                },
                {"load": Ref("loads", f"{link.name}:{link.output}")},
            )

    def known(self) -> dict[str, dict[str, Ref | sp.Matrix]]:
        """What is known of each body once it has its accelerations."""
        return {
            link.name: self.orientation_reads(link)
            | {
                "omega": Ref("v", link.name),
                "a": Ref("a", link.name),
                "rdd": self.zero if link.parent is None else Ref("rdd", link.name),
                "IAh": Ref("IAh", link.name),
                "pAh": Ref("pAh", link.name),
            }
            for link in self.plan.links
        }

    def places(self) -> Iterable[Call]:
        for link in reversed(self.plan.links):
            if not link.inputs:
                continue
            kernel = kernels.place(self.model.dimension, len(link.inputs))
            data = self.data[link.name]
            at_root = link.parent is None
            reads = self.orientation_reads(link) | {
                "omega": Ref("v", link.name),
                "x": self.zero if at_root else Ref("x", link.name),
                "rd": self.zero if at_root else Ref("rd", link.name),
            }
            writes = {}
            for k, child in enumerate(link.children, start=1):
                reads[f"rb_I{k}"] = data.arms[k - 1]
                writes[f"x_I{k}"] = Ref("x", child)
                writes[f"rd_I{k}"] = Ref("rd", child)
            yield Call(kernel, link.name, reads, writes)

    def poses(self) -> Iterable[Call]:
        kernel = kernels.pose(self.model.dimension)
        for link in self.plan.links:
            yield Call(
                kernel,
                link.name,
                self.orientation_reads(link)
                | {
                    "x": self.zero if link.parent is None else Ref("x", link.name),
                    "ob": self.data[link.name].origin,
                },
                {"pose": Ref("poses", link.name)},
            )

    def energies(self) -> Iterable[Call]:
        kernel = kernels.energy(self.model.dimension)
        before: Ref | sp.Matrix = sp.zeros(1, 1)
        for link in self.plan.links:
            data = self.data[link.name]
            at_root = link.parent is None
            here = Ref("energy", "") if at_root else Ref("E", link.name)
            yield Call(
                kernel,
                link.name,
                self.orientation_reads(link)
                | {
                    "omega": Ref("v", link.name),
                    "x": self.zero if at_root else Ref("x", link.name),
                    "rd": self.zero if at_root else Ref("rd", link.name),
                    "m": data.mass,
                    "g": self.gravity,
                    "JC": data.central,
                    "rCb": data.centre,
                    "Ebefore": before,
                },
                {"E": here},
            )
            before = here

    def rates(self) -> Iterable[Call]:
        kernel = kernels.rate(self.model.dimension)
        for body in self.model.bodies:
            reads: dict[str, Ref | sp.Matrix] = {"omega": Ref("v", body.name)}
            if self.model.dimension == 3:
                reads["Q"] = Ref("q", body.name)
            yield Call(kernel, body.name, reads, {"qd": Ref("qd", body.name)})

    def retractions(self) -> Iterable[Call]:
        kernel = kernels.retraction()
        for body in self.model.bodies:
            yield Call(kernel, body.name, {"Q": Ref("q", body.name)}, {"qn": Ref("qn", body.name)})


def fast_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """The Riccati method for a tree in its fast form.

    `runtime` names the model parameters that stay arguments; `forced` adds external loads on
    each body.

    Shape
        Arguments `q`, `v`, and if forced `tau` (per body the couple along its speeds) and `f`
        (per body the force at its centre of mass, then a couple); results `a`, `loads` (per
        output end m then q, three components each), `za` and `zb` (the same and r̈, Ω̇ for all
        `states`), `poses` (per body a 4×4 transform), `energy`, `qd`, and in space `qn`.
    Frame
        `f` and `loads` in the inertial frame; `v`, `a` and `tau` in body axes (in space).
    Source
        Riccati paper, Sects. 3 and 4, completed; hinge step in the articulated-body form.
    """
    writer = Writer(plan, forced)
    return Program(
        name=plan.model.name,
        title=f"Riccati transfer matrix method, fast form: {plan.model.name}",
        algorithm="riccati",
        sets=_sets(plan) | end_sets(plan),
        arrays={array.name: array for array in _arrays(writer.space, forced)},
        steps=(
            Step("map", "orientation", "orientation of every body", Written(writer.orientation)),
            Step(
                "sweep",
                "tips_to_root",
                "Riccati recursion, from the tips to the root",
                Written(writer.tips_to_root),
            ),
            Step(
                "sweep",
                "root_to_tips",
                "back-substitution, from the root to the tips",
                Written(writer.root_to_tips),
            ),
            Step("map", "hinge_loads", "loads at every hinge", Written(writer.loads)),
            absolute_end_step(plan, writer.known),
            Step("sweep", "places", "position of every hinge", Written(writer.places)),
            Step("map", "body_poses", "pose of every body", Written(writer.poses)),
            Step("sweep", "energies", "energy of the system", Written(writer.energies)),
            Step("map", "rates", "rates of the coordinates", Written(writer.rates)),
            *_retract(writer),
        ),
        entries=_entries(writer.space),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
    )


def _retract(writer: Writer) -> Iterable[Step]:
    if writer.model.dimension == 3:
        yield Step("map", "retract", "quaternions back to unit length", Written(writer.retractions))


def _sets(plan: Plan) -> dict[str, tuple[str, ...]]:
    order = {body.name: plan.link(body.name).output for body in plan.model.bodies}
    return {
        "bodies": tuple(link.name for link in plan.links),
        "coordinates": tuple(order),
        "ends": tuple(f"{body}:{output}" for body, output in order.items()),
        "system": ("",),
    }


def _arrays(space: Space, forced: bool) -> Iterable[Array]:
    d, n, k = space.dimension, space.spins, space.motion

    def given(name: str, rows: int, slot: Slot = Slot.VECTOR) -> Array:
        return Array(name, "coordinates", Port(name, rows), Storage.ARGUMENT, name, slot)

    def result(name: str, port: Port, index_set: str) -> Array:
        return Array(name, index_set, port, Storage.RESULT, name)

    def work(name: str, rows: int = 1, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, "bodies", Port(name, rows, cols, symmetric))

    yield given("q", space.angles, Slot.ANGLE if d == 2 else Slot.QUATERNION)
    yield given("v", n)
    if forced:
        yield given("tau", n)
        yield given("f", k)
    yield result("a", Port("a", n), "coordinates")
    yield result("loads", Port("loads", 6), "ends")
    yield from end_arrays()
    yield result("poses", Port("poses", 4, 4), "coordinates")
    yield result("energy", Port("energy"), "system")
    yield result("qd", Port("qd", space.angles), "coordinates")
    if d == 3:
        yield result("qn", Port("qn", 4), "coordinates")
    if d == 2:
        yield work("c")
        yield work("s")
    else:
        yield work("A", 3, 3)
    yield work("IA", k, k, symmetric=True)
    yield work("pA", k)
    yield work("P", n, d)
    yield work("b", n)
    yield work("IAh", k, k, symmetric=True)
    yield work("pAh", k)
    yield work("rdd", d)
    yield work("x", d)
    yield work("rd", d)
    yield work("E")


def _entries(space: Space) -> tuple[Entry, ...]:
    dynamics = ("orientation", "tips_to_root", "root_to_tips")
    entries = (
        Entry("accelerations", "accelerations of the coordinates", dynamics, ("a",)),
        Entry(
            "joint_loads",
            "loads at the hinges, moment then force, on the root side by the tip side",
            (*dynamics, "hinge_loads"),
            ("a", "loads"),
        ),
        end_entry(dynamics),
        Entry("poses", "pose of every body", ("orientation", "places", "body_poses"), ("poses",)),
        Entry(
            "energy",
            "kinetic plus potential energy",
            ("orientation", "places", "energies"),
            ("energy",),
        ),
        Entry("rates", "rates of the coordinates", ("rates",), ("qd",)),
    )
    if space.dimension == 2:
        return entries
    return (*entries, Entry("retract", "coordinates back to unit length", ("retract",), ("qn",)))
