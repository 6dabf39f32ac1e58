"""Moving inertias, wrenches and motions between a link and its parent, stage by stage.

A relative pose is taken apart into turns about one axis and shifts along one axis. A turn about
one axis leaves a third of an inertia as it is and mixes the rest in planes, at four products each:

    u = s (a − d) + c (b + e):  [[a, b], [e, d]]  →  [[a − s u, c u − e], [c u − b, d + s u]],

and a shift along one axis needs ten products. A whole inertia so costs less than half of what
the products with full matrices do. What is shown of each stage is the product that it is.

Source: own, from c² + s² = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sympy as sp

from ..language.written import LOW, called, named, product
from .matrices import Algebra, M
from .space import blocks
from .traced import At, Tracer
from .turning import FULL, AxisTurn


@dataclass(frozen=True)
class Turn:
    """A rotation R from child to parent axes; `axis`: about one, by its cosine and sine."""

    R: M
    axis: AxisTurn | None = None

    def inward(self, x: M) -> M:
        """Columns in child axes, seen in parent axes."""
        whole = self.R @ x
        return whole.by(self.axis.inward(x.value)) if self.axis else whole

    def outward(self, x: M) -> M:
        """Columns in parent axes, seen in child axes."""
        whole = self.R.T @ x
        return whole.by(self.axis.outward(x.value)) if self.axis else whole


def cosines(x: At, k: Algebra, t: Tracer) -> M:
    """The direction cosines of a body in absolute coordinates."""
    if k.d == 3:
        A: M = x.A
        return A
    c, s = x.c, x.s
    value = sp.Matrix([[c[0], -s[0]], [s[0], c[0]]])
    return t.abbreviate("A", M(value, called("R3", c.tree, s.tree)))


def spinning(x: At, k: Algebra, A: M) -> M:
    """A body's angular velocity in inertial axes; it is stated where the body's are others."""
    spin: M = x.omega
    if k.d == 3:
        x.Omega = A @ spin
        spin = x.Omega
    return spin


def turns(x: At, k: Algebra) -> list[Turn]:
    """What the way from a link to its parent is made of, the link's first."""
    way = x.way
    if not way.third:
        return [Turn(x.C)]
    found = []
    if not way.still:
        c, s = x.cz, x.sz
        R = M(None, called("R3", c.tree, s.tree))
        found.append(Turn(R, AxisTurn(2, c[0], s[0])))
    if way.fixed is not None:
        K = x.K
        i, j = (way.fixed + 1) % 3, (way.fixed + 2) % 3
        axis = None if way.fixed == FULL else AxisTurn(way.fixed, K[i, i], K[j, i])
        found.append(Turn(K, axis))
    return found


