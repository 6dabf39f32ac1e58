"""Runs answer to the names that others type, or say which name is right."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import mstmm


@pytest.fixture(scope="module")
def run() -> mstmm.runtime.motions.results.Run:
    return mstmm.compile("double-pendulum", target="numpy").simulate(t_end=0.01, dt=5e-3)


def test_a_run_answers_to_the_names_of_scipy(run) -> None:
    assert run.t is run.time
    assert run.y.shape == (4, 3)
    assert np.array_equal(run.y[:2].T, run.q)
    assert np.array_equal(run.y[2:].T, run.v)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sol", "resume"),
        ("t_events", "events"),
        ("success", "raises an error"),
        ("q1", r"run\['q1'\]"),
        ("height", "arrays are time, q, v"),
    ],
)
def test_the_error_names_the_right_one(run, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        getattr(run, name)


def test_a_run_is_copied_all_the_same(run) -> None:
    for other in (copy.copy(run), pickle.loads(pickle.dumps(run))):
        assert np.array_equal(other.y, run.y)


def test_runs_say_where_the_arrays_are() -> None:
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=["g"])
    runs = solver.simulate(t_end=0.01, dt=5e-3, parameters={"g": [9.81, 1.625]})
    for name, said in (("t", "runs.times"), ("y", r"runs\[0\]\.y"), ("x", r"runs\[k\]")):
        with pytest.raises(AttributeError, match=said):
            getattr(runs, name)
    assert copy.deepcopy(runs).times is not None
