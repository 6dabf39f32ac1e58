"""Each element's page: what it shows, that its proof holds, and that a planted error breaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import sympy as sp
from typer.testing import CliRunner, Result

from mstmm.cli.app import app
from mstmm.errors import UsageError
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.papers.cited import with_equations
from mstmm.report.documents.formats import WRITERS
from mstmm.report.element import element_document
from mstmm.symbolic.language.program import Kernel, Let
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.pages import catalogue as elementpages
from mstmm.symbolic.pages.body import rigid_body
from mstmm.symbolic.pages.body_proof import BodyKernels, Inertia, body_checks
from mstmm.symbolic.pages.catalogue import ELEMENTS, element_names, element_page
from mstmm.symbolic.pages.hinge import paper_form
from mstmm.symbolic.pages.hinge_proof import Kernels, Paper, hinge_checks
from mstmm.symbolic.pages.page import Check, ElementPage

HINGES = [(kind, d) for d in (2, 3) for kind in HINGE_KINDS[d]]
PAGES = [(name, d) for name, found in element_names() for d in found]


@cache
def shown(name: str, dimension: int) -> ElementPage:
    return element_page(name, dimension)


def written(page: ElementPage, form: str) -> str:
    return WRITERS[form](element_document(page))


def value(page: ElementPage, name: str) -> sp.Matrix:
    """The first value of that name."""
    statements = (each for section in page.sections for each in section.statements)
    return next(each.value for each in statements if each.name == name)


# Every element has a page, and its proof holds


def test_every_hinge_and_body_has_a_page() -> None:
    assert set(PAGES) >= {*HINGES, ("rigid-body", 2), ("rigid-body", 3)}


@pytest.mark.parametrize(("name", "dimension"), PAGES)
def test_page(name: str, dimension: int) -> None:
    page = shown(name, dimension)
    assert page.ok, [check.sentence() for check in page.checks]
    assert all(check.points >= 3 for check in page.checks)
    assert len(page.checks) >= 3
    titles = " ".join(section.title for section in page.sections)
    assert "Fast form" in titles
    assert "Paper form" in titles
    html = written(page, "html")
    assert html == written(page, "html")
    assert "http" not in html.replace("http://www.w3.org", "")
    anchors = set(re.findall(r'href="#([^"]+)"', html))
    assert anchors <= set(re.findall(r'id="([^"]+)"', html))
    assert not re.findall(r"Matrix\(|MutableDense|\bNone\b", html)
    assert html.count("<math") > 10


@pytest.mark.parametrize(("kind", "dimension"), HINGES)
def test_a_hinges_page_says_what_it_is(kind: str, dimension: int) -> None:
    page = shown(kind, dimension)
    freedoms = HINGE_KINDS[dimension][kind].speeds
    assert f"A hinge of {freedoms} freedom" in page.summary
    assert "its pose says" not in page.summary
    n = 3 if dimension == 2 else 6
    assert value(page, "U").shape == (2 * n + freedoms + 1,) * 2
    assert value(page, "R").shape == (dimension, dimension)
    sources = {each.source for section in page.sections for each in section.statements}
    assert any("deduction paper" in source for source in sources)
    for port in ("IAh", "pAt", "gam", "acc"):
        value(page, port)


def test_universal_by_hand() -> None:
    """Turned by q1 about x, then by q2 about y: the spin in the child's axes, and its rate."""
    page = shown("universal", 3)
    q2, u1, u2 = sp.symbols("q2 u1 u2", real=True)
    assert value(page, "w") == sp.Matrix([u1 * sp.cos(q2), u2, u1 * sp.sin(q2)])
    assert value(page, "b_w") == sp.Matrix([-u1 * u2 * sp.sin(q2), 0, u1 * u2 * sp.cos(q2)])
    assert value(page, "D")[:, 3] == sp.Matrix([0, 0, 0, -sp.sin(q2), 0, sp.cos(q2)])


def test_planar_body_by_hand() -> None:
    page = shown("rigid-body", 2)
    m, J, cx, oy, w = sp.symbols("m J_I c_x o_y Omega_z", real=True)
    ox = sp.Symbol("o_x", real=True)
    U = value(page, "U_I1")
    assert U[2, :] == sp.Matrix([[0, 0, 1, 0, 0, 0, 0]])
    assert (U[0, 6], U[0, 2], U[4, 0]) == (-ox * w**2, -oy, -m)
    assert sp.expand(U[3, 2] - (J - m * (ox * cx + oy * sp.Symbol("c_y", real=True)))) == 0


