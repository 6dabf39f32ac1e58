"""Where generated code is judged: random and near-singular admissible states."""

from __future__ import annotations

import math
import random

from ...symbolic.language.program import Array, Program, Slot, Storage

#: Offsets from an exact quarter turn or from a neighbour's angle: none, tiny, small.
NEAR = (0.0, 1e-12, -1e-7, 1e-3)


def sample(program: Program, chooser: random.Random, number: int) -> dict[str, list[float]]:
    """Arguments by owner for point `number`.

    Every second point is random. The others are near-singular: angles close to quarter turns
    and to each other (stretched and folded chains), speeds zero, ordinary or very large.
    """
    near = number % 2 == 1
    speed = chooser.choice((0.0, 1.0, 1e4)) if near else 3.0
    arguments: dict[str, list[float]] = {}
    for array in program.arrays.values():
        if array.storage is Storage.ARGUMENT:
            members = len(program.sets[array.index_set])
            arguments[array.owner] = _values(array, members, chooser, near, speed)
    if program.slots:
        arguments["q"] = [x for slot in program.slots for x in _slot(slot, chooser, near)]
    if program.runtime:
        arguments["p"] = [_parameter(program.parameters[name], chooser) for name in program.runtime]
    return arguments


def _values(
    array: Array, members: int, chooser: random.Random, near: bool, speed: float
) -> list[float]:
    if array.slot is Slot.ANGLE:
        common = chooser.randrange(-2, 3) * math.pi / 2
        return [_angle(chooser, near, common) for _ in range(members)]
    if array.slot is Slot.QUATERNION:
        return [x for _ in range(members) for x in _quaternion(chooser, near)]
    return [chooser.uniform(-speed, speed) for _ in range(members * len(array.port.entries))]


def _parameter(value: float, chooser: random.Random) -> float:
    """Near its value; what is zero, as inputs are by default, would hide what it multiplies."""
    return value * chooser.uniform(0.5, 2.0) if value else chooser.uniform(0.0, 1.0)


def _slot(slot: Slot, chooser: random.Random, near: bool) -> list[float]:
    if slot is Slot.QUATERNION:
        return _quaternion(chooser, near)
    return [_angle(chooser, near, 0.0) if slot is Slot.ANGLE else chooser.uniform(-1.0, 1.0)]


def _angle(chooser: random.Random, near: bool, common: float) -> float:
    if not near:
        return chooser.uniform(-math.pi, math.pi)
    return common + chooser.choice((0.0, math.pi, math.pi / 2)) + chooser.choice(NEAR)


def _quaternion(chooser: random.Random, near: bool) -> list[float]:
    if near:
        raw = [chooser.choice(NEAR) for _ in range(4)]
        raw[chooser.randrange(4)] = 1.0
    else:
        raw = [chooser.gauss(0.0, 1.0) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in raw))
    return [x / length for x in raw]
