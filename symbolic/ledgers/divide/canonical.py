"""Hamilton's equations with constraints and augmented momenta: divide-and-conquer paper (1)–(8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import sympy as sp

from ...exact.claims import Symbols
from ...exact.ledger import Sides
from ...exact.motion import Motion
from ...exact.screws import place
from ...exact.true_motion import solved
from .cases import entry, on
from .instant import Instant, Momenta


def along(at: Instant) -> list[Momenta]:
    """The motions in which one coordinate grows at unit rate."""
    return [Momenta(motion) for motion in at.tree.slopes.values()]


def kinetic(at: Instant) -> sp.Expr:
    """T from the bodies: ½ Σ Vᵀ P."""
    return sum((at.V(i, at.C[i]).value.T * at.P(i, at.C[i]).value)[0] for i in at.bodies) / 2


def potential(at: Instant, of: Momenta) -> sp.Matrix:
    """V and its rate, of gravity, in a motion: two numbers."""
    height = [[at.mass[i] * (at.gravity.T * of.C[i].at(k))[0] for i in at.bodies] for k in (0, 1)]
    return -sp.Matrix([sum(height[0]), sum(height[1])])


def hamiltonian(at: Instant, p: sp.Matrix) -> sp.Expr:
    """½ pᵀ M⁻¹ p + V."""
    return (p.T * solved(at.mass_matrix().value, p))[0] / 2 + potential(at, at)[0]


def canonical(at: Instant) -> sp.Matrix:
    """p = M q̇."""
    return at.mass_matrix().value * at.speeds


def forces(at: Instant) -> sp.Matrix:
    """Generalised forces of the loads without gravity."""
    total = sp.zeros(len(at.speeds), 1)
    for i in at.bodies:
        weight = (at.mass[i] * at.gravity).col_join(sp.zeros(3, 1))
        total += at.jacobian(i, at.C[i]).value.T * (at.load[i] - weight)
    return total


def partials(at: Instant) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """∂H/∂q at constant p, ∂T/∂q at constant q̇, ∂V/∂q."""
    p, moved = canonical(at), along(at)
    rates = [motion.mass_matrix().at(1) for motion in moved]
    V = sp.Matrix([potential(at, motion)[1] for motion in moved])
    T = sp.Matrix([(at.speeds.T * rate * at.speeds)[0] / 2 for rate in rates])
    back = solved(at.mass_matrix().value, p)
    H = V + sp.Matrix([-(back.T * rate * back)[0] / 2 for rate in rates])
    return H, T, V


def augmented(at: Instant, order: int = 0) -> sp.Matrix:
    """p of all tree joints, or their rates."""
    return sp.Matrix.vstack(*(at.p(k).at(order) for k in at.bodies))


def sigma(at: Instant) -> sp.Matrix:
    return sp.Matrix.vstack(*(at.sigma[c] for c in at.tree.cuts))


def lam(at: Instant) -> sp.Matrix:
    return sp.Matrix.vstack(*(at.lam[c] for c in at.tree.cuts))


def momentum_rate(at: Instant) -> tuple[sp.Matrix, sp.Matrix]:
    """The terms of d(M q̇)/dt along the motion."""
    M = at.mass_matrix()
    return M.at(1) * at.speeds, M.value * at.accelerations


def speeds(at: Instant) -> Sides:
    """Differences of a quadratic form are exact."""
    p, n = canonical(at), len(at.speeds)
    steps = [sp.eye(n)[:, k] for k in range(n)]
    found = [(hamiltonian(at, p + e) - hamiltonian(at, p - e)) / 2 for e in steps]
    yield at.speeds, sp.Matrix(found)


def momenta(at: Instant, sign: int = 1, centrifugal: bool = False) -> Sides:
    """`centrifugal`: Q holds ∂T/∂q − ∂V/∂q too."""
    H, T, V = partials(at)
    Q = forces(at) + (T - V if centrifugal else sp.zeros(*T.shape))
    yield sum(momentum_rate(at), 0 * H), -H, Q, sign * at.conditions().value.T * lam(at)


def constraints(at: Instant) -> Sides:
    """Φ is the ball's gap; its partial derivatives are Φ_q."""
    (c,) = at.tree.cuts

    def gap(motion: Motion, k: int) -> sp.Matrix:
        return place(motion.gap(c).at(k))

    yield gap(at.motion, 0), sp.zeros(3, 1)
    J = at.conditions().value
    yield sp.Matrix.hstack(*(gap(motion, 1) for motion in at.tree.slopes.values())), J
    yield J * at.speeds, sp.zeros(3, 1)
    yield gap(at.motion, 1), sp.zeros(3, 1)


def legendre(at: Instant) -> Sides:
    """L = T − V of the bodies."""
    p, V = canonical(at), potential(at, at)[:1, :]
    T = sp.Matrix([kinetic(at)])
    yield sp.Matrix([hamiltonian(at, p)]), at.speeds.T * p, -T, V
    yield sp.Matrix([hamiltonian(at, p)]), T, V


def energy(at: Instant) -> Sides:
    """For the augmented p too."""
    for p in (canonical(at), augmented(at)):
        yield sp.Matrix([kinetic(at)]), at.speeds.T * p / 2


