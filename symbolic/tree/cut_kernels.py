"""The kernels of a cut hinge: what it demands of the two bodies that it joined.

A cut hinge demands of its parent's point frame A and its child's B: n·(x_B − x_A) = 0 for
axes n fixed in A, and n·m = 0 for pairs of axes fixed in A and B. Each such condition has a
multiplier μ, minus the force (or moment) that the cut exerts along it.

Where a shift z goes with a turn θ about the third axis, z = h θ with a lead h (of a screw its
pitch), it demands besides h sin(z/h − θ) = 0: however many turns there are. Of a driven hinge, A
is the parent's point frame as the prescribed motion moves it, and B is held fixed in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...model import Hinge
from ...model.expressions.differentiated import rate
from ...model.parts.hinge_kinds import HINGE_KINDS, HingeKind, Lead
from ..language.letters import letters
from ..language.written import SUBSCRIPTS
from ..mechanics.hinges import joint, sizes
from ..mechanics.letters import LETTERS
from ..mechanics.matrices import Algebra, M
from ..mechanics.traced import At, Facts, Tracer, tracing
from .loop_kernels import multiplied

CONDITION = "own: conditions of a cut hinge, differentiated"

CUTS = LETTERS | letters(f"""
    v     | v   | d       | | velocity of the link's origin, m/s
    r     | r   | d       | | the cut's point, from the link's origin
    K     | K   | d d rot | | rotation from the cut's axes to the link's
    Q     | Q   | d d     | {CONDITION} | rotation from the axes of B's link to those of A's
    rho   | ρ   | d       | {CONDITION} | B's point, from the origin of A's link and in its axes
    rhod  | ρ̇   | d       | {CONDITION} | velocity of B's point relative to A's link
    wba   | Ω   | s       | {CONDITION} | angular velocity of B's link, in the axes of A's
    N     | N   | d d     | {CONDITION} | A's point axes as prescribed, or a rate of them
    s     | s   | 1       | | second rate of a prescribed coordinate
    base  | p   | d       | {CONDITION} | A's point as prescribed, from the cut's, or a rate of it
    phi   | φ   | 1       | {CONDITION} | how far a condition is open
    phid  | φ̇   | 1       | {CONDITION} | how fast it opens
    g     | g   | n       | | acceleration of a side that is the ground, 0 of a body
    EA_  | E_A | n w     | {CONDITION} | rates of the conditions per motion of A's link
    EB_  | E_B | n w     | {CONDITION} | rates of the conditions per motion of B's link
    bias_ | β  | w       | {CONDITION} | second rates of the conditions without accelerations
    arm   | r   | d       | | the cut's point, from the link's origin
    E     | E   | n w     | | rates of the conditions per motion of the link
    mu    | μ   | 1       | | multiplier: a load that keeps a condition
""")


@dataclass(frozen=True)
class CutHinge:
    """What the kernels of a cut hinge depend on: its kind, and whether it is driven."""

    dimension: int
    kind: str
    driven: bool = False

    @classmethod
    def of(cls, dimension: int, hinge: Hinge) -> CutHinge:
        """One whose sizes are the number 0 is of the kind that it is then, helical revolute."""
        kind = HINGE_KINDS[dimension][hinge.kind]
        if kind.sizes and all(x == 0 for size, x in sizes(hinge).items() if size in kind.sizes):
            kind = kind.plain
        return cls(dimension, kind.name, bool(hinge.motion))

    @property
    def name(self) -> str:
        return f"driven_{self.kind}" if self.driven else self.kind

    @property
    def held_kind(self) -> HingeKind:
        """The kind whose conditions it has: of a driven one, held fixed to what moves, `fixed`."""
        return HINGE_KINDS[self.dimension]["fixed" if self.driven else self.kind]

    @property
    def held(self) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Axes of A along which the points coincide; axes of A and B at right angles."""
        return self.held_kind.places, self.held_kind.pairs

    @property
    def lead(self) -> Lead | None:
        """The shift that goes with a turn, if its kind has one."""
        return self.held_kind.lead

    @property
    def count(self) -> int:
        """The number of its conditions."""
        return self.held_kind.conditions


FACTS: Facts = {
    "dimension": lambda _, cut: cut.dimension,
    "cut": lambda _, cut: cut,
    "width": lambda _, cut: cut.count,
    "count": lambda _, cut: len(joint(cut.dimension, cut.kind).u),
}

traced = tracing(CUTS, FACTS, {})


