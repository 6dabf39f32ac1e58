"""The page of two rods with a spring between them and a load: short, and right by hand."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
from browsers import seen_by

import mstmm
from mstmm.papers.cited import with_equations
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.document import Document, Fold, Formula, Prose, every_block
from mstmm.report.documents.html import html
from mstmm.report.state import shown_state, state_of

TWO_RODS = """
name = "two-rods"
dimension = 2
gravity = [0, "-g"]
[parameters]
g = 9.81
m1 = 1.2
m2 = 0.8
l1 = 0.6
l2 = 0.1
kappa = 3.5
F = 2.0
[bodies.upper]
mass = "m1"
inertia = "m1*l1**2/12"
centre = [0, "-l1/2"]
points.top = {}
points.end = { position = [0, "-l1"] }
[bodies.lower]
mass = "m2"
inertia = "m2*l2**2/12"
centre = [0, "-l2/2"]
points.top = {}
points.tip = { position = [0, "-l2"] }
[hinges.1]
kind = "pin"
parent = "ground"
child = "upper:top"
[hinges.2]
kind = "pin"
parent = "upper:end"
child = "lower:top"
force = "-kappa*q1"
[loads.push]
body = "lower:tip"
force = ["F", 0]
"""

AT = "q1=0.5, q2=-0.8, u1=1.5, u2=0.7"
G, M1, M2, L1, L2, KAPPA, F = 9.81, 1.2, 0.8, 0.6, 0.1, 3.5, 2.0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("two") / "two-rods.toml"
    path.write_text(TWO_RODS)
    return str(path)


@pytest.fixture(scope="module")
def page(file: str) -> Document:
    model = mstmm.load(file)
    return derivation_document(mstmm.derive(model), state_of(model, AT))


def numbers(page: Document, step: str, member: str) -> dict[str, np.ndarray]:
    """What a step states at a body, in numbers, as they are read on the page."""
    (section,) = (x for x in page.sections if x.anchor == f"step-{step}")
    (fold,) = (
        x for x in section.blocks if isinstance(x, Fold) and x.title.startswith(f"{member}: ")
    )
    return {
        x.name: np.array([[float(y.replace("−", "-")) for y in row] for row in x.numbers.rows])
        for x in every_block(fold.blocks)
        if isinstance(x, Formula) and x.numbers
    }


def test_five_steps_are_right_by_hand(page: Document) -> None:
    """By formulas of a rod, with the page's own numbers put in; then Lagrange's equations."""
    near = {"rtol": 2e-5, "atol": 2e-5}
    q1, q2, u1, u2 = 0.5, -0.8, 1.5, 0.7
    lower, upper = (numbers(page, "inward", name) for name in ("lower", "upper"))
    # 1. The lower rod's own inertia about its hinge.
    M = M2 * np.array([[1, 0, L2 / 2], [0, 1, 0], [L2 / 2, 0, L2**2 / 3]])
    np.testing.assert_allclose(lower["IA"], M, **near)
    # 2. What its turning demands, less the push at its tip, in its axes; moments by the lever L2.
    turn, spin = q1 + q2, u1 + u2
    push = F * np.array([cos(turn), -sin(turn)])
    p = np.array([-push[0], M2 * L2 / 2 * spin**2 - push[1], -L2 * push[0]])
    np.testing.assert_allclose(lower["pA"].ravel(), p, **near)
    # 3. The hinge: its row of IA, and what is left when it yields.
    D, U = M[2, 2], M[:, 2]
    assert lower["D"].item() == pytest.approx(D, rel=1e-5)
    np.testing.assert_allclose(lower["IAh"], M - np.outer(U, U) / D, **near)
    # 4. Turned by q2 and moved along the upper rod.
    X = np.array([[cos(q2), sin(q2), 0], [-sin(q2), cos(q2), 0], [0, 0, 1]])
    X = X @ np.array([[1, 0, L1], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(lower["IAt"], X.T @ lower["IAh"] @ X, **near)
    np.testing.assert_allclose(lower["pAt"], X.T @ lower["pAh"], **near)
    # 5. The upper rod: its own and what hangs on it; alone it would turn by k.
    own = M1 * np.array([[1, 0, L1 / 2], [0, 1, 0], [L1 / 2, 0, L1**2 / 3]])
    np.testing.assert_allclose(upper["IA"], own + lower["IAt"], **near)
    assert upper["D"].item() == pytest.approx(upper["IA"][2, 2], rel=1e-5)
    # The accelerations, by Lagrange's equations of the angles q1 and q1 + q2.
    h = M2 * L1 * L2 / 2
    mass = np.array([[M1 * L1**2 / 3 + M2 * L1**2, h * cos(q2)], [h * cos(q2), M2 * L2**2 / 3]])
    torque = KAPPA * q2
    right = np.array(
        [
            h * sin(q2) * spin**2 - (M1 / 2 + M2) * G * L1 * sin(q1) + F * L1 * cos(q1) + torque,
            -h * sin(q2) * u1**2 - M2 * G * L2 / 2 * sin(turn) + F * L2 * cos(turn) - torque,
        ]
    )
    first, both = np.linalg.solve(mass, right)
    outward = [numbers(page, "outward", name)["ud"].item() for name in ("upper", "lower")]
    np.testing.assert_allclose(outward, [first, both - first], rtol=2e-5)


def test_the_page_is_judged_and_drawn_where_nothing_vanishes(file: str) -> None:
    model = mstmm.load(file)
    state = shown_state(model, None)
    assert state == shown_state(model, None)
    assert all(abs(x) > 0.15 for x in (*state.q, *state.v))
    assert shown_state(model, "q1=0.2") == state_of(model, "q1=0.2")
    found = derivation_document(mstmm.derive(model), state)
    said = [x for each in found.sections for x in every_block(each.blocks) if isinstance(x, Prose)]
    assert any("drawn near the model's start (seed 1)" in x.text for x in said)
    assert not [x.text for x in said if x.kind == "bad"]
    assert any(x.text.startswith("The steps above are what is emitted") for x in said)


def test_numbers_of_a_step_are_none_by_chance(file: str) -> None:
    """Each formula that is shown of the recursion has entries that are not zero."""
    model = mstmm.load(file)
    found = derivation_document(mstmm.derive(model), shown_state(model, None))
    for name in ("lower", "upper"):
        for letter, value in numbers(found, "inward", name).items():
            assert np.abs(value).max() > 0, letter


#: How tall a page is with all folded, and whether something is wider than it.
TALL = """<script>
addEventListener("load", () => setTimeout(() => {
  const page = document.documentElement;
  seen({ tall: page.scrollHeight, beyond: page.scrollWidth - page.clientWidth });
}, 200));
</script>"""


def test_the_page_opens_to_six_screens(file: str, tmp_path: Path) -> None:
    model = mstmm.load(file)
    found = derivation_document(mstmm.derive(model), shown_state(model, None), "mstmm derive")
    source = html(with_equations(found)).replace("</head>", f"{TALL}</head>", 1)
    seen = seen_by(source, tmp_path, 1366)
    assert seen["beyond"] == 0
    assert seen["tall"] <= 6 * 768
