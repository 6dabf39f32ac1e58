"""Models with closed loops, consistent in place and speed by construction or by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import random_models
import sympy as sp
from independent.joints import poses
from independent.loops import across, held, loop_motion

from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.files import toml
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

CUTTABLE = {
    2: ("pin", "prismatic", "slot", "fixed", "rack"),
    3: (
        "ball",
        "planar",
        "slot",
        "cylindrical",
        "universal",
        "revolute",
        "prismatic",
        "helical",
        "fixed",
    ),
}

#: Kinds without a quaternion, which may be driven.
DRIVEN = {
    2: ("pin", "prismatic", "slot", "free", "rack"),
    3: ("planar", "slot", "cylindrical", "universal", "revolute", "prismatic", "helical"),
}

#: The parameter of the force laws.
PARAMETERS = {"kappa": 0.8}


def law(rng: Random, coordinates: int, speeds: int) -> tuple[sp.Expr, ...]:
    """A force along each speed: springs, dampers, a drive in time and a product."""
    q = [hinge_symbol("q", k + 1) for k in range(coordinates)]
    u = [hinge_symbol("u", k + 1) for k in range(speeds)]

    def amount() -> float:
        return round(rng.uniform(-3, 3), 3)

    return tuple(
        sum((amount() * x for x in (*q, *u)), sp.Integer(0))
        + parameter("kappa") * amount() * q[0] * u[-1]
        + amount() * sp.sin(2 * TIME)
        for _ in range(speeds)
    )


def motion(rng: Random, place: Sequence[float], t: float) -> tuple[sp.Expr, ...]:
    """A prescribed motion that is at `place` at t."""
    found = []
    for x in place:
        one, other = round(rng.uniform(-2, 2), 3), round(rng.uniform(-2, 2), 3)
        moving = one * sp.sin(TIME) + other * TIME**2
        found.append(moving + x - float(moving.subs(TIME, t)))
    return tuple(found)


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


def ladder(stages: int) -> Model:
    """Four-bars of which each hangs on the coupler of the one before."""
    head = ['name = "ladder"', "dimension = 2", "gravity = [0, -9.81]"]
    head.append(f"cuts = {[f'C{i}' for i in range(1, stages + 1)]}")
    head += ["[ground.points]", "l = { position = [0, 0] }", "r = { position = [1, 0] }"]
    bar = 'mass = 1\ninertia = "1/12"\ncentre = [0, "-1/2"]\n'
    bar += "points = { T = {}, D = { position = [0, -1] } }"
    coupler = 'mass = 1\ninertia = "1/12"\ncentre = ["1/2", 0]\n'
    coupler += "points = { l = {}, r = { position = [1, 0] }, "
    coupler += "lo = {}, ro = { position = [1, 0] } }"
    for i in range(1, stages + 1):
        head += [f"[bodies.L{i}]", bar, f"[bodies.R{i}]", bar, f"[bodies.B{i}]", coupler]
    for i in range(1, stages + 1):
        left, right = (f"B{i - 1}:lo", f"B{i - 1}:ro") if i > 1 else ("ground:l", "ground:r")
        for name, parent, child in (
            ("P", left, f"L{i}:T"),
            ("Q", right, f"R{i}:T"),
            ("S", f"L{i}:D", f"B{i}:l"),
            ("C", f"R{i}:D", f"B{i}:r"),
        ):
            head += [f"[hinges.{name}{i}]", 'kind = "pin"']
            head += [f'parent = "{parent}"', f'child = "{child}"']
    return toml.from_text("\n".join(head))


def loop_model(
    rng: Random,
    dimension: int,
    bodies: int,
    loops: int,
    kinds: Sequence[str] | None = None,
    grounded: bool = False,
    acting: str = "",
    t: float = 0.0,
    within: Sequence[str] | None = None,
) -> tuple[Model, dict[str, list[float]]]:
    """A random tree that further hinges close; consistent in place at `q0`, at rest.

    Each closing hinge joins two bodies, or a body and the ground, at points made to fit its
    own coordinates, which are given back. `acting`: `loaded` by a force law or `driven`, then
    at its place at the time t. `kinds` are those of the closing hinges, `within` the tree's.
    """
    tree = random_models.joint_tree(rng, dimension, within, bodies)
    at = poses(tree, tree.q0)
    names = [body.name for body in tree.bodies]
    points: dict[str, list[Point]] = {name: [] for name in [GROUND, *names]}
    hinges = list(tree.hinges)
    own_places: dict[str, list[float]] = {}
    for number in range(loops):
        name = f"cut{number}"
        first = GROUND if grounded or len(names) < 2 else rng.choice([GROUND, *names])
        second = rng.choice([body for body in names if body != first])
        place = np.eye(4)
        place[:3, 3] = [rng.uniform(-1, 1) for _ in range(dimension)] + [0.0] * (3 - dimension)
        place[:3, :3] = _turned(rng, dimension)
        kind = rng.choice(kinds or CUTTABLE[dimension])
        lead = HINGE_KINDS[dimension][kind].lead
        size = round(rng.uniform(0.1, 0.5), 2) if lead else 0
        ends = End(first, name), End(second, name)
        sizes = random_models.sized(dimension, kind, size)
        hinge = Hinge(name, kind, ends if rng.random() < 0.5 else ends[::-1], **sizes)
        own = _own_place(rng, dimension, hinge)
        for end, moved in zip(hinge.ends, (np.eye(4), across(tree, hinge, own)), strict=True):
            frame = np.eye(4) if end.body == GROUND else at[names.index(end.body)]
            local = np.linalg.inv(frame) @ place @ moved
            points[end.body].append(point_at(name, local, dimension))
        if acting == "loaded":
            speeds = HINGE_KINDS[dimension][kind].speeds
            hinge = replace(hinge, force=law(rng, len(own), speeds))
        elif acting == "driven":
            hinge = replace(hinge, motion=motion(rng, own, t))
        own_places[name] = own
        hinges.append(hinge)
    model = replace(
        tree,
        name="loops",
        bodies=tuple(replace(b, points=(*b.points, *points[b.name])) for b in tree.bodies),
        hinges=tuple(hinges),
        cuts=tuple(f"cut{number}" for number in range(loops)),
        ground=tuple(points[GROUND]),
        v0=(),
        parameters={**tree.parameters, **PARAMETERS},
    )
    rows = loop_motion(model, model.q0, np.zeros(len(model.speeds)), at=own_places, t=t).jacobian
    if acting == "driven" and np.linalg.matrix_rank(rows, 1e-3) < len(rows):
        return loop_model(rng, dimension, bodies, loops, kinds, grounded, acting, t, within)
    for cut in model.hinges[-loops:]:
        count = len(held(dimension, cut))
        if count and np.abs(rows[:count]).max() < 1e-9:  # between bodies that do not move at all
            return loop_model(rng, dimension, bodies, loops, kinds, grounded, acting, t, within)
        rows = rows[count:]
    return model, own_places


def _own_place(rng: Random, dimension: int, hinge: Hinge) -> list[float]:
    """Coordinates of a cut hinge: within one turn but for a screw's; w ≥ 0."""
    kind = HINGE_KINDS[dimension][hinge.kind]
    count, reach = kind.coordinates, 20.0 if kind.lead else 1.4
    own = [rng.uniform(-reach, reach) for _ in range(count)]
    if count in (4, 7):
        turn = np.array(own[-4:])
        own[-4:] = (turn / np.linalg.norm(turn) * np.sign(turn[0])).tolist()
    return own


