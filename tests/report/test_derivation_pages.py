"""Derivation pages: every number is the program's, every link leads somewhere, and d'Alembert's
principle would notice a wrong acceleration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import mstmm
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.document import (
    Code,
    Document,
    Drawing,
    Fold,
    Formula,
    Listed,
    Listing,
    Numbers,
    Prose,
    Table,
    Tabs,
    every_block,
)
from mstmm.report.documents.html import html
from mstmm.report.documents.latex import latex
from mstmm.report.documents.plain import notebook, text
from mstmm.report.documents.slides import slides
from mstmm.report.judging import virtual
from mstmm.report.state import state_of
from mstmm.runtime.derived import Values

EXAMPLES = Path(__file__).parents[2] / "examples"
MOVING = "theta1=0.3, theta3=-0.7, theta5=1, theta7=pi/5, omega1=2, omega5=-1, omega7=1/2"


def document(name: str, at: str | None = None, algorithm: str = "riccati", **options) -> Document:
    derived = mstmm.derive(mstmm.load(name), algorithm=algorithm, **options)
    return derivation_document(derived, state_of(derived.model, at), "mstmm derive")


def blocks(of: Document) -> Iterator:
    return every_block(block for section in of.sections for block in section.blocks)


@pytest.fixture(scope="module")
def branch() -> Document:
    return document("branch-pendulum", MOVING)


@pytest.mark.parametrize(
    ("name", "algorithm", "options"),
    [
        ("branch-pendulum", "overall", {}),
        ("branch-pendulum", "riccati", {"form": "paper"}),
        ("rod-chain:n=40", "riccati", {}),
        ("four-bar", "riccati", {}),
        ("four-bar", "dca", {}),
        (str(EXAMPLES / "arm.toml"), "rnea-body", {}),
        ("double-pendulum", "hdca", {}),
        ("double-pendulum", "derivatives", {}),
    ],
)
def test_pages_of_models_and_algorithms_are_whole(name: str, algorithm: str, options) -> None:
    found = document(name, None, algorithm, **options)
    outcomes = [block for block in blocks(found) if isinstance(block, Prose)]
    assert not [block.text for block in outcomes if block.kind == "bad"]
    assert any(block.kind == "good" for block in outcomes) or algorithm == "derivatives"
    page = html(found)
    assert len(page) < 3_000_000
    anchors = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert len(anchors) == len(re.findall(r' id="([^"]+)"', page))


def test_a_count_of_eigenvalues_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small motions at the frequency that is typed; a wrong count, and no rest, are said."""

    def told(at: str) -> dict[str, str]:
        found = document("double-pendulum", at, "linear")
        return {block.text: block.kind for block in blocks(found) if isinstance(block, Prose)}

    text, kind = next(x for x in told("q1=0, q2=0, omega2=50").items() if "linearised" in x[0])
    assert text.endswith("have 1 eigenvalues below ω² by NumPy's solver: as many.")
    assert kind == "good"
    assert "The square of the circular frequency is ω² = 50 1/s²." in told("omega2=50")
    assert any("not at rest" in text for text in told("q1=0.3"))
    below = Values.__getitem__
    monkeypatch.setattr(Values, "__getitem__", lambda of, name: below(of, name) + (name == "below"))
    assert "bad" in told("q1=0, q2=0, omega2=50").values()
    with pytest.raises(mstmm.UsageError, match="riccati takes no omega2"):
        document("double-pendulum", "omega2=50")


def test_numbers_are_the_programs(branch: Document) -> None:
    model = mstmm.load("branch-pendulum")
    state = state_of(model, MOVING)
    values = mstmm.derive(model).at(state.q, state.v)
    folds = {block.anchor: block for block in blocks(branch) if isinstance(block, Fold)}
    first = {}
    for anchor, fold in folds.items():
        if anchor.startswith("tips_to_root-"):
            for block in every_block(fold.blocks):
                if isinstance(block, Formula) and block.name == "IAh":
                    first[anchor.split("-")[1]] = block.numbers
    assert set(first) == {"1", "5", "7"}  # 3 is a rod like 1: it is listed
    for body, numbers in first.items():
        assert numbers.rows == Numbers.of(values[f"tips_to_root/IAh/{body}"]).rows
    assert "tips_to_root-others" in folds


