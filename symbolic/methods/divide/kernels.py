"""The kernels of the divide-and-conquer methods at the bodies: directions, leaves, motions.

All vectors are in inertial axes, motions and wrenches of a body at its centre of mass, linear
part first. A joint's constraint wrench is W σ on each of its two bodies, W having the joint's
directions D moved to the centre of mass, plus on the child and minus on the parent: then
Wᵀ V, summed over both, is how fast the joint opens along D. Merges are in `mergekernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space

GEOMETRY = "own: arms in inertial axes"
COLUMNS = "divide-and-conquer paper (10), (14): D and H at the centre of mass"
LEAF = "divide-and-conquer paper (15), (16): ξ of a body"
BODY = "divide-and-conquer paper (12): M V = sum of all wrenches"
SPEED = "divide-and-conquer paper (23): V_child - V_parent = H u"
REFINED = "own: iterative refinement of motions and multipliers"
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
    kernel.let("ce", kernel.take("A", d, d) * kernel.take("rC", d), GEOMETRY, says="c = A r_C")
    return kernel.build("ce")


@cache
def reach(dimension: int) -> Kernel:
    """The arm from the parent's origin to the link's."""
    d = dimension
    kernel = KernelBuilder("reach", "arm of a hinge on the parent")
    kernel.let(
        "ar", kernel.take("Ap", d, d) * kernel.take("r", d), GEOMETRY, says="r = A_parent r′"
    )
    return kernel.build("ar")


@cache
def carrier(dimension: int) -> Kernel:
    """The axes of the parent's point at a hinge."""
    d = dimension
    kernel = KernelBuilder("carrier", "axes of a hinge on the parent")
    kernel.let(
        "Bc", kernel.take("Ap", d, d) * kernel.take("K", d, d), GEOMETRY, says="B = A_parent K"
    )
    return kernel.build("Bc")


@cache
def mobility() -> Kernel:
    """The inverse of a body's central inertia, in space."""
    kernel = KernelBuilder("mobility", "inverse inertia of a body")
    A, inverse = kernel.take("A", 3, 3), kernel.take("JCi", 3, 3, symmetric=True)
    half = kernel.let("half", A * inverse, LEAF, says="J_C⁻¹ = A J_C′⁻¹ Aᵀ")
    kernel.let("Ji", half * A.T, LEAF, symmetric=True, says="J_C⁻¹ = A J_C′⁻¹ Aᵀ")
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
    arm = None if shape.rooted else kernel.take("ar", d) - kernel.take("cep", d)
    outputs = []
    for name, count in (("W", shape.width), ("Z", shape.freedom)):
        if count:
            constant = kernel.take("D" if name == "W" else "Hp", n, count)
            way = carried(B, constant, shape.complete)
            outputs.append(f"{name}s{count}")
            kernel.let(
                outputs[-1],
                moved(space, -centre, way),
                COLUMNS,
                says="W = (D_f, D_m − ~c D_f), Z likewise of H (HᵀH)⁻¹",
            )
            if arm is not None:
                outputs.append(f"{name}p{count}")
                kernel.let(
                    outputs[-1],
                    -moved(space, arm, way),
                    COLUMNS,
                    says="W_parent = −(D_f, D_m + ~r D_f), Z_parent likewise",
                )
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
    kernel = KernelBuilder(f"leaf_{label}", f"body with {counted(len(widths), 'joint')}")
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    W = taken(kernel, space, "W", widths)
    turned = kernel.let("JW", inverse * W[d:, :], LEAF, says="J_C⁻¹ W_m")
    whole = (W[:d, :].T * W[:d, :]) * mass + W[d:, :].T * turned
    kernel.let("Xi", whole, LEAF, symmetric=True, says="Ξ = Wᵀ M⁻¹ W")
    return kernel.build("Xi")


