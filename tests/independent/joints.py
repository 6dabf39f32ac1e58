"""Joint coordinates, every kind of hinge: virtual power of all bodies, then Newton–Euler.

Each body's pose is composed from the ground outwards as a function of time, carried with its
first and second derivative (`Jet`). Accelerations are linear in the speeds' derivatives: their
columns are the motions from rest with one speed's derivative one, all others zero. The balance
of virtual power over all bodies gives those derivatives; the load of a hinge is what the bodies
beyond it lack. No recursion over inertias, no motion subspace, no transfer matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

from .tree import FLOAT, Arithmetic, Array, hamilton, joints

#: One step per coordinate, parent to child: x, y, z shift along an axis; a, b, c turn about one.
#: A rack's shift comes before these, a helical hinge's and a quaternion's turn after.
STEPS = {
    (2, "pin"): "c",
    (2, "prismatic"): "x",
    (2, "slot"): "xc",
    (2, "rack"): "c",
    (2, "free"): "xyc",
    (2, "elastic"): "xyc",
    (2, "fixed"): "",
    (3, "revolute"): "c",
    (3, "prismatic"): "z",
    (3, "slot"): "xc",
    (3, "helical"): "c",
    (3, "cylindrical"): "cz",
    (3, "universal"): "ab",
    (3, "planar"): "xyc",
    (3, "ball"): "",
    (3, "fixed"): "",
    (3, "free"): "xyz",
    (3, "elastic"): "xyz",
}

#: The quaternion units' multiplication table: [i, j, k], component k of unit i times unit j.
PRODUCT = np.array([[hamilton(p, q) for q in np.eye(4, dtype=int)] for p in np.eye(4, dtype=int)])


@dataclass(frozen=True)
class JointMotion:
    """What the judge finds.

    `accelerations`: dv/dt in the order of `model.speeds`. `loads`: at the end of each hinge
    that lies away from the ground (`body:point`), inertial axes: the moment exerted on that
    body there (3), and the force that it exerts on the other body (3); drives included.
    `poses`: body axes to inertial axes, (bodies, 4, 4). `energy`: kinetic and potential, the
    latter zero at the height of the inertial origin.
    """

    accelerations: Array
    loads: dict[str, Array]
    poses: Array
    energy: Any


@dataclass(frozen=True)
class Jet:
    """A function of time: its value, first and second derivative.

    The derivatives have a leading axis: several motions through the same place.
    """

    x: Array
    d: Array
    dd: Array

    def __matmul__(self, other: Jet) -> Jet:
        return Jet(
            self.x @ other.x,
            self.d @ other.x + self.x @ other.d,
            self.dd @ other.x + 2 * (self.d @ other.d) + self.x @ other.dd,
        )

    def through(self, linear: Callable[[Array], Array]) -> Jet:
        """Its image under a linear map that acts on the last axes."""
        return Jet(linear(self.x), linear(self.d), linear(self.dd))


def joint_motion(
    model: Model,
    q: Sequence[Any],
    v: Sequence[Any],
    tau: Sequence[Any] | None = None,
    wrenches: Array | None = None,
    arithmetic: Arithmetic = FLOAT,
    base: Jet | None = None,
) -> JointMotion:
    """Accelerations, hinge loads, poses and energy of a tree in joint coordinates.

    `tau`: generalised forces, one per speed; tau · v is their power, so that each drives the
    hinge's child against its parent along the speed. `wrenches` (bodies × 6): external moment
    and force at each centre of mass, inertial axes. `base`: how the ground moves (one motion).
    """
    frames = motions(model, q, v, arithmetic, base)
    n = len(model.bodies)
    load = np.zeros((n, 6), dtype=int) if wrenches is None else np.asarray(wrenches)
    bodies = [
        _Moving.of(model, k, frames[k], _array(load[k], arithmetic), arithmetic) for k in range(n)
    ]
    rotors = _rotors(model, arithmetic)
    found = _solve_virtual_power(bodies, rotors, tau, arithmetic)
    speed = _array(v, arithmetic)
    return JointMotion(
        accelerations=found,
        loads=_loads(model, frames, bodies, found, arithmetic),
        poses=np.array([frame.x for frame in frames]),
        energy=sum(body.energy for body in bodies) + rotors @ (speed * speed) / 2,
    )


def motions(
    model: Model,
    q: Sequence[Any],
    v: Sequence[Any],
    arithmetic: Arithmetic = FLOAT,
    base: Jet | None = None,
) -> list[Jet]:
    """Every body's motion; then from rest with one speed's derivative one, for each of them."""
    speeds = len(model.speeds)
    unit = np.eye(speeds, dtype=int)
    return _frames(
        model,
        _array(q, arithmetic),
        np.vstack([_array(v, arithmetic), 0 * unit]),
        np.vstack([0 * unit[:1], unit]) if speeds else np.zeros((1, 0), dtype=int),
        arithmetic,
        base,
    )


def poses(model: Model, q: Sequence[Any], arithmetic: Arithmetic = FLOAT) -> Array:
    """Each body's transform from its own axes to the inertial ones; (bodies, 4, 4)."""
    rest = np.zeros((1, len(model.speeds)), dtype=int)
    frames = _frames(model, _array(q, arithmetic), rest, rest, arithmetic)
    return np.array([frame.x for frame in frames])