def test_each_step_names_what_it_reads_and_its_code(branch: Document) -> None:
    fold = next(b for b in blocks(branch) if isinstance(b, Fold) and b.title.startswith("7: rigid"))
    inside = list(every_block(fold.blocks))
    tables = [block for block in inside if isinstance(block, Table)]
    links = [cell for table in tables for row in table.rows for cell in row[1:2]]
    assert any(getattr(link, "text", "") == "IAh of 5" for link in links)
    code = [block.text for block in inside if isinstance(block, Code)]
    assert code
    assert any("IA_I2" in block for block in code)


def test_alike_links_are_shown_once() -> None:
    """The last link's step is one of its own: nobody reads what its hinge would hand on."""
    found = document("rod-chain:n=40")
    titles = [block.title for block in blocks(found) if isinstance(block, Fold)]
    recursion = [title for title in titles if "rigid body with" in title]
    assert recursion == [
        "1: rigid body with no input, smooth hinge",
        "3: rigid body with one input, smooth hinge",
        "79: rigid body with one input, smooth hinge",
    ]
    assert len(html(found)) < 600_000


def test_every_entry_has_its_steps_and_its_result() -> None:
    """Each step once, with the entries that run it; a program's smaller entries in larger ones."""
    derived = mstmm.derive("double-pendulum", algorithm="hdca")
    state = state_of(derived.model, "q1=0.4, q2=-0.3, u1=2, u2=-1")
    found = derivation_document(derived, state)
    (tabs,) = (block for block in blocks(found) if isinstance(block, Tabs))
    words = ", ".join(words for _, words in tabs.tabs)
    program = derived.program()
    assert all(entry.name.replace("_", " ") in words for entry in program.entries)
    sections = {section.anchor: section for section in found.sections}
    names = [name for name, _ in tabs.tabs]
    for step in program.steps:
        of = [x.name for x in program.entries if x.name in names and step.name in x.steps]
        assert list(sections[f"step-{step.name}"].of) in (of, [] if of == names else of)
    energy = sections["result-energy"]
    (formula,) = energy.blocks
    values = derived.at(state.q, state.v)
    assert (energy.of, formula.numbers.rows) == (("energy",), Numbers.of(values["energy"]).rows)
    alone = derivation_document(derived, state, entry="energy")
    steps = {x.anchor for x in alone.sections if x.anchor.startswith("step-")}
    (entry,) = (x for x in program.entries if x.name == "energy")
    assert steps == {f"step-{name}" for name in entry.steps}
    with pytest.raises(mstmm.UsageError, match="has no entry 'work'; it has: velocities"):
        derivation_document(derived, state, entry="work")


def test_momenta_are_those_of_the_speeds() -> None:
    """Of the Hamiltonian method p, the speeds from p and its rate; a wrong rate is said."""
    at = "q1=0.4, q2=-0.3, u1=2, u2=-1"
    found = document("double-pendulum", at, "hdca")
    result = next(section for section in found.sections if section.anchor == "result")
    (table,) = (block for block in result.blocks if isinstance(block, Table))
    assert table.head == ("speed", "p", "q̇", "ṗ")
    assert [row[2].rows for row in table.rows] == [(("2",),), (("−1",),)]
    model = mstmm.load("double-pendulum")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    momenta = inverse.mass_matrix([0.4, -0.3]) @ [2.0, -1.0]
    assert [row[1].rows for row in table.rows] == [Numbers.of([[x]]).rows for x in momenta]
    good = [x.text for x in blocks(found) if isinstance(x, Prose) and x.kind == "good"]
    assert len([text for text in good if "momenta" in text or "M q̇" in text]) == 2


