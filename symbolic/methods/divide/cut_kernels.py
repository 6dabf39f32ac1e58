"""The kernels of cut hinges in the divide-and-conquer methods: directions, their rates, loads.

The conditions are those of `cutkernels`, in the same order. Where a hinge holds all translations
their directions are the inertial axes, which do not turn; else they are axes of the parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import Space
from ...tree.cut_kernels import CONDITION, CutHinge
from .kernels import moved
from .momentum_kernels import RATE


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


class Directions:
    """The columns W of a cut at the centres of mass of its two bodies, and their rates."""

    def __init__(self, kernel: KernelBuilder, ends: Ends) -> None:
        self.kernel = kernel
        self.ends = ends
        self.space = Space(ends.hinge.dimension)
        self.d = ends.hinge.dimension
        held, pairs = ends.hinge.held
        self.arms = {side: self._arm(side) for side in "ab"}
        axes: set[int] = set() if ends.complete else set(held)
        axes |= {i for i, _ in pairs}
        self.axes = {i: self._axis("a", i) for i in sorted(axes)}
        self.others = {j: self._axis("b", j) for j in sorted({j for _, j in pairs})}
        if ends.reaches:
            far = self.centre("b") + self.arms["b"] - self.centre("a")
            self.far = kernel.let("far", far, CONDITION)

    def centre(self, side: str) -> sp.Matrix:
        """Where a side's centre of mass is; the ground's is at the origin."""
        if side not in self.ends.bodies:
            return sp.zeros(self.d, 1)
        known, name = self.kernel.known, f"x{side}"
        x = known[name].symbols() if name in known else self.kernel.take(name, self.d)
        return x + known[f"ce{side}"].symbols()

    def _arm(self, side: str) -> sp.Matrix:
        kernel, d = self.kernel, self.d
        point = kernel.take(f"r{side}", d)
        if side not in self.ends.bodies:
            return point
        arm = kernel.take(f"A{side}", d, d) * point - kernel.take(f"ce{side}", d)
        return kernel.let(f"arm{side}", arm, CONDITION)

    def _axis(self, side: str, i: int) -> sp.Matrix:
        kernel, d = self.kernel, self.d
        name = f"K{side}"
        K = kernel.known[name].symbols() if name in kernel.known else kernel.take(name, d, d)
        if side not in self.ends.bodies:
            return K[:, i]
        A = kernel.known[f"A{side}"].symbols()
        return kernel.let(f"{'n' if side == 'a' else 'm'}_{i + 1}", A * K[:, i], CONDITION)

    def columns(self, side: str) -> sp.Matrix:
        """W at a side."""
        d = self.d
        held, pairs = self.ends.hinge.held
        arm = self.far if side == "a" and self.ends.reaches else self.arms[side]
        found = []
        for i in held:
            n = sp.eye(d)[:, i] if self.ends.complete else self.axes[i]
            found.append(sp.Matrix.vstack(n, self.space.tilde(arm) * n))
        for i, j in pairs:
            normal = self.space.tilde(self.others[j]) * self.axes[i]
            found.append(sp.Matrix.vstack(sp.zeros(d, 1), normal))
        whole = sp.Matrix.hstack(*found)
        return whole if side == "b" else -whole

    def rates(self) -> dict[sp.Symbol, sp.Expr]:
        """How fast all symbols of W change, from the motions V of the bodies."""
        kernel, d, turn = self.kernel, self.d, self.space.turn
        V = {side: kernel.take(f"V{side}", self.space.motion) for side in self.ends.bodies}
        known: list[tuple[sp.Matrix, sp.Matrix]] = []
        for side in self.ends.bodies:
            w = V[side][d:, :]
            turning = [self.arms[side]]
            turning += (self.axes if side == "a" else self.others).values()
            known += [(x, turn(w, x)) for x in turning]
        if self.ends.reaches:
            speed = sp.zeros(d, 1) - V["a"][:d, :]
            if "b" in V:
                speed += V["b"][:d, :] + turn(V["b"][d:, :], self.arms["b"])
            known.append((self.far, speed))
        found: dict[sp.Symbol, sp.Expr] = {}
        for number, (x, rate) in enumerate(known, start=1):
            stated = kernel.let(f"rate_{number}", rate, RATE)
            found |= dict(zip(x, stated, strict=True))
        return found

    def rate(self, side: str, rates: dict[sp.Symbol, sp.Expr]) -> sp.Matrix:
        """The rate of W at a side."""
        W = self.columns(side)
        return W.applyfunc(
            lambda x: sp.Add(
                *(x.diff(y) * rates[y] for y in sorted(x.free_symbols, key=str) if y in rates)
            )
        )


@cache
def cut_columns(ends: Ends) -> Kernel:
    """W of a cut at its bodies."""
    kernel = KernelBuilder(f"cut_columns_{ends.label}", f"cut {ends.hinge.kind} hinge")
    of = Directions(kernel, ends)
    names = []
    for side in ends.bodies:
        names.append(f"W{side}{ends.hinge.count}")
        kernel.let(names[-1], of.columns(side), CONDITION, says="φ̇ = W_aᵀ V_a + W_bᵀ V_b")
    return kernel.build(*names)


@cache
def cut_couples(ends: Ends) -> Kernel:
    """What the impulse of a cut does to the rates of momenta, as loads at the centres of mass.

    The part of a point that the ground holds at rest is zero and left out.
    """
    kernel = KernelBuilder(f"cut_couples_{ends.label}", f"momenta and a cut {ends.hinge.kind}")
    of = Directions(kernel, ends)
    space, d, m = of.space, of.d, ends.hinge.count
    rates, sigma = of.rates(), kernel.take("sigma", m)
    resting = ends.complete and len(ends.bodies) == 1
    first = d if resting else 0
    for side in ends.bodies:
        W, rate = of.columns(side)[:, first:], of.rate(side, rates)[:, first:]
        v = kernel.known[f"V{side}"].symbols()[:d, :]
        moment = rate[d:, :] + space.tilde(v) * W[:d, :]
        total = -sp.Matrix.vstack(rate[:d, :], moment) * sigma[first:, :]
        kernel.let(f"X{side}", total, RATE, says="X = −(Ẇ_f, Ẇ_m + ~v W_f) σ")
    return kernel.build(*(f"X{side}" for side in ends.bodies))


@cache
def cut_bias(ends: Ends) -> Kernel:
    """What the conditions of a cut change by without accelerations."""
    m = ends.hinge.count
    kernel = KernelBuilder(f"cut_bias_{ends.label}", f"velocity terms of a cut {ends.hinge.kind}")
    of = Directions(kernel, ends)
    rates, total = of.rates(), sp.zeros(m, 1)
    for side in ends.bodies:
        total += of.rate(side, rates).T * kernel.known[f"V{side}"].symbols()
    kernel.let(f"g{m}", total, CONDITION, says="g = Ẇ_aᵀ V_a + Ẇ_bᵀ V_b")
    return kernel.build(f"g{m}")


@cache
def cut_gap(ends: Ends) -> Kernel:
    """How far a cut is open along its directions, and how fast it opens: φ and φ̇ = Wᵀ V."""
    kernel = KernelBuilder(f"cut_gap_{ends.label}", f"gap of a cut {ends.hinge.kind} hinge")
    of = Directions(kernel, ends)
    held, pairs = ends.hinge.held
    point = {side: of.arms[side] + of.centre(side) for side in "ab"}
    gap = kernel.let("gap", point["b"] - point["a"], CONDITION, says="gap = r_b − r_a")
    phi = [gap[i] if ends.complete else (of.axes[i].T * gap)[0] for i in held]
    phi += [(of.axes[i].T * of.others[j])[0] for i, j in pairs]
    phid = sp.zeros(ends.hinge.count, 1)
    for side in ends.bodies:
        phid += of.columns(side).T * kernel.take(f"V{side}", of.space.motion)
    for j in range(ends.hinge.count):
        kernel.let(
            f"phi_{j + 1}",
            sp.Matrix([phi[j]]),
            CONDITION,
            says="φ = n·(r_b − r_a), φ = n·m of axes",
        )
        kernel.let(f"phid_{j + 1}", sp.Matrix([phid[j]]), CONDITION, says="φ̇ = W_aᵀ V_a + W_bᵀ V_b")
    return kernel.build(*(f"{x}_{j + 1}" for x in ("phi", "phid") for j in range(len(phi))))


@cache
def cut_demand(size: int) -> Kernel:
    """What a cut is to open at, as a column."""
    kernel = KernelBuilder(f"cut_demand_{size}", "demand of a cut hinge")
    kernel.let(f"g{size}", kernel.numbers("c", size), CONDITION, says="g = c")
    return kernel.build(f"g{size}")


@cache
def cut_load(dimension: int, size: int, pushed: bool, arriving: bool = False) -> Kernel:
    """Moment and force at a cut, by the body there on the other, as at an output end."""
    space = Space(dimension)
    d, n = dimension, space.motion
    name = f"own_cut_{'arrival' if arriving else 'load'}_{size}{'_pushed' if pushed else ''}"
    kernel = KernelBuilder(name, "loads at a cut hinge")
    A, arm = kernel.take("A", d, d), kernel.take("arm", d)
    total = sp.zeros(n, 1)
    if size:
        total += moved(
            space, kernel.take("ce", d), kernel.take("W", n, size) * kernel.take("sigma", size)
        )
    if pushed:
        push = kernel.take("P", n)
        total += sp.Matrix.vstack(A * push[:d, :], push[d:, :] if d == 2 else A * push[d:, :])
    total = kernel.let("F", -total if arriving else total, CONDITION, says="F = W σ + W_law")
    own = moved(space, -kernel.let("point", A * arm, CONDITION, says="r = A r′"), total)
    kernel.let(
        "load",
        space.flat_load(own[d:, :], -own[:d, :]),
        "Riccati paper (2)",
        says="m = F_m − ~r F_f, q = −F_f",
    )
    return kernel.build("load")
