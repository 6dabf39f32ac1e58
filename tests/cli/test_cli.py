"""The command line: what each command answers, and its exit code."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import answer, assert_fits_80_columns, assert_one_line, command, run
from compiler import TARGET, TARGETS, needs_compiler
from singular_models import row_of_four_bars

import mstmm
from mstmm.runtime.evaluation.backend import NumpyModule
from mstmm.symbolic.mechanics import displayed


def test_help_loads_nothing_heavy() -> None:
    done = command("--help")
    assert done.returncode == 0
    assert_fits_80_columns(done.stdout)
    code = (
        "import atexit, sys; from mstmm.cli import main; sys.argv = ['mstmm', '--help'];"
        "heavy = {'sympy', 'numpy', 'scipy', 'jinja2', 'cffi', 'networkx', 'matplotlib'};"
        "atexit.register(lambda: print(heavy & {*sys.modules})); main()"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said.splitlines()[-1] == "set()"


@pytest.mark.parametrize(
    "name", ["demo", "models", "derive", "generate", "validate", "simulate", "draw", "cache"]
)
def test_every_command_has_help_that_fits(name: str) -> None:
    assert name in answer("--help")
    assert_fits_80_columns(answer(name, "--help"))


def test_what_solvers_compute_is_listed_with_its_algorithms() -> None:
    rows = {row["name"]: row for row in json.loads(answer("results", "double-pendulum", "--json"))}
    assert rows["com_velocity"] == {
        "name": "com_velocity",
        "group": "The centre of mass, and the momentum about it",
        "arguments": ["q", "v", "t", "parameters", "out"],
        "title": "The velocity of the centre of mass.",
        "shape": "(…, 3).",
        "units": "m/s.",
        "frame": "Inertial.",
        "raises": "UsageError: as `centre_of_mass`.",
        "source": "own",
        "by": ["every"],
    }
    assert rows["gravity_forces"]["by"] == ["closed-form"]
    assert "rnea-body" in rows["mass_matrix"]["by"]
    absolute = {row["name"] for row in json.loads(answer("results", "branch-pendulum", "--json"))}
    assert not absolute & {"inverse_dynamics", "com_velocity", "frame_jacobian", "kinematics"}
    assert {"frame_jacobian", "kinematics", "inverse_kinematics"} <= {*rows}
    assert "inverse_kinematics" not in absolute
    text = answer("results", "branch-pendulum")
    assert_fits_80_columns(text)
    assert "\n  accelerations   The time derivative of the speeds.\n" in text
    assert "The overall transfer equation U_all z_all = 0 in a state (by overall)\n" in text


def test_one_result_is_told_in_full_on_the_screen() -> None:
    text = answer("results", "branch-pendulum", "joint_loads")
    assert_fits_80_columns(text)
    assert text.startswith("joint_loads(q, v, tau=None, *, frame='inertial', t=0.0,")
    for said in ("\nUnits\n    N m, N.\n", "\nBy\n    riccati, overall\n"):
        assert said in text
    refused = run("results", "branch-pendulum", "joint_load")
    assert refused.exit_code == 2
    assert "did you mean joint_loads?" in refused.stderr
    assert "mstmm results branch-pendulum lists what they have" in refused.stderr.replace("\n", " ")


@pytest.mark.parametrize("name", [(), ("derive",), ("generate",)])
def test_help_breaks_lines_where_the_screen_ends_and_not_where_the_source_does(
    name: tuple[str, ...],
) -> None:
    """A line that ends early has no room for the first word of the next."""
    text = answer(*name, "--help").partition("╭")[0]
    lines = [line.strip() for line in text.splitlines()]
    for line, following in pairwise(lines[2:]):
        if line and following:
            assert 1 + len(line) + 1 + len(following.split()[0]) > 79, line


def test_simulate_takes_parameters_and_a_start(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    given = ("--set", "g=0", "--start", "q1=0.2", "--start", "u2=pi/3")
    answer("simulate", "double-pendulum", "--t-end", "0.01", "-o", path, *given)
    with path.open() as file:
        first = next(csv.DictReader(file))
    assert (float(first["q1"]), float(first["u2"])) == pytest.approx((0.2, np.pi / 3), rel=1e-15)
    loop = ("simulate", "four-bar", "--t-end", "0.01", "-o", path)
    said = json.loads(answer(*loop, "--start", "shaft=1.2", "--set", "a=0.25", "--json"))
    assert said["constraint_error"] < 1e-9
    for wrong, named in (
        (("--set", "aa=1"), "no parameter 'aa' (did you mean a?)"),
        (("--set", "a"), "write NAME=VALUE"),
        (("--set", "a=1", "--set", "a=2"), "a is given twice"),
        (("--start", "q9=1"), "no hinge, coordinate or speed 'q9'"),
        (("--start", "shaft=1+"), "--start shaft: '1+' is no expression"),
        (("--method", "dopri5", "--dt", "0.01"), "dt means nothing to dopri5"),
    ):
        assert_one_line(run(*loop, *wrong).stderr, named)


def test_draw(tmp_path: Path) -> None:
    path = tmp_path / "four.svg"
    said = answer("draw", "four-bar", "--kind", "mechanism", "-o", path)
    assert said.startswith(f"{path}: four-bar at its start")
    assert path.read_text().startswith("<svg")
    assert_one_line(run("draw", "four-bar", "--kind", "x", "-o", path).stderr, "no drawing 'x'")
    assert_one_line(run("draw", "four-bar", "-o", tmp_path / "x.gif").stderr, ".svg, .png, .pdf")


def test_version() -> None:
    assert answer("--version") == f"mstmm {mstmm.__version__}\n"


# Code


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (
            (),
            {
                "rod_chain.c",
                "rod_chain.h",
                "rod_chain.json",
                "rod_chain_motion.c",
                "rod_chain_outputs.h",
                "build_rod_chain.py",
                "example_main.c",
                "mstmm_motion.c",
                "mstmm_motion.h",
                "mstmm_solve.h",
                "mstmm_trig.c",
                "mstmm_trig.h",
            },
        ),
        (("--target", "numpy"), {"rod_chain.py", "rod_chain.json"}),
        (("--target", "cuda", "--real", "float"), {"rod_chain.cu", "rod_chain.json"}),
    ],
)
def test_generate(tmp_path: Path, options: Sequence[str], files: set[str]) -> None:
    folder = tmp_path / "new" / "out"
    text = answer("generate", "rod-chain:n=3", "-o", folder, *options)
    assert {file.name for file in folder.iterdir()} == files
    assert "accelerations: " in text
    again = json.loads(answer("generate", "rod-chain:n=3", "-o", folder, *options, "--json"))
    assert set(again["files"]) == files
    assert again["operations"]["accelerations"] > 50


def test_generated_code_takes_what_was_asked_for(tmp_path: Path) -> None:
    answer("generate", "rod-chain:n=3", "-o", tmp_path, "--parameters", "m, g", "--forced")
    manifest = json.loads((tmp_path / "rod_chain.json").read_text())
    assert manifest["parameters"] == ["m", "g"]
    assert "tau" in manifest["entries"]["accelerations"]["arguments"]


@pytest.mark.parametrize("target", TARGETS)
def test_validate(target: str) -> None:
    options = ("branch-pendulum", "--target", target, "--points", "2")
    text = answer("validate", *options)
    assert_fits_80_columns(text)
    assert f"branch-pendulum, target {target}: equal to its symbols at 2 states." in text
    found = json.loads(answer("validate", *options, "--json"))
    assert found["ok"] is True
    assert found["target"] == target
    assert all(row["ok"] and row["max_ulps"] <= row["bound"] for row in found["rows"])


def test_statements_without_an_equation_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which no algorithm here has, but one of a user's may."""
    found = json.loads(answer("validate", "four-bar", "--displayed", "--json"))
    assert (found["without"], found["without_by_kernel"]) == (0, {})
    real = displayed.displayed

    def some(*arguments: Any) -> list[displayed.Judged]:
        judged = real(*arguments)
        return [replace(x, shown=None) if k % 7 == 0 else x for k, x in enumerate(judged)]

    monkeypatch.setattr(displayed, "displayed", some)
    found = json.loads(answer("validate", "four-bar", "--displayed", "--json"))
    named = found["without_by_kernel"]
    assert 0 < sum(map(len, named.values())) <= found["without"]
    text = answer("validate", "four-bar", "--displayed")
    assert_fits_80_columns(text)
    assert all(f"\n  {kernel}: {names[0]}" in text for kernel, names in named.items())
    refused = run("validate", "four-bar", "--displayed", "--points", "3")
    assert (refused.exit_code, "--points has no part" in refused.stderr) == (2, True)


