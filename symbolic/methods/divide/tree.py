"""What the names of ports mean in the divide-and-conquer methods: at links, joints and nodes.

===========  ===========================================================================
`H`, `D`     what the link's hinge lets move, and holds (see `Way`), in the axes `B`
`W_k`        what the k-th joint of a body holds, at its centre of mass
`P_k`        the k-th wrench of loads and forces on the body
`cep`, `vxp` a value of the parent: its centre of mass, the velocity of its origin
===========  ===========================================================================

What is solved for carries a letter: `h` velocities from momenta, `d` accelerations, `c`
corrections of what the cuts open at. A number after it is a part: what was found first, and what
each refinement adds.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ....model import GROUND
from ...language.program import Call, Kernel, Ref
from ...language.walk import Action, Binding, Place, Walk
from ...mechanics.letters import PARENTS
from ...mechanics.traced import Traced
from ...plans import assembly
from ...plans.assembly import Assembly, Node
from ...plans.assembly_text import given
from ...plans.contraction import balanced
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.conditions import taken
from ...tree.cut_kernels import CutHinge
from ...tree.joint import BY_SPEED, Joint
from . import kernels, merge_kernels
from .along import Along
from .cut_kernels import Ends
from .digits import refinements
from .hubs import Hubs
from .merge_kernels import Merge
from .supported import Way, refuse, refuse_hubs

_NUMBERED = re.compile(r"([WP])_(\d+)")

#: The index sets of arrays at nodes, merges, joints and cuts: by their sizes.
SETS = {
    r"[Xx]i(\d+)(?:[hdc]\d*)?": "nodes",
    r"(?:l|inv|P|G|s)(\d+)(?:[hdc]\d*)?": "merges",
    r"U(\d+_\d+)": "merges",
    r"(?:g|sigma|d)(\d+)(?:[hdc]\d*)?": "joints",
    r"W[ab]\d+|X[ab]()": "cuts",
    r"(?:lb|invb|Ub|sb)(\d+)(?:[hdc]\d*)?": "branches",
    r"run_(?:C|ar|ws|vs)_(\d+)": "runs",
    r"run_(?:fs|mt|ps|lt)[hv]?_(\d+)": "inward_runs",
    r"run_(?:fs|mt|ps|lt)[hv]?()": "branch_sums",
    r"sum_E()": "sums",
    r"Ib|(?:pb|Fb)[hdc]\d*()": "summed",
}


class Divided(Joint):
    """The links of a tree with their joints, and the assembly tree over them."""

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "cep": "ce", "vxp": "vx", "wIp": "wI"}
    by_speed: ClassVar[Mapping[str, str]] = {**BY_SPEED, "p": "mom", "pd": "pd"}

    def __init__(
        self,
        plan: Plan,
        forced: bool,
        loaded: bool | None,
        algorithm: str,
        assembled: str | None = None,
    ) -> None:
        super().__init__(plan, forced, loaded)
        self.algorithm = algorithm
        refuse(self, algorithm)
        self.ways = {link.name: self._way(link) for link in plan.links}
        d = self.dimension
        self.cuts = {hinge.name: hinge for hinge in plan.cuts if CutHinge.of(d, hinge).count}
        self.cut_ends = {
            name: Ends(
                CutHinge.of(d, hinge),
                "".join(
                    side for side, end in zip("ab", hinge.ends, strict=True) if end.body != GROUND
                ),
            )
            for name, hinge in self.cuts.items()
        }
        self.links_of = {link.hinge: link for link in plan.links}
        names, joints = [link.name for link in plan.links], list(self._joints())
        self.refinements = refinements(self.model)
        self.assembly: Assembly = (
            balanced(names, joints, raking=not self.refinements)
            if assembled is None
            else given(assembled, names, joints)
        )
        refuse_hubs(self.assembly, self.model, algorithm)
        self.at: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
        self.at |= {node.name: node.open for node in self.assembly.leaves if node.name in self.at}
        leaves = self.assembly.leaves
        self.raked = {x: node.name for node in leaves for x in self.assembly.raked(node)}
        self.hub_names, self.hubs = {*self.raked.values()}, Hubs(self, self.assembly, self.held)
        self.along = Along(self)

    def _way(self, link: Link) -> Way:
        attached = self.attachment(link)
        way = Way.of(self.dimension, attached.hinge, attached.backward)
        if way is None:
            other = Way.of(self.dimension, attached.hinge, not attached.backward)
            nearer = "child" if attached.backward else "parent"
            side = f" whose {nearer} is the body nearer to the ground" if other else ""
            raise UsageError(
                f"{self.model.name}: {self.algorithm} takes no {attached.hinge.kind} hinge{side} "
                f"(hinge {attached.hinge.name}), for what it lets move stands still in neither "
                "body; use riccati"
            )
        return way

    def _joints(self) -> Iterable[assembly.Joint]:
        for link in self.plan.links:
            pred = GROUND if link.parent is None else link.parent
            yield assembly.Joint(link.hinge, pred, link.name, self.ways[link.name].D.cols)
        for hinge in self.cuts.values():
            first, second = (end.body for end in hinge.ends)
            yield assembly.Joint(hinge.name, first, second, self.cut_ends[hinge.name].hinge.count)

    def width(self, link: Link) -> int:
        """Constraints of the link's joint."""
        return int(self.ways[link.name].D.cols)

    def made(self, kernel: Traced, **answers: Hashable) -> Kernel:
        """The kernel of what is no link."""
        return kernel.of(dimension=self.dimension, **answers)

    # The dictionary

    def kind(self, link: Link) -> Hashable:
        """Every link has a place of its own in the assembly."""
        return link.name

    def set_of(self, array: str) -> str:
        """Of what is not kept with a link, the nodes, joints or cuts."""
        for pattern, name in SETS.items():
            found = re.fullmatch(pattern, array)
            if found:
                return f"{name}{found[1] or ''}"
        return super().set_of(array)

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground rests at the origin."""
        if array in ("ce", "vx", "wI", "wh"):
            planes = self.space.spins if array in ("wI", "wh") else self.dimension
            return sp.zeros(planes, 1)
        return sp.zeros(self.space.motion, 1) if "motion" in array else super().grounded(array)

    def reads(self, name: str, link: Link) -> Binding | None:
        """The directions of the link's joint, its mobility, and what acts on it."""
        way = self.ways[link.name]
        if name in ("H", "Hp", "D"):
            return {"H": way.H, "Hp": way.Hp, "D": way.D}[name]
        if name == "B":
            return Place("Bc" if way.parental else "A", "own")
        if name == "wc":
            return self.carrying("wI", link)
        inverses = self._inverses[id(self.data[link.name])]
        if name == "im":
            return inverses[0]
        if name == "JCi" or (name, self.dimension) == ("Ji", 2):
            return inverses[1]
        numbered = _NUMBERED.fullmatch(name)
        if numbered:
            k = int(numbered[2]) - 1
            loads = self.applied.on(link.name)
            return self.held(self.at[link.name][k], link.name) if numbered[1] == "W" else loads[k]
        return super().reads(name, link)

    @cached_property
    def _inverses(self) -> dict[int, tuple[sp.Matrix, sp.Matrix]]:
        """The inverse mass and inertia, once for all links with the same data."""
        return {id(x): (x.mass.inv(), x.central.inv()) for x in self.data.values()}

    def carrying(self, array: str, link: Link) -> Binding:
        """A value of what carries the axes B: the link, or its parent."""
        parental = self.ways[link.name].parental
        return self.of_parent(array, link) if parental else Place(array, "own")

    def held(self, name: str, body: str) -> Ref:
        """W of a joint at a body."""
        width = self.assembly.joints[name].width
        if name in self.cuts:
            side = "ab"[[end.body for end in self.cuts[name].ends].index(body)]
            return Ref(f"W{side}{width}", name)
        link = self.links_of[name]
        return Ref(f"W{'s' if link.name == body else 'p'}{width}", link.name)

    def multiplier(self, name: str, letter: str) -> Ref:
        """σ of a joint."""
        return Ref(f"sigma{self.assembly.joints[name].width}{letter}", name)

    def cuts_at(self, body: str) -> list[tuple[str, str]]:
        """The cuts at a body, each with the side that it is."""
        return [
            (name, side)
            for name, hinge in self.cuts.items()
            for side, end in zip("ab", hinge.ends, strict=True)
            if end.body == body
        ]

    def ways_at(self, link: Link, acting: bool = False) -> tuple[list[Link], dict[str, Binding]]:
        """The links whose hinges with speeds are at a link: its own, its children's; their Z."""
        found = [link, *map(self.plan.link, link.children)]
        found = [x for x in found if self.freedom(x) and (not acting or self.pushed(x))]
        return found, {
            f"Z_{k}": Ref(f"Z{'s' if x is link else 'p'}{self.freedom(x)}", x.name)
            for k, x in enumerate(found, 1)
        }

    # The assembly tree

    def widths(self, joints: Iterable[str]) -> tuple[int, ...]:
        """How many constraints each of some joints has."""
        return tuple(self.assembly.joints[name].width for name in joints)

    def coefficients(self) -> Iterable[Call]:
        """Ξ of all nodes."""
        for node in self.assembly.nodes:
            if node.parts:
                yield from self._reaches(node)
                yield self._merged(merge_kernels.merge, node, "")
            elif node.raked:
                yield from self.hubs.coefficients(node)
            elif node.open and not node.still:
                link = self.plan.link(node.name)
                xi = Ref(f"Xi{self.assembly.width(node.open)}", node.name)
                yield self.call(kernels.leaf.at(self, link), link, writes={"Xi": xi})

    def _reaches(self, node: Node) -> Iterable[Call]:
        """Of joints that close loops, what rank is decided against."""
        for name in () if self._merge(node).sound else node.joined:
            of, leaves = self.assembly.joints[name], list[tuple[int, int]]()
            reads: Reads = {}
            for body in of.bodies:
                at = self.at[body]
                size, start = (self.assembly.width(x) for x in (at, at[: at.index(name)]))
                leaves.append((size, start))
                reads[f"Xi_{len(leaves)}"] = Ref(f"Xi{size}", body)
            kernel = self.made(merge_kernels.reach, width=of.width, leaves=tuple(leaves))
            yield Call(kernel, name, reads, {"d": Ref(f"d{of.width}", name)})

    def solved(self, letter: str) -> Iterable[Call]:
        """From V0 and the joints' own biases to all multipliers and motions.

        Where levers are long or masses large, Ξ keeps few of their digits, and so do the
        multipliers, by which the joints open: each refinement solves for what closes them, and
        adds it to both.
        """
        count = self.refinements
        parts = [f"{letter}{k}" for k in range(count + 1)] if count else [letter]
        for k, part in enumerate(parts):
            before = parts[k - 1] if k else ""
            if before:
                yield from self._openings(letter, before, part)
            yield from self._part(part, before, letter if k == count else part)
        if count:
            for name, of in self._held:
                reads: Reads = {f"x_{k}": self.multiplier(name, x) for k, x in enumerate(parts, 1)}
                kernel = self.made(merge_kernels.total, width=of.width, parts=len(parts))
                yield Call(kernel, name, reads, {"x": self.multiplier(name, letter)})

    def _part(self, part: str, before: str, motion: str) -> Iterable[Call]:
        """Multipliers, and motions: V0 and what they add, or of a refinement the motions before."""
        for node in self.assembly.nodes:
            if node.parts:
                yield self._merged(merge_kernels.merge_bias, node, part)
                continue
            if node.raked:
                yield from self.hubs.biases(node, part, self.free(self.plan.link(node.name), part))
            if node.open and not node.still:
                yield self._leaf_bias(node, part, bool(before))
        for node in reversed(self.assembly.nodes):
            if node.parts:
                yield self._merged(merge_kernels.back, node, part)
            elif node.raked:
                yield from self.hubs.back(
                    node, part, self.multipliers(self.plan.link(node.name), part)
                )
        for link in reversed(self.plan.links):
            known = self.multipliers(link, part)
            known["V0"] = Ref(f"motion_{before}", link.name) if before else self.free(link, part)
            if link.name in self.hub_names:
                known["Fb"] = self.hubs.whole(link.name, f"Fb{part}")
            writes = {"V": Ref(f"motion_{motion}", link.name)}
            yield self.call(kernels.motion.at(self, link), link, known, writes)

    def multipliers(self, link: Link, part: str) -> dict[str, Binding]:
        """σ of a leaf's open joints, as its ports have them."""
        return {
            f"sigma_{k}": self.multiplier(name, part)
            for k, name in enumerate(self.at[link.name], 1)
        }

    def free(self, link: Link, part: str) -> Ref | sp.Matrix:
        """The motion of a body without constraint wrenches; none of a refinement."""
        still = part[0] == "c" or part[1:] not in ("", "0")
        return sp.zeros(self.space.motion, 1) if still else Ref(f"free_{part[0]}", link.name)

    def _leaf_bias(self, node: Node, part: str, refines: bool) -> Call:
        """Of a refinement the joints' openings alone."""
        link, names, letter = self.plan.link(node.name), node.open, part if refines else part[0]
        widths = self.widths(names)
        biased = tuple(self._keeps(x, link) and (refines or self._biased(x, letter)) for x in names)
        known: dict[str, Binding] = {
            "V0": Ref(f"hub_{part}", node.name) if node.raked else self.free(link, part)
        }
        for k, (name, width) in enumerate(zip(names, widths, strict=True), 1):
            known[f"g_{k}"] = Ref(f"g{width}{letter}", name)
        moved = node.raked or not (refines or letter == "c")
        rule = kernels.leaf_bias if moved else kernels.still_bias
        xi = Ref(f"xi{sum(widths)}{part}", link.name)
        return self.call(rule.at(self, link, biased=biased), link, known, {"xi": xi})

    def _openings(self, letter: str, before: str, part: str) -> Iterable[Call]:
        """How fast the joints open in the motions found before."""
        for name, of in self._held:
            biased = self._biased(name, letter)
            reads: Reads = {"g": Ref(f"g{of.width}{letter}", name)} if biased else {}
            for k, body in enumerate(of.bodies, 1):
                reads |= {f"W_{k}": self.held(name, body), f"V_{k}": Ref(f"motion_{before}", body)}
            asked = {"width": of.width, "bodies": len(of.bodies), "biased": biased}
            kernel = self.made(kernels.opening, **asked)
            yield Call(kernel, name, reads, {"o": Ref(f"g{of.width}{part}", name)})

    @property
    def _held(self) -> list[tuple[str, assembly.Joint]]:
        """The joints that hold something."""
        return [(name, of) for name, of in self.assembly.joints.items() if of.width]

    def _biased(self, name: str, letter: str) -> bool:
        """Does a joint move by itself, or open as a cut is asked to?"""
        return letter == "d" or (letter == "c" and name in self.cuts)

    def _keeps(self, name: str, link: Link) -> bool:
        """Is the joint's own bias kept at this link? At the child, unless that is the ground.

        A hub leaves it to the branch.
        """
        of = self.assembly.joints[name]
        child = of.succ not in (GROUND, self.raked.get(name))
        return link.name == (of.succ if child else of.pred)

    def _merge(self, node: Node) -> Merge:
        """How the parts of a node are merged."""
        parts = [self.assembly.by_name[part] for part in node.parts]
        first, second = (part.open for part in parts)
        joined = tuple((first.index(name), second.index(name)) for name in node.joined)
        free = any(part.free for part in parts)
        return Merge(self.widths(first), self.widths(second), joined, free)

    def _merged(self, rule: Traced, node: Node, letter: str) -> Call:
        """A kernel at a node: its ports are the node's, its parts' or the joints'."""
        kernel = self.made(rule, merge=self._merge(node))
        tree = self.assembly
        m, left = tree.width(node.joined), tree.width(node.open)
        arrays = {"Xi": f"Xi{left}", "xi": f"xi{left}{letter}", "U": f"U{m}_{left}"}
        arrays |= {"l": f"l{m}", "inv": f"inv{m}", "P": f"P{m}", "G": f"G{m}", "s": f"s{m}{letter}"}
        own = {port: Ref(array, node.name) for port, array in arrays.items()}
        own |= {f"sigma_{k}": self.multiplier(x, letter) for k, x in enumerate(node.joined, 1)}
        own |= {f"d_{k}": Ref(f"d{tree.width((x,))}", x) for k, x in enumerate(node.joined, 1)}
        known: Reads = {**own}
        for side, part in zip("AB", node.parts, strict=True):
            joints = tree.by_name[part].open
            size, still = tree.width(joints), tree.by_name[part].still
            known[f"Xi{side}"] = sp.zeros(size, size) if still else Ref(f"Xi{size}", part)
            known[f"xi{side}"] = sp.zeros(size, 1) if still else Ref(f"xi{size}{letter}", part)
            for k, name in enumerate(joints, start=1):
                known[f"sigma{side}_{k}"] = self.multiplier(name, letter)
        writes = {port.name: own[port.name] for port in kernel.outputs}
        return Call(kernel, node.name, taken(kernel, known), writes)

    def hinge_speeds(self, letter: str, result: str) -> Walk:
        """The speeds of all hinges (or their rates) from the bodies' motions."""

        def rule(link: Link) -> Iterator[Action]:
            f = self.freedom(link)
            if f:
                kernel = kernels.speeds.at(self, link, biased=letter == "d")
                motion = f"motion_{letter}"
                reads = {"V": Place(motion, "own"), "Vp": self.of_parent(motion, link)}
                writes = {f"u_{j}": Place(result, f"speed {j}") for j in range(1, f + 1)}
                yield self.bound(kernel, link, reads, writes)

        return self.inward(rule)
