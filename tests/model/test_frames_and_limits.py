"""Frames and limits of a model: read, checked, written, listed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import urdf_text
from file_texts import ARM, PENDULUM, assert_round_trip

from mstmm.errors import ModelError
from mstmm.model import GROUND, Frame, Limits, load
from mstmm.model.files.toml import from_text
from mstmm.model.files.urdf import read_urdf
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.model.parts.limits import FREE, described

TOOL = """
[frames.my_tool-1]
body = "rod"
position = ["1/4", 0.5]
axes = "pi/2"

[frames."a/b:c"]
body = "ground"
"""


def test_frames_of_a_file_come_back() -> None:
    model = from_text(PENDULUM + TOOL)
    tool, ground = model.frames
    assert (tool.name, tool.body, ground.name, ground.body) == ("my_tool-1", "rod", "a/b:c", GROUND)
    assert model.value(tool.position[0]) == 0.25
    assert list(model.every_frame)[:3] == ["my_tool-1", "a/b:c", "rod"]
    assert {"rod:top"} <= model.every_frame.keys()
    assert_round_trip(model)


def test_a_declared_frame_hides_a_bodys() -> None:
    model = load("double-pendulum")
    name = model.bodies[0].name
    moved = replace(model, frames=(Frame(name, name, (1, 2)),))
    assert moved.every_frame[name].position == (1, 2)
    assert len(moved.every_frame) == len(model.every_frame)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[frames.x]\nbody = "rud"', r"frames\.x\.body: there is no body 'rud'"),
        ('[frames.x]\nbody = "rod"\nposition = [1]', r"frames\.x\.position: has 1 comp"),
        ('[frames."x y"]\nbody = "rod"', r"'x y' is no name; use letters"),
        ("[frames.x]\nposition = [1, 2]", r"frames\.x\.body: is missing"),
        ('[frames.x]\nbody = "rod"\nrpy = [1, 2, 3]', r"frames\.x\.rpy: .* plane takes axes"),
    ],
)
def test_frames_that_are_none_are_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_text(f"{PENDULUM}\n{text}\n")


def test_limits_of_a_file_come_back() -> None:
    """Of the arm's hinge with two coordinates; a pair without brackets is one coordinate's."""
    limits = 'position = [["-pi", "pi"], [-inf, 0.5]]\nspeed = 2\neffort = [inf, 3]\n'
    model = from_text(f"{ARM}[hinges.base.limits]\n{limits}")
    assert model.position_limits == ((-math.pi, math.pi), (-math.inf, 0.5))
    assert model.speed_limits == (2.0, 2.0)
    assert model.effort_limits == (math.inf, 3.0)
    assert_round_trip(model)
    hinge = model.hinges[0]
    said = described(hinge.limits, HINGE_KINDS[model.dimension][hinge.kind])
    assert said == "[-3.14159, 3.14159] rad, [-inf, 0.5] m, 2 rad/s, 2 m/s, 3 N"
    assert from_text(ARM).position_limits == (FREE, FREE)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(position=((1.0, 0.0),) * 2), "the lower, 1, must not exceed the upper, 0"),
        (Limits(position=((0.0, 1.0),)), "has 1 entry instead of 2"),
        (Limits(speed=(-1.0, 1.0)), "limits.speed: must not be negative, is -1"),
        (Limits(effort=(math.nan, 1.0)), "must not be negative, is nan"),
        (Limits(position=((math.inf, math.inf),) * 2), "must not exceed"),
    ],
)
def test_limits_that_are_none_are_refused(limits: Limits, message: str) -> None:
    model = from_text(ARM)
    with pytest.raises(ModelError, match=message):
        replace(model, hinges=(replace(model.hinges[0], limits=limits),))


def test_a_quaternion_has_no_limits_of_position() -> None:
    model = load("ball-chain", n=2)
    first, second = model.hinges
    free = replace(first, limits=Limits(speed=(1.0, 2.0, 3.0)))
    assert replace(model, hinges=(free, second)).speed_limits[:4] == (1.0, 2.0, 3.0, math.inf)
    with pytest.raises(ModelError, match="a ball hinge has a quaternion"):
        replace(model, hinges=(replace(first, limits=Limits(position=(FREE,) * 4)), second))


def robot(tmp_path: Path) -> Path:
    """A link that turns, and a tool welded to it twice over."""
    path = tmp_path / "tiny.urdf"
    path.write_text(
        urdf_text.robot(
            urdf_text.link("base_link"),
            urdf_text.link("arm_1"),
            '<link name="flange"/>',
            '<link name="tool tip"/>',
            urdf_text.joint(
                "turn",
                "revolute",
                "base_link",
                "arm_1",
                more='<limit lower="-1" upper="2" velocity="3" effort="-1"/>',
            ),
            urdf_text.joint("w1", "fixed", "arm_1", "flange", (0, 0, 1), (0, 0, math.pi / 2)),
            urdf_text.joint("w2", "fixed", "flange", "tool tip", (1, 0, 0)),
        )
    )
    return path


def test_every_link_of_a_robot_is_a_frame(tmp_path: Path) -> None:
    """Welded ones keep their names, but for what a name cannot hold; limits are read."""
    model = read_urdf(robot(tmp_path))
    assert [frame.name for frame in model.frames] == ["base_link", "arm_1", "flange", "tool_tip"]
    base, _, _, tip = model.frames
    assert (base.body, tip.body) == (GROUND, "arm_1")
    np.testing.assert_allclose(np.array(tip.position, dtype=float), (0, 1, 1), atol=1e-15)
    assert model.position_limits == ((-1.0, 2.0),)
    assert (model.speed_limits, model.effort_limits) == ((3.0,), (math.inf,))
    assert_round_trip(model)
