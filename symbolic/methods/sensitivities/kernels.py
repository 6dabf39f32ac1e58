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

import sympy as sp

from ...language.letters import letters
from ...language.words import counted
from ...language.written import number
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ..closed.kernels import PARENTS
from ..jacobians.kernels import SCREWS

MOTION = "screw paper (69), (70): V = V_p + J q̇, V̇ = V̇_p + J q̈ + [V_p, J] q̇"
VARIED = "own: Ṡ = [V, S], S̈ = [V̇, S] + [V, Ṡ]"
WRENCH = "screw paper (39), (72): W = M V̇ − ad_Vᵀ M V, summed over the links outwards"
SPED = "own: [V, S] before the hinge and beyond it"
RESPONSE = "own: screw paper, Sect. 6.1 in sums over the links outwards"
PLACED = "own: screw paper, Sect. 6.2, a hinge's end turned about and shifted along its body's axes"
REGRESSOR = "screw paper (43), (44), linear in m, m c and Θ"
MASS = "screw paper (82)"

LINEAR = SCREWS | letters(f"""
    Vs  | V  | n   | {MOTION} | twist of what a speed moves, of its point at the inertial origin
    As  | V̇  | n   | {MOTION} | rate of the twist
    ad  | q̈  | 1   | | rate of a speed
    Wc  | Wc | n   | {WRENCH} | wrench of a link and of all that hangs on it
    Sd  | Ṡ  | n   | {VARIED} | rate of the screw
    Sdd | S̈  | n   | {VARIED} | second rate of the screw
    Sv  | S̊  | n   | {SPED}   | what stands for 2 Ṡ at unit speed
    Sa  | Sₐ | n   | | screw of the speed that moves
    Sda | Ṡₐ | n   | | rate of the screw of the speed that moves
    Sdda| S̈ₐ | n   | | second rate of the screw of the speed that moves
    Sva | S̊ₐ | n   | | what stands for 2 Ṡ of it at unit speed
    U   | U  | n   | {RESPONSE} | momentum of the screw, of all links outwards
    B   | B  | n   | {RESPONSE} | 2 Ycᵀ S
    R   | R  | n   | {RESPONSE} | wrench that a motion along the screw demands
    E   | E  | n   | {RESPONSE} | wrench that a unit speed along the screw demands
    K   | K  | 1   | {RESPONSE} | entry of the stiffness: force by coordinate
    D   | D  | 1   | {RESPONSE} | entry of the damping: force by speed
    M   | M  | 1   | {MASS} | entry of the mass matrix: force by acceleration
    Ki  | K′ | 1   | {RESPONSE} | entry of the stiffness in the carrying speed's row
    Di  | D′ | 1   | {RESPONSE} | entry of the damping in the carrying speed's row
    Mi  | M′ | 1   | {MASS} | entry of the mass matrix in the carrying speed's row
    arm | r′ | d   | | the hinge's end, from the origin of its body's link and in link axes
    G   | G  | n n | {PLACED} | turns and shifts of a hinge's end, as screws
    Gd  | Ġ  | n n | {VARIED} | rates of the turns and shifts
    Gdd | G̈  | n n | {VARIED} | second rates of the turns and shifts
    Rx  | R  | n n | {PLACED} | wrenches that a displaced end of a hinge demands
    dx  | ∂τ | n   | {PLACED} | force along a hinge by displacements
    zero | ∂τ | 1  | own      | force along a hinge by what does not move it
    w   | ω  | s   | {REGRESSOR} | angular velocity, in the body's axes
    alpha | ω̇ | s  | {REGRESSOR} | rate of the angular velocity, in the body's axes
    vb  | v  | d   | {REGRESSOR} | velocity of the body's origin, in its axes
    ab  | a  | d   | {REGRESSOR} | acceleration of the body's origin, in its axes
    N   | N  | d d | {REGRESSOR} | a point at r from the origin is accelerated by a + N r
    Z   | Z  | n   | {REGRESSOR} | wrench by inertia parameters (m, m c, Θ)
    Y   | Y  | 1   | screw paper (79) | force by inertia parameters
""")
traced = tracing(LINEAR, FACTS, {**PARENTS, "As": "Ap"})


