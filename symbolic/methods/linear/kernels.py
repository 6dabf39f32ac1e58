"""The kernels of the linear transfer matrix method: small motions about rest, in link axes.

A link moves to its place at rest times exp(ξ), ξ = (r, θ) in its axes at rest. V(ξ), the potential
energy of a link and of all that hangs on it, less ½ ω² ξᵀ M ξ, has the slope λ₀ at rest, which is
the wrench that the hinge exerts there, and the Hessian Z: λ = λ₀ + Z ξ. A hinge moves the child by

    ξ = ξ′ + H χ + ½ [ξ′, H χ] + ½ Σ χᵢ χⱼ ∂ⱼHᵢ,   ξ′ = X ξₚ,

so that the products of second order with λ₀ are all that loads at rest add to it.
"""

from __future__ import annotations

import sympy as sp

from ...language.words import counted
from ...mechanics.hinges import Joint, joint
from ...mechanics.letters import MOVED
from ...mechanics.matrices import Algebra, M
from ...mechanics.rotation_vector import slope_stated
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from ...tree.recursion_kernels import inertia, unit_rows
from .letters import ASKED, ELIMINATED, LAW, LINEAR, LOADED, PARENTS, REST

#: What keeps a pivot from being zero, as a part of its size: no other one changes by it in doubles.
SLIGHT = sp.Rational(1, 10**60)

traced = tracing(LINEAR, ASKED, PARENTS)


def turned_loads(k: Algebra, force: M, lever: M, pull: M) -> M:
    """The stiffness of forces that keep their direction: F at c, with c Fᵀ = lever pullᵀ."""
    across = k.tilde(force).half
    along = lever.T @ pull
    if k.d == 3:
        along = k.one(along) - (lever @ pull.T + pull @ lever.T).half
    return k.blocks((k.zero(k.d, k.d), across.T), (across, along))


def midway(k: Algebra, force: M) -> M:
    """What a force λ₀ adds to a Hessian by (r, θ) beside each other to make it one by exp(ξ)."""
    across, spins = k.tilde(force).half, k.n - k.d
    return -k.blocks((k.zero(k.d, k.d), across.T), (across, k.zero(spins, spins)))


def length(k: Algebra, vector: M) -> M:
    """|r|; of a number its own."""
    if vector.value.rows == 1:
        return absolute(k, vector)
    return k.function(sp.sqrt, vector.T @ vector)


def absolute(k: Algebra, number: M) -> M:
    """|x| of a number."""
    return k.function(sp.Abs, number)


