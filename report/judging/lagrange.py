"""The independent solution of the branch pendulum: Lagrange's equations of its four angles.

It shares nothing with the derivation but the system: the kinetic energy of the four rods in
the absolute angles θ₁, θ₃, θ₅, θ₇ gives

    Σ_j K_ij cos(θ_i − θ_j) θ̈_j + Σ_j K_ij sin(θ_i − θ_j) ω_j² = (g/a) G_i cos θ_i,

divided by m a². The motion is integrated by Gauss–Legendre collocation, whose error at the
step used lies at rounding, far below that of the fourth-order Runge–Kutta scheme.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss, legvander

from ...errors import NumericsError

Floats = npt.NDArray[np.float64]

_COUPLING = np.array(
    [
        [4 / 3, 0.0, 0.0, 1.0],
        [0.0, 4 / 3, 2.0, -1.0],
        [0.0, 2.0, 16 / 3, -3.0],
        [1.0, -1.0, -3.0, 10 / 3],
    ]
)
_WEIGHT = np.array([1.0, 1.0, 3.0, -1.0])
_STAGES = 8
_ITERATIONS = 60
#: Two iterates of the stages count as equal at this relative distance: a few roundings.
_ROUNDING = 4e-15


def accelerations(theta: Floats, omega: Floats, *, a: float = 0.5, g: float = 9.81) -> Floats:
    """θ̈ from Lagrange's equations.

    Shape
        (…, 4), in the order θ₁, θ₃, θ₅, θ₇.
    Units
        rad, rad/s, m, m/s²; gives rad/s².
    Source
        own
    """
    difference = theta[..., :, None] - theta[..., None, :]
    inertia = _COUPLING * np.cos(difference)
    centrifugal = (_COUPLING * np.sin(difference) * omega[..., None, :] ** 2).sum(axis=-1)
    right = g / a * _WEIGHT * np.cos(theta) - centrifugal
    found: Floats = np.linalg.solve(inertia, right[..., None])[..., 0]
    return found


def energy(
    theta: Floats, omega: Floats, *, m: float = 1.0, a: float = 0.5, g: float = 9.81
) -> Floats:
    """Kinetic plus potential energy, zero potential at the ceiling's pin.

    Shape
        (…) from (…, 4).
    Units
        J.
    Source
        own
    """
    difference = theta[..., :, None] - theta[..., None, :]
    inertia = _COUPLING * np.cos(difference)
    kinetic = 0.5 * m * a**2 * np.einsum("...i,...ij,...j", omega, inertia, omega)
    potential = -m * g * a * (_WEIGHT * np.sin(theta)).sum(axis=-1)
    total: Floats = kinetic + potential
    return total


@dataclass(frozen=True, eq=False)
class Motion:
    """Times (T,), angles θ and rates ω (T, 4): s, rad, rad/s."""

    time: Floats
    theta: Floats
    omega: Floats


@cache
def _collocation(stages: int) -> tuple[Floats, Floats]:
    """A and b of the Gauss–Legendre scheme, from integrals of Legendre polynomials."""
    nodes, weights = leggauss(stages)
    values = legvander(nodes, stages)
    integrals = np.empty((stages, stages))
    integrals[:, 0] = nodes + 1
    for k in range(1, stages):
        integrals[:, k] = (values[:, k + 1] - values[:, k - 1]) / (2 * k + 1)
    return integrals @ np.linalg.inv(values[:, :stages]) / 2, weights / 2


def motion(
    theta: npt.ArrayLike,
    omega: npt.ArrayLike,
    *,
    t_end: float = 5.0,
    steps: int = 250,
    a: float = 0.5,
    g: float = 9.81,
) -> Motion:
    """The motion from a start, at `steps` equal steps.

    Shape
        `theta` and `omega` (4,), in the order 1, 3, 5, 7.
    Units
        rad, rad/s, s, m, m/s².
    Raises
        NumericsError: the steps are too long for the scheme to converge.
    Source
        own
    """
    A, b = _collocation(_STAGES)
    h = t_end / steps
    angles, rates = np.empty((steps + 1, 4)), np.empty((steps + 1, 4))
    angles[0], rates[0] = np.asarray(theta, dtype=float), np.asarray(omega, dtype=float)
    stage = np.repeat(accelerations(angles[0], rates[0], a=a, g=g)[None], _STAGES, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        for n in range(steps):
            for _ in range(_ITERATIONS):
                v = rates[n] + h * A @ stage
                found = accelerations(angles[n] + h * A @ v, v, a=a, g=g)
                change = np.abs(found - stage).max()
                stage = found
                if change <= _ROUNDING * max(1.0, np.abs(stage).max()):
                    break
            else:
                raise NumericsError(f"Lagrange's equations: {steps} steps are too few; take more")
            angles[n + 1] = angles[n] + h * b @ v
            rates[n + 1] = rates[n] + h * b @ stage
    return Motion(np.linspace(0.0, t_end, steps + 1), angles, rates)
