"""MuJoCo models against MuJoCo, which compiles the same files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model.parts.limits import FREE as FREE_RANGE

pytestmark = pytest.mark.extras

mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")

#: Of the largest entry: both solve in double precision what is conditioned up to 1e5.
TOLERANCE = 1e-9
STATES = 100
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)

MIXED = """<mujoco model="mixed"><compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default>
<worldbody>
 <body name="a" pos="0 0 1" euler=".3 .2 .1">
  <joint name="j_1" pos=".1 0 .2" axis="1 2 3" damping=".1" stiffness="3" springref=".2" armature=".01"/>
  <geom size=".1 .2 .3" type="box" mass="1"/>
  <body name="c" pos="0 .1 .1" euler="1 0 0"><geom size=".1 .1 .05" type="box" mass=".5"/>
   <body name="b" pos=".3 0 0">
    <joint name="j_2" ref=".3" axis="0 1 0"/><joint axis="1 0 1" type="slide" ref=".1" damping=".3"/>
    <joint name="j_4" type="ball" damping=".2" armature=".02"/>
    <geom size=".1 .05 .2" type="box" mass="1"/><site name="tool" pos="0 0 .1" euler="0 .4 0"/>
   </body></body></body>
 <body name="drone" pos="1 1 1" euler=".2 .4 .1"><freejoint name="air"/>
  <geom pos=".1 .2 .3" size=".1 .05 .2" type="box" mass="2"/>
  <body name="tail" pos=".2 .1 .1"><joint axis="0 1 1"/><geom size=".1 .05 .2" type="box" mass="2"/></body></body>
</worldbody></mujoco>"""  # noqa: E501

#: A chain of limbs of several joints on a floating trunk, as humanoids are written.
HUMANOID = """<mujoco model="humanoid"><compiler angle="degree"/>
<default><geom contype="0" conaffinity="0" type="capsule" density="1000"/>
<joint damping=".5" armature=".01" limited="true"/></default>
<worldbody><body name="torso" pos="0 0 1.4"><freejoint name="root"/>
 <geom fromto="0 -.07 0 0 .07 0" size=".07"/>
 <body name="waist" pos="-.01 0 -.26" quat="1 0 -.002 0">
  <joint name="abdomen_z" pos="0 0 .065" axis="0 0 1" range="-45 45" stiffness="20"/>
  <joint name="abdomen_y" pos="0 0 .065" axis="0 1 0" range="-75 30" stiffness="10"/>
  <geom fromto="0 -.06 0 0 .06 0" size=".06"/>
  <body name="pelvis" pos="0 0 -.165"><joint name="abdomen_x" axis="1 0 0" range="-35 35"/>
   <geom fromto="-.02 -.07 0 -.02 .07 0" size=".09"/>{legs}</body></body>{arms}</body>
