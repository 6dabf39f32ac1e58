"""The kernels of a beam's cells: what hangs on one, or holds it, seen through its matrix.

Axes are those of the beam; I is the end at the tip side, O that at the root side.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import sympy as sp

from ...language.program import Policy, Port
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .count_kernels import pivots_of
from .kernels import SLIGHT, length, midway
from .letters import BORNE, CELLS, CONGRUENT, COUNTED, ENERGY, HOLDS, OF_CELLS, PIVOT, RICCATI, SIZE

traced = tracing(CELLS, OF_CELLS, {})


def reversed_spin(x: At, k: Algebra, t: Tracer, X: M) -> M:
    """A block of a cell's transfer matrix if it spun the other way: w and θ_y change signs."""
    if k.d == 2 or not t.ask("spun"):
        return X
    P = k.formula(sp.diag(1, 1, -1, 1, -1, 1))
    return P @ X @ P


def _inputs(x: At, t: Tracer, near: bool) -> list[At]:
    """What hangs on a cell at its end O (`near`), or at I."""
    return [y for y, is_near in zip(x.inputs, t.ask("near"), strict=True) if is_near == near]


def _label(t: Tracer) -> str:
    """What names of kernels say of what hangs on a cell: its inputs in order, at I or at O."""
    inputs, cut = (
        "".join("O" if near else "I" for near in t.ask(word)) for word in ("near", "cut_near")
    )
    held = t.ask("grounded")
    tip = "" if held is None else f"_held_{held}"
    hung = f"{'_' * bool(inputs)}{inputs}{'_cut_' * bool(cut)}{cut}"
    return f"{tip}{hung}{'_turned' * t.ask('turned')}"


def _cut(t: Tracer, near: bool) -> list[M]:
    """What cut hinges make a cell demand at rest at its end O (`near`), or at I."""
    places = enumerate(t.ask("cut_near"), start=1)
    return [t.read("Rc", f"_{number}") for number, is_near in places if is_near == near]


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
    outputs = ["Z"] if x.laden else ["rest", "Z"]
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
            of = [_beside(x, k, y) for y in _inputs(x, t, near=False)]
            far = _sum([*of, *(-midway(k, k.lin(R)) for R in _cut(t, near=False))])
            x.ZI = turn @ far @ turn.T if turn else far
            pulled = C + D @ x.ZI
            outputs.append("ZI")
        outputs.append(_counted(x, k, t, stretched(x, k, t) @ reversed_spin(x, k, t, B).T))
    X = t.solve("X", x.N.T, pulled.T, RICCATI, Policy.LU)
    x.ZO = (x.X + x.X.T).half.by((X + X.T) / 2) if x.even else x.X.T
    Z = turn.T @ x.ZO @ turn if turn else x.ZO
    for y in _inputs(x, t, near=True):
        Z = Z + _beside(x, k, y)
    for R in _cut(t, near=True):
        Z = Z - midway(k, k.lin(R))
    if x.laden:
        x.Z = Z + midway(k, k.lin(x.rest))
    else:
        x.rest, x.Z = k.zeros(k.n, 1), Z
    return tuple(outputs)


def _beside(x: At, k: Algebra, y: At) -> M:
    """Z of what hangs on a cell, by r and θ beside each other, as cells have it."""
    Zt: M = y.Zt
    return Zt - midway(k, k.lin(y.restt)) if x.laden else Zt


@traced
def laden(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a cell bears at rest: the wrench of its hinge, those at its ends, its tension.

    The cell is straight: what bends it at rest is not seen here.
    """
    t.called(f"laden_cell{_label(t)}", "what a cell bears at rest")
    turn, along = inwards(x, k, t), k.scalar(-1 / x.l[0])
    x.ag = x.A.T @ x.g
    far, near = (
        reduce(M.__add__, [*(y.restt for y in _inputs(x, t, at)), *_cut(t, at)], k.zeros(k.n, 1))
        for at in (False, True)
    )
    if t.ask("grounded") is not None:
        far = far + (turn.T @ x.lc if turn else x.lc)
    pull = t.state("pull0", k.lin(far), BORNE, "F_I")
    own = k.stack(pull, k.ang(far) + k.moment(x.rI, pull))
    own = t.state("own0", own - k.stack(x.m @ x.ag, k.moment(x.h, x.ag)), BORNE, "λ_O")
    x.NI = along @ (x.rI.T @ pull)
    x.NS = along @ along @ (x.m @ (x.rI.T @ x.ag))
    x.wI, x.wO = (turn @ w if turn else w for w in (far, own))
    x.rest = near + own
    return "rest", "NI", "NS", "wI", "wO"


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
    if x.laden:
        x.sf, x.sm = length(k, k.lin(x.rest)), length(k, k.ang(x.rest))
    else:
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
    if far.nothing and not x.hangs:
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
def reacting(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench of a cell on its end at the ground, what acts there included."""
    t.called(f"reacting_{t.ask('grounded')}", "wrench at the held end of a cell")
    x.lc = x.lamI - x.pI
    return ("lc",)


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
