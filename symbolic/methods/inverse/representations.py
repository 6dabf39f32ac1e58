"""Inverse dynamics in spatial, hybrid and mixed representation, as programs.

They differ from `rnea-body` in the axes and the point of a link's twist and wrench alone; the
hinges, their laws, what acts in link axes and the mass matrix are the same. `lam` is the
wrench (f, t) that a link's output hinge exerts on it: about the inertial origin (spatial) or
the link's, in inertial axes but for the moment of the mixed one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ...language.program import Array, Call, Kernel, Map, Port, Program, Ref, Step, Sweep
from ...mechanics.hinges import joint
from ...plans.plan import Link, Plan
from ...tree.writer import based
from . import kernels
from .body_fixed import InverseWriter, inverse_of


class RepresentationWriter(InverseWriter, ABC):
    """Collects the calls of the recursion in a representation."""

    of: ClassVar[str]
    #: A moving ground's motion: what the kernel of the base gives, and its value at rest.
    grounds: ClassVar[tuple[str, ...]]
    projected = True
    turning: ClassVar[bool] = False

    def __init__(self, plan: Plan, loaded: bool) -> None:
        if plan.model.beams:
            raise UsageError(
                f"{plan.model.name}: {self.algorithm} takes rigid bodies alone, no beams; "
                "rnea-body takes beams"
            )
        super().__init__(plan, loaded)

    def steps(self) -> tuple[Step, ...]:
        ground = tuple(self._grounded())
        return (
            *([Map("ground", "motion of the base", ground)] if ground else []),
            *self.arms(),
            Sweep("outward", "motion, root to tips", tuple(self.moved())),
            Sweep("inward", "wrenches, tips to root", tuple(self.wrenches())),
            Map("projected", "wrenches along the hinges", tuple(self.along())),
            Map("forces", "force in every hinge", tuple(self.forces())),
            Map("needed", "forces needed in every hinge", tuple(self.required())),
            Map("hinge_loads", "loads at every hinge", tuple(self.wrench_loads())),
        )

    @property
    def wrenched(self) -> tuple[str, ...]:  # type: ignore[override]
        ground = ("ground",) if self.model.base else ()
        return (*ground, *(step.name for step in self.arms()), "outward", "inward", "projected")

    def motion(self, placed: bool) -> tuple[str, ...]:
        spins = ("spins",) if self.turning or self.loops.borne else ()
        return (*based(self), "relatives", *spins, "places")

    def arms(self) -> tuple[Step, ...]:
        """What of the links' places the recursion needs besides."""
        return ()

    def at_base(self, array: str, link: Link) -> Ref | sp.Matrix:
        """A parent's value of an array of the representation, or the ground's."""
        if link.parent is not None:
            return Ref(array, link.parent)
        if self.model.base is not None:
            return Ref(f"{array}0", "")
        still = {port.name: sp.zeros(port.rows, port.cols) for port in self.ports()}
        gravity = self.ground.gravity
        still |= {x: gravity.col_join(sp.zeros(self.space.spins, 1)) * -1 for x in ("acc", "Vds")}
        return still[array]

    @abstractmethod
    def ports(self) -> tuple[Port, ...]:
        """What a link's motion is in the representation."""

    def arrays(self) -> Iterable[Array]:
        n = self.space.motion
        for port in self.ports():
            yield Array(port.name, "links", port)
            if self.model.base is not None:
                yield Array(f"{port.name}0", "system", Port(f"{port.name}0", port.rows, port.cols))
        for name in ("lam", "lt", "screw"):
            yield Array(name, "links", Port(name, n))
        for freedom in self.freedoms():
            yield Array(f"P{freedom}", "links", Port(f"P{freedom}", freedom))

    def _grounded(self) -> Iterable[Call]:
        if self.model.base is not None:
            kernel = kernels.base(self.of, self.dimension)
            reads = {port.name: Ref(port.name, "") for port in kernel.inputs}
            writes = {port.name: Ref(port.name, "") for port in kernel.outputs}
            yield Call(kernel, "", reads, writes)

    @abstractmethod
    def carrying(self, link: Link) -> tuple[Kernel, dict[str, Ref | sp.Matrix]]:
        """The kernel of a link's motion, and what it reads of its parent."""

    def moved(self) -> Iterable[Call]:
        """The motion of every link."""
        for link in self.outward():
            kernel, reads = self.carrying(link)
            known = self._own_of(kernel, link) | reads
            for j, name in enumerate(self.speeds(link), 1):
                known |= {f"ad_{j}": Ref("ad", name), f"u_{j}": Ref("v", name)}
            reads = {port.name: known[port.name] for port in kernel.inputs}
            yield Call(kernel, link.name, reads, self.own(link, *(x.name for x in kernel.outputs)))

    def fixed(self, link: Link) -> bool:
        """Has the link's hinge one freedom, of a screw that is fixed in the link?"""
        hung = self.hung[link.name]
        steady = joint(self.dimension, hung.hinge.kind).steady(hung.backward)
        return steady and self.freedom(link) == 1

    def demanded(self, inputs: int, pushes: int, held: tuple[int, ...]) -> Kernel:
        return kernels.wrench(self.of, self.dimension, inputs, self.loaded, pushes, held)

    def along(self) -> Iterable[Call]:
        """Hᵀ λ of every hinge that moves."""
        for link in self.plan.links:
            motion = self.hung[link.name].hinge.motion
            count = len(motion) or self.freedom(link)
            if count:
                by_screw = self.fixed(link) and self.of != "mixed"
                kernel = kernels.projected(self.of, self.dimension, count, by_screw)
                reads = self._own_of(kernel, link)
                yield Call(kernel, link.name, reads, self.own(link, f"P{count}"))

    def wrench_loads(self) -> Iterable[Call]:
        kernel = kernels.load(self.of, self.dimension)
        for link in self.plan.links:
            writes = {"load": Ref("loads", f"{link.name}:{link.output}")}
            yield Call(kernel, link.name, self._own_of(kernel, link), writes)


