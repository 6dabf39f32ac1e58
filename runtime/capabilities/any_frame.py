"""Frames that are chosen at run time: the code that has any of them, and how one is told to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...codegen.face.choice import Choice
from ...errors import UsageError
from ...model import Frame, Model
from ...model.parts.naming import nearest
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .result import There, Told, read_out

#: In place of frames' names, as algorithms have it: one that is told at run time.
ANY = "*"

#: By name the algorithms that have code of any frame.
TOLD = {name: Choice.named(name, frames=(ANY,)) for name in ("frames", "kinematics")}
TOLD["reaching"] = Choice.named("reaching", frame=ANY)


def chosen_frames(code: Evaluator, frames: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of the frames that are meant: all, if none are named.

    Raises
        UsageError: there is no such frame.
    """
    every = code.model.every_frame
    if frames is None:
        return tuple(every)
    if not isinstance(frames, str | Sequence):
        raise UsageError(f"frames = {frames!r} must be a name or a list of names")
    names = (frames,) if isinstance(frames, str) else tuple(frames)
    for name in names:
        if name not in every:
            raise UsageError(
                f"{code.model.name} has no frame {name!r}{nearest(str(name), every)}; "
                "solver.frames lists them"
            )
    return names


def told_of(
    code: Evaluator,
    frames: str | Sequence[str] | None,
    entry: str,
    axes: Mapping[str, tuple[int, ...]],
    makes: Callable[..., Any] | None = None,
    algorithm: str = "frames",
) -> Told:
    """Where the numbers of frames stand, of a name by itself without an axis for it.

    Raises
        UsageError: there is no such frame.
    """
    held = choice_of(code, chosen_frames(code, frames))
    if isinstance(frames, str):
        held = {name: x[0] for name, x in held.items()}
    return Told(code_of(code, algorithm), entry, axes, held, makes)


def code_of(code: Evaluator, algorithm: str = "frames") -> Evaluator:
    """The code that has any frame."""
    return code.companion(TOLD[algorithm])


def of_frames(there: There, told: Told, names: Sequence[str], one: bool, **given: Any) -> Any:
    """The numbers of these frames, along an axis; of `one` without it. Zero where nothing moves."""
    code = there.code
    held = choice_of(code, names, given["parameters"])
    if one:
        held = {name: x[0] for name, x in held.items()}
    if told.code.has(told.entry):
        return read_out(there, replace(told, held=held), **given)
    batch = code.state("q", given["q"]).shape[:-1]
    found = [np.zeros((*batch, *([] if one else [len(names)]), *x)) for x in told.axes.values()]
    return told.makes(*found) if told.makes else found[0]


def choice_of(
    code: Evaluator, names: Sequence[str], parameters: Mapping[str, float] | None = None
) -> dict[str, Floats]:
    """What tells frames: which body has each, and its axes and origin there.

    Shape
        `which` (nframes, nbodies), `axes` (nframes, d²), `place` (nframes, d).
    """
    model, d = code.model, code.model.dimension
    if parameters:
        model = replace(model, parameters={**model.parameters, **parameters})
    frames = [model.every_frame[name] for name in names]
    places = np.array([offset(model, frame) for frame in frames]).reshape(-1, 4, 4)
    which = [[float(body == frame.body) for body in code.bodies] for frame in frames]
    return {
        "which": np.array(which).reshape(len(frames), len(code.bodies)),
        "axes": places[:, :d, :d].reshape(-1, d * d),
        "place": places[:, :d, 3].copy(),
    }


def offset(model: Model, frame: Frame) -> Floats:
    """A frame's place in its body, as a homogeneous transform (4, 4)."""
    d, found = model.dimension, np.eye(4)
    found[:d, 3] = [model.value(x) for x in frame.position]
    if isinstance(frame.axes, tuple):
        found[:3, :3] = [[model.value(x) for x in row] for row in frame.axes]
    elif frame.axes is not None:
        c, s = math.cos(model.value(frame.axes)), math.sin(model.value(frame.axes))
        found[:2, :2] = [[c, -s], [s, c]]
    return found
