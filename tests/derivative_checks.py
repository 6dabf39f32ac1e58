"""Derivatives by differences in 50 digits, and what is compared with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from independent.tree import hamilton

from mstmm.model import Model
from mstmm.symbolic.language.arithmetic import FLOAT, digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program

Array = np.ndarray

#: Working digits, and the step of central differences: their error is some 1e-30 of it.
DIGITS = 50
STEP = mpmath.mpf(10) ** -16


def moved(model: Model, q: Sequence[Any], speed: int, by: Any) -> list[Any]:
    """The coordinates after a motion at a unit of one speed for a time `by`, to second order."""
    found = [mpmath.mpf(float(x)) for x in q]
    if model.absolute:
        owners = [(1, 1) if model.dimension == 2 else (4, 3)] * len(model.bodies)
    else:
        free = [hinge for hinge in model.tree_hinges if not hinge.motion]
        names = model.hinge_coordinates, model.hinge_speeds
        owners = [(len(names[0](hinge)), len(names[1](hinge))) for hinge in free]
    coordinate = at = 0
    for coordinates, speeds in owners:
        if at <= speed < at + speeds:
            own = speed - at
            if coordinates == speeds:
                found[coordinate + own] += by
            else:
                _turned(found, coordinate, coordinates, own, by)
            return found
        coordinate, at = coordinate + coordinates, at + speeds
    found[coordinate + speed - at] += by  # modal coordinates come last
    return found


def _turned(q: list[Any], first: int, coordinates: int, own: int, by: Any) -> None:
    """A free body's place along its own axes, or a quaternion about them."""
    Q = np.array(q[first + coordinates - 4 : first + coordinates])
    unit = np.array([mpmath.mpf(0)] * 4)
    if coordinates == 7 and own < 3:
        unit[1 + own] = mpmath.mpf(1)
        along = hamilton(hamilton(Q, unit), Q * np.array([1, -1, -1, -1]))
        for k in range(3):
            q[first + k] += by * along[1 + k]
        return
    axis = own - (3 if coordinates == 7 else 0)
    unit[0], unit[1 + axis] = mpmath.mpf(1), mpmath.mpf(by) / 2
    turned = hamilton(Q, unit)
    length = mpmath.sqrt(sum(x * x for x in turned))
    q[first + coordinates - 4 : first + coordinates] = list(turned / length)


def differences(
    model: Model, accelerations: Callable[..., Sequence[Any]], given: dict[str, Sequence[float]]
) -> Array:
    """Rows of accelerations by directions q, v, tau, then p if there is any."""
    with mpmath.workdps(DIGITS):
        exact = {name: [mpmath.mpf(float(x)) for x in value] for name, value in given.items()}
        columns = []
        for name in ("q", "v", "tau", "p"):
            count = len(exact["v"] if name == "q" else exact.get(name, ()))
            for k in range(count):
                sides = []
                for by in (STEP, -STEP):
                    if name == "q":
                        value = moved(model, given["q"], k, by)
                    else:
                        value = list(exact[name])
                        value[k] += by
                    sides.append(accelerations(**{**exact, name: value}))
                columns.append([(a - b) / (2 * STEP) for a, b in zip(*sides, strict=True)])
        return np.array([[float(x) for x in column] for column in columns]).T


def interpreted(program: Program, given: dict[str, Sequence[float]]) -> Array:
    """The derivatives that a program gives, by the reference interpreter in doubles."""
    found = Interpreter(program, FLOAT, parameters_of(program, given)).results(
        "derivatives", {name: [float(x) for x in value] for name, value in given.items()}
    )
    return np.array(found["da"], dtype=float).reshape(len(given["v"]), -1)


def parameters_of(program: Program, given: dict[str, Sequence[float]]) -> dict[str, float]:
    return dict(zip(program.runtime, given.get("p", ()), strict=False))


def by_interpreter(program: Program) -> Callable[..., Sequence[Any]]:
    """A program's accelerations in many digits."""

    def accelerations(p: Sequence[Any] = (), **given: Sequence[Any]) -> Sequence[Any]:
        width = program.arrays["f"].port.rows * len(program.sets["bodies"])
        values = {name: exact(x) for name, x in zip(program.runtime, p, strict=True)}
        interpreter = Interpreter(program, digits(DIGITS), values)
        return interpreter.results("accelerations", {**given, "f": [mpmath.mpf(0)] * width})["a"]

    return accelerations


def exact(value: Any) -> Any:
    """A number of many digits as a fraction."""
    return Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))
