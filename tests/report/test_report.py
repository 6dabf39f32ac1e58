"""What people look at: formulas, the page, the plot, and the independent solution."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from places import DATA as ALL_DATA
from read_formulas import line, parsed

from mstmm import derive
from mstmm.codegen.generate import Generated, generate
from mstmm.codegen.proof.records import Proof, Row
from mstmm.codegen.views import counts
from mstmm.errors import NumericsError
from mstmm.model import load
from mstmm.report import formulas, plot
from mstmm.report.documents.entries import said
from mstmm.report.documents.html import html, prose
from mstmm.report.judging import lagrange
from mstmm.report.page import compared_document
from mstmm.report.results import COLOURS
from mstmm.symbolic.derivation.derivation import Derivation
from mstmm.symbolic.equations.alphabets import latex, mathml
from mstmm.symbolic.equations.layout import Box

DATA = ALL_DATA / "riccati-paper"

#: The elements of MathML Core that a formula may be made of.
CORE = {
    "math", "mfrac", "mi", "mn", "mo", "mover", "mrow", "mspace", "msub", "msubsup", "msup",
    "mtable", "mtd", "mtext", "mtr",
}  # fmt: skip

m, a, g = sp.symbols("m a g", real=True)
theta1, theta3, omega1 = sp.symbols("theta1 theta3 omega1", real=True)


def element(box: Box) -> ET.Element:
    return ET.fromstring(f"<math>{mathml(box)}</math>")


def text(box: Box) -> str:
    """The characters of a formula, without the invisible product sign."""
    return "".join(element(box).itertext()).replace("\u2062", "").replace("\u00a0", " ")


# Formulas


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (m * a * sp.sin(theta1), "mas1"),
        (-m * g * a * sp.cos(theta1), "−magc1"),
        (sp.Rational(4, 3) * m * a**2, "43ma2"),
        (m - a, "−a+m"),
        (-m * a * omega1**2 * sp.cos(theta1) - m * g, "−maω12c1−mg"),
        (m * (a + g), "m(a+g)"),
        (1 / (a + g), "1a+g"),
        (sp.cos(theta1) ** 2, "c12"),
        (sp.sqrt(a + g), "(a+g)12"),
        (sp.cos(theta1 - theta3), "cos(θ1−θ3)"),
        (sp.Eq(m, a), "m=a"),
        (sp.S.Zero, "0"),
        (sp.Symbol("<b>"), "<b>"),
        (a * sp.cos(theta1 + sp.pi / 3), "acos(θ1+13π)"),
    ],
)
def test_an_expression_in_the_papers_letters(expression: sp.Expr, shown: str) -> None:
    assert text(formulas.expression(expression)) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (sp.Rational(0.1), "0.1"),
        (-sp.Rational(0.3) * m, "-0.3*m"),
        (1 / (sp.Rational(0.1) * m), "1/(0.1*m)"),
        (sp.Float(2.5e-07) * m, "2.5e-07*m"),
        (sp.Float(20.0), "20"),
        (sp.Rational(3, 1024), "3/1024"),
        (sp.Rational(10**9, 7), "1000000000/7"),
    ],
)
def test_decimals_are_shown_as_they_were_typed(number: sp.Expr, shown: str) -> None:
    assert said(number) == shown
    assert re.sub("\\D", "", text(formulas.formula(number))).startswith(re.sub("\\D.*", "", shown))
    assert "360287970" not in text(formulas.formula(number)) + latex(formulas.formula(number))


def test_a_long_formula_in_a_text_goes_on_in_the_next_line() -> None:
    path = [f"z_{k},{k + 1}" for k in range(10)]
    assert prose(f"First {' → '.join(path)}.").count("</mo></mrow></math><wbr/><math>") == 9
    assert "<wbr/>" not in prose(" → ".join(path[:3]))


def test_a_quotient_is_a_fraction_with_its_numbers() -> None:
    fraction = element(formulas.expression(-3 * sp.sin(theta1) / (2 * a))).find(".//mfrac")
    assert fraction is not None
    above, below = fraction
    assert "".join(above.itertext()).replace("\u2062", "") == "3s1"
    assert "".join(below.itertext()).replace("\u2062", "") == "2a"


def test_products_of_blocks_keep_their_order() -> None:
    u, v = sp.symbols("u_32 u_31", commutative=False)
    assert text(formulas.expression(-(u**-1) * v)) == "−u3,2−1u3,1"
    assert text(formulas.expression(v * u)) == "u3,1u3,2"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("theta1", "θ1"),
        ("omega7", "ω7"),
        ("ddx1O", "x¨1,O"),
        ("dOmega5O", "Ω˙z,5,O"),
        ("qx7O", "qx,7,O"),
        ("c_x", "rIC,x"),
        ("i2_y", "rI1I2,y"),
        ("T21", "T21"),
        ("S_i", "Si"),
        ("J_12", "J12"),
        ("one", "1"),
        ("ddx", "x¨"),
        ("dOmega_z", "Ω˙z"),
        ("qI2_x", "qI2,x"),
        ("S_last", "Sn+1"),
        ("z_bnext", "zbi+1,I"),
        ("z_7O", "z7,O"),
        ("Utip1", "Utip,1"),
        ("Uhat8_I2", "U^8,I2"),
        ("m_2", "mI2"),
        ("mass", "mass"),
    ],
)
def test_symbols(name: str, shown: str) -> None:
    assert text(formulas.symbol(name)) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("S2", "S2"),
        ("Uhat8_I1", "U^8,I1"),
        ("Utip2", "Utip,2"),
        ("H_rm", "Hr¨,m"),
        ("Ubar", "U¯all"),
        ("z7O", "z7,O"),
        ("zaO1", "za1,O"),
        ("z_aI_next", "zai+1,I"),
        ("z_bI_solved", "zbi,I"),
        ("z_O_miso", "zi,O"),
        ("ddr_Ik", "r¨Ik"),
        ("U_chain", "U1−n"),
        ("za1O", "za1,O"),
        ("S_next", "Si+1"),
        ("rank", "rankU¯all"),
        ("S[1:O]", "S1,O"),
        ("no name!", "no name!"),
    ],
)
def test_names_of_results(name: str, shown: str) -> None:
    assert text(formulas.result_name(name)) == shown


def test_matrices_and_vectors_are_bold_and_scalars_are_not() -> None:
    assert 'class="b"' in mathml(formulas.result_name("S2"))
    assert 'class="b"' in mathml(formulas.symbol("T21"))
    assert 'class="b"' not in mathml(formulas.symbol("theta1"))


def test_a_matrix_is_a_table_with_its_zeros_and_marks() -> None:
    table = element(formulas.matrix(sp.Matrix([[0, m], [a, 0]]), {(0, 1)})).find("mtable")
    assert table is not None
    assert [[cell.get("class") for cell in row] for row in table] == [
        ["zero", "differs"],
        [None, "zero"],
    ]


# The page


class Outline(HTMLParser):
    """Tags, identifiers, links and the nesting of a page."""

    VOID = ("meta", "link", "br", "input")

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if given.get("href"):
            self.links.append(str(given["href"]))
        assert not given.get("src")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def derivation() -> Derivation:
    return derive(load("branch-pendulum"))


@pytest.fixture(scope="module")
def generated() -> Generated:
    return generate(load("branch-pendulum"))


PROOF = Proof(
    "c",
    100,
    (Row("hinge at 1", 100, 0.5, 16.0, True), Row("body at 7", 100, 2e6, 16.0, False)),
    "body at 7: pA[0] is off by 2e+06 ulp, 16 are allowed",
)


@pytest.fixture(scope="module")
def source(derivation: Derivation, generated: Generated) -> str:
    return html(compared_document(derivation, generated, PROOF))


def test_the_page_holds_together(source: str) -> None:
    outline = Outline(source)
    assert len(outline.ids) == len(set(outline.ids))
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)
    assert outline.tags & {"iframe", "img"} == set()


def test_the_page_needs_no_network(source: str) -> None:
    outline = Outline(source)
    assert all(link.startswith(("#", "data:")) for link in outline.links)
    assert not re.search(r"@import|url\((?!data:)", source)


def test_all_formulas_are_of_mathml_core(source: str) -> None:
    formulas = re.findall(r"<math.*?</math>", source, flags=re.DOTALL)
    assert len(formulas) > 100
    assert {node.tag for formula in formulas for node in ET.fromstring(formula).iter()} <= CORE


def test_the_page_shows_every_result_with_its_verdict(source: str, derivation: Derivation) -> None:
    for result in derivation.results:
        assert f'id="eq-{result.equation}"' in source
    for status, colour in COLOURS.items():
        found = [result.verdict.status for result in derivation.results].count(status)
        more = 1 + (status == "differs")  # the count, and the failing kernel of the proof
        assert source.count(f'<p class="{colour}">') == found + more


def test_where_the_print_differs_both_stand_side_by_side(
    source: str, derivation: Derivation
) -> None:
    wrong = [result for result in derivation.results if result.verdict.status == "differs"]
    assert {result.symbol for result in wrong} == {"S3", "e3", "Uhat8_I1", "Uhat8_I2", "zb1I"}
    assert source.count(">as printed</p>") == len(wrong)
    entries = sum(len(result.verdict.where) for result in wrong)
    assert len(re.findall(r'<mtd class="(?:zero )?differs">', source)) == 2 * entries


def test_the_rank_stands_before_the_contents(source: str) -> None:
    rank = source.index("rank 7 of 9")
    assert source.index('id="system"') < rank < source.index('id="contents"')
    assert "rank 9 of 9" in source


def test_the_errata_the_code_and_the_proof_are_there(source: str, generated: Generated) -> None:
    for number in range(1, 22):
        assert f'<tr id="X{number}">' in source
        assert f'<a href="#X{number}">' in source or number in (4, 9, 12)
    for step in generated.module.steps:
        for block in step.blocks:
            assert f"<code>{block.name}</code>" in source
    assert "static" in source
    assert source.count("✗ fails<") == 1
    assert PROOF.worst in source


def test_sizes_are_bytes(derivation: Derivation, generated: Generated) -> None:
    name = next(iter(generated.sources.files))
    files = {**generated.sources.files, name: "ω̇" * 1000}
    wide = replace(generated, sources=replace(generated.sources, files=files))
    page = html(compared_document(derivation, wide))
    assert f"{name} ({len('ω̇'.encode()) * 1000} bytes)" in page


def test_one_operation_is_singular() -> None:
    found = Counter({"additions": 1, "divisions": 2, "sines and cosines": 1})
    assert counts(found) == "4 (1 addition, 2 divisions, 1 sine or cosine)"


def test_8_shows_the_balance_of_both_inputs(source: str) -> None:
    section = source.split('id="eq-8"')[1].split('id="eq-9"')[0]
    assert "qI2,x" in re.sub(r"<[^>]+>", "", section)
    assert "qI2,x" not in re.sub(r"<[^>]+>", "", source.split('id="eq-4"')[1].split('id="eq-5"')[0])


def test_the_page_speaks_of_no_one(source: str) -> None:
    """But of the copy of the paper, which lacks some displays."""
    text = re.sub(r"<[^>]+>", " ", source).replace("our copy", "")
    assert not re.search(r"\b(our|we|us)\b", text)


def test_text_from_outside_is_escaped() -> None:
    assert prose("<script> & c") == "&lt;script&gt; &amp; c"
    assert prose("a < b") == "<math><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("body panda_link7 of a pendulum", "body panda_link7 of a pendulum"),
        ("hinge left_arm_2 of U_all", "hinge left_arm_2 of $U_{all}$"),
        ("z_a of U_tip,2, c3² [X10]", "$z_{a}$ of $U_{tip,2}$, $c_{3}^{2}$ [X10]"),
        ("E10: m = 0 of the *output*, 2*a*m*c", "E10: $m=0$ of the output, 2*a*m*c"),
        ("S ← (T11 S + T12) P (29)", "$S←(T_{11} S+T_{12}) P$ (29)"),
    ],
)
def test_formulas_of_prose_are_mathml_and_words_are_words(text: str, shown: str) -> None:
    assert "".join(parsed(re.sub(r"<math>(.*?)</math>", read, prose(text))).itertext()) == shown
    assert ("<em>output</em>" in prose(text)) == ("output" in text)


def read(math: re.Match[str]) -> str:
    return f"${line(parsed(math[0]))}$"


@pytest.mark.parametrize(
    "name",
    [
        "rod-chain:n=3",
        pytest.param("branch-system:N=13", marks=pytest.mark.slow),
        "branch-system:N=41",
    ],
)
def test_any_model_has_a_page(name: str) -> None:
    """Of a small branch system with the printed system (59), which is singular."""
    model = load(name)
    shown = html(compared_document(derive(model), generate(model, target="numpy")))
    Outline(shown)
    is_branched = name.endswith("13")
    assert ("do not determine the motion" in shown) == is_branched
    assert (f"transfer matrix of body {model.bodies[0].name}" in shown) != is_branched


HASHES = """
import hashlib, sys
from pathlib import Path
import numpy as np
from mstmm import derive
from mstmm.codegen.generate import generate
from mstmm.model import load
from mstmm.report import plot
from mstmm.report.documents.html import html
from mstmm.report.page import compared_document

