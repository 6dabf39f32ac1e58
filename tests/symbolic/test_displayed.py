"""What is displayed of kernels is what they compute: read back and evaluated in fractions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain

import pytest
import sympy as sp
from shown_kernels import MODELS, kernels, made

from mstmm import load
from mstmm.codegen.events import Expressions
from mstmm.model.expressions.quantities import exact_expression
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.equations.reader import read
from mstmm.symbolic.equations.tokens import EquationError
from mstmm.symbolic.language.letters import letters
from mstmm.symbolic.language.product_rule import tangent_equation
from mstmm.symbolic.language.program import Kernel, Let, Port, Ref
from mstmm.symbolic.language.written import Equation, Shown
from mstmm.symbolic.mechanics.displayed import Judged, judged
from mstmm.symbolic.mechanics.traced import tracing
from mstmm.symbolic.methods.lanes import kernels as lanes
from mstmm.symbolic.methods.poses import kernels as poses
from mstmm.symbolic.methods.sensed.readings import Reading
from mstmm.symbolic.tree import cut_kernels, loop_kernels
from mstmm.symbolic.tree.cut_kernels import CutHinge
from mstmm.symbolic.tree.loop_kernels import Feed


@cache
def derivatives() -> tuple[Kernel, ...]:
    """Of derivatives, tangents too: in the plane, with a loop and put together at random."""
    every = (made("derivatives", name) for name in ("cart-pole", "four-bar", 1, 2))
    return tuple(dict.fromkeys(chain.from_iterable(every)))


@cache
def statements() -> tuple[Judged, ...]:
    every = dict.fromkeys(kernel for name in MODELS for kernel in kernels(name))
    return tuple(judgement for kernel in every for judgement in judged(kernel))


def test_every_displayed_equation_is_what_is_computed() -> None:
    false = [
        f"{x.kernel.name}: {x.shown} {x.why}" for x in statements() if x.shown is not None and x.why
    ]
    assert false == []
    assert sum(x.shown is not None for x in statements()) > 1000


def test_every_equation_of_derivatives_is_what_is_computed() -> None:
    shown = [x for kernel in derivatives() for x in judged(kernel) if x.shown is not None]
    assert [f"{x.kernel.name}: {x.shown} {x.why}" for x in shown if x.why] == []
    assert sum(x.shown is not None and x.shown[0] == "∂" for x in shown) > 500


def test_of_two_numbers_the_one_that_stays_is_no_vector() -> None:
    """(∂τ1, 0 τ2), not (∂τ1, 0), which is read as a motion."""
    letters = {"tau_1": "τ1", "tau_2": "τ2"}
    (tree,) = read("(τ1, τ2)", letters).sides
    moved = tangent_equation(Equation("t", tree, letters, {}), {"tau_1": "τ1"}, "d_{}".format)
    assert moved.text == "∂t = (∂τ1, 0 τ2)"


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_cut_of_any_kind_shows_what_it_computes(dimension: int) -> None:
    forms = [
        CutHinge(dimension, kind, driven)
        for kind, record in HINGE_KINDS[dimension].items()
        for driven in (False, True)[: 1 + bool(record.speeds)]
    ]
    every = [
        made.at(None, x) for x in forms if x.count for made in (cut_kernels.gap, cut_kernels.cut)
    ]
    assert [x for kernel in every for x in judged(kernel) if x.shown is None or x.why] == []


def test_columns_at_their_places_are_shown_by_rows_of_the_unit_matrix() -> None:
    feeds = Feed((0, 1)), Feed((1, 3), begins=True)
    kernel = loop_kernels.gather.of(dimension=3, width=4, feeds=feeds, grounded=False)
    found = judged(kernel)
    assert [x.why for x in found] == [""] * 4
    assert found[0].shown == "κ = S₁ᵀ κ_t₁, S₁ = 𝟏(4)[1:2, :]"


def segments(dimension: int) -> Iterator[Kernel]:
    """The kernels of chains in segments, which hand on whole wrenches, or forces alone."""
    n = 3 if dimension == 2 else 6
    for width, near in ((n, n), (dimension, n), (dimension, dimension)):
        of = {"dimension": dimension, "width": width, "near": near}
        yield lanes.start.of(names=("IAt", "pAt"), **of)
        yield lanes.merge.of(**of)
        yield lanes.holding.of(**of)
        yield from (lanes.far_end.of(bias=near, count=count, **of) for count in (0, 1, 3))
        yield lanes.known.of(port=Port("k2", 2), **of)
    ports = Port("IAt", n, n, symmetric=True), Port("pAtF", n, 2), Port("turned", n)
    yield lanes.copied.of(dimension=dimension, title="copied", suffix="e", ports=ports)
    rest = sp.ImmutableMatrix(sp.eye(dimension))
    yield lanes.constant.of(dimension=dimension, title="at rest", name="A", value=rest)
    yield lanes.reach.of(dimension=dimension)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_chain_in_segments_shows_what_it_computes(dimension: int) -> None:
    found = [x for kernel in segments(dimension) for x in judged(kernel)]
    assert [f"{x.kernel.name}: {x.shown} {x.why}" for x in found if x.shown is None or x.why] == []
    assert "L′ = upper(L + N_H k_f)" in {x.shown for x in found}


@pytest.mark.parametrize(("stages", "terms"), [(1, 3), (2, 1)])
def test_a_step_of_a_rigid_body_shows_what_it_computes(
    monkeypatch: pytest.MonkeyPatch, stages: int, terms: int
) -> None:
    """With so few stages and terms of series: with all, fractions would grow beyond measure."""
    series = poses.series
    monkeypatch.setattr(poses, "series", lambda name: series(name)[:terms])
    monkeypatch.setattr(poses, "STAGES", poses.STAGES[:stages])
    monkeypatch.setattr(poses, "WEIGHTS", poses.WEIGHTS[:stages])
    for step in (poses.body_step, poses.momentum_step):
        found = judged(poses.traced(step.function).of(dimension=3))
        assert [f"{x.shown} {x.why}" for x in found if x.shown is None or x.why] == []
        assert "R′ = ½ R_e (3 𝟏 − E)" in {x.shown for x in found}


def test_an_event_is_shown_by_the_names_of_the_model() -> None:
    model = load("cart-pole")
    texts = [f"{model.coordinates[1]} - 0.1*g*t"]
    said = Expressions.read(model, texts, ["event"])
    where = {name: Reading(Ref("q", name), 2, 1) for name in (*model.coordinates, "t")}
    (call,) = said.step(where).calls
    (found,) = judged(call.kernel)
    assert (found.shown, found.why) == (f"g_0 = −0.1 g t + {model.coordinates[1]}", "")


def test_every_statement_has_an_equation() -> None:
    assert [x.kernel.name for x in statements() if x.shown is None] == []


#: Names of kernels of a kind of hinge, or of a law.
KINDS = "|".join({**HINGE_KINDS[2], **HINGE_KINDS[3]})
BY_KIND = re.compile(f"({KINDS})(_backward)?$|(rate|retract|force|stored|spinning|driven|columns)_")

CHANGES = (
    (" + ", " − "),
    (" − ", " + "),
    ("ᵀ", ""),
    ("₁₂", "₂₁"),
    ("_r ", "_Ω "),
    ("R₃(c, s)", "R₃(s, c)"),
    ("⁻¹", ""),
    (" × ", " "),
    ("½ ", ""),
    ("2 ", "3 "),
)


def changed(text: str) -> Iterator[str]:
    """The text with one sign, transpose, part or order changed."""
    left, _, right = text.partition(" = ")
    for old, new in CHANGES:
        for place in re.finditer(re.escape(old), right):
            yield f"{left} = {right[: place.start()]}{new}{right[place.end() :]}"


class Changed(Equation):
    """An equation whose text is another."""

    def __init__(self, of: Equation, text: str) -> None:
        super().__init__(of.letter, of.tree, of.letters, of.where, of.place)
        self.__dict__["text"] = text


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 4])
def test_a_changed_text_is_noticed(every: int) -> None:
    """All but the few that equal what they were: numbers commute, elastic hinges have IAh = 0."""
    made, seen, unseen = 0, 0, []
    for kernel in kernels("spatial-tree"):
        for at, statement in enumerate(kernel.statements):
            if not isinstance(statement.equation, Equation):
                continue
            for text in changed(statement.equation.text):
                made += 1
                if made % every:
                    continue
                wrong = replace(statement, equation=Changed(statement.equation, text))
                mutant = replace(
                    kernel,
                    statements=(*kernel.statements[:at], wrong, *kernel.statements[at + 1 :]),
                )
                seen += 1
                if not judged(mutant)[at].why:
                    unseen.append(f"{kernel.name}: {text}")
    assert seen > 500 / every
    assert len(unseen) < 0.03 * seen, unseen


def test_what_is_written_is_read_back() -> None:
    shown = {
        "IAh": "IAh",
        "G": "G",
        "k": "k",
        "a0": "a₀",
        "w": "Ω",
        "r": "r",
        "IAt_I1": "IAt₁",
        "Ji": "J⁻¹",
    }
    for text in (
        "Xᵀ IAh X",
        "k − G a₀",
        "Ω × r",
        "2 Ω × r",
        "−(k + G)",
        "[k 𝟏, ~rᵀ; ~r, IAh]",
        "((a₀)_r + (a₀)_Ω × r, k_Ω)",
        "G⁻¹ (k − IAhᵀ a₀)",
        "(IAt₁)₁₂ + IAh₁₂",
        "diag(R₃(k, G), 1) Ω²",
        "½ k",
        "pow(k, 3/2)",
        "IAh[1:2 5, 3] + G[:, 2:4]",
        "J⁻¹ J⁺ k[2]",
        "(𝟎(3), a₀, 𝟎(2))",
    ):
        (tree,) = read(text, shown).sides
        assert Shown(shown).text(tree) == text


@pytest.mark.parametrize("text", ["a + ", "(a, b", "[a; b", "a ) b"])
def test_what_is_no_equation_is_refused(text: str) -> None:
    with pytest.raises(EquationError):
        read(text, {})


TABLE = letters("""
    a | a | n | | an acceleration
    b | b | n | here | another
    c | a | n | here | one with a letter that is taken