class Transport:
    """From a link to its parent; every stage is stated, so that the next builds on values."""

    def __init__(
        self, x: At, k: Algebra, t: Tracer, source: str, arm: bool = True, turn: bool = True
    ) -> None:
        self.k, self.t, self.source = k, t, source
        self.turns = turns(x, k) if turn else []
        self.arm: M | None = x.r if arm else None

    @property
    def X(self) -> M:
        """Motions of the parent at the link, in its axes: of equations, nothing computes it."""
        k, R = self.k, [turn.R.tree for turn in reversed(self.turns)]
        assert self.arm is not None
        if not R:
            return self.t.abbreviate("X", k.X(self.arm))
        whole = M(None, product(*R))
        both = k.both(whole if len(R) == 1 and self._letter else self.t.abbreviate("R", whole))
        return self.t.abbreviate("X", both.T @ k.X(self.arm))

    @property
    def _letter(self) -> bool:
        """Is the only turn a letter?"""
        return self.turns[0].R.tree.__class__.__name__ == "Name"

    def spin(self, word: str, w: M) -> M:
        """An angular quantity of the parent, in the link's axes."""
        return w if self.k.d == 2 else self.outward(word, w)

    def outward(self, word: str, v: M) -> M:
        """A vector of the parent, in the link's axes."""
        for number, turn in enumerate(reversed(self.turns), start=1):
            v = self.t.state(f"{word}{number}", turn.outward(v), self.source)
        return v

    def inward(self, word: str, v: M) -> M:
        """A vector of the link, in the parent's axes."""
        for number, turn in enumerate(self.turns, start=1):
            v = self.t.state(f"{word}{number}", turn.inward(v), self.source)
        return v

    def tensor(self, word: str, X: M) -> M:
        """R X Rᵀ of a symmetric X of the link, such as a moment of inertia."""
        for number, turn in enumerate(self.turns if self.k.d == 3 else (), start=1):
            turned = self._tensor(f"{word}{number}", turn, X, None)
            X = self.t.state(f"{word}{number}", turned, self.source, symmetric=True)
        return X

    def motion(self, word: str, parent: M) -> M:
        """The motion (r̈, Ω̇) of the parent's origin at the link's, in the link's axes."""
        k = self.k
        assert self.arm is not None
        moved = k.lin(parent) + k.cross(k.ang(parent), self.arm)
        moved = self.t.state(f"{word}P", moved, self.source)
        return k.stack(self.outward(f"{word}l", moved), self.spin(f"{word}a", k.ang(parent)))

    def wrenches(self, word: str, W: M) -> M:
        """Wrenches of the link at its origin, at the parent's and in its axes."""
        k = self.k
        assert self.arm is not None
        for number, turn in enumerate(self.turns, start=1):
            moment = k.ang(W) if k.d == 2 else turn.inward(k.ang(W))
            value = sp.Matrix.vstack(turn.inward(k.lin(W)).value, moment.value)
            whole = (self._both(number, turn) @ W).by(value)
            W = self.t.state(f"{word}{number}", whole, self.source)
        return k.X(self.arm).T @ W

    def _both(self, number: int, turn: Turn) -> M:
        """What turns both parts of a motion or a wrench: a letter of equations."""
        return self.t.abbreviate(f"Q{LOW[number]}", self.k.both(turn.R))

    def inertia(self, whole: M) -> M:
        """An inertia of the link about its origin, about the parent's and in its axes."""
        assert self.arm is not None
        for number, turn in enumerate(self.turns, start=1):
            whole = self._turned(f"{number}", turn, whole)
        for axis in (0, 1) if self.k.d == 2 else (2, 0, 1):
            if self.arm[axis] != 0:
                whole = self._shifted(axis, whole)
        return whole

    def _turned(self, number: str, turn: Turn, whole: M) -> M:
        """R I Rᵀ, turned block by block."""
        k, t = self.k, self.t
        twice = None
        if turn.axis:
            twice = t.state(f"twice{number}", k.scalar(2 * turn.axis.c), self.source)[0]
        M_, B, J = (k.block(whole, *at) for at in ((1, 1), (1, 2), (2, 2)))
        turned = [self._tensor(f"M{number}", turn, M_, twice).value]
        if k.d == 2:
            turned += [turn.inward(B).value, J.value]
        else:
            turned += [
                self._tensor(f"{word}{number}", turn, x, twice).value
                for word, x in (("B", B), ("J", J))
            ]
        R = self._both(int(number), turn)
        moved = (R @ whole @ R.T).by(joined(*turned))
        return t.state(f"IAr{number}", moved, self.source, symmetric=True)

    def _tensor(self, word: str, turn: Turn, X: M, twice: sp.Expr | None) -> M:
        """R X Rᵀ, symmetric where X is."""
        whole, t = turn.R @ X @ turn.R.T, self.t
        if not turn.axis:
            half = t.state(f"{word}R", X @ turn.R.T, self.source)
            return turn.R @ half

        def stated(u: sp.Expr) -> sp.Expr:
            return t.state(f"u{word}", self.k.scalar(u), self.source)[0]

        return whole.by(mixed(turn.axis, X.value, twice, stated))

    def _shifted(self, axis: int, whole: M) -> M:
        """Xᵀ I X for an arm along one axis: B + M L, and J + Lᵀ B + (B + M L)ᵀ L."""
        k, t = self.k, self.t
        assert self.arm is not None
        along = sp.zeros(k.d, 1)
        along[axis] = self.arm[axis]
        arm = M(along, product(k.scalar(self.arm[axis]).tree, named(f"e{axis + 1}")))
        X = k.X(arm)
        L = k.block(X, 1, 2)
        M_, B, J = (k.block(whole, *at) for at in ((1, 1), (1, 2), (2, 2)))
        moved = t.state(f"Bs{axis + 1}", B + M_ @ L, self.source)
        value = joined(M_.value, moved.value, _moments(J.value, L.value, B.value, moved.value))
        new = (X.T @ whole @ X).by(value)
        return t.state(f"IAs{axis + 1}", new, self.source, symmetric=True)


def mixed(
    turn: AxisTurn, X: sp.Matrix, twice: sp.Expr | None, stated: Callable[[sp.Expr], sp.Expr]
) -> sp.Matrix:
    """R X Rᵀ about an axis, by the u that is `stated` of the two entries that it mixes."""
    i, j = turn.plane
    found = turn.inward(turn.inward(X).T).T
    a, b, e, d = X[i, i], X[i, j], X[j, i], X[j, j]
    across = (twice or 2 * turn.c) * b if b == e else turn.c * (b + e)
    u = stated(turn.s * (a - d) + across)
    found[i, i], found[j, j] = a - turn.s * u, d + turn.s * u
    found[i, j], found[j, i] = turn.c * u - e, turn.c * u - b
    return found


def joined(M_: sp.Matrix, B: sp.Matrix, J: sp.Matrix) -> sp.Matrix:
    """An inertia of its blocks."""
    return blocks([M_, B], [B.T, J])


def _moments(J: sp.Matrix, L: sp.Matrix, B: sp.Matrix, moved: sp.Matrix) -> sp.Matrix:
    """J + Lᵀ B + B′ᵀ L, each factor of a sum once."""
    n = J.rows
    result = sp.zeros(n, n)
    for i in range(n):
        for j in range(i, n):
            pairs = [(L[k, i], B[k, j]) for k in range(L.rows)]
            pairs += [(L[k, j], moved[k, i]) for k in range(L.rows)]
            result[i, j] = result[j, i] = J[i, j] + _gathered(pairs)
    return result


def _gathered(pairs: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Σ a b with factors a that differ in sign alone put outside."""
    sums: dict[sp.Expr, sp.Expr] = {}
    for factor, value in pairs:
        if factor == 0:
            continue
        sign = -1 if factor.could_extract_minus_sign() else 1
        sums[sign * factor] = sums.get(sign * factor, sp.Integer(0)) + sign * value
    return sp.Add(*(factor * value for factor, value in sums.items()))
