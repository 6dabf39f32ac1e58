"""How inverse dynamics changes with everything it depends on, as a program (`sensitivities`).

By the closed form's sums over links, not by differentiated kernels: with coordinates, speeds and
accelerations (the linearised equations of motion), inertia parameters and hinges' points.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import sympy as sp

from ...language.program import Array, Kernel, Map, Program, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place, Walk
from ...mechanics.hinges import unfactored
from ...mechanics.traced import Traced
from ...plans.jacobian_indices import Chosen
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.conditions import refuse
from ...tree.inverse_kernels import apart
from ...tree.mass_matrix import pair
from ...tree.walking import Related, Rule
from ..closed.kernels import composite, gathered
from ..jacobians.kernels import seen
from ..jacobians.program import placed_screws
from . import kernels
from .moving import MOVING, Moving, Placed

#: What belongs to a speed: how its screw moves, and what it makes of the sums of its link.
OF_SPEED = ("S", *MOVING, "U", "B", "R", "E")

#: The arrays of a kernel's entries.
ENTRIES = {"K": "dtau_dq", "D": "dtau_dv", "M": "M"}
LINEARISED = tuple(ENTRIES.values())


class Entry(NamedTuple):
    """A row and a column of the linearised equations, and how the column moves the row."""

    row: str
    column: str
    how: str
    rotor: sp.Expr | None = None


def steps_of(tree: Moving) -> Iterator[Step]:
    """The whole method."""
    d = tree.dimension

    def sums(link: Link) -> Iterator[Kernel]:
        yield gathered.at(tree, link, variant="christoffel")
        yield kernels.wrench.at(tree, link)

    def along(of: Traced) -> Walk:
        kernel = of.of(dimension=d)

        def rule(link: Link) -> Iterator[Action]:
            for j in range(1, tree.freedom(link) + 1):
                at = {name: Place(name, f"speed {j}") for name in OF_SPEED}
                yield tree.bound(kernel, link, at, at)

        return tree.inward(rule)

    yield from placed_screws(tree)
    yield Sweep("motions", "twists and their rates, outwards", tree.outward(motion_in(tree)))
    inertias = tree.inward(lambda link: [composite.at(tree, link)])
    yield Sweep("inertias", "inertias, tips to root", inertias)
    yield Sweep("sums", "wrenches and Y, tips to root", tree.inward(sums))
    yield Map("projections", "sums along every screw", along(kernels.projected))
    yield Map("responses", "responses to every screw", along(kernels.response))
    yield Map("entries", "linearised equations, pair by pair", linearised(tree))
    placed = at_ends(tree, kernels.placed)
    yield Map("displacements", "displaced ends of hinges", placed)
    responses = at_ends(tree, kernels.displaced)
    yield Map("displaced", "responses to displaced ends", responses)
    yield Map("geometry", "forces by displaced ends", geometry(tree))
    yield Map("seen", "screws from every body", tree.among("body", 0, seen.of(dimension=d)))
    parameters = kernels.regressor.of(dimension=d)
    wrenches = tree.inward(lambda _: [parameters])
    yield Map("wrenches", "wrenches by parameters", wrenches)
    yield Map("regressor", "forces by parameters", regressor(tree))
    yield shared.poses(tree)


def motion_in(tree: Moving) -> Rule:
    """V and its rate beyond every group of a hinge's speeds, and how their screws move."""

    def motion(link: Link) -> Iterator[Action]:
        parent, number = tree.parent(link), tree.speeds(link).index
        before = {f"{x}p": tree.twist(f"{x}s", parent, "moved before") for x in "VA"}
        for group in tree.groups(link):
            known, found = dict(before), dict[str, Place]()
            for k, speed in enumerate(group, 1):
                at = f"speed {number(speed) + 1}"
                known |= {f"{x}_{k}": Place(tree.by_speed[x], at) for x in ("S", "u", "ad")}
                found |= {f"{x}_{k}": Place(x, at) for x in MOVING}
            found |= {x: Place(x, at) for x in ("Vs", "As")}
            kernel = kernels.motion.at(tree, link, count=len(group), held=tree.held(link))
            yield tree.bound(kernel, link, known, found)
            before = {f"{x}p": found[f"{x}s"] for x in "VA"}

    return motion


