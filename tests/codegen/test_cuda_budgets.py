"""CUDA compiled for cards that are not here: without a warning, and within budgets.

A budget is what the compiler reported when the text was written, and a few in a hundred more, for
other versions of it. What exceeds one is slower on every card.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from commands import answer

import mstmm
from mstmm.codegen.cache import FOLDER_VARIABLE
from mstmm.codegen.generate import generate
from mstmm.codegen.targets.cuda.compiling import Cubin, cubin
from mstmm.errors import ToolchainError

pytestmark = pytest.mark.extras

#: Registers, bytes of stack, bytes spilled, and instructions in double precision on sm_90.
BUDGETS = {
    ("panda", "riccati", "accelerations"): (184, 128, 0, 1160),
    ("panda", "rnea-body", "inverse_dynamics"): (172, 128, 0, 720),
    ("panda", "rnea-body", "mass_matrix"): (168, 128, 0, 600),
    ("panda", "derivatives", "derivatives"): (255, 3200, 4100, 4500),
    ("panda", "pullback", "pullback"): (255, 2100, 2100, 2450),
    ("hyq", "riccati", "accelerations"): (255, 1300, 1300, 2650),
    ("four-bar", "riccati", "accelerations"): (128, 304, 0, 680),
    ("spatial-tree", "riccati", "accelerations"): (168, 128, 0, 660),
}

#: Where the robots' files lie in their package, and how they are read.
ROBOTS = {
    "panda": ("panda.urdf", {"locked": {"panda_finger_joint1": 0.0}}),
    "hyq": ("hyq_no_sensors.urdf", {"floating": True}),
}


def _model(name: str) -> mstmm.Model:
    if name not in ROBOTS:
        return mstmm.load(name)
    file, options = ROBOTS[name]
    return mstmm.load(str(_found("example-robot-data", file)), **options)


def _found(package: str, name: str) -> Path:
    """A file of an installed package."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"needs the wheel {package}")
    return Path(str(next(file for file in files if file.name == name).locate()))


def _compiled(name: str, algorithm: str, entry: str, arch: str, **options: str) -> Cubin:
    """The kernels of an entry, or of several with commas between."""
    made = generate(
        _model(name),
        algorithm=algorithm,
        target="cuda",
        entries=entry.split(","),
        forced=True,
        loaded=False,
        **options,
    )
    prefix = made.sources.interface.prefix
    try:
        return cubin(prefix, made.sources.files[f"{prefix}.cu"], arch)
    except ToolchainError as missing:
        pytest.skip(str(missing))


#: Other architectures than the budgets': what has no loops, and what closes one.
OTHERS = [
    ("panda", "riccati", "accelerations", "sm_80"),
    ("four-bar", "riccati", "accelerations", "sm_80"),
    ("panda", "riccati", "accelerations", "sm_100"),
    ("four-bar", "riccati", "accelerations", "sm_100"),
]


@pytest.mark.parametrize(
    ("name", "algorithm", "entry", "arch"), [*((*each, "sm_90") for each in BUDGETS), *OTHERS]
)
def test_a_kernel_compiles_without_a_warning_and_keeps_its_budget(
    name: str, algorithm: str, entry: str, arch: str
) -> None:
    found = _compiled(name, algorithm, entry, arch)
    assert "warning" not in found.report
    (kernel,) = found.kernels
    assert kernel.name.endswith(entry)
    assert kernel.fits
    registers, stack, spilled, _ = BUDGETS[name, algorithm, entry]
    assert kernel.registers <= registers
    assert kernel.stack <= stack
    assert kernel.spilled <= spilled


@pytest.mark.parametrize(("name", "algorithm", "entry"), BUDGETS)
def test_a_kernel_takes_so_many_instructions_in_double_precision(
    name: str, algorithm: str, entry: str, tmp_path: Path
) -> None:
    (tmp_path / "kernel.cubin").write_bytes(_compiled(name, algorithm, entry, "sm_90").code)
    folder = _found("nvidia-cuda-nvdisasm", "nvdisasm").parent
    done = subprocess.run(
        [_found("nvidia-cuda-cuobjdump", "cuobjdump"), "-sass", "kernel.cubin"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    kernel = done.stdout.partition(f"{entry}_device")[2]
    doubles = len(re.findall(r" (?:DFMA|DMUL|DADD|DSETP|DMNMX)\b", kernel))
    assert 0 < doubles <= BUDGETS[name, algorithm, entry][3]


def test_a_kernel_from_the_cache_is_the_one_that_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    asked = ("double-pendulum", "riccati", "accelerations", "sm_90")
    made = _compiled(*asked)
    assert made.code.startswith(b"\x7fELF")
    monkeypatch.setattr("cuda.core.Program", None)
    assert _compiled(*asked) == made


def test_the_command_writes_machine_code_and_says_what_a_thread_takes(tmp_path: Path) -> None:
    _compiled("double-pendulum", "riccati", "accelerations", "sm_90")
    asked = ("generate", "double-pendulum", "--target", "cuda", "--arch", "sm_90", "-o", tmp_path)
    assert re.search(r"double_pendulum_accelerations_device +\d+ +\d+ +0 *\n", answer(*asked))
    assert (tmp_path / "double_pendulum.cubin").read_bytes().startswith(b"\x7fELF")
    told = json.loads(answer(*asked, "--json"))
    assert told["files"][-1] == "double_pendulum.cubin"
    assert told["kernels"][0]["name"] == "double_pendulum_accelerations"


def test_steps_stay_in_registers() -> None:
    """Of Panda by Runge and Kutta, with feedback: a state, its stages and all that they compute."""
    found = _compiled("panda", "riccati", "accelerations,rates", "sm_90")
    (rk4,) = (x for x in found.kernels if x.name.endswith("rollout_rk4"))
    assert rk4.spilled <= 64
    assert rk4.stack <= 256


def test_floats_take_no_stack_but_a_sine_s() -> None:
    (kernel,) = _compiled("hyq", "riccati", "accelerations", "sm_90", real="float").kernels
    assert kernel.spilled == 0
    assert kernel.stack <= 64


def test_a_long_chain_does_not_fit_a_thread() -> None:
    (kernel,) = _compiled("branch-system:N=999", "riccati", "accelerations", "sm_90").kernels
    assert not kernel.fits


def test_words_of_cuda_may_name_parameters(tmp_path: Path) -> None:
    text = "[parameters]\nmax = 0.5\nnorm3d = 2.0\nfloat4 = 1.0\n"
    text = f"""name = "m"
dimension = 2
gravity = [0, "-9.81*float4"]
{text}
[bodies.threadIdx]
mass = "norm3d"
inertia = "max"
centre = ["max", 0]
[hinges.warpSize]
kind = "pin"
parent = "ground"
child = "threadIdx"
through = ["max", 0]
"""
    (tmp_path / "m.toml").write_text(text)
    made = generate(mstmm.load(str(tmp_path / "m.toml")), target="cuda")
    try:
        found = cubin("m", made.sources.files["m.cu"], "sm_90")
    except ToolchainError as missing:
        pytest.skip(str(missing))
    assert "warning" not in found.report


def test_an_unknown_architecture_is_refused_with_those_that_there_are() -> None:
    _compiled("double-pendulum", "riccati", "accelerations", "sm_90")
    with pytest.raises(ToolchainError, match=r"architecture 'sm_1'\nremedy: choose one of .*sm_90"):
        cubin("none", "", "sm_1")


def test_without_a_compiler_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    with pytest.raises(ToolchainError, match=r"NVRTC, .*\nremedy: pip install \"mstmm\[cuda\]\""):
        cubin("none", "", "sm_90")
