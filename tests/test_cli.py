"""The command line: what each command answers, its exit code, and what bad input leaves behind."""

from __future__ import annotations

import csv
import errno
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from compiler import TARGET, TARGETS, needs_compiler
from typer.testing import CliRunner

import mstmm
from mstmm.cli.app import app
from mstmm.cli.matrices import strings
from mstmm.errors import DerivationError
from mstmm.model import MODELS
from mstmm.runtime.backend import NumpyModule

COMMAND = (sys.executable, "-c", "from mstmm.cli import main; main()")

S2 = [
    ["a*m*sin(theta1)", "-a*m*cos(theta1)", "4*a**2*m/3"],
    ["-m", "0", "-a*m*sin(theta1)"],
    ["0", "-m", "a*m*cos(theta1)"],
]


def run(*arguments: str | Path) -> Any:
    """The command in this process."""
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(x) for x in arguments])


def answer(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", **environment},
        check=False,
    )


def assert_one_line(text: str, *parts: str) -> None:
    assert text.startswith("mstmm: ")
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    for part in parts:
        assert part in text


def assert_fits_80_columns(text: str) -> None:
    """A dot over a letter is a character of its own, and takes no column."""

    def columns(line: str) -> int:
        return sum(not unicodedata.combining(character) for character in line)

    assert [line for line in text.splitlines() if columns(line) > 80] == []


# Help


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
    "name", ["demo", "models", "derive", "generate", "validate", "simulate", "cache"]
)
def test_every_command_has_help_that_fits(name: str) -> None:
    assert name in answer("--help")
    assert_fits_80_columns(answer(name, "--help"))


def test_version() -> None:
    assert answer("--version") == f"mstmm {mstmm.__version__}\n"


# Models and derivations


def test_models() -> None:
    text = answer("models")
    assert_fits_80_columns(text)
    for line in text.splitlines():
        mstmm.load(line.split()[0])
    found = json.loads(answer("models", "--json"))
    assert [model["name"] for model in found] == list(MODELS)
    assert found[1]["argument"] == "N"
    assert found[1]["default"] == 999


@pytest.mark.parametrize(
    "asked", [("--symbol", "S2"), ("--equation", "39"), ("--symbol", "S2", "--equation", "(39)")]
)
def test_s2_as_json(asked: Sequence[str]) -> None:
    text = answer("derive", "branch-pendulum", *asked, "--format", "json")
    assert json.loads(text) == {
        "symbol": "S2",
        "equation": "39",
        "verdict": "equals the print of (39)",
        "matrix": S2,
    }
    assert text == answer("derive", "branch-pendulum", *asked, "--json")


def test_an_equation_of_several_results_shows_them_all_in_order() -> None:
    asked = ("derive", "branch-pendulum", "--equation", "54")
    found = json.loads(answer(*asked, "--json"))
    assert [entry["symbol"] for entry in found] == ["geo1", "geo2"]
    for entry in found:
        alone = answer("derive", "branch-pendulum", "--symbol", entry["symbol"], "--json")
        assert json.loads(alone) == entry
    for shown_as in ("text", "latex"):
        both = [
            answer("derive", "branch-pendulum", "--symbol", symbol, "--format", shown_as)
            for symbol in ("geo1", "geo2")
        ]
        assert answer(*asked, "--format", shown_as) == "\n".join(both)


def test_every_equation_can_be_asked_for_in_a_form() -> None:
    for form, rank in (("printed", "7"), ("completed", "9")):
        text = answer("derive", "branch-pendulum", "--equation", "59", "--form", form, "--json")
        found = {entry["symbol"]: entry["matrix"] for entry in json.loads(text)}
        assert list(found) == ["Ubar", "b", "rank"]
        assert found["rank"] == [[rank]]


def test_the_budget_is_an_option() -> None:
    asked = ("derive", "rod-chain:n=3", "--symbol", "S[5:O]", "--json")
    result = run(*asked, "--budget", "300")
    assert result.exit_code == DerivationError.exit_code
    assert "the budget of 300 products" in result.stderr
    assert json.loads(answer(*asked, "--budget", "20000"))["symbol"] == "S[5:O]"


