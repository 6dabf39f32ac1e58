"""Loops whose turns may run in any order: which are marked, and that no order changes a number."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler

from mstmm import compile as compile_model
from mstmm import load
from mstmm.codegen import order as orders
from mstmm.codegen.build import THREADS, build
from mstmm.codegen.emit import Sources
from mstmm.codegen.generate import generate
from mstmm.codegen.order import IN_THREADS, INDEPENDENT, order
from mstmm.errors import UsageError
from mstmm.runtime.evaluation.backend import CLibrary

LOOP = re.compile(r"for \(int i = 0; i < (\d+); i\+\+\)")

#: Chains, branches, closed loops; maps, sweeps and the levels of assembly trees.
MARKED = [
    ("ball-chain:n=33", "hdca"),
    ("ball-chain:n=33", "riccati"),
    ("branch-system:N=19", "riccati"),
    ("rod-chain:n=17", "overall"),
    ("ball-chain:n=17", "rnea-hybrid"),
]


def results(files: Mapping[str, str], sources: Sources, flags: tuple[str, ...] = ()) -> list[bytes]:
    """What every entry gives at one state, to the bit."""
    prefix = sources.interface.prefix
    chosen = replace(sources, files=files)
    library = CLibrary(build(prefix, chosen.library, extra_flags=flags), sources)
    found = []
    for entry, names in sources.interface.arguments.items():
        rng = np.random.default_rng(1)
        sizes = sources.interface.sizes
        buffers = {name: rng.uniform(-1, 1, (1, sizes[name])) for name in names}
        library.run(entry, buffers)
        found += [buffers[name].tobytes() for name in sources.interface.results[entry]]
    return found


@needs_compiler
@pytest.mark.parametrize(("name", "algorithm"), MARKED)
def test_marked_loops_may_run_backwards(
    name: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not vectorised, so that rounding stays the same, every marked loop from its last turn on."""
    monkeypatch.setattr(orders, "LONG", 1)
    sources = generate(load(name), algorithm=algorithm).sources
    lines = sources.files[f"{sources.interface.prefix}.c"].split("\n")
    marked = [k for k, line in enumerate(lines) if line.strip() in (INDEPENDENT, IN_THREADS)]
    assert marked
    for k in marked:
        lines[k + 1] = LOOP.sub(r"for (int i = \1 - 1; i >= 0; i--)", lines[k + 1])
        lines[k] = ""
    backwards = dict(sources.files) | {f"{sources.interface.prefix}.c": "\n".join(lines)}
    flags = ("-O1", "-fno-tree-vectorize", "-ffp-contract=off")
    assert results(backwards, sources, flags) == results(sources.files, sources, flags)


def test_the_levels_of_an_assembly_tree_are_marked_and_sweeps_are_not() -> None:
    divided, swept = (
        [b for step in made.module.steps for b in step.blocks if b.count > 1]
        for made in (generate(load("ball-chain", n=64), algorithm=x) for x in ("hdca", "riccati"))
    )
    merges = [b for b in divided if "two nodes become one" in b.title and b.count >= 8]
    assert {b.count for b in merges} == {31, 15}
    assert all(order(b) == INDEPENDENT for b in merges)
    assert not any(b.carries for b in divided)
    assert any(b.carries for b in swept)
    assert all(order(b) == "" for b in swept if b.carries)


@needs_compiler
@pytest.mark.parametrize("name", ["ball-chain:n=40", "rod-chain:n=4200"])
def test_threads_change_no_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sines and cosines of the rods are in two parts."""
    monkeypatch.setattr(orders, "LONG", 500)
    model = load(name)
    algorithm = "hdca" if model.dimension == 3 else "riccati"
    sources = generate(model, algorithm=algorithm, entries=["accelerations"]).sources
    assert IN_THREADS in sources.files[f"{sources.interface.prefix}.c"]
    alone = results(sources.files, sources)
    together = results(sources.files, sources, THREADS)
    for first, second in zip(alone, together, strict=True):
        a, b = np.frombuffer(first), np.frombuffer(second)
        assert np.isfinite(a).all()
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(a).max())


@needs_compiler
def test_a_solver_in_threads() -> None:
    solver = compile_model("ball-chain:n=5", algorithm="dca", threads=True)
    assert solver.threads
    q, v = solver.model.q0, np.linspace(-1, 1, len(solver.speeds))
    expected = compile_model("ball-chain:n=5", target="numpy").accelerations(q, v)
    np.testing.assert_allclose(solver.accelerations(q, v), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("target", ["numpy", "c-batch", "c-lanes"])
def test_other_targets_have_no_threads(target: str) -> None:
    with pytest.raises(UsageError, match=f"threads are for target 'c', not '{target}'"):
        compile_model("ball-chain:n=40", target=target, threads=True)


@pytest.mark.parametrize("threads", [False, True])
def test_the_build_script_says_so(threads: bool) -> None:
    files = generate(load("double-pendulum"), threads=threads).sources.files
    assert ("-fopenmp" in files["build_double_pendulum.py"]) == threads


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="libraries are told not to unload on Linux")
def test_a_library_in_threads_stays_when_its_solver_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenMP's threads wait in its code; unloaded, it would be gone when they wake."""
    monkeypatch.setattr(orders, "LONG", 1)
    model = load("ball-chain", n=33)
    solver = compile_model(model, algorithm="dca", threads=True)
    solver.accelerations(model.q0, model.v0)
    del solver
    gc.collect()
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert "libgomp" in maps or "libomp" in maps


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_does_not_wait_for_its_parent_s_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child has none of OpenMP's threads; it works alone instead of waiting for them."""
    monkeypatch.setattr(orders, "LONG", 1)
    model = load("ball-chain", n=34)
    solver = compile_model(model, algorithm="dca", threads=True)
    expected = solver.accelerations(model.q0, model.v0)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = np.array_equal(solver.accelerations(model.q0, model.v0), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
