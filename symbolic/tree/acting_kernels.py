"""The kernels of what acts from outside and between points: loads, a moving base, forces.

Wrenches are forces and moments at a link's origin, in its axes. The line of a force runs from its
first point, a, to the second, b, in inertial axes. Where the points coincide it has no direction,
and there is no force.
"""

from __future__ import annotations

import sympy as sp

from ...model.expressions.differentiated import jacobian, rate
from ...model.expressions.quantities import TIME
from ..language.letters import letters
from ..mechanics.hinges import tidy, turned
from ..mechanics.letters import FACTS, LETTERS
from ..mechanics.matrices import Algebra, M
from ..mechanics.space import POINT
from ..mechanics.traced import At, Tracer, tracing
from .inverse_kernels import accelerating

LOAD = "force and moment on a body"
BASE = "own: motion of the base, differentiated"
LINE = "own: L = |r_b − r_a|, n = (r_b − r_a) / L"
RATE = "own: L̇ = nᵀ (ṙ_b − ṙ_a)"
PULL = "T = k (L − L₀) + c L̇ + law + ∂V/∂L + μ m / L²"
PUSH = "own: n T on a, −n T on b, in link axes, about the links' origins"
DRAG = "F = −(c₁ + c₂ |v|) v, v = ṙ − ṙ_medium"

#: Keeps the direction of a line without length finite; changes no other, in doubles.
SLIGHT = sp.Rational(1e-60)

ACTING = LETTERS | letters(f"""
    K     | K   | d d rot | | rotation from the body's axes to the link's
    r     | r   | d | | from the link's origin to the point, in the link's axes
    v     | v   | d | | velocity of the link's origin, in its axes
    fl    | f_l | d | {LOAD} | force of a load, in link axes
    phi   | φ   | s | {BASE} | angles of the ground
    phid  | φ̇   | s | {BASE} | rates of the angles
    phidd | φ̈   | s | {BASE} | second rates of the angles
    gI    | g   | d | | gravity, in inertial axes
    Ag    | A_g | d d | {BASE} | from the ground's axes to inertial ones
    xg    | x_g | d | {BASE} | position of the ground's origin
    vg    | v_g | d | {BASE} | velocity of the ground's origin, in its axes
    wg    | Ω_g | s | {BASE} | angular velocity of the ground, in its axes
    accg  | a_g | n | {BASE} | acceleration of the ground, less gravity's
    Bg    | B_g | d d | {POINT} | ~Ω̇ + ~Ω ~Ω of the ground
    gap   | d   | d | {POINT} | from the first point to the second
    dist  | L   | 1 | | distance of the points
    distd | L̇   | 1 | {RATE} | rate of the distance
    dir   | n   | d | | direction from the first point to the second
    along | n   | d | | direction that a sensor measures along
    pull  | T   | 1 | | tension of the line
    force | f   | d | {PUSH} | force on the link, in its axes
    flow  | v_m | d | the medium's velocity | velocity of the medium, in inertial axes
    c1    | c₁  | 1 | | drag per velocity
    c2    | c₂  | 1 | | drag per velocity and speed
    Vbefore | V₀ | 1 | | energy stored by the forces before
    Vf    | V   | 1 | E = T + V | energy stored by the forces up to this one
""")

#: What a law may read of its line.
OF_LINE = {name: ACTING[name] for name in ("dist", "distd")}

traced = tracing(ACTING, FACTS, {})


