"""What kernels that are stated matrix by matrix take of a body and its hinge."""

from __future__ import annotations

import sympy as sp

from ..language.program import KernelBuilder
from ..mechanics.space import Space


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
