"""The kernels of the divide-and-conquer methods: leaves, merges and the way back.

All vectors are in inertial axes, motions and wrenches of a body at its centre of mass, linear
part first. A joint's constraint wrench is W σ on each of its two bodies, W having the joint's
directions D moved to the centre of mass, plus on the child and minus on the parent: then
Wᵀ V, summed over both, is how fast the joint opens along D.

A node is a set of bodies with the joints that lead out of it: Wᵀ V = Ξ σ + ξ, Ξ symmetric. Its
entries are the paper's Dᵀ ξ D, all that a merge and the way back read of ξ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from .program import Kernel, KernelBuilder, Policy
from .space import Space

GEOMETRY = "own: arms in inertial axes"
COLUMNS = "divide-and-conquer paper (10), (14): D and H at the centre of mass"
LEAF = "divide-and-conquer paper (15), (16): ξ of a body"
MERGE = "divide-and-conquer paper (34)-(36), along D"
MULTIPLIER = "divide-and-conquer paper (26), (29)"
BODY = "divide-and-conquer paper (12): M V = sum of all wrenches"
SPEED = "divide-and-conquer paper (23): V_child - V_parent = H u"
LOADS = "divide-and-conquer paper (58), (70)-(76): loads outboard of a joint"


def moved(space: Space, arm: sp.Matrix, wrench: sp.Matrix) -> sp.Matrix:
    """Wrenches (columns) at the point `arm` away, seen from here."""
    d = space.dimension
    return sp.Matrix.vstack(wrench[:d, :], space.tilde(arm) * wrench[:d, :] + wrench[d:, :])


def carried(B: sp.Matrix, constant: sp.Matrix, complete: bool) -> sp.Matrix:
    """Directions that are constant in the carrier's axes B, in inertial axes.

    `complete`: their linear parts span all directions or none, and are taken in inertial axes.
    """
    d = B.rows
    linear = constant[:d, :] if complete else B * constant[:d, :]
    return sp.Matrix.vstack(linear, constant[d:, :] if d == 2 else B * constant[d:, :])


@cache
def geometry(dimension: int) -> Kernel:
    """The arm from a link's origin to its centre of mass."""
    d = dimension
    kernel = KernelBuilder("centre", "centre of mass of a body")
    kernel.let("ce", kernel.take("A", d, d) * kernel.take("rC", d), GEOMETRY)
    return kernel.build("ce")


@cache
def reach(dimension: int) -> Kernel:
    """The arm from the parent's origin to the link's."""
    d = dimension
    kernel = KernelBuilder("reach", "arm of a hinge on the parent")
    kernel.let("ar", kernel.take("Ap", d, d) * kernel.take("r", d), GEOMETRY)
    return kernel.build("ar")


@cache
def carrier(dimension: int) -> Kernel:
    """The axes of the parent's point at a hinge."""
    d = dimension
    kernel = KernelBuilder("carrier", "axes of a hinge on the parent")
    kernel.let("Bc", kernel.take("Ap", d, d) * kernel.take("K", d, d), GEOMETRY)
    return kernel.build("Bc")


@cache
def mobility() -> Kernel:
    """The inverse of a body's central inertia, in space."""
    kernel = KernelBuilder("mobility", "inverse inertia of a body")
    A, inverse = kernel.take("A", 3, 3), kernel.take("JCi", 3, 3, symmetric=True)
    half = kernel.let("half", A * inverse, LEAF)
    kernel.let("Ji", half * A.T, LEAF, symmetric=True)
    return kernel.build("Ji")


@dataclass(frozen=True)
class Shape:
    """A tree hinge: speeds, constraints, whether its parent is the ground, `complete` D."""

    freedom: int
    width: int
    rooted: bool
    complete: bool

    @property
    def label(self) -> str:
        words: tuple[str, ...] = (f"{self.freedom}_{self.width}",)
        words += ("complete",) * self.complete + ("rooted",) * self.rooted
        return "_".join(words)


@cache
def columns(dimension: int, shape: Shape) -> Kernel:
    """What a hinge's impulses along D and H are at both centres of mass: W and Z.

    Z has H (Hᵀ H)⁻¹, so that Zᵀ V, summed over both bodies, is the speed.
    """
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder(f"columns_{shape.label}", "directions of a hinge at the bodies")
    B, centre = kernel.take("B", d, d), kernel.take("ce", d)
    arm = None if shape.rooted else kernel.take("ar", d) - kernel.take("cp", d)
    outputs = []
    for name, count in (("W", shape.width), ("Z", shape.freedom)):
        if count:
            constant = kernel.take("D" if name == "W" else "Hp", n, count)
            way = carried(B, constant, shape.complete)
            outputs.append(f"{name}s{count}")
            kernel.let(outputs[-1], moved(space, -centre, way), COLUMNS)
            if arm is not None:
                outputs.append(f"{name}p{count}")
                kernel.let(outputs[-1], -moved(space, arm, way), COLUMNS)
    return kernel.build(*outputs)


