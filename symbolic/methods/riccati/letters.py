"""Riccati's program in the paper's letters, as one more step: S, e at every end, U of every body.

The step reads what the sweep to the root carries and says it by the dialect: at an end is
z_a = S z_b + e, with the columns E of closed loops z_a = S z_b + e + E μ, of true accelerations
and of loads in inertial axes; and z_O = U z_I of a body or beam with all that acts on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy as sp

from ....model import GROUND, Beam, End
from ...language.letters import letters
from ...language.program import Array, Call, Entry, Kernel, Map, Program, Ref
from ...mechanics.constants import BodyConstants
from ...mechanics.letters import FACTS, OF_PARENT
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...plans.elements import input_points
from ...plans.ends import landing
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.joint import Joint
from ...tree.recursion_kernels import centripetal
from . import beam_letters
from .paper import PaperWriter
from .paper_kernels import PAPER, Body, last_row

#: What the step and its entry are called.
LETTERS = "letters"

DIALECT = "z_a = Π λ: the dialect of the Riccati paper"
AT_REST = "Riccati paper (34): a free end"


SAID = PAPER | letters(f"""
    w    | Ω    | s       | | angular velocity, in the link's axes, rad/s
    d    | d    | d       | {DIALECT} | from the child's end to the end that is meant
    Wr   | g_r  | d       | {DIALECT} | centripetal acceleration of the hinge's place
    IAT  | IA′  | n n     | {DIALECT} | IA for accelerations as the paper has them
    E    | E    | n       | {DIALECT} | columns of closed loops: z_a = S z_b + e + E μ
    Eo   | E_λ  | n       | | columns of closed loops in λ
    Eh   | E_λ  | n       | | columns of closed loops in λ, behind the hinge
    Sz   | S_z  | n n     | | S as it is carried
    ez   | e_z  | n       | | e as it is carried
    U    | U    | 1       | Riccati paper (4), (8) | transfer matrix of a body
""")

traced = tracing(SAID, FACTS, OF_PARENT)


@traced
def output(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S, e before the hinge at a body's output from λ = IA a + pA + E μ there.

    `axes`: λ and a are in link axes, and a is the acceleration beyond that of gravity.
    """
    t.called(f"output_{t.ask('columns')}", "S and e at an output end")
    if not t.ask("axes"):
        return _said(t, k, x.IA, x.pA, None, k.zero(k.n), "Eo")
    A, g = x.A, x.g
    return _said(t, k, x.IA, x.pA, k.both(A).T, k.stack(g, k.zero(k.s)), "Eo")


