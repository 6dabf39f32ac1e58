"""`mstmm export`: a model for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from .screen import Json, ModelName, listed, print_json, working


def export(
    model: ModelName,
    to: Annotated[str, typer.Option(metavar="cmake|fmi3|casadi|wheel|wasm", help="For what.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to.")] = Path(
        "."
    ),
    parameters: Annotated[
        str | None,
        typer.Option(metavar="m,g,…", help="Parameters that stay variables; default: all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a model for other tools: CMake, FMI, CasADi, a Python wheel, WebAssembly.

    Forces along the speeds are inputs, and so are the model's own inputs. See docs/exchange.md.
    """
    from .. import load
    from ..exchange.exports.export import EXPORTS
    from ..exchange.exports.export import export as export_files
    from ..runtime.files import made_beside, made_folder

    if to not in EXPORTS:
        known = "; ".join(f"{name}: {what}" for name, what in EXPORTS.items())
        raise UsageError(f"there is no export to {to!r}; there are: {known}")
    chosen = None if parameters is None else listed(parameters)
    with working(f"exporting {model}"):
        files = export_files(load(model), to, parameters=chosen)
    for folder in sorted({(output / path).parent for path in files}):
        inside = {path: text for path, text in files.items() if (output / path).parent == folder}
        with made_folder(folder), made_beside(folder) as scratch:
            for path, content in inside.items():
                (scratch / Path(path).name).write_bytes(content)
    if as_json:
        print_json({"to": to, "files": [str(output / path) for path in files]})
        return
    for path in files:
        print(output / path)
