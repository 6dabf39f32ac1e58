"""The kernels of inverse dynamics and of the mass matrix, in joint coordinates and link axes.

Accelerations are those of points, (r̈, Ω̇), with gravity as an acceleration of the ground; a
link's wrench is what its output hinge must exert on it, at its origin.
"""

from __future__ import annotations

import sympy as sp

from ..language.letters import letters
from ..language.words import counted
from ..language.written import called
from ..mechanics.letters import BALANCE, FACTS, LETTERS, MOVED, OF_PARENT
from ..mechanics.matrices import Algebra, M
from ..mechanics.space import POINT
from ..mechanics.traced import At, Tracer, tracing
from ..mechanics.turns import Transport
from .recursion_kernels import acted, centripetal, pushed

NEWTON_EULER = "Riccati paper (5): Newton's and Euler's equations at the output end"
SUM = "own: sum over all links outwards"
STEINER = "Steiner's theorem, from one point to another"
COLUMN = "column of the mass matrix: wrench that a unit acceleration of the hinge demands"

INVERSE = LETTERS | letters(f"""
    lam  | λ   | n       | {BALANCE} | wrench that a link and all that hangs on it demand
    IA   | IA  | n n sym | {BALANCE} | inertia of a link and of all that hangs on it, hinges at rest
    ad   | q̈   | 1       | | rate of a hinge's speed, given
    B    | B   | d d     | {POINT} | ~Ω̇ + ~Ω ~Ω: a point at r is accelerated by r̈ + B r
    own  | p   | n       | {NEWTON_EULER} | what the body itself demands
    lt   | λt  | n       | {MOVED} | λ about the parent's origin and in its axes
    mu   | μ   | 1       | | multiplier of a condition of a cut hinge
    E    | E   | n       | | wrench on a link per unit multiplier of a cut hinge
    sigma | σ  | f       | | force along a hinge per unit multiplier of a coupling
    P_   | P   | f       | | force along the hinge
    ml   | m_l | 1       | {SUM} | mass of a link and all that hangs on it, hinges locked
    hl   | h_l | d       | {SUM} | first moment of the same mass about the link's origin
    Jl   | J_l | s s sym | {SUM} | moment of inertia of the same mass about the link's origin
    hlt  | h_lt | d      | {STEINER} | h_l about the parent's origin and in its axes
    Jlt  | J_lt | s s sym | {STEINER} | J_l about the parent's origin and in its axes
    U_   | U   | n f     | {COLUMN} | wrench that unit accelerations of the hinge demand
    M    | M   | 1       | own | entry of the mass matrix
    N    | N   | 1       | own | entry of the mass matrix, in the other speed's row
    zero | M   | 1       | own | entry of the mass matrix of speeds on different branches
    Hp   | Hₚ  | n       | | motion subspace of an ancestor's hinge
    tau  | Q   | 1       | own | force that a freedom of the hinge needs
""")

traced = tracing(INVERSE, FACTS, OF_PARENT)


