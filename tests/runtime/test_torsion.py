"""Torsional springs of balls and free hinges, against SciPy's rotation vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGETS
from derivative_checks import by_interpreter, differences
from proofs import proof_of_blocks
from scipy.spatial.transform import Rotation

import mstmm
from mstmm.errors import ModelError
from mstmm.exchange.exports.switches import switches
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import parameter
from mstmm.model.files import toml
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray
KEY = Path(__file__).parent.parent / "data" / "cases" / "ball_spring_key.toml"

#: Where the springs rest: a place, and the turns of the free hinge and of the ball.
PLACE, FIRST, SECOND = (
    np.array([0.1, 0.2, 0.3]),
    np.array([0.2, -0.4, 0.1]),
    np.array([0.1, 0.9, 0.5]),
)
ALONG, TURN, BALL = np.array([3.0, 4.0, 5.0]), 2.0, 1.7


def quaternion(vector: Array) -> Array:
    return np.roll(Rotation.from_rotvec(vector).as_quat(), 1)


def turn(Q: Array) -> Rotation:
    return Rotation.from_quat(np.roll(Q, -1))


def flying_pair(springs: bool) -> Model:
    """An uneven body on springs to the ground, another on it by a ball with a spring."""
    skew = tuple(map(tuple, Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix().tolist()))
    first = ((0.5, 0.02, 0.01), (0.02, 0.6, 0.03), (0.01, 0.03, 0.7))
    second = ((0.05, 0.0, 0.01), (0.0, 0.06, 0.0), (0.01, 0.0, 0.03))
    bodies = (
        Body(
            "A",
            1.5,
            first,
            (0.1, 0.2, -0.1),
            (Point("a", (0.1, 0, 0), skew), Point("b", (0.2, -0.3, 0.4))),
        ),
        Body("B", 0.8, second, (0.05, 0.1, -0.1), (Point("a", (0.1, 0, 0.3)),)),
    )
    hinges = (
        Hinge("1", "free", (End(GROUND, "O"), End("A", "a"))),
        Hinge("2", "ball", (End("A", "b"), End("B", "a"))),
    )
    if springs:
        rests = (*PLACE.tolist(), *quaternion(FIRST).tolist()), tuple(quaternion(SECOND).tolist())
        stiffness = (*ALONG.tolist(), TURN), (parameter("k"),)
        hinges = tuple(
            replace(hinge, stiffness=k, rest=rest)
            for hinge, k, rest in zip(hinges, stiffness, rests, strict=True)
        )
    known = {"k": BALL} if springs else {}
    return Model("pair", 3, bodies, hinges, (0, 0, -9.81), absolute=False, parameters=known)


def strained(q: Array) -> tuple[Array, Array, Array]:
    """How far from rest: the place, and the rotation vectors of both hinges."""
    first = Rotation.from_rotvec(FIRST).inv() * turn(q[3:7])
    second = Rotation.from_rotvec(SECOND).inv() * turn(q[7:])
    return q[:3] - PLACE, first.as_rotvec(), second.as_rotvec()


def springs_force(q: Array) -> Array:
    place, first, second = strained(q)
    return np.concatenate([turn(q[3:7]).inv().apply(-ALONG * place), -TURN * first, -BALL * second])


def states(count: int) -> list[tuple[Array, Array]]:
    """Turns from nearly none to nearly half a round, quaternions of both signs."""
    rng = np.random.default_rng(5)
    found = []
    for k in range(count):
        first, second = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
        turned = (
            Rotation.from_rotvec(FIRST) * Rotation.from_rotvec((1e-9, 0.8, 3.14)[k % 3] * first),
            Rotation.from_rotvec(SECOND) * Rotation.from_rotvec((2.5, 0, 1)[k % 3] * second),
        )
        one, other = (np.roll(x.as_quat(), 1) for x in turned)
        found.append((np.concatenate([rng.normal(size=3), one, -other]), rng.normal(size=9)))
    return found


@pytest.mark.parametrize("algorithm", ["riccati", "overall", "dca", "hdca"])
def test_springs_are_the_forces_that_they_exert(algorithm: str) -> None:
    """To 1e-13 of the accelerations: moments −k φ n of the turn from rest, φ n by SciPy."""
    sprung = mstmm.compile(flying_pair(True), algorithm=algorithm, target="numpy")
    plain = mstmm.compile(flying_pair(False), target="numpy")
    for q, v in states(6):
        expected = plain.accelerations(q, v, springs_force(q))
        found = sprung.accelerations(q, v)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("algorithm", ["rnea-body", "rnea-mixed"])
def test_inverse_dynamics_knows_them(algorithm: str) -> None:
    sprung, plain = (
        mstmm.compile(flying_pair(x), algorithm=algorithm, target="numpy") for x in (True, False)
    )
    for q, v in states(3):
        expected = plain.inverse_dynamics(q, v, np.cos(v)) - springs_force(q)
        found = sprung.inverse_dynamics(q, v, np.cos(v))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_proof_energy_and_motion(target: str) -> None:
    """Half k φ² is stored, and a motion keeps the energy to the error of its steps."""
    model, plain = flying_pair(True), mstmm.compile(flying_pair(False), target="numpy")
    solver = mstmm.compile(model, target=target, parameters=("k",))
    for q, v in states(3):
        place, first, second = strained(q)
        stored = (ALONG @ place**2 + TURN * first @ first + BALL * second @ second) / 2
        assert solver.energy(q, v) - plain.energy(q, v) == pytest.approx(stored, rel=1e-13)
    assert proof_of_blocks(solver).ok
    run = solver.simulate(*states(2)[1], t_end=0.3, dt=1e-3)
    assert run.energy_drift < 1e-7
    stiffer = solver.accelerations(q, v, parameters={"k": 2 * BALL})
    pushed = np.concatenate([np.zeros(6), -BALL * second])
    np.testing.assert_allclose(stiffer, solver.accelerations(q, v, pushed), rtol=1e-12)


def globe(stiffness: object = 2.0, rest: tuple[float, ...] = ()) -> Model:
    """An uneven body that swings about a point beside its centre."""
    inertia = ((0.5, 0.02, 0.01), (0.02, 0.6, 0.03), (0.01, 0.03, 0.7))
    body = Body("globe", 3.0, inertia, (0.1, 0.2, -0.1), (Point("c", (0, 0, 0)),))
    ends = End(GROUND, "O"), End("globe", "c")
    hinge = Hinge("wrist", "ball", ends, stiffness=(stiffness,), rest=rest)  # type: ignore[arg-type]
    return Model("globe", 3, (body,), (hinge,), (0, 0, -9.81), absolute=False)


@pytest.mark.parametrize("by", [0.0, 1e-5, 3.1])
def test_derivatives_are_those_of_differences_in_50_digits(by: float) -> None:
    """At rest too, and almost half a round from there: to 1e-12 of the greatest."""
    model = globe()
    solver = mstmm.compile(model, target="numpy")
    q, v = quaternion(by * np.array([0.6, 0.0, -0.8])), np.array([0.4, -0.3, 0.2])
    given = {"q": q, "v": v, "tau": np.zeros(3)}
    judged = by_interpreter(joint_program(plan(model), forced=True))
    expected = differences(model, judged, given)
    A, B = solver.linearize(q, v)
    found = np.hstack([A[-3:], B[-3:]])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_at_half_a_round_the_moment_is_that_of_the_quaternion_as_written() -> None:
    axis = np.array([0.6, 0.0, -0.8])
    inverse = mstmm.compile(globe(), algorithm="rnea-body", target="numpy")
    for w, side in ((1e-12, 1), (0.0, 1), (-1e-12, -1)):
        q = np.array([w, *axis])
        moment = inverse.inverse_dynamics(q, [0, 0, 0], [0, 0, 0]) - inverse.inverse_dynamics(
            quaternion(np.zeros(3)), [0, 0, 0], [0, 0, 0]
        )
        weight = np.cross([0.1, 0.2, -0.1], -3 * 9.81 * np.array([0, 0, 1.0]))
        turned = np.cross([0.1, 0.2, -0.1], turn(q).inv().apply([0, 0, -3 * 9.81]))
        np.testing.assert_allclose(moment, side * 2 * np.pi * axis - turned + weight, atol=1e-11)


def test_a_cut_ball_has_its_spring_too() -> None:
    """A loop that the ball of its spring closes, as a tree of which that is no cut."""
    pair = flying_pair(True)
    ground = Hinge("3", "free", (End(GROUND, "O"), End("B", "a")))
    looped = replace(pair, hinges=(*pair.hinges, ground), cuts=("2",), q0=(), v0=())
    solver, tree = (mstmm.compile(x, target="numpy") for x in (looped, pair))
    q, _ = states(2)[1]
    place = tree.poses(q)[1]
    point = place[:3, 3] + place[:3, :3] @ [0.1, 0, 0.3]
    turned = np.roll(Rotation.from_matrix(place[:3, :3]).as_quat(), 1)
    still = solver.accelerations([*q[:7], *point, *turned], np.zeros(12))
    np.testing.assert_allclose(still[:6], tree.accelerations(q, np.zeros(9))[:6], atol=1e-10)
    assert solver.energy([*q[:7], *point, *turned], np.zeros(12)) == pytest.approx(
        tree.energy(q, np.zeros(9)), rel=1e-12
    )


def test_exports_know_where_the_moment_jumps() -> None:
    assert [str(x) for x in switches(globe())[0]] == ["qwrist_Qw"]


def test_files_and_what_is_refused() -> None:
    model = mstmm.load(str(KEY))
    (wrist,) = model.hinges
    assert wrist.stiffness == (2,)
    assert toml.from_text(toml.to_text(model)) == model
    Q, v = quaternion(np.array([0.3, -0.5, 0.8])), np.array([0.2, -0.1, 0.4])
    expected = (-2.0 * np.array([0.3, -0.5, 0.8]) - 0.1 * v) / 0.5  # a ball of equal moments
    found = mstmm.compile(model, target="numpy").accelerations(Q, v)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    rested = globe(rest=tuple(quaternion(FIRST).tolist()))
    assert toml.from_text(toml.to_text(rested)) == rested
    for wrong, words in (
        (
            {"rest": (1.0, 0.1, 0, 0)},
            r"wrist · rest: ends in a quaternion w, x, y, z of length 1\.00",
        ),
        ({"rest": (0.3,)}, "rest: has 1 entry instead of 4"),
        ({"stiffness": (1, 2, 3)}, "stiffness: has 3 entries instead of 1"),
        ({"stiffness": (), "rest": (1, 0, 0, 0)}, "rest: needs a stiffness"),
        ({"damping": (1,)}, "damping: belongs to elastic hinges; give a ball hinge a potential"),
    ):
        with pytest.raises(ModelError, match=words):
            replace(globe(), hinges=(replace(globe().hinges[0], **wrong),))
