"""The linear transfer matrix method for trees of rigid bodies at rest, as a program (`linear`).

One sweep inwards gives the dynamic stiffness Z of what hangs on every link, eliminating hinge after
hinge; its pivots count the eigenvalues below ω². Harmonic loads take one more inwards and one
outwards. All is in link axes, about the place q where the model rests.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ...language.program import Array, Call, Kernel, Map, Program, Ref, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place
from ...mechanics import laws
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.walking import Rule
from . import kernels
from .resting import OF_LOAD, Resting, see_resting


def steps_of(tree: Resting) -> Iterator[Step]:
    """The whole method."""
    moving = tree.moving
    if moving:
        tree.distinct = {moving[0].name: "first"} | {moving[-1].name: "last"}

    def inward(link: Link) -> Iterator[Kernel | Action]:
        yield kernels.body.at(tree, link)
        if tree.bent(link):
            yield tree.law_of(kernels.bend.at(tree, link, rates=tree.curvature(link)), link)
        yield kernels.hinge.at(tree, link)

    def size(link: Link) -> Iterator[Kernel]:
        yield kernels.gathered.at(tree, link)
        yield kernels.sizes.at(tree, link)

    def count(link: Link) -> Iterator[Action]:
        if not tree.freedom(link):
            return
        yield tree.bound(kernels.pivots.at(tree, link), link)
        first, last = link is moving[0], link is moving[-1]
        none = sp.zeros(1, 1)
        known: dict[str, Binding] = {
            name: none if first else Place(array, "moving before")
            for name, array in (("nbefore", "negative"), ("lbefore", "logs"), ("cbefore", "worst"))
        }
        kept: dict[str, Place | Ref] = {
            "below": Ref("below", "") if last else Place("negative", "own"),
            "logdet": Ref("logdet", "") if last else Place("logs", "own"),
            "pivot": Ref("pivot", ""),
        }
        yield tree.bound(kernels.counted_up.at(tree, link, last=last), link, known, kept)

    def driven(link: Link) -> Iterator[Kernel]:
        yield kernels.pushed.at(tree, link)
        yield kernels.passed.at(tree, link)

    def outward(link: Link) -> Iterator[Kernel]:
        yield kernels.moved.at(tree, link)

    def seen(link: Link) -> Iterator[Kernel]:
        yield kernels.seen.at(tree, link)

    yield shared.relatives(tree)
    yield shared.places(tree)
    yield from shared.applied(tree)
    yield Map("loads_at_rest", "stiffness of loads at rest", tuple(resting_loads(tree)))
    yield Map("stiffness", "stiffness in every hinge", tree.inward(stiffening(tree)))
    yield Sweep("sizes", "sizes of pivots", tree.inward(size))
    yield Sweep("inward", "dynamic stiffness, tips to root", tree.inward(inward))
    yield Sweep("counted", "negative pivots", tree.inward(count))
    yield Sweep("driven", "harmonic loads, tips to root", tree.inward(driven))
    yield Sweep("outward", "displacements, root to tips", tree.outward(outward))
    yield Map("displaced", "displacements of bodies", tree.each(seen))


def stiffening(tree: Resting) -> Rule:
    """κ of every hinge that has one."""
    named: dict[laws.Stiffness, str] = {}

    def rule(link: Link) -> Iterator[Action]:
        if not tree.freedom(link):
            return
        found = tree.stiffness(link)
        if not found.nothing:
            label = named.setdefault(found, link.hinge)
            kernel = kernels.stiff.at(
                tree,
                link,
                label=label,
                slopes=found.even,
                torsion=found.torsion,
                turn=found.quaternion,
            )
            yield tree.law_of(kernel, link)

    return rule


def resting_loads(tree: Resting) -> Iterator[Call]:
    """What loads that keep their direction add to the bodies' stiffness."""
    for call in tree.applied.calls({}):
        reads = {"W": Ref("W", call.member), "r": call.reads["r"]}
        writes = {name: Ref(name, call.member) for name in OF_LOAD}
        yield Call(kernels.load.of(dimension=tree.dimension), call.member, reads, writes)


def linear_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """Small motions about rest: counts of eigenvalues, and harmonic response, of trees.

    `runtime` names the model parameters that stay arguments; `forced` adds forces along the speeds,
    `loaded` (as `forced` by default) loads on the bodies, both harmonic.

    Shape
        Arguments `q` (where the model rests), `v` (unused), `omega2` (ω²; below zero too), and of
        the response amplitudes: if forced `tau` (per speed) and if loaded `f` (per body force at
        its centre of mass, then couple). Results of `count`: `below`, the number of eigenvalues
        below ω²; `logdet`, log |det(K − ω² M)| in the hinges' displacements; `pivot`, below all
        parts that are left of what pivots are made of, from 1 down to 0. Results of `respond`,
        amplitudes too: `u` (per body the displacement of its centre of mass, then its rotation),
        `s` (per speed), and `P` and `Ps`, inertias times these.
    Units
        Those of the speeds times s; of `P` and `Ps` of momenta times s; ω² in 1/s².
    Frame
        `f`, `u`, `P`: inertial; `q`, `tau`, `s`, `Ps`: hinge by hinge, see `Hinge`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Raises
        UsageError: the model is no tree of rigid bodies on a ground at rest, or what acts on it at
            rest has no energy.
    Source
        Own: the Riccati method with displacements in place of accelerations.
    """
    tree = Resting(plan, forced, loaded)
    see_resting(tree)
    title = "linear transfer matrix method"
    return tree.program("linear", title, steps_of(tree), caller_arrays(tree), ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    Wanted("count", "eigenvalues below ω²", ("below", "pivot", "logdet")),
    Wanted("respond", "amplitudes that harmonic loads cause", ("u", "s", "P", "Ps")),
    shared.POSES,
)


def caller_arrays(tree: Resting) -> Iterator[Array]:
    """The arguments and results of the method."""
    n = tree.space.motion
    yield given("q", "coordinates")
    yield given("v", "speeds")
    yield given("omega2", "system")
    if tree.forced:
        yield given("tau", "speeds")
    if tree.loaded:
        yield given("f", "bodies", n)
    yield from (result(name, "system") for name in ("below", "pivot", "logdet"))
    yield from (result(name, "bodies", n) for name in ("u", "P"))
    yield from (result(name, "speeds") for name in ("s", "Ps"))
    yield result("poses", "bodies", 4, 4)
    yield from tree.outer_arrays()
