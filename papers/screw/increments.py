"""An increment on its way and its exponential: what (90) of the screw paper is judged at."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.series import Series, blocks, cosine_and_sine


@dataclass(frozen=True, eq=False)
class Increment:
    """X with a rational |ω| = θ and its rate, exp X as a series of order 1, θ, cos θ and sin θ.

    Cosine and sine are those of any rational point of the circle: nothing but their rates and
    c² + s² = 1 is used.
    """

    X: Series
    exponential: Series
    angle: tuple[sp.Expr, sp.Expr, sp.Expr]

    @classmethod
    def drawn(cls, seed: int) -> Increment:
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
        exponential = blocks([[R, r], list(below)])
        return cls(moving, exponential, (theta, c.value[0], s.value[0]))
