"""The kernels of motion in joint coordinates: in hinges, of links, with energies and rates.

A link's axes and origin are those of its output point. Accelerations are those of points,
(r̈, Ω̇); gravity is an acceleration of the ground. The recursion is in `recursion_kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

import sympy as sp

from ...model.expressions.quantities import TIME
from ..language.program import Kernel, KernelBuilder, Slot
from ..language.words import called
from ..language.written import number
from ..mechanics.hinges import Joint, joint, third
from ..mechanics.letters import traced
from ..mechanics.matrices import Algebra, M
from ..mechanics.rotation_vector import stated
from ..mechanics.space import Space
from ..mechanics.traced import At, Tracer
from ..mechanics.turning import Way
from ..mechanics.turns import Transport

#: The relative rotation in one piece.
ANY = Way()

RELATIVE = "relative motion in the hinge"
ROTOR = "own: a rotor's inertia, along the hinge's speeds"
TURN = "own: φ n = 2 (θ/sin θ) e of the quaternion (cos θ, e), θ = φ/2"


def take_symbols(kernel: KernelBuilder, matrix: sp.Matrix) -> None:
    """Take everything that a matrix depends on, by name."""
    for name in sorted(symbol.name for symbol in matrix.free_symbols):
        kernel.take(name)


@dataclass(frozen=True)
class _Relative:
    """A relative motion inside a kernel: pose, velocity, spin, their rates at constant u, H."""

    R: sp.Matrix
    p: sp.Matrix
    vr: sp.Matrix
    wr: sp.Matrix
    br: sp.Matrix
    bw: sp.Matrix
    H: sp.Matrix

    def seen_from_child(self, space: Space) -> _Relative:
        """The parent's motion relative to the child, in the parent's axes.

        From R Rᵀ = 1 and p_back = −Rᵀ p, differentiated twice.
        """
        d, R, w = space.dimension, self.R, self.wr
        arm = R.T * self.p

        def turn(x: sp.Matrix) -> sp.Matrix:
            return x if d == 2 else R * x

        cross = space.turn
        inner = 2 * cross(w, self.vr) + cross(self.bw, arm) - cross(w, cross(w, arm))
        spin = turn(self.H[d:, :])
        lever = space.shift(self.p)[:d, d:]
        return _Relative(
            R=R.T,
            p=-arm,
            vr=cross(turn(w), self.p) - R * self.vr,
            wr=-turn(w),
            br=R * (inner - self.br),
            bw=-turn(self.bw),
            H=sp.Matrix.vstack(-R * self.H[:d, :] + lever * spin, -spin),
        )


@cache
def relative(dimension: int, kind: str, backward: bool) -> Kernel:
    """A hinge's coordinates and speeds to its relative pose, velocity, bias and H."""
    return moving(kind, f"{kind} hinge", joint(dimension, kind), backward)


def moving(name: str, title: str, of: Joint, backward: bool) -> Kernel:
    """Coordinates and speeds to a relative pose, velocity, bias and H."""
    kernel = KernelBuilder(f"{name}_backward" if backward else name, title)
    known = _Relative(
        of.rotation, of.position, of.velocity, of.spin, of.bias, of.twist, of.subspace
    )
    return _stated(kernel, of.dimension, known, backward)


@cache
def driven(
    label: str, dimension: int, kind: str, backward: bool, motion: tuple[sp.Expr, ...]
) -> Kernel:
    """The time to the relative pose, velocity and acceleration of a hinge that is driven."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"driven_{label}", f"driven {kind} hinge")
    values = sp.Matrix(motion)
    speeds = values.diff(TIME)
    at = dict(zip((*of.q, *of.u), (*values, *speeds), strict=True))
    H, rate = of.subspace, values.diff(TIME, 2)
    bias = of.bias + H[:dimension, :] * rate
    twist = of.twist + H[dimension:, :] * rate
    parts = (of.rotation, of.position, of.velocity, of.spin, bias, twist, H)
    return _stated(kernel, dimension, _Relative(*(x.xreplace(at) for x in parts)), backward)


def _stated(kernel: KernelBuilder, dimension: int, known: _Relative, backward: bool) -> Kernel:
    """State a relative motion, seen from the child if asked to, with the hinge's place."""
    turning = third(known.R)
    free = set().union(*(getattr(known, field.name).free_symbols for field in fields(known)))
    for name in sorted(symbol.name for symbol in free):
        kernel.take(name)
    if backward:
        stated = {
            field.name: kernel.let(f"{field.name}_f", getattr(known, field.name), RELATIVE)
            for field in fields(known)
            if field.name != "H"
        }
        H = kernel.let("H_f", known.H, RELATIVE) if known.H.cols else known.H
        known = _Relative(**stated, H=H).seen_from_child(Space(dimension))
    K = kernel.take("K", dimension, dimension)
    R = kernel.let("R", known.R, RELATIVE, says="R(q), from child to hinge axes")
    kernel.let("C", K * R, RELATIVE, says="C = K R, from child to parent axes")
    outputs = ["C", "r", "vr", "wr", "br", "bw"]
    if turning:
        kernel.let("cz", R[:1, :1], RELATIVE, says="C = K R, from child to parent axes")
        kernel.let("sz", R[1:2, :1], RELATIVE, says="C = K R, from child to parent axes")
        outputs += ["cz", "sz"]
    p = kernel.let("p", known.p, RELATIVE, says="p(q), in hinge axes")
    kernel.let("r", kernel.take("rk", dimension) + K * p, RELATIVE, says="r = r_k + K p")
    for name in outputs[2:6]:
        kernel.let(name, getattr(known, name), RELATIVE, says="(v_r, ω_r) = H u, (b_r, b_ω) = Ḣ u")
    if known.H.cols:
        outputs.append(f"H{known.H.cols}")
        kernel.let(outputs[-1], known.H, RELATIVE, says="H(q), the motion subspace")
    return kernel.build(*outputs)


