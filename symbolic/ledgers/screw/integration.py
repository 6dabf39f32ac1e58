"""What geometric integration rests on, as checks: screw paper (89), (90)."""

from __future__ import annotations

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.series import Series, blocks, cosine_and_sine
from .cases import entry
from .tree import Tree, body_twist, spatial_twist


def increment(seed: int) -> tuple[sp.Matrix, sp.Matrix, Series, tuple[sp.Expr, sp.Expr, sp.Expr]]:
    """X with a rational |ω|, Ẋ, exp X as a series of order 1, and θ, cos θ, sin θ.

    Cosine and sine are those of any rational point of the circle: nothing but their rates and
    c² + s² = 1 is used.
    """
    draw = Points(seed)
    axis, theta = draw.rotation(3)[:, 0], abs(draw.number())
    X, rate = screws.twist(theta * axis, draw.vector(3)), draw.vector(6)
    turning = (X[:3, :].T * rate[:3, :])[0] / theta
    angle = Series.of_derivatives([theta, turning])
    back = Series.of_derivatives([1 / theta, -turning / theta**2])
    c, s = cosine_and_sine(angle, draw.circle())
    one = Series.of_derivatives([sp.Integer(1), sp.Integer(0)])
    moving = Series((X, rate))
    w, v = moving.map(lambda x: screws.skew(x[:3, :])), moving.map(lambda x: x[3:, :])
    first, second = s.times(back), (one - c).times(back).times(back)
    third = (angle - s).times(back).times(back).times(back)
    whole = Series.constant(sp.eye(3), 1)
    R = whole + w.times(first) + (w @ w).times(second)
    r = (whole + w.times(second) + (w @ w).times(third)) @ v
    below = Series.constant(sp.Matrix([[0, 0, 0]]), 1), one
    return X, rate, blocks([[R, r], list(below)]), (theta, c.value[0], s.value[0])


def algebra(tree: Tree, printed: bool = False) -> Sides:
    """C₀ exp X has V^b = dexp_{−X} Ẋ; exp(X) C₀ has V^s = dexp_X Ẋ."""
    C0 = tree.motion.C[tree.numbers[-1]].value
    start = Series.constant(C0, 1)
    for seed in range(3):
        X, rate, exponential, angle = increment(100 + seed)
        body, spatial = screws.dexp(-X, *angle) * rate, screws.dexp(X, *angle) * rate
        yield body_twist(start @ exponential).value, body
        if printed:
            yield spatial_twist(start @ exponential).value, spatial
            continue
        yield spatial_twist(exponential @ start).value, spatial
        yield spatial_twist(start @ exponential).value, screws.Ad(C0) * spatial


def reconstruction(tree: Tree) -> Sides:
    """(89): Ċ = C V^b^ = V^s^ C."""
    for i in tree.numbers:
        C = tree.motion.C[i]
        yield C.at(1), C.value * screws.hat(tree.motion.Vb(i).value)
        yield C.at(1), screws.hat(tree.motion.Vs(i).value) * C.value


ENTRIES = (
    entry("89", "the rate of a pose by twists", reconstruction, "Ċ = C Vᵇ^ = Vˢ^ C"),
    entry(
        "90",
        "twists by the rate of an increment",
        algebra,
        "C = C₀ exp X: Vᵇ = dexp_{−X} Ẋ; C = exp(X) C₀: Vˢ = dexp_X Ẋ",
        as_printed="C = C₀ exp X: Vᵇ = dexp_{−X} Ẋ and Vˢ = dexp_X Ẋ",
        symbols=None,
        no_claim="its increments are drawn where they are judged",
        correction="V^s = dexp_X Ẋ belongs to exp(X) C₀; the printed increment "
        "C₀⁻¹ C has Ad_{C₀} before it",
    ),
)
