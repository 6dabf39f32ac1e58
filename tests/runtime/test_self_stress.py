"""Loads of overconstrained loops: which of them the motion tells, and the choice of the others.

The judge works in maximal coordinates: six wrench components for each hinge less those along which
it lets its child move, and the equilibrium of all bodies; what keeps it at rest without loads is
its null space. No cuts, no columns, no recursion.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from independent.joints import _frames, poses
from independent.loops import HELD, _unit, opened
from independent.loops import _end as end_of
from independent.maximal import arms
from independent.tree import FLOAT
from overconstrained_models import bricard

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Model
from mstmm.runtime.solver import Solver

Array = np.ndarray


@cache
def bricard_solver(cut: str, algorithm: str) -> Solver:
    return mstmm.compile(bricard(cut), algorithm=algorithm)


def self_stresses(model: Model, q: Array) -> dict[str, Array]:
    """By hinge: moment and force at its child's point of each state of self-stress, as columns.

    Inertial axes, on the child.
    """
    tree = opened(model)
    still = np.zeros((1, len(model.speeds)))
    frames = _frames(tree, np.array(q, dtype=float), still, still, FLOAT)
    ends = {
        end: end_of(model, frames, end, 1, FLOAT) for hinge in model.hinges for end in hinge.ends
    }
    names = [body.name for body in model.bodies]
    columns, wrenches, owners = [], [], []
    for hinge in model.hinges:
        for component in HELD[model.dimension, hinge.kind]:
            force, moment = _unit(model, hinge, ends, component)
            at = np.array(ends[hinge.ends[1]].x[:3, 3], dtype=float)
            column = np.zeros((len(names), 6))
            for sign, end in ((-1, hinge.ends[0]), (1, hinge.ends[1])):
                if end.body != GROUND:
                    k = names.index(end.body)
                    column[k, :3] += sign * (moment + np.cross(at, force))
                    column[k, 3:] += sign * np.array(force)
            columns.append(column.ravel())
            wrenches.append(np.concatenate([moment, force]))
            owners.append(hinge.name)
    balance = np.array(columns, dtype=float).T
    _, values, right = np.linalg.svd(balance)
    rank = int((values > 1e-9 * values[0]).sum())
    null = right[rank:].T
    every = np.array(wrenches, dtype=float)
    mine = {hinge.name: np.array([of == hinge.name for of in owners]) for hinge in model.hinges}
    return {name: every[rows].T @ null[rows] for name, rows in mine.items()}


def on_children(solver: Solver, q: Array, loads: Array) -> dict[str, Array]:
    """By hinge the moment and force on its child at its child's point, from `joint_loads`."""
    model, found = solver.model, {}
    frames = _frames(opened(model), np.array(q), *[np.zeros((1, len(model.speeds)))] * 2, FLOAT)
    for hinge in model.hinges:
        tip = solver.generated.plan.outputs[hinge.name][0]
        load = loads[solver.ends.index(str(tip))]
        here, child = (
            np.array(end_of(model, frames, end, 1, FLOAT).x[:3, 3], dtype=float)
            for end in (tip, hinge.ends[1])
        )
        moment, force = load[:3], -load[3:]
        moment = moment + np.cross(here - child, force)
        sign = 1 if tip == hinge.ends[1] else -1
        found[hinge.name] = sign * np.concatenate([moment, force])
    return found


def check(solver: Solver, q: Array, v: Array) -> None:
    """The law holds: no self-stress would make the loads less; what it does not touch is told."""
    loads = solver.joint_loads(q, v)
    told = solver.determinate(q)
    mine = on_children(solver, q, loads)
    basis = self_stresses(solver.model, q)
    scale = np.array([1 / arms(solver.model)] * 3 + [1.0] * 3)
    names = [hinge.name for hinge in solver.model.hinges]
    B = np.vstack([scale[:, None] * basis[name] for name in names])
    L = np.concatenate([scale * mine[name] for name in names])
    size = max(1.0, np.abs(L).max())
    # the null space is orthonormal up to the scale: its rounding is of 1e-12 for these models
    assert np.abs(B.T @ L).max(initial=0.0) < 1e-8 * size
    assert (B.shape[1] > 0) == (not told.all())
    forces_told = {
        name: bool(told[solver.ends.index(str(solver.generated.plan.outputs[name][0])), 3:].all())
        for name in names
    }
    for name in names:
        assert forces_told[name] == bool(np.abs(basis[name][3:]).max(initial=0.0) < 1e-8), name


