"""The ledger's entry: a verdict is what a comparison comes to."""

from __future__ import annotations

from functools import partial

import pytest
import sympy as sp

from mstmm.symbolic.exact.ledger import Entry, Instant, Sides, ledger

ONE = sp.Matrix([1])


def doubled(x: int, printed: bool = False) -> Sides:
    """(x + x) = 2 x, or as one might misprint it."""
    yield ONE * 2 * x, ONE * x, ONE * x * (2 if printed else 1)


def idle(x: int) -> Sides:
    """Its second term is nothing, whatever x."""
    yield ONE * x, ONE * x, ONE * (x - x)


def nowhere(x: int) -> Sides:
    """It has no case."""
    yield from ()


entry = ledger("a paper", Instant("zero", lambda: 0), Instant("one", lambda: 1))
WRONG = partial(doubled, printed=True)


def test_an_equation_that_holds_equals_its_print() -> None:
    found = entry("1", "twice", doubled, as_derived="2 x = x + x")
    assert found.verdict.status == "equals"
    assert found.verdict.compared == 2
    record = found.record()
    assert record["as_printed"] == record["as_derived"] == "2 x = x + x"
    assert record["instants"] == ["zero", "one"]
    assert record["code"] == f"{__name__}:{doubled.__code__.co_firstlineno}"


def test_a_print_differs_where_it_fails_and_the_correction_holds() -> None:
    found = entry("1, again", "twice", doubled, correction="x, not 2 x")
    assert found.verdict.status == "differs"
    assert (found.verdict.compared, found.verdict.failing) == (2, 1)
    assert found.equation == "1"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"derived": WRONG}, "the sides differ at one"),
        ({"derived": WRONG, "printed": doubled, "correction": "none"}, "the sides differ"),
        ({"derived": doubled, "printed": doubled, "correction": "none"}, "the print holds"),
        ({"derived": idle}, "term 2 is zero in every case"),
        ({"derived": nowhere}, "there is no case at zero"),
    ],
)
def test_what_is_wrong_in_a_ledger_fails(given: dict[str, object], why: str) -> None:
    found = entry("1", "twice", **given)
    assert found.verdict.status == "fails"
    assert why in found.verdict.sentence()


def test_what_there_is_no_print_of() -> None:
    assert entry("1", "twice", doubled, kind="own").verdict.status == "own"
    absent = entry("1", "twice", doubled, absent=True)
    assert "our copy of the paper lacks this display" in absent.verdict.sentence()
    assert absent.record()["as_printed"] == ""


@pytest.mark.parametrize(
    "given",
    [
        {"printed": WRONG},
        {"derived": idle, "correction": "x, not 2 x"},
        {"printed": WRONG, "correction": "x", "absent": True},
        {"instants": ()},
    ],
)
def test_an_entry_that_can_have_no_verdict_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"a paper \(1\)"):
        entry("1", "twice", **{"derived": doubled, **given})


def test_fields_are_named() -> None:
    with pytest.raises(TypeError):
        Entry("a paper", "1", "twice", doubled, ())  # type: ignore[misc,call-arg]
