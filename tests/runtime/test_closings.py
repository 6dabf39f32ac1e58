"""Loops eliminated where they close: long rows of loops, and loops on loops, at random.

Judged by maximal coordinates in long double (`data/loops`), by the tree under its cuts' wrenches
(`independent.loops`), and by the mass matrix and the conditions' slopes as one dense system.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import beam_models
import loop_models
import numpy as np
import pytest
from independent.loops import loop_motion, opened
from judging import assert_forward
from loop_checks import compare
from loop_models import ladder
from reading import Reading
from scenarios import forced, judged_beams
from scipy.integrate import solve_ivp

import mstmm
from mstmm.codegen.costs.cost import costs
from mstmm.codegen.generate import generate
from mstmm.model import GROUND, Model
from mstmm.model.files import toml
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

LOOPS = Path(__file__).parents[1] / "data" / "loops"


@cache
def reference(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LOOPS / f"{name}.json").read_text())
    return found


def part(found: Any, wanted: Sequence[Any]) -> float:
    """The largest error as a part of the largest number."""
    expected = np.array(wanted)
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
@pytest.mark.parametrize(("name", "tolerance"), [("ladder20", 1e-13), ("scissor20", 1e-10)])
def test_rows_of_twenty_loops_in_maximal_coordinates(
    name: str, tolerance: float, algorithm: str
) -> None:
    """Accelerations, and the forces in all pins: a scissor's cuts all close at its first bar.

    On an assembly tree a loop closes at the lowest node that has both sides of its cut.
    """
    known = reference(name)
    model = toml.from_text(known["toml"])
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    children = {str(hinge.ends[1]): hinge.name for hinge in model.hinges}
    for state in known["states"]:
        given = {
            key: [state[key][name[1:]] for name in names]
            for key, names in (("coordinates", model.coordinates), ("speeds", model.speeds))
        }
        tau, wanted = (
            [state[key][name[1:]] for name in model.speeds] for key in ("tau", "accelerations")
        )
        at = given["coordinates"], given["speeds"], tau
        assert part(solver.accelerations(*at), wanted) < tolerance
        loads = solver.joint_loads(*at)
        forces = [[-x for x in state["force_on_child"][children[end]]] for end in solver.ends]
        assert part(loads[:, 3:5], forces) < tolerance


def spun(model: Model, given: Any) -> dict[str, float]:
    """The angle, rate or acceleration of each body, by those of a tree of pins."""
    found = {GROUND: 0.0}
    for link in reversed(plan(model).links):
        (hinge,) = (x for x in model.hinges if x.name == link.hinge)
        sign = 1 if hinge.ends[1].body == link.name else -1
        found[link.name] = found[link.parent or GROUND] + sign * given[hinge.name]
    return found


def test_a_scissor_cut_for_few_columns_in_maximal_coordinates() -> None:
    """The same data in other coordinates, by the angles of bodies and the moments on them."""
    known = reference("scissor20")
    text = re.sub(r"^cuts=.*\n", "", known["toml"], flags=re.MULTILINE)
    model, given = toml.from_text(text), toml.from_text(known["toml"])
    assert model.cuts != given.cuts
    made = generate(model)
    (whole,) = [x.whole for x in costs(made.module) if x.whole.name == "accelerations"]
    counted = ("additions", "multiplications", "divisions")
    assert sum(whole.operations[name] for name in counted) <= 12_000
    solver = mstmm.compile(model, target="numpy")
    tree = {hinge.name: hinge for hinge in model.tree_hinges}
    forces = {str(end): hinge for hinge in model.hinges for end in hinge.ends}
    for state in known["states"]:
        q, v, a = (
            [bodies[b.body] - bodies[x.body] for x, b in (h.ends for h in tree.values())]
            for bodies in (
                spun(given, state[key]) for key in ("coordinates", "speeds", "accelerations")
            )
        )
        moments = dict.fromkeys(solver.bodies, 0.0)
        for hinge in given.tree_hinges:
            for end, sign in zip(hinge.ends, (-1, 1), strict=True):
                if end.body != GROUND:
                    moments[end.body] += sign * state["tau"][hinge.name]
        tau = dict[str, float]()
        for link in plan(model).links:
            hinge = tree[link.hinge]
            tau[hinge.name] = moments[link.name] * (1 if hinge.ends[1].body == link.name else -1)
            if link.parent is not None:
                moments[link.parent] += moments[link.name]
        at = q, v, [tau[name] for name in tree]
        assert part(solver.accelerations(*at), a) < 1e-10
        wanted = [
            (-1.0 if str(forces[end].ends[1]) == end else 1.0)
            * np.array(state["force_on_child"][forces[end].name])
            for end in solver.ends
        ]
        assert part(solver.joint_loads(*at)[:, 3:5], wanted) < 1e-10


def test_what_a_stage_costs_does_not_depend_on_their_number() -> None:
    """Operations are linear in the stages, and the text is the same but for tables."""
    texts, operations = [], []
    for stages in (20, 40, 80):
        made = generate(ladder(stages))
        source = made.sources.files["ladder.c"]
        assert stages > 20 or len(source) < 200_000
        texts.append(re.sub(r"static const [^=;]*= \{.*?\};", "", source, flags=re.DOTALL))
        (whole,) = [x.whole for x in costs(made.module) if x.whole.name == "accelerations"]
        counted = ("additions", "multiplications", "divisions")
        operations.append(sum(whole.operations[name] for name in counted))
    first, second, third = operations
    assert first <= 11_700
    assert 2 * (second - first) == third - second
    assert second - first <= 20 * 620
    assert max(map(len, texts)) < 1.05 * min(map(len, texts))


def nested(seed: int, dimension: int) -> Model:
    """A random tree with three loops, of which at least one closes at a body."""
    rng = Random(f"{seed} {dimension}")
    while True:
        model, _ = loop_models.loop_model(rng, dimension, 6, 3)
        closings = Reading(joint_program(plan(model))).program.sets["closings"]
        if any(not name.startswith(f"{GROUND} ") for name in closings):
            return model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 20))]
)
def test_random_loops_that_close_at_bodies(seed: int, dimension: int) -> None:
    model = nested(seed, dimension)
    rng, q = Random(seed), np.array(model.q0)
    still = np.zeros(len(model.speeds))
    v = loop_models.allowed_speeds(rng, loop_motion(model, q, still).jacobian)
    tau = [rng.uniform(-5, 5) for _ in v]
    expected = loop_motion(model, q, v, tau)
    solver = mstmm.compile(model, target="numpy")
    compare(solver.accelerations(q, v, tau), expected.accelerations)
    assert solver.redundant(q) == expected.redundant
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        loads = solver.joint_loads(q, v, tau)
        compare(loads, np.array([given[end] for end in solver.ends]))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 20))]
)
def test_corrections_are_those_of_one_dense_system(seed: int, dimension: int) -> None:
    """[[M, Jᵀ], [J, 0]] (du, μ) = (0, −c): M of the tree without its cuts; c that can be had."""
    model = nested(seed, dimension)
    tree = mstmm.compile(opened(model), algorithm="closed-form", target="numpy")
    solver = mstmm.compile(model, target="numpy")
    q, rng = np.array(model.q0), np.random.default_rng(seed)
    M, J = tree.mass_matrix(q), solver.jacobian(q)
    c = J @ rng.normal(size=len(model.speeds))
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([np.zeros(len(M)), -c])
    wanted = np.linalg.lstsq(whole, right, rcond=1e-11)[0][: len(M)]
    compare(solver.correction(q, np.zeros(len(M)), c), wanted)


@pytest.mark.parametrize("seed", [0, 2])
def test_loops_through_beams_close_at_bodies(seed: int) -> None:
    """Judged by mass points in 50 digits; a correction is at right angles to what loops allow."""
    rng = Random(seed)
    model, place = beam_models.beam_loop_on_body(rng)
    closings = Reading(joint_program(plan(model))).program.sets["closings"]
    assert not any(name.startswith(f"{GROUND} ") for name in closings)
    solver = mstmm.compile(model, target="numpy")
    J = np.array([solver.constraints(place, unit)[1] for unit in np.eye(len(model.speeds))]).T
    v = loop_models.allowed_speeds(rng, J)
    state = replace(forced(rng, model, np.array(v)), q=np.array(place), t=0.0)
    motion = judged_beams(state)
    assert_forward(state, motion, solver)
    q, still = state.q, np.zeros(len(model.speeds))
    c = J @ np.array([rng.uniform(-1, 1) for _ in still])
    du = solver.correction(q, still, c)
    compare(J @ du, -c)

    tree = mstmm.compile(opened(model), target="numpy")

    def energy(v: np.ndarray) -> float:
        return float(tree.energy(q, v)) - float(tree.energy(q, still))

    for along in np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :]:
        between = energy(du + along) - energy(du) - energy(along)
        assert abs(between) < 1e-10 * (energy(du) + energy(along))


def wheels() -> Model:
    """Two wheels with two rods between them, at right angles on the wheels: one redundant."""
    wheel = "mass = 2\ninertia = 1\n"
    wheel += "points = { o = {}, a = { position = [1, 0] }, b = { position = [0, 1] } }"
    rod = (
        "mass = 1\ninertia = 0.5\ncentre = [1, 0.1]\npoints = { l = {}, r = { position = [3, 0] } }"
    )
    text = ['name = "wheels"', "dimension = 2", "gravity = [0.7, -9.81]", 'cuts = ["CA", "CB"]']
    text += ["[ground.points]", "l = { position = [0, 0] }", "r = { position = [3, 0] }"]
    text += ["[bodies.W1]", wheel, "[bodies.W2]", wheel, "[bodies.A]", rod, "[bodies.B]", rod]
    for name, parent, child in (
        ("W1", "ground:l", "W1:o"),
        ("W2", "ground:r", "W2:o"),
        ("A", "W1:a", "A:l"),
        ("B", "W1:b", "B:l"),
        ("CA", "A:r", "W2:a"),
        ("CB", "B:r", "W2:b"),
    ):
        text += [f"[hinges.{name}]", 'kind = "pin"', f'parent = "{parent}"', f'child = "{child}"']
    return toml.from_text("\n".join(text))


class Turning:
    """The wheels' one freedom, all rates ±ω: (σᵀ M σ) ω̇ = −σᵀ h of the tree without cuts."""

    def __init__(self, model: Model) -> None:
        self.tree = mstmm.compile(opened(model), algorithm="closed-form", target="numpy")
        self.signs = np.array([-1.0 if x in ("qA", "qB") else 1.0 for x in self.tree.coordinates])

    def rate(self, angle: float, speed: float) -> float:
        q, v = angle * self.signs, speed * self.signs
        M, h = self.tree.mass_matrix(q), self.tree.bias_forces(q, v)
        return float(-(self.signs @ h) / (self.signs @ M @ self.signs))


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_wheels_turn_on_past_the_dead_points_of_their_rods(target: str) -> None:
    """Where rod A holds nothing rod B does; which of both is redundant is decided anew there."""
    model = wheels()
    of = Turning(model)
    start, end = (-0.7, 6.0), 1.0
    wanted = solve_ivp(
        lambda _, y: [y[1], of.rate(*y)], (0.0, end), start, rtol=1e-11, atol=1e-12
    ).y[:, -1]
    assert wanted[0] > np.pi / 2
    solver = mstmm.compile(model, target=target)
    run = solver.simulate(
        start[0] * of.signs, start[1] * of.signs, t_end=end, method="dopri5", rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(run["q"].values[-1], wanted[0] * of.signs, atol=1e-7)
    np.testing.assert_allclose(run["v"].values[-1], wanted[1] * of.signs, atol=1e-6)


@pytest.mark.parametrize("target", ["c", "numpy"])
@pytest.mark.parametrize("rod", [0.0, np.pi / 2], ids="AB")
def test_open_wheels_at_a_dead_point_have_no_condition_of_rounding(target: str, rod: float) -> None:
    """Open by 1e-6, as between steps, the redundant condition is not one of its own there."""
    model = wheels()
    of = Turning(model)
    solver = mstmm.compile(model, target=target)
    q, v = rod * of.signs, 1.3 * of.signs
    wanted = of.rate(rod, 1.3) * of.signs
    J, rng = solver.jacobian(q), np.random.default_rng(1)
    for _ in range(20):
        change = rng.normal(size=len(q))
        at = q + change * 1e-6 / np.abs(J @ change).max()
        found = solver.rhs(0.0, np.concatenate([at, v]))[len(q) :]
        assert part(found, wanted) < 1e-5
