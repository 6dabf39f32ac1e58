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

from ...language.program import Kernel, KernelBuilder, Policy, Port
from ...mechanics.letters import BACK
from ...mechanics.space import POINT, Space

TWO_HANDLES = "divide-and-conquer paper (34) – (36): two-handle form"
MERGE = "divide-and-conquer paper (26), (34) – (36), in the form L D Lᵀ"
JOINED = "divide-and-conquer paper (26), (34) – (36)"


def states(kernel: Kernel, name: str) -> bool:
    """Has a kernel a statement of this name?"""
    return any(statement.port.name == name for statement in kernel.statements)


@cache
def exposing(kernel: Kernel, name: str) -> Kernel:
    """The kernel that gives one of its statements as well."""
    ports = {statement.port.name: statement.port for statement in kernel.statements}
    return replace(kernel, outputs=(*kernel.outputs, ports[name]))


@cache
def copied(ports: tuple[Port, ...], suffix: str, title: str) -> Kernel:
    """Values as they are, under names with a suffix."""
    kernel = KernelBuilder("copied", title)
    for port in ports:
        value = kernel.take(port.name, port.rows, port.cols, port.symmetric)
        kernel.let(port.name + suffix, value, TWO_HANDLES, port.symmetric)
    return kernel.build(*(port.name + suffix for port in ports))


def constant(title: str, name: str, value: sp.Matrix) -> Kernel:
    """A constant."""
    kernel = KernelBuilder("constant", title)
    kernel.let(name, value, TWO_HANDLES)
    return kernel.build(name)


@cache
def start(motion: int, width: int, names: tuple[str, str]) -> Kernel:
    """A segment without bodies: what it demands is B f, and its far end moves as its near end."""
    inertia, wrench = names
    kernel = KernelBuilder("start", "a segment without bodies")
    kernel.let(inertia, sp.zeros(motion, motion), TWO_HANDLES, symmetric=True)
    kernel.let(wrench, sp.zeros(motion, 1), TWO_HANDLES)
    kernel.let(f"{wrench}F", kernel.take("B", motion, width), TWO_HANDLES)
    kernel.let("L", sp.zeros(width, width), TWO_HANDLES, symmetric=True)
    kernel.let("y", sp.zeros(width, 1), TWO_HANDLES)
    return kernel.build(inertia, wrench, f"{wrench}F", "L", "y")


@cache
def far_end(motion: int, bias: int, freedom: int, width: int) -> Kernel:
    """How the far end moves when a body is added at the near end.

    The body moves as a0 + γ + H (k − G a0 + kF f); the columns N of f at it are, by reciprocity,
    how the far end follows that. γ may lack its last components, which are zero then.
    """
    kernel = KernelBuilder("far_end", "acceleration of the far end")
    N = kernel.take("N", motion, width)
    gamma = kernel.take("gam", bias)
    L = kernel.take("L", width, width, symmetric=True)
    y = kernel.take("y", width)
    own = N[:bias, :].T * gamma
    if freedom:
        k, columns = kernel.take("k", freedom), kernel.take("kF", freedom, width)
        follow = kernel.let("NH", N.T * kernel.take("H", motion, freedom), TWO_HANDLES)
        L, own = L + follow * columns, own + follow * k
    kernel.let("Ln", L, TWO_HANDLES, symmetric=True)
    kernel.let("yn", y + own, TWO_HANDLES)
    return kernel.build("Ln", "yn")


