"""Every hinge kind in the plane and in space, in chains, trees and loops, against the judge.

The judge is one dense system of all bodies in absolute coordinates with Lagrange multipliers.
Parameters, axes, state, force laws, drives and external loads are random.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from judging import assert_interpreted, judged
from loop_models import CUTTABLE
from systems import LAWS, Sketch, system

from mstmm.model.parts.hinge_kinds import HINGE_KINDS

#: Hinges that give a chain, a tree or a loop the freedom that some kinds lack.
HELPER = {2: "pin", 3: "ball"}

#: Body k hangs on the k-th of these; −1: the ground.
PARENTS = {
    "chain": (-1, 0, 1, 2, 3),
    "tree": (-1, 0, 0, 1, 1, -1),
    "loop": (-1, 0, 1, 2, 3, 2),
}

CASES = [
    pytest.param(kind, dimension, topology, id=f"{kind}-{dimension}D-{topology}")
    for dimension, kinds in HINGE_KINDS.items()
    for kind in kinds
    for topology in PARENTS
]


def sketch_of(kind: str, dimension: int, topology: str, seed: int) -> Sketch:
    """Hinges of the kind, in a loop every other one, and its cut of the kind if it can be cut."""
    rng = Random(f"{kind} {dimension} {topology} {seed}")
    parents = PARENTS[topology]
    helper = HELPER[dimension]
    mixed = topology == "loop" or kind == "fixed"
    kinds = tuple(helper if mixed and k % 2 else kind for k in range(len(parents)))
    closures = ()
    if topology == "loop":
        cut = kind if kind in CUTTABLE[dimension] else helper
        closures = ((-1 if seed == 0 else 0, 4, cut),)
    return Sketch(
        dimension,
        parents,
        kinds,
        tuple(rng.random() < 0.5 for _ in parents),
        tuple(rng.choice(("", *LAWS[:-1])) for _ in parents),
        closures,
        seed,
    )


@pytest.mark.parametrize(("kind", "dimension", "topology"), CASES)
def test_accelerations_and_loads(kind: str, dimension: int, topology: str) -> None:
    """At three random states. Only the loop of `fixed` hinges has a redundant condition."""
    for seed in range(3):
        state = system(sketch_of(kind, dimension, topology, seed))
        motion = judged(state)
        assert motion is not None
        assert motion.redundant == (kind == "fixed" and topology == "loop")
        assert_interpreted(state, motion)


DRIVABLE = [
    pytest.param(kind, dimension, topology, id=f"{kind}-{dimension}D-{topology}")
    for dimension, kinds in HINGE_KINDS.items()
    for kind, record in kinds.items()
    for topology in PARENTS
    if record.speeds and not record.why_not_driven
]


@pytest.mark.parametrize(("kind", "dimension", "topology"), DRIVABLE)
def test_driven(kind: str, dimension: int, topology: str) -> None:
    """Hinge 2, of that kind, is driven in time: what drives it is judged as well."""
    sketch = sketch_of(kind, dimension, topology, 7)
    laws = ("", "spring", "driven", *sketch.laws[3:])
    state = system(replace(sketch, laws=laws))
    motion = judged(state)
    assert motion is not None
    assert motion.drives
    assert_interpreted(state, motion)
