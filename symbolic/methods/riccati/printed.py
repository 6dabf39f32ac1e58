"""Algorithm B as the paper writes it down: the printed hinge, and the overall equation (57), (59).

The program of the paper's form with one more step, which states the matrices of a system with one
body of several inputs as Sect. 5.1 does: hinges (10), the multi-hinge (12), (13), what its inputs
contribute (53), (54), the overall matrix (57) and the system (59). With the printed hinge the
chains are swept through (10) too; it is singular then, so that this program is read and not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import sympy as sp

from ...language.program import (
    Array,
    Call,
    Entry,
    Kernel,
    KernelBuilder,
    Policy,
    Program,
    Ref,
    Sweep,
)
from ...language.words import counted
from ...mechanics import multihinge
from ...mechanics.space import POINT, Space
from ...mechanics.vectors import Layout
from ...plans.plan import Link, Plan
from . import recursion as riccati
from .letters import LETTERS, in_letters
from .paper import PaperWriter, Reads, paper_program
from .paper_kernels import STEP, BodyKernel
from .recursion import Coefficients, free_tip

#: What the step and its entry are called.
ASSEMBLY = "assembly"

#: The rows and columns of a planar state that stay in (59): r̈ = 0 and m = 0 at a pinned root.
TRIVIAL, SPIN, FORCE = 6, [2], [4, 5]


MAIN, GEOMETRIC = "Riccati paper (53)", "Riccati paper (54)"
REDUCED = "Riccati paper (59)"


@cache
def hinge(dimension: int) -> Kernel:
    """The printed hinge (10), from the outboard body's moment row, by (24), (29), (30)."""
    kernel = KernelBuilder("printed_hinge", "smooth hinge, as printed")
    body = BodyKernel(kernel, dimension, False)
    layout = Layout(dimension)
    k = layout.motions
    at = Coefficients(kernel.take("S", k, k), kernel.take("e", k))
    printed = multihinge.outboard_hinge(body.U, sp.eye(layout.size), layout)
    U = kernel.let("Uh", printed, "Riccati paper (10)")
    T = riccati.rearrange(U, free_tip(layout))
    P = kernel.solve("P", riccati.pivot(T, at), sp.eye(k), "Riccati paper (24)", Policy.LU)
    after, backward = riccati.advance(T, at, P)
    S = kernel.let("Sh", after.S, STEP)
    q = -(T.T21 * at.e + T.fb)
    kernel.let("eh", T.T11 * at.e + T.fa + S * q, STEP)
    kernel.let("Pq", backward.p, STEP)
    return kernel.build("P", "Pq", "Sh", "eh", "Uh")


@cache
def tip(dimension: int) -> Kernel:
    """U_tip: the whole state at a chain's end from (r̈, Ω̇, 1)."""
    kernel = KernelBuilder("tip", "state at the end of a chain")
    k = Layout(dimension).motions
    S, e = kernel.take("S", k, k), kernel.take("e", k)
    none = sp.zeros(k, 1)
    rows = [[sp.eye(k), none], [S, e], [none.T, sp.eye(1)]]
    kernel.let("Utip", sp.Matrix(sp.BlockMatrix(rows).as_explicit()), "Riccati paper (42), (48)")
    return kernel.build("Utip")


@cache
def multi_hinge(dimension: int, inputs: int) -> Kernel:
    """Û of every input from the body's moment row, and H_r̈,m of an input."""
    kernel = KernelBuilder(f"multi_hinge_{inputs}", f"multi-hinge of {counted(inputs, 'input')}")
    layout, end = Layout(dimension, inputs), Layout(dimension)
    U = kernel.take("U", end.size, layout.size)
    found = multihinge.multi_hinge(U, sp.eye(layout.size), layout)
    for k, matrix in enumerate(found, start=1):
        kernel.let(f"Uhat_{k}", matrix, "Riccati paper (12), (13)")
    kernel.let("H_rm", multihinge.selector(sp.eye(end.size), end), "Riccati paper (16)")
    return kernel.build("H_rm", *(f"Uhat_{k}" for k in range(1, inputs + 1)))


@cache
def geometric(dimension: int, inputs: int) -> Kernel:
    """H_O1,Ik: the acceleration of input k from the first one's, and m = 0."""
    kernel = KernelBuilder(f"geometric_{inputs}", "geometric equation of an input")
    space, layout = Space(dimension), Layout(dimension, inputs)
    rotation = space.rotation(kernel)
    W = space.centripetal(kernel, space.spin(kernel, rotation))
    arm = kernel.let("r", rotation * kernel.take("rb", dimension), POINT)
    motion = space.shift(arm)[:dimension, :]
    loads = sp.zeros(dimension, layout.size - layout.motions - 1)
    rows = sp.Matrix.hstack(motion, loads, W * arm)
    H = multihinge.geometric(rows, sp.eye(layout.motions), layout)
    kernel.let("H", H, "Riccati paper (14)–(17)")
    return kernel.build("H")


