"""The page of graphics processors: its figures are the receipt's, and it says of which code."""

from __future__ import annotations

import json

from benchmarks.device.page import PAGE, RECEIPT, measured, written
from benchmarks.device.prepare import texts

#: Parts of a state's largest number: results of `c` are rounded twice where a card rounds once.
OFF = {"double": 2e-12, "float": 2e-3}


def test_the_page_is_that_of_the_receipt_and_of_the_code_as_it_is() -> None:
    """Where the code has changed since, `python -m benchmarks.device.page` marks the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, measured(json.loads(RECEIPT.read_text()), texts())) == page


def test_a_receipt_of_other_code_says_so() -> None:
    receipt = json.loads(RECEIPT.read_text())
    assert "still that which was measured" in measured(receipt, receipt["texts"])
    for name in receipt["texts"]:
        changed = {**receipt["texts"], name: "other"}
        assert "**Not measured since the text changed:**" in measured(receipt, changed)


def test_what_was_measured_was_right() -> None:
    receipt = json.loads(RECEIPT.read_text())
    assert receipt["failed"] == []
    assert receipt["validate"]["ok"]
    assert "0 errors" in receipt["memcheck"]
    for case in receipt["cases"]:
        assert case["error"] < OFF[case["real"]], case["name"]
