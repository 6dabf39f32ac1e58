"""Algorithm B as the paper writes it down: the printed hinge, and the overall equation (57), (59).

The program of the paper's form with one more step, which states the matrices of a system with one
body of several inputs as Sect. 5.1 does: hinges (10), the multi-hinge (12), (13), what its inputs
contribute (53), (54), the overall matrix (57) and the system (59). With the printed hinge the
chains are swept through (10) too; it is singular then, so that this program is read and not run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from ...language.letters import letters
from ...language.program import Array, Call, Entry, Kernel, Policy, Program, Ref, Sweep
from ...language.words import counted
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import cosines, spinning
from ...mechanics.vectors import Layout
from ...plans.plan import Link, Plan
from ...tree.recursion_kernels import centripetal
from .letters import LETTERS, in_letters
from .paper import PaperWriter, Reads, paper_program
from .paper_kernels import FREE, PAPER, Body, Grid, advance, lever, split
from .recursion import Coefficients, pivot

#: What the step and its entry are called.
ASSEMBLY = "assembly"

#: What of a planar state stays in (59), counted from 1: r̈ = 0 and m = 0 at a pinned root.
TRIVIAL, SPIN, FORCE = 7, (3,), (5, 6)

REDUCED = "Riccati paper (59)"


PRINTED = PAPER | letters(f"""
    Uh   | Û     | 1 | Riccati paper (10) | matrix of the printed hinge
    Sh   | S⁺    | 1 | Riccati paper (29) | S behind the hinge
    eh   | e⁺    | 1 | Riccati paper (30) | e behind the hinge
    Utip | U_tip | 1 | Riccati paper (42), (48) | state at a chain's end from (r̈, Ω̇, 1)
    U    | U     | 1 | | matrix of the body with several inputs
    Uhat | Û     | 1 | Riccati paper (12), (13) | an input's part of the multi-hinge's matrix
    H_rm | H_rm  | 1 | Riccati paper (16) | picks r̈ and m of a state
    H    | H     | 1 | Riccati paper (14)–(17) | r̈ of a further input by the body's state
    main | U_m   | 1 | Riccati paper (53) | what an input gives to the output's state
    geo  | U_g   | 1 | Riccati paper (54) | what an input gives to a geometric equation
    Uall | U_all | 1 | Riccati paper (57) | overall transfer matrix
    Ubar | Ū     | 1 | {REDUCED} | matrix of the system
    b    | b     | 1 | {REDUCED} | right-hand side of the system
""")

traced = tracing(PRINTED, FACTS, {})


def hats(k: Algebra, u: Sequence[M]) -> list[Grid]:
    """The printed Û of every input (12), (13), block by block; of one alone the hinge (10).

    They ask that the *outboard body's output* carries no moment, by `u`, the moment row of its
    matrix (4) or (8). That condition belongs to the next hinge, so the first hinge of every chain
    is left without one.
    """
    inputs = (len(u) - 3) // 2
    heights, widths = (k.d, k.s, *[k.s, k.d] * inputs, 1), (k.d, k.s, k.s, k.d, 1)
    turn, one, unit = -u[1].inverse, k.unit_matrix(k.d), k.unit_matrix(k.s)
    none = k.zero if inputs == 1 else k.zeros
    found: list[Grid] = []
    for i in range(1, inputs + 1):
        m, q = 2 * i, 2 * i + 1
        blocks = {(m, 2): unit, (q, 3): one, (1, 2): turn @ u[m], (1, 3): turn @ u[q]}
        if i == 1:
            blocks |= {(0, 0): one, (1, 0): turn @ u[0], (1, 4): turn @ u[-1]}
            blocks[len(heights) - 1, 4] = k.unit_matrix(1)
        found.append(
            [
                [blocks.get((i, j), none(height, width)) for j, width in enumerate(widths)]
                for i, height in enumerate(heights)
            ]
        )
    return found


def moment_row(k: Algebra, U: M, inputs: int) -> list[M]:
    """u₃,₁ … of a body's matrix (4) or (8), block by block."""
    rows = range(k.n + 1, k.n + k.s + 1)
    blocks = Layout(k.d, inputs).blocks.values()
    return [part(U, rows, [i + 1 for i in block]) for block in blocks]


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The printed hinge (10), from the outboard body's moment row, by (24), (29), (30)."""
    t.called("printed_hinge", "smooth hinge, as printed")
    (U,) = hats(k, Body(x, k, t).U[2])
    at = Coefficients(x.S, x.e)
    x.Uh = k.blocks(*U)
    T = split(t, k, U, FREE)
    t.solve("P", pivot(T, at), k.unit_matrix(k.n), "Riccati paper (24)", Policy.LU)
    advance(x, t, T, at, -(T.T21 @ at.e + T.fb), "h")
    return "P", "Pq", "Sh", "eh", "Uh"