def inverse_inertia(kernel: KernelBuilder, space: Space) -> sp.Matrix:
    """Take a body's inverse inertia about its centre of mass."""
    if space.dimension == 2:
        return kernel.take("Ji")
    return kernel.take("Ji", 3, 3, symmetric=True)


def taken(kernel: KernelBuilder, space: Space, name: str, widths: tuple[int, ...]) -> sp.Matrix:
    """Take the columns of all joints of a body, side by side."""
    n = space.motion
    parts = [kernel.take(f"{name}_{k}", n, width) for k, width in enumerate(widths, start=1)]
    return sp.Matrix.hstack(sp.zeros(n, 0), *parts)


@cache
def leaf(dimension: int, widths: tuple[int, ...]) -> Kernel:
    """Ξ of a body: Wᵀ M⁻¹ W over its joints."""
    space = Space(dimension)
    d = dimension
    label = "_".join(map(str, widths))
    kernel = KernelBuilder(f"leaf_{label}", f"body with {len(widths)} joints")
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    W = taken(kernel, space, "W", widths)
    turned = kernel.let("JW", inverse * W[d:, :], LEAF)
    whole = (W[:d, :].T * W[:d, :]) * mass + W[d:, :].T * turned
    kernel.let("Xi", whole, LEAF, symmetric=True)
    return kernel.build("Xi")


@cache
def leaf_bias(dimension: int, widths: tuple[int, ...], biased: tuple[bool, ...]) -> Kernel:
    """ξ of a body: what it does without constraint wrenches, and where `biased` a joint's own."""
    space = Space(dimension)
    label = "_".join(f"{w}{'b' if b else ''}" for w, b in zip(widths, biased, strict=True))
    kernel = KernelBuilder(f"leaf_bias_{label}", f"bias of a body with {len(widths)} joints")
    W, V = taken(kernel, space, "W", widths), kernel.take("V0", space.motion)
    own = [
        kernel.take(f"g_{k}", width) if b else sp.zeros(width, 1)
        for k, (width, b) in enumerate(zip(widths, biased, strict=True), start=1)
    ]
    kernel.let("xi", W.T * V + sp.Matrix.vstack(*own), LEAF)
    return kernel.build("xi")


@cache
def still_bias(widths: tuple[int, ...], biased: tuple[bool, ...]) -> Kernel:
    """ξ of a body that nothing moves: what its joints themselves have."""
    label = "_".join(f"{w}{'b' if b else ''}" for w, b in zip(widths, biased, strict=True))
    kernel = KernelBuilder(f"leaf_still_{label}", f"bias of a body at rest, {len(widths)} joints")
    own = [
        kernel.take(f"g_{k}", width) if b else sp.zeros(width, 1)
        for k, (width, b) in enumerate(zip(widths, biased, strict=True), start=1)
    ]
    kernel.let("xi", sp.Matrix.vstack(*own), LEAF)
    return kernel.build("xi")


@dataclass(frozen=True)
class Merge:
    """How two nodes are merged: the widths of their joints, and which pairs are the same joint.

    `joined` are positions among the first's joints and the second's. Of the ground nothing moves,
    Ξ and ξ are zero.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    joined: tuple[tuple[int, int], ...]

    @property
    def label(self) -> str:
        """What a kernel's name says of it."""
        pairs = "_".join(f"{i}{j}" for i, j in self.joined)
        first, second = ("".join(map(str, widths)) for widths in (self.first, self.second))
        return f"{first}_{second}_{pairs}"

    def _entries(self, side: int, positions: list[int]) -> list[int]:
        widths = self.first if side == 0 else self.second
        starts = [sum(widths[:k]) for k in range(len(widths))]
        return [starts[k] + i for k in positions for i in range(widths[k])]

    def gone(self, side: int) -> list[int]:
        """The entries of a side that the merge eliminates, in the order of the joints."""
        return self._entries(side, [pair[side] for pair in self.joined])

    def kept(self, side: int) -> list[int]:
        """The entries of a side that stay."""
        widths = self.first if side == 0 else self.second
        gone = {pair[side] for pair in self.joined}
        return self._entries(side, [k for k in range(len(widths)) if k not in gone])

    @property
    def size(self) -> int:
        """Constraints that are eliminated."""
        return sum(self.first[i] for i, _ in self.joined)

    @property
    def left(self) -> int:
        """Constraints that stay open."""
        return sum(len(self.kept(side)) for side in (0, 1))

    @property
    def sound(self) -> bool:
        """Can no constraint be redundant? One joint between parts of which one moves freely."""
        return len(self.joined) == 1


