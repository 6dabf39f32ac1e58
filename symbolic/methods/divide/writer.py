"""The calls of the divide-and-conquer methods on bodies and on the assembly tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Hinge
from ...language.program import Call, Kernel, Ref
from ...mechanics.constants import LinkConstants
from ...plans import assembly
from ...plans.assembly import Assembly, Node
from ...plans.plan import Link
from ...tree.acting import Reads
from ...tree.conditions import taken
from ...tree.cut_kernels import CutHinge
from ...tree.joint import Joint
from . import cut_kernels as dcacuts
from . import kernels as dcakernels
from . import merge_kernels
from .cut_kernels import Ends
from .kernels import Shape
from .merge_kernels import Merge
from .supported import Way, refuse


@dataclass(frozen=True)
class Inverses:
    """Of a body's mass and of its inertia about its centre of mass."""

    mass: sp.Matrix
    central: sp.Matrix


class Scheme:
    """A plan and its assembly tree, and the calls over both.

    What is solved for carries a letter: `h` velocities from momenta, `d` accelerations, `c`
    corrections of what the cuts open at.
    """

    def __init__(self, tree: Joint, algorithm: str, assembled: str | None = None) -> None:
        self.plan = plan = tree.plan
        self.tree = tree
        self.dimension = d = plan.model.dimension
        self.space = tree.space
        refuse(tree, algorithm)
        self.inverses: dict[int, Inverses] = {}
        self.ways = {link.name: self._way(link, algorithm) for link in plan.links}
        self.cuts = {hinge.name: hinge for hinge in plan.cuts if CutHinge.of(d, hinge).count}
        self.cut_ends = {hinge.name: self._cut_ends(hinge) for hinge in self.cuts.values()}
        self.links_of = {link.hinge: link for link in plan.links}
        names = [link.name for link in plan.links]
        joints = list(self._joints())
        self.assembly: Assembly = (
            assembly.balanced(names, joints)
            if assembled is None
            else assembly.given(assembled, names, joints)
        )
        self.at: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
        for node in self.assembly.leaves:
            if node.name in self.at:
                self.at[node.name] = node.open

    def _way(self, link: Link, algorithm: str) -> Way:
        attached = self.tree.attachment(link)
        way = Way.of(self.dimension, attached.hinge, attached.backward)
        if way is None:
            other = Way.of(self.dimension, attached.hinge, not attached.backward)
            side = ", described from this side," if other else ""
            raise UsageError(
                f"{algorithm} takes no {attached.hinge.kind} hinge{side} "
                f"(hinge {attached.hinge.name}): what it lets move turns in both bodies"
            )
        return way

    def _cut_ends(self, hinge: Hinge) -> Ends:
        bodies = "".join(
            side for side, end in zip("ab", hinge.ends, strict=True) if end.body != GROUND
        )
        return Ends(CutHinge.of(self.dimension, hinge), bodies)

    def _joints(self) -> Iterable[assembly.Joint]:
        for link in self.plan.links:
            pred = GROUND if link.parent is None else link.parent
            yield assembly.Joint(link.hinge, pred, link.name, self.ways[link.name].D.cols)
        for hinge in self.cuts.values():
            first, second = (end.body for end in hinge.ends)
            yield assembly.Joint(hinge.name, first, second, self.cut_ends[hinge.name].hinge.count)

    def outward(self) -> Iterable[Link]:
        """The links from the root to the tips."""
        return reversed(self.plan.links)

    def freedom(self, link: Link) -> int:
        return int(self.ways[link.name].H.cols)

    def width(self, link: Link) -> int:
        return int(self.ways[link.name].D.cols)

    def shape(self, link: Link) -> Shape:
        way = self.ways[link.name]
        return Shape(way.H.cols, way.D.cols, link.parent is None, way.complete)

    def speeds(self, link: Link) -> tuple[str, ...]:
        return self.tree.model.hinge_speeds(self.tree.hinge(link))

    def of_parent(self, array: str, link: Link) -> Ref | sp.Matrix:
        """A value of the link's parent; the ground rests at the origin."""
        if link.parent is not None:
            return Ref(array, link.parent)
        d, s = self.dimension, self.space.spins
        return sp.eye(d) if array == "A" else sp.zeros(s if array == "wI" else d, 1)

    def constants(self, link: Link) -> Reads:
        """The link's inertia and the directions of its hinge, by the names of the kernels."""
        data, way = self.tree.data[link.name], self.ways[link.name]
        inverses = self._inverses(data)
        known: Reads = {"m": data.mass, "im": inverses.mass, "rC": data.centre}
        known |= {"JC": data.central, "g": self.tree.ground.gravity}
        known |= {"H": way.H, "Hp": way.Hp, "D": way.D, "K": self.tree.attachment(link).entry}
        known["B"] = Ref("Bc" if way.parental else "A", link.name)
        known["wc"] = self.of_parent("wI", link) if way.parental else Ref("wI", link.name)
        if self.dimension == 2:
            known["Ji"] = inverses.central
        return known

    def _inverses(self, data: LinkConstants) -> Inverses:
        """The inverse mass and inertia, once for all links with the same data."""
        if id(data) not in self.inverses:
            self.inverses[id(data)] = Inverses(data.mass.inv(), data.central.inv())
        return self.inverses[id(data)]

    def own(self, kernel: Kernel, link: Link, known: Reads) -> Reads:
        """All of a kernel's inputs: from what is known, else the link's own arrays."""
        known = self.constants(link) | known
        return {
            port.name: known.get(port.name, Ref(port.name, link.name)) for port in kernel.inputs
        }

    def call(self, kernel: Kernel, link: Link, known: Reads | None = None, **writes: Ref) -> Call:
        """A kernel at a link, its outputs written to arrays of their names or to `writes`."""
        targets = {port.name: Ref(port.name, link.name) for port in kernel.outputs}
        return Call(kernel, link.name, self.own(kernel, link, known or {}), targets | writes)

    def geometry(self) -> Iterable[Call]:
        """Arms and axes of all links in inertial axes."""
        d = self.dimension
        for link in self.outward():
            yield self.call(dcakernels.geometry(d), link)
            parent: Reads = {"Ap": self.of_parent("A", link)}
            yield self.call(dcakernels.reach(d), link, parent)
            if self.ways[link.name].parental:
                yield self.call(dcakernels.carrier(d), link, parent)
            if d == 3:
                inverses = self._inverses(self.tree.data[link.name])
                yield self.call(dcakernels.mobility(), link, {"JCi": inverses.central})

    def columns(self) -> Iterable[Call]:
        """The directions of all joints at the bodies."""
        for link in self.outward():
            kernel = dcakernels.columns(self.dimension, self.shape(link))
            yield self.call(kernel, link, {"cp": self.of_parent("ce", link)})
        for name, ends in self.cut_ends.items():
            kernel = dcacuts.cut_columns(ends)
            yield self._cut_call(kernel, self.cuts[name], {})

    def _cut_call(self, kernel: Kernel, hinge: Hinge, known: Reads, **writes: Ref) -> Call:
        known = self._sides(hinge) | known
        targets = {port.name: Ref(port.name, hinge.name) for port in kernel.outputs}
        return Call(kernel, hinge.name, taken(kernel, known), targets | writes)

    def _sides(self, hinge: Hinge, motion: str = "") -> Reads:
        """Both sides of a cut: place and motion of the bodies, and the cut's point and axes."""
        known: Reads = {}
        place = self.tree.loops.sides(hinge)
        for side, end in zip("ab", hinge.ends, strict=True):
            known |= {f"r{side}": place[f"r{side}"], f"K{side}": place[f"K{side}"]}
            if end.body != GROUND:
                known |= {f"{x}{side}": Ref(x, end.body) for x in ("A", "ce", "x")}
                known[f"V{side}"] = Ref(motion, end.body)
        return known

    def joint_columns(self, name: str, body: str) -> Ref:
        """W of a joint at a body."""
        width = self.assembly.joints[name].width
        if name in self.cuts:
            side = "ab"[[end.body for end in self.cuts[name].ends].index(body)]
            return Ref(f"W{side}{width}", name)
        link = self.links_of[name]
        return Ref(f"W{'s' if link.name == body else 'p'}{width}", link.name)

    def _held(self, body: str) -> Reads:
        """W of all joints of a body, numbered."""
        return {f"W_{k}": self.joint_columns(x, body) for k, x in enumerate(self.at[body], 1)}

    def _widths(self, joints: Iterable[str]) -> tuple[int, ...]:
        return tuple(self.assembly.joints[name].width for name in joints)

    def leaves(self) -> Iterable[Link]:
        """The links with constraining joints, in the order of the assembly."""
        for node in self.assembly.leaves:
            if node.name in self.at and node.open:
                yield self.plan.link(node.name)

    def coefficients(self) -> Iterable[Call]:
        """Ξ of all bodies, then of all nodes."""
        for link in self.leaves():
            widths = self._widths(self.at[link.name])
            kernel = dcakernels.leaf(self.dimension, widths)
            target = Ref(f"Xi{sum(widths)}", link.name)
            yield self.call(kernel, link, self._held(link.name), Xi=target)
        for node in self.assembly.merges:
            shape = self.merge(node)
            kernel = merge_kernels.merge(shape)
            reads = {
                f"Xi{x}": self._node(part, "Xi") for x, part in zip("AB", node.parts, strict=True)
            }
            yield Call(kernel, node.name, reads, self._merged(kernel, node, ""))

    def merge(self, node: Node) -> Merge:
        """How the parts of a node are merged."""
        first, second = (self.assembly.by_name[part].open for part in node.parts)
        joined = tuple((first.index(name), second.index(name)) for name in node.joined)
        return Merge(self._widths(first), self._widths(second), joined)

    def _node(self, name: str, array: str, letter: str = "") -> Ref | sp.Matrix:
        size = self.assembly.width(self.assembly.by_name[name].open)
        if name == assembly.BASE:
            return sp.zeros(size, size if array == "Xi" else 1)
        return Ref(f"{array}{size}{letter}", name)

    def _merged(self, kernel: Kernel, node: Node, letter: str) -> dict[str, Ref]:
        m, left = self.assembly.width(node.joined), self.assembly.width(node.open)
        names = {"Xi": f"Xi{left}", "xi": f"xi{left}{letter}", "U": f"U{m}_{left}"}
        names |= {"l": f"l{m}", "inv": f"inv{m}", "P": f"P{m}", "G": f"G{m}", "s": f"s{m}{letter}"}
        return {
            port.name: Ref(names[port.name], node.name)
            for port in (*kernel.outputs, *kernel.inputs)
            if port.name in names
        }

    def solved(self, letter: str) -> Iterable[Call]:
        """From V0 and the joints' own biases to all multipliers and motions."""
        for link in self.leaves():
            yield self._leaf_bias(link, letter)
        for node in self.assembly.merges:
            kernel = merge_kernels.merge_bias(self.merge(node))
            known: Reads = dict(self._merged(kernel, node, letter))
            for x, part in zip("AB", node.parts, strict=True):
                known[f"xi{x}"] = self._node(part, "xi", letter)
            outputs = self._merged(kernel, node, letter)
            writes = {port.name: outputs[port.name] for port in kernel.outputs}
            yield Call(kernel, node.name, taken(kernel, known), writes)
        for node in reversed(self.assembly.merges):
            yield self._back(node, letter)
        for link in self.outward():
            widths = self._widths(self.at[link.name])
            kernel = dcakernels.motion(self.dimension, widths)
            known = self._held(link.name)
            known |= {
                f"sigma_{k}": self.multiplier(name, letter)
                for k, name in enumerate(self.at[link.name], 1)
            }
            known["V0"] = self._free(link, letter)
            yield self.call(kernel, link, known, V=Ref(f"motion_{letter}", link.name))

    def _free(self, link: Link, letter: str) -> Ref | sp.Matrix:
        return sp.zeros(self.space.motion, 1) if letter == "c" else Ref(f"free_{letter}", link.name)

    def _leaf_bias(self, link: Link, letter: str) -> Call:
        names = self.at[link.name]
        widths, biased = self._widths(names), tuple(self._biased(x, link, letter) for x in names)
        known = self._held(link.name) | {"V0": self._free(link, letter)}
        known |= {
            f"g_{k}": Ref(f"g{self.assembly.joints[x].width}{letter}", x)
            for k, x in enumerate(names, 1)
        }
        if letter == "c":
            kernel = dcakernels.still_bias(widths, biased)
        else:
            kernel = dcakernels.leaf_bias(self.dimension, widths, biased)
        target = Ref(f"xi{sum(widths)}{letter}", link.name)
        return self.call(kernel, link, known, xi=target)

    def _biased(self, name: str, link: Link, letter: str) -> bool:
        """Is the joint's own bias kept at this link? At the child, unless that is the ground."""
        if letter == "h" or (letter == "c" and name not in self.cuts):
            return False
        of = self.assembly.joints[name]
        return link.name == (of.pred if of.succ == GROUND else of.succ)

    def multiplier(self, name: str, letter: str) -> Ref:
        return Ref(f"sigma{self.assembly.joints[name].width}{letter}", name)

    def _back(self, node: Node, letter: str) -> Call:
        shape = self.merge(node)
        kernel = merge_kernels.back(shape)
        known: Reads = dict(self._merged(kernel, node, letter))
        for x, part in zip("AB", node.parts, strict=True):
            for k, name in enumerate(self.assembly.by_name[part].open, start=1):
                known[f"sigma{x}_{k}"] = self.multiplier(name, letter)
        writes = {f"sigma_{k}": self.multiplier(x, letter) for k, x in enumerate(node.joined, 1)}
        return Call(kernel, node.name, taken(kernel, known), writes)

    def hinge_speeds(self, letter: str, result: str) -> Iterable[Call]:
        """The speeds of all hinges (or their rates) from the bodies' motions."""
        for link in self.plan.links:
            names = self.speeds(link)
            if names:
                f = len(names)
                kernel = dcakernels.speeds(
                    self.dimension, f, link.parent is None, biased=letter == "d"
                )
                known: Reads = {"Zs": Ref(f"Zs{f}", link.name), "Zp": Ref(f"Zp{f}", link.name)}
                known |= {"V": Ref(f"motion_{letter}", link.name), "h": Ref(f"h{f}", link.name)}
                known["Vp"] = self.of_parent(f"motion_{letter}", link)
                writes = {f"u_{j}": Ref(result, name) for j, name in enumerate(names, 1)}
                yield self.call(kernel, link, known, **writes)
