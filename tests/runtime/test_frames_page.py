"""docs/frames.md: its code runs as it stands, and its table is the one of the example."""

from __future__ import annotations

import re
import tomllib

import pytest
from compiler import needs_compiler
from places import ROOT

PAGE = (ROOT / "docs" / "frames.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@needs_compiler
def test_the_python_of_the_page_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for text in blocks("python"):
        exec(compile(text, "frames.md", "exec"), names)
    said = capsys.readouterr().out
    for line in (
        "('tool', 'column', 'upper', 'fore', 'column:foot',",
        "('ushaft', 'uleft', 'uright')",
        "arm: the target was not reached by tool: at the nearest place found 1",
        "m are left, with qelbow at the limits",
    ):
        assert line in said


def test_the_table_of_the_page_is_the_examples() -> None:
    (text,) = blocks("toml")
    told = tomllib.loads(text)
    example = tomllib.loads((ROOT / "examples" / "arm.toml").read_text(encoding="utf-8"))
    assert told["frames"] == example["frames"]
    assert told["hinges"]["elbow"]["limits"] == example["hinges"]["elbow"]["limits"]
