"""The table of letters on derivation pages: each has one meaning, and it is that of the place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import mstmm
from mstmm.errors import MstmmError
from mstmm.report import legend, letters
from mstmm.report.derivation import derivation_document, entry_of
from mstmm.report.documents.document import Fold, Formula, every_block
from mstmm.report.documents.plain import text
from mstmm.report.state import state_of
from mstmm.symbolic.language.program import Ref

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = (
    "branch-pendulum", "four-bar", "slider-crank", "cart-pole", "spatial-tree", "example-1",
    "example-2", "hdca-case-1", "ball-chain:n=2",
    *(str(EXAMPLES / f"{name}.toml") for name in ("arm", "beam", "crank", "cart_pole")),
)  # fmt: skip
ALGORITHMS: Mapping[str, dict[str, str]] = {
    "riccati": {}, "riccati, paper": {"form": "paper"}, "overall": {}, "dca": {}, "rnea-body": {},
    "rnea-hybrid": {}, "jacobians": {},
}  # fmt: skip

COUPLED = """
name = "coupled"
dimension = 2
gravity = [0, -9.81]
[bodies.a]
mass = 1.0
inertia = 0.1
centre = [0, -0.25]
points.top = {}
[bodies.b]
mass = 1.2
inertia = 0.2
centre = [0, -0.3]
points.top = {}
[hinges.first]
kind = "pin"
parent = "ground"
child = "a:top"
[hinges.second]
kind = "pin"
parent = "ground"
child = "b:top"
mimic = { hinge = "first", ratio = 2 }
"""


def told_of(name: str, algorithm: str) -> Iterator[legend.Told]:
    """Every letter that the steps of a page state or read."""
    method, options = algorithm.partition(",")[0], ALGORITHMS[algorithm]
    try:
        derived = mstmm.derive(mstmm.load(name), algorithm=method, **options)
        program = derived.program()
    except MstmmError:
        return
    for step in map(program.step, entry_of(derived).steps):
        for call in step.single_calls():
            kernel = call.kernel
            for each in kernel.statements:
                if not legend.is_working(each.port.name, kernel):
                    yield legend.stated(each, kernel)
            for port in kernel.inputs:
                if isinstance(call.reads[port.name], Ref):
                    yield legend.taken(port.name, derived.reading, step, call)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_every_letter_has_one_meaning(name: str, algorithm: str) -> None:
    told = [*told_of(name, algorithm)]
    assert not [x for x in told if not x.meaning or x.meaning.startswith("given by")]
    rows = legend.meanings(told)
    assert len({*rows}) == len(rows)
    names = [row[0] for row in rows]
    assert all("(in: " in meaning for letter, meaning in rows if names.count(letter) > 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_a_meaning_fits_its_shape(name: str, algorithm: str) -> None:
    """An angle, a mass, a distance is one number; a position has as many as there are axes."""
    method, options = algorithm.partition(",")[0], ALGORITHMS[algorithm]
    try:
        derived = mstmm.derive(mstmm.load(name), algorithm=method, **options)
        program = derived.program()
    except MstmmError:
        return
    d = derived.model.dimension
    shapes = {
        r"^(co)?sine |^angle |^coordinate|^speed|^time|^distance|^tension": {(1, 1)},
        r"^position of|^velocity of|^cutting force of": {(d, 1)},
        r"^direction cosines: |^rotation of": {(d, d)},
        r"^angular velocity": {(1, 1), (3, 1)},
    }
    for step in map(program.step, entry_of(derived).steps):
        for call in step.single_calls():
            for each in call.kernel.statements:
                told = legend.stated(each, call.kernel)
                for words, expected in shapes.items():
                    if re.search(words, told.meaning):
                        assert (each.port.rows, each.port.cols) in expected, told


def test_no_meaning_is_two() -> None:
    """What a letter means elsewhere is asked there: no entry offers a choice."""
    words = [
        y for x in letters.MEANINGS.values() for y in ([x] if isinstance(x, str) else x.values())
    ]
    assert not [x for x in words if re.search(r",? or (?!outside)", x)]


def test_what_a_rule_means_by_a_letter_is_that_rules() -> None:
    """k of an eliminated hinge is no stiffness, and T of one no inertia."""
    told = {x.name: x.meaning for x in told_of(str(EXAMPLES / "arm.toml"), "riccati")}
    assert told["k1"].startswith("rates of the hinge's speeds")
    assert told["R"] == "rotation of a hinge: from the child's axes to the hinge's"
    told = {x.name: x.meaning for x in told_of("cart-pole", "overall")}
    assert told["gs"] == "the output's acceleration that speeds in the hinge alone give"


def test_a_coupling_alone_closes_no_loop(tmp_path: Path) -> None:
    file = tmp_path / "coupled.toml"
    file.write_text(COUPLED)
    model = mstmm.load(str(file))
    page = text(derivation_document(mstmm.derive(model), state_of(model, "qfirst=0.2"), ""))
    assert "The couplings are kept with" in page
    assert "along each motion that keeps the couplings" in " ".join(page.split())
    assert not re.search("loops? (is|are|stay)|loops closed", page)


def test_a_body_in_the_plane_is_balanced_in_the_plane() -> None:
    model = mstmm.load("cart-pole")
    document = derivation_document(mstmm.derive(model), state_of(model), "")
    folds = [x for each in document.sections for x in every_block(each.blocks)]
    (fold,) = (x for x in folds if isinstance(x, Fold) and x.anchor == "balance")
    formulas = [x.value for x in fold.blocks if isinstance(x, Formula)]
    assert [x.rows for x in formulas] == [2, 1, 2, 1]
    out = {"Omega_x", "Omega_y", "f_z", "c_z", "o_z", "J_13", "J_23", "mI_x", "qI_z", "ddrO_z"}
    assert not [x for x in formulas if out & {str(s) for s in x.free_symbols}]
