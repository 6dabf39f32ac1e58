"""The overall transfer equation as text, LaTeX, JSON and page, and the command that shows it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random
from xml.etree import ElementTree

import loop_models
import pytest
import random_models
from commands import answer, run
from coupled_models import with_couplings, with_rotors
from places import EXAMPLES

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Base, Model
from mstmm.model.expressions.quantities import TIME
from mstmm.report.documents.formats import WRITERS
from mstmm.report.documents.plain import WIDTH
from mstmm.report.overall import overall_document
from mstmm.report.overallgrid import as_object
from mstmm.symbolic.plans.deduction import OverallEquation, deduce

CHAIN = mstmm.load("rod-chain:n=4000")


def written(equation: OverallEquation, form: str = "text") -> str:
    return WRITERS[form](overall_document(equation))


def systems() -> list[Model]:
    found = [random_models.joint_tree(Random(seed), 2 + seed % 2, None, 12) for seed in range(8)]
    found += [loop_models.loop_model(Random(seed), 2, 6, 2)[0] for seed in range(4)]
    return [*found, loop_models.four_bar(), mstmm.load("branch-system")]


def test_text_of_the_demonstration_example() -> None:
    text = answer("derive", "branch-pendulum", "--overall")
    for part in (
        """
  U_all = [ -I  U_7,I1 U_2 U_1  U_7,I2 U_6 U_5 U_4 U_3  ]  main
          [ O   H_7,I1 U_2 U_1  -H_7,I2 U_6 U_5 U_4 U_3 ]  body 7, I2
  times [ z_7,0; z_1,0; z_3,0 ] = 0

And the rows of the hinges (own: what drives their open accelerations):
  G_all = [ O  O            G_6 U_6 U_5 U_4 U_3 ]  hinge 6
          [ O  O            G_4 U_4 U_3         ]  hinge 4
          [ O  G_2 U_2 U_1  O                   ]  hinge 2
  times [ z_7,0; z_1,0; z_3,0 ] = 0
""",
        """
z_7,0  root  pinned at 7:O  r̈ = 0, m = 0
z_1,0  tip   free at 1:I    m = 0, q = 0
z_3,0  tip   free at 3:I    m = 0, q = 0

