"""Random models at rest under load, and their small motions from matrices of the whole system.

K and M are those of the equations of motion: M from inverse dynamics, K from the derivatives of the
accelerations under the forces that hold the model where it is. Neither knows of a recursion of
stiffness, nor of what loads at rest add to it at a hinge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np
import scipy.linalg
from acting_models import PARAMETERS, sprung, tree
from coupled_models import with_rotors
from random_models import _quaternion

import mstmm
from mstmm.model import Hinge, Load, Model


def resting_tree(seed: int) -> Model:
    """A random tree of any kinds of hinge, with springs, potentials, rotors and dead loads."""
    rng, d = Random(seed), 2 + seed % 2
    model = with_rotors(rng, sprung(rng, tree(rng, d, rng.randint(2, 5))))
    hinges = tuple(_twisted(rng, d, replace(h, force=())) for h in model.hinges)
    loads = tuple(
        Load(f"load{k}", body.name, rng.choice(("", body.points[0].name)), force)
        for k, body in enumerate(rng.sample(model.bodies, rng.randint(0, 2)))
        for force in [tuple(rng.uniform(-20, 20) for _ in range(d))]
    )
    parameters = {**PARAMETERS, **model.parameters}
    return replace(model, hinges=hinges, loads=loads, parameters=parameters)


def _twisted(rng: Random, dimension: int, hinge: Hinge) -> Hinge:
    """With a torsional spring, if the hinge turns in any way and has no springs."""
    if dimension == 2 or hinge.kind not in ("ball", "free"):
        return hinge
    along = () if hinge.kind == "ball" else tuple(rng.uniform(0, 20) for _ in range(3))
    turned = (0.0,) * (3 if along else 0) + tuple(_quaternion(rng))
    rest = turned if rng.random() < 0.7 else ()
    return replace(hinge, stiffness=(*along, rng.uniform(5, 40)), rest=rest)


@dataclass
class Dense:
    """The matrices K and M of small motions of a model about `q`, held there by forces `tau`."""

    model: Model
    q: np.ndarray

    @cached_property
    def riccati(self) -> mstmm.Solver:
        return mstmm.compile(self.model, target="numpy", wrenches=True)

    @cached_property
    def tau(self) -> np.ndarray:
        inverse = mstmm.compile(self.model, algorithm="rnea-body", target="numpy")
        none = np.zeros(len(self.model.speeds))
        return np.asarray(inverse.inverse_dynamics(self.q, none, none))

    @cached_property
    def M(self) -> np.ndarray:
        inverse = mstmm.compile(self.model, algorithm="rnea-body", target="numpy")
        return np.asarray(inverse.mass_matrix(self.q))

    @cached_property
    def K(self) -> np.ndarray:
        """In displacements that speeds are rates of, so that it is symmetric."""
        n = len(self.model.speeds)
        found = -self.M @ self.riccati.linearize(self.q, np.zeros(n), self.tau)[0][n:, :n]
        return (found + found.T) / 2

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        return scipy.linalg.eigvalsh(self.K, self.M)

    def forces(self, wrenches: np.ndarray) -> np.ndarray:
        """The forces along speeds that loads (moment, force) at the centres of mass are."""
        none = np.zeros(len(self.model.speeds))
        still, pushed = (
            self.riccati.accelerations(self.q, none, wrenches=w) for w in (0 * wrenches, wrenches)
        )
        return np.asarray((pushed - still) @ self.M)
