"""The schema of model files, the examples that ship, and the command that checks them."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from commands import run
from file_texts import EXAMPLES, PENDULUM, ROOT, assert_round_trip, changed

import mstmm
from mstmm.model.files.located import schema
from mstmm.model.files.toml import from_text
from mstmm.model.parts.hinge_kinds import HINGE_KINDS


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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    model = mstmm.load(str(path))
    assert model.name == path.stem
    assert_round_trip(model)
    answer = run("check", path)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith(f"{model.name}: {model.description}\n")
    assert "hinged to the ground" in answer.stdout
    assert f"coordinates: {model.coordinates[0]}" in answer.stdout
    assert f"speeds: {model.speeds[0]}" in " ".join(answer.stdout.split())
    assert "\nstart: " in answer.stdout or model.cuts
    found = json.loads(run("check", path, "--json").stdout)
    assert found["bodies"] == [body.name for body in model.bodies]
    assert found["speeds"] == list(model.speeds)


def test_the_examples_are_these() -> None:
    assert [path.stem for path in EXAMPLES] == [
        "arm",
        "beam",
        "cart_pole",
        "crank",
        "fourbar",
        "slider",
    ]


def test_the_documented_example_is_a_model() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
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
