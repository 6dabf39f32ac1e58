"""The table of calls from Python."""

from __future__ import annotations

import sys

import pytest
from places import ROOT

sys.path.append(str(ROOT))  # the benchmarks are no package that is installed

from benchmarks import calls


def test_a_row_has_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cart-pole's, whose accelerations are not what takes the time; no time is judged here."""
    monkeypatch.setattr(calls, "ROUNDS", 1)
    monkeypatch.setattr(calls, "CALLS", 2)
    monkeypatch.setattr(calls, "STATES", 8)
    (row,) = calls.rows("cart")
    assert row.speeds == 2
    assert {
        "accelerations",
        "inverse_dynamics",
        "rhs",
        "batch",
        "frame_jacobian",
    } <= row.times.keys()
    assert all(spent >= 0.0 for spent in row.times.values())
    page = calls.text([row], None)
    assert "| cart-pole (2) |" in page
    assert max(map(len, page.splitlines()[:5])) <= 100
