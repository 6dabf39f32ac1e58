"""The reduction to the plane by rows and columns (35), and a body's matrix in either."""

from __future__ import annotations

import sympy as sp

from .bodies import generic_transfer_matrix
from .newton_euler import generic
from .vectors import PLANAR_ENTRIES, PLANAR_LOADS, Layout


def kept(inputs: int = 1) -> tuple[int, ...]:
    """The entries of a spatial state of L inputs that stay in the plane, counted from 0.

    For one input these are entries 1, 2, 6, 9, 10, 11, 13 in the paper's count.

    Source
        Riccati paper (35) and the lines before (36).
    """
    further = [12 + 6 * k + i for k in range(inputs - 1) for i in PLANAR_LOADS]
    return (*PLANAR_ENTRIES, *further, Layout(3, inputs).one)


def reduce(U: sp.Matrix, inputs: int = 1) -> sp.Matrix:
    """The planar matrix: kept rows, kept columns."""
    return U.extract(list(kept()), list(kept(inputs)))


def vanishing(inputs: int = 1) -> list[sp.Expr]:
    """What vanishes of the data of a body whose points lie in the plane and which turns about z.

    Its products of inertia with z vanish, as do f_z, m_x and m_y at its centre of mass.
    """
    body = generic(inputs)
    zero = [body.centre[2], body.output[2], *(r[2] for r in body.inputs[1:]), *body.Omega[:2]]
    zero += [body.force[2], *body.couple[:2]]
    return zero + [sp.Symbol(name, real=True) for name in ("J_13", "J_23")]


def in_plane(inputs: int = 1) -> sp.Matrix:
    """The spatial matrix of a body whose points lie in the plane and which turns about z."""
    zero = dict.fromkeys(vanishing(inputs), sp.S.Zero)
    return sp.Matrix(generic_transfer_matrix(inputs)).xreplace(zero)


def body_matrix(dimension: int, inputs: int) -> sp.Matrix:
    """The matrix of a body's comprehensive input state, one symbol for each datum.

    Source
        Riccati paper (4), (8); in the plane (35).
    """
    if dimension == 2:
        return reduce(in_plane(inputs), inputs)
    return sp.Matrix(generic_transfer_matrix(inputs))


def decoupled(U: sp.Matrix, inputs: int = 1) -> bool:
    """Whether the planar part of a spatial matrix stands alone.

    Kept rows must not see dropped columns, nor dropped rows the kept columns.
    """
    rows, cols = kept(), kept(inputs)
    other_rows = [i for i in range(U.rows) if i not in rows]
    other_cols = [j for j in range(U.cols) if j not in cols]
    return bool(
        U.extract(list(rows), other_cols).expand().is_zero_matrix
        and U.extract(other_rows, list(cols)).expand().is_zero_matrix
    )
