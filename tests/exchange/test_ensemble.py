"""Ensembles: the same numbers whatever the chunks, threads, workers and interruptions."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mstmm
from mstmm.errors import UsageError
from mstmm.exchange.ensemble.ensemble import Ensemble

#: Two swinging rods on a cart of a parameter's mass.
SYSTEM = "branch-pendulum"
SAMPLES = {"theta1": np.linspace(-1.0, 1.0, 21), "m": np.linspace(0.5, 1.5, 21)}


def arrays(found: mstmm.exchange.ensemble.ensemble.Ensemble) -> dict[str, Any]:
    """All that is kept, by name."""
    return {name: np.asarray(x) for name, x in found.data.data_vars.items()}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same arrays, bit by bit."""
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.tobytes() == other[name].tobytes(), name


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("ensemble") / "whole.zarr"
    return mstmm.ensemble(SYSTEM, SAMPLES, to=path, **OPTIONS)


OPTIONS: dict[str, Any] = {
    "t_end": 0.5,
    "record": 0.1,
    "outputs": {
        "q": "q",
        "a": "a",
        "loads": "loads",
        "energy": "energy",
        "height": "-2*a*cos(theta1)",
    },
    "events": ["theta1"],
}


def test_each_motion_is_that_of_a_solver(whole: Any) -> None:
    """Against `simulate` of one state in target `c`: 1e-12 is the rounding of 500 steps."""
    solver = mstmm.compile(SYSTEM, parameters=["m"])
    data = whole.data
    assert whole.failures == {}
    assert whole.missing == 0
    for k in (0, 7, 20):
        q0 = np.array(solver.model.q0)
        q0[0] = SAMPLES["theta1"][k]
        given = {"m": float(SAMPLES["m"][k])}
        event = [mstmm.Event("theta1")]
        run = solver.simulate(q0, t_end=0.5, record=0.1, parameters=given, events=event)
        np.testing.assert_allclose(data.q[k], run.q, atol=1e-12)
        np.testing.assert_allclose(data.energy[k], run.energy, rtol=1e-12)
        np.testing.assert_allclose(data.a[k], run.a, atol=1e-11)
        np.testing.assert_allclose(data.loads[k], run.loads, atol=1e-11)
        np.testing.assert_allclose(data.height[k], -np.cos(run.q[:, 0]), atol=1e-12)
        assert int(data.event_count[k, 0]) == len(run.events)
        if run.events:
            np.testing.assert_allclose(data.event_time[k, 0], run.events[0].time, atol=1e-12)
    assert int(data.event_count.sum()) > 0


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_numbers_do_not_depend_on_chunks_and_threads(tmp_path: Path, method: str) -> None:
    options = {**OPTIONS, "method": method, "events": ()}
    first = mstmm.ensemble(SYSTEM, SAMPLES, to=tmp_path / "a.zarr", workers=1, chunk=21, **options)
    other = mstmm.ensemble(SYSTEM, SAMPLES, to=tmp_path / "b.zarr", workers=3, chunk=5, **options)
    assert_same(arrays(first), arrays(other))


