"""Builds chosen by measurement: the fastest is taken and kept, if it is worth it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler

import mstmm
from mstmm.codegen import toolchain
from mstmm.codegen.face import variants as chosen
from mstmm.codegen.face.variants import FLAGS, Variant, variants
from mstmm.runtime.evaluation import tuning

pytestmark = needs_compiler

STATE = [0.3, 0.4], [1.0, 2.0], [3.0, 4.0]

#: Code without integrators, which compiles in no time.
compiled = partial(mstmm.compile, "double-pendulum", algorithm="rnea-body")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MSTMM_CFLAGS", "-O1")
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def fastest(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Builds with these flags take so many parts of the usual time; what is measured is counted."""

    def say(**parts: float) -> list[int]:
        counted: list[int] = []

        def measured(backends: dict[Variant, Any]) -> dict[Variant, dict[str, float]]:
            counted.append(len(backends))
            named = {one: "".join(one.flags).replace("-", "_") for one in backends}
            return {one: {"poses": parts.get(x, 1.0)} for one, x in named.items()}

        monkeypatch.setattr(tuning, "measured", measured)
        return counted

    return say


def test_the_fastest_build_is_taken_and_kept(fastest: Callable[..., list[int]]) -> None:
    """What was measured is kept with it: the next start measures nothing."""
    usual = compiled()
    assert usual.tuned is None
    counted = fastest(_O2=0.5)
    for _ in range(2):
        solver = compiled(tune=True)
        assert solver.tuned is not None
        assert solver.tuned.variant.flags == ("-O2",)
        assert solver.tuned.gain == pytest.approx(2.0)
        assert "-O2, 2.00 times as fast as" in str(solver.tuned)
        assert solver.backend.path != usual.backend.path
        found = solver.inverse_dynamics(*STATE)
        np.testing.assert_allclose(found, usual.inverse_dynamics(*STATE), rtol=1e-13)
    assert counted == [len(variants(vectors=False))]


def test_what_is_not_worth_it_leaves_the_usual_build(fastest: Callable[..., list[int]]) -> None:
    fastest(_O2=0.96)
    usual = compiled()
    solver = compiled(tune=True)
    assert solver.tuned is not None
    assert not solver.tuned.variant.flags
    assert repr(solver.tuned).startswith("<Tuned: built by ")
    assert "none is faster" in str(solver.tuned)
    assert solver.backend.path == usual.backend.path


def test_where_the_environment_sets_ci_nothing_is_measured(
    fastest: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = fastest(_O2=0.5)
    monkeypatch.setenv("CI", "true")
    solver = compiled(tune=True)
    assert solver.tuned is not None
    assert not solver.tuned.variant.flags
    assert not counted
    assert "nothing is measured" in str(solver.tuned)
    monkeypatch.setenv("CI", "false")
    solver = compiled(tune=True)
    assert solver.tuned is not None
    assert solver.tuned.variant.flags


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_every_entry_of_every_build_is_measured(target: str) -> None:
    """In seconds a state: more than nothing, less than a millisecond."""
    solver = compiled(target=target, tune=True)
    assert solver.tuned is not None
    assert [*solver.tuned.times] == [str(x) for x in variants(vectors=target != "c")]
    for times in solver.tuned.times.values():
        assert times.keys() == solver.interface.arguments.keys()
        assert all(0.0 < x < 1e-3 for x in times.values())


def test_flags_that_a_compiler_does_not_know_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chosen, "FLAGS", ((), ("-fno-such-flag-at-all",)))
    solver = compiled(tune=True)
    assert solver.tuned is not None
    assert len(solver.tuned.times) == len(variants(vectors=False)) - 1
    assert not solver.tuned.variant.flags


def test_another_compiler_that_is_here_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, under whatever names it goes; none where CC names the one to use."""
    monkeypatch.delenv("CC", raising=False)
    real = shutil.which("cc") or shutil.which("gcc")
    if real is None:
        pytest.skip("needs a system compiler")
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "clang").write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    (folder / "clang").chmod(0o755)
    for name in ("cc", "gcc"):
        (folder / name).symlink_to(real)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    toolchain._find_compiler.cache_clear()
    found = [str(x) for x in variants(vectors=False)]
    assert found == [*(" ".join(("cc", *flags)) for flags in FLAGS), "clang"]
    monkeypatch.setenv("CC", "cc")
    assert len(variants(vectors=False)) == len(FLAGS)
