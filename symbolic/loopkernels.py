"""The kernels that close loops: what a cut demands, and its columns through the sweep.

A cut hinge demands of its parent's point frame A and its child's B: n·(x_B − x_A) = 0 for
axes n fixed in A, and n·m = 0 for pairs of axes fixed in A and B. Each such condition has a
multiplier μ, minus the force (or moment) that the cut exerts along it. What a link demands
becomes λ = IA a + pA + E μ, and what the conditions demand Eᵀ a + k − Λ μ = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from .joints import joint
from .kernels import HINGE
from .program import Kernel, KernelBuilder, Policy
from .space import Space

CONDITION = "own: conditions of a cut hinge, differentiated"
COLUMNS = "own: columns of the cut's multipliers through the sweep"

#: By kind: the axes of A along which the points coincide, and the axes of A and B at right
#: angles.
CONDITIONS: dict[int, dict[str, tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]] = {
    2: {
        "pin": ((0, 1), ()),
        "prismatic": ((1,), ((0, 1),)),
        "slot": ((1,), ()),
        "fixed": ((0, 1), ((0, 1),)),
        "free": ((), ()),
    },
    3: {
        "revolute": ((0, 1, 2), ((0, 2), (1, 2))),
        "prismatic": ((0, 1), ((0, 1), (0, 2), (1, 2))),
        "cylindrical": ((0, 1), ((0, 2), (1, 2))),
        "universal": ((0, 1, 2), ((0, 1),)),
        "planar": ((2,), ((0, 2), (1, 2))),
        "ball": ((0, 1, 2), ()),
        "fixed": ((0, 1, 2), ((0, 1), (0, 2), (1, 2))),
        "free": ((), ()),
    },
}


def count(dimension: int, kind: str) -> int:
    """The number of conditions of a kind of hinge."""
    return sum(map(len, CONDITIONS[dimension][kind]))


@dataclass(frozen=True)
class _Side:
    """One body at a cut: its place, motion, and the cut's point and axes in it."""

    A: sp.Matrix
    x: sp.Matrix
    v: sp.Matrix
    w: sp.Matrix
    arm: sp.Matrix
    K: sp.Matrix

    @classmethod
    def taken(cls, kernel: KernelBuilder, side: str, dimension: int) -> _Side:
        d, spins = dimension, Space(dimension).spins
        return cls(
            kernel.take(f"A{side}", d, d),
            kernel.take(f"x{side}", d),
            kernel.take(f"v{side}", d),
            kernel.take(f"w{side}", spins),
            kernel.take(f"r{side}", d),
            kernel.take(f"K{side}", d, d),
        )


class _Cut:
    """The relative place and motion of the two sides of a cut, in the axes of A's link."""

    def __init__(self, kernel: KernelBuilder, dimension: int) -> None:
        self.space = space = Space(dimension)
        self.kernel = kernel
        self.a = a = _Side.taken(kernel, "a", dimension)
        self.b = b = _Side.taken(kernel, "b", dimension)
        self.Q = kernel.let("Q", a.A.T * b.A, CONDITION)
        self.far = kernel.let("rho", a.A.T * (b.x - a.x) + self.Q * b.arm, CONDITION)
        self.wb = b.w if dimension == 2 else kernel.let("wba", self.Q * b.w, CONDITION)
        moving = self.Q * (b.v + space.turn(b.w, b.arm)) - a.v - space.turn(a.w, self.far)
        self.rate = kernel.let("rhod", moving, CONDITION)

    def points(self, axis: int) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix]:
        """n·(x_B − x_A): value, rate, columns of both bodies, and its second rate at rest."""
        a, b, turn, tilde = self.a, self.b, self.space.turn, self.space.tilde
        n = a.K[:, axis]
        f = self.Q.T * n
        bias = (
            self.Q * turn(b.w, turn(b.w, b.arm))
            - turn(a.w, turn(a.w, self.far))
            - 2 * turn(a.w, self.rate)
        )
        return (
            n.T * (self.far - a.arm),
            n.T * self.rate,
            -sp.Matrix.vstack(n, tilde(self.far) * n),
            sp.Matrix.vstack(f, tilde(b.arm) * f),
            n.T * bias,
        )

    def axes(self, i: int, j: int) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix]:
        """n·m, of axis i of A and axis j of B, likewise."""
        a, b, turn, tilde = self.a, self.b, self.space.turn, self.space.tilde
        n, m = a.K[:, i], self.Q * b.K[:, j]
        normal = tilde(m) * n
        still = sp.zeros(self.space.dimension, 1)
        bias = (
            m.T * turn(a.w, turn(a.w, n))
            + 2 * turn(a.w, n).T * turn(self.wb, m)
            + n.T * turn(self.wb, turn(self.wb, m))
        )
        own = normal if self.space.dimension == 2 else self.Q.T * normal
        return (
            n.T * m,
            normal.T * (self.wb - a.w),
            sp.Matrix.vstack(still, -normal),
            sp.Matrix.vstack(still, own),
            bias,
        )

    def conditions(
        self, kind: str
    ) -> list[tuple[sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix, sp.Matrix]]:
        places, pairs = CONDITIONS[self.space.dimension][kind]
        return [self.points(axis) for axis in places] + [self.axes(i, j) for i, j in pairs]


