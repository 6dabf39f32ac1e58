"""What the command line says of a model and its start.

`--set l=0.3`, `--start theta1=0.2`; of a robot `--floating`, `--locked elbow=0.5`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ModelError, UsageError

if TYPE_CHECKING:
    from ..model import Model

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter's value: l=0.3, theta=pi/6; repeatable."
    ),
]
Starts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="A coordinate's or speed's start, or a hinge's; it stays when loops are closed. "
        "Repeatable.",
    ),
]

Floating = Annotated[
    bool, typer.Option("--floating", help="Of a robot's file: the root link moves freely.")
]
Locked = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINT[=VALUE]",
        help="Of a robot's file: a joint is held, at zero or where it says. Repeatable.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GROUP",
        help="Of a MuJoCo file: what of tendons, actuators, … cannot be taken is left out. "
        "Repeatable.",
    ),
]


def with_robots(command: Callable[..., None]) -> Callable[..., None]:
    """The command, whose first argument is a model, with the options of robots' files."""
    signature = inspect.signature(command, eval_str=True)
    first = next(iter(signature.parameters))

    @wraps(command)
    def called(
        *,
        floating: bool = False,
        locked: list[str] | None = None,
        without: list[str] | None = None,
        **given: Any,
    ) -> None:
        if floating or locked or without:
            given[first] = robot(given[first], floating, locked or [], without or [])
        command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    options = (
        inspect.Parameter("floating", keyword, default=False, annotation=Floating),
        inspect.Parameter("locked", keyword, default=None, annotation=Locked),
        inspect.Parameter("without", keyword, default=None, annotation=Without),
    )
    together = signature.replace(parameters=(*signature.parameters.values(), *options))
    called.__signature__ = together  # type: ignore[attr-defined]
    return called


def robot(
    name: str | None, floating: bool, locked: Sequence[str], without: Sequence[str] = ()
) -> str:
    """The robot's name with its options, as `load` takes them.

    Raises
        UsageError: it is no robot's file, or a joint is held where no number says.
    """
    from ..model.files.kinds import ROBOTS, robot_file

    if robot_file(name or "") is None:
        raise UsageError(
            f"--floating, --locked and --without are of a robot's file ({', '.join(ROBOTS)}), "
            f"not of {name}"
        )
    pairs = [text if "=" in text else f"{text}=0" for text in locked]
    words = [f"{joint}={value!r}" for joint, value in values_of("--locked", pairs).items()]
    words = [*(["floating"] if floating else []), *words]
    words += [f"without={'+'.join(without)}"] if without else []
    return f"{name}{',' if ':' in str(name) else ':'}{','.join(words)}"


def model_of(name: str, settings: Sequence[str] | None) -> Model:
    """The model of this name, with these values of its parameters.

    Raises
        UsageError: a setting that is none, or names no parameter.
    """
    from .. import load

    return load(name).with_parameters(**values_of("--set", settings))


def values_of(option: str, given: Sequence[str] | None) -> Mapping[str, float]:
    """What `NAME=VALUE` texts say, each a number or an expression such as `pi/6`.

    Raises
        UsageError: a text that is no such pair, a value that is no number, a name given twice.
    """
    found: dict[str, float] = {}
    for text in given or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f"{option} {text!r}: write NAME=VALUE, such as {option} a=0.3")
        if name in found:
            raise UsageError(f"{option}: {name} is given twice")
        found[name] = _number(f"{option} {name}", value)
    return found


def _number(where: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        from ..model.expressions.evaluation import evaluated
        from ..model.expressions.text import read

    try:
        value = evaluated(read(text, {}), {})
    except ModelError as error:
        raise UsageError(f"{where}: {error}") from None
    if value is None:
        raise UsageError(f"{where}: {text!r} is no finite real number")
    return float(value)
