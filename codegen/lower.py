"""From a program to blocks: its entries frozen, then the passes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ..errors import CodegenError
from ..symbolic.language.program import Entry, Program
from ..symbolic.language.walk import Walk
from .blocks import Module
from .costs.cost import text
from .frozen import Lowering, frozen, runtime_of
from .passes.pipeline import PASSES, Pass, applied
from .passes.whole import LARGEST
from .runs import LIMBS, LOOP_MIN, NEVER, mostly_repeats

#: Of code that is too long to be one block limbs that are alike become a loop where the text falls
#: to less than the one part, and no entry that would be one costs more than the other.
SHORTER, DEARER = 0.75, 1.2


def lower(
    program: Program,
    entries: Sequence[str] | None = None,
    loop_min: int | None = None,
    whole: bool = True,
    lowering: Callable[[Program], Lowering] | None = None,
) -> Module:
    """Lower the program's entries (all of them by default) to blocks, as `lowering` does it.

    Without `whole` the blocks of straight entries stay apart, each with its name. A `loop_min`
    above the usual one forbids short loops too.

    Raises
        CodegenError: the program has no such entry, or uses what has no frozen form.
    """
    return applied(unpassed(program, entries, loop_min, lowering), passes(loop_min, whole))


def passes(loop_min: int | None = None, whole: bool = True) -> tuple[Pass, ...]:
    """The passes that are made then, in order."""
    left_out = {"whole"} if not whole else set[str]()
    left_out |= {"alike"} if (loop_min or 0) > LOOP_MIN else set()
    return tuple(each for each in PASSES if each.name not in left_out)


def unpassed(
    program: Program,
    entries: Sequence[str] | None = None,
    loop_min: int | None = None,
    lowering: Callable[[Program], Lowering] | None = None,
) -> Module:
    """The program frozen, before any pass."""
    chosen = tuple(_with_results(program, _entries(program, entries)))
    asked = {name for entry in chosen for name in entry.steps}
    busy = {s.name for s in program.steps if s.name in asked and (s.dense or s.calls)}
    chosen = _limited(chosen, busy)
    used = {name for entry in chosen for name in entry.steps}
    loops = dict.fromkeys(used, loop_min) if loop_min else usual(program, used)
    made = Module(program, frozen(program, loops, lowering), chosen)
    if loop_min or not any(x.whole and _length(made, x) > LARGEST for x in chosen):
        return made
    if {*loops.values()} != {NEVER}:
        return made
    limbs = Module(program, frozen(program, dict.fromkeys(used, LIMBS), lowering), chosen)
    return limbs if _is_shorter(limbs, made) else made


def _length(module: Module, entry: Entry) -> int:
    return module.operations(entry).total()


def _is_shorter(limbs: Module, straight: Module) -> bool:
    """Is what limbs that are alike save of the text worth the operations of their tables?

    Code that is too long to be one block hands on its values in memory either way, and two legs in
    a loop, whose text is half as long, take as long as one after the other.
    """
    dearer = (
        _length(limbs, entry) > DEARER * _length(straight, entry)
        for entry in straight.entries
        if entry.whole
    )
    return text(limbs) < SHORTER * text(straight) and not any(dearer)


def usual(program: Program, steps: Collection[str]) -> dict[str, int]:
    """From how many repetitions on a pattern of each step becomes a loop, if nothing is said.

    Where a step would not loop over half of the bodies there is no loop at all: the text grows
    with the system either way, and what a loop has from a table is no constant to what reads it.
    Pairs of bodies, which are many, change nothing about that, but for what is done column by
    column, where nothing is a constant: as long as of all that is most would loop, these do.
    """
    if program.repeats:
        return dict.fromkeys(steps, program.repeats)
    walks = {step.name: Walk.of(step.calls) for step in program.steps if step.name in steps}
    longest = max((len(walk.kinds) for walk in walks.values()), default=0)
    by_bodies, by_any = (
        all(mostly_repeats(walk, runtime_of(program), LOOP_MIN, size) for walk in walks.values())
        for size in (len(program.sets.get("bodies", ())), longest)
    )
    return {
        name: LOOP_MIN if by_bodies or (by_any and walk.by_columns) else NEVER
        for name, walk in walks.items()
    }


def _entries(program: Program, names: Sequence[str] | None) -> tuple[Entry, ...]:
    if names is None:
        return program.entries
    known = {entry.name: entry for entry in program.entries}
    for name in names:
        if name not in known:
            raise CodegenError(f"{program.name} computes no {name!r}; it has: {', '.join(known)}")
    return tuple(known[name] for name in names)


def _with_results(program: Program, entries: Iterable[Entry]) -> Iterable[Entry]:
    """The entries that give a number: without speeds there are no accelerations."""
    for entry in entries:
        sets = (program.arrays[name].index_set for name in entry.results)
        found = tuple(n for n, s in zip(entry.results, sets, strict=True) if program.sets[s])
        if found:
            yield replace(entry, results=found)


def _limited(entries: Iterable[Entry], steps: set[str]) -> tuple[Entry, ...]:
    """The entries without the steps that have nothing to do in this model."""
    return tuple(
        replace(entry, steps=tuple(name for name in entry.steps if name in steps))
        for entry in entries
    )
