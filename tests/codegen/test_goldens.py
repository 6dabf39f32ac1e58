"""The emitted files are those of the record: what a change of the code changes is seen."""

from __future__ import annotations

import pytest
from goldens import MODELS, Case, bare, cases, differences, golden, recorded

#: One way through the generator for every algorithm with every other model, which are the other
#: ones for the next algorithm; the slow run takes all.
WAYS = list(dict.fromkeys((case.algorithm, case.form) for case in cases()))
QUICK = {
    case.name
    for case in cases()
    if case.target in ("c", "c-lanes") and not case.forced and case.algorithm != "derivatives"
    if case.target == "c-lanes"
    or (WAYS.index((case.algorithm, case.form)) + list(MODELS).index(case.model)) % 2
}


def test_the_usual_run_takes_every_algorithm_and_model() -> None:
    taken = [case for case in cases() if case.name in QUICK]
    assert {case.model for case in taken} == set(MODELS)
    assert {(case.algorithm, case.form) for case in taken} == {
        way for way in WAYS if way[0] != "derivatives"
    }


def test_every_case_is_recorded() -> None:
    assert {case.name for case in cases()} == set(recorded())


@pytest.mark.parametrize("model", MODELS)
def test_programs_and_files_are_as_recorded(model: str) -> None:
    """Where this fails on purpose, `python tests/goldens.py` writes the record anew."""
    compare([case for case in cases(model) if case.name in QUICK])


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_all_programs_and_files_are_as_recorded(model: str) -> None:
    compare(list(cases(model)))


def compare(chosen: list[Case]) -> None:
    made = {case.name: golden(case) for case in chosen}
    assert list(differences({name: recorded()[name] for name in made}, made)) == []


def test_a_changed_count_is_seen() -> None:
    before = {"x": {"operations": {"accelerations": 10}, "files": {"x.c": "1"}}}
    after = {"x": {"operations": {"accelerations": 11}, "files": {"x.c": "2"}}}
    (line,) = differences(before, after)
    assert "accelerations 10 → 11 ROSE" in line
    assert "files" in line


def test_comments_are_words_and_the_rest_runs() -> None:
    c = 'x = 1; /* one\n * two */\n// three\ny = "/* kept */"; // four\n'
    assert bare("x.c", c) == 'x = 1;\ny = "/* kept */";'
    python = '"""What it is."""\n\nx = "#1"  # one\n# two\n'
    assert bare("x.py", python) == 'x = "#1"'
    assert bare("x.json", '{"a": [{"equations": ["(1)"], "b": 2}]}') == '{"a": [{"b": 2}]}'


def test_shared_files_are_the_same_for_every_model() -> None:
    hashes: dict[str, set[str]] = {}
    for case in recorded().values():
        for name, text in case.get("files", {}).items():
            if name.startswith("mstmm_"):
                hashes.setdefault(name, set()).add(text)
    assert {"mstmm_trig.h", "mstmm_motion.c", "mstmm_lanes.h"} <= set(hashes)
    assert {name for name, found in hashes.items() if len(found) > 1} == set()
