"""The kernels of geometric Jacobians and their partial derivatives, of any order.

Twists are (v, ω). S_j is the spatial screw of a speed j, J_ij the same seen from body i, v_ij the
velocity of that body's origin. With the speeds numbered from the ground outwards, a derivative
along k₁ ≤ … ≤ k_ν is one bracket more than one of order ν − 1:

    body-fixed  ∂J_ij = [∂J_ij along k₁ … k_ν₋₁, J_ik_ν],   if j < k₁, else zero;
    spatial     ∂S_j  = [S_k₁, ∂S_j along k₂ … k_ν],        if k_ν < j, else zero;
    origins     ∂v_is₀ = ω_s₀ × ∂v_is₁ along s₂ … s_ν,      s₀ ≤ … ≤ s_ν being j and all k sorted.

The last is a derivative of order ν + 1 of the origin's place, and so does not care which of
its indices is j.

Source: screw paper (6), (13), (15), (16), (21), (24); (26), completed and for any order, is own.
"""

from __future__ import annotations

from ...language.letters import letters
from ...language.words import counted
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Tracer, tracing
from ..closed.kernels import CLOSED

FRAME = "from the link's axes and origin to the body's own"
SEEN = "screw paper (102), (104): J_ij = Ad_C⁻¹ S_j"
ORIGIN = "screw paper (106): v_ij = v_j + ω_j × r_i"
BODY = "screw paper (6), (13), (15): [∂J_ij, J_ik]"
SPATIAL = "screw paper (16), (21), (24): [S_k, ∂S_j]"
HYBRID = "screw paper (26), completed, any order: ω_k × ∂v_ij"

SCREWS = CLOSED | letters(f"""
    Ab | A_b | d d rot | {FRAME}   | from the axes of a body or a frame to inertial ones
    xb | x_b | d       | {FRAME}   | position of the origin of a body or a frame
    S  | S   | n       | screw paper (105) | screw of a speed
    Jb | J_b | n       | {SEEN}    | screw of a speed, at the body's origin and in its axes
    vo | v_o | d       | {ORIGIN}  | velocity of the body's origin at unit speed
    D  | ∂   | n       |           | the derivative of one order less
    dJ | ∂J  | n       | {BODY}    | derivative of a body-fixed column
    dS | ∂S  | n       | {SPATIAL} | derivative of a spatial column
    dv | ∂v  | d       | {HYBRID}  | derivative of the velocity of a body's origin
    column | c | n     |           | a column, or a derivative of one
    part | p | 3       | as it is  | angular or linear part of a column
""")
traced = tracing(SCREWS, FACTS, {})


@traced
def frame(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A body's own axes and origin."""
    t.called("frame", "axes and origin of a body")
    A, origin = x.A, x.x
    x.Ab = A @ x.Kb
    x.xb = origin + A @ x.ob
    return "Ab", "xb"


@traced
def single(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's screws one by one."""
    t.called(f"single_{x.count}", f"screws of {counted(x.count, 'freedom')} one by one")
    J = x.J_
    for j in range(1, x.count + 1):
        t.state(f"S_{j}", k.column(J, j), "screw paper (105)", f"S{j}")
    return tuple(f"S_{j}" for j in range(1, x.count + 1))


@traced
def seen(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A screw from a body's origin, in its axes."""
    t.called("seen", "a screw in the body's axes, at its origin")
    S, A, origin = x.S, x.Ab, x.xb
    slide = t.state("slide", k.lin(S) + k.cross(k.ang(S), origin), SEEN)
    x.Jb = k.stack(A.T @ slide, k.turned(A.T, k.ang(S)))
    return ("Jb",)


@traced
def origin(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The velocity of a body's origin at unit speed, in inertial axes."""
    t.called("origin", "velocity of a body's origin")
    S = x.S
    x.vo = k.lin(S) + k.cross(k.ang(S), x.xb)
    return ("vo",)


@traced
def body_derivative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """One derivative more of a body-fixed column."""
    t.called("body_derivative", "derivative of a body-fixed column")
    x.dJ = k.ad(x.D) @ x.Jb
    return ("dJ",)


@traced
def spatial_derivative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """One derivative more of a spatial column."""
    t.called("spatial_derivative", "derivative of a spatial column")
    x.dS = k.ad(x.S) @ x.D
    return ("dS",)


@traced
def origin_derivative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """One derivative more of the velocity of a body's origin."""
    t.called("origin_derivative", "derivative of an origin's velocity")
    S = x.S
    x.dv = k.cross(k.ang(S), t.read("D", rows=k.d))
    return ("dv",)


@traced
def angular(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The angular part of a twist, with three components."""
    t.called("angular", "angular part of a column")
    w = k.ang(x.column)
    x.part = w if k.d == 3 else k.stack(k.zero(), k.zero(), w)
    return ("part",)


@traced
def linear(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The linear part of a twist, or a velocity, with three components."""
    rows = t.ask("rows")
    t.called(f"linear_{rows}", "linear part of a column")
    whole = t.read("column", rows=rows)
    x.part = k.three(whole if rows == k.d else k.lin(whole))
    return ("part",)
