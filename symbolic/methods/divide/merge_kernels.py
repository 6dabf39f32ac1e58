"""The kernels of a merge on the assembly tree: two nodes become one, and the way back.

A node is a set of bodies with the joints that lead out of it: Wᵀ V = Ξ σ + ξ, Ξ symmetric. Its
entries are the paper's Dᵀ ξ D, all that a merge and the way back read of ξ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

import sympy as sp

from ...language.written import numbered
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer
from .letters import GATHERED, MERGE, MULTIPLIER, REFINED, traced


@dataclass(frozen=True)
class Merge:
    """How two nodes are merged: the widths of their joints, and which pairs are the same joint.

    `joined` are positions among the first's joints and the second's. Of the ground nothing moves,
    Ξ and ξ are zero. `free`: does one of them move as a whole?
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    joined: tuple[tuple[int, int], ...]
    free: bool = True

    @property
    def label(self) -> str:
        """What a kernel's name says of it."""
        pairs = "_".join(f"{i}{j}" for i, j in self.joined)
        first, second = ("".join(map(str, widths)) for widths in (self.first, self.second))
        return f"{first}_{second}_{pairs}{'' if self.free else '_held'}"

    def _entries(self, side: int, positions: list[int]) -> list[int]:
        widths = self.first if side == 0 else self.second
        starts = [sum(widths[:k]) for k in range(len(widths))]
        return [starts[k] + i for k in positions for i in range(1, widths[k] + 1)]

    def gone(self, side: int) -> list[int]:
        """The entries of a side that the merge eliminates, in the order of the joints, from 1."""
        return self._entries(side, [pair[side] for pair in self.joined])

    def kept(self, side: int) -> list[int]:
        """The entries of a side that stay, counted from 1."""
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
        return len(self.joined) == 1 and self.free


def _read(t: Tracer, merge: Merge, word: str, square: bool = False) -> list[M]:
    """Read Ξ or ξ of both nodes."""
    sizes = zip("AB", (sum(merge.first), sum(merge.second)), strict=True)
    return [t.read(word + node, rows=n, cols=n if square else 1) for node, n in sizes]


def _eliminated(merge: Merge, parts: list[M], square: bool = False) -> M:
    """What is eliminated, of both nodes together."""
    gone = [(X, merge.gone(side)) for side, X in enumerate(parts)]
    return reduce(add, (part(X, at, at if square else None) for X, at in gone))


def _kept(merge: Merge, parts: list[M], square: bool = False) -> list[M]:
    """What stays, of each node where something does."""
    kept = [(X, merge.kept(side)) for side, X in enumerate(parts)]
    return [part(X, at, at if square else None) for X, at in kept if at]


