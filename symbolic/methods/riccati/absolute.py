"""The fast form of the Riccati method for trees, as a program.

Each end carries what its subtree demands, λ = IA r̈ + pA, where λ = (−q, m) is the wrench
that the root side exerts on the tip side: S = Π IA and e = Π pA in the paper's letters.
A body adds its own inertia to that of its inputs, moved to its output end; the smooth hinge
at the output then eliminates the body's angular acceleration. The same steps in the paper's
matrices are in `paper_kernels` and `recursion`; that the two agree is proven in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sympy as sp

from ....model import Model
from ....model.expressions.quantities import TIME
from ...language.program import (
    Array,
    Kernel,
    Map,
    Port,
    Program,
    Ref,
    Slot,
    Step,
    Storage,
    Sweep,
    given,
    result,
)
from ...language.walk import Action, Place
from ...mechanics.laws import timed
from ...mechanics.space import Space
from ...plans.plan import Link, Plan
from ...tree import absolute_kernels as kernels
from ...tree import motion_kernels
from ...tree import steps as shared
from ...tree.absolute import Absolute
from ...tree.acting import outside
from ...tree.end_states import END_STATES, absolute_ends, end_arrays
from ...tree.steps import ACCELERATIONS, ENERGY, JOINT_LOADS, POSES, RATES, RETRACT
from ...tree.walking import Rule


def steps_of(tree: Absolute) -> Iterator[Step]:
    """The whole method."""
    d = tree.dimension

    def body(link: Link) -> Iterator[Kernel]:
        yield kernels.body.of(dimension=d, input_count=len(link.inputs), forced=tree.acted)
        yield kernels.hinge.of(dimension=d)

    def acceleration(link: Link) -> Iterator[Kernel]:
        yield kernels.acceleration.of(dimension=d, input_count=len(link.inputs))

    def place(link: Link) -> Iterator[Kernel]:
        if link.inputs:
            yield kernels.place.of(dimension=d, input_count=len(link.inputs))

    def energy(link: Link) -> Iterator[Kernel | Action]:
        sprung = link.parent is None and tree.between.storing
        if sprung:
            held = {"V_1": tree.between.total}
            kernel = motion_kernels.sprung.of(dimension=d, spring_count=1)
            yield tree.bound(kernel, link, held, {"E": Place("Espring", "own")})
        before = {"Ebefore": Place("Espring", "own")} if sprung else {}
        yield tree.bound(kernels.energy.of(dimension=d), link, before)

    def always(kernel: Kernel) -> Rule:
        return lambda link: (kernel,)

    yield Map(
        "orientation",
        "orientation of every body",
        tree.inward(always(kernels.orientation.of(dimension=d))),
    )
    if tree.model.forces:
        yield Sweep("places", PLACES, tree.outward(place))
        yield from acting(tree)
    title = "Riccati recursion, from the tips to the root"
    yield Sweep("tips_to_root", title, tree.inward(body))
    title = "back-substitution, from the root to the tips"
    yield Sweep("root_to_tips", title, tree.outward(acceleration))
    yield Map(
        "hinge_loads", "loads at every hinge", tree.inward(always(kernels.load.of(dimension=d)))
    )
    yield Map("end_states", END_STATES.title, tree.inward(absolute_ends(tree)))
    if not tree.model.forces:
        yield Sweep("places", PLACES, tree.outward(place))
    yield Map("body_poses", "pose of every body", tree.inward(always(kernels.pose.of(dimension=d))))
    yield Sweep("held", "energy stored by the forces", tree.between.stores())
    yield Sweep("energies", "energy of the system", tree.inward(energy))
    yield Map("rates", "rates of the coordinates", tree.each(always(kernels.rate.of(dimension=d))))
    if d == 3:
        title = "quaternions back to unit length"
        yield Map("retract", title, tree.each(always(kernels.retraction.of(dimension=3))))


PLACES = "position of every hinge"

#: The steps of what forces between points exert.
ACTING = ("places", "carriers", "lines", "sensed", "pulls", "flows", "pushes", "acting")


def acting(tree: Absolute) -> Iterator[Step]:
    """fs: what forces between points and the caller exert on every body."""
    d, between, pushes = tree.dimension, tree.between, tree.applied

    def act(link: Link) -> Iterator[Kernel]:
        yield kernels.acting.of(dimension=d, push_count=len(pushes.on(link.name)))

    carriers = tree.inward(lambda link: [kernels.carrier.of(dimension=d)])
    yield Map("carriers", "place and motion of every body", carriers)
    yield Map("lines", "lines between points", between.measured())
    yield Map("sensed", "what sensors measure", between.senses())
    yield from shared.pushed(between)
    yield Map("acting", "forces on every body", tree.inward(act))


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


def given_by(model: Model, forced: bool) -> Callable[[str], dict[str, Ref | sp.Matrix]]:
    """What acts on a body, by its name: force and couple `f`, and the couple `tau`."""
    space, array = Space(model.dimension), "fs" if model.forces else "f"
    still = sp.zeros(space.spins, 1)
    return lambda body: {"f": Ref(array, body), "tau": Ref("tau", body) if forced else still}


def caller_arrays(tree: Absolute) -> Iterator[Array]:
    """The arguments and results of the method."""
    space, dimension = tree.space, tree.dimension
    n, turned = space.spins, Slot.ANGLE if dimension == 2 else Slot.QUATERNION
    yield Array("q", "coordinates", Port("q", space.angles), Storage.ARGUMENT, "q", turned)
    yield given("v", "coordinates", n)
    if timed(*outside(tree.model)):
        yield given(TIME.name, "system")
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