def test_the_papers_form_shows_the_split_of_each_matrix() -> None:
    """Of rod 5 as (37) prints it of rod 1, and what (24) and (29) make of it is what is carried."""
    found = document("branch-pendulum", MOVING, "riccati", form="paper")
    fold = next(x for x in blocks(found) if isinstance(x, Fold) and x.anchor == "split-5")
    shown = {x.name: x for x in fold.blocks if isinstance(x, Formula)}
    m, a, g, w, c, s = (sp.Symbol(x) for x in ("m", "a", "g", "w", "c", "s"))
    printed = {
        "T_11": [[1, -2 * a * s, 2 * a * c], [0, 1, 0], [0, 0, 1]],
        "T_12": [
            [m * a * s, -m * a * c, -2 * m * a**2 / 3],
            [-m, 0, m * a * s],
            [0, -m, -m * a * c],
        ],
        "T_21": sp.zeros(3).tolist(),
        "T_22": [[1, 0, -2 * a * s], [0, 1, 2 * a * c], [0, 0, 1]],
        "f_a": [[-m * a * g * c], [m * a * c * w**2], [m * a * s * w**2 - m * g]],
        "f_b": [[-2 * a * c * w**2], [-2 * a * s * w**2], [0]],
    }
    for name, rows in printed.items():
        value = sp.Matrix(shown[name].value)
        text = value.xreplace({x: sp.Symbol(str(x)) for x in value.free_symbols})
        theta = sp.Symbol("theta5")
        known = {sp.Symbol("omega5"): w, sp.cos(theta): c, sp.sin(theta): s}
        assert (text.subs(known) - sp.Matrix(rows)).expand().is_zero_matrix, name
    state = state_of(mstmm.load("branch-pendulum"), MOVING)
    values = mstmm.derive("branch-pendulum", form="paper").at(state.q, state.v)
    T = {
        name: np.array([[float(x.replace("−", "-")) for x in row] for row in each.numbers.rows])
        for name, each in shown.items()
    }
    S, e = values["S[5:I]"], values["e[5:I]"].ravel()
    carried = (T["T_11"] @ S + T["T_12"]) @ np.linalg.inv(T["T_21"] @ S + T["T_22"])
    np.testing.assert_allclose(values["S[5:O]"], carried, atol=1e-4)
    rest = T["T_11"] @ e + T["f_a"].ravel() - carried @ (T["T_21"] @ e + T["f_b"].ravel())
    np.testing.assert_allclose(values["e[5:O]"].ravel(), rest, atol=1e-4)


def listed(name: str, algorithm: str, **options) -> list[Listed]:
    (found,) = (
        x for x in blocks(document(name, None, algorithm, **options)) if isinstance(x, Listing)
    )
    return [*found.lines]


def test_the_algorithm_is_listed_as_the_program_goes() -> None:
    """Algorithm B of the Riccati paper; and up the assembly tree, then down it."""
    lines = listed("branch-pendulum", "riccati", form="paper")
    loops = {x.source: x.words for x in lines if x.depth == 0}
    assert loops["(A1)–(A3), from the tips"] == "for each body, from the tips to the root:"
    assert loops["(A4), or (B3) and (B4)"] == "at body 7:"
    assert loops["(33) towards the tips"] == "for each body, from the root to the tips:"
    assert loops["position of every hinge"] == "for each body, from the root to the tips:"
    inside = [x.text for x in lines if x.source != "position of every hinge"]
    at = inside.index("smooth hinge, paper form, completed (3):")
    assert inside[at + 3] == "S⁺ = N S P, N = [0, 0; 0, 𝟏]"
    lines = listed("four-bar", "dca")
    node = [x.text for x in lines if x.depth == 0 and "assembly tree" in x.text]
    up, down = (
        "node of the assembly tree, from the leaves up:",
        "node of the assembly tree, from the top down:",
    )
    assert node[:3] == [up, up, down]
    found = document("four-bar", None, "dca")
    (tree,) = (x.svg for x in blocks(found) if isinstance(x, Drawing) and "assembly" in x.words)
    assert all(f"node {k}: " in tree for k in (1, 2, 3))
    whole = text(found)
    assert "    for each node of the assembly tree, from the leaves up:" in whole
    assert max(len(x) for x in whole.splitlines() if "▷" in x) <= 80


