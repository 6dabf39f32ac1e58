"""The kernels of the paper's form: body, hinge, multi-input system, in the paper's letters."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ...language.letters import letters
from ...language.program import Policy
from ...language.words import counted
from ...language.written import LOW
from ...mechanics.letters import FACTS, LEFT, REST, YIELDED
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.space import POINT
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import cosines, spinning
from ...tree.absolute_kernels import ABSOLUTE, turned_inertia
from ...tree.recursion_kernels import centripetal
from .recursion import Blocks, Coefficients, next_e, next_S, pivot

ABBREVIATIONS = "Riccati paper (5)"
MATRIX = "Riccati paper (4)"
BACKWARD = "Riccati paper (33)"
REVERSED = "U⁻¹ = Σ U_rev Σ: Riccati paper, step (B2)"
JOINED = "what several inputs transmit, at the first one: Riccati paper (7), (14)"
ASSEMBLED = "Riccati paper (59) from (7), (11), (15), with m = 0 at the first input too"
ENDED = "Riccati paper (32), step (A4)"
SOLVED = "Riccati paper (60)"

PAPER = ABSOLUTE | letters(f"""
    J    | J    | s s sym | | moment of inertia about I₁
    Jb   | J′   | s s sym | | moment of inertia about I₁, in the body's axes
    rICb | r′_IC | d      | | from I₁ to the centre of mass, in the body's axes
    rIOb | r′_IO | d      | | from I₁ to the output, in the body's axes
    rIC  | r_IC | d       | {ABBREVIATIONS} | from I₁ to the centre of mass
    rIO  | r_IO | d       | {ABBREVIATIONS} | from I₁ to the output
    rb   | r′   | d       | | from I₁ to a further input, in the body's axes
    r    | r    | d       | {POINT} | from I₁ to a further input
    fC   | f_C  | d       | {ABBREVIATIONS} | weight and external force
    E2   | E2   | d       | {ABBREVIATIONS} | centripetal acceleration of a point, against I₁
    E4   | E4   | d s     | {ABBREVIATIONS} | force for the acceleration of C by Ω̇
    E5   | E5   | d       | {ABBREVIATIONS} | force without accelerations of I₁
    E8   | E8   | s s sym | {ABBREVIATIONS} | moment of inertia about I₁, in inertial axes
    E9   | E9   | s       | {ABBREVIATIONS} | moment about I₁ without accelerations
    u31  | u31  | s d     | {MATRIX} | moment of the output by r̈ of I₁
    u32  | u32  | s s     | {MATRIX} | moment of the output by Ω̇
    u35  | u35  | s       | {MATRIX} | moment of the output by speeds and loads alone
    S    | S    | n n     | Riccati paper (29) | slope of z_a = S z_b + e at an end
    e    | e    | n       | Riccati paper (30) | offset of z_a = S z_b + e at an end
    SJ   | S_J  | n n     | {JOINED} | S of inputs up to this one, at the first
    eJ   | e_J  | n       | {JOINED} | e of inputs up to this one, at the first
    P    | P    | n n     | Riccati paper (24) | z_b of the input by that of the output
    Pq   | p    | n       | Riccati paper (24), (25) | z_b of the input where the output's is 0
    qR   | q    | n       | Riccati paper (24) | what z_b of the output has beside P⁻¹ z_b
    K    | K    | s n     | {YIELDED} | Ω̇ behind the hinge by the rest of z_b, and alone
    Sh   | S⁺   | n n     | {LEFT} | S behind the hinge
    eh   | e⁺   | n       | {REST} | e behind the hinge
    zbar | z̄    | n       | {ASSEMBLED} | Ω̇ and q of the output, then z_b of every input
    zb   | z_b  | n       | {SOLVED} | the part of an end's state that z_a follows from
    zbI  | z_bI | n       | {BACKWARD} | z_b of an element's input
    za   | z_a  | n       | Riccati paper (31): z_a = S z_b + e | the other part of an end's state
    dOmega | Ω̇  | s       | {ENDED} | angular acceleration, in inertial axes
