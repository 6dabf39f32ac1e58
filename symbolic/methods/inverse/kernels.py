"""The kernels of recursive inverse dynamics in the four representations of twists.

What a hinge adds is known in the child's axes and at its origin, where those of link axes work
(see `inverse_kernels`). Of the others, `Place.moved` takes it to the representation, and `back`
takes a wrench to where hinges are known. Gravity is an acceleration of the ground.
B = ~ω̇ + ~ω~ω gives the acceleration of any point, r̈ + B r.
"""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import BALANCE, FACTS, OF_PARENT
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ...mechanics.turns import Transport, turns
from ...tree import inverse_kernels
from ...tree.inverse_kernels import (
    INVERSE,
    Moments,
    accelerating,
    balanced,
    holding,
    moments,
    spinning,
)
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
    MIXED: "own: r̈ and ω̇ of a link from its parent's",
}
NEWTON_EULER = {
    SPATIAL: "screw paper (39), (72a): M V̇ − ad_Vᵀ M V, by h and Σ about the inertial origin",
    HYBRID: "screw paper (55), (56), (77a): by h and Σ in inertial axes",
    MIXED: "screw paper (57), (58)",
}
TRANSMIT = {
    HYBRID: "screw paper (77): W_parent += Ad_dᵀ W",
    MIXED: "own: t_parent += R t + r × Rᵀ f",
}

LETTERS = INVERSE | letters("""
    o     | ω   | s       | | angular velocity, in inertial axes
    d     | d   | d       | own | from the parent's origin to the link's, in inertial axes
    Vs    | V   | n       | | twist of the link, of its point at the inertial origin
    Vds   | V̇   | n       | | rate of the twist
    screw | J   | n       | | screw of the hinge: the twist that a unit speed gives
    u     | q̇   | 1       | | speed of the hinge
    P_    | P   | f       | screw paper (67), (71), (76): Q = Jᵀ W | force along the hinge
    Ag    | A_g | d d rot | | direction cosines: from the base's axes to inertial ones
    xg    | x_g | d       | | position of the base
    vg    | v_g | d       | | velocity of the base, in its axes
    wg    | Ω_g | s       | | angular velocity of the base, in its axes
    accg  | a_g | n       | | acceleration (r̈, Ω̇) of the base, in its axes
""")

ASKED = {
    **FACTS,
    "of": lambda tree, _: tree.of,
    "steady": lambda tree, link: tree.steady(link),
}
parents = {**OF_PARENT, "Vs": "Vp", "Vds": "Vdp", "o": "op"}
traced = tracing(LETTERS, ASKED, parents)


def _label(x: At) -> str:
    return f"{x.freedom}_turning" if x.freedom == 1 and not x.steady else f"{x.freedom}"


def _rates(x: At, k: Algebra, t: Tracer) -> tuple[M, M]:
    """The relative motion: the twist in the hinge and its rate but for ~wr vr."""
    twist, rate = k.stack(x.vr, x.wr), k.stack(x.br, x.bw)
    if x.freedom and not x.steady:
        own = t.numbers("ad")
        rate = rate + x.H_ @ own
    return twist, rate


def _in_hinge(x: At, k: Algebra, t: Tracer, at: Place, acceleration: bool) -> tuple[M, M]:
    """What a hinge adds to the twist and to its rate, moved.

    One freedom may have a screw J that is fixed in the link, its turn along its slide; then
    J q̈ is the rate in either sense (see `mechanics.hinges.Joint.steady`). Else the rate is that
    of the components (`acceleration` no), or that of the hinge's point.
    """
    if x.steady:
        J = t.state("screw", at.moved("J", x.H_), SCREW[at.of])
        return J @ t.numbers("u", count=1), J @ t.numbers("ad", count=1)
    twist, rate = _rates(x, k, t)
    if not acceleration:
        felt = t.state("felt", k.lin(rate) - k.cross(k.ang(twist), k.lin(twist)), MOVED)
        rate = k.stack(felt, k.ang(rate))
    own = t.state("own", rate, MOVED, "own")
    return at.moved("X", twist), at.moved("Xd", own)


