"""What the overall transfer equation takes from a program in joint or absolute coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import sympy as sp

from . import overallkernels as kernels
from .acting import Ground
from .constants import BodyConstants, LinkConstants
from .fast import fast_program
from .jointprogram import joint_program, opened
from .joints import joint
from .jointwriter import Writer
from .loopprogram import Loops
from .plan import Link, Plan
from .program import Call, Program, Ref, Step
from .space import Space

Reads = dict[str, Ref | sp.Matrix]


class Form(Protocol):
    """Kinematics and hinges of a model: the part that differs with the coordinates.

    `members` is the index set of the bodies; `before` are the steps that give their places.
    """

    plan: Plan
    forced: bool
    program: Program
    members: str
    before: tuple[str, ...]
    loops: Loops | None

    def data(self, link: Link, points: tuple[str, ...]) -> BodyConstants | LinkConstants:
        """The body's constants, from its output to the given points."""

    def turned(self, link: Link) -> Reads:
        """The body's orientation."""

    def moving(self, link: Link) -> Reads:
        """The body's orientation, angular velocity and external loads."""

    def freedom(self, link: Link) -> int:
        """The number of the hinge's own unknown accelerations."""

    def names(self, link: Link) -> tuple[str, ...]:
        """Their names."""

    def apart(self, link: Link) -> bool:
        """Whether the hinge's two points may lie apart."""

    def hinges(self) -> Iterable[Call]:
        """The hinges' H and bias, where they are not constant."""

    def hinged(self, link: Link, *ports: str) -> Reads:
        """The hinge's H, bias and arm."""

    def force(self, link: Link) -> Reads:
        """The force in the hinge; none if it is smooth."""

    def rotor(self, link: Link) -> sp.Matrix | None:
        """The inertia of the hinge's rotor along its own accelerations."""

    def pushes(self, link: Link) -> Reads:
        """The wrenches of cut hinges and loads on the body, numbered from `W_1`."""

    def couplings(self, link: Link) -> dict[str, sp.Expr]:
        """By coupled condition, what it demands of the hinge's own acceleration."""

    def coupled(self) -> tuple[str, ...]:
        """Names of the conditions of coupled hinges."""

    def cut_drives(self) -> Iterable[Call]:
        """The forces that drive the cuts as prescribed."""

    def steps(self) -> tuple[Step, ...]:
        """The program's steps, as far as they differ here."""

    def driven(self) -> list[Link]:
        """The links whose hinges are driven."""


class JointForm:
    """Joint coordinates: a hinge's own accelerations are those of its coordinates."""

    members = "links"

    def __init__(self, plan: Plan, runtime: tuple[str, ...], forced: bool) -> None:
        self.plan = plan
        self.forced = forced
        self.program = joint_program(plan, runtime=runtime, forced=forced)
        self.writer = writer = Writer(plan, forced)
        still = Ground(plan.model, weightless=True)
        self.loops: Loops | None = Loops(plan, still, writer.loops.mobility, writer.beams)
        forces = ("forces",) if any(writer.pushed(link) for link in plan.links) else ()
        self.before = ("relatives", *forces, "spins", "places", *opened(writer))

    def data(self, link: Link, points: tuple[str, ...]) -> LinkConstants:
        if points == link.inputs:
            return self.writer.data[link.name]
        return LinkConstants.of(link.rigid, link.output, points, self.writer.dimension)

    def turned(self, link: Link) -> Reads:
        return {"A": Ref("A", link.name)}

    def moving(self, link: Link) -> Reads:
        reads = self.turned(link) | {"omega": Ref("w", link.name)}
        return reads | ({"f": Ref("f", link.name)} if self.forced else {})

    def freedom(self, link: Link) -> int:
        return self.writer.freedom(link)

    def names(self, link: Link) -> tuple[str, ...]:
        return self.plan.model.hinge_speeds(self.writer.hung[link.name].hinge)

    def apart(self, link: Link) -> bool:
        kind = self.writer.hung[link.name].hinge.kind
        return any(x != 0 for x in joint(self.writer.dimension, kind).position)

    def hinges(self) -> Iterable[Call]:
        writer = self.writer
        for link in self.plan.links:
            kernel = kernels.hinge_element(writer.dimension, self.freedom(link), self.apart(link))
            known = writer.own(link, *(port.name for port in kernel.inputs)) | {
                "Ap": writer.of_parent("A", link),
                "wp": writer.of_parent("w", link),
                "rk": writer.hung[link.name].arm,
            }
            reads = {port.name: known[port.name] for port in kernel.inputs}
            yield Call(kernel, link.name, reads, _own(link, *(p.name for p in kernel.outputs)))

    def hinged(self, link: Link, *ports: str) -> Reads:
        return {name: Ref(name, link.name) for name in ports}

    def force(self, link: Link) -> Reads:
        name = f"T{self.freedom(link) or len(self.writer.law(link))}"
        return {name: Ref(name, link.name)} if self.writer.pushed(link) else {}

    def rotor(self, link: Link) -> sp.Matrix | None:
        return self.writer.rotor(link)

    def pushes(self, link: Link) -> Reads:
        return self.writer.pushes(link)

    def couplings(self, link: Link) -> dict[str, sp.Expr]:
        found = self.writer.loops.coupling(link)
        demands = found.pop("sigma", sp.zeros(1, 0))
        assert isinstance(demands, sp.Matrix)
        names = [ref.member for ref in found.values() if isinstance(ref, Ref)]
        return dict(zip(names, demands, strict=True))

    def coupled(self) -> tuple[str, ...]:
        loops = self.writer.loops
        return loops.conditions[sum(loops.cut_widths) :]

    def cut_drives(self) -> Iterable[Call]:
        return self.writer.cut_forces.drives()

    def steps(self) -> tuple[Step, ...]:
        """The ground does not accelerate here: gravity is a force on the bodies."""
        assert self.loops is not None
        openings = tuple(self.loops.openings())
        return tuple(
            Step(s.kind, s.name, s.title, openings) if s.name == "openings" else s
            for s in self.program.steps
        )

    def driven(self) -> list[Link]:
        return self.writer.driven()


