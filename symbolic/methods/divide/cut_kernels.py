"""The kernels of cut hinges in the divide-and-conquer methods: directions, their rates, loads.

The conditions are those of the tree's `cut_kernels`, in the same order. Where a hinge holds all
translations their directions are the inertial axes, which do not turn; else they are axes of the
parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ...language.written import named, numbered
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer
from ...tree.cut_kernels import CONDITION, CutHinge
from .letters import COLUMNS, RATE, moving


@dataclass(frozen=True)
class Ends:
    """A cut hinge, and which of its sides (`a` the parent's, `b` the child's) are bodies."""

    hinge: CutHinge
    bodies: str

    @property
    def complete(self) -> bool:
        """Does it hold all translations?"""
        return len(self.hinge.held[0]) == self.hinge.dimension

    @property
    def label(self) -> str:
        return f"{self.hinge.name}_{self.bodies}"

    @property
    def reaches(self) -> bool:
        """Must the way from the parent's centre to the child's point be known?"""
        return not self.complete and "a" in self.bodies


@dataclass(frozen=True)
class _Part:
    """Some columns of W: their two parts, and how fast these change."""

    lin: M
    ang: M
    lin_rate: M
    ang_rate: M


class Directions:
    """The columns W of a cut at the centres of mass of its two bodies, and their rates."""

    def __init__(self, k: Algebra, t: Tracer, ends: Ends) -> None:
        self.k, self.t, self.ends = k, t, ends
        held, pairs = ends.hinge.held
        self.sides = {side: At(t, side) for side in "ab"}
        self.arms = {side: self._arm(side) for side in "ab"}
        axes: set[int] = set() if ends.complete else set(held)
        axes |= {i for i, _ in pairs}
        self.axes = {i: self._axis("a", i) for i in sorted(axes)}
        self.others = {j: self._axis("b", j) for j in sorted({j for _, j in pairs})}
        self.every = M(sp.eye(k.d), named("one"))
        #: How fast arms, axes and the way from the parent to the child change, once it is stated.
        self.rates: dict[M, M] = {}
        if ends.reaches:
            far = self.centre("b") + self.arms["b"] - self.centre("a")
            self.far = t.state("far", far)

    def centre(self, side: str) -> M:
        """Where a side's centre of mass is; the ground's is at the origin."""
        of = self.sides[side]
        return of.x + of.ce if side in self.ends.bodies else self.k.zero(self.k.d)

    def point(self, side: str) -> M:
        """Where the cut's point of a side is."""
        return self.arms[side] + self.centre(side)

    def _arm(self, side: str) -> M:
        of = self.sides[side]
        point: M = of.r
        if side not in self.ends.bodies:
            return point
        A = of.A
        return self.t.state(f"arm{side}", A @ point - of.ce, CONDITION, f"ℓ_{side}")

    def _axis(self, side: str, i: int) -> M:
        of = self.sides[side]
        axis = self.k.column(of.K, i + 1)
        if side not in self.ends.bodies:
            return axis
        letter = "n" if side == "a" else "m"
        return self.t.state(f"{letter}_{i + 1}", of.A @ axis, CONDITION, numbered(letter, i + 1))

    def move(self) -> dict[str, M]:
        """State how fast all that W is made of changes; gives the motions V of the bodies."""
        k, motions = self.k, {side: self.sides[side].V for side in self.ends.bodies}
        for side, V in motions.items():
            axes = self.axes if side == "a" else self.others
            for x in (self.arms[side], *axes.values()):
                self._changes(x, k.cross(k.ang(V), x))
        if self.ends.reaches:
            speed = -k.lin(motions["a"])
            if "b" in motions:
                V = motions["b"]
                speed = speed + k.lin(V) + k.cross(k.ang(V), self.arms["b"])
            self._changes(self.far, speed)
        return motions

    def _changes(self, x: M, rate: M) -> None:
        letter, name = self.t.shown(x), f"rate_{len(self.rates) + 1}"
        dotted = f"{letter[0]}\u0307{letter[1:]}"
        self.rates[x] = self.t.state(name, rate, RATE, dotted)

    def _rate(self, x: M) -> M:
        return self.rates.get(x, self.k.zero(self.k.d))

    def across(self, arm: M, way: M) -> M:
        """arm × way, of all directions or of one."""
        return self.k.tilde(arm) if way is self.every else self.k.moment(arm, way)

    def parts(self, side: str, first: int = 0) -> Iterator[_Part]:
        """W at the child's side, minus W at the parent's; from a condition on."""
        k, (held, pairs) = self.k, self.ends.hinge.held
        arm = self.far if side == "a" and self.ends.reaches else self.arms[side]
        still = k.zero(k.d, k.d if self.ends.complete else 1)
        ways = [self.every] if self.ends.complete else [self.axes[i] for i in held]
        for n in ways if first < len(held) else ():
            turning = still if self.ends.complete else self._rate(n)
            ang = self.across(self._rate(arm), n) + k.moment(arm, turning)
            yield _Part(n, self.across(arm, n), turning, ang)
        still = k.zero(k.d)
        for i, j in pairs:
            n, m = self.axes[i], self.others[j]
            ang = k.moment(self._rate(m), n) + k.moment(m, self._rate(n))
            yield _Part(still, k.moment(m, n), still, ang)

    def columns(self, side: str) -> M:
        """W at a side."""
        parts = list(self.parts(side))
        return self._signed(side, [x.lin for x in parts], [x.ang for x in parts])

    def rate(self, side: str) -> M:
        """The rate of W at a side."""
        parts = list(self.parts(side))
        whole = self._signed(side, [x.lin_rate for x in parts], [x.ang_rate for x in parts])
        return self.t.abbreviate(f"Ẇ_{side}", whole)

    def _signed(self, side: str, *rows: list[M]) -> M:
        whole = self.k.blocks(*rows)
        return whole if side == "b" else -whole


