"""Models at the edge: nothing free to move, loads that move nothing, laws without a value."""

from __future__ import annotations

import numpy as np
import pytest
from compiler import TARGETS
from proofs import proof_of_blocks

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import Model
from mstmm.model.files.toml import from_text

SLIDER = """
name = "slider"
dimension = 2
gravity = [0, 0]
[bodies.A]
mass = 2
inertia = 0.3
points.a = {}
[hinges.m]
kind = "prismatic"
parent = "ground"
child = "A:a"
"""


def slider(more: str = "") -> Model:
    return from_text(SLIDER + more)


@pytest.mark.parametrize("target", TARGETS)
def test_where_all_motion_is_prescribed_the_driving_force_comes_out(target: str) -> None:
    solver = mstmm.compile(slider('motion = "0.5*t**2"'), target=target)
    assert solver.speeds == ()
    assert solver.driving_forces([], [], t=3.0) == pytest.approx([2.0], rel=1e-14)
    assert solver.energy([], [], t=3.0) == pytest.approx(9.0, rel=1e-14)
    assert solver.poses([], t=2.0)[0, 0, 3] == pytest.approx(2.0)
    assert proof_of_blocks(solver, points=3).ok
    for ask in (lambda: solver.accelerations([], []), lambda: solver.simulate(t_end=1.0)):
        with pytest.raises(UsageError, match="no hinge of it moves but as prescribed"):
            ask()


@pytest.mark.parametrize("target", TARGETS)
def test_where_all_motion_is_prescribed_inverse_dynamics_gives_the_drives(target: str) -> None:
    solver = mstmm.compile(slider('motion = "0.5*t**2"'), algorithm="rnea-body", target=target)
    assert solver.inverse_dynamics([], [], [], t=[1.0, 2.0]).shape == (2, 0)
    assert solver.inverse_drives([], [], [], t=3.0) == pytest.approx([2.0], rel=1e-14)
    assert solver.inverse_loads([], [], [], t=3.0).shape == (1, 6)


@pytest.mark.parametrize("target", TARGETS)
def test_a_load_in_time_that_moves_nothing_leaves_the_motion_alone(target: str) -> None:
    solver = mstmm.compile(slider('[loads.F]\nbody = "A"\nmoment = "cos(t)"'), target=target)
    run = solver.simulate(v0=[0.5], t_end=1.0, dt=0.1)
    assert run.q[-1] == pytest.approx([0.5], rel=1e-14)
    assert np.abs(solver.joint_loads([0.0], [0.0], t=0.0)[0, 2]) == pytest.approx(1.0)


def test_an_empty_batch_has_empty_end_states() -> None:
    solver = mstmm.compile(slider(), target="numpy")
    found = solver.end_states(np.zeros((0, 1)), np.zeros((0, 1)))
    assert found.loads.shape == (0, len(found.ends), 6)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("friction = { coulomb = 1, velocity = 0 }", "friction.velocity.*must be positive, is 0"),
        ("friction = { coulomb = 1, velocity = -0.1 }", "must be positive, is -0.1"),
        ("friction = { coulomb = -1 }", "friction.coulomb.*must not be negative, is -1"),
        ("damper = { damping = -2 }", "damper.damping.*must not be negative, is -2"),
        ('force = "0*(1/(q1-q1))"', "force.*no finite number"),
        ('force = "pi"\n[parameters]\npi = 3', "pi is the number"),
    ],
)
def test_laws_without_sense_are_refused(more: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        slider(more)


def test_passive_speeds_are_a_sequence_of_names() -> None:
    solver = mstmm.compile(slider(), algorithm="rnea-body", target="numpy")
    with pytest.raises(UsageError, match="must be a sequence of names"):
        solver.inverse_dynamics([0.0], [0.0], [0.0], passive=3)  # type: ignore[arg-type]