def test_closed_matrices_are_those_of_another_algorithm() -> None:
    """M(q) as one formula at another state; C is what Christoffel's symbols make of the speeds."""
    at = "q1=0.4, q2=-0.3, u1=2, u2=-1"
    found = document("double-pendulum", at, "closed-form")
    formulas = {
        x.name: x.value
        for x in blocks(found)
        if isinstance(x, Formula) and x.name[:1] in ("M", "C", "Γ")
    }
    model = mstmm.load("double-pendulum")
    state = {"c_2": cos(0.6), "s_2": sin(0.6), "u1": 0.7, "u2": -1.3, **model.parameters}

    def at_state(matrix: sp.Matrix) -> np.ndarray:
        values = {symbol: state[str(symbol)] for symbol in matrix.free_symbols}
        return np.array(matrix.subs(values), dtype=float)

    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    np.testing.assert_allclose(at_state(formulas["M"]), inverse.mass_matrix([1.1, 0.6]), rtol=1e-14)
    made = 0.7 * at_state(formulas["Γ_1"]) - 1.3 * at_state(formulas["Γ_2"])
    np.testing.assert_allclose(at_state(formulas["C_christoffel"]), made, atol=1e-15)
    good = [x.text for x in blocks(found) if isinstance(x, Prose) and x.kind == "good"]
    assert [text.split(" ")[0] for text in good] == [
        "M",
        "C_christoffel",
        "C_printed",
        "C_skew",
        "The",
    ]


def test_four_representations_give_one_force() -> None:
    found = document(str(EXAMPLES / "arm.toml"), None, "rnea-mixed")
    section = next(x for x in found.sections if x.anchor == "representations")
    motion, wrench, needed = (x for x in section.blocks if isinstance(x, Table))
    assert [row[0] for row in motion.rows] == ["body", "spatial", "hybrid", "mixed"]
    assert len({row[3].rows for row in motion.rows}) > 2  # other components of the same motion
    (values,) = {row[3].rows for row in needed.rows}
    model = mstmm.load(str(EXAMPLES / "arm.toml"))
    force = mstmm.compile(model, algorithm="rnea-body", target="numpy").inverse_dynamics(
        model.q0, model.v0, np.ones(3)
    )
    assert values == Numbers.of([[force[1]]]).rows
    assert all("screw paper" in row[4] for row in wrench.rows[1:])


def test_other_formats_say_the_same(branch: Document) -> None:
    plain, tex = text(branch), latex(branch)
    assert max(map(len, plain.splitlines())) <= 130
    assert "IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0]" in plain
    for each in ("itemize", "longtable", "Verbatim", "document"):
        assert tex.count(rf"\begin{{{each}}}") == tex.count(rf"\end{{{each}}}") > 0
    whole = json.loads(notebook(replace(branch, code=("import mstmm",))))
    assert whole["nbformat"] == 4
    assert {cell["cell_type"] for cell in whole["cells"]} == {"markdown", "code"}
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])


def test_the_state_is_read_and_never_evaluated() -> None:
    model = mstmm.load("branch-pendulum")
    state = state_of(model, "theta1=pi/6, omega7=-2, g=1.62, t=3")
    assert state.q[0] == pytest.approx(np.pi / 6)
    assert (state.v[3], state.parameters["g"], state.t) == (-2, 1.62, 3)
    for wrong in ("theta1", "theta9=1", "theta1=__import__('os')", "theta1=1/0", "m=theta1"):
        with pytest.raises(mstmm.UsageError):
            state_of(model, wrong)


def test_loops_of_a_typed_state_are_closed() -> None:
    model = mstmm.load("four-bar")
    state = state_of(model, "qshaft=1.2, ushaft=3")
    values = mstmm.derive(model).at(state.q, state.v)
    assert state.q[0] == 1.2
    assert state.v[0] == 3
    assert np.abs(values["phi"]).max() < 1e-10
    assert "moving" in state.note


@pytest.mark.parametrize("name", ["branch-pendulum", "spatial-tree", "four-bar", "example-2"])
def test_dalembert_holds_and_notices_a_wrong_acceleration(name: str) -> None:
    model = mstmm.load(name)
    state = state_of(model)
    rng = np.random.default_rng(1)
    v = np.array(state.v) if model.cuts else rng.normal(size=len(model.speeds))
    derived = mstmm.derive(model)
    a = np.ravel(derived.at(state.q, v)["accelerations"])

    def judged(a: np.ndarray) -> virtual.Judgement:
        return virtual.judge(
            model, derived.program(), state.q, v, a.tolist(), parameters=model.parameters
        )

    assert judged(a).ok
    assert not judged(a * (1 + 1e-5) + 1e-5).ok


def test_every_letter_of_the_riccati_page_has_a_meaning(branch: Document) -> None:
    table = next(
        block.blocks[0] for block in blocks(branch) if getattr(block, "anchor", "") == "meanings"
    )
    meanings = {row[1].text: row[2] for row in table.rows}
    assert all(meanings.values())
    assert meanings["IA"] == "inertia of a body and all that hangs on it: λ = IA a + pA"


