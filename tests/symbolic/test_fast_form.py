"""The fast form is the completed paper form: exactly equal at rational points."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
import sympy as sp
from hand_bodies import single_input_matrix
from paper_steps import hinge_step, step
from random_models import planar_tree, tree_of
from sizes import later

from mstmm.model import Model, load
from mstmm.symbolic.derivation.derivation import derive
from mstmm.symbolic.exact.budget import Budget
from mstmm.symbolic.language.arithmetic import EXACT
from mstmm.symbolic.language.interpreter import Interpreter, evaluate
from mstmm.symbolic.language.program import Ref
from mstmm.symbolic.mechanics.vectors import Layout
from mstmm.symbolic.methods.riccati import recursion as riccati
from mstmm.symbolic.methods.riccati.absolute import fast_program
from mstmm.symbolic.plans.plan import plan


def rational(value: sp.Expr) -> Fraction:
    number = sp.Rational(value)
    return Fraction(int(number.p), int(number.q))


def orientations(model: Model, chooser: random.Random) -> Iterator[tuple[str, list[Fraction]]]:
    """A rational direction for each body: t ↦ (1 − t², 2t)/(1 + t²), or a rational quaternion."""
    for body in model.bodies:
        if model.dimension == 2:
            t = Fraction(chooser.randint(-9, 9), chooser.randint(1, 9))
            yield body.name, [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)]
        else:
            w, x, y, z = chooser.choice([(1, 2, 2, 4), (2, 4, 5, 6), (1, 1, 7, 7), (2, 3, 6, 0)])
            length = {25: 5, 81: 9, 100: 10, 49: 7}[w * w + x * x + y * y + z * z]
            signs = [chooser.choice((-1, 1)) for _ in range(4)]
            yield (
                body.name,
                [Fraction(s * c, length) for s, c in zip(signs, (w, x, y, z), strict=True)],
            )


def fast_values(model: Model, q: dict[str, list[Fraction]], v: dict[str, list[Fraction]]):
    """IA and pA of every body before its hinge, and behind it, from the fast kernels."""
    program = fast_program(plan(model))
    interpreter = Interpreter(program, EXACT)
    values = {Ref("v", name): rates for name, rates in v.items()}
    for name, at in q.items():
        if model.dimension == 2:
            values[Ref("c", name)], values[Ref("s", name)] = [at[0]], [at[1]]
        else:
            call = next(c for c in program.step("orientation").calls if c.member == name)
            values[Ref("A", name)] = evaluate(call.kernel, {"Q": at}, EXACT)["A"]
    for call in program.step("tips_to_root").calls:
        inputs = {
            port.name: interpreter.read(call, port.name, values) for port in call.kernel.inputs
        }
        for name, outputs in evaluate(call.kernel, inputs, EXACT).items():
            values[call.writes[name]] = outputs
    return program, values


def paper_point(model: Model, q: dict[str, list[Fraction]], v: dict[str, list[Fraction]]):
    """The substitutions that put the paper form at the same point."""
    point = {}
    for body in model.bodies:
        at = [sp.Rational(x.numerator, x.denominator) for x in q[body.name]]
        rates = [sp.Rational(x.numerator, x.denominator) for x in v[body.name]]
        if model.dimension == 2:
            theta = sp.Symbol(f"theta{body.name}", real=True)
            point |= {sp.cos(theta): at[0], sp.sin(theta): at[1]}
            point[sp.Symbol(f"omega{body.name}", real=True)] = rates[0]
        else:
            names = [f"Q{body.name}_{axis}" for axis in "wxyz"]
            names += [f"omega{body.name}_{axis}" for axis in "xyz"]
            for name, value in zip(names, (*at, *rates), strict=True):
                point[sp.Symbol(name, real=True)] = value
    for name, number in model.parameters.items():
        exact = Fraction(number)
        point[sp.Symbol(name, real=True)] = sp.Rational(exact.numerator, exact.denominator)
    return point


def random_point(model: Model, seed: int):
    chooser = random.Random(seed)
    spins = 1 if model.dimension == 2 else 3
    v = {
        body.name: [Fraction(chooser.randint(-9, 9), 7) for _ in range(spins)]
        for body in model.bodies
    }
    return dict(orientations(model, chooser)), v


def assert_same(program, values, body: str, S: sp.Matrix, e: sp.Matrix) -> None:
    """S = Π IA and e = Π pA, Π = [[0, 1], [−1, 0]]: z_a = (m, q) of λ = (−q, m)."""
    port = program.arrays["IA"].port
    d = 2 if port.rows == 3 else 3
    flat = dict(zip(port.entries, values[Ref("IA", body)], strict=True))
    rows = [[flat[min(i, j), max(i, j)] for j in range(port.cols)] for i in range(port.rows)]
    bias = values[Ref("pA", body)]
    expected_S = [*rows[d:], *([-x for x in row] for row in rows[:d])]
    assert [[rational(S[i, j]) for j in range(S.cols)] for i in range(S.rows)] == expected_S
    assert [rational(x) for x in e] == [*bias[d:], *(-x for x in bias[:d])]


MODELS = [
    load("branch-pendulum"),
    load("rod-chain", n=3),
    *(planar_tree(random.Random(seed), bodies=4) for seed in range(3)),
]


@pytest.mark.parametrize("model", later(MODELS, 4), ids=lambda m: f"{m.name}-{len(m.bodies)}")
def test_S_is_the_articulated_inertia(model: Model) -> None:
    """At every output end of a planar tree, from the paper form composed in symbols."""
    q, v = random_point(model, 5)
    program, values = fast_values(model, q, v)
    derived = derive(model, form="paper")
    point = paper_point(model, q, v)
    swept = [link for link in plan(model).links if f"{link.name}:{link.output}" in derived.S]
    assert swept
    for link in swept:
        reading, budget = derived.reading, Budget(10**8)
        S, e = (
            reading.composed(f"{letter}[{link.name}:{link.output}]", budget, point).matrix()
            for letter in ("S", "e")
        )
        assert_same(program, values, link.name, S, e)


@pytest.mark.parametrize("seed", range(3))
def test_S_is_the_articulated_inertia_in_space(seed: int) -> None:
    """Along a ball-jointed chain, from the paper's 13×13 matrices in exact numbers."""
    model = tree_of(3, (1, 1, 0), seed)
    q, v = random_point(model, seed)
    program, values = fast_values(model, q, v)
    point = paper_point(model, q, v)
    split = riccati.free_tip(Layout(3))
    at = riccati.Coefficients(sp.zeros(6, 6), sp.zeros(6, 1))
    for link in plan(model).links:
        U = single_input_matrix(model, link).xreplace(point)
        at, _ = step(riccati.rearrange(U, split), at)
        assert_same(program, values, link.name, at.S, at.e)
        at, _ = hinge_step(at, 3, [3, 4, 5])


def test_a_wrong_sign_in_the_fast_form_is_seen() -> None:
    model = load("rod-chain", n=2)
    q, v = random_point(model, 1)
    program, values = fast_values(model, q, v)
    values[Ref("pA", "3")] = [-x for x in values[Ref("pA", "3")]]
    derived, point = derive(model), paper_point(model, q, v)
    with pytest.raises(AssertionError):
        assert_same(
            program,
            values,
            "3",
            derived.S["3:O"].xreplace(point),
            derived.e["3:O"].xreplace(point),
        )
