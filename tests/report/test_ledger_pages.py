"""The ledger's pages hold every entry; a reader's own print is judged, and never run."""

from __future__ import annotations

import re

import pytest
from commands import run

from mstmm.errors import UsageError
from mstmm.report.ledgerpages import ledger_pages
from mstmm.symbolic.exact.claims import judge
from mstmm.symbolic.ledgers.papers import PAPERS, entries


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
        ("divide-and-conquer", "27", "W*(xi11_B + xi22_A)*D_3 = -D_3", True),
        ("divide-and-conquer", "34", "xi11_C = xi11_A + xi12_A*W*xi21_A", True),
        ("divide-and-conquer", "34", "xi11_C = xi11_A - xi12_A*W*xi21_A", False),
        ("screw", "6", "Jb_3_1_q_2 = bracket(Jb_3_1, Jb_3_2)", True),
        ("screw", "6", "Jb_3_1_q_2 = bracket(Jb_3_2, Jb_3_1)", False),
        ("screw", "42", "Wb_2 = Mb_2*dVb_2 - T(ad(Vb_2))*Mb_2*Vb_2", True),
        ("screw", "51", "Whc_2[4:6] = m_2*ddrc_2", True),
        ("screw", "51", "Whc_2[4:6] = m_2*drc_2", False),
        ("screw", "98", "Vs_2 = Ad(C_2)*Vb_2", True),
        ("screw", "101", "Vm_2 = [[Vb_2[1:3]], [dr_2]]", True),
        ("recursive-formulation", "3.26", "v_2 = A_2*v_1 + B_2*dq_2", True),
        ("recursive-formulation", "3.39", "dw_2 = skew(omega_1)*w_2", True),
        ("recursive-formulation", "3.39", "dw_2 = 0*w_2", False),
        (
            "recursive-formulation",
            "3.54",
            "Qr_3 = T(A_3)*(Qh_3 - Mh_3*D_3 - Mh_3*B_3*inv(T(B_3)*Mh_3*B_3)"
            "*(tau_3 + T(B_3)*(Qh_3 - Mh_3*D_3)))",
            True,
        ),
        (
            "recursive-formulation",
            "4.11",
            "ddh = hu_3*dv_3 + hu_5*dv_5 + huuv + 2*hutv + htt",
            True,
        ),
        ("recursive-formulation", "4.11", "ddh = hu_3*dv_3 + hu_5*dv_5 + huuv + hutv + htt", False),
        ("recursive-formulation", "A.6", "u = V*qfree + W", True),
        ("recursive-formulation", "A.6", "dx_1 = X_1_1*u[1] + X_1_2*u[2] + X_1_3*u[3] + Y_1", True),
        ("recursive-formulation", "A.2", "dx_1 = X_1_1*u[1] + X_1_2*u[2] + X_1_3*u[3]", False),
        (
            "recursive-formulation",
            "B.24",
            "omega_j - omega_i = omega_ik + omega_k - omega_jk",
            True,
        ),
        (
            "recursive-formulation",
            "C.32",
            "B = [[cross(b21, W[1:3,1]), cross(b21, W[1:3,2])], [W]]",
            True,
        ),
        ("recursive-formulation", "C.18", "r2 - r1 = b11 - b21", True),
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
    refused = run("ledger", "--paper", "screw", "--equation", "90", "--claim", "a = b")
    assert refused.exit_code == 2
    assert "(90) of the screw paper takes no claim: its increments are drawn" in refused.stderr


def test_what_takes_no_claim_says_why() -> None:
    without = [entry for paper in PAPERS for entry in entries(paper) if entry.symbols is None]
    assert all(entry.no_claim for entry in without)
    assert len(without) == 23
    assert not any(e.no_claim for p in PAPERS for e in entries(p) if e.symbols is not None)


def test_the_letters_of_a_claim_are_told() -> None:
    told = run("ledger", "--paper", "screw", "--equation", "6", "--symbols").stdout
    assert "Jb_i_j_q_k a slope by q_k" in " ".join(told.split())
    assert "bracket" in told
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize(
    "claim",
    [
        "skew(Vb_2) = Mb_2",
        "bracket(Vb_2) = Vb_2",
        "Vb_2[0:3] = Vb_2[1:3]",
        "Vb_2[3:1] = Vb_2[1:3]",
        "Vb_2[1:4:2] = Vb_2[1:3]",
        "Vb_2[1:] = Vb_2[1:3]",
        "Mb_2 = [[Vb_2, R_2]]",
        "Ad(C_2, k=1) = Mb_2",
    ],
)
def test_what_functions_and_parts_do_not_take(claim: str) -> None:
    [entry] = entries("screw", "42")
    with pytest.raises(UsageError):
        judge(entry, claim)
