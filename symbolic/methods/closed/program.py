"""The closed form of the equations of motion of a tree: M, C, gravity's forces, as a program.

All hinges' columns are expressed at the inertial origin, so that nothing is moved along the tree:
inertias just add up inwards, and a block of M or C is a product of what two hinges have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import ClassVar

import sympy as sp

from ...language.program import Array, Call, Kernel, Map, Program, Ref, Step, Sweep, result
from ...language.slices import Wanted
from ...language.walk import Action, Place
from ...mechanics.letters import PARENTS
from ...mechanics.traced import Traced
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.conditions import refuse
from ...tree.joint import BY_SPEED, Joint
from ...tree.mass_matrix import apart, entries, moving, pairs, paths
from . import kernels


class Columns(Joint):
    """The links of a tree, with twists and the columns of hinges at the inertial origin.

    Raises
        UsageError: the model has beams, closed loops, driven hinges or a moving base.
    """

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "Vp": "Vs", "Vdp": "Vds"}
    by_speed: ClassVar[Mapping[str, str]] = {
        **BY_SPEED,
        "S": "screws",
        **{name: name for name in ("gravity", "bias")},
    }

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, forced=False)
        refuse(self.loops, "closed-form takes trees of rigid bodies", "rnea-body takes these")
        self.sets |= pairs(self)

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of a link's array; it does not move, and rises against gravity."""
        if array == "Vs":
            return sp.zeros(self.space.motion, 1)
        return super().grounded("acc" if array == "Vds" else array)

    def facing(self) -> Iterator[tuple[str, Link, Link]]:
        """All pairs of hinges that move, with a name; the second is on the first's way inwards."""
        for path in paths(self):
            if self.freedom(path.ancestor):
                yield path.member, path.link, path.ancestor


