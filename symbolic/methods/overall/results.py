"""What is read off the solution of the overall transfer equation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import sympy as sp

from ....model import End, Hinge
from ...language.program import THIS, Call, Kernel, Ref
from ...plans.plan import reported
from ...plans.transfer import Boundary
from ...tree.acting import Reads
from ...tree.conditions import driven_names, taken
from . import row_kernels as rows
from .motion import Loose, called
from .sweeps import PARTS, Sweeps


def accelerations(of: Sweeps) -> Iterable[Call]:
    """The accelerations of the coordinates."""
    model = of.plan.model
    for element in of.transfer.elements if model.absolute else ():
        if element.is_body:
            known: Reads = {"a": Ref("az", element.label), "A": Ref("A", element.name)}
            kernel = rows.spin_rate.of(dimension=of.dimension)
            writes = {"rate": Ref("a", element.name)}
            yield Call(kernel, element.name, taken(kernel, known), writes)
    for element in () if model.absolute else of.equation.auxiliaries:
        names = of.equation.rates(element)
        if {*model.speeds}.issuperset(names):
            kernel = rows.copied.of(dimension=of.dimension, count=len(names))
            yield _rates(kernel, element.label, names, of.unknown("x", names))
    for end, hinge in of.motion.rates():
        yield _pinned_rates(of, end, hinge)
    for loose in of.motion.loose:
        yield _loose_rates(of, loose)


def _rates(kernel: Kernel, member: str, speeds: Sequence[str], known: Reads) -> Call:
    writes = {f"a_{j}": Ref("a", name) for j, name in enumerate(speeds, start=1)}
    return Call(kernel, member, taken(kernel, known), writes)


def _pinned_rates(of: Sweeps, end: Boundary, hinge: Hinge) -> Call:
    speeds = of.plan.model.hinge_speeds(hinge)
    start = of.columns.starts[of.transfer.ends.index(end)]
    known = of.unknown("x", of.unknowns[start : start + of.space.spins])
    known["ag"] = of.motion.ground(called(end))
    known |= {x: Ref(x, f"hinge {hinge.name}") for x in ("gs", f"Hs{len(speeds)}")}
    kernel = rows.pinned_rates.of(dimension=of.dimension, count=len(speeds))
    return _rates(kernel, hinge.name, speeds, known)


def _loose_rates(of: Sweeps, loose: Loose) -> Call:
    body, n = loose.element.name, of.space.motion
    known: Reads = {"ag": of.motion.ground(loose.member), "rOL": loose.arm}
    known |= {x: Ref(x, loose.member) for x in ("gs", "dh", f"Hs{n}")}
    known |= {"a": Ref("az", loose.element.label), "A": Ref("A", body), "omega": Ref("w", body)}
    speeds = of.plan.model.hinge_speeds(loose.hinge)
    kernel = rows.loose_rates.of(dimension=of.dimension, count=n)
    return _rates(kernel, loose.hinge.name, speeds, known)


def loads(of: Sweeps) -> Iterable[Call]:
    """The loads at the ends of bodies with hinges, whichever way states pass there."""
    bodies = [(i, e) for i, e in enumerate(of.transfer.elements) if e.is_body]
    outputs = {e.output: e.label for _, e in bodies}
    inputs = {x: of.entering(i, k) for i, e in bodies for k, x in enumerate(e.inputs, start=1)}
    ends = [End(link.name, link.output) for link in of.plan.links]
    ends += [reported(hinge)[1] for hinge in of.plan.cuts]
    loose = {next(x for x in each.hinge.ends if x in ends): each for each in of.motion.loose}
    wanted = {*of.motion.program.sets["ends"]}
    for end in (*loose, *(x for x in ends if x not in loose and str(x) in wanted)):
        known: Reads
        if end in loose:
            force = Ref("Wg", loose[end].hinge.name)
            known = {"W": force if of.motion.forced else sp.zeros(of.space.motion, 1)}
            known["A"] = Ref("A", loose[end].element.name)
            kernel = rows.loose_load.of(dimension=of.dimension)
        else:
            state = outputs.get(end) or inputs[end]
            known = {x: of.part(x, "z", state) for x in PARTS}
            kernel = rows.load.of(dimension=of.dimension, input=end not in outputs)
        yield Call(kernel, str(end), taken(kernel, known), {"load": Ref("loads", str(end))})


def drives(of: Sweeps) -> Iterable[Call]:
    """The forces that drive the driven hinges."""
    for i, element in enumerate(of.transfer.elements):
        hinge = None if element.is_body else of.equation.hinges[element.name]
        if hinge is not None and hinge.motion:
            names = driven_names(hinge)
            kernel = rows.drive.of(
                dimension=of.dimension, count=len(names), resisted=of.motion.pushed(element)
            )
            writes = {f"drive_{j}": Ref("drive", name) for j, name in enumerate(names, start=1)}
            reads = of.reads(kernel, element, of.around(i, "z"))
            yield Call(kernel, element.label, reads, writes)


def shown(of: Sweeps) -> Iterable[Call]:
    """The overall equation itself."""
    whole = 0, len(of.unknowns)
    made = partial(rows.shown.of, dimension=of.dimension, count=1)
    matrix, right = made(part="matrix"), made(part="right")
    for row in of.rows:
        entry: Reads = {"x": Ref("matrix", row, THIS)}
        yield Call(matrix, row, entry, {"y": Ref("U_all", row, THIS)}, whole)
    for row in of.rows:
        yield Call(right, row, {"x": Ref("right", row)}, {"y": Ref("r_all", row)})
