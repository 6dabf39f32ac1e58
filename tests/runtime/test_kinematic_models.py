"""Robots without inertia: they move and are drawn, and what needs a mass is refused by name."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from proofs import proof_of_blocks
from urdf_text import joint, link, robot

import mstmm
from mstmm.errors import CodegenError, ModelError, ModelWarning, MstmmError, UsageError
from mstmm.model import Model
from mstmm.model.files.toml import from_text, to_text

#: Sums of ten products of numbers about 1, in double precision.
TOLERANCE = 1e-14
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0.6, 0, 0.8), (1, 0, 0))
LINKS = [f"l{k}" for k in range(1, 7)]


def arm(*, heavy: bool, hand: bool = False) -> str:
    """Six joints and a tool; a `hand` has two fingers without inertia, the second follows."""
    parts = ['<link name="world"/>', '<link name="tool"/>']
    for k, axis in enumerate(AXES):
        parts.append(link(f"l{k + 1}") if heavy else f'<link name="l{k + 1}"/>')
        below = f"l{k}" if k else "world"
        parts.append(joint(f"j{k + 1}", "revolute", below, f"l{k + 1}", (0.1, 0.02 * k, 0.3),
                           (0.1 * k, 0, 0), axis))  # fmt: skip
    parts.append(joint("flange", "fixed", "l6", "tool", (0, 0, 0.1)))
    if hand:
        parts += ['<link name="left"/>', '<link name="right"/>']
        parts.append(joint("grip", "prismatic", "l6", "left", (0, 0.05, 0.1), axis=(0, 1, 0)))
        follows = '<mimic joint="grip" multiplier="0.5" offset="0.01"/>'
        place = {"xyz": (0, -0.05, 0.1), "axis": (0, -1, 0)}
        parts.append(joint("follow", "prismatic", "l6", "right", **place, more=follows))
    return robot(*parts, name="arm")


def read(path: Path, *, heavy: bool = False, hand: bool = False, **options: bool) -> Model:
    file = path / "arm.urdf"
    file.write_text(arm(heavy=heavy, hand=hand))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return mstmm.load(file, **options)


def test_it_says_once_that_it_has_kinematics_alone(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(arm(heavy=False))
    with pytest.warns(ModelWarning) as told:
        model = mstmm.load(file)
    assert len(told) == 1
    assert f"no mass or no inertia is given of {', '.join(LINKS)}:" in str(told[0].message)
    assert model.kinematic
    with pytest.raises(ModelError, match="robot arm: no mass or no inertia"):
        mstmm.load(file, strict=True)


def test_kinematics_is_that_of_the_same_robot_with_inertia(tmp_path: Path) -> None:
    light, heavy = (
        mstmm.compile(read(tmp_path, heavy=heavy), target="numpy") for heavy in (False, True)
    )
    assert heavy.model.no_dynamics == ""
    rng = np.random.default_rng(7)
    q, v, a = rng.uniform(-2, 2, (3, 6))
    for of in (
        lambda s: s.poses(q),
        lambda s: s.rates(q, v),
        lambda s: s.frame_jacobian(q, frames="tool"),
        lambda s: s.frame_jacobian_rate(q, v, frames="tool"),
        lambda s: s.frame_velocities(q, v, frames=("tool", "l3")),
        lambda s: s.frame_accelerations(q, v, a, frames="tool"),
        lambda s: s.inverse_kinematics("tool", s.poses(q, frames="tool"), 0.9 * q),
    ):
        np.testing.assert_allclose(of(light), of(heavy), rtol=0, atol=TOLERANCE)
    assert light.model.position_limits == heavy.model.position_limits == ((-9.0, 9.0),) * 6


def test_dynamics_is_refused_with_the_links_without_mass(tmp_path: Path) -> None:
    """Whatever is asked, the message has all of them and what to do."""
    model = read(tmp_path)
    solver = mstmm.compile(model, target="numpy")
    q = np.zeros(6)
    refused = {
        "accelerations": lambda: solver.accelerations(q, q),
        "loads": lambda: solver.joint_loads(q, q),
        "energy": lambda: solver.energy(q, q),
        "simulate": lambda: solver.simulate(t_end=1.0),
        "derivatives": lambda: solver.derivatives(q, q),
        "linearize": lambda: solver.linearize(q, q),
        "state space": lambda: solver.state_space(),
        "equilibrium": lambda: solver.equilibrium(),
        "inverse dynamics": lambda: solver.inverse_dynamics(q, q, q),
        "mass matrix": lambda: solver.mass_matrix(q),
        "centre of mass": lambda: solver.centre_of_mass(q),
        "momentum": lambda: solver.centroidal_momentum(q, q),
        "self-stress": lambda: solver.determinate(q, q),
        "derive": lambda: mstmm.derive(model),
        "ensemble": lambda: mstmm.ensemble(
            model, {"qj1": [0.0]}, to=tmp_path / "e.zarr", t_end=1.0, target="numpy"
        ),
        "lanes": lambda: mstmm.compile(model, target="c-lanes"),
        "FMI": lambda: export(model, "fmi3"),
        "a wheel": lambda: export(model, "wheel"),
        **{
            name: lambda name=name: mstmm.compile(model, algorithm=name, target="numpy")
            for name in ("overall", "rnea-body", "closed-form", "centroidal", "slaats", "dca",
                         "hdca", "inverse-rates", "sensitivities", "derivatives")
        },
    }  # fmt: skip
    said = f"arm has kinematics alone, .* no mass: {', '.join(LINKS)}; give them mass"
    for name, call in refused.items():
        with pytest.raises((UsageError, CodegenError)) as caught:
            call()
        assert re.search(said, str(caught.value)), (name, str(caught.value))
    assert not hasattr(solver, "accelerations")


def export(model: Model, to: str) -> object:
    from mstmm.exchange.exports.export import export

    return export(model, to)


def test_a_project_for_cmake_needs_no_motion(tmp_path: Path) -> None:
    files = export(read(tmp_path), "cmake")
    assert isinstance(files, dict)
    assert "arm/src/arm.c" in files
    assert "arm/example/example_main.c" not in files
    assert b"example" not in files["arm/CMakeLists.txt"]


@pytest.mark.parametrize(("target", "heavy"), [("numpy", False), ("c", True)])
def test_coupled_fingers_close_without_inertia(target: str, heavy: bool, tmp_path: Path) -> None:
    """A light hand on a light arm, and on a heavy one: the coupling holds wherever it comes."""
    shared = read(tmp_path, heavy=heavy, hand=True)
    assert shared.kinematic
    model = shared.with_own_coordinates()
    solver = mstmm.compile(model, target=target)
    assert proof_of_blocks(solver).ok
    grip, follow = (model.coordinates.index(f"q{x}") for x in ("grip", "follow"))
    q = np.linspace(-0.5, 0.4, 8)
    q[grip], q[follow] = 0.03, 0.2
    closed, v = solver.project(q, np.ones(8))
    assert abs(closed[follow] - 0.5 * closed[grip] - 0.01) < 1e-12
    assert abs(v[follow] - 0.5 * v[grip]) < 1e-12
    begun = solver.assemble(fixed={"grip": 0.04}).q
    np.testing.assert_allclose(begun[[grip, follow]], [0.04, 0.03], atol=1e-12)
    pose = solver.poses(closed, frames="right")
    found = solver.inverse_kinematics("right", pose, begun)
    assert abs(found[follow] - 0.5 * found[grip] - 0.01) < 1e-8
    np.testing.assert_allclose(solver.poses(found, frames="right"), pose, atol=1e-8)
    few = mstmm.compile(shared, target=target)
    reached = few.inverse_kinematics("right", pose, shared.q0)
    np.testing.assert_allclose(few.poses(reached, frames="right"), pose, atol=1e-8)


def test_a_light_hand_is_held_for_dynamics(tmp_path: Path) -> None:
    """The message says so, and what it says gives a robot with dynamics."""
    model = read(tmp_path, heavy=True, hand=True)
    assert re.search(
        r"no mass: left, right; .* hold the hinges .*grip.*hold_massless", model.no_dynamics
    )
    held = read(tmp_path, heavy=True, hand=True, hold_massless=True)
    assert not held.kinematic
    assert len(held.speeds) == 6
    assert read(tmp_path, hold_massless=True).kinematic  # all of it would be held


def test_a_link_without_mass_whose_subtree_resists_has_dynamics(tmp_path: Path) -> None:
    file = tmp_path / "wrist.urdf"
    file.write_text(
        robot('<link name="world"/><link name="a"/>', link("b"),
              joint("j", "revolute", "world", "a"),
              joint("k", "revolute", "a", "b", axis=(0, 1, 0)))
    )  # fmt: skip
    assert not mstmm.load(file, strict=True).kinematic


def test_a_model_file_keeps_it(tmp_path: Path) -> None:
    model = read(tmp_path, hand=True)
    text = to_text(model)
    assert "kinematic = true" in text
    assert from_text(text) == model
    with pytest.raises(ModelError, match=r"or have kinematics alone \(kinematic = true\)"):
        from_text(text.replace("kinematic = true\n", ""))
    with pytest.raises(ModelError, match="kinematic: needs joint coordinates"):
        replace(mstmm.load("double-pendulum"), kinematic=True, absolute=True, q0=(), v0=())


def test_loops_close_without_inertia() -> None:
    """The least motion that closes them counts all bodies alike; the place is a closed one."""
    for name in ("slider-crank", "delta-robot"):
        model = replace(mstmm.load(name), kinematic=True)
        solver = mstmm.compile(model, target="numpy")
        start = solver.assemble().q
        q, v = solver.project(solver.retracted(start + 0.01), np.ones(len(model.speeds)))
        gap, rate = solver.constraints(q, v)
        assert max(np.abs(gap).max(), np.abs(rate).max()) < 1e-12
        assert np.abs(q - start).max() > 1e-3


def test_one_that_has_inertia_may_ask_for_kinematics_alone() -> None:
    model = replace(mstmm.load("double-pendulum"), kinematic=True)
    solver = mstmm.compile(model, target="numpy")
    assert solver.poses([0.1, 0.2]).shape == (2, 4, 4)
    with pytest.raises(MstmmError, match="kinematics alone, as it says itself"):
        solver.accelerations([0.1, 0.2], [0.0, 0.0])


def test_it_is_drawn_along_a_path(tmp_path: Path) -> None:
    """The tool goes round a circle by inverse kinematics; the film's vertices are the tool's."""
    model = read(tmp_path)
    solver = mstmm.compile(model, target="numpy")
    angle = np.linspace(0, 1, 12)
    first = np.array([0.3, 0.4, -0.5, 0.2, 0.3, 0.1])
    centre = solver.poses(first, frames="tool")[:3, 3]
    path = centre + 0.1 * np.column_stack([np.cos(angle) - 1, np.sin(angle), 0 * angle])
    q = solver.inverse_kinematics("tool", path, first)
    np.testing.assert_allclose(solver.poses(q, frames="tool")[:, :3, 3], path, atol=1e-9)
    film = model.animate(q, 0.1 * angle)
    assert film.figure.times.tolist() == (0.1 * angle).tolist()
    places = solver.poses(q, frames="l6")[:, :3, 3]
    gaps = np.linalg.norm(film.figure.vertices - places[:, np.newaxis], axis=-1)
    assert gaps.min(axis=1).max() < TOLERANCE
    assert model.animate(q).figure.times[1] == pytest.approx(1 / 30)
    assert "<svg" in replace(model, q0=tuple(q[5])).draw("mechanism").svg
    for bad, why in (
        (q[:1], "two states or more"),
        (q[0], r"shape \(6,\)"),
        (q[:, :4], r"shape \(12, 4\)"),
        ([[np.nan] * 6] * 2, "not finite"),
    ):
        with pytest.raises(UsageError, match=why):
            model.animate(bad)
    with pytest.raises(UsageError, match="times that grow"):
        model.animate(q, 0 * angle)