""")
trace = tracing(TABLE, {"dimension": lambda tree, _: tree}, {})


def test_what_is_read_and_stated_makes_the_kernel() -> None:
    @trace
    def twice(x, k, t):
        t.called("twice", "twice")
        x.b = 2 * x.a
        return ("b",)

    kernel = twice.of(dimension=2)
    (statement,) = kernel.statements
    assert [port.name for port in kernel.inputs] == ["a"]
    assert (statement.says, statement.source) == ("b = 2 a", "here")
    assert statement.value == 2 * kernel.inputs[0].symbols()
    assert twice.of(dimension=2) is kernel
    assert twice.at(2, None) is kernel
    assert twice.of(dimension=3) is not kernel


def test_one_letter_stands_for_one_thing() -> None:
    @trace
    def confused(x, k, t):
        t.called("confused", "confused")
        x.c = x.a + x.a
        return ("c",)

    with pytest.raises(ValueError, match="a is not a alone"):
        confused.of(dimension=2)
    with pytest.raises(ValueError, match="a is one, and another"):
        letters("a | a | n | | one\na | b | n | | another")


def test_a_user_s_name_gives_way_to_a_letter() -> None:
    """As where a motion's parameter is called s, the sine of the angle that a hinge turns by."""

    @trace
    def driven(x, k, t):
        t.called("driven", "driven")
        law = sp.sin(sp.Symbol("a", real=True)) / 2
        t.singles(sp.Matrix([law]))
        x.b = k.scalar(law) @ x.c
        return ("b",)

    (found,) = judged(driven.of(dimension=2))
    assert (found.shown, found.why) == ("b = sin(a′)/2 a", "")


