"""What a proof notes: the worst of each block, entry and part of a library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import getitem
from typing import Any

from ...errors import ValidationError
from ...model.expressions.quantities import told
from ...shown import report

#: Errors may reach this many times what one unit in the last place of the inputs does.
SLACK = 16

#: An error of so many plain units in the last place is none: it is below the bound for every κ.
PLAIN = 2

#: How the rows begin that judge more than one block: entries, and what lies around the kernels.
WHOLE, BATCH, FAR, ONE_STEP = "whole program", "states of a batch", "far angles", "one step"
PROJECTION, RIGHT_SIDE, SINES = "projection onto loops", "right-hand side", "sines and cosines"
SMALL, MOTIONS, SETTLED = "small systems", "motions", "closed loops"
NO_BLOCKS = (WHOLE, BATCH, FAR, ONE_STEP, PROJECTION, RIGHT_SIDE, SINES, SMALL, MOTIONS, SETTLED)

#: Parts of a proof, by how their names begin: all, blocks with the programs that they make, and
#: what lies around them.
ALL, BLOCKS = ("",), "blocks"
AROUND = (SINES, BATCH, FAR, PROJECTION, RIGHT_SIDE, ONE_STEP, MOTIONS, SMALL)


@dataclass(frozen=True)
class Row:
    """The worst that was found of one block, or of one entry as a whole.

    `max_ulps` is the largest error, and `bound` the permitted one (16), both in units in the
    last place times κ: a result that cancels to nearly nothing has no meaningful last place of
    its own, and κ ≥ 1 says how much of it is left. Where an error is 2 units at most, κ is not
    sought and counts as 1. `points` counts the evaluations judged.
    """

    kernel: str
    points: int
    max_ulps: float
    bound: float
    ok: bool


@dataclass(frozen=True)
class Proof:
    """What validation found: `ok`, the largest error / bound row in words, and all rows."""

    target: str
    points: int
    rows: tuple[Row, ...]
    worst: str

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    @property
    def max_ulps(self) -> float:
        """The largest error of any row, in units in the last place times κ."""
        return max(row.max_ulps for row in self.rows)

    def __repr__(self) -> str:
        verdict = "all hold" if self.ok else f"{sum(not row.ok for row in self.rows)} fail"
        rows = f"{told(len(self.rows), 'row')} at {told(self.points, 'point')}, {verdict}"
        return f"<Proof of target {self.target}: {rows}, {self.max_ulps:.2g} ulp at most>"

    def _repr_html_(self) -> str:
        return str(report("notebook").proof(self))

    def require(self) -> None:
        """Do nothing if all rows are ok.

        Raises
            ValidationError: names the kernel, the member, the entry and the error.
        """
        if not self.ok:
            raise ValidationError(self.worst)


@dataclass
class Record:
    """The running worst of one block or entry."""

    kernel: str
    points: int = 0
    error: float = -1.0
    where: str = ""

    def add(self, error: float, change: Callable[[], float], size: float, where: str) -> None:
        """Note an error of a result of that size, which shaken inputs change by `change`.

        κ is 1 at least: where the error is small in plain units, nobody asks for more.
        """
        unit, relative = math.ulp(size), math.inf
        if math.isfinite(error):
            relative = error / (unit if error <= PLAIN * unit else max(unit, change()))
        if relative > self.error:
            self.error, self.where = relative, where

    def holds(self, condition: bool, where: str) -> None:
        """Note whether what must hold does."""
        self.add(0.0 if condition else math.inf, float, 1.0, where)

    def row(self) -> Row:
        return Row(self.kernel, self.points, self.error, SLACK, self.error <= SLACK)


def compare(
    record: Record, number: float, value: Any, change: Callable[[], float], where: str
) -> None:
    """Note how far a number is from its exact value, which shaken inputs change by `change`."""
    error = distance(number, value) if math.isfinite(number) else math.inf
    record.add(error, change, float(value), where)


def changed(exact: Any, shaken: Callable[[], Iterable[Any]], *place: Any) -> Callable[[], float]:
    """How far what shaken runs have at a place is from the exact value, once somebody asks."""
    return lambda: max(distance(reduce(getitem, place, run), exact) for run in shaken())


def distance(a: Any, b: Any) -> float:
    return float(abs(Decimal(a) - b))
