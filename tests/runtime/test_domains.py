"""Laws have values where their texts have them, in every target; `min` and `max`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from proofs import proof_of_blocks

import mstmm

#: Laws, what they are at q = 0.5, and where their text has no value.
LAWS = {
    "a": ('force = ["sqrt(q1)**2"]', 0.5, -0.5),
    "b": ('force = ["exp(log(q1))"]', 0.5, -0.5),
    "c": ('potential = "log(q1)"', -2.0, -0.5),
    "d": ('force = ["sin(asin(q1))"]', 0.5, 1.5),
    "e": ('force = ["q1**2/q1"]', 0.5, 0.0),
    "f": ('force = ["step(log(q1 + 1))"]', 1.0, -1.5),
    "g": ('force = ["q1**1.3"]', 0.5**1.3, -0.5),
    "h": ('force = ["max(q1, 0.1) - min(q1, 0.1)"]', 0.4, None),
    "i": ('potential = "abs(sqrt(q1))"', -(0.5**0.5), -0.5),
    "j": ('potential = "max(q1 - 0.2, 0)**2/2"', -0.3, None),
    "k": ('potential = "q1*sign(q1)"', -1.0, None),
}
BODY = """
[bodies.{0}]
mass = 1
inertia = 1
[bodies.{0}.points.p]
[hinges.s{0}]
kind = "prismatic"
parent = "ground"
child = "{0}:p"
{1}
"""


def sliders(folder: Path, names: str = "abcdefghijk") -> mstmm.Model:
    """Sliders of 1 kg on the ground, each with one of the laws."""
    text = 'name = "sliders"\ndimension = 2\ngravity = [0, 0]\n'
    text += "".join(BODY.format(name, LAWS[name][0]) for name in names)
    (folder / "sliders.toml").write_text(text)
    return mstmm.load(folder / "sliders.toml")


@pytest.mark.parametrize("target", ["numpy", "c", "c-batch"])
def test_a_law_has_no_value_where_its_text_has_none(target: str, tmp_path: Path) -> None:
    solver = mstmm.compile(sliders(tmp_path), target=target)
    q, v = np.full(len(LAWS), 0.5), np.zeros(len(LAWS))
    expected = [force for _, force, _ in LAWS.values()]
    assert solver.accelerations(q, v) == pytest.approx(expected, rel=1e-15)
    for k, (_, _, outside) in enumerate(LAWS.values()):
        moved = np.where(np.arange(len(LAWS)) == k, -0.5 if outside is None else outside, q)
        if outside is None:
            assert np.isfinite(solver.accelerations(moved, v)).all()
        else:
            with pytest.raises(mstmm.NumericsError, match="finite"):
                solver.accelerations(moved, v)


@pytest.mark.parametrize("name", ["a", "c", "d", "f", "g"])
def test_a_derivation_has_no_value_where_the_text_has_none(name: str, tmp_path: Path) -> None:
    derived = mstmm.derive(sliders(tmp_path, name))
    assert derived.at([0.5], [0.0])["accelerations"] == pytest.approx(LAWS[name][1])
    with pytest.raises(mstmm.NumericsError, match="finite"):
        derived.at([LAWS[name][2]], [0.0])["accelerations"]


def test_derivatives_have_values_where_the_laws_have(tmp_path: Path) -> None:
    solver = mstmm.compile(sliders(tmp_path), target="numpy")
    q, v = np.full(len(LAWS), 0.5), np.zeros(len(LAWS))
    slopes = np.diag(solver.derivatives(q, v).dq)
    root = 0.25 * 0.5**-1.5
    expected = [1, 1, 4, 1, 1, 0, 1.3 * 0.5**0.3, 1, root, -1, 0]
    assert slopes == pytest.approx(expected, rel=1e-14)
    for k, (_, _, outside) in enumerate(LAWS.values()):
        if outside is not None:
            with pytest.raises(mstmm.NumericsError, match="finite"):
                solver.derivatives(np.where(np.arange(len(LAWS)) == k, outside, q), v)


def test_the_code_of_such_laws_is_proven(tmp_path: Path) -> None:
    """At some of the states: at the others there are no values."""
    solver = mstmm.compile(sliders(tmp_path, "acgj"), target="c")
    proof = proof_of_blocks(solver, points=8)
    assert proof.ok
    assert any("force" in row.kernel and row.points for row in proof.rows)


def test_a_motion_starts_anew_at_the_corner_of_a_maximum(tmp_path: Path) -> None:
    """The force max(t − 0.3, 0), of the model or given as an input, moves 1 kg by (t − 0.3)³/6.

    On either side of the corner `rk4` is exact.
    """
    late = "max(t - 0.3, 0)"
    for law, inputs in ((f'force = ["{late}"]', {}), ("", {"sm": late})):
        text = f'name = "late"\ndimension = 2\ngravity = [0, 0]\n{BODY.format("m", law)}'
        (tmp_path / "late.toml").write_text(text)
        solver = mstmm.compile(mstmm.load(tmp_path / "late.toml"), target="numpy")
        run = solver.simulate([0.0], [0.0], t_end=1.0, dt=0.25, inputs=inputs)
        assert run.q[-1] == pytest.approx([0.7**3 / 6], rel=1e-12)
