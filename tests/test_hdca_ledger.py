"""The divide-and-conquer paper's equations (1)–(77), one by one, in exact numbers."""

from __future__ import annotations

import re
from functools import cache

import pytest
import sympy as sp

from mstmm.symbolic.hdcacases import Cases
from mstmm.symbolic.hdcaledger import CHECKS, MEASURED

#: Another draw for the slow run.
SEEDS = (10, pytest.param(200, marks=pytest.mark.slow))


@cache
def cases(seed: int) -> Cases:
    return Cases(seed)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"({check.equation})")
@pytest.mark.parametrize("seed", SEEDS)
def test_an_equation_holds_exactly(check, seed):
    assert check.holds(cases(seed))


@pytest.mark.parametrize(
    "check", [c for c in CHECKS if c.printed], ids=lambda check: f"({check.equation})"
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_misprint_is_one(check, seed):
    assert re.match(r"E\d+: ", check.erratum)
    assert not check.print_holds(cases(seed))


def test_every_equation_is_there_and_every_misprint():
    assert {str(n) for n in range(1, 78)} <= {check.equation for check in CHECKS}
    told = [*(check.erratum for check in CHECKS if check.printed), *MEASURED]
    assert {int(re.match(r"E(\d+)", text)[1]) for text in told} == set(range(1, 17))


def test_the_systems_are_what_they_say():
    """Closed, moving, generic: no state in which a term that matters happens to vanish."""
    at = cases(SEEDS[0])
    for name in ("chain", "loop", "swung", "floating", "planar", "coupled", "holonomic"):
        instant = getattr(at, name)
        assert not any(x == 0 for x in instant.speeds)
        assert not any(x == 0 for x in instant.accelerations)
        if instant.system.cuts:
            rows = instant.closing()
            assert rows.value.is_zero_matrix
            assert rows.at(1).is_zero_matrix
    assert not at.swung.O[5].at(1).is_zero_matrix
    assert at.loop.O[5].at(1).is_zero_matrix
    sliding = at.coupled.system.joints[6]
    own = at.coupled.V(sliding.pred, at.coupled.O[6]).value[:3, :]
    assert own != at.coupled.O[6].at(1)


def test_another_motion_fails():
    """A constraint force that is not the true one is seen where rates are told, and only there."""
    other = Cases(SEEDS[0])
    other.swung.lam[5][0] += sp.Rational(1, 1000)
    checks = {check.equation: check for check in CHECKS}
    failing = {name for name in ("54", "63", "67", "68", "77") if not checks[name].holds(other)}
    assert failing == {"54", "67", "77"}