def coordinate_rates(
    model: Model, q: Sequence[Any], v: Sequence[Any], arithmetic: Arithmetic = FLOAT
) -> Array:
    """dq/dt at these speeds."""
    speed = _array(v, arithmetic)[None, :]
    paths = _paths(model, _array(q, arithmetic), speed, 0 * speed)
    return np.concatenate([paths[hinge.name].d[0] for hinge in model.hinges])


@dataclass(frozen=True)
class _Moving:
    """A body in motion: how it moves per speed's derivative and without, and what it lacks.

    `force`, `moment`: what must act on it besides all that is given, if no speed changed.
    """

    mass: Any
    inertia: Array
    centre: Array
    shifts: Array
    turns: Array
    force: Array
    moment: Array
    energy: Any

    @classmethod
    def of(cls, model: Model, k: int, frame: Jet, load: Array, arithmetic: Arithmetic) -> _Moving:
        body = model.bodies[k]
        mass = _number(model, body.mass, arithmetic)
        R = frame.x[:3, :3]
        inertia = R @ _inertia(model, k, arithmetic) @ R.T
        own = np.array([*_place(model, body.centre, arithmetic), 1])
        centre = frame.through(lambda T: (T @ own)[..., :3])
        spin = _axial(frame.d[0, :3, :3] @ R.T)
        turning = _axial(frame.dd[:, :3, :3] @ R.T)
        gravity = _place(model, model.gravity, arithmetic)
        kinetic = mass * (centre.d[0] @ centre.d[0]) + spin @ inertia @ spin
        return cls(
            mass=mass,
            inertia=inertia,
            centre=centre.x,
            shifts=centre.dd[1:],
            turns=turning[1:],
            force=mass * (centre.dd[0] - gravity) - load[3:],
            moment=inertia @ turning[0] + np.cross(spin, inertia @ spin) - load[:3],
            energy=kinetic / 2 - mass * (gravity @ centre.x),
        )


def _rotors(model: Model, arithmetic: Arithmetic) -> Array:
    """Per speed the inertia of a rotor, whose energy is half of it times the speed squared."""
    per_hinge = [
        [_number(model, x, arithmetic) for x in hinge.rotor]
        or [arithmetic.number(Fraction(0))] * len(model.hinge_speeds(hinge))
        for hinge in model.hinges
    ]
    return np.array([x for rotors in per_hinge for x in rotors], dtype=arithmetic.dtype)


