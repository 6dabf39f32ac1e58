"""Random systems: trees and loops of mixed hinges, force laws, driven hinges; any state.

What a system is made of is drawn by Hypothesis as a `Sketch`, so that a failing one shrinks;
the numbers come from generators of their own for each body and hinge, so that they stay when
others are taken away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import hypothesis.strategies as st
import numpy as np
import random_models
import sympy as sp
from independent.moving import State, closing, places
from loop_models import CUTTABLE, _turned, point_at
from reading import FORCE_FIRST

from mstmm.model import GROUND, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, Quantity, hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: What acts in a hinge; `driven` is its motion.
LAWS = ("spring", "damper", "friction", "timed", "driven")

#: When the state is looked at: driven hinges and laws in time depend on it.
NOW = 0.35


@dataclass(frozen=True)
class Sketch:
    """What a system is made of; body k hangs on `parents[k]` < k, or on the ground (−1).

    `turned`: the hinge is described from the child's side; `laws`: one of `LAWS` or none;
    `closures`: two bodies (−1: the ground) and the kind of hinge that closes a loop there.
    """

    dimension: int
    parents: tuple[int, ...]
    kinds: tuple[str, ...]
    turned: tuple[bool, ...]
    laws: tuple[str, ...]
    closures: tuple[tuple[int, int, str], ...] = ()
    seed: int = 0

    def moves(self, body: int) -> bool:
        """Whether the body's own hinge has a free speed."""
        kind = self.kinds[body]
        return bool(HINGE_KINDS[self.dimension][kind].speeds) and not self.drives(body)

    def drives(self, body: int) -> bool:
        """Whether its hinge is driven: no quaternion, and something to drive."""
        record = HINGE_KINDS[self.dimension][self.kinds[body]]
        coordinates, speeds = record.coordinates, record.speeds
        return (
            self.laws[body] == "driven"
            and 0 < coordinates == speeds
            and self.kinds[body] != "elastic"
        )

    def way(self, body: int) -> frozenset[int]:
        """The bodies from here to the ground."""
        found = set()
        while body >= 0:
            found.add(body)
            body = self.parents[body]
        return frozenset(found)

    @property
    def sound(self) -> bool:
        """Something moves, in every loop as well."""
        ways = [self.way(a) ^ self.way(b) for a, b, _ in self.closures]
        return all(any(map(self.moves, way)) for way in [range(len(self.parents)), *ways])


def system(sketch: Sketch) -> State:
    """The system at a state that its loops allow, under external forces and drives.

    The closing hinges are cut, at points made to fit.
    """
    d, n = sketch.dimension, len(sketch.parents)
    names = [str(k + 1) for k in range(n)]
    children = [[j for j in range(n) if sketch.parents[j] == k] for k in range(n)]
    bodies, hinges, closers = [], [], []
    for k, name in enumerate(names):
        rng = Random(f"{sketch.seed} body {k}")
        points = ["O", *(f"I{j}" for j in children[k])]
        body = random_models._body(rng, d, name, points)
        placed = tuple(replace(p, axes=random_models._axes(rng, d)) for p in body.points)
        bodies.append(replace(body, points=placed))
        hinges.append(_hinge(sketch, k, names))
    for k, (a, b, kind) in enumerate(sketch.closures):
        ends = tuple(End(GROUND if i < 0 else names[i], f"C{k}") for i in (a, b))
        sizes = random_models.sized(sketch.dimension, kind, 0.3)
        closers.append(Hinge(f"C{k}", kind, (ends[0], ends[1]), **sizes))
    rng = Random(f"{sketch.seed} state")
    tree = Model(
        name="random",
        dimension=d,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=random_models._gravity(rng, d),
        parameters=random_models.PARAMETERS,
        absolute=False,
    )
    q, v = map(np.array, random_models.random_joint_state(rng, tree))
    model = _closed(sketch, tree, closers, q)
    J, driven = closing(model, q, NOW)
    if len(J):
        inverse = np.linalg.pinv(J, rcond=1e-9)
        v = v - inverse @ (J @ v + driven)
    wrenches = np.zeros((n, 6))
    wrenches[:, FORCE_FIRST[d]] = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in v])
    return State(replace(model, q0=tuple(q), v0=tuple(v)), q, v, NOW, tau, wrenches)


