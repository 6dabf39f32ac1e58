"""Where to cut a model's loops: at the hinges that carry the least over a motion.

The impulse σ of a cut hinge is the integral of its reaction, and the joint momenta of `hdca`
carry it: they grow with the mean reaction, taken as a vector over the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..model import GROUND, End, Hinge, Model
from ..model.expressions.quantities import told
from ..model.parts.hinge_kinds import SIZES
from ..model.topology import cut_least, is_plain, why_not_cut
from ..shown import Shown
from ..symbolic.tree.cut_force_kernels import seen_coordinates
from .capabilities.self_stress import longest_arm
from .solver import Solver, compile_model

Floats = npt.NDArray[np.float64]

#: Records of the motion that means are taken over.
SAMPLES = 1000

#: Means that differ by less than this part are equal: mirrored hinges, but for integration errors.
ALIKE = 1e-4

#: Error tolerances of the motion.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Reaction:
    """What a hinge carries: its mean over a motion, and whether the loops are cut there.

    Units
        `force` N, `moment` N m: lengths of the mean vectors; `size` N, of both together.
    Frame
        The mean is taken in inertial axes.
    """

    hinge: str
    force: float
    moment: float
    size: float
    is_cut: bool
    #: Why it is cut last or not at all; empty for a plain hinge.
    reluctance: str
    #: Whether the motion tells it; where conditions are redundant some of it is a choice.
    told: bool = True


@dataclass(frozen=True, repr=False)
class CutChoice(Shown):
    """The reactions of all hinges, least first, and the model cut where they are least.

    `model` starts from the same place and motion, in the coordinates of its own tree.

    Units
        `seconds` s: what the means are taken over; `length` m: a moment counts as a force there.
    """

    model: Model
    seconds: float
    length: float
    reactions: tuple[Reaction, ...]

    @property
    def cuts(self) -> tuple[str, ...]:
        """The hinges to cut, in the model's order: for `dataclasses.replace(model, cuts=…)`."""
        return self.model.cuts

    def __repr__(self) -> str:
        cuts = ", ".join(self.cuts)
        return f"<CutChoice: {cuts}, of {told(len(self.reactions), 'hinge')} of {self.model.name}>"

    def __str__(self) -> str:
        """A table, and the reason."""
        lines = [f"{'hinge':12}{'force in N':>14}{'moment in N m':>16}  "]
        for x in self.reactions:
            said = "cut" if x.is_cut else x.reluctance
            lines.append(f"{x.hinge:12}{x.force:14.4g}{x.moment:16.4g}  {said}".rstrip())
        named = ", ".join(self.cuts)
        lines.append(f"cuts: {named}; what they carry, as a mean over {self.seconds:g} s,")
        lines.append("is the least of all that leave a tree")
        if not all(x.told for x in self.reactions):
            lines.append("Conditions are redundant, so that the motion does not tell all loads:")
            lines.append("those are taken that are least over all hinges, wherever the cuts are")
        return "\n".join(lines)


def choose_cuts(model: Model, *, t_end: float = 10.0, target: str = "c") -> CutChoice:
    """Cut the loops where the mean reaction over [0, t_end] is smallest.

    The motion is that of the model's start. Of all choices that leave a tree, the sum of the cut
    hinges' mean reactions is the least. As for the cuts by default, a hinge with a force law, a
    prescribed motion or a pitch is cut only if there is no other in its loop.

    Raises
        UsageError: the model has no loops, or beams or a moving base, which are not looked at.
        NumericsError: the motion from the model's start cannot be followed.
    """
    _check(model)
    solver = compile_model(model, target=target)
    run = solver.simulate(
        t_end=t_end,
        method="dopri5",
        rtol=TOLERANCE,
        atol=TOLERANCE,
        record=t_end / SAMPLES,
    )
    means = np.tensordot(_weights(run.time), run.loads, axes=1)
    length = longest_arm(model)
    tips = {name: str(tip) for name, (tip, _) in solver.generated.plan.outputs.items()}
    found = {}
    for hinge in model.hinges:
        at = solver.ends.index(tips[hinge.name])
        moment, force = (float(np.linalg.norm(part)) for part in (means[at, :3], means[at, 3:]))
        size = float(np.hypot(force, moment / length))
        told = run.determinate is None or bool(run.determinate[:, at].all())
        found[hinge.name] = Reaction(
            hinge.name, force, moment, size, False, _reluctance(hinge, model), told
        )
    largest = max(x.size for x in found.values())

    def reluctance(hinge: Hinge) -> tuple[bool, bool, int]:
        steps = round(found[hinge.name].size / (ALIKE * largest)) if largest else 0
        held = bool(why_not_cut(model.dimension, hinge, model.hinges))
        return held, not is_plain(model.dimension, hinge), steps

    cuts = cut_least(model.hinges, reluctance)
    reactions = sorted(found.values(), key=lambda x: x.size)
    return CutChoice(
        cut_at(solver, cuts, run.q[0], run.v[0]),
        t_end,
        length,
        tuple(replace(x, is_cut=x.hinge in cuts) for x in reactions),
    )


