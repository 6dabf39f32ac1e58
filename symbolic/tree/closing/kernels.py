"""The kernels that eliminate multipliers where their loop closes, and give them on the way back.

Of all columns that have been gathered those that close stand first. In a correction no hinge is
pushed, so that the same sweep has nothing but χ, what closed loops demand, and κ from them:
Λ μ = c is what adds −c to φ̇ with the least kinetic energy.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.hinges import joint
from ...mechanics.letters import FACTS, OF_PARENT
from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from ..loop_kernels import COLUMNS, LOOPS, arriving, diagonal, labelled, to_parent

CLOSED = "own: multipliers eliminated where their loop closes"

CLOSING = LOOPS | letters(f"""
    Eg     | E_g | n w     | | columns of which some close here, these first
    kg     | κ_g | w       | | what these conditions demand without acceleration
    Lg     | Λ_g | w w sym | | what the rates of these conditions take from μ
    dg     | d_g | w       | | d of these
    zg     | δ_g | w       | | δ of these
    IAg    | I_g | n n sym | | IA without what closes here
    pAg    | p_g | n       | | pA without what closes here
    Lc     | Λ_c | w w sym | {CLOSED} | Λ of the conditions that close
    kc     | κ_c | w       | {CLOSED} | what they demand without acceleration
    Zc     | Z   | w w     | {CLOSED} | all that Λ_c is divided out of
    Wc     | Ψ   | w w sym | {CLOSED} | Λ_c⁺: Λ_c⁻¹, by least norm
    Tc     | T   | w n     | {CLOSED} | what accelerations here add to their multipliers
    tc     | t   | w       | {CLOSED} | their multipliers without accelerations and open multipliers
    Rc     | Γ   | w w     | {CLOSED} | what the open multipliers take from theirs
    pc     | χ   | n       | {COLUMNS} | what a link demands without accelerations in a correction
    pi     | χ_g | n       | | χ of inputs, or of what closed before
    ph     | χ_h | n       | {COLUMNS} | χ behind the hinge
    pt     | χ_t | n       | {COLUMNS} | χ_h about the parent's origin and in its axes
    kp_    | k_χ | f       | {COLUMNS} | change of the hinge's speeds by χ alone
""")

traced = tracing(CLOSING, FACTS, OF_PARENT)


def _biases(k: Algebra, t: Tracer) -> M:
    """What of φ̈ needs no acceleration, of conditions that close: of cuts, then of couplings."""
    widths, couplings, bent = t.ask("widths"), t.ask("couplings"), t.ask("bent")
    cuts = [t.read("bias", f"_{j}", rows=width) for j, width in enumerate(widths, start=1)]
    others = [t.read("bent", f"_{j}") if j in bent else k.zero() for j in range(couplings)]
    return k.stack(*cuts, *others)


@traced
def close(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The conditions that close at a place are eliminated: they stand first among the columns.

    With o for those that stay open: μ_c = t + T a − Γ μ_o with T = Λ_c⁺ E_cᵀ, t = Λ_c⁺ κ_c,
    Γ = Λ_c⁺ Λ_co, of least norm and a rank that δ and d decide. That leaves IA = I_g + E_c T,
    pA = p_g + E_c t, E = E_o − E_c Γ, κ = κ_o − Γᵀ κ_c, Λ = Λ_o − Γᵀ Λ_co. Unless `carried`, δ is
    the diagonal of Λ up to here. `widths` are those of the cuts, a bias each; couplings follow, of
    which those `bent` have one. At the ground nothing but κ, Λ, d, δ is left, and of what closes
    there last nothing but t is needed; else corrections divide by Λ_c too, by Ψ.
    """
    m, o, grounded = t.ask("closed"), t.ask("width"), t.ask("grounded")
    widths, bent, carried = t.ask("widths"), t.ask("bent"), t.ask("carried")
    size, now = m + o, range(1, m + 1)
    later = range(m + 1, size + 1)
    label = "_".join([*map(str, widths), *(f"bent{j}" for j in bent)])
    marks = f"{'_ground' if grounded else ''}{'_carried' if carried else ''}"
    t.called(f"close{marks}_{m}_{o}_{label}", f"{counted(m, 'condition')} eliminated")
    L, kappa = t.read("Lg", rows=size, cols=size), t.read("kg", rows=size)
    reach, scale = _limits(t, size)
    x.Lc = part(L, now, now)
    x.kc = part(kappa, now) + _biases(k, t)
    parts, between = {"tc": x.kc}, part(L, now, later)
    if not grounded:
        E, IA, pA = t.read("Eg", cols=size), x.IAg, x.pAg
        first = part(E, cols=now)
        parts["Tc"] = first.T
    if o:
        parts["Rc"] = between
    if o or not grounded:
        parts["Wc"] = k.unit_matrix(m)
    _divided(k, t, x.Lc, parts, part(reach, now), scale and part(scale, now))
    found: tuple[str, ...] = tuple(parts)
    if not grounded:
        x.IA, x.pA = IA + first @ x.Tc, pA + first @ x.tc
        found = (*found, "IA", "pA")
    if not o:
        return found
    open_ = part(L, later, later)
    x.kb_ = part(kappa, later) - x.Rc.T @ x.kc
    x.L_ = open_ - x.Rc.T @ between
    x.d_, x.z_ = part(reach, later), part(scale, later) if scale else diagonal(k, open_)
    words = ["kb_", "L_", "d_", "z_"]
    if not grounded:
        x.E_ = part(E, cols=later) - first @ x.Rc
        words.append("E_")
    return *found, *map(t.port, words)


