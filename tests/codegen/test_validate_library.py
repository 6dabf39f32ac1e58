"""Validation must also fail on errors around the kernels: lanes, far angles, integrators."""

from __future__ import annotations

import dataclasses
from random import Random
from types import MappingProxyType
from typing import Any

import acting_models
import numpy as np
import pytest
from compiler import TARGETS, needs_compiler
from overconstrained_models import bricard

from mstmm.codegen.build import build
from mstmm.codegen.proof.motions import compare as compare_motions
from mstmm.codegen.proof.records import ALL, AROUND, BLOCKS, PROJECTION, Proof, Record
from mstmm.codegen.proof.validate import validate
from mstmm.codegen.targets.registry import target_named
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import Model
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import compile_model

#: Target, file, what stands there, what is planted, and how the failing row begins.
PLANTED = [
    (
        "c-batch",
        "mstmm_lanes.h",
        "exchange(2, &x[0], &x[2])",
        "exchange(1, &x[0], &x[2])",
        "states of a batch",
    ),
    ("c-batch", "double_pendulum.c", "q + first * 2", "q + first", "states of a batch"),
    ("c", "mstmm_trig.c", "0xa2f9836eu", "0xa2f9836fu", "far angles"),
    ("c", "mstmm_trig.h", "rest = ((t - r) - n", "rest = ((t - r) + n", "sines and cosines"),
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
    ("c", "mstmm_solve.c", "*= root[i] * root[j]", "*= -root[i] * root[j]", "small systems"),
    ("c-batch", "mstmm_solve.c", "rank += counts", "rank += 1", "small systems"),
]

#: The same of links in space, whose orientations are turned, and of an implicit method.
PLANTED_IN_TURNS = [
    ("rate[0] = u1 + 0.5 * a", "rate[0] = u1 - 0.5 * a", "one step of rkmk4"),
    ("c * (x2 * d - x3 * b)", "c * (x2 * d + x3 * b)", "one step of rkmk4"),
    ("out[L] = i * c + (w * a + j * d", "out[L] = i * c + (w * a - j * d", "one step of dopri5"),
    ("1.0 / 3.0", "1.0 / 3.001", "one step of rk4"),
    ("3.2247", "3.2347", "one step of radau5"),
]

#: The same of what methods that choose their steps record within one, and of a last short step.
PLANTED_WITHIN = [
    ("(3.0 - 2.0 * part) * by->b[s]", "(3.0 - 2.1 * part) * by->b[s]", "one step of dopri5"),
    ("weights[0] += part * rest * rest;", "weights[0] += part * rest;", "one step of dopri5"),
    ("part * (3.0 * c3 +", "part * (2.0 * c3 +", "one step of radau5"),
    ("? m->dt : m->rest", "? m->dt : m->dt", "one step of rk4"),
]

#: The same of how long steps are, which are taken, how an implicit method iterates, and events.
PLANTED_BETWEEN = [
    ("0.9 * pow(error, 0.75", "0.90001 * pow(error, 0.75", "motions by dopri5"),
    ("m->shrunk[l] ? 1.0 : 10.0", "m->shrunk[l] ? 10.0 : 10.0", "motions by dopri5"),
    ("by->theta > 1e-3", "by->theta > 1e-1", "motions by radau5"),
    ("weights[2] -= 1.0;", "weights[2] -= 0.9;", "motions by radau5"),
    ("displace_to(m, ERROR);", "displace_to(m, STAGE);", "motions by radau5"),
    ("factor >= 1.0 && factor <= 1.2", "factor >= 1.0 && factor <= 1.0", "motions by radau5"),
    ("rises && m->direction[e] >= 0", "rises && m->direction[e] <= 0", "motions by rk4"),
    ("u[i] -= *gain++ * v[j]", "u[i] += *gain++ * v[j]", "motions by euler"),
]

#: The same of joint momenta, without and with loops.
PLANTED_IN_MOMENTA = [
    ("double-pendulum", "1.0 / 3.0", "1.0 / 3.001", "one step of rk4"),
    ("four-bar", "? m->u : m->at + count_q(m)", "? m->at + count_q(m) : m->u", "one step of rkmk4"),
]

#: The same of a law that jumps in time.
PLANTED_AT_JUMPS = [
    ("t < m->jumps[leg - 1].after", "t > m->jumps[leg - 1].after", "one step of rk4"),
    ("t > m->jumps[leg].before ?", "t < m->jumps[leg].before ?", "one step of rkmk4"),
    ("end = jumps ? jump->time : end;", "end = jumps ? end : end;", "one step of euler"),
]
PUSHED = """
name = "pushed"
gravity = [0, -9.81]
dimension = 2
[bodies.rod]
mass = 1.2
inertia = 0.3
centre = [0.4, 0.1]
[bodies.rod.points.a]
[hinges.pivot]
kind = "pin"
parent = "ground"
child = "rod:a"
force = "3*step(t - 1)*(1 + t) - 0.2*u1"
"""


