"""The kernels that solve with the mass matrix of a tree: L D Lᵀ without fill."""

from __future__ import annotations

import sympy as sp

from ...language.letters import letters
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing

FACTORS = "M = L D Lᵀ of the mass matrix, tips first: no fill"
SOLVED = "M⁻¹ b = L⁻ᵀ D⁻¹ L⁻¹ b"

FACTORED = letters(f"""
    M    | M | 1 | | entry of the mass matrix
    s    | s | 1 | {FACTORS} | entry of L D
    l    | l | 1 | {FACTORS} | entry of L below its diagonal of ones
    inv  | δ | 1 | {FACTORS} | one over an entry of D
    b    | b | 1 | | right-hand side
    bias | h | 1 | | force that no acceleration needs
    y    | y | 1 | {SOLVED} | entry of L⁻¹ b
    x    | x | 1 | {SOLVED} | entry of M⁻¹ b
""")

traced = tracing(FACTORED, FACTS, {})


def _at(t: Tracer, *places: int) -> At:
    """What stands at these places, counted from 0."""
    return At(t, "".join(f"_{i + 1}" for i in places))


@traced
def factors(_: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """M = L D Lᵀ; `pattern` has for each row the earlier ones that it is coupled with.

    From the tips to the root a row is coupled with those beyond it alone, and so is L.
    """
    pattern = t.ask("pattern")
    t.called("factors", "mass matrix as L D Lᵀ")
    names = []
    for i, row in enumerate(pattern):
        for j in row:
            value = _at(t, i, j).M
            for both in (n for n in row if n in pattern[j]):
                value = value - _at(t, i, both).s @ _at(t, j, both).l
            _at(t, i, j).s = value
            _at(t, i, j).l = _at(t, i, j).s @ _at(t, j).inv
            names.append(f"l_{i + 1}_{j + 1}")
        pivot: M = _at(t, i, i).M
        for n in row:
            pivot = pivot - _at(t, i, n).s @ _at(t, i, n).l
        _at(t, i).inv = pivot.inverse.by(sp.Matrix([1 / pivot[0]]))
        names.append(f"inv_{i + 1}")
    return tuple(names)


@traced
def substitution(_: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """x = M⁻¹ b from the factors; `biased`: b is τ less what no acceleration needs."""
    pattern, biased = t.ask("pattern"), t.ask("biased")
    t.called(f"substitution{'_biased' if biased else ''}", "M⁻¹ of a column")
    unit = {(i, j): _at(t, i, j).l for i, row in enumerate(pattern) for j in row}
    inverse = [_at(t, i).inv for i in range(len(pattern))]
    for i, row in enumerate(pattern):
        value = _at(t, i).b
        if biased:
            value = value - _at(t, i).bias
        for n in row:
            value = value - unit[i, n] @ _at(t, n).y
        _at(t, i).y = value
    for i in reversed(range(len(pattern))):
        value = _at(t, i).y @ inverse[i]
        for n in (n for n, row in enumerate(pattern) if i in row):
            value = value - unit[n, i] @ _at(t, n).x
        _at(t, i).x = value
    return tuple(f"x_{i + 1}" for i in range(len(pattern)))
