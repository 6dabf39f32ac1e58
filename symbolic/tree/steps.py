"""The steps that methods in joint coordinates share, and what callers may want of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import sympy as sp

from ...model import Beam
from ...model.expressions.quantities import TIME
from ..language.program import Call, Kernel, Map, Ref, Step, Sweep, result
from ..language.slices import Wanted
from ..language.walk import Action, Binding, Place, Written
from ..mechanics import laws
from ..mechanics.hinges import joint
from ..mechanics.traced import Traced
from ..plans.plan import Link
from . import motion_kernels as kernels
from .forces import Forces
from .joint import Joint


def based(tree: Joint) -> Step:
    """The motion of the ground, if it moves."""
    return Map("base", "motion of the base", tuple(tree.ground.calls()))


def relatives(tree: Joint) -> Step:
    """Coordinates and speeds to relative poses, velocities, biases and H."""

    def relative(link: Link) -> Iterator[Action | Call]:
        hinge = tree.hinge(link)
        if hinge.motion:
            motion = tuple(map(laws.settled, hinge.motion))
            kernel = kernels.driven.at(tree, link, label=hinge.name, motion=motion)
        else:
            kernel = kernels.relative.at(tree, link)
        yield tree.law_of(kernel, link)
        yield from tree.beams.relatives(link)

    return Map("relatives", "relative motion in every hinge", tree.inward(relative))


def forces(tree: Joint) -> Step:
    """T: what acts in a hinge along its speeds."""
    named: dict[tuple[sp.Expr, ...], str] = {}

    def force(link: Link) -> Iterator[Action]:
        if tree.pushed(link):
            law = tree.law(link)
            label = named.setdefault(law, link.hinge)
            forced = tree.applies(link) and tree.acting(link)
            kernel = kernels.force.at(tree, link, label=label, law=law, forced=forced)
            yield tree.law_of(kernel, link)

    return Map("forces", "force in every hinge", tree.inward(force))


def spins(tree: Joint) -> Step:
    """w: the angular velocity of every link, in its axes."""

    def spin(link: Link) -> Iterator[Kernel | Call]:
        yield kernels.spins.at(tree, link)
        yield from tree.beams.at_parts(link, kernels.spins.at(tree, link, way=kernels.ANY))

    return Sweep("spins", "angular velocities, outwards", tree.outward(spin))


def places(tree: Joint) -> Step:
    """A and x: where every link is."""
    title = "orientation and position of every link"
    return Sweep("places", title, _everywhere(tree, kernels.place))


def velocities(tree: Joint) -> Step:
    """vl: the velocity of every link's origin, in its axes."""
    return Sweep("velocities", "velocity of every link", _everywhere(tree, kernels.speed))


def lines(tree: Joint) -> Iterator[Step]:
    """dist, dir, distd: the lines of forces between points; sensed: what sensors measure."""
    yield Map("lines", "lines between points", tree.between.measured())
    yield Map("sensed", "what sensors measure", tree.between.senses())


def _everywhere(tree: Joint, of: Traced) -> Sequence[Call]:
    def here(link: Link) -> Iterator[Kernel | Call]:
        kernel = of.at(tree, link)
        yield kernel
        yield from tree.beams.at_parts(link, kernel)

    return tree.outward(here)


def poses(tree: Joint) -> Step:
    """The poses of the bodies, of a beam that of its floating frame."""

    def pose(link: Link) -> Iterator[Action]:
        yield tree.bound(kernels.pose.at(tree, link), link, tree.beams.placed(link))

    return Map("body_poses", "pose of every body", tree.inward(pose))


def stores(tree: Joint) -> Iterator[Step]:
    """V: the energy stored in every hinge that stores any, Vc in a cut one, Vf of the forces."""
    named: dict[sp.Expr, str] = {}

    def store(link: Link) -> Iterator[Action]:
        law = tree.stored(link)
        if law != 0:
            label = named.setdefault(law, link.hinge)
            yield tree.law_of(kernels.stored.at(tree, link, label=label, law=law), link)

    calls = joined(tree.inward(store), tree.cut_forces.stores())
    yield Map("stores", "energy stored in every hinge", calls)
    yield Sweep("held", "energy stored by the forces", tree.between.stores())


def energies(tree: Joint, *, apart: bool = False) -> Step:
    """E: the energy of all links up to one, that of the root the system's; `apart` each one's."""

    def energy(link: Link) -> Iterator[Action]:
        root = link is tree.links[-1]
        first = apart or link is tree.links[0]
        before: Binding = sp.zeros(1, 1) if first else Place("E", "before")
        if tree.hinge(link).rotor:
            yield tree.law_of(_spinning(tree, link), link, Ebefore=before)
            before = Place("Erotor", "own")
        springs: list[Binding] = [Place("V", "own")] if tree.stored(link) != 0 else []
        if root:
            springs += [Ref("Vc", name) for name in tree.cut_forces.storing]
            springs += [tree.between.total] if tree.between.storing else []
        if springs:
            reads = {f"V_{j}": spring for j, spring in enumerate(springs, start=1)}
            reads["Ebefore"] = before
            before = Place("Espring", "own")
            yield tree.bound(
                kernels.sprung.of(dimension=tree.dimension, spring_count=len(springs)),
                link,
                reads,
                {"E": before},
            )
        here = {"E": Ref("energy", "") if root and not apart else Place("E", "own")}
        if isinstance(link.body, Beam):
            reads = tree.beams.energetic(link) | {"Ebefore": before}
            yield tree.bound(tree.beams.energy(link), link, reads, here)
        else:
            kernel = kernels.energy.at(tree, link)
            yield tree.bound(kernel, link, {"Ebefore": before}, here)

    title = f"energy of {'every link' if apart else 'the system'}"
    return (Map if apart else Sweep)("energies", title, tree.inward(energy))


