"""Bodies that two hinges join of which one allows all that the other does: it demands nothing.

Every such pair of kinds, in parallel: with axes turned and points shifted as far as that holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np
import random_mechanisms
import random_models
from independent.joints import poses
from independent.maximal import frame_of
from loop_models import point_at

from mstmm.model import GROUND, Body, End, Hinge, Model, Point

Array = np.ndarray

#: Pitch and radius of the kinds that have one.
SIZE = 0.3

#: By dimension the kinds of hinge, those that allow as much or one motion more in parallel, the
#: axis along which their points are apart, and how the others' axes are turned.
PARALLEL = {
    2: (
        ("pin", "pin slot", None, None),
        ("prismatic", "prismatic slot", 0, None),
        ("slot", "slot", None, None),
        ("rack", "slot rack", None, None),
    ),
    3: (
        ("ball", "ball", None, None),
        ("planar", "planar", 0, None),
        ("slot", "planar slot", None, None),
        ("slot", "planar slot", 2, None),
        ("cylindrical", "cylindrical", 2, None),
        ("universal", "ball universal", None, None),
        ("revolute", "slot cylindrical revolute", None, None),
        ("revolute", "slot cylindrical revolute", 2, None),
        ("revolute", "universal", 2, 2),
        ("prismatic", "cylindrical prismatic", 0, None),
        ("prismatic", "cylindrical prismatic", 2, None),
        ("prismatic", "slot", 1, 1),
        ("helical", "cylindrical helical", None, None),
        ("helical", "cylindrical helical", 2, None),
    ),
}


@dataclass(frozen=True)
class Pair:
    """A kind of hinge, another in parallel, and where its frames stand in those of the first."""

    dimension: int
    kind: str
    other: str
    apart: int | None
    turned: int | None

    @property
    def frame(self) -> Array:
        """The other's frame as seen from the first's, at both bodies."""
        found = np.eye(4)
        if self.turned is not None:
            found[:3, :3] = TURNS[self.turned]
        if self.apart is not None:
            found[self.apart, 3] = 0.7
        return found

    def __str__(self) -> str:
        return f"{self.kind}-{self.other}-{'together' if self.apart is None else 'apart'}"


#: Turned axes: a universal's first along z, a slot's along z.
TURNS = {
    1: np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    2: np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]),
}

PAIRS = tuple(
    Pair(d, kind, other, apart, turned)
    for d, rows in PARALLEL.items()
    for kind, others, apart, turned in rows
    for other in others.split()
)


def _hinge(name: str, kind: str, ends: tuple[End, End]) -> Hinge:
    sizes = {"helical": {"pitch": SIZE}, "rack": {"radius": SIZE}}
    return Hinge(name, kind, ends, **sizes.get(kind, {}))


@dataclass(frozen=True)
class Twice:
    """A model with the other hinge, the same without it, and a state of both."""

    model: Model
    plain: Model
    q: Array
    v: Array


def twice(rng: Random, pair: Pair, *, floating: bool, nested: bool, named: bool = False) -> Twice:
    """Bodies joined by a pair, on the ground or flying; `nested` in a loop that is one.

    `named`: all numbers are run-time parameters.
    """
    d = pair.dimension
    on_ground = not (floating or nested)
    first = _frame(rng, d)
    sides = {"p": (first, first @ pair.frame)}
    own = _frame(rng, d)
    sides["c"] = (own, own @ pair.frame)
    points = {
        side: tuple(point_at(f"{side}{k}", frame, d) for k, frame in enumerate(frames))
        for side, frames in sides.items()
    }
    parent, turning = (GROUND if on_ground else "a"), "pin" if d == 2 else "ball"
    bodies = [_body(rng, d, "b", (*points["c"], point_at("out", _frame(rng, d), d)))]
    hinges = [_hinge("h", pair.kind, (End(parent, "p0"), End("b", "c0")))]
    if not on_ground:
        bodies.insert(0, _body(rng, d, "a", (*points["p"], point_at("in", _frame(rng, d), d))))
        base = "free" if floating and not nested else turning
        hinges.insert(0, Hinge("base", base, (End(GROUND, "O"), End("a", "in"))))
    if nested:
        ends = tuple(point_at(name, _frame(rng, d), d) for name in ("in", "out"))
        bodies.append(_body(rng, d, "c", ends))
        hinges.append(Hinge("tip", turning, (End("b", "out"), End("c", "in"))))
    gravity = tuple(rng.uniform(-6, 6) for _ in range(d))
    ground = points["p"] if on_ground else ()
    plain = Model("plain", d, tuple(bodies), tuple(hinges), gravity, absolute=False, ground=ground)
    q, v = random_models.random_joint_state(rng, plain)
    if nested:
        at = poses(plain, np.array(q))[-1] @ frame_of(plain, End("c", "out"))
        close = Hinge("close", turning, (End(GROUND, "end"), End("c", "out")))
        plain = replace(
            plain,
            ground=(point_at("end", at, d),),
            hinges=(*hinges, close),
            cuts=("close",),
            q0=tuple(q),
        )
    if named:
        state = random_mechanisms.State(plain, np.array(q), np.array(v))
        plain = replace(random_mechanisms.named(state).model, q0=plain.q0)
    other = _hinge("other", pair.other, (End(parent, "p1"), End("b", "c1")))
    model = replace(plain, name="twice", hinges=(*plain.hinges, other), cuts=(*plain.cuts, "other"))
    return Twice(model, plain, np.array(q), np.array(v))


def _frame(rng: Random, dimension: int) -> Array:
    """Random axes at a random place."""
    found = np.eye(4)
    found[:dimension, 3] = [rng.uniform(-0.8, 0.8) for _ in range(dimension)]
    if dimension == 2:
        angle = rng.uniform(-3.0, 3.0)
        found[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    else:
        found[:3, :3] = np.linalg.qr([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)])[0]
        found[:3, :3] *= np.linalg.det(found[:3, :3])
    return found


def _body(rng: Random, dimension: int, name: str, points: tuple[Point, ...]) -> Body:
    mass, centre = rng.uniform(0.5, 3.0), tuple(rng.uniform(-0.3, 0.3) for _ in range(dimension))
    if dimension == 2:
        return Body(name, mass, rng.uniform(0.1, 0.6), centre, points)
    turn = _frame(rng, 3)[:3, :3]
    inertia = turn @ np.diag([rng.uniform(0.3, 0.5) for _ in range(3)]) @ turn.T
    rows = tuple(tuple(float(inertia[min(i, j), max(i, j)]) for j in range(3)) for i in range(3))
    return Body(name, mass, rows, centre, points)
