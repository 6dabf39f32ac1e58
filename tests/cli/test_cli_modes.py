"""`mstmm modes` over a parameter, and Holzer's table, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import answer, assert_fits_80_columns, run


def test_modes_over_a_parameter_as_text_as_numbers_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "over.svg"
    given = ("modes", "double-pendulum", "--over", "l2=0.4:0.8:3", "--target", "numpy")
    given += ("--start", "q1=0", "--start", "q2=0")
    text = answer(*given, "--plot", picture)
    assert_fits_80_columns(text)
    assert "2 natural modes over l2 = 0.4 … 0.8, 3 values" in text
    assert picture.read_text("utf-8").count("<path") > 5
    found = json.loads(answer(*given, "--json"))
    assert found["values"] == pytest.approx([0.4, 0.6, 0.8])
    first, second = (x["omega2"] for x in found["lines"])
    # det(K − ω² M) of hanging rods: 1 and 0.8 kg, l = 0.6 m and l2, hinged at their ends.
    for k, l2 in enumerate(found["values"]):
        g, l1, m1, m2 = 9.81, 0.6, 1.0, 0.8
        M = np.array([[m1 / 3 + m2, m2 * l2 / l1 / 2], [0, m2 * l2**2 / l1**2 / 3]]) * l1**2
        M[1, 0] = M[0, 1]
        K = np.diag([(m1 / 2 + m2) * g * l1, m2 * g * l2 / 2])
        expected = sorted(np.linalg.eigvals(np.linalg.solve(M, K)))
        assert [first[k], second[k]] == pytest.approx(expected, rel=1e-10)


def test_holzers_table_is_the_one_of_textbooks() -> None:
    """θ₁ = 1, each θ less by the twist before it, and J ω² θ summed, at any frequency."""
    said = answer("modes", "holzer-train", "--holzer", "45", "--target", "numpy")
    assert_fits_80_columns(said)
    rows = [
        line.split() for line in said.splitlines() if line.startswith("disc") and "J" not in line
    ]
    theta, torque, square = 1.0, 0.0, 45.0**2
    for row in rows:
        J, angle, own, total, *shaft = (float(x.replace("−", "-")) for x in row[1:])
        torque += J * square * theta
        assert [angle, own, total] == pytest.approx([theta, J * square * theta, torque], rel=1e-5)
        theta -= torque / shaft[0] if shaft else 0.0
    assert len(rows) == 4
    assert f"{torque:.6g}".replace("-", "−") in said.split("last disc is ")[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--over", "l2"), "must be a parameter and its values, as W=0:1000:101"),
        (("--over", "l2=1:2", "--strains"), "--strains is of a list of undamped modes"),
        (("--over", "l2=1:2", "--damped"), "--damped and --over ask for two answers"),
        (("--over", "l2=1:2", "--set", "l2=3"), "l2 goes through 1:2: leave --set l2 out"),
        (("--holzer", "1e200"), "ω = 1e+200 rad/s must be finite, and its square too"),
        (("--plot", "x.svg"), "--plot draws modes over a parameter"),
        (("--holzer", "3"), "double-pendulum has no Holzer table"),
        (("--holzer", "3", "--json"), "--holzer is a table on the screen"),
        (("--holzer", "3", "--count", "2"), "--holzer is a table at one frequency: leave --count"),
    ],
)
def test_what_does_not_go_together_is_told(given: tuple[str, ...], said: str) -> None:
    found = run("modes", "double-pendulum", *given, "--target", "numpy")
    assert found.exit_code == 2
    assert said in found.stderr