@traced
def tip(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """U_tip: the whole state at a chain's end from (r̈, Ω̇, 1)."""
    t.called("tip", "state at the end of a chain")
    n, none = k.n, k.zero
    x.Utip = k.blocks((k.unit_matrix(n), none(n)), (x.S, x.e), (none(1, n), k.unit_matrix(1)))
    return ("Utip",)


@traced
def multi_hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Û of every input from the body's moment row, and H_r̈,m of an input."""
    inputs = x.input_count
    t.called(f"multi_hinge_{inputs}", f"multi-hinge of {counted(inputs, 'input')}")
    end = Layout(k.d)
    U = t.read("U", rows=end.size, cols=Layout(k.d, inputs).size)
    for i, hat in enumerate(hats(k, moment_row(k, U, inputs)), start=1):
        t.state("Uhat", k.blocks(*hat), mark=f"_{i}")
    places = [i + 1 for i in (*end.acceleration, *end.moment())]
    x.H_rm = part(k.unit_matrix(end.size), places)
    return "H_rm", *(f"Uhat_{i}" for i in range(1, inputs + 1))


@traced
def geometric(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """H_O1,Ik: the acceleration of input k from the first one's, and m = 0."""
    inputs, d, s = x.input_count, k.d, k.s
    t.called(f"geometric_{inputs}", "geometric equation of an input")
    A = cosines(x, k, t)
    W = centripetal(k, t, spinning(x, k, A))
    x.r = A @ x.rb
    loads = k.n * inputs
    x.H = k.blocks(
        (k.unit_matrix(d), lever(k, x.r), k.zeros(d, loads), W @ x.r),
        (k.zero(s, d), k.zero(s, s), k.zero(s, loads), k.zero(s)),
    )
    return ("H",)


@traced
def overall(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """(53), (54), (57) and (59) of a planar body with several inputs, and its root.

    Of z_O, r̈ is S_rq q + e_r of the root chain, zero for a pin, and m is zero. `completed`: m = 0
    at the first input stands where row 4 of (59) says nothing.
    """
    inputs, completed = x.input_count, t.ask("completed")
    t.called(f"overall_{inputs}_{completed}", "overall transfer equation")
    layout, end, n, numbers = Layout(2, inputs), Layout(2), k.n, range(1, inputs + 1)
    U, H_rm = t.read("U", rows=end.size, cols=layout.size), t.read("H_rm", rows=n, cols=end.size)
    hat = {i: t.read("Uhat", f"_{i}", end.size, layout.size) for i in numbers}
    tip = {i: t.read("Utip", f"_{i}", n + 1, end.size) for i in numbers}
    H = {i: t.read("H", f"_{i}", layout.size, n) for i in numbers[1:]}
    names = ["Uall", "Ubar", "b"]

    def stated(word: str, value: M, mark: str) -> M:
        names.append(f"{word}{mark}")
        return t.state(word, value, mark=mark)

    main = {i: stated("main", U @ hat[i], f"_{i}") for i in numbers}
    rows = [[-k.unit_matrix(end.size), *(main[i] @ tip[i] for i in numbers)]]
    for i, H_i in H.items():
        geo = {
            j: stated("geo", H_i @ hat[j] - (H_rm if i == j else k.zero()), f"_{i}_{j}")
            for j in numbers
        }
        rows.append([k.zero(n, end.size), *(geo[j] @ tip[j] for j in numbers)])
    x.Uall = k.blocks(*rows)
    root = At(t, "_O")
    S_rq, e_r = part(root.S, (2, 3), (2, 3)), part(root.e, (2, 3))

    whole = x.Uall
    kept = [i for i in range(1, whole.value.rows + 1) if i != TRIVIAL]
    chains = [range(end.size + 4 * i + 1, end.size + 4 * i + 4) for i in range(inputs)]
    r, ones = part(whole, kept, (1, 2)), [end.size, *(at[-1] + 1 for at in chains)]
    left = [part(whole, kept, SPIN), part(whole, kept, FORCE) + r @ S_rq]
    system = k.beside(*left, *(part(whole, kept, at) for at in chains))
    right = -(r @ e_r + part(whole, kept, ones) @ k.formula(sp.ones(len(ones), 1)))
    if completed:
        size, (first, *_) = len(kept), tip.values()
        moment = k.zeros(1, n), part(first, (4,), (1, 2, 3)), k.zeros(1, size - 2 * n)
        before, after = range(1, 4), range(5, size + 1)
        system, right = t.abbreviate("U₅₉", system), t.abbreviate("b₅₉", right)
        system = k.blocks((part(system, before),), (k.beside(*moment),), (part(system, after),))
        right = k.stack(part(right, before), -part(first, (4,), (4,)), part(right, after))
    x.Ubar, x.b = system, right
    return tuple(names)


class PrintedWriter(PaperWriter):
    """The paper's algorithms with the printed hinge in the chains that have tips."""

    def _hinge(self, kernel: Kernel, link: Link) -> Call:
        call = super()._hinge(kernel, link)
        if link not in self.inner:
            return call
        assert link.parent is not None
        reads = {**self.body_reads(self.plan.link(link.parent)), **call.reads}
        writes = {**call.writes, "Uh": Ref("Uh of", link.name)}
        return Call(hinge.of(**self.kinds), link.name, reads, writes)


def has_branches(plan: Plan) -> bool:
    """Whether Algorithm B is of this system: a planar tree with one body of several inputs."""
    model = plan.model
    if model.dimension != 2 or not model.absolute or model.beams or plan.cuts:
        return False
    return sum(len(link.inputs) > 1 for link in plan.links) == 1


def printed_program(plan: Plan, completed: bool, runtime: tuple[str, ...] = ()) -> Program:
    """Algorithm B of a system as Sect. 5.1 writes it, with the printed hinge or the completed one.

    `name[member]` are its matrices: `Uh` of the body inside a printed hinge, `Utip` of a body at
    either end of a chain, `Uhat`, `main` and `H` of an input, `geo` of two inputs, `Uall`, `Ubar`,
    `b` and `H_rm` of the body with inputs.

    Source
        Riccati paper, (10)–(17), (42)–(59).
    """
    writer = (PaperWriter if completed else PrintedWriter)(plan, False)
    program = in_letters(paper_program(plan, runtime=runtime, writer=writer), plan, False)
    step = Sweep(ASSEMBLY, "Algorithm B as the paper writes it", tuple(_calls(writer)))
    members: dict[str, list[str]] = {}
    arrays: dict[str, Array] = {}
    for call in (call for each in (*program.steps, step) for call in each.single_calls()):
        for port in call.kernel.outputs:
            array, member = call.writes[port.name].array, call.writes[port.name].member
            if array not in program.arrays:
                members.setdefault(array, []).append(member)
                arrays[array] = Array(array, array, replace(port, name=array))
    letters = next(entry for entry in program.entries if entry.name == LETTERS)
    entry = Entry(ASSEMBLY, step.title, (*letters.steps, ASSEMBLY), tuple(arrays))
    return replace(
        program,
        sets={**program.sets, **{array: tuple(found) for array, found in members.items()}},
        arrays={**program.arrays, **arrays},
        steps=(*program.steps, step),
        entries=(*program.entries, entry),
    )


def _calls(writer: PaperWriter) -> Iterator[Call]:
    """The ends of the chains, and the assembly at the body with several inputs."""
    link = writer.branch
    assert link is not None
    L, name, inputs = len(link.inputs), link.name, link.inputs
    kinds = writer.kinds | {"input_count": L}
    for each in writer.inner:
        if each.name in link.children or not each.children:
            at: Reads = {"S": Ref("S", each.name), "e": Ref("e", each.name)}
            yield Call(tip.of(**kinds), each.name, at, {"Utip": Ref("Utip of", each.name)})
    U, H_rm = {"U": Ref(f"U{L} of", name)}, {"H_rm": Ref("H_rm of", name)}
    hats = {f"Uhat_{k}": Ref("Uhat of", point) for k, point in enumerate(inputs, start=1)}
    yield Call(multi_hinge.of(**kinds), name, U, {**hats, **H_rm})
    further = {f"H_{k}": Ref("H of", point) for k, point in enumerate(inputs[1:], start=2)}
    arms = writer.data(link, inputs[0], (link.output, *inputs[1:])).arms
    for ref, arm in zip(further.values(), arms[1:], strict=True):
        at = {**writer.orientation(link), "omega": Ref("v", name), "rb": arm}
        yield Call(geometric.of(**kinds), ref.member, at, {"H": ref})
    tips = {f"Utip_{k}": Ref("Utip of", child) for k, child in enumerate(link.children, start=1)}
    writes = {x: Ref(f"{x} of", name) for x in ("Uall", "Ubar", "b")}
    for k, point in enumerate(inputs, start=1):
        writes[f"main_{k}"] = Ref("main of", point)
        for j, other in enumerate(inputs[1:], start=2):
            writes[f"geo_{j}_{k}"] = Ref("geo of", f"{other} {point}")
    reads = {**U, **hats, **tips, **H_rm, **further, **writer.above(link)}
    yield Call(
        overall.of(**kinds, completed=not isinstance(writer, PrintedWriter)), name, reads, writes
    )
