"""The kernels of a chain in segments: its two ends, and how segments are joined.

A segment of a chain is known by two handles, its near end (towards the root) and its far end. What
hangs on the far end demands the wrench B f there, of which B is known and f is not:

    λ = IA a + pA + C f        what the segment demands at its near end, which moves as a
    z = Cᵀ a + L f + y         how its far end moves, z being what works with f: Bᵀ a_far

The first line is the page's inward sweep with f as columns, the second its sweep outwards; that one
C serves both is the reciprocity of the two ends (Maxwell), and L, minus a compliance, is symmetric.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ...language.letters import letters
from ...language.program import Kernel, Policy, Port
from ...mechanics.letters import BACK
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.space import POINT
from ...mechanics.traced import At, Tracer, tracing

TWO_HANDLES = "divide-and-conquer paper (34) – (36): two-handle form"
MERGE = "divide-and-conquer paper (26), (34) – (36), in the form L D Lᵀ"
JOINED = "divide-and-conquer paper (26), (34) – (36)"

SEGMENTS = letters(f"""
    IA  | IA  | n n sym | | inertia of a segment: λ = IA a + pA + C f
    pA  | pA  | n       | | the part of λ that does not depend on a and f
    C   | C   | n w     | | columns of f in λ
    B   | B   | n w     | | directions of f at the far end
    IAt | IA  | n n sym | {TWO_HANDLES} | inertia of a segment: λ = IA a + pA + C f
    pAt | pA  | n       | {TWO_HANDLES} | the part of λ that does not depend on a and f
    pAtF | C  | n w     | {TWO_HANDLES} | columns of f in λ
    IAh | IA  | n n sym | {TWO_HANDLES} | inertia of a segment: λ = IA a + pA + C f
    pAh | pA  | n       | {TWO_HANDLES} | the part of λ that does not depend on a and f
    pAhF | C  | n w     | {TWO_HANDLES} | columns of f in λ
    L   | L   | w w sym | {TWO_HANDLES} | how the far end follows f: z = Cᵀ a + L f + y
    y   | y   | w       | {TWO_HANDLES} | how the far end moves by itself
    N   | N   | n w     | | columns of f in what a body demands
    gam | γ   | n       | | acceleration that speeds alone give a body
    k   | k   | f       | | rates of a hinge's speeds at a₀ = 0, f = 0
    kF  | k_f | f w     | | columns of f in k
    H   | H   | n f     | | motion subspace of the hinge
    NH  | N_H | w f     | {TWO_HANDLES} | how the far end follows the hinge's freedoms
    Ln  | L′  | w w sym | {TWO_HANDLES} | L with a body more at the near end
    yn  | y′  | w       | {TWO_HANDLES} | y with a body more at the near end
    M   | M   | n n sym | | inertia of what hangs on the far end: f = M z + q
    q   | q   | n       | | the part of f that does not depend on z
    lD  | l_D | w w     | {MERGE}  | l D of M = l D lᵀ
    LlD | L_D | w w     | {MERGE}  | L l D
    yq  | y_q | w       | {MERGE}  | how the far end moves if the near end does not accelerate
    G   | G   | w w     | {JOINED} | matrix of the system for z or, of l⁻ᵀ x, for x
    z   | x   | w n     | | the system's solution: columns of a, and one more
    fz  | F   | w n     | {MERGE}  | M z: columns of a, and one more
    X   | Z   | w n     | {MERGE}  | z: columns of a, and one more
    Xr  | Z_a | w n     | {MERGE}  | columns of a in z
    x0  | z₀  | w       | {MERGE}  | z if the near end does not accelerate
    Fr  | F_a | w n     | {MERGE}  | columns of a in f
    f0  | f₀  | w       | {MERGE}  | f if the near end does not accelerate
    IAj | IA′ | n n sym | {MERGE}  | inertia of the segment with all that hangs on it
    pAj | pA′ | n       | {MERGE}  | pA of the segment with all that hangs on it
    a   | a   | n       | | acceleration (r̈ − g, Ω̇) of a segment's near end
    far | a_f | n       | {MERGE}  | motion of its far end
    f   | f   | w       | {MERGE}  | wrench at its far end
    acc | a   | n       | | acceleration (r̈ − g, Ω̇) of a link's origin
    arm | r   | d       | | from there to the next hinge
    turned | α | n    | {POINT}  | how the link turns