class SpatialWriter(RepresentationWriter):
    """Twists and wrenches at the inertial origin: wrenches just add up."""

    algorithm, of = "rnea-spatial", "spatial"
    title = "inverse dynamics in spatial representation"
    arriving = "lam"

    def ports(self) -> tuple[Port, ...]:
        return tuple(Port(name, self.space.motion) for name in ("Vs", "Vds"))

    def carrying(self, link: Link) -> tuple[Kernel, dict[str, Ref | sp.Matrix]]:
        reads = {"Vp": self.at_base("Vs", link), "Vdp": self.at_base("Vds", link)}
        return kernels.spatial(self.dimension, self.freedom(link), self.fixed(link)), reads

    def wrenches(self) -> Iterable[Call]:
        yield from map(self._wrench, self.plan.links)


class HybridWriter(RepresentationWriter):
    """Twists and wrenches at the links' origins, in inertial axes."""

    algorithm, of = "rnea-hybrid", "hybrid"
    title = "inverse dynamics in hybrid representation"

    def ports(self) -> tuple[Port, ...]:
        d = self.dimension
        return Port("o", self.space.spins), Port("acc", self.space.motion), Port("B", d, d)

    def arrays(self) -> Iterable[Array]:
        yield from super().arrays()
        yield Array("d", "links", Port("d", self.dimension))

    def arms(self) -> tuple[Step, ...]:
        return (Map("arms", "from every link's parent to it", tuple(self._arms())),)

    def _arms(self) -> Iterable[Call]:
        kernel = kernels.arm(self.dimension)
        for link in self.plan.links:
            reads = self.own(link, "r") | {"Ap": self.of_parent("A", link)}
            yield Call(kernel, link.name, reads, self.own(link, "d"))

    def carrying(self, link: Link) -> tuple[Kernel, dict[str, Ref | sp.Matrix]]:
        named = {"op": "o", "ap": "acc", "Bp": "B"}
        reads = {name: self.at_base(array, link) for name, array in named.items()}
        return kernels.hybrid(self.dimension, self.freedom(link), self.fixed(link)), reads

    def wrenches(self) -> Iterable[Call]:
        transmit = kernels.hybrid_transmit(self.dimension)
        for link in self.plan.links:
            yield self._wrench(link)
            yield Call(transmit, link.name, self._own_of(transmit, link), self.own(link, "lt"))


class MixedWriter(RepresentationWriter):
    """Velocities and forces in inertial axes, angular velocities and moments in the links'."""

    algorithm, of = "rnea-mixed", "mixed"
    title = "inverse dynamics in mixed representation"
    turning = True

    def ports(self) -> tuple[Port, ...]:
        return Port("acc", self.space.motion), Port("B", self.dimension, self.dimension)

    def at_base(self, array: str, link: Link) -> Ref | sp.Matrix:
        """The moving base's B is its own: there is no other."""
        if array == "B" and link.parent is None:
            return self.of_parent("B", link)
        return super().at_base(array, link)

    def carrying(self, link: Link) -> tuple[Kernel, dict[str, Ref | sp.Matrix]]:
        way, pose = self.way(link.name)
        reads = pose | {"ap": self.at_base("acc", link), "Bp": self.at_base("B", link)}
        reads |= {"wp": self.of_parent("w", link), "Ap": self.of_parent("A", link)}
        return kernels.mixed(self.dimension, self.freedom(link), self.fixed(link), way), reads

    def wrenches(self) -> Iterable[Call]:
        for link in self.plan.links:
            yield self._wrench(link)
            way, pose = self.way(link.name)
            transmit = kernels.mixed_transmit(self.dimension, way)
            known = self._own_of(transmit, link) | pose | {"Ap": self.of_parent("A", link)}
            reads = {port.name: known[port.name] for port in transmit.inputs}
            yield Call(transmit, link.name, reads, self.own(link, "lt"))


def spatial_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """Inverse dynamics in spatial representation; arguments and results as `inverse_program`.

    Frame
        Inside: inertial axes, all twists and wrenches at the inertial origin.
    Raises
        UsageError: the model has beams.
    Source
        Screw paper (69)-(72), with `Wapp` subtracted and several freedoms in a hinge.
    """
    return inverse_of(SpatialWriter(plan, forced), runtime)


def hybrid_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """Inverse dynamics in hybrid representation; arguments and results as `inverse_program`.

    Frame
        Inside: inertial axes, every link's twist and wrench at its origin.
    Raises
        UsageError: the model has beams.
    Source
        Screw paper (73), (76), (77), with `Wapp` subtracted and several freedoms in a hinge.
    """
    return inverse_of(HybridWriter(plan, forced), runtime)


def mixed_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """Inverse dynamics in mixed representation; arguments and results as `inverse_program`.

    In the plane, where no angular quantity turns, it is the hybrid one but for where arms turn.

    Frame
        Inside: accelerations of origins and forces inertial, angular quantities in link axes.
    Raises
        UsageError: the model has beams.
    Source
        Screw paper (57), (58); the recursion is own.
    """
    return inverse_of(MixedWriter(plan, forced), runtime)