@traced
def spatial(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Twist and acceleration twist of a link, seen at the inertial origin."""
    t.called(f"spatial_{_label(x)}", f"spatial motion behind {counted(x.freedom, 'freedom')}")
    parent, before = x.up.Vs, x.up.Vds
    twist, rate = _in_hinge(x, k, t, Place(SPATIAL, x, k, t), acceleration=False)
    V = t.state("Vs", parent + twist, TWIST[SPATIAL])
    w, wp = k.ang(V), k.ang(parent)
    bracket = k.stack(k.cross(wp, k.lin(V)) - k.cross(w, k.lin(parent)), k.spins(wp, w))
    t.state("Vds", before + rate + bracket, RATE[SPATIAL])
    return "Vs", "Vds", *(("screw",) if x.steady else ())


@traced
def arm(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """From the parent's origin to the link's, in inertial axes."""
    t.called("arm", "from a link's parent to the link")
    A, r = x.up.A, x.r
    x.d = A @ r
    return ("d",)


@traced
def hybrid(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Angular velocity and acceleration (r̈, ω̇) of a link, in inertial axes.

    Of the velocities only the difference ṙ_i − ṙ_p enters, which ω and the hinge give.
    """
    t.called(f"hybrid_{_label(x)}", f"hybrid motion behind {counted(x.freedom, 'freedom')}")
    parent, field, spin, shift = x.up.acc, x.up.B, x.up.o, x.d
    twist, rate = _in_hinge(x, k, t, Place(HYBRID, x, k, t), acceleration=True)
    o = t.state("o", spin + k.ang(twist), TWIST[HYBRID])
    slide = t.state("slide", k.lin(twist), MOVED)
    lin = k.lin(parent) + field @ shift + 2 * k.cross(spin, slide) + k.lin(rate)
    ang = k.ang(parent) + k.ang(rate) + k.spins(spin, k.ang(twist))
    acc = t.state("acc", k.stack(lin, ang), RATE[HYBRID])
    t.state("B", accelerating(k, t, k.ang(acc), o), RATE[HYBRID])
    return "o", "acc", "B", *(("screw",) if x.steady else ())


@traced
def mixed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Acceleration of a link's origin in inertial axes, and ω̇ in the link's."""
    freedom = x.freedom
    title = f"mixed motion behind {counted(freedom, 'freedom')}"
    t.called(f"mixed_{_label(x)}{x.way.label}", title)
    parent, field, r, spin, w = x.up.acc, x.up.B, x.r, x.up.w, x.w
    to_parent = Transport(x, k, t, RATE[MIXED], turn=k.d == 3)
    at = Place(MIXED, x, k, t)
    twist, rate = _rates(x, k, t)
    if x.steady:
        H = x.H_
        rate = rate + H @ t.numbers("ad", count=1)
    turned = to_parent.spin("wl", spin)
    arm = t.state("arm", field @ r, RATE[MIXED])
    own = 2 * k.cross(turned, k.lin(twist)) + k.lin(rate)
    slide = t.state("slide", own, RATE[MIXED])
    lin = k.lin(parent) + x.up.A @ arm + at.A @ slide
    ang = to_parent.spin("aa", k.ang(parent)) + k.ang(rate) + k.spins(turned, k.ang(twist))
    acc = t.state("acc", k.stack(lin, ang), RATE[MIXED])
    t.state("B", accelerating(k, t, k.ang(acc), w), RATE[MIXED])
    return "acc", "B"


@traced
def wrench(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a moving link and all that hangs on it demand of the output hinge, see `of`.

    What acts on it is known in link axes; `cuts` are the numbers of conditions of the cut hinges
    that hold it.
    """
    of, cuts = x.of, x.cuts
    label = pushed(x.push_count) + "".join(f"_held_{m}" for m in cuts)
    t.called(f"{of}_wrench_{x.input_count}{label}", f"wrench of a body, {of}")
    at = Place(of, x, k, t)
    total = _balance(x, k, t, at, moments(x, k))
    if x.loaded:
        total = total - _external(x, k, t, at)
    if x.push_count or cuts:
        acting = k.zero(k.n)
        for y in x.by:
            acting = acting + y.W
        act = t.state("act", holding(t, acting, cuts, against=True), BALANCE)
        total = total - at.wrench("acting", act)
    for y in x.inputs:
        total = total + (y.lam if of is SPATIAL else y.lt)
    x.lam = total
    return ("lam",)


def _balance(x: At, k: Algebra, t: Tracer, at: Place, body: Moments) -> M:
    """State p, what the body itself demands."""
    source = NEWTON_EULER[at.of]
    if at.of is SPATIAL:
        V, Vd = x.Vs, x.Vds
        body = at.moments(body)
        a = t.state("a", k.lin(Vd) + k.cross(k.ang(V), k.lin(V)), source, "a")
        B = t.state("B", accelerating(k, t, k.ang(Vd), k.ang(V)), source)
        return t.state("own", balanced(k, a, k.ang(Vd), B, body), source)
    acc, B = x.acc, x.B
    if at.of is HYBRID:
        own = balanced(k, k.lin(acc), k.ang(acc), B, at.moments(body))
        return t.state("own", own, source)
    mass, first, second = body
    a = t.state("a", at.A.T @ k.lin(acc), source, "a′")
    pulled = t.state("fB", B @ first, source)
    moment = second @ k.ang(acc) if k.d == 2 else spinning(B, second)
    force = mass @ k.lin(acc) + at.A @ pulled
    return t.state("own", k.stack(force, k.moment(first, a) + moment), source)


def _external(x: At, k: Algebra, t: Tracer, at: Place) -> M:
    """A body's external load: force at its centre of mass and couple, in inertial axes."""
    f, centre = x.f, x.rC
    force, couple = k.lin(f), k.ang(f)
    if at.of is MIXED:
        felt = t.state("fl", at.A.T @ force, BALANCE)
        return k.stack(force, k.moment(centre, felt) + k.turned(at.A.T, couple))
    arm = at.A @ centre
    lever = t.state("lever", at.x + arm if at.x else arm, BALANCE)
    return k.stack(force, couple + k.moment(lever, force))


@traced
def transmit(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's wrench as its parent feels it: the force's moment about the parent's origin."""
    of = x.of
    t.called(f"{of}_transmit{x.way.label if of is MIXED else ''}", "wrench moved to the parent")
    lam = x.lam
    force, moment = k.lin(lam), k.ang(lam)
    if of is HYBRID:
        moment = moment + k.moment(x.d, force)
    else:
        r = x.r
        felt = t.state("fp", x.up.A.T @ force, TRANSMIT[MIXED])
        for number, turn in enumerate(turns(x, k) if k.d == 3 else (), start=1):
            moment = t.state(f"turned{number}", turn.inward(moment), TRANSMIT[MIXED])
        moment = moment + k.moment(r, felt)
    t.state("lt", k.stack(force, moment), TRANSMIT[of])
    return ("lt",)


@traced
def projected(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Hᵀ λ of a hinge: along its screw if it has one, else with λ taken back to link axes."""
    of, freedom = x.of, x.count
    by_screw = of is not MIXED and x.steady
    name = f"{of}_projected_{freedom}{'' if by_screw else '_back'}"
    t.called(name, f"force along {counted(freedom, 'freedom')}")
    lam = x.lam
    if by_screw:
        x.P_ = x.screw.T @ lam
    else:
        felt = t.state("felt", Place(of, x, k, t).back(lam), MOVED)
        x.P_ = x.H_.T @ felt
    return (t.port("P_"),)


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Moment and force at the output hinge, in the inertial frame and the paper's signs."""
    of = x.of
    t.called(f"{of}_load", "loads at a hinge")
    lam = x.lam
    at = Place(of, x, k, t)
    force, moment = k.lin(lam), at.about_link(lam)
    if of is BODY:
        force = at.A @ force
    if of in (BODY, MIXED):
        moment = k.turned(at.A, moment)
    x.load = k.load(moment, -force)
    return ("load",)


@traced
def base(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The moving ground's motion in the representation, from that in its own axes."""
    of = x.of
    t.called(f"{of}_base", f"motion of the base, {of}")
    w, acc = x.wg, x.accg
    at = Place(of, x, k, t, suffix="g")
    if of is SPATIAL:
        v = x.vg
        t.state("Vs0", at.moved("V", k.stack(v, w)), MOVED, "V₀")
        rate = t.state("rate", k.stack(k.lin(acc) - k.cross(w, v), k.ang(acc)), MOVED)
        t.state("Vds0", at.moved("Vd", rate), MOVED, "V̇₀")
        return "Vs0", "Vds0"
    moved = t.state("acc0", at.moved("acc", acc), MOVED, "a₀")
    if of is MIXED:
        return ("acc0",)
    o = t.state("o0", at.turned(w), MOVED, "ω₀")
    t.state("B0", accelerating(k, t, k.ang(moved), o), MOVED, "B₀")
    return "o0", "acc0", "B0"


#: What carries motions outwards in each representation.
MOTIONS = {BODY: inverse_kernels.carry, SPATIAL: spatial, HYBRID: hybrid, MIXED: mixed}
