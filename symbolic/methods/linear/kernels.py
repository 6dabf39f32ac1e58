"""The kernels of the linear transfer matrix method: small motions about rest, in link axes.

A link moves to its place at rest times exp(ξ), ξ = (r, θ) in its axes at rest. V(ξ), the potential
energy of a link and of all that hangs on it, less ½ ω² ξᵀ M ξ, has the slope λ₀ at rest, which is
the wrench that the hinge exerts there, and the Hessian Z: λ = λ₀ + Z ξ. A hinge moves the child by

    ξ = ξ′ + H χ + ½ [ξ′, H χ] + ½ Σ χᵢ χⱼ ∂ⱼHᵢ,   ξ′ = X ξₚ,

so that the products of second order with λ₀ are all that loads at rest add to it.
"""

from __future__ import annotations

import sympy as sp

from ....model.expressions.functions import step
from ...language.letters import letters
from ...language.words import counted
from ...mechanics.hinges import Joint, joint
from ...mechanics.letters import FACTS, LETTERS, MOVED, OF_PARENT
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.rotation_vector import slope_stated
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport
from ...tree.recursion_kernels import external, inertia, unit_rows

REST = "own: slope of V at rest"
STIFF = "own: Hessian of V at rest"
LOADED = "own: −F · (½ θ × r + ½ θ × (θ × c)) of a force F at c, differentiated twice"
LAW = "own: −∂τ/∂χ at rest, and −s ∂τ/∂χ̇"
FREQUENCY = "own: ω² = −s²"
SPUN = "own: W J_x x̂ of a body that spins about its x axis by W"
HINGE = "own: ξ = ξ′ + H χ + ½ [ξ′, H χ] + … put into V"
ELIMINATED = "own: Hᵀ λ = τ at the hinge, χ eliminated"
PIVOT = "own: L D Lᵀ of D, freedom by freedom"
CUT = "own: ξ_b = ξ_a′ + H χ + ½ [ξ_a′, H χ] at a cut hinge, times its wrench λ_c"
TIED = "own: forces between points as springs c between displacements, column by column"
COUNT = "Sylvester, Haynsworth: negative pivots are eigenvalues below ω²"
SIZE = "own: what D would be made of if nothing in it cancelled"
FOUND = "own: back-substitution, χ = k − G ξ′"
RESULT = "own: at the centre of mass, in inertial axes"

#: What keeps a pivot from being zero, as a part of its size: no other one changes by it in doubles.
SLIGHT = sp.Rational(1, 10**60)

#: What keeps sizes from being zero where ω² is, in 1/s².
FLOOR = sp.Rational(1, 10**30)

