"""The column axis and the dense system, on small programs computed once more by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from column_programs import by_hand, column_program
from compiler import TARGETS, needs_compiler
from proofs import proof_of_blocks
from sizes import later

from mstmm.codegen.blocks import Index
from mstmm.codegen.build import build
from mstmm.codegen.emit import Sources, emit
from mstmm.codegen.lower import lower
from mstmm.codegen.runs import LOOP_MIN
from mstmm.errors import NumericsError
from mstmm.runtime.evaluation.backend import CLibrary, NumpyModule
from mstmm.symbolic.language.arithmetic import EXACT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Array, Call, Port, Program, Ref

#: Relative to the largest entry: rounding of matrices of condition below 1e4.
TOLERANCE = 1e-12

#: Uniform, of period two, changing at every member; and two kernels in turn.
SHAPES = (((1,), False), ((1, 2), False), ((1, 2, 3, 5, 4, 7, 2), False), ((1, 2, 3), True))


def close(found: Sequence[float], expected: np.ndarray) -> None:
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected.ravel(), rtol=0, atol=TOLERANCE * scale)


def loaded(sources: Sources) -> CLibrary | NumpyModule:
    if sources.target == "numpy":
        return NumpyModule(sources)
    strict = ("-Wall", "-Wextra", "-Werror")
    return CLibrary(build("columns_columns", sources.library, extra_flags=strict), sources)


def solver(program: Program, target: str, loop_min: int = LOOP_MIN) -> SimpleNamespace:
    """What validation takes for a solver."""
    module = lower(program, None, loop_min)
    sources = emit(module, target)
    generated = SimpleNamespace(program=program, module=module, sources=sources)
    return SimpleNamespace(target=target, generated=generated, backend=loaded(sources))


def run(compiled: SimpleNamespace, entry: str, v: np.ndarray) -> tuple[bool, np.ndarray]:
    interface = compiled.generated.sources.interface
    (result,) = interface.results[entry]
    buffers = {"v": np.ascontiguousarray(v), result: np.zeros((len(v), interface.sizes[result]))}
    return compiled.backend.run(entry, buffers), buffers[result]


def speeds(length: int, states: int = 1) -> np.ndarray:
    return np.random.default_rng(length).uniform(-1, 1, (states, length))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("loop_min", [2, LOOP_MIN, 1000])
@pytest.mark.parametrize("length", [1, 5, 21])
@pytest.mark.parametrize(("constants", "alternating"), SHAPES)
def test_targets_equal_the_hand_computation(
    constants: tuple[int, ...], alternating: bool, length: int, loop_min: int, target: str
) -> None:
    compiled = solver(column_program(length, constants, alternating), target, loop_min)
    v = speeds(length, 3)
    for entry, k in (("equation", 0), ("accelerations", 1)):
        finite, found = run(compiled, entry, v)
        assert finite
        for state, result in zip(v, found, strict=True):
            expected = by_hand(state, constants, alternating)[k]
            close(result, expected)


@pytest.mark.parametrize(("constants", "alternating"), SHAPES)
def test_interpreter_equals_the_hand_computation(
    constants: tuple[int, ...], alternating: bool
) -> None:
    program, v = column_program(9, constants, alternating), speeds(9)[0]
    for k, (entry, name) in enumerate((("equation", "U"), ("accelerations", "a"))):
        found = Interpreter(program).results(entry, {"v": list(v)})[name]
        expected = by_hand(v, constants, alternating)[k].ravel()
        close(found, expected)


def test_exact_solution() -> None:
    """With v = 0 all is rational: A = diag(2, 3, 2/100), as rows take the first of z = (0, 1)."""
    found = Interpreter(column_program(3), EXACT).results("accelerations", {"v": [Fraction(0)] * 3})
    assert found["a"] == [Fraction(-1, 2), Fraction(-1, 3), Fraction(-50)]


def test_positions_along_columns_are_curved() -> None:
    assert Index.of([0, 1, 3, 6, 10], curved=True) == Index(0, 1, (), 1)
    assert Index.of([5, 3, 0, -4], curved=True) == Index(5, -2, (), -1)
    assert Index.of([0, 1, 3, 6, 10]).table == (0, 1, 3, 6, 10)
    assert Index.of([0, 1, 3, 7], curved=True).table == (0, 1, 3, 7)
    for positions in ([4], [4, 9], [0, 1, 3, 6, 10], [1, 2, 4, 9]):
        index = Index.of(positions, curved=True)
        assert [index.at(i) for i in range(len(positions))] == positions


def test_values_follow_each_other_without_gaps() -> None:
    array = Array("z", "members", Port("z"), columns=((2, 4), (0, 3), (3, 4)))
    program = replace(column_program(1), sets={"members": ("a", "b", "c")}, arrays={"z": array})
    refs = list(program.refs("z"))
    assert refs == [
        Ref("z", "a", 2), Ref("z", "a", 3), Ref("z", "b", 0), Ref("z", "b", 1), Ref("z", "b", 2),
        Ref("z", "c", 3),
    ]  # fmt: skip
    at = {"a": 0, "b": 1, "c": 2}
    assert [array.offsets[at[ref.member]] + (ref.column or 0) for ref in refs] == list(range(6))
    assert array.count(3) == 6


@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize("target", ["c", "numpy"])
def test_source_does_not_grow_with_the_chain(target: str, alternating: bool) -> None:
    name = "columns_columns.c" if target == "c" else "columns_columns.py"

    def source(length: int) -> str:
        program = column_program(length, alternating=alternating)
        text = emit(lower(program), target).files[name]
        carried = text[text.index("columns are carried") : text.index("right-hand sides")]
        return re.sub(r"\d+", "", carried)

    assert len(source(40)) == len(source(60))


@pytest.mark.parametrize("target", TARGETS)
def test_shared_loops_stay_in_order(target: str) -> None:
    """Two kernels in turn share one loop, each with an inner loop over its own columns."""
    compiled = solver(column_program(21, alternating=True), target)
    blocks = compiled.generated.module.step("carries").blocks
    assert [block.joined for block in blocks] == [False, True]
    assert [block.times for block in blocks] == [sum(range(1, 21, 2)), sum(range(2, 21, 2))]


@pytest.mark.parametrize("target", TARGETS)
def test_code_is_proven(target: str) -> None:
    for constants, alternating in SHAPES[1:]:
        proof = proof_of_blocks(solver(column_program(9, constants, alternating), target), points=2)
        assert proof.ok, proof.worst
        assert "solved: dense system of matrix" in {row.kernel for row in proof.rows}


#: What is changed, by target: text, replacement, and the block that is to be named.
PLANTED = {
    "c": [
        (" - 0.14285714285714285 * z1", " + 0.14285714285714285 * z1", "carries"),
        ("w->z1[start2 + c] = zn1", "w->z1[start2 + c] = -zn1", "carries"),
        ("c < last", "c < last - 1", "carries"),
        ("w->z2[2 * i + (i * (i - 1) / 2)]", "w->z2[2 * i]", "begins"),
        ("3.0 * v[i] - 1.0", "3.0 * v[i] + 1.0", "rights"),
        ("below[j] -= factor * row[j]", "below[j] += factor * row[j]", "solved"),
        ("row[j] -= factor * pivot[j]", "row[j] += factor * pivot[j]", "solved"),
        ("value -= row[j] * x[j]", "value += row[j] * x[j]", "solved"),
        ("x[j] *= scale[j];", "", "solved"),
    ],
    "numpy": [
        (" - 0.14285714285714285 * z1", " + 0.14285714285714285 * z1", "carries"),
        ("start3 + last] = zn1", "start3 + last] = -zn1", "carries"),
        ("x[..., 0] * columns", "x[..., 0]", "solved"),
        ("rhs * rows", "rhs", "solved"),
    ],
}  # fmt: skip


def solved_only(length: int) -> Program:
    """The chain's unknowns alone."""
    program = column_program(length)
    return replace(program, entries=program.entries[:1], steps=program.steps[:-1])


