"""Derivatives of the accelerations of a tree by way of inverse dynamics, and which way to take.

∂a = M⁻¹ (∂τ − ∂(inverse dynamics)), where M is factored without fill. A direction of a hinge
turns all beyond it as one body, so that its column is found at the hinge and then only moved
inwards; what a hinge's force feels of the hinges inside it is moved inwards as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from ....errors import UsageError
from ....model import Model
from ...language.program import Call, Kernel, Map, Program, Solution, Step, Sweep, named
from ...language.slices import derived_arrays
from ...language.tangent import Tangents
from ...plans.plan import Link, Plan
from ...tree.conditions import bearing
from ..inverse.program import inverse_program
from ..riccati.absolute import fast_program
from ..riccati.joint import joint_program
from . import kernels
from .closed import closed_derivatives, closed_takes
from .tangents import Columns, assembled, seeds, tangent_program
from .varied import Varied


def takes(model: Model) -> bool:
    """Is there a way by inverse dynamics: a tree of rigid bodies under its hinges' forces?"""
    coupled = any(h.mimic and h.name not in model.followers for h in model.hinges)
    apart = model.loads or model.forces or model.controlled
    if model.absolute or coupled or model.beams or apart:
        return False
    return not bearing(model)


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
    tree = Varied(plan, program, columns, tangents)
    steps = tuple(steps_of(tree, program, seeded))
    declared = {**program.arrays, **named(tree.arrays())}
    arrays = declared | named(derived_arrays(steps, declared, tree.set_of))
    whole = replace(program, sets={**program.sets, **tree.sets}, arrays=arrays)
    return assembled(whole, steps, columns, looped=("rows", "columns", "entries", "solved"))


#: The steps of inverse dynamics that its recursion reads.
MOVING = ("base", "relatives", "forces", "spins", "velocities")


def steps_of(tree: Varied, program: Program, seeded: tuple[Call, ...]) -> Iterator[Step]:
    """The whole method, from what inverse dynamics computes."""
    d = tree.dimension
    known = {step.name: step for step in program.steps}
    biased, accelerated = tuple(tree.biased()), tuple(tree.adding())

    def gathered(link: Link) -> Iterator[Kernel]:
        yield kernels.moments.of(dimension=d, input_count=len(link.inputs))
        if link.parent is not None:
            yield kernels.moved_moments.of(dimension=d)

    def with_tangents(name: str) -> Iterator[Step]:
        if name in known:
            calls = known[name].calls
            both = (x for call in calls for x in (call, *tree.tangents.of(call)))
            yield replace(known[name], calls=tuple(both))

    if "base" in known:
        yield known["base"]
    yield Map("directions", "directions of the coordinates", seeded)
    yield from with_tangents("relatives")
    yield from with_tangents("forces")
    yield known["spins"]
    yield known["velocities"]
    yield Sweep("biased", "inverse dynamics without accelerations", biased)
    yield Sweep("moments", "moments of mass, inwards", tree.inward(gathered))
    yield Map("demands", "rows of every hinge", tuple(tree.demands()))
    yield Sweep("rows", "rows moved inwards", tuple(tree.rows()))
    yield Map("masses", "mass matrix of shared coordinates", tuple(tree.shared_mass()))
    yield Solution("factored", "mass matrix as L D Lᵀ", tuple(tree.factored()))
    yield Solution("accelerations", "accelerations", tuple(tree.accelerations()))
    yield Sweep("accelerated", "motions and wrenches with accelerations", accelerated)
    varied, inwards = tuple(tree.varied()), tuple(tree.columns())
    yield Map("varied", "columns of every hinge", varied)
    yield Sweep("columns", "columns moved inwards", inwards)
    entries = tuple(tree.row_entries())
    yield Map("entries", "entries of the rows", entries)
    transposed = tuple(tree.transposed(entries))
    yield Map("transposed", "entries of the rows in their place", transposed)
    moving = (known[name].calls for name in MOVING if name in known)
    changed = tuple(tree.by_parameters((*chain(*moving), *biased, *accelerated)))
    yield Sweep("parameters", "derivatives along the parameters", changed)
    shared = tuple(tree.shared_sides((*varied, *inwards, *transposed)))
    yield Map("sides", "right-hand sides of shared coordinates", shared)
    filled = tuple(tree.filled((*varied, *inwards, *transposed, *shared, *changed)))
    yield Map("known", "right-hand sides that are known", filled)
    yield Solution("solved", "derivatives of the accelerations", tuple(tree.solved()))


#: Speeds of a tree up to which M⁻¹ is code without a loop over rows, which grows with their cube.
MOST_SPEEDS = 40


def derivative_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = True,
    loaded: bool | None = None,
) -> Program:
    """The derivatives of a model's accelerations, by the way that costs less.

    That is inverse dynamics wherever it goes (see `takes`, `closed_takes`), of trees up to
    `MOST_SPEEDS` speeds.

    Shape
        As of `tangent_program`.
    Source
        own
    """
    if takes(plan.model) and len(plan.model.speeds) <= MOST_SPEEDS:
        return inverse_derivatives(plan, runtime=runtime)
    if closed_takes(plan.model):
        return closed_derivatives(plan, runtime=runtime)
    return tangents_of_dynamics(plan, runtime=runtime)


def tangents_of_dynamics(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = True,
    loaded: bool | None = None,
) -> Program:
    """The derivatives of a model's accelerations as tangents of the Riccati method."""
    make = fast_program if plan.model.absolute else joint_program
    return tangent_program(make(plan, runtime=runtime, forced=True))