@traced
def merge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Ξ of two nodes as one, and what the way back needs.

    One joint: G = L D Lᵀ, X = L⁻¹ Y, U = D⁻¹ X and Ξ − Xᵀ U. Several: P = G⁺, of least norm
    where conditions are redundant, U = P Y, refined, and Ξ − Yᵀ U; without anything left open G
    alone.
    """
    shape: Merge = t.ask("merge")
    t.called(f"merge_{shape.label}", "two nodes become one")
    parts, outputs = _read(t, shape, "Xi", square=True), ["G"]
    x.G = _eliminated(shape, parts, square=True)
    if shape.sound:
        unit, inverse = factors(x, k, t, x.G)
        outputs = ["l"] * (shape.size > 1) + ["inv"]
    elif shape.left:
        t.solve("P", x.G, k.unit_matrix(shape.size), GATHERED, reach=_limits(k, t, shape))
        outputs.append("P")
    if not shape.left:
        return tuple(outputs)
    mixed = [(X, shape.gone(s), shape.kept(s)) for s, X in enumerate(parts) if shape.kept(s)]
    Y = t.abbreviate("Y", k.beside(*(part(X, gone, kept) for X, gone, kept in mixed)))
    kept = k.diag(*_kept(shape, parts, square=True))
    if shape.sound:
        rows = [
            k.beside(*(part(X, [gone[i]], kept) for X, gone, kept in mixed))
            for i in range(shape.size)
        ]
        X = t.abbreviate("X", k.stack(*forward(t, "x", unit, rows)))
        x.U = (k.diagonal(x.inv) @ X).by((k.diagonal(k.stack(*inverse)) @ X).value)
        left = (kept - Y.T @ x.G.inverse @ Y).by(kept.value - X.value.T * x.U.value)
    else:
        x.U = _refined(x, t, "U", Y)
        left = kept - Y.T @ x.U
    t.state("Xi", left, MERGE)
    return *outputs, "U", "Xi"


def _limits(k: Algebra, t: Tracer, merge: Merge) -> M:
    """What rank is decided against, joint by joint."""
    widths = (merge.first[i] for i, _ in merge.joined)
    return k.stack(*(t.read("d", f"_{j}", rows=width) for j, width in enumerate(widths, 1)))


@traced
def reach(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How the bodies at a joint alone would yield to each of its constraints.

    `leaves`: of each body the size of its Ξ, and where the joint's entries begin in it.
    """
    width, leaves = x.width, t.ask("leaves")
    label = "_".join(f"{size}_{start}" for size, start in leaves)
    t.called(f"reach_{width}_{label}", "how bodies yield to a joint's constraints")
    parts = [t.read("Xi", f"_{j}", rows=size, cols=size) for j, (size, _) in enumerate(leaves, 1)]
    diagonals = [
        [k.entry(Xi, start + i, start + i) for i in range(1, width + 1)]
        for Xi, (_, start) in zip(parts, leaves, strict=True)
    ]
    x.d = k.stack(*(reduce(add, each) for each in zip(*diagonals, strict=True)))
    return ("d",)


def factors(x: At, k: Algebra, t: Tracer, G: M) -> tuple[list[list[M]], list[M]]:
    """G = L D Lᵀ: the rows of L before its diagonal, and the entries of D⁻¹."""
    m = G.value.rows
    unit: list[list[M]] = []
    inverse: list[M] = []
    for i in range(1, m + 1):
        scaled: list[M] = []
        unit.append([])
        for j in range(1, i):
            value = _less(k.entry(G, i, j), scaled, unit[j - 1])
            scaled.append(t.state(f"s_{i}_{j}", value, GATHERED, numbered("s", i, j)))
            value = scaled[-1] @ inverse[j - 1]
            unit[-1].append(t.state(f"l_{i}_{j}", value, GATHERED, numbered("l", i, j)))
        pivot = _less(k.entry(G, i, i), scaled, unit[-1])
        value = pivot.inverse.by(sp.Matrix([1 / pivot[0]]))
        inverse.append(t.state(f"inv_{i}", value, GATHERED, numbered("d", i)))
    if m > 1:
        x.l = k.stack(*(entry for row in unit for entry in row))
    x.inv = k.stack(*inverse)
    return unit, inverse


def _less(value: M, factors: list[M], others: list[M]) -> M:
    """The value less the products of as many factors as there are, one by one."""
    for one, other in zip(factors, others, strict=False):
        value = value - one @ other
    return value


