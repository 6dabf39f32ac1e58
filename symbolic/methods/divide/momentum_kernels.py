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
from .letters import COLUMNS, moving


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
    """The load of a link, about its origin."""
    pushes, loaded, cuts = x.push_count, x.loaded, x.cut_count
    t.called(f"own_load{_named(pushed=pushes, loaded=loaded, cut=cuts)}", "loads of a body")
    own = k.stack(x.m @ x.g, k.zero(k.s))
    if loaded:
        own = own + x.f
    for number in range(1, cuts + 1):
        own = own + t.read("X", f"_{number}")
    force, moment = k.lin(own), k.moment(x.ce, k.lin(own)) + k.ang(own)
    if pushes:
        push = _pushes(x, k, t)
        force, moment = force + k.lin(push), moment + k.ang(push)
    x.fs, x.ms = force, moment
    return "fs", "ms"


@moving
def lever(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link has about its origin, with the moment that what hangs on it has by its arm."""
    (moment, force), found = t.ask("words"), t.ask("found")
    t.called(f"lever_{found}", f"{t.table[found].words}: by the arm of the next")
    own, after = t.read(moment), At(t, "_I1")
    t.state(found, own + k.moment(after.ar, t.read(force, "_I1")))
    return (found,)


@moving
def momentum_rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rates of a hinge's momenta.

    ṗ = Hᵀ (Q_f, Q_m − v × f) + Ḣᵀ P̄ + u, P̄ = D σ + H (Hᵀ H)⁻¹ p about the child's origin, of
    velocity v; H turns with the axes B, at the angular velocity `wc`.
    """
    freedom, width, complete, acting = x.count, x.width, x.complete, x.pushed
    label = _named(complete=complete, acting=acting)
    t.called(f"momentum_rate_{freedom}_{width}{label}", "rates of a hinge's momenta")
    B, H, V, centre = x.B, x.H, x.V, x.ce
    p, held = t.numbers("p"), k.zero(k.n)
    if width:
        sigma = x.sigma
        held = x.D @ sigma
    own = t.abbreviate("P̄", held + x.Hp @ p)
    force = k.lin(carried(k, B, own, complete))
    x.vx = k.lin(V) - k.cross(k.ang(V), centre)
    moment = x.Qm - k.moment(x.vx, force)
    rate = carried(k, B, H, complete).T @ k.stack(x.Qf, moment)
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
    """The momentum of a link, less the cuts' impulses, about its origin."""
    cuts = t.ask("cut_widths")
    t.called(f"own_momentum{_named(cut=joined(cuts))}", "momentum of a body")
    V, mass = x.V, x.m
    P = k.stack(mass @ k.lin(V), _spun(x, k, k.ang(V)))
    for number, width in enumerate(cuts, 1):
        W = t.read("W", f"_{number}", cols=width)
        P = P - W @ t.numbers("sigma", f"_{number}", width)
    x.PC = P
    x.ps = k.lin(x.PC)
    x.ls = k.moment(x.ce, x.ps) + k.ang(x.PC)
    return "ps", "ls"


@moving
def joint_momentum(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p = Hᵀ P of a hinge."""
    complete = x.complete
    t.called(f"joint_momentum_{x.count}{_named(complete=complete)}", "momenta of a hinge")
    H = carried(k, x.B, x.H, complete)
    return t.each("p", H.T @ k.stack(x.Pf, x.Pm))


@moving
def motion(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The motion of a link's centre of mass."""
    t.called("moving", "motion of a link")
    spin = x.wI
    t.state("V", k.stack(x.vx + k.cross(spin, x.ce), spin), POINT)
    return ("V",)


@moving
def turned(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The velocity of a link's origin and its spin, in link axes."""
    t.called("turned", "motion of a link in its axes")
    A = x.A
    t.state("vl", A.T @ x.vx, POINT, "v_l")
    t.state("w", x.wI if k.d == 2 else A.T @ x.wI, POINT, "ω")
    return "vl", "w"


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
    relative = x.Vr if freedom else k.zero(k.n)
    vr, wr = (k.zero(k.d), k.zero(k.s)) if not freedom else (k.lin(relative), k.ang(relative))
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
