"""Force laws, drives and screws in the cut hinges of mechanisms, against the judge of loops."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import loop_models
import numpy as np
import pytest
import sympy as sp
from compiler import TARGET, TARGETS
from independent.loops import loop_motion
from loop_checks import (
    MECHANISMS,
    Array,
    compare,
    damped_four_bar,
    model_speeds,
    results,
)
from planting import mutants
from proofs import proof_of_blocks

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.symbolic.language.arithmetic import EXACT, FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree.cut_force_kernels import MEASURED, PUSH, TURNED


@pytest.mark.parametrize("target", TARGETS)
def test_four_bar_with_friction_in_every_pin(target: str) -> None:
    model = damped_four_bar()
    assert model.cuts == ("D",)
    solver = mstmm.compile(model, target=target)
    q, v = solver.project(model.q0, model.v0)
    own = [
        float(law.subs({hinge_symbol("q", 1): x, hinge_symbol("u", 1): y}))
        for (law,), x, y in zip((h.force for h in model.tree_hinges), q, v, strict=True)
    ]
    expected = loop_motion(model, q, v, own, at={"D": [-q.sum()]})
    compare(solver.accelerations(q, v), expected.accelerations)
    given = {**expected.tree.loads, **expected.cut_loads}
    compare(solver.joint_loads(q, v), np.array([given[end] for end in solver.ends]))
    proof = proof_of_blocks(solver, points=2)
    assert proof.ok, proof.worst


def test_friction_takes_what_energy_is_lost() -> None:
    """Energy and the springs', with what friction has done, stay the same to the step's error."""
    model = damped_four_bar()
    solver = mstmm.compile(model, target=TARGET)
    run = solver.simulate(t_end=2.0, dt=1e-3)
    turned = run.q.sum(axis=1)
    qs = np.column_stack([run.q, -turned])
    us = np.column_stack([run.v, -run.v.sum(axis=1)])
    springs = qs[:, 2] ** 2 + 1.5 * (qs[:, 3] - 1) ** 2
    lost = us**2 @ [0.2, 0.3, 0.4, 0.5] + us[:, 0] * np.tanh(50 * us[:, 0]) / 4
    work = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2) * 1e-3])
    total = run.energy + springs + work
    assert lost.max() * 2.0 > 1.0
    assert np.abs(total - total[0]).max() < 1e-4
    assert run["constraint_position"].values.max() < 1e-10


def screw_press(pitch: sp.Expr | float, kind: str = "helical") -> Model:
    """A nut on a slide of the ground, turned by a shaft: the screw between them is cut."""
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    inertia = tuple(tuple(0.02 if i == j else 0.0 for j in range(3)) for i in range(3))
    shaft, nut = (
        Body(name, mass, inertia, (0.0, 0.0, 0.0), (Point("a", (0.0,) * 3), Point("b", far)))
        for name, mass, far in (("1", 0.4, (0.0, 0.0, 0.1)), ("2", 0.7, (0.3, 0.0, 0.1)))
    )
    return Model(
        "screw-press",
        3,
        (shaft, nut),
        (
            Hinge("A", "revolute", (End("0", "O"), End("1", "a"))),
            Hinge("B", "prismatic", (End("0", "P"), End("2", "a"))),
            Hinge("C", kind, (End("1", "b"), End("2", "b")), pitch, (-0.01 * q - 0.02 * u,)),
        ),
        (0.0, 0.0, -9.81),
        {"h": 0.05},
        absolute=False,
        cuts=("C",),
        ground=(Point("P", (-0.3, 0.0, 0.0)),),
    )


def test_a_cut_screw_counts_its_turns() -> None:
    """Against the same press with the screw in the tree, over several turns."""
    cut = mstmm.compile(screw_press(0.05), target=TARGET)
    other = replace(screw_press(0.05), cuts=("B",), q0=(), v0=())
    tree = mstmm.compile(other, target=TARGET)
    run = cut.simulate([0.0, 0.0], [20.0, -1.0], t_end=2.0, dt=1e-3)
    assert cut.model.coordinates == ("qA", "qB")
    assert np.abs(run.q[-1, 0]) > 4 * np.pi
    assert np.abs(run.q[:, 1] + 0.05 * run.q[:, 0]).max() < 1e-10
    there = tree.simulate([0.0, 0.0], [20.0, -20.0], t_end=2.0, dt=1e-3)
    assert there.coordinates == ("qA", "qC")
    assert np.abs(run.q[:, 0] - there.q[:, 0]).max() < 1e-8


def test_a_cut_screw_without_pitch_is_a_revolute() -> None:
    none, plain = screw_press(0), screw_press(0, "revolute")
    q, v = [0.7, 0.0], [0.4, 0.0]
    found, expected = (results(x, "joint_loads", q=q, v=v) for x in (none, plain))
    compare(found["a"], expected["a"], 1e-14)
    compare(found["loads"], expected["loads"], 1e-14)
    h = parameter("h")
    with pytest.raises(ModelError, match="the parameters make its pitch 0"):
        replace(screw_press(h), parameters={"h": 0.0})
    solver = mstmm.compile(screw_press(h), target="numpy", parameters=("h",))
    with pytest.raises(UsageError, match="the parameters make its pitch 0"):
        solver.accelerations(q, v, parameters={"h": 0.0})


def test_atan2_has_no_exact_form() -> None:
    """In space an angle is read off the pose; in the plane it is a sum, which is exact."""
    model, _ = loop_models.loop_model(Random(7), 3, 2, 1, ("revolute",), False, "loaded")
    given = {name: [Fraction(1, 3)] * len(model.coordinates) for name in "qvc"}
    with pytest.raises(UsageError, match="atan2 has no exact form"):
        Interpreter(joint_program(plan(model)), EXACT).run(
            "accelerations", given | {"t": given["q"]}
        )
    still = [Fraction(0)] * 3
    flat = Interpreter(joint_program(plan(damped_four_bar())), EXACT)
    flat.run("accelerations", {"q": still, "v": still, "c": still[:2]})


@pytest.mark.parametrize("target", TARGETS)
def test_driven_cut_is_the_driven_hinge_of_the_tree(target: str) -> None:
    """The four-bar's last pin driven, cut and in the tree: motion, loads and driving force."""
    base = MECHANISMS["four-bar"]()
    free = mstmm.compile(base, target="numpy")
    near = dict(zip(base.coordinates, free.project(base.q0, base.v0)[0], strict=True))
    angle = -sum(near.values())
    last = replace(base.hinges[3], motion=(angle + sp.sin(TIME) / 5,))
    found = []
    for cut in "DC":
        hinges = (*base.hinges[:3], last)
        model = replace(base, hinges=hinges, cuts=(cut,), q0=(), v0=())
        solver = mstmm.compile(model, target=target)
        q, v = solver.project([near[n] for n in model.coordinates], 0 * model_speeds(model), t=0.7)
        assert np.abs(np.concatenate(solver.constraints(q, v, t=0.7))).max() < 1e-11
        loads = dict(
            zip((e[0] for e in solver.ends), solver.joint_loads(q, v, t=0.7), strict=False)
        )
        drive = solver.driving_forces(q, v, t=0.7)
        found.append(np.concatenate([solver.poses(q, t=0.7)[:, :2].ravel(), drive, loads["1"]]))
        run = solver.simulate(q, v, t_end=0.05, dt=1e-3)
        assert run["constraint_position"].values.max() < 1e-10
    compare(found[0], found[1], 1e-9)


@pytest.mark.parametrize("kind", ["slot", "free"])
def test_every_change_of_a_cut_force_is_seen(kind: str) -> None:
    model, _ = loop_models.loop_model(Random(7), 2, 2, 1, (kind,), False, "loaded")
    q, v = model.q0, [0.4, -0.7, 0.3, 0.9, -0.2, 0.5][: len(model.speeds)]
    program = joint_program(plan(model))

    def everything(of: Program) -> Array:
        given = {"q": [*q], "v": [*v], "t": [0.3], "c": [0.0] * len(of.sets["conditions"])}
        return np.array(Interpreter(of, FLOAT).results("joint_loads", given)["loads"], float)

    right = everything(program)
    made = list(mutants(program, (MEASURED, PUSH, TURNED)))
    unseen = [name for name, mutant in made if np.abs(everything(mutant) - right).max() < 1e-9]
    assert len(made) > 20
    assert unseen == []
