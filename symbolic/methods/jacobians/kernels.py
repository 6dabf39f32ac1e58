"""The kernels of geometric Jacobians and their partial derivatives, of any order.

Twists are (v, ω). S_j is the spatial screw of a speed j, J_ij the same seen from body i, v_ij the
velocity of that body's origin. With the speeds numbered from the ground outwards, a derivative
along k₁ ≤ … ≤ k_ν is one bracket more than one of order ν − 1:

    body-fixed  ∂J_ij = [∂J_ij along k₁ … k_ν₋₁, J_ik_ν],   if j < k₁, else zero;
    spatial     ∂S_j  = [S_k₁, ∂S_j along k₂ … k_ν],        if k_ν < j, else zero;
    origins     ∂v_is₀ = ω_s₀ × ∂v_is₁ along s₂ … s_ν,      s₀ ≤ … ≤ s_ν being j and all k sorted.

The last is a derivative of order ν + 1 of the origin's place, and so does not care which of
its indices is j.

Source: screw paper (6), (13), (15), (16), (21), (24); (26), completed and for any order, is own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space

FRAME = "from the link's axes and origin to the body's own"
SEEN = "screw paper (102), (104): J_ij = Ad_C⁻¹ S_j"
ORIGIN = "screw paper (106): v_ij = v_j + ω_j × r_i"
BODY = "screw paper (6), (13), (15): [∂J_ij, J_ik]"
SPATIAL = "screw paper (16), (21), (24): [S_k, ∂S_j]"
HYBRID = "screw paper (26), completed, any order: ω_k × ∂v_ij"


@cache
def frame(dimension: int) -> Kernel:
    """A body's own axes and origin."""
    d = dimension
    kernel = KernelBuilder("frame", "axes and origin of a body")
    A, x = kernel.take("A", d, d), kernel.take("x", d)
    kernel.let("Ab", A * kernel.take("Kb", d, d), FRAME, says="A_b = A K_b")
    kernel.let("xb", x + A * kernel.take("ob", d), FRAME, says="x_b = x + A o_b")
    return kernel.build("Ab", "xb")


@cache
def single(dimension: int, freedom: int) -> Kernel:
    """A hinge's screws one by one."""
    kernel = KernelBuilder(
        f"single_{freedom}", f"screws of {counted(freedom, 'freedom')} one by one"
    )
    J = kernel.take(f"J{freedom}", Space(dimension).motion, freedom)
    for j in range(freedom):
        kernel.let(f"S_{j + 1}", J[:, j], "screw paper (105)", says="S_k = (J)_k")
    return kernel.build(*(f"S_{j + 1}" for j in range(freedom)))


@cache
def seen(dimension: int) -> Kernel:
    """A screw from a body's origin, in its axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("seen", "a screw in the body's axes, at its origin")
    S, A, x = kernel.take("S", space.motion), kernel.take("Ab", d, d), kernel.take("xb", d)
    slide = kernel.let("slide", S[:d, :] + space.turn(S[d:, :], x), SEEN)
    spin = S[d:, :] if d == 2 else A.T * S[d:, :]
    kernel.let("Jb", sp.Matrix.vstack(A.T * slide, spin), SEEN)
    return kernel.build("Jb")


@cache
def origin(dimension: int) -> Kernel:
    """The velocity of a body's origin at unit speed, in inertial axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("origin", "velocity of a body's origin")
    S, x = kernel.take("S", space.motion), kernel.take("xb", d)
    kernel.let("vo", S[:d, :] + space.turn(S[d:, :], x), ORIGIN)
    return kernel.build("vo")


@cache
def body_derivative(dimension: int) -> Kernel:
    """One derivative more of a body-fixed column."""
    space = Space(dimension)
    kernel = KernelBuilder("body_derivative", "derivative of a body-fixed column")
    D, J = kernel.take("D", space.motion), kernel.take("Jb", space.motion)
    kernel.let("dJ", space.ad(D) * J, BODY, says="∂J⁺ = [∂J, J_k]")
    return kernel.build("dJ")


@cache
def spatial_derivative(dimension: int) -> Kernel:
    """One derivative more of a spatial column."""
    space = Space(dimension)
    kernel = KernelBuilder("spatial_derivative", "derivative of a spatial column")
    S, D = kernel.take("S", space.motion), kernel.take("D", space.motion)
    kernel.let("dS", space.ad(S) * D, SPATIAL, says="∂S⁺ = [S_k, ∂S]")
    return kernel.build("dS")


@cache
def origin_derivative(dimension: int) -> Kernel:
    """One derivative more of the velocity of a body's origin."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("origin_derivative", "derivative of an origin's velocity")
    S, D = kernel.take("S", space.motion), kernel.take("D", d)
    kernel.let("dv", space.turn(S[d:, :], D), HYBRID, says="∂v⁺ = ω_k × ∂v")
    return kernel.build("dv")


@cache
def angular(dimension: int) -> Kernel:
    """The angular part of a twist, with three components."""
    space = Space(dimension)
    kernel = KernelBuilder("angular", "angular part of a column")
    D = kernel.take("column", space.motion)
    kernel.let(
        "part",
        space.flat_load(D[dimension:, :], D[:dimension, :])[:3, :],
        "as it is",
        says="ω = (J)_ω",
    )
    return kernel.build("part")


@cache
def linear(dimension: int, rows: int) -> Kernel:
    """The linear part of a twist, or a velocity, with three components."""
    kernel = KernelBuilder(f"linear_{rows}", "linear part of a column")
    D = kernel.take("column", rows)[:dimension, :]
    kernel.let(
        "part", sp.Matrix.vstack(D, sp.zeros(3 - dimension, 1)), "as it is", says="v = (J)_v"
    )
    return kernel.build("part")
