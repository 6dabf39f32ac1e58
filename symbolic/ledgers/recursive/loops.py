"""Loops and flexible bodies of the recursive formulation as checks: (4.5)–(4.17).

A loop is cut at a ball between two bodies, whose condition is h = s(t) (p_a − p_b); the factor
s makes it depend on the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import sympy as sp

from ...exact.claims import Symbols, rates
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.screws import skew
from ...exact.series import Series
from ...exact.true_motion import demanded
from ...mechanics import beams
from ..deduction.flexible import Bent, small
from .cases import entry
from .formulation import Recursion
from .letters import symbols
from .loads import column, forces, joint_forces
from .tree import JointMotion, JointTree


@dataclass(frozen=True, eq=False)
class Cut:
    """The cut between bodies a and b, at points that are fixed in them."""

    tree: JointTree
    a: int = 3
    b: int = 5

    @cached_property
    def points(self) -> dict[int, sp.Matrix]:
        draw = Points(51)
        return {self.a: draw.vector(3), self.b: draw.vector(3)}

    @cached_property
    def s(self) -> Series:
        draw = Points(52)
        return Series.of_derivatives([draw.number() for _ in range(3)])

    def arm(self, j: int) -> sp.Matrix:
        return self.tree.motion.R(j).value * self.points[j]

    def h(self, motion: JointMotion, s: Series | None = None) -> Series:
        p = {j: motion.point(j, point) for j, point in self.points.items()}
        return (p[self.a] - p[self.b]).times(self.s if s is None else s)

    def h_u(self, j: int) -> sp.Matrix:
        """∂h/∂u_j (4.6): by the body's displacement and by a turn of it in inertial axes."""
        sign = {self.a: 1, self.b: -1}[j]
        whole = sp.Matrix.hstack(sp.eye(3), -skew(self.arm(j)))
        return sign * self.s.value[0] * whole

    @property
    def bent(self) -> sp.Matrix:
        """(h_u v)_u v with v held: s (ω × (ω × arm)) of a less that of b."""

        def turned(j: int) -> sp.Matrix:
            w = self.tree.motion.v(j).value[3:, :]
            return w.cross(w.cross(self.arm(j)))

        return self.s.value[0] * (turned(self.a) - turned(self.b))

    @property
    def h_ut_v(self) -> sp.Matrix:
        ratio = self.s.at(1)[0] / self.s.value[0]
        return sum(
            (ratio * self.h_u(j) * self.tree.motion.v(j).value for j in self.points),
            sp.zeros(3, 1),
        )

    def h_t(self, order: int) -> sp.Matrix:
        gap = self.h(self.tree.motion).value / self.s.value[0]
        return self.s.at(order)[0] * gap

    def second(self, times: int) -> sp.Matrix:
        """What ḧ has besides h_u v̇."""
        return self.bent + times * self.h_ut_v + self.h_t(2)


def slopes(tree: JointTree) -> Sides:
    """By displacements, and by a body's place in its own axes (4.8): h is linear in a place."""
    cut = Cut(tree)
    resting = Series.constant(cut.s.value, 2)
    for x in tree.coordinates:
        moving = tree.slopes[x]
        stated = sum((cut.h_u(j) * moving.v(j).value for j in cut.points), sp.zeros(3, 1))
        yield cut.h(moving, resting).at(1), stated
    for j in cut.points:
        e, sign = tree.motion.R(j).value, {cut.a: 1, cut.b: -1}[j]
        p = {i: tree.motion.point(i, point).value for i, point in cut.points.items()}
        before = cut.s.value[0] * (p[cut.a] - p[cut.b])
        steps = (cut.s.value[0] * (p[cut.a] + sign * e[:, k] - p[cut.b]) - before for k in range(3))
        dyads = (step * e[:, k].T for k, step in enumerate(steps))
        yield "4.8", cut.h_u(j)[:, :3], sum(dyads, sp.zeros(3, 3))


def first_rate(tree: JointTree) -> Sides:
    cut = Cut(tree)
    moved = sum((cut.h_u(j) * tree.motion.v(j).value for j in cut.points), sp.zeros(3, 1))
    yield cut.h(tree.motion).at(1), moved + cut.h_t(1)


def second_rate(tree: JointTree, printed: bool = False) -> Sides:
    cut = Cut(tree)
    moved = sum((cut.h_u(j) * tree.motion.v(j).at(1) for j in cut.points), sp.zeros(3, 1))
    yield cut.h(tree.motion).at(2), moved + cut.second(1 if printed else 2)


