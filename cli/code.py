"""`mstmm generate`, `validate` and `cache`: the code, its proof, and where it is kept."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..codegen.targets.registry import TARGETS
from ..errors import ToolchainError, UsageError
from ..model.expressions.quantities import told
from .screen import (
    Algorithm,
    Assembly,
    Form,
    FrameNames,
    Json,
    ModelName,
    Order,
    Target,
    compiled,
    listed,
    note,
    one_of,
    print_json,
    print_wrapped,
    screen,
    working,
)

if TYPE_CHECKING:
    from ..codegen.costs.explain import Stage
    from ..codegen.generate import Generated
    from ..codegen.proof.records import Proof
    from ..codegen.targets.cuda.compiling import Cubin

FAILED = 1
EXAMPLE = "example_main.c"

cache = typer.Typer(help="The compiled modules kept on this machine.", no_args_is_help=True)


def generate(
    model: ModelName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where to.")
    ] = None,
    target: Annotated[
        str, typer.Option(metavar="NAME", help=one_of(TARGETS, "The language"))
    ] = "c",
    parameters: Annotated[
        str,
        typer.Option(metavar="m,g,…", help="Model parameters that stay arguments of the code."),
    ] = "",
    forced: Annotated[
        bool, typer.Option("--forced", help="Take external couples and loads as arguments.")
    ] = False,
    algorithm: Algorithm = "riccati",
    form: Form = None,
    assembly: Assembly = None,
    order: Order = None,
    frames: FrameNames = None,
    portable: Annotated[
        bool, typer.Option("--portable", help="Let the build script build for other machines too.")
    ] = False,
    threads: Annotated[
        bool, typer.Option("--threads", help="Let the build script build long loops for OpenMP.")
    ] = False,
    real: Annotated[
        str, typer.Option(metavar="TYPE", help="Numbers of target cuda: double, float.")
    ] = "double",
    arch: Annotated[
        str, typer.Option(metavar="sm_90", help="Compile CUDA for this architecture, too.")
    ] = "",
    cost: Annotated[
        bool, typer.Option("--cost", help="Print what each emitted function costs.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what each pass saves, entry by entry.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write the generated sources of a model, or say what they cost and why."""
    from .. import load
    from ..codegen.costs.cost import table
    from ..codegen.costs.explain import explain as explained
    from ..codegen.generate import generate as generate_sources
    from ..codegen.views import counts

    if output is None and not (cost or explain):
        raise UsageError(
            "say where to: --output DIR; or --cost to see what the code costs, --explain why"
        )
    names = listed(parameters)
    with working(f"generating code for {model}"):
        made = generate_sources(
            load(model),
            algorithm=algorithm,
            form=form,
            assembly=assembly,
            order=order,
            frames=listed(frames) if frames else None,
            target=target,
            parameters=names,
            forced=forced,
            portable=portable,
            threads=threads,
            real=real,
        )
    files: dict[str, str | bytes] = {**made.sources.files}
    binary = _binary(made, arch) if arch else None
    if binary:
        files[f"{made.sources.interface.prefix}.cubin"] = binary.code
    if output is not None:
        _write(output, files)
    stages = explained(made) if explain else ()
    if as_json:
        kernels = {"kernels": [asdict(x) for x in binary.kernels]} if binary else {}
        print_json(_generated_as_json(made, output, files) | _explained_as_json(stages) | kernels)
        return
    if output is not None:
        for name, content in files.items():
            lines = isinstance(content, str)
            size = told(len(content.splitlines()), "line") if lines else f"{len(content)} bytes"
            print(f"{output / name}  ({size})")
    if binary:
        _print_kernels(binary, arch)
    if stages:
        _print_stages(stages)
    if cost:
        print(*table(made.module), sep="\n")
    elif not explain:
        print_wrapped(
            f"{entry.name}: {counts(made.module.operations(entry))} operations"
            for entry in made.module.entries
        )


def _binary(made: Generated, arch: str) -> Cubin:
    """CUDA as machine code."""
    from ..codegen.targets.cuda.compiling import cubin

    prefix = made.sources.interface.prefix
    text = made.sources.files.get(f"{prefix}.cu")
    if text is None:
        raise UsageError("--arch compiles CUDA: say --target cuda, too")
    with working(f"compiling {made.model.name} for {arch}"):
        return cubin(prefix, text, arch)