def _turned(rng: Random, dimension: int) -> np.ndarray:
    if dimension == 3:
        turn = np.linalg.qr([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)])[0]
        return turn * np.linalg.det(turn)
    angle = rng.uniform(-3, 3)
    turn = np.eye(3)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return turn


def point_at(name: str, frame: np.ndarray, dimension: int) -> Point:
    """A point with its place and axes."""
    place = tuple(float(x) for x in frame[:dimension, 3])
    if dimension == 2:
        return Point(name, place, float(np.arctan2(frame[1, 0], frame[0, 0])))
    return Point(name, place, tuple(tuple(float(x) for x in row) for row in frame[:3, :3]))


def allowed_speeds(
    rng: Random, jacobian: np.ndarray, opening: np.ndarray | float = 0.0, size: float = 2.0
) -> np.ndarray:
    """Random speeds that the conditions allow, which open so at rest."""
    plain = np.asarray(jacobian, dtype=float)
    _, s, rows = np.linalg.svd(plain)
    rank = int((s > 1e-9 * max(s[0], 1e-300)).sum()) if len(s) else 0
    free = rows[rank:]
    needed = np.linalg.pinv(plain, rcond=1e-9) @ (np.zeros(len(plain)) + opening)
    return free.T @ np.array([rng.uniform(-size, size) for _ in free]) - needed


def scissor(stages: int, *head: str) -> str:
    """Pairs of bars crossed at their middles, each pair on the one below; the first on a pin.

    `head`: lines before the first table.
    """
    text = ['name = "scissor"', "dimension = 2", "gravity = [0, -9.81]", *head]
    text += ["[ground.points]", "o = {}"]
    for i in range(1, stages + 1):
        for side, x in ("a", "1"), ("b", "-1"):
            text += [f"[bodies.{side}{i}]", "mass = 1", 'inertia = "1/6"']
            text += [f'centre = ["{x}/2", "1/2"]', f"[bodies.{side}{i}.points]"]
            text += ["lo = {}", f'mid = {{ position = ["{x}/2", "1/2"] }}']
            text += [f"up = {{ position = [{x}, 1] }}"]
    hinges = [("G", "ground:o", "a1:lo"), ("M1", "a1:mid", "b1:mid")]
    for i in range(2, stages + 1):
        hinges += [
            (f"X{i}", f"b{i - 1}:up", f"a{i}:lo"),
            (f"Y{i}", f"a{i - 1}:up", f"b{i}:lo"),
            (f"M{i}", f"a{i}:mid", f"b{i}:mid"),
        ]
    for name, parent, child in hinges:
        text += [f"[hinges.{name}]", 'kind = "pin"', f'parent = "{parent}"', f'child = "{child}"']
    return "\n".join(text)
