"""The deduction theorem: the papers' forms to the letter."""

from __future__ import annotations

from functools import partial
from random import Random

import loop_models
import numpy as np
import pytest
from counting import python_calls
from deduction_models import (
    bar,
    conditions,
    example_1,
    example_2,
    model,
    ring,
    states,
    two_trees,
    written,
)

import mstmm
from mstmm.symbolic.plans.deduction import deduce


def test_example_1() -> None:
    equation = deduce(example_1())
    assert equation.transfer.form == "tree"
    assert states(equation) == ["z_6,0", "z_1,0", "z_8,0"]
    assert conditions(equation) == ["clamped", "free", "free"]
    assert written(equation, "main geometric") == [
        ["-I", "U_6 U_5,I1 U_4 U_3 U_2 U_1", "U_6 U_5,I2 U_7 U_8"],
        ["O", "H_5,I1 U_4 U_3 U_2 U_1", "-H_5,I2 U_7 U_8"],
    ]
    assert written(equation, "hinge") == [
        ["O", "G_6 U_6 U_5,I1 U_4 U_3 U_2 U_1", "G_6 U_6 U_5,I2 U_7 U_8"],
        ["O", "O", "G_7 U_7 U_8"],
    ]
    assert (equation.counts.unknown, equation.counts.given) == (15, 15)
    assert dict(equation.counts.equations) == {
        "main rows": 6,
        "geometric rows": 3,
        "hinge rows": 6,
    }


def test_example_1_with_its_beam() -> None:
    equation = deduce(example_1(bending=True))
    assert states(equation) == ["z_6,0", "z_1,0", "z_8,0"]
    rigid = deduce(example_1())
    for kinds in ("main geometric", "hinge"):
        assert written(equation, kinds) == written(rigid, kinds)
    assert written(equation, "modal") == [["O", "G_3 U_2 U_1", "O"]]
    assert dict(equation.counts.unknowns) == {
        "states of boundary ends": 9,
        "modal accelerations": 6,
        "relative accelerations in hinges": 6,
    }
    assert dict(equation.counts.equations) == {
        "main rows": 6,
        "geometric rows": 3,
        "modal rows": 6,
        "hinge rows": 6,
    }
    assert (equation.counts.unknown, equation.counts.given) == (21, 21)


def test_example_2() -> None:
    equation = deduce(example_2())
    A = "U_4 U_5 U_6 U_7 U_8 U_9"
    B = "U_10 U_11 U_12 U_13 U_14"
    assert equation.transfer.form == "general system"
    assert states(equation, opened=True) == ["z_1,0", "z_9,14", "z_14,9"]
    assert written(equation, "main geometric", opened=True) == [
        ["-I", f"U_1 U_2 U_3,I1 {A}", f"U_1 U_2 U_3,I2 {B}"],
        ["O", f"H_3,I1 {A}", f"-H_3,I2 {B}"],
    ]
    assert states(equation) == ["z_1,0", "z_9,14"]
    assert conditions(equation) == ["pinned", "cut"]
    assert written(equation, "main geometric") == [
        ["-I", f"U_1 U_2 U_3,I1 {A} + U_1 U_2 U_3,I2 {B} C"],
        ["O", f"H_3,I1 {A} - H_3,I2 {B} C"],
    ]
    assert [row[1] for row in written(equation, "hinge")] == [
        f"G_2 U_2 U_3,I1 {A} + G_2 U_2 U_3,I2 {B} C",
        f"G_10 {B} C",
        "G_12 U_12 U_13 U_14 C",
        "G_14 U_14 C",
        f"G_4 {A}",
        "G_6 U_6 U_7 U_8 U_9",
        "G_8 U_8 U_9",
    ]
    assert (equation.counts.unknown, equation.counts.given) == (16, 16)


