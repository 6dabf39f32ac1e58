"""What the command line says of a model and its start: `--set l=0.3`, `--start theta1=0.2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

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
        from ..model.evaluation import evaluated
        from ..model.expressions import read

    try:
        value = evaluated(read(text, {}), {})
    except ModelError as error:
        raise UsageError(f"{where}: {error}") from None
    if value is None:
        raise UsageError(f"{where}: {text!r} is no finite real number")
    return float(value)