def unit_rows(k: Algebra, t: Tracer, m: int) -> list[list[M]]:
    """Read L: its rows before the diagonal."""
    if m == 1:
        return [[]]
    below = t.read("l", rows=m * (m - 1) // 2)
    return [[k.entry(below, i * (i - 1) // 2 + j, 1) for j in range(1, i + 1)] for i in range(m)]


def forward(t: Tracer, word: str, unit: list[list[M]], rhs: list[M]) -> list[M]:
    """L⁻¹ rhs, row by row."""
    rows: list[M] = []
    for i, (before, row) in enumerate(zip(unit, rhs, strict=True), 1):
        row = _less(row, before, rows)
        rows.append(t.state(f"{word}_{i}", row, MERGE, numbered(word, i)))
    return rows


def _refined(x: At, t: Tracer, word: str, rhs: M) -> M:
    """P rhs, and P times what G leaves of it: else the inverse's rounding would count.

    Where joints of a tree and cuts hold almost the same, entries of P are large.
    """
    G, P = x.G, x.P
    first = t.state(f"{word}0", P @ rhs, REFINED, f"{word}₀")
    rest: M = P @ t.state(f"{word}r", rhs - G @ first, REFINED, f"Δ{word}")
    return first + rest


@traced
def merge_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """ξ of two nodes as one; `s`, the multipliers' part that is known already."""
    shape: Merge = t.ask("merge")
    m = shape.size
    t.called(f"merge_bias_{shape.label}", "biases of two nodes become one")
    parts = _read(t, shape, "xi")
    z = _eliminated(shape, parts)
    if shape.sound:
        unit, inverse = unit_rows(k, t, m), t.read("inv", rows=m)
        pairs = zip(*(shape.gone(side) for side in (0, 1)), strict=True)
        rows = [
            reduce(add, (part(xi, [i]) for xi, i in zip(parts, at, strict=True))) for at in pairs
        ]
        z = t.abbreviate("z", k.stack(*forward(t, "z", unit, rows)))
        x.s = k.diagonal(inverse) @ z
    elif shape.left:
        x.z = z
        z = x.z
        t.read("G", rows=m, cols=m), t.read("P", rows=m, cols=m)
        x.s = _refined(x, t, "s", z)
    else:
        t.solve("s", t.read("G", rows=m, cols=m), z, MERGE, reach=_limits(k, t, shape))
    if not shape.left:
        return ("s",)
    rest = k.stack(*_kept(shape, parts)) - t.read("U", rows=m, cols=shape.left).T @ z
    t.state("xi", rest, MERGE)
    return "s", "xi"


@traced
def back(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The multipliers of the joints that a merge eliminated, from those that it left open."""
    shape: Merge = t.ask("merge")
    m = shape.size
    t.called(f"back_{shape.label}", "multipliers of a merge")
    known = t.read("s", rows=m)
    outer = [
        t.read(f"sigma{'AB'[side]}", f"_{j}", rows=width)
        for side, widths in enumerate((shape.first, shape.second))
        for j, width in enumerate(widths, 1)
        if j - 1 not in {pair[side] for pair in shape.joined}
    ]
    if outer:
        x.y = known + t.read("U", rows=m, cols=shape.left) @ k.stack(*outer)
        known = x.y
    value = -known
    if shape.sound:
        value = backward(k, t, value, unit_rows(k, t, m))
    at = 1
    for number, (i, _) in enumerate(shape.joined, start=1):
        width = shape.first[i]
        At(t, f"_{number}").sigma = part(value, range(at, at + width))
        at += width
    return tuple(f"sigma_{number}" for number in range(1, len(shape.joined) + 1))


def backward(k: Algebra, t: Tracer, rhs: M, unit: list[list[M]]) -> M:
    """L⁻ᵀ rhs, the last row first."""
    m = len(unit)
    rows: dict[int, M] = {}
    for i in reversed(range(m)):
        below = range(i + 1, m)
        row = _less(part(rhs, [i + 1]), [unit[j][i] for j in below], [rows[j] for j in below])
        rows[i] = t.state(f"v_{i + 1}", row, MULTIPLIER, numbered("v", i + 1))
    return k.stack(*(rows[i] for i in range(m)))


@traced
def total(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The multipliers of a joint: what was found first, and what refinements add."""
    size, count = x.width, t.ask("parts")
    t.called(f"total_{size}_{count}", "multipliers and their refinements")
    x.x = reduce(add, (At(t, f"_{j}").x for j in range(1, count + 1)))
    return ("x",)


@traced
def parts(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The entries of a column, one by one."""
    t.called(f"parts_{x.width}", "multipliers one by one")
    return t.each("x", x.x, MULTIPLIER, "σ_c")
