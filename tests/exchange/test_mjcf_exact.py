"""Springs, dampers, actuators and equalities of MuJoCo models, against MuJoCo's own numbers."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mstmm
from mstmm.errors import ModelError, ModelWarning
from mstmm.model.files.urdf_joints import FRICTION_SPEED

pytestmark = pytest.mark.extras

mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")

Array = np.ndarray
CASES = Path(__file__).parent.parent / "data" / "cases"
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)

#: Of the largest entry: both solve in double precision what is conditioned up to 1e5.
TOLERANCE = 1e-9


class Judge:
    """The motion that MuJoCo's M, forces and Jacobian of its equalities ask for, kept exactly."""

    def __init__(self, path: Path) -> None:
        self.m = mujoco.MjModel.from_xml_path(str(path))
        flags = mujoco.mjtDisableBit
        self.m.opt.disableflags |= int(flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT)
        self.m.opt.disableflags |= int(flags.mjDSBL_FRICTIONLOSS)
        self.m.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
        self.d = mujoco.MjData(self.m)

    def place(self, rng: Random) -> Array:
        q = np.array([rng.uniform(-1, 1) for _ in range(self.m.nq)])
        for joint in range(self.m.njnt):
            if self.m.jnt_type[joint] in (FREE, BALL):
                at = self.m.jnt_qposadr[joint] + 3 * (self.m.jnt_type[joint] == FREE)
                q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        return q

    def turned(self, q: Array) -> Array:
        """T: MuJoCo's speeds from those of the model, whose free bodies use their own axes."""
        T = np.eye(self.m.nv)
        for joint in np.flatnonzero(self.m.jnt_type == FREE):
            at, k = self.m.jnt_qposadr[joint] + 3, self.m.jnt_dofadr[joint]
            turn = Rotation.from_quat(q[at : at + 4], scalar_first=True)
            T[k : k + 3, k : k + 3] = turn.as_matrix()
        return T

    def set(self, q: Array, v: Array) -> Array:
        """Put it into a state of the model; gives T."""
        T = self.turned(q)
        self.d.qpos, self.d.qvel = q, T @ v
        mujoco.mj_forward(self.m, self.d)
        return T

    def jacobian(self, q: Array) -> Array:
        T = self.set(q, np.zeros(self.m.nv))
        return np.array(self.d.efc_J).reshape(-1, self.m.nv)[: self.d.ne] @ T

    def residual(self, q: Array) -> Array:
        self.set(q, np.zeros(self.m.nv))
        return np.array(self.d.efc_pos[: self.d.ne])

    def after(self, q: Array, v: Array, by: float) -> Array:
        """The place after a while at constant speeds of the model."""
        found = np.array(q)
        mujoco.mj_integratePos(self.m, found, self.turned(q) @ v, by)
        return found

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """M a = forces + Jᵀ λ with J a = −J̇ v, J̇ by differences along the motion."""
        J = self.jacobian(q)
        T = self.set(q, v)
        M = self._mass_matrix()
        free = np.zeros(self.m.nv)
        for joint in np.flatnonzero(self.m.jnt_type == FREE):
            k = self.m.jnt_dofadr[joint]
            free[k : k + 3] = T[k : k + 3, k : k + 3] @ np.cross(v[k + 3 : k + 6], v[k : k + 3])
        d = self.d
        self.acting = np.abs(d.qfrc_passive + d.qfrc_actuator).max()
        pushed = d.qfrc_passive + d.qfrc_actuator - d.qfrc_bias - M @ free
        rest, M = T.T @ pushed + tau, T.T @ M @ T
        h = 1e-4
        rates = [self.jacobian(self.after(q, v, k * h)) @ v for k in (-2, -1, 1, 2)]
        turning = (rates[0] - 8 * rates[1] + 8 * rates[2] - rates[3]) / (12 * h)
        inner = J @ np.linalg.solve(M, J.T)
        load = np.linalg.lstsq(inner, -turning - J @ np.linalg.solve(M, rest), rcond=1e-10)[0]
        return np.linalg.solve(M, rest + J.T @ load)

    def _mass_matrix(self) -> Array:
        columns = np.zeros((self.m.nv, self.m.nv))
        for column, unit in zip(columns, np.eye(self.m.nv), strict=True):
            mujoco.mj_mulM(self.m, self.d, column, unit)
        return columns.T


