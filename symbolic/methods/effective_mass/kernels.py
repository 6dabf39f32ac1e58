"""The kernels of the recursive formulation: hybrid motion at centroids, in inertial axes.

Columns are (translation, rotation). With z from the parent's centroid to the body's,
v_j = A v_i + B q̇ and v̇_j = A v̇_i + B q̈ + D; a hinge leaves its inner body the effective mass
M_r and load Q_r of all that hangs on it.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space
from ...mechanics.taken import pushing, resisted
from ...tree.recursion_kernels import pushed

PLACED = "recursive-formulation paper (3.16), (3.17)"
VELOCITY = "recursive-formulation paper (3.26)-(3.31)"
RATE = "recursive-formulation paper (3.36)-(3.39), corrected"
MASS = "recursive-formulation paper (3.46), (3.48)"
REDUCED = "recursive-formulation paper (3.53), (3.59)"
LOAD = "recursive-formulation paper (3.54), (3.60), with the other sign"
JOINT = "recursive-formulation paper (3.57)"
FORWARD = "recursive-formulation paper (3.35)"


@cache
def base(dimension: int) -> Kernel:
    """The moving ground's motion in inertial axes."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("ground", "motion of the ground, in inertial axes")
    A, x = kernel.take("A", d, d), kernel.take("x", d)
    v, w, acc = (
        kernel.take("vl", d),
        kernel.take("w", space.spins),
        kernel.take("acc", space.motion),
    )
    kernel.let("c", x, PLACED, says="c = x")
    kernel.let(
        "vel", sp.Matrix.vstack(A * v, _turned(space, A, w)), VELOCITY, says="v = (A ṙ, A ω)"
    )
    moved = sp.Matrix.vstack(A * acc[:d, :], _turned(space, A, acc[d:, :]))
    kernel.let("vd", moved, FORWARD, says="v̇ = (A r̈, A ω̇)")
    return kernel.build("c", "vel", "vd")


@cache
def kinematics(dimension: int, count: int) -> Kernel:
    """From the parent's motion and the hinge's to the body's: c, v, z, B and D.

    Frame
        The hinge's motion in link axes at the link's origin O, b = r_O − r_C; all else inertial.
    """
    space = Space(dimension)
    d, n, s = dimension, space.motion, space.spins
    kernel = KernelBuilder(
        f"move_{count}", f"motion behind {counted(count, 'relative coordinate')}"
    )
    A, x = kernel.take("A", d, d), kernel.take("x", d)
    inner, motion = kernel.take("cp", d), kernel.take("vp", n)
    b = kernel.let("b", -A * kernel.take("rC", d), PLACED, says="b = −A r_C")
    here = kernel.let("c", x - b, PLACED, says="c = x − b")
    z = kernel.let("z", here - inner, PLACED, says="z = c − c_parent")
    slide = kernel.let("cqd", A * kernel.take("vr", d), "c_q q̇, in inertial axes")
    turn = kernel.let("wqd", _turned(space, A, kernel.take("wr", s)), "w q̇, in inertial axes")
    relative = sp.Matrix.vstack(slide - space.turn(turn, b), turn)
    v = kernel.let("vel", space.shift(z) * motion + relative, VELOCITY, says="v = A v_parent + B q̇")
    outputs = ["c", "z", "vel"]
    if count:
        H = kernel.take(f"H{count}", n, count)
        w = _turned(space, A, H[d:, :])
        columns = [A * H[:d, k] - space.turn(w[:, k], b) for k in range(count)]
        linear = sp.Matrix.hstack(*columns)
        kernel.let(f"B{count}", sp.Matrix.vstack(linear, w), VELOCITY, says="B = (c_q − w × b, w)")
        outputs.append(f"B{count}")
    spin, rate = motion[d:, :], v[:d, :] - motion[:d, :]
    slid = space.turn(spin, slide) + A * kernel.take("br", d)
    turned = _turned(space, A, kernel.take("bw", s))
    if d == 3:
        turned += space.tilde(spin) * turn
    turned = kernel.let("wdqd", turned, RATE, says="ẇ q̇ = A ω̇_r + Ω_parent × w q̇")
    carried = space.turn(turn, space.turn(v[d:, :], b))
    linear = space.turn(spin, rate) + slid - carried - space.turn(turned, b)
    kernel.let("D", sp.Matrix.vstack(linear, turned), RATE, says="D = v̇ − A v̇_parent − B q̈")
    return kernel.build(*outputs, "D")


