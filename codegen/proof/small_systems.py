"""Do the small solves that models share take conditions that follow from others for what they are?

A state at which conditions come to depend on each other leaves nothing of the program's digits,
and says nothing of the code. So the solve of least norm gets systems of its own, of whole numbers
but for powers of two: their rank is exact, and 50 digits say what it has to find.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np

from ..solves.elimination import FORGOTTEN, LEAST, MET, RANK
from .records import SMALL, Record

#: Unknowns, right sides, and how many systems of each number of unknowns.
UNKNOWNS, SIDES, SYSTEMS = range(1, 6), 2, 6

#: How large the whole numbers are, and by what powers of two unknowns are scaled.
LARGEST, SCALES = 3, (-6, 0, 5)

#: How much more a diagonal could be, its reach, and by what a matrix becomes rounding of it.
REACHES, NOTHING = (1.0, 4.0, 1024.0), 2.0**-120

#: What is left of digits where the condition is 1, and up to what condition systems are taken.
CLOSE, WORST = 1e-14, 1e3

DECLARED = """
void mstmm_solve_by_rotations(int n, int m, double *A, double *x, const double *reach,
                              double *met, double *room);
"""


def judge_small_systems(backend: Any, chooser: random.Random) -> Iterator[Record]:
    """One record, if the library has the solve of least norm."""
    path = getattr(backend, "path", None)
    if path is None:
        return
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(DECLARED)
    library = ffi.dlopen(str(path))
    if not hasattr(library, "mstmm_solve_by_rotations"):
        return
    record = Record(f"{SMALL}: mstmm_solve_by_rotations")
    for n in UNKNOWNS:
        for number in range(SYSTEMS):
            _judge(record, ffi, library, n, number % (n + 1), chooser)
    yield record


def _judge(
    record: Record, ffi: Any, library: Any, n: int, rank: int, chooser: random.Random
) -> None:
    """A x = b with A = B Bᵀ: no column of B follows from the others; of rank 0 B is rounding."""
    rows, scales, columns = _factor(n, rank or n, chooser)
    A = np.array([[float(mpmath.fdot(a, b)) for b in rows] for a in rows])
    more = chooser.choice(REACHES)
    reach = more * np.array([float(x**-2) for x in scales])
    A *= 1.0 if rank else NOTHING
    limits = np.concatenate([reach, A.diagonal()])
    b = np.array([[float(chooser.randint(-9, 9)) for _ in range(SIDES)] for _ in range(n)])
    side = mpmath.matrix([[scales[i] * b[i, j] for j in range(SIDES)] for i in range(n)])
    exact, smallest, condition = mpmath.zeros(n, SIDES), 1.0, 1.0
    if rank:
        scaled = mpmath.matrix([[scales[i] * x for x in row] for i, row in enumerate(rows)])
        inverse = columns**-1
        exact = scaled * (inverse * (inverse * (scaled.T * side)))
        values = mpmath.eigsy(columns, eigvals_only=True)
        smallest, condition = float(values[0]), float(values[rank - 1] / values[0])
    found, room = b.copy(), np.full(n * n + 2 * n, np.nan)
    met = np.array([*FORGOTTEN, *[0.0] * (MET - len(FORGOTTEN))])
    pointers = [ffi.cast("double *", x.ctypes.data) for x in (A, found, limits, met, room)]
    library.mstmm_solve_by_rotations(n, SIDES, *pointers)
    record.points += 1
    wanted = [[scales[i] * exact[i, j] for j in range(SIDES)] for i in range(n)]
    for j in range(SIDES):
        # so large the unknowns can be, each in the units of its own diagonal entry
        size = max(float(abs(side[i, j])) for i in range(n)) / smallest
        for i in range(n):
            off = abs(float(found[i, j] - wanted[i][j]))
            allowed = CLOSE * condition * n * size * float(scales[i])
            record.holds(off <= allowed, f"x[{i}] of {n} unknowns of rank {rank}")
    least, told_rank = met[[LEAST, RANK]]
    pivot = min(smallest / more, 1.0) if rank else 1.0
    told = told_rank == rank and abs(least - pivot) <= CLOSE * condition * n * pivot
    record.holds(told, f"the rank {rank} of {n} unknowns and its least pivot")


def _factor(n: int, rank: int, chooser: random.Random) -> tuple[list[list[Any]], list[Any], Any]:
    """B, what divides its rows to unit length, and Cᵀ C of the rows C so divided."""
    while True:
        rows = [[chooser.randint(-LARGEST, LARGEST) for _ in range(rank)] for _ in range(n)]
        rows = [[x * mpmath.mpf(2) ** chooser.choice(SCALES) for x in row] for row in rows]
        scales = [1 / (mpmath.norm(x) or mpmath.mpf(1)) for x in rows]
        divided = mpmath.matrix([[s * x for x in row] for s, row in zip(scales, rows, strict=True)])
        columns = divided.T * divided
        values = mpmath.eigsy(columns, eigvals_only=True)
        if values[0] * WORST >= values[rank - 1] > 0:
            return rows, scales, columns
