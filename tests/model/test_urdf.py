"""URDF files: what becomes of links and joints, by hand; and what is refused, and how."""

from __future__ import annotations

import json
import linecache
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
import sympy as sp
from counting import python_calls
from urdf_text import joint, link, robot

import mstmm
from mstmm.errors import ModelError, ModelWarning, ToolchainError, UsageError
from mstmm.model import Body, Mimic, Model
from mstmm.model.files.urdf import read_urdf
from mstmm.model.files.urdf_joints import FRICTION_SPEED

#: Ten operations in double precision.
TOLERANCE = 1e-13
WORLD = '<link name="world"/>'
INERTIA = (0.02, 0.001, -0.002, 0.03, 0.003, 0.04)
TENSOR = np.array([[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.04]])
CENTRE = np.array([0.1, -0.2, 0.3])


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(*parts: str, name: str = "tiny", **options: Any) -> Model:
        path = tmp_path / "robot.urdf"
        path.write_text(robot(*parts, name=name))
        return read_urdf(path, **options)

    return read


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=0, atol=TOLERANCE)


def accelerations(model: Model) -> Any:
    """At the start, at rest."""
    return mstmm.compile(model, target="numpy").accelerations(model.q0, model.v0)


# Joints


AXES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, -2, 0.5)]
ORIGINS = [((0, 0, 0.4), (0, 0, 0)), ((0.3, -0.1, 0.2), (0.4, -0.7, 1.1))]


@pytest.mark.filterwarnings("ignore:joint hip . axis:mstmm.ModelWarning")
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("base", [WORLD, link("world")], ids=["ground", "body"])
def test_a_pendulum_starts_as_by_hand(
    axis: tuple[float, ...], origin: tuple[tuple[float, ...], ...], base: str, read: Any
) -> None:
    """(n·J n) α = n·(r × m g), everything in the link's axes."""
    arm = link("arm", 2.0, INERTIA, CENTRE)
    model = read(base, arm, joint("hip", "continuous", "world", "arm", *origin, axis))
    n = np.array(axis) / np.linalg.norm(axis)
    R = scipy.spatial.transform.Rotation.from_euler(
        "xyz", origin[1]
    ).as_matrix()  # about fixed axes: roll, pitch, yaw
    g = R.T @ np.array([0, 0, -9.81])
    J = TENSOR + 2.0 * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))
    close(accelerations(model), [n @ np.cross(CENTRE, 2.0 * g) / (n @ J @ n)])


@pytest.mark.filterwarnings("ignore:joint rail . axis:mstmm.ModelWarning")
@pytest.mark.parametrize("axis", AXES)
def test_a_slider_falls_along_its_axis(axis: tuple[float, ...], read: Any) -> None:
    xyz, rpy = ORIGINS[1]
    model = read(WORLD, link("cart"), joint("rail", "prismatic", "world", "cart", xyz, rpy, axis))
    n = scipy.spatial.transform.Rotation.from_euler("xyz", rpy).apply(
        np.array(axis) / np.linalg.norm(axis)
    )
    close(accelerations(model), [n @ [0, 0, -9.81]])


