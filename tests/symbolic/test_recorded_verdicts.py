"""What each ledger says of each of its equations is what is recorded: its kind and its verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mstmm.symbolic.ledgers.papers import PAPERS, entries

RECORD = json.loads((Path(__file__).parents[1] / "data" / "verdicts.json").read_text("utf-8"))


def test_every_paper_is_recorded() -> None:
    assert set(RECORD) == set(PAPERS)


@pytest.mark.parametrize("paper", PAPERS)
def test_verdicts_are_as_recorded(paper: str) -> None:
    found = {entry.number: f"{entry.kind} {entry.verdict.status}" for entry in entries(paper)}
    assert found == RECORD[paper]