""")

traced = tracing(PAPER, FACTS, {})

#: The blocks r̈, Ω̇, m, q of a state that are z_a and z_b: at a free tip, and at a pinned one.
FREE, PINNED = ((2, 3), (0, 1)), ((2, 0), (1, 3))

Grid = Sequence[Sequence[M]]


def lever(k: Algebra, r: M) -> M:
    """What gives r̈ of the point at r by Ω̇: −~r, in the plane a column."""
    return k.tilde(r).T if k.d == 2 else -k.tilde(r)


class Body:
    """A body inside a kernel: takes its data, states (5), and gives (4).

    `linked`: orientation and spin are those of a link in joint coordinates, and wrenches act at
    its origin, which is the output end.
    """

    def __init__(self, x: At, k: Algebra, t: Tracer) -> None:
        linked, forced, d, s = t.ask("linked"), t.ask("forced"), k.d, k.s
        A = self.A = x.A if linked else cosines(x, k, t)
        spin = spinning(x, k, A)
        W = self.W = centripetal(k, t, spin)
        m, force, couple = x.m, x.m @ x.g, k.zero(s)
        x.rIC = A @ x.rICb
        x.rIO = A @ x.rIOb
        if forced:
            load = x.f
            force, couple = force + k.lin(load), k.ang(load)
        if forced and not linked:
            couple = couple + k.turned(A, x.tau)
        for y in x.by if linked else ():
            pull = A @ k.lin(y.W)
            force = force + pull
            couple = couple + k.turned(A, k.ang(y.W)) - k.moment(x.rIC - x.rIO, pull)
        x.fC = force
        gyroscopic = k.zero(s)
        if d == 3:
            x.E8 = turned_inertia(x, t, A)
            x.JO = x.E8 @ spin
            gyroscopic = k.cross(spin, x.JO)
        E8 = t.abbreviate("E8", x.J) if d == 2 else x.E8
        E1 = t.abbreviate("E1", lever(k, x.rIO))
        x.E2 = W @ x.rIO
        E3 = t.abbreviate("E3", -k.one(m))
        x.E4 = -(m @ lever(k, x.rIC))
        x.E5 = x.fC - m @ W @ x.rIC
        E6, E7 = t.abbreviate("E6", k.tilde(x.rIO)), t.abbreviate("E7", m @ k.tilde(x.rIC))
        x.E9 = gyroscopic - couple - k.moment(x.rIC, x.fC)
        x.u31 = E6 @ E3 + E7
        x.u32 = E6 @ x.E4 + E8
        x.u35 = E6 @ x.E5 + x.E9
        one, unit, none = k.unit_matrix(d), k.unit_matrix(s), k.zero
        self.E1, self.E3, self.E6 = E1, E3, E6
        self.U: Grid = (
            (one, E1, none(d, s), none(d, d), x.E2),
            (none(s, d), unit, none(s, s), none(s, d), none(s)),
            (x.u31, x.u32, unit, E6, x.u35),
            (E3, x.E4, none(d, s), one, x.E5),
        )

    def arm(self, y: At) -> M:
        """State r of a further input, and its centripetal acceleration E2 (17)."""
        y.r = self.A @ y.rb
        y.E2 = self.W @ y.r
        r: M = y.r
        return r


def split(t: Tracer, k: Algebra, U: Grid, of: tuple[tuple[int, int], ...]) -> Blocks:
    """The blocks of (20): rows and columns of U in the order z_a, z_b."""
    a, b = of

    def block(word: str, rows: Sequence[int], cols: Sequence[int]) -> M:
        parts = [[U[i][j] for j in cols] for i in rows]
        if all(x.nothing for row in parts for x in row):
            return k.zero(k.n, k.n)
        column = len(cols) == 1
        return t.abbreviate(word, k.stack(*(x for (x,) in parts)) if column else k.blocks(*parts))

    return Blocks(
        block("T11", a, a), block("T12", a, b), block("T21", b, a), block("T22", b, b),
        block("f_a", a, [4]), block("f_b", b, [4]),
    )  # fmt: skip


def last_row(k: Algebra, inputs: int = 1) -> list[M]:
    """The row of a matrix that gives 1."""
    sizes = (k.d, k.s, *[k.s, k.d] * inputs)
    return [*(k.zero(1, size) for size in sizes), k.unit_matrix(1)]


def advance(x: At, t: Tracer, T: Blocks, at: Coefficients, q: M, mark: str = "") -> None:
    """State S and e at the output, and p of the way back."""
    S = t.state(f"S{mark}", next_S(T, at, x.P))
    t.state(f"e{mark}", next_e(T, at, S, q))
    x.Pq = x.P @ q


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body by (24), (29), (30), free-tip split; several inputs are joined first."""
    inputs = x.input_count
    t.called(f"paper_body_{inputs}", f"rigid body, {counted(inputs, 'input')}, paper form")
    of = Body(x, k, t)
    at = Coefficients(k.zero(k.n, k.n), k.zero(k.n))
    for number, y in enumerate(x.inputs, start=1):
        if number == 1:
            at = Coefficients(y.S, y.e)
            continue
        r, E2 = of.arm(y), y.E2
        moved = k.blocks((k.unit_matrix(k.s), -k.tilde(r)), (k.zero(k.d, k.s), k.unit_matrix(k.d)))
        Y, S, e = t.abbreviate(f"Y{LOW[number]}", moved), y.S, y.e
        joined = at.S + Y @ S @ k.X(r), at.e + Y @ (S @ k.stack(E2, k.zero(k.s)) + e)
        words = zip(("SJ", "eJ"), joined, strict=True)
        at = Coefficients(*(t.state(word, value, mark=str(number)) for word, value in words))
    # T21 = 0 and T22 = [𝟏 E1; 0 𝟏], whose inverse is known.
    T = split(t, k, of.U, FREE)
    x.P = pivot(T, at).inverse.by(2 * sp.eye(k.n) - T.T22.value)
    advance(x, t, T, at, -T.fb)
    return "S", "e", "P", "Pq"


