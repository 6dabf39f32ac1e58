"""Model files: round trips, messages that point at table and key, hostile input, examples."""

from __future__ import annotations

import json
import math
import time
import tomllib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import loop_models
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import joint_trees, trees
from typer.testing import CliRunner

import mstmm
from mstmm.cli.app import app
from mstmm.errors import ModelError, UsageError
from mstmm.model import MODELS, End, Hinge, Model, Point, files
from mstmm.model.building import Builder
from mstmm.model.files import from_text, to_text
from mstmm.model.tables import located, schema
from mstmm.model.types import HINGE_KINDS, TIME, hinge_symbol, parameter

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))

PENDULUM = """
name = "pendulum"
dimension = 2
gravity = [0, "-g"]
[parameters]
g = 9.81
[bodies.rod]
mass = 1.5
inertia = 0.25
centre = [0.5, 0]
[bodies.rod.points.top]
[hinges.pivot]
kind = "pin"
parent = "ground"
child = "rod:top"
"""

ARM = """
name = "arm"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.link]
mass = 2
inertia = [0.1, 0.2, 0.25, 0, 0.01, 0]
[bodies.link.points.foot]
[hinges.base]
kind = "cylindrical"
parent = "ground"
child = "link:foot"
"""


def message(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        from_text(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


# What a file says


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


def test_springs_dampers_and_friction_add_to_the_force() -> None:
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
        sp.sin(TIME) - 4 * (q1 - half) - 3 * u1 - quarter * u1,
        u1 * q2 - 5 * (q2 - half) - 3 * u2 - 2 * sp.tanh(8 * u2) - quarter * u2,
    )
    assert len(hinge.force) == 2
    for found, right in zip(hinge.force, expected, strict=True):
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


LOOP = """
name = "loop"
dimension = 2
gravity = [0, -9.81]
[parameters]
d = 1.5
[ground.points.right]
position = ["d", 0]
axes = "pi/3"
[bodies.a]
mass = 1
inertia = 0.1
[bodies.a.points.s]
[bodies.a.points.e]
position = [1, 0]
[bodies.b]
mass = 1
inertia = 0.1
[bodies.b.points.s]
[bodies.b.points.e]
position = [1, 0]
[hinges.A]
kind = "pin"
parent = "ground"
child = "a:s"
[hinges.B]
kind = "pin"
parent = "a:e"
child = "b:s"
[hinges.C]
kind = "slot"
parent = "ground:right"
child = "b:e"
[start.positions]
A = 0.5
"""


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


# Round trips


def assert_round_trip(model: Model) -> None:
    text = to_text(model)
    assert from_text(text) == model
    assert to_text(from_text(text)) == text


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
        coordinates, speeds = HINGE_KINDS[model.dimension][hinge.kind]
        k, c = parameter("m") * rng.randint(1, 9) / 7, rng.uniform(0.1, 2)
        laws = (
            -k * hinge_symbol("u", 1) + sp.tanh(hinge_symbol("u", 1) / c),
            sp.Float(c) * sp.sin(3 * TIME) / k**2,
            rng.uniform(-1, 1),
        )
        choice = rng.random()
        if choice < 0.4:
            hinge = replace(hinge, force=tuple(rng.choice(laws) for _ in range(speeds)))
        elif choice < 0.6 and coordinates == speeds:
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


def test_a_file_on_disk(tmp_path: Path) -> None:
    model = mstmm.load("branch-pendulum")
    files.write(model, tmp_path / "a.toml")
    assert mstmm.load(str(tmp_path / "a.toml")) == model
    assert files.read(tmp_path / "a.toml") == model


def test_what_has_no_text_is_refused() -> None:
    model = from_text(PENDULUM)
    body = replace(model.bodies[0], mass=sp.Max(1, parameter("g")))
    with pytest.raises(ModelError, match=r"bodies\.rod\.mass: .* cannot be written"):
        to_text(replace(model, bodies=(body,)))


def test_a_large_file_is_read_in_a_moment() -> None:
    text = to_text(mstmm.load("branch-system", N=3999))
    start = time.perf_counter()
    from_text(text)
    assert time.perf_counter() - start < 20


# Messages


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("mass = 1.5", "masss = 1.5", "bodies.rod.masss: there is no such key (did you mean mass?"),
        ("mass = 1.5", "", "bodies.rod.mass: is missing"),
        ("mass = 1.5", "mass = true", "bodies.rod.mass: must be a number or a text, is true or f"),
        ("mass = 1.5", "mass = [1]", "bodies.rod.mass: must be a number or a text, is a list"),
        ("mass = 1.5", "mass = nan", "bodies.rod.mass: is no finite number"),
        ("mass = 1.5", "mass = -inf", "bodies.rod.mass: is no finite number"),
        ("mass = 1.5", "mass = -1", "bodies.rod.mass: must not be negative, is -1 kg"),
        ("mass = 1.5", f"mass = {10**400}", "bodies.rod.mass: is no finite number"),
        ("mass = 1.5", f"mass = 1{'0' * 5000}", "is no TOML"),
        ("mass = 1.5", "mass = 2020-01-01", "bodies.rod.mass: must be a number or a text"),
        ("mass = 1.5", 'mass = "G"', "bodies.rod.mass: 'G': there is no 'G'; there are: g, pi"),
        ("mass = 1.5", "mass = \"__import__('os')\"", "bodies.rod.mass: \"__import__('os')\": the"),
        ("mass = 1.5", "mass = 1.5\nmass = 2", "is no TOML: Cannot overwrite a value"),
        ("mass = 1.5", "mass = ", "is no TOML: Invalid value (at line 8, column 8)"),
        ("mass = 1.5", "mass = 'q1'", "bodies.rod.mass: 'q1': there is no 'q1'"),
        ("inertia = 0.25", "inertia = -1", "bodies.rod.inertia: must not be negative"),
        ("inertia = 0.25", "inertia = [1, 2]", "bodies.rod.inertia: must be [xx, yy, zz, xy, xz"),
        ("inertia = 0.25", "inertia = [1, 2, [3]]", "bodies.rod.inertia: must be [xx, yy, zz, xy"),
        ("centre = [0.5, 0]", "centre = 1", "bodies.rod.centre: must be a list, is a number"),
        ("centre = [0.5, 0]", "centre = [1, {}]", "bodies.rod.centre[1]: must be a number or a te"),
        ("centre = [0.5, 0]", "centre = [1, 'x']", "bodies.rod.centre[1]: 'x': there is no 'x'"),
        ("centre = [0.5, 0]", "centre = [1]", "bodies.rod.centre: has 1 components instead of 2"),
        ("points.top]", "points.top]\nposition=[1]", "bodies.rod.points.top.position: has 1 com"),
        ("points.top]", "points.top]\nplace=[1]", "bodies.rod.points.top.place: there is no such"),
        ("points.top]", "points.top]\naxes=[[1]]", "bodies.rod.points.top.axes: are one angle"),
        ("points.top]", "points.top]\nrpy=[0,0,0]", "bodies.rod.points.top.rpy: cannot be used"),
        ("[bodies.rod.points.top]", "", "bodies.rod.points: is missing"),
        ("[bodies.rod.points.top]", "points = 3", "bodies.rod.points: must be a table, is a numb"),
        ("[bodies.rod.points.top]", "points.top = 3", "bodies.rod.points.top: must be a table"),
        ('kind = "pin"', 'kind = "pinn"', "hinges.pivot.kind: 'pinn' is no hinge in 2 dimensions "),
        ('kind = "pin"', "kind = 3", "hinges.pivot.kind: must be a text, is a number"),
        ('kind = "pin"', 'kind = "pin"\nspring = 3', "hinges.pivot.spring: must be a table"),
        ('kind = "pin"', 'kind = "pin"\nspring.stifness = 3', "hinges.pivot.spring.stifness: ther"),
        ('kind = "pin"', 'kind = "pin"\nspring.rest = 3', "hinges.pivot.spring.stiffness: is miss"),
        ('kind = "pin"', 'kind = "pin"\ndamper.damping="x"', "hinges.pivot.damper.damping[0]: 'x'"),
        ('kind = "pin"', 'kind = "pin"\nforce = "q2"', "hinges.pivot.force[0]: 'q2': there is no"),
        ('kind = "pin"', 'kind = "pin"\nforce = [1, 2]', "hinges.pivot.force: has 2 entries inste"),
        ('kind = "pin"', 'kind = "pin"\nmotion = "q1"', "hinges.pivot.motion[0]: 'q1': there is n"),
        ('kind = "pin"', 'kind = "pin"\nmotion = [1, 2]', "hinges.pivot.motion: has 2 entries ins"),
        ('kind = "pin"', 'kind = "pin"\nmotion = 1\nforce = 1', "hinges.pivot.motion: cannot be "),
        ('"rod:top"', '"rod"', "hinges.pivot.child: an end is written body:point, not 'rod'"),
        ('"rod:top"', '"rod:tip"', "hinges.pivot.parent, child: body rod: has no point 'tip'"),
        ('"rod:top"', '"bar:top"', "hinges.pivot.parent, child: there is no body 'bar'"),
        ('"rod:top"', '"ground"', "hinges.pivot.parent, child: joins the ground with itself"),
        ("dimension = 2", "dimension = 4", "dimension: must be 2 or 3, not 4"),
        ("dimension = 2", 'dimension = "2"', "dimension: must be a whole number, is a text"),
        ("dimension = 2", "dimension = 2\ncolour = 1", "colour: there is no such key"),
        ("dimension = 2", 'dimension = 2\ncoordinates = "x"', "coordinates: must be joint or abs"),
        ('name = "pendulum"', 'name = "a b"', "name: 'a b' is no name"),
        ('name = "pendulum"', "", "name: is missing"),
        ('gravity = [0, "-g"]', "", "gravity: is missing"),
        ("g = 9.81", "g = 'g'", "parameters.g: 'g': there is no 'g'"),
        ("g = 9.81", "g = inf", "parameters.g: is no finite number"),
        ("g = 9.81", "g = [1]", "parameters.g: must be a number or a text, is a list"),
        ("g = 9.81", "g = 1\n'a b' = 1", "parameters: 'a b' is no name"),
    ],
)
def test_messages_point_at_table_and_key(old: str, new: str, expected: str) -> None:
    assert message(changed(PENDULUM, old, new)).startswith(expected)


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("[start.positions]\npivto = 1", "start.positions.pivto: there is no hinge 'pivto' (did y"),
        ("[start.positions]\npivot = [1, 2]", "start.positions.pivot: has 2 entries instead of 1"),
        ("[start.speeds]\npivot = nan", "start.speeds.pivot: is no finite number"),
        ("[start]\npivot = 1", "start.pivot: there is no such key; there are: positions, speeds"),
        ("[bodies.b]\nmass=1\ninertia=1\n[bodies.b.points.P]", "bodies.b: is not connected"),
        ("[bodies.'b c']\nmass=1\ninertia=1\n[bodies.'b c'.points.P]", "bodies.name: 'b c' is no"),
    ],
)
def test_messages_of_what_is_added(extra: str, expected: str) -> None:
    assert message(PENDULUM + extra).startswith(expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("d = 1.5", "d = 1.5\n[ground]\npoint=1", "ground.point: there is no such key (did you"),
        ('["d", 0]', '["e", 0]', "ground.points.right.position[0]: 'e': there is no 'e'"),
        ('["d", 0]', '["d"]', "ground.points.right.position: has 1 components instead of 2"),
        ('["d", 0]', "true", "ground.points.right.position: must be a list, is true or false"),
        ('"pi/3"', "[[1]]", "ground.points.right.axes: are one angle in the plane"),
        ('axes = "pi/3"', "rpy = [0, 0, 0]", "ground.points.right.rpy: cannot be used"),
        ('axes = "pi/3"', "axis = 1", "ground.points.right.axis: there is no such key (did you"),
        ("points.right]", "points.'r t']", "ground.points: 'r t' is no name; use letters and "),
        ("ground:right", "ground:rigth", "hinges.C.parent: the ground has no point 'rigth' (did"),
        ("dimension = 2", "dimension = 2\ncuts = 'C'", "cuts: must be a list, is a text"),
        ("dimension = 2", "dimension = 2\ncuts = [1]", "cuts[0]: must be a text, is a number"),
        ("dimension = 2", "dimension = 2\ncuts = ['X']", "cuts: there is no hinge 'X'"),
        ("dimension = 2", "dimension = 2\ncuts = ['A', 'C']", "hinges.A: cannot be cut: it clos"),
        ("A = 0.5", "C = [0, 0]", "start.positions.C: the hinge is cut and has no state of its"),
    ],
)
def test_messages_of_loops(old: str, new: str, expected: str) -> None:
    assert message(changed(LOOP, old, new)).startswith(expected)