@cache
def leaf_bias(dimension: int, widths: tuple[int, ...], biased: tuple[bool, ...]) -> Kernel:
    """ξ of a body: what it does without constraint wrenches, and where `biased` a joint's own."""
    space = Space(dimension)
    label = "_".join(f"{w}{'b' if b else ''}" for w, b in zip(widths, biased, strict=True))
    kernel = KernelBuilder(
        f"leaf_bias_{label}", f"bias of a body with {counted(len(widths), 'joint')}"
    )
    W, V = taken(kernel, space, "W", widths), kernel.take("V0", space.motion)
    own = [
        kernel.take(f"g_{k}", width) if b else sp.zeros(width, 1)
        for k, (width, b) in enumerate(zip(widths, biased, strict=True), start=1)
    ]
    kernel.let("xi", W.T * V + sp.Matrix.vstack(*own), LEAF, says="ξ = Wᵀ V₀ + g")
    return kernel.build("xi")


@cache
def still_bias(widths: tuple[int, ...], biased: tuple[bool, ...]) -> Kernel:
    """ξ of a body that nothing moves: what its joints themselves have."""
    label = "_".join(f"{w}{'b' if b else ''}" for w, b in zip(widths, biased, strict=True))
    kernel = KernelBuilder(
        f"leaf_still_{label}", f"bias of a body at rest, {counted(len(widths), 'joint')}"
    )
    own = [
        kernel.take(f"g_{k}", width) if b else sp.zeros(width, 1)
        for k, (width, b) in enumerate(zip(widths, biased, strict=True), start=1)
    ]
    kernel.let("xi", sp.Matrix.vstack(*own), LEAF, says="ξ = g")
    return kernel.build("xi")


@cache
def opening(dimension: int, width: int, bodies: int, biased: bool) -> Kernel:
    """How fast a joint opens along D: Wᵀ V over its bodies, and where `biased` its own bias."""
    n = Space(dimension).motion
    label = f"{width}{'_rooted' if bodies == 1 else ''}{'_biased' if biased else ''}"
    kernel = KernelBuilder(f"opening_{label}", "how fast a joint opens")
    total = kernel.take("g", width) if biased else sp.zeros(width, 1)
    for k in range(1, bodies + 1):
        total += kernel.take(f"W_{k}", n, width).T * kernel.take(f"V_{k}", n)
    kernel.let("o", total, REFINED)
    return kernel.build("o")


@cache
def motion(dimension: int, widths: tuple[int, ...]) -> Kernel:
    """A body's motion at its centre of mass: V0 and what all constraint wrenches add."""
    space = Space(dimension)
    d = dimension
    label = "_".join(map(str, widths))
    kernel = KernelBuilder(
        f"motion_{label}", f"motion of a body with {counted(len(widths), 'joint')}"
    )
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    total = sp.zeros(space.motion, 1)
    for k, width in enumerate(widths, start=1):
        W = kernel.take(f"W_{k}", space.motion, width)
        total += W * kernel.take(f"sigma_{k}", width)
    total = kernel.let("F", total, BODY, says="F = Σ W σ")
    lin, ang = mass * total[:d, :], inverse * total[d:, :]
    kernel.let(
        "V",
        kernel.take("V0", space.motion) + sp.Matrix.vstack(lin, ang),
        BODY,
        says="V = V₀ + M⁻¹ F",
    )
    return kernel.build("V")


@cache
def speeds(dimension: int, freedom: int, rooted: bool, biased: bool) -> Kernel:
    """The speeds of a hinge, or with the bias `h` their rates, from the motions of its bodies."""
    space = Space(dimension)
    n = space.motion
    name = f"speeds_{freedom}{'_rooted' if rooted else ''}{'_biased' if biased else ''}"
    kernel = KernelBuilder(name, "rates of a hinge's speeds" if biased else "speeds of a hinge")
    total = kernel.take(f"Zs{freedom}", n, freedom).T * kernel.take("V", n)
    if not rooted:
        total += kernel.take(f"Zp{freedom}", n, freedom).T * kernel.take("Vp", n)
    if biased:
        total += kernel.take(f"h{freedom}", freedom)
    return kernel.build(*kernel.each("u", total, SPEED))
