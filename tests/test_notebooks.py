"""Every notebook, an example or a paper's, runs from top to bottom, in a folder of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from compiler import needs_compiler
from places import EXAMPLES, ROOT

#: Those of the papers run whenever the site is built, and fail it where they fail.
NOTEBOOKS = [
    *EXAMPLES.glob("*.ipynb"),
    *(
        pytest.param(path, marks=pytest.mark.slow)
        for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
    ),
]


@needs_compiler
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for model in EXAMPLES.glob("*.toml"):
        shutil.copy(model, tmp_path)
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "is kept without its outputs"
    nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert [cell for cell in notebook.cells if cell.get("outputs")]
