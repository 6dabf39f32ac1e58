"""Two hundred random trees through the generator, against Newton–Euler with multipliers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from independent.newton_euler import newton_euler
from random_models import planar_tree, spatial_tree
from sizes import later

from mstmm.model import Model
from mstmm.runtime.solver import compile_model

#: Both sides round in double precision.
TOLERANCE = 1e-9


def check(model: Model) -> None:
    solver = compile_model(model, target="numpy")
    q, v = np.array(model.q0), np.array(model.v0)
    expected = newton_euler(model, q, v)
    scale = max(1.0, np.abs(expected.accelerations).max())
    found = solver.accelerations(q, v)
    assert np.abs(found - expected.accelerations).max() <= TOLERANCE * scale
    d = model.dimension
    forces = np.array([expected.forces[end] for end in solver.ends])
    loads = solver.joint_loads(q, v)[:, 3 : 3 + d]
    assert np.abs(loads - forces).max() <= TOLERANCE * max(1.0, np.abs(forces).max())


@pytest.mark.parametrize("first", later(range(0, 200, 20), 1))
def test_planar_trees(first: int) -> None:
    for seed in range(first, first + 20):
        check(planar_tree(Random(seed)))


@pytest.mark.parametrize("seed", range(4))
def test_spatial_trees_of_four_general_bodies(seed: int) -> None:
    check(spatial_tree(Random(seed), bodies=4))
