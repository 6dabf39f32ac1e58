"""The kernels of the fast form: what is done at one body or one hinge.

In the plane and in space they are the same text; `Space` holds the difference.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..language.program import Kernel, KernelBuilder
from ..language.words import counted
from ..mechanics.space import POINT, Space, blocks

BALANCE = "force and moment balance about the output end, Riccati paper (4), (29), (30)"
HINGE = "m = 0 at the hinge: Riccati paper (29), (30), completed"
RICCATI = "Riccati paper (31): z_a = S z_b + e"
BACK = "back-substitution: Riccati paper (33), completed"
MOMENT = "first moment of mass about O"
POINT_OF_BODY = "r_P = r_O + A r′"
ENERGY = "E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C"
TENSOR = "Riccati paper (5): E8"
EULER = "Riccati paper (5): E9"
DIRECTION = "direction cosines of the body"
TURNED = "A = [[cos θ, −sin θ], [sin θ, cos θ]]"


@cache
def orientation(dimension: int) -> Kernel:
    """Coordinates of a body to its orientation."""
    kernel = KernelBuilder("orientation", "orientation of a body")
    if dimension == 2:
        theta = kernel.take("theta")[0]
        kernel.let("c", sp.Matrix([sp.cos(theta)]), DIRECTION, says=TURNED)
        kernel.let("s", sp.Matrix([sp.sin(theta)]), DIRECTION, says=TURNED)
        return kernel.build("c", "s")
    w, x, y, z = kernel.take("Q", 4)
    kernel.let(
        "A",
        sp.Matrix(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        DIRECTION,
        says="A(Q) of the unit quaternion Q = (w, x, y, z)",
    )
    return kernel.build("A")


@cache
def body(dimension: int, inputs: int, forced: bool) -> Kernel:
    """What a body and all that hangs on its inputs demand at its output end.

    λ_O = IA r̈_O + pA with IA = M_O + Σ X_kᵀ IA_k X_k and
    pA = p_O + Σ X_kᵀ (pA_k + IA_k ~Ω~Ω r_k): force and moment balance about O.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"body_{inputs}", f"rigid body with {counted(inputs, 'input')}")
    rotation = space.rotation(kernel)
    spin = space.spin(kernel, rotation)
    centripetal = space.centripetal(kernel, spin)
    mass = kernel.take("m")[0]
    gravity = kernel.take("g", d)
    first = kernel.let("h", rotation * kernel.take("hb", d), MOMENT, says="h = A h′")
    if dimension == 2:
        inertia = kernel.take("J")
    else:
        own = kernel.take("Jb", 3, 3, symmetric=True)
        turned = kernel.let("AJ", rotation * own, TENSOR, says="J = A J′ Aᵀ")
        inertia = kernel.let("J", turned * rotation.T, TENSOR, symmetric=True, says="J = A J′ Aᵀ")
    force = mass * gravity
    moment = space.tilde(first) * gravity
    if forced:
        load = kernel.take("f", space.motion)
        couple = kernel.take("tau", space.spins)
        arm = kernel.let("rC", rotation * kernel.take("rCb", d), POINT_OF_BODY)
        force += load[:d, :]
        moment += space.tilde(arm) * load[:d, :] + load[d:, :]
        moment += couple if d == 2 else rotation * couple
    lever = space.shift(first)[:d, d:]
    IA = blocks([mass * sp.eye(d), lever], [lever.T, inertia])
    gyroscopic = (
        sp.zeros(1, 1)
        if dimension == 2
        else space.tilde(spin) * kernel.let("JO", inertia * spin, EULER, says="J Ω")
    )
    pA = sp.Matrix.vstack(centripetal * first - force, gyroscopic - moment)
    for k in range(1, inputs + 1):
        child = kernel.take(f"IA_I{k}", space.motion, space.motion, symmetric=True)
        wrench = kernel.take(f"pA_I{k}", space.motion)
        arm = kernel.let(f"r_I{k}", rotation * kernel.take(f"rb_I{k}", d), POINT_OF_BODY)
        shift = space.shift(arm)
        bias = kernel.let(f"g_I{k}", centripetal * arm, POINT, says=f"g{k} = ~Ω ~Ω r{k}")
        moved = kernel.let(f"T_I{k}", child * shift, BALANCE, says=f"T{k} = IA{k} X{k}")
        held = kernel.let(
            f"y_I{k}", wrench + child[:, :d] * bias, BALANCE, says=f"y{k} = pA{k} + IA{k} g{k}"
        )
        IA += shift.T * moved
        pA += shift.T * held
    joined = [("M", "p"), *((f"X{k}ᵀ T{k}", f"X{k}ᵀ y{k}") for k in range(1, inputs + 1))]
    says = [" + ".join(terms) for terms in zip(*joined, strict=True)]
    kernel.let("IA", IA, BALANCE, symmetric=True, says=f"IA = {says[0]}")
    kernel.let("pA", pA, BALANCE, says=f"pA = {says[1]}")
    return kernel.build("IA", "pA")


