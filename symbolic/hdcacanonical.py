"""Hamilton's equations with constraints and augmented momenta: divide-and-conquer paper (1)–(8)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant, solved
from .hdcamotion import Motion


def unit(n: int, k: int) -> sp.Matrix:
    return sp.eye(n)[:, k]


def along(at: Instant, k: int) -> Motion:
    """The motion in which the k-th coordinate grows at unit rate; joints of one freedom."""
    rates = {i: (sp.Matrix([int(j == k)]), sp.zeros(1, 1)) for j, i in enumerate(at.system.bodies)}
    return Motion(at.system, rates)


def kinetic(at: Instant) -> sp.Expr:
    """T from the bodies: ½ Σ Vᵀ P."""
    bodies = at.system.bodies
    return sum((at.V(i, at.C[i]).value.T * at.P(i, at.C[i]).value)[0] for i in bodies) / 2


def potential(motion: Motion) -> sp.Matrix:
    """V and its rate, of gravity: two numbers."""
    system = motion.system
    height = [
        [system.mass[i] * (system.gravity.T * motion.C[i].at(k))[0] for i in system.bodies]
        for k in (0, 1)
    ]
    return -sp.Matrix([sum(height[0]), sum(height[1])])


def hamiltonian(at: Instant, p: sp.Matrix) -> sp.Expr:
    """½ pᵀ M⁻¹ p + V."""
    return (p.T * solved(at.mass().value, p))[0] / 2 + potential(at)[0]


def canonical(at: Instant) -> sp.Matrix:
    """p = M q̇."""
    return at.mass().value * at.speeds


def forces(at: Instant, potentials: bool = False) -> sp.Matrix:
    """Generalised forces of the loads without gravity, or of gravity alone."""
    total = sp.zeros(len(at.speeds), 1)
    for i in at.system.bodies:
        weight = (at.system.mass[i] * at.system.gravity).col_join(sp.zeros(3, 1))
        load = weight if potentials else at.system.load[i] - weight
        total += at.jacobian(i, at.C[i]).value.T * load
    return total


def partials(at: Instant) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """∂H/∂q at constant p, ∂T/∂q at constant q̇, ∂V/∂q."""
    p, n = canonical(at), len(at.speeds)
    moved = [along(at, k) for k in range(n)]
    rates = [motion.mass().at(1) for motion in moved]
    V = sp.Matrix([potential(motion)[1] for motion in moved])
    T = sp.Matrix([(at.speeds.T * rate * at.speeds)[0] / 2 for rate in rates])
    back = solved(at.mass().value, p)
    H = V + sp.Matrix([-(back.T * rate * back)[0] / 2 for rate in rates])
    return H, T, V


def augmented(at: Instant) -> sp.Matrix:
    """p of all tree joints, at the instant."""
    return sp.Matrix.vstack(*(at.p(k).value for k in at.system.bodies))


def sigma(at: Instant) -> sp.Matrix:
    return sp.Matrix.vstack(*(at.sigma[c] for c in at.system.cuts))


def lam(at: Instant) -> sp.Matrix:
    return sp.Matrix.vstack(*(at.lam[c] for c in at.system.cuts))


def momentum_rate(at: Instant) -> sp.Matrix:
    """d(M q̇)/dt along the motion."""
    M = at.mass()
    return M.at(1) * at.speeds + M.value * at.accelerations


def speeds(cases: Cases) -> Sides:
    """q̇ = ∂H/∂p: differences of a quadratic form are exact."""
    at = cases.holonomic
    p, n = canonical(at), len(at.speeds)
    steps = [unit(n, k) for k in range(n)]
    found = [(hamiltonian(at, p + e) - hamiltonian(at, p - e)) / 2 for e in steps]
    yield at.speeds, sp.Matrix(found)


def momenta(cases: Cases, sign: int = 1, centrifugal: bool = False) -> Sides:
    """ṗ = −∂H/∂q + Q + Φ_qᵀ λ; `centrifugal`: Q holds ∂T/∂q − ∂V/∂q too."""
    at = cases.holonomic
    H, T, V = partials(at)
    Q = forces(at) + (T - V if centrifugal else sp.zeros(*T.shape))
    yield momentum_rate(at), -H + Q + sign * at.conditions().value.T * lam(at)


def constraints(cases: Cases) -> Sides:
    """Φ = 0 ⟹ Φ_q q̇ = 0, Φ the ball's gap; its partial derivatives are Φ_q."""
    at = cases.holonomic
    (c,) = at.system.cuts

    def gap(motion: Motion, k: int) -> sp.Matrix:
        joint = at.system.joints[c]
        two = (motion.point(joint.succ, joint.at_succ), motion.point(joint.pred, joint.at_pred))
        return (two[0] - two[1]).at(k)

    D = at.D(c).value[:3, :]
    yield gap(at, 0), sp.zeros(3, 1)
    columns = [D.T * gap(along(at, k), 1) for k in range(len(at.speeds))]
    J = at.conditions().value
    yield sp.Matrix.hstack(*columns), J
    yield J * at.speeds, sp.zeros(3, 1)
    yield gap(at, 1), sp.zeros(3, 1)


