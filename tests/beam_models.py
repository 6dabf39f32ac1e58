"""Random planar trees and loops of rigid bodies and beams."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import sympy as sp
from random_models import sized

import mstmm
from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.plans.plan import plan

KINDS = tuple(HINGE_KINDS[2])


def beam_tree(
    rng: Random,
    elements: int = 4,
    kinds: tuple[str, ...] = KINDS,
    beams: float = 0.6,
    most: int = 3,
) -> Model:
    """A tree with one beam at least; its ends, its middle and other places carry hinges."""
    names = [str(k) for k in range(1, elements + 1)]
    rng.shuffle(names)
    is_beam = [rng.random() < beams for _ in names]
    is_beam[rng.randrange(elements)] = True
    parents = [None if k == 0 or rng.random() < 0.1 else rng.randrange(k) for k in range(elements)]
    points: list[list[str]] = [[] for _ in names]
    hinges = []
    for k, parent in enumerate(parents):
        points[k].append(f"P{k}")
        tip = End(names[k], f"P{k}")
        if parent is None:
            root = End(GROUND, f"G{k}")
        else:
            points[parent].append(f"P{k}")
            root = End(names[parent], f"P{k}")
        hinges.append(_hinge(rng, f"h{k}", rng.choice(kinds), (root, tip)))
    bodies = []
    for k, own in enumerate(points):
        rng.shuffle(own)
        make = _beam if is_beam[k] else _body
        bodies.append(make(rng, names[k], own, most))
    rng.shuffle(bodies)
    rng.shuffle(hinges)
    ground = tuple(
        Point(f"G{k}", (rng.uniform(-1, 1), rng.uniform(-1, 1)), rng.uniform(-3, 3))
        for k, parent in enumerate(parents)
        if parent is None
    )
    return Model(
        name="beam-tree",
        dimension=2,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=(rng.uniform(-3, 3), -parameter("g")),
        parameters={"g": 9.81, "stiff": rng.uniform(50, 300)},
        absolute=False,
        ground=ground,
    )


def beam_loops(rng: Random, elements: int = 3, kind: str = "pin", cuts: int = 1) -> Model:
    """Such a tree, in which elements are joined to each other or to the ground by cut hinges."""
    tree = beam_tree(rng, elements, kinds=("pin", "slot", "prismatic"))
    bodies = {body.name: body for body in tree.bodies}
    ground, hinges = list(tree.ground), list(tree.hinges)
    for k in range(cuts):
        ends = []
        for name in rng.sample([*bodies, GROUND], 2):
            x, y, turn = rng.uniform(0, 1), rng.uniform(-1, 1), rng.choice([None, 0.5])
            if name == GROUND:
                ground.append(Point(f"C{k}", (x, y), turn))
            else:
                body = bodies[name]
                on = (x * tree.value(body.length), 0) if isinstance(body, Beam) else (x, y)
                points = (*body.points, Point(f"C{k}", on, turn))
                bodies[name] = replace(body, points=points)
            ends.append(End(name, f"C{k}"))
        hinges.append(Hinge(f"c{k}", kind, (ends[0], ends[1]), **sized(2, kind, 0.3)))
    return replace(
        tree,
        bodies=tuple(bodies.values()),
        hinges=tuple(hinges),
        ground=tuple(ground),
        cuts=tuple(f"c{k}" for k in range(cuts)),
    )


def beam_loop_on_body(rng: Random) -> tuple[Model, list[float]]:
    """A loop through a beam whose ends come together at a body, and a place where it is closed."""
    while True:
        tree = beam_tree(rng, 5, kinds=("pin", "slot"))
        bending = {body.name for body in tree.bodies if isinstance(body, Beam)}
        of = plan(tree)
        for a, b in combinations([x.name for x in tree.bodies if x.name not in bending], 2):
            ways = {*of.way(a)}, {*of.way(b)}
            if (
                ways[0] & ways[1]
                and not bending & ways[0] & ways[1]
                and bending & (ways[0] ^ ways[1])
            ):
                return _joined(rng, tree, (a, b))


def _joined(rng: Random, tree: Model, ends: tuple[str, str]) -> tuple[Model, list[float]]:
    """The tree with a pin between two bodies, where these are at some place."""
    q, _ = beam_state(rng, tree)
    poses = mstmm.compile(tree, target="numpy").poses(q)
    meeting = np.array([rng.uniform(-1, 1), rng.uniform(-1, 1), 0.0])
    bodies = []
    for body, pose in zip(tree.bodies, poses, strict=True):
        if body.name in ends:
            x, y, _ = pose[:3, :3].T @ (meeting - pose[:3, 3])
            body = replace(body, points=(*body.points, Point("C", (x, y))))
        bodies.append(body)
    cut = Hinge("c", "pin", (End(ends[0], "C"), End(ends[1], "C")))
    return replace(tree, bodies=tuple(bodies), hinges=(*tree.hinges, cut), cuts=("c",)), q


def beam_state(rng: Random, model: Model) -> tuple[list[float], list[float]]:
    """Joint coordinates of order 1, small deformations."""
    q = [rng.uniform(-1, 1) * (0.1 if x.startswith("eta") else 1.0) for x in model.coordinates]
    return q, [rng.uniform(-1, 1) for _ in model.speeds]


def _hinge(rng: Random, name: str, kind: str, ends: tuple[End, End]) -> Hinge:
    count = HINGE_KINDS[2][kind].speeds
    force: tuple[sp.Expr, ...] = ()
    if rng.random() < 0.4:
        force = tuple(
            -parameter("stiff") * hinge_symbol("q", k) - rng.uniform(0, 2) * hinge_symbol("u", k)
            for k in range(1, count + 1)
        )
    turned = ends if rng.random() < 0.5 else ends[::-1]
    return Hinge(name, kind, turned, force=force, **sized(2, kind, 0.3))


def _body(rng: Random, name: str, points: list[str], _: int) -> Body:
    return Body(
        name,
        rng.uniform(0.5, 3),
        rng.uniform(0.1, 1),
        (rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)),
        tuple(
            Point(p, (rng.uniform(-1, 1), rng.uniform(-1, 1)), rng.choice([None, 0.7]))
            for p in points
        ),
    )


def _beam(rng: Random, name: str, points: list[str], most: int) -> Beam:
    length = rng.uniform(0.5, 2)
    axial, bending = 0, 0
    while axial + bending == 0:
        axial, bending = rng.randint(0, most - 1), rng.randint(0, most)
    places = [0.0, length, length / 2]
    rng.shuffle(places)
    places = [rng.uniform(0, length) if rng.random() < 0.2 else x for x in places]
    places += [rng.uniform(0, length) for _ in points]
    return Beam(
        name,
        length=length,
        density=rng.uniform(0.5, 3),
        axial_stiffness=parameter("stiff") * rng.uniform(1, 3),
        bending_stiffness=rng.uniform(20, 100),
        axial=axial,
        bending=bending,
        points=tuple(
            Point(p, (x, 0), rng.choice([None, rng.uniform(-3, 3)]))
            for p, x in zip(points, places, strict=False)
        ),
        damping=rng.choice([0, 0.01]),
        foreshortening=name != "2",
    )
