"""Where texts have values, and which potentials jump."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import mstmm
from mstmm.errors import ModelError
from mstmm.model.expressions.continuity import jump
from mstmm.model.expressions.domains import slope
from mstmm.model.expressions.evaluation import evaluated
from mstmm.model.expressions.functions import FUNCTIONS, defined
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.expressions.text import read, write

Q, U, A = hinge_symbol("q", 1), hinge_symbol("u", 1), parameter("a")
KNOWN = {Q: None, U: None, TIME: None, A: 1.5}
ROOT = Path(__file__).parents[2]

#: Texts, where they have a value and where they have none.
DOMAINS = [
    ("sqrt(q1)**2", "0.5", "-0.5"),
    ("exp(log(q1))", "0.5", "-0.5"),
    ("sqrt(q1)*sqrt(q1)", "0.5", "-0.5"),
    ("q1**2/q1", "-0.5", "0"),
    ("u1*sin(q1)/sin(q1)", "-0.5", "0"),
    ("1/(1/q1)", "-0.5", "0"),
    ("sin(asin(q1))", "-0.5", "1.5"),
    ("cos(acos(q1))*u1", "-0.5", "-1.5"),
    ("(q1**(1/3))**3", "0.5", "-0.5"),
    ("step(log(q1))", "0.5", "-0.5"),
    ("sign(sqrt(q1) - 1)", "0.5", "-0.5"),
    ("abs(sqrt(q1))", "0.5", "-0.5"),
    ("max(log(q1), 2)", "0.5", "-0.5"),
    ("log(q1**2)", "-0.5", "0"),
    ("sqrt(a*q1)**2", "0.5", "-0.5"),
    ("step(sqrt(q1*u1**2))", "0.5", "-0.5"),
    ("0*log(q1)", "0.5", "-0.5"),
    ("log(q1) - log(q1)", "0.5", "-0.5"),
    ("q1**0.5*q1**0.5", "0.5", "-0.5"),
]


@pytest.mark.parametrize(("text", "inside", "outside"), DOMAINS, ids=[text for text, *_ in DOMAINS])
def test_a_text_has_a_value_where_what_is_written_has_one(
    text: str, inside: str, outside: str
) -> None:
    law = read(text, KNOWN)
    values = {Q: Fraction(inside), U: Fraction(3, 7), A: Fraction(3, 2)}
    assert evaluated(law, values) is not None
    assert evaluated(law, {**values, Q: Fraction(outside)}) is None
    assert read(write(law), KNOWN) == law


KEPT = ["q1**2 + sqrt(q1)", "sqrt(q1**2)", "log(exp(q1))", "1/q1", "sqrt(q1)**3", "log(q1)"]
KEPT += ["(1 + q1**2)/(1 + q1**2)", "a*q1/a", "sqrt(2*q1 + 1)/q1", "q1/(q1 - 1)", "min(q1, 1)"]
KEPT += ["asin(q1)"]


@pytest.mark.parametrize("text", KEPT)
def test_what_keeps_its_domain_costs_nothing(text: str) -> None:
    assert not read(text, KNOWN).has(defined)


@pytest.mark.parametrize(
    ("text", "expected", "root"),
    [("log(q1)", 1 / Q, Q), ("u1*log(a*q1)", U / Q, A * Q), ("log(sqrt(q1))", 1 / (2 * Q), Q)],
)
def test_a_slope_has_a_value_where_its_function_has_one(
    text: str, expected: sp.Expr, root: sp.Expr
) -> None:
    found = slope(read(text, KNOWN), Q)
    assert found == expected * defined(sp.sqrt(root))


def test_a_slope_of_what_has_a_value_everywhere_is_plain() -> None:
    assert slope(sp.log(Q**2 + 1), Q) == 2 * Q / (Q**2 + 1)
    assert slope(sp.log(U), Q) == 0


@pytest.mark.parametrize("first", ["-2.5", "1e20", "7"])
@pytest.mark.parametrize("second", ["0", "7", "-3"])
def test_the_least_and_the_greatest_of_two_are_either_as_it_is(first: str, second: str) -> None:
    values = {Q: Fraction(first), U: Fraction(second)}
    assert evaluated(read("min(q1, u1)", KNOWN), values) == min(values.values())
    assert evaluated(read("max(q1, u1)", KNOWN), values) == max(values.values())


JUMPS = ["3*step(q1)", "3*sign(q1)", "step(q1 - 1000)", "a*q1*step(sin(q1) - 0.3)", "atan(1/q1)"]
JUMPS += ["(q1 - t)*step(q1 - 2*t)", "step(q1**3 + q1 - 1)", "cos(q1)*step(step(q1) - 0.5)"]
JUMPS += ["atan(tan(q1))", "step(q1 - t) + t", "max(step(q1 - a), 0.5)"]


@pytest.mark.parametrize("text", JUMPS)
def test_a_potential_that_jumps_is_seen(text: str) -> None:
    assert jump(read(text, KNOWN), [Q], {A: Fraction(3, 2)})


SOUND = ["abs(q1)", "(q1 - a)*step(q1 - 1.5)", "max(q1, 0) + max(0, q1)", "min(q1**2, a)"]
SOUND += [
    "step(t - 1)*q1**2",
    "1/q1",
    "log(q1)",
    "log(abs(q1))",
    "(sin(q1) - 0.3)*step(sin(q1) - 0.3)",
]
SOUND += ["(q1 - t)*step(q1 - t)", "sqrt(abs(q1))*sign(q1)", "tan(q1)", "tanh(1e9*q1)", "step(u1)"]
SOUND += ["sqrt(q1 - 1)*step(q1 - 1)", "step(q1) - step(2*q1)", "exp(1/q1)", "q1**0.3"]


@pytest.mark.parametrize("text", SOUND)
def test_a_corner_or_a_pole_is_no_jump(text: str) -> None:
    assert jump(read(text, KNOWN), [Q], {A: Fraction(3, 2)}) is None


PENDULUM = """
name = "pendulum"
dimension = 2
gravity = [0, -9.81]
[bodies.rod]
mass = 1.2
inertia = 0.1
centre = [0.3, -0.2]
[bodies.rod.points.top]
[hinges.pivot]
kind = "pin"
parent = "ground"
child = "rod:top"
[ground.points.wall]
position = [1, 1]
"""
STRUT = '[forces.strut]\nbetween = ["ground:wall", "rod"]\n'


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            '[hinges.pivot]\npotential = "3*step(q1)"',
            r"pivot.*3\*step\(q1\) jumps by 3 J where q1 = 0",
        ),
        ('[hinges.pivot]\npotential = "3*sign(q1)"', "pivot.*jumps by 6 J"),
        (f'{STRUT}potential = "5*step(length - 1)"', r"strut.*jumps by 5 J where length - 1 = 0"),
    ],
)
def test_a_model_with_a_potential_that_jumps_is_refused(
    added: str, message: str, tmp_path: Path
) -> None:
    table = added.partition("\n")[0]
    text = PENDULUM.replace(table, added) if table in PENDULUM else PENDULUM + added
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(ModelError, match=message):
        mstmm.load(tmp_path / "p.toml")


def test_a_ramp_of_a_length_is_taken(tmp_path: Path) -> None:
    for law in ("(length - 1)*step(length - 1)", "max(length, 1)", "atan(1/length)"):
        (tmp_path / "p.toml").write_text(f'{PENDULUM}{STRUT}potential = "{law}"')
        mstmm.load(tmp_path / "p.toml")


def test_the_page_on_models_lists_every_function() -> None:
    page = (ROOT / "docs" / "models.md").read_text()
    listed = page.partition("<!-- functions -->\n")[2].partition("\n\n")[0]
    names = [x for line in listed.splitlines()[2:] for x in line.split("|")[1].split("`")[1::2]]
    assert {name.partition("(")[0] for name in names} == {*FUNCTIONS}
