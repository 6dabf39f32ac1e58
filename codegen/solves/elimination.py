"""Solves that stay calls of a function in the generated code."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from .sparse import Pattern

#: The solvers of symmetric matrices, and what solves the same without storing zeros.
SPARSE = {"solve_min_norm": "solve_sparse"}

#: The numbers of a workspace that say what solves of minimum norm have met of a state: see
#: `mstmm_solve.h`. The last is `BOUNDED` where the floor holds, which no memory is by chance.
MET, BOUNDED = 4, 9.430732415617653e-24


@dataclass(frozen=True)
class Elimination:
    """A solve that stays a call of `solver`: matrix rows, right-hand columns, unknowns.

    A `pattern` has one whose matrix is symmetric and mostly zeros; a `reach`, of each unknown, then
    of each the scale, one of minimum norm.
    """

    matrix: tuple[tuple[int, ...], ...]
    rhs: tuple[tuple[int, ...], ...]
    solver: str = "solve_lu"
    pattern: Pattern | None = None
    reach: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """Right-hand columns."""
        return len(self.rhs[0])

    def of(self, columns: Collection[int]) -> Elimination:
        """The same solve for some columns of its right-hand side alone."""
        if len(columns) == self.width:
            return self
        return replace(self, rhs=tuple(tuple(row[j] for j in sorted(columns)) for row in self.rhs))

    @property
    def arguments(self) -> tuple[int, ...]:
        """All that it works on."""
        return (*(x for row in (*self.matrix, *self.rhs) for x in row), *self.reach)

    @property
    def operations(self) -> dict[str, int]:
        """Operations by kind; without a pattern those of a pivoted elimination."""
        columns = self.width
        if self.pattern:
            return self.pattern.operations(columns)
        return elimination(len(self.matrix), columns)

    def stored(self) -> list[int]:
        """The entries of the matrix that its solver takes, in their order."""
        if not self.pattern:
            return [x for row in self.matrix for x in row]
        order = self.pattern.order
        return [
            self.matrix[order[i]][order[j]]
            for i, row in enumerate(self.pattern.rows)
            for j in (*row, i)
        ]

    def scratch(self, lanes: bool) -> int:
        """In how many numbers its solver works; in vectors one lane's system stands there too."""
        n, entries = len(self.matrix), len(self.stored())
        own = 2 * n * (n + 1) if self.reach else 0
        own += entries if self.pattern else 0
        return own + (entries + n * self.width + len(self.reach) if lanes else 0)

    def sides(self) -> list[tuple[int, ...]]:
        """The rows of the right-hand side as the solver takes them."""
        return [self.rhs[i] for i in self.pattern.order] if self.pattern else list(self.rhs)

    def reaches(self) -> list[int]:
        """Reach and scale as the solver takes them."""
        if not self.pattern:
            return list(self.reach)
        n = len(self.matrix)
        return [part[i] for part in (self.reach[:n], self.reach[n:]) for i in self.pattern.order]

    def place(self, unknown: int) -> int:
        """Where an unknown, counted row by row, stands in what the solver gives."""
        if not self.pattern:
            return unknown
        row, column = divmod(unknown, self.width)
        return self.pattern.order.index(row) * self.width + column


def elimination(n: int, columns: int) -> dict[str, int]:
    """Operations by kind of a pivoted elimination of n unknowns."""
    pairs = n * (n - 1) * (2 * n - 1) // 6 + columns * n * (n - 1)
    return {
        "multiplications": pairs + n * (n - 1) // 2 + n * columns,
        "additions": pairs,
        "divisions": n,
    }
