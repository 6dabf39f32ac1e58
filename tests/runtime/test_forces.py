"""Forces along the speeds belong to every library, loads on the bodies to one that is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from goldens import model

import mstmm

#: The two libraries order their sums differently: a few roundings, grown by condition numbers.
SAME = {"rtol": 1e-8, "atol": 1e-8}

CASES = [
    ("plane", "riccati", "c"),
    ("space", "riccati", "c"),
    ("space", "slaats", "numpy"),
    ("loops", "overall", "c"),
    ("loops", "dca", "numpy"),
    ("beams", "riccati", "c"),
    ("shortened beams", "overall", "numpy"),
    ("momenta", "hdca", "numpy"),
    ("momenta", "riccati", "c-batch"),
    ("chain", "riccati", "c-lanes"),
    ("chain of balls", "riccati", "c-lanes"),
]


@pytest.mark.parametrize(("name", "algorithm", "target"), CASES)
def test_forces_need_no_other_library(name: str, algorithm: str, target: str) -> None:
    """What the library without loads gives at forces is what the one with loads gives."""
    solver = mstmm.compile(model(name), algorithm=algorithm, target=target)
    q, v = np.array(solver.model.q0), 0.1 * np.ones(len(solver.speeds))
    q, v = mstmm.compile(solver.model).project(q, v) if solver.model.cuts else (q, v)
    tau = np.linspace(-1.0, 2.0, len(solver.speeds))
    free, driven = solver.accelerations(q, v), solver.accelerations(q, v, tau)
    assert not np.allclose(free, driven)
    assert "_loaded" not in vars(solver)
    nothing = np.zeros((len(solver.bodies), 6))
    np.testing.assert_allclose(driven, solver.accelerations(q, v, tau, wrenches=nothing), **SAME)
    assert "_loaded" in vars(solver)
    assert "f" not in solver.generated.sources.interface.sizes


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_a_library_with_wrenches_is_one(target: str) -> None:
    solver = mstmm.compile("double-pendulum", target=target, wrenches=True)
    other = mstmm.compile("double-pendulum", target=target)
    q, v, push = [0.3, 0.4], [1.0, 2.0], np.zeros((2, 6))
    push[1, 3] = 5.0
    found = solver.accelerations(q, v, wrenches=push)
    np.testing.assert_allclose(found, other.accelerations(q, v, wrenches=push), **SAME)
    np.testing.assert_allclose(solver.accelerations(q, v), other.accelerations(q, v), **SAME)
    assert solver.backend is solver._loaded.backend
    runs = [each.simulate(q, v, t_end=0.1).q[-1] for each in (solver, other)]
    np.testing.assert_allclose(*runs, **SAME)
    y = np.array([*q, *v])
    np.testing.assert_allclose(solver.rhs(0.0, y)[2:], solver.accelerations(q, v), **SAME)
