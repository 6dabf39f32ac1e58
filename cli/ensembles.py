"""`mstmm ensemble`: many motions at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..codegen.targets.registry import loadable
from ..errors import UsageError
from ..model.expressions.quantities import told
from .inputs import Inputs, Period, inputs_of
from .screen import Algorithm, Json, ModelName, one_of, print_json

#: Failures that are listed one by one.
SHOWN = 5


def ensemble(
    model: ModelName,
    t_end: Annotated[float, typer.Option(help="The end of the motions, in s.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR.zarr", help="The store that is made.")
    ],
    samples: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A .csv or .parquet file: what varies, by columns."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=LOW:HIGH", help="A range to draw from, instead of a file."),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-n", help="How many to draw; of a grid, each axis.")
    ] = None,
    design: Annotated[
        str, typer.Option(metavar="NAME", help="latin-hypercube, sobol or grid.")
    ] = "latin-hypercube",
    seed: Annotated[int, typer.Option(help="Of what is drawn.")] = 0,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]EXPRESSION", help="What is kept; default: q and v."),
    ] = None,
    reduce: Annotated[
        list[str] | None,
        typer.Option(metavar="max|final|…", help="Keep this of each series: absmax, q0.95, …"),
    ] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(metavar="EXPRESSION", help="Keep the first time of a zero, and the number."),
    ] = None,
    dt: Annotated[float | None, typer.Option(help="The fixed step, in s; default: 1e-3.")] = None,
    method: Annotated[
        str, typer.Option(help="rk4, rkmk4, euler (fixed steps), dopri5, radau5 (stiff).")
    ] = "rk4",
    rtol: Annotated[float | None, typer.Option(help="Not for fixed steps; default: 1e-9.")] = None,
    atol: Annotated[float | None, typer.Option(help="As rtol; default: 1e-9.")] = None,
    record: Annotated[
        float | None, typer.Option(help="Output interval, in s; default: dt.")
    ] = None,
    given: Inputs = None,
    period: Period = None,
    algorithm: Algorithm = "riccati",
    target: Annotated[
        str, typer.Option(metavar="NAME", help=one_of(loadable(), "What runs"))
    ] = "c-batch",
    workers: Annotated[
        int | None, typer.Option(help="Threads; default: as many as there are cores.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://….")
    ] = None,
    chunk: Annotated[int | None, typer.Option(help="Samples that are made together.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with a store that is not complete.")] = False,
    as_json: Json = False,
) -> None:
    """Make thousands of motions of a model, and keep them in one Zarr store."""
    from .. import ensemble as run
    from ..exchange.ensemble.samples import Samples
    from ..exchange.ensemble.samples import design as designed

    if (samples is None) == (not vary):
        raise UsageError("say what varies: either --samples FILE or --vary NAME=LOW:HIGH")
    table = (
        Samples.table(samples)
        if samples is not None
        else designed(design, count, seed, dict(_range(text) for text in vary or ()))
    )
    with _progress(f"{told(len(table), 'motion')} of {model}") as progress:
        made = run(
            model,
            table,
            to=output,
            t_end=t_end,
            dt=dt,
            method=method,
            rtol=rtol,
            atol=atol,
            record=record,
            outputs=dict(_named(text) for text in keep or ("q", "v")),
            reduce=reduce or (),
            events=event or (),
            inputs=inputs_of(given or (), period),
            algorithm=algorithm,
            target=target,
            workers=workers,
            dask=dask,
            chunk=chunk,
            resume=resume,
            progress=progress,
        )
    failures = made.failures
    if as_json:
        print_json({"output": str(output), "samples": made.count, "failures": failures})
        return
    print(f"{output}: {told(made.count, 'motion')}, {len(failures)} failed")
    for k, why in list(failures.items())[:SHOWN]:
        print(f"sample {k}: {why}")
    if len(failures) > SHOWN:
        print(f"… and {len(failures) - SHOWN} more; status names them in the store")


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, _, values = text.partition("=")
    low, _, high = values.partition(":")
    try:
        return name.strip(), (float(low), float(high))
    except ValueError:
        raise UsageError(f"--vary {text!r} must be NAME=LOW:HIGH, such as theta1=-1:1") from None


def _named(text: str) -> tuple[str, str]:
    """An output's name and expression; one without a name is its own."""
    name, is_named, expression = text.partition("=")
    return (name.strip(), expression.strip()) if is_named else (text.strip(), text.strip())


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int, int], None]]:
    """A bar with the failures and the time left on standard error, if that is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, failed="")

        def show(done: int, total: int, failed: int) -> None:
            bar.update(
                task, completed=done, total=total, failed=f"{failed} failed" if failed else ""
            )

        yield show
