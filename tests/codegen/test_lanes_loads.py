"""Target `c-lanes`: loads on the bodies of chains in segments, as target `c` has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from compiler import needs_compiler
from proofs import proof_of_blocks
from sizes import later

import mstmm
from mstmm.model import Input, Load, Model, load
from mstmm.model.expressions.quantities import TIME, parameter

#: What acts on the k-th body.
LOADS: dict[str, Callable[[int], tuple[dict[str, Any], ...]]] = {
    "the same in inertial axes": lambda _: ({"force": (sp.Rational(1, 10), 2)},),
    "driven by time, in the body's axes": lambda _: ({"force": (TIME, 2), "frame": "body"},),
    "given by an input": lambda _: ({"force": (0, parameter("u"))},),
    "of as many laws as bodies": lambda k: ({"force": (k * TIME, 2)},),
    "two on each": lambda _: (
        {"force": (sp.sin(TIME), 1)},
        {"moment": (TIME,), "frame": "body"},
    ),
}


def loaded(name: str, n: int = 26) -> Model:
    """A chain of pins; loads are called as bodies are, but as others than those they act on."""
    chain = load("rod-chain", n=n)
    loads = tuple(
        Load(chain.bodies[-1 - k].name + "b" * number, body.name, **said)
        for k, body in enumerate(chain.bodies)
        for number, said in enumerate(LOADS[name](k))
    )
    inputs = (Input("u", 0.3),) if "input" in name else ()
    return replace(chain, absolute=False, q0=(), v0=(), loads=loads, inputs=inputs)


@needs_compiler
@pytest.mark.parametrize("name", later(LOADS, 4))
def test_loads_on_chains_act_as_on_bodies_one_by_one(name: str) -> None:
    model = loaded(name)
    lanes, plain = (mstmm.compile(model, target=target) for target in ("c-lanes", "c"))
    assert any(block.segmented for step in lanes.generated.module.steps for block in step.blocks)
    draw = np.random.default_rng(2)
    q, v = (draw.uniform(-1, 1, len(x)) for x in (model.coordinates, model.speeds))
    for entry in ("accelerations", "joint_loads"):
        ours, theirs = (getattr(x, entry)(q, v, t=0.7) for x in (lanes, plain))
        assert ours == pytest.approx(theirs, abs=1e-11 * np.abs(theirs).max())


@needs_compiler
@pytest.mark.parametrize("name", later(reversed(LOADS), 1))
def test_their_blocks_are_proven(name: str) -> None:
    proof_of_blocks(mstmm.compile(loaded(name), target="c-lanes")).require()
