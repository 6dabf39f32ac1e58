"""The command `check` on beams without shape functions."""

from __future__ import annotations

from pathlib import Path

import cell_models
from commands import run


def test_beams_for_linear_are_called_so(tmp_path: Path) -> None:
    path = tmp_path / "frame.toml"
    path.write_text(cell_models.l_frame(), encoding="utf-8")
    assert "2 beams with no shape function, for linear" in run("check", str(path)).stdout
