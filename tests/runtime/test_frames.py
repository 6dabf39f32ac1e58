"""Frames against poses composed and differentiated on their own, in trees, loops, on the ground."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import acting_models
import numpy as np
import pytest
from compiler import TARGET
from independent.forces import moving_base
from independent.joints import motions
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import _axes, joint_tree

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model import GROUND, Frame, Model
from mstmm.model.parts.bodies import Point
from mstmm.runtime.evaluation.evaluator import Evaluator
from mstmm.symbolic.mechanics.displayed import judged
from mstmm.symbolic.methods.inverse.places import Representation
from mstmm.symbolic.plans.plan import plan

#: Of values up to 100; 3e-14 was seen.
ROUNDED = 1e-12

#: Central differences of doubles at this step are right to nine digits.
STEP = 1e-5
DIFFERENCES = 1e-7

Array = np.ndarray


def framed(rng: Random, model: Model) -> Model:
    """With a frame somewhere in each body, and one in the ground."""

    def placed(body: str) -> Frame:
        place = tuple(rng.uniform(-1, 1) for _ in range(model.dimension))
        return Frame(f"on_{body}", body, place, _axes(rng, model.dimension))

    return replace(
        model, frames=tuple(placed(x) for x in (*(b.name for b in model.bodies), GROUND))
    )


def offset(model: Model, frame: Frame) -> Array:
    """The frame in its body."""
    found, d = np.eye(4), model.dimension
    found[:d, 3] = [float(x) for x in frame.position]
    if isinstance(frame.axes, tuple):
        found[:3, :3] = np.array(frame.axes, dtype=float)
    elif frame.axes is not None:
        turn = float(frame.axes)
        found[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    return found


def vee(W: Array) -> Array:
    W = (W - W.T) / 2
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


class Judged:
    """A frame's pose C, twist, acceleration and columns, all in inertial axes at its origin."""

    def __init__(self, model: Model, frame: Frame, q: Array, v: Array, a: Array, t: float) -> None:
        base = moving_base(model, t)
        index = [body.name for body in model.bodies].index
        n = len(model.speeds)
        if frame.body == GROUND:
            still = np.zeros((n + 1, 4, 4))
            x, d, dd = np.eye(4), still, still
            if base is not None:
                x, d, dd = base.x, base.d, np.concatenate([base.dd, still[1:]])
        else:
            moving = motions(model, q, v, base=base)[index(frame.body)]
            x, d, dd = moving.x, moving.d, moving.dd
        fixed = offset(model, frame)
        self.C = x @ fixed
        R, speed = self.C[:3, :3], d[0] @ fixed
        self.spin, self.speed = vee(speed[:3, :3] @ R.T), speed[:3, 3]
        columns = [each @ fixed for each in dd[1:]]
        self.J = np.array([np.r_[vee(c[:3, :3] @ R.T), c[:3, 3]] for c in columns]).T
        total = dd[0] @ fixed + sum(x * c for x, c in zip(a, columns, strict=True))
        self.rate, self.acc = vee(total[:3, :3] @ R.T), total[:3, 3]

    def twist(self, of: str, angular: Array, linear: Array) -> Array:
        """What a twist at the frame's origin is in a representation."""
        R, r = self.C[:3, :3], self.C[:3, 3]
        if of == "spatial":
            return np.r_[angular, linear - np.cross(angular.T, r).T]
        turned = R.T @ angular if of in ("body", "mixed") else angular
        return np.r_[turned, R.T @ linear if of == "body" else linear]

    def acceleration(self, of: str) -> Array:
        linear = self.acc
        if of == "spatial":  # of the body's point that passes the inertial origin
            linear = linear - np.cross(self.spin, np.cross(self.spin, self.C[:3, 3]))
        return self.twist(of, self.rate, linear)


MODELS = {
    "plane": (2, ["pin", "slot", "free"], 4, False),
    "space": (3, ["revolute", "ball", "universal", "helical"], 4, False),
    "floating": (3, ["free", "revolute", "ball"], 3, False),
    "carried": (3, ["revolute", "ball"], 2, True),
}


#: By one in C each dimension is judged; NumPy's of the others judges what has any frame, too.
TARGETS = dict.fromkeys(MODELS, "numpy") | dict.fromkeys(("plane", "floating"), TARGET)


def made(name: str) -> tuple[Model, Array, Array, Array, float]:
    dimension, kinds, bodies, moves = MODELS[name]
    rng = Random(name)
    model = joint_tree(rng, dimension, kinds, bodies)
    if moves:
        model = acting_models.moved(
            rng, replace(model, parameters={**model.parameters, **acting_models.PARAMETERS})
        )
    model = framed(rng, model)
    v, a = (np.array([rng.uniform(-2, 2) for _ in model.speeds]) for _ in "va")
    return model, np.array(model.q0), v, a, 0.7 if moves else 0.0


