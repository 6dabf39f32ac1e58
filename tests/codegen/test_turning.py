"""Moving by single turns and shifts equals moving by full matrices, at fewer products."""

from __future__ import annotations

import pytest
import sympy as sp

from mstmm.codegen.freeze import freeze_kernel
from mstmm.codegen.graph import Graph
from mstmm.symbolic.exact.evaluation import Points, evaluated
from mstmm.symbolic.language.program import Kernel
from mstmm.symbolic.mechanics.displayed import judged
from mstmm.symbolic.mechanics.letters import MOVED, traced
from mstmm.symbolic.mechanics.matrices import Algebra
from mstmm.symbolic.mechanics.space import Space
from mstmm.symbolic.mechanics.traced import At, Tracer
from mstmm.symbolic.mechanics.turning import FULL, Way, axis_of
from mstmm.symbolic.mechanics.turns import Transport

WAYS = {
    2: [Way(), Way(True), Way(True, False, 2), Way(True, True, 2), Way(True, True)],
    3: [Way(), *(Way(True, still, k) for still in (False, True) for k in (None, 0, 1, 2, FULL))],
}
CASES = [(d, way) for d in WAYS for way in WAYS[d]]


@traced
def moved(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """An inertia and a wrench moved inwards, and a motion outwards."""
    t.called("moving", "moving")
    whole, wrench, motion = x.IA, x.pA, x.up.acc
    transport = Transport(x, k, t, MOVED)
    t.state("I", transport.inertia(whole), MOVED, "I", symmetric=True)
    t.state("p", transport.wrenches("w", wrench), MOVED, "p")
    t.state("a", transport.motion("m", motion), MOVED, "m")
    return "I", "p", "a"


def moving(dimension: int, way: Way) -> Kernel:
    return moved.of(dimension=dimension, way=way)


def about(axis: int, c: sp.Expr, s: sp.Expr, dimension: int) -> sp.Matrix:
    R = sp.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R[:dimension, :dimension]


@pytest.mark.parametrize(("dimension", "way"), CASES)
def test_stages_equal_full_matrices(dimension: int, way: Way) -> None:
    points, space = Points(7), Space(dimension)
    n = space.motion
    IA = points.positive(n)
    pA, motion, r = points.vector(n), points.vector(n), points.vector(dimension)
    (c, s), fixed = points.circle(), points.circle()
    K = sp.eye(dimension)
    if way.fixed is not None:
        K = points.rotation(3) if way.fixed == FULL else about(way.fixed, *fixed, dimension)
    R = sp.eye(dimension) if way.still else about(2, c, s, dimension)
    C = K * R if way.third else points.rotation(dimension)
    known = {"IA": IA, "pA": pA, "ap": motion, "r": r, "K": K, "C": C}
    known |= {"cz": sp.Matrix([c]), "sz": sp.Matrix([s])}
    kernel = moving(dimension, way)
    found = evaluated(kernel, {port.name: known[port.name] for port in kernel.inputs})
    turn = sp.diag(C, 1) if dimension == 2 else sp.diag(C, C)
    X = turn.T * space.shift(r)
    assert found["I"] == X.T * IA * X
    assert found["p"] == X.T * pA
    assert found["a"] == X * motion
    assert not [x.shown for x in judged(kernel) if x.why]


def products(way: Way, knows: dict[str, int]) -> int:
    """Products of the way's inertia and motions, some inputs being constants."""
    graph = Graph()

    def operand(port, i: int, j: int) -> int:
        name = port.entry_name(i, j)
        return graph.const(knows[name]) if name in knows else graph.input(name)

    out = freeze_kernel(graph, moving(3, way), operand)
    live = graph.live(node for values in out.values() for node in values.values())
    return graph.count(live)["multiplications"]


def test_a_turn_about_an_axis_costs_less_than_half_of_a_full_one() -> None:
    here = {"r1": 0, "r2": 0, "r3": 0}
    assert products(Way(True), here) == 1 + 28 + 8 + 8
    assert 2 * products(Way(True), here) < products(Way(), here)


def test_a_shift_along_an_axis_takes_ten_products() -> None:
    still = Way(True, True)
    assert products(still, {"r1": 0, "r3": 0}) == 10 + 2 + 2


def test_the_axis_of_a_constant_turn_is_read_from_its_zeros() -> None:
    s, c = sp.Rational(3, 5), sp.Rational(4, 5)
    assert axis_of(sp.eye(3)) is None
    assert [axis_of(about(k, c, s, 3)) for k in range(3)] == [0, 1, 2]
    assert axis_of(sp.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])) == FULL
    assert axis_of(Points(1).rotation(3)) == FULL


def test_a_turn_without_an_axis_is_one_with_its_hinge_unless_it_renames_axes() -> None:
    """C is K R then, once for all that is moved; of signs alone nothing is multiplied by K."""
    about_z, general = about(2, *Points(1).circle(), 3), Points(2).rotation(3)
    assert Way.of(about_z, general) == Way()
    assert Way.of(about_z, sp.Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])) == Way(True, False, FULL)
