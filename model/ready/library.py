"""The ready-made models, asked for by name and arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, SupportsIndex

from ...errors import ModelError, ModelWarning, UsageError
from ..files.kinds import is_mjcf, is_model_file, robot_file
from ..model import Model
from ..parts.naming import nearest
from .closed_chains import hdca_case_1, hdca_case_2, hdca_case_3
from .flexible import example_1
from .mechanisms import example_2, four_bar, slider_crank
from .parallel import delta_robot
from .rods import branch_pendulum, branch_system, rod_chain
from .rotors import ross_rotor
from .trees import ball_chain, cart_pole, double_pendulum, spatial_tree
from .vibrating import flexible_arm, geared_shafts, holzer_train, portal_frame, spatial_frame

#: The largest argument of a ready-made model; more bodies fit into no machine's memory.
MOST = 1_000_000


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
        branch_system, "N", 999, "bodies 1, 3, …, N, one branch (Riccati paper, Sect. 5.2)"
    ),
    "rod-chain": ReadyMade(rod_chain, "n", 10, "n equal rods hanging from the ceiling"),
    "example-1": ReadyMade(
        example_1, None, None, "cubes on a beam and on springs, pushed (deduction paper)"
    ),
    "example-2": ReadyMade(
        example_2, None, None, "six plates in a ring under a seventh (deduction paper)"
    ),
    "hdca-case-1": ReadyMade(
        hdca_case_1, None, None, "four links in a loop (divide-and-conquer paper)"
    ),
    "hdca-case-2": ReadyMade(
        hdca_case_2, None, None, "eight links in a loop (divide-and-conquer paper)"
    ),
    "hdca-case-3": ReadyMade(
        hdca_case_3, None, None, "eight links in two loops (divide-and-conquer paper)"
    ),
    "four-bar": ReadyMade(
        four_bar, None, None, "crank, coupler and rocker that swing under gravity"
    ),
    "slider-crank": ReadyMade(
        slider_crank, None, None, "crank, connecting rod and a piston in a level guide"
    ),
    "delta-robot": ReadyMade(
        delta_robot, None, None, "a parallel robot: three arms, six rods and a platform"
    ),
    "double-pendulum": ReadyMade(double_pendulum, None, None, "two rods, in relative angles"),
    "cart-pole": ReadyMade(
        cart_pole, None, None, "a pole on a cart that a force drives: to be balanced"
    ),
    "ball-chain": ReadyMade(ball_chain, "n", 10, "n round rods in space, joined by balls"),
    "spatial-tree": ReadyMade(
        spatial_tree, None, None, "a carriage with three branches, seven kinds of hinge"
    ),
    "holzer-train": ReadyMade(
        holzer_train, None, None, "four discs on a shaft: torsional vibrations"
    ),
    "geared-shafts": ReadyMade(
        geared_shafts, None, None, "three shafts that gears couple: torsional vibrations"
    ),
    "portal-frame": ReadyMade(
        portal_frame, None, None, "columns and a beam across, clamped: exact beams"
    ),
    "spatial-frame": ReadyMade(
        spatial_frame, None, None, "three beams in space with a head: exact beams"
    ),
    "flexible-arm": ReadyMade(
        flexible_arm, None, None, "two flexible links on springs: exact beams"
    ),
    "ross-rotor": ReadyMade(
        ross_rotor, None, None, "a spinning shaft with two discs on bearings: exact beams"
    ),
}


#: The options of a robot's file that are on or off.
_FLAGS = ("floating", "hold_massless")


def load(name: str, *, strict: bool = False, **arguments: Any) -> Model:
    """A ready-made model by name, `load("branch-system", N=999)` or `load("branch-system:N=999")`.

    What ends in `.toml` or holds a path separator is a model file: `load("arm.toml")`. What
    ends in `.urdf` is a robot's: `load("robot.urdf", locked={"finger": 0.0}, floating=True)`,
    or `load("robot.urdf:floating,finger=0.0")`; in `.xml` a robot of URDF or a model of MuJoCo,
    told by its root element. `strict` refuses what otherwise gives a
    `ModelWarning`: inertias that no rigid body has, slight mistakes of a robot's file.

    Raises
        UsageError: no such model or file, or an argument that it does not take.
        ModelError: the arguments or the file describe no system.
    """
    if not strict:
        return _loaded(name, arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        return _loaded(name, arguments)


def _loaded(name: str, arguments: dict[str, Any]) -> Model:
    if not isinstance(name, str):
        raise UsageError(f"a model's name is text, such as 'branch-pendulum', not {name!r}")
    robot = robot_file(name)
    if robot:
        return _from_robot(*robot, arguments)
    if is_model_file(name):
        return _from_file(name, arguments)
    base, _, tail = name.partition(":")
    if base not in MODELS:
        raise UsageError(
            f"there is no model {base!r}{nearest(base, MODELS)}; there are: "
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


def _from_robot(path: str, words: str, arguments: dict[str, Any]) -> Model:
    from ..files.urdf import read_urdf

    if is_mjcf(path):
        from ...doors import read_mjcf

        return read_mjcf(path, without=_left_out(path, words, arguments))
    for key in arguments:
        if key not in ("locked", *_FLAGS):
            takes = ", ".join(("locked", *_FLAGS))
            raise UsageError(f"{path}: there is no argument {key!r}; it takes {takes}")
    if not isinstance(arguments.get("locked") or {}, Mapping):
        raise UsageError(f'{path}: write locked={{"joint": position}}')
    flags, locked = _robot_words(path, words)
    return read_urdf(
        path, **flags | arguments | {"locked": locked | (arguments.get("locked") or {})}
    )


def _left_out(path: str, words: str, arguments: Mapping[str, Any]) -> Sequence[str]:
    """The groups of things that a MuJoCo model is read without; `without=tendons+actuators`."""
    key, equals, value = map(str.strip, words.partition("="))
    if {*arguments} - {"without"} or (words and (key, equals) != ("without", "=")):
        raise UsageError(
            f'{path}: a MuJoCo model takes no arguments but without=("tendons", …), on the command '
            "line without=tendons+…"
        )
    given = arguments.get("without", ())
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UsageError(f'{path}: write without=("tendons",), not without={given!r}')
    return (*given, *filter(None, map(str.strip, value.split("+"))))


def _robot_words(path: str, words: str) -> tuple[dict[str, bool], dict[str, float]]:
    """Read `floating,finger=0.02`: options, and positions at which joints are locked."""
    flags: dict[str, bool] = {}
    locked: dict[str, float] = {}
    for word in filter(None, map(str.strip, words.split(","))):
        key, equals, value = map(str.strip, word.rpartition("="))
        flag = value.replace("-", "_")
        if not equals and flag in _FLAGS:
            flags[flag] = True
            continue
        if not equals:
            raise UsageError(
                f"{path}: {word!r} is neither an option ({', '.join(_FLAGS)}) nor "
                f"joint=position{nearest(flag, _FLAGS)}"
            )
        try:
            locked[key] = float(value)
        except ValueError:
            raise UsageError(f"{path}: joint {key} is locked at {value!r}, no number") from None
    return flags, locked


def _from_file(path: str, arguments: dict[str, Any]) -> Model:
    from ..files.toml import read

    if arguments:
        raise UsageError(f"{path}: a model file takes no arguments")
    return read(path)


def _whole(base: str, key: str, value: object) -> int:
    """Any kind of integer, also NumPy's."""
    if not isinstance(value, SupportsIndex) or isinstance(value, bool):
        raise UsageError(f"{base}: {key} = {value!r} must be a whole number")
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{base}: {key} = {value!r} must be a whole number") from None
    if number > MOST:
        raise UsageError(f"{base}: {key} = {number} must be {MOST} or less")
    return number


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