def steps_of(tree: Columns) -> Iterator[Step]:
    """The whole method."""

    def hinges(of: Traced) -> Sequence[Call]:
        """A kernel at every hinge that moves."""
        return tree.inward(lambda x: [of.at(tree, x)] if tree.freedom(x) else [])

    def change(link: Link) -> Iterator[Action]:
        if kernels.changes(tree, link):
            yield tree.law_of(kernels.subspace_rate.at(tree, link), link)

    def twist(link: Link) -> Iterator[Kernel]:
        yield kernels.twist.at(tree, link)

    def inertia(link: Link) -> Iterator[Kernel]:
        yield kernels.composite.at(tree, link)

    def unaccelerated(link: Link) -> Iterator[Kernel]:
        yield kernels.unaccelerated.at(tree, link)

    def demanded(link: Link) -> Iterator[Kernel]:
        yield kernels.demanded.at(tree, link)

    def momentum(link: Link) -> Iterator[Action]:
        yield tree.bound(
            kernels.momentum.at(tree, link), link, {}, {"momentum": Place("momenta", "body")}
        )

    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield Map("columns", "screws of every hinge", hinges(kernels.screws))
    yield Map("changes", "how hinges' H change", tree.inward(change))
    yield Sweep("twists", "twists, root to tips", tree.outward(twist))
    yield Sweep("inertias", "inertias, tips to root", tree.inward(inertia))
    yield Map("momentous", "momenta of every screw", hinges(kernels.momentous))
    yield from together(
        tree,
        Map("masses", "mass matrix, hinge by hinge", tuple(mass_blocks(tree))),
        Map("mass_pairs", "mass matrix, pair by pair", tuple(mass_pairs(tree))),
    )
    yield apart(tree, "apart", "M")
    for variant in kernels.VARIANTS:
        yield from coriolis(tree, variant)
    yield Map("weights", "gravity along every hinge", hinges(kernels.gravity))
    yield Sweep("rates_of_twists", "rates of twists, root to tips", tree.outward(unaccelerated))
    yield Sweep("demands", "wrenches, tips to root", tree.inward(demanded))
    yield Map("biases", "forces without accelerations", hinges(kernels.bias))
    yield Map("moving", "momentum of every body", tree.inward(momentum))
    if not tree.shared:  # a shared coordinate has no screw of its own
        yield Map("shown", "screws as results", hinges(kernels.shown))
    yield shared.poses(tree)
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield from shared.stores(tree)
    yield shared.energies(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def together(tree: Columns, first: Map, *others: Map) -> Iterator[Map]:
    """These steps; as one, where several hinges of a coordinate add to an entry of a matrix."""
    if tree.shared:
        calls = chain(first.calls, *(step.calls for step in others))
        first, others = replace(first, calls=tuple(calls)), ()
    yield from (first, *others)


def mass_blocks(tree: Columns) -> Iterator[Call]:
    """M of every hinge and itself."""
    for link in moving(tree):
        speeds = tree.speeds(link)
        kernel = kernels.mass_column.at(tree, link)
        yield tree.call(kernel, link, {}, entries("M", speeds, speeds))


def mass_pairs(tree: Columns) -> Iterator[Call]:
    """M of every two hinges."""
    for member, link, inner in tree.facing():
        speeds, others = tree.speeds(link), tree.speeds(inner)
        n, m = len(speeds), len(others)
        reads = {"U": Ref(f"U{n}", link.name), "Ja": Ref(f"J{m}", inner.name)}
        writes = entries("M", speeds, others) | entries("N", others, speeds)
        yield Call(kernels.mass_pair.at(tree, link, inner=m), member, reads, writes)


def coriolis(tree: Columns, variant: str) -> Iterator[Step]:
    """C, chosen in one of the ways; each has arrays of its own."""
    matrix, terms = f"C_{variant}", f"Y_{variant}"

    def gathered(link: Link) -> Iterator[Action]:
        inputs = len(link.inputs)
        reads = {f"Yc_I{k}": Place(terms, f"input {k}") for k in range(1, inputs + 1)}
        kernel = kernels.gathered.at(tree, link, variant=variant)
        yield tree.bound(kernel, link, reads, {"Yc": Place(terms, "own")})

    def blocks() -> Iterator[Call]:
        for link in moving(tree):
            speeds = tree.speeds(link)
            n = len(speeds)
            writes = {f"{x}{n}": Ref(f"{x}{n}_{variant}", link.name) for x in "FG"}
            writes |= entries("C", speeds, speeds, matrix)
            reads = {"Yc": Ref(terms, link.name)}
            yield tree.call(kernels.coriolis_column.at(tree, link), link, reads, writes)

    def facing() -> Iterator[Call]:
        for member, link, inner in tree.facing():
            speeds, others = tree.speeds(link), tree.speeds(inner)
            n, m = len(speeds), len(others)
            reads = {x: Ref(f"{x}{n}_{variant}", link.name) for x in "FG"}
            reads["U"] = Ref(f"U{n}", link.name)
            reads |= {"Ja": Ref(f"J{m}", inner.name), "Jda": Ref(f"Jd{m}", inner.name)}
            writes = entries("C", speeds, others, matrix) | entries("D", others, speeds, matrix)
            yield Call(kernels.coriolis_pair.at(tree, link, inner=m), member, reads, writes)

    yield Sweep(f"{variant}_terms", "terms, tips to root", tree.inward(gathered))
    yield from together(
        tree,
        Map(f"{variant}_hinges", "C, hinge by hinge", tuple(blocks())),
        Map(f"{variant}_pairs", "C, pair by pair", tuple(facing())),
    )
    yield apart(tree, f"{variant}_apart", matrix)


def closed_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """M(q), C(q, u) in three variants, C u + g, gravity's forces, momenta and screws of a tree.

    M u̇ + C u + gravity are the forces that u̇ needs besides the hinges' laws and external loads.
    `runtime` names the model parameters that stay arguments; `forced` and
    `loaded` change nothing.

    Shape
        Arguments `q`, `v`; results `M` and `C_printed`, `C_skew` and `C_christoffel` (row by row),
        `gravity` and `bias`, which is C u + gravity (per speed), `momenta` (per body the moment of
        momentum, then the momentum, three components each), `screws` (per speed angular, then
        linear, three components each; not where hinges share coordinates), `poses`, `energy`, `qd`
        and, if there are quaternions, `qn`.
    Frame
        `momenta`, `screws`: inertial axes, about the inertial origin.
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges or a moving base.
    Source
        Screw paper (82), (85), (36); the variants and the sums over links are own.
    """
    tree = Columns(plan)
    title = "closed form of the equations of motion"
    arrays = caller_arrays(tree)
    wanted = [x for x in ENTRIES if x.name != "screws" or not tree.shared]
    return tree.program("closed-form", title, steps_of(tree), arrays, wanted, runtime)


#: What a caller may ask for.
ENTRIES = (
    Wanted("mass_matrix", "mass matrix", ("M",), whole=True),
    *(
        Wanted(f"coriolis_{variant}", f"coriolis matrix, {variant}", (f"C_{variant}",), whole=True)
        for variant in kernels.VARIANTS
    ),
    Wanted("gravity_forces", "forces that balance gravity", ("gravity",), whole=True),
    Wanted("bias_forces", "forces without accelerations", ("bias",), whole=True),
    Wanted("spatial_momenta", "momentum of every body", ("momenta",)),
    Wanted("screws", "screws of all speeds", ("screws",)),
    shared.POSES,
    shared.ENERGY,
    shared.RATES,
    shared.RETRACT,
)


def caller_arrays(tree: Columns) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    for matrix in ("M", *(f"C_{variant}" for variant in kernels.VARIANTS)):
        yield result(matrix, "pairs")
    yield result("gravity", "speeds")
    yield result("bias", "speeds")
    yield result("momenta", "bodies", 6)
    yield result("screws", "speeds", 6)
    yield from shared.RESULTS
    yield from tree.outer_arrays()
