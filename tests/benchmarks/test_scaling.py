"""The study of long chains writes what it shows."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
from compiler import needs_compiler
from file_texts import ROOT

from benchmarks import scaling as study


@needs_compiler
@pytest.mark.slow
def test_it_writes_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["scaling", "--quick", "--output", str(tmp_path)])
    assert study.main() == 0
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    with (tmp_path / "scaling.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(study.QUICK) * len(study.ENTRIES)
    assert all(f"| {row['bodies']} | {row['algorithm']} |" in text for row in rows)
    assert (tmp_path / "scaling.png").stat().st_size > 10_000


def test_the_shipped_table_has_every_chain() -> None:
    with (ROOT / "docs" / "scaling" / "scaling.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(int(row["bodies"]), row["algorithm"]) for row in rows}
    assert found == {(n, name) for n in study.SIZES for name in study.ENTRIES}
