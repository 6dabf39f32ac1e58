"""Inputs on the command line: numbers, expressions, and tables in files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import UsageError

if TYPE_CHECKING:
    from ..runtime.inputs import Table

Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="An input or a hinge's effort: 'u=2', 'u=-3*qcart - ucart', 'u=@FILE.csv' (times, "
        "values; lines between) or 'u=held@FILE.csv'.",
    ),
]

Period = Annotated[
    float | None,
    typer.Option(help="Sample the expressions of --input every so many s, and hold them."),
]


def inputs_of(texts: Sequence[str], period: float | None) -> dict[str, Any]:
    """What `NAME=NUMBER`, `NAME=EXPRESSION`, `NAME=@FILE` and `NAME=held@FILE` say.

    With a `period` the expressions are sampled, and held between.

    Raises
        UsageError: a text that says nothing of this, or a file that is no table.
    """
    from ..runtime.inputs import Sampled

    found: dict[str, Any] = {}
    sampled = False
    for text in texts:
        name, equals, said = (part.strip() for part in text.partition("="))
        if not (equals and name and said):
            raise UsageError(f"--input {text!r}: write NAME=NUMBER, NAME=EXPRESSION or NAME=@FILE")
        if name in found:
            raise UsageError(f"--input: {name} is given twice")
        kind, at, path = said.partition("@")
        if at and kind.strip() in ("", "held"):
            found[name] = _table(path.strip(), held=bool(kind.strip()))
        elif (number := _number(said)) is not None:
            found[name] = number
        else:
            found[name] = said if period is None else Sampled(said, period)
            sampled = True
    if period is not None and not sampled:
        raise UsageError("--period is of the expressions of --input, and there is none")
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _table(path: str, *, held: bool) -> Table:
    """Times and values: two columns of a .csv file, after a line of titles or none."""
    from ..runtime.inputs import Table

    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"--input: cannot read {path}: {why}") from None
    if rows and any(_number(x) is None for x in rows[0]):
        rows = rows[1:]
    numbers = [[_number(x) for x in row] for row in rows]
    for line, row in enumerate(numbers, start=1):
        if len(row) != 2 or None in row:
            raise UsageError(
                f"--input: {path}: row {line} of the numbers is no time and value, with a comma "
                "between"
            )
    if not numbers:
        raise UsageError(f"--input: {path} holds no numbers")
    times, values = ([row[k] or 0.0 for row in numbers] for k in (0, 1))
    try:
        return Table(times, values, held)
    except UsageError as error:
        raise UsageError(f"--input: {path}: {error}") from None
