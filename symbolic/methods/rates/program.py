"""Inverse dynamics with its first and second rate in time, as a program (`inverse-rates`).

Drives with elastic gears need them: the motor behind a spring moves by the joint's force and
its second rate. Trees on the ground whose hinges have one freedom each, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import sympy as sp

from ....model.quantities import TIME, exact_expression
from ...language.program import Array, Kernel, Map, Program, Ref, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Place
from ...mechanics.hinges import joint, unfactored
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.acting import PARENTS
from ...tree.conditions import refuse
from ...tree.joint import Joint
from . import kernels

RESULTS = ("tau", "taud", "taudd")


class Twists(Joint):
    """The links of a tree, with twists and their rates."""

    parents: ClassVar[Mapping[str, str]] = {
        **PARENTS,
        **{f"{name}p": name for name in kernels.TWIST_NAMES},
    }

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground rests, but rises against gravity."""
        if array not in kernels.TWIST_NAMES:
            return super().grounded(array)
        if array == "V1":
            return sp.Matrix.vstack(-self.ground.gravity, sp.zeros(self.space.spins, 1))
        return sp.zeros(self.space.motion, 1)


def steps_of(tree: Twists) -> Iterator[Step]:
    """The whole method."""
    d, freedom = tree.dimension, tree.freedom
    named: dict[tuple[sp.Expr, ...], str] = {}

    def outward(link: Link) -> Iterator[Kernel]:
        yield kernels.twists(d, freedom(link) > 0, tree.turn(link))

    def inward(link: Link) -> Iterator[Kernel | Action]:
        felt = {
            f"{name}_I{k}": Place(f"{name}p", f"input {k}")
            for k in range(1, len(link.inputs) + 1)
            for name in kernels.WRENCH_NAMES
        }
        yield tree.bound(kernels.wrenches(d, len(link.inputs)), link, felt)
        if link.parent is not None:
            yield kernels.transmit(d, freedom(link) > 0, tree.turn(link))

    def required(link: Link) -> Iterator[Action]:
        if freedom(link):
            laws, rotor = law_rates(tree, link), tree.rotor(link) is not None
            label = named.setdefault(laws, link.hinge) if any(laws) else "free"
            kernel = kernels.required(d, label + ("_rotor" if rotor else ""), laws, rotor)
            writes = {f"Q{k}": Place(name, "speed 1") for k, name in enumerate(RESULTS)}
            yield tree.law_of(kernel, link, writes)

    yield shared.relatives(tree)
    yield Sweep("outward", "twists with rates, outwards", tree.outward(outward))
    yield Sweep("inward", "wrenches with rates, inwards", tree.inward(inward))
    yield Map("needed", "forces needed in every hinge", tree.inward(required))
    yield shared.rates(tree)


def law_rates(tree: Twists, link: Link) -> tuple[sp.Expr, ...]:
    """The law of a hinge and its two rates along the motion."""
    hinge = tree.hinge(link)
    of = joint(tree.dimension, hinge.kind)
    (law,) = tree.laws[hinge.name] or (sp.Integer(0),)
    second, third = (sp.Symbol(x, real=True) for x in ("ad_1", "jerk_1"))
    steps = {of.q[0]: of.u[0], of.u[0]: second, second: third, TIME: sp.Integer(1)}
    found = [exact_expression(law)]
    for _ in range(2):
        found.append(sum((found[-1].diff(x) * xd for x, xd in steps.items()), sp.Integer(0)))
    return tuple(found)


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
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges, a moving base, loads, or
            hinges of several freedoms.
    Source
        Screw paper, Sect. 6.3; the recursion is own.
    """
    tree = Twists(plan, forced=False)
    several = any(tree.freedom(link) > 1 for link in tree.links)
    refuse(
        tree.loops,
        "inverse-rates takes trees",
        "rnea-body takes these, without rates",
        loads=bool(plan.model.loads),
        hinges_of_several_freedoms=several,
        **({} if several else unfactored(plan.model)),
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
