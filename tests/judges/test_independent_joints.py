"""The judge of joint coordinates: against another judge, first principles and hand derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pytest
import random_models
import scipy
from closeness import close
from independent.joints import JointMotion, coordinate_rates, joint_motion, poses
from independent.newton_euler import newton_euler
from independent.tree import Array, Joint, extended, joints

from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: Double precision against 60 digits or another dense solve; 2e-12 was seen, of O(100) loads.
TOLERANCE = 1e-11
#: Central differences in 60 digits: a step of 1e-20 leaves 1e-20 even of second derivatives.
EXACT = extended(60)
STEP = 1e-20

KINDS = [(dimension, kind) for dimension in (2, 3) for kind in HINGE_KINDS[dimension]]


@dataclass(frozen=True)
class Case:
    """A model in motion under drives and external loads."""

    model: Model
    tau: list[float]
    wrenches: Array
    found: JointMotion

    @classmethod
    def of(cls, model: Model, rng: Random) -> Case:
        tau = [rng.uniform(-5, 5) for _ in model.speeds]
        wrenches = np.array([[rng.uniform(-5, 5) for _ in range(6)] for _ in model.bodies])
        if model.dimension == 2:
            wrenches[:, [0, 1, 5]] = 0
        return cls(model, tau, wrenches, joint_motion(model, model.q0, model.v0, tau, wrenches))


def difference(function: Any, q: Array, v: Array, rates: Array, changes: Array) -> Array:
    """d/dt of function(q, v) along dq/dt = rates, dv/dt = changes, exactly."""
    h = EXACT.array([STEP])[0]
    after, before = (function(q + s * rates, v + s * changes) for s in (h, -h))
    return (after - before) / (2 * h)


def exact_state(case: Case) -> tuple[Array, Array]:
    return EXACT.array(case.model.q0), EXACT.array(case.model.v0)


def velocities(model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Poses, their rates of change (differenced) and angular velocities, inertial axes."""
    here = poses(model, q, EXACT)
    rate = difference(
        lambda q, v: poses(model, q, EXACT), q, v, coordinate_rates(model, q, v, EXACT), 0 * v
    )
    skew = np.array([r[:3, :3] @ p[:3, :3].T for r, p in zip(rate, here, strict=True)])
    return here, rate, np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)


def momenta(model: Model, q: Array, v: Array) -> Array:
    """Each body's momentum and angular momentum about the inertial origin; (bodies, 6)."""
    here, rate, spins = velocities(model, q, v)
    found = []
    for k, body in enumerate(model.bodies):
        own = EXACT.array([*map(model.value, body.centre), *[0.0] * (3 - model.dimension), 1.0])
        momentum = EXACT.array([model.value(body.mass)])[0] * (rate[k] @ own)[:3]
        R = here[k][:3, :3]
        spin = R @ (inertia(model, k) @ (R.T @ spins[k])) + np.cross((here[k] @ own)[:3], momentum)
        found.append(np.concatenate([momentum, spin]))
    return np.array(found)


def inertia(model: Model, k: int) -> Array:
    given = model.bodies[k].inertia
    if isinstance(given, tuple):
        return np.array([[model.value(x) for x in row] for row in given])
    return np.diag([0.0, 0.0, model.value(given)])


def place(model: Model, where: Array, end: End) -> Array:
    """The end's place, inertial axes."""
    if end.body == GROUND:
        return np.zeros(3)
    names = [body.name for body in model.bodies]
    position = model.body(end.body).point(end.point).position
    own = [*map(model.value, position), *[0.0] * (3 - model.dimension), 1.0]
    return (where[names.index(end.body)] @ np.array(own))[:3]


def random_case(dimension: int, kind: str | None, seed: int) -> Case:
    rng = Random(seed)
    kinds = None if kind is None else [kind]
    model = random_models.joint_tree(rng, dimension, kinds, rng.randint(1, 4))
    return Case.of(model, rng)


everywhere = pytest.mark.parametrize(
    ("dimension", "kind", "seed"),
    [(*each, seed) for each in [*KINDS, (2, None), (3, None)] for seed in range(3)],
)


