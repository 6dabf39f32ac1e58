"""State vectors: their entries, their order, and the sign convention at the ends.

An end's state is `z = [r̈; Ω̇; m; q; 1]` (1), (2): 13 entries in space, 7 in the plane (35). A
body with inputs I₁ … I_L carries `[r̈ Ω̇ m q]` of I₁, then `[m q]` of every further input,
then the 1 (6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import sympy as sp

AXES = ("x", "y", "z")

#: The spatial entries of `[r̈ Ω̇ m q]` that stay in the plane, counted from 0 (35).
PLANAR_ENTRIES = (0, 1, 5, 8, 9, 10)
#: The spatial entries of `[m q]` of a further input that stay in the plane.
PLANAR_LOADS = (2, 3, 4)


class Side(Enum):
    """An end of an element, with the signs of the loads that act on the element there.

    Sign
        Force = `force` · q, moment = `moment` · m: a force is positive in the axis direction
        at an input, a moment about the negative axis; at an output both are reversed.
    Source
        Riccati paper, Sect. 2.1.
    """

    INPUT = (1, -1)
    OUTPUT = (-1, 1)

    @property
    def force(self) -> int:
        return self.value[0]

    @property
    def moment(self) -> int:
        return self.value[1]


@dataclass(frozen=True)
class Layout:
    """Where the entries of a state vector stand, counted from 0.

    Shape
        7 + 3 (L − 1) entries in the plane, 13 + 6 (L − 1) in space, L being `inputs`.
    Source
        Riccati paper (1), (2), (6), (35).
    """

    dimension: int
    inputs: int = 1

    @property
    def translations(self) -> int:
        return self.dimension

    @property
    def rotations(self) -> int:
        return 1 if self.dimension == 2 else 3

    @property
    def motions(self) -> int:
        """The entries of `[r̈ Ω̇]`; those of `[m q]` are as many."""
        return self.translations + self.rotations

    @property
    def size(self) -> int:
        return self.motions * (self.inputs + 1) + 1

    @property
    def acceleration(self) -> tuple[int, ...]:
        return tuple(range(self.translations))

    @property
    def angular(self) -> tuple[int, ...]:
        return tuple(range(self.translations, self.motions))

    def moment(self, k: int = 1) -> tuple[int, ...]:
        """The entries of m at input k, counted from 1."""
        start = self.motions * k
        return tuple(range(start, start + self.rotations))

    def force(self, k: int = 1) -> tuple[int, ...]:
        """The entries of q at input k, counted from 1."""
        start = self.motions * k + self.rotations
        return tuple(range(start, start + self.translations))

    @property
    def one(self) -> int:
        return self.size - 1

    @property
    def blocks(self) -> Mapping[str, tuple[int, ...]]:
        """Block name to entries, in the order of the vector."""
        found = {"r": self.acceleration, "Omega": self.angular}
        for k in range(1, self.inputs + 1):
            found[f"m{k}"] = self.moment(k)
            found[f"q{k}"] = self.force(k)
        found["1"] = (self.one,)
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        """One readable name an entry: `ẍ`, `Ω̇z`, `mz`, `qx`, …, `1`."""
        axes = AXES[: self.dimension]
        spin = AXES[3 - self.rotations :]
        second = {"x": "ẍ", "y": "ÿ", "z": "z̈"}
        names = [second[axis] for axis in axes] + [f"Ω̇{axis}" for axis in spin]
        for k in range(1, self.inputs + 1):
            at = f",I{k}" if self.inputs > 1 else ""
            names += [f"m{axis}{at}" for axis in spin] + [f"q{axis}{at}" for axis in axes]
        return (*names, "1")


def skew(r: sp.Matrix) -> sp.Matrix:
    """The matrix r̃ with `r̃ b = r × b`."""
    x, y, z = r
    return sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def column(*entries: sp.Expr) -> sp.Matrix:
    """A column matrix."""
    return sp.Matrix(len(entries), 1, list(entries))


def symbols(name: str, axes: tuple[str, ...] = AXES) -> sp.Matrix:
    """A column of real symbols `name_x …`."""
    return column(*(sp.Symbol(f"{name}_{axis}", real=True) for axis in axes))
