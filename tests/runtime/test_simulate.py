"""Motions and runs: order of accuracy, schedules, methods, bad input, and files."""

from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_models
from compiler import TARGET, TARGETS, needs_compiler
from places import DATA

import mstmm
from mstmm.errors import NumericsError, ToolchainError, UsageError
from mstmm.runtime.motions.results import Run
from mstmm.runtime.motions.scipy_methods import SCIPY_METHODS
from mstmm.runtime.motions.variables import COMPONENTS
from mstmm.runtime.solver import Solver

REFERENCE = DATA / "riccati-paper" / "reference.csv"

BOTH = pytest.mark.parametrize("target", TARGETS)


@cache
def pendulum(target: str = TARGET) -> Solver:
    return mstmm.compile("branch-pendulum", target=target)


@cache
def spatial(target: str = TARGET) -> Solver:
    return mstmm.compile(random_models.tree_of(3, (1, 2, 0, 0), 3), target=target)


@cache
def short() -> Run:
    return pendulum().simulate(t_end=0.01)


def reference_at(time: float) -> np.ndarray:
    """The stored angles, good to 1e-11, made by Lagrange's equations."""
    rows = np.loadtxt(REFERENCE, delimiter=",", skiprows=1)
    return np.asarray(rows[np.abs(rows[:, 0] - time).argmin(), 1:5])


# The motion


@BOTH
def test_rk4_is_of_order_four(target: str) -> None:
    expected = reference_at(1.0)
    errors = [
        np.abs(pendulum(target).simulate(t_end=1.0, dt=dt, record=1.0).q[-1] - expected).max()
        for dt in (0.02, 0.01, 0.005)
    ]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.15)


@needs_compiler
@pytest.mark.parametrize("solver", [pendulum, spatial])
def test_c_and_numpy_give_the_same_run(solver: Any) -> None:
    runs = [solver(target).simulate(t_end=0.2, dt=2e-3) for target in ("c", "numpy")]
    for name in ("q", "v", "a", "loads", "energy"):
        one, other = (run[name].values for run in runs)
        assert np.abs(one - other).max() <= 1e-11 * max(1.0, np.abs(one).max()), name


@pytest.mark.parametrize("method", SCIPY_METHODS)
def test_every_method_of_scipy_reaches_the_reference(method: str) -> None:
    """The second-order-like ones lose more of the tolerance; 1e-6 rad is ten times their worst."""
    run = pendulum().simulate(t_end=1.0, method=method, record=0.25, rtol=1e-8, atol=1e-8)
    assert list(run.time) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert np.abs(run.q[-1] - reference_at(1.0)).max() < 1e-6
    assert run.attrs["method"] == method


def test_tolerances_reach_the_integrator() -> None:
    loose, tight = (
        pendulum().simulate(t_end=1.0, method="RK45", record=1.0, rtol=tolerance, atol=tolerance)
        for tolerance in (1e-4, 1e-10)
    )
    expected = reference_at(1.0)
    assert np.abs(tight.q[-1] - expected).max() < 1e-8 < np.abs(loose.q[-1] - expected).max()
    assert (loose.attrs["rtol"], tight.attrs["atol"]) == (1e-4, 1e-10)


@pytest.mark.parametrize("method", ["rk4", "DOP853", "RK23"])
def test_quaternions_come_back_with_unit_length(method: str) -> None:
    solver = spatial()
    model = solver.model
    run = solver.simulate(
        np.array(model.q0) * (1 + 5e-7), t_end=0.5, method=method, record=0.1,
        dt=1e-2 if method == "rk4" else None, rtol=None if method == "rk4" else 1e-5,
    )  # fmt: skip
    lengths = np.linalg.norm(run.q.reshape(len(run.time), -1, 4), axis=-1)
    assert np.abs(lengths - 1).max() < 4e-16
    assert np.abs(run.q[0] - model.q0).max() < 1e-15


def test_spatial_rk4_agrees_with_dop853() -> None:
    """RK4 at 1 ms and a tight DOP853 differ by RK4's own error."""
    fixed = spatial().simulate(t_end=0.5, record=0.1)
    adaptive = spatial().simulate(t_end=0.5, method="DOP853", record=0.1, rtol=1e-11, atol=1e-11)
    assert np.abs(fixed.q - adaptive.q).max() < 1e-8
    assert fixed.energy_drift < 1e-6


def test_what_a_run_reports_is_what_the_solver_says_of_its_states() -> None:
    solver, run = spatial(), spatial().simulate(t_end=0.02)
    np.testing.assert_allclose(run.a, solver.accelerations(run.q, run.v), rtol=1e-13)
    np.testing.assert_allclose(run.loads, solver.joint_loads(run.q, run.v), rtol=1e-13)
    np.testing.assert_allclose(run.energy, solver.energy(run.q, run.v), rtol=1e-13)


