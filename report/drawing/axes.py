"""A scene on matplotlib's axes."""

from __future__ import annotations

from typing import Any

from ...runtime.extras import require
from .scene import LOOKS, Circle, Look, Scene, Shape, Text, head

#: A scene's pixels in an inch of a figure of its own.
PIXELS_AN_INCH = 96.0


def figure_of(scene: Scene) -> Any:
    """A new figure that holds the scene at its own size.

    Raises
        ToolchainError: matplotlib is missing (extra `plot`).
    """
    figure = require("matplotlib.figure", extra="plot", purpose="a drawing in matplotlib").Figure
    made = figure(figsize=(scene.width / PIXELS_AN_INCH, scene.height / PIXELS_AN_INCH))
    put(scene, made.add_axes((0.0, 0.0, 1.0, 1.0)))
    return made


def put(scene: Scene, axes: Any) -> None:
    """Draw the scene on axes, as large as they allow; they lose their frame."""
    axes.set_axis_off()
    axes.set_xlim(0.0, scene.width)
    axes.set_ylim(scene.height, 0.0)
    axes.set_aspect("equal")
    room = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    points = 72.0 * min(room.width / scene.width, room.height / scene.height)
    ink = require("matplotlib", extra="plot", purpose="a drawing").rcParams["text.color"]
    for group in scene.groups:
        for shape in group.shapes:
            _put(shape, LOOKS[shape.role], axes, points, ink)


def _put(shape: Shape, look: Look, axes: Any, points: float, ink: str) -> None:
    """One shape; `points` is the length of a pixel."""

    def colour(name: str) -> str:
        return ink if name == "ink" else name

    if isinstance(shape, Text):
        axes.text(
            shape.x,
            shape.y,
            shape.text,
            fontsize=look.size * points,
            color=colour(look.fill),
            alpha=0.7 if look.faint else 1.0,
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
            va="center_baseline",
            fontweight="bold" if look.bold else "normal",
        )
        return
    patches = require("matplotlib.patches", extra="plot", purpose="a drawing")
    style = {
        "linewidth": look.width * points,
        "edgecolor": colour(look.stroke),
        "alpha": 0.6 if look.faint and look.fill == "none" else None,
        "linestyle": (0, [x / look.width for x in look.dash]) if look.dash else "solid",
    }
    if isinstance(shape, Circle):
        round_ = patches.Circle((shape.x, shape.y), shape.radius, **style)
        _fill(round_, look, colour(look.fill))
        axes.add_patch(round_)
        return
    open_ = patches.Polygon(shape.points, closed=shape.closed, joinstyle="round", **style)
    _fill(open_, look if shape.closed else Look(), colour(look.fill))
    axes.add_patch(open_)
    if shape.arrow:
        axes.add_patch(patches.Polygon(head(shape), color=colour(look.stroke), linewidth=0))


def _fill(patch: Any, look: Look, colour: str) -> None:
    if look.fill == "none":
        patch.set_facecolor("none")
    else:
        faint = 0.12 if look.faint else 1.0
        colors = require("matplotlib.colors", extra="plot", purpose="a drawing")
        patch.set_facecolor(colors.to_rgba(colour, faint))
