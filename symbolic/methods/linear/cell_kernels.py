"""The kernels of a beam's cells: the transfer matrix of one, and what hangs on it passed through.

A beam is cut into cells so short that the largest wave number times their length is at most 1.5;
the exponential of a cell is then its Taylor series, a polynomial in ω² without poles. Axes are
those of the beam; I is the end at the tip side, O that at the root side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from math import factorial

import sympy as sp

from ...language.letters import letters
from ...language.program import Policy, Port
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .kernels import ASKED as BODIES
from .kernels import LINEAR, PIVOT, SIZE, SLIGHT, pivots_of

#: How often ω² multiplies itself at most: 26 terms of the exponential of a cell.
TERMS = 13

WAVES = "own: (u, λ)′ = G (u, λ) along a beam; Timoshenko's, with GJ, EA, tension and foundation"
RELAXED = "own: E (1 + η s + i η_l), after Kelvin and Voigt, and with a loss factor"
WHIRL = "own: v ± i w with θ_z ∓ i θ_y, ρI s² ∓ i W ρJ s in the place of ρI s²"
SERIES = "own: exp(G l) by Horner's rule, of G⁴ = s G² + t"
RICCATI = "Riccati paper (31) of a cell: λ = Z u, u_O = A u + B λ, λ_O = C u + D λ"
HOLDS = "own: H and D of a hinge to the ground, in axes of the cell"
CONGRUENT = "own: congruent to the stiffness at I with O held"
COUNTED = "own: F, and so little more that no pivot is zero"
ENERGY = "own: derivative along ω² of the wrenches on a cell whose ends are held"

CELLS = LINEAR | letters(f"""
    l      | l    | 1       | | length of a cell, m
    rhoA   | ρA   | 1       | | mass per length, kg/m
    EA     | EA   | 1       | | stiffness along the axis, N
    GJ     | GJ   | 1       | | stiffness against torsion, N m²
    rhoJ   | ρJ   | 1       | | polar moment of inertia per length, kg m
    EIy    | EI_y | 1       | | bending stiffness about the second axis, N m²
    EIz    | EI_z | 1       | | bending stiffness about the third axis, N m²
    gy     | g_y  | 1       | | shear angle per force along the third axis, 1/N
    gz     | g_z  | 1       | | shear angle per force along the second axis, 1/N
    rhoIy  | ρI_y | 1       | | moment of inertia per length about the second axis, kg m
    rhoIz  | ρI_z | 1       | | moment of inertia per length about the third axis, kg m
    T0     | N_s  | 1       | | tension at rest, N
    visc   | η    | 1       | | time by which stiffnesses grow per complex frequency, s
    loss   | η_l  | 1       | | loss factor
    soft   | e    | 1       | {RELAXED} | what stiffnesses are times
    W      | W    | 1       | | speed at which a section spins about the axis, rad/s
    kw     | k_w  | 1       | | stiffness of the foundation across the axis per length, N/m²
    Tuu    | A_c  | n n     | {SERIES} | u at O of a unit displacement at I
    Tul    | B_c  | n n     | {SERIES} | u at O of a unit wrench at I
    Tlu    | C_c  | n n     | {SERIES} | λ at O of a unit displacement at I
    Tll    | D_c  | n n     | {SERIES} | λ at O of a unit wrench at I
    d_Tuu  | A_c′ | n n     | | derivative of A_c along ω²
    d_Tul  | B_c′ | n n     | | derivative of B_c along ω²
    d_Tlu  | C_c′ | n n     | | derivative of C_c along ω²
    d_Tll  | D_c′ | n n     | | derivative of D_c along ω²
    rI     | r_I  | d       | | from the link's origin, at O, to the end I, in the link's axes, m
    xI     | x_I  | d       | own | position of the end I, m
    vI     | v_I  | d       | own | velocity of the end I, in the link's axes, m/s
    ZI     | Z_I  | n n even | {RICCATI} | dynamic stiffness of what hangs on I
    ZO     | Z_O  | n n even | {RICCATI} | dynamic stiffness at O, in axes of the cell
    Nr     | N̄    | n n     | {RICCATI} | N of all matrices transposed, and of a spin the other way
    N      | N    | n n     | {RICCATI} | u at O of unit displacements at I with what hangs there
    X      | X    | n n     | {RICCATI} | the transpose of Z_O
    Hg     | H_g  | n 1     | {HOLDS} | freedoms that the ground leaves to the end I
    Dg     | D_g  | n 1     | {HOLDS} | wrenches that it may exert there besides
    Hg0    | H₀   | n 1     | | freedoms that it leaves, in its axes
    Dg0    | D₀   | n 1     | | wrenches that it may exert, in its axes
    Ag     | A_g  | d d rot | | rotation from the axes of the ground's point to inertial ones
    kg     | κ_g  | 1 1 sym | | stiffness along these freedoms
    chi    | χ_g  | n       | {RICCATI} | freedoms of a held end, then wrenches of the ground
    yF     | y_F  | n 1     | {RICCATI} | wrench at I, by what is at O held, of unit freedoms
    pI     | p_I  | n       | {RICCATI} | wrench of what hangs on the end I, held
    pO     | p_O  | n       | {RICCATI} | the same at O
    uO     | y_O  | n       | {RICCATI} | displacement and turn at O, in axes of the cell
    uI     | y    | n       | {RICCATI} | displacement and turn at I, in axes of the cell
    xiI    | ξ_I  | n       | {RICCATI} | the same in axes of the link
    lamI   | λ    | n       | {RICCATI} | wrench at I, by what is at O on what is at I
    moved  | y′   | n       | {ENERGY} | what u at O changes by along ω², if all at I stays
    lamh   | λ_h  | n       | {ENERGY} | wrench at I that takes this back
    fe     | f_I  | n       | | amplitude of force and couple at the end I, in inertial axes
    dispI  | u_I  | n       | own | displacement and turn of the end I, in inertial axes
    momI   | P_e  | n       | {ENERGY} | inertia of the cell times displacement, at the end I
    EI_    | E_I  | n w     | {RICCATI} | how far all ties open per displacement of the end I
    EN_    | E_N  | n w     | {RICCATI} | the same per displacement of O
    ON_    | O_N  | n w     | {RICCATI} | the same of how far ties open
