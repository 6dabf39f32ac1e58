"""The links of a plan in joint coordinates: how each hangs on its parent, and what it reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from ..model import GROUND, Beam, End, Hinge, Model
from ..model.quantities import TIME, exact_expression
from . import laws
from .acting import Ground, Loads, Reads, outside, symbols
from .beamprogram import Beams
from .conditions import Mobility
from .constants import LinkConstants, axes_of, column
from .cutprogram import CutForces
from .joints import PITCH, joint
from .loopprogram import Loops
from .plan import Link, Plan
from .program import KernelBuilder, Ref
from .space import Space
from .turning import Way


@dataclass(frozen=True)
class Hung:
    """A link's hinge: the hinge, whether it is told from the child's side, and its place."""

    hinge: Hinge
    backward: bool
    entry: sp.Matrix
    arm: sp.Matrix


class Linkage:
    """The links of a plan with their hinges, laws and loops, and what kernels read of them."""

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        self.plan = plan
        self.model: Model = plan.model
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        self.forced = forced
        self.loaded = forced if loaded is None else loaded
        self.ground = Ground(self.model)
        self.applied = Loads(plan)
        self.zero = sp.zeros(d, 1)
        self.beams = Beams(plan, self.loaded)
        self.data = self._constants()
        hinges = {hinge.name: hinge for hinge in self.model.hinges}
        self.hung = {link.name: self._hang(link, hinges[link.hinge]) for link in plan.links}
        self.laws = {hinge.name: laws.force(d, hinge) for hinge in self.model.tree_hinges}
        given = [(*h.force, *h.motion, h.potential) for h in self.model.hinges]
        self.timed = laws.timed(*(law for each in given for law in each), *outside(self.model))
        mobility = {
            link.name: Mobility(
                hung.hinge.kind, hung.backward, self.freedom(link), self.rotor(link)
            )
            for link in plan.links
            for hung in [self.hung[link.name]]
        }
        self.loops = Loops(plan, self.ground, mobility, self.beams)
        self.cut_forces = CutForces(self.loops)

    def _constants(self) -> dict[str, LinkConstants]:
        same: dict[tuple[object, ...], LinkConstants] = {}
        data = {}
        for link in self.plan.links:
            body = link.body
            if isinstance(body, Beam):
                continue
            key = (body.mass, body.inertia, body.centre, body.points, link.output, link.inputs)
            if key not in same:
                same[key] = LinkConstants.of(body, link.output, link.inputs, self.dimension)
            data[link.name] = same[key]
        return data

    def _hang(self, link: Link, hinge: Hinge) -> Hung:
        backward = hinge.ends[0] == End(link.name, link.output)
        if link.parent is None:
            end = next(end for end in hinge.ends if end.body == GROUND)
            point = self.model.ground_point(end.point)
            axes = axes_of(point, self.dimension)
            return Hung(hinge, backward, axes, column(point.position))
        parent = self.plan.link(link.parent)
        if isinstance(parent.body, Beam):
            return Hung(hinge, backward, sp.eye(self.dimension), self.zero)
        k = parent.children.index(link.name)
        data = self.data[parent.name]
        return Hung(hinge, backward, data.entries[k], data.arms[k])

    def way(self, member: str) -> tuple[Way, Reads]:
        """How a member's axes turn into those of what it moves on, and what that reads."""
        hung = self.hung.get(member)
        if hung is None:  # a part of a beam
            return Way(), read_at(member, "C")
        of = joint(self.dimension, hung.hinge.kind)
        way = Way.of(of.rotation, hung.entry)
        taken = KernelBuilder("", "")
        way.taken(taken, self.space)
        reads: Reads = read_at(member, *(port.name for port in taken.inputs))
        return way, reads | ({"K": hung.entry} if "K" in reads else {})

    def freedom(self, link: Link) -> int:
        """Speeds of the link's hinge: none if it is driven."""
        return len(self.model.hinge_speeds(self.hung[link.name].hinge))

    def acting(self, link: Link) -> bool:
        """Does a force act in the link's hinge?"""
        law = self.laws[link.hinge]
        return self.freedom(link) > 0 and (self.forced or any(x != 0 for x in law))

    def rotor(self, link: Link) -> sp.Matrix | None:
        """Inertia of a rotor along each speed of the link's hinge, none if it is driven."""
        inertia = self.hung[link.name].hinge.rotor
        return column(inertia) if inertia and self.freedom(link) else None

    def resisting(self, link: Link) -> Reads:
        """A kernel's further input where the link's hinge has a rotor."""
        rotor = self.rotor(link)
        return {} if rotor is None else {"rho": rotor}

    def law(self, link: Link) -> tuple[sp.Expr, ...]:
        """The force in the link's hinge; in a driven one, that of its rotor."""
        hinge = self.hung[link.name].hinge
        if not hinge.motion:
            return self.laws[hinge.name]
        rates = sp.Matrix(list(map(laws.settled, hinge.motion))).diff(TIME, 2)
        return tuple(-x * rate for x, rate in zip(column(hinge.rotor), rates, strict=False))

    def pushed(self, link: Link) -> bool:
        """Is there a law of the force in the link's hinge, or of its rotor's?"""
        return self.acting(link) or any(x != 0 for x in self.law(link))

    def driven(self) -> list[Link]:
        return [link for link in self.plan.links if self.hung[link.name].hinge.motion]

    def outward(self) -> Iterable[Link]:
        return reversed(self.plan.links)

    def members(self) -> Iterable[tuple[str, str | None]]:
        """Links and the parts of beams outwards, each with what it moves relative to."""
        for link in self.outward():
            yield link.name, self.beams.base(link)
            yield from ((part.name, part.base) for part in self.beams.parts(link.name))

    def at(self, array: str, base: str | None) -> Ref | sp.Matrix:
        """A member's value; without one, the ground's."""
        return self.ground.at(array) if base is None else Ref(array, base)

    def of_parent(self, array: str, link: Link) -> Ref | sp.Matrix:
        return self.at(array, self.beams.base(link))

    def own(self, link: Link, *names: str) -> Reads:
        return read_at(link.name, *names)

    def state(self, link: Link) -> Reads:
        """A hinge's coordinates, speeds and pitch, the time and all parameters, by name."""
        hinge = self.hung[link.name].hinge
        of = joint(self.dimension, hinge.kind)
        reads = symbols(self.model) | {PITCH.name: sp.Matrix([exact_expression(hinge.pitch)])}
        if hinge.motion:
            return reads
        for symbol, name in zip(of.q, self.model.hinge_coordinates(hinge), strict=True):
            reads[symbol.name] = Ref("q", name)
        for symbol, name in zip(of.u, self.model.hinge_speeds(hinge), strict=True):
            reads[symbol.name] = Ref("v", name)
        return reads


def read_at(member: str, *names: str) -> Reads:
    """A member's values, each by the name of its array."""
    return {name: Ref(name, member) for name in names}
