"""The kernels of inverse dynamics and of the mass matrix, in joint coordinates and link axes.

Accelerations are those of points, (r̈, Ω̇), with gravity as an acceleration of the ground; a
link's wrench is what its output hinge must exert on it, at its origin.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..language.program import Kernel, KernelBuilder
from ..language.words import counted
from ..mechanics.space import POINT, Space
from ..mechanics.turning import Transport, Way
from .absolute_kernels import BALANCE, HINGE
from .bodies import external, inertia, pushing, resisted
from .letters import MOVED
from .motion_kernels import ANY
from .recursion_kernels import pushed

NEWTON_EULER = "Riccati paper (5): Newton's and Euler's equations at the output end"
COLUMN = "column of the mass matrix: wrench that a unit acceleration of the hinge demands"


@cache
def carry(dimension: int, freedom: int, way: Way = ANY) -> Kernel:
    """From the parent's acceleration and the hinge's own to the link's, in link axes.

    B = ~Ω̇ + ~Ω~Ω gives any point of the link its acceleration, r̈ + B r.
    """
    space = Space(dimension)
    d, n, s = dimension, space.motion, space.spins
    name = f"carry_{freedom}{way.label}"
    kernel = KernelBuilder(name, f"acceleration behind {counted(freedom, 'freedom')}")
    parent = kernel.take("ap", n)
    field = kernel.take("Bp", d, d)
    r = kernel.take("r", d)
    to_parent = Transport(kernel, space, way.taken(kernel, space), POINT, r)
    wp, w = kernel.take("wp", s), kernel.take("w", s)
    vr, wr = kernel.take("vr", d), kernel.take("wr", s)
    br, bw = kernel.take("br", d), kernel.take("bw", s)
    turned = to_parent.spin("wl", wp)
    at_hinge = kernel.let("aP", parent[:d, :] + field * r, POINT, says="r̈_P = r̈ + B r")
    lin = to_parent.outward("al", at_hinge) + 2 * space.turn(turned, vr) + br
    ang = to_parent.spin("aa", parent[d:, :]) + bw
    if d == 3:
        ang += space.tilde(turned) * wr
    total = sp.Matrix.vstack(lin, ang)
    if freedom:
        own = kernel.numbers("ad", freedom)
        total += kernel.take(f"H{freedom}", n, freedom) * own
    acc = kernel.let("acc", total, "a = Y a_parent + γ + H u̇")
    kernel.let("B", accelerating(kernel, space, acc[d:, :], w), POINT, says="B = ~Ω̇ + ~Ω ~Ω")
    return kernel.build("acc", "B")


def accelerating(
    kernel: KernelBuilder, space: Space, rate: sp.Matrix, spin: sp.Matrix
) -> sp.Matrix:
    """B = ~Ω̇ + ~Ω~Ω: a point at r from the origin is accelerated by r̈ + B r."""
    turned = [space.turn(rate, sp.eye(space.dimension)[:, k]) for k in range(space.dimension)]
    return sp.Matrix.hstack(*turned) + space.centripetal(kernel, spin)


@cache
def wrench(
    dimension: int, inputs: int, loaded: bool, pushes: int = 0, held: tuple[int, ...] = ()
) -> Kernel:
    """What a moving link and all that hangs on it demand of the output hinge.

    `pushes` are the forces of cut hinges that act on it, `held` the numbers of conditions of the
    cut hinges that hold it.
    """
    space = Space(dimension)
    d = dimension
    name = f"wrench_{inputs}{pushed(pushes)}" + "".join(f"_held_{m}" for m in held)
    kernel = KernelBuilder(name, f"wrench of a body with {counted(inputs, 'input')}")
    acc = kernel.take("acc", space.motion)
    field = kernel.take("B", d, d)
    body = moments(kernel, space)
    own = balanced(kernel, space, acc[:d, :], acc[d:, :], field, body, NEWTON_EULER)
    if loaded:
        own -= external(kernel, space)
    own -= pushing(kernel, space, pushes)
    own += holding(kernel, space, held)
    for k in range(1, inputs + 1):
        own += kernel.take(f"lt_I{k}", space.motion)
    given = ["λ = p", *(f"λt{k}" for k in range(1, inputs + 1))]
    kernel.let("lam", own, BALANCE, says=" + ".join(given))
    return kernel.build("lam")


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


@cache
def transmit(dimension: int, way: Way = ANY) -> Kernel:
    """A link's wrench as its parent feels it, at the parent's origin and in its axes."""
    kernel = KernelBuilder(f"transmit{way.label}", "wrench moved to the parent")
    lam = kernel.take("lam", Space(dimension).motion)
    kernel.let("lt", _moved(kernel, dimension, lam, way), MOVED, says="λt = Xᵀ λ")
    return kernel.build("lt")


@cache
def required(
    dimension: int,
    freedom: int,
    acting: bool,
    rotor: bool = False,
    couplings: int = 0,
    projected: bool = False,
) -> Kernel:
    """The generalised force that a hinge needs besides its force law, its rotor's included.

    `couplings`: as many conditions with given multipliers hold the hinge itself, σ μ.
    `projected`: Hᵀ λ is known.
    """
    n = Space(dimension).motion
    name = f"required_{freedom}{'_rotor' if rotor else ''}"
    name = f"{name}_{couplings}" if couplings else name
    kernel = KernelBuilder(name, f"force needed along {counted(freedom, 'freedom')}")
    if projected:
        needed = kernel.take(f"P{freedom}", freedom)
    else:
        needed = kernel.take(f"H{freedom}", n, freedom).T * kernel.take("lam", n)
    if acting:
        needed -= kernel.take(f"T{freedom}", freedom)
    if rotor:
        own = kernel.numbers("ad", freedom)
        needed += kernel.take("rho", freedom).multiply_elementwise(own)
    if couplings:
        needed += kernel.take("sigma", freedom, couplings) * kernel.numbers("mu", couplings)
    return kernel.build(*kernel.each("tau", needed, "τ = Hᵀ λ"))


@cache
def composite(dimension: int, inputs: int) -> Kernel:
    """The inertia of a link with all that hangs on it, every hinge locked, about its origin."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(
        f"composite_{inputs}", f"inertia of a body with {counted(inputs, 'input')}"
    )
    total = inertia(kernel, space)
    for k in range(1, inputs + 1):
        total += kernel.take(f"IAt_I{k}", n, n, symmetric=True)
    says = " + ".join(["IA = M", *(f"IAt{k}" for k in range(1, inputs + 1))])
    kernel.let("IA", total, BALANCE, symmetric=True, says=says)
    return kernel.build("IA")