def proof_of(
    parts: tuple[str, ...],
    target: str,
    file: str,
    before: str,
    after: str,
    model: str | Model = "double-pendulum",
    *,
    implicit: bool = False,
    **options: Any,
) -> Proof:
    """What these parts of a validation say of a model with an error in one of its files.

    What moves it by implicit methods stands in the library of its derivatives.
    """
    solver = compile_model(model, target=target, **options)
    code = solver.modules["derivatives"] if implicit else solver.made
    sources = code.generated.sources
    assert before in sources.files[file]
    files = MappingProxyType({**sources.files, file: sources.files[file].replace(before, after)})
    wrong = dataclasses.replace(sources, files=files)
    compiler = find_compiler(vectors=target == "c-batch")
    library = build(sources.interface.prefix, wrong.library, compiler=compiler)
    (code if implicit else solver).backend = target_named(target).loading(library, wrong)
    return validate(solver, points=1, parts=parts)


@needs_compiler
@pytest.mark.parametrize(("target", "file", "before", "after", "row"), PLANTED)
def test_an_error_around_the_kernels_is_named(
    target: str, file: str, before: str, after: str, row: str
) -> None:
    proof = proof_of((row,), target, file, before, after)
    assert not proof.ok
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("target", "file", "before", "after", "row"), PLANTED_IN_LOOPS)
def test_an_error_around_loops_is_named(
    target: str, file: str, before: str, after: str, row: str
) -> None:
    proof = proof_of((row,), target, file, before, after, "slider-crank")
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("before", "after", "row"), PLANTED_IN_TURNS)
def test_an_error_in_turns_and_implicit_steps_is_named(before: str, after: str, row: str) -> None:
    model = "double-pendulum" if "radau5" in row else "ball-chain:n=2"
    wanted = {"derivatives": True, "implicit": True} if "radau5" in row else {}
    proof = proof_of((row,), "c", "mstmm_motion.c", before, after, model, **wanted)
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("model", "before", "after", "row"), PLANTED_IN_MOMENTA)
def test_an_error_in_steps_of_momenta_is_named(
    model: str, before: str, after: str, row: str
) -> None:
    proof = proof_of((row,), "c", "mstmm_motion.c", before, after, model, algorithm="hdca")
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("before", "after", "row"), PLANTED_WITHIN)
def test_an_error_within_a_step_is_named(before: str, after: str, row: str) -> None:
    wanted = {"derivatives": True, "implicit": True} if "radau5" in row else {}
    proof = proof_of((row,), "c", "mstmm_motion.c", before, after, **wanted)
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("before", "after", "row"), PLANTED_BETWEEN)
def test_an_error_between_steps_is_named(before: str, after: str, row: str) -> None:
    """In iterations an error shows at few states, one of which a whole proof comes by."""
    implicit = "radau5" in row
    parts = ALL if implicit else (row,)
    proof = proof_of(
        parts, "c", "mstmm_motion.c", before, after, implicit=implicit, derivatives=True
    )
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(("before", "after", "row"), PLANTED_AT_JUMPS)
def test_an_error_in_steps_over_a_jump_is_named(before: str, after: str, row: str) -> None:
    proof = proof_of((row,), "c", "mstmm_motion.c", before, after, from_text(PUSHED))
    assert any(x.kernel.startswith(row) for x in proof.rows if not x.ok), proof.worst


@pytest.mark.parametrize("target", TARGETS)
def test_steps_over_a_jump_are_judged_rightly(target: str) -> None:
    proof = validate(compile_model(from_text(PUSHED), target=target, derivatives=True), points=2)
    assert proof.ok, proof.worst
    steps = {row.kernel for row in proof.rows if row.kernel.startswith("one step")}
    assert len(steps) == 5


@needs_compiler
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("root[i] * V[i * n + k] * y[k]", "V[i * n + k] * y[k]"),
        ("value > 1e-10 * largest &&", "value > 1e-30 * largest &&"),
    ],
)
def test_an_error_where_conditions_are_redundant_is_found(before: str, after: str) -> None:
    """Random states are open, where no rank is lost: states with closed loops are judged too."""
    proof = proof_of((BLOCKS, PROJECTION), "c", "mstmm_solve.c", before, after, bricard())
    rows = ("whole program: acc", PROJECTION)
    assert any(x.kernel.startswith(rows) for x in proof.rows if not x.ok), proof.worst


