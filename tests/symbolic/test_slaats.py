"""The recursive-formulation paper, equation by equation, in exact numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp
from places import DATA as ALL_DATA

from mstmm.symbolic.exact.ledger import Entry, Instant, compare
from mstmm.symbolic.ledgers.papers import account, entries
from mstmm.symbolic.ledgers.recursive import example as slaatsexample
from mstmm.symbolic.ledgers.recursive import proof as slaatsproof
from mstmm.symbolic.ledgers.recursive.formulation import kinematics
from mstmm.symbolic.methods.riccati.dialect import at_point

ENTRIES = entries("recursive-formulation")

DATA = ALL_DATA / "recursive-formulation-paper"

#: Doubles on both sides, of numbers about 1.
TOLERANCE = 1e-14


#: Those that are judged by many instants, each a test of its own.
PROOFS = {entry.number: entry for entry in slaatsproof.ENTRIES}


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ENTRIES if entry.number not in PROOFS],
    ids=lambda entry: f"({entry.number})",
)
def test_an_equation_has_its_verdict(entry: Entry) -> None:
    expected = "differs" if entry.correction else "own" if entry.kind == "own" else "equals"
    assert entry.verdict.status == expected, entry.verdict.why
    assert entry.as_derived
    assert bool(entry.as_printed) == bool(entry.correction)


def test_all_misprints_are_there() -> None:
    assert {entry.number for entry in ENTRIES if entry.correction} == {
        *("2.10", "2.11", "3.39", "3.44", "3.54", "3.55", "3.60", "4.4", "4.11"),
        *("A.2", "A.3", "C.18", "C.46"),
    }
    assert len({entry.number for entry in ENTRIES}) == len(ENTRIES)


def test_every_equation_is_accounted() -> None:
    assert account("recursive-formulation").share == 1


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
        "R1": of.motion.R(1).value,
        "C1": of.motion.turned(2).value,
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


@pytest.mark.parametrize(
    ("number", "at"),
    [(number, at) for number, entry in PROOFS.items() for at in entry.instants],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_the_effective_mass_is_the_riccati_coefficient(number: str, at: Instant) -> None:
    assert not compare(PROOFS[number].derived, [at]).why


@pytest.mark.parametrize("sign", [1, -1])
def test_the_dialect_has_the_sign_of_the_load(sign, monkeypatch):
    """With Q_r as printed the forms differ: the correction is what makes them one."""

    def told(M, Q, *rest):
        return at_point(M, sign * Q, *rest)

    monkeypatch.setattr(slaatsproof, "at_point", told)
    at = slaatsproof.PAIRS[1]
    assert (not compare(slaatsproof.along_paths, [at]).why) == (sign == 1)
