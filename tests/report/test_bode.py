"""Bode plots of responses."""

from __future__ import annotations

import numpy as np
import pytest

import mstmm

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


def test_amplitudes_and_phases_over_the_frequency() -> None:
    """Of a pendulum, hanging; its frequencies are marked, and phases break where they jump."""
    solver = mstmm.compile("double-pendulum", target="numpy")
    at = np.linspace(0.5, 14.5, 57)
    found = solver.response(at, [0.0, 0.0], inputs=["u1"])
    modes = solver.modes([0.0, 0.0])
    swings, phases = found.plot(found.names["output"][0], resonances=modes)
    line, *marks = swings.get_lines()
    np.testing.assert_allclose(line.get_ydata(), found.amplitude[:, 0])
    assert sorted(x.get_xdata()[0] for x in marks) == pytest.approx(modes.frequencies)
    drawn = phases.get_lines()[0].get_ydata()
    assert np.isnan(drawn).sum() == 0  # in steps of 180° it does not turn round
    assert (swings.get_xscale(), swings.get_yscale()) == ("log", "log")
    with pytest.raises(mstmm.UsageError, match="no output 'q'"):
        found.plot("q")
