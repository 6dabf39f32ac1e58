"""The kernels of the Riccati recursion in joint coordinates: bodies, hinges, accelerations, loads.

In link axes the hinge's motion subspace H is constant for most kinds, so that what the hinge
eliminates is exactly zero and never computed. Accelerations are those of points, (r̈, Ω̇).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...model.parts.hinge_kinds import HINGE_KINDS
from ..language.program import Kernel, KernelBuilder
from ..language.words import counted
from ..mechanics.hinges import Joint, joint
from ..mechanics.space import POINT, Space
from ..mechanics.turning import Transport, Way
from .absolute_kernels import BALANCE, HINGE
from .motion_kernels import ANY, BACK, MOVED

SOLVED = "G = D⁻¹ Uᵀ, k = D⁻¹ (τ − Hᵀ (pA + IA γ))"


@cache
def body(dimension: int, inputs: int, forced: bool, pushes: int = 0) -> Kernel:
    """What a link and all that hangs on it demand at its origin, in its axes.

    `pushes` are the forces of cut hinges that act on it.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(
        f"link_{inputs}{pushed(pushes)}", f"rigid body with {counted(inputs, 'input')}"
    )
    w = kernel.take("w", space.spins)
    W = space.centripetal(kernel, w)
    IA = inertia(kernel, space)
    first = kernel.known["h"].symbols()
    if d == 2:
        gyroscopic = sp.zeros(1, 1)
    else:
        gyroscopic = space.tilde(w) * kernel.let(
            "Jw", IA[d:, d:] * w, "Riccati paper (5): E9", says="J Ω"
        )
    pA = sp.Matrix.vstack(W * first, gyroscopic)
    if forced:
        pA -= external(kernel, space)
    pA -= pushing(kernel, space, pushes)
    for k in range(1, inputs + 1):
        IA += kernel.take(f"IAt_I{k}", space.motion, space.motion, symmetric=True)
        pA += kernel.take(f"pAt_I{k}", space.motion)
    given = "".join((" − f_ext" if forced else "", " − Σ W" if pushes else ""))
    _gathered(kernel, IA, pA, inputs, f"p{given}")
    return kernel.build("IA", "pA")


def _gathered(kernel: KernelBuilder, IA: sp.Matrix, pA: sp.Matrix, inputs: int, own: str) -> None:
    """State IA and pA, the link's own and those that its inputs have handed on."""
    handed = range(1, inputs + 1)
    masses = " + ".join(["M", *(f"IAt{k}" for k in handed)])
    kernel.let("IA", IA, BALANCE, symmetric=True, says=f"IA = {masses}")
    kernel.let("pA", pA, BALANCE, says=f"pA = {' + '.join([own, *(f'pAt{k}' for k in handed)])}")


@cache
def resting(dimension: int, inputs: int) -> Kernel:
    """What a link at rest and all that hangs on it demand at its origin, beyond its own wrench."""
    space = Space(dimension)
    kernel = KernelBuilder(
        f"resting_{inputs}", f"rigid body at rest with {counted(inputs, 'input')}"
    )
    IA, pA = inertia(kernel, space), kernel.take("lam", space.motion)
    for k in range(1, inputs + 1):
        IA += kernel.take(f"IAt_I{k}", space.motion, space.motion, symmetric=True)
        pA += kernel.take(f"pAt_I{k}", space.motion)
    _gathered(kernel, IA, pA, inputs, "λ")
    return kernel.build("IA", "pA")


def inertia(kernel: KernelBuilder, space: Space) -> sp.Matrix:
    """Take a body's constants; its inertia at the link's origin."""
    d = space.dimension
    mass, first = kernel.take("m")[0], kernel.take("h", d)
    J = kernel.take("J") if d == 2 else kernel.take("J", 3, 3, symmetric=True)
    lever = space.shift(first)[:d, d:]
    return sp.BlockMatrix([[mass * sp.eye(d), lever], [lever.T, J]]).as_explicit()


def external(kernel: KernelBuilder, space: Space) -> sp.Matrix:
    """Take a body's external load; what it is as a wrench at the link's origin, in its axes."""
    d = space.dimension
    A = kernel.take("A", d, d)
    load = kernel.take("f", space.motion)
    force = kernel.let("fl", A.T * load[:d, :], "external force in link axes", says="Aᵀ f")
    couple = load[d:, :] if d == 2 else A.T * load[d:, :]
    return sp.Matrix.vstack(force, space.tilde(kernel.take("rC", d)) * force + couple)


def pushed(pushes: int) -> str:
    """What a kernel's name says of the forces of cut hinges."""
    return f"_pushed_{pushes}" if pushes else ""


def pushing(kernel: KernelBuilder, space: Space, pushes: int) -> sp.Matrix:
    """Take the wrenches of cut hinges on a link, at its origin and in its axes; their sum."""
    total = sp.zeros(space.motion, 1)
    for k in range(1, pushes + 1):
        total += kernel.take(f"W_{k}", space.motion)
    return total


