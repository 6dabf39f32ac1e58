"""Riccati's program in the paper's letters, as one more step: S, e at every end, U of every body.

The step reads what the sweep to the root carries and says it by the dialect: at an end is
z_a = S z_b + e, with the columns E of closed loops z_a = S z_b + e + E μ, of true accelerations
and of loads in inertial axes; and z_O = U z_I of a rigid body with all that acts on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import sympy as sp

from ....model import GROUND, Beam, End
from ...language.program import Array, Call, Entry, Kernel, KernelBuilder, Map, Program, Ref
from ...mechanics.constants import BodyConstants
from ...mechanics.space import Space
from ...mechanics.vectors import Layout
from ...plans.elements import input_points
from ...plans.ends import landing
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.joint import Joint
from .dialect import wrench_to_loads
from .paper import PaperWriter
from .paper_kernels import BodyKernel

#: What the step and its entry are called.
LETTERS = "letters"

DIALECT = "z_a = Π λ: the dialect of the Riccati paper"
AT_REST = "Riccati paper (34): a free end"


def _turned(kernel: KernelBuilder, space: Space, axes: bool) -> tuple[sp.Matrix, sp.Matrix]:
    """From inertial (r̈, Ω̇) to the axes of what is carried; and what those count beyond r̈."""
    d, n = space.dimension, space.motion
    if not axes:
        return sp.eye(n), sp.zeros(n, 1)
    A = kernel.take("A", d, d)
    turn = sp.diag(A, A if d == 3 else sp.eye(1))
    return turn.T, sp.Matrix.vstack(kernel.take("g", d), sp.zeros(space.spins, 1))


@cache
def output(dimension: int, axes: bool, columns: int) -> Kernel:
    """S, e before the hinge at a body's output from λ = IA a + pA + E μ there.

    `axes`: λ and a are in link axes, and a is the acceleration beyond that of gravity.
    """
    space = Space(dimension)
    kernel = KernelBuilder(f"output_{columns}", "S and e at an output end")
    turn, free = _turned(kernel, space, axes)
    return _said(kernel, space, turn, free, "", columns)


@cache
def entering(dimension: int, axes: bool, columns: int) -> Kernel:
    """S, e behind a hinge, at the end of the body that it leads to."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"entering_{columns}", "S and e behind a hinge")
    turn, free = _turned(kernel, space, axes)
    if axes:
        # The end stands `d` beyond the child's own end; λ goes with the acceleration without W r.
        A_p = kernel.take("Ap", d, d)
        arm = kernel.take("rk", d)
        apart = kernel.let("d", A_p * (arm - kernel.take("r", d)), DIALECT)
        W = space.centripetal(kernel, kernel.take("wp", space.spins))
        free[:d, :] += kernel.let("Wr", A_p * W * arm, DIALECT)
        turn = turn * space.shift(-apart)
    return _said(kernel, space, turn, free, "h", columns)


def _said(
    kernel: KernelBuilder, space: Space, turn: sp.Matrix, free: sp.Matrix, suffix: str, columns: int
) -> Kernel:
    """z_a = S z_b + e + E μ of λ = IA a + pA + E μ with a = turn (z_b − free)."""
    n = space.motion
    IA, pA = kernel.take(f"IA{suffix}", n, n, symmetric=True), kernel.take(f"pA{suffix}", n)
    back = wrench_to_loads(space.dimension) * turn.T
    held = kernel.let("IAt", IA * turn, DIALECT)
    kernel.let("S", back * held, DIALECT)
    kernel.let("e", back * (pA - held * free), DIALECT)
    if columns:
        kernel.let("E", back * kernel.take(f"E{suffix or 'o'}", n, columns), DIALECT)
    return kernel.build("S", "e", *(["E"] if columns else []))


@cache
def free_end(dimension: int) -> Kernel:
    """S = 0 and e = 0 where nothing hangs."""
    k = Space(dimension).motion
    kernel = KernelBuilder("free_end", "S and e at a free end")
    kernel.let("S", sp.zeros(k), AT_REST)
    kernel.let("e", sp.zeros(k, 1), AT_REST)
    return kernel.build("S", "e")


