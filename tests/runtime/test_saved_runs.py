"""Solvers, models and runs that travel: pickled, copied, saved, read, and gone on with."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import mstmm
from mstmm.errors import UsageError
from mstmm.runtime.motions.results import Run

NAMES = ["branch-pendulum", "four-bar", "spatial-tree", "example-1"]


@pytest.mark.parametrize("name", NAMES)
def test_a_solver_and_its_model_are_pickled_and_copied(name: str) -> None:
    solver = mstmm.compile(name, target="numpy", parameters=("g",) if name == "four-bar" else ())
    assert pickle.loads(pickle.dumps(solver.model)) == solver.model
    for other in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver)):
        assert (other.model, other.parameters) == (solver.model, solver.parameters)
        q, v = solver.model.q0, solver.model.v0
        assert (other.accelerations(q, v) == solver.accelerations(q, v)).all()


def short(name: str, method: str = "rk4", **more: object) -> Run:
    step = {"dt": 2e-3} if method == "rk4" else {"record": 2e-3}
    solver = mstmm.compile(name, target="numpy")
    run = solver.simulate(t_end=0.02, method=method, **step, **more)  # type: ignore[arg-type]
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("name", ["branch-pendulum", "four-bar"])
def test_a_run_from_a_file_goes_on_as_the_run_itself(
    tmp_path: Path, name: str, method: str
) -> None:
    pytest.importorskip("h5netcdf")
    run = short(name, method)
    run.save(tmp_path / "run.nc")
    again = mstmm.load_run(tmp_path / "run.nc")
    assert again.model == run.model
    assert (again.ends, again.conditions, again.attrs) == (run.ends, run.conditions, run.attrs)
    assert list(again) == list(run)
    for key in run:
        assert (again[key].values == run[key].values).all(), key
        assert again[key].units == run[key].units
    later, expected = again.resume(0.04), run.resume(0.04)
    assert (later.q == expected.q).all()
    again.save(tmp_path / "twice.nc")
    twice = mstmm.load_run(str(tmp_path / "twice.nc")).resume(0.04)
    assert (twice.q == expected.q).all()


def test_a_run_with_inputs_is_read_back(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    run = short("cart-pole", inputs={"u": "3*sin(t)", "pole": 0.1})
    run.save(tmp_path / "run.nc")
    again = mstmm.load_run(tmp_path / "run.nc")
    assert (again.input_names, again.input_units) == (run.input_names, run.input_units)
    assert (again["u"].values == run["u"].values).all()
    assert (again.resume(0.04).q == run.resume(0.04).q).all()


def test_a_method_of_a_solver_travels_to_a_worker() -> None:
    solver = mstmm.compile("cart-pole", target="numpy")
    for method, arguments in (
        (solver.simulate, {"t_end": 0.01}),
        (solver.accelerations, {"q": [0.0, 0.2], "v": [0.0, 0.0]}),
    ):
        other = pickle.loads(pickle.dumps(method))
        here, there = method(**arguments), other(**arguments)
        assert np.array_equal(getattr(here, "q", here), getattr(there, "q", there))


def test_a_pickled_run_goes_on_too() -> None:
    run = short("branch-pendulum", events=[mstmm.Event("theta1 - 1.57")])
    expected = run.resume(0.03)
    for other in (copy.copy(run), pickle.loads(pickle.dumps(run))):
        assert (other.resume(0.03).q == expected.q).all()


def test_functions_do_not_travel(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    run = short("branch-pendulum", events=[mstmm.Event(lambda t, q, v: 1.0)])
    run.save(tmp_path / "run.nc")
    for other in (pickle.loads(pickle.dumps(run)), mstmm.load_run(tmp_path / "run.nc")):
        np.testing.assert_array_equal(other.q, run.q)
        with pytest.raises(UsageError, match="no solver to go on with: functions do not travel"):
            other.resume(1.0)


GAINS = np.array([[1.0, 20.0, 2.0, 4.0]])


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("cart-pole", None),
        ("four-bar", {"shaft": 0.1}),
        ("cart-pole", {"u": mstmm.Sampled("20*qpole - 2*ucart", 0.007)}),
        ("cart-pole", {"u": mstmm.Table([0.0, 0.03], [0.0, 3.0]), "pole": 0.1}),
        ("cart-pole", {"u": mstmm.Sampled(mstmm.Feedback(GAINS, q=[0.1, 0.0]), 0.007)}),
        ("cart-pole", {("u", "pole"): ["-2*ucart", "0.1*sin(t)"]}),
    ],
)
def test_a_run_with_inputs_comes_back_from_a_file_and_goes_on(
    tmp_path: Path, name: str, inputs: dict[object, object] | None, method: str
) -> None:
    """With what is held: one of the sampling instants lies behind the end of the first run."""
    pytest.importorskip("h5netcdf")
    run = short(name, method, inputs=inputs)
    run.save(tmp_path / "run.nc")
    again = mstmm.load_run(tmp_path / "run.nc")
    assert (again.input_names, again.input_units) == (run.input_names, run.input_units)
    assert list(again) == list(run)
    assert again["inputs"].member_units == run["inputs"].member_units
    assert (again["inputs"].values == run["inputs"].values).all()
    again.save(tmp_path / "twice.nc")
    twice = mstmm.load_run(tmp_path / "twice.nc")
    expected = run.resume(0.04)
    for other in (again, twice):
        assert (other.resume(0.04).q == expected.q).all()


def test_a_run_of_functions_as_inputs_comes_back_and_says_why_it_ends(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    run = short("cart-pole", inputs={"u": lambda t, q, v: 0.1})
    run.save(tmp_path / "run.nc")
    again = mstmm.load_run(tmp_path / "run.nc")
    assert (again["u"].values == 0.1).all()
    with pytest.raises(UsageError, match="functions do not travel"):
        again.resume(1.0)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with pytest.raises(UsageError, match=r"none\.nc: there is no such file"):
        mstmm.load_run(tmp_path / "none.nc")
    with pytest.raises(UsageError, match=r"a run is read from \.nc"):
        mstmm.load_run("run.csv")
    xarray.Dataset({"q": ("time", [1.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(UsageError, match=r"holds no model: it was not written by run.save"):
        mstmm.load_run(tmp_path / "other.nc")


def test_load_takes_a_path() -> None:
    path = Path(__file__).parents[2] / "examples" / "slider.toml"
    assert mstmm.load(path) == mstmm.load(str(path))
