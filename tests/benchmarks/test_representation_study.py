"""The study of representations: what it runs agrees with 50 digits, what it writes is complete."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from compiler import needs_compiler
from file_texts import ROOT

from benchmarks import representations as study


@needs_compiler
def test_all_representations_are_judged_and_counted() -> None:
    rows = list(study.measured("ball", 2, rounds=1))
    assert {(row.entry, row.representation) for row in rows} == {
        (entry, each) for entry in study.ENTRIES for each in study.REPRESENTATIONS
    }
    assert max(row.error for row in rows) < 1e-14
    body, *others = [row.operations for row in rows[:4]]
    assert body < min(others)


@needs_compiler
@pytest.mark.slow
def test_it_writes_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "CHAINS", {"pin (plane)": ("pin",)})
    monkeypatch.setattr(study, "LENGTHS", (2,))
    monkeypatch.setattr(study, "DISTANCES", (0.0, 1e5))
    monkeypatch.setattr(study, "pin_to_one_core", lambda: None)
    argv = ["representations", "--rounds", "1", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", argv)
    assert study.main() == 0
    text = (tmp_path / "figures.md").read_text(encoding="utf-8")
    assert text.count("| pin (plane) |") == 2
    found = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert len(found["rows"]) == 4 * 2
    near, far = found["far"]
    assert near["spatial"] < 1e-14 < 1e-9 < far["spatial"]
    assert max(far[each] for each in ("body", "hybrid", "mixed")) < 1e-14


def test_the_shipped_figures_are_those_of_every_chain() -> None:
    found = json.loads((ROOT / "docs" / "representations" / "figures.json").read_text("utf-8"))
    chains = {(row["chain"], row["bodies"]) for row in found["rows"]}
    assert chains == {(name, count) for name in study.CHAINS for count in study.LENGTHS}
    assert max(row["error"] for row in found["rows"]) < 1e-9
