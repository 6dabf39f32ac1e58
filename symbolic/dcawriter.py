"""The calls of the divide-and-conquer methods: geometry, the assembly tree, momenta, loads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import sympy as sp

from ..errors import UsageError
from ..model import GROUND, Hinge
from ..model.quantities import exact_expression
from . import assembly, dcacuts, dcakernels, hdcakernels
from .acting import Reads
from .assembly import Assembly, Node
from .cutkernels import CutHinge
from .dcacuts import Ends
from .dcakernels import Merge, Shape
from .ends import reported
from .joints import PITCH, joint, tidy
from .jointwriter import Writer
from .loopprogram import taken
from .plan import Link, Plan
from .program import Call, Kernel, Ref


@cache
def subspace(dimension: int, kind: str, backward: bool) -> tuple[bool, sp.Matrix] | None:
    """H where it is constant: in link axes, or (then True) in those of the parent's point."""
    of = joint(dimension, kind)
    H = tidy(of.backward_subspace if backward else of.subspace)
    if H.free_symbols <= {PITCH}:
        return False, H
    R = of.rotation.T if backward else of.rotation
    d = dimension
    angular = H[d:, :] if d == 2 else R * H[d:, :]
    turned = sp.Matrix.vstack(R * H[:d, :], angular).applyfunc(sp.expand)
    turned = tidy(_unit_quaternion(turned))
    return (True, turned) if turned.free_symbols <= {PITCH} else None


