"""The kernels of geometric integration on SE(3): a Munthe-Kaas step of a rigid body.

The pose moves by exponentials of increments X, which are integrated by the classical
Runge–Kutta method: by C exp X with V^b = dexp_{−X} Ẋ, or by exp(X) C with V^s = dexp_X Ẋ. Twists
are (ω, v), momenta and wrenches (moment, force).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....model.expressions.functions import step
from ...language.letters import letters
from ...language.written import SUBSCRIPTS, numbered
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing

#: The classical Runge–Kutta method.
STAGES = ((), (sp.Rational(1, 2),), (0, sp.Rational(1, 2)), (0, 0, 1))
WEIGHTS = tuple(sp.Rational(1, n) for n in (6, 3, 3, 6))

#: θ² below which coefficients are series, to θ¹²: what is left out is below 1e-20.
NEAR = sp.Rational(1, 25)
TERMS = 6

EXP = "screw paper (92): exponential"
DEXP = "screw paper (90): dexp⁻¹"
MOVED = "screw paper (89): the pose moves by an exponential"
BALANCE = "screw paper (42)"
MOMENTUM = "screw paper (37): the spatial momentum changes by the wrench"
STAGE = "classical Runge-Kutta"
ROUNDED = "own: rounding taken out of the rotation"
WEIGHT = "weight in body axes"
SPATIAL = "screw paper (36)"

STEPS = letters(f"""
    h  | h   | 1       | | length of the step
    R  | R   | 3 3 rot | | rotation from the body's axes to inertial ones
    r  | r   | 3       | | position of the body's origin
    V  | V   | 6       | | twist (ω, v) of the body, in its axes
    P  | P   | 6       | | momentum (L, p) about the inertial origin
    M  | M   | 6 6 sym | | inertia of the body
    Mi | M⁻¹ | 6 6 sym | | its inverse
    g  | g   | 3       | | gravity, m/s²
    Re | R_e | 3 3     | {MOVED}   | rotation after the step, with its rounding
    RR | E   | 3 3 sym | {ROUNDED} | unit matrix but for rounding
    Rn | R′  | 3 3     | {ROUNDED} | rotation after the step
    rn | r′  | 3       | {MOVED}   | position after the step
    Vn | V′  | 6       | {STAGE}   | twist after the step
    Pn | P′  | 6       | {STAGE}   | momentum after the step