def _limits(t: Tracer, size: int) -> tuple[M, M | None]:
    """d, and where it is carried δ, of all columns that have been gathered."""
    reach = t.read("dg", rows=size)
    return reach, t.read("zg", rows=size) if t.ask("carried") else None


def _divided(
    k: Algebra, t: Tracer, L: M, parts: Mapping[str, M], reach: M, scale: M | None
) -> None:
    """State Λ⁺ of each part, by its word, by one elimination; what an entry does not need of it
    is left out there."""
    if len(parts) == 1:
        ((word, whole),) = parts.items()
        t.solve(word, L, whole, CLOSED, reach=reach, scale=scale)
        return
    solved = t.solve("Zc", L, k.beside(*parts.values()), CLOSED, reach=reach, scale=scale)
    at = 0
    for word, each in parts.items():
        width = each.value.cols
        t.state(word, (L.pseudoinverse @ each).by(solved[:, at : at + width]))
        at += width


@traced
def inverted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Ψ of what closes at the ground last, for many right-hand sides."""
    m, carried = t.ask("closed"), t.ask("carried")
    t.called(f"inverted_{m}{'_carried' if carried else ''}", f"{counted(m, 'condition')} inverted")
    reach, scale = _limits(t, m)
    L, unit = t.read("Lg", rows=m, cols=m), k.unit_matrix(m)
    solved = t.solve("Zc", L, unit, CLOSED, reach=reach, scale=scale)
    t.state("Wc", (L.pseudoinverse @ unit).by(solved))
    return ("Wc",)


@traced
def answered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The multipliers of what closes at the ground last, by Ψ: t = Ψ κ_c."""
    m = t.ask("closed")
    label = "_".join([*map(str, t.ask("widths")), *(f"bent{j}" for j in t.ask("bent"))])
    t.called(f"answered_{m}_{label}", f"{counted(m, 'multiplier')}")
    x.kc = t.read("kg", rows=m) + _biases(k, t)
    x.tc = t.read("Wc", rows=m, cols=m) @ x.kc
    return ("tc",)