@cache
def body(dimension: int, inputs: int, forced: bool, pushes: int = 0) -> Kernel:
    """M + M_r and Q + Q_r: a body's own mass and load, and those of what hangs on it."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder(
        f"gather_{inputs}{pushed(pushes)}", f"mass and load, {counted(inputs, 'input')}"
    )
    mass = kernel.take("m")[0]
    A = kernel.take("A", d, d) if d == 3 or pushes else sp.eye(d)
    own = kernel.take("JC") if d == 2 else kernel.take("JC", 3, 3, symmetric=True)
    if d == 2:
        J, gyroscopic = own, sp.zeros(1, 1)
    else:
        AJ = kernel.let("AJ", A * own, MASS, says="J = A J′ Aᵀ")
        J = kernel.let("J", AJ * A.T, MASS, symmetric=True, says="J = A J′ Aᵀ")
        spin = kernel.take("vel", n)[d:, :]
        gyroscopic = space.tilde(spin) * kernel.let("Jw", J * spin, MASS, says="J ω")
    M = sp.diag(mass * sp.eye(d), J)
    Q = sp.Matrix.vstack(sp.zeros(d, 1), -gyroscopic)
    if forced:
        Q += kernel.take("f", n)
    if pushes:
        load = pushing(kernel, space, pushes)
        force = kernel.let("fW", A * load[:d, :], "loads in inertial axes", says="f = A f′")
        couple = load[d:, :] - space.tilde(kernel.take("rC", d)) * load[:d, :]
        Q += sp.Matrix.vstack(force, _turned(space, A, couple))
    for k in range(1, inputs + 1):
        M += kernel.take(f"Mr_I{k}", n, n, symmetric=True)
        Q += kernel.take(f"Qr_I{k}", n)
    kernel.let("Mh", M, MASS, symmetric=True, says="M = M_own + Σ M_r")
    kernel.let("Qh", Q, MASS, says="Q = Q_own + Σ Q_r")
    return kernel.build("Mh", "Qh")


@cache
def reduce(dimension: int, freedom: int, acting: bool, rotor: bool = False) -> Kernel:
    """Eliminate q̈ = k − G A v̇_i, and leave M_r and Q_r to the inner body.

    Without a freedom (rigid or driven hinge) all of the mass is left.
    """
    space = Space(dimension)
    n = space.motion
    suffix = f"{'_acting' if acting else ''}{'_rotor' if rotor else ''}"
    name = f"reduce_{freedom}{suffix}" if freedom else "reduce_rigid"
    kernel = KernelBuilder(name, f"effective mass and load behind {counted(freedom, 'freedom')}")
    M, Q = kernel.take("Mh", n, n, symmetric=True), kernel.take("Qh", n)
    A = space.shift(kernel.take("z", dimension))
    net = kernel.let("net", Q - M * kernel.take("D", n), LOAD, says="net = Q − M D")
    outputs = []
    if freedom:
        B = kernel.take(f"B{freedom}", n, freedom)
        tau = kernel.take(f"T{freedom}", freedom) if acting else sp.zeros(freedom, 1)
        U = kernel.let("U", M * B, REDUCED, says="U = M B")
        S = kernel.let(
            "S", resisted(kernel, B.T * U, rotor), REDUCED, symmetric=True, says="S = Bᵀ M B"
        )
        solved = kernel.solve(
            "Gk",
            S,
            sp.Matrix.hstack(U.T, tau + B.T * net),
            JOINT,
            says="G = S⁻¹ Uᵀ, k = S⁻¹ (τ + Bᵀ net)",
        )
        G = kernel.let(f"G{freedom}", solved[:, :n], JOINT, says="G = S⁻¹ Uᵀ")
        k = kernel.let(f"k{freedom}", solved[:, n:], JOINT, says="k = S⁻¹ (τ + Bᵀ net)")
        M = kernel.let("left", M - U * G, REDUCED, symmetric=True, says="M_r = Aᵀ (M − U G) A")
        net = kernel.let("rest", net - U * k, LOAD, says="Q_r = Aᵀ (net − U k)")
        outputs = [f"G{freedom}", f"k{freedom}"]
    moved = kernel.let("MA", M * A, REDUCED, says="M_r = Aᵀ (M − U G) A")
    kernel.let("Mr", A.T * moved, REDUCED, symmetric=True, says="M_r = Aᵀ (M − U G) A")
    kernel.let("Qr", A.T * net, LOAD, says="Q_r = Aᵀ (net − U k)")
    return kernel.build(*outputs, "Mr", "Qr")


@cache
def accelerate(dimension: int, freedom: int) -> Kernel:
    """From the inner body's acceleration to the hinge's own and the body's."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(
        f"forward_{freedom}", f"accelerations behind {counted(freedom, 'freedom')}"
    )
    A = space.shift(kernel.take("z", dimension))
    base = kernel.let("Avd", A * kernel.take("vdp", n), FORWARD, says="v̇ = A v̇_parent + B q̈ + D")
    total = base + kernel.take("D", n)
    outputs: list[str] = []
    if freedom:
        G, k = kernel.take(f"G{freedom}", freedom, n), kernel.take(f"k{freedom}", freedom)
        rate = kernel.let("qdd", k - G * base, JOINT, says="q̈ = k − G A v̇_parent")
        outputs = kernel.each("a", rate, JOINT, "q̈ = k − G A v̇_parent")
        total += kernel.take(f"B{freedom}", n, freedom) * rate
    kernel.let("vd", total, FORWARD, says="v̇ = A v̇_parent + B q̈ + D")
    return kernel.build("vd", *outputs)


