"""How the letters of the forms map to each other, as matrices.

The paper's end state carries z_a = (m, q) and z_b = (r̈, Ω̇); the fast form carries the wrench
λ = (−q, m) that the root side exerts on the tip side, and λ = IA z_b + pA. With
z_a = Π λ it is S = Π IA and e = Π pA: S is the inertia of the subtree, seen from its end.

The recursive formulation says the same of centroids: λ = M_r v̇ − Q_r there, in inertial axes.
At the point that is ρ before the centroid, v̇ = X(ρ) z_b + g with g = (~Ω~Ω ρ, 0), so that
IA = Xᵀ M_r X and pA = Xᵀ (M_r g − Q_r). The effective mass is the Riccati coefficient:
S = Π Xᵀ M_r X, e = Π Xᵀ (M_r g − Q_r).

The screw paper's twists are (ω, v) and its coscrews (t, f); ours are (v, ω) and (f, t). Its
operators are ours with rows and columns in the other order.
"""

from __future__ import annotations

import sympy as sp

from ...mechanics.space import Space
from ...mechanics.vectors import Layout
from .recursion import Coefficients


def wrench_to_loads(dimension: int) -> sp.Matrix:
    """Π of z_a = Π λ, which is orthogonal.

    Sign
        q of λ is negative: the tip side pulls with q at the root side, which answers with −q.
    Source
        Own; the signs are those of Riccati paper, Sect. 2.1.
    """
    layout = Layout(dimension)
    n, d = layout.rotations, layout.translations
    return sp.Matrix(
        sp.BlockMatrix([[sp.zeros(n, d), sp.eye(n)], [-sp.eye(d), sp.zeros(d, n)]]).as_explicit()
    )


def paper_coefficients(IA: sp.Matrix, pA: sp.Matrix, dimension: int) -> Coefficients:
    """S = Π IA, e = Π pA."""
    Pi = wrench_to_loads(dimension)
    return Coefficients(Pi * IA, Pi * pA)


def at_point(
    M: sp.Matrix, Q: sp.Matrix, arm: sp.Matrix, spin: sp.Matrix, axes: sp.Matrix | None = None
) -> tuple[sp.Matrix, sp.Matrix]:
    """IA and pA at a point of a body, from an effective mass and load at its centroid.

    Frame
        `arm` ρ from the point to the centroid, and `spin`: inertial. IA and pA are in `axes`,
        the columns of which are inertial (none given: inertial axes).
    Source
        recursive-formulation paper (3.52), in the terms of the fast form.
    """
    d = len(arm)
    space = Space(d)
    X = space.shift(arm)
    if axes is not None:
        X = X * sp.diag(axes, axes if d == 3 else sp.eye(1))
    tilde = space.tilde(spin) if d == 3 else sp.Matrix([[0, -spin[0]], [spin[0], 0]])
    g = sp.Matrix.vstack(tilde * tilde * arm, sp.zeros(space.spins, 1))
    return X.T * M * X, X.T * (M * g - Q)
