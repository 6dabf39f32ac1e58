"""The linear transfer matrix method for trees of rigid bodies at rest, as a program (`linear`).

One sweep inwards gives the dynamic stiffness Z of what hangs on every link, eliminating hinge after
hinge; its pivots count the eigenvalues below ω². Harmonic loads take one more inwards and one
outwards. All is in link axes, about the place q where the model rests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from ....model import GROUND
from ....model.expressions.quantities import exact_expression
from ...language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Program,
    Ref,
    Solution,
    Step,
    Sweep,
    given,
    result,
)
from ...language.slices import Wanted
from ...language.tangent import tangent_kernel, tangent_name
from ...language.walk import Action, Binding, Place
from ...plans.plan import Link, Plan
from ...plans.plan import plan as planned
from ...tree import motion_kernels
from ...tree import steps as shared
from ...tree.acting import at_end, symbols
from ...tree.walking import Rule
from . import cell_kernels as cells
from . import count_kernels as counts
from . import kernels
from . import load_kernels as loads
from . import section_kernels as sections
from . import sharing_kernels as sharing
from . import strain_kernels as strains
from . import tie_kernels as ties
from .cell_links import BORNE
from .cells import in_cells
from .fed import Fed
from .feeding import fed_at_rest, mutual
from .refused import see_carried, see_resting
from .resting import Resting, without_drag
from .tied import (
    COUNTED,
    cuts_at_rest,
    cuts_stretched,
    lines_at_rest,
    lines_stretched,
    met,
    reactions,
    shared_efforts,
)

#: Cells of each stretch of a beam, where nothing else is said.
CELLS = 16

COUNTS = ("below", "logdet", "worst", "angle")


def steps_of(tree: Resting) -> Iterator[Step]:
    """The whole method."""
    moving = tree.moving
    tree.distinct = {
        name: name if tree.alone(link) else tree.carried(link)
        for name in tree.tying
        for link in [tree.plan.link(name)]
    }
    if moving:
        tree.distinct |= {moving[0].name: "first"} | {moving[-1].name: "last"}

    def inward(link: Link) -> Iterator[Kernel | Action]:
        if not tree.is_cell(link):
            yield kernels.body.at(tree, link)
        if tree.bent(link):
            yield tree.law_of(kernels.bend.at(tree, link, rates=tree.curvature(link)), link)
        if tree.shares(link):
            yield sharing.demands.at(tree, link)
        yield kernels.hinge.at(tree, link, freedom=tree.yields(link))

    def bearing(link: Link) -> Iterator[Kernel]:
        yield (cells.laden if tree.is_cell(link) else kernels.borne).at(tree, link)
        yield kernels.handed.at(tree, link)

    def size(link: Link) -> Iterator[Kernel]:
        if tree.is_cell(link):
            yield cells.through_cell.at(tree, link)
        yield (cells.sized if tree.is_cell(link) else counts.gathered).at(tree, link)
        yield counts.sizes.at(tree, link)

    def bound(link: Link) -> Iterator[Kernel]:
        if link.name in tree.tips and tree.tips[link.name].ground is not None:
            yield cells.bound.at(tree, link)
        if tree.borne(link):
            yield cells.borne.at(tree, link, **tree.borne(link))

    def count(link: Link) -> Iterator[Action]:
        n, freedom = tree.cell_pivots(link), tree.yields(link)
        before = {name: sp.zeros(1, 1) for name in COUNTED}
        if moving and link is not moving[0]:
            before = {name: Place(array, "moving before") for name, array in COUNTED.items()}
        if freedom:
            yield tree.bound(counts.pivots.at(tree, link), link)
        parts = [(n, "c")] * (n > 0) + [(freedom, "")] * (freedom > 0)
        for at, (pivots, of) in enumerate(parts, start=1):
            ends = link is moving[-1] and at == len(parts) and not tree.width
            here = "" if at == len(parts) else of
            known: dict[str, Binding] = dict(before)
            if of:
                known |= {f"{x}{n}": Place(f"{of}{x}{n}", "own") for x in ("piv", "size")}
            kept: dict[str, Place | Ref] = {"pivot": Ref("pivot", "")}
            for name, array in zip(COUNTS, COUNTED.values(), strict=True):
                last = ends and name != "worst"
                kept[name] = Ref(name, "") if last else Place(f"{here}{array}", "own")
            kernel = counts.counted_up.at(tree, link, last=ends, freedom=pivots, count=pivots)
            yield tree.bound(kernel, link, known, kept)
            before = {name: Place(f"{here}{array}", "own") for name, array in COUNTED.items()}

    def tying(link: Link) -> Iterator[Kernel | Action]:
        if link.name in tree.tying:
            reads: dict[str, Binding] = dict(carried(link, "Et", "Ot", "Lt"))
            for k, (number, side) in enumerate(tree.pulled(link), start=1):
                tie = tree.tied[number]
                reads[f"Jl_{k}"] = Ref(tie.columns(side), tie.name)
                reads[f"S_{k}"] = tree.columns(number)
            of = ties.tying_cell if tree.is_cell(link) else ties.tying
            yield tree.bound(of.at(tree, link), link, reads)
            yield (sharing.joined if tree.shares(link) else ties.tied).at(tree, link)

    def opening(link: Link) -> Iterator[Action]:
        if link.name in tree.tying:
            kernel = ties.opened.at(tree, link, freedom=tree.yields(link))
            yield tree.bound(kernel, link, carried(link, "ozt"))

    def carried(link: Link, *stems: str) -> Mapping[str, Place]:
        """Columns that arrive at a link, by the input."""
        return {
            f"{stem}_I{k}_{tree.width}": Place(f"{stem}{tree.width}", f"input {k}")
            for k in tree.carried(link)
            for stem in stems
        }

    def driven(link: Link) -> Iterator[Kernel]:
        yield (cells.pressed if tree.is_cell(link) else loads.pushed).at(tree, link)
        yield loads.passed.at(tree, link, freedom=tree.yields(link))

    def outward(link: Link) -> Iterator[Kernel]:
        yield loads.moved.at(tree, link)
        if tree.is_cell(link):
            yield cells.drawn.at(tree, link)

    def seen(link: Link) -> Iterator[Kernel]:
        of_cell = cells.displaced if tree.phased else cells.weighed
        yield (of_cell if tree.is_cell(link) else loads.seen).at(tree, link)

    def reacting(link: Link) -> Iterator[Kernel]:
        if link.name in tree.tips:
            yield cells.reacting.at(tree, link)

    def strained(link: Link) -> Iterator[Kernel]:
        yield strains.exerted.at(tree, link)
        if tree.freedom(link) and not tree.phased:
            yield strains.sprung.at(tree, link)
        if tree.is_cell(link):
            yield strains.ends.at(tree, link)

    yield shared.relatives(tree)
    yield places(tree)
    if tree.model.beams:
        yield Map("gaps", "gaps of the conditions", tuple(tree.loops.gaps()))
        yield shared.rates(tree)
        yield from shared.retraction(tree)
    yield from shared.lines(tree)
    yield from shared.applied(tree)
    cut = Map("cuts_at_rest", "cut hinges at rest", tuple(cuts_at_rest(tree)))
    if tree.laden:
        yield cut
        yield Sweep("borne", "what links bear at rest, tips to root", tree.inward(bearing))
        yield Map("shared", "what shared coordinates bear", tuple(shared_efforts(tree)))
    yield Map("cells", "transfer matrices of cells", tuple(of_sections(tree)))
    yield Map("bounds", "ends of cells at the ground", tree.inward(bound))
    title = "derivatives of these along ω²"
    yield Map("cell_slopes", title, tuple(of_sections(tree, along=True)))
    yield Map("fed", "forces along hinges by others", tuple(fed_at_rest(tree)))
    yield Sweep("lines_at_rest", "springs between points", tuple(lines_at_rest(tree)))
    yield Map("loads_at_rest", "stiffness of loads at rest", tuple(resting_loads(tree)))
    if not tree.laden:
        yield cut
    yield Map("stiffness", "stiffness in every hinge", tree.inward(stiffening(tree)))
    title = "dynamic stiffness, tips to root"
    if tree.model.beams:  # the sizes of what hangs on a cell are those of its stiffness
        yield Sweep("inward", title, tree.inward(size, inward))
    else:
        yield Sweep("sizes", "sizes of pivots", tree.inward(size))
        yield Sweep("inward", title, tree.inward(inward))
    yield Sweep("counted", "negative pivots", tree.inward(count))
    between = "shared coordinates" if tree.opened else "springs between points"
    yield Sweep("tied", f"columns of {between}", tree.inward(tying))
    yield Solution("met", between, tuple(met(tree, ties.met)))
    yield Sweep("driven", "harmonic loads, tips to root", tree.inward(driven))
    yield Sweep("opened", f"how far {between} open", tree.inward(opening))
    exerted = tuple(met(tree, ties.exerted))
    yield Solution("exerted", f"forces of the {between}", exerted)
    yield Sweep("outward", "displacements, root to tips", tree.outward(outward))
    yield Map("displaced", "displacements of bodies", tree.each(seen))
    if tree.reacts:
        calls = *tree.inward(reacting), *reactions(tree)
        yield Map("reactions", "what cut hinges exert", calls)
    yield Map("strained", "springs and wrenches in hinges, ends of cells", tree.each(strained))
    yield Map("stretched", "energy of forces between points", tuple(lines_stretched(tree)))
    yield Map("cuts_stretched", "energy of cut hinges", tuple(cuts_stretched(tree)))
    yield shared.poses(tree)


def places(tree: Resting) -> Step:
    """A and x: where every link is, xI where the other end of a cell is; and how fast they move."""

    def here(link: Link) -> Iterator[Kernel]:
        yield motion_kernels.place.at(tree, link)
        yield motion_kernels.spins.at(tree, link)
        yield motion_kernels.speed.at(tree, link)
        if tree.is_cell(link):
            yield cells.reached.at(tree, link)

    return Sweep("places", "place and motion of every link", tree.outward(here))


def of_sections(tree: Resting, along: bool = False) -> Iterator[Call]:
    """The transfer matrices of cells, one for each section; their derivatives `along` ω²."""
    for name in tree.sets["sections"]:
        link = tree.plan.link(name)
        kernel = sections.cell.at(tree, link)
        of: dict[str, Binding] = {x: Ref(x, "") for x in ("omega2", "s")}
        of[tangent_name("omega2")] = sp.eye(1)
        kernel = tangent_kernel(kernel, frozenset({"omega2"})) if along else kernel
        constants = {x: sp.Matrix([value]) for x, value in tree.section(link).items()}
        of |= {x: Ref(x, name) for x in ("NI", "NS")}
        reads = {port.name: (of | constants)[port.name] for port in kernel.inputs}
        yield Call(kernel, name, reads, {p.name: Ref(p.name, name) for p in kernel.outputs})


def stiffening(tree: Resting) -> Rule:
    """κ of every hinge that has one."""
    named: dict[object, str] = {}

    def rule(link: Link) -> Iterator[Action]:
        if tree.stiff(link):
            found, (slopes, viscous) = tree.stiffness(link), tree.slopes(tree.hinge(link))
            label = named.setdefault((found, slopes, viscous), link.hinge)
            kernel = kernels.stiff.at(
                tree,
                link,
                label=label,
                slopes=slopes,
                viscous=viscous,
                torsion=found.torsion,
                turn=found.quaternion,
            )
            yield tree.law_of(kernel, link)

    return rule


def resting_loads(tree: Resting) -> Iterator[Call]:
    """What loads add to the bodies' stiffness."""
    arms = {call.member: call.reads["r"] for call in tree.applied.calls({})}
    springs: dict[str, dict[str, Ref]] = {}
    of: dict[str, dict[str, Any]] = {
        load.name: {
            "follows": load.frame == "body",
            "couple": any(exact_expression(x) != 0 for x in load.moment),
            "drag": tree.drag(load),
            "sprung": False,
        }
        for load in tree.model.loads
    }
    for force in tree.model.forces:
        for end in force.ends:
            if end.body != GROUND:
                member = at_end(force, end)
                arms[member] = tree.between.arm(end)
                of[member] = {"follows": False, "couple": False, "drag": sp.Integer(0)}
                of[member]["sprung"] = tree.to_ground(force)
                springs[member] = {
                    "Jl": Ref(f"J{'ab'[force.ends.index(end)]}", force.name),
                    "ca": Ref("ca", force.name),
                }
    for member, arm in arms.items():
        kernel = kernels.load.of(dimension=tree.dimension, even=tree.even, **of[member])
        known: dict[str, Ref | sp.Matrix] = {**symbols(tree.model), "s": Ref("s", "")}
        known |= {"W": Ref("W", member), "r": arm, **springs.get(member, {})}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, member, reads, {x.name: Ref(x.name, member) for x in kernel.outputs})


