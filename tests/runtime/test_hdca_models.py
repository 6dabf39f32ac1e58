"""The divide-and-conquer paper's test cases: known motions, symmetry, a judge's own motion."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from compiler import TARGET
from independent.pinned import Pinned
from places import DATA as ALL_DATA

import mstmm
from mstmm.model import load
from mstmm.runtime.motions.results import Run

DATA = ALL_DATA / "divide-and-conquer-paper"
CASES = (1, 2, 3)
TIMES = np.linspace(0.0, 10.0, 101)

Array = np.ndarray


def stored(case: int, *prefixes: str) -> list[Array]:
    """Columns named by a prefix and a number, every 0.1 s."""
    with (DATA / f"case{case}.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = [[n for n in rows[0] if n.rstrip("0123456789") == prefix] for prefix in prefixes]
    return [np.array([[float(row[n]) for n in own] for row in rows]) for own in names]


@cache
def moved(case: int) -> Run:
    """10 s by the Riccati method with loops, at the tightest tolerance that dopri5 takes."""
    solver = mstmm.compile(f"hdca-case-{case}", target=TARGET)
    return solver.simulate(t_end=10.0, method="dopri5", rtol=1e-12, atol=1e-12, record=0.1)


@pytest.mark.parametrize(("case", "energy"), [(1, -29.43), (2, -117.72), (3, -98.10)])
def test_a_case_starts_closed_at_rest_and_symmetric(case: int, energy: float) -> None:
    model = load(f"hdca-case-{case}")
    solver = mstmm.compile(model, target="numpy")
    assert np.abs(np.concatenate(solver.constraints(model.q0, model.v0))).max() < 1e-15
    assert solver.redundant(model.q0) == 0
    assert solver.energy(model.q0, model.v0) == pytest.approx(energy, abs=1e-12)
    assert len(model.speeds) - 2 * len(model.cuts) == {1: 2, 2: 6, 3: 4}[case]
    x = Pinned(model).place(np.array(model.q0))
    assert np.abs(mirrored(case, x) - x).max() < 1e-15


@pytest.mark.parametrize(("case", "bound"), [(1, 5e-11), (2, 5e-10)])
def test_the_riccati_method_follows_the_reference(case: int, bound: float) -> None:
    """The stored reference is good to 5e-12 and 2e-11 rad; measured here 5e-12 and 1.4e-11."""
    q, v = stored(case, "q", "qd")
    run = moved(case)
    assert np.abs(run.q - q).max() < bound
    assert np.abs(run.v - v).max() < 10 * bound
    assert run.energy_drift < 1e-9
    assert run["constraint_position"].values.max() < 1e-11


@pytest.mark.parametrize("case", CASES)
def test_the_judge_in_absolute_coordinates_moves_alike(case: int) -> None:
    """DOP853 at 1e-12, not stabilised: its pins open by 7e-12 m; the motions agree to 9e-11."""
    judge = Pinned(load(f"hdca-case-{case}"))
    x, u = judge.run(TIMES)
    assert max(np.abs(judge.gaps(at)).max() for at in x) < 1e-9
    assert abs(judge.energy(x[-1], u[-1]) - judge.energy(x[0], u[0])) < 1e-9
    run = moved(case)
    found = np.array([judge.place(q) for q in run.q])
    assert np.abs(wrapped(found - x)).max() < 1e-9
    if case != 3:
        (height,) = stored(case, "yK")
        middle = x[:, len(judge.model.bodies) // 2 - 1]
        above = middle[:, 1] + np.sin(middle[:, 2]) / 2
        assert np.abs(above - height[:, 0]).max() < 1e-9


@pytest.mark.parametrize("case", CASES)
def test_the_motion_stays_symmetric(case: int) -> None:
    """The paper asks it of all cases; in case 3 a disturbance grows by 9e2 in 10 s."""
    judge = Pinned(load(f"hdca-case-{case}"))
    for q in moved(case).q[::10]:
        x = judge.place(q)
        assert np.abs(wrapped(mirrored(case, x) - x)).max() < 1e-9


def test_another_system_leaves_the_reference() -> None:
    """The bound can fail: one inertia changed by a millionth is seen."""
    model = load("hdca-case-1")
    first, *others = model.bodies
    other = replace(model, bodies=(replace(first, inertia=first.inertia * 1.000001), *others))
    solver = mstmm.compile(other, target=TARGET)
    run = solver.simulate(t_end=10.0, method="dopri5", rtol=1e-12, atol=1e-12, record=0.1)
    assert np.abs(run.q - stored(1, "q")[0]).max() > 1e-7


def mirrored(case: int, x: Array) -> Array:
    """Each link where the mirror image of its partner in its chain is."""
    chains = [x[:4], x[4:]] if case == 3 else [x]
    return np.concatenate([chain[::-1] * [-1, 1, -1] for chain in chains])


def wrapped(difference: Array) -> Array:
    """Differences of angles between −π and π."""
    turns = difference[..., 2]
    found = difference.copy()
    found[..., 2] = (turns + np.pi) % (2 * np.pi) - np.pi
    return found
