"""What a model becomes for other tools: each is built, run and compared with the solver."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler
from scipy.integrate import solve_ivp

import mstmm
from mstmm.codegen.exports.export import EXPORTS, export
from mstmm.errors import UsageError

pytestmark = needs_compiler
#: Of the largest number of a second's motion: CVODE, which keeps loops closed no better than this.
TOLERANCE = 1e-5
#: A chain, a loop, quaternions, inputs of the model.
MODELS = [
    pytest.param("double-pendulum", marks=pytest.mark.slow),
    "slider-crank",
    pytest.param("ball-chain:n=2", marks=pytest.mark.slow),
    pytest.param("cart-pole", marks=pytest.mark.slow),
]


def written(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run(*command: Any, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


CONSUMER = """cmake_minimum_required(VERSION 3.15)
project(consumer C)
find_package(double_pendulum 1.0 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer double_pendulum::double_pendulum)
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake (pip install cmake)")
def test_a_cmake_project_builds_runs_and_is_found(tmp_path: Path) -> None:
    model = mstmm.load("double-pendulum")
    written(export(model, "cmake"), tmp_path)
    project = tmp_path / "double_pendulum"
    run("cmake", "-S", project, "-B", tmp_path / "b", "-DBUILD_SHARED_LIBS=ON")
    run("cmake", "--build", tmp_path / "b")
    assert "100% tests passed" in run("ctest", "--test-dir", tmp_path / "b")
    said = run(tmp_path / "b" / "double_pendulum_example")
    a = mstmm.compile(model).accelerations(model.q0, model.v0)
    found = [float(line.split("=")[1]) for line in said.splitlines() if line.startswith("a[")]
    np.testing.assert_allclose(found, a, rtol=1e-12)
    run("cmake", "--install", tmp_path / "b", "--prefix", tmp_path / "at")
    consumer = tmp_path / "consumer"
    consumer.mkdir()
    (consumer / "CMakeLists.txt").write_text(CONSUMER)
    shutil.copy(project / "example" / "example_main.c", consumer / "main.c")
    run("cmake", "-S", consumer, "-B", consumer / "b", f"-DCMAKE_PREFIX_PATH={tmp_path / 'at'}")
    run("cmake", "--build", consumer / "b")
    assert run(consumer / "b" / "consumer") == said
    (pc,) = (tmp_path / "at").rglob("double_pendulum.pc")
    assert "-ldouble_pendulum -lm" in pc.read_text()


def simulated(path: Path, kind: str, model: Any, inputs: Mapping[str, float]) -> Any:
    fmpy = pytest.importorskip("fmpy", reason="needs FMPy")
    states = [*model.coordinates, *model.speeds]
    columns = np.dtype([("time", float), *((name, float) for name in inputs)])
    signals = np.array([(t, *inputs.values()) for t in (0.0, 2.0)], dtype=columns)
    options = {"relative_tolerance": 1e-9} if kind == "ModelExchange" else {}
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=1.0, output_interval=0.05, output=states,
        input=signals, **options,
    )  # fmt: skip
    return np.array([list(row)[1:] for row in found])


def followed(solver: Any, tau: Any, plain: bool) -> Any:
    """The states of a second; with forces by SciPy."""
    q0, v0 = solver.model.q0, solver.model.v0
    if not plain:
        run = solver.simulate(t_end=1.0, dt=1e-3)
        return np.hstack([np.asarray(run.q), np.asarray(run.v)])[::50]
    n = len(q0)
    return solve_ivp(
        lambda _, y: np.concatenate([y[n:], solver.accelerations(y[:n], y[n:], tau)]),
        (0.0, 1.0),
        [*q0, *v0],
        method="DOP853",
        t_eval=np.linspace(0, 1, 21),
        rtol=1e-10,
        atol=1e-12,
    ).y.T


