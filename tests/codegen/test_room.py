"""Large linear systems stand in the workspace: a thread's stack may be small."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mstmm
from mstmm.codegen.blocks import LARGEST_LOCAL
from mstmm.codegen.generate import generate
from mstmm.model import Model, load


def side_by_side(count: int) -> Model:
    """So many four-bar linkages that have nothing to do with each other."""
    one = load("four-bar")
    each = range(count)
    return replace(
        one,
        bodies=tuple(replace(b, name=f"{b.name}{k}") for k in each for b in one.bodies),
        hinges=tuple(
            replace(
                h,
                name=f"{h.name}{k}",
                ends=tuple(e if e.body == "0" else replace(e, body=f"{e.body}{k}") for e in h.ends),
            )
            for k in each
            for h in one.hinges
        ),
        cuts=tuple(f"{name}{k}" for k in each for name in one.cuts),
        q0=(),
        v0=(),
    )


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_many_loops_vary_as_one_does(target: str) -> None:
    one, model = load("four-bar"), side_by_side(9)
    solver = mstmm.compile(model, target=target)
    start = dict(zip(one.coordinates, one.q0, strict=True))
    q = [start[name.rstrip("0123456789")] for name in solver.coordinates]
    v = np.zeros(len(solver.speeds))
    single = mstmm.compile(one)
    expected = np.tile(single.accelerations(one.q0, one.v0), 9)
    # loops beside one another close one by one: a few roundings of accelerations of 1 rad/s²
    np.testing.assert_allclose(solver.accelerations(q, v), expected, rtol=0, atol=1e-11)
    of = solver.derivatives(q, v, 0.0 * v).dtau
    by = [[k for k, name in enumerate(solver.speeds) if name.endswith(f"{i}")] for i in range(9)]
    block = single.derivatives(one.q0, one.v0, np.zeros(len(single.speeds))).dtau
    for rows in by:
        found = of[np.ix_(rows, rows)]
        np.testing.assert_allclose(found, block, rtol=0, atol=1e-10 * abs(block).max())


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_large_systems_stand_in_the_workspace(target: str) -> None:
    """18 conditions of the delta robot close together; the 2 of one linkage are local variables."""
    of = {name: generate(load(name), target=target) for name in ("delta-robot", "four-bar")}
    assert len(of["delta-robot"].program.sets["conditions"]) > LARGEST_LOCAL
    kept = {name: any("w->room" in x for x in of[name].sources.files.values()) for name in of}
    assert kept == {"delta-robot": True, "four-bar": False}


@pytest.mark.slow
def test_sixty_loops_run_in_a_small_stack() -> None:
    code = (
        "import threading, numpy as np, mstmm\n"
        "from test_room import side_by_side\n"
        "solver = mstmm.compile(side_by_side(60))\n"
        "q, v = np.zeros(len(solver.coordinates)), np.zeros(len(solver.speeds))\n"
        "q[::3] = 1.0\n"
        "threading.stack_size(320 * 1024)\n"
        "thread = threading.Thread(target=lambda: solver.accelerations(q, v))\n"
        "thread.start(); thread.join()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
