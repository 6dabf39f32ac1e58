"""Target `c-batch`: a state in each lane, judged against NumPy, state by state."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler
from places import EXAMPLES
from proofs import proof_of_blocks
from sizes import covered

import mstmm
from mstmm.codegen.build import FLAGS, NATIVE_FLAGS
from mstmm.codegen.generate import generate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import load
from mstmm.runtime.evaluation.backend import CBatchLibrary
from mstmm.runtime.motions.integration import Task, integrate
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.solver import Solver
from mstmm.runtime.stepping.outcomes import DONE, OPEN

MODELS = ("rod-chain:n=30", "branch-pendulum", "branch-system:N=25", "arm", "crank", "fourbar")

pytestmark = needs_compiler


def _load(name: str) -> mstmm.Model:
    return load(str(EXAMPLES / f"{name}.toml") if name in ("arm", "crank", "fourbar") else name)


def _states(solver: Solver, count: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(count)
    q = np.array(solver.model.q0) + 0.2 * draw.standard_normal((count, len(solver.coordinates)))
    q, v = solver.retracted(q), draw.standard_normal((count, len(solver.speeds)))
    if solver.conditions and count:
        q, v = map(np.array, zip(*map(solver.project, q, v), strict=True))
    return q, v


def _width(solver: Solver) -> int:
    assert isinstance(solver.backend, CBatchLibrary)
    return solver.backend.width


@pytest.mark.parametrize("name", MODELS)
def test_every_entry_equals_numpy_for_any_number_of_states(name: str) -> None:
    batch = mstmm.compile(_load(name), target="c-batch")
    plain = mstmm.compile(_load(name), target="numpy")
    width = _width(batch)
    for count in (1, width - 1, width, width + 1, 3 * width + 2):
        q, v = _states(plain, count)
        tau = np.random.default_rng(1).standard_normal(v.shape)
        for ours, theirs in (
            (batch.accelerations(q, v), plain.accelerations(q, v)),
            (batch.accelerations(q, v, tau), plain.accelerations(q, v, tau)),
            (batch.joint_loads(q, v), plain.joint_loads(q, v)),
            (batch.poses(q), plain.poses(q)),
            (batch.energy(q, v), plain.energy(q, v)),
            (batch.rates(q, v), plain.rates(q, v)),
        ):
            assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-11 * np.abs(theirs).max())


@pytest.mark.parametrize("name", MODELS)
def test_its_blocks_are_proven(name: str) -> None:
    # seed 0 draws a time at which the drive's tanh is 1 but for its last digits, which are the
    # function's own rounding: the judge rounds statements, not the functions in them
    proof = proof_of_blocks(mstmm.compile(_load(name), target="c-batch"), seed=3)
    proof.require()


def test_run_time_parameters_and_motion() -> None:
    model = load("branch-pendulum")
    batch = mstmm.compile(model, target="c-batch", parameters=["g"])
    plain = mstmm.compile(model, target="c", parameters=["g"])
    ours, theirs = (s.simulate(t_end=0.5, dt=1e-3, parameters={"g": 3.0}) for s in (batch, plain))
    assert ours.q == pytest.approx(theirs.q, abs=1e-12)


def test_many_motions_in_one_call() -> None:
    """Each lane is a motion of its own; the last vector is not full."""
    model = load("branch-pendulum")
    batch, plain = (mstmm.compile(model, target=target) for target in ("c-batch", "c"))
    count = _width(batch) + 3
    q, v = _states(plain, count)
    task = Task("rk4", schedule(0.2, 1e-3, 0.2, fixed=True))
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    assert len(tracks) == count
    for k, track in enumerate(tracks):
        (one,) = integrate(plain.backend, task, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert track.state == one.state == DONE
        assert track.q == pytest.approx(one.q, abs=1e-12)
        assert track.v == pytest.approx(one.v, abs=1e-12)


def test_every_lane_closes_its_own_loops() -> None:
    """From starts of which some are nearer to closed ones than others."""
    batch, plain = (mstmm.compile(_load("fourbar"), target=t) for t in ("c-batch", "c"))
    count = _width(batch) + 1
    closed = np.array([*plain.project(plain.model.q0, plain.model.v0)])
    spread = np.random.default_rng(3).uniform(-1, 1, (count, len(plain.coordinates)))
    spread *= np.linspace(0, 0.4, count)[:, np.newaxis]
    many = {"q": closed[0] + spread, "v": closed[1] + spread}
    ones = [{name: array[k : k + 1].copy() for name, array in many.items()} for k in range(count)]
    assert batch.backend.project(many) == DONE
    assert np.abs(np.concatenate(batch.constraints(many["q"], many["v"]))).max() < 1e-11
    for one in ones:
        assert plain.backend.project(one) == DONE
    for name in many:
        assert many[name] == pytest.approx(np.concatenate([one[name] for one in ones]), abs=1e-9)
    task = Task("rk4", schedule(0.05, 1e-3, 0.05, fixed=True))
    tracks = integrate(batch.backend, task, many)
    assert {track.state for track in tracks} == {DONE}
    ends = [np.array([getattr(track, name)[-1] for track in tracks]) for name in ("q", "v")]
    assert np.abs(batch.constraints(*ends)[0]).max() < 1e-11
    far = replace(
        plain.model, ground=tuple(replace(x, position=(50, 0)) for x in plain.model.ground)
    )
    for target in ("c-batch", "c"):
        open_ = mstmm.compile(far, target=target)
        state = {"q": np.array([far.q0]), "v": np.array([far.v0])}
        assert open_.backend.project(state) == OPEN


def test_a_far_angle_in_one_lane_leaves_the_others_alone() -> None:
    model = load("branch-pendulum")
    batch, plain = (mstmm.compile(model, target=target) for target in ("c-batch", "numpy"))
    q, v = _states(plain, 5)
    near = batch.accelerations(q, v)
    q[2, 1] = 1e14
    far = batch.accelerations(q, v)
    assert (np.delete(near, 2, axis=0) == np.delete(far, 2, axis=0)).all()
    assert far[2] == pytest.approx(plain.accelerations(q, v)[2], rel=1e-11)


def test_one_state_that_is_not_finite_is_reported() -> None:
    batch = mstmm.compile(load("branch-pendulum"), target="c-batch")
    q, v = _states(batch, 5)
    v[3, 0] = 1e200
    with pytest.raises(mstmm.MstmmError, match="not finite"):
        batch.accelerations(q, v)


@covered(1, lanes=[2, 4, 8], native=[False, True])
def test_the_width_is_a_build_flag_and_c_has_no_warnings(
    lanes: int, native: bool, tmp_path: Path
) -> None:
    files = generate(load("branch-pendulum"), target="c-batch").sources.files
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(
        """
