"""What the elements of the overall transfer equation read, in joint coordinates.

Hinges carry forces, drives and rotors, loops are cut, beams bend and the ground may move. A hinge
that the tree of coordinates cuts, but not the transfer order, is given by the places of its bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Beam, End, Hinge
from ....model.parts.bodies import beam_speeds
from ...language.program import Array, Call, Port, Program, Ref
from ...mechanics import laws
from ...mechanics.beams import Functions
from ...mechanics.constants import column
from ...mechanics.hinges import joint, sizes
from ...plans.deduction import OverallEquation
from ...plans.plan import Plan
from ...plans.transfer import Boundary, Element
from ...tree import motion_kernels
from ...tree.acting import Reads, symbols
from ...tree.conditions import taken
from ...tree.joint import Joint
from ..riccati.joint import joint_program
from . import end_kernels, kernels
from .motion import Loose, Motion, called, own, still


class JointMotion(Motion):
    """Joint coordinates: a hinge's entries of s are its speeds' rates, a cut one's too."""

    def __init__(
        self, plan: Plan, equation: OverallEquation, runtime: tuple[str, ...], forced: bool
    ) -> None:
        super().__init__(plan, equation, runtime, forced)
        self.tree = Joint(plan, forced)
        self.by_hinge = {link.hinge: link for link in plan.links}
        self.passed = {e.name for e in equation.transfer.elements if not e.is_body}
        self.cuts = [hinge for hinge in plan.cuts if hinge.name in self.passed]

    def _program(self, runtime: tuple[str, ...]) -> Program:
        return joint_program(self.plan, runtime=runtime, forced=self.forced)

    def element(self, element: Element) -> Iterable[Call]:
        if element.is_beam:
            yield self._beam(element)
        elif element.is_body:
            yield self._body(element)
        else:
            hinge = self.equation.hinges[element.name]
            yield self._hinge(hinge, element.label, element.output)

    def _body(self, element: Element) -> Call:
        pushes = {f"W_{k}": ref for k, ref in enumerate(self._pushes(element), start=1)}
        kernel = kernels.body.of(**self.facts(element, len(pushes)))
        known: Reads = self.places.of(element) | pushes
        known |= {"A": Ref("A", element.name), "omega": Ref("w", element.name)}
        known |= {"f": Ref("f", element.name)}
        return Call(kernel, element.label, taken(kernel, known), own(kernel, element.label))

    def _pushes(self, element: Element) -> list[Ref]:
        """The wrenches of loads on a body, and of given forces in a hinge that holds nothing."""
        given = [Ref("Wg", x.hinge.name) for x in self.loose if x.element == element]
        return [*self.tree.applied.on(element.name), *(given if self.forced else [])]

    def _beam(self, element: Element) -> Call:
        beam, beams = self._of_beam(element), self.tree.beams
        frame = beams.frame(self.plan.link(element.name))
        pushes = self._pushes(element)
        functions = Functions.of(beam)
        kernel = kernels.beam.of(**self.facts(element, len(pushes[:1])), functions=functions)
        known = beams.state(beam) | beams.data(beam)
        known |= {"A": Ref("A", frame), "w": Ref("w", frame), "g": column(self.model.gravity)}
        known |= {"f": Ref("f", element.name), "AO": Ref("A", element.name)}
        known |= dict(zip(["W"], pushes, strict=False))
        speeds = enumerate(beam_speeds(beam), start=1)
        known |= {f"tau_{j}": Ref("tau", name) for j, name in speeds}
        ends = {f"I{k}": end for k, end in enumerate(element.inputs, start=1)}
        for label, end in {**ends, "O": element.output}.items():
            section = beams.section_of(beam, end.point)
            known |= {f"{name}_{label}": value for name, value in section.items()}
        return Call(kernel, element.label, taken(kernel, known), own(kernel, element.label))

    def _of_beam(self, element: Element) -> Beam:
        body = self.model.body(element.name)
        assert isinstance(body, Beam)
        return body

    def mass(self, element: Element) -> sp.Matrix:
        if element.is_beam:
            return self.tree.beams.data(self._of_beam(element))["m"]
        return self.places.of(element)["m"]

    # Hinges

    @property
    def measured(self) -> Iterator[Hinge]:
        """The cut hinges whose coordinates are given by the two bodies' places."""
        return (hinge for hinge in self.cuts if self.model.hinge_speeds(hinge))

    def prepared(self) -> Iterable[Call]:
        """The relative motion in every cut hinge, and the force."""
        d = self.dimension
        for hinge in self.cuts:
            sides = self.tree.loops.sides(hinge)
            known: Reads = {**self.tree.readings, **symbols(self.model)}
            known |= {"K": sides["Ka"], "rk": sp.zeros(d, 1)}
            facts = {"dimension": d, "kind": hinge.kind, "backward": False}
            if hinge.motion:
                motion = tuple(map(laws.settled, hinge.motion))
                relative = motion_kernels.driven.of(**facts, label=hinge.name, motion=motion)
            else:
                relative = motion_kernels.relative.of(**facts)
                known |= self._coordinates(hinge)
            if self.model.hinge_speeds(hinge):
                yield self.tree.cut_forces.measured(hinge, "qj", "uj")
            known |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
            writes = {p.name: Ref(f"{p.name}j", hinge.name) for p in relative.outputs}
            yield Call(relative, hinge.name, taken(relative, known), writes)
            law = laws.force(d, hinge)
            if any(x != 0 for x in law):
                given = {"label": hinge.name, "law": law, "forced": False}
                kernel = motion_kernels.force.of(dimension=d, count=len(law), **given)
                force = {f"T{len(law)}": Ref(f"T{len(law)}j", hinge.name)}
                yield Call(kernel, hinge.name, taken(kernel, known), force)

    def _coordinates(self, hinge: Hinge) -> Reads:
        of = joint(self.dimension, hinge.kind)
        names = self.model.hinge_coordinates(hinge), self.model.hinge_speeds(hinge)
        found: Reads = {x.name: Ref("qj", n) for x, n in zip(of.q, names[0], strict=True)}
        return found | {x.name: Ref("uj", n) for x, n in zip(of.u, names[1], strict=True)}

    def _hinge(self, hinge: Hinge, member: str, output: End) -> Call:
        link = self.by_hinge.get(hinge.name)
        columns = len(hinge.motion) or len(self.model.hinge_speeds(hinge))
        facts = {"dimension": self.dimension, "count": columns, "apart": self._apart(hinge)}
        if link is None:
            sides = self.tree.loops.sides(hinge)
            turned = sides["Kb"] != sp.eye(self.dimension)
            kernel = kernels.hinge.of(**facts, forward=output == hinge.ends[1], turned=turned)
            known: Reads = {"A": sides["Ab"], "K": sides["Kb"], "Ap": sides["Aa"]}
            known |= {"wp": sides["wa"], "rk": sp.zeros(self.dimension, 1)}
            for name in ("vr", "wr", "br", "bw", "r", f"H{columns}"):
                known[name] = Ref(f"{name}j", hinge.name)
            return Call(kernel, member, taken(kernel, known), own(kernel, member))
        forward = output == End(link.name, link.output)
        kernel = kernels.hinge.of(**facts, forward=forward, turned=False)
        return Call(kernel, member, self.tree.call(kernel, link).reads, own(kernel, member))

    def _apart(self, hinge: Hinge) -> bool:
        return any(x != 0 for x in joint(self.dimension, hinge.kind).position)

    def apart(self, element: Element) -> bool:
        return not element.is_body and self._apart(self.equation.hinges[element.name])

    def read(self, name: str, element: Element) -> Ref | sp.Matrix:
        """Forces are kept with the hinge, of a cut one apart."""
        if name == "mass":
            return self.mass(element)
        if re.fullmatch(r"T\d+", name):
            link = self.by_hinge.get(element.name)
            return Ref(name, link.name) if link else Ref(f"{name}j", element.name)
        return Ref(name, element.label)

    def pushed(self, element: Element) -> bool:
        hinge, link = self.equation.hinges[element.name], self.by_hinge.get(element.name)
        if link is not None:
            return self.tree.pushed(link)
        return any(x != 0 for x in laws.force(self.dimension, hinge))

    # Boundary ends

    @cached_property
    def _grounded(self) -> dict[Boundary, Hinge]:
        """The hinges to the ground that are boundary conditions, by the body's end."""
        at = {end: hinge for hinge in self.model.hinges for end in hinge.ends}
        ends = self.equation.transfer.ends
        held = (end for end in ends if end.condition in ("pinned", "clamped"))
        return {end: at[end.at] for end in held if end.at.body != GROUND}

    def rates(self) -> Iterable[tuple[Boundary, Hinge]]:
        for end, hinge in self._grounded.items():
            if self.model.hinge_speeds(hinge) and hinge.name in self.by_hinge:
                yield end, hinge

    @cached_property
    def loose(self) -> tuple[Loose, ...]:
        bodies = {e.name: e for e in self.equation.transfer.elements if e.is_body}
        held = {hinge.name for hinge in self._grounded.values()} | self.passed
        found = ((self.equation.hinges[x.hinge], x.name) for x in self.plan.roots)
        return tuple(
            Loose(hinge, bodies[name], self._origin(bodies[name]))
            for hinge, name in found
            if hinge.name not in held
        )

    def _origin(self, element: Element) -> sp.Matrix:
        """From a body's output to the origin of its link, which of a beam must be the same."""
        if not element.is_beam:
            return self.places.origin(element)
        if element.output.point != self.plan.link(element.name).output:
            raise UsageError(
                f"{self.model.name}: overall takes a beam that only a free hinge leads to the "
                "ground from that hinge on; leave root = … out"
            )
        return sp.zeros(self.dimension, 1)

    def boundaries(self) -> Iterable[Call]:
        d = self.dimension
        if self.model.base is not None:
            for end in self.equation.transfer.ends:
                if end.condition in ("clamped", "pinned"):
                    at = end.at if end.at.body == GROUND else self._beyond(self._grounded[end])
                    yield self._moved(at, called(end))
            for loose in self.loose:
                yield self._moved(self._beyond(loose.hinge), loose.member)
        for end, hinge in self.rates():
            yield self._hinge(hinge, f"hinge {hinge.name}", end.at)
            if self.forced:
                speeds = self.model.hinge_speeds(hinge)
                kernel = end_kernels.pinned.of(
                    dimension=d, output=end.entry == 0, count=len(speeds)
                )
                reads = {f"tau_{j}": Ref("tau", name) for j, name in enumerate(speeds, start=1)}
                reads[f"Hs{len(speeds)}"] = Ref(f"Hs{len(speeds)}", f"hinge {hinge.name}")
                yield Call(kernel, hinge.name, reads, {"m": Ref("mg", called(end))})
        for loose in self.loose:
            yield self._hinge(loose.hinge, loose.member, self._end(loose.hinge))

    def thrusts(self) -> Iterable[Call]:
        """The given forces in hinges to the ground that hold nothing, as loads on the bodies."""
        for loose in self.loose if self.forced else ():
            speeds = self.model.hinge_speeds(loose.hinge)
            kernel = kernels.thrust.of(dimension=self.dimension, count=self.space.motion)
            reads = {f"tau_{j}": Ref("tau", name) for j, name in enumerate(speeds, start=1)}
            port = f"H{len(speeds)}"
            reads[port] = Ref(port, loose.element.name)
            yield Call(kernel, loose.hinge.name, reads, {"W": Ref("Wg", loose.hinge.name)})

    def _end(self, hinge: Hinge) -> End:
        """The body's end of a hinge to the ground."""
        return next(end for end in hinge.ends if end.body != GROUND)

    def _beyond(self, hinge: Hinge) -> End:
        """The ground's."""
        return next(end for end in hinge.ends if end.body == GROUND)

    def _moved(self, at: End, member: str) -> Call:
        """How a point of the ground moves."""
        kernel = end_kernels.ground.of(dimension=self.dimension)
        known: Reads = {name: Ref(name, "") for name in ("Ag", "accg", "Bg")}
        known |= {"r": column(self.model.ground_point(at.point).position)}
        known |= {"g": column(self.model.gravity)}
        return Call(kernel, member, known, {"ag": Ref("ag", member)})

    def ground(self, member: str) -> Ref | sp.Matrix:
        moving = self.model.base is not None
        return Ref("ag", member) if moving else sp.zeros(self.space.motion, 1)

    def known(self, end: Boundary) -> Reads:
        found = still(self.space)
        if end.condition in ("clamped", "pinned"):
            found["a"] = self.ground(called(end))
        if self.forced and end in dict(self.rates()):
            found["m"] = Ref("mg", called(end))
        return found

    def arrays(self) -> Iterable[Array]:
        for name in ("q", "u"):
            yield Array(f"{name}j", f"{name} of cut hinges", Port(f"{name}j"))
        yield Array("ag", "boundaries", Port("ag", self.space.motion))
        yield Array("mg", "boundaries", Port("mg", self.space.spins))

    def sets(self) -> dict[str, tuple[str, ...]]:
        coordinates = (x for h in self.measured for x in self.model.hinge_coordinates(h))
        speeds = (x for h in self.measured for x in self.model.hinge_speeds(h))
        return {
            "cut hinges": tuple(hinge.name for hinge in self.cuts),
            "loose hinges": tuple(loose.hinge.name for loose in self.loose),
            "q of cut hinges": tuple(coordinates),
            "u of cut hinges": tuple(speeds),
        }
