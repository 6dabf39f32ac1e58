"""S and e at every end of general trees against a solver that knows no transfer matrix."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
import random_models
import sympy as sp
from hand_bodies import orientation
from independent.newton_euler import newton_euler

from mstmm.errors import DerivationError
from mstmm.model import Model, load
from mstmm.symbolic.derivation.derivation import Derivation, derive

#: Exact formulas evaluated in 30 digits; the judge solves in doubles.
TOLERANCE = 1e-9


class Judge:
    """The state of every output end as the independent solver finds it."""

    def __init__(self, model: Model, q: list[float], v: list[float]) -> None:
        self.model = model
        self.motion = newton_euler(model, q, v)
        self.values = {
            sp.Symbol(name, real=True): mpmath.mpf(x)
            for name, x in [
                *zip(model.coordinates, q, strict=True),
                *zip(model.speeds, v, strict=True),
                *model.parameters.items(),
            ]
        }

    def number(self, matrix: sp.Matrix, data: Mapping[sp.Symbol, sp.Expr] | None = None) -> Any:
        """The matrix in numbers; `data` says what the symbols of long numbers stand for."""
        matrix = matrix.xreplace({symbol: sp.N(x, 40) for symbol, x in (data or {}).items()})
        with mpmath.workdps(30):
            function = sp.lambdify(list(self.values), list(matrix), "mpmath")
            values = [float(x) for x in function(*self.values.values())]
        return np.array(values).reshape(matrix.shape)

    def accelerations(self, body: str, point: str) -> np.ndarray:
        """(r̈, Ω̇) of a body's point."""
        d = self.model.dimension
        spins = 1 if d == 2 else 3
        k = [b.name for b in self.model.bodies].index(body)
        own = self.model.bodies[k]
        A = self.number(orientation(self.model, body))
        position = [self.model.value(x) for x in own.point(point).position]
        centre = [self.model.value(x) for x in own.centre]
        arm = A[:d, :d] @ (np.array(position) - np.array(centre))
        speeds = list(self.model.speeds).index(f"omega{body}" if d == 2 else f"omega{body}_x")
        raw = np.array(self.motion.accelerations[speeds : speeds + spins])
        names = self.model.speeds[speeds : speeds + spins]
        omega = np.array([float(self.values[sp.Symbol(name, real=True)]) for name in names])
        centre_dd = np.array(self.motion.centres[k])
        if d == 2:
            moved = raw[0] * np.array([-arm[1], arm[0]]) - omega[0] ** 2 * arm
            return np.array([*(centre_dd + moved), raw[0]])
        Omega, dOmega = A @ omega, A @ raw
        moved = np.cross(dOmega, arm) + np.cross(Omega, np.cross(Omega, arm))
        return np.array([*(centre_dd + moved), *dOmega])

    def loads(self, end: str) -> np.ndarray:
        spins = 1 if self.model.dimension == 2 else 3
        return np.array([*([0.0] * spins), *self.motion.forces[end]])


def check_output(judge: Judge, derived: Derivation, body: str) -> bool:
    """z_a = S z_b + e at a body's output; False when the budget stops it."""
    end = f"{body}:{derived.plan.link(body).output}"
    try:
        S, e = derived.S[end], derived.e[end]
        matrices = judge.number(S, derived.data), judge.number(e, derived.data)
    except DerivationError:
        return False
    found = matrices[0] @ judge.accelerations(body, derived.plan.link(body).output)
    found = found + matrices[1].ravel()
    expected = judge.loads(end)
    assert np.abs(found - expected).max() < TOLERANCE * max(1.0, np.abs(expected).max()), end
    return True


def spatial_pair() -> Model:
    """The first random spatial tree of two bodies."""
    return next(
        model
        for seed in range(50)
        if len((model := random_models.spatial_tree(Random(seed), 2)).bodies) == 2
    )


def test_a_spatial_tip_body() -> None:
    model = spatial_pair()
    q, v = random_models.random_state(Random(7), 3, 2)
    judge, derived = Judge(model, q, v), derive(model, budget=2_000_000)
    assert check_output(judge, derived, derived.plan.links[0].name)


def test_behind_the_hinge_and_at_the_root() -> None:
    """An input end lies behind its hinge: only r̈ enters, no moment leaves."""
    model = load("branch-pendulum")
    rng = Random(3)
    q, v = random_models.random_state(rng, 2, 4)
    judge, derived = Judge(model, q, v), derive(model)
    for end, before in (("5:I", "3:O"), ("7:I1", "1:O"), ("7:I2", "5:O"), ("hinge 8:O", "7:O")):
        at = judge.accelerations(*before.split(":"))
        at[2] = 123.0
        found = judge.number(derived.S[end]) @ at + judge.number(derived.e[end]).ravel()
        assert np.abs(found - judge.loads(before)).max() < TOLERANCE * 100


@pytest.mark.parametrize("N", [13, 15])
def test_the_root_chain_in_reverse(N: int) -> None:
    """Pinned split: (m, r̈) = S (Ω̇, q) + e at the ends of the chain below the ceiling."""
    model = load("branch-system", N=N)
    rng = Random(N)
    q, v = random_models.random_state(rng, 2, len(model.bodies))
    judge, derived = Judge(model, q, v), derive(model, form="paper")
    partner = {}
    for hinge in model.hinges:
        first, second = hinge.ends
        partner[str(second)] = str(first)
    assert list(derived.S_reverse)[-1] == "11:O"
    for end in derived.S_reverse:
        body, _, point = end.partition(":")
        at_output = point == derived.plan.link(body).output
        motion = judge.accelerations(body, point)
        loads = judge.loads(end if at_output else partner[end])
        z_a = np.array([loads[0], *motion[:2]])
        z_b = np.array([motion[2], *loads[1:]])
        found = judge.number(derived.S_reverse[end]) @ z_b
        found = found + judge.number(derived.e_reverse[end]).ravel()
        assert np.abs(found - z_a).max() < TOLERANCE * max(1.0, np.abs(z_a).max()), end
