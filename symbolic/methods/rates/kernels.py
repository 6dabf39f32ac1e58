"""The kernels of inverse dynamics and its first two rates, in body-fixed representation.

Vb, V1, V2, V3 are a link's twist (v, ω) and its rates, of the link's origin in its axes; X is the
screw of its hinge, which is fixed in the link, and ad stands for ad_X. Of any other hinge X is a
matrix with rates X0, X1, X2 and E0 … E3 are the twist in the hinge, X u, and its rates: what the
parent's twists become is differentiated by d/dt Ad V = Ad V̇ − ad_E Ad V. Gravity is a true
acceleration of the ground, in every term.

Source: screw paper, Sect. 6.3; the recursion is own.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import called, counted
from ...mechanics.hinges import Joint, joint, tidy
from ...mechanics.space import Space
from ...mechanics.taken import inertia
from ...mechanics.turning import Transport, Way
from ...tree.motion_kernels import ANY, take_symbols

TWISTS = "own: Ad V_parent⁽ᵏ⁾ = (d/dt + q̇ ad)ᵏ V − …, screw paper Sect. 6.3"
WRENCHES = "screw paper (42), differentiated: W = M V̇ − ad_Vᵀ M V"
HINGE = "own: X(q) u and X(q), differentiated along the motion"
SEEN = "own: of a hinge described from the other side −Ad E; d/dt Ad E = Ad (Ė + ad E)"
NEEDED = "screw paper (67): Q = Xᵀ W, differentiated"
MOVED = "own: W_parent += Adᵀ W, differentiated"

#: How many rates of a twist there are, the twist itself included.
TWIST_NAMES = ("Vb", "V1", "V2", "V3")
WRENCH_NAMES = ("W", "W1", "W2")


@cache
def twists(dimension: int, moving: bool, way: Way = ANY, rates: int = 3) -> Kernel:
    """A link's twist and its two or three rates from its parent's and the hinge's."""
    space = Space(dimension)
    n, names = space.motion, TWIST_NAMES[: rates + 1]
    name = f"twists{'' if moving else '_rigid'}{_to(rates)}{way.label}"
    kernel = KernelBuilder(name, "twist of a link and its rates")
    parents = [kernel.take(f"{x}p", n) for x in names]
    arm = kernel.take("r", dimension)
    turns = way.taken(kernel, space)
    moved = [
        Transport(kernel, space, turns, TWISTS, arm).motion(f"{x}m", parent)
        for x, parent in zip(names, parents, strict=True)
    ]
    if not moving:
        for x, value in zip(names, moved, strict=True):
            kernel.let(x, value, TWISTS)
        return kernel.build(*names)
    X = kernel.take("H1", n, 1)
    q1, q2, q3 = (kernel.take(x)[0] for x in ("u_1", "ad_1", "jerk_1"))
    q4 = kernel.take("snap_1")[0] if rates == 3 else None
    A = space.ad(X)
    V = kernel.let("Vb", moved[0] + X * q1, TWISTS)
    a = kernel.let("aV", A * V, TWISTS)
    V1 = kernel.let("V1", moved[1] + X * q2 - q1 * a, TWISTS)
    a1, aa = kernel.let("aV1", A * V1, TWISTS), kernel.let("aaV", A * a, TWISTS)
    V2 = kernel.let("V2", moved[2] + X * q3 - q2 * a - 2 * q1 * a1 - q1**2 * aa, TWISTS)
    if q4 is None:
        return kernel.build(*names)
    rest = q3 * a + 3 * q2 * a1 + 3 * q1 * A * V2
    twice = 3 * q1 * q2 * aa + 3 * q1**2 * A * a1 + q1**3 * A * aa
    kernel.let("V3", moved[3] + X * q4 - rest - twice, TWISTS)
    return kernel.build(*names)


def _to(rates: int) -> str:
    """What is added to a kernel's name where it stops at the second rate."""
    return "" if rates == 3 else "_to_jerks"


def along(of: Joint, value: sp.Matrix) -> sp.Matrix:
    """The rate of what depends on a hinge's coordinates, speeds and their first two rates."""
    rates = [list(of.u), *(symbols(word, of) for word in ("ad", "jerk", "snap"))]
    steps = [*zip(of.q, of.rates, strict=True)]
    steps += [pair for now, then in pairwise(rates) for pair in zip(now, then, strict=True)]
    return sum((value.diff(x) * rate for x, rate in steps), sp.zeros(*value.shape))


