"""The page of a count: pivots in numbers, Δ(ω) with its roots, Holzer's table, U with ω²."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from cell_models import SLENDER, beam, hinge, top
from places import DATA

import mstmm
from mstmm.report.derivation import derivation_document
from mstmm.report.documents import plain
from mstmm.report.documents.document import Block, Numbers, Prose, Table
from mstmm.report.drawing.scene import Circle, Line
from mstmm.report.judging.counting import counting, curve
from mstmm.report.overall import overall_document
from mstmm.report.state import state_of
from mstmm.symbolic.pages.named import displaced, named_matrices

J, K = np.array([1.2, 0.8, 0.5, 2.0]), [1000.0, 1500.0, 800.0]
STIFFNESS = sum(
    (k * np.outer(e, e) for k, e in zip(K, -np.diff(np.eye(4), axis=0), strict=True)),
    np.zeros((4, 4)),
)


@cache
def blocks(name: str, at: str) -> tuple[Block, ...]:
    derived, state = mstmm.derive(name, algorithm="linear"), state_of(mstmm.load(name), at)
    (square,) = state.further["omega2"]
    values = derived.at(state.q, state.v, omega2=[square])
    return tuple(counting(derived, values, state, square))


def rows(table: Table) -> list[list[str]]:
    return [[x.rows[0][0] if isinstance(x, Numbers) else str(x) for x in row] for row in table.rows]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("square", [300.0, 2000.0, 7000.0])
def test_pivots_and_the_rows_of_holzer(square: float) -> None:
    """Pivots are those of LDLᵀ in the hinges' angles; θ solves all rows of K θ = ω² J θ but one."""
    found = blocks("holzer-train", f"omega2={square}")
    pivots, chain = (x for x in found if isinstance(x, Table))
    T = np.tril(np.ones((4, 4)))
    A = T.T @ (STIFFNESS - square * np.diag(J)) @ T
    known = []
    for k in reversed(range(4)):
        known.append(A[k, k])
        A = A[:k, :k] - np.outer(A[:k, k], A[k, :k]) / A[k, k]
    told = rows(pivots)
    np.testing.assert_allclose([number(x[1]) for x in told[:4]], known, rtol=1e-5)
    assert [x[0] for x in told] == [
        *(f"hinge shaft{k}: D" for k in (3, 2, 1)),
        "hinge bearing: D",
        "all: J",
    ]
    assert [int(x[2]) for x in told] == [*(x < 0 for x in known), sum(x < 0 for x in known)]
    theta = np.array([number(x[2]) for x in rows(chain)])
    left = (STIFFNESS - square * np.diag(J)) @ theta
    np.testing.assert_allclose(left[:3], 0.0, atol=1e-5 * np.abs(STIFFNESS @ theta).max())
    torque = number(rows(chain)[-1][4])
    np.testing.assert_allclose(left[3], -torque, rtol=1e-4)


def test_beams_are_counted_by_their_cells_and_have_no_table_of_discs() -> None:
    table, *others = (x for x in blocks("portal-frame", "omega2=2000") if isinstance(x, Table))
    assert not others
    assert [x[:2] for x in rows(table)][1] == ["beam across: F", "48, in 16 cells"]
    known = json.loads((DATA / "linear" / "beams.json").read_text(encoding="utf-8"))["cases"]
    below = sum(float(x) < 2000 for x in known["06-portal-frame"]["reference"])
    assert rows(table)[-1] == ["all: J", "", str(below)]
    text = " ".join(x.text for x in blocks("portal-frame", "omega2=2000") if isinstance(x, Prose))
    assert f"So {below} of the model's eigenvalues lie below ω = 44.7214 rad/s." in text


def test_a_beam_on_a_hinge_in_many_cells_has_that_hinges_pivots(tmp_path: Path) -> None:
    file = tmp_path / "held.toml"
    foot = hinge("foot", "pin", "ground", "arm:tip", spring="{ stiffness = 3.0 }")
    file.write_text(top(2, "held") + beam("arm", 1.0, SLENDER) + foot)
    table = next(x for x in blocks(str(file), "omega2=2000") if isinstance(x, Table))
    assert [x[0] for x in rows(table)] == ["beam arm: F", "hinge foot: D", "all: J"]
    modes = mstmm.compile(str(file), algorithm="linear", target="numpy").modes(below=2000**0.5)
    assert rows(table)[-1][2] == str(len(modes.squares))


