"""The kernels of the Riccati method in joint coordinates, in link axes.

A link's axes and origin are those of its output point. In them the hinge's motion subspace H
is constant for most kinds, so that what the hinge eliminates is exactly zero and never
computed. Accelerations are those of points, (r̈, Ω̇); gravity is an acceleration of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

import sympy as sp

from ..model.types import QUATERNION_KINDS, TIME
from .joints import Joint, joint, third
from .kernels import BALANCE, HINGE
from .program import Kernel, KernelBuilder
from .space import POINT, Space
from .turning import Transport, Way

#: The relative rotation in one piece.
ANY = Way()

RELATIVE = "relative motion in the hinge"
SPIN = "ω = Cᵀ ω_parent + relative spin"
MOVED = "IA, pA moved to the parent's origin: deduction paper, sums at bodies"
ROTOR = "own: a rotor's inertia, along the hinge's speeds"
BACK = "a = Y a_parent + γ + H u̇"


def take_symbols(kernel: KernelBuilder, matrix: sp.Matrix) -> None:
    """Take everything that a matrix depends on, by name."""
    for name in sorted(symbol.name for symbol in matrix.free_symbols):
        kernel.take(name)


@dataclass(frozen=True)
class _Relative:
    """A relative motion inside a kernel: pose, velocity, spin, their rates at constant u, H."""

    R: sp.Matrix
    p: sp.Matrix
    vr: sp.Matrix
    wr: sp.Matrix
    br: sp.Matrix
    bw: sp.Matrix
    H: sp.Matrix

    def seen_from_child(self, space: Space) -> _Relative:
        """The parent's motion relative to the child, in the parent's axes.

        From R Rᵀ = 1 and p_back = −Rᵀ p, differentiated twice.
        """
        d, R, w = space.dimension, self.R, self.wr
        arm = R.T * self.p

        def turn(x: sp.Matrix) -> sp.Matrix:
            return x if d == 2 else R * x

        cross = space.turn
        inner = 2 * cross(w, self.vr) + cross(self.bw, arm) - cross(w, cross(w, arm))
        spin = turn(self.H[d:, :])
        lever = space.shift(self.p)[:d, d:]
        return _Relative(
            R=R.T,
            p=-arm,
            vr=cross(turn(w), self.p) - R * self.vr,
            wr=-turn(w),
            br=R * (inner - self.br),
            bw=-turn(self.bw),
            H=sp.Matrix.vstack(-R * self.H[:d, :] + lever * spin, -spin),
        )


@cache
def relative(dimension: int, kind: str, backward: bool) -> Kernel:
    """A hinge's coordinates and speeds to its relative pose, velocity, bias and H."""
    return moving(kind, f"{kind} hinge", joint(dimension, kind), backward)


def moving(name: str, title: str, of: Joint, backward: bool) -> Kernel:
    """Coordinates and speeds to a relative pose, velocity, bias and H."""
    kernel = KernelBuilder(f"{name}_backward" if backward else name, title)
    known = _Relative(
        of.rotation, of.position, of.velocity, of.spin, of.drift, of.twist, of.subspace
    )
    return _stated(kernel, of.dimension, known, backward)


