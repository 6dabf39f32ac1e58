"""Inputs, sensors and frames whose names hide those of others are refused, with both names."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from urdf_text import joint, link, robot

import mstmm
from mstmm.errors import ModelError
from mstmm.model.expressions.functions import FUNCTIONS
from mstmm.model.files.toml import from_text

TEXT = """
name = "pushed"
dimension = 2
gravity = [0, -9.81]
[parameters]
k = 2.0
[inputs]
{input} = 1
[bodies.arm]
mass = 1
inertia = 0.3
points.a = {{}}
[bodies.fist]
mass = 1
inertia = 0.3
points.a = {{}}
[hinges.m]
kind = "pin"
parent = "ground"
child = "arm:a"
[hinges.n]
kind = "pin"
parent = "arm:a"
child = "fist:a"
[sensors.{sensor}]
on = "arm:a"
along = [0, 1]
[frames."{frame}"]
body = "arm"
"""


def made(**names: str) -> mstmm.Model:
    return from_text(TEXT.format(**{"input": "w", "sensor": "h", "frame": "tool", **names}))


@pytest.mark.parametrize(
    ("kind", "name", "other"),
    [
        *(("input", name, f"the function {name}") for name in ("sin", "max")),
        ("input", "arm", "body arm"),
        ("input", "m", "hinge m, by which its effort"),
        ("input", "ground", "the ground"),
        ("input", "energy", "an array of every run"),
        ("input", "t", "the time"),
        ("input", "um_dot", "the acceleration um_dot"),
        *(("sensor", name, f"the function {name}") for name in FUNCTIONS),
        ("sensor", "ground", "the ground"),
        ("sensor", "k", "a parameter"),
        ("sensor", "w", "an input"),
        ("sensor", "fist", "body fist"),
        ("sensor", "q1", "a hinge's own coordinate"),
        ("frame", "fist", "body fist"),
        ("frame", "ground", "the ground"),
        ("frame", "0", "the ground"),
        ("frame", "fist:a", "point a of body fist"),
    ],
)
def test_a_name_that_hides_another_is_refused(kind: str, name: str, other: str) -> None:
    with pytest.raises(ModelError, match=rf"{kind}s?[. ]{name}\b.*{other}"):
        made(**{kind: name})


def test_other_names_are_taken() -> None:
    """A frame of its own body's name is that body's; functions mean nothing to frames."""
    for frame in ("arm", "sin", "k", "arm-2"):
        assert frame in made(frame=frame).every_frame
    assert made(input="length", sensor="height")


def test_frames_of_robots_make_way_for_bodies(tmp_path: Path) -> None:
    """A body `a_b` is made of the link a.b, and the link a_b of another body keeps a name."""
    parts = [link("ground"), link("a.b"), link("a_b")]
    parts += [joint("i", "revolute", "ground", "a.b"), joint("j", "revolute", "a.b", "a_b")]
    (tmp_path / "r.urdf").write_text(robot(*parts))
    model = mstmm.load(str(tmp_path / "r.urdf"))
    assert {body.name for body in model.bodies} == {"a_b", "a_b2"}
    assert [(x.name, x.body) for x in model.frames][1:] == [("a.b", "a_b"), ("a_b3", "a_b2")]


ODD = """
name = "odd"
dimension = 3
gravity = [0, 0, -9.81]
[parameters]
g = 9.81
[bodies.rod]
mass = 1.2
inertia = [1, 0.1, 0.1, 0, 0, 0]
[bodies.rod.points.top]
[hinges.pivot]
kind = "revolute"
parent = "ground"
child = "rod:top"
"""


@pytest.mark.parametrize("remembered", [False, True])
def test_a_warning_comes_once_at_the_users_line(tmp_path: Path, remembered: bool) -> None:
    """Copies of the model, the user's and those that solvers make, say no more of the same body."""
    (tmp_path / "odd.toml").write_text(ODD)
    if remembered:
        with pytest.warns(mstmm.ModelWarning):
            mstmm.load(tmp_path / "odd.toml")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = mstmm.load(tmp_path / "odd.toml")
        replace(model.with_parameters(g=1.0), name="copy")
    assert [Path(each.filename) for each in told] == [Path(__file__)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        body = replace(model.bodies[0], inertia=((2, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
        replace(model, bodies=(body,))
    assert [Path(each.filename) for each in told] == [Path(__file__)]