def test_another_algorithm(tmp_path: Path) -> None:
    chosen = ("rod-chain:n=2", "--algorithm", "overall")
    answer("generate", *chosen, "--target", "numpy", "-o", tmp_path)
    manifest = json.loads((tmp_path / "rod_chain_overall.json").read_text())
    assert manifest["algorithm"] == "overall"
    options = ("--target", "numpy", "--json")
    found = json.loads(answer("validate", *chosen, "--points", "1", *options))
    assert "unknowns: dense system of matrix" in {row["kernel"] for row in found["rows"]}
    file = tmp_path / "run.csv"
    assert (
        json.loads(answer("simulate", *chosen, "--t-end", "0.01", "-o", file, *options))[
            "algorithm"
        ]
        == "overall"
    )
    result = run("validate", "rod-chain:n=2", "--algorithm", "none")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "no algorithm 'none'", "overall")


def test_another_assembly_tree(tmp_path: Path) -> None:
    usual = ("hdca-case-1", "--algorithm", "dca")
    tree = ("--assembly", "(((1,2),3),4),ground")
    answer("generate", *usual, *tree, "--target", "numpy", "-o", tmp_path)
    assert "assembly (((1,2),3),4),ground" in (tmp_path / "hdca_case_1_dca.py").read_text()
    options = (*tree, "--target", "numpy", "--json")
    assert json.loads(answer("validate", *usual, "--points", "1", *options))["ok"]
    answer("simulate", *usual, "--t-end", "0.01", "-o", tmp_path / "run.csv", *options)
    result = run("simulate", *usual, "--t-end", "0.1", "-o", "x.csv", "--assembly", "(1,9)")
    assert_one_line(result.stderr, "assembly: 9 is no body")