def test_absolute_coordinates_have_no_placed_ground() -> None:
    text = changed(PENDULUM, "dimension = 2", 'dimension = 2\ncoordinates = "absolute"')
    assert message(text + "[ground.points.P]\n").startswith("ground.points: placed points need")
    assert message('cuts = ["pivot"]' + text) == "cuts: need joint coordinates"


def test_a_start_quaternion_that_is_none() -> None:
    text = changed(ARM, "cylindrical", "ball") + "[start.positions]\nbase = [2, 0, 0, 0]\n"
    assert message(text).startswith("start.positions: the quaternion at qbase_Qw has norm 2")


def test_a_ball_has_no_spring() -> None:
    text = changed(ARM, "cylindrical", "ball") + "spring = { stiffness = 3 }\n"
    assert message(text).startswith("hinges.base.spring: a ball hinge has a quaternion")


@pytest.mark.parametrize("missing", ["bodies", "hinges"])
def test_a_missing_table(missing: str) -> None:
    content = PENDULUM.split(f"[{missing}.")[0]
    assert message(content) in ("bodies: is missing", "hinges: is missing")


def test_nothing_at_all() -> None:
    assert message("") == "name: is missing"
    assert message("name = 'a'\ndimension = 2\ngravity = [0, 0]\n[bodies]\n[hinges]\n") == (
        "bodies: there is no body"
    )


