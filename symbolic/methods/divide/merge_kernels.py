"""The kernels of a merge on the assembly tree: two nodes become one, and the way back.

A node is a set of bodies with the joints that lead out of it: Wᵀ V = Ξ σ + ξ, Ξ symmetric. Its
entries are the paper's Dᵀ ξ D, all that a merge and the way back read of ξ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder, Policy

MERGE = "divide-and-conquer paper (34)-(36), along D"
REFINED = "own: one step of iterative refinement"
REACH = "own: Ξ of the bodies alone, before any merge, along a joint's own constraints"
MULTIPLIER = "divide-and-conquer paper (26), (29)"


@dataclass(frozen=True)
class Merge:
    """How two nodes are merged: the widths of their joints, and which pairs are the same joint.

    `joined` are positions among the first's joints and the second's. Of the ground nothing moves,
    Ξ and ξ are zero.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    joined: tuple[tuple[int, int], ...]

    @property
    def label(self) -> str:
        """What a kernel's name says of it."""
        pairs = "_".join(f"{i}{j}" for i, j in self.joined)
        first, second = ("".join(map(str, widths)) for widths in (self.first, self.second))
        return f"{first}_{second}_{pairs}"

    def _entries(self, side: int, positions: list[int]) -> list[int]:
        widths = self.first if side == 0 else self.second
        starts = [sum(widths[:k]) for k in range(len(widths))]
        return [starts[k] + i for k in positions for i in range(widths[k])]

    def gone(self, side: int) -> list[int]:
        """The entries of a side that the merge eliminates, in the order of the joints."""
        return self._entries(side, [pair[side] for pair in self.joined])

    def kept(self, side: int) -> list[int]:
        """The entries of a side that stay."""
        widths = self.first if side == 0 else self.second
        gone = {pair[side] for pair in self.joined}
        return self._entries(side, [k for k in range(len(widths)) if k not in gone])

    @property
    def size(self) -> int:
        """Constraints that are eliminated."""
        return sum(self.first[i] for i, _ in self.joined)

    @property
    def left(self) -> int:
        """Constraints that stay open."""
        return sum(len(self.kept(side)) for side in (0, 1))

    @property
    def sound(self) -> bool:
        """Can no constraint be redundant? One joint between parts of which one moves freely."""
        return len(self.joined) == 1


def _gathered(merge: Merge, parts: list[sp.Matrix]) -> tuple[sp.Matrix, sp.Matrix]:
    """G and Y: what the eliminated multipliers do at their own joints, and at the others."""
    m = merge.size
    G, blocks = sp.zeros(m, m), [sp.zeros(m, 0)]
    for side, Xi in enumerate(parts):
        G += Xi[merge.gone(side), merge.gone(side)]
        blocks.append(Xi[merge.gone(side), merge.kept(side)])
    return G, sp.Matrix.hstack(*blocks)


def _kept(merge: Merge, parts: list[sp.Matrix]) -> sp.Matrix:
    blocks = [X[merge.kept(s), merge.kept(s)] for s, X in enumerate(parts)]
    return sp.diag(*blocks)


def _sizes(merge: Merge) -> list[tuple[str, int]]:
    return [("A", sum(merge.first)), ("B", sum(merge.second))]


@cache
def merge(shape: Merge) -> Kernel:
    """Ξ of two nodes as one, and what the way back needs.

    One joint: G = L D Lᵀ, X = L⁻¹ Y, U = D⁻¹ X and Ξ − Xᵀ U. Several: P = G⁺, of least norm
    where conditions are redundant, U = P Y, refined, and Ξ − Yᵀ U; without anything left open G
    alone.
    """
    kernel = KernelBuilder(f"merge_{shape.label}", "two nodes become one")
    parts = [kernel.take(f"Xi{x}", size, size, symmetric=True) for x, size in _sizes(shape)]
    G, Y = _gathered(shape, parts)
    outputs: list[str] = []
    if shape.sound:
        unit, inverse = _factors(kernel, G)
        outputs = [name for name in ("l", "inv") if name in kernel.known]
        rows = _forward(kernel, "x", unit, Y)
        U = sp.Matrix(Y.rows, Y.cols, lambda i, j: inverse[i] * rows[i, j])
        Y = rows
    elif shape.left:
        G = kernel.let("G", G, MERGE, symmetric=True, says="G = Ξ_A + Ξ_B of what is joined")
        P = _least(kernel, "P", G, sp.eye(shape.size), shape, "P = G⁺")
        outputs = ["G", "P"]
        U = _refined(kernel, "U", G, P, Y)
    else:
        kernel.let("G", G, MERGE, symmetric=True, says="G = Ξ_A + Ξ_B of what is joined")
        return kernel.build("G")
    if shape.left:
        U = kernel.let("U", U, MERGE, says="U = D⁻¹ X" if shape.sound else "U = P Y")
        kernel.let(
            "Xi",
            _kept(shape, parts) - Y.T * U,
            MERGE,
            symmetric=True,
            says="Ξ = Ξ_A ⊕ Ξ_B − Yᵀ G⁻¹ Y of what stays",
        )
        outputs += ["U", "Xi"]
    return kernel.build(*outputs)


