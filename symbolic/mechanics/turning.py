"""Ways from a link to its parent: turns about an axis or by a whole matrix, and a shift."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..language.program import KernelBuilder
from .hinges import third
from .space import Space


@dataclass(frozen=True)
class AxisTurn:
    """A rotation from child to parent axes about one axis, by its cosine and sine.

    In the plane `axis` is 2, out of the plane.
    """

    axis: int
    c: sp.Expr
    s: sp.Expr

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
    """From a link to its parent, in kernels that are stated matrix by matrix (see `turns`).

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
