"""Beams in joint coordinates: the calls that they add to a tree's program.

A beam's link is the section at its output. The floating frame and the sections at its inputs
are further members of the links' set: they have a pose, a velocity and an acceleration like a
link, and what hangs on the beam hangs on them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

import sympy as sp

from ...model import Beam
from ...model.expressions.quantities import exact_expression
from ...model.parts.bodies import beam_coordinates, beam_speeds
from ..language.program import Array, Call, Kernel, Port, Ref, Slot
from ..language.walk import Action, Binding, Place
from ..mechanics import beams as shapes
from ..mechanics.beams import Functions
from ..mechanics.letters import PARENTS
from ..mechanics.turning import Way
from ..plans.plan import Link, Plan
from . import beam_kernels as kernels
from . import inverse_kernels
from .acting import Reads
from .loop_kernels import Feed


@dataclass(frozen=True)
class Part:
    """The floating frame of a beam, or the section at one of its points.

    `base` is the member of the links' set that it moves relative to: of the frame, described
    `backward`, that is the section at `point`, of the section at `point` it is the frame.
    """

    name: str
    base: str
    beam: Beam
    point: str
    backward: bool


class Beams:
    """The beams of a plan: their parts, and the calls at them.

    `forced`: with forces along the modal coordinates; `loaded`: with loads at the middle.
    """

    def __init__(self, plan: Plan, forced: bool, loaded: bool) -> None:
        self.plan = plan
        self.forced, self.loaded = forced, loaded
        self.beams = {link.name: link.body for link in plan.links if isinstance(link.body, Beam)}
        self._parts = {name: self._parts_of(plan.link(name), b) for name, b in self.beams.items()}

    def _parts_of(self, link: Link, beam: Beam) -> tuple[Part, ...]:
        frame = Part(f"{beam.name} frame", beam.name, beam, link.output, backward=True)
        cut = [end.point for h in self.plan.cuts for end in h.ends if end.body == beam.name]
        sections = (
            Part(f"{beam.name}:{point}", frame.name, beam, point, backward=False)
            for point in (*link.inputs, *cut, *link.free)
        )
        return (frame, *sections)

    def parts(self, link: str) -> tuple[Part, ...]:
        """Of a beam the floating frame and the sections at inputs, cuts and free points."""
        return self._parts.get(link, ())

    @property
    def every(self) -> tuple[Part, ...]:
        """All parts, in the plan's order."""
        return tuple(part for parts in self._parts.values() for part in parts)

    @property
    def bending(self) -> Set[str]:
        """The links that bend."""
        return self.beams.keys()

    @property
    def modes(self) -> tuple[int, ...]:
        """The numbers of modal coordinates that beams have here, each once."""
        return tuple(sorted({beam.modes for beam in self.beams.values()}))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What the numbers of the modal coordinates mean: any numbers."""
        return (Slot.VECTOR,) * sum(beam.modes for beam in self.plan.model.beams)

    def modes_of(self, link: Link) -> int:
        """The number of modal coordinates of a link: none of a rigid body."""
        return self.beams[link.name].modes if link.name in self.beams else 0

    def base(self, link: Link) -> str | None:
        """The member of the links' set that a link moves relative to; None: the ground."""
        if link.parent not in self.beams:
            return link.parent
        parent = self.plan.link(link.parent)
        return self.parts(parent.name)[1 + parent.children.index(link.name)].name

    def frame(self, link: Link) -> str:
        """The member that the floating frame of a beam's link is."""
        return self.parts(link.name)[0].name

    def state(self, beam: Beam) -> Reads:
        """A beam's modal coordinates and speeds."""
        reads: Reads = {}
        for letter, array, names in (
            ("q", "q", beam_coordinates(beam)),
            ("u", "v", beam_speeds(beam)),
        ):
            reads |= {f"{letter}{j}": Ref(array, name) for j, name in enumerate(names, start=1)}
        return reads

    def data(self, beam: Beam) -> Reads:
        """The constants of a beam's balance."""
        length = exact_expression(beam.length)
        values = {
            shapes.MASS: exact_expression(beam.density) * length,
            shapes.LENGTH: length,
            shapes.AXIAL: exact_expression(beam.axial_stiffness),
            shapes.BENDING: exact_expression(beam.bending_stiffness),
            shapes.DAMPING: exact_expression(beam.damping),
        }
        return {symbol.name: sp.Matrix([value]) for symbol, value in values.items()}

    def section(self, part: Part) -> Reads:
        """The constants of the section that a part's relative motion is about."""
        return self.section_of(part.beam, part.point)

    def section_of(self, beam: Beam, named: str) -> Reads:
        """The constants of the section at a point of a beam."""
        point = beam.point(named)
        at, length = exact_expression(point.position[0]), exact_expression(beam.length)
        functions = Functions.of(beam)
        names = shapes.named(functions)
        here = shapes.shapes(functions).at(sp.cancel(at / length), length)
        values = {
            "at": at,
            "turn": sp.Integer(0) if point.axes is None else exact_expression(point.axes),
        }
        for known, matrix in zip(names, here, strict=True):
            pairs = zip(known, matrix, strict=True)
            values |= {name.name: value for name, value in pairs if name.is_Symbol}
        return {name: sp.Matrix([value]) for name, value in values.items()}

    def at_parts(self, link: Link, kernel: Kernel) -> Iterator[Call]:
        """A kernel at all parts of a beam; what it takes of a parent is its base's."""
        for part in self.parts(link.name):
            bases: Reads = {name: Ref(array, part.base) for name, array in PARENTS.items()}
            yield _call(kernel, part.name, bases)

    def relatives(self, link: Link) -> Iterator[Call]:
        """The relative motion of every part of a beam."""
        for part in self.parts(link.name):
            functions = Functions.of(part.beam)
            kernel = kernels.relative.of(dimension=2, functions=functions, backward=part.backward)
            known = self.state(part.beam) | self.section(part)
            known |= {"K": sp.eye(2), "rk": sp.zeros(2, 1)}
            yield _call(kernel, part.name, known)

    def facts(self, link: Link) -> dict[str, Hashable]:
        """What kernels ask of a beam."""
        functions = Functions.of(self.beams[link.name])
        inputs = len(link.inputs)
        return {
            "dimension": 2,
            "functions": functions,
            "count": functions.modes,
            "input_count": inputs,
        }

    def placed(self, link: Link) -> Reads:
        """What a kernel of a pose takes of a beam; nothing of a body."""
        if link.name not in self.beams:
            return {}
        frame = self.frame(link)
        return {"A": Ref("A", frame), "x": Ref("x", frame), "Kb": sp.eye(2), "ob": sp.zeros(2, 1)}

    def inward(self, link: Link) -> Iterable[Call]:
        """A beam with all that hangs on it, seen from its output."""
        yield from self.at_parts(link, kernels.bias.of(dimension=2))
        kernel = kernels.link.of(**self.facts(link), forced=self.forced)
        known = self.balanced(link)
        if self.forced and not self.loaded:
            known |= {"A": sp.eye(2)}  # without loads whatever axes do
        for k, child in enumerate(link.children, start=1):
            known |= {f"IAt_I{k}": Ref("IAt", child), f"pAt_I{k}": Ref("pAt", child)}
        yield _call(kernel, link.name, known)

    def balanced(self, link: Link) -> Reads:
        """What a beam's balance takes, and of its parts their relative motion.

        What is marked I1 and so on is of the sections in their order.
        """
        beam, (frame, *sections) = self.beams[link.name], self.parts(link.name)
        known = self.state(beam) | self.data(beam) | _numbered("tau", beam)
        known |= {"w": Ref("w", frame.name), "A": Ref("A", frame.name)}
        known |= {"f": Ref("f", link.name) if self.loaded else sp.zeros(3, 1)}
        known |= _across("O", frame)
        for k, part in enumerate(sections, start=1):
            known |= _across(f"I{k}", part)
        return known

    def transferred(self, link: Link) -> Reads:
        """The same with the axes of all parts in which U is said."""
        known, (_, *sections) = self.balanced(link), self.parts(link.name)
        known |= {f"A_I{k}": Ref("A", part.name) for k, part in enumerate(sections, start=1)}
        return known | {"A_O": Ref("A", link.name)}

    def outward(self, link: Link, closed: bool) -> Iterable[Call]:
        """Modal accelerations, and the accelerations of a beam's parts.

        `closed`: the multipliers of closed loops enter.
        """
        modes = self.modes_of(link)
        bias = Ref(f"kem{modes}" if closed else f"ke{modes}", link.name)
        yield from self._outward(link, "a", "acc", bias, {})

    def corrected(self, link: Link, closed: bool) -> Iterable[Call]:
        """The same of a correction: without biases."""
        modes = self.modes_of(link)
        bias = Ref(f"kec{modes}", link.name) if closed else sp.zeros(modes, 1)
        yield from self._outward(link, "du", "dacc", bias, {"gam": sp.zeros(3, 1)})

    def _outward(
        self, link: Link, rate: str, array: str, bias: Ref | sp.Matrix, known: Reads
    ) -> Iterable[Call]:
        if link.name not in self.beams:
            return
        beam, parts = self.beams[link.name], self.parts(link.name)
        modal = _numbered("a", beam, rate)
        kernel = kernels.rates.of(dimension=2, count=beam.modes)
        reads = {p.name: Ref(p.name, link.name) for p in kernel.inputs}
        reads |= {"acc": Ref(array, link.name), f"ke{beam.modes}": bias}
        yield Call(kernel, link.name, reads, modal)
        kernel = kernels.accelerate.of(dimension=2, count=beam.modes)
        for part in parts:
            reads = {p.name: Ref(p.name, part.name) for p in kernel.inputs}
            reads |= modal | {"ap": Ref(array, part.base)} | known
            yield Call(kernel, part.name, reads, {"acc": Ref(array, part.name)})

    def gathered(
        self,
        link: Link,
        size: int,
        feeds: tuple[Feed, ...],
        points: list[str],
        reads: Mapping[str, Binding],
    ) -> Action:
        """Columns of cuts at a beam: of each feed, the point where it arrives."""
        modes = self.modes_of(link)
        kernel = kernels.gather.of(dimension=2, count=modes, width=size, feeds=feeds)
        at = {part.point: part for part in self.parts(link.name)[1:]}
        known: dict[str, Binding] = {p.name: Place(p.name, "own") for p in kernel.inputs}
        known |= {**reads, **_across("O", self.parts(link.name)[0])}
        for i, point in enumerate(points, start=1):
            known |= _across(f"I{i}", at[point])
        return Action.of(kernel, known, {p.name: Place(p.name, "own") for p in kernel.outputs})

    def carried(self, link: Link) -> Iterable[Call]:
        """Accelerations of a beam's parts, the modal ones given."""
        for part in self.parts(link.name):
            kernel = inverse_kernels.carry.of(
                dimension=2, freedom=part.beam.modes, count=part.beam.modes, way=Way()
            )
            known: Reads = {"ap": Ref("acc", part.base), "Bp": Ref("B", part.base)}
            known |= {"wp": Ref("w", part.base)} | _numbered("ad", part.beam)
            yield _call(kernel, part.name, known)

    def wrenches(self, link: Link, loaded: bool) -> Iterable[Call]:
        """What a moving beam and all that hangs on it demand at its output."""
        beam, (frame, *sections) = self.beams[link.name], self.parts(link.name)
        kernel = kernels.wrench.of(**self.facts(link), loaded=loaded)
        known = self.state(beam) | self.data(beam) | _numbered("ad", beam)
        known |= {"f": Ref("f", link.name)}
        transmit = inverse_kernels.transmit.of(dimension=2, way=Way())
        for k, (part, child) in enumerate(zip(sections, link.children, strict=False), start=1):
            at_section = Ref("lt", child)
            yield _call(transmit, part.name, {"lam": at_section})
            known |= {f"lt_I{k}": Ref("lt", part.name), f"lam_I{k}": at_section}
            known |= {f"H_I{k}": Ref(f"H{beam.modes}", part.name)}
        reads = {p.name: known.get(p.name, Ref(p.name, frame.name)) for p in kernel.inputs}
        writes = {"lam": Ref("lam", frame.name)} | _numbered("tau", beam)
        yield Call(kernel, frame.name, reads, writes)
        reads = {p.name: Ref(p.name, frame.name) for p in transmit.inputs}
        yield Call(transmit, frame.name, reads, {"lt": Ref("lam", link.name)})

    def energy(self, link: Link) -> Kernel:
        """Energy of a beam, added to that of the links before."""
        return kernels.energy.of(**self.facts(link))

    def energetic(self, link: Link) -> Reads:
        """What that takes of a beam."""
        beam, frame = self.beams[link.name], self.frame(link)
        known = self.state(beam) | self.data(beam)
        return known | {name: Ref(name, frame) for name in ("A", "x", "vl", "w")}

    def copied(self, link: Link, result: str) -> Iterator[Action]:
        """Rates (`qd`) or retraction (`qn`) of the modal coordinates."""
        if link.name in self.beams:
            beam = self.beams[link.name]
            kernel = kernels.copied.of(
                dimension=2,
                count=beam.modes,
                letter="u" if result == "qd" else "q",
                result=result,
            )
            names = enumerate(beam_coordinates(beam), start=1)
            writes = {f"{result}_{j}": Ref(result, name) for j, name in names}
            state = self.state(beam)
            yield Action(kernel, {port.name: state[port.name] for port in kernel.inputs}, writes)

    def arrays(self) -> Iterable[Array]:
        for modes in self.modes:
            for name, rows, cols in (("H", 3, modes), ("Ge", modes, 3), ("ke", modes, 1)):
                yield Array(f"{name}{modes}", "links", Port(f"{name}{modes}", rows, cols))
            yield Array(f"We{modes}", "links", Port(f"We{modes}", modes, modes, symmetric=True))


def _numbered(port: str, beam: Beam, array: str = "") -> dict[str, Ref]:
    """An array's values for all of a beam's modal speeds, by the ports that take them."""
    speeds = enumerate(beam_speeds(beam), start=1)
    return {f"{port}_{j}": Ref(array or port, name) for j, name in speeds}


def _across(label: str, part: Part) -> Reads:
    """A part's relative motion as the beam's own kernel takes it."""
    arrays = {"C": "C", "r": "r", "gam": "gam", "H": f"H{part.beam.modes}"}
    return {f"{port}_{label}": Ref(array, part.name) for port, array in arrays.items()}


def _call(kernel: Kernel, member: str, known: Reads) -> Call:
    """A call whose inputs that are not `known`, and all outputs, are arrays of their names."""
    reads = {p.name: known.get(p.name, Ref(p.name, member)) for p in kernel.inputs}
    return Call(kernel, member, reads, {p.name: Ref(p.name, member) for p in kernel.outputs})
