"""Accelerations and loads at every end: each body's and each hinge's balance, and the judges."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import loop_models
import numpy as np
import pytest
import random_models
from closeness import within
from compiler import TARGET, TARGETS
from independent.joints import _axial, _frames, _inertia, _place, _point_frame, joint_motion
from independent.loops import loop_motion, opened
from independent.newton_euler import newton_euler
from independent.tree import FLOAT, Array
from proofs import proof_of_blocks
from sizes import covered, later
from test_inverse import external_loads

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.capabilities.end_states import EndStates
from mstmm.runtime.capabilities.offered import offered_by
from mstmm.runtime.solver import Solver

#: Of the largest number: rounding of some thousand operations on random systems.
TOLERANCE = 1e-9
close = within(TOLERANCE)

STATE = tuple[Any, Any]


class Judge:
    """How every body moves, from the judge's functions of time, given the speeds' derivatives."""

    def __init__(self, model: Model, q: Any, v: Any, a: Any) -> None:
        self.model = model
        frames = _frames(opened(model), np.asarray(q), np.atleast_2d(v), np.atleast_2d(a), FLOAT)
        self.frames = dict(zip((body.name for body in model.bodies), frames, strict=True))

    def place(self, end: End) -> Array:
        own = _point_frame(self.model, end, FLOAT)
        return (own if end.body == GROUND else self.frames[end.body].x @ own)[:3, 3]

    def acceleration(self, end: End) -> Array:
        if end.body == GROUND:
            return np.zeros(6)
        frame = self.frames[end.body]
        own = _point_frame(self.model, end, FLOAT)[:, 3]
        turning = _axial(frame.dd[0, :3, :3] @ frame.x[:3, :3].T)
        return np.concatenate([(frame.dd[0] @ own)[:3], turning])

    def lacking(self, body: Body) -> Array:
        """Moment about the inertial origin and force that the body needs besides gravity."""
        k = self.model.bodies.index(body)
        frame = self.frames[body.name]
        own = np.array([*_place(self.model, body.centre, FLOAT), 1])
        R, mass = frame.x[:3, :3], self.model.value(body.mass)
        J = R @ _inertia(self.model, k, FLOAT) @ R.T
        spin = _axial(frame.d[0, :3, :3] @ R.T)
        turning = _axial(frame.dd[0, :3, :3] @ R.T)
        force = mass * ((frame.dd[0] @ own)[:3] - _place(self.model, self.model.gravity, FLOAT))
        moment = J @ turning + np.cross(spin, J @ spin)
        return np.concatenate([moment + np.cross((frame.x @ own)[:3], force), force])


def acting(states: EndStates, element: str, places: dict[str, Array]) -> Array:
    """The sum of the loads at an element's ends: moment about the inertial origin, force."""
    total = np.zeros(6)
    own = states.of(element)
    for name in own:
        sign = {"I": 1, "O": -1}[own[name].side]
        moment, force = -sign * own[name].load[:3], sign * own[name].load[3:]
        total += np.concatenate([moment + np.cross(places[name], force), force])
    return total


def ends_by_name(model: Model, states: EndStates) -> dict[str, End]:
    """The place of each end: of a hinge by the tip's name that shares its state, or the other."""
    found = {str(end): end for body in model.bodies for end in ends_of(body)}
    for hinge in model.hinges:
        first, second = hinge.ends
        one = states.sides[states.ends.index(str(first))] if first.body != GROUND else "I"
        tip, root = (first, second) if one == "O" else (second, first)
        found[f"hinge {hinge.name}:I"], found[f"hinge {hinge.name}:O"] = tip, root
    return found


def ends_of(body: Body) -> list[End]:
    return [End(body.name, point.name) for point in body.points]


