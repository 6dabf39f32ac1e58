"""What the ledger's pages show, read back from their MathML, is what the ledger states."""

from __future__ import annotations

import re

import pytest
import sympy as sp
from read_formulas import equation, key, letters, line, normal, parsed

from mstmm.report import mathml
from mstmm.report.ledgerpages import ledger_pages
from mstmm.report.written import formulas
from mstmm.symbolic.exact.ledger import Entry, Stated, Verdict
from mstmm.symbolic.ledgers.papers import entries

PRINTED, DERIVED = 2, 3


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries with a verdict that nothing was computed for: the formulas do not depend on it."""
    found = property(lambda entry: Verdict("differs" if entry.correction else "equals", 1))
    monkeypatch.setattr(Entry, "verdict", found)


def rational(expression: sp.Expr) -> sp.Expr:
    """The value where each symbol, sine and cosine is a fraction of its own."""
    atoms = sorted(expression.atoms(sp.sin, sp.cos), key=str)
    fractions = {atom: sp.Rational(k + 3, 2 * k + 7) for k, atom in enumerate(atoms)}
    inner = expression.xreplace(fractions)
    commuting = [symbol for symbol in inner.free_symbols if symbol.is_commutative]
    return sp.expand(
        inner.xreplace(
            {x: sp.Rational(2 * k + 5, k + 11) for k, x in enumerate(sorted(commuting, key=str))}
        )
    )


def same(left: sp.Expr | sp.MatrixBase, right: sp.Expr | sp.MatrixBase) -> bool:
    if isinstance(left, sp.MatrixBase) and left.shape == (1, 1):
        left = left[0, 0]
    pairs = zip(sp.Matrix([left]), sp.Matrix([right]), strict=True)
    return all(rational(a - b) == 0 for a, b in pairs)


def check(cell: str, stated: str | Stated) -> int:
    """How many formulas the cell shows, each as it is stated."""
    shown = parsed(cell)
    if isinstance(stated, str):
        assert line(shown) == normal(stated), stated
        return len(shown.findall(".//math"))
    found = shown.findall("./td/div[@class='scroll formula']/math")
    known = letters(value for _, value in stated.values)
    for math, (name, value) in zip(found, stated.values, strict=True):
        drawn, read = equation(math, known)
        assert drawn == key(mathml.result_name(name))
        assert same(value, read), (name, value, read)
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
