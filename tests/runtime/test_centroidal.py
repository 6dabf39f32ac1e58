"""Centre of mass and centroidal momentum against sums over bodies whose poses are composed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import acting_models
import numpy as np
import pytest
from compiler import TARGET
from independent.forces import moving_base
from independent.joints import motions
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Body, Model

#: Of values up to 100; 1e-14 was seen.
ROUNDED = 1e-12

#: Central differences of doubles at this step are right to nine digits.
STEP = 1e-5
DIFFERENCES = 2e-7

Array = np.ndarray

MODELS = {
    "plane": (2, ["pin", "slot", "free"], 4, False),
    "space": (3, ["free", "ball", "universal", "helical"], 4, False),
    "carried": (3, ["revolute", "ball"], 2, True),
}


def made(name: str) -> tuple[Model, Array, Array, Array, float]:
    dimension, kinds, bodies, moves = MODELS[name]
    rng = Random(name)
    model = joint_tree(rng, dimension, kinds, bodies)
    if moves:
        parameters = {**model.parameters, **acting_models.PARAMETERS}
        model = acting_models.moved(rng, replace(model, parameters=parameters))
    v, a = (np.array([rng.uniform(-2, 2) for _ in model.speeds]) for _ in "va")
    return model, np.array(model.q0), v, a, 0.7 if moves else 0.0


def spread(model: Model, body: Body) -> tuple[float, Array]:
    """Mass, and ∫ (r, 1) (r, 1)ᵀ dm in the body's axes: all that a motion needs of it."""
    m, c = model.value(body.mass), np.zeros(3)
    c[: model.dimension] = [model.value(x) for x in body.centre]
    if isinstance(body.inertia, tuple):
        J = np.array([[model.value(x) for x in row] for row in body.inertia])
        second = np.trace(J) / 2 * np.eye(3) - J
    else:  # in the plane ∫ x² + y² dm is all that is known, and all that matters
        second = np.diag([model.value(body.inertia) / 2] * 2 + [0.0])
    found = np.zeros((4, 4))
    found[:3, :3] = second + m * np.outer(c, c)
    found[:3, 3] = found[3, :3] = m * c
    found[3, 3] = m
    return m, found


def judged(model: Model, q: Array, v: Array, a: Array, t: float) -> dict[str, Array]:
    """Sums over all particles: with C the pose, ∫ r ṙᵀ dm = C ∫ (r, 1)(r, 1)ᵀ dm Ċᵀ."""
    frames = motions(model, q, v, base=moving_base(model, t))
    bodies = [
        (frame, *spread(model, body)) for frame, body in zip(frames, model.bodies, strict=True)
    ]
    mass = sum(m for _, m, _ in bodies)
    com = sum(f.x @ S[:, 3] for f, _, S in bodies)[:3] / mass

    def momentum(rates: list[Array]) -> tuple[Array, Array]:
        p = sum(d @ S[:, 3] for d, (_, _, S) in zip(rates, bodies, strict=True))[:3]
        moved = sum(f.x @ S @ d.T for d, (f, _, S) in zip(rates, bodies, strict=True))
        L = np.array(
            [moved[1, 2] - moved[2, 1], moved[2, 0] - moved[0, 2], moved[0, 1] - moved[1, 0]]
        )
        return p / mass, np.r_[L - np.cross(com, p), p]

    velocity, total = momentum([f.d[0] for f in frames])
    columns = [momentum([f.dd[k + 1] for f in frames]) for k in range(len(model.speeds))]
    J = np.array([c for c, _ in columns]).T
    bias, _ = momentum([f.dd[0] for f in frames])
    return {
        "com": com,
        "velocity": velocity,
        "acceleration": bias + J @ a,
        "momentum": total,
        "J": J,
        "matrix": np.array([column for _, column in columns]).T,
    }


@pytest.mark.parametrize("name", MODELS)
def test_against_sums_over_particles(name: str) -> None:
    """And the rates against differences along the motion."""
    model, q, v, a, t = made(name)
    solver = mstmm.compile(model, algorithm="centroidal", target=TARGET)
    expected = judged(model, q, v, a, t)
    found = {
        "com": solver.centre_of_mass(q, t=t),
        "velocity": solver.com_velocity(q, v, t=t),
        "acceleration": solver.com_acceleration(q, v, a, t=t),
        "momentum": solver.centroidal_momentum(q, v, t=t),
        "J": solver.com_jacobian(q, t=t),
        "matrix": solver.centroidal_momentum_matrix(q, t=t),
    }
    for key, value in expected.items():
        scale = max(1.0, abs(value).max())
        np.testing.assert_allclose(found[key], value, rtol=0, atol=ROUNDED * scale, err_msg=key)
        assert abs(value).max() > 0.1
    qd = solver.rates(q, v)
    sides = [(solver.retracted(q + s * STEP * qd), t + s * STEP) for s in (-1, 1)]
    for function, rate in (
        (solver.com_jacobian, solver.com_jacobian_rate),
        (solver.centroidal_momentum_matrix, solver.centroidal_momentum_matrix_rate),
    ):
        low, high = (function(x, t=when) for x, when in sides)
        slope = (high - low) / (2 * STEP)
        scale = max(1.0, abs(slope).max())
        np.testing.assert_allclose(rate(q, v, t=t), slope, rtol=0, atol=DIFFERENCES * scale)


def test_through_a_loop_and_from_any_solver() -> None:
    solver = mstmm.compile(four_bar(), target="numpy")
    q = solver.assemble().q
    _, v = solver.project(q, [1.0, 0.0, 0.0])
    J = solver.com_jacobian(q, independent=["uA"])
    np.testing.assert_allclose(J[:, 0] * v[0], solver.com_velocity(q, v), rtol=0, atol=ROUNDED)
    A = solver.centroidal_momentum_matrix(q, independent=["uA"])
    momentum = solver.centroidal_momentum(q, v)
    np.testing.assert_allclose(A[:, 0] * v[0], momentum, rtol=0, atol=ROUNDED)
    with pytest.raises(UsageError, match="takes joint ones"):
        mstmm.compile("rod-chain:n=2", target="numpy").centre_of_mass([0.0, 0.0])


def test_proven() -> None:
    model, *_ = made("carried")
    proof = proof_of_blocks(mstmm.compile(model, algorithm="centroidal", target="numpy"))
    assert proof.ok, proof.worst