def check(
    solver: Solver, q: Any, v: Any, tau: Any = None, wrenches: Array | None = None
) -> EndStates:
    """Each acceleration, each body's balance, each hinge's, and that neighbours agree."""
    model = solver.model
    states = solver.end_states(q, v, tau, wrenches=wrenches)
    judge = Judge(model, q, v, solver.accelerations(q, v, tau, wrenches=wrenches))
    ends = ends_by_name(model, states)
    assert tuple(ends) == states.ends
    places = {name: judge.place(end) for name, end in ends.items()}
    expected = np.array([judge.acceleration(end) for end in ends.values()])
    close(states.accelerations, expected, what="accelerations")
    scale = max(1.0, float(np.abs(states.loads).max()))
    for k, body in enumerate(model.bodies):
        needed = judge.lacking(body)
        if wrenches is not None:
            centre = judge.frames[body.name].x @ [*_place(model, body.centre, FLOAT), 1]
            moment = wrenches[k, :3] + np.cross(centre[:3], wrenches[k, 3:])
            needed = needed - np.concatenate([moment, wrenches[k, 3:]])
        error = np.abs(acting(states, body.name, places) - needed).max()
        assert error < TOLERANCE * scale, f"balance of body {body.name}: {error}"
    for hinge in model.hinges:
        element = f"hinge {hinge.name}"
        error = np.abs(acting(states, element, places)).max()
        assert error < TOLERANCE * scale, f"balance of {element}: {error}"
        for name in states.of(element):
            if ends[name].body != GROUND:
                assert (states[name].load == states[str(ends[name])].load).all()
    hinged = {end for hinge in model.hinges for end in hinge.ends}
    for name, end in ends.items():
        if end not in hinged:
            assert not states[name].load.any()
    return states


# Trees


@pytest.mark.parametrize(
    ("dimension", "kind"), [(d, kind) for d in (2, 3) for kind in HINGE_KINDS[d]]
)
def test_each_kind_of_hinge(dimension: int, kind: str) -> None:
    rng = Random(f"{dimension} {kind}")
    model = random_models.joint_tree(rng, dimension, (kind,), 3)
    states = check(mstmm.compile(model, target="numpy"), model.q0, model.v0)
    expected = joint_motion(model, model.q0, model.v0).loads
    close([states[end].load for end in expected], list(expected.values()))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", later(range(4), 2))
def test_loaded_trees(seed: int, target: str) -> None:
    rng = Random(seed)
    model = random_models.joint_tree(rng, 2 + seed % 2, bodies=4)
    tau = [rng.uniform(-3, 3) for _ in model.speeds]
    wrenches = external_loads(rng, model)
    states = check(mstmm.compile(model, target=target), model.q0, model.v0, tau, wrenches)
    expected = joint_motion(model, model.q0, model.v0, tau, wrenches).loads
    close([states[end].load for end in expected], list(expected.values()))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_absolute_coordinates(dimension: int, target: str) -> None:
    """Accelerations of all points and loads from the dense solver in the same coordinates."""
    rng = Random(dimension)
    model = random_models.tree_of(dimension, (1, 2, 0, 0), 3)
    solver = mstmm.compile(model, target=target)
    q, v = random_models.random_state(rng, dimension, len(model.bodies))
    states = solver.end_states(q, v)
    expected = newton_euler(model, q, v)
    for end, force in expected.forces.items():
        close(states[end].load[3 : 3 + dimension], force)
    assert not states.loads[:, :3].any()
    step = 1e-4
    poses = []
    for t in (-step, 0.0, step):
        moved = np.asarray(v) + t * expected.accelerations
        there = np.asarray(q) + t * solver.rates(q, np.asarray(v) + t / 2 * expected.accelerations)
        second = solver.rates(there, moved) - solver.rates(q, v)
        poses.append(solver.poses(solver.retracted(q + t * solver.rates(q, v) + t / 2 * second)))
    for k, body in enumerate(model.bodies):
        for point in body.points:
            own = np.array([*_place(model, point.position, FLOAT), 1])
            before, now, after = ((pose[k] @ own)[:3] for pose in poses)
            found = states[f"{body.name}:{point.name}"].acceleration
            # Second differences of a step of 1e-4 s: a truncation of about 1e-6.
            close(found[:3], (before - 2 * now + after) / step**2, 1e-5, what=point.name)
    spins = np.split(expected.accelerations, len(model.bodies))
    for body, spin in zip(model.bodies, spins, strict=True):
        turn = solver.poses(q)[model.bodies.index(body), :3, :3]
        inertial = [0, 0, spin[0]] if dimension == 2 else turn @ spin
        for end in ends_of(body):
            close(states[str(end)].acceleration[3:], inertial)