class AbsoluteForm:
    """Absolute coordinates: a hinge's own accelerations are those of the relative rotation."""

    members = "bodies"
    before: tuple[str, ...] = ("orientation",)
    loops: Loops | None = None

    def __init__(self, plan: Plan, runtime: tuple[str, ...], forced: bool) -> None:
        self.plan = plan
        self.forced = forced
        self.program = fast_program(plan, runtime=runtime, forced=forced)
        self.space = Space(plan.model.dimension)
        self._data: dict[tuple[object, ...], BodyConstants] = {}

    def data(self, link: Link, points: tuple[str, ...]) -> BodyConstants:
        body = link.rigid
        key = (body.mass, body.inertia, body.centre, body.points, link.output, points)
        if key not in self._data:
            self._data[key] = BodyConstants.of(body, link.output, points)
        return self._data[key]

    def turned(self, link: Link) -> Reads:
        names = ("c", "s") if self.space.dimension == 2 else ("A",)
        return {name: Ref(name, link.name) for name in names}

    def moving(self, link: Link) -> Reads:
        reads = self.turned(link) | {"omega": Ref("v", link.name)}
        loads = ("f", "tau") if self.forced else ()
        return reads | {name: Ref(name, link.name) for name in loads}

    def freedom(self, link: Link) -> int:
        return self.space.spins

    def names(self, link: Link) -> tuple[str, ...]:
        axes = "z" if self.space.dimension == 2 else "xyz"
        return tuple(f"{link.hinge} Ω̇{axis}" for axis in axes)

    def apart(self, link: Link) -> bool:
        return False

    def hinges(self) -> Iterable[Call]:
        return ()

    def hinged(self, link: Link, *ports: str) -> Reads:
        space = self.space
        turning = sp.Matrix.vstack(sp.zeros(space.dimension, space.spins), sp.eye(space.spins))
        constant = {f"Hs{space.spins}": turning, "gs": sp.zeros(space.motion, 1)}
        return {name: constant[name] for name in ports}

    def force(self, link: Link) -> Reads:
        return {}

    def rotor(self, link: Link) -> sp.Matrix | None:
        return None

    def pushes(self, link: Link) -> Reads:
        return {}

    def couplings(self, link: Link) -> dict[str, sp.Expr]:
        return {}

    def coupled(self) -> tuple[str, ...]:
        return ()

    def cut_drives(self) -> Iterable[Call]:
        return ()

    def steps(self) -> tuple[Step, ...]:
        return self.program.steps

    def driven(self) -> list[Link]:
        return []


def _own(link: Link, *names: str) -> dict[str, Ref]:
    return {name: Ref(name, link.name) for name in names}
