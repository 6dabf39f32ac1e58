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
from functools import cache

import sympy as sp

from ...model import Hinge
from ...model.parts.hinge_kinds import HINGE_KINDS, HingeKind, Lead
from ..language.program import Kernel, KernelBuilder
from ..mechanics.hinges import joint, sizes
from ..mechanics.space import Space

CONDITION = "own: conditions of a cut hinge, differentiated"


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


@dataclass(frozen=True)
class Side:
    """One body at a cut: its place, motion, and the cut's point and axes in it."""

    A: sp.Matrix
    x: sp.Matrix
    v: sp.Matrix
    w: sp.Matrix
    arm: sp.Matrix
    K: sp.Matrix

    @classmethod
    def taken(cls, kernel: KernelBuilder, side: str, dimension: int) -> Side:
        d, spins = dimension, Space(dimension).spins
        return cls(
            kernel.take(f"A{side}", d, d),
            kernel.take(f"x{side}", d),
            kernel.take(f"v{side}", d),
            kernel.take(f"w{side}", spins),
            kernel.take(f"r{side}", d),
            kernel.take(f"K{side}", d, d),
        )


@dataclass(frozen=True)
class Condition:
    """Value and rate, columns of both bodies (A's, B's), and the second rate at rest."""

    value: sp.Matrix
    rate: sp.Matrix
    near: sp.Matrix
    far: sp.Matrix
    bias: sp.Matrix


class Cut:
    """The relative place and motion of the two sides of a cut, in the axes of A's link.

    `axes` and `base` are A's point axes and place there, with their first and second rates.
    """

    def __init__(self, kernel: KernelBuilder, hinge: CutHinge) -> None:
        self.hinge = hinge
        self.space = space = Space(hinge.dimension)
        self.kernel = kernel
        self.a = a = Side.taken(kernel, "a", hinge.dimension)
        self.b = b = Side.taken(kernel, "b", hinge.dimension)
        self.Q = kernel.let("Q", a.A.T * b.A, CONDITION, says="Q = A_aᵀ A_b")
        self.far = kernel.let(
            "rho",
            a.A.T * (b.x - a.x) + self.Q * b.arm,
            CONDITION,
            says="ρ = A_aᵀ (x_b − x_a) + Q r_b",
        )
        flat = hinge.dimension == 2
        self.wb = b.w if flat else kernel.let("wba", self.Q * b.w, CONDITION, says="ω = Q ω_b")
        moving = self.Q * (b.v + space.turn(b.w, b.arm)) - a.v - space.turn(a.w, self.far)
        self.rate = kernel.let(
            "rhod", moving, CONDITION, says="ρ̇ = Q (v_b + ω_b × r_b) − v_a − ω_a × ρ"
        )
        self.axes, self.base = self._moved() if hinge.driven else self._steady()

    def _steady(self) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
        d = self.space.dimension
        return [self.a.K, *[sp.zeros(d)] * 2], [self.a.arm, *[sp.zeros(d, 1)] * 2]

    def _moved(self) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
        """A's point axes and place with the prescribed motion, from its values and rates."""
        of = joint(self.space.dimension, self.hinge.kind)
        seconds = sp.symbols(f"s1:{len(of.q) + 1}", real=True)
        for symbol in (*of.q, *of.u, *seconds):
            self.kernel.take(symbol.name)
        for size in HINGE_KINDS[self.space.dimension][self.hinge.kind].sizes:
            self.kernel.take(size.name)
        steps = dict(zip((*of.q, *of.u), (*of.u, *seconds), strict=True))

        def rate(value: sp.Matrix) -> sp.Matrix:
            return sum((value.diff(x) * y for x, y in steps.items()), sp.zeros(*value.shape))

        turns, shifts = [of.rotation], [of.position]
        for _ in range(2):
            turns.append(rate(turns[-1]))
            shifts.append(rate(shifts[-1]))
        axes = [
            self.kernel.let(f"N_{i}", self.a.K * turn, CONDITION) for i, turn in enumerate(turns)
        ]
        base = [
            self.kernel.let(f"base_{i}", self.a.K * shift, CONDITION)
            for i, shift in enumerate(shifts)
        ]
        return axes, [self.a.arm + base[0], *base[1:]]

    def along(self, axis: int) -> Condition:
        """n·(x_B − x_A), for a point axis n of A."""
        a, b, turn, tilde = self.a, self.b, self.space.turn, self.space.tilde
        n, n1, n2 = (axes[:, axis] for axes in self.axes)
        gap, opening = self.far - self.base[0], self.rate - self.base[1]
        f = self.Q.T * n
        bias = (
            self.Q * turn(b.w, turn(b.w, b.arm))
            - turn(a.w, turn(a.w, self.far))
            - 2 * turn(a.w, self.rate)
            - self.base[2]
        )
        return Condition(
            n.T * gap,
            n.T * opening + n1.T * gap,
            -sp.Matrix.vstack(n, tilde(self.far) * n),
            sp.Matrix.vstack(f, tilde(b.arm) * f),
            n.T * bias + 2 * n1.T * opening + n2.T * gap,
        )

    def between(self, i: int, j: int) -> Condition:
        """n·m, of point axis i of A and point axis j of B."""
        a, b, turn, tilde = self.a, self.b, self.space.turn, self.space.tilde
        n, n1, n2 = (axes[:, i] for axes in self.axes)
        m = self.Q * b.K[:, j]
        normal = tilde(m) * n
        still = sp.zeros(self.space.dimension, 1)
        bias = (
            m.T * (turn(a.w, turn(a.w, n)) + 2 * turn(a.w, n1) + n2)
            + 2 * (turn(a.w, n) + n1).T * turn(self.wb, m)
            + n.T * turn(self.wb, turn(self.wb, m))
        )
        own = normal if self.space.dimension == 2 else self.Q.T * normal
        return Condition(
            n.T * m,
            normal.T * (self.wb - a.w) + n1.T * m,
            sp.Matrix.vstack(still, -normal),
            sp.Matrix.vstack(still, own),
            bias,
        )

    def led(self, lead: Lead) -> Condition:
        """h sin(z/h − θ) for the lead h; rate and second rate those of z − h θ, equal at zero."""
        for name in sorted(symbol.name for symbol in lead.ratio.free_symbols):
            self.kernel.take(name)
        h, d = lead.ratio, self.space.dimension
        shift = self.along(lead.axis)
        x, y = self.a.K[:, 0], self.a.K[:, 1]
        n = sp.ones(1, 1) if d == 2 else self.a.K[:, 2]
        m = self.Q * self.b.K[:, 0]
        z = shift.value[0] / h
        value = h * (sp.sin(z) * (x.T * m)[0] - sp.cos(z) * (y.T * m)[0])
        still = sp.zeros(d, 1)
        turning = sp.zeros(1, 1) if d == 2 else self.space.turn(self.a.w, n)
        return Condition(
            sp.Matrix([value]),
            shift.rate - h * n.T * (self.wb - self.a.w),
            shift.near + h * sp.Matrix.vstack(still, n),
            shift.far - h * sp.Matrix.vstack(still, n if d == 2 else self.Q.T * n),
            shift.bias - h * turning.T * self.wb,
        )

    def conditions(self) -> list[Condition]:
        places, pairs = self.hinge.held
        rows = [self.along(axis) for axis in places] + [self.between(i, j) for i, j in pairs]
        lead = self.hinge.lead
        return [*rows, self.led(lead)] if lead else rows