def hashes(page, folder):
    t = np.linspace(0, 1, 11)
    angles, forces = np.outer(t, [1.0, 2.0]), np.outer(t, [3.0])
    motion = plot.Motion(t, angles, ("theta1", "theta3"), forces, ("1:O",))
    drawn = (path.read_bytes() for path in plot.draw(motion, folder))
    return [hashlib.sha256(x).hexdigest() for x in (page.encode(), *drawn)]
"""
PRINTED = """
model = load("branch-pendulum")
page = html(compared_document(derive(model), generate(model)))
print(*hashes(page, Path(sys.argv[1])))
"""


def test_another_hash_seed_gives_the_same_page_and_plot(
    tmp_path: Path, derivation: Derivation, generated: Generated
) -> None:
    pytest.importorskip("matplotlib")
    own: dict[str, Any] = {}
    exec(HASHES, own)
    done = subprocess.run(
        [sys.executable, "-c", HASHES + PRINTED, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    page = html(compared_document(derivation, generated))
    assert done.stdout.split() == own["hashes"](page, tmp_path)


# The plot


def motion() -> plot.Motion:
    time = np.linspace(0.0, 5.0, 501)
    angles = np.stack([np.sin(time + i) for i in range(4)], axis=-1)
    return plot.Motion(
        time,
        angles,
        ("theta1", "theta3", "theta5", "theta7"),
        np.abs(angles),
        ("1:O", "3:O", "5:O", "7:O"),
        time[::10],
        angles[::10],
    )


def test_the_plot_is_drawn_and_not_blank(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    png, svg = plot.draw(motion(), tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["motion.png", "motion.svg"]
    pixels = imread(png)[..., :3]
    for colour in plot.COLOURS[:4]:
        wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        assert (np.abs(pixels - wanted).max(axis=-1) < 0.02).sum() > 300
    assert "<dc:date>" not in svg.read_text()


def test_a_motion_passes_to_another_process(tmp_path: Path) -> None:
    plot.save(motion(), tmp_path / "motion.npz")
    back = plot._saved(tmp_path / "motion.npz")
    assert back.coordinates == motion().coordinates
    assert back.ends == motion().ends
    assert back.independent is not None
    np.testing.assert_array_equal(back.angles, motion().angles)


def test_without_matplotlib_the_plot_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot.save(motion(), tmp_path / "motion.npz")
    assert plot.main([str(tmp_path / "motion.npz"), str(tmp_path)]) == 3
    assert 'pip install "mstmm[plot]"' in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["motion.npz"]


# The independent solution, against data computed elsewhere


def test_lagranges_equations_at_the_stored_states() -> None:
    states = json.loads((DATA / "reference_states.json").read_text())
    assert len(states["random_states"]) == 5
    for state in [states["initial"], *states["random_states"]]:
        theta, omega, alpha = (
            np.array([state[key][rod] for rod in ("1", "3", "5", "7")])
            for key in ("theta", "omega", "alpha")
        )
        np.testing.assert_allclose(lagrange.accelerations(theta, omega), alpha, rtol=0, atol=1e-11)


def test_the_independent_motion_is_the_stored_one() -> None:
    stored = np.loadtxt(DATA / "reference.csv", delimiter=",", skiprows=1)
    found = lagrange.motion(stored[0, 1:5], stored[0, 5:9])
    np.testing.assert_allclose(found.time[::5], stored[:, 0], rtol=0, atol=1e-12)
    # The stored motion is good to 1e-11.
    assert np.abs(found.theta[::5] - stored[:, 1:5]).max() < 1e-11
    assert np.abs(found.omega[::5] - stored[:, 5:9]).max() < 5e-11
    energy = lagrange.energy(found.theta, found.omega)
    assert np.abs(energy - stored[0, 9]).max() < 1e-12


def test_too_long_steps_of_the_independent_motion_are_refused() -> None:
    with pytest.raises(NumericsError, match="take more"):
        lagrange.motion([1.5, 1.5, 1.5, 0.0], np.full(4, 20.0), steps=2)
