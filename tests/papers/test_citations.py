"""What is cited of a paper is in its ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from mstmm.papers import ledger
from mstmm.papers.citations import programs
from mstmm.symbolic.equations.account import rows
from mstmm.symbolic.equations.citations import cited

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("screw paper (57), (58): t_parent", [("screw", "57"), ("screw", "58")]),
        ("Riccati paper, equations (4)-(7)", [("riccati", str(k)) for k in (4, 5, 6, 7)]),
        ("by the screw paper (76b) and (77)", [("screw", "76"), ("screw", "77")]),
        ("recursive-formulation paper (3.54)", [("recursive-formulation", "3.54")]),
        ("the Riccati paper (seed) and f(29)", []),
    ],
)
def test_citations_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert list(cited(text)) == found


def unknown(text: str) -> list[tuple[str, str]]:
    return [
        (paper, number)
        for paper, number in cited(text)
        if number not in {row.number for row in rows(ledger(paper))}
    ]


def test_every_number_that_a_kernel_cites_is_in_its_ledger() -> None:
    sources = {
        statement.source
        for *_, program in programs()
        for step in program.steps
        for call in step.calls
        for statement in call.kernel.statements
    }
    assert len([source for source in sources if list(cited(source))]) > 40
    assert [source for source in sources if unknown(source)] == []


def test_every_number_that_code_and_docs_cite_is_in_its_ledger() -> None:
    folders = ("symbolic", "codegen", "runtime", "report", "papers", "templates", "docs")
    files = [
        file
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".md", ".jinja")
    ]
    found = {str(file.relative_to(ROOT)): unknown(file.read_text("utf-8")) for file in files}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}