class Conservative(Resting):
    """The links of a tree on which all that acts at rest has an energy."""

    def feeding(self) -> list[Fed]:
        return [*mutual(self)]


def linear_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    cells: int = CELLS,
) -> Program:
    """Small motions about rest: counts of eigenvalues, and harmonic response, of trees.

    `runtime` names the model parameters that stay arguments; `forced` adds forces along the speeds,
    `loaded` (as `forced` by default) loads on the bodies, both harmonic. Each stretch of a beam
    between its points is cut into `cells`, which are bodies of the program; at rest none is loaded.

    Shape
        Arguments `q` (where the model rests), `v` (unused), `omega2` (ω²; below zero too), with
        closed loops `cut` (per cut hinge its joint load at rest, m then q, three components each;
        of beams under loads `lc`, the wrench of each on its child, force then moment, in axes of
        its point, of one that holds the end of a beam that of the beam on it, in the beam's axes)
        and `kept` (per condition of these 1, or 0 of one that follows from those before),
        and of the response amplitudes: if forced `tau` (per speed) and if loaded `f` (per body
        force at its centre of mass, then couple). Results of `count`: `below`, the number of
        eigenvalues below ω²; `logdet`, log |det(K − ω² M)| in the hinges' displacements, with
        closed loops times what the ties make of it; `pivot`, below all
        parts that are left of what pivots are made of, from 1 down to 0. Results of `respond`,
        amplitudes too: `u` (per body the displacement of its centre of mass, then its rotation),
        `s` (per speed), and `P` and `Ps`, inertias times these. Of cells `f`, `u` and `P` are at
        their ends on the root side, `fe`, `ue` and `Pe` the same on the tip side, per cell.
        Results of `strain`: `load`, the wrenches of hinges on bodies beyond rest, in inertial axes;
        `ks`, what hinges' springs ask along the speeds; `Wl` and `Wc`, the strain energies of
        forces between points and of the springs of cut hinges; `yI` and `lI`, of cells u and λ
        at their ends I, in axes of their beams.
        Result of `placed`: `poses`, where all bodies and cells are; of `reacting`: `lc`, what cut
        hinges between beams exert under the loads.
    Units
        Those of the speeds times s; of `P` and `Ps` of momenta times s; ω² in 1/s².
    Frame
        `f`, `u`, `P`: inertial; `q`, `tau`, `s`, `Ps`: hinge by hinge, see `Hinge`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Raises
        UsageError: the model has driven hinges, a moving base, hinges that follow others by a
            law, beams under load, or what acts on it at rest has no energy.
    Source
        Own: the Riccati method with displacements in place of accelerations.
    """
    see_carried(plan)
    tree = Conservative(planned(in_cells(without_drag(plan.model), cells)), forced, loaded)
    see_resting(tree)
    title = "linear transfer matrix method"
    return tree.program(
        "linear", title, steps_of(tree), caller_arrays(tree), entries(tree), runtime
    )


