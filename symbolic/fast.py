"""The fast form of the Riccati method for trees, as a program.

Each end carries what its subtree demands, λ = IA r̈ + pA, where λ = (−q, m) is the wrench
that the root side exerts on the tip side: S = Π IA and e = Π pA in the paper's letters.
A body adds its own inertia to that of its inputs, moved to its output end; the smooth hinge
at the output then eliminates the body's angular acceleration. The same steps in the paper's
matrices are in `riccati`; that the two agree is proven in the tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp

from ..model import Body, Model
from ..model.types import exact_expression
from .plan import Link, Plan
from .program import (
    Array,
    Call,
    Entry,
    Kernel,
    KernelBuilder,
    Port,
    Program,
    Ref,
    Slot,
    Step,
    Storage,
)

BALANCE = "SPEC-001 (R1): force and moment balance about the output end"
HINGE = "SPEC-001 (R2), seed paper 000 (29), (30) completed: m = 0 at the hinge"
BACK = "SPEC-001 (R4), seed paper 000 (33) completed"
POINT = "seed paper 000 (14): acceleration of a point of a rigid body"
POINT_OF_BODY = "r_P = r_O + A r′"
DIRECTION = "direction cosines of the body"


@dataclass(frozen=True)
class Space:
    """What differs between the plane and space: sizes, rotation, cross products."""

    dimension: int

    @property
    def spins(self) -> int:
        """Angular components: 1 or 3."""
        return 1 if self.dimension == 2 else 3

    @property
    def angles(self) -> int:
        """Coordinates of one body: its angle, or its quaternion."""
        return 1 if self.dimension == 2 else 4

    @property
    def motion(self) -> int:
        """Components of an acceleration (r̈, Ω̇)."""
        return self.dimension + self.spins

    def rotation(self, kernel: KernelBuilder) -> sp.Matrix:
        """Take the body's orientation and give its direction cosine matrix."""
        if self.dimension == 3:
            return kernel.take("A", 3, 3)
        c, s = kernel.take("c")[0], kernel.take("s")[0]
        return sp.Matrix([[c, -s], [s, c]])

    def spin(self, kernel: KernelBuilder, rotation: sp.Matrix) -> sp.Matrix:
        """Take the body's speeds and give its angular velocity in the inertial frame."""
        omega = kernel.take("omega", self.spins)
        if self.dimension == 2:
            return omega
        return kernel.let("Omega", rotation * omega, "seed paper 000 (5): Ω = A ω")

    def tilde(self, r: sp.Matrix) -> sp.Matrix:
        """The matrix ~r with ~r b = r × b, as (angular of force)ᵀ: spins × dimension."""
        if self.dimension == 2:
            return sp.Matrix([[-r[1], r[0]]])
        return sp.Matrix([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    def turn(self, spin: sp.Matrix, r: sp.Matrix) -> sp.Matrix:
        """spin × r."""
        return self.tilde(r).T * spin if self.dimension == 2 else self.tilde(spin) * r

    def centripetal(self, kernel: KernelBuilder, spin: sp.Matrix) -> sp.Matrix:
        """The matrix ~Ω~Ω, so that a point at r has the centripetal acceleration ~Ω~Ω r."""
        if self.dimension == 2:
            square = kernel.let("w2", sp.Matrix([spin[0] ** 2]), POINT)
            return -square[0] * sp.eye(2)
        return kernel.let("W", self.tilde(spin) * self.tilde(spin), POINT, symmetric=True)

    def shift(self, r: sp.Matrix) -> sp.Matrix:
        """X(r): accelerations (r̈, Ω̇) of a point to those of the point at r from it."""
        d, n = self.dimension, self.spins
        lever = sp.Matrix([[-r[1]], [r[0]]]) if d == 2 else -self.tilde(r)
        return sp.BlockMatrix([[sp.eye(d), lever], [sp.zeros(n, d), sp.eye(n)]]).as_explicit()


def _inputs(count: int) -> str:
    return {0: "no input", 1: "one input"}.get(count, f"{count} inputs")


@cache
def orientation_kernel(dimension: int) -> Kernel:
    """Coordinates of a body to its orientation."""
    kernel = KernelBuilder("orientation", "orientation of a body")
    if dimension == 2:
        theta = kernel.take("theta")[0]
        kernel.let("c", sp.Matrix([sp.cos(theta)]), DIRECTION)
        kernel.let("s", sp.Matrix([sp.sin(theta)]), DIRECTION)
        return kernel.build("c", "s")
    w, x, y, z = kernel.take("Q", 4)
    kernel.let(
        "A",
        sp.Matrix(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        DIRECTION,
    )
    return kernel.build("A")


@cache
def body_kernel(dimension: int, inputs: int, forced: bool) -> Kernel:
    """What a body and all that hangs on its inputs demand at its output end.

    λ_O = IA r̈_O + pA with IA = M_O + Σ X_kᵀ IA_k X_k and
    pA = p_O + Σ X_kᵀ (pA_k + IA_k ~Ω~Ω r_k): force and moment balance about O.
    """
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"body_{inputs}", f"rigid body with {_inputs(inputs)}")
    rotation = space.rotation(kernel)
    spin = space.spin(kernel, rotation)
    centripetal = space.centripetal(kernel, spin)
    mass = kernel.take("m")[0]
    gravity = kernel.take("g", d)
    first = kernel.let("h", rotation * kernel.take("hb", d), "first moment of mass about O")
    if dimension == 2:
        inertia = kernel.take("J")
    else:
        own = kernel.take("Jb", 3, 3, symmetric=True)
        turned = kernel.let("AJ", rotation * own, "seed paper 000 (5): E8")
        inertia = kernel.let("J", turned * rotation.T, "seed paper 000 (5): E8", symmetric=True)
    force = mass * gravity
    moment = space.tilde(first) * gravity
    if forced:
        load = kernel.take("f", space.motion)
        couple = kernel.take("tau", space.spins)
        arm = kernel.let("rC", rotation * kernel.take("rCb", d), POINT_OF_BODY)
        force += load[:d, :]
        moment += space.tilde(arm) * load[:d, :] + load[d:, :]
        moment += couple if d == 2 else rotation * couple
    lever = space.shift(first)[:d, d:]
    IA = sp.BlockMatrix([[mass * sp.eye(d), lever], [lever.T, inertia]]).as_explicit()
    gyroscopic = (
        sp.zeros(1, 1)
        if dimension == 2
        else space.tilde(spin) * kernel.let("JO", inertia * spin, "seed paper 000 (5): E9")
    )
    pA = sp.Matrix.vstack(centripetal * first - force, gyroscopic - moment)
    for k in range(1, inputs + 1):
        child = kernel.take(f"IA_I{k}", space.motion, space.motion, symmetric=True)
        bias = kernel.take(f"pA_I{k}", space.motion)
        arm = kernel.let(f"r_I{k}", rotation * kernel.take(f"rb_I{k}", d), POINT_OF_BODY)
        shift = space.shift(arm)
        drift = kernel.let(f"g_I{k}", centripetal * arm, POINT)
        moved = kernel.let(f"T_I{k}", child * shift, BALANCE)
        held = kernel.let(f"y_I{k}", bias + child[:, :d] * drift, BALANCE)
        IA += shift.T * moved
        pA += shift.T * held
    kernel.let("IA", IA, BALANCE, symmetric=True)
    kernel.let("pA", pA, BALANCE)
    return kernel.build("IA", "pA")


@cache
def hinge_kernel(dimension: int) -> Kernel:
    """The smooth hinge at the output: m = 0 there eliminates the body's own Ω̇.

    Ω̇ = P r̈ + b; what is left of IA and pA is exactly zero on the hinge's motion subspace.
    """
    space = Space(dimension)
    d, n = dimension, space.spins
    kernel = KernelBuilder("hinge", "smooth hinge")
    IA = kernel.take("IA", space.motion, space.motion, symmetric=True)
    pA = kernel.take("pA", space.motion)
    solved = kernel.solve("Pb", IA[d:, d:], -sp.Matrix.hstack(IA[d:, :d], pA[d:, :]), HINGE)
    P, b = solved[:, :d], solved[:, d:]
    kernel.let("P", P, HINGE)
    kernel.let("b", b, HINGE)
    P, b = kernel.known["P"].symbols(), kernel.known["b"].symbols()
    left = sp.zeros(space.motion, space.motion)
    left[:d, :d] = IA[:d, :d] + IA[:d, d:] * P
    kernel.let("IAh", left, HINGE, symmetric=True)
    kernel.let("pAh", sp.Matrix.vstack(pA[:d, :] + IA[:d, d:] * b, sp.zeros(n, 1)), HINGE)
    return kernel.build("P", "b", "IAh", "pAh")


@cache
def acceleration_kernel(dimension: int, inputs: int) -> Kernel:
    """From the acceleration of a body's output end to its own Ω̇ and its inputs' r̈."""
    space = Space(dimension)
    kernel = KernelBuilder(
        f"accelerate_{inputs}", f"accelerations of a body with {_inputs(inputs)}"
    )
    rotation = space.rotation(kernel)
    P = kernel.take("P", space.spins, dimension)
    b = kernel.take("b", space.spins)
    r_dd = kernel.take("rdd", dimension)
    Omega_d = kernel.let("Omegad", P * r_dd + b, BACK)
    names = ["a"]
    kernel.let("a", Omega_d if dimension == 2 else rotation.T * Omega_d, "ω̇ = Aᵀ Ω̇")
    if inputs:
        spin = space.spin(kernel, rotation)
        centripetal = space.centripetal(kernel, spin)
        for k in range(1, inputs + 1):
            arm = kernel.let(f"r_I{k}", rotation * kernel.take(f"rb_I{k}", dimension), POINT)
            value = r_dd + space.turn(Omega_d, arm) + centripetal * arm
            kernel.let(f"rdd_I{k}", value, POINT)
            names.append(f"rdd_I{k}")
    return kernel.build(*names)


@cache
def load_kernel(dimension: int) -> Kernel:
    """Moment and force at a hinge, in the paper's signs: m = λ_Ω, q = −λ_r."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("load", "loads at a hinge")
    IA = kernel.take("IAh", space.motion, space.motion, symmetric=True)
    pA = kernel.take("pAh", space.motion)
    r_dd = kernel.take("rdd", d)
    wrench = kernel.let("lam", IA[:, :d] * r_dd + pA, "seed paper 000 (31): z_a = S z_b + e")
    m, q = wrench[d:, :], -wrench[:d, :]
    zero = sp.Integer(0)
    spatial = sp.Matrix([0, 0, m[0], q[0], q[1], zero]) if d == 2 else sp.Matrix.vstack(m, q)
    kernel.let("load", spatial, "seed paper 000 (2)")
    return kernel.build("load")


@cache
def place_kernel(dimension: int, inputs: int) -> Kernel:
    """From position and velocity of a body's output end to those of its inputs."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder(f"place_{inputs}", f"{_inputs(inputs)} of a body")
    rotation = space.rotation(kernel)
    x = kernel.take("x", d)
    rd = kernel.take("rd", d)
    spin = space.spin(kernel, rotation)
    names = []
    for k in range(1, inputs + 1):
        arm = kernel.let(f"r_I{k}", rotation * kernel.take(f"rb_I{k}", d), POINT_OF_BODY)
        kernel.let(f"x_I{k}", x + arm, POINT_OF_BODY)
        kernel.let(f"rd_I{k}", rd + space.turn(spin, arm), "ṙ_P = ṙ_O + Ω × r")
        names += [f"x_I{k}", f"rd_I{k}"]
    return kernel.build(*names)


@cache
def pose_kernel(dimension: int) -> Kernel:
    """Pose of a body's frame from the position of its output end."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("pose", "pose of a body")
    rotation = space.rotation(kernel)
    x = kernel.take("x", d)
    origin = kernel.let("o", x + rotation * kernel.take("ob", d), POINT_OF_BODY)
    turn = rotation if d == 3 else sp.diag(rotation, 1)
    shift = origin if d == 3 else sp.Matrix.vstack(origin, sp.zeros(1, 1))
    pose = sp.Matrix.vstack(sp.Matrix.hstack(turn, shift), sp.Matrix([[0, 0, 0, 1]]))
    kernel.let("pose", pose, "homogeneous transform, body to inertial axes")
    return kernel.build("pose")


@cache
def energy_kernel(dimension: int) -> Kernel:
    """Kinetic plus potential energy of a body, added to that of the bodies before it."""
    space = Space(dimension)
    d = dimension
    kernel = KernelBuilder("energy", "kinetic and potential energy of a body")
    rotation = space.rotation(kernel)
    omega = kernel.take("omega", space.spins)
    spin = omega if d == 2 else kernel.let("Omega", rotation * omega, "Ω = A ω")
    x, rd = kernel.take("x", d), kernel.take("rd", d)
    mass = kernel.take("m")[0]
    gravity = kernel.take("g", d)
    inertia = kernel.take("JC") if d == 2 else kernel.take("JC", 3, 3, symmetric=True)
    arm = kernel.let("rC", rotation * kernel.take("rCb", d), POINT_OF_BODY)
    speed = kernel.let("vC", rd + space.turn(spin, arm), "ṙ_C = ṙ_O + Ω × r")
    before = kernel.take("Ebefore")
    half = sp.Rational(1, 2)
    kinetic = half * (mass * (speed.T * speed)[0] + (omega.T * inertia * omega)[0])
    potential = -mass * (gravity.T * (x + arm))[0]
    kernel.let("E", sp.Matrix([before[0] + kinetic + potential]), "E = T + V")
    return kernel.build("E")


@cache
def rate_kernel(dimension: int) -> Kernel:
    """Rates of a body's coordinates: θ̇ = ω, or the quaternion's Q̇ = ½ Q ∘ (0, ω)."""
    kernel = KernelBuilder("rate", "rates of a body's coordinates")
    if dimension == 2:
        kernel.let("qd", kernel.take("omega"), "θ̇ = ω")
        return kernel.build("qd")
    w, x, y, z = kernel.take("Q", 4)
    p, q, r = kernel.take("omega", 3)
    product = [
        -x * p - y * q - z * r,
        w * p + y * r - z * q,
        w * q + z * p - x * r,
        w * r + x * q - y * p,
    ]
    kernel.let("qd", sp.Matrix(product) / 2, "Q̇ = ½ Q ∘ (0, ω)")
    return kernel.build("qd")


@cache
def retraction_kernel() -> Kernel:
    """A quaternion back on the unit sphere."""
    kernel = KernelBuilder("retract", "unit quaternion of a body")
    Q = kernel.take("Q", 4)
    scale = kernel.let("scale", sp.Matrix([1 / sp.sqrt((Q.T * Q)[0])]), "own")
    kernel.let("qn", Q * scale[0], "own")
    return kernel.build("qn")


@dataclass(frozen=True)
class BodyData:
    """A body's constants as seen from its output end, as 1-column matrices of expressions.

    Shape
        `first` = m r_OC, `centre` = r_OC, `arms` r_Ok, `origin` from O to the body's origin;
        `inertia` about O, `central` about C.
    Frame
        Body axes.
    """

    mass: sp.Matrix
    first: sp.Matrix
    centre: sp.Matrix
    inertia: sp.Matrix
    central: sp.Matrix
    arms: tuple[sp.Matrix, ...]
    origin: sp.Matrix

    @classmethod
    def of(cls, body: Body, output: str, inputs: Sequence[str]) -> BodyData:
        """Move a body's constants to its output end (Steiner's theorem for the inertia)."""
        mass = exact_expression(body.mass)
        at = _column(body.point(output).position)
        centre = _column(body.centre) - at
        if isinstance(body.inertia, tuple):
            central = sp.Matrix([[exact_expression(x) for x in row] for row in body.inertia])
            square = (centre.T * centre)[0]
            steiner = mass * (square * sp.eye(3) - centre * centre.T)
        else:
            central = sp.Matrix([exact_expression(body.inertia)])
            steiner = mass * (centre.T * centre)
        return cls(
            mass=sp.Matrix([mass]),
            first=mass * centre,
            centre=centre,
            inertia=central + steiner,
            central=central,
            arms=tuple(_column(body.point(name).position) - at for name in inputs),
            origin=-at,
        )


def _column(vector: Iterable[sp.Expr | int | float]) -> sp.Matrix:
    return sp.Matrix([exact_expression(component) for component in vector])


class _Writer:
    """Collects the calls of the fast program, step by step."""

    def __init__(self, plan: Plan, forced: bool) -> None:
        self.plan = plan
        self.model: Model = plan.model
        self.space = Space(self.model.dimension)
        self.forced = forced
        self.data = {}
        same: dict[tuple[object, ...], BodyData] = {}
        for link in plan.links:
            key = (
                link.body.mass,
                link.body.inertia,
                link.body.centre,
                link.body.points,
                link.output,
                link.inputs,
            )
            if key not in same:
                same[key] = BodyData.of(link.body, link.output, link.inputs)
            self.data[link.name] = same[key]
        self.gravity = _column(self.model.gravity)
        self.zero = sp.zeros(self.model.dimension, 1)

    def orientation_reads(self, link: Link) -> dict[str, Ref | sp.Matrix]:
        names = ("c", "s") if self.model.dimension == 2 else ("A",)
        return {name: Ref(name, link.name) for name in names}

    def orientation(self) -> Iterable[Call]:
        kernel = orientation_kernel(self.model.dimension)
        coordinate = kernel.inputs[0].name
        for link in self.plan.links:
            yield Call(
                kernel,
                link.name,
                {coordinate: Ref("q", link.name)},
                {port.name: Ref(port.name, link.name) for port in kernel.outputs},
            )

    def tips_to_root(self) -> Iterable[Call]:
        hinge = hinge_kernel(self.model.dimension)
        for link in self.plan.links:
            kernel = body_kernel(self.model.dimension, len(link.inputs), self.forced)
            data = self.data[link.name]
            reads = self.orientation_reads(link) | {
                "omega": Ref("v", link.name),
                "m": data.mass,
                "g": self.gravity,
                "hb": data.first,
                "J" if self.model.dimension == 2 else "Jb": data.inertia,
            }
            if self.forced:
                reads |= {
                    "f": Ref("f", link.name),
                    "tau": Ref("tau", link.name),
                    "rCb": data.centre,
                }
            for k, child in enumerate(link.children, start=1):
                reads[f"IA_I{k}"] = Ref("IAh", child)
                reads[f"pA_I{k}"] = Ref("pAh", child)
                reads[f"rb_I{k}"] = data.arms[k - 1]
            yield Call(
                kernel,
                link.name,
                reads,
                {"IA": Ref("IA", link.name), "pA": Ref("pA", link.name)},
            )
            yield Call(
                hinge,
                link.name,
                {"IA": Ref("IA", link.name), "pA": Ref("pA", link.name)},
                {port.name: Ref(port.name, link.name) for port in hinge.outputs},
            )

    def root_to_tips(self) -> Iterable[Call]:
        for link in reversed(self.plan.links):
            kernel = acceleration_kernel(self.model.dimension, len(link.inputs))
            reads = self.orientation_reads(link) | {
                "P": Ref("P", link.name),
                "b": Ref("b", link.name),
                "rdd": self.zero if link.parent is None else Ref("rdd", link.name),
            }
            writes = {"a": Ref("a", link.name)}
            if link.inputs:
                reads["omega"] = Ref("v", link.name)
            for k, child in enumerate(link.children, start=1):
                reads[f"rb_I{k}"] = self.data[link.name].arms[k - 1]
                writes[f"rdd_I{k}"] = Ref("rdd", child)
            yield Call(kernel, link.name, reads, writes)

    def loads(self) -> Iterable[Call]:
        kernel = load_kernel(self.model.dimension)
        for link in self.plan.links:
            yield Call(
                kernel,
                link.name,
                {
                    "IAh": Ref("IAh", link.name),
                    "pAh": Ref("pAh", link.name),
                    "rdd": self.zero if link.parent is None else Ref("rdd", link.name),
                },
                {"load": Ref("loads", f"{link.name}:{link.output}")},
            )

    def places(self) -> Iterable[Call]:
        for link in reversed(self.plan.links):
            if not link.inputs:
                continue
            kernel = place_kernel(self.model.dimension, len(link.inputs))
            data = self.data[link.name]
            at_root = link.parent is None
            reads = self.orientation_reads(link) | {
                "omega": Ref("v", link.name),
                "x": self.zero if at_root else Ref("x", link.name),
                "rd": self.zero if at_root else Ref("rd", link.name),
            }
            writes = {}
            for k, child in enumerate(link.children, start=1):
                reads[f"rb_I{k}"] = data.arms[k - 1]
                writes[f"x_I{k}"] = Ref("x", child)
                writes[f"rd_I{k}"] = Ref("rd", child)
            yield Call(kernel, link.name, reads, writes)

    def poses(self) -> Iterable[Call]:
        kernel = pose_kernel(self.model.dimension)
        for link in self.plan.links:
            yield Call(
                kernel,
                link.name,
                self.orientation_reads(link)
                | {
                    "x": self.zero if link.parent is None else Ref("x", link.name),
                    "ob": self.data[link.name].origin,
                },
                {"pose": Ref("poses", link.name)},
            )

    def energies(self) -> Iterable[Call]:
        kernel = energy_kernel(self.model.dimension)
        before: Ref | sp.Matrix = sp.zeros(1, 1)
        for link in self.plan.links:
            data = self.data[link.name]
            at_root = link.parent is None
            here = Ref("energy", "") if at_root else Ref("E", link.name)
            yield Call(
                kernel,
                link.name,
                self.orientation_reads(link)
                | {
                    "omega": Ref("v", link.name),
                    "x": self.zero if at_root else Ref("x", link.name),
                    "rd": self.zero if at_root else Ref("rd", link.name),
                    "m": data.mass,
                    "g": self.gravity,
                    "JC": data.central,
                    "rCb": data.centre,
                    "Ebefore": before,
                },
                {"E": here},
            )
            before = here

    def rates(self) -> Iterable[Call]:
        kernel = rate_kernel(self.model.dimension)
        for body in self.model.bodies:
            reads: dict[str, Ref | sp.Matrix] = {"omega": Ref("v", body.name)}
            if self.model.dimension == 3:
                reads["Q"] = Ref("q", body.name)
            yield Call(kernel, body.name, reads, {"qd": Ref("qd", body.name)})


    def retractions(self) -> Iterable[Call]:
        kernel = retraction_kernel()
        for body in self.model.bodies:
            yield Call(
                kernel, body.name, {"Q": Ref("q", body.name)}, {"qn": Ref("qn", body.name)}
            )


def fast_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False
) -> Program:
    """The Riccati method for a tree in its fast form.

    `runtime` names the model parameters that stay arguments; `forced` adds external loads on
    each body.

    Shape
        Arguments `q`, `v`, and if forced `tau` (per body the couple along its speeds) and `f`
        (per body the force at its centre of mass, then a couple); results `a`, `loads` (per
        output end m then q, three components each), `poses` (per body a 4×4 transform),
        `energy`, `qd`, and in space `qn`.
    Frame
        `f` and `loads` in the inertial frame; `v`, `a` and `tau` in body axes (in space).
    Source
        SPEC-001, Sect. 5; seed paper 000, Sects. 3 and 4, completed.
    """
    writer = _Writer(plan, forced)
    return Program(
        name=plan.model.name,
        title=f"Riccati transfer matrix method, fast form: {plan.model.name}",
        algorithm="riccati",
        sets=_sets(plan),
        arrays={array.name: array for array in _arrays(writer.space, forced)},
        steps=(
            Step("map", "orientation", "orientation of every body", tuple(writer.orientation())),
            Step(
                "sweep",
                "tips_to_root",
                "Riccati recursion, from the tips to the root",
                tuple(writer.tips_to_root()),
            ),
            Step(
                "sweep",
                "root_to_tips",
                "back-substitution, from the root to the tips",
                tuple(writer.root_to_tips()),
            ),
            Step("map", "hinge_loads", "loads at every hinge", tuple(writer.loads())),
            Step("sweep", "places", "position of every hinge", tuple(writer.places())),
            Step("map", "body_poses", "pose of every body", tuple(writer.poses())),
            Step("sweep", "energies", "energy of the system", tuple(writer.energies())),
            Step("map", "rates", "rates of the coordinates", tuple(writer.rates())),
            *_retract(writer),
        ),
        entries=_entries(writer.space),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
    )


def _retract(writer: _Writer) -> Iterable[Step]:
    if writer.model.dimension == 3:
        calls = tuple(writer.retractions())
        yield Step("map", "retract", "quaternions back to unit length", calls)


def _sets(plan: Plan) -> dict[str, tuple[str, ...]]:
    order = {body.name: plan.link(body.name).output for body in plan.model.bodies}
    return {
        "bodies": tuple(link.name for link in plan.links),
        "coordinates": tuple(order),
        "ends": tuple(f"{body}:{output}" for body, output in order.items()),
        "system": ("",),
    }


def _arrays(space: Space, forced: bool) -> Iterable[Array]:
    d, n, k = space.dimension, space.spins, space.motion

    def given(name: str, rows: int, slot: Slot = Slot.VECTOR) -> Array:
        return Array(name, "coordinates", Port(name, rows), Storage.ARGUMENT, name, slot)

    def result(name: str, port: Port, index_set: str) -> Array:
        return Array(name, index_set, port, Storage.RESULT, name)

    def work(name: str, rows: int = 1, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, "bodies", Port(name, rows, cols, symmetric))

    yield given("q", space.angles, Slot.ANGLE if d == 2 else Slot.QUATERNION)
    yield given("v", n)
    if forced:
        yield given("tau", n)
        yield given("f", k)
    yield result("a", Port("a", n), "coordinates")
    yield result("loads", Port("loads", 6), "ends")
    yield result("poses", Port("poses", 4, 4), "coordinates")
    yield result("energy", Port("energy"), "system")
    yield result("qd", Port("qd", space.angles), "coordinates")
    if d == 3:
        yield result("qn", Port("qn", 4), "coordinates")
    if d == 2:
        yield work("c")
        yield work("s")
    else:
        yield work("A", 3, 3)
    yield work("IA", k, k, symmetric=True)
    yield work("pA", k)
    yield work("P", n, d)
    yield work("b", n)
    yield work("IAh", k, k, symmetric=True)
    yield work("pAh", k)
    yield work("rdd", d)
    yield work("x", d)
    yield work("rd", d)
    yield work("E")


def _entries(space: Space) -> tuple[Entry, ...]:
    dynamics = ("orientation", "tips_to_root", "root_to_tips")
    entries = (
        Entry("accelerations", "accelerations of the coordinates", dynamics, ("a",)),
        Entry(
            "joint_loads",
            "loads at the hinges, moment then force, on the root side by the tip side",
            (*dynamics, "hinge_loads"),
            ("a", "loads"),
        ),
        Entry("poses", "pose of every body", ("orientation", "places", "body_poses"), ("poses",)),
        Entry(
            "energy",
            "kinetic plus potential energy",
            ("orientation", "places", "energies"),
            ("energy",),
        ),
        Entry("rates", "rates of the coordinates", ("rates",), ("qd",)),
    )
    if space.dimension == 2:
        return entries
    return (*entries, Entry("retract", "coordinates back to unit length", ("retract",), ("qn",)))
