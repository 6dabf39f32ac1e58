"""Accelerations of small trees from their bias: the shortest way to them alone.

Where the hinges do not accelerate, the bodies still do, by gravity and by the products of their
speeds: that is their bias acceleration. One sweep outwards gives it and what it demands of every
body; what is left is linear in the hinges' accelerations, with everything at rest: the inward
sweep eliminates them from `IAb`, `pAb`, and the outward one starts from a ground that does not
move. No inertia meets a bias, and no load is known, so that the bodies' constants are
regrouped (see `regroup`).

In a long chain the bias is large and what the hinges add cancels it, half a digit a link, so this
is for shallow trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from ...language.program import Call, Map, Step, Sweep
from ...language.walk import Action, Binding, Place
from ...plans.plan import Link
from ...tree import inverse_kernels, recursion_kernels
from ...tree.joint import Joint
from ..regroup import Apart, Inertia, regrouped, shallow, tell_apart

#: What the recursion computes of links, which regrouped constants change.
ARRAYS = frozenset(("IA", "pA", "IAh", "pAh", "IAt", "pAt", "G", "k", "km", "acc", "a0"))

#: The steps of this way to the accelerations.
OTHER_WAY = ("biased", "demands", "inward_b", "met_b", "started_b", "outward_b")

#: Ports of a hinge's motion that are zero at rest.
STILL = frozenset(("wp", "vr", "wr", "br", "bw", "gam"))


def apart_of(tree: Joint) -> Apart:
    """The values of a shorter way, also those of coordinates that hinges share."""
    return Apart(ARRAYS, tree.shared.arrays() if tree.shared else ())


class Bias:
    """The sweeps; arrays end in 0 without the hinges' accelerations, in b for what these add."""

    def __init__(
        self, tree: Joint, values: Mapping[sp.Symbol, sp.Expr], regroup: bool = True
    ) -> None:
        self.tree = tree
        self.dimension = tree.dimension
        plain = {name: Inertia.of(data) for name, data in tree.data.items()}
        self.data: Mapping[str, Inertia] = regrouped(tree, values) if regroup else plain
        tell_apart(tree, self.data)
        self.apart = apart_of(tree)

    @staticmethod
    def serves(tree: Joint) -> bool:
        """Is the model a tree of rigid bodies, not too deep, each held by the one inside it?

        What moves in every way relative to its parent, or to the ground, takes nothing from its
        bias: that would be added and taken off again.
        """
        if tree.model.beams or tree.loops.size:
            return False
        loose = any(tree.freedom(link) == tree.space.motion for link in tree.links)
        return not loose and shallow(tree)

    def biased(self) -> Iterator[Step]:
        """How the bodies accelerate if the hinges do not, and what that demands of them."""
        biased = self.tree.outward(self._bias)
        yield Sweep("biased", "bias accelerations, root to tips", biased)
        yield Map("demands", "wrenches of the bias", self.tree.inward(self._demand))

    def at_rest(self) -> Iterator[Step]:
        """The recursion for what the hinges' accelerations add."""
        yield Sweep("inward_b", "Riccati recursion at rest", self.tree.inward(self._inward))
        yield from ended(self.tree, self._opened, "_b", " beyond the bias")
        title = "accelerations beyond the bias"
        yield Sweep("outward_b", title, self.tree.outward(self._outward))

    def _bias(self, link: Link) -> Iterator[Action]:
        kernel = inverse_kernels.carry.at(self.tree, link, freedom=0)
        above = {"ap": Place("acc0", "parent"), "Bp": Place("B0", "parent")}
        writes = {"acc": Place("acc0", "own"), "B": Place("B0", "own")}
        yield self.tree.bound(kernel, link, above if link.parent else {}, writes)

    def _demand(self, link: Link) -> Iterator[Action]:
        kernel = inverse_kernels.wrench.at(self.tree, link, input_count=0, cuts=())
        reads = {**self.data[link.name].ports, "acc": Place("acc0", "own"), "B": Place("B0", "own")}
        yield self.tree.bound(kernel, link, reads, {"lam": Place("lam0", "own")})

    def _inward(self, link: Link) -> Iterator[Action | Call]:
        tree, inputs = self.tree, len(link.inputs)
        yield from self._opened(tree.shared.gathered(link))
        reads: dict[str, Binding] = {**self.data[link.name].ports, "lam": Place("lam0", "own")}
        reads |= {name: self.apart.at(ref) for name, ref in tree.shared.closings(link).items()}
        for k in range(1, inputs + 1):
            reads |= {f"{x}_I{k}": Place(f"{x}b", f"input {k}") for x in ("IAt", "pAt")}
        kernel = recursion_kernels.resting.at(tree, link)
        yield tree.bound(kernel, link, reads, _based("IA", "pA"))
        kernel = tree.through(link)
        ports = (port for port in kernel.inputs if port.name in STILL)
        reads = {port.name: sp.zeros(port.rows, port.cols) for port in ports}
        written = _based(*(port.name for port in kernel.outputs))
        yield tree.bound(kernel, link, reads | _based("IA", "pA"), written)
        yield from self._opened(tree.shared.passed(link))

    def _outward(self, link: Link) -> Iterator[Action | Call]:
        tree, freedom = self.tree, self.tree.freedom(link)
        still = sp.zeros(tree.space.motion, 1)
        reads: dict[str, Binding] = {**_based(f"G{freedom}", f"k{freedom}"), "gam": still}
        reads["ap"] = Place("accb", "parent") if link.parent else still
        yield from self._opened(tree.shared.known(link))
        known, kept = tree.shared.rates(link)
        reads |= {name: self.apart.at(binding) for name, binding in known.items()}
        kernel = recursion_kernels.accelerate.at(tree, link)
        yield tree.bound(kernel, link, reads, {**_based("acc", "a0"), **kept})
        yield from self._opened(tree.shared.ended(link))

    def _opened(self, calls: Iterable[Call]) -> Iterator[Call]:
        """What is done with open coordinates, at rest."""
        for call in calls:
            shapes = {port.name: (port.rows, port.cols) for port in call.kernel.inputs}
            still = {*shapes} & (STILL if call.member else {*STILL, "acc"})
            zeros = {name: sp.zeros(*shapes[name]) for name in still}
            yield self.apart.call(replace(call, reads={**call.reads, **zeros}))


def ended(
    tree: Joint,
    made: Callable[[Iterable[Call]], Iterable[Call]],
    suffix: str = "",
    said: str = "",
) -> Iterator[Step]:
    """What is done with shared coordinates that end at the ground, between the sweeps.

    `made` of it are the calls of a way of its own.
    """
    title = f"shared coordinates that end at the ground{said}"
    yield Sweep(f"met{suffix}", title, tuple(made(tree.shared.grounded())))
    title = f"their accelerations{said}"
    yield Sweep(f"started{suffix}", title, tuple(made(tree.shared.started())))


def _based(*names: str) -> dict[str, Place]:
    """The link's own values of the arrays of this way."""
    return {name: Place(f"{name}b", "own") for name in names}