@traced
def load(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A load's components to its wrench; `K` are the body's axes in the link's."""
    t.called(f"load_{t.ask('label')}", "load on a body")
    force, couple = (k.formula(sp.Matrix(t.ask(name))) for name in ("force", "moment"))
    t.singles(force.value, couple.value)
    force = k.vector(force.value)
    if not force.nothing or k.d == 3:
        axes = x.A.T if t.ask("frame") == "inertial" else x.K
        force, couple = axes @ force, k.turned(axes, couple)
    x.fl = force
    t.state("W", k.stack(x.fl, k.moment(x.r, x.fl) + couple), LOAD)
    return ("W",)


@traced
def base(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The time to the ground's place, motion and acceleration, less gravity's; in its own axes."""
    t.called("base", "moving base")
    position, angles = (sp.Matrix(t.ask(name)) for name in ("position", "angles"))
    t.singles(position, angles)
    x.phi, x.phid = k.formula(angles), k.formula(angles.diff(TIME))
    x.phidd = k.formula(angles.diff(TIME, 2))
    phi, phid, phidd = (y.value for y in (x.phi, x.phid, x.phidd))
    rotation = turned(k.d, phi)
    spin = _spin(rotation, phi, phid)
    x.Ag = k.formula(rotation)
    x.xg = k.formula(position)
    x.vg = x.Ag.T @ k.vector(position.diff(TIME))
    x.wg = k.formula(spin)
    turning = tidy(jacobian(spin, phi) * phid + jacobian(spin, phid) * phidd)
    lin = x.Ag.T @ (k.vector(position.diff(TIME, 2)) - x.gI)
    x.accg = k.stack(lin, k.formula(turning))
    x.Bg = accelerating(k, t, k.ang(x.accg), x.wg)
    return "Ag", "xg", "vg", "wg", "accg", "Bg"


def _spin(rotation: sp.Matrix, phi: sp.Matrix, phid: sp.Matrix) -> sp.Matrix:
    """ω of ~ω = Aᵀ Ȧ, in the turned axes."""
    if len(phi) == 1:
        return phid
    W = tidy(rotation.T * rate(rotation, zip(phi, phid, strict=True)))
    return sp.Matrix([W[2, 1], W[0, 2], W[1, 0]])


# Forces between points


@traced
def line(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The distance and direction of two points; if they are `moving`, how fast it grows."""
    moving = t.ask("moving")
    t.called(f"line{'_moving' if moving else ''}", "line between two points")
    (first, rate_a), (second, rate_b) = (_seen(k, At(t, side), moving) for side in "ab")
    x.gap = second - first
    t.state("dist", _length(k, x.gap), LINE)
    t.state("dir", x.gap / x.dist, LINE)
    if moving:
        x.distd = x.dir.T @ (rate_b - rate_a)
    return "dist", "dir", *(["distd"] if moving else [])


@traced
def sensed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What a sensor measures of one end's place, or of two; if it is `moving`, its rate."""
    ends, directed, moving = t.ask("ends"), t.ask("directed"), t.ask("moving")
    kind = f"{'component' if directed else 'distance'}_{ends}{'_moving' if moving else ''}"
    t.called(f"sensed_{kind}", "what a sensor measures")
    places, rates = zip(*(_seen(k, At(t, side), moving) for side in "ab"[:ends]), strict=True)
    x.gap = places[-1] - (places[0] if ends == 2 else k.zero())
    if directed:
        n = x.along
        t.state("sensed", n.T @ x.gap, "own: nᵀ (r_b − r_a)", "s")
    else:
        n = x.gap / t.state("sensed", _length(k, x.gap), LINE, "s")
    if moving:
        rate = rates[-1] - (rates[0] if ends == 2 else k.zero())
        t.state("sensedd", n.T @ rate, RATE, "ṡ")
    return "sensed", *(["sensedd"] if moving else [])


def _seen(k: Algebra, end: At, moving: bool) -> tuple[M, M]:
    """A point's place and, if it is asked for, its velocity, in inertial axes."""
    A, origin, r = end.A, end.x, end.r
    if not moving:
        return origin + A @ r, k.zero(k.d)
    v, w = end.v, end.w
    return origin + A @ r, A @ (v + k.cross(w, r))


def _length(k: Algebra, vector: M) -> M:
    return k.function(sp.sqrt, vector.T @ vector + k.scalar(SLIGHT))


@traced
def pull(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The tension of a line."""
    t.called(f"pull_{t.ask('label')}", "tension of a force between two points")
    law = sp.Matrix([t.ask("law")])
    t.singles(law, table=OF_LINE)
    t.state("pull", k.formula(law), PULL)
    return ("pull",)


@traced
def pushed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench of a tension at the first or the second point, on the link there."""
    second = t.ask("second")
    t.called(f"push_{'b' if second else 'a'}", "wrench of a force between points")
    A, r, n, T = x.A, x.r, x.dir, x.pull
    force = T @ (A.T @ n)
    x.force = -force if second else force
    t.state("W", k.stack(x.force, k.moment(r, x.force)), PUSH)
    return ("W",)


@traced
def flow(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The velocity of a medium, in inertial axes."""
    t.called(f"flow_{t.ask('label')}", "velocity of a medium")
    medium = sp.Matrix(t.ask("medium"))
    t.singles(medium)
    x.flow = k.formula(medium)
    return ("flow",)


@traced
def drag(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrench of a medium on a point of a link."""
    flowing, quadratic = t.ask("flowing"), t.ask("quadratic")
    says = f"{'_flowing' if flowing else ''}{'_quadratic' if quadratic else ''}"
    t.called(f"drag{says}", "drag of a medium")
    r, v, w = x.r, x.v, x.w
    relative = v + k.cross(w, r)
    if flowing:
        relative = relative - x.A.T @ x.flow
    x.vr = relative
    factor = x.c1
    if quadratic:
        factor = factor + x.c2 @ _length(k, x.vr)
    t.state("force", -(factor @ x.vr), DRAG)
    t.state("W", k.stack(x.force, k.moment(r, x.force)), DRAG)
    return ("W",)


@traced
def stored(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The energy that a force stores, added to that of those before it, unless it is the first."""
    first, law = t.ask("first"), sp.Matrix([t.ask("law")])
    t.called(f"held_{t.ask('label')}{'_first' if first else ''}", "energy stored by a force")
    t.singles(law, table=OF_LINE)
    x.Vf = k.formula(law) if first else x.Vbefore + k.formula(law)
    return ("Vf",)
