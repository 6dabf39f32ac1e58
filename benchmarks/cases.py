"""The work of each row: the model, its random states, and the floors that its figures have."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import mstmm
from mstmm.model import Body, Model

from .trees import FREE, SLIDE, Floats, Link, Tree, X, Y, Z, ball_rods, planar_rods

GRAVITY = 9.81


class NotHereError(Exception):
    """Something that a row needs is not installed; says what to do."""


@dataclass(frozen=True)
class Floor:
    """`contender` is to take at most `ratio` of the time of `yardstick`; or it is an aim."""

    contender: str
    yardstick: str
    ratio: float
    aim: bool = False


@dataclass(frozen=True)
class Case:
    """One kind of work on one model.

    `entry`: forward, inverse, mass, derivatives or rk4. `states`: how many are cycled through, or
    make a batch. `judged`: how many of them are compared with extended precision.
    """

    row: int
    title: str
    entry: str
    model: Callable[[], Model]
    tree: Callable[[], Tree]
    floors: tuple[Floor, ...]
    yardstick: str
    targets: tuple[str, ...] = ("c", "c-lanes", "c-batch")
    states: int = 64
    judged: int = 2
    steps: int = 0

    @cached_property
    def built(self) -> Model:
        return self.model()

    @cached_property
    def numbers(self) -> Tree:
        return self.tree()

    @cached_property
    def drawn(self) -> tuple[Floats, Floats, Floats]:
        """(states, length): q, v, and accelerations for inverse dynamics, else forces of drives.

        Angles of any size; lengths, speeds, accelerations and forces up to one unit. A motion goes
        on without forces.
        """
        random = np.random.default_rng(self.row)
        model, states = self.built, self.states
        nv = len(model.speeds)
        v = random.uniform(-1.0, 1.0, (states, nv))
        parts = []
        for hinge in model.hinges:
            count = len(model.hinge_coordinates(hinge))
            turned = count > len(model.hinge_speeds(hinge))
            if turned:
                parts.append(random.uniform(-1.0, 1.0, (states, count - 4)))
                parts.append(quaternions(random.uniform(-1.0, 1.0, (states, 3))))
            else:
                parts.append(random.uniform(-math.pi, math.pi, (states, count)))
        u = random.uniform(-1.0, 1.0, (states, nv)) * (self.entry != "rk4")
        return np.concatenate(parts, axis=1), v, u


def quaternions(vectors: Floats) -> Floats:
    """Of rotation vectors; w, x, y, z."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * vectors / angle], axis=-1)


def rod_chain(n: int, *, absolute: bool = True) -> Model:
    return replace(mstmm.load("rod-chain", n=n), absolute=absolute, q0=(), v0=())


def rod_chain_tree(n: int, *, joint: bool = False) -> Tree:
    """The same from the ground: each rod lies on the far side of its hinge."""
    return planar_rods(
        list(range(n)),
        [0.0, *[-1.0] * (n - 1)],
        [-0.5] * n,
        GRAVITY,
        order=list(range(n - 1, -1, -1)),
        joint=joint,
    )


