"""A run as a film: one HTML page without a network, or a video made by ffmpeg."""

from __future__ import annotations

import base64
import json
import shutil
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ToolchainError, UsageError
from ..model import Model
from ..runtime.evaluation.arrays import real_numbers, shaped
from ..runtime.extras import require
from ..runtime.files import check_folder, made_beside
from ..runtime.motions.results import Run
from ..runtime.vibration.modes import Modes
from .drawing.figure import Figure, figure
from .drawing.mechanism import view_of
from .drawing.places import Floats, places, with_parameters
from .drawing.vibrating import vibrating
from .environment import environment

#: Frames at most, and numbers that a page holds at most.
MOST_FRAMES, MOST_NUMBERS = 600, 1_500_000
#: Frames a second of a video, and seconds that a mode's period lasts in a film.
RATE, PERIOD = 30, 1.5
VIDEOS = (".mp4", ".webm", ".gif")


@dataclass(frozen=True, eq=False)
class Animation:
    """A film of a run; a notebook plays it.

    `html` is a page of its own: play, pause, scrub, speed, the trace of a point; in space a drag
    turns the view. `save(path)` writes it as .html, or with ffmpeg as .mp4, .webm or .gif. Of a
    mode it goes on over and over, and `plays` is how many seconds once through takes; 0: as many as
    the motion.
    """

    title: str
    figure: Figure
    view: Floats
    plays: float = 0.0

    @property
    def html(self) -> str:
        """The page, self-contained."""
        template = environment().get_template("html/animation.html.jinja")
        return template.render(title=self.title, film=_film(self))

    def save(self, path: str | Path) -> None:
        """Write the film, whole or not at all.

        Raises
            UsageError: another suffix, or a folder that cannot be written.
            ToolchainError: a video needs ffmpeg, and matplotlib (extra `plot`).
        """
        path = Path(path)
        if path.suffix not in (".html", *VIDEOS):
            known = ", ".join((".html", *VIDEOS))
            raise UsageError(f"{path}: a film is saved as {known}, not {path.suffix!r}")
        check_folder(path.parent)
        with made_beside(path.parent) as scratch:
            if path.suffix == ".html":
                (scratch / path.name).write_text(self.html, encoding="utf-8")
            else:
                _video(self, scratch / path.name)

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{page}" style="width: 100%; height: 560px; border: 0" '
            f'title="{escape(self.title, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Animation: {self.title}, {len(self.figure.times)} frames>"


def animate(run: Run) -> Animation:
    """The film of a run, from its own records: at most 600 of them, evenly chosen."""
    values = {name: x for name, x in run.attrs.items() if isinstance(x, float)}
    return _film_of(with_parameters(run.model, values), run.q, run.time)


def animate_states(model: Model, q: npt.ArrayLike, t: npt.ArrayLike | None = None) -> Animation:
    """The film of states, one after another; without times a video's `RATE`.

    Raises
        UsageError: less than two states, a shape that does not fit, times that do not grow, or a
            number that is not finite.
    """
    given = np.atleast_1d(real_numbers("q", q))
    states = shaped("q", given, (len(given), len(model.coordinates)))
    count = len(states)
    times = np.arange(count) / RATE if t is None else shaped("t", t, (count,))
    if count < 2 or not (np.diff(times) > 0).all():
        raise UsageError("a film is of two states or more, at times that grow")
    return _film_of(model, states, times)


def animate_mode(modes: Modes, mode: int, amplitude: float | None) -> Animation:
    """The film of a mode over a period, told apart by its number and frequency."""
    if modes.model.beams:
        found = figure(vibrating(modes, mode, modes.times(mode), amplitude), spun=True)
    else:
        times, q = modes.motion(mode, **{} if amplitude is None else {"amplitude": amplitude})
        found = figure(places(modes.model, q, times), spun=True)
    title = f"{modes.model.name}, mode {mode}, {modes.said(mode)}"
    return Animation(title, found, view_of(modes.model), PERIOD)