@pytest.mark.parametrize("version", ["fmi2", "fmi3"])
@pytest.mark.parametrize("name", MODELS)
def test_an_fmu_is_valid_and_moves_as_the_solver(name: str, version: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy.validation", reason="needs FMPy")
    model = mstmm.load(name)
    written(export(model, version), tmp_path)
    (path,) = tmp_path.glob("*.fmu")
    assert fmpy.validate_fmu(str(path)) == []
    plain = len(model.q0) == len(model.v0) and not model.cuts
    tau = 0.3 * np.arange(1, len(model.v0) + 1) * plain
    inputs = {f"tau_{name}": value for name, value in zip(model.speeds, tau, strict=True)}
    states = followed(mstmm.compile(model), tau, plain)
    for kind in ("CoSimulation", "ModelExchange"):
        found = simulated(path, kind, model, inputs)
        assert found.shape == states.shape
        assert np.abs(found - states).max() < TOLERANCE * max(1, np.abs(states).max()), kind


def test_parameters_of_an_fmu_are_those_of_the_model(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="needs FMPy")
    model = mstmm.load("double-pendulum")
    written(export(model, "fmi3", parameters=("m1", "g")), tmp_path)
    path = tmp_path / "double_pendulum.fmu"
    description = fmpy.read_model_description(str(path))
    kinds = {x.name: x.causality for x in description.modelVariables}
    assert [name for name, kind in kinds.items() if kind == "parameter"] == ["m1", "g"]
    assert kinds["tau_u1"] == "input"
    found = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=0.5, start_values={"g": 1.6, "m1": 3.0},
        output=["q1", "energy"], output_interval=0.1,
    )  # fmt: skip
    solver = mstmm.compile(model, parameters=("m1", "g"))
    expected = solver.simulate(t_end=0.5, dt=1e-3, parameters={"g": 1.6, "m1": 3.0})
    assert abs(found["q1"][-1] - np.asarray(expected.q)[-1, 0]) < 1e-9
    assert np.ptp(found["energy"]) < 1e-6
    assert export(model, "fmi3", parameters=("m1", "g")) == {path.name: path.read_bytes()}


def test_a_wheel_runs_where_mstmm_is_not(tmp_path: Path) -> None:
    model = mstmm.load("cart-pole")
    written(export(model, "wheel"), tmp_path)
    (path,) = tmp_path.glob("*.whl")
    target = tmp_path / "site"
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        target,
        path,
    )
    script = (
        f"import sys; sys.path.insert(0, {str(target)!r}); import cart_pole as m; "
        "assert 'mstmm' not in sys.modules; "
        "print(*m.accelerations([m.Q0, m.Q0], m.V0, [1.0, 2.0])[1], m.energy(m.Q0, m.V0))"
    )
    found = [float(x) for x in run(sys.executable, "-c", script).split()]
    solver = mstmm.compile(model)
    a = solver.accelerations(model.q0, model.v0, [1.0, 2.0])
    np.testing.assert_allclose(found, [*a, solver.energy(model.q0, model.v0)], rtol=1e-12)


def test_what_there_is_not_is_named() -> None:
    with pytest.raises(UsageError, match=", ".join(EXPORTS)):
        export(mstmm.load("double-pendulum"), "fortran")


def test_the_casadi_function_of_the_page_has_exact_derivatives() -> None:
    pytest.importorskip("casadi", reason="needs CasADi")
    page = Path(__file__).parents[2] / "docs" / "exchange.md"
    (shown,) = re.findall(r"^```py\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(shown, str(page), "exec"), names)
    q = np.array([0.3, -0.2])
    found, expected = names["slope"](q), names["solver"].derivatives(q, 0 * q, 0 * q).dq
    np.testing.assert_array_equal(np.array(found), expected)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
@pytest.mark.skipif(not find_spec("ziglang"), reason="needs the extra cc (ziglang)")
def test_webassembly_computes_as_the_solver(tmp_path: Path) -> None:
    model = mstmm.load("cart-pole")
    written(export(model, "wasm"), tmp_path)
    (tmp_path / "run.mjs").write_text("""import { readFileSync } from "node:fs";
import { instantiate } from "./cart_pole.mjs";
const model = await instantiate(readFileSync("cart_pole.wasm"));
const more = { parameters: { l: 0.9 } };
console.log(...model.accelerations(model.q0, model.v0, [1, 2], more));
console.log(model.energy(model.q0, model.v0, more));
""")
    found = [float(x) for x in run("node", "run.mjs", cwd=tmp_path).split()]
    solver = mstmm.compile(model, parameters=("l",))
    a = solver.accelerations(model.q0, model.v0, [1.0, 2.0], parameters={"l": 0.9})
    np.testing.assert_allclose(
        found, [*a, solver.energy(model.q0, model.v0, parameters={"l": 0.9})], rtol=1e-12
    )
