"""Derivatives of the accelerations of a tree by way of inverse dynamics, and which way to take.

∂a = M⁻¹ (∂τ − ∂(inverse dynamics)), where M is factored without fill. A direction of a hinge
turns all beyond it as one body, so that its column is found at the hinge and then only moved
inwards; what a hinge's force feels of the hinges inside it is moved inwards as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....errors import UsageError
from ....model import Model
from ...language.program import Call, Map, Program, Solution, Sweep
from ...language.tangent import Tangents
from ...plans.plan import Plan
from ..inverse.body_fixed import inverse_program
from ..riccati.absolute import fast_program
from ..riccati.joint import joint_program
from .tangents import Columns, assembled, seeds, tangent_program
from .writer import DerivativeWriter


def takes(model: Model) -> bool:
    """Is there a way by inverse dynamics: a tree of rigid bodies under its hinges' forces?"""
    coupled = any(hinge.mimic for hinge in model.hinges)
    return not (model.absolute or model.cuts or coupled or model.beams or model.loads)


def inverse_derivatives(plan: Plan, *, runtime: tuple[str, ...] = ()) -> Program:
    """The derivatives of a tree's accelerations by way of inverse dynamics.

    Shape
        As of `tangent_program`.
    Raises
        UsageError: loops, beams or loads on bodies.
    Source
        own
    """
    if not takes(plan.model):
        raise UsageError(f"{plan.model.name}: there is no way by inverse dynamics")
    program = inverse_program(plan, runtime=runtime)
    columns = Columns(len(plan.model.speeds), runtime)
    tangents = Tangents()
    seeded = tuple(seeds(program, tangents, columns))
    writer = DerivativeWriter(plan, tangents, columns)
    local = [step for step in program.steps if step.name in ("relatives", "forces")]
    varying = [replace(step, calls=tuple(_with(tangents, step.calls))) for step in local]
    moving = [program.step(name) for name in ("spins", "velocities")]
    based = [step for step in program.steps if step.name == "base"]
    biased, accelerated = tuple(writer.biased()), tuple(writer.adding())
    varied, inwards = tuple(writer.varied()), tuple(writer.columns_inwards())
    entries = tuple(writer.row_entries())
    transposed = tuple(writer.transposed(entries))
    through = [call for step in (*based, *local, *moving) for call in step.calls]
    changed = tuple(writer.by_parameters((*through, *biased, *accelerated)))
    written = [
        ref for call in (*varied, *inwards, *transposed, *changed) for ref in call.writes.values()
    ]
    steps = [
        *based,
        Map("directions", "directions of the coordinates", seeded),
        *varying,
        *moving,
        Sweep("biased", "inverse dynamics without accelerations", biased),
        Sweep("moments", "moments of mass, inwards", tuple(writer.gathered())),
        Map("demands", "rows of every hinge", tuple(writer.demands())),
        Sweep("rows", "rows moved inwards", tuple(writer.rows())),
        Solution("factored", "mass matrix as L D Lᵀ", tuple(writer.factored())),
        Solution("accelerations", "accelerations", tuple(writer.accelerations())),
        Sweep("accelerated", "motions and wrenches with accelerations", accelerated),
        Map("varied", "columns of every hinge", varied),
        Sweep("columns", "columns moved inwards", inwards),
        Map("entries", "entries of the rows", entries),
        Map("transposed", "entries of the rows in their place", transposed),
        Sweep("parameters", "derivatives along the parameters", changed),
        Map("known", "right-hand sides that are known", tuple(writer.filled(written))),
        Solution("solved", "derivatives of the accelerations", tuple(writer.solved())),
    ]
    arrays = {array.name: array for array in writer.arrays()}
    whole = replace(
        program,
        sets={**program.sets, **writer.sets()},
        arrays={**program.arrays, **arrays},
    )
    return assembled(whole, steps, columns, looped=("rows", "columns", "entries", "solved"))


def _with(tangents: Tangents, calls: Iterable[Call]) -> Iterator[Call]:
    for call in calls:
        yield call
        yield from tangents.of(call)


#: Speeds up to which M⁻¹ is code without a loop over rows, which grows with their cube.
MOST_SPEEDS = 40


def derivative_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = True
) -> Program:
    """The derivatives of a model's accelerations, by the way that costs less.

    That is inverse dynamics wherever it goes (see `takes`), up to `MOST_SPEEDS` speeds.

    Shape
        As of `tangent_program`.
    Source
        own
    """
    if takes(plan.model) and len(plan.model.speeds) <= MOST_SPEEDS:
        return inverse_derivatives(plan, runtime=runtime)
    return tangents_of_dynamics(plan, runtime=runtime)


def tangents_of_dynamics(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = True
) -> Program:
    """The derivatives of a model's accelerations as tangents of the Riccati method."""
    make = fast_program if plan.model.absolute else joint_program
    return tangent_program(make(plan, runtime=runtime, forced=True))