def symbols(word: str, of: Joint) -> list[sp.Symbol]:
    """The speeds' rates of a hinge, one each speed."""
    return [sp.Symbol(f"{word}_{k + 1}", real=True) for k in range(len(of.u))]


@cache
def in_hinge(dimension: int, kind: str, backward: bool, rates: int = 3) -> Kernel:
    """The twist in a hinge with its three rates, X and its two; or the twist and two rates."""
    space, of = Space(dimension), joint(dimension, kind)
    freedom, d = len(of.u), dimension
    kernel = KernelBuilder(
        f"in_{kind}{'_backward' if backward else ''}{_to(rates)}", f"twist in {called(kind)} hinge"
    )
    X = [of.subspace]
    E = [of.subspace * of.u]
    for _ in range(rates):
        X.append(tidy(along(of, X[-1])))
        E.append(tidy(along(of, E[-1])))
    X = X[:3] if rates == 3 else []
    taken = sp.Matrix([*E, *(x.reshape(len(x), 1) for x in X)])
    if backward:
        taken = taken.col_join(sp.Matrix([*of.rotation, *of.position]))
    take_symbols(kernel, taken)
    E = [kernel.let(f"Ef{k}", x, HINGE, says="E = X u, E_k = dᵏE/dtᵏ") for k, x in enumerate(E)]
    X = [kernel.let(f"Xf{k}", x, HINGE, says="X_k = dᵏX/dtᵏ") for k, x in enumerate(X)]
    if backward:
        R, arm = kernel.let("Rf", of.rotation, HINGE), kernel.let("pf", of.position, HINGE)
        ads = [space.ad(x) for x in E]
        if rates == 3:
            E[3] = E[3] + 2 * ads[0] * E[2] + ads[0] * ads[0] * E[1]
            X[1], X[2] = (
                X[1] + ads[0] * X[0],
                X[2] + (2 * ads[0] * X[1] + ads[1] * X[0]) + (ads[0] * ads[0] * X[0]),
            )
        E[2] = E[2] + ads[0] * E[1]

        def seen(name: str, x: sp.Matrix) -> sp.Matrix:
            """−Ad x: of the parent's motion relative to the child, in the parent's axes."""
            spin = kernel.let(f"{name}s", x[d:, :] if d == 2 else R * x[d:, :], SEEN)
            return -sp.Matrix.vstack(R * x[:d, :] - space.shift(arm)[:d, d:] * spin, spin)

        E = [seen(f"E{k}", x) for k, x in enumerate(E)]
        X = [seen(f"X{k}", x) for k, x in enumerate(X)]
    for k, x in enumerate(E):
        kernel.let(f"E{k}", x, HINGE, says="E = X u, E_k = dᵏE/dtᵏ")
    for k, x in enumerate(X):
        kernel.let(f"X{k}_{freedom}", x, HINGE, says="X_k = dᵏX/dtᵏ")
    names = (*(f"E{k}" for k in range(len(E))), *(f"X{k}_{freedom}" for k in range(len(X))))
    return kernel.build(*names)


@cache
def twists_behind(dimension: int, way: Way = ANY, rates: int = 3) -> Kernel:
    """A link's twist and its two or three rates from its parent's and those in the hinge."""
    space = Space(dimension)
    n, names = space.motion, TWIST_NAMES[: rates + 1]
    kernel = KernelBuilder(f"twists_behind{_to(rates)}{way.label}", "twist of a link and its rates")
    parents = [kernel.take(f"{x}p", n) for x in names]
    arm = kernel.take("r", dimension)
    turns = way.taken(kernel, space)
    a0, a1, a2, *last = (
        kernel.let(f"{x}a", Transport(kernel, space, turns, TWISTS, arm).motion(x + "m", p), TWISTS)
        for x, p in zip(names, parents, strict=True)
    )
    E = [kernel.take(f"E{k}", n) for k in range(rates + 1)]
    A0, A1, A2 = (space.ad(x) for x in E[:3])
    x1 = kernel.let("x1", a1 - A0 * a0, TWISTS)
    y1 = kernel.let("y1", a2 - A0 * a1, TWISTS)
    x2 = kernel.let("x2", y1 - A1 * a0 - A0 * x1, TWISTS)
    moved = [a0, x1, x2]
    for a3 in last:
        y2 = kernel.let("y2", a3 - A0 * a2 - A1 * a1 - A0 * y1, TWISTS)
        moved.append(y2 - A2 * a0 - 2 * A1 * x1 - A0 * x2)
    for name, x, own in zip(names, moved, E, strict=True):
        kernel.let(name, x + own, TWISTS)
    return kernel.build(*names)


