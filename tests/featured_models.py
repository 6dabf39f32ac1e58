"""Random models of everything that a model can have, put together at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import acting_models
import beam_models
import loop_models
import random_models
from coupled_models import with_couplings, with_rotors
from systems import LAWS, Sketch, system

from mstmm.model import Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: When the models are looked at: what is driven closes its loop then.
NOW = 0.3

#: What a model may have, and whether it does.
FEATURES: Mapping[str, Callable[[Model], bool]] = {
    "loads": lambda model: bool(model.loads),
    "forces": lambda model: bool(model.forces),
    "springs": lambda model: any(hinge.stiffness for hinge in model.hinges),
    "potentials": lambda model: any(hinge.potential != 0 for hinge in model.hinges),
    "force laws": lambda model: any(hinge.force for hinge in model.hinges),
    "rotors": lambda model: any(any(hinge.rotor) for hinge in model.hinges),
    "couplings": lambda model: any(hinge.mimic for hinge in model.hinges),
    "drives": lambda model: any(hinge.motion for hinge in model.hinges),
    "beams": lambda model: bool(model.beams),
    "loops": lambda model: any(h.name in model.cuts and h.kind != "elastic" for h in model.hinges),
    "moving base": lambda model: model.base is not None,
}

FAMILIES = ("tree", "loops", "driven", "beams", "beam loops", "divided", "divided loops")

#: The hinges that divide and conquer takes, whichever side describes them.
DIVIDED = {
    2: ("pin", "prismatic", "fixed"),
    3: ("revolute", "prismatic", "helical", "cylindrical", "ball", "fixed"),
}


def featured(seed: int) -> Model:
    """The model of a seed: of one family, in the plane or in space, with more put on it."""
    rng, family, d = Random(seed), FAMILIES[seed % len(FAMILIES)], 2 + seed // len(FAMILIES) % 2
    model = _plain(rng, family, d)
    model = replace(model, parameters={**acting_models.PARAMETERS, **model.parameters})
    beams, divided = bool(model.beams), family.startswith("divided")
    for put, fits in (
        (acting_models.sprung, True),
        (with_rotors, not divided),
        (lambda rng, model: with_couplings(rng, model, 1), not divided and family != "driven"),
        (lambda rng, model: acting_models.bonded(rng, model, 1), not divided and not beams),
        (acting_models.loaded, not beams),
        (acting_models.pulled, not beams),
        (acting_models.moved, not divided),
    ):
        if fits and rng.random() < 0.4:
            model = put(rng, model)
    return model


def _plain(rng: Random, family: str, d: int) -> Model:
    if family == "tree":
        return acting_models.tree(rng, d, 4)
    if family == "divided":
        return random_models.joint_tree(rng, d, DIVIDED[d], 4)
    if family == "divided loops":
        kinds = tuple(kind for kind in DIVIDED[d] if kind in ("pin", "revolute", "ball"))
        return loop_models.loop_model(rng, d, 4, 1, kinds, within=DIVIDED[d])[0]
    if family == "loops":
        acting = rng.choice(("", "loaded", "driven"))
        kinds = loop_models.DRIVEN[d] if acting == "driven" else None
        return loop_models.loop_model(rng, d, 4, 1, kinds, acting=acting, t=NOW)[0]
    if family == "beams":
        return beam_models.beam_tree(rng, 3)
    if family == "beam loops":
        return beam_models.beam_loops(rng, 3)
    bodies = range(rng.randint(2, 5))
    sketch = Sketch(
        dimension=d,
        parents=tuple(rng.randint(-1, k - 1) if k else -1 for k in bodies),
        kinds=tuple(rng.choice(sorted(HINGE_KINDS[d])) for _ in bodies),
        turned=tuple(rng.random() < 0.5 for _ in bodies),
        laws=tuple(rng.choice(("driven", *LAWS)) for _ in bodies),
        seed=rng.randrange(2**16),
    )
    return system(sketch).model
