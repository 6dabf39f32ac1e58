"""Inverse kinematics: coordinates that put a frame where it is wanted, within the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model import Model
from ...model.checks.doubts import warn
from ...model.parts.hinge_kinds import ANGLE, HINGE_KINDS, QUATERNION, HingeKind
from ..closing.cut_targets import CutTargets
from ..closing.upright import turned_about
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats, count, finite
from ..evaluation.evaluator import Evaluator
from .any_frame import choice_of, chosen_frames, code_of
from .assembly import assemble
from .poses import Poses

#: More iterations or restarts nobody waits for.
MOST = 1_000_000

#: How far the axes of a target may be from right-handed unit axes.
AXES_SLACK = 1e-6
#: λ² is this part of half the squared error, which makes far steps short and near ones Newton's;
#: at least the second number, so that singular places have a step.
DAMPING, LEAST_DAMPING = 1.0, 1e-12
#: What λ² is multiplied by when a step made it worse, and when it did not.
WORSE, BETTER, LEAST_FACTOR = 8.0, 0.5, 1e-3
#: Longest step of any speed, rad or m.
LONGEST = 1.0
#: Where a start by chance lies if nothing bounds it: rad, and m beside the model's start.
TURN, SHIFT = np.pi, 1.0

Flags = npt.NDArray[np.bool_]
#: A coordinate that comes to its limit from within is said to be there from here on (m, rad): the
#: nearest place is flat in it.
AT_LIMIT = 1e-4

Indices = npt.NDArray[np.intp]
Results = dict[str, Floats]


def inverse_kinematics(
    code: Evaluator,
    frame: str,
    target: npt.ArrayLike,
    q0: npt.ArrayLike | None = None,
    *,
    position: bool = True,
    orientation: bool = True,
    limits: bool = True,
    tolerance: float = 1e-9,
    iterations: int = 100,
    restarts: int = 20,
    seed: int = 0,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """Coordinates at which a frame is at the target, near `q0` (the model's start by default).

    `target` is a pose, or a place alone; of a pose `position` or `orientation` may be left
    out. With `limits` every coordinate stays within `model.position_limits`; one that is held
    at its end leaves the motion to the others. Closed loops are closed and couplings kept at
    the answer. Where the way from `q0` ends before the target, it begins anew at up to
    `restarts` places by chance (`seed`). There may be many answers; one is given.

    Shape
        `target` (…, 4, 4) or (…, 3), `q0` (…, nq); (…, nq).
    Units
        m, rad; `tolerance` of every component of the error: m, rad.
    Frame
        Inertial, as `poses`.
    Raises
        UsageError: there is no such frame, the target is no pose, the model has beams or
            absolute coordinates, a shape that does not fit.
        NumericsError: a target was not reached; it says what is left at the nearest place.
    Source
        Damped least squares (Nakamura and Hanafusa 1986, Wampler 1986); λ² follows the error
        (Sugihara 2011). Held coordinates are own.
    """
    (name,) = chosen_frames(code, (frame,))
    poses, task = _targets(code.model, target, position, orientation)
    if limits:
        _warn_of_cuts(code.model)
    start = assemble(code, t=t, parameters=parameters).q if q0 is None else q0
    first = code.state("q", start)
    tolerance = finite("tolerance", tolerance)
    if not tolerance > 0.0:
        raise UsageError(f"tolerance = {tolerance:g} must be positive")
    steps, again = count("iterations", iterations, 1), count("restarts", restarts, 0)
    if max(steps, again) > MOST:
        raise UsageError(f"more than {MOST:,} iterations or restarts take for ever")
    batch = np.broadcast_shapes(poses.shape[:-2], first.shape[:-1])
    search = _Search(
        code_of(anywhere(code), "reaching"),
        code,
        name,
        {key: x[0] for key, x in choice_of(code, (name,), parameters).items()},
        np.broadcast_to(poses, (*batch, 4, 4)).reshape(-1, 4, 4),
        task,
        limits,
        tolerance,
        t,
        parameters,
        code.gate.limits if code.gate else np.zeros(0),
    )
    q = np.broadcast_to(first, (*batch, first.shape[-1])).reshape(-1, first.shape[-1])
    found = search.run(q, steps, again, np.random.default_rng(count("seed", seed, 0)))
    code.see_closed("inverse_kinematics", found, t=t, parameters=parameters)
    return found.reshape(*batch, first.shape[-1])


def _targets(
    model: Model, target: npt.ArrayLike, position: bool, orientation: bool
) -> tuple[Floats, Floats]:
    """Poses, and which components of the error count."""
    given = np.asarray(target, dtype=np.float64)
    if given.shape[-2:] == (4, 4):
        R = given[..., :3, :3]
        off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
        if not (off < AXES_SLACK and (np.linalg.det(R) > 0).all()):
            raise UsageError("target: its axes are no right-handed unit axes")
        if (given[..., 3, :] != [0.0, 0.0, 0.0, 1.0]).any():
            raise UsageError("target: the last row of a pose is 0, 0, 0, 1")
        poses = given
    elif given.shape[-1:] == (3,):
        poses = np.zeros((*given.shape[:-1], 4, 4))
        poses[..., :, :] = np.eye(4)
        poses[..., :3, 3] = given
        orientation = False
    else:
        raise UsageError(f"target has the shape {given.shape} instead of (…, 4, 4) or (…, 3)")
    if not np.isfinite(poses).all():
        raise UsageError("target holds what is no finite number")
    if model.dimension == 2 and _out_of_plane(poses):
        raise UsageError("target: a planar model reaches x, y and turns about z alone")
    if not (position or orientation):
        raise UsageError("neither position nor orientation is asked for")
    return poses, np.array([float(orientation)] * 3 + [float(position)] * 3)


def _out_of_plane(poses: Floats) -> bool:
    flat = poses[..., 2, :] - np.array([0.0, 0.0, 1.0, 0.0])
    return bool(np.abs(flat).max(initial=0.0) > AXES_SLACK)


@dataclass
class _Search:
    """Steps of many states at once, each towards its own target."""

    code: Evaluator
    placed: Evaluator
    frame: str
    #: What tells the frame, see `any_frame`.
    choice: Mapping[str, Floats]
    targets: Floats
    task: Floats
    limits: bool
    tolerance: float
    t: float
    parameters: Mapping[str, float] | None
    #: By condition of the loops how far it may be open; nothing without loops.
    taken: Floats
    bounded: list[tuple[int, int, float, float]] = field(init=False)

    def __post_init__(self) -> None:
        """The coordinates that have limits: where, the speed that moves each, and the limits."""
        model = self.code.model
        rates = {name[1:]: k for k, name in enumerate(model.speeds)}
        self.bounded = [
            (at, rates[name[1:]], *bounds)
            for at, (name, bounds) in enumerate(
                zip(model.coordinates, model.position_limits, strict=True)
            )
            if self.limits and np.isfinite(bounds).any()
        ]

    def run(self, q: Floats, iterations: int, restarts: int, rng: np.random.Generator) -> Floats:
        """All states at their targets.

        Raises
            NumericsError: some are not, after all restarts.
        """
        best = q.copy()
        left = np.full(len(q), np.inf)
        open_ = np.ones(len(q), dtype=bool)
        for attempt in range(restarts + 1):
            at = np.flatnonzero(open_)
            start = q[at] if attempt == 0 else self.by_chance(len(at), rng)
            found = self.descend(self.within(start), at, iterations)
            errors = self.errors(found, at)
            nearer = errors < left[at]
            best[at[nearer]], left[at[nearer]] = found[nearer], errors[nearer]
            open_[at] = left[at] > self.tolerance
            if not open_.any():
                return best
        raise NumericsError(self.failure(best, np.flatnonzero(open_)))

    def descend(self, q: Floats, at: Indices, iterations: int) -> Floats:
        """Damped steps from here; one that makes it worse is not taken, the next is shorter."""
        factor, cost = np.full(len(q), DAMPING), self.squares(q, at)
        for _ in range(iterations):
            if (np.sqrt(cost) < self.least).all():
                break
            tried = self.moved(q, self.step(q, at, factor * cost / 2 + LEAST_DAMPING))
            squares = self.squares(tried, at)
            better = squares < cost
            q, cost = np.where(better[:, np.newaxis], tried, q), np.where(better, squares, cost)
            factor = np.where(
                better, np.maximum(factor * BETTER, LEAST_FACTOR), np.minimum(factor * WORSE, 1e100)
            )
        return q

    def step(self, q: Floats, at: Indices, damping: Floats) -> Floats:
        """A step of all speeds; those still that would leave the limits at whose end they stand."""
        weight = np.ones((len(q), len(self.code.speeds)))
        for _ in range(len(self.bounded) + 1):
            step = self.results(q, at, damping, weight)["step"]
            held = self.held(q, step)
            if not held.any():
                break
            weight = np.where(held, 0.0, weight)
        return step

    def squares(self, q: Floats, at: Indices) -> Floats:
        """The squared error, the loops' gaps included."""
        found = self.results(q, at, np.ones(len(q)), np.ones((len(q), len(self.code.speeds))))
        return sum(((found[name] ** 2).sum(-1) for name in found if name != "step"), np.zeros(1))

    def results(self, q: Floats, at: Indices, damping: Floats, weight: Floats) -> Results:
        """The generated step, and what is left."""
        given = {
            **self.choice,
            "target": self.targets[at].reshape(len(at), 16),
            "task": self.task,
            "damping": damping[:, np.newaxis],
            "weight": weight,
        }
        return self.code.results("reaching_step", q, t=self.t, parameters=self.parameters, **given)

    def held(self, q: Floats, step: Floats) -> Flags:
        """Which speeds would leave the limits at whose end they stand."""
        held = np.zeros(step.shape, dtype=bool)
        for at, speed, lower, upper in self.bounded:
            held[:, speed] = ((q[:, at] <= lower) & (step[:, speed] < 0)) | (
                (q[:, at] >= upper) & (step[:, speed] > 0)
            )
        return held

    def moved(self, q: Floats, step: Floats) -> Floats:
        """The state after a step that is not too long, within the limits."""
        longest = np.abs(step).max(axis=-1, initial=0.0, keepdims=True)
        short = step * np.minimum(1.0, LONGEST / np.maximum(longest, LONGEST))
        rates = self.code.results("rates", q, short, parameters=self.parameters)["qd"]
        return self.within(q + rates)

    def within(self, q: Floats) -> Floats:
        """The nearest state within the limits, quaternions of unit length."""
        q = Poses.retracted(self.code, q)
        for at, _, lower, upper in self.bounded:
            q[:, at] = np.clip(q[:, at], lower, upper)
        return q

    def by_chance(self, count: int, rng: np.random.Generator) -> Floats:
        """Starts anywhere within the limits."""
        model = self.code.model
        turned = {first + k for first in model.quaternions for k in range(4)}
        q = np.array(model.q0) + rng.uniform(-1, 1, (count, len(model.q0)))
        for k, (angle, (lower, upper)) in enumerate(
            zip(_angles(model), model.position_limits, strict=True)
        ):
            reach = TURN if angle else SHIFT
            if self.limits and np.isfinite([lower, upper]).all():
                q[:, k] = rng.uniform(lower, upper, count)
            elif k not in turned:
                q[:, k] = model.q0[k] + reach * rng.uniform(-1, 1, count)
        return q

    @property
    def least(self) -> float:
        """The error from which on no step is needed: loops are closed as those of a state are."""
        return float(self.taken.min(initial=self.tolerance)) / 2

    def errors(self, q: Floats, at: Indices) -> Floats:
        """The most of what is left: of the way, the turn, and the loops' gaps."""
        way, turn, gaps = self.remaining(q, at)
        return np.maximum(np.maximum(way, turn), gaps)

    def remaining(self, q: Floats, at: Indices) -> tuple[Floats, Floats, Floats]:
        """What is left of the way, of the turn and of the loops' gaps, from the poses.

        The gaps are as parts of what is taken as closed, times the tolerance.
        """
        now = Poses.poses(self.placed, q, frames=self.frame, t=self.t, parameters=self.parameters)
        targets = self.targets[at]
        way = np.linalg.norm(targets[:, :3, 3] - now[:, :3, 3], axis=-1) * self.task[3]
        off = targets[:, :3, :3] @ np.swapaxes(now[:, :3, :3], -1, -2) - np.eye(3)
        # The angle of a rotation by its distance from one: |R − 1| = 2 √2 sin(θ / 2).
        half = np.sqrt((off**2).sum(axis=(-2, -1)) / 8)
        turn = 2 * np.arcsin(np.clip(half, 0.0, 1.0)) * self.task[0]
        gaps = np.zeros(len(q))
        if self.code.conditions:
            found = self.code.results("constraints", q, t=self.t, parameters=self.parameters)
            gaps = (np.abs(found["phi"]) * (self.tolerance / self.taken)).max(axis=-1)
            cuts = CutTargets(self.code, dict(self.parameters or {}), self.t)
            for k in np.flatnonzero(gaps <= self.tolerance):
                gaps[k] = np.inf if turned_about(cuts, q[k]) else gaps[k]
        return way, turn, gaps

    def failure(self, q: Floats, at: Indices) -> str:
        """What is left of the first target that was not reached, and what stands in the way."""
        k = at[:1]
        way, turn, gaps = (float(x[0]) for x in self.remaining(q[k], k))
        parts = [f"{way:.3g} m"] if self.task[3] else []
        parts += [f"{turn:.3g} rad"] if self.task[0] else []
        parts += ["gaps of the loops"] if gaps > self.tolerance else []
        model = self.code.model
        ends = [
            model.coordinates[i]
            for i, _, lower, upper in self.bounded
            if not lower + AT_LIMIT < q[k[0], i] < upper - AT_LIMIT
        ]
        which = f" {k[0]}" if len(self.targets) > 1 else ""
        held = f", with {', '.join(ends)} at the limits" if ends else ""
        several = f"; {len(at)} of {len(self.targets)} targets are not" if which else ""
        return (
            f"{model.name}: the target{which} was not reached by {self.frame}: at the nearest "
            f"place found {' and '.join(parts)} are left{held}{several}"
        )


def _warn_of_cuts(model: Model) -> None:
    """Say which limits no coordinate has: those of cut hinges."""
    cut = [hinge for hinge in model.hinges if hinge.name in model.cuts]
    names = [x.name for x in cut if x.limits and np.isfinite(x.limits.position).any()]
    if names:
        warn(
            f"{model.name}: the limits of {', '.join(names)} are not looked at: cut hinges have no "
            "coordinates; cut others of their loops (cuts)",
            cause="limits of cut hinges",
        )


def _angles(model: Model) -> list[bool]:
    """Which coordinates are angles."""
    kinds = HINGE_KINDS[model.dimension]
    free = [hinge for hinge in model.tree_hinges if not hinge.motion]
    return [slot == ANGLE for hinge in free for slot in _slots(kinds[hinge.kind])]


def _slots(kind: HingeKind) -> list[object]:
    """What each coordinate is; a quaternion is four."""
    return [x for slot in kind.slots for x in [slot] * (4 if slot == QUATERNION else 1)]