def _check(model: Model) -> None:
    if model.absolute or not model.cuts:
        raise UsageError(f"{model.name} has no loops, so that there is nothing to cut")
    if model.beams or model.base:
        what = "beams" if model.beams else "a moving base"
        raise UsageError(f"{model.name} has {what}; name its cuts yourself (Model.cuts)")


def _weights(time: Floats) -> Floats:
    """What each record counts for in a mean over the time: the trapezoidal rule."""
    widths = np.diff(time)
    weights = np.concatenate([widths, [0.0]]) + np.concatenate([[0.0], widths])
    return np.asarray(weights / weights.sum())


def _reluctance(hinge: Hinge, model: Model) -> str:
    why = why_not_cut(model.dimension, hinge, model.hinges)
    if why:
        return f"cannot be cut: {why}"
    return "" if is_plain(model.dimension, hinge) else "not plain: cut if there is no other"


def cut_at(solver: Solver, cuts: tuple[str, ...], q: Floats, v: Floats) -> Model:
    """The solver's model cut elsewhere, starting from its closed state (q, v).

    Raises
        ModelError: the hinges cannot be cut, or what is left is no tree.
    """
    model = solver.model
    known = dict(zip(model.coordinates, q, strict=True))
    speeds = dict(zip(model.speeds, v, strict=True))
    poses = dict(zip(solver.bodies, solver.poses(q), strict=True))
    for hinge in model.hinges:
        names = model.hinge_coordinates(hinge)
        if hinge.name in model.cuts and hinge.name not in cuts and names:
            first, second = (_frame(model, end, poses) for end in hinge.ends)
            seen = np.linalg.inv(first) @ second
            d, sizes = model.dimension, {x.name: model.value(getattr(hinge, x.name)) for x in SIZES}
            values = seen_coordinates(d, hinge.kind, seen[:d, :d], seen[:d, 3], sizes)
            known |= dict(zip(names, values, strict=True))
    again = replace(model, cuts=cuts, q0=(), v0=())
    q0 = tuple(float(known[name]) for name in again.coordinates)
    again = replace(again, q0=q0)
    if not np.any(v):
        return again
    return replace(again, v0=_speeds(compile_model(again, target=solver.target), q0, speeds))


def _speeds(solver: Solver, q: tuple[float, ...], known: Mapping[str, float]) -> tuple[float, ...]:
    """Speeds of which some are known, the others such that the loops stay closed."""
    start = np.array([known.get(name, 0.0) for name in solver.speeds])
    rest = [k for k, name in enumerate(solver.speeds) if name not in known]
    steps = np.eye(len(start))[rest]
    opening = solver.constraints(q, start)[1]
    slopes = solver.constraints(q, start + steps)[1] - opening
    start[rest] = np.linalg.lstsq(slopes.T, -opening, rcond=1e-10)[0]
    return tuple(map(float, start))


def _numbers(model: Model, vector: tuple[object, ...]) -> Floats:
    return np.array([model.value(x) for x in vector])


def _frame(model: Model, end: End, poses: Mapping[str, Floats]) -> Floats:
    """The transform from a point's axes to the inertial frame."""
    grounded = end.body == GROUND
    point = model.ground_point(end.point) if grounded else model.body(end.body).point(end.point)
    own, d = np.eye(4), model.dimension
    own[:d, 3] = _numbers(model, point.position)
    if isinstance(point.axes, tuple):
        own[:3, :3] = [_numbers(model, row) for row in point.axes]
    elif point.axes is not None:
        c, s = np.cos(model.value(point.axes)), np.sin(model.value(point.axes))
        own[:2, :2] = [[c, -s], [s, c]]
    return own if grounded else poses[end.body] @ own
