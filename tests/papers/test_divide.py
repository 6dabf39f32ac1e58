"""The divide-and-conquer paper's equations (1)–(77), one by one, in exact numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
import sympy as sp

from mstmm.papers import ledger
from mstmm.papers.divide import cases
from mstmm.papers.divide.world import Chain, world
from mstmm.symbolic.equations.ledger import Judged
from mstmm.symbolic.equations.verdicts import judge
from mstmm.symbolic.equations.worlds import World

LEDGER = ledger("divide-and-conquer")

#: Claims of the text that no equation states, judged by a study of motions.
MEASURED = ("E14: the energy is better kept for all cases, the drift is negligible",)


def expected(entry: Judged) -> str:
    return "differs" if entry.correction else "own" if entry.kind == "own" else "equals"


@pytest.mark.parametrize("entry", LEDGER.entries, ids=lambda entry: f"({entry.number})")
def test_an_equation_has_its_verdict(entry: Judged) -> None:
    assert entry.verdict.status == expected(entry), entry.verdict.why
    assert not entry.correction or re.match(r"E\d+[:,] ", entry.correction)


@pytest.mark.slow
def test_other_systems_give_the_same_verdicts() -> None:
    def other(name: str) -> World:
        return world(name) if name.startswith("merges") else Chain(cases.system(name, 200))

    for entry in LEDGER.entries:
        assert judge(entry.written, LEDGER.paper, other).status == expected(entry), entry.number


def test_every_misprint_is_there() -> None:
    told = " ".join(f"{each.title} {each.correction}" for each in LEDGER.entries)
    told += " ".join(MEASURED)
    assert {int(number) for number in re.findall(r"\bE(\d+)", told)} == set(range(1, 17))


def test_the_systems_are_what_they_say() -> None:
    """Closed, moving, generic: no state in which a term that matters happens to vanish."""
    for name in ("chain", "loop", "swung", "floating", "planar", "coupled", "holonomic"):
        instant = cases.system(name)
        assert not any(x == 0 for x in instant.speeds)
        assert not any(x == 0 for x in instant.accelerations)
        for c in instant.tree.cuts:
            assert instant.motion.gap(c).value == sp.eye(4)
            assert instant.motion.opening(c).value.is_zero_matrix
            assert instant.motion.opening(c).at(1).is_zero_matrix
    swung, loop, coupled = map(cases.system, ("swung", "loop", "coupled"))
    assert not swung.O[5].at(1).is_zero_matrix
    assert not swung.O[1].at(1).is_zero_matrix
    assert not swung.H(1).at(1).is_zero_matrix
    assert loop.O[5].at(1).is_zero_matrix
    sliding = coupled.joints[6]
    own = coupled.V(sliding.pred, coupled.O[6]).value[:3, :]
    assert own != coupled.O[6].at(1)


def failing(world: World, numbers: Iterable[str]) -> set[str]:
    """The entries that fail in another world in place of `swung`."""
    found = (entry for entry in LEDGER.entries if entry.number in numbers)
    return {
        entry.number
        for entry in found
        if judge(entry.written, LEDGER.paper, lambda name: world).status == "fails"
    }


def test_another_motion_fails() -> None:
    """A constraint force that is not the true one is seen where rates are told, and only there."""
    instant = cases.SYSTEMS["swung"](10)
    instant.lam[5][0] += sp.Rational(1, 1000)
    assert failing(Chain(instant), ("54", "63", "67", "68", "77")) == {"54", "67", "77"}


def test_a_motion_of_the_first_handle_is_seen() -> None:
    """Without Ṡ_1 the equations of a chain that swings as a whole are wrong."""
    swung = Chain(cases.system("swung"))
    at_rest = swung.letters["O_1^X"]
    swung.letters = {**swung.letters, "O_1^X": lambda X: at_rest(X).map(lambda term: 0 * term)}
    numbers = ("57", "60", "61", "65", "66", "67")
    assert failing(swung, numbers) == {*numbers}
