"""`mstmm check`: degrees of freedom, and what acts in a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import answer, assert_fits_80_columns, run
from places import DATA
from urdf_text import joint, link, robot


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        ("four-bar", (3, 0, 2, 1)),
        ("branch-pendulum", (4, 0, 0, 4)),
        ("example-1", (12, 0, 0, 12)),
        ("examples/crank.toml", (2, 1, 0, 1)),
    ],
)
def test_degrees_of_freedom_of_the_tree_and_what_is_taken_of_them(
    model: str, counts: tuple[int, ...]
) -> None:
    found = json.loads(answer("check", model, "--json"))["freedoms"]
    assert tuple(found[x] for x in ("tree", "driven", "taken", "left")) == counts


LAWS = """
name = "all"
dimension = 2
gravity = [0, 0]
[parameters]
k = 3
[inputs]
u = 1
[bodies.a]
mass = 1
inertia = 1
points = { p = {}, r = { position = [1, 0] } }
[bodies.b]
mass = 1
inertia = 1
points.p = {}
[bodies.c]
mass = 1
inertia = 1
points.p = {}
[bodies.d]
mass = 1
inertia = 1
points.p = {}
[hinges.spun]
kind = "pin"
parent = "ground"
child = "a:p"
spring = { stiffness = "2*k", rest = 0.5 }
damper = { damping = 0.2 }
friction = { coulomb = 0.1, viscous = 0.3, velocity = 0.05 }
force = "u - q1**3"
rotor = [0.7]
[hinges.rail]
kind = "prismatic"
parent = "ground"
child = "b:p"
spring = { stiffness = 4, rest = 0 }
damper = { damping = 0.2 }
[hinges.stop]
kind = "slot"
parent = "ground"
child = "c:p"
potential = "q1**4 + q2"
force = ["-5*u1", "t"]
[hinges.turned]
kind = "pin"
parent = "ground"
child = "d:p"
motion = ["2*t"]
[forces.strut]
between = ["a:r", "b"]
stiffness = 9
rest = 1
[loads.wind]
body = "b"
force = [1, "t"]
[sensors.gap]
between = ["a:r", "b"]
"""


def test_what_acts_is_said_in_words_on_80_columns(tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(LAWS)
    text = answer("check", tmp_path / "all.toml")
    assert_fits_80_columns(text)
    for line in (
        "degrees of freedom: 4 (5 of the tree, 1 driven)",
        "driven by 2*t: turned",
        "spring 2*k N m/rad, at rest at 0.5 rad: spun",
        "spring 4 N/m: rail",
        "damping 0.5 N m s/rad: spun",
        "damping 0.2 N s/m: rail",
        "damping 5 N s/m: stop (1)",
        "friction 0.1 N m, smooth: tanh(20*u1): spun",
        "law -q1**3 + u (N m): spun",
        "law t (N m): stop (2)",
        "potential q1**4 + q2 (J): stop",
        "armature 0.7 kg m²: spun",
        "force between a:r and b, stiffness 9 N/m, rest 1 m: strut",
        "load on b, force (1, t) in inertial axes: wind",
        "sensor at a:r and b: gap",
        "damping, friction and armature act in inverse dynamics too",
    ):
        assert line in " ".join(text.split()), line
    acting = json.loads(answer("check", tmp_path / "all.toml", "--json"))["acting"]
    assert acting["spring"] == {
        "2*k N m/rad, at rest at 0.5 rad": ["spun"],
        "4 N/m": ["rail"],
    }
    assert text.index("armature") < text.index("chain body")


def test_what_a_robots_file_says_is_said_once_for_all_joints(tmp_path: Path) -> None:
    more = '<dynamics damping="0.5" friction="0.2"/>'
    parts = [link("world"), *(link(f"l{k}") for k in (1, 2))]
    parts += [joint("i", "revolute", "world", "l1", more=more)]
    parts += [joint("j", "revolute", "l1", "l2", more=more)]
    (tmp_path / "r.urdf").write_text(robot(*parts))
    text = " ".join(answer("check", tmp_path / "r.urdf").split())
    assert "damping 0.5 N m s/rad: i, j friction 0.2 N m, smooth: tanh(u1/0.01): i, j" in text
    assert "damping and friction act in inverse dynamics too: the efforts" in text


def test_a_start_that_cannot_begin_is_told_beside_all_else() -> None:
    """Of a continuum of speeds that loops allow, no samples are listed as branches."""
    model = DATA / "cases" / "rusr.toml"
    refused = run("check", model)
    shown = refused.stdout
    assert refused.exit_code == 1
    assert "degrees of freedom: 1" in shown
    assert "cut: ball hinge j2" in shown
    assert "its branches are not told apart" in " ".join(shown.split())
    undecided = json.loads(run("check", model, "--json").stdout)["undecided"]
    assert "its branches are not told apart" in undecided
