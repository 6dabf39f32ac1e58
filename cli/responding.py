"""`mstmm response`: steady answers to harmonic loads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import UsageError
from .given import Settings, Starts, model_of, values_of
from .screen import Json, ModelName, Target, compiled, listed, working
from .small_motions import SPAN, Plot, algorithm_for, answer, plain, span

if TYPE_CHECKING:
    from ..runtime.vibration.forced.waterfall import Waterfall


def response(
    model: ModelName,
    to: Annotated[float, typer.Option("--to", help="The highest frequency, rad/s; with --hz Hz.")],
    loads: Annotated[
        str,
        typer.Option(
            "--input",
            metavar="NAME,…",
            help="What acts with unit amplitude: a hinge, an input, BODY.force_x, "
            "BODY:POINT.moment_z, BODY.unbalance, ground.move_x.",
        ),
    ],
    outputs: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="NAME,…",
            help="What is told: a coordinate, BODY.move_x, BODY:POINT.turn_z, HINGE.force_x; "
            "default: coordinates, bodies and points of beams.",
        ),
    ] = None,
    lowest: Annotated[float, typer.Option("--from", help="The lowest frequency.")] = 0.0,
    points: Annotated[int, typer.Option(help="How many frequencies.", min=2)] = 1000,
    log: Annotated[bool, typer.Option("--log", help="In equal ratios, not steps.")] = False,
    hz: Annotated[bool, typer.Option("--hz", help="--from and --to are in Hz.")] = False,
    waterfall: Annotated[
        str | None,
        typer.Option(metavar=SPAN, help="At each value of a parameter: W=0:500:26."),
    ] = None,
    plot: Plot = None,
    settings: Settings = None,
    start: Starts = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the steady response to harmonic loads about the start, or an equilibrium near it.

    It is told at the lowest frequency, at the peaks between, and at the highest. In a plot the
    model's own frequencies are marked.
    """
    import numpy as np

    chosen, values = model_of(model, settings), values_of("--start", start)
    if not 0 <= lowest < to < math.inf or (log and not lowest):
        raise UsageError(f"--from {lowest:g} --to {to:g}: 0 ≤ from < to, and with --log 0 < from")
    over = None if waterfall is None else span(waterfall, settings)
    kept = () if over is None else over[:1]
    solver = compiled(chosen, target, algorithm_for(chosen), parameters=kept)
    unit = 2 * math.pi if hz else 1.0
    at = unit * (np.geomspace if log else np.linspace)(lowest, to, points)
    with working(f"response of {model}"):
        q = solver.assemble(fixed=values).q if values else None
        named: dict[str, Any] = {
            "inputs": listed(loads),
            "outputs": None if outputs is None else listed(outputs),
        }
        if over is not None:
            falling = solver.waterfall(*over, at, q, **named)
            if plot is not None:
                falling.plot().figure.savefig(plot, bbox_inches="tight")
            answer(falling, as_json, lambda: _falling(falling))
            return
        found = solver.response(at, q, **named)
        if plot is not None:
            modes = (solver.damped if found.damped else solver.modes)(found.q, below=float(at[-1]))
            found.plot(resonances=modes)[0].figure.savefig(plot, bbox_inches="tight")
    names = found.names
    answer(
        found,
        as_json,
        lambda: {
            "growing": found.growing,
            "frequencies": found.frequencies.tolist(),
            "units": {of: dict(zip(names[of], found.units[of], strict=True)) for of in names},
            "transfers": {
                output: {load: plain(found.transfer(load, output)) for load in names["input"]}
                for output in names["output"]
            },
        },
    )


def _falling(found: Waterfall) -> dict[str, Any]:
    names = found.names["output"]
    return {
        "parameter": found.parameter,
        "values": found.at.tolist(),
        "growing": found.growing,
        "frequencies": found.frequencies.tolist(),
        "units": dict(zip(names, found.units["output"], strict=True)),
        "outputs": {name: plain(found.total[..., k]) for k, name in enumerate(names)},
    }