def closed(tree: JointTree) -> Sides:
    """(4.5) with (4.12): one more load column a multiplier, then a small system for them."""
    cut = Cut(tree)
    pulls = {j: -cut.h_u(j).T for j in cut.points}
    pulls = {j: pulls.get(j, sp.zeros(6, 3)) for j in tree.bodies}
    of = Recursion(tree, forces(tree), joint_forces(tree), pulls=pulls)
    rates, accelerations = of.accelerations
    opening = sum((cut.h_u(j) * accelerations[j] for j in cut.points), sp.zeros(3, 4))
    matrix = opening[:, 1:]
    yield matrix, matrix.T
    multipliers = matrix.LUsolve(-cut.second(2) - opening[:, 0])
    lifted = sp.Matrix.vstack(sp.eye(1), multipliers)
    moving = tree.accelerating({x: (rate * lifted)[0] for x, rate in rates.items()})
    held = sum((cut.h_u(j) * moving.motion.v(j).at(1) for j in cut.points), sp.zeros(3, 1))
    yield "4.12", held, -cut.second(2)
    yield cut.h(moving.motion).at(2), sp.zeros(3, 1)
    pulled = {
        x: sum(((cut.h_u(j) * tree.slopes[x].v(j).value).T * multipliers)[0] for j in cut.points)
        for x in tree.coordinates
    }
    needed = demanded(moving, forces(tree))
    yield column(joint_forces(tree), tree), column(needed, tree) + column(pulled, tree)


def letters(tree: JointTree) -> Mapping[str, Any]:
    """Of the tree what `letters` has, and of the cut between bodies 3 and 5.

    `h`, `dh`, `ddh`; `hu_3`, `hu_5` its slopes by (δr, δπ) of the bodies; `ht`, `htt` by the time,
    `hutv` the mixed one times v, `huuv` is (h_u v)_u v.
    """
    cut, known = Cut(tree), symbols(tree)
    own = dict(rates("h", lambda: cut.h(tree.motion)))
    own |= {f"hu_{j}": partial(cut.h_u, j) for j in (cut.a, cut.b)}
    own |= {"ht": partial(cut.h_t, 1), "htt": partial(cut.h_t, 2)}
    own |= {"hutv": lambda: cut.h_ut_v, "huuv": lambda: cut.bent}
    return Symbols(own | {name: partial(known.__getitem__, name) for name in known})


def flexible(at: Bent) -> Sides:
    """(4.13) of one beam: Σ δuᵀ (M v̇ − Q) with δu = (δr, δπ, δη), M of η, and Q of η and η̇."""
    found, (M, p) = beams.balance(at.functions), at.balance
    moved = sp.Matrix.vstack(at.acceleration, Points(54).vector(at.modes))
    for k in range(moved.rows):
        unit = sp.eye(moved.rows)[k, :]
        yield unit * (M * moved + p), unit * at.of(found.M) * moved, unit * at.of(found.p)


looped = partial(entry, symbols=letters)

ENTRIES = (
    looped(
        "4.5",
        "motion of a closed loop by multipliers",
        closed,
        "Σ δuᵀ (M v̇ − Q + h_uᵀ λ) = 0, h_u v̇ = −(h_u v)_u v − 2 h_ut v − h_tt",
    ),
    looped(
        "4.6",
        "slopes of a condition by displacements and turns",
        slopes,
        "δh = h_u δu, δu = (δr, δπ)",
    ),
    looped("4.10", "rate of a condition", first_rate, "ḣ = h_u v + h_t"),
    looped(
        "4.11",
        "second rate of a condition",
        second_rate,
        "ḧ = h_u v̇ + (h_u v)_u v + 2 h_ut v + h_tt",
        as_printed="ḧ = h_u v̇ + (h_u v)_u v + h_ut v + h_tt",
        correction="∂²h/∂t∂u · v enters twice, from the rate of h_u v and from that of h_t",
    ),
    entry(
        "4.13",
        "a flexible body: the principle has the same form",
        flexible,
        "Σ δuᵀ (M v̇ − Q) = 0, δu = (δr, δπ, δα)",
        instants=(small,),
        symbols=None,
        no_claim="integrals of a beam's shapes are compared",
    ),
)