def _unit_quaternion(matrix: sp.Matrix) -> sp.Matrix:
    """With w² = 1 − x² − y² − z² of a unit quaternion."""
    w, x, y, z = (sp.Symbol(f"q_Q{name}", real=True) for name in "wxyz")
    if not {w, x, y, z} & matrix.free_symbols:
        return matrix
    one = 1 - x**2 - y**2 - z**2

    def reduced(value: sp.Expr) -> sp.Expr:
        odd, even = sp.Integer(0), sp.Integer(0)
        for (power,), coefficient in sp.Poly(sp.expand(value), w).terms():
            term = coefficient * one ** (power // 2)
            odd, even = (odd + term, even) if power % 2 else (odd, even + term)
        return sp.expand(even) + w * sp.expand(odd)

    return matrix.applyfunc(reduced)


@dataclass(frozen=True)
class Way:
    """What a tree hinge lets its link do: H, H (Hᵀ H)⁻¹ and D, constant in the carrier's axes.

    The carrier is the link, or with `parental` the parent's point. `complete`: D holds all
    translations, whose directions are then the inertial axes.
    """

    parental: bool
    H: sp.Matrix
    Hp: sp.Matrix
    D: sp.Matrix
    complete: bool

    @classmethod
    def of(cls, dimension: int, hinge: Hinge, backward: bool) -> Way | None:
        """The way of a hinge; none where H is constant in neither axes."""
        found = subspace(dimension, hinge.kind, backward)
        if found is None:
            return None
        parental, H = found
        H = sp.Matrix(H.xreplace({PITCH: exact_expression(hinge.pitch)}))
        n = H.rows
        basis = H.T.nullspace() if H.cols else [sp.eye(n)[:, i] for i in range(n)]
        D = sp.Matrix.hstack(sp.zeros(n, 0), *basis)
        Hp = H * (H.T * H).inv() if H.cols else H
        return cls(parental, H, Hp, D, not any(H[:dimension, :]))


class Scheme:
    """A plan and its assembly tree, and the calls over both.

    What is solved for carries a letter: `h` velocities from momenta, `d` accelerations, `c`
    corrections of what the cuts open at.
    """

    def __init__(self, plan: Plan, writer: Writer, algorithm: str, tree: str | None = None) -> None:
        self.plan = plan
        self.writer = writer
        self.dimension = d = plan.model.dimension
        self.space = writer.space
        _refuse(writer, algorithm)
        self.ways = {link.name: self._way(link, algorithm) for link in plan.links}
        self.cuts = {hinge.name: hinge for hinge in plan.cuts if CutHinge.of(d, hinge).count}
        self.cut_ends = {hinge.name: self._cut_ends(hinge) for hinge in self.cuts.values()}
        self.links_of = {link.hinge: link for link in plan.links}
        names = [link.name for link in plan.links]
        joints = list(self._joints())
        self.assembly: Assembly = (
            assembly.balanced(names, joints)
            if tree is None
            else assembly.given(tree, names, joints)
        )
        self.at: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
        for node in self.assembly.leaves:
            if node.name in self.at:
                self.at[node.name] = node.open

    def _way(self, link: Link, algorithm: str) -> Way:
        hung = self.writer.hung[link.name]
        way = Way.of(self.dimension, hung.hinge, hung.backward)
        if way is None:
            told = ", told from this side," if hung.backward else ""
            raise UsageError(
                f"{algorithm} takes no {hung.hinge.kind} hinge{told} "
                f"(hinge {hung.hinge.name}): what it lets move turns in both bodies"
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

    # -- one link --------------------------------------------------------------------------

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
        return self.writer.model.hinge_speeds(self.writer.hung[link.name].hinge)

    def of_parent(self, array: str, link: Link) -> Ref | sp.Matrix:
        """A value of the link's parent; the ground rests at the origin."""
        if link.parent is not None:
            return Ref(array, link.parent)
        d, s = self.dimension, self.space.spins
        return sp.eye(d) if array == "A" else sp.zeros(s if array == "wI" else d, 1)

    def constants(self, link: Link) -> Reads:
        """The link's inertia and the directions of its hinge, by the names of the kernels."""
        data, way = self.writer.data[link.name], self.ways[link.name]
        known: Reads = {"m": data.mass, "im": sp.Matrix([1 / data.mass[0]]), "rC": data.centre}
        known |= {"JC": data.central, "g": self.writer.ground.gravity}
        known |= {"H": way.H, "Hp": way.Hp, "D": way.D, "K": self.writer.hung[link.name].entry}
        known["B"] = Ref("Bc" if way.parental else "A", link.name)
        known["wc"] = self.of_parent("wI", link) if way.parental else Ref("wI", link.name)
        if self.dimension == 2:
            known["Ji"] = sp.Matrix([1 / data.central[0]])
        return known

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

    # -- geometry --------------------------------------------------------------------------

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
                inverse = self.writer.data[link.name].central.inv()
                yield self.call(dcakernels.mobility(), link, {"JCi": inverse})

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
        for side, end in zip("ab", hinge.ends, strict=True):
            place = self.writer.loops.sides(hinge)
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

    # -- the assembly tree -----------------------------------------------------------------

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
            kernel = dcakernels.merge(shape)
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
            kernel = dcakernels.merge_bias(self.merge(node))
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
            f"g_{k}": Ref(f"g{self.assembly.joints[x].width}{letter}", self._bearer(x))
            for k, x in enumerate(names, 1)
        }
        if letter == "c":
            kernel = dcakernels.still_bias(widths, biased)
        else:
            kernel = dcakernels.leaf_bias(self.dimension, widths, biased)
        target = Ref(f"xi{sum(widths)}{letter}", link.name)
        return self.call(kernel, link, known, xi=target)

    def _biased(self, name: str, link: Link, letter: str) -> bool:
        """Is the joint's own bias told at this link? At the child, unless that is the ground."""
        if letter == "h" or (letter == "c" and name not in self.cuts):
            return False
        of = self.assembly.joints[name]
        return link.name == (of.pred if of.succ == GROUND else of.succ)

    def _bearer(self, name: str) -> str:
        """The member that a joint's bias has: the link of a tree hinge, or the cut."""
        return name if name in self.cuts else self.links_of[name].name

    def multiplier(self, name: str, letter: str) -> Ref:
        return Ref(f"sigma{self.assembly.joints[name].width}{letter}", name)

    def _back(self, node: Node, letter: str) -> Call:
        shape = self.merge(node)
        kernel = dcakernels.back(shape)
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

    # -- what acts -------------------------------------------------------------------------

    def hinges_at(self, link: Link, acting: bool = False) -> list[Link]:
        """The links whose hinges with speeds are at a link: its own, then its children's."""
        found = [link, *(self.plan.link(child) for child in link.children)]
        return [x for x in found if self.freedom(x) and (not acting or self.writer.pushed(x))]

    def _ways_at(self, link: Link, hinges: list[Link]) -> Reads:
        return {
            f"Z_{k}": Ref(f"Z{'s' if x is link else 'p'}{self.freedom(x)}", x.name)
            for k, x in enumerate(hinges, 1)
        }

    def impelled(self) -> Iterable[Call]:
        """The motions by joint momenta alone."""
        for link in self.plan.links:
            hinges = self.hinges_at(link)
            kernel = hdcakernels.impelled(self.dimension, tuple(map(self.freedom, hinges)))
            known = self._ways_at(link, hinges)
            for k, x in enumerate(hinges, 1):
                known |= {
                    f"p_{k}_{j}": Ref("mom", name) for j, name in enumerate(self.speeds(x), 1)
                }
            yield self.call(kernel, link, known, V0=Ref("free_h", link.name))

    def _applied(self, link: Link) -> Reads:
        """External loads on a link, numbered, and the caller's."""
        found: Reads = {f"P_{k}": ref for k, ref in enumerate(self.writer.applied.on(link.name), 1)}
        return found | {"f": Ref("f", link.name)}

    def _pushes(self, link: Link) -> int:
        return len(self.writer.applied.on(link.name))

    def acted(self) -> Iterable[Call]:
        """The accelerations without constraint wrenches."""
        for link in self.plan.links:
            hinges = self.hinges_at(link, acting=True)
            freedoms = tuple(map(self.freedom, hinges))
            kernel = hdcakernels.acted(
                self.dimension, freedoms, self._pushes(link), self.writer.loaded
            )
            known = self._ways_at(link, hinges) | self._applied(link)
            known |= {f"T_{k}": Ref(f"T{self.freedom(x)}", x.name) for k, x in enumerate(hinges, 1)}
            known["w"] = Ref("wI", link.name)
            yield self.call(kernel, link, known, V0=Ref("free_d", link.name))

    def moving(self) -> Iterable[Call]:
        """The motion of all links from the hinges' speeds, outwards."""
        for link in self.outward():
            way = self.ways[link.name]
            kernel = hdcakernels.outward(self.dimension, way.H.cols, way.complete)
            known = self._own_speeds(link)
            known |= {"vp": self.of_parent("vx", link), "wp": self.of_parent("wI", link)}
            yield self.call(kernel, link, known, V=Ref("motion_v", link.name))

    def _own_speeds(self, link: Link) -> Reads:
        return {f"u_{j}": Ref("v", name) for j, name in enumerate(self.speeds(link), 1)}

    def drifts(self) -> Iterable[Call]:
        """The velocity terms of all joints."""
        for link in self.plan.links:
            way = self.ways[link.name]
            f, m = way.H.cols, way.D.cols
            kernel = hdcakernels.drift(self.dimension, f, m, link.parent is None, way.complete)
            known = self._own_speeds(link) | {"w": Ref("wI", link.name)}
            known |= {"wp": self.of_parent("wI", link), "cp": self.of_parent("ce", link)}
            writes = {f"g{m}": Ref(f"g{m}d", link.name)} if m else {}
            yield self.call(kernel, link, known, **writes)
        for name, ends in self.cut_ends.items():
            kernel = dcacuts.cut_drift(ends)
            hinge, m = self.cuts[name], ends.hinge.count
            known = self._sides(hinge, "motion_v")
            yield self._cut_call(kernel, hinge, known, **{f"g{m}": Ref(f"g{m}d", name)})

    def demands(self) -> Iterable[Call]:
        """What the cuts are to open at, along their directions."""
        for name, ends in self.cut_ends.items():
            m = ends.hinge.count
            reads: Reads = {f"c_{j}": Ref("c", x) for j, x in enumerate(self.conditions(name), 1)}
            yield Call(dcacuts.cut_demand(m), name, reads, {f"g{m}": Ref(f"g{m}c", name)})

    def gaps(self) -> Iterable[Call]:
        """How far the cuts are open along their directions, and how fast they open."""
        for name, ends in self.cut_ends.items():
            writes: dict[str, Ref] = {}
            for j, x in enumerate(self.conditions(name), 1):
                writes |= {f"phi_{j}": Ref("phi", x), f"phid_{j}": Ref("phid", x)}
            kernel, hinge = dcacuts.cut_gap(ends), self.cuts[name]
            yield Call(kernel, name, taken(kernel, self._sides(hinge, "motion_v")), writes)

    def conditions(self, cut: str) -> list[str]:
        """The names of a cut's conditions."""
        return [f"{cut}_{j + 1}" for j in range(self.cut_ends[cut].hinge.count)]

    # -- momenta ---------------------------------------------------------------------------

    def impulses(self) -> Iterable[Call]:
        """The multipliers of the cuts as results."""
        for name in self.cuts:
            m = self.cut_ends[name].hinge.count
            writes = {f"x_{j}": Ref("sig", x) for j, x in enumerate(self.conditions(name), 1)}
            yield Call(dcakernels.parts(m), name, {"x": self.multiplier(name, "h")}, writes)

    def couples(self) -> Iterable[Call]:
        """What the cuts' impulses do to the rates of momenta."""
        for name, ends in self.cut_ends.items():
            known = self._sides(self.cuts[name], "motion_h")
            known["sigma"] = self.multiplier(name, "h")
            yield self._cut_call(dcacuts.cut_couples(ends), self.cuts[name], known)

    def cuts_at(self, body: str) -> list[tuple[str, str]]:
        """The cuts at a body, each with the side that it is."""
        return [
            (name, side)
            for name, hinge in self.cuts.items()
            for side, end in zip("ab", hinge.ends, strict=True)
            if end.body == body
        ]

    def _children(self, link: Link, array: str) -> Reads:
        known: Reads = {}
        for k, child in enumerate(link.children, 1):
            known |= {f"ar_{k}": Ref("ar", child), f"{array[0]}_{k}": Ref(array, child)}
        return known

    def loads(self) -> Iterable[Call]:
        """The loads outboard of every hinge, inwards."""
        for link in self.plan.links:
            cuts = self.cuts_at(link.name)
            kernel = hdcakernels.load(
                self.dimension,
                len(link.children),
                self._pushes(link),
                self.writer.loaded,
                len(cuts),
            )
            known = self._children(link, "Q") | self._applied(link)
            known |= {f"X_{k}": Ref(f"X{side}", name) for k, (name, side) in enumerate(cuts, 1)}
            yield self.call(kernel, link, known)

    def momentum_rates(self) -> Iterable[Call]:
        """The rates of all joint momenta."""
        for link in self.plan.links:
            names, way = self.speeds(link), self.ways[link.name]
            if names:
                f, m = way.H.cols, way.D.cols
                acting = self.writer.pushed(link)
                kernel = hdcakernels.momentum_rate(self.dimension, f, m, way.complete, acting)
                known: Reads = {f"p_{j}": Ref("mom", name) for j, name in enumerate(names, 1)}
                known |= {"V": Ref("motion_h", link.name), "T": Ref(f"T{f}", link.name)}
                known["wc"] = self._spin_h(link)
                if m:
                    known["sigma"] = self.multiplier(link.hinge, "h")
                writes = {f"pd_{j}": Ref("pd", name) for j, name in enumerate(names, 1)}
                yield self.call(kernel, link, known, **writes)

    def _spin_h(self, link: Link) -> Ref | sp.Matrix:
        way = self.ways[link.name]
        return self.of_parent("wh", link) if way.parental else Ref("wh", link.name)

    def spins(self) -> Iterable[Call]:
        """The angular velocities of the links from their motions by momenta."""
        kernel = hdcakernels.angular(self.dimension)
        for link in self.plan.links:
            reads: Reads = {"V": Ref("motion_h", link.name)}
            yield Call(kernel, link.name, reads, {"w": Ref("wh", link.name)})

    def momenta(self, motion: str, array: str, result: str, impulses: bool) -> Iterable[Call]:
        """Joint momenta of motions, less what the cuts' impulses `sigma` are."""
        for link in self.plan.links:
            cuts = self.cuts_at(link.name) if impulses else []
            widths = tuple(self.cut_ends[name].hinge.count for name, _ in cuts)
            kernel = hdcakernels.momentum(self.dimension, len(link.children), widths)
            known = self._children(link, array) | {"V": Ref(motion, link.name)}
            for k, (name, _) in enumerate(cuts, 1):
                known[f"W_{k}"] = self.joint_columns(name, link.name)
                for j, condition in enumerate(self.conditions(name), 1):
                    known[f"sigma_{k}_{j}"] = Ref("sigma", condition)
            yield self.call(kernel, link, known, P=Ref(array, link.name))
        for link in self.plan.links:
            names, way = self.speeds(link), self.ways[link.name]
            if names:
                kernel = hdcakernels.joint_momentum(self.dimension, len(names), way.complete)
                writes = {f"p_{j}": Ref(result, name) for j, name in enumerate(names, 1)}
                yield self.call(kernel, link, {"P": Ref(array, link.name)}, **writes)

    def joint_loads(self) -> Iterable[Call]:
        """The loads at the hinges and cuts, by the multipliers of the accelerations."""
        for link in self.plan.links:
            way, acting = self.ways[link.name], self.writer.pushed(link)
            f, m = way.H.cols if acting else 0, way.D.cols
            kernel = hdcakernels.joint_load(self.dimension, m, f)
            known: Reads = {"W": Ref(f"Ws{m}", link.name), "Z": Ref(f"Zs{f}", link.name)}
            known["T"] = Ref(f"T{f}", link.name)
            if m:
                known["sigma"] = self.multiplier(link.hinge, "d")
            target = Ref("loads", f"{link.name}:{link.output}")
            yield self.call(kernel, link, known, load=target)
        for name, hinge in self.cuts.items():
            side, end = reported(hinge)
            m = self.cut_ends[name].hinge.count
            kernel = dcacuts.cut_load(self.dimension, m, pushed=False)
            place = self._sides(hinge)
            letter = "ab"[side]
            known = {x: place[f"{x}{letter}"] for x in ("A", "ce")}
            known |= {"arm": place[f"r{letter}"], "W": self.joint_columns(name, end.body)}
            known["sigma"] = self.multiplier(name, "d")
            yield Call(kernel, name, taken(kernel, known), {"load": Ref("loads", str(end))})


def _refuse(writer: Writer, algorithm: str) -> None:
    """Say which part of a model the divide-and-conquer methods do not take.

    Raises
        UsageError: names the part.
    """
    model = writer.model
    found = [f"no beams ({model.beams[0].name})"] if model.beams else []
    found += ["no moving ground"] if model.base else []
    for hinge in model.hinges:
        if hinge.motion:
            found.append(f"no driven hinge ({hinge.name})")
        if hinge.rotor:
            found.append(f"no rotor (hinge {hinge.name})")
        if hinge.mimic:
            found.append(f"no hinge that follows another ({hinge.name})")
    found += [f"no force in a cut hinge ({hinge.name})" for hinge in writer.loops.loaded]
    found += [
        f"no cut helical hinge ({hinge.name})"
        for hinge in writer.plan.cuts
        if CutHinge.of(model.dimension, hinge).screws
    ]
    values = {sp.Symbol(name, real=True): x for name, x in model.parameters.items()}
    for link in writer.plan.links:
        data = None if model.beams else writer.data[link.name]
        if data is not None and 0 in (data.mass[0].subs(values), data.central.det().subs(values)):
            found.append(f"no body without mass or without inertia ({link.name})")
    if found:
        raise UsageError(f"{algorithm} takes {found[0]}")
