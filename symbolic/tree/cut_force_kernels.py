"""The kernels of what acts in a cut hinge: its own coordinates, force law and drive.

A cut hinge has no coordinates of its own among the state. They are found from the relative
pose of its two sides: angles within one turn, (−π, π]; a helical hinge's from its height, over
any number of turns; quaternions with w ≥ 0, within half a turn. In the plane an angle is the sum of
those on its loop, over any number of turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...model.expressions.differentiated import jacobian
from ...model.expressions.quantities import TIME
from ..language.letters import letters
from ..language.program import Slot
from ..mechanics.hinges import Joint, joint, tidy
from ..mechanics.matrices import Algebra
from ..mechanics.space import Space
from ..mechanics.traced import At, Tracer, tracing
from .cut_kernels import CONDITION, CUTS, FACTS, Cut, CutHinge
from .loop_kernels import multiplied

MEASURED = "own: a hinge's coordinates from its relative pose"
TURNED = "own: φ_C + α_C = φ_P + α_P + θ, summed over the hinges of the loop"
PUSH = "λ = H (HᵀH)⁻¹ τ, on the child; its reaction on the parent"
MOTION = "the prescribed motion"

FORCES = CUTS | letters(f"""
    q      | q   | 1   | {MEASURED} | coordinate of the cut hinge
    u      | u   | 1   | {MEASURED} | its speed
    R      | R   | d d | {MEASURED} | rotation of the hinge: from the child's axes to the parent's
    p      | p   | d   | {MEASURED} | the child's point from the parent's, in the parent's axes
    pd     | ṗ   | d   | {MEASURED} | velocity in the hinge, m/s
    offset | θ₀  | 1   | | turn of the cut hinge where all angles of the loop are zero
    plus   | θ₊  | 1   | | angle of the loop that turns the child
    minus  | θ₋  | 1   | | angle of the loop that turns the parent
    turn   | θ   | 1   | {TURNED} | turn of the cut hinge
    own    | λ′  | n   | {PUSH} | wrench on the child at its point, in the point's axes
    WA     | W_A | n   | {PUSH} | wrench of the cut hinge on A's link
    WB     | W_B | n   | {PUSH} | wrench of the cut hinge on B's link
    at     | q   | 1   | {MOTION} | prescribed coordinate of the cut hinge
    rate   | q̇   | 1   | {MOTION} | its rate
    second | q̈   | 1   | {MOTION} | its second rate
""")

traced = tracing(FORCES, FACTS, {})

#: Keeps a quaternion of half a turn finite; changes no other by more than rounding.
SLIGHT = sp.Rational(1e-30)


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
        """(w, x, y, z) with w ≥ 0: 1 + tr R = 4 w² and R − Rᵀ = 4 w ~(x, y, z).

        With a the vector of R − Rᵀ it is (1 + tr R)² + a · a = 16 w²: near half a turn 1 + tr R
        alone is mostly rounding, which a is not.
        """
        R = self.R
        part = R[0, 0] + R[1, 1] + R[2, 2] + 1
        turned = [R[i, j] - R[j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
        w = sp.sqrt(part**2 + sp.Add(*(x**2 for x in turned)) + SLIGHT) / 4
        return [w, *(x / (4 * w) for x in turned)]


def _read(of: Joint, seen: _Seen) -> tuple[list[sp.Expr], list[sp.Expr]] | None:
    """Coordinates, then speeds; none if the pose does not tell them.

    A coordinate is given by a shift that grows with it, else, an angle, by entries of R that are
    its sine and cosine; the speed of a turn by its axis, if the axes are at right angles.
    """
    if Slot.QUATERNION in of.slots:
        flying = len(of.u) == 6
        place, velocity = (seen.p, seen.R.T * seen.v) if flying else ((), ())
        return [*place, *seen.quaternion], [*velocity, *seen.w]
    waves = {wave(q) for q in of.q for wave in (sp.sin, sp.cos)}
    entries = {x: seen.R[k] for k, x in reversed(list(enumerate(of.rotation))) if x in waves}
    axes = jacobian(of.spin, of.u)
    turns = [k for k in range(axes.cols) if any(axes[:, k])]
    if tidy(axes[:, turns].T * axes[:, turns]) != sp.eye(len(turns)):
        return None
    coordinates, speeds = [], []
    for k, q in enumerate(of.q):
        slopes = [(i, x, x.diff(q)) for i, x in enumerate(of.position)]
        shifts = [(i, ratio) for i, x, ratio in slopes if x == ratio * q != 0]
        if shifts:
            i, ratio = shifts[0]
            coordinates.append(seen.p[i] / ratio)
        elif sp.sin(q) in entries and sp.cos(q) in entries:
            coordinates.append(sp.atan2(entries[sp.sin(q)], entries[sp.cos(q)]))
        else:
            return None
        if k in turns:
            axis = axes[:, k].xreplace(entries)
            speeds.append((axis.T * seen.w)[0])
        else:
            speeds.append(seen.v[i] / ratio)
    return coordinates, speeds


@cache
def is_read(dimension: int, kind: str) -> bool:
    """Can a hinge's coordinates be described from its pose?"""
    d, spins = dimension, Space(dimension).spins
    seen = _Seen(sp.eye(d), sp.zeros(d, 1), sp.zeros(d, 1), sp.zeros(spins, 1))
    return _read(joint(dimension, kind), seen) is not None


