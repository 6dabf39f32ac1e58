"""Inverse dynamics with its first and second rate in time, as a program (`inverse-rates`).

Drives with elastic gears need them: the motor behind a spring moves by the joint's force and
its second rate. Trees on the ground whose hinges have one freedom each, or none.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..model.quantities import TIME, exact_expression
from . import rateskernels as kernels
from .acting import Reads
from .joints import joint
from .jointwriter import acting_arrays, index_sets
from .massmatrix import MassMatrixWriter
from .plan import Link, Plan
from .program import Array, Call, Entry, Kernel, Port, Program, Ref, Step, Storage, named

#: Arguments besides the state, with the names that kernels have for them.
RATES = {"ad": "ad_1", "jerk": "jerk_1", "snap": "snap_1"}
RESULTS = ("tau", "taud", "taudd")


class RatesWriter(MassMatrixWriter):
    """Collects the calls of the recursion."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, loaded=False)
        self.refuse(
            "inverse-rates takes trees",
            "rnea-body takes these, without rates",
            loads=bool(plan.model.loads),
            hinges_of_several_freedoms=any(self.freedom(link) > 1 for link in plan.links),
        )

    def _known(self, kernel: Kernel, link: Link, reads: Reads) -> Reads:
        known = self._own_of(kernel, link) | reads
        for name in self.speeds(link):
            known["u_1"] = Ref("v", name)
            known |= {inside: Ref(array, name) for array, inside in RATES.items()}
        return {port.name: known[port.name] for port in kernel.inputs}

    def twists(self) -> Iterable[Call]:
        rest = sp.zeros(self.space.motion, 1)
        rising = sp.Matrix.vstack(-self.ground.gravity, sp.zeros(self.space.spins, 1))
        ground = dict(zip(kernels.TWIST_NAMES, (rest, rising, rest, rest), strict=True))
        for link in self.outward():
            way, pose = self.way(link.name)
            kernel = kernels.twists(self.dimension, self.freedom(link) > 0, way)
            parent: Reads = {
                f"{x}p": Ref(x, link.parent) if link.parent else ground[x]
                for x in kernels.TWIST_NAMES
            }
            reads = self._known(kernel, link, pose | parent)
            yield Call(kernel, link.name, reads, self.own_refs(link, kernels.TWIST_NAMES))

    def wrenches(self) -> Iterable[Call]:
        for link in self.plan.links:
            kernel = kernels.wrenches(self.dimension, len(link.inputs))
            reads = self._inertia(link)
            for k, child in enumerate(link.children, 1):
                reads |= {f"{x}_I{k}": Ref(f"{x}p", child) for x in kernels.WRENCH_NAMES}
            reads = self._known(kernel, link, reads)
            yield Call(kernel, link.name, reads, self.own_refs(link, kernels.WRENCH_NAMES))
            if link.parent is not None:
                way, pose = self.way(link.name)
                kernel = kernels.transmit(self.dimension, self.freedom(link) > 0, way)
                names = [f"{x}p" for x in kernels.WRENCH_NAMES]
                reads = self._known(kernel, link, pose)
                yield Call(kernel, link.name, reads, self.own_refs(link, names))

    def required(self) -> Iterable[Call]:
        named: dict[tuple[sp.Expr, ...], str] = {}
        for link in self.plan.links:
            if not self.freedom(link):
                continue
            laws = self.law_rates(link)
            rotor = self.resisting(link)
            label = named.setdefault(laws, link.hinge) if any(laws) else "free"
            label += "_rotor" if rotor else ""
            kernel = kernels.required(self.dimension, label, laws, bool(rotor))
            reads = self._known(kernel, link, self.state(link) | rotor)
            (speed,) = self.speeds(link)
            writes = {f"Q{k}": Ref(result, speed) for k, result in enumerate(RESULTS)}
            yield Call(kernel, link.name, reads, writes)

    def law_rates(self, link: Link) -> tuple[sp.Expr, ...]:
        """The law of a hinge and its two rates along the motion."""
        hinge = self.hung[link.name].hinge
        of = joint(self.dimension, hinge.kind)
        (law,) = self.laws[hinge.name] or (sp.Integer(0),)
        second, third = (sp.Symbol(x, real=True) for x in ("ad_1", "jerk_1"))
        steps = {of.q[0]: of.u[0], of.u[0]: second, second: third, TIME: sp.Integer(1)}
        found = [exact_expression(law)]
        for _ in range(2):
            found.append(sum((found[-1].diff(x) * xd for x, xd in steps.items()), sp.Integer(0)))
        return tuple(found)

    def own_refs(self, link: Link, names: Iterable[str]) -> dict[str, Ref]:
        return {name: Ref(name, link.name) for name in names}


def rates_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """Inverse dynamics and its first two rates in time.

    `runtime` names the model parameters that stay arguments; `forced` changes nothing.

    Shape
        Arguments `q`, `v`, `t` (if anything depends on the time), `ad`, `jerk`, `snap` (per
        speed its first, second and third rate); results `tau`, `taud`, `taudd` (per speed).
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base, loads, or
            hinges of several freedoms.
    Source
        Screw paper, Sect. 6.3; the recursion is own.
    """
    writer = RatesWriter(plan)
    slots = tuple(s for h in plan.model.tree_hinges for s in joint(writer.dimension, h.kind).slots)
    steps = (
        Step("map", "relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Step("sweep", "outward", "twists with rates, outwards", tuple(writer.twists())),
        Step("sweep", "inward", "wrenches with rates, inwards", tuple(writer.wrenches())),
        Step("map", "needed", "forces needed in every hinge", tuple(writer.required())),
        Step("map", "rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
    )
    return Program(
        name=plan.model.name,
        title=f"inverse dynamics with rates: {plan.model.name}",
        algorithm="inverse-rates",
        sets=index_sets(writer),
        arrays=named(_arrays(writer)),
        steps=steps,
        entries=(
            Entry(
                "inverse_rates",
                "generalised forces that a motion needs, with two rates",
                ("relatives", "outward", "inward", "needed"),
                RESULTS,
                whole=True,
            ),
            Entry("rates", "rates of the coordinates", ("rates",), ("qd",)),
        ),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def _arrays(writer: RatesWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion
    for name, index_set in (("q", "coordinates"), *((x, "speeds") for x in ("v", *RATES))):
        yield Array(name, index_set, Port(name), Storage.ARGUMENT, name)
    if writer.timed:
        yield Array(TIME.name, "system", Port(TIME.name), Storage.ARGUMENT, TIME.name)
    for name in RESULTS:
        yield Array(name, "speeds", Port(name), Storage.RESULT, name)
    yield Array("qd", "coordinates", Port("qd"), Storage.RESULT, "qd")

    def work(name: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, "links", Port(name, rows, cols))

    yield work("C", d, d)
    for name in ("r", "vr", "br"):
        yield work(name, d)
    for name in ("wr", "bw"):
        yield work(name, s)
    for name in ("cz", "sz"):
        yield work(name)
    yield work("H1", n, 1)
    for name in kernels.TWIST_NAMES:
        yield work(name, n)
    for name in kernels.WRENCH_NAMES:
        yield work(name, n)
        yield work(f"{name}p", n)
    yield from acting_arrays(writer)
