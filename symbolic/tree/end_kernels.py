"""The kernels that give the state z = [r̈; Ω̇; m; q; 1] at any end, in the inertial frame.

Accelerations are true ones: where gravity is an acceleration of the ground, it is taken off.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..language.program import Kernel, KernelBuilder
from ..mechanics.space import POINT, Space
from ..mechanics.taken import state_load

WRENCH = "Riccati paper (31): z_a = S z_b + e"
MASSLESS = "deduction paper: a hinge has no mass, q_O = q_I, m_O = m_I + d × q"
STATE = "Riccati paper (2)"
AT_POINT = "r̈_P = r̈ + Ω̇ × r + ~Ω ~Ω r"


@cache
def link_point(dimension: int) -> Kernel:
    """Acceleration of a point fixed in a link, from that of its origin in link axes."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder("end_motion", "acceleration of an end")
    acc = kernel.take("acc", n)
    W = space.centripetal(kernel, kernel.take("w", space.spins))
    arm = kernel.take("arm", d)
    local = kernel.let(
        "rdd", acc[:d, :] + space.turn(acc[d:, :], arm) + W * arm, POINT, says=AT_POINT
    )
    A = kernel.take("A", d, d)
    angular = acc[d:, :] if d == 2 else A * acc[d:, :]
    linear = A * local + kernel.take("g", d)
    kernel.let("zb", space.flat_motion(linear, angular), POINT, says=AT_POINT)
    return kernel.build("zb")


@cache
def body_point(dimension: int) -> Kernel:
    """Acceleration of a point fixed in a body, from that of its output end in inertial axes."""
    space = Space(dimension)
    kernel = KernelBuilder("end_motion", "acceleration of an end")
    rotation = space.rotation(kernel)
    W = space.centripetal(kernel, space.spin(kernel, rotation))
    own = kernel.take("a", space.spins)
    angular = own if dimension == 2 else kernel.let("Omegad", rotation * own, "Ω̇ = A ω̇")
    arm = kernel.let("r", rotation * kernel.take("arm", dimension), "r_P = r_O + A r′")
    linear = kernel.take("rdd", dimension) + space.turn(angular, arm) + W * arm
    kernel.let("zb", space.flat_motion(linear, angular), POINT, says=AT_POINT)
    return kernel.build("zb")


@cache
def ground_point() -> Kernel:
    """The ground does not move."""
    kernel = KernelBuilder("ground_motion", "acceleration of the ground")
    kernel.let("zb", sp.zeros(6, 1), "own", says="r̈ = 0, Ω̇ = 0")
    return kernel.build("zb")


@cache
def no_load() -> Kernel:
    """Nothing acts at a free end."""
    kernel = KernelBuilder("free_end", "loads at a free end")
    kernel.let("za", sp.zeros(6, 1), "own", says="m = 0, q = 0")
    return kernel.build("za")


@cache
def through_hinge(dimension: int) -> Kernel:
    """Loads at both ends of a hinge, from what the link demands: its points may lie apart."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder("hinge_ends", "loads at both ends of a hinge")
    IA, pA = kernel.take("IAh", n, n, symmetric=True), kernel.take("pAh", n)
    wrench = kernel.let("lam", IA * kernel.take("a0", n) + pA, WRENCH, says="λ = IA a₀ + pA")
    state_load(kernel, space, wrench)
    apart = kernel.take("Ap", d, d) * (kernel.take("rk", d) - kernel.take("r", d))
    between = kernel.let("d", apart, MASSLESS)
    near = kernel.known["load"].symbols()
    moment, force = (near[2:3, :] if d == 2 else near[:3, :]), near[3 : 3 + d, :]
    far = space.flat_load(moment + space.tilde(between) * force, force)
    kernel.let("far", far, MASSLESS)
    return kernel.build("load", "far")


@cache
def through_pin(dimension: int) -> Kernel:
    """Loads at both ends of a pin or ball, whose points coincide."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder("hinge_ends", "loads at both ends of a hinge")
    IA, pA = kernel.take("IAh", n, n, symmetric=True), kernel.take("pAh", n)
    wrench = kernel.let("lam", IA[:, :d] * kernel.take("rdd", d) + pA, WRENCH, says="λ = IA r̈ + pA")
    load = kernel.let(
        "load", space.flat_load(wrench[d:, :], -wrench[:d, :]), STATE, says="m = λ_m, q = −λ_f"
    )
    kernel.let("far", load, MASSLESS)
    return kernel.build("load", "far")
