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
from ...language.program import Policy
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
LAW = "own: −∂τ/∂χ at rest, the even part"
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
    omega2 | ν   | 1       | | square of the circular frequency, ω², 1/s²
    ag     | g_l | d       | {REST} | gravity, in link axes, m/s²
    rest   | λ₀  | n       | {REST} | wrench that the hinge exerts on the link at rest
    restt  | λ₀t | n       | {MOVED} | λ₀ about the parent's origin and in its axes
    Kg     | K_g | n n sym | {LOADED} | stiffness that a body's weight gives it
    Kl     | K_l | n n sym | {LOADED} | stiffness that a load at rest gives the body
    Z      | Z   | n n sym | {STIFF} | dynamic stiffness of a link and all that hangs on it
    kap_   | κ   | f f sym | {LAW} | stiffness of the hinge's law along its freedoms
    bend_  | b   | f f sym | {HINGE} | λ₀ · ∂ⱼHᵢ, its even part
    ZH     | Z_H | n f     | {HINGE} | wrench that unit displacements of the hinge demand
    B_     | B   | n f     | {HINGE} | the same, and what λ₀ adds in axes that are turned
    own_   | κ′  | f f sym | {HINGE} | what the hinge itself adds to D
    D_     | D   | f f sym | {HINGE} | dynamic stiffness along the freedoms of the hinge
    G_     | G   | f n     | {ELIMINATED} | what the parent's displacement takes from χ
    Zh     | Zh  | n n sym | {ELIMINATED} | Z behind the hinge, whose own freedoms are eliminated
    Zt     | Zt  | n n sym | {MOVED} | Zh about the parent's origin and in its axes
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
    L_     | Λ   | w w sym | {TIED} | how far they yield to unit forces in them
    Et_    | Et  | n w     | {MOVED} | E behind the hinge, about the parent's origin and in its axes
    Lt_    | Λt  | w w sym | {ELIMINATED} | Λ behind the hinge
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
    "stiff": lambda tree, link: not tree.stiffness(link).nothing,
    "held": lambda tree, link: link.name in tree.tying,
    "width": lambda tree, _: tree.width,
    "carried": lambda tree, link: tree.carried(link),
    "tied": lambda tree, link: tuple(tree.tied[k].width for k, _ in tree.pulled(link)),
    "cut_count": lambda tree, link: len(tree.cut_at(link)),
    "forced": lambda tree, _: tree.forced,
    "bent": lambda tree, link: tree.bent(link),
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
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The stiffness of a force that keeps its direction, at r in the link's axes; its size."""
    t.called("load_at_rest", "stiffness of a load at rest")
    force, r = k.lin(x.W), x.r
    x.Kl = turned_loads(k, force, r, force)
    x.sl = length(k, force)
    x.sn = x.sl @ length(k, r)
    return "Kl", "sl", "sn"


