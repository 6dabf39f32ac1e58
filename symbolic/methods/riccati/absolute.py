"""The fast form of the Riccati method for trees, as a program.

Each end carries what its subtree demands, λ = IA r̈ + pA, where λ = (−q, m) is the wrench
that the root side exerts on the tip side: S = Π IA and e = Π pA in the paper's letters.
A body adds its own inertia to that of its inputs, moved to its output end; the smooth hinge
at the output then eliminates the body's angular acceleration. The same steps in the paper's
matrices are in `paper_kernels` and `recursion`; that the two agree is proven in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...language.program import (
    Array,
    Kernel,
    Map,
    Port,
    Program,
    Slot,
    Step,
    Storage,
    Sweep,
    given,
    result,
)
from ...plans.plan import Link, Plan
from ...tree import absolute_kernels as kernels
from ...tree.absolute import Absolute
from ...tree.end_states import END_STATES, absolute_ends, end_arrays
from ...tree.steps import ACCELERATIONS, ENERGY, JOINT_LOADS, POSES, RATES, RETRACT
from ...tree.walking import Rule


def steps_of(tree: Absolute) -> Iterator[Step]:
    """The whole method."""
    d, forced = tree.dimension, tree.forced

    def body(link: Link) -> Iterator[Kernel]:
        yield kernels.body(d, len(link.inputs), forced)
        yield kernels.hinge(d)

    def acceleration(link: Link) -> Iterator[Kernel]:
        yield kernels.acceleration(d, len(link.inputs))

    def place(link: Link) -> Iterator[Kernel]:
        if link.inputs:
            yield kernels.place(d, len(link.inputs))

    def always(kernel: Kernel) -> Rule:
        return lambda link: (kernel,)

    yield Map(
        "orientation", "orientation of every body", tree.inward(always(kernels.orientation(d)))
    )
    title = "Riccati recursion, from the tips to the root"
    yield Sweep("tips_to_root", title, tree.inward(body))
    title = "back-substitution, from the root to the tips"
    yield Sweep("root_to_tips", title, tree.outward(acceleration))
    yield Map("hinge_loads", "loads at every hinge", tree.inward(always(kernels.load(d))))
    yield Map("end_states", END_STATES.title, tree.inward(absolute_ends(tree)))
    yield Sweep("places", "position of every hinge", tree.outward(place))
    yield Map("body_poses", "pose of every body", tree.inward(always(kernels.pose(d))))
    yield Sweep("energies", "energy of the system", tree.inward(always(kernels.energy(d))))
    yield Map("rates", "rates of the coordinates", tree.each(always(kernels.rate(d))))
    if d == 3:
        title = "quaternions back to unit length"
        yield Map("retract", title, tree.each(always(kernels.retraction())))


def fast_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """The Riccati method for a tree in its fast form.

    `runtime` names the model parameters that stay arguments; `forced` adds a couple on each
    body, `loaded` (as `forced` by default) external loads.

    Shape
        Arguments `q`, `v`, if forced `tau` (per body the couple along its speeds), if loaded `f`
        (per body the force at its centre of mass, then a couple); results `a`, `loads` (per
        output end m then q, three components each), `za` and `zb` (the same and r̈, Ω̇ for all
        `states`), `poses` (per body a 4×4 transform), `energy`, `qd`, and in space `qn`.
    Frame
        `f` and `loads` in the inertial frame; `v`, `a` and `tau` in body axes (in space).
    Source
        Riccati paper, Sects. 3 and 4, completed; hinge step in the articulated-body form.
    """
    tree = Absolute(plan, forced, loaded)
    title = "Riccati transfer matrix method, fast form"
    arrays = caller_arrays(tree)
    return tree.program("riccati", title, steps_of(tree), arrays, ENTRIES, runtime)


#: What a caller may ask for; in the plane there are no quaternions to bring back to length.
ENTRIES = (
    replace(ACCELERATIONS, whole=False),
    JOINT_LOADS,
    END_STATES,
    POSES,
    ENERGY,
    RATES,
    RETRACT,
)


def caller_arrays(tree: Absolute) -> Iterator[Array]:
    """The arguments and results of the method."""
    space, dimension = tree.space, tree.dimension
    n, turned = space.spins, Slot.ANGLE if dimension == 2 else Slot.QUATERNION
    yield Array("q", "coordinates", Port("q", space.angles), Storage.ARGUMENT, "q", turned)
    yield given("v", "coordinates", n)
    if tree.forced:
        yield given("tau", "coordinates", n)
    if tree.loaded:
        yield given("f", "coordinates", space.motion)
    yield result("a", "coordinates", n)
    yield result("loads", "ends", 6)
    yield from end_arrays()
    yield result("poses", "coordinates", 4, 4)
    yield result("energy", "system")
    yield result("qd", "coordinates", space.angles)
    if dimension == 3:
        yield result("qn", "coordinates", 4)