def _hinge(sketch: Sketch, k: int, names: list[str]) -> Hinge:
    rng = Random(f"{sketch.seed} hinge {k}")
    parent = sketch.parents[k]
    root = End(GROUND, "O") if parent < 0 else End(names[parent], f"I{k}")
    ends = (root, End(names[k], "O"))
    kind, d = sketch.kinds[k], sketch.dimension
    sizes = random_models.sized(d, kind, random_models._size(rng))
    plain = Hinge(f"h{k}", kind, ends[::-1] if sketch.turned[k] else ends, **sizes)
    record = HINGE_KINDS[d][kind]
    coordinates, speeds = record.coordinates, record.speeds
    if sketch.drives(k):
        motion = tuple(
            rng.uniform(-1, 1) + sp.sin(rng.randint(1, 4) * TIME) / 2 for _ in range(speeds)
        )
        return replace(plain, motion=motion)
    law = sketch.laws[k]
    if law in ("", "driven") or not speeds or (law == "spring" and coordinates != speeds):
        return plain
    return replace(plain, force=tuple(_law(law, rng, i + 1) for i in range(speeds)))


def _law(law: str, rng: Random, number: int) -> Quantity:
    q, u = hinge_symbol("q", number), hinge_symbol("u", number)
    size = sp.Rational(rng.randint(1, 20), 4)
    given: dict[str, Quantity] = {
        "spring": -parameter("m") * size * (q - rng.uniform(-1, 1)),
        "damper": -size * u,
        "friction": -size * sp.tanh(u / sp.Rational(1, 2)) - u**3 / 8,
        "timed": size * sp.cos(3 * TIME) - u / 5,
    }
    return given[law]


def _closed(sketch: Sketch, tree: Model, closers: list[Hinge], q: np.ndarray) -> Model:
    """The tree with hinges that close its loops: a point on either side of each, made to fit."""
    if not closers:
        return tree
    at = places(tree, q, NOW)
    names = [body.name for body in tree.bodies]
    points: dict[str, list[Point]] = {name: [] for name in [GROUND, *names]}
    for closer in closers:
        rng = Random(f"{sketch.seed} closure {closer.name}")
        place = np.eye(4)
        place[: tree.dimension, 3] = [rng.uniform(-1, 1) for _ in range(tree.dimension)]
        place[:3, :3] = _turned(rng, tree.dimension)
        for end in closer.ends:
            frame = np.eye(4) if end.body == GROUND else at[names.index(end.body)]
            own = np.linalg.inv(frame) @ place
            points[end.body].append(point_at(end.point, own, tree.dimension))
    return replace(
        tree,
        bodies=tuple(replace(b, points=(*b.points, *points[b.name])) for b in tree.bodies),
        hinges=(*tree.hinges, *closers),
        cuts=tuple(closer.name for closer in closers),
        ground=tuple(points[GROUND]),
        v0=(),
    )


@st.composite
def sketches(
    draw: st.DrawFn, dimensions: tuple[int, ...] = (2, 3), smallest: int = 2, largest: int = 20
) -> Sketch:
    """Hypothesis: systems of that many bodies, bushy or drawn out, with up to three loops."""
    d = draw(st.sampled_from(dimensions))
    steps = st.integers(1, draw(st.sampled_from((1, 2, 4, largest))))
    kinds = st.sampled_from(tuple(HINGE_KINDS[d]))
    laws = st.sampled_from(("", "", "", *LAWS))
    few = draw(st.sampled_from((smallest, (smallest + largest) // 2)))
    body = st.tuples(steps, kinds, st.booleans(), laws)
    bodies = draw(st.lists(body, min_size=few, max_size=largest))
    ends = st.integers(0, largest)
    loops = draw(st.lists(st.tuples(ends, ends, st.sampled_from(CUTTABLE[d])), max_size=3))
    n = len(bodies)
    closures = [(a % (n + 1) - 1, b % (n + 1) - 1, kind) for a, b, kind in loops]
    return Sketch(
        dimension=d,
        parents=tuple(max(-1, k - step) for k, (step, *_) in enumerate(bodies)),
        kinds=tuple(kind for _, kind, _, _ in bodies),
        turned=tuple(turned for _, _, turned, _ in bodies),
        laws=tuple(law for *_, law in bodies),
        closures=tuple(closure for closure in closures if closure[0] != closure[1]),
        seed=draw(st.integers(0, 2**16)),
    )


def systems(
    dimensions: tuple[int, ...] = (2, 3), smallest: int = 2, largest: int = 20
) -> st.SearchStrategy[State]:
    """Hypothesis: systems in which something moves, at a state that the loops allow."""
    drawn = sketches(dimensions, smallest, largest)
    return drawn.filter(lambda sketch: sketch.sound).map(system)
