"""The compiler in one page: model → plan → program → blocks → sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from ..model import Model
from ..shown import Shown
from ..symbolic.language.pairs import in_pairs
from ..symbolic.language.program import Program
from ..symbolic.methods.algorithms import Algorithm, chosen
from ..symbolic.plans.plan import Plan, plan
from .blocks import Module
from .emit import Sources, emit
from .lower import lower
from .targets.registry import target_named


@dataclass(frozen=True, repr=False)
class Generated(Shown):
    """Everything between a model and its sources, stage by stage."""

    model: Model
    plan: Plan
    program: Program
    module: Module
    sources: Sources

    def __repr__(self) -> str:
        files = ", ".join(self.sources.files)
        return f"<Generated code of {self.model.name}, target {self.sources.target}: {files}>"


def generate(
    model: Model,
    *,
    algorithm: str | Algorithm = "riccati",
    target: str = "c",
    parameters: Sequence[str] = (),
    forced: bool = False,
    loaded: bool | None = None,
    entries: Sequence[str] | None = None,
    loop_min: int | None = None,
    whole: bool = True,
    portable: bool = False,
    threads: bool = False,
    real: str = "double",
    **options: Any,
) -> Generated:
    """Derive a model's program and emit it for a target.

    `algorithm` is a name, whose `options` may follow by keyword, or one with its options chosen.
    `parameters` stay arguments of the generated code, and so do the model's inputs; the others are
    baked in. `forced` adds forces along the speeds, `loaded` (as `forced` by default) external
    loads. `entries` limits what is computed. `loop_min` is the number of repetitions from which a
    loop is emitted. Without `whole` every kernel stays a block of its own, by whose name `validate`
    can call it. A `portable` build script leaves out the instructions that only this machine may
    have, with `threads` it builds for OpenMP. `real` is the type of numbers: `double`, or of target
    `cuda` also `float`.

    Raises
        UsageError: an algorithm, option, target, real or parameter that there is not.
        CodegenError: the program cannot be turned into code.

    Source
        own
    """
    method = chosen(algorithm, **options)
    writer = target_named(target).writer
    if real not in writer.reals:
        known = ", ".join(writer.reals)
        raise UsageError(f"target {target!r} has no numbers {real!r}; it has: {known}")
    for name in parameters:
        if name not in model.parameters:
            known = ", ".join(model.parameters) or "none"
            raise UsageError(f"{model.name} has no parameter {name!r}; it has: {known}")
    if twice := sorted({name for name in parameters if tuple(parameters).count(name) > 1}):
        raise UsageError(f"parameters names {', '.join(twice)} more than once")
    inputs = (x.name for x in model.inputs)
    parameters = (*parameters, *(name for name in inputs if name not in parameters))
    order = plan(model)
    asked = {"runtime": tuple(parameters), "forced": forced, "loaded": loaded}
    program = in_pairs(writer.program(method, order, **asked))
    module = lower(program, entries, loop_min, whole, writer.lowering)
    sources = emit(
        module,
        target,
        state=(model.q0, model.v0),
        portable=portable,
        threads=threads,
        real=real,
    )
    return Generated(model, order, program, module, sources)
