"""`mstmm modes`: natural frequencies, and that they are all."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import UsageError
from .given import Settings, Starts, model_of, values_of
from .screen import Json, ModelName, Target, compiled, print_json, working

if TYPE_CHECKING:
    from ..runtime.vibration.decaying import DampedModes


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
    damped: Annotated[
        bool, typer.Option("--damped", help="With dampers, spins and what feeds energy in.")
    ] = False,
    strains: Annotated[
        bool, typer.Option("--strains", help="Say what each mode strains, by its energy.")
    ] = False,
    film: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a mode: .html, .mp4, .webm or .gif.")
    ] = None,
    number: Annotated[int, typer.Option("--mode", help="Which mode is drawn.")] = 1,
    settings: Settings = None,
    start: Starts = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the natural modes about the start, if it is at rest, or an equilibrium near it.

    A count of the frequencies below any given one sees to it that none is missed; with --damped, a
    winding number of the determinant.
    """
    from ..runtime.vibration.rest import at_rest

    values = values_of("--start", start)
    chosen = model_of(model, settings)
    # Other algorithms know nothing of exact beams.
    beside = "damped" if damped else "linear"
    solver = compiled(chosen, target, beside if damped or chosen.beams else "riccati")
    if damped and prove:
        raise UsageError("--prove is of modes without damping: winding numbers are doubles")
    if damped and (strains or film is not None):
        raise UsageError("--strains and --film are of undamped modes: leave --damped out")
    if hz and below is None:
        raise UsageError("--hz is the unit of --below, which is not given")
    if moving := values.keys() & {*solver.speeds}:
        raise UsageError(f"modes are about a place at rest: {min(moving)} is a speed")
    limit = below if below is None or not hz else 2 * math.pi * below
    with working(f"modes of {model}"):
        rest = at_rest(solver, start=solver.assemble(fixed=values).q) if values else None
        q, origin = (rest.q, rest.origin) if rest else (None, "")
        if damped:
            decaying = solver.damped(q, count=count, below=limit)
        else:
            found = solver.modes(q, count=count, below=limit, prove=prove)
    if damped:
        decaying = replace(decaying, origin=origin or decaying.origin)
        print_json(_damped(decaying)) if as_json else print(decaying)
        return
    found = replace(found, origin=origin or found.origin)
    if film is not None:
        found.animate(number).save(film)
    if not as_json:
        print(found)
        if strains:
            print(found.strains)
        return
    energies = found.strains.shares.tolist() if strains else []
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
                    **(
                        {"strain": dict(zip(found.strains.names["part"], energies[k], strict=True))}
                        if strains
                        else {}
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


def _damped(found: DampedModes) -> dict[str, Any]:
    """Damped modes, complex numbers as pairs."""
    left, right, low, high = found.region.tolist()
    return {
        "model": found.model.name,
        "q": found.q.tolist(),
        "origin": found.origin,
        "units": dict(zip(found.names["speed"], found["coordinates"].member_units, strict=True)),
        "modes": [
            {
                "s": _pairs(found.eigenvalues[k]),
                "frequency": float(found.frequencies[k]),
                "hertz": float(found.hertz[k]),
                "decay": float(found.decay[k]),
                "damping_ratio": float(found.damping_ratio[k]),
                "kind": found.kinds[k],
                "multiplicity": int(found.multiplicity[k]),
                "coordinates": dict(
                    zip(found.names["speed"], _pairs(found.coordinates[k]), strict=True)
                ),
                "bodies": dict(zip(found.names["body"], _pairs(found.bodies[k]), strict=True)),
            }
            for k in range(len(found.eigenvalues))
        ],
        "certificate": {
            "real": [left, right],
            "imaginary": [low or -high, high],
            "winding_number": found.number,
        },
    }


def _pairs(values: Any) -> Any:
    """Complex numbers, each as its real and its imaginary part."""
    import numpy as np

    return np.stack([values.real, values.imag], axis=-1).tolist()
