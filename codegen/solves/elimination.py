"""Solves that stay calls of a function in the generated code."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

#: The numbers of a workspace that say what a solve of minimum norm has met of a state: see
#: `mstmm_solve.h`. The last is `BOUNDED` where the floor holds, which no memory is by chance.
MET, BOUNDED = 5, 9.430732415617653e-24

#: Which of these are what: those that `mstmm_forget` sets, and to what; then the floor.
LEAST, DROPPED, RANK, FLOOR = range(4)
FORGOTTEN = 1.0, 0.0, float("inf")


@dataclass(frozen=True)
class Elimination:
    """A solve that stays a call of `solver`: matrix rows, right-hand columns, unknowns.

    One of minimum norm has a `reach`, of each unknown, then of each the scale.
    """

    matrix: tuple[tuple[int, ...], ...]
    rhs: tuple[tuple[int, ...], ...]
    solver: str = "solve_lu"
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
        """Operations by kind, those of a pivoted elimination."""
        return elimination(len(self.matrix), self.width)

    def scratch(self, lanes: bool) -> int:
        """In how many numbers its solver works; in vectors one lane's system stands there too."""
        n = len(self.matrix)
        own = 2 * n * (n + 1) if self.reach else 0
        return own + (n * n + n * self.width + len(self.reach) if lanes else 0)


def elimination(n: int, columns: int) -> dict[str, int]:
    """Operations by kind of a pivoted elimination of n unknowns."""
    pairs = n * (n - 1) * (2 * n - 1) // 6 + columns * n * (n - 1)
    return {
        "multiplications": pairs + n * (n - 1) // 2 + n * columns,
        "additions": pairs,
        "divisions": n,
    }
