"""Ways from a link to its parent: by which turns about an axis, or by a whole matrix."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .hinges import third


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
        axis = axis_of(K)
        apart = third(rotation) and (axis != FULL or signed(K))
        return cls(True, rotation.is_Identity is True, axis) if apart else cls()

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


def axis_of(K: sp.Matrix) -> int | None:
    """The axis of a constant turn, by its zeros; None if there is no turn."""
    if K.is_Identity:
        return None
    if K.rows == 2:
        return 2
    alone = [k for k in range(3) if K[k, k] == 1 and sum(x != 0 for x in K[k, :]) == 1]
    return alone[0] if alone and not signed(K) else FULL


def signed(K: sp.Matrix) -> bool:
    """Does a turn only rename axes, some with the other sign?"""
    return all(x in (-1, 0, 1) for x in K)