@pytest.mark.parametrize("dimension", [2, 3])
def test_lumped_mass_by_hand(dimension: int) -> None:
    """q_O = q_I + f − m r̈, and the moment passes."""
    page, n = shown("lumped-mass", dimension), 3 if dimension == 2 else 6
    U, m = value(page, "U_I1"), sp.Symbol("m", real=True)
    spins = n - dimension
    assert U[n + spins : 2 * n, :dimension] == -m * sp.eye(dimension)
    assert U[:n, : 2 * n] == sp.eye(n).row_join(sp.zeros(n))
    assert U[n : n + spins, n : n + spins] == sp.eye(spins)
    assert U[n : n + spins, :n].is_zero_matrix


# The proof fails where something is wrong


def with_entry_changed(kernel: Kernel, number: int) -> Kernel | None:
    """The kernel with one added to the last entry of a statement; none if that is a zero."""
    statement = kernel.statements[number]
    if not isinstance(statement, Let):
        return None
    i, j = statement.port.entries[-1]
    changed = statement.value.copy()
    changed[i, j] += 1
    statements = list(kernel.statements)
    statements[number] = replace(statement, value=changed)
    return replace(kernel, statements=tuple(statements))


def failing(checks: tuple[Check, ...]) -> list[str]:
    return [check.claim for check in checks if not check.ok]


@pytest.mark.parametrize(
    ("kind", "dimension"), [("universal", 3), ("pin", 2), ("slot", 2), ("ball", 3), ("free", 3)]
)
@pytest.mark.parametrize("what", ["br", "bw"])
def test_a_wrong_bias_makes_the_proof_fail(kind: str, dimension: int, what: str) -> None:
    forward, backward = (Kernels.of(dimension, kind, side) for side in (False, True))
    names = [statement.port.name for statement in forward.relative.statements]
    wrong = with_entry_changed(forward.relative, names.index(what))
    assert wrong is not None
    chosen = (replace(forward, relative=wrong), backward)
    paper = paper_form(joint(dimension, kind))
    found = failing(hinge_checks(dimension, kind, paper, chosen, 1))
    assert any("differentiated twice" in claim for claim in found)


def hinge_mutants(kind: str, dimension: int) -> Iterator[tuple[str, tuple[Kernels, Kernels]]]:
    """One statement of one kernel changed at a time."""
    forward, backward = (Kernels.of(dimension, kind, side) for side in (False, True))
    for field in ("relative", "hinge", "accelerate"):
        kernel = getattr(forward, field)
        for number, statement in enumerate(kernel.statements):
            wrong = with_entry_changed(kernel, number)
            if wrong is not None:
                label = f"{kernel.name}: {statement.port.name}"
                yield label, (replace(forward, **{field: wrong}), backward)
    for kernel in forward.cuts:
        for number, statement in enumerate(kernel.statements):
            wrong = with_entry_changed(kernel, number)
            if wrong is not None:
                cuts = tuple(wrong if each is kernel else each for each in forward.cuts)
                yield (
                    f"{kernel.name}: {statement.port.name}",
                    (
                        replace(forward, cuts=cuts),
                        backward,
                    ),
                )


def test_every_change_of_a_hinges_kernels_is_seen() -> None:
    paper = paper_form(joint(2, "slot"))
    unseen = [
        label
        for label, chosen in hinge_mutants("slot", 2)
        if not failing(hinge_checks(2, "slot", paper, chosen, 1))
    ]
    # It multiplies the inertia between the slot's axes, none since the slot is free along one.
    assert unseen == ["through_slot_z_turn: twice2"]


@pytest.mark.parametrize("part", ["D", "U", "rows"])
def test_a_wrong_paper_form_makes_the_proof_fail(part: str) -> None:
    paper = paper_form(joint(3, "cylindrical"))
    matrix = sp.Matrix(getattr(paper, part))
    matrix[matrix.rows - 1, matrix.cols - 1] += 1
    assert failing(hinge_checks(3, "cylindrical", replace(paper, **{part: matrix})))