def test_example_2_from_its_other_first_input() -> None:
    equation = deduce(example_2(first_inputs={"3": "c"}))
    assert written(equation, "geometric")[0][1] == (
        "-H_3,I2 U_4 U_5 U_6 U_7 U_8 U_9 + H_3,I1 U_10 U_11 U_12 U_13 U_14 C"
    )


def test_example_2_starts_as_computed_elsewhere() -> None:
    """Ω̇ at the start: numbers of another program, from Lagrange's equations with multipliers."""
    at = mstmm.derive(example_2()).overall.at(example_2().q0, [0.0] * 7)
    spin = np.cumsum(at["accelerations"][:5])  # the chain 1 – 3 – 5 – 7 – 9
    expected = [-8.955140047354837, 0.24072058368847, 0.24740726656869, -0.0969569017634]
    assert spin == pytest.approx([*expected, 0.24072058368847], rel=1e-10)


def test_chain() -> None:
    equation = deduce(mstmm.load("rod-chain:n=3"))
    assert states(equation) == ["z_5,0", "z_1,0"]
    assert written(equation, "main geometric") == [["-I", "U_5 U_4 U_3 U_2 U_1"]]
    assert written(equation, "hinge") == [["O", "G_4 U_4 U_3 U_2 U_1"], ["O", "G_2 U_2 U_1"]]


def test_ring() -> None:
    equation = deduce(ring())
    assert states(equation) == ["z_1,6"]
    assert states(equation, opened=True) == ["z_6,1", "z_1,6"]
    assert written(equation, "main geometric") == [["U_6 U_3 U_5 U_2 U_4 U_1 - I"]]
    assert written(equation, "main", opened=True) == [["-I", "U_6 U_3 U_5 U_2 U_4 U_1"]]
    assert dict(equation.counts.unknowns) == {
        "states at cuts": 6,
        "relative accelerations in hinges": 5,
    }


def test_two_trees() -> None:
    equation = deduce(two_trees())
    assert states(equation) == ["z_1,O", "z_1,I", "z_6,0", "z_3,0", "z_4,0"]
    assert written(equation, "main geometric") == [
        ["-I", "U_1", "O", "O", "O"],
        ["O", "O", "-I", "U_6 U_2,I1 U_7 U_3", "U_6 U_2,I2 U_8 U_4"],
        ["O", "O", "O", "H_2,I1 U_7 U_3", "-H_2,I2 U_8 U_4"],
    ]


def test_three_inputs_have_a_geometric_matrix_for_each_further_one() -> None:
    bodies = [bar("1", "a", "b", "c", "d"), *(bar(name, "a") for name in "234")]
    made = model(bodies, "5 pin 0:O 1:a", "6 pin 1:b 2:a", "7 pin 1:c 3:a", "8 pin 1:d 4:a")
    assert written(deduce(made), "geometric") == [
        ["O", "H_1,I1^(2) U_6 U_2", "-H_1,I2 U_7 U_3", "O"],
        ["O", "H_1,I1^(3) U_6 U_2", "O", "-H_1,I3 U_8 U_4"],
    ]


def test_derivation_has_it_for_every_model() -> None:
    spatial = loop_models.loop_model(Random(1), 3, 4, 1)[0]
    for made in (example_1(), example_2(), ring(), two_trees(), spatial, loop_models.four_bar()):
        derived = mstmm.derive(made)
        assert derived.overall is derived.overall
        assert derived.overall.rows


def test_a_long_chain_costs_as_its_links_do() -> None:
    equation = deduce(mstmm.load("rod-chain:n=4000"))
    assert equation.counts.unknown == 6 + 3999
    (row,) = (row for row in equation.rows if row.kind == "main")
    (term,) = equation.block(row, 1)
    assert equation.length(term) == 7999
    chains = [mstmm.load(f"rod-chain:n={n}") for n in (200, 400, 800)]
    first, second = np.diff([python_calls(partial(deduce, chain)) for chain in chains])
    assert second < 2.3 * first
