"""What pages say in words: the listing as the steps, what is left out, what has no entries."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from browsers import seen_by

import mstmm
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.document import (
    Document,
    Fold,
    Formula,
    Listing,
    Prose,
    Section,
    every_block,
)
from mstmm.report.documents.html import html
from mstmm.report.documents.latex import latex
from mstmm.report.documents.plain import text
from mstmm.report.state import shown_state
from mstmm.symbolic.equations.tokens import GREEK


def page(name: str | Path, algorithm: str = "riccati") -> Document:
    model = mstmm.load(name)
    state = shown_state(model, None, rest=algorithm == "linear")
    return derivation_document(mstmm.derive(model, algorithm=algorithm), state)


@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
def test_the_listing_says_what_the_steps_say(algorithm: str) -> None:
    """Line by line, with no letter that this model has no use for, and nothing twice on end."""
    found = [*every_block(x for s in page("double-pendulum", algorithm).sections for x in s.blocks)]
    said = {x.says for x in found if isinstance(x, Formula)}
    (listing,) = (x for x in found if isinstance(x, Listing))
    lines = [x.text for x in listing.lines if not x.control and not x.text.endswith(":")]
    assert len(lines) > 30
    assert {*lines} <= said
    assert not [x for x, y in pairwise(lines) if x == y]


def test_what_is_left_out_is_named_whole() -> None:
    """By whole words: of what speeds give in a hinge, of an acceleration; zero in a step alone."""
    found = every_block(x for s in page("double-pendulum").sections for x in s.blocks)
    words = [x.text for x in found if isinstance(x, Prose) and x.text.startswith("Left out")]
    part = "b_ω (the part of the angular acceleration that its speeds alone give)"
    assert any(part in x for x in words)
    assert any("acceleration (r̈ − g, Ω̇) of the origin" in x for x in words)
    assert not any("on this model" in x for x in words)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "columns"), [(390, 1), (1366, 2)])
def test_drawings_stand_side_by_side_on_wide_screens_alone(
    width: int, columns: int, tmp_path: Path
) -> None:
    script = """<script>addEventListener("load", () => {
      const { gridTemplateColumns } = getComputedStyle(document.querySelector(".beside.even"));
      seen({ columns: gridTemplateColumns.split(" ").length });
    });</script></body>"""
    source = html(page("double-pendulum")).replace("</body>", script)
    assert seen_by(source, tmp_path, width)["columns"] == columns


@pytest.mark.long
def test_a_result_without_entries_is_said_to_have_none() -> None:
    """A clamped frame of beams has no speed whose stress could be given."""
    assert "s has no entries" in text(page("portal-frame", "linear"))


def test_closed_forms_show_no_rounding_of_decimals(tmp_path: Path) -> None:
    """Three times a rest angle of 0.2 rad is 0.6, not 0.6000000000000001; data has six digits."""
    (tmp_path / "rod.toml").write_text(
        """
        name = "rod"
        dimension = 2
        gravity = [0, 0]
        [parameters]
        l = 0.4
        [bodies.rod]
        mass = 0.4
        inertia = "0.4*l**2/12"
        centre = ["l/2", 0]
        points.top = {}
        [hinges.pivot]
        kind = "pin"
        parent = "ground"
        child = "rod:top"
        spring = { stiffness = 3, rest = 0.2 }
        """
    )
    sections = {x.anchor: [*every_block(x.blocks)] for x in page(tmp_path / "rod.toml").sections}
    (a,) = (x.value for x in sections["result"] if isinstance(x, Formula))
    assert not [x for x in a.atoms(sp.Rational) if x.q > 2**20]
    at = a.subs({x: 0.02 if x.name == "J_rod" else 1.1 for x in a.free_symbols})
    np.testing.assert_allclose(float(at[0]), -3 * (1.1 - 0.2) / 0.02)
    (data,) = (x for x in sections["letters"] if isinstance(x, Fold) and x.anchor == "data")
    inertia = next(x for (x,) in data.blocks[0].rows if x.text.startswith("JC"))
    assert inertia.text == "JC_rod = 0.0333333*l**2"
    assert "0.0333333</mn>" in html(Document("", "", (Section("", "", (data,)),)))


def test_latex_has_a_command_for_every_letter() -> None:
    """TeX leaves out in silence what its fonts lack: aₚ of the parent would be a."""
    source = latex(page("double-pendulum", "dca"))
    formulas = re.findall(r"(?<!\\)\$[^$\n]*\$", source)
    assert len(formulas) > 100
    assert not [x for x in formulas if not x.isascii()]
    assert not [x for x in formulas if re.search(r"_\{\w+\}_", x)]
    assert "${A}_{p}$" in formulas or "$A_{p}$" in formulas


#: The commands of TeX in formulas, but Greek letters.
COMMANDS = """
allowbreak begin bmatrix boldsymbol cos ddot dot dots ell end frac hat le left mathbf mathit
operatorname partial right sin sum text tilde times
"""


def test_latex_is_what_a_tex_knows() -> None:
    """No letter is taken into the command before it; brackets are whole; the fonts have all."""
    source = latex(page("double-pendulum", "dca"))
    preamble, _, body = source.partition(r"\begin{document}")
    formulas = re.findall(r"(?<!\\)\$[^$\n]*\$", body)
    commands = {x for each in formulas for x in re.findall(r"\\([A-Za-z]+)", each)}
    assert commands - {*COMMANDS.split(), *GREEK} == set()
    assert {"Delta", "tilde"} <= commands
    assert not re.search(r"\\tilde *\\left", body)
    assert not [x for x in formulas if "*" in re.sub(r"[_^]\{\*\}", "", x)]  # no code
    lacking = {x for x in body if x > "\uffff" or x in "ℓ✓"}
    assert lacking
    assert not [x for x in lacking if rf"\newunicodechar{{{x}}}" not in preamble]
