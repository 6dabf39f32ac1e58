"""The emitted sources: golden files, determinism, strict compilers, use without Python."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from compiler import COMPILER, needs_compiler
from places import ROOT
from sizes import covered

from mstmm.codegen.generate import generate
from mstmm.codegen.targets.c.writing import EXAMPLE
from mstmm.model import load
from mstmm.runtime.solver import compile_model

GOLDEN = ROOT / "generated" / "branch-pendulum"
MODELS = ("branch-pendulum", "branch-system:N=99", "rod-chain:n=1", "rod-chain:n=30")


def write(folder: Path, model: str, **options: object) -> Path:
    for name, text in generate(load(model), **options).sources.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def compile_c(folder: Path, *arguments: str) -> None:
    assert not isinstance(COMPILER, str)
    run(*COMPILER.command, *arguments, cwd=folder)


def run(*command: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_committed_sources_are_what_is_generated_now() -> None:
    expected = {
        name: text
        for target in ("c", "numpy")
        for name, text in generate(load("branch-pendulum"), target=target).sources.files.items()
    }
    committed = {path.name: path.read_text(encoding="utf-8") for path in GOLDEN.iterdir()}
    assert committed == expected, (
        "regenerate: mstmm generate branch-pendulum --target c -o generated/branch-pendulum, "
        "and the same with --target numpy"
    )


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_sources_do_not_depend_on_the_hash_seed(target: str) -> None:
    code = (
        "from mstmm.codegen.generate import generate; from mstmm.model import load;"
        f"print(generate(load('branch-system:N=41'), target='{target}', parameters=('m', 'a'),"
        " forced=True).sources.digest)"
    )
    digests = {
        run(sys.executable, "-c", code, cwd=ROOT / "tests", PYTHONHASHSEED=seed)
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.fixture(scope="module")
def strictly() -> set[str]:
    """Files that have been compiled without a warning."""
    return set()


@needs_compiler
@covered(
    1,
    options=[
        pytest.param({"parameters": ("m", "g"), "forced": True}, id="arguments"),
        pytest.param({}, id="baked"),
    ],
    model=MODELS,
)
def test_c_compiles_without_a_warning(
    tmp_path: Path, strictly: set[str], model: str, options: dict
) -> None:
    write(tmp_path, model, **options)
    name = load(model).name.replace("-", "_")
    flags = "-std=c11 -Wall -Wextra -Wconversion -Werror -pedantic -O2 -c"
    sources = sorted(path.name for path in tmp_path.glob("*.c"))
    assert {f"{name}.c", "example_main.c", "mstmm_motion.c", "mstmm_trig.c"} <= set(sources)
    for source in sources:
        text = (tmp_path / source).read_text(encoding="utf-8")
        if text not in strictly:
            compile_c(tmp_path, *flags.split(), source)
        # The headers beside what is shared are the same for every model.
        strictly |= {text} if source.startswith("mstmm_") else set()


LEFT_OUT = ("-DMSTMM_LOOPS=0", "-DMSTMM_IMPLICIT=0")


@pytest.mark.parametrize(
    ("model", "options", "left_out"),
    [
        ("double-pendulum", {}, LEFT_OUT),
        ("slider-crank", {}, LEFT_OUT[1:]),
        ("double-pendulum", {"algorithm": "derivatives"}, ()),  # whose library moves loops too
    ],
)
def test_what_no_motion_of_a_library_needs_is_left_out(
    model: str, options: dict, left_out: tuple[str, ...]
) -> None:
    sources = generate(load(model), **options).sources
    assert sources.own_flags == {"mstmm_motion.c": left_out}


@needs_compiler
def test_integrators_with_parts_left_out_refuse_what_needs_them(tmp_path: Path) -> None:
    write(tmp_path, "slider-crank")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic", "-O0", "-c"]
    sizes = []
    for left_out in ((), LEFT_OUT[:1], LEFT_OUT[1:], LEFT_OUT):
        compile_c(tmp_path, *flags, *left_out, "mstmm_motion.c")
        sizes.append((tmp_path / "mstmm_motion.o").stat().st_size)
    assert sizes[0] > max(sizes[1:3]) > min(sizes[1:3]) > sizes[3]
    (tmp_path / "closing.c").write_text(
        '#include "mstmm_motion.h"\n'
        "int main(void) { return mstmm_close(0, 0, 0, 0, 0, 0, 0) != MSTMM_FAILED; }\n"
    )
    compile_c(tmp_path, "-std=c11", "closing.c", "mstmm_motion.o", "-lm", "-o", "closing")
    run("./closing", cwd=tmp_path)


@needs_compiler
def test_example_main_prints_the_same_accelerations(tmp_path: Path) -> None:
    write(tmp_path, "branch-pendulum")
    flags = ("-std=c11", "-O2", "-lm", "-o", "example")
    sources = [path.name for path in tmp_path.glob("*.c")]
    compile_c(tmp_path, *sources, *flags)
    text = run("./example", cwd=tmp_path)
    printed = [float(x) for x in re.findall(r"a\[\d\] = (\S+)", text)]
    model = load("branch-pendulum")
    ours = compile_model(model, target="numpy").accelerations(model.q0, model.v0)
    # both are rounded evaluations of the same formulas: a few units in the last place of 5.9
    np.testing.assert_allclose(printed, ours, rtol=0, atol=1e-14)
    assert printed[3] == pytest.approx(-5.886, abs=1e-14)  # −3g/(10a), by hand
    assert re.search(r"energy = (\S+)", text)


@needs_compiler
def test_api_mode_extension_gives_the_same_numbers(tmp_path: Path) -> None:
    write(tmp_path, "branch-pendulum")
    assert not isinstance(COMPILER, str)
    hurried = tmp_path / "cc"  # the script's own flags come behind those of the environment
    hurried.write_text(f'#!/bin/sh\nexec {shlex.join(COMPILER.command)} "$@" -O0\n')
    hurried.chmod(0o755)
    written = {path.name for path in tmp_path.iterdir()}
    for _ in range(2):
        run(sys.executable, "build_branch_pendulum.py", cwd=tmp_path, CC=str(hurried))
    (built,) = {path.name for path in tmp_path.iterdir()} - written
    assert built.startswith("_branch_pendulum.")
    code = """
