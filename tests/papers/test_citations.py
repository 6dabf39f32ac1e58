"""What is cited of a paper is in its ledger."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import answer

from mstmm.papers import ledger
from mstmm.papers.citations import programs
from mstmm.papers.cited import equations
from mstmm.papers.shelf import entries
from mstmm.report.documents.document import Fold, Table, place_of
from mstmm.report.ledgerpages import ledger_pages
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


def lost(pages: dict[str, str]) -> list[str]:
    """Links of pages, files of one folder, that lead nowhere."""
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', page)) for name, page in pages.items()}
    found = []
    for name, page in pages.items():
        for link in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', page):
            file, _, anchor = link.partition("#")
            there = anchors.get(file or name)
            if there is None or (anchor and anchor not in there):
                found.append(f"{name}: {link}")
    return found


def test_a_link_that_leads_nowhere_is_seen() -> None:
    page = '<a href="#there">a</a><a href="#nowhere">b</a><a href="other.html">c</a><p id="there">'
    assert lost({"a.html": page}) == ["a.html: #nowhere", "a.html: other.html"]
    assert lost({"a.html": '<a href="b.html#x">x</a>', "b.html": '<p id="y">'}) != []


WRITTEN = {
    "model": ("derive", "double-pendulum", "--format", "html"),
    "divided": ("derive", "double-pendulum", "--algorithm", "hdca", "--format", "html"),
    "overall": ("derive", "double-pendulum", "--overall", "--format", "html"),
    "hinge": ("derive", "--element", "pin", "--dimension", "2", "--format", "html"),
    "body": ("derive", "--element", "rigid-body", "--dimension", "2", "--format", "html"),
}


@pytest.mark.parametrize("asked", WRITTEN.values(), ids=WRITTEN)
def test_each_equation_that_a_page_cites_is_in_it(asked: tuple[str, ...]) -> None:
    page = answer(*asked)
    assert lost({"page.html": page}) == []
    links = re.findall(r'href="#eq-([a-z-]+?)-[\w.]+">\(([^)]*)\)</a>', page)
    assert links
    bare = re.sub(r'<a href="#eq-[^>]*>\([^)]*\)</a>', "", page)
    assert list(cited(bare)) == []


def test_every_link_of_a_ledgers_pages_leads_somewhere() -> None:
    paper = "divide-and-conquer"
    found = [entry for entry in entries(paper) if entry.equation in ("1", "2", "3")]
    pages = ledger_pages(found, {paper: ""}, {})
    assert lost(pages) == []
    places = re.findall(r'<tr[^>]* id="([^"]+)"', pages[f"{paper}.html"])
    assert {f"eq-{paper}-{number}" for number in "123"} <= set(places)


def test_equations_of_several_papers_have_places_of_their_own() -> None:
    numbers = [(paper, str(number)) for paper in ("riccati", "screw") for number in (4, 29, 34)]
    (section,) = equations(numbers)
    (fold,) = [block for block in section.blocks if isinstance(block, Fold)]
    (table,) = fold.blocks
    assert isinstance(table, Table)
    assert len(set(table.anchors)) == len(table.anchors)
    assert {place_of(*each) for each in numbers} <= set(table.anchors)
