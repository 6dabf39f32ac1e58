"""Algorithms A and B of the paper as a program, with the completed hinge.

The chains of a tree are swept from their tips, the root chain in reverse from the ground; they
meet at the body with several inputs that is nearest to the root, where one small system is
solved; (33) goes back along every chain. Bodies with several inputs further out join what
their inputs transmit. A tree without such a body is a chain and ends by (A4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from ...language.program import Array, Call, Kernel, Map, Port, Program, Ref, Solution, Sweep
from ...language.slices import unloaded
from ...mechanics.constants import BodyConstants, column
from ...mechanics.space import Space
from ...plans.elements import input_points
from ...plans.plan import Link, Plan
from . import paper_kernels as kernels
from .absolute import ACTING, fast_program, given_by

Reads = dict[str, Ref | sp.Matrix]


class PaperWriter:
    """Collects the calls of the paper's algorithms, step by step."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan = plan
        self.forced = forced or bool(plan.model.forces)
        self.given = given_by(plan.model, forced)
        self.dimension = plan.model.dimension
        self.kinds = {"dimension": self.dimension, "forced": self.forced, "linked": False}
        self.gravity = column(plan.model.gravity)
        self.root_chain, self.branch = _root_chain(plan)
        outer = set(self.root_chain) | ({self.branch.name} if self.branch else set())
        self.inner = [link for link in plan.links if link.name not in outer]
        self._data: dict[tuple[object, ...], BodyConstants] = {}

    def data(self, link: Link, origin: str, points: tuple[str, ...]) -> BodyConstants:
        """The body's constants from one of its points."""
        body = link.rigid
        key = (body.mass, body.inertia, body.centre, body.points, origin, points)
        if key not in self._data:
            self._data[key] = BodyConstants.of(body, origin, points)
        return self._data[key]

    def body_reads(self, link: Link, *, reverse: bool = False) -> Reads:
        inputs = input_points(link)
        origin, target = (link.output, inputs[0]) if reverse else (inputs[0], link.output)
        data = self.data(link, origin, (target, *inputs[1:]))
        reads: Reads = self.orientation(link) | {
            "omega": Ref("v", link.name),
            "m": data.mass,
            "g": self.gravity,
            "rICb": data.centre,
            "rIOb": data.arms[0],
            "J" if self.dimension == 2 else "Jb": data.inertia,
        }
        if self.forced:
            reads |= self.given(link.name)
        if not reverse:
            for k in range(2, len(inputs) + 1):
                reads[f"rb_I{k}"] = data.arms[k - 1]
        return reads

    def orientation(self, link: Link) -> Reads:
        names = ("c", "s") if self.dimension == 2 else ("A",)
        return {name: Ref(name, link.name) for name in names}

    def tips_to_root(self) -> Iterator[Call]:
        hinge = kernels.hinge.of(**self.kinds, pinned=False)
        for link in self.inner:
            kernel = kernels.body.of(**self.kinds, input_count=len(link.inputs))
            reads = self.body_reads(link)
            for k, child in enumerate(link.children, start=1):
                reads |= {f"S_I{k}": Ref("Sh", child), f"e_I{k}": Ref("eh", child)}
            yield Call(kernel, link.name, reads, _own(link, "S", "e", "P", "Pq"))
            at_branch = self.branch is not None and link.parent == self.branch.name
            if link.parent is not None and not at_branch:
                yield self._hinge(hinge, link)

    def _hinge(self, hinge: Kernel, link: Link) -> Call:
        reads: Reads = {"S": Ref("S", link.name), "e": Ref("e", link.name)}
        writes = _own(link, "Sh", "eh") | {"P": Ref("Ph", link.name), "Pq": Ref("Pqh", link.name)}
        return Call(hinge, link.name, reads, writes)

    def ground_to_branch(self) -> Iterator[Call]:
        body = kernels.reversed_body.of(**self.kinds)
        hinge = kernels.hinge.of(**self.kinds, pinned=True)
        for name in self.root_chain:
            link = self.plan.link(name)
            reads = self.body_reads(link, reverse=True) | self.above(link)
            yield Call(body, name, reads, _own(link, "S", "e", "P", "Pq"))
            yield self._hinge(hinge, link)

    def above(self, link: Link, suffix: str = "_O") -> Reads:
        """S, e at a root chain body's output: behind the hinge of the body above, or ground."""
        k = Space(self.dimension).motion
        if link.parent is None:
            return {f"S{suffix}": sp.zeros(k), f"e{suffix}": sp.zeros(k, 1)}
        return {f"S{suffix}": Ref("Sh", link.parent), f"e{suffix}": Ref("eh", link.parent)}

    def system(self) -> Iterator[Call]:
        if self.branch is None:
            link = self.plan.root
            reads: Reads = {"S": Ref("S", link.name), "e": Ref("e", link.name)}
            yield Call(kernels.chain_root.of(**self.kinds), link.name, reads, _own(link, "zb"))
            return
        link = self.branch
        chained = bool(self.root_chain)
        kernel = kernels.overall.of(**self.kinds, input_count=len(link.inputs), chained=chained)
        reads = self.body_reads(link)
        writes = {"zbO": Ref("zb", link.name)}
        for k, child in enumerate(link.children, start=1):
            reads |= {f"S_I{k}": Ref("S", child), f"e_I{k}": Ref("e", child)}
            writes[f"zb_I{k}"] = Ref("zb", child)
        if chained:
            reads |= self.above(link)
        yield Call(kernel, link.name, reads, writes)

    def back_to_tips(self) -> Iterator[Call]:
        body, hinge = (kernels.back.of(**self.kinds, element=x) for x in ("body", "hinge"))
        point = kernels.point.of(**self.kinds)
        for link in reversed(self.inner):
            if not link.children:
                continue
            yield Call(body, link.name, self._backward(link, "", "zb"), {"zbI": self._at(link, 1)})
            arms = self.data(link, link.inputs[0], (link.output, *link.inputs[1:])).arms
            for k in range(2, len(link.inputs) + 1):
                reads = self.orientation(link) | {
                    "omega": Ref("v", link.name),
                    "rb": arms[k - 1],
                    "zb": self._at(link, 1),
                }
                yield Call(point, link.name, reads, {"zbI": self._at(link, k)})
            for child in link.children:
                reads = self._backward(self.plan.link(child), "h", "zbI")
                yield Call(hinge, child, reads, {"zbI": Ref("zb", child)})

    def _at(self, link: Link, k: int) -> Ref:
        """z_b at input k, kept with the body that hangs there."""
        return Ref("zbI", link.children[k - 1])

    def _backward(self, link: Link, suffix: str, known: str) -> Reads:
        names = {"P": f"P{suffix}", "Pq": f"Pq{suffix}", "zb": known}
        return {port: Ref(array, link.name) for port, array in names.items()}

    def back_to_ground(self) -> Iterator[Call]:
        body, hinge = (kernels.back.of(**self.kinds, element=x) for x in ("body", "hinge"))
        below = self.branch.name if self.branch else ""
        for name in reversed(self.root_chain):
            link = self.plan.link(name)
            reads = self._backward(link, "h", "zb") | {"zb": Ref("zb", below)}
            yield Call(hinge, name, reads, {"zbI": Ref("zbI", name)})
            yield Call(body, name, self._backward(link, "", "zbI"), {"zbI": Ref("zb", name)})
            below = name

    def spins(self) -> Iterator[Call]:
        for link in self.plan.links:
            kernel = kernels.spin.of(**self.kinds, pinned=self._is_outer(link))
            reads: Reads = {"zb": Ref("zb", link.name)}
            if self.dimension == 3:
                reads["A"] = Ref("A", link.name)
            yield Call(kernel, link.name, reads, {"a": Ref("a", link.name)})

    def _is_outer(self, link: Link) -> bool:
        return link.name in self.root_chain or link is self.branch

    def loads(self) -> Iterator[Call]:
        for link in self.plan.links:
            outer = self._is_outer(link)
            at: Reads = {"S": Ref("S", link.name), "e": Ref("e", link.name)}
            reads = (self.above(link, "") if outer else at) | {"zb": Ref("zb", link.name)}
            writes = {"load": Ref("loads", f"{link.name}:{link.output}")}
            yield Call(kernels.load.of(**self.kinds, pinned=outer), link.name, reads, writes)


