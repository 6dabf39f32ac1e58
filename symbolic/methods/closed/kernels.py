"""The kernels of the closed form M u̇ + C u + g = τ, in spatial representation.

Twists are (v, ω) of the inertial origin, in inertial axes; J_i are the columns of a hinge's
speeds there, J̇_i their rates, V = Σ J u, M_l a link's inertia about that origin and P_l = M_l V_l
its momentum. With k the outer of two hinges i and j on one way to the ground, and sums over all
links from k outwards,

    M_ij = J_iᵀ (Σ M_l) J_j,    C_ij = J_iᵀ ((Σ M_l) J̇_j + (Σ Y_l) J_j),

where Y is one of the `VARIANTS`; of hinges on different ways they are zero. In the links' own
axes this is C = Jᵀ M J̇ − Jᵀ X J with Y = −M ad_V − X. Speeds need be no rates of coordinates, and
the columns may change in the child: J̇ holds all of it.

Source: screw paper (82), (85); the sums over links and the second and third variant are own.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import called, counted
from ...mechanics.hinges import joint, tidy
from ...mechanics.space import Space
from ...mechanics.taken import moments, resisted
from ..inverse.kernels import SCREW
from ..inverse.places import INERTIA, Representation, TakenPlace

#: How the matrix C is chosen, and where from.
VARIANTS = {
    "printed": "screw paper (85): X = ad_Vᵀ M",
    "skew": "own: X = bar(M V), so that Ṁ − 2 C is skew",
    "christoffel": "own: X = (ad_Vᵀ M + bar(M V) − M ad_V) / 2, by Christoffel's symbols (86)",
}
MASS = "screw paper (82): M = Jᵀ M J"
CORIOLIS = "screw paper (85): C = −Jᵀ (M A a + X) J, summed over the links outwards"
CHANGE = "screw paper (17): J̇ = [V, J], and the change of H in the child's axes"
GRAVITY = "own: what gravity, as an acceleration of the ground, demands along the hinge"


def changing(dimension: int, kind: str, backward: bool) -> sp.Matrix | None:
    """Ḣ, the rate of a hinge's H in the child's axes; none if it does not change."""
    of = joint(dimension, kind)
    H = of.backward_subspace if backward else of.subspace
    if not H.free_symbols & set(of.q):
        return None
    rate = sum((H.diff(q) * qd for q, qd in zip(of.q, of.rates, strict=True)), sp.zeros(*H.shape))
    return tidy(rate)


@cache
def subspace_rate(dimension: int, kind: str, backward: bool) -> Kernel:
    """The rate of a hinge's H in the child's axes."""
    name = f"rate_of_{kind}{'_backward' if backward else ''}"
    kernel = KernelBuilder(name, f"how H of {called(kind)} hinge changes")
    rate = changing(dimension, kind, backward)
    assert rate is not None
    for symbol in sorted(symbol.name for symbol in rate.free_symbols):
        kernel.take(symbol)
    kernel.let(f"Hd{rate.cols}", rate, "own: d/dt of H(q)", says="Ḣ = Σ ∂H/∂q q̇")
    return kernel.build(f"Hd{rate.cols}")


@cache
def screws(dimension: int, freedom: int) -> Kernel:
    """The columns of a hinge's speeds, at the inertial origin."""
    space = Space(dimension)
    kernel = KernelBuilder(f"screws_{freedom}", f"screws of {counted(freedom, 'freedom')}")
    at = TakenPlace.taken(kernel, Representation.SPATIAL, space)
    H = kernel.take(f"H{freedom}", space.motion, freedom)
    kernel.let(f"J{freedom}", at.moved(kernel, "H", H), SCREW[Representation.SPATIAL])
    return kernel.build(f"J{freedom}")