def seen_coordinates(
    dimension: int, kind: str, R: Any, p: Any, sizes: Mapping[str, float]
) -> tuple[float, ...]:
    """A hinge's coordinates from numbers: the child's axes R and place p in the parent's axes.

    Raises
        ModelError: the pose does not tell them.
    """
    still = sp.zeros(Space(dimension).spins, 1)
    seen = _Seen(sp.Matrix(R), sp.Matrix(p), sp.zeros(dimension, 1), still)
    found = _read(joint(dimension, kind), seen)
    if found is None:
        raise ModelError(f"the coordinates of a {kind} hinge cannot be described from its pose")
    known = {sp.Symbol(name, real=True): value for name, value in sizes.items()}
    return tuple(float(sp.sympify(x).subs(known)) for x in found[0])


@dataclass(frozen=True)
class Summed:
    """How the turn of a cut hinge is summed: so many angles with either sign, and prescribed ones.

    `label` tells apart what differs in the prescribed ones.
    """

    plus: int
    minus: int
    driven: sp.Expr
    label: str = ""

    @property
    def name(self) -> str:
        return "_".join(
            ("", str(self.plus), str(self.minus), *([self.label] if self.label else []))
        )


@traced
def measured(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A cut hinge's coordinates and speeds from the place and motion of its two sides.

    Its turn is that of the pose, or is `summed`.
    """
    hinge: CutHinge = x.cut
    summed: Summed | None = t.ask("summed")
    name = f"measured_{hinge.kind}{summed.name if summed else ''}"
    t.called(name, f"coordinates of a cut {hinge.kind} hinge")
    of = Cut(x, k, t)
    a, b = of.a, of.b
    R = a.K.T @ of.Q @ b.K
    if not summed:
        x.R = R
        R = x.R
    x.p, x.pd = a.K.T @ (of.far - a.arm), a.K.T @ of.rate
    spin = b.w - a.w if k.d == 2 else b.K.T @ (b.w - of.Q.T @ a.w)
    t.state("wr", spin, MEASURED)
    of.sizes()
    seen = _Seen(R.value, *(t.entries(word).value for word in ("p", "pd", "wr")))
    found = _read(joint(k.d, hinge.kind), seen)
    assert found is not None
    coordinates, speeds = found
    if summed:
        turn = _sum(k, t, summed)
        coordinates = [turn if isinstance(q, sp.atan2) else q for q in coordinates]
    every = [(f"q_{i}", value) for i, value in enumerate(coordinates, start=1)]
    every += [(f"u_{i}", value) for i, value in enumerate(speeds, start=1)]
    for name, value in every:
        t.state(name[0], k.scalar(value), mark=name[1:])
    return tuple(name for name, _ in every)


def _sum(k: Algebra, t: Tracer, summed: Summed) -> sp.Expr:
    """θ: angles that are added, taken away, and prescribed."""
    angle = t.read("offset")
    for word, count in (("plus", summed.plus), ("minus", summed.minus)):
        for j in range(1, count + 1):
            turned = t.read(word, f"_{j}")
            angle = angle + turned if word == "plus" else angle - turned
    t.singles(sp.Matrix([summed.driven]))
    return t.state("turn", angle + k.scalar(summed.driven))[0]


@traced
def push(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The wrenches of a cut hinge's force on both links, at their origins and in their axes."""
    hinge: CutHinge = x.cut
    t.called(f"push_{hinge.kind}", f"force in a cut {hinge.kind} hinge")
    of = Cut(x, k, t)
    H = joint(k.d, hinge.kind).subspace
    t.singles(H, table=t.table)
    measure, force = tidy(H.T * H).inv(), x.T_
    scaled = force if measure.is_Identity else t.abbreviate("N", k.formula(measure)) @ force
    x.own = t.abbreviate("H", k.formula(H)) @ scaled
    K = of.b.K
    force = t.state("force", K @ k.lin(x.own), PUSH, "f")
    moment = t.state("moment", k.turned(K, k.ang(x.own)), PUSH, "m")
    back = t.state("back", -(of.Q @ force), PUSH, "f′")
    held = k.turned(of.Q, moment)
    x.WA = k.stack(back, k.moment(of.far, back) - held)
    x.WB = k.stack(force, k.moment(of.b.arm, force) + moment)
    return "WA", "WB"


@traced
def prescribed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A driven hinge's coordinates at a time, with their first and second rates."""
    motion = sp.Matrix(t.ask("motion"))
    t.called(f"prescribed_{t.ask('label')}", "prescribed motion of a cut hinge")
    t.singles(motion)
    words = ("at", "rate", "second")
    for order, word in enumerate(words):
        for i, value in enumerate(motion.diff(TIME, order), start=1):
            t.state(word, k.scalar(value), mark=f"_{i}")
    return tuple(f"{word}_{i + 1}" for word in words for i in range(len(motion)))


@traced
def drive(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The force that drives a cut hinge as prescribed: Hᵀ of what its child feels, −E μ."""
    hinge: CutHinge = x.cut
    t.called(f"cut_drive_{hinge.kind}", "driving force of a cut hinge")
    E, b = x.E, At(t, "b")
    arm, K = b.r, b.K
    H = joint(k.d, hinge.kind).subspace
    t.singles(H, table=t.table)
    felt = t.state("felt", -(E @ multiplied(t)), CONDITION, "λ")
    moment = k.ang(felt) - k.moment(arm, k.lin(felt))
    t.state("own", k.stack(K.T @ k.lin(felt), k.turned(K.T, moment)), CONDITION)
    needed = t.abbreviate("H", k.formula(H)).T @ x.own
    return t.each("drive", needed, "τ = Hᵀ λ")