def legendre(cases: Cases) -> Sides:
    """H = q̇ᵀ p − L, with L = T − V of the bodies."""
    at = cases.holonomic
    p, V = canonical(at), potential(at)[0]
    H = (at.speeds.T * p)[0] - (kinetic(at) - V)
    yield sp.Matrix([hamiltonian(at, p)]), sp.Matrix([H])
    yield sp.Matrix([H]), sp.Matrix([kinetic(at) + V])


def systems(cases: Cases) -> Iterator[Instant]:
    yield from (cases.holonomic, cases.loop, cases.coupled)


def energy(cases: Cases) -> Sides:
    """T = ½ q̇ᵀ M q̇ = ½ q̇ᵀ p, for the augmented p too."""
    for at in systems(cases):
        for p in (canonical(at), augmented(at)):
            yield sp.Matrix([kinetic(at)]), at.speeds.T * p / 2


def augmentation(cases: Cases) -> Sides:
    """P = M q̇ − Φ_qᵀ σ: the joint momenta, and their rates along the motion."""
    for at in systems(cases):
        J = at.conditions()
        yield augmented(at), canonical(at) - J.value.T * sigma(at)
        rates = sp.Matrix.vstack(*(at.p(k).at(1) for k in at.system.bodies))
        yield rates, momentum_rate(at) - J.at(1).T * sigma(at) - J.value.T * lam(at)


def augmented_rates(cases: Cases, centrifugal: bool = True) -> Sides:
    """Ṗ = Q − Φ̇_qᵀ σ, where Q holds ∂T/∂q − ∂V/∂q too: no λ is left."""
    at = cases.holonomic
    _, T, V = partials(at)
    Q = forces(at) + (T - V if centrifugal else sp.zeros(*T.shape))
    rates = sp.Matrix.vstack(*(at.p(k).at(1) for k in at.system.bodies))
    yield rates, Q - at.conditions().at(1).T * sigma(at)


def saddle(cases: Cases) -> Sides:
    """The saddle system gives q̇ and −σ."""
    for at in systems(cases):
        M, J = at.mass().value, at.conditions().value
        none = sp.zeros(J.rows, J.rows)
        matrix = sp.Matrix.vstack(sp.Matrix.hstack(M, J.T), sp.Matrix.hstack(J, none))
        found = solved(matrix, augmented(at).col_join(sp.zeros(J.rows, 1)))
        yield found, at.speeds.col_join(-sigma(at))


def freedoms(cases: Cases, printed: bool = False) -> Sides:
    """Independent speeds: n − m of n."""
    for at in systems(cases):
        J = at.conditions().value
        free = J.cols - J.rank()
        yield sp.Matrix([free]), sp.Matrix([J.cols if printed else J.cols - J.rows])


CHECKS = (
    Check("1", "speeds from the Hamiltonian", speeds),
    Check(
        "1–2",
        "n coordinates under m conditions",
        freedoms,
        partial(freedoms, printed=True),
        "E15: n is the number of coordinates; the degrees of freedom are n − m",
    ),
    Check(
        "2",
        "rates of the canonical momenta",
        momenta,
        partial(momenta, sign=-1),
        "E1: with (6), (7) and σ̇ = λ the constraint forces have the sign +",
    ),
    Check(
        "2, 7",
        "what Q holds in (2)",
        momenta,
        partial(momenta, centrifugal=True),
        "E2: one symbol for two quantities; in (2) Q is what has no potential, for −∂H/∂q holds "
        "the centrifugal and potential forces, in (7) it is those as well",
    ),
    Check("3", "constraints and their rate", constraints),
    Check("4", "the Hamiltonian", legendre),
    Check("5", "kinetic energy by momenta", energy),
    Check("6", "augmented momenta", augmentation),
    Check(
        "7",
        "rates of the augmented momenta",
        augmented_rates,
        partial(augmented_rates, centrifugal=False),
        "E2: here Q holds ∂T/∂q − ∂V/∂q, which it does not in (2)",
    ),
    Check("8", "speeds and impulses from momenta", saddle),
)
