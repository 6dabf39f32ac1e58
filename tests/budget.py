"""What the tests of each folder take, beside what they may: told at the end, and never a failure.

Seconds are those of other machines and other days. So a budget is a number of turns of a loop that
each run times at its end: of the plain Python and the fractions that most of the tests are made of.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from long_tests import measured, used

BUDGET = Path(__file__).parent / "budget.toml"


class Budget:
    """Sums up by folder, and tells it where a run is one that the budget knows."""

    def __init__(self, selection: str) -> None:
        self.allowed: dict[str, float] = next(
            (
                table["turns"]
                for table in tomllib.loads(BUDGET.read_text(encoding="utf-8")).values()
                if table["selection"] == selection
            ),
            {},
        )
        self.taken: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (taken := measured(report)) is not None:
            path = Path(report.nodeid.partition("::")[0])
            self.taken[path.parts[1] if len(path.parts) > 2 else "."] += taken

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.allowed and self.taken.keys() == self.allowed.keys():
            terminalreporter.section("processor time by folder, and its budget")
            terminalreporter.write_line("\n".join(lines(self.taken, self.allowed, turn())))


def lines(taken: dict[str, float], allowed: dict[str, float], second: float) -> list[str]:
    """A line a folder, dearest first, and one of all; so long is a turn of the loop (s)."""
    rows = [(name, taken[name], allowed[name]) for name in sorted(taken, key=lambda x: -taken[x])]
    rows.append(("all", sum(taken.values()), sum(allowed.values())))
    return [
        f"{name:12} {time:7.1f} s of {turns * second:7.1f} s"
        + ("  over" if time > turns * second else "")
        for name, time, turns in rows
    ]


def turn() -> float:
    """Processor time of one turn of the loop, in s."""
    start = used()
    sums: dict[tuple[int, str], Fraction] = {}
    for k in range(200_000):
        sums[k % 97, "x"] = sums.get((k % 89, "x"), Fraction(0)) + Fraction(k, k % 7 + 1)
        if k % 500 == 0:
            sums.clear()
    return used() - start
