"""Pages of every model by every algorithm: each step is there, each letter has a meaning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from browsers import seen_by
from cell_models import SLENDER, beam, hinge, top

import mstmm
from mstmm.errors import MstmmError
from mstmm.model import MODELS
from mstmm.papers.cited import with_equations
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.document import Document, Fold, Formula, Prose, every_block
from mstmm.report.documents.html import html
from mstmm.report.judging.checks import values_of
from mstmm.report.state import shown_state, state_of
from mstmm.symbolic.methods.algorithms import ALGORITHMS

pytestmark = pytest.mark.long

CLAMP = hinge("clamp", "fixed", "ground", "beam:root")


def page(name: str, algorithm: str) -> Document:
    model = mstmm.load(name)
    state = shown_state(model, None, rest=algorithm in ("linear", "damped"))
    return derivation_document(mstmm.derive(model, algorithm=algorithm), state)


def every_formula(found: Document) -> list[Formula]:
    blocks = (x for each in found.sections for x in every_block(each.blocks))
    return [x for x in blocks if isinstance(x, Formula)]


def whole(found: Document, name: str, algorithm: str) -> None:
    """Every step of the entries that are shown is on the page, nothing is judged bad."""
    program = mstmm.derive(mstmm.load(name), algorithm=algorithm).program()
    anchors = {section.anchor for section in found.sections}
    tabs = {x for section in found.sections for x in section.of}
    shown = [x for x in program.entries if x.name in tabs] or program.entries[:1]
    assert {f"step-{step}" for entry in shown for step in entry.steps} <= anchors
    blocks = [x for each in found.sections for x in every_block(each.blocks)]
    assert not [x.text for x in blocks if isinstance(x, Prose) and x.kind == "bad"]
    (legend,) = (x for x in blocks if isinstance(x, Fold) and x.anchor == "meanings")
    meanings = legend.blocks[0].rows
    assert all(row[2] for row in meanings)


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("double-pendulum", "riccati"),
        ("four-bar", "dca"),
        ("double-pendulum", "reaching"),
        ("slider-crank", "inverse-pullback"),
        ("four-bar", "damped"),
    ],
)
def test_every_step_is_on_the_page(name: str, algorithm: str) -> None:
    whole(page(name, algorithm), name, algorithm)


@pytest.mark.parametrize("algorithm", ["linear", "damped"])
def test_a_welded_beam_without_any_coordinate_has_a_page(algorithm: str, tmp_path: Path) -> None:
    file = tmp_path / "cantilever.toml"
    file.write_text(top(2, "cantilever") + beam("beam", 1.0, SLENDER) + CLAMP)
    whole(page(str(file), algorithm), str(file), algorithm)


def test_small_motions_of_loops_bear_what_they_bear_at_rest() -> None:
    """The four-bar hangs under its weight: one eigenvalue, that of its linearised accelerations."""
    model = mstmm.load("four-bar")
    solver = mstmm.compile(model, target="numpy")
    q = solver.equilibrium([-1.6, 0.5, 0.5]).q
    A, _ = solver.linearize(q, np.zeros(3))
    square = np.abs(np.linalg.eigvals(A)).max() ** 2
    derived, state = mstmm.derive(model, algorithm="linear"), state_of(model)
    for part, below in ((0.99, 0), (1.01, 1)):
        at = replace(state, q=tuple(q), further={"omega2": [part * square]})
        assert values_of(derived, at)["below"].item() == below


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [x.name for x in ALGORITHMS if not x.alias_of])
@pytest.mark.parametrize("name", MODELS)
def test_every_step_of_every_page_is_there(name: str, algorithm: str) -> None:
    try:
        mstmm.derive(mstmm.load(name), algorithm=algorithm).program()
    except MstmmError as reason:
        pytest.skip(str(reason))
    whole(page(name, algorithm), name, algorithm)


#: Opens all of a page; what is then wider than its window, or cut off without a way to scroll.
CUT = """<script>
addEventListener("load", () => setTimeout(() => {
  document.getElementById("open-all").click();
  const page = document.documentElement, cut = [];
  for (const each of document.querySelectorAll("main *")) {
    const style = getComputedStyle(each);
    if (style.overflowX === "hidden" && each.scrollWidth > each.clientWidth + 1)
      cut.push(each.className || each.tagName);
  }
  seen({ cut, beyond: page.scrollWidth - page.clientWidth });
}, 200));
</script>"""


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("double-pendulum", "riccati"),
        ("four-bar", "dca"),
        *(pytest.param(name, "riccati", marks=pytest.mark.slow) for name in MODELS),
        *(pytest.param(name, "overall", marks=pytest.mark.slow) for name in MODELS),
    ],
)
def test_nothing_is_cut_off_at_1366_pixels(name: str, algorithm: str, tmp_path: Path) -> None:
    try:
        mstmm.derive(mstmm.load(name), algorithm=algorithm).program()
    except MstmmError as reason:
        pytest.skip(str(reason))
    source = html(with_equations(page(name, algorithm)))
    seen = seen_by(source.replace("</head>", f"{CUT}</head>", 1), tmp_path, 1366)
    assert (seen["beyond"], seen["cut"], seen["complaints"]) == (0, [], [])


def test_accelerations_are_a_formula_that_a_screen_has_room_for(tmp_path: Path) -> None:
    """Of a pole on a cart, by hand; of two rods it would be as wide as two screens."""
    formulas = {x.name: x for x in every_formula(page("cart-pole", "riccati"))}
    m, M, g, a, c, s, u, F = sp.symbols("m M g l c_pole s_pole upole u", real=True)
    below = 4 * (M + m) - 3 * m * c**2
    cart = (4 * F + 3 * m * g * c * s - 2 * m * a * s * u**2) / below
    pole = 3 * (2 * (M + m) * g * s + 2 * F * c - m * a * c * s * u**2) / below / a
    assert (formulas["a"].value - sp.Matrix([cart, pole])).applyfunc(sp.factor) == sp.zeros(2, 1)
    rods = tmp_path / "rods.toml"
    rods.write_text(
        'name = "rods"\ndimension = 2\ngravity = [0, -9.81]\n'
        "[bodies.upper]\nmass = 1.2\ninertia = 0.3\ncentre = [0.1, -0.3]\n"
        "points.top = {}\npoints.end = { position = [0.1, -0.6] }\n"
        "[bodies.lower]\nmass = 0.7\ninertia = 0.2\ncentre = [0.1, -0.2]\npoints.top = {}\n"
        '[hinges.1]\nkind = "pin"\nparent = "ground"\nchild = "upper:top"\n'
        '[hinges.2]\nkind = "pin"\nparent = "upper:end"\nchild = "lower:top"\n'
    )
    assert "a" not in {x.name for x in every_formula(page(str(rods), "riccati"))}


def test_s_and_e_as_formulas_are_those_of_a_rod() -> None:
    """Of a pole on a cart, by hand; the cosine and the sine go by c_pole and s_pole."""
    found = page("cart-pole", "riccati")
    (section,) = (x for x in found.sections if x.anchor == "closed-ends")
    formulas = {x.name: x for x in every_block(section.blocks) if isinstance(x, Formula)}
    a, m, g, c, s, u = sp.symbols("l m g c_pole s_pole upole", real=True)
    S = formulas["S_pole,O"].value
    own = sp.Matrix([[-a * m * c / 2, -a * m * s / 2, a**2 * m / 3],
                     [-m, 0, a * m * c / 2], [0, -m, a * m * s / 2]])  # fmt: skip
    assert (S - own).expand() == sp.zeros(3, 3)
    e = formulas["e_pole,O"].value
    own = sp.Matrix([-g * a * m * s / 2, -a * m * u**2 * s / 2, m * (-g + a * u**2 * c / 2)])
    assert (e - own).expand() == sp.zeros(3, 1)
    numbers = formulas["e_pole,O"].numbers
    assert np.all([x != "0" for row in numbers.rows for x in row])
    assert any(x.kind == "good" for x in section.blocks if isinstance(x, Prose))