@traced
def motion(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The motion beyond the freedoms of a hinge, and how their screws move.

    The screws of several stand still in what the hinge moves, or `held` in what carries it: then
    a motion along one of them leaves the others where they are.
    """
    freedom, held = x.count, t.ask("held")
    name = f"motion_{freedom}{'_held' if held else ''}"
    t.called(name, f"motion beyond {counted(freedom, 'freedom')}")
    V, A = x.up.Vs, x.up.As
    places = range(1, freedom + 1)
    screws = [t.read("S", f"_{j}") for j in places]
    twist, rate, turned = V, A, []
    for j, S in zip(places, screws, strict=True):
        u, a = t.read("u", f"_{j}"), t.read("ad", f"_{j}")
        turned.append(t.state(f"turned_{j}", k.ad(V) @ S, MOTION, f"Sₚ{j}"))
        twist, rate = twist + S @ u, rate + S @ a + turned[-1] @ u
    x.Vs, x.As = twist, rate
    for j, S, first in zip(places, screws, turned, strict=True):
        sped = 2 * first if freedom == 1 else k.ad(V + x.Vs) @ S
        t.state(f"Sv_{j}", sped, SPED, f"S̊{j}")
        W, Wd = (x.Vs, x.As) if held else (V, A)
        first = t.state(f"Sd_{j}", sped - first if held else first, VARIED, f"Ṡ{j}")
        t.state(f"Sdd_{j}", k.ad(Wd) @ S + k.ad(W) @ first, VARIED, f"S̈{j}")
    return "Vs", "As", *(f"{word}_{j}" for j in places for word in ("Sd", "Sdd", "Sv"))


@traced
def wrench(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link and all that hangs on it demand, about the inertial origin."""
    inputs = x.input_count
    t.called(f"demand_{inputs}", f"wrench of a body with {counted(inputs, 'input')}")
    mass, V, A = x.Ms, x.Vs, x.As
    x.P = mass @ V
    x.Wc = sum((y.Wc for y in x.inputs), mass @ A - k.ad(V).T @ x.P)
    return ("Wc",)


@traced
def projected(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link's sums make of the screw of a freedom of its hinge: U = Mc S, B = 2 Ycᵀ S."""
    t.called("projected", "sums along a screw")
    S = x.S
    x.U = x.Mc @ S
    x.B = 2 * x.Yc.T @ S
    return "U", "B"


@traced
def response(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What hinges must do that carry a link when it moves along S, and at unit speed."""
    t.called("response", "response to a motion along a screw")
    S, Sd, Sdd, Sv = x.S, x.Sd, x.Sdd, x.Sv
    mass, Yc = x.Mc, x.Yc
    x.R = mass @ Sdd + 2 * Yc @ Sd - k.ad(S).T @ x.Wc
    x.E = mass @ Sv + 2 * Yc @ S
    return "R", "E"


@traced
def alone(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A speed's own entries; those of its row in the column of another that it carries."""
    rotor = x.rotor
    t.called(f"alone{'_rotor' if rotor else ''}", "a speed's own entries")
    S, U, R, E = x.S, t.read("U", cols=1), x.R, x.E
    x.K, x.D = S.T @ R, S.T @ E
    x.M = S.T @ U + (t.read("rho", rows=1) if rotor else k.zero())
    return "K", "D", "M"


@traced
def moved(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The entries of a speed that another one moves: of its row, in the other's column."""
    t.called("moved", "a speed moved by another")
    _moved_entries(x)
    return "K", "D", "M"


@traced
def pair(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """All entries of a speed and one that carries it."""
    t.called("linear_pair", "a speed and one that carries it")
    S = _moved_entries(x)
    x.Ki = S.T @ x.R
    x.Di = S.T @ x.E
    x.Mi = x.M
    return "K", "D", "M", "Ki", "Di", "Mi"


def _moved_entries(x: At) -> M:
    U, B = x.U, x.B
    S: M = x.Sa
    Sd, Sdd, Sv = x.Sda, x.Sdda, x.Sva
    x.K = U.T @ Sdd + B.T @ Sd
    x.D = U.T @ Sv + B.T @ S
    x.M = U.T @ S
    return S


@traced
def placed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Turns of a hinge's end about its body's axes and shifts along them, and how they move."""
    t.called("placed", "turns and shifts of a hinge's end")
    axes, A, origin = x.Ab, x.A, x.x
    at = t.state("at", origin + A @ x.arm, PLACED, "r")
    V, rate = x.Vs, x.As
    x.G = _displacements(k, axes, at)
    x.Gd = k.ad(V) @ x.G
    x.Gdd = k.ad(rate) @ x.G + k.ad(V) @ x.Gd
    return "G", "Gd", "Gdd"


def _displacements(k: Algebra, axes: M, at: M) -> M:
    """(−e × r, e) of turns about the axes, (n, 0) of shifts along them, as columns (v, ω)."""
    spins = axes if k.d == 3 else M(sp.eye(1), number(1))
    levers = [-k.space.turn(spins.value[:, j], at.value) for j in range(k.s)]
    slides = sp.Matrix.hstack(*levers, axes.value)
    turns = sp.Matrix.hstack(spins.value, sp.zeros(k.s, k.d))
    whole = k.X(-at) @ k.blocks((k.zero(k.d, k.s), axes), (spins, k.zero(k.s, k.d)))
    return whole.by(sp.Matrix.vstack(slides, turns))


@traced
def displaced(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What hinges must do that carry a link when its hinge's end is turned and shifted."""
    t.called(f"displaced{_side(t)}", "response to a displaced end of a hinge")
    G, first, second = x.G, x.Gd, x.Gdd
    mass, Yc = x.Mc, x.Yc
    demanded = mass @ second + 2 * Yc @ first - k.bar(x.Wc) @ G
    x.Rx = demanded if t.ask("sign") > 0 else -demanded
    return ("Rx",)


@traced
def carrying(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force in a hinge that carries what is displaced."""
    t.called("carrying", "force that carries what is displaced")
    x.dx = x.Rx.T @ x.S
    return ("dx",)


@traced
def carried(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force in a hinge that is displaced."""
    t.called(f"carried{_side(t)}", "force in a hinge that is displaced")
    U, B, first, second = x.U, x.B, x.Gd, x.Gdd
    force = second.T @ U + first.T @ B
    x.dx = force if t.ask("sign") > 0 else -force
    return ("dx",)


def _side(t: Tracer) -> str:
    return "" if t.ask("sign") > 0 else "_back"


@traced
def nothing(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Of a hinge on another branch."""
    rows = t.ask("rows")
    t.called(f"nothing_{rows}", "on another branch")
    x.zero = k.zero(rows)
    return ("zero",)


def parameter_count(dimension: int) -> int:
    """Inertia parameters of a body: m, m c and the entries of Θ on and above the diagonal."""
    return 4 if dimension == 2 else 10


@traced
def regressor(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench of a body on itself by each of its inertia parameters, in its own axes."""
    t.called("wrench_columns", "wrench by inertia parameters")
    A, origin, V, rate = x.Ab, x.xb, x.Vs, x.As
    x.w, x.alpha = k.turned(A.T, k.ang(V)), k.turned(A.T, k.ang(rate))
    w, alpha = x.w, x.alpha
    v, vd = (A.T @ (k.lin(twist) + k.cross(k.ang(twist), origin)) for twist in (V, rate))
    x.vb = v
    x.ab = vd + k.cross(w, x.vb)
    x.N = k.tilde(alpha) + k.tilde(w) @ k.tilde(w)
    turns = alpha if k.d == 2 else k.sym(alpha) + k.tilde(w) @ k.sym(w)
    none = k.zero(k.d, parameter_count(k.d) - k.d - 1), k.zero(k.s)
    x.Z = k.blocks((x.ab, x.N, none[0]), (none[1], -k.tilde(x.ab), turns))
    return ("Z",)


@traced
def regressor_row(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A speed's force by a body's inertia parameters."""
    t.called("regressor_row", "force by inertia parameters")
    x.Y = t.read("Z", cols=parameter_count(k.d)).T @ x.Jb
    return ("Y",)
