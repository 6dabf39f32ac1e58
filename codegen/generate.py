"""The compiler in one page: model → plan → program → blocks → sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors import UsageError
from ..model import Model
from ..shown import Shown
from ..symbolic.language.program import Program
from ..symbolic.methods.algorithms import Algorithm, chosen
from ..symbolic.plans.plan import Plan, plan
from .blocks import Module
from .emit import TARGETS, Sources, emit
from .lanes import LaneLowering
from .lower import lower


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
    **options: Any,
) -> Generated:
    """Derive a model's program and emit it for a target.

    `algorithm` is a name, whose `options` may follow by keyword, or one with its options chosen.
    `parameters` stay arguments of the generated code, and so do the model's inputs; the others are
    baked in. `forced` adds forces along the speeds, `loaded` (as `forced` by default) external
    loads. `entries` limits what is computed. `loop_min` is the number of repetitions from which a
    loop is emitted. Without `whole` every kernel stays a block of its own, by whose name `validate`
    can call it. A `portable` build script leaves out the instructions that only this machine may
    have, with `threads` it builds for OpenMP.

    Raises
        UsageError: an algorithm, option, target or parameter that there is not.
        CodegenError: the program cannot be turned into code.

    Source
        own
    """
    method = chosen(algorithm, **options)
    if target not in TARGETS:
        raise UsageError(f"there is no target {target!r}; there are: {', '.join(TARGETS)}")
    for name in parameters:
        if name not in model.parameters:
            known = ", ".join(model.parameters) or "none"
            raise UsageError(f"{model.name} has no parameter {name!r}; it has: {known}")
    if twice := sorted({name for name in parameters if tuple(parameters).count(name) > 1}):
        raise UsageError(f"parameters names {', '.join(twice)} more than once")
    inputs = (x.name for x in model.inputs)
    parameters = (*parameters, *(name for name in inputs if name not in parameters))
    order = plan(model)
    write = partial(_in_segments, method) if target == "c-lanes" else method.program
    program = write(order, runtime=tuple(parameters), forced=forced, loaded=loaded)
    if target == "c-batch" and any(step.dense for step in program.steps):
        raise UsageError(f"{method.name} has no target 'c-batch'; there are: c, numpy")
    walk = LaneLowering if target == "c-lanes" else None
    module = lower(program, entries, loop_min, whole, walk)
    sources = emit(module, target, state=(model.q0, model.v0), portable=portable, threads=threads)
    return Generated(model, order, program, module, sources)


def _in_segments(
    method: Algorithm,
    order: Plan,
    *,
    runtime: tuple[str, ...],
    forced: bool,
    loaded: bool | None,
) -> Program:
    """The program of chains in segments."""
    if order.model.kinematic:
        raise UsageError(f"target 'c-lanes': {order.model.no_dynamics}")
    make = method.segments.of(order.model) if method.form == "fast" else None
    if make is None:
        kind = "absolute" if order.model.absolute else "joint"
        raise UsageError(
            f"there is no target 'c-lanes' for {method.name} ({method.form}) in {kind} "
            "coordinates; use target c"
        )
    if method.options:
        raise UsageError(f"target 'c-lanes' has no option {' and '.join(method.options)}")
    return make(order, runtime=runtime, forced=forced, loaded=loaded)
