"""The Riccati recursion (20)–(34).

The functions take any matrices that know `@`, `+`, `-`, `.extract`, `.T` and `.inv()`: SymPy
matrices of symbols, or exact matrices. One split of the state holds for a whole chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...mechanics.vectors import Layout

AnyMatrix = Any  # a SymPy matrix or an ExactMatrix


@dataclass(frozen=True)
class Split:
    """Which entries of the state are z_a (known at the tip) and which z_b, in this order."""

    a: tuple[int, ...]
    b: tuple[int, ...]


def free_tip(layout: Layout) -> Split:
    """z_a = (m, q), z_b = (r̈, Ω̇): a free tip.

    Source
        Riccati paper, Sect. 4 and 5.1.
    """
    a, b = (*layout.moment(), *layout.force()), (*layout.acceleration, *layout.angular)
    return Split(a, b)


@dataclass(frozen=True)
class Blocks:
    """A transfer matrix in the order of a split (20)."""

    T11: AnyMatrix
    T12: AnyMatrix
    T21: AnyMatrix
    T22: AnyMatrix
    fa: AnyMatrix
    fb: AnyMatrix


def rearrange(U: AnyMatrix, split: Split) -> Blocks:
    """The blocks of (20): rows and columns of U in the order z_a, z_b, without its last row."""
    a, b, one = list(split.a), list(split.b), [U.cols - 1]
    return Blocks(
        U.extract(a, a), U.extract(a, b), U.extract(b, a), U.extract(b, b),
        U.extract(a, one), U.extract(b, one),
    )  # fmt: skip


@dataclass(frozen=True)
class Coefficients:
    """S and e of `z_a = S z_b + e` at an end (21), (31)."""

    S: AnyMatrix
    e: AnyMatrix


@dataclass(frozen=True)
class Backward:
    """P and p of `z_b,I = P z_b,O + p`: what (33) needs of an element, p being P q."""

    P: AnyMatrix
    p: AnyMatrix


def pivot(T: Blocks, at: Coefficients) -> AnyMatrix:
    """T21 S + T22, whose inverse is P (24)."""
    return T.T21 @ at.S + T.T22


def next_S(T: Blocks, at: Coefficients, P: AnyMatrix) -> AnyMatrix:
    """S at an element's output (29)."""
    return (T.T11 @ at.S + T.T12) @ P


def next_e(T: Blocks, at: Coefficients, S: AnyMatrix, q: AnyMatrix) -> AnyMatrix:
    """e at an element's output (30), whose S there is known; q = −(T21 e + f_b)."""
    return T.T11 @ at.e + T.fa + S @ q


def advance(T: Blocks, at: Coefficients, P: AnyMatrix) -> tuple[Coefficients, Backward]:
    """One element by (24), (29), (30), its P being known."""
    q = -(T.T21 @ at.e + T.fb)
    S = next_S(T, at, P)
    return Coefficients(S, next_e(T, at, S, q)), Backward(P, P @ q)


def back(at_input: Coefficients, backward: Backward, z_b: AnyMatrix) -> tuple[AnyMatrix, AnyMatrix]:
    """(33): z_a and z_b at an element's input from z_b at its output."""
    z_b_input = backward.P @ z_b + backward.p
    return at_input.S @ z_b_input + at_input.e, z_b_input