def required_forces(
    model: Model,
    q: Sequence[Any],
    v: Sequence[Any],
    a: Sequence[Any],
    arithmetic: Arithmetic = FLOAT,
) -> Array:
    """The generalised forces that give these accelerations, besides the hinges' laws."""
    frames = motions(model, q, v, arithmetic)
    still = _array(np.zeros(6, dtype=int), arithmetic)
    bodies = [_Moving.of(model, k, frame, still, arithmetic) for k, frame in enumerate(frames)]
    matrix, right = _virtual_power(bodies, _rotors(model, arithmetic), None, arithmetic)
    return matrix @ _array(a, arithmetic) - right


def mass_matrix(model: Model, q: Sequence[Any], arithmetic: Arithmetic = FLOAT) -> Array:
    """What the forces of `required_forces` are, per unit of each acceleration."""
    frames = motions(model, q, [0] * len(model.speeds), arithmetic)
    still = _array(np.zeros(6, dtype=int), arithmetic)
    bodies = [_Moving.of(model, k, frame, still, arithmetic) for k, frame in enumerate(frames)]
    return _virtual_power(bodies, _rotors(model, arithmetic), None, arithmetic)[0]


def _solve_virtual_power(
    bodies: list[_Moving], rotors: Array, tau: Sequence[Any] | None, arithmetic: Arithmetic
) -> Array:
    matrix, right = _virtual_power(bodies, rotors, tau, arithmetic)
    return arithmetic.solve(matrix, right) if len(rotors) else right


def _virtual_power(
    bodies: list[_Moving], rotors: Array, tau: Sequence[Any] | None, arithmetic: Arithmetic
) -> tuple[Array, Array]:
    """Power of all inertial forces, and ρ u̇ u of the rotors: the rate of their energy."""
    speeds = len(rotors)
    right = _array([0] * speeds if tau is None else tau, arithmetic)
    matrix = np.zeros((speeds, speeds), dtype=arithmetic.dtype) + np.diag(rotors)
    for body in bodies:
        matrix = matrix + body.mass * (body.shifts @ body.shifts.T)
        matrix = matrix + body.turns @ body.inertia @ body.turns.T
        right = right - body.shifts @ body.force - body.turns @ body.moment
    return matrix, right


def _loads(
    model: Model, frames: list[Jet], bodies: list[_Moving], found: Array, arithmetic: Arithmetic
) -> dict[str, Array]:
    """Newton–Euler of all bodies beyond each hinge, moments about the hinge's tip."""
    index = {body.name: k for k, body in enumerate(model.bodies)}
    beyond = {body.name: [index[body.name]] for body in model.bodies}
    loads = {}
    for joint in reversed(joints(model)):
        tip = frames[index[joint.tip.body]].x @ _point_frame(model, joint.tip, arithmetic)
        force, moment = np.zeros(3, dtype=int), np.zeros(3, dtype=int)
        for k in beyond[joint.tip.body]:
            body = bodies[k]
            needed = body.force + body.mass * (found @ body.shifts)
            force = force + needed
            moment = moment + body.moment + body.inertia @ (found @ body.turns)
            moment = moment + np.cross(body.centre - tip[:3, 3], needed)
        loads[str(joint.tip)] = np.concatenate([moment, -force])
        if joint.root.body != GROUND:
            beyond[joint.root.body] += beyond[joint.tip.body]
    return loads


def _frames(
    model: Model,
    q: Array,
    v: Array,
    rates: Array,
    arithmetic: Arithmetic,
    base: Jet | None = None,
) -> list[Jet]:
    """Every body's axes as seen from the inertial frame, in the order of the bodies."""
    return frames_along(model, _paths(model, q, v, rates), len(v), arithmetic, base)


def frames_along(
    model: Model,
    paths: dict[str, Jet],
    motions: int,
    arithmetic: Arithmetic,
    base: Jet | None = None,
) -> list[Jet]:
    """Every body's axes where each hinge's coordinates go along its path."""
    frames = {GROUND: grounded(base, motions)}
    for joint in joints(model):
        hinge = next(hinge for hinge in model.hinges if joint.tip in hinge.ends)
        across = _across(model, hinge, paths[hinge.name], arithmetic)
        if joint.tip == hinge.ends[0]:
            across = _inverse(across)
        root = _steady(_point_frame(model, joint.root, arithmetic), motions)
        tip = _steady(_point_frame(model, joint.tip, arithmetic), motions)
        frames[joint.tip.body] = frames[joint.root.body] @ root @ across @ _inverse(tip)
    return [frames[body.name] for body in model.bodies]


