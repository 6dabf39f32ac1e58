"""What a run is worth: energy, open loops, symmetry, distance from a much more exact motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mstmm.runtime.solver import Solver

from .forms import compiled
from .linkage import Linkage
from .runs import Run

Floats = npt.NDArray[np.float64]

CASES = (1, 2, 3)

#: The paper's point K: the joint in the middle of the first chain.
POINT_K = {1: "2:right", 2: "4:right", 3: "2:right"}

#: Links of each chain from one end to the other: the motion is their mirror image.
CHAINS = {1: (range(4),), 2: (range(8),), 3: (range(4), range(4, 8))}

#: Tolerance of the motion that the others are compared with.
EXACT = 1e-12


@dataclass(frozen=True)
class Errors:
    """Of a run over time; (states,)."""

    energy: Floats
    velocity: Floats
    position: Floats
    mirror: Floats


@dataclass(frozen=True)
class Line:
    """One run in the table: largest errors over time, `angle` at its end.

    `growth`: the exponent of the largest position error so far over time, from a tenth on.
    """

    case: int
    form: str
    method: str
    tolerance: float
    calls: int
    extra: int
    seconds: float
    energy: float
    velocity: float
    position: float
    growth: float
    angle: float
    mirror: float


class Case:
    """One of the paper's cases, with a motion that is exact for this study's purposes.

    `solver`: of the Riccati method; another one where the case's loops are cut elsewhere.
    """

    def __init__(self, number: int, t_end: float, target: str, solver: Solver | None = None):
        self.number, self.t_end = number, t_end
        self.name = f"hdca-case-{number}"
        solver = solver or compiled(self.name, "riccati", target)
        self.linkage = Linkage(solver.model)
        exact = solver.simulate(t_end=t_end, method="dopri5", rtol=EXACT, atol=EXACT, record=0.01)
        self.times, self.q, self.v = np.asarray(exact.time), exact.q, exact.v

    def point_k(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Height and vertical velocity of K."""
        at = self.linkage.point(q, v, POINT_K[self.number])
        return at.x[:, 1], at.u[:, 1]

    def errors(self, run: Run) -> Errors:
        q, v = run.speeds
        energy = self.linkage.energy(q, v)
        position, velocity = self.linkage.gaps(q, v)
        angles = self.linkage.angles(q)
        mirror = np.zeros(len(q))
        for chain in CHAINS[self.number]:
            own = angles[:, list(chain)]
            uneven = np.abs(np.remainder(own + own[:, ::-1] + np.pi, 2 * np.pi) - np.pi)
            mirror = np.maximum(mirror, uneven.max(axis=1))
        return Errors(np.abs(energy - energy[0]), velocity, position, mirror)

    def line(self, run: Run) -> Line:
        found = self.errors(run)
        return Line(
            case=self.number,
            form=run.form.name,
            method=run.method,
            tolerance=run.tolerance,
            calls=run.calls,
            extra=run.extra,
            seconds=run.seconds,
            energy=float(found.energy.max()),
            velocity=float(found.velocity.max()),
            position=float(found.position.max()),
            growth=growth(run.times, found.position),
            angle=float(np.abs(run.speeds[0][-1] - self.q[-1]).max()),
            mirror=float(found.mirror.max()),
        )


def growth(times: Floats, error: Floats) -> float:
    """The slope of the largest error so far over time, both in logarithms, from a tenth on."""
    largest = np.maximum.accumulate(error)
    late = times >= times[-1] / 10
    return float(np.polyfit(np.log(times[late]), np.log(largest[late]), 1)[0])
