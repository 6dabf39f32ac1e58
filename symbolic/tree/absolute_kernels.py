"""The kernels of the fast form: what is done at one body or one hinge.

In the plane and in space they are the same text; `Algebra` holds the difference.
"""

from __future__ import annotations

import sympy as sp

from ..language.letters import letters
from ..language.words import counted
from ..mechanics.letters import BACK, DEMAND, FACTS, INERTIA, LETTERS, YIELDED
from ..mechanics.matrices import Algebra, M
from ..mechanics.space import POINT
from ..mechanics.traced import At, Tracer, tracing
from ..mechanics.turns import cosines, spinning
from .motion_kernels import posed
from .recursion_kernels import centripetal, inertia

MOMENT = "first moment of mass about O"
POINT_OF_BODY = "r_P = r_O + A r′"
ENERGY = "E = T + V: ½ m v_Cᵀ v_C + ½ Ωᵀ J_C Ω − m gᵀ r_C"
TENSOR = "Riccati paper (5): E8"
EULER = "Riccati paper (5): E9"
DIRECTION = "direction cosines of the body"

ABSOLUTE = LETTERS | letters(f"""
    theta | θ   | 1       | | angle of the body
    Q     | Q   | 4       | | unit quaternion of the body
    c     | c   | 1 cos   | {DIRECTION} | cosine of the body's angle
    s     | s   | 1 sin   | {DIRECTION} | sine of the body's angle
    A     | A   | d d rot | {DIRECTION} | from the body's axes to inertial ones
    omega | ω   | s       | | angular velocity, in the body's axes
    Omega | Ω   | s       | Riccati paper (5): Ω = A ω | angular velocity, in inertial axes
    hb    | h′  | d       | | first moment of mass about the output, in the body's axes
    h     | h   | d       | {MOMENT} | first moment of mass about the output
    Jb    | J′  | s s sym | | moment of inertia about the output, in the body's axes
    J     | J   | s s sym | {TENSOR} | moment of inertia about the output
    JO    | L   | s       | {EULER} | moment of momentum, kg m²/s
    tau   | τ   | s       | | applied moment, in the body's axes
    rCb   | r′_C | d      | | from the output to the centre of mass, in the body's axes
    rC    | r_C | d       | {POINT_OF_BODY} | from the output to the centre of mass
    rb    | r′  | d       | | from the output to an input, in the body's axes
    r     | r   | d       | {POINT_OF_BODY} | from the output to an input
    T     | T   | n n     | own | an input's IA with the output's acceleration
    y     | y   | n       | own | an input's pA with the acceleration that speeds alone give
    IA    | IA  | n n sym | {INERTIA} | inertia of a body and all that hangs on it: λ = IA a + pA
    pA    | pA  | n       | {DEMAND} | the part of λ that does not depend on a
    P     | P   | s d     | {YIELDED} | Ω̇ per acceleration of the output
    b     | b   | s       | {YIELDED} | Ω̇ if the output does not accelerate
    rdd   | r̈   | d       | {POINT} | acceleration of an end
    Omegad | Ω̇  | s       | {BACK} | angular acceleration, in inertial axes
    a     | ω̇   | s       | ω̇ = Aᵀ Ω̇ | angular acceleration, in the body's axes
    x     | x   | d       | {POINT_OF_BODY} | position of an end
    rd    | ṙ   | d       | ṙ_P = ṙ_O + Ω × r | velocity of an end
    given | f   | n       | | force at the centre of mass and couple, given
    wrench | W  | n       | sum | wrench of all forces at the output, in the body's axes
    fs    | f_s | n       | moved to the centre of mass | force and couple, in inertial axes
    o     | o   | d       | {POINT_OF_BODY} | position of the body's own origin, m
    load  | (m, q) | 6    | Riccati paper (2) | moment and force at the hinge
    vC    | v_C | d       | ṙ_C = ṙ_O + Ω × r | velocity of the centre of mass, m/s
""")

traced = tracing(ABSOLUTE, FACTS, {})