def _own(link: Link, *names: str) -> dict[str, Ref]:
    return {name: Ref(name, link.name) for name in names}


def _root_chain(plan: Plan) -> tuple[tuple[str, ...], Link | None]:
    """The bodies from the ground to the nearest body with several inputs, and that body."""
    chain, link = [], plan.root
    while len(link.inputs) == 1:
        chain.append(link.name)
        link = plan.link(link.children[0])
    return (tuple(chain), link) if len(link.inputs) > 1 else ((), None)


def paper_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    writer: PaperWriter | None = None,
) -> Program:
    """The paper's Algorithms A and B, completed, as a program for any tree.

    `writer`: one that writes some calls in another way.

    Shape
        Arguments and results as of `fast_program`; positions, energy and rates are its steps.
    Source
        Riccati paper, Sect. 4, with the completed hinge.
    """
    fast = fast_program(plan, runtime=runtime, forced=forced)
    writer = writer or PaperWriter(plan, forced)
    dynamics = [
        Sweep("tips_to_root", "(A1)–(A3), from the tips", tuple(writer.tips_to_root())),
        Sweep(
            "ground_to_branch",
            "(B2), the root chain in reverse",
            tuple(writer.ground_to_branch()),
        ),
        Solution("overall", "(A4), or (B3) and (B4)", tuple(writer.system())),
        Sweep("back_to_tips", "(33) towards the tips", tuple(writer.back_to_tips())),
        Sweep("back_to_ground", "(33) in the root chain", tuple(writer.back_to_ground())),
        Map("spins", "angular acceleration of every body", tuple(writer.spins())),
        Map("hinge_loads", "loads at every hinge", tuple(writer.loads())),
    ]
    dynamics = [step for step in dynamics if step.calls]
    replaced = {"tips_to_root", "root_to_tips", "hinge_loads", "end_states"}
    kept = [step for step in fast.steps if step.name not in replaced]
    early = {"orientation", *(ACTING if plan.model.forces else ())}
    before = [step for step in kept if step.name in early]
    names = tuple(step.name for step in (*before, *dynamics))
    steps = {"accelerations": names[:-1], "joint_loads": names}
    program = replace(
        fast,
        title=f"Riccati transfer matrix method, paper form, completed: {plan.model.name}",
        arrays=_arrays(fast, Space(plan.model.dimension).motion),
        steps=(*before, *dynamics, *kept[len(before) :]),
        entries=tuple(
            replace(entry, steps=steps.get(entry.name, entry.steps))
            for entry in fast.entries
            if entry.name != "end_states"
        ),
    )
    return unloaded(program) if loaded is False else program


def _arrays(fast: Program, k: int) -> dict[str, Array]:
    """The fast form's arrays, those of its dynamics replaced by the paper's."""
    own = {"IA", "pA", "P", "b", "IAh", "pAh", "rdd", "za"}
    arrays = {name: array for name, array in fast.arrays.items() if name not in own}
    for name in ("S", "P", "Sh", "Ph"):
        arrays[name] = Array(name, "bodies", Port(name, k, k))
    for name in ("e", "Pq", "eh", "Pqh", "zb", "zbI"):
        arrays[name] = Array(name, "bodies", Port(name, k))
    return arrays
