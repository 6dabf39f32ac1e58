"""The end of an integrator's step in 50 digits: its tableau, with rates by the program.

Quaternions are turned as the tableau says, or brought back to unit length. Where laws jump within
the step, it is done in parts, each of which sees the laws from its own side of the jump. Loops that
the step has opened are closed by the program's own corrections.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath

from ...model.expressions.instants import Instant
from ...symbolic.language.arithmetic import as_decimal, as_mpf
from ...symbolic.language.program import Program
from ..tableaus import Collocation, Method, Surd, Tableau, turns
from .closed_states import Arguments
from .replay import Run

#: Iterations of an implicit method that lead to all digits: each leaves a step's part of the error.
ITERATIONS = 12

#: What a motion's rates are called among the results: of speeds, and of joint momenta.
RATES, MOMENTUM_RATES = ("qd", "a"), ("vel", "pd")

Vector = list[Any]
Way = Callable[[Vector], Vector]
Rates = Callable[[Vector, Vector, Any], Vector]

#: When a law jumps, if it does, around a part of the step.
Side = tuple[Instant | None, Instant | None]


@dataclass(frozen=True)
class Step:
    """A step of a method from a state, whose time is `t` of the arguments, to the time `end`.

    `second` is what the state has besides `q`: the speeds `v`, or joint momenta `mom`. `instants`
    are those at which laws jump within the step. With a `part` of the step, its continuous result
    there is what is asked for. With a chooser its numbers are shaken.
    """

    program: Program
    method: Method
    arguments: Arguments
    end: float
    second: str = "v"
    instants: tuple[Instant, ...] = ()
    part: Any = 1

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return len(self.arguments["q"])

    def __call__(self, chooser: random.Random | None = None) -> Vector:
        """The state after the step, with closed loops."""
        y = [Decimal(x) for x in (*self.arguments["q"], *self.arguments[self.second])]
        for t, to, side in self._parts():
            y = self._moved(y, t, to - t, side, chooser)
        return self._closed(y, chooser) if self.program.sets.get("conditions") else y

    def _parts(self) -> Iterator[tuple[Any, Any, Side]]:
        """From when to when the motion goes on smoothly, and the jumps around that time."""
        t, last = Decimal(self.arguments["t"][0]), None
        for jump in self.instants:
            yield t, Decimal(jump.time), (last, jump)
            t, last = Decimal(jump.time), jump
        yield t, Decimal(self.end), (last, None)

    def rates(self, at: Vector, t: Any, chooser: random.Random | None) -> tuple[Vector, Vector]:
        """The rates of a state, and its speeds, which follow from joint momenta."""
        known = {**self.arguments, "q": at[: self.size], self.second: at[self.size :], "t": [t]}
        if self.second == "v":
            run = Run(self.program, known, chooser, RATES)
            return self._of(run, "qd") + self._of(run, "a"), at[self.size :]
        run = Run(self.program, known, chooser, MOMENTUM_RATES)
        speeds = self._of(run, "vel")
        moving = Run(self.program, {**known, "v": speeds}, chooser, ("qd",))
        return self._of(moving, "qd") + self._of(run, "pd"), speeds

    def _of(self, run: Run, name: str) -> Vector:
        return [x for ref in self.program.refs(name) for x in run.values[ref]]

    def _moved(
        self, y: Vector, start: Any, h: Any, side: Side, chooser: random.Random | None
    ) -> Vector:
        """(q, v): stage i stands at y ∘ h Σ a_ij k_j, the end at y ∘ h Σ b_i k_i."""
        curved = turns(self.program) if self.method.curved else ()

        def rates(at: Vector, way: Vector, c: Any) -> Vector:
            """What the increments, and the speeds, change by at a state that a way led to."""
            found, speeds = self.rates(at, _seen(start + h * c, side), chooser)
            for turn in curved:
                spin = _turn_rate(way[turn.q : turn.q + 3], speeds[turn.v : turn.v + 3])
                found[turn.q : turn.q + 4] = [*spin, Decimal(0)]
            return found

        def moved(way: Vector) -> Vector:
            """The state at the end of a way."""
            at = [a + b for a, b in zip(y, way, strict=True)]
            for turn in curved:
                at[turn.q : turn.q + 4] = _turned(y[turn.q : turn.q + 4], way[turn.q : turn.q + 3])
            return at

        if isinstance(self.method.tableau, Collocation):
            stages = _collocated(self.method.tableau, h, moved, rates, len(y))
            if self.part == 1:
                return moved(stages[-1][0])
            if turns(self.program):
                return moved(_between(self.method.tableau, stages, self.part))
            first = rates(y, [Decimal(0)] * len(y), Decimal(0))
            return self._quintic(y, first, moved(stages[-1][0]), stages[-1][1], h)
        end = _explicit(self.method, h, moved, rates, len(y), self.size, self.part)
        return end if self.method.curved else self._unit(end)

    def _quintic(self, y: Vector, first: Vector, end: Vector, last: Vector, h: Any) -> Vector:
        """The polynomial through places, speeds and accelerations at both ends, and its slope."""
        n, s = self.size, self.part
        places, speeds = [], []
        for j in range(n):
            k = n + j
            x0, v0, a0 = y[j], h * y[k], h * h * first[k]
            x1, v1, a1 = end[j], h * end[k], h * h * last[k]
            # x0 + v0 s + a0 s²/2 + s³ (A + B (s - 1) + C (s - 1)²), by what it has at 1
            A = x1 - x0 - v0 - a0 / 2
            B = v1 - v0 - a0 - 3 * A
            C = (a1 - a0 - 6 * A - 6 * B) / 2
            inner, slope = A + B * (s - 1) + C * (s - 1) ** 2, B + 2 * C * (s - 1)
            places.append(x0 + v0 * s + a0 * s**2 / 2 + s**3 * inner)
            speeds.append((v0 + a0 * s + 3 * s**2 * inner + s**3 * slope) / h)
        return [*places, *speeds]

    def _unit(self, y: Vector) -> Vector:
        for turn in turns(self.program):
            length = sum(x**2 for x in y[turn.q : turn.q + 4]).sqrt()
            y[turn.q : turn.q + 4] = [x / length for x in y[turn.q : turn.q + 4]]
        return y

    def _closed(self, end: Vector, chooser: random.Random | None) -> Vector:
        """Loops closed: q, then v by the corrections of what is open, or p in its gauge."""

        def found(name: str, **given: Vector) -> Vector:
            start = Decimal(self.arguments["t"][0])
            known = {
                **self.arguments,
                "t": [start + self.part * (Decimal(self.end) - start)],
            } | given
            return self._of(Run(self.program, known, chooser, (name,)), name)

        q, second = end[: self.size], end[self.size :]
        gaps = found("phi", q=q)
        du = found("du", q=q, c=gaps)
        way = found("qd", q=q, v=du)
        closed = self._unit([x + dx for x, dx in zip(q, way, strict=True)])
        if self.second != "v":
            return [*closed, *found("pg", q=closed, **{self.second: second})]
        opening = found("phid", q=closed, v=second)
        du = found("du", q=closed, c=opening)
        return [*closed, *(x + dx for x, dx in zip(second, du, strict=True))]


def _seen(t: Any, side: Side) -> Any:
    """A time as the laws see it: never from the other side of a jump."""
    after, before = side
    t = t if after is None else max(t, Decimal(after.after))
    return t if before is None else min(t, Decimal(before.before))


def _explicit(
    method: Method, h: Any, moved: Way, rates: Rates, count: int, size: int, part: Any
) -> Vector:
    stages: list[Vector] = []

    def way(weights: Sequence[Any]) -> Vector:
        total = [Decimal(0)] * count
        for weight, k in zip(weights, stages, strict=False):
            factor = h * (weight if isinstance(weight, Decimal) else _decimal(weight))
            total = [x + factor * rate for x, rate in zip(total, k, strict=True)]
        return total

    assert isinstance(method.tableau, Tableau)
    for row, c in zip(method.tableau.a, method.tableau.c, strict=True):
        to = way(row)
        stages.append(rates(moved(to), to, Decimal(c.numerator) / c.denominator))
    to = way(method.tableau.b)
    if method.staggered:
        speeds, still = moved(to)[size:], [Decimal(0)] * count
        stages = [rates([*moved(still)[:size], *speeds], still, Decimal(0))]
        return [*moved(way(method.tableau.b))[:size], *speeds]
    return moved(to if part == 1 else way(_hermite(method.tableau, part)))


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / x.denominator


def _hermite(tableau: Tableau, s: Any) -> Vector:
    """Weights of Hermite's cubic after a part of the step, and of what it lacks (Shampine 1986)."""
    b, d = (list(map(_decimal, row)) for row in (tableau.b, tableau.dense))
    weights = [s**2 * ((3 - 2 * s) * x + (1 - s) ** 2 * y) for x, y in zip(b, d, strict=True)]
    weights[0] += s * (1 - s) ** 2
    weights[-1] -= s**2 * (1 - s)
    return weights