@traced
def spins(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Angular velocity of a link, in its own axes."""
    t.called(f"spin{x.way.label}", "angular velocity of a link")
    parent, own = x.up.w, x.wr
    x.w = Transport(x, k, t, "own", arm=False, turn=k.d == 3).spin("wl", parent) + own
    return ("w",)


@cache
def force(label: str, law: tuple[sp.Expr, ...], freedom: int, forced: bool) -> Kernel:
    """A hinge's force law, and the applied force if `forced`, for each of its speeds."""
    kernel = KernelBuilder(f"force_{label}", "force in a hinge")
    total = sp.Matrix(law) if law else sp.zeros(freedom, 1)
    take_symbols(kernel, total)
    total = stated(kernel, total, TURN)
    if forced:
        total += kernel.numbers("tau", freedom)
    kernel.let(f"T{freedom}", total, "the hinge's force law", says="τ = τ(q, u, t)")
    return kernel.build(f"T{freedom}")


@traced
def place(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Orientation and position of a link, in the inertial frame."""
    t.called("place", "orientation and position of a link")
    A, origin, C, r = x.up.A, x.up.x, x.C, x.r
    x.A, x.x = A @ C, origin + A @ r
    return "A", "x"


@traced
def pose(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Pose of a body's own frame."""
    t.called("pose", "pose of a body")
    A, origin = x.A, x.x
    x.Ab, x.o = A @ x.Kb, origin + A @ x.ob
    none, one = k.zero(), M(sp.eye(1), number(1))
    low = k.zero(1, k.d)
    if k.d == 3:
        x.pose = k.blocks((x.Ab, x.o), (low, one))
    else:
        x.pose = k.blocks((x.Ab, k.zero(2), x.o), (low, one, none), (low, none, one))
    return ("pose",)


@traced
def speed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Velocity of a link's origin, in link axes."""
    t.called("speed", "velocity of a link")
    velocity, spin, C, r, vr = x.up.vl, x.up.w, x.C, x.r, x.vr
    x.vP = velocity + k.cross(spin, r)
    x.vl = C.T @ x.vP + vr
    return ("vl",)


@cache
def stored(label: str, law: sp.Expr) -> Kernel:
    """The energy stored in a hinge."""
    kernel = KernelBuilder(f"stored_{label}", "energy stored in a hinge")
    total = sp.Matrix([law])
    take_symbols(kernel, total)
    kernel.let("V", stated(kernel, total, TURN), "the hinge's potential", says="V = V(q)")
    return kernel.build("V")


@traced
def sprung(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The energy stored in so many hinges, added to the energies before it."""
    count = t.ask("spring_count")
    t.called(f"sprung_{count}", "energy stored in hinges")
    springs = [t.read("V", f"_{j}") for j in range(1, count + 1)]
    x.E = sum(springs, x.Ebefore)
    return ("E",)


@traced
def energy(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Kinetic plus potential energy of a link, added to that of the links before it."""
    t.called("energy", "kinetic and potential energy of a body")
    A, origin, v, w = x.A, x.x, x.vl, x.w
    m, g, J, centre = x.m, x.g, x.JC, x.rC
    x.vC = v + k.cross(w, centre)
    kinetic = (m @ (x.vC.T @ x.vC) + w.T @ J @ w).half
    x.E = x.Ebefore + kinetic - m @ (g.T @ (origin + A @ centre))
    return ("E",)


@cache
def spinning(label: str, speeds: tuple[sp.Expr, ...]) -> Kernel:
    """Kinetic energy of a hinge's rotor, added to the energies before it."""
    kernel = KernelBuilder(f"spinning_{label}", "kinetic energy of a rotor")
    take_symbols(kernel, sp.Matrix(speeds))
    rotor, before = kernel.take("rho", len(speeds)), kernel.take("Ebefore")
    kinetic = sum((rho * u**2 for rho, u in zip(rotor, speeds, strict=True)), sp.Integer(0)) / 2
    kernel.let("Erotor", sp.Matrix([before[0] + kinetic]), ROTOR)
    return kernel.build("Erotor")


@cache
def rate(dimension: int, kind: str) -> Kernel:
    """Rates of a hinge's coordinates."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"rate_{kind}", f"rates of {called(kind)} hinge's coordinates")
    take_symbols(kernel, of.rates)
    says = "q̇ = u" if of.rates == sp.Matrix(of.u) else "q̇ = N(q) u"
    return kernel.build(*kernel.each("qd", of.rates, "q̇(q, u)", says))


@cache
def retract(dimension: int, kind: str) -> Kernel:
    """A hinge's coordinates with its quaternion, if it has one, back on the unit sphere."""
    of = joint(dimension, kind)
    kernel = KernelBuilder(f"retract_{kind}", f"coordinates of {called(kind)} hinge")
    q = sp.Matrix([kernel.take(symbol.name)[0] for symbol in of.q])
    scale = sp.ones(1, 1)
    quaternion = Slot.QUATERNION in of.slots
    if quaternion:
        Q = q[-4:, :]
        length = sp.Matrix([1 / sp.sqrt((Q.T * Q)[0])])
        scale = kernel.let("scale", length, "own", says="s = 1/√(Qᵀ Q)")
    for i in range(len(q)):
        scaled = quaternion and i >= len(q) - 4
        value = sp.Matrix([q[i] * scale[0] if scaled else q[i]])
        kernel.let(f"qn_{i + 1}", value, "own", says="Q = s Q" if scaled else "q = q")
    return kernel.build(*(f"qn_{i + 1}" for i in range(len(q))))
