"""The kernels of recursive inverse dynamics in the four representations of twists.

What a hinge adds is known in the child's axes and at its origin, where those of link axes work
(see `inverse_kernels`). Of the others, `Place.moved` takes it to the representation, and `back`
takes a wrench to where hinges are known. Gravity is an acceleration of the ground.
B = ~ω̇ + ~ω~ω gives the acceleration of any point, r̈ + B r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import Space
from ...mechanics.taken import (
    Moments,
    accelerating,
    balanced,
    holding,
    moments,
    pushing,
    turning,
)
from ...mechanics.turning import Transport, Way
from ...tree import inverse_kernels
from ...tree.absolute_kernels import BALANCE
from ...tree.motion_kernels import ANY
from ...tree.recursion_kernels import pushed
from .places import MOVED, Place, Representation

BODY, SPATIAL, HYBRID, MIXED = Representation

SCREW = {
    SPATIAL: "screw paper (71b): J = Ad_C X",
    HYBRID: "screw paper (76b): ⁰X = Ad_R X",
    MIXED: "screw paper (101): J = diag(R, 1) X",
}
TWIST = {
    SPATIAL: "screw paper (69): V = V_parent + J q̇",
    HYBRID: "screw paper (76a): ω = ω_parent + ⁰X q̇",
}
RATE = {
    SPATIAL: "screw paper (70), (71c): V̇ = V̇_parent + J q̈ + [V_parent, V]",
    HYBRID: "screw paper (73), (76c): V̇ = Ad_d⁻¹ V̇_parent + ad V_parent + ad_ω ⁰X q̇ + ⁰X q̈",
    MIXED: "screw paper (57), (58): r̈ and ω̇ of a link from its parent's",
}
NEWTON_EULER = {
    SPATIAL: "screw paper (39), (72a): M V̇ − ad_Vᵀ M V, by h and Σ about the inertial origin",
    HYBRID: "screw paper (55), (56), (77a): by h and Σ in inertial axes",
    MIXED: "screw paper (57), (58)",
}
TRANSMIT = {
    HYBRID: "screw paper (77): W_parent += Ad_dᵀ W",
    MIXED: "screw paper (57), (58): t_parent += R t + r × Rᵀ f",
}


def motion(of: Representation, dimension: int, freedom: int, fixed: bool, way: Way) -> Kernel:
    """From the motion of a link's parent to its own; one freedom may have a `fixed` screw."""
    match of:
        case Representation.SPATIAL:
            return spatial(dimension, freedom, fixed)
        case Representation.HYBRID:
            return hybrid(dimension, freedom, fixed)
        case Representation.MIXED:
            return mixed(dimension, freedom, fixed, way)
        case _:
            return inverse_kernels.carry.of(
                dimension=dimension, freedom=freedom, count=freedom, way=way
            )


def transmit(of: Representation, dimension: int, way: Way) -> Kernel:
    """A link's wrench as its parent feels it, where points and axes differ."""
    match of:
        case Representation.HYBRID:
            return hybrid_transmit(dimension)
        case Representation.MIXED:
            return mixed_transmit(dimension, way)
        case _:
            return inverse_kernels.transmit.of(dimension=dimension, way=way)


def needed(
    of: Representation,
    dimension: int,
    freedom: int,
    fixed: bool,
    acting: bool,
    rotor: bool,
    couplings: int,
) -> Iterator[Kernel]:
    """The generalised forces of a hinge, from the wrench that it exerts."""
    if of is not BODY:
        yield projected(of, dimension, freedom, fixed and of is not MIXED)
    yield inverse_kernels.required.of(
        dimension=dimension,
        count=freedom,
        pushed=acting,
        rotor=rotor,
        couplings=couplings,
        projected=of is not BODY,
    )


def _label(freedom: int, fixed: bool) -> str:
    return f"{freedom}_turning" if freedom == 1 and not fixed else f"{freedom}"


def _rates(
    kernel: KernelBuilder, space: Space, freedom: int, fixed: bool
) -> tuple[sp.Matrix, sp.Matrix]:
    """Take the relative motion: the twist in the hinge and its rate but for ~wr vr."""
    d, n = space.dimension, space.motion
    twist = sp.Matrix.vstack(kernel.take("vr", d), kernel.take("wr", space.spins))
    rate = sp.Matrix.vstack(kernel.take("br", d), kernel.take("bw", space.spins))
    if freedom and not fixed:
        own = kernel.numbers("ad", freedom)
        rate += kernel.take(f"H{freedom}", n, freedom) * own
    return twist, rate


