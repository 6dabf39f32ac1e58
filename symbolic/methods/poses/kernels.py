"""The kernels of geometric integration on SE(3): a Munthe-Kaas step of a rigid body.

The pose moves by exponentials of increments X, which are integrated by the classical
Runge–Kutta method: by C exp X with V^b = dexp_{−X} Ẋ, or by exp(X) C with V^s = dexp_X Ẋ. Twists
are (ω, v), momenta and wrenches (moment, force).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....model.expressions.functions import step
from ...exact import screws
from ...language.program import Kernel, KernelBuilder

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

    def __init__(self, kernel: KernelBuilder, name: str, X: sp.Matrix) -> None:
        self.kernel, self.name, self.X = kernel, name, X
        w = X[:3, :]
        self.square = kernel.let(f"{name}_tt", w.T * w, EXP)[0]
        self.far = kernel.let(f"{name}_far", sp.Matrix([step(self.square - NEAR)]), EXP)[0]
        safe = self.square + (1 - self.far)
        self.theta = kernel.let(f"{name}_t", sp.Matrix([sp.sqrt(safe)]), EXP)[0]
        self.c = kernel.let(f"{name}_c", sp.Matrix([sp.cos(self.theta)]), EXP)[0]
        self.s = kernel.let(f"{name}_s", sp.Matrix([sp.sin(self.theta)]), EXP)[0]

    def _coefficient(self, which: str, closed: sp.Expr, source: str) -> sp.Expr:
        near = sp.Integer(0)
        for term in reversed(series(which)):
            near = term + self.square * near
        value = self.far * closed + (1 - self.far) * near
        return self.kernel.let(f"{self.name}_{which}", sp.Matrix([value]), source)[0]

    def exponential(self) -> tuple[sp.Matrix, sp.Matrix]:
        """R = 1 + a ~ω + b ~ω², r = (1 + b ~ω + c ~ω²) v."""
        t, c, s = self.theta, self.c, self.s
        a = self._coefficient("sine", s / t, EXP)
        b = self._coefficient("cosine", (1 - c) / t**2, EXP)
        rest = self._coefficient("rest", (t - s) / t**3, EXP)
        w, v = screws.skew(self.X[:3, :]), self.X[3:, :]
        turned = self.kernel.let(f"{self.name}_wv", w * v, EXP)
        R = self.kernel.let(f"{self.name}_R", sp.eye(3) + a * w + b * w * w, EXP)
        r = self.kernel.let(f"{self.name}_r", v + b * turned + rest * w * turned, EXP)
        return R, r

    def inverse(self, V: sp.Matrix, sign: int) -> sp.Matrix:
        """dexp⁻¹ of ±X on V: V ∓ ad V / 2 + a ad² V + b ad⁴ V."""
        t, c, s = self.theta, self.c, self.s
        second = self._coefficient("second", 2 / t**2 + (t + 3 * s) / (4 * t * (c - 1)), DEXP)
        fourth = self._coefficient("fourth", 1 / t**4 + (t + s) / (4 * t**3 * (c - 1)), DEXP)
        ad = screws.ad(self.X)
        powers = [V]
        for k in range(1, 5):
            powers.append(self.kernel.let(f"{self.name}_ad{k}_", ad * powers[-1], DEXP))
        value = V - sign * powers[1] / 2 + second * powers[2] + fourth * powers[4]
        return self.kernel.let(f"{self.name}_K", value, DEXP)


def _sum(h: sp.Expr, weights: tuple[sp.Expr | int, ...], parts: list[sp.Matrix]) -> sp.Matrix:
    zero = sp.zeros(6, 1)
    terms = (w * part for w, part in zip(weights, parts, strict=True))
    return h * sum(terms, zero)


class _Step:
    """What both steps have: the body, its pose and gravity."""

    def __init__(self, name: str, title: str, moving: str) -> None:
        self.kernel = kernel = KernelBuilder(name, title)
        self.h = kernel.take("h")[0]
        self.R, self.r = kernel.take("R", 3, 3), kernel.take("r", 3)
        self.moving = kernel.take(moving, 6)
        self.M = kernel.take("M", 6, 6, symmetric=True)
        self.Mi = kernel.take("Mi", 6, 6, symmetric=True)
        self.g = kernel.take("g", 3)

    def weight(self, n: int, R: sp.Matrix) -> sp.Matrix:
        """M (0, Rᵀ g): about the frame's origin, in body axes."""
        pull = sp.Matrix.vstack(sp.zeros(3, 1), R.T * self.g)
        return self.kernel.let(f"W{n}_", self.M * pull, "weight in body axes")

    def build(self, R: sp.Matrix, r: sp.Matrix, name: str, change: sp.Matrix) -> Kernel:
        turned = self.kernel.let("Re", R, MOVED)
        # A Newton step towards the nearest rotation: products of rotations gather rounding.
        square = self.kernel.let("RR", turned.T * turned, ROUNDED, symmetric=True)
        self.kernel.let("Rn", turned * (3 * sp.eye(3) - square) / 2, ROUNDED)
        self.kernel.let("rn", r, MOVED)
        self.kernel.let(name, self.moving + change, STAGE)
        return self.kernel.build("Rn", "rn", name)


