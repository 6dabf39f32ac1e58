"""The Riccati recursion (20)–(34) and the completed hinge step.

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
    """Which entries of the state are z_a (known at the tip) and which z_b, in this order.

    `moments` counts the moments, which lead z_a, and `spins` names where Ω̇ stands in z_b.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    moments: int
    spins: tuple[int, ...]

    @property
    def rest(self) -> tuple[int, ...]:
        """The places of z_b that are no angular acceleration."""
        return tuple(i for i in range(len(self.b)) if i not in self.spins)


def free_tip(layout: Layout) -> Split:
    """z_a = (m, q), z_b = (r̈, Ω̇): a free tip.

    Source
        Riccati paper, Sect. 4 and 5.1.
    """
    b = (*layout.acceleration, *layout.angular)
    spins = tuple(b.index(i) for i in layout.angular)
    return Split((*layout.moment(), *layout.force()), b, layout.rotations, spins)


def pinned_tip(layout: Layout) -> Split:
    """z_a = (m, r̈), z_b = (Ω̇, q): a tip on a smooth pin or ball at rest.

    Source
        Riccati paper, Sect. 4.
    """
    b = (*layout.angular, *layout.force())
    spins = tuple(range(layout.rotations))
    return Split((*layout.moment(), *layout.acceleration), b, layout.rotations, spins)


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


def step(T: Blocks, at: Coefficients) -> tuple[Coefficients, Backward]:
    """One element by (24), (29), (30).

    Source
        Riccati paper (24), (25), (29), (30).
    """
    return advance(T, at, pivot(T, at).inv())


def pivot(T: Blocks, at: Coefficients) -> AnyMatrix:
    """T21 S + T22, whose inverse is P (24)."""
    return T.T21 @ at.S + T.T22


def advance(T: Blocks, at: Coefficients, P: AnyMatrix) -> tuple[Coefficients, Backward]:
    """One element by (24), (29), (30), its P being known."""
    q = -(T.T21 @ at.e + T.fb)
    S = (T.T11 @ at.S + T.T12) @ P
    e = T.T11 @ at.e + T.fa + S @ q
    return Coefficients(S, e), Backward(P, P @ q)


def hinge_step(at: Coefficients, split: Split, one: AnyMatrix) -> tuple[Coefficients, Backward]:
    """A smooth hinge: its own moment m = 0 eliminates the inboard angular acceleration.

    With K = S_mΩ⁻¹ the inboard Ω̇ = −K (S_ms s + e_m), s being the rest of z_b; then
    S ← S P, e ← S p + e, whose moment rows and angular columns are zero. `one` is the
    identity of the size of z_b.

    Source
        Own (completion C); it takes the place of (10) in (24), (29), (30), which leaves the
        first moment condition of every chain unsaid.
    """
    rows = list(range(split.moments))
    spins, rest = list(split.spins), list(split.rest)
    others = [i for i in range(len(split.a)) if i not in rows]
    everything = list(range(len(split.b)))
    K = at.S.extract(rows, spins).inv()
    slope = -(K @ at.S.extract(rows, rest))
    offset = -(K @ at.e.extract(rows, [0]))

    # z_b,I = choose_rest s + choose_spins Ω̇_I, and s is the same on both sides of the hinge.
    choose_rest, choose_spins = one.extract(everything, rest), one.extract(everything, spins)
    P = (choose_rest + choose_spins @ slope) @ choose_rest.T
    p = choose_spins @ offset

    keep = one.extract(everything, others)
    lower_S = at.S.extract(others, everything) @ P
    lower_e = at.S.extract(others, everything) @ p + at.e.extract(others, [0])
    return Coefficients(keep @ lower_S, keep @ lower_e), Backward(P, p)


def back(at_input: Coefficients, backward: Backward, z_b: AnyMatrix) -> tuple[AnyMatrix, AnyMatrix]:
    """(33): z_a and z_b at an element's input from z_b at its output."""
    z_b_input = backward.P @ z_b + backward.p
    return at_input.S @ z_b_input + at_input.e, z_b_input


def transmitted(
    at: Coefficients, motion: AnyMatrix, load: AnyMatrix, centripetal: AnyMatrix
) -> Coefficients:
    """What an input transmits, moved to another point of the same body (free-tip split).

    `motion` X and `centripetal` g give the input's acceleration from the point's,
    `z_b,Ik = X z_b + g`; `load` Y brings the input's loads to the point, `z_a = Y z_a,Ik`.

    Source
        Own, from (7) and (14) of Riccati paper: the body is rigid, so loads add up.
    """
    return Coefficients(load @ at.S @ motion, load @ (at.S @ centripetal + at.e))
