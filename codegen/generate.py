"""The compiler in one page: model → plan → program → blocks → sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..errors import UsageError
from ..model import Model
from ..model.tables import nearest
from ..symbolic.algorithms import paper_program
from ..symbolic.closedprogram import closed_program
from ..symbolic.dca import dca_program, hdca_program
from ..symbolic.derivativeprogram import derivative_program, tangents_of_dynamics
from ..symbolic.fast import fast_program
from ..symbolic.inverse import inverse_program
from ..symbolic.jacobianprogram import jacobian_program
from ..symbolic.jointprogram import joint_program
from ..symbolic.jointsegments import joint_segment_program
from ..symbolic.overall import overall_program
from ..symbolic.plan import Plan, plan
from ..symbolic.program import Program
from ..symbolic.rates import rates_program
from ..symbolic.representations import hybrid_program, mixed_program, spatial_program
from ..symbolic.segmentprogram import segment_program
from ..symbolic.sensitivities import sensitivity_program
from ..symbolic.slaatsprogram import slaats_program
from .blocks import Module
from .emit import TARGETS, Sources, emit
from .lanes import LaneLowering
from .lower import lower
from .runs import LOOP_MIN

#: The programs by algorithm, form and whether coordinates are absolute.
PROGRAMS: dict[tuple[str, str, bool], Callable[..., Program]] = {
    ("riccati", "fast", True): fast_program,
    ("riccati", "paper", True): paper_program,
    ("riccati", "fast", False): joint_program,
    ("overall", "fast", True): overall_program,
    ("overall", "fast", False): overall_program,
    ("rnea-body", "fast", False): inverse_program,
    ("rnea-spatial", "fast", False): spatial_program,
    ("rnea-hybrid", "fast", False): hybrid_program,
    ("rnea-mixed", "fast", False): mixed_program,
    ("closed-form", "fast", False): closed_program,
    ("jacobians", "fast", False): jacobian_program,
    ("sensitivities", "fast", False): sensitivity_program,
    ("slaats", "fast", False): slaats_program,
    ("dca", "fast", False): dca_program,
    ("hdca", "fast", False): hdca_program,
    ("inverse-rates", "fast", False): rates_program,
    ("derivatives", "fast", True): derivative_program,
    ("derivatives", "fast", False): derivative_program,
    ("derivatives", "tangent", True): tangents_of_dynamics,
    ("derivatives", "tangent", False): tangents_of_dynamics,
}

#: Further names of fast forms. Riccati's S, read as the inertia of the subtree (`dialect`), is the
#: articulated inertia, and its fast form the articulated-body recursion.
ALIASES = {"articulated": "riccati"}

#: The algorithms on an assembly tree.
DIVIDED = ("dca", "hdca")

#: The programs of chains in segments, by the same keys.
SEGMENTED: dict[tuple[str, str, bool], Callable[..., Program]] = {
    ("riccati", "fast", True): segment_program,
    ("riccati", "fast", False): joint_segment_program,
}


@dataclass(frozen=True)
class Generated:
    """Everything between a model and its sources, stage by stage."""

    model: Model
    plan: Plan
    program: Program
    module: Module
    sources: Sources


def generate(
    model: Model,
    *,
    algorithm: str = "riccati",
    form: str = "fast",
    target: str = "c",
    parameters: Sequence[str] = (),
    forced: bool = False,
    loaded: bool | None = None,
    entries: Sequence[str] | None = None,
    loop_min: int = LOOP_MIN,
    whole: bool = True,
    portable: bool = False,
    threads: bool = False,
    assembly: str | None = None,
    order: int | None = None,
) -> Generated:
    """Derive a model's program and emit it for a target.

    `parameters` stay arguments of the generated code, the others are baked in. `forced` adds
    external loads, in joint coordinates without `loaded` only forces in the hinges. `entries`
    limits what is computed. `loop_min` is the number of repetitions from which a loop is emitted.
    Without `whole` every kernel stays a block of its own, by whose name `validate` can call it.
    A `portable` build script leaves out the instructions that only this machine may have, with
    `threads` it builds for OpenMP. `assembly` is the assembly tree of `dca` and `hdca`, `order` the
    highest of the derivatives of `jacobians`.

    Raises
        UsageError: an algorithm, form, target or parameter that there is not.
        CodegenError: the program cannot be turned into code.

    Source
        own
    """
    if form == "fast":
        algorithm = ALIASES.get(algorithm, algorithm)
    if (algorithm, form, model.absolute) not in PROGRAMS:
        raise UsageError(_unknown(model, algorithm, form))
    if target not in TARGETS:
        raise UsageError(f"there is no target {target!r}; there are: {', '.join(TARGETS)}")
    for name in parameters:
        if name not in model.parameters:
            known = ", ".join(model.parameters) or "none"
            raise UsageError(f"{model.name} has no parameter {name!r}; it has: {known}")
    chosen = plan(model)
    make = PROGRAMS[algorithm, form, model.absolute]
    if assembly is not None:
        if not isinstance(assembly, str):
            raise UsageError(f"assembly = {assembly!r} is no text such as '((1,2),(3,4)),ground'")
        if algorithm not in DIVIDED:
            raise UsageError(f"{algorithm} has no assembly tree; {' and '.join(DIVIDED)} have")
        make = partial(make, assembly=assembly)
    if order is not None:
        if make is not jacobian_program:
            raise UsageError(f"{algorithm} has no order; jacobians has")
        make = partial(make, order=order)
    if target == "c-lanes":
        program = in_segments(algorithm, form, model.absolute)(
            chosen, runtime=tuple(parameters), forced=forced
        )
    elif loaded is None or make is not joint_program:
        program = make(chosen, runtime=tuple(parameters), forced=forced)
    else:
        program = joint_program(chosen, runtime=tuple(parameters), forced=forced, loaded=loaded)
    if target == "c-batch" and any(step.dense for step in program.steps):
        raise UsageError(f"{algorithm} has no target 'c-batch'; there are: c, numpy")
    walk = LaneLowering if target == "c-lanes" else None
    module = lower(program, entries, loop_min, whole, walk)
    sources = emit(module, target, state=(model.q0, model.v0), portable=portable, threads=threads)
    return Generated(model, chosen, program, module, sources)


def _unknown(model: Model, algorithm: str, form: str) -> str:
    """Why a model has no such algorithm, and what it has."""
    if (algorithm, form, not model.absolute) in PROGRAMS:
        own, other = ("absolute", "joint") if model.absolute else ("joint", "absolute")
        return (
            f"{model.name} is in {own} coordinates, {algorithm} ({form}) takes {other} ones: "
            f'write coordinates = "{other}" in its file, or replace(model, absolute='
            f"{not model.absolute}, q0=(), v0=())"
        )
    forms: dict[str, list[str]] = {}
    for name, known, absolute in PROGRAMS:
        if absolute == model.absolute and name != "derivatives":
            forms.setdefault(name, []).append(known)
    forms |= {alias: ["fast"] for alias, name in ALIASES.items() if name in forms}
    if algorithm in forms:
        return f"{algorithm} has no form {form!r}; it has: {', '.join(forms[algorithm])}"
    guess = nearest(algorithm.lower(), forms)
    return f"there is no algorithm {algorithm!r}{guess}; known: {', '.join(forms)}"


def in_segments(algorithm: str, form: str, absolute: bool) -> Callable[..., Program]:
    """The maker of the program of chains in segments.

    Raises
        UsageError: there is none of this kind.
    """
    if (algorithm, form, absolute) not in SEGMENTED:
        kind = "absolute" if absolute else "joint"
        raise UsageError(
            f"there is no target 'c-lanes' for {algorithm} ({form}) in {kind} coordinates; "
            "use target c"
        )
    return SEGMENTED[algorithm, form, absolute]


def algorithms_with(model: Model, entry: str) -> tuple[str, ...]:
    """The algorithms that compute an entry of this model."""
    chosen = plan(model)
    found: list[str] = []
    for (algorithm, _, absolute), make in PROGRAMS.items():
        if absolute != model.absolute or algorithm in found:
            continue
        try:
            program = make(chosen)
        except UsageError:
            continue  # it does not take this model
        if entry in {e.name for e in program.entries}:
            found.append(algorithm)
    return tuple(found)
