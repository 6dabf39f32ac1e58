"""Frames: named places with axes, fixed in bodies or in the ground.

A model's frames are those that it declares, the bodies' own, and the bodies' points. None of them
costs a solver anything that does not ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...blame import blamed_parts
from ..expressions.quantities import Matrix, Quantity, Vector
from .bodies import Beam, Body, End
from .hinges import GROUND

#: What a frame may be called: as files name links, `panda_hand_tcp`, `arm/tool-1`.
NAME = re.compile(r"[A-Za-z0-9_.:/+-]{1,200}")

#: What the ground is called, by models and by their files.
GROUND_NAMES = (GROUND, "ground")


@blamed_parts
@dataclass(frozen=True)
class Frame:
    """A place with axes, fixed in a body (or in the ground, body `0`), such as a tool's centre.

    Shape
        `position`: 2 (planar) or 3 (spatial) components; `axes`: an angle (planar) or 3×3
        direction cosines whose columns are the frame's axes (spatial); `None`: the body's.
    Units
        m, rad.
    Frame
        Body axes, from the body's origin; of the ground inertial axes, or those of the base.
    """

    name: str
    body: str
    position: Vector
    axes: Quantity | Matrix | None = None


def is_own(name: str, body: str) -> bool:
    """Is this what a body's own frame is called?"""
    return name in GROUND_NAMES if body == GROUND else name == body


def every_name(declared: Sequence[Frame], bodies: Sequence[Body | Beam]) -> Iterator[str]:
    """The names of `every_frame`, of which a long chain has too many to make each for its name."""
    names = dict.fromkeys(frame.name for frame in declared)
    rigid = [body for body in bodies if isinstance(body, Body)]
    yield from names
    own = [body.name for body in rigid]
    ends: dict[int, list[str]] = {}  # equal bodies share their points
    for body in rigid:
        if id(body.points) not in ends:
            ends[id(body.points)] = [f":{point.name}" for point in body.points]
        own += [body.name + end for end in ends[id(body.points)]]
    yield from (name for name in own if name not in names) if names else own


def every_frame(
    declared: Sequence[Frame], bodies: Sequence[Body | Beam], dimension: int
) -> Iterator[Frame]:
    """All frames of a model: the declared ones, the bodies' own, their points as `body:point`.

    A declared frame of its body's name stands for that body's own. Beams have none: their points
    move in them.
    """
    yield from declared
    hidden = {frame.name for frame in declared}
    rigid = [body for body in bodies if isinstance(body, Body)]
    own = [Frame(body.name, body.name, (0,) * dimension) for body in rigid]
    points = [
        Frame(str(End(body.name, point.name)), body.name, point.position, point.axes)
        for body in rigid
        for point in body.points
    ]
    yield from (frame for frame in (*own, *points) if frame.name not in hidden)
