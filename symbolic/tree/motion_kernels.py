"""The kernels of motion in joint coordinates: in hinges, of links, with energies and rates.

A link's axes and origin are those of its output point. Accelerations are those of points,
(r̈, Ω̇); gravity is an acceleration of the ground. The recursion is in `recursion_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import sympy as sp

from ...model.expressions.quantities import TIME
from ..language.letters import Letters
from ..language.program import Slot
from ..language.words import called
from ..language.written import number
from ..mechanics.hinges import Joint, joint, third
from ..mechanics.letters import traced
from ..mechanics.matrices import Algebra, M
from ..mechanics.rotation_vector import stated
from ..mechanics.traced import At, Tracer
from ..mechanics.turning import Way
from ..mechanics.turns import Transport

#: The relative rotation in one piece.
ANY = Way()

RELATIVE = "relative motion in the hinge"
ROTOR = "own: a rotor's inertia, along the hinge's speeds"
TURN = "own: φ n = 2 (θ/sin θ) e of the quaternion (cos θ, e), θ = φ/2"


@dataclass(frozen=True)
class _Relative:
    """A relative motion inside a kernel: pose, velocity, spin, their rates at constant u, H."""

    R: M
    p: M
    vr: M
    wr: M
    br: M
    bw: M
    H: M

    def stated(self, t: Tracer) -> _Relative:
        """The same by statements, so that what builds on it builds on values."""
        known = {x.name: getattr(self, x.name) for x in fields(self)}
        return _Relative(
            **{
                name: t.state(f"{name}_f", value, RELATIVE) if value.value.cols else value
                for name, value in known.items()
            }
        )

    def seen_from_child(self, k: Algebra) -> _Relative:
        """The parent's motion relative to the child, in the parent's axes.

        From R Rᵀ = 1 and p_back = −Rᵀ p, differentiated twice.
        """
        R, w = self.R, self.wr
        arm = R.T @ self.p
        inner = 2 * k.cross(w, self.vr) + k.cross(self.bw, arm) - k.cross(w, k.cross(w, arm))
        spin = k.turned(R, k.ang(self.H)).value
        lever = k.block(k.X(self.p), 1, 2).value
        H = sp.Matrix.vstack(-R.value * k.lin(self.H).value + lever * spin, -spin)
        return _Relative(
            R=R.T,
            p=-arm,
            vr=k.cross(k.turned(R, w), self.p) - R @ self.vr,
            wr=-k.turned(R, w),
            br=R @ (inner - self.br),
            bw=-k.turned(R, self.bw),
            H=(-(k.X(-self.p) @ k.both(R) @ self.H)).by(H),
        )


@traced
def relative(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's coordinates and speeds to its relative pose, velocity, bias and H."""
    kind = x.kind
    t.called(f"{kind}{'_backward' if x.backward else ''}", f"{kind} hinge")
    return moving(x, k, t, joint(k.d, kind), t.table)


def moving(x: At, k: Algebra, t: Tracer, of: Joint, table: Letters) -> tuple[str, ...]:
    """Coordinates and speeds to a relative pose, velocity, bias and H."""
    parts = (of.rotation, of.position, of.velocity, of.spin, of.bias, of.twist, of.subspace)
    t.singles(*parts, table=table)
    return _stated(x, k, t, parts)


