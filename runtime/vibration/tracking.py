"""Which mode is which: modes of one model and another, told apart by how they move.

Modes are augmented vectors u: all that moves, of beams as finely as tells. What they are compared
by is the modal assurance criterion with the inertia, from 0 of modes that are orthogonal to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats
from .stiffness import Whole

#: Real modes, or complex ones of what is damped or spins.
Vectors = npt.NDArray[Any]


class Shapes(NamedTuple):
    """Modes u and inertias times these M u, which need no common size; a number for each group of
    equal eigenvalues, ascending from 0, in which any mixture of modes is one.

    Shape
        `u`, `momenta` (mode, length); `groups` (mode).
    """

    u: Vectors
    momenta: Vectors
    groups: Whole


def assurance(one: Shapes, other: Shapes) -> Floats:
    """|uᵢ* M₂ vⱼ| |uᵢ* M₁ vⱼ| / ((uᵢ* M₁ uᵢ) (vⱼ* M₂ vⱼ)): 1 of one mode, 0 of orthogonal ones.

    Shape
        (mode of one, mode of the other).
    Source
        Allemang and Brown (1982); the mean of both inertias by their product is own.
    """
    across = np.abs(one.u.conj() @ other.momenta.T) * np.abs(one.momenta.conj() @ other.u.T)
    sizes = [np.abs(np.sum(x.u.conj() * x.momenta, axis=1)) for x in (one, other)]
    found: Floats = across / np.maximum(np.outer(*sizes), np.finfo(float).tiny)
    return found


def matched(likeness: Floats, room: Whole | None = None) -> Whole:
    """For each row the column that is most like it, the likest pairs first; −1 where none is left.

    A column is taken by so many rows as there is `room`, by default one.

    Shape
        `likeness` (n, m); `room` (m); result (n).
    """
    left = likeness.copy()
    room = np.ones(left.shape[1], dtype=np.int64) if room is None else room.copy()
    found = np.full(len(left), -1, dtype=np.int64)
    for _ in range(min(len(left), int(room.sum()))):
        row, column = np.unravel_index(int(left.argmax()), left.shape)
        found[row] = column
        left[row] = -1.0
        room[column] -= 1
        if not room[column]:
            left[:, column] = -1.0
    return found


def followed(steps: Sequence[Shapes]) -> tuple[Whole, Floats]:
    """The modes of the first step, in all steps: which mode of each is which, −1 where none is.

    And how like each is to what it was a step before, 1 at first. Where eigenvalues meet, their
    modes are turned among each other to those before, so that each leaves the place as it came;
    there a mode is as like as the part of it that is any mixture of theirs.

    Shape
        Both (step, mode of the first).
    Source
        own
    """
    last, found = steps[0], [np.arange(len(steps[0].u))]
    alike = [np.ones(len(steps[0].u))]
    for here in steps[1:]:
        room = np.bincount(here.groups)
        likeness = np.zeros((len(last.u), len(room)))
        np.add.at(likeness.T, here.groups, assurance(last, here).T)
        of = matched(likeness, room)
        alike.append(np.array([likeness[k, j] if j >= 0 else 0.0 for k, j in enumerate(of)]))
        order = np.full(len(of), -1, dtype=np.int64)
        u, momenta = last.u.astype(here.u.dtype), last.momenta.astype(here.u.dtype)
        for group in np.unique(of[of >= 0]):
            rows, own = np.flatnonzero(of == group), np.flatnonzero(here.groups == group)
            order[rows] = own[: len(rows)]
            turn = _nearest(u[rows], Shapes(here.u[own], here.momenta[own], here.groups[own]))
            u[rows], momenta[rows] = turn @ here.u[own], turn @ here.momenta[own]
        last = Shapes(u, momenta, np.arange(len(u)))
        found.append(order)
    return np.array(found), np.array(alike)


def _nearest(u: Vectors, group: Shapes) -> Vectors:
    """By which modes of a group are turned to be nearest to these, as large as each other.

    The polar part of u Pᵀ, the group's modes scaled to generalized masses of 1.
    """
    sizes = np.sqrt(np.abs(np.sum(group.u.conj() * group.momenta, axis=1)))
    left, _, right = np.linalg.svd((u @ group.momenta.conj().T) / sizes, full_matrices=False)
    found: Vectors = left @ right / sizes
    return found
