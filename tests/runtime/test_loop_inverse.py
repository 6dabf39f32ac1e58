"""Inverse dynamics with closed loops, and the solve of the multipliers near its switch."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import loop_models
import mpmath
import numpy as np
import pytest
from compiler import TARGET, TARGETS
from loop_checks import HINGES, MECHANISMS, compare, damped_four_bar
from proofs import proof_of_blocks

import mstmm
from mstmm.codegen.proof.validate import _Judge
from mstmm.errors import NumericsError, UsageError
from mstmm.model import Point
from mstmm.model.expressions.quantities import TIME


@pytest.mark.parametrize("name", MECHANISMS)
def test_inverse_dynamics_gives_back_what_moves_so(name: str) -> None:
    """τ of accelerations that the loops allow gives them, whatever speeds are passive."""
    model = MECHANISMS[name]()
    solver = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, target=TARGET, algorithm="rnea-body")
    q, v = solver.project(model.q0, model.v0)
    a = solver.accelerations(q, v, np.cos(np.arange(len(v))))
    tau = inverse.inverse_dynamics(q, v, a)
    compare(solver.accelerations(q, v, tau), a, 1e-9)
    J = inverse.jacobian(q)
    assert np.array_equal(J, solver.jacobian(q)) or np.abs(J - solver.jacobian(q)).max() < 1e-14
    opening = solver.constraints(q, v)[1]
    moved = [solver.constraints(q, v + one)[1] - opening for one in np.eye(len(v))]
    compare(J, np.array(moved).T, 1e-13)
    assert np.abs(J @ tau).max() < 1e-9  # least: nothing of τ lies along the conditions
    least = np.linalg.norm(tau)
    free = len(v) - np.linalg.matrix_rank(J, 1e-9)
    for passive in (model.speeds[free:], model.speeds[:-free], model.speeds[-1:]):
        at = [model.speeds.index(speed) for speed in passive]
        if np.linalg.matrix_rank(J[:, at], 1e-9) < len(at):
            continue
        chosen = inverse.inverse_dynamics(q, v, a, passive=passive)
        assert np.abs(chosen[at]).max() < 1e-9
        assert np.linalg.norm(chosen) >= least - 1e-12
        compare(solver.accelerations(q, v, chosen), a, 1e-9)
        if solver.redundant(q) == 0:
            found = inverse.inverse_loads(q, v, a, passive=passive)
            compare(found, solver.joint_loads(q, v, chosen), 1e-9)


def test_inverse_dynamics_of_a_loaded_and_driven_model() -> None:
    """With friction and a spring in the cut, in batches; a driven cut's force comes out."""
    model = damped_four_bar()
    solver = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, target=TARGET, algorithm="rnea-body")
    run = solver.simulate(t_end=0.3, dt=1e-3, record=0.1)
    tau = inverse.inverse_dynamics(run.q, run.v, run.a, passive=("uB", "uC"))
    assert np.abs(tau).max() < 1e-9
    compare(inverse.inverse_loads(run.q, run.v, run.a), run.loads, 1e-9)
    proof = proof_of_blocks(inverse, points=2)
    assert proof.ok, proof.worst
    last = replace(HINGES[3], motion=(TIME / 5 - run.q[0].sum(),))
    driven = replace(loop_models.four_bar(), hinges=(*HINGES[:3], last), cuts=("D",), q0=(), v0=())
    solver = mstmm.compile(driven, target="numpy")
    inverse = mstmm.compile(driven, target=TARGET, algorithm="rnea-body")
    start = solver.assemble(run.q[0], [0, 0, 0], t=0.3)
    q, v = start.q, start.v
    a = solver.accelerations(q, v, t=0.3)
    found = inverse.inverse_drives(q, v, a, t=0.3, passive=driven.speeds)
    compare(found, solver.driving_forces(q, v, t=0.3), 1e-9)


def test_passive_speeds_that_cannot_be_so_are_refused() -> None:
    model = MECHANISMS["four-bar"]()
    inverse = mstmm.compile(model, target="numpy", algorithm="rnea-body")
    q, v = mstmm.compile(model, target="numpy").project(model.q0, model.v0)
    with pytest.raises(NumericsError, match="along uA, uB, uC cannot all vanish"):
        inverse.inverse_dynamics(q, v, [3.0, 2.0, 1.0], passive=model.speeds)
    with pytest.raises(UsageError, match="there is no speed 'uD'; there are: uA, uB, uC"):
        inverse.inverse_dynamics(q, v, v, passive=("uD",))
    one, listed = (inverse.inverse_dynamics(q, v, v, passive=names) for names in ("uA", ("uA",)))
    np.testing.assert_array_equal(one, listed)
    with pytest.raises(UsageError, match=r"does not compute project.*'riccati'"):
        inverse.project(q, v)


@pytest.mark.parametrize("target", TARGETS)
def test_validation_stays_sound_where_the_solve_switches(target: str) -> None:
    """A four-bar stretched but for an angle at which a condition all but counts as rounding."""
    base = replace(loop_models.four_bar(), ground=(Point("P", (4.5, 0.0)),))
    solver = mstmm.compile(base, target=target)

    def is_sound(angle: float) -> bool:
        return not solver.redundant([angle, 0, 0])

    low, high = 1e-9, 1e-2
    assert (is_sound(low), is_sound(high)) == (False, True)
    for _ in range(60):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if is_sound(middle) else (middle, high)
    judge = _Judge(solver)
    chooser = Random(0)
    given = {"v": [0.3, -0.2, 0.1], "c": [0.2, -0.1], "tau": [0.0] * 3}
    with mpmath.workdps(50):
        for part in (-1e-7, -1e-15, 0.0, 1e-15, 1e-7):
            judge.point({"q": [high * (1 + part), 0.0, 0.0], **given}, chooser)
    proof = judge.proof(5, target)
    assert proof.ok, proof.worst
