"""Closed loops in joint coordinates against the judge that tries wrenches on the open tree."""

from __future__ import annotations

from dataclasses import replace

import loop_models
import numpy as np
import pytest
from compiler import TARGET, TARGETS
from independent.loops import loop_motion
from loop_checks import (
    MECHANISMS,
    REDUNDANT,
    Array,
    compare,
)
from planting import mutants
from proofs import proof_of_blocks
from sizes import covered, later

import mstmm
from mstmm.errors import ModelError, NumericsError
from mstmm.model import End, Hinge, Point
from mstmm.model.expressions.quantities import TIME, parameter
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree.closing.kernels import CLOSED
from mstmm.symbolic.tree.cut_kernels import CONDITION
from mstmm.symbolic.tree.loop_kernels import COLUMNS


@covered(1, name=MECHANISMS, target=TARGETS)
def test_mechanism(name: str, target: str) -> None:
    """Closed from a rough start; compiled accelerations and loads are the judge's."""
    model = MECHANISMS[name]()
    solver = mstmm.compile(model, target=target)
    q, v = solver.project(model.q0, model.v0)
    expected = loop_motion(model, q, v)
    assert np.abs(expected.opening).max() < 1e-12
    assert np.abs(np.concatenate(solver.constraints(q, v))).max() < 1e-11
    compare(solver.accelerations(q, v), expected.accelerations)
    assert solver.redundant(q) == expected.redundant == REDUNDANT.get(name, 0)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(solver.joint_loads(q, v), np.array([given[end] for end in solver.ends]))
    loads, turned = (solver.joint_loads(q, v, frame=frame) for frame in ("inertial", "body"))
    at = solver.poses(q)[[solver.bodies.index(end.split(":")[0]) for end in solver.ends], :3, :3]
    compare(np.einsum("nij,nkj->nki", at, turned.reshape(-1, 2, 3)).reshape(-1, 6), loads, 1e-13)


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanism_moves(name: str) -> None:
    """Energy and closed loops are kept over seconds; the step's error is below 1e-7 J."""
    run = mstmm.compile(MECHANISMS[name](), target=TARGET).simulate(t_end=2.0, dt=1e-3, record=0.01)
    assert run.constraint_position is not None
    assert run.constraint_velocity is not None
    assert run["constraint_position"].values.max() < 1e-10
    assert run["constraint_velocity"].values.max() < 1e-10
    assert run.energy_drift < 1e-6


def test_scipy_methods_close_at_every_record() -> None:
    solver = mstmm.compile(MECHANISMS["four-bar"](), target="numpy")
    run = solver.simulate(t_end=0.3, method="RK45", record=0.05, rtol=1e-10, atol=1e-10)
    fixed = solver.simulate(t_end=0.3, dt=1e-3, record=0.05)
    assert run["constraint_position"].values.max() < 1e-10
    assert np.abs(run.q - fixed.q).max() < 1e-8


@covered(
    1,
    name=later(["four-bar", "cylinder and ball", "slider-crank", "redundant"], 2),
    target=TARGETS,
)
def test_compiled_code_is_proven(name: str, target: str) -> None:
    solver = mstmm.compile(MECHANISMS[name](), target=target)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_redundant_and_planar_four_bar_move_alike() -> None:
    flat, spatial = (
        mstmm.compile(MECHANISMS[name](), target=TARGET) for name in ("four-bar", "redundant")
    )
    model = flat.model
    tilted = replace(spatial.model, gravity=(0.0, -9.81 * 0.8, -9.81 * 0.6))
    bodies = tuple(
        replace(b, inertia=tuple(tuple(f if i == j else 0.0 for j in range(3)) for i in range(3)))
        for b, f in zip(tilted.bodies, (b.inertia for b in model.bodies), strict=True)
    )
    spatial = mstmm.compile(replace(tilted, bodies=bodies), target=TARGET)
    q, v = flat.project(model.q0, model.v0)
    compare(spatial.accelerations(q, v), flat.accelerations(q, v), 1e-10)


def test_driven_crank_gives_its_power() -> None:
    """No freedom is left; the energy grows by what the drive does."""
    base = loop_models.four_bar()
    model = replace(
        base,
        hinges=(replace(base.hinges[0], motion=(0.9 + 1.5 * TIME,)), *base.hinges[1:]),
        q0=(-0.5, -1.0),
        v0=(),
    )
    assert (model.cuts, model.coordinates) == (("D",), ("qB", "qC"))
    solver = mstmm.compile(model, target="numpy")
    step = 1e-4
    state = solver.project(model.q0, model.v0, t=0.3)
    energies = []
    for t in (0.3 - step, 0.3 + step):
        there = solver.project(*state, t=t)
        energies.append(solver.energy(*there, t=t))
    run = solver.simulate(*state, t_end=0.1, dt=1e-3)
    assert run["constraint_position"].values.max() < 1e-10
    power = 1.5 * solver.driving_forces(*state, t=0.3)[0]
    assert abs((energies[1] - energies[0]) / (2 * step) - power) < 1e-5 * abs(power)


