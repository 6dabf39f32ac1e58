"""The kernels of a system's centre of mass and of its momentum about it.

All is summed inwards about the inertial origin, where nothing need be moved: with M the inertia of
all links outwards of a hinge and J its screws (v, ω), the momenta of unit speeds are M J = (p, L),
and their rates Ṁ J + M J̇, where Ṁ = −M ad_V − ad_Vᵀ M is a sum over links too. About the centre of
mass c the moment of momentum is L − c × p, its rate L̇ − ċ × p − c × ṗ; c moves by p / m.

Results are angular, then linear, three components each, in inertial axes.

Source: screw paper (36), (38); Orin and Goswami's centroidal momentum, as sums over links: own.
"""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ..closed.kernels import CLOSED

PUSH = "own: sum of m r̈ over all links outwards"
CENTRE = "own: c = Σ m r / Σ m, out of the inertia about the inertial origin"
MOMENTUM = "screw paper (36): M J, about the centre of mass"
RATE = "screw paper (36), (38): d/dt of M J, about the centre of mass"
SPEED = "own: ċ = p / m"

CENTROIDAL = CLOSED | letters(f"""
    P    | P  | n       | {MOMENTUM} | momentum about the inertial origin, of all links outwards
    push | f  | d       | {PUSH}   | mass times acceleration, of all links outwards
    B    | B  | d d     |          | a point at r from the link's origin is accelerated by r̈ + B r
    mass | m  | 1       | {CENTRE} | mass of all links
    c    | c  | d       | {CENTRE} | centre of mass
    cd   | ċ  | d       | {SPEED}  | velocity of the centre of mass, m/s
    cdd  | c̈  | d       | {PUSH}   | acceleration of the centre of mass
    com  | com | 3      | {CENTRE} | centre of mass, in space
    com_velocity | com_velocity | 3 | {CENTRE} | velocity of the centre of mass, in space
    com_acceleration | com_acceleration | 3 | {CENTRE} | its acceleration, in space
    momentum | L | 6     | {MOMENTUM} | momentum about the centre of mass, its moment first
    AG   | A_G | 6      | {MOMENTUM} | momentum about the centre of mass at unit speed, L and then p
    AGd  | Ȧ_G | 6      | {RATE}   | rate of a column of A_G
    JC   | J_C | 3      | {CENTRE} | velocity of the centre of mass at unit speed
    JCd  | J̇_C | 3      | {CENTRE} | rate of a column of J_C
""")
traced = tracing(CENTROIDAL, FACTS, {})


@traced
def carried(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's momentum about the inertial origin, and its mass times acceleration; sums."""
    inputs = x.input_count
    t.called(f"carried_{inputs}", f"momentum of a body with {counted(inputs, 'input')}")
    P = x.Ms @ x.Vs
    A, acc, field = x.A, x.acc, x.B
    push = A @ t.state("ma", x.m @ k.lin(acc) + field @ x.h, PUSH)
    for y in x.inputs:
        P, push = P + y.P, push + y.push
    x.P, x.push = P, push
    return "P", "push"


@traced
def whole(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Mass, centre of mass, its velocity and acceleration, the momentum about it: of all roots."""
    roots = t.ask("roots")
    t.called(f"whole_{roots}", "centre of mass and momentum")
    inertia, P, push = k.zero(), k.zero(), k.zero()
    for j in range(1, roots + 1):
        inertia = inertia + t.read("Mc", f"_{j}")
        P, push = P + t.read("P", f"_{j}"), push + t.read("push", f"_{j}")
    x.mass = k.entry(inertia, 1, 1)
    x.c = k.vee(k.block(inertia, 2, 1)) / x.mass
    total = t.state("Pall", P, "screw paper (36): P = M V, sum over all links", "P")
    x.cd = k.lin(total) / x.mass
    x.cdd = push / x.mass
    outputs = ("com", "com_velocity", "com_acceleration")
    for name, vector in zip(outputs, (x.c, x.cd, x.cdd), strict=True):
        t.state(name, k.three(vector), CENTRE)
    t.state("momentum", _about(k, total, x.c), MOMENTUM, "L")
    return "mass", "c", "cd", *outputs, "momentum"


@traced
def columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's columns of the centroidal momentum matrix and of the centre's Jacobian."""
    freedom = x.count
    t.called(f"centroidal_{freedom}", f"momenta of {counted(freedom, 'freedom')}")
    J = x.J_
    U = t.state("U", x.Mc @ J, MOMENTUM)
    mass, c = x.mass, x.c
    for j in range(1, freedom + 1):
        P = k.column(U, j)
        t.state(f"AG_{j}", _about(k, P, c), MOMENTUM, f"A_G{j}")
        t.state(f"JC_{j}", k.three(k.lin(P) / mass), CENTRE, f"J_C{j}")
    return tuple(f"{word}_{j}" for j in range(1, freedom + 1) for word in ("AG", "JC"))


@traced
def column_rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rates of these columns."""
    freedom = x.count
    t.called(f"centroidal_rates_{freedom}", f"rates of {counted(freedom, 'momentum')}")
    J, Jd, inertia, change = x.J_, x.Jd_, x.Mc, x.Yc
    p = t.state("p", k.lin(inertia @ J), MOMENTUM, "p")
    Ud = t.state("Ud", change @ J + inertia @ Jd, RATE, "U̇")
    mass, c, cd = x.mass, x.c, x.cd
    for j in range(1, freedom + 1):
        rate = k.column(Ud, j)
        moment = k.ang(rate) - k.moment(c, k.lin(rate)) - k.moment(cd, k.column(p, j))
        t.state(f"AGd_{j}", k.load(moment, k.lin(rate)), RATE, f"Ȧ_G{j}")
        t.state(f"JCd_{j}", k.three(k.lin(rate) / mass), CENTRE, f"J̇_C{j}")
    return tuple(f"{word}_{j}" for j in range(1, freedom + 1) for word in ("AGd", "JCd"))


def _about(k: Algebra, P: M, c: M) -> M:
    """A momentum (p, L) about the inertial origin, as moment about c and momentum."""
    return k.load(k.ang(P) - k.moment(c, k.lin(P)), k.lin(P))