def test_the_start_is_the_models_unless_given() -> None:
    model = pendulum().model
    assert tuple(short().q[0]) == model.q0
    run = pendulum().simulate([0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4], t_end=0.01)
    assert tuple(run.q[0]) == (0.1, 0.2, 0.3, 0.4)
    assert tuple(run.v[0]) == (1, 2, 3, 4)


@BOTH
def test_run_time_parameters_hold_along_the_motion(target: str) -> None:
    """Without gravity at rest nothing moves."""
    solver = mstmm.compile("branch-pendulum", target=target, parameters=("g", "m"))
    still = solver.simulate(t_end=0.05, parameters={"g": 0.0})
    assert np.abs(still.v).max() < 1e-15
    assert still.attrs["g"] == 0.0
    falling = solver.simulate(t_end=0.05)
    np.testing.assert_allclose(falling.q, pendulum(target).simulate(t_end=0.05).q, atol=1e-13)


# The schedule


def test_times_are_multiples_of_the_interval_and_t_end() -> None:
    assert len(pendulum().simulate(t_end=5.0, record=0.1).time) == 51
    run = pendulum().simulate(t_end=0.3)
    assert len(run.time) == 301
    assert list(run.time[[3, 9, 300]]) == [0.003, 0.009, 0.3]
    assert list(pendulum().simulate(t_end=1.0, record=0.3, dt=0.1).time) == pytest.approx(
        [0.0, 0.3, 0.6, 0.9, 1.0]
    )


def test_what_is_recorded_does_not_change_the_motion() -> None:
    every, last = pendulum().simulate(t_end=0.5), pendulum().simulate(t_end=0.5, record=0.5)
    assert (every.q[-1] == last.q[-1]).all()
    assert (every.v[-1] == last.v[-1]).all()


@pytest.mark.parametrize("record", [1e-3, 4e-3, 1.0])
def test_the_last_step_is_shortened(record: float) -> None:
    run = pendulum().simulate(t_end=0.0105, record=record)
    whole = pendulum().simulate(t_end=0.010)
    left = 0.0105 - 10 * 1e-3
    rest = pendulum().simulate(whole.q[-1], whole.v[-1], t_end=left, dt=left)
    assert run.time[-1] == 0.0105
    assert (run.q[-1] == rest.q[-1]).all()


def test_progress_goes_up_to_one() -> None:
    seen: list[float] = []
    mstmm.compile("branch-system:N=99", target="numpy").simulate(
        t_end=0.1, record=0.1, progress=seen.append
    )
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert seen[-1] == 1.0