def _spinning(tree: Joint, link: Link) -> Kernel:
    hinge = tree.hinge(link)
    if hinge.motion:
        rates = sp.Matrix(list(map(laws.settled, hinge.motion))).diff(TIME)
        return kernels.spinning.at(tree, link, label=hinge.name, speeds=tuple(rates))
    speeds = tuple(joint(tree.dimension, hinge.kind).u)
    return kernels.spinning.at(tree, link, label=str(len(hinge.rotor)), speeds=speeds)


def rates(tree: Joint) -> Step:
    """qd: the rates of all coordinates."""
    return Map("rates", "rates of the coordinates", _by_coordinate(tree, "qd"))


def retraction(tree: Joint) -> Iterator[Step]:
    """qn: all coordinates, with quaternions back to unit length, if there are any."""
    if tree.turning:
        yield Map("retract", "quaternions back to unit length", _by_coordinate(tree, "qn"))


def _by_coordinate(tree: Joint, result: str) -> Sequence[Call]:
    make = kernels.rate if result == "qd" else kernels.retract

    def here(link: Link) -> Iterator[Action]:
        hinge = tree.hinge(link)
        if tree.model.hinge_coordinates(hinge):
            yield tree.law_of(make.at(tree, link), link)
        yield from tree.beams.copied(link, result)

    return tree.inward(here)


def opened(tree: Joint) -> Iterator[Step]:
    """What cut hinges demand, and what acts in them and on the bodies, at the links' places."""
    yield from gaps(tree)
    calls = tuple(tree.cut_forces.laws(tree.readings))
    yield Sweep("cut_forces", "force in every cut hinge", calls)
    yield from applied(tree)
    if not tree.model.beams:
        yield from slopes(tree)


def gaps(tree: Joint) -> Iterator[Step]:
    """phi, phid: how far cut hinges are open, and how fast; their columns."""
    loops, cut_forces = tree.loops, tree.cut_forces
    yield Map("prescribed", "motion of the cut driven hinges", tuple(cut_forces.prescribed()))
    yield Map("gaps", "gaps of the conditions", tuple(loops.gaps()))
    yield Map("openings", "cut hinges", tuple(loops.openings()))
    if loops.curved:
        yield Map("curves", "slopes of the couplings by laws", tuple(loops.curves()))
        yield Map("curve_rows", "these as rows", tuple(loops.curve_rows()))


def slopes(tree: Joint) -> Iterator[Step]:
    """J: how fast the cut hinges open per speed."""
    others = tree.loops.no_slopes
    title = "speeds that do not change the conditions"
    yield Map("no_slopes", title, Written(others, islice(others(), 1)))
    title = "how the conditions change with the speeds"
    yield Sweep("slopes", title, tuple(tree.loops.slopes()))


def applied(tree: Joint) -> Iterator[Step]:
    """W: the wrenches of the loads on the bodies, and of the forces between points."""
    yield Map("applied", "loads on the bodies", tuple(tree.applied.calls(tree.readings)))
    yield from pushed(tree.between)


def pushed(between: Forces) -> Iterator[Step]:
    """W: the wrenches of the forces, once their lines are known."""
    yield Map("pulls", "tension of every line", between.pulls())
    yield Map("flows", "velocities of media", between.flows())
    yield Map("pushes", "forces between points", between.wrenches())


def joined(calls: Sequence[Call], others: Iterable[Call]) -> Sequence[Call]:
    """Calls along the tree, then others, if there are any."""
    more = tuple(others)
    return (*calls, *more) if more else calls


#: Results that all methods have.
RESULTS = (
    result("poses", "bodies", 4, 4),
    result("energy", "system"),
    result("qd", "coordinates"),
    result("qn", "coordinates"),
)

ACCELERATIONS = Wanted("accelerations", "accelerations of the coordinates", ("a",), whole=True)
LOADS = "loads at the hinges, moment then force, that the tip side exerts on the root side"
JOINT_LOADS = Wanted("joint_loads", LOADS, ("a", "loads"))
POSES = Wanted("poses", "pose of every body", ("poses",))
ENERGY = Wanted("energy", "kinetic plus potential energy", ("energy",))
RATES = Wanted("rates", "rates of the coordinates", ("qd",))
RETRACT = Wanted("retract", "coordinates back to unit length", ("qn",))
DRIVING = Wanted("driving_forces", "forces that drive the driven hinges", ("a", "drive"))
CONSTRAINTS = Wanted(
    "constraints", "how far the cut hinges are open, and how fast they open", ("phi", "phid")
)
JACOBIAN = Wanted("jacobian", "how fast the cut hinges open per speed", ("J",))
CORRECTION = Wanted(
    "correction", "the least change of the speeds that adds -c to what the cuts open at", ("du",)
)
