"""What acts in a model, by virtual power and by tried displacements: no law of force is derived.

Potentials and springs are energies. A tree hinge's generalised force is what its energy gains
in the motion from rest with one speed's derivative one (its second derivative then), negative,
and for dampers their force times that motion. A cut spring's wrench is what its energy gains in
a small motion of one end, negative. Loads are moved to the centres of mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from mstmm.model import GROUND, End, Hinge, Model
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter

from .joints import (
    Jet,
    _array,
    _axial,
    _inverse,
    _place,
    _point_frame,
    _step,
    grounded,
)
from .moving import paths
from .tree import FLOAT, Array

#: Of a complex step: its square is nothing beside one.
TINY = 1e-30


def moving_base(model: Model, t: float) -> Jet | None:
    """The ground's motion at a time, composed of shifts and turns."""
    if model.base is None:
        return None
    d = model.dimension
    still = np.zeros((1, 4, 4))
    pose = Jet(np.eye(4), still, still)
    steps = list(zip("xyz", model.base.position, strict=False))
    names = "c" if d == 2 else "abc"
    steps += reversed(list(zip(names, model.base.angles, strict=False)))
    for step, law in steps:
        exact = sp.sympify(law)
        values = [_value(model, exact.diff(TIME, k), t) for k in range(3)]
        jet = Jet(np.array(values[0]), *(np.array([x]) for x in values[1:]))
        pose = pose @ _step(step, jet, FLOAT)
    return pose


def read(
    model: Model,
    frames: list[Jet],
    base: Jet | None,
    state: tuple[Sequence[float], Sequence[float]],
) -> dict[str, float]:
    """What laws read: coordinates, speeds, sensors and their rates."""
    found = dict(zip((*model.coordinates, *model.speeds), np.concatenate(state), strict=True))
    for sensor in model.sensors:
        at = [seen(model, frames, base, end) for end in sensor.ends]
        (place, rate) = at[0] if len(at) == 1 else (at[1][k] - at[0][k] for k in (0, 1))
        # Points of one hinge are no distance apart, which does not change.
        n = place / max(np.linalg.norm(place), 1e-300)
        n = _place(model, sensor.along, FLOAT) if sensor.along else n
        found |= {sensor.name: n @ place, sensor.rate: n @ rate}
    return found


def seen(model: Model, frames: list[Jet], base: Jet | None, end: End) -> tuple[Array, Array]:
    """Place and velocity of an end."""
    names = [body.name for body in model.bodies]
    own = grounded(base, len(model.speeds) + 1)
    frame = own if end.body == GROUND else frames[names.index(end.body)]
    at = point_place(model, end)
    return (frame.x @ at)[:3], (frame.d[0] @ at)[:3]


def generalised(
    model: Model,
    q: Sequence[float],
    v: Sequence[float],
    t: float,
    known: Mapping[str, float] | None = None,
) -> Array:
    """The generalised forces of laws, potentials and springs in the tree's hinges."""
    speeds = len(model.speeds)
    unit = np.eye(speeds)
    rates = np.vstack([np.zeros((1, speeds)), unit])
    along = paths(
        model, _array(q, FLOAT), np.vstack([v, 0 * unit]), rates, t, np.eye(1, speeds + 1)[0]
    )
    total, place = np.zeros(speeds), 0
    for hinge in model.tree_hinges:
        path = along[hinge.name]
        count = len(model.hinge_speeds(hinge))
        own = slice(place, place + count)
        for k, law in enumerate(hinge.force):
            total[place + k] += _value(model, law, t, path.x, np.asarray(v)[own], known)
        total -= path.dd[1:] @ _slope(model, hinge, path.x, t)
        if hinge.kind == "elastic":
            total += _elastic_power(model, hinge, _pose(path, model.dimension), path)
        place += count
    return total


def tree_energy(model: Model, q: Sequence[float], t: float) -> float:
    """What the tree's hinges store."""
    still = np.zeros((1, len(model.speeds)))
    along = paths(model, _array(q, FLOAT), still, still, t, np.zeros(1))
    total = 0.0
    for hinge in model.tree_hinges:
        path = along[hinge.name]
        total += _value(model, hinge.potential, t, path.x)
        if hinge.kind == "elastic":
            angle = path.x[2] if model.dimension == 2 else None
            total += _energy(model, hinge, _pose(path, model.dimension), angle).x
    return float(total)