@cache
def gap(hinge: CutHinge) -> Kernel:
    """How far a cut hinge is open, and how fast it opens: φ and φ̇."""
    kernel = KernelBuilder(f"gap_{hinge.name}", f"gap of a cut {hinge.kind} hinge")
    outputs = []
    for j, row in enumerate(Cut(kernel, hinge).conditions(), start=1):
        kernel.let(f"phi_{j}", row.value, CONDITION, says="φ = n·(r_b − r_a), φ = n·m of axes")
        kernel.let(f"phid_{j}", row.rate, CONDITION, says="φ̇ = E_Aᵀ V_A + E_Bᵀ V_B")
        outputs += [f"phi_{j}", f"phid_{j}"]
    return kernel.build(*outputs)


@cache
def cut(hinge: CutHinge) -> Kernel:
    """A cut hinge's Jacobian columns at both bodies, and φ̈ without accelerations.

    `ga`, `gb` are the accelerations of a side that is the ground, zero of a body.
    """
    kernel = KernelBuilder(f"cut_{hinge.name}", f"cut {hinge.kind} hinge")
    rows = Cut(kernel, hinge).conditions()
    n, m = Space(hinge.dimension).motion, len(rows)
    ga, gb = kernel.take("ga", n), kernel.take("gb", n)
    EA = kernel.let(
        f"EA{m}",
        sp.Matrix.hstack(*(row.near for row in rows)),
        CONDITION,
        says="φ̇ = E_Aᵀ V_A + E_Bᵀ V_B",
    )
    EB = kernel.let(
        f"EB{m}",
        sp.Matrix.hstack(*(row.far for row in rows)),
        CONDITION,
        says="φ̇ = E_Aᵀ V_A + E_Bᵀ V_B",
    )
    bias = sp.Matrix.vstack(*(row.bias for row in rows)) + EA.T * ga + EB.T * gb
    kernel.let(f"bias{m}", bias, CONDITION, says="φ̈ = E_Aᵀ a_A + E_Bᵀ a_B + bias")
    return kernel.build(f"EA{m}", f"EB{m}", f"bias{m}")


@cache
def load(dimension: int, size: int, pushed: bool, arriving: bool = False) -> Kernel:
    """Moment and force at a cut, by the body there on the other, as at an output end.

    `pushed`: besides its multipliers a force law acts in it. `arriving`: as at an input end.
    """
    space = Space(dimension)
    d, n = dimension, space.motion
    name = f"cut_{'arrival' if arriving else 'load'}_{size}{'_pushed' if pushed else ''}"
    kernel = KernelBuilder(name, "loads at a cut hinge")
    A, arm = kernel.take("A", d, d), kernel.take("arm", d)
    wrench = -kernel.take("W", n) if pushed else sp.zeros(n, 1)
    if size:
        wrench += kernel.take("E", n, size) * kernel.numbers("mu", size)
    wrench = kernel.let("lam", -wrench if arriving else wrench, CONDITION, says="λ = E μ − W")
    force = wrench[:d, :]
    q = kernel.let("q", A * force, CONDITION, says="q = A λ_f")
    m = space.tilde(arm) * force - wrench[d:, :]
    m = m if d == 2 else A * m
    kernel.let(
        "load", space.flat_load(m, q), "Riccati paper (2)", says="m = A (r × λ_f − λ_m), q = A λ_f"
    )
    return kernel.build("load")