</worldbody></mujoco>"""
LEG = """<body name="thigh_{s}" pos="0 {y} -.04">
 <joint name="hip_x_{s}" axis="1 0 0" range="-25 5"/><joint name="hip_z_{s}" axis="0 0 1" range="-60 35"/>
 <joint name="hip_y_{s}" axis="0 1 0" range="-110 20"/><geom fromto="0 0 0 0 .01 -.34" size=".06"/>
 <body name="shin_{s}" pos="0 .01 -.403"><joint name="knee_{s}" pos="0 0 .02" axis="0 -1 0" range="-160 -2"/>
  <geom fromto="0 0 0 0 0 -.3" size=".049"/>
  <body name="foot_{s}" pos="0 0 -.39"><joint name="ankle_y_{s}" pos="0 0 .08" axis="0 1 0" range="-50 50"/>
   <joint name="ankle_x_{s}" pos="0 0 .08" axis="1 0 .5" range="-50 50"/>
   <geom fromto="-.07 -.02 0 .14 -.04 0" size=".027"/></body></body></body>"""  # noqa: E501
ARM = """<body name="upper_{s}" pos="0 {y} .06">
 <joint name="shoulder1_{s}" axis="2 1 1" range="-85 60"/><joint name="shoulder2_{s}" axis="0 -1 1" range="-85 60"/>
 <geom fromto="0 0 0 .16 .16 -.16" size=".04"/><body name="lower_{s}" pos=".18 .18 -.18">
  <joint name="elbow_{s}" axis="0 -1 1" range="-90 50"/><geom fromto=".01 .01 .01 .17 .17 .17" size=".031"/>
 </body></body>"""  # noqa: E501


def humanoid() -> str:
    sides = (("left", 0.1), ("right", -0.1))
    parts = [
        "".join(limb.format(s=s, y=y * (1 if limb is LEG else 1.7)) for s, y in sides)
        for limb in (LEG, ARM)
    ]
    return HUMANOID.format(legs=parts[0], arms=parts[1])


def without_meshes(name: str, tmp_path: Path) -> str:
    """A robot of example-robot-data, its shapes gone, converted by MuJoCo itself."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("needs the wheel example-robot-data")
    path = Path(str(next(file for file in files if file.name == name).locate()))
    top = ElementTree.parse(path).getroot()
    for link in top.findall("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    for element in top.findall("mujoco"):
        top.remove(element)
    bare = tmp_path / "bare.urdf"
    options = '<mujoco><compiler fusestatic="false" balanceinertia="true" boundmass="1e-6" '
    top.append(ElementTree.fromstring(options + 'boundinertia="1e-9"/></mujoco>'))
    ElementTree.ElementTree(top).write(bare)
    target = tmp_path / "converted.xml"
    mujoco.mj_saveLastXML(str(target), mujoco.MjModel.from_xml_path(str(bare)))
    return target.read_text()


class Judge:
    """MuJoCo's numbers in the coordinates and speeds of a model."""

    def __init__(self, path: Path) -> None:
        self.m = mujoco.MjModel.from_xml_path(str(path))
        flags = mujoco.mjtDisableBit
        self.m.opt.disableflags |= int(flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT)
        self.m.opt.disableflags |= int(flags.mjDSBL_EQUALITY | flags.mjDSBL_FRICTIONLOSS)
        self.d = mujoco.MjData(self.m)

    def state(self, rng: Random) -> tuple[Any, Any, Any]:
        """Random qpos, speeds as in a model, forces along them."""
        q = np.array([rng.uniform(-1, 1) for _ in range(self.m.nq)])
        for joint in range(self.m.njnt):
            at = self.m.jnt_qposadr[joint]
            if self.m.jnt_type[joint] in (FREE, BALL):
                at = at + 3 * (self.m.jnt_type[joint] == FREE)
                q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        v, tau = (np.array([rng.uniform(-s, s) for _ in range(self.m.nv)]) for s in (3, 20))
        return q, v, tau

    def turned(self, q: Any) -> Any:
        """T: MuJoCo's speeds from those of the model, whose free bodies use their own axes."""
        T = np.eye(self.m.nv)
        for joint in self.free:
            at, k = self.m.jnt_qposadr[joint] + 3, self.m.jnt_dofadr[joint]
            T[k : k + 3, k : k + 3] = scipy.spatial.transform.Rotation.from_quat(
                q[at : at + 4], scalar_first=True
            ).as_matrix()
        return T

    @property
    def free(self) -> list[int]:
        return [j for j in range(self.m.njnt) if self.m.jnt_type[j] == FREE]

    def rates(self, T: Any, v: Any) -> Any:
        """Ṫ v: R (ω × v) of each free body."""
        found = np.zeros(self.m.nv)
        for joint in self.free:
            k = self.m.jnt_dofadr[joint]
            found[k : k + 3] = T[k : k + 3, k : k + 3] @ np.cross(v[k + 3 : k + 6], v[k : k + 3])
        return found

    def forward(self, q: Any, v: Any, tau: Any) -> Any:
        T = self.turned(q)
        self.d.qpos, self.d.qvel, self.d.qfrc_applied = q, T @ v, T @ tau
        mujoco.mj_forward(self.m, self.d)
        return T.T @ (self.d.qacc - self.rates(T, v))

    def mass_matrix(self, q: Any) -> Any:
        M, T = np.zeros((self.m.nv, self.m.nv)), self.turned(q)
        self.d.qpos = q
        mujoco.mj_forward(self.m, self.d)
        identity = np.eye(self.m.nv)
        for k in range(self.m.nv):
            column = np.zeros(self.m.nv)
            mujoco.mj_mulM(self.m, self.d, column, identity[k])
            M[:, k] = column
        return T.T @ M @ T

    def inverse(self, q: Any, v: Any, a: Any) -> Any:
        T = self.turned(q)
        self.d.qpos, self.d.qvel, self.d.qacc = q, T @ v, T @ a + self.rates(T, v)
        self.d.qfrc_applied = 0
        mujoco.mj_inverse(self.m, self.d)
        return T.T @ self.d.qfrc_inverse


ROBOTS = {
    "panda": "panda.urdf",
    "ur5": "ur5_robot.urdf",
    "anymal": "anymal.urdf",
    "talos": "talos_reduced.urdf",
}


@pytest.mark.filterwarnings("ignore::mstmm.ModelWarning")
@pytest.mark.parametrize("name", ["mixed", "humanoid", *ROBOTS])
def test_models_move_as_in_mujoco(name: str, tmp_path: Path) -> None:
    text = MIXED if name == "mixed" else humanoid() if name == "humanoid" else ""
    path = tmp_path / f"{name}.xml"
    text = text or without_meshes(ROBOTS[name], tmp_path)
    flag = '<option><flag frictionloss="disable"/></option>'  # of contact's kind in the judge
    path.write_text(text.replace("</mujoco>", f"{flag}</mujoco>"))
    model = mstmm.load(str(path))
    free = tuple(replace(hinge, mimic=None) for hinge in model.hinges)
    model = replace(model, hinges=free, q0=(), v0=())  # in the judge no joint follows another
    solver = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    judge, rng = Judge(path), Random(name)
    states = [judge.state(rng) for _ in range(STATES)]
    q, v, tau = (np.array(each) for each in zip(*states, strict=True))
    found = (
        solver.accelerations(q, v, tau),
        inverse.mass_matrix(q),
        inverse.inverse_dynamics(q, v, v),
    )
    expected = (
        [judge.forward(*state) for state in states],
        [judge.mass_matrix(state[0]) for state in states],
        [judge.inverse(q, v, v) for q, v, _ in states],
    )
    for ours, theirs in zip(found, expected, strict=True):
        scale = np.abs(theirs).max(axis=tuple(range(1, ours.ndim)))
        error = np.abs(ours - theirs).max(axis=tuple(range(1, ours.ndim))) / scale
        assert error.max() < TOLERANCE


CLOSED = """<mujoco model="closed"><compiler angle="radian"/>
<default><geom contype="0" conaffinity="0" type="capsule" size=".03"/></default><worldbody>
 <body name="crank"><joint name="crank" axis="0 1 0" ref=".2"/><geom fromto="0 0 0 0 0 .2"/>
  <body name="rod" pos="0 0 .2"><joint name="rod" axis="0 1 0"/><geom fromto="0 0 0 .5 0 0"/></body></body>
 <body name="rocker" pos=".5 0 0"><joint name="rocker" axis="0 1 0"/><geom fromto="0 0 0 0 0 .2"/>
  <site name="top" pos="0 0 .2"/></body>
 <body name="wheel" pos="0 1 0"><joint name="wheel" axis="0 1 0"/><geom fromto="0 0 0 0 0 .2"/></body>
</worldbody>
<equality><connect name="pin" body1="rocker" body2="rod" anchor="0 0 .2"/>
 <joint joint1="wheel" joint2="crank" polycoef=".1 -2 0 0 0"/>{more}</equality></mujoco>"""  # noqa: E501


def test_equalities_close_loops_and_couple(tmp_path: Path) -> None:
    """At rest: J a = 0 of MuJoCo's Jacobian of its equalities, and all its forces along it."""
    path = tmp_path / "closed.xml"
    path.write_text(CLOSED.format(more=""))
    model = mstmm.load(str(path), strict=True)
    assert model.cuts == ("pin",)
    mimic = next(hinge.mimic for hinge in model.hinges if hinge.mimic)
    assert (mimic.hinge, mimic.ratio, mimic.offset) == ("crank", -2.0, 0.1 + 2 * 0.2)
    judge = Judge(path)
    judge.m.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    judge.m.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
    solver = mstmm.compile(model, target="numpy")
    q, _ = solver.project(model.q0, np.zeros(4))
    judge.d.qpos = q
    mujoco.mj_forward(judge.m, judge.d)
    J = judge.d.efc_J.reshape(-1, 4)
    M, rest = judge.mass_matrix(q), -judge.d.qfrc_bias
    minimal = np.linalg.pinv(J @ np.linalg.solve(M, J.T))
    force = -minimal @ J @ np.linalg.solve(M, rest)
    expected = np.linalg.solve(M, rest + J.T @ force)
    found = solver.accelerations(q, np.zeros(4))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


MUCH = """<mujoco><option density="1.2"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
 <body name="arm" pos="0 0 1"><joint name="hip"/><geom name="g" size=".1"/>
  <site name="s1"/><body name="hand" pos="0 0 .3"><joint name="wrist" type="ball"/>
  <geom size=".1"/><site name="s2"/><body name="tip"><joint name="a"/><joint name="b" axis="1 0 0"/><geom size=".1"/></body></body></body>
 <body name="drone"><joint name="air" type="free" frictionloss=".2"/><geom size=".1"/></body></worldbody>
 <tendon><spatial name="rope" stiffness="3"><site site="s1"/><geom geom="g"/><site site="s2"/></spatial>
  <spatial name="line" limited="true" range="0 1"><site site="s1"/><site site="s2"/></spatial>
  <fixed name="three"><joint joint="hip" coef="1"/><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon>
 <equality><joint name="bent" joint1="a" joint2="b" polycoef="0 1 2 0 0"/><tendon name="sum" tendon1="rope"/></equality>
 <actuator><motor name="drive" joint="hip"/><motor name="pull" tendon="rope"/><muscle name="m" joint="hip" lengthrange="0 1"/>
 </actuator><sensor><jointpos name="seen" joint="hip"/></sensor></mujoco>"""  # noqa: E501


def test_what_shapes_the_motion_is_refused_or_left_out_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "much.xml"
    path.write_text(MUCH)
    said = (
        "these shape the motion and cannot be taken exactly: actuators: "
        "pull (tendon around a geom), m (dyntype muscle); "
        "equalities: sum (a tendon that is not of joints); "
        "friction: air (frictionloss); medium: density; tendons: rope (around a geom); "
        'without=("actuators", "equalities", "friction", "medium", "tendons") leaves them out'
    )
    with pytest.raises(ModelError, match=re.escape(said)):
        mstmm.load(str(path))
    with pytest.raises(ModelError, match=r'medium: .*; without=\("medium",\) leaves them out'):
        mstmm.load(f"{path}:without=actuators+equalities+friction+tendons")
    groups = ("actuators", "equalities", "friction", "medium", "tendons")
    with pytest.warns(mstmm.ModelWarning) as told:
        model = mstmm.load(str(path), without=groups)
    assert [str(each.message) for each in told] == [
        "actuators: left out as asked: pull (tendon around a geom), m (dyntype muscle)",
        "equalities: left out as asked: sum (a tendon that is not of joints)",
        "friction: left out as asked: air (frictionloss)",
        "medium: left out as asked: density",
        "tendons: left out as asked: rope (around a geom)",
        "contact: left out: floor, g, geom 2, geom 3, geom 4",
        "sensors: left out: seen",
        "limits of tendons: left out: line",
    ]
    assert [each.name for each in model.inputs] == ["drive"]
    with pytest.raises(UsageError, match=r"no group 'tendon' \(did you mean tendons\?\)"):
        mstmm.load(str(path), without=("tendon",))
    with pytest.raises(UsageError, match=r'write without=\("tendons",\)'):
        mstmm.load(str(path), without="tendons")


def test_sites_and_bodies_are_frames(tmp_path: Path) -> None:
    path = tmp_path / "mixed.xml"
    path.write_text(MIXED)
    model, judge = mstmm.load(str(path)), Judge(path)
    q, _, _ = judge.state(Random(3))
    judge.d.qpos = q
    mujoco.mj_forward(judge.m, judge.d)
    solver = mstmm.compile(model, target="numpy")
    poses = dict(zip(solver.bodies, solver.poses(q), strict=True))
    for frame in model.frames:
        site = frame.name == "tool"
        theirs = judge.d.site("tool") if site else judge.d.body(frame.name)
        own = np.eye(4)
        own[:3, 3] = frame.position
        own[:3, :3] = np.eye(3) if frame.axes is None else frame.axes
        pose = poses.get(frame.body, np.eye(4)) @ own
        np.testing.assert_allclose(pose[:3, 3], theirs.xpos, atol=1e-12)
        np.testing.assert_allclose(pose[:3, :3].ravel(), theirs.xmat, atol=1e-12)


def test_the_root_element_tells_what_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ModelError, match="nothing moves"):
        mstmm.load(str(path))
    path.write_text("<sdf/>")
    with pytest.raises(ModelError, match="holds a <sdf>, no <robot> and no <mujoco>"):
        mstmm.load(str(path))
    path.write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    with pytest.raises(ModelError, match="nothing moves: no body has a joint"):
        mstmm.load(str(path))
    path.write_text("<mujoco><nonsense/></mujoco>")
    with pytest.raises(ModelError, match=r"MuJoCo cannot compile it.*nonsense"):
        mstmm.load(str(path))
    path.write_text(MIXED)
    with pytest.raises(UsageError, match="takes no arguments"):
        mstmm.load(f"{path}:floating")
    with pytest.raises(UsageError, match="cannot be read"):
        mstmm.load(str(tmp_path / "none.xml"))