def external(
    model: Model,
    frames: list[Jet],
    base: Jet | None,
    t: float,
    state: tuple[Sequence[float], Sequence[float]],
) -> tuple[Array, float]:
    """Moments and forces of loads and cut springs at the centres of mass; what springs store."""
    names = [body.name for body in model.bodies]
    total, stored = np.zeros((len(names), 6)), 0.0

    def push(body: str, point: Array, force: Array, moment: Array) -> None:
        if body != GROUND:
            k = names.index(body)
            centre = frames[k].x @ [*_place(model, model.bodies[k].centre, FLOAT), 1]
            total[k, :3] += moment + np.cross(point - centre[:3], force)
            total[k, 3:] += force

    known = read(model, frames, base, state)
    for load in model.loads:
        k = names.index(load.body)
        body = model.bodies[k]
        place = body.point(load.point).position if load.point else body.centre
        point = (frames[k].x @ [*_place(model, place, FLOAT), 1])[:3]
        force = np.zeros(3)
        force[: len(load.force)] = [_value(model, x, t, known=known) for x in load.force]
        moment = np.zeros(3)
        moment[3 - len(load.moment) :] = [_value(model, x, t, known=known) for x in load.moment]
        turn = frames[k].x[:3, :3] if load.frame == "body" else np.eye(3)
        push(load.body, point, turn @ force, turn @ moment)
    for hinge in model.hinges:
        if hinge.name in model.cuts and hinge.kind == "elastic":
            ends = [_end_frame(model, frames, base, end) for end in hinge.ends]
            force, moment, energy = cut_spring(model, hinge, *ends)
            point = ends[1].x[:3, 3]
            push(hinge.ends[1].body, point, force, moment)
            push(hinge.ends[0].body, point, -force, -moment)
            stored += energy
    pushed, held = between(model, lambda end: seen(model, frames, base, end), t, known)
    for name, at, along in pushed:
        push(name, at, along, np.zeros(3))
    return total, stored + held


def point_place(model: Model, end: End) -> Array:
    """An end's place in its body's axes or the ground's, with a 1 behind."""
    if end.body == GROUND:
        place = model.ground_point(end.point).position
    else:
        body = model.body(end.body)
        place = body.point(end.point).position if end.point else body.centre
    return np.array([*_place(model, place, FLOAT), 1.0])


def between(
    model: Model, seen: Callable[[End], tuple[Array, Array]], t: float, known: Mapping[str, float]
) -> tuple[list[tuple[str, Array, Array]], float]:
    """What forces between points exert, and store: body, point and force in inertial axes.

    `seen` gives an end's position and velocity, `known` the coordinates and speeds by name. The
    tension of what is stored is found by a complex step of the energy.
    """
    found: list[tuple[str, Array, Array]] = []
    stored = 0.0
    values = {parameter(name): float(x) for name, x in model.parameters.items()} | {TIME: t}
    values |= {parameter(name): x for name, x in known.items()}
    heaviside = {"step": lambda x: float(np.real(x) >= 0)}

    def number(law: Any, **more: complex) -> Any:
        given = values | {parameter(name): x for name, x in more.items()}
        return sp.lambdify([*given], sp.sympify(law), [heaviside, "numpy"])(*given.values())

    for force in model.forces:
        here = [seen(end) for end in force.ends]
        if len(here) == 1:
            point, velocity = here[0]
            wind = np.zeros(3)
            wind[: len(force.medium)] = [number(x) for x in force.medium]
            speed = velocity - wind
            factor = number(force.drag) + number(force.quadratic) * np.linalg.norm(speed)
            found.append((force.ends[0].body, point, -factor * speed))
            continue
        (a, va), (b, vb) = here
        length = float(np.linalg.norm(b - a))
        direction = (b - a) / length
        rate = float(direction @ (vb - va))
        shifted = length + 1j * TINY
        energy = number(force.stiffness) * (shifted - number(force.rest)) ** 2 / 2
        energy += number(force.potential, length=shifted)
        if force.mu != 0:
            energy -= number(force.mu) * number(model.body(force.ends[1].body).mass) / shifted
        tension = np.imag(energy) / TINY + number(force.damping) * rate
        tension += number(force.law, length=length, rate=rate)
        stored += float(np.real(energy))
        found.append((force.ends[0].body, a, tension * direction))
        found.append((force.ends[1].body, b, -tension * direction))
    return found, stored


def cut_spring(
    model: Model, hinge: Hinge, a: Jet, b: Jet, angle: float | None = None
) -> tuple[Array, Array, float]:
    """Force and moment on the child at its point, inertial axes, and the energy stored.

    `angle`: the planar angle, if it may have passed half a turn.
    """
    here = Jet(b.x, b.d[:1], b.dd[:1])
    there = Jet(a.x, a.d[:1], a.dd[:1])
    moves = np.zeros((6, 4, 4))
    for k in range(3):
        moves[k, k, 3] = 1
        spin = np.zeros((3, 3))
        spin[(k + 2) % 3, (k + 1) % 3], spin[(k + 1) % 3, (k + 2) % 3] = 1, -1
        moves[3 + k, :3, :3] = spin
        moves[3 + k, :3, 3] = -spin @ b.x[:3, 3]
    none = np.zeros((6, 4, 4))
    tried = _inverse(Jet(a.x, none, none)) @ Jet(b.x, moves @ b.x, none)
    R = tried.x[:3, :3]
    if model.dimension == 2 and angle is None:
        angle = np.arctan2(R[1, 0], R[0, 0])
    energy = _energy(model, hinge, tried, angle)
    wrench = -energy.d
    c = np.array(_padded(model, hinge.damping))
    across = _inverse(there) @ here
    rate, spin = across.d[0, :3, 3], _axial(across.d[0, :3, :3] @ R.T)
    axes = a.x[:3, :3]
    force = wrench[:3] - axes @ (c[:3] * rate)
    moment = wrench[3:] - axes @ (c[3:] * spin)
    return force, moment, float(energy.x)


