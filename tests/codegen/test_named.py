"""Names in emitted code: constants after the parameters, places after bodies, ends and joints."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
from file_texts import ROOT

from mstmm.codegen.formulas import Named, agreed, formula_of, product, total
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.graph import Graph
from mstmm.model import load
from mstmm.model.expressions.quantities import parameter

CONSTANT = re.compile(
    r"^(?:static const double )?([a-zA-Z]\w*) = ([-+\d.e]+);?(?: +(?:#|/\*) (.*?)(?: \*/)?)?$"
)
PLACE = re.compile(r"\b([A-Z]\w*) = (\d+)\b")
HERE = re.compile(r"\b((?:Q|V|LOADS|STATE|POSE)_[A-Z0-9_]+) = (\d+)\b")

#: Planar and spatial, trees and loops, absolute and joint coordinates.
MODELS = ("branch-pendulum", "four-bar", "slider-crank", "spatial-tree")


def own(made: Generated) -> str:
    """The model's own file, with what it includes of its own."""
    prefix, files = made.sources.interface.prefix, made.sources.files
    suffix = "py" if made.sources.target == "numpy" else "c"
    return files[f"{prefix}.{suffix}"] + files.get(f"{prefix}_outputs.h", "")


def named(text: str) -> dict[str, tuple[float, str]]:
    """The named constants of a file: value and what stands beside."""
    found = map(CONSTANT.match, text.splitlines())
    return {x[1]: (float(x[2]), x[3] or "") for x in found if x and not x[1].isupper()}


def meant(name: str, beside: str, parameters: dict[str, float]) -> float:
    """What a constant should be, by what its name or the remark beside it says."""
    if beside.startswith("the model's "):
        return parameters[beside.split()[2].rstrip(";")]
    if not beside:
        return parameters[name]
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", beside).replace("^", "**")
    symbols = {x: sp.Symbol(x) for x in parameters}
    value = sp.parse_expr(text, local_dict=symbols)
    return float(value.subs({symbols[x]: sp.Rational(y) for x, y in parameters.items()}))


@pytest.mark.parametrize("target", ["c", "c-batch", "numpy"])
@pytest.mark.parametrize("model", MODELS)
def test_every_named_constant_is_what_it_says(model: str, target: str) -> None:
    made = generate(load(model), target=target)
    parameters = {name: float(x) for name, x in made.program.parameters.items()}
    constants = named(own(made))
    assert len(constants) > 8
    assert any(not beside for _, beside in constants.values())
    for name, (value, beside) in constants.items():
        # the remark is evaluated in doubles, the constant was rounded once
        assert value == pytest.approx(meant(name, beside, parameters), rel=1e-14), name


@pytest.mark.parametrize("model", MODELS)
def test_every_named_constant_is_used_and_none_hides_a_local(model: str) -> None:
    text = own(generate(load(model)))
    for name in named(text):
        assert len(re.findall(rf"\b{name}\b", re.sub(r"/\*.*?\*/", "", text))) > 1, name
        assert not re.search(rf"(?:double|lanes) (?:\*restrict )?{name}\b(?! = [-\d])", text), name
    assert text.count("static const double g = 9.81;") == 1


@pytest.mark.parametrize("model", MODELS)
def test_places_in_the_code_are_those_of_the_header(model: str) -> None:
    made = generate(load(model))
    prefix = made.sources.interface.prefix
    told = dict(PLACE.findall(made.sources.files[f"{prefix}.h"]))
    here = dict(HERE.findall(own(made)))
    assert here
    assert all(told[f"{prefix.upper()}_{name}"] == number for name, number in here.items())


def test_runtime_parameters_are_read_by_their_names() -> None:
    text = own(generate(load("branch-pendulum"), parameters=("g", "m")))
    assert "p[P_G]" in text
    assert "p[P_M]" in text
    assert "static const double g " not in text


