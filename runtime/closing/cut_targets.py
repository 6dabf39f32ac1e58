"""Coordinates and speeds that a start asks of cut hinges, which have none in the state.

A cut hinge that stands as asked holds its child's point where the kind's pose puts it: the six (in
the plane three) numbers by which the relative pose differs from that one are further conditions,
and their rates where speeds are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...errors import UsageError
from ...model import GROUND, Beam, End, Hinge, Model
from ...model.expressions.quantities import Quantity, told
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats

if TYPE_CHECKING:
    from ...model.parts.hinge_kinds import HingeKind
    from ..evaluation.evaluator import Evaluator

#: The step of differences of the fourth order: their error and their rounding are near 1e-13.
STEP = 1e-3

#: Those differences: places in steps, and weights.
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))

#: Passes that find the coordinates of a cut hinge; they converge quadratically.
PASSES = 30


class CutTargets:
    """What is asked of the cut hinges of one model, as conditions on its state."""

    def __init__(self, code: Evaluator, parameters: dict[str, float], t: float) -> None:
        self.t = t
        self.code = code
        self.given = parameters
        self.count = len(code.speeds)
        self.places: dict[str, Floats] = {}
        self.speeds: dict[str, Floats] = {}
        self._known: dict[tuple[Quantity, ...], Floats] = {}

    @cached_property
    def model(self) -> Model:
        """The model at the parameters that are given."""
        model = self.code.model
        if not self.given:
            return model
        return replace(model, parameters={**model.parameters, **self.given})

    @cached_property
    def cut(self) -> dict[str, Hinge]:
        """The cut hinges by name."""
        return {hinge.name: hinge for hinge in self.model.hinges if hinge.name in self.model.cuts}

    @property
    def kept_axes(self) -> Mapping[str, tuple[int, ...]]:
        """Of the cut hinges the axes that must point the same way at both ends."""
        return self.code.model.kept_axes

    # What is asked

    def ask_of(self, model: Model) -> None:
        """Ask what the model's start asks of cut hinges; a guess is of no use."""
        for asked in model.asked:
            if asked.values and asked.fixed is not False:
                self._ask(asked.owner, asked.values, asked.speeds)

    def ask(self, name: str, value: Floats) -> bool:
        """Ask this of a cut hinge, by its name, or of its speeds; False if the name means none."""
        for hinge in self.cut.values():
            place = name == hinge.name or (name,) == self.model.hinge_coordinates(hinge)
            if place or (name,) == self.model.hinge_speeds(hinge):
                self._ask(hinge.name, value, speeds=not place)
                return True
        return False

    def _ask(self, name: str, values: Sequence[float] | Floats, speeds: bool) -> None:
        kind = self._kind(name)
        count = kind.speeds if speeds else kind.coordinates
        if len(values) != count:
            raise UsageError(f"{name} has {told(len(values), 'value')} instead of {count}")
        bodies = [end.body for end in self.cut[name].ends if end.body != GROUND]
        if self.model.base or any(isinstance(self.model.body(body), Beam) for body in bodies):
            raise UsageError(
                f"nothing can be asked of the start of {name}: it is cut, and on a beam or a "
                "moving ground; cut another hinge of its loop (cuts)"
            )
        (self.speeds if speeds else self.places)[name] = np.array(values, float)

    def _kind(self, name: str) -> HingeKind:
        from ...model.parts.hinge_kinds import HINGE_KINDS

        return HINGE_KINDS[self.model.dimension][self.cut[name].kind]

    # Conditions

    def said(self) -> str:
        """What is asked of places, in words."""
        parts = (
            (name, ", ".join(f"{x:.6g}" for x in place)) for name, place in self.places.items()
        )
        return ", ".join(f"{name} = {place}" for name, place in parts)

    def without_any(self) -> CutTargets:
        """The same, with nothing asked."""
        return CutTargets(self.code, self.given, self.t)

    def at(self, t: float) -> CutTargets:
        """The same at another time."""
        found = copy(self)
        found.t = t
        return found

    def now(self, quantities: Iterable[Quantity]) -> list[float]:
        """Quantities at the parameters' values and the time."""
        from ...model.expressions.quantities import TIME, exact_expression

        return [self.model.value(exact_expression(x).subs(TIME, self.t)) for x in quantities]

    @property
    def _rows(self) -> int:
        return 3 if self.model.dimension == 2 else 6

    def gap(self, q: Floats) -> Floats:
        """How far the cut hinges are from the coordinates that are asked."""
        return _joined([self._gap(name, q, place) for name, place in self.places.items()])

    def slopes(self, q: Floats, *, speeds: bool) -> Floats:
        """How the poses of the cut hinges of which places (or speeds) are asked change by v."""
        rows = [np.zeros((0, self.count))]
        for name in self.speeds if speeds else self.places:
            place = self._coordinates(name, q) if speeds else self.places[name]

            def gap(dv: Floats, name: str = name, place: Floats = place) -> Floats:
                return self._gap(name, self.moved(q, dv), place)

            rows.append(_slopes(gap, self.count))
        return np.vstack(rows)

    def rate(self, q: Floats, v: Floats) -> Floats:
        """How fast the cut hinges leave the motion with the speeds that are asked."""
        if not self.speeds:
            return np.zeros(0)
        from ...model.parts.hinge_numbers import rates_of

        parts = []
        for name, u in self.speeds.items():
            place = self._coordinates(name, q)
            turning = np.ravel(rates_of(self._kind(name))(*place, *u))

            def gap(
                h: Floats, name: str = name, place: Floats = place, rates: Floats = turning
            ) -> Floats:
                return self._gap(name, self.moved(q, h * v), place + h * rates)

            parts.append(_slopes(gap, 1)[:, 0])
        return _joined(parts)

    def moved(self, q: Floats, dv: Floats) -> Floats:
        """The place that is reached with these speeds in one second, straight on."""
        return Poses.retracted(self.code, q + Poses.rates(self.code, q, dv, parameters=self.given))

    def _coordinates(self, name: str, q: Floats) -> Floats:
        """The coordinates of a cut hinge that is closed, by Gauss–Newton from what is asked."""
        kind = self._kind(name)
        rest = np.array([float(s.name == "q_Qw") for s in kind.q])
        place = self.places.get(name, rest)
        for _ in range(PASSES if len(rest) else 0):
            at = place

            def gap(change: Floats, at: Floats = at) -> Floats:
                return self._gap(name, q, at + change)

            J = _slopes(gap, len(rest))
            change = -np.linalg.lstsq(J, self._gap(name, q, at), rcond=None)[0]
            place = at + change
            if np.abs(change).max() < STEP**4:
                break
        return place

    # The pose of a hinge

    def _gap(self, name: str, q: Floats, place: Floats) -> Floats:
        """By how much the child's point and axes miss the pose of these coordinates."""
        from ...model.parts.hinge_kinds import SIZES
        from ...model.parts.hinge_numbers import pose_of

        hinge, d = self.cut[name], self.model.dimension
        poses = Poses.poses(self.code, q, t=self.t, parameters=self.given)
        (R, r), (Rc, rc) = (self._end(end, poses) for end in hinge.ends)
        sizes = self._numbers(tuple(getattr(hinge, size.name) for size in SIZES))
        pose = np.asarray(pose_of(self._kind(name))(*place, *sizes), float)
        turn = pose[:, :d].T @ R.T @ Rc
        return np.concatenate([R.T @ (rc - r) - pose[:, d], _vector(turn)])

    def turned(self, name: str, poses: Floats) -> Floats:
        """The axes of a cut hinge's child in those of its parent, at poses of the bodies.

        Shape
            `poses` (…, nbodies, 4, 4); (…, 3, 3), in the plane (…, 2, 2).
        """
        (R, _), (Rc, _) = (self._end(end, poses) for end in self.cut[name].ends)
        return np.asarray(np.swapaxes(R, -1, -2) @ Rc)

    def _end(self, end: End, poses: Floats) -> tuple[Floats, Floats]:
        """The axes and the place of a hinge's end, in the inertial frame."""
        from ...symbolic.mechanics.constants import axes_of

        d, model = self.model.dimension, self.model
        if end.body == GROUND:
            point, R, r = model.ground_point(end.point), np.eye(d), np.zeros(d)
        else:
            point = next(p for p in model.body(end.body).points if p.name == end.point)
            pose = poses[..., [body.name for body in model.bodies].index(end.body), :, :]
            R, r = pose[..., :d, :d], pose[..., :d, 3]
        axes = self._numbers(tuple(axes_of(point, d))).reshape(d, d)
        return R @ axes, r + R @ self._numbers(tuple(point.position))

    def _numbers(self, quantities: tuple[Quantity, ...]) -> Floats:
        """Quantities at the parameters' values."""
        if quantities not in self._known:
            self._known[quantities] = np.array([self.model.value(x) for x in quantities])
        return self._known[quantities]


def _slopes(function: Callable[[Floats], Floats], count: int) -> Floats:
    """How a function of `count` numbers changes by each of them at zero."""
    columns = [
        sum(weight * function(steps * STEP * e) for steps, weight in STENCIL) / STEP
        for e in np.eye(count)
    ]
    return np.column_stack(columns)


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0), *parts])


def _vector(turn: Floats) -> Floats:
    """The vector of a rotation: its angle times its axis."""
    if len(turn) == 2:
        return np.array([np.arctan2(turn[1, 0], turn[0, 0])])
    axial = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine, cosine = np.linalg.norm(axial) / 2.0, (np.trace(turn) - 1.0) / 2.0
    angle = np.arctan2(sine, cosine)
    return axial / 2.0 * (angle / sine if sine > STEP**4 else 1.0)