LINEAR = LETTERS | letters(f"""
    omega2 | ν   | 1       | {FREQUENCY} | square of the circular frequency, ω², 1/s²
    s      | s   | 1       | | complex frequency of e^(s t), 1/s
    hW     | h_W | d       | {SPUN} | angular momentum of a body's own spin, in link axes
    ag     | g_l | d       | {REST} | gravity, in link axes, m/s²
    rest   | λ₀  | n       | {REST} | wrench that the hinge exerts on the link at rest
    restt  | λ₀t | n       | {MOVED} | λ₀ about the parent's origin and in its axes
    Kg     | K_g | n n sym | {LOADED} | stiffness that a body's weight gives it
    Kl     | K_l | n n even | {LOADED} | stiffness that a load at rest gives the body
    Z      | Z   | n n even | {STIFF} | dynamic stiffness of a link and all that hangs on it
    kap_   | κ   | f f even | {LAW} | stiffness of the hinge's law along its freedoms
    bend_  | b   | f f sym | {HINGE} | λ₀ · ∂ⱼHᵢ, its even part
    ZH     | Z_H | n f     | {HINGE} | wrench that unit displacements of the hinge demand
    B_     | B   | n f     | {HINGE} | the same, and what λ₀ adds in axes that are turned
    own_   | κ′  | f f even | {HINGE} | what the hinge itself adds to D
    Y_     | Y   | f n     | {HINGE} | forces along the freedoms per displacement of the parent
    D_     | D   | f f even | {HINGE} | dynamic stiffness along the freedoms of the hinge
    G_     | G   | f n     | {ELIMINATED} | what the parent's displacement takes from χ
    Q_     | Q   | f n     | {ELIMINATED} | G, were all matrices transposed
    Zh     | Zh  | n n even | {ELIMINATED} | Z behind the hinge, whose own freedoms are eliminated
    Zt     | Zt  | n n even | {MOVED} | Zh about the parent's origin and in its axes
    sa     | a   | 1       | {SIZE} | size of the inertia of a shift
    sb     | b   | 1       | {SIZE} | size of the inertia of a turn
    sf     | a_f | 1       | {SIZE} | size of the forces at rest
    sm     | a_m | 1       | {SIZE} | size of the moments at rest
    sat    | at  | 1       | {MOVED} | a, handed on to the parent
    sbt    | bt  | 1       | {MOVED} | b about the parent's origin
    sft    | a_ft | 1      | {MOVED} | a_f, handed on to the parent
    smt    | a_mt | 1      | {MOVED} | a_m about the parent's origin
    sl     | l_f | 1       | {SIZE} | size of a load's force
    sn     | l_m | 1       | {SIZE} | size of a load's moment
    piv_   | d   | f       | {PIVOT} | pivots along the freedoms of the hinge
    size_  | δ   | f       | {SIZE} | sizes of the pivots
    nbefore | n₀ | 1       | | negative pivots of the links before
    lbefore | l₀ | 1       | | logarithm of the pivots of the links before
    cbefore | η₀ | 1       | | sum of sizes over pivots of the links before
    abefore | φ₀ | 1       | | angle of the pivots of the links before
    angle  | φ   | 1       | own | angle of the pivots of the links up to this one
    below  | n   | 1       | {COUNT} | negative pivots of the links up to this one
    logdet | l   | 1       | own | logarithm of the pivots of the links up to this one
    worst  | η   | 1       | own | sum of sizes over pivots of the links up to this one
    pivot  | ρ   | 1       | own: below the least of all | how small pivots are of their sizes
    n      | n   | d       | | direction of a line, from its first point to its second
    dist   | L₀  | 1       | | length of a line
    pull   | T   | 1       | | tension of a line
    steep  | T′  | 1       | {TIED} | rate of the tension per length
    ca     | c   | 1       | {TIED} | stiffness of what ties bodies, column by column
    Va     | V   | d 1     | {TIED} | directions that a line's ends move along
    Jl     | J_l | n 1     | {TIED} | how far a line's end moves along these per displacement
    S      | S   | 1 1     | | the places of a tie's columns among all
    cut    | l_c | 6       | | moment and force at a cut hinge at rest, as joint loads have them
    ra     | r_a | d       | | the parent's point, from the origin of its link
    lc     | λ_c | n       | {CUT} | wrench of a cut hinge on its child at rest, in its point's axes
    kap    | κ   | f f even | {LAW} | stiffness of a cut hinge's law along its freedoms
    kc     | κ_c | f f even | {CUT} | stiffness along the freedoms of a cut hinge
    kept   | a   | 1       | | 1 of a condition, 0 of one that follows from others
    cola   | J_a | n w     | {CUT} | how far a cut hinge opens per displacement of its parent's link
    colb   | J_b | n w     | {CUT} | how far a cut hinge opens per displacement of its child's link
    Ra     | R_a | n       | {CUT} | what a cut hinge at rest makes its parent's link demand
    Rb     | R_b | n       | {CUT} | what a cut hinge at rest makes its child's link demand
    Rc     | R   | n       | | what a cut hinge at rest makes the link demand
    xa     | x_a | d       | | origin of the parent's link, m
    xb     | x_b | d       | | origin of the child's link, m
    Aa     | A_a | d d rot | | direction cosines of the parent's link
    Ab     | A_b | d d rot | | direction cosines of the child's link
    rb     | r_b | d       | | the child's point, from the origin of its link
    Kb     | K_b | d d rot | | rotation from the axes of the child's point to its link's
    E_     | E   | n w     | {TIED} | how far all ties open per displacement of the link
    O_     | O   | n w     | {TIED} | the same where forces in ties are others, E, by what spins
    Ot_    | Ot  | n w     | {MOVED} | O behind the hinge, about the parent's origin and in its axes
    Po_    | P_o | f w     | {TIED} | how far ties open per displacement of the hinge, by O
    L_     | Λ   | w w even | {TIED} | how far they yield to unit forces in them
    Et_    | Et  | n w     | {MOVED} | E behind the hinge, about the parent's origin and in its axes
    Lt_    | Λt  | w w even | {ELIMINATED} | Λ behind the hinge
    Pe_    | P   | f w     | {TIED} | how far ties open per displacement of the hinge
    N_     | N   | f w     | {ELIMINATED} | what forces in the ties take from χ
    ozt_   | o   | w       | {TIED} | how far harmonic loads open the ties
    y      | y   | w       | {TIED} | how far the ties open
    zeta_  | ζ   | w       | {TIED} | forces in the ties
    f      | f   | n       | | amplitude of force and couple, in inertial axes
    tau    | τ_a | 1       | | amplitude of a force applied along a freedom of the hinge
    pz     | p   | n       | {REST} | the part of λ that does not depend on ξ
    kz_    | k   | f       | {ELIMINATED} | displacements of the hinge if the parent stays
    pzh    | ph  | n       | {ELIMINATED} | p behind the hinge
    pzt    | pt  | n       | {MOVED} | ph about the parent's origin and in its axes
    xi     | ξ   | n       | {FOUND} | displacement of the link, in its axes
    xi0    | ξ′  | n       | {FOUND} | displacement of the parent at the link's origin
    eta    | χ   | 1       | {FOUND} | displacement along a freedom of the hinge
    rC_xi  | r′  | d       | {RESULT} | displacement of the centre of mass, in link axes
    disp   | u   | n       | {RESULT} | displacement of the centre of mass, and rotation
    mom    | P   | n       | {RESULT} | inertia times displacement of the body
    romom  | P_s | 1       | own | inertia of a rotor times its displacement
""")

