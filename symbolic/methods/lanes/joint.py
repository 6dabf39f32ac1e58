"""One long chain in joint coordinates, on pins or balls, in segments swept side by side."""

from __future__ import annotations

from collections.abc import Iterable

from ....errors import CodegenError
from ...language.program import Array, Entry, Map, Port, Storage, Sweep
from ...plans.plan import Plan
from ...plans.segments import LANES, LaneProgram
from ...tree import steps as shared
from .joint_writer import ChainWriter


def joint_segment_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False, lanes: int = LANES
) -> LaneProgram:
    """The Riccati method for one chain in joint coordinates, in segments side by side.

    Shape
        As `joint_program`, of which it has `a`, `qd` and in space `qn`.
    Raises
        CodegenError: the model is not one long chain on pins or balls.
    Source
        Riccati paper, Sect. 3, in the articulated-body form; two-handle form:
        divide-and-conquer paper (34) – (36).
    """
    if forced:
        raise CodegenError(
            f"{plan.model.name}: in joint coordinates c-lanes takes no external loads; use target c"
        )
    writer = ChainWriter(plan, forced, lanes)
    base, chain = writer.base, writer.chain
    dynamics = (
        writer.each("relatives", "relative motion in every hinge", shared.relatives(base).calls),
        Map("starts", "segments without bodies", tuple(writer.starts())),
        writer.turning(),
        Sweep("near_spins", "spins of the segments", tuple(writer.near_spins())),
        writer.spins(),
        writer.inward(),
        Sweep("tips_to_root", "segments joined, tip to root", tuple(writer.joined())),
        Sweep("root_to_tips", "what holds between them", tuple(writer.parted())),
        writer.outward(),
        Map("handed", "what the segments hand on", tuple(writer.handed())),
        writer.relative(),
    )
    rates = writer.each("rates", "rates of the coordinates", shared.rates(base).calls)
    steps = [*dynamics, rates]
    entries = [
        Entry(
            "accelerations",
            "accelerations of the coordinates",
            tuple(step.name for step in dynamics),
            ("a",),
        ),
        Entry("rates", "rates of the coordinates", ("rates",), ("qd",)),
    ]
    for step in shared.retraction(base):
        steps.append(writer.each(step.name, step.title, step.calls))
        entries.append(Entry("retract", "coordinates back to unit length", ("retract",), ("qn",)))
    return LaneProgram(
        name=plan.model.name,
        title=f"Riccati transfer matrix method, a chain in segments: {plan.model.name}",
        algorithm="riccati",
        sets={
            "rows": tuple(chain.members),
            "slots": tuple(
                writer.slot(lane, row)
                for row in range(chain.rows + 1)
                for lane in range(chain.lanes)
            ),
            "segments": chain.names,
            "coordinates": plan.model.coordinates,
            "speeds": plan.model.speeds,
            "ends": tuple(f"{b.name}:{plan.link(b.name).output}" for b in plan.model.bodies),
        },
        arrays={array.name: array for array in _arrays(writer)},
        steps=tuple(steps),
        entries=tuple(entries),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=base.slots,
        chains=(chain,),
    )


def _arrays(writer: ChainWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion
    f = writer.freedom
    yield Array("q", "coordinates", Port("q"), Storage.ARGUMENT, "q")
    yield Array("v", "speeds", Port("v"), Storage.ARGUMENT, "v")
    yield Array("a", "speeds", Port("a"), Storage.RESULT, "a")
    yield Array("qd", "coordinates", Port("qd"), Storage.RESULT, "qd")
    yield Array("qn", "coordinates", Port("qn"), Storage.RESULT, "qn")
    rows = [("C", d, d), ("R", d, d), *((x, d, 1) for x in ("r", "vr", "br", "rdd", "rddo", "y"))]
    rows += [(x, s, 1) for x in ("wr", "bw", "w", "wp", "ws")] + [("cz", 1, 1), ("sz", 1, 1)]
    rows += [(x, n, 1) for x in ("pA", "pAh", "pAt", "gam", "acc", "ap", "ap0")]
    rows += [(x, n, d) for x in ("pAF", "pAhF", "pAtF")]
    rows += [(f"H{f}", n, f), (f"G{f}", f, n), (f"k{f}", f, 1), (f"kf{f}", f, 1), (f"k{f}F", f, d)]
    for name, height, width in rows:
        yield Array(name, "rows", Port(name, height, width))
    for name in ("IA", "IAh", "IAt"):
        yield Array(name, "rows", Port(name, n, n, symmetric=True))
    yield Array("L", "rows", Port("L", d, d, symmetric=True))
    yield Array("wd", "slots", Port("wd", s))
    parts = [("w_near", s, 1), ("rdd_near", d, 1), ("f_far", d, 1), ("x0", d, 1), ("f0", d, 1)]
    parts += [("Xr", d, d), ("Fr", d, d), ("pAj", n, 1)]
    parts += [(f"R_{end}", d, d) for end in ("start", "end")]
    parts += [(f"ws_{end}", s, 1) for end in ("start", "end")]
    for end in ("start", "end"):
        parts += [(f"pA_{end}", n, 1), (f"pAF_{end}", n, d), (f"y_{end}", d, 1)]
        yield Array(f"IA_{end}", "segments", Port(f"IA_{end}", n, n, symmetric=True))
        yield Array(f"L_{end}", "segments", Port(f"L_{end}", d, d, symmetric=True))
    yield Array("IAj", "segments", Port("IAj", n, n, symmetric=True))
    for name, height, width in parts:
        yield Array(name, "segments", Port(name, height, width))
