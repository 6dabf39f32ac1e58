"""Validation must also fail on errors around the kernels: lanes, far angles, integrators."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

import pytest
from compiler import needs_compiler
from overconstrained_models import bricard

from mstmm.codegen.build import build
from mstmm.codegen.proof.records import Proof
from mstmm.codegen.proof.validate import validate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import Model
from mstmm.runtime.evaluation.code import LIBRARIES
from mstmm.runtime.solver import compile_model

#: Target, file, what stands there, what is planted, and how the failing row begins.
PLANTED = [
    (
        "c-batch",
        "mstmm_lanes.h",
        "half < LANES; half",
        "2 * half < LANES; half",
        "states of a batch",
    ),
    ("c-batch", "double_pendulum.c", "q + first * 2", "q + first", "states of a batch"),
    ("c", "mstmm_trig.c", "0xa2f9836eu", "0xa2f9836fu", "far angles"),
    ("c", "mstmm_trig.h", "(t - (r - back)) -", "(t - (r - back)) +", "sines and cosines"),
    ("c-batch", "mstmm_lanes.h", "rest * head", "rest * -head", "sines and cosines"),
    ("c", "mstmm_motion.c", "1.0 / 3.0", "1.0 / 3.1", "one step of rk4"),
    ("c", "mstmm_motion.c", "125.0 / 192.0", "125.0 / 193.0", "one step of dopri5"),
    ("c-batch", "mstmm_motion.c", "1.0 / 6.0", "1.0 / 6.1", "one step of rk4"),
]


#: The same of a slider-crank, whose loop is closed.
PLANTED_IN_LOOPS = [
    ("c", "mstmm_motion.c", "> of->closed[j]", "> 1e9 * of->closed[j]", "projection onto loops"),
    ("c", "mstmm_motion.c", "v[j] + change[j]", "v[j] - change[j]", "projection onto loops"),
    ("c", "slider_crank_motion.c", "rates(v, dydt", "rates(y, dydt", "right-hand side"),
    ("c-batch", "slider_crank.c", "(1, v, dydt", "(1, y, dydt", "right-hand side"),
    ("c", "mstmm_motion.c", "1.0 / 6.0", "1.0 / 6.1", "one step of rk4"),
    ("c", "mstmm_motion.c", "125.0 / 192.0", "125.0 / 192.1", "one step of dopri5"),
]

#: The same of links in space, whose orientations are turned, and of an implicit method.
PLANTED_IN_TURNS = [
    ("rate[0] = u1 + 0.5 * a", "rate[0] = u1 - 0.5 * a", "one step of rkmk4"),
    ("c * (x2 * d - x3 * b)", "c * (x2 * d + x3 * b)", "one step of rkmk4"),
    ("out[L] = i * c + (w * a + j * d", "out[L] = i * c + (w * a - j * d", "one step of dopri5"),
    ("1.0 / 3.0", "1.0 / 3.001", "one step of rk4"),
    ("3.2247", "3.2347", "one step of radau5"),
]


def proof_of(
    target: str,
    file: str,
    before: str,
    after: str,
    model: str | Model = "double-pendulum",
    **options: Any,
) -> Proof:
    """What validation says of a model with an error in one of its files."""
    solver = compile_model(model, target=target, **options)
    sources = solver.generated.sources
    assert before in sources.files[file]
    files = MappingProxyType({**sources.files, file: sources.files[file].replace(before, after)})
    wrong = dataclasses.replace(sources, files=files)
    compiler = find_compiler(vectors=target == "c-batch")
    library = build(sources.interface.prefix, wrong.library, compiler=compiler)
    solver.backend = LIBRARIES[target](library, wrong)
    return validate(solver, points=1)


@needs_compiler
@pytest.mark.parametrize(("target", "file", "before", "after", "row"), PLANTED)
def test_an_error_around_the_kernels_is_named(
    target: str, file: str, before: str, after: str, row: str
) -> None:
    proof = proof_of(target, file, before, after)
    assert not proof.ok
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("target", "file", "before", "after", "row"), PLANTED_IN_LOOPS)
def test_an_error_around_loops_is_named(
    target: str, file: str, before: str, after: str, row: str
) -> None:
    proof = proof_of(target, file, before, after, "slider-crank")
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("before", "after", "row"), PLANTED_IN_TURNS)
def test_an_error_in_turns_and_implicit_steps_is_named(before: str, after: str, row: str) -> None:
    model = "double-pendulum" if "radau5" in row else "ball-chain:n=2"
    wanted = {"derivatives": True} if "radau5" in row else {}
    proof = proof_of("c", "mstmm_motion.c", before, after, model, **wanted)
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("scale[i] * V[i * n + k] * y[k]", "V[i * n + k] * y[k]"),
        ("<= 1e-10 * largest ? 0.0", "<= 1e-30 * largest ? 0.0"),
    ],
)
def test_an_error_where_conditions_are_redundant_is_found(before: str, after: str) -> None:
    """Random states are open, where no rank is lost: states with closed loops are judged too."""
    proof = proof_of("c", "mstmm_solve.c", before, after, bricard())
    rows = ("whole program: acc", "projection onto loops")
    assert any(x.kernel.startswith(rows) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(
    "algorithm", ["riccati", *(pytest.param(x, marks=pytest.mark.slow) for x in ("dca", "hdca"))]
)
def test_redundant_conditions_are_judged_rightly(algorithm: str) -> None:
    proof = validate(compile_model(bricard(), algorithm=algorithm), points=1)
    assert proof.ok, proof.worst


@needs_compiler
def test_code_that_a_solver_has_loaded_besides_is_judged_too() -> None:
    solver = compile_model("double-pendulum", target="c", derivatives=True)
    proof = validate(solver, points=1)
    assert proof.ok, proof.worst
    assert any(row.kernel.endswith("(derivatives)") for row in proof.rows)
    code = solver.modules["derivatives"]
    sources = code.generated.sources
    name = "double_pendulum_derivatives.c"
    text = sources.files[name]
    line = next(x for x in text.splitlines() if " - " in x and "da[" in x)
    wrong = text.replace(line, line.replace(" - ", " + ", 1))
    changed = dataclasses.replace(sources, files=MappingProxyType({**sources.files, name: wrong}))
    code.backend = LIBRARIES["c"](build(sources.interface.prefix, changed.library), changed)
    assert not validate(solver, points=1).ok


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_what_is_right_is_judged_around_the_kernels_too(target: str) -> None:
    proof = validate(compile_model("double-pendulum", target=target), points=1)
    assert proof.ok, proof.worst
    kinds = {row.kernel.split(":")[0] for row in proof.rows}
    steps = {f"one step of {method}" for method in ("rk4", "euler", "rkmk4", "dopri5")}
    assert kinds >= {"states of a batch", "far angles", "sines and cosines"} | steps
