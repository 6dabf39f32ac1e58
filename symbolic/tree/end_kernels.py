"""The kernels that give the state z = [r̈; Ω̇; m; q; 1] at any end, in the inertial frame.

Accelerations are true ones: where gravity is an acceleration of the ground, it is taken off.
"""

from __future__ import annotations

from ..language.letters import letters
from ..mechanics.letters import FACTS, LETTERS, OF_PARENT
from ..mechanics.matrices import Algebra
from ..mechanics.space import POINT
from ..mechanics.traced import At, Tracer, tracing
from ..mechanics.turns import cosines, spinning
from .recursion_kernels import carried, centripetal

MASSLESS = "deduction paper: a hinge has no mass, q_O = q_I, m_O = m_I + d × q"

ENDS = LETTERS | letters(f"""
    c    | c    | 1 cos | | cosine of the body's angle
    s    | s    | 1 sin | | sine of the body's angle
    omega | ω   | s     | | angular velocity, in the body's own axes
    Omega | Ω   | s     | Riccati paper (5): Ω = A ω | angular velocity, in inertial axes
    Omegad | Ω̇  | s     | own | angular acceleration, in inertial axes
    a    | ω̇    | s     | | angular acceleration, in the body's axes
    arm  | r′   | d     | | from the origin to the end, in the body's axes
    r    | r    | d     | own | from the origin to the end; from the parent's origin to the link's
    rk   | r_k  | d     | | from the parent's origin to the hinge, in the parent's axes
    d    | d    | d     | {MASSLESS} | from the link's side of the hinge to the parent's
    rdd  | r̈    | d     | {POINT} | acceleration of a place, in the axes of the equation
    zb   | z_b  | 6     | {POINT} | acceleration (r̈, Ω̇) of an end
    za   | z_a  | 6     | own | moment and force (m, q) at an end
    far  | (m_I, q_I) | 6 | {MASSLESS} | moment and force at the other side of the hinge
""")

traced = tracing(ENDS, FACTS, OF_PARENT)


@traced
def link_point(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Acceleration of a point fixed in a link, from that of its origin in link axes."""
    t.called("end_motion", "acceleration of an end")
    acc, W = x.acc, centripetal(k, t, x.w)
    x.rdd = k.lin(acc) + k.cross(k.ang(acc), x.arm) + W @ x.arm
    linear, angular = x.A @ x.rdd + x.g, k.turned(x.A, k.ang(acc))
    x.zb = k.motion(linear, angular)
    return ("zb",)


@traced
def body_point(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Acceleration of a point fixed in a body, from that of its output end in inertial axes."""
    t.called("end_motion", "acceleration of an end")
    A = cosines(x, k, t)
    W = centripetal(k, t, spinning(x, k, A))
    angular = x.a
    if k.d == 3:
        x.Omegad = A @ angular
        angular = x.Omegad
    x.r = A @ x.arm
    x.zb = k.motion(x.rdd + k.cross(angular, x.r) + W @ x.r, angular)
    return ("zb",)


@traced
def ground_point(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The ground does not move."""
    t.called("ground_motion", "acceleration of the ground")
    t.state("zb", k.zero(6), "own")
    return ("zb",)


@traced
def no_load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Nothing acts at a free end."""
    t.called("free_end", "loads at a free end")
    x.za = k.zero(6)
    return ("za",)


@traced
def through_hinge(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Loads at both ends of a hinge, from what the link demands: its points may lie apart."""
    t.called("hinge_ends", "loads at both ends of a hinge")
    wrench = carried(x)
    m, q = k.turned(x.A, k.ang(wrench)), -(x.A @ k.lin(wrench))
    x.load = k.load(m, q)
    x.d = x.up.A @ (x.rk - x.r)
    near, first = x.load.value, 2 if k.d == 2 else 0
    m = t.abbreviate("m", m.by(near[first:3, :]))
    q = t.abbreviate("q", q.by(near[3 : 3 + k.d, :]))
    x.far = k.load(m + k.moment(x.d, q), q)
    return "load", "far"


@traced
def through_pin(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Loads at both ends of a pin or ball, whose points coincide."""
    t.called("hinge_ends", "loads at both ends of a hinge")
    IA, pA, linear = x.IAh, x.pAh, x.rdd
    demanded = (IA @ k.stack(linear, k.zero(k.s))).by(IA.value[:, : k.d] * linear.value)
    x.lam = demanded + pA
    loads = k.load(k.ang(x.lam), -k.lin(x.lam))
    x.load = loads
    x.far = loads.by(x.load.value)
    return "load", "far"
