"""Symmetric systems with many zeros: the order in which unknowns go, and what L D Lᵀ fills.

Loops that share no body but the ground know nothing of each other, so that the matrix of a row of
loops has entries beside its diagonal alone. Its factors are as sparse if the unknowns are taken in
the right order, and to solve it then costs as much as there are loops, not the cube of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Fewer unknowns are solved as if there were no zeros: a table costs more than it saves.
FEWEST = 8


@dataclass(frozen=True)
class Pattern:
    """Where the factors of a sparse matrix have entries.

    `order` has the unknowns as they are eliminated, `rows` by place in that order the places of
    the entries of L before the diagonal.
    """

    order: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]

    @property
    def entries(self) -> int:
        """Entries of L, the diagonal with them."""
        return len(self.order) + sum(map(len, self.rows))

    def operations(self, columns: int) -> dict[str, int]:
        """Operations by kind of a solve for so many right-hand sides."""
        n, beside = len(self.order), sum(map(len, self.rows))
        pairs = sum(len(self.rows[j]) for row in self.rows for j in row) + beside
        pairs += 2 * columns * beside
        return {
            "multiplications": pairs + beside + n * columns,
            "additions": pairs,
            "divisions": n,
        }


def pattern(known: Sequence[Sequence[bool]]) -> Pattern | None:
    """The pattern of a symmetric matrix of which `known` entries are zero; none if it is no gain.

    The unknown with the fewest neighbours is eliminated first, the first of several; its
    neighbours then are neighbours of each other.
    """
    size = len(known)
    left = {i: {j for j in range(size) if j != i and not known[i][j]} for i in range(size)}
    if size < FEWEST or 2 * sum(map(len, left.values())) > size * (size - 1):
        return None
    place: dict[int, int] = {}
    rows: dict[int, list[int]] = {i: [] for i in range(size)}
    while left:
        first = min(left, key=lambda i: (len(left[i]), i))
        place[first] = len(place)
        near = left.pop(first)
        for i in near:
            rows[i].append(place[first])
            left[i] |= near
            left[i] -= {first, i}
    found = Pattern(tuple(place), tuple(tuple(rows[i]) for i in place))
    return found if 4 * found.entries <= size * (size + 3) else None
