"""Moving inertias, wrenches and motions from a link to its parent, stage by stage.

A relative pose is taken apart into turns about one axis and shifts along one axis. With B, J
and M the blocks of an inertia [[M, B], [Bᵀ, J]], a turn about one axis leaves a third of it as it
is and mixes the rest in planes, at four products each:

    u = s (a − d) + c (b + e):  [[a, b], [e, d]]  →  [[a − s u, c u − e], [c u − b, d + s u]],

and a shift along one axis needs ten products. A whole inertia so costs less than half of what
the products with full matrices do.

Source: own, from c² + s² = 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import sympy as sp

from ..language.program import KernelBuilder
from .hinges import third
from .space import Space

#: The equation that turns a block in a plane.
MIXED = "u = s (a − d) + c (b + e)"


@dataclass(frozen=True)
class AxisTurn:
    """A rotation from child to parent axes about one axis, by its cosine and sine.

    `twice` is 2 c, where it has been stated.
    In the plane `axis` is 2, out of the plane.
    """

    axis: int
    c: sp.Expr
    s: sp.Expr
    twice: sp.Expr | None = None

    @property
    def plane(self) -> tuple[int, int]:
        """The two axes that it turns, the first towards the second."""
        return (self.axis + 1) % 3, (self.axis + 2) % 3

    def outward(self, vector: sp.Matrix) -> sp.Matrix:
        """Columns in parent axes, seen in child axes."""
        return AxisTurn(self.axis, self.c, -self.s).inward(vector)

    def inward(self, vector: sp.Matrix) -> sp.Matrix:
        """Columns in child axes, seen in parent axes."""
        i, j = self.plane
        turned = sp.Matrix(vector)
        turned[i, :] = self.c * vector[i, :] - self.s * vector[j, :]
        turned[j, :] = self.s * vector[i, :] + self.c * vector[j, :]
        return turned

    def tensor(self, kernel: KernelBuilder, name: str, block: sp.Matrix, source: str) -> sp.Matrix:
        """R X Rᵀ, symmetric where X is."""
        i, j = self.plane
        turned = self.inward(block)
        turned = self.inward(turned.T).T
        a, b, e, d = block[i, i], block[i, j], block[j, i], block[j, j]
        across = (self.twice or 2 * self.c) * b if b == e else self.c * (b + e)
        mixed = self.s * (a - d) + across
        u = kernel.let(f"u{name}", sp.Matrix([mixed]), source, says=MIXED)[0]
        turned[i, i], turned[j, j] = a - self.s * u, d + self.s * u
        turned[i, j], turned[j, i] = self.c * u - e, self.c * u - b
        return turned


@dataclass(frozen=True)
class FullTurn:
    """A rotation from child to parent axes by its whole matrix."""

    R: sp.Matrix

    def outward(self, vector: sp.Matrix) -> sp.Matrix:
        """Columns in parent axes, seen in child axes."""
        return self.R.T * vector

    def inward(self, vector: sp.Matrix) -> sp.Matrix:
        """Columns in child axes, seen in parent axes."""
        return self.R * vector

    def tensor(self, kernel: KernelBuilder, name: str, block: sp.Matrix, source: str) -> sp.Matrix:
        """R X Rᵀ."""
        half = kernel.let(f"{name}R", block * self.R.T, source, says=f"{name} Rᵀ")
        return self.R * half


Turn = AxisTurn | FullTurn

#: How the constant turn of a `Way` is taken if it is not about one axis.
FULL = 3


@dataclass(frozen=True)
class Way:
    """How the rotation from a link to its parent is made: of C, or of a turn by the hinge and K.

    `third`: the hinge turns about its third axis, by `cz` and `sz`, or not at all; `still`: it
    does not. `fixed` is the axis of the constant turn K, `FULL` if it has none, and None if
    there is no such turn.
    """

    third: bool = False
    still: bool = False
    fixed: int | None = None

    @classmethod
    def of(cls, rotation: sp.Matrix, K: sp.Matrix) -> Way:
        """The way of a hinge with this relative rotation, on axes K of the parent."""
        return cls(True, rotation.is_Identity is True, axis_of(K)) if third(rotation) else cls()

    @classmethod
    def generic(cls, rotation: sp.Matrix) -> Way:
        """The way of a hinge with this relative rotation, on axes of which nothing is known."""
        if not third(rotation):
            return cls()
        return cls(True, rotation.is_Identity is True, 2 if rotation.rows == 2 else FULL)

    @property
    def label(self) -> str:
        """What a kernel's name says of it."""
        if not self.third:
            return ""
        fixed = {None: "", 0: "_x", 1: "_y", 2: "_z", FULL: "_K"}[self.fixed]
        return f"{fixed}{'' if self.still else '_turn'}"

    def taken(self, kernel: KernelBuilder, space: Space) -> tuple[Turn, ...]:
        """Take what it is made of: the turns, the link's first."""
        d = space.dimension
        if not self.third:
            return (FullTurn(kernel.take("C", d, d)),)
        turns: list[Turn] = []
        if not self.still:
            turns.append(AxisTurn(2, kernel.take("cz")[0], kernel.take("sz")[0]))
        if self.fixed is not None:
            K = kernel.take("K", d, d)
            i, j = (self.fixed + 1) % 3, (self.fixed + 2) % 3
            turns.append(
                FullTurn(K) if self.fixed == FULL else AxisTurn(self.fixed, K[i, i], K[j, i])
            )
        return tuple(turns)