@cache
def twist(dimension: int, freedom: int, changes: bool = False) -> Kernel:
    """A link's twist, and how the columns of its hinge change with the motion."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"twist_{freedom}{'_change' if changes else ''}", "twist of a link")
    V = kernel.take("Vp", n)
    if not freedom:
        kernel.let("Vs", V, "screw paper (69)", says="V = V_parent")
        return kernel.build("Vs")
    J = kernel.take(f"J{freedom}", n, freedom)
    u = kernel.numbers("u", freedom)
    V = kernel.let("Vs", V + J * u, "screw paper (69): V = V_parent + J q̇")
    rate = space.ad(V) * J
    if changes:
        at = TakenPlace.taken(kernel, Representation.SPATIAL, space)
        rate += at.moved(kernel, "Hd", kernel.take(f"Hd{freedom}", n, freedom))
    kernel.let(f"Jd{freedom}", rate, CHANGE)
    return kernel.build("Vs", f"Jd{freedom}")


@cache
def composite(dimension: int, inputs: int) -> Kernel:
    """A link's inertia about the inertial origin, and with it that of all that hangs on it."""
    space = Space(dimension)
    d, n = dimension, space.motion
    kernel = KernelBuilder(
        f"composite_{inputs}", f"inertia of a body with {counted(inputs, 'input')}"
    )
    at = TakenPlace.taken(kernel, Representation.SPATIAL, space)
    mass, h, second = at.moments(kernel, moments(kernel, space))
    inertia = second if d == 2 else second.trace() * sp.eye(3) - second
    lever = space.shift(h)[:d, d:]
    whole = sp.BlockMatrix([[mass * sp.eye(d), lever], [lever.T, inertia]]).as_explicit()
    total = kernel.let(
        "Ms",
        whole,
        INERTIA[Representation.SPATIAL],
        symmetric=True,
        says="M = Ad_C⁻ᵀ M_body Ad_C⁻¹",
    )
    for k in range(1, inputs + 1):
        total += kernel.take(f"Mc_I{k}", n, n, symmetric=True)
    kernel.let("Mc", total, "sum over all links outwards", symmetric=True, says="Mc = M + Σ Mc_k")
    return kernel.build("Ms", "Mc")


@cache
def gathered(dimension: int, inputs: int, variant: str) -> Kernel:
    """Y of a link, and with it that of all that hangs on it."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder(f"{variant}_{inputs}", f"coriolis terms of a body, {variant}")
    M, V = kernel.take("Ms", n, n, symmetric=True), kernel.take("Vs", n)
    P = kernel.let("P", M * V, "screw paper (36): P = M V")
    moved = kernel.let("MA", M * space.ad(V), "screw paper (38)", says="M A = M ad_V")
    Y = {
        "printed": lambda: -moved - moved.T,
        "skew": lambda: -moved - space.bar(P),
        "christoffel": lambda: -(moved + moved.T + space.bar(P)) / 2,
    }[variant]()
    for k in range(1, inputs + 1):
        Y += kernel.take(f"Yc_I{k}", n, n)
    kernel.let("Yc", Y, VARIANTS[variant], says="Yc = −M ad_V − X + Σ Yc_k")
    return kernel.build("Yc")


def _block(kernel: KernelBuilder, name: str, block: sp.Matrix, source: str) -> list[str]:
    """State a block entry by entry."""
    names = [f"{name}_{i + 1}_{j + 1}" for i in range(block.rows) for j in range(block.cols)]
    for entry, value in zip(names, block, strict=True):
        kernel.let(entry, sp.Matrix([value]), source)
    return names


@cache
def momentous(dimension: int, freedom: int) -> Kernel:
    """U = M J: the momenta of a hinge's screws, of all links outwards."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"momentous_{freedom}", f"momenta of {counted(freedom, 'freedom')}")
    J = kernel.take(f"J{freedom}", n, freedom)
    kernel.let(f"U{freedom}", kernel.take("Mc", n, n, symmetric=True) * J, MASS)
    return kernel.build(f"U{freedom}")


@cache
def mass_column(dimension: int, freedom: int, rotor: bool = False) -> Kernel:
    """A hinge's own block of M."""
    n = Space(dimension).motion
    name = f"mass_{freedom}{'_rotor' if rotor else ''}"
    kernel = KernelBuilder(name, f"mass matrix of {counted(freedom, 'freedom')}")
    J, U = kernel.take(f"J{freedom}", n, freedom), kernel.take(f"U{freedom}", n, freedom)
    block = resisted(kernel, J.T * U, rotor)
    upper = {
        (i, j): kernel.let(f"M_{i + 1}_{j + 1}", sp.Matrix([block[i, j]]), MASS)
        for i in range(freedom)
        for j in range(i, freedom)
    }
    names = [f"M_{i + 1}_{j + 1}" for i, j in upper]
    for (i, j), entry in upper.items():
        if i != j:
            kernel.let(f"M_{j + 1}_{i + 1}", entry, "Mᵀ = M")
            names.append(f"M_{j + 1}_{i + 1}")
    return kernel.build(*names)