@cache
def driven(
    label: str, dimension: int, kind: str, backward: bool, motion: tuple[sp.Expr, ...]
) -> Kernel:
    """The time to the relative pose, velocity and acceleration of a hinge that is driven."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"driven_{label}", f"driven {kind} hinge")
    values = sp.Matrix(motion)
    speeds = values.diff(TIME)
    at = dict(zip((*of.q, *of.u), (*values, *speeds), strict=True))
    H, rate = of.subspace, values.diff(TIME, 2)
    drift = of.drift + H[:dimension, :] * rate
    twist = of.twist + H[dimension:, :] * rate
    parts = (of.rotation, of.position, of.velocity, of.spin, drift, twist, H)
    return _stated(kernel, dimension, _Relative(*(x.xreplace(at) for x in parts)), backward)


def _stated(kernel: KernelBuilder, dimension: int, known: _Relative, backward: bool) -> Kernel:
    """State a relative motion, seen from the child if asked to, with the hinge's place."""
    turning = third(known.R)
    free = set().union(*(getattr(known, field.name).free_symbols for field in fields(known)))
    for name in sorted(symbol.name for symbol in free):
        kernel.take(name)
    if backward:
        stated = {
            field.name: kernel.let(f"{field.name}_f", getattr(known, field.name), RELATIVE)
            for field in fields(known)
            if field.name != "H"
        }
        H = kernel.let("H_f", known.H, RELATIVE) if known.H.cols else known.H
        known = _Relative(**stated, H=H).seen_from_child(Space(dimension))
    K = kernel.take("K", dimension, dimension)
    R = kernel.let("R", known.R, RELATIVE)
    kernel.let("C", K * R, RELATIVE)
    outputs = ["C", "r", "vr", "wr", "br", "bw"]
    if turning:
        kernel.let("cz", R[:1, :1], RELATIVE)
        kernel.let("sz", R[1:2, :1], RELATIVE)
        outputs += ["cz", "sz"]
    p = kernel.let("p", known.p, RELATIVE)
    kernel.let("r", kernel.take("rk", dimension) + K * p, RELATIVE)
    for name in outputs[2:6]:
        kernel.let(name, getattr(known, name), RELATIVE)
    if known.H.cols:
        outputs.append(f"H{known.H.cols}")
        kernel.let(outputs[-1], known.H, RELATIVE)
    return kernel.build(*outputs)


@cache
def spins(dimension: int, way: Way) -> Kernel:
    """Angular velocity of a link, in its own axes."""
    space = Space(dimension)
    kernel = KernelBuilder(f"spin{way.label}", "angular velocity of a link")
    parent = kernel.take("wp", space.spins)
    relative_spin = kernel.take("wr", space.spins)
    turned = Transport(
        kernel, space, way.taken(kernel, space) if dimension == 3 else (), SPIN
    ).spin("wl", parent)
    kernel.let("w", turned + relative_spin, SPIN)
    return kernel.build("w")


@cache
def body(dimension: int, inputs: int, forced: bool, pushes: int = 0) -> Kernel:
    """What a link and all that hangs on it demand at its origin, in its axes.

    `pushes` are the forces of cut hinges that act on it.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"link_{inputs}{pushed(pushes)}", f"rigid body with {inputs} inputs")
    w = kernel.take("w", space.spins)
    W = space.centripetal(kernel, w)
    IA = inertia(kernel, space)
    first = kernel.known["h"].symbols()
    if d == 2:
        gyroscopic = sp.zeros(1, 1)
    else:
        gyroscopic = space.tilde(w) * kernel.let("Jw", IA[d:, d:] * w, "Riccati paper (5): E9")
    pA = sp.Matrix.vstack(W * first, gyroscopic)
    if forced:
        pA -= external(kernel, space)
    pA -= pushing(kernel, space, pushes)
    for k in range(1, inputs + 1):
        IA += kernel.take(f"IAt_I{k}", space.motion, space.motion, symmetric=True)
        pA += kernel.take(f"pAt_I{k}", space.motion)
    kernel.let("IA", IA, BALANCE, symmetric=True)
    kernel.let("pA", pA, BALANCE)
    return kernel.build("IA", "pA")


@cache
def resting(dimension: int, inputs: int) -> Kernel:
    """What a link at rest and all that hangs on it demand at its origin, beyond its own wrench."""
    space = Space(dimension)
    kernel = KernelBuilder(f"resting_{inputs}", f"rigid body at rest with {inputs} inputs")
    IA, pA = inertia(kernel, space), kernel.take("lam", space.motion)
    for k in range(1, inputs + 1):
        IA += kernel.take(f"IAt_I{k}", space.motion, space.motion, symmetric=True)
        pA += kernel.take(f"pAt_I{k}", space.motion)
    kernel.let("IA", IA, BALANCE, symmetric=True)
    kernel.let("pA", pA, BALANCE)
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
    force = kernel.let("fl", A.T * load[:d, :], "external force in link axes")
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
def force(label: str, law: tuple[sp.Expr, ...], freedom: int, forced: bool) -> Kernel:
    """A hinge's force law, and the applied force if `forced`, for each of its speeds."""
    kernel = KernelBuilder(f"force_{label}", "force in a hinge")
    total = sp.Matrix(law) if law else sp.zeros(freedom, 1)
    take_symbols(kernel, total)
    if forced:
        total += sp.Matrix([kernel.take(f"tau_{j + 1}")[0] for j in range(freedom)])
    kernel.let(f"T{freedom}", total, "the hinge's force law")
    return kernel.build(f"T{freedom}")


