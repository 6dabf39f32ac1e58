"""A target is a folder and a line: what it is, it says itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import mstmm
from mstmm.codegen import targets
from mstmm.codegen.generate import generate
from mstmm.codegen.targets.registry import TARGETS, loadable, single, target_named
from mstmm.errors import UsageError
from mstmm.model import load
from mstmm.runtime.solver import compile_model

FOLDER = Path(str(targets.__file__)).parent


def test_every_folder_is_listed_and_says_its_name() -> None:
    folders = {file.parent.name for file in FOLDER.glob("*/target.py")}
    assert {name.replace("-", "_") for name in TARGETS} == folders
    assert [target_named(name).name for name in TARGETS] == list(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_writes_in_a_language_and_is_loaded_by_what_it_names(name: str) -> None:
    target = target_named(name)
    assert target.writer.language.name == name
    assert (name in loadable()) == callable(target.loader and target.loading)
    assert target.vectors <= target.compiled


def test_an_unknown_target_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"no target 'fortran'; there are: c, c-batch, c-lanes, "):
        mstmm.compile("double-pendulum", target="fortran")
    with pytest.raises(UsageError, match=r"no target 'c-batch' of a tree; there are: c, numpy"):
        single("a tree", "c-batch")


def test_a_target_to_be_read_has_the_statements_of_the_program_and_is_not_loaded() -> None:
    made = generate(load("double-pendulum"), target="text")
    text = made.sources.files["double_pendulum.txt"]
    for step in made.module.steps:
        assert f"\n{step.name}: {step.title}\n" in text
    assert "# v_P = vₚ + Ωₚ × r\n" in text
    assert "        a[V_U1] = -t\n" in text
    # A number of one element is told from those of all.
    assert "        cz = all.cz[0]\n" in text
    with pytest.raises(UsageError, match="target 'text' is to be read: mstmm generate writes it"):
        mstmm.compile("double-pendulum", target="text")


def test_each_says_what_it_refuses() -> None:
    model = load("double-pendulum")
    for target, algorithm in (("c-batch", "overall"), ("c-lanes", "dca")):
        with pytest.raises(UsageError, match=target):
            compile_model(model, target=target, algorithm=algorithm)
    with pytest.raises(UsageError, match="threads are for target 'c'"):
        compile_model(model, target="numpy", threads=True)
