"""What is known of a method's page when its chains are put into segments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....errors import InternalError
from ...language.program import Array, Kernel, Port, Ref, Step
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place, Unit, Walk
from ...plans.plan import Link, Plan
from ...plans.segments import Chain, Members
from ...tree.walking import Tree

#: What a body of a chain takes over, by action and port.
Carried = Mapping[tuple[int, str], Place]


class Page(ABC):
    """A page, with what the names of its arrays mean."""

    tree: Tree
    #: Results that are given in segments, and those that stay as the page has them.
    wanted: Sequence[Wanted]
    plain: Sequence[Wanted]
    #: What a body with its hinge demands of the next, and the wrench before its hinge.
    inertia: str
    wrench: str
    own_wrench: str
    #: The bias of a body's acceleration: an output, or a statement to be given as well.
    bias: str
    #: Components of a wrench, and of the acceleration that is handed outwards.
    motion: int
    near: int
    #: Maps that may differ from body to body of a chain: they are done one by one then.
    differing: Sequence[str] = ()
    #: Sweeps outwards of motion, each with the kernel that takes a segment for a body with its
    #: hinge; and by the names of a hinge's relative motion the array that holds a segment's.
    moving: Mapping[str, Kernel] = {}
    relative: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def steps(self) -> Iterable[Step]:
        """The page's steps."""

    def walk(self, step: Step) -> Walk | None:
        """What a step does body by body, if it is a matter of bodies."""
        return step.calls if isinstance(step.calls, Walk) else None

    def holder(self, step: Step, member: str) -> str:
        """The body at which a step does something to a member."""
        return member

    @abstractmethod
    def arrays(self) -> Iterable[Array]:
        """The arrays that the page declares."""

    @abstractmethod
    def members(self, link: Link) -> Members:
        """What of the caller's arrays belongs to a link."""

    @abstractmethod
    def mobility(self, link: Link) -> tuple[int, int, Binding, str]:
        """Of a link: components of its bias, freedoms, directions, and their biased rates."""

    def width(self, chain: Chain) -> int:
        """Components of the wrench between the segments of a chain."""
        return self.near

    def hold(self, link: Link, width: int) -> sp.Matrix:
        """B: what a wrench with so many components is at the link on which it acts."""
        return sp.eye(self.motion)[:, :width]

    def at_rest(self, array: str) -> sp.Matrix:
        """What does not move, of a page with sweeps of motion."""
        raise self._whole()

    # Where `width` is less than `near`, see `outward`.

    def reached(self, link: Link, acc: Place, writes: Mapping[str, Place]) -> Action:
        """How the next hinge moves, and how the link turns."""
        raise self._whole()

    def held_back(self, action: Action, rate: Place | Ref) -> Action:
        """An action without its results, that keeps the rates they come of."""
        raise self._whole()

    def let_go(self, action: Action, rate: Place | Ref, turned: Place | Ref) -> Action:
        """Its results, once it is known how that turns on which the link hangs."""
        raise self._whole()

    def _whole(self) -> InternalError:
        """Segments of this page hand on whole wrenches and motions, so nobody asks."""
        return InternalError(f"{type(self).__name__} has no hinges that hand on a force alone")


def opened(plan: Plan) -> Plan:
    """The plan with an input at each tip, where nothing hangs: a tip then is like the others."""

    def open_at(link: Link) -> Link:
        free = link.free[:1] or (link.output,)
        return link if link.inputs else replace(link, inputs=free, free=link.free[1:])

    return replace(plan, links=tuple(map(open_at, plan.links)))


@dataclass(frozen=True)
class Template:
    """What a step does at a body in the middle of a chain, and what it hands along."""

    unit: Unit

    @cached_property
    def written(self) -> set[str]:
        """The arrays that the step writes."""
        return {place.array for action in self.unit for place in action.writes.values()}

    def reads(self, relation: str) -> dict[tuple[int, str], str]:
        """All that is read of a related body: the array, by action and port."""
        return {
            (k, name): bound.array
            for k, action in enumerate(self.unit)
            for name, bound in action.reads.items()
            if isinstance(bound, Place) and bound.relation == relation
        }

    @cached_property
    def inward(self) -> dict[tuple[int, str], str]:
        """What a sweep inwards hands on."""
        return {at: x for at, x in self.reads("input 1").items() if x in self.written}

    @cached_property
    def pushed(self) -> set[str]:
        """What is written at the body that hangs on this one."""
        writes = [place for action in self.unit for place in action.writes.values()]
        return {x.array for x in writes if isinstance(x, Place) and x.relation == "input 1"}

    @cached_property
    def outward(self) -> dict[tuple[int, str], str]:
        """What a sweep outwards hands on."""
        given = {at: x for at, x in self.reads("own").items() if x in self.pushed}
        return given or {at: x for at, x in self.reads("parent").items() if x in self.written}

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """What a sweep outwards hands on, as ports called after the arrays."""
        return tuple(
            replace(port, name=x)
            for (k, name), x in self.outward.items()
            for port in self.unit[k].kernel.inputs
            if port.name == name
        )
