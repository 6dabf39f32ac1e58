"""Model files: what they say, and that they come back as they were."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import loop_models
import numpy as np
import pytest
import sympy as sp
from counting import python_calls
from file_texts import ARM, LOOP, PENDULUM, assert_round_trip, changed
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import joint_trees, trees

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import MODELS, End, Force, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.files import toml
from mstmm.model.files.toml import from_text, to_text
from mstmm.model.parts.hinge_kinds import HINGE_KINDS


def test_a_file_by_hand() -> None:
    model = from_text(PENDULUM)
    assert (model.name, model.dimension, model.absolute) == ("pendulum", 2, False)
    assert model.gravity == (0, -parameter("g"))
    rod = model.body("rod")
    assert (rod.mass, rod.inertia, rod.centre) == (1.5, 0.25, (0.5, 0))
    assert rod.points[0].position == (0, 0)
    assert [str(end) for end in model.hinges[0].ends] == ["0:O", "rod:top"]
    assert (model.q0, model.v0) == ((0.0,), (0.0,))


def test_inertia_in_six_numbers() -> None:
    assert from_text(ARM).body("link").inertia == ((0.1, 0, 0.01), (0, 0.2, 0), (0.01, 0, 0.25))


def test_roll_pitch_yaw() -> None:
    text = changed(ARM, "points.foot]", "points.foot]\nrpy = [0.3, -0.5, 1.1]")
    axes = from_text(text).body("link").points[0].axes
    (cr, sr), (cp, sp_), (cy, sy) = ((math.cos(x), math.sin(x)) for x in (0.3, -0.5, 1.1))
    roll = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    pitch = np.array([[cp, 0, sp_], [0, 1, 0], [-sp_, 0, cp]])
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    assert np.array(axes, dtype=float) == pytest.approx(yaw @ pitch @ roll, abs=1e-15)


def test_quarter_turns_are_exact() -> None:
    text = changed(ARM, "points.foot]", 'points.foot]\nrpy = ["pi/2", 0, 0]')
    assert from_text(text).body("link").points[0].axes == ((1, 0, 0), (0, 0, -1), (0, 1, 0))


def test_springs_store_energy_and_dampers_and_friction_add_to_the_force() -> None:
    hinge = from_text(
        ARM
        + 'force = ["sin(t)", "u1*q2"]\n'
        + "spring = { stiffness = [4, 5], rest = 0.5 }\n"
        + "damper = { damping = 3 }\n"
        + "friction = { coulomb = [0, 2], viscous = 0.25, velocity = 0.125 }\n"
    ).hinges[0]
    q1, q2, u1, u2 = (hinge_symbol(*x) for x in (("q", 1), ("q", 2), ("u", 1), ("u", 2)))
    half, quarter = sp.Float(0.5), sp.Float(0.25)
    expected = (
        sp.sin(TIME) - 3 * u1 - quarter * u1,
        u1 * q2 - 3 * u2 - 2 * sp.tanh(8 * u2) - quarter * u2,
    )
    assert len(hinge.force) == 2
    stored = 2 * (q1 - half) ** 2 + sp.Rational(5, 2) * (q2 - half) ** 2
    laws = (*hinge.force, hinge.potential)
    for found, right in zip(laws, (*expected, stored), strict=True):
        values = {q1: 0.3, q2: -0.7, u1: 0.9, u2: 0.2, TIME: 1.3}
        difference = sp.sympify(found).subs(values) - right.subs(values)
        assert abs(float(difference)) < 1e-14


def test_start_by_hinge() -> None:
    text = PENDULUM + '[start.positions]\npivot = "pi/6"\n[start.speeds]\npivot = "2*g"\n'
    assert from_text(text).q0 == (pytest.approx(math.pi / 6, abs=1e-15),)
    assert from_text(text).v0 == (19.62,)


def test_start_by_body() -> None:
    text = changed(PENDULUM, "dimension = 2", 'dimension = 2\ncoordinates = "absolute"')
    model = from_text(text + "[start.positions]\nrod = 0.25\n")
    assert model.absolute
    assert model.q0 == (0.25,)


def test_motion() -> None:
    model = from_text(PENDULUM + 'motion = "0.5*t**2"\n')
    assert model.hinges[0].motion == (sp.Float(0.5) * TIME**2,)
    assert model.coordinates == ()


def test_a_loop_by_hand() -> None:
    model = from_text(LOOP)
    assert model.ground == (Point("right", (parameter("d"), 0), sp.pi / 3),)
    assert model.hinges[2].ends == (End("0", "right"), End("b", "e"))
    assert (model.cuts, model.q0) == (("C",), (0.5, 0.0))
    assert from_text(changed(LOOP, "ground:right", "0:right")) == model


def test_cuts_in_a_file() -> None:
    text = 'cuts = ["B"]' + LOOP
    model = from_text(text)
    assert model.cuts == ("B",)
    assert model.coordinates == ("qA", "qC_1", "qC_2")
    assert 'cuts = ["B"]' in to_text(model)
    assert "cuts" not in to_text(from_text(LOOP))
    assert from_text('cuts = ["C"]' + LOOP) == from_text(LOOP)


def test_axes_of_the_ground_in_space() -> None:
    text = changed(ARM, '"ground"', '"ground:wall"')
    text += '[ground.points.wall]\nposition = [1, 2, 3]\nrpy = ["pi/2", 0, 0]\n'
    wall = from_text(text).ground_point("wall")
    assert wall.position == (1, 2, 3)
    assert wall.axes == ((1, 0, 0), (0, 0, -1), (0, 1, 0))


@pytest.mark.parametrize("name", MODELS)
def test_ready_made_models_come_back(name: str) -> None:
    assert_round_trip(mstmm.load(name))


@given(trees())
@settings(max_examples=40, deadline=None)
def test_random_trees_come_back(model: Model) -> None:
    assert_round_trip(model)


def with_laws(rng: Random, model: Model) -> Model:
    """The model with force laws and motions, drawn at random."""
    hinges = []
    for hinge in model.hinges:
        record = HINGE_KINDS[model.dimension][hinge.kind]
        coordinates, speeds = record.coordinates, record.speeds
        k, c = parameter("m") * rng.randint(1, 9) / 7, rng.uniform(0.1, 2)
        laws = (
            -k * hinge_symbol("u", 1) + sp.tanh(hinge_symbol("u", 1) / c),
            sp.Float(c) * sp.sin(3 * TIME) / k**2,
            rng.uniform(-1, 1),
        )
        choice = rng.random()
        if choice < 0.4:
            hinge = replace(hinge, force=tuple(rng.choice(laws) for _ in range(speeds)))
        elif choice < 0.6 and coordinates == speeds and hinge.kind != "elastic":
            hinge = replace(hinge, motion=tuple(rng.choice(laws[1:]) for _ in range(speeds)))
        hinges.append(hinge)
    return replace(model, hinges=tuple(hinges), q0=(), v0=())


@given(st.one_of(joint_trees(2), joint_trees(3)), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_random_joint_trees_come_back(model: Model, rng: Random) -> None:
    assert_round_trip(model)
    assert_round_trip(with_laws(rng, model))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.floats(1e-300, 1e300))
@settings(max_examples=100, deadline=None)
def test_any_description_and_any_double_come_back(text: str, mass: float) -> None:
    model = from_text(PENDULUM)
    body = replace(model.bodies[0], mass=mass)
    assert_round_trip(replace(model, description=text, bodies=(body,)))


@pytest.mark.parametrize("cut", ["", *"ABCD"])
@pytest.mark.parametrize("kinds", [(2, "pin"), (3, "revolute")])
def test_four_bars_come_back(cut: str, kinds: tuple[int, str]) -> None:
    model = loop_models.four_bar(kinds[0], (kinds[1],) * 4)
    if cut:
        model = replace(model, cuts=(cut,), q0=(), v0=())
    assert_round_trip(replace(model, q0=(0.9, -0.5, 0.25), v0=(0.1, 0.2, 0.3)))


def test_a_slider_crank_comes_back() -> None:
    assert_round_trip(loop_models.slider_crank())


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_come_back(seed: int) -> None:
    rng = Random(seed)
    model = loop_models.loop_model(rng, 2 + seed % 2, rng.randint(2, 6), rng.randint(1, 3))[0]
    assert_round_trip(model)


def test_a_body_called_ground_and_a_point_not_placed_come_back() -> None:
    model = from_text(
        changed(LOOP.replace("[bodies.b", "[bodies.ground"), "b:e", "ground:e")
        .replace('"b:s"', '"ground:s"')
        .replace("ground:right", "0:right")
    )
    assert model.hinges[2].ends == (End("0", "right"), End("ground", "e"))
    assert_round_trip(model)
    loose = Hinge("C", "slot", (End("0", "loose"), End("ground", "e")))
    assert_round_trip(replace(model, hinges=(*model.hinges[:2], loose)))


def test_a_force_from_the_ground_to_a_body_called_ground_comes_back() -> None:
    text = changed(PENDULUM, "rod:top", "ground:top").replace("bodies.rod", "bodies.ground")
    ends = End("0", "O"), End("ground", "top")
    model = replace(from_text(text), ground=(Point("O", (0, 0)),))
    assert_round_trip(replace(model, forces=(Force("spring", ends, stiffness=3),)))


def test_a_file_on_disk(tmp_path: Path) -> None:
    model = mstmm.load("branch-pendulum")
    toml.write(model, tmp_path / "a.toml")
    assert mstmm.load(str(tmp_path / "a.toml")) == model
    assert toml.read(tmp_path / "a.toml") == model


def test_what_has_no_text_is_refused() -> None:
    model = from_text(PENDULUM)
    body = replace(model.bodies[0], mass=sp.Max(1, parameter("g")))
    with pytest.raises(ModelError, match=r"bodies\.rod\.mass: .* cannot be written"):
        to_text(replace(model, bodies=(body,)))


def test_reading_grows_as_the_file_does() -> None:
    texts = [to_text(mstmm.load("branch-system", N=n)) for n in (123, 243, 483)]
    from_text(texts[0])  # what is imported and cached once is not counted
    first, second = np.diff([python_calls(partial(from_text, text)) for text in texts])
    assert second < 2.2 * first


def test_a_model_that_is_written_is_loaded_as_it_was(tmp_path: Path) -> None:
    model = mstmm.load("spatial-tree")
    mstmm.write("spatial-tree", tmp_path / "tree.toml")
    assert mstmm.load(tmp_path / "tree.toml") == model
    with pytest.raises(UsageError, match=r"cannot write .*tree\.toml"):
        mstmm.write(model, tmp_path / "missing" / "tree.toml")