@pytest.mark.parametrize("target", TARGETS)
def test_ground_and_points_may_depend_on_run_time_parameters(target: str) -> None:
    d = parameter("d")
    base = MECHANISMS["four-bar"]()
    placed = replace(base, parameters={"d": 2.0}, ground=(Point("P", (d, d / 8 - 0.25)),))
    free = mstmm.compile(placed, target=target, parameters=("d",))
    q, v = free.project(base.q0, base.v0, parameters={"d": 2.2})
    fixed = replace(base, ground=(Point("P", (2.2, 2.2 / 8 - 0.25)),))
    expected = loop_motion(fixed, q, v)
    assert np.abs(expected.opening).max() < 1e-12
    compare(free.accelerations(q, v, parameters={"d": 2.2}), expected.accelerations)
    run = free.simulate(q, v, t_end=0.05, parameters={"d": 2.2})
    assert run["constraint_position"].values.max() < 1e-10


def test_two_trees_on_the_ground_do_not_know_each_other() -> None:
    one = replace(
        loop_models.four_bar(),
        bodies=loop_models.four_bar().bodies[:1],
        hinges=loop_models.four_bar().hinges[:1],
        cuts=(),
        q0=(0.4,),
        v0=(0.2,),
    )
    far = Hinge("Z", "pin", (End("0", "P"), End("9", "a")))
    both = replace(
        one,
        bodies=(*one.bodies, loop_models.bar("9", 1.7)),
        hinges=(*one.hinges, far),
        cuts=(),
        q0=(0.4, -0.3),
        v0=(0.2, 0.5),
    )
    assert both.cuts == ()
    found = mstmm.compile(both, target="numpy")
    alone = mstmm.compile(one, target="numpy")
    compare(found.accelerations(both.q0, both.v0)[:1], alone.accelerations(one.q0, one.v0), 1e-14)
    energy = found.energy(both.q0, both.v0)
    assert energy == pytest.approx(
        alone.energy(one.q0, one.v0)
        + 1.7 * (1.7**2 / 3 * 0.5**2 / 2 - 9.81 * 1.7 / 2 * np.sin(0.3))
    )


def test_open_too_far_is_refused() -> None:
    model = loop_models.four_bar()
    far = replace(model, ground=(Point("P", (50.0, 0.0)),))
    with pytest.raises(NumericsError, match="cannot be closed"):
        mstmm.compile(far, target="numpy").simulate(t_end=0.1)


def test_plan_shows_cuts() -> None:
    text = plan(MECHANISMS["ball and revolutes"]()).describe()
    assert "cut: ball hinge C between 2:b and 3:a" in text


BAD = {
    "no such hinge": ({"cuts": ("X",)}, "no hinge 'X'"),
    "bodies fall off": ({"cuts": ("A", "B")}, "fall off"),
    "a point twice": ({"ground": (Point("P", (0, 0)), Point("P", (1, 0)))}, "2 times"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_loop_is_refused(case: str) -> None:
    changes, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        replace(loop_models.four_bar(), q0=(), v0=(), **changes)


def test_loop_that_cannot_move_is_refused() -> None:
    base = loop_models.four_bar()
    welded = (replace(base.hinges[0], kind="fixed"), replace(base.hinges[1], kind="fixed"))
    twice = Hinge("X", "pin", (End("2", "b"), End("0", "P")))
    model = replace(
        base, bodies=base.bodies[:2], hinges=(*welded, twice), cuts=("X",), q0=(), v0=()
    )
    with pytest.raises(ModelError, match="hinge X: closes a loop in which nothing can move"):
        joint_program(plan(model))


def test_every_change_of_the_loops_kernels_is_seen() -> None:
    base = MECHANISMS["slider-crank"]()
    points = (Point("a", (0.1, -0.2), 0.3), Point("b", (0.3, 0.1), -0.4))
    kinds = ("slot", "slot", "prismatic", "slot")
    model = replace(
        base,
        bodies=(*base.bodies[:2], replace(base.bodies[2], points=points)),
        hinges=tuple(replace(h, kind=k) for h, k in zip(base.hinges, kinds, strict=True)),
        ground=(replace(base.ground[0], axes=0.2),),
        cuts=("C",),
        gravity=(3.0, -9.81),
        q0=(),
        v0=(),
    )
    q, v = mstmm.compile(model, target="numpy").project(
        [0.1, 0.7, 0.1, -1.0, 0.9, 0.2], [0.4, 1.0, -0.5, 0.8, 0.3, -0.9]
    )
    program = joint_program(plan(model))
    entries = ("joint_loads", "end_states", "constraints", "correction", "jacobian")
    arguments = {"q": [*q], "v": [*v], "c": [0.3, -0.2, 0.5][: len(program.sets["conditions"])]}

    def everything(of: Program) -> Array:
        runs = Interpreter(of, FLOAT)
        found = [runs.results(entry, arguments) for entry in entries]
        return np.array([x for each in found for values in each.values() for x in values], float)

    right = everything(program)
    unseen = [
        name
        for name, mutant in mutants(program, (COLUMNS, CLOSED, CONDITION))
        if np.abs(everything(mutant) - right).max() < 1e-9
    ]
    assert unseen == []


def test_bad_names_of_ground_points_and_repeated_cuts_are_refused() -> None:
    four_bar = MECHANISMS["four-bar"]()
    with pytest.raises(ModelError, match="'a b' is no name"):
        replace(four_bar, ground=(*four_bar.ground, Point("a b", (0.0, 0.0))))
    with pytest.raises(ModelError, match="is named 2 times"):
        replace(four_bar, cuts=four_bar.cuts * 2)
