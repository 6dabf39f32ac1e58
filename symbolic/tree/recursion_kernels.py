"""The kernels of the Riccati recursion in joint coordinates: bodies, hinges, accelerations, loads.

In link axes the hinge's motion subspace H is constant for most kinds, so that what the hinge
eliminates is exactly zero and never computed. Accelerations are those of points, (r̈, Ω̇).
"""

from __future__ import annotations

import sympy as sp

from ...model.parts.hinge_kinds import HINGE_KINDS
from ..language.words import counted
from ..mechanics.hinges import Joint, joint
from ..mechanics.letters import MOVED, YIELDED, traced
from ..mechanics.matrices import Algebra, M, part
from ..mechanics.space import POINT
from ..mechanics.traced import At, Tracer
from ..mechanics.turns import Transport


def centripetal(k: Algebra, t: Tracer, spin: M) -> M:
    """~Ω ~Ω: a point at r has the centripetal acceleration ~Ω ~Ω r, in the plane −Ω² r."""
    if k.d == 3:
        squared = k.tilde(spin) @ k.tilde(spin)
        return t.state("W", squared, POINT, "W", symmetric=True)
    square = spin**2
    return -M(t.state("w2", square)[0] * sp.eye(2), square.tree)


def inertia(x: At, k: Algebra, t: Tracer) -> M:
    """A body's own inertia at the link's origin."""
    m, lever, J = x.m, k.tilde(x.h).T, x.J
    return t.abbreviate("M", k.blocks((k.one(m), lever), (lever.T, J)))


def external(x: At, k: Algebra) -> M:
    """The external load as a wrench at the link's origin, in its axes."""
    A, f = x.A, x.f
    x.fl = A.T @ k.lin(f)
    couple = k.turned(A.T, k.ang(f))
    return k.stack(x.fl, k.moment(x.rC, x.fl) + couple)


def acted(x: At, k: Algebra, t: Tracer, demanded: M) -> M:
    """What a body demands, less what acts on it."""
    if x.loaded:
        demanded = demanded - t.abbreviate("f_ext", external(x, k))
    for y in x.by:
        demanded = demanded - y.W
    return demanded


def pushed(pushes: int) -> str:
    """What a kernel's name says of the forces of cut hinges."""
    return f"_pushed_{pushes}" if pushes else ""


