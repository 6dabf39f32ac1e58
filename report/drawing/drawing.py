"""A model's drawing as people hold it: shown in a notebook, saved, put on axes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...model import Model
from ...runtime.derived import Derived
from ...runtime.files import check_folder, made_beside
from ...symbolic.methods.algorithms import Dca
from ...symbolic.methods.divide.program import assembly_of
from ...symbolic.plans.plan import plan
from .assembly import assembly_scene
from .axes import figure_of, put
from .mechanism import mechanism
from .numbering import NUMBERINGS, numbered
from .scene import Scene
from .svg import svg
from .topology import topology

SUFFIXES = (".svg", ".png", ".pdf")
KINDS = ("topology", "mechanism")


@dataclass(frozen=True)
class Drawing:
    """A drawing; a notebook shows it.

    `svg` is the text of a self-contained SVG element, `on(ax)` puts the drawing on matplotlib's
    axes, `figure()` on a new figure, `save(path)` writes it as .svg, .png or .pdf.
    """

    scene: Scene

    @property
    def svg(self) -> str:
        """The text of an SVG element, for a page or a file."""
        return svg(self.scene)

    def on(self, axes: Any) -> Any:
        """Draw on matplotlib's axes, which lose their frame; the axes."""
        put(self.scene, axes)
        return axes

    def figure(self) -> Any:
        """A new figure of matplotlib with the drawing.

        Raises
            ToolchainError: matplotlib is missing (extra `plot`).
        """
        return figure_of(self.scene)

    def save(self, path: str | Path) -> None:
        """Write the drawing into a file, whole or not at all.

        Raises
            UsageError: another suffix than .svg, .png, .pdf, or a folder that cannot be written.
            ToolchainError: .png and .pdf need matplotlib (extra `plot`).
        """
        path = Path(path)
        if path.suffix not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise UsageError(f"{path}: a drawing is saved as {known}, not {path.suffix!r}")
        check_folder(path.parent)
        with made_beside(path.parent) as scratch:
            if path.suffix == ".svg":
                (scratch / path.name).write_text(self.svg, encoding="utf-8")
            else:
                self.figure().savefig(scratch / path.name, dpi=192)

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        size = f"{self.scene.width:.0f} by {self.scene.height:.0f}"
        return f"<Drawing: {self.scene.title}, {size} pixels>"


def draw(
    model: Model,
    kind: str = "topology",
    ax: Any = None,
    numbering: str = "model",
    axes: bool = False,
) -> Drawing:
    """The drawing of a model, on matplotlib's axes `ax` too if they are given.

    Raises
        UsageError: another kind than topology and mechanism, another numbering than model and
            paper, axes of points in a topology.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no drawing {kind!r}; there are: {', '.join(KINDS)}")
    if numbering not in NUMBERINGS:
        raise UsageError(f"there is no numbering {numbering!r}; there are: {', '.join(NUMBERINGS)}")
    if axes and kind == "topology":
        raise UsageError("a topology has no places: axes of points are in kind 'mechanism'")
    scene = topology(model) if kind == "topology" else mechanism(model, axes=bool(axes))
    drawing = Drawing(numbered(scene, plan(model)) if numbering == "paper" else scene)
    if ax is not None:
        drawing.on(ax)
    return drawing


def of_derivation(derived: Derived, kind: str) -> Drawing:
    """How an algorithm goes through a model: the topology of its plan, or its assembly tree.

    Raises
        UsageError: another kind, or a tree of an algorithm that has none.
    """
    if kind == "topology":
        return Drawing(topology(derived.plan))
    if kind != "assembly":
        raise UsageError(f"there is no drawing {kind!r}; there are: topology, assembly")
    algorithm = derived.algorithm
    if not isinstance(algorithm, Dca):
        raise UsageError(f"{algorithm.name} has no assembly tree; dca and hdca have")
    tree = assembly_of(derived.plan, algorithm.name, algorithm.assembly)
    return Drawing(assembly_scene(tree, f"Assembly tree of {derived.model.name}"))