def test_the_printed_form_is_generated_validated_and_simulated(tmp_path: Path) -> None:
    usual = ("rod-chain:n=2", "--form", "paper", "--target", "numpy")
    answer("generate", *usual, "-o", tmp_path)
    assert "tips_to_root" in (tmp_path / "rod_chain.py").read_text()
    assert json.loads(answer("validate", *usual, "--points", "1", "--json"))["ok"]
    made = answer("simulate", *usual, "--t-end", "0.01", "-o", tmp_path / "run.csv", "--json")
    assert json.loads(made)["form"] == "paper"


def test_an_option_reaches_its_algorithm_and_no_other() -> None:
    usual = ("double-pendulum", "--target", "numpy")
    text = answer("generate", *usual, "--algorithm", "jacobians", "--order", "0", "--cost")
    assert "jacobian_body_0" in text
    assert "jacobian_body_1" not in text
    for way in ("generate", "validate"):
        result = run(way, *usual, "--order", "3", *(["--cost"] if way == "generate" else []))
        assert_one_line(result.stderr, "riccati has no option 'order'; it belongs to jacobians")
    result = run("validate", *usual, "--form", "paper")
    assert_one_line(result.stderr, "in joint coordinates, riccati (paper) takes absolute ones")


def test_a_failed_check_leaves_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    right = NumpyModule.run

    def wrong(self: NumpyModule, entry: str, buffers: dict[str, np.ndarray]) -> bool:
        finite = right(self, entry, buffers)
        if entry == "accelerations":
            buffers["a"] += 1e-9
        return finite

    monkeypatch.setattr(NumpyModule, "run", wrong)
    result = run("validate", "branch-pendulum", "--points", "1", "--target", "numpy")
    assert result.exit_code == 1
    assert "NOT equal" in result.stdout
    assert "WRONG" in result.stdout
    assert_one_line(result.stderr, "branch-pendulum, target numpy: ", "accelerate", "ulp")


@needs_compiler
def test_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path))
    assert json.loads(answer("cache", "info", "--json")) == {
        "folder": str(tmp_path),
        "modules": 0,
        "bytes": 0,
    }
    mstmm.compile("rod-chain:n=1")
    assert f"{tmp_path}: 1 compiled module," in answer("cache", "info")
    assert answer("cache", "clear") == "removed 1 compiled module\n"
    assert json.loads(answer("cache", "clear", "--json")) == {"removed": 0}


