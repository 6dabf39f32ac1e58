"""The kernels of inverse dynamics and its first two rates, in body-fixed representation.

Vb, V1, V2, V3 are a link's twist (v, ω) and its rates, of the link's origin in its axes; X is the
screw of its hinge, which is fixed in the link, and ad stands for ad_X. Gravity is a true
acceleration of the ground, in every term.

Source: screw paper, Sect. 6.3; the recursion is own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...mechanics.space import Space
from ...mechanics.turning import Transport, Way
from ...tree.motion_kernels import ANY, take_symbols
from ...tree.recursion_kernels import inertia
from ..closed.kernels import ad

TWISTS = "own: Ad V_parent⁽ᵏ⁾ = (d/dt + q̇ ad)ᵏ V − …, screw paper Sect. 6.3"
WRENCHES = "screw paper (42), differentiated: W = M V̇ − ad_Vᵀ M V"
MOVED = "own: W_parent += Adᵀ W, differentiated"

#: How many rates of a twist there are, the twist itself included.
TWIST_NAMES = ("Vb", "V1", "V2", "V3")
WRENCH_NAMES = ("W", "W1", "W2")


@cache
def twists(dimension: int, moving: bool, way: Way = ANY) -> Kernel:
    """A link's twist and its three rates from its parent's and the hinge's."""
    space = Space(dimension)
    n = space.motion
    name = f"twists{'' if moving else '_rigid'}{way.label}"
    kernel = KernelBuilder(name, "twist of a link and its rates")
    parents = [kernel.take(f"{x}p", n) for x in TWIST_NAMES]
    arm = kernel.take("r", dimension)
    turns = way.taken(kernel, space)
    moved = [
        Transport(kernel, space, turns, TWISTS, arm).motion(f"{x}m", parent)
        for x, parent in zip(TWIST_NAMES, parents, strict=True)
    ]
    if not moving:
        for x, value in zip(TWIST_NAMES, moved, strict=True):
            kernel.let(x, value, TWISTS)
        return kernel.build(*TWIST_NAMES)
    X = kernel.take("H1", n, 1)
    q1, q2, q3, q4 = (kernel.take(x)[0] for x in ("u_1", "ad_1", "jerk_1", "snap_1"))
    A = ad(space, X)
    V = kernel.let("Vb", moved[0] + X * q1, TWISTS)
    a = kernel.let("aV", A * V, TWISTS)
    V1 = kernel.let("V1", moved[1] + X * q2 - q1 * a, TWISTS)
    a1, aa = kernel.let("aV1", A * V1, TWISTS), kernel.let("aaV", A * a, TWISTS)
    V2 = kernel.let("V2", moved[2] + X * q3 - q2 * a - 2 * q1 * a1 - q1**2 * aa, TWISTS)
    rest = q3 * a + 3 * q2 * a1 + 3 * q1 * A * V2
    twice = 3 * q1 * q2 * aa + 3 * q1**2 * A * a1 + q1**3 * A * aa
    kernel.let("V3", moved[3] + X * q4 - rest - twice, TWISTS)
    return kernel.build(*TWIST_NAMES)


@cache
def wrenches(dimension: int, inputs: int) -> Kernel:
    """What a link and all that hangs on it demand of the output hinge, with two rates."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"wrenches_{inputs}", f"wrench of a body with {inputs} inputs, rates")
    V, V1, V2, V3 = (kernel.take(x, n) for x in TWIST_NAMES)
    M = inertia(kernel, space)
    P, P1, P2 = (
        kernel.let(name, M * x, WRENCHES) for name, x in (("P", V), ("P1", V1), ("P2", V2))
    )
    b, b1, b2 = (ad(space, x).T for x in (V, V1, V2))
    totals = [
        P1 - b * P,
        P2 - b1 * P - b * P1,
        M * V3 - b2 * P - 2 * b1 * P1 - b * P2,
    ]
    for name, total in zip(WRENCH_NAMES, totals, strict=True):
        for k in range(1, inputs + 1):
            total += kernel.take(f"{name}_I{k}", n)
        kernel.let(name, total, WRENCHES)
    return kernel.build(*WRENCH_NAMES)


@cache
def transmit(dimension: int, moving: bool, way: Way = ANY) -> Kernel:
    """A link's wrench and its rates as its parent feels them."""
    space = Space(dimension)
    n = space.motion
    name = f"transmit_rates{'' if moving else '_rigid'}{way.label}"
    kernel = KernelBuilder(name, "wrench and its rates moved to the parent")
    W, W1, W2 = (kernel.take(x, n) for x in WRENCH_NAMES)
    felt = [W, W1, W2]
    if moving:
        q1, q2 = kernel.take("u_1")[0], kernel.take("ad_1")[0]
        A = ad(space, kernel.take("H1", n, 1)).T
        a, a1 = kernel.let("aW", A * W, MOVED), kernel.let("aW1", A * W1, MOVED)
        felt = [W, W1 - q1 * a, W2 - 2 * q1 * a1 - q2 * a + q1**2 * A * a]
    arm = kernel.take("r", dimension)
    turns = way.taken(kernel, space)
    for name, value in zip(WRENCH_NAMES, felt, strict=True):
        stated = kernel.let(f"{name}f", value, MOVED)
        moved = Transport(kernel, space, turns, MOVED, arm).wrenches(f"{name}t", stated)
        kernel.let(f"{name}p", moved, MOVED)
    return kernel.build(*(f"{name}p" for name in WRENCH_NAMES))


@cache
def required(dimension: int, label: str, laws: tuple[sp.Expr, ...], rotor: bool) -> Kernel:
    """The force along a hinge with its rates, besides its law's (and the law's rates)."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"rates_{label}", "force along a hinge and its rates")
    X = kernel.take("H1", n, 1)
    names = {symbol.name for law in laws for symbol in law.free_symbols}
    rotary = ("ad_1", "jerk_1", "snap_1") if rotor else ()
    take_symbols(kernel, sp.Matrix([sp.Symbol(x, real=True) for x in (*names, *rotary)]))
    rho = kernel.take("rho")[0] if rotor else sp.Integer(0)
    for k, (name, law) in enumerate(zip(WRENCH_NAMES, laws, strict=True)):
        total = (X.T * kernel.take(name, n))[0] - law
        if rotor:
            total += rho * sp.Symbol(rotary[k], real=True)
        kernel.let(f"Q{k}", sp.Matrix([total]), "screw paper (67): Q = Xᵀ W, differentiated")
    return kernel.build("Q0", "Q1", "Q2")
