"""Responses over the frequency and a spin: by the equations of one tilting disc, and as drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_campbell import disc

from mstmm.errors import UsageError


def test_a_waterfall_of_a_disc_is_that_of_its_own_equations(tmp_path: Path) -> None:
    """(k + iωc − ω² I_t) y − iω W I_p z = 1 and its twin, of moments about y: 2 by 2, complex."""
    speeds, omegas = np.array([0.0, 15.0, 40.0]), np.linspace(5.0, 90.0, 12)
    given = {"inputs": {"disc.moment_y": 2.0}, "outputs": ["disc.turn_y", "disc.turn_z"]}
    of = disc()
    found = of.waterfall("W", speeds, omegas, **given, parameters={"k": 30.0, "c": 0.3})
    for i, W in enumerate(speeds):
        for j, omega in enumerate(omegas):
            own = 30.0 + 1j * omega * 0.3 - omega**2 * 0.03
            whirl = 1j * omega * W * 0.05
            expected = np.linalg.solve([[own, whirl], [-whirl, own]], [2.0, 0.0])
            np.testing.assert_allclose(found.total[i, j], expected, rtol=1e-9, atol=1e-12)
    assert found["amplitude"].member_units == ("rad", "rad")
    assert max(map(len, str(found).splitlines())) <= 80
    pytest.importorskip("matplotlib")
    axes = found.plot("disc.turn_z", harmonics=[1])
    assert len(axes.lines) == 4
    assert "disc.turn_z under disc.moment_y" in axes.get_title()
    with pytest.raises(UsageError, match=r"has no output 'disc\.turn'"):
        found.plot("disc.turn")


def test_what_a_waterfall_does_not_take_is_told() -> None:
    of = disc()
    given = {"inputs": ["disc.moment_y"]}
    with pytest.raises(UsageError, match=r"values = .* must be a row of finite numbers"):
        of.waterfall("W", [], [1.0], **given)
    with pytest.raises(UsageError, match="frequencies are a list of one or more finite numbers"):
        of.waterfall("W", [1.0], [np.inf], **given)
    with pytest.raises(UsageError, match="W goes through values"):
        of.waterfall("W", [1.0], [1.0], **given, parameters={"W": 3.0})
    with pytest.raises(UsageError, match="amplitudes of inputs are one number each"):
        of.waterfall("W", [1.0], [1.0, 2.0], inputs={"disc.moment_y": [1.0, 2.0]})
    with pytest.raises(UsageError, match="no run-time parameter"):
        of.waterfall("nothing", [1.0], [1.0], **given)
