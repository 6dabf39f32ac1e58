"""Exponentials and adjoints of screws, against those of matrices."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy as sp

from mstmm.symbolic.exact import screws
from mstmm.symbolic.exact.evaluation import Points


def numbers(matrix: sp.Matrix) -> mp.matrix:
    return mp.matrix(matrix.tolist())


def as_hat(X: mp.matrix) -> mp.matrix:
    """The 4×4 matrix of a twist, for mpmath."""
    x, y, z, a, b, c = X
    return mp.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


@pytest.mark.parametrize("kind", ["revolute", "helical", "prismatic"])
def test_the_exponential_is_that_of_the_matrix(kind):
    draw = Points(7)
    axis, q = draw.rotation(3)[:, 0], sp.Rational(7, 5)
    pitch = draw.number() if kind == "helical" else sp.S.Zero
    X = screws.unit_screw(axis, draw.vector(3), pitch)
    if kind == "prismatic":
        X = screws.twist(sp.zeros(3, 1), axis)
    with mp.workdps(40):
        found = numbers(
            screws.exponential(X, q, sp.cos(q).evalf(45), sp.sin(q).evalf(45)).evalf(45)
        )
        expected = mp.expm(as_hat(numbers(X.evalf(45))) * mp.mpf(7) / 5)
        assert mp.mnorm(found - expected) < mp.mpf(10) ** -35


def test_the_adjoint_of_a_momentum():
    draw = Points(4)
    P, V = draw.vector(6), draw.vector(6)
    assert screws.bar(P) * V == screws.ad(V).T * P
    assert screws.vee(screws.hat(V)) == V