TENDONS = """<mujoco><option gravity="0 0 -9.81"/><default><geom contype="0" conaffinity="0"/></default>
<worldbody><site name="g" pos=".5 -.2 .3"/><site name="h" pos="-.3 .4 .2"/>
 <body name="a"><joint name="a_1" axis="0 0 1" ref=".2"/><geom size=".1 .2 .3" type="box" mass="2"/>
  <site name="s1" pos=".05 .1 -.3"/><site name="s2" pos=".1 -.1 -.2"/>
  <body name="b" pos=".2 0 -.4"><joint name="b_1" axis="1 .2 0"/><geom size=".1 .05 .1" type="box" mass="1"/>
   <site name="s3" pos=".1 .05 -.25"/>
   <body name="c" pos="0 .1 -.3"><joint name="c_1" type="slide" axis="1 1 0"/>
    <geom size=".1 .05 .2" type="box" mass="1.5"/><site name="s4" pos="0 .1 -.2"/></body></body></body>
</worldbody><tendon>{tendon}</tendon>{more}</mujoco>"""  # noqa: E501

#: Straight tendons, and what drives them.
STRAIGHT = {
    "spring between sites": """<spatial name="t_1" stiffness="120" damping="3" springlength=".15">
        <site site="s1"/><site site="s3"/></spatial>""",
    "slack between": """<spatial stiffness="120" springlength=".3 .6"><site site="g"/>
        <site site="s4"/></spatial>""",
    "by many sites": """<spatial name="7" stiffness="80" damping="2">
        <site site="g"/><site site="s1"/>
        <site site="s2"/><site site="s3"/><site site="s4"/></spatial>""",
    "over a pulley": """<spatial stiffness="60" damping="1" springlength=".2"><site site="g"/>
        <site site="s1"/><pulley divisor="2"/><site site="s2"/><site site="s4"/>
        <pulley divisor="2"/><site site="s3"/><site site="h"/></spatial>""",
    "one joint": """<fixed stiffness="30" damping=".5" springlength="-.1 .1">
        <joint joint="b_1" coef="-1.5"/></fixed>""",
    "joints": """<fixed name="d" stiffness="30" damping=".5" springlength=".1">
        <joint joint="a_1" coef="2"/>
        <joint joint="b_1" coef="-1"/><joint joint="c_1" coef=".7"/></fixed>""",
    "driven": """<fixed name="d"><joint joint="a_1" coef="2"/><joint joint="c_1" coef="-1"/></fixed>
        <spatial name="w"><site site="g"/><site site="s3"/></spatial>""",
}
DRIVES = """<actuator><motor name="a_1" tendon="d" gear="3"/><position name="pull" tendon="w" kp="50" kv="4" gear="2"/>
<velocity joint="b_1" kv="2"/></actuator>"""  # noqa: E501


