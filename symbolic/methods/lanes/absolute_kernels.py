"""The kernels of a chain in segments: its two ends, and how segments are joined.

A segment of a chain is known by two handles, its near end O (towards the root) and its far end:

    λ_O   = IA r̈_O + pA + C f        what the segment demands at its near end
    r̈_far = Cᵀ r̈_O + L f + y         how its far end moves

f is the wrench that what hangs on the far end demands there. The first line is the Riccati
sweep with f as columns, the second the sweep back to the tips; that one C serves both is the
reciprocity of the two ends (Maxwell), and L, minus a compliance, is symmetric.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.columns import with_columns
from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import POINT, Space
from ...tree import absolute_kernels as kernels

TWO_HANDLES = "divide-and-conquer paper (34) – (36): two-handle form"
MERGE = "divide-and-conquer paper (26), (34) – (36), in the form L D Lᵀ"


@cache
def body(dimension: int, forced: bool) -> Kernel:
    """A body with one input, on which hangs what demands pA + C f."""
    return with_columns(kernels.body(dimension, 1, forced), ("pA_I1",), dimension)


@cache
def hinge(dimension: int) -> Kernel:
    """The smooth hinge at the output, with the columns of f."""
    return with_columns(kernels.hinge(dimension), ("pA",), dimension)


@cache
def start(dimension: int) -> Kernel:
    """A segment without bodies: what it demands is f, and its far end moves as its near end."""
    space = Space(dimension)
    d, k = dimension, space.motion
    kernel = KernelBuilder("start", "a segment without bodies")
    kernel.let("IA", sp.zeros(k, k), TWO_HANDLES, symmetric=True)
    kernel.let("pA", sp.zeros(k, 1), TWO_HANDLES)
    kernel.let("pAF", sp.Matrix.vstack(sp.eye(d), sp.zeros(k - d, d)), TWO_HANDLES)
    kernel.let("L", sp.zeros(d, d), TWO_HANDLES, symmetric=True)
    kernel.let("y", sp.zeros(d, 1), TWO_HANDLES)
    return kernel.build("IA", "pA", "pAF", "L", "y")


@cache
def far_end(dimension: int) -> Kernel:
    """How the far end moves when a body is added at the near end.

    The body's input was the near end: r̈_I = r̈_O + Ω̇ × r + ~Ω~Ω r with Ω̇ = P r̈_O + b + bF f.
    Cᵀ (Ω̇ × r) = (~r C)ᵀ Ω̇, and ~r C are the moments that the columns of f exert on the body.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("far_end", "acceleration of the far end")
    rotation = space.rotation(kernel)
    centripetal = space.centripetal(kernel, space.spin(kernel, rotation))
    C = kernel.take("C", space.motion, d)
    moments = kernel.take("pAF", space.motion, d)[d:, :]
    b = kernel.take("b", space.spins)
    bF = kernel.take("bF", space.spins, d)
    L = kernel.take("L", d, d, symmetric=True)
    y = kernel.take("y", d)
    arm = kernel.let("r_I1", rotation * kernel.take("rb_I1", d), POINT)
    drift = kernel.let("g_I1", centripetal * arm, POINT)
    kernel.let("Ln", L + moments.T * bF, TWO_HANDLES, symmetric=True)
    kernel.let("yn", y + C[:d, :].T * drift + moments.T * b, TWO_HANDLES)
    return kernel.build("Ln", "yn")


@cache
def end(dimension: int) -> Kernel:
    """A segment as a whole: what its last body has made of it."""
    space = Space(dimension)
    kernel = KernelBuilder("end", "a segment as a whole")
    for name, rows, cols, symmetric in _carried(space):
        kernel.let(f"{name}e", kernel.take(name, rows, cols, symmetric), TWO_HANDLES, symmetric)
    return kernel.build(*(f"{name}e" for name, *_ in _carried(space)))


def _carried(space: Space) -> tuple[tuple[str, int, int, bool], ...]:
    d, k = space.dimension, space.motion
    return (
        ("IA", k, k, True),
        ("pA", k, 1, False),
        ("pAF", k, d, False),
        ("L", d, d, True),
        ("y", d, 1, False),
    )