def test_too_few_constraints_make_the_proof_fail() -> None:
    paper = paper_form(joint(3, "revolute"))
    less = Paper(paper.D[:, 1:], paper.U, paper.rows)
    assert any("span everything" in claim for claim in failing(hinge_checks(3, "revolute", less)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_wrong_body_makes_the_proof_fail(dimension: int) -> None:
    body, right = rigid_body(dimension), BodyKernels.of(dimension)
    for name in ("U1", "U2", "H1", "H2"):
        matrix = sp.Matrix(getattr(body, name))
        matrix[dimension, dimension] += 1
        assert failing(body_checks(replace(body, **{name: matrix}), right, 1)), name
    for name in ("M", "p"):
        matrix = sp.Matrix(getattr(body.generic, name))
        matrix[matrix.rows - 1, matrix.cols - 1] += 1
        parts = {"M": body.generic.M, "p": body.generic.p} | {name: matrix}
        assert failing(body_checks(replace(body, generic=Inertia(**parts)), right, 1)), name
    for field in ("link", "body"):
        kernel = getattr(right, field)
        for number, statement in enumerate(kernel.statements):
            wrong = with_entry_changed(kernel, number)
            assert wrong is not None
            found = failing(body_checks(body, replace(right, **{field: wrong}), 1))
            assert found, f"{kernel.name}: {statement.port.name}"


# Names


def test_unknown_names_are_answered_with_the_known() -> None:
    with pytest.raises(UsageError, match=r"no element 'gear'; there are: .*rigid-body.*universal"):
        element_page("gear")
    with pytest.raises(UsageError, match="no pin in 3 dimensions, but in 2"):
        element_page("pin", 3)
    assert element_page("fixed").dimension == 3


# On the command line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["derive", *arguments])


def test_list() -> None:
    answer = run("--element", "list")
    assert answer.exit_code == 0
    assert re.search(r"^universal +in space$", answer.stdout, re.MULTILINE)
    assert re.search(r"^rigid-body +in the plane and in space$", answer.stdout, re.MULTILINE)
    found = json.loads(run("--element", "list", "--json").stdout)
    assert {"element": "pin", "dimensions": [2]} in found


def test_html_goes_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rack.html"
    answer = run("--element", "rack", "--format", "html", "-o", str(file))
    assert answer.exit_code == 0
    assert answer.stdout.strip() == f"{file}: rack hinge in the plane, proven"
    page = with_equations(element_document(shown("rack", 2)))
    assert file.read_text() == WRITERS["html"](page)
    assert [each.name for each in tmp_path.iterdir()] == ["rack.html"]
    assert run("--element", "rack", "-o", str(tmp_path / "no" / "x")).exit_code == 2


def test_it_is_written_in_every_format() -> None:
    page = shown("pin", 2)
    plain = run("--element", "pin").stdout
    assert plain == written(page, "text")
    assert all(len(line) <= 80 for line in plain.splitlines())
    assert "holds exactly at 6 of 6 points" in plain.replace("\n", " ")
    for form in ("latex", "notebook"):
        assert run("--element", "pin", "--format", form).stdout == written(page, form)
    found = json.loads(run("--element", "pin", "--json").stdout)
    assert found["ok"] is True
    assert found["proof"][0]["points"] == 6
    H = next(s for s in found["sections"][1]["statements"] if s.get("name") == "H")
    assert H["value"] == [["0"], ["0"], ["1"]]
    planes = json.loads(run("--element", "fixed", "--dimension", "2", "--json").stdout)
    assert planes["dimension"] == 2


def test_a_failed_proof_is_an_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = replace(shown("pin", 2), checks=(Check("it holds", 3, "point 2, component 1"),))
    monkeypatch.setattr(elementpages, "ELEMENTS", {**ELEMENTS, "pin": {2: lambda: page}})
    file = tmp_path / "pin.html"
    answer = run("--element", "pin", "--format", "html", "-o", str(file))
    assert answer.exit_code == 1
    assert "it holds: fails: point 2, component 1" in answer.stderr
    assert "Not proven" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a MODEL"),
        (("branch-pendulum", "--element", "pin"), "--element stands alone"),
        (("branch-pendulum", "--dimension", "2"), "--dimension goes with --element"),
        (("--element", "gear"), "there is no element 'gear'"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], words: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert words in answer.stderr