def test_the_curve_changes_its_sign_at_each_dot() -> None:
    modes = mstmm.compile("holzer-train", algorithm="linear", target="numpy").modes()
    roots = np.sqrt([422.10867291797388, 2056.5900807736451, 6479.6345796417144])
    shapes = curve(modes).groups[0].shapes
    left = min(x.points[0][0] for x in shapes if isinstance(x, Line))
    dots = np.array([x.x for x in shapes if isinstance(x, Circle)]) - left
    np.testing.assert_allclose(dots / dots[0], roots / roots[0], rtol=1e-12)
    parts = [x for x in shapes if isinstance(x, Line) and x.role in ("way", "act")]
    assert [x.role for x in parts] == ["way", "act", "way", "act"]
    np.testing.assert_allclose([x.points[0][0] - left for x in parts[1:]], dots)
    omega = np.array([10.0, 33.0, 60.0])
    logs, below = modes.determinant(omega)
    dense = [np.linalg.slogdet(STIFFNESS - x**2 * np.diag(J)) for x in omega]
    np.testing.assert_allclose(logs, [x[1] for x in dense], rtol=1e-12)
    assert [(-1) ** int(x) for x in below] == [x[0] for x in dense]


def test_transfer_matrices_of_small_motions() -> None:
    """λ_O = X⁻ᵀ (−ω² M) u_I behind a free body, u_O = X u_I; rows of hinges have −κ s."""
    derived = mstmm.derive("double-pendulum", algorithm="linear")
    found = [x for x in map(displaced, named_matrices(derived.overall)) if x]
    body = next(x for x in found if x.matrix.shape == (5, 5))
    m, J, cx, cy, ox, oy, w = 1.3, 0.7, 0.2, -0.4, 0.5, 0.3, 2.1
    given = {"m": m, "J_33": J, "c_x": cx, "c_y": cy, "o_x": ox, "o_y": oy, "omega": w}
    numbers = {x: given[x.name] for b in dict(body.blocks).values() for x in b.free_symbols}
    parts = {name: np.array(b.xreplace(numbers), dtype=float) for name, b in body.blocks}
    sizes = [2, 1, 1, 2, 1]

    def value(i: int, j: int) -> np.ndarray:
        entry = body.matrix[i, j]
        total = np.zeros((sizes[i], sizes[j]))
        for term in sp.Add.make_args(sp.expand(entry)):
            product = np.eye(sizes[i])
            for x in term.args if term.is_Mul else (term,):
                if x.is_number:
                    product = product * float(x)
                elif x.has(sp.Symbol("omega", positive=True)):
                    product = product * w**2
                elif str(x) != "unit":
                    product = product @ parts[str(x)]
            total = total + (product if product.shape == total.shape else 0)
        return total

    U = np.block([[value(i, j) for j in range(4)] for i in range(4)])
    X = np.array([[1, 0, -oy], [0, 1, ox], [0, 0, 1]])
    M = np.array([[m, 0, -m * cy], [0, m, m * cx], [-m * cy, m * cx, J]])
    np.testing.assert_allclose(U[:3, :3], X, atol=1e-15)
    loads = np.vstack([-U[4:6, :3], U[3:4, :3]])  # (−q, m)
    np.testing.assert_allclose(loads, np.linalg.inv(X).T @ (-(w**2) * M), atol=1e-12)
    row = next(x for x in found if x.factor.letter == "G").matrix
    assert str(row[0, 3]) == "-kappa"
    assert row[0, 4] == 0


def test_the_page_has_it() -> None:
    model = mstmm.load("double-pendulum")
    page = derivation_document(mstmm.derive(model, algorithm="linear"), state_of(model, "q1=0"))
    assert "below" in {x.anchor for x in page.sections}


def test_the_overall_equation_of_small_motions() -> None:
    equation = mstmm.derive("holzer-train").overall
    said = " ".join(plain.text(overall_document(equation, small=True)).split())
    assert "det U_all(ω) = 0 at the natural frequencies" in said
    assert "U_all = [" in said
    assert "r = 0, θ = 0" in said
    for word in ("r̈", "Ω̇", "relative acceleration"):
        assert word not in said
