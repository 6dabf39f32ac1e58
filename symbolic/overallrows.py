"""The kernels of the overall transfer equation's rows, and of what is read off its solution."""

from __future__ import annotations

from functools import cache

import sympy as sp

from .overallkernels import BODY, CONDITION, HINGE, OWN_ROW, taken_state, work
from .program import Kernel, KernelBuilder
from .space import Space

GEOMETRIC = "deduction paper (14): geometric equation of a body with several inputs"
MAIN = "deduction paper (23): main equation"
ROTOR = "own: a rotor's inertia, along the hinge's speeds"
COUPLING = "own: the condition of a coupled hinge"


def _rows(kernel: KernelBuilder, values: sp.Matrix, source: str, name: str = "row") -> Kernel:
    outputs = []
    for j, value in enumerate(values, start=1):
        kernel.let(f"{name}_{j}", sp.Matrix([value]), source)
        outputs.append(f"{name}_{j}")
    return kernel.build(*outputs)


@cache
def geometric_first(dimension: int) -> Kernel:
    """A further input's accelerations, from the columns of the first."""
    space = Space(dimension)
    kernel = KernelBuilder("geometric_first", "geometric equation, from the first input")
    a = kernel.take("a", space.motion)
    return _rows(kernel, space.shift(kernel.take("rK", dimension)) * a, GEOMETRIC)


@cache
def geometric_other(dimension: int) -> Kernel:
    """A further input's accelerations, from its own columns, to be subtracted."""
    kernel = KernelBuilder("geometric_other", "geometric equation, from a further input")
    return _rows(kernel, -kernel.take("a", Space(dimension).motion), GEOMETRIC)


@cache
def geometric_right(dimension: int) -> Kernel:
    """Right-hand side of a geometric equation."""
    space = Space(dimension)
    kernel = KernelBuilder("geometric_right", "right-hand side of a geometric equation")
    first, other = kernel.take("a", space.motion), kernel.take("a_k", space.motion)
    drift = sp.Matrix.vstack(kernel.take("gK", dimension), sp.zeros(space.spins, 1))
    value = other - space.shift(kernel.take("rK", dimension)) * first - drift
    return _rows(kernel, value, GEOMETRIC, "b")


@cache
def main_rows(dimension: int) -> Kernel:
    """The main equation's rows: what arrives at the root."""
    kernel = KernelBuilder("main", "main equation at a root")
    return _rows(kernel, sp.Matrix.vstack(*taken_state(kernel, Space(dimension))), MAIN)


@cache
def main_right(dimension: int) -> Kernel:
    """Right-hand side of the main equation: the root does not move."""
    kernel = KernelBuilder("main_right", "right-hand side of the main equation")
    return _rows(kernel, -sp.Matrix.vstack(*taken_state(kernel, Space(dimension))), MAIN, "b")


@cache
def signs(values: tuple[int, ...], source: str) -> Kernel:
    """Constant entries of the matrix."""
    kernel = KernelBuilder(f"signs_{len(values)}", "unknowns that stand in rows of their own")
    return _rows(kernel, sp.Matrix(values), source)


@cache
def entries(size: int, source: str) -> Kernel:
    """Given entries of the matrix: a rotor's inertia, what a coupling demands of speeds."""
    kernel = KernelBuilder(f"entries_{size}", "given entries of the overall equation")
    return _rows(kernel, kernel.take("x", size), source)


@cache
def own_right(dimension: int, freedom: int, acting: bool) -> Kernel:
    """Right-hand side of a hinge's own rows."""
    space = Space(dimension)
    kernel = KernelBuilder(f"own_right_{freedom}", "right-hand side at a hinge")
    m, q = kernel.take("m", space.spins), kernel.take("q", dimension)
    value = -work(kernel, space, freedom, m, q)
    if acting:
        value += kernel.take(f"T{freedom}", freedom)
    return _rows(kernel, value, OWN_ROW, "b")


@cache
def condition_rows(dimension: int, size: int) -> Kernel:
    """A body's part in the conditions of a cut: Eᵀ a at its output."""
    space = Space(dimension)
    kernel = KernelBuilder(f"condition_{size}", "conditions of a cut")
    a = kernel.take("a", space.motion)
    E = kernel.take(f"Ec{size}", space.motion, size)
    moved = space.shift(kernel.take("rIO", dimension)) * a
    return _rows(kernel, E.T * kernel.let("aO", moved, BODY), CONDITION)


@cache
def condition_right(dimension: int, size: int) -> Kernel:
    """Right-hand side of a body's part in a cut's conditions."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"condition_right_{size}", "right-hand side at a side of a cut")
    value = -kernel.take("E", n, size).T * kernel.take("a", n)
    return _rows(kernel, value, CONDITION, "b")


@cache
def pair_right(size: int) -> Kernel:
    """Right-hand side where both sides of a cut meet."""
    kernel = KernelBuilder(f"pair_right_{size}", "right-hand side at a cut")
    return _rows(kernel, -kernel.take("bias", size), CONDITION, "b")


@cache
def copied(count: int, name: str) -> Kernel:
    """Unknowns under another name."""
    kernel = KernelBuilder(f"{name}_{count}", "results among the unknowns")
    values = sp.Matrix([kernel.take(f"x_{j}")[0] for j in range(1, count + 1)])
    return _rows(kernel, values, HINGE, name)


@cache
def shown(name: str) -> Kernel:
    """A part of the overall equation as a result."""
    kernel = KernelBuilder(f"shown_{name}", "overall equation")
    kernel.let("y", kernel.take("x"), MAIN)
    return kernel.build("y")


@cache
def drive(dimension: int, freedom: int, resisted: bool) -> Kernel:
    """The force that drives a hinge as prescribed: Hᵀ λ, H in link axes, and its rotor's."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder(
        f"drive_{freedom}{'_rotor' if resisted else ''}", "driving force of a hinge"
    )
    A, H = kernel.take("A", d, d), kernel.take(f"H{freedom}", space.motion, freedom)
    m, q = kernel.take("m", space.spins), kernel.take("q", d)
    wrench = kernel.let("lam", sp.Matrix.vstack(-A.T * q, m if d == 2 else A.T * m), "λ = (−q, m)")
    needed = H.T * wrench
    if resisted:
        needed -= kernel.take(f"T{freedom}", freedom)
    return _rows(kernel, needed, "τ = Hᵀ λ", "drive")
