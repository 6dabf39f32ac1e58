"""Random systems of everything that a model may hold, against the dense absolute system.

Trees, loops, cuts without conditions, couplings, drives, laws of sensors, forces between points,
massless bodies, floating and moving bases; accelerations, loads, energy, drives, inverse dynamics,
derivatives, the program read in numbers, by `riccati`, `overall` and `dca` as far as they take it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from drawn_systems import drawn
from featured_models import FEATURES
from guarded import attacked, noted
from independent.absolute import absolute_motion
from judged_systems import Judged, judged

#: What one system may take, libraries and their compiler included (s, bytes).
SECONDS, MEMORY = 200.0, 6 << 30

#: How many systems the usual run judges, and the slow one, in parts that go side by side.
FEW, PARTS, PART = 10, 40, 50

#: What is compared, and the share of all systems that takes it, at the least.
MET = {
    "riccati": 0.7,
    "inverse": 0.7,
    "derived": 0.7,
    "derivatives": 0.25,
    "overall": 0.4,
    "dca": 0.1,
}


def part(number: int, seeds: range) -> None:
    outcome = attacked(f"systems {number}", judged, seeds, seconds=SECONDS, memory=MEMORY)
    outcome.note(seeds.start)
    outcome.require()
    met = Counter(way for ways, n in outcome.counts.items() for way in ways.split("+") * n)
    noted({"part": f"ways {number}", **met})
    for way, share in MET.items():
        assert met[way] >= share * len(seeds) / 2, f"{way}: {met[way]} of {len(seeds)}"


def test_a_few_systems() -> None:
    part(0, range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, PARTS + 1))
def test_two_thousand_systems(number: int) -> None:
    part(number, range(PART * number, PART * (number + 1)))


def test_what_is_drawn_is_varied() -> None:
    """Every feature turns up in a share of the systems, and states are seldom none."""
    states = [drawn(seed) for seed in range(150)]
    models = [state.model for state in states if state is not None]
    assert len(models) > 120
    met = Counter(name for name, has in FEATURES.items() for model in models if has(model))
    met["sensors"] = sum(bool(model.sensors) for model in models)
    met["massless"] = sum(any(model.value(b.mass) == 0 for b in model.bodies) for model in models)
    met["no conditions"] = sum(
        any(h.kind in ("elastic", "free") and h.name in model.cuts for h in model.hinges)
        for model in models
    )
    met["floating"] = sum(any(h.kind == "free" for h in model.tree_hinges) for model in models)
    wanted = (set(FEATURES) - {"beams"}) | {"sensors", "massless", "no conditions", "floating"}
    assert min(met[name] for name in wanted) >= 8, met


def test_a_wrong_answer_is_seen() -> None:
    """A judge of a body a thousandth heavier, then of other forces, disagrees."""
    seed = 9
    state = drawn(seed)
    assert state is not None
    first, *others = state.model.bodies
    heavier = replace(first, mass=1.001 * state.model.value(first.mass))
    model = replace(state.model, bodies=(heavier, *others))
    wrong = absolute_motion(replace(state, model=model))
    outcome = attacked("wrong", lambda _: Judged(seed, state, wrong).ways(), [0])
    assert outcome.counts == {"wrong": 1}
    pushed = absolute_motion(replace(state, wrenches=np.ones_like(state.wrenches)))
    outcome = attacked("wrong", lambda _: Judged(seed, state, pushed).ways(), [0])
    assert outcome.counts == {"wrong": 1}
