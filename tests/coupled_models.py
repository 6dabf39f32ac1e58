"""Random rotors and couplings put into models."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from mstmm.model import Hinge, Mimic, Model
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
    """At most `count` hinges that follow earlier ones in a random order, closed at `q0`."""
    at = dict(zip(model.coordinates, model.q0, strict=True))
    kinds = AXIAL[model.dimension]
    axial = [h for h in model.tree_hinges if h.kind in kinds and not h.motion]
    rng.shuffle(axial)
    mimics: dict[str, Mimic] = {}
    for k in range(1, min(count + 1, len(axial))):
        leader = rng.choice(axial[:k])
        ratio = rng.uniform(-2, 2)
        first, second = (at[f"q{hinge.name}"] for hinge in (axial[k], leader))
        mimics[axial[k].name] = Mimic(leader.name, ratio, first - ratio * second)

    def coupled(hinge: Hinge) -> Hinge:
        return replace(hinge, mimic=mimics.get(hinge.name))

    return replace(model, hinges=tuple(map(coupled, model.hinges)))
