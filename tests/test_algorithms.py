"""The page of all algorithms says what the code has."""

from __future__ import annotations

import re

import pytest
from file_texts import ROOT

import mstmm
from mstmm.codegen.cost import COLUMNS, costs
from mstmm.codegen.generate import ALIASES, PROGRAMS, generate
from mstmm.errors import UsageError

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


@pytest.mark.parametrize(
    ("model", "asked", "said"),
    [
        ("double-pendulum", {"algorithm": "RNEA-body"}, r"did you mean rnea-body\?\); known: ricc"),
        ("double-pendulum", {"algorithm": "aba"}, "there is no algorithm 'aba'; known: riccati"),
        ("double-pendulum", {"algorithm": "dca", "form": "paper"}, "dca has no form 'paper'"),
        (
            "branch-pendulum",
            {"algorithm": "hdca"},
            "is in absolute coordinates, hdca .* joint ones",
        ),
        ("double-pendulum", {"algorithm": "dca", "assembly": 5}, "assembly = 5 is no text"),
        ("double-pendulum", {"assembly": "1,2"}, "riccati has no assembly tree; dca and hdca"),
        ("spatial-tree", {"algorithm": "dca"}, "spatial-tree: dca takes no .*; use riccati"),
    ],
)
def test_what_there_is_not_is_said(model: str, asked: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        mstmm.compile(model, target="numpy", **asked)  # type: ignore[arg-type]


def test_a_method_is_known_by_its_own_name() -> None:
    """Not by that of the code that computes it, which another algorithm's may share."""
    q = v = [0.0, 0.0]
    solvers = {
        name: mstmm.compile("double-pendulum", algorithm=name, target="numpy")
        for name in ("riccati", "closed-form", "hdca")
    }
    for name in ("riccati", "closed-form"):
        with pytest.raises(UsageError, match=r"compute momenta; compile with algorithm='hdca'$"):
            solvers[name].momenta(q, v)
    for name in ("riccati", "hdca"):
        with pytest.raises(
            UsageError, match=r"compute spatial_momenta; compile with .*'closed-form'"
        ):
            solvers[name].spatial_momenta(q, v)
        with pytest.raises(
            UsageError, match=r"compute coriolis_matrix; compile with .*'closed-form'"
        ):
            solvers[name].coriolis_matrix(q, v)
    with pytest.raises(UsageError, match="compute regauged; compile with algorithm='hdca'"):
        solvers["riccati"].regauged(q, v)


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