def _gathered(merge: Merge, parts: list[sp.Matrix]) -> tuple[sp.Matrix, sp.Matrix]:
    """G and Y: what the eliminated multipliers do at their own joints, and at the others."""
    m = merge.size
    G, blocks = sp.zeros(m, m), [sp.zeros(m, 0)]
    for side, Xi in enumerate(parts):
        G += Xi[merge.gone(side), merge.gone(side)]
        blocks.append(Xi[merge.gone(side), merge.kept(side)])
    return G, sp.Matrix.hstack(*blocks)


def _kept(merge: Merge, parts: list[sp.Matrix]) -> sp.Matrix:
    blocks = [X[merge.kept(s), merge.kept(s)] for s, X in enumerate(parts)]
    return sp.diag(*blocks)


def _sizes(merge: Merge) -> list[tuple[str, int]]:
    return [("A", sum(merge.first)), ("B", sum(merge.second))]


@cache
def merge(shape: Merge) -> Kernel:
    """Ξ of two nodes as one, and what the way back needs.

    One joint: G = L D Lᵀ, X = L⁻¹ Y, U = D⁻¹ X and Ξ − Xᵀ U. Several: P = G⁺, of least norm
    where conditions are redundant, U = P Y and Ξ − Yᵀ U; without anything left open G alone.
    """
    kernel = KernelBuilder(f"merge_{shape.label}", "two nodes become one")
    parts = [kernel.take(f"Xi{x}", size, size, symmetric=True) for x, size in _sizes(shape)]
    G, Y = _gathered(shape, parts)
    outputs: list[str] = []
    if shape.sound:
        unit, inverse = _factors(kernel, G)
        outputs = [name for name in ("l", "inv") if name in kernel.known]
        rows = _forward(kernel, "x", unit, Y)
        U = sp.Matrix(Y.rows, Y.cols, lambda i, j: inverse[i] * rows[i, j])
        Y = rows
    elif shape.left:
        P = kernel.solve("P", G, sp.eye(shape.size), MERGE, Policy.MIN_NORM)
        outputs = ["P"]
        U = P * Y
    else:
        kernel.let("G", G, MERGE, symmetric=True)
        return kernel.build("G")
    if shape.left:
        U = kernel.let("U", U, MERGE)
        kernel.let("Xi", _kept(shape, parts) - Y.T * U, MERGE, symmetric=True)
        outputs += ["U", "Xi"]
    return kernel.build(*outputs)


