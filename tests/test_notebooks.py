"""Notebooks, of examples and papers, run from top to bottom in a folder of their own, and they
and the documents use what is public alone."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from compiler import needs_compiler
from places import EXAMPLES, ROOT

import mstmm

NOTEBOOKS = sorted((*EXAMPLES.glob("*.ipynb"), *(ROOT / "docs" / "notebooks").glob("*.ipynb")))

#: How large a study is, and how large one is that does the same.
STUDY, SMALL = "latin_hypercube(10_000", "latin_hypercube(1_000"

NUMBER = re.compile(r"[-−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
#: Lines that are another time by time: durations, and what is zero but for rounding.
UNLIKE = re.compile(r"µs|\bms\b|\d s\b|seconds|e-1\d|in /|0x")


def executed(path: Path, folder: Path, *, small: bool = False) -> Any:
    """The notebook with its outputs, run in a folder that has the examples' models."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for model in EXAMPLES.glob("*.toml"):
        shutil.copy(model, folder)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells if small else ():
        cell.source = cell.source.replace(STUDY, SMALL)
    # The command `mstmm` is this environment's.
    given = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with mock.patch.dict(os.environ, given):
        nbclient.NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": str(folder)}}
        ).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [*joined(cell.outputs)]
    return notebook


def joined(outputs: Iterable[Any]) -> Iterator[Any]:
    """Outputs in one piece, without what goes to standard error."""
    last = None
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stderr":
                continue
            if last is not None:
                last.text += output.text
                continue
        yield output
        last = output if output.output_type == "stream" else None


def said(notebook: Any) -> Iterator[tuple[str, list[float]]]:
    """Every line that a cell says: its words, and its numbers apart."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            text = output.text if "text" in output else output.data["text/plain"]
            for line in text.splitlines():
                if not UNLIKE.search(line):
                    numbers = [float(x.replace("−", "-")) for x in NUMBER.findall(line)]
                    yield " ".join(NUMBER.sub("#", line).split()), numbers


@needs_compiler
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_says_what_is_stored_with_it(path: Path, tmp_path: Path) -> None:
    """`PYTHONPATH=tests python tests/test_notebooks.py` runs them all and stores what they say."""
    nbformat = pytest.importorskip("nbformat")
    small = STUDY in path.read_text(encoding="utf-8")
    notebook = executed(path, tmp_path, small=small)
    if small:
        assert [cell for cell in notebook.cells if cell.get("outputs")]
        return
    stored, now = [*said(nbformat.read(path, as_version=4))], [*said(notebook)]
    assert [words for words, _ in stored] == [words for words, _ in now]
    for (words, one), (_, other) in zip(stored, now, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-9, err_msg=words)


#: Pages for those who change mstmm itself, which speak of its modules.
INSIDE = {"writing-a-result.md"}


def shown_code() -> Iterator[tuple[str, str]]:
    """The Python of notebooks and documents, but for those who change mstmm itself."""
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            text = "".join(cell["source"])
            if cell["cell_type"] == "code" and not text.startswith("%%"):
                yield path.name, re.sub(r"^[%!].*$", "", text, flags=re.MULTILINE)
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        if path.name in INSIDE:
            continue
        for block in re.finditer(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            yield path.name, block[1]


#: Modules of mstmm that are public, which it does not import itself.
PUBLIC = {"mstmm.torch", "mstmm.jax"}


def test_what_readers_are_shown_is_public() -> None:
    """They import `mstmm` itself, and from it what it lists."""
    hidden, seen = [], 0
    for name, code in shown_code():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                inside = {x.name for x in node.names if x.name.startswith("mstmm.")}
                hidden += [(name, x) for x in inside - PUBLIC]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mstmm"):
                names = [x.name for x in node.names]
                known = node.module == "mstmm" and set(names) <= set(mstmm.__all__)
                hidden += [] if known else [(name, f"{node.module}: {', '.join(names)}")]
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "mstmm":
                known = node.attr in mstmm.__all__ or f"mstmm.{node.attr}" in PUBLIC
                hidden += [] if known else [(name, f"mstmm.{node.attr}")]
                seen += 1
    assert hidden == []
    assert seen > 80


if __name__ == "__main__":
    import nbformat

    for each in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as scratch:
            nbformat.write(executed(each, Path(scratch)), each)