""")
traced = tracing(STEPS, {}, {})


@cache
def series(name: str) -> tuple[sp.Rational, ...]:
    """The coefficients of θ⁰, θ², … of what multiplies the powers of ~ω or ad_X."""
    k = range(TERMS + 1)
    factorial = sp.factorial
    if name == "sine":  # sin θ / θ
        return tuple(sp.Rational((-1) ** i, factorial(2 * i + 1)) for i in k)
    if name == "cosine":  # (1 − cos θ) / θ²
        return tuple(sp.Rational((-1) ** i, factorial(2 * i + 2)) for i in k)
    if name == "rest":  # (θ − sin θ) / θ³
        return tuple(sp.Rational((-1) ** i, factorial(2 * i + 3)) for i in k)
    # dexp⁻¹ is Σ B_n / n! adⁿ, and ad⁶ = −2 θ² ad⁴ − θ⁴ ad² leaves two of the even powers.
    x = sp.Symbol("x")
    second, fourth = sp.Integer(1), sp.Integer(0)
    total = sp.Integer(0)
    for n in range(1, TERMS + 3):
        kept = second if name == "second" else fourth
        total += sp.bernoulli(2 * n) / factorial(2 * n) * kept
        second, fourth = -(x**2) * fourth, second - 2 * x * fourth
    found = sp.Poly(sp.expand(total), x).all_coeffs()[::-1]
    return tuple(found[: TERMS + 1])


class Increment:
    """An increment X inside a kernel: θ², and coefficients that hold near and far from zero."""

    def __init__(self, k: Algebra, t: Tracer, number: str, X: M) -> None:
        self.k, self.t, self.number, self.X = k, t, number, X
        self.w, self.v = self._part("ω", range(1, 4)), self._part("v", range(4, 7))
        square = self.state("tt", self.w.T @ self.w, EXP, "η")
        beyond = k.function(step, square - k.scalar(NEAR))
        self.square, self.far = square, self.state("far", beyond, EXP, "χ")
        one = k.unit_matrix(1)
        self.near = one - self.far
        theta = self.state("t", k.function(sp.sqrt, square + self.near), EXP, "θ")
        cosine = self.state("c", k.function(sp.cos, theta), EXP, "c")
        sine = self.state("s", k.function(sp.sin, theta), EXP, "s")
        self.angle = theta[0], cosine[0], sine[0]

    def _part(self, letter: str, rows: range) -> M:
        return self.t.abbreviate(self._numbered(letter), part(self.X, rows))

    def _numbered(self, letter: str) -> str:
        return letter + self.number.translate(SUBSCRIPTS)

    def state(self, name: str, value: M, source: str, letter: str) -> M:
        """A step on the way, by the increment's number."""
        return self.t.state(f"X{self.number}_{name}", value, source, self._numbered(letter))

    def _coefficient(self, which: str, letter: str, closed: sp.Expr, source: str) -> M:
        near, scalar = self.k.zero(), self.k.scalar
        for term in reversed(series(which)):
            near = scalar(term) + self.square @ near
        value = self.far @ scalar(closed) + self.near @ near
        return self.state(which, value, source, letter)

    def exponential(self) -> tuple[M, M]:
        """R = 1 + a ~ω + b ~ω², r = (1 + b ~ω + c ~ω²) v."""
        t, c, s = self.angle
        a = self._coefficient("sine", "α", s / t, EXP)
        b = self._coefficient("cosine", "β", (1 - c) / t**2, EXP)
        rest = self._coefficient("rest", "γ", (t - s) / t**3, EXP)
        w, v = self.k.tilde(self.w), self.v
        turned = self.state("wv", w @ v, EXP, "u")
        R = self.state("R", self.k.unit_matrix(3) + a @ w + b @ w @ w, EXP, "Q")
        return R, self.state("r", v + b @ turned + rest @ w @ turned, EXP, "b")

    def inverse(self, V: M, sign: int) -> M:
        """dexp⁻¹ of ±X on V: V ∓ ad V / 2 + a ad² V + b ad⁴ V."""
        t, c, s = self.angle
        second = 2 / t**2 + (t + 3 * s) / (4 * t * (c - 1))
        fourth = 1 / t**4 + (t + s) / (4 * t**3 * (c - 1))
        a = self._coefficient("second", "μ", second, DEXP)
        b = self._coefficient("fourth", "ν", fourth, DEXP)
        ad = bracket(self.k, self.t, self._numbered("ad_X"), self.w, self.v)
        powers = [V]
        for j in range(1, 5):
            powers.append(self.state(f"ad{j}_", ad @ powers[-1], DEXP, f"a{'′' * (j - 1)}"))
        half = powers[1].half
        value = (V - half if sign > 0 else V + half) + a @ powers[2] + b @ powers[4]
        return self.state("K", value, DEXP, "K")


def bracket(k: Algebra, t: Tracer, word: str, w: M, v: M) -> M:
    """ad of a twist (ω, v)."""
    w, v = k.tilde(w), k.tilde(v)
    return t.abbreviate(word, k.blocks((w, k.zero(3, 3)), (v, w)))


def halves(twist: M) -> tuple[M, M]:
    """The angular part of a twist or a wrench, and the linear one."""
    return part(twist, range(1, 4)), part(twist, range(4, 7))