""")

ASKED = {
    **BODIES,
    "cell": lambda tree, link: tree.is_cell(link),
    "tied_far": lambda tree, link: tree.tied_far(link),
    "tied_near": lambda tree, link: tree.tied_near(link),
    "relaxed": lambda tree, link: tree.relaxed(link),
    "spun": lambda tree, link: tree.spun(link),
    "near": lambda tree, link: tree.near(link),
    "hangs": lambda tree, link: not all(tree.near(link)),
    "grounded": lambda tree, link: tree.holds(link),
    "turned": lambda tree, link: tree.turned(link),
    "backward": lambda tree, link: tree.reversed(link),
}

traced = tracing(CELLS, ASKED, {})


@traced
def cell(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A, B, C, D of a cell at ω²: waves along, across in one plane or two, and of torsion."""
    spun, relaxed = k.d == 3 and t.ask("spun"), t.ask("relaxed")
    label = f"{'_backward' * x.backward}{'_spun' * spun}{'_relaxed' * relaxed}"
    t.called(f"cell{label}", "transfer matrix of a cell")
    w, l, N, kw = x.omega2[0], x.l[0], x.T0[0], x.kw[0]  # noqa: E741
    mass, e = x.rhoA[0] * w, sp.Integer(1)
    if relaxed or spun:
        t.letters[str(sp.I)] = "i"
    if relaxed:
        x.soft = k.scalar(1 + x.visc[0] * x.s[0] + sp.I * x.loss[0])
        e = x.soft[0]
    along = _rod(k, t, "a", x.EA[0] * e, mass, l)
    # Places of the displacement and the turn in u, and their signs: a cell that is passed from its
    # far end is one that is turned about its third axis.
    way = -1 if x.backward else 1
    T: list[tuple[M, tuple[int, ...], tuple[int, ...]]] = [(along, (0,), (1,))]
    if k.d == 3:
        T.append((_rod(k, t, "t", x.GJ[0] * e, x.rhoJ[0] * w, l), (3,), (1,)))
    turn = 2 if k.d == 2 else 5
    if spun:
        T.append((_whirling(x, k, t, e), (1, 5, 2, 4), (1, way, 1, -way)))
    elif k.d == 3:
        EI, g, rhoI = x.EIy[0] * e, x.gy[0] / e, x.rhoIy[0]
        T.append((_across(k, t, "y", EI, g, N - rhoI * w, mass - kw, l), (2, 4), (1, -way)))
    if not spun:
        EI, g, rhoI = x.EIz[0] * e, x.gz[0] / e, x.rhoIz[0]
        T.append((_across(k, t, "z", EI, g, N - rhoI * w, mass - kw, l), (1, turn), (1, way)))
    for name, row, col in (("Tuu", 0, 0), ("Tul", 0, 1), ("Tlu", 1, 0), ("Tll", 1, 1)):
        whole = sp.zeros(k.n, k.n)
        for own, places, signs in T:
            size = len(places)
            for i, (at, sign) in enumerate(zip(places, signs, strict=True)):
                for j, (to, other) in enumerate(zip(places, signs, strict=True)):
                    whole[at, to] = sign * other * own[row * size + i, col * size + j]
        t.state(name, k.formula(whole))
    return "Tuu", "Tul", "Tlu", "Tll"