def linearised(tree: Moving) -> Walk:
    """Every entry of the linearised equations."""
    d = tree.dimension
    by = {"carried": kernels.pair, "moved": kernels.moved}

    def rule(entry: Entry) -> Iterator[Action]:
        own = {name: Place(array, "own") for name, array in ENTRIES.items()}
        across = {f"{name}i": Place(array, "across") for name, array in ENTRIES.items()}
        if entry.how == "apart":
            zero = apart.of(dimension=d)
            yield from (Action(zero, {}, {"zero": place}) for place in own.values())
            return
        of = by.get(entry.how, kernels.alone)
        kernel = of.of(dimension=d, count=1, rotor=entry.rotor is not None)
        felt = "row" if entry.how in by else "column"
        known: dict[str, Binding] = {name: Place(name, felt) for name in "UBRE"}
        known |= {f"{name}a": Place(name, "column") for name in ("S", *MOVING)}
        known |= {"S": Place("S", "row"), "rho": sp.Matrix([entry.rotor or 0])}
        yield Action.of(kernel, known, own | across)

    related: Related[Entry] = {
        "own": ("pairs", lambda of: pair(of.row, of.column)),
        "across": ("pairs", lambda of: pair(of.column, of.row)),
        "row": ("speeds", lambda of: of.row),
        "column": ("speeds", lambda of: of.column),
    }
    return tree.over(entries_of(tree), rule, related, lambda of: of[2:])


def entries_of(tree: Moving) -> Iterator[Entry]:
    """All entries; those of a speed and one that carries it come together, under its row."""
    met: set[tuple[str, str]] = set()
    moving = [link for link in tree.links if tree.freedom(link)]
    for link in moving:
        rotor = tree.rotor(link)
        for k, speed in enumerate(tree.speeds(link)):
            met.add((speed, speed))
            yield Entry(speed, speed, "alone", rotor and rotor[k])
    for link in moving:
        for entry in _with_carrying(tree, link):
            met |= {entry[:2], entry[1::-1]}
            yield entry
    speeds = tree.model.speeds
    yield from (Entry(*two, "apart") for two in product(speeds, speeds) if two not in met)


def _with_carrying(tree: Moving, link: Link) -> Iterator[Entry]:
    """The entries of a link's speeds with those that carry it, and with each other."""
    inner = [tree.plan.link(name) for name in tree.plan.way(link.name)[:0:-1]]
    carrying = [speed for each in inner for group in tree.groups(each) for speed in group]
    for group in tree.groups(link):
        for speed in group:
            yield from (Entry(speed, other, "carried") for other in carrying)
            how = "held" if tree.held(link) else "moved"
            yield from (Entry(speed, other, how) for other in group if other != speed)
        carrying += group


def at_ends(tree: Moving, of: Traced) -> Walk:
    """A kernel at every hinge's end that is turned and shifted, by how the link moves with it."""

    def rule(placed: Placed) -> Iterator[Action]:
        body = placed.body
        known: dict[str, Binding] = {x: tree.twist(x, body, "moved") for x in ("Vs", "As")}
        known |= {x: Place(x, "body") if body else sp.eye(tree.dimension) for x in ("Ab", "A")}
        known["x"] = Place("x", "body") if body else tree.zero
        known["arm"] = tree.attachment(placed.link).arm if placed.sign > 0 else tree.zero
        known |= {x: Place(x, "link") for x in ("Mc", "Yc", "Wc")}
        own = {x: Place(x, "own") for x in ("G", "Gd", "Gdd", "Rx")}
        kernel = of.of(dimension=tree.dimension, sign=placed.sign)
        yield Action.of(kernel, known | own, own)

    def kind(placed: Placed) -> Hashable:
        arm = id(tree.attachment(placed.link).arm) if placed.sign > 0 else 0
        return placed.sign, arm, placed.body is None, tree.last(placed.body) is None

    related: Related[Placed] = {
        "own": ("hinge_ends", lambda of: of.member),
        "link": ("links", lambda of: of.link.name),
        "body": ("links", lambda of: of.body.name if of.body else None),
        "moved": ("speeds", lambda of: tree.last(of.body)),
    }
    return tree.over(tree.ends, rule, related, kind)


