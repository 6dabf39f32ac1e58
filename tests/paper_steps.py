"""The steps of the paper's recursion for any matrices: judges of what programs carry."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from mstmm.symbolic.methods.riccati.recursion import (
    Backward,
    Blocks,
    Coefficients,
    advance,
    pivot,
)


def step(T: Blocks, at: Coefficients) -> tuple[Coefficients, Backward]:
    """One element by (24), (25), (29), (30) of the Riccati paper."""
    return advance(T, at, pivot(T, at).inv())


def hinge_step(
    at: Coefficients, moments: int, spins: Sequence[int]
) -> tuple[Coefficients, Backward]:
    """A smooth hinge, completed: its own m = 0 eliminates the inboard angular acceleration.

    So many moments lead z_a, and Ω̇ stands at `spins` in z_b. With K = S_mΩ⁻¹ the inboard
    Ω̇ = −K (S_ms s + e_m), s being the rest of z_b; then S ← S P, e ← S p + e, whose moment rows
    and angular columns are zero.
    """
    everything, rows = list(range(at.S.cols)), list(range(moments))
    rest = [i for i in everything if i not in spins]
    others = [i for i in range(at.S.rows) if i not in rows]
    K = at.S.extract(rows, spins).inv()
    slope = -(K @ at.S.extract(rows, rest))
    offset = -(K @ at.e.extract(rows, [0]))

    # z_b,I = choose_rest s + choose_spins Ω̇_I, and s is the same on both sides of the hinge.
    one = sp.eye(at.S.cols)
    choose_rest, choose_spins = one.extract(everything, rest), one.extract(everything, spins)
    P = (choose_rest + choose_spins @ slope) @ choose_rest.T
    p = choose_spins @ offset

    keep = one.extract(everything, others)
    lower_S = at.S.extract(others, everything) @ P
    lower_e = at.S.extract(others, everything) @ p + at.e.extract(others, [0])
    return Coefficients(keep @ lower_S, keep @ lower_e), Backward(P, p)
