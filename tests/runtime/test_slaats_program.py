"""The recursive formulation with effective masses as a program: motions, and what it refuses."""

from __future__ import annotations

from random import Random

import acting_models
import numpy as np
import pytest
import random_models

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model


def test_it_moves_as_the_riccati_method_does() -> None:
    model = random_models.joint_tree(Random(11), 3, ["revolute", "ball"], 2)
    ends = [
        mstmm.compile(model, algorithm=name, target="numpy").simulate(t_end=0.02, dt=1e-3)
        for name in ("slaats", "riccati")
    ]
    np.testing.assert_allclose(ends[0].q[-1], ends[1].q[-1], rtol=0, atol=1e-10)
    assert ends[0].energy_drift < 1e-6


def closed() -> Model:
    return mstmm.load("slider-crank")


def bonded() -> Model:
    rng = Random(2)
    return acting_models.bonded(rng, acting_models.tree(rng, 2, 3), 1)


@pytest.mark.parametrize("make", [closed, bonded])
def test_it_takes_trees_alone(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match="trees of rigid bodies"):
        mstmm.compile(make(), algorithm="slaats", target="numpy")
