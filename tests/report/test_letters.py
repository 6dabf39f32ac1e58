"""The table of letters on derivation pages: each has one meaning, and it is that of the place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from shown_kernels import MODELS as MODELS_OF_KERNELS
from shown_kernels import kernels

import mstmm
from mstmm.errors import MstmmError
from mstmm.report import legend
from mstmm.report.chapters.entries import entry_of
from mstmm.report.derivation import derivation_document
from mstmm.report.documents.document import Cell, Fold, Formula, Letters, Typed, every_block
from mstmm.report.documents.plain import text
from mstmm.report.state import state_of
from mstmm.runtime.derived import Derived
from mstmm.symbolic.derivation.reading import Reading
from mstmm.symbolic.language.program import Call, Kernel, Step
from mstmm.symbolic.language.written import SIGNS, Equation, names_in
from mstmm.symbolic.mechanics.letters import LETTERS

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

LAW = """
force = "-stiff*(q1 - ufirst) + sin(t)"
[parameters]
stiff = 3.0
"""

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
mimic = { hinge = "first", ratio = 2, own = true }
"""


def derived_by(name: str, algorithm: str) -> Derived | None:
    """The derivation of a model, if the algorithm takes it."""
    method, options = algorithm.partition(",")[0], ALGORITHMS[algorithm]
    try:
        derived = mstmm.derive(mstmm.load(name), algorithm=method, **options)
        derived.program()
    except MstmmError:
        return None
    return derived


def calls(derived: Derived | None) -> Iterator[tuple[Reading, Step, Call]]:
    """What the steps of a page call."""
    if derived is None:
        return
    for step in map(derived.program().step, entry_of(derived).steps):
        for call in step.single_calls():
            yield derived.reading, step, call