@traced
def reversed_body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body of the root chain, from its output to its input, pinned split of Σ U Σ."""
    t.called("paper_reversed", "rigid body of the root chain, swept in reverse")
    U = Body(x, k, t).U
    above = At(t, "_O")
    at = Coefficients(above.S, above.e)
    reverse = [
        [-block if (i in (2, 3)) != (j in (2, 3)) else block for j, block in enumerate(row)]
        for i, row in enumerate(U)
    ]
    T = split(t, k, reverse, PINNED)
    t.solve("P", pivot(T, at), k.unit_matrix(k.n), REVERSED, Policy.LU)
    x.qR = -(T.T21 @ at.e + T.fb)
    advance(x, t, T, at, x.qR)
    return "S", "e", "P", "Pq"


def _moments(t: Tracer, k: Algebra, at: Coefficients, spins: range) -> tuple[M, M, M]:
    """Of the moments at an end S_mΩ, the rest of their rows of S, and e_m."""
    rows = range(1, k.s + 1)
    rest = range(1, k.d + 1) if 1 not in spins else range(k.s + 1, k.n + 1)
    return (
        t.abbreviate("S_mΩ", part(at.S, rows, spins)),
        t.abbreviate("S_ms", part(at.S, rows, rest)),
        t.abbreviate("e_m", part(at.e, rows)),
    )


def _spins(k: Algebra, pinned: bool) -> range:
    """Where Ω̇ stands in z_b, counted from 1."""
    return range(1, k.s + 1) if pinned else range(k.d + 1, k.n + 1)


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The completed hinge: m = 0 there eliminates the inboard Ω̇."""
    pinned, d, s, none = t.ask("pinned"), k.d, k.s, k.zero
    t.called(f"paper_hinge{'_reversed' * pinned}", "smooth hinge, paper form, completed")
    at = Coefficients(x.S, x.e)
    S_mO, S_ms, e_m = _moments(t, k, at, _spins(k, pinned))
    K = t.solve("K", S_mO, -k.beside(S_ms, e_m), YIELDED, Policy.LU)
    slope = (-(S_mO.inverse @ S_ms)).by(K[:, :d])
    offset = (-(S_mO.inverse @ e_m)).by(K[:, d:])
    rows, column = [[k.unit_matrix(d), none(d, s)], [slope, none(s, s)]], [none(d), offset]
    if pinned:
        rows, column = [row[::-1] for row in rows[::-1]], column[::-1]
    t.state("P", k.blocks(*rows), YIELDED)
    t.state("Pq", k.stack(*column), YIELDED)
    N = k.blocks((none(s, s), none(s, d)), (none(d, s), k.unit_matrix(d)))
    left = t.abbreviate("N", N) @ at.S @ x.P
    x.Sh = left.by(
        left.value * sp.diag(*(int(j not in _spins(k, pinned)) for j in range(1, k.n + 1)))
    )
    x.eh = t.abbreviate("N", N) @ (at.S @ x.Pq + at.e)
    return "P", "Pq", "Sh", "eh"


