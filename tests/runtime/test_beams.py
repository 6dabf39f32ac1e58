"""Beams: against finite elements and cantilevers, their energy, what is refused, their files."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from beam_models import beam_state, beam_tree
from closeness import close
from compiler import TARGET
from independent.beams import beam_motion
from independent.hermite import cantilever_frequencies
from independent.moving import State
from judging import assert_forward
from proofs import proof_of_blocks
from scenarios import judged_beams

from mstmm.errors import ModelError, UsageError
from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import parameter
from mstmm.model.files.toml import from_text, to_text
from mstmm.runtime.solver import compile_model
from mstmm.symbolic.derivation.derivation import derive


def test_a_beams_quantities_may_be_runtime_parameters() -> None:
    names = ("L", "rhoA", "EA", "EI", "d")
    values = dict(zip(names, (1.0, 1.0, 50.0, 9.0, 0.0), strict=True))
    model = hanging(**{name: parameter(name) for name in names}, parameters=values)
    solver = compile_model(model, target=TARGET, parameters=names)
    q, v = beam_state(random.Random(1), model)
    given = dict(zip(names, (1.5, 2.0, 70.0, 4.0, 0.02), strict=True))
    found = solver.accelerations(q, v, parameters=given)
    close(found, beam_motion(replace(model, parameters=given), q, v).accelerations, 1e-9)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_inverse_dynamics_of_beams_gives_no_mass_matrix() -> None:
    model = beam_tree(random.Random(3), 1)
    solver = compile_model(model, algorithm="rnea-body", target="numpy")
    with pytest.raises(UsageError, match="does not compute mass_matrix"):
        solver.mass_matrix(model.q0)


def test_a_loop_of_welds_may_bend() -> None:
    """A beam clamped at both ends: its middle falls, its ends stay."""
    model = hanging(bending=4)
    middle = Point("m", (0.5, 0))
    beam = replace(model.beams[0], points=(*model.beams[0].points, middle))
    held = Hinge("h", "fixed", (End("b", "O"), End(GROUND, "far")))
    model = replace(
        model,
        bodies=(model.bodies[0], beam),
        hinges=(model.hinges[0], Hinge("w", "fixed", (End("b", "m"), End("t", "c"))), held),
        ground=(Point("far", (1.0, 0)),),
        gravity=(0, -9.81),
        cuts=("h",),
        q0=(),
        v0=(),
    )
    solver = compile_model(model, target=TARGET)
    q, v = np.array(model.q0), np.array(model.v0)
    state = State(model, q, v, 0.0, 0 * v, np.zeros((2, 6)))
    assert_forward(state, judged_beams(state), solver)
    run = solver.simulate(t_end=0.1, dt=1e-3)
    assert run.constraint_position.max() < 1e-10
    assert run.energy_drift < 1e-6
    assert solver.poses(run.q[-1])[0, 1, 3] < -1e-3


# Linear elasticity


def hanging(
    L=1.0,
    rhoA=1.0,
    EA=50.0,
    EI=9.0,
    d=0.0,
    *,
    kind="fixed",
    root="I",
    axial=1,
    bending=2,
    parameters=None,
) -> Model:
    """A beam on the ground by one end, a body welded to its other end."""
    far = "O" if root == "I" else "I"
    beam = Beam(
        "b", L, rhoA, EA, EI, axial, bending, (Point("I", (0, 0)), Point("O", (L, 0))), damping=d
    )
    body = Body("t", 0.7, 0.05, (0, 0), (Point("c", (0, 0)),))
    return Model(
        name="hanging",
        dimension=2,
        bodies=(body, beam),
        hinges=(
            Hinge("r", kind, (End(GROUND, "O"), End("b", root))),
            Hinge("w", "fixed", (End("b", far), End("t", "c"))),
        ),
        gravity=(0, 0),
        parameters=parameters or {},
        absolute=False,
    )


def frequencies(model: Model) -> np.ndarray:
    """Of small motions about rest: accelerations are linear there, differences exact to 1e-9."""
    solver = compile_model(model, target=TARGET)
    n = len(model.speeds)
    step = 1e-6 * np.eye(n)
    rest = np.zeros((n, n))
    stiffness = (solver.accelerations(-step, rest) - solver.accelerations(step, rest)) / 2e-6
    return np.sqrt(np.sort(np.linalg.eigvals(stiffness.T).real))


@pytest.mark.parametrize("root", ["I", "O"])
def test_frequencies_are_those_of_finite_elements(root: str) -> None:
    """With either end on the ground; both have converged to 1e-5."""
    found = frequencies(hanging(root=root, axial=3, bending=5))
    expected = cantilever_frequencies(1.0, 1.0, 50.0, 9.0, tip=(0.7, 0.05), elements=100)
    assert found[:3] == pytest.approx(expected[:3], rel=1e-5)


@pytest.mark.parametrize("root", ["I", "O"])
def test_a_tip_bends_as_a_cantilever_does(root: str) -> None:
    """By F L³/3EI + w L⁴/8EI, which three functions represent; nearly weightless: small.

    Bent by 1e-8 m it is at rest but for what is of second order, 1e-8 of gravity.
    """
    g, L, rhoA, EI, m = 1e-6, 1.0, 1.0, 9.0, 0.7
    model = replace(hanging(root=root, bending=3), gravity=(0, -g))
    solver = compile_model(model, target=TARGET)
    n = len(model.speeds)
    still = np.zeros(n)
    step = 1e-6 * np.eye(n)
    ahead, behind = (solver.accelerations(s * step, 0 * step) for s in (1, -1))
    eta = np.linalg.solve((behind - ahead).T / 2e-6, solver.accelerations(still, still))
    fall = m * g * L**3 / (3 * EI) + rhoA * g * L**4 / (8 * EI)
    assert np.abs(solver.accelerations(eta, still)).max() < 1e-7 * g
    assert solver.poses(eta)[0, 1, 3] == pytest.approx(-fall, rel=1e-6)


@pytest.mark.parametrize("root", ["I", "O"])
def test_energy_is_conserved_to_the_integrators_order(root: str) -> None:
    model = replace(hanging(kind="pin", root=root), gravity=(0, -9.81), q0=(0.5, 0, 0.01, 0))
    solver = compile_model(model, target=TARGET)
    coarse, fine = (solver.simulate(t_end=1.0, dt=dt).energy_drift for dt in (2e-3, 1e-3))
    assert fine < 1e-6
    assert coarse / fine == pytest.approx(2**5, rel=0.5)


def test_damping_takes_energy_away() -> None:
    model = replace(hanging(d=1e-3, kind="pin"), q0=(0.5, 0, 0.05, 0))
    energy = compile_model(model, target=TARGET).simulate(t_end=0.5, dt=1e-3).energy
    assert (np.diff(energy) < 0).all()


# What a model must not say


def changed(**changes: object) -> Model:
    model = hanging()
    beam = replace(model.beams[0], **changes)
    return replace(model, bodies=(*model.bodies[:1], beam), q0=(), v0=())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": 0}, "beam b · length: must be positive, is 0 m"),
        ({"density": -1}, "beam b · density: must be positive"),
        ({"axial_stiffness": 0}, "beam b · axial_stiffness: must be positive"),
        ({"bending_stiffness": -2.0}, "beam b · bending_stiffness: must be positive"),
        ({"damping": -1}, "beam b · damping: must not be negative"),
        ({"axial": -1}, "beam b · axial: must be a whole number from 0 to"),
        ({"bending": 2.0}, "beam b · bending: must be a whole number from 0 to"),
        ({"bending": 99}, "beam b · bending: must be a whole number from 0 to"),
        ({"length": 0.5}, r"beam b · point O: must lie on the beam, at \(x, 0\) with 0 ≤ x ≤ 0.5"),
        ({"points": (Point("I", (0, 1)),)}, "beam b · point I: must lie on the beam"),
        ({"points": ()}, "beam b · points: needs at least one connection point"),
        ({"points": (Point("I", (0, 0)),)}, "beam b: has no point 'O'; its points: I"),
        ({"name": "w"}, "beam w · name: a hinge has this name too"),
    ],
)
def test_a_beam_is_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        changed(**changes)


def test_a_beam_needs_joint_coordinates() -> None:
    with pytest.raises(ModelError, match="beam b: a beam needs joint coordinates"):
        replace(hanging(), absolute=True, q0=(), v0=())


def test_a_beam_has_coefficients_and_a_matrix() -> None:
    derived = derive(hanging())
    assert derived.quantities["S[b:O]"].sources
    assert derived.quantities["U[b]"].symbols.shape == (7, 7)


# Files


@pytest.mark.parametrize("seed", range(6))
def test_files_give_equal_models_back(seed: int) -> None:
    rng = random.Random(seed)
    model = beam_tree(rng, 4)
    q, v = beam_state(rng, model)
    model = replace(model, q0=tuple(q), v0=tuple(v))
    assert from_text(to_text(model)) == model


FILE = to_text(replace(hanging(), q0=(0.1, 0.2, 0.3)))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("length = 1.0", "length = 0", "beams.b.length: must be positive"),
        ("length = 1.0", "", "beams.b.length: is missing"),
        ("axial = 1", "axial = 1.5", "beams.b.axial: must be a whole number or a list, is"),
        ("axial = 1", "axial = 0\nshear = 1", "beams.b.shear: there is no such key"),
        ("x = 1.0", "x = 2", "beams.b.points.O.x: must lie on the beam"),
        ("x = 1.0", "y = 2", "beams.b.points.O.y: there is no such key"),
        ("b = [0.1, 0.2, 0.3]", "b = [0.1]", "start.positions.b: has 1 entry instead of 3"),
        ("b = [0.1, 0.2, 0.3]", "c = [0.1]", "start.positions.c: there is no hinge or beam 'c'"),
        ('child = "t:c"', 'child = "b:I"', "hinges.w.parent, child: joins body b with itself"),
    ],
)
def test_messages_point_at_the_beams_table(old: str, new: str, expected: str) -> None:
    assert old in FILE
    with pytest.raises(ModelError) as caught:
        from_text(FILE.replace(old, new))
    assert str(caught.value).startswith(expected)
