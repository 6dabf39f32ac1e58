"""Screws: twists (ω, v), coscrews (t, f), and how they change with the frame and along a joint.

Twists have the angular part first, and belong to the origin of the frame that they are expressed
in. A pose C maps a body's components and places to those of another frame; `hat(X)` is the
4×4 matrix of a twist, and C hat(X) C⁻¹ = hat(Ad_C X).
"""

from __future__ import annotations

import sympy as sp


def skew(a: sp.Matrix) -> sp.Matrix:
    """~a, with ~a b = a × b."""
    x, y, z = a
    return sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def axial(A: sp.Matrix) -> sp.Matrix:
    """The vector of a skew matrix."""
    return sp.Matrix([A[2, 1], A[0, 2], A[1, 0]])


def twist(omega: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
    """X = (ω, v)."""
    return sp.Matrix.vstack(omega, v)


def angular(X: sp.Matrix) -> sp.Matrix:
    """ʷX = (ω, 0).

    Source
        screw paper (119).
    """
    return twist(X[:3, :], sp.zeros(3, 1))


def linear(X: sp.Matrix) -> sp.Matrix:
    """ᵛX = (0, v).

    Source
        screw paper (119).
    """
    return twist(sp.zeros(3, 1), X[3:, :])


def hat(X: sp.Matrix) -> sp.Matrix:
    """[[~ω, v], [0, 0]]."""
    return sp.Matrix.vstack(sp.Matrix.hstack(skew(X[:3, :]), X[3:, :]), sp.zeros(1, 4))


def vee(matrix: sp.Matrix) -> sp.Matrix:
    """The twist of which a 4×4 matrix is the hat."""
    return twist(axial(matrix[:3, :3]), matrix[:3, 3])


def pose(R: sp.Matrix, r: sp.Matrix) -> sp.Matrix:
    """C = [[R, r], [0, 1]].

    Source
        screw paper (91).
    """
    below = sp.Matrix([[0, 0, 0, 1]])
    return sp.Matrix.vstack(sp.Matrix.hstack(R, r), below)


def turn(C: sp.Matrix) -> sp.Matrix:
    """R of a pose."""
    return C[:3, :3]


def place(C: sp.Matrix) -> sp.Matrix:
    """r of a pose."""
    return C[:3, 3]


def inverse(C: sp.Matrix) -> sp.Matrix:
    """C⁻¹ = [[Rᵀ, −Rᵀ r], [0, 1]]."""
    return pose(turn(C).T, -turn(C).T * place(C))


def Ad(C: sp.Matrix) -> sp.Matrix:
    """[[R, 0], [~r R, R]]: the components of a twist in the frame that C leads to.

    Source
        screw paper (118).
    """
    R, r = turn(C), place(C)
    return _below(R, skew(r) * R, R)


def Ad_turn(R: sp.Matrix) -> sp.Matrix:
    """diag(R, R): Ad of a rotation alone."""
    return _below(R, sp.zeros(3, 3), R)


def Ad_shift(r: sp.Matrix) -> sp.Matrix:
    """[[1, 0], [~r, 1]]: Ad of a translation alone."""
    return _below(sp.eye(3), skew(r), sp.eye(3))


def ad(X: sp.Matrix) -> sp.Matrix:
    """[[~ω, 0], [~v, ~ω]]: ad_X Y = [X, Y].

    Source
        screw paper (116).
    """
    return _below(skew(X[:3, :]), skew(X[3:, :]), skew(X[:3, :]))


def bracket(X: sp.Matrix, Y: sp.Matrix) -> sp.Matrix:
    """The screw product [X, Y] = (ω₁ × ω₂, v₁ × ω₂ + ω₁ × v₂).

    Source
        screw paper (114), (115).
    """
    return ad(X) * Y


def bar(P: sp.Matrix) -> sp.Matrix:
    """[[~L, ~p], [~p, 0]] of a momentum P = (L, p): bar(P) V = ad_Vᵀ P.

    Source
        own
    """
    L, p = skew(P[:3, :]), skew(P[3:, :])
    return sp.Matrix.vstack(sp.Matrix.hstack(L, p), sp.Matrix.hstack(p, sp.zeros(3, 3)))


def unit_screw(axis: sp.Matrix, point: sp.Matrix, pitch: sp.Expr = sp.S.Zero) -> sp.Matrix:
    """(e, p × e + h e): of a joint about the unit vector e through the point p.

    Units
        `pitch` h in m/rad.
    Source
        screw paper (95).
    """
    return twist(axis, point.cross(axis) + pitch * axis)


def exponential(X: sp.Matrix, q: sp.Expr, c: sp.Expr, s: sp.Expr) -> sp.Matrix:
    """exp(q hat(X)) of a unit screw; c and s are cos q and sin q.

    R = 1 + s ~e + (1 − c) ~e², r = (q + (1 − c) ~e + (q − s) ~e²) m; without an axis R = 1,
    r = q m.

    Source
        screw paper (92); Rodrigues' formula.
    """
    e, m = skew(X[:3, :]), X[3:, :]
    if X[:3, :].is_zero_matrix:
        return pose(sp.eye(3), q * m)
    R = sp.eye(3) + s * e + (1 - c) * e**2
    return pose(R, (q * sp.eye(3) + (1 - c) * e + (q - s) * e**2) * m)


def _below(first: sp.Matrix, below: sp.Matrix, last: sp.Matrix) -> sp.Matrix:
    zero = sp.zeros(3, 3)
    return sp.Matrix.vstack(sp.Matrix.hstack(first, zero), sp.Matrix.hstack(below, last))
