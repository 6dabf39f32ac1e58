"""The rigid body's transfer matrix (4)–(9), solved from force and moment balance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from .newton_euler import BodyData, balance, generic
from .vectors import Layout


def transfer_matrix(body: BodyData) -> sp.Matrix:
    """The matrix U of `z_O = U z_I`: the balance, solved for the output state.

    The balance is linear in both states. Ordered by acceleration, angular acceleration,
    force, moment, its output part is lower triangular.

    Shape
        13 × (13 + 6 (L − 1)).
    Source
        Own derivation; Riccati paper (3), (4), (7), (8).
    """
    layout = Layout(3, len(body.inputs))
    z_I = sp.Matrix([sp.Dummy() for _ in range(layout.size - 1)] + [1])
    z_O = sp.Matrix([sp.Dummy() for _ in range(12)] + [1])
    rows = balance(body, z_I, z_O).expand()
    end = Layout(3)
    order = [*end.acceleration, *end.angular, *end.force(), *end.moment()]
    unknowns = sp.Matrix([z_O[i] for i in order])
    knowns = z_I[:-1, :]
    left = rows.jacobian(unknowns)
    rest = rows.xreplace(dict.fromkeys([*unknowns, *knowns], sp.S.Zero))
    right = -rows.jacobian(knowns).row_join(rest)
    solved = left.lower_triangular_solve(right).expand()
    last = sp.zeros(1, layout.size)
    last[layout.one] = 1
    return sp.Matrix.vstack(*(solved[order.index(i), :] for i in range(12)), last)


@lru_cache(maxsize=8)
def generic_transfer_matrix(inputs: int = 1) -> sp.ImmutableMatrix:
    """(4) and (8) with a symbol for every datum, derived once."""
    return sp.ImmutableMatrix(transfer_matrix(generic(inputs)))


@dataclass(frozen=True)
class Coefficients:
    """The blocks of (4) and (8) by the names of (5) and (9)."""

    E1: sp.Matrix
    E2: sp.Matrix
    E3: sp.Matrix
    E4: sp.Matrix
    E5: sp.Matrix
    E6: sp.Matrix
    E7: sp.Matrix
    E8: sp.Matrix
    E9: sp.Matrix
    E_I: tuple[sp.Matrix, ...]


def coefficients(U: sp.Matrix, layout: Layout) -> Coefficients:
    """Read E₁ … E₉ and E_I2 … E_IL off a body's transfer matrix.

    Source
        Riccati paper (4), (5), (8), (9): only the places of the blocks are used.
    """
    end = Layout(layout.dimension)

    def block(rows: tuple[int, ...], cols: tuple[int, ...]) -> sp.Matrix:
        return U.extract(list(rows), list(cols))

    r, w, one = layout.acceleration, layout.angular, (layout.one,)
    m, q = end.moment(), end.force()
    E3, E4, E5 = block(q, r), block(q, w), block(q, one)
    E6 = block(m, layout.force())
    return Coefficients(
        E1=block(r, w),
        E2=block(r, one),
        E3=E3,
        E4=E4,
        E5=E5,
        E6=E6,
        E7=(block(m, r) - E6 * E3).expand(),
        E8=(block(m, w) - E6 * E4).expand(),
        E9=(block(m, one) - E6 * E5).expand(),
        E_I=tuple((block(m, layout.force(k)) - E6).expand() for k in range(2, layout.inputs + 1)),
    )