def compare(path: Path, states: int = 3, seed: int = 1) -> tuple[Any, float]:
    """The model of a file, and the largest of what acts in it, judged at random states."""
    model, judge, rng = mstmm.load(str(path)).with_own_coordinates(), Judge(path), Random(seed)
    solver = mstmm.compile(model, target="numpy")
    names, greatest = [each.name for each in model.inputs], 0.0
    for _ in range(states):
        q, v = judge.place(rng), np.array([rng.uniform(-3, 3) for _ in range(judge.m.nv)])
        if solver.conditions:
            q, v = solver.project(q, v)
            assert np.abs(judge.residual(q)).max() < 1e-9
            assert np.abs(judge.jacobian(q) @ v).max() < 1e-8
        tau = np.array([rng.uniform(-20, 20) for _ in range(judge.m.nv)])
        control = [rng.uniform(-2, 2) for _ in names]
        judge.d.ctrl = control
        expected = judge.accelerations(q, v, tau)
        found = solver.accelerations(q, v, tau, parameters=dict(zip(names, control, strict=True)))
        assert np.abs(found - expected).max() < TOLERANCE * np.abs(expected).max()
        greatest = max(greatest, judge.acting)
    return model, greatest


BODIES = """<mujoco><compiler angle="radian"/><option gravity="1 -2 -9.81"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody><site name="g" pos=".1 .2 .3" euler=".3 .4 -.5"/>
 <body name="drone" pos="1 1 1" euler=".2 .4 .1" {lift}><joint name="air" type="free" {free}/>
  <geom pos=".1 .2 .3" euler="1 2 3" size=".1 .05 .2" type="box" mass="2"/><site name="thrust" pos=".1 0 .2" euler=".5 .1 0"/>
  <body name="tail" pos=".2 .1 .1" euler="1 0 2" {lift}><joint name="wag" type="ball" pos=".1 0 0" {ball}/>
   <geom pos="0 0 .1" size=".1 .05 .2" type="box" mass="1"/>
   <body name="fin" pos=".2 0 0" {fin}><joint name="h" axis="0 1 1" {axial}/><joint name="s" type="slide" axis="1 1 0" {axial}/>
    <geom pos=".1 0 0" size=".1 .05 .2" type="box" mass="1.5"/><site name="tip" pos=".1 .2 .1" euler=".1 .2 .3"/></body></body></body>
</worldbody>{more}</mujoco>"""  # noqa: E501

#: Where nothing acts.
NOTHING = dict.fromkeys(("lift", "free", "ball", "axial", "fin", "more"), "")

