"""`mstmm modes --damped`, `campbell` and `critical`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import answer, assert_fits_80_columns, run

DISC = """
name = "disc"
dimension = 3
gravity = [0, 0, 0]
[parameters]
W = 0.0
c = 0.0
[bodies.disc]
mass = 2
inertia = [0.05, 0.03, 0.03, 0, 0, 0]
spin = "W"
[bodies.disc.points.centre]
[hinges.bearing]
kind = "elastic"
parent = "ground"
child = "disc:centre"
spring = { stiffness = [9000, 800, 600, 90, 30, 30] }
damper = { damping = [0, 0, 0, 0, "c", "c"] }
"""


@pytest.fixture
def disc(tmp_path: Path) -> Path:
    path = tmp_path / "disc.toml"
    path.write_text(DISC, encoding="utf-8")
    return path


def test_a_campbell_diagram_as_text_as_numbers_and_drawn(disc: Path) -> None:
    given = ("campbell", disc, "W=0:60:4", "--below", "90", "--target", "numpy")
    picture = disc.with_suffix(".svg")
    text = answer(*given, "--plot", picture)
    assert_fits_80_columns(text)
    assert "backward" in text
    assert picture.read_text("utf-8").count("<path") > 10
    found = json.loads(answer(*given, "--json"))
    assert found["speeds"] == [0, 20, 40, 60]
    (forward,) = (x["frequencies"] for x in found["lines"] if x["sense"] == "forward")
    reference = [(0.05 * W + np.sqrt((0.05 * W) ** 2 + 3.6)) / 0.06 for W in found["speeds"]]
    np.testing.assert_allclose(forward[:3], reference[:3], rtol=1e-12)
    assert forward[3] is None  # above 90 rad/s


def test_a_rotor_that_nothing_holds(tmp_path: Path) -> None:
    """At rest nothing vibrates; else it tumbles at W I_p/I_t = 5 W/3, which W never reaches."""
    free = (
        DISC[: DISC.index("[bodies.disc.points")]
        + """[hinges.free]
kind = "free"
parent = "ground"
child = "disc"
through = [0, 0, 0]"""
    )
    path = tmp_path / "free.toml"
    path.write_text(free, encoding="utf-8")
    given = ("--below", "50", "--target", "numpy")
    (line,) = json.loads(answer("campbell", path, "W=0:20:3", "--json", *given))["lines"]
    assert line["frequencies"] == [None, pytest.approx(50 / 3), pytest.approx(100 / 3)]
    assert line["whirl"][1:] == pytest.approx([1, 1], rel=1e-9)
    assert "0 critical speeds" in answer("critical", path, "W", *given)


def test_critical_speeds_and_damped_modes(disc: Path) -> None:
    given = ("critical", disc, "W", "--below", "100", "--target", "numpy")
    assert_fits_80_columns(answer(*given))
    found = json.loads(answer(*given, "--json"))
    speeds = [x["speed"] for x in found["critical"]]
    np.testing.assert_allclose(speeds, np.sqrt([300, 375, 400, 1800, 4500]), rtol=1e-12)
    damped = ("modes", disc, "--damped", "--count", "2", "--set", "c=0.3", "--target", "numpy")
    assert_fits_80_columns(answer(*damped))
    modes = json.loads(answer(*damped, "--json"))["modes"]
    np.testing.assert_allclose([x["s"][1] for x in modes], np.sqrt([300, 400]), rtol=1e-12)
    pytest.importorskip("flint")
    assert "by the winding number, proven in balls, around" in answer(*damped, "--prove")


@pytest.mark.parametrize("speeds", ["W", "W=1", "W=0:1:x", "W=0:1:0", "=0:1", "W=0:1:2:3"])
def test_speeds_that_are_none(disc: Path, speeds: str) -> None:
    result = run("campbell", disc, speeds)
    assert result.exit_code == 2
    assert "must be a parameter and its values, as W=0:1000:101" in result.stderr


def test_names_that_are_cut_stay_apart(tmp_path: Path) -> None:
    """A long name keeps its end, in which those of a row of like things differ."""
    long = "the_second_left_gearbox_housing"
    text = f'name = "{long}_of_engineers_who_like_names"\ndimension = 2\ngravity = [0, 0]\n'
    for k in (1, 2):
        text += f"[bodies.{long}_{k}]\nmass = {k}\ninertia = 1\n[hinges.{long}_{k}]\n"
        text += f'kind = "prismatic"\nparent = "ground"\nchild = "{long}_{k}"\n'
        text += f"axis = [1, 0]\nspring = {{ stiffness = {100 * k**3} }}\n"
    path = tmp_path / "long.toml"
    path.write_text(text, encoding="utf-8")
    plain = answer("modes", path, "--target", "numpy")
    for said in (plain, answer("modes", path, "--target", "numpy", "--damped")):
        assert_fits_80_columns(said)
    assert "the_s…_housing_1 100%" in plain
    assert "the_s…_housing_2 100%" in plain
