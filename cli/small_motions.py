"""What the commands of vibrations share: options, values of a parameter, and answers as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import UsageError
from .given import values_of
from .screen import print_json

if TYPE_CHECKING:
    from ..model import Model
    from ..runtime.solver import Solver
    from ..runtime.vibration.rest import Rest

Count = Annotated[int | None, typer.Option(help="How many, the lowest; default: 10.")]
Below = Annotated[float | None, typer.Option(help="All those below a frequency, in rad/s.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: a .svg, .png or .pdf.")]

#: How a parameter and its values are written.
SPAN = "NAME=FROM:TO[:COUNT]"


def algorithm_for(model: Model, *, damped: bool = False) -> str:
    """Whose solver is compiled: of spins and exact beams other algorithms know nothing."""
    if damped or any(x.complex_alone for x in model.bodies):
        return "damped"
    return "linear" if model.beams else "riccati"


def span(text: str, settings: Sequence[str] | None) -> tuple[str, list[float]]:
    """A parameter and its values, evenly from one to another, by default 51.

    Raises
        UsageError: it is not of the form NAME=FROM:TO[:COUNT], or is set to one value besides.
    """
    name, _, values = text.partition("=")
    parts = values.split(":")
    try:
        first, last = (float(x) for x in parts[:2])
        count = int(parts[2]) if len(parts) > 2 else 51
    except (ValueError, IndexError):
        count, first, last = 0, math.nan, math.nan
    if not name or count < 1 or len(parts) > 3 or not math.isfinite(first - last):
        raise UsageError(f"{text!r} must be a parameter and its values, as W=0:1000:101")
    if name in {x.partition("=")[0].strip() for x in settings or ()}:
        raise UsageError(f"{name} goes through {values}: leave --set {name} out")
    step = (last - first) / max(count - 1, 1)
    return name, [first + step * k for k in range(count)]


def started(solver: Solver, start: Sequence[str] | None, **given: Any) -> Rest | None:
    """Where the model rests at or near a start that is told.

    Raises
        UsageError: a speed is told.
    """
    from ..runtime.vibration.rest import at_rest

    values = values_of("--start", start)
    if moving := values.keys() & {*solver.speeds}:
        raise UsageError(f"modes are about a place at rest: {min(moving)} is a speed")
    return at_rest(solver, start=solver.assemble(fixed=values).q, **given) if values else None


def answer(found: Any, as_json: bool, told: Callable[[], Mapping[str, Any]]) -> None:
    """A result as text, or as JSON: the model, where it rests, and what is told besides."""
    if not as_json:
        print(found)
        return
    about = {"model": found.model.name, "q": found.q.tolist(), "origin": found.origin}
    print_json({**about, **told()})


def each(found: Any, axis: str, **wanted: str) -> list[dict[str, Any]]:
    """Of a record's members along an axis what is wanted of each, by what JSON calls it."""
    columns = [_along(found, axis, name) for name in wanted.values()]
    return [dict(zip(wanted, row, strict=True)) for row in zip(*columns, strict=True)]


def _along(found: Any, axis: str, name: str) -> list[Any]:
    """One value for each member along an axis; words are such a list already."""
    import numpy as np

    if name not in found:
        return [*getattr(found, name)]
    of = found[name]
    dims = [x for x in of.dims if x != axis]
    members = np.moveaxis(of.values, of.dims.index(axis), 0)
    return [plain(x, *(found.names.get(x) for x in dims)) for x in members]


def plain(value: Any, *names: Sequence[str] | None) -> Any:
    """Arrays as JSON has them, by the names of members where there are some.

    Complex numbers are pairs, and what is not finite is null.
    """
    if value.ndim:
        members = [plain(x, *names[1:]) for x in value]
        return dict(zip(names[0], members, strict=True)) if names and names[0] else members
    number = value.item()
    if isinstance(number, complex):
        return [number.real, number.imag] if math.isfinite(abs(number)) else None
    return number if math.isfinite(number) else None
