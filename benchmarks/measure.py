"""A case: everyone judged first, then everyone timed in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from . import judge
from .cases import Case, Floor, NotHereError
from .contenders import Contender
from .trees import Floats

#: A result farther from extended precision than this (of the largest) is wrong, not fast.
WRONG = 1e-6

Say = Callable[[str], None]


@dataclass(frozen=True)
class Figure:
    """One contender in one case: error, then seconds a state: median and quartiles, and least.

    `samples`: every round's; `why`: why there are none.
    """

    name: str
    error: float | None = None
    samples: tuple[float, ...] = field(default=(), repr=False)
    why: str = ""

    @property
    def wrong(self) -> bool:
        return self.error is not None and not self.error <= WRONG

    @property
    def timed(self) -> bool:
        return bool(self.samples)

    def quantile(self, part: float) -> float:
        return float(np.quantile(self.samples, part))


@dataclass(frozen=True)
class Measured:
    """A row of the table."""

    case: Case
    figures: tuple[Figure, ...]
    why: str = ""

    def figure(self, name: str) -> Figure | None:
        """The contender of this name, or the fastest right one of its variants `name, …`."""
        found = [
            f
            for f in self.figures
            if f.timed and (f.name == name or f.name.startswith(f"{name}, "))
        ]
        right = [f for f in found if not f.wrong] or found
        return min(right, key=lambda f: f.quantile(0.5), default=None)

    def ratio(self, floor: Floor) -> tuple[float, float, float] | None:
        """Median and quartiles of the rounds' ratios; None where one of both is not here."""
        ours, theirs = self.figure(floor.contender), self.figure(floor.yardstick)
        if ours is None or theirs is None or theirs.wrong or ours.wrong:
            return None
        ratios = np.array(ours.samples) / np.array(theirs.samples)
        low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        return float(middle), float(low), float(high)


def measure(
    case: Case, people: Sequence[Callable[[Case], list[Contender]]], repeat: int, say: Say
) -> Measured:
    """Build, judge and time; the contenders take turns, round by round."""
    contenders: list[Contender] = []
    try:
        for person in people:
            say("building")
            contenders += person(case)
        say("judging")
        errors = judged(case, contenders)
    except NotHereError as error:
        return Measured(case, (), str(error))
    running = [c for c in contenders if c.call is not None]
    passes = {c.name: c.call.passes() for c in running if c.call}
    samples: dict[str, list[float]] = {c.name: [] for c in running}
    rounds = repeat if case.entry != "rk4" else max(3, repeat // 10)
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for c in running:
            assert c.call
            samples[c.name].append(c.call.seconds(passes[c.name]))
    figures = [
        Figure(c.name, errors.get(c.name), tuple(samples.get(c.name, ())), c.missing)
        for c in contenders
    ]
    return Measured(case, tuple(figures))


def judged(case: Case, contenders: Sequence[Contender]) -> dict[str, float]:
    """Of each, the largest error of the judged states, relative to the largest result.

    A motion has no reference: there, the end states are compared with the first one's.
    """
    running = [c for c in contenders if c.call is not None]
    reference = judge.reference(case, case.judged) if case.judged else None
    errors = {}
    for c in running:
        found = c.found()
        if reference is None:
            reference = found.copy()
        errors[c.name] = error(found[: len(reference)], reference)
    return errors


def error(found: Floats, reference: Floats) -> float:
    """The largest difference relative to the largest reference, state by state."""
    if found.shape != reference.shape:
        return float("inf")
    scale = np.abs(reference).max(axis=1)
    worst = (np.abs(found - reference).max(axis=1) / scale).max()
    return float(worst) if np.isfinite(worst) else float("inf")