def at_rest(tree: Resting) -> tuple[Wanted, ...]:
    """What a caller may ask for of the place at rest; of loops beside beams none else tells."""
    placed = Wanted("placed", "pose of every body and cell at rest", ("poses",))
    if not tree.model.beams:
        return (placed,)
    laden = Wanted("laden", "what hinges and cells bear at rest", ("er", *BORNE))
    reacting = Wanted("reacting", "what cut hinges exert under harmonic loads", ("lc",))
    found = ["cq"] * bool(tree.read) + ["pull"] * bool(tree.between.lines)
    pulling = Wanted("pulling", "places of cut hinges, and tensions between points", (*found,))
    told = *[laden] * tree.laden, *[reacting] * tree.reacts
    return placed, *told, shared.CONSTRAINTS, shared.RATES, shared.RETRACT, pulling


def of_rest(tree: Resting) -> Iterator[Array]:
    """What is known of the loops at rest, and what is told of the place."""
    if tree.laden and tree.plan.cuts:
        yield given("lc", "cuts", tree.space.motion)
    elif tree.bears:
        yield given("cut", "cuts", 6)
    if tree.reacts:
        yield result("lc", "cuts", tree.space.motion, complex=tree.phased)
    if tree.may_follow:
        yield given("kept", "conditions")
    yield result("poses", "bodies", 4, 4)
    if tree.laden:
        n = tree.space.motion
        yield result("er", "speeds")
        yield from (result(name, "cells") for name in BORNE[:2])
        yield from (result(name, "cells", n) for name in BORNE[2:])
    if tree.model.beams:
        yield from (result(name, "conditions") for name in ("phi", "phid"))
        yield from (result(name, "coordinates") for name in ("qd", "qn"))
        yield result("cq", "cut coordinates")
        if tree.between.lines:
            yield result("pull", "forces")


