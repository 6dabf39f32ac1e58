"""What a notebook shows: short, escaped, without scripts, and right."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import mstmm
from mstmm.model import MODELS


def words(text: str) -> str:
    """All text of a display, which must be well-formed."""
    return " ".join(ElementTree.fromstring(text).itertext())


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str) -> None:
    shown = mstmm.load(name)._repr_html_()
    assert name in words(shown)
    assert "<script" not in shown
    assert len(shown) < 40_000


def test_a_solver_a_run_and_a_proof() -> None:
    solver = mstmm.compile("spatial-tree", target="numpy")
    run = solver.simulate(t_end=0.01)
    proof = mstmm.validate(solver, points=2)
    said = [words(thing._repr_html_()) for thing in (solver, run, proof)]
    assert "accelerations" in said[0]
    assert "inverse_dynamics" not in said[0]
    assert "method rk4, dt = 0.001" in said[1]
    assert "11 × 10" in said[1]
    assert "m/s, rad/s" in said[1]
    assert "the code holds" in said[2]
    for thing in (solver, run, proof):
        assert len(thing._repr_html_()) < 8_000
        assert "<script" not in thing._repr_html_()


def test_the_runs_of_a_batch() -> None:
    """What differs and how each ended, in a table; of many only the first."""
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=["g"])
    runs = solver.simulate(t_end=0.01, dt=5e-3, parameters={"g": [9.81] * 13 + [1.625]})
    shown = runs._repr_html_()
    assert "Runs of double-pendulum" in words(shown)
    assert "14, 0 failed" in words(shown)
    assert "0 to 0.01 s, 3 records" in words(shown)
    assert "9.81" in words(shown)
    assert "… and 2 more" in words(shown)
    assert "1.625" not in words(shown)
    assert len(shown) < 8_000


def test_a_derivation_and_its_results() -> None:
    derived = mstmm.derive("branch-pendulum")
    assert "riccati" in words(derived._repr_html_())
    shown = derived.results[0]._repr_latex_()
    assert shown.startswith(r"$\displaystyle ")
    assert shown.endswith("$")
    large = [x._repr_latex_() for x in derived.results]
    assert all(len(text) < 12_000 for text in large)