@cache
def body_step() -> Kernel:
    """(C, V^b): C ← C exp X, M V̇ = ad_Vᵀ M V + W."""
    at = _Step("step_body", "a step by body-fixed twists", "V")
    kernel = at.kernel
    K: list[sp.Matrix] = []
    k: list[sp.Matrix] = []
    for n, row in enumerate(STAGES, start=1):
        V = kernel.let(f"V{n}_", at.moving + _sum(at.h, row, k), STAGE)
        R = at.R
        if row:
            increment = Increment(kernel, f"X{n}", kernel.let(f"X{n}_", _sum(at.h, row, K), STAGE))
            R = kernel.let(f"R{n}_", at.R * increment.exponential()[0], MOVED)
            K.append(increment.inverse(V, -1))
        else:
            K.append(V)
        P = kernel.let(f"P{n}_", at.M * V, BALANCE)
        push = kernel.let(f"F{n}_", screws.ad(V).T * P + at.weight(n, R), BALANCE)
        k.append(kernel.let(f"Vd{n}_", at.Mi * push, BALANCE))
    last = Increment(kernel, "X", kernel.let("X_", _sum(at.h, WEIGHTS, K), STAGE))
    R, r = last.exponential()
    return at.build(at.R * R, at.r + at.R * r, "Vn", _sum(at.h, WEIGHTS, k))


@cache
def momentum_step() -> Kernel:
    """(C, Π^s): C ← exp(X) C, Π̇ = W^s; without a wrench the momentum stays as it is."""
    at = _Step("step_momentum", "a step by spatial momenta", "P")
    kernel = at.kernel
    K: list[sp.Matrix] = []
    k: list[sp.Matrix] = []
    for n, row in enumerate(STAGES, start=1):
        P = kernel.let(f"P{n}_", at.moving + _sum(at.h, row, k), STAGE)
        R, r = at.R, at.r
        if row:
            increment = Increment(kernel, f"X{n}", kernel.let(f"X{n}_", _sum(at.h, row, K), STAGE))
            turn, shift = increment.exponential()
            R = kernel.let(f"R{n}_", turn * at.R, MOVED)
            r = kernel.let(f"r{n}_", turn * at.r + shift, MOVED)
        V = spatial_twist(kernel, f"{n}", R, r, P, at.Mi)
        K.append(increment.inverse(V, 1) if row else V)
        W = at.weight(n, R)
        force = kernel.let(f"f{n}_", R * W[3:, :], MOMENTUM)
        moment = R * W[:3, :] + r.cross(force)
        k.append(kernel.let(f"Pd{n}_", sp.Matrix.vstack(moment, force), MOMENTUM))
    last = Increment(kernel, "X", kernel.let("X_", _sum(at.h, WEIGHTS, K), STAGE))
    turn, shift = last.exponential()
    return at.build(turn * at.R, turn * at.r + shift, "Pn", _sum(at.h, WEIGHTS, k))


def spatial_twist(
    kernel: KernelBuilder, name: str, R: sp.Matrix, r: sp.Matrix, P: sp.Matrix, Mi: sp.Matrix
) -> sp.Matrix:
    """V^s = Ad_C M⁻¹ Ad_Cᵀ Π."""
    source = "screw paper (36)"
    moment = kernel.let(f"L{name}_", P[:3, :] - r.cross(P[3:, :]), source)
    own = sp.Matrix.vstack(R.T * moment, R.T * P[3:, :])
    V = kernel.let(f"Vb{name}_", Mi * kernel.let(f"Pb{name}_", own, source), source)
    spin = kernel.let(f"w{name}_", R * V[:3, :], source)
    return kernel.let(f"Vs{name}_", sp.Matrix.vstack(spin, R * V[3:, :] + r.cross(spin)), source)
