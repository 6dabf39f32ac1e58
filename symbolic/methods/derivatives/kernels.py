"""The kernels of the derivatives of inverse dynamics, in joint coordinates and link axes.

All beyond a hinge is one body whose own shape does not change when that hinge alone does: its
wrench follows from how the link at the hinge moves, through the inertia of all that hangs on
it and through the rates of its moments of mass. With ρ, ρ̇ the place and velocity of a mass
element relative to the link's origin (of the velocity, axes that do not turn): h = Σ m ρ,
S = Σ m ρ ρᵀ, P = Σ m ρ̇, Q = Σ m ρ̇ ρᵀ; in the plane S = Σ m ρ², Q = Σ m ρ·ρ̇.
"""

from __future__ import annotations

import sympy as sp

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS, MOVED, OF_PARENT, SPIN
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from ...tree.inverse_kernels import INVERSE, NEWTON_EULER

MOMENTS = "own: moments of mass and their rates, summed over what hangs on the link"
VARIED = "own: the link's motion varied along one direction of its hinge"
RESPONSE = "own: Mc (δa, δα + ω × δω) + 2 (δω × P, tr Q δω − Q δω)"
ROW = "own: y = Mc H and ζ = 2 (v × y_f + P × x + tr Q θ − Qᵀ θ)"
ENTRY = "own: δτ = Hᵀ δλ inwards, yᵀ (δa − 2 δω × v, δα + ω × δω) + ζᵀ δω outwards"

#: What of a relative motion may vary along a direction, besides the pose.
RELATIVE = ("vr", "br", "wr", "bw", "H")

DERIVED = INVERSE | letters(f"""
    mc   | m_c | 1       | {MOMENTS} | mass of the link and of all that hangs on it
    hc   | h_c | d       | {MOMENTS} | first moment of the same mass
    Sc   | S_c | s s sym | {MOMENTS} | second moment of the same mass, Σ m ρ ρᵀ
    Pc   | P_c | d       | {MOMENTS} | rate of h_c in axes that do not turn, Σ m ρ̇
    Qc   | Q_c | s s     | {MOMENTS} | Σ m ρ̇ ρᵀ of the same mass
    Jc   | J_c | s s sym | {MOMENTS} | moment of inertia of the same mass
    mt   | m_t | 1       | {MOVED} | m_c, handed on to the parent
    ht   | h_t | d       | {MOVED} | h_c about the parent's origin and in its axes
    St   | S_t | s s sym | {MOVED} | S_c about the parent's origin and in its axes
    Pt   | P_t | d       | {MOVED} | P_c about the parent's origin and in its axes
    Qt   | Q_t | s s     | {MOVED} | Q_c about the parent's origin and in its axes
    Y    | y   | n       | {ROW} | wrench that a unit acceleration of a speed demands
    Z    | ζ   | s       | {ROW} | what the force along a speed feels of a spin further inwards
    dw   | δω  | s       | {VARIED} | angular velocity, varied along a direction
    beta | δα  | s       | {VARIED} | angular acceleration, varied, and Ω × δω
    da   | δa  | d       | {VARIED} | acceleration of the link's origin, varied
    dl   | δλ  | n       | {RESPONSE} | wrench of the hinge, varied
    L    | ℓ   | n       | {RESPONSE} | δλ as the parent feels it
    Wq_  | W_q | s f     | {VARIED} | δω along each coordinate
    Wv_  | W_v | s f     | {VARIED} | δω along each speed
    Aq_  | A_q | n f     | {VARIED} | (δa − 2 δω × v, δα + Ω × δω) along each coordinate
    Av_  | A_v | n f     | {VARIED} | (δa − 2 δω × v, δα + Ω × δω) along each speed
    R    | R   | 1       | {ENTRY} | right-hand side: a speed's row, a direction's column
    d_vr | ∂v_r | d      | | v_r, varied along a direction
    d_wr | ∂ω_r | s      | | ω_r, varied along a direction
    d_br | ∂b_r | d      | | b_r, varied along a direction
    d_bw | ∂b_ω | s      | | b_ω, varied along a direction
    d_H  | ∂H  | n f     | | H, varied along a direction
    dT   | ∂τ  | f       | | τ, varied along a direction
    Yb   | y_b | n       | | y of the link further outwards
    Zb   | ζ_b | s       | | ζ of the link further outwards
    Lb   | ℓ_b | n       | | ℓ of the link further outwards
    given | x  | 1       | | a value that is handed on
    value | x′ | 1       | | the value as it is handed on
    d    | a′  | 1       | | derivatives of the accelerations along a direction
    row  | a′  | 1       | own | derivative of an acceleration along a direction
    bias | x_b | n       | | a motion or a wrench without accelerations of the hinges
    more | x_a | n       | | what accelerations of the hinges add to it
    total | x  | n       | {NEWTON_EULER} | a motion or a wrench
""")