@traced
def driven(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The time to the relative pose, velocity and acceleration of a hinge that is driven."""
    kind, motion = x.kind, t.ask("motion")
    t.called(f"driven_{t.ask('label')}", f"driven {kind} hinge")
    of = joint(k.d, kind)
    values = sp.Matrix(motion)
    speeds = values.diff(TIME)
    at = dict(zip((*of.q, *of.u), (*values, *speeds), strict=True))
    H, rate = of.subspace, values.diff(TIME, 2)
    bias = of.bias + H[: k.d, :] * rate
    twist = of.twist + H[k.d :, :] * rate
    parts = (of.rotation, of.position, of.velocity, of.spin, bias, twist, H)
    parts = tuple(part.xreplace(at) for part in parts)
    t.singles(*parts)
    return _stated(x, k, t, parts)


def _stated(x: At, k: Algebra, t: Tracer, parts: Sequence[sp.Matrix]) -> tuple[str, ...]:
    """State a relative motion, seen from the child if asked to, with the hinge's place."""
    known = _Relative(*map(k.formula, parts))
    if x.backward:
        known = known.stated(t).seen_from_child(k)
    K = x.K
    R = t.state("R", known.R, RELATIVE)
    t.state("C", K @ R, RELATIVE)
    outputs = ["C", "r", "vr", "wr", "br", "bw"]
    if third(parts[0]):
        t.state("cz", k.entry(R, 1, 1), RELATIVE)
        t.state("sz", k.entry(R, 2, 1), RELATIVE)
        outputs += ["cz", "sz"]
    p = t.state("p", known.p, RELATIVE)
    t.state("r", x.rk + K @ p, RELATIVE)
    for name in outputs[2:6]:
        t.state(name, getattr(known, name), RELATIVE)
    cols = parts[-1].cols
    if cols:
        outputs.append(f"H{cols}")
        t.state(f"H{cols}", known.H, RELATIVE, "H")
    return tuple(outputs)


@traced
def spins(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Angular velocity of a link, in its own axes."""
    t.called(f"spin{x.way.label}", "angular velocity of a link")
    parent, own = x.up.w, x.wr
    x.w = Transport(x, k, t, "own", arm=False, turn=k.d == 3).spin("wl", parent) + own
    return ("w",)


@traced
def force(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's force law, and the applied force if `forced`, for each of its speeds."""
    law, freedom = t.ask("law"), x.count
    t.called(f"force_{t.ask('label')}", "force in a hinge")
    total = _law(k, t, sp.Matrix(law)) if law else k.zero(freedom)
    if t.ask("forced"):
        total = total + t.numbers("tau")
    t.state("T_", total, "the hinge's force law")
    return (t.port("T_"),)


def _law(k: Algebra, t: Tracer, law: sp.Matrix) -> M:
    """A law as it stands, with what of a rotation vector is stated before it."""
    t.singles(law)
    return k.formula(stated(lambda name, x: t.state(name, k.formula(x), TURN).value, law))


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
    x.pose = posed(k, x.Ab, x.o)
    return ("pose",)


def posed(k: Algebra, A: M, origin: M) -> M:
    """A pose of its axes and its origin."""
    none, one = k.zero(), M(sp.eye(1), number(1))
    low = k.zero(1, k.d)
    if k.d == 3:
        return k.blocks((A, origin), (low, one))
    return k.blocks((A, k.zero(2), origin), (low, one, none), (low, none, one))


@traced
def speed(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Velocity of a link's origin, in link axes."""
    t.called("speed", "velocity of a link")
    velocity, spin, C, r, vr = x.up.vl, x.up.w, x.C, x.r, x.vr
    x.vP = velocity + k.cross(spin, r)
    x.vl = C.T @ x.vP + vr
    return ("vl",)


@traced
def stored(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The energy stored in a hinge."""
    t.called(f"stored_{t.ask('label')}", "energy stored in a hinge")
    x.V = _law(k, t, sp.Matrix([t.ask("law")]))
    return ("V",)


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


@traced
def spinning(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Kinetic energy of a hinge's rotor, added to the energies before it."""
    speeds = sp.Matrix(t.ask("speeds"))
    t.called(f"spinning_{t.ask('label')}", "kinetic energy of a rotor")
    t.singles(speeds, table=t.table)
    rho, before, u = t.read("rho", rows=speeds.rows), x.Ebefore, k.formula(speeds)
    kinetic = sum((a * b**2 for a, b in zip(rho.value, speeds, strict=True)), sp.Integer(0)) / 2
    twice = u.T @ k.diagonal(rho) @ u
    t.state("Erotor", before + twice.half.by(sp.Matrix([kinetic])), ROTOR, "E")
    return ("Erotor",)


@traced
def rate(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Rates of a hinge's coordinates."""
    kind = x.kind
    t.called(f"rate_{kind}", f"rates of {called(kind)} hinge's coordinates")
    rates = joint(k.d, kind).rates
    t.singles(rates, table=t.table)
    return t.each("qd", k.formula(rates))


@traced
def retract(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's coordinates with its quaternion, if it has one, back on the unit sphere."""
    kind = x.kind
    t.called(f"retract_{kind}", f"coordinates of {called(kind)} hinge")
    of = joint(k.d, kind)
    q = [t.single(symbol.name, t.table) for symbol in of.q]
    turning = q[-4:] if Slot.QUATERNION in of.slots else []
    scale = sp.Integer(1)
    if turning:
        length = sp.sqrt(sum((y * y for y in turning), sp.Integer(0)))
        scale = t.state("scale", k.scalar(1 / length), "own", "s")[0]
    for i, y in enumerate(q, 1):
        t.state(f"qn_{i}", k.scalar(y * scale if y in turning else y), "own")
    return tuple(f"qn_{i}" for i in range(1, len(q) + 1))
