"""What pages show, read back from their MathML, is what the ledger and the derivations state."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import sympy as sp
from read_formulas import letters, line, normal, parsed, same, value

from mstmm import derive
from mstmm.model import load
from mstmm.papers import PAPERS, ledger
from mstmm.report import formulas as laid
from mstmm.report.documents.html import inline
from mstmm.report.documents.html import line as formulas
from mstmm.report.ledgerpages import ledger_pages
from mstmm.symbolic.equations import alphabets
from mstmm.symbolic.equations.ledger import Judged
from mstmm.symbolic.equations.verdicts import Verdict
from mstmm.symbolic.pages.catalogue import element_page

PRINTED, DERIVED = 2, 3
TIMES = alphabets.FIXED["times"][1]


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries with a verdict that nothing was computed for: the formulas do not depend on it."""
    found = property(lambda entry: Verdict("differs" if entry.correction else "equals", 1))
    monkeypatch.setattr(Judged, "verdict", found)


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize("paper", PAPERS)
def test_every_page_shows_every_line_that_is_judged(paper: str) -> None:
    found = [entry for entry in ledger(paper).entries if entry.written.right]
    page = ledger_pages(found, {paper: ""}, {})[f"{paper}.html"]
    rows = re.findall(r"<tr data-kind=.*?</tr>", page, re.DOTALL)
    for row, entry in zip(rows, found, strict=True):
        cells = re.findall(r"<td>.*?</td>(?=<td>|</tr>)", row, re.DOTALL)
        shown = re.findall(r"<math>.*?</math>", cells[PRINTED] + cells[DERIVED], re.DOTALL)
        boxes = [*entry.print_.boxes]
        if entry.print_ is not entry.as_derived:
            boxes += entry.as_derived.boxes
        assert shown == [inline(box) for box in boxes]
        for math in shown:
            assert "".join(ElementTree.fromstring(math).itertext()).strip()


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
    broken = formulas(text).replace(TIMES, "")
    assert TIMES not in formulas(text) or line(parsed(broken)) != normal(text)


def reads_back(shown: sp.Expr | sp.MatrixBase) -> bool:
    return same(shown, value(list(parsed(alphabets.mathml(laid.formula(shown)))), letters([shown])))


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
