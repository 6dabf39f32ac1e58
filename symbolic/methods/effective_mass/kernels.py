"""The kernels of the recursive formulation: hybrid motion at centroids, in inertial axes.

Columns are (translation, rotation). With z from the parent's centroid to the body's,
v_j = X(z) v_i + B q̇ and v̇_j = X(z) v̇_i + B q̈ + D; a hinge leaves its inner body the effective
mass M_r and load Q_r of all that hangs on it. The paper's A is X(z).
"""

from __future__ import annotations

import sympy as sp

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS, LETTERS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...tree.recursion_kernels import pushed

PLACED = "recursive-formulation paper (3.16), (3.17)"
VELOCITY = "recursive-formulation paper (3.26)-(3.31)"
RATE = "recursive-formulation paper (3.36)-(3.39), corrected"
MASS = "recursive-formulation paper (3.46), (3.48)"
REDUCED = "recursive-formulation paper (3.53), (3.59)"
LOAD = "recursive-formulation paper (3.54), (3.60), with the other sign"
JOINT = "recursive-formulation paper (3.57)"
FORWARD = "recursive-formulation paper (3.35)"

EFFECTIVE = LETTERS | letters(f"""
    vr   | ṙ   | d       | | velocity in the hinge, m/s
    vl   | v_O | d       | | velocity of the link's origin, in its axes
    b    | b   | d       | {PLACED} | from the centroid to the link's origin
    c    | c   | d       | {PLACED} | centroid
    z    | z   | d       | {PLACED} | from the parent's centroid to the body's
    cqd  | ċ   | d       | {VELOCITY} | c_q q̇, velocity in the hinge, inertial axes
    wqd  | w   | s       | {VELOCITY} | w q̇, angular velocity in the hinge, inertial axes
    vel  | v   | n       | {VELOCITY} | motion of the centroid
    B_   | B   | n f     | {VELOCITY} | what unit speeds of the hinge give v
    wdqd | ẇ   | s       | {RATE} | rate of w that speeds alone give
    D    | D   | n       | {RATE} | v̇ − X(z) v̇ₚ − B q̈
    J    | J   | s s sym | {MASS} | central moment of inertia, inertial axes
    Jw   | L   | s       | {MASS} | moment of momentum, kg m²/s
    fW   | f_W | d       | own | force of loads on the body, inertial axes
    Mh   | M   | n n sym | {MASS} | mass of the body and of all that hangs on it
    Qh   | Q   | n       | {MASS} | load on the same
    net  | Q′  | n       | {LOAD} | Q beside D
    U    | U   | n f     | {REDUCED} | M B
    S    | S   | f f sym | {REDUCED} | inertia along the hinge's freedoms
    G_   | G   | f n     | {JOINT} | what the parent's acceleration takes from q̈
    k_   | k   | f       | {JOINT} | q̈ if the parent does not accelerate
    left | M′  | n n sym | {REDUCED} | M without what the hinge yields to
    rest | Q″  | n       | {LOAD} | Q′ without what the hinge yields to
    Mr   | M_r | n n sym | {REDUCED} | effective mass
    Qr   | Q_r | n       | {LOAD} | effective load
    vd   | v̇   | n       | {FORWARD} | acceleration of the centroid
    Avd  | v̇₀  | n       | {FORWARD} | the parent's acceleration at the centroid
    qdd  | q̈   | f       | {JOINT} | rates of the hinge's speeds
    a    | q̈   | 1       | {JOINT} | rate of a hinge's speed
    lam  | λ   | n       | {FORWARD} | what the hinge exerts, at the centroid
    drive | τ  | 1       | recursive-formulation paper, Sect. 4.1 | force that drives a hinge
""")

traced = tracing(EFFECTIVE, FACTS, {"vel": "vp"})