@cache
def overall(inputs: int, completed: bool) -> Kernel:
    """(53), (54), (57) and (59) of a planar body with several inputs, and its root.

    Of z_O, r̈ is S_rq q + e_r of the root chain, zero for a pin, and m is zero. `completed`: m = 0
    at the first input stands where row 4 of (59) says nothing.
    """
    kernel = KernelBuilder(f"overall_{inputs}_{completed}", "overall transfer equation")
    layout, end = Layout(2, inputs), Layout(2)
    U, H_rm = kernel.take("U", end.size, layout.size), kernel.take("H_rm", 3, end.size)
    hats = [kernel.take(f"Uhat_{k}", layout.size, end.size) for k in range(1, inputs + 1)]
    tips = [kernel.take(f"Utip_{k}", end.size, end.motions + 1) for k in range(1, inputs + 1)]
    H = {k: kernel.take(f"H_{k}", 3, layout.size) for k in range(2, inputs + 1)}
    names = ["Uall", "Ubar", "b"]
    main = [kernel.let(f"main_{k}", U * hat, MAIN) for k, hat in enumerate(hats, start=1)]
    names += [f"main_{k}" for k in range(1, inputs + 1)]
    rows = [sp.Matrix.hstack(-sp.eye(7), *(m * tip for m, tip in zip(main, tips, strict=True)))]
    for k, H_k in H.items():
        at = []
        for j, hat in enumerate(hats, start=1):
            names.append(f"geo_{k}_{j}")
            at.append(kernel.let(names[-1], H_k * hat - (H_rm if j == k else 0 * H_rm), GEOMETRIC))
        rows.append(
            sp.Matrix.hstack(sp.zeros(3, 7), *(g * tip for g, tip in zip(at, tips, strict=True)))
        )
    whole = kernel.let("Uall", sp.Matrix.vstack(*rows), "Riccati paper (57)")
    S_O, e_O = kernel.take("S_O", 3, 3), kernel.take("e_O", 3)

    kept = [i for i in range(whole.rows) if i != TRIVIAL]
    chains = [7 + 4 * k for k in range(inputs)]
    root, ones = whole.extract(kept, [0, 1]), [TRIVIAL, *(start + 3 for start in chains)]
    matrix = sp.Matrix.hstack(
        whole.extract(kept, SPIN),
        whole.extract(kept, FORCE) + root * S_O[1:, 1:],
        *(whole.extract(kept, [start, start + 1, start + 2]) for start in chains),
    )
    right = -root * e_O[1:, :] - whole.extract(kept, ones) * sp.ones(len(ones), 1)
    if completed:
        matrix[3, :], right[3] = sp.zeros(1, matrix.cols), -tips[0][3, 3]
        matrix[3, 3:6] = tips[0][3, :3]
    kernel.let("Ubar", matrix, REDUCED)
    kernel.let("b", right, REDUCED)
    return kernel.build(*names)


class PrintedWriter(PaperWriter):
    """The paper's algorithms with the printed hinge in the chains that have tips."""

    def _hinge(self, kernel: Kernel, link: Link) -> Call:
        call = super()._hinge(kernel, link)
        if link not in self.inner:
            return call
        assert link.parent is not None
        reads = {**self.body_reads(self.plan.link(link.parent)), **call.reads}
        writes = {**call.writes, "Uh": Ref("Uh of", link.name)}
        return Call(hinge(self.dimension), link.name, reads, writes)


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
    link, d = writer.branch, writer.dimension
    assert link is not None
    L, name, inputs = len(link.inputs), link.name, link.inputs
    for each in writer.inner:
        if each.name in link.children or not each.children:
            at: Reads = {"S": Ref("S", each.name), "e": Ref("e", each.name)}
            yield Call(tip(d), each.name, at, {"Utip": Ref("Utip of", each.name)})
    U, H_rm = {"U": Ref(f"U{L} of", name)}, {"H_rm": Ref("H_rm of", name)}
    hats = {f"Uhat_{k}": Ref("Uhat of", point) for k, point in enumerate(inputs, start=1)}
    yield Call(multi_hinge(d, L), name, U, {**hats, **H_rm})
    further = {f"H_{k}": Ref("H of", point) for k, point in enumerate(inputs[1:], start=2)}
    arms = writer.data(link, inputs[0], (link.output, *inputs[1:])).arms
    for ref, arm in zip(further.values(), arms[1:], strict=True):
        at = {**writer.orientation(link), "omega": Ref("v", name), "rb": arm}
        yield Call(geometric(d, L), ref.member, at, {"H": ref})
    tips = {f"Utip_{k}": Ref("Utip of", child) for k, child in enumerate(link.children, start=1)}
    writes = {x: Ref(f"{x} of", name) for x in ("Uall", "Ubar", "b")}
    for k, point in enumerate(inputs, start=1):
        writes[f"main_{k}"] = Ref("main of", point)
        for j, other in enumerate(inputs[1:], start=2):
            writes[f"geo_{j}_{k}"] = Ref("geo of", f"{other} {point}")
    reads = {**U, **hats, **tips, **H_rm, **further, **writer.above(link)}
    yield Call(overall(L, not isinstance(writer, PrintedWriter)), name, reads, writes)
