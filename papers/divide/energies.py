"""Energies, and forces without a potential."""

from __future__ import annotations

import sympy as sp

from .instant import Instant, Momenta


def kinetic(at: Instant) -> sp.Expr:
    """T from the bodies: ½ Σ Vᵀ P."""
    return sum((at.V(i, at.C[i]).value.T * at.P(i, at.C[i]).value)[0] for i in at.bodies) / 2


def potential(at: Instant, of: Momenta) -> sp.Matrix:
    """V and its rate, of gravity, in a motion: two numbers."""
    height = [[at.mass[i] * (at.gravity.T * of.C[i].at(k))[0] for i in at.bodies] for k in (0, 1)]
    return -sp.Matrix([sum(height[0]), sum(height[1])])


def forces(at: Instant) -> sp.Matrix:
    """Generalised forces of the loads without gravity."""
    total = sp.zeros(len(at.speeds), 1)
    for i in at.bodies:
        weight = (at.mass[i] * at.gravity).col_join(sp.zeros(3, 1))
        total += at.jacobian(i, at.C[i]).value.T * (at.load[i] - weight)
    return total