- 12 unknowns: 9 states of boundary ends, 3 relative accelerations in hinges
- 12 equations: 6 main rows, 3 geometric rows, 3 hinge rows
""",
    ):
        assert part in text
    assert len(text.splitlines()) < 60


def test_text_keeps_to_its_width_and_is_short() -> None:
    for made in [*systems(), CHAIN]:
        text = written(deduce(made))
        assert max(map(len, text.splitlines())) <= WIDTH
        assert len(text.splitlines()) < 700


def test_products_that_are_too_long_get_one_name_each() -> None:
    text = written(deduce(loop_models.loop_model(Random(0), 2, 6, 2)[0]))
    names = [line.split(" = ")[0] for line in text.splitlines() if re.match(" *P\\d+ =", line)]
    assert names
    assert len(set(names)) == len(names)


def test_a_long_chain_is_abbreviated() -> None:
    equation = deduce(CHAIN)
    text = written(equation)
    assert "U_7999 U_7998 … U_2 U_1" in text
    assert "4005 unknowns" in text
    assert len(written(equation, "latex")) < 30_000
    assert len(written(equation, "html")) < 250_000
    assert len(json.dumps(as_object(equation))) < 3_000_000


def test_latex() -> None:
    latex = answer("derive", "branch-pendulum", "--overall", "--format", "latex")
    assert r"-\mathbf{I} & \mathbf{U}_{7,{I}_{1}} \mathbf{U}_{2} \mathbf{U}_{1} & " in latex
    assert r"\mathbf{O} & \mathbf{H}_{7,{I}_{1}} \mathbf{U}_{2} \mathbf{U}_{1} & -" in latex
    for made in systems():
        shown = written(deduce(made), "latex")
        assert shown.count("{") == shown.count("}")
        assert shown.count(r"\begin{bmatrix}") == shown.count(r"\end{bmatrix}")


def test_names_with_an_o_stay_whole_in_latex() -> None:
    made = mstmm.load(str(EXAMPLES / "fourbar.toml"))
    assert r"\mathit{crank}" in written(deduce(made), "latex")
    bodies = tuple(replace(b, name=f"O{b.name}") for b in loop_models.four_bar().bodies)
    hinges = tuple(
        replace(
            h,
            ends=tuple(replace(e, body=e.body if e.body == "0" else f"O{e.body}") for e in h.ends),
        )
        for h in loop_models.four_bar().hinges
    )
    renamed = replace(loop_models.four_bar(), bodies=bodies, hinges=hinges, cuts=(), q0=(), v0=())
    assert r"\mathbf{U}_{\mathit{O2}}" in written(deduce(renamed), "latex")


def test_json_says_the_same() -> None:
    shown = json.loads(answer("derive", "branch-pendulum", "--overall", "--json"))
    assert shown["form"] == "tree"
    assert shown["overall"]["columns"] == ["z_7,0", "z_1,0", "z_3,0"]
    assert [row["blocks"] for row in shown["overall"]["rows"]] == [
        ["-I", "U_7,I1 U_2 U_1", "U_7,I2 U_6 U_5 U_4 U_3"],
        ["O", "H_7,I1 U_2 U_1", "-H_7,I2 U_6 U_5 U_4 U_3"],
    ]
    assert sum(shown["unknowns"].values()) == sum(shown["equations"].values()) == 12
    labels = [element["label"] for element in shown["elements"]]
    assert labels == ["1", "2", "3", "4", "5", "6", "7"]
    assert shown["elements"][1]["feeds"] == ["7", 1]


@pytest.mark.parametrize("number", range(14))
def test_pages_are_well_formed_and_stay_the_same(number: int) -> None:
    made = systems()[number]
    text = written(deduce(made), "html")
    assert text == written(deduce(made), "html")
    body = text[text.index("<main") : text.index("</main>") + 7]
    root = ElementTree.fromstring(body)
    formulas = root.findall(".//math")
    assert len(formulas) > 8
    assert all(name not in text for name in ("None", "Symbol(", "noncomm"))


def test_command_writes_the_page() -> None:
    text = answer("derive", str(EXAMPLES / "fourbar.toml"), "--overall", "--format", "html")
    assert text.startswith("<!DOCTYPE html>")
    assert "fourbar" in text


def test_command_writes_a_notebook() -> None:
    made = json.loads(answer("derive", "branch-pendulum", "--overall", "--format", "notebook"))
    text = "".join(line for cell in made["cells"] for line in cell["source"])
    assert r"\mathbf{U}_{7,{I}_{1}}" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--symbol", "S", "--format", "notebook"), "notebook is of a whole derivation, --overall"),
        (("--overall", "--symbol", "U"), "--overall shows one equation"),
        (("--overall", "--format", "pdf"), "there is no format 'pdf'"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], said: str) -> None:
    result = run("derive", "branch-pendulum", *arguments)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("ross-rotor", "body disc_one spins about its axis, of which --overall shows no matrices"),
        ("spatial-frame", "beam beam1 is a beam in space, of which --overall shows no matrices"),
    ],
)
def test_what_has_no_matrices_is_refused(model: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        written(deduce(mstmm.load(model)))


def test_a_moving_base_couplings_and_rotors_are_shown() -> None:
    """What the ground does at the ends, and the rows, loads and inertias of geared hinges."""
    rng = Random(2)
    tree = random_models.joint_tree(rng, 2, ("pin", "prismatic"), 4)
    model = with_couplings(rng, with_rotors(rng, tree), 2)
    still = deduce(model)
    moving = deduce(replace(model, base=Base((TIME**2, TIME), (TIME**2,))))
    assert "r̈ = 0" in written(still)
    assert "r̈ = r̈_g, Ω̇ = Ω̇_g" in written(moving)
    assert "r̈ = 0" not in written(moving)
    names = [hinge.name for hinge in model.hinges if hinge.mimic]
    assert len(names) == 2
    assert written(still).count("K_") >= 2
    assert written(still, "latex").count(r"\mathbf{K}_") >= 2
    assert "2 coupling rows" in written(still)
    assert "2 loads of couplings" in " ".join(written(still).split())
    found = as_object(still)
    elements = still.transfer.elements
    labels = {e.label for e in elements if e.name in names and not e.is_body}
    assert {row["of"] for row in found["couplings"]["rows"]} == labels
    page_ = written(moving, "html")
    for part in ("row of a coupling", "its rotor’s inertia", "coupled hinge"):
        assert part in page_, part