def _rod(k: Algebra, t: Tracer, way: str, stiff: sp.Expr, mass: sp.Expr, l: sp.Expr) -> M:  # noqa: E741
    """The transfer matrix of waves along a rod or of torsion, (u, f): EA u″ = −ρA ω² u."""
    z = t.state(f"z{way}", k.scalar(-mass * l**2 / stiff), WAVES, f"z_{way}")
    _series(t, way, 1, k, lambda x: z @ x)
    c, s = t.entries(f"Y{way}0").value
    value = sp.Matrix([[c, l * s / stiff], [-mass * l * s, c]])
    t.state(f"T{way}", k.formula(value), SERIES, f"T_{way}")
    return t.entries(f"T{way}")


def _across(
    k: Algebra,
    t: Tracer,
    way: str,
    EI: sp.Expr,
    g: sp.Expr,
    h: sp.Expr,
    a: sp.Expr,
    l: sp.Expr,  # noqa: E741
) -> M:
    """That of bending in a plane, (v, θ, f, m).

    v′ = θ + g f, θ′ = m/EI, f′ = −a v, m′ = −f + h θ, with a = ρA ω² − k_w and h = N_s − ρI ω².
    """
    stretch = t.state(f"h{way}", k.scalar(h), WAVES, f"h_{way}")[0]
    push = t.state(f"a{way}", k.scalar(a), WAVES, f"a_{way}")[0]
    G = k.formula(
        sp.Matrix([[0, 1, g, 0], [0, 0, 0, 1 / EI], [-push, 0, 0, 0], [0, stretch, -1, 0]])
    )
    G = t.abbreviate(f"G{way}", G)
    G2 = t.state(f"G2{way}", G @ G, WAVES, f"G2_{way}")
    G3 = t.state(f"G3{way}", G @ G2, WAVES, f"G3_{way}")
    trace = stretch / EI - g * push
    s = t.state(f"s{way}", k.scalar(l**2 * trace), WAVES, f"s_{way}")
    z = t.state(f"t{way}", k.scalar(l**4 * push / EI * (1 + g * stretch)), WAVES, f"t_{way}")
    # G⁴ = s G² + t: of X + Y G² it makes t Y + (X + s Y) G².
    Y = _series(t, way, 2, k, lambda x: k.stack(z @ part(x, [2]), part(x, [1]) + s @ part(x, [2])))
    even, odd, even2, odd3 = (k.entry(Y, i, j) for i, j in ((1, 1), (1, 2), (2, 1), (2, 2)))
    length = k.scalar(l)
    T = even @ k.unit_matrix(4) + length @ odd @ G
    T = T + length**2 @ even2 @ G2 + length**3 @ odd3 @ G3
    t.state(f"T{way}", T, SERIES, f"T_{way}")
    return t.entries(f"T{way}")