#: What a law may read of its line.
LINE = {"dist": LINEAR["dist"]}

ASKED = {
    **FACTS,
    "stiff": lambda tree, link: tree.stiff(link),
    "held": lambda tree, link: link.name in tree.tying,
    "width": lambda tree, _: tree.width,
    "carried": lambda tree, link: tree.carried(link),
    "tied": lambda tree, link: tuple(tree.tied[k].width for k, _ in tree.pulled(link)),
    "cut_count": lambda tree, link: len(tree.cut_at(link)),
    "forced": lambda tree, _: tree.forced,
    "bent": lambda tree, link: tree.bent(link),
    "even": lambda tree, _: tree.even,
    "spins": lambda tree, link: tree.spins(link),
    "phased": lambda tree, _: tree.phased,
}

PARENTS = {**OF_PARENT, "xi": "xip"}

traced = tracing(LINEAR, ASKED, PARENTS)


def turned_loads(k: Algebra, force: M, lever: M, pull: M) -> M:
    """The stiffness of forces that keep their direction: F at c, with c Fᵀ = lever pullᵀ."""
    across = k.tilde(force).half
    along = lever.T @ pull
    if k.d == 3:
        along = k.one(along) - (lever @ pull.T + pull @ lever.T).half
    return k.blocks((k.zero(k.d, k.d), across.T), (across, along))


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
    besides; what turns with the body has +½ bar(λ) alone.
    """
    follows, couple, drag = t.ask("follows"), t.ask("couple"), sp.Matrix([t.ask("drag")])
    label = f"{'_of_body' * follows}{'_couple' * couple}{'_dragged' * any(drag)}"
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
    x.Kl = Kl
    x.sl = length(k, force)
    size = x.sl @ length(k, r)
    x.sn = size + length(k, own) if couple else size
    return "Kl", "sl", "sn"


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
    rest, Z = -k.stack(weight, k.moment(h, x.ag)), x.Kg - nu @ inertia(x, k, t)
    if x.spins:
        none = k.zero(k.d, k.d)
        Z = Z - x.s @ t.abbreviate("Γ", k.blocks((none, none), (none, k.tilde(x.hW))))
    for y in x.inputs:
        rest, Z = rest + y.restt, Z + y.Zt
    for y in x.by:
        rest, Z = rest - y.W, Z + y.Kl
    for number in range(1, x.cut_count + 1):
        rest = rest + t.read("Rc", f"_{number}")
    x.rest, x.Z = rest, Z
    return "rest", "Z"


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
    Z, rest, _ = x.Z, x.rest, x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    x.Zh = _eliminated(x, k, t, Z, rest) if freedom else Z
    if freedom:
        outputs += [t.port("B_"), t.port("D_"), t.port("G_")]
    X = to_parent.X
    x.Zt = (X.T @ x.Zh @ X).by(_moved(x, t, to_parent).value)
    x.restt = (X.T @ rest).by(to_parent.wrenches("restr", rest).value)
    return *outputs, "Zh", "Zt", "restt"


def _moved(x: At, t: Tracer, to_parent: Transport) -> M:
    """Zh about the parent's origin and in its axes; of one that is not even side by side."""
    if x.even:
        return to_parent.inertia(x.Zh)
    half = t.state("Zw", to_parent.wrenches("Zw_", x.Zh), MOVED, "Z_w")
    return to_parent.wrenches("Zv_", half.T).T


