"""Bad input and missing tools: one message, the exit code, and nothing left behind."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import assert_one_line, command, run
from compiler import TARGET

from mstmm.cli import main

# Bad input


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("derive nope --symbol S2", "there is no model 'nope'; there are: branch-pendulum"),
        ("derive branch-pendulum --symbol S99", "there is no result 'S99'; there are: "),
        ("derive branch-pendulum --equation 999", "there is no result of equation 999"),
        ("derive branch-pendulum --equation 999", "there are: 1–62"),
        ("derive branch-pendulum --equation 44 --form completed", "U4 exists in the printed form"),
        ("derive branch-pendulum --symbol S4 --budget 0", "budget = 0 must be a positive number"),
        ("derive branch-pendulum --symbol S2 --form rough", "must be printed or completed"),
        ("derive branch-pendulum --symbol S2 --format xml", "there are: text, latex, json"),
        ("derive branch-pendulum --at theta9=1", "branch-pendulum has no 'theta9'"),
        ("derive cart-pole --at pole=1,qpole=2", "--at gives qpole twice"),
        ("derive branch-pendulum --symbol S2 --at t=1", "--at is the state of a whole"),
        ("derive branch-pendulum --form printed", "--symbol"),
        ("derive", "name a MODEL, or an element by --element NAME"),
        ("derive branch-system:N=20", "N = 20 must be an odd number"),
        ("derive branch-system:n=21", "there is no argument 'n'; it takes N"),
        ("derive rod-chain:n=two", "name=number"),
        ("generate rod-chain:n=0 -o new", "n = 0 must be 1 or more"),
        ("generate rod-chain:n=1000000000 -o new", "n = 1000000000 must be 1000000 or less"),
        (
            "generate double-pendulum -o new --algorithm jacobians --order 1000000000",
            "order = 1000000000 must be 50000 or less",
        ),
        (
            "generate double-pendulum -o new --algorithm dca --assembly ((1,",
            "assembly: '((1,' is no t",
        ),
        ("generate rod-chain -o new --target rust", "no target 'rust'; there are: c, c-batch"),
        ("generate rod-chain -o new --arch sm_90", "--arch compiles CUDA: say --target cuda"),
        ("generate rod-chain -o new --real float", "target 'c' has no numbers 'float'"),
        ("generate rod-chain -o new --parameters m,k", "no parameter 'k'; it has: m, a, g"),
        ("generate rod-chain -o file", "cannot make the folder file"),
        ("generate rod-chain -o file/new", "cannot make the folder file: file exists"),
        ("validate rod-chain --target rust", "no target 'rust'"),
        ("simulate rod-chain --t-end -1 -o x.csv", "t_end = -1 s must be after the start"),
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

    monkeypatch.setattr(Path, "write_bytes", full)
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


def test_what_the_memory_does_not_hold_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("mstmm.cli.app.app", too_large)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 3
