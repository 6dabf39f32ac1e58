"""Laws of hinges that read other hinges, or sensors: those of an energy, and others damped."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from damped_trees import DampedDense, damped_tree
from small_motions import resting_tree
from test_damped import see_determinants
from test_linear import see_counts

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, End, Hinge, Model, Point, Sensor
from mstmm.model.expressions.quantities import hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness


def plain(model: Model) -> list[Hinge]:
    """Hinges whose speeds are the rates of their coordinates, by names that are no laws' own."""
    kinds = HINGE_KINDS[model.dimension]
    return [h for h in model.hinges if kinds[h.kind].couples or h.kind == "planar"]


def named(model: Model) -> Model:
    hinges = tuple(replace(h, name=f"h{h.name}") for h in model.hinges)
    return replace(model, hinges=hinges)


def coupled(seed: int, skew: float = 0.0) -> Model:
    """A tree at rest with V = c x y (1 + x/3 + x y) of coordinates x, y of two hinges each.

    If `skew`, one of the forces is another.
    """
    rng, model = Random(seed), named(resting_tree(seed))
    hinges = {h.name: h for h in plain(model)}
    places = [(h.name, k) for h in hinges.values() for k in range(len(model.hinge_speeds(h)))]
    pairs = [(a, b) for a, b in combinations(places, 2) if a[0] != b[0]]
    for pair in rng.sample(pairs, min(3, len(pairs))):
        c = rng.uniform(2, 6) * rng.choice([-1, 1])
        for side, (name, k) in enumerate(pair):
            other, j = pair[1 - side]
            own, read = (
                hinge_symbol("q", k + 1),
                parameter(model.hinge_coordinates(hinges[other])[j]),
            )
            x, y = (own, read) if side == 0 else (read, own)
            law = list(hinges[name].force) or [0] * len(model.hinge_speeds(hinges[name]))
            law[k] -= (c * x * y * (1 + x / 3 + x * y)).diff(own) + skew * side * read
            hinges[name] = replace(hinges[name], force=tuple(law))
    return replace(model, hinges=tuple(hinges.get(h.name, h) for h in model.hinges))


@pytest.mark.parametrize(
    "seed", [40, 55, *(pytest.param(k, marks=pytest.mark.long) for k in (9, 16, 25, 41, 44))]
)
def test_what_laws_between_hinges_store_is_counted(seed: int) -> None:
    """With a potential of both hinges, which laws give by halves."""
    see_counts(coupled(seed), seed)


def test_modes_of_two_hinges_that_feel_each_other() -> None:
    """Slides of masses 2 and 3 on springs 5 and 7, with 1.5 x y: det(K − ω² M) = 0."""
    text = """
name = "felt"
dimension = 2
gravity = [0, 0]
"""
    for name, mass, k, other in (("a", 2, 5, "b"), ("b", 3, 7, "a")):
        text += f"""
[bodies.{name}]
mass = {mass}
inertia = 1
[hinges.{name}]
kind = "prismatic"
parent = "ground"
child = "{name}"
axis = [1, 0]
force = "-{k}*q1 - 1.5*q{other}"
"""
    solver = mstmm.compile(mstmm.model.files.toml.from_text(text), target="numpy")
    modes = solver.modes()
    known = np.sort(np.linalg.eigvals([[5 / 2, 1.5 / 2], [1.5 / 3, 7 / 3]]))
    np.testing.assert_allclose(modes.squares, known, rtol=1e-13)
    assert modes.strains.names["part"][-1] == "loads at rest and laws between hinges"
    still = solver.response([0.0], inputs=["a"], outputs=["qa", "qb"]).transfers.ravel()
    np.testing.assert_allclose(still, np.linalg.solve([[5, 1.5], [1.5, 7]], [1, 0]), rtol=1e-13)


def test_laws_that_only_one_hinge_feels_are_refused_by_name() -> None:
    said = r"law of hinge h\w+ has none, as it reads qh\w+, which does not feel it alike; solver.da"
    with pytest.raises(UsageError, match=said):
        mstmm.compile(coupled(40, skew=0.5), algorithm="linear", target="numpy")


def sensed(seed: int) -> Model:
    """A damped tree whose laws read sensors of every form, between bodies and from the ground."""
    rng, model = Random(seed), damped_tree(seed, tied=seed % 2 == 0)
    d, bodies = model.dimension, model.bodies
    first, last = (End(x.name, x.points[-1].name) for x in (bodies[0], bodies[-1]))
    along, eye = (tuple(rng.uniform(-1, 1) for _ in range(d)) for _ in range(2))
    sensors = (
        Sensor("gauge", (first, last)),
        Sensor("reach", (End(GROUND, "eye"), last)),
        Sensor("height", (first,), along),
        Sensor("way", (last, first), along),
    )
    law = {parameter(x): rng.uniform(-4, 4) for s in sensors for x in (s.name, s.rate)}

    def told(hinge: Hinge) -> Hinge:
        speeds = HINGE_KINDS[d][hinge.kind].speeds
        if not speeds or hinge.kind == "elastic":
            return hinge
        force = list(hinge.force) or [0] * speeds
        x, rate = rng.sample([*law], 2)
        force[rng.randrange(speeds)] += law[x] * x * (1 + x / 5) + law[rate] * rate * (1 + x)
        return replace(hinge, force=tuple(force))

    ground = (*model.ground, Point("eye", eye))
    return replace(model, sensors=sensors, ground=ground, hinges=tuple(map(told, model.hinges)))


@pytest.mark.parametrize(
    "seed", [25, 40, *(pytest.param(k, marks=pytest.mark.long) for k in (12, 13, 28, 51, 57))]
)
def test_laws_that_read_sensors(seed: int) -> None:
    """As they are linearised, of damped motions; those of an energy refuse them by name."""
    model = sensed(seed)
    q = np.array(model.q0)
    dense = DampedDense(model, q)
    see_determinants(dense, GeneratedComplexStiffness(dense.riccati, q), seed)
    with pytest.raises(UsageError, match=r"reads (gauge|reach|height|way).*solver\.damped"):
        mstmm.compile(model, algorithm="linear", target="numpy")