@needs_compiler
@pytest.mark.parametrize(
    ("algorithm", "parts"),
    [
        pytest.param("riccati", (BLOCKS, PROJECTION), id="riccati"),
        *(
            pytest.param(x, ALL, marks=pytest.mark.slow, id=f"{x}, all")
            for x in ("riccati", "dca", "hdca")
        ),
    ],
)
def test_redundant_conditions_are_judged_rightly(algorithm: str, parts: tuple[str, ...]) -> None:
    """Where they count; and, in the slow run, in steps and motions too."""
    proof = validate(compile_model(bricard(), algorithm=algorithm), points=1, parts=parts)
    assert proof.ok, proof.worst


@needs_compiler
def test_code_that_a_solver_has_loaded_besides_is_judged_too() -> None:
    solver = compile_model("double-pendulum", target="c", derivatives=True)
    proof = validate(solver, points=1)
    assert proof.ok, proof.worst
    besides = {x.kernel for x in proof.rows if x.kernel.endswith("(derivatives)")}
    assert {
        "states of a batch: derivatives (derivatives)",
        "far angles: derivatives (derivatives)",
    } < besides
    code = solver.modules["derivatives"]
    sources = code.generated.sources
    name = "double_pendulum_derivatives.c"
    text = sources.files[name]
    line = next(x for x in text.splitlines() if " - " in x and "da[" in x)
    wrong = text.replace(line, line.replace(" - ", " + ", 1))
    changed = dataclasses.replace(sources, files=MappingProxyType({**sources.files, name: wrong}))
    code.backend = target_named("c").loading(
        build(sources.interface.prefix, changed.library), changed
    )
    assert not validate(solver, points=1).ok


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_what_is_right_is_judged_around_the_kernels_too(target: str) -> None:
    proof = validate(compile_model("double-pendulum", target=target), points=1)
    assert proof.ok, proof.worst
    kinds = {row.kernel.split(":")[0] for row in proof.rows}
    steps = {f"one step of {method}" for method in ("rk4", "euler", "rkmk4", "dopri5")}
    assert kinds >= {"states of a batch", "far angles", "sines and cosines"} | steps


def pushed_and_moved() -> Model:
    """A tree in space with loads and pulls, on a base that is moved."""
    model = acting_models.tree(Random(1), 3, 2)
    for add in (acting_models.loaded, acting_models.pulled, acting_models.moved):
        model = add(Random(1), model)
    return model


#: Other tests prove the blocks of a model alone; what lies around them is proven of these: turns
#: and their lanes, loops, momenta, and all that a motion can be given.
FIXED = {
    "turns": ("ball-chain:n=2", "riccati", "c-batch"),
    "loops": ("slider-crank", "riccati", "c"),
    "momenta": ("four-bar", "hdca", "c"),
    "given": (pushed_and_moved, "riccati", "c"),
}


@needs_compiler
@pytest.mark.parametrize("kind", FIXED)
def test_what_lies_around_the_blocks_is_proven(kind: str) -> None:
    model, algorithm, target = FIXED[kind]
    named = {"parameters": ("A", "K")} if kind == "given" else {}
    solver = compile_model(
        model if isinstance(model, str) else model(), algorithm=algorithm, target=target, **named
    )
    proof = validate(solver, points=1, parts=AROUND)
    assert proof.ok, proof.worst
    assert len(proof.rows) > 5


@pytest.mark.parametrize("target", TARGETS)
def test_what_nothing_reads_any_more_is_not_stored(target: str) -> None:
    """Of a body without inertia blocks keep numbers that later passes leave without a reader."""
    proof = validate(compile_model("cart-pole", algorithm="closed-form", target=target), points=1)
    assert proof.ok, proof.worst


@pytest.mark.parametrize(
    ("beside", "found", "is_right"),
    [
        # Half of the number goes with last places of the start: nothing is known of it.
        (1.5e38, 4e39, True),
        (3.0000001e38, 3.00000001e38, True),
        (3.0000001e38, 3.1e38, False),
    ],
)
def test_a_motion_is_judged_by_the_digits_that_it_has(
    beside: float, found: float, is_right: bool
) -> None:
    """One integrator found this, the other 3e38; and what a start a last place beside leads to."""

    def rows(y: float) -> list[dict[str, np.ndarray]]:
        return [{"y": np.array([1.0])}, {"y": np.array([y])}]

    record = Record("motions", points=1)
    compare_motions(record, rows(found), rows(3e38), 1e-12, lambda: iter([rows(beside)]))
    assert record.row().ok == is_right
