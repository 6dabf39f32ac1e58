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

from .records import SMALL, Record

#: Unknowns, right sides, and how many systems of each number of unknowns.
UNKNOWNS, SIDES, SYSTEMS = range(1, 6), 2, 6

#: How large the whole numbers are, and by what powers of two unknowns are scaled.
LARGEST, SCALES = 3, (-6, 0, 5)

#: What is left of digits where the condition is 1, and up to what condition systems are taken.
CLOSE, WORST = 1e-14, 1e3

#: What is noted of a solve is noted for its lane, whichever that is.
LANES = 16

DECLARED = """
void mstmm_solve_by_rotations(int n, int m, double *A, double *x, double *room);
void mstmm_bound(const double *floors);
void mstmm_forget(void);
void mstmm_recall(int lane, double *least, int *rank);
"""


def judge_small_systems(backend: Any, chooser: random.Random) -> Iterator[Record]:
    """One record, if the library has the solve of least norm; its memory of solves is emptied."""
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
            _judge(record, ffi, library, n, 1 + number % n, chooser)
    library.mstmm_forget()
    yield record


def _judge(
    record: Record, ffi: Any, library: Any, n: int, rank: int, chooser: random.Random
) -> None:
    """A x = b with A = B Bᵀ: of B's columns none follows from the others."""
    rows, columns, smallest, condition = _factor(n, rank, chooser)
    A = np.array([[float(mpmath.fdot(a, b)) for b in rows] for a in rows])
    given = A.copy()
    b = np.array([[float(chooser.randint(-9, 9)) for _ in range(SIDES)] for _ in range(n)])
    scaled = mpmath.matrix(n, rank)
    scales = [1 / mpmath.sqrt(A[i, i]) if A[i, i] else mpmath.mpf(0) for i in range(n)]
    for i, k in ((i, k) for i in range(n) for k in range(rank)):
        scaled[i, k] = scales[i] * rows[i][k]
    side = mpmath.matrix([[scales[i] * b[i, j] for j in range(SIDES)] for i in range(n)])
    inverse = columns**-1
    exact = scaled * (inverse * (inverse * (scaled.T * side)))
    found, room = b.copy(), np.full(n * n + 2 * n, np.nan)
    pointers = [ffi.cast("double *", x.ctypes.data) for x in (A, found, room)]
    library.mstmm_bound(ffi.NULL)
    library.mstmm_forget()
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
    least, met = ffi.new("double *"), ffi.new("int *")
    pivots, ranks = [], []
    for lane in range(LANES):
        library.mstmm_recall(lane, least, met)
        pivots.append(least[0])
        ranks.append(met[0])
    diagonal = [x for x in np.diag(given) if x]
    pivot = min(diagonal) / max(diagonal) / condition
    told = sum(ranks) == rank and abs(min(pivots) - pivot) <= CLOSE * condition * n * pivot
    record.holds(told, f"the rank {rank} of {n} unknowns and its least pivot")


def _factor(n: int, rank: int, chooser: random.Random) -> tuple[list[list[Any]], Any, float, float]:
    """B, Cᵀ C of its rows C at unit length, the least eigenvalue of that and its condition."""
    while True:
        rows = [[chooser.randint(-LARGEST, LARGEST) for _ in range(rank)] for _ in range(n)]
        rows = [[x * mpmath.mpf(2) ** chooser.choice(SCALES) for x in row] for row in rows]
        unit = mpmath.matrix(n, rank)
        for i, row in enumerate(rows):
            length = mpmath.norm(row)
            for k in range(rank if length else 0):
                unit[i, k] = row[k] / length
        columns = unit.T * unit
        values = mpmath.eigsy(columns, eigvals_only=True)
        if values[0] * WORST >= values[rank - 1] > 0:
            return rows, columns, float(values[0]), float(values[rank - 1] / values[0])
