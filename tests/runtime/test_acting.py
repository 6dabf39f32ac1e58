"""A ground that moves: how it turns, and what is fixed to it; `scenarios` have the rest."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import acting_models
import numpy as np
import pytest
import random_models
from closeness import close
from independent.forces import (
    moving_base,
)
from reading import Reading

import mstmm
from mstmm.model import Base, End, Hinge, Point
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray


def test_a_moving_base_turns_about_the_inertial_axes_one_after_the_other() -> None:
    """R = R₃(c) R₂(b) R₁(a) of the document on conventions, its columns the ground's axes."""
    still = random_models.joint_tree(Random(3), 3, ["revolute"], 1)
    a, b, c = 0.3, 0.5, -0.7
    moving = replace(still, base=Base((1.0, 2.0, 3.0), (a, b, c)))
    poses = [mstmm.compile(x, target="numpy").poses([0.2]) for x in (still, moving)]
    first = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    second = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    third = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    ground = np.eye(4)
    ground[:3, :3], ground[:3, 3] = third @ second @ first, (1.0, 2.0, 3.0)
    np.testing.assert_allclose(poses[1], ground @ poses[0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("dimension", [2, 3])
def test_states_of_ends_on_a_moving_base(dimension: int) -> None:
    """Both sides of a weld to the ground accelerate as the base does."""
    rng = Random(dimension)
    plain = acting_models.tree(rng, dimension, 2, 0.0)
    body = replace(
        plain.bodies[0], points=(*plain.bodies[0].points, Point("W", (0.3,) * dimension))
    )
    weld = Hinge("weld", "fixed", (End("0", "W"), End(body.name, "W")))
    place = Point("W", (0.2, -0.4, 0.5)[:dimension])
    model = replace(plain, bodies=(body,), hinges=(weld,), ground=(place,), q0=(), v0=(), loads=())
    model = replace(acting_models.moved(rng, model), gravity=(0.0, -9.81, 1.0)[:dimension])
    extra = replace(body, name="last", points=(Point("W", (0.1,) * dimension),))
    pin = Hinge(
        "p",
        "pin" if dimension == 2 else "ball",
        (End(body.name, body.points[0].name), End("last", "W")),
    )
    model = replace(model, bodies=(body, extra), hinges=(weld, pin))
    program = joint_program(plan(model))
    state = {"q": model.q0, "v": model.v0, "t": 0.6}
    found = Reading(program)("end_states", **state)["zb"].reshape(-1, 6)
    at = dict(zip(program.sets["states"], found, strict=True))
    base = moving_base(model, 0.6)
    assert base is not None
    own = np.array([*place.position, *[0.0] * (3 - dimension), 1.0])
    expected = (base.dd[0] @ own)[:3]
    assert np.abs(expected).max() > 0.1
    for end in (f"{body.name}:W", "hinge weld:O"):
        close(at[end][:dimension], expected[:dimension], 1e-11)
    close(at[f"{body.name}:W"], at["hinge weld:O"], 1e-11)