""")
traced = tracing(SEGMENTS, {}, {})


def states(kernel: Kernel, name: str) -> bool:
    """Has a kernel a statement of this name?"""
    return any(statement.port.name == name for statement in kernel.statements)


@cache
def exposing(kernel: Kernel, name: str) -> Kernel:
    """The kernel that gives one of its statements as well."""
    ports = {statement.port.name: statement.port for statement in kernel.statements}
    return replace(kernel, outputs=(*kernel.outputs, ports[name]))


@traced
def copied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Values as they are, under names with a suffix."""
    t.called("copied", t.ask("title"))
    ports, suffix = t.ask("ports"), t.ask("suffix")
    for port in ports:
        value = t.given(port)
        name, letter = port.name + suffix, f"{t.shown(value)}′"
        t.state(name, value, TWO_HANDLES, letter, symmetric=port.symmetric)
    return tuple(port.name + suffix for port in ports)


@traced
def constant(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A constant."""
    t.called("constant", t.ask("title"))
    name, value = t.ask("name"), t.ask("value")
    t.state(name, k.formula(value), TWO_HANDLES, name)
    return (name,)


@traced
def start(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A segment without bodies: what it demands is B f, and its far end moves as its near end."""
    t.called("start", "a segment without bodies")
    (inertia, wrench), width = t.ask("names"), t.ask("width")
    t.state(inertia, k.zero(k.n, k.n))
    t.state(wrench, k.zero(k.n))
    t.state(f"{wrench}F", x.B)
    x.L, x.y = k.zero(width, width), k.zero(width)
    return inertia, wrench, f"{wrench}F", "L", "y"


@traced
def far_end(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How the far end moves when a body is added at the near end.

    The body moves as a0 + γ + H (k − G a0 + kF f); the columns N of f at it are, by reciprocity,
    how the far end follows that. γ may lack its last components, which are zero then.
    """
    t.called("far_end", "acceleration of the far end")
    bias = t.ask("bias")
    N, gamma, L, y = x.N, t.read("gam", rows=bias), x.L, x.y
    own = part(N, range(1, bias + 1)).T @ gamma
    if t.ask("count"):
        rates, columns = x.k, x.kF
        x.NH = N.T @ x.H
        L, own = L + x.NH @ columns, own + x.NH @ rates
    x.Ln, x.yn = k.upper(L), y + own
    return "Ln", "yn"


@traced
def merge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What hangs on the far end of a segment, f = M z + q, and the segment become one.

    (1 − L M) z = Cᵀ a + L q + y. If f is a force alone, M = l D lᵀ is positive definite, and with
    x = lᵀ z this is (D − D lᵀ L l D) x = D lᵀ (…), a sum of two positive definite matrices; a whole
    M is not, as the hinge let go of some. `near` are the components of the near end's motion.
    """
    t.called("merge", "a segment and what hangs on its far end")
    width, near = range(1, t.ask("width") + 1), range(1, t.ask("near") + 1)
    inertia, wrench = x.M, part(x.q, width)
    IA, pA, C, L, y = x.IA, x.pA, x.C, x.L, x.y
    C = part(C, near)
    solve = _definite if len(width) < k.n else _pivoted
    motions, forces = solve(x, k, t, inertia, L, C.T, y + L @ wrench)
    x.Xr, x.x0 = part(motions, cols=near), k.column(motions, len(near) + 1)
    reached = part(forces, cols=near)
    x.Fr, x.f0 = reached, wrench + k.column(forces, len(near) + 1)
    whole, free = part(IA, near, near) + C @ reached, part(pA, near) + C @ x.f0
    if still := k.n - len(near):
        left = k.zero(len(near), still)
        whole = k.blocks((whole, left), (left.T, k.zero(still, still)))
        free = k.stack(free, k.zero(still))
    x.IAj, x.pAj = whole, free
    return "IAj", "pAj", "Xr", "x0", "Fr", "f0"


Pair = tuple[M, M]


def _pivoted(x: At, k: Algebra, t: Tracer, inertia: M, L: M, moved: M, free: M) -> Pair:
    """z and M z of (1 − L M) z = …, by pivoted elimination."""
    x.G = k.unit_matrix(k.n) - L @ inertia
    t.solve("z", x.G, k.beside(moved, free), JOINED, Policy.LU)
    z = t.known("z")
    return z, t.state("fz", inertia @ z, JOINED)


def _definite(x: At, k: Algebra, t: Tracer, inertia: M, L: M, moved: M, free: M) -> Pair:
    """The same where M is positive definite."""
    rows, pivots = _factors(k, t, inertia)
    unit, D = t.abbreviate("l", k.blocks(*rows)), t.abbreviate("D", k.diag(*pivots))
    x.lD = unit @ D
    x.LlD = L @ x.lD
    t.state("G", D - x.lD.T @ x.LlD, MERGE, symmetric=True)
    x.yq = free
    t.solve("z", x.G, k.beside(x.lD.T @ moved, x.lD.T @ x.yq), MERGE)
    z = t.known("z")
    x.fz = x.lD @ z
    x.X = (unit.T.inverse @ z).by(_back(unit.value, z.value))
    return x.X, x.fz


def _factors(k: Algebra, t: Tracer, inertia: M) -> tuple[list[list[M]], list[M]]:
    """M = l D lᵀ of so much of M: the unit triangle l and the pivots."""
    size = t.ask("width")
    unit = [[k.unit_matrix(1) if i == j else k.zero() for j in range(size)] for i in range(size)]
    pivots: list[M] = []
    for j in range(size):
        left = [k.entry(inertia, i + 1, j + 1) for i in range(j, size)]
        for p, D in enumerate(pivots):
            left = [x - unit[i][p] @ D @ unit[j][p] for i, x in enumerate(left, start=j)]
        pivots.append(t.state(f"D{j + 1}", left[0], MERGE, f"D{j + 1}"))
        for i in range(j + 1, size):
            name = f"l{i + 1}{j + 1}"
            unit[i][j] = t.state(name, left[i - j] / pivots[j], MERGE, name)
    return unit, pivots


def _back(unit: sp.Matrix, z: sp.Matrix) -> sp.Matrix:
    """l⁻ᵀ z, l being a unit triangle."""
    rows = [z[i, :] for i in range(z.rows)]
    for i in reversed(range(z.rows)):
        for k in range(i + 1, z.rows):
            rows[i] = rows[i] - unit[k, i] * rows[k]
    return sp.Matrix.vstack(*rows)


@traced
def holding(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the acceleration of a segment's near end to what holds at its far end.

    The motion of the far end is as long as that of the near one; what f does not feel is zero.
    """
    t.called("part", "what holds at the far end of a segment")
    width, near = t.ask("width"), t.ask("near")
    a = t.read("a", rows=near)
    motion = t.read("Xr", cols=near) @ a + x.x0
    wrench = t.read("Fr", cols=near) @ a + x.f0
    x.far = k.stack(motion, k.zero(near - width)) if near > width else motion
    x.f = wrench
    return "far", "f"


@traced
def known(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A value with columns, once f is known."""
    t.called("known", "wrench at the far end")
    port, width = t.ask("port"), t.ask("width")
    value = t.given(port)
    shown, name = t.shown(value), f"{port.name}f"
    columns = t.given(Port(f"{port.name}F", port.rows, width), f"{shown}_f")
    t.state(name, value + columns @ x.f, BACK, f"{shown}′")
    return (name,)


@traced
def reach(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How the next hinge moves; that it turns is nothing to what hangs on it."""
    t.called("reach", "acceleration of the next hinge")
    acc = x.acc
    moved, spin = k.lin(acc) + k.cross(k.ang(acc), x.arm), k.ang(acc)
    t.state("z", k.stack(moved, k.zero(k.s)), POINT, "z")
    x.turned = k.stack(k.zero(k.d), spin)
    return "z", "turned"