def _wrench(kernel: KernelBuilder, n: int) -> sp.Matrix:
    """What the hinge exerts, at the centroid."""
    M, Q = kernel.take("Mh", n, n, symmetric=True), kernel.take("Qh", n)
    return kernel.let(
        "lam", M * kernel.take("vd", n) - Q, "M v̇ − Q of all that hangs on it", says="λ = M v̇ − Q"
    )


@cache
def load(dimension: int) -> Kernel:
    """Moment and force at the output hinge, in the inertial frame and the Riccati paper's signs."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("load_at_hinge", "loads at a hinge")
    wrench = _wrench(kernel, space.motion)
    arm = kernel.take("c", d) - kernel.take("x", d)
    moment = wrench[d:, :] + space.tilde(arm) * wrench[:d, :]
    kernel.let(
        "load",
        space.flat_load(moment, -wrench[:d, :]),
        "Riccati paper (2)",
        says="m = λ_m + ~(c − x) λ_f, q = −λ_f",
    )
    return kernel.build("load")


@cache
def drive(dimension: int, count: int, resisted_too: bool) -> Kernel:
    """The forces along a driven hinge's coordinates: Bᵀ (M v̇ − Q), and what a rotor takes."""
    n = Space(dimension).motion
    name = f"drive_{count}{'_rotor' if resisted_too else ''}"
    kernel = KernelBuilder(name, "driving force of a hinge")
    needed = kernel.take(f"B{count}", n, count).T * _wrench(kernel, n)
    if resisted_too:
        needed -= kernel.take(f"T{count}", count)
    return kernel.build(
        *kernel.each(
            "drive", needed, "recursive-formulation paper, Sect. 4.1", says="τ = Bᵀ (M v̇ − Q)"
        )
    )


def _turned(space: Space, A: sp.Matrix, spin: sp.Matrix) -> sp.Matrix:
    """Angular components from link to inertial axes."""
    return spin if space.dimension == 2 else A * spin
