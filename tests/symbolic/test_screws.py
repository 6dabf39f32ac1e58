"""The screw paper, equation by equation, in exact numbers."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy as sp

from mstmm.symbolic.exact import screws
from mstmm.symbolic.exact.evaluation import Points
from mstmm.symbolic.exact.ledger import Entry, Instant, compare
from mstmm.symbolic.ledgers.papers import account, entries
from mstmm.symbolic.ledgers.screw.tree import Tree

ENTRIES = entries("screw")

#: Before a release a chain, and a tree that branches further out and at the ground.
OTHERS = (
    Instant("chain", lambda: Tree.drawn(3, {1: 0, 2: 1, 3: 2})),
    Instant("wide", lambda: Tree.drawn(5, {1: 0, 2: 1, 3: 2, 4: 2, 5: 0})),
)

NAMES = ("own", *(pytest.param(at, marks=pytest.mark.slow, id=at.name) for at in OTHERS))

#: The paper's appendix is not in our copy of it.
ABSENT = {"93", "94", "98", "102", "109", "113", "114"}


def expected(entry: Entry) -> str:
    if entry.number in ABSENT:
        return "absent"
    return "differs" if entry.correction else "own" if entry.kind == "own" else "equals"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"({entry.number})")
@pytest.mark.parametrize("at", NAMES)
def test_an_equation_has_its_verdict(entry: Entry, at: Instant | str) -> None:
    if isinstance(at, Instant):
        found = compare(entry.derived, [at])
        assert not found.why, found.why
    else:
        assert entry.verdict.status == expected(entry), entry.verdict.why
        assert entry.as_derived
        assert bool(entry.as_printed) == bool(entry.correction)


def numbers(matrix: sp.Matrix) -> mp.matrix:
    return mp.matrix(matrix.tolist())


def as_hat(X: mp.matrix) -> mp.matrix:
    """The 4×4 matrix of a twist, for mpmath."""
    x, y, z, a, b, c = X
    return mp.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def spun(seed: int) -> tuple[sp.Matrix, sp.Expr]:
    """A twist with a rational rate of rotation, and that rate."""
    draw = Points(seed)
    axis, theta = draw.rotation(3)[:, 0], abs(draw.number())
    return screws.twist(theta * axis, draw.vector(3)), theta


@pytest.mark.parametrize("kind", ["revolute", "helical", "prismatic"])
def test_the_exponential_is_that_of_the_matrix(kind):
    draw = Points(7)
    axis, q = draw.rotation(3)[:, 0], sp.Rational(7, 5)
    pitch = draw.number() if kind == "helical" else sp.S.Zero
    X = screws.unit_screw(axis, draw.vector(3), pitch)
    if kind == "prismatic":
        X = screws.twist(sp.zeros(3, 1), axis)
    with mp.workdps(40):
        found = numbers(
            screws.exponential(X, q, sp.cos(q).evalf(45), sp.sin(q).evalf(45)).evalf(45)
        )
        expected = mp.expm(as_hat(numbers(X.evalf(45))) * mp.mpf(7) / 5)
        assert mp.mnorm(found - expected) < mp.mpf(10) ** -35


@pytest.mark.parametrize("seed", range(3))
def test_dexp_is_the_rate_of_the_exponential(seed):
    """Vˢ = dexp_X Ẋ, against a central difference of the matrix exponential."""
    X, theta = spun(seed)
    rate = Points(seed + 50).vector(6)
    closed = screws.dexp(X, theta, sp.cos(theta), sp.sin(theta)) * rate
    with mp.workdps(60):
        at, by, h = numbers(X.evalf(60)), numbers(rate.evalf(60)), mp.mpf(10) ** -20
        after, before = mp.expm(as_hat(at + h * by)), mp.expm(as_hat(at - h * by))
        spatial = (after - before) / (2 * h) * mp.inverse(mp.expm(as_hat(at)))
        assert mp.mnorm(spatial - as_hat(numbers(closed.evalf(60)))) < mp.mpf(10) ** -35


@pytest.mark.parametrize("seed", range(3))
def test_dexp_and_its_inverse_are_inverse_exactly(seed):
    """In θ, cos θ and sin θ as they stand: nothing but c² + s² = 1 is used."""
    X, theta = spun(seed)
    c, s = Points(seed + 9).circle()
    product = screws.dexp(X, theta, c, s) * screws.dexp_inverse(X, theta, c, s)
    assert product == sp.eye(6)


def test_the_adjoint_of_a_momentum():
    draw = Points(4)
    P, V = draw.vector(6), draw.vector(6)
    assert screws.bar(P) * V == screws.ad(V).T * P
    assert screws.vee(screws.hat(V)) == V


def test_all_misprints_are_there():
    """Those of the numbered equations, of the texts between them, and what is often assumed."""
    assert {entry.number for entry in ENTRIES if entry.correction} == {
        *("3", "4", "5", "14", "19", "26", "27", "28", "29", "34", "48, before", "51", "53"),
        *("54, before", "57, before", "64", "65", "Remark 3", "68", "68, range", "72"),
        *("72, range", "76b", "77", "77, range", "85, skew", "87", "88", "90"),
    }
    assert len({entry.number for entry in ENTRIES}) == len(ENTRIES)


def test_every_equation_but_one_is_accounted() -> None:
    """What (108) says is not known."""
    found = account("screw")
    assert {one.row.number for one in found.statements if not one.running} == {"108"}
    assert found.share >= 0.99
