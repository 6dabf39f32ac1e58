"""What laws in cut hinges exert, for the judge of virtual power.

A cut hinge has no coordinates of its own among the state: the program reads them off the poses of
its sides. Here they are only taken if the hinge's pose at them is that of the sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy as sp

from ...errors import UsageError
from ...model import GROUND, End, Hinge
from ...symbolic.mechanics import laws
from ...symbolic.mechanics.hinges import joint, sizes
from ...symbolic.mechanics.rotation_vector import written_out
from ..forces import Numbers, Pose, Vector

#: How far the pose of a hinge's coordinates may be from that of its sides.
NEAR = mpmath.mpf(10) ** -9


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut hinge with a law: its forces, and its motion subspace in the child's axes."""

    hinge: Hinge
    force: Vector
    subspace: Vector


class Cuts:
    """The cut hinges of a model in which laws act, at a state.

    Raises
        UsageError: the coordinates that are given are not those of the sides' poses.
    Source
        own
    """

    def __init__(
        self,
        of: Numbers,
        found: Iterable[tuple[Hinge, Sequence[Any], Sequence[Any]]],
        state: Mapping[sp.Symbol, Any],
        here: Mapping[str, Pose],
    ) -> None:
        self.of = of
        self.cuts = [
            self._cut(hinge, q, exerted(of, hinge, q, u, state), here) for hinge, q, u in found
        ]

    def power(
        self, here: Mapping[str, Pose], there: Mapping[str, Pose], back: Mapping[str, Pose], h: Any
    ) -> Any:
        """The virtual power of the laws along a motion from `back` to `there`, at speed one."""
        total = mpmath.mpf(0)
        for cut in self.cuts:
            R, _ = self._between(cut.hinge, here)
            (R1, p1), (R2, p2) = (self._between(cut.hinge, x) for x in (there, back))
            moved = R.T * (p1 - p2) / (2 * h)
            W = R.T * (R1 - R2) / (2 * h)
            spin = [(W[2, 1] - W[1, 2]) / 2, (W[0, 2] - W[2, 0]) / 2, (W[1, 0] - W[0, 1]) / 2]
            flat = self.of.model.dimension == 2
            twist = [moved[0], moved[1], spin[2]] if flat else [*moved, *spin]
            speeds = mpmath.lu_solve(cut.subspace, mpmath.matrix(twist))
            total += mpmath.fdot(cut.force, speeds)
        return total

    def _cut(
        self, hinge: Hinge, q: Sequence[Any], force: Sequence[Any], here: Mapping[str, Pose]
    ) -> Cut:
        of = joint(self.of.model.dimension, hinge.kind)
        known = dict(zip(of.q, q, strict=True))
        size = sizes(hinge)

        def matrix(symbolic: sp.Matrix) -> Vector:
            rows = symbolic.xreplace(size).tolist()
            return mpmath.matrix([[self.of.number(x, known) for x in row] for row in rows])

        R, p = self._between(hinge, here)
        d = self.of.model.dimension
        apart = mpmath.norm(matrix(of.position) - p[:d, 0]) + mpmath.norm(
            matrix(of.rotation) - R[:d, :d]
        )
        if apart > NEAR:
            raise UsageError(
                f"the coordinates of the cut hinge {hinge.name} are not those of its sides' poses"
            )
        return Cut(hinge, mpmath.matrix(force), matrix(of.subspace))

    def _between(self, hinge: Hinge, poses: Mapping[str, Pose]) -> Pose:
        """The pose of the child's point as seen from the parent's."""
        (R1, x1), (R2, x2) = (self._frame(end, poses) for end in hinge.ends)
        return R1.T * R2, R1.T * (x2 - x1)

    def _frame(self, end: End, poses: Mapping[str, Pose]) -> Pose:
        model = self.of.model
        grounded = end.body == GROUND
        point = (
            model.ground_point(end.point) if grounded else self.of.body(end.body).point(end.point)
        )
        R, x = poses[end.body]
        axes = mpmath.eye(3)
        if isinstance(point.axes, tuple):
            axes = mpmath.matrix([[self.of.number(y) for y in row] for row in point.axes])
        elif point.axes is not None:
            c, s = (f(self.of.number(point.axes)) for f in (mpmath.cos, mpmath.sin))
            axes = mpmath.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        return R * axes, x + R * self.of.column(point.position)


def loaded(hinge: Hinge) -> bool:
    """Does a law act in a hinge?"""
    return bool(hinge.force or hinge.potential or hinge.stiffness or hinge.damping)


def exerted(
    of: Numbers, hinge: Hinge, q: Sequence[Any], u: Sequence[Any], state: Mapping[sp.Symbol, Any]
) -> list[Any]:
    """The generalised forces of a hinge's law; `state`: all that a law may name, by its name."""
    own = joint(of.model.dimension, hinge.kind)
    values = {laws.inside(s.name): x for s, x in state.items()}
    values |= dict(zip(own.q, q, strict=True)) | dict(zip(own.u, u, strict=True))
    return [
        of.number(written_out(force), values) for force in laws.force(of.model.dimension, hinge)
    ]
