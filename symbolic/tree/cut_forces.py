"""What acts in cut hinges: the calls of their force laws, prescribed motions and drives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from ...model import Hinge
from ..language.program import Call, Ref
from ..mechanics.hinges import joint
from ..mechanics.laws import potential, settled
from ..plans.plan import Link
from ..plans.turns import turns_of
from . import cut_force_kernels as cutforces
from . import motion_kernels as jointkernels
from .acting import Reads, symbols
from .conditions import driven_names, taken
from .loops import Loops


class CutForces:
    """The force laws and drives of the cuts of a plan."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.model = loops.plan.model

    def prescribed(self) -> Iterable[Call]:
        """The motion of every cut that is driven."""
        for hinge in self.loops.driven:
            motion = tuple(map(settled, hinge.motion))
            kernel = cutforces.prescribed.of(
                dimension=self.loops.dimension, label=hinge.name, motion=motion
            )
            writes = {
                f"{stem}_{i}": Ref(stem, name)
                for stem in ("at", "rate", "second")
                for i, name in enumerate(driven_names(hinge), start=1)
            }
            yield Call(kernel, hinge.name, taken(kernel, symbols(self.model)), writes)

    def laws(self, readings: Mapping[str, Ref]) -> Iterable[Call]:
        """The wrenches of every cut that a force law acts in; `readings`: of the state."""
        named: dict[tuple[sp.Expr, ...], str] = {}
        for hinge in self.loops.loaded:
            form = self.loops.forms[hinge.name]
            sides = self.loops.sides(hinge)
            yield self.measured(hinge, "cq", "cu")

            law = self.loops.laws[hinge.name]
            label = named.setdefault(law, hinge.name)
            kernel = jointkernels.force.of(
                dimension=self.loops.dimension, count=len(law), label=label, law=law, forced=False
            )
            own = self._measured(hinge)
            force = Ref(f"Tc{len(law)}", hinge.name)
            yield Call(
                kernel,
                hinge.name,
                taken(kernel, {**readings, **symbols(self.model), **own}),
                {f"T{len(law)}": force},
            )

            kernel = cutforces.push.at(None, form)
            known = sides | own | {f"T{len(law)}": force}
            writes = {name: Ref(name, hinge.name) for name in ("WA", "WB")}
            yield Call(kernel, hinge.name, taken(kernel, known), writes)

    def measured(self, hinge: Hinge, q: str, u: str) -> Call:
        """A cut hinge's coordinates and speeds, into the arrays of these names.

        Whole turns are told apart by a law alone; without one the pose says all that matters.
        """
        loaded = any(hinge.name == each.name for each in self.loops.loaded)
        summed, turning = self._turning(hinge) if loaded else (None, {})
        kernel = cutforces.measured.at(None, self.loops.forms[hinge.name], summed=summed)
        coordinates, speeds = self.model.hinge_coordinates(hinge), self.model.hinge_speeds(hinge)
        writes = {f"q_{i}": Ref(q, name) for i, name in enumerate(coordinates, start=1)}
        writes |= {f"u_{i}": Ref(u, name) for i, name in enumerate(speeds, start=1)}
        known = {**self.loops.sides(hinge), **turning}
        return Call(kernel, hinge.name, taken(kernel, known), writes)

    def _turning(self, hinge: Hinge) -> tuple[cutforces.Summed | None, Reads]:
        """How the turn of a cut hinge is summed, and of what."""
        turns = turns_of(self.loops.plan, hinge)
        if turns is None:
            return None, {}
        label = hinge.name if turns.driven != 0 else ""
        summed = cutforces.Summed(len(turns.plus), len(turns.minus), turns.driven, label)
        reads: Reads = {"offset": sp.Matrix([turns.offset]), **symbols(self.model)}
        for side, names in (("plus", turns.plus), ("minus", turns.minus)):
            reads |= {f"{side}_{k}": Ref("q", name) for k, name in enumerate(names, start=1)}
        return summed, reads

    def _measured(self, hinge: Hinge) -> Reads:
        """A cut hinge's coordinates and speeds, by the names that its laws have for them."""
        of = joint(self.loops.dimension, hinge.kind)
        coordinates, speeds = self.model.hinge_coordinates(hinge), self.model.hinge_speeds(hinge)
        own: Reads = {x.name: Ref("cq", name) for x, name in zip(of.q, coordinates, strict=True)}
        return own | {x.name: Ref("cu", name) for x, name in zip(of.u, speeds, strict=True)}

    @property
    def storing(self) -> dict[str, sp.Expr]:
        """The energies that cuts store, by hinge."""
        found = {h.name: potential(self.loops.dimension, h) for h in self.loops.loaded}
        return {name: law for name, law in found.items() if law != 0}

    def stores(self) -> Iterable[Call]:
        """The energy stored in every cut that stores any."""
        named: dict[sp.Expr, str] = {}
        laws = self.storing
        for hinge in self.loops.loaded:
            if hinge.name in laws:
                law = laws[hinge.name]
                label = named.setdefault(law, hinge.name)
                facts = {"dimension": self.loops.dimension, "label": label, "law": law}
                kernel = jointkernels.stored.of(**facts)
                reads = taken(kernel, symbols(self.model) | self._measured(hinge))
                yield Call(kernel, hinge.name, reads, {"V": Ref("Vc", hinge.name)})

    def on(self, link: Link) -> list[Ref]:
        """The wrenches of cuts that act on a link."""
        return [
            Ref(f"W{side}", hinge.name)
            for hinge in self.loops.loaded
            for side, end in zip("AB", hinge.ends, strict=True)
            if end.body == link.name
        ]

    def drives(self) -> Iterable[Call]:
        """The forces that drive the cuts as prescribed."""
        for hinge in self.loops.driven:
            form = self.loops.forms[hinge.name]
            kernel = cutforces.drive.at(None, form)
            reads = self.loops.sides(hinge) | self.loops.multipliers_of(hinge)
            reads["E"] = Ref(f"EB{form.count}", hinge.name)
            writes = {
                f"drive_{j}": Ref("drive", name)
                for j, name in enumerate(driven_names(hinge), start=1)
            }
            yield Call(kernel, hinge.name, taken(kernel, reads), writes)
