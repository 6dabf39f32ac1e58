"""Inverse dynamics with its first and second rate in time, as a program (`inverse-rates`).

Drives with elastic gears need them: the motor behind a spring moves by the joint's force and
its second rate. Hinges of one fixed screw have kernels of their own; others are differentiated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import sympy as sp

from ....model.expressions.quantities import TIME, exact_expression
from ...language.program import Array, Kernel, Map, Program, Ref, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Place
from ...mechanics.hinges import joint
from ...mechanics.letters import PARENTS
from ...mechanics.rotation_vector import ratio
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.conditions import refuse
from ...tree.joint import Joint
from . import kernels

RESULTS = ("tau", "taud", "taudd")


class Twists(Joint):
    """The links of a tree, with twists and so many of their rates."""

    rates: ClassVar[int] = 3

    parents: ClassVar[Mapping[str, str]] = {
        **PARENTS,
        **{f"{name}p": name for name in kernels.TWIST_NAMES},
    }

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground rests, but rises against gravity unless it is weightless."""
        if array not in kernels.TWIST_NAMES:
            return super().grounded(array)
        if array == "V1":
            return sp.Matrix.vstack(self.ground.rising, sp.zeros(self.space.spins, 1))
        return sp.zeros(self.space.motion, 1)

    def screw(self, link: Link) -> bool:
        """Has the link's hinge one screw that is fixed in the link, or none?"""
        of = joint(self.dimension, self.hinge(link).kind)
        return self.freedom(link) == 0 or (self.freedom(link) == 1 and of.factored)


def twist_steps(tree: Twists) -> Iterator[Step]:
    """The twists of all links with their rates, outwards."""

    def hinge(link: Link) -> Iterator[Action]:
        if not tree.screw(link):
            yield tree.law_of(kernels.in_hinge.at(tree, link), link)

    def outward(link: Link) -> Iterator[Kernel]:
        own = kernels.twists if tree.screw(link) else kernels.twists_behind
        yield own.at(tree, link)

    yield Map("in_hinges", "twists in hinges, with rates", tree.inward(hinge))
    yield Sweep("outward", "twists with rates, outwards", tree.outward(outward))


def steps_of(tree: Twists) -> Iterator[Step]:
    """The whole method."""
    freedom = tree.freedom
    named: dict[tuple[tuple[sp.Expr, ...], ...], str] = {}

    def inward(link: Link) -> Iterator[Kernel | Action]:
        felt = {
            f"{name}_I{k}": Place(f"{name}p", f"input {k}")
            for k in range(1, len(link.inputs) + 1)
            for name in kernels.WRENCH_NAMES
        }
        yield tree.bound(kernels.wrenches.at(tree, link), link, felt)
        if link.parent is not None:
            own = kernels.transmit if tree.screw(link) else kernels.transmit_behind
            yield own.at(tree, link)

    def required(link: Link) -> Iterator[Action]:
        if not freedom(link):
            return
        laws, rotor = law_rates(tree, link), tree.rotor(link) is not None
        acting = any(law for each in laws for law in each)
        label = named.setdefault(laws, link.hinge) if acting else "free"
        label += "_rotor" if rotor else ""
        if tree.screw(link):
            kernel = kernels.required.at(tree, link, label=label, laws=laws)
            writes = {f"Q{k}": Place(name, "speed 1") for k, name in enumerate(RESULTS)}
        else:
            label = f"{freedom(link)}_{label}"
            kernel = kernels.required_along.at(tree, link, label=label, laws=laws)
            writes = {
                f"Q{k}_{j}": Place(name, f"speed {j}")
                for k, name in enumerate(RESULTS)
                for j in range(1, freedom(link) + 1)
            }
        yield tree.law_of(kernel, link, writes)

    yield shared.relatives(tree)
    yield from twist_steps(tree)
    yield Sweep("inward", "wrenches with rates, inwards", tree.inward(inward))
    yield Map("needed", "forces needed in every hinge", tree.inward(required))
    yield shared.rates(tree)


def law_rates(tree: Twists, link: Link) -> tuple[tuple[sp.Expr, ...], ...]:
    """The laws of a hinge's speeds, and their two rates along the motion."""
    hinge = tree.hinge(link)
    of = joint(tree.dimension, hinge.kind)
    laws = tree.laws[hinge.name] or (sp.Integer(0),) * len(of.u)
    found = [sp.Matrix([exact_expression(law) for law in laws])]
    for _ in range(2):
        found.append(kernels.along(of, found[-1]) + found[-1].diff(TIME))
    return tuple(tuple(each) for each in found)


def rates_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
    """Inverse dynamics and its first two rates in time.

    `runtime` names the model parameters that stay arguments; `forced` and
    `loaded` change nothing.

    Shape
        Arguments `q`, `v`, `t` (if anything depends on the time), `ad`, `jerk`, `snap` (per
        speed its first, second and third rate); results `tau`, `taud`, `taudd` (per speed).
        With loops these are the forces of the tree that the cuts leave, multipliers zero: they give
        the motion, if it keeps the loops closed.
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, driven hinges, a moving base, loads, or forces in hinges
            that are cut.
    Source
        Screw paper, Sect. 6.3; the recursion is own.
    """
    tree = Twists(plan, forced=False)
    refuse(
        tree.loops,
        "inverse-rates takes rigid bodies",
        "rnea-body takes these, without rates",
        closed=True,
        loads=bool(plan.model.loads),
        forces_between_points=bool(plan.model.forces),
        laws_that_read_other_hinges=plan.model.controlled,
        forces_in_cut_hinges=bool(tree.loops.loaded),
        torsional_springs_of_balls=any(
            exact_expression(law).has(ratio) for each in tree.laws.values() for law in each
        ),
    )
    title = "inverse dynamics with rates"
    arrays = caller_arrays(tree)
    return tree.program("inverse-rates", title, steps_of(tree), arrays, ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    Wanted(
        "inverse_rates",
        "generalised forces that a motion needs, with two rates",
        RESULTS,
        whole=True,
    ),
    shared.RATES,
)


def caller_arrays(tree: Twists) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    for name in ("ad", "jerk", "snap"):
        yield given(name, "speeds")
    for name in RESULTS:
        yield result(name, "speeds")
    yield result("qd", "coordinates")
