"""What things may be called, and that no name means more than itself."""

from __future__ import annotations

import numpy as np
import pytest

import mstmm
from mstmm.errors import ModelError
from mstmm.model.files.toml import from_text

TWO = """
name = "two"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.BODYA]
mass = 2
inertia = [0.1, 0.2, 0.15, 0, 0, 0]
centre = [0.3, 0, 0.1]
[bodies.BODYA.points.s]
[bodies.BODYA.points.ELBOW]
position = [0.6, 0, 0]
[bodies.BODYB]
mass = 1
inertia = [0.1, 0.2, 0.15, 0, 0, 0]
centre = [0.3, 0.1, 0]
[bodies.BODYB.points.s]
[hinges.HINGEA]
kind = "revolute"
parent = "ground"
child = "BODYA:s"
rotor = 0.3
force = "-0.3*u1"
[hinges.HINGEB]
kind = "cylindrical"
parent = "BODYA:ELBOW"
child = "BODYB:s"
force = ["-0.7*sin(q1)", "-q2"]
"""

PLAIN = {"BODYA": "a", "BODYB": "b", "ELBOW": "e", "HINGEA": "p", "HINGEB": "q"}
#: As parts of names in code: a body's point and another body, laws with rotors and without,
#: quaternions, and numbers behind names.
TRICKY = [
    {"BODYA": "x", "BODYB": "x_s", "ELBOW": "s_I1", "HINGEA": "law", "HINGEB": "law_rotor"},
    {"BODYA": "arm_1", "BODYB": "arm", "ELBOW": "e_w", "HINGEA": "turn_w", "HINGEB": "turn_Qw"},
]
Q, V, A = [0.3, -0.4, 0.2], [0.5, 1.0, -0.7], [0.4, -0.2, 0.9]


def called(names: dict[str, str]) -> mstmm.Model:
    text = TWO
    for old, new in names.items():
        text = text.replace(old, new)
    return from_text(text)


@pytest.mark.parametrize("names", TRICKY, ids=str)
def test_numbers_do_not_depend_on_names(names: dict[str, str]) -> None:
    for target in ("c", "numpy"):
        plain, other = (mstmm.compile(called(x), target=target) for x in (PLAIN, names))
        for method in ("accelerations", "joint_loads", "energy"):
            found, known = (getattr(x, method)(Q, V) for x in (other, plain))
            np.testing.assert_array_equal(found, known)
        assert other.model.q0 == (0.0, 0.0, 0.0)
    rates = [
        mstmm.compile(called(x), algorithm="inverse-rates", target="numpy").inverse_rates(
            Q, V, A, A, A
        )
        for x in (PLAIN, names)
    ]
    for each in ("tau", "first", "second"):
        np.testing.assert_array_equal(*(getattr(x, each) for x in rates))


def test_a_quaternion_is_known_by_its_hinge_and_not_by_a_name() -> None:
    model = called(TRICKY[1])
    assert model.coordinates == ("qturn_w", "qturn_Qw_1", "qturn_Qw_2")
    assert model.quaternions == ()
    ball = from_text(TWO.replace('"revolute"', '"ball"').replace("rotor = 0.3\n", "").replace(
        'force = "-0.3*u1"\n', ""
    ))  # fmt: skip
    assert ball.quaternions == (0,)
    assert ball.rest_position() == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert mstmm.load("branch-pendulum").quaternions == ()


@pytest.mark.parametrize("name", ["_a", "a_", "_", "a-b", "ä", "a b", "a.b"])
def test_names_that_are_none(name: str) -> None:
    for thing in ("bodies.BODYB", "bodies.BODYA.points.ELBOW", "hinges.HINGEB"):
        table, _, _ = thing.rpartition(".")
        text = TWO.replace(f"[{thing}]", f'[{table}."{name}"]')
        with pytest.raises(ModelError, match=r"is no name; use letters, digits and _ \(ASCII\)"):
            from_text(text.replace(f"[{thing}.", f'[{table}."{name}".'))


def test_two_coordinates_of_one_name() -> None:
    names = {**PLAIN, "HINGEA": "a_1", "HINGEB": "a"}
    with pytest.raises(ModelError, match="2 coordinates or speeds are called qa_1; rename a hinge"):
        called(names)