@traced
def squared(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """ω² of what moves as e^(s t)."""
    t.called("squared", "square of the frequency")
    x.omega2 = -(x.s**2)
    return ("omega2",)


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The stiffness of a load at r in the link's axes; its size.

    A force F that keeps its direction has one, in space its couple M − r × F has −½ of ~(M − r × F)
    besides; what turns with the body has +½ bar(λ) alone. One that is the end of a line to the
    ground is `sprung`: its springs c along J are the body's own.
    """
    follows, couple, drag = t.ask("follows"), t.ask("couple"), sp.Matrix([t.ask("drag")])
    sprung = t.ask("sprung")
    label = f"{'_of_body' * follows}{'_couple' * couple}{'_dragged' * any(drag)}"
    label += "_sprung" * sprung
    t.called(f"load_at_rest{label}", "stiffness of a load")
    force, r = k.lin(x.W), x.r
    own = t.state("own", k.ang(x.W) - k.moment(r, force), LOADED, "M_l") if couple else k.zero()
    if follows:
        Kl = k.bar(x.W).half
    else:
        Kl = turned_loads(k, force, r, force)
        if couple and k.d == 3:
            none = k.zero(3, 3)
            Kl = Kl - k.blocks((none, none), (none, k.tilde(own))).half
    if any(drag):
        t.singles(drag)
        along = k.beside(k.unit_matrix(k.d), k.tilde(r).T)
        Kl = Kl + x.s @ k.formula(drag) @ (along.T @ along)
    x.sl = length(k, force)
    size = x.sl @ length(k, r)
    x.sn = size + length(k, own) if couple else size
    if not sprung:
        x.Kl = Kl
        return "Kl", "sl", "sn"
    J, c = t.read("Jl", cols=k.d + 1), t.read("ca", rows=k.d + 1)
    x.Kl = Kl + J @ k.diagonal(c) @ J.T
    x.sla = absolute(k, k.entry(c, 1, 1)) + absolute(k, k.entry(c, 2, 1))
    x.slb = x.sla @ (r.T @ r)
    return "Kl", "sl", "sn", "sla", "slb"


@traced
def stiff(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """κ: the stiffness of a hinge's laws at rest, of a torsional spring k (1 + c ~e ~e)."""
    slopes, torsion, turn = t.ask("slopes"), t.ask("torsion"), t.ask("turn")
    t.called(f"stiffness_{t.ask('label')}", "stiffness in a hinge")
    own, viscous = sp.Matrix(slopes), sp.Matrix(t.ask("viscous"))
    t.singles(own, viscous, sp.Matrix([torsion, *turn]))
    total = k.formula(own)
    if any(viscous):
        total = total + x.s @ k.formula(viscous)
    if turn:

        def let(name: str, value: sp.Matrix) -> sp.Matrix:
            return t.state(name, k.formula(value), LAW).value

        c, e = slope_stated(let, turn)
        c_, e_ = k.scalar(c), k.formula(e)
        spring = k.scalar(torsion) @ (k.unit_matrix(3) + c_ @ (k.tilde(e_) @ k.tilde(e_)))
        rows = own.rows - 3
        if rows:
            spring = k.diag(k.zeros(rows, rows), spring)
        total = total + spring
    x.kap_ = total
    return (t.port("kap_"),)


@traced
def bend(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """λ₀ · ∂ⱼHᵢ of a hinge whose freedoms turn each other, made even."""
    t.called(f"bend_{x.kind}{'_backward' if x.backward else ''}", f"curvature of {x.kind} hinge")
    rates = t.ask("rates")  # by i, then j: ∂ⱼHᵢ
    t.singles(*rates, table=t.table)
    x.bend_ = k.formula(curved(x.rest.value, rates))
    t.entries("rest")
    return (t.port("bend_"),)


def curved(wrench: sp.Matrix, rates: tuple[sp.Matrix, ...]) -> sp.Matrix:
    """λ · ∂ⱼHᵢ, the even part, of these rates by i, with a column for each j."""

    def entry(i: int, j: int) -> sp.Expr:
        return (wrench.T * (rates[i][:, j] + rates[j][:, i]))[0] / 2

    return sp.Matrix(len(rates), len(rates), entry)


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link and all that hangs on it demand: λ = λ₀ + Z ξ."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    label += f"{f'_cut_{x.cut_count}' if x.cut_count else ''}{'_spun' * x.spins}"
    t.called(f"at_rest_{label}", f"rigid body at rest with {counted(inputs, 'input')}")
    m, h, nu = x.m, x.h, x.omega2
    x.ag = x.A.T @ x.g
    weight = m @ x.ag
    x.Kg = turned_loads(k, weight, h, x.ag)
    Z = x.Kg - nu @ inertia(x, k, t)
    if x.spins:
        none = k.zero(k.d, k.d)
        Z = Z - x.s @ t.abbreviate("Γ", k.blocks((none, none), (none, k.tilde(x.hW))))
    for y in x.inputs:
        Z = Z + y.Zt
    for y in x.by:
        Z = Z + y.Kl
    x.Z = Z
    if x.laden:
        return ("Z",)
    x.rest = _borne(x, k, t)
    return "rest", "Z"


def _borne(x: At, k: Algebra, t: Tracer) -> M:
    """The slope of V at rest: of weight, of what hangs on the link, of loads and cut hinges."""
    rest = -k.stack(x.m @ x.ag, k.moment(x.h, x.ag))
    for y in x.inputs:
        rest = rest + y.restt
    for y in x.by:
        rest = rest - y.W
    for number in range(1, x.cut_count + 1):
        rest = rest + t.read("Rc", f"_{number}")
    return rest


@traced
def borne(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a body's hinge exerts at rest, where beams have to know before they are passed."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    t.called(f"borne_{label}", f"wrench on a body at rest with {counted(inputs, 'input')}")
    x.ag = x.A.T @ x.g
    x.rest = _borne(x, k, t)
    return ("rest",)


@traced
def handed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """λ₀ about the parent's origin, and what the hinge exerts along its freedoms."""
    freedom, rest, _ = x.freedom, x.rest, x.r
    t.called(
        f"handed_{freedom}{x.way.label}", f"wrench at rest behind {counted(freedom, 'freedom')}"
    )
    to_parent = Transport(x, k, t, MOVED)
    x.restt = (to_parent.X.T @ rest).by(to_parent.wrenches("restr", rest).value)
    along = t.each("er", t.state("along0", x.H_.T @ rest, REST, "τ₀")) if freedom else ()
    return "restt", *along


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Eliminate the hinge's own displacement χ, and move what is left to the parent.

    V is stationary by χ: D χ + Y ξ′ + Hᵀ p = τ, so that χ = k − G ξ′ and Zh = Z − B G. Of an
    energy Y = Bᵀ; the same holds of virtual work, without.
    """
    freedom = x.freedom
    added = [word for word in ("stiff", "bent", "rotor") if t.ask(word)] if freedom else []
    kind = f"{freedom}{''.join(f'_{word}' for word in added)}"
    whose = "" if x.even else "_uneven"
    t.called(
        f"yield_{kind}{whose}{x.way.label}", f"hinge with {counted(freedom, 'freedom')} at rest"
    )
    Z, _ = x.Z, x.r
    rest = x.rest if freedom or not x.laden else k.zero(k.n)
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    x.Zh = _eliminated(x, k, t) if freedom else Z
    if freedom:
        outputs += [t.port("B_"), t.port("D_"), t.port("G_")]
    X = to_parent.X
    x.Zt = (X.T @ x.Zh @ X).by(_moved(x, t, to_parent).value)
    outputs += ["Zh", "Zt"]
    if not x.laden:
        x.restt = (X.T @ rest).by(to_parent.wrenches("restr", rest).value)
        outputs.append("restt")
    return tuple(outputs)


def _moved(x: At, t: Tracer, to_parent: Transport) -> M:
    """Zh about the parent's origin and in its axes; of one that is not even side by side."""
    if x.even:
        return to_parent.inertia(x.Zh)
    half = t.state("Zw", to_parent.wrenches("Zw_", x.Zh), MOVED, "Z_w")
    return to_parent.wrenches("Zv_", half.T).T


def demanded(x: At, k: Algebra, t: Tracer) -> M:
    """State what a unit displacement of the hinge demands, B of the link and D along it."""
    H, Z = x.H_, x.Z
    turned: M = k.bar(x.rest) @ H
    x.ZH = Z @ H
    x.B_ = x.ZH - turned.half
    own = k.scalar(SLIGHT) @ k.diagonal(x.size_)
    if x.stiff:
        own = own + x.kap_
    if x.bent:
        own = own + x.bend_
    if x.rotor:
        own = own - x.omega2 @ k.diagonal(x.rho)
    x.own_ = own
    x.D_ = H.T @ x.ZH + x.own_
    if not x.even:
        x.Y_ = H.T @ Z - turned.half.T
    return turned


def _eliminated(x: At, k: Algebra, t: Tracer) -> M:
    """Z without what the hinge yields to."""
    turned = demanded(x, k, t)
    H, Z, Y = x.H_, x.Z, x.B_.T if x.even else x.Y_
    G = M(t.solve("G_", x.D_, Y, ELIMINATED), t.known(t.port("G_")).tree)
    left: M = Z - x.B_ @ G
    of: Joint = joint(k.d, x.kind)
    gone = of.eliminated(x.backward)
    unit = unit_rows(of, x.backward, gone)
    if not len(unit):
        return left
    # Zh H = ½ bar(λ₀) H + Qᵀ (κ′ − ½ Hᵀ bar(λ₀) H), where products would cancel; Hᵀ Zh likewise.
    half, Q = turned.half.value, G.value
    if not x.even:
        Q = t.solve("Q_", x.D_.T, x.B_.T, ELIMINATED)
    inner = H.value.T * half
    columns = (half + Q.T * (x.own_.value - inner)) * unit.T
    rows = columns.T if x.even else unit * (half.T + (x.own_.value + inner) * G.value)
    return left.by(_with_columns(left.value, columns, rows, gone))


def _with_columns(
    value: sp.Matrix, columns: sp.Matrix, rows: sp.Matrix, at: tuple[int, ...]
) -> sp.Matrix:
    """A matrix with other columns, and rows, at these places."""
    found = sp.Matrix(value)
    for k, i in enumerate(at):
        found[:, i], found[i, :] = columns[:, k], rows[k, :]
    return found
