"""The ready-made models in joint coordinates: the deduction paper's example, closed starts."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from compiler import TARGET, TARGETS
from independent.joints import joint_motion
from independent.loops import loop_motion
from places import DATA as ALL_DATA

import mstmm
from mstmm.errors import UsageError
from mstmm.model import MODELS, load

DATA = ALL_DATA / "deduction-paper"
LOOPS = (
    "example-2",
    "hdca-case-1",
    "hdca-case-2",
    "hdca-case-3",
    "four-bar",
    "slider-crank",
    "delta-robot",
)
TREES = ("double-pendulum", "cart-pole", "ball-chain", "spatial-tree")

Array = np.ndarray


def reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "example2.json").read_text())
    return found


def stored(prefix: str) -> Array:
    """The columns of the stored motion whose names start so, every 0.01 s."""
    with (DATA / "example2.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in rows[0] if column.startswith(prefix)]
    return np.array([[float(row[column]) for column in columns] for row in rows])


@pytest.mark.parametrize("target", TARGETS)
def test_example_2_starts_as_the_reference(target: str) -> None:
    """Angular accelerations within 1e-12 rad/s², the force in the cut hinge within 1e-12 N."""
    solver = mstmm.compile("example-2", target=target)
    model, expected = solver.model, reference()
    assert model.cuts == ("14",)
    a = dict(zip(model.tree_hinges, solver.accelerations(model.q0, model.v0), strict=True))
    turning = {"0": 0.0}
    for hinge, own in a.items():
        parent, child = (end.body for end in hinge.ends)
        turning[child] = turning[parent] + own
    assert expected["initial_Omd"].keys() == turning.keys() - {"0"}
    for body, value in expected["initial_Omd"].items():
        assert abs(turning[body] - value) < 1e-12
    loads = solver.joint_loads(model.q0, model.v0)[solver.ends.index("9:I1")]
    assert np.abs(loads[3:5] + expected["initial_hinge14_lambda"]).max() < 1e-12
    assert solver.energy(model.q0, model.v0) == pytest.approx(expected["energy0"], abs=1e-12)


def test_example_2_at_the_reference_states() -> None:
    solver = mstmm.compile("example-2", target=TARGET)
    for state in reference()["random_states"]:
        q, v = -np.array(state["q"]), -np.array(state["qd"])
        assert np.abs(np.concatenate(solver.constraints(q, v))).max() < 1e-14
        assert np.abs(solver.accelerations(q, v) + state["qdd"]).max() < 1e-12
        loads = solver.joint_loads(q, v)[solver.ends.index("9:I1")]
        assert np.abs(loads[3:5] + state["mu_hinge14_lambda_xy"]).max() < 1e-12


def test_example_2_follows_the_reference_motion() -> None:
    """All seven angles within 1e-8 rad over 2 s, their rates within 1e-7 rad/s (RK4, 1 ms)."""
    run = mstmm.compile("example-2", target=TARGET).simulate(t_end=2.0, dt=1e-3, record=0.01)
    assert np.abs(run.q + stored("phi")[:, :7]).max() < 1e-8
    assert np.abs(run.v + stored("phid")).max() < 1e-7
    assert run["constraint_position"].values.max() < 1e-10


def test_another_branching_plate_leaves_the_reference() -> None:
    """The bound can fail: one plate heavier by a millionth is seen."""
    model = load("example-2")
    heavy = replace(model.bodies[2], mass=model.bodies[2].mass * 1.000001)
    other = replace(model, bodies=(*model.bodies[:2], heavy, *model.bodies[3:]))
    run = mstmm.compile(other, target=TARGET).simulate(t_end=2.0, dt=1e-3, record=0.01)
    assert np.abs(run.q + stored("phi")[:, :7]).max() > 1e-7


@pytest.mark.parametrize("name", LOOPS)
def test_loops_start_closed_and_at_rest(name: str) -> None:
    model = load(name)
    assert not any(model.v0)
    solver = mstmm.compile(model, target="numpy")
    assert np.abs(solver.constraints(model.q0, model.v0)[0]).max() < 1e-15
    assert solver.redundant(model.q0) == 0
    expected = loop_motion(model, model.q0, model.v0)
    found = solver.accelerations(model.q0, model.v0)
    assert np.abs(found - expected.accelerations).max() < 1e-10 * np.abs(found).max()


@pytest.mark.parametrize("name", TREES)
def test_trees_start_as_the_judge_says(name: str) -> None:
    model = load(name)
    expected = joint_motion(model, model.q0, model.v0)
    found = mstmm.compile(model, target="numpy").accelerations(model.q0, model.v0)
    assert np.abs(found - expected.accelerations).max() < 1e-10 * np.abs(found).max()


def test_another_crank_is_closed_before_it_moves() -> None:
    """Parameters stay symbols: a longer coupler, kept until run time, closes and moves."""
    solver = mstmm.compile("four-bar", target=TARGET, parameters=("b",))
    run = solver.simulate(t_end=0.5, parameters={"b": 0.55})
    assert run["constraint_position"].values.max() < 1e-10
    assert abs(run.q[0, 1] - load("four-bar").q0[1]) > 0.01


def test_the_spatial_tree_has_a_hinge_of_each_kind() -> None:
    kinds = [hinge.kind for hinge in load("spatial-tree").hinges]
    assert len(set(kinds)) == len(kinds) == 7


def test_the_double_pendulum_is_the_text_book_one() -> None:
    """Both rods level, at rest: two equations of motion, solved by hand."""
    model = load("double-pendulum")
    m1, l1, m2, l2, g = (model.parameters[name] for name in ("m1", "l1", "m2", "l2", "g"))
    mass = np.array(
        [
            [m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2],
            [m2 * l1 * l2 / 2, m2 * l2**2 / 3],
        ]
    )
    weight = -np.array([(m1 / 2 + m2) * g * l1, m2 * g * l2 / 2])
    first, second = np.linalg.solve(mass, weight)
    found = mstmm.compile(model, target="numpy").accelerations([math.pi / 2, 0.0], [0.0, 0.0])
    assert np.abs(found - [first, second - first]).max() < 1e-12


def test_every_model_states_what_it_assumes() -> None:
    for name, ready in MODELS.items():
        model = ready.build()
        assert model.name == name
        assert model.description
        assert ready.build.__doc__
        if name in ("example-1", *LOOPS, *TREES):
            assert "ssumed" in ready.build.__doc__ or "assumed" in model.description
            assert "without" in model.description or "assumed" in model.description


def test_a_chain_of_no_rods_is_refused() -> None:
    assert len(load("ball-chain", n=1).bodies) == 1
    with pytest.raises(UsageError, match="n = 0 must be 1 or more"):
        load("ball-chain:n=0")