Q = sp.Symbol("q", real=True)


@pytest.mark.parametrize(
    ("law", "shown"),
    [
        (-0.002 * Q - 0.01 * sp.tanh(20 * Q), "−0.002 q − 0.01 tanh(20 q)"),
        (sp.Symbol("k", real=True) * (Q - 0.1) ** 2 / 2, "k (q − 0.1)²/2"),
        (sp.Rational(0.4) / 3 * Q + sp.Rational(2, 7), "0.4 q/3 + 2/7"),
        (Q / sp.Rational(0.3), "q/0.3"),
        (sp.Rational(50.3) * (Q - sp.Rational(0.1)), "50.3 q − 5.03"),
        (2.5e-7 * Q + 1.5e-20, "2.5e-07 q + 1.5e-20"),
        (Q**0.3, "pow(q, 0.3)"),
        (sp.sin(Q + sp.pi / 3), "sin(q + π/3)"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_numbers_of_a_law_are_shown_as_they_were_typed(law: sp.Expr, shown: str) -> None:
    """And read back they are what is computed, as doubles."""

    @trace
    def driven(x, k, t):
        t.called("driven", "driven")
        exact = exact_expression(law)
        t.singles(sp.Matrix([exact]))
        t.state("y", k.scalar(exact), "here", "y")
        return ("y",)

    (found,) = judged(driven.of(dimension=2))
    assert (found.shown, found.why) == (f"y = {shown}", "")


def test_a_computation_that_is_not_its_equation_is_found() -> None:
    @trace
    def cheap(x, k, t):
        t.called("cheap", "cheap")
        x.b = (x.a + x.a).by(3 * x.a.value)
        return ("b",)

    (found,) = judged(cheap.of(dimension=2))
    assert found.shown == "b = a + a"
    assert found.why == "is not what is computed"


def same(kernel: Kernel) -> tuple[object, ...]:
    """All that a kernel is but its name."""
    values = [
        (x.port, x.value if isinstance(x, Let) else (x.parts, x.policy)) for x in kernel.statements
    ]
    return kernel.inputs, kernel.outputs, str(values)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_of_a_program_that_do_the_same_are_one(name: str | int) -> None:
    """But some are told apart that need not be.

    In the plane spins add up whatever the hinges' axes, and elastic hinges have no H to turn round;
    and what is a kind's or a law's is called by it, though others may be the same.
    """
    found: dict[tuple[object, ...], str] = {}
    for kernel in dict.fromkeys(made("riccati", name)):
        if kernel.facts and not BY_KIND.match(kernel.name):
            twin = found.setdefault(same(kernel), kernel.name)
            alike = kernel.name.replace("elastic_backward", "elastic")
            assert twin in (kernel.name, alike) or twin.startswith("spin"), kernel.name


def test_a_symbol_is_no_letter() -> None:
    """A kernel's symbols are its ports' entries, whatever its letters."""
    for kernel in kernels("spatial-tree"):
        known = {port.entry_name(*at) for port in kernel.inputs for at in port.entries}
        for statement in kernel.statements:
            parts = (statement.value,) if isinstance(statement, Let) else statement.parts
            used = {str(x) for part in parts for x in sp.Matrix(part).free_symbols}
            assert used <= known
            known |= {statement.port.entry_name(*at) for at in statement.port.entries}