def _print_kernels(binary: Cubin, arch: str) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"kernel on {arch}, a thread")
    for name in ("registers", "stack", "spilled"):
        table.add_column(name, justify="right")
    for kernel in binary.kernels:
        numbers = (kernel.registers, kernel.stack, kernel.spilled)
        table.add_row(f"{kernel.name}_device", *map(str, numbers))
    screen().print(table)
    if large := [kernel.name for kernel in binary.kernels if not kernel.fits]:
        note(
            f"{', '.join(large)}: a state does not fit a thread, whose stack is memory of the card"
        )


def _print_stages(stages: tuple[Stage, ...]) -> None:
    from ..codegen.costs.explain import table

    print_wrapped(f"{stage.name}: {stage.title}" for stage in stages)
    for entry in stages[-1].operations:
        print("", entry, *table(stages, entry), sep="\n")


def _explained_as_json(stages: tuple[Stage, ...]) -> dict[str, object]:
    return {"passes": [asdict(stage) for stage in stages]} if stages else {}


def _write(output: Path, files: Mapping[str, str | bytes]) -> None:
    """All files or none."""
    from ..runtime.files import made_beside, made_folder

    with made_folder(output), made_beside(output) as scratch:
        _note_what_is_replaced(output, files)
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (scratch / name).write_bytes(data)


def _generated_as_json(
    made: Generated, output: Path | None, files: Iterable[str]
) -> dict[str, object]:
    from ..codegen.costs.cost import costs, held

    found = costs(made.module)
    functions = {f.name: asdict(f) for cost in found for f in cost.functions}
    return {
        "model": made.model.name,
        "algorithm": made.program.algorithm,
        "target": made.sources.target,
        "folder": None if output is None else str(output),
        "files": [] if output is None else list(files),
        "operations": {cost.whole.name: cost.whole.total for cost in found},
        "entries": {cost.whole.name: asdict(cost.whole) for cost in found},
        "functions": functions,
        "held": held(made.module),
    }