@cache
def same(dimension: int) -> Kernel:
    """S and e that the program carries as the paper has them."""
    k = Space(dimension).motion
    kernel = KernelBuilder("carried", "S and e at an end")
    kernel.let("S", kernel.take("Sz", k, k), DIALECT)
    kernel.let("e", kernel.take("ez", k), DIALECT)
    return kernel.build("S", "e")


@cache
def transfer(dimension: int, inputs: int, forced: bool, linked: bool, pushes: int) -> Kernel:
    """The transfer matrix (4), or (8) of several inputs: z_O = U z."""
    kernel = KernelBuilder(f"transfer_{inputs}", "transfer matrix of a rigid body")
    body = BodyKernel(kernel, dimension, forced, linked, pushes)
    layout = Layout(dimension)
    loads = [*layout.moment(), *layout.force()]
    columns = [body.U[:, : layout.one]]
    for k in range(2, inputs + 1):
        columns.append(body.U[:, loads] * body.load_shift(body.input(k)[0]))
    kernel.let("U", sp.Matrix.hstack(*columns, body.U[:, layout.one]), "Riccati paper (4), (8)")
    return kernel.build("U")


Said = tuple[Kernel, Mapping[str, Ref | sp.Matrix]]


class _Joint:
    """What the program in joint coordinates carries, in the paper's letters."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan, self.d, self.forced = plan, plan.model.dimension, forced
        self.tree = Joint(plan, forced)

    def output(self, link: Link) -> Said:
        columns = self.tree.loops.width(link.name)
        arriving = columns if self.tree.loops.arriving_at(link) else 0
        kernel = output(self.d, True, arriving)
        return kernel, self.tree.call(kernel, link, {"Eo": Ref(f"E{columns}", link.name)}).reads

    def entering(self, child: Link) -> Said:
        columns = self.tree.loops.width(child.name)
        kernel = entering(self.d, True, columns)
        return kernel, self.tree.call(kernel, child, {"Eh": Ref(f"Eh{columns}", child.name)}).reads

    def inputs(self, link: Link) -> tuple[str, ...]:
        """Where loads enter a body: its inputs, then the ends of cut hinges."""
        ends = (end for hinge in self.plan.cuts for end in hinge.ends)
        cut = (end.point for end in ends if end.body == link.name)
        return (*link.inputs, *cut) or input_points(link)

    def transfer(self, link: Link) -> Said:
        inputs = self.inputs(link)
        data = BodyConstants.of(link.rigid, inputs[0], (link.output, *inputs[1:]))
        K, pushes = self.tree.data[link.name].axes, self.tree.applied.on(link.name)
        inertia = data.inertia if self.d == 2 else K * data.inertia * K.T
        reads: Reads = {name: Ref(name, link.name) for name in ("A", "w", "f")}
        reads |= {f"W_{k}": wrench for k, wrench in enumerate(pushes, start=1)}
        reads |= {"m": data.mass, "g": self.tree.ground.gravity, "rICb": K * data.centre}
        reads |= {"rIOb": K * data.arms[0], "J": inertia, "Jb": inertia}
        reads |= {f"rb_I{k}": K * arm for k, arm in enumerate(data.arms[1:], start=2)}
        return transfer(self.d, len(inputs), self.forced, True, len(pushes)), reads


class _Absolute:
    """The same of the fast form in absolute coordinates."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan, self.d, self.forced = plan, plan.model.dimension, forced
        self.writer = PaperWriter(plan, forced)

    def inputs(self, link: Link) -> tuple[str, ...]:
        return input_points(link)

    def output(self, link: Link) -> Said:
        reads: Reads = {name: Ref(name, link.name) for name in ("IA", "pA")}
        return output(self.d, False, 0), reads

    def entering(self, child: Link) -> Said:
        reads: Reads = {name: Ref(name, child.name) for name in ("IAh", "pAh")}
        return entering(self.d, False, 0), reads

    def transfer(self, link: Link) -> Said:
        inputs = len(self.inputs(link))
        return transfer(self.d, inputs, self.forced, False, 0), self.writer.body_reads(link)


