"""Springs, loads, a moving base and lumped masses in model files and in checks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random

import acting_models
import pytest
import sympy as sp
from file_texts import assert_round_trip, message

from mstmm.errors import ModelError
from mstmm.model import Base, Body, End, Hinge, Load, Model, Point
from mstmm.model.expressions.functions import step
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.files.located import schema
from mstmm.model.files.toml import from_text, to_text

SHAKER = """
name = "shaker"
dimension = 2
gravity = [0, "-g"]
[parameters]
g = 9.81
k = 40
F = 3
[base]
position = ["0.1*sin(5*t)", 0]
angle = "0.02*t"
[bodies.cart]
mass = 1.5
inertia = 0.25
[bodies.cart.points.foot]
[bodies.cart.points.top]
position = [0, 0.3]
[bodies.bob]
kind = "lumped"
mass = 0.5
[bodies.bob.points.eye]
position = [0, 0.4]
[hinges.mount]
kind = "elastic"
parent = "ground"
child = "cart:foot"
spring = { stiffness = ["k", "2*k", 5], rest = [0, 0.1, 0] }
damper = { damping = 0.5 }
[hinges.swing]
kind = "pin"
parent = "cart:top"
child = "bob:eye"
potential = "k*(1 - cos(q1))"
spring = { stiffness = 2, rest = 0.25 }
damper = { damping = "k/100" }
[loads.wind]
body = "bob"
force = ["F*step(t - 1)", 0]
[loads.motor]
body = "cart:top"
moment = "-F*sign(sin(t))"
frame = "body"
"""

K, F = parameter("k"), parameter("F")


def test_what_a_file_says() -> None:
    model = from_text(SHAKER)
    mount, swing = model.hinges
    assert (mount.stiffness, mount.damping) == ((K, 2 * K, 5), (0.5, 0.5, 0.5))
    assert mount.rest == (0, 0.1, 0)
    assert (mount.force, mount.potential) == ((), 0)
    q1, u1 = hinge_symbol("q", 1), hinge_symbol("u", 1)
    assert swing.potential == K * (1 - sp.cos(q1)) + (q1 - sp.Float(0.25)) ** 2
    assert swing.force == (-K * u1 / 100,)
    assert model.loads == (
        Load("wind", "bob", "", (F * step(TIME - 1), 0)),
        Load("motor", "cart", "top", (), (-F * sp.sign(sp.sin(TIME)),), "body"),
    )
    assert model.base == Base((sp.Float(0.1) * sp.sin(5 * TIME), 0), (sp.Float(0.02) * TIME,))
    assert model.body("bob").inertia == 0
    assert_round_trip(model)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_random_models_come_back(dimension: int, seed: int) -> None:
    rng = Random(f"{dimension}{seed}")
    model = acting_models.sprung(rng, acting_models.tree(rng, dimension, 4, 0.5))
    model = acting_models.loaded(rng, acting_models.bonded(rng, model, seed % 3))
    assert_round_trip(acting_models.moved(rng, model) if seed % 2 else model)


def test_an_empty_base_comes_back() -> None:
    model = replace(from_text(SHAKER), base=Base())
    assert_round_trip(model)
    assert "[base]" in to_text(model)


def test_springs_of_an_elastic_hinge_in_space() -> None:
    text = """
    name = "mount"
    dimension = 3
    gravity = [0, 0, -9.81]
    [bodies.a]
    mass = 2
    inertia = [0.1, 0.2, 0.25, 0, 0, 0]
    [bodies.a.points.foot]
    [hinges.mount]
    kind = "elastic"
    parent = "ground"
    child = "a:foot"
    spring = { stiffness = 40, rest = 0.1 }
    """
    hinge = from_text(text).hinges[0]
    assert (hinge.stiffness, hinge.rest, hinge.damping) == ((40,) * 6, (0.1,) * 3, ())
    assert_round_trip(from_text(text + "damper = { damping = [1, 2, 3, 4, 5, 6] }\n"))
    assert message(text.replace("= 40", "= [1, 2, 3]")).startswith(
        "hinges.mount.spring.stiffness: has 3 entries instead of 6"
    )
    assert message(text.replace("= 0.1 }", "= [1, 2] }")).startswith(
        "hinges.mount.spring.rest: has 2 entries instead of 3"
    )
    turned = "[base]\nangles = [0, 't', 0]\n"
    assert from_text(text + turned).base == Base((), (0, TIME, 0))
    assert message(text + "[base]\nangle = 1\n") == "base.angle: space takes angles"
    assert message(text + "[base]\nangles = [1]\n").startswith("base.angles: has 1 entry inst")


MESSAGES = [
    ('kind = "lumped"', 'kind = "lump"', "bodies.bob.kind: 'lump' is no body (did you mean lumped"),
    ("mass = 0.5", "mass = 0.5\ninertia = 0", "bodies.bob.inertia: a lumped mass has none"),
    ('kind = "lumped"', "", "bodies.bob.inertia: is missing"),
    ("[0, 0.4]", "[0, 0]", "bodies.bob.mass: neither it nor what hangs on it resists what"),
    ('"2*k", 5]', "5]", "hinges.mount.spring.stiffness: has 2 entries instead of 3"),
    ('"2*k", 5]', '"2*t", 5]', "hinges.mount.spring.stiffness[1]: '2*t': there is no 't'"),
    ("damping = 0.5", "damping = 'u1'", "hinges.mount.damper.damping[0]: 'u1': there is no"),
    ("cos(q1)", "cos(q2)", "hinges.swing.potential: 'k*(1 - cos(q2))': there is no 'q2'"),
    ("cos(q1)", "cos(u1)", "hinges.swing.potential: 'k*(1 - cos(u1))': there is no 'u1'"),
    ("rest = 0.25 }", "rest = 0.25 }\nmotion = 't'", "hinges.swing.motion: cannot be prescribed: "),
    ('body = "bob"', 'body = "bub"', "loads.wind.body: there is no body 'bub'; there are: cart,"),
    ('"cart:top"\nmoment', '"cart:tip"\nmoment', "loads.motor.body: body cart: has no point 'tip'"),
    ('body = "bob"', "", "loads.wind.body: is missing"),
    ('body = "bob"', 'body = "bob:"', "loads.wind.body: an end is written body:point, not 'bob:'"),
    ("t - 1)", "q1 - 1)", "loads.wind.force[0]: 'F*step(q1 - 1)': there is no 'q1'"),
    ('t - 1)", 0]', 't - 1)"]', "loads.wind.force: has 1 entry instead of 2"),
    ("-F*sign", "-F*sgn", "loads.motor.moment[0]: '-F*sgn(sin(t))': there is no function 'sgn'"),
    ('frame = "body"', 'frame = "moon"', "loads.motor.frame: there is no frame 'moon'; there are:"),
    ('moment = "-F*sign(sin(t))"', "", "loads.motor: has neither force nor moment"),
    ("[loads.wind]", "[loads.'wi-nd']", "loads.name: 'wi-nd' is no name; use"),
    ('sin(5*t)", 0]', 'sin(5*t)"]', "base.position: has 1 entry instead of 2"),
    ("0.1*sin(5*t)", "step(t)", "base.position: step(t) must be smooth, without step"),
    ("0.1*sin(5*t)", "abs(t) + sign(t)", "base.position: Abs(t) + sign(t) must be smooth, without"),
    ("0.1*sin(5*t)", "x*t", "base.position[0]: 'x*t': there is no 'x'"),
    ('angle = "0.02*t"', "angles = [1]", "base.angles: the plane takes one angle"),
]


@pytest.mark.parametrize(("old", "new", "expected"), MESSAGES)
def test_messages(old: str, new: str, expected: str) -> None:
    assert old in SHAKER
    assert message(SHAKER.replace(old, new, 1)).startswith(expected)


def test_the_schema_knows_loads_base_and_lumped_masses() -> None:
    tables = json.loads(schema())["$defs"]
    assert tables["BodyTable"]["properties"]["kind"]["enum"] == ["rigid", "lumped"]
    assert tables["LoadTable"]["required"] == ["body"]
    assert set(tables["BaseTable"]["properties"]) == {"position", "angle", "angles"}


# Models in Python


def bar(**laws: object) -> Model:
    """One bar on a pin to the ground, its pin with these laws."""
    body = Body("a", 1.0, 0.1, (0.5, 0), (Point("P", (0, 0)),))
    kind = str(laws.pop("kind", "pin"))
    hinge = Hinge("h", kind, (End("0", "O"), End("a", "P")), **laws)  # type: ignore[arg-type]
    return Model("bar", 2, (body,), (hinge,), (0, -9.81), {"t": 1.0, "q1": 2.0}, absolute=False)


Q1, T = hinge_symbol("q", 1), TIME

PYTHON_MESSAGES = [
    ({"stiffness": (1,)}, "hinge h · stiffness: belongs to elastic hinges; give a pin hinge a pot"),
    ({"kind": "elastic", "rest": (0, 0, 1)}, "hinge h · rest: needs a stiffness"),
    ({"kind": "elastic", "stiffness": (1, 1)}, "hinge h · stiffness: has 2 entries instead of 3"),
    ({"kind": "elastic", "damping": 3}, "hinge h · damping: must be 3 quantities, is 3"),
    ({"kind": "elastic", "damping": (1, 1, Q1 * 0 + sp.Symbol("z"))}, "hinge h · damping: z depen"),
    ({"kind": "elastic", "motion": (1, 1, 1)}, "hinge h · motion: cannot be prescribed: it has sp"),
    (
        {"kind": "elastic", "stiffness": (1, 1, sp.oo)},
        "hinge h · stiffness: oo is no finite number",
    ),
    ({"potential": sp.Symbol("x", real=True)}, "hinge h · potential: x depends on x"),
    ({"potential": Q1}, "hinge h · potential: q1 depends on q1, which is a parameter too; rename"),
    ({"force": (sp.sin(T),)}, "hinge h · force: sin(t) depends on t, which is a parameter too"),
    ({"potential": "q1"}, "hinge h · potential: 'q1' is no number"),
    ({"motion": (step(sp.Symbol("t2")),)}, "hinge h · motion: step(t2) depends on t2"),
    ({"potential": 10**400}, "hinge h · potential: is no finite number"),
]


@pytest.mark.parametrize(("laws", "expected"), PYTHON_MESSAGES)
def test_messages_in_python(laws: dict[str, object], expected: str) -> None:
    with pytest.raises(ModelError, match=re.escape(expected)):
        bar(**laws)


def test_absolute_coordinates_have_no_springs() -> None:
    body = Body("a", 1.0, 0.1, (0.5, 0), (Point("P", (0, 0)),))
    hinge = Hinge("h", "pin", (End("0", "O"), End("a", "P")))
    model = Model("bar", 2, (body,), (hinge,), (0, -9.81), absolute=True)
    for change, expected in (
        ({"hinges": (replace(hinge, potential=Q1),)}, "hinge h · potential: needs joint"),
        ({"loads": (Load("l", "a", force=(1, 0)),)}, "loads: need joint coordinates"),
        ({"base": Base()}, "base: needs joint coordinates"),
    ):
        with pytest.raises(ModelError, match=expected):
            replace(model, **change)


def test_a_hinge_without_laws_is_cut_first() -> None:
    bodies = tuple(
        Body(n, 1.0, 0.1, (0, 0), (Point("P", (0, 0)), Point("Q", (1, 0)))) for n in "ab"
    )
    hinges = (
        Hinge("1", "pin", (End("0", "O"), End("a", "P"))),
        Hinge("2", "pin", (End("a", "Q"), End("b", "P"))),
        Hinge("3", "pin", (End("b", "Q"), End("0", "P")), potential=Q1**2),
    )
    model = Model("loop", 2, bodies, hinges, (0, 0), absolute=False)
    assert model.cuts == ("2",)


@pytest.mark.parametrize("power", [400, 5000])
def test_huge_numbers_are_named(power: int) -> None:
    model, number = bar(), 10**power
    with pytest.raises(ModelError, match="exceeds the range of double precision"):
        model.value(number)
    body = replace(model.bodies[0], mass=number)
    with pytest.raises(ModelError, match="body a · mass: a number of"):
        replace(model, bodies=(body,))