@pytest.mark.parametrize("name", MODELS)
def test_against_composed_poses(name: str) -> None:
    """Every frame's pose, twist, acceleration and Jacobian, in every representation."""
    model, q, v, a, t = made(name)
    solver = mstmm.compile(model, algorithm="frames", target=TARGETS[name])
    names = [frame.name for frame in model.frames]
    judged = [Judged(model, frame, q, v, a, t) for frame in model.frames]
    poses = solver.poses(q, frames=names, t=t)
    np.testing.assert_allclose(poses, [x.C for x in judged], rtol=0, atol=ROUNDED)
    for of in map(str, Representation):
        known = {"frames": names, "representation": of, "t": t}
        V, A = solver.frame_velocities(q, v, **known), solver.frame_accelerations(q, v, a, **known)
        J = solver.frame_jacobian(q, **known)
        for k, each in enumerate(judged):
            twist = each.twist(of, each.spin, each.speed)
            np.testing.assert_allclose(V[k], twist, rtol=0, atol=ROUNDED)
            np.testing.assert_allclose(A[k], each.acceleration(of), rtol=0, atol=10 * ROUNDED)
            column = each.twist(of, each.J[:3], each.J[3:])
            np.testing.assert_allclose(J[k], column, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("name", MODELS)
def test_rates_of_jacobians(name: str) -> None:
    """Differences of J along the motion; J a + J̇ v is the acceleration in two representations."""
    model, q, v, a, t = made(name)
    solver = mstmm.compile(model, algorithm="frames", target=TARGETS[name])
    qd = solver.rates(q, v)
    sides = [solver.retracted(q + s * STEP * qd) for s in (-1, 1)]
    times = [t - STEP, t + STEP]
    for of in map(str, Representation):
        low, high = (
            solver.frame_jacobian(x, representation=of, t=when)
            for x, when in zip(sides, times, strict=True)
        )
        rate = solver.frame_jacobian_rate(q, v, representation=of, t=t)
        np.testing.assert_allclose(rate, (high - low) / (2 * STEP), rtol=0, atol=DIFFERENCES)
        if of in ("hybrid", "mixed") and model.base is None:
            J = solver.frame_jacobian(q, representation=of)
            A = solver.frame_accelerations(q, v, a, representation=of)
            np.testing.assert_allclose(J @ a + rate @ v, A, rtol=0, atol=10 * ROUNDED)


def test_through_a_loop() -> None:
    """Of the columns of the tree J v is the twist of a motion that keeps the loop closed, and J N
    the twist for the crank's speed; N follows from the loop."""
    model = replace(four_bar(), frames=(Frame("tip", "3", (0.3, 0.4)),))
    solver = mstmm.compile(model, target="numpy")
    q, _ = solver.project(solver.assemble().q, np.zeros(3))
    _, v = solver.project(q, [1.0, 0.0, 0.0])
    crank = model.speeds[0]
    J = solver.frame_jacobian(q, frames="tip")
    projected = solver.frame_jacobian(q, frames="tip", independent=[crank])
    assert (J.shape, projected.shape) == ((6, 3), (6, 1))
    twist = solver.frame_velocities(q, v, frames="tip")
    np.testing.assert_allclose(projected[:, 0] * v[0], twist, rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(J @ v, twist, rtol=0, atol=ROUNDED)
    assert abs(J[:, 0] - projected[:, 0]).max() > 0.1
    with pytest.raises(NumericsError, match="or hang together; the loops leave 1 independent"):
        solver.frame_jacobian(q, frames="tip", independent=model.speeds[:2])
    with pytest.raises(UsageError, match="has no speed 'uX'"):
        solver.frame_jacobian(q, frames="tip", independent=["uX"])


def test_what_is_asked_for_is_what_there_is() -> None:
    """One name drops the axis; batches broadcast; only the frames asked for are generated."""
    model, q, v, _, _ = made("plane")
    solver = mstmm.compile(model, target="numpy")
    assert solver.frames[: len(model.frames)] == tuple(frame.name for frame in model.frames)
    batch = np.array([q, q + 0.1])
    one = solver.frame_velocities(batch, v, frames="on_0")
    assert one.shape == (2, 6)
    assert not one.any()
    both = solver.frame_jacobian(batch, frames=["on_0", solver.frames[0]])
    assert both.shape == (2, 2, 6, len(model.speeds))
    assert solver.poses(batch, frames=solver.frames[0]).shape == (2, 4, 4)
    small = mstmm.compile(model, algorithm=mstmm.Frames(frames=["on_0"]), target="numpy")
    assert small.names("frames") == ("on_0",)
    assert small.frame_jacobian(q, frames=solver.frames[0]).shape == (6, len(model.speeds))
    for call in (solver.poses, solver.frame_jacobian):
        with pytest.raises(UsageError, match="has no frame 'on_X'"):
            call(q, frames="on_X")
    with pytest.raises(UsageError, match="no representation 'other'; there are: body, spatial"):
        solver.frame_jacobian(q, representation="other")
    with pytest.raises(UsageError, match="must be a list of names"):
        mstmm.Frames(frames=(1,))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="has no frame 'nowhere'"):
        mstmm.compile(model, algorithm="frames", frames=("nowhere",), target="numpy")


def test_poses_follow_parameters_and_absolute_coordinates() -> None:
    """A frame's place may depend on a parameter that stays an argument."""
    model = mstmm.load("rod-chain", n=2)
    length = next(iter(model.bodies[0].points[1].position[0].free_symbols))
    tip = Frame("tip", "1", (2 * length, 0))
    solver = mstmm.compile(replace(model, frames=(tip,)), target="numpy", parameters=[length.name])
    assert model.absolute
    longer = {length.name: 3.0}
    found = solver.poses([0.0, 0.0], frames="tip", parameters=longer)
    body = solver.poses([0.0, 0.0], parameters=longer)[0]
    np.testing.assert_allclose(found[:2, 3] - body[:2, 3], [6.0, 0.0])
    with pytest.raises(UsageError, match=r"frames .* takes joint ones"):
        solver.frame_jacobian([0.0, 0.0])


@pytest.mark.parametrize("any_of", [False, True])
def test_proven(any_of: bool) -> None:
    model, *_ = made("carried")
    few = ["*"] if any_of else [frame.name for frame in model.frames[:2]]
    solver = mstmm.compile(model, algorithm="frames", frames=few, target="numpy")
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


@pytest.mark.parametrize("name", MODELS)
def test_one_library_has_any_frame(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the code of named frames has, frame by frame and all together, and from lists."""
    model, q, v, a, t = made(name)
    solver = mstmm.compile(model)
    named = mstmm.compile(model, algorithm="frames", target="numpy")
    frames, n = solver.frames, len(solver.speeds)
    states = {"velocity": (q, v), "acceleration": (q, v, a), "jacobian": (q,)}
    states["jacobian_rate"] = (q, v)
    methods = {
        "velocity": solver.frame_velocities,
        "acceleration": solver.frame_accelerations,
        "jacobian": solver.frame_jacobian,
        "jacobian_rate": solver.frame_jacobian_rate,
    }
    for of in map(str, Representation):
        for entry, given in states.items():
            call: Any = partial(methods[entry], representation=of, t=t)
            more = {"ad": a} if entry == "acceleration" else {}
            flat = named.results(f"frame_{entry}_{of}", q, v, t=t, **more)[f"{entry}_{of}"]
            expected = flat.reshape(len(frames), -1, 6).swapaxes(-1, -2)
            expected = expected if "jacobian" in entry else expected[..., 0]
            np.testing.assert_allclose(call(*given), expected, rtol=0, atol=ROUNDED)
            for k, frame in enumerate(frames):
                one = call(*given, frames=frame)
                np.testing.assert_allclose(one, expected[k], rtol=0, atol=ROUNDED)
                listed = call(*(x.tolist() for x in given), frames=frame)
                np.testing.assert_array_equal(listed, one)
            two = [np.stack([x, x]) for x in given]
            both = call(*two, frames=[frames[-1], frames[0]])
            assert both.shape == (2, 2, 6, n) if "jacobian" in entry else (2, 2, 6)
            np.testing.assert_allclose(both[1], expected[[-1, 0]], rtol=0, atol=ROUNDED)
    poses = named.results("frame_poses", q, t=t)["frame_poses"].reshape(-1, 4, 4)
    np.testing.assert_allclose(solver.poses(q, frames=frames, t=t), poses, rtol=0, atol=ROUNDED)
    one = solver.poses(q, frames=frames[-1], t=t)
    np.testing.assert_allclose(one, poses[-1], rtol=0, atol=ROUNDED)
    some = solver.poses(q, frames=frames[2:0:-1], t=t)
    np.testing.assert_allclose(some, poses[[2, 1]], rtol=0, atol=ROUNDED)
    assert {*solver.modules} == {"frames"}

    def looked(*_: Any, **__: Any) -> Any:
        raise AssertionError("a closer look")

    monkeypatch.setattr(Evaluator, "results", looked)
    np.testing.assert_array_equal(solver.poses(q, frames=frames[-1], t=t), one)
    np.testing.assert_array_equal(solver.poses(q, frames=frames[2:0:-1], t=t), some)
    J = solver.frame_jacobian(q, frames=frames[0], t=t)
    assert solver.frame_jacobian([*q], frames=frames[0], t=t).tobytes() == J.tobytes()


def test_what_is_displayed_of_any_frame_is_what_is_computed() -> None:
    for algorithm in (mstmm.Frames(frames=["*"]), mstmm.Kinematics(frames=["*"])):
        program = algorithm.program(plan(made("space")[0]))
        kernels = dict.fromkeys(call.kernel for step in program.steps for call in step.calls)
        wrong = [x for kernel in kernels for x in judged(kernel) if x.shown is not None and x.why]
        assert wrong == []


def test_points_are_frames() -> None:
    """A body's point has its own axes, also where it is the link's output."""
    model, q, *_ = made("space")
    body = model.bodies[-1]
    solver = mstmm.compile(model, target="numpy")
    own = solver.poses(q, frames=body.name)
    for point in body.points:
        assert isinstance(point, Point)
        placed = offset(model, Frame("", body.name, point.position, point.axes))
        found = solver.poses(q, frames=f"{body.name}:{point.name}")
        np.testing.assert_allclose(found, own @ placed, rtol=0, atol=ROUNDED)