@pytest.mark.parametrize("base", [WORLD, link("world")], ids=["massless", "massive"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_the_first_link_lies_where_the_file_says(base: str, kind: str, read: Any) -> None:
    """Whether the root link becomes ground or a body."""
    for xyz in ((0, 0, 0.4), (0.1, 0.2, 0.4)) if base != WORLD else ((0, 0, 0.4),):
        model = read(base, link("a"), joint("j", kind, "world", "a", xyz, (0, 0, 0.9)))
        *_, pose = mstmm.compile(model, target="numpy").poses([0.0])
        close(pose[:3, :3], scipy.spatial.transform.Rotation.from_euler("z", 0.9).as_matrix())
        close(pose[:3, 3], xyz)


def test_planar_and_floating_joints_fall(read: Any) -> None:
    ends = ("world", "box")
    model = read(WORLD, link("box"), joint("table", "planar", *ends, axis=(0, 1, 0)))
    assert [hinge.kind for hinge in model.hinges] == ["planar"]
    close(np.linalg.norm(accelerations(model)), 9.81)
    model = read(WORLD, link("box"), joint("air", "floating", *ends, xyz=(1, 2, 3)))
    assert [hinge.kind for hinge in model.hinges] == ["free"]
    close(accelerations(model), [0, 0, -9.81, 0, 0, 0])


def test_a_floating_root_is_free(read: Any) -> None:
    model = read(
        link("hull", xyz=CENTRE),
        link("arm"),
        joint("hip", "revolute", "hull", "arm"),
        floating=True,
    )
    assert [hinge.kind for hinge in model.hinges] == ["free", "revolute"]
    close(accelerations(model), [0, 0, -9.81, 0, 0, 0, 0])


def test_angles_meant_as_right_are_right(read: Any) -> None:
    chain = [WORLD, link("a"), joint("j", "revolute", "world", "a"), link("b")]
    for angle in (1.57079632679, 1.5707963267948966):
        model = read(*chain, joint("k", "revolute", "a", "b", (1, 0, 0), (angle, 0, 0)))
        assert model.bodies[0].point("I1").axes == ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    model = read(*chain, joint("k", "revolute", "a", "b", (1, 0, 0), (1.5708, 0, 0)))
    close(
        model.bodies[0].point("I1").axes,
        scipy.spatial.transform.Rotation.from_euler("x", 1.5708).as_matrix(),
    )


# Fixed and locked joints


def arm_of(model: Model) -> Body:
    return next(body for body in model.bodies if body.name == "arm")


def by_hand(pose: tuple[Any, Any]) -> tuple[float, Any, Any]:
    """Mass, centre and inertia of `arm` (2 kg at CENTRE) with `tool` (3 kg) at a pose."""
    R, p = pose
    centres = (CENTRE, p + R @ np.array([0.0, 0.1, 0.0]))
    tensors = (TENSOR, R @ np.diag([0.05, 0.06, 0.07]) @ R.T)
    centre = (2 * centres[0] + 3 * centres[1]) / 5
    total = np.zeros((3, 3))
    for m, c, J in zip((2, 3), centres, tensors, strict=True):
        d = c - centre
        total += J + m * (d @ d * np.eye(3) - np.outer(d, d))
    return 5.0, centre, total


def with_tool(read: Any, kind: str, held: Mapping[str, float]) -> Model:
    xyz, rpy = ORIGINS[1]
    made: Model = read(
        WORLD,
        link("arm", 2.0, INERTIA, CENTRE),
        link("tool", 3.0, (0.05, 0, 0, 0.06, 0, 0.07), (0, 0.1, 0)),
        '<link name="frame"/>',
        joint("hip", "revolute", "world", "arm"),
        joint("wrist", kind, "arm", "tool", xyz, rpy, (0, -0.6, 0.8)),
        joint("mark", "fixed", "tool", "frame", xyz, rpy, (0, 0, 0)),
        locked=held,
    )
    return made


@pytest.mark.parametrize(
    ("kind", "held"), [("fixed", {}), ("continuous", {"wrist": 0.8}), ("prismatic", {"wrist": 0.2})]
)
def test_what_is_fixed_or_locked_becomes_one_body(
    kind: str, held: Mapping[str, float], read: Any
) -> None:
    model = with_tool(read, kind, held)
    xyz, rpy = ORIGINS[1]
    R, p = scipy.spatial.transform.Rotation.from_euler("xyz", rpy).as_matrix(), np.array(xyz)
    n = np.array([0, -0.6, 0.8])
    if kind == "continuous":
        R = R @ scipy.spatial.transform.Rotation.from_rotvec(0.8 * n).as_matrix()
    if kind == "prismatic":
        p = p + R @ (0.2 * n)
    assert len(model.bodies) == 1
    arm, (mass, centre, inertia) = arm_of(model), by_hand((R, p))
    close(arm.mass, mass)
    close(arm.centre, centre)
    close(arm.inertia, inertia)


def test_a_lone_link_keeps_its_numbers(read: Any) -> None:
    model = read(WORLD, link("arm", 2.0, INERTIA, CENTRE), joint("j", "revolute", "world", "arm"))
    arm = arm_of(model)
    assert (arm.mass, arm.centre) == (2.0, tuple(CENTRE))
    assert arm.inertia == tuple(map(tuple, TENSOR))


def test_joints_beyond_a_locked_one_move_with_it(read: Any) -> None:
    model = read(
        WORLD,
        *(link(name) for name in "abc"),
        joint("j", "revolute", "world", "a"),
        joint("k", "prismatic", "a", "b", axis=(0, 1, 0)),
        joint("l", "revolute", "b", "c", xyz=(0, 0, 1)),
        locked={"k": 2.0},
    )
    assert [body.name for body in model.bodies] == ["a", "c"]
    assert model.bodies[0].point("I1").position == (0, 2, 1)


MIMIC = '<mimic joint="k" multiplier="-2" offset="0.5"/>'


def fingers(read: Any, **options: Any) -> Model:
    made: Model = read(
        WORLD,
        *(link(name) for name in "abcd"),
        joint("j", "revolute", "world", "a"),
        joint("k", "prismatic", "a", "b"),
        joint("m", "prismatic", "a", "c", more=MIMIC),
        joint("n", "prismatic", "a", "d", more='<mimic joint="m"/>'),
        **options,
    )
    return made


def test_a_mimic_joint_is_locked_with_its_leader(read: Any) -> None:
    model = fingers(read, locked={"k": 0.3})
    (body,) = model.bodies
    k, m = 0.3, 0.5 - 2 * 0.3
    close(body.centre, [0, 0, (k + m + m) / 4])
    (body,) = fingers(read, locked={"k": 0.3, "m": 0.0}).bodies
    close(body.centre, [0, 0, k / 4])


def test_a_mimic_joint_that_moves_is_coupled(read: Any) -> None:
    """And has no coordinate; where it keeps its own, it starts where its leader wants it."""
    model = fingers(read)
    assert model.coordinates == ("qj", "qk")
    assert model.followers == {"m": Mimic("k", -2.0, 0.5), "n": Mimic("k", -2, sp.Rational(1, 2))}
    # Four masses of 1 kg, three of them driven up and down by one coordinate: 1 − 2 − 2.
    solver = mstmm.compile(model, target="numpy")
    close(solver.accelerations(model.q0, model.v0)[1:], np.array([9.81 * 3 / 9]))
    mimics = {hinge.name: hinge.mimic for hinge in model.hinges if hinge.mimic}
    assert mimics == {"m": Mimic("k", -2.0, 0.5), "n": Mimic("m", 1.0, 0.0)}
    own = model.with_own_coordinates()
    start = dict(zip(own.coordinates, own.q0, strict=True))
    assert (start["qk"], start["qm"], start["qn"]) == (0.0, 0.5, 0.5)
    solver = mstmm.compile(own, target="numpy")
    assert np.abs(np.concatenate(solver.constraints(own.q0, own.v0))).max() < TOLERANCE
    a = dict(zip(own.speeds, solver.accelerations(own.q0, own.v0), strict=True))
    close([a["uk"], a["um"], a["un"]], np.array([1, -2, -2]) * 9.81 * 3 / 9)


def test_a_leader_that_is_held_alone_leaves_its_follower_held(read: Any) -> None:
    model = fingers(read, locked={"m": 0.2})
    assert [(hinge.name, hinge.mimic) for hinge in model.hinges] == [("j", None), ("k", None)]


def transmission(name: str, *tags: str, more: str = "") -> str:
    """A motor in Drake's dialect."""
    drake = "".join(f"<drake:{tag}/>" for tag in tags)
    return (
        f'<transmission name="motor" xmlns:drake="http://drake.mit.edu"><joint name="{name}"/>'
        f'<actuator name="m">{more}{drake}</actuator></transmission>'
    )


@pytest.mark.parametrize(
    ("tags", "more", "rotor"),
    [
        (('rotor_inertia value="2e-5"', 'gear_ratio value="100"'), "", (2e-5 * 100.0**2,)),
        (('rotor_inertia value="0.5"',), "<mechanicalReduction>50</mechanicalReduction>", (0.5,)),
        (('gear_ratio value="100"',), "", ()),
        ((), "<mechanicalReduction>50</mechanicalReduction>", ()),
    ],
)
def test_rotor_inertia(tags: tuple[str, ...], more: str, rotor: Any, read: Any) -> None:
    motor = transmission("j", *tags, more=more)
    model = read(WORLD, link("a"), joint("j", "continuous", "world", "a"), motor)
    assert model.hinges[0].rotor == rotor


def test_a_link_may_move_without_mass(read: Any) -> None:
    """A cardan joint of two hinges; the cross has no mass."""
    cross = ('<link name="cross"/>', joint("j", "revolute", "world", "cross", axis=(1, 0, 0)))
    model = read(
        WORLD,
        *cross,
        link("bob", 2.0, (0.1, 0, 0, 0.2, 0, 0.3), (0, 0, -0.5)),
        joint("k", "revolute", "cross", "bob", axis=(0, 1, 0)),
    )
    assert model.bodies[0].mass == 0
    solver = mstmm.compile(model, target="numpy")
    found = solver.accelerations([0.3, 0.0], [0.0, 0.0])
    close(found, [-2 * 9.81 * 0.5 * np.sin(0.3) / (0.1 + 2 * 0.25), 0])


# Laws, names, order, start


def test_damping_and_friction_become_a_force(read: Any) -> None:
    more = '<dynamics damping="0.25" friction="3" D="7"/>'
    model = read(WORLD, link("a"), joint("j", "continuous", "world", "a", more=more))
    (law,) = model.hinges[0].force
    u = next(iter(law.free_symbols))
    assert str(u) == "u1"
    for speed in (-2.0, -0.001, 0.0, 0.004, 5.0):
        close(law.subs(u, sp.Float(speed)), -0.25 * speed - 3 * np.tanh(speed / FRICTION_SPEED))
    assert read(WORLD, link("a"), joint("j", "continuous", "world", "a")).hinges[0].force == ()


def test_names_stay_as_they_are_and_different(read: Any) -> None:
    model = read(
        WORLD,
        *(link(name) for name in ("a_1", "a1", "a-1", "é", "0", "7")),
        joint("j_1", "revolute", "world", "a_1"),
        joint("j1", "revolute", "a_1", "a1"),
        joint("j 1", "revolute", "a1", "a-1"),
        joint("_", "revolute", "a-1", "é"),
        joint("é", "revolute", "é", "0"),
        joint("x", "revolute", "0", "7"),
        name="my robot: 7 / é",
    )
    assert [body.name for body in model.bodies] == ["a_1", "a1", "a_12", "link", "02", "7"]
    assert [hinge.name for hinge in model.hinges] == ["j_1", "j1", "j_12", "joint", "joint2", "x"]
    assert model.name == "my-robot-7"


def test_hinges_follow_the_tree(read: Any) -> None:
    model = read(
        *(link(name) for name in "edcba"),
        joint("z", "revolute", "a", "e"),
        joint("y", "revolute", "b", "d"),
        joint("w", "revolute", "a", "b"),
        joint("x", "revolute", "b", "c"),
    )
    assert [hinge.name for hinge in model.hinges] == ["z", "w", "y", "x"]
    assert [str(hinge.ends[0]) for hinge in model.hinges] == ["0:I1", "0:I2", "b:I1", "b:I2"]
    assert model.coordinates == ("qz", "qw", "qy", "qx")


def test_the_start_lies_within_the_limits(read: Any) -> None:
    limits = ('lower="-1" upper="2"', 'lower="0.5" upper="1"', 'lower="-3" upper="-1"', "")
    parts = [WORLD]
    for k, bounds in enumerate(limits):
        parent = f"l{k - 1}" if k else "world"
        more = f'<limit {bounds} effort="1" velocity="1"/>'
        parts += [link(f"l{k}"), joint(f"j{k}", "prismatic", parent, f"l{k}", more=more)]
    assert read(*parts).q0 == (0.0, 0.75, -2.0, 0.0)


# The face


def test_load_reads_robots(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("a"), link("b"), joint("j", "revolute", "a", "b")))
    assert mstmm.load(str(path)) == read_urdf(path)
    assert mstmm.load(str(path), floating=True, locked={"j": 1}).coordinates[0] == "qroot_x"
    for given, words in (
        ({"fixed": 3}, "takes locked, floating, hold_massless"),
        ({"locked": "j"}, "write locked="),
        ({"locked": {"k": 0}}, "no joint 'k'; there are: j"),
        ({"locked": {"j": float("nan")}}, "j = nan"),
        ({"locked": {"j": "1"}}, "j = '1'"),
    ):
        with pytest.raises(UsageError, match=words):
            mstmm.load(str(path), **given)
    with pytest.raises(UsageError, match="cannot be read"):
        mstmm.load(str(tmp_path / "none.urdf"))


def test_without_the_extra_there_is_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("a")))
    monkeypatch.setitem(sys.modules, "defusedxml.ElementTree", None)
    with pytest.raises(ToolchainError, match=r"mstmm\[urdf\]"):
        read_urdf(path)