def _in_hinge(
    kernel: KernelBuilder, space: Space, freedom: int, fixed: bool, at: Place, acceleration: bool
) -> tuple[sp.Matrix, sp.Matrix]:
    """What a hinge adds to the twist and to its rate, moved.

    One freedom may have a screw J that is `fixed` in the link, its turn along its slide; then
    J q̈ is the rate in either sense (see `mechanics.hinges.Joint.steady`). Else the rate is that
    of the components (`acceleration` no), or that of the hinge's point.
    """
    d = space.dimension
    if fixed:
        screw = at.moved(kernel, "J", kernel.take("H1", space.motion, 1))
        J = kernel.let("screw", screw, SCREW[at.of])
        return J * kernel.take("u_1")[0], J * kernel.take("ad_1")[0]
    twist, rate = _rates(kernel, space, freedom, fixed)
    if not acceleration:
        felt = kernel.let("felt", rate[:d, :] - space.turn(twist[d:, :], twist[:d, :]), MOVED)
        rate = sp.Matrix.vstack(felt, rate[d:, :])
    own = kernel.let("own", rate, MOVED)
    return at.moved(kernel, "X", twist), at.moved(kernel, "Xd", own)


@cache
def spatial(dimension: int, freedom: int, fixed: bool) -> Kernel:
    """Twist and acceleration twist of a link, seen at the inertial origin."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(
        f"spatial_{_label(freedom, fixed)}", f"spatial motion behind {counted(freedom, 'freedom')}"
    )
    parent, before = kernel.take("Vp", space.motion), kernel.take("Vdp", space.motion)
    at = Place.taken(kernel, SPATIAL, space)
    twist, rate = _in_hinge(kernel, space, freedom, fixed, at, acceleration=False)
    V = kernel.let("Vs", parent + twist, TWIST[SPATIAL])
    turned = space.turn(parent[d:, :], V[:d, :]) - space.turn(V[d:, :], parent[:d, :])
    spun = sp.zeros(1, 1) if d == 2 else space.turn(parent[d:, :], V[d:, :])
    kernel.let("Vds", before + rate + sp.Matrix.vstack(turned, spun), RATE[SPATIAL])
    return kernel.build("Vs", "Vds", *(("screw",) if fixed else ()))


@cache
def arm(dimension: int) -> Kernel:
    """From the parent's origin to the link's, in inertial axes."""
    kernel = KernelBuilder("arm", "from a link's parent to the link")
    A, r = kernel.take("Ap", dimension, dimension), kernel.take("r", dimension)
    kernel.let("d", A * r, "r_P = r_O + A r′")
    return kernel.build("d")


@cache
def hybrid(dimension: int, freedom: int, fixed: bool) -> Kernel:
    """Angular velocity and acceleration (r̈, ω̇) of a link, in inertial axes.

    Of the velocities only the difference ṙ_i − ṙ_p enters, which ω and the hinge give.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(
        f"hybrid_{_label(freedom, fixed)}", f"hybrid motion behind {counted(freedom, 'freedom')}"
    )
    parent, field = kernel.take("ap", space.motion), kernel.take("Bp", d, d)
    spin, shift = kernel.take("op", space.spins), kernel.take("d", d)
    at = Place.taken(kernel, HYBRID, space)
    twist, rate = _in_hinge(kernel, space, freedom, fixed, at, acceleration=True)
    o = kernel.let("o", spin + twist[d:, :], TWIST[HYBRID])
    slide = kernel.let("slide", twist[:d, :], MOVED)
    lin = parent[:d, :] + field * shift + 2 * space.turn(spin, slide) + rate[:d, :]
    ang = parent[d:, :] + rate[d:, :]
    if d == 3:
        ang += space.turn(spin, twist[d:, :])
    acc = kernel.let("acc", sp.Matrix.vstack(lin, ang), RATE[HYBRID])
    kernel.let("B", accelerating(kernel, space, acc[d:, :], o), RATE[HYBRID])
    return kernel.build("o", "acc", "B", *(("screw",) if fixed else ()))