@cache
def drive(dimension: int, freedom: int, resisted: bool) -> Kernel:
    """The force that drives a hinge as prescribed: Hᵀ λ, and what a rotor takes."""
    n = Space(dimension).motion
    name = f"drive_{freedom}{'_rotor' if resisted else ''}"
    kernel = KernelBuilder(name, "driving force of a hinge")
    IA = kernel.take("IAh", n, n, symmetric=True)
    wrench = IA * kernel.take("a0", n) + kernel.take("pAh", n)
    H = kernel.take(f"H{freedom}", n, freedom)
    needed = H.T * kernel.let("lam", wrench, "Riccati paper (31): z_a = S z_b + e")
    if resisted:
        needed -= kernel.take(f"T{freedom}", freedom)
    for j in range(freedom):
        kernel.let(f"drive_{j + 1}", sp.Matrix([needed[j]]), "τ = Hᵀ λ")
    return kernel.build(*(f"drive_{j + 1}" for j in range(freedom)))


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
    central = kernel.let("cp", W * r, POINT)
    lin = to_parent.outward("cl", central) + 2 * space.turn(turned, vr) + br
    ang = bw if d == 2 else space.tilde(turned) * wr + bw
    gamma = kernel.let("gam", sp.Matrix.vstack(lin, ang), "deduction paper: bias of the hinge")
    held = kernel.let("held", pA + IA * gamma, HINGE)
    outputs = ["gam"]
    if freedom:
        H = kernel.take(f"H{freedom}", n, freedom)
        tau = kernel.take(f"T{freedom}", freedom) if acting else sp.zeros(freedom, 1)
        U = kernel.let("U", IA * H, HINGE)
        D = kernel.let("D", resisted(kernel, H.T * U, rotor), HINGE, symmetric=True)
        unit = _unit(of, backward, gone)
        kept = [i for i in range(n) if not len(unit) or i not in gone]
        rhs = sp.Matrix.hstack(U.T[:, kept], tau - H.T * held)
        solved = kernel.solve("Gk", D, rhs, HINGE)
        columns = {i: solved[:, position] for position, i in enumerate(kept)}
        columns |= {i: unit.T[:, position] for position, i in enumerate(gone) if len(unit)}
        gain = sp.Matrix.hstack(*(columns[i] for i in range(n)))
        G = kernel.let(f"G{freedom}", gain, HINGE)
        k = kernel.let(f"k{freedom}", solved[:, -1:], HINGE)
        left = kernel.let("IAh", project(IA - U * G, gone), HINGE, symmetric=True)
        bias = held + U * k
        if len(unit):
            for i, force in zip(gone, unit * tau, strict=True):
                bias[i] = force
        elif kind == "elastic" and acting and not rotor:
            bias = _given(H, tau, d)
        elif not acting:
            bias = sp.Matrix([0 if i in gone else bias[i] for i in range(n)])
        kernel.let("pAh", bias, HINGE)
        outputs += [f"G{freedom}", f"k{freedom}"]
    else:
        left = kernel.let("IAh", IA, HINGE, symmetric=True)
        kernel.let("pAh", held, HINGE)
    right = kernel.known["pAh"].symbols()
    kernel.let("IAt", to_parent.inertia(left), MOVED, symmetric=True)
    kernel.let("pAt", to_parent.wrenches("pAr", right), MOVED)
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
    kernel = KernelBuilder(name, f"accelerations behind {freedom} freedoms")
    parent = kernel.take("ap", n)
    arm = kernel.take("r", space.dimension)
    to_parent = Transport(kernel, space, way.taken(kernel, space), POINT, arm)
    gamma = kernel.take("gam", n)
    base = kernel.let("a0", to_parent.motion("a", parent), POINT)
    total = base + gamma
    outputs = []
    if freedom:
        G, k = kernel.take(f"G{freedom}", freedom, n), kernel.take(f"k{freedom}", freedom)
        H = kernel.take(f"H{freedom}", n, freedom)
        rate = kernel.let("ud", k - G * base, HINGE)
        for j in range(freedom):
            kernel.let(f"a_{j + 1}", sp.Matrix([rate[j]]), HINGE)
            outputs.append(f"a_{j + 1}")
        total += H * rate
    kernel.let("acc", total, BACK)
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
    state_load(
        kernel, space, kernel.let("lam", IA * base + pA, "Riccati paper (31): z_a = S z_b + e")
    )
    return kernel.build("load")