# What no rigid body has, and what nothing resists


def test_an_inertia_of_no_body_is_told_and_taken(tmp_path: Path) -> None:
    """The largest principal moment exceeds the sum of the others by 0.18 %."""
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("a"), link("b", inertia=(0.02, 0, 0, 0.03, 0, 0.05009)), J))
    with pytest.warns(mstmm.ModelWarning, match="body b · inertia: no rigid .* by 0.18 %"):
        model = mstmm.load(str(path))
    close(accelerations(model), [0.0])
    with pytest.raises(ModelError, match=r"robot.urdf: link b · inertia: no rigid body has"):
        mstmm.load(str(path), strict=True)


#: Puma 560: mass kg, centre m and principal moments kg m² of links, as identified.
PUMA = {
    "b1": (0.0, (0, 0, 0), (0, 0.35, 0)),
    "b2": (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    "b3": (4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    "b4": (0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    "b5": (0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    "b6": (0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
}
#: Its joints' places, m and rad.
PUMA_JOINTS = [
    ((0, 0, 0), (0, 0, 0)),
    ((0, 0, 0), (np.pi / 2, 0, 0)),
    ((0.4318, 0, 0), (0, 0, 0)),
    ((0.0203, 0, 0.15), (-np.pi / 2, 0, 0)),
    ((0, 0.4318, 0), (np.pi / 2, 0, 0)),
    ((0, 0, 0), (-np.pi / 2, 0, 0)),
]


def test_a_robot_with_identified_inertias_is_taken(read: Any) -> None:
    """Armstrong, Khatib, Burdick (1986): three links are no bodies, the first without mass."""
    links = [
        link(name, mass, (j[0], 0, 0, j[1], 0, j[2]), centre)
        for name, (mass, centre, j) in PUMA.items()
    ]
    names = ["world", *PUMA]
    hinges = [
        joint(f"j{k}", "revolute", *names[k : k + 2], xyz, rpy, (0, 0, 1))
        for k, (xyz, rpy) in enumerate(PUMA_JOINTS)
    ]
    with pytest.warns(mstmm.ModelWarning) as told:
        model = read(WORLD, *links, *hinges)
    assert [str(each.message).split(" · ")[0] for each in told] == ["body b1", "body b3"]
    solver = mstmm.compile(model, target="numpy", algorithm="closed-form")
    M = solver.mass_matrix([0.3, -0.7, 0.4, 0.2, 1.1, -0.5])
    assert np.linalg.eigvalsh(M)[0] > 1e-6


def test_slight_mistakes_are_mended(tmp_path: Path) -> None:
    """A name that is missing is the file's; the axis (1, 1, 0) is a direction."""
    path = tmp_path / "two-arms.urdf"
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b", axis=(1, 1, 0)))
    path.write_text(text.replace(' name="tiny"', ""))
    with pytest.warns(mstmm.ModelWarning) as told:
        model = mstmm.load(str(path))
    assert [str(each.message) for each in told] == [
        "robot: has no name; taken from the file's: two-arms",
        "joint j · axis: has length 1.41421, not 1; its direction is taken",
    ]
    assert model.name == "two-arms"
    close(np.array(model.ground[0].axes)[:, 2], [0.5**0.5, 0.5**0.5, 0])
    with pytest.raises(ModelError, match=r"two-arms.urdf: robot: has no name"):
        mstmm.load(str(path), strict=True)


def test_warnings_point_at_the_line_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the file is read, when it is remembered, and of a body that is made by hand."""
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "odd.urdf"
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b", axis=(1, 1, 0)))
    path.write_text(text.replace(' name="tiny"', ""))
    for load in (mstmm.load, mstmm.load, read_urdf):
        with pytest.warns(mstmm.ModelWarning) as told:
            load(str(path))
        lines = [linecache.getline(each.filename, each.lineno).strip() for each in told]
        assert lines == ["load(str(path))"] * 2


def test_a_joint_locked_outside_its_limits_is_told_of(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """With what follows it; at a limit itself nothing is said."""
    path = tmp_path / "robot.urdf"
    lift = '<limit lower="-0.2" upper="0.4" effort="9" velocity="9"/>'
    parts = [link(name) for name in "abcd"]
    parts += [
        joint("lift", "prismatic", "a", "b", more=lift),
        joint("turn", "revolute", "b", "c", more=lift + '<mimic joint="lift" multiplier="-0.1"/>'),
        joint("free", "continuous", "c", "d"),
    ]
    path.write_text(robot(*parts))
    mstmm.load(str(path), locked={"lift": 0.4})
    mstmm.load(str(path), locked={"lift": -0.2})
    assert not recwarn.list
    with pytest.warns(mstmm.ModelWarning) as told:
        mstmm.load(str(path), locked={"lift": 3})
    assert [str(each.message) for each in told] == [
        "joint lift: is locked at 3 m, outside its limits [-0.2, 0.4] m",
        "joint turn: is locked at -0.3 rad, outside its limits [-0.2, 0.4] rad",
    ]
    with pytest.raises(ModelError, match=r"robot.urdf: joint lift: is locked at 3 m"):
        mstmm.load(str(path), locked={"lift": 3}, strict=True)


def test_rounded_axes_are_unit_axes(read: Any, recwarn: pytest.WarningsRecorder) -> None:
    read(link("a"), link("b"), joint("j", "revolute", "a", "b", axis=(0.707, 0.707, 0)))
    assert not recwarn.list


def test_what_moves_only_as_a_whole_says_how(tmp_path: Path) -> None:
    path = tmp_path / "drone.urdf"
    path.write_text(robot(link("a")))
    with pytest.raises(ModelError, match=r"nothing moves.*floating=True"):
        read_urdf(path)
    assert [hinge.kind for hinge in mstmm.load(f"{path}:floating").hinges] == ["free"]


def test_massless_joints_are_held_if_asked(tmp_path: Path) -> None:
    """Those that nothing resists, no others; along with what is held besides."""
    path = tmp_path / "robot.urdf"
    tips = [
        (f'<link name="{x}"/>', joint(f"j_{x}", "revolute", "hand", x, axis=(1, 0, 0)))
        for x in "abc"
    ]
    hand = link("hand"), joint("wrist", "revolute", "world", "hand")
    path.write_text(robot(WORLD, *hand, *(part for tip in tips for part in tip)))
    for model in (
        mstmm.load(str(path), hold_massless=True, locked={"j_a": 0.3}),
        mstmm.load(f"{path}:hold-massless,j_a=0.3"),
    ):
        assert model.speeds == ("uwrist",)
    with pytest.raises(
        UsageError, match=r"'flying' is neither an option \(floating, hold_massless"
    ):
        mstmm.load(f"{path}:flying")


@pytest.mark.parametrize("variant", ["plain", "fixed", "mimic"])
def test_the_work_grows_as_the_file_does(variant: str, tmp_path: Path) -> None:
    """Counted in calls; a comprehension is one."""
    path, work = tmp_path / "robot.urdf", []
    for n in (40, 80, 160):
        parts = [WORLD]
        for k in range(n):
            kind = "fixed" if variant == "fixed" and k % 2 else "revolute"
            more = f'<mimic joint="j{k - 1}"/>' * (variant == "mimic" and k > 0)
            parent, axis = f"l{k - 1}" if k else "world", np.eye(3)[k % 3]
            parts += [link(f"l{k}"), joint(f"j{k}", kind, parent, f"l{k}", axis=axis, more=more)]
        end = link("end"), joint("end", "revolute", f"l{n - 1}", "end")
        path.write_text(robot(*parts, *end))
        work.append(python_calls(lambda: read_urdf(path)))
    first, second = np.diff(work)
    assert second < 2.1 * first


def test_all_slack_joints_are_told_with_what_holds_them(read: Any) -> None:
    """The text of the warning, pasted, gives a robot; what is held already stays in it."""
    parts = [WORLD, link("hand"), joint("wrist", "revolute", "world", "hand")]
    for finger in "abc":
        tip = f'<link name="{finger}_1"/><link name="{finger}_2"/>'
        parts += [tip, joint(f"j_{finger}_1", "revolute", "hand", f"{finger}_1")]
        parts += [joint(f"j_{finger}_2", "prismatic", f"{finger}_1", f"{finger}_2")]
    with pytest.warns(ModelWarning, match="is given of a_2, b_1, b_2, c_1, c_2: kin") as told:
        assert read(*parts, locked={"j_a_1": 0.1}).kinematic
    found = re.search(r"locked=(\{.*\}) or hold_massless=True holds", str(told[0].message))
    assert found
    held = json.loads(found[1])
    assert held == {
        f"j_{finger}_{k}": 0.1 * (finger + str(k) == "a1") for finger in "abc" for k in (1, 2)
    }
    model = read(*parts, locked=held)
    assert model.speeds == ("uwrist",)
    assert not model.kinematic


# What is refused


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa">'
    '<!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><robot name="&c;"/>'
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<robot name="&x;"/>'
)
FOREIGN = '<?xml version="1.0"?><!DOCTYPE robot SYSTEM "http://127.0.0.1/x.dtd"><robot name="x"/>'
XACRO = (
    '<robot name="x" xmlns:xacro="http://wiki.ros.org/xacro"><xacro:include filename="y"/></robot>'
)
PAIR = link("a") + link("b")
J = joint("j", "revolute", "a", "b")

#: The file, and words of its one message.
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "entity bomb": (BOMB, "refused.*entities"),
    "outside entity": (OUTSIDE, "refused.*entities"),
    "outside document type": (FOREIGN, "refused.*document types"),
    "xacro": (XACRO, "<xacro:include>; expand it first"),
    "empty": ("", "no well-formed XML"),
    "binary": (b"\x00\xff\x80", "no well-formed XML"),
    "cut off": (robot(PAIR)[:-20], "no well-formed XML"),
    "strange encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "XML|refused"),
    "many bytes": (b" " * (16 * 2**20 + 1), "at most"),
    "deep": ("<a>" * 100_000, "XML|refused"),
    "another format": ('<sdf version="1.6"/>', "holds a <sdf>"),
    "no links": (robot(), "links: the file has none"),
    "nothing moves": (robot(link("a")), "nothing moves"),
    "link twice": (robot(PAIR, link("a")), "link a: two links"),
    "joint twice": (robot(PAIR, link("c"), J, joint("j", "fixed", "b", "c")), "joint j: two"),
    "two roots": (robot(PAIR), "one link has no parent.*a, b"),
    "two parents": (
        robot(PAIR, link("c"), J, joint("k", "fixed", "a", "c"), joint("l", "fixed", "b", "c")),
        "link c: has two parents, by the joints k and l",
    ),
    "circle": (
        robot(link("0"), PAIR, J, joint("k", "fixed", "b", "a")),
        "link a: is not connected",
    ),
    "unknown link": (robot(PAIR, joint("j", "fixed", "a", "x")), "joint j · child: .*'x'"),
    "unknown type": (robot(PAIR, joint("j", "screw", "a", "b")), "joint j · type: 'screw'"),
    "no child": (
        robot(PAIR, '<joint name="j" type="fixed"><parent link="a"/></joint>'),
        "joint j: there is no <child>",
    ),
    "zero axis": (robot(PAIR, joint("j", "revolute", "a", "b", axis=(0, 0, 0))), "j · axis"),
    "short axis": (robot(PAIR, joint("j", "revolute", "a", "b", axis=(1, 0))), "axis: .*3 finite"),
    "words": (robot(PAIR, J).replace('xyz="0.0 0.0 1.0"', 'xyz="0 0 up"'), "axis: must be 3"),
    "infinite": (robot(PAIR, J).replace('mass value="1.0"', 'mass value="1e999"'), "finite"),
    "underscore": (robot(PAIR, J).replace('mass value="1.0"', 'mass value="1_0"'), "finite"),
    "negative mass": (robot(link("a"), link("b", -1.0), J), "link b · mass: must not be negative"),
    "no inertia": (
        robot(link("a"), '<link name="b"><inertial><mass value="1"/></inertial></link>', J),
        "link b: <inertial> has no <inertia>",
    ),
    "half an inertia": (robot(PAIR, J).replace('iyy="', 'IYY="'), "link a: <inertia> has no iyy"),
    "follows nothing": (
        robot(PAIR, link("c"), joint("j", "revolute", "a", "b", more='<mimic joint="k"/>'),
              joint("l", "revolute", "b", "c", more='<mimic joint="m"/>')),
        r'joint j · mimic: follows k, which is no joint that moves; l follows m; correct.* '
        r'locked={"j": 0.0, "l": 0.0}',
    ),
    "follows itself": (
        robot(PAIR, joint("j", "revolute", "a", "b", more='<mimic joint="j"/>')),
        "hinge j · mimic: the hinges follow each other in a circle: j – j",
    ),
    "follows a plane": (
        robot(PAIR, link("c"), joint("k", "planar", "a", "c"),
              joint("j", "revolute", "a", "b", more='<mimic joint="k"/>')),
        "hinge j · mimic: hinge k is planar, with 3 coordinates",
    ),
    "rotor without joint": (
        robot(PAIR, J, transmission("k", 'rotor_inertia value="1"')),
        "transmission motor · joint: a rotor's inertia needs the one joint that it turns; here: k",
    ),
    "negative rotor": (
        robot(PAIR, J, transmission("j", 'rotor_inertia value="-1"')),
        "transmission motor · rotor_inertia: must not be negative",
    ),
    "rotor of a plane": (
        robot(PAIR, joint("j", "planar", "a", "b"), transmission("j", 'rotor_inertia value="1"')),
        "joint j · rotor inertia: has no meaning for a planar joint",
    ),
    "nothing but fixed": (
        robot('<link name="a"/>', '<link name="b"/>', joint("j", "fixed", "a", "b")),
        "nothing moves",
    ),
    "negative damping": (
        robot(PAIR, joint("j", "continuous", "a", "b", more='<dynamics damping="-1"/>')),
        "joint j · damping or friction",
    ),
    "damped plane": (
        robot(PAIR, joint("j", "planar", "a", "b", more='<dynamics damping="1"/>')),
        "joint j · damping or friction: has no meaning for a planar",
    ),
    "limits of nothing": (
        robot(PAIR, joint("j", "revolute", "a", "b", more='<limit lower="inf" upper="inf"/>')),
        "joint j · limit: lets no position be",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_robot_is_refused_in_one_message(name: str, tmp_path: Path) -> None:
    text, words = REFUSED[name]
    path = tmp_path / "robot.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ModelError, match=words) as caught:
        read_urdf(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert "aaaa" not in str(caught.value)


def test_a_floating_root_needs_mass(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(WORLD, link("a"), joint("j", "revolute", "world", "a")))
    with pytest.warns(ModelWarning, match="no mass or no inertia is given of world:"):
        assert read_urdf(path, floating=True).kinematic