@cache
def mixed(dimension: int, freedom: int, fixed: bool, way: Way = ANY) -> Kernel:
    """Acceleration of a link's origin in inertial axes, and ω̇ in the link's."""
    space = Space(dimension)
    d = dimension
    name = f"mixed_{_label(freedom, fixed)}{way.label}"
    kernel = KernelBuilder(name, f"mixed motion behind {counted(freedom, 'freedom')}")
    parent, field = kernel.take("ap", space.motion), kernel.take("Bp", d, d)
    r, spin, w = (kernel.take(n, k) for n, k in (("r", d), ("wp", space.spins), ("w", space.spins)))
    turns = way.taken(kernel, space) if d == 3 else ()
    to_parent = Transport(kernel, space, turns, RATE[MIXED], r)
    at = Place.taken(kernel, MIXED, space)
    twist, rate = _rates(kernel, space, freedom, fixed)
    if fixed:
        rate += kernel.take("H1", space.motion, 1) * kernel.take("ad_1")[0]
    turned = to_parent.spin("wl", spin)
    arm = kernel.let("arm", field * r, RATE[MIXED])
    slide = kernel.let("slide", 2 * space.turn(turned, twist[:d, :]) + rate[:d, :], RATE[MIXED])
    lin = parent[:d, :] + kernel.take("Ap", d, d) * arm + at.A * slide
    ang = to_parent.spin("aa", parent[d:, :]) + rate[d:, :]
    if d == 3:
        ang += space.turn(turned, twist[d:, :])
    acc = kernel.let("acc", sp.Matrix.vstack(lin, ang), RATE[MIXED])
    kernel.let("B", accelerating(kernel, space, acc[d:, :], w), RATE[MIXED])
    return kernel.build("acc", "B")


@cache
def wrench(
    of: Representation,
    dimension: int,
    inputs: int,
    loaded: bool,
    pushes: int = 0,
    held: tuple[int, ...] = (),
) -> Kernel:
    """What a moving link and all that hangs on it demand of the output hinge, see `of`.

    What acts on it is known in link axes: `pushes` are forces of cut hinges and loads, `held`
    the numbers of conditions of the cut hinges that hold it.
    """
    if of is BODY:
        return inverse_kernels.wrench.of(
            dimension=dimension, input_count=inputs, push_count=pushes, cuts=held, loaded=loaded
        )
    space = Space(dimension)
    label = f"{pushed(pushes)}" + "".join(f"_held_{m}" for m in held)
    kernel = KernelBuilder(f"{of}_wrench_{inputs}{label}", f"wrench of a body, {of}")
    at = Place.taken(kernel, of, space)
    own = _BALANCES[of](kernel, at, moments(kernel, space))
    if loaded:
        own -= _external(kernel, space, at)
    acting = pushing(kernel, space, pushes) - holding(kernel, space, held)
    if pushes or held:
        own -= at.wrench(kernel, "acting", kernel.let("act", acting, BALANCE))
    for k in range(1, inputs + 1):
        own += kernel.take(f"{'lam' if of is SPATIAL else 'lt'}_I{k}", space.motion)
    kernel.let("lam", own, BALANCE, says="λ = λ_own + Σ λ_k")
    return kernel.build("lam")


def _spatial_balance(kernel: KernelBuilder, at: Place, body: Moments) -> sp.Matrix:
    space, d = at.space, at.space.dimension
    V, Vd = kernel.take("Vs", space.motion), kernel.take("Vds", space.motion)
    body = at.moments(kernel, body)
    a = kernel.let("a", Vd[:d, :] + space.turn(V[d:, :], V[:d, :]), NEWTON_EULER[SPATIAL])
    field = accelerating(kernel, space, Vd[d:, :], V[d:, :])
    B = kernel.let("B", field, NEWTON_EULER[SPATIAL])
    return balanced(kernel, space, a, Vd[d:, :], B, body, NEWTON_EULER[SPATIAL])


def _hybrid_balance(kernel: KernelBuilder, at: Place, body: Moments) -> sp.Matrix:
    space, d = at.space, at.space.dimension
    acc, B = kernel.take("acc", space.motion), kernel.take("B", d, d)
    body = at.moments(kernel, body)
    return balanced(kernel, space, acc[:d, :], acc[d:, :], B, body, NEWTON_EULER[HYBRID])


def _mixed_balance(kernel: KernelBuilder, at: Place, body: Moments) -> sp.Matrix:
    space, d = at.space, at.space.dimension
    mass, first, second = body
    acc, B = kernel.take("acc", space.motion), kernel.take("B", d, d)
    a = kernel.let("a", at.A.T * acc[:d, :], NEWTON_EULER[MIXED])
    pulled = kernel.let("fB", B * first, NEWTON_EULER[MIXED])
    moment = space.tilde(first) * a
    moment += second * acc[d:, :] if d == 2 else turning(B, second)
    whole = sp.Matrix.vstack(mass * acc[:d, :] + at.A * pulled, moment)
    return kernel.let("own", whole, NEWTON_EULER[MIXED])


_BALANCES: dict[Representation, Callable[..., sp.Matrix]] = {
    SPATIAL: _spatial_balance,
    HYBRID: _hybrid_balance,
    MIXED: _mixed_balance,
}


