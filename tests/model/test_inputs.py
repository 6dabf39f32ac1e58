"""Inputs of models: read, written, checked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mstmm.errors import ModelError
from mstmm.model import Input, load
from mstmm.model.expressions.quantities import parameter
from mstmm.model.files.toml import from_text, to_text

TEXT = """
name = "pushed"
dimension = 2
gravity = [0, -9.81]
[parameters]
k = 2.0
[inputs]
u = {{ default = "2*k", unit = "N", limits = [-9, "3*k"] }}
w = 1
[bodies.A]
mass = "{mass}"
inertia = 0.3
points.a = {{}}
[hinges.m]
kind = "prismatic"
parent = "ground"
child = "A:a"
force = "k*u - u1"
potential = "w*q1"
motion = {motion}
[loads.F]
body = "A"
force = ["u*cos(t)", 0]
"""


def test_inputs_are_read_and_written() -> None:
    model = from_text(TEXT.format(mass=1, motion="[]"))
    assert model.inputs == (Input("u", 4.0, "N", (-9.0, 6.0)), Input("w", 1.0))
    assert model.parameters == {"k": 2.0, "u": 4.0, "w": 1.0}
    assert from_text(to_text(model)) == model
    assert from_text(to_text(load("cart-pole"))) == load("cart-pole")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.format(mass="u", motion="[]"), ("bodies.A.mass", "depends on the input u")),
        (TEXT.format(mass=1, motion='["u"]'), ("hinges.m.motion", "depends on the input u")),
        (
            TEXT.format(mass=1, motion="[]").replace("w = 1", "w = 1\nk = 1"),
            ("inputs.k", "a parameter"),
        ),
        (
            TEXT.format(mass=1, motion="[]").replace("w = 1", "w = 1\nm = 1"),
            ("inputs.m", "hinge m"),
        ),
        (
            TEXT.format(mass=1, motion="[]").replace("[-9, ", "[9, "),
            ("inputs.u.limits", "9, must not exceed the upper, 6"),
        ),
        (
            TEXT.format(mass=1, motion="[]").replace("[-9, ", "["),
            ("inputs.u.limits", "two numbers"),
        ),
        (TEXT.format(mass=1, motion="[]").replace("w = 1", "w = 1\nqm = 1"), ("qm is the name",)),
        (TEXT.format(mass=1, motion="[]").replace("w = 1", "w = 1\nu1 = 1"), ("u1", "rename")),
        (TEXT.format(mass=1, motion="[]").replace("w = 1", "w = {unt = 1}"), ("inputs.w.unt",)),
        (TEXT.format(mass=1, motion="[]").replace('"2*k"', '"open(1)"'), ("inputs.u", "open")),
    ],
)
def test_inputs_that_are_refused(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(ModelError) as caught:
        from_text(text)
    for word in words:
        assert word in str(caught.value)


def test_no_size_is_an_input() -> None:
    model = load("cart-pole")
    cart = replace(model.bodies[0], mass=parameter("u"))
    with pytest.raises(ModelError, match="mass: u depends on the input u; inputs may stand in"):
        replace(model, bodies=(cart, model.bodies[1]))
    twice = (*model.inputs, Input("u"))
    with pytest.raises(ModelError, match="input u: the name is used 2 times"):
        replace(model, inputs=twice)
