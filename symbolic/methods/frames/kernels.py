"""The kernels of frames: what is fixed in a body or in the ground, how it moves, what moves it.

A frame's motion is (ṙ, ω) of its origin in inertial axes, its hybrid twist; J holds a hinge's
screws (v, ω) of the inertial origin there, J̇ their rates. With r the frame's origin and R its
axes, a column and its rate are, seen by the frame in the four representations of twists,

    hybrid   (v + ω × r, ω)             its rate  (v̇ + ω̇ × r + ω × ṙ, ω̇);
    body     both parts of it in R                of both parts c: Rᵀ (ċ − ω_f × c);
    mixed    its angular part in R                the like of its angular part;
    spatial  (v, ω), whatever the frame           (v̇, ω̇).

Results are angular, then linear, three components each.

Source: screw paper (102)-(107), (28) corrected, (34) corrected; (17) for the screws' rates.
"""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.matrices import Algebra, M
from ...mechanics.space import POINT
from ...mechanics.traced import At, Tracer, tracing
from ..closed.kernels import ASKED, PARENTS, screw_rate
from ..inverse.places import Place, Representation
from ..jacobians.kernels import SCREWS

BODY, SPATIAL, HYBRID, MIXED = Representation

FIXED = "a point fixed in a body: r = x + A r′"
SEEN = {
    BODY: "screw paper (104), (107): J = Ad_R⁻¹ J of hybrid",
    SPATIAL: "screw paper (105)",
    HYBRID: "screw paper (106): J = (ω, v + ω × r)",
    MIXED: "screw paper (101): J = diag(Rᵀ, 1) J of hybrid",
}
CHANGED = {
    BODY: "own: d/dt Rᵀ c = Rᵀ (ċ − ω × c)",
    SPATIAL: "screw paper (17): J̇ = [V, J]",
    HYBRID: "screw paper (28), corrected",
    MIXED: "screw paper (34), corrected: d/dt Rᵀ ω_j = Rᵀ (ω̇_j − ω × ω_j)",
}
CLASSICAL = "classical acceleration: that of a point of the body"
TWISTED = "screw paper (98): V = Ad_C V of body axes"
UNMOVED = "screw paper (105): no column off the way to the ground"

FRAMES = SCREWS | letters(f"""
    vP   | v_P | d | {FIXED}  | velocity of the frame's origin, in link axes
    aP   | a_P | d | {POINT}  | acceleration of the frame's origin, in link axes
    B    | B   | d d |        | a point at r from the link's origin is accelerated by r̈ + B r
    Vf   | Vf  | n | {FIXED}  | velocity of the frame's origin and angular velocity, inertial axes
    af   | af  | n | {POINT}  | acceleration (r̈, ω̇) of the frame, in inertial axes
    V    | V   | 6 |          | twist of the frame, angular part first
    a    | a   | 6 | {CLASSICAL} | acceleration of the frame, angular part first
    J    | J   | 6 |          | column of the frame's J: its twist at unit speed
    Jd   | J̇   | 6 |          | rate of a column of the frame's J
    zero | J   | 6 | {UNMOVED} | column of a speed that does not move the frame
""")
traced = tracing(FRAMES, ASKED, PARENTS)


