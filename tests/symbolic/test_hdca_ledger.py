"""The divide-and-conquer paper's equations (1)–(77), one by one, in exact numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sympy as sp

from mstmm.symbolic.exact.ledger import Entry, Instant
from mstmm.symbolic.ledgers.divide import momentum_rates
from mstmm.symbolic.ledgers.divide.cases import CASES, cases
from mstmm.symbolic.ledgers.divide.loads import MEASURED
from mstmm.symbolic.ledgers.papers import account, entries

ENTRIES = entries("divide-and-conquer")

#: Another draw for the slow run.
DRAWS = ("own", pytest.param("other", marks=pytest.mark.slow))

OTHER = cases(200)


def expected(entry: Entry) -> str:
    return "differs" if entry.correction else "own" if entry.kind == "own" else "equals"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"({entry.number})")
@pytest.mark.parametrize("draw", DRAWS)
def test_an_equation_has_its_verdict(entry: Entry, draw: str) -> None:
    if draw == "other":
        entry = replace(entry, instants=tuple(OTHER[at.name] for at in entry.instants))
    assert entry.verdict.status == expected(entry), entry.verdict.why
    assert entry.as_derived
    assert bool(entry.as_printed) == bool(entry.correction)
    assert not entry.correction or re.match(r"E\d+: ", entry.correction)


def test_every_equation_is_there_and_every_misprint() -> None:
    assert account("divide-and-conquer").share == 1
    told = [*(entry.correction for entry in ENTRIES if entry.correction), *MEASURED]
    assert {int(re.match(r"E(\d+)", text)[1]) for text in told} == set(range(1, 17))
    assert len({entry.number for entry in ENTRIES}) == len(ENTRIES)


def test_the_systems_are_what_they_say() -> None:
    """Closed, moving, generic: no state in which a term that matters happens to vanish."""
    for name in ("chain", "loop", "swung", "floating", "planar", "coupled", "holonomic"):
        instant = CASES[name].state
        assert not any(x == 0 for x in instant.speeds)
        assert not any(x == 0 for x in instant.accelerations)
        for c in instant.tree.cuts:
            assert instant.motion.gap(c).value == sp.eye(4)
            assert instant.motion.opening(c).value.is_zero_matrix
            assert instant.motion.opening(c).at(1).is_zero_matrix
    swung, loop, coupled = (CASES[name].state for name in ("swung", "loop", "coupled"))
    assert not swung.O[5].at(1).is_zero_matrix
    assert not swung.O[1].at(1).is_zero_matrix
    assert not swung.H(1).at(1).is_zero_matrix
    assert loop.O[5].at(1).is_zero_matrix
    sliding = coupled.joints[6]
    own = coupled.V(sliding.pred, coupled.O[6]).value[:3, :]
    assert own != coupled.O[6].at(1)


def named(*numbers: str) -> dict[str, Entry]:
    return {entry.number: entry for entry in ENTRIES if entry.number in numbers}


def test_another_motion_fails() -> None:
    """A constraint force that is not the true one is seen where rates are told, and only there."""
    instant = cases(10)["swung"]
    instant.state.lam[5][0] += sp.Rational(1, 1000)
    failing = {
        number
        for number, entry in named("54", "63", "67", "68", "77").items()
        if replace(entry, instants=(instant,)).verdict.status == "fails"
    }
    assert failing == {"54", "67", "77"}


def test_a_motion_of_the_first_handle_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Ṡ_1 the equations of a chain that swings as a whole are wrong."""
    monkeypatch.setattr(momentum_rates, "moving", lambda handle: sp.zeros(6, 6))
    instants = (Instant("swung", lambda: CASES["swung"].state),)
    numbers = ("57", "59", "60", "61", "65, any shift", "66", "67")
    for entry in named(*numbers).values():
        assert replace(entry, instants=instants).verdict.status == "fails", entry.number