@traced
def entering(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S, e behind a hinge, at the end of the body that it leads to."""
    t.called(f"entering_{t.ask('columns')}", "S and e behind a hinge")
    if not t.ask("axes"):
        return _said(t, k, x.IAh, x.pAh, None, k.zero(k.n), "Eh")
    # The end stands d beyond the child's own end; λ goes with the acceleration without W r.
    A, g, A_p, r = x.A, x.g, x.up.A, x.rk
    x.d = A_p @ (r - x.r)
    x.Wr = A_p @ centripetal(k, t, x.up.w) @ r
    T = k.both(A).T @ k.X(-x.d)
    return _said(t, k, x.IAh, x.pAh, T, k.stack(g + x.Wr, k.zero(k.s)), "Eh")


def _said(
    t: Tracer, k: Algebra, IA: M, pA: M, turn: M | None, free: M, columns: str
) -> tuple[str, ...]:
    """z_a = S z_b + e + E μ of λ = IA a + pA + E μ with a = T (z_b − free)."""
    x, s, d = At(t), k.unit_matrix(k.s), k.unit_matrix(k.d)
    back = t.abbreviate("Π", k.blocks((k.zero(k.s, k.d), s), (-d, k.zero(k.d, k.s))))
    if turn is not None:
        T = t.abbreviate("T", turn)
        back, IA = back @ T.T, IA @ T
    x.IAT = IA
    x.S = back @ x.IAT
    x.e = back @ (pA - x.IAT @ free)
    if count := t.ask("columns"):
        x.E = back @ t.read(columns, cols=count)
    return "S", "e", *(["E"] if count else [])


@traced
def free_end(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """S = 0 and e = 0 where nothing hangs."""
    t.called("free_end", "S and e at a free end")
    t.state("S", k.zero(k.n, k.n), AT_REST)
    t.state("e", k.zero(k.n), AT_REST)
    return "S", "e"


@traced
def same(x: At, _: Algebra, t: Tracer) -> tuple[str, ...]:
    """S and e that the program carries as the paper has them."""
    t.called("carried", "S and e at an end")
    t.state("S", x.Sz, DIALECT)
    t.state("e", x.ez, DIALECT)
    return "S", "e"


@traced
def transfer(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The transfer matrix (4), or (8) of several inputs: z_O = U z."""
    inputs, d, s, none = x.input_count, k.d, k.s, k.zero
    t.called(f"transfer_{inputs}", "transfer matrix of a rigid body")
    body = Body(x, k, t)
    rows = [list(row[:4]) for row in body.U]
    for number, y in enumerate(x.inputs[1:], start=2):
        lever = t.abbreviate(f"E_I{number}", -k.tilde(body.arm(y)))
        moment = k.unit_matrix(s), body.E6 + lever
        handed = (none(d, s), none(d, d)), (none(s, s), none(s, d)), moment
        for row, blocks in zip(rows, (*handed, body.U[3][2:4]), strict=True):
            row += blocks
    whole = [[*row, constant] for row, (*_, constant) in zip(rows, body.U, strict=True)]
    x.U = k.blocks(*whole, last_row(k, inputs))
    return ("U",)


Said = tuple[Kernel, Mapping[str, Ref | sp.Matrix]]


class _Joint:
    """What the program in joint coordinates carries, in the paper's letters."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan, self.d, self.forced = plan, plan.model.dimension, forced
        self.tree = Joint(plan, forced)

    def output(self, link: Link) -> Said:
        columns = self.tree.loops.width(link.name)
        arriving = columns if self.tree.loops.arriving_at(link) else 0
        kernel = output.of(dimension=self.d, axes=True, columns=arriving)
        return kernel, self.tree.call(kernel, link, {"Eo": Ref(f"E{columns}", link.name)}).reads

    def entering(self, child: Link) -> Said:
        columns = self.tree.loops.width(child.name)
        kernel = entering.of(dimension=self.d, axes=True, columns=columns)
        return kernel, self.tree.call(kernel, child, {"Eh": Ref(f"Eh{columns}", child.name)}).reads

    def inputs(self, link: Link) -> tuple[str, ...]:
        """Where loads enter a body: its inputs, then the ends of cut hinges."""
        ends = (end for hinge in self.plan.cuts for end in hinge.ends)
        cut = (end.point for end in ends if end.body == link.name)
        return (*link.inputs, *cut) or input_points(link)

    def transfer(self, link: Link) -> Said:
        inputs = self.inputs(link)
        if link.name in self.tree.beams.bending:
            facts = self.tree.beams.facts(link) | {"input_count": len(inputs)}
            of_beam = self.tree.beams.transferred(link) | {"g": self.tree.ground.gravity}
            return beam_letters.transfer.of(**facts, forced=self.forced), of_beam
        data = BodyConstants.of(link.rigid, inputs[0], (link.output, *inputs[1:]))
        K, pushes = self.tree.data[link.name].axes, self.tree.applied.on(link.name)
        inertia = data.inertia if self.d == 2 else K * data.inertia * K.T
        reads: Reads = {name: Ref(name, link.name) for name in ("A", "f")}
        reads |= {"omega": Ref("w", link.name)}
        reads |= {f"W_{k}": wrench for k, wrench in enumerate(pushes, start=1)}
        reads |= {"m": data.mass, "g": self.tree.ground.gravity, "rICb": K * data.centre}
        reads |= {"rIOb": K * data.arms[0], "J": inertia, "Jb": inertia}
        reads |= {f"rb_I{k}": K * arm for k, arm in enumerate(data.arms[1:], start=2)}
        count = {"input_count": len(inputs), "push_count": len(pushes)}
        return transfer.of(dimension=self.d, forced=self.forced, linked=True, **count), reads


class _Absolute:
    """The same of the fast form in absolute coordinates."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan, self.d, self.forced = plan, plan.model.dimension, forced
        self.writer = PaperWriter(plan, forced)

    def inputs(self, link: Link) -> tuple[str, ...]:
        return input_points(link)

    def output(self, link: Link) -> Said:
        reads: Reads = {name: Ref(name, link.name) for name in ("IA", "pA")}
        return output.of(dimension=self.d, axes=False, columns=0), reads

    def entering(self, child: Link) -> Said:
        reads: Reads = {name: Ref(name, child.name) for name in ("IAh", "pAh")}
        return entering.of(dimension=self.d, axes=False, columns=0), reads

    def transfer(self, link: Link) -> Said:
        kernel = transfer.of(**self.writer.kinds, input_count=len(self.inputs(link)))
        return kernel, self.writer.body_reads(link)


class _Paper(_Absolute):
    """The same of the paper form, which carries S and e: of the root chain, those in reverse."""

    def output(self, link: Link) -> Said:
        return same.of(dimension=self.d), {"Sz": Ref("S", link.name), "ez": Ref("e", link.name)}

    def entering(self, child: Link) -> Said:
        return same.of(dimension=self.d), {"Sz": Ref("Sh", child.name), "ez": Ref("eh", child.name)}

    def reverse(self) -> Iterator[tuple[str, Said]]:
        """At the ends of the root chain, from the ground on."""
        below = [self.writer.branch] if self.writer.branch and self.writer.root_chain else []
        chain = [self.plan.link(name) for name in self.writer.root_chain]
        for link in (*chain, *below):
            yield (
                f"{link.name}:{link.output}",
                (same.of(dimension=self.d), self.writer.above(link, "z")),
            )
            if link in chain:
                yield f"{link.name}:{link.inputs[0]}", _Paper.output(self, link)


def _ends(plan: Plan, of: _Joint | _Absolute) -> Iterator[tuple[str, Said]]:
    """S and e at every end of the tree, in the order of the sweep; the ground last."""
    paper = of.writer if isinstance(of, _Paper) else None
    for link in plan.links:
        if paper and link not in paper.inner:
            continue
        for point in () if link.inputs else link.free[:1]:
            yield f"{link.name}:{point}", (free_end.of(dimension=of.d), {})
        for point, child in zip(link.inputs, link.children, strict=True):
            yield f"{link.name}:{point}", of.entering(plan.link(child))
        yield f"{link.name}:{link.output}", of.output(link)
    for link in () if paper else plan.roots:
        yield landing(link.hinge, End(GROUND, "O")), of.entering(link)


def columns_at(plan: Plan, body: str) -> tuple[str, ...]:
    """The conditions of closed loops whose columns pass a body's output."""
    return Joint(plan, forced=False).loops.passing(body)


def in_letters(program: Program, plan: Plan, forced: bool) -> Program:
    """Riccati's program with one more entry: S, e at all ends and U of all bodies.

    Shape
        `S of` and `e of` an end, in the order (m, q) by (r̈, Ω̇), `U of` a body or
        a beam, which has none if it has but one point.
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
        bends = isinstance(link.body, Beam)
        if not bends or of.inputs(link) != (link.output,):  # else it is a beam with one point
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