@traced
def carry(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's acceleration and the hinge's own to the link's, in link axes.

    B = ~Ω̇ + ~Ω~Ω gives any point of the link its acceleration, r̈ + B r.
    """
    freedom = x.freedom
    t.called(f"carry_{freedom}{x.way.label}", f"acceleration behind {counted(freedom, 'freedom')}")
    parent, field, r = x.up.acc, x.up.B, x.r
    to_parent = Transport(x, k, t, POINT)
    wp, w, vr, wr, br, bw = x.up.w, x.w, x.vr, x.wr, x.br, x.bw
    turned = to_parent.spin("wl", wp)
    x.aP = k.lin(parent) + field @ r
    lin = to_parent.outward("al", x.aP) + 2 * k.cross(turned, vr) + br
    ang = to_parent.spin("aa", k.ang(parent)) + k.spins(turned, wr) + bw
    total = k.stack(lin, ang)
    if freedom:
        own = t.numbers("ad")
        total = total + x.H_ @ own
    x.acc = total
    x.B = accelerating(k, t, k.ang(x.acc), w)
    return "acc", "B"


def accelerating(k: Algebra, t: Tracer, rate: M, spin: M) -> M:
    """B = ~Ω̇ + ~Ω~Ω: a point at r from the origin is accelerated by r̈ + B r."""
    turned = [k.space.turn(rate.value, sp.eye(k.d)[:, j]) for j in range(k.d)]
    W = centripetal(k, t, spin)
    return (k.tilde(rate) + k.full(W)).by(sp.Matrix.hstack(*turned) + W.value)


@traced
def wrench(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a moving link and all that hangs on it demand of the output hinge.

    `cuts` are the numbers of conditions of the cut hinges that hold it.
    """
    inputs, cuts = x.input_count, x.cuts
    name = f"wrench_{inputs}{pushed(x.push_count)}" + "".join(f"_held_{m}" for m in cuts)
    t.called(name, f"wrench of a body with {counted(inputs, 'input')}")
    acc, field = x.acc, x.B
    x.own = balanced(k, k.lin(acc), k.ang(acc), field, moments(x, k))
    total = holding(t, acted(x, k, t, x.own), cuts)
    for y in x.inputs:
        total = total + y.lt
    x.lam = total
    return ("lam",)


#: Of a body m, h = ∫ r dm and Σ = ∫ r rᵀ dm; in the plane its moment of inertia instead of Σ.
Moments = tuple[M, M, M]


def moments(x: At, k: Algebra) -> Moments:
    """A body's constants, in link axes and about the link's origin."""
    return x.m, x.h, x.J if k.d == 2 else x.Sg


def balanced(k: Algebra, acceleration: M, rate: M, field: M, body: Moments) -> M:
    """f = m a + B h, t = h × a + ∫ r × B r dm, all in the same axes and about the same point."""
    m, h, second = body
    moment = second @ rate if k.d == 2 else spinning(field, second)
    return k.stack(m @ acceleration + field @ h, k.moment(h, acceleration) + moment)


def spinning(field: M, second: M) -> M:
    """∫ r × B r dm = J Ω̇ + Ω × J Ω by Σ = ∫ r rᵀ dm: B Σ less its transpose, as a vector."""
    whole = field @ second
    return M(lambda: _spinning(field.value, second.value), called("axial", whole.tree))


def _spinning(field: sp.Matrix, second: sp.Matrix) -> sp.Matrix:
    """What each entry of B Σ less its transpose, as a vector, is at the fewest products."""

    def component(i: int, j: int, k: int) -> sp.Expr:
        own = second[j, j] * field[k, j] - second[k, k] * field[j, k]
        mixed = second[j, k] * (field[k, k] - field[j, j])
        return own + mixed + second[i, j] * field[k, i] - second[i, k] * field[j, i]

    return sp.Matrix([component(0, 1, 2), component(1, 2, 0), component(2, 0, 1)])


def holding(t: Tracer, total: M, cuts: tuple[int, ...], against: bool = False) -> M:
    """With E μ, or `against` it, of the cut hinges that hold a link: their conditions' numbers."""
    for k, conditions in enumerate(cuts, start=1):
        mu = t.numbers("mu", f"_{k}", conditions)
        held = t.read("E", f"_{k}", conditions) @ mu
        total = total - held if against else total + held
    return total


@traced
def transmit(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's wrench as its parent feels it, at the parent's origin and in its axes."""
    t.called(f"transmit{x.way.label}", "wrench moved to the parent")
    lam = x.lam
    x.lt = moved(x, k, t, lam)
    return ("lt",)


def moved(x: At, k: Algebra, t: Tracer, wrenches: M, word: str = "turned") -> M:
    """Wrenches at a link's origin and in its axes, at its parent's and in the parent's axes."""
    to_parent = Transport(x, k, t, MOVED)
    return (to_parent.X.T @ wrenches).by(to_parent.wrenches(word, wrenches).value)


@traced
def required(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The generalised force that a hinge needs besides its force law, its rotor's included.

    `couplings`: as many conditions with given multipliers hold the hinge itself, σ μ.
    `projected`: Hᵀ λ is known.
    """
    freedom, couplings = x.count, x.couplings
    name = f"required_{freedom}{'_rotor' if x.rotor else ''}"
    title = f"force needed along {counted(freedom, 'freedom')}"
    t.called(f"{name}_{couplings}" if couplings else name, title)
    if x.projected:
        needed = x.P_
    else:
        H, lam = x.H_, x.lam
        needed = H.T @ lam
    if x.pushed:
        needed = needed - x.T_
    if x.rotor:
        own, rho = t.numbers("ad"), x.rho
        needed = needed + (k.diagonal(rho) @ own).by(rho.value.multiply_elementwise(own.value))
    if couplings:
        needed = needed + t.read("sigma", cols=couplings) @ t.numbers("mu", count=couplings)
    return t.each("tau", needed)


@traced
def composite(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The constants of a link with all that hangs on it, every hinge locked, about its origin."""
    inputs = x.input_count
    t.called(f"composite_{inputs}", f"inertia of a body with {counted(inputs, 'input')}")
    m, h, J = x.m, x.h, x.J
    for y in x.inputs:
        m, h, J = m + y.ml, h + y.hlt, J + y.Jlt
    x.ml, x.hl, x.Jl = m, h, J
    return "ml", "hl", "Jl"


@traced
def locked(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The same about its parent's origin and in the parent's axes; its mass stays what it is."""
    t.called(f"locked{x.way.label}", "inertia moved to the parent")
    m, h, J, r = x.ml, x.hl, x.Jl, x.r
    to_parent = Transport(x, k, t, STEINER)
    h, J = to_parent.inward("h", h), to_parent.tensor("J", J)
    x.hlt = h + m @ r
    turned = J + k.tilde(r) @ k.tilde(h).T + k.tilde(x.hlt) @ k.tilde(r).T
    x.Jlt = turned.by(J.value + _steiner(m.value[0], h.value, r.value))
    return "hlt", "Jlt"


def _steiner(m: sp.Expr, h: sp.Matrix, r: sp.Matrix) -> sp.Matrix:
    """~r ~hᵀ + ~(h + m r) ~rᵀ, as sums of what is constant where m and r are."""
    outer = sp.Matrix(len(r), len(r), lambda i, j: m * r[i] * r[j] + r[i] * h[j] + h[i] * r[j])
    across = sp.Matrix([outer.trace()])
    return across if len(r) == 2 else across[0] * sp.eye(3) - outer


@traced
def column(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench U that a hinge's own unit accelerations demand, and its block of M."""
    freedom = x.count
    t.called(
        f"column_{freedom}{'_rotor' if x.rotor else ''}",
        f"mass matrix of {counted(freedom, 'freedom')}",
    )
    H, lever = x.H_, k.tilde(x.hl).T
    IA = t.abbreviate("IA", k.blocks((k.one(x.ml), lever), (lever.T, x.Jl)))
    x.U_ = IA @ H
    block = H.T @ x.U_ + (k.diagonal(x.rho) if x.rotor else k.zero())
    names = []
    for i in range(1, freedom + 1):
        for j in range(i, freedom + 1):
            names.append(t.entry("M", block, i, j))
            if i != j:
                names.append(mirrored(t, "M", i, j))
    return t.port("U_"), *names


def mirrored(t: Tracer, word: str, i: int, j: int) -> str:
    """State the entry of a symmetric matrix that equals one that is stated."""
    equal = f"M_{i}_{j}"
    t.state(f"{word}_{j}_{i}", t.known(equal), "own", f"{word}{j}{i}")
    return f"{word}_{j}_{i}"


@traced
def along(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """U moved one link inwards, and what it has there along the ancestor's hinge: two blocks of M.

    `M_i_j` and `N_j_i`, equal, are the entries of the hinge's speed i and the ancestor's j.
    """
    freedom, ancestor = x.count, t.ask("ancestor")
    t.called(
        f"along_{freedom}_{ancestor}{x.way.label}",
        f"mass matrix between {counted(freedom, 'freedom')} and {counted(ancestor, 'freedom')}",
    )
    here = t.state(t.port("U_"), moved(x, k, t, x.U), MOVED, "Ut")
    names = [t.port("U_")]
    if ancestor:
        block = here.T @ t.read("Hp", cols=ancestor)
        for i in range(1, freedom + 1):
            for j in range(1, ancestor + 1):
                names += [t.entry("M", block, i, j), mirrored(t, "N", i, j)]
    return tuple(names)


@traced
def apart(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The entry of M of two speeds on different branches."""
    t.called("apart", "speeds on different branches")
    x.zero = k.zero()
    return ("zero",)
