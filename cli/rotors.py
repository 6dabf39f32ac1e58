"""`mstmm campbell` and `mstmm critical`: what spins."""

from __future__ import annotations

from typing import Annotated

import typer

from .given import Settings, model_of
from .screen import Json, ModelName, Target, compiled, working
from .small_motions import SPAN, Below, Count, Plot, answer, each, plain, span


def campbell(
    model: ModelName,
    speeds: Annotated[
        str,
        typer.Argument(
            metavar=SPAN, help="The spin and its values: W=0:1000:101; default: 51 values."
        ),
    ],
    count: Count = None,
    below: Below = None,
    plot: Plot = None,
    settings: Settings = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the whirl frequencies over a spin: at each speed all of them.

    Lines go from speed to speed by how modes move; forward and backward whirl are told apart.
    """
    name, at = span(speeds, settings)
    solver = compiled(model_of(model, settings), target, "damped", parameters=(name,))
    with working(f"Campbell diagram of {model}"):
        found = solver.campbell(name, at, count=count, below=below)
        if plot is not None:
            found.plot().figure.savefig(plot, bbox_inches="tight")
    lines = {"sense": "senses", "frequencies": "frequencies", "decay": "decay", "whirl": "whirl"}
    answer(
        found,
        as_json,
        lambda: {
            "parameter": name,
            "speeds": at,
            "lines": each(found, "line", **lines),
            "zero": plain(found.zero),
            "growth": plain(found.growth),
            "proof": found.proof,
        },
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
    columns = {"speed": "speeds", "frequency": "frequencies", "multiplicity": "multiplicity"}
    answer(
        found,
        as_json,
        lambda: {
            "parameter": parameter,
            "harmonic": found.harmonic,
            "below": found.below,
            "critical": each(found, "critical", **columns, whirl="whirl", sense="senses"),
            "zero": found.zero,
        },
    )
