"""Rational points at which exact matrices are evaluated."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from .rational import generator_order


def circle_point(expressions: Iterable[sp.Expr], seed: int) -> dict[sp.Expr, sp.Rational]:
    """Rational values for generators, the sines and cosines on the unit circle.

    The values follow from `seed` and the generators' order alone.
    """
    values: dict[sp.Expr, sp.Rational] = {}
    state = seed * 7919 + 17
    for gen in sorted(set(expressions), key=generator_order):
        state = (state * 1103515245 + 12345) % 2**31
        t = sp.Rational(state // 65536 % 97 + 3, state // 4096 % 41 + 11)
        if isinstance(gen, sp.sin | sp.cos):
            angle = gen.args[0]
            if sp.sin(angle) not in values:
                values[sp.sin(angle)] = 2 * t / (1 + t**2)
                values[sp.cos(angle)] = (1 - t**2) / (1 + t**2)
        else:
            values[gen] = t
    return values
