"""What pages show, read back from their MathML, is what the ledger and the derivations state."""

from __future__ import annotations

import re

import pytest
import sympy as sp
from read_formulas import equation, key, letters, line, normal, parsed, same, value

from mstmm.model import load
from mstmm.report import mathml
from mstmm.report.ledgerpages import ledger_pages
from mstmm.report.written import formulas
from mstmm.symbolic.derivation.derivation import derive
from mstmm.symbolic.exact.ledger import Entry, Stated, Verdict
from mstmm.symbolic.ledgers.papers import entries
from mstmm.symbolic.pages.catalogue import element_page

PRINTED, DERIVED = 2, 3


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries with a verdict that nothing was computed for: the formulas do not depend on it."""
    found = property(lambda entry: Verdict("differs" if entry.correction else "equals", 1))
    monkeypatch.setattr(Entry, "verdict", found)


def check(cell: str, stated: str | Stated) -> int:
    """How many formulas the cell shows, each as it is stated."""
    shown = parsed(cell)
    if isinstance(stated, str):
        assert line(shown) == normal(stated), stated
        return len(shown.findall(".//math"))
    found = shown.findall("./td/div[@class='scroll formula']/math")
    known = letters(value for _, value in stated.values)
    for math, (name, wanted) in zip(found, stated.values, strict=True):
        drawn, read = equation(math, known)
        assert drawn == key(mathml.result_name(name))
        assert same(wanted, read), (name, wanted, read)
    words = shown.findall("./td/div[@class='words']")
    assert "".join(map(line, words)) == "" or line(words[0])
    assert bool(words) == bool(stated.said)
    return len(found)


@pytest.mark.usefixtures("unjudged")
def test_every_formula_of_every_page_reads_back_as_it_is_stated() -> None:
    every = entries()
    pages = ledger_pages(every)
    shown = words = 0
    for paper in dict.fromkeys(entry.paper for entry in every):
        rows = re.findall(r"<tr data-kind=.*?</tr>", pages[f"{paper}.html"], re.DOTALL)
        own = [entry for entry in every if entry.paper == paper]
        for row, entry in zip(rows, own, strict=True):
            cells = re.findall(r"<td>.*?</td>(?=<td>|</tr>)", row, re.DOTALL)
            stated = [(cells[PRINTED], entry.print_)]
            if entry.print_ is not entry.as_derived:
                stated.append((cells[DERIVED], entry.as_derived))
            for cell, what in stated:
                count = check(cell, what)
                shown += count
                words += bool(str(what)) and not count
    assert (shown, words) == (684, 47)


@pytest.mark.usefixtures("unjudged")
def test_a_lost_product_is_seen() -> None:
    pages = ledger_pages(entries("riccati", 39))
    assert "<em>" not in pages["riccati.html"]
    [cell] = re.findall(r"<td><div class=\"scroll formula\".*?</td>", pages["riccati.html"])
    [entry] = entries("riccati", 39)
    assert check(cell, entry.print_) == 1
    with pytest.raises(AssertionError):
        check(cell.replace(mathml.TIMES, "", 1), entry.print_)
    with pytest.raises(AssertionError):
        check(cell.replace("<mn>4</mn>", "<mn>2</mn>", 1), entry.print_)


@pytest.mark.parametrize(
    "text",
    [
        "Ω̇_I = −S_mΩ⁻¹ (S_mr r̈ + e_m)",
        "J̇_ij = [J_ij, ᵛ(V_i − Ad_{r_i,j−1} V_{j−1})]",
        "ᵏW = ᵏM (ᵏV̇ + ad_{ᵏV}ᵀ ᵏV), k = 1, …, n",
        "A = [[1, −~z], [0, 1]], the shift of an arm",
        "K_i* = ½ Σ_{j<k≤n} v_i · F",
    ],
)
def test_a_line_reads_back(text: str) -> None:
    assert line(parsed(formulas(text))) == normal(text)
    broken = formulas(text).replace(mathml.TIMES, "")
    assert mathml.TIMES not in formulas(text) or line(parsed(broken)) != normal(text)


def reads_back(shown: sp.Expr | sp.MatrixBase) -> bool:
    return same(shown, value(list(parsed(mathml.formula(shown))), letters([shown])))


def test_formulas_of_the_derivation_read_back() -> None:
    results = derive(load("branch-pendulum")).results
    steps = [line.formula for result in results for line in result.steps]
    shown = [result.matrix for result in results] + [result.printed for result in results]
    for formula in (*shown, *steps):
        assert formula is None or isinstance(formula, sp.Eq) or reads_back(formula)


@pytest.mark.parametrize("element", ["rigid-body", "helical"])
def test_formulas_of_an_element_read_back(element: str) -> None:
    page = element_page(element, 3)
    shown = [s.value for section in page.sections for s in section.statements]
    assert all(reads_back(formula) for formula in shown if formula is not None)