def state_load(kernel: KernelBuilder, space: Space, wrench: sp.Matrix) -> None:
    """State a hinge's wrench as a load: in the inertial frame and the paper's signs."""
    d = space.dimension
    A = kernel.take("A", d, d)
    q = -A * wrench[:d, :]
    m = wrench[d:, :] if d == 2 else A * wrench[d:, :]
    kernel.let("load", space.flat_load(m, q), "Riccati paper (2)")


@cache
def place(dimension: int) -> Kernel:
    """Orientation and position of a link, in the inertial frame."""
    d = dimension
    kernel = KernelBuilder("place", "orientation and position of a link")
    Ap, xp = kernel.take("Ap", d, d), kernel.take("xp", d)
    C, r = kernel.take("C", d, d), kernel.take("r", d)
    kernel.let("A", Ap * C, "A = A_parent C")
    kernel.let("x", xp + Ap * r, "r_P = r_O + A r′")
    return kernel.build("A", "x")


@cache
def pose(dimension: int) -> Kernel:
    """Pose of a body's own frame."""
    d = dimension
    kernel = KernelBuilder("pose", "pose of a body")
    A, x = kernel.take("A", d, d), kernel.take("x", d)
    turn = kernel.let("Ab", A * kernel.take("Kb", d, d), "body axes in link axes")
    origin = kernel.let("o", x + A * kernel.take("ob", d), "r_P = r_O + A r′")
    whole = turn if d == 3 else sp.diag(turn, 1)
    shift = origin if d == 3 else sp.Matrix.vstack(origin, sp.zeros(1, 1))
    last = sp.Matrix([[0, 0, 0, 1]])
    kernel.let("pose", sp.Matrix.hstack(whole, shift).col_join(last), "homogeneous transform")
    return kernel.build("pose")


