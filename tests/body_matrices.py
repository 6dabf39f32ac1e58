"""A body's matrices of the overall equation, from its balance alone: what pages must come to."""

from __future__ import annotations

import sympy as sp

from mstmm.symbolic.mechanics.newton_euler import generic
from mstmm.symbolic.mechanics.vectors import Layout
from mstmm.symbolic.pages.named import body_matrix


def transfer_matrices(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """U_I1 and U_I2 of a body, each with the columns of a whole state (19), (20).

    A further input brings moment and force alone.
    """
    whole, layout, end = body_matrix(dimension, 2), Layout(dimension, 2), Layout(dimension)
    n = layout.motions
    first = whole.extract(range(end.size), [*range(2 * n), layout.one])
    second = sp.zeros(end.size, end.size)
    second[:, n : 2 * n] = whole[:, 2 * n : 3 * n]
    return first, second


def geometric_matrices(dimension: int) -> tuple[sp.Matrix, sp.Matrix]:
    """H_I1 of the second input, and H_I2 (21), (22)."""
    body = generic(2)
    moved = dict(zip(body.output, body.inputs[1], strict=True))
    n = Layout(dimension).motions
    rows = body_matrix(dimension, 1)[:n, :].xreplace(moved)
    if dimension == 2:
        rows = rows.xreplace({body.inputs[1][2]: sp.S.Zero})
    return rows, sp.eye(n).row_join(sp.zeros(n, n + 1))