def told_of(name: str, algorithm: str) -> list[legend.Told]:
    """Every letter that the steps of a page state or read."""
    return [each for call in calls(derived_by(name, algorithm)) for each in legend.told(*call)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_every_letter_has_one_meaning(name: str, algorithm: str) -> None:
    told = told_of(name, algorithm)
    assert not [x for x in told if not x.meaning]
    rows = [tuple(map(cell, row)) for row in legend.table(told).rows]
    assert len({*rows}) == len(rows)
    letters = [row[0] for row in rows]
    assert all("(in: " in meaning for letter, _, meaning in rows if letters.count(letter) > 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_no_letter_of_an_equation_is_without_a_meaning(name: str, algorithm: str) -> None:
    """Each has a row in the legend, or is stated in the same place as a step on the way."""
    for reading, step, call in calls(derived_by(name, algorithm)):
        told = {x.name for x in legend.told(reading, step, call)}
        stated = {x.port.name for x in call.kernel.statements}
        for statement in call.kernel.statements:
            equation = statement.equation
            if isinstance(equation, Equation):
                names = {*names_in(equation.tree)} - equation.where.keys() - SIGNS.keys() - {"pi"}
                whole = call.kernel.whole or call.kernel
                on_the_way = stated | {x.port.name for x in whole.statements}
                missing = {bare(x, whole) for x in names} - told - on_the_way
                assert not missing, (call.kernel.title, equation.text)


def bare(name: str, kernel: Kernel) -> str:
    """The port that a name in an equation is, or is an entry of."""
    ports = (*kernel.inputs, *(x.port for x in kernel.statements))
    entries = {port.entry_name(*at): port.name for port in ports for at in port.entries}
    return entries.get(name, name)


@pytest.mark.parametrize("model", MODELS_OF_KERNELS, ids=str)
def test_what_a_kernel_gives_is_in_its_table(model: str | int) -> None:
    assert kernels(model)
    for kernel in kernels(model):
        assert not [x.name for x in kernel.outputs if x.name not in kernel.letters], kernel.title


def cell(x: Cell) -> str:
    return x.name if isinstance(x, Letters) else x.text if isinstance(x, Typed) else str(x)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_a_meaning_fits_its_shape(name: str, algorithm: str) -> None:
    """An angle, a mass, a distance is one number; a position has as many as there are axes."""
    derived = derived_by(name, algorithm)
    for reading, step, call in calls(derived):
        d = derived.model.dimension
        shapes = {
            r"^(co)?sine |^angle |^coordinate|^speed|^time|^mass$|^distance|^tension": {(1, 1)},
            r"^position of|^velocity of|^cutting force of": {(d, 1)},
            r"^direction cosines: |^rotation of": {(d, d)},
            r"^angular velocity": {(1, 1), (3, 1)},
        }
        kernel = call.kernel
        ports = {x.name: x for x in (*kernel.inputs, *(y.port for y in kernel.statements))}
        for told in legend.told(reading, step, call):
            port = ports[told.name]
            for words, expected in shapes.items():
                if re.search(words, told.meaning):
                    assert (port.rows, port.cols) in expected, told


def test_what_a_rule_means_by_a_letter_is_that_rules() -> None:
    """k of an eliminated hinge is no stiffness, and T of one no inertia."""
    told = {x.name: x for x in told_of(str(EXAMPLES / "arm.toml"), "riccati")}
    assert (told["k1"].letter, told["k1"].meaning[:28]) == ("k", "rates of the hinge's speeds ")
    assert told["R"].meaning == "rotation of a hinge: from the child's axes to the hinge's"
    told = {x.name: x for x in told_of("cart-pole", "overall")}
    assert told["gs"].letter == "γ_s"
    assert told["gs"].meaning == "the output's acceleration that speeds in the hinge alone give"


def test_what_a_law_calls_by_name_is_told_by_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "law.toml"
    file.write_text(COUPLED.replace('mimic = { hinge = "first", ratio = 2, own = true }', LAW))
    told = {x.name: x.meaning for x in told_of(str(file), "riccati")}
    found = {name: told[name] for name in ("q1", "ufirst", "t", "stiff")}
    assert found == {
        "q1": "coordinate", "ufirst": "speed", "t": "time, s",
        "stiff": "parameter of the model",
    }  # fmt: skip


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


def test_quantities_of_bodies_and_motions_say_their_units() -> None:
    """Those of a link's data and of its motion; what has components of several kinds has none."""
    unit = re.compile(r", (kg|m|s|N|J|rad)[\w²/ ]*$")
    own = "m h J Sg rC JC r rk p x o ob w vl vP vC vr wr br bw aP g t E V fl"
    assert [name for name in own.split() if not unit.search(LETTERS[name].words)] == []


@pytest.mark.parametrize("name", ["double-pendulum", "spatial-tree"])
def test_what_letters_of_the_recursion_mean_is_what_their_numbers_are(name: str) -> None:
    """Where links are, by poses; how they move, by differences of these along a motion in time."""
    derived, solver = mstmm.derive(name), mstmm.compile(name, target="numpy")
    model, h = derived.model, 1e-3
    v = np.random.default_rng(5).uniform(-1, 1, len(model.speeds))
    run = solver.simulate(model.q0, v, t_end=4 * h, dt=h, method="rk4")
    poses = np.array([solver.poses(q) for q in run.q])
    states = [derived.at(q, u) for q, u in zip(run.q, run.v, strict=True)]
    d, gravity = model.dimension, np.array([model.value(x) for x in model.gravity])
    once = np.array([1, -8, 0, 8, -1]) / (12 * h)
    twice = np.array([-1, 16, -30, 16, -1]) / (12 * h**2)
    for body, pose in zip(model.body_names, poses.swapaxes(0, 1), strict=True):
        A, r = (np.array([x[f"places/{k}/{body}"] for x in states]) for k in "Ax")
        r = r.reshape(5, d)
        from_link = A.swapaxes(1, 2) @ (pose[:, :d, 3:] - r[..., None])
        for own in (pose[:, :d, :d].swapaxes(1, 2) @ A, from_link):
            np.testing.assert_allclose(own, own[[0] * 5], atol=1e-12)  # fixed in the body
        turning = A[2].T @ np.tensordot(once, A, 1)
        spin = [turning[1, 0]] if d == 2 else [turning[2, 1], turning[0, 2], turning[1, 0]]
        np.testing.assert_allclose(states[2][f"spins/w/{body}"].ravel(), spin, atol=1e-8)
        falling, acc = A[2].T @ (twice @ r - gravity), states[2][f"outward/acc/{body}"].ravel()
        np.testing.assert_allclose(acc[:d], falling, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["double-pendulum", "spatial-tree"])
def test_what_wrenches_of_the_recursion_mean_is_what_their_numbers_are(name: str) -> None:
    """Loads are what all outboard takes, by differences of poses; IA, pA, IAh, k what they say."""
    derived, solver = mstmm.derive(name), mstmm.compile(name, target="numpy")
    model, h = derived.model, 1e-3
    v = np.random.default_rng(6).uniform(-1, 1, len(model.speeds))
    run = solver.simulate(model.q0, v, t_end=4 * h, dt=h, method="rk4")
    poses = np.array([solver.poses(q) for q in run.q])
    values, d = derived.at(run.q[2], run.v[2]), model.dimension
    gravity = np.array([model.value(x) for x in model.gravity])
    twice = np.array([-1, 16, -30, 16, -1]) / (12 * h**2)
    demand = {}
    for k, body in enumerate(model.bodies):
        centre = np.array([model.value(x) for x in body.centre])
        moved = poses[:, k, :d, :d] @ centre + poses[:, k, :d, -1]
        demand[body.name] = model.value(body.mass) * (np.tensordot(twice, moved, 1) - gravity)

    def outboard(name: str) -> np.ndarray:
        return demand[name] + sum(map(outboard, derived.plan.link(name).children))

    ends = derived.program().sets[derived.program().arrays["loads"].index_set]
    for link in derived.plan.links:
        q = values["loads"][ends.index(f"{link.name}:{link.output}"), 3 : 3 + d]
        np.testing.assert_allclose(q, -outboard(link.name), rtol=1e-5, atol=1e-5)
        part = {x: values[f"inward/{x}/{link.name}"] for x in ("IA", "pA", "IAh", "pAh", "gam")}
        acc, a0 = (values[f"outward/{x}/{link.name}"] for x in ("acc", "a0"))
        before, behind = part["IA"] @ acc + part["pA"], part["IAh"] @ a0 + part["pAh"]
        np.testing.assert_allclose(before, behind, rtol=1e-10, atol=1e-10)  # both are λ
        A = values[f"places/A/{link.name}"]
        np.testing.assert_allclose(-A @ before[:d], q, rtol=1e-8, atol=1e-8)
        freedoms = [x for x in values if re.fullmatch(rf"inward/k\d/{link.name}", x)]
        if freedoms:
            (k,) = freedoms
            rates = np.ravel(values[k]) - np.atleast_2d(values[k.replace("/k", "/G")]) @ a0
            hinge = next(x for x in model.hinges if x.name == link.hinge)
            places = map(model.speeds.index, model.hinge_speeds(hinge))
            found = [values["accelerations"][place] for place in places]
            np.testing.assert_allclose(rates, found, rtol=1e-10, atol=1e-10)