#include "branch_pendulum.h"
int main(void)
{
    static const double q[8 * 4] = {0.1, 0.2, 0.3, 0.4, 1.0, 1.1, 1.2, 1.3}, v[8 * 4] = {0.0};
    static branch_pendulum_work w;
    double all[8 * 4], one[4];
    int status = branch_pendulum_accelerations(8, q, v, all, &w);
    status |= branch_pendulum_accelerations(1, q + 4, v, one, &w);
    for (int k = 0; k < 4; k++) {
        status |= all[4 + k] != one[k];
    }
    return status | (branch_pendulum_width() != LANES);
}
"""
    )
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wno-unused-function", "-Werror"]
    flags = [flag for flag in FLAGS if flag not in ("-fPIC", "-shared")]
    quickly = [] if native else ["-O0"]
    command = [*find_compiler().command, *flags, *quickly, *strict, f"-DLANES={lanes}"]
    sources = [name for name in files if name.endswith(".c")]
    sources += ["main.c", "-lm", "-o", "main"]
    flags = NATIVE_FLAGS if native else ()
    subprocess.run([*command, *flags, *sources], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


def test_a_caller_for_another_width_does_not_link(tmp_path: Path) -> None:
    """Its workspace is of another size: it would be overrun."""
    for name, text in generate(load("branch-pendulum"), target="c-batch").sources.files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(
        '#include "branch_pendulum.h"\nstatic branch_pendulum_work w;\n'
        "int main(void)\n{\n    double q[4] = {0.0}, v[4] = {0.0}, a[4];\n"
        "    return branch_pendulum_accelerations(1, q, v, a, &w);\n}\n"
    )
    command = find_compiler().command
    names = sorted(x.name for x in tmp_path.glob("*.c") if x.name != "main.c")
    subprocess.run([*command, "-DLANES=4", "-O0", "-c", *names], cwd=tmp_path, check=True)
    objects = [name.replace(".c", ".o") for name in names]
    for lanes, links in ((4, True), (8, False)):
        line = [*command, f"-DLANES={lanes}", "-O0", "main.c", *objects, "-lm", "-o", "main"]
        done = subprocess.run(line, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert (done.returncode == 0) == links, done.stderr
    assert "branch_pendulum_accelerations_x8" in done.stderr


@needs_compiler
@pytest.mark.parametrize(
    "name",
    [
        "double-pendulum",
        pytest.param("rod-chain:n=500", marks=pytest.mark.slow),
        pytest.param("ball-chain:n=500", marks=pytest.mark.slow),
    ],
)
def test_the_vectors_of_a_long_chain_stay_within_the_cache(name: str) -> None:
    made = generate(load(name), entries=["accelerations"], target="c-batch")
    solver = mstmm.compile(load(name), target="c-batch")
    width = solver.backend.width
    held = width * 8 * sum(made.module.workspace.values())
    assert width in (2, 4, 8, 16)
    assert held <= 3 << 18 or width <= 4
