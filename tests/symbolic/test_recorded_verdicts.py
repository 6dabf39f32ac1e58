"""What each ledger says of its equations is what was recorded when they were no text yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mstmm.papers import PAPERS
from mstmm.papers.shelf import entries

RECORD = json.loads((Path(__file__).parents[1] / "data" / "verdicts.json").read_text("utf-8"))

#: Verdicts that were wrong: the print of (77) was the corrected text, that of (65) had a dot more;
#: our copy lacks (3.59); what stood at (4.13) and (C.9) is not what they display, and these state
#: nothing of their own.
CORRECTED: dict[tuple[str, str], str | None] = {
    ("divide-and-conquer", "65"): "equals",
    ("divide-and-conquer", "65, any shift"): None,
    ("divide-and-conquer", "77"): "differs",
    ("recursive-formulation", "3.59"): "absent",
    ("recursive-formulation", "4.13"): None,
    ("recursive-formulation", "C.9"): None,
}


def test_every_paper_is_recorded() -> None:
    assert set(RECORD) == set(PAPERS)


@pytest.mark.parametrize("paper", PAPERS)
def test_verdicts_are_as_recorded(paper: str) -> None:
    found = {entry.number: entry.verdict.status for entry in entries(paper)}
    for number, recorded in RECORD[paper].items():
        verdict = CORRECTED.get((paper, number), recorded.split()[1])
        assert found.get(number) == verdict, number