class _Paper(_Absolute):
    """The same of the paper form, which carries S and e: of the root chain, those in reverse."""

    def output(self, link: Link) -> Said:
        return same(self.d), {"Sz": Ref("S", link.name), "ez": Ref("e", link.name)}

    def entering(self, child: Link) -> Said:
        return same(self.d), {"Sz": Ref("Sh", child.name), "ez": Ref("eh", child.name)}

    def reverse(self) -> Iterator[tuple[str, Said]]:
        """At the ends of the root chain, from the ground on."""
        below = [self.writer.branch] if self.writer.branch and self.writer.root_chain else []
        chain = [self.plan.link(name) for name in self.writer.root_chain]
        for link in (*chain, *below):
            yield f"{link.name}:{link.output}", (same(self.d), self.writer.above(link, "z"))
            if link in chain:
                yield f"{link.name}:{link.inputs[0]}", _Paper.output(self, link)


def _ends(plan: Plan, of: _Joint | _Absolute) -> Iterator[tuple[str, Said]]:
    """S and e at every end of the tree, in the order of the sweep; the ground last."""
    paper = of.writer if isinstance(of, _Paper) else None
    for link in plan.links:
        if paper and link not in paper.inner:
            continue
        for point in () if link.inputs else link.free[:1]:
            yield f"{link.name}:{point}", (free_end(of.d), {})
        for point, child in zip(link.inputs, link.children, strict=True):
            yield f"{link.name}:{point}", of.entering(plan.link(child))
        yield f"{link.name}:{link.output}", of.output(link)
    for link in () if paper else plan.roots:
        yield landing(link.hinge, End(GROUND, "O")), of.entering(link)


def columns_at(plan: Plan, body: str) -> tuple[str, ...]:
    """The conditions of closed loops whose columns pass a body's output."""
    return Joint(plan, forced=False).loops.passing(body)


def in_letters(program: Program, plan: Plan, forced: bool) -> Program:
    """Riccati's program with one more entry: S, e at all ends and U of all rigid bodies.

    Shape
        `S of` and `e of` an end, in the order (m, q) by (r̈, Ω̇), `U of` a body.
    Frame
        Inertial.
    Sign
        The paper's. Where a cut hinge leads away from a body, its z_a enters U with −1.
    Source
        Riccati paper (4), (8), (21); own, for what the dialect says of them.
    """
    paper = any(step.name == "overall" for step in program.steps)
    of = (_Paper if paper else _Absolute if plan.model.absolute else _Joint)(plan, forced)
    calls: list[Call] = []
    arrays: dict[str, Array] = {}
    sets: dict[str, list[str]] = {}

    def say(member: str, said: Said, names: dict[str, str]) -> None:
        kernel, reads = said
        writes = {}
        for port in kernel.outputs:
            array = names[port.name]
            sets.setdefault(array, []).append(member)
            arrays[array] = Array(array, array, replace(port, name=array))
            writes[port.name] = Ref(array, member)
        taken = {port.name: reads[port.name] for port in kernel.inputs}
        calls.append(Call(kernel, member, taken, writes))

    for end, said in _ends(plan, of):
        columns = next((port.cols for port in said[0].outputs if port.name == "E"), 0)
        say(end, said, {"S": "S of", "e": "e of", "E": f"E{columns} of"})
    if isinstance(of, _Paper):
        for end, said in of.reverse():
            say(end, said, {"S": "S_reverse of", "e": "e_reverse of"})
    for link in plan.links:
        if not isinstance(link.body, Beam):
            say(link.name, of.transfer(link), {"U": f"U{len(of.inputs(link))} of"})
    step = Map(LETTERS, "S, e and U in the paper's letters", tuple(calls))
    before = next(entry for entry in program.entries if entry.name == "joint_loads").steps
    return replace(
        program,
        sets={**program.sets, **{name: tuple(found) for name, found in sets.items()}},
        arrays={**program.arrays, **arrays},
        steps=(*program.steps, step),
        entries=(*program.entries, Entry(LETTERS, step.title, (*before, LETTERS), tuple(arrays))),
    )