@cache
def gap(dimension: int, kind: str) -> Kernel:
    """How far a cut hinge is open, and how fast it opens: φ and φ̇."""
    kernel = KernelBuilder(f"gap_{kind}", f"gap of a cut {kind} hinge")
    outputs = []
    for j, row in enumerate(_Cut(kernel, dimension).conditions(kind), start=1):
        kernel.let(f"phi_{j}", row[0], CONDITION)
        kernel.let(f"phid_{j}", row[1], CONDITION)
        outputs += [f"phi_{j}", f"phid_{j}"]
    return kernel.build(*outputs)


@cache
def cut(dimension: int, kind: str) -> Kernel:
    """A cut hinge's Jacobian columns at both bodies, and φ̈ without accelerations.

    `ga`, `gb` are the accelerations of a side that is the ground, zero of a body.
    """
    kernel = KernelBuilder(f"cut_{kind}", f"cut {kind} hinge")
    rows = _Cut(kernel, dimension).conditions(kind)
    n, m = Space(dimension).motion, len(rows)
    ga, gb = kernel.take("ga", n), kernel.take("gb", n)
    EA = kernel.let(f"EA{m}", sp.Matrix.hstack(*(row[2] for row in rows)), CONDITION)
    EB = kernel.let(f"EB{m}", sp.Matrix.hstack(*(row[3] for row in rows)), CONDITION)
    bias = sp.Matrix.vstack(*(row[4] for row in rows)) + EA.T * ga + EB.T * gb
    kernel.let(f"bias{m}", bias, CONDITION)
    return kernel.build(f"EA{m}", f"EB{m}", f"bias{m}")


@dataclass(frozen=True)
class Feed:
    """Where columns that arrive at a link belong among the link's own.

    `begins`: they begin here, at a cut; else they come from an input, with k and Λ.
    """

    places: tuple[int, ...]
    begins: bool = False

    @property
    def label(self) -> str:
        first, last = self.places[0], self.places[-1]
        solid = self.places == tuple(range(first, last + 1))
        text = f"{first}to{last}" if solid else "_".join(map(str, self.places))
        return ("cut" if self.begins else "") + text


def _placed(matrix: sp.Matrix, places: tuple[int, ...], size: int, rows: bool) -> sp.Matrix:
    """A matrix's columns, and its rows too if asked to, moved to their places among `size`."""
    wide = sp.zeros(matrix.rows, size)
    for column, place in enumerate(places):
        wide[:, place] = matrix[:, column]
    return _placed(wide.T, places, size, rows=False) if rows else wide


@cache
def gather(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """The sum of all columns that arrive at a link."""
    n = Space(dimension).motion
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"gather_{size}_{label}", f"{size} columns gathered")
    E, k, L = sp.zeros(n, size), sp.zeros(size, 1), sp.zeros(size)
    for i, feed in enumerate(feeds, start=1):
        own_E, own_k, own_L = arriving(kernel, n, size, feed, i)
        E, k, L = E + own_E, k + own_k, L + own_L
    kernel.let(f"E{size}", E, COLUMNS)
    kernel.let(f"kb{size}", k, COLUMNS)
    kernel.let(f"L{size}", L, COLUMNS, symmetric=True)
    return kernel.build(f"E{size}", f"kb{size}", f"L{size}")


