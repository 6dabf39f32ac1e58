"""Random rotors and couplings put into models."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from mstmm.model import GROUND, Body, End, Hinge, Mimic, Model, Point
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: The kinds with one coordinate.
AXIAL = {
    dimension: tuple(kind for kind, record in kinds.items() if record.couples)
    for dimension, kinds in HINGE_KINDS.items()
}


def with_rotors(rng: Random, model: Model) -> Model:
    """Rotors in most of the hinges that are not cut, as heavy as the bodies; some zero."""
    hinges = []
    for hinge in model.hinges:
        speeds = HINGE_KINDS[model.dimension][hinge.kind].speeds
        turning = speeds and hinge.name not in model.cuts and rng.random() < 0.8
        rotor = tuple(rng.choice((0, rng.uniform(0.1, 3))) for _ in range(speeds))
        hinges.append(replace(hinge, rotor=rotor if turning else ()))
    return replace(model, hinges=tuple(hinges))


def with_couplings(rng: Random, model: Model, count: int) -> Model:
    """At most `count` hinges that follow earlier ones in a random order, closed at `q0`.

    They keep coordinates of their own.
    """
    at = dict(zip(model.coordinates, model.q0, strict=True))
    kinds = AXIAL[model.dimension]
    axial = [h for h in model.tree_hinges if h.kind in kinds and not h.motion]
    rng.shuffle(axial)
    mimics: dict[str, Mimic] = {}
    for k in range(1, min(count + 1, len(axial))):
        leader = rng.choice(axial[:k])
        ratio = rng.uniform(-2, 2)
        first, second = (at[f"q{hinge.name}"] for hinge in (axial[k], leader))
        mimics[axial[k].name] = Mimic(leader.name, ratio, first - ratio * second, own=True)

    def coupled(hinge: Hinge) -> Hinge:
        return replace(hinge, mimic=mimics.get(hinge.name))

    return replace(model, hinges=tuple(map(coupled, model.hinges)))


def sharing(model: Model) -> Model:
    """The model whose hinges that follow share their leaders' coordinates."""
    hinges = (replace(h, mimic=h.mimic and replace(h.mimic, own=False)) for h in model.hinges)
    return replace(model, hinges=tuple(hinges), v0=())


def spread(model: Model) -> np.ndarray:
    """By what each speed of all hinges follows from the model's own: ratios, and ones."""
    unit = np.eye(len(model.speeds))
    return np.array([*model.with_followers(unit, speeds=True).values()])


def two_leaders(model: Model) -> Model:
    """The model of which every other follower follows the first one instead, closed at `q0`."""
    at = dict(zip(model.coordinates, model.q0, strict=True))
    first, *others = (hinge for hinge in model.hinges if hinge.mimic)
    mimics = {first.name: None}
    for number, hinge in enumerate(others):
        assert hinge.mimic is not None
        ratio = model.value(hinge.mimic.ratio)
        leader = (first.name, root_of(model, hinge))[number % 2]
        offset = at[f"q{hinge.name}"] - ratio * at[f"q{leader}"]
        mimics[hinge.name] = Mimic(leader, ratio, offset, own=True)
    return replace(
        model,
        hinges=tuple(replace(h, mimic=mimics.get(h.name, h.mimic)) for h in model.hinges),
    )


def root_of(model: Model, hinge: Hinge) -> str:
    """The hinge that follows none, which this one follows in the end."""
    named = {other.name: other for other in model.hinges}
    while hinge.mimic:
        hinge = named[hinge.mimic.hinge]
    return hinge.name


#: Which hinge of two arms follows which: those of the second those of the first, and the first's
#: third its own first one.
FOLLOWED = {"r0": "l0", "r2": "l2", "r3": "l3", "l4": "l0"}


def arms(rng: Random, waist: str = "revolute") -> Model:
    """Two arms on a turning trunk, where all coordinates that they share end: see `FOLLOWED`."""
    inertia = ((0.05, 0, 0.01), (0, 0.06, 0), (0.01, 0, 0.04))
    places = (Point("O", (0, 0, 0)), Point("l", (0, 0.3, 0)), Point("r", (0, -0.3, 0)))
    bodies = [Body("trunk", 5.0, inertia, (0.1, 0, 0.2), places)]
    hinges = [Hinge("waist", waist, (End(GROUND, "g"), End("trunk", "O")))]
    for side in "lr":
        end = End("trunk", side)
        for k, kind in enumerate(("revolute", "ball", "prismatic", "helical", "revolute")):
            name, pitch = f"{side}{k}", 0.1 if kind == "helical" else 0
            tip = Point("t", tuple(rng.uniform(-0.5, 0.5) for _ in range(3)))
            centre = tuple(rng.uniform(-0.2, 0.2) for _ in range(3))
            bodies.append(Body(name, 1.0 + k, inertia, centre, (Point("O", (0, 0, 0)), tip)))
            mimic = None
            if name in FOLLOWED:
                mimic = Mimic(FOLLOWED[name], rng.uniform(-2, 2), rng.uniform(-1, 1))
            hinges.append(Hinge(name, kind, (end, End(name, "O")), pitch=pitch, mimic=mimic))
            end = End(name, "t")
    return Model(
        "arms", 3, tuple(bodies), tuple(hinges), (0, 0, -9.81), absolute=False,
        ground=(Point("g", (0, 0, 0)),),
    )  # fmt: skip
