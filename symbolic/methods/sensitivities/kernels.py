"""The kernels of how inverse dynamics changes, in spatial representation.

Move all that hangs on a place of the tree by a screw S which itself moves with the twist V of what
carries it, and let V̇ be the rate of that (gravity as an acceleration of the ground). Then

    Ṡ = [V, S],    S̈ = [V̇, S] + [V, Ṡ],

and with Mc, Yc, Wc the inertia, the Y of Christoffel's C and the wrench of all links moved (sums,
see `closed.kernels`), the forces change by Sᵀ_j (Mc S̈ + 2 Yc Ṡ) for hinges j among them, of which
the sums are those of j, and by Sᵀ_j (Mc S̈ + 2 Yc Ṡ − ad_Sᵀ Wc) for hinges j that carry them. At a
unit speed along S they change by Sᵀ_j (Mc S̊ + 2 Yc S), where S̊ = [V + V', S] with the twist V'
beyond the hinge; of a hinge with one freedom that is 2 Ṡ. Where a motion along one freedom leaves
the screws of the hinge's others as they are, V' is in the place of V in Ṡ and S̈.

S is the screw of a speed, or that of a hinge's end which is displaced on its body: a hinge that
stands still.

Source: screw paper, Sect. 6.1 and 6.2; the closed forms are own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space
from ...mechanics.taken import resisted

MOTION = "screw paper (69), (70): V = V_p + J q̇, V̇ = V̇_p + J q̈ + [V_p, J] q̇"
VARIED = "own: Ṡ = [V, S], S̈ = [V̇, S] + [V, Ṡ]"
WRENCH = "screw paper (39), (72): W = M V̇ − ad_Vᵀ M V, summed over the links outwards"
SPED = "own: [V, S] before the hinge and beyond it"
RESPONSE = "own: screw paper, Sect. 6.1 in sums over the links outwards"
PLACED = "own: screw paper, Sect. 6.2, a hinge's end turned about and shifted along its body's axes"
REGRESSOR = "screw paper (43), (44), linear in m, m c and Θ"


@cache
def motion(dimension: int, freedom: int, held: bool = False) -> Kernel:
    """The motion beyond the freedoms of a hinge, and how their screws move.

    The screws of several stand still in what the hinge moves, or `held` in what carries it: then
    a motion along one of them leaves the others where they are.
    """
    n = Space(dimension).motion
    space = Space(dimension)
    name = f"motion_{freedom}{'_held' if held else ''}"
    kernel = KernelBuilder(name, f"motion beyond {counted(freedom, 'freedom')}")
    V, A = kernel.take("Vp", n), kernel.take("Ap", n)
    screws = [kernel.take(f"S_{k}", n) for k in range(1, freedom + 1)]
    twist, rate, turned = V, A, []
    for k, S in enumerate(screws, 1):
        u, a = kernel.take(f"u_{k}")[0], kernel.take(f"ad_{k}")[0]
        turned.append(kernel.let(f"turned_{k}", space.ad(V) * S, MOTION))
        twist, rate = twist + S * u, rate + S * a + turned[-1] * u
    beyond, there = kernel.let("Vs", twist, MOTION), kernel.let("As", rate, MOTION)
    for k, (S, first) in enumerate(zip(screws, turned, strict=True), 1):
        sped = 2 * first if freedom == 1 else space.ad(V + beyond) * S
        kernel.let(f"Sv_{k}", sped, SPED)
        W, Wd = (beyond, there) if held else (V, A)
        first = kernel.let(f"Sd_{k}", sped - first if held else first, VARIED)
        kernel.let(f"Sdd_{k}", space.ad(Wd) * S + space.ad(W) * first, VARIED)
    moved = [f"{x}_{k}" for k in range(1, freedom + 1) for x in ("Sd", "Sdd", "Sv")]
    return kernel.build("Vs", "As", *moved)


@cache
def wrench(dimension: int, inputs: int) -> Kernel:
    """What a link and all that hangs on it demand, about the inertial origin."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"demand_{inputs}", f"wrench of a body with {counted(inputs, 'input')}")
    M, V, A = kernel.take("Ms", n, n, symmetric=True), kernel.take("Vs", n), kernel.take("As", n)
    P = kernel.let("P", M * V, "screw paper (36): P = M V")
    total = M * A - space.ad(V).T * P
    for k in range(1, inputs + 1):
        total += kernel.take(f"Wc_I{k}", n)
    kernel.let("Wc", total, WRENCH)
    return kernel.build("Wc")


@cache
def projected(dimension: int) -> Kernel:
    """What a link's sums make of the screw of a freedom of its hinge: U = Mc S, B = 2 Ycᵀ S."""
    n = Space(dimension).motion
    kernel = KernelBuilder("projected", "sums along a screw")
    S = kernel.take("S", n)
    kernel.let("U", kernel.take("Mc", n, n, symmetric=True) * S, RESPONSE, says="U = Mc S")
    kernel.let("B", 2 * kernel.take("Yc", n, n).T * S, RESPONSE, says="B = 2 Ycᵀ S")
    return kernel.build("U", "B")


