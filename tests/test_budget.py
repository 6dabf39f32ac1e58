"""What is told of the time that the tests of a folder take."""

from __future__ import annotations

import json
import tomllib
from types import SimpleNamespace

import budget
import long_tests


def test_time_is_summed_by_folder_and_what_is_over_is_told() -> None:
    told = budget.Budget("(long or extras) and not slow")
    for name, taken in (("tests/model/test_a.py::b[c::d]", 2.0), ("tests/test_e.py::f", 0.5)):
        for _ in range(2):
            properties = [("another", "x"), (long_tests.MEASURED, taken)]
            report = SimpleNamespace(nodeid=name, when="teardown", user_properties=properties)
            told.pytest_runtest_logreport(report)  # type: ignore[arg-type]
    assert told.taken == {"model": 4.0, ".": 1.0}
    assert budget.lines(told.taken, {"model": 30.0, ".": 200.0}, 0.1) == [
        "model            4.0 s of     3.0 s  over",
        ".                1.0 s of    20.0 s",
        "all              5.0 s of    23.0 s",
    ]
    assert 0.0 < budget.turn() < 10.0


def test_every_folder_with_long_tests_has_a_budget() -> None:
    paths = [
        name.partition("::")[0].split("/") for name in json.loads(long_tests.RECORD.read_text())
    ]
    known = tomllib.loads(budget.BUDGET.read_text(encoding="utf-8"))["long"]["turns"]
    assert {path[1] if len(path) > 2 else "." for path in paths} == known.keys()