import json
from _branch_pendulum import ffi, lib
w, a = ffi.new("branch_pendulum_work *"), ffi.new("double[4]")
status = lib.branch_pendulum_accelerations([0.1, 0.7, -1.2, 2.0], [1.0, -2.0, 0.5, 3.0], a, w)
print(json.dumps([status, list(a)]))
"""
    status, accelerations = json.loads(run(sys.executable, "-c", code, cwd=tmp_path))
    assert status == 0
    just_in_time = compile_model("branch-pendulum", portable=True).accelerations(
        [0.1, 0.7, -1.2, 2.0], [1.0, -2.0, 0.5, 3.0]
    )
    # contraction to FMA may differ between the two builds, and so may a term for forces of zero:
    # some units in the last place of the largest, of which the smallest is what is left
    np.testing.assert_allclose(accelerations, just_in_time, rtol=0, atol=1e-14 * 21)


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_sources_hold_no_path_clock_or_allocation(target: str) -> None:
    files = generate(load("branch-system:N=99"), target=target).sources.files
    for name, text in files.items():
        assert not re.search(r"/(work|home|tmp|root)/|20\d\d-\d\d|fast-math", text), name
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert name == EXAMPLE or not re.search(r"\bmalloc\(", code), name


def test_every_block_names_its_equations() -> None:
    generated = generate(load("branch-pendulum"))
    for step in generated.module.steps:
        for block in step.blocks:
            assert block.sources, block.title
            assert all(block.sources), block.title
    source = generated.sources.files["branch_pendulum.c"]
    assert "(4), (29)" in source
    assert "(4), (30)" in source
    assert "(33)" in source
    header = generated.sources.files["branch_pendulum.h"]
    assert re.search(r"entry accelerations +\d+ +\d+", header)


def test_the_model_s_own_file_holds_little_but_its_dynamics() -> None:
    files = generate(load("branch-pendulum")).sources.files
    assert len(files["branch_pendulum.c"].splitlines()) <= 240
    assert len(files["branch_pendulum_outputs.h"].splitlines()) <= 225
    for name in ("joint_loads", "energy", "poses", "end_states"):
        assert f"int branch_pendulum_{name}(" in files["branch_pendulum_outputs.h"]
        assert f"branch_pendulum_{name}(" not in files["branch_pendulum.c"]
    assert "BRANCH_PENDULUM_LOADS_5_O = 12" in files["branch_pendulum.h"]
    assert "m = 1.0, a = 0.5, g = 9.81" in files["branch_pendulum.c"]
    assert "IAh = [IA₁₁ + IA₁₂ P, 0; 0, 0]" in files["branch_pendulum.c"]
    assert "const mstmm_model branch_pendulum_model" in files["branch_pendulum_motion.c"]


def test_no_state_is_global_in_the_emitted_c() -> None:
    source = generate(load("branch-system:N=99")).sources.files["branch_system.c"]
    for line in source.splitlines():
        if line.startswith("static ") and "(" not in line:
            assert line.startswith("static const "), line


def test_manifest_lists_blocks_and_costs() -> None:
    manifest = json.loads(generate(load("branch-pendulum")).sources.files["branch_pendulum.json"])
    assert manifest["coordinates"] == ["1", "3", "5", "7"]
    assert manifest["ends"] == ["1:O", "3:O", "5:O", "7:O"]
    assert manifest["entries"]["accelerations"]["operations"]["divisions"] == 2


def test_a_portable_build_script_names_no_machine() -> None:
    usual, portable = (
        generate(load("double-pendulum"), portable=chosen).sources.files["build_double_pendulum.py"]
        for chosen in (False, True)
    )
    assert "-march=native" in usual
    assert "-march" not in portable
    compile(portable, "build_double_pendulum.py", "exec")
