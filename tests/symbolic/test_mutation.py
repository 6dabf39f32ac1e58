"""Errors planted in the formulas of the ledgers are seen; and the planting itself is tried out."""

from __future__ import annotations

import importlib.util
import multiprocessing
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import mutation
import pytest
from mutation import Outcome, Run, share, survivors
from planting import Plantable

from mstmm.symbolic.exact.ledger import Entry, Instant
from mstmm.symbolic.ledgers.papers import PAPERS

#: Of the errors that leave another formula, and one that is not as true, so many are seen in each
#: paper. Those that are as true, and those that are not seen, are listed with the reason.
SEEN = 0.98

SOURCE = """
import sympy as sp

def one(x):
    return sp.Matrix([x])

def place(t, b):
    return {"t": t, "b": b, "a": 3, "s": 3 * t + b, "A": sp.Matrix([[1, 2], [t, 4]])}

def stated(at):
    if at["b"] > -1:
        yield one(at["s"]), one(at["a"] * at["t"] + at["b"])

def turned(at):
    A, B = at["A"], at["A"].T
    yield A * B, (B.T * A.T).T

def scaled(left, right):
    def closure(at):
        yield one(left * at["t"]), one(right * at["t"])
    return closure

doubled = scaled(2, 2)
"""


@pytest.fixture
def formulas(tmp_path: Path) -> ModuleType:
    path = tmp_path / "formulas.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("formulas", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(formulas: ModuleType, b: int) -> list[Entry]:
    """Both equations at instants with this b."""
    at = tuple(Instant(f"t = {t}", partial(formulas.place, t, b)) for t in (2, 5))
    made = Entry(paper="none", number="1", title="s", derived=formulas.stated, instants=at)
    return [
        made,
        replace(made, number="2", derived=formulas.turned),
        replace(made, number="3", derived=formulas.doubled),
    ]


def outcomes(formulas: ModuleType, b: int) -> Mapping[str, Outcome]:
    run = Run([formulas], entries(formulas, b))
    return {error.name: outcome for error, outcome in run.outcomes({})}


SUM = "at['a'] * at['t'] + at['b']"


def test_each_sign_factor_and_term_is_planted_and_seen(formulas: ModuleType) -> None:
    found = outcomes(formulas, b=1)
    product = "at['a'] * at['t']"
    changed = (
        *(f"{SUM} → {other}" for other in (f"{product} - at['b']", product, "at['b']")),
        *(f"{product} → at['{letter}']" for letter in "at"),
    )
    for error in changed:
        assert found.pop(f"formulas.stated: {error}") == "seen"
    assert found["formulas.turned: B.T → B"] == "seen"
    assert found["formulas.turned: A * B → _swapped_(A, B)"] == "seen"
    # A product of numbers is the same in any order, and so is no error.
    assert found["formulas.stated: at['a'] * at['t'] → _swapped_(at['a'], at['t'])"] == "raised"
    assert not any("-1" in name for name in found)


def test_errors_are_planted_in_closures_that_are_there(formulas: ModuleType) -> None:
    found = outcomes(formulas, b=1)
    assert found["formulas.scaled: left * at['t'] → at['t']"] == "seen"
    assert found["formulas.scaled: left → right"] == "survived"


def test_what_vanishes_everywhere_is_not_seen(formulas: ModuleType) -> None:
    """A term that is zero at every instant may have any sign: that is what the run looks for."""
    found = outcomes(formulas, b=0)
    assert found[f"formulas.stated: {SUM} → at['a'] * at['t'] - at['b']"] == "survived"
    assert found[f"formulas.stated: {SUM} → at['a'] * at['t']"] == "survived"
    assert found["formulas.stated: at['a'] * at['t'] → at['a']"] == "seen"
    assert share(found) < 1


def test_an_error_where_instants_are_built_is_seen(formulas: ModuleType) -> None:
    found = outcomes(formulas, b=1)
    assert found["formulas.place: 3 * t + b → 3 * t - b"] == "seen"


def test_nothing_stays_planted(formulas: ModuleType) -> None:
    entry, *_ = entries(formulas, 1)
    outcomes(formulas, b=1)
    assert replace(entry).verdict.status == "equals"
    assert Plantable(formulas).code == Plantable(formulas).code


def test_a_choice_is_always_the_same(formulas: ModuleType) -> None:
    one, other = (Run([formulas], entries(formulas, 1), each=2) for _ in range(2))
    assert [error for _, error in one.errors] == [error for _, error in other.errors]
    assert {error.function for _, error in one.errors} == {"place", "scaled", "stated", "turned"}
    assert len(one.errors) == 8


def test_a_run_stops_cleanly_and_goes_on(
    formulas: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run([formulas], entries(formulas, 1))
    some = run.outcomes({})
    first, outcome = next(some)
    some.close()
    assert not multiprocessing.active_children()
    rest = {error.name for error, _ in run.outcomes({first.name: outcome})}
    assert rest == {error.name for _, error in run.errors} - {first.name}
    monkeypatch.setattr(mutation, "modules", lambda paper: [formulas])
    monkeypatch.setattr(mutation, "entries", lambda paper: entries(formulas, 1))
    found = mutation.run("none", tmp_path)
    (journal,) = tmp_path.glob("none-*.jsonl")
    written = journal.read_text(encoding="utf-8")
    assert mutation.run("none", tmp_path) == found
    assert journal.read_text(encoding="utf-8") == written


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_errors_in_a_ledger_are_seen(paper: str) -> None:
    found = mutation.run(paper, mutation.JOURNALS)
    same, unseen = survivors(paper, "equivalent"), survivors(paper, "unseen")
    survived = {name for name, outcome in found.items() if outcome == "survived"}
    for name in sorted(survived):
        print(f"{name}\n    {(same | unseen).get(name, 'not judged yet')}")
    assert survived == found.keys() & (same | unseen).keys()
    assert all((same | unseen).values())
    assert share(found, same) >= SEEN