def _factors(kernel: KernelBuilder, G: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """G = L D Lᵀ: the entries of L below its diagonal as a column, and D⁻¹."""
    m = G.rows
    G = kernel.let("G", G, MERGE, symmetric=True)
    unit, inverse = sp.eye(m), sp.zeros(m, 1)
    for i in range(m):
        scaled: list[sp.Expr] = []
        for j in range(i):
            value = G[i, j] - sp.Add(*(scaled[k] * unit[j, k] for k in range(j)))
            scaled.append(kernel.let(f"s_{i + 1}_{j + 1}", sp.Matrix([value]), MERGE)[0])
            value = scaled[j] * inverse[j]
            unit[i, j] = kernel.let(f"l_{i + 1}_{j + 1}", sp.Matrix([value]), MERGE)[0]
        pivot = G[i, i] - sp.Add(*(scaled[k] * unit[i, k] for k in range(i)))
        inverse[i] = kernel.let(f"inv_{i + 1}", sp.Matrix([1 / pivot]), MERGE)[0]
    if m > 1:
        below = [unit[i, j] for i in range(m) for j in range(i)]
        kernel.let("l", sp.Matrix(below), MERGE)
    kernel.let("inv", inverse, MERGE)
    return unit, inverse


def _unit(kernel: KernelBuilder, m: int) -> sp.Matrix:
    """Take L."""
    unit = sp.eye(m)
    if m > 1:
        below = iter(kernel.take("l", m * (m - 1) // 2))
        for i in range(m):
            for j in range(i):
                unit[i, j] = next(below)
    return unit


def _forward(kernel: KernelBuilder, name: str, unit: sp.Matrix, rhs: sp.Matrix) -> sp.Matrix:
    """L⁻¹ rhs, row by row."""
    rows: list[sp.Matrix] = []
    for i in range(rhs.rows):
        row = rhs[i, :] - sum((unit[i, k] * rows[k] for k in range(i)), sp.zeros(1, rhs.cols))
        rows.append(kernel.let(f"{name}_{i + 1}", row, MERGE) if rhs.cols else row)
    return sp.Matrix.vstack(*rows)


@cache
def merge_bias(shape: Merge) -> Kernel:
    """ξ of two nodes as one; `s`, the multipliers' part that is known already."""
    kernel = KernelBuilder(f"merge_bias_{shape.label}", "biases of two nodes become one")
    parts = [kernel.take(f"xi{x}", size) for x, size in _sizes(shape)]
    m = shape.size
    z, kept = sp.zeros(m, 1), [sp.zeros(0, 1)]
    for side, xi in enumerate(parts):
        z += xi[shape.gone(side), :]
        kept.append(xi[shape.kept(side), :])
    if shape.sound:
        unit, inverse = _unit(kernel, m), kernel.take("inv", m)
        z = _forward(kernel, "z", unit, z)
        kernel.let("s", sp.Matrix([inverse[i] * z[i] for i in range(m)]), MERGE)
    elif shape.left:
        z = kernel.let("z", z, MERGE)
        kernel.let("s", kernel.take("P", m, m) * z, MERGE)
    else:
        G = kernel.take("G", m, m, symmetric=True)
        kernel.solve("s", G, z, MERGE, Policy.MIN_NORM)
    if not shape.left:
        return kernel.build("s")
    kernel.let("xi", sp.Matrix.vstack(*kept) - kernel.take("U", m, shape.left).T * z, MERGE)
    return kernel.build("s", "xi")


@cache
def back(shape: Merge) -> Kernel:
    """The multipliers of the joints that a merge eliminated, from those that it left open."""
    kernel = KernelBuilder(f"back_{shape.label}", "multipliers of a merge")
    m = shape.size
    known = kernel.take("s", m)
    widths = [
        (f"sigma{'AB'[side]}_{k + 1}", width)
        for side, of in enumerate((shape.first, shape.second))
        for k, width in enumerate(of)
        if k not in {pair[side] for pair in shape.joined}
    ]
    if widths:
        outer = sp.Matrix.vstack(*(kernel.take(name, width) for name, width in widths))
        known = kernel.let("y", known + kernel.take("U", m, shape.left) * outer, MULTIPLIER)
    value = [-x for x in known]
    if shape.sound:
        unit = _unit(kernel, m)
        for i in reversed(range(m)):
            lower = sp.Add(*(unit[k, i] * value[k] for k in range(i + 1, m)))
            value[i] = kernel.let(f"v_{i + 1}", sp.Matrix([value[i] - lower]), MULTIPLIER)[0]
    at = 0
    outputs = []
    for number, (i, _) in enumerate(shape.joined, start=1):
        outputs.append(f"sigma_{number}")
        width = shape.first[i]
        kernel.let(outputs[-1], sp.Matrix(value[at : at + width]), MULTIPLIER)
        at += width
    return kernel.build(*outputs)


@cache
def motion(dimension: int, widths: tuple[int, ...]) -> Kernel:
    """A body's motion at its centre of mass: V0 and what all constraint wrenches add."""
    space = Space(dimension)
    d = dimension
    label = "_".join(map(str, widths))
    kernel = KernelBuilder(f"motion_{label}", f"motion of a body with {len(widths)} joints")
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    total = sp.zeros(space.motion, 1)
    for k, width in enumerate(widths, start=1):
        W = kernel.take(f"W_{k}", space.motion, width)
        total += W * kernel.take(f"sigma_{k}", width)
    total = kernel.let("F", total, BODY)
    lin, ang = mass * total[:d, :], inverse * total[d:, :]
    kernel.let("V", kernel.take("V0", space.motion) + sp.Matrix.vstack(lin, ang), BODY)
    return kernel.build("V")


@cache
def speeds(dimension: int, freedom: int, rooted: bool, biased: bool) -> Kernel:
    """The speeds of a hinge, or with the bias `h` their rates, from the motions of its bodies."""
    space = Space(dimension)
    n = space.motion
    name = f"speeds_{freedom}{'_rooted' if rooted else ''}{'_biased' if biased else ''}"
    kernel = KernelBuilder(name, "rates of a hinge's speeds" if biased else "speeds of a hinge")
    total = kernel.take("Zs", n, freedom).T * kernel.take("V", n)
    if not rooted:
        total += kernel.take("Zp", n, freedom).T * kernel.take("Vp", n)
    if biased:
        total += kernel.take("h", freedom)
    for j in range(freedom):
        kernel.let(f"u_{j + 1}", sp.Matrix([total[j]]), SPEED)
    return kernel.build(*(f"u_{j + 1}" for j in range(freedom)))


@cache
def parts(size: int) -> Kernel:
    """The entries of a column, one by one."""
    kernel = KernelBuilder(f"parts_{size}", "multipliers one by one")
    x = kernel.take("x", size)
    for j in range(size):
        kernel.let(f"x_{j + 1}", sp.Matrix([x[j]]), MULTIPLIER)
    return kernel.build(*(f"x_{j + 1}" for j in range(size)))
