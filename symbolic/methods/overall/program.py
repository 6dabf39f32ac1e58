"""The overall transfer equation as a program: the equation that is printed, for any model.

The blocks are those of `plans.deduction`, products of named element matrices, and so are the
unknowns: what is not known of the ends' states, then s. A column for each unknown is carried from
the tips to the root; where a row reads a state, its matrix makes of the column an entry of one
system, which is solved. A last sweep with the solution gives all states.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...language.program import (
    Array,
    Call,
    Dense,
    Entry,
    Map,
    Output,
    Port,
    Program,
    Solution,
    Step,
    Storage,
    Sweep,
)
from ...language.slices import Wanted, entry, step_reads, step_writes, unloaded
from ...mechanics.space import Space
from ...plans.deduction import deduce
from ...plans.plan import Plan
from ...plans.transfer import symbol
from .joint_motion import JointMotion
from .motion import Motion, called
from .writer import Writer


def overall_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """The overall transfer equation of a model, solved as it is printed.

    It loses digits on long chains, and its work grows with the cube of their length: the
    Riccati method is the one to use. Where loops are redundant the system is singular.

    Shape
        Arguments and results as of the Riccati program in the same coordinates; besides
        `U_all` (per row an entry per unknown) and `r_all` (per row): U_all unknowns = r_all.
    Frame
        Unknowns and rows in the inertial frame, a hinge's own along its coordinates.
    Sign
        The paper's: q, −m act on an element at an input, −q, +m at its output.
    Source
        Deduction paper, rules for chains, trees and general systems, (13)–(39); the hinges'
        own accelerations as further entries of the state, and their rows, are own.
    """
    writer = printed_writer(plan, runtime=runtime, forced=forced)
    motion = writer.motion
    steps, entries = _joined(motion.program, [*_steps(writer)])
    arrays = {array.name: array for array in (*motion.arrays(), *_arrays(writer))}
    ends = writer.transfer.ends
    labels = tuple(element.label for element in writer.transfer.elements)
    program = replace(
        motion.program,
        title=f"Overall transfer equation: {plan.model.name}",
        algorithm="overall",
        sets={
            **motion.program.sets,
            **motion.sets(),
            "elements": (
                *labels,
                *(f"hinge {hinge.name}" for _, hinge in motion.rates()),
                *(loose.member for loose in motion.loose),
            ),
            "boundaries": (
                *(called(end) for end in ends),
                *(loose.member for loose in motion.loose),
            ),
            "states": (*(symbol(end.indices) for end in ends if end.entry), *labels),
            "carried": tuple(writer.columns.spans),
            "unknowns": writer.unknowns,
            "rows": writer.rows,
        },
        arrays={**motion.program.arrays, **arrays},
        steps=steps,
        entries=entries,
    )
    return unloaded(program) if loaded is False else program


def printed_writer(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Writer:
    """The writer of a model's program, with the printed equation that it reads."""
    given = plan, deduce(plan.model), runtime, forced
    return Writer(plan, (Motion if plan.model.absolute else JointMotion)(*given))


def _steps(writer: Writer) -> Iterable[Step]:
    dense = Dense("matrix", "right", "unknown", "U_all z_all = 0, deduction paper, solved")

    def step(kind: type[Step], name: str, title: str, calls: Iterable[Call]) -> Step:
        return kind(name, title, tuple(calls))

    yield step(Map, "cut_hinges", "motion in the cut hinges", writer.motion.prepared())
    yield step(Map, "thrusts", "given forces on free bodies", writer.motion.thrusts())
    yield step(Map, "elements", "transfer matrices of the elements", writer.elements())
    yield step(Sweep, "boundaries", "what is known at the ends", writer.motion.boundaries())
    begins = step(Map, "begins", "columns that begin", (*writer.begins(), *writer.couplings()))
    yield replace(begins, clears=("matrix",))
    yield step(Sweep, "carried", "columns from the tips to the root", writer.carried())
    yield step(Sweep, "constants", "column of the 1", writer.states(solved=False))
    rights = step(Map, "rights", "right-hand sides", writer.rights())
    yield replace(rights, clears=("right",))
    yield Solution("unknowns", "overall transfer equation", (), dense=dense)
    yield step(Sweep, "states", "states of all ends", writer.states(solved=True))
    yield step(Map, "results", "results among the unknowns", writer.results())
    yield step(Map, "end_loads", "loads at every hinge", writer.loads())
    yield step(Map, "driving", "driving forces", writer.drives())
    yield step(Output, "shown", "the overall equation itself", writer.shown())


def _arrays(writer: Writer) -> Iterable[Array]:
    """The arrays of the elements' constants, of the columns, the system and the states."""
    space: Space = writer.space
    d, s, n = space.dimension, space.spins, space.motion
    found: dict[str, Array] = {}
    for call in writer.elements():
        for port in call.kernel.outputs:
            found[port.name] = Array(port.name, "elements", port)
    for call in writer.motion.boundaries():
        for port in call.kernel.outputs:
            if port.name in ("gs", "dh") or port.name.startswith("Hs"):
                found[port.name] = Array(port.name, "elements", port)
    yield from found.values()
    spans = tuple(writer.columns.spans.values())
    size = len(writer.unknowns)
    whole = ((0, size),) * size
    for name, rows in {"a": n, "m": s, "q": d}.items():
        yield Array(f"{name}k", "states", Port(f"{name}k", rows))
        yield Array(f"{name}z", "states", Port(f"{name}z", rows))
        yield Array(f"{name}c", "carried", Port(f"{name}c", rows), columns=spans)
    yield Array("matrix", "rows", Port("matrix"), columns=whole)
    yield Array("right", "rows", Port("right"))
    yield Array("unknown", "unknowns", Port("unknown"))
    yield Array("U_all", "rows", Port("U_all"), Storage.RESULT, "U_all", columns=whole)
    yield Array("r_all", "rows", Port("r_all"), Storage.RESULT, "r_all")


#: The public function of the equation itself.
EQUATION = Wanted(
    "overall_equation", "the overall transfer equation: U_all unknowns = r_all", ("U_all", "r_all")
)


def _joined(program: Program, equation: list[Step]) -> tuple[tuple[Step, ...], tuple[Entry, ...]]:
    """The equation's steps behind those of a program that they read, and what is wanted of both.

    Of what both give, the equation's is taken.
    """
    own = [step for step in equation if step.calls or step.dense]
    read = {array for step in own for array in step_reads(step)}
    given = {array for step in own for array in step_writes(step)}
    known = [step for step in program.steps if not given & step_writes(step).keys()]
    last = max(k for k, step in enumerate(known) if read & step_writes(step).keys()) + 1
    steps = (*known[:last], *own, *known[last:])
    wanted = [
        Wanted(e.name, e.title, e.results, e.whole)
        for e in program.entries
        if e.name != "end_states"
    ]
    entries = tuple(entry(each, steps) for each in (*wanted, EQUATION))
    used = {name for each in entries for name in each.steps}
    return tuple(step for step in steps if step.name in used), entries
