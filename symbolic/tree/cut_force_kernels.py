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
from ...model.expressions.quantities import TIME
from ...model.parts.hinge_kinds import HINGE_KINDS
from ..language.program import Kernel, KernelBuilder, Slot
from ..mechanics.hinges import Joint, joint, tidy
from ..mechanics.space import Space
from .cut_kernels import CONDITION, Cut, CutHinge

MEASURED = "own: a hinge's coordinates from its relative pose"
TURNED = "own: φ_C + α_C = φ_P + α_P + θ, summed over the hinges of the loop"
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
    axes = of.spin.jacobian(of.u) if len(of.u) else sp.zeros(len(of.spin), 0)
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


@cache
def measured(hinge: CutHinge, summed: Summed | None = None) -> Kernel:
    """A cut hinge's coordinates and speeds from the place and motion of its two sides.

    Its turn is that of the pose, or is summed.
    """
    name = f"measured_{hinge.kind}{summed.name if summed else ''}"
    kernel = KernelBuilder(name, f"coordinates of a cut {hinge.kind} hinge")
    cut = Cut(kernel, hinge)
    a, b = cut.a, cut.b
    R = a.K.T * cut.Q * b.K
    R = R if summed else kernel.let("R", R, MEASURED)
    p = kernel.let("p", a.K.T * (cut.far - a.arm), MEASURED)
    v = kernel.let("pd", a.K.T * cut.rate, MEASURED)
    w = b.w - a.w if hinge.dimension == 2 else b.K.T * (b.w - cut.Q.T * a.w)
    w = kernel.let("wr", w, MEASURED)
    of = joint(hinge.dimension, hinge.kind)
    for size in HINGE_KINDS[hinge.dimension][hinge.kind].sizes:
        kernel.take(size.name)
    found = _read(of, _Seen(R, p, v, w))
    assert found is not None
    coordinates, speeds = found
    if summed:
        turn = _sum(kernel, summed)
        coordinates = [turn if isinstance(x, sp.atan2) else x for x in coordinates]
    named = [(f"q_{i}", x) for i, x in enumerate(coordinates, start=1)]
    named += [(f"u_{i}", x) for i, x in enumerate(speeds, start=1)]
    for name, value in named:
        kernel.let(name, sp.Matrix([value]), MEASURED)
    return kernel.build(*(name for name, _ in named))


def _sum(kernel: KernelBuilder, summed: Summed) -> sp.Expr:
    """θ: angles that are added, taken away, and prescribed."""
    angle = kernel.take("offset")[0]
    for name, count, sign in (("plus", summed.plus, 1), ("minus", summed.minus, -1)):
        for k in range(1, count + 1):
            angle += sign * kernel.take(f"{name}_{k}")[0]
    for name in sorted(str(x) for x in summed.driven.free_symbols):
        kernel.take(name)
    return kernel.let("turn", sp.Matrix([angle + summed.driven]), TURNED)[0]


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
    own = kernel.let("own", H * (tidy(H.T * H).inv() * T), PUSH)
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
    felt = kernel.let("felt", -E * kernel.numbers("mu", size), CONDITION)
    force = felt[:d, :]
    moment = felt[d:, :] - space.tilde(arm) * force
    own = sp.Matrix.vstack(K.T * force, moment if d == 2 else K.T * moment)
    needed = H.T * kernel.let("own", own, CONDITION)
    return kernel.build(*kernel.each("drive", needed, "τ = Hᵀ λ"))