# Loops


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", later(range(6), 2))
def test_loops(seed: int, target: str) -> None:
    rng = Random(seed)
    model, _ = loop_models.loop_model(rng, 2 + seed % 2, rng.randint(2, 5), 1 + seed % 2)
    at_rest = loop_motion(model, model.q0, np.zeros(len(model.speeds)))
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    states = check(mstmm.compile(model, target=target), model.q0, v)
    expected = loop_motion(model, model.q0, v)
    if not expected.redundant:
        given = {**expected.tree.loads, **expected.cut_loads}
        close([states[end].load for end in given], list(given.values()))


def test_a_loop_through_the_ground() -> None:
    """Both ends of the cut at the ground: the reaction there, and no acceleration."""
    model = loop_models.four_bar()
    solver = mstmm.compile(model, target="numpy")
    q, v = solver.project([0.9, -0.5, -1.0], [0.3, 0.3, 0.3])
    states = check(solver, q, v)
    assert not states["hinge D:O"].acceleration.any()
    assert states["hinge A:O"].load.any()


# By hand


def slider() -> Model:
    """A mass on a vertical ground rail 2 m away from it, driven by its weight alone."""
    body = Body("1", 3.0, 0.5, (0.4, 0.0), (Point("P", (0.0, 0.0)), Point("free", (1.0, 0.0))))
    hinge = Hinge("rail", "prismatic", (End(GROUND, "R"), End("1", "P")), force=(-3.0,))
    return Model("slider", 2, (body,), (hinge,), (0.0, -10.0), absolute=False)


def test_points_that_lie_apart() -> None:
    """Along x the mass accelerates with −1; its weight turns it by 0.4 m, and 2 m further on."""
    solver = mstmm.compile(slider(), target="numpy")
    states = check(solver, [2.0], [0.7])
    assert states.ends == ("1:P", "1:free", "hinge rail:I", "hinge rail:O")
    assert states.elements == ("1", "1", "hinge rail", "hinge rail")
    assert states.sides == ("O", "I", "I", "O")
    close(states["1:free"].acceleration, [-1, 0, 0, 0, 0, 0])
    close(states["hinge rail:I"].load, [0, 0, 12.0, 3.0, -30.0, 0])
    close(states["hinge rail:O"].load, [0, 0, 72.0, 3.0, -30.0, 0])
    assert not states["1:free"].load.any()


def test_a_driven_hinge() -> None:
    """With a disc of 1 kg pinned to the free point: 4 kg accelerate with 2 along the rail."""
    base = slider()
    rail = replace(base.hinges[0], force=(), motion=(2.0 + TIME**2,))
    disc = Body("2", 1.0, 0.1, (0.0, 0.0), (Point("P", (0.0, 0.0)),))
    pin = Hinge("pin", "pin", (End("1", "free"), End("2", "P")))
    model = replace(base, bodies=(*base.bodies, disc), hinges=(rail, pin), q0=(), v0=())
    states = mstmm.compile(model, target="numpy").end_states([0.3], [0.2], t=1.0)
    close(states["1:free"].acceleration, [2, 0, 0, 0, 0, 0])
    close(states["hinge rail:I"].load, [0, 0, 12.0 + 10.0, -8.0, -40.0, 0])
    close(states["hinge rail:O"].load, [0, 0, 22.0 + 120.0, -8.0, -40.0, 0])


def test_a_cut_that_holds_nothing() -> None:
    """A free hinge that closes a loop transmits nothing; both its ends are there."""
    base = loop_models.four_bar()
    hinges = (*base.hinges[:3], replace(base.hinges[3], kind="free"))
    model = replace(base, hinges=hinges, cuts=("D",), q0=(), v0=())
    states = check(mstmm.compile(model, target="numpy"), model.q0, model.v0)
    assert not states.of("hinge D").loads.any()


# The arrays


