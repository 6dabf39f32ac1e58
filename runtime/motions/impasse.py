"""Why a motion cannot go on, told from the last good state, whatever the method was.

No branch leads on, since a drive asks for what its loop cannot have; more than one does; the mass
matrix is singular; or none of these, and the step was too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from ...errors import NumericsError, SingularPositionError
from ...model import Hinge, Model
from ...model.topology import ring
from ...symbolic.language.tolerances import SECTIONS
from ..closing.branches import direction_of, speeds_said
from ..closing.conditions import Conditions
from ..closing.cut_targets import CutTargets
from ..closing.dead_points import FLAT, DeadPoint, dead_point
from ..closing.places import Places
from ..closing.singular import SingularPlaces
from ..closing.start import Items, items_of
from ..evaluation.arrays import Floats
from ..evaluation.lost import hinge_of
from ..evaluation.singular import held_beams
from .problem import Problem

#: So far the speeds would lead in the time in which a dead point is looked for, in radians or parts
#: of the mechanism's size: a drive that comes to one at a distance s is there when s / 2 is gone.
AHEAD = 0.5

#: Conditions have a part in what cannot be kept if it is more than this of the largest.
SHARE = 0.1

#: The mass matrix, scaled by its diagonal, is singular where its least eigenvalue is below this
#: part of what it is elsewhere, or below rounding.
SINGULAR_MASS, ROUNDING = 1e-4, 1e-12

#: The speed at which kinetic energy is read off, rad/s or m/s: far above potential energy.
FAST = 1e3

#: Golden sections.
GOLDEN = 0.6180339887498949

#: Mass matrices of more speeds are not looked at.
MOST_SPEEDS = 100


class Impasse:
    """What stands in the way of a motion at its last good state, at the time `t`.

    `step`: how long the step was that failed, 0 where the method has none; `trail`: times and
    places before.
    """

    def __init__(
        self,
        problem: Problem,
        t: float,
        q: Floats,
        second: Floats,
        step: float = 0.0,
        trail: Iterable[tuple[float, Floats]] = (),
    ) -> None:
        self.problem, self.t, self.second, self.step = problem, t, second, step
        self.q = problem.unit(q[np.newaxis])[0]
        self.trail = [*trail, (t, self.q)]
        code = problem.code
        self.conditions = Conditions(code, CutTargets(code, problem.given, t), t, problem.given)
        self.items = Items(tuple(items_of(code.model)), code.speeds)

    def error(self, otherwise: str, *, singular: bool, or_else: str = "") -> NumericsError:
        """What is raised: the reason that is found, or what is said `otherwise`.

        `singular`: the method says that the loops are in a singular position; `or_else`: what may
        help it there.
        """
        name, model = self.problem.name, self.problem.code.model
        dead = self._dead_point() if self._driven(self.problem.code.conditions) else None
        if dead:
            return NumericsError(f"{name}: {self._no_branch(dead)}")
        places = SingularPlaces(self.conditions, self.items)
        if self.problem.code.conditions and (singular or places.is_singular(self.q, FLAT)):
            return SingularPositionError(
                f"{name}: at t = {self.t:g} s the loops{places.lost(self.q)} are in a singular "
                "position from which they can go on in more than one way, and the motion does not "
                "say in which: it is at rest there, or its speeds belong to none; start from "
                f"another position, or with speeds of one of them{or_else}{held_beams(model)}"
            )
        light = self._light()
        if light:
            when, speeds = light
            return NumericsError(
                f"{name}: at t = {when:g} s the mass matrix is singular: no mass resists the "
                f"motion {speeds_said(speeds, self.items.speed_names)}; give the bodies that it "
                "moves mass or inertia, or start where it does not come there"
            )
        beams = held_beams(model) if self.problem.code.conditions else ""
        return NumericsError(f"{otherwise}{beams}")

    # No branch

    def _dead_point(self) -> DeadPoint | None:
        """Where the drives' time cannot go on, about the state; `part` is the time.

        A step may have gone beyond before it failed: the path begins where the loops can be closed.
        """
        span = self._span()
        for back in (0.0, 0.125, 0.25, 0.5, 1.0):
            begin = self.t - back * span
            q = Places(self.conditions.at(begin), self.items).closed(self.q, ())
            if q is not None:
                break
        else:
            return None
        span += self.t - begin

        def closed(part: float, q: Floats) -> Floats | None:
            return Places(self.conditions.at(begin + part * span), self.items).closed(q, ())

        def asked(part: float, q: Floats) -> Floats:
            still = np.zeros(self.conditions.count)
            return self.conditions.at(begin + part * span).opening(q, still)[1]

        every = np.ones(self.conditions.count, dtype=bool)
        found = dead_point(self.conditions, closed, q, every, asked)
        return found and DeadPoint(found.q, begin + found.part * span, found.shares)

    def _span(self) -> float:
        """In what time a dead point is looked for."""
        _, _, columns = self.conditions.slopes(self.q)
        (v,) = self.problem.speeds(self.q[np.newaxis], self.second[np.newaxis], np.array([self.t]))
        fastest = float(np.abs(v * columns).max(initial=0.0))
        known = np.isfinite(fastest) and fastest > 0.0
        return max(2.0 * self.step, AHEAD / fastest if known else 0.0, 1e-6)

    def _driven(self, conditions: Sequence[str]) -> dict[str, Hinge]:
        """The driven hinges of the loops that these conditions close, by name."""
        model = self.problem.code.model
        found = {}
        for name in dict.fromkeys(hinge_of(model, condition) for condition in conditions):
            hinges = [*model.tree_hinges, *(h for h in model.hinges if h.name == name)]
            around = {*ring([(one.body, other.body) for one, other in (h.ends for h in hinges)])}
            for hinge in hinges:
                if hinge.motion and {end.body for end in hinge.ends} <= around:
                    found[hinge.name] = hinge
        return found

    def _no_branch(self, dead: DeadPoint) -> str:
        """Which drives ask for what which loops cannot have, from when on."""
        model = self.problem.code.model
        targets = self.conditions.targets.at(dead.part)
        every = self.problem.code.conditions
        conditions = [x for x, share in zip(every, dead.shares, strict=True) if share > SHARE]
        driven = self._driven(conditions)
        limits = [f"{name} at {_values(model, targets, hinge)}" for name, hinge in driven.items()]
        cuts = dict.fromkeys(hinge_of(model, name) for name in conditions)
        loops = f"the loop{'s' if len(cuts) > 1 else ''} through {', '.join(cuts)}"
        one = len(driven) == 1
        return (
            f"at t = {dead.part:.6g} s the motion can go on in no way: the "
            f"drive{'' if one else 's'} of {', '.join(driven)} ask{'s' if one else ''} for what "
            f"{loops} cannot have; {'it comes' if one else 'they come'} to a dead point there, "
            f"{', '.join(limits)}; let {'it' if one else 'them'} turn back before, or change the "
            "lengths of the loop"
        )

    # The mass matrix

    def _light(self) -> tuple[float, Floats] | None:
        """When and along which speeds no mass resists, where the mass matrix is singular.

        Steps of fixed length go over such a place and end somewhere: it is looked for on their way.
        """
        if self.conditions.count > MOST_SPEEDS:
            return None
        number = np.arange(self.conditions.count)
        start = np.array(self.problem.code.model.q0)
        places = [self.conditions.stepped(start, np.sin(x + number)) for x in (0.5, 1.5, 2.5)]
        known = [least for least in (self._least(q)[0] for q in places) if np.isfinite(least)]
        small = max([ROUNDING, *(SINGULAR_MASS * least for least in known)])
        for (before, one), (after, other) in pairwise([self.trail[0], *self.trail]):
            part = self._lightest(one, other)
            least, speeds = self._least(one + part * (other - one))
            if least <= small:
                return before + part * (after - before), speeds
        return None

    def _lightest(self, one: Floats, other: Floats) -> float:
        """The part of the way between places where least mass resists, by golden sections."""
        if one is other:
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(SECTIONS):
            parts = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            left, right = (self._least(one + part * (other - one))[0] for part in parts)
            low, high = (low, parts[1]) if left < right else (parts[0], high)
        return (low + high) / 2.0

    def _least(self, q: Floats) -> tuple[float, Floats]:
        """The least eigenvalue of the scaled mass matrix, as far as loops allow, and its speeds.

        Infinite where there is none.
        """
        allowed = np.eye(self.conditions.count)
        if self.problem.code.conditions:
            J, rows, columns = self.conditions.slopes(q)
            _, sizes, right = np.linalg.svd(J * (rows / self.conditions.sizes(rows))[:, np.newaxis])
            rank = np.count_nonzero(sizes > FLAT)
            allowed = right[rank:].T / columns[:, np.newaxis]
        M = self._mass_matrix(q)
        if M is None or not allowed.shape[1]:
            return np.inf, np.zeros(self.conditions.count)
        M = allowed.T @ M @ allowed
        diagonal = np.diagonal(M)
        scale = 1.0 / np.sqrt(np.where(diagonal > ROUNDING * diagonal.max(), diagonal, 1.0))
        values, vectors = np.linalg.eigh(M * scale * scale[:, np.newaxis])
        return float(values[0]), direction_of(allowed @ (scale * vectors[:, 0]))

    def _mass_matrix(self, q: Floats) -> Floats | None:
        """M from kinetic energies, quadratic in the speeds; none if they are not finite."""
        n = self.conditions.count
        first, second = np.triu_indices(n, 1)
        unit = FAST * np.eye(n)
        v = np.vstack([unit, unit[first] + unit[second]])
        rows = np.vstack([v, -v, np.zeros(n)])
        buffers = self.problem.buffers(
            np.tile(q, (len(rows), 1)), rows, np.full(len(rows), self.t)
        ) | {"energy": np.empty((len(rows), 1))}
        try:
            self.problem.run("energy", buffers, f"at t = {self.t:g} s")
        except NumericsError:
            return None
        energy = buffers["energy"][:, 0]
        doubled = (energy[: len(v)] + energy[len(v) : -1] - 2.0 * energy[-1]) / FAST**2
        M = np.diag(doubled[:n])
        M[first, second] = (doubled[n:] - doubled[first] - doubled[second]) / 2.0
        M[second, first] = M[first, second]
        return M


def _values(model: Model, targets: CutTargets, hinge: Hinge) -> str:
    """Where a driven hinge is at the targets' time, with its units."""
    from ...model.parts.units import driven_units

    units = driven_units(model, hinge)
    return ", ".join(
        f"{x:.6g} {unit}" for x, unit in zip(targets.now(hinge.motion), units, strict=True)
    )