class _Step:
    """What both steps have: the body, its pose and gravity; `moving` goes on stage by stage."""

    def __init__(self, x: At, k: Algebra, t: Tracer, name: str, title: str, moving: str) -> None:
        self.x, self.k, self.t = x, k, t
        t.called(name, title)
        self.h, self.R, self.r, self.moving = x.h, x.R, x.r, t.read(moving)
        self.M, self.Mi, self.g = x.M, x.Mi, x.g
        self.increments: list[M] = []
        self.rates: list[M] = []

    def state(self, word: str, number: int, value: M, source: str, letter: str = "") -> M:
        """What is known at a stage."""
        return self.t.state(f"{word}{number}_", value, source, numbered(letter or word, number))

    def _total(self, weights: tuple[sp.Expr | int, ...], parts: list[M]) -> M:
        total: M = self.k.zero(6)
        for weight, each in zip(weights, parts, strict=True):
            total = total + (each if weight == 1 else self.k.scalar(sp.sympify(weight)) @ each)
        found: M = self.h @ total
        return found

    def reached(self, row: tuple[sp.Expr | int, ...]) -> M:
        """The moving quantity at a stage, or at the end."""
        return self.moving + self._total(row, self.rates)

    def increment(self, row: tuple[sp.Expr | int, ...], number: str) -> Increment:
        """The increment at a stage, or at the end."""
        X = self._total(row, self.increments)
        shown = "X" + number.translate(SUBSCRIPTS)
        return Increment(self.k, self.t, number, self.t.state(f"X{number}_", X, STAGE, shown))

    def weight(self, n: int, R: M) -> M:
        """M (0, Rᵀ g): about the frame's origin, in body axes."""
        return self.state("W", n, self.M @ self.k.stack(self.k.zero(3), R.T @ self.g), WEIGHT)

    def end(self, R: M, r: M, name: str) -> tuple[str, ...]:
        """The pose and what moves after the step."""
        x = self.x
        x.Re = R
        # A Newton step towards the nearest rotation: products of rotations gather rounding.
        x.RR = x.Re.T @ x.Re
        x.Rn = (x.Re @ (3 * self.k.unit_matrix(3) - x.RR)).half
        x.rn = r
        self.t.state(name, self.reached(WEIGHTS))
        return "Rn", "rn", name


@traced
def body_step(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """(C, V^b): C ← C exp X, M V̇ = ad_Vᵀ M V + W."""
    at = _Step(x, k, t, "step_body", "a step by body-fixed twists", "V")
    for n, row in enumerate(STAGES, start=1):
        V = at.state("V", n, at.reached(row), STAGE)
        R, increment = at.R, V
        if row:
            moved = at.increment(row, f"{n}")
            R = at.state("R", n, at.R @ moved.exponential()[0], MOVED)
            increment = moved.inverse(V, -1)
        at.increments.append(increment)
        P = at.state("P", n, at.M @ V, BALANCE)
        ad, W = bracket(k, t, numbered("ad_V", n), *halves(V)), at.weight(n, R)
        push = at.state("F", n, ad.T @ P + W, BALANCE)
        at.rates.append(at.state("Vd", n, at.Mi @ push, BALANCE, "V̇"))
    R, r = at.increment(WEIGHTS, "").exponential()
    return at.end(at.R @ R, at.r + at.R @ r, "Vn")


@traced
def momentum_step(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """(C, Π^s): C ← exp(X) C, Π̇ = W^s; without a wrench the momentum stays as it is."""
    at = _Step(x, k, t, "step_momentum", "a step by spatial momenta", "P")
    for n, row in enumerate(STAGES, start=1):
        P = at.state("P", n, at.reached(row), STAGE)
        R, r, moved = at.R, at.r, None
        if row:
            moved = at.increment(row, f"{n}")
            turn, shift = moved.exponential()
            R = at.state("R", n, turn @ at.R, MOVED)
            r = at.state("r", n, turn @ at.r + shift, MOVED)
        V = _spatial_twist(at, n, R, r, P)
        at.increments.append(moved.inverse(V, 1) if moved else V)
        moment, force = halves(at.weight(n, R))
        force = at.state("f", n, R @ force, MOMENTUM)
        rate = k.stack(R @ moment + k.moment(r, force), force)
        at.rates.append(at.state("Pd", n, rate, MOMENTUM, "Ṗ"))
    turn, shift = at.increment(WEIGHTS, "").exponential()
    return at.end(turn @ at.R, turn @ at.r + shift, "Pn")


def _spatial_twist(at: _Step, n: int, R: M, r: M, P: M) -> M:
    """V^s = Ad_C M⁻¹ Ad_Cᵀ Π."""
    k, (moment, force) = at.k, halves(P)
    moment = at.state("L", n, moment - k.moment(r, force), SPATIAL)
    own = at.state("Pb", n, k.stack(R.T @ moment, R.T @ force), SPATIAL, "P_b")
    spin, slide = halves(at.state("Vb", n, at.Mi @ own, SPATIAL, "V_b"))
    spin = at.state("w", n, R @ spin, SPATIAL, "Ω")
    return at.state("Vs", n, k.stack(spin, R @ slide + k.moment(r, spin)), SPATIAL, "V_s")