def _film_of(model: Model, q: Floats, times: Floats) -> Animation:
    per_frame = 40 * max(1, len(model.bodies))
    frames = max(2, min(MOST_FRAMES, MOST_NUMBERS // per_frame, len(times)))
    rows = np.unique(np.linspace(0, len(times) - 1, frames).round().astype(int))
    found = figure(places(model, q[rows], times[rows]))
    span = f"{times[0]:g} to {times[-1]:g} s"
    return Animation(f"{model.name}, {span}", found, view_of(model))


def _film(of: Animation) -> str:
    """What the page's script reads: vertices in 16 bits of their range, strokes, marks, names."""
    found = of.figure
    width = found.dimension
    vertices = found.vertices[..., :width]
    low, high = vertices.min(axis=(0, 1)), vertices.max(axis=(0, 1))
    step = float((high - low).max()) / 65535 or 1.0
    numbers = np.round((vertices - low) / step).astype("<u2")
    traced = found.hinges
    centres = {mark.owner: mark.vertex for mark in found.marks if mark.role == "centre"}
    film = {
        "dimension": width,
        "times": [float(f"{t:.12g}") for t in found.times],
        "plays": of.plays,
        "count": int(vertices.shape[1]),
        "low": low.tolist(),
        "step": step,
        "numbers": base64.b64encode(numbers.tobytes()).decode("ascii"),
        "strokes": [[s.role, list(s.vertices), s.closed] for s in found.strokes],
        "marks": [[m.role, m.vertex, m.beside] for m in found.marks],
        "points": [
            *([f"hinge {name}", vertex] for name, vertex in traced.items()),
            *([f"centre of {name}", vertex] for name, vertex in centres.items()),
        ],
        "view": of.view.tolist(),
    }
    # No text of a model may end the script that holds it.
    return json.dumps(film, separators=(",", ":")).replace("<", "\\u003c")


def _video(film: Animation, path: Path) -> None:
    if shutil.which("ffmpeg") is None:
        raise ToolchainError(
            f"a video ({path.suffix}) is made by ffmpeg, which is not on the PATH",
            remedy="install ffmpeg (apt install ffmpeg, brew install ffmpeg), or save as .html",
        )
    motion = require("matplotlib.animation", extra="plot", purpose="a video")
    found = film.figure
    span = float(found.times[-1] - found.times[0])
    count = max(2, round((film.plays or span) * RATE))
    rows = np.searchsorted(found.times, np.linspace(found.times[0], found.times[-1], count))
    rows = np.minimum(rows, len(found.times) - 1)
    canvas, draw = _canvas(film)
    made = motion.FuncAnimation(canvas, lambda k: draw(int(rows[k])), frames=count)
    options: dict[str, Any] = (
        {} if path.suffix == ".gif" else {"extra_args": ["-pix_fmt", "yuv420p"]}
    )
    made.save(path, writer=motion.FFMpegWriter(fps=RATE, **options), dpi=120)


def _canvas(film: Animation) -> tuple[Any, Any]:
    """A figure of matplotlib, and what draws a frame on it."""
    figure_type = require("matplotlib.figure", extra="plot", purpose="a video").Figure
    canvas = figure_type(figsize=(6.4, 4.8))
    axes = canvas.add_axes((0.0, 0.0, 1.0, 0.92))  # a layout that is found anew moves the picture
    flat = film.figure.vertices @ film.view.T
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    pad = 0.06 * float((high - low).max() or 1.0)

    def draw(row: int) -> None:
        axes.clear()
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_xlim(low[0] - pad, high[0] + pad)
        axes.set_ylim(low[1] - pad, high[1] + pad)
        said = film.title if film.plays else f"t = {film.figure.times[row]:.2f} s"
        axes.set_title(said, fontsize="medium")
        for stroke in film.figure.strokes:
            at = flat[row, list(stroke.vertices)]
            at = np.vstack([at, at[:1]]) if stroke.closed else at
            faint = stroke.role == "axis"
            axes.plot(*at.T, color="0.6" if faint else "0.1", lw=1.0 if faint else 2.5,
                      ls="--" if faint else "-", solid_capstyle="round")  # fmt: skip
        for mark in film.figure.marks:
            if mark.role in ("pin", "ball"):
                axes.plot(*flat[row, mark.vertex], "o", color="0.1", ms=5)

    return canvas, draw
