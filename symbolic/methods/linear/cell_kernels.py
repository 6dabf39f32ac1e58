"""The kernels of a beam's cells: the transfer matrix of one, and what hangs on it passed through.

A beam is cut into cells so short that the largest wave number times their length is at most 1.5;
the exponential of a cell is then its Taylor series, a polynomial in ω² without poles. Axes are
those of the chain of cells: the first runs from the tip side to the root side.
"""

from __future__ import annotations

from math import factorial

import sympy as sp

from ...language.letters import letters
from ...language.program import Policy
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing

#: How often ω² multiplies itself at most: 26 terms of the exponential of a cell.
TERMS = 13

WAVES = "own: (u, λ)′ = G (u, λ) along a beam; Timoshenko's, with GJ, EA, tension and foundation"
SERIES = "own: exp(G l) by Horner's rule, of G⁴ = s G² + t"
RICCATI = "Riccati paper (31) of a cell: λ = K u, u_O = A u + B λ, λ_O = C u + D λ"
ENERGY = "own: uᵀ M u of a cell is λ_Oᵀ u′_O − u_Oᵀ λ′_O, primes along ω² with (u, λ) held at I"

CELLS = letters(f"""
    omega2 | ν    | 1       | | square of the circular frequency, ω², 1/s²
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
    kw     | k_w  | 1       | | stiffness of the foundation across the axis per length, N/m²
    A      | A    | n n     | {SERIES} | u_O of a unit displacement at I
    B      | B    | n n     | {SERIES} | u_O of a unit wrench at I
    C      | C    | n n     | {SERIES} | λ_O of a unit displacement at I
    D      | D    | n n     | {SERIES} | λ_O of a unit wrench at I
    dA     | A′   | n n     | | derivative of A along ω²
    dB     | B′   | n n     | | derivative of B along ω²
    dC     | C′   | n n     | | derivative of C along ω²
    dD     | D′   | n n     | | derivative of D along ω²
    K      | K    | n n sym | {RICCATI} | dynamic stiffness of what hangs on an end: λ = K u + p
    p      | p    | n       | {RICCATI} | wrench at an end that is held
    N      | N    | n n     | {RICCATI} | u_O of a unit displacement at I with what hangs there
    F      | F    | n n sym | own: N Bᵀ, congruent to the stiffness at I with O held | it is counted
    X      | X    | n n     | {RICCATI} | the transpose of K at O
    KO     | K_O  | n n sym | {RICCATI} | K at O
    pO     | p_O  | n       | {RICCATI} | p at O
    uO     | u_O  | n       | | displacement and turn at O
    u      | u    | n       | {RICCATI} | displacement and turn at I
    lam    | λ    | n       | {RICCATI} | wrench at I
    lamO   | λ_O  | n       | {RICCATI} | wrench at O
    muu    | μ    | 1       | {ENERGY} | uᵀ M u of the cell, twice its kinetic energy over ω²
""")

traced = tracing(CELLS, FACTS, {})


