"""What the tests of divide and conquer share: random mechanisms, results, dense solutions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import loop_models
import numpy as np
import random_models
from independent.joints import joint_motion
from independent.loops import loop_motion, opened
from reading import Reading

from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.symbolic.methods.divide.program import hdca_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray

#: Offsets and weights of a central difference of order six.
DIFFERENCE = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


def mechanism(seed: int, dimension: int) -> tuple[Model, dict[str, list[float]], Reading]:
    """A random tree or mechanism with loops that the methods take; places of its cuts."""
    rng = Random(1000 * dimension + seed)
    while True:
        loops = seed % 3
        if loops:
            model, places = loop_models.loop_model(rng, dimension, rng.randint(2, 5), loops)
        else:
            model, places = random_models.joint_tree(rng, dimension, None, rng.randint(2, 5)), {}
        if model.speeds:
            try:
                return model, places, Reading(hdca_program(plan(model), forced=True))
            except UsageError:
                continue


def mass_matrix(model: Model, q: Array) -> Array:
    """M of the open tree: the inverse of what forces do to accelerations at rest."""
    n = len(model.speeds)
    still = np.zeros(n)
    base = joint_motion(opened(model), q, still).accelerations
    columns = [
        joint_motion(opened(model), q, still, tau=unit).accelerations - base for unit in np.eye(n)
    ]
    return np.linalg.inv(np.array(columns, dtype=float).T)


def jacobian(model: Model, q: Array, places: dict[str, list[float]]) -> Array:
    """Relative velocities that the cuts hold, of the speeds."""
    if not model.cuts:
        return np.zeros((0, len(model.speeds)))
    still = np.zeros(len(model.speeds))
    return np.array(loop_motion(model, q, still, at=places).jacobian, dtype=float)


def constrained(M: Array, J: Array, p: Array) -> Array:
    """The speeds v with J v = 0 and M v − Jᵀ σ = p, dense."""
    free = np.linalg.solve(M, p)
    held = np.linalg.solve(M, J.T)
    return free - held @ (np.linalg.pinv(J @ held, rcond=1e-10) @ (J @ free))


def condition(M: Array, J: Array) -> float:
    """The condition of J M⁻¹ Jᵀ, redundant conditions aside."""
    values = np.linalg.svd(J @ np.linalg.solve(M, J.T))[1]
    kept = values[values > 1e-10 * values.max(initial=0.0)]
    return float(kept[0] / kept[-1]) if len(kept) else 1.0


def along(found: Reading, q: Array, v: Array, momenta: Callable[[Array, Array], Array]) -> Array:
    """How fast momenta of (q, v) grow along the true motion, which accelerations give.

    The rate knows of the motion but its tangent, so that straight steps will do.
    """
    qd, a = found("rates", q=q, v=v)["qd"], found("accelerations", q=q, v=v)["a"]
    step = 4e-3 / max(1.0, np.abs(qd).max(initial=0.0), np.abs(a).max(initial=0.0) ** 0.5)
    return sum(w / step * momenta(q + k * step * qd, v + k * step * a) for k, w in DIFFERENCE)
