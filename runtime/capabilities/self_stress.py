"""What hinges of closed loops can carry without moving anything, and which of it they do.

Where conditions are redundant, wrenches go round the loops that no motion tells: the loads of the
multipliers in the null space of Jᵀ. A load to which they add nothing is determinate. Of the others
those are taken that together with the rest are least over all hinges: Σ |q|² + |m|² / l² with the
moments m about the points of the hinges' children and the model's length l; or of least energy in
hinges of given compliances. Neither depends on cuts, on directions of transfer or on the algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import UsageError
from ...model import GROUND, Body, End, Model
from ...model.expressions.quantities import Quantity
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .frames import axes_of, check_frame, turned
from .loops import Loops, unrounded
from .poses import Poses

#: Singular values of the scaled Jacobian up to this part of the largest are taken for zero: the
#: square root of what is taken for zero of the compliance.
NEGLIGIBLE = 1e-5

#: A self-stress brings this part of its largest load into a hinge by rounding.
UNTOUCHED = 1e-9

#: Of a hinge: rad/(N m) and m/N.
Compliances = Mapping[str, tuple[float, float]]


@final
class SelfStress:
    """The states of self-stress at places, and the choice among loads that differ by them."""

    def __init__(self, code: Evaluator) -> None:
        self.code = code

    @cached_property
    def _code(self) -> Evaluator:
        from ...symbolic.methods.algorithms import Stresses

        return self.code.companion(Choice.of(Stresses()))

    def determinate(
        self,
        q: npt.ArrayLike,
        *,
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> npt.NDArray[np.bool_]:
        """As `Solver.determinate`."""
        check_frame(frame)
        place = self.code.state("q", q)
        self.code.see_closed("determinate", place, t=t, parameters=parameters)
        found = np.ones((*place.shape[:-1], len(self.code.ends), 6), dtype=bool)
        flat, times = self._flat(place, t)
        told = found.reshape(-1, *found.shape[-2:])
        for rows, basis in self.bases(flat, times, parameters):
            if frame == "body":
                names = [end.partition(":")[0] for end in self.code.ends]
                axes = axes_of(self.code, names, flat[rows], times[rows], parameters)
                basis = turned(axes[:, np.newaxis], basis)
            largest = np.abs(basis).max(axis=(-2, -1), keepdims=True)
            told[rows] = (np.abs(basis) <= UNTOUCHED * largest).all(axis=1)
        return found

    def told(
        self, q: Floats, t: Floats, parameters: Mapping[str, float] | None
    ) -> npt.NDArray[np.bool_] | None:
        """`determinate` of a motion; None where it tells all loads, or with beams."""
        if not self._can_tell:
            return None
        found = SelfStress(anywhere(self.code)).determinate(q, t=t, parameters=parameters)
        return None if found.all() else found

    @property
    def _can_tell(self) -> bool:
        """Is there a self-stress to be found, and are its loads known?"""
        finds = self.code.computes("correction")
        return bool(self.code.conditions) and finds and not self.code.model.beams

    def settled(
        self,
        loads: Floats,
        q: npt.ArrayLike,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        compliances: Compliances | None = None,
    ) -> Floats:
        """Loads (…, nends, 6) in inertial axes, with the self-stress that the law chooses."""
        model = self.code.model.with_parameters(**(parameters or {}))
        weights = self._weights(model, compliances) if compliances is not None else []
        if not self._can_tell:
            return loads
        batch = loads.shape[:-2]
        place = np.broadcast_to(self.code.state("q", q), (*batch, len(self.code.coordinates)))
        flat, times = self._flat(place, np.broadcast_to(self.code.state("t", t), batch))
        found = loads.reshape(-1, *loads.shape[-2:]).copy()
        for rows, basis in self.bases(flat, times, parameters):
            weights = weights or self._weights(model, compliances)
            at = Poses.poses(self.code, flat[rows], t=times[rows], parameters=parameters)
            moved = self._moved(model, basis, at)
            own = self._moved(model, found[rows][:, np.newaxis], at)[:, 0]
            found[rows] += np.einsum("rk,rkec->rec", _least(own, moved, weights), basis)
        return found.reshape(loads.shape)

    def bases(
        self, q: Floats, t: Floats, parameters: Mapping[str, float] | None
    ) -> list[tuple[npt.NDArray[np.int64], Floats]]:
        """By number of states of self-stress: the rows of q that have so many, and their loads.

        Shape
            `q` (n, nq), `t` (n); loads (rows, states, nends, 6) in inertial axes.
        """
        if not self.code.conditions or not len(q):
            return []
        redundant = Loops.redundant(self.code, q, t=t, parameters=parameters)
        some = np.flatnonzero(redundant)
        if not some.size:
            return []
        if self.code.model.beams:
            raise UsageError(
                f"{self.code.model.name}: conditions of loops with beams are redundant; which of "
                "the loads are determinate is known of models without beams alone"
            )
        J = self._code.results("jacobian", q[some], t=t[some], parameters=parameters)["J"]
        J = J.reshape(len(some), len(self.code.conditions), len(self.code.speeds))
        J = unrounded(J, self.code.interface.extents)
        scale = np.abs(J).max(axis=-1, keepdims=True)
        scale = np.where(scale > NEGLIGIBLE * scale.max(axis=-2, keepdims=True), scale, 1.0)
        left, values, _ = np.linalg.svd(J / scale, full_matrices=True)
        ranks = (values > NEGLIGIBLE * values[:, :1]).sum(axis=-1)
        found = []
        for rank in sorted(set(ranks.tolist())):
            rows = np.flatnonzero(ranks == rank)
            multipliers = np.swapaxes(left[rows][:, :, rank:], -1, -2) / scale[rows].swapaxes(
                -1, -2
            )
            if not multipliers.shape[1]:
                continue
            states, times = q[some[rows]][:, np.newaxis], t[some[rows]][:, np.newaxis]
            loads = self._code.results(
                "stresses", states, t=times, parameters=parameters, c=multipliers
            )["loads"]
            found.append((some[rows], loads.reshape(*loads.shape[:-1], -1, 6)))
        return found

    def _flat(self, q: Floats, t: npt.ArrayLike) -> tuple[Floats, Floats]:
        """States and times as rows."""
        flat = np.ascontiguousarray(q).reshape(-1, q.shape[-1])
        times = self.code.state("t", t)
        if times.ndim and times.shape != q.shape[:-1]:
            raise UsageError(f"t has the shape {times.shape} instead of one for each state of q")
        times = np.broadcast_to(times, q.shape[:-1])
        return flat, np.ascontiguousarray(times).reshape(-1)

    def _moved(self, model: Model, loads: Floats, poses: Floats) -> Floats:
        """The loads (rows, …, nends, 6) with moments about the points of the hinges' children."""
        names = {body.name: k for k, body in enumerate(model.bodies)}
        moved = loads.copy()
        for k, (here, child) in enumerate(self._points()):
            if here != child:
                one, other = (_place(model, end, poses, names) for end in (here, child))
                arm = (one - other)[:, np.newaxis]
                moved[..., k, :3] -= np.cross(arm, loads[..., k, 3:])
        return moved

    def _points(self) -> list[tuple[End, End]]:
        """Per end of the loads: that end, and its hinge's end at the child."""
        tips = {str(tip): name for name, (tip, _) in self.code.generated.plan.outputs.items()}
        hinges = {hinge.name: hinge for hinge in self.code.model.hinges}
        return [(End.parse(end), hinges[tips[end]].ends[1]) for end in self.code.ends]

    def _weights(self, model: Model, compliances: Compliances | None) -> list[Floats]:
        """Laws in their order, each a weight (nends, 6) of squares."""
        length = longest_arm(model)
        least = np.tile([1 / length**2] * 3 + [1.0] * 3, (len(self.code.ends), 1))
        if compliances is not None and not isinstance(compliances, Mapping):
            raise UsageError(f"compliances = {compliances!r} must be {{hinge: (moment, force)}}")
        if not compliances:
            return [least]
        tips = {name: str(tip) for name, (tip, _) in self.code.generated.plan.outputs.items()}
        stiff = np.zeros_like(least)
        for name, pair in compliances.items():
            if name not in tips or tips[name] not in self.code.ends:
                raise UsageError(
                    f"compliances: there is no hinge {name!r}; there are: {', '.join(tips)}"
                )
            moment, force = pair
            if not (np.isfinite(pair).all() and min(pair) >= 0.0):
                raise UsageError(
                    f"compliances: {name} = {pair!r} must be two numbers, not negative"
                )
            stiff[self.code.ends.index(tips[name])] = [moment] * 3 + [force] * 3
        return [stiff, least]