def axis_of(K: sp.Matrix) -> int | None:
    """The axis of a constant turn, by its zeros; None if there is no turn."""
    if K.is_Identity:
        return None
    if K.rows == 2:
        return 2
    signed = all(x in (-1, 0, 1) for x in K)
    alone = [k for k in range(3) if K[k, k] == 1 and sum(x != 0 for x in K[k, :]) == 1]
    return alone[0] if alone and not signed else FULL


@dataclass(frozen=True)
class Transport:
    """From a link to its parent: the turns one after the other, then a shift by an arm.

    Each stage is stated in the kernel, so that the next one builds on values.
    """

    kernel: KernelBuilder
    space: Space
    turns: tuple[Turn, ...]
    source: str
    arm: sp.Matrix = None  # of turns alone

    def spin(self, name: str, vector: sp.Matrix) -> sp.Matrix:
        """An angular quantity of the parent, in the link's axes."""
        if self.space.dimension == 2:
            return vector
        return self.outward(name, vector)

    def outward(self, name: str, vector: sp.Matrix) -> sp.Matrix:
        """A vector of the parent, in the link's axes."""
        for number, turn in enumerate(reversed(self.turns), start=1):
            vector = self.kernel.let(
                f"{name}{number}",
                turn.outward(vector),
                self.source,
                says="Rᵀ x, in the link's axes",
            )
        return vector

    def motion(self, name: str, parent: sp.Matrix) -> sp.Matrix:
        """The motion (r̈, Ω̇) of the parent's origin at the link's, in the link's axes."""
        d = self.space.dimension
        lin = parent[:d, :] + self.space.turn(parent[d:, :], self.arm)
        moved = self.kernel.let(f"{name}P", lin, self.source, says="r̈_P = r̈ + Ω̇ × r")
        return sp.Matrix.vstack(
            self.outward(f"{name}l", moved), self.spin(f"{name}a", parent[d:, :])
        )

    def wrenches(self, name: str, columns: sp.Matrix) -> sp.Matrix:
        """Wrenches of the link at its origin, at the parent's and in its axes."""
        d = self.space.dimension
        for number, turn in enumerate(self.turns, start=1):
            moment = columns[d:, :] if d == 2 else turn.inward(columns[d:, :])
            turned = sp.Matrix.vstack(turn.inward(columns[:d, :]), moment)
            columns = self.kernel.let(
                f"{name}{number}", turned, self.source, says="R f and R m, in the parent's axes"
            )
        return self.space.shift(self.arm).T * columns

    def inertia(self, whole: sp.Matrix) -> sp.Matrix:
        """An inertia of the link about its origin, about the parent's and in its axes."""
        for number, turn in enumerate(self.turns, start=1):
            whole = self._turned(f"{number}", turn, whole)
        axes = (0, 1) if self.space.dimension == 2 else (2, 0, 1)
        for axis in axes:
            if self.arm[axis] != 0:
                whole = self._shifted(axis, whole)
        return whole

    def _turned(self, number: str, turn: Turn, whole: sp.Matrix) -> sp.Matrix:
        d, kernel = self.space.dimension, self.kernel
        if isinstance(turn, AxisTurn):
            twice = kernel.let(f"twice{number}", sp.Matrix([2 * turn.c]), self.source, says="2 c")
            turn = replace(turn, twice=twice[0])
        M = turn.tensor(kernel, f"M{number}", whole[:d, :d], self.source)
        B, J = whole[:d, d:], whole[d:, d:]
        if d == 2:
            B = turn.inward(B)
        else:
            B = turn.tensor(kernel, f"B{number}", B, self.source)
            J = turn.tensor(kernel, f"J{number}", J, self.source)
        return self._stated(f"IAr{number}", M, B, J, "R M Rᵀ, R B Rᵀ, R J Rᵀ")

    def _stated(self, name: str, M: sp.Matrix, B: sp.Matrix, J: sp.Matrix, says: str) -> sp.Matrix:
        whole = sp.BlockMatrix([[M, B], [B.T, J]]).as_explicit()
        return self.kernel.let(name, whole, self.source, symmetric=True, says=says)

    def _shifted(self, axis: int, whole: sp.Matrix) -> sp.Matrix:
        """Xᵀ I X for an arm along one axis: B + M L, and J + Lᵀ B + (B + M L)ᵀ L."""
        d = self.space.dimension
        along = sp.zeros(d, 1)
        along[axis] = self.arm[axis]
        L = self.space.shift(along)[:d, d:]
        M, B, J = whole[:d, :d], whole[:d, d:], whole[d:, d:]
        moved = self.kernel.let(f"Bs{axis + 1}", B + M * L, self.source, says="B′ = B + M L")
        new = moments(J, L, B, moved)
        return self._stated(f"IAs{axis + 1}", M, moved, new, "J′ = J + Lᵀ B + B′ᵀ L")


def moments(J: sp.Matrix, L: sp.Matrix, B: sp.Matrix, moved: sp.Matrix) -> sp.Matrix:
    """J + Lᵀ B + B′ᵀ L, each factor of a sum once."""
    n = J.rows
    result = sp.zeros(n, n)
    for i in range(n):
        for j in range(i, n):
            pairs = [(L[k, i], B[k, j]) for k in range(L.rows)]
            pairs += [(L[k, j], moved[k, i]) for k in range(L.rows)]
            result[i, j] = result[j, i] = J[i, j] + _gathered(pairs)
    return result


def _gathered(pairs: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Σ a b with factors a that differ in sign alone put outside."""
    sums: dict[sp.Expr, sp.Expr] = {}
    for factor, value in pairs:
        if factor == 0:
            continue
        sign = -1 if factor.could_extract_minus_sign() else 1
        sums[sign * factor] = sums.get(sign * factor, sp.Integer(0)) + sign * value
    return sp.Add(*(factor * value for factor, value in sums.items()))