def _least(
    kernel: KernelBuilder, name: str, G: sp.Matrix, rhs: sp.Matrix, shape: Merge, says: str
) -> sp.Matrix:
    """G⁺ rhs; what rank is decided against is taken joint by joint."""
    widths = (shape.first[i] for i, _ in shape.joined)
    limits = sp.Matrix.vstack(*(kernel.take(f"d_{k}", w) for k, w in enumerate(widths, 1)))
    return kernel.solve(name, G, rhs, MERGE, Policy.MIN_NORM, says, limits)


@cache
def reach(width: int, leaves: tuple[tuple[int, int], ...]) -> Kernel:
    """How the bodies at a joint alone would yield to each of its constraints.

    `leaves`: of each body the size of its Ξ, and where the joint's entries begin in it.
    """
    label = "_".join(f"{size}_{start}" for size, start in leaves)
    kernel = KernelBuilder(f"reach_{width}_{label}", "how bodies yield to a joint's constraints")
    total = sp.zeros(width, 1)
    for k, (size, start) in enumerate(leaves, start=1):
        Xi = kernel.take(f"Xi_{k}", size, size, symmetric=True)
        total += sp.Matrix([Xi[start + j, start + j] for j in range(width)])
    kernel.let("d", total, REACH, says="d_j = Σ Ξ_jj of the bodies alone")
    return kernel.build("d")


