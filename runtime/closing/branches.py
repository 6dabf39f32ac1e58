"""Branches of motion that meet in a singular position of closed loops.

Where conditions φ(q) = 0 come to depend on each other, J has a kernel N larger than elsewhere,
and a cokernel L: conditions Lᵀ φ that say nothing at first order. They do at second: a motion with
the speeds v = N c there has Lᵀ (d²φ)(v, v) = 0, homogeneous quadrics in c. Where the mechanism has
one freedom, these meet in lines: the tangents of its branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.arrays import Floats
from .conditions import Conditions

#: Singular values of scaled conditions below this part of the largest are zero.
ZERO = 1e-7

#: The step (rad, parts of the size) of differences of the fourth order; places and weights.
STEP = 1e-3
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))

#: Of the second-order conditions those below this are rounding; speeds meet them within this.
MET = 1e-6

#: Where one looks for branches from, for each unknown twice as often; passes from one start.
STARTS, MOST_STARTS, PASSES = 20, 640, 40

#: Two branches are one if their directions differ by less than this.
SAME = 1e-6

#: So many branches, and so many speeds of one, are told.
TOLD = 6


@dataclass(frozen=True, eq=False)
class Branches:
    """What speeds the loops allow in a singular position.

    `kernel`: those that the conditions allow at first order, N; `scale` divides them; `quadrics`:
    the conditions of the second order, symmetric matrices; `freedoms` of the mechanism elsewhere.
    """

    kernel: Floats
    scale: Floats
    quadrics: Floats
    freedoms: int

    def allows(self, v: Floats) -> bool:
        """Is v, which keeps the loops closed at first order, a branch's?"""
        c = self.kernel.T @ (v * self.scale)
        size = float(c @ c)
        return size > 0.0 and bool(np.abs(self._values(c)).max(initial=0.0) <= MET * size)

    def tangents(self) -> list[Floats]:
        """The speeds of each branch, the first that is not small being 1.

        None where there is more than one freedom, or the second order does not tell branches: n
        quadrics meet in 2ⁿ lines (Bézout), or else in a surface, of which any number is found.
        """
        if self.freedoms != 1 or len(self.quadrics) < self.kernel.shape[1] - 1:
            return []
        found: list[Floats] = []
        for c in self._starts():
            root = self._root(c)
            if root is not None and all(1.0 - abs(root @ x) > SAME for x in found):
                found.append(root)
        if len(found) > 2 ** (self.kernel.shape[1] - 1):
            return []
        return sorted(
            (direction_of(self.kernel @ c / self.scale) for c in found), key=list, reverse=True
        )

    def nearest(self, v: Floats) -> Floats | None:
        """Speeds that some branch has, near these; none if they are across all that are allowed."""
        c = self.kernel.T @ (v * self.scale)
        size = float(np.linalg.norm(c))
        root = self._root(c / size) if size else None
        return None if root is None else self.kernel @ root * size / self.scale

    def _values(self, c: Floats) -> Floats:
        return np.asarray(np.einsum("ijk,j,k->i", self.quadrics, c, c))

    def _starts(self) -> Iterator[Floats]:
        size = self.kernel.shape[1]
        random = np.random.default_rng(0)
        for _ in range(min(STARTS * 2**size, MOST_STARTS)):
            c = random.normal(size=size)
            yield np.asarray(c / np.linalg.norm(c))

    def _root(self, c: Floats) -> Floats | None:
        """The zero of the quadrics on the sphere near this one, by Gauss–Newton."""
        for _ in range(PASSES):
            values = self._values(c)
            if np.abs(values).max(initial=0.0) < 1e-13:
                return c
            slopes = np.vstack([2.0 * self.quadrics @ c, c])
            change = np.linalg.lstsq(slopes, np.append(-values, 0.0), rcond=1e-12)[0]
            c = c + change / max(1.0, float(np.linalg.norm(change)))
            c = c / np.linalg.norm(c)
        return c if np.abs(self._values(c)).max(initial=0.0) < MET * MET else None


def branches_of(q: Floats, conditions: Conditions, near: Sequence[Floats]) -> Branches | None:
    """The branches that meet at a closed place; None where it is not singular.

    `near` are closed places about this one, at which the conditions have the rank of elsewhere.
    """
    J, rows, columns = conditions.slopes(q)
    left, sizes, right = np.linalg.svd(J)
    rank = int((sizes > ZERO).sum())
    ranks = [
        int((np.linalg.svd(conditions.slopes(x)[0], compute_uv=False) > ZERO).sum()) for x in near
    ]
    count = J.shape[1]
    if rank >= max(ranks, default=rank):
        return None
    kernel, cokernel = right[rank:].T, left[:, rank:]
    size = kernel.shape[1]

    def curvature(c: Floats) -> Floats:
        """What the conditions without slope open by, at second order, with speeds N c."""
        v = kernel @ c / columns
        change = sum(
            w * conditions.opening(conditions.stepped(q, k * STEP * v), v)[1] for k, w in STENCIL
        )
        return np.asarray(cokernel.T @ (change / STEP / rows))

    unit = np.eye(size)
    alone = [curvature(unit[j]) for j in range(size)]
    forms = np.zeros((cokernel.shape[1], size, size))
    for j in range(size):
        for k in range(j):
            mixed = (curvature(unit[j] + unit[k]) - alone[j] - alone[k]) / 2.0
            forms[:, j, k] = forms[:, k, j] = mixed
        forms[:, j, j] = alone[j]
    # Conditions that follow from others everywhere say nothing at second order either.
    _, weights, independent = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    kept = independent[weights > MET * max(weights.max(initial=0.0), 1.0)]
    return Branches(kernel, columns, kept.reshape(-1, size, size), count - max(ranks))


def direction_of(v: Floats) -> Floats:
    """The same direction, the first speed that is not small being 1."""
    first = int(np.argmax(np.abs(v) > 0.1 * np.abs(v).max()))
    v = v / v[first]
    return np.where(np.abs(v) < SAME, 0.0, v)


def branches_said(tangents: Sequence[Floats], names: Sequence[str]) -> str:
    """Branches in words, each by its speeds."""
    told = [f"({k + 1}) {speeds_said(v, names)}" for k, v in enumerate(tangents[:TOLD])]
    more = len(tangents) - TOLD
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def speeds_said(v: Floats, names: Sequence[str]) -> str:
    """Speeds in words, the first of them."""
    speeds = [f"{name} = {x:.6g}" for name, x in zip(names, v, strict=True)]
    return ", ".join(speeds[:TOLD]) + (", …" if len(speeds) > TOLD else "")