def _external(kernel: KernelBuilder, space: Space, at: Place) -> sp.Matrix:
    """Take a body's external load: force at its centre of mass and couple, in inertial axes."""
    d = space.dimension
    load = kernel.take("f", space.motion)
    force, couple, centre = load[:d, :], load[d:, :], kernel.take("rC", d)
    if at.of is MIXED:
        felt = kernel.let("fl", at.A.T * force, BALANCE)
        moment = space.tilde(centre) * felt + (couple if d == 2 else at.A.T * couple)
    else:
        lever = kernel.let("lever", at.x + at.A * centre, BALANCE)
        moment = couple + space.tilde(lever) * force
    return sp.Matrix.vstack(force, moment)


@cache
def hybrid_transmit(dimension: int) -> Kernel:
    """A link's wrench as its parent feels it: the force's moment about the parent's origin."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("hybrid_transmit", "wrench moved to the parent")
    lam, shift = kernel.take("lam", space.motion), kernel.take("d", d)
    moment = lam[d:, :] + space.tilde(shift) * lam[:d, :]
    kernel.let("lt", sp.Matrix.vstack(lam[:d, :], moment), TRANSMIT[HYBRID])
    return kernel.build("lt")


@cache
def mixed_transmit(dimension: int, way: Way = ANY) -> Kernel:
    """A link's wrench as its parent feels it: its moment in the parent's axes and about it."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"mixed_transmit{way.label}", "wrench moved to the parent")
    lam, r = kernel.take("lam", space.motion), kernel.take("r", d)
    felt = kernel.let("fp", kernel.take("Ap", d, d).T * lam[:d, :], TRANSMIT[MIXED])
    moment = lam[d:, :]
    turns = way.taken(kernel, space) if d == 3 else ()
    for number, turn in enumerate(turns, start=1):
        moment = kernel.let(f"turned{number}", turn.inward(moment), TRANSMIT[MIXED])
    moment += space.tilde(r) * felt
    kernel.let("lt", sp.Matrix.vstack(lam[:d, :], moment), TRANSMIT[MIXED])
    return kernel.build("lt")


@cache
def projected(of: Representation, dimension: int, freedom: int, by_screw: bool) -> Kernel:
    """Hᵀ λ of a hinge: along its screw if it has one, else with λ taken back to link axes."""
    space = Space(dimension)
    n = space.motion
    name = f"{of}_projected_{freedom}{'' if by_screw else '_back'}"
    kernel = KernelBuilder(name, f"force along {counted(freedom, 'freedom')}")
    lam = kernel.take("lam", n)
    if by_screw:
        total = kernel.take("screw", n).T * lam
    else:
        at = Place.taken(kernel, of, space)
        felt = kernel.let("felt", at.back(kernel, lam), MOVED)
        total = kernel.take(f"H{freedom}", n, freedom).T * felt
    kernel.let(f"P{freedom}", total, "screw paper (67), (71), (76): Q = Jᵀ W")
    return kernel.build(f"P{freedom}")


@cache
def load(of: Representation, dimension: int) -> Kernel:
    """Moment and force at the output hinge, in the inertial frame and the paper's signs."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"{of}_load", "loads at a hinge")
    lam = kernel.take("lam", space.motion)
    at = Place.taken(kernel, of, space)
    force, moment = lam[:d, :], at.about_link(lam)
    if of is BODY:
        force = at.A * force
    if of in (BODY, MIXED) and d == 3:
        moment = at.A * moment
    kernel.let(
        "load",
        space.flat_load(moment, -force),
        "Riccati paper (2)",
        says="m = λ_m about the point, q = −λ_f",
    )
    return kernel.build("load")


@cache
def base(of: Representation, dimension: int) -> Kernel:
    """The moving ground's motion in the representation, from that in its own axes."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"{of}_base", f"motion of the base, {of}")
    w, acc = kernel.take("wg", space.spins), kernel.take("accg", space.motion)
    at = Place.taken(kernel, of, space, suffix="g")
    if of is SPATIAL:
        v = kernel.take("vg", d)
        V = at.moved(kernel, "V", sp.Matrix.vstack(v, w))
        kernel.let("Vs0", V, MOVED)
        rate = sp.Matrix.vstack(acc[:d, :] - space.turn(w, v), acc[d:, :])
        kernel.let("Vds0", at.moved(kernel, "Vd", kernel.let("rate", rate, MOVED)), MOVED)
        return kernel.build("Vs0", "Vds0")
    moved = kernel.let("acc0", at.moved(kernel, "acc", acc), MOVED)
    if of is MIXED:
        return kernel.build("acc0")
    o = kernel.let("o0", at.turned(w), MOVED)
    kernel.let("B0", accelerating(kernel, space, moved[d:, :], o), MOVED)
    return kernel.build("o0", "acc0", "B0")
