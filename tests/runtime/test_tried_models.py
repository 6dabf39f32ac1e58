"""Models that people wrote by hand, loaded from their files, against the dense absolute system."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from independent.absolute import absolute_motion
from independent.beams import beam_motion
from independent.moving import State
from judging import assert_forward

import mstmm

CASES = Path(__file__).parents[1] / "data" / "cases"


@pytest.mark.parametrize("name", ["pend2", "treeloop", "arm3", "excavator"])
def test_a_tried_model_is_right(name: str) -> None:
    """At its start and a little later on: accelerations, loads, drives, energy."""
    model = mstmm.load(CASES / f"{name}.toml")
    solver = mstmm.compile(model, target="numpy", wrenches=True)
    rng = Random(name)
    q, v = np.array(model.q0), np.array(model.v0)
    for t in (0.0, 0.2):
        q, v = solver.project(q, v, t=t) if solver.conditions else (q, v)
        tau = np.array([rng.uniform(-3, 3) for _ in v])
        wrenches = np.zeros((len(model.bodies), 6))
        wrenches[:, 2:5] = [[rng.uniform(-3, 3) for _ in "mxy"] for _ in model.bodies]
        state = State(model, q, v, t, tau, wrenches)
        motion = absolute_motion(state)
        assert_forward(state, motion, solver)
        v = v + [rng.uniform(-0.5, 0.5) for _ in v]


def test_a_beam_that_carries_a_head() -> None:
    """Against 50 digits over mass points: the tip mass has no inertia of its own."""
    model = mstmm.load(CASES / "tipbeam.toml")
    solver = mstmm.compile(model, target="numpy")
    q, v = [0.02, -0.01], [0.3, -0.2]
    expected = beam_motion(model, q, v)
    found = solver.accelerations(q, v)
    scale = np.abs(np.array(expected.accelerations, dtype=float)).max()
    assert np.abs(found - np.array(expected.accelerations, dtype=float)).max() < 1e-12 * scale
    assert solver.energy(q, v) == pytest.approx(float(expected.energy), rel=1e-12)
