"""The page of all algorithms says what the code has."""

from __future__ import annotations

import re

import pytest
from file_texts import ROOT

import mstmm
from mstmm.codegen.cost import COLUMNS, costs
from mstmm.codegen.generate import ALIASES, PROGRAMS, generate

PAGE = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")


def section(title: str) -> list[list[str]]:
    """The cells of the rows of the first table after a heading; names without their quotes."""
    lines = PAGE.split(f"# {title}\n", 1)[1].split("\n#", 1)[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return [[re.sub("[`]", "", cell) for cell in row] for row in rows]


def test_every_name_has_a_row_and_no_row_is_too_many() -> None:
    names = [row[0] for row in section("Algorithms")]
    assert sorted(names) == sorted({name for name, _, _ in PROGRAMS} | ALIASES.keys())
    assert all(len(row) == 4 and all(row) for row in section("Algorithms"))


def test_every_program_s_cost_is_there() -> None:
    counted = {row[0] for row in section("Operations")}
    assert counted == {name for name, _, absolute in PROGRAMS if not absolute}


@pytest.mark.slow
def test_the_figures_are_those_of_the_emitted_code() -> None:
    """If this fails, the code costs something else now: `mstmm generate … --cost` says what."""
    model = mstmm.load(str(ROOT / "docs" / "seven-hinges.toml"))
    for name in {row[0] for row in section("Operations")}:
        rows = [row for row in section("Operations") if row[0] == name]
        made = generate(model, algorithm=name, entries=tuple(row[1] for row in rows))
        for (_, entry, *figures), cost in zip(rows, costs(made.module), strict=True):
            assert cost.whole.name == entry
            kinds = {head: kinds for head, kinds in COLUMNS.items() if head != "sqrt"}
            found = [sum(cost.whole.operations.get(k, 0) for k in each) for each in kinds.values()]
            assert [int(x) for x in figures] == [*found, cost.whole.pairs], (name, entry)
