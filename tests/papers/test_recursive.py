"""The recursive-formulation paper: misprints, Appendix C by numbers, S as effective mass."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp
from places import DATA as ALL_DATA

from mstmm.papers import ledger
from mstmm.papers.recursive import proof
from mstmm.papers.recursive.example import example
from mstmm.papers.recursive.world import Appendix
from mstmm.papers.shelf import account
from mstmm.symbolic.methods.riccati.dialect import at_point

LEDGER = ledger("recursive-formulation")

DATA = ALL_DATA / "recursive-formulation-paper"

#: Doubles on both sides, of numbers about 1.
TOLERANCE = 1e-14

#: What Appendix C computes, by the names of the stored numbers.
STORED = {
    "R1": "R_1",
    "C1": "C_2",
    "omega1": "ω_1",
    "omega2": "ω_2",
    "b21": "be",
    "z": "ze",
    "W": "We",
    "A": "A_2",
    "B": "B_2",
    "Bdot": "B'_2",
    "Zdot": "-A'_2[1:3,4:6]",
    "D": "D_2",
    "v1": "v_1",
    "v2": "A_2 v_1 + B_2 q'_2",
    "v1dot": "v'_1",
    "v2dot": "A_2 v'_1 + B_2 q''_2 + D_2",
}


def test_all_misprints_are_there() -> None:
    found = {each.number for each in LEDGER.entries if each.verdict.status == "differs"}
    assert found == {
        *("2.10", "2.11", "3.39", "3.44", "3.54", "3.55", "3.60", "4.4", "4.11"),
        *("A.2", "A.3", "C.18", "C.46"),
    }


def test_every_equation_is_accounted() -> None:
    assert account("recursive-formulation").share == 1


def test_appendix_c_by_numbers() -> None:
    """A, B, D and all that they are made of, as stored in 16 digits."""
    stored = json.loads((DATA / "appendix-c.json").read_text())
    given = stored["inputs"]

    def circles(name: str) -> list[tuple[sp.Expr, sp.Expr]]:
        angles = [sp.Rational(str(x)) for x in given[name]]
        return [(sp.Rational(sp.cos(x).n(40)), sp.Rational(sp.sin(x).n(40))) for x in angles]

    def rates(*names: str) -> list[list[sp.Expr]]:
        columns = ([sp.Rational(str(x)) for x in given[name]] for name in names)
        return [list(row) for row in zip(*columns, strict=True)]

    # The place of body 1 is not given, and nothing depends on it.
    moving = [[sp.Integer(0), *row] for row in rates("rdot1", "rddot1")]
    first = [*moving, *rates("alpha", "alpha_d", "alpha_dd")]
    tree = example((circles("alpha"), circles("q")), (first, rates("q", "q_d", "q_dd")))
    at = Appendix(tree)
    for name, text in STORED.items():
        value = LEDGER.value(text, at)
        found = [[float(value[i, j]) for j in range(value.cols)] for i in range(value.rows)]
        expected = np.array(stored[name], dtype=float).reshape(value.shape)
        error = np.abs(np.array(found) - expected).max()
        assert error <= TOLERANCE * max(1.0, np.abs(expected).max()), name


@pytest.mark.parametrize("sign", [1, -1])
def test_the_dialect_has_the_sign_of_the_load(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Q_r as printed the forms differ: the correction is what makes them one."""

    def told(M: sp.Matrix, Q: sp.Matrix, *rest: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        return at_point(M, sign * Q, *rest)

    monkeypatch.setattr(proof, "at_point", told)
    sides = list(proof.along_paths(proof.PAIRS[1]))
    assert all(left == right for left, right in sides) == (sign == 1)