def _collocated(
    tableau: Collocation, h: Any, moved: Way, rates: Rates, count: int
) -> list[tuple[Vector, Vector]]:
    """The ways to the stages of a step by collocation, found by going through them again; rates."""
    exact = [[as_mpf(_number(x)) for x in row] for row in tableau.inverse]
    A = [[as_decimal(x) for x in row] for row in mpmath.inverse(mpmath.matrix(exact)).tolist()]
    c = [_number(x) for x in tableau.c]
    ways = [[Decimal(0)] * count for _ in c]
    for _ in range(ITERATIONS):
        k = [rates(moved(way), way, at) for way, at in zip(ways, c, strict=True)]
        ways = [
            [h * sum(A[i][j] * k[j][n] for j in range(len(c))) for n in range(count)]
            for i in range(len(c))
        ]
    return list(zip(ways, k, strict=True))


def _between(tableau: Collocation, stages: list[tuple[Vector, Vector]], s: Any) -> Vector:
    """The way after a part of the step, by the polynomial through all stages."""
    c = [Decimal(0), *map(_number, tableau.c)]
    weights = []
    for i in range(1, len(c)):
        others = [x for j, x in enumerate(c) if j != i]
        weights.append(math.prod((s - x) / (c[i] - x) for x in others))
    each = zip(*(way for way, _ in stages), strict=True)
    return [sum(w * x for w, x in zip(weights, at, strict=True)) for at in each]


