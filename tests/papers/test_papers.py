"""Papers as files of equations: every verdict, every letter, and what planted errors do."""

from __future__ import annotations

import pytest
from equation_mutants import equation_mutants

from mstmm.errors import UsageError
from mstmm.papers import PAPERS, ledger
from mstmm.symbolic.equations.tokens import EquationError
from mstmm.symbolic.equations.verdicts import compare
from mstmm.symbolic.ledgers.papers import entries

#: Entries whose verdict was false before they were text: see the file.
CORRECTED = {("divide-and-conquer", "77"): "differs"}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_verdict_is_that_of_the_reading_before(paper: str) -> None:
    before = {entry.number: entry.verdict.status for entry in entries(paper)}
    found = ledger(paper)
    for entry in found.paper.entries:
        verdict = found.verdict(entry)
        # A number that was judged under another one has no verdict of its own before.
        known = before.get(entry.number, verdict.status)
        expected = CORRECTED.get((paper, entry.number), known)
        assert verdict.status == expected != "fails", f"({entry.number}) {verdict.sentence()}"


@pytest.mark.parametrize("paper", PAPERS)
def test_worlds_speak_of_declared_letters_alone(paper: str) -> None:
    """And every letter that is declared and no equation is that of some world."""
    found = ledger(paper)
    instants = {name for entry in found.paper.entries for name in entry.instants}
    meant = {name for instant in instants for name in found.worlds(instant).letters}
    declared = {letter.name for letter in found.paper.letters if letter.value is None}
    assert meant == declared


@pytest.mark.parametrize("paper", ["riccati", "deduction"])
def test_planted_errors_are_noticed(paper: str) -> None:
    """Of signs, transpositions, rates and numbers at least 99 of 100."""
    found = ledger(paper)
    count, alive = 0, []
    for entry in found.paper.entries:
        instants = [(name, found.worlds(name)) for name in entry.instants]
        for line in entry.right:
            assert line.states, line.text
            for changed, what, node in equation_mutants(line.states):
                count += 1
                try:
                    judged = compare(changed, found.paper, instants)
                    noticed = judged.failing or judged.empty
                except EquationError:
                    noticed = True
                if not noticed:
                    alive.append((entry.number, what, node.at))
    assert count > 250
    assert len(alive) <= count / 100, alive


def test_a_paper_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="there is no paper 'newton'; there are: riccati"):
        ledger("newton")
