"""The recursive-formulation paper, equation by equation, in exact numbers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from mstmm.symbolic import slaatsexample, slaatsproof
from mstmm.symbolic.dialect import at_point
from mstmm.symbolic.slaats import kinematics
from mstmm.symbolic.slaatsledger import CHECKS, EXAMPLE
from mstmm.symbolic.slaatstree import JointTree

DATA = Path(__file__).parent / "data" / "recursive-formulation-paper"

#: Doubles on both sides, of numbers about 1.
TOLERANCE = 1e-14


@cache
def tree() -> JointTree:
    return JointTree.drawn(2)


@cache
def example() -> JointTree:
    return slaatsexample.drawn()


ALL = [*((check, tree) for check in CHECKS), *((check, example) for check in EXAMPLE)]


@pytest.mark.parametrize(("check", "of"), ALL, ids=lambda x: f"({getattr(x, 'equation', '')})")
def test_an_equation_holds_exactly(check, of):
    assert check.holds(of())


@pytest.mark.parametrize(
    ("check", "of"),
    [(check, of) for check, of in ALL if check.printed],
    ids=lambda x: f"({getattr(x, 'equation', '')})",
)
def test_a_misprint_is_one(check, of):
    assert check.erratum
    assert not check.print_holds(of())


def test_all_misprints_are_there():
    assert {check.equation for check, _ in ALL if check.printed} == {
        *("3.35", "3.54", "4.4", "4.11", "C.46"),
    }


def numbers(values: list[list[float]]) -> np.ndarray:
    return np.array(values, dtype=float)


def test_appendix_c_by_numbers():
    """A, B, D and all that they are made of, as stored in 16 digits."""
    stored = json.loads((DATA / "appendix-c.json").read_text())
    given = stored["inputs"]

    def circles(name: str) -> list[tuple[sp.Expr, sp.Expr]]:
        angles = [sp.Float(str(x), 40) for x in given[name]]
        return [(sp.cos(x), sp.sin(x)) for x in angles]

    def rates(*names: str) -> list[list[sp.Expr]]:
        columns = ([sp.Float(str(x), 40) for x in given[name]] for name in names)
        return [list(row) for row in zip(*columns, strict=True)]

    # The place of body 1 is not given, and nothing depends on it.
    moving = [[sp.Integer(0), *row] for row in rates("rdot1", "rddot1")]
    first = [*moving, *rates("alpha", "alpha_d", "alpha_dd")]
    of = slaatsexample.example((circles("alpha"), circles("q")), (first, rates("q", "q_d", "q_dd")))
    at, letters = kinematics(of)[2], slaatsexample.Letters(of)
    found = {
        "R1": of.motion.R[1].value,
        "C1": of.motion.C[2].value,
        "omega1": of.motion.v(1).value[3:, :],
        "omega2": at.v[3:, :],
        "b21": letters.b21,
        "z": letters.z,
        "W": letters.W,
        "A": at.A,
        "B": at.B,
        "Bdot": at.B_rate,
        "Zdot": -at.A_rate[:3, 3:],
        "D": at.D,
        "v1": of.motion.v(1).value,
        "v2": at.v,
        "v1dot": of.motion.v(1).at(1),
        "v2dot": at.A * of.motion.v(1).at(1) + at.B * of.of(2, 2) + at.D,
    }
    for name, value in found.items():
        expected = numbers(stored[name])
        error = np.abs(np.array(value.tolist(), dtype=float) - expected).max()
        assert error <= TOLERANCE * max(1.0, np.abs(expected).max()), name


@pytest.mark.parametrize("pair", slaatsproof.PAIRS, ids=lambda p: f"{p.dimension}{p.parents}")
def test_the_effective_mass_is_the_riccati_coefficient(pair):
    assert slaatsproof.ALONG_PATHS.holds(pair)


@pytest.mark.parametrize(
    "step",
    slaatsproof.STEPS,
    ids=lambda s: f"{s.dimension} {s.kind}{' backward' if s.backward else ''}",
)
def test_so_it_is_at_any_hinge(step):
    assert slaatsproof.STEP_BY_STEP.holds(step)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_dialect_has_the_sign_of_the_load(sign, monkeypatch):
    """With Q_r as printed the forms differ: the correction is what makes them one."""

    def told(M, Q, *rest):
        return at_point(M, sign * Q, *rest)

    monkeypatch.setattr(slaatsproof, "at_point", told)
    assert slaatsproof.ALONG_PATHS.holds(slaatsproof.PAIRS[1]) == (sign == 1)
