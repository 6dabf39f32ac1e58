"""The recursion (20)–(34) and the completed hinge, exactly, against direct elimination."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp
from paper_steps import hinge_step, step

from mstmm import derive
from mstmm.errors import DerivationError, UsageError
from mstmm.model import load
from mstmm.papers.riccati.prints import printed
from mstmm.symbolic.derivation import formulas, statements, transformation
from mstmm.symbolic.derivation.results import Form, Print, Row
from mstmm.symbolic.exact.budget import Budget
from mstmm.symbolic.exact.points import circle_point
from mstmm.symbolic.exact.rational import Field
from mstmm.symbolic.mechanics.vectors import Layout
from mstmm.symbolic.methods.riccati import recursion as riccati
from mstmm.symbolic.methods.riccati.recursion import (
    Blocks,
    Coefficients,
    free_tip,
    rearrange,
)


def matrix(rng: Random, rows: int, cols: int) -> sp.Matrix:
    return sp.Matrix(rows, cols, lambda i, j: sp.Rational(rng.randint(-9, 9), rng.randint(1, 5)))


def blocks(rng: Random, n: int) -> Blocks:
    T = [matrix(rng, n, n) for _ in range(4)]
    return Blocks(*T, matrix(rng, n, 1), matrix(rng, n, 1))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_step_against_elimination(n: int) -> None:
    rng = Random(n)
    T, at = blocks(rng, n), Coefficients(matrix(rng, n, n), matrix(rng, n, 1))
    z_b = matrix(rng, n, 1)
    z_a = at.S * z_b + at.e
    a_O, b_O = T.T11 * z_a + T.T12 * z_b + T.fa, T.T21 * z_a + T.T22 * z_b + T.fb
    after, backward = step(T, at)
    assert a_O == after.S * b_O + after.e
    assert riccati.back(at, backward, b_O) == (z_a, z_b)


def test_a_chain_of_five_elements_exactly() -> None:
    """(18)–(33): successive transfer of a state gives what the recursion gives back."""
    rng = Random(5)
    n, elements = 3, [blocks(Random(seed), 3) for seed in range(5)]
    coefficients = [Coefficients(sp.zeros(n), matrix(rng, n, 1))]
    backwards = []
    for T in elements:
        after, backward = step(T, coefficients[-1])
        coefficients.append(after)
        backwards.append(backward)
    states = [(coefficients[0].e, matrix(rng, n, 1))]
    for T in elements:
        z_a, z_b = states[-1]
        states.append((T.T11 * z_a + T.T12 * z_b + T.fa, T.T21 * z_a + T.T22 * z_b + T.fb))
    z_b = states[-1][1]
    for i in reversed(range(5)):
        found = riccati.back(coefficients[i], backwards[i], z_b)
        assert found == states[i]
        z_b = found[1]


def test_rearranged_matrix_is_a_permutation() -> None:
    rng = Random(1)
    U = matrix(rng, 7, 7)
    split = free_tip(Layout(2))
    T = rearrange(U, split)
    z = matrix(rng, 7, 1)
    a, b = z.extract(list(split.a), [0]), z.extract(list(split.b), [0])
    z[6] = 1
    out = U * z
    assert out.extract(list(split.a), [0]) == T.T11 * a + T.T12 * b + T.fa
    assert out.extract(list(split.b), [0]) == T.T21 * a + T.T22 * b + T.fb


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("pinned", [False, True])
def test_the_hinge_sets_its_own_moment_to_zero(dimension: int, pinned: bool) -> None:
    """Behind a free tip Ω̇ stands after r̈ in z_b; behind one on a pin at rest before q."""
    rng = Random(dimension)
    moments = dimension * (dimension - 1) // 2
    n = dimension + moments
    spins = list(range(moments)) if pinned else list(range(dimension, n))
    at = Coefficients(matrix(rng, n, n), matrix(rng, n, 1))
    after, backward = hinge_step(at, moments, spins)
    z_b = matrix(rng, n, 1)
    z_a, z_b_I = riccati.back(at, backward, z_b)
    assert z_a.extract(list(range(moments)), [0]).is_zero_matrix
    assert z_a == after.S * z_b + after.e
    assert [z_b_I[i] for i in range(n) if i not in spins] == [
        z_b[i] for i in range(n) if i not in spins
    ]
    for i in range(moments):
        assert after.S.row(i).is_zero_matrix
        assert after.e[i] == 0
    for j in spins:
        assert after.S.col(j).is_zero_matrix


def test_a_missing_moment_condition_is_seen() -> None:
    """Without the elimination the moment does not vanish: the check above can fail."""
    rng = Random(3)
    at = Coefficients(matrix(rng, 3, 3), matrix(rng, 3, 1))
    assert (at.S * matrix(rng, 3, 1) + at.e)[0] != 0


def test_exact_field_knows_the_circle() -> None:
    theta = sp.Symbol("theta1", real=True)
    x = sp.Symbol("x", real=True)
    field = Field({sp.sin(theta), x}, Budget(10_000))
    assert not field.ratio(sp.sin(theta) ** 2 + sp.cos(theta) ** 2 - 1)
    assert field.ratio((x**2 - 1) / (x - 1)) == field.ratio(x + 1)
    assert field.ratio(sp.sin(theta) ** 2) != field.ratio(sp.cos(theta) ** 2)
    point = circle_point(field.expressions, seed=2)
    assert point[sp.sin(theta)] ** 2 + point[sp.cos(theta)] ** 2 == 1
    value = field.ratio((sp.sin(theta) ** 3 + x) / (x - 7)).at(point)
    assert value == ((sp.sin(theta) ** 3 + x) / (x - 7)).xreplace(point)


def test_the_budget_stops_with_advice() -> None:
    derived = derive(load("rod-chain", n=20))
    assert derived.S["3:O"].shape == (3, 3)
    with pytest.raises(DerivationError, match=r"budget of 200000.*take its numbers at a state"):
        _ = derived.S["39:O"]
    assert derived.S["5:O"].shape == (3, 3), "a refusal must not spoil the next request"
    with pytest.raises(DerivationError):
        _ = derive(load("rod-chain", n=3), budget=300).S["5:O"]
    with pytest.raises(UsageError, match="positive"):
        derive(load("rod-chain"), budget=0)


def test_unknown_names() -> None:
    derived = derive(load("rod-chain", n=2))
    with pytest.raises(UsageError, match="there is no end '9:O'"):
        _ = derived.S["9:O"]
    with pytest.raises(UsageError, match="there is no body '9'"):
        _ = derived.U["9"]
    assert "9:O" not in derived.S
    assert list(derived.S) == ["1:I", "1:O", "3:I", "3:O", "hinge 4:O"]


STATEMENTS = (*formulas.entries(), *statements.entries(), *transformation.ENTRIES)


@pytest.mark.parametrize("row", STATEMENTS, ids=lambda row: f"({row.equation}) {row.symbol}")
def test_every_statement_is_compared(row: Row) -> None:
    """Each equals its print; with one wrong entry in the print it would not."""
    expected = "lost" if row.equation in ("6", "8", "16") else "equals"
    assert row.build(printed).verdict.status == expected

    def wrong(symbol: str, form: Form) -> Print | None:
        found = printed(symbol, form)
        if found is None or found.matrix is None:
            return found
        return Print(found.matrix + sp.ones(*found.matrix.shape))

    assert row.build(wrong).verdict.status == expected.replace("equals", "differs")


def test_the_statements_hold_for_numbers() -> None:
    """(21)–(33) as derived, with rational 1 × 1 blocks for the letters, against one element."""
    rng = Random(7)
    letters = ("T11", "T12", "T21", "T22", "f_a", "f_b", "S_i", "e_i", "z_bI")
    value = {name: sp.Rational(rng.randint(1, 9), rng.randint(1, 5)) for name in letters}
    T21, T22, S, e = (value[name] for name in ("T21", "T22", "S_i", "e_i"))
    z_a, z_b = S * value["z_bI"] + e, value["z_bI"]
    b_O = T21 * z_a + T22 * z_b + value["f_b"]
    a_O = value["T11"] * z_a + value["T12"] * z_b + value["f_a"]
    value |= {"P_i": 1 / (T21 * S + T22), "q_i": -(T21 * e + value["f_b"])}
    value |= {"z_bO": b_O, "z_bnext": b_O}
    names = {sp.Symbol(name, commutative=False): number for name, number in value.items()}
    expected = {
        "z_aI": [z_a], "z_bO": [b_O], "z_bI_solved": [z_b], "z_bI": [z_b],
        "z_aO_inserted": [a_O], "z_aO": [a_O], "z_aI_next": [a_O], "z_aO_next": [a_O],
        "z_back": [z_b, z_a],
    }  # fmt: skip
    found = {x.symbol: x.derived() for x in transformation.ENTRIES if x.symbol in expected}
    for symbol, matrix in found.items():
        assert list(matrix.subs(names)) == expected[symbol], symbol
    assert found.keys() == expected.keys()