def longest_arm(model: Model) -> float:
    """The longest distance of a point from its body's centre of mass, in m; 1 if there is none."""
    arms = [
        np.linalg.norm(_numbers(model, point.position) - _numbers(model, body.centre))
        for body in model.bodies
        if isinstance(body, Body)
        for point in body.points
    ]
    return float(max(arms, default=0.0)) or 1.0


def _numbers(model: Model, vector: tuple[Quantity, ...]) -> Floats:
    return np.array([model.value(x) for x in vector])


def _place(model: Model, end: End, poses: Floats, names: Mapping[str, int]) -> Floats:
    """Where an end is, in inertial axes."""
    own = np.array([0.0, 0.0, 0.0, 1.0])
    ground = end.body == GROUND
    point = model.ground_point(end.point) if ground else model.body(end.body).point(end.point)
    own[: model.dimension] = [model.value(x) for x in point.position]
    if ground:
        return np.broadcast_to(own[:3], (len(poses), 3))
    return np.asarray((poses[:, names[end.body]] @ own)[:, :3])


def _least(loads: Floats, basis: Floats, weights: list[Floats]) -> Floats:
    """How much of each self-stress makes the weighted squares least, law after law.

    Shape
        `loads` (rows, nends, 6), `basis` (rows, k, nends, 6); (rows, k).
    """
    rows, count = basis.shape[:2]
    amounts = np.zeros((rows, count))
    free = np.broadcast_to(np.eye(count), (rows, count, count))
    for weight in weights:
        root = np.sqrt(weight)
        columns = np.swapaxes((root * basis).reshape(rows, count, -1), -1, -2)
        have = (root * loads).reshape(rows, -1)[..., np.newaxis] + columns @ amounts[..., None]
        left, values, right = np.linalg.svd(columns @ free, full_matrices=False)
        kept = values > UNTOUCHED * np.maximum(values[:, :1], 1e-300)
        inverse = np.where(kept, 1.0, 0.0) / np.where(kept, values, 1.0)
        back = np.swapaxes(right, -1, -2)
        step = back @ (inverse[..., None] * (np.swapaxes(left, -1, -2) @ -have))
        amounts = amounts + (free @ step)[..., 0]
        free = free @ (np.eye(count) - back @ (kept[..., None] * right))
    return amounts
