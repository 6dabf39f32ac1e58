"""The plain product of transfer matrices of a chain of rods, in any arithmetic.

Riccati paper (18): z at the root is Uₙ Hₙ₋₁ Uₙ₋₁ … H₁ U₁ times z at the tip, the rods' matrices
(36) and the printed smooth hinges' (10), (44). Three conditions determine the three unknowns at
the tip; two are the root's fixed point. The third cannot be the root's moment, for with (10) it
vanishes whatever the tip does: it is that of the first hinge, m = 0 at the output of rod 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np

from ...errors import UsageError
from ...model import load
from ...report.plot import COLOURS
from ...runtime.solver import compile_model
from ..studies.study import Plot, Say, Section, Table

#: Rods of the chains, and for a small size.
LENGTHS = (2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 80, 100)
SMALL = (2, 10)
#: Digits of the reference: far more than the longest chain loses.
DIGITS = 150

#: Rods, half their length and weight: the parameters of the ready-made chain.
M, A, G = 1.0, 0.5, 9.81

#: The places of (ẍ, ÿ, Ω̇, m, qₓ, q_y, 1).
X, Y, TURN, MOMENT, FX, FY, ONE = range(7)


def rod(angle: Any, spin: Any, cos: Callable[[Any], Any], sin: Callable[[Any], Any]) -> Any:
    """A rod's transfer matrix. (36)"""
    c, s, w = A * cos(angle), A * sin(angle), spin * spin
    zero, one = 0 * c, 0 * c + 1
    return np.array(
        [
            [one, zero, -2 * s, zero, zero, zero, -2 * c * w],
            [zero, one, 2 * c, zero, zero, zero, -2 * s * w],
            [zero, zero, one, zero, zero, zero, zero],
            [M * s, -M * c, -2 * M * A * A / (3 * one), one, -2 * s, 2 * c, -M * G * c],
            [-M * one, zero, M * s, zero, one, zero, M * c * w],
            [zero, -M * one, -M * c, zero, zero, one, M * s * w - M * G],
            [zero, zero, zero, zero, zero, zero, one],
        ]
    )


def hinge(outboard: Any) -> Any:
    """The printed smooth hinge in front of a rod: the rod's output carries no moment. (10), (44)"""
    found = np.array([[outboard[0, 0] * (i == j) for j in range(7)] for i in range(7)])
    found[TURN] = -outboard[MOMENT] / outboard[MOMENT, TURN]
    found[TURN, TURN] = 0 * found[TURN, TURN]
    return found


def solved(rods: Sequence[Any]) -> list[Any]:
    """The angular accelerations of a chain of rods, tip first, by the plain product. (18)"""
    product, first, turning = rods[0], rods[0], []
    turning.append(_unit(rods[0]))
    for outboard in rods[1:]:
        connected = hinge(outboard).dot(product)
        turning.append(connected[TURN])
        product = outboard.dot(connected)
    rows = [product[X], product[Y], first[MOMENT]]
    unknown = _solution([[row[k] for k in (X, Y, TURN)] + [-row[ONE]] for row in rows])
    return [
        sum(row[k] * x for k, x in zip((X, Y, TURN), unknown, strict=True)) + row[ONE]
        for row in turning
    ]


def _unit(like: Any) -> Any:
    return np.array([like[0, 0] * (k == TURN) for k in range(7)])


def _solution(rows: list[list[Any]]) -> list[Any]:
    """Three equations by elimination with exchange of rows."""
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [p - factor * q for p, q in zip(rows[i], rows[k], strict=True)]
    found: list[Any] = [0] * n
    for k in reversed(range(n)):
        known = sum(rows[k][j] * found[j] for j in range(k + 1, n))
        found[k] = (rows[k][n] - known) / rows[k][k]
    return found


def in_doubles(angles: Any, spins: Any) -> list[float]:
    """The plain product in doubles."""
    return solved(
        [rod(float(q), float(v), math.cos, math.sin) for q, v in zip(angles, spins, strict=True)]
    )


def in_digits(angles: Any, spins: Any, digits: int = DIGITS) -> list[Any]:
    """The plain product with so many digits that what it loses is no matter."""
    with mpmath.workdps(digits):
        rods = [
            rod(mpmath.mpf(float(q)), mpmath.mpf(float(v)), mpmath.cos, mpmath.sin)
            for q, v in zip(angles, spins, strict=True)
        ]
        return solved(rods)