@everywhere
def test_every_body_obeys_newton_and_euler(dimension: int, kind: str | None, seed: int) -> None:
    case = random_case(dimension, kind, seed)
    model, q_v = case.model, exact_state(case)
    changes = EXACT.array(case.found.accelerations)
    rates = coordinate_rates(model, *q_v, EXACT)
    grown = difference(lambda q, v: momenta(model, q, v), *q_v, rates, changes)
    where = np.array(case.found.poses)
    gravity = [*map(model.value, model.gravity), *[0.0] * (3 - dimension)]
    given = {}
    for k, body in enumerate(model.bodies):
        centre = where[k] @ [*map(model.value, body.centre), *[0.0] * (3 - dimension), 1.0]
        force = model.value(body.mass) * np.array(gravity) + case.wrenches[k, 3:]
        moment = case.wrenches[k, :3] + np.cross(centre[:3], force)
        given[body.name] = np.concatenate([force, moment])
    for joint in joints(model):
        load = case.found.loads[str(joint.tip)]
        moment = load[:3] - np.cross(place(model, where, joint.tip), load[3:])
        given[joint.tip.body] += np.concatenate([-load[3:], moment])
        if joint.root.body != GROUND:
            given[joint.root.body] -= np.concatenate([-load[3:], moment])
    size = max(1.0, max(np.abs(load).max() for load in case.found.loads.values()))
    close(grown / size, np.array([given[body.name] for body in model.bodies]) / size)


@everywhere
def test_the_loads_work_only_through_the_drives(
    dimension: int, kind: str | None, seed: int
) -> None:
    case = random_case(dimension, kind, seed)
    model, rng = case.model, Random(seed)
    names = [body.name for body in model.bodies]
    size = max(1.0, max(np.abs(load).max() for load in case.found.loads.values()))
    for joint in joints(model):
        hinge = hinge_at(model, joint)
        virtual = [rng.uniform(-1, 1) for _ in model.speeds]
        where, rate, spins = velocities(model, exact_state(case)[0], EXACT.array(virtual))
        tip, root = names.index(joint.tip.body), joint.root.body
        at = np.linalg.inv(case.found.poses[tip]) @ [*place(model, where, joint.tip), 1]
        shift, turn = (rate[tip] @ at)[:3], spins[tip]
        if root != GROUND:
            k = names.index(root)
            at = np.linalg.inv(case.found.poses[k]) @ [*place(model, where, joint.tip), 1]
            shift, turn = shift - (rate[k] @ at)[:3], turn - spins[k]
        load = case.found.loads[str(joint.tip)]
        own = [model.speeds.index(name) for name in model.hinge_speeds(hinge)]
        power = sum(case.tau[i] * virtual[i] for i in own)
        close((load[:3] @ turn - load[3:] @ shift) / size, power / size)


@everywhere
def test_energy_grows_by_the_power(dimension: int, kind: str | None, seed: int) -> None:
    case = random_case(dimension, kind, seed)
    model, (q, v) = case.model, exact_state(case)
    changes = EXACT.array(case.found.accelerations)
    rates = coordinate_rates(model, q, v, EXACT)
    grown = difference(
        lambda q, v: joint_motion(model, q, v, arithmetic=EXACT).energy, q, v, rates, changes
    )
    _, rate, spins = velocities(model, q, v)
    power = np.dot(case.tau, model.v0)
    for k, body in enumerate(model.bodies):
        own = [*map(model.value, body.centre), *[0.0] * (3 - dimension), 1.0]
        power += case.wrenches[k] @ np.concatenate([spins[k], (rate[k] @ own)[:3]])
    close(grown, power, 10 * TOLERANCE)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dimension", [2, 3])