@traced
def cell(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A, B, C, D of a cell at ω²: waves along, across in one plane or two, and of torsion."""
    t.called(f"cell_{k.d}", "transfer matrix of a cell")
    w, l, N, kw = x.omega2[0], x.l[0], x.T0[0], x.kw[0]  # noqa: E741
    mass = x.rhoA[0] * w
    along = _rod(k, t, "a", x.EA[0], mass, l)
    # of u, by the plane: place of the displacement, of the turn, and the sign of the latter
    T: list[tuple[M, tuple[int, ...], tuple[int, ...]]] = [(along, (0,), (1,))]
    if k.d == 3:
        T.append((_rod(k, t, "t", x.GJ[0], x.rhoJ[0] * w, l), (3,), (1,)))
        EI, g, rhoI = x.EIy[0], x.gy[0], x.rhoIy[0]
        T.append((_across(k, t, "y", EI, g, N - rhoI * w, mass - kw, l), (2, 4), (1, -1)))
    EI, g, rhoI = x.EIz[0], x.gz[0], x.rhoIz[0]
    turn = 2 if k.d == 2 else 5
    T.append((_across(k, t, "z", EI, g, N - rhoI * w, mass - kw, l), (1, turn), (1, 1)))
    for name, row, col in (("A", 0, 0), ("B", 0, 1), ("C", 1, 0), ("D", 1, 1)):
        whole = sp.zeros(k.n, k.n)
        for own, places, signs in T:
            size = len(places)
            for i, (at, sign) in enumerate(zip(places, signs, strict=True)):
                for j, (to, other) in enumerate(zip(places, signs, strict=True)):
                    whole[at, to] = sign * other * own[row * size + i, col * size + j]
        t.state(name, k.formula(whole))
    return "A", "B", "C", "D"


def _rod(k: Algebra, t: Tracer, way: str, stiff: sp.Expr, mass: sp.Expr, l: sp.Expr) -> M:  # noqa: E741
    """The transfer matrix of waves along a rod or of torsion, (u, f): EA u″ = −ρA ω² u."""
    z = t.state(f"z{way}", k.scalar(-mass * l**2 / stiff), WAVES, f"z_{way}")
    _series(k, t, way, z)
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
    s = t.state(f"s{way}", k.scalar(l**2 * trace), WAVES, f"s_{way}")[0]
    z = t.state(f"t{way}", k.scalar(l**4 * push / EI * (1 + g * stretch)), WAVES, f"t_{way}")[0]
    Y = _series(k, t, way, t.abbreviate(f"Z{way}", k.formula(sp.Matrix([[0, z], [1, s]]))))
    even, odd, even2, odd3 = (k.entry(Y, i, j) for i, j in ((1, 1), (1, 2), (2, 1), (2, 2)))
    length = k.scalar(l)
    T = even @ k.unit_matrix(4) + length @ odd @ G
    T = T + length**2 @ even2 @ G2 + length**3 @ odd3 @ G3
    t.state(f"T{way}", T, SERIES, f"T_{way}")
    return t.entries(f"T{way}")


def _series(k: Algebra, t: Tracer, way: str, Z: M) -> M:
    """Σ Zʲ [1/(2j)!, 1/(2j+1)!; 0, 0]: cosh √Z beside sinh √Z/√Z, Horner's way."""
    size, Y = Z.value.rows, None
    for j in reversed(range(TERMS)):
        first = [[sp.Rational(1, factorial(2 * j)), sp.Rational(1, factorial(2 * j + 1))]]
        of = k.formula(sp.Matrix(first + [[0, 0]] * (size - 1)))
        Y = t.state(f"Y{way}{j}", of if Y is None else of + Z @ Y, SERIES, f"Y{way}{j}")
    assert Y is not None
    return Y


@traced
def passed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """K at a cell's end O from that at I, and F, whose negative eigenvalues are counted."""
    t.called(f"through_cell_{k.d}", "dynamic stiffness passed through a cell")
    A, B, C, D, K = x.A, x.B, x.C, x.D, x.K
    x.N = A + B @ K
    x.F = x.N @ B.T
    X = t.solve("X", x.N.T, (C + D @ K).T, RICCATI, Policy.LU)
    x.KO = (x.X + x.X.T).half.by((X + X.T) / 2)
    return "KO", "F"


@traced
def pressed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """p at a cell's end O from that at I."""
    t.called(f"pressed_cell_{k.d}", "wrenches passed through a cell")
    x.pO = x.D @ x.p - x.KO @ (x.B @ x.p)
    return ("pO",)


@traced
def unpassed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """u and λ at a cell's end I from u at O."""
    t.called(f"back_through_cell_{k.d}", "displacement back through a cell")
    B, K, p = x.B, x.K, x.p
    x.N = x.A + B @ K
    t.solve("u", x.N, x.uO - B @ p, RICCATI, Policy.LU)
    x.lam = K @ x.u + p
    return "u", "lam"


@traced
def weighed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """uᵀ M u of a cell, from u and λ at I and the derivative of its transfer matrix."""
    t.called(f"mass_of_cell_{k.d}", "generalized mass of a cell")
    moved = x.dA @ x.u + x.dB @ x.lam
    pulled = x.dC @ x.u + x.dD @ x.lam
    x.muu = x.lamO.T @ moved - x.uO.T @ pulled
    return ("muu",)
