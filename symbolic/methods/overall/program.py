"""The overall transfer equation as a program: the equation that is printed, for any model.

The blocks are those of `plans.deduction`, products of named element matrices, and so are the
unknowns: what is not known of the ends' states, then s. A column for each unknown is carried from
the tips to the root; where a row reads a state, its matrix makes of the column an entry of one
system, which is solved. A last sweep with the solution gives all states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ....errors import UsageError
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
    Sweep,
    named,
    result,
)
from ...language.slices import Wanted, derived_arrays, entry, step_reads, step_writes, unloaded
from ...mechanics.space import Space
from ...plans.deduction import deduce
from ...plans.plan import Plan
from ...plans.transfer import symbol
from . import results
from .joint_motion import JointMotion
from .motion import Motion, called
from .sweeps import PARTS, Sweeps


def overall_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """The overall transfer equation of a model, solved as it is printed.

    It loses digits on long chains, and its work grows with the cube of their length: the
    Riccati method is the one to use. Where loops are redundant the system is singular: what
    compiles it refuses them.

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
    sweeps = printed_sweeps(plan, runtime=runtime, forced=forced)
    base = sweeps.motion.program
    own = [*_steps(sweeps)]
    steps, entries = _joined(base, own)
    program = replace(
        base,
        title=f"Overall transfer equation: {plan.model.name}",
        algorithm="overall",
        sets={**base.sets, **sweeps.motion.sets(), **_sets(sweeps)},
        arrays=_arrays(sweeps, own),
        steps=steps,
        entries=entries,
    )
    return unloaded(program) if loaded is False else program


def printed_sweeps(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Sweeps:
    """The sweeps of a model's program, with the printed equation that it reads."""
    for hinge in plan.model.hinges:
        if hinge.mimic and hinge.mimic.law is not None:
            raise UsageError(
                f"{plan.model.name}: the overall equation takes no hinge that follows by a law "
                f"({hinge.name}); use riccati"
            )
    given = plan, deduce(plan.model), runtime, forced
    return Sweeps(plan, (Motion if plan.model.absolute else JointMotion)(*given))


def _steps(sweeps: Sweeps) -> Iterable[Step]:
    dense = Dense("matrix", "right", "unknown", "U_all z_all = 0, deduction paper, solved")

    def step(kind: type[Step], name: str, title: str, calls: Iterable[Call]) -> Step:
        return kind(name, title, tuple(calls))

    yield step(Map, "cut_hinges", "motion in the cut hinges", sweeps.motion.prepared())
    yield step(Map, "thrusts", "given forces on free bodies", sweeps.motion.thrusts())
    yield step(Map, "elements", "transfer matrices of the elements", sweeps.constants())
    yield step(Sweep, "boundaries", "what is known at the ends", sweeps.motion.boundaries())
    begins = step(Map, "begins", "columns that begin", sweeps.begins())
    yield replace(begins, clears=("matrix",))
    yield step(Sweep, "carried", "columns from the tips to the root", sweeps.carried())
    yield step(Sweep, "constants", "column of the 1", sweeps.states(solved=False))
    rights = step(Map, "rights", "right-hand sides", sweeps.rights())
    yield replace(rights, clears=("right",))
    yield Solution("unknowns", "overall transfer equation", (), dense=dense)
    yield step(Sweep, "states", "states of all ends", sweeps.states(solved=True))
    yield step(Map, "results", "results among the unknowns", results.accelerations(sweeps))
    yield step(Map, "end_loads", "loads at every hinge", results.loads(sweeps))
    yield step(Map, "driving", "driving forces", results.drives(sweeps))
    yield step(Output, "shown", "the overall equation itself", results.shown(sweeps))


def _sets(sweeps: Sweeps) -> dict[str, tuple[str, ...]]:
    """The index sets of elements, states, columns and rows."""
    transfer, motion = sweeps.transfer, sweeps.motion
    labels = tuple(element.label for element in transfer.elements)
    loose = tuple(each.member for each in motion.loose)
    return {
        "elements": (*labels, *(f"hinge {hinge.name}" for _, hinge in motion.rates()), *loose),
        "boundaries": (*map(called, transfer.ends), *loose),
        "states": (*(symbol(end.indices) for end in transfer.ends if end.entry), *labels),
        "carried": tuple(sweeps.columns.spans),
        "unknowns": sweeps.unknowns,
        "rows": sweeps.rows,
    }


#: The index sets of what steps write, where it is not that of the elements.
WRITTEN = {"cut_hinges": "cut hinges", "thrusts": "loose hinges"}
WRITTEN |= dict.fromkeys(("constants", "states"), "states")


def _arrays(sweeps: Sweeps, steps: Sequence[Step]) -> dict[str, Array]:
    """All arrays: the columns and the system, and what else the steps write."""
    known = {**sweeps.motion.program.arrays, **named(sweeps.motion.arrays())}
    known |= named(_system(sweeps))
    sets = {
        array: WRITTEN.get(step.name, "elements") for step in steps for array in step_writes(step)
    }
    return known | named(derived_arrays(steps, known, sets.__getitem__))


def _system(sweeps: Sweeps) -> Iterator[Array]:
    """The arrays with a column for each unknown, and the unknowns."""
    space: Space = sweeps.space
    spans, size = tuple(sweeps.columns.spans.values()), len(sweeps.unknowns)
    for name, rows in zip(PARTS, (space.motion, space.spins, space.dimension), strict=True):
        yield Array(f"{name}c", "carried", Port(f"{name}c", rows), columns=spans)
    whole = ((0, size),) * size
    yield Array("matrix", "rows", Port("matrix"), columns=whole)
    yield Array("right", "rows", Port("right"))
    yield Array("unknown", "unknowns", Port("unknown"))
    yield replace(result("U_all", "rows"), columns=whole)
    yield result("r_all", "rows")


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