@cache
def mass_pair(dimension: int, outer: int, inner: int) -> Kernel:
    """Two blocks of M, of a hinge and one on its way to the ground."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"mass_{outer}_{inner}", "mass matrix of two hinges")
    U, J = kernel.take("U", n, outer), kernel.take("Ja", n, inner)
    names = []
    block = U.T * J
    for i in range(outer):
        for j in range(inner):
            entry = kernel.let(f"M_{i + 1}_{j + 1}", sp.Matrix([block[i, j]]), MASS)
            kernel.let(f"N_{j + 1}_{i + 1}", entry, "Mᵀ = M")
            names += [f"M_{i + 1}_{j + 1}", f"N_{j + 1}_{i + 1}"]
    return kernel.build(*names)


@cache
def coriolis_column(dimension: int, freedom: int) -> Kernel:
    """M J̇ + Y J and Yᵀ J of a hinge, with all links outwards, and its own block of C."""
    n = Space(dimension).motion
    kernel = KernelBuilder(
        f"coriolis_{freedom}", f"coriolis matrix of {counted(freedom, 'freedom')}"
    )
    J, Jd = kernel.take(f"J{freedom}", n, freedom), kernel.take(f"Jd{freedom}", n, freedom)
    Mc, Y = kernel.take("Mc", n, n, symmetric=True), kernel.take("Yc", n, n)
    F = kernel.let(f"F{freedom}", Mc * Jd + Y * J, CORIOLIS, says="F = Mc J̇ + Yc J")
    kernel.let(f"G{freedom}", Y.T * J, CORIOLIS, says="G = Ycᵀ J")
    names = _block(kernel, "C", J.T * F, CORIOLIS)
    return kernel.build(f"F{freedom}", f"G{freedom}", *names)


@cache
def coriolis_pair(dimension: int, outer: int, inner: int) -> Kernel:
    """Two blocks of C, of a hinge and one on its way to the ground: C_oi and C_io."""
    n = Space(dimension).motion
    kernel = KernelBuilder(f"coriolis_{outer}_{inner}", "coriolis matrix of two hinges")
    U, G, F = (kernel.take(name, n, outer) for name in ("U", "G", "F"))
    J, Jd = kernel.take("Ja", n, inner), kernel.take("Jda", n, inner)
    names = _block(kernel, "C", U.T * Jd + G.T * J, CORIOLIS)
    names += _block(kernel, "D", J.T * F, CORIOLIS)
    return kernel.build(*names)


@cache
def gravity(dimension: int, freedom: int) -> Kernel:
    """What a hinge must exert against gravity: Uᵀ (−g, 0)."""
    space = Space(dimension)
    kernel = KernelBuilder(f"gravity_{freedom}", f"gravity along {counted(freedom, 'freedom')}")
    U = kernel.take(f"U{freedom}", space.motion, freedom)
    demanded = -U[:dimension, :].T * kernel.take("g", dimension)
    for j in range(freedom):
        kernel.let(f"gravity_{j + 1}", demanded[j, :], GRAVITY, says="g = −U_vᵀ g_0, U = Mc J")
    return kernel.build(*(f"gravity_{j + 1}" for j in range(freedom)))


@cache
def momentum(dimension: int) -> Kernel:
    """A link's momentum about the inertial origin: moment, then linear, three components each."""
    space = Space(dimension)
    n = space.motion
    kernel = KernelBuilder("momentum", "momentum of a body")
    P = kernel.take("Ms", n, n, symmetric=True) * kernel.take("Vs", n)
    whole = space.flat_load(P[dimension:, :], P[:dimension, :])
    kernel.let("momentum", whole, "screw paper (36): P = M V")
    return kernel.build("momentum")


@cache
def shown(dimension: int, freedom: int) -> Kernel:
    """A hinge's screws with six components each: angular, then linear."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"screws_shown_{freedom}", f"screws of {counted(freedom, 'freedom')}")
    J = kernel.take(f"J{freedom}", space.motion, freedom)
    for j in range(freedom):
        whole = space.flat_load(J[d:, j], J[:d, j])
        kernel.let(f"S_{j + 1}", whole, "screw paper (105)", says="S = (ω, v), a column of J")
    return kernel.build(*(f"S_{j + 1}" for j in range(freedom)))
