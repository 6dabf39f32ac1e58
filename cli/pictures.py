"""`mstmm draw`: a model as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .given import Settings, model_of
from .screen import ModelName


def draw(
    model: ModelName,
    kind: Annotated[
        str, typer.Option(metavar="topology|mechanism", help="What to draw.")
    ] = "topology",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .svg, .png or .pdf; default: MODEL-KIND.svg."
        ),
    ] = None,
    numbering: Annotated[
        str,
        typer.Option(
            metavar="model|paper",
            help="Names as the model has them, or the Riccati paper's numbers, from the tips.",
        ),
    ] = "model",
    axes: Annotated[
        bool, typer.Option("--axes", help="A mechanism with the axes of its points.")
    ] = False,
    settings: Settings = None,
) -> None:
    """Draw the topology as the transfer matrix papers do, or the mechanism at its start."""
    found = model_of(model, settings)
    drawing = found.draw(kind, numbering=numbering, axes=axes)
    path = output or Path(f"{found.name}-{kind}.svg")
    drawing.save(path)
    print(f"{path}: {drawing.scene.title}, {drawing.scene.width:.0f} x {drawing.scene.height:.0f}")
