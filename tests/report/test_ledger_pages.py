"""The ledger's pages hold every entry; a reader's own print is judged, and never run."""

from __future__ import annotations

import re

import pytest
from commands import run

from mstmm.errors import UsageError
from mstmm.report.ledgerpages import ledger_pages
from mstmm.symbolic.exact.claims import judge
from mstmm.symbolic.ledgers.papers import entries


def test_pages_hold_every_entry_with_its_verdict() -> None:
    found = [e for e in entries("divide-and-conquer") if e.equation in ("1", "2", "3", "4", "5")]
    pages = ledger_pages(found)
    assert set(pages) == {"divide-and-conquer.html", "errata.html", "index.html"}
    page = pages["divide-and-conquer.html"]
    kinds = re.findall(r'data-kind="(\w+)"', page)
    assert kinds == [entry.verdict.status for entry in found]
    assert {"equals", "differs"} <= set(kinds)
    wrong = [entry for entry in found if entry.verdict.status == "differs"]
    assert pages["errata.html"].count("as printed it fails in") == len(wrong)
    assert 'href="divide-and-conquer.html"' in pages["index.html"]


@pytest.mark.parametrize(
    ("paper", "equation", "claim", "holds"),
    [
        ("riccati", "29", "S_next = (T11*S_i + T12)*P_i", True),
        ("riccati", "29", "S_next = (T11*S_i + T12)*inv(T21*S_i + T22)", True),
        ("riccati", "29", "S_next = (T11*S_i + T12)*T(P_i)", False),
        (
            "riccati",
            "39",
            "S2 = [[a*m*s1, -a*m*c1, 4*a**2*m/3], [-m, 0, -a*m*s1], [0, -m, a*m*c1]]",
            True,
        ),
        ("riccati", "39", "S2[1,3] = 4*a**2*m", False),
        ("deduction", "5", "z_1_O = U_1*z_1_I1", True),
        ("divide-and-conquer", "2", "phat = p - T(J)*sigma", True),
        ("divide-and-conquer", "2", "phat = p + T(J)*sigma", False),
    ],
)
def test_claims_are_judged(paper: str, equation: str, claim: str, holds: bool) -> None:
    entry = next(entry for entry in entries(paper, equation) if entry.symbols)
    assert judge(entry, claim).ok is holds


@pytest.mark.parametrize(
    "claim",
    [
        "p",
        "p = q = M",
        "p = __import__('os').system('true')",
        "p = M.T",
        "p = (lambda: M)()",
        "p = M**2",
        "K = 2**9**9",
        "K = 1e400",
        "p = nope",
        "p = M",
        "K = 1/0",
        "p = M + 1",
        "p[9,9] = 1",
        "p = [x for x in M]",
        "p = 'M'",
        "K = " + "(" * 100 + "1" + ")" * 100,
        "K = " + "1+" * 5000 + "1",
    ],
)
def test_what_is_no_claim_is_refused(claim: str) -> None:
    entry = next(e for e in entries("divide-and-conquer", "2") if e.symbols)
    with pytest.raises(UsageError):
        judge(entry, claim)


def test_a_claim_about_nothing_says_nothing() -> None:
    entry = next(e for e in entries("divide-and-conquer", "2") if e.symbols)
    assert "says nothing" in judge(entry, "0 = K - K").sentence()


def test_the_command_judges_a_claim_and_names_an_entry_without_symbols() -> None:
    arguments = ("ledger", "--paper", "riccati", "--equation", "29", "--claim")
    good = run(*arguments, "S_next = (T11*S_i + T12)*P_i")
    assert good.exit_code == 0
    assert "holds exactly at 2 instants" in good.stdout
    assert run(*arguments, "S_next = P_i").exit_code == 1
    refused = run("ledger", "--paper", "screw", "--equation", "51", "--claim", "a = b")
    assert refused.exit_code == 2
    assert "no symbols are declared for (51) of the screw paper" in refused.stderr
