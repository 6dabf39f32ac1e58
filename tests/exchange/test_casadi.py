"""Functions of CasADi: numbers and Jacobians, and an optimal motion that the page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler

import mstmm
from mstmm.exchange.exports.export import export

casadi = pytest.importorskip("casadi", reason="needs CasADi (pip install casadi)")
pytestmark = [needs_compiler, pytest.mark.extras]
PAGE = Path(__file__).parents[2] / "docs" / "exchange.md"
#: A model with inputs, a loop, quaternions, a plain chain.
NAMES = [
    pytest.param("cart-pole", marks=pytest.mark.slow),
    "slider-crank",
    "ball-chain:n=2",
    pytest.param("double-pendulum", marks=pytest.mark.slow),
]
DRIVEN = """name = "driven"
dimension = 2
gravity = [0, 0]
[parameters]
m = 2.0
tau__ = 0.25
[bodies.block]
mass = "m"
inertia = 0.1
centre = [0, 0]
[bodies.block.points.C]
[hinges.rail]
kind = "prismatic"
parent = "ground"
child = "block:C"
force = "3*sin(4*t) - tau__*u1"
"""


def written(model: Any, folder: Path, **options: Any) -> Any:
    """The function that CasADi loads from an export."""
    for name, content in export(model, "casadi", **options).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (library,) = folder.glob("*/*.so")
    return casadi.external(f"{library.stem}_dynamics", str(library))


@pytest.mark.parametrize("name", NAMES)
def test_the_jacobian_is_that_of_the_numbers(name: str, tmp_path: Path) -> None:
    """Accelerations are the solver's; each block is a central difference of the function."""
    model, rng = mstmm.load(name), np.random.default_rng(1)
    f = written(model, tmp_path)
    solver = mstmm.compile(model)
    v = np.asarray(model.v0)
    v = v if model.cuts else v + rng.uniform(-1, 1, len(v))
    tau = rng.uniform(-1, 1, len(v))
    found = f(q=model.q0, v=v, tau=tau)
    a = np.asarray(solver.accelerations(model.q0, v, tau))
    np.testing.assert_allclose(found["accelerations"].full().ravel(), a, rtol=1e-12, atol=1e-12)
    given = {x: f.default_in(i) for i, x in enumerate(f.name_in())}
    given |= {"q": model.q0, "v": v, "tau": tau}
    at = f.jacobian()(**given)
    for name_in in f.name_in():
        place = np.atleast_1d(np.asarray(given[name_in], dtype=float))
        along = rng.uniform(-1, 1, len(place))
        if name_in == "q":  # quaternions and loops change along a motion
            along = found["rates"].full().ravel()
        sides = [f(**{**given, name_in: place + sign * 1e-5 * along}) for sign in (1, -1)]
        for out in f.name_out():
            expected = (sides[0][out] - sides[1][out]).full().ravel() / 2e-5
            block = at[f"jac_{out}_{name_in}"].full() @ along
            size = max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(block, expected, atol=1e-6 * size, err_msg=name_in)


def test_time_and_odd_names_are_arguments(tmp_path: Path) -> None:
    """Where a law depends on the time it is an argument, by which nothing is differentiated."""
    (tmp_path / "driven.toml").write_text(DRIVEN)
    f = written(mstmm.load(tmp_path / "driven.toml"), tmp_path)
    assert f.name_in() == ["q", "v", "tau", "m", "p_tau", "t"]
    assert f.default_in(3) == 2.0
    found = f(v=0.5, tau=1.0, t=0.2)
    expected = (3 * np.sin(0.8) - 0.25 * 0.5 + 1.0) / 2
    assert abs(float(found["accelerations"]) - expected) < 1e-14
    t, m = casadi.MX.sym("t"), casadi.MX.sym("m")
    slope = casadi.Function("s", [m, t], [casadi.jacobian(f(m=m, t=t)["accelerations"], m)])
    assert abs(float(slope(2.0, 0.2)) + 3 * np.sin(0.8) / 4) < 1e-14
    assert casadi.jacobian(f(m=m, t=t)["accelerations"], t).nnz() == 0


def test_no_motion_is_no_function(tmp_path: Path) -> None:
    """States at which there is no number make the evaluation fail, not the numbers wrong."""
    f = written(mstmm.load("double-pendulum"), tmp_path)
    with pytest.raises(RuntimeError):
        f(q=[0, 0], m1=0.0, m2=0.0)


def test_the_optimal_motion_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program on the page runs; mstmm's own motion under its forces ends where it says."""
    monkeypatch.chdir(tmp_path)
    written(mstmm.load("cart-pole"), tmp_path / "out")
    (program,) = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(program, str(PAGE), "exec"), names)
    assert np.abs(names["push"]).max() <= 8 + 1e-6
    np.testing.assert_allclose(names["run"].q[-1], [0, np.pi], atol=1e-3)
    np.testing.assert_allclose(names["run"].v[-1], [0, 0], atol=5e-3)