def project(value: sp.Matrix, eliminated: tuple[int, ...]) -> sp.Matrix:
    """Exact zeros on the components that the hinge eliminates, zero by construction."""
    return sp.Matrix(
        *value.shape,
        lambda i, j: 0 if int(i) in eliminated or int(j) in eliminated else value[i, j],
    )


@cache
def drive(dimension: int, freedom: int, resisted: bool) -> Kernel:
    """The force that drives a hinge as prescribed: Hᵀ λ, and what a rotor takes."""
    n = Space(dimension).motion
    name = f"drive_{freedom}{'_rotor' if resisted else ''}"
    kernel = KernelBuilder(name, "driving force of a hinge")
    IA = kernel.take("IAh", n, n, symmetric=True)
    wrench = IA * kernel.take("a0", n) + kernel.take("pAh", n)
    H = kernel.take(f"H{freedom}", n, freedom)
    needed = H.T * kernel.let(
        "lam", wrench, "Riccati paper (31): z_a = S z_b + e", says="λ = IAh a0 + pAh"
    )
    if resisted:
        needed -= kernel.take(f"T{freedom}", freedom)
    return kernel.build(*kernel.each("drive", needed, "τ = Hᵀ λ"))


@cache
def hinge(
    dimension: int,
    kind: str,
    backward: bool,
    acting: bool,
    moving: bool,
    rotor: bool = False,
    way: Way = ANY,
) -> Kernel:
    """Eliminate the hinge's own acceleration, Hᵀ λ = τ, and move what is left to the parent.

    `acting`: a force acts in the hinge; `moving`: it is not driven; `rotor`: a rotor's inertia
    does, Hᵀ λ = τ − ρ u̇, so that nothing is left out. With a0 the parent's acceleration at
    the hinge and γ the bias: u̇ = k − G a0 and λ = IAh a0 + pAh; moved to the parent's origin
    they are IAt, pAt.
    """
    of = joint(dimension, kind)
    space = Space(dimension)
    d, n = dimension, space.motion
    freedom = len(of.u) if moving else 0
    gone = of.eliminated(backward) if moving and not rotor else ()
    suffix = f"{'_backward' if backward else ''}{'_rotor' if rotor else ''}"
    name = f"through_{kind}{suffix}" if freedom else "through_rigid"
    name += way.label
    kernel = KernelBuilder(name, f"{kind} hinge" if freedom else "rigid or driven hinge")
    IA = kernel.take("IA", n, n, symmetric=True)
    pA = kernel.take("pA", n)
    r = kernel.take("r", d)
    to_parent = Transport(kernel, space, way.taken(kernel, space), MOVED, r)
    wp = kernel.take("wp", space.spins)
    vr, wr = kernel.take("vr", d), kernel.take("wr", space.spins)
    br, bw = kernel.take("br", d), kernel.take("bw", space.spins)
    W = space.centripetal(kernel, wp)
    turned = to_parent.spin("wl", wp)
    central = kernel.let("cp", W * r, POINT, says="~Ω ~Ω r of the parent")
    lin = to_parent.outward("cl", central) + 2 * space.turn(turned, vr) + br
    ang = bw if d == 2 else space.tilde(turned) * wr + bw
    bias_says = "γ = (Rᵀ ~Ω ~Ω r + 2 Ω × v_r + b_r, Ω × ω_r + b_ω)"
    gamma = kernel.let(
        "gam", sp.Matrix.vstack(lin, ang), "deduction paper: bias of the hinge", says=bias_says
    )
    held = kernel.let("held", pA + IA * gamma, HINGE, says="pA + IA γ")
    outputs = ["gam"]
    if freedom:
        H = kernel.take(f"H{freedom}", n, freedom)
        tau = kernel.take(f"T{freedom}", freedom) if acting else sp.zeros(freedom, 1)
        U = kernel.let("U", IA * H, HINGE, says="U = IA H")
        D = kernel.let("D", resisted(kernel, H.T * U, rotor), HINGE, True, says="D = Hᵀ U")
        unit = _unit(of, backward, gone)
        kept = [i for i in range(n) if not len(unit) or i not in gone]
        rhs = sp.Matrix.hstack(U.T[:, kept], tau - H.T * held)
        solved = kernel.solve("Gk", D, rhs, HINGE, says=SOLVED)
        columns = {i: solved[:, position] for position, i in enumerate(kept)}
        columns |= {i: unit.T[:, position] for position, i in enumerate(gone) if len(unit)}
        gain = sp.Matrix.hstack(*(columns[i] for i in range(n)))
        G = kernel.let(f"G{freedom}", gain, HINGE, says=SOLVED)
        k = kernel.let(f"k{freedom}", solved[:, -1:], HINGE, says=SOLVED)
        rest = project(IA - U * G, gone)
        left = kernel.let("IAh", rest, HINGE, symmetric=True, says="IAh = IA − U G")
        bias = held + U * k
        if len(unit):
            for i, force in zip(gone, unit * tau, strict=True):
                bias[i] = force
        elif HINGE_KINDS[d][kind].sprung and acting and not rotor:
            bias = _given(H, tau, d)
        elif not acting:
            bias = sp.Matrix([0 if i in gone else bias[i] for i in range(n)])
        kernel.let("pAh", bias, HINGE, says="pAh = pA + IA γ + U k")
        outputs += [f"G{freedom}", f"k{freedom}"]
    else:
        left = kernel.let("IAh", IA, HINGE, symmetric=True, says="IAh = IA")
        kernel.let("pAh", held, HINGE, says="pAh = pA + IA γ")
    right = kernel.known["pAh"].symbols()
    kernel.let("IAt", to_parent.inertia(left), MOVED, symmetric=True, says="IAt = Xᵀ IAh X")
    kernel.let("pAt", to_parent.wrenches("pAr", right), MOVED, says="pAt = Xᵀ pAh")
    return kernel.build(*outputs, "IAh", "pAh", "IAt", "pAt")