@cache
def hinge(dimension: int) -> Kernel:
    """The smooth hinge at the output: m = 0 there eliminates the body's own Ω̇.

    Ω̇ = P r̈ + b; what is left of IA and pA is exactly zero on the hinge's motion subspace.
    """
    space = Space(dimension)
    d, n = dimension, space.spins
    kernel = KernelBuilder("hinge", "smooth hinge")
    IA = kernel.take("IA", space.motion, space.motion, symmetric=True)
    pA = kernel.take("pA", space.motion)
    eliminated = "Ω̇ = P r̈ + b, P = −IA22⁻¹ IA21, b = −IA22⁻¹ pA2"
    solved = kernel.solve(
        "Pb", IA[d:, d:], -sp.Matrix.hstack(IA[d:, :d], pA[d:, :]), HINGE, says=eliminated
    )
    P, b = solved[:, :d], solved[:, d:]
    kernel.let("P", P, HINGE, says=eliminated)
    kernel.let("b", b, HINGE, says=eliminated)
    P, b = kernel.known["P"].symbols(), kernel.known["b"].symbols()
    left = sp.zeros(space.motion, space.motion)
    left[:d, :d] = IA[:d, :d] + IA[:d, d:] * P
    kernel.let("IAh", left, HINGE, symmetric=True, says="IAh = IA11 + IA12 P")
    rest = sp.Matrix.vstack(pA[:d, :] + IA[:d, d:] * b, sp.zeros(n, 1))
    kernel.let("pAh", rest, HINGE, says="pAh = pA1 + IA12 b")
    return kernel.build("P", "b", "IAh", "pAh")


@cache
def acceleration(dimension: int, inputs: int) -> Kernel:
    """From the acceleration of a body's output end to its own Ω̇ and its inputs' r̈."""
    space = Space(dimension)
    kernel = KernelBuilder(
        f"accelerate_{inputs}", f"accelerations of a body with {counted(inputs, 'input')}"
    )
    rotation = space.rotation(kernel)
    P = kernel.take("P", space.spins, dimension)
    b = kernel.take("b", space.spins)
    r_dd = kernel.take("rdd", dimension)
    Omega_d = kernel.let("Omegad", P * r_dd + b, BACK, says="Ω̇ = P r̈ + b")
    names = ["a"]
    kernel.let("a", Omega_d if dimension == 2 else rotation.T * Omega_d, "ω̇ = Aᵀ Ω̇")
    if inputs:
        spin = space.spin(kernel, rotation)
        centripetal = space.centripetal(kernel, spin)
        for k in range(1, inputs + 1):
            arm = kernel.let(
                f"r_I{k}", rotation * kernel.take(f"rb_I{k}", dimension), POINT_OF_BODY
            )
            value = r_dd + space.turn(Omega_d, arm) + centripetal * arm
            kernel.let(f"rdd_I{k}", value, POINT, says=f"r̈{k} = r̈ + Ω̇ × r{k} + ~Ω ~Ω r{k}")
            names.append(f"rdd_I{k}")
    return kernel.build(*names)


@cache
def load(dimension: int) -> Kernel:
    """Moment and force at a hinge, in the paper's signs: m = λ_Ω, q = −λ_r."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("load", "loads at a hinge")
    IA = kernel.take("IAh", space.motion, space.motion, symmetric=True)
    pA = kernel.take("pAh", space.motion)
    r_dd = kernel.take("rdd", d)
    wrench = kernel.let("lam", IA[:, :d] * r_dd + pA, RICCATI, says="λ = IAh r̈ + pAh")
    load = space.flat_load(wrench[d:, :], -wrench[:d, :])
    kernel.let("load", load, "Riccati paper (2)", says="m = λ_Ω, q = −λ_r")
    return kernel.build("load")


@cache
def place(dimension: int, inputs: int) -> Kernel:
    """From position and velocity of a body's output end to those of its inputs."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"place_{inputs}", f"{counted(inputs, 'input')} of a body")
    rotation = space.rotation(kernel)
    x = kernel.take("x", d)
    rd = kernel.take("rd", d)
    spin = space.spin(kernel, rotation)
    names = []
    for k in range(1, inputs + 1):
        arm = kernel.let(f"r_I{k}", rotation * kernel.take(f"rb_I{k}", d), POINT_OF_BODY)
        kernel.let(f"x_I{k}", x + arm, POINT_OF_BODY)
        kernel.let(f"rd_I{k}", rd + space.turn(spin, arm), "ṙ_P = ṙ_O + Ω × r")
        names += [f"x_I{k}", f"rd_I{k}"]
    return kernel.build(*names)