@traced
def base(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The moving ground's motion in inertial axes."""
    t.called("ground", "motion of the ground, in inertial axes")
    A, origin, v, w, acc = x.A, x.x, x.vl, x.w, x.acc
    x.c = origin
    x.vel = k.stack(A @ v, k.turned(A, w))
    x.vd = k.stack(A @ k.lin(acc), k.turned(A, k.ang(acc)))
    return "c", "vel", "vd"


@traced
def kinematics(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's motion and the hinge's to the body's: c, v, z, B and D.

    Frame
        The hinge's motion in link axes at the link's origin O, b = r_O − r_C; all else inertial.
    """
    count = x.count
    t.called(f"move_{count}", f"motion behind {counted(count, 'relative coordinate')}")
    A, origin, inner, motion = x.A, x.x, x.up.c, x.up.vel
    x.b = -A @ x.rC
    x.c = origin - x.b
    x.z = x.c - inner
    x.cqd, x.wqd = A @ x.vr, k.turned(A, x.wr)
    x.vel = k.X(x.z) @ motion + k.stack(x.cqd - k.cross(x.wqd, x.b), x.wqd)
    outputs = ["c", "z", "vel"]
    if count:
        w = k.turned(A, k.ang(x.H_))
        columns = [k.space.turn(w.value[:, j], x.b.value) for j in range(count)]
        turned = (k.tilde(x.b).T @ w).by(sp.Matrix.hstack(*columns))
        x.B_ = k.stack(A @ k.lin(x.H_) - turned, w)
        outputs.append(t.port("B_"))
    spin = k.ang(motion)
    slid = k.cross(spin, x.cqd) + A @ x.br
    x.wdqd = k.turned(A, x.bw) + k.spins(spin, x.wqd)
    carried = k.cross(x.wqd, k.cross(k.ang(x.vel), x.b))
    apart = k.cross(spin, k.lin(x.vel) - k.lin(motion))
    x.D = k.stack(apart + slid - carried - k.cross(x.wdqd, x.b), x.wdqd)
    return *outputs, "D"


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """M + M_r and Q + Q_r: a body's own mass and load, and those of what hangs on it."""
    inputs, pushes = x.input_count, x.push_count
    t.called(f"gather_{inputs}{pushed(pushes)}", f"mass and load, {counted(inputs, 'input')}")
    mass, A = x.m, x.A if k.d == 3 or pushes else k.zero()
    J, Q = x.JC, k.zero(k.n)
    if k.d == 3:
        half = t.state("AJ", A @ J, MASS, "J″")
        x.J = (A @ J @ A.T).by((half @ A.T).value)
        J, w = x.J, k.ang(x.vel)
        x.Jw = J @ w
        Q = k.stack(k.zero(3), -k.cross(w, x.Jw))
    total = k.blocks((k.one(mass), k.zero(k.d, k.s)), (k.zero(k.s, k.d), J))
    if x.loaded:
        Q = Q + x.f
    if pushes:
        W = sum((y.W for y in x.by), k.zero())
        W = t.abbreviate("W", W) if pushes > 1 else W
        x.fW = A @ k.lin(W)
        Q = Q + k.stack(x.fW, k.turned(A, k.ang(W) - k.moment(x.rC, k.lin(W))))
    for y in x.inputs:
        total, Q = total + y.Mr, Q + y.Qr
    x.Mh, x.Qh = total, Q
    return "Mh", "Qh"


@traced
def reduce(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Eliminate q̈ = k − G X(z) v̇_i, and leave M_r and Q_r to the inner body.

    Without a freedom (rigid or driven hinge) all of the mass is left.
    """
    freedom = x.freedom
    acting, rotor = x.acting if freedom else False, x.rotor
    suffix = f"{'_acting' if acting else ''}{'_rotor' if rotor else ''}"
    name = f"reduce_{freedom}{suffix}" if freedom else "reduce_rigid"
    t.called(name, f"effective mass and load behind {counted(freedom, 'freedom')}")
    left, load, shift = x.Mh, x.Qh, k.X(x.z)
    x.net = load - left @ x.D
    rest, outputs = x.net, []
    if freedom:
        B, tau = x.B_, x.T_ if acting else k.zero(freedom)
        x.U = left @ B
        x.S = B.T @ x.U + (k.diagonal(x.rho) if rotor else k.zero())
        rate = tau + B.T @ rest
        solved = t.solve("Gk", x.S, k.beside(x.U.T, rate), JOINT)
        x.G_ = (x.S.inverse @ x.U.T).by(solved[:, : k.n])
        x.k_ = (x.S.inverse @ rate).by(solved[:, k.n :])
        x.left = left - x.U @ x.G_
        x.rest = rest - x.U @ x.k_
        left, rest = x.left, x.rest
        outputs = [t.port("G_"), t.port("k_")]
    moved = t.state("MA", left @ shift, REDUCED, "M″")
    x.Mr = (shift.T @ left @ shift).by((shift.T @ moved).value)
    x.Qr = shift.T @ rest
    return *outputs, "Mr", "Qr"


@traced
def accelerate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the inner body's acceleration to the hinge's own and the body's."""
    freedom = x.freedom
    t.called(f"forward_{freedom}", f"accelerations behind {counted(freedom, 'freedom')}")
    shift, outputs = k.X(x.z), tuple[str, ...]()
    x.Avd = shift @ x.up.vd
    total = x.Avd + x.D
    if freedom:
        G, rate = x.G_, x.k_
        x.qdd = rate - G @ x.Avd
        outputs = t.each("a", x.qdd)
        total = total + x.B_ @ x.qdd
    x.vd = total
    return "vd", *outputs


def exerted(x: At) -> M:
    """State λ, what the hinge exerts, at the centroid."""
    mass, load = x.Mh, x.Qh
    x.lam = mass @ x.vd - load
    return x.lam


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at the output hinge, in the inertial frame and the Riccati paper's signs."""
    t.called("load_at_hinge", "loads at a hinge")
    wrench = exerted(x)
    moment = k.ang(wrench) + k.moment(x.c - x.x, k.lin(wrench))
    x.load = k.load(moment, -k.lin(wrench))
    return ("load",)


@traced
def drive(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The forces along a driven hinge's coordinates: Bᵀ (M v̇ − Q), and what a rotor takes."""
    t.called(f"drive_{x.count}{'_rotor' if x.pushed else ''}", "driving force of a hinge")
    B = x.B_
    needed = B.T @ exerted(x)
    return t.each("drive", needed - (x.T_ if x.pushed else k.zero()))
