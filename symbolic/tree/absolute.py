"""What the names of ports mean in absolute coordinates, where each body has its own angles."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import ClassVar

import sympy as sp

from ..language.program import Ref
from ..language.walk import Binding, Place
from ..mechanics.constants import BodyConstants, column
from ..mechanics.space import Space
from ..plans.ends import Seats, states
from ..plans.plan import Link, Plan
from .acting import Ground, Loads
from .forces import Forces
from .walking import Finder, Tree


class Absolute(Tree):
    """The links of a tree; `q` and `v` are each body's own orientation and angular velocity.

    `forced`: with couples along the bodies' speeds; `loaded` (as `forced` by default): with loads
    on the bodies.
    """

    #: A link's place and motion as forces read them; see `absolute_kernels.carrier`.
    carrier: ClassVar[Mapping[str, str]] = {"A": "Al", "x": "xl", "v": "vl", "w": "wl"}

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        super().__init__(plan, "bodies", _sets(plan))
        self.model = plan.model
        self.dimension = plan.model.dimension
        self.space = Space(self.dimension)
        self.forced = forced
        self.loaded = forced if loaded is None else loaded
        self.data = constants_of(plan)
        self.gravity = column(plan.model.gravity)
        self.zero = sp.zeros(self.dimension, 1)
        self.first = plan.links[0].name
        self.applied = Loads(plan)
        self.between = Forces(self)
        if self.model.forces:
            self.sets |= self.applied.sets()

    def kind(self, link: Link) -> Hashable:
        """Links with equal constants do the same, but for the first and those on the ground."""
        pushes = len(self.applied.names.get(link.name, ()))
        first = link.name == self.first
        return id(self.data[link.name]), link.parent is None, first, link.free, pushes

    @property
    def acted(self) -> bool:
        """Do couples, loads or forces act on the bodies?"""
        return self.forced or bool(self.model.forces)

    def state(self) -> Iterator[tuple[str, Ref]]:
        """In the plane, all coordinates and speeds by name."""
        for array, names in (("q", self.model.coordinates), ("v", self.model.speeds)):
            bodies = (body.name for body in self.model.bodies)
            yield from ((x, Ref(array, y)) for x, y in zip(names, bodies, strict=False))

    def in_link(self, body: str, place: sp.Matrix) -> sp.Matrix:
        """A body's place, from its output end and in its axes."""
        return self.data[body].origin + place

    def grounded(self, array: str) -> sp.Matrix:
        """The ground's value of a link's array in joint coordinates."""
        return Ground(self.model).still(array)

    def finder(self, relation: str) -> Finder | None:
        """Coordinates, output ends and the link before, in the order inwards."""
        if relation == "coordinate":
            return "coordinates", lambda link: link.name
        if relation == "output end":
            orders = dict(zip(self.sets["coordinates"], count(), strict=False))
            return "ends", lambda link: orders[link.name]
        if relation == "before":
            names = [link.name for link in self.links]
            before = dict(zip(names[1:], names, strict=False))
            return "bodies", lambda link: before.get(link.name)
        if relation == "tip":
            return "states", lambda link: self._seats.point(link.name, link.output)
        if relation == "root":
            ground = len(self.sets["states"]) - 1  # one hinge leads there
            return (
                "states",
                lambda link: (
                    ground if link.parent is None else self._seats.point(link.parent, link.entry)
                ),
            )
        word, _, k = relation.partition(" ")
        if word == "push":
            applied, number = self.applied.names, int(k)
            return (
                "applied",
                lambda link: dict(enumerate(applied.get(link.name, ()))).get(number),
            )
        if word == "point":
            number, seat = int(k), self._seats.numbered
            return "states", lambda link: seat(link.name, number)
        return None

    @cached_property
    def _seats(self) -> Seats:
        return Seats(self.plan)

    def reads(self, name: str, link: Link) -> Binding | None:
        """A body's constants, its coordinates, and what the ground is at the root."""
        data = self.data[link.name]
        stem, _, k = name.partition("_I") if "_I" in name else name.partition("_")
        if stem == "rb":
            return data.arms[int(k) - 1]
        if stem in ("IA", "pA") and k:  # of a body are those behind its hinge
            return Place(f"{stem}h", f"input {k}")
        if name in GROUNDED and link.parent is None:
            return self.zero
        if name == "f" and self.model.forces:
            return Place("fs", "own")
        if name in ("f", "given") and not self.loaded:
            return sp.zeros(self.space.motion, 1)
        if name == "given":
            return Place("f", "coordinate")
        if name == "tau" and not self.forced:
            return sp.zeros(self.space.spins, 1)
        if stem == "W" and k:
            return Place("W", f"push {int(k) - 1}")
        if name in COORDINATES:
            return Place(COORDINATES[name], "coordinate")
        if name in CONSTANTS:
            return getattr(data, CONSTANTS[name])
        if name == "g":
            return self.gravity
        if name == "Ebefore":
            return sp.zeros(1, 1) if link.name == self.first else Place("E", "before")
        return None

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Results are kept by coordinate, loads by end, the energy of the root is the system's."""
        if name in RESULTS:
            return Place(RESULTS[name], "coordinate")
        if name == "load":
            return Place("loads", "output end")
        if name == "E" and link.parent is None:
            return Ref("energy", "")
        return None


#: Values that vanish on the ground; of a body those of its output end.
GROUNDED = ("rdd", "x", "rd")
COORDINATES = {"theta": "q", "Q": "q", "omega": "v", "a": "a", "f": "f", "tau": "tau"}
CONSTANTS = {
    "m": "mass",
    "hb": "first",
    "J": "inertia",
    "Jb": "inertia",
    "JC": "central",
    "rCb": "centre",
    "ob": "origin",
}
RESULTS = {"a": "a", "pose": "poses", "qd": "qd", "qn": "qn"}


def constants_of(plan: Plan) -> dict[str, BodyConstants]:
    """The constants of all bodies; equal bodies share them."""
    shared: dict[tuple[object, ...], BodyConstants] = {}
    met: dict[tuple[object, ...], BodyConstants] = {}
    found = {}
    for link in plan.links:
        body = link.rigid
        mass, inertia, centre, points = parts = body.mass, body.inertia, body.centre, body.points
        own = id(mass), id(inertia), id(centre), id(points), link.output, link.inputs
        if own not in met:
            equal = (*parts, link.output, link.inputs)
            if equal not in shared:
                shared[equal] = BodyConstants.of(body, link.output, link.inputs)
            met[own] = shared[equal]
        found[link.name] = met[own]
    return found


def _sets(plan: Plan) -> dict[str, tuple[str, ...]]:
    links = plan.by_name
    order = {body.name: links[body.name].output for body in plan.model.bodies}
    return {
        "bodies": tuple(plan.by_name),
        "coordinates": tuple(order),
        "ends": tuple(f"{body}:{output}" for body, output in order.items()),
        "system": ("",),
        "states": states(plan),
    }