@traced
def body(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link and all that hangs on it demand at its origin, in its axes: λ = IA a + pA."""
    inputs = x.input_count
    t.called(f"link_{inputs}{pushed(x.push_count)}", f"rigid body with {counted(inputs, 'input')}")
    w = x.w
    W = centripetal(k, t, w)
    IA = inertia(x, k, t)
    gyroscopic = k.zero()
    if k.d == 3:
        x.Jw = x.J @ w
        gyroscopic = k.cross(w, x.Jw)
    pA = acted(x, k, t, t.abbreviate("p", k.stack(W @ x.h, gyroscopic)))
    return _gathered(x, IA, pA)


@traced
def resting(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a link at rest and all that hangs on it demand at its origin, beyond its own wrench."""
    inputs = x.input_count
    t.called(f"resting_{inputs}", f"rigid body at rest with {counted(inputs, 'input')}")
    return _gathered(x, inertia(x, k, t), x.lam)


def _gathered(x: At, IA: M, pA: M) -> tuple[str, ...]:
    """State IA and pA: the link's own, those of its inputs, of shared coordinates that end here."""
    for y in x.inputs:
        IA, pA = IA + y.IAt, pA + y.pAt
    for y in x.ending:
        IA, pA = IA + y.IAc, pA + y.pAc
    x.IA, x.pA = IA, pA
    return "IA", "pA"


@traced
def hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Eliminate the hinge's own acceleration, Hᵀ λ = τ, and move what is left to the parent.

    `acting`: a force acts in the hinge; a `rotor`'s inertia does, Hᵀ λ = τ − ρ u̇, so that nothing
    is left out. With a₀ the parent's acceleration at the hinge and γ the bias: u̇ = k − G a₀ and
    λ = IAh a₀ + pAh; moved to the parent's origin they are IAt, pAt.
    """
    freedom, rotor = x.freedom, x.rotor
    suffix = f"{'_backward' if x.backward else ''}{'_rotor' if rotor else ''}"
    t.called(
        (f"through_{x.kind}{suffix}" if freedom else "through_rigid") + x.way.label,
        f"{x.kind} hinge" if freedom else "rigid or driven hinge",
    )
    IA, pA, _ = x.IA, x.pA, x.r
    to_parent = Transport(x, k, t, MOVED)
    bias(x, k, t, to_parent)
    x.held = pA + IA @ x.gam
    outputs = ["gam"]
    if freedom:
        x.IAh, x.pAh = _eliminated(x, k, t)
        outputs += [t.port("G_"), t.port("k_")]
    else:
        x.IAh, x.pAh = IA, x.held
    X = to_parent.X
    x.IAt = (X.T @ x.IAh @ X).by(to_parent.inertia(x.IAh).value)
    x.pAt = (X.T @ x.pAh).by(to_parent.wrenches("pAr", x.pAh).value)
    return *outputs, "IAh", "pAh", "IAt", "pAt"


def bias(x: At, k: Algebra, t: Tracer, to_parent: Transport) -> None:
    """State γ: what a point at the link's origin is accelerated by beside the parent's point."""
    wp, vr, wr, br, bw = x.up.w, x.vr, x.wr, x.br, x.bw
    W = centripetal(k, t, wp)
    w = to_parent.spin("wl", wp)
    central = to_parent.outward("cl", t.state("cp", W @ x.r, POINT))
    x.gam = k.stack(central + 2 * k.cross(w, vr) + br, k.spins(w, wr) + bw)


def _eliminated(x: At, k: Algebra, t: Tracer) -> tuple[M, M]:
    """IA and pA without what the hinge yields to: u̇ = k − G a₀ by Hᵀ λ = τ."""
    of: Joint = joint(k.d, x.kind)
    gone = () if x.rotor else of.eliminated(x.backward)
    H = x.H_
    tau = x.T_ if x.acting else k.zero(x.freedom)
    x.U = x.IA @ H
    x.D = H.T @ x.U + (k.diagonal(x.rho) if x.rotor else k.zero())
    unit = unit_rows(of, x.backward, gone)
    _yields(x, k, t, unit, gone, tau)
    left, rest = x.IA - x.U @ x.G_, x.held + x.U @ x.k_
    # A hinge that yields every way passes on what its law gives, and nothing else; it is shown so,
    # and computed without that inverse, which of six rows of symbols takes a minute.
    shown = H.T.inverse @ tau if len(gone) == k.n else rest
    known = _known(x, k, unit, gone, tau, rest)
    return left.by(project(left.value, gone)), shown.by(known)


def unit_rows(of: Joint, backward: bool, gone: tuple[int, ...]) -> sp.Matrix:
    """The rows of H that the hinge eliminates, if they are unit vectors up to signs: S, else none.

    With H = E S, E being columns of the identity, G E = S⁻¹ = Sᵀ, and Hᵀ λ = τ gives Eᵀ λ = S τ.
    """
    H = of.backward_subspace if backward else of.subspace
    S = H[list(gone), :] if gone else sp.zeros(0, 0)
    return S if len(S) and not S.free_symbols and (S * S.T).is_Identity else sp.zeros(0, 0)


def _yields(x: At, k: Algebra, t: Tracer, unit: sp.Matrix, gone: tuple[int, ...], tau: M) -> None:
    """State G and k; columns of G that H's unit rows give are not solved for."""
    kept = [i for i in range(k.n) if not len(unit) or i not in gone]
    rate = tau - x.H_.T @ x.held
    U = x.U.T
    if len(kept) < k.n:
        U = part(U, cols=[i + 1 for i in kept])
    solved = t.solve("Gk", x.D, k.beside(U, rate) if kept else rate, YIELDED)
    columns = {i: solved[:, at] for at, i in enumerate(kept)}
    columns |= {i: unit.T[:, at] for at, i in enumerate(gone) if len(unit)}
    G = sp.Matrix.hstack(*(columns[i] for i in range(k.n)))
    x.G_ = (x.D.inverse @ x.U.T).by(G)
    x.k_ = (x.D.inverse @ rate).by(solved[:, -1:])


def project(value: sp.Matrix, eliminated: tuple[int, ...]) -> sp.Matrix:
    """Exact zeros on the components that the hinge eliminates, zero by construction."""
    return sp.Matrix(
        *value.shape,
        lambda i, j: 0 if int(i) in eliminated or int(j) in eliminated else value[i, j],
    )


def _known(x: At, k: Algebra, unit: sp.Matrix, gone: tuple[int, ...], tau: M, rest: M) -> sp.Matrix:
    """pAh, by what of λ is known without any motion: Hᵀ λ = τ."""
    if HINGE_KINDS[k.d][x.kind].sprung and x.acting and not x.rotor:
        return _given(x.H_.value, tau.value, k.d)
    value = rest.value
    if len(unit):
        for i, force in zip(gone, unit * tau.value, strict=True):
            value[i] = force
    elif not x.acting:
        value = sp.Matrix([0 if i in gone else value[i] for i in range(k.n)])
    return value


def _given(H: sp.Matrix, tau: sp.Matrix, d: int) -> sp.Matrix:
    """λ of Hᵀ λ = τ, known without any motion: both diagonal blocks of H only turn."""
    force = H[:d, :d] * tau[:d, :]
    return sp.Matrix.vstack(force, H[d:, d:] * (tau[d:, :] - H[:d, d:].T * force))


@traced
def accelerate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's acceleration to the hinge's own and the link's, in link axes."""
    freedom = x.freedom
    t.called(
        f"accelerate_{freedom}{x.way.label}", f"accelerations behind {counted(freedom, 'freedom')}"
    )
    parent, _ = x.up.acc, x.r
    to_parent = Transport(x, k, t, POINT)
    gamma = x.gam
    x.a0 = (to_parent.X @ parent).by(to_parent.motion("a", parent).value)
    total, outputs = x.a0 + gamma, tuple[str, ...]()
    if freedom:
        G, rate, H = x.G_, x.k_, x.H_
        x.ud = rate - G @ x.a0
        outputs = t.each("a", x.ud)
        total = total + H @ x.ud
    x.acc = total
    return "acc", "a0", *outputs


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at the output hinge, in the inertial frame and the paper's signs."""
    t.called("load", "loads at a hinge")
    wrench = carried(x)
    A = x.A
    x.load = k.load(k.turned(A, k.ang(wrench)), -(A @ k.lin(wrench)))
    return ("load",)


def carried(x: At) -> M:
    """State λ, what the hinge carries."""
    IA, pA, base = x.IAh, x.pAh, x.a0
    x.lam = IA @ base + pA
    return x.lam


@traced
def drive(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force that drives a hinge as prescribed: Hᵀ λ, and what a rotor takes."""
    t.called(f"drive_{x.count}{'_rotor' if x.pushed else ''}", "driving force of a hinge")
    IA, base, pA, H = x.IAh, x.a0, x.pAh, x.H_
    x.lam = IA @ base + pA
    return t.each("drive", H.T @ x.lam - (x.T_ if x.pushed else k.zero()))
