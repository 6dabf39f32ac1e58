"""The Riccati paper's results, judged by their prints and by the example's true motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp

from mstmm.model import load
from mstmm.symbolic.derivation.derivation import derive
from mstmm.symbolic.derivation.results import Result
from mstmm.symbolic.exact.ledger import Entry, failures
from mstmm.symbolic.ledgers.papers import account, entries
from mstmm.symbolic.ledgers.riccati.claims import CLAIMS

#: The results are judged in so many tests, each of every so-manieth: to read them takes seconds,
#: which collecting must not.
SHARES = 8

#: Displays that our copy of the paper lacks.
ABSENT = {"6", "8", "16", "36", "37", "43", "44", "49", "55"}

#: The root pin neither moves nor carries a moment, so that their columns of (57) say nothing.
IDLE = {"Uall": {(row, column) for row in range(10) for column in (0, 1, 3)}}


@cache
def results() -> tuple[Result, ...]:
    return tuple(derive(load("branch-pendulum")).results)


@cache
def ledger() -> tuple[Entry, ...]:
    return entries("riccati")


@pytest.mark.parametrize("share", range(SHARES))
def test_a_result_has_its_verdict(share: int) -> None:
    for entry in ledger()[share::SHARES]:
        expected = "differs" if entry.correction else "own" if entry.kind == "own" else "equals"
        expected = "absent" if entry.equation in ABSENT else expected
        assert entry.verdict.status == expected, entry.number
        assert entry.as_derived, entry.number
        assert bool(entry.as_printed) == bool(entry.correction), entry.number


def test_the_misprints_are_those_of_the_errata() -> None:
    from mstmm.symbolic.ledgers.riccati.ledger import CORRECTED

    assert {entry.number.split(", ")[1] for entry in ledger() if entry.correction} == set(CORRECTED)
    assert account("riccati").share == 1


def seen(result: Result, matrix: sp.Matrix) -> bool:
    """Whether a result that is something else fails."""
    wrong = replace(result, matrix=matrix)
    claim = CLAIMS.get(result.symbol)
    first = ledger()[0].instants[0]
    return claim is not None and failures(lambda at: claim(at, wrong), [first]) > 0


def changed(matrix: sp.Matrix, i: int, j: int) -> sp.Matrix:
    found = matrix.as_mutable()
    found[i, j] += 1
    return found


@pytest.mark.parametrize("share", range(SHARES))
def test_every_entry_counts_without_a_print(share: int) -> None:
    judged = [
        result
        for result in results()
        if result.symbol in CLAIMS and all(x.is_commutative for x in result.matrix.free_symbols)
    ]
    for result in judged[share::SHARES]:
        rows, columns = result.matrix.shape
        places = [(i, j) for i in range(rows) for j in range(columns)]
        unseen = {at for at in places if not seen(result, changed(result.matrix, *at))}
        assert unseen == IDLE.get(result.symbol, set()), f"{result.symbol} {result.form}"


@pytest.mark.parametrize(
    "symbol", ["z_bO", "z_bI_solved", "P_i", "q_i", "z_bI", "z_aO", "S_next", "e_next", "z_back"]
)
def test_every_term_of_the_recursion_counts(symbol: str) -> None:
    (result,) = (found for found in results() if found.symbol == symbol)
    for i, entry in enumerate(result.matrix):
        for term in sp.Add.make_args(entry.expand()):
            matrix = result.matrix.as_mutable()
            matrix[i] = entry - 2 * term
            assert seen(result, matrix), term