@traced
def orientation(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Coordinates of a body to its orientation."""
    t.called("orientation", "orientation of a body")
    if k.d == 2:
        theta = x.theta[0]
        x.c, x.s = k.scalar(sp.cos(theta)), k.scalar(sp.sin(theta))
        return "c", "s"
    w, e1, e2, e3 = x.Q.value
    A = sp.Matrix(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - w * e3), 2 * (e1 * e3 + w * e2)],
            [2 * (e1 * e2 + w * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - w * e1)],
            [2 * (e1 * e3 - w * e2), 2 * (e2 * e3 + w * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )
    x.A = k.formula(A)
    return ("A",)


def turned_inertia(x: At, t: Tracer, A: M) -> M:
    """A J′ Aᵀ, the moment of inertia in inertial axes, by its half."""
    half = t.state("AJ", A @ x.Jb, TENSOR, "J″")
    whole: M = A @ x.Jb @ A.T
    return whole.by((half @ A.T).value)


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a body and all that hangs on its inputs demand at its output end.

    λ_O = IA r̈_O + pA with IA = M_O + Σ X_kᵀ IA_k X_k and
    pA = p_O + Σ X_kᵀ (pA_k + IA_k ~Ω~Ω r_k): force and moment balance about O.
    """
    t.called(f"body_{x.input_count}", f"rigid body with {counted(x.input_count, 'input')}")
    A = cosines(x, k, t)
    spin = spinning(x, k, A)
    W = centripetal(k, t, spin)
    force = x.m @ x.g
    x.h = A @ x.hb
    if k.d == 3:
        x.J = turned_inertia(x, t, A)
    J, moment = x.J, k.moment(x.h, x.g)
    if t.ask("forced"):
        f, tau = x.f, x.tau
        x.rC = A @ x.rCb
        force = force + k.lin(f)
        moment = moment + k.moment(x.rC, k.lin(f)) + k.ang(f) + k.turned(A, tau)
    gyroscopic = k.zero()
    if k.d == 3:
        x.JO = J @ spin
        gyroscopic = k.cross(spin, x.JO)
    IA = inertia(x, k, t)
    pA = t.abbreviate("p", k.stack(W @ x.h - force, gyroscopic - moment))
    for y in x.inputs:
        child, wrench = y.IA, y.pA
        y.r = A @ y.rb
        X, g = k.X(y.r), t.state("g", W @ y.r, POINT, mark=vars(y)["_mark"])
        y.T = child @ X
        held = (child @ k.stack(g, k.zero(k.s))).by(child.value[:, : k.d] * g.value)
        y.y = wrench + held
        IA, pA = IA + X.T @ y.T, pA + X.T @ y.y
    x.IA, x.pA = IA, pA
    return "IA", "pA"


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The smooth hinge at the output: m = 0 there eliminates the body's own Ω̇.

    Ω̇ = P r̈ + b; what is left of IA and pA is exactly zero on the hinge's motion subspace.
    """
    t.called("hinge", "smooth hinge")
    IA, pA, none = x.IA, x.pA, k.zero(k.s, k.d)
    I11, I12, I21, I22 = (k.block(IA, i, j) for i in (1, 2) for j in (1, 2))
    solved = t.solve("Pb", I22, -k.beside(I21, k.ang(pA)), YIELDED)
    x.P = (-(I22.inverse @ I21)).by(solved[:, : k.d])
    x.b = (-(I22.inverse @ k.ang(pA))).by(solved[:, k.d :])
    x.IAh = k.blocks((I11 + I12 @ x.P, k.zero(k.d, k.s)), (none, k.zero(k.s, k.s)))
    x.pAh = k.stack(k.lin(pA) + I12 @ x.b, k.zero(k.s))
    return "P", "b", "IAh", "pAh"


@traced
def acceleration(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the acceleration of a body's output end to its own Ω̇ and its inputs' r̈."""
    inputs = x.input_count
    t.called(f"accelerate_{inputs}", f"accelerations of a body with {counted(inputs, 'input')}")
    A, P, b, rdd = cosines(x, k, t), x.P, x.b, x.rdd
    x.Omegad = P @ rdd + b
    x.a = k.turned(A.T, x.Omegad)
    if inputs:
        W = centripetal(k, t, spinning(x, k, A))
        for y in x.inputs:
            y.r = A @ y.rb
            y.rdd = rdd + k.cross(x.Omegad, y.r) + W @ y.r
    return "a", *(f"rdd_I{number}" for number in range(1, inputs + 1))


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at a hinge, in the paper's signs: m = λ_Ω, q = −λ_r."""
    t.called("load", "loads at a hinge")
    IA, pA, rdd = x.IAh, x.pAh, x.rdd
    carried = (IA @ k.stack(rdd, k.zero(k.s))).by(IA.value[:, : k.d] * rdd.value)
    x.lam = carried + pA
    x.load = k.load(k.ang(x.lam), -k.lin(x.lam))
    return ("load",)


@traced
def place(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From position and velocity of a body's output end to those of its inputs."""
    t.called(f"place_{x.input_count}", f"{counted(x.input_count, 'input')} of a body")
    A, origin, velocity = cosines(x, k, t), x.x, x.rd
    spin = spinning(x, k, A)
    names = []
    for number, y in enumerate(x.inputs, start=1):
        y.r = A @ y.rb
        y.x = origin + y.r
        y.rd = velocity + k.cross(spin, y.r)
        names += [f"x_I{number}", f"rd_I{number}"]
    return tuple(names)


@traced
def carrier(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's axes, output end and motion in its axes, as forces between points read them."""
    t.called("carrier", "place and motion of a body")
    A = cosines(x, k, t)
    t.state("Al", A, DIRECTION, "A_l")
    t.state("xl", x.x, "own", "x_l")
    t.state("vl", A.T @ x.rd, "v = Aᵀ ṙ", "v")
    t.state("wl", x.omega, "own", "ω_l")
    return "Al", "xl", "vl", "wl"


@traced
def acting(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What acts on a body: force and couple at its centre of mass, in inertial axes."""
    t.called(f"acting_{x.push_count}", f"{x.push_count} forces on a body")
    A = cosines(x, k, t)
    x.wrench = sum((y.W for y in x.by), k.zero(k.n))
    force, moment = k.lin(x.wrench), k.ang(x.wrench)
    about = moment - k.moment(x.rCb, force)
    x.fs = x.given + k.stack(A @ force, k.turned(A, about))
    return ("fs",)


@traced
def pose(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Pose of a body's frame from the position of its output end."""
    t.called("pose", "pose of a body")
    A = cosines(x, k, t)
    x.o = x.x + A @ x.ob
    t.state("pose", posed(k, A, x.o), "body to inertial axes")
    return ("pose",)


@traced
def energy(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Kinetic plus potential energy of a body, added to that of the bodies before it."""
    t.called("energy", "kinetic and potential energy of a body")
    A = cosines(x, k, t)
    spin, omega = spinning(x, k, A), x.omega
    origin, velocity, m, g, J = x.x, x.rd, x.m, x.g, x.JC
    x.rC = A @ x.rCb
    x.vC = velocity + k.cross(spin, x.rC)
    kinetic = (m @ (x.vC.T @ x.vC) + omega.T @ J @ omega).half
    t.state("E", x.Ebefore + kinetic - m @ (g.T @ (origin + x.rC)), ENERGY)
    return ("E",)


@traced
def rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Rates of a body's coordinates: θ̇ = ω, or the quaternion's Q̇ = ½ Q ∘ (0, ω)."""
    t.called("rate", "rates of a body's coordinates")
    if k.d == 2:
        t.state("qd", x.omega, "θ̇ = ω")
        return ("qd",)
    (w, e1, e2, e3), (p, q, r) = x.Q.value, x.omega.value
    product = [
        -e1 * p - e2 * q - e3 * r,
        w * p + e2 * r - e3 * q,
        w * q + e3 * p - e1 * r,
        w * r + e1 * q - e2 * p,
    ]
    t.state("qd", k.formula(sp.Matrix(product) / 2), "Q̇ = ½ Q ∘ (0, ω)")
    return ("qd",)


@traced
def retraction(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A quaternion back on the unit sphere."""
    t.called("retract", "unit quaternion of a body")
    Q = x.Q
    scale = t.state("scale", k.scalar(1 / sp.sqrt((Q.value.T * Q.value)[0])), "own", "s")
    t.state("qn", scale @ Q, "own", "Q′")
    return ("qn",)