def grounded(base: Jet | None, count: int) -> Jet:
    """The ground's motion: the base's in the first of so many motions, none in the others."""
    if base is None:
        return _steady(np.eye(4, dtype=int), count)
    still = np.zeros((count - 1, 4, 4), dtype=int)
    return Jet(base.x, np.vstack([base.d, still]), np.vstack([base.dd, still]))


def _paths(model: Model, q: Array, v: Array, rates: Array) -> dict[str, Jet]:
    """Each hinge's coordinates as functions of time, given speeds and their derivatives."""
    paths, place, speed = {}, 0, 0
    for hinge in model.hinges:
        record = HINGE_KINDS[model.dimension][hinge.kind]
        coordinates, speeds = record.coordinates, record.speeds
        own = slice(speed, speed + speeds)
        here = q[place : place + coordinates]
        paths[hinge.name] = _path(here, v[:, own], rates[:, own])
        place, speed = place + coordinates, speed + speeds
    return paths


def _path(q: Array, v: Array, rates: Array) -> Jet:
    if len(q) == 4:
        return _turning(q, v, rates)
    if len(q) == 7:
        turn = _turning(q[3:], v[:, 3:], rates[:, 3:])
        A = _attitude(turn)
        flown, speed = v[:, :3, None], rates[:, :3, None]
        d = (A.x[:3, :3] @ flown)[..., 0]
        dd = (A.d[:, :3, :3] @ flown + A.x[:3, :3] @ speed)[..., 0]
        return Jet(q, np.hstack([d, turn.d]), np.hstack([dd, turn.dd]))
    return Jet(q, v, rates)


def _turning(Q: Array, spin: Array, rates: Array) -> Jet:
    """dQ/dt = Q ∘ (0, ω) / 2, with ω in the child's axes."""
    still = np.zeros((len(spin), 1), dtype=int)
    omega, alpha = np.hstack([still, spin]), np.hstack([still, rates])
    d = omega @ _left(Q) / 2
    dd = (omega[:, None, :] @ _left(d))[:, 0, :] / 2 + alpha @ _left(Q) / 2
    return Jet(Q, d, dd)


def _left(Q: Array) -> Array:
    """The matrix that a row is multiplied by to give Q ∘ row."""
    return np.tensordot(Q, PRODUCT, 1)


def _right(Q: Array) -> Array:
    """The matrix that a row is multiplied by to give row ∘ Q."""
    return np.tensordot(Q, PRODUCT.swapaxes(0, 1), 1)


def _attitude(Q: Jet) -> Jet:
    """The turn e → Q ∘ e ∘ Q* / |Q|² as a transform."""
    square = Q.x @ Q.x
    images = Q.through(_left) @ Q.through(lambda x: _right(x * np.array([1, -1, -1, -1])))
    order = np.array([1, 2, 3, 0])
    return images.through(lambda M: M.swapaxes(-1, -2)[..., order[:, None], order] / square)


def _across(model: Model, hinge: Hinge, path: Jet, arithmetic: Arithmetic) -> Jet:
    """The child's point frame as seen from the parent's."""
    pose = _steady(np.eye(4, dtype=int), len(path.d))
    if hinge.kind == "rack":
        radius = _number(model, hinge.radius, arithmetic)
        pose = pose @ _step("x", path.through(lambda q: radius * q.T[0]), arithmetic)
    for k, step in enumerate(STEPS[model.dimension, hinge.kind]):
        pose = pose @ _step(step, path.through(lambda q, k=k: q.T[k]), arithmetic)
    if hinge.kind == "helical":
        pitch = _number(model, hinge.pitch, arithmetic)
        pose = pose @ _step("z", path.through(lambda q: pitch * q.T[0]), arithmetic)
    if len(path.x) >= 4:
        pose = pose @ _attitude(path.through(lambda q: q[..., -4:]))
    return pose


