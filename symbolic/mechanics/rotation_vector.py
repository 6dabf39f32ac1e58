"""The rotation vector of a unit quaternion: smooth at no turn, and exact to a double's last digit.

With θ = φ/2 a unit quaternion is (cos θ, n sin θ), and the rotation vector φ n is
2 (θ / sin θ) n sin θ. Halving the angle thrice,

    sin θ = 8 sin(θ/8) · P,   P = cos(θ/2) cos(θ/4) cos(θ/8),

leaves θ/sin θ = h(x)/P with x = sin²(θ/8) ≤ 0.04, and of h(x) = arcsin(√x)/√x = Σ cₘ xᵐ eleven
terms, beyond which nothing is left of 2e-18. There is no case to tell and nothing to divide by
that could be zero.

Source: own; cₘ = (2m)! / (4ᵐ (m!)² (2m + 1)), the series of the arcsine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ...model.expressions.functions import step

#: The series of arcsin(√x)/√x.
TERMS = tuple(sp.binomial(2 * m, m) / sp.Integer(4) ** m / (2 * m + 1) for m in range(11))

#: What a kernel calls the stages on the way to θ / sin θ, and what they are.
STAGES = {
    "hc1": "cos(θ/2)",
    "hc2": "cos(θ/4)",
    "hc3": "cos(θ/8)",
    "hx": "sin²(θ/8)",
    "hratio": "θ/sin θ",
}

#: How the ratio's rate is called in kernels.
SLOPE = {"hslope": "(1 − θ cot θ)/sin² θ"}


class ratio(sp.Function):  # type: ignore[misc]  # noqa: N801 (a function of expressions)
    """θ / sin θ for 0 ≤ θ ≤ π/2, from cos θ and sin² θ."""

    nargs = 2


def rotation_vector(Q: Sequence[sp.Expr]) -> sp.Matrix:
    """φ n of a unit quaternion w, x, y, z, with φ ≤ π: the same of Q and −Q.

    Where w = 0 the turn is half a round, and the axis that of Q as it is written.
    """
    w, e = Q[0], sp.Matrix(Q[1:])
    side = 2 * step(w) - 1
    return 2 * side * ratio(side * w, e.dot(e)) * e


def relative(rest: Sequence[sp.Expr], Q: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
    """The quaternion of the turn from one orientation to another: conj(rest) ∘ Q."""
    a, b = rest[0], -sp.Matrix(rest[1:])
    w, e = Q[0], sp.Matrix(Q[1:])
    return a * w - b.dot(e), *(a * e + w * b + b.cross(e))


def written_out(law: sp.Expr) -> sp.Expr:
    """A law with the ratio in it as a formula."""

    def formula(c: sp.Expr, s: sp.Expr) -> sp.Expr:
        known: list[sp.Expr] = []
        for _ in STAGES:
            known.append(_next(c, s, known))
        return known[-1]

    return law.replace(ratio, formula)


def stated(let: Callable[[str, sp.Matrix], sp.Matrix], laws: sp.Matrix) -> sp.Matrix:
    """Laws of a hinge with the ratio in them stated by `let`, stage by stage."""
    for found in laws.atoms(ratio):
        known: list[sp.Expr] = []
        for name in STAGES:
            value = sp.Matrix([_next(found.args[0], found.args[1], known)])
            known.append(let(name, value)[0])
        laws = laws.xreplace({found: known[-1]})
    return laws


def slope_stated(
    let: Callable[[str, sp.Matrix], sp.Matrix], Q: Sequence[sp.Expr]
) -> tuple[sp.Expr, sp.Matrix]:
    """c and e of 1 + c ~e ~e, the symmetric part of the rotation vector's rate by the spin.

    With the stages c₁, c₂, c₃, x and h(x)/P it is

        c = (1 − θ cot θ)/sin² θ = h′(x)/(32 c₁ c₂ P) + (h/P) (1/c₁² + 1/(4 c₁ c₂²) + …)/4,

    a sum of what is not negative, so that no digits are lost where there is no turn.

    Source
        own: ratio′(θ)/sin θ, by the derivative of each stage.
    """
    w, e = Q[0], sp.Matrix(Q[1:])
    side = 2 * step(w) - 1
    known: list[sp.Expr] = []
    for name in STAGES:
        known.append(let(name, sp.Matrix([_next(side * w, e.dot(e), known)]))[0])
    c1, c2, c3, x, ratio_ = known
    rate = sp.Integer(0)
    for m, term in reversed([*enumerate(TERMS)][1:]):
        rate = m * term + x * rate
    steps = 1 / (4 * c1**2) + 1 / (16 * c1 * c2**2) + 1 / (64 * c1 * c2 * c3**2)
    slope = rate / (32 * c1 * c2 * (c1 * c2 * c3)) + ratio_ * steps
    (name,) = SLOPE
    return let(name, sp.Matrix([slope]))[0], e


def _next(c: sp.Expr, s: sp.Expr, known: Sequence[sp.Expr]) -> sp.Expr:
    """The next of the stages: three cosines, sin²(θ/8) and θ/sin θ, each from those before it."""
    if len(known) < 3:
        return sp.sqrt((1 + (known[-1] if known else c)) / 2)
    P = sp.Mul(*known[:3])
    if len(known) == 3:
        return s / (8 * P) ** 2
    series = sp.Integer(0)
    for term in reversed(TERMS):
        series = term + known[3] * series
    return series / P