@cache
def merge(dimension: int) -> Kernel:
    """What hangs on the far end of a segment, f = M r̈_far + q, and the segment become one.

    With M = l D lᵀ and z = lᵀ r̈_far the joint's equation is (D − D lᵀ L l D) z = D lᵀ (…): a
    sum of two positive definite matrices.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("merge", "a segment and what hangs on its far end")
    M = kernel.take("M", space.motion, space.motion, symmetric=True)[:d, :d]
    q = kernel.take("q", space.motion)[:d, :]
    IA = kernel.take("IA", space.motion, space.motion, symmetric=True)
    pA = kernel.take("pA", space.motion)
    C = kernel.take("C", space.motion, d)[:d, :]
    L = kernel.take("L", d, d, symmetric=True)
    y = kernel.take("y", d)
    unit, pivots = _factors(kernel, M)
    D = sp.diag(*pivots)
    scaled = kernel.let("lD", unit * D, MERGE)
    soft = kernel.let("LlD", L * scaled, MERGE)
    G = kernel.let("G", D - scaled.T * soft, MERGE, symmetric=True)
    free = kernel.let("yq", y + L * q, MERGE)
    z = kernel.solve("z", G, sp.Matrix.hstack(scaled.T * C.T, scaled.T * free), MERGE)
    held = kernel.let("fz", scaled * z, MERGE)
    motion = kernel.let("X", _back(unit, z), MERGE)
    kernel.let("Xr", motion[:, :d], MERGE)
    kernel.let("x0", motion[:, d:], MERGE)
    kernel.let("Fr", held[:, :d], MERGE)
    kernel.let("f0", q + held[:, d:], MERGE)
    pull = C * kernel.known["f0"].symbols()
    joined = sp.zeros(space.motion, space.motion)
    joined[:d, :d] = IA[:d, :d] + C * held[:, :d]
    kernel.let("IAj", joined, MERGE, symmetric=True)
    kernel.let("pAj", sp.Matrix.vstack(pA[:d, :] + pull, sp.zeros(space.spins, 1)), MERGE)
    return kernel.build("IAj", "pAj", "Xr", "x0", "Fr", "f0")


def _factors(kernel: KernelBuilder, M: sp.Matrix) -> tuple[sp.Matrix, list[sp.Expr]]:
    """M = l D lᵀ: the unit triangle l and the pivots."""
    size = M.rows
    unit = sp.eye(size)
    pivots: list[sp.Expr] = []
    for j in range(size):
        known = unit[:, :j] * sp.diag(*pivots) * unit[j, :j].T if j else sp.zeros(size, 1)
        left = [M[i, j] - known[i] for i in range(j, size)]
        pivots.append(kernel.let(f"D{j + 1}", sp.Matrix([left[0]]), MERGE)[0])
        for i in range(j + 1, size):
            ratio = sp.Matrix([left[i - j] / pivots[j]])
            unit[i, j] = kernel.let(f"l{i + 1}{j + 1}", ratio, MERGE)[0]
    return unit, pivots


def _back(unit: sp.Matrix, z: sp.Matrix) -> sp.Matrix:
    """l⁻ᵀ z, l being a unit triangle."""
    rows = [z[i, :] for i in range(z.rows)]
    for i in reversed(range(z.rows)):
        for k in range(i + 1, z.rows):
            rows[i] = rows[i] - unit[k, i] * rows[k]
    return sp.Matrix.vstack(*rows)


@cache
def part(dimension: int) -> Kernel:
    """From the acceleration of a segment's near end to what holds at its far end."""
    kernel = KernelBuilder("part", "what holds at the far end of a segment")
    r_dd = kernel.take("rdd", dimension)
    motion = kernel.take("Xr", dimension, dimension) * r_dd + kernel.take("x0", dimension)
    wrench = kernel.take("Fr", dimension, dimension) * r_dd + kernel.take("f0", dimension)
    kernel.let("rdd_far", motion, MERGE)
    kernel.let("f", wrench, MERGE)
    return kernel.build("rdd_far", "f")


@cache
def held(dimension: int) -> Kernel:
    """The part of Ω̇ that does not come from r̈: that of the wrench at the far end included."""
    spins = Space(dimension).spins
    kernel = KernelBuilder("held", "wrench at the far end")
    b, bF = kernel.take("b", spins), kernel.take("bF", spins, dimension)
    kernel.let("bf", b + bF * kernel.take("f", dimension), kernels.BACK)
    kernel.let("rddo", kernel.take("rdd", dimension), kernels.BACK)
    return kernel.build("bf", "rddo")


@cache
def demanded(dimension: int) -> Kernel:
    """What a body demands at its output without acceleration: that of the far end included."""
    motion = Space(dimension).motion
    kernel = KernelBuilder("demanded", "wrench at the far end")
    pA, columns = kernel.take("pAh", motion), kernel.take("pAhF", motion, dimension)
    kernel.let("pAf", pA + columns * kernel.take("f", dimension), kernels.BACK)
    return kernel.build("pAf")


@cache
def near(dimension: int) -> Kernel:
    """The near end of a segment is where the chain hangs."""
    kernel = KernelBuilder("near", "where a chain hangs")
    kernel.let("rddn", kernel.take("rdd", dimension), kernels.BACK)
    return kernel.build("rddn")


@cache
def free(dimension: int) -> Kernel:
    """Nothing hangs on the far end."""
    kernel = KernelBuilder("free", "free end of a chain")
    kernel.let("f", sp.zeros(dimension, 1), "Riccati paper, Sect. 4: boundary condition at a tip")
    return kernel.build("f")
