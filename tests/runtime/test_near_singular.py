"""Single states at all distances from a singular position: right, or refused up to one border.

Posts of 1 m and 1 kg, 1.5 m apart, the beam between them 1 kg; the judge is Lagrange's equation of
the one freedom of a branch, in 50 digits, its other angles from the closure.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from test_singular_starts import ANTI, PARALLEL, level

import mstmm
from mstmm.errors import SingularPositionError
from mstmm.runtime.solver import Solver

GAP = mp.mpf("1.5")

#: A grid of distances in rad, three a decade, from zero on.
DISTANCES = (0.0, *np.logspace(-12, -1.7, 32).tolist())

ALGORITHMS = ("riccati", "dca", "hdca")


@cache
def solver(algorithm: str, gravity: int, target: str = "numpy") -> Solver:
    model = level()
    return mstmm.compile(
        replace(model, gravity=(sp.Integer(0), gravity * model.gravity[1])),
        algorithm=algorithm,
        target=target,
    )


def others(x: mp.mpf, anti: bool) -> tuple[mp.mpf, mp.mpf]:
    """The angles of the other post and of the beam."""
    if not anti:
        return x, mp.mpf(0)
    # The fourth corner is the third mirrored at the diagonal from the first post to the pivot.
    along, up = GAP - mp.cos(x), -mp.sin(x)
    tip = GAP + mp.cos(x), mp.sin(x)
    part = ((tip[0] - GAP) * along + (tip[1]) * up) / (along**2 + up**2)
    end = 2 * part * along - mp.cos(x), 2 * part * up - mp.sin(x)
    end = GAP + end[0], end[1]
    post = mp.atan2(end[1], end[0] - GAP)
    return post, mp.atan2(end[1] - mp.sin(x), end[0] - mp.cos(x))


def state(x: float, speed: float, anti: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, speeds and accelerations without gravity, the last by Lagrange."""
    with mp.workdps(50):
        at = mp.mpf(x)

        def angle(k: int, t: mp.mpf) -> mp.mpf:
            return (t, *others(t, anti))[k]

        first = [mp.diff(lambda t, k=k: angle(k, t), at, 1) for k in range(3)]
        second = [mp.diff(lambda t, k=k: angle(k, t), at, 2) for k in range(3)]
        a, b, c = (angle(k, at) for k in range(3))

        # Each of 1 kg, its middle 1/2 m from its first point, 1/12 kg m² about it: the beam too.
        def energy(t: mp.mpf) -> mp.mpf:
            slopes = [mp.diff(lambda s, k=k: angle(k, s), t, 1) for k in range(3)]
            way = mp.cos(t - angle(2, t))
            beam = 1 + slopes[2] ** 2 / 4 + slopes[2] * way + slopes[2] ** 2 / 12
            return (mp.mpf(1) / 3 * (1 + slopes[1] ** 2) + beam) / 2

        mass = 2 * energy(at)
        bend = -mp.diff(energy, at, 1) / mass * mp.mpf(speed) ** 2
        rates = [f * bend + g * mp.mpf(speed) ** 2 for f, g in zip(first, second, strict=True)]
        q = np.array([float(a), float(b), float(c - a)])
        v = speed * np.array([float(f) for f in (first[0], first[1], first[2] - first[0])])
        return q, v, np.array([float(f) for f in (rates[0], rates[1], rates[2] - rates[0])])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("anti", [False, True])
def test_accelerations_are_right_at_every_distance(algorithm: str, anti: bool) -> None:
    """Those of a parallelogram without gravity are zero: rounding was taken for growth."""
    made = solver(algorithm, 0)
    states = [state(x, 2.0, anti) for x in DISTANCES]
    assert states[0][1] == pytest.approx(2.0 * (ANTI if anti else PARALLEL), abs=1e-12)
    for x, (q, v, a) in zip(DISTANCES, states, strict=True):
        # 2e-8 rad/s² is what a gap of 1e-14 m makes, times the squares of the speeds
        assert made.accelerations(q, v) == pytest.approx(a, abs=1e-7 * np.abs(v).max() ** 2), x
    q, v, a = (np.array(each) for each in zip(*states, strict=True))
    assert made.accelerations(q, v) == pytest.approx(a, abs=1e-7 * np.abs(v).max() ** 2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_loads_are_refused_up_to_one_distance_only_where_they_grow(algorithm: str) -> None:
    """Under gravity the beams' weight pulls along the bars with 1 / x; without it nothing grows."""
    free, heavy = solver(algorithm, 0), solver(algorithm, 1)
    refused, pulls = [], []
    for x in DISTANCES:
        q, v = x * PARALLEL, 2.0 * PARALLEL
        assert np.abs(free.joint_loads(q, v)).max() < 5.0, x
        try:
            pulls.append(x * np.abs(heavy.joint_loads(q, v)).max())
            refused.append(False)
        except SingularPositionError:
            with pytest.raises(SingularPositionError, match="loads grow beyond all bounds"):
                heavy.joint_loads(q, v)
            refused.append(True)
    assert refused == sorted(refused, reverse=True)
    assert refused[0]
    assert not any(refused[x] for x, at in enumerate(DISTANCES) if at > 1e-5)
    near = [x for x, at in zip(pulls, DISTANCES[sum(refused) :], strict=True) if at < 1e-4]
    assert near == pytest.approx([near[0]] * len(near), rel=2e-3)