def augmentation(at: Instant) -> Sides:
    """The joint momenta, and their rates along the motion."""
    J = at.conditions()
    yield augmented(at), canonical(at), -J.value.T * sigma(at)
    yield (
        augmented(at, 1),
        *momentum_rate(at),
        -J.at(1).T * sigma(at),
        -J.value.T * lam(at),
    )


def augmented_rates(at: Instant, centrifugal: bool = True) -> Sides:
    """Q holds ∂T/∂q − ∂V/∂q too: no λ is left."""
    _, T, V = partials(at)
    Q = (forces(at), T, -V) if centrifugal else (forces(at),)
    yield augmented(at, 1), *Q, -at.conditions().at(1).T * sigma(at)


def saddle(at: Instant) -> Sides:
    M, J = at.mass_matrix().value, at.conditions().value
    none = sp.zeros(J.rows, J.rows)
    matrix = sp.Matrix.vstack(sp.Matrix.hstack(M, J.T), sp.Matrix.hstack(J, none))
    found = solved(matrix, augmented(at).col_join(sp.zeros(J.rows, 1)))
    yield found, at.speeds.col_join(-sigma(at))


def freedoms(at: Instant, printed: bool = False) -> Sides:
    """Independent speeds."""
    J = at.conditions().value
    free = J.cols - J.rank()
    yield sp.Matrix([free]), sp.Matrix([J.cols if printed else J.cols - J.rows])


def symbols(at: Instant) -> Mapping[str, Any]:
    """What a reader's print may name.

    `M`, `J` mass matrix and Φ_q, `qd`, `qdd` speeds and accelerations, `p`, `pd` canonical momenta
    and rates, `phat`, `phatd` the augmented ones, `Q` loads without gravity, `sigma`, `lam`
    impulses and multipliers, `L`, `K`, `V` and `H` Lagrangian, energies and Hamiltonian; `Md`, `Jd`
    rates.
    """

    def lagrangian() -> sp.Expr:
        return kinetic(at) - potential(at, at)[0]

    return Symbols(
        {
            "M": lambda: at.mass_matrix().value,
            "Md": lambda: at.mass_matrix().at(1),
            "J": lambda: at.conditions().value,
            "Jd": lambda: at.conditions().at(1),
            "qd": lambda: at.speeds,
            "qdd": lambda: at.accelerations,
            "p": lambda: canonical(at),
            "pd": lambda: sum(momentum_rate(at), sp.zeros(len(at.speeds), 1)),
            "phat": lambda: augmented(at),
            "phatd": lambda: augmented(at, 1),
            "Q": lambda: forces(at),
            "sigma": lambda: sigma(at),
            "lam": lambda: lam(at),
            "L": lagrangian,
            "K": lambda: kinetic(at),
            "V": lambda: potential(at, at)[0],
            "H": lambda: hamiltonian(at, canonical(at)),
        }
    )


one = partial(entry, instants=on("holonomic"), symbols=symbols)
several = partial(entry, instants=on("holonomic", "loop", "coupled"), symbols=symbols)

ENTRIES = (
    one("1", "speeds from the Hamiltonian", speeds, "q̇ = ∂H/∂p"),
    several(
        "1, freedoms",
        "n coordinates under m conditions",
        freedoms,
        "n − m degrees of freedom",
        as_printed="n degrees of freedom",
        kind="text",
        correction="E15: n is the number of coordinates; the degrees of freedom are n − m",
    ),
    one(
        "2",
        "rates of the canonical momenta",
        momenta,
        "ṗ = −∂H/∂q + Q + Φ_qᵀ λ",
        printed=partial(momenta, sign=-1),
        as_printed="ṗ = −∂H/∂q + Q − Φ_qᵀ λ",
        correction="E1: with (6), (7) and σ̇ = λ the constraint forces have the sign +",
    ),
    one(
        "2, loads",
        "what Q holds in (2)",
        momenta,
        "Q of the forces that have no potential",
        printed=partial(momenta, centrifugal=True),
        as_printed="Q of external, applied and centrifugal forces",
        kind="text",
        correction="E2: one symbol for two quantities; in (2) Q is what has no potential, for "
        "−∂H/∂q holds the centrifugal and potential forces, in (7) it is those as well",
    ),
    one("3", "constraints and their rate", constraints, "Φ = 0 ⟹ Φ_q q̇ = 0"),
    one("4", "the Hamiltonian", legendre, "H = q̇ᵀ p − L = T + V"),
    several("5", "kinetic energy by momenta", energy, "T = ½ q̇ᵀ M q̇ = ½ q̇ᵀ p"),
    several("6", "augmented momenta", augmentation, "P = M q̇ − Φ_qᵀ σ"),
    one(
        "7",
        "rates of the augmented momenta",
        augmented_rates,
        "Ṗ = Q + ∂T/∂q − ∂V/∂q − Φ̇_qᵀ σ",
        printed=partial(augmented_rates, centrifugal=False),
        as_printed="Ṗ = Q − Φ̇_qᵀ σ, Q as in (2)",
        correction="E2: here Q holds ∂T/∂q − ∂V/∂q, which it does not in (2)",
    ),
    several(
        "8", "speeds and impulses from momenta", saddle, "[[M, Φ_qᵀ], [Φ_q, 0]] (q̇, −σ) = (P, 0)"
    ),
)
