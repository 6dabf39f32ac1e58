"""The calls of one long chain in joint coordinates, on pins or balls, in segments side by side.

What a pin or a ball hands on is a force alone, so that two segments are joined as in absolute
coordinates: by the force in the hinge between them and the acceleration of that hinge, in the
axes of the link at its root side. Spins are swept twice: first how much each segment turns and
spins relative to its near end, then, with the near ends' known, all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import sympy as sp

from ....errors import CodegenError
from ....model.hinge_kinds import ABSOLUTE_KINDS
from ...language.columns import with_columns
from ...language.program import Call, Ref
from ...plans.plan import Link, Plan
from ...plans.segments import Chain, LaneStep, Unit, lane_step, long_chains
from ...tree import motion_kernels as kernels
from ...tree import recursion_kernels
from ...tree import steps as shared
from ...tree.joint import Joint
from . import absolute_kernels as segment
from . import joint_kernels as own

Reads = dict[str, Ref | sp.Matrix]


def the_chain(plan: Plan, lanes: int) -> Chain:
    """The model's only chain.

    Raises
        CodegenError: there is more than one long chain of links on pins or balls alone.
    """
    model = plan.model
    (chain, *others) = long_chains(plan, lanes)
    kind = ABSOLUTE_KINDS[model.dimension].name  # a hinge that hands on a force alone
    hinges = {hinge.name: hinge for hinge in model.hinges}
    along = [hinges[link.hinge] for link in chain.links]
    plain = all(h.kind == kind and not h.motion and not h.rotor and not h.force for h in along)
    alike = len({h.ends[0].body == link.name for h, link in zip(along, chain.links, strict=True)})
    alone = len(chain.links) == len(model.bodies) == len(model.hinges)
    if others or not (plain and alone and alike == 1) or model.base or model.loads:
        raise CodegenError(
            f"{model.name}: in joint coordinates c-lanes takes one chain of bodies on "
            f"{kind} hinges, without force laws, drives, loads or loops; use target c"
        )
    if along != list(model.hinges):
        raise CodegenError(
            f"{model.name}: its bodies and its hinges are not in the same order; use target c"
        )
    return chain


class ChainWriter:
    """Collects the calls of the two-handle program of one chain."""

    def __init__(self, plan: Plan, forced: bool, lanes: int) -> None:
        self.plan, self.forced = plan, forced
        self.chain = the_chain(plan, lanes)
        self.base = Joint(plan, forced)
        self.dimension = d = plan.model.dimension
        self.space = self.base.space
        self.freedom = self.space.spins
        self.zero = sp.zeros(d, 1)

    @property
    def order(self) -> Iterator[tuple[str, int]]:
        """The segments' names and lanes from the root to the tip."""
        return ((self.chain.name(lane), lane) for lane in self.chain.outward)

    def outwards(self, lane: int) -> tuple[Link, ...]:
        return self.chain.segment(lane)[:: -1 if self.chain.inward else 1]

    def arm(self, link: Link) -> sp.Matrix:
        """From a link's origin to the hinge of the one that hangs on it, if one does."""
        return self.base.data[link.name].arms[0] if link.children else self.zero

    def each(self, name: str, title: str, calls: Iterable[Call]) -> LaneStep:
        """A map over all links, from the calls of the program without segments."""
        found = {call.member: call for call in calls}
        lanes: list[list[Unit]] = [
            [(found[link.name],) for link in self.chain.segment(lane)]
            for lane in range(self.chain.lanes)
        ]
        return lane_step(self.chain, name, title, lanes, True)

    def swept(self, name: str, title: str, lanes: list[list[Unit]], outward: bool) -> LaneStep:
        """A sweep, lane by lane in its order."""
        return lane_step(self.chain, name, title, lanes, self.chain.inward != outward)

    def starts(self) -> Iterable[Call]:
        kernel = own.start(self.dimension)
        for name, lane in self.order:
            writes = {port.name: Ref(f"{port.name}_start", name) for port in kernel.outputs}
            reads: Reads = {"arm": self.arm(self.outwards(lane)[-1])}
            yield Call(kernel, name, reads, writes)

    def turning(self) -> LaneStep:
        """How each segment turns and spins relative to its near end."""
        kernel, end = own.turning(self.dimension), own.turned(self.dimension)
        lanes = []
        for lane in range(self.chain.lanes):
            name = self.chain.name(lane)
            before = {key: Ref(f"{key}_start", name) for key in ("R", "ws")}
            units: list[Unit] = []
            for link in self.outwards(lane):
                reads: Reads = {**before, "C": Ref("C", link.name), "wr": Ref("wr", link.name)}
                before = {key: Ref(key, link.name) for key in ("R", "ws")}
                writes = {f"{key}n": ref for key, ref in before.items()}
                units.append((Call(kernel, link.name, reads, writes),))
            writes = {f"{key}e": Ref(f"{key}_end", name) for key in before}
            units[-1] = (*units[-1], Call(end, name, dict(before), writes))
            lanes.append(units)
        return self.swept("turning", "turn of the segments", lanes, outward=True)

    def near_spins(self) -> Iterable[Call]:
        kernel = kernels.spins(self.dimension, kernels.ANY)
        copy = own.ground_spin(self.dimension)
        at: Ref | None = None
        for name, _ in self.order:
            here = Ref("w_near", name)
            if at is None:
                yield Call(copy, name, {}, {"w": here})
            else:
                before = at.member
                reads: Reads = {"wp": at, "wr": Ref("ws_end", before)}
                if self.dimension == 3:
                    reads["C"] = Ref("R_end", before)
                yield Call(kernel, name, reads, {"w": here})
            at = here

    def with_spin(self, link: Link, first: bool, lane: int) -> Ref:
        """The spin of what a link hangs on."""
        return Ref("w_near", self.chain.name(lane)) if first else Ref("w", link.parent or "")

    def spins(self) -> LaneStep:
        calls = {call.member: call for call in shared.spins(self.base).calls}
        copy = own.kept_spin(self.dimension)
        lanes: list[list[Unit]] = []
        for lane in range(self.chain.lanes):
            units: list[Unit] = []
            for k, link in enumerate(self.outwards(lane)):
                call = calls[link.name]
                spin = self.with_spin(link, k == 0, lane)
                kept = Call(copy, link.name, {"wp": spin}, {"wpo": Ref("wp", link.name)})
                reads = {**call.reads, "wp": spin}
                units.append((kept, Call(call.kernel, link.name, reads, call.writes)))
            lanes.append(units)
        return self.swept("spins", "angular velocities, outwards", lanes, outward=True)

    def inward(self) -> LaneStep:
        """All segments from their far ends to their near ends."""
        lanes = []
        for lane in range(self.chain.lanes):
            name = self.chain.name(lane)
            hung = {key: Ref(f"{key}_start", name) for key in ("IA", "pA", "pAF", "L", "y")}
            links = self.outwards(lane)
            units: list[Unit] = []
            for link in reversed(links):
                units.append(tuple(self._link_inward(link, hung)))
                stems = {"IA": "IAt", "pA": "pAt", "pAF": "pAtF", "L": "L", "y": "y"}
                hung = {key: Ref(stem, link.name) for key, stem in stems.items()}
            writes = {f"{key}e": Ref(f"{key}_end", name) for key in hung}
            units[-1] = (
                *units[-1],
                Call(segment.end(self.dimension), name, dict(hung), writes),
            )
            lanes.append(units)
        return self.swept("inward", "Riccati recursion of the segments", lanes, outward=False)

    def _link_inward(self, link: Link, hung: dict[str, Ref]) -> Iterable[Call]:
        d, n, name = self.dimension, self.freedom, link.name
        base = self.base
        kernel = with_columns(recursion_kernels.body(d, 1, self.forced), ("pAt_I1",), d)
        given = {"IAt_I1": hung["IA"], "pAt_I1": hung["pA"], "pAt_I1F": hung["pAF"]}
        reads: Reads = dict(base.call(kernel, link, given).reads)
        yield Call(kernel, name, reads, _same(name, "IA", "pA", "pAF"))
        kernel = with_columns(base.through(link), ("pA",), d)
        reads = dict(base.call(kernel, link, {"wp": Ref("wp", name)}).reads)
        yield Call(kernel, name, reads, _same(name, *(port.name for port in kernel.outputs)))
        reads = {key: Ref(key, name) for key in ("gam", f"H{n}", f"k{n}", f"k{n}F")}
        reads |= {"N": hung["pAF"], "L": hung["L"], "y": hung["y"]}
        writes = {"Ln": Ref("L", name), "yn": Ref("y", name)}
        yield Call(own.far_end(d, n), name, reads, writes)

    def joined(self) -> Iterable[Call]:
        hangs: tuple[Ref, Ref] | None = None
        for name, _ in reversed(list(self.order)):
            if hangs is None:
                yield Call(segment.free(self.dimension), name, {}, {"f": Ref("f_far", name)})
                hangs = Ref("IA_end", name), Ref("pA_end", name)
                continue
            reads: Reads = {key: Ref(f"{key}_end", name) for key in ("IA", "pA", "L", "y")}
            reads |= {"C": Ref("pAF_end", name), "M": hangs[0], "q": hangs[1]}
            hangs = Ref("IAj", name), Ref("pAj", name)
            writes = {key: Ref(key, name) for key in ("Xr", "x0", "Fr", "f0", "IAj", "pAj")}
            yield Call(segment.merge(self.dimension), name, reads, writes)

    def parted(self) -> Iterable[Call]:
        names = [name for name, _ in self.order]
        ground: Reads = {"rdd": -self.base.ground.gravity}
        yield Call(
            segment.near(self.dimension), names[0], ground, {"rddn": Ref("rdd_near", names[0])}
        )
        for name, beyond in pairwise(names):
            reads: Reads = {key: Ref(key, name) for key in ("Xr", "x0", "Fr", "f0")}
            reads["rdd"] = Ref("rdd_near", name)
            writes = {"rdd_far": Ref("rdd_near", beyond), "f": Ref("f_far", name)}
            yield Call(segment.part(self.dimension), name, reads, writes)

    def slot(self, lane: int, row: int) -> str:
        """Where the angular acceleration of what a link hangs on is kept: by lane and row."""
        return f"slot {lane + 1}.{row}"

    def outward(self) -> LaneStep:
        """All links' accelerations, from the near ends to the far ends."""
        d, n = self.dimension, self.freedom
        held, reach = own.held(d, n), own.reach(d)
        shift = 0 if self.chain.inward else 1
        lanes = []
        for lane in range(self.chain.lanes):
            name = self.chain.name(lane)
            rows = {link.name: row for row, link in enumerate(self.chain.segment(lane))}
            r_dd = Ref("rdd_near", name)
            units: list[Unit] = []
            for link in self.outwards(lane):
                reads: Reads = {key: Ref(key, link.name) for key in (f"k{n}", f"k{n}F")}
                reads |= {"f": Ref("f_far", name), "rdd": r_dd}
                writes = _same(link.name, f"kf{n}", "ap0", "rddo")
                known = Call(held, link.name, reads, writes)
                moved = self._accelerated(link, "ap0", _same(link.name, "acc"))
                reads = {"acc": Ref("acc", link.name), "arm": self.arm(link)}
                r_dd = Ref("rdd", link.name)
                slot = self.slot(lane, rows[link.name] + shift)
                writes = {"rddn": r_dd, "wd": Ref("wd", slot)}
                units.append((known, moved, Call(reach, link.name, reads, writes)))
            lanes.append(units)
        return self.swept("outward", "accelerations, near ends to far ends", lanes, outward=True)

    def _accelerated(self, link: Link, known: str, writes: dict[str, Ref]) -> Call:
        """Accelerations of a link and its hinge, from what is known of the hinge's other side."""
        n = self.freedom
        kernel = recursion_kernels.accelerate(self.dimension, n, self.base.turn(link))
        given: Reads = {f"k{n}": Ref(f"kf{n}", link.name), "r": self.zero}
        given["ap"] = Ref(known, link.name)
        return Call(kernel, link.name, self.base.call(kernel, link, given).reads, writes)

    def handed(self) -> Iterable[Call]:
        """The angular acceleration of each segment's last link, for the next segment's first."""
        at: str | None = None
        kernel, still = own.handed(self.dimension), own.still(self.dimension)
        inward = self.chain.inward
        for name, lane in self.order:
            count = len(self.chain.segment(lane))
            here = Ref("wd", self.slot(lane, count if inward else 0))
            if at is None:
                yield Call(still, name, {}, {"wdn": here})
            else:
                yield Call(kernel, name, {"wd": Ref("wd", at)}, {"wdn": here})
            at = self.slot(lane, 0 if inward else count)

    def relative(self) -> LaneStep:
        """The accelerations of the coordinates, from those of both sides of each hinge."""
        behind = own.behind(self.dimension)
        lanes = []
        for lane in range(self.chain.lanes):
            units: list[Unit] = []
            for row, link in enumerate(self.chain.segment(lane)):
                slot = self.slot(lane, row + (1 if self.chain.inward else 0))
                reads: Reads = {"rdd": Ref("rddo", link.name), "wd": Ref("wd", slot)}
                known = Call(behind, link.name, reads, {"ap": Ref("ap", link.name)})
                speeds = enumerate(self.base.speeds(link), start=1)
                writes = {f"a_{j}": Ref("a", name) for j, name in speeds}
                units.append((known, self._accelerated(link, "ap", writes)))
            lanes.append(units)
        title = "accelerations of the coordinates"
        return lane_step(self.chain, "relative_accelerations", title, lanes, True)


def _same(member: str, *names: str) -> dict[str, Ref]:
    return {name: Ref(name, member) for name in names}
