"""The kernels of a system's centre of mass and of its momentum about it.

All is summed inwards about the inertial origin, where nothing need be moved: with M the inertia of
all links outwards of a hinge and J its screws (v, ω), the momenta of unit speeds are M J = (p, L),
and their rates Ṁ J + M J̇, where Ṁ = −M ad_V − ad_Vᵀ M is a sum over links too. About the centre of
mass c the moment of momentum is L − c × p, its rate L̇ − ċ × p − c × ṗ; c moves by p / m.

Results are angular, then linear, three components each, in inertial axes.

Source: screw paper (36), (38); Orin and Goswami's centroidal momentum, as sums over links: own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space

PUSH = "own: sum of m r̈ over all links outwards"
CENTRE = "own: c = Σ m r / Σ m, out of the inertia about the inertial origin"
MOMENTUM = "screw paper (36): M J, about the centre of mass"
RATE = "screw paper (36), (38): d/dt of M J, about the centre of mass"


@cache
def carried(dimension: int, inputs: int) -> Kernel:
    """A link's momentum about the inertial origin, and its mass times acceleration; sums."""
    space, d = Space(dimension), dimension
    n = space.motion
    kernel = KernelBuilder(
        f"carried_{inputs}", f"momentum of a body with {counted(inputs, 'input')}"
    )
    P = kernel.take("Ms", n, n, symmetric=True) * kernel.take("Vs", n)
    A, acc, field = kernel.take("A", d, d), kernel.take("acc", n), kernel.take("B", d, d)
    inner = kernel.take("m")[0] * acc[:d, :] + field * kernel.take("h", d)
    push = A * kernel.let("ma", inner, PUSH)
    for k in range(1, inputs + 1):
        P += kernel.take(f"P_I{k}", n)
        push += kernel.take(f"push_I{k}", d)
    kernel.let("P", P, "screw paper (36): P = M V, sum over all links outwards")
    kernel.let("push", push, PUSH)
    return kernel.build("P", "push")


@cache
def whole(dimension: int, roots: int) -> Kernel:
    """Mass, centre of mass, its velocity and acceleration, the momentum about it: of all roots."""
    space, d = Space(dimension), dimension
    n = space.motion
    kernel = KernelBuilder(f"whole_{roots}", "centre of mass and momentum")
    M, P, push = sp.zeros(n), sp.zeros(n, 1), sp.zeros(d, 1)
    for k in range(1, roots + 1):
        M += kernel.take(f"Mc_{k}", n, n, symmetric=True)
        P += kernel.take(f"P_{k}", n)
        push += kernel.take(f"push_{k}", d)
    mass = kernel.let("mass", M[:1, :1], CENTRE)[0]
    lever = M[:d, d:]
    first = [lever[1, 0], -lever[0, 0]] if d == 2 else [lever[1, 2], lever[2, 0], lever[0, 1]]
    c = kernel.let("c", sp.Matrix(first) / mass, CENTRE)
    total = kernel.let("Pall", P, "screw paper (36): P = M V, sum over all links")
    cd = kernel.let("cd", total[:d, :] / mass, "own: ċ = p / m")
    cdd = kernel.let("cdd", push / mass, PUSH)
    for name, vector in (("com", c), ("com_velocity", cd), ("com_acceleration", cdd)):
        kernel.let(name, _three(vector), CENTRE)
    kernel.let("momentum", _about(space, total, c), MOMENTUM)
    outputs = ("com", "com_velocity", "com_acceleration", "momentum")
    return kernel.build("mass", "c", "cd", *outputs)


@cache
def columns(dimension: int, freedom: int) -> Kernel:
    """A hinge's columns of the centroidal momentum matrix and of the centre's Jacobian."""
    space, d = Space(dimension), dimension
    n = space.motion
    kernel = KernelBuilder(f"centroidal_{freedom}", f"momenta of {counted(freedom, 'freedom')}")
    J = kernel.take(f"J{freedom}", n, freedom)
    U = kernel.let("U", kernel.take("Mc", n, n, symmetric=True) * J, MOMENTUM)
    mass, c = kernel.take("mass")[0], kernel.take("c", d)
    for k in range(freedom):
        kernel.let(f"AG_{k + 1}", _about(space, U[:, k], c), MOMENTUM)
        kernel.let(f"JC_{k + 1}", _three(U[:d, k] / mass), CENTRE)
    return kernel.build(*(f"{x}_{k + 1}" for k in range(freedom) for x in ("AG", "JC")))


@cache
def column_rates(dimension: int, freedom: int) -> Kernel:
    """The rates of these columns."""
    space, d = Space(dimension), dimension
    n = space.motion
    kernel = KernelBuilder(
        f"centroidal_rates_{freedom}", f"rates of {counted(freedom, 'momentum')}"
    )
    J, Jd = kernel.take(f"J{freedom}", n, freedom), kernel.take(f"Jd{freedom}", n, freedom)
    M, Md = kernel.take("Mc", n, n, symmetric=True), kernel.take("Yc", n, n)
    p = kernel.let("p", (M * J)[:d, :], MOMENTUM)
    Ud = kernel.let("Ud", Md * J + M * Jd, RATE)
    mass, c, cd = kernel.take("mass")[0], kernel.take("c", d), kernel.take("cd", d)
    for k in range(freedom):
        slid = space.tilde(cd) * p[:, k]
        moment = Ud[d:, k] - space.tilde(c) * Ud[:d, k] - slid
        kernel.let(f"AGd_{k + 1}", space.flat_load(moment, Ud[:d, k]), RATE)
        kernel.let(f"JCd_{k + 1}", _three(Ud[:d, k] / mass), CENTRE)
    return kernel.build(*(f"{x}_{k + 1}" for k in range(freedom) for x in ("AGd", "JCd")))


def _about(space: Space, P: sp.Matrix, c: sp.Matrix) -> sp.Matrix:
    """A momentum (p, L) about the inertial origin, as moment about c and momentum."""
    d = space.dimension
    return space.flat_load(P[d:, :] - space.tilde(c) * P[:d, :], P[:d, :])


def _three(vector: sp.Matrix) -> sp.Matrix:
    return sp.Matrix.vstack(vector, sp.zeros(3 - len(vector), 1))