@pytest.mark.parametrize(
    "algorithm", ["riccati", *(pytest.param(x, marks=pytest.mark.slow) for x in ("dca", "hdca"))]
)
def test_no_cut_and_no_algorithm_changes_the_loads_of_bricards_mechanism(algorithm: str) -> None:
    start = bricard_solver("f", "riccati").simulate(t_end=0.3, method="dopri5", record=0.3)
    q, v = start.q[-1], start.v[-1]
    expected = on_children(
        bricard_solver("f", "riccati"), q, bricard_solver("f", "riccati").joint_loads(q, v)
    )
    size = max(np.abs(x).max() for x in expected.values())
    for cut in "fac" if algorithm == "riccati" else "c":
        solver = bricard_solver(cut, algorithm)
        q0, v0 = moved_to(cut, q, v)
        found = on_children(solver, q0, solver.joint_loads(q0, v0))
        for name, load in expected.items():
            assert np.abs(found[name] - load).max() < 1e-9 * size, (cut, name)
        if algorithm == "riccati":
            check(solver, q0, v0)


def moved_to(cut: str, q: Array, v: Array) -> tuple[Array, Array]:
    """The state of the mechanism cut at f in the coordinates of another cut."""
    source = bricard_solver("f", "riccati")
    if cut == "f":
        return q, v
    solver = bricard_solver(cut, "riccati")
    last = poses(opened(source.model), q)[-1]
    angles = dict(zip(source.coordinates, q, strict=True))
    speeds = dict(zip(source.speeds, v, strict=True))
    start = np.array([angles.get(name, 0.0) for name in solver.coordinates])
    end = source.model.body("rod4").point("b")
    ground = source.model.ground_point("B")
    own, there = (np.array([[float(x) for x in row] for row in p.axes]) for p in (end, ground))
    seen = (last[:3, :3] @ own).T @ there
    start[list(solver.coordinates).index("qf")] = np.arctan2(seen[1, 0], seen[0, 0])
    q0, _ = solver.project(start, np.zeros(5))
    rates = np.array([speeds.get(name, 0.0) for name in solver.speeds])
    J = solver.jacobian(q0)
    free = [k for k, name in enumerate(solver.speeds) if name not in speeds]
    rates[free] = np.linalg.lstsq(J[:, free], -J @ rates, rcond=None)[0]
    return q0, rates


def test_compliances_share_the_load_as_springs_do() -> None:
    """A very soft hinge carries what it must alone; the others take the rest."""
    solver = bricard_solver("f", "riccati")
    q, v = np.zeros(5), np.zeros(5)
    soft = {"c": (1.0, 1.0)}
    plain = on_children(solver, q, solver.joint_loads(q, v))["c"]
    loads = solver.joint_loads(q, v, compliances=soft)
    eased = on_children(solver, q, loads)["c"]
    assert np.sum(eased**2) < np.sum(plain**2)
    basis = self_stresses(solver.model, q)["c"]
    assert np.abs(basis.T @ eased).max() < 1e-9 * np.abs(plain).max()
    with pytest.raises(UsageError, match="no hinge 'z'"):
        solver.joint_loads(q, v, compliances={"z": (1.0, 1.0)})


def test_loads_of_a_loop_that_is_not_overconstrained_are_all_told() -> None:
    solver = mstmm.compile("four-bar")
    assert solver.determinate(solver.model.q0).all()


def test_a_run_says_which_of_its_loads_are_a_choice(tmp_path: Path) -> None:
    solver = bricard_solver("f", "riccati")
    run = solver.simulate(t_end=0.02, dt=1e-2)
    assert run.determinate is not None
    assert np.array_equal(run.determinate, solver.determinate(run.q))
    assert not run.determinate.all()
    assert run["determinate"].dims == run["loads"].dims
    run.save(tmp_path / "run.csv")
    header, first, *_ = (tmp_path / "run.csv").read_text().splitlines()
    told = dict(zip(header.split(","), first.split(","), strict=True))
    flags = [float(told[f"{x}.m_z.determinate"]) for x in run.ends]
    assert flags == run.determinate[0, :, 2].tolist()


def test_a_run_whose_loads_are_all_told_says_nothing_of_it() -> None:
    run = mstmm.compile("four-bar", target="numpy").simulate(t_end=0.02, dt=1e-2)
    assert run.determinate is None
    assert "determinate" not in list(run)


def test_what_a_run_says_of_its_loads_is_kept_in_a_file(tmp_path: Path) -> None:
    run = bricard_solver("f", "riccati").simulate(t_end=0.02, dt=1e-2)
    run.save(tmp_path / "run.nc")
    again = mstmm.load_run(tmp_path / "run.nc")
    assert again.determinate is not None
    assert np.array_equal(again.determinate, run.determinate)
