"""`mstmm simulate` and `mstmm demo`: things move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ..model.expressions.quantities import told
from .given import Settings, Starts, model_of, values_of
from .inputs import Inputs, Period, inputs_of
from .screen import (
    Algorithm,
    Assembly,
    Form,
    Json,
    ModelName,
    Target,
    compiled,
    note,
    print_json,
    print_wrapped,
    screen,
)

if TYPE_CHECKING:
    from ..runtime.motions.results import Run
    from ..runtime.solver import Solver

#: So many passages of singular positions are printed.
MOST_SHOWN = 8


def simulate(
    model: ModelName,
    t_end: Annotated[float, typer.Option(help="The end of the motion, in s.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .nc file.")
    ],
    t_start: Annotated[float, typer.Option(help="The start of the motion, in s.")] = 0.0,
    dt: Annotated[float | None, typer.Option(help="The fixed step, in s; default: 1e-3.")] = None,
    method: Annotated[
        str,
        typer.Option(
            help="rk4, rkmk4, euler (fixed steps), dopri5, radau5 (stiff), or SciPy's: BDF, …"
        ),
    ] = "rk4",
    rtol: Annotated[float | None, typer.Option(help="Not for fixed steps; default: 1e-9.")] = None,
    atol: Annotated[float | None, typer.Option(help="As rtol; default: 1e-9.")] = None,
    max_step: Annotated[
        float | None,
        typer.Option(help="The longest step of dopri5, radau5 and SciPy's methods, in s."),
    ] = None,
    record: Annotated[
        float | None, typer.Option(help="Output interval, in s; default: dt.")
    ] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(help="An expression whose zeros are listed: 'theta1 - pi/2'."),
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="The same; the motion ends at its first zero.")
    ] = None,
    settings: Settings = None,
    start: Starts = None,
    given: Inputs = None,
    period: Period = None,
    within_limits: Annotated[
        bool,
        typer.Option(
            "--within-limits", help="Keep inputs and efforts within the model's limits of them."
        ),
    ] = False,
    target: Target = None,
    algorithm: Algorithm = "riccati",
    form: Form = None,
    assembly: Assembly = None,
    tune: Annotated[
        bool,
        typer.Option("--tune", help="Build the code in several ways, and take the fastest here."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Integrate the motion from the model's start and save it, with the loads at every hinge."""
    from ..runtime.events import Event
    from ..runtime.motions.results import check_path

    check_path(output)
    values = values_of("--start", start)
    inputs = inputs_of(given or (), period)
    chosen = model_of(model, settings)
    solver = compiled(chosen, target, algorithm, form=form, assembly=assembly, tune=tune)
    begun = solver.assemble(fixed=values, t=t_start) if values else None
    events = [Event(text) for text in event or ()]
    events += [Event(text, terminal=True) for text in stop or ()]
    with _progress(f"simulating {model}") as progress:
        run = solver.simulate(
            begun.q if begun else None,
            begun.v if begun else None,
            t_end=t_end,
            t_start=t_start,
            dt=dt,
            method=method,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            record=record,
            events=events,
            inputs=inputs,
            within_limits=within_limits,
            progress=progress,
        )
        run.save(output)
    driven = bool(inputs) or solver.model.is_driven
    if not driven:
        _note_a_wild_energy(solver, run)
    gaps = run.constraint_position
    open_by = None if gaps is None else float(gaps.max())
    closed = begun or run.start
    if as_json:
        print_json(
            {
                **run.attrs,
                "output": str(output),
                "records": len(run.time),
                "coordinates": len(run.coordinates),
                "energy": float(run.energy[0]),
                "energy_drift": run.energy_drift,
                **({} if open_by is None else {"constraint_error": open_by}),
                "moved": [asdict(moved) for moved in (closed.moved if closed else ())],
                "inputs": list(run.input_names),
                "events": [{"time": x.time, "event": x.name} for x in run.events],
                "passages": [x.time for x in run.passages],
                "indeterminate": _chosen(run),
            }
        )
        return
    if solver.tuned:
        print_wrapped([str(solver.tuned)])
    records, many = told(len(run.time), "record"), told(len(run.coordinates), "coordinate")
    print(f"{output}: {records} of {many}")
    if closed and closed.moved:
        print_wrapped([str(closed)])
    print(
        f"{method}, target {solver.target}; the energy of {run.energy[0]:.6g} J "
        f"{'changes' if driven else 'drifts'} by {run.energy_drift:.1e} J"
    )
    if open_by is not None:
        print(f"the closed loops are open by {open_by:.1e} at most")
    if _chosen(run):
        print_wrapped(
            [f"loads that the motion does not tell, the least are given: {', '.join(_chosen(run))}"]
        )
    if run.passages:
        print_wrapped([_passed(run)])
    for found in run.events:
        print(f"{found.name} = 0 at t = {found.time:.12g} s")


def _passed(run: Run) -> str:
    """When the loops were singular; of many passages the first."""
    times = [f"{x.time:.6g}" for x in run.passages[:MOST_SHOWN]]
    more = len(run.passages) - len(times)
    others = f" and {more} times more" if more else ""
    return f"singular positions of the loops are passed at t = {', '.join(times)} s{others}"


def _chosen(run: Run) -> list[str]:
    """The ends at which some load is a choice, at some time."""
    told = run.determinate
    return [x for k, x in enumerate(run.ends) if told is not None and not told[:, k].all()]


def cuts(
    model: ModelName,
    t_end: Annotated[float, typer.Option(help="The end of the motion, in s.")] = 10.0,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Show what every hinge of closed loops carries in a motion, and cut where it is least."""
    from ..runtime.cut_choice import choose_cuts

    solver = compiled(model, target, "riccati")
    choice = choose_cuts(solver.model, t_end=t_end, target=solver.target)
    if as_json:
        reactions = [asdict(reaction) for reaction in choice.reactions]
        print_json({"cuts": choice.cuts, "seconds": t_end, "reactions": reactions})
        return
    print(choice)


def _note_a_wild_energy(solver: Solver, run: Run) -> None:
    """A drift beyond all the energy there is: the steps are too large for this motion."""
    import numpy as np

    from ..runtime.capabilities.poses import Poses
    from ..runtime.evaluation.anywhere import anywhere

    potential = Poses.energy(anywhere(solver), run.q, np.zeros_like(run.v))
    kinetic = run.energy[0] - potential[0]
    there = abs(run.energy[0]) + kinetic + potential.max() - potential.min()
    if run.energy_drift > there:
        note(
            f"warning: the energy drifts by {run.energy_drift:.1e} J, more than the {there:.1e} J "
            "there are; the motion is wrong: take a smaller dt or rtol"
        )


@contextmanager
def _progress(what: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error, if that is a terminal."""
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path("mstmm-demo"),
    target: Target = None,
) -> None:
    """The main job on the paper's example: derive, generate, prove, simulate, show."""
    from ..papers.riccati.demo import run_demo

    run_demo(output, target, screen())
