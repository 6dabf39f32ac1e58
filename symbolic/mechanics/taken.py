"""What kernels that are stated matrix by matrix take of a body and its hinge."""

from __future__ import annotations

import sympy as sp

from ..language.program import KernelBuilder
from .space import Space


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
