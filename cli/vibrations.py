"""`mstmm modes`: natural frequencies, and that they are all."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import typer

from ..errors import UsageError
from .given import Settings, Starts, model_of, values_of
from .screen import Json, ModelName, Target, compiled, print_json, working


def modes(
    model: ModelName,
    count: Annotated[int | None, typer.Option(help="How many, the lowest; default: 10.")] = None,
    below: Annotated[
        float | None, typer.Option(help="All those below a frequency, in rad/s; with --hz in Hz.")
    ] = None,
    hz: Annotated[bool, typer.Option("--hz", help="--below is in Hz.")] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Count in ball arithmetic, close to each frequency.")
    ] = False,
    settings: Settings = None,
    start: Starts = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the natural modes about the start, if it is at rest, or an equilibrium near it.

    A count of the frequencies below any given one sees to it that none is missed.
    """
    from ..runtime.vibration.rest import at_rest

    values = values_of("--start", start)
    chosen = model_of(model, settings)
    # Other algorithms know nothing of exact beams.
    solver = compiled(chosen, target, "linear" if chosen.beams else "riccati")
    if hz and below is None:
        raise UsageError("--hz is the unit of --below, which is not given")
    if moving := values.keys() & {*solver.speeds}:
        raise UsageError(f"modes are about a place at rest: {min(moving)} is a speed")
    limit = below if below is None or not hz else 2 * math.pi * below
    with working(f"modes of {model}"):
        rest = at_rest(solver, start=solver.assemble(fixed=values).q) if values else None
        found = solver.modes(rest and rest.q, count=count, below=limit, prove=prove)
        found = replace(found, origin=rest.origin if rest else found.origin)
    if not as_json:
        print(found)
        return
    print_json(
        {
            "model": found.model.name,
            "q": found.q.tolist(),
            "origin": found.origin,
            "units": dict(
                zip(found.names["speed"], found["coordinates"].member_units, strict=True)
            ),
            "modes": [
                {
                    "omega2": float(found.squares[k]),
                    "frequency": float(found.frequencies[k]),
                    "hertz": float(found.hertz[k]),
                    "growth": float(found.growth[k]),
                    "kind": found.kinds[k],
                    "multiplicity": int(found.multiplicity[k]),
                    "mass": float(found.masses[k]),
                    "mass_unit": found["masses"].member_units[k],
                    "coordinates": dict(
                        zip(found.names["speed"], found.coordinates[k].tolist(), strict=True)
                    ),
                    "bodies": dict(zip(found.names["body"], found.bodies[k].tolist(), strict=True)),
                    "kinetic": dict(
                        zip(found.names["element"], found.kinetic[k].tolist(), strict=True)
                    ),
                }
                for k in range(len(found.squares))
            ],
            "certificate": [
                {
                    "lower": low,
                    "upper": high,
                    "below_lower": below,
                    "below_upper": above,
                    "eigenvalues": above - below,
                    "proof": proof,
                }
                for low, high, below, above, proof in zip(
                    found.certificate.lower.tolist(),
                    found.certificate.upper.tolist(),
                    found.certificate.below.tolist(),
                    found.certificate.above.tolist(),
                    found.certificate.proof,
                    strict=True,
                )
            ],
        }
    )