# Motion


@pytest.mark.parametrize("suffix", [".csv", ".nc"])
def test_simulate(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    options = ("--t-end", "0.1", "--dt", "1e-3", "--target", TARGET)
    text = answer("simulate", "branch-pendulum", *options, "-o", path)
    assert_fits_80_columns(text.removeprefix(str(path)))
    expected = mstmm.compile("branch-pendulum", target=TARGET).simulate(t_end=0.1, dt=1e-3)
    if suffix == ".csv":
        with path.open() as file:
            rows = list(csv.DictReader(file))
        theta7 = np.array([float(row["theta7"]) for row in rows])
    else:
        xarray = pytest.importorskip("xarray")
        with xarray.open_dataset(path, engine="h5netcdf") as found:
            theta7 = found["q"].sel(coordinate="theta7").values
    assert (theta7 == expected.q[:, 3]).all()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_simulate_takes_a_method_and_an_interval(tmp_path: Path) -> None:
    found = json.loads(
        answer(
            "simulate", "rod-chain:n=2", "--t-end", "1", "--method", "DOP853", "--rtol", "1e-6",
            "--record", "0.5", "--target", "numpy", "-o", tmp_path / "x.csv", "--json",
        )
    )  # fmt: skip
    assert (found["records"], found["coordinates"]) == (3, 2)
    assert (found["method"], found["rtol"], found["target"]) == ("DOP853", 1e-6, "numpy")
    assert found["energy_drift"] < 1e-4


def test_simulate_starts_at_any_time_with_bounded_steps(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    found = json.loads(
        answer(
            "simulate", "rod-chain:n=1", "--t-start", "2", "--t-end", "3", "--method", "dopri5",
            "--max-step", "0.01", "--record", "0.5", "--target", "numpy", "-o", file, "--json",
        )
    )  # fmt: skip
    assert (found["records"], found["max_step"]) == (3, 0.01)
    assert [row.split(",")[0] for row in file.read_text().split()[1:]] == ["2.0", "2.5", "3.0"]


def test_a_wild_energy_is_told(tmp_path: Path) -> None:
    options = ("--target", "numpy", "-o", tmp_path / "x.csv")
    result = run("simulate", "rod-chain:n=3", "--t-end", "2", "--dt", "0.5", *options)
    assert result.exit_code == 0
    assert_one_line(result.stderr, "warning: the energy drifts", "take a smaller dt")
    result = run("simulate", "rod-chain:n=3", "--t-end", "2", "--dt", "0.05", *options)
    assert result.stderr == ""


def test_passages_of_singular_positions_are_told(tmp_path: Path) -> None:
    model = tmp_path / "row.toml"
    mstmm.write(row_of_four_bars(1), model)
    options = ("--dt", "0.01", "--target", "numpy", "-o", tmp_path / "x.csv")
    text = answer("simulate", model, "--t-end", "3.5", *options)
    told = json.loads(answer("simulate", model, "--t-end", "3.5", "--json", *options))
    times = told["passages"]
    assert times == sorted(times)
    assert len(times) == 4
    said = ", ".join(f"{t:.6g}" for t in times)
    assert f"singular positions of the loops are passed at t = {said} s" in " ".join(text.split())
    short = answer("simulate", model, "--t-end", "0.02", *options)
    assert "singular positions of" not in short


def test_events_are_listed_and_stop_the_motion(tmp_path: Path) -> None:
    done = command(
        "simulate", "rod-chain:n=1", "--t-end", "2", "--method", "dopri5", "--rtol", "1e-11",
        "--record", "0.1", "--event", "theta1 - pi/2", "--stop", "t - 1.23", "--json",
        "--target", TARGET, "-o", tmp_path / "x.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [found["event"] for found in said["events"]][-1] == "t - 1.23"
    assert said["events"][-1]["time"] == pytest.approx(1.23, abs=1e-12)
    assert said["rtol"] == 1e-11
    assert (tmp_path / "x.csv").read_text().splitlines()[-1].startswith("1.23")
