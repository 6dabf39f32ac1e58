"""Random trees: one generator, driven by a seed or by Hypothesis.

Hypothesis drives it through `st.randoms`, so that a failing model shrinks. What is random: the
topology, the names, the order of bodies, points and hinge ends, whether free points exist, how
quantities are written (numbers or expressions in parameters), masses, inertias, points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

import hypothesis.strategies as st
import numpy as np
import sympy as sp
from independent.tree import joints

from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import Matrix, Quantity, Vector, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: Names that would clash with something if they were pasted into a program as they are.
AWKWARD_NAMES = ("I", "E", "S", "N", "pi", "for", "int", "lambda", "q", "v", "out", "00", "1e5")

PARAMETERS = {"m": 1.25, "g": 9.81}


@dataclass
class _Sketch:
    """A tree being drawn: body → parent, and the number of inputs that a body still offers."""

    parent: dict[int, int | None] = field(default_factory=dict)

    def add(self, parent: int | None) -> int:
        self.parent[len(self.parent)] = parent
        return len(self.parent) - 1

    def chain(self, parent: int | None, length: int) -> int | None:
        for _ in range(length):
            parent = self.add(parent)
        return parent

    def children(self, body: int) -> list[int]:
        return [child for child, parent in self.parent.items() if parent == body]


def _topology(rng: Random, limit: int) -> _Sketch:
    """A root chain, then bodies of 2–4 inputs whose branches are chains, branching again."""
    sketch = _Sketch()
    if limit < 3 or rng.random() < 0.1:
        sketch.chain(None, limit)
        return sketch
    start = sketch.chain(None, rng.randint(0, min(3, limit - 3)))
    branching = [sketch.add(start)]
    while branching:
        body = branching.pop(0)
        for _ in range(rng.randint(2, 4)):
            room = limit - len(sketch.parent)
            if room < 1:
                return sketch
            length = rng.randint(1, min(4, room))
            last = sketch.chain(body, length)
            if last is not None and limit - len(sketch.parent) >= 2 and rng.random() < 0.4:
                branching.append(last)
    return sketch


def planar_tree(rng: Random, bodies: int | None = None) -> Model:
    """A planar tree of pinned general bodies, at most `bodies` (3–20 if not given)."""
    return _tree(rng, 2, rng.randint(3, 20) if bodies is None else bodies)


def spatial_tree(rng: Random, bodies: int | None = None) -> Model:
    """A spatial ball-jointed tree of general bodies, at most `bodies` (2–8 if not given)."""
    return _tree(rng, 3, rng.randint(2, 8) if bodies is None else bodies)


def tree_of(dimension: int, inputs: tuple[int, ...], seed: int) -> Model:
    """A random tree whose bodies have that many inputs, level by level from the ground."""
    build = planar_tree if dimension == 2 else spatial_tree
    for attempt in count(1000 * seed):
        model = build(Random(attempt), len(inputs))
        roots = [joint.root.body for joint in joints(model)]
        if tuple(roots.count(joint.tip.body) for joint in joints(model)) == inputs:
            return model
    raise AssertionError


def joint_tree(
    rng: Random, dimension: int, kinds: Sequence[str] | None = None, bodies: int | None = None
) -> Model:
    """A tree in joint coordinates: random hinge kinds (of those given), axes, pitches and state.

    At least one hinge moves, whatever the kinds; `bodies` as of `planar_tree`.
    """
    build = planar_tree if dimension == 2 else spatial_tree
    model = build(rng, bodies)
    known = HINGE_KINDS[dimension]
    given = tuple(known) if kinds is None else tuple(kinds)
    drawn = [rng.choice(given) for _ in model.hinges]
    if not any(known[kind].speeds for kind in drawn):
        moving = [kind for kind in given if known[kind].speeds] or [next(iter(known))]
        drawn[rng.randrange(len(drawn))] = rng.choice(moving)
    model = replace(
        model,
        absolute=False,
        bodies=tuple(
            replace(
                body,
                points=tuple(replace(p, axes=_axes(rng, dimension)) for p in body.points),
            )
            for body in model.bodies
        ),
        hinges=tuple(
            replace(hinge, kind=kind, **sized(dimension, kind, _size(rng)))
            for hinge, kind in zip(model.hinges, drawn, strict=True)
        ),
        q0=(),
        v0=(),
    )
    q, v = random_joint_state(rng, model)
    return replace(model, q0=tuple(q), v0=tuple(v))


def random_joint_state(
    rng: Random, model: Model, speed: float = 2.0
) -> tuple[list[float], list[float]]:
    """Joint coordinates up to 2 rad or m, unit quaternions; speeds up to `speed`."""
    q: list[float] = []
    for name in model.coordinates:
        if name.endswith("_Qw"):
            q.extend(_quaternion(rng))
        elif not name.endswith(("_Qx", "_Qy", "_Qz")):
            q.append(rng.uniform(-2.0, 2.0))
    return q, [rng.uniform(-speed, speed) for _ in model.speeds]


def _axes(rng: Random, dimension: int) -> Quantity | Matrix | None:
    """A point's own axes: the body's, a quarter turn of them, or any."""
    choice = rng.random()
    if choice < 0.2:
        return None
    if dimension == 2:
        return sp.pi / rng.choice((-2, 3, 4)) if choice < 0.5 else rng.uniform(-math.pi, math.pi)
    if choice < 0.4:
        cycle, signs = rng.randrange(3), rng.choice(((1, 1, 1), (1, -1, -1), (-1, -1, 1)))
        return tuple(
            tuple(signs[row] if column == (row + cycle) % 3 else 0 for column in range(3))
            for row in range(3)
        )
    w, x, y, z = _quaternion(rng)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + 2 * w * across + 2 * across @ across
    return tuple(tuple(float(entry) for entry in row) for row in turn)


def sized(dimension: int, kind: str, value: Quantity) -> dict[str, Any]:
    """The sizes of a kind of hinge, such as a pitch, all of this value; none if it has none."""
    return {size.name: value for size in HINGE_KINDS[dimension][kind].sizes}


def _size(rng: Random) -> Quantity:
    if rng.random() < 0.3:
        return parameter("m") / rng.choice((-8, 4, 16))
    return rng.uniform(-0.3, 0.3) or 0.3  # a pinion needs a radius


def _tree(rng: Random, dimension: int, limit: int) -> Model:
    sketch = _topology(rng, limit)
    names = _names(rng, len(sketch.parent))
    bodies, output, entry = [], {}, {}
    for index in sketch.parent:
        children = sketch.children(index)
        spare = rng.choice((0, 0, 1, 2)) if children else rng.choice((0, 1))
        points = _names(rng, 1 + len(children) + spare)
        output[index] = End(names[index], points[0])
        entry.update(
            {
                child: End(names[index], name)
                for child, name in zip(children, points[1:], strict=False)
            }
        )
        bodies.append(_body(rng, dimension, names[index], points))
    hinges = []
    hinge_names = _names(rng, len(sketch.parent))
    for index, parent in sketch.parent.items():
        root = (
            End(GROUND, rng.choice(("O", "ceiling", "I1", "0"))) if parent is None else entry[index]
        )
        ends = (output[index], root) if rng.random() < 0.5 else (root, output[index])
        hinges.append(Hinge(hinge_names[index], "pin" if dimension == 2 else "ball", ends))
    rng.shuffle(bodies)
    rng.shuffle(hinges)
    q, v = random_state(rng, dimension, len(bodies))
    return Model(
        name="random",
        dimension=dimension,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=_gravity(rng, dimension),
        parameters=PARAMETERS,
        q0=tuple(q),
        v0=tuple(v),
        absolute=True,
    )


def _names(rng: Random, count: int) -> list[str]:
    awkward = list(AWKWARD_NAMES)
    rng.shuffle(awkward)
    pool = [str(number) for number in range(1, count + 1)] + awkward[: rng.randint(0, 3)]
    rng.shuffle(pool)
    return pool[:count]


def _gravity(rng: Random, dimension: int) -> Vector:
    if rng.random() < 0.5:
        return (*(sp.Integer(0),) * (dimension - 1), -parameter("g"))
    return _vector(rng, dimension, 10.0)


def _vector(rng: Random, dimension: int, reach: float = 0.6) -> tuple[float, ...]:
    return tuple(rng.uniform(-reach, reach) for _ in range(dimension))


def _body(rng: Random, dimension: int, name: str, points: list[str]) -> Body:
    mass = rng.uniform(0.3, 3.0)
    given: Quantity = mass
    if rng.random() < 0.3:
        ratio = rng.randint(1, 9)
        given, mass = parameter("m") * ratio / 4, PARAMETERS["m"] * ratio / 4
    if dimension == 2:
        inertia: Quantity | tuple[Vector, ...] = mass * rng.uniform(0.15, 0.5) ** 2
    else:
        inertia = tensor(rng, mass)
    places = [Point(point, _vector(rng, dimension)) for point in points]
    rng.shuffle(places)
    return Body(name, given, inertia, _vector(rng, dimension, 0.4), tuple(places))


def tensor(rng: Random, mass: float) -> tuple[Vector, ...]:
    """A central inertia tensor: that of some distribution of mass, so a possible one."""
    spread = np.array([_vector(rng, 3, 0.3) for _ in range(4)])
    second = mass * (spread.T @ spread / 4 + 0.01 * np.eye(3))
    tensor = np.trace(second) * np.eye(3) - second
    tensor = (tensor + tensor.T) / 2
    return tuple(tuple(float(x) for x in row) for row in tensor)


def random_state(
    rng: Random, dimension: int, bodies: int, speed: float = 2.0
) -> tuple[list[float], list[float]]:
    """Angles anywhere (or unit quaternions), rates up to `speed` rad/s."""
    if dimension == 2:
        q = [rng.uniform(-math.pi, math.pi) for _ in range(bodies)]
        return q, [rng.uniform(-speed, speed) for _ in range(bodies)]
    q = [x for _ in range(bodies) for x in _quaternion(rng)]
    return q, [rng.uniform(-speed, speed) for _ in range(3 * bodies)]


def _quaternion(rng: Random) -> list[float]:
    raw = [rng.uniform(-1.0, 1.0) for _ in range(4)]
    norm = math.sqrt(sum(x * x for x in raw))
    return [x / norm for x in raw] if norm > 1e-3 else [1.0, 0.0, 0.0, 0.0]


def random_wrenches(rng: Random, model: Model, size: float = 5.0) -> np.ndarray:
    """External force and couple on each body, inertial axes; (bodies, 3 or 6)."""
    width = 3 if model.dimension == 2 else 6
    return np.array([[rng.uniform(-size, size) for _ in range(width)] for _ in model.bodies])


def planar_trees(largest: int = 20) -> st.SearchStrategy[Model]:
    """Hypothesis: planar trees, smaller ones first when shrinking."""
    return st.builds(planar_tree, st.randoms(use_true_random=False), st.integers(1, largest))


def spatial_trees(largest: int = 6) -> st.SearchStrategy[Model]:
    """Hypothesis: spatial ball-jointed trees."""
    return st.builds(spatial_tree, st.randoms(use_true_random=False), st.integers(1, largest))


def trees() -> st.SearchStrategy[Model]:
    """Hypothesis: planar or spatial trees."""
    return st.one_of(planar_trees(), spatial_trees())


def joint_trees(
    dimension: int, kinds: Sequence[str] | None = None, largest: int = 6
) -> st.SearchStrategy[Model]:
    """Hypothesis: trees in joint coordinates, with the hinge kinds given or all."""
    randoms, sizes = st.randoms(use_true_random=False), st.integers(1, largest)
    return st.builds(joint_tree, randoms, st.just(dimension), st.just(kinds), sizes)
