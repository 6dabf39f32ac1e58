"""The links of a tree at rest: what kernels read of them, and what the method does not take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ....model import Model
from ....model.expressions.differentiated import jacobian
from ....model.expressions.quantities import exact_expression, hinge_symbol
from ....model.parts.forces import Load
from ....model.parts.hinges import OWN
from ...language.program import Ref
from ...language.walk import Binding, Place
from ...mechanics import laws
from ...mechanics.hinges import joint, tidy
from ...mechanics.letters import PARENTS
from ...plans.plan import Link, Plan
from ...tree.conditions import refuse
from ...tree.joint import BY_SPEED, Joint
from ...tree.walking import Finder

#: What is read of the loads on a body besides their wrenches.
OF_LOAD = ("Kl", "sl", "sn")
_OF_LOAD = re.compile(rf"({'|'.join(OF_LOAD)})_(\d+)")

#: Of which results by body kernels give the values, by what they call them.
BY_BODY = {"disp": "u", "mom": "P"}


class Resting(Joint):
    """The links of a tree at rest, with displacements from there."""

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "xip": "xi"}
    by_speed: ClassVar[Mapping[str, str]] = {**BY_SPEED, "eta": "s", "romom": "Ps"}

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        super().__init__(plan, forced, loaded)
        self._stiffness: dict[str, laws.Stiffness] = {}

    def stiffness(self, link: Link) -> laws.Stiffness:
        """How stiff the link's hinge is at rest."""
        if link.hinge not in self._stiffness:
            self._stiffness[link.hinge] = laws.stiffness(self.dimension, self.hinge(link))
        return self._stiffness[link.hinge]

    def curvature(self, link: Link) -> tuple[sp.ImmutableMatrix, ...]:
        """∂H_i/∂q_j of the link's hinge, by i with a column for each j; of a turning one none."""
        attached = self.attachment(link)
        of = joint(self.dimension, attached.hinge.kind)
        if of.turning:
            return ()
        H = of.backward_subspace if attached.backward else of.subspace
        found = tuple(
            sp.ImmutableMatrix(jacobian(H[:, i], of.q)) for i in range(H.cols if len(of.q) else 0)
        )
        return found if any(any(rates) for rates in found) else ()

    def bent(self, link: Link) -> bool:
        """Do freedoms of the link's hinge turn each other?"""
        return bool(self.curvature(link))

    @cached_property
    def moving(self) -> list[Link]:
        """The links whose hinges move, tips first."""
        return [link for link in self.links if self.freedom(link)]

    def reads(self, name: str, link: Link) -> Binding | None:
        """The frequency is the system's; what loads add is found as they are."""
        if name == "omega2":
            return Ref(name, "")
        if found := _OF_LOAD.fullmatch(name):
            return Place(found[1], f"push {int(found[2]) - 1}")
        return super().reads(name, link)

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Displacements are kept by body."""
        if name in BY_BODY:
            return Place(BY_BODY[name], "body")
        return super().writes(name, link)

    def finder(self, relation: str) -> Finder | None:
        """The link that moves before a link in the order."""
        if relation == "moving before":
            names = [link.name for link in self.moving]
            before = dict(zip(names[1:], names, strict=False))
            return self.set, lambda link: before.get(link.name)
        return super().finder(relation)

    def set_of(self, array: str) -> str:
        """What loads add is over all that acts on bodies."""
        return "applied" if array in OF_LOAD else super().set_of(array)

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value: it is not displaced."""
        return sp.zeros(self.space.motion, 1) if array == "xi" else super().grounded(array)


def see_resting(tree: Resting) -> None:
    """See that a model is a tree of rigid bodies on which all that acts at rest is conservative.

    Raises
        UsageError: names what is not.
    """
    model = tree.model
    instead = "linearize of any solver takes these"
    refuse(
        tree.loops,
        "linear takes trees of rigid bodies",
        instead,
        forces_between_points=any(len(force.ends) == 2 for force in model.forces),
    )
    if found := next(_no_energy(tree), None):
        raise UsageError(f"{model.name}: linear counts by an energy, which {found}; {instead}")


def _no_energy(tree: Resting) -> Iterator[str]:
    """What of a model has none at rest."""
    model = tree.model
    if tree.timed:
        yield "nothing has that depends on the time"
    for load in model.loads:
        yield from _of_load(model, load)
    for link in tree.links:
        hinge, of = tree.hinge(link), joint(tree.dimension, tree.hinge(link).kind)
        own = [exact_expression(law) for law in hinge.force]
        read = {name for name in model.read(hinge.force) if not OWN.fullmatch(name)}
        if read:
            yield f"the law of hinge {hinge.name} has not, as it reads {min(read)}"
        still = {hinge_symbol("u", k): sp.Integer(0) for k in range(1, len(of.u) + 1)}
        q = [hinge_symbol("q", k) for k in range(1, len(of.q) + 1)]
        at_rest = sp.Matrix([x.xreplace(still) for x in own])
        if of.turning and any(at_rest):
            yield (
                f"the law of hinge {hinge.name} has not, which turns in any way; write it as a "
                "stiffness or a potential"
            )
        slopes = jacobian(at_rest, q)
        if not of.turning and own and any(tidy(slopes - slopes.T)):
            yield f"the law of hinge {hinge.name} has not, whose slopes are not symmetric"


def _of_load(model: Model, load: Load) -> Iterator[str]:
    if model.read([*load.force, *load.moment]):
        yield f"load {load.name} has not, as it follows the state"
    force, moment = (any(exact_expression(x) != 0 for x in y) for y in (load.force, load.moment))
    if load.frame == "body" and force:
        yield f"load {load.name} has not, as it turns with its body; say it in inertial axes"
    if model.dimension == 3 and moment:
        yield f"load {load.name} has not, as no moment in space has one"
