"""Geometric Jacobians and their partial derivatives: against differences of independent poses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import mpmath
import numpy as np
import pytest
from compiler import TARGET, needs_compiler
from independent.joints import motions
from independent.tree import extended
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state, sized

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.solver import Solver
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.jacobians.program import HALVES, REPRESENTATIONS, jacobian_program
from mstmm.symbolic.plans.jacobian_indices import Ways
from mstmm.symbolic.plans.plan import plan

#: Differences at this step, in 50 digits, are right to 18 up to the third order.
STEP = mpmath.mpf(10) ** -10

#: The axes in a random model are orthogonal to double precision only, and numbers are folded so;
#: 4e-15 was seen, of values scaled to the largest.
ROUNDED = 1e-12

#: One fast target, the others in the slow run.
TARGETS = [
    TARGET,
    *(
        pytest.param(name, marks=[needs_compiler, pytest.mark.slow])
        for name in ("numpy", "c-batch")
        if name != TARGET
    ),
]

Array = np.ndarray

FIRST = {2: "pin", 3: "revolute"}

#: What is particular to some kinds; the others are in the slow run.
PARTICULAR = ((2, "slot"), (3, "universal"), (3, "helical"), (3, "ball"))

#: The kinds whose pose is a product of factors: all that move but racks.
FACTORS = [
    pytest.param(d, kind, marks=() if (d, kind) in PARTICULAR else pytest.mark.slow)
    for d in (2, 3)
    for kind in HINGE_KINDS[d]
    if kind not in ("fixed", "rack")
]


def judge(model: Model, q: Array) -> Array:
    """The independent poses' Jacobians, as (representations, bodies, 6, speeds).

    From rest an acceleration along one speed moves a pose as that speed would.
    """
    frames = motions(model, list(q), [0] * len(model.speeds), extended(50))
    found = [
        [[twist(representation, f.x, rate) for rate in f.dd[1:]] for f in frames]
        for representation in REPRESENTATIONS
    ]
    return np.array(found).swapaxes(-1, -2)


def twist(representation: str, C: Array, rate: Array) -> Array:
    R, r = C[:3, :3], C[:3, 3]
    turning = rate[:3, :3] @ R.T
    spin = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    speed = rate[:3, 3]
    angular, linear = {
        "body": (R.T @ spin, R.T @ speed),
        "spatial": (spin, speed - np.cross(spin, r)),
        "hybrid": (spin, speed),
        "mixed": (R.T @ spin, speed),
    }[representation]
    return np.concatenate([angular, linear])


def slopes(model: Model, q: Array, order: int) -> Array:
    """All derivatives along speeds of an order by central differences, the new axes last.

    A derivative along k₁ and then k₂ is that along k₂ of the function that the first one is: the
    step along k₁ starts from where that along k₂ has led.
    """
    n = len(model.speeds)

    @cache
    def at(steps: tuple[tuple[int, int], ...]) -> Array:
        moved = q
        for speed, sign in steps:
            moved = step(model, moved, speed, sign * STEP)
        return judge(model, moved)

    def slope(last: tuple[tuple[int, int], ...], rest: int) -> Array:
        if not rest:
            return at(last)
        found = [
            slope((*last, (k, 1)), rest - 1) - slope((*last, (k, -1)), rest - 1) for k in range(n)
        ]
        return np.stack(found, axis=-1) / (2 * STEP)

    return slope((), order)


def step(model: Model, q: Array, speed: int, angle: mpmath.mpf) -> Array:
    """The coordinates after a motion at one unit speed: quaternions and what they carry turn on."""
    q, at, first = q.copy(), 0, 0
    for hinge in model.tree_hinges:
        coordinates, speeds = model.hinge_coordinates(hinge), model.hinge_speeds(hinge)
        k = speed - first
        if 0 <= k < len(speeds):
            if len(coordinates) == len(speeds):
                q[at + k] += angle
            else:
                turned(q[at : at + len(coordinates)], k - len(speeds) + 3, angle)
        at, first = at + len(coordinates), first + len(speeds)
    return q


def turned(q: Array, axis: int, angle: mpmath.mpf) -> None:
    """Move on along (axis below 0) or about an axis of the child: (x, y, z,) w, i, j, k."""
    w, vector = q[-4], q[-3:]
    if axis < 0:
        along = np.array([angle if k == axis + 3 else 0 for k in range(3)])
        across = 2 * np.cross(vector, along)
        q[:3] += along + w * across + np.cross(vector, across)
        return
    c, s = mpmath.cos(angle / 2), mpmath.sin(angle / 2)
    about = np.array([s if k == axis else 0 for k in range(3)])
    q[-4:] = w * c - vector @ about, *(c * vector + w * about + np.cross(vector, about))


def interpreted(model: Model, representation: str, q: Array, order: int) -> Array:
    """The interpreted program's values, put where their members say."""
    program = jacobian_program(plan(model), order=order)
    given = {"q": list(q), "v": [0] * len(model.speeds)}
    found = Interpreter(program, digits(50)).results(f"jacobian_{representation}_{order}", given)
    ways, n = Ways.of(plan(model)), len(model.speeds)
    names = [body.name for body in model.bodies]
    whole = np.zeros((len(names), 6, *(n,) * (order + 1)), dtype=object)
    for half, part in enumerate(REPRESENTATIONS[representation]):
        values = np.array(found[f"{HALVES[half]}_{part}_{order}"]).reshape(-1, 3)
        for number, body, at in ways.entries(part, order):
            where = tuple(map(model.speeds.index, at))
            for k in range(3):
                whole[(names.index(body), 3 * half + k, *where)] = values[number, k]
    return whole


