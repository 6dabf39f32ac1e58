"""What of a family of tests the usual run takes meets every value, or every pair of them."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from sizes import cover, covered

AXES = {"model": "abcde", "algorithm": "pqr", "target": "xyz", "forced": (False, True)}


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_every_combination_is_met_by_few_rows(strength: int) -> None:
    rows = list(product(*AXES.values()))
    chosen = cover(rows, strength)
    met = {x for k in chosen for x in combinations(enumerate(rows[k]), strength)}
    assert met == {x for row in rows for x in combinations(enumerate(row), strength)}
    # No fewer do than the values of the longest axes have combinations.
    assert len(chosen) <= {1: 5, 2: 18, 3: 60}[strength]


def test_rows_that_are_not_needed_are_for_the_slow_run_and_marks_are_kept() -> None:
    skipped = pytest.param("y", marks=pytest.mark.skip(reason="none here"))
    later = pytest.param("z", marks=pytest.mark.slow)
    names, rows = covered(model="ab", target=["x", skipped, later], forced=[False, True]).args
    assert names == ("model", "target", "forced")
    marks = {row.id: {mark.name for mark in row.marks} for row in rows}
    assert len(marks) == 12
    usual = [name for name, known in marks.items() if "slow" not in known]
    pairs = {pair for name in usual for pair in combinations(name.split("-"), 2)}
    assert pairs == {
        *product("ab", "xy"),
        *product("ab", ("False", "True")),
        *product("xy", ("False", "True")),
    }
    assert len(usual) == 4
    assert all("skip" in known for name, known in marks.items() if "-y-" in name)
