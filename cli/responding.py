"""`mstmm response`: steady answers to harmonic loads."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from .given import Settings, Starts, model_of, values_of
from .screen import Json, ModelName, Target, compiled, listed, print_json, working


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
            help="What is told: a coordinate, BODY.move_x, BODY:POINT.turn_z; default: all.",
        ),
    ] = None,
    lowest: Annotated[float, typer.Option("--from", help="The lowest frequency.")] = 0.0,
    points: Annotated[int, typer.Option(help="How many frequencies.", min=2)] = 1000,
    log: Annotated[bool, typer.Option("--log", help="In equal ratios, not steps.")] = False,
    hz: Annotated[bool, typer.Option("--hz", help="--from and --to are in Hz.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A Bode plot: .png, .svg or .pdf.")
    ] = None,
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
    algorithm = "riccati"
    if any(x.complex_alone for x in chosen.bodies):
        algorithm = "damped"
    elif chosen.beams:
        algorithm = "linear"
    solver = compiled(chosen, target, algorithm)
    unit = 2 * math.pi if hz else 1.0
    at = unit * (np.geomspace if log else np.linspace)(lowest, to, points)
    with working(f"response of {model}"):
        q = solver.assemble(fixed=values).q if values else None
        found = solver.response(
            at, q, inputs=listed(loads), outputs=None if outputs is None else listed(outputs)
        )
        if plot is not None:
            modes = (solver.damped if found.damped else solver.modes)(found.q, below=float(at[-1]))
            found.plot(resonances=modes)[0].figure.savefig(plot, bbox_inches="tight")
    if not as_json:
        print(found)
        return
    print_json(
        {
            "model": found.model.name,
            "q": found.q.tolist(),
            "origin": found.origin,
            "frequencies": found.frequencies.tolist(),
            "units": {
                of: dict(zip(found.names[of], found.units[of], strict=True)) for of in found.names
            },
            "transfers": {
                output: {
                    load: _numbers(found.transfer(load, output)) for load in found.names["input"]
                }
                for output in found.names["output"]
            },
        }
    )


def _numbers(values: Any) -> list[list[float] | None]:
    """Real and imaginary parts; null where they are infinite."""
    return [[x.real, x.imag] if math.isfinite(abs(x)) else None for x in values.tolist()]
