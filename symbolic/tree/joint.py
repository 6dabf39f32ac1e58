"""What the names of ports mean in joint coordinates, where each hinge has its own.

=============  =========================================================================
`x`, `xp`      a value of the link; the same of what its hinge holds to (see `PARENTS`)
`x_Ik`         that of the link at the k-th input
`a_1`, `tau_2` of the hinge's first speed, second speed; `qd_1` of its first coordinate
`drive_1`      of a driven hinge's first coordinate
`m`, `J`, …    the body's constants (see `CONSTANTS`); `K`, `rk`, `rho` those of its hinge
`W_k`          the k-th wrench of cut hinges and loads on the body
`load`         what the hinge carries, kept with the link's output end
=============  =========================================================================

Laws have names of their own for coordinates, speeds and parameters: see `Joint.law_of`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ...model import Hinge, Model
from ...model.expressions.quantities import TIME
from ..language.program import Array, Kernel, Ref, Slot, given
from ..language.walk import Action, Binding, Place
from ..mechanics import laws
from ..mechanics.constants import LinkConstants, column
from ..mechanics.hinges import joint, sizes
from ..mechanics.letters import PARENTS
from ..mechanics.space import Space
from ..mechanics.turning import Way
from ..plans.ends import landing
from ..plans.plan import Link, Plan, reported
from ..sharing.opened import Sharing
from . import recursion_kernels
from .acting import Ground, Loads, outside, symbols
from .attachments import Attachment, Attachments, link_constants
from .beams import Beams
from .conditions import Mobility, driven_names
from .cut_forces import CutForces
from .forces import CARRIER, Forces
from .loops import Loops, condition_sets
from .walking import Finder, Tree

#: A body's constants in link axes, by the attribute of `LinkConstants`.
CONSTANTS = {
    "m": "mass",
    "h": "first",
    "J": "inertia",
    "JC": "central",
    "Sg": "second",
    "rC": "centre",
    "Kb": "axes",
    "ob": "origin",
}

#: Values by a hinge's speeds, coordinates and driven coordinates, by the name of the array.
BY_SPEED = {"a": "a", "tau": "tau", "u": "v", "ad": "ad", "jerk": "jerk", "snap": "snap"}
BY_COORDINATE = {"qd": "qd", "qn": "qn"}

#: All that is said of a hinge but its name, its ends and the limits, at which no motion stops.
OF_HINGE = [x.name for x in fields(Hinge) if x.name not in ("name", "ends", "limits")]

_NUMBERED = re.compile(r"([A-Za-z]+)_(\d+)")


class Joint(Tree):
    """The links of a tree with their hinges, laws and loops, and what kernels read of them.

    `forced`: with forces in the hinges; `loaded` (as `forced` by default): with loads on the
    bodies; `folds`: links in loops are told apart by what is done there with columns, and each from
    all others where they are not.
    """

    parents: ClassVar[Mapping[str, str]] = PARENTS
    by_speed: ClassVar[Mapping[str, str]] = BY_SPEED
    carrier: ClassVar[Mapping[str, str]] = CARRIER
    of_beams: ClassVar[type[Beams]] = Beams
    of_loops: ClassVar[type[Loops]] = Loops

    def __init__(
        self, plan: Plan, forced: bool, loaded: bool | None = None, folds: bool = False
    ) -> None:
        super().__init__(plan, "links", {})
        self.folds = folds
        self.model: Model = plan.model
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        self.forced = forced
        self.loaded = forced if loaded is None else loaded
        self.ground = Ground(self.model)
        self.applied = Loads(plan)
        self.zero = sp.zeros(d, 1)
        self.beams = self.of_beams(plan, forced, self.loaded)
        self.data = self.constants_of_links()
        self._attachments = Attachments(plan, self.data)
        named = {hinge.name: hinge for hinge in self.model.hinges}
        #: By hinges that share another's coordinate that hinge.
        self.leaders = {name: named[x.hinge] for name, x in self.model.followers.items()}
        self.laws = {at.hinge.name: laws.force(d, at.hinge) for at in self._attachments.values()}
        said = [(*h.force, *h.motion, h.potential) for h in self.model.hinges]
        self.timed = laws.timed(*(law for each in said for law in each), *outside(self.model))
        mobility = {
            name: Mobility(at.hinge.kind, at.backward, self.freedom(link), self.rotor(link))
            for link in plan.links
            for name, at in [(link.name, self.attachment(link))]
        }
        self.loops = self.of_loops(plan, self.ground, mobility, self.beams)
        self.shared = Sharing(self)
        self.cut_forces = CutForces(self.loops)
        self.between = Forces(self)
        self.sets = self._sets()
        #: What tells links apart that are alike otherwise.
        self.distinct: Mapping[str, Hashable] = {}

    def constants_of_links(self) -> dict[str, LinkConstants]:
        """The constants of links by name; of beams none."""
        return link_constants(self.plan)

    # What a rule asks of a link

    def attachment(self, link: Link) -> Attachment:
        """How a link is attached to what it moves relative to."""
        return self._attachments[link.name]

    def hinge(self, link: Link) -> Hinge:
        """The hinge between a link and what it moves relative to."""
        return self._attachments[link.name].hinge

    def turn(self, link: Link) -> Way:
        """How the link's axes turn into those of what it hangs on."""
        attached = self.attachment(link)
        return Way.of(joint(self.dimension, attached.hinge.kind).rotation, attached.entry)

    def freedom(self, link: Link) -> int:
        """Speeds of the link's hinge: none if it is driven."""
        return len(self.speeds(link))

    def speeds(self, link: Link) -> tuple[str, ...]:
        """The names of the speeds of the link's hinge, or of the one whose it shares."""
        return self.model.hinge_speeds(self.leading(link))

    def leading(self, link: Link) -> Hinge:
        """The hinge whose coordinates the link's hinge moves by: its own, or its leader."""
        return self.leaders.get(link.hinge, self.hinge(link))

    def count(self, link: Link) -> int:
        """Columns of the hinge's H: its speeds, or its driven coordinates."""
        return self.freedom(link) or len(self.hinge(link).motion)

    def acting(self, link: Link) -> bool:
        """Does a force act in the link's hinge?"""
        law = self.laws[link.hinge]
        return self.freedom(link) > 0 and (self.applies(link) or any(x != 0 for x in law))

    def applies(self, link: Link) -> bool:
        """Are there forces along the speeds of the link's hinge? Not along a leader's once more."""
        return self.forced and link.hinge not in self.leaders

    def rotor(self, link: Link) -> sp.Matrix | None:
        """Inertia of a rotor along each speed of the link's hinge, none if it is driven."""
        inertia = self.hinge(link).rotor
        return column(inertia) if inertia and self.freedom(link) else None

    def law(self, link: Link) -> tuple[sp.Expr, ...]:
        """The force in the link's hinge; in a driven one, that of its rotor."""
        hinge = self.hinge(link)
        if not hinge.motion:
            return self.laws[hinge.name]
        rates = sp.Matrix(list(map(laws.settled, hinge.motion))).diff(TIME, 2)
        return tuple(-x * rate for x, rate in zip(column(hinge.rotor), rates, strict=False))

    def pushed(self, link: Link) -> bool:
        """Is there a law of the force in the link's hinge, or of its rotor's?"""
        return self.acting(link) or any(x != 0 for x in self.law(link))

    def stored(self, link: Link) -> sp.Expr:
        """The energy that the link's hinge stores."""
        hinge = self.hinge(link)
        return sp.Integer(0) if hinge.motion else laws.potential(self.dimension, hinge)

    def driven(self) -> list[Link]:
        """The links whose hinges are driven."""
        return [link for link in self.plan.links if self.hinge(link).motion]

    def pushes(self, link: Link) -> list[Place | Ref]:
        """The wrenches of cuts, loads and forces on a link, as its body takes them."""
        applied = (Place("W", f"push {k}") for k in range(len(self.applied.on(link.name))))
        return [*self.cut_forces.on(link), *applied]

    def law_of(
        self,
        kernel: Kernel,
        link: Link,
        writes: Mapping[str, Place | Ref] | None = None,
        **reads: Binding,
    ) -> Action:
        """A kernel with a law in it: it names coordinates, speeds, time and parameters its way."""
        hinge = self.hinge(link)
        state: dict[str, Binding] = {**symbols(self.model)}
        state |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
        if not hinge.motion:
            of = joint(self.dimension, hinge.kind)
            for array, letters, word in (("q", of.q, "coordinate"), ("v", of.u, "speed")):
                places = {x.name: Place(array, f"{word} {i}") for i, x in enumerate(letters, 1)}
                state.update(places)
            state = {**self.readings, **state}
        return self.bound(kernel, link, state | reads, writes)

    @property
    def readings(self) -> Mapping[str, Ref]:
        """What laws of hinges and loads read elsewhere."""
        return self.between.readings if self.model.controlled else {}

    def through(self, link: Link) -> Kernel:
        """The kernel that eliminates the link's hinge; a shared coordinate stays open."""
        open_ = {"freedom": 0, "rotor": False} if link.name in self.shared.leader else {}
        return recursion_kernels.hinge.at(self, link, **open_)

    def demanded(self, link: Link) -> Mapping[str, Binding]:
        """What a link demands without acceleration, where more than its parent's is part of it."""
        opened = {"pAh": Place("pAm", "own")} if self.shared.open[link.name] else {}
        return opened or self.loops.demanded(link)

    @property
    def extents(self) -> tuple[float, ...]:
        """A length of the model for each condition on places, 1 for one on directions."""
        return self.loops.extents

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What the numbers of `q` mean."""
        free = [hinge for hinge in self.model.tree_hinges if self.model.hinge_coordinates(hinge)]
        slots = tuple(slot for h in free for slot in joint(self.dimension, h.kind).slots)
        return slots + self.beams.slots

    @property
    def turning(self) -> bool:
        """Are there quaternions among the coordinates?"""
        return Slot.QUATERNION in self.slots

    # The dictionary

    @cached_property
    def _peculiar(self) -> set[str]:
        """Links that are like no other: at beams, at cut hinges whose forces push them."""
        cuts = self.loops.loaded if self.folds else self.plan.cuts
        return {end.body for hinge in cuts for end in hinge.ends} | {*self.beams.beams}

    def kind(self, link: Link) -> Hashable:
        """Links with equal constants, equal hinges and laws at equal places do the same."""
        attached = self.attachment(link)
        hinge = attached.hinge
        alone = {link.name, link.parent} & self._peculiar or self.shared.touches(link)
        if hinge.motion or alone or (not self.folds and self.loops.active[link.name]):
            return link.name
        return (
            id(self.data[link.name]),
            id(attached.entry),
            id(attached.arm),
            attached.backward,
            link.parent is None,
            link is self.links[0],
            link is self.links[-1],
            tuple(getattr(hinge, name) for name in OF_HINGE),
            self.distinct.get(link.name),
            len(self.applied.on(link.name)),
            self.loops.kind(link) if self.folds else None,
        )

    def finder(self, relation: str) -> Finder | None:
        """Ends, coordinates and speeds of the link's hinge, the link before in the order."""
        word, _, number = relation.partition(" ")
        if relation == "parent":  # of a beam the section that the link hangs on
            return "links", self.beams.base
        if relation == "body":
            return "bodies", lambda link: link.name
        if relation == "output end":
            return "ends", lambda link: f"{link.name}:{link.output}"
        if relation == "before":
            names = [link.name for link in self.links]
            before = dict(zip(names[1:], names, strict=False))
            return "links", lambda link: before.get(link.name)
        if relation in ("tip", "root"):
            side, ways = ("tip", "root").index(relation), self.plan.outputs
            return "states", lambda link: landing(link.hinge, ways[link.hinge][side])
        if word in ("speed", "coordinate", "driven"):
            k = int(number) - 1
            names_of = {
                "speed": self.model.hinge_speeds,
                "coordinate": self.model.hinge_coordinates,
                "driven": driven_names,
            }[word]

            def at(link: Link) -> str | None:
                hinge = self.leading(link)
                names = names_of(hinge) if hinge.motion or word != "driven" else ()
                return names[k] if k < len(names) else None

            return word if word == "driven" else f"{word}s", at
        if word == "push":
            return "applied", lambda link: self._push(link, int(number))
        if found := self.loops.finder(relation):
            return found
        if word == "point":
            return "states", lambda link: self._point(link, int(number))
        return None

    def _push(self, link: Link, k: int) -> str | None:
        names = self.applied.names.get(link.name, ())
        return names[k] if k < len(names) else None

    def _point(self, link: Link, k: int) -> str | None:
        points = link.body.points
        return f"{link.name}:{points[k].name}" if k < len(points) else None

    def reads(self, name: str, link: Link) -> Binding | None:
        """Constants of body and hinge, what it hangs on, what belongs to its coordinates."""
        if name in self.parents:
            return self.of_parent(self.parents[name], link)
        if name in CONSTANTS:
            constant: sp.Matrix = getattr(self.data[link.name], CONSTANTS[name])
            return constant
        if name == "K":
            return self.attachment(link).entry
        if name == "rk":
            return self.attachment(link).arm
        if name == "rho":
            return column(self.hinge(link).rotor)
        if name == "g":
            return self.ground.gravity
        if name == "f":
            return Place("f", "body")
        return self._numbered(name, link)

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Results are kept by speed or coordinate, loads by end, poses by body."""
        if name == "load":
            return Place("loads", "output end")
        if name == "pose":
            return Place("poses", "body")
        found = self._numbered(name, link)
        return found if isinstance(found, Place) else None

    def _numbered(self, name: str, link: Link) -> Binding | None:
        numbered = _NUMBERED.fullmatch(name)
        if not numbered:
            return None
        stem, k = numbered.groups()
        if stem == "W":
            return self.pushes(link)[int(k) - 1]
        if stem == "drive":
            return Place("drive", f"driven {k}")
        if stem in self.by_speed:
            return Place(self.by_speed[stem], f"speed {k}")
        if stem in BY_COORDINATE:
            return Place(BY_COORDINATE[stem], f"coordinate {k}")
        return None

    def of_parent(self, array: str, link: Link) -> Binding:
        """The value of what the link's hinge holds to: of another link, or of the ground."""
        return self.grounded(array) if link.parent is None else Place(array, "parent")

    def state(self) -> Iterator[tuple[str, Ref]]:
        """All coordinates and speeds by name."""
        yield from ((name, Ref("q", name)) for name in self.model.coordinates)
        yield from ((name, Ref("v", name)) for name in self.model.speeds)

    def in_link(self, body: str, place: sp.Matrix) -> sp.Matrix:
        """A body's place, from its link's origin and in the link's axes."""
        return self.data[body].origin + self.data[body].axes * place

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of a link's array."""
        return self.ground.at(array)

    # The program

    def _sets(self) -> dict[str, tuple[str, ...]]:
        bodies, links = self.model.bodies, self.plan.by_name
        return {
            "links": (*links, *(part.name for part in self.beams.every)),
            "bodies": tuple(body.name for body in bodies),
            "coordinates": self.model.coordinates,
            "speeds": self.model.speeds,
            "ends": (
                *(f"{body.name}:{links[body.name].output}" for body in bodies),
                *(str(reported(hinge)[1]) for hinge in self.loops.borne),
            ),
            "driven": tuple(name for hinge in self.model.hinges for name in driven_names(hinge)),
            "system": ("",),
            **condition_sets(self.loops),
            **(self.shared.sets() if self.shared else {}),
            **self.applied.sets(),
        }

    def arguments(self) -> Iterator[Array]:
        """Coordinates, speeds and, if anything depends on them, time, forces and loads."""
        yield given("q", "coordinates")
        yield given("v", "speeds")
        if self.timed:
            yield given(TIME.name, "system")
        if self.forced:
            yield given("tau", "speeds")
        if self.loaded:
            yield given("f", "bodies", self.space.motion)

    def outer_arrays(self) -> Iterator[Array]:
        """The work arrays of what acts from outside: loads and a moving ground."""
        yield from self.applied.arrays()
        yield from self.ground.arrays()
