"""Emitted C under sanitizers: every ready-made model, algorithm and target of C."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
from compiler import needs_compiler
from guarded import Outcome, spent
from sanitized import complaint
from systems_attacked import REFUSALS, SYSTEMS, options, ways

import mstmm
from mstmm.codegen.emit import Sources
from mstmm.codegen.generate import generate

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(sys.platform != "linux", reason="the sanitizers are those of Linux"),
]

#: Processor time of one program, and what all of a model may take, the small ones first (s).
SECONDS, BUDGET = 60.0, 50.0


def emitted(system: str, algorithm: str, target: str) -> Sources:
    model = mstmm.load(system)
    more = options(model, algorithm)
    return generate(model, algorithm=algorithm, target=target, forced=True, **more).sources


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where files are compiled that models share."""
    return tmp_path_factory.mktemp("shared")


def test_a_loop_in_lanes_keeps_to_its_buffers(tmp_path: Path, shared: Path) -> None:
    assert not complaint(emitted("slider-crank", "riccati", "c-batch"), tmp_path, shared, SECONDS)


#: What stands in the double pendulum's file, what is planted, and what says so.
PLANTED = [
    ("    a[V_U2] = ", "    a[2] = ", "heap-buffer-overflow"),
    ("return !(", "return 0 && !(", "status 0 with number"),
    ("w->sines[1]", "w->sines[(int)q[0]]", "runtime error"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after", "says"), PLANTED)
def test_a_planted_error_is_seen(
    tmp_path: Path, shared: Path, before: str, after: str, says: str
) -> None:
    sources = emitted("double-pendulum", "riccati", "c")
    text = sources.files["double_pendulum.c"]
    assert before in text
    files = {**sources.files, "double_pendulum.c": text.replace(before, after)}
    wrong = dataclasses.replace(sources, files=MappingProxyType(files))
    assert says in complaint(wrong, tmp_path, shared, SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_library_keeps_to_its_buffers(system: str, tmp_path: Path, shared: Path) -> None:
    outcome = Outcome(f"sanitized {system}")
    start = spent()
    every: list[tuple[str, str, Sources]] = []
    for algorithm, target in ways(system):
        if target == "numpy":
            continue
        try:
            every.append((algorithm, target, emitted(system, algorithm, target)))
        except REFUSALS:
            outcome.counts["refused"] += 1
    every.sort(key=lambda one: sum(map(len, one[2].library.values())))
    for algorithm, target, sources in every:
        if spent() - start > BUDGET:
            outcome.counts["left out"] += 1
            continue
        folder = tmp_path / f"{algorithm}-{target}"
        folder.mkdir()
        said = complaint(sources, folder, shared, SECONDS)
        shutil.rmtree(folder)
        outcome.counts["complaint" if said else "clean"] += 1
        if said:
            outcome.failures.append(f"{system} {algorithm} {target}: {said}")
    outcome.seconds = spent() - start
    outcome.note()
    outcome.require()
    assert outcome.counts["clean"]
