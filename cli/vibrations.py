"""`mstmm modes`: natural frequencies, and that they are all."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ..errors import UsageError
from .given import Settings, Starts, model_of
from .screen import Json, ModelName, Target, compiled, working
from .small_motions import SPAN, Count, Plot, algorithm_for, answer, each, plain, span, started

if TYPE_CHECKING:
    from ..model import Model
    from ..runtime.vibration.decaying import DampedModes
    from ..runtime.vibration.modes import Modes
    from ..runtime.vibration.over import ModesOver
    from ..runtime.vibration.rest import Rest

    Found = TypeVar("Found", Modes, DampedModes, ModesOver)

#: What JSON has of every mode, and of undamped ones.
MODE = {"frequency": "frequencies", "hertz": "hertz", "kind": "kinds"}
MODE |= {"multiplicity": "multiplicity", "coordinates": "coordinates", "bodies": "bodies"}
NATURAL = {"omega2": "squares", "growth": "growth", "mass": "masses", "kinetic": "kinetic"}


def modes(
    model: ModelName,
    count: Count = None,
    below: Annotated[
        float | None, typer.Option(help="All those below a frequency, in rad/s; with --hz in Hz.")
    ] = None,
    hz: Annotated[
        bool, typer.Option("--hz", help="--below, and what --holzer takes, are in Hz.")
    ] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Count in ball arithmetic, which takes a while.")
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
    over: Annotated[
        str | None,
        typer.Option(metavar=SPAN, help="Modes over a parameter: k=100:200:11; --plot draws them."),
    ] = None,
    plot: Plot = None,
    holzer: Annotated[
        float | None,
        typer.Option(metavar="ω", help="Holzer's table at a frequency, of discs on a shaft."),
    ] = None,
    settings: Settings = None,
    start: Starts = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Find the natural modes about the start, if it is at rest, or an equilibrium near it.

    A count of the frequencies below any given one sees to it that none is missed; with --damped, a
    winding number of the determinant.
    """
    chosen, unit = model_of(model, settings), 2 * math.pi if hz else 1.0
    _see_together(
        {"--strains": strains, "--film": film is not None},
        {"--damped": damped, "--over": over is not None, "--holzer": holzer is not None},
    )
    if prove and (over is not None or holzer is not None):
        raise UsageError("--prove is of one list of modes: leave --over and --holzer out")
    if holzer is not None:
        if as_json:
            raise UsageError("--holzer is a table on the screen: leave --json out")
        for name, value in (("--count", count), ("--below", below)):
            if value is not None:
                raise UsageError(f"--holzer is a table at one frequency: leave {name} out")
    if hz and below is None and holzer is None:
        raise UsageError("--hz is the unit of --below, which is not given")
    if plot is not None and over is None:
        raise UsageError("--plot draws modes over a parameter: --over NAME=FROM:TO; --film a mode")
    given: dict[str, Any] = {"count": count, "below": None if below is None else unit * below}
    if over is not None:
        _over(chosen, over, plot, given, settings, start, target, as_json)
        return
    solver = compiled(chosen, target, algorithm_for(chosen, damped=damped))
    with working(f"modes of {model}"):
        rest = started(solver, start)
        q = None if rest is None else rest.q
        if holzer is not None:
            from ..report.judging.holzer import holzer_at

            print(holzer_at(chosen, solver.modes(q, count=1).q, unit * holzer))
            return
        if damped:
            decaying = _from(rest, solver.damped(q, prove=prove, **given))
        else:
            found = _from(rest, solver.modes(q, prove=prove, **given))
        if film is not None:
            found.animate(number).save(film)
    if damped:
        answer(decaying, as_json, lambda: _damped(decaying))
        return
    answer(found, as_json, lambda: _natural(found, strains))
    if strains and not as_json:
        print(found.strains)


def _see_together(of_modes: dict[str, bool], instead: dict[str, bool]) -> None:
    """Raise where options do not go together: those of a list of undamped modes with others."""
    others = [name for name, given in instead.items() if given]
    if len(others) > 1:
        raise UsageError(f"{' and '.join(others[:2])} ask for two answers: leave one out")
    for name, given in of_modes.items():
        if given and others:
            raise UsageError(f"{name} is of a list of undamped modes: leave {others[0]} out")


def _over(
    model: Model,
    text: str,
    plot: Path | None,
    given: dict[str, Any],
    settings: list[str] | None,
    start: list[str] | None,
    target: str | None,
    as_json: bool,
) -> None:
    """Modes over the values of a parameter."""
    name, at = span(text, settings)
    solver = compiled(model, target, algorithm_for(model), parameters=(name,))
    with working(f"modes of {model.name}"):
        rest = started(solver, start, parameters={name: at[0]})
        q = None if rest is None else rest.q
        found = _from(rest, solver.modes_over(name, at, q, **given))
        if plot is not None:
            found.plot().figure.savefig(plot, bbox_inches="tight")
    lines = {"omega2": "squares", "frequencies": "frequencies", "growth": "growth"}
    answer(
        found,
        as_json,
        lambda: {
            "parameter": name,
            "values": at,
            "lines": each(found, "line", **lines, numbers="numbers"),
        },
    )


def _from(rest: Rest | None, found: Found) -> Found:
    """What was found about a place, with how that was come by."""
    return found if rest is None else replace(found, origin=rest.origin)


def _damped(found: DampedModes) -> dict[str, Any]:
    left, right, low, high = found.region.tolist()
    names = {"s": "eigenvalues", "decay": "decay", "damping_ratio": "damping_ratio"}
    return {
        "units": _units(found),
        "modes": each(found, "mode", **names, **MODE),
        "certificate": {
            "real": [left, right],
            "imaginary": [low or -high, high],
            "winding_number": found.number,
            "proof": found.proof,
        },
    }


def _natural(found: Modes, strains: bool) -> dict[str, Any]:
    listed = each(found, "mode", **NATURAL, **MODE)
    for k, mode in enumerate(listed):
        mode["mass_unit"] = found["masses"].member_units[k]
        if strains:
            mode["strain"] = plain(found.strains.shares[k], found.strains.names["part"])
    of = found.certificate
    names = ("lower", "upper", "below_lower", "below_upper", "eigenvalues", "proof")
    columns = (of.lower, of.upper, of.below, of.above, of.multiplicity)
    rows = zip(*(x.tolist() for x in columns), of.proof, strict=True)
    certificate = [dict(zip(names, row, strict=True)) for row in rows]
    return {"units": _units(found), "modes": listed, "certificate": certificate}


def _units(found: Modes | DampedModes) -> dict[str, str]:
    return dict(zip(found.names["speed"], found["coordinates"].member_units, strict=True))