def arriving(
    kernel: KernelBuilder, n: int, size: int, feed: Feed, i: int
) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """Take what arrives at input i: E, k and Λ at their places among `size` columns."""
    width = len(feed.places)
    E = _placed(kernel.take(f"Et_I{i}", n, width), feed.places, size, rows=False)
    if feed.begins:
        return E, sp.zeros(size, 1), sp.zeros(size)
    k = kernel.take(f"kt_I{i}", width)
    L = kernel.take(f"Lt_I{i}", width, width, symmetric=True)
    k = _placed(k.T, feed.places, size, rows=False).T
    return E, k, _placed(L, feed.places, size, rows=True)


@cache
def through(dimension: int, kind: str, backward: bool, moving: bool, size: int) -> Kernel:
    """Columns through a hinge: its own acceleration is u̇ = k − K μ − G a0.

    E⁺ = E − Gᵀ HᵀE, k⁺ = k + Eᵀ(γ + H k), Λ⁺ = Λ + (HᵀE)ᵀ D⁻¹ (HᵀE); then moved to the parent.
    """
    of = joint(dimension, kind)
    space = Space(dimension)
    d, n = dimension, space.motion
    freedom = len(of.u) if moving else 0
    gone = of.eliminated(backward) if freedom else ()
    name = f"{kind}{'_backward' if backward else ''}" if freedom else "rigid"
    kernel = KernelBuilder(f"columns_{size}_{name}", f"{size} columns through the hinge")
    E = kernel.take(f"E{size}", n, size)
    k = kernel.take(f"kb{size}", size)
    L = kernel.take(f"L{size}", size, size, symmetric=True)
    C, r = kernel.take("C", d, d), kernel.take("r", d)
    total = kernel.take("gam", n)
    outputs = [f"Eh{size}", f"Et{size}", f"kt{size}", f"Lt{size}"]
    left = E
    if freedom:
        IA = kernel.take("IA", n, n, symmetric=True)
        H = kernel.take(f"H{freedom}", n, freedom)
        U = kernel.let("U", IA * H, HINGE)
        D = kernel.let("D", H.T * U, HINGE, symmetric=True)
        P = kernel.let("P", H.T * E, COLUMNS)
        K = kernel.solve(f"K{freedom}_{size}", D, P, COLUMNS)
        left = E - U * K
        left = sp.Matrix(n, size, lambda i, j: 0 if int(i) in gone else left[i, j])
        total = total + H * kernel.take(f"k{freedom}", freedom)
        L = L + P.T * K
        outputs.insert(0, f"K{freedom}_{size}")
    kernel.let(f"kt{size}", k + E.T * total, COLUMNS)
    kernel.let(f"Lt{size}", L, COLUMNS, symmetric=True)
    left = kernel.let(f"Eh{size}", left, COLUMNS)
    turn = sp.diag(C, 1) if d == 2 else sp.diag(C, C)
    moved = kernel.let("Er", turn * left, COLUMNS)
    kernel.let(f"Et{size}", space.shift(r).T * moved, COLUMNS)
    return kernel.build(*outputs)


@cache
def multipliers(dimension: int, widths: tuple[int, ...], feeds: tuple[Feed, ...]) -> Kernel:
    """Λ μ = Eᵀ a_ground + k, from all roots and all cuts; μ of minimum norm.

    `widths` are the numbers of conditions, cut by cut.
    """
    n, size = Space(dimension).motion, sum(widths)
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"multipliers_{label}", "multipliers of the cut hinges")
    ground = kernel.take("ground", n)
    right, L = _gathered(kernel, n, size, feeds)
    for i in range(len(feeds)):
        E = kernel.take(f"Et_I{i + 1}", n, len(feeds[i].places))
        right += _placed((E.T * ground).T, feeds[i].places, size, rows=False).T
    right += sp.Matrix.vstack(
        *(kernel.take(f"bias_{j}", width) for j, width in enumerate(widths, start=1))
    )
    return _solved(kernel, L, right, "mu")


