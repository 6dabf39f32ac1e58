"""The main job: what `mstmm demo` prints, in which order and width, and what it leaves behind."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from compiler import needs_compiler
from rich.console import Console

from mstmm.codegen import toolchain
from mstmm.codegen.generate import generate
from mstmm.errors import ToolchainError, UsageError
from mstmm.model import load
from mstmm.papers.riccati import demo
from mstmm.papers.riccati.demo import run_demo

SECTIONS = (
    "1  The system: branch-pendulum",
    "2  Derived from Newton's law: S2 (39) and e2 (40)",
    "3  What it found in the paper",
    "4  Generated {}: operations and sizes",
    "5  Validation: ",
    "6  The motion: RK4, ",
)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few states and steps."""
    monkeypatch.setattr(demo, "POINTS", 3)
    monkeypatch.setattr(demo, "T_END", 0.5)


def shown(folder: Path, target: str | None = None, width: int = 80) -> str:
    """What the demonstration prints on a console of a given width."""
    out = io.StringIO()
    run_demo(folder, target, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def files(folder: Path) -> list[str]:
    return sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
    )


def number(text: str, label: str) -> float:
    found = re.search(rf"{label} +(-?[\d.e+-]+)", text)
    assert found, label
    return float(found[1])


def in_order(text: str, language: str) -> None:
    places = [text.index(title.format(language)) for title in SECTIONS]
    assert places == sorted(places)


@needs_compiler
def test_the_demo_in_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo, "T_END", 5.0)
    text = shown(tmp_path / "out", width=120)
    in_order(text, "C")
    assert max(map(len, text.splitlines())) <= 80
    assert "chain of bodies 3 – 5; output O hinged to body 7 at I2" in text
    assert "S2 equals the print of (39)." in text
    assert "e2 equals the print of (40)." in text
    assert "has rank 7 of 9" in text
    assert [text.index(f"\nX{n} ") for n in (1, 2, 3, 4, 5, 6, 9, 11)] == sorted(
        text.index(f"\nX{n} ") for n in range(1, 12) if f"\nX{n} " in text
    )
    assert "13 more of notation" in text
    assert "FAILS" not in text
    # RK4 at 1 ms stays within 1e-9 rad of the exact motion.
    assert 1e-11 < number(text, "distance from Lagrange's equations") < 1e-9
    assert 0.0 < number(text, "largest energy drift") < 1e-8
    sources = generate(load("branch-pendulum"), forced=True, loaded=False).sources.files
    assert files(tmp_path / "out") == sorted(
        ["derivation.html", "motion.png", "motion.svg", *(f"generated/{name}" for name in sources)]
    )
    for name, source in sources.items():
        assert (tmp_path / "out" / "generated" / name).read_text() == source
    assert "</html>" in (tmp_path / "out" / "derivation.html").read_text()


def test_the_demo_on_numpy_and_again_into_the_same_folder_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so in one line, and all else is the same."""
    first = shown(tmp_path / "out", "numpy")
    in_order(first, "NumPy")
    assert number(first, "distance from Lagrange's equations") < 1e-9
    assert "generated/branch_pendulum.py" in files(tmp_path / "out")
    before = {name: (tmp_path / "out" / name).read_bytes() for name in files(tmp_path / "out")}
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(toolchain, "_candidates", lambda named, vectors: iter(()))
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "cache"))
    text = shown(tmp_path / "out")
    (line,) = [line for line in text.splitlines() if "C compiler" in line]
    assert line == (
        'no C compiler found; using NumPy; remedy: install one or pip install "mstmm[cc]"'
    )
    assert [x for x in text.splitlines() if x and x != line] == list(
        filter(None, first.splitlines())
    )
    assert before == {
        name: (tmp_path / "out" / name).read_bytes() for name in files(tmp_path / "out")
    }
    with pytest.raises(ToolchainError):
        shown(tmp_path / "other", "c")
    assert not (tmp_path / "other").exists()


def test_without_matplotlib_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "missing" / "matplotlib"
    missing.mkdir(parents=True)
    (missing / "__init__.py").write_text("raise ImportError('it is not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(missing.parent))
    text = shown(tmp_path / "out", "numpy")
    assert 'pip install "mstmm[plot]"' in " ".join(text.split())
    assert not [name for name in files(tmp_path / "out") if name.startswith("motion")]
    assert "motion.png" not in text


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="name another place"):
        shown(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    out = io.StringIO()
    with pytest.raises(UsageError, match="permission denied"):
        run_demo(tmp_path / "out", None, Console(file=out))
    assert out.getvalue() == ""
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError("disk full")

    monkeypatch.setattr(demo, "_page", fail)
    with pytest.raises(UsageError, match="cannot write into"):
        shown(tmp_path / "new" / "out", "numpy")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_target(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no target 'rust'"):
        shown(tmp_path / "out", "rust")
    assert list(tmp_path.iterdir()) == []
