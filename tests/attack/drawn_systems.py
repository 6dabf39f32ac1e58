"""Random systems of everything that a model may hold, each at a state that all of it allows.

What hangs together how is a `Sketch` of `systems`; what acts and what else a model may have is put
on it here, and speeds are fitted to loops, drives and couplings at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

import acting_models
import numpy as np
from coupled_models import with_couplings, with_rotors
from featured_models import DIVIDED
from independent.absolute import couplings
from independent.moving import State, closing
from loop_models import CUTTABLE
from systems import LAWS, Sketch, system

from mstmm.errors import ModelError
from mstmm.model import GROUND, End, Hinge, Model, Point
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: Speeds that a state may have (m/s, rad/s): faster ones are next to a singular position.
FAST = 50.0

#: What divide and conquer does not take: a third of the systems have none of it.
DIVIDE_REFUSES = ("rotors", "bonds", "massless", "couplings", "base")

#: How often a system has what: laws are drawn hinge by hinge besides.
SHARES: dict[str, float] = {
    "rotors": 0.25,
    "springs": 0.35,
    "bonds": 0.3,
    "free cuts": 0.1,
    "massless": 0.3,
    "couplings": 0.6,
    "loads": 0.3,
    "forces": 0.35,
    "sensors": 0.25,
    "base": 0.2,
}


def drawn(seed: int) -> State | None:
    """The system of a seed; None where its loops let it stand in no regular way."""
    rng = Random(f"system {seed}")
    plain = seed % 3 == 0
    sketch = _sketch(rng, plain)
    if not sketch.sound:
        return None
    state = system(sketch)
    model = state.model
    model = replace(model, parameters={**acting_models.PARAMETERS, **model.parameters})
    for what, put in PUT.items():
        if rng.random() < SHARES[what] and not (plain and what in DIVIDE_REFUSES):
            model = put(rng, model)
    return _fitted(replace(state, model=model))


def _sketch(rng: Random, plain: bool) -> Sketch:
    d, n = rng.choice((2, 3)), rng.choice((1, 2, 2, 3, 3, 4))
    kinds = DIVIDED[d] if plain else tuple(HINGE_KINDS[d])
    closing = tuple(kind for kind in CUTTABLE[d] if kind in kinds) if plain else CUTTABLE[d]
    laws = tuple(law for law in LAWS if law != "driven") if plain else LAWS
    bodies = range(n)
    closures = []
    for _ in range(rng.choice((0, 0, 1, 1, 2)) if n > 1 else 0):
        a, b = rng.sample(range(-1, n), 2)
        closures.append((a, b, rng.choice(closing)))
    return Sketch(
        dimension=d,
        parents=tuple(rng.randint(-1, k - 1) if k else -1 for k in bodies),
        kinds=tuple(rng.choice(kinds) for _ in bodies),
        turned=tuple(rng.random() < 0.5 for _ in bodies),
        laws=tuple(rng.choice(("", "", *laws)) for _ in bodies),
        closures=tuple(closures),
        seed=rng.randrange(2**16),
    )


def _sprung(rng: Random, model: Model) -> Model:
    """With potentials and springs; laws that hinges have stay where no other is drawn."""
    sprung = acting_models.sprung(rng, model)
    hinges = (
        replace(new, force=new.force or old.force)
        for new, old in zip(sprung.hinges, model.hinges, strict=True)
    )
    return replace(sprung, hinges=tuple(hinges))


def _freed(rng: Random, model: Model) -> Model:
    """With a free hinge that is cut: it joins two bodies and demands nothing."""
    first, second = rng.sample((GROUND, *model.body_names), 2)
    hinge = Hinge("loose", "free", (End(first, "loose"), End(second, "loose")))
    point = Point("loose", tuple(rng.uniform(-1, 1) for _ in range(model.dimension)))
    return replace(
        model,
        bodies=tuple(
            replace(x, points=(*x.points, point)) if x.name in (first, second) else x
            for x in model.bodies
        ),
        hinges=(*model.hinges, hinge),
        ground=(*model.ground, point) if GROUND in (first, second) else model.ground,
        cuts=(*model.cuts, "loose"),
    )


def _lightened(rng: Random, model: Model) -> Model:
    """One body without mass, where something resists all that its hinge allows."""
    none = 0 if model.dimension == 2 else ((0, 0, 0),) * 3
    for light in rng.sample(model.body_names, len(model.bodies)):
        bodies = (replace(x, mass=0, inertia=none) if x.name == light else x for x in model.bodies)
        with suppress(ModelError):
            return replace(model, bodies=tuple(bodies))
    return model


PUT: dict[str, Callable[[Random, Model], Model]] = {
    "rotors": with_rotors,
    "springs": _sprung,
    "bonds": lambda rng, model: acting_models.bonded(rng, model, rng.choice((1, 1, 2))),
    "free cuts": _freed,
    "massless": _lightened,
    "couplings": lambda rng, model: with_couplings(rng, model, 1),
    "loads": acting_models.loaded,
    "forces": lambda rng, model: acting_models.pulled(rng, model, rng.choice((1, 2))),
    "sensors": lambda rng, model: (
        acting_models.sensing(rng, model) if len(model.bodies) > 1 else model
    ),
    "base": acting_models.moved,
}


def _fitted(state: State) -> State | None:
    """At speeds that loops, drives and couplings allow; q is closed by construction."""
    J, driven = closing(state.model, state.q, state.t)
    rows = couplings(state.model)
    J, driven = np.vstack([J, rows]), np.concatenate([driven, np.zeros(len(rows))])
    v = state.v
    if len(J):
        v = v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v + driven)
        if np.abs(J @ v + driven).max() > 1e-9 or np.abs(v).max(initial=0.0) > FAST:
            return None
    model = replace(state.model, q0=tuple(state.q), v0=tuple(v))
    return replace(state, model=model, v=v)
