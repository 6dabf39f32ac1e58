"""The kernels of momenta and accelerations around the divide-and-conquer solve.

Axes, points and signs as in `kernels`. p are the joint momenta of the trees' hinges: what a
hinge transmits, as an impulse, is D σ + H (Hᵀ H)⁻¹ p on the child.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import POINT, Space
from .kernels import BODY, LOADS, carried, inverse_inertia, moved

RATE = "divide-and-conquer paper (77), with the term of every cut side"
MOMENTUM = "divide-and-conquer paper (9), (63)"
BIAS = "own: the rate of V_child - V_parent = H u, without accelerations"


def _through(kernel: KernelBuilder, space: Space, freedoms: tuple[int, ...], x: str) -> sp.Matrix:
    """What the hinges of a body do along H, the numbers being `x`, at its centre of mass."""
    total = sp.zeros(space.motion, 1)
    for k, freedom in enumerate(freedoms, start=1):
        Z = kernel.take(f"Z_{k}", space.motion, freedom)
        total += Z * kernel.numbers(f"{x}_{k}", freedom)
    return total


@cache
def impelled(dimension: int, freedoms: tuple[int, ...]) -> Kernel:
    """A body's motion by the joint momenta alone."""
    space = Space(dimension)
    d = dimension
    label = "_".join(map(str, freedoms))
    kernel = KernelBuilder(
        f"impelled_{label}", f"body with {counted(len(freedoms), 'joint momentum')}"
    )
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    F = kernel.let("F", _through(kernel, space, freedoms, "p"), BODY, says="F = Σ Z p")
    kernel.let("V0", sp.Matrix.vstack(mass * F[:d, :], inverse * F[d:, :]), BODY, says="V₀ = M⁻¹ F")
    return kernel.build("V0")


def _pushes(kernel: KernelBuilder, space: Space, count: int) -> sp.Matrix:
    """Take wrenches in link axes at the link's origin; their sum in inertial axes."""
    d, n = space.dimension, space.motion
    total = sp.zeros(n, 1)
    if count:
        A = kernel.take("A", d, d)
        for k in range(1, count + 1):
            total += kernel.take(f"P_{k}", n)
        moment = total[d:, :] if d == 2 else A * total[d:, :]
        total = kernel.let(
            "P", sp.Matrix.vstack(A * total[:d, :], moment), LOADS, says="P = Σ A P_k"
        )
    return total


def _named(*words: tuple[str, object]) -> str:
    return "".join(f"_{word}{value if value is not True else ''}" for word, value in words if value)


@cache
def acted(dimension: int, freedoms: tuple[int, ...], pushes: int, loaded: bool) -> Kernel:
    """A body's acceleration without its constraint wrenches."""
    space = Space(dimension)
    d, n = dimension, space.motion
    label = _named(("hinges", "_".join(map(str, freedoms))), ("pushed", pushes), ("loaded", loaded))
    kernel = KernelBuilder(f"acted{label}", "acceleration of a body by what is applied")
    mass, inverse = kernel.take("im")[0], inverse_inertia(kernel, space)
    F = sp.zeros(n, 1)
    for k, freedom in enumerate(freedoms, start=1):
        F += kernel.take(f"Z_{k}", n, freedom) * kernel.take(f"T_{k}", freedom)
    if pushes:
        F += moved(space, -kernel.take("ce", d), _pushes(kernel, space, pushes))
    if loaded:
        F += kernel.take("f", n)
    if d == 3:
        A = kernel.known["A"].symbols() if pushes else kernel.take("A", 3, 3)
        w = kernel.take("wI", 3)
        own = kernel.let("wl", A.T * w, BODY, says="ω = Aᵀ Ω")
        spin = kernel.let("Jw", kernel.take("JC", 3, 3, symmetric=True) * own, BODY, says="J ω")
        F -= sp.Matrix.vstack(sp.zeros(3, 1), space.tilde(w) * (A * spin))
    F = kernel.let("F", F, BODY, says="F = Σ Z T + P + f − (0, Ω × J Ω)")
    falling = kernel.take("g", d) + mass * F[:d, :]
    kernel.let(
        "V0", sp.Matrix.vstack(falling, inverse * F[d:, :]), BODY, says="V₀ = (g, 0) + M⁻¹ F"
    )
    return kernel.build("V0")


@cache
def load(dimension: int, children: int, pushes: int, loaded: bool, cuts: int) -> Kernel:
    """The load of a link and all outboard of it, about its origin."""
    space = Space(dimension)
    d, n = dimension, space.motion
    label = _named(("pushed", pushes), ("loaded", loaded), ("cut", cuts))
    kernel = KernelBuilder(
        f"outboard_{children}{label}", f"loads of a body with {counted(children, 'input')}"
    )
    weight = kernel.take("m")[0] * kernel.take("g", d)
    own = sp.Matrix.vstack(weight, sp.zeros(n - d, 1))
    if loaded:
        own += kernel.take("f", n)
    for k in range(1, cuts + 1):
        own += kernel.take(f"X_{k}", n)
    total = moved(space, kernel.take("ce", d), own) + _pushes(kernel, space, pushes)
    for k in range(1, children + 1):
        total += moved(space, kernel.take(f"ar_I{k}", d), kernel.take(f"Q_I{k}", n))
    kernel.let("Q", total, LOADS, says="Q = Q_own + Σ Q_k, about the origin")
    return kernel.build("Q")


