"""The kernels of momenta and accelerations around the divide-and-conquer solve.

p are the joint momenta of the trees' hinges: what a hinge transmits, as an impulse, is
D σ + H (Hᵀ H)⁻¹ p on the child.
"""

from __future__ import annotations

from ...language.words import counted
from ...mechanics.matrices import Algebra, M
from ...mechanics.space import POINT
from ...mechanics.traced import At, Tracer
from .kernels import carried, joined, mobile
from .letters import COLUMNS, MOMENTUM, moving


def _named(**words: object) -> str:
    return "".join(
        f"_{word}{value if value is not True else ''}" for word, value in words.items() if value
    )


@moving
def impelled(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's motion by the joint momenta alone."""
    freedoms = t.ask("freedoms")
    title = f"body with {counted(len(freedoms), 'joint momentum')}"
    t.called(f"impelled_{joined(freedoms)}", title)
    inverse, total = mobile(x, k, t), k.zero(k.n)
    for number, freedom in enumerate(freedoms, 1):
        Z = t.read("Z", f"_{number}", cols=freedom)
        total = total + Z @ t.numbers("p", f"_{number}", freedom)
    x.F = total
    x.V0 = inverse @ x.F
    return ("V0",)


def _pushes(x: At, k: Algebra, t: Tracer) -> M:
    """The sum of wrenches in link axes at the link's origin, in inertial axes."""
    if not x.push_count:
        return k.zero(k.n)
    A, total = x.A, sum((y.P for y in x.by), k.zero(k.n))
    return t.state("P", k.both(A) @ total)


def _spun(x: At, k: Algebra, spin: M) -> M:
    """A body's moment of momentum about its centre of mass, in space stated in its axes first."""
    if k.d == 2:
        inertia: M = x.JC
        return inertia @ spin
    A: M = x.A
    x.wl = A.T @ spin
    x.Jw = x.JC @ x.wl
    return A @ x.Jw


@moving
def acted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's acceleration without its constraint wrenches."""
    freedoms, pushes, loaded = t.ask("freedoms"), x.push_count, x.loaded
    label = _named(hinges=joined(freedoms), pushed=pushes, loaded=loaded)
    t.called(f"acted{label}", "acceleration of a body by what is applied")
    inverse, total = mobile(x, k, t), k.zero(k.n)
    for number, freedom in enumerate(freedoms, 1):
        Z = t.read("Z", f"_{number}", cols=freedom)
        total = total + Z @ t.read("T", f"_{number}", rows=freedom)
    if pushes:
        total = total + k.seen(-x.ce, _pushes(x, k, t))
    if loaded:
        total = total + x.f
    if k.d == 3:
        _, spin = x.A, x.wI
        total = total - k.stack(k.zero(3), k.cross(spin, _spun(x, k, spin)))
    x.F = total
    x.V0 = k.stack(x.g, k.zero(k.s)) + inverse @ x.F
    return ("V0",)


@moving
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The load of a link and all outboard of it, about its origin."""
    children, pushes, loaded, cuts = x.input_count, x.push_count, x.loaded, x.cut_count
    label = _named(pushed=pushes, loaded=loaded, cut=cuts)
    t.called(f"outboard_{children}{label}", f"loads of a body with {counted(children, 'input')}")
    own = k.stack(x.m @ x.g, k.zero(k.s))
    if loaded:
        own = own + x.f
    for number in range(1, cuts + 1):
        own = own + t.read("X", f"_{number}")
    total = k.seen(x.ce, own) + _pushes(x, k, t)
    for y in x.inputs:
        total = total + k.seen(y.ar, y.Q)
    x.Q = total
    return ("Q",)


@moving
def momentum_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rates of a hinge's momenta.

    ṗ = Hᵀ (Q − (0, v × f)) + Ḣᵀ P̄ + u, P̄ = D σ + H (Hᵀ H)⁻¹ p about the child's origin, of
    velocity v; H turns with the axes B, at the angular velocity `wc`.
    """
    freedom, width, complete, acting = x.count, x.width, x.complete, x.pushed
    label = _named(complete=complete, acting=acting)
    t.called(f"momentum_rate_{freedom}_{width}{label}", "rates of a hinge's momenta")
    B, H, Q, V, centre = x.B, x.H, x.Q, x.V, x.ce
    p, held = t.numbers("p"), k.zero(k.n)
    if width:
        sigma = x.sigma
        held = x.D @ sigma
    own = t.abbreviate("P̄", held + x.Hp @ p)
    force = k.lin(carried(k, B, own, complete))
    x.vx = k.lin(V) - k.cross(k.ang(V), centre)
    moment = k.ang(Q) - k.moment(x.vx, force)
    rate = carried(k, B, H, complete).T @ k.stack(k.lin(Q), moment)
    w = x.wc
    if k.d == 3:
        x.wl = B.T @ w
        w = x.wl
        rate = rate + (k.tilde(w) @ k.ang(H)).T @ k.ang(own)
    if not complete:
        rate = rate + (k.tilde(w) @ k.lin(H)).T @ k.lin(own)
    return t.each("pd", rate + t.read("T_") if acting else rate)


@moving
def momentum(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The momentum of a link and all outboard of it, less the cuts' impulses, about its origin."""
    children, cuts = x.input_count, t.ask("cut_widths")
    title = f"momentum of a body with {counted(children, 'input')}"
    t.called(f"outboard_momentum_{children}{_named(cut=joined(cuts))}", title)
    V, mass = x.V, x.m
    P = k.stack(mass @ k.lin(V), _spun(x, k, k.ang(V)))
    for number, width in enumerate(cuts, 1):
        W = t.read("W", f"_{number}", cols=width)
        P = P - W @ t.numbers("sigma", f"_{number}", width)
    x.PC = P
    total = k.seen(x.ce, x.PC)
    for y in x.inputs:
        total = total + k.seen(y.ar, y.P)
    t.state("P", total, MOMENTUM)
    return ("P",)


@moving
def joint_momentum(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p = Hᵀ P of a hinge."""
    complete = x.complete
    t.called(f"joint_momentum_{x.count}{_named(complete=complete)}", "momenta of a hinge")
    H = carried(k, x.B, x.H, complete)
    return t.each("p", H.T @ x.P)


def _relative(x: At, k: Algebra, t: Tracer, complete: bool) -> tuple[M, M]:
    """V_child − V_parent = H u at the child's origin, in its two parts."""
    if not x.count:
        return k.zero(k.d), k.zero(k.s)
    x.Vr = carried(k, x.B, x.H, complete) @ t.numbers("u")
    return k.lin(x.Vr), k.ang(x.Vr)


@moving
def outward(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The motion of a link's centre of mass and origin, from its parent's and the hinge's."""
    freedom, complete = x.count, x.complete
    t.called(f"moving_{freedom}{_named(complete=complete)}", "motion of a link")
    vp, wp, arm, centre = x.up.vx, x.up.wI, x.ar, x.ce
    lin, ang = _relative(x, k, t, complete)
    x.wI = wp + ang
    x.vx = vp + k.cross(wp, arm) + lin
    t.state("V", k.stack(x.vx + k.cross(x.wI, centre), x.wI), POINT)
    return "vx", "wI", "V"


@moving
def bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge's conditions and speeds change by without accelerations: g along D, h along H.

    Of V_child − V_parent at the child's origin this is ω × ṙ of both arms, less the turn of the
    axes B at the angular velocity `wc`.
    """
    freedom, width, rooted, complete = x.count, x.width, x.rooted, x.complete
    label = _named(complete=complete, rooted=rooted)
    t.called(f"bias_{freedom}_{width}{label}", "velocity terms of a hinge")
    w, centre = x.wI, x.ce
    vr, wr = _relative(x, k, t, complete)
    B = x.B
    lin = -k.cross(w, k.cross(w, centre))
    if not rooted:
        wp, arm = x.up.wI, x.ar - x.up.ce
        lin = lin - k.cross(wp, k.cross(wp, arm) + vr)
    wc = x.wc
    x.b = k.stack(lin - k.cross(wc, vr), -k.spins(wc, wr))
    outputs = []
    for word, constant, count in (("g_", "D", width), ("h_", "Hp", freedom)):
        if count:
            outputs.append(t.port(word))
            t.state(word, carried(k, B, t.read(constant), complete).T @ x.b)
    return tuple(outputs)


@moving
def joint_load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at the output hinge, in the paper's signs; W λ and Z T are at the centre."""
    width, freedom = x.width, x.count
    t.called(f"joint_load_{width}_{freedom}", "loads at a hinge")
    total = k.zero(k.n)
    if width:
        total = total + x.Ws_ @ x.sigma
    if freedom:
        total = total + x.Zs_ @ x.T_
    t.state("F", total, COLUMNS)
    force = k.lin(x.F)
    x.load = k.load(k.ang(x.F) + k.moment(x.ce, force), -force)
    return ("load",)


@moving
def angular(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The angular part of a motion."""
    t.called("angular", "angular velocity of a link")
    x.w = k.ang(x.V)
    return ("w",)
