"""A hinge that demands nothing which another does not changes nothing, however numbers round."""

from __future__ import annotations

from pathlib import Path
from random import Random

import mpmath
import numpy as np
import pytest
from closeness import within
from compiler import needs_compiler
from redundant_pairs import PAIRS, Pair, Twice, twice

import mstmm
from mstmm.codegen.proof.closed_states import closed_state
from mstmm.codegen.proof.records import Record
from mstmm.codegen.proof.replay import DIGITS
from mstmm.codegen.proof.settled import judge_settled
from mstmm.errors import UsageError
from mstmm.runtime.solver import Solver
from mstmm.symbolic.language import elimination
from mstmm.symbolic.language.arithmetic import working
from mstmm.symbolic.language.elimination import Rows

Array = np.ndarray

CASES = Path(__file__).resolve().parent.parent / "data" / "cases"

#: Relative to the largest number.
close = within(1e-9)

#: One of each way of being redundant: no condition is left, some are, screws, axes turned.
SOME = [
    p for p in PAIRS if str(p) in ("prismatic-prismatic-apart", "revolute-cylindrical-together")
]


def solver_of(model: mstmm.Model, algorithm: str, target: str) -> Solver:
    """With all parameters at run time."""
    return mstmm.compile(
        model, algorithm=algorithm, target=target, parameters=tuple(model.parameters)
    )


def state(case: Twice) -> tuple[Array, Array, Solver]:
    """A state of a case, its speeds corrected where a loop is one; and the plain solver."""
    plain = solver_of(case.plain, "riccati", "numpy")
    q, v = plain.project(case.q, case.v) if case.plain.cuts else (case.q, case.v)
    return q, v, plain


def check(case: Twice, algorithm: str = "riccati", target: str = "numpy") -> None:
    """Accelerations, what closes loops, rank and determinate loads are the plain model's."""
    q, v, plain = state(case)
    code = solver_of(case.model, algorithm, target)
    tau = np.linspace(-2.0, 3.0, len(v))
    close(code.accelerations(q, v, tau), plain.accelerations(q, v, tau))
    kept = len(plain.conditions)
    assert code.redundant(q) == len(code.conditions) - kept
    for found, expected in zip(code.project(q, v), (q, v), strict=True):
        close(found, expected)
    astray = np.linspace(0.3, -0.2, len(v))
    found, expected = (x.correction(q, v, x.constraints(q, astray)[1]) for x in (code, plain))
    close(found, expected)
    given = dict(zip(plain.ends, plain.joint_loads(q, v, tau), strict=True))
    loads = np.array([given.get(end, np.zeros(6)) for end in code.ends])
    told = code.determinate(q)
    assert not told.all()
    close(code.joint_loads(q, v, tau)[told], loads[told])


#: A sled with two carriages on a skew rail, and a planar hinge that closes what a slider and a slot
#: allow already: state, and accelerations of the tree without the hinge that closes.
KNOWN = {
    "rail": ((0.0,), (0.0,), 0.0, (-9.81 * 0.8081220356417687,)),
    "redundant_loop": (
        (1.255468827009985, 0.2119377620700753, 0.9202153915262921),
        (2.555220870874096, -0.27001574536605827, 1.8268859208592834),
        0.6344,
        (-2.71189248, 3.80259165, -4.40395758),
    ),
}


@pytest.mark.parametrize("target", ["numpy", pytest.param("c", marks=needs_compiler)])
@pytest.mark.parametrize("name", KNOWN)
def test_known_redundant_loops(name: str, target: str) -> None:
    q, v, t, expected = KNOWN[name]
    code = mstmm.compile(mstmm.load(CASES / f"{name}.toml"), target=target)
    np.testing.assert_allclose(code.accelerations(q, v, t=t), expected, rtol=1e-8)
    np.testing.assert_allclose(code.accelerations([q] * 3, [v] * 3, t=t)[2], expected, rtol=1e-8)


def test_validation_sees_rounding_that_was_taken_for_a_condition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = mstmm.compile(mstmm.load(CASES / "rail.toml"), target="numpy")
    state = closed_state(code, Random(3))

    def found() -> Record:
        with mpmath.workdps(DIGITS), working(DIGITS):
            (record,) = judge_settled(code.generated.program, [state], Random(3))
        return record

    assert found().row().ok
    least = elimination._min_norm

    def against_itself(matrix: Rows, rhs: Rows, _: object) -> Rows:
        return least(matrix, rhs, [row[i] for i, row in enumerate(matrix)] * 2)

    monkeypatch.setattr(elimination, "_min_norm", against_itself)
    assert not found().row().ok
    assert found().where == "a, which the last digits of what is given decide,"


@pytest.mark.parametrize("pair", SOME, ids=str)
def test_a_second_hinge_that_demands_nothing_changes_nothing(pair: Pair) -> None:
    check(twice(Random(f"{pair}"), pair, floating=False, nested=False))


def derivatives(case: Twice) -> None:
    """Derivatives are the plain model's, in both ways that closed loops have."""
    q, v, plain = state(case)
    code = solver_of(case.model, "riccati", "numpy")
    tau = np.linspace(-2.0, 3.0, len(v))
    found, expected = code.derivatives(q, v, tau), plain.derivatives(q, v, tau)
    for name in ("dq", "dv", "dtau"):
        close(getattr(found, name), getattr(expected, name), 1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("place", ["grounded", "floating", "nested"])
def test_every_pair_of_hinges_in_parallel(pair: Pair, place: str) -> None:
    given = {"floating": place == "floating", "nested": place == "nested"}
    rng = Random(f"{pair} {place}")
    for algorithm in ("riccati", "dca", "hdca"):
        case = twice(rng, pair, **given)
        try:
            mstmm.compile(case.model, algorithm=algorithm, target="numpy")
        except UsageError:
            continue
        check(case, algorithm)
    target = "c" if place == "grounded" else "numpy"
    check(twice(rng, pair, **given, named=True), target=target)
    derivatives(twice(rng, pair, **given))