@cache
def locked(dimension: int, way: Way = ANY) -> Kernel:
    """The same about its parent's origin and in the parent's axes."""
    space = Space(dimension)
    kernel = KernelBuilder(f"locked{way.label}", "inertia moved to the parent")
    own = kernel.take("IA", space.motion, space.motion, symmetric=True)
    turns = way.taken(kernel, space)
    to_parent = Transport(kernel, space, turns, MOVED, kernel.take("r", dimension))
    kernel.let("IAt", to_parent.inertia(own), MOVED, symmetric=True, says="IAt = Xᵀ IA X")
    return kernel.build("IAt")


@cache
def column(dimension: int, freedom: int, rotor: bool = False) -> Kernel:
    """The wrench U that a hinge's own unit accelerations demand, and its block of M."""
    n = Space(dimension).motion
    name = f"column_{freedom}{'_rotor' if rotor else ''}"
    kernel = KernelBuilder(name, f"mass matrix of {counted(freedom, 'freedom')}")
    H = kernel.take(f"H{freedom}", n, freedom)
    U = kernel.let(
        f"U{freedom}", kernel.take("IA", n, n, symmetric=True) * H, COLUMN, says="U = IA H"
    )
    block = resisted(kernel, H.T * U, rotor)
    names = []
    for i in range(freedom):
        for j in range(i, freedom):
            entry = kernel.let(f"M_{i + 1}_{j + 1}", sp.Matrix([block[i, j]]), "M = Hᵀ U")
            names.append(f"M_{i + 1}_{j + 1}")
            if i != j:
                kernel.let(f"M_{j + 1}_{i + 1}", entry, "Mᵀ = M")
                names.append(f"M_{j + 1}_{i + 1}")
    return kernel.build(f"U{freedom}", *names)


@cache
def along(dimension: int, freedom: int, ancestor: int, way: Way = ANY) -> Kernel:
    """U moved one link inwards, and what it has there along the ancestor's hinge: two blocks of M.

    `M_i_j` and `N_j_i`, equal, are the entries of the hinge's speed i and the ancestor's j.
    """
    n = Space(dimension).motion
    kernel = KernelBuilder(
        f"along_{freedom}_{ancestor}{way.label}",
        f"mass matrix between {counted(freedom, 'freedom')} and {counted(ancestor, 'freedom')}",
    )
    U = _moved(kernel, dimension, kernel.take("U", n, freedom), way)
    here = kernel.let(f"U{freedom}", U, MOVED, says="U ← Xᵀ U")
    names = [f"U{freedom}"]
    if ancestor:
        block = here.T * kernel.take("Hp", n, ancestor)
        for i in range(freedom):
            for j in range(ancestor):
                entry = kernel.let(f"M_{i + 1}_{j + 1}", sp.Matrix([block[i, j]]), "M = Hᵀ U")
                kernel.let(f"N_{j + 1}_{i + 1}", entry, "Mᵀ = M")
                names += [f"M_{i + 1}_{j + 1}", f"N_{j + 1}_{i + 1}"]
    return kernel.build(*names)


@cache
def apart() -> Kernel:
    """The entry of M of two speeds on different branches."""
    kernel = KernelBuilder("apart", "speeds on different branches")
    kernel.let("zero", sp.zeros(1, 1), HINGE)
    return kernel.build("zero")


def _moved(kernel: KernelBuilder, dimension: int, wrenches: sp.Matrix, way: Way) -> sp.Matrix:
    """Wrenches at a link's origin and in its axes, at its parent's and in the parent's axes."""
    space = Space(dimension)
    turns = way.taken(kernel, space)
    return Transport(kernel, space, turns, MOVED, kernel.take("r", dimension)).wrenches(
        "turned", wrenches
    )