def geometry(tree: Moving) -> Walk:
    """Every speed's force by every end's place."""
    ways = {link.name: tree.plan.way(link.name) for link in tree.links}

    def kind(at: tuple[Link, str, Placed]) -> tuple[str, int]:
        link, _, placed = at
        if placed.body and link.name in ways[placed.body.name]:
            return "carrying", 1
        return ("carried", placed.sign) if placed.link.name in ways[link.name] else ("apart", 1)

    def rule(at: tuple[Link, str, Placed]) -> Iterator[Action]:
        how, sign = kind(at)
        known = {x: Place(x, "speed") for x in "SUB"}
        known |= {x: Place(x, "end") for x in ("Gd", "Gdd", "Rx")}
        of = {
            "carrying": kernels.carrying,
            "carried": kernels.carried,
            "apart": kernels.nothing,
        }[how]
        kernel = of.of(dimension=tree.dimension, sign=sign, rows=tree.space.motion)
        yield Action.of(kernel, known, dict.fromkeys(("dx", "zero"), Place("dtau_dx", "own")))

    related: Related[tuple[Link, str, Placed]] = {
        "own": ("speeds_by_ends", lambda at: pair(at[1], at[2].member)),
        "speed": ("speeds", lambda at: at[1]),
        "end": ("hinge_ends", lambda at: at[2].member),
    }
    speeds = ((link, speed) for link in tree.links for speed in tree.speeds(link))
    every = ((link, speed, end) for link, speed in speeds for end in tree.ends)
    return tree.over(every, rule, related, kind)


def regressor(tree: Moving) -> Walk:
    """Every speed's force by every body's inertia parameters."""
    d, seen_at = tree.dimension, set(tree.sets["body_0"])

    def rule(at: Chosen) -> Iterator[Action]:
        known = {"Z": Place("Z", "body"), "Jb": Place("body_0", "seen")}
        of = kernels.regressor_row if moves(at) else kernels.nothing
        kernel = of.of(dimension=d, rows=kernels.parameter_count(d))
        yield Action.of(kernel, known, dict.fromkeys(("Y", "zero"), Place("Y", "own")))

    def moves(at: Chosen) -> bool:
        return at.member in seen_at

    related: Related[Chosen] = {
        "own": ("speeds_by_bodies", lambda at: pair(at.speeds[0], at.body)),
        "body": ("links", lambda at: at.body),
        "seen": ("body_0", lambda at: at.member if moves(at) else None),
    }
    speeds = [speed for link in tree.links for speed in tree.speeds(link)]
    every = (Chosen(body, (speed,)) for speed in speeds for body in tree.sets["bodies"])
    return tree.over(every, rule, related, moves)


def sensitivity_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """The derivatives of the forces τ(q, v, a) that motions need, without hinges' laws.

    `runtime` names the model parameters that stay arguments; `forced` and
    `loaded` change nothing.

    Shape
        Arguments `q`, `v`, `ad` (per speed its rate); results `dtau_dq`, `dtau_dv` and `M` (row by
        row), `Y` (per speed and body ten numbers, in the plane four), `dtau_dx` (per speed and
        hinge's end, turns and shifts), `poses`.
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base or loads.
    Source
        Screw paper, Sect. 6.1 and 6.2; the closed forms are own.
    """
    tree = Moving(plan)
    held = {tree.hinge(link).kind for link in tree.links if tree.turns(link)}
    refuse(
        tree.loops,
        "sensitivities takes trees of rigid bodies",
        "derivatives and rnea-body take these",
        loads=bool(plan.model.loads),
        forces_between_points=bool(plan.model.forces),
        laws_that_read_other_hinges=plan.model.controlled,
        kinds={kind: x for kind, x in unfactored(plan.model).items() if kind not in held},
    )
    title, arrays = "sensitivities of inverse dynamics", caller_arrays(tree)
    return tree.program("sensitivities", title, steps_of(tree), arrays, WANTED, runtime)


#: What a caller may ask for.
WANTED = (
    Wanted("force_derivatives", "linearised equations of motion", LINEARISED, whole=True),
    Wanted("geometry_sensitivity", "forces by places of hinges", ("dtau_dx",), whole=True),
    Wanted("inertia_regressor", "forces by inertia parameters", ("Y",), whole=True),
    replace(shared.POSES, whole=True),
)


def caller_arrays(tree: Moving) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield given("q", "coordinates")
    yield given("v", "speeds")
    yield given("ad", "speeds")
    for name in LINEARISED:
        yield result(name, "pairs")
    yield result("Y", "speeds_by_bodies", kernels.parameter_count(tree.dimension))
    yield result("dtau_dx", "speeds_by_ends", tree.space.motion)
    yield result("poses", "bodies", 4, 4)