@cache
def response(dimension: int) -> Kernel:
    """What hinges must do that carry a link when it moves along S, and at unit speed."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder("response", "response to a motion along a screw")
    S, Sd, Sdd, Sv = (kernel.take(name, n) for name in ("S", "Sd", "Sdd", "Sv"))
    Mc, Yc = kernel.take("Mc", n, n, symmetric=True), kernel.take("Yc", n, n)
    turned = space.ad(S).T * kernel.take("Wc", n)
    kernel.let("R", Mc * Sdd + 2 * Yc * Sd - turned, RESPONSE, says="R = Mc S̈ + 2 Yc Ṡ − ad_Sᵀ Wc")
    kernel.let("E", Mc * Sv + 2 * Yc * S, RESPONSE, says="E = Mc S̊ + 2 Yc S")
    return kernel.build("R", "E")


@cache
def alone(dimension: int, rotor: bool) -> Kernel:
    """A speed's own entries; those of its row in the column of another that it carries."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"alone{'_rotor' if rotor else ''}", "a speed's own entries")
    S, U, R, E = (kernel.take(name, n) for name in ("S", "U", "R", "E"))
    kernel.let("K", S.T * R, RESPONSE, says="K = Sᵀ R")
    kernel.let("D", S.T * E, RESPONSE, says="D = Sᵀ E")
    kernel.let("M", resisted(kernel, S.T * U, rotor), "screw paper (82)", says="M = Sᵀ U")
    return kernel.build("K", "D", "M")


@cache
def moved(dimension: int) -> Kernel:
    """The entries of a speed that another one moves: of its row, in the other's column."""
    n = Space(dimension).motion
    kernel = KernelBuilder("moved", "a speed moved by another")
    _moved_entries(kernel, n)
    return kernel.build("K", "D", "M")


@cache
def pair(dimension: int) -> Kernel:
    """All entries of a speed and one that carries it."""
    n = Space(dimension).motion
    kernel = KernelBuilder("linear_pair", "a speed and one that carries it")
    M, S = _moved_entries(kernel, n)
    kernel.let("Ki", S.T * kernel.take("R", n), RESPONSE, says="K = Sᵀ R")
    kernel.let("Di", S.T * kernel.take("E", n), RESPONSE, says="D = Sᵀ E")
    kernel.let("Mi", M, "Mᵀ = M")
    return kernel.build("K", "D", "M", "Ki", "Di", "Mi")


def _moved_entries(kernel: KernelBuilder, n: int) -> tuple[sp.Matrix, sp.Matrix]:
    U, B = kernel.take("U", n), kernel.take("B", n)
    S, Sd, Sdd, Sv = (kernel.take(f"{name}a", n) for name in ("S", "Sd", "Sdd", "Sv"))
    kernel.let("K", U.T * Sdd + B.T * Sd, RESPONSE, says="K = Uᵀ S̈ + Bᵀ Ṡ")
    kernel.let("D", U.T * Sv + B.T * S, RESPONSE, says="D = Uᵀ S̊ + Bᵀ S")
    return kernel.let("M", U.T * S, "screw paper (82)", says="M = Uᵀ S"), S


@cache
def placed(dimension: int) -> Kernel:
    """Turns of a hinge's end about its body's axes and shifts along them, and how they move."""
    space, d = Space(dimension), dimension
    n = space.motion
    kernel = KernelBuilder("placed", "turns and shifts of a hinge's end")
    axes, A, x = kernel.take("Ab", d, d), kernel.take("A", d, d), kernel.take("x", d)
    at = kernel.let("at", x + A * kernel.take("arm", d), PLACED, says="r = x + A r′")
    V, rate = kernel.take("Vs", n), kernel.take("As", n)
    spins = sp.eye(1) if d == 2 else axes
    levers = [-space.turn(spins[:, k], at) for k in range(space.spins)]
    slides = sp.Matrix.hstack(*levers, axes)
    turns = sp.Matrix.hstack(spins, sp.zeros(space.spins, d))
    G = kernel.let("G", sp.Matrix.vstack(slides, turns), PLACED, says="G = (−e × r, e), (n, 0)")
    first = kernel.let("Gd", space.ad(V) * G, VARIED, says="Ġ = [V, G]")
    kernel.let("Gdd", space.ad(rate) * G + space.ad(V) * first, VARIED, says="G̈ = [V̇, G] + [V, Ġ]")
    return kernel.build("G", "Gd", "Gdd")


def _cross(space: Space, spin: sp.Matrix) -> sp.Matrix:
    """The matrix of spin ×."""
    if space.dimension == 3:
        return space.tilde(spin)
    return sp.Matrix([[0, -spin[0]], [spin[0], 0]])


