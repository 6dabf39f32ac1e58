"""Model files that are wrong or hostile: messages that point at table and key."""

from __future__ import annotations

import contextlib
import tomllib
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from counting import python_calls
from file_texts import ARM, EXAMPLES, LOOP, PENDULUM, changed, message
from hypothesis import given, settings
from hypothesis import strategies as st

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model.files import tables, toml
from mstmm.model.files.building import Builder
from mstmm.model.files.located import WRITTEN, located
from mstmm.model.files.toml import from_text


@pytest.mark.filterwarnings("error::mstmm.errors.ModelWarning")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("mass = 1.5", "masss = 1.5", "bodies.rod.masss: there is no such key (did you mean mass?"),
        (
            'parent = "ground"',
            'parent = "grond"',
            "hinges.pivot.parent: an end is written body:point, not 'grond' (did you mean ground",
        ),
        (
            'kind = "pin"',
            'kind = "pin"\naxes = 0.3',
            "hinges.pivot.axes: there is no such key (a hinge lies at its parent's and child's p",
        ),
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
        ("inertia = 0.25", "inertia = -1", "bodies.rod.inertia: no rigid body has -1 kg m²"),
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
        ("[bodies.rod.points.top]", "", "bodies.rod.points: needs at least one connection point"),
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
        (
            '"rod:top"',
            '"rod"',
            "hinges.pivot.child: an end is written body:point, not 'rod'; or say w",
        ),
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
        ("points.right]", "points.'r t']", "ground.points: 'r t' is no name; use letters, d"),
        ("ground:right", "ground:rigth", "hinges.C.parent: the ground has no point 'rigth' (did"),
        ("dimension = 2", "dimension = 2\ncuts = 'C'", "cuts: must be a list, is a text"),
        ("dimension = 2", "dimension = 2\ncuts = [1]", "cuts[0]: must be a text, is a number"),
        ("dimension = 2", "dimension = 2\ncuts = ['X']", "cuts: there is no hinge 'X'"),
        ("dimension = 2", "dimension = 2\ncuts = ['A', 'C']", "hinges.A: cannot be cut: it clos"),
        ("A = 0.5", "C = [0]", "start.positions.C: has 1 entry instead of 2"),
        ("A = 0.5", "A = { fixed = 1, guess = 2 }", "start.positions.A: give either fixed or "),
        ("A = 0.5", "A = { gess = 1 }", "start.positions.A.gess: there is no such key (did you"),
        ("A = 0.5", "A = {}", "start.positions.A: give either fixed or guess"),
    ],
)
def test_messages_of_loops(old: str, new: str, expected: str) -> None:
    assert message(changed(LOOP, old, new)).startswith(expected)


def test_absolute_coordinates_have_no_placed_ground() -> None:
    text = changed(PENDULUM, "dimension = 2", 'dimension = 2\ncoordinates = "absolute"')
    assert message(text + "[ground.points.P]\n").startswith("ground.points: placed points need")
    assert message('cuts = ["pivot"]' + text) == (
        'cuts: need joint coordinates; leave out coordinates = "absolute"'
    )


@pytest.mark.parametrize(
    "written", ["spring = { stiffness = 2 }", "damper = { damping = 2 }", 'potential = "q1"']
)
def test_a_law_that_absolute_coordinates_lack_is_named_as_it_is_written(written: str) -> None:
    text = changed(PENDULUM, "dimension = 2", 'dimension = 2\ncoordinates = "absolute"')
    key = written.split()[0]
    found = message(changed(text, 'kind = "pin"', f'kind = "pin"\n{written}'))
    assert found.startswith(f"hinges.pivot.{key}: needs joint coordinates; leave out coord")


def test_a_start_quaternion_that_is_none() -> None:
    text = changed(ARM, "cylindrical", "ball") + "[start.positions]\nbase = [2, 0, 0, 0]\n"
    assert message(text).startswith("start.positions: the quaternion at qbase_Qw has norm 2")


@pytest.mark.parametrize("missing", ["bodies", "hinges"])
def test_a_missing_table(missing: str) -> None:
    content = PENDULUM.split(f"[{missing}.")[0]
    assert message(content) == "hinges: is missing: a model has one at least, [hinges.NAME]"


def test_nothing_at_all() -> None:
    assert message("").startswith("the file is empty; a model has name")
    assert message("[bodies]") == 'name: is missing: write name = "arm"'
    assert message("name = 'a'\ndimension = 2\ngravity = [0, 0]\n[bodies]\n[hinges]\n") == (
        "bodies: there is no body; a model has one at least"
    )


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
    with pytest.raises(ModelError) as caught:
        toml.read(path)
    assert part in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 400

    def reading() -> None:
        with contextlib.suppress(ModelError):
            toml.read(path)

    assert python_calls(reading) < 50_000


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
    assert toml.read(path) == from_text(PENDULUM)


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


def test_a_length_whose_square_no_double_holds_is_refused() -> None:
    """Where a body resists not every motion, what hangs on it is looked at in numbers."""
    cart_pole = next(x for x in EXAMPLES if x.stem == "cart_pole").read_text(encoding="utf-8")
    said = message(changed(cart_pole, 'centre = [0, "l/2"]', "centre = [-1e308, 0]"))
    assert said == "body pole: its mass times a length squared is no finite number"


def test_every_key_that_a_table_must_have_is_shown_as_it_is_written() -> None:
    kinds = [
        x for x in vars(tables).values() if isinstance(x, type) and issubclass(x, tables.Table)
    ]
    keys = {x.name for kind in kinds for x in msgspec.structs.fields(kind) if x.required}
    assert keys <= WRITTEN.keys()


def test_a_link_without_mass_is_written_as_the_message_says() -> None:
    """A rope of mass 0, on which a load hangs."""
    bodies = "[bodies.rope]\nmass = 0\npoints = { a = {}, b = { position = [0, -1] } }\n"
    rope = changed(PENDULUM, "[bodies.rod]", f"{bodies}[bodies.rod]")
    low = '[hinges.low]\nkind = "pin"\nparent = "ground"\nchild = "rope:a"\n'
    rope = changed(rope, 'parent = "ground"', 'parent = "rope:b"') + low
    found = message(rope)
    assert found.startswith("bodies.rope.inertia: is missing: write inertia = 0.01 (kg m²")
    assert "a link without mass has mass = 0 and inertia = 0" in found
    assert from_text(changed(rope, "mass = 0\n", "mass = 0\ninertia = 0\n")).body("rope").mass == 0
