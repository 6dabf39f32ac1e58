"""The Riccati method with a tree's long chains in segments: the two-handle program.

All segments are swept from their far ends to their near ends at once, each as if nothing were
known of what hangs on it; then they are joined, one by one, with the rest of the tree; and
with the accelerations of their near ends and the wrenches at their far ends all are swept back
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import sympy as sp

from ...language.program import Array, Call, Entry, Map, Port, Ref, Slot, Step, Storage, Sweep
from ...mechanics.constants import BodyConstants
from ...mechanics.space import Space
from ...plans.plan import Link, Plan
from ...plans.segments import LANES, Chain, LaneProgram, LaneStep, Unit, lane_step, long_chains
from ...tree import absolute_kernels as kernels
from ...tree.absolute import Absolute
from ..riccati import absolute as whole
from . import absolute_kernels as segment

Reads = dict[str, Ref | sp.Matrix]


class SegmentWriter:
    """Collects the calls of the two-handle program: chains in lanes, the rest one by one."""

    def __init__(self, plan: Plan, forced: bool, chains: Sequence[Chain]) -> None:
        self.tree = tree = Absolute(plan, forced)
        self.plan, self.model, self.forced = plan, plan.model, forced
        self.data, self.zero = tree.data, tree.zero
        self.dimension = plan.model.dimension
        self.space = Space(self.dimension)
        self.axes = ("c", "s") if self.dimension == 2 else ("A",)
        self.chains = chains
        self.top = {chain.top.name: chain for chain in chains}
        self.cut = {link.name for chain in chains for link in chain.links}
        self.arms: dict[object, sp.Matrix] = {}
        self.whole = {step.name: step.calls for step in whole.steps_of(tree)}

    def arm(self, link: Link) -> sp.Matrix:
        """From the output of a body of a chain to where the next one hangs, or could hang."""
        if link.inputs:
            return self.data[link.name].arms[0]
        if not link.free:
            return self.zero
        key = (link.rigid.points, link.output, link.free[0])
        if key not in self.arms:
            (self.arms[key],) = BodyConstants.of(link.rigid, link.output, link.free[:1]).arms
        return self.arms[key]

    def starts(self, chain: Chain) -> Iterable[Call]:
        kernel = segment.start(self.dimension)
        for name in chain.names:
            writes = {port.name: Ref(f"{port.name}_start", name) for port in kernel.outputs}
            yield Call(kernel, name, {}, writes)

    def mapped(
        self, chain: Chain, name: str, title: str, make: Callable[[Link, str], Unit]
    ) -> LaneStep:
        """What is done to all bodies of a chain independently, by body and segment."""
        lanes = [
            [make(link, chain.name(lane)) for link in chain.segment(lane)]
            for lane in range(chain.lanes)
        ]
        return lane_step(chain, f"{name}_{chain.number}", title, lanes, True)

    def turned(self, link: Link, _: str) -> Unit:
        """The orientation of a body of a chain."""
        kernel = kernels.orientation(self.dimension)
        writes = {port.name: Ref(f"{port.name}_row", link.name) for port in kernel.outputs}
        reads: Reads = {kernel.inputs[0].name: Ref("q", link.name)}
        return (Call(kernel, link.name, reads, writes),)

    def loaded(self, link: Link, segment_name: str) -> Unit:
        """The load at the output hinge of a body of a chain."""
        d, name = self.dimension, link.name
        demanded = segment.demanded(d)
        reads: Reads = {key: Ref(f"{key}_row", name) for key in ("pAh", "pAhF")}
        reads["f"] = Ref("f_far", segment_name)
        known = Call(demanded, name, reads, {"pAf": Ref("pAf_row", name)})
        reads = {key: Ref(f"{key}_row", name) for key in ("IAh", "rdd")}
        reads["pAh"] = Ref("pAf_row", name)
        writes = {"load": Ref("loads", f"{name}:{link.output}")}
        return (known, Call(kernels.load(d), name, reads, writes))

    def single(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """Of calls those at bodies in no chain."""
        return tuple(call for call in calls if call.member not in self.cut)

    def everywhere(self, name: str, title: str, calls: Iterable[Call]) -> Iterable[Step]:
        """A map over all bodies, one call each: chain by chain, then the others."""
        found = {call.member: call for call in calls}
        for chain in self.chains:
            yield self.mapped(chain, name, title, lambda link, _: (found[link.name],))
        yield Map(name, title, self.single(found.values()))

    def inward(self, chain: Chain) -> LaneStep:
        """All segments from their far ends to their near ends."""
        lanes = [self._segment_inward(chain, lane) for lane in range(chain.lanes)]
        return lane_step(
            chain,
            f"inward_{chain.number}",
            f"Riccati recursion of {chain.lanes} segments, from the far ends to the near ends",
            lanes,
            chain.inward,
        )

    def _segment_inward(self, chain: Chain, lane: int) -> list[Unit]:
        name = chain.name(lane)
        links = chain.segment(lane)[:: 1 if chain.inward else -1]
        before = {key: Ref(f"{key}_start", name) for key in ("IA", "pA", "pAF", "L", "y")}
        units: list[Unit] = []
        for link in links:
            units.append(tuple(self._link_inward(link, before)))
            stems = {"IA": "IAh", "pA": "pAh", "pAF": "pAhF", "L": "L", "y": "y"}
            before = {key: Ref(f"{stem}_row", link.name) for key, stem in stems.items()}
        kernel = segment.end(self.dimension)
        writes = {f"{key}e": Ref(f"{key}_end", name) for key in before}
        units[-1] = (*units[-1], Call(kernel, name, before, writes))
        return units

    def _link_inward(self, link: Link, before: dict[str, Ref]) -> Iterable[Call]:
        d, name = self.dimension, link.name

        def own(*keys: str) -> dict[str, Ref]:
            return {key: Ref(f"{key}_row", name) for key in keys}

        axes = own(*self.axes)
        arm = {"rb_I1": self.arm(link)}
        hung = {f"{key}_I1": before[key] for key in ("IA", "pA")} | {"pA_I1F": before["pAF"]}
        body = segment.body(d, self.forced)
        yield self.tree.call(body, link, axes | arm | hung, own("IA", "pA", "pAF"))
        hinge = segment.hinge(d)
        demands = own("IA", "pA", "pAF")
        yield Call(hinge, name, demands, own(*(port.name for port in hinge.outputs)))
        reads = axes | arm | own("b", "bF", "pAF") | {"omega": Ref("v", name)}
        reads |= {"C": before["pAF"], "L": before["L"], "y": before["y"]}
        writes = {"Ln": Ref("L_row", name), "yn": Ref("y_row", name)}
        yield Call(segment.far_end(d), name, reads, writes)

    def tips_to_root(self) -> Iterable[Call]:
        calls: dict[str, list[Call]] = {link.name: [] for link in self.plan.links}
        for call in self.whole["tips_to_root"]:
            calls[call.member].append(call)
        for link in self.plan.links:
            if link.name in self.top:
                yield from self.joined(self.top[link.name])
            elif link.name not in self.cut:
                yield from calls[link.name]

    def joined(self, chain: Chain) -> Iterable[Call]:
        """The segments of a chain with what hangs on it, from the tip to the root."""
        kernel = segment.merge(self.dimension)
        hangs: tuple[Ref, Ref] | None = None
        if chain.child is not None:
            hangs = Ref("IAh", chain.child), Ref("pAh", chain.child)
        for lane in reversed(chain.outward):
            name = chain.name(lane)
            if hangs is None:
                yield Call(segment.free(self.dimension), name, {}, {"f": Ref("f_far", name)})
                hangs = Ref("IA_end", name), Ref("pA_end", name)
                continue
            reads = {key: Ref(f"{key}_end", name) for key in ("IA", "pA", "L", "y")}
            reads |= {"C": Ref("pAF_end", name), "M": hangs[0], "q": hangs[1]}
            last = lane == chain.outward[0]
            hangs = (
                (Ref("IAh", chain.top.name), Ref("pAh", chain.top.name))
                if last
                else (Ref("IAj", name), Ref("pAj", name))
            )
            writes = {key: Ref(key, name) for key in ("Xr", "x0", "Fr", "f0")}
            yield Call(kernel, name, reads, writes | {"IAj": hangs[0], "pAj": hangs[1]})

    def root_to_tips(self) -> Iterable[Call]:
        calls = {call.member: call for call in self.whole["root_to_tips"]}
        for link in reversed(self.plan.links):
            if link.name in self.top:
                yield from self.parted(self.top[link.name])
            elif link.name not in self.cut:
                yield calls[link.name]

    def parted(self, chain: Chain) -> Iterable[Call]:
        """What holds at the ends of the segments, from the root to the tip."""
        near = self.zero if chain.top.parent is None else Ref("rdd", chain.top.name)
        first = Ref("rdd_near", chain.name(chain.outward[0]))
        yield Call(segment.near(self.dimension), first.member, {"rdd": near}, {"rddn": first})
        for k, lane in enumerate(chain.outward):
            name, last = chain.name(lane), k + 1 == chain.lanes
            if last and chain.child is None:
                return
            beyond = (
                Ref("rdd", chain.child or "")
                if last
                else Ref("rdd_near", chain.name(chain.outward[k + 1]))
            )
            reads: Reads = {key: Ref(key, name) for key in ("Xr", "x0", "Fr", "f0")}
            reads["rdd"] = Ref("rdd_near", name)
            writes = {"rdd_far": beyond, "f": Ref("f_far", name)}
            yield Call(segment.part(self.dimension), name, reads, writes)

    def outward(self, chain: Chain) -> LaneStep:
        """All segments from their near ends to their far ends."""
        lanes = [self._segment_outward(chain, lane) for lane in range(chain.lanes)]
        return lane_step(
            chain,
            f"outward_{chain.number}",
            f"back-substitution in {chain.lanes} segments, from the near ends to the far ends",
            lanes,
            not chain.inward,
        )

    def _segment_outward(self, chain: Chain, lane: int) -> list[Unit]:
        d, segment_name = self.dimension, chain.name(lane)
        accelerate = kernels.acceleration(d, 1)
        held = segment.held(d)
        r_dd = Ref("rdd_near", segment_name)
        units: list[Unit] = []
        for link in chain.segment(lane)[:: -1 if chain.inward else 1]:
            name = link.name
            reads: Reads = {key: Ref(f"{key}_row", name) for key in ("b", "bF")}
            reads |= {"f": Ref("f_far", segment_name), "rdd": r_dd}
            writes = {"bf": Ref("bf_row", name), "rddo": Ref("rdd_row", name)}
            known = Call(held, name, reads, writes)
            reads = {key: Ref(f"{key}_row", name) for key in self.axes}
            reads |= {
                "P": Ref("P_row", name),
                "b": Ref("bf_row", name),
                "rdd": r_dd,
                "omega": Ref("v", name),
                "rb_I1": self.arm(link),
            }
            r_dd = Ref("rdd_I_row", name)
            writes = {"a": Ref("a", name), "rdd_I1": r_dd}
            units.append((known, Call(accelerate, name, reads, writes)))
        return units


def segment_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False, lanes: int = LANES
) -> LaneProgram:
    """The Riccati method for a tree whose long chains are swept in segments, side by side.

    Shape
        As `fast_program`, of which it has `a`, `loads`, `qd` and in space `qn`.
    Raises
        CodegenError: the tree has no long chain.
    Source
        Riccati paper, Sects. 3 and 4, completed; two-handle form: divide-and-conquer paper
        (34) – (36).
    """
    chains = long_chains(plan, lanes)
    writer = SegmentWriter(plan, forced, chains)
    turning = "orientation of every body"
    dynamics = (
        Map("starts", "segments without bodies", _all(map(writer.starts, chains))),
        *(writer.mapped(chain, "orientation", turning, writer.turned) for chain in chains),
        *map(writer.inward, chains),
        Map("orientation", turning, writer.single(writer.whole["orientation"])),
        Sweep("tips_to_root", "segments joined, tips to root", tuple(writer.tips_to_root())),
        Sweep("root_to_tips", "back-substitution", tuple(writer.root_to_tips())),
        *map(writer.outward, chains),
    )
    title = "loads at every hinge"
    loads = (
        *(writer.mapped(chain, "hinge_loads", title, writer.loaded) for chain in chains),
        Map("hinge_loads", title, writer.single(writer.whole["hinge_loads"])),
    )
    rates = tuple(writer.everywhere("rates", "rates of the coordinates", writer.whole["rates"]))
    retract: tuple[Step, ...] = ()
    if writer.dimension == 3:
        title = "quaternions back to unit length"
        retract = tuple(writer.everywhere("retract", title, writer.whole["retract"]))
    plain = writer.whole
    places = (
        Map("orientations", turning, plain["orientation"]),
        Sweep("places", "position of every hinge", plain["places"]),
        Map("body_poses", "pose of every body", plain["body_poses"]),
        Sweep("energies", "energy of the system", plain["energies"]),
    )
    return LaneProgram(
        name=plan.model.name,
        title=f"Riccati transfer matrix method, chains in segments: {plan.model.name}",
        algorithm="riccati",
        sets=_sets(writer),
        arrays={array.name: array for array in _arrays(writer)},
        steps=(*dynamics, *loads, *rates, *retract, *places),
        entries=_entries(dynamics, loads, rates, retract),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        chains=chains,
    )


def _entries(
    dynamics: Sequence[Step], loads: Sequence[Step], rates: Sequence[Step], retract: Sequence[Step]
) -> tuple[Entry, ...]:
    def entry(name: str, title: str, steps: Iterable[Step], *results: str) -> Entry:
        return Entry(name, title, tuple(step.name for step in steps), results)

    title = "loads at the hinges, moment then force, on the root side by the tip side"
    entries = (
        entry("accelerations", "accelerations of the coordinates", dynamics, "a"),
        entry("joint_loads", title, (*dynamics, *loads), "a", "loads"),
        entry("rates", "rates of the coordinates", rates, "qd"),
        Entry("poses", "pose of every body", ("orientations", "places", "body_poses"), ("poses",)),
        Entry(
            "energy",
            "kinetic plus potential energy",
            ("orientations", "places", "energies"),
            ("energy",),
        ),
    )
    if not retract:
        return entries
    return (*entries, entry("retract", "coordinates back to unit length", retract, "qn"))


def _all(groups: Iterable[Iterable[Call]]) -> tuple[Call, ...]:
    return tuple(call for group in groups for call in group)


def _sets(writer: SegmentWriter) -> dict[str, tuple[str, ...]]:
    order = {body.name: writer.plan.link(body.name).output for body in writer.model.bodies}
    return {
        "bodies": tuple(link.name for link in writer.plan.links),
        "single": tuple(
            link.name
            for link in writer.plan.links
            if link.name in writer.top or link.name not in writer.cut
        ),
        "rows": tuple(name for chain in writer.chains for name in chain.members),
        "segments": tuple(name for chain in writer.chains for name in chain.names),
        "coordinates": tuple(order),
        "ends": tuple(f"{body}:{output}" for body, output in order.items()),
        "system": ("",),
    }


def _arrays(writer: SegmentWriter) -> Iterable[Array]:
    space = writer.space
    d, n, k = space.dimension, space.spins, space.motion

    def given(name: str, rows: int, slot: Slot = Slot.VECTOR) -> Array:
        return Array(name, "coordinates", Port(name, rows), Storage.ARGUMENT, name, slot)

    yield given("q", space.angles, Slot.ANGLE if d == 2 else Slot.QUATERNION)
    yield given("v", n)
    if writer.forced:
        yield given("tau", n)
        yield given("f", k)

    def result(name: str, index_set: str, rows: int) -> Array:
        return Array(name, index_set, Port(name, rows), Storage.RESULT, name)

    yield result("a", "coordinates", n)
    yield result("loads", "ends", 6)
    yield result("qd", "coordinates", space.angles)
    yield Array("poses", "coordinates", Port("poses", 4, 4), Storage.RESULT, "poses")
    yield result("energy", "system", 1)
    for name, rows in (("x", d), ("rd", d), ("E", 1)):
        yield Array(name, "bodies", Port(name, rows))
    if d == 3:
        yield result("qn", "coordinates", 4)
    axes = [("c", 1, 1, False), ("s", 1, 1, False)] if d == 2 else [("A", 3, 3, False)]
    swept = [
        *axes,
        ("IA", k, k, True),
        ("pA", k, 1, False),
        ("P", n, d, False),
        ("b", n, 1, False),
        ("IAh", k, k, True),
        ("pAh", k, 1, False),
        ("rdd", d, 1, False),
    ]
    handles = [("pAF", k, d, False), ("L", d, d, True), ("y", d, 1, False)]
    columns = [("pAhF", k, d, False), ("bF", n, d, False), ("bf", n, 1, False)]
    columns += [("pAf", k, 1, False), ("rdd_I", d, 1, False)]
    for name, rows, cols, symmetric in swept:
        one_by_one = "bodies" if (name, rows, cols, symmetric) in axes else "single"
        yield Array(name, one_by_one, Port(name, rows, cols, symmetric))
    for name, rows, cols, symmetric in (*swept, *handles, *columns):
        yield Array(f"{name}_row", "rows", Port(f"{name}_row", rows, cols, symmetric))
    joined = [("IAj", k, k, True), ("pAj", k, 1, False), ("Xr", d, d, False), ("x0", d, 1, False)]
    joined += [("Fr", d, d, False), ("f0", d, 1, False), ("f_far", d, 1, False)]
    joined += [("rdd_near", d, 1, False)]
    for end in ("start", "end"):
        for name, rows, cols, symmetric in (*swept[len(axes) :][:2], *handles):
            joined.append((f"{name}_{end}", rows, cols, symmetric))
    for name, rows, cols, symmetric in joined:
        yield Array(name, "segments", Port(name, rows, cols, symmetric))