def test_a_law_that_names_coordinates_is_judged(tmp_path: Path) -> None:
    """The judge of the page knows what a law calls by name: it ended in a traceback."""
    file = tmp_path / "own.toml"
    file.write_text(
        'name = "own"\ndimension = 2\ngravity = [0, -9.81]\n'
        "[bodies.rod]\nmass = 1.2\ninertia = 0.1\ncentre = [0, -0.25]\npoints.top = {}\n"
        '[hinges.pivot]\nkind = "pin"\nparent = "ground"\nchild = "rod:top"\n'
        'force = "-3*qpivot - 0.1*upivot"\n'
    )
    model = mstmm.load(str(file))
    page = text(
        derivation_document(mstmm.derive(model), state_of(model, "qpivot=0.4, upivot=-0.5"), "")
    )
    row = next(x for x in page.splitlines() if re.match(r"upivot +[−0-9.]+ +[−0-9.]+ +−1.15 ", x))
    assert abs(float(row.split()[-1].replace("−", "-"))) < 1e-12


def test_a_law_that_reads_a_sensor_is_judged(tmp_path: Path) -> None:
    """What a sensor measures is known to the judge when it asks what a hinge's law exerts."""
    file = tmp_path / "watched.toml"
    file.write_text(
        'name = "watched"\ndimension = 2\ngravity = [0, -9.81]\n'
        "[bodies.rod]\nmass = 1.2\ninertia = 0.1\ncentre = [0, -0.25]\npoints.top = {}\n"
        "points.tip = {position = [0, -0.5]}\n"
        '[hinges.pivot]\nkind = "pin"\nparent = "ground"\nchild = "rod:top"\n'
        'force = "-3*height - height_rate"\n'
        '[sensors.height]\non = "rod:tip"\nalong = [0, 1]\n'
    )
    model = mstmm.load(str(file))
    state = state_of(model, "qpivot=0.4, upivot=-0.5")
    page = text(derivation_document(mstmm.derive(model), state, ""))
    height, rate = -0.5 * np.cos(0.4), 0.5 * np.sin(0.4) * -0.5
    force = f"{-3 * height - rate:.5g}"
    assert re.search(rf"^upivot +\S+ +\S+ +{force}\d* ", page, re.MULTILINE)
    assert "It holds" in page


def test_a_law_in_a_cut_hinge_is_judged() -> None:
    """D'Alembert's principle holds with the spring of the cut hinge, and fails with another."""
    model = mstmm.load("four-bar")
    (cut,) = model.cuts

    def sprung(stiffness: float) -> mstmm.Model:
        law = -stiffness * hinge_symbol("q", 1) - 0.2 * hinge_symbol("u", 1)
        hinges = [replace(h, force=(law,)) if h.name == cut else h for h in model.hinges]
        return replace(model, hinges=tuple(hinges))

    state = state_of(model)
    derived = mstmm.derive(sprung(3.0))
    a = np.ravel(derived.at(state.q, state.v)["accelerations"]).tolist()
    for stiffness, holds in ((3.0, True), (3.1, False)):
        own = mstmm.derive(sprung(stiffness))
        judged = virtual.judge(
            own.model, own.program(), state.q, state.v, a, parameters=model.parameters
        )
        assert judged.ok == holds


def test_slides_show_every_formula_and_keep_code_for_the_presenter(branch: Document) -> None:
    page = slides(branch)
    parts = page.split('<section class="slide">')[1:]
    shown = "".join(part.split('<div class="notes">')[0] for part in parts)
    formulas = [x for x in blocks(branch) if isinstance(x, Formula)]
    assert len(formulas) > 40
    assert shown.count('class="statement"') == len(formulas)
    assert "w-&gt;" not in shown
    assert page.count('class="code"') == sum(isinstance(x, Code) for x in blocks(branch))
    assert all(part.count('class="statement"') < 14 for part in parts)
    assert all(part.count("<tr>") <= 18 and part.count("<li class=") <= 18 for part in parts)
    assert page.count("<li class=") > 60  # the algorithm, on several
    assert shown.count('<th scope="col">letter</th>') > 1
