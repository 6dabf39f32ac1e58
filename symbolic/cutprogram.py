"""What acts in cut hinges: the calls of their force laws, prescribed motions and drives."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..model.types import TIME, exact_expression, parameter
from . import cutforces, jointkernels
from .loopprogram import Loops, Reads, driven_names, taken
from .plan import Link
from .program import Call, Ref


class CutForces:
    """The force laws and drives of the cuts of a plan."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.model = loops.plan.model

    def _free(self) -> Reads:
        """The model's parameters and the time, by name."""
        reads: Reads = {name: sp.Matrix([parameter(name)]) for name in self.model.parameters}
        return reads | {TIME.name: Ref(TIME.name, "")}

    def prescribed(self) -> Iterable[Call]:
        """The motion of every cut that is driven."""
        for hinge in self.loops.driven:
            motion = tuple(exact_expression(x) for x in hinge.motion)
            kernel = cutforces.prescribed(hinge.name, motion)
            writes = {
                f"{stem}_{i}": Ref(stem, name)
                for stem in ("at", "rate", "second")
                for i, name in enumerate(driven_names(hinge), start=1)
            }
            yield Call(kernel, hinge.name, taken(kernel, self._free()), writes)

    def laws(self) -> Iterable[Call]:
        """The wrenches of every cut that a force law acts in."""
        named: dict[tuple[sp.Expr, ...], str] = {}
        for hinge in self.loops.loaded:
            form = self.loops.forms[hinge.name]
            sides = self.loops.sides(hinge)
            coordinates = self.model.hinge_coordinates(hinge)
            speeds = self.model.hinge_speeds(hinge)

            kernel = cutforces.measured(form)
            writes = {f"q_{i}": Ref("cq", name) for i, name in enumerate(coordinates, start=1)}
            writes |= {f"u_{i}": Ref("cu", name) for i, name in enumerate(speeds, start=1)}
            yield Call(kernel, hinge.name, taken(kernel, sides), writes)

            law = tuple(exact_expression(x) for x in hinge.force)
            label = named.setdefault(law, hinge.name)
            kernel = jointkernels.force(label, law, len(law), forced=False)
            own: Reads = {f"q{i}": Ref("cq", name) for i, name in enumerate(coordinates, start=1)}
            own |= {f"u{i}": Ref("cu", name) for i, name in enumerate(speeds, start=1)}
            force = Ref(f"Tc{len(law)}", hinge.name)
            yield Call(
                kernel, hinge.name, taken(kernel, self._free() | own), {f"T{len(law)}": force}
            )

            kernel = cutforces.push(form)
            known = sides | own | {f"T{len(law)}": force}
            writes = {name: Ref(name, hinge.name) for name in ("WA", "WB")}
            yield Call(kernel, hinge.name, taken(kernel, known), writes)

    def on(self, link: Link) -> Reads:
        """The wrenches of cuts that act on a link, numbered as its body takes them."""
        found = [
            Ref(f"W{side}", hinge.name)
            for hinge in self.loops.loaded
            for side, end in zip("AB", hinge.ends, strict=True)
            if end.body == link.name
        ]
        return {f"W_{k}": ref for k, ref in enumerate(found, start=1)}

    def drives(self) -> Iterable[Call]:
        """The forces that drive the cuts as prescribed."""
        for hinge in self.loops.driven:
            form = self.loops.forms[hinge.name]
            kernel = cutforces.drive(form, form.count)
            reads = self.loops.sides(hinge) | self.loops.multipliers_of(hinge)
            reads["E"] = Ref(f"EB{form.count}", hinge.name)
            writes = {
                f"drive_{j}": Ref("drive", name)
                for j, name in enumerate(driven_names(hinge), start=1)
            }
            yield Call(kernel, hinge.name, taken(kernel, reads), writes)
