"""A model that describes no system is refused, in one message that names element and field."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import random_models
import sympy as sp
from hypothesis import given, settings

from mstmm.errors import ModelError, MstmmError, UsageError
from mstmm.model import MODELS, Body, End, Hinge, Model, Point, load
from mstmm.model.expressions.quantities import parameter

NAN = math.nan
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def planar(**change: Any) -> Model:
    """The branch pendulum with something changed."""
    return replace(load("branch-pendulum"), **change)


def planar_body(**change: Any) -> Model:
    """… with something of body 1 changed."""
    first, *others = load("branch-pendulum").bodies
    return planar(bodies=(replace(first, **change), *others))


def planar_hinge(**change: Any) -> Model:
    """… with something of hinge 2 (1:O – 7:I1) changed."""
    first, *others = load("branch-pendulum").hinges
    return planar(hinges=(replace(first, **change), *others))


def planar_more(*ends: str) -> Model:
    """… with one more hinge."""
    hinges = load("branch-pendulum").hinges
    first, second = map(End.parse, ends)
    return planar(hinges=(*hinges, Hinge("extra", "pin", (first, second))))


def spatial(**change: Any) -> Model:
    """One body on a ball, with something changed (of the body, or `q0`)."""
    body = Body("1", 1.0, UNIT, (0, 0, 0.5), (Point("O", (0, 0, 0)),))
    state = {"q0": change.pop("q0")} if "q0" in change else {}
    return Model(
        name="top",
        dimension=3,
        bodies=(replace(body, **change),),
        hinges=(Hinge("2", "ball", (End("1", "O"), End("0", "O"))),),
        gravity=(0, 0, -9.81),
        absolute=True,
        **state,
    )


POINTS = load("branch-pendulum").bodies[0].points
HINGES = load("branch-pendulum").hinges
BODIES = load("branch-pendulum").bodies
VALUES = {"m": 1.0, "a": 0.5, "g": 9.81}

#: What is wrong, and the words that the message must hold: element, field, evidence.
BAD: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "mass nan": (lambda: planar_body(mass=NAN), ("body 1", "mass", "nan")),
    "mass infinite": (lambda: planar_body(mass=sp.oo), ("body 1", "mass", "finite")),
    "mass negative": (lambda: planar_body(mass=-1.0), ("body 1", "mass", "positive", "-1 kg")),
    "mass zero": (lambda: planar_body(mass=0), ("body 1", "mass", "positive")),
    "mass text": (lambda: planar_body(mass="3"), ("body 1", "mass", "'3'")),
    "mass none": (lambda: planar_body(mass=None), ("body 1", "mass", "None")),
    "mass bool": (lambda: planar_body(mass=True), ("body 1", "mass", "True")),
    "mass complex": (lambda: planar_body(mass=sp.I), ("body 1", "mass", "real")),
    "mass unknown": (
        lambda: planar_body(mass=parameter("k")),
        ("body 1", "mass", "depends on k", "no parameter"),
    ),
    "inertia negative": (lambda: planar_body(inertia=-0.1), ("body 1", "inertia", "-0.1 kg m²")),
    "inertia 3×3": (lambda: planar_body(inertia=UNIT), ("body 1", "inertia", "one number")),
    "centre long": (lambda: planar_body(centre=(1, 2, 3)), ("body 1", "centre", "3", "2")),
    "centre scalar": (lambda: planar_body(centre=1.0), ("body 1", "centre", "2 numbers")),
    "centre nan": (lambda: planar_body(centre=(0, NAN)), ("body 1", "centre", "nan")),
    "no point": (lambda: planar_body(points=()), ("body 1", "points")),
    "point twice": (
        lambda: planar_body(points=(*POINTS, POINTS[0])),
        ("body 1", "points", "'I'", "2 times"),
    ),
    "point name": (
        lambda: planar_body(points=(*POINTS, Point("a b", (0, 0)))),
        ("body 1", "points", "'a b'", "letters"),
    ),
    "point nan": (
        lambda: planar_body(points=(*POINTS, Point("P", (0, NAN)))),
        ("body 1", "point P", "nan"),
    ),
    "point short": (
        lambda: planar_body(points=(*POINTS, Point("P", (0,)))),
        ("body 1", "point P", "1 components"),
    ),
    "body name empty": (lambda: planar_body(name=""), ("body", "name", "''")),
    "body name colon": (lambda: planar_body(name="1:2"), ("body", "name", "'1:2'")),
    "body name number": (lambda: planar_body(name=1), ("body", "name", "1 is no name")),
    "body name ground": (lambda: planar_body(name="0"), ("body 0", "name", "ground")),
    "body twice": (lambda: planar(bodies=(BODIES[0], *BODIES)), ("body 1", "2 times")),
    "no body": (lambda: planar(bodies=(), hinges=()), ("bodies", "no body")),
    "model name": (lambda: planar(name="a*/b"), ("name", "'a*/b'")),
    "dimension": (lambda: planar(dimension=4), ("dimension", "4")),
    "gravity long": (lambda: planar(gravity=(0, 0, 1)), ("gravity", "3 components")),
    "gravity none": (lambda: planar(gravity=None), ("gravity", "None")),
    "parameter nan": (lambda: planar(parameters={**VALUES, "m": NAN}), ("parameters", "m = nan")),
    "parameter text": (lambda: planar(parameters={**VALUES, "m": "1"}), ("parameters", "m = '1'")),
    "parameter name": (lambda: planar(parameters={**VALUES, "x y": 1.0}), ("parameters", "'x y'")),
    "parameter omega1": (
        lambda: planar(parameters={**VALUES, "omega1": 1.0}),
        ("parameters", "omega1", "speed"),
    ),
    "parameter theta1": (
        lambda: planar(parameters={**VALUES, "theta1": 1.0}),
        ("parameters", "theta1", "coordinate"),
    ),
    "parameter missing": (lambda: planar(parameters={"m": 1.0, "a": 0.5}), ("gravity", "on g,")),
    "hinge kind": (lambda: planar_hinge(kind="ball"), ("hinge 2", "kind", "'ball'", "pin")),
    "hinge twice": (lambda: planar_hinge(name="4"), ("hinge 4", "2 times")),
    "hinge name": (lambda: planar_hinge(name="a-b"), ("hinge", "name", "'a-b'")),
    "unknown body": (
        lambda: planar_hinge(ends=(End("9", "O"), End("7", "I1"))),
        ("hinge 2", "ends", "'9'", "1, 3, 5, 7"),
    ),
    "unknown point": (
        lambda: planar_hinge(ends=(End("1", "X"), End("7", "I1"))),
        ("hinge 2", "ends", "body 1", "'X'", "I, O"),
    ),
    "one end": (lambda: planar_hinge(ends=(End("1", "O"),)), ("hinge 2", "ends", "two")),
    "end as text": (lambda: planar_hinge(ends=("1:O", "7:I1")), ("hinge 2", "ends", "two")),
    "ground point": (
        lambda: planar(hinges=(*HINGES[:-1], Hinge("8", "pin", (End("7", "O"), End("0", "*/"))))),
        ("hinge 8", "ends", "'*/'"),
    ),
    "self-hinge": (lambda: planar_more("1:I", "1:O"), ("hinge extra", "body 1 with itself")),
    "ground to ground": (lambda: planar_more("0:a", "0:b"), ("hinge extra", "ground with itself")),
    "closed loop": (lambda: planar_more("1:I", "3:I"), ("closed loop", "3 – 5 – 7 – 1")),
    "two grounds": (lambda: planar_more("1:I", "0:b"), ("2 hinges", "ground", "exactly one")),
    "no ground": (lambda: planar(hinges=HINGES[:-1]), ("0 hinges", "ground", "exactly one")),
    "disconnected": (lambda: planar(hinges=HINGES[1:]), ("body 1", "not connected")),
    "q0 short": (lambda: planar(q0=(1.0,)), ("q0", "1 entry", "4")),
    "q0 nan": (lambda: planar(q0=(0.0, 0.0, 0.0, NAN)), ("q0", "theta7", "nan")),
    "q0 text": (lambda: planar(q0=("a",) * 4), ("q0", "theta1", "'a'")),
    "v0 infinite": (lambda: planar(v0=(0.0, 0.0, 0.0, math.inf)), ("v0", "omega7", "inf")),
    "v0 long": (lambda: planar(v0=(0.0,) * 5), ("v0", "5 entries", "4")),
    "spatial inertia number": (lambda: spatial(inertia=1.0), ("body 1", "inertia", "3×3")),
    "spatial inertia shape": (
        lambda: spatial(inertia=((1.0, 0.0), (0.0, 1.0))),
        ("body 1", "inertia", "3×3"),
    ),
    "spatial inertia nan": (
        lambda: spatial(inertia=(UNIT[0], UNIT[1], (0.0, 0.0, NAN))),
        ("body 1", "inertia", "nan"),
    ),
    "spatial inertia skew": (
        lambda: spatial(inertia=((1.0, 0.1, 0.0), UNIT[1], UNIT[2])),
        ("body 1", "inertia", "symmetric"),
    ),
    "spatial inertia negative": (
        lambda: spatial(inertia=((-1.0, 0.0, 0.0), UNIT[1], UNIT[2])),
        ("body 1", "inertia", "negative"),
    ),
    "spatial inertia triangle": (
        lambda: spatial(inertia=(UNIT[0], UNIT[1], (0.0, 0.0, 2.1))),
        ("body 1", "inertia", "sum"),
    ),
    "quaternion zero": (lambda: spatial(q0=(0.0,) * 4), ("q0", "Q1_w", "norm 0")),
    "quaternion long": (lambda: spatial(q0=(1.0, 1.0, 0.0, 0.0)), ("q0", "Q1_w", "1.41")),
    "end without colon": (lambda: End.parse("7O"), ("end", "body:point", "'7O'")),
    "end with two colons": (lambda: End.parse("7:O:1"), ("end", "body:point", "'7:O:1'")),
    "end without point": (lambda: End.parse("7:"), ("end", "body:point", "'7:'")),
}


@pytest.mark.filterwarnings("error::mstmm.errors.ModelWarning")
@pytest.mark.parametrize("case", BAD)
def test_bad_model_is_refused_by_name(case: str) -> None:
    build, words = BAD[case]
    with pytest.raises(ModelError) as caught:
        build()
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 200
    for word in words:
        assert word in message


def test_unchanged_models_are_accepted() -> None:
    """The cases above fail for what they change, not for what they start from."""
    assert planar_body() == planar_hinge() == load("branch-pendulum")
    assert spatial().q0 == (1.0, 0.0, 0.0, 0.0)
    assert spatial(inertia=(UNIT[0], UNIT[1], (0.0, 0.0, 2.0))).bodies


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nosuch", ("'nosuch'", "branch-pendulum", "rod-chain")),
        ("branch-system:N=10", ("N = 10", "odd", "11")),
        ("branch-system:N=9", ("N = 9", "11")),
        ("branch-system:N=x", ("name=number", "'N=x'")),
        ("branch-system:N", ("name=number", "'N'")),
        ("branch-system:M=11", ("'M'", "it takes N")),
        ("branch-pendulum:n=3", ("'n'", "none")),
        ("rod-chain:n=0", ("n = 0", "1 or more")),
        ("rod-chain:n=2.0", ("name=number", "'n=2.0'")),
        ("rod-chain:n=2,n=3", ("n", "twice")),
    ],
)
def test_bad_arguments_of_ready_made_models(name: str, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        load(name)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("value", [2.5, True, "3", NAN])
def test_argument_that_is_no_whole_number(value: Any) -> None:
    with pytest.raises(UsageError, match=r"n = .* must be a whole number"):
        load("rod-chain", n=value)


def test_every_error_of_ours_has_an_exit_code() -> None:
    assert {kind.exit_code for kind in MstmmError.__subclasses__()} <= {1, 2, 3}


def test_ready_made_models() -> None:
    paper = {"branch-pendulum", "branch-system", "example-1", "example-2"}
    paper |= {f"hdca-case-{k}" for k in (1, 2, 3)}
    further = {
        "rod-chain",
        "double-pendulum",
        "four-bar",
        "slider-crank",
        "delta-robot",
        "ball-chain",
        "cart-pole",
    }
    vibrating = {"holzer-train", "portal-frame", "spatial-frame", "flexible-arm", "ross-rotor"}
    vibrating |= {"geared-shafts"}
    assert set(MODELS) == paper | further | vibrating | {"spatial-tree"}
    pendulum = load("branch-pendulum")
    assert pendulum.coordinates == ("theta1", "theta3", "theta5", "theta7")
    assert pendulum.speeds == ("omega1", "omega3", "omega5", "omega7")
    assert pendulum.q0 == (math.pi / 2, math.pi / 2, math.pi / 2, 0.0)
    assert len(load("branch-system").bodies) == 500
    assert load("branch-system:N=21") == load("branch-system", N=21)
    assert len(load("rod-chain", n=7).bodies) == 7


def test_quantities_are_exact_at_the_parameters() -> None:
    model = load("branch-pendulum")
    m, a = parameter("m"), parameter("a")
    assert model.exact(m * a**2 / 3) == Fraction(1, 12)
    assert model.exact(0.1) == Fraction(0.1)
    assert model.value(m * sp.Float(0.1)) == 0.1
    assert model.value(np.float32(0.5)) == model.value(np.int64(1)) / 2
    assert model.value(sp.sqrt(2) * m) == math.sqrt(2)
    assert model.value(parameter("g")) == 9.81


@settings(max_examples=40, deadline=None)
@given(random_models.trees())
def test_random_trees_are_models(model: Model) -> None:
    width = 1 if model.dimension == 2 else 3
    assert len(model.speeds) == width * len(model.bodies) == len(model.v0)
    assert len(set(model.coordinates)) == len(model.coordinates) == len(model.q0)


@pytest.mark.parametrize("seed", range(10))
def test_any_tree_with_a_hinge_too_many_or_too_few_is_refused(seed: int) -> None:
    model = random_models.planar_tree(Random(seed))
    with pytest.raises(ModelError, match="ground"):
        replace(model, hinges=model.hinges[1:])
    first, last = model.bodies[0], model.bodies[-1]
    ends = End(first.name, "extra"), End(last.name, "extra")
    bodies = (
        replace(first, points=(*first.points, Point("extra", (0, 0)))),
        *model.bodies[1:-1],
        replace(last, points=(*last.points, Point("extra", (0, 0)))),
    )
    with pytest.raises(ModelError, match="closed loop"):
        replace(model, bodies=bodies, hinges=(*model.hinges, Hinge("extra", "pin", ends)))