@pytest.mark.parametrize("name", STRAIGHT)
def test_straight_tendons_pull(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tendons.xml"
    more = DRIVES if name == "driven" else ""
    path.write_text(TENDONS.format(tendon=STRAIGHT[name], more=more))
    model, judge, rng = mstmm.load(str(path), strict=True), Judge(path), Random(name)
    solver = mstmm.compile(model, target="numpy")
    names = [each.name for each in model.inputs]
    assert names == (["a_1_ctrl", "pull", "u"] if more else [])
    moved = []
    for _ in range(10):
        state = judge.state(rng)
        judge.d.ctrl = control = [rng.uniform(-2, 2) for _ in names]
        expected = judge.forward(*state)
        found = solver.accelerations(*state, parameters=dict(zip(names, control, strict=True)))
        assert np.abs(found - expected).max() < TOLERANCE * np.abs(expected).max()
        moved.append(np.abs(judge.d.qfrc_passive + judge.d.qfrc_actuator).max())
    assert max(moved) > 1


ACTUATORS = """<actuator><motor name="j_1" joint="j_1" gear="3" ctrlrange="-2 .5" ctrllimited="true"/><position name="u1" joint="j_2" kp="5" kv=".3"/>
 <velocity joint="j_2" kv="2" gear="-1"/><general name="odd" joint="j_1" gaintype="affine"
 gainprm="1 2 3" biastype="affine" biasprm=".1 .2 .3" gear="2"/><motor joint="j_2"/></actuator></mujoco>"""  # noqa: E501


def test_actuators_are_inputs(tmp_path: Path) -> None:
    path = tmp_path / "driven.xml"
    path.write_text(MIXED.replace("</mujoco>", ACTUATORS))
    model, judge, rng = mstmm.load(str(path), strict=True), Judge(path), Random(5)
    names = [each.name for each in model.inputs]
    assert names == ["j_1_ctrl", "u12", "u", "odd", "u8"]  # u1 to u7 are speeds in laws
    assert [each.limits for each in model.inputs] == [(-2, 0.5), *[FREE_RANGE] * 4]
    solver = mstmm.compile(model, target="numpy")
    for _ in range(10):
        state = judge.state(rng)
        judge.d.ctrl = control = [rng.uniform(-2, 0.5) for _ in names]
        expected = judge.forward(*state)
        given = dict(zip(names, control, strict=True))
        found = solver.accelerations(*state, parameters=given)
        assert np.abs(found - expected).max() < TOLERANCE * np.abs(expected).max()