@cache
def carrier(dimension: int) -> Kernel:
    """A body's axes, output end and motion in its axes, as forces between points read them."""
    kernel = KernelBuilder("carrier", "place and motion of a body")
    rotation = Space(dimension).rotation(kernel)
    kernel.let("Al", rotation, DIRECTION)
    kernel.let("xl", kernel.take("x", dimension), "own")
    kernel.let("vl", rotation.T * kernel.take("rd", dimension), "v = Aᵀ ṙ")
    kernel.let("wl", kernel.take("omega", Space(dimension).spins), "own")
    return kernel.build("Al", "xl", "vl", "wl")


@cache
def acting(dimension: int, pushes: int) -> Kernel:
    """What acts on a body: force and couple at its centre of mass, in inertial axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder(f"acting_{pushes}", f"{pushes} forces on a body")
    rotation = space.rotation(kernel)
    wrenches = [kernel.take(f"W_{k}", space.motion) for k in range(1, pushes + 1)]
    total = kernel.let("wrench", sum(wrenches, sp.zeros(space.motion, 1)), "sum")
    force, moment = total[:d, :], total[d:, :]
    about = moment - space.tilde(kernel.take("rCb", d)) * force
    turned = sp.Matrix.vstack(rotation * force, about if d == 2 else rotation * about)
    kernel.let("fs", kernel.take("given", space.motion) + turned, "moved to the centre of mass")
    return kernel.build("fs")


@cache
def pose(dimension: int) -> Kernel:
    """Pose of a body's frame from the position of its output end."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("pose", "pose of a body")
    rotation = space.rotation(kernel)
    x = kernel.take("x", d)
    origin = kernel.let("o", x + rotation * kernel.take("ob", d), POINT_OF_BODY)
    turn = rotation if d == 3 else sp.diag(rotation, 1)
    shift = origin if d == 3 else sp.Matrix.vstack(origin, sp.zeros(1, 1))
    pose = sp.Matrix.vstack(sp.Matrix.hstack(turn, shift), sp.Matrix([[0, 0, 0, 1]]))
    kernel.let("pose", pose, "body to inertial axes", says="pose = [[A, r_O], [0, 1]]")
    return kernel.build("pose")


@cache
def energy(dimension: int) -> Kernel:
    """Kinetic plus potential energy of a body, added to that of the bodies before it."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("energy", "kinetic and potential energy of a body")
    rotation = space.rotation(kernel)
    omega = kernel.take("omega", space.spins)
    spin = omega if d == 2 else kernel.let("Omega", rotation * omega, "Ω = A ω")
    x, rd = kernel.take("x", d), kernel.take("rd", d)
    mass = kernel.take("m")[0]
    gravity = kernel.take("g", d)
    inertia = kernel.take("JC") if d == 2 else kernel.take("JC", 3, 3, symmetric=True)
    arm = kernel.let("rC", rotation * kernel.take("rCb", d), POINT_OF_BODY)
    speed = kernel.let("vC", rd + space.turn(spin, arm), "ṙ_C = ṙ_O + Ω × r")
    before = kernel.take("Ebefore")
    half = sp.Rational(1, 2)
    kinetic = half * (mass * (speed.T * speed)[0] + (omega.T * inertia * omega)[0])
    potential = -mass * (gravity.T * (x + arm))[0]
    kernel.let("E", sp.Matrix([before[0] + kinetic + potential]), ENERGY)
    return kernel.build("E")


@cache
def rate(dimension: int) -> Kernel:
    """Rates of a body's coordinates: θ̇ = ω, or the quaternion's Q̇ = ½ Q ∘ (0, ω)."""
    kernel = KernelBuilder("rate", "rates of a body's coordinates")
    if dimension == 2:
        kernel.let("qd", kernel.take("omega"), "θ̇ = ω")
        return kernel.build("qd")
    w, x, y, z = kernel.take("Q", 4)
    p, q, r = kernel.take("omega", 3)
    product = [
        -x * p - y * q - z * r,
        w * p + y * r - z * q,
        w * q + z * p - x * r,
        w * r + x * q - y * p,
    ]
    kernel.let("qd", sp.Matrix(product) / 2, "Q̇ = ½ Q ∘ (0, ω)")
    return kernel.build("qd")


@cache
def retraction() -> Kernel:
    """A quaternion back on the unit sphere."""
    kernel = KernelBuilder("retract", "unit quaternion of a body")
    Q = kernel.take("Q", 4)
    scale = kernel.let("scale", sp.Matrix([1 / sp.sqrt((Q.T * Q)[0])]), "own", says="1/√(Qᵀ Q)")
    kernel.let("qn", Q * scale[0], "own", says="Q = Q/√(Qᵀ Q)")
    return kernel.build("qn")