def entries(tree: Resting) -> tuple[Wanted, ...]:
    """What a caller may ask for."""
    found = ("u", "s", "P", "Ps", *(("ue", "Pe") if tree.model.beams else ()))
    strained = ["load", "ks", *(["yI", "lI"] if tree.model.beams else [])]
    strained += ["Wl"] * bool(tree.between.lines) + ["Wc"] * bool(tree.sets["sprung"])
    return (
        Wanted("count", "eigenvalues below ω²", ("below", "pivot", "logdet")),
        Wanted("respond", "amplitudes that harmonic loads cause", found),
        Wanted("strain", "wrenches and strain energies that they cause", tuple(strained)),
        *at_rest(tree),
    )


def caller_arrays(tree: Resting) -> Iterator[Array]:
    """The arguments and results of the method."""
    n = tree.space.motion
    yield given("q", "coordinates")
    yield given("v", "speeds")
    yield given("omega2", "system")
    yield from of_rest(tree)
    if tree.forced:
        yield given("tau", "speeds")
    if tree.loaded:
        yield given("f", "bodies", n)
    if tree.model.beams:
        if tree.loaded:
            yield given("fe", "cells", n)
        yield from (result(name, "cells", n) for name in ("ue", "Pe", "yI", "lI"))
    yield from (result(name, "system") for name in ("below", "pivot", "logdet"))
    yield from (result(name, "bodies", n) for name in ("u", "P", "load"))
    yield from (result(name, "speeds") for name in ("s", "Ps", "ks"))
    if tree.between.lines:
        yield result("Wl", "forces")
    if tree.sets["sprung"]:
        yield result("Wc", "sprung")
    yield from tree.outer_arrays()