@cache
def corrections(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """Λ μ = c: the multipliers of the least motion (in the kinetic energy) that adds −c to φ̇."""
    n = Space(dimension).motion
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"corrections_{label}", "multipliers of a correction")
    _, L = _gathered(kernel, n, size, feeds, columns=False)
    right = sp.Matrix([kernel.take(f"c_{j + 1}")[0] for j in range(size)])
    return _solved(kernel, L, right, "nu")


@cache
def compliance(dimension: int, size: int, feeds: tuple[Feed, ...]) -> Kernel:
    """Λ of all cuts."""
    label = "_".join(feed.label for feed in feeds)
    kernel = KernelBuilder(f"compliance_{label}", "compliance of the cut hinges")
    _, L = _gathered(kernel, Space(dimension).motion, size, feeds, columns=False)
    kernel.let("Lam", L, COLUMNS, symmetric=True)
    return kernel.build("Lam")


def _gathered(
    kernel: KernelBuilder, n: int, size: int, feeds: tuple[Feed, ...], columns: bool = True
) -> tuple[sp.Matrix, sp.Matrix]:
    """k (if the columns are wanted) and Λ of all roots."""
    k, L = sp.zeros(size, 1), sp.zeros(size)
    for i, feed in enumerate(feeds, start=1):
        width = len(feed.places)
        if columns:
            own = kernel.take(f"kt_I{i}", width)
            k += _placed(own.T, feed.places, size, rows=False).T
        own = kernel.take(f"Lt_I{i}", width, width, symmetric=True)
        L += _placed(own, feed.places, size, rows=True)
    return k, L


def _solved(kernel: KernelBuilder, L: sp.Matrix, right: sp.Matrix, name: str) -> Kernel:
    matrix = kernel.let("Lam", L, COLUMNS, symmetric=True)
    right = kernel.let("right", right, COLUMNS)
    found = kernel.solve("x", matrix, right, COLUMNS, Policy.MIN_NORM)
    for j in range(len(right)):
        kernel.let(f"{name}_{j + 1}", sp.Matrix([found[j]]), COLUMNS)
    outputs = [f"{name}_{j + 1}" for j in range(len(right))]
    return kernel.build(*outputs)


def _taken_multipliers(kernel: KernelBuilder, size: int) -> sp.Matrix:
    return sp.Matrix([kernel.take(f"mu_{j + 1}")[0] for j in range(size)])


@cache
def known(dimension: int, freedom: int, size: int, correction: bool) -> Kernel:
    """What a hinge's acceleration is without its parent's, the multipliers known: k − K μ."""
    word = "correction" if correction else "known"
    kernel = KernelBuilder(f"{word}_{freedom}_{size}", "hinge with known multipliers")
    K = kernel.take(f"K{freedom}_{size}", freedom, size)
    found = -K * _taken_multipliers(kernel, size)
    if not correction:
        found = kernel.take(f"k{freedom}", freedom) + found
    kernel.let("km", found, COLUMNS)
    return kernel.build("km")


@cache
def bias(dimension: int, size: int) -> Kernel:
    """What a link demands without acceleration, the multipliers known: pA + E μ."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"bias_{size}", "bias with known multipliers")
    E = kernel.take(f"Eh{size}", n, size)
    kernel.let("pAm", kernel.take("pAh", n) + E * _taken_multipliers(kernel, size), COLUMNS)
    return kernel.build("pAm")


@cache
def load(dimension: int, size: int, arriving: bool = False) -> Kernel:
    """Moment and force at a cut, by the body there on the other, as at an output end.

    `arriving`: as at an input end.
    """
    space = Space(dimension)
    d, n = dimension, space.motion
    name = "cut_arrival" if arriving else "cut_load"
    kernel = KernelBuilder(f"{name}_{size}", "loads at a cut hinge")
    E = kernel.take("E", n, size)
    A, arm = kernel.take("A", d, d), kernel.take("arm", d)
    wrench = kernel.let("lam", E * _taken_multipliers(kernel, size), COLUMNS)
    if arriving:
        wrench = -wrench
    force = wrench[:d, :]
    q = kernel.let("q", A * force, COLUMNS)
    m = space.tilde(arm) * force - wrench[d:, :]
    m = m if d == 2 else A * m
    kernel.let("load", space.flat_load(m, q), "Riccati paper (2)")
    return kernel.build("load")