def state(count: int) -> tuple[Any, Any]:
    """A chain that hangs from its root, up to 0.5 rad off, with speeds up to 1 rad/s."""
    draw = np.random.default_rng(count)
    return math.pi / 2 + draw.uniform(-0.5, 0.5, count), draw.uniform(-1.0, 1.0, count)


WAYS: dict[str, dict[str, Any]] = {
    "Riccati": {"algorithm": "riccati"},
    "Riccati, the paper's form": {"algorithm": "riccati", "form": "paper"},
    "overall equation": {"algorithm": "overall"},
}
PLAIN = "plain product"
STYLES = dict(zip((PLAIN, *WAYS), ("o-", "s--", "v:", "^-."), strict=True))


def digits(quick: bool, say: Say) -> Section:
    """How many of sixteen digits each way loses, over the length of the chain."""
    lengths = SMALL if quick else LENGTHS
    errors: dict[str, dict[int, float]] = {name: {} for name in STYLES}
    for count in lengths:
        say(f"{count} rods")
        q, v = state(count)
        exact = in_digits(q, v)
        errors[PLAIN][count] = error(in_doubles(q, v), exact)
        model = load("rod-chain", n=count)
        for name, options in WAYS.items():
            try:
                solver = compile_model(model, target="numpy", **options)
            except UsageError:
                continue  # a form that is not there for chains of this length
            errors[name][count] = error(solver.accelerations(q, v), exact)
    rows = tuple(
        (
            str(count),
            *(f"{x:.1e}" if (x := own.get(count)) is not None else "–" for own in errors.values()),
        )
        for count in lengths
    )
    plot = Plot(
        "digits",
        "Relative error of the accelerations of a hanging chain of rods at a random state",
        "single evaluations in doubles: no integrator",
        partial(_errors, errors),
    )
    return Section(
        "Digits lost by the plain product",
        (
            f"""
            The paper's Sect. 3 reduces a chain to one product of transfer matrices (18) before the
            recursion replaces it; the reason is here. A chain of equal rods hangs at a random
            state, and its accelerations are computed in doubles: by the plain product of (36),
            (44), three unknowns whatever the length; by the overall transfer equation with the
            accelerations in the hinges as further unknowns, which is what `algorithm="overall"`
            compiles; by the Riccati recursion as generated, and in the paper's form. The reference
            is the plain product again, in {DIGITS} digits. Errors are relative to the largest
            acceleration.
            """,
            Table(("rods", *errors), rows, name="digits"),
            plot,
            _conclusion(errors[PLAIN]),
        ),
    )


def _conclusion(plain: dict[int, float]) -> str:
    seen = [(n, x) for n, x in plain.items() if 1e-14 < x < 1e-1]
    if len(seen) < 2:
        return "The chains are too short to tell a rate."
    slope = np.polyfit([n for n, _ in seen], [math.log10(x) for _, x in seen], 1)[0]
    lost = next((n for n, x in plain.items() if x >= 0.1), None)
    end = f"; with {lost} rods nothing is left" if lost else ""
    return f"""
    The plain product loses {slope:.2f} digits a rod{end}. The Riccati recursion loses none that
    grow with the length.
    """


def error(found: Any, exact: Sequence[Any]) -> float:
    """The largest difference, relative to the largest exact value."""
    with mpmath.workdps(DIGITS):
        pairs = zip(found, exact, strict=True)
        return float(max(abs(mpmath.mpf(float(a)) - b) for a, b in pairs) / max(map(abs, exact)))


def _errors(errors: dict[str, dict[int, float]], figure: Any) -> None:
    axes = figure.subplots()
    for k, (name, own) in enumerate(errors.items()):
        axes.semilogy(
            list(own),
            [max(x, 1e-17) for x in own.values()],
            STYLES[name],
            color=COLOURS[k],
            label=name,
            ms=4,
        )
    axes.axhline(2.0**-53, color="0.5", lw=0.8)
    axes.set_xlabel("rods")
    axes.set_ylabel("relative error")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
