"""The papers' systems as ready-made models, asked for by name and arguments."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, SupportsIndex

import sympy as sp

from ..errors import ModelError, UsageError
from .types import GROUND, Body, End, Hinge, Model, Point, parameter

_m, _a, _g = parameter("m"), parameter("a"), parameter("g")
_PARAMETERS = {"m": 1.0, "a": 0.5, "g": 9.81}
_GRAVITY = (sp.Integer(0), -_g)
_ZERO = sp.Integer(0)


def _rod(name: str) -> Body:
    """A slender rod of mass m and length 2a from its input I to its output O."""
    return _rod_with_points(name, (("I", _ZERO), ("O", 2 * _a)))


def _rod_with_points(name: str, points: tuple[tuple[str, sp.Expr], ...]) -> Body:
    return Body(
        name=name,
        mass=_m,
        inertia=_m * _a**2 / 3,
        centre=(_a, _ZERO),
        points=tuple(Point(point, (at, _ZERO)) for point, at in points),
    )


def _pin(name: str, tip_side: str, root_side: str) -> Hinge:
    return Hinge(name, "pin", (End.parse(tip_side), End.parse(root_side)))


def branch_pendulum() -> Model:
    """Four equal rods: body 1, and bodies 3 – 5, hang on the two ends of body 7.

    Body 7 is pinned to the ceiling at its centre. Riccati paper, Sect. 5.1 and Fig. 2.
    """
    ends = (("I1", _ZERO), ("I2", 2 * _a), ("O", _a))
    return Model(
        name="branch-pendulum",
        dimension=2,
        bodies=(_rod("1"), _rod("3"), _rod("5"), _rod_with_points("7", ends)),
        hinges=(
            _pin("2", "1:O", "7:I1"),
            _pin("4", "3:O", "5:I"),
            _pin("6", "5:O", "7:I2"),
            _pin("8", "7:O", f"{GROUND}:O"),
        ),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        q0=(math.pi / 2, math.pi / 2, math.pi / 2, 0.0),
        description="four rods, one branch: the demonstration example of the Riccati paper",
    )


def branch_system(N: int = 999) -> Model:
    """The paper's large branch system of (N + 1)/2 rods; body N hangs from the ceiling.

    Chains 1 – 3 and 5 – 7 – 9 hang on the two ends of body 11, whose centre hangs on the
    chain 13 – … – N. Riccati paper, Sect. 5.2 and Fig. 1; the layout that the paper leaves
    open is the one its numbering implies.

    Raises
        UsageError: N is even or smaller than 11.
    """
    if N < 11 or N % 2 == 0:
        raise UsageError(f"branch-system: N = {N} must be an odd number, 11 or more")
    ends = (("I1", _ZERO), ("I2", 2 * _a), ("O", _a))
    bodies = [
        _rod_with_points("11", ends) if number == 11 else _rod(str(number))
        for number in range(1, N + 1, 2)
    ]
    into = {3: "11:I1", 9: "11:I2", N: f"{GROUND}:O"}
    hinges = [
        _pin(str(number + 1), f"{number}:O", into.get(number, f"{number + 2}:I"))
        for number in range(1, N + 1, 2)
    ]
    return Model(
        name="branch-system",
        dimension=2,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        q0=tuple(0.0 if body.name == "11" else math.pi / 2 for body in bodies),
        description="the large branch system of the Riccati paper, bodies 1, 3, …, N",
    )


def rod_chain(n: int = 10) -> Model:
    """A chain of n equal rods, bodies 1, 3, …, 2n − 1; the last hangs from the ceiling.

    It starts at rest, stretched out to the left of its support.

    Raises
        UsageError: n is smaller than 1.
    """
    if n < 1:
        raise UsageError(f"rod-chain: n = {n} must be 1 or more")
    last = 2 * n - 1
    return Model(
        name="rod-chain",
        dimension=2,
        bodies=tuple(_rod(str(number)) for number in range(1, last + 1, 2)),
        hinges=tuple(
            _pin(
                str(number + 1),
                f"{number}:O",
                f"{GROUND}:O" if number == last else f"{number + 2}:I",
            )
            for number in range(1, last + 1, 2)
        ),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        description="a chain of n rods hanging from the ceiling",
    )


@dataclass(frozen=True)
class ReadyMade:
    """A ready-made model: how to build it, its one argument (if any) and its default."""

    build: Callable[..., Model]
    argument: str | None
    default: int | None
    description: str


MODELS: dict[str, ReadyMade] = {
    "branch-pendulum": ReadyMade(
        branch_pendulum, None, None, "four rods with one branch (Riccati paper, Sect. 5.1)"
    ),
    "branch-system": ReadyMade(
        branch_system, "N", 999, "bodies 1, 3, …, N with one branch (Riccati paper, Sect. 5.2)"
    ),
    "rod-chain": ReadyMade(rod_chain, "n", 10, "n equal rods hanging from the ceiling"),
}


def load(name: str, **arguments: Any) -> Model:
    """A ready-made model by name, `load("branch-system", N=999)` or `load("branch-system:N=999")`.

    What ends in `.toml` or holds a path separator is a model file: `load("arm.toml")`. What
    ends in `.urdf` is a robot's: `load("robot.urdf", locked={"finger": 0.0}, floating=True)`.

    Raises
        UsageError: no such model or file, or an argument that it does not take.
        ModelError: the arguments or the file describe no system.
    """
    if not isinstance(name, str):
        raise UsageError(f"a model's name is text, such as 'branch-pendulum', not {name!r}")
    if name.endswith(".urdf"):
        return _from_urdf(name, arguments)
    if name.endswith(".toml") or "/" in name or os.sep in name:
        return _from_file(name, arguments)
    base, _, tail = name.partition(":")
    if base not in MODELS:
        raise UsageError(
            f"there is no model {base!r}; there are: "
            + ", ".join(MODELS)
            + " (mstmm models); a model file ends in .toml, a robot's in .urdf"
        )
    ready = MODELS[base]
    given = _arguments(base, tail) | arguments
    for key in given:
        if key != ready.argument:
            takes = f"it takes {ready.argument}" if ready.argument else "it takes none"
            raise UsageError(f"{base}: there is no argument {key!r}; {takes}")
    whole = {key: _whole(base, key, value) for key, value in given.items()}
    try:
        return ready.build(**whole)
    except ModelError as error:
        raise ModelError(f"{base}: {error}") from None


def _from_urdf(path: str, arguments: dict[str, Any]) -> Model:
    from .urdf import read_urdf

    for key in arguments:
        if key not in ("locked", "floating"):
            raise UsageError(f"{path}: there is no argument {key!r}; it takes locked, floating")
    if not isinstance(arguments.get("locked", {}), Mapping):
        raise UsageError(f'{path}: write locked={{"joint": position}}')
    return read_urdf(path, **arguments)


def _from_file(path: str, arguments: dict[str, Any]) -> Model:
    from .files import read

    if arguments:
        raise UsageError(f"{path}: a model file takes no arguments")
    return read(path)


def _whole(base: str, key: str, value: object) -> int:
    """Any kind of integer, also NumPy's."""
    if not isinstance(value, SupportsIndex) or isinstance(value, bool):
        raise UsageError(f"{base}: {key} = {value!r} must be a whole number")
    try:
        return index(value)
    except TypeError:
        raise UsageError(f"{base}: {key} = {value!r} must be a whole number") from None


def _arguments(base: str, text: str) -> dict[str, int]:
    """Read `N=999,…`."""
    if not text:
        return {}
    found = {}
    for item in text.split(","):
        key, equals, value = item.partition("=")
        if key.strip() in found:
            raise UsageError(f"{base}: the argument {key.strip()} is given twice")
        try:
            found[key.strip()] = int(value)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError(f"{base}: write the argument as name=number, not {item!r}")
    return found
