"""D'Alembert's principle of a motion, from nothing but where its bodies are: an independent check.

Bodies are moved a little, in high precision, along the motion with the accelerations in question
and along each speed; differences of their poses give their accelerations and the virtual
displacements. The virtual power of inertia, weight, hinge laws and loads must vanish along each
motion that closed loops leave. No transfer matrix, no recursion and no mass matrix enters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from ...errors import UsageError
from ...model import GROUND, Beam, Body, Model
from ...model.expressions.quantities import TIME, exact_expression, parameter
from ...runtime.evaluation.arrays import Floats
from ...symbolic.language.arithmetic import digits
from ...symbolic.language.interpreter import Interpreter
from ...symbolic.language.program import Program, Ref, Storage
from ..forces import Pose, Pushes, Vector
from .cuts import Cuts, exerted, loaded

#: What poses are computed with, and how far the bodies are moved (in s, or per unit of speed).
#: Central differences are wrong by the square of the distance: 1e-30, and lose 30 of the digits.
DIGITS = 80
DISTANCE = mpmath.mpf(10) ** -15

#: The most speeds along which the system is moved, and the most motions of single bodies that it is
#: moved by in all, where it has so many that these are fewer: some seconds.
MOST, BODIES = 24, 3_000

#: Accelerations are doubles: a power is wrong by their rounding times the terms' size.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Felt:
    """Of a body: its centre in its own axes, mass times acceleration, rate of spin, weight."""

    centre: Vector
    force: Vector
    spin: Vector
    weight: Vector


@dataclass(frozen=True)
class Power:
    """Virtual power along one motion, W for each unit of its speed: the sum vanishes."""

    along: str
    inertia: float
    weight: float
    forces: float

    @property
    def total(self) -> float:
        return self.inertia + self.weight + self.forces


@dataclass(frozen=True)
class Judgement:
    """The powers along the motions that were tried, and the largest sum beside their terms."""

    powers: tuple[Power, ...]
    worst: float
    projected: bool

    @property
    def ok(self) -> bool:
        return self.worst <= TOLERANCE


def judge(
    model: Model,
    program: Program,
    q: Sequence[float],
    v: Sequence[float],
    a: Sequence[float],
    *,
    t: float = 0.0,
    parameters: Mapping[str, float],
) -> Judgement:
    """Do these accelerations obey d'Alembert's principle?

    With closed loops the powers are those along motions that keep them closed.

    Shape
        `q`, `v`, `a`: of one state.
    Units
        SI.
    Raises
        UsageError: the model has beams, or the program gives no poses.
    Source
        own: d'Alembert's principle in Lagrange's form.
    """
    if model.beams:
        raise UsageError("the shape of a beam is no pose: its inertia is not judged by them")
    if not {"poses", "rates"} <= {entry.name for entry in program.entries}:
        raise UsageError(f"{program.algorithm} gives no poses")
    with mpmath.workdps(DIGITS):
        return _Mover(model, program, parameters, t).judged(q, v, a)


class _Mover:
    """The system at a state, ready to be moved."""

    def __init__(
        self, model: Model, program: Program, parameters: Mapping[str, float], t: float
    ) -> None:
        self.model = model
        self.program = program
        self.t = mpmath.mpf(t)
        self.run = Interpreter(program, digits(DIGITS), parameters)
        self.known = {parameter(name): Fraction(value) for name, value in parameters.items()}
        self.names = (*model.coordinates, *model.speeds)
        self.pushes: list[tuple[str, Vector, Vector]] = []
        self.state: Mapping[sp.Symbol, Any] = {}
        self.sizes: dict[str, int] = {}
        for array in program.arrays.values():
            if array.storage is Storage.ARGUMENT:
                count = array.count(len(program.sets[array.index_set])) * len(array.port.entries)
                self.sizes[array.owner] = self.sizes.get(array.owner, 0) + count

    # The program's kinematics

    def given(self, q: Vector, v: Vector, t: Vector) -> dict[str, Sequence[Any]]:
        given: dict[str, Sequence[Any]] = {
            name: [mpmath.mpf(0)] * size for name, size in self.sizes.items()
        }
        return given | {"q": list(q), "v": list(v), "t": [t]}

    def results(self, entry: str, q: Vector, v: Vector, t: Vector) -> dict[str, list[Any]]:
        return self.run.results(entry, self.given(q, v, t))

    def rates(self, q: Vector, v: Vector) -> Vector:
        return mpmath.matrix(self.results("rates", q, v, self.t)["qd"])

    def poses(self, q: Vector, t: Vector) -> dict[str, Pose]:
        zero = [mpmath.mpf(0)] * len(self.model.speeds)
        flat = self.results("poses", q, zero, t)["poses"]
        found = {}
        for k, name in enumerate(self.program.sets[self.program.arrays["poses"].index_set]):
            whole = mpmath.matrix(4, 4)
            for at, x in enumerate(flat[16 * k : 16 * k + 16]):
                whole[at // 4, at % 4] = x
            found[name] = (whole[:3, :3], whole[:3, 3])
        return found

    # Motions

    def judged(self, q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Judgement:
        h, t = DISTANCE, self.t
        q0, v0, a0 = (mpmath.matrix([mpmath.mpf(x) for x in each]) for each in (q, v, a))
        qd = self.rates(q0, v0) if len(v) else v0
        qdd = (self.rates(q0 + h * qd, v0 + h * a0) - self.rates(q0 - h * qd, v0 - h * a0)) / (
            2 * h
        )
        here = self.poses(q0, t)
        ahead = self.poses(q0 + h * qd + h**2 / 2 * qdd, t + h)
        behind = self.poses(q0 - h * qd + h**2 / 2 * qdd, t - h)
        felt = {name: self.felt(name, here, ahead, behind) for name in here}
        loops = "constraints" in {entry.name for entry in self.program.entries}
        known = dict(zip(self.names, [*q0, *v0], strict=True))
        pushes = Pushes(self, known, (here, ahead, behind), DISTANCE)
        self.pushes, self.state = [*pushes.found()], pushes.state
        loads = self.hinge_forces(q0, v0, a0)
        cuts = self.cut_forces(q0, v0, pushes.poses[0])
        ground = pushes.poses[0][GROUND]
        powers, closing = [], []
        for j in range(len(v)) if loops else self.tried():
            along = mpmath.matrix(len(v), 1)
            along[j] = 1
            step = h * self.rates(q0, along)
            there, back = self.poses(q0 + step, t), self.poses(q0 - step, t)
            now, after, before = ({**x, GROUND: ground} for x in (here, there, back))
            loads[j] += cuts.power(now, after, before, h)
            powers.append(self.power(j, here, there, back, felt, loads))
            if loops:
                closing.append(self.closing(q0 + step, q0 - step))
        return _judgement(powers, np.array(closing, dtype=float) if loops else None)

    def tried(self) -> list[int]:
        """The speeds along which a tree is moved: all of a small one, of a large one some."""
        count = len(self.model.speeds)
        most = min(count, MOST, max(4, BODIES // len(self.model.bodies)))
        return sorted({round(j) for j in np.linspace(0, count - 1, most)})

    def closing(self, there: Vector, back: Vector) -> list[float]:
        """How fast each condition of a loop opens along a motion."""
        zero = [mpmath.mpf(0)] * len(self.model.speeds)
        first, last = (self.results("constraints", q, zero, self.t)["phi"] for q in (there, back))
        return [float((x - y) / (2 * DISTANCE)) for x, y in zip(first, last, strict=True)]

    def felt(
        self, name: str, here: dict[str, Pose], ahead: dict[str, Pose], behind: dict[str, Pose]
    ) -> Felt:
        """What a body feels at its centre of mass."""
        h, body = DISTANCE, self.body(name)
        m, centre = self.number(body.mass), self.column(body.centre)
        x0, x1, x2 = (pose[name][1] + pose[name][0] * centre for pose in (here, ahead, behind))
        R0, R1, R2 = (pose[name][0] for pose in (here, ahead, behind))
        J = self.inertia(body)
        Rd, Rdd = (R1 - R2) / (2 * h), (R1 - 2 * R0 + R2) / h**2
        w = _axial(Rd * R0.T)
        alpha = _axial(Rdd * R0.T + Rd * Rd.T)
        inertial = R0 * J * R0.T
        spin = inertial * alpha + _cross(w, inertial * w)
        gravity = self.column(self.model.gravity)
        return Felt(centre, m * (x1 - 2 * x0 + x2) / h**2, spin, m * gravity)

    def power(
        self,
        j: int,
        here: dict[str, Pose],
        there: dict[str, Pose],
        back: dict[str, Pose],
        felt: dict[str, Felt],
        loads: Sequence[Any],
    ) -> Power:
        inertia = weight = mpmath.mpf(0)
        forces = loads[j]
        for name, own in felt.items():
            turn, shift = _moved(own.centre, here[name], there[name], back[name])
            inertia -= mpmath.fdot(own.force, shift) + mpmath.fdot(own.spin, turn)
            weight += mpmath.fdot(own.weight, shift)
        for load in self.model.loads:
            body = self.body(load.body)
            at = self.column(body.point(load.point).position if load.point else body.centre)
            R = here[load.body][0] if load.frame == "body" else mpmath.eye(3)
            pose = (here[load.body], there[load.body], back[load.body])
            turn, shift = _moved(at, *pose)
            forces += mpmath.fdot(R * self.column(load.force, self.state), shift)
            forces += mpmath.fdot(R * self.spun(load.moment, self.state), turn)
        for name, at, force in self.pushes:
            _, shift = _moved(at, here[name], there[name], back[name])
            forces += mpmath.fdot(force, shift)
        return Power(self.model.speeds[j], float(inertia), float(weight), float(forces))

    # The model's data

    def body(self, name: str) -> Body:
        body = self.model.body(name)
        assert not isinstance(body, Beam)
        return body

    def number(self, quantity: Any, more: Mapping[sp.Symbol, Any] | None = None) -> Any:
        expression = exact_expression(quantity)
        values = {TIME: self.t, **self.known, **(more or {})}
        found = expression.xreplace(
            {
                s: sp.Rational(x.numerator, x.denominator)
                if isinstance(x, Fraction)
                else sp.Float(x, DIGITS)
                for s, x in values.items()
            }
        )
        return mpmath.mpf(str(sp.N(found, DIGITS)))

    def column(self, values: Sequence[Any], more: Mapping[sp.Symbol, Any] | None = None) -> Vector:
        """A vector in space of two or three numbers, or none."""
        found = [self.number(x, more) for x in values]
        return mpmath.matrix([*found, *[mpmath.mpf(0)] * (3 - len(found))])

    def spun(self, values: Sequence[Any], more: Mapping[sp.Symbol, Any]) -> Vector:
        """A moment; in the plane it has one number, about z."""
        if len(values) == 1:
            return mpmath.matrix([0, 0, self.number(values[0], more)])
        return self.column(values, more)

    def inertia(self, body: Body) -> Vector:
        J = mpmath.zeros(3, 3)
        if isinstance(body.inertia, tuple):
            for i, row in enumerate(body.inertia):
                for j, x in enumerate(row):
                    J[i, j] = self.number(x)
        else:
            J[2, 2] = self.number(body.inertia)
        return J

    def hinge_forces(self, q: Vector, v: Vector, a: Vector) -> list[Any]:
        """What the laws of all hinges exert along each speed, and what their rotors resist."""
        model = self.model
        total = [mpmath.mpf(0)] * len(model.speeds)
        places = {name: k for k, name in enumerate(model.coordinates)}
        speeds = {name: k for k, name in enumerate(model.speeds)}
        if model.absolute:
            return total
        for hinge in model.tree_hinges:
            own, along = model.hinge_coordinates(hinge), model.hinge_speeds(hinge)
            at = [q[places[name]] for name in own], [v[speeds[name]] for name in along]
            forces = exerted(self, hinge, *at, {**self.known, **self.state}) if along else ()
            for name, force in zip(along, forces, strict=False):
                total[speeds[name]] += force
            for name, rotor in zip(along, hinge.rotor, strict=False):
                total[speeds[name]] -= self.number(rotor) * a[speeds[name]]
        return total

    def cut_forces(self, q: Vector, v: Vector, here: Mapping[str, Pose]) -> Cuts:
        """The laws in cut hinges, at the coordinates that the program reads off the poses."""
        model = self.model
        laden = [x for x in model.hinges if x.name in model.cuts and loaded(x)]
        found = []
        if laden:
            values = self.run.run("accelerations", self.given(q, v, self.t))
            for hinge in laden:
                coordinates, speeds = model.hinge_coordinates(hinge), model.hinge_speeds(hinge)
                at = [values[Ref("cq", name)][0] for name in coordinates]
                found.append((hinge, at, [values[Ref("cu", name)][0] for name in speeds]))
        return Cuts(self, found, {**self.known, **self.state}, here)


def _moved(at: Vector, here: Pose, there: Pose, back: Pose) -> tuple[Vector, Vector]:
    """The turn of a body and the shift of its point, for each unit of speed along a motion."""
    h = DISTANCE
    turn = _axial((there[0] - back[0]) / (2 * h) * here[0].T)
    shift = (there[1] + there[0] * at - back[1] - back[0] * at) / (2 * h)
    return turn, shift


def _axial(W: Vector) -> Vector:
    return mpmath.matrix([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def _cross(x: Vector, y: Vector) -> Vector:
    return mpmath.matrix(
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    )


def _judgement(powers: list[Power], closing: Floats | None) -> Judgement:
    """With conditions of loops, along the motions that none of them forbids."""
    terms = np.array([[x.inertia, x.weight, x.forces] for x in powers]).reshape(-1, 3)
    scale = max(1.0, float(np.abs(terms).max(initial=0.0)))
    if closing is not None:
        _, sizes, turned = np.linalg.svd(closing.T)
        rank = int((sizes > 1e-9 * max(1.0, sizes.max(initial=0.0))).sum())
        free = turned[rank:]
        terms = free @ terms
        powers = [
            Power(_words(row, powers), *map(float, x)) for row, x in zip(free, terms, strict=True)
        ]
    worst = float(np.abs(terms.sum(axis=1)).max(initial=0.0)) / scale
    return Judgement(tuple(powers), worst, closing is not None)


def _words(row: Floats, powers: Sequence[Power]) -> str:
    """A motion of several speeds, in words."""
    parts = [
        f"{x:+.3g} {power.along}" for x, power in zip(row, powers, strict=True) if abs(x) > 1e-9
    ]
    return " ".join(parts).removeprefix("+").replace("-", "−")
