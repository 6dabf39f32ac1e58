"""Signals, full devices and closed pipes: how the commands leave early."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import COMMAND, assert_one_line, command
from compiler import TARGET, needs_compiler
from sizes import covered

#: The command, saying on standard error when the integration has begun.
AT_WORK = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from mstmm.cli import main
from mstmm.runtime.motions import moving

class Meter(moving.Meter):
    def __init__(self, progress):
        super().__init__(progress)
        print("at work", file=sys.stderr, flush=True)

moving.Meter = Meter
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@covered(
    1,
    options=[
        pytest.param("--target c", marks=needs_compiler),
        "--target numpy",
        pytest.param("--target c --method dopri5", marks=needs_compiler),
        f"--target {TARGET} --method RK45",
    ],
    sent=[signal.SIGINT, signal.SIGTERM],
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