@cache
def momentum_rate(dimension: int, freedom: int, width: int, complete: bool, acting: bool) -> Kernel:
    """The rates of a hinge's momenta.

    ṗ = Hᵀ (Q − (0, v × f)) + Ḣᵀ P̄ + u, P̄ = D σ + H (Hᵀ H)⁻¹ p about the child's origin, of
    velocity v; H turns with the axes B, at the angular velocity `wc`.
    """
    space = Space(dimension)
    d, n, s = dimension, space.motion, space.spins
    label = _named(("complete", complete), ("acting", acting))
    kernel = KernelBuilder(f"momentum_rate_{freedom}_{width}{label}", "rates of a hinge's momenta")
    B, H = kernel.take("B", d, d), kernel.take("H", n, freedom)
    Q, V, centre = kernel.take("Q", n), kernel.take("V", n), kernel.take("ce", d)
    p = kernel.numbers("p", freedom)
    sigma = kernel.take("sigma", width) if width else sp.zeros(0, 1)
    D = kernel.take("D", n, width) if width else sp.zeros(n, 0)
    own = D * sigma + kernel.take("Hp", n, freedom) * p
    force = carried(B, own, complete)[:d, :]
    v = kernel.let("vx", V[:d, :] - space.turn(V[d:, :], centre), POINT, says="v = v_C − Ω × c")
    moment = Q[d:, :] - space.tilde(v) * force
    rate = carried(B, H, complete).T * sp.Matrix.vstack(Q[:d, :], moment)
    w = kernel.take("wc", s)
    if d == 3:
        w = kernel.let("wl", B.T * w, RATE, says="ω = Bᵀ Ω")
        rate += (space.tilde(w) * H[d:, :]).T * own[d:, :]
    if not complete:
        turning = sp.Matrix.hstack(*(space.turn(w, H[:d, j]) for j in range(freedom)))
        rate += turning.T * own[:d, :]
    if acting:
        rate += kernel.take(f"T{freedom}", freedom)
    for j in range(freedom):
        kernel.let(
            f"pd_{j + 1}",
            sp.Matrix([rate[j]]),
            RATE,
            says="ṗ = Hᵀ (Q − (0, v × f)) + Ḣᵀ (D σ + H (HᵀH)⁻¹ p) + T",
        )
    return kernel.build(*(f"pd_{j + 1}" for j in range(freedom)))


@cache
def momentum(dimension: int, children: int, cuts: tuple[int, ...]) -> Kernel:
    """The momentum of a link and all outboard of it, less the cuts' impulses, about its origin."""
    space = Space(dimension)
    d, n = dimension, space.motion
    label = "_".join(map(str, cuts))
    name = f"outboard_momentum_{children}{_named(('cut', label))}"
    kernel = KernelBuilder(name, f"momentum of a body with {counted(children, 'input')}")
    V, mass = kernel.take("V", n), kernel.take("m")[0]
    if d == 2:
        spin = kernel.take("JC") * V[d:, :]
    else:
        A = kernel.take("A", 3, 3)
        own = kernel.let("wl", A.T * V[3:, :], MOMENTUM, says="ω = Aᵀ Ω")
        spin = A * kernel.let(
            "Jw", kernel.take("JC", 3, 3, symmetric=True) * own, MOMENTUM, says="J ω"
        )
    P = sp.Matrix.vstack(mass * V[:d, :], spin)
    for k, width in enumerate(cuts, start=1):
        P -= kernel.take(f"W_{k}", n, width) * kernel.numbers(f"sigma_{k}", width)
    P = kernel.let("PC", P, MOMENTUM, says="P_C = M V − Σ W σ")
    total = moved(space, kernel.take("ce", d), P)
    for k in range(1, children + 1):
        total += moved(space, kernel.take(f"ar_I{k}", d), kernel.take(f"P_I{k}", n))
    kernel.let("P", total, MOMENTUM, says="P = P_C + Σ P_k, about the origin")
    return kernel.build("P")


@cache
def joint_momentum(dimension: int, freedom: int, complete: bool) -> Kernel:
    """p = Hᵀ P of a hinge."""
    d, n = dimension, Space(dimension).motion
    name = f"joint_momentum_{freedom}{_named(('complete', complete))}"
    kernel = KernelBuilder(name, "momenta of a hinge")
    H = carried(kernel.take("B", d, d), kernel.take("H", n, freedom), complete)
    p = H.T * kernel.take("P", n)
    return kernel.build(*kernel.each("p", p, MOMENTUM, says="p = Hᵀ P"))