def _factors(kernel: KernelBuilder, G: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """G = L D Lᵀ: the entries of L below its diagonal as a column, and D⁻¹."""
    m = G.rows
    G = kernel.let("G", G, MERGE, symmetric=True, says="G = Ξ_A + Ξ_B of what is joined")
    unit, inverse = sp.eye(m), sp.zeros(m, 1)
    for i in range(m):
        scaled: list[sp.Expr] = []
        for j in range(i):
            value = G[i, j] - sp.Add(*(scaled[k] * unit[j, k] for k in range(j)))
            scaled.append(
                kernel.let(f"s_{i + 1}_{j + 1}", sp.Matrix([value]), MERGE, says="G = L D Lᵀ")[0]
            )
            value = scaled[j] * inverse[j]
            unit[i, j] = kernel.let(
                f"l_{i + 1}_{j + 1}", sp.Matrix([value]), MERGE, says="G = L D Lᵀ"
            )[0]
        pivot = G[i, i] - sp.Add(*(scaled[k] * unit[i, k] for k in range(i)))
        inverse[i] = kernel.let(f"inv_{i + 1}", sp.Matrix([1 / pivot]), MERGE, says="G = L D Lᵀ")[0]
    if m > 1:
        below = [unit[i, j] for i in range(m) for j in range(i)]
        kernel.let("l", sp.Matrix(below), MERGE, says="G = L D Lᵀ")
    kernel.let("inv", inverse, MERGE, says="G = L D Lᵀ")
    return unit, inverse


def _unit(kernel: KernelBuilder, m: int) -> sp.Matrix:
    """Take L."""
    unit = sp.eye(m)
    if m > 1:
        below = iter(kernel.take("l", m * (m - 1) // 2))
        for i in range(m):
            for j in range(i):
                unit[i, j] = next(below)
    return unit


def _forward(kernel: KernelBuilder, name: str, unit: sp.Matrix, rhs: sp.Matrix) -> sp.Matrix:
    """L⁻¹ rhs, row by row."""
    rows: list[sp.Matrix] = []
    for i in range(rhs.rows):
        row = rhs[i, :] - sum((unit[i, k] * rows[k] for k in range(i)), sp.zeros(1, rhs.cols))
        rows.append(
            kernel.let(f"{name}_{i + 1}", row, MERGE, says="L x = y, row by row")
            if rhs.cols
            else row
        )
    return sp.Matrix.vstack(*rows)


def _refined(
    kernel: KernelBuilder, name: str, G: sp.Matrix, P: sp.Matrix, rhs: sp.Matrix
) -> sp.Matrix:
    """P rhs, and P times what G leaves of it: else the inverse's rounding would count.

    Where joints of a tree and cuts hold almost the same, entries of P are large.
    """
    first = kernel.let(f"{name}0", P * rhs, REFINED, says=f"{name} = P y")
    rest = kernel.let(f"{name}r", rhs - G * first, REFINED, says=f"{name} + P r, r = y − G {name}")
    return first + P * rest


@cache
def merge_bias(shape: Merge) -> Kernel:
    """ξ of two nodes as one; `s`, the multipliers' part that is known already."""
    kernel = KernelBuilder(f"merge_bias_{shape.label}", "biases of two nodes become one")
    parts = [kernel.take(f"xi{x}", size) for x, size in _sizes(shape)]
    m = shape.size
    z, kept = sp.zeros(m, 1), [sp.zeros(0, 1)]
    for side, xi in enumerate(parts):
        z += xi[shape.gone(side), :]
        kept.append(xi[shape.kept(side), :])
    if shape.sound:
        unit, inverse = _unit(kernel, m), kernel.take("inv", m)
        z = _forward(kernel, "z", unit, z)
        kernel.let(
            "s",
            sp.Matrix([inverse[i] * z[i] for i in range(m)]),
            MERGE,
            says="s = D⁻¹ L⁻¹ (ξ_A + ξ_B)",
        )
    elif shape.left:
        z = kernel.let("z", z, MERGE, says="z = ξ_A + ξ_B of what is joined")
        G, P = kernel.take("G", m, m, symmetric=True), kernel.take("P", m, m)
        kernel.let("s", _refined(kernel, "s", G, P, z), MERGE, says="s = G⁺ (ξ_A + ξ_B)")
    else:
        G = kernel.take("G", m, m, symmetric=True)
        _least(kernel, "s", G, z, shape, "s = G⁺ (ξ_A + ξ_B)")
    if not shape.left:
        return kernel.build("s")
    kernel.let(
        "xi",
        sp.Matrix.vstack(*kept) - kernel.take("U", m, shape.left).T * z,
        MERGE,
        says="ξ = ξ_A ⊕ ξ_B − Yᵀ s of what stays",
    )
    return kernel.build("s", "xi")


@cache
def back(shape: Merge) -> Kernel:
    """The multipliers of the joints that a merge eliminated, from those that it left open."""
    kernel = KernelBuilder(f"back_{shape.label}", "multipliers of a merge")
    m = shape.size
    known = kernel.take("s", m)
    widths = [
        (f"sigma{'AB'[side]}_{k + 1}", width)
        for side, of in enumerate((shape.first, shape.second))
        for k, width in enumerate(of)
        if k not in {pair[side] for pair in shape.joined}
    ]
    if widths:
        outer = sp.Matrix.vstack(*(kernel.take(name, width) for name, width in widths))
        known = kernel.let(
            "y",
            known + kernel.take("U", m, shape.left) * outer,
            MULTIPLIER,
            says="y = s + U σ of what stays",
        )
    value = [-x for x in known]
    if shape.sound:
        unit = _unit(kernel, m)
        for i in reversed(range(m)):
            lower = sp.Add(*(unit[k, i] * value[k] for k in range(i + 1, m)))
            value[i] = kernel.let(
                f"v_{i + 1}", sp.Matrix([value[i] - lower]), MULTIPLIER, says="Lᵀ σ = −y"
            )[0]
    at = 0
    outputs = []
    for number, (i, _) in enumerate(shape.joined, start=1):
        outputs.append(f"sigma_{number}")
        width = shape.first[i]
        kernel.let(
            outputs[-1],
            sp.Matrix(value[at : at + width]),
            MULTIPLIER,
            says="σ = −G⁻¹ (ξ_A + ξ_B + Y σ of what stays)",
        )
        at += width
    return kernel.build(*outputs)


@cache
def total(size: int, count: int) -> Kernel:
    """The multipliers of a joint: what was found first, and what refinements add."""
    kernel = KernelBuilder(f"total_{size}_{count}", "multipliers and their refinements")
    found = [kernel.take(f"x_{k}", size) for k in range(1, count + 1)]
    kernel.let("x", sum(found, sp.zeros(size, 1)), REFINED)
    return kernel.build("x")


@cache
def parts(size: int) -> Kernel:
    """The entries of a column, one by one."""
    kernel = KernelBuilder(f"parts_{size}", "multipliers one by one")
    x = kernel.take("x", size)
    return kernel.build(*kernel.each("x", x, MULTIPLIER, says="x_k = (x)_k"))