@cache
def mixed() -> Solver:
    return mstmm.compile(random_models.joint_tree(Random(5), 3, bodies=4), target=TARGET)


def test_body_frame() -> None:
    """Each pair of vectors in the axes of its body; the ground's are inertial."""
    solver = mixed()
    q, v = solver.model.q0, solver.model.v0
    flat, own = solver.end_states(q, v), solver.end_states(q, v, frame="body")
    axes = dict(zip(solver.bodies, solver.poses(q)[:, :3, :3], strict=True)) | {GROUND: np.eye(3)}
    for name, end in ends_by_name(solver.model, flat).items():
        for found, expected in (
            (own[name].load, flat[name].load),
            (own[name].acceleration, flat[name].acceleration),
        ):
            for half in (slice(0, 3), slice(3, 6)):
                close(axes[end.body] @ found[half], expected[half])
    loads = dict(zip(solver.ends, solver.joint_loads(q, v, frame="body"), strict=True))
    for end, load in loads.items():
        close(own[end].load, load)
    with pytest.raises(UsageError, match="no frame 'own'"):
        solver.end_states(q, v, frame="own")


def test_batches_and_access_by_name() -> None:
    solver = mixed()
    q = np.array([[solver.model.q0] * 3] * 2)
    v = np.array(solver.model.v0) * np.linspace(0, 1, 6).reshape(2, 3, 1)
    states = solver.end_states(q, v, frame="body")
    assert states.loads.shape == states.accelerations.shape == (2, 3, len(states), 6)
    assert list(states) == list(states.ends)
    one = solver.end_states(q[1, 2], v[1, 2], frame="body")
    close(states.loads[1, 2], one.loads)
    element = states.elements[-1]
    assert states.of(element).ends == (f"{element}:I", f"{element}:O")
    assert repr(states) == f"<EndStates: {len(states)} ends of 2 × 3 states, body frame>"
    with pytest.raises(ValueError, match="read-only"):
        states.loads[:] = 0
    with pytest.raises(KeyError, match=r"^there is no end 'x:y'") as refused:
        states["x:y"]
    assert isinstance(refused.value, UsageError)
    with pytest.raises(UsageError, match="no element 'x'"):
        states.of("x")


def test_as_a_dataset() -> None:
    xarray = pytest.importorskip("xarray")
    solver = mixed()
    states = solver.end_states([solver.model.q0] * 2, solver.model.v0)
    data = states.to_xarray("time")
    assert isinstance(data, xarray.Dataset)
    assert data["loads"].dims == ("time", "end", "component")
    name = states.ends[-1]
    close(data["accelerations"].sel(end=name)[0], states[name].acceleration[0])
    assert set(data.where(data.side == "O", drop=True).end.values) == {
        end for end, side in zip(states.ends, states.sides, strict=True) if side == "O"
    }
    assert data.attrs["frame"] == "inertial"
    units = "; ".join(data[name].units for name in ("accelerations", "loads"))
    assert f"{units.replace('^2', '²')}." == offered_by(Solver)["end_states"].page["units"]
    assert states.to_xarray()["loads"].dims[0] == "batch_1"
    with pytest.raises(UsageError, match="2 names for 1"):
        states.to_xarray("a", "b")


def test_another_algorithm_says_who_has_it() -> None:
    solver = mstmm.compile("rod-chain:n=2", form="paper", target="numpy")
    with pytest.raises(UsageError, match="algorithm='riccati'"):
        solver.end_states([0, 0], [0, 0])


# Proof


@covered(1, what=["tree", "loop", "absolute"], target=TARGETS)
def test_compiled_code_is_proven(what: str, target: str) -> None:
    model = {
        "tree": lambda: random_models.joint_tree(Random(8), 3, bodies=2),
        "loop": lambda: loop_models.four_bar(2, ("pin", "slot", "pin", "pin")),
        "absolute": lambda: random_models.tree_of(3, (1, 1, 0), 1),
    }[what]()
    proof = proof_of_blocks(mstmm.compile(model, target=target))
    assert proof.ok, proof.worst
    assert any(row.kernel.startswith("end_states: ") for row in proof.rows)