@traced
def moving(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The motion of a frame: velocity of its origin and angular velocity, in inertial axes."""
    t.called("moving", "velocity of a frame")
    A, arm, v, w = x.A, x.ob, x.vl, x.w
    x.vP = v + k.cross(w, arm)
    x.Vf = k.stack(A @ x.vP, k.turned(A, w))
    return ("Vf",)


@traced
def accelerated(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The acceleration (r̈, ω̇) of a frame, in inertial axes."""
    t.called("accelerated", "acceleration of a frame")
    A, arm, acc, field = x.A, x.ob, x.acc, x.B
    x.aP = k.lin(acc) + field @ arm
    x.af = k.stack(A @ x.aP, k.turned(A, k.ang(acc)))
    return ("af",)


@traced
def twisted(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A link's twist at the inertial origin."""
    t.called("twisted", "twist of a link at the inertial origin")
    at = Place(SPATIAL, x, k, t)
    t.state("Vs", at.moved("V", k.stack(x.vl, x.w)), TWISTED)
    return ("Vs",)


@traced
def screw_rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """How a hinge's screws at the inertial origin change with the motion."""
    name = f"screw_rates_{x.count}{'_change' if x.changes else ''}"
    t.called(name, f"rates of the screws of {counted(x.count, 'freedom')}")
    V, J = x.Vs, x.J_
    x.Jd_ = screw_rate(x, k, t, V, J)
    return (t.port("Jd_"),)


class _Axes:
    """The axes of a representation, a frame's or inertial ones."""

    def __init__(self, x: At, k: Algebra, of: Representation) -> None:
        self.k, self.of = k, of
        self.turns = of is BODY or (of is MIXED and k.d == 3)
        self.R: M | None = x.Ab if self.turns else None

    def turned(self, linear: M, angular: M) -> M:
        """Angular, then linear, in the axes of the representation."""
        if self.R:
            linear = self.R.T @ linear if self.of is BODY else linear
            angular = self.k.turned(self.R.T, angular)
        return self.k.load(angular, linear)


@traced
def velocity(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A frame's twist in a representation."""
    of = t.ask("of")
    t.called(f"velocity_{of}", f"velocity of a frame, {of}")
    axes, motion = _Axes(x, k, of), x.Vf
    linear, angular = k.lin(motion), k.ang(motion)
    if of is SPATIAL:
        linear = linear - k.cross(angular, x.xb)
    t.state("V", axes.turned(linear, angular), SEEN[of])
    return ("V",)


@traced
def acceleration(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A frame's classical acceleration, in the axes and of the point of a representation."""
    of = t.ask("of")
    t.called(f"acceleration_{of}", f"acceleration of a frame, {of}")
    axes, motion = _Axes(x, k, of), x.af
    linear, rate = k.lin(motion), k.ang(motion)
    if of is SPATIAL:
        origin, spin = x.xb, k.ang(x.Vf)
        circling = t.state("wx", k.cross(spin, origin), CLASSICAL)
        linear = linear - k.cross(rate, origin) - k.cross(spin, circling)
    x.a = axes.turned(linear, rate)
    return ("a",)


@traced
def columns(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A frame's columns of J for the speeds of a hinge, one by one."""
    of, freedom = t.ask("of"), x.count
    t.called(f"columns_{freedom}_{of}", f"columns of {counted(freedom, 'freedom')}, {of}")
    axes, J = _Axes(x, k, of), x.J_
    origin = None if of is SPATIAL else x.xb
    for j in range(1, freedom + 1):
        linear, angular = k.lin(k.column(J, j)), k.ang(k.column(J, j))
        if origin:
            linear = t.state(f"v_{j}", linear + k.cross(angular, origin), SEEN[HYBRID], f"v{j}")
        t.state(f"J_{j}", axes.turned(linear, angular), SEEN[of], f"J{j}")
    return tuple(f"J_{j}" for j in range(1, freedom + 1))


@traced
def column_rates(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The rates of a frame's columns of J for the speeds of a hinge, one by one."""
    of, freedom = t.ask("of"), x.count
    t.called(f"column_rates_{freedom}_{of}", f"rates of {counted(freedom, 'column')}, {of}")
    axes, Jd = _Axes(x, k, of), x.Jd_
    moved = None if of is SPATIAL else (x.J_, x.xb, x.Vf)
    for j in range(1, freedom + 1):
        vd, wd = k.lin(k.column(Jd, j)), k.ang(k.column(Jd, j))
        if moved:
            J, origin, motion = moved
            v, w = k.lin(k.column(J, j)), k.ang(k.column(J, j))
            vd = vd + k.cross(wd, origin) + k.cross(w, k.lin(motion))
            if of is BODY:
                hybrid = t.state(f"v_{j}", v + k.cross(w, origin), SEEN[HYBRID], f"v{j}")
                vd = vd - k.cross(k.ang(motion), hybrid)
            if axes.turns:
                wd = wd - k.spins(k.ang(motion), w)
            vd = t.state(f"vd_{j}", vd, CHANGED[of], f"v̇{j}")
            wd = t.state(f"wd_{j}", wd, CHANGED[of], f"ω̇{j}")
        t.state(f"Jd_{j}", axes.turned(vd, wd), CHANGED[of], f"J̇{j}")
    return tuple(f"Jd_{j}" for j in range(1, freedom + 1))


@traced
def unmoved(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The column of a speed that does not move a frame."""
    t.called("unmoved", "a speed that does not move the frame")
    x.zero = k.stack(*6 * [k.zero()])
    return ("zero",)