def _eliminated(x: At, k: Algebra, t: Tracer, Z: M, rest: M) -> M:
    """Z without what the hinge yields to."""
    H = x.H_
    turned = k.bar(rest) @ H
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
    if x.even:
        Y = x.B_.T
    else:
        x.Y_ = H.T @ Z - turned.half.T
        Y = x.Y_
    G = M(t.solve("G_", x.D_, Y, ELIMINATED), t.known(t.port("G_")).tree)
    left = Z - x.B_ @ G
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


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The sizes of what Z of a link is made of: of masses by ω², and of forces at rest."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    label += "_spun" * x.spins
    t.called(f"sized_{label}", f"sizes of a body with {counted(inputs, 'input')}")
    m, h, nu, g = x.m, x.h, x.omega2, x.g
    size = t.state("sizenu", absolute(k, nu) + k.scalar(FLOOR), SIZE, "ν_a")
    a, b = size @ m, size @ (x.J if k.d == 2 else k.trace(x.J))
    if x.spins:
        b = b + absolute(k, x.s) @ length(k, x.hW)
    pull = t.state("sizeg", length(k, g), SIZE, "g_a")
    force, moment = m @ pull, length(k, h) @ pull
    for y in x.inputs:
        a, b, force, moment = a + y.sat, b + y.sbt, force + y.sft, moment + y.smt
    for y in x.by:
        force, moment = force + y.sl, moment + y.sn
    x.sa, x.sb, x.sf, x.sm = a, b, force, moment
    return "sa", "sb", "sf", "sm"


