"""The overall transfer equation of systems with beams: its size, its named blocks, its report."""

from __future__ import annotations

from random import Random

import beam_models
import pytest
import sympy as sp
from deduction_models import example_1
from places import EXAMPLES

import mstmm
from mstmm.report.documents.formats import WRITERS
from mstmm.report.documents.plain import WIDTH
from mstmm.report.overall import overall_document
from mstmm.report.overallgrid import as_object
from mstmm.symbolic.mechanics import beams as theory
from mstmm.symbolic.pages.named import beam_blocks, named_matrices
from mstmm.symbolic.plans.deduction import deduce

EXAMPLE = EXAMPLES / "beam.toml"


@pytest.mark.parametrize("seed", range(4))
def test_loops_with_beams_are_square(seed: int) -> None:
    equation = deduce(beam_models.beam_loops(Random(seed), 4))
    assert equation.counts.unknown == equation.counts.given
    assert max(map(len, WRITERS["text"](overall_document(equation)).splitlines())) <= WIDTH


def test_named_blocks_make_up_the_transfer_matrix() -> None:
    named = {one.factor.text(): one for one in named_matrices(deduce(example_1(bending=True)))}
    assert "U_j" in named
    blocks = dict(beam_blocks(theory.Functions(1, 1)))
    M, p = blocks.pop("M"), blocks.pop("p")
    blocks |= {"M_aa": M[:3, :3], "M_aη": M[:3, 3:], "M_ηa": M[3:, :3], "M_ηη": M[3:, 3:]}
    blocks |= {"p_a": p[:3, :], "p_η": p[3:, :]}
    sizes, paper = (3, 3, 2, 1), theory.transfer(theory.Functions(1, 1))
    both = [one for one in named_matrices(deduce(example_1(bending=True))) if "beam" in one.title]
    for one, whole, rows in zip(both, (paper.matrix, paper.modal), (sizes, (2,)), strict=True):
        assert (made_of(one.matrix, blocks, rows, sizes) - whole).expand().is_zero_matrix


def made_of(
    shown: sp.Matrix, blocks: dict[str, sp.Matrix], rows: tuple[int, ...], sizes: tuple[int, ...]
) -> sp.Matrix:
    def term(expr: sp.Expr, i: int, j: int) -> sp.Matrix:
        if expr == 0:
            return sp.zeros(rows[i], sizes[j])
        if expr == 1 or str(expr) == "unit":
            return sp.eye(rows[i])
        found = None
        for factor in expr.args if expr.is_Mul else (expr,):
            found = blocks[str(factor)] if found is None else found * blocks[str(factor)]
        return found

    def block(expr: sp.Expr, i: int, j: int) -> sp.Matrix:
        return sum(
            (term(part, i, j) for part in sp.Add.make_args(expr)), sp.zeros(rows[i], sizes[j])
        )

    return sp.Matrix.vstack(
        *(
            sp.Matrix.hstack(*(block(shown[i, j], i, j) for j in range(shown.cols)))
            for i in range(shown.rows)
        )
    )


def test_report_of_a_beam_with_two_inputs() -> None:
    equation = deduce(mstmm.load(str(EXAMPLE)))
    text = WRITERS["text"](overall_document(equation))
    assert "4 modal rows" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    found = as_object(equation)
    assert [row["of"] for row in found["modal"]["rows"]] == ["arm"]
    assert [row["of"] for row in found["hinges"]["rows"]] == ["axle", "pivot"]
    assert "modal rows of the beams" in WRITERS["latex"](overall_document(equation))
    page = " ".join(WRITERS["text"](overall_document(equation)).split())
    for part in ("beam arm: I1 at middle, I2 at tip, O at root", "1 axial, 3 bending functions"):
        assert part in page
