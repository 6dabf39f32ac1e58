"""Texts of model files, and what tests ask of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mstmm.errors import ModelError
from mstmm.model import Model
from mstmm.model.files.toml import from_text, to_text

ROOT = Path(__file__).resolve().parent.parent


EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


PENDULUM = """
name = "pendulum"
dimension = 2
gravity = [0, "-g"]
[parameters]
g = 9.81
[bodies.rod]
mass = 1.5
inertia = 0.25
centre = [0.5, 0]
[bodies.rod.points.top]
[hinges.pivot]
kind = "pin"
parent = "ground"
child = "rod:top"
"""


ARM = """
name = "arm"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.link]
mass = 2
inertia = [0.1, 0.2, 0.25, 0, 0.01, 0]
[bodies.link.points.foot]
[hinges.base]
kind = "cylindrical"
parent = "ground"
child = "link:foot"
"""


def message(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        from_text(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


LOOP = """
name = "loop"
dimension = 2
gravity = [0, -9.81]
[parameters]
d = 1.5
[ground.points.right]
position = ["d", 0]
axes = "pi/3"
[bodies.a]
mass = 1
inertia = 0.1
[bodies.a.points.s]
[bodies.a.points.e]
position = [1, 0]
[bodies.b]
mass = 1
inertia = 0.1
[bodies.b.points.s]
[bodies.b.points.e]
position = [1, 0]
[hinges.A]
kind = "pin"
parent = "ground"
child = "a:s"
[hinges.B]
kind = "pin"
parent = "a:e"
child = "b:s"
[hinges.C]
kind = "slot"
parent = "ground:right"
child = "b:e"
[start.positions]
A = 0.5
"""


def assert_round_trip(model: Model) -> None:
    text = to_text(model)
    assert from_text(text) == model
    assert to_text(from_text(text)) == text