def _whirling(x: At, k: Algebra, t: Tracer, e: sp.Expr) -> M:
    """That of bending in both planes of a round beam that spins: (v, θ_z, w, −θ_y, f and m alike).

    What whirls forwards, v + i w, and what whirls backwards, v − i w, are each a plane of its own.
    """
    w, l, N, spin = x.omega2[0], x.l[0], x.T0[0], sp.I * x.W[0] * x.rhoJ[0] * x.s[0]  # noqa: E741
    EI, g, rhoI, push = x.EIz[0] * e, x.gz[0] / e, x.rhoIz[0], x.rhoA[0] * w - x.kw[0]
    F, B = (
        _across(k, t, way, EI, g, N - rhoI * w - sign * spin, push, l).value
        for way, sign in (("f", 1), ("b", -1))
    )
    even, odd = (F + B) / 2, sp.I * (F - B) / 2
    rows = [[even, odd], [-odd, even]]
    # By halves: displacements of both planes, then wrenches of both.
    value = sp.Matrix(
        8,
        8,
        lambda i, j: rows[i % 4 // 2][j % 4 // 2][2 * (i // 4) + i % 2, 2 * (j // 4) + j % 2],
    )
    return t.state("Tw", k.formula(value), WHIRL, "T_w")


def reversed_spin(x: At, k: Algebra, t: Tracer, X: M) -> M:
    """A block of a cell's transfer matrix if it spun the other way: w and θ_y change signs."""
    if k.d == 2 or not t.ask("spun"):
        return X
    P = k.formula(sp.diag(1, 1, -1, 1, -1, 1))
    return P @ X @ P


def _series(t: Tracer, way: str, rows: int, k: Algebra, squared: Callable[[M], M]) -> M:
    """Σ zʲ [1/(2j)!, 1/(2j+1)!] by Horner's rule: cosh √z beside sinh √z/√z.

    z is what `squared` multiplies by: a number, or G² of which all powers are X + Y G², a row each.
    """
    Y: M | None = None
    for j in reversed(range(TERMS)):
        first = [[sp.Rational(1, factorial(2 * j)), sp.Rational(1, factorial(2 * j + 1))]]
        of = k.formula(sp.Matrix(first + [[0, 0]] * (rows - 1)))
        Y = t.state(f"Y{way}{j}", of if Y is None else of + squared(Y), SERIES, f"Y{way}{j}")
    assert Y is not None
    return Y


def _inputs(x: At, t: Tracer, near: bool) -> list[At]:
    """What hangs on a cell at its end O (`near`), or at I."""
    return [y for y, is_near in zip(x.inputs, t.ask("near"), strict=True) if is_near == near]


def _label(t: Tracer) -> str:
    """What names of kernels say of what hangs on a cell: its inputs in order, at I or at O."""
    inputs, held = "".join("O" if near else "I" for near in t.ask("near")), t.ask("grounded")
    tip = "" if held is None else f"_held_{held}"
    return f"{tip}{'_' * bool(inputs)}{inputs}{'_turned' * t.ask('turned')}"


def inwards(x: At, k: Algebra, t: Tracer) -> M | None:
    """The turn from the link's axes to those of the cell; None if they are the same."""
    return k.both(x.Kb.T) if t.ask("turned") else None


def stretched(x: At, k: Algebra, t: Tracer) -> M:
    """State N = A + B Z_I."""
    x.N = x.Tuu + x.Tul @ x.ZI if x.hangs else x.Tuu
    return x.N


def reversed_stretch(x: At, k: Algebra, t: Tracer) -> M:
    """State N̄ = Ā + B̄ Z_Iᵀ of the cell spinning the other way; D − Z_O B is its N̄⁻ᵀ."""
    A, B = (reversed_spin(x, k, t, X) for X in (x.Tuu, x.Tul))
    x.Nr = A + B @ x.ZI.T if x.hangs else A
    return x.Nr


@traced
def bound(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How the ground holds the end I of a cell, in axes of the cell, from those of the ground."""
    free = t.ask("grounded")
    t.called(f"bound_{free}", "end of a cell at the ground")
    turn = k.both((x.A @ x.Kb).T @ x.Ag)
    names = []
    for word, count in (("Hg", free), ("Dg", k.n - free)):
        if count:
            known = t.given(Port(f"{word}0_{count}", k.n, count), f"{word[0]}₀")
            t.state(f"{word}{count}", turn @ known, HOLDS, f"{word[0]}_g")
            names.append(f"{word}{count}")
    return tuple(names)


@traced
def borne(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """κ at an end that the ground holds by a law, in axes of the beam's point."""
    free, placed, viscous = t.ask("grounded"), t.ask("placed"), t.ask("viscous")
    t.called(f"borne_{free}{'_placed' * placed}{'_viscous' * viscous}", "law of a held end")
    total = t.given(Port(f"Kg0_{free}", free, free), "K₀")
    if placed:
        R = t.state("R0", x.Ag.T @ x.A @ x.Kb @ t.given(Port("Rg0", k.d, k.d), "R_p"), HOLDS, "R₀")
        by_place = t.given(Port(f"Pg0_{free}", free, k.d), "P₀") @ R
        total = total + k.beside(by_place, k.zeros(free, free - k.d))
    if viscous:
        total = total + x.s @ t.given(Port(f"Cg0_{free}", free, free), "C₀")
    symmetric = t.ask("even") and free > 1
    t.state(f"kg{free}", total, HOLDS, "κ_g", symmetric=symmetric)
    return (f"kg{free}",)


def _held(x: At, k: Algebra, t: Tracer) -> tuple[M, M, M]:
    """H, κ and D of an end I that the ground holds: u = H χ, λ = H κ χ + D μ."""
    free = t.ask("grounded")
    rest = k.n - free
    fixed = t.given(Port(f"Dg{rest}", k.n, rest), "D_g") if rest else k.zero(k.n, 0)
    if not free:
        return k.zero(k.n, 0), k.zero(0, 0), fixed
    spring = t.given(Port(f"kg{free}", free, free, t.ask("even") and free > 1), "κ_g")
    return t.given(Port(f"Hg{free}", k.n, free), "H_g"), spring, fixed


def _at_end(k: Algebra, t: Tracer, held: tuple[M, M, M], of_u: M, of_lam: M) -> M:
    """What (χ, μ) of a held end I makes of u or λ at O."""
    H, spring, fixed = held
    parts = []
    if H.value.cols:
        parts.append(of_u @ H + of_lam @ (H @ spring))
    if fixed.value.cols:
        parts.append(of_lam @ fixed)
    return k.beside(*parts)


@traced
def through_cell(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Z of a cell with all that hangs on it, and F, whose negative eigenvalues are counted."""
    label = f"{_label(t)}{'' if x.even else '_uneven'}"
    t.called(f"through_cell{label}", "dynamic stiffness through a cell")
    A, B, C, D, turn = x.Tuu, x.Tul, x.Tlu, x.Tll, inwards(x, k, t)
    outputs = ["rest", "Z"]
    if t.ask("grounded") is not None:
        held = _held(x, k, t)
        H, spring, _ = held
        x.N, pulled = _at_end(k, t, held, A, B), _at_end(k, t, held, C, D)
        if H.value.cols:
            t.solve("yF", B, A @ H, RICCATI, Policy.LU)
            outputs.append(_counted(x, k, t, H.T @ x.yF + spring))
        outputs.append("ZO")
    else:
        pulled = C
        if x.hangs:
            far = _sum(y.Zt for y in _inputs(x, t, near=False))
            x.ZI = turn @ far @ turn.T if turn else far
            pulled = C + D @ x.ZI
            outputs.append("ZI")
        outputs.append(_counted(x, k, t, stretched(x, k, t) @ reversed_spin(x, k, t, B).T))
    X = t.solve("X", x.N.T, pulled.T, RICCATI, Policy.LU)
    x.ZO = (x.X + x.X.T).half.by((X + X.T) / 2) if x.even else x.X.T
    Z = turn.T @ x.ZO @ turn if turn else x.ZO
    for y in _inputs(x, t, near=True):
        Z = Z + y.Zt
    x.rest, x.Z = k.zeros(k.n, 1), Z
    return tuple(outputs)


def _counted(x: At, k: Algebra, t: Tracer, F: M) -> str:
    """State F, which is even where all is; gives its name."""
    n, even = F.value.rows, x.even
    t.state(f"F{n}", k.upper(F) if even else F, CONGRUENT, "F", symmetric=even and n > 1)
    return f"F{n}"


def _sum(parts: Iterable[M]) -> M:
    return reduce(M.__add__, parts)


@traced
def sized(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The pivots of F with their sizes, and the sizes of Z."""
    held = t.ask("grounded")
    n, tip = k.n if held is None else held, "_hung" * x.hangs if held is None else f"_held_{held}"
    symmetric = n > 1 and x.even
    t.called(f"sizes_of_cell{tip}{'' if x.even else '_uneven'}", "pivots of a cell")
    outputs = []
    if n:
        F = t.given(Port(f"F{n}", n, n, symmetric), "F")
        if held is None:
            across = t.abbreviate("B_a", absolutes(k, x.Tul))
            size = absolutes(k, x.Tuu) @ across.T
            if x.hangs:
                size = size + across @ absolutes(k, x.ZI) @ across.T
        else:
            size = absolutes(k, F)
        size = t.abbreviate("S", size)
        diagonal = k.stack(*(k.entry(size, j, j) for j in range(1, n + 1)))
        sizes = t.state(f"csize{n}", diagonal, SIZE, "δ")
        shifted = F + k.scalar(SLIGHT) @ k.diagonal(sizes)
        shifted = t.state("Fs", shifted, COUNTED, "F_s", symmetric=symmetric)
        found = pivots_of(shifted, k, t, x.even)
        t.state(f"cpiv{n}", found, PIVOT, "d")
        outputs = [f"cpiv{n}", f"csize{n}"]
    of = t.abbreviate("Z_a", absolutes(k, x.Z))
    x.sa = _sum(k.entry(of, j, j) for j in range(1, k.d + 1))
    x.sb = _sum(k.entry(of, j, j) for j in range(k.d + 1, k.n + 1))
    x.sf, x.sm = k.zeros(1, 1), k.zeros(1, 1)
    return *outputs, "sa", "sb", "sf", "sm"


def absolutes(k: Algebra, x: M) -> M:
    """|X|, entry by entry."""
    return k.formula(x.value.applyfunc(sp.Abs))


@traced
def reached(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Where the end I of a cell is at rest, and how fast it moves if the cell is stiff."""
    t.called("reached", "place of a cell's other end")
    x.xI, x.vI = x.x + x.A @ x.rI, x.vl + k.cross(x.w, x.rI)
    return "xI", "vI"


def _loaded_end(x: At, k: Algebra, word: str) -> M:
    """A load in inertial axes, in those of the link."""
    load = getattr(x, word)
    return k.stack(x.A.T @ k.lin(load), k.turned(x.A.T, k.ang(load)))


def _shown(x: At, k: Algebra, here: M) -> M:
    """A displacement or a load in axes of the link, in inertial axes."""
    return k.stack(x.A @ k.lin(here), k.turned(x.A, k.ang(here)))


@traced
def pressed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p at the end O of a cell: N⁻ᵀ p_I, and what hangs and acts there."""
    label = f"{_label(t)}{'' if x.even else '_uneven'}"
    t.called(f"pressed_cell{label}", "harmonic loads through a cell")
    turn, far, p = inwards(x, k, t), k.zero(k.n), k.zero(k.n)
    if x.loaded:
        far, p = -_loaded_end(x, k, "fe"), -_loaded_end(x, k, "f")
    for y in _inputs(x, t, near=False):
        far = far + y.pzt
    for y in _inputs(x, t, near=True):
        p = p + y.pzt
    if far.nothing:
        x.pz = p if not p.nothing else k.zeros(k.n, 1)
        return ("pz",)
    x.pI = turn @ far if turn else far
    if t.ask("grounded") is None:
        N = stretched(x, k, t) if x.even else reversed_stretch(x, k, t)
        t.solve("pO", N.T, x.pI, RICCATI, Policy.LU)
    else:
        along = _along(k, t, _held(x, k, t)[0], x.pI)
        x.pO = x.Tll @ along - x.ZO @ (x.Tul @ along)
    x.pz = p + (turn.T @ x.pO if turn else x.pO)
    return "pz", "pI"


@traced
def drawn(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Displacement and wrench at the end I of a cell, from the displacement at O."""
    pulled, tied = x.hangs or x.loaded, x.tied_far
    held = t.ask("grounded")
    tip = "" if held is None else f"_held_{held}"
    label = f"{tip}{'_hung' * x.hangs}{'_pulled' * pulled}{'_tied' * tied}"
    label += "_turned" * t.ask("turned")
    t.called(f"drawn_cell{label}", "displacement back through a cell")
    turn, xi = inwards(x, k, t), x.xi
    x.uO = turn @ xi if turn else xi
    if t.ask("grounded") is not None:
        return _drawn_held(x, k, t, turn, pulled)
    N, load = stretched(x, k, t), x.pI if pulled else k.zero(k.n)
    if tied:
        load = t.state("load", load + x.EI_ @ x.zeta_, RICCATI, "l_I")
    t.solve("uI", N, x.uO if load.nothing else x.uO - x.Tul @ load, RICCATI, Policy.LU)
    x.lamI = x.ZI @ x.uI + load if x.hangs else k.zeros(k.n, 1) if load.nothing else load
    x.xiI = turn.T @ x.uI if turn else x.uI
    return "uI", "lamI", "xiI"


def _along(k: Algebra, t: Tracer, H: M, load: M) -> M:
    """What of a load at a held end is not borne by the ground: H Hᵀ p."""
    return t.state("along", H @ (H.T @ load) if H.value.cols else k.zeros(k.n, 1), RICCATI, "p_H")


def _drawn_held(x: At, k: Algebra, t: Tracer, turn: M | None, pulled: bool) -> tuple[str, ...]:
    """The same at an end that the ground holds: χ and μ, u = H χ, λ = H κ χ + D μ + p."""
    held = H, spring, fixed = _held(x, k, t)
    free, n = H.value.cols, k.n
    x.N = _at_end(k, t, held, x.Tuu, x.Tul)
    along = _along(k, t, H, x.pI) if pulled else k.zero(n)
    right = x.uO - x.Tul @ along if pulled else x.uO
    t.solve("chi", x.N, right, RICCATI, Policy.LU)
    moved, held_back = part(x.chi, range(1, free + 1)), part(x.chi, range(free + 1, n + 1))
    u = H @ moved if free else k.zeros(n, 1)
    lam = along
    if free:
        lam = lam + H @ (spring @ moved)
    if free < n:
        lam = lam + fixed @ held_back
    x.uI, x.lamI = u, lam
    x.xiI = turn.T @ x.uI if turn else x.uI
    return "uI", "lamI", "xiI"


@traced
def displaced(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Displacements of a cell's ends."""
    t.called("displaced_cell", "displacement of a cell")
    x.dispI, x.disp = _shown(x, k, x.xiI), _shown(x, k, x.xi)
    return "disp", "dispI"


@traced
def weighed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Displacements of a cell's ends, and the inertia of the cell times them: −∂(±λ)/∂ω² there.

    Both ends are held as they are: with u and λ those at I, B λ′ = −(A′ u + B′ λ).
    """
    t.called(f"weighed_cell{'_turned' * t.ask('turned')}", "inertia of a cell")
    turn, u, lam = inwards(x, k, t), x.uI, x.lamI
    x.moved = x.d_Tuu @ u + x.d_Tul @ lam
    t.solve("lamh", x.Tul, x.moved, ENERGY, Policy.LU)
    far, near = -x.lamh, x.Tll @ x.lamh - (x.d_Tlu @ u + x.d_Tll @ lam)
    x.momI = _shown(x, k, t.state("farl", turn.T @ far if turn else far, ENERGY, "P_I"))
    x.mom = _shown(x, k, t.state("nearl", turn.T @ near if turn else near, ENERGY, "P_O"))
    x.dispI, x.disp = _shown(x, k, x.xiI), _shown(x, k, x.xi)
    return "disp", "mom", "dispI", "momI"