def _number(surd: Surd) -> Any:
    whole, part = (Decimal(x.numerator) / x.denominator for x in (surd.whole, surd.part))
    return whole + part * Decimal(6).sqrt()


def _turned(Q: Vector, x: Vector) -> Vector:
    """Q exp(x), x being a rotation in the body's axes."""
    angle = as_mpf(sum(a**2 for a in x).sqrt())
    s = as_decimal(mpmath.sin(angle / 2) / angle) if angle else Decimal(1) / 2
    w, i, j, k = Q
    c, (a, b, d) = as_decimal(mpmath.cos(angle / 2)), (s * y for y in x)
    return [
        w * c - (i * a + j * b + k * d),
        i * c + (w * a + j * d - k * b),
        j * c + (w * b + k * a - i * d),
        k * c + (w * d + i * b - j * a),
    ]


def _turn_rate(x: Vector, u: Vector) -> Vector:
    """dexp⁻¹ of −x on u (screw paper (89)): u + x × u / 2 + (1 − a/2 cot a/2) / a² x × (x × u)."""
    square = sum(a**2 for a in x)
    half = square.sqrt() / 2
    cot = as_decimal(mpmath.cot(as_mpf(half))) if square else Decimal(0)
    factor = (1 - half * cot) / square if square else Decimal(1) / 12
    once = _cross(x, u)
    return [a + b / 2 + factor * d for a, b, d in zip(u, once, _cross(x, once), strict=True)]


def _cross(x: Vector, y: Vector) -> Vector:
    return [x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2] for k in range(3)]
