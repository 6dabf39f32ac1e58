"""The transfer matrix of a beam's cell.

A beam is cut into cells so short that the largest wave number times their length is at most 1.5;
the exponential of a cell is then its Taylor series, a polynomial in ω² without poles. Axes are
those of the beam; I is the end at the tip side, O that at the root side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import factorial

import sympy as sp

from ...mechanics.matrices import Algebra, M, part
from ...mechanics.traced import At, Tracer, tracing
from .letters import CELLS, OF_CELLS, SERIES, TAYLOR, WAVES, WHIRL

#: How often ω² multiplies itself at most: 26 terms of the exponential of a cell.
TERMS = 13

#: The highest power of x along a cell whose tension changes along it.
POWERS = 32

#: A tension at I, and how much more it is per length towards O if it changes.
Tension = tuple[sp.Expr, ...]

traced = tracing(CELLS, OF_CELLS, {})


def tension(x: At) -> Tension:
    """The tension of a cell at rest, what it is given and what it bears."""
    return (x.T0[0] + x.NI[0], x.NS[0]) if x.laden else (x.T0[0],)


@traced
def cell(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A, B, C, D of a cell at ω²: waves along, across in one plane or two, and of torsion."""
    spun, relaxed = k.d == 3 and t.ask("spun"), t.ask("relaxed")
    label = f"{'_backward' * x.backward}{'_spun' * spun}{'_relaxed' * relaxed}{'_laden' * x.laden}"
    t.called(f"cell{label}", "transfer matrix of a cell")
    w, l, N, kw = x.omega2[0], x.l[0], tension(x), x.kw[0]  # noqa: E741
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
        T.append((_across(k, t, "y", EI, g, N, rhoI * w, mass - kw, l), (2, 4), (1, -way)))
    if not spun:
        EI, g, rhoI = x.EIz[0] * e, x.gz[0] / e, x.rhoIz[0]
        T.append((_across(k, t, "z", EI, g, N, rhoI * w, mass - kw, l), (1, turn), (1, way)))
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
    N: Tension,
    b: sp.Expr,
    a: sp.Expr,
    l: sp.Expr,  # noqa: E741
) -> M:
    """That of bending in a plane, (v, θ, f, m).

    v′ = c θ + g f, θ′ = m/EI, f′ = −a v, m′ = −c f + h θ, with a = ρA ω² − k_w, c = 1 − g N_s and
    h = c N_s − b, b = ρI ω². The tension N_s at rest is at right angles to the section, which turns
    by θ (Haringx): of the force f across the axis at rest it shears by f − N_s θ. The energy is
    ½ EI θ′² + (v′ − θ)²/2g + N_s (v′ θ − ½ θ²), that of beams of any displacements (Reissner) to
    the second order, whose strains at rest are small.
    """
    if len(N) > 1:
        return _varying(k, t, way, EI, g, N, b, a, l)
    slant = t.state(f"c{way}", k.scalar(1 - g * N[0]), WAVES, f"c_{way}")[0]
    stretch = t.state(f"h{way}", k.scalar(slant * N[0] - b), WAVES, f"h_{way}")[0]
    push = t.state(f"a{way}", k.scalar(a), WAVES, f"a_{way}")[0]
    G = k.formula(
        sp.Matrix([[0, slant, g, 0], [0, 0, 0, 1 / EI], [-push, 0, 0, 0], [0, stretch, -slant, 0]])
    )
    G = t.abbreviate(f"G{way}", G)
    G2 = t.state(f"G2{way}", G @ G, WAVES, f"G2_{way}")
    G3 = t.state(f"G3{way}", G @ G2, WAVES, f"G3_{way}")
    trace = stretch / EI - g * push
    s = t.state(f"s{way}", k.scalar(l**2 * trace), WAVES, f"s_{way}")
    z = t.state(f"t{way}", k.scalar(l**4 * push / EI * (slant**2 + g * stretch)), WAVES, f"t_{way}")
    # G⁴ = s G² + t: of X + Y G² it makes t Y + (X + s Y) G².
    Y = _series(t, way, 2, k, lambda x: k.stack(z @ part(x, [2]), part(x, [1]) + s @ part(x, [2])))
    even, odd, even2, odd3 = (k.entry(Y, i, j) for i, j in ((1, 1), (1, 2), (2, 1), (2, 2)))
    length = k.scalar(l)
    T = even @ k.unit_matrix(4) + length @ odd @ G
    T = T + length**2 @ even2 @ G2 + length**3 @ odd3 @ G3
    t.state(f"T{way}", T, SERIES, f"T_{way}")
    return t.entries(f"T{way}")


def _varying(
    k: Algebra,
    t: Tracer,
    way: str,
    EI: sp.Expr,
    g: sp.Expr,
    N: Tension,
    b: sp.Expr,
    a: sp.Expr,
    l: sp.Expr,  # noqa: E741
) -> M:
    """The same under a tension N + N′ x: what multiplies (x/l)ʲ of the solution, power by power.

    In (v, l θ, l³ f/EI, l² m/EI) all is of one size. c and h l²/EI are polynomials in x/l.
    """
    c0, rise = 1 - g * N[0], N[1] * l
    stated = {
        "c": (c0, -g * rise),
        "h": tuple(x * l**2 / EI for x in (N[0] * c0 - b, rise * (2 * c0 - 1), -g * rise**2)),
        "a": (a * l**4 / EI,),
        "g": (g * EI / l**2,),
    }
    c, h, (push,), (shear,) = (
        [t.state(f"{x}{j}{way}", k.scalar(v), WAVES, f"{x}{j}_{way}")[0] for j, v in enumerate(of)]
        for x, of in stated.items()
    )
    none = [sp.zeros(1, 4)] * 2
    v, turn, force, moment = ([*none, sp.eye(4)[i, :]] for i in range(4))
    for j in range(1, POWERS + 1):
        before, here = (c[0] * x[-1] + c[1] * x[-2] for x in (turn, force))
        steep = sum((h[i] * turn[-1 - i] for i in range(3)), -here)
        rates = sp.Matrix.vstack(before + shear * force[-1], steep) / j
        turn.append(moment[-1] / j)
        force.append(-push * v[-1] / j)
        found = t.state(f"Y{way}{j}", k.formula(rates), TAYLOR, f"Y{way}{j}").value
        v.append(found[0, :])
        moment.append(found[1, :])
    whole = sp.Matrix.vstack(
        *(reduce(sp.Matrix.__add__, reversed(x)) for x in (v, turn, force, moment))
    )
    size = [1, 1 / l, EI / l**3, EI / l**2]
    value = sp.Matrix(4, 4, lambda i, j: size[i] * whole[i, j] / size[j])
    t.state(f"T{way}", k.formula(value), TAYLOR, f"T_{way}")
    return t.entries(f"T{way}")


def _whirling(x: At, k: Algebra, t: Tracer, e: sp.Expr) -> M:
    """That of bending in both planes of a round beam that spins: (v, θ_z, w, −θ_y, f and m alike).

    What whirls forwards, v + i w, and what whirls backwards, v − i w, are each a plane of its own.
    """
    w, l, N = x.omega2[0], x.l[0], tension(x)  # noqa: E741
    spin = sp.I * x.W[0] * x.rhoJ[0] * x.s[0]
    EI, g, rhoI, push = x.EIz[0] * e, x.gz[0] / e, x.rhoIz[0], x.rhoA[0] * w - x.kw[0]
    F, B = (
        _across(k, t, way, EI, g, N, rhoI * w + sign * spin, push, l).value
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
