"""A model that moves in a mode, its exact beams bent as their own equations say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...model import Beam, Body, Point
from ...runtime.vibration.inside import Inside
from ...runtime.vibration.modes import Modes
from ...runtime.vibration.strains import Field
from .places import SECTIONS, Floats, Places

#: How large a mode is drawn, as a part of the model.
SHOWN = 0.08

#: Sections that are drawn of each cell, and of a beam at most.
OF_CELL, MOST = 4, 257


@dataclass(frozen=True, eq=False)
class Vibrating(Places):
    """A mode, so many times as large as it is given: `amounts`.

    Shape
        `amounts` (T); `poses` those at rest, (1, nbodies, 4, 4).
    """

    modes: Modes
    mode: int
    amounts: Floats
    fields: dict[tuple[str, bytes], Field] = field(default_factory=dict)

    def frame(self, body: str) -> Floats:
        if body not in self._moved:
            return super().frame(body)
        return self._moved[body]

    @cached_property
    def _moved(self) -> Mapping[str, Floats]:
        """The bodies' frames: turned, and shifted at the centre of mass; beams stay at rest."""
        rest, found = resting(self.modes.inside), dict[str, Floats]()
        moved = dict(zip(self.modes.names["body"], self.modes.bodies[self.mode - 1], strict=True))
        for body in self.model.bodies:
            frame = np.broadcast_to(rest[body.name], (len(self.times), 4, 4)).copy()
            if isinstance(body, Body):
                turn, move = np.split(self.amounts[:, np.newaxis] * moved[body.name], 2, axis=1)
                centre = np.array([*(self.model.value(x) for x in body.centre), 0.0])[:3]
                frame[:, :3, :3] = turned(turn) @ frame[:, :3, :3]
                at = rest[body.name][:3, :3] @ centre + rest[body.name][:3, 3]
                frame[:, :3, 3] = at + move - frame[:, :3, :3] @ centre
            found[body.name] = frame
        return found

    def sections(self, beam: Beam) -> int:
        cells = len(self.modes.inside.cells[beam.name])
        return max(SECTIONS, min(MOST, OF_CELL * cells + 1))

    def along(self, beam: Beam, xs: Floats) -> Floats:
        return self._at(beam, xs)[0]

    def _at(self, beam: Beam, xs: Floats) -> tuple[Floats, Floats]:
        """Displaced places of sections and their turns, (T, len(xs), 3)."""
        key = beam.name, xs.tobytes()
        if key not in self.fields:
            self.fields[key] = self.modes.field(beam.name, xs)
        motion = self.fields[key].motion[self.mode - 1]
        turn, move = np.split(np.multiply.outer(self.amounts, motion), 2, axis=2)
        rest = resting(self.modes.inside)[beam.name]
        return rest[:3, 3] + np.outer(xs, rest[:3, 0]) + move, turn

    def _section(self, beam: Beam, point: Point) -> Floats:
        x = np.array([self.model.value(point.position[0])])
        place, turn = self._at(beam, x)
        frame = np.broadcast_to(resting(self.modes.inside)[beam.name], (len(self.times), 4, 4))
        found = frame @ self._axes(point)
        found[:, :3, :3] = turned(turn[:, 0]) @ found[:, :3, :3]
        found[:, :3, 3] = place[:, 0]
        return found


def vibrating(modes: Modes, mode: int, times: Floats, amplitude: float | None) -> Vibrating:
    """The mode over a period of these times; as large as is good to look at, if not said."""
    rest = np.array([*resting(modes.inside).values()])
    if amplitude is None:
        at = Vibrating(modes.model, np.zeros(1), modes.q, rest, modes, mode, np.zeros(1))
        amplitude = SHOWN * _extent(at) / (_largest(modes, mode) or 1.0)
    amounts = amplitude * np.sin(2 * np.pi * times / times[-1])
    return Vibrating(modes.model, times, modes.q, rest, modes, mode, amounts)


def resting(inside: Inside) -> Mapping[str, Floats]:
    """The frames of bodies and beams at rest, of beams that at x = 0."""
    placed = dict(zip(inside.stiffness.moving, inside.stiffness.placed(), strict=True))
    first = {name: cells[0][1].name for name, cells in inside.cells.items()}
    bodies = inside.stiffness.model.bodies
    return {body.name: placed[first.get(body.name, body.name)] for body in bodies}


def _extent(at: Vibrating) -> float:
    """How large the model is."""
    found = [at.frame(body.name)[0, :3, 3] for body in at.model.bodies]
    found += [at.along(x, np.array([at.model.value(x.length)]))[0, 0] for x in at.model.beams]
    return float(np.linalg.norm(np.ptp(np.array(found), axis=0))) or 1.0


def _largest(modes: Modes, mode: int) -> float:
    """The largest displacement of a mode, of bodies and beams."""
    moves = [modes.bodies[mode - 1, :, 3:]]
    moves += [modes.field(x.name).motion[mode - 1, :, 3:] for x in modes.model.beams]
    return float(np.linalg.norm(np.concatenate(moves), axis=1).max(initial=0.0))


def turned(turn: Floats) -> Floats:
    """Rotations by vectors, (…, 3, 3).

    Source
        Rodrigues.
    """
    angle = np.linalg.norm(turn, axis=-1)[..., np.newaxis, np.newaxis]
    x, y, z = np.moveaxis(turn, -1, 0)
    none = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ([none, -z, y], [z, none, -x], [-y, x, none])]
    tilde = np.stack(rows, axis=-2)
    found: Floats = (
        np.eye(3)
        + np.sinc(angle / np.pi) * tilde
        + np.sinc(angle / (2 * np.pi)) ** 2 / 2 * tilde @ tilde
    )
    return found
