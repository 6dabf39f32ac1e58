"""Names of models, bodies and parameters that mean something to C, NumPy or our own files."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGET, needs_compiler
from emulated import Emulated

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.targets.c.writing import EXAMPLE
from mstmm.codegen.toolchain import find_compiler
from mstmm.errors import ModelError, UsageError

Q, V = [0.1, 0.2], [0.3, 0.4]

#: Two bodies, of which one, its hinge, its point and a parameter have a name of the test's.
TEXT = """
name = "{model}"
dimension = 2
gravity = [0, -9.81]
[parameters]
{parameter} = 0.5
[bodies.{body}]
mass = "2*{parameter}"
inertia = 0.1
centre = ["{parameter}", 0]
[bodies.{body}.points.{body}]
[bodies.{body}.points.end]
position = ["{parameter}", 0]
[bodies.second]
mass = "{parameter}"
inertia = 0.1
centre = [0, 0]
[bodies.second.points.end]
[hinges.{body}]
kind = "pin"
parent = "ground"
child = "{body}:{body}"
force = "-{parameter}*u1 - {parameter}*sin(q1)"
[hinges.second]
kind = "prismatic"
parent = "{body}:end"
child = "second:end"
damper = {{ damping = "{parameter}" }}
"""


def named(folder: Path, model: str = "m", body: str = "first", parameter: str = "l") -> mstmm.Model:
    path = folder / "model.toml"
    path.write_text(TEXT.format(model=model, body=body, parameter=parameter))
    return mstmm.load(str(path))


@pytest.mark.parametrize(
    "model", ["body", "places", "motion", "mstmm", "mstmm-motion", "example-main", "numpy", "math"]
)
@pytest.mark.parametrize("target", [TARGET, "numpy"])
def test_a_model_may_be_called_like_something_of_ours(model: str, target: str) -> None:
    pendulum = mstmm.load("branch-pendulum")
    q = np.linspace(0.1, 0.4, 4)
    plain = mstmm.compile(pendulum, target=target)
    other = mstmm.compile(replace(pendulum, name=model), target=target)
    assert np.array_equal(other.accelerations(q, q), plain.accelerations(q, q))
    motion = other.simulate(q, q, t_end=0.01, dt=0.01)
    assert np.array_equal(motion.q, plain.simulate(q, q, t_end=0.01, dt=0.01).q)


@pytest.mark.parametrize("target", ["c", "c-batch", "numpy"])
def test_a_model_called_like_a_file_of_ours_keeps_it(target: str) -> None:
    model = replace(mstmm.load("branch-pendulum"), name="example_main")
    files = generate(model, target=target).sources.files
    stem = "py" if target == "numpy" else "c"
    assert f"example_main_model.{stem}" in files
    assert (EXAMPLE in files) == (target == "c")


def test_an_ordinary_name_stays_as_it_is() -> None:
    for name in ("branch-pendulum", "four-bar", "rod-chain", "arm", "example-1"):
        model = replace(mstmm.load("branch-pendulum"), name=name)
        assert generate(model).sources.interface.prefix == name.replace("-", "_")


def test_other_algorithms_than_the_default_are_in_the_prefix() -> None:
    model = mstmm.load("spatial-tree")
    made = {name: generate(model, algorithm=name) for name in ("riccati", "rnea-body")}
    prefixes = [one.sources.interface.prefix for one in made.values()]
    assert prefixes == ["spatial_tree", "spatial_tree_rnea_body"]


#: Accelerations by two algorithms, and the forces that a third finds for them: none.
PROGRAM = """
#include "double_pendulum.h"
#include "double_pendulum_dca.h"
#include "double_pendulum_rnea_body.h"
#include <stdio.h>
int main(void)
{
    static double_pendulum_work one;
    static double_pendulum_dca_work two;
    static double_pendulum_rnea_body_work three;
    static const double q[2] = {0.3, -0.5}, v[2] = {1.0, 2.0};
    double a[2], b[2], tau[2];
    const int status = double_pendulum_accelerations(q, v, a, &one)
        | double_pendulum_dca_accelerations(q, v, b, &two)
        | double_pendulum_rnea_body_inverse_dynamics(q, v, a, tau, &three);
    printf("%.17g %.17g %.17g %.17g", a[0] - b[0], a[1] - b[1], tau[0], tau[1]);
    return status;
}
"""


@needs_compiler
def test_several_algorithms_of_one_model_link_into_one_program(tmp_path: Path) -> None:
    model = mstmm.load("double-pendulum")
    files = {"main.c": PROGRAM}
    for algorithm in ("riccati", "dca", "rnea-body"):
        made = generate(model, algorithm=algorithm).sources.library
        assert all(files[name] == made[name] for name in files.keys() & made.keys())
        files |= made
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    sources = sorted(name for name in files if name.endswith(".c"))
    command = [*find_compiler().command, *sources, "-o", "together", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "together"], capture_output=True, text=True, check=True)
    # Numbers of some 10 rad/s² and N m, rounded by different ways of computing them.
    assert max(abs(float(x)) for x in said.stdout.split()) < 1e-12


@pytest.mark.parametrize(
    "name", ["double", "restrict", "class", "None", "sqrt", "lanes", "w", "np", "S", "lambda"]
)
@pytest.mark.parametrize("target", [TARGET, "numpy"])
def test_parameters_may_be_words_of_a_language(tmp_path: Path, name: str, target: str) -> None:
    plain = mstmm.compile(named(tmp_path), target=target, parameters=["l"])
    model = named(tmp_path, body=name, parameter=name)
    other = mstmm.compile(model, target=target, parameters=[name])
    assert np.allclose(other.accelerations(Q, V), plain.accelerations(Q, V), rtol=1e-13)
    changed = other.accelerations(Q, V, parameters={name: 0.25})
    assert np.allclose(changed, plain.accelerations(Q, V, parameters={"l": 0.25}), rtol=1e-13)


@needs_compiler
@pytest.mark.parametrize("name", ["new", "max", "BANK"])
def test_parameters_may_be_words_of_cuda(tmp_path: Path, name: str) -> None:
    model = named(tmp_path, body=name, parameter=name)
    code = Emulated(tmp_path, generate(model, target="cuda", entries=("accelerations",)))
    found, _ = code("accelerations", {"q": np.array([Q]), "v": np.array([V])}, 1, True)
    plain = mstmm.compile(named(tmp_path), target=TARGET).accelerations(Q, V)
    assert np.allclose(found["a"][0], plain, rtol=1e-13)


@pytest.mark.parametrize("name", ["t", "q1", "u1", "pi"])
def test_a_parameter_called_like_a_quantity_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=rf"\b{name}\b"):
        named(tmp_path, parameter=name)


def test_a_parameter_is_named_once() -> None:
    with pytest.raises(UsageError, match="parameters names m more than once"):
        mstmm.compile("branch-pendulum", target="numpy", parameters=["m", "m", "g"])


def test_one_name_is_a_list_of_one_name() -> None:
    """It is not read as its letters, whichever argument lists names."""
    model = mstmm.load("four-bar")
    (cut,) = model.cuts
    assert len(cut) > 1
    assert replace(model, cuts=cut).cuts == model.cuts  # type: ignore[arg-type]
    assert mstmm.Frames(frames="coupler").frames == ("coupler",)  # type: ignore[arg-type]
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy", parameters="g")
    assert solver.parameters == ("g",)
    q, v = model.q0, model.v0
    for passive in (["uleft"], "uleft"):
        assert abs(solver.inverse_dynamics(q, v, v, passive=passive)[1]) < 1e-9
    free = mstmm.compile("cart-pole", target="numpy")
    hinge = free.speeds[-1]
    one, other = (
        free.state_space(free.model.q0, free.model.v0, inputs=x) for x in (hinge, [hinge])
    )
    assert (one.B == other.B).all()


def test_values_in_the_place_of_names_are_refused() -> None:
    with pytest.raises(UsageError, match="must be a list of names"):
        mstmm.compile("branch-pendulum", target="numpy", parameters={"m": 1.0})  # type: ignore[arg-type]


def test_a_name_too_long_for_a_file_is_refused() -> None:
    with pytest.raises(ModelError, match="has 300 characters; use at most 100"):
        replace(mstmm.load("branch-pendulum"), name="x" * 300)
