"""The frozen form: folding, signs, value numbering, small solves."""

from __future__ import annotations

import math
from fractions import Fraction

import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mstmm.codegen.freeze import Freezer
from mstmm.codegen.graph import Graph

x, y, z = sp.symbols("x y z", real=True)


def value(graph: Graph, number: int, inputs: dict[str, Fraction]) -> Fraction:
    """Evaluate a node exactly; written for the tests, independent of the printers."""
    node = graph.nodes[number]
    args = [value(graph, a, inputs) for a in node.args]
    if node.op == "const":
        return Fraction(node.value)
    if node.op == "input":
        return inputs[str(node.value)]
    return {
        "add": lambda: args[0] + args[1],
        "sub": lambda: args[0] - args[1],
        "mul": lambda: args[0] * args[1],
        "neg": lambda: -args[0],
        "recip": lambda: 1 / args[0],
    }[node.op]()


def frozen(expression: sp.Expr) -> tuple[Graph, int]:
    graph = Graph()
    inputs = {name: graph.input(name) for name in "xyz"}
    return graph, Freezer(graph, inputs).freeze(expression)


leaves = st.sampled_from([x, y, z]) | st.integers(-3, 3).map(sp.Integer)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        inner.map(lambda e: e**3),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(expressions, st.tuples(*[st.fractions(-4, 4, max_denominator=7)] * 3))
def test_frozen_expression_has_the_value_of_the_expression(expression, point) -> None:
    graph, number = frozen(expression)
    at = dict(zip("xyz", point, strict=True))
    expected = expression.subs(
        {s: sp.Rational(v.numerator, v.denominator) for s, v in zip((x, y, z), point, strict=True)}
    )
    assert value(graph, number, at) == Fraction(int(expected.p), int(expected.q))


def test_zeros_ones_and_constants_cost_nothing() -> None:
    graph = Graph()
    a = graph.input("a")
    zero, one = graph.const(0), graph.const(1)
    assert graph.mul(a, zero) == zero
    assert graph.mul(one, a) == a
    assert graph.add(a, zero) == a
    assert graph.add(a, graph.neg(a)) == zero
    assert graph.constant(graph.mul(graph.const(Fraction(1, 3)), graph.const(3))) == 1
    assert sum(graph.count(range(len(graph.nodes))).values()) == 1  # the one sign above


def test_equal_expressions_share_a_node() -> None:
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    assert graph.mul(a, b) == graph.mul(b, a)
    assert graph.add(a, b) == graph.add(b, a)
    assert graph.add(a, graph.neg(b)) != graph.add(b, graph.neg(a))


def test_signs_are_absorbed_by_additions() -> None:
    graph, number = frozen(x - y * z)
    assert graph.count(graph.live([number])) == {"additions": 1, "multiplications": 1}
    graph, number = frozen(-x - y)
    assert graph.nodes[number].op == "neg"


def test_powers_are_expanded_and_share_one_division() -> None:
    graph, number = frozen(x**5)
    assert graph.count(graph.live([number])) == {"multiplications": 3}
    graph, number = frozen(y / x + z / x)
    assert graph.count(graph.live([number]))["divisions"] == 1


def test_ldl_solves_exactly_with_one_division_a_pivot() -> None:
    size = 4
    A = sp.Matrix(size, size, lambda i, j: sp.Rational(1, i + j + 1)) + sp.eye(size)
    rhs = sp.Matrix(size, 2, lambda i, j: i - 2 * j + 1)
    graph = Graph()
    inputs: dict[str, Fraction] = {}

    def enter(name: str, number: sp.Rational) -> int:
        inputs[name] = Fraction(int(number.p), int(number.q))
        return graph.input(name)

    matrix = [
        [enter(f"A{min(i, j)}{max(i, j)}", A[i, j]) for j in range(size)] for i in range(size)
    ]
    right = [[enter(f"b{i}{j}", sp.Rational(rhs[i, j])) for j in range(2)] for i in range(size)]
    solution = graph.solve_ldl(matrix, right)
    expected = A.LUsolve(rhs)
    for i in range(size):
        for j in range(2):
            want = sp.Rational(expected[i, j])
            assert value(graph, solution[i][j], inputs) == Fraction(int(want.p), int(want.q))
    live = graph.live([node for row in solution for node in row])
    assert graph.count(live)["divisions"] == size


def test_a_solve_has_no_columns_that_nobody_needs() -> None:
    graph = Graph()
    matrix = [[graph.input(f"A{i}{j}") for j in range(2)] for i in range(2)]
    right = [[graph.input(f"b{i}{j}") for j in range(3)] for i in range(2)]
    unknowns = graph.eliminate(matrix, right)
    wanted = [unknowns[0][2], unknowns[1][0]]
    assert not any(name.endswith("1") for name in graph.inputs(wanted) if name[0] == "b")
    narrow = graph.narrowed(wanted)
    assert narrow.eliminations[0].rhs == tuple((row[0], row[2]) for row in right)
    assert [narrow.nodes[number].value for number in wanted] == [1, 2]  # x₀₂ and x₁₀, row by row
    assert narrow.inputs(wanted) == graph.inputs(wanted)
    assert graph.eliminations[0].width == 3
    assert narrow.narrowed(wanted) is narrow


def test_literals_round_trip() -> None:
    from mstmm.codegen.printing.printer import literal

    for number in (0.1, 1 / 3, 9.81, 5e-324, 1.7976931348623157e308, math.pi, -2.0):
        assert float(literal(Fraction(number))) == number
