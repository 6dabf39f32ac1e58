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

from collections.abc import Callable
from functools import cache

import sympy as sp

from ...language.program import Kernel, KernelBuilder
from ...language.words import counted
from ...mechanics.space import POINT, Space
from ..closed.kernels import CHANGE
from ..inverse.places import Representation, TakenPlace

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

#: What a twist, an acceleration and a column's rate are, where their source gives no equation.
TWISTED = {SPATIAL: "V = (ω, ṙ − ω × r)"}
ACCELERATED = {
    BODY: "a = (Rᵀ ω̇, Rᵀ r̈)",
    SPATIAL: "a = (ω̇, r̈ − ω̇ × r − ω × (ω × r))",
    HYBRID: "a = (ω̇, r̈)",
    MIXED: "a = (Rᵀ ω̇, r̈)",
}
COLUMN = {SPATIAL: "J = (ω, v)"}
RATED = {HYBRID: "J̇ = (ω̇, v̇ + ω̇ × r + ω × ṙ)"}


@cache
def moving(dimension: int) -> Kernel:
    """The motion of a frame: velocity of its origin and angular velocity, in inertial axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("moving", "velocity of a frame")
    A, arm = kernel.take("A", d, d), kernel.take("ob", d)
    v, w = kernel.take("vl", d), kernel.take("w", space.spins)
    linear = A * kernel.let("vP", v + space.turn(w, arm), "ṙ_P = ṙ_O + Ω × r")
    kernel.let("Vf", sp.Matrix.vstack(linear, w if d == 2 else A * w), FIXED)
    return kernel.build("Vf")


@cache
def accelerated(dimension: int) -> Kernel:
    """The acceleration (r̈, ω̇) of a frame, in inertial axes."""
    space, d = Space(dimension), dimension
    kernel = KernelBuilder("accelerated", "acceleration of a frame")
    A, arm = kernel.take("A", d, d), kernel.take("ob", d)
    acc, field = kernel.take("acc", space.motion), kernel.take("B", d, d)
    at = kernel.let("aP", acc[:d, :] + field * arm, POINT, says="r̈_P = r̈ + B r")
    rate = acc[d:, :]
    kernel.let(
        "af", sp.Matrix.vstack(A * at, rate if d == 2 else A * rate), POINT, says="a = (A r̈_P, A ω̇)"
    )
    return kernel.build("af")


@cache
def twisted(dimension: int) -> Kernel:
    """A link's twist at the inertial origin."""
    space = Space(dimension)
    kernel = KernelBuilder("twisted", "twist of a link at the inertial origin")
    at = TakenPlace.taken(kernel, SPATIAL, space)
    own = sp.Matrix.vstack(kernel.take("vl", dimension), kernel.take("w", space.spins))
    kernel.let("Vs", at.moved(kernel, "V", own), "screw paper (98): V = Ad_C V of body axes")
    return kernel.build("Vs")


@cache
def screw_rates(dimension: int, freedom: int, changes: bool) -> Kernel:
    """How a hinge's screws at the inertial origin change with the motion."""
    space = Space(dimension)
    n = space.motion
    name = f"screw_rates_{freedom}{'_change' if changes else ''}"
    kernel = KernelBuilder(name, f"rates of the screws of {counted(freedom, 'freedom')}")
    V, J = kernel.take("Vs", n), kernel.take(f"J{freedom}", n, freedom)
    rate = space.ad(V) * J
    if changes:
        at = TakenPlace.taken(kernel, SPATIAL, space)
        rate += at.moved(kernel, "Hd", kernel.take(f"Hd{freedom}", n, freedom))
    kernel.let(f"Jd{freedom}", rate, CHANGE)
    return kernel.build(f"Jd{freedom}")