def test_pins_and_balls_as_in_absolute_coordinates(dimension: int, seed: int) -> None:
    rng = Random(seed)
    kind = "pin" if dimension == 2 else "ball"
    case = Case.of(random_models.joint_tree(rng, dimension, [kind]), rng)
    model, same = case.model, absolute_state(case)
    order = [3, 4, 2] if dimension == 2 else [3, 4, 5, 0, 1, 2]
    plain = replace(model, absolute=True, q0=(), v0=())
    expected = newton_euler(plain, same.q, same.v, case.wrenches[:, order], np.array(same.tau))
    grown = {GROUND: np.zeros(3)}
    for body, own in zip(
        model.bodies, expected.accelerations.reshape(len(model.bodies), -1), strict=True
    ):
        grown[body.name] = same.turn[body.name] @ [*[0.0] * (3 - len(own)), *own]
    accelerations: list[float] = []
    for hinge in model.hinges:
        parent, child = (end.body for end in hinge.ends)
        A = same.axes[hinge.name]
        change = A.T @ (grown[child] - grown[parent])
        change -= np.cross(A.T @ same.spin[child], own_state(case, hinge)[1])
        accelerations += list(change[3 - len(model.hinge_speeds(hinge)) :])
    close(case.found.accelerations, accelerations)
    for joint in joints(model):
        hinge = hinge_at(model, joint)
        load = case.found.loads[str(joint.tip)]
        sign = 1 if joint.tip == hinge.ends[1] else -1
        close(load[3 : 3 + dimension], expected.forces[str(joint.tip)])
        close(load[:3], sign * same.axes[hinge.name] @ own_state(case, hinge)[2], 10 * TOLERANCE)


@dataclass(frozen=True)
class Absolute:
    """A state of pins or balls in absolute coordinates, and the axes of each hinge's child."""

    q: list[float]
    v: list[float]
    tau: list[float]
    turn: dict[str, Array]
    spin: dict[str, Array]
    axes: dict[str, Array]


def absolute_state(case: Case) -> Absolute:
    """Rotations, angular velocities and couples summed hinge by hinge, from the ground."""
    model = case.model
    turn, spin, axes = {GROUND: np.eye(3)}, {GROUND: np.zeros(3)}, {}
    couples = {name: np.zeros(3) for name in [GROUND, *(body.name for body in model.bodies)]}
    for joint in joints(model):
        hinge = hinge_at(model, joint)
        parent, child = hinge.ends
        relative, speed, drive = own_state(case, hinge)
        step = axes_of(model, parent) @ relative @ axes_of(model, child).T
        outwards = joint.tip == child
        turn[joint.tip.body] = turn[joint.root.body] @ (step if outwards else step.T)
        A = axes[hinge.name] = turn[child.body] @ axes_of(model, child)
        spin[joint.tip.body] = spin[joint.root.body] + (A @ speed if outwards else -A @ speed)
        couples[child.body] += A @ drive
        couples[parent.body] -= A @ drive
    q: list[float] = []
    v: list[float] = []
    tau: list[float] = []
    for body in model.bodies:
        R, own = turn[body.name], slice(2 if model.dimension == 2 else 0, 3)
        x, y, z, w = scipy.spatial.transform.Rotation.from_matrix(R).as_quat()
        q += [np.arctan2(R[1, 0], R[0, 0])] if model.dimension == 2 else [w, x, y, z]
        v += list((R.T @ spin[body.name])[own])
        tau += list((R.T @ couples[body.name])[own])
    return Absolute(q, v, tau, turn, spin, axes)


def hinge_at(model: Model, joint: Joint) -> Hinge:
    return next(hinge for hinge in model.hinges if joint.tip in hinge.ends)


def own_state(case: Case, hinge: Hinge) -> tuple[Array, Array, Array]:
    """A pin's or ball's relative rotation, angular velocity and couple."""
    model = case.model
    q = [model.q0[model.coordinates.index(name)] for name in model.hinge_coordinates(hinge)]
    own = [model.speeds.index(name) for name in model.hinge_speeds(hinge)]
    v, tau = [model.v0[i] for i in own], [case.tau[i] for i in own]
    if model.dimension == 2:
        turn = scipy.spatial.transform.Rotation.from_rotvec([0, 0, q[0]])
        return turn.as_matrix(), np.array([0, 0, *v]), np.array([0, 0, *tau])
    return (
        scipy.spatial.transform.Rotation.from_quat([*q[1:], q[0]]).as_matrix(),
        np.array(v),
        np.array(tau),
    )


def axes_of(model: Model, end: End) -> Array:
    axes = None if end.body == GROUND else model.body(end.body).point(end.point).axes
    if axes is None:
        return np.eye(3)
    if isinstance(axes, tuple):
        return np.array([[model.value(x) for x in row] for row in axes])
    return scipy.spatial.transform.Rotation.from_rotvec([0, 0, model.value(axes)]).as_matrix()