@traced
def sizes(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What D along each freedom would be made of, and the sizes at the parent's origin.

    A shift by r makes of the size b of a turn b + a |r|, as it is of masses in a line.
    """
    freedom = x.freedom
    added = [word for word in ("stiff", "rotor") if t.ask(word)] if freedom else []
    kind = f"{freedom}{''.join(f'_{word}' for word in added)}"
    t.called(f"sizes_{kind}", f"sizes along {counted(freedom, 'freedom')}")
    a, b, force, moment, r = x.sa, x.sb, x.sf, x.sm, x.r
    ab = t.state("ab", k.function(sp.sqrt, a @ b), SIZE)
    outputs = list[str]()
    if freedom:
        H = x.H_
        found = []
        for j in range(1, freedom + 1):
            v, w = length(k, k.lin(k.column(H, j))), length(k, k.ang(k.column(H, j)))
            v = t.state(f"v{j}", v, SIZE, f"v{j}")
            w = t.state(f"w{j}", w, SIZE, f"w{j}")
            size = a @ v**2 + 2 * (ab @ (v @ w)) + b @ w**2 + (moment @ w + force @ v) @ w
            if x.stiff:
                size = size + absolute(k, k.entry(x.kap_, j, j))
            if x.rotor:
                size = size + absolute(k, x.omega2) @ k.entry(x.rho, j, 1)
            found.append(size)
        x.size_ = k.stack(*found)
        outputs += [t.port("size_")]
    arm = t.state("arm", length(k, r), SIZE)
    x.sat, x.sft = a, force
    x.sbt = b + 2 * (ab @ arm) + a @ arm**2
    x.smt = moment + force @ arm
    return *outputs, "sat", "sbt", "sft", "smt"


@traced
def pivots(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The pivots of D along the freedoms of a hinge."""
    t.called(f"pivots_{x.freedom}", f"pivots of {counted(x.freedom, 'freedom')}")
    x.piv_ = pivots_of(x.D_, k, t, x.even)
    return (t.port("piv_"),)


def pivots_of(whole: M, k: Algebra, t: Tracer, even: bool = True) -> M:
    """The pivots of a matrix: the first entries of what is left of it, one by one."""
    left, found, freedom = whole, [], whole.value.rows
    for j in range(1, freedom + 1):
        first = k.entry(left, 1, 1)
        found.append(first)
        if j < freedom:
            rest = range(2, left.value.rows + 1)
            row = part(left, [1], rest)
            column = row.T if even else part(left, rest, [1])
            smaller = part(left, rest, rest) - column @ first.inverse @ row
            value = part(left, rest, rest).value - column.value * row.value / first.value[0]
            left = t.state(f"L{j + 1}", smaller.by(value), PIVOT, symmetric=even)
    return k.stack(*found)


@traced
def counted_up(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Pivots below zero, log |d| and δ/|d|, added to those of the links before."""
    freedom, last, phased = x.freedom, t.ask("last"), x.phased
    t.called(
        f"count_{freedom}{'_phased' * phased}{'_last' if last else ''}", "negative pivots, counted"
    )
    d, size = x.piv_, x.size_
    n, logs, worst = x.nbefore, x.lbefore, x.cbefore
    angle = x.abefore if phased else k.zero()
    for j in range(1, freedom + 1):
        own = k.entry(d, j, 1)
        n = n + (k.scalar(sp.Integer(1)) - k.function(step, own))
        logs = logs + k.function(sp.log, absolute(k, own))
        worst = worst + k.entry(size, j, 1) / absolute(k, own)
        if phased:
            angle = angle + k.function(sp.arg, own)
    x.below, x.logdet, x.worst = n, logs, worst
    outputs = ["below", "logdet", "worst"]
    if phased:
        x.angle = angle
        outputs.append("angle")
    if last:
        x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
        outputs.append("pivot")
    return tuple(outputs)


@traced
def pushed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What harmonic loads on a link and all that hangs on it demand: λ − λ₀ = Z ξ + p."""
    inputs = x.input_count
    t.called(f"driven_{inputs}", f"harmonic load on a body with {counted(inputs, 'input')}")
    p = -t.abbreviate("f_ext", external(x, k)) if x.loaded else k.zeros(k.n, 1)
    for y in x.inputs:
        p = p + y.pzt
    x.pz = p
    return ("pz",)


@traced
def passed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p behind the hinge, whose displacement is χ = k − G ξ′, and at the parent's origin."""
    freedom = x.freedom
    title = f"harmonic load behind {counted(freedom, 'freedom')}"
    t.called(f"passed_{freedom}{x.way.label}", title)
    p, _ = x.pz, x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    if freedom:
        H, D = x.H_, x.D_
        force = t.numbers("tau", count=freedom) if x.forced else k.zero(freedom)
        rate = force - H.T @ p
        found = t.solve("kz_", D, rate, ELIMINATED)
        kz = M(found, t.known(t.port("kz_")).tree)
        x.pzh = p + x.B_ @ kz
        outputs += [t.port("kz_")]
    else:
        x.pzh = p
    x.pzt = (to_parent.X.T @ x.pzh).by(to_parent.wrenches("pzr", x.pzh).value)
    return *outputs, "pzh", "pzt"


@traced
def moved(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's displacement to the hinge's own and the link's, in link axes."""
    freedom = x.freedom
    tied = "_tied" if freedom and x.held else ""
    t.called(
        f"moved_{freedom}{tied}{x.way.label}", f"displacement behind {counted(freedom, 'freedom')}"
    )
    parent, _ = x.up.xi, x.r
    to_parent = Transport(x, k, t, MOVED)
    x.xi0 = (to_parent.X @ parent).by(to_parent.motion("xi", parent).value)
    total, outputs = x.xi0, tuple[str, ...]()
    if freedom:
        own = x.kz_ - x.G_ @ x.xi0
        if x.held:
            own = own - x.N_ @ x.zeta_
        own = t.state("own", own, FOUND, "χ")
        outputs = t.each("eta", own)
        total = total + x.H_ @ own
        spins = k.diagonal(x.rho) @ own if x.rotor else k.zeros(freedom, 1)
        outputs = (*outputs, *t.each("romom", spins))
    x.xi = total
    return "xi", "xi0", *outputs


@traced
def seen(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's displacement at its centre of mass, and its inertia times that, in inertial axes."""
    t.called("displaced", "displacement of a body")
    xi, A, m, J = x.xi, x.A, x.m, x.JC
    x.rC_xi = k.lin(xi) + k.cross(k.ang(xi), x.rC)
    x.disp = k.stack(A @ x.rC_xi, k.turned(A, k.ang(xi)))
    spin = t.state("spin", J @ k.ang(xi), RESULT, "L")
    x.mom = k.stack(m @ (A @ x.rC_xi), k.turned(A, spin))
    return "disp", "mom"
