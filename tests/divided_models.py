"""The mechanisms of the divide-and-conquer paper's tests: rods of 1 m and 1 kg in boxes; levers.

The paper's figure is lost; places of the joints are those assumed in the specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from random import Random

from mstmm.model import GROUND, Body, End, Hinge, Model, Point

Place = tuple[float, float]

#: Corners of the boxes at the start, from one point of the ground to the other.
BOX: tuple[Place, ...] = ((-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0))
WIDE: tuple[Place, ...] = (
    *((-2, 0), (-2, -1), (-2, -2), (-1, -2), (0, -2)),
    *((1, -2), (2, -2), (2, -1), (2, 0)),
)
UNDER: tuple[Place, ...] = ((-1, -1), (-1, -2), (0, -2), (1, -2), (1, -1))


def rods(name: str, joints: list[tuple[str, str, Place]], count: int) -> Model:
    """Rods that are joined by pins: (pred, succ, place); of the first ones rod k is the succ.

    The other joints are cut. Joint k is called `jk`; each joint has its own point on a rod.
    """
    starts = {succ: place for _, succ, place in joints[:count]}
    angles, lines = {}, {}
    for body, start in starts.items():
        place = next(place for p, s, place in joints if body in (p, s) and place != start)
        angles[body] = atan2(place[1] - start[1], place[0] - start[0])
        lines[body] = start
    points: dict[str, list[Point]] = {GROUND: [], **{body: [] for body in starts}}
    hinges = []
    for number, (pred, succ, place) in enumerate(joints, start=1):
        for body in (pred, succ):
            at = place if body == GROUND else (float(place != lines[body]), 0.0)
            points[body].append(Point(f"j{number}", at))
        ends = End(pred, f"j{number}"), End(succ, f"j{number}")
        hinges.append(Hinge(f"j{number}", "pin", ends))
    before = {succ: pred for pred, succ, _ in joints[:count]}
    return Model(
        name,
        2,
        tuple(Body(x, 1.0, 1.0, (0.5, 0.0), tuple(points[x])) for x in starts),
        tuple(hinges),
        (0.0, -9.81),
        absolute=False,
        ground=tuple(points[GROUND]),
        cuts=tuple(f"j{k + 1}" for k in range(count, len(joints))),
        q0=tuple(angles[x] - angles.get(before[x], 0.0) for x in starts),
    )


def _chain(places: tuple[Place, ...], names: list[str]) -> list[tuple[str, str, Place]]:
    return [(a, b, place) for a, b, place in zip(names[:-1], names[1:], places, strict=True)]


def case(number: int) -> Model:
    """Case 1, a box of four rods; 2, a box of eight; 3, two boxes of four that share a side."""
    ground = GROUND
    if number < 3:
        places = (BOX, WIDE)[number - 1]
        names = [ground, *map(str, range(1, len(places))), ground]
        return rods(f"case-{number}", _chain(places, names), len(places) - 1)
    first = _chain(BOX, [ground, "1", "2", "3", "4", ground])
    second = _chain(UNDER, ["1", "5", "6", "7", "8", "4"])
    joints = [*first[:-1], *second[:-1], first[-1], second[-1]]
    return rods("case-3", joints, 8)


def row(lever: float, dimension: int = 2, bodies: int = 4) -> Model:
    """Bodies of 1 kg and 0.1 kg m², each between two hinges that are a lever away."""
    flat = (0.0,) * (dimension - 1)
    points = (Point("a", (-lever, *flat)), Point("b", (lever, *flat)))
    inertia = (
        0.1 if dimension == 2 else tuple(tuple(0.1 * (i == j) for j in range(3)) for i in range(3))
    )
    names = [f"body{k}" for k in range(bodies)]
    ends = [End(GROUND, "O"), *(End(name, "b") for name in names)]
    kinds = ["pin"] * bodies if dimension == 2 else ["ball", "revolute", "cylindrical", "ball"]
    hinges = tuple(
        Hinge(f"h{k}", kind, (ends[k], End(name, "a")))
        for k, (kind, name) in enumerate(zip(kinds, names, strict=True))
    )
    return Model(
        name="row",
        dimension=dimension,
        bodies=tuple(Body(name, 1.0, inertia, (0.0, *flat), points) for name in names),
        hinges=hinges,
        gravity=(0.0, -9.81, *flat[1:]),
        parameters={},
        absolute=False,
    )


def tree(parents: Sequence[int], dimension: int = 2, lever: float = 1.0, seed: int = 1) -> Model:
    """Bodies of random data on the given ones, by their numbers; -1 is the ground."""
    rng, kinds = Random(seed), ("pin", "prismatic")
    if dimension == 3:
        kinds = ("revolute", "ball", "prismatic", "cylindrical")

    def vector() -> tuple[float, ...]:
        return tuple(lever * rng.uniform(-1.0, 1.0) for _ in range(dimension))

    bodies, hinges = [], []
    for number, parent in enumerate(parents):
        children = [k for k, other in enumerate(parents) if other == number]
        points = [Point("a", vector()), *(Point(f"b{k}", vector()) for k in children)]
        flat = rng.uniform(0.5, 2.0)
        inertia = (
            flat
            if dimension == 2
            else tuple(tuple(flat * (i == j) + 0.1 * (i != j) for j in range(3)) for i in range(3))
        )
        bodies.append(
            Body(f"body{number}", rng.uniform(0.5, 2.0), inertia, vector(), tuple(points))
        )
        pred = End(GROUND, "O") if parent < 0 else End(f"body{parent}", f"b{number}")
        ends = pred, End(f"body{number}", "a")
        hinges.append(Hinge(f"h{number}", kinds[number % len(kinds)], ends))
    gravity = (0.3, -9.81, 1.0)[:dimension]
    return Model("tree", dimension, tuple(bodies), tuple(hinges), gravity, {}, absolute=False)


#: Trees with hubs: a star, a comb, hubs on hubs.
HUBS: dict[str, tuple[int, ...]] = {
    "star": (-1, 0, 0, 0, 0, 0),
    "comb": (-1, 0, 1, 2, 0, 1, 2),
    "hubs on hubs": (-1, 0, 0, 0, 1, 1, 1, 3, 3),
}


def boxes(count: int) -> Model:
    """Four-bars side by side: rockers on the ground, couplers between neighbours."""
    rockers = [str(k) for k in range(1, count + 2)]
    couplers = [f"{k}c" for k in rockers[:-1]]
    hung = [(GROUND, x, (float(k), 0.0)) for k, x in enumerate(rockers)]
    first = [
        (x, c, (float(k), -1.0)) for k, (x, c) in enumerate(zip(rockers, couplers, strict=False))
    ]
    second = [
        (c, x, (k + 1.0, -1.0)) for k, (c, x) in enumerate(zip(couplers, rockers[1:], strict=True))
    ]
    return rods("boxes", [*hung, *first, *second], len(hung) + len(first))