# Hostile files


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"\xff\xfe\x00", "byte 1 is no UTF-8"),
        (b"name = " + b"[" * 4000, "nests too deeply"),
        (b"name = " + b"[" * 10**6, "a line has more than"),
        (b"name = " + b"[\n" * 10**6, "nests too deeply"),
        (b"name = " + b"{a=" * 2500, "nests too deeply"),
        (b"#" * 10**7, "more than 8000000 bytes"),
        (b"x" * 10**6, "a line has more than"),
        (b".".join([b"a"] * 3000) + b" = 1", "a: there is no such key"),
        (b"\0", "is no TOML"),
        (PENDULUM.replace("1.5", f'"{"(" * 3000}"').encode(), "at most 2000 are read"),
        (PENDULUM.replace("1.5", f'"{"(" * 900 + ")" * 900}"').encode(), "nests brackets"),
        (PENDULUM.replace("1.5", '"exp(1000)"').encode(), "exceeds the range"),
        (PENDULUM.replace("1.5", '"9**9**9"').encode(), "an exponent is a number"),
    ],
    ids=range(13),
)
def test_hostile_files(content: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.toml"
    path.write_bytes(content)
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        files.read(path)
    assert part in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 400
    assert time.perf_counter() - start < 5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(VALUES, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_any_value_anywhere_gives_a_model_or_a_message(value: Any, rng: Random) -> None:
    content = tomllib.loads(rng.choice((PENDULUM, ARM)))
    table: Any = content
    while True:
        key = rng.choice(sorted(table))
        if not isinstance(table[key], dict) or not table[key] or rng.random() < 0.2:
            break
        table = table[key]
    table[key] = value
    with suppress(ModelError):
        Builder(located(content)).model()


def test_bytes_order_mark_is_let_through(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbf" + PENDULUM.encode())
    assert files.read(path) == from_text(PENDULUM)


@pytest.mark.parametrize("name", ["none.toml", "no/such/folder/none.toml", "./none"])
def test_a_file_that_is_not_there(name: str) -> None:
    with pytest.raises(UsageError, match=rf"cannot read {name}: No such file"):
        mstmm.load(name)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        mstmm.load(str(tmp_path) + "/")
    with pytest.raises(UsageError, match="is no regular file"):
        mstmm.load("/dev/null")


def test_a_file_takes_no_arguments() -> None:
    with pytest.raises(UsageError, match="takes no arguments"):
        mstmm.load(str(EXAMPLES[0]), n=3)


# The schema


def test_the_shipped_schema_is_that_of_the_tables() -> None:
    """If this fails: `mstmm check --schema > model/schema.json`."""
    assert (ROOT / "model" / "schema.json").read_text(encoding="utf-8") == schema()


def test_the_schema_knows_every_table_and_kind() -> None:
    found = json.loads(schema())
    hinge = found["$defs"]["HingeTable"]
    kinds = {kind for kinds in HINGE_KINDS.values() for kind in kinds}
    assert set(hinge["properties"]["kind"]["enum"]) == kinds
    assert hinge["required"] == ["kind", "parent", "child"]
    assert all(not table["additionalProperties"] for table in found["$defs"].values())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_schema_fits_the_examples(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(tomllib.loads(path.read_text()), json.loads(schema()))


# The examples and the command


def run(*arguments: str | Path) -> Any:
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(x) for x in arguments])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    model = mstmm.load(str(path))
    assert model.name == path.stem
    assert_round_trip(model)
    answer = run("check", path)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith(f"{model.name}: {model.description}\n")
    assert "hinged to the ground" in answer.stdout
    found = json.loads(run("check", path, "--json").stdout)
    assert found["bodies"] == [body.name for body in model.bodies]
    assert found["speeds"] == list(model.speeds)


def test_the_examples_are_these() -> None:
    assert [path.stem for path in EXAMPLES] == ["arm", "beam", "crank", "fourbar", "slider"]


def test_the_readme_example_is_a_model() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    model = from_text(text.split("```toml\n")[1].split("```")[0])
    assert model.name == "pendulum"


def test_check_refuses_a_bad_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(changed(PENDULUM, '"pin"', '"pinn"'))
    answer = run("check", path)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert f"{path}: hinges.pivot.kind: 'pinn' is no hinge" in answer.stderr


def test_help_of_check_fits_80_columns() -> None:
    text = run("check", "--help").stdout
    assert "--schema" in text
    assert max(map(len, text.splitlines())) <= 80


def test_check_prints_the_schema() -> None:
    assert run("check", "--schema").stdout == schema()
    assert run("check").exit_code == 2
    assert run("check", EXAMPLES[0], "--schema").exit_code == 2


def test_a_spring_swings_at_its_period() -> None:
    """A block of 2 kg on 50 N/m: ω = 5 rad/s, after one period it is back."""
    text = """
    name = "block"
    dimension = 2
    gravity = [0, 0]
    [bodies.block]
    mass = 2
    inertia = 1
    [bodies.block.points.P]
    [hinges.slide]
    kind = "prismatic"
    parent = "ground"
    child = "block:P"
    spring = { stiffness = 50, rest = 0.1 }
    [start.positions]
    slide = 0.3
    """
    run = mstmm.compile(from_text(text), target="numpy").simulate(
        t_end=0.4 * math.pi, dt=math.pi / 2500
    )
    x = np.asarray(run.q)[:, 0]
    assert x == pytest.approx(0.1 + 0.2 * np.cos(5 * np.asarray(run.time)), abs=1e-8)


def test_the_slider_comes_to_rest_where_its_spring_is_free() -> None:
    solver = mstmm.compile(mstmm.load(str(ROOT / "examples" / "slider.toml")), target="numpy")
    assert solver.accelerations([0.1, 0.0], [0.0, 0.0]) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_the_arm_at_rest_is_not_turned_about_the_vertical() -> None:
    """At t = 0 the motor gives nothing, and gravity has no moment about its axis."""
    model = mstmm.load(str(ROOT / "examples" / "arm.toml"))
    solver = mstmm.compile(model, target="numpy")
    base, shoulder, _ = solver.accelerations([0.3, 0.4, -math.pi / 4], [0.0, 0.0, 0.0])
    assert base == pytest.approx(0.0, abs=1e-12)
    assert shoulder < -1.0


def test_the_pendulum_on_the_crank_swings_out() -> None:
    """At rest at first; the crank's start sets it in motion."""
    model = mstmm.load(str(ROOT / "examples" / "crank.toml"))
    motion = mstmm.compile(model, target="numpy").simulate(t_end=1.0, dt=2e-3)
    angle = np.asarray(motion.q)[:, 0]
    assert abs(angle[1]) < 1e-5
    assert 0.05 < np.abs(angle).max() < math.pi


def test_the_four_bar_stays_closed() -> None:
    model = mstmm.load(str(ROOT / "examples" / "fourbar.toml"))
    assert "cut: pin hinge pivot" in run("check", ROOT / "examples" / "fourbar.toml").stdout
    motion = mstmm.compile(model, target="numpy").simulate(t_end=0.2, dt=1e-3)
    assert motion.constraint_position is not None
    assert np.max(motion.constraint_position) < 1e-10
    assert abs(motion.q[-1, 0] - motion.q[0, 0]) > 0.01
