"""The ledger's pages hold every entry; what a reader types is judged by the same letters."""

from __future__ import annotations

import re

import pytest
from commands import answer, assert_fits_80_columns, run

from mstmm.errors import UsageError
from mstmm.papers import ledger
from mstmm.papers.shelf import account, entries
from mstmm.report.ledgerpages import ledger_pages


def test_pages_hold_every_entry_with_its_verdict() -> None:
    one = "divide-and-conquer"
    found = [e for e in entries(one) if e.equation in ("1", "2", "3", "4", "5")]
    pages = ledger_pages(found, {one: ""}, {})
    assert set(pages) == {"divide-and-conquer.html", "errata.html", "index.html"}
    page = pages["divide-and-conquer.html"]
    kinds = re.findall(r'data-kind="(\w+)"', page)
    assert kinds == [entry.verdict.status for entry in found]
    assert {"equals", "differs"} <= set(kinds)
    wrong = [entry for entry in found if entry.verdict.status == "differs"]
    assert pages["errata.html"].count("as printed it fails in") == len(wrong)
    assert 'href="divide-and-conquer.html"' in pages["index.html"]
    assert "Every number of the paper" not in page


def test_a_whole_paper_has_its_account() -> None:
    one = "divide-and-conquer"
    pages = ledger_pages(entries(one), {one: ""}, {one: account(one)})
    assert "Every number of the paper" in pages[f"{one}.html"]
    assert "77 of 77 (100.0%)" in pages["index.html"]


@pytest.mark.parametrize(
    ("paper", "claim", "holds"),
    [
        ("riccati", "(T_11*S_i + T_12)*P = (T_11*S_i + T_12)*inv(T_21*S_i + T_22)", True),
        ("riccati", "T_11*S_i*P = T_11*S_i*T(P)", False),
        ("riccati", "S2 = [a m s_1, -a m c_1, 4 a^2 m/3; -m, 0, -a m s_1; 0, -m, a m c_1]", True),
        ("riccati", "S2[1,3] = 4*a^2*m", False),
        ("divide-and-conquer", "Phat = p - T(Φ)*sigma", True),
        ("divide-and-conquer", "Phat = p + T(Φ)*sigma", False),
        ("divide-and-conquer", "W*(xi_11^B + xi_22^A)*D_3 = -D_3", True),
        ("divide-and-conquer", "xi_11^C = xi_11^A + xi_12^A*W*xi_21^A", True),
        ("divide-and-conquer", "xi_11^C = xi_11^A - xi_12^A*W*xi_21^A", False),
        ("screw", "d_kk(Jb_ij) = [[Jb_ij, Jb_ik], Jb_ik] for j<k", True),
        ("screw", "d_k(Jb_ij) = [Jb_ik, Jb_ij] for j<k", False),
        ("screw", "Wb_2 = Mb_2*Vb'_2 - T(ad(Vb_2))*Mb_2*Vb_2", True),
        ("screw", "Vb'_i = Ad(C_ip)*Vb'_p + X_i*q''_i + bracket(Vb_i, X_i*q'_i)", True),
        ("screw", "Vb'_i = Ad(C_ip)*Vb'_p + X_i*q''_i", False),
    ],
)
def test_claims_are_judged(paper: str, claim: str, holds: bool) -> None:
    outcome = ledger(paper).claim(claim)
    assert outcome.ok is holds, outcome.sentence()


@pytest.mark.parametrize(
    "claim",
    [
        "p",
        "p = __import__('os').system('true')",
        "p = M.T",
        "p = (lambda: M)()",
        "p = M**2",
        "K = 2^9^9",
        "K = 2^99",
        "K = 1e400",
        "p = nope",
        "p = M",
        "K = 1/0",
        "p = M + 1",
        "p[9,9] = 1",
        "p[0:3] = p[1:3]",
        "p[3:1] = p[1:3]",
        "p[1:2:1] = p[1:2]",
        "p = [x for x in M]",
        "p = 'M'",
        "p = [[p, p], [p, p]]",
        "K = skew(p)",
        "p = bracket(p)",
        "p = Ad(p, k=1)",
        "H_x = 0",
        "K = " + "(" * 100 + "1" + ")" * 100,
        "K = " + "1+" * 5000 + "1",
    ],
)
def test_what_is_no_claim_is_refused(claim: str) -> None:
    with pytest.raises(UsageError):
        ledger("divide-and-conquer").claim(claim, ["holonomic"])


def test_the_command_judges_a_claim() -> None:
    asked = ("ledger", "--paper", "divide-and-conquer", "--claim")
    good = run(*asked, "xi_11^C = xi_11^A + xi_12^A W xi_21^A")
    assert good.exit_code == 0
    assert "holds exactly in 1 case" in good.stdout
    assert run(*asked, "xi_11^C = xi_11^A").exit_code == 1
    at = run(*asked, "Q_1^A = Qbar_1^A + S_12^A Qbar_2^A", "--equation", "70")
    assert "holds exactly in 2 cases" in at.stdout
    assert "divide-and-conquer, at loop, chain" in at.stdout
    nobody = run("ledger", "--claim", "a = b")
    assert nobody.exit_code == 2
    assert "of one paper: name it by --paper" in nobody.stderr


def test_the_letters_of_a_claim_are_told() -> None:
    told = answer("ledger", "--paper", "screw", "--symbols")
    assert_fits_80_columns(told)
    said = " ".join(told.split())
    # Letters that mean the same stand together.
    names = "Jb_ij (Jᵇ_ij), Jh_ij (Jʰ_ij), Jm_ij (Jᵐ_ij)"
    assert f"{names} 6 × 1, column of joint j, zero off the way to i" in said
    assert "bracket" in said