@dataclass(frozen=True)
class Side:
    """One body at a cut: its place, motion, and the cut's point and axes in it."""

    A: M
    x: M
    v: M
    w: M
    arm: M
    K: M

    @classmethod
    def of(cls, at: At) -> Side:
        return cls(at.A, at.x, at.v, at.w, at.r, at.K)


@dataclass(frozen=True)
class Condition:
    """Value and rate, columns of both bodies (A's, B's), and the second rate at rest."""

    value: M
    rate: M
    near: M
    far: M
    bias: M


class Cut:
    """The relative place and motion of the two sides of a cut, in the axes of A's link.

    `axes` and `base` are A's point axes and place there, with their first and second rates.
    """

    def __init__(self, x: At, k: Algebra, t: Tracer) -> None:
        self.hinge: CutHinge = x.cut
        self.k, self.t = k, t
        self.a, self.b = a, b = Side.of(At(t, "a")), Side.of(At(t, "b"))
        x.Q = a.A.T @ b.A
        self.Q: M = x.Q
        x.rho = a.A.T @ (b.x - a.x) + self.Q @ b.arm
        self.far: M = x.rho
        if k.d == 3:
            x.wba = self.Q @ b.w
        self.wb: M = b.w if k.d == 2 else x.wba
        x.rhod = self.Q @ (b.v + k.cross(b.w, b.arm)) - a.v - k.cross(a.w, self.far)
        self.rate: M = x.rhod
        self.axes, self.base = self._moved() if self.hinge.driven else self._steady()

    def _steady(self) -> tuple[list[M], list[M]]:
        none = self.k.zero(self.k.d)
        return [self.a.K, none, none], [self.a.arm, none, none]

    def _moved(self) -> tuple[list[M], list[M]]:
        """A's point axes and place with the prescribed motion, from its values and rates."""
        k, t = self.k, self.t
        of = joint(k.d, self.hinge.kind)
        seconds = sp.symbols(f"s1:{len(of.q) + 1}", real=True)
        for symbol in (*of.q, *of.u, *seconds):
            t.single(symbol.name, t.table)
        self.sizes()
        steps = [*zip((*of.q, *of.u), (*of.u, *seconds), strict=True)]
        turns, shifts = [of.rotation], [of.position]
        for _ in range(2):
            turns.append(rate(turns[-1], steps))
            shifts.append(rate(shifts[-1], steps))
        K, places = self.a.K, [f"_{i}" for i in range(3)]
        axes = [t.state("N", K @ k.formula(x), mark=i) for i, x in zip(places, turns, strict=True)]
        base = [
            t.state("base", K @ k.vector(x), mark=i) for i, x in zip(places, shifts, strict=True)
        ]
        return axes, [self.a.arm + base[0], *base[1:]]

    def sizes(self) -> None:
        """Read the sizes of the kind."""
        for size in HINGE_KINDS[self.k.d][self.hinge.kind].sizes:
            self.t.single(size.name, self.t.table)

    def axis(self, i: int) -> list[M]:
        """A point axis of A, with its first and second rate."""
        return [
            axes if axes.nothing else self._letter(f"n{i + 1}{mark}", self.k.column(axes, i + 1))
            for axes, mark in zip(self.axes, ("", "′", "″"), strict=True)
        ]

    def _letter(self, word: str, value: M) -> M:
        return self.t.abbreviate(word.translate(SUBSCRIPTS), value)

    @cached_property
    def accelerated(self) -> M:
        """How B's point is accelerated from A's by speeds alone."""
        k, a, b = self.k, self.a, self.b
        inner, central = k.cross(b.w, k.cross(b.w, b.arm)), k.cross(a.w, k.cross(a.w, self.far))
        value = self.Q @ inner - central - 2 * k.cross(a.w, self.rate) - self.base[2]
        return self._letter("ρ″", value)

    def along(self, axis: int) -> Condition:
        """n·(x_B − x_A), for a point axis n of A."""
        k, b = self.k, self.b
        n, n1, n2 = self.axis(axis)
        gap, opening = self.far - self.base[0], self.rate - self.base[1]
        f = self.Q.T @ n
        return Condition(
            n.T @ gap,
            n.T @ opening + n1.T @ gap,
            -k.stack(n, k.moment(self.far, n)),
            k.stack(f, k.moment(b.arm, f)),
            n.T @ self.accelerated + 2 * n1.T @ opening + n2.T @ gap,
        )

    def between(self, i: int, j: int) -> Condition:
        """n·m, of point axis i of A and point axis j of B."""
        k, w, wb = self.k, self.a.w, self.wb
        n, n1, n2 = self.axis(i)
        m = self._letter(f"m{j + 1}", self.Q @ k.column(self.b.K, j + 1))
        normal, still = k.moment(m, n), k.zero(k.d)
        bias = (
            m.T @ (k.cross(w, k.cross(w, n)) + 2 * k.cross(w, n1) + n2)
            + 2 * (k.cross(w, n) + n1).T @ k.cross(wb, m)
            + n.T @ k.cross(wb, k.cross(wb, m))
        )
        return Condition(
            n.T @ m,
            normal.T @ (wb - w) + n1.T @ m,
            k.stack(still, -normal),
            k.stack(still, k.turned(self.Q.T, normal)),
            bias,
        )

    def led(self, lead: Lead) -> Condition:
        """h sin(z/h − θ) for the lead h; rate and second rate those of z − h θ, equal at zero."""
        k, w = self.k, self.a.w
        self.t.singles(sp.Matrix([lead.ratio]), table=self.t.table)
        h = k.scalar(lead.ratio)
        shift = self.along(lead.axis)
        x, y = self.axis(0)[0], self.axis(1)[0]
        n = k.unit(1, 0) if k.d == 2 else self.axis(2)[0]
        m = self._letter("m1", self.Q @ k.column(self.b.K, 1))
        z = self._letter("θ", shift.value / h)
        value = h @ (k.function(sp.sin, z) @ (x.T @ m) - k.function(sp.cos, z) @ (y.T @ m))
        still = k.zero(k.d)
        own = k.turned(self.Q.T, n)
        return Condition(
            value,
            shift.rate - h @ n.T @ (self.wb - w),
            shift.near + h @ k.stack(still, n),
            shift.far - h @ k.stack(still, own),
            shift.bias - h @ k.spins(w, n).T @ self.wb,
        )

    def conditions(self) -> list[Condition]:
        places, pairs = self.hinge.held
        rows = [self.along(axis) for axis in places] + [self.between(i, j) for i, j in pairs]
        lead = self.hinge.lead
        return [*rows, self.led(lead)] if lead else rows


