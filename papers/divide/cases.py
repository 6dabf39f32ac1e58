"""The systems at which the divide-and-conquer paper's equations are checked.

Generic systems in generic states, other ones for another seed. Bodies of the chains follow each
other by number, joint k carries body k, a cut comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Body, Joint, Step, Tree
from ...symbolic.exact.true_motion import closed
from .instant import Instant

Z = sp.eye(6)[:, 2], sp.eye(6)[:, 5]

#: A joint's parts in its own axes: a slide along z, or any, and a turn about z, or any.
KINDS: dict[str, tuple[Step, ...]] = {
    "revolute": (Step(Z[0], (0,)),),
    "prismatic": (Step(Z[1], (0,)),),
    "cylindrical": (Step(Z[1], (0,)), Step(Z[0], (1,))),
    "ball": (Step(sp.eye(6)[:, :3], (0, 1, 2)),),
    "free": (Step(sp.eye(6)[:, 3:], (0, 1, 2)), Step(sp.eye(6)[:, :3], (3, 4, 5))),
}

#: Predecessor and kind of each tree joint; predecessor, successor and kind of each cut.
Drawing = Mapping[int, tuple[int, str]]
Cuts = Mapping[int, tuple[int, int, str]]


def drawn(seed: int, tree: Drawing, cuts: Cuts | None = None, planar: bool = False) -> Instant:
    """A generic system in a generic state; the axes of a planar one are parallel.

    The cut joints are put where the bodies are: at any point and axes, expressed in both bodies'.
    """
    draw = Points(seed)

    dimension = 2 if planar else 3
    joints, bodies, rates = {}, {}, {}
    for k, (pred, kind) in tree.items():
        frames = (screws.pose(draw.turn(dimension), draw.vector(3)) for _ in range(2))
        joints[k] = Joint(pred, k, KINDS[kind], *frames)
        bodies[k] = Body.drawn(draw).centred
        for step in KINDS[kind]:
            for m in step.by:
                start = draw.number() if step.screws == Z[1] else sp.Integer(0)
                rates[k, m] = [start, sp.Integer(0), sp.Integer(0)]
    resting = Tree(joints, bodies, rates)
    at = resting.motion.C
    held = {}
    for c, (pred, succ, kind) in (cuts or {}).items():
        frame = screws.pose(draw.turn(dimension), draw.vector(3))
        ends = (screws.inverse(at[i].value) * frame for i in (pred, succ))
        held[c] = Joint(pred, succ, KINDS[kind], *ends)
    moving = closed(replace(resting, cuts=held), draw)
    gravity = draw.vector(3)
    load = {
        i: body.mass * gravity.col_join(sp.zeros(3, 1)) + draw.vector(6)
        for i, body in bodies.items()
    }
    sigma = {c: draw.vector(cut.held.cols) for c, cut in held.items()}
    return Instant(moving, load, gravity, sigma)


CHAIN = {1: (0, "revolute"), 2: (1, "ball"), 3: (2, "prismatic"), 4: (3, "revolute")}

#: Each system by its name: what it is drawn by.
SYSTEMS: dict[str, Callable[[int], Instant]] = {
    # Four bodies, the first on the ground, the last one's tip free.
    "chain": lambda seed: drawn(seed, CHAIN),
    # The chain, closed to the ground by a revolute joint, which is cut: one freedom.
    "loop": lambda seed: drawn(seed + 1, CHAIN, {5: (4, 0, "revolute")}),
    # The chain between a body that swings and another one: both its handles move.
    "swung": lambda seed: drawn(
        seed + 7,
        {7: (0, "ball"), **CHAIN, 1: (7, "revolute"), 6: (0, "ball")},
        {5: (4, 6, "revolute")},
    ),
    # Three bodies that nothing holds.
    "floating": lambda seed: drawn(seed + 2, {1: (0, "free"), 2: (1, "revolute"), 3: (2, "ball")}),
    # One free body.
    "single": lambda seed: drawn(seed + 6, {1: (0, "free")}),
    # Four links and five pins with parallel axes: the cut's conditions depend on others.
    "planar": lambda seed: drawn(
        seed + 3,
        {k: (k - 1, "revolute") for k in (1, 2, 3, 4)},
        {5: (4, 0, "revolute")},
        planar=True,
    ),
    # Five bodies, a branch, two loops: a sliding cut between bodies, a ball to the ground.
    "coupled": lambda seed: drawn(
        seed + 4,
        {
            1: (0, "revolute"),
            2: (1, "ball"),
            3: (1, "ball"),
            4: (3, "prismatic"),
            5: (2, "revolute"),
        },
        {6: (4, 5, "cylindrical"), 7: (5, 0, "ball")},
    ),
    # Speeds that are rates of coordinates: five joints of one freedom, a ball that is cut.
    "holonomic": lambda seed: drawn(
        seed + 5,
        {k: (k - 1, "prismatic" if k == 3 else "revolute") for k in (1, 2, 3, 4, 5)},
        {6: (5, 0, "ball")},
    ),
}


@cache
def system(name: str, seed: int = 10) -> Instant:
    """A system by its name, as drawn by a seed."""
    return SYSTEMS[name](seed)
