"""The judges of tests/independent know every kind of hinge."""

from __future__ import annotations

import pytest
from independent import conditions, joints, loops

from mstmm.model.parts.hinge_kinds import HINGE_KINDS, HingeKind

KINDS = [kind for kinds in HINGE_KINDS.values() for kind in kinds.values()]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}-{kind.dimension}D")
def test_the_judges_know_the_kind(kind: HingeKind) -> None:
    """The pose of every kind and what it holds; once more, of those that can be cut."""
    at = kind.dimension, kind.name
    assert at in joints.STEPS, "tests/independent/joints.py · STEPS, and _across"
    assert at in conditions.HELD, "tests/independent/conditions.py · HELD, and held"
    if not kind.why_not_cut:
        assert at in loops.HELD, "tests/independent/loops.py · HELD"