def check(model: Model, order: int) -> None:
    with mpmath.workdps(50):
        q = np.array([mpmath.mpf(x) for x in model.q0])
        judged = slopes(model, q, order)
        for expected, representation in zip(judged, REPRESENTATIONS, strict=True):
            found = interpreted(model, representation, q, order)
            size = float(abs(expected).max())
            assert float(abs(found - expected).max()) < ROUNDED * max(1.0, size)
            assert size > 0.1


@pytest.mark.parametrize(("dimension", "kind"), FACTORS)
def test_every_hinge_kind(dimension: int, kind: str) -> None:
    """Columns and first derivatives beyond a hinge of this kind and one that turns, described from
    either side."""
    rng = Random(f"{dimension} {kind}")
    model = joint_tree(rng, dimension, [FIRST[dimension]], 2)
    inner, outer = model.hinges
    for ends in (inner.ends, inner.ends[::-1]):
        sizes = sized(dimension, kind, rng.uniform(0.1, 0.5))
        hinges = (replace(inner, kind=kind, ends=ends, **sizes), outer)
        varied = replace(model, hinges=hinges, q0=(), v0=())
        q, _ = random_joint_state(rng, varied)
        for order in (0, 1):
            check(replace(varied, q0=tuple(q)), order)


@pytest.mark.parametrize("bodies", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_second_derivatives_in_a_tree(bodies: int) -> None:
    check(joint_tree(Random(4), 3, ["revolute", "helical"], bodies), 2)


@pytest.mark.parametrize(
    ("dimension", "kinds"),
    [(2, ["slot", "pin"]), pytest.param(3, ["revolute", "universal"], marks=pytest.mark.slow)],
)
def test_third_derivatives(dimension: int, kinds: list[str]) -> None:
    """The rule for any order, of a chain: there is more than what (13) and (21) say."""
    check(joint_tree(Random(7), dimension, kinds, 2), 3)


@pytest.mark.parametrize(
    ("kinds", "bodies"),
    [(["ball", "revolute"], 3), pytest.param(["free", "ball"], 2, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("turned", [False, True])
def test_second_derivatives_where_speeds_do_not_change_places(
    kinds: list[str], bodies: int, turned: bool
) -> None:
    """Along two speeds of a ball the order counts, and otherwise from its child's side."""
    model = joint_tree(Random(6), 3, kinds, bodies)
    if turned:
        hinges = tuple(replace(hinge, ends=hinge.ends[::-1]) for hinge in model.hinges)
        model = replace(model, hinges=hinges)
    check(model, 2)


def test_a_loop_has_those_of_the_tree_that_its_cut_leaves() -> None:
    closed = four_bar()
    tree = replace(closed, cuts=(), hinges=closed.tree_hinges)
    for order in (0, 1):
        expected, found = (
            mstmm.compile(of, algorithm="jacobians", target="numpy", order=order)
            for of in (tree, closed)
        )
        q = mstmm.compile(closed, target="numpy").assemble().q
        assert found.model.cuts
        if order:
            one, two = (s.geometric_jacobian_derivatives(q) for s in (expected, found))
        else:
            one, two = (s.geometric_jacobian(q) for s in (expected, found))
        assert abs(one).max() > 0.1
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("target", TARGETS)
def test_compiled(target: str) -> None:
    """Arrays of the documented shapes, zero where nothing moves, symmetric in the directions."""
    model = joint_tree(Random(9), 2, ["pin", "slot"], 3)
    solver = mstmm.compile(model, algorithm="jacobians", target=target)
    n = len(model.speeds)
    q = np.array([model.q0, Random(2).choices([0.3, -1.2, 0.7], k=n)])
    for r, representation in enumerate(REPRESENTATIONS):
        J = solver.geometric_jacobian(q, representation=representation)
        assert J.shape == (2, len(model.bodies), 6, n)
        for k in range(2):
            expected = judge(model, q[k])[r].astype(float)
            np.testing.assert_allclose(J[k], expected, rtol=0, atol=1e-13)
        first, second = (
            solver.geometric_jacobian_derivatives(q, order=order, representation=representation)
            for order in (1, 2)
        )
        assert first.shape == (*J.shape, n)
        assert second.shape == (*J.shape, n, n)
        assert (second == second.swapaxes(-1, -2)).all()
        pattern(model, representation, first)
    np.testing.assert_allclose(solver.poses(q)[0, :, 3, 3], 1.0)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def pattern(model: Model, representation: str, first: Array) -> None:
    """Body-fixed columns change along outer coordinates only, spatial ones along inner ones."""
    if representation not in ("body", "spatial"):
        return
    ways = Ways.of(plan(model)).speeds
    for b, body in enumerate(model.bodies):
        way = ways[body.name]
        for j, k in product(range(len(model.speeds)), repeat=2):
            at = [model.speeds[i] for i in (j, k)]
            places = [way.index(name) for name in at if name in way]
            changes = len(places) == 2 and (
                places[0] < places[1] if representation == "body" else places[1] < places[0]
            )
            if not changes:
                assert not first[:, b, :, j, k].any()


def test_twists_are_j_v() -> None:
    """The spatial columns are the screws of the closed form, which takes ball hinges too."""
    model = joint_tree(Random(3), 3, ["revolute", "cylindrical"], 3)
    solver = mstmm.compile(model, algorithm="jacobians", target="numpy", order=0)
    closed = mstmm.compile(model, algorithm="closed-form", target="numpy")
    J = solver.geometric_jacobian(model.q0, representation="spatial")
    screws = closed.screws(model.q0).T
    for b in range(len(model.bodies)):
        moving = abs(J[b]).max(axis=0) > 0
        np.testing.assert_allclose(J[b][:, moving], screws[:, moving], rtol=0, atol=1e-14)


def test_what_it_does_not_take_is_refused() -> None:
    rack = joint_tree(Random(1), 2, ["pin"], 2)
    hinges = (replace(rack.hinges[0], kind="rack", radius=0.1), *rack.hinges[1:])
    with pytest.raises(UsageError, match=r"without rack hinges \(hinge .*frame_jacobian of"):
        mstmm.compile(replace(rack, hinges=hinges), algorithm="jacobians", target="numpy")
    solver = small()
    with pytest.raises(UsageError, match=r"order = 2: .* up to 1; compile with order=2"):
        solver.geometric_jacobian_derivatives(solver.model.q0, order=2)
    for order in (0, 1.5, True):
        with pytest.raises(UsageError, match="whole number from 1 on"):
            solver.geometric_jacobian_derivatives(solver.model.q0, order=order)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no representation 'other'; there are: body, spatial"):
        solver.geometric_jacobian(solver.model.q0, representation="other")
    with pytest.raises(UsageError, match="order = -1"):
        mstmm.compile(solver.model, algorithm="jacobians", target="numpy", order=-1)
    with pytest.raises(
        UsageError, match="closed-form has no option 'order'; it belongs to jacobians"
    ):
        mstmm.compile(solver.model, algorithm="closed-form", target="numpy", order=1)
    with pytest.raises(UsageError, match="more than 50000; compile with a lower order"):
        mstmm.compile(solver.model, algorithm="jacobians", target="numpy", order=400)
    riccati = mstmm.compile(solver.model, target="numpy")
    with pytest.raises(UsageError, match=r"not compute geometric_jacobian; .*'jacobians'"):
        riccati.geometric_jacobian(solver.model.q0)


def small() -> Solver:
    model = joint_tree(Random(9), 2, ["pin"], 2)
    return mstmm.compile(model, algorithm="jacobians", target="numpy", order=1)
