"""What kernels that are stated matrix by matrix take of a body and its hinge."""

from __future__ import annotations

import sympy as sp

from ..language.program import KernelBuilder
from .space import Space


def inertia(kernel: KernelBuilder, space: Space) -> sp.Matrix:
    """Take a body's constants; its inertia at the link's origin."""
    d = space.dimension
    mass, first = kernel.take("m")[0], kernel.take("h", d)
    J = kernel.take("J") if d == 2 else kernel.take("J", 3, 3, symmetric=True)
    lever = space.shift(first)[:d, d:]
    return sp.BlockMatrix([[mass * sp.eye(d), lever], [lever.T, J]]).as_explicit()


def external(kernel: KernelBuilder, space: Space) -> sp.Matrix:
    """Take a body's external load; what it is as a wrench at the link's origin, in its axes."""
    d = space.dimension
    A = kernel.take("A", d, d)
    load = kernel.take("f", space.motion)
    force = kernel.let("fl", A.T * load[:d, :], "external force in link axes", says="Aᵀ f")
    couple = load[d:, :] if d == 2 else A.T * load[d:, :]
    return sp.Matrix.vstack(force, space.tilde(kernel.take("rC", d)) * force + couple)


def pushing(kernel: KernelBuilder, space: Space, pushes: int) -> sp.Matrix:
    """Take the wrenches of cut hinges on a link, at its origin and in its axes; their sum."""
    total = sp.zeros(space.motion, 1)
    for k in range(1, pushes + 1):
        total += kernel.take(f"W_{k}", space.motion)
    return total


def resisted(kernel: KernelBuilder, inertia: sp.Matrix, rotor: bool) -> sp.Matrix:
    """The inertia along a hinge's speeds, with a rotor's if there is one."""
    return inertia + sp.diag(*kernel.take("rho", inertia.rows)) if rotor else inertia


def state_load(kernel: KernelBuilder, space: Space, wrench: sp.Matrix) -> None:
    """State a hinge's wrench as a load: in the inertial frame and the paper's signs."""
    d = space.dimension
    A = kernel.take("A", d, d)
    q = -A * wrench[:d, :]
    m = wrench[d:, :] if d == 2 else A * wrench[d:, :]
    kernel.let("load", space.flat_load(m, q), "Riccati paper (2)", says="m = A λ_Ω, q = −A λ_r")


#: Of a body m, h = ∫ r dm and Σ = ∫ r rᵀ dm; in the plane its moment of inertia instead of Σ.
Moments = tuple[sp.Expr, sp.Matrix, sp.Matrix]


def moments(kernel: KernelBuilder, space: Space) -> Moments:
    """Take a body's constants, in link axes and about the link's origin."""
    mass, first = kernel.take("m")[0], kernel.take("h", space.dimension)
    plane = space.dimension == 2
    return mass, first, kernel.take("J") if plane else kernel.take("Sg", 3, 3, symmetric=True)


def holding(kernel: KernelBuilder, space: Space, held: tuple[int, ...]) -> sp.Matrix:
    """Take the columns and multipliers of the cuts that hold a link; the sum of E μ."""
    total = sp.zeros(space.motion, 1)
    for k, m in enumerate(held, start=1):
        mu = kernel.numbers(f"mu_{k}", m)
        total += kernel.take(f"E_{k}", space.motion, m) * mu
    return total


def balanced(
    kernel: KernelBuilder,
    space: Space,
    acceleration: sp.Matrix,
    rate: sp.Matrix,
    field: sp.Matrix,
    body: Moments,
    source: str,
) -> sp.Matrix:
    """f = m a + B h, t = h × a + ∫ r × B r dm, all in the same axes and about the same point."""
    mass, first, second = body
    moment = space.tilde(first) * acceleration
    moment += second * rate if space.dimension == 2 else turning(field, second)
    whole = sp.Matrix.vstack(mass * acceleration + field * first, moment)
    says = "p = (m r̈ + B h, h × r̈ + ∫ r × B r dm)"
    return kernel.let("own", whole, source, says=says)


def turning(field: sp.Matrix, second: sp.Matrix) -> sp.Matrix:
    """∫ r × B r dm = J Ω̇ + Ω × J Ω by Σ = ∫ r rᵀ dm: B Σ less its transpose, as a vector.

    Source
        own
    """

    def component(i: int, j: int, k: int) -> sp.Expr:
        own = second[j, j] * field[k, j] - second[k, k] * field[j, k]
        mixed = second[j, k] * (field[k, k] - field[j, j])
        return own + mixed + second[i, j] * field[k, i] - second[i, k] * field[j, i]

    return sp.Matrix([component(0, 1, 2), component(1, 2, 0), component(2, 0, 1)])


def accelerating(
    kernel: KernelBuilder, space: Space, rate: sp.Matrix, spin: sp.Matrix
) -> sp.Matrix:
    """B = ~Ω̇ + ~Ω~Ω: a point at r from the origin is accelerated by r̈ + B r."""
    turned = [space.turn(rate, sp.eye(space.dimension)[:, k]) for k in range(space.dimension)]
    return sp.Matrix.hstack(*turned) + space.centripetal(kernel, spin)