def _step(step: str, by: Jet, arithmetic: Arithmetic) -> Jet:
    """A shift along x, y, z, or a turn about them (a, b, c): E + sin φ K + (1 − cos φ) K²."""
    K = np.zeros((4, 4), dtype=int)
    E = np.eye(4, dtype=int)
    d, dd = by.d[:, None, None], by.dd[:, None, None]
    if step in "xyz":
        K["xyz".index(step), 3] = 1
        return Jet(E + by.x * K, d * K, dd * K)
    second, third = [(1, 2), (2, 0), (0, 1)]["abc".index(step)]
    K[third, second], K[second, third] = 1, -1
    s, c = arithmetic.sin(by.x), arithmetic.cos(by.x)
    first = c * K + s * (K @ K)
    return Jet(E + s * K + (1 - c) * (K @ K), d * first, dd * first + d * d * (c * (K @ K) - s * K))


def _inverse(pose: Jet) -> Jet:
    """S of T S = 1: S' = −S T' S, S'' = −S T'' S + 2 S T' S T' S."""
    T = pose.x
    S = np.eye(4, dtype=int) + 0 * T
    S[:3, :3] = T[:3, :3].T
    S[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    turned = S @ pose.d @ S
    return Jet(S, -turned, 2 * (turned @ pose.d @ S) - S @ pose.dd @ S)


def _steady(pose: Array, motions: int) -> Jet:
    still = np.zeros((motions, 4, 4), dtype=int)
    return Jet(pose, still, still)


def _axial(W: Array) -> Array:
    """The vector of the skew part: w with w × r = W r."""
    pairs = ((2, 1), (0, 2), (1, 0))
    return np.stack([(W[..., i, k] - W[..., k, i]) / 2 for i, k in pairs], axis=-1)


def _array(values: Sequence[Any] | Array, arithmetic: Arithmetic) -> Array:
    """Numbers in the arithmetic; those that already are stay as they are."""
    known = [
        arithmetic.number(Fraction(x)) if isinstance(x, int | float) else x
        for x in np.asarray(values).tolist()
    ]
    return np.array(known, dtype=arithmetic.dtype)


def _number(model: Model, quantity: Any, arithmetic: Arithmetic) -> Any:
    return arithmetic.number(model.exact(quantity))


def _place(model: Model, vector: Sequence[Any], arithmetic: Arithmetic) -> Array:
    """Three components, the third zero in the plane."""
    own = [_number(model, x, arithmetic) for x in vector]
    return np.array([*own, *[arithmetic.number(Fraction(0))] * (3 - len(own))])


def _inertia(model: Model, k: int, arithmetic: Arithmetic) -> Array:
    given = model.bodies[k].inertia
    if isinstance(given, tuple):
        return np.array([[_number(model, x, arithmetic) for x in row] for row in given])
    return np.diag([0, 0, 1]) * _number(model, given, arithmetic)


def _point_frame(model: Model, end: End, arithmetic: Arithmetic) -> Array:
    """The point's axes and place in the body's (the ground's: inertial, origin if not placed)."""
    frame = np.eye(4, dtype=arithmetic.dtype)
    if end.body == GROUND:
        placed = [point for point in model.ground if point.name == end.point]
        if not placed:
            return frame
        point = placed[0]
    else:
        point = model.body(end.body).point(end.point)
    frame[:3, 3] = _place(model, point.position, arithmetic)
    if isinstance(point.axes, tuple):
        frame[:3, :3] = [[_number(model, x, arithmetic) for x in row] for row in point.axes]
    elif point.axes is not None:
        angle = _number(model, point.axes, arithmetic)
        turn = _step("c", Jet(angle, np.zeros(1, dtype=int), np.zeros(1, dtype=int)), arithmetic)
        frame[:3, :3] = turn.x[:3, :3]
    return frame
