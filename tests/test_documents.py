"""What the documents show runs as it stands there: each page from top to bottom."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from commands import run

from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.model.parts import hinge_kinds
from mstmm.runtime.capabilities import closed_form

ROOT = Path(__file__).parent.parent
SHOWN = re.compile(r"^```(python|sh|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = sorted(
    page
    for folder in ("docs", "docs/course")
    for page in (ROOT / folder).glob("*.md")
    if "```python" in page.read_text(encoding="utf-8")
)

#: Model files that a page shows, and under which name it uses them.
FILES = {
    "first-system": "double.toml",
    "closed-loops": "fourbar.toml",
    "vibrations": "train.toml",
    "writing-a-hinge": "lifted.toml",
}

#: What pages need that the quick tests may lack.
NEEDED = {"learning": ("torch", "jax", "scipy")}

#: Pages that move models for long, for which compilers do better than not to optimise.
MOVING = ("ensembles", "learning")

#: What is printed where a page's code runs, in lines of which the page or its readers make much.
SAID = {
    "state-vector": ("[ -9.81 -19.62 -29.43]",),
    "counting": ("[1, 1, 2, 2, 3, 3, 4, 4]",),
    "gpu": ("True",),
    "vibrations": (
        "train: 4 natural modes",
        "   2  20.54528      3.269883          1  stable         propeller 48%",
        "[ 0.         20.54528347 45.34964257 80.49617742]",
        "[0 1 2 3] [1 2 3 4]",
        "('64 bits', '64 bits', '64 bits', '64 bits')",
        "   1  9.927251      1.579971          1  stable         lamp 53%",
        "   1  mast: bending 100%",
        "('mast: axial', 'mast: bending', 'loads at rest')",
        "[2 1]",
        "double-pendulum is not at rest there: u2 accelerates at",
        "unstable: the potential energy falls along 2 independent deviations",
        "   6  79.15192      12.59742      0.108482       0.1158 s          1  vibrates",
        "that these are all: 12 eigenvalues by the winding number around",
        "unstable: 2 eigenvalues with positive real part",
        "   3  backward   31.62278   21.50368   15.31129   11.55354   9.160798",
        "   2  19.3649167    184.9213          1  backward",
    ),
    "control": (
        "<inputs (time: 10001) in N>",
        "('qcart', 'qpole', 'ucart', 'upole')",
        "4 4",
        "free were: qcart, pole",
        "inputs: u = 0, pole = -0.535212465",
        "held were: qpole, u",
        "cart-pole: no equilibrium is found: where the search ends, ucart still",
        "not alone: there are others along qcart",
        "5.29",
    ),
    "learning": (
        "the pole's cosine at the end is 1.000",
        "m1 = 1.30, m2 = 0.60, l2 = 0.45",
    ),
    "frames": (
        "('tool', 'column', 'upper', 'fore', 'column:foot',",
        "('ushaft', 'uleft', 'uright')",
        "arm: the target was not reached by tool: at the nearest place found 1",
        "m are left, with qelbow at the limits",
    ),
}


@pytest.mark.skipif(not shutil.which("cc"), reason="the documents' commands need a C compiler")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Python in one namespace, commands in the same folder, files under the names they go by."""
    for module in NEEDED.get(page.stem, ()):
        pytest.importorskip(module, reason=f"the page needs {module}, which is not installed")
    if page.stem in MOVING:
        monkeypatch.setenv(FLAGS_VARIABLE, "-O1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": page.stem}
    if page.stem in RECORDS:
        text = RECORDS[page.stem](text, monkeypatch)
    for block in SHOWN.finditer(text):
        kind, shown = block.groups()
        if kind == "toml" and page.stem in FILES:
            Path(FILES[page.stem]).write_text(shown, encoding="utf-8")
        elif kind == "python":
            line = text[: block.start()].count("\n") + 1
            exec(compile("\n" * line + shown, str(page), "exec"), names)
        elif kind == "sh" and shown.startswith("mstmm "):
            _run(shown)
    said = capsys.readouterr().out
    assert [line for line in SAID.get(page.stem, ()) if line not in said] == []


def test_the_table_of_frames_is_the_examples() -> None:
    page = (ROOT / "docs" / "frames.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    told = tomllib.loads(text)
    example = tomllib.loads((ROOT / "examples" / "arm.toml").read_text(encoding="utf-8"))
    assert told["frames"] == example["frames"]
    assert told["hinges"]["elbow"]["limits"] == example["hinges"]["elbow"]["limits"]


def _run(shown: str) -> None:
    """Commands of mstmm in this process, which has imported it; a line of several in a shell."""
    for line in shown.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["mstmm"] and not {"&&", "|", ">"} & {*words}:
            done = run(*words[1:])
            assert done.exit_code == 0, f"{line}\n{done.output}"
        elif words:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            command = ["bash", "-euo", "pipefail", "-c", line]
            environment = {**os.environ, "PATH": path}
            shell = subprocess.run(command, capture_output=True, text=True, env=environment)
            assert shell.returncode == 0, f"{line}\n{shell.stderr}"


def _with_its_record(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page without its first block, whose record is among the hinges for the time being."""
    record = re.search(r"^```python\n(HingeKind.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert record
    kind = eval(record[1], vars(hinge_kinds))
    monkeypatch.setitem(hinge_kinds.HINGE_KINDS[kind.dimension], kind.name, kind)
    return text.replace(record[0], "")


def _with_its_result(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page without its first two blocks, whose result solvers have for the time being."""
    reading, record, *_ = re.finditer(r"^```python\n(.*?)^```\n", text, re.M | re.S)
    names = {**vars(closed_form)}
    exec(reading[1] + record[1], names)
    name = record[1].partition(" ")[0]
    made: Any = names[name]
    made.__set_name__(closed_form.ClosedForm, name)
    monkeypatch.setattr(closed_form.ClosedForm, name, made, raising=False)
    return text.replace(reading[0], "").replace(record[0], "")


#: Pages whose first blocks are written into the source.
RECORDS = {"writing-a-hinge": _with_its_record, "writing-a-result": _with_its_result}
