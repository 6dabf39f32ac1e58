"""The beam's page: its proof holds, and fails where something is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from mstmm.report.documents.html import html
from mstmm.report.element import element_document
from mstmm.symbolic.language.program import Kernel, Let
from mstmm.symbolic.mechanics.beams import Transfer
from mstmm.symbolic.pages.beam import SHOWN, BeamForms, beam_checks
from mstmm.symbolic.pages.catalogue import element_page
from mstmm.symbolic.pages.page import Check


def test_the_page_is_there_and_proven() -> None:
    page = element_page("beam")
    assert page.ok
    assert "virtual power" in html(element_document(page))


def failing(checks: tuple[Check, ...]) -> list[str]:
    return [check.claim for check in checks if not check.ok]


def changed(matrix: sp.Matrix, i: int, j: int) -> sp.Matrix:
    matrix = sp.Matrix(matrix)
    matrix[i, j] += 1
    return matrix


@pytest.mark.parametrize("row", [0, 4])
def test_a_wrong_transfer_matrix_is_seen(row: int) -> None:
    forms = BeamForms.of(SHOWN)
    of = forms.transfer
    for wrong in (
        Transfer(changed(of.matrix, row, 2), of.modal),
        Transfer(of.matrix, changed(of.modal, 0, row)),
    ):
        assert failing(beam_checks(replace(forms, transfer=wrong), 1))


@pytest.mark.parametrize("name", ["M", "p"])
def test_a_wrong_balance_is_seen(name: str) -> None:
    forms = BeamForms.of(SHOWN)
    matrix = getattr(forms.balance, name)
    wrong = changed(matrix, matrix.rows - 1, 0)
    assert failing(beam_checks(replace(forms, balance=replace(forms.balance, **{name: wrong})), 1))


@pytest.mark.parametrize("field", ["link", "relative"])
def test_every_statement_of_the_kernels_matters(field: str) -> None:
    forms = BeamForms.of(SHOWN)
    kernel: Kernel = getattr(forms, field)
    unseen = []
    for number, statement in enumerate(kernel.statements):
        if isinstance(statement, Let) and statement.port.name not in NOT_COMPARED:
            i, j = statement.port.entries[-1]
            statements = list(kernel.statements)
            statements[number] = replace(statement, value=changed(statement.value, i, j))
            wrong = replace(kernel, statements=tuple(statements))
            if not failing(beam_checks(replace(forms, **{field: wrong}), 1)):
                unseen.append(statement.port.name)
    assert unseen == []


#: Pose and H of a section, and what is handed on besides IA and pA.
NOT_COMPARED = {"R", "C", "cz", "sz", "p", "r", "H3", "We3", "Ge3", "ke3"}
