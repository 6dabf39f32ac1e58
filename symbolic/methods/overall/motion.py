"""What the elements of the overall transfer equation read, in absolute coordinates.

Where bodies are and how fast they move, a program in these coordinates knows already: its first
steps are run as they are. What follows says of each element what its kernel reads of that. A
tree in absolute coordinates has smooth joints alone, on a ground at rest; `joint_motion` has what
differs in joint coordinates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import sympy as sp

from ....model import Hinge
from ...language.program import Array, Call, Kernel, Program, Ref
from ...mechanics.constants import BodyConstants, LinkConstants, column
from ...mechanics.space import Space
from ...plans.deduction import OverallEquation
from ...plans.plan import Plan
from ...plans.transfer import Boundary, Element
from ...tree.acting import Reads
from ...tree.conditions import taken
from ..riccati.absolute import fast_program, given_by
from . import kernels


@dataclass(frozen=True)
class Loose:
    """A hinge between the ground and a body that holds nothing, so that the end there is free.

    `arm` is from the body's output to the hinge, in the link's axes.
    """

    hinge: Hinge
    element: Element
    arm: sp.Matrix

    @property
    def member(self) -> str:
        return f"hinge {self.hinge.name}"


def still(space: Space) -> Reads:
    """A state without accelerations and loads."""
    sizes = {"a": space.motion, "m": space.spins, "q": space.dimension}
    return {name: sp.zeros(size, 1) for name, size in sizes.items()}


def own(kernel: Kernel, member: str) -> dict[str, Ref]:
    """A kernel's outputs as a member's arrays of their names."""
    return {port.name: Ref(port.name, member) for port in kernel.outputs}


class Places:
    """Constants of bodies: places from the first input, in the axes that the program has."""

    def __init__(self, plan: Plan, equation: OverallEquation) -> None:
        self.plan, self.equation = plan, equation
        self._same: dict[object, Reads] = {}

    def origin(self, element: Element) -> sp.Matrix:
        """From a body's output to the origin of its link."""
        link = self.plan.link(element.name)
        points = (element.output.point,)
        return -LinkConstants.of(link.rigid, link.output, points, self.plan.model.dimension).arms[0]

    def of(self, element: Element) -> Reads:
        link = self.plan.link(element.name)
        body, points = link.rigid, (*(end.point for end in element.inputs), element.output.point)
        key = (body.mass, body.inertia, body.centre, body.points, link.output, points)
        if key not in self._same:
            self._same[key] = self._constants(element, points)
        return self._same[key]

    def _constants(self, element: Element, points: tuple[str, ...]) -> Reads:
        model, link = self.plan.model, self.plan.link(element.name)
        data: BodyConstants | LinkConstants
        if model.absolute:
            data = BodyConstants.of(link.rigid, link.output, points)
        else:
            data = LinkConstants.of(link.rigid, link.output, points, model.dimension)
        first, *further = data.arms
        *inputs, output = further
        found: Reads = {"m": data.mass, "JC": data.central, "g": column(model.gravity)}
        found |= {"rC": data.centre - first, "rO": output - first, "rL": -first}
        return found | {f"r_I{k}": arm - first for k, arm in enumerate(inputs, start=2)}


class Motion:
    """Kinematics, hinges and loads of a model: the part that differs with the coordinates.

    s holds each hinge's relative angular acceleration, inertial.
    """

    program: Program

    def __init__(
        self, plan: Plan, equation: OverallEquation, runtime: tuple[str, ...], forced: bool
    ) -> None:
        self.plan, self.equation, self.forced = plan, equation, forced
        self.model = plan.model
        self.dimension = plan.model.dimension
        self.space = Space(self.dimension)
        self.places = Places(plan, equation)
        self.program = self._program(runtime)

    def _program(self, runtime: tuple[str, ...]) -> Program:
        return fast_program(self.plan, runtime=runtime, forced=self.forced)

    def element(self, element: Element) -> Iterable[Call]:
        """The constants of an element at its place."""
        if not element.is_body:
            return
        acted = self.forced or bool(self.model.forces)
        kernel = kernels.body.of(**self.facts(element) | {"forced": acted})
        names = ("c", "s") if self.dimension == 2 else ("A",)
        at: Reads = {name: Ref(name, element.name) for name in names}
        known = self.places.of(element) | at | given_by(self.model, self.forced)(element.name)
        known |= {"omega": Ref("v", element.name)}
        yield Call(kernel, element.label, taken(kernel, known), own(kernel, element.label))

    def facts(self, element: Element, pushes: int = 0) -> dict[str, Hashable]:
        """What kernels may ask of an element."""
        return {
            "dimension": self.dimension,
            "count": element.freedoms,
            "input_count": len(element.inputs),
            "push_count": pushes,
            "apart": self.apart(element),
            "forced": self.forced,
            "absolute": self.model.absolute,
        }

    def mass(self, element: Element) -> sp.Matrix:
        """A body's mass."""
        return self.places.of(element)["m"]

    def apart(self, element: Element) -> bool:
        """Whether a hinge's two points may lie apart."""
        return False

    def read(self, name: str, element: Element) -> Ref | sp.Matrix:
        """What a name means to a kernel that takes it: most are the element's own arrays."""
        space = self.space
        if name == "mass":
            return self.mass(element)
        if name == "gs":
            return sp.zeros(space.motion, 1)
        if name == f"Hs{space.spins}":
            return sp.Matrix.vstack(sp.zeros(space.dimension, space.spins), sp.eye(space.spins))
        return Ref(name, element.label)

    def pushed(self, element: Element) -> bool:
        """Does a force act in a hinge?"""
        return False

    def prepared(self) -> Iterable[Call]:
        """What more is to be known of hinges before the elements: of cut ones their motion."""
        return ()

    @property
    def loose(self) -> tuple[Loose, ...]:
        """The hinges to the ground that hold nothing."""
        return ()

    def thrusts(self) -> Iterable[Call]:
        """The given forces in the loose hinges."""
        return ()

    def boundaries(self) -> Iterable[Call]:
        """What is known at the boundary ends, if it is not zero."""
        return ()

    def known(self, end: Boundary) -> Reads:
        """The known part of a boundary end's state."""
        return still(self.space)

    def ground(self, member: str) -> Ref | sp.Matrix:
        """The acceleration of the ground at an end."""
        return sp.zeros(self.space.motion, 1)

    def rates(self) -> Iterable[tuple[Boundary, Hinge]]:
        """The pinned ends whose hinges have speeds."""
        return ()

    def arrays(self) -> Iterable[Array]:
        """The arrays that this needs."""
        return ()

    def sets(self) -> dict[str, tuple[str, ...]]:
        """Their index sets."""
        return {}


def called(end: Boundary) -> str:
    return "_".join(end.indices)
