"""A warning names beams that are bent beyond their theory; its limit is taken from the elastica."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
import scipy

import mstmm
from mstmm.errors import ModelWarning
from mstmm.model import GROUND, Beam, Body, End, Hinge, Input, Load, Model, Point
from mstmm.model.expressions.quantities import parameter
from mstmm.runtime.motions.bending import ERROR, SLOPE, largest_slope
from mstmm.runtime.solver import Solver

#: A cantilever of 2 m: N, N m².
LENGTH, STIFFNESS = 2.0, 30.0


def cantilever() -> Model:
    """Clamped to the ground, with a force across its straight axis at the tip: P + u."""
    points = (Point("root", (0.0, 0.0)), Point("tip", (LENGTH, 0.0)))
    beam = Beam("bar", LENGTH, 1.5, 1e5, STIFFNESS, 1, 3, points, damping=0.05)
    return Model(
        name="cantilever",
        dimension=2,
        bodies=(beam, Body("end", 0.01, 1e-5, (0.0, 0.0), (Point("a", (0.0, 0.0)),))),
        hinges=(
            Hinge("clamp", "fixed", (End(GROUND, "O"), End("bar", "root"))),
            Hinge("weld", "fixed", (End("bar", "tip"), End("end", "a"))),
        ),
        gravity=(0.0, 0.0),
        parameters={"P": 0.0},
        absolute=False,
        loads=(Load("push", "end", force=(0.0, parameter("P") + parameter("u"))),),
        inputs=(Input("u", 0.0, "N"),),
    )


@cache
def bar() -> Solver:
    return mstmm.compile(cantilever(), target="numpy", parameters=["P"])


def elastica(force: float) -> float:
    """How far the tip moves across: EI θ'' = −P cos θ, θ(0) = 0, θ'(L) = 0."""
    load = force * LENGTH**2 / STIFFNESS

    def end(curvature: float) -> np.ndarray:
        def along(s: float, y: np.ndarray) -> list[float]:
            return [y[1], -load * np.cos(y[0]), np.sin(y[0])]

        found = scipy.integrate.solve_ivp(
            along, (0.0, 1.0), [0.0, curvature, 0.0], rtol=1e-10, atol=1e-12
        )
        return np.asarray(found.y[:, -1])

    return LENGTH * float(end(scipy.optimize.brentq(lambda k: end(k)[1], 0.0, 2.0 * load))[2])


def test_the_limit_is_where_the_elastica_is_missed_by_a_hundredth() -> None:
    errors = []
    for slope in (SLOPE, 2 * SLOPE):
        force = 2.0 * slope * STIFFNESS / LENGTH**2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            q = bar().equilibrium(parameters={"P": force}).q
        model = bar().model
        beam = model.beams[0]
        assert largest_slope(model, beam, q[np.newaxis], {}) == pytest.approx(slope, rel=0.02)
        across = sum(q[-3:])  # ξ² Pᵢ(2ξ − 1) is 1 at the tip
        errors.append(across / elastica(force) - 1.0)
    assert errors[0] == pytest.approx(ERROR, rel=0.15)
    assert errors[1] == pytest.approx(4 * ERROR, rel=0.2)


def test_a_beam_bent_too_far_is_told_of() -> None:
    solver = bar()
    little, much = np.zeros(4), np.zeros(4)
    little[1], much[1] = 0.9 * SLOPE * LENGTH / 2, 2.0 * SLOPE * LENGTH / 2  # η ξ²: slope 2 η / L
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.simulate(little, t_end=0.002)
    said = r"beam bar is bent to a slope of 0\.3 rad, beyond 0\.15"
    with pytest.warns(ModelWarning, match=said) as told:
        solver.simulate(much, t_end=0.002)
    assert [each.filename for each in told] == [__file__]
    with pytest.warns(ModelWarning, match=said) as told:
        solver.simulate([much, much, 1.1 * much], t_end=0.002)
    assert [each.filename for each in told] == [__file__]


def test_an_equilibrium_bent_too_far_is_told_of_too() -> None:
    """By a force that is a parameter or an input."""
    solver = bar()
    bent = STIFFNESS / LENGTH**2  # of a slope of 0.5 rad per unit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.equilibrium(parameters={"P": 1.8 * SLOPE * bent})
        solver.simulate(t_end=0.002)
    said = r"beam bar is bent to a slope of 0\.3\d* rad, beyond 0\.15"
    for given in ({"parameters": {"P": 4.1 * SLOPE * bent}}, {"inputs": {"u": 4.1 * SLOPE * bent}}):
        with pytest.warns(ModelWarning, match=said) as told:
            solver.equilibrium(**given)  # type: ignore[arg-type]
        assert [each.filename for each in told] == [__file__]
