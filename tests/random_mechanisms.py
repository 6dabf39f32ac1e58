"""Random closed mechanisms of four sorts, each at a closed state with speeds that it allows.

What is derived and compiled for one serves all that differ from it in numbers alone: those are its
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import random_models
from independent.joints import poses
from independent.loops import loop_motion, opened
from independent.maximal import frame_of
from loop_models import allowed_speeds, loop_model, point_at

from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import Quantity, parameter

Array = np.ndarray

#: A body of the plane as one of space: the plane's x, along which it slides, becomes the hinge's z.
SLIDING = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class State:
    """A mechanism and a state of it."""

    model: Model
    q: Array
    v: Array


def family(sort: str, seed: int, members: int) -> Iterator[State]:
    """States of so many mechanisms that differ in the values of their parameters."""
    rng = Random(f"{sort} {seed}")
    first = SORTS[sort](rng)
    yield named(first)
    for _ in range(members - 1):
        yield named(_near_level(rng, first) if sort == "near singular" else _varied(rng, first))


def named(state: State) -> State:
    """All numbers of masses, places and axes as parameters."""
    values: dict[str, float] = {}

    def parametric(number: Quantity) -> Quantity:
        name = f"p{len(values)}"
        values[name] = float(state.model.exact(number))
        return parameter(name)

    def place(point: Point) -> Point:
        axes = point.axes
        if isinstance(axes, tuple):
            axes = tuple(tuple(parametric(x) for x in row) for row in axes)
        elif axes is not None:
            axes = parametric(axes)
        return Point(point.name, tuple(parametric(x) for x in point.position), axes)

    def inertia(given: Quantity | tuple[tuple[Quantity, ...], ...]) -> object:
        if not isinstance(given, tuple):
            return parametric(given)
        upper = {(i, j): parametric(given[i][j]) for i in range(3) for j in range(i, 3)}
        return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(3)) for i in range(3))

    bodies = tuple(
        Body(
            body.name,
            parametric(body.mass),
            inertia(body.inertia),
            tuple(parametric(x) for x in body.centre),
            tuple(place(point) for point in body.points),
        )
        for body in state.model.bodies
    )
    model = replace(
        state.model,
        bodies=bodies,
        ground=tuple(place(point) for point in state.model.ground),
        gravity=tuple(parametric(x) for x in state.model.gravity),
        q0=(),
        v0=(),
        parameters=values,
    )
    return replace(state, model=model)


def _varied(rng: Random, state: State) -> State:
    """Other masses, centres and points, another place: it closes by the cuts' children's points."""
    model = state.model
    before = _pieces(model, state.q)
    closing = {end for x in model.hinges if x.name in model.cuts for end in x.ends}

    def moved(point: Point, body: str) -> Point:
        if End(body, point.name) in closing:
            return point
        flat = len(point.position) - (model.name == "lifted")
        shift = [rng.uniform(-0.3, 0.3) if i < flat else 0.0 for i in range(len(point.position))]
        place = (float(model.exact(x)) + y for x, y in zip(point.position, shift, strict=True))
        return replace(point, position=tuple(place))

    bodies = []
    for body in model.bodies:
        scale, mass = rng.uniform(0.5, 2.0), float(model.exact(body.mass))
        inertia = body.inertia
        if isinstance(inertia, tuple):
            inertia = tuple(tuple(float(model.exact(x)) * scale for x in row) for row in inertia)
        else:
            inertia = float(model.exact(inertia)) * scale
        centre = tuple(float(model.exact(x)) + rng.uniform(-0.1, 0.1) for x in body.centre)
        points = tuple(moved(point, body.name) for point in body.points)
        bodies.append(Body(body.name, mass * scale, inertia, centre, points))
    model = replace(model, bodies=tuple(bodies))
    q, _ = random_models.random_joint_state(rng, opened(model))
    after = _pieces(model, np.array(q))
    for hinge in (x for x in model.hinges if x.name in model.cuts):
        parent, child = hinge.ends
        seen = np.linalg.inv(before[parent]) @ before[child]
        body = after[child] @ np.linalg.inv(frame_of(model, child))
        local = np.linalg.inv(body) @ after[parent] @ seen
        model = _with_point(model, child, point_at(child.point, local, model.dimension))
    return _state(rng, replace(model, q0=tuple(q)))


def _pieces(model: Model, q: Array) -> dict[End, Array]:
    """Where the ends of cut hinges are."""
    at = dict(zip((x.name for x in model.bodies), poses(opened(model), q), strict=True))
    ends = [end for x in model.hinges if x.name in model.cuts for end in x.ends]
    return {
        end: (np.eye(4) if end.body == GROUND else at[end.body]) @ frame_of(model, end)
        for end in ends
    }


def _with_point(model: Model, end: End, point: Point) -> Model:
    def put(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple(point if x.name == end.point else x for x in points)

    if end.body == GROUND:
        return replace(model, ground=put(model.ground))
    bodies = (replace(x, points=put(x.points)) if x.name == end.body else x for x in model.bodies)
    return replace(model, bodies=tuple(bodies))


def _near_level(rng: Random, state: State) -> State:
    """Another parallelogram with as many posts, in space if the first is."""
    return near_singular(rng, len(state.model.cuts) + 1, state.model.dimension)


def single(rng: Random) -> State:
    """One loop, of any kinds of hinges; many of those in space are redundant."""
    return _state(rng, _drawn(rng, rng.choice([2, 3]), 1))


def nested(rng: Random) -> State:
    """Two or three loops that share bodies."""
    return _state(rng, _drawn(rng, rng.choice([2, 2, 3]), rng.randint(2, 3)))


def overconstrained(rng: Random) -> State:
    """Loops of the plane, in space: three conditions of each follow from the others."""
    return _state(rng, lifted(rng, _drawn(rng, 2, rng.choice([1, 1, 1, 2]))))


def near_singular(rng: Random, posts: int = 0, dimension: int = 0) -> State:
    """A parallelogram of two or three posts near the position where all its bars lie level."""
    posts, x = posts or rng.randint(2, 3), 10 ** rng.uniform(-2.5, -0.5) * rng.choice([-1, 1])
    model = parallelogram(rng, posts, x)
    along = np.array([1.0 if name.startswith("qpost") else -1.0 for name in model.coordinates])
    model = lifted(rng, model) if (dimension or rng.choice([2, 3])) == 3 else model
    return State(model, np.array(model.q0), rng.uniform(0.5, 3) * along)


SORTS = {
    "single": single,
    "nested": nested,
    "overconstrained": overconstrained,
    "near singular": near_singular,
}


def _state(rng: Random, model: Model) -> State:
    q = np.array(model.q0)
    still = loop_motion(model, q, np.zeros(len(model.speeds)))
    return State(model, q, allowed_speeds(rng, still.jacobian, still.opening))


def _drawn(rng: Random, dimension: int, loops: int) -> Model:
    kinds = {2: ["pin", "prismatic"], 3: ["revolute", "prismatic", "ball", "universal"]}[dimension]
    model, _ = loop_model(rng, dimension, rng.randint(2, 5), loops, kinds, within=kinds)
    return model


def lifted(rng: Random, model: Model) -> Model:
    """A model of the plane in space, with gravity and inertias of space."""
    kinds = {"pin": "revolute", "prismatic": "prismatic"}
    sliding = {end for x in model.hinges if x.kind == "prismatic" for end in x.ends}
    bodies = []
    for body in model.bodies:
        points = tuple(_lifted(model, x, End(body.name, x.name) in sliding) for x in body.points)
        mass = float(model.exact(body.mass))
        centre = (*body.centre, rng.uniform(-0.2, 0.2))
        bodies.append(
            replace(body, inertia=random_models.tensor(rng, mass), centre=centre, points=points)
        )
    at_ground = {end.point for x in model.hinges for end in x.ends if end.body == GROUND}
    placed = {point.name for point in model.ground}
    ground = (*model.ground, *(Point(x, (0, 0)) for x in sorted(at_ground - placed)))
    return replace(
        model,
        name="lifted",
        dimension=3,
        bodies=tuple(bodies),
        hinges=tuple(replace(x, kind=kinds[x.kind]) for x in model.hinges),
        ground=tuple(_lifted(model, x, End(GROUND, x.name) in sliding) for x in ground),
        gravity=tuple(rng.uniform(-10, 10) for _ in range(3)),
    )


def _lifted(model: Model, point: Point, slides: bool) -> Point:
    angle = float(model.exact(point.axes)) if point.axes is not None else 0.0
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    axes = axes @ SLIDING if slides else axes
    rows = tuple(tuple(float(x) for x in row) for row in axes)
    return Point(point.name, (*point.position, 0), rows)


def parallelogram(rng: Random, posts: int, angle: float) -> Model:
    """Posts of one length, any masses and feet, whose ends beams join that are level."""
    length = rng.uniform(0.5, 1.5)
    gaps = [rng.uniform(0.5, 2.0) for _ in range(posts - 1)]
    feet = np.concatenate([[0.0], np.cumsum(gaps)])
    bodies, hinges = [], []
    for i in range(posts):
        points = (Point("a", (0.0, 0.0)), Point("b", (length, 0.0)), Point("c", (length, 0.0)))
        bodies.append(_bar(rng, f"post{i}", length, points))
        hinges.append(Hinge(f"post{i}", "pin", (End(GROUND, f"G{i}"), End(f"post{i}", "a"))))
    for i, gap in enumerate(gaps):
        points = (Point("a", (0.0, 0.0)), Point("b", (gap, 0.0)))
        bodies.append(_bar(rng, f"beam{i}", gap, points))
        hinges.append(Hinge(f"left{i}", "pin", (End(f"post{i}", "c"), End(f"beam{i}", "a"))))
        hinges.append(Hinge(f"right{i}", "pin", (End(f"post{i + 1}", "b"), End(f"beam{i}", "b"))))
    model = Model(
        name="parallelogram",
        dimension=2,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=(rng.uniform(-10, 10), rng.uniform(-10, 10)),
        parameters={},
        absolute=False,
        cuts=tuple(f"right{i}" for i in range(posts - 1)),
        ground=tuple(Point(f"G{i}", (float(x), 0.0)) for i, x in enumerate(feet)),
    )
    signs = (1.0 if name.startswith("qpost") else -1.0 for name in model.coordinates)
    return replace(model, q0=tuple(angle * x for x in signs))


def _bar(rng: Random, name: str, length: float, points: tuple[Point, ...]) -> Body:
    mass = rng.uniform(0.3, 3.0)
    centre = (rng.uniform(0.3, 0.7) * length, rng.uniform(-0.1, 0.1))
    return Body(name, mass, mass * length**2 * rng.uniform(0.05, 0.15), centre, points)
