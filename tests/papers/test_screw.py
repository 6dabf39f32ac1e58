"""The screw paper's equations at other trees, its misprints, and what its programs compute."""

from __future__ import annotations

import pytest

from mstmm.papers import ledger
from mstmm.papers.screw.tree import Tree
from mstmm.papers.screw.world import SEEDS, Screws, world
from mstmm.papers.shelf import account
from mstmm.symbolic.equations.verdicts import judge
from mstmm.symbolic.equations.worlds import World

LEDGER = ledger("screw")

#: A chain, and a tree that branches further out and at the ground.
OTHERS = {"chain": (3, {1: 0, 2: 1, 3: 2}), "wide": (5, {1: 0, 2: 1, 3: 2, 4: 2, 5: 0})}

#: What is said of joints that move no common body, which a chain has not.
BRANCHED = {"Sect. 6.1, closed", "Sect. 6.2, forces"}


def test_all_misprints_are_there() -> None:
    """Those of the numbered equations, of the texts between them, and what is often assumed."""
    found = {each.number for each in LEDGER.entries if each.verdict.status == "differs"}
    assert found == {
        *("3", "4", "5", "14", "19", "26", "27", "28", "29", "34", "48, before", "51", "53"),
        *("54, before", "57, before", "64", "65", "Remark 3", "68", "68, range", "72"),
        *("72, range", "76b", "77", "77, range", "85, skew", "87", "88", "90"),
    }


def test_every_equation_but_one_is_accounted() -> None:
    """What (108) says is not known."""
    assert {one.row.number for one in account("screw").statements if not one.running} == {"108"}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_trees_give_the_same_verdicts(name: str) -> None:
    other = Screws(Tree.drawn(*OTHERS[name]))

    def found(instant: str) -> World:
        return other if instant in SEEDS else world(instant)

    for entry in LEDGER.entries:
        if name == "chain" and entry.number in BRANCHED:
            continue
        status = judge(entry.written, LEDGER.paper, found).status
        assert status == entry.verdict.status, entry.number


@pytest.mark.parametrize(
    "claim",
    [
        "Wps_i = Ms_i Ap_i + ad(Vp_i)^T Ms_i Vp_i - Wapps_i + Σ_c Wps_c",
        "Wpb_i = Mb_i Ab_i - ad(Vb_i)^T Mb_i Vb_i + Wappb_i + Σ_c Ad(C_ci)^T Wpb_c",
        "Wph_i = Mh_i Ah_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i + Σ_c Ad(r_ic)^T Wph_c",
    ],
)
def test_what_a_program_does_not_compute_fails(claim: str) -> None:
    assert LEDGER.claim(claim, ["sweeps"]).failing