# Bad input


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"t_end": -1.0}, "t_end = -1 s must be after the start at t = 0 s"),
        ({"t_end": 1.0, "t_start": 1.0}, "t_end = 1 s must be after the start at t = 1 s"),
        ({"t_end": 1.0, "t_start": float("nan")}, "t_start = nan s must be a finite"),
        ({"t_end": 1e15, "t_start": 1e15 - 1}, "times of 1e.15 s cannot be told apart"),
        ({"t_end": 1.0, "max_step": 0.1}, "max_step means nothing to rk4"),
        ({"t_end": 1.0, "method": "RK45", "max_step": 0.0}, "max_step = 0 s must be"),
        ({"t_end": 1.0, "method": "RK45", "atol": 1e-300}, "atol = 1e-300 is below what doubles"),
        ({"t_end": 0.0}, "t_end = 0 s"),
        ({"t_end": float("nan")}, "t_end = nan"),
        ({"t_end": float("inf")}, "t_end = inf"),
        ({"t_end": "1"}, "t_end = '1' is no number"),
        ({"t_end": 1.0, "method": "dopri5", "dt": 1e-3}, "dt means nothing to dopri5, .* record"),
        ({"t_end": 1.0, "dt": 0.0}, "dt = 0 s"),
        ({"t_end": 1.0, "dt": 1e-320}, "have more than 9e\\+15 steps"),
        ({"t_end": 1.0, "record": -1.0}, "record = -1 s"),
        ({"t_end": 1.0, "record": 1.5e-3}, "record = 0.0015 s must be a whole multiple"),
        ({"t_end": 1.0, "record": 5e-4}, "record = 0.0005 s must be a whole multiple"),
        ({"t_end": 1e9}, "would take .* GiB.*record"),
        (
            {"t_end": 1.0, "method": "heun"},
            "no method 'heun'; there are: rk4, euler, rkmk4, do",
        ),
        ({"t_end": 1.0, "rtol": 1e-6}, "rtol means nothing to rk4"),
        ({"t_end": 1.0, "method": "RK45", "rtol": 1e-18}, "rtol = 1e-18 is below"),
        ({"t_end": 1.0, "method": "RK45", "atol": 0.0}, "atol = 0 must be"),
        ({"t_end": 1.0, "q0": [1.0]}, r"q has the shape \(1,\)"),
        ({"t_end": 1.0, "v0": [np.nan] * 4}, r"v\[0\], omega1, is nan"),
        ({"t_end": 1.0, "parameters": {"m": 1.0}}, "'m' is no run-time parameter"),
    ],
)
def test_a_bad_argument_is_named(keywords: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        pendulum().simulate(**keywords)


def test_a_quaternion_of_length_zero_is_an_error() -> None:
    solver = spatial()
    with pytest.raises(UsageError, match=r"the quaternion .* has norm 0 instead of 1"):
        solver.simulate(np.zeros(len(solver.coordinates)), t_end=0.1)


@pytest.mark.parametrize("method", ["rk4", "RK45", "LSODA"])
@BOTH
def test_a_motion_that_leaves_the_numbers_is_an_error(method: str, target: str) -> None:
    with pytest.raises(NumericsError, match="branch-pendulum"):
        pendulum(target).simulate(v0=[1e160, 0, 0, 0], t_end=0.01, method=method)


def test_a_missing_scipy_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(ToolchainError, match="method RK45 needs scipy") as caught:
        pendulum().simulate(t_end=1.0, method="RK45")
    assert caught.value.remedy == 'pip install "mstmm[scipy]"'
    assert len(pendulum().simulate(t_end=0.01).time) == 11


# Runs and their files


def test_a_run_is_a_mapping_of_named_arrays() -> None:
    run = short()
    assert list(run) == ["time", "q", "v", "a", "loads", "energy"]
    sizes = {"time": 11, "coordinate": 4, "speed": 4, "end": 4, "component": 6}
    for name, variable in run.items():
        assert variable.values is getattr(run, name)
        assert variable.values.shape == tuple(sizes[axis] for axis in variable.dims), name
        assert set(variable.attrs) - {"units"} == {"long_name"}
        assert ("units" in variable.attrs) == (name != "loads")
    assert run["v"].units == "rad/s"
    assert run.coords["end"] == ("1:O", "3:O", "5:O", "7:O")
    assert spatial().simulate(t_end=0.001)["q"].units == "1"
    assert run == run
    with pytest.raises(KeyError, match=r"a run has no 'x'.*; it has: time, q"):
        run["x"]


def test_a_run_is_read_only() -> None:
    for variable in short().values():
        with pytest.raises(ValueError, match="read-only"):
            variable.values[0] = 1.0


def test_csv_holds_the_numbers_exactly(tmp_path: Path) -> None:
    run = short()
    run.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        header, *rows = list(csv.reader(file))
    assert header[:10] == ["time", *run.coordinates, *run.speeds, "omega1_dot"]
    assert header[13:19] == [f"1:O.{component}" for component in COMPONENTS]
    assert header[-1] == "energy"
    numbers = np.array([[float(text) for text in row] for row in rows])
    expected = [run.time, run.q, run.v, run.a, run.loads.reshape(11, -1), run.energy]
    assert (numbers == np.column_stack(expected)).all()


def test_netcdf_holds_the_numbers_and_units(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    run = short()
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as found:
        for name in ("q", "v", "a", "loads", "energy"):
            assert (found[name].values == run[name].values).all()
            assert found[name].dims == run[name].dims
            assert found[name].attrs == run[name].attrs
        assert (found["time"].values == run.time).all()
        assert found["time"].attrs["units"] == "s"
        assert found["loads"].sel(end="7:O", component="q_y").values[0] == run.loads[0, 3, 4]
        assert found.attrs["method"] == "rk4"
        assert found.attrs["dt"] == 1e-3


def left_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_run_replaces_an_older_file(tmp_path: Path) -> None:
    target = tmp_path / "run.csv"
    target.write_text("old")
    short().save(target)
    assert target.read_text().startswith("time,theta1")
    assert left_in(tmp_path) == ["run.csv"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("run.txt", "saved as .csv or .nc, not '.txt'"),
        ("run", "saved as .csv or .nc, not ''"),
        ("none/run.csv", "does not exist"),
        ("file/run.csv", "is no folder"),
        ("folder.csv", "is a folder; name a file"),
    ],
)
def test_a_bad_path_is_named(tmp_path: Path, path: str, named: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match=named):
        short().save(tmp_path / path)
    assert left_in(tmp_path) == ["file", "folder.csv"]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_save_that_fails_leaves_the_older_file(
    tmp_path: Path, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: Run, path: Path) -> None:
        path.write_text("half a fi")
        raise problem

    (tmp_path / "run.csv").write_text("old")
    monkeypatch.setattr(Run, "_write_csv", half)
    with pytest.raises((KeyboardInterrupt, UsageError)):
        short().save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text() == "old"
    assert left_in(tmp_path) == ["run.csv"]


@pytest.mark.parametrize("module", ["xarray", "h5netcdf", "h5py"])
def test_a_missing_extra_is_named_and_csv_goes_without(
    tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ToolchainError, match=f"needs {module}.*") as caught:
        short().save(tmp_path / "run.nc")
    assert caught.value.remedy == 'pip install "mstmm[data]"'
    short().save(tmp_path / "run.csv")
    assert left_in(tmp_path) == ["run.csv"]