@traced
def overall(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The (3 + 3L)² or (6 + 6L)² system of the body with L inputs nearest to the root.

    Unknowns: Ω̇ and q of the output, then r̈, Ω̇ of every chain's end. The angular row of the
    multi-hinge (11) is used multiplied by u₃,₂, so that no inverse of it is needed. `chained`:
    the root chain's relation r̈ = S_rq q + e_r stands for the pinned root's r̈ = 0.
    """
    inputs, d, s, n = x.input_count, k.d, k.s, k.n
    t.called(f"paper_overall_{inputs}", f"system of a body with {counted(inputs, 'input')}")
    of, none, one = Body(x, k, t), k.zero, k.unit_matrix(k.d)
    moments, forces = range(1, s + 1), range(s + 1, n + 1)
    ends = [Coefficients(y.S, y.e) for y in x.inputs]
    S_rq, e_r = none(d, d), none(d)
    if t.ask("chained"):
        root = At(t, "_O")
        S_rq, e_r = part(root.S, forces, forces), part(root.e, forces)
    place = k.beside(one, none(d, s))
    # Blocks of a row by their columns: Ω̇ and q of the output, then z_b of every input.
    rows: list[tuple[dict[int, M], M]] = []
    moment, m = {0: x.u32, 2: k.beside(x.u31, none(s, s))}, x.u35
    force, q = {0: x.E4, 1: -one, 2: k.beside(of.E3, none(d, s))}, x.E5
    for at, (y, end) in enumerate(zip(x.inputs, ends, strict=True), start=2):
        S_m, S_q, e_m, e_q = (part(y, i) for y in (end.S, end.e) for i in (moments, forces))
        handed, also = S_m, e_m
        if at > 2:
            r = of.arm(y)
            rows.append(({0: -lever(k, r), 2: -place, at: place}, y.E2))
            handed, also = S_m - k.tilde(r) @ S_q, e_m - k.tilde(r) @ e_q
        rows.append(({at: S_m}, -e_m))
        moment[at] = moment.get(at, none()) + handed + of.E6 @ S_q
        force[at] = force.get(at, none()) + S_q
        m, q = m + also + of.E6 @ e_q, q + e_q
    rows += [({0: of.E1, 1: -S_rq, 2: place}, e_r - x.E2), (moment, -m), (force, -q)]
    system = [
        [row.get(i, none(right.value.rows, width)) for i, width in enumerate((s, d, *[n] * inputs))]
        for row, right in rows
    ]
    U = t.abbreviate("Ū", k.blocks(*system))
    t.solve("zbar", U, t.abbreviate("b", k.stack(*(x for _, x in rows))), ASSEMBLED, Policy.LU)
    for i, y in enumerate((At(t, "O"), *x.inputs)):
        y.zb = part(t.known("zbar"), range(n * i + 1, n * (i + 1) + 1))
    return "zbO", *(f"zb_I{i}" for i in range(1, inputs + 1))


@traced
def chain_root(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """(A4): the pinned root of a chain, r̈ = 0 and m = 0 in (32)."""
    t.called("paper_root", "pinned root of a chain")
    S_mO, _, e_m = _moments(t, k, Coefficients(x.S, x.e), _spins(k, False))
    t.solve("dOmega", S_mO, -e_m, ENDED, Policy.LU)
    t.state("zb", k.stack(k.zero(k.d), x.dOmega), ENDED)
    return ("zb",)


@traced
def back(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """(33): z_b at an element's input from z_b at its output."""
    element = t.ask("element")
    t.called(f"paper_back_{element}", f"back-substitution through a {element}")
    P, p = x.P, x.Pq
    x.zbI = P @ x.zb + p
    return ("zbI",)


@traced
def point(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """z_b at a further input from that at I₁ (14)."""
    t.called("paper_point", "acceleration of a further input")
    A = cosines(x, k, t)
    W = centripetal(k, t, spinning(x, k, A))
    x.r = A @ x.rb
    t.state("zbI", k.X(x.r) @ x.zb + k.stack(W @ x.r, k.zero(k.s)), POINT)
    return ("zbI",)


@traced
def spin(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's own acceleration coordinate from z_b: ω̇ = Aᵀ Ω̇."""
    pinned = t.ask("pinned")
    t.called(f"paper_spin{'_root' * pinned}", "angular acceleration")
    rate = part(x.zb, _spins(k, pinned))
    x.a = rate if k.d == 2 else x.A.T @ rate
    return ("a",)


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at an output end: z_a = S z_b + e (31)."""
    pinned = t.ask("pinned")
    t.called(f"paper_load{'_root' * pinned}", "loads at a hinge")
    S, e, zb = x.S, x.e, x.zb
    x.za = S @ zb + e
    force = part(zb if pinned else x.za, range(k.s + 1, k.n + 1))
    x.load = k.load(part(x.za, range(1, k.s + 1)), force)
    return ("load",)