#: What acts in joints, and what actuators do, each by itself.
ACTING: dict[str, dict[str, str]] = {
    "springs of free joints": {"free": 'stiffness="30"'},
    "dampers of free joints": {"free": 'damping=".7"'},
    "armature of free joints": {"free": 'armature=".6"'},
    "springs and dampers of balls": {"ball": 'stiffness="3" damping=".4" armature=".05"'},
    "springs and dampers of higher order": {
        "axial": 'stiffness="3 2 4" damping=".3 .2 .1" ref=".2" springref=".3"'
    },
    "compensated gravity": {"lift": 'gravcomp=".7"'},
    "gravity that actuators compensate": {
        "lift": 'gravcomp=".7"',
        "ball": 'actuatorgravcomp="true"',
        "more": '<actuator><motor joint="h"/></actuator>',
    },
    "gravity compensated without springs and dampers": {
        "lift": 'gravcomp=".7"',
        "more": """<option><flag spring="disable" damper="disable"/></option>
          <actuator><motor joint="h"/></actuator>""",
    },
    "a weld that does not turn": {
        "ball": 'stiffness="3"',
        "more": """<equality><weld body1="fin" body2="drone" anchor=".1 .2 .3" torquescale="0"/>
          </equality>""",
    },
    "tendons of higher order": {
        "more": """<tendon>
          <fixed name="f" stiffness="3 2 4" damping=".3 .2 .1" springlength=".1">
           <joint joint="h" coef="2"/></fixed>
          <spatial name="w" stiffness="3 2 4" damping=".3 .2 .1" springlength=".2 .5">
           <site site="g"/><site site="tip"/></spatial></tendon>"""
    },
    "actuators of balls and free joints": {
        "more": """<actuator><motor joint="wag" gear="1 2 3"/>
          <general joint="wag" gear="-1 2 .5" gaintype="affine" gainprm="1 0 2"
            biastype="affine" biasprm=".3 0 -.4"/>
          <motor jointinparent="wag" gear=".3 -.2 1"/><motor joint="air" gear="1 2 3 4 5 6"/>
          <velocity jointinparent="air" gear="1 -2 3 .4 -5 6" kv=".3"/></actuator>"""
    },
    "actuators at sites": {
        "more": """<actuator><motor site="thrust" gear="0 1 2 .3 0 -.4"/>
          <motor site="tip" gear="0 0 1"/>
          <position site="tip" gear="1 0 0 0 2 0" kp="3"/></actuator>"""
    },
    "clamped forces": {
        "axial": 'actuatorfrcrange="-1 .5"',
        "more": """<actuator><motor joint="h" gear="3"/><position joint="h" kp="5" kv=".3"/>
          <motor joint="s" forcerange="-.1 .4" gear="2"/></actuator>""",
    },
    "slider-cranks": {
        "more": """<actuator><general name="7" cranksite="tip" slidersite="thrust" gear="2"
            cranklength="1.5" biastype="affine" biasprm=".1 .2 .3"/>
          <motor cranksite="tip" slidersite="g" cranklength=".3"/>
          <velocity cranksite="g" slidersite="tip" cranklength="9" kv=".2"/></actuator>"""
    },
    "groups that are off": {
        "more": """<option actuatorgroupdisable="2"/>
          <actuator><motor joint="h" group="2"/><motor joint="s" group="1"/></actuator>"""
    },
    "flags": {
        "ball": 'stiffness="3" damping=".3"',
        "more": '<option><flag spring="disable" gravity="disable"/></option>',
    },
}

