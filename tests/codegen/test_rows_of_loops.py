"""Rows of loops that share no body but the ground: what they cost, and their derivatives."""

from __future__ import annotations

import pytest
from compiler import needs_compiler
from proofs import proof_of_blocks
from singular_models import row_of_four_bars

import mstmm
from mstmm.codegen.generate import generate


def test_the_cost_of_a_row_of_loops_grows_with_their_number() -> None:
    counts = []
    for windows in (12, 16, 20):  # long rows: all of one pattern, as loops
        made = generate(row_of_four_bars(windows), target="c")
        entry = next(x for x in made.module.entries if x.name == "accelerations")
        counts.append(made.module.operations(entry).total())
    assert counts[2] - counts[1] == counts[1] - counts[0]


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_blocks_of_a_row_of_loops_are_proven(target: str) -> None:
    model = row_of_four_bars(5, angle=1.0)
    assert proof_of_blocks(mstmm.compile(model, target=target, derivatives=True)).ok