traced = tracing(DERIVED, FACTS, OF_PARENT)


@traced
def moments(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The moments of mass of a link with all that hangs on it, and their rates."""
    inputs = x.input_count
    t.called(f"moments_{inputs}", f"moments of mass of a body with {counted(inputs, 'input')}")
    mass, first, second, w = x.m, x.h, x.J if k.d == 2 else x.Sg, x.w
    rate = k.cross(w, first)
    turning = k.zero() if k.d == 2 else k.tilde(w) @ second
    for y in x.inputs:
        mass, first, second = mass + y.mt, first + y.ht, second + y.St
        rate, turning = rate + y.Pt, turning + y.Qt
    x.mc, x.hc = mass, first
    t.state("Sc", second, symmetric=k.d == 3)
    x.Pc, x.Qc = rate, turning
    return "mc", "hc", "Sc", "Pc", "Qc"


@traced
def moved_moments(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moments of mass at the parent's origin and in its axes."""
    t.called("moved_moments", "moments of mass moved to the parent")
    mass, first, second, rate, turning = x.mc, x.hc, x.Sc, x.Pc, x.Qc
    C, r, wp, vr = x.C, x.r, x.up.w, x.vr
    h = t.state("hr", C @ first, MOVED, "h_r")
    P = t.state("Pr", C @ rate, MOVED, "P_r")
    nu = t.state("nu", k.cross(wp, r) + C @ vr, "ṙ_P − ṙ_O = Ω × r + relative velocity", "ν")
    x.ht = h + mass @ r
    if k.d == 2:
        S = second + 2 * r.T @ h + mass @ (r.T @ r)
        Q = turning + P.T @ r + nu.T @ x.ht
    else:
        turned = t.state("SC", second @ C.T, MOVED, "S_C")
        S = C @ turned + r @ h.T + x.ht @ r.T
        Q = C @ t.state("QC", turning @ C.T, MOVED, "Q_C") + P @ r.T + nu @ x.ht.T
    x.mt = mass
    t.state("St", S, symmetric=k.d == 3)
    x.Pt, x.Qt = P + mass @ nu, Q
    return "mt", "ht", "St", "Pt", "Qt"


class _Composite:
    """A link with all that hangs on it."""

    def __init__(self, x: At, k: Algebra) -> None:
        self.k = k
        self.mass: M = x.mc
        self.first: M = x.hc
        self.inertia: M = x.Sc
        self.rate: M = x.Pc
        self.turning: M = x.Qc
        if k.d == 3:
            x.Jc = k.one(k.trace(self.inertia)) - self.inertia
            self.inertia = x.Jc

    def demand(self, lin: M, ang: M) -> M:
        """Mc (r̈, Ω̇)."""
        force = self.mass @ lin + self.k.cross(ang, self.first)
        return self.k.stack(force, self.k.moment(self.first, lin) + self.inertia @ ang)

    def about(self, spin: M, transposed: bool = False) -> M:
        """Σ m ρ × (spin × ρ̇), or what is to this as a transposed matrix is."""
        if self.k.d == 2:
            return self.turning @ spin
        Q = self.turning.T if transposed else self.turning
        return self.k.trace(self.turning) @ spin - Q @ spin


@traced
def demand(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a hinge's unit accelerations demand, how its force feels others, its block of M."""
    freedom, rotor = x.count, x.rotor
    t.called(
        f"demand_{freedom}{'_rotor' if rotor else ''}", f"rows of {counted(freedom, 'freedom')}"
    )
    composite = _Composite(x, k)
    v, H = x.vl, x.H_
    wrenches, names = [], list[str]()
    for j in range(1, freedom + 1):
        direction, theta = _parts(k, k.column(H, j))
        y = t.state("Y", composite.demand(direction, theta), mark=f"_{j}")
        felt = k.moment(v, k.lin(y)) + k.moment(composite.rate, direction)
        felt = felt + composite.about(theta, transposed=True)
        t.state("Z", 2 * felt, mark=f"_{j}")
        wrenches.append(y)
        names += [f"Y_{j}", f"Z_{j}"]
    block = H.T @ k.beside(*wrenches)
    if rotor:
        block = block + k.diagonal(x.rho)
    triangle = [(i, j) for i in range(1, freedom + 1) for j in range(1, i + 1)]
    return *names, *(t.entry("M", block, i, j) for i, j in triangle)


@traced
def varied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How a link's motion varies along each direction of its hinge, and what follows from it.

    `along`: the directions are the coordinates' (`q`) or the speeds' (`v`). `active` says for
    each what of the relative motion varies with it, `law` whether the force law may. With wl
    the parent's angular velocity, (x, θ) the direction and u̇ the rates of the speeds,
    a coordinate turns what comes from the parent: its motion is taken from the link's own.
    """
    along, freedom, active, law = t.ask("along"), x.count, t.ask("active"), t.ask("law")
    said = "".join(f"_{''.join(sorted(names)) or 0}" for names in active)
    t.called(
        f"varied_{along}_{freedom}{said}{'_law' if law else ''}",
        f"directions of {'coordinates' if along == 'q' else 'speeds'}",
    )
    composite = _Composite(x, k)
    link = _Link(x, k, t)
    wrench = x.lam
    spins, motions, forces, names = [], [], [], list[str]()
    for j in range(1, freedom + 1):
        mark = f"_{j}"
        changes = {
            name: t.read(f"d_{name}", mark) if name in active[j - 1] else k.zero()
            for name in RELATIVE
        }
        spin, lin, ang = link.displaced(j, changes) if along == "q" else link.sped(j, changes)
        spin = t.state("dw", spin, mark=mark)
        ang = t.state("beta", ang + k.spins(link.w, spin), mark=mark)
        lin = t.state("da", lin, mark=mark)
        response = composite.demand(lin, ang) + 2 * k.stack(
            k.cross(spin, composite.rate), composite.about(spin)
        )
        response = t.state("dl", response, mark=mark)
        own = link.H.T @ response
        if not changes["H"].nothing:
            own = own + changes["H"].T @ wrench
        forces.append(own - t.read("dT", mark) if law else own)
        spins.append(spin)
        motions.append(k.stack(lin - 2 * k.cross(spin, link.v), ang))
        if along == "q":
            direction, theta = link.direction(j)
            force, moment = _parts(k, wrench)
            turned = k.spins(theta, moment) + k.moment(direction, force)
            response = response + k.stack(k.cross(theta, force), turned)
        t.state("L", response, mark=mark)
        names.append(f"L{mark}")
    for word, columns in ((f"W{along}_", spins), (f"A{along}_", motions)):
        t.state(word, k.beside(*columns))
        names.append(t.port(word))
    whole = -k.beside(*forces)
    square = range(1, freedom + 1)
    return *names, *(t.entry("R", whole, i, j) for i in square for j in square)


def _parts(k: Algebra, motion: M) -> tuple[M, M]:
    return k.lin(motion), k.ang(motion)


class _Link:
    """A link's motion and its hinge's."""

    def __init__(self, x: At, k: Algebra, t: Tracer) -> None:
        self.k = k
        self.lin, self.ang = _parts(k, x.acc)
        self.w, self.v, self.wr, self.vr, self.br, self.bw = x.w, x.vl, x.wr, x.vr, x.br, x.bw
        self.H, self.rate = x.H_, t.numbers("a")
        self.wl = t.state("wl", self.w - self.wr, SPIN, "Ω_l")

    def direction(self, j: int) -> tuple[M, M]:
        """(x, θ): the hinge's motion at a unit of its speed j."""
        return _parts(self.k, self.k.column(self.H, j))

    def displaced(self, j: int, changes: dict[str, M]) -> tuple[M, M, M]:
        """δω, δa and δα along a coordinate's direction."""
        k = self.k
        x, theta = self.direction(j)
        own_lin, own_ang = _parts(k, self.H @ self.rate)
        rest_lin, rest_ang = k.zero(), k.zero()
        if not changes["H"].nothing:
            rest_lin, rest_ang = _parts(k, changes["H"] @ self.rate)
        parent = self.ang - k.spins(self.wl, self.wr) - self.bw - own_ang
        about = k.cross(self.wl, k.cross(self.wl, x))
        back = self.lin - self.br - own_lin
        lin = -k.cross(theta, back) + k.cross(parent, x) + about
        lin = lin + 2 * k.cross(self.wl, k.cross(theta, self.vr) + changes["vr"])
        lin = lin + changes["br"] + rest_lin
        ang = -k.spins(theta, self.ang - self.bw - own_ang)
        ang = ang + k.spins(self.wl, k.spins(theta, self.wr) + changes["wr"])
        ang = ang + changes["bw"] + rest_ang
        return k.spins(self.wl, theta) + changes["wr"], lin, ang

    def sped(self, j: int, changes: dict[str, M]) -> tuple[M, M, M]:
        """δω, δa and δα along a speed."""
        k = self.k
        x, theta = self.direction(j)
        lin = 2 * k.cross(self.wl, x) + changes["br"]
        return theta, lin, k.spins(self.wl, theta) + changes["bw"]


@traced
def row_inwards(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A row moved one link inwards, and its entries of M with the hinge there."""
    t.called(f"row_inwards_{x.count}", "a row moved inwards")
    x.Y = _inwards(x, k, t, "Y")
    y, felt = x.Y, x.Zb
    x.Z = k.turned(x.C, felt)
    return "Y", "Z", *_along(x, t, "M", y)


@traced
def column_inwards(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A column moved one link inwards, and its entries of the hinge there."""
    t.called(f"column_inwards_{x.count}", "a column moved inwards")
    x.L = _inwards(x, k, t, "L")
    return "L", *_along(x, t, "R", -x.L)


def _inwards(x: At, k: Algebra, t: Tracer, name: str) -> M:
    """A wrench at the parent's origin and in its axes."""
    C, r = x.C, x.r
    given = t.read(f"{name}b")
    return k.X(r).T @ t.state(f"{name}t", k.both(C) @ given, MOVED, f"{t.table[name].letter}_t")


def _along(x: At, t: Tracer, name: str, wrench: M) -> tuple[str, ...]:
    """State a wrench along the speeds of a hinge further inwards, if it has any."""
    return t.each(name, t.read("Hp", cols=x.count).T @ wrench) if x.count else ()


@traced
def row_entries(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A row's entries of the directions of a hinge further inwards."""
    along, count = t.ask("along"), x.count
    t.called(f"row_entries_{along}_{count}", "a row's entries")
    y, felt = x.Y, x.Z
    motion = t.read(f"A{along}_")
    entries = motion.T @ y + t.read(f"W{along}_").T @ felt
    return t.each("R", -entries)


@traced
def transposed(x: At, _: Algebra, t: Tracer) -> tuple[str, ...]:
    """An entry where its row is."""
    t.called("transposed", "entries, row by row")
    t.state("value", x.given, ENTRY)
    return ("value",)


@traced
def constant(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A right-hand side's entry that is known."""
    value = t.ask("known")
    t.called(f"constant_{value}", "right-hand sides that are known")
    t.state("value", k.scalar(sp.Integer(value)), "∂τ/∂τ = 1")
    return ("value",)


@traced
def still(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What does not vary along a direction between such as it varies along."""
    rows, cols = t.ask("rows"), t.ask("cols")
    t.called(f"still_{rows}_{cols}", "what does not vary")
    t.state("value", k.zero(rows, cols), "∂x = 0")
    return ("value",)


@traced
def rows(x: At, _: Algebra, t: Tracer) -> tuple[str, ...]:
    """Derivatives of accelerations, each by itself."""
    every = range(1, x.count + 1)
    t.called(f"rows_{x.count}", "derivatives row by row")
    d = t.read("d", rows=x.count)
    for i in every:
        At(t, f"{i}").row = part(d, [i])
    return tuple(f"row{i}" for i in every)


@traced
def needed(x: At, _: Algebra, t: Tracer) -> tuple[str, ...]:
    """A right-hand side: less what inverse dynamics needs."""
    t.called("needed", "derivative of inverse dynamics")
    t.state("value", -x.given, "∂a = −M⁻¹ ∂(inverse dynamics)")
    return ("value",)


@traced
def added(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A motion or a wrench with what accelerations of the hinges add to it."""
    t.called(f"added_{k.n}", "with the accelerations")
    x.total = x.bias + x.more
    return ("total",)
