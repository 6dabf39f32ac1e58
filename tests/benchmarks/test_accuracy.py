"""The accuracy benchmark on short chains: its table, its files, and how it stops."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from places import ROOT

SCRIPT = ROOT / "benchmarks" / "accuracy.py"


def script(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("accuracy", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "accuracy", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    return module


def test_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    quick = ("--quick", "--target", "numpy", "--output", str(tmp_path))
    assert script(monkeypatch, *quick).main() == 0
    with (tmp_path / "accuracy.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["rods"]) for row in rows] == [10, 20, 50, 100, 200]
    for row in rows:
        assert int(row["unknowns"]) == int(row["rods"]) + 5
        assert float(row["riccati_error"]) < 1e-14
        assert float(row["riccati_error"]) < float(row["overall_error"]) < 1e-9
        assert float(row["overall_error"]) < float(row["condition"]) * 1e-15
    assert all(float(row["reference"]) < 1e-45 for row in rows[:3])
    assert (tmp_path / "accuracy.png").stat().st_size > 5_000
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| 200 |" in text
    assert str(tmp_path) not in text
    assert "200" in capsys.readouterr().out


def test_a_stop_shows_what_is_done_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    module = script(monkeypatch, "--target", "numpy", "--output", str(folder))
    measure = module.measure

    def stop(rods: int, *rest: object) -> object:
        if rods == 20:
            raise KeyboardInterrupt
        return measure(rods, *rest)

    monkeypatch.setattr(module, "measure", stop)
    assert module.main() == 130
    found = capsys.readouterr()
    assert " 10 " in found.out
    assert "stopped" in found.err
    assert not folder.exists()


def test_digits_that_the_recursion_loses_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script(monkeypatch, "--quick", "--target", "numpy")
    monkeypatch.setattr(module, "LENGTHS", (10,))
    monkeypatch.setattr(module, "LIMIT", 1e-17)
    assert module.main() == 1
    assert "reaches" in capsys.readouterr().err