def _note_what_is_replaced(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """`example_main.c` is the one file that every model writes under the same name."""
    older = folder / EXAMPLE
    if EXAMPLE not in files or not os.path.exists(older):
        return
    headers = [
        [line for line in text.splitlines() if line.startswith('#include "')]
        for text in (str(files[EXAMPLE]), older.read_text(encoding="utf-8", errors="replace"))
    ]
    if headers[0] != headers[1]:
        note(f"{older} belonged to another model and is replaced")


def validate(
    model: ModelName,
    target: Target = None,
    points: Annotated[
        int | None, typer.Option(min=1, help="Random states; default: 100, fewer for large models.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Which random states.")] = 0,
    algorithm: Algorithm = "riccati",
    form: Form = None,
    assembly: Assembly = None,
    order: Order = None,
    frames: FrameNames = None,
    displayed: Annotated[
        bool,
        typer.Option("--displayed", help="Judge the equations that are shown, not the code."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare generated code with its symbols in 50-digit arithmetic, kernel by kernel.

    With --displayed every equation that is shown of the model's program is read back and compared,
    in exact fractions, with what its statement computes.
    """
    from ..codegen.proof.validate import validate as validate_solver

    options = {"form": form, "assembly": assembly, "order": order}
    if displayed:
        compiles = {"--target": target, "--points": points, "--frames": frames}
        if idle := [name for name, given in compiles.items() if given]:
            raise UsageError(f"--displayed compiles nothing, so {idle[0]} has no part in it")
        _validate_displayed(model, algorithm, options, seed, as_json)
        return
    chosen = listed(frames) if frames else None
    solver = compiled(model, target, algorithm, **options, frames=chosen)
    with working(f"comparing the code of {model} with its symbols"):
        proof = validate_solver(solver, points=points, seed=seed)
    if as_json:
        print_json(_proof_as_json(solver.model.name, proof))
    else:
        _print_proof(solver.model.name, proof)
    if not proof.ok:
        note(f"{solver.model.name}, target {proof.target}: {proof.worst}")
        raise typer.Exit(FAILED)


def _validate_displayed(
    name: str, algorithm: str, options: Mapping[str, Any], seed: int, as_json: bool
) -> None:
    """Judge what is displayed of a model's program; the model is not compiled."""
    from .. import load
    from ..model.expressions.quantities import shorten
    from ..symbolic.mechanics.displayed import displayed
    from ..symbolic.methods.algorithms import chosen
    from ..symbolic.plans.plan import plan

    with working(f"reading what is displayed of {name}"):
        model = load(name)
        program = chosen(algorithm, **options).program(plan(model))
        calls = (call for step in program.steps for call in step.calls)
        found = tuple(displayed((call.kernel for call in calls), seed))
    shown = [x for x in found if x.shown is not None]
    false = [{"kernel": x.kernel.name, "equation": x.shown, "why": x.why} for x in shown if x.why]
    without: dict[str, dict[str, None]] = {}
    for x in (each for each in found if each.shown is None):
        without.setdefault(x.kernel.title, {})[x.statement.port.name] = None
    counts = {"true": len(shown) - len(false), "without": len(found) - len(shown)}
    if as_json:
        said = {"model": model.name, "ok": not false, **counts}
        by_kernel = {kernel: [*names] for kernel, names in without.items()}
        print_json({**said, "without_by_kernel": by_kernel, "false": false})
    else:
        print_wrapped(
            [
                f"{model.name}, {program.algorithm}: of {told(len(found), 'statement')} "
                f"{counts['true']} show an equation that is what they compute, {len(false)} one "
                f"that is not, {counts['without']} none that can be read"
                f"{', by kernel:' if without else '.'}"
            ]
        )
        print_wrapped(f"  {kernel}: {shorten([*names])}" for kernel, names in without.items())
    if false:
        note("\n".join(f"{x['kernel']}: {x['equation']} {x['why']}" for x in false))
        raise typer.Exit(FAILED)


def _proof_as_json(model: str, proof: Proof) -> dict[str, object]:
    return {
        "model": model,
        "target": proof.target,
        "ok": proof.ok,
        "points": proof.points,
        "max_ulps": _number(proof.max_ulps),
        "worst": proof.worst,
        "rows": [
            {
                "kernel": row.kernel,
                "points": row.points,
                "max_ulps": _number(row.max_ulps),
                "bound": _number(row.bound),
                "ok": row.ok,
            }
            for row in proof.rows
        ],
    }


def _number(value: float) -> float | None:
    """JSON has no infinity."""
    return float(value) if math.isfinite(value) else None


def _print_proof(model: str, proof: Proof) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("kernel")
    for name in ("points", "error/κulp", "bound"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in proof.rows:
        numbers = (str(row.points), f"{row.max_ulps:.3g}", f"{row.bound:.3g}")
        table.add_row(row.kernel, *numbers, "ok" if row.ok else "WRONG")
    screen().print(table)
    verdict = "equal to its symbols" if proof.ok else "NOT equal to its symbols"
    screen().print(f"{model}, target {proof.target}: {verdict} at {told(proof.points, 'state')}.")
    screen().print(f"Worst: {proof.worst}")


@contextmanager
def _usable(what: str) -> Iterator[None]:
    """The cache, or why it cannot be read or emptied."""
    from ..codegen.cache import FOLDER_VARIABLE, cache_folder
    from ..runtime.files import reason

    try:
        yield
    except OSError as error:
        raise ToolchainError(
            f"the cache folder {cache_folder()} cannot be {what}: {reason(error)}",
            remedy=f"set {FOLDER_VARIABLE} to a folder of yours",
        ) from error


@cache.command("info")
def info(as_json: Json = False) -> None:
    """Say where the cache is and what it holds."""
    from ..codegen.cache import cache_info

    with _usable("read"):
        found = cache_info()
    if as_json:
        print_json({"folder": str(found.folder), "modules": found.modules, "bytes": found.bytes})
        return
    print(f"{found.folder}: {told(found.modules, 'compiled module')}, {found.bytes} bytes")


@cache.command("clear")
def clear(as_json: Json = False) -> None:
    """Empty the cache."""
    from ..codegen.cache import cache_clear

    with _usable("emptied"):
        removed = cache_clear()
    if as_json:
        print_json({"removed": removed})
    else:
        print(f"removed {told(removed, 'compiled module')}")
