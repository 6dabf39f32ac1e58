"""The command line as the tests use it: in this process, or as one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from mstmm.cli.app import app

COMMAND = (sys.executable, "-c", "from mstmm.cli import main; main()")


def run(*arguments: str | Path) -> Any:
    """The command in this process."""
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(x) for x in arguments])


def answer(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def children() -> float:
    """Processor time in s of all processes that were started and have ended."""
    used = os.times()
    return used.children_user + used.children_system


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", **environment},
        check=False,
    )


def assert_one_line(text: str, *parts: str) -> None:
    assert text.startswith("mstmm: ")
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    for part in parts:
        assert part in text


def assert_fits_80_columns(text: str) -> None:
    """A dot over a letter is a character of its own, and takes no column."""

    def columns(line: str) -> int:
        return sum(not unicodedata.combining(character) for character in line)

    assert [line for line in text.splitlines() if columns(line) > 80] == []