@cache
def merge(motion: int, width: int, near: int) -> Kernel:
    """What hangs on the far end of a segment, f = M z + q, and the segment become one.

    (1 − L M) z = Cᵀ a + L q + y. If f is a force alone, M = l D lᵀ is positive definite, and with
    x = lᵀ z this is (D − D lᵀ L l D) x = D lᵀ (…), a sum of two positive definite matrices; a whole
    M is not, as the hinge let go of some. `near` are the components of the near end's motion.
    """
    kernel = KernelBuilder("merge", "a segment and what hangs on its far end")
    M = kernel.take("M", motion, motion, symmetric=True)[:width, :width]
    q = kernel.take("q", motion)[:width, :]
    IA = kernel.take("IA", motion, motion, symmetric=True)
    pA = kernel.take("pA", motion)
    C = kernel.take("C", motion, width)
    L = kernel.take("L", width, width, symmetric=True)
    y = kernel.take("y", width)
    C1 = C[:near, :]
    solve = _definite if width < motion else _pivoted
    motions, forces = solve(kernel, M, L, C1.T, y + L * q)
    kernel.let("Xr", motions[:, :near], MERGE)
    kernel.let("x0", motions[:, near:], MERGE)
    kernel.let("Fr", forces[:, :near], MERGE)
    f0 = kernel.let("f0", q + forces[:, near:], MERGE)
    joined = sp.zeros(motion, motion)
    joined[:near, :near] = IA[:near, :near] + C1 * forces[:, :near]
    kernel.let("IAj", joined, MERGE, symmetric=True)
    still = sp.zeros(motion - near, 1)
    kernel.let("pAj", sp.Matrix.vstack(pA[:near, :] + C1 * f0, still), MERGE)
    return kernel.build("IAj", "pAj", "Xr", "x0", "Fr", "f0")


Pair = tuple[sp.Matrix, sp.Matrix]


def _pivoted(
    kernel: KernelBuilder, M: sp.Matrix, L: sp.Matrix, moved: sp.Matrix, free: sp.Matrix
) -> Pair:
    """z and M z of (1 − L M) z = …, by pivoted elimination."""
    matrix = kernel.let("G", sp.eye(M.rows) - L * M, JOINED)
    z = kernel.solve("z", matrix, sp.Matrix.hstack(moved, free), JOINED, Policy.LU)
    return z, kernel.let("fz", M * z, JOINED)


def _definite(
    kernel: KernelBuilder, M: sp.Matrix, L: sp.Matrix, moved: sp.Matrix, free: sp.Matrix
) -> Pair:
    """The same where M is positive definite."""
    unit, pivots = _factors(kernel, M)
    D = sp.diag(*pivots)
    scaled = kernel.let("lD", unit * D, MERGE)
    soft = kernel.let("LlD", L * scaled, MERGE)
    G = kernel.let("G", D - scaled.T * soft, MERGE, symmetric=True)
    free = kernel.let("yq", free, MERGE)
    z = kernel.solve("z", G, sp.Matrix.hstack(scaled.T * moved, scaled.T * free), MERGE)
    forces = kernel.let("fz", scaled * z, MERGE)
    return kernel.let("X", _back(unit, z), MERGE), forces


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
def part(width: int, near: int) -> Kernel:
    """From the acceleration of a segment's near end to what holds at its far end.

    The motion of the far end is as long as that of the near one; what f does not feel is zero.
    """
    kernel = KernelBuilder("part", "what holds at the far end of a segment")
    a = kernel.take("a", near)
    motion = kernel.take("Xr", width, near) * a + kernel.take("x0", width)
    wrench = kernel.take("Fr", width, near) * a + kernel.take("f0", width)
    kernel.let("far", sp.Matrix.vstack(motion, sp.zeros(near - width, 1)), MERGE)
    kernel.let("f", wrench, MERGE)
    return kernel.build("far", "f")


@cache
def known(name: str, rows: int, width: int) -> Kernel:
    """A value with columns, once f is known."""
    kernel = KernelBuilder("known", "wrench at the far end")
    value, columns = kernel.take(name, rows), kernel.take(f"{name}F", rows, width)
    kernel.let(f"{name}f", value + columns * kernel.take("f", width), BACK)
    return kernel.build(f"{name}f")


@cache
def reach(dimension: int) -> Kernel:
    """How the next hinge moves; that it turns is nothing to what hangs on it."""
    space = Space(dimension)
    kernel = KernelBuilder("reach", "acceleration of the next hinge")
    acc = kernel.take("acc", space.motion)
    spin = acc[dimension:, :]
    moved = acc[:dimension, :] + space.turn(spin, kernel.take("arm", dimension))
    kernel.let("z", sp.Matrix.vstack(moved, sp.zeros(space.spins, 1)), POINT)
    kernel.let("turned", sp.Matrix.vstack(sp.zeros(dimension, 1), spin), POINT)
    return kernel.build("z", "turned")
