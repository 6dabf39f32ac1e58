"""The deduction theorem in numbers.

Every named matrix is replaced by numbers that a test helper writes down from kinematics and
Newton–Euler (`overall_numbers`); the blocks, multiplied out as they are named, must give the
accelerations and loads of the judges and of the compiled Riccati solver, for every root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from compiler import TARGET
from deduction_models import (
    Array,
    agree,
    driven_by,
    example_2,
    external,
    ring,
    roots,
    two_trees,
)
from independent.joints import joint_motion, poses
from independent.loops import loop_motion
from overall_numbers import Numbers

import mstmm
from mstmm.model import End, Model
from mstmm.model.expressions.quantities import TIME
from mstmm.symbolic.plans.deduction import OverallEquation, Row, Term, deduce


def compare(numbers: Numbers, rates: Array, loads: dict[str, Array]) -> None:
    """Accelerations of the hinges that are elements, and every load (none at a free end)."""
    found, at = numbers.results()
    known = ~np.isnan(found)
    agree(found[known], rates[known])
    none = np.zeros(6)
    agree(
        np.array([at.get(end, none) for end in loads]).ravel(),
        np.array(list(loads.values())).ravel(),
    )


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_random_trees(dimension: int, seed: int) -> None:
    rng = Random(1000 * dimension + seed)
    made = random_models.joint_tree(rng, dimension, None, rng.randint(1, 7))
    q, v = np.array(made.q0), np.array(made.v0)
    tau, wrenches = driven_by(made, rng), external(made, rng)
    expected = joint_motion(made, q, v, tau, wrenches)
    for turned in roots(made, rng):
        numbers = Numbers(deduce(turned), q, v, tau, wrenches)
        compare(numbers, expected.accelerations, expected.loads)


def looped(rng: Random, dimension: int, bodies: int, loops: int) -> tuple[Model, Array]:
    """A model with loops whose loads are determined, and speeds that the loops allow.

    No screw or rack is cut: the numbers here have a cut hinge's conditions along fixed axes alone.
    """
    while True:
        made = loop_models.loop_model(rng, dimension, bodies, loops)[0]
        led = [hinge for hinge in made.hinges if hinge.kind in ("helical", "rack")]
        if any(hinge.name in made.cuts for hinge in led):
            continue
        at_rest = loop_motion(made, np.array(made.q0), np.zeros(len(made.speeds)))
        if not at_rest.redundant:
            return made, loop_models.allowed_speeds(rng, at_rest.jacobian)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(2000 * dimension + seed)
    made, v = looped(rng, dimension, rng.randint(3, 6), rng.randint(1, 2))
    q = np.array(made.q0)
    expected = loop_motion(made, q, v)
    loads = {**expected.tree.loads, **expected.cut_loads}
    for turned in roots(made, rng, 2):
        compare(Numbers(deduce(turned), q, v), expected.accelerations, loads)


def closed(made: Model) -> Model:
    """The cut hinge's parent end moved to where it meets the child's."""
    opened = replace(made, hinges=made.tree_hinges, cuts=())
    at = dict(zip([b.name for b in made.bodies], poses(opened, made.q0), strict=True))
    (cut,) = (hinge for hinge in made.hinges if hinge.name in made.cuts)
    parent, child = cut.ends
    spot = at[child.body] @ np.array([*made.body(child.body).point(child.point).position, 0.0, 1.0])
    place = np.linalg.inv(at[parent.body]) @ spot
    bodies = []
    for body in made.bodies:
        points = [
            replace(p, position=tuple(float(x) for x in place[:2]))
            if End(body.name, p.name) == parent
            else p
            for p in body.points
        ]
        bodies.append(replace(body, points=tuple(points)))
    return replace(made, bodies=tuple(bodies))


def test_ring_in_numbers() -> None:
    rng = Random(4)
    made = closed(ring(q0=(0.1, -0.2, 0.7, 0.4, 0.3, -0.9)))
    q = np.array(made.q0)
    jacobian = loop_motion(made, q, np.zeros(len(q))).jacobian
    v = loop_models.allowed_speeds(rng, jacobian)
    expected = loop_motion(made, q, v)
    loads = {**expected.tree.loads, **expected.cut_loads}
    forms = set()
    for turned in (made, replace(made, root="2:c"), replace(made, cuts=("5",), q0=(), v0=())):
        equation = deduce(turned)
        forms.add(equation.transfer.form)
        if turned.cuts == made.cuts:
            compare(Numbers(equation, q, v), expected.accelerations, loads)
    assert forms == {"closed loop", "general system"}


def test_two_trees_in_numbers() -> None:
    rng = Random(6)
    made = two_trees()
    q, v = (np.array([rng.uniform(-1, 1) for _ in made.speeds]) for _ in range(2))
    expected = joint_motion(made, q, v)
    for turned in roots(made, rng):
        compare(Numbers(deduce(turned), q, v), expected.accelerations, expected.loads)


SOLVED = [
    *(("tree", dimension, seed) for dimension in (2, 3) for seed in (0, 1)),
    *(("loop", dimension, 0) for dimension in (2, 3)),
]


@pytest.mark.parametrize(("topology", "dimension", "seed"), SOLVED)
def test_same_as_the_compiled_riccati_solver(topology: str, dimension: int, seed: int) -> None:
    rng = Random(f"{topology}{dimension}{seed}")
    if topology == "tree":
        made = random_models.joint_tree(rng, dimension, None, 5)
        v = np.array(made.v0)
    else:
        made, v = looped(rng, dimension, 4, 1)
    q = np.array(made.q0)
    solver = mstmm.compile(made, algorithm="riccati", target=TARGET)
    rates = solver.accelerations(q, v)
    loads = dict(zip(solver.ends, solver.joint_loads(q, v), strict=True))
    for turned in roots(made, rng, 2):
        compare(Numbers(deduce(turned), q, v), rates, loads)


def test_a_driven_hinge_in_numbers() -> None:
    made = two_trees()
    wave = sp.sin(2 * TIME) / 3
    hinges = tuple(replace(h, motion=(wave,)) if h.name == "8" else h for h in made.hinges)
    made = replace(made, hinges=hinges, q0=(), v0=())
    at, t = np.array([0.3, -0.4, 0.2, 0.5]), 0.7
    v = np.array([1.0, -0.7, 0.4, 0.9])
    moving = [float(sp.diff(wave, TIME, k).subs(TIME, t)) for k in range(3)]
    solver = mstmm.compile(made, target="numpy")
    rates = solver.accelerations(at, v, t=t)
    loads = dict(zip(solver.ends, solver.joint_loads(at, v, t=t), strict=True))
    assert two_trees().speeds[:4] == made.speeds
    numbers = Numbers(
        deduce(made),
        np.append(at, moving[0]),
        np.append(v, moving[1]),
        driven={"8": np.array(moving[2:])},
    )
    compare(numbers, np.append(rates, np.nan), loads)


def test_a_wrong_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every term of Example 2 in turn with its sign changed: the numbers differ."""
    made = example_2()
    rng = Random(1)
    q = np.array(made.q0)
    v = loop_models.allowed_speeds(rng, loop_motion(made, q, np.zeros(7)).jacobian)
    equation = deduce(made)

    def found() -> Array:
        numbers = Numbers(equation, q, v)
        return np.append(numbers.results()[0][1:], numbers.solve()[1][0])

    right = found()
    block = OverallEquation.block
    terms = [
        (row, column, i)
        for row in equation.rows
        for column in equation.columns
        for i, _ in enumerate(block(equation, row, column))
    ]

    def signed(at: tuple[object, int, int]) -> Callable[..., tuple[Term, ...]]:
        def wrong(self: OverallEquation, row: Row, column: int) -> tuple[Term, ...]:
            found = list(block(self, row, column))
            if (row, column) == at[:2]:
                found[at[2]] = replace(found[at[2]], sign=-found[at[2]].sign)
            return tuple(found)

        return wrong

    seen = []
    for at in terms:
        monkeypatch.setattr(OverallEquation, "block", signed(at))
        seen.append(bool(np.abs(found() - right).max() > 1e-3))
    # A row that is one product and no sum means the same with either sign: those of 4 – 14.
    assert (len(terms), seen) == (13, [True] * 7 + [False] * 6)