@cache
def displaced(dimension: int, sign: int) -> Kernel:
    """What hinges must do that carry a link when its hinge's end is turned and shifted."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"displaced{_side(sign)}", "response to a displaced end of a hinge")
    G, first, second = (kernel.take(name, n, n) for name in ("G", "Gd", "Gdd"))
    Mc, Yc = kernel.take("Mc", n, n, symmetric=True), kernel.take("Yc", n, n)
    turned = space.bar(kernel.take("Wc", n)) * G
    kernel.let(
        "Rx",
        sign * (Mc * second + 2 * Yc * first - turned),
        PLACED,
        says=f"R = {'' if sign > 0 else '−'}(Mc G̈ + 2 Yc Ġ − bar(Wc) G)",
    )
    return kernel.build("Rx")


@cache
def carrying(dimension: int) -> Kernel:
    """The force in a hinge that carries what is displaced."""
    n = Space(dimension).motion
    kernel = KernelBuilder("carrying", "force that carries what is displaced")
    kernel.let("dx", kernel.take("Rx", n, n).T * kernel.take("S", n), PLACED, says="∂τ = Rᵀ S")
    return kernel.build("dx")


@cache
def carried(dimension: int, sign: int) -> Kernel:
    """The force in a hinge that is displaced."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"carried{_side(sign)}", "force in a hinge that is displaced")
    U, B = kernel.take("U", n), kernel.take("B", n)
    first, second = kernel.take("Gd", n, n), kernel.take("Gdd", n, n)
    kernel.let(
        "dx",
        sign * (second.T * U + first.T * B),
        PLACED,
        says=f"∂τ = {'' if sign > 0 else '−'}(G̈ᵀ U + Ġᵀ B)",
    )
    return kernel.build("dx")


def _side(sign: int) -> str:
    return "" if sign > 0 else "_back"


@cache
def nothing(rows: int) -> Kernel:
    """Of a hinge on another branch."""
    kernel = KernelBuilder(f"nothing_{rows}", "on another branch")
    kernel.let("zero", sp.zeros(rows, 1), "own", says="∂τ = 0")
    return kernel.build("zero")


def parameter_count(dimension: int) -> int:
    """Inertia parameters of a body: m, m c and the entries of Θ on and above the diagonal."""
    return 4 if dimension == 2 else 10


@cache
def regressor(dimension: int) -> Kernel:
    """The wrench of a body on itself by each of its inertia parameters, in its own axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("wrench_columns", "wrench by inertia parameters")
    A, x = kernel.take("Ab", d, d), kernel.take("xb", d)
    twists = kernel.take("Vs", space.motion), kernel.take("As", space.motion)
    spin, turning = (X[d:, :] if d == 2 else A.T * X[d:, :] for X in twists)
    w, alpha = (
        kernel.let("w", spin, REGRESSOR, says="ω = Aᵀ Ω"),
        kernel.let("alpha", turning, REGRESSOR, says="ω̇ = Aᵀ Ω̇"),
    )
    v, vd = (A.T * (X[:d, :] + space.turn(X[d:, :], x)) for X in twists)
    v = kernel.let("vb", v, REGRESSOR, says="v = Aᵀ ṙ")
    a = kernel.let("ab", vd + space.turn(w, v), REGRESSOR, says="a = Aᵀ r̈")
    cross = _cross(space, w)
    lever = kernel.let("N", _cross(space, alpha) + cross * cross, REGRESSOR, says="N = ~ω̇ + ~ω~ω")
    force = sp.Matrix.hstack(a, lever, sp.zeros(d, parameter_count(d) - d - 1))
    moments = [space.tilde(sp.eye(d)[:, k]) * a for k in range(d)]
    turns = [alpha] if d == 2 else [E * alpha + cross * E * w for E in _tensors()]
    moment = sp.Matrix.hstack(sp.zeros(space.spins, 1), *moments, *turns)
    kernel.let("Z", sp.Matrix.vstack(force, moment), REGRESSOR, says="W = Z (m, m c, Θ)")
    return kernel.build("Z")


def _tensors() -> list[sp.Matrix]:
    """The symmetric matrices of one entry on or above the diagonal, row by row."""
    found = []
    for i in range(3):
        for j in range(i, 3):
            E = sp.zeros(3, 3)
            E[i, j] = E[j, i] = 1
            found.append(E)
    return found


@cache
def regressor_row(dimension: int) -> Kernel:
    """A speed's force by a body's inertia parameters."""
    n, count = Space(dimension).motion, parameter_count(dimension)
    kernel = KernelBuilder("regressor_row", "force by inertia parameters")
    kernel.let(
        "Y",
        kernel.take("Z", n, count).T * kernel.take("Jb", n),
        "screw paper (79)",
        says="Y = Zᵀ J",
    )
    return kernel.build("Y")
