"""The kernels of what acts in a cut hinge: its own coordinates, force law and drive.

A cut hinge has no coordinates of its own among the state. They are found from the relative
pose of its two sides: angles within one turn, (−π, π]; a helical hinge's from its height, over
any number of turns; quaternions with w ≥ 0, within half a turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from ..model.quantities import TIME
from .cutkernels import CONDITION, Cut, CutHinge, taken_multipliers
from .joints import PITCH, joint
from .program import Kernel, KernelBuilder
from .space import Space

MEASURED = "own: a hinge's coordinates from its relative pose"
PUSH = "λ = H (HᵀH)⁻¹ τ, on the child; its reaction on the parent"

#: Keeps a quaternion of half a turn finite; changes no other by more than rounding.
SLIGHT = sp.Rational(1, 10**30)


@dataclass(frozen=True)
class _Seen:
    """The child's point frame as seen from the parent's.

    R: child to parent axes; p and its rate v: in the parent's axes; w: in the child's.
    """

    R: sp.Matrix
    p: sp.Matrix
    v: sp.Matrix
    w: sp.Matrix

    @property
    def quaternion(self) -> list[sp.Expr]:
        R = self.R
        part = R[0, 0] + R[1, 1] + R[2, 2] + 1
        w = sp.sqrt((part + sp.Abs(part)) / 2 + SLIGHT) / 2
        pairs = ((2, 1), (0, 2), (1, 0))
        return [w, *((R[i, j] - R[j, i]) / (4 * w) for i, j in pairs)]


def _turn(s: _Seen) -> sp.Expr:
    return sp.atan2(s.R[1, 0], s.R[0, 0])


#: By dimension and kind: coordinates, then speeds.
_MEASURES: dict[tuple[int, str], Callable[[_Seen], tuple[list[sp.Expr], list[sp.Expr]]]] = {
    (2, "pin"): lambda s: ([_turn(s)], [s.w[0]]),
    (2, "prismatic"): lambda s: ([s.p[0]], [s.v[0]]),
    (2, "slot"): lambda s: ([s.p[0], _turn(s)], [s.v[0], s.w[0]]),
    (2, "free"): lambda s: ([*s.p, _turn(s)], [*s.v, s.w[0]]),
    (3, "revolute"): lambda s: ([_turn(s)], [s.w[2]]),
    (3, "prismatic"): lambda s: ([s.p[2]], [s.v[2]]),
    (3, "helical"): lambda s: ([s.p[2] / PITCH], [s.w[2]]),
    (3, "cylindrical"): lambda s: ([_turn(s), s.p[2]], [s.w[2], s.v[2]]),
    (3, "universal"): lambda s: (
        [sp.atan2(s.R[2, 1], s.R[1, 1]), sp.atan2(s.R[0, 2], s.R[0, 0])],
        [s.R[0, 0] * s.w[0] + s.R[0, 2] * s.w[2], s.w[1]],
    ),
    (3, "planar"): lambda s: ([s.p[0], s.p[1], _turn(s)], [s.v[0], s.v[1], s.w[2]]),
    (3, "ball"): lambda s: (s.quaternion, list(s.w)),
    (3, "free"): lambda s: ([*s.p, *s.quaternion], [*(s.R.T * s.v), *s.w]),
}
for _dimension in (2, 3):
    _MEASURES[_dimension, "elastic"] = _MEASURES[_dimension, "free"]


def seen_coordinates(
    dimension: int, kind: str, R: Any, p: Any, pitch: float = 0.0
) -> tuple[float, ...]:
    """A hinge's coordinates from numbers: the child's axes R and place p in the parent's axes."""
    still = sp.zeros(3 if dimension == 3 else 1, 1)
    seen = _Seen(sp.Matrix(R), sp.Matrix(p), sp.zeros(dimension, 1), still)
    coordinates, _ = _MEASURES[dimension, kind](seen)
    return tuple(float(sp.sympify(x).subs(PITCH, pitch)) for x in coordinates)


