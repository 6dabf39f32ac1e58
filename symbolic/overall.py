"""The overall transfer equation as a program: the paper's own method, for any model.

Every unknown has a column: the accelerations of each free tip, each hinge's own relative
accelerations, the multipliers of each cut on both its sides, the loads at each root. The
columns are carried from the tips to the root; where they arrive, at bodies with several
inputs, at the hinges themselves and at cuts they become rows of one system, which is solved.
The unknowns are numbered along the sweep, so that those on which an end depends follow each
other. A last sweep with the solution gives all states.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..errors import UsageError
from . import overallrows
from .conditions import driven_names
from .overallforms import AbsoluteForm, Form, JointForm, Reads
from .overallwriter import Writer
from .plan import Plan
from .program import Array, Call, Dense, Entry, Port, Program, Ref, Step, Storage


def overall_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """The overall transfer equation of a model, solved as it stands; loops are cut.

    It loses digits on long chains, and its work grows with the cube of their length: the
    Riccati method is the one to use. Where loops are redundant the system is singular.

    Raises
        UsageError: the model has beams, or its base moves.

    Shape
        Arguments and results as of the Riccati program in the same coordinates; besides
        `U_all` (per row an entry per unknown) and `r_all` (per row): U_all unknowns = r_all.
    Frame
        Unknowns and rows in the inertial frame, a hinge's own along its coordinates.
    Sign
        As of the Riccati program.
    Source
        Deduction paper, rules for chains, trees and general systems, (13)–(35); the hinges'
        own accelerations as further unknowns are own.
    """
    if plan.model.beams:
        raise UsageError(f"{plan.model.name}: overall takes rigid bodies alone, no beams")
    if plan.model.base:
        raise UsageError(f"{plan.model.name}: overall takes no moving base; riccati does")
    given = plan, runtime, forced
    form: Form = AbsoluteForm(*given) if plan.model.absolute else JointForm(*given)
    writer = Writer(form)
    numbering = writer.numbering
    own = tuple(step for step in _steps(writer) if step.calls or step.dense)
    entries = _entries(form, {step.name for step in own})
    used = {name for entry in entries for name in entry.steps}
    base = [step for step in form.steps() if step.name in used]
    cut = max(k for k, step in enumerate(base) if step.name in form.before) + 1
    return replace(
        form.program,
        title=f"Overall transfer equation: {plan.model.name}",
        algorithm="overall",
        sets={
            **form.program.sets,
            "carried": tuple(numbering.spans),
            "unknowns": tuple(numbering.unknowns),
            "rows": tuple(numbering.rows),
        },
        arrays={
            **form.program.arrays,
            **{array.name: array for array in _arrays(writer)},
        },
        steps=(*base[:cut], *own, *base[cut:]),
        entries=entries,
    )


def _steps(writer: Writer) -> Iterable[Step]:
    dense = Dense("matrix", "right", "unknown", "U_all z_all = 0, deduction paper, solved")

    def step(kind: str, name: str, title: str, calls: Iterable[Call]) -> Step:
        return Step(kind, name, title, tuple(calls))

    yield step("map", "elements", "transfer matrices of the bodies", writer.elements())
    yield step("map", "hinges", "transfer matrices of the hinges", writer.form.hinges())
    begins = step("map", "begins", "columns that begin", writer.begins())
    yield replace(begins, clears=("matrix",))
    yield step("sweep", "carried", "columns from the tips to the root", writer.carried())
    yield step("sweep", "constants", "column of the 1", writer.states(solved=False))
    rights = step("map", "rights", "right-hand sides", writer.rights())
    yield replace(rights, clears=("right",))
    yield Step("solve", "unknowns", "overall transfer equation", (), dense=dense)
    yield step("sweep", "states", "states of all ends", writer.states(solved=True))
    yield step("map", "results", "results among the unknowns", writer.results())
    yield step("map", "end_loads", "loads at every hinge", writer.loads())
    drives = (*_drives(writer.form), *writer.form.cut_drives())
    yield step("map", "driving", "driving forces", drives)
    yield step("output", "shown", "the overall equation itself", writer.shown())


def _drives(form: Form) -> Iterable[Call]:
    d = form.plan.model.dimension
    hinges = {hinge.name: hinge for hinge in form.plan.model.hinges}
    for link in form.driven():
        names = driven_names(hinges[link.hinge])
        force = form.force(link)
        kernel = overallrows.drive(d, len(names), bool(force))
        reads: Reads = {name: Ref(f"{name}oz", link.name) for name in "mq"}
        reads |= form.turned(link) | form.hinged(link, f"H{len(names)}") | force
        writes = {f"drive_{j}": Ref("drive", name) for j, name in enumerate(names, start=1)}
        yield Call(kernel, link.name, reads, writes)


def _arrays(writer: Writer) -> Iterable[Array]:
    form, space, numbering = writer.form, writer.space, writer.numbering
    d, s, n = space.dimension, space.spins, space.motion
    spans = tuple(numbering.spans.values())
    size = len(numbering.unknowns)
    whole = ((0, size),) * size
    parts = {"a": n, "m": s, "q": d}

    def of_body(name: str, rows: int = 1, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, form.members, Port(name, rows, cols, symmetric))

    for name in ("rIO", "h", "gO", "fq", "dh"):
        yield of_body(name, d)
    yield of_body("JI", s, s, symmetric=d == 3)
    yield of_body("fm", s)
    yield of_body("gs", n)
    for freedom in sorted({form.freedom(link) for link in form.plan.links} - {0}):
        yield of_body(f"Hs{freedom}", n, freedom)
    for k in range(2, max(len(link.inputs) for link in form.plan.links) + 1):
        yield of_body(f"rK{k}", d)
        yield of_body(f"gK{k}", d)
    for name, rows in parts.items():
        yield of_body(f"{name}ok", rows)
        yield of_body(f"{name}oz", rows)
        yield Array(f"{name}k", "carried", Port(f"{name}k", rows))
        yield Array(f"{name}z", "carried", Port(f"{name}z", rows))
        yield Array(f"{name}c", "carried", Port(f"{name}c", rows), columns=spans)
    for m in sorted({side.size for side in numbering.sides}):
        yield Array(f"Ec{m}", "carried", Port(f"Ec{m}", n, m))
    yield Array("matrix", "rows", Port("matrix"), columns=whole)
    yield Array("right", "rows", Port("right"))
    yield Array("unknown", "unknowns", Port("unknown"))
    yield Array("U_all", "rows", Port("U_all"), Storage.RESULT, "U_all", columns=whole)
    yield Array("r_all", "rows", Port("r_all"), Storage.RESULT, "r_all")


def _entries(form: Form, own: set[str]) -> tuple[Entry, ...]:
    def present(*names: str) -> tuple[str, ...]:
        return tuple(name for name in names if name in own)

    equation = (
        *form.before,
        *present("elements", "hinges", "begins", "carried", "constants", "rights"),
    )
    solved = (*equation, "unknowns")
    states = (*solved, "states", *present("results"))
    dynamics = states if form.plan.model.absolute else (*solved, *present("results"))
    cut_loads = ("cut_loads",) if form.loops and form.loops.borne else ()
    steps = {
        "accelerations": dynamics,
        "joint_loads": (*states, "end_loads", *cut_loads),
        "driving_forces": (*states, *present("driving")),
    }
    kept = tuple(
        replace(entry, steps=steps.get(entry.name, entry.steps))
        for entry in form.program.entries
        if entry.name != "end_states"
    )
    title = "the overall transfer equation: U_all unknowns = r_all"
    shown = Entry("overall_equation", title, (*equation, "shown"), ("U_all", "r_all"))
    return (*kept, shown)
