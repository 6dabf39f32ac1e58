"""`mstmm campbell` and `mstmm critical`: what spins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from .given import Settings, model_of
from .screen import Json, ModelName, Target, compiled, print_json, working

Below = Annotated[float | None, typer.Option(help="All those below a frequency, in rad/s.")]


def campbell(
    model: ModelName,
    speeds: Annotated[
        str,
        typer.Argument(
            metavar="NAME=FROM:TO[:COUNT]",
            help="The spin and its values: W=0:1000:101; default: 51 values.",
        ),
    ],
    count: Annotated[
        int | None, typer.Option(help="How many at each speed, the lowest; default: 10.")
    ] = None,
    below: Below = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the diagram: a .svg, .png or .pdf."),
    ] = None,
    settings: Settings = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the whirl frequencies over a spin: at each speed all of them.

    Lines go from speed to speed by how modes move; forward and backward whirl are told apart.
    """
    name, at = _speeds(speeds)
    solver = compiled(model_of(model, settings), target, "damped", parameters=(name,))
    with working(f"Campbell diagram of {model}"):
        found = solver.campbell(name, at, count=count, below=below)
        if plot is not None:
            found.plot().figure.savefig(plot, bbox_inches="tight")
    if not as_json:
        print(found)
        return
    print_json(
        {
            "model": found.model.name,
            "parameter": name,
            "speeds": at,
            "lines": [
                {
                    "sense": found.senses[k],
                    "frequencies": _numbers(found.frequencies[:, k]),
                    "decay": _numbers(found.decay[:, k]),
                    "whirl": _numbers(found.whirl[:, k]),
                }
                for k in range(found.frequencies.shape[1])
            ],
            "zero": found.zero.tolist(),
            "proof": found.proof,
        }
    )


def critical(
    model: ModelName,
    parameter: Annotated[
        str, typer.Argument(metavar="NAME", help="The parameter that is the spin.")
    ],
    below: Annotated[float, typer.Option(help="All those below a speed, in rad/s.")],
    harmonic: Annotated[
        float, typer.Option(help="At how many times the speed it is driven; unbalance: 1.")
    ] = 1.0,
    settings: Settings = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the critical speeds below a limit: all, directly by a count of those below any speed."""
    solver = compiled(model_of(model, settings), target, "damped", parameters=(parameter,))
    with working(f"critical speeds of {model}"):
        found = solver.critical_speeds(parameter, below=below, harmonic=harmonic)
    if not as_json:
        print(found)
        return
    print_json(
        {
            "model": found.model.name,
            "parameter": parameter,
            "harmonic": found.harmonic,
            "below": found.below,
            "critical": [
                {
                    "speed": float(found.speeds[k]),
                    "frequency": float(found.frequencies[k]),
                    "multiplicity": int(found.multiplicity[k]),
                    "whirl": float(found.whirl[k]),
                    "sense": found.senses[k],
                }
                for k in range(len(found.speeds))
            ],
            "zero": found.zero,
        }
    )


def _speeds(text: str) -> tuple[str, list[float]]:
    """A parameter and its values, evenly from one to another.

    Raises
        UsageError: it is not of the form NAME=FROM:TO[:COUNT].
    """
    name, _, span = text.partition("=")
    parts = span.split(":")
    try:
        first, last = (float(x) for x in parts[:2])
        count = int(parts[2]) if len(parts) > 2 else 51
    except (ValueError, IndexError):
        count, first, last = 0, 0.0, 0.0
    if not name or count < 1 or len(parts) > 3:
        raise UsageError(f"{text!r} must be a parameter and its values, as W=0:1000:101")
    step = (last - first) / max(count - 1, 1)
    return name, [first + step * k for k in range(count)]


def _numbers(values: Any) -> list[float | None]:
    """Numbers, none where there is no mode."""
    return [None if x != x else x for x in values.tolist()]
