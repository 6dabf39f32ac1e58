"""The tendons of a MuJoCo model: laws along a length that joints or ways between sites make up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ...model.expressions.functions import step
from ...model.expressions.quantities import exact_expression, hinge_symbol, parameter
from ...model.files.urdf_joints import FRICTION_SPEED
from ...model.files.urdf_rigid import Pose
from ...model.parts.bodies import End
from ...model.parts.forces import LENGTH, RATE, Force, Sensor
from ...model.parts.naming import Names

#: What an actuator pushes its tendon with, at a length and a rate of it.
Motor = Callable[[sp.Expr, sp.Expr], sp.Expr]


@dataclass(frozen=True)
class Way:
    """A straight part of a tendon between two sites; the length counts it by 1 / `divisor`."""

    first: int
    second: int
    divisor: float


@dataclass(frozen=True)
class Tendon:
    """A tendon that is no more than straight: coefficients of joints, or ways between sites."""

    number: int
    joints: tuple[tuple[int, float], ...] = ()
    ways: tuple[Way, ...] = ()


def tendons(mujoco: Any, m: Any) -> list[Tendon]:
    """The tendons that touch no geom."""
    found = (_tendon(mujoco, m, k) for k in range(m.ntendon))
    return [tendon for tendon in found if tendon]


def _tendon(mujoco: Any, m: Any, number: int) -> Tendon | None:
    joints: dict[int, float] = {}
    ways: list[Way] = []
    before, divisor = -1, 1.0
    for at in range(m.tendon_adr[number], m.tendon_adr[number] + m.tendon_num[number]):
        kind = mujoco.mjtWrap(int(m.wrap_type[at])).name
        thing, size = int(m.wrap_objid[at]), float(m.wrap_prm[at])
        if kind == "mjWRAP_JOINT":
            joints[thing] = joints.get(thing, 0.0) + size
        elif kind == "mjWRAP_PULLEY":
            before, divisor = -1, size
        elif kind == "mjWRAP_SITE":
            if before >= 0:
                ways.append(Way(before, thing, divisor))
            before = thing
        else:
            return None
    return Tendon(number, tuple(joints.items()), tuple(ways))


def armoured(m: Any, number: int) -> str:
    """What a tendon has that is no law of its length: an attribute, if it has one."""
    armature, plastic = getattr(m, "tendon_armature", None), getattr(m, "tendon_plasticadr", None)
    held = getattr(m, "tendon_actfrclimited", None)
    if armature is not None and armature[number]:
        return "armature"
    if plastic is not None and plastic[number] >= 0:
        return "springyield"
    return "actuatorfrcrange" if held is not None and held[number] else ""


def acts(m: Any, number: int) -> bool:
    """Has a tendon a spring, a damper or friction?"""
    return Elastic.of(m, number).exerts


def cubic(coefficients: Sequence[sp.Expr], x: sp.Expr, size: sp.Expr) -> sp.Expr:
    """c₀ x + c₁ x |x| + c₂ x³, with |x| as `size`: of a spring MuJoCo has x there."""
    return sum((c * x * size**k for k, c in enumerate(coefficients)), sp.Integer(0))


def numbers(given: Any, more: Any) -> tuple[sp.Expr, ...]:
    """A coefficient, and those of higher order that MuJoCo may have besides, up to the last."""
    found = [float(given), *(() if more is None else map(float, more))]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return tuple(map(exact_expression, found))


@dataclass(frozen=True)
class Elastic:
    """A tendon's spring, without force between `low` and `high`, its damper and its friction.

    `stiffness` and `damping` are coefficients of the first and higher orders.
    """

    stiffness: tuple[sp.Expr, ...]
    damping: tuple[sp.Expr, ...]
    friction: sp.Expr
    low: sp.Expr
    high: sp.Expr

    @classmethod
    def of(cls, m: Any, number: int) -> Elastic:
        stiffness, damping = (
            numbers(
                np.ravel(getattr(m, f"tendon_{word}")[number])[0],
                None if (more := getattr(m, f"tendon_{word}poly", None)) is None else more[number],
            )
            for word in ("stiffness", "damping")
        )
        friction, low, high = (
            exact_expression(float(x))
            for x in (m.tendon_frictionloss[number], *m.tendon_lengthspring[number])
        )
        return cls(stiffness, damping, friction, low, high)

    @property
    def exerts(self) -> bool:
        return any(x != 0 for x in (*self.stiffness, *self.damping, self.friction))

    @property
    def plain(self) -> bool:
        """Has the spring one length at rest?"""
        return bool(self.low == self.high)

    def _sides(self, length: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
        """By how much it is too long or too short, and whether it is."""
        if self.plain:
            return [(length - self.low, sp.Integer(1))]
        over, under = length - self.high, length - self.low
        return [(over, step(over)), (under, step(-under))]

    def tension(self, length: sp.Expr) -> sp.Expr:
        """What the spring pulls with."""
        return sp.Add(*(cubic(self.stiffness, x, x) * so for x, so in self._sides(length)))

    def potential(self, length: sp.Expr) -> sp.Expr:
        """Its energy, whose derivative is the tension."""
        return sp.Add(*(energy(self.stiffness, x) * so for x, so in self._sides(length)))

    def resistance(self, rate: sp.Expr) -> sp.Expr:
        """What damper and friction pull with, the latter smoothed near rest."""
        damped = cubic(self.damping, rate, sp.Abs(rate) if len(self.damping) > 1 else rate)
        return damped + smooth(self.friction, rate)


def energy(stiffness: Sequence[sp.Expr], x: sp.Expr) -> sp.Expr:
    """Σ cₖ xᵏ⁺² / (k + 2)."""
    return sum((c * x ** (k + 2) / (k + 2) for k, c in enumerate(stiffness)), sp.Integer(0))


def smooth(friction: sp.Expr, rate: sp.Expr) -> sp.Expr:
    """Friction, smoothed near rest as that of URDF files is."""
    return (
        friction * sp.tanh(rate / exact_expression(FRICTION_SPEED)) if friction != 0 else friction
    )


class Pulling:
    """What tendons exert: on hinges (`pushes`: joint, force, potential), and between points."""

    def __init__(
        self,
        mujoco: Any,
        m: Any,
        hinges: Sequence[str],
        motors: Mapping[int, Sequence[Motor]],
        site: Callable[[int], tuple[End, Pose]],
    ) -> None:
        self.m, self.hinges, self.motors, self.site = m, hinges, motors, site
        self.straight = {tendon.number: tendon for tendon in tendons(mujoco, m)}
        self.pushes: list[tuple[int, sp.Expr, sp.Expr]] = []
        self.forces: list[Force] = []
        self.sensors: list[Sensor] = []
        self.names = Names()

    def take(self, number: int, name: str, measured: Names) -> None:
        """Add a tendon, if it is straight; `measured` gives its sensors names."""
        elastic, tendon = Elastic.of(self.m, number), self.straight.get(number)
        if tendon is None or not (elastic.exerts or number in self.motors):
            return
        if tendon.joints:
            self._along_joints(tendon, elastic)
        else:
            self._along_ways(tendon, elastic, self.names.make(name, "tendon"), measured)

    def _besides(self, tendon: Tendon, elastic: Elastic, length: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """What a tendon's damper pulls with, less what its motors push with."""
        motors = self.motors.get(tendon.number, ())
        return elastic.resistance(rate) - sum(motor(length, rate) for motor in motors)

    def _along_joints(self, tendon: Tendon, elastic: Elastic) -> None:
        """A hinge reads its own coordinate as q1, and those of others by their names."""
        for joint, by in tendon.joints:
            length, rate = (
                total((self._read(letter, other, joint), c) for other, c in tendon.joints)
                for letter in "qu"
            )
            tension, potential = self._besides(tendon, elastic, length, rate), sp.Integer(0)
            if len(tendon.joints) == 1:
                potential = elastic.potential(length)
            else:
                tension += elastic.tension(length)
            self.pushes.append((joint, -exact_expression(by) * tension, potential))

    def _read(self, letter: str, joint: int, own: int) -> sp.Symbol:
        if joint == own:
            return hinge_symbol(letter, 1)
        return parameter(f"{letter}{self.hinges[joint]}")

    def _along_ways(self, tendon: Tendon, elastic: Elastic, name: str, measured: Names) -> None:
        """A force for each way that changes; of several each reads the others by sensors."""
        found = [(self.site(x.first), self.site(x.second), 1 / x.divisor) for x in tendon.ways]
        still = [
            by * np.linalg.norm(b.origin - a.origin)
            for (x, a), (y, b), by in found
            if x.body == y.body
        ]
        ways = [((x, y), by) for (x, _), (y, _), by in found if x.body != y.body]
        fixed = exact_expression(float(sum(still)))
        if len(ways) == 1:
            ((ends, by),) = ways
            length, rate = fixed + total([(LENGTH, by)]), total([(RATE, by)])
            law = exact_expression(by) * self._besides(tendon, elastic, length, rate)
            self.forces.append(Force(name, ends, law=law, potential=elastic.potential(length)))
            return
        stem = name if name[:1].isalpha() else f"tendon{name}"
        called = [measured.make(f"{stem}_{k}", "way") for k in range(1, len(ways) + 1)]
        sensors = [Sensor(x, ends) for x, (ends, _) in zip(called, ways, strict=True)]
        read = list(zip(sensors, ways, strict=True))
        length = fixed + total((parameter(x.name), by) for x, (_, by) in read)
        rate = total((parameter(x.rate), by) for x, (_, by) in read)
        tension = elastic.tension(length) + self._besides(tendon, elastic, length, rate)
        for k, (sensor, (ends, by)) in enumerate(read, start=1):
            own = {parameter(sensor.name): LENGTH, parameter(sensor.rate): RATE}
            law = exact_expression(by) * tension.xreplace(own)
            self.forces.append(Force(f"{name}_{k}", ends, law=law))
        self.sensors += sensors


def total(parts: Iterable[tuple[sp.Expr, float]]) -> sp.Expr:
    """The sum of values times numbers."""
    return sum((exact_expression(by) * x for x, by in parts), sp.Integer(0))
