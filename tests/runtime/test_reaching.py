"""Inverse kinematics: found places are judged by poses that are composed on their own."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from compiler import TARGET
from independent.joints import poses
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state

import mstmm
from mstmm.errors import ModelWarning, NumericsError, UsageError
from mstmm.model import Body, End, Frame, Hinge, Limits, Model, Point
from mstmm.model.topology import choose_cuts
from mstmm.runtime.capabilities.any_frame import choice_of, code_of

#: What is asked for, 1e-9, and what poses in doubles differ by.
CLOSE = 2e-9

Array = np.ndarray


def arm(dimension: int = 2) -> Model:
    """Three links of 1 m; the middle hinge cannot be straight."""
    turning, axis = ("pin", 0.2) if dimension == 2 else ("ball", tuple(map(tuple, np.eye(3) * 0.2)))
    still = (0.0,) * (dimension - 1)
    points = (Point("a", (0.0, *still)), Point("b", (1.0, *still)))
    hinges = []
    for k in range(3):
        limits = Limits(((0.5, 2.5),)) if (k, dimension) == (1, 2) else None
        parent = End("0", "O") if k == 0 else End(str(k), "b")
        hinges.append(Hinge(f"h{k}", turning, (parent, End(str(k + 1), "a")), limits=limits))
    return Model(
        "arm",
        dimension,
        tuple(Body(str(k + 1), 1.0, axis, (0.5, *still), points) for k in range(3)),
        tuple(hinges),
        (0.0, -9.81, 0.0)[:dimension],
        absolute=False,
        frames=(Frame("tip", "3", (1.0, *still)),),
        q0=(0.3, 0.9, 0.5) if dimension == 2 else (),
    )


def tip(model: Model, q: Array) -> Array:
    """The pose of the last body's tip, composed independently."""
    shift = np.eye(4)
    shift[0, 3] = 1.0
    return poses(model, q)[-1] @ shift


def test_reached_within_the_limits() -> None:
    """Many targets at once, as poses and as places; the answer keeps the limits."""
    model, rng = arm(), np.random.default_rng(1)
    solver = mstmm.compile(model, target=TARGET)
    goals = rng.uniform((-3, 0.5, -3), (3, 2.5, 3), (12, 3))
    targets = solver.poses(goals, frames="tip")
    for found, count in (
        (solver.inverse_kinematics("tip", targets), (3, 4)),
        (solver.inverse_kinematics("tip", targets[:, :3, 3]), (2, 1)),
    ):
        assert found.shape == (12, 3)
        assert ((found[:, 1] >= 0.5) & (found[:, 1] <= 2.5)).all()
        for q, target in zip(found, targets, strict=True):
            off = np.abs(tip(model, q) - target)
            assert off[: count[0], 3].max() < CLOSE
            if count == (3, 4):
                assert off.max() < CLOSE


def test_limits_stand_in_the_way() -> None:
    """An elbow that cannot be so straight: refused with what is left, reached without limits."""
    model = arm()
    solver = mstmm.compile(model, target="numpy")
    target = solver.poses([0.5, 0.1, 0.7], frames="tip")
    with pytest.raises(NumericsError) as caught:
        solver.inverse_kinematics("tip", target)
    message = str(caught.value)
    assert "the target was not reached by tip: at the nearest place found" in message
    assert "m and" in message
    assert "qh1 at the limits" in message
    free = solver.inverse_kinematics("tip", target, limits=False)
    assert np.abs(tip(model, free) - target).max() < CLOSE
    with pytest.raises(NumericsError, match=r"found 1\.\d* m are left, with qh1 at the limits"):
        solver.inverse_kinematics("tip", [4.0, 0.0, 0.0])
    with pytest.raises(NumericsError, match=r"target 1 was not .*; 1 of 2 targets are not"):
        solver.inverse_kinematics("tip", [[2.0, 1.0, 0.0], [4.0, 0.0, 0.0]])


def test_balls_turn_all_the_way() -> None:
    """A turn of half a circle away, where the error has no direction, and the turn alone."""
    model = arm(3)
    solver = mstmm.compile(model, target="numpy")
    target = np.diag([1.0, -1.0, -1.0, 1.0])
    target[:3, 3] = (1.0, 0.5, 0.4)
    q = solver.inverse_kinematics("tip", target)
    assert np.abs(tip(model, q) - target).max() < CLOSE
    turned = solver.inverse_kinematics("tip", target, position=False)
    assert np.abs(tip(model, turned)[:3, :3] - target[:3, :3]).max() < CLOSE


def test_loops_are_closed_at_the_answer() -> None:
    model = replace(four_bar(), frames=(Frame("coupler", "2", (1.0, 0.5)),))
    solver = mstmm.compile(model, target="numpy")
    closed, _ = solver.project(solver.assemble().q + np.array([0.5, 0, 0]), np.zeros(3))
    target = solver.poses(closed, frames="coupler")
    q = solver.inverse_kinematics("coupler", target, solver.assemble().q)
    assert np.abs(solver.poses(q, frames="coupler") - target).max() < CLOSE
    assert np.abs(solver.constraints(q, np.zeros(3))[0]).max() < CLOSE