def _pose(path: Jet, dimension: int) -> Jet:
    """The relative pose in an elastic hinge, of its coordinates."""
    from .joints import _attitude, _steady

    pose = _steady(np.eye(4), len(path.d))
    for k, step in enumerate("xyc" if dimension == 2 else "xyz"):
        pose = pose @ _step(step, path.through(lambda q, k=k: q.T[k]), FLOAT)
    return pose @ _attitude(path.through(lambda q: q[..., 3:])) if dimension == 3 else pose


def _energy(model: Model, hinge: Hinge, pose: Jet, angle: Any) -> Jet:
    """Of the springs: squares of the position, and of a planar angle, or the trace's share."""
    k = _padded(model, hinge.stiffness)
    rest = [model.value(x) for x in hinge.rest] or [0.0] * 3
    x, d, dd = 0.0, np.zeros(len(pose.d)), np.zeros(len(pose.d))
    for i in range(model.dimension):
        p, pd, pdd = pose.x[i, 3] - rest[i], pose.d[:, i, 3], pose.dd[:, i, 3]
        x, d, dd = x + k[i] * p * p / 2, d + k[i] * p * pd, dd + k[i] * (pd * pd + p * pdd)
    R, Rd, Rdd = (T[..., :3, :3] for T in (pose.x, pose.d, pose.dd))
    if model.dimension == 2:
        off = angle - rest[2]
        turn, turning = _axial(Rd @ R.T)[:, 2], _axial(Rdd @ R.T)[:, 2]
        x, d = x + k[5] * off**2 / 2, d + k[5] * off * turn
        dd = dd + k[5] * (turn**2 + off * turning)
    else:
        weights = [[1 if j == i else -1 for j in range(3)] for i in range(3)]
        for i in range(3):
            share = [np.diagonal(M, axis1=-2, axis2=-1) @ weights[i] for M in (R, Rd, Rdd)]
            x = x + k[3 + i] * (1 + share[0]) / 2
            d, dd = d + k[3 + i] * share[1] / 2, dd + k[3 + i] * share[2] / 2
    return Jet(x, d, dd)


def _elastic_power(model: Model, hinge: Hinge, pose: Jet, path: Jet) -> Array:
    """Generalised forces of springs and dampers, from motions at rest with unit accelerations."""
    angle = path.x[2] if model.dimension == 2 else None
    c = np.array(_padded(model, hinge.damping))
    R = pose.x[:3, :3]
    rate, spin = pose.d[0, :3, 3], _axial(pose.d[0, :3, :3] @ R.T)
    shifts, turns = pose.dd[1:, :3, 3], _axial(pose.dd[1:, :3, :3] @ R.T)
    springs = _energy(model, hinge, pose, angle).dd[1:]
    return -springs - shifts @ (c[:3] * rate) - turns @ (c[3:] * spin)


def _padded(model: Model, given: Sequence[Any]) -> list[float]:
    """Six components, of x, y, z and about them."""
    values = [model.value(x) for x in given] or [0.0] * (3 if model.dimension == 2 else 6)
    return [*values[:2], 0.0, 0.0, 0.0, values[2]] if model.dimension == 2 else values


def _slope(model: Model, hinge: Hinge, q: Array, t: float) -> Array:
    """∂V/∂q by complex steps."""
    found = np.zeros(len(q))
    if hinge.potential != 0:
        for k in range(len(q)):
            moved = np.array(q, dtype=complex)
            moved[k] += 1j * TINY
            found[k] = np.imag(_complex(model, hinge.potential, t, moved)) / TINY
    return found


def _complex(
    model: Model,
    law: Any,
    t: float,
    q: Array,
    u: Array | None = None,
    more: Mapping[str, float] | None = None,
) -> Any:
    known: dict[Any, Any] = {parameter(name): x for name, x in (more or {}).items()}
    known |= {parameter(name): float(x) for name, x in model.parameters.items()} | {TIME: t}
    known |= {hinge_symbol("q", k + 1): x for k, x in enumerate(q)}
    known |= {hinge_symbol("u", k + 1): x for k, x in enumerate(() if u is None else u)}
    names = list(known)
    heaviside = {"step": lambda x: float(np.real(x) >= 0)}
    return sp.lambdify(names, sp.sympify(law), modules=[heaviside, "numpy"])(*known.values())


def _value(
    model: Model,
    law: Any,
    t: float,
    q: Any = (),
    u: Any = (),
    known: Mapping[str, float] | None = None,
) -> float:
    return float(np.real(_complex(model, law, t, q, u, known)))


def _end_frame(model: Model, frames: list[Jet], base: Jet | None, end: End) -> Jet:
    from .joints import _steady

    count = len(model.speeds) + 1
    own = _steady(_point_frame(model, end, FLOAT), count)
    names = [body.name for body in model.bodies]
    whole = grounded(base, count) if end.body == GROUND else frames[names.index(end.body)]
    return whole @ own
