"""Random systems of 2 to 20 bodies, trees and loops of all hinges, against the dense judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from compiler import TARGETS
from hypothesis import HealthCheck, assume, find, given, settings
from independent.moving import State
from judging import Interpreted, assert_forward, assert_inverse, judged
from proofs import proof_of_blocks
from systems import Sketch, sketches, systems

import mstmm
from mstmm.model.parts.hinge_kinds import HINGE_KINDS


def drawn(examples: int) -> Callable[[Any], Any]:
    """So many examples; the profile says whether they are the same in every run."""
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, suppress_health_check=slow)


def check(state: State, solver: Any = None) -> None:
    """By a solver, or as it is read, forward and inverse."""
    motion = judged(state)
    assume(motion is not None)
    assert motion is not None
    assert_forward(state, motion, solver or Interpreted(state.model))
    if solver is None:
        assert_inverse(state, motion, Interpreted(state.model, "rnea-body"))


@drawn(6)
@given(systems((2,)))
def test_planar_systems(state: State) -> None:
    check(state)


@drawn(6)
@given(systems((3,)))
def test_spatial_systems(state: State) -> None:
    check(state)


@pytest.mark.slow
@drawn(1000)
@given(systems())
def test_a_thousand_systems(state: State) -> None:
    check(state)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@drawn(50)
@given(state=systems())
def test_fifty_compiled_systems(target: str, state: State) -> None:
    solver = mstmm.compile(state.model, target=target)
    check(state, solver)
    proof = proof_of_blocks(solver, points=2)
    assert proof.ok, proof.worst


def test_what_is_drawn_is_varied() -> None:
    """All kinds, laws, lengths and numbers of loops turn up; loops often leave loads to judge."""
    kinds: Counter[tuple[int, str]] = Counter()
    seen: Counter[str] = Counter()

    @drawn(200)
    @given(sketches())
    def collect(sketch: Sketch) -> None:
        kinds.update((sketch.dimension, kind) for kind in sketch.kinds)
        seen.update(sketch.laws)
        seen[f"{len(sketch.closures)} loops"] += 1
        seen["long"] += len(sketch.parents) > 15
        seen["sound"] += sketch.sound

    collect()
    assert set(kinds) == {(d, kind) for d, known in HINGE_KINDS.items() for kind in known}
    assert min(seen[f"{count} loops"] for count in range(4)) > 5
    assert min(seen[law] for law in ("spring", "damper", "friction", "timed", "driven")) > 50
    assert seen["long"] > 20
    assert seen["sound"] > 100


def test_a_failing_system_shrinks() -> None:
    """To two bodies in a loop with one driven hinge, if that is what fails."""
    smallest = find(
        sketches(),
        lambda s: bool(s.closures) and any(map(s.drives, range(len(s.parents)))),
        settings=settings(database=None, derandomize=True),
    )
    assert len(smallest.parents) == 2
    assert len(smallest.closures) == 1
    assert sum(law != "" for law in smallest.laws) == 1