class _Frame:
    """A frame inside a kernel: its axes R, its origin r, and motions as it sees them."""

    def __init__(self, kernel: KernelBuilder, of: Representation, dimension: int) -> None:
        self.kernel, self.of, self.space = kernel, of, Space(dimension)
        self.d = d = dimension
        self.turns = of in (BODY, MIXED) and not (of is MIXED and d == 2)
        self.R = kernel.take("Ab", d, d) if self.turns else sp.eye(d)

    def place(self) -> sp.Matrix:
        return self.kernel.take("xb", self.d)

    def parts(self, motion: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        return motion[: self.d, :], motion[self.d :, :]

    def turned(self, linear: sp.Matrix, angular: sp.Matrix) -> sp.Matrix:
        """Angular, then linear, in the axes of the representation."""
        if self.of is BODY:
            linear = self.R.T * linear
        if self.turns and self.d == 3:
            angular = self.R.T * angular
        return self.space.flat_load(angular, linear)


@cache
def velocity(dimension: int, of: Representation) -> Kernel:
    """A frame's twist in a representation."""
    kernel = KernelBuilder(f"velocity_{of}", f"velocity of a frame, {of}")
    frame = _Frame(kernel, of, dimension)
    linear, angular = frame.parts(kernel.take("Vf", frame.space.motion))
    if of is SPATIAL:
        linear = linear - frame.space.turn(angular, frame.place())
    kernel.let("V", frame.turned(linear, angular), SEEN[of], says=TWISTED.get(of, ""))
    return kernel.build("V")


@cache
def acceleration(dimension: int, of: Representation) -> Kernel:
    """A frame's classical acceleration, in the axes and of the point of a representation."""
    kernel = KernelBuilder(f"acceleration_{of}", f"acceleration of a frame, {of}")
    frame = _Frame(kernel, of, dimension)
    space = frame.space
    linear, rate = frame.parts(kernel.take("af", space.motion))
    if of is SPATIAL:
        x = frame.place()
        spin = kernel.take("Vf", space.motion)[dimension:, :]
        circling = kernel.let("wx", space.turn(spin, x), CLASSICAL, says="ω × r")
        linear = linear - space.turn(rate, x) - space.turn(spin, circling)
    kernel.let("a", frame.turned(linear, rate), CLASSICAL, says=ACCELERATED[of])
    return kernel.build("a")


@cache
def columns(dimension: int, freedom: int, of: Representation) -> Kernel:
    """A frame's columns of J for the speeds of a hinge, one by one."""
    kernel = KernelBuilder(
        f"columns_{freedom}_{of}", f"columns of {counted(freedom, 'freedom')}, {of}"
    )
    frame = _Frame(kernel, of, dimension)
    space = frame.space
    J = kernel.take(f"J{freedom}", space.motion, freedom)
    x = None if of is SPATIAL else frame.place()

    def column(k: int) -> sp.Matrix:
        linear, angular = frame.parts(J[:, k])
        if x is not None:
            linear = kernel.let(f"v_{k + 1}", linear + space.turn(angular, x), SEEN[HYBRID])
        return frame.turned(linear, angular)

    return _one_by_one(kernel, "J", freedom, column, SEEN[of], COLUMN.get(of, ""))


@cache
def column_rates(dimension: int, freedom: int, of: Representation) -> Kernel:
    """The rates of a frame's columns of J for the speeds of a hinge, one by one."""
    kernel = KernelBuilder(
        f"column_rates_{freedom}_{of}", f"rates of {counted(freedom, 'column')}, {of}"
    )
    frame = _Frame(kernel, of, dimension)
    space, d = frame.space, dimension
    n, turn = space.motion, space.turn
    Jd = kernel.take(f"Jd{freedom}", n, freedom)
    if of is SPATIAL:
        return _one_by_one(
            kernel, "Jd", freedom, lambda k: frame.turned(*frame.parts(Jd[:, k])), CHANGED[of]
        )
    J, x, Vf = kernel.take(f"J{freedom}", n, freedom), frame.place(), kernel.take("Vf", n)
    speed, spin = frame.parts(Vf)

    def rate(k: int) -> sp.Matrix:
        (v, w), (vd, wd) = frame.parts(J[:, k]), frame.parts(Jd[:, k])
        linear = vd + turn(wd, x) + turn(w, speed)
        if of is BODY:
            hybrid = kernel.let(f"v_{k + 1}", v + turn(w, x), SEEN[HYBRID])
            linear = linear - turn(spin, hybrid)
        if frame.turns and d == 3:
            wd = wd - turn(spin, w)
        linear = kernel.let(f"vd_{k + 1}", linear, CHANGED[of])
        return frame.turned(linear, kernel.let(f"wd_{k + 1}", wd, CHANGED[of]))

    return _one_by_one(kernel, "Jd", freedom, rate, CHANGED[of], RATED.get(of, ""))


def _one_by_one(
    kernel: KernelBuilder,
    name: str,
    freedom: int,
    column: Callable[[int], sp.Matrix],
    source: str,
    says: str = "",
) -> Kernel:
    names = [f"{name}_{k + 1}" for k in range(freedom)]
    for k, each in enumerate(names):
        kernel.let(each, column(k), source, says=says)
    return kernel.build(*names)


@cache
def unmoved() -> Kernel:
    """The column of a speed that does not move a frame."""
    kernel = KernelBuilder("unmoved", "a speed that does not move the frame")
    kernel.let(
        "zero",
        sp.zeros(6, 1),
        "screw paper (105): no column off the way to the ground",
        says="J_k = 0",
    )
    return kernel.build("zero")