@traced
def stiff(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """κ: the stiffness of a hinge's laws at rest, of a torsional spring k (1 + c ~e ~e)."""
    slopes, torsion, turn = t.ask("slopes"), t.ask("torsion"), t.ask("turn")
    t.called(f"stiffness_{t.ask('label')}", "stiffness in a hinge")
    own = sp.Matrix(slopes)
    t.singles(own, sp.Matrix([torsion, *turn]))
    total = k.formula(own)
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
    rest, freedom = x.rest.value, x.count
    whole = sp.Matrix(
        freedom, freedom, lambda i, j: (rest.T * (rates[i][:, j] + rates[j][:, i]))[0] / 2
    )
    t.entries("rest")
    x.bend_ = k.formula(whole)
    return (t.port("bend_"),)


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link and all that hangs on it demand: λ = λ₀ + Z ξ."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    label += f"_cut_{x.cut_count}" if x.cut_count else ""
    t.called(f"at_rest_{label}", f"rigid body at rest with {counted(inputs, 'input')}")
    m, h, nu = x.m, x.h, x.omega2
    x.ag = x.A.T @ x.g
    weight = m @ x.ag
    x.Kg = turned_loads(k, weight, h, x.ag)
    rest, Z = -k.stack(weight, k.moment(h, x.ag)), x.Kg - nu @ inertia(x, k, t)
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

    V is stationary by χ: D χ + Bᵀ ξ′ + Hᵀ p = τ, so that χ = k − G ξ′ and Zh = Z − B G.
    """
    freedom = x.freedom
    added = [word for word in ("stiff", "bent", "rotor") if t.ask(word)] if freedom else []
    kind = f"{freedom}{''.join(f'_{word}' for word in added)}"
    t.called(f"yield_{kind}{x.way.label}", f"hinge with {counted(freedom, 'freedom')} at rest")
    Z, rest, _ = x.Z, x.rest, x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    x.Zh = _eliminated(x, k, t, Z, rest) if freedom else Z
    if freedom:
        outputs += [t.port("B_"), t.port("D_"), t.port("G_")]
    X = to_parent.X
    x.Zt = (X.T @ x.Zh @ X).by(to_parent.inertia(x.Zh).value)
    x.restt = (X.T @ rest).by(to_parent.wrenches("restr", rest).value)
    return *outputs, "Zh", "Zt", "restt"


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
    G = M(t.solve("G_", x.D_, x.B_.T, ELIMINATED), t.known(t.port("G_")).tree)
    left = Z - x.B_ @ G
    of: Joint = joint(k.d, x.kind)
    gone = of.eliminated(x.backward)
    unit = unit_rows(of, x.backward, gone)
    if not len(unit):
        return left
    # Zh H = ½ bar(λ₀) H + Gᵀ (κ′ − ½ Hᵀ bar(λ₀) H), where products would cancel.
    half = turned.half.value
    kept = half + G.value.T * (x.own_.value - H.value.T * half)
    return left.by(_with_columns(left.value, kept * unit.T, gone))


def _with_columns(value: sp.Matrix, columns: sp.Matrix, at: tuple[int, ...]) -> sp.Matrix:
    """A symmetric matrix with other columns, and rows, at these places."""
    found = sp.Matrix(value)
    for k, i in enumerate(at):
        for j in range(value.rows):
            found[i, j] = found[j, i] = columns[j, k]
    return found


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The sizes of what Z of a link is made of: of masses by ω², and of forces at rest."""
    inputs, pushes = x.input_count, x.push_count
    label = f"{inputs}{f'_pushed_{pushes}' if pushes else ''}"
    t.called(f"sized_{label}", f"sizes of a body with {counted(inputs, 'input')}")
    m, h, nu, g = x.m, x.h, x.omega2, x.g
    size = t.state("sizenu", absolute(k, nu) + k.scalar(FLOOR), SIZE, "ν_a")
    a, b = size @ m, size @ (x.J if k.d == 2 else k.trace(x.J))
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
    x.piv_ = pivots_of(x.D_, k, t)
    return (t.port("piv_"),)


def pivots_of(whole: M, k: Algebra, t: Tracer) -> M:
    """The pivots of a matrix: the first entries of what is left of it, one by one."""
    left, found, freedom = whole, [], whole.value.rows
    for j in range(1, freedom + 1):
        first = k.entry(left, 1, 1)
        found.append(first)
        if j < freedom:
            rest = range(2, left.value.rows + 1)
            row = part(left, [1], rest)
            smaller = part(left, rest, rest) - row.T @ first.inverse @ row
            value = part(left, rest, rest).value - row.value.T * row.value / first.value[0]
            left = t.state(f"L{j + 1}", smaller.by(value), PIVOT, symmetric=True)
    return k.stack(*found)


@traced
def counted_up(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Pivots below zero, log |d| and δ/|d|, added to those of the links before."""
    freedom, last = x.freedom, t.ask("last")
    t.called(f"count_{freedom}{'_last' if last else ''}", "negative pivots, counted")
    d, size = x.piv_, x.size_
    n, logs, worst = x.nbefore, x.lbefore, x.cbefore
    for j in range(1, freedom + 1):
        own = k.entry(d, j, 1)
        n = n + (k.scalar(sp.Integer(1)) - k.function(step, own))
        logs = logs + k.function(sp.log, absolute(k, own))
        worst = worst + k.entry(size, j, 1) / absolute(k, own)
    x.below, x.logdet, x.worst = n, logs, worst
    if last:
        x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
        return "below", "logdet", "worst", "pivot"
    return "below", "logdet", "worst"


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


# Forces between points: columns of springs, which are eliminated where all have arrived


@traced
def line(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A force between two points about rest: along it its slope, across it what its tension adds.

    With L its length and T its tension δV = ½ (T′ − T/L) (nᵀ δ)² + ½ T/L δᵀ δ for the points'
    displacement δ from each other, so that each of these is one spring.
    """
    t.called(f"line_at_rest_{t.ask('label')}", "stiffness of a force between points")
    law = sp.Matrix([t.ask("law")])
    t.singles(law, table=LINE)
    n = x.n
    x.steep = k.formula(law)
    across = x.pull / x.dist
    t.state("ca", k.stack(x.steep - across, *[across] * k.d), TIED, "c")
    t.state("Va", k.beside(n, k.unit_matrix(k.d)), TIED, "V")
    return "ca", "Va"


@traced
def opening(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far an end of a line moves along its directions per displacement of its link."""
    second = t.ask("second")
    t.called(f"opening_{'b' if second else 'a'}", "end of a line at rest")
    A, r, V = x.A, x.r, t.read("Va", cols=k.d + 1)
    own = t.state("along", A.T @ V, TIED, "V_l")
    J = k.stack(own, k.tilde(r) @ own)
    x.Jl = J if second else -J
    return ("Jl",)


@traced
def cut(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The ties that a cut hinge is, at the links on the `sides` that are no ground.

    Across its freedoms its sides do not part, ξ_b = ξ_a′; along them χ = H⁺ (ξ_b − ξ_a′), and what
    its wrench adds to V is w χ of w = gᵀ ξ_a′, g = −½ bar(λ_c) H: springs ½ and −½ of w ± χ.
    """
    kind, sides = t.ask("cut_kind"), t.ask("sides")
    label = f"{kind}_{sides}{'' if t.ask('side') else '_parent'}"
    t.called(f"cut_{label}", f"cut {kind} hinge at rest")
    H = joint(k.d, kind).subspace
    across = [i for i in range(k.n) if not any(H.row(i))]
    N, H_ = (k.formula(y) if y.cols else k.zeros(k.n, 0) for y in (sp.eye(k.n)[:, across], H))
    axes = t.state("axes", x.Ab @ x.Kb, CUT, "B")
    point = t.state("point", x.xb + x.Ab @ x.rb, CUT, "x_c")
    lc = _exerted(x, k, t, axes, point)
    outputs = list[str]()
    for side in sides:
        A, origin = (x.Aa, x.xa) if side == "a" else (x.Ab, x.xb)
        Q = t.state(f"Q{side}", A.T @ axes, CUT, f"Q_{side}")
        arm = t.state(f"arm{side}", A.T @ (point - origin), CUT, f"ρ_{side}")
        T = k.X(arm).T @ k.both(Q)
        parts = [N if side == "a" else -N] if across else []
        if H.cols:
            g = -(k.bar(lc) @ H_).half
            parts += [g - H_, g + H_] if side == "a" else [H_, -H_]
        t.state(f"col{side}", T @ k.beside(*parts), CUT, f"J_{side}")
        t.state(f"R{side}", T @ lc if side == "a" else -(T @ lc), CUT, f"R_{side}")
        outputs += [f"col{side}", f"R{side}"]
    return tuple(outputs)


def _exerted(x: At, k: Algebra, t: Tracer, axes: M, point: M) -> M:
    """State λ_c, from the moment and force that are reported at the `side` of a cut hinge."""
    whole = x.cut
    moment = part(whole, range(1, 4) if k.d == 3 else [3])
    force = part(whole, range(4, 7) if k.d == 3 else [4, 5])
    if t.ask("side"):
        force = -force
    else:  # of the load on the child's point, seen from the parent's
        moment = -moment - k.moment(point - (x.xa + x.Aa @ x.ra), force)
    x.lc = k.stack(axes.T @ force, k.turned(axes.T, moment))
    return x.lc


@traced
def tying(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns of all ties at a link: those of its inputs, and those that begin here."""
    carried, tied, width = x.carried, x.tied, x.width
    label = "".join(f"_{size}" for size in tied)
    t.called(f"tied_{len(carried)}{label}", "ties at a body")
    E, L = k.zeros(k.n, width), k.zeros(width, width)
    for number in carried:
        E, L = E + t.read("Et_", f"_I{number}"), L + t.read("Lt_", f"_I{number}")
    for number, size in enumerate(tied, start=1):
        J = t.read("Jl", f"_{number}", cols=size)
        E = E + J @ t.read("S", f"_{number}", rows=size, cols=width)
    x.E_, x.L_ = E, L
    return t.port("E_"), t.port("L_")


@traced
def tied(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The columns behind a hinge, which yields to the forces in the ties."""
    freedom = x.freedom
    t.called(f"yield_tied_{freedom}{x.way.label}", f"ties behind {counted(freedom, 'freedom')}")
    E, L, _ = x.E_, x.L_, x.r
    to_parent, outputs = Transport(x, k, t, MOVED), list[str]()
    if freedom:
        x.Pe_ = x.H_.T @ E
        N = M(t.solve("N_", x.D_, x.Pe_, ELIMINATED), t.known(t.port("N_")).tree)
        E = t.state("Eh", E - x.B_ @ N, ELIMINATED)
        L = L + x.Pe_.T @ N
        outputs += [t.port("Pe_"), t.port("N_")]
    x.Et_ = (to_parent.X.T @ E).by(to_parent.wrenches("Er", E).value)
    x.Lt_ = L
    return *outputs, t.port("Et_"), t.port("Lt_")


@traced
def opened(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How far harmonic loads open the ties if these exert nothing."""
    carried, width, freedom = x.carried, x.width, x.freedom
    t.called(f"opened_{len(carried)}_{freedom}", "ties under harmonic loads")
    found = k.zeros(width, 1)
    for number in carried:
        found = found + t.read("ozt_", f"_I{number}")
    if freedom:
        found = found + x.Pe_.T @ x.kz_
    x.ozt_ = found
    return (t.port("ozt_"),)


@traced
def exerted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The forces ζ in the ties, where all have met: with y how far they open, ζ = c y."""
    width, roots = x.width, t.ask("roots")
    t.called(f"exerted_{width}_{roots}", "forces in the ties")
    found = k.zeros(width, 1)
    for number in range(1, roots + 1):
        found = found + t.read("ozt_", f"_{number}")
    L, c, held = _met(x, k, t, width, roots)
    springs, loose = k.diagonal(c), k.diagonal(held)
    zeta = t.solve("y", loose + springs @ L, springs @ found, TIED, Policy.LU)
    x.zeta_ = M(zeta, t.known("y").tree)
    return (t.port("zeta_"),)


def _met(x: At, k: Algebra, t: Tracer, width: int, roots: int) -> tuple[M, M, M]:
    """Λ of all ties where they meet, their springs, and 1 of springs, 0 of what does not yield."""
    L, springs, loose = k.zeros(width, width), [], list[int]()
    for number in range(1, roots + 1):
        L = L + t.read("Lt_", f"_{number}")
    for number, (rigid, soft) in enumerate(t.ask("ties"), start=1):
        if rigid is None:
            springs.append(t.read("ca", f"_{number}", rows=soft))
            loose += [1] * soft
        else:
            half = [sp.Rational(1, 2)] * soft + [-sp.Rational(1, 2)] * soft
            springs.append(k.formula(sp.Matrix([sp.Integer(1)] * rigid + half)))
            loose += [0] * rigid + [1] * (2 * soft)
    c = t.state("c", k.stack(*springs), TIED, "c")
    held = t.state("a", k.formula(sp.Matrix(loose)), TIED, "a")
    return t.state("L0", L, TIED, "Λ", symmetric=True), c, held


@traced
def met(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Every tie in turn: with 1 + c Λ below zero one eigenvalue more, or less, by the sign of c.

    A spring c makes of the determinant 1 + c Λ times what it was, and of Λ, Λ − Λ c Λ/(1 + c Λ);
    what does not yield is c Λ of c = 1 instead, which counts as one less where it is below zero.
    """
    width, roots = x.width, t.ask("roots")
    t.called(f"ties_{width}_{roots}", "ties that have met at the ground")
    left, c, held = _met(x, k, t, width, roots)
    n, logs, worst, one = x.nbefore, x.lbefore, x.cbefore, k.scalar(sp.Integer(1))
    whole = left
    for j in range(1, width + 1):
        own, spring = k.entry(left, 1, 1), k.entry(c, j, 1)
        loose = k.entry(held, j, 1)
        p = t.state(f"p{j}", loose + spring @ own, TIED, f"p{j}")
        n = n - k.function(sp.sign, spring) @ (one - k.function(step, p))
        logs = logs + k.function(sp.log, absolute(k, p))
        worst = worst + (loose + absolute(k, spring @ k.entry(whole, j, j))) / absolute(k, p)
        if j < width:
            rest = range(2, left.value.rows + 1)
            row = part(left, [1], rest)
            factor = t.state(f"f{j}", spring / p, TIED, f"f{j}")
            smaller = part(left, rest, rest) - factor @ (row.T @ row)
            left = t.state(f"L{j}", smaller, TIED, f"Λ{j}", symmetric=True)
    x.below, x.logdet = n, logs
    x.worst = worst
    x.pivot = x.worst.inverse.by(sp.Matrix([1 / x.worst[0]]))
    return "below", "logdet", "pivot"
