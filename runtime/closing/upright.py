"""Which way round the ends of a cut hinge stand, which its conditions do not tell.

A cut demands that axes of its two ends stay at right angles, n·m = 0. So they do if an end is
turned about: a weld's conditions are met after half a turn too. An axis that the hinge's kind never
turns must point the same way at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import GROUND, Beam, End, Hinge
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats
from ..motions.bending import slopes
from .cut_targets import CutTargets

#: Where conditions are met, kept axes differ by nothing or by half a turn; more than this (rad) is
#: the latter.
TURNED = np.pi / 3

#: Steps that turn an end back, the longest of them in rad, and the step of differences.
STEPS, LONGEST, DIFFERENCE = 20, 0.5, 1e-4


@dataclass(frozen=True, eq=False)
class Ends:
    """The two ends of one cut hinge.

    `kept`: axes that must point the same way at both, all of them of a driven hinge. `parent` and
    `child` turn the ends' axes, as CutTargets has them, to those that must: with the moving ground,
    and as a driven hinge is driven.
    """

    targets: CutTargets
    name: str
    kept: tuple[int, ...]
    parent: Floats
    child: Floats

    def turn(self, q: Floats) -> Floats:
        """The child's axes in the parent's."""
        targets = self.targets
        poses = Poses.poses(targets.code, q, t=targets.t, parameters=targets.given or None)
        turn = self.parent.T @ targets.turned(self.name, poses) @ self.child
        one, other = (self._bent(end, q) for end in targets.cut[self.name].ends)
        return np.asarray(turn @ _about(2, other - one, 2) if one or other else turn)

    def _bent(self, end: End, q: Floats) -> float:
        """The angle by which bending turns the section that the end is on, if it is on a beam."""
        model, given = self.targets.model, self.targets.given
        beam = None if end.body == GROUND else model.body(end.body)
        if not isinstance(beam, Beam):
            return 0.0
        part = model.value(beam.point(end.point).position[0]) / model.value(beam.length)
        return float(slopes(model, beam, np.array([part]), q[np.newaxis], given)[0, 0])

    def astray(self, q: Floats) -> Floats:
        """The least rotation vector that takes the kept axes to where the child's are."""
        turn = self.turn(q)
        if len(turn) == 2:
            return np.array([np.arctan2(turn[1, 0], turn[0, 0])])
        return _rotation_vector(turn) if len(self.kept) == 3 else _tilt(self.kept[0], turn)

    def turned_back(self, q: Floats, free: npt.NDArray[np.bool_]) -> Floats:
        """A place where they point the same way, open as it may be."""
        for _ in range(STEPS):
            astray = self.astray(q)
            if np.linalg.norm(astray) < DIFFERENCE:
                break
            change = np.zeros(len(free))
            change[free] = -np.linalg.lstsq(self._slopes(q)[:, free], astray, rcond=1e-6)[0]
            q = self.targets.moved(q, change * LONGEST / max(np.abs(change).max(), LONGEST))
        return q

    def _slopes(self, q: Floats) -> Floats:
        """How the child turns in the parent's axes by each speed."""
        here = self.turn(q)
        unit = DIFFERENCE * np.eye(self.targets.count)
        turns = [self.turn(self.targets.moved(q, dv)) @ here.T for dv in unit]
        return np.column_stack([_axial(turn) for turn in turns]) / DIFFERENCE


def turned_about(targets: CutTargets, q: Floats) -> Ends | None:
    """The first cut hinge that has an end turned about, where its conditions are met."""
    kept = ((name, axes) for name, axes in targets.kept_axes.items() if axes)
    ends = (_ends(targets, targets.cut[name], axes) for name, axes in kept)
    return next((x for x in ends if np.linalg.norm(x.astray(q)) > TURNED), None)


def _ends(targets: CutTargets, hinge: Hinge, kept: tuple[int, ...]) -> Ends:
    """A hinge's ends, as they must stand to each other at the time."""
    parent, child = (_ground(targets, end) for end in hinge.ends)
    if hinge.motion:
        parent = parent @ _driven(targets, hinge)
    return Ends(targets, hinge.name, kept, parent, child)


def _driven(targets: CutTargets, hinge: Hinge) -> Floats:
    """The child's axes in the parent's, as the hinge is driven."""
    from ...model.parts.hinge_kinds import HINGE_KINDS, SIZES
    from ...model.parts.hinge_numbers import pose_of

    kind = HINGE_KINDS[targets.model.dimension][hinge.kind]
    sizes = (getattr(hinge, size.name) for size in SIZES)
    pose = np.asarray(pose_of(kind)(*targets.now((*hinge.motion, *sizes))), float)
    return pose[:, :-1]


def _ground(targets: CutTargets, end: End) -> Floats:
    """The moving ground's axes, if the end is on it: from its angles, about fixed axes in turn."""
    base, d = targets.model.base, targets.model.dimension
    found = np.eye(d)
    if base is None or end.body != GROUND:
        return found
    for axis, angle in enumerate(targets.now(base.angles)):
        found = _about(axis if d == 3 else 2, angle, d) @ found
    return found


def _about(axis: int, angle: float, d: int) -> Floats:
    """The rotation about an axis (0, 1, 2) of space, in the plane about the third one."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(d)
    found[i, i] = found[j, j] = np.cos(angle)
    found[j, i] = np.sin(angle)
    found[i, j] = -found[j, i]
    return found


def _axial(turn: Floats) -> Floats:
    """sin α times the axis of a rotation by α."""
    if len(turn) == 2:
        return np.array([turn[1, 0]])
    rows, columns = (2, 0, 1), (1, 2, 0)
    return np.asarray((turn[rows, columns] - turn[columns, rows]) / 2.0)


def _rotation_vector(turn: Floats) -> Floats:
    """The angle of a rotation times its axis."""
    sine, cosine = _axial(turn), (np.trace(turn) - 1.0) / 2.0
    angle = float(np.arctan2(np.linalg.norm(sine), cosine))
    if cosine > 0.0:
        return sine * (angle / np.sin(angle) if angle else 1.0)
    # Near half a turn the axis is what the symmetric part, c E + (1 − c) a aᵀ, doubles most.
    square = (turn + turn.T) / 2.0 - cosine * np.eye(3)
    axis = square[:, int(np.argmax(np.diagonal(square)))]
    axis = axis / np.linalg.norm(axis)
    return np.asarray(angle * axis * (1.0 if axis @ sine >= 0.0 else -1.0))


def _tilt(i: int, turn: Floats) -> Floats:
    """The rotation vector that takes the i-th axis to where the child's points, the shortest way.

    Of opposite axes any way is as short: the one about the next axis.
    """
    axis, there = np.eye(3)[i], turn[:, i]
    normal = np.cross(axis, there)
    sine, cosine = np.linalg.norm(normal), axis @ there
    about = normal / sine if sine > DIFFERENCE else np.eye(3)[(i + 1) % 3]
    return np.asarray(np.arctan2(sine, cosine) * about)