@moving
def cut_columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """W of a cut at its bodies."""
    ends: Ends = t.ask("ends")
    t.called(f"cut_columns_{ends.label}", f"cut {ends.hinge.kind} hinge")
    of = Directions(k, t, ends)
    for side in ends.bodies:
        t.state(f"W{side}_", of.columns(side))
    return tuple(t.port(f"W{side}_") for side in ends.bodies)


@moving
def cut_couples(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What the impulse of a cut does to the rates of momenta, as loads at the centres of mass.

    The part of a point that the ground holds at rest is zero and left out.
    """
    ends: Ends = t.ask("ends")
    t.called(f"cut_couples_{ends.label}", f"momenta and a cut {ends.hinge.kind}")
    of = Directions(k, t, ends)
    motions, sigma = of.move(), x.sigma
    first = k.d if ends.complete and len(ends.bodies) == 1 else 0
    for side, V in motions.items():
        v, parts = k.lin(V), list(of.parts(side, first))
        moments = [x.ang_rate + of.across(v, x.lin) for x in parts]
        load = k.zero(k.n)
        if parts:
            whole = k.blocks([x.lin_rate for x in parts], moments)
            whole, held = (
                whole if side == "a" else -whole,
                part(sigma, range(first + 1, x.width + 1)),
            )
            load = (whole @ held).by(whole.value * held.value)
        of.sides[side].X = load
    return tuple(f"X{side}" for side in ends.bodies)


@moving
def cut_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What the conditions of a cut change by without accelerations."""
    ends: Ends = t.ask("ends")
    t.called(f"cut_bias_{ends.label}", f"velocity terms of a cut {ends.hinge.kind}")
    of = Directions(k, t, ends)
    motions, total = of.move(), k.zero(x.width)
    for side, V in motions.items():
        total = total + of.rate(side).T @ V
    t.state("g_", total, CONDITION)
    return (t.port("g_"),)


@moving
def cut_gap(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far a cut is open along its directions, and how fast it opens: φ and φ̇ = Wᵀ V."""
    ends: Ends = t.ask("ends")
    t.called(f"cut_gap_{ends.label}", f"gap of a cut {ends.hinge.kind} hinge")
    of = Directions(k, t, ends)
    held, pairs = ends.hinge.held
    first = of.point("a")
    x.gap = of.point("b") - first
    phi = [x.gap] if ends.complete else [of.axes[i].T @ x.gap for i in held]
    phi += [of.axes[i].T @ of.others[j] for i, j in pairs]
    total = k.zero(x.width)
    for side in ends.bodies:
        W = t.abbreviate(f"W_{side}", of.columns(side))
        total = total + W.T @ of.sides[side].V
    for j in range(1, x.width + 1):
        t.one("phi", k.stack(*phi), j)
        t.one("phid", total, j)
    return tuple(f"{word}_{j}" for word in ("phi", "phid") for j in range(1, x.width + 1))


@moving
def cut_demand(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a cut is to open at, as a column."""
    t.called(f"cut_demand_{x.width}", "demand of a cut hinge")
    t.state("g_", t.numbers("c", count=x.width), CONDITION)
    return (t.port("g_"),)


@moving
def cut_load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at a cut, by the body there on the other, as at an output end."""
    t.called(f"own_cut_load_{x.width}", "loads at a cut hinge")
    A, arm = x.A, x.arm
    t.state("F", k.seen(x.ce, x.W @ x.sigma), COLUMNS)
    x.point = A @ arm
    force = k.lin(x.F)
    x.load = k.load(k.ang(x.F) - k.moment(x.point, force), -force)
    return ("load",)
