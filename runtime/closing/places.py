"""The closed state nearest to a start, with some of it held.

With the conditions φ(q) = 0 of the loops and J v = φ̇, a set of speeds can stay if the columns of J
that are left span all that J spans: those sets are the complements of the bases of its columns, so
that one pass over the columns, the last asked first, finds the best one (Edmonds 1971).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import NumericsError, SingularPositionError
from ...model import Model
from ...symbolic.language.tolerances import AROUND
from ..evaluation.arrays import Floats
from ..evaluation.branches import MET, ZERO, Branches, branches_of, said, speeds_said
from .cut_targets import CutTargets
from .loops import Loops
from .poses import Poses

#: Loops are closed within this part of their size: some ten thousand roundings.
CLOSED = 1e-12

#: What is left of conditions by rounding, in parts of the largest slope. Beside a singular position
#: the slopes of some are small: to close those farther would move the place by that rounding
#: divided by the distance, and turn the speeds by as much again.
ROUNDED = 8 * float(np.finfo(np.float64).eps)

#: A column of J is independent of others if this much of its length is.
INDEPENDENT = 1e-7

#: The longest step of a pass, in radians or parts of the mechanism's size.
LONGEST_STEP = 0.5

#: Gauss–Newton passes from one start, halvings of a step, and starts away from the guess.
PASSES, HALVINGS, STARTS = 40, 8, 20

#: A pass that closes less of the gap than this is the last.
LEAST_GAIN = 1e-3

#: The least part of the way from a closed state to the one asked that is taken at once.
LEAST_PART = 1e-3

#: Why a start at rest does not say on which branch it goes on.
RESTS = "it is at rest, which does not say on which it goes on"

#: A value has moved if it changes by more than this, relative to itself or 1.
UNMOVED = 1e-9


@dataclass(frozen=True)
class Moved:
    """A coordinate or speed that could not stay: what was asked, and what closes the loops."""

    name: str
    asked: float
    found: float

    def __str__(self) -> str:
        asked, found = self.values
        return f"{self.name} from {asked} to {found}"

    @property
    def values(self) -> tuple[str, str]:
        """Both values, with as many digits as tell them apart."""
        for digits in (6, 9, 12, 17):
            asked, found = f"{self.asked:.{digits}g}", f"{self.found:.{digits}g}"
            if asked != found:
                break
        return asked, found


@dataclass(frozen=True, eq=False)
class Start:
    """A state with closed loops: what stayed of what was asked, and what moved.

    `undecided`: of a start at rest in a singular position, why no motion can begin there.

    Shape
        `q` (nq), `v` (nv).
    """

    q: Floats
    v: Floats
    held: tuple[str, ...]
    moved: tuple[Moved, ...]
    undecided: str = ""

    def __str__(self) -> str:
        if self.undecided:
            return self.undecided
        if not self.moved:
            return "the start is closed as asked"
        held = f"with {', '.join(self.held)} as asked, " if self.held else ""
        return f"the loops are closed {held}by moving " + ", ".join(map(str, self.moved))


@dataclass(frozen=True)
class Item:
    """What stays or moves as a whole: a coordinate and its speed, or those of a quaternion."""

    names: tuple[str, ...]
    places: slice
    speeds: slice


@dataclass(frozen=True)
class Wishes:
    """Items in the order in which they are to stay: the first `fixed` of them must."""

    order: tuple[int, ...]
    fixed: int = 0


class Closing:
    """Closes the loops of one model from one start."""

    def __init__(
        self,
        loops: Loops,
        poses: Poses,
        targets: CutTargets,
        items: tuple[Item, ...],
        t: float,
        parameters: Mapping[str, float] | None,
    ) -> None:
        self.loops, self.poses, self.targets, self.items = loops, poses, targets, items
        self.name = loops.code.model.name
        self.speeds = loops.code.speeds
        self.t, self.parameters = t, parameters
        self.random = np.random.default_rng(0)

    def start(
        self, q0: Floats, v0: Floats, wishes: Sequence[Wishes], guess: Floats | None = None
    ) -> Start:
        """The closed state, or an error that names what was to stay.

        `guess` is the place from which one comes, if that is not `q0`: what is fixed is led from
        there to its values, so that the mechanism stays on the guess's branch.
        """
        near = self._near(q0)
        held = self._held(near, wishes[0])
        q = q0 if self._is_closed(q0) else self._reach(q0, near, held, guess)
        if q is None:
            raise NumericsError(
                f"{self.name}: the loops cannot be closed with {self._said(held, q0, False)} as "
                f"asked; near it they are with {self._said(held, near, False)}; give other values, "
                "or make one a guess"
            )
        self._see_fixed(wishes[0], held, q0, q, False)
        branches, undecided = self._branches(q), ""
        if branches is None:
            still = self._held(q, wishes[1], speeds=True)
            v = self._speeds(q, v0, still)
            self._see_fixed(wishes[1], still, v0, v, True)
        else:
            still = tuple(k for k in wishes[1].order if v0[self.items[k].speeds].any())
            v = self._on_branch(branches, q, v0, wishes[1])
            undecided = "" if v.any() else self._undecided(branches, RESTS, v0)
        moved = (*self._moved(q0, q, False), *self._moved(v0, v, True))
        asked = [name for k in held for name in self.items[k].names]
        asked += [name for k in still for name in self.speeds[self.items[k].speeds]]
        return Start(q, v, tuple(asked) if moved else (), moved, undecided)

    # Conditions, scaled so that they and the speeds are of the order of radians

    def _scaled(
        self, q: Floats, *, speeds: bool = False, loops_alone: bool = False
    ) -> tuple[Floats, Floats, Floats]:
        """The slopes J of the conditions by the speeds, with the scales of both.

        With `speeds` the conditions are those of the motion, else those of the place; those of
        `loops_alone` are without what is asked of cut hinges.
        """
        count = len(self.speeds)
        _, rates = self._opening(q, np.vstack([np.eye(count), np.zeros(count)]))
        J = (rates[:-1] - rates[-1]).T
        if not loops_alone:
            J = np.vstack([J, self.targets.slopes(q, speeds=speeds)])
        rows = np.abs(J).max(axis=1, initial=0.0)
        rows[rows < INDEPENDENT * rows.max(initial=1.0)] = 1.0
        J = J / rows[:, np.newaxis]
        columns = np.abs(J).max(axis=0, initial=0.0)
        # What moves no loop, such as a floating base, has a slope of rounding alone.
        columns[columns < INDEPENDENT * columns.max(initial=1.0)] = 1.0
        return J / columns, rows, columns

    def _gap(self, q: Floats) -> Floats:
        gap, _ = self._opening(q, np.zeros(len(self.speeds)))
        return np.concatenate([gap, self.targets.gap(q)])

    def _left(self, q: Floats, rows: Floats) -> Floats:
        """The scaled gap, without what is rounding."""
        return _unrounded(self._gap(q), rows) / rows

    def _opening(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        return self.loops.constraints(q, v, t=self.t, parameters=self.parameters)

    def _is_closed(self, q: Floats) -> bool:
        _, rows, _ = self._scaled(q)
        return bool(np.abs(self._left(q, rows)).max(initial=0.0) <= CLOSED)

    def _step(self, q: Floats, dv: Floats) -> Floats:
        """The place that is reached with these speeds in one second, straight on."""
        rates = self.poses.rates(q, dv, parameters=self.parameters)
        return self.poses.retracted(np.add(q, rates))

    def _closed(self, q: Floats, held: Sequence[int]) -> Floats | None:
        """The closed state near this one with these items held, by Gauss–Newton."""
        free = np.ones(len(self.speeds), dtype=bool)
        for k in held:
            free[self.items[k].speeds] = False
        for _ in range(PASSES):
            J, rows, columns = self._scaled(q)
            gap = self._left(q, rows)
            size = np.abs(gap).max(initial=0.0)
            if size <= CLOSED:
                return q
            dv = np.zeros(len(self.speeds))
            dv[free] = -np.linalg.lstsq(J[:, free], gap, rcond=INDEPENDENT)[0]
            dv *= LONGEST_STEP / max(np.abs(dv).max(), LONGEST_STEP)
            before = np.linalg.norm(gap)
            for _ in range(HALVINGS):
                trial = self._step(q, dv / columns)
                if np.linalg.norm(self._left(trial, rows)) < (1.0 - LEAST_GAIN) * before:
                    break
                dv /= 2.0
            else:
                return q if size <= 100 * CLOSED else None
            q = trial
        return None

    # Places

    def _near(self, q0: Floats) -> Floats:
        """A closed state near the start, whatever moves."""
        for q in self._guesses(q0, ()):
            found = self._closed(q, ())
            if found is not None:
                return found
        if (
            self.targets.places
            and Closing(
                self.loops,
                self.poses,
                self.targets.without_places(),
                self.items,
                self.t,
                self.parameters,
            )._closed(q0, ())
            is not None
        ):
            raise NumericsError(
                f"{self.name}: the loops can be closed, but not with {self.targets.said()}; give "
                "another value, or make it a guess"
            )
        names = self.loops.code.conditions
        worst = names[int(np.abs(self._gap(q0)[: len(names)]).argmax())]
        raise NumericsError(
            f"{self.name}: the loops cannot be closed from this start, nor from {STARTS} about it "
            f"({_in_words(self.loops.code.model, worst)}, is the farthest from being closed); "
            "check the bodies' lengths, or give a start nearer to a closed one"
        )

    def _guesses(self, q0: Floats, held: Sequence[int]) -> Iterator[Floats]:
        """The start, then others farther and farther from it, with these items as they are."""
        yield q0
        _, _, columns = self._scaled(q0)
        for k in range(STARTS):
            far = np.pi * (k + 1) / STARTS
            dv = far * self.random.normal(size=len(self.speeds)) / columns
            for each in held:
                dv[self.items[each].speeds] = 0.0
            yield self._step(q0, dv)

    def _held(self, q: Floats, wishes: Wishes, *, speeds: bool = False) -> tuple[int, ...]:
        """The items that can stay, as many of the first as are independent there."""
        J, _, _ = self._scaled(q, speeds=speeds)
        rank = int((np.linalg.svd(J, compute_uv=False) > INDEPENDENT).sum())
        order = [*wishes.order, *(k for k in range(len(self.items)) if k not in wishes.order)]
        basis = np.zeros((len(J), 0))
        moving: set[int] = set()
        for k in reversed(order):
            for column in J[:, self.items[k].speeds].T:
                rest = column - basis @ (basis.T @ column)
                rest -= basis @ (basis.T @ rest)
                length = float(np.linalg.norm(rest))
                if basis.shape[1] < rank and length > INDEPENDENT:
                    basis = np.column_stack([basis, rest / length])
                    moving.add(k)
        return tuple(k for k in wishes.order if k not in moving)

    def _reach(
        self, q0: Floats, near: Floats, held: tuple[int, ...], guess: Floats | None
    ) -> Floats | None:
        """The closed state with these items as asked.

        What is fixed is led from the closed guess to its value. Without a guess, or where that way
        ends: straight on, the nearer of that and of what the closed state near it leads to, or
        one of `_guesses`.
        """
        if guess is not None and not np.array_equal(guess, q0):
            led = self._along(self._near(guess), q0, held)
            if led is not None:
                return self._unwound(q0, led)
        tries = self._guesses(q0, held)
        straight = self._closed(next(tries), held)
        if straight is not None and self._distance(q0, straight) <= LONGEST_STEP:
            return straight
        found = [x for x in (straight, self._along(near, q0, held)) if x is not None]
        if found:
            return min((self._unwound(q0, x) for x in found), key=lambda x: self._distance(q0, x))
        for q in tries:
            other = self._closed(q, held)
            if other is not None:
                return self._unwound(q0, other)
        return None

    def _distance(self, q0: Floats, q: Floats) -> float:
        """How far the farthest item has moved, in radians, or metres by the scale of the loops."""
        _, _, columns = self._scaled(q0)
        units = self.loops.code.model.units
        far = 0.0
        for item in self.items:
            angle = units[item.names[0]] in ("rad", "1")
            scale = 1.0 if angle else columns[item.speeds].max(initial=0.0)
            far = max(far, scale * np.abs(q[item.places] - q0[item.places]).max(initial=0.0))
        return float(far)

    def _unwound(self, q0: Floats, q: Floats) -> Floats:
        """The same place without full turns, where the loops do not count them."""
        for item in self.items:
            turns = np.round((q[item.places] - q0[item.places]) / (2 * np.pi))
            if len(item.names) == 1 and turns.any():
                trial = q.copy()
                trial[item.places] -= 2 * np.pi * turns
                q = trial if self._is_closed(trial) else q
        return q

    def _along(self, q: Floats, q0: Floats, held: tuple[int, ...]) -> Floats | None:
        """Held items from a closed state to what is asked, closing the loops on the way."""
        places = [at for k in held for at in range(*self.items[k].places.indices(len(q)))]
        first, last = q[places], q0[places]
        way, part = 0.0, 1.0
        while way < 1.0:
            trial = q.copy()
            trial[places] = first + min(1.0, way + part) * (last - first)
            found = self._closed(self.poses.retracted(trial), held)
            if found is None or np.abs(found - q).max() > 2 * LONGEST_STEP * max(part, 0.5):
                part /= 2.0
                if part < LEAST_PART:
                    return None
                continue
            q, way = found, way + part
        return q

    # Speeds

    def _speeds(self, q: Floats, v0: Floats, held: tuple[int, ...]) -> Floats:
        """The speeds nearest to these at which the loops stay closed, with these items held."""
        J, rows, columns = self._scaled(q, speeds=True)
        _, opening = self._opening(q, v0)
        rates = np.concatenate([opening, self.targets.rate(q, v0)])
        rate = _unrounded(rates, rows * max(1.0, np.abs(v0).max(initial=0.0))) / rows
        size = max(np.abs(v0).max(initial=0.0), np.abs(rate).max(initial=0.0))
        if np.abs(rate).max(initial=0.0) <= CLOSED * size:
            return v0
        free = np.ones(len(v0), dtype=bool)
        for k in held:
            free[self.items[k].speeds] = False
        A = J[:, free]
        change = np.linalg.lstsq(A, -rate, rcond=INDEPENDENT)[0]
        if np.abs(A @ change + rate).max(initial=0.0) > 1e-8 * size:
            raise NumericsError(
                f"{self.name}: no motion keeps the loops closed with "
                f"{self._said(held, v0, True)} as asked; give other speeds, or make one a guess"
            )
        v = v0.copy()
        v[free] += change / columns[free]
        return v

    # Speeds in singular positions

    def _branches(self, q: Floats) -> Branches | None:
        """What the loops allow at second order, where the place is singular and none is driven.

        Of beams it is not known: one that cannot lengthen makes every place singular.
        """
        if self.loops.code.model.beams:
            return None
        still = np.zeros(len(self.speeds))
        J, rows, _ = self._scaled(q, loops_alone=True)
        deficient = np.linalg.svd(J, compute_uv=False)[-1:].min(initial=1.0) <= ZERO
        if not (deficient or len(J) > J.shape[1]):
            return None
        if np.abs(self._opening(q, still)[1]).max(initial=0.0) > CLOSED * rows.max(initial=0.0):
            return None
        alone = Closing(
            self.loops,
            self.poses,
            CutTargets(self.loops.code, self.targets.given, self.t),
            self.items,
            self.t,
            self.parameters,
        )
        _, _, columns = self._scaled(q, loops_alone=True)
        number = np.arange(len(self.speeds))
        near = (
            alone._closed(
                self._step(q, AROUND * np.sin(1.0 + 7.3 * k + 2.4 * number) / columns), ()
            )
            for k in (1, 2, 3)
        )
        return branches_of(
            q,
            lambda place: self._scaled(place, loops_alone=True),
            lambda place, v: self._opening(place, v)[1],
            self._step,
            [x for x in near if x is not None],
        )

    def _on_branch(self, branches: Branches, q: Floats, v0: Floats, wishes: Wishes) -> Floats:
        """The speeds of the one branch that has those asked; these themselves if they are one's.

        Raises
            SingularPositionError: no branch has them, or more than one.
        """
        size = np.abs(v0).max(initial=0.0)
        asked = [*wishes.order[: wishes.fixed]]
        asked += [k for k in wishes.order[wishes.fixed :] if v0[self.items[k].speeds].any()]
        words = ", ".join(x for x in (self._said(asked, v0, True), *self.targets.speeds) if x)
        A, b = self._speeds_asked(q, v0, asked)
        _, rows, _ = self._scaled(q, loops_alone=True)
        rate = self._opening(q, v0)[1]
        closed = np.abs(rate / rows).max(initial=0.0) <= MET * size
        met = np.abs(A @ v0 - b).max(initial=0.0) <= MET * size
        if met and (not size or (closed and branches.allows(v0))):
            return v0
        tangents = branches.tangents()
        fits = []
        for tangent in tangents:
            along = A @ tangent
            part = float(along @ b) / max(float(along @ along), 1e-300)
            if np.abs(part * along - b).max(initial=0.0) <= MET * np.abs(b).max(initial=0.0):
                fits += [part * tangent] if part else []
        if len(fits) == 1:
            return np.asarray(fits[0])
        how = f"{'more than one has' if fits else 'none has'} {words}"
        if not np.any(b):
            how = "the speeds of the start are guesses, and none has them"
        raise SingularPositionError(self._undecided(branches, how, v0))

    def _speeds_asked(self, q: Floats, v0: Floats, asked: Sequence[int]) -> tuple[Floats, Floats]:
        """What is asked of speeds, those of cut hinges too, as A v = b."""
        places = [at for k in asked for at in range(*self.items[k].speeds.indices(len(v0)))]
        still = np.zeros(len(v0))
        A = np.vstack([np.eye(len(v0))[places], self.targets.slopes(q, speeds=True)])
        return A, np.concatenate([v0[places], -self.targets.rate(q, still)])

    def _undecided(self, branches: Branches, how: str, v0: Floats) -> str:
        """Why no motion can begin at the place."""
        tangents = branches.tangents()
        near = branches.nearest(v0)
        known = "of its branches"
        if tangents:
            known = f"its branches have the speeds {said(tangents, self.speeds)}, or multiples;"
        elif near is not None:
            known = f"speeds that it allows are {speeds_said(near, self.speeds)};"
        return (
            f"{self.name}: the start is a singular position of the loops, which can go on in more "
            f"than one way: {known} {how}; ask for speeds that one branch alone has, or start "
            "beside the position"
        )

    # What is said of it

    def _see_fixed(
        self, wishes: Wishes, held: Sequence[int], asked: Floats, found: Floats, speeds: bool
    ) -> None:
        """Raise if something fixed has moved, because the rest of what is fixed decides it."""
        for k in wishes.order[: wishes.fixed]:
            moved = [*self._moved(asked, found, speeds, (k,))]
            if moved:
                others = [self._said([j for j in held if j != k], asked, speeds)]
                others = [x for x in (*others, self.targets.said()) if x]
                with_them = f" with {', '.join(others)}" if others else ""
                wanted, there = moved[0].values
                raise NumericsError(
                    f"{self.name}: the loops do not let {moved[0].name} be {wanted}{with_them}: "
                    f"it is {there} where they are closed; make it a guess, or another one"
                )

    def _names(self, k: int, speeds: bool) -> tuple[str, ...]:
        item = self.items[k]
        return self.speeds[item.speeds] if speeds else item.names

    def _said(self, which: Sequence[int], state: Floats, speeds: bool) -> str:
        """Items with their values, in words; at most six."""
        parts = []
        for k in which[:6]:
            item = self.items[k]
            values = state[item.speeds if speeds else item.places]
            parts += [
                f"{name} = {x:.6g}" for name, x in zip(self._names(k, speeds), values, strict=True)
            ]
        return ", ".join(parts) + (", …" if len(which) > 6 else "")

    def _moved(
        self, asked: Floats, found: Floats, speeds: bool, which: Sequence[int] | None = None
    ) -> Iterator[Moved]:
        """What differs from what was asked."""
        for k in range(len(self.items)) if which is None else which:
            item = self.items[k]
            where = item.speeds if speeds else item.places
            for name, a, b in zip(self._names(k, speeds), asked[where], found[where], strict=True):
                if abs(a - b) > UNMOVED * max(1.0, abs(a)):
                    yield Moved(name, float(a), float(b))


def _unrounded(values: Floats, slopes: Floats) -> Floats:
    """Values of conditions with these slopes; zero where they are rounding."""
    return np.where(np.abs(values) <= ROUNDED * slopes.max(initial=0.0), 0.0, values)


def _in_words(model: Model, condition: str) -> str:
    """Which hinge a condition is of, and what it demands."""
    from ...model.parts.hinge_kinds import HINGE_KINDS

    for hinge in model.hinges:
        if condition == hinge.name:
            return f"hinge {hinge.name}, which is not where the hinge that it follows wants it"
        kind = HINGE_KINDS[model.dimension]["fixed" if hinge.motion else hinge.kind]
        for j in range(kind.conditions):
            if condition == f"{hinge.name}_{j + 1}" and hinge.name in model.cuts:
                if j < len(kind.places):
                    axis = "xyz"[kind.places[j]]
                    return f"hinge {hinge.name}, whose ends are apart along {axis} of its parent"
                if j < len(kind.places) + len(kind.pairs):
                    return f"hinge {hinge.name}, whose ends are turned against each other"
                return f"hinge {hinge.name}, whose shift is not that of its turn"
    return f"the condition {condition}"