@pytest.mark.parametrize("target", later(reversed(TARGETS), 1))
def test_a_planted_error_is_named(target: str) -> None:
    """One of them needs more rows than the elimination takes at a time, 32."""
    for before, after, step in PLANTED[target]:
        compiled = solver(solved_only(34 if "pivot[j]" in before else 10), target)
        sources = compiled.generated.sources
        code = (name for name in sources.files if name.endswith((".c", ".h", ".py")))
        name = next((name for name in code if before in sources.files[name]), "")
        assert name, before
        text = sources.files[name].replace(before, after, 1)
        changed = replace(sources, files=MappingProxyType({**sources.files, name: text}))
        wrong = SimpleNamespace(**{**vars(compiled), "backend": loaded(changed)})
        proof = proof_of_blocks(wrong, points=1)
        assert not proof.ok, before
        assert step in {row.kernel.split(":")[0] for row in proof.rows if not row.ok}, before
        assert proof.worst.startswith(f"{step}: "), (before, proof.worst)


def singular(length: int) -> Program:
    """The chain with the last two rows of the matrix set to the same numbers."""
    program = column_program(length)
    steps = []
    for step in program.steps:
        calls = [call for call in step.calls if step.name not in ("carries",)]
        if step.name == "begins":
            calls = [_alike(call, length) for call in calls]
        steps.append(replace(step, calls=tuple(calls)))
    return replace(program, steps=tuple(steps))


def _alike(call: Call, length: int) -> Call:
    """Diagonal entries moved to the column before the last, for the last two rows."""
    target = next(iter(call.writes.values()))
    if target.array != "matrix" or target.column != length - 1:
        return call
    moved = {"y": Ref("matrix", target.member, length - 2)}
    return replace(call, reads={"x": sp.Matrix([sp.Rational(1, 3)])}, writes=moved)


@pytest.mark.parametrize("target", TARGETS)
def test_a_singular_system_is_told(target: str) -> None:
    finite, found = run(solver(singular(5), target), "accelerations", speeds(5))
    assert not finite
    assert np.isnan(found).all()


def test_a_singular_system_is_told_by_the_interpreter() -> None:
    with pytest.raises(NumericsError, match="singular"):
        Interpreter(singular(5)).results("accelerations", {"v": list(speeds(5)[0])})


@needs_compiler
def test_nearly_dependent_rows_are_singular() -> None:
    """Rows that differ in the last place only, in any order of the rows."""
    compiled = solver(column_program(6), "c")
    text = compiled.generated.sources.files["columns_columns.c"]
    order = list(range(6))
    random.Random(1).shuffle(order)
    lines = "".join(
        f"w->matrix[{6 * i + j}] = {(order[i] % 5 + 1.0) * (j + 1) ** 0.5 + (i == j) * 1e-16!r};"
        for i in range(6)
        for j in range(6)
    )
    wrong = text.replace("    mstmm_solve_dense(", f"    {lines}\n    mstmm_solve_dense(")
    sources = compiled.generated.sources
    files = MappingProxyType({**sources.files, "columns_columns.c": wrong})
    changed = SimpleNamespace(
        **{**vars(compiled), "backend": loaded(replace(sources, files=files))}
    )
    assert not run(changed, "accelerations", speeds(6))[0]
