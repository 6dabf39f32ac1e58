"""What each pass saves, and that long code in several functions is the same code."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from commands import assert_fits_80_columns, run
from compiler import TARGETS
from proofs import proof_of_blocks
from sizes import covered

import mstmm
from mstmm import load
from mstmm.codegen.costs.explain import Stage, explain
from mstmm.codegen.generate import generate
from mstmm.codegen.passes import chunks


def stages(name: str, entry: str = "accelerations", **options: object) -> dict[str, Stage]:
    made = generate(load(name), entries=[entry], **options)  # type: ignore[arg-type]
    return {stage.name: stage for stage in explain(made)}


@pytest.mark.parametrize("name", ["branch-pendulum", "double-pendulum", "spatial-tree", "four-bar"])
def test_no_pass_adds_operations_to_an_entry(name):
    found = list(stages(name).values())
    for before, after in pairwise(found):
        assert after.operations["accelerations"] <= before.operations["accelerations"], after.name
    assert found[0].operations["accelerations"] > 1.5 * found[-1].operations["accelerations"]


def test_what_freezing_does_is_told_one_by_one():
    found = stages("spatial-tree")
    operations = {name: stage.operations["accelerations"] for name, stage in found.items()}
    assert operations["kernels"] == operations["symmetry"]
    assert found["symmetry"].bytes < 0.9 * found["kernels"].bytes
    assert operations["shared"] < operations["symmetry"]
    assert operations["constants"] < 0.9 * operations["shared"]
    assert operations["structure"] < 0.9 * operations["constants"]
    assert operations["regroup"] < operations["structure"]


def test_a_loop_shortens_the_text_alone():
    found = stages("rod-chain:n=50")
    assert found["loops"].operations == found["structure"].operations
    assert found["loops"].text < 0.1 * found["structure"].text


def test_the_last_stage_is_what_is_emitted():
    made = generate(load("slider-crank"))
    last = explain(made)[-1]
    for entry in made.module.entries:
        assert last.operations[entry.name] == made.module.operations(entry).total()
    held = 8 * sum(made.module.workspace.values())
    assert 0 < last.bytes <= held  # of an array one place may be all that is used


@covered(1, name=["four-bar", "example-1"], target=TARGETS)
def test_long_code_in_several_functions_is_the_same(name, target, monkeypatch, tmp_path):
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "whole"))
    whole = mstmm.compile(load(name), target=target)
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "parts"))
    monkeypatch.setattr(chunks, "LONGEST", 60)
    parts = mstmm.compile(load(name), target=target)
    steps = [step.name for step in parts.generated.module.steps]
    assert any(step.endswith("_part2") for step in steps)
    q, v = np.array(whole.model.q0), np.linspace(0.3, 0.8, len(whole.speeds))
    q, v = whole.project(q, v) if whole.conditions else (q, v)
    np.testing.assert_array_equal(whole.accelerations(q, v), parts.accelerations(q, v))
    np.testing.assert_array_equal(whole.joint_loads(q, v), parts.joint_loads(q, v))
    assert proof_of_blocks(parts).ok


def test_the_command_prints_it():
    shown = run("generate", "double-pendulum", "--explain").stdout
    assert_fits_80_columns(shown)
    assert "structure: follow zeros and ones" in shown
    assert "→" in shown
    answer = json.loads(run("generate", "double-pendulum", "--explain", "--json").stdout)
    assert [each["name"] for each in answer["passes"]][:2] == ["kernels", "symmetry"]
