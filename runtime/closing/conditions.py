"""The conditions φ(q) = 0 that closed loops set a place, scaled, with their slopes J."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..capabilities.loops import Loops
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .cut_targets import CutTargets
from .upright import Ends, turned_about

#: Loops are closed within this part of their size: some ten thousand roundings.
CLOSED = 1e-12

#: What is left of conditions by rounding, in parts of the largest slope. Beside a singular position
#: the slopes of some are small: to close those farther would move the place by that rounding
#: divided by the distance, and turn the speeds by as much again.
ROUNDED = 8 * float(np.finfo(np.float64).eps)

#: A column of J is independent of others if this much of its length is.
INDEPENDENT = 1e-7


@dataclass(frozen=True, eq=False)
class Conditions:
    """What the loops of one model demand at one time, and what is asked of cut hinges besides.

    Conditions and speeds are scaled so that both are of the order of radians.
    """

    code: Evaluator
    targets: CutTargets
    t: float
    parameters: Mapping[str, float] | None

    @property
    def name(self) -> str:
        """The model's."""
        return self.code.model.name

    @property
    def count(self) -> int:
        """How many speeds there are."""
        return len(self.code.speeds)

    def of_loops(self) -> Conditions:
        """The same, with nothing asked of cut hinges."""
        return replace(self, targets=self.targets.without_any())

    def at(self, t: float) -> Conditions:
        """The same at another time."""
        return replace(self, t=t, targets=self.targets.at(t))

    def slopes(self, q: Floats, *, speeds: bool = False) -> tuple[Floats, Floats, Floats]:
        """J, divided by the scales of rows and columns, with both.

        With `speeds` the conditions are those of the motion, else those of the place.
        """
        _, rates = self.opening(q, np.vstack([np.eye(self.count), np.zeros(self.count)]))
        J = np.vstack([(rates[:-1] - rates[-1]).T, self.targets.slopes(q, speeds=speeds)])
        rows = np.abs(J).max(axis=1, initial=0.0)
        rows[rows < INDEPENDENT * rows.max(initial=1.0)] = 1.0
        J = J / rows[:, np.newaxis]
        columns = np.abs(J).max(axis=0, initial=0.0)
        # What moves no loop, such as a floating base, has a slope of rounding alone.
        columns[columns < INDEPENDENT * columns.max(initial=1.0)] = 1.0
        return J / columns, rows, columns

    def sizes(self, rows: Floats) -> Floats:
        """What is large of each condition: the model's length, or 1 of directions.

        Beside it slopes may be small, which scaled by themselves, in `rows`, are not. Of what is
        asked of cut hinges it is `rows`.
        """
        own = np.array(self.code.interface.closed) / CLOSED
        return np.concatenate([own, rows[len(own) :]])

    def sized(self, q: Floats) -> Floats:
        """J with its columns scaled, each row divided by what is large of its condition."""
        J, rows, _ = self.slopes(q)
        return np.asarray(J * (rows / self.sizes(rows))[:, np.newaxis])

    def gap(self, q: Floats) -> Floats:
        """φ(q), not scaled."""
        gap, _ = self.opening(q, np.zeros(self.count))
        return np.concatenate([gap, self.targets.gap(q)])

    def left(self, q: Floats, rows: Floats) -> Floats:
        """The scaled gap, without what is rounding."""
        return unrounded(self.gap(q), rows) / rows

    def opening(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The gap of the loops and its rate."""
        return Loops.constraints(self.code, q, v, t=self.t, parameters=self.parameters)

    def are_met(self, q: Floats) -> bool:
        """Are the loops closed there?"""
        _, rows, _ = self.slopes(q)
        met = bool(np.abs(self.left(q, rows)).max(initial=0.0) <= CLOSED)
        return met and not self.turned_about(q)

    def turned_about(self, q: Floats) -> Ends | None:
        """A cut hinge whose conditions are met with an end turned about, if there is one."""
        return turned_about(self.targets, q)

    def stepped(self, q: Floats, dv: Floats) -> Floats:
        """The place that is reached with these speeds in one second, straight on."""
        rates = Poses.rates(self.code, q, dv, parameters=self.parameters)
        return Poses.retracted(self.code, np.add(q, rates))


def unrounded(values: Floats, slopes: Floats) -> Floats:
    """Values of conditions with these slopes; zero where they are rounding."""
    return np.where(np.abs(values) <= ROUNDED * slopes.max(initial=0.0), 0.0, values)