@cache
def speed(dimension: int) -> Kernel:
    """Velocity of a link's origin, in link axes."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("speed", "velocity of a link")
    vp, wp = kernel.take("vp", d), kernel.take("wp", space.spins)
    C, r, vr = kernel.take("C", d, d), kernel.take("r", d), kernel.take("vr", d)
    moved = kernel.let("vP", vp + space.turn(wp, r), "ṙ_P = ṙ_O + Ω × r")
    kernel.let("vl", C.T * moved + vr, "ṙ = Cᵀ ṙ_P + relative velocity")
    return kernel.build("vl")


@cache
def stored(label: str, law: sp.Expr) -> Kernel:
    """The energy stored in a hinge."""
    kernel = KernelBuilder(f"stored_{label}", "energy stored in a hinge")
    take_symbols(kernel, sp.Matrix([law]))
    kernel.let("V", sp.Matrix([law]), "the hinge's potential")
    return kernel.build("V")


@cache
def sprung(count: int) -> Kernel:
    """The energy stored in so many hinges, added to the energies before it."""
    kernel = KernelBuilder(f"sprung_{count}", "energy stored in hinges")
    springs = [kernel.take(f"V_{j}")[0] for j in range(1, count + 1)]
    kernel.let("E", sp.Matrix([sp.Add(kernel.take("Ebefore")[0], *springs)]), "E = T + V")
    return kernel.build("E")


@cache
def energy(dimension: int) -> Kernel:
    """Kinetic plus potential energy of a link, added to that of the links before it."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("energy", "kinetic and potential energy of a body")
    A, x = kernel.take("A", d, d), kernel.take("x", d)
    v, w = kernel.take("vl", d), kernel.take("w", space.spins)
    mass, gravity = kernel.take("m")[0], kernel.take("g", d)
    inertia = kernel.take("JC") if d == 2 else kernel.take("JC", 3, 3, symmetric=True)
    centre = kernel.take("rC", d)
    vC = kernel.let("vC", v + space.turn(w, centre), "ṙ_C = ṙ_O + Ω × r")
    before = kernel.take("Ebefore")
    kinetic = (mass * (vC.T * vC)[0] + (w.T * inertia * w)[0]) / 2
    potential = -mass * (gravity.T * (x + A * centre))[0]
    kernel.let("E", sp.Matrix([before[0] + kinetic + potential]), "E = T + V")
    return kernel.build("E")


@cache
def spinning(label: str, speeds: tuple[sp.Expr, ...]) -> Kernel:
    """Kinetic energy of a hinge's rotor, added to the energies before it."""
    kernel = KernelBuilder(f"spinning_{label}", "kinetic energy of a rotor")
    take_symbols(kernel, sp.Matrix(speeds))
    rotor, before = kernel.take("rho", len(speeds)), kernel.take("Ebefore")
    kinetic = sum((rho * u**2 for rho, u in zip(rotor, speeds, strict=True)), sp.Integer(0)) / 2
    kernel.let("Erotor", sp.Matrix([before[0] + kinetic]), ROTOR)
    return kernel.build("Erotor")


@cache
def rate(dimension: int, kind: str) -> Kernel:
    """Rates of a hinge's coordinates."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"rate_{kind}", f"rates of a {kind} hinge's coordinates")
    take_symbols(kernel, of.rates)
    for i in range(len(of.q)):
        kernel.let(f"qd_{i + 1}", sp.Matrix([of.rates[i]]), "q̇(q, u)")
    return kernel.build(*(f"qd_{i + 1}" for i in range(len(of.q))))


@cache
def retract(dimension: int, kind: str) -> Kernel:
    """A hinge's coordinates with its quaternion, if it has one, back on the unit sphere."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"retract_{kind}", f"coordinates of a {kind} hinge")
    q = sp.Matrix([kernel.take(symbol.name)[0] for symbol in of.q])
    scale = sp.ones(1, 1)
    quaternion = kind in QUATERNION_KINDS and dimension == 3
    if quaternion:
        Q = q[-4:, :]
        scale = kernel.let("scale", sp.Matrix([1 / sp.sqrt((Q.T * Q)[0])]), "own")
    for i in range(len(q)):
        scaled = quaternion and i >= len(q) - 4
        kernel.let(f"qn_{i + 1}", sp.Matrix([q[i] * scale[0] if scaled else q[i]]), "own")
    return kernel.build(*(f"qn_{i + 1}" for i in range(len(q))))