@cache
def measured(hinge: CutHinge) -> Kernel:
    """A cut hinge's coordinates and speeds from the place and motion of its two sides."""
    kernel = KernelBuilder(f"measured_{hinge.kind}", f"coordinates of a cut {hinge.kind} hinge")
    cut = Cut(kernel, hinge)
    a, b = cut.a, cut.b
    R = kernel.let("R", a.K.T * cut.Q * b.K, MEASURED)
    p = kernel.let("p", a.K.T * (cut.far - a.arm), MEASURED)
    v = kernel.let("pd", a.K.T * cut.rate, MEASURED)
    w = b.w - a.w if hinge.dimension == 2 else b.K.T * (b.w - cut.Q.T * a.w)
    w = kernel.let("wr", w, MEASURED)
    if hinge.kind == "helical":
        kernel.take(PITCH.name)
    coordinates, speeds = _MEASURES[hinge.dimension, hinge.kind](_Seen(R, p, v, w))
    named = [(f"q_{i}", x) for i, x in enumerate(coordinates, start=1)]
    named += [(f"u_{i}", x) for i, x in enumerate(speeds, start=1)]
    for name, value in named:
        kernel.let(name, sp.Matrix([value]), MEASURED)
    return kernel.build(*(name for name, _ in named))


@cache
def push(hinge: CutHinge) -> Kernel:
    """The wrenches of a cut hinge's force on both links, at their origins and in their axes."""
    of = joint(hinge.dimension, hinge.kind)
    space = Space(hinge.dimension)
    d = hinge.dimension
    kernel = KernelBuilder(f"push_{hinge.kind}", f"force in a cut {hinge.kind} hinge")
    cut = Cut(kernel, hinge)
    H = of.subspace
    for symbol in sorted(H.free_symbols, key=str):
        kernel.take(symbol.name)
    T = kernel.take(f"T{H.cols}", H.cols)
    # The columns of H are at right angles, and but for a screw's of unit length.
    scale = 1 + PITCH**2 if hinge.kind == "helical" else 1
    own = kernel.let("own", H * T / scale, PUSH)
    force = kernel.let("force", cut.b.K * own[:d, :], PUSH)
    moment = kernel.let("moment", own[d:, :] if d == 2 else cut.b.K * own[d:, :], PUSH)
    back = kernel.let("back", -cut.Q * force, PUSH)
    held = -moment if d == 2 else -cut.Q * moment
    kernel.let("WA", sp.Matrix.vstack(back, space.tilde(cut.far) * back + held), PUSH)
    kernel.let("WB", sp.Matrix.vstack(force, space.tilde(cut.b.arm) * force + moment), PUSH)
    return kernel.build("WA", "WB")


@cache
def prescribed(label: str, motion: tuple[sp.Expr, ...]) -> Kernel:
    """A driven hinge's coordinates at a time, with their first and second rates."""
    kernel = KernelBuilder(f"prescribed_{label}", "prescribed motion of a cut hinge")
    symbols: set[sp.Basic] = set().union(*(x.free_symbols for x in motion))
    for name in sorted(str(symbol) for symbol in symbols):
        kernel.take(name)
    names = []
    for order, stem in enumerate(("at", "rate", "second")):
        for i, value in enumerate(motion, start=1):
            names.append(f"{stem}_{i}")
            kernel.let(names[-1], sp.Matrix([value.diff(TIME, order)]), "the prescribed motion")
    return kernel.build(*names)


@cache
def drive(hinge: CutHinge, size: int) -> Kernel:
    """The force that drives a cut hinge as prescribed: Hᵀ of what its child feels, −E μ."""
    of = joint(hinge.dimension, hinge.kind)
    space = Space(hinge.dimension)
    d, n = hinge.dimension, space.motion
    kernel = KernelBuilder(f"cut_drive_{hinge.kind}", "driving force of a cut hinge")
    E = kernel.take("E", n, size)
    arm, K = kernel.take("rb", d), kernel.take("Kb", d, d)
    H = of.subspace
    for symbol in sorted(H.free_symbols, key=str):
        kernel.take(symbol.name)
    felt = kernel.let("felt", -E * taken_multipliers(kernel, size), CONDITION)
    force = felt[:d, :]
    moment = felt[d:, :] - space.tilde(arm) * force
    own = sp.Matrix.vstack(K.T * force, moment if d == 2 else K.T * moment)
    needed = H.T * kernel.let("own", own, CONDITION)
    for j in range(H.cols):
        kernel.let(f"drive_{j + 1}", sp.Matrix([needed[j]]), "τ = Hᵀ λ")
    return kernel.build(*(f"drive_{j + 1}" for j in range(H.cols)))
