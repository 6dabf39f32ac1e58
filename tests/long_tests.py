"""Which tests take long: as measured, in a file that a run of all of them writes anew.

    pytest -n 2 -m "not slow" --record-long

The usual run leaves them out, `pytest -m long` runs them. What counts is processor time, that of
compilers and of commands that a test starts included: it hardly depends on what else is running.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

RECORD = Path(__file__).parent / "data" / "long_tests.json"

#: Seconds of processor time, of a machine that does nothing else, from which on a test takes long.
LONG = 0.3

MEASURED = "processor time"


def marked(items: list[pytest.Item]) -> None:
    """Mark the tests that the record names."""
    known = json.loads(RECORD.read_text())
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.long)


class Watch:
    """Measures every test of a run, in its workers, and adds it to what is told of the test."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.start = used()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        if call.when == "teardown":
            item.user_properties.append((MEASURED, used() - self.start))
        return (yield)


def measured(report: pytest.TestReport) -> float | None:
    """What a test took, told at its end."""
    of = [float(str(x)) for name, x in report.user_properties if name == MEASURED]
    return of[0] if of and report.when == "teardown" else None


class Recorder:
    """Writes down the tests that took long."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (taken := measured(report)) is not None:
            self.found[report.nodeid] = round(taken, 1)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            here = "[/"  # a test that is named by a path of this machine is another elsewhere
            every = sorted(self.found.items())
            long = {name: x for name, x in every if x >= LONG and here not in name}
            RECORD.write_text(json.dumps(long, indent=1, ensure_ascii=False) + "\n")


def used() -> float:
    """Processor time of this process and of those that it has waited for, in s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
