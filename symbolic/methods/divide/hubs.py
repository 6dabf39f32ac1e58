"""The calls of hubs, which take branches in two by two before they are leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ...language.program import Call, Ref
from ...language.walk import Binding
from ...mechanics.traced import Traced
from ...plans.assembly import Assembly, Node, added
from ...tree.acting import Reads
from ...tree.conditions import taken
from ...tree.joint import Joint
from . import hub_kernels as kernels


def sums(tree: Assembly, hub: Node) -> list[tuple[str, str, str]]:
    """The sums over a hub's branches, two by two by level: a name and its terms, the whole last."""
    pairs, _ = added([tree.by_name[name].level for name in hub.raked])
    terms = [*tree.raked(hub), *(f"{hub.name} {k}" for k in range(1, len(pairs) + 1))]
    return [(terms[len(hub.raked) + k], terms[i], terms[j]) for k, (i, j) in enumerate(pairs)]


def summed(tree: Assembly) -> tuple[str, ...]:
    """What is summed at hubs: the joints of their branches, and the sums."""
    hubs = [node for node in tree.leaves if node.raked]
    joints = [name for hub in hubs for name in tree.raked(hub)]
    return (*joints, *(name for hub in hubs for name, *_ in sums(tree, hub)))


class Hubs:
    """The hubs of a tree."""

    def __init__(self, tree: Joint, assembly: Assembly, held: Callable[[str, str], Ref]) -> None:
        """`held` is W of a joint at a body."""
        self.tree, self.assembly, self.held = tree, assembly, held

    def _branches(self, hub: Node) -> Iterator[tuple[str, str, int]]:
        """The joint of every branch, its node and its width."""
        for name in hub.raked:
            (joint,) = self.assembly.by_name[name].open
            yield joint, name, self.assembly.joints[joint].width

    def _branch(self, rule: Traced, hub: Node, letter: str, motion: str = "") -> Iterable[Call]:
        """A kernel at every branch."""
        for joint, node, m in self._branches(hub):
            arrays = {"l": f"lb{m}", "inv": f"invb{m}", "U": f"Ub{m}", "s": f"sb{m}{letter}"}
            arrays |= {
                "Ib": "Ib",
                "pb": f"pb{letter}",
                "Fb": f"Fb{letter}",
                "sigma": f"sigma{m}{letter}",
            }
            own = {port: Ref(array, joint) for port, array in arrays.items()}
            known: Reads = {**own, "W": self.held(joint, hub.name)}
            known |= {"Xi": Ref(f"Xi{m}", node), "xi": Ref(f"xi{m}{letter}", node)}
            known["V"] = Ref(motion, hub.name)
            kernel = rule.of(dimension=self.tree.dimension, width=m)
            writes = {port.name: own[port.name] for port in kernel.outputs}
            yield Call(kernel, joint, taken(kernel, known), writes)

    def _sums(self, hub: Node, word: str, letter: str = "") -> Iterable[Call]:
        kernel = kernels.two.of(dimension=self.tree.dimension, word=word)
        array = f"{word}{letter}"
        for name, *terms in sums(self.assembly, hub):
            reads: Reads = {f"{word}_{k}": Ref(array, x) for k, x in enumerate(terms, 1)}
            yield Call(kernel, name, reads, {word: Ref(array, name)})

    def whole(self, hub: str, array: str) -> Ref:
        """What all branches of a hub add together."""
        node = self.assembly.by_name[hub]
        every = [*self.assembly.raked(node), *(x[0] for x in sums(self.assembly, node))]
        return Ref(array, every[-1])

    def coefficients(self, hub: Node) -> Iterable[Call]:
        """Φ and Ξ of a hub."""
        tree, link = self.tree, self.tree.plan.link(hub.name)
        yield from self._branch(kernels.branch, hub, "")
        yield from self._sums(hub, "Ib")
        known: dict[str, Binding] = {"Ib": self.whole(hub.name, "Ib")}
        yield tree.call(kernels.mobility.at(tree, link), link, known)
        xi = {"Xi": Ref(f"Xi{self.assembly.width(hub.open)}", hub.name)}
        yield tree.call(kernels.leaf.at(tree, link), link, writes=xi)

    def biases(self, hub: Node, part: str, free: Binding) -> Iterable[Call]:
        """The motion of a hub without its open joints, from that without constraint wrenches."""
        tree, link = self.tree, self.tree.plan.link(hub.name)
        yield from self._branch(kernels.branch_bias, hub, part)
        yield from self._sums(hub, "pb", part)
        known: dict[str, Binding] = {"V0": free}
        known["pb"] = self.whole(hub.name, f"pb{part}")
        yield tree.call(
            kernels.free.at(tree, link), link, known, {"Vh": Ref(f"hub_{part}", hub.name)}
        )

    def back(self, hub: Node, part: str, sigma: Mapping[str, Binding]) -> Iterable[Call]:
        """The multipliers of the branches of a hub, from its motion and its open joints' σ."""
        tree, link = self.tree, self.tree.plan.link(hub.name)
        known = {**sigma, "Vh": Ref(f"hub_{part}", hub.name)}
        found = f"hubs_{part}"
        yield tree.call(kernels.motion.at(tree, link), link, known, {"V": Ref(found, hub.name)})
        yield from self._branch(kernels.back, hub, part, found)
        yield from self._sums(hub, "Fb", part)