def test_equal_numbers_keep_apart_what_they_are_and_cost_nothing() -> None:
    """m a and a are both 0.5: one operation, two names where both stand alone."""
    m, a = (Named.of(Fraction(x), sp.Symbol(n)) for n, x in (("m", 1), ("a", 0.5)))
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    first = graph.mul(x, graph.const(product(m, a)))
    assert graph.mul(x, graph.const(a)) == first
    other = graph.mul(y, graph.const(a))
    assert str(formula_of(graph.constant(graph.nodes[first].args[1]))) == "a*m"
    assert str(formula_of(graph.constant(graph.nodes[other].args[1]))) == "a"
    assert graph.count(graph.live([first, other]))["multiplications"] == 2


def test_formulas_are_given_up_where_they_differ_or_grow() -> None:
    m, a = (Named.of(Fraction(1, 2), sp.Symbol(n)) for n in "ma")
    assert formula_of(agreed([m, a])) is sp.nan
    assert formula_of(agreed([m, m])) == sp.Symbol("m")
    assert formula_of(total(m, product(Fraction(-1, 4), m))) == 3 * sp.Symbol("m") / 4
    long = m
    for k in range(20):
        long = total(long, Named.of(Fraction(k + 1), sp.Symbol(f"x{k}")))
    assert formula_of(long) is sp.nan
    assert long == Fraction(1, 2) + 210


def test_a_short_loop_reads_once_what_is_alike() -> None:
    made = generate(load("branch-pendulum"))
    text = own(made)
    assert "/* 1, 3: rigid body with no input, smooth hinge */" in text
    assert text.count("rigid body with no input") == 1
    apart = generate(load("branch-pendulum"), loop_min=10**6)
    assert "for (" not in own(apart)
    for entry in made.module.entries:
        assert made.module.operations(entry) == apart.module.operations(entry)


def test_the_page_on_generated_c_shows_what_is_generated() -> None:
    """Pieces of the model's source, and the example in the head of the integrators' header."""
    page = (ROOT / "docs" / "generated-c.md").read_text("utf-8")
    folder = ROOT / "generated" / "branch-pendulum"
    own = (folder / f"branch_pendulum{end}" for end in (".c", "_outputs.h"))
    source = "".join(file.read_text("utf-8") for file in own)
    header = (folder / "mstmm_motion.h").read_text("utf-8")
    source += header.replace("NAME_", "branch_pendulum_").replace(" *     ", "")
    excerpts = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    assert excerpts
    for excerpt in excerpts:
        assert excerpt in source


def test_no_store_is_dead() -> None:
    """Every array of the workspace that the file writes is read somewhere."""
    for model in MODELS:
        text = own(generate(load(model)))
        written = set(re.findall(r"w->(\w+)\[[^\]]*\] = ", text))
        read = set(re.findall(r"w->(\w+)\b(?!\[[^\]]*\] = )", text))
        assert written <= read, (model, written - read)


def test_a_sum_of_parameters_keeps_their_names() -> None:
    """g + 0.1, and 0.8 L: a model's decimals are written as such."""
    model = load("double-pendulum")
    g = parameter("g")
    made = own(generate(replace(model, gravity=(0, -(g + 0.1)))))
    assert re.search(r"double g_plus_1_by10 = 9.91; /\* g \+ 1/10 \*/", made)


@pytest.mark.parametrize("form", ["fast", "paper"])
def test_factors_that_are_one_are_listed(form: str) -> None:
    made = own(generate(load("branch-pendulum"), form=form))
    assert "/* Factors that are 1, and so not written: m, 2 a */" in made


@pytest.mark.parametrize("model", ["moving-base", "couplings"])
def test_every_heading_has_a_name_and_stands_over_something(model: str) -> None:
    made = own(generate(load(str(ROOT / f"tests/data/goldens/{model}.toml"))))
    assert not re.search(r"/\* +(:|to )| to :", made)
    lines = [line.strip() for line in made.splitlines()]
    remarks = [bool(re.fullmatch(r"/\* .* = .* \*/", line)) for line in lines]
    stacks = zip(lines, remarks, remarks[1:], remarks[2:], strict=False)
    assert not [line for line, *three in stacks if all(three)]
