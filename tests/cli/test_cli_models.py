"""The commands as a newcomer tries them on the ready-made models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import answer, assert_fits_80_columns, assert_one_line, run
from urdf_text import joint, link, robot

import mstmm
from mstmm.model import MODELS, load


@pytest.mark.parametrize("name", MODELS)
def test_check_tells_any_model_on_80_columns(name: str) -> None:
    text = answer("check", name)
    assert_fits_80_columns(text)
    assert " ".join(text.split()).startswith(f"{name}: {load(name).description} in ")
    if "g" in load(name).parameters:
        assert ("g=0" if name == "example-1" else "g=9.81") in text


def test_a_force_that_does_work_is_no_slip_of_the_integrator(tmp_path: Path) -> None:
    usual = ("simulate", "example-1", "--t-end", "0.1", "--target", "numpy")
    result = run(*usual, "-o", tmp_path / "x.csv")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "the energy of 0 J changes by 5.8e-02 J" in result.stdout


def test_a_motion_with_a_loop_says_how_far_it_is_open(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    usual = ("simulate", "slider-crank", "--t-end", "0.1", "--target", "numpy", "-o", out)
    assert "the closed loops are open by" in answer(*usual)
    assert json.loads(answer(*usual, "--json"))["constraint_error"] < 1e-10
    assert out.read_text().startswith("time,qshaft,qcrankpin,qguide,")
    tree = ("simulate", "double-pendulum", "--t-end", "0.1", "--target", "numpy", "-o", out)
    assert "open by" not in answer(*tree)


def test_a_slip_in_a_name_is_answered_with_the_nearest() -> None:
    result = run("simulate", "fourbar", "--t-end", "1", "-o", "x.csv")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "no model 'fourbar' (did you mean four-bar?)", "mstmm models")


def test_long_products_are_broken() -> None:
    text = answer("derive", "rod-chain:n=3", "--symbol", "S[5:O]")
    assert_fits_80_columns(text)
    assert any(line.endswith("*") for line in text.splitlines())


def test_operation_counts_fit_80_columns(tmp_path: Path) -> None:
    text = answer("generate", "four-bar", "--target", "numpy", "-o", tmp_path)
    after = text[text.index("accelerations:") :]
    assert_fits_80_columns(after)


@pytest.mark.parametrize(
    ("name", "end", "algorithm", "carried"),
    [
        ("four-bar", "coupler:O", "dca", "geometry/"),
        ("slider-crank", "rod:O", "riccati", "inward/IA/rod"),
        ("spatial-tree", "nut:O", "rnea-body", "outward/"),
    ],
)
def test_every_model_and_algorithm_is_read(
    name: str, end: str, algorithm: str, carried: str
) -> None:
    """S and e of loops and sliders are those of the program that is compiled."""
    derived = mstmm.derive(name)
    end = next(each for each in derived.S if each.startswith(end.partition(":")[0]))
    text = answer("derive", name, "--symbol", f"S[{end}]", "--budget", "20000000")
    assert f"S[{end}] =" in text
    assert_fits_80_columns(text)
    asked = ("derive", name, "--algorithm", algorithm)
    first = next(x for x in mstmm.derive(name, algorithm=algorithm).quantities if carried in x)
    assert_fits_80_columns(answer(*asked, "--symbol", first))


def test_coefficients_of_a_tree_of_pins_in_joint_coordinates() -> None:
    assert "S[1:O] =" in answer("derive", "double-pendulum", "--symbol", "S[1:O]")
    assert "And S[end]" in answer("derive", "double-pendulum")


def test_check_warns_of_an_inertia_of_no_body_and_strictly_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    slender = link("b", inertia=(0.02, 0, 0, 0.03, 0, 0.06))
    path.write_text(robot(link("a"), slender, joint("j", "revolute", "a", "b")))
    result = run("check", path)
    assert result.exit_code == 0
    assert_one_line(result.stderr, "warning: body b · inertia: no rigid body has")
    result = run("check", path, "--strict")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "link b · inertia: no rigid body has")


def test_a_robot_floats_and_has_joints_held(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    parts = [link("hull"), link("up_1"), link("fore"), link("hand")]
    joints = (("hip", "hull", "up_1"), ("el_bow", "up_1", "fore"), ("wrist", "fore", "hand"))
    parts += [joint(name, "revolute", *ends, (0, 0, 0.3), axis=(1, 0, 0)) for name, *ends in joints]
    file.write_text(robot(*parts))
    out = tmp_path / "x.csv"
    held = ("--floating", "--locked", "el_bow=-pi/4", "--locked", "wrist")
    usual = ("simulate", file, "--t-end", "0.01", "--target", "numpy", "-o", out)
    answer(*usual, *held, "--start", "hip=0.2", "--start", "uhip=3")
    found = mstmm.load(file, floating=True, locked={"el_bow": -np.pi / 4, "wrist": 0.0})
    start, speeds = np.array(found.q0), np.zeros(len(found.speeds))
    start[-1], speeds[-1] = 0.2, 3.0
    run_of_it = mstmm.compile(found, target="numpy").simulate(start, speeds, t_end=0.01)
    head, *rows = out.read_text().splitlines()
    assert head.split(",")[1 : 1 + len(found.q0)] == list(found.coordinates)
    last = [float(x) for x in rows[-1].split(",")[1 : 1 + len(found.q0)]]
    np.testing.assert_array_equal(last, run_of_it.q[-1])
    assert "2 bodies" in answer("check", file, *held)
    again = answer("check", f"{file}:wrist=1", "--floating", "--locked", "el_bow")
    assert "2 bodies" in again


def test_a_joint_held_outside_its_limits_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    parts = [link("hull"), link("arm"), link("hand")]
    parts += [joint("hip", "revolute", "hull", "arm"), joint("wrist", "revolute", "arm", "hand")]
    file.write_text(robot(*parts))
    result = run("check", file, "--locked", "wrist=10")
    assert result.exit_code == 0
    said = "warning: joint wrist: is locked at 10 rad, outside its limits [-9, 9] rad"
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("four-bar", "--floating"),
            "--floating, --locked and --without are of a robot's file (.urdf, .xml",
        ),
        (("x.urdf", "--locked", "=1"), "--locked '=1': write NAME=VALUE, such as --locked a=0.3"),
        (("x.urdf", "--locked", "a=b"), "--locked a: 'b': there is no 'b'"),
    ],
)
def test_options_of_robots_are_refused_elsewhere(given: tuple[str, ...], said: str) -> None:
    for command in ("check", "draw"):
        result = run(command, *given)
        assert result.exit_code == 2
        assert_one_line(result.stderr)
        assert said in result.stderr
