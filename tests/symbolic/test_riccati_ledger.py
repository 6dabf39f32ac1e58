"""The Riccati paper's results, judged by their prints and by the example's true motion."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from mstmm.model import load
from mstmm.symbolic.derivation.derivation import derive
from mstmm.symbolic.derivation.results import Result
from mstmm.symbolic.exact.ledger import Entry, failures
from mstmm.symbolic.ledgers.riccati.claims import CLAIMS
from mstmm.symbolic.ledgers.riccati.ledger import CORRECTED, ENTRIES

RESULTS = tuple(derive(load("branch-pendulum")).results)
(FIRST, SECOND) = ENTRIES[0].instants

#: Displays that our copy of the paper lacks.
ABSENT = {"6", "8", "16", "36", "37", "43", "44", "49", "55"}

#: The root pin neither moves nor carries a moment, so that their columns of (57) say nothing.
IDLE = {"Uall": {(row, column) for row in range(10) for column in (0, 1, 3)}}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.number)
def test_a_result_has_its_verdict(entry: Entry) -> None:
    expected = "differs" if entry.correction else "own" if entry.kind == "own" else "equals"
    assert entry.verdict.status == ("absent" if entry.equation in ABSENT else expected)
    assert entry.as_derived
    assert bool(entry.as_printed) == bool(entry.correction)


def test_the_misprints_are_those_of_the_errata() -> None:
    assert {entry.number.split(", ")[1] for entry in ENTRIES if entry.correction} == set(CORRECTED)
    assert {entry.equation for entry in ENTRIES} == {str(n) for n in range(1, 63)}


def seen(result: Result, matrix: sp.Matrix) -> bool:
    """Whether a result that is something else fails."""
    wrong = replace(result, matrix=matrix)
    claim = CLAIMS.get(result.symbol)
    return claim is not None and failures(lambda at: claim(at, wrong), [FIRST]) > 0


def changed(matrix: sp.Matrix, i: int, j: int) -> sp.Matrix:
    found = matrix.as_mutable()
    found[i, j] += 1
    return found


@pytest.mark.parametrize(
    "result",
    [
        result
        for result in RESULTS
        if result.symbol in CLAIMS and all(x.is_commutative for x in result.matrix.free_symbols)
    ],
    ids=lambda result: f"{result.symbol} {result.form}",
)
def test_every_entry_counts_without_a_print(result: Result) -> None:
    rows, columns = result.matrix.shape
    places = [(i, j) for i in range(rows) for j in range(columns)]
    unseen = {at for at in places if not seen(result, changed(result.matrix, *at))}
    assert unseen == IDLE.get(result.symbol, set())


@pytest.mark.parametrize(
    "symbol", ["z_bO", "z_bI_solved", "P_i", "q_i", "z_bI", "z_aO", "S_next", "e_next", "z_back"]
)
def test_every_term_of_the_recursion_counts(symbol: str) -> None:
    (result,) = (found for found in RESULTS if found.symbol == symbol)
    for i, entry in enumerate(result.matrix):
        for term in sp.Add.make_args(entry.expand()):
            matrix = result.matrix.as_mutable()
            matrix[i] = entry - 2 * term
            assert seen(result, matrix), term
