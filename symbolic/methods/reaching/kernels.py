"""The kernels of one damped step that takes a frame towards a target, and closes loops with it.

With e the frame's error (the turn to the target as a rotation vector, and the way to it, in
inertial axes) above minus the gaps φ of the loops, c_k the column of a speed (J_k, G_k) and w_k its
weight, the step is

    Δ = W Cᵀ (C W Cᵀ + λ² 1)⁻¹ e,    C W Cᵀ = Σ w_k c_k c_kᵀ,

the least of |e − C Δ|² + λ² Δᵀ W⁻¹ Δ; a speed of weight zero stands still.

Source: damped least squares (Nakamura and Hanafusa 1986, Wampler 1986); the sum by hinges is own.
"""

from __future__ import annotations

import sympy as sp

from ...language.letters import letters
from ...language.written import number
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer, tracing
from ..jacobians.kernels import SCREWS

ERROR = "own: rotation vector of R* Rᵀ, and r* − r"
GRAM = "C W Cᵀ, summed speed by speed"
DAMPED = "damped least squares: (C W Cᵀ + λ² 1) x = e"
STEP = "damped least squares: Δ = W Cᵀ x"

#: Components of a frame's error.
TASK = 6

#: Below this sine of the turn to the target its direction is taken as it is.
STRAIGHT = sp.Rational(1e-150)

REACHING = SCREWS | letters(f"""
    target | P | 4 4     | | pose that the frame is to take
    T      | T | d d     | {ERROR}  | turn to the target
    axis   | n | d       | {ERROR}  | axis of the turn, as long as its sine
    size   | s | 1       | {ERROR}  | sine of the turn
    angle  | φ | 1       | {ERROR}  | angle of the turn
    task   | t | 6       | | what is asked for of the frame: 1, else 0
    left   | e | 6       | {ERROR}  | what is left to the target
    Jk     | J | 6       | | column of the frame for a speed
    Gk     | G | 1       | | slope of a condition of a cut hinge for a speed
    wt     | w | 1       | | weight of a speed
    Gbefore | C₀ | 1 1 sym | | C W Cᵀ of the hinges before
    G      | C | 1 1 sym | {GRAM}   | C W Cᵀ of the hinges up to this one
    damping | μ | 1      | | square of the damping, λ²
    phi    | φ | 1       | | how far a condition of a cut hinge is open
    D      | D | 1 1 sym | {DAMPED} | C W Cᵀ + λ² 1
    pull   | x | 1       | {DAMPED} | what the steps follow from
    step   | Δ | 1       | {STEP}   | step of a speed
""")
traced = tracing(REACHING, FACTS, {})


@traced
def error(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What is left to the target: rotation vector and way, as far as they are asked for."""
    t.called("error", "what is left to the target")
    R, r, target = x.Ab, x.xb, x.target
    x.T = k.block(target, 1, 1) @ R.T
    angular = _turn(x, k)
    way = k.lin(k.column(target, 4)) - r
    x.left = _asked(k, x.task, k.load(angular, way))
    return ("left",)


def _turn(x: At, k: Algebra) -> M:
    """The rotation vector of the turn T to the target."""
    if k.d == 2:
        sine, cosine = k.entry(x.T, 2, 1) - k.entry(x.T, 1, 2), k.trace(x.T)
        return k.function(sp.atan2, sine, cosine)
    x.axis = k.axial(x.T).half
    x.size = k.function(sp.sqrt, x.axis.T @ x.axis + k.scalar(STRAIGHT))
    cosine = (k.trace(x.T) - M(sp.eye(1), number(1))).half
    x.angle = k.function(sp.atan2, x.size, cosine)
    return (x.angle / x.size) @ x.axis


def _asked(k: Algebra, task: M, whole: M) -> M:
    """What of it is asked for."""
    return (k.diagonal(task) @ whole).by(task.value.multiply_elementwise(whole.value))


@traced
def gram(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """C W Cᵀ of a hinge's speeds, added to that of the hinges before it."""
    freedom, first, size = x.count, t.ask("first"), TASK + t.ask("conditions")
    t.called(f"gram_{freedom}{'_first' if first else ''}", "columns of a hinge")
    total = k.zero() if first else t.read("Gbefore", rows=size, cols=size)
    task = x.task
    for j in range(1, freedom + 1):
        c = _column(k, t, task, j)
        total = total + t.read("wt", f"_{j}") @ c @ c.T
    x.G = total
    return ("G",)


@traced
def damped(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """x of (C W Cᵀ + λ² 1) x = e."""
    conditions = t.ask("conditions")
    size = TASK + conditions
    t.called("damped", "damped least squares")
    G, damping = t.read("G", rows=size, cols=size), x.damping
    gaps = [-t.read("phi", f"_{i}") for i in range(1, conditions + 1)]
    e = k.stack(x.left, *gaps) if gaps else x.left
    x.D = G + damping @ k.unit_matrix(size)
    t.solve("pull", x.D, e, DAMPED)
    return ("pull",)


@traced
def stepped(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The step of a hinge's speeds."""
    freedom = x.count
    t.called(f"step_{freedom}", "step of a hinge")
    task, pull = x.task, t.read("pull", rows=TASK + t.ask("conditions"))
    for j in range(1, freedom + 1):
        c = _column(k, t, task, j)
        t.state(f"step_{j}", t.read("wt", f"_{j}") @ (c.T @ pull), STEP, f"Δ{j}")
    return tuple(f"step_{j}" for j in range(1, freedom + 1))


def _column(k: Algebra, t: Tracer, task: M, j: int) -> M:
    """c of the hinge's j-th speed: what is asked of the frame's column, then the loops'."""
    asked = _asked(k, task, t.read("Jk", f"_{j}"))
    slopes = [t.read("Gk", f"_{i}_{j}") for i in range(1, t.ask("conditions") + 1)]
    return t.state(f"c_{j}_", k.stack(asked, *slopes) if slopes else asked, GRAM, f"c{j}")