def test_what_is_reduced_is_what_the_series_say(whole: Any, tmp_path: Path) -> None:
    names = ["final", "min", "max", "absmax", "mean", "rms", "q0.25"]
    found = mstmm.ensemble(
        SYSTEM, SAMPLES, to=tmp_path / "r.zarr", **{**OPTIONS, "events": ()}, reduce=names
    ).data
    series = np.asarray(whole.data.height)
    expected = {
        "final": series[:, -1],
        "min": series.min(axis=1),
        "max": series.max(axis=1),
        "absmax": np.abs(series).max(axis=1),
        "mean": series.mean(axis=1),
        "rms": np.sqrt((series**2).mean(axis=1)),
        "q0.25": np.quantile(series, 0.25, axis=1),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(found[f"height_{name}"], values, rtol=1e-14)
    assert "height" not in found


def test_a_failing_sample_is_a_row_with_its_reason(tmp_path: Path) -> None:
    samples = {"omega1": [0.0, 1e200, 0.0], "m": [1.0, 1.0, -1.0]}
    found = mstmm.ensemble(SYSTEM, samples, to=tmp_path / "f.zarr", t_end=0.1, record=0.05)
    assert found.failures == {1: "left the finite numbers", 2: "the parameters describe no system"}
    q = np.asarray(found.data.q)
    assert np.isfinite(q[0]).all()
    assert np.isnan(q[2]).all()
    alone = mstmm.ensemble(
        SYSTEM, {"omega1": [0.0], "m": [1.0]}, to=tmp_path / "g.zarr", t_end=0.1, record=0.05
    )
    assert q[0].tobytes() == np.asarray(alone.data.q)[0].tobytes()


def test_closed_loops_start_closed_or_say_that_they_do_not(tmp_path: Path) -> None:
    model = mstmm.load("four-bar")
    name = model.coordinates[0]
    found = mstmm.ensemble(
        model,
        {name: [float(model.q0[0]), float(model.q0[0]) + 0.1]},
        to=tmp_path / "l.zarr",
        t_end=0.05,
        record=0.05,
    )
    assert found.failures == {}
    solver = mstmm.compile(model)
    for q, v in zip(found.data.q.values[:, -1], found.data.v.values[:, -1], strict=True):
        phi, opening = solver.constraints(q, v)
        assert max(np.abs(phi).max(), np.abs(opening).max()) < 1e-11


def test_a_terminal_event_ends_a_motion_and_the_rest_is_missing(tmp_path: Path) -> None:
    stop = mstmm.Event("t - 0.25", terminal=True, name="late")
    found = mstmm.ensemble(
        SYSTEM,
        {"theta1": [0.1]},
        to=tmp_path / "t.zarr",
        t_end=0.5,
        record=0.1,
        events=[stop],
        outputs=["theta1"],
        reduce=["final"],
    )
    assert found.failures == {}
    assert float(found.data.end_time[0]) == pytest.approx(0.25, abs=1e-12)
    assert np.isfinite(float(found.data.theta1_final[0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"samples": {"thetaX": [0.0]}},
            "no 'thetaX' to vary (did you mean theta7?); it has: theta1",
        ),
        ({"samples": {"theta1": [0.0], "m": [1.0, 2.0]}}, "several lengths: theta1 1, m 2"),
        ({"samples": {"theta1": [0.0, np.nan]}}, "column theta1, row 1, is nan"),
        ({"outputs": ["2*theta1"]}, "is no name; give the expression one"),
        ({"outputs": ["time"]}, "has an array 'time' of its own"),
        ({"outputs": {"x": "nothing"}}, "an output is q, v, a, loads, energy, an input, or"),
        ({"reduce": ["median"]}, "there is no reduction 'median'"),
        ({"method": "Radau"}, "an ensemble has no method 'Radau'"),
        ({"algorithm": "hdca"}, "take dca in the place of hdca"),
        ({"algorithm": "derivatives"}, "derivatives does not compute motions; compile with"),
        ({"chunk": 0}, "must be a positive whole number"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"samples": {"theta1": [0.0]}, "t_end": 0.1, **change}
    with pytest.raises(UsageError, match=re.escape(message)):
        mstmm.ensemble(SYSTEM, options.pop("samples"), to=tmp_path / "x.zarr", **options)
    assert not list(tmp_path.iterdir())


def test_a_store_is_not_overwritten_and_only_its_own_ensemble_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s.zarr"
    mstmm.ensemble(SYSTEM, {"theta1": [0.0]}, to=path, t_end=0.1)
    with pytest.raises(UsageError, match="is there already; resume it"):
        mstmm.ensemble(SYSTEM, {"theta1": [0.0]}, to=path, t_end=0.1)
    with pytest.raises(UsageError, match="is of another ensemble: sampled differ"):
        mstmm.ensemble(SYSTEM, {"theta1": [0.5]}, to=path, t_end=0.1, resume=True)
    with pytest.raises(UsageError, match="t_end differ"):
        mstmm.ensemble(SYSTEM, {"theta1": [0.0]}, to=path, t_end=0.2, resume=True)


def test_what_was_ended_goes_on_and_does_no_chunk_again(whole: Any, tmp_path: Path) -> None:
    path = tmp_path / "i.zarr"

    class EnoughError(Exception):
        pass

    def ended(done: int, total: int, failed: int) -> None:
        if done >= 8:
            raise EnoughError

    with pytest.raises(EnoughError):
        mstmm.ensemble(SYSTEM, SAMPLES, to=path, chunk=4, workers=1, progress=ended, **OPTIONS)
    assert not [x for x in threading.enumerate() if x.name.startswith("mstmm")]
    made = mstmm.exchange.ensemble.ensemble.Ensemble(path)
    assert 0 < made.missing < len(SAMPLES["m"])
    seen: list[int] = []
    mstmm.ensemble(
        SYSTEM,
        SAMPLES,
        to=path,
        resume=True,
        progress=lambda done, *_: seen.append(done),
        **OPTIONS,
    )
    assert seen[0] >= 8
    assert seen[-1] == len(SAMPLES["m"])
    assert_same(arrays(made), arrays(whole))


KILLED = """
import mstmm, numpy as np, sys
mstmm.ensemble("branch-pendulum", {"theta1": np.linspace(-1, 1, 64)}, to=sys.argv[1], t_end=20.0,
               record=1.0, chunk=8, workers=2, resume=True,
               progress=lambda *done: print(*done, flush=True))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_killed_ensemble_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "k.zarr"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if int(line.split()[0]) >= 16:
                process.send_signal(signal.SIGKILL)
                break
    made = Ensemble(path)
    assert made.missing > 0
    samples = {"theta1": np.linspace(-1, 1, 64)}
    options: dict[str, Any] = {"t_end": 20.0, "record": 1.0}
    mstmm.ensemble(SYSTEM, samples, to=path, resume=True, **options)
    whole = mstmm.ensemble(SYSTEM, samples, to=tmp_path / "w.zarr", chunk=64, **options)
    assert_same(arrays(made), arrays(whole))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers_though_a_worker_is_lost(
    cluster: Any, tmp_path: Path
) -> None:
    """Two processes, of which one is killed when some chunks are done."""
    samples = mstmm.Samples.sobol(64, theta1=(-1.0, 1.0), m=(0.5, 1.5))
    options: dict[str, Any] = {"t_end": 20.0, "record": 1.0, "chunk": 4}
    killed: list[int] = []

    def kill(done: int, total: int, failed: int) -> None:
        if done >= 8 and not killed:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    found = mstmm.ensemble(
        SYSTEM,
        samples,
        to=tmp_path / "d.zarr",
        dask=cluster.scheduler_address,
        progress=kill,
        **options,
    )
    assert killed
    local = mstmm.ensemble(SYSTEM, samples, to=tmp_path / "l.zarr", **options)
    assert_same(arrays(found), arrays(local))


CLUSTER = """
import distributed, mstmm, sys
if __name__ == "__main__":
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        samples = mstmm.Samples.sobol(64, theta1=(-1.0, 1.0))
        mstmm.ensemble("branch-pendulum", samples, to=sys.argv[1],
                       t_end=20.0, record=1.0, chunk=4, dask=cluster.scheduler_address,
                       progress=lambda *done: print(*done, flush=True))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_a_cluster_that_is_killed_altogether_goes_on(cluster: Any, tmp_path: Path) -> None:
    """Scheduler, client and both workers die in mid-run; other ones do what is missing."""
    path, script = tmp_path / "k.zarr", tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    with subprocess.Popen(
        [sys.executable, str(script), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        for line in process.stdout:
            if int(line.split()[0]) >= 12:
                os.killpg(process.pid, signal.SIGKILL)
                break
    made = Ensemble(path)
    assert 0 < made.missing < 64
    samples = mstmm.Samples.sobol(64, theta1=(-1.0, 1.0))
    options: dict[str, Any] = {"t_end": 20.0, "record": 1.0}
    address = cluster.scheduler_address
    mstmm.ensemble(SYSTEM, samples, to=path, dask=address, chunk=4, resume=True, **options)
    assert made.missing == 0
    whole = mstmm.ensemble(SYSTEM, samples, to=tmp_path / "w.zarr", chunk=64, **options)
    assert_same(arrays(made), arrays(whole))


def test_no_scheduler_is_said(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra cluster")
    with pytest.raises(UsageError, match="no address"):
        mstmm.ensemble(SYSTEM, {"theta1": [0.0]}, to=tmp_path / "n.zarr", t_end=0.1, dask=3)


def test_designs_of_no_number_and_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    for count, seed in ((2.5, 1), (0, 1), (3, "x"), (3, -1)):
        with pytest.raises(UsageError, match=r"(count|seed) = .* must be a whole number"):
            mstmm.Samples.latin_hypercube(count, seed=seed, x=(0.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"nothing\.csv: there is no such file"):
        mstmm.Samples.table(tmp_path / "nothing.csv")


def test_designs_fill_their_ranges() -> None:
    cube = mstmm.Samples.latin_hypercube(50, seed=3, x=(0.0, 1.0), y=(-2.0, 2.0))
    drawn = cube.rows(0, 50)
    assert sorted(np.floor(drawn[:, 0] * 50).astype(int)) == list(range(50))
    assert sorted(np.floor((drawn[:, 1] + 2.0) / 4.0 * 50).astype(int)) == list(range(50))
    sobol = mstmm.Samples.sobol(64, seed=3, x=(0.0, 1.0))
    assert sorted(np.floor(sobol.rows(0, 64)[:, 0] * 64).astype(int)) == list(range(64))
    np.testing.assert_array_equal(sobol.rows(10, 20), sobol.rows(0, 64)[10:20])
    grid = mstmm.Samples.grid(x=[0.0, 1.0], y=[5.0, 6.0, 7.0])
    np.testing.assert_array_equal(grid.rows(1, 5), [[0.0, 6.0], [0.0, 7.0], [1.0, 5.0], [1.0, 6.0]])


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_samples_are_read_from_tables(tmp_path: Path, suffix: str) -> None:
    pandas = pytest.importorskip("pandas", reason="needs the extra ensemble")
    frame = pandas.DataFrame({"theta1": [0.25, 0.5], "m": [1.0, 2.0]})
    path = tmp_path / f"samples{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    table = mstmm.Samples.table(path)
    assert table.names == ("theta1", "m")
    np.testing.assert_array_equal(table.rows(0, 2), [[0.25, 1.0], [0.5, 2.0]])
    path.write_text("theta1\nhello\n")
    with pytest.raises(UsageError, match=r"samples\..*(holds what is no number|cannot be read)"):
        mstmm.Samples.table(path)


def test_an_ensemble_can_be_interrupted_within_a_long_motion(tmp_path: Path) -> None:
    """Ctrl-C ends motions of hours within slices of the generated code."""
    script = """
    import mstmm, signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run behind
    mstmm.ensemble("branch-pendulum", {"theta1": [0.1] * 64}, to=sys.argv[1], t_end=1e5,
                   record=1e4, workers=2)
    """
    path = tmp_path / "c.zarr"
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not path.exists():
            time.sleep(0.05)
            assert process.poll() is None
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=20.0)
        finally:
            process.kill()
    assert "KeyboardInterrupt" in said
    assert process.returncode not in (0, None)