@cache
def transmit_behind(dimension: int, way: Way = ANY) -> Kernel:
    """A link's wrench and its rates as its parent feels them, whatever the hinge."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"transmit_behind{way.label}", "wrench and its rates at the parent")
    W, W1, W2 = (kernel.take(x, n) for x in WRENCH_NAMES)
    A0, A1 = (space.ad(kernel.take(f"E{k}", n)).T for k in range(2))
    f1 = kernel.let("f1", W1 - A0 * W, MOVED)
    f2 = kernel.let("f2", W2 - A0 * W1 - A1 * W - A0 * f1, MOVED)
    arm = kernel.take("r", dimension)
    turns = way.taken(kernel, space)
    for name, felt in zip(WRENCH_NAMES, (W, f1, f2), strict=True):
        moved = Transport(kernel, space, turns, MOVED, arm).wrenches(f"{name}t", felt)
        kernel.let(f"{name}p", moved, MOVED)
    return kernel.build(*(f"{name}p" for name in WRENCH_NAMES))


@cache
def required_along(
    dimension: int, label: str, laws: tuple[tuple[sp.Expr, ...], ...], rotor: bool
) -> Kernel:
    """The forces along a hinge's speeds with their rates, besides its laws' (and the laws' rates).

    `laws`: the law of each speed, then their first rates, then their second.
    """
    n, freedom = Space(dimension).motion, len(laws[0])
    kernel = KernelBuilder(f"rates_along_{label}", "forces along a hinge and their rates")
    rates = ("ad", "jerk", "snap") if rotor else ()
    spun = [sp.Symbol(f"{x}_{k + 1}", real=True) for x in rates for k in range(freedom)]
    take_symbols(kernel, sp.Matrix([*(law for each in laws for law in each), *spun]))
    rho = kernel.take("rho", freedom) if rotor else sp.zeros(freedom, 1)
    X = [kernel.take(f"X{k}_{freedom}", n, freedom) for k in range(3)]
    W = [kernel.take(x, n) for x in WRENCH_NAMES]
    totals = [
        X[0].T * W[0],
        X[1].T * W[0] + X[0].T * W[1],
        X[2].T * W[0] + 2 * X[1].T * W[1] + X[0].T * W[2],
    ]
    for k, (total, law) in enumerate(zip(totals, laws, strict=True)):
        for j in range(freedom):
            turned = rho[j] * spun[k * freedom + j] if rotor else 0
            kernel.let(f"Q{k}_{j + 1}", sp.Matrix([total[j] - law[j] + turned]), NEEDED)
    return kernel.build(*(f"Q{k}_{j + 1}" for k in range(3) for j in range(freedom)))


@cache
def wrenches(dimension: int, inputs: int) -> Kernel:
    """What a link and all that hangs on it demand of the output hinge, with two rates."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(
        f"wrenches_{inputs}", f"wrench of a body with {counted(inputs, 'input')}, rates"
    )
    V, V1, V2, V3 = (kernel.take(x, n) for x in TWIST_NAMES)
    M = inertia(kernel, space)
    P, P1, P2 = (
        kernel.let(name, M * x, WRENCHES) for name, x in (("P", V), ("P1", V1), ("P2", V2))
    )
    b, b1, b2 = (space.ad(x).T for x in (V, V1, V2))
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
        A = space.ad(kernel.take("H1", n, 1)).T
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
        kernel.let(f"Q{k}", sp.Matrix([total]), NEEDED)
    return kernel.build("Q0", "Q1", "Q2")
