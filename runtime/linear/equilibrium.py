"""Equilibria and trim: states, and inputs, in which nothing accelerates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model.parts.naming import nearest
from ...shown import Shown
from ..capabilities.loops import slopes
from ..capabilities.tangent import place_names
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats, shaped
from ..evaluation.efforts import place_of
from ..evaluation.evaluator import Evaluator
from ..motions.bending import see_bending
from .state_space import Point, moved

#: Accelerations and openings below this are rounding, in SI units.
STILL = 1e-9

#: Iterations from one start, and starts beside the one that is given.
ITERATIONS = 100
STARTS = 6

#: The longest part of a step, in m and rad.
LONGEST = 0.5

#: Steps of what sinks to rest, and the longest part of each; it is near where it accelerates less.
SINKING, SHORT, NEAR = 400, 0.1, 1e-6

#: By how much a step of time is longer if what sinks goes on, and shorter if it turns back.
LONGER, SHORTER = 1.05, 0.7

#: What is independent of the openings of loops, as a part of the largest singular value.
OPENS = 1e-6

#: Poles of a larger real part, in 1/s, are none that rounding has moved off the axis.
GROWS = 1e-5

#: Singular values below this part of the largest: nothing is determined along these directions.
FLAT = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Shown):
    """A state in which nothing accelerates, with the inputs that hold it.

    `free` and `held` name what the search moved and what it kept: coordinates and inputs.
    `undetermined` are those along which there are more equilibria beside this one, where the search
    left them. `residual` is the largest acceleration or opening of a loop that is left. `growth` is
    the largest real part of the poles there, how fast small deviations grow; not above 0, where
    they stay or fade.

    Shape
        `q` (nq), `v` (nv).
    Units
        SI, rad; `growth` 1/s.
    """

    q: Floats
    v: Floats
    inputs: Mapping[str, float]
    free: tuple[str, ...]
    held: tuple[str, ...]
    undetermined: tuple[str, ...]
    residual: float
    growth: float

    @property
    def unstable(self) -> bool:
        """Do small deviations grow, by the linear system about the equilibrium?"""
        return self.growth > GROWS

    def __str__(self) -> str:
        found = ", ".join(f"{name} = {value:.9g}" for name, value in self.inputs.items())
        lines = [
            f"equilibrium: q = {np.array2string(self.q, precision=9, separator=', ')}",
            *([f"inputs: {found}"] if found else []),
            f"free were: {', '.join(self.free) or 'nothing'}",
            f"held were: {', '.join(self.held) or 'nothing'}",
            f"accelerations left: {self.residual:.1e}",
        ]
        if self.unstable:
            lines.append(f"unstable: small deviations grow at {self.growth:.3g} /s")
        if self.undetermined:
            lines.append(f"not alone: there are others along {', '.join(self.undetermined)}")
        return "\n".join(lines)


def equilibrium(
    code: Evaluator,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    hold: Sequence[str] | Mapping[str, float] = (),
    inputs: Mapping[str, float] | None = None,
    free: Sequence[str] = (),
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Equilibrium:
    """A state near `q0` in which all accelerations are zero.

    By default `q0` is the model's start, its loops closed.

    The coordinates move, but those that `hold` names, by coordinate or hinge; with values,
    `hold={"qpole": 0.0}`, they are first set to these. The inputs named in `free`, the model's
    or efforts of hinges, are found too; all others are what `inputs` say, or their defaults.
    Loops are closed. The speeds are `v0` (default: zero) and stay: a steady turn, in which
    coordinates go on but nothing accelerates, is a trim.

    An equilibrium may be stable or not, `found.unstable` and `growth` say it: the search goes
    to one nearby, not downhill.
    Where the search ends at a state that still accelerates, and nothing is held, moves or is found
    besides, the model sinks from its start until it rests; else, or if it does not come to rest,
    the search starts again from others nearby, the same ones each time. A `ModelWarning` names
    beams that are bent beyond their theory there, as `simulate` does.

        >>> import mstmm
        >>> solver = mstmm.compile("cart-pole", target="numpy")
        >>> found = solver.equilibrium(hold={"qpole": 0.1}, free=["u"])
        Traceback (most recent call last):
        mstmm.errors.NumericsError: cart-pole: no equilibrium is found: ...

    Shape
        `q0` (nq), `v0` (nv).
    Units
        SI, rad.
    Raises
        UsageError: names that there are not, or a shape that does not fit.
        CodegenError: a force law has no derivative that could be generated.
        NumericsError: none is found; says what still accelerates, what was free and what held.
        OpenStateError: the speeds `v0` open the loops there.
    Source
        Own: Gauss-Newton on the accelerations and the openings of loops, of least change, with
        derivatives from generated code; steps are halved until they help. What sinks follows its
        accelerations and loses its speed where it goes against them (kinetic damping, after
        Papadrakakis 1981).
    """
    point = Point(anywhere(code), q0, v0, inputs, t, parameters)
    search = _Search(point, _held(point, hold), _free_inputs(point, free, inputs))
    chooser = np.random.default_rng(0)
    start = point.q
    best = search.solved()
    if not best.residual < STILL and search.sinks:
        point.q = start
        best = search.better(best, sunk=True)
    for attempt in range(STARTS):
        if best.residual < STILL:
            break
        shift = chooser.uniform(-1, 1, len(point.v)) * 0.3 * (attempt + 1)
        point.q = moved(code, start, np.where(search.moves, shift, 0.0))
        best = search.better(best)
    if not best.residual < STILL:
        raise NumericsError(f"{code.model.name}: {search.why(best)}")
    code.see_closed("equilibrium", best.q, best.v, **point.given)
    see_bending(code.model, best.q[np.newaxis], point.parameters)
    return best


def _held(point: Point, hold: Sequence[str] | Mapping[str, float]) -> list[int]:
    """The places that stay, set to the values that are given."""
    model, places = point.code.model, place_names(point.code.model)
    hinges = {hinge.name: hinge for hinge in (() if model.absolute else model.tree_hinges)}
    found: list[int] = []
    for name in hold:
        if name in hinges and name not in places:
            speeds = model.hinge_speeds(hinges[name])
            own = [model.speeds.index(speed) for speed in speeds]
        elif name in places:
            own = [places.index(name)]
        else:
            known = [*places, *hinges]
            raise UsageError(
                f"there is no coordinate or hinge {name!r} to hold{nearest(str(name), known)}; "
                f"there are: {', '.join(places)}"
            )
        found += own
        if isinstance(hold, Mapping):
            coordinate = places[own[0]] if len(own) == 1 else ""
            if coordinate not in model.coordinates:
                raise UsageError(f"hold {name!r}: it is not one coordinate; give its value in q0")
            value = float(shaped(f"hold {name}", hold[name], ()))
            point.q[model.coordinates.index(coordinate)] = value
    return found


def _free_inputs(
    point: Point, free: Sequence[str], inputs: Mapping[str, float] | None
) -> tuple[str, ...]:
    for name in free:
        place_of(point.code, name)
        if name in (inputs or {}):
            raise UsageError(f"the input {name} is free and given; leave one out")
    return tuple(free)


class _Search:
    """Gauss-Newton over the free places and inputs of a point."""

    def __init__(self, point: Point, held: Sequence[int], inputs: tuple[str, ...]) -> None:
        self.point, self.code, self.inputs = point, point.code, inputs
        n = len(point.v)
        self.moves = ~np.isin(np.arange(n), held)
        self.places = place_names(point.code.model)
        self.columns = np.concatenate([self.moves, np.ones(len(inputs), dtype=bool)])
        self.begin = [point.inputs[name] for name in inputs]

    def solved(self) -> Equilibrium:
        """The nearest state with the least accelerations, from where the point is."""
        point, n = self.point, len(self.point.v)
        for name, value in zip(self.inputs, self.begin, strict=True):
            point.set_input(name, value)
        for _ in range(ITERATIONS):
            rest, slope = self._residual(), self._slopes()
            step = np.zeros(n + len(self.inputs))
            step[self.columns] = -np.linalg.lstsq(slope[:, self.columns], rest, rcond=FLAT)[0]
            step *= min(1.0, LONGEST / max(np.abs(step[:n]).max(initial=0.0), 1e-300))
            if not self._stepped(step, float(np.linalg.norm(rest))):
                break
        return self._found()

    @property
    def sinks(self) -> bool:
        """Is all free to move from rest, and nothing else is sought?"""
        return bool(self.moves.all()) and not self.inputs and not self.point.v.any()

    def better(self, best: Equilibrium, *, sunk: bool = False) -> Equilibrium:
        """What is found from where the point is, if it is better; first it may sink."""
        try:
            if sunk:
                self._sink()
            other = self.solved()
        except NumericsError:  # as in a singular position on the way
            return best
        return other if other.residual < best.residual else best

    def _sink(self) -> None:
        """Move the point downhill until it rests: along accelerations, with its loops closed."""
        point = self.point
        v, a = np.zeros(len(point.v)), point.accelerations()
        longest = h = float(np.sqrt(SHORT / max(np.abs(a).max(initial=0.0), NEAR)))
        for _ in range(SINKING):
            if np.abs(a).max(initial=0.0) < NEAR:
                return
            back = v @ a < 0
            v = h * a if back else v + h * a
            h = SHORTER * h if back else min(LONGER * h, longest)
            step: Floats = h * v
            step *= min(1.0, SHORT / np.abs(step).max(initial=NEAR))
            point.q = moved(self.code, point.q, step)
            for _ in range(STARTS if self.code.conditions else 0):
                gaps = point.gaps()
                if np.abs(gaps).max() < STILL:
                    break
                J = slopes(point.told, point.q, **point.given)
                shut = np.zeros(len(v))
                shut[:] = np.linalg.lstsq(J, -gaps, rcond=OPENS)[0]
                point.q = moved(self.code, point.q, shut)
            a = point.accelerations()

    def _stepped(self, step: Floats, before: float) -> bool:
        """Take the step, or the part of it that helps; none helps where the search has ended."""
        point, n = self.point, len(self.point.v)
        q, u = point.q, [point.inputs[name] for name in self.inputs]
        for part in 0.5 ** np.arange(20):
            point.q = moved(self.code, q, part * step[:n])
            for name, value, change in zip(self.inputs, u, step[n:], strict=True):
                point.set_input(name, value + part * float(change))
            try:
                after = float(np.linalg.norm(self._residual()))
            except NumericsError:
                continue
            if after < before:
                return True
        point.q = q
        for name, value in zip(self.inputs, u, strict=True):
            point.set_input(name, value)
        return False

    def _residual(self) -> Floats:
        """Accelerations, and how far loops are open."""
        a = self.point.accelerations()
        return np.concatenate([a, self.point.gaps()])

    def _slopes(self) -> Floats:
        """How these change along all places and the free inputs."""
        point, n = self.point, len(self.point.v)
        A, B = point.full(self.inputs)
        rows = np.hstack([A[n:, :n], B[n:]])
        if not self.code.conditions:
            return rows
        J = slopes(point.told, point.q, **point.given)
        return np.vstack([rows, np.hstack([J, np.zeros((len(J), len(self.inputs)))])])

    def _found(self) -> Equilibrium:
        point, n = self.point, len(self.point.v)
        every = (*self.places, *self.inputs)
        named = {
            name: float(x)
            for name, x in [*point.inputs.items(), *((x, point.inputs[x]) for x in self.inputs)]
        }
        kept = [name for name in named if name not in self.inputs]
        free = [name for name, moves in zip(every, self.columns, strict=True) if moves]
        held = [*(self.places[k] for k in range(n) if not self.moves[k]), *kept]
        residual = float(np.abs(self._residual()).max(initial=0.0))
        return Equilibrium(
            point.q.copy(),
            point.v,
            named,
            tuple(free),
            tuple(held),
            self._flat(free),
            residual,
            self._growth() if residual < STILL else np.nan,
        )

    def _growth(self) -> float:
        """The largest real part of the poles."""
        own, R = self.point.independent(None)
        n = len(self.point.v)
        rows = np.array([*own, *(n + k for k in own)], dtype=np.intp)
        A = self.point.full(())[0][rows] @ R
        return float(np.linalg.eigvals(A).real.max(initial=-np.inf))

    def _flat(self, free: Sequence[str]) -> tuple[str, ...]:
        """What is free to move beside the equilibrium, with all in equilibrium."""
        slope = self._slopes()[:, self.columns]
        _, values, rows = np.linalg.svd(slope)
        rank = int((values > FLAT * values.max(initial=0.0)).sum())
        along = np.abs(rows[rank:]).max(axis=0, initial=0.0)
        return tuple(name for name, part in zip(free, along, strict=True) if part > 1e-6)

    def why(self, best: Equilibrium) -> str:
        """What is left where the search ended, and what might help."""
        self.point.q = best.q
        for name in self.inputs:
            self.point.set_input(name, best.inputs[name])
        a, gaps = self.point.accelerations(), self.point.gaps()
        k = int(np.abs(a).argmax())
        left = f"{self.code.speeds[k]} still accelerates at {a[k]:.3g}"
        if len(gaps) and np.abs(gaps).max() > STILL:
            left = f"the loops stay open by {np.abs(gaps).max():.3g}, and {left}"
        others = [name for name in best.held if name not in self.places]
        remedy = "start nearer to one (q0), hold less"
        remedy += f", or free an input: free=[{others[0]!r}]" if others else ""
        if not others and not self.inputs:
            remedy += ", or free an effort by its hinge's name (free=[…])"
        return (
            f"no equilibrium is found: where the search ends, {left}. Free were: "
            f"{', '.join(best.free) or 'nothing'}; held: {', '.join(best.held) or 'nothing'}. "
            f"{remedy[0].upper()}{remedy[1:]}"
        )