def test_e2_as_json_is_equation_40() -> None:
    found = json.loads(answer("derive", "branch-pendulum", "--symbol", "e2", "--json"))
    m, a, g, theta, omega = sp.symbols("m a g theta1 omega1")
    expected = [
        -m * g * a * sp.cos(theta),
        -m * a * omega**2 * sp.cos(theta),
        -m * g - m * a * omega**2 * sp.sin(theta),
    ]
    assert found["equation"] == "40"
    for [entry], wanted in zip(found["matrix"], expected, strict=True):
        assert sp.expand(sp.parse_expr(entry) - wanted) == 0


def test_every_entry_of_every_result_is_read_back_by_sympy() -> None:
    """SymPy orders products anew as it reads, so values are compared, at one point."""
    for result in mstmm.derive("branch-pendulum").results:
        for entry, text in zip(
            result.matrix, itertools.chain(*strings(result.matrix)), strict=True
        ):
            read = sp.parse_expr(text)
            names = {symbol.name for symbol in entry.free_symbols}
            assert {symbol.name for symbol in read.free_symbols} == names, result.symbol
            at = {name: 1 + sp.Rational(k, 7) for k, name in enumerate(sorted(names))}
            found = [
                sp.N(x.xreplace({symbol: at[symbol.name] for symbol in x.free_symbols}), 30)
                for x in (entry, read)
            ]
            assert found[0] == pytest.approx(found[1], rel=1e-25), (result.symbol, text)


def test_s2_as_text() -> None:
    text = answer("derive", "branch-pendulum", "--symbol", "S2")
    assert text.splitlines()[0] == "S2  (39)"
    assert "Verdict: equals the print of (39)." in text
    assert "[ -m               0                 -a*m*sin(theta1) ]" in text
    assert_fits_80_columns(text)


def test_a_wide_matrix_is_listed_by_entries() -> None:
    for form in ("printed", "completed"):
        text = answer("derive", "branch-pendulum", "--symbol", "S3", "--form", form)
        assert_fits_80_columns(text)
        assert text.splitlines()[0] == f"S3  (46)  {form} form"
        assert ("\n(1,2)  " in text) == (form == "printed")
    text = answer("derive", "branch-pendulum", "--symbol", "U7")
    assert f"7 x 10, all but these {text.count(chr(10) + '(')} zero:" in text


def test_an_end_of_any_model_has_coefficients() -> None:
    found = json.loads(answer("derive", "branch-system:N=99", "--symbol", "S[1:O]", "--json"))
    assert found["matrix"] == S2


def test_s2_as_latex() -> None:
    text = answer("derive", "branch-pendulum", "--symbol", "S2", "--format", "latex")
    *comments, formula = text.splitlines()
    assert all(line.startswith("% ") for line in comments)
    assert "% Verdict: equals the print of (39)." in comments
    assert formula.startswith(r"S_{2} = \left[\begin{matrix}a m \sin{\left(\theta_{1} \right)}")


def test_all_results_are_listed_with_their_verdicts() -> None:
    text = answer("derive", "branch-pendulum")
    assert_fits_80_columns(text)
    found = json.loads(answer("derive", "branch-pendulum", "--json"))
    by_name = {(entry["symbol"], entry["form"]): entry for entry in found}
    assert by_name["S2", "both"] == {
        "symbol": "S2",
        "equation": "39",
        "form": "both",
        "verdict": "equals the print of (39)",
    }
    assert by_name["S3", "printed"]["verdict"].startswith("differs from the print of (46)")
    for symbol, _ in by_name:
        assert f"\n {symbol} " in text


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
                "build_rod_chain.py",
                "example_main.c",
            },
        ),
        (("--target", "numpy"), {"rod_chain.py", "rod_chain.json"}),
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