MIRRORED = [
    (2, "pin"),
    (2, "prismatic"),
    (3, "revolute"),
    (3, "prismatic"),
    (3, "helical"),
    (3, "cylindrical"),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("dimension", "kind"), MIRRORED)
def test_exchanged_ends_mirror_the_signs(dimension: int, kind: str, seed: int) -> None:
    case = random_case(dimension, kind, seed)
    turned = replace(
        case.model, hinges=tuple(replace(h, ends=h.ends[::-1]) for h in case.model.hinges)
    )
    q, v, tau = -np.array(case.model.q0), -np.array(case.model.v0), -np.array(case.tau)
    other = joint_motion(turned, q, v, tau, case.wrenches)
    close(other.accelerations, -case.found.accelerations)
    close(other.energy, case.found.energy)
    close(other.poses, case.found.poses)
    for end, load in case.found.loads.items():
        close(other.loads[end], load, 10 * TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_a_universal_joint_seen_from_its_other_side(seed: int) -> None:
    """With x and y exchanged (and z turned over), the inverse has the same form."""
    case = random_case(3, "universal", seed)
    exchange = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]])
    grounded = [GROUND in (end.body for end in hinge.ends) for hinge in case.model.hinges]
    # The ground's axes are the inertial ones: its hinge stays as it is.
    turned_points = {
        end
        for hinge, own in zip(case.model.hinges, grounded, strict=True)
        for end in hinge.ends
        if not own
    }

    def turned(body: Body, point: Point) -> Point:
        end = End(body.name, point.name)
        if end not in turned_points:
            return point
        return replace(point, axes=rows(axes_of(case.model, end) @ exchange))

    bodies = tuple(
        replace(body, points=tuple(turned(body, point) for point in body.points))
        for body in case.model.bodies
    )
    hinges = tuple(
        hinge if own else replace(hinge, ends=hinge.ends[::-1])
        for hinge, own in zip(case.model.hinges, grounded, strict=True)
    )

    def across(values: Sequence[float]) -> Array:
        pairs = np.array(values).reshape(-1, 2)
        return np.array(
            [p if own else -p[::-1] for p, own in zip(pairs, grounded, strict=True)]
        ).ravel()

    other = joint_motion(
        replace(case.model, bodies=bodies, hinges=hinges),
        across(case.model.q0),
        across(case.model.v0),
        across(case.tau),
        case.wrenches,
    )
    close(other.poses, case.found.poses)
    close(other.accelerations, across(case.found.accelerations))
    for end, load in case.found.loads.items():
        close(other.loads[end], load, 10 * TOLERANCE)


def rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(x) for x in row) for row in matrix)


@pytest.mark.parametrize("dimension", [2, 3])
def test_sixty_digits_agree_with_doubles(dimension: int) -> None:
    rng = Random(dimension)
    case = Case.of(random_models.joint_tree(rng, dimension, bodies=8), rng)
    model = case.model
    exact = joint_motion(model, model.q0, model.v0, case.tau, case.wrenches, EXACT)
    close(case.found.accelerations, exact.accelerations)
    close(case.found.energy, exact.energy)
    for end, load in exact.loads.items():
        close(case.found.loads[end], load)


@pytest.mark.parametrize("dimension", [2, 3])
def test_random_trees_have_every_kind_and_both_orders(dimension: int) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    axes: Counter[str] = Counter()
    for seed in range(60):
        model = random_models.joint_tree(Random(seed), dimension)
        assert model == random_models.joint_tree(Random(seed), dimension)
        assert not model.absolute
        assert model.speeds
        for joint in joints(model):
            hinge = hinge_at(model, joint)
            seen[hinge.kind, joint.tip == hinge.ends[0]] += 1
        axes.update(type(point.axes).__name__ for body in model.bodies for point in body.points)
    assert set(seen) == {(kind, end) for kind in HINGE_KINDS[dimension] for end in (True, False)}
    assert axes["NoneType"]
    assert len(axes) > 1


def test_fixed_alone_still_moves() -> None:
    for seed in range(10):
        model = random_models.joint_tree(Random(seed), 3, ["fixed"], 3)
        kinds = Counter(hinge.kind for hinge in model.hinges)
        assert kinds == +Counter(revolute=1, fixed=len(model.hinges) - 1)
