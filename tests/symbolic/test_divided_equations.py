"""What dca and hdca display is what they compute: of all joints, cuts, merges and refinements."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import loop_models
import pytest
from divided_models import HUBS, row, tree

from mstmm import load
from mstmm.model import Model
from mstmm.symbolic.mechanics.displayed import judged
from mstmm.symbolic.methods.divide.program import hdca_program
from mstmm.symbolic.plans.plan import plan


def mechanism(dimension: int, seed: int) -> Model:
    """A random mechanism with one or two loops."""
    rng = Random(1000 * dimension + seed)
    return loop_models.loop_model(rng, dimension, rng.randint(2, 5), 1 + seed % 2)[0]


#: Cuts at the ground and between bodies, merges of several joints, levers that are refined.
MODELS: dict[str, Callable[[], Model]] = {
    "one box": lambda: load("hdca-case-1"),
    "two boxes": lambda: load("hdca-case-3"),
    "levers in the plane": lambda: row(3e3),
    "levers in space": lambda: row(3e3, 3),
    "hubs in the plane": lambda: tree(HUBS["hubs on hubs"]),
    "hubs in space": lambda: tree(HUBS["comb"], 3),
    "hubs with levers": lambda: tree(HUBS["star"], 3, 1e4),
    "prismatic in the plane": lambda: mechanism(2, 10),
    "slot": lambda: mechanism(3, 0),
    "ball": lambda: mechanism(3, 4),
    "planar": lambda: mechanism(3, 6),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_statement_shows_what_it_computes(name: str) -> None:
    program = hdca_program(plan(MODELS[name]()), forced=True)
    kernels = dict.fromkeys(call.kernel for step in program.steps for call in step.calls)
    every = [x for kernel in kernels for x in judged(kernel)]
    assert [f"{x.kernel.name}: {x.shown} {x.why}" for x in every if x.why or not x.shown] == []
    assert len(every) > 40
