"""Notebooks, of examples and papers, run from top to bottom in a folder of their own, and they
and the documents use what is public alone."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiler import needs_compiler
from places import EXAMPLES, ROOT

import mstmm

#: Those of the papers run whenever the site is built, and fail it where they fail.
NOTEBOOKS = [
    *EXAMPLES.glob("*.ipynb"),
    *(
        pytest.param(path, marks=pytest.mark.slow)
        for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
    ),
]


#: How large a study is, and how large one is that does the same.
STUDY, SMALL = "latin_hypercube(10_000", "latin_hypercube(1_000"


@needs_compiler
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    # The command `mstmm` is this environment's.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for model in EXAMPLES.glob("*.toml"):
        shutil.copy(model, tmp_path)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace(STUDY, SMALL)
    assert all(not cell.get("outputs") for cell in notebook.cells), "is kept without its outputs"
    nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert [cell for cell in notebook.cells if cell.get("outputs")]


#: Pages for those who change mstmm itself, which speak of its modules.
INSIDE = {"writing-a-result.md"}


def shown_code() -> Iterator[tuple[str, str]]:
    """The Python of notebooks and documents, but for those who change mstmm itself."""
    for path in (*EXAMPLES.glob("*.ipynb"), *(ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            text = "".join(cell["source"])
            if cell["cell_type"] == "code" and not text.startswith("%%"):
                yield path.name, re.sub(r"^[%!].*$", "", text, flags=re.MULTILINE)
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        if path.name in INSIDE:
            continue
        for block in re.finditer(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            yield path.name, block[1]


def test_what_readers_are_shown_is_public() -> None:
    """They import `mstmm` itself, and from it what it lists."""
    hidden, seen = [], 0
    for name, code in shown_code():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                hidden += [(name, x.name) for x in node.names if x.name.startswith("mstmm.")]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mstmm"):
                names = [x.name for x in node.names]
                known = node.module == "mstmm" and set(names) <= set(mstmm.__all__)
                hidden += [] if known else [(name, f"{node.module}: {', '.join(names)}")]
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "mstmm":
                hidden += [] if node.attr in mstmm.__all__ else [(name, f"mstmm.{node.attr}")]
                seen += 1
    assert hidden == []
    assert seen > 80