def _unit(of: Joint, backward: bool, gone: tuple[int, ...]) -> sp.Matrix:
    """The rows of H that the hinge eliminates, if they are unit vectors up to signs: S, else none.

    With H = E S, E being columns of the identity, G E = S⁻¹ = Sᵀ, and Hᵀ λ = τ gives Eᵀ λ = S τ.
    """
    H = of.backward_subspace if backward else of.subspace
    S = H[list(gone), :] if gone else sp.zeros(0, 0)
    return S if len(S) and not S.free_symbols and (S * S.T).is_Identity else sp.zeros(0, 0)


def _given(H: sp.Matrix, tau: sp.Matrix, d: int) -> sp.Matrix:
    """λ of Hᵀ λ = τ, known without any motion: both diagonal blocks of H only turn."""
    force = H[:d, :d] * tau[:d, :]
    return sp.Matrix.vstack(force, H[d:, d:] * (tau[d:, :] - H[:d, d:].T * force))


def resisted(kernel: KernelBuilder, inertia: sp.Matrix, rotor: bool) -> sp.Matrix:
    """The inertia along a hinge's speeds, with a rotor's if there is one."""
    return inertia + sp.diag(*kernel.take("rho", inertia.rows)) if rotor else inertia


@cache
def accelerate(dimension: int, freedom: int, way: Way = ANY) -> Kernel:
    """From the parent's acceleration to the hinge's own and the link's, in link axes."""
    space = Space(dimension)
    n = space.motion
    name = f"accelerate_{freedom}{way.label}"
    kernel = KernelBuilder(name, f"accelerations behind {counted(freedom, 'freedom')}")
    parent = kernel.take("ap", n)
    arm = kernel.take("r", space.dimension)
    to_parent = Transport(kernel, space, way.taken(kernel, space), POINT, arm)
    gamma = kernel.take("gam", n)
    base = kernel.let("a0", to_parent.motion("a", parent), POINT, says="a0 = X a_parent")
    total = base + gamma
    outputs: list[str] = []
    if freedom:
        G, k = kernel.take(f"G{freedom}", freedom, n), kernel.take(f"k{freedom}", freedom)
        H = kernel.take(f"H{freedom}", n, freedom)
        rate = kernel.let("ud", k - G * base, HINGE, says="u̇ = k − G a0")
        outputs = kernel.each("a", rate, HINGE, "u̇ = k − G a0")
        total += H * rate
    kernel.let("acc", total, BACK, says="a = a0 + γ + H u̇" if freedom else "a = a0 + γ")
    return kernel.build("acc", "a0", *outputs)


@cache
def load(dimension: int) -> Kernel:
    """Moment and force at the output hinge, in the inertial frame and the paper's signs."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder("load", "loads at a hinge")
    IA = kernel.take("IAh", n, n, symmetric=True)
    pA = kernel.take("pAh", n)
    base = kernel.take("a0", n)
    source = "Riccati paper (31): z_a = S z_b + e"
    wrench = kernel.let("lam", IA * base + pA, source, says="λ = IAh a0 + pAh")
    state_load(kernel, space, wrench)
    return kernel.build("load")


def state_load(kernel: KernelBuilder, space: Space, wrench: sp.Matrix) -> None:
    """State a hinge's wrench as a load: in the inertial frame and the paper's signs."""
    d = space.dimension
    A = kernel.take("A", d, d)
    q = -A * wrench[:d, :]
    m = wrench[d:, :] if d == 2 else A * wrench[d:, :]
    kernel.let("load", space.flat_load(m, q), "Riccati paper (2)", says="m = A λ_Ω, q = −A λ_r")