@traced
def back(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The multipliers of conditions that have closed: μ_c = t + T a − Γ μ_o."""
    m, o, grounded = t.ask("closed"), t.ask("width"), t.ask("grounded")
    t.called(f"back{'_ground' if grounded else ''}_{m}_{o}", f"{counted(m, 'multiplier')}")
    found = t.read("tc", rows=m)
    if not grounded:
        found = found + t.read("Tc", rows=m) @ x.acc
    if o:
        others = t.numbers("mu", "_o", count=o)
        found = found - t.read("Rc", rows=m, cols=o) @ others
    return t.each("mu", found)


@traced
def handed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What inputs demand in a correction."""
    count = t.ask("inputs")
    t.called(f"handed_{count}", f"correction of {counted(count, 'input')}")
    x.pc = sum((t.read("pi", f"_I{j}") for j in range(1, count + 1)), k.zero(k.n))
    return ("pc",)


@traced
def gather_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """κ of all columns that arrive at a place, in a correction."""
    size = t.ask("width")
    t.called(f"gather_bias_{size}_{labelled(t)}", f"{counted(size, 'condition')} gathered")
    x.kb_ = sum((of.kappa for of in arriving(k, t)), k.zero(size))
    return (t.port("kb_"),)


@traced
def close_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a correction brings to conditions that close: t = Ψ (κ + c), χ + E_c t, κ − Γᵀ κ_c.

    `stirred`: with κ; `moved`: with χ; else these are zero. What closes at the ground last has no
    Ψ: there t = Λ_c⁺ (κ + c).
    """
    m, o, grounded = t.ask("closed"), t.ask("width"), t.ask("grounded")
    stirred, moved, size = t.ask("stirred"), t.ask("moved"), m + o
    last = grounded and not o
    now = range(1, m + 1)
    marks = "".join("01"[mark] for mark in (grounded, stirred, moved))
    carried = "_carried" if last and t.ask("carried") else ""
    t.called(f"close_bias_{m}_{o}_{marks}{carried}", f"correction of {counted(m, 'condition')}")
    kappa = t.read("kg", rows=size) if stirred else k.zero(size)
    c = t.numbers("c", count=m)
    x.kc = (part(kappa, now) if stirred else k.zero(m)) + c
    if last:
        limits = _limits(t, size)
        _divided(k, t, t.read("Lg", rows=m, cols=m), {"tc": x.kc}, *limits)
    else:
        x.tc = t.read("Wc", rows=m, cols=m) @ x.kc
    found: tuple[str, ...] = ("tc",)
    if not grounded:
        pushed = t.read("Tc", rows=m).T @ x.kc
        x.pc = t.read("pi") + pushed if moved else pushed
        found = (*found, "pc")
    if o:
        taken = t.read("Rc", rows=m, cols=o).T @ x.kc
        x.kb_ = part(kappa, range(m + 1, size + 1)) - taken if stirred else -taken
        found = (*found, t.port("kb_"))
    return found


@traced
def through_bias(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a correction demands, through a hinge: Hᵀ λ = −ρ u̇ with λ = χ + IA H u̇.

    k = −D⁻¹ Hᵀ χ, χ_h = χ + U k, κ_t = κ − Nᵀ Hᵀ χ; `stirred`: with κ, of so many columns.
    """
    size, freedom = t.ask("width"), x.freedom
    stirred = size and t.ask("stirred")
    rotor = freedom and t.ask("rotor")
    kind = f"{x.kind}{'_backward' if x.backward else ''}" if freedom else "rigid"
    marks = f"{'_rho' if rotor else ''}{'_stirred' if stirred else ''}"
    t.called(f"through_bias_{size}_{kind}{marks}", "correction through the hinge")
    pc, _, _ = x.pc, x.C, x.r
    left, outputs = pc, tuple[str, ...]()
    kappa = t.read("kg", rows=size) if stirred else k.zero(size)
    if freedom:
        x.U = x.IA @ x.H_
        x.D = x.H_.T @ x.U + (k.diagonal(x.rho) if rotor else k.zero())
        push = x.H_.T @ pc
        t.solve("kp_", x.D, -push, COLUMNS)
        left = pc + x.U @ x.kp_
        gone = () if rotor else joint(k.d, x.kind).eliminated(x.backward)
        left = left.by(sp.Matrix([0 if i in gone else left[i] for i in range(k.n)]))
        kappa = kappa - x.K_.T @ push if size else kappa
        outputs = (t.port("kp_"),)
    x.ph = left
    x.pt = to_parent(x, k, t, x.ph)
    if size:
        x.kt_ = kappa
        outputs = (*outputs, t.port("kt_"))
    return *outputs, "pt"