INPUTS = {
    "actuators of balls and free joints": 5, "actuators at sites": 3, "clamped forces": 3,
    "slider-cranks": 3, "groups that are off": 1, "gravity that actuators compensate": 1,
    "gravity compensated without springs and dampers": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", ACTING)
def test_what_acts_acts_as_in_mujoco(name: str, tmp_path: Path) -> None:
    path = tmp_path / "acting.xml"
    given = NOTHING | ACTING[name]
    path.write_text(BODIES.format(**given))
    model, greatest = compare(path)
    assert greatest > 0.1 or name == "armature of free joints"
    assert len(model.inputs) == INPUTS.get(name, 0)


#: What is refused, by what is said of it.
REFUSED: dict[str, dict[str, str]] = {
    "gravcomp: wag (actuatorgravcomp)": {
        "lift": 'gravcomp=".7"', "ball": 'actuatorgravcomp="true"',
    },
    "gravcomp: h (actuatorgravcomp), s (actuatorgravcomp)": {
        "fin": 'gravcomp=".7"', "axial": 'actuatorgravcomp="true" actuatorfrcrange="-1 1"',
        "more": '<actuator><motor joint="h"/></actuator>',
    },
    "actuators: actuator 0 (position of a ball), actuator 1 (refsite), actuator 2 (armature)": {
        "more": """<actuator><position joint="wag"/><motor site="tip" refsite="g"/>
          <motor joint="h" armature=".1"/></actuator>""",
    },
    "actuators: actuator 0 (actuatorfrcrange of a joint that it moves)": {
        "axial": 'actuatorfrcrange="-1 1"', "more": '<actuator><motor site="tip"/></actuator>',
    },
    "equalities: equality 1 (its joints follow already), equality 2 (the same joint twice)": {
        "more": """<equality><joint joint1="h"/><joint joint1="h" polycoef=".1 0 0 0 0"/>
          <tendon tendon1="t" tendon2="r" polycoef="0 0 1 0 0"/></equality><tendon>
          <fixed name="t"><joint joint="s" coef="1"/></fixed>
          <fixed name="r"><joint joint="s" coef="2"/></fixed></tendon>""",
    },
    "springs: air (damping of higher order), wag (stiffness of higher order)": {
        "free": 'damping="1 2"', "ball": 'stiffness="1 2"',
    },
    "tendons: tendon 0 (armature), tendon 1 (actuatorfrcrange)": {
        "more": """<tendon><fixed armature=".1"><joint joint="h" coef="1"/></fixed>
          <fixed actuatorfrcrange="-1 1"><joint joint="h" coef="1"/></fixed></tendon>""",
    },
}  # fmt: skip


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_refused_says_what_of_it(said: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.xml"
    given = NOTHING | REFUSED[said]
    path.write_text(BODIES.format(**given))
    with pytest.raises(ModelError, match=re.escape(f"{said}; without")):
        mstmm.load(str(path))
    group, what = said.split(": ")
    with pytest.warns(ModelWarning, match=re.escape(f"{group}: left out as asked: {what}")):
        mstmm.load(str(path), without=(group,))


def test_ball_springs_of_a_file() -> None:
    """Turned by a radian from rest, by hand: I ω̇ = −2 φ n − 0.3 ω − ω × I ω."""
    model = mstmm.load(str(CASES / "ball_spring.xml"))
    axis, v = np.array([0.3, -0.5, 0.8]) / np.sqrt(0.98), np.array([0.2, -0.1, 0.4])
    q = np.roll(Rotation.from_rotvec(axis).as_quat(), 1)
    found = mstmm.compile(model, target="numpy").accelerations(q, v)
    np.testing.assert_allclose(found, [-1.32418305, 1.76025424, -2.47749153], atol=5e-9)


def test_frictionloss_is_smooth_friction(tmp_path: Path) -> None:
    path = tmp_path / "friction.xml"
    given = NOTHING | {"axial": 'frictionloss=".3"'}
    tendon = (
        '<tendon><spatial frictionloss="2"><site site="g"/><site site="tip"/></spatial></tendon>'
    )
    path.write_text(BODIES.format(**given | {"more": tendon}))
    model = mstmm.load(str(path))
    u = 0.4 * FRICTION_SPEED
    for hinge in model.hinges[-2:]:
        (law,) = hinge.force
        (symbol,) = law.free_symbols
        assert float(law.subs(symbol, u)) == pytest.approx(-0.3 * np.tanh(0.4), rel=1e-14)
    (force,) = model.forces
    (rate,) = force.law.free_symbols
    assert float(force.law.subs(rate, u)) == pytest.approx(2 * np.tanh(0.4), rel=1e-14)


COUPLED = """<mujoco><compiler angle="radian"/><option gravity="1 2 -9.81"/>
<default><geom contype="0" conaffinity="0" type="capsule" size=".03"/></default><worldbody>
 <body name="a"><joint name="a" axis="0 1 0" ref=".3"/><geom fromto="0 0 0 0 0 .2"/>
  <body name="b" pos="0 0 .2"><joint name="b" axis="1 1 0" ref="-.2"/><geom fromto="0 0 0 .5 0 0"/>
   <body name="c" pos=".5 0 0"><joint name="c" type="slide" axis="0 1 1" ref=".1"/><geom fromto="0 0 0 .1 .2 0"/></body></body></body>
 <body name="d" pos="1 0 0"><joint name="d" axis="0 1 0"/><geom fromto="0 0 0 0 0 .2"/></body>
</worldbody><tendon><fixed name="T"><joint joint="a" coef="2"/></fixed><fixed name="S"><joint joint="d" coef="-3"/></fixed>
 <fixed name="R"><joint joint="b" coef="1.5"/><joint joint="c" coef="-.7"/></fixed></tendon>
<equality>{equality}</equality></mujoco>"""  # noqa: E501

#: Equalities that are couplings here.
EQUALITIES = {
    "two joints": '<joint joint1="b" joint2="a" polycoef=".05 -1.5 0 0 0"/>',
    "one joint": '<joint joint1="c" polycoef=".05 7 0 0 0"/>',
    "one joint of a higher degree": '<joint joint1="a" polycoef=".05 1 2 3 4"/>',
    "one joint twice": '''<joint joint1="a" joint2="b"/>
        <joint joint1="a" joint2="d" polycoef=".1 .5 0 0 0"/>''',
    "a tendon of one joint": '<tendon tendon1="T" polycoef=".3 1 0 0 0"/>',
    "a tendon of two joints": '<tendon tendon1="R" polycoef="-.2 1 0 0 0"/>',
    "two tendons": '<tendon tendon1="T" tendon2="S" polycoef=".1 .4 0 0 0"/>',
    "joints that follow one that is held": '<joint joint1="a" joint2="b"/><joint joint1="b"/>',
    "two joints of the fourth degree": '''<joint joint1="b" joint2="a"
        polycoef=".05 -1.5 .3 .2 -.4"/>''',
    "a tendon of two joints, and a joint's square": '''<tendon tendon1="R" tendon2="T"
        polycoef="-.2 1 .5 0 0"/>''',
    "tendons of three joints": '<tendon tendon1="R" tendon2="S" polycoef=".1 .4 0 .3 0"/>',
    "in a circle": '''<joint joint1="a" joint2="b"/>
        <joint joint1="b" joint2="a" polycoef=".1 .5 0 0 0"/>''',
    "off": '<joint joint1="a" joint2="b" active="false"/><joint joint1="c" joint2="d"/>',
}  # fmt: skip


@pytest.mark.parametrize("name", EQUALITIES)
def test_equalities_are_kept_as_mujoco_states_them(name: str, tmp_path: Path) -> None:
    """Its residuals are zero, its Jacobian allows the speeds, accelerations solve with both."""
    path = tmp_path / "coupled.xml"
    path.write_text(COUPLED.format(equality=EQUALITIES[name]))
    model, _ = compare(path)
    assert any(hinge.mimic for hinge in model.hinges)


def test_an_equality_with_references_of_a_file() -> None:
    model = mstmm.load(str(CASES / "equality_ref.xml")).with_own_coordinates()
    shared = mstmm.compile(mstmm.load(str(CASES / "equality_ref.xml")), target="numpy")
    np.testing.assert_allclose(shared.accelerations([0.7], [1.0]), [29.32799746], rtol=1e-9)
    solver = mstmm.compile(model, target="numpy")
    start = solver.assemble(fixed={"a": 0.7})
    np.testing.assert_allclose(start.q, [0.7, -0.75], atol=1e-12)
    found = solver.accelerations(start.q, [1.0, -1.5])
    np.testing.assert_allclose(found[0], 29.32799746, rtol=1e-9)


def test_the_model_that_mujoco_tests_itself_with(tmp_path: Path) -> None:
    """What cannot be taken is named; without it, and its weld, all is as MuJoCo has it."""
    own = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    with pytest.raises(
        ModelError, match=r"actuator 1 \(tendon around a geom\), actuator 6 .*density, viscosity"
    ):
        mstmm.load(own)
    spec = mujoco.MjSpec.from_file(str(own))
    for k in (9, 8, 7, 6, 1):  # with a state, or pulling on a tendon around a cylinder
        spec.delete(spec.actuators[k])
    spec.delete(spec.equalities[0])
    spec.option.density = spec.option.viscosity = 0
    spec.option.wind = [0, 0, 0]
    for actuator in spec.actuators:
        actuator.ctrllimited = False
    spec.compile()
    path = tmp_path / "own.xml"
    path.write_text(spec.to_xml())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model, greatest = compare(path, states=2)
    assert greatest > 10
    assert len(model.inputs) == 5
