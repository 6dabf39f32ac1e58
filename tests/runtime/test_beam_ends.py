"""States of the ends of beams: by differences of the motion, and the balance of momentum."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import beam_models
import mpmath as mp
import numpy as np
import pytest
from compiler import TARGETS
from independent.beams import DIGITS, shape
from independent.tree import Array

import mstmm
from mstmm.model import GROUND, Beam, End, Model, Point
from mstmm.model.parts.bodies import beam_coordinates
from mstmm.runtime.solver import Solver

#: Second differences of a step of 2e-5 s, of beams that swing with some 100 Hz.
STEP = 2e-5
TOLERANCE = 1e-4


class Moving:
    """Places and angles of points before, at and after an instant, from poses and shapes alone."""

    def __init__(self, solver: Solver, q: Array, v: Array) -> None:
        self.solver, self.model = solver, solver.model
        a = solver.accelerations(q, v)
        self.states = [q + t * v + t * t / 2 * a for t in (-STEP, 0.0, STEP)]
        self.poses = [solver.poses(state) for state in self.states]

    def along(self, body: str, position: Array) -> Array:
        """A place in a body, x, y and angle, at the three times."""
        k = self.solver.bodies.index(body)
        found = []
        for state, poses in zip(self.states, self.poses, strict=True):
            slope, place = 0.0, np.array([*position, 0.0, 1.0])
            element = self.model.bodies[k]
            if isinstance(element, Beam):
                at = [self.model.coordinates.index(name) for name in beam_coordinates(element)]
                length = self.model.value(element.length)
                with mp.workdps(DIGITS):
                    eta = np.array([mp.mpf(x) for x in state[at]])
                    found_there = shape(element, mp.mpf(length), mp.mpf(position[0]), eta)
                    u, w, slope = (float(x) for x in found_there)
                place = np.array([position[0] + u, w, 0.0, 1.0])
            angle = np.arctan2(poses[k][1, 0], poses[k][0, 0]) + slope
            found.append([*(poses[k] @ place)[:2], angle])
        return np.array(found)

    def acceleration(self, body: str, position: Array) -> Array:
        before, now, after = self.along(body, position)
        return (before - 2 * now + after) / STEP**2


def place_of(model: Model, point: Point) -> Array:
    return np.array([model.value(x) for x in point.position])


def lacking(moving: Moving, name: str) -> tuple[Array, float]:
    """Moment about the origin and force that a beam needs besides gravity: Gauss points.

    And the largest force on one of them, by which the differences err.
    """
    model = moving.model
    beam = next(body for body in model.bodies if body.name == name)
    assert isinstance(beam, Beam)
    gravity = np.array([model.value(x) for x in model.gravity])
    length, mass = model.value(beam.length), model.value(beam.density) * model.value(beam.length)
    total, largest = np.zeros(3), 0.0
    for node, weight in zip(*np.polynomial.legendre.leggauss(12), strict=True):
        at = np.array([length * (node + 1) / 2, 0.0])
        force = mass * weight / 2 * (moving.acceleration(name, at)[:2] - gravity)
        largest = max(largest, float(np.abs(force).max()))
        x, y, _ = moving.along(name, at)[1]
        total += [x * force[1] - y * force[0], *force]
    return total, largest


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_every_end_of_beams(seed: int, target: str) -> None:
    rng = Random(seed)
    model = beam_models.beam_tree(rng, 3)
    beam = model.beams[0]
    free = Point("free", (model.value(beam.length) * 0.7, 0))
    with_free = Beam(**{**vars(beam), "points": (*beam.points, free)})
    bodies = tuple(with_free if body is beam else body for body in model.bodies)
    model = replace(model, bodies=bodies, q0=(), v0=())
    solver = mstmm.compile(model, target=target)
    q = np.array([rng.uniform(-0.2, 0.2) for _ in model.coordinates])
    v = np.array([rng.uniform(-1, 1) for _ in model.speeds])
    states, moving = solver.end_states(q, v), Moving(solver, q, v)
    places = {}
    for body in model.bodies:
        for point in body.points:
            at = place_of(model, point)
            found = states[f"{body.name}:{point.name}"].acceleration
            expected = moving.acceleration(body.name, at)
            scale = max(1.0, np.abs(expected).max())
            assert np.abs(found[[0, 1, 5]] - expected).max() < TOLERANCE * scale
            places[End(body.name, point.name)] = moving.along(body.name, at)[1][:2]
    for point in model.ground:
        places[End(GROUND, point.name)] = place_of(model, point)

    def acting(name: str, end: End) -> Array:
        sign = {"I": 1, "O": -1}[states[name].side]
        _, _, m, x, y, _ = states[name].load
        at = places[end]
        return np.array([-sign * m + sign * (at[0] * y - at[1] * x), sign * x, sign * y])

    scale = max(1.0, np.abs(states.loads).max())
    for hinge in model.hinges:
        first, second = hinge.ends
        tip = (
            second
            if first.body == GROUND or states.sides[states.ends.index(str(first))] == "I"
            else first
        )
        root = first if tip == second else second
        total = acting(f"hinge {hinge.name}:I", tip) + acting(f"hinge {hinge.name}:O", root)
        assert np.abs(total).max() < 1e-10 * scale
    for own in model.beams:
        total = sum(
            acting(f"{own.name}:{point.name}", End(own.name, point.name)) for point in own.points
        )
        needed, largest = lacking(moving, own.name)
        assert np.abs(total - needed).max() < TOLERANCE * max(scale, largest)
