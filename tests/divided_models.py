"""The mechanisms of the divide-and-conquer paper's tests: rods of 1 m and 1 kg in boxes; levers.

The paper's figure is lost; places of the joints are those assumed in the specification.
"""

from __future__ import annotations

from math import atan2

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