def branch_tree(n: int) -> Tree:
    """Rods 2n − 1, …, 13 from the ground, 11 by its centre, 3 – 1 and 9 – 7 – 5 on its ends."""
    chain = n - 6
    names = [*range(2 * n - 1, 11, -2), 11, 3, 1, 9, 7, 5]
    parents = [*range(chain + 1), chain + 1, chain + 2, chain + 1, chain + 4, chain + 5]
    places = [0.0, *[-1.0] * chain, -0.5, -1.0, 0.5, -1.0, -1.0]
    centres = [-0.5] * chain + [0.0] + [-0.5] * 5
    return planar_rods(parents, places, centres, GRAVITY, order=[(k - 1) // 2 for k in names])


def ball_chain(n: int) -> Model:
    """The ready-made chain with rods of 1 kg and 1 m; 1/12 kg m² across, 0.01 kg m² along."""
    model = mstmm.load("ball-chain", n=n)
    across, along = sp.Rational(1, 12), sp.Rational(1, 100)
    zero = sp.Integer(0)
    inertia = ((across, zero, zero), (zero, across, zero), (zero, zero, along))
    bodies = tuple(
        replace(body, inertia=inertia) for body in model.bodies if isinstance(body, Body)
    )
    return replace(
        model, bodies=bodies, parameters={**model.parameters, "m": 1.0, "l": 1.0}, q0=(), v0=()
    )


#: What a robot is called, its file, what is held, what follows that, and whether its root flies.
ROBOTS = {
    "panda": ("Panda", "panda.urdf", {"panda_finger_joint1": 0.0}, ("panda_finger_joint2",), False),
    "hyq": ("HyQ, floating", "hyq_no_sensors.urdf", {}, (), True),
    "tiago": ("Tiago", "tiago_no_hand.urdf", {}, (), False),
    "icub": ("iCub, floating", "icub_reduced.urdf", {}, (), True),
    "ur5": ("UR5", "ur5_robot.urdf", {}, (), False),
    "solo12": ("Solo 12, floating", "solo12.urdf", {}, (), True),
    "anymal": ("ANYmal, floating", "anymal.urdf", {}, (), True),
    "g1": ("G1, floating", "g1_29dof_rev_1_0.urdf", {}, (), True),
    "talos": ("Talos, floating", "talos_reduced.urdf", {}, (), True),
}


def urdf(name: str) -> Path:
    """A file of the package example-robot-data."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        raise NotHereError('pip install "mstmm[bench]" (example-robot-data)') from None
    return Path(str(next(file for file in files if file.name == name).locate()))


def robot(name: str) -> Model:
    """Without damping and friction, which the peers' algorithms leave out."""
    _, file, locked, _, floating = ROBOTS[name]
    model = mstmm.load(str(urdf(file)), locked=locked, floating=floating)
    return replace(model, hinges=tuple(replace(hinge, force=()) for hinge in model.hinges))


def pinocchio_model(name: str) -> Any:
    """As Pinocchio reads the file, with what is held and what follows it fixed."""
    try:
        import pinocchio
    except ImportError:
        raise NotHereError('pip install "mstmm[bench]" (pin)') from None
    _, file, locked, followers, floating = ROBOTS[name]
    root = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    model = pinocchio.buildModelFromUrdf(str(urdf(file)), *root)
    held = [model.getJointId(joint) for joint in (*locked, *followers)]
    if held:
        model = pinocchio.buildReducedModel(model, held, pinocchio.neutral(model))
    return model


def robot_tree(name: str) -> Tree:
    """The robot as plain numbers, as Pinocchio reads the file."""
    model = pinocchio_model(name)
    links = []
    own = {0: np.eye(3)}  # from the axes of each joint to those of its link
    for k in range(1, model.njoints):
        placed, body = model.jointPlacements[k], model.inertias[k]
        kind, turned = _kind_of(model.joints[k])
        inner, own[k] = own[int(model.parents[k])], turned
        links.append(
            Link(
                int(model.parents[k]),
                kind,
                inner.T @ placed.rotation @ turned,
                inner.T @ placed.translation,
                float(body.mass),
                turned.T @ body.lever,
                turned.T @ body.inertia @ turned,
            )
        )
    at_q, at_v = order(robot(name), list(model.names)[1:])
    back = np.argsort(at_v)
    return Tree(
        tuple(links),
        np.array(model.gravity.linear),
        lambda q, v: (np.ascontiguousarray(q[:, at_q]), np.ascontiguousarray(v[:, at_v])),
        lambda a: np.ascontiguousarray(a[:, back]),
        lambda tau: np.ascontiguousarray(tau[:, at_v]),
    )


def _kind_of(joint: Any) -> tuple[int, Floats]:
    """A joint's kind, and the turn that brings z to its axis where that is not x, y or z.

    One that turns without end is a hinge like others: its coordinate is an angle here.
    """
    name = joint.shortname().removeprefix("JointModel")
    if name == "FreeFlyer":
        return FREE, np.eye(3)
    if name in ("RevoluteUnaligned", "RevoluteUnboundedUnaligned", "PrismaticUnaligned"):
        z = np.array(joint.extract().axis)
        x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
        x /= np.linalg.norm(x)
        return SLIDE if name.startswith("P") else Z, np.column_stack([x, np.cross(z, x), z])
    kinds = {"RX": X, "RY": Y, "RZ": Z, "PZ": SLIDE}
    return kinds[name.replace("UB", "")], np.eye(3)


def order(model: Model, joints: list[str]) -> tuple[list[int], list[int]]:
    """Where in a model's coordinates and speeds those of another library's joints stand.

    `joints` are named as in the file; a root that flies is called `root_joint`.
    """
    places: dict[str, tuple[Any, Any]] = {}
    i = k = 0
    for hinge in model.hinges:
        n, m = len(model.hinge_coordinates(hinge)), len(model.hinge_speeds(hinge))
        places[_plain(hinge.name)] = range(i, i + n), range(k, k + m)
        i, k = i + n, k + m
    at_q: list[int] = []
    at_v: list[int] = []
    for joint in joints:
        q, v = places["root" if joint == "root_joint" else _plain(joint)]
        at_q += q
        at_v += v
    return at_q, at_v


def _plain(name: str) -> str:
    """A name without the signs in which libraries differ."""
    return re.sub("[^A-Za-z0-9]", "", name)


WHAT = {
    "forward": "forward dynamics",
    "inverse": "inverse dynamics",
    "mass": "mass matrix",
    "derivatives": "derivatives of forward dynamics",
}


def cases() -> tuple[Case, ...]:
    """The rows that are timed, in order."""
    pin, traced = "pinocchio", "pinocchio → casadi C"

    def arm(row: int, name: str, entry: str, *floors: Floor) -> Case:
        return Case(
            row=row,
            title=f"{ROBOTS[name][0]}, {WHAT[entry]}",
            entry=entry,
            model=lambda: robot(name),
            tree=lambda: robot_tree(name),
            floors=floors,
            yardstick=pin,
            targets=("c", "c-batch"),
            judged=1 if entry == "derivatives" or ROBOTS[name][4] else 4,
        )

    def three(row: int, name: str, *more: Floor) -> tuple[Case, Case, Case]:
        """Forward and M 1.25 times as fast as CasADi's fastest C, inverse 1.3, 1.6 the aim."""
        faster = Floor("c", traced, 0.8)
        inverse = Floor("c", traced, 1 / 1.3), Floor("c", traced, 1 / 1.6, aim=True)
        return (
            arm(row, name, "forward", faster, *more),
            arm(row, name, "inverse", *inverse, *more),
            arm(row, name, "mass", faster),
        )

    wide = Floor("c-batch", pin, 1 / 40)
    return (
        Case(
            1, "planar chain of 500 rods, absolute angles", "forward",
            lambda: rod_chain(500), lambda: rod_chain_tree(500),
            (
                Floor("c", pin, 1 / 8),
                Floor("c-lanes", pin, 1 / 50),
                Floor("c-lanes native", pin, 1 / 60),
                Floor("c-batch", pin, 1 / 75),
                Floor("c-batch native", pin, 1 / 90),
            ),
            pin, states=32,
        ),
        Case(
            2, "spatial chain of 500 ball-jointed rods", "forward",
            lambda: ball_chain(500), lambda: ball_rods(500, GRAVITY),
            (
                Floor("c", "drake", 1 / 16, aim=True),
                Floor("c-lanes", "drake", 1 / 60, aim=True),
                Floor("c-batch", "drake", 1 / 120, aim=True),
            ),
            "drake", states=32, judged=1,
        ),
        Case(
            3, "branch system of 500 bodies in the plane", "forward",
            lambda: replace(mstmm.load("branch-system", N=999), q0=(), v0=()),
            lambda: branch_tree(500),
            (Floor("c", pin, 1 / 8), Floor("c-lanes", pin, 1 / 35, aim=True)),
            pin, states=32,
        ),
        arm(4, "panda", "forward", Floor("c", pin, 1 / 8), Floor("c", traced, 0.65),
            Floor("c-batch", pin, 1 / 55)),
        arm(5, "panda", "inverse", Floor("c", pin, 1 / 8), Floor("c", traced, 0.65),
            Floor("c-batch", pin, 1 / 55)),
        arm(5, "panda", "mass", Floor("c", traced, 0.8)),
        arm(6, "panda", "derivatives", Floor("c", traced, 0.8), Floor("c", pin, 1 / 4, aim=True)),
        arm(7, "ur5", "forward", Floor("c", pin, 1 / 9), Floor("c", traced, 0.8)),
        arm(7, "ur5", "inverse", Floor("c", pin, 1 / 8), Floor("c", traced, 0.8)),
        Case(
            8, "planar chain of 100 rods, joint angles", "forward",
            lambda: rod_chain(100, absolute=False), lambda: rod_chain_tree(100, joint=True),
            (Floor("c", traced, 0.85),), traced, states=32,
        ),
        Case(
            9, "500 planar rods, 1,000 steps of RK4, a step", "rk4",
            lambda: rod_chain(500), lambda: rod_chain_tree(500),
            (Floor("c", pin, 1 / 8), Floor("c-lanes", pin, 1 / 50, aim=True)),
            pin, targets=("c", "c-lanes"), states=1, judged=0, steps=1000,
        ),
        *three(16, "anymal", wide),
        *three(17, "g1", wide),
        *three(18, "talos", wide),
        *three(19, "hyq"),
        *three(20, "tiago"),
        *three(21, "icub"),
    )  # fmt: skip
