"""Models with closed loops, consistent in place and speed by construction or by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import random_models
from independent.joints import poses
from independent.loops import HELD, loop_motion

from mstmm.model import GROUND, Body, End, Hinge, Model, Point

CUTTABLE = {
    2: ("pin", "prismatic", "slot", "fixed"),
    3: ("ball", "planar", "cylindrical", "universal", "revolute", "prismatic", "fixed"),
}


def bar(name: str, length: float, dimension: int = 2) -> Body:
    """A uniform bar along its first axis, from point a to point b."""
    moment = length**2 / 12
    if dimension == 2:
        points = (Point("a", (0, 0)), Point("b", (length, 0)))
        return Body(name, length, length * moment, (length / 2, 0), points)
    axes = ((1.0, 0.0, 0.0), (0.0, 0.8, -0.6), (0.0, 0.6, 0.8))
    inertia = tuple(
        tuple(length * (moment + 0.01) if i == j else 0.0 for j in range(3)) for i in range(3)
    )
    points = (Point("a", (0, 0, 0), axes), Point("b", (length, 0, 0), axes))
    return Body(name, length, inertia, (length / 2, 0, 0), points)


def four_bar(dimension: int = 2, kinds: Sequence[str] = ("pin",) * 4) -> Model:
    """Bars of 1, 2 and 1.5 m; pivots 2 m apart; all axes parallel."""
    names = ("1", "2", "3")
    ends = [End(GROUND, "O")]
    for name in names:
        ends += [End(name, "a"), End(name, "b")]
    ends.append(End(GROUND, "P"))
    hinges = tuple(
        Hinge(letter, kind, (first, second))
        for letter, kind, first, second in zip("ABCD", kinds, ends[::2], ends[1::2], strict=True)
    )
    lengths = (1.0, 2.0, 1.5)
    still = (0.0,) * (dimension - 2)
    axes = bar("1", 1.0, dimension).point("a").axes
    return Model(
        "four-bar",
        dimension,
        tuple(bar(name, length, dimension) for name, length in zip(names, lengths, strict=True)),
        hinges,
        (0.0, -9.81, *still),
        absolute=False,
        ground=(Point("O", (0.0, 0.0, *still), axes), Point("P", (2.0, 0.0, *still), axes)),
    )


def slider_crank() -> Model:
    """A crank of 0.5 m, a rod of 1.5 m, a slider along x on the ground."""
    slider = Body("3", 0.7, 0.02, (0, 0), (Point("a", (0, 0)), Point("b", (0, 0))))
    return Model(
        "slider-crank",
        2,
        (bar("1", 0.5), bar("2", 1.5), slider),
        (
            Hinge("A", "pin", (End(GROUND, "O"), End("1", "a"))),
            Hinge("B", "pin", (End("1", "b"), End("2", "a"))),
            Hinge("C", "pin", (End("3", "b"), End("2", "b"))),
            Hinge("D", "prismatic", (End(GROUND, "Q"), End("3", "a"))),
        ),
        (0.0, -9.81),
        absolute=False,
        ground=(Point("Q", (0.2, 0.1)),),
    )


def loop_model(
    rng: Random,
    dimension: int,
    bodies: int,
    loops: int,
    kinds: Sequence[str] | None = None,
    grounded: bool = False,
) -> Model:
    """A random tree that further hinges close; consistent in place at `q0`, at rest.

    Each closing hinge joins two bodies, or a body and the ground, at points made to fit.
    """
    tree = random_models.joint_tree(rng, dimension, None, bodies)
    at = poses(tree, tree.q0)
    names = [body.name for body in tree.bodies]
    points: dict[str, list[Point]] = {name: [] for name in [GROUND, *names]}
    hinges = list(tree.hinges)
    for number in range(loops):
        first = GROUND if grounded or len(names) < 2 else rng.choice([GROUND, *names])
        second = rng.choice([name for name in names if name != first])
        place = np.eye(4)
        place[:3, 3] = [rng.uniform(-1, 1) for _ in range(dimension)] + [0.0] * (3 - dimension)
        place[:3, :3] = _turned(rng, dimension)
        ends = []
        for name in (first, second):
            frame = np.eye(4) if name == GROUND else at[names.index(name)]
            own = np.linalg.inv(frame) @ place
            points[name].append(_point(f"cut{number}", own, dimension))
            ends.append(End(name, f"cut{number}"))
        kind = rng.choice(kinds or CUTTABLE[dimension])
        hinges.append(Hinge(f"cut{number}", kind, tuple(ends)))
    model = replace(
        tree,
        name="loops",
        bodies=tuple(replace(b, points=(*b.points, *points[b.name])) for b in tree.bodies),
        hinges=tuple(hinges),
        cuts=tuple(f"cut{number}" for number in range(loops)),
        ground=tuple(points[GROUND]),
        v0=(),
    )
    rows = loop_motion(model, model.q0, np.zeros(len(model.speeds))).jacobian
    for cut in model.hinges[-loops:]:
        count = len(HELD[dimension, cut.kind])
        if np.abs(rows[:count]).max() < 1e-9:  # between bodies that do not move at all
            return loop_model(rng, dimension, bodies, loops, kinds, grounded)
        rows = rows[count:]
    return model


def _turned(rng: Random, dimension: int) -> np.ndarray:
    if dimension == 3:
        turn = np.linalg.qr([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)])[0]
        return turn * np.linalg.det(turn)
    angle = rng.uniform(-3, 3)
    turn = np.eye(3)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return turn


def _point(name: str, frame: np.ndarray, dimension: int) -> Point:
    place = tuple(float(x) for x in frame[:dimension, 3])
    if dimension == 2:
        return Point(name, place, float(np.arctan2(frame[1, 0], frame[0, 0])))
    return Point(name, place, tuple(tuple(float(x) for x in row) for row in frame[:3, :3]))


def allowed_speeds(rng: Random, jacobian: np.ndarray, size: float = 2.0) -> np.ndarray:
    """Random speeds that the conditions allow."""
    _, s, rows = np.linalg.svd(np.asarray(jacobian, dtype=float))
    rank = int((s > 1e-9 * max(s[0], 1e-300)).sum()) if len(s) else 0
    free = rows[rank:]
    return free.T @ np.array([rng.uniform(-size, size) for _ in free])
