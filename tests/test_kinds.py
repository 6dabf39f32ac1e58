"""Links of one kind do the same: binding every link by itself gives the same calls."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import acting_models
import coupled_models
import loop_models
import pytest
import random_models

from mstmm import load
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.symbolic.methods.algorithms import ALGORITHMS, Algorithm
from mstmm.symbolic.plans.plan import Link, plan
from mstmm.symbolic.tree.absolute import Absolute
from mstmm.symbolic.tree.joint import Joint

#: What is not slow to write down, of random models as of chains.
CHOSEN = [each for each in ALGORITHMS if not each.alias_of and each.name != "sensitivities"]

#: Those whose kernels take long to derive link by link: of other, small models.
DEAR = ("derivatives", "inverse-rates", "frames")


def alike(rng: Random, dimension: int) -> Model:
    """A tree of equal bodies, two of each kind of hinge between them, either end first."""
    spins = 1 if dimension == 2 else 3
    points = tuple(
        Point(
            name,
            (at, *(0.1,) * (dimension - 1)),
            (0.3 if name == "c" else None) if spins == 1 else None,
        )
        for name, at in (("a", 0.0), ("b", 1.0), ("c", 0.5))
    )
    inertia = 0.2 if spins == 1 else ((0.2, 0, 0), (0, 0.3, 0), (0, 0, 0.4))
    body = Body("0", 1.5, inertia, (0.4, *(0.0,) * (dimension - 1)), points)
    turning = "pin" if spins == 1 else "revolute"
    differing: list[dict[str, Any]] = [
        {},
        {"kind": "prismatic"},
        {"force": (-hinge_symbol("u", 1),)},
        {"potential": hinge_symbol("q", 1) ** 2},
        {"rotor": (0.2,)},
    ]
    free = [End(GROUND, "O")]
    hinges: list[Hinge] = []
    drawn = [(way, more) for way in (1, -1) for more in differing] * 2
    rng.shuffle(drawn)
    for k, (way, more) in enumerate(drawn):
        parent = free.pop(rng.choice((-1, -2, 0)) if len(free) > 1 else 0)
        ends = (parent, End(str(k + 1), "a"))
        hinges.append(replace(Hinge(f"h{k}", turning, ends[::way]), **more))
        free += [End(str(k + 1), name) for name in ("b", "c")]
        if parent.body == GROUND:
            free.append(parent)
    names = map(str, range(1, len(drawn) + 1))
    return Model(
        "alike",
        dimension=dimension,
        gravity=(0.0, -9.81, 0.0)[:dimension],
        bodies=tuple(replace(body, name=name) for name in names),
        hinges=tuple(hinges),
        absolute=False,
    )


@cache
def models(dear: bool) -> list[Model]:
    """Trees with springs, potentials, rotors, loads, couplings and loops; chains with kinds."""
    rng = Random(11)
    if dear:
        coupled = random_models.joint_tree(rng, 2, ("pin",), 5)
        return [
            acting_models.sprung(rng, acting_models.tree(rng, 3, 2)),
            coupled_models.with_couplings(rng, coupled_models.with_rotors(rng, coupled), 2),
            load("ball-chain:n=5"),
            load("rod-chain:n=9"),
        ]
    trees = [acting_models.sprung(rng, acting_models.tree(rng, d, 5)) for d in (2, 3)]
    plain = [random_models.joint_tree(rng, d, None, 5) for d in (2, 3)]
    return [
        alike(rng, 2),
        alike(rng, 3),
        *trees,
        acting_models.loaded(rng, acting_models.moved(rng, acting_models.tree(rng, 3, 2))),
        *(coupled_models.with_rotors(rng, model) for model in plain),
        coupled_models.with_couplings(rng, random_models.joint_tree(rng, 2, ("pin",), 5), 2),
        loop_models.loop_model(rng, 2, 4, 1, None, True, "loaded")[0],
        random_models.planar_tree(rng, 7),
        load("ball-chain:n=9"),
        load("rod-chain:n=9"),
        load("example-1"),
    ]


@pytest.mark.parametrize("algorithm", CHOSEN, ids=lambda each: each.name)
def test_every_link_by_itself_does_the_same(
    algorithm: type[Algorithm], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all kinds in one tree, and of every other model, which the next algorithm leaves out."""
    chosen = models(algorithm.name in DEAR)
    shared = [written(model, algorithm) for model in chosen]
    if algorithm.name not in DEAR:
        taken = [k for k, calls in enumerate(shared) if calls]
        kept = [*taken[:2], *taken[2 + CHOSEN.index(algorithm) % 2 :: 2]]
        chosen, shared = [chosen[k] for k in kept], [shared[k] for k in kept]
    assert any(shared)
    for names in (Absolute, Joint):
        monkeypatch.setattr(names, "kind", by_name)
    for model, before in zip(chosen, shared, strict=True):
        assert written(model, algorithm) == before, model.name


def by_name(_: object, link: Link) -> str:
    return link.name


def written(model: Model, algorithm: type[Algorithm]) -> list[tuple[object, ...]]:
    """All calls of all steps, as far as the algorithm takes the model."""
    try:
        program = algorithm().program(plan(model))
    except UsageError:
        return []
    return [
        (step.name, call.kernel, call.member, dict(call.reads), dict(call.writes))
        for step in program.steps
        for call in step.calls
    ]