def test_a_tree_of_any_hinges() -> None:
    """A floating base and more freedoms than a frame has; what does not move it stays."""
    model = joint_tree(Random(5), 3, ["free", "universal", "helical"], 4)
    solver = mstmm.compile(model, target="numpy")
    frame = model.bodies[-1].name
    goal, _ = random_joint_state(Random(6), model)
    at = [body.name for body in model.bodies].index(frame)
    target = poses(model, goal)[at]
    q = solver.inverse_kinematics(frame, target)
    assert np.abs(poses(model, q)[at] - target).max() < CLOSE


def test_what_is_no_target_is_refused() -> None:
    solver = mstmm.compile(arm(), target="numpy")
    for target, message in (
        (np.zeros(4), "instead of"),
        (2 * np.eye(4), "right-handed unit axes"),
        (np.vstack([np.eye(4)[:3], [[0, 0, 0, 2]]]), "the last row of a pose is 0, 0, 0, 1"),
        (np.diag([1.0, -1.0, -1.0, 1.0]), "a planar model reaches x, y"),
        ([0.0, np.nan, 0.0], "no finite number"),
    ):
        with pytest.raises(UsageError, match=message):
            solver.inverse_kinematics("tip", target)
    with pytest.raises(UsageError, match="neither position nor orientation"):
        solver.inverse_kinematics("tip", [1.0, 0.0, 0.0], position=False)
    with pytest.raises(UsageError, match="has no frame 'tap'"):
        solver.inverse_kinematics("tap", [1.0, 0.0, 0.0])


@pytest.mark.parametrize("frame", ["coupler", "*"])
def test_proven(frame: str) -> None:
    model = replace(four_bar(), frames=(Frame("coupler", "2", (1.0, 0.5)),))
    solver = mstmm.compile(model, algorithm=mstmm.Reaching(frame=frame), target="numpy")
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


@pytest.mark.parametrize("dimension", [2, 3])
def test_one_library_reaches_with_any_frame(dimension: int) -> None:
    """Its steps are those of a library for that frame alone, also of one that is in the ground."""
    rng = Random(dimension)
    model = joint_tree(rng, dimension, ["ball", "revolute"] if dimension == 3 else ["pin"], 4)
    still = (0.2,) * dimension
    frames = [Frame(f"on_{body.name}", body.name, still) for body in model.bodies]
    model = replace(model, frames=(*frames, Frame("there", "0", still)))
    solver = mstmm.compile(model, target="numpy")
    q, _ = random_joint_state(rng, model)
    target = np.eye(4)
    target[:dimension, 3] = 0.3
    more = {"target": target.ravel(), "task": np.ones(6), "damping": np.array([0.1])}
    more["weight"] = np.linspace(0.5, 1.0, len(model.speeds))
    for frame in model.frames:
        own = mstmm.compile(model, algorithm=mstmm.Reaching(frame=frame.name), target="numpy")
        expected = own.results("reaching_step", q, **more)
        told = {name: x[0] for name, x in choice_of(solver, [frame.name]).items()}
        found = code_of(solver, "reaching").results("reaching_step", q, **more, **told)
        for name in ("left", "step"):
            np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12)
        assert np.abs(expected["step"]).any() == (frame.body != "0")
    for frame in model.frames[:2]:
        place = solver.poses(q, frames=frame.name)[:3, 3]
        reached = solver.inverse_kinematics(frame.name, place, q)
        np.testing.assert_allclose(reached, q, rtol=0, atol=1e-12)
    assert {*solver.modules} == {"frames", "reaching"}


def test_limits_of_a_cut_hinge_are_said_not_to_be_looked_at() -> None:
    model = four_bar()
    limited = [
        replace(x, limits=Limits(position=((-0.5, 0.5),))) if x.name in model.cuts else x
        for x in model.hinges
    ]
    model = replace(model, frames=(Frame("mid", "2", (1.0, 0.5)),), hinges=tuple(limited))
    solver = mstmm.compile(model, target="numpy")
    place = solver.poses(solver.assemble().q, frames="mid")[:3, 3]
    with pytest.warns(ModelWarning, match="cut hinges have no coordinates"):
        solver.inverse_kinematics("mid", place)


def test_a_hinge_with_limits_is_cut_after_one_without() -> None:
    model = replace(four_bar(), cuts=())
    chosen = choose_cuts(2, model.hinges)
    limited = tuple(
        replace(x, limits=Limits(position=((-0.5, 0.5),))) if x.name in chosen else x
        for x in model.hinges
    )
    assert not {*choose_cuts(2, limited)} & {*chosen}
