"""Small motions about rest: counts and harmonic response, against matrices of the whole system."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from small_motions import Dense, resting_tree

import mstmm


def compiled(model: mstmm.model.Model, **how: object) -> mstmm.Solver:
    return mstmm.compile(model, **{"algorithm": "linear", "target": "numpy", **how})


def see_counts(seed: int) -> None:
    """The count and the determinant at frequencies below, between and beyond all eigenvalues."""
    model = resting_tree(seed)
    dense, rng = Dense(model, np.array(model.q0)), np.random.default_rng(seed)
    solver, found = compiled(model), dense.eigenvalues
    span = max(1.0, abs(found).max())
    edges = np.sort(np.concatenate([found, [found[0] - span, found[-1] + span]]))
    at = np.array([a + (b - a) * rng.uniform(0.2, 0.8) for a, b in pairwise(edges)])
    apart = np.array([abs(x - found).min() > 1e-6 * span for x in at])
    got = solver.results("count", dense.q, omega2=at[:, None])
    below = np.array([(found < x).sum() for x in at])
    assert (got["below"].ravel()[apart] == below[apart]).all()
    logs = np.array([np.linalg.slogdet(dense.K - x * dense.M)[1] for x in at])
    # What the derivatives lose of K is lost near an eigenvalue.
    near = np.array([span / abs(x - found).min() for x in at])
    assert (abs(got["logdet"].ravel() - logs) < 1e-9 * near).all()
    assert (got["pivot"].ravel() <= 1.0).all()


@pytest.mark.parametrize("seed", range(30))
def test_what_is_below_is_counted(seed: int) -> None:
    see_counts(seed)


@pytest.mark.parametrize("seed", range(6))
def test_harmonic_loads_move_it_as_the_whole_system_says(seed: int) -> None:
    model = resting_tree(seed)
    dense, rng = Dense(model, np.array(model.q0)), np.random.default_rng(seed)
    solver = compiled(model, wrenches=True)
    tau = rng.uniform(-1, 1, len(model.speeds))
    wrenches = rng.uniform(-1, 1, (len(model.bodies), 6))
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    omega2 = dense.eigenvalues[0] - 2.5
    got = solver.results(
        "respond", dense.q, None, tau, wrenches=wrenches, omega2=np.array([omega2])
    )
    forces = tau + dense.forces(wrenches)
    s = np.linalg.solve(dense.K - omega2 * dense.M, forces)
    assert abs(got["s"] - s).max() < 1e-9 * abs(s).max()
    # Unit loads in turn: by virtual power they say how far each place moves.
    n = 3 if model.dimension == 2 else 6
    order = [3, 4, 2] if n == 3 else [3, 4, 5, 0, 1, 2]
    units = np.eye(6 * len(model.bodies)).reshape(-1, len(model.bodies), 6)
    units = units.reshape(len(model.bodies), 6, len(model.bodies), 6)[:, order]
    u = np.array([[dense.forces(one) @ s for one in body] for body in units])
    assert abs(got["u"].reshape(-1, n) - u).max() < 1e-9 * abs(u).max()
    kinetic = got["u"] @ got["P"] + got["s"] @ got["Ps"]
    assert kinetic == pytest.approx(s @ dense.M @ s, rel=1e-9)
