"""Accelerations of small trees from their drift: the shortest way to them alone.

Where the hinges do not accelerate, the bodies still do: they *drift*, by gravity and by the
products of their speeds. One sweep outwards gives the drift and what it demands of every
body; what is left is linear in the hinges' accelerations, with everything at rest: the inward
sweep eliminates them from `IAb`, `pAb`, and the outward one starts from a ground that does not
move. No inertia meets a bias, and no load is known, so that the bodies' constants are
regrouped (see `regroup`).

In a long chain the drift is large and what the hinges add cancels it, digit by digit, so this is
for trees up to `DEEPEST` links deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from . import inversekernels, recursionkernels
from .acting import Reads
from .jointwriter import Writer
from .plan import Link
from .program import Array, Call, Port, Ref, Step
from .regroup import Inertia, regrouped

#: Links from ground to tip up to which the drift is taken: of each it may cost half a digit.
DEEPEST = 12


class Drift:
    """Collects the calls of the three sweeps; arrays end in b, for base parameters."""

    def __init__(
        self, writer: Writer, values: Mapping[sp.Symbol, sp.Expr], regroup: bool = True
    ) -> None:
        self.writer = writer
        self.plan = writer.plan
        self.dimension = writer.dimension
        plain = {name: Inertia.of(data) for name, data in writer.data.items()}
        self.data: Mapping[str, Inertia] = regrouped(writer, values) if regroup else plain

    @staticmethod
    def serves(writer: Writer) -> bool:
        """Is the model a tree of rigid bodies, not too deep, each held by the one inside it?

        What moves in every way relative to its parent, or to the ground, takes nothing from its
        drift: that would be added and taken off again.
        """
        if writer.model.beams or writer.loops.size:
            return False
        links = writer.plan.links
        loose = any(writer.freedom(link) == writer.space.motion for link in links)
        return not loose and all(len(writer.plan.way(link.name)) <= DEEPEST for link in links)

    def steps(self) -> tuple[Step, ...]:
        return (
            Step("sweep", "drifts", "accelerations of hinges that do not", tuple(self._drifts())),
            Step("map", "demands", "wrenches of the drift", tuple(self._demands())),
            Step("sweep", "inward_b", "Riccati recursion at rest", tuple(self._inward())),
            Step("sweep", "outward_b", "accelerations beyond the drift", tuple(self._outward())),
        )

    def _drifts(self) -> Iterable[Call]:
        for link in self.writer.outward():
            way, pose = self.writer.way(link.name)
            kernel = inversekernels.carry(self.dimension, 0, way)
            reads = self._own(link, *(port.name for port in kernel.inputs)) | pose
            for name, array in (("ap", "acc"), ("Bp", "B"), ("wp", "w")):
                reads[name] = self.writer.of_parent(array, link)
            if link.parent is not None:
                reads |= {"ap": Ref("accd", link.parent), "Bp": Ref("Bd", link.parent)}
            writes = {"acc": Ref("accd", link.name), "B": Ref("Bd", link.name)}
            yield Call(kernel, link.name, reads, writes)

    def _demands(self) -> Iterable[Call]:
        for link in self.plan.links:
            pushes = self.writer.pushes(link)
            kernel = inversekernels.wrench(self.dimension, 0, self.writer.loaded, len(pushes))
            own = self.data[link.name]
            known: Reads = {"m": own.mass, "h": own.first, "J": own.inertia}
            known |= {"acc": Ref("accd", link.name), "B": Ref("Bd", link.name)}
            known |= {"rC": self.writer.data[link.name].centre}
            if self.dimension == 3:
                known["Sg"] = own.second
            reads = self._own(link, *(port.name for port in kernel.inputs)) | pushes
            reads |= {port.name: known[port.name] for port in kernel.inputs if port.name in known}
            yield Call(kernel, link.name, reads, {"lam": Ref("lamd", link.name)})

    def _inward(self) -> Iterable[Call]:
        writer = self.writer
        for link in self.plan.links:
            own = self.data[link.name]
            kernel = recursionkernels.resting(self.dimension, len(link.inputs))
            reads: Reads = {"m": own.mass, "h": own.first, "J": own.inertia}
            reads["lam"] = Ref("lamd", link.name)
            for k, child in enumerate(link.children, start=1):
                reads |= {f"IAt_I{k}": Ref("IAtb", child), f"pAt_I{k}": Ref("pAtb", child)}
            yield Call(kernel, link.name, reads, self._written(link, "IA", "pA"))
            through, reads = writer.through(link)
            still = {"wp", "vr", "wr", "br", "bw"}
            for port in through.inputs:
                if port.name in still:
                    reads[port.name] = sp.zeros(port.rows, port.cols)
            reads |= self._written(link, "IA", "pA")
            yield Call(through, link.name, reads, self._written(link, *_names(through.outputs)))

    def _outward(self) -> Iterable[Call]:
        n = self.writer.space.motion
        for link in self.writer.outward():
            call = self.writer.accelerated(link)
            above = sp.zeros(n, 1) if link.parent is None else Ref("accb", link.parent)
            reads = {**call.reads, "ap": above, "gam": sp.zeros(n, 1)}
            freedom = self.writer.freedom(link)
            if freedom:
                reads |= self._written(link, f"G{freedom}", f"k{freedom}")
            writes = {**call.writes, **self._written(link, "acc", "a0")}
            yield Call(call.kernel, link.name, reads, writes)

    def _own(self, link: Link, *names: str) -> Reads:
        return {name: Ref(name, link.name) for name in names}

    def _written(self, link: Link, *names: str) -> dict[str, Ref]:
        return {name: Ref(f"{name}b", link.name) for name in names}

    def arrays(self) -> Iterable[Array]:
        d, n = self.dimension, self.writer.space.motion

        def work(name: str, rows: int, cols: int = 1, symmetric: bool = False) -> Array:
            return Array(name, "links", Port(name, rows, cols, symmetric))

        for name in ("accd", "lamd", "pAb", "pAhb", "pAtb", "gamb", "accb", "a0b"):
            yield work(name, n)
        yield work("Bd", d, d)
        for name in ("IAb", "IAhb", "IAtb"):
            yield work(name, n, n, symmetric=True)
        for freedom in sorted({self.writer.freedom(link) for link in self.plan.links} - {0}):
            yield work(f"G{freedom}b", freedom, n)
            yield work(f"k{freedom}b", freedom)


def _names(ports: Iterable[Port]) -> Iterable[str]:
    return (port.name for port in ports)
