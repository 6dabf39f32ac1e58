"""The calls of inverse dynamics in link axes, for the derivatives."""

from __future__ import annotations

from collections.abc import Iterable

from ....model import Beam
from ...language.program import Call, Ref
from ...mechanics.constants import second_moments
from ...plans.plan import Link
from ...tree import inverse_kernels as kernels
from ...tree.conditions import driven_names
from ...tree.mass_matrix import MassMatrixWriter
from .program import inverse_program as inverse_program


class InverseWriter(MassMatrixWriter):
    """Collects the calls of the recursion."""

    def carried(self) -> Iterable[Call]:
        for link in self.outward():
            way, pose = self.way(link.name)
            kernel = kernels.carry(self.dimension, self.freedom(link), way)
            reads = (
                self._own_of(kernel, link)
                | pose
                | {
                    "ap": self.of_parent("acc", link),
                    "Bp": self.of_parent("B", link),
                    "wp": self.of_parent("w", link),
                }
            )
            reads |= {f"ad_{j}": Ref("ad", name) for j, name in enumerate(self.speeds(link), 1)}
            yield Call(kernel, link.name, reads, self.own(link, "acc", "B"))
            yield from self.beams.carried(link)

    def wrenches(self) -> Iterable[Call]:
        for link in self.plan.links:
            if isinstance(link.body, Beam):
                yield from self.beams.wrenches(link, self.loaded)
            else:
                yield self._wrench(link)
            way, pose = self.way(link.name)
            transmit = kernels.transmit(self.dimension, way)
            reads = self._own_of(transmit, link) | pose
            yield Call(transmit, link.name, reads, self.own(link, "lt"))

    def _wrench(self, link: Link) -> Call:
        pushes = self.pushes(link)
        held, holding = self.loops.holding(link)
        kernel = kernels.wrench(self.dimension, len(link.inputs), self.loaded, len(pushes), held)
        data = self.data[link.name]
        known = self._inertia(link)
        if self.dimension == 3:
            known["Sg"] = second_moments(data.inertia)
        known = {port.name: known[port.name] for port in kernel.inputs if port.name in known}
        reads = self._own_of(kernel, link) | known | pushes | holding
        if self.loaded:
            reads["rC"] = self.data[link.name].centre
        reads |= {f"lt_I{k}": Ref("lt", child) for k, child in enumerate(link.children, 1)}
        return Call(kernel, link.name, reads, self.own(link, "lam"))

    def required(self) -> Iterable[Call]:
        for link in self.plan.links:
            hinge = self.hung[link.name].hinge
            array, names = (
                ("drive", driven_names(hinge)) if hinge.motion else ("tau", self.speeds(link))
            )
            if names:
                rotor, held = self.resisting(link), self.loops.coupling(link)
                count = sum(name.startswith("mu_") for name in held)
                kernel = kernels.required(
                    self.dimension,
                    len(names),
                    self.pushed(link),
                    bool(rotor),
                    count,
                )
                reads = self._own_of(kernel, link) | rotor | held
                if rotor:
                    reads |= {f"ad_{j}": Ref("ad", name) for j, name in enumerate(names, 1)}
                writes = {f"tau_{j}": Ref(array, name) for j, name in enumerate(names, 1)}
                yield Call(kernel, link.name, reads, writes)
