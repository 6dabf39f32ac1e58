"""What each pass saves: operations, text and bytes of a module, from its kernels as written on.

Freezing does several things at once. To show them apart the program is frozen again with more
and more of them switched on. Then the passes are made once more, one by one: who only compiles does
not count after each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ...symbolic.language.program import Program
from ...symbolic.methods.inverse.places import Representation
from ...symbolic.methods.inverse.program import inverse_program
from ...symbolic.methods.riccati.joint import joint_program
from ..blocks import Module
from ..frozen import Lowering
from ..generate import Generated
from ..graph import Graph, Node
from ..lower import passes, unpassed
from ..runs import NEVER
from ..targets.registry import target_named
from .cost import footprint, text


@dataclass(frozen=True)
class Stage:
    """A module after a pass: operations of every entry, operations in its text, bytes it uses.

    Units
        `bytes` of workspace and tables, for each state.
    Source
        own
    """

    name: str
    title: str
    operations: Mapping[str, int]
    text: int
    bytes: int


class Unshared(Graph):
    """A graph in which nothing is computed once for two uses."""

    def _number(self, node: Node) -> int:
        return self._new(node, None)


class Written(Lowering):
    """Kernels as they are written, constants read from memory."""

    graph: Callable[[], Graph] = Unshared
    folds = False
    follows = False


class Shared(Lowering):
    """The same with equal expressions computed once."""

    folds = False
    follows = False


class Folded(Lowering):
    """The same with constants baked in."""

    follows = False


#: What freezing does, one thing after the other.
FREEZING = (
    ("kernels", "the kernels as written, every symmetric block in full", Written),
    ("symmetry", "store of a symmetric block what lies on and above the diagonal", Written),
    ("shared", "equal expressions, reciprocals of pivots and powers once", Shared),
    ("constants", "bake constants in, the noise of rotations snapped to zero", Folded),
    ("structure", "follow zeros and ones from kernel to kernel, to a fixed point", Lowering),
)


def explain(made: Generated, loop_min: int | None = None) -> tuple[Stage, ...]:
    """The stages from the kernels to the emitted code.

    Source
        own
    """
    return tuple(_stages(made, loop_min))


def _stages(made: Generated, loop_min: int | None) -> Iterator[Stage]:
    lowering = target_named(made.sources.target).writer.lowering
    if lowering is None:  # or segments freeze as one
        yield from _frozen(made, loop_min)
    entries = [entry.name for entry in made.module.entries]
    module = unpassed(made.program, entries, loop_min, lowering)
    for each in passes(loop_min):
        module = each.apply(module)
        yield _stage(each.name, each.title, module)


def _frozen(made: Generated, loop_min: int | None) -> Iterator[Stage]:
    entries = [entry.name for entry in made.module.entries]
    plain = _not_regrouped(made)
    for name, title, lowering in FREEZING:
        module = unpassed(plain, entries, NEVER, lowering)
        yield _stage(name, title, module, full=name == "kernels")
    if plain is not made.program:
        module = unpassed(made.program, entries, NEVER)
        yield _stage("regroup", "count to the parent what a hinge's motion does not notice", module)
    module = unpassed(made.program, entries, loop_min)
    yield _stage("loops", "make loops of what repeats, where that is most of the work", module)


def _not_regrouped(made: Generated) -> Program:
    """The program on the bodies' own constants; the same one if it is."""
    program = made.program
    if not any(step.name == "inward_b" for step in program.steps):
        return program
    if program.algorithm == "riccati":
        forced, loaded = "tau" in program.arrays, "f" in program.arrays
        return joint_program(
            made.plan, runtime=program.runtime, forced=forced, loaded=loaded, regroup=False
        )
    of = Representation(program.algorithm.removeprefix("rnea-"))
    loaded = "f" in program.arrays
    return inverse_program(made.plan, runtime=program.runtime, loaded=loaded, of=of, regroup=False)


def _stage(name: str, title: str, module: Module, full: bool = False) -> Stage:
    operations = {entry.name: module.operations(entry).total() for entry in module.entries}
    return Stage(name, title, operations, text(module), footprint(module, full))


def table(stages: tuple[Stage, ...], entry: str) -> tuple[str, ...]:
    """The stages of one entry as lines: operations, text and bytes, before → after.

    Source
        own
    """
    rows: list[tuple[str, ...]] = [("", "operations", "text of all", "bytes of all")]
    before: Stage | None = None
    for stage in stages:
        here = (stage.operations[entry], stage.text, stage.bytes)
        there = (before.operations[entry], before.text, before.bytes) if before else here
        changes = (f"{x} → {y}" if x != y else f"{y}" for x, y in zip(there, here, strict=True))
        rows.append((stage.name, *changes))
        before = stage
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = (x.rjust(width) for x, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join((row[0].ljust(widths[0]), *numbers)))
    return tuple(lines)