def test_another_algorithm(tmp_path: Path) -> None:
    chosen = ("rod-chain:n=2", "--algorithm", "overall")
    answer("generate", *chosen, "--target", "numpy", "-o", tmp_path)
    manifest = json.loads((tmp_path / "rod_chain.json").read_text())
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
    assert_one_line(result.stderr, "no algorithm 'none'", "overall (fast)")


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
    assert f"{tmp_path}: 1 compiled modules" in answer("cache", "info")
    assert answer("cache", "clear") == "removed 1 compiled modules\n"
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


def test_a_wild_energy_is_told(tmp_path: Path) -> None:
    options = ("--target", "numpy", "-o", tmp_path / "x.csv")
    result = run("simulate", "rod-chain:n=3", "--t-end", "2", "--dt", "0.5", *options)
    assert result.exit_code == 0
    assert_one_line(result.stderr, "warning: the energy drifts", "take a smaller dt")
    result = run("simulate", "rod-chain:n=3", "--t-end", "2", "--dt", "0.05", *options)
    assert result.stderr == ""


# Bad input


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("derive nope --symbol S2", "there is no model 'nope'; there are: branch-pendulum"),
        ("derive branch-pendulum --symbol S99", "there is no result 'S99'; there are: "),
        ("derive branch-pendulum --equation 999", "there is no result of equation 999"),
        ("derive branch-pendulum --equation 999", "there are: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"),
        ("derive branch-pendulum --equation 44 --form completed", "U4 exists in the printed form"),
        ("derive branch-pendulum --symbol S4 --budget 0", "budget = 0 must be a positive number"),
        ("derive branch-pendulum --symbol S2 --form rough", "must be printed or completed"),
        ("derive branch-pendulum --symbol S2 --format xml", "there are: text, latex, json"),
        ("derive branch-pendulum --format latex", "shows one result"),
        ("derive branch-pendulum --form printed", "--symbol"),
        ("derive", "name a MODEL, or an element by --element NAME"),
        ("derive branch-system:N=20", "N = 20 must be an odd number"),
        ("derive branch-system:n=21", "there is no argument 'n'; it takes N"),
        ("derive rod-chain:n=two", "name=number"),
        ("generate rod-chain:n=0 -o new", "n = 0 must be 1 or more"),
        ("generate rod-chain -o new --target rust", "no target 'rust'; there are: c, c-batch"),
        ("generate rod-chain -o new --parameters m,k", "no parameter 'k'; it has: m, a, g"),
        ("generate rod-chain -o file", "cannot make the folder file"),
        ("generate rod-chain -o file/new", "cannot make the folder file: file exists"),
        ("validate rod-chain --target rust", "no target 'rust'"),
        ("simulate rod-chain --t-end -1 -o x.csv", "t_end = -1 s must be a positive"),
        ("simulate rod-chain --t-end nan -o x.csv", "t_end = nan s"),
        ("simulate rod-chain --t-end 1 --dt 0 -o x.csv", "dt = 0 s must be"),
        ("simulate rod-chain --t-end 1 --record 1e-4 -o x.csv", "whole multiple of dt"),
        ("simulate rod-chain --t-end 1 --method heun -o x.csv", "no method 'heun'"),
        ("simulate rod-chain --t-end 1e9 -o x.csv", "record less often"),
        ("simulate rod-chain --t-end 1 -o x.txt", "x.txt: a run is saved as .csv or .nc"),
        ("simulate rod-chain --t-end 1 -o none/x.csv", "cannot write into none: it does not"),
        ("simulate rod-chain --t-end 1 -o file/x.csv", "cannot write into file: it is no folder"),
    ],
)
def test_bad_input_leaves_with_2_one_line_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments.startswith("simulate") and "--target" not in arguments:
        arguments += f" --target {TARGET}"
    (tmp_path / "file").touch()
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert_one_line(result.stderr, named)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "arguments",
    [
        "frob",
        "models --frob",
        "simulate rod-chain",
        "validate rod-chain --points 0",
        "simulate rod-chain --t-end x -o x.csv",
    ],
)
def test_bad_usage_leaves_with_2(arguments: str) -> None:
    done = command(*arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "Usage: mstmm" in done.stderr


def refuse_unless_root_is_asked(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Below `folder` the system answers as it does someone without permission, even root."""
    for name in ("stat", "mkdir", "open", "scandir"):
        real = getattr(os, name)

        def guarded(path: Any, *rest: Any, real: Any = real, **options: Any) -> Any:
            if not isinstance(path, int) and Path(os.fsdecode(path)).is_relative_to(folder):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return real(path, *rest, **options)

        monkeypatch.setattr(os, name, guarded)


@pytest.mark.parametrize("below", ["", "new"])
@pytest.mark.parametrize("name", ["generate rod-chain", "demo", "simulate rod-chain --t-end 0.01"])
def test_a_place_behind_a_closed_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, below: str
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    place = closed / below if name != "demo" else closed / below / "demo"
    refuse_unless_root_is_asked(monkeypatch, closed / "" if below else closed)
    path = place / "x.csv" if "simulate" in name else place
    result = run(*name.split(), "--target", "numpy", "-o", path)
    assert result.exit_code == 2, result.exception
    assert_one_line(result.stderr, "cannot ", str(closed), "permission denied")


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)  # root may write
    for arguments in (["generate", "rod-chain"], ["simulate", "rod-chain", "--t-end", "1"]):
        path = tmp_path / ("x.csv" if "simulate" in arguments else "")
        result = run(*arguments, "--target", "numpy", "-o", path)
        assert result.exit_code == 2
        assert_one_line(result.stderr, "cannot write into", "permission denied")


def test_a_full_disk_leaves_no_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    result = run("generate", "rod-chain", "-o", tmp_path / "new" / "out")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "cannot write into", "no space left on device")
    assert list(tmp_path.iterdir()) == []


def test_another_models_example_is_not_replaced_in_silence(tmp_path: Path) -> None:
    for name, replaced in (
        ("rod-chain:n=1", False),
        ("rod-chain", False),
        ("branch-pendulum", True),
    ):
        result = run("generate", name, "-o", tmp_path)
        assert ("example_main.c belonged to another model" in result.stderr) == replaced
    assert result.exit_code == 0
    assert '"branch_pendulum.h"' in (tmp_path / "example_main.c").read_text()


@pytest.mark.parametrize("name", ["info", "clear"])
def test_a_cache_that_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path / "file"))
    result = run("cache", name)
    assert result.exit_code == 3
    assert_one_line(result.stderr, "cache folder", "not a directory", "set MSTMM_CACHE_DIR")
    monkeypatch.setenv("MSTMM_CACHE_DIR", str(tmp_path))
    refuse_unless_root_is_asked(monkeypatch, tmp_path)
    assert_one_line(run("cache", name).stderr, "cache folder", "permission denied")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc takes no files, not even from root")
def test_a_folder_that_takes_no_files() -> None:
    for arguments in (["generate", "rod-chain"], ["simulate", "rod-chain", "--t-end", "0.01"]):
        path = "/proc/x.csv" if "simulate" in arguments else "/proc/"
        done = command(*arguments, "--target", "numpy", "-o", path)
        assert done.returncode == 2
        assert_one_line(done.stderr, "cannot write into /proc", "name another place")


# What the machine lacks


@pytest.mark.parametrize(
    ("options", "module", "remedy"),
    [
        (["--method", "RK45", "-o", "x.csv"], "scipy.integrate", 'pip install "mstmm[scipy]"'),
        (["-o", "x.nc"], "xarray", 'pip install "mstmm[data]"'),
        (["-o", "x.nc"], "h5netcdf", 'pip install "mstmm[data]"'),
    ],
)
def test_a_missing_extra_leaves_with_3(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    module: str,
    remedy: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    result = run("simulate", "rod-chain", "--t-end", "0.1", "--target", TARGET, *options)
    assert result.exit_code == 3
    assert_one_line(result.stderr, module.partition(".")[0], remedy)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def no_compiler(tmp_path: Path) -> dict[str, str]:
    """An environment in which no compiler is found, nor brought by a wheel."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'ziglang' else found(name, *rest)\n"
    )
    return {
        "PATH": str(tmp_path / "bin"),
        "CC": "",
        "PYTHONPATH": str(tmp_path),
        "MSTMM_CACHE_DIR": str(tmp_path / "cache"),
    }


@pytest.mark.parametrize("name", ["simulate", "validate"])
def test_without_a_compiler_numpy_does_it(
    tmp_path: Path, no_compiler: dict[str, str], name: str
) -> None:
    options = {
        "simulate": ["--t-end", "0.05", "-o", str(tmp_path / "x.csv")],
        "validate": ["--points", "1"],
    }[name]
    done = command(name, "rod-chain:n=2", *options, **no_compiler)
    assert done.returncode == 0, done.stderr
    assert_one_line(done.stderr, "no C compiler found; using NumPy; remedy: install one or pip")
    assert "target numpy" in done.stdout
    asked = command(name, "rod-chain:n=2", *options, "--target", "c", **no_compiler)
    assert asked.returncode == 3
    assert_one_line(asked.stderr, "no C compiler found; remedy: install one")


def test_a_compiler_that_fails_is_shown(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho broken beyond repair\nexit 1\n")
    compiler.chmod(0o755)
    done = command(
        "simulate", "rod-chain", "--t-end", "1", "--target", "c", "-o", tmp_path / "x.csv",
        CC=str(compiler), MSTMM_CACHE_DIR=str(tmp_path / "cache"),
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith(f"mstmm: the C compiler {compiler} failed (exit status 1)\n")
    assert "broken beyond repair" in done.stderr
    assert "remedy: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.csv").exists()


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


# Leaving early


#: The command, saying on standard error when the integration has begun.
AT_WORK = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from mstmm.cli import main
from mstmm.runtime import simulate

class Meter(simulate.Meter):
    def __init__(self, progress):
        super().__init__(progress)
        print("at work", file=sys.stderr, flush=True)

simulate.Meter = Meter
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "options",
    [
        pytest.param("--target c", marks=needs_compiler),
        "--target numpy",
        pytest.param("--target c --method dopri5", marks=needs_compiler),
        f"--target {TARGET} --method RK45",
    ],
)
def test_a_signal_stops_the_work_and_leaves_no_file(
    tmp_path: Path, options: str, sent: signal.Signals
) -> None:
    arguments = f"simulate rod-chain:n=100 --t-end 1e5 --record 1e5 {options} -o".split()
    process = subprocess.Popen(
        [sys.executable, "-c", AT_WORK, *arguments, str(tmp_path / "x.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "at work\n"
        process.send_signal(sent)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    said = {signal.SIGINT: (130, "mstmm: interrupted\n"), signal.SIGTERM: (143, "")}
    assert (process.returncode, stderr) == said[sent]
    assert stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_a_signal_while_the_compiler_runs_leaves_no_scratch_folder(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho begun > begun\nexec sleep 100\n")
    compiler.chmod(0o755)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "validate", "rod-chain:n=1"],
        env={**os.environ, "CC": str(compiler), "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(6000):
            if list(scratch.glob("*/begun")):
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["models"], ["derive", "branch-pendulum", "--json"], ["demo", "-o", "new"]],
)
def test_an_output_that_takes_no_more_is_told(tmp_path: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert list(tmp_path.iterdir()) == []
    assert done.returncode == 2
    assert_one_line(done.stderr, "cannot write to standard output: No space left")


def test_an_ascii_terminal_gets_question_marks() -> None:
    """The demonstration prints more Greek, but takes longer."""
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = command("models", **plain)
    assert (done.returncode, done.stderr) == (0, "")
    assert "bodies 1, 3, ?, N" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="a pipe that nobody reads")
@pytest.mark.parametrize(
    "arguments", [["models"], ["derive", "rod-chain:n=2"], ["demo", "-o", "new"]]
)
def test_a_broken_pipe_is_quiet(tmp_path: Path, arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode == 141