@traced
def gap(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far a cut hinge is open, and how fast it opens: φ and φ̇."""
    hinge: CutHinge = x.cut
    t.called(f"gap_{hinge.name}", f"gap of a cut {hinge.kind} hinge")
    outputs = []
    for j, row in enumerate(Cut(x, k, t).conditions(), start=1):
        t.state("phi", row.value, mark=f"_{j}")
        t.state("phid", row.rate, mark=f"_{j}")
        outputs += [f"phi_{j}", f"phid_{j}"]
    return tuple(outputs)


@traced
def cut(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A cut hinge's Jacobian columns at both bodies, and φ̈ without accelerations."""
    hinge: CutHinge = x.cut
    t.called(f"cut_{hinge.name}", f"cut {hinge.kind} hinge")
    opened(x, k, t)
    return tuple(map(t.port, ("EA_", "EB_", "bias_")))


def opened(x: At, k: Algebra, t: Tracer) -> None:
    """State what φ̈ = E_Aᵀ a_A + E_Bᵀ a_B + β is made of.

    `ga`, `gb` are the accelerations of a side that is the ground, zero of a body.
    """
    rows = Cut(x, k, t).conditions()
    ga, gb = (t.read("g", side) for side in "ab")
    x.EA_ = k.beside(*(row.near for row in rows))
    x.EB_ = k.beside(*(row.far for row in rows))
    x.bias_ = k.stack(*(row.bias for row in rows)) + x.EA_.T @ ga + x.EB_.T @ gb


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at a cut, by the body there on the other, as at an output end.

    `pushed`: besides its multipliers a force law acts in it. `arriving`: as at an input end.
    """
    size, pushed, arriving = t.ask("width"), t.ask("pushed"), t.ask("arriving")
    name = f"cut_{'arrival' if arriving else 'load'}_{size}{'_pushed' if pushed else ''}"
    t.called(name, "loads at a cut hinge")
    A, arm = x.A, x.arm
    wrench = -x.W if pushed else k.zero(k.n)
    if size:
        wrench = wrench + x.E @ multiplied(t)
    t.state("lam", -wrench if arriving else wrench, CONDITION, "λ")
    q = t.state("q", A @ k.lin(x.lam), CONDITION, "q")
    x.load = k.load(k.turned(A, k.moment(arm, k.lin(x.lam)) - k.ang(x.lam)), q)
    return ("load",)