def _relative(kernel: KernelBuilder, d: int, freedom: int, complete: bool) -> sp.Matrix:
    """V_child − V_parent = H u at the child's origin."""
    n = Space(d).motion
    if not freedom:
        return sp.zeros(n, 1)
    H = carried(kernel.take("B", d, d), kernel.take("H", n, freedom), complete)
    return kernel.let("Vr", H * kernel.numbers("u", freedom), BIAS, says="V_child − V_parent = H u")


@cache
def outward(dimension: int, freedom: int, complete: bool) -> Kernel:
    """The motion of a link's centre of mass and origin, from its parent's and the hinge's."""
    space = Space(dimension)
    d, s = dimension, space.spins
    name = f"moving_{freedom}{_named(('complete', complete))}"
    kernel = KernelBuilder(name, "motion of a link")
    vp, wp = kernel.take("vxp", d), kernel.take("wIp", s)
    arm, centre = kernel.take("ar", d), kernel.take("ce", d)
    relative = _relative(kernel, d, freedom, complete)
    w = kernel.let("wI", wp + relative[d:, :], POINT, says="Ω = Ω_parent + w")
    v = kernel.let(
        "vx",
        vp + space.turn(wp, arm) + relative[:d, :],
        POINT,
        says="v = v_parent + Ω_parent × r + v_r",
    )
    kernel.let(
        "V", sp.Matrix.vstack(v + space.turn(w, centre), w), POINT, says="V = (v + Ω × c, Ω)"
    )
    return kernel.build("vx", "wI", "V")


@cache
def bias(dimension: int, freedom: int, width: int, rooted: bool, complete: bool) -> Kernel:
    """What a hinge's conditions and speeds change by without accelerations: g along D, h along H.

    Of V_child − V_parent at the child's origin this is ω × ṙ of both arms, less the turn of the
    axes B at the angular velocity `wc`.
    """
    space = Space(dimension)
    d, n, s = dimension, space.motion, space.spins
    label = _named(("complete", complete), ("rooted", rooted))
    kernel = KernelBuilder(f"bias_{freedom}_{width}{label}", "velocity terms of a hinge")
    w, centre = kernel.take("wI", s), kernel.take("ce", d)
    turn = space.turn
    relative = _relative(kernel, d, freedom, complete)
    B = kernel.known["B"].symbols() if freedom else kernel.take("B", d, d)
    lin = -turn(w, turn(w, centre))
    if not rooted:
        wp, arm = kernel.take("wIp", s), kernel.take("ar", d) - kernel.take("cep", d)
        lin -= turn(wp, turn(wp, arm) + relative[:d, :])
    wc = kernel.take("wc", s)
    lin -= turn(wc, relative[:d, :])
    ang = sp.zeros(1, 1) if d == 2 else -space.tilde(wc) * relative[d:, :]
    total = kernel.let(
        "b",
        sp.Matrix.vstack(lin, ang),
        BIAS,
        says="b = −Ω × (Ω × c) − Ω_p × (Ω_p × r + v_r) − ω × V_r",
    )
    outputs = []
    for name, stem, count in (("D", "g", width), ("Hp", "h", freedom)):
        if count:
            way = carried(B, kernel.take(name, n, count), complete)
            outputs.append(f"{stem}{count}")
            kernel.let(outputs[-1], way.T * total, BIAS, says="g = Dᵀ b, h = H⁻ b")
    return kernel.build(*outputs)


@cache
def joint_load(dimension: int, width: int, freedom: int) -> Kernel:
    """Moment and force at the output hinge, in the paper's signs; W λ and Z T are at the centre."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder(f"joint_load_{width}_{freedom}", "loads at a hinge")
    total = sp.zeros(n, 1)
    if width:
        total += kernel.take(f"Ws{width}", n, width) * kernel.take("sigma", width)
    if freedom:
        total += kernel.take(f"Zs{freedom}", n, freedom) * kernel.take(f"T{freedom}", freedom)
    total = kernel.let("F", total, BODY, says="F = W σ + Z T")
    own = moved(space, kernel.take("ce", d), total)
    kernel.let(
        "load",
        space.flat_load(own[d:, :], -own[:d, :]),
        "Riccati paper (2)",
        says="m = F_m + ~c F_f, q = −F_f",
    )
    return kernel.build("load")


@cache
def angular(dimension: int) -> Kernel:
    """The angular part of a motion."""
    kernel = KernelBuilder("angular", "angular velocity of a link")
    kernel.let(
        "w",
        kernel.take("V", Space(dimension).motion)[dimension:, :],
        POINT,
        says="Ω = V_m, the angular part",
    )
    return kernel.build("w")
