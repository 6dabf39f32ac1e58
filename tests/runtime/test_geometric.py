"""Geometric integration on SE(3): a rigid body and flying trees."""

from __future__ import annotations

import json
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from compiler import TARGET, TARGETS
from places import DATA
from test_springs import _momenta

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.runtime.flight.flying_tree import FlyingTree
from mstmm.runtime.flight.free_body import Flight, FreeBody
from mstmm.runtime.flight.poses import exponential, inverse_differential
from mstmm.symbolic.methods.poses import kernels as geometrickernels

STORED = json.loads((DATA / "screw-paper" / "rkmk4.json").read_text())

SCHEMES = ("body", "momentum")


def flown(scheme: str, steps: int, target: str = TARGET) -> Flight:
    body = FreeBody(STORED["M_b"], target=target)
    dt = STORED["T"] / steps
    return body.simulate(STORED["C0"], STORED["V0"], steps=steps, dt=dt, scheme=scheme)


def order(errors: list[float], steps: list[int]) -> float:
    return -float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


# A rigid body


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("scheme", "key"), [("body", "body"), ("momentum", "spatial")])
def test_twenty_steps_as_stored(scheme: str, key: str, target: str) -> None:
    flight = flown(scheme, 20, target)
    stored = STORED[f"rkmk4_{key}_N20"]
    np.testing.assert_allclose(flight.poses[-1], stored["C"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(flight.twists[-1], stored["V"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(flight.momenta[0], STORED["Pi_s0"], rtol=0, atol=1e-13)
    assert flight.energy[0] == pytest.approx(STORED["E0"], rel=1e-14)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_four(scheme: str) -> None:
    steps = [20, 40, 80, 160]
    errors = [np.abs(flown(scheme, n).poses[-1] - STORED["C_exact"]).max() for n in steps]
    assert 3.85 < order(errors, steps) < 4.15


def test_a_hundred_thousand_steps_keep_the_momentum() -> None:
    """100 s: the momentum of poses and twists, which is not the one that is carried along."""
    body = FreeBody(STORED["M_b"], target=TARGET)
    given = {"steps": 100_000 if TARGET == "c" else 2_000, "dt": 1e-3, "record": 1000}
    kept, other = (
        body.simulate(STORED["C0"], STORED["V0"], scheme=scheme, **given)
        for scheme in ("momentum", "body")
    )
    assert kept.momentum_drift < 1e-12
    assert max(kept.turned_off, other.turned_off) < 1e-14
    assert kept.energy_drift < 1e-9
    assert other.momentum_drift > kept.momentum_drift


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_body_falls(scheme: str) -> None:
    """Its centre of mass on a parabola, with its energy; as a model with a free hinge."""
    centre, g = np.array([0.2, -0.1, 0.3]), np.array([1.0, -2.0, -9.0])
    own = ((1.3, 0.2, 0.1), (0.2, 1.1, -0.1), (0.1, -0.1, 0.9))
    body = Body("1", 2.0, own, tuple(centre), (Point("O", (0, 0, 0)),))
    hinge = Hinge("1", "free", (End(GROUND, "O"), End("1", "O")))
    model = Model("stone", 3, (body,), (hinge,), tuple(g), absolute=False)
    q0, v0 = [0.1, 0.2, 0.3, 1, 0, 0, 0], [0.5, -0.3, 0.2, 2.0, -1.0, 1.5]
    run = mstmm.compile(model, target=TARGET).simulate(q0, v0, t_end=1.0, dt=2e-3, method="rkmk4")
    x, y, z = centre
    tilde = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    theta = np.array(own) - 2.0 * tilde @ tilde
    M = np.block([[theta, 2 * tilde], [-2 * tilde, 2 * np.eye(3)]])
    C0 = np.eye(4)
    C0[:3, 3] = q0[:3]
    flight = FreeBody(M, g, target=TARGET).simulate(
        C0, [*v0[3:], *v0[:3]], steps=500, dt=2e-3, scheme=scheme
    )
    np.testing.assert_allclose(flight.poses[-1][:3, 3], run.q[-1][:3], rtol=0, atol=1e-7)
    np.testing.assert_allclose(flight.twists[-1][:3], run.v[-1][3:], rtol=0, atol=1e-7)
    assert flight.energy_drift < 1e-8
    grown = flight.momenta[-1][3:] - flight.momenta[0][3:]
    np.testing.assert_allclose(grown, 2.0 * g, rtol=0, atol=1e-8)


def test_a_body_that_does_not_turn() -> None:
    """Increments without rotation: nothing is divided by zero."""
    flight = FreeBody(np.diag([1.0, 2, 3, 4, 4, 4]), target=TARGET).simulate(
        np.eye(4), [0, 0, 0, 1, 2, 3], steps=10, dt=0.1
    )
    np.testing.assert_allclose(flight.poses[-1][:3, 3], [1, 2, 3], rtol=1e-14)
    np.testing.assert_allclose(flight.poses[-1][:3, :3], np.eye(3), rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ["sine", "cosine", "rest", "second", "fourth"])
def test_series_meet_the_closed_coefficients(name: str) -> None:
    with mp.workdps(40):
        t = mp.sqrt(mp.mpf(1) / 25)
        c, s = mp.cos(t), mp.sin(t)
        closed = {
            "sine": s / t,
            "cosine": (1 - c) / t**2,
            "rest": (t - s) / t**3,
            "second": 2 / t**2 + (t + 3 * s) / (4 * t * (c - 1)),
            "fourth": 1 / t**4 + (t + s) / (4 * t**3 * (c - 1)),
        }[name]
        terms = geometrickernels.series(name)
        near = sum(mp.mpf(int(x.p)) / int(x.q) * t ** (2 * k) for k, x in enumerate(terms))
        assert abs(near / closed - 1) < mp.mpf(10) ** -17


@pytest.mark.parametrize("size", [1e-8, 0.1, 0.2, 1.3])
def test_exponential_and_its_differential(size: float) -> None:
    X = np.array([0.3, -0.5, 0.8, 0.4, 0.1, -0.7])
    X *= size / np.linalg.norm(X[:3])
    hat = np.zeros((4, 4))
    hat[:3, :3] = [[0, -X[2], X[1]], [X[2], 0, -X[0]], [-X[1], X[0], 0]]
    hat[:3, 3] = X[3:]
    with mp.workdps(30):
        expected = np.array(mp.expm(mp.matrix(hat.tolist())).tolist(), dtype=float)
    np.testing.assert_allclose(exponential(X), expected, rtol=0, atol=1e-15 * max(1, size) * 4)
    V = np.array([1.0, 2, -1, 0.5, 0.2, 0.7])
    ad = np.block([[hat[:3, :3], np.zeros((3, 3))], [np.zeros((3, 3)), hat[:3, :3]]])
    ad[3:, :3] = [[0, -X[5], X[4]], [X[5], 0, -X[3]], [-X[4], X[3], 0]]
    whole = sum(np.linalg.matrix_power(ad, k) / float(mp.factorial(k + 1)) for k in range(30))
    error = np.abs(whole @ inverse_differential(X, V) - V).max()
    assert error < 0.1 * size**4 + 1e-15


def test_bad_bodies_are_refused() -> None:
    with pytest.raises(UsageError, match="symmetric"):
        FreeBody(np.arange(36).reshape(6, 6), target="numpy")
    with pytest.raises(UsageError, match="positive"):
        FreeBody(-np.eye(6), target="numpy")
    with pytest.raises(UsageError, match="target"):
        FreeBody(np.eye(6), target="fortran")
    body = FreeBody(np.eye(6), target="numpy")
    with pytest.raises(UsageError, match="scheme"):
        body.simulate(np.eye(4), np.ones(6), steps=2, dt=0.1, scheme="leap")
    with pytest.raises(UsageError, match="record"):
        body.simulate(np.eye(4), np.ones(6), steps=3, dt=0.1, record=2)


# A tree


def flyer(gravity: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Model:
    """Four bodies: one flies, with a hinge each to two of the others and a fourth behind."""

    def body(name: str, mass: float, *points: Point) -> Body:
        own = ((0.3, 0.01, 0.0), (0.01, 0.2, 0.02), (0.0, 0.02, 0.25))
        inertia = tuple(tuple(mass * x for x in row) for row in own)
        return Body(name, mass, inertia, (0.1, 0.05, -0.02), points)

    axes = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
    bodies = (
        body(
            "1",
            2.0,
            Point("O", (-0.2, 0.1, 0)),
            Point("I2", (0.4, 0, 0.1), axes),
            Point("I3", (-0.3, -0.2, 0)),
        ),
        body("2", 0.7, Point("O", (-0.2, 0, 0)), Point("I4", (0.3, 0.1, 0), axes)),
        body("3", 0.5, Point("O", (0, -0.3, 0))),
        body("4", 0.4, Point("O", (-0.1, 0, 0.1))),
    )
    hinges = (
        Hinge("1", "free", (End(GROUND, "P"), End("1", "O"))),
        Hinge("2", "revolute", (End("1", "I2"), End("2", "O"))),
        Hinge("3", "ball", (End("1", "I3"), End("3", "O"))),
        Hinge("4", "universal", (End("4", "O"), End("2", "I4"))),
    )
    ground = (Point("P", (0.2, -0.1, 0.4), ((0, -1, 0), (1, 0, 0), (0, 0, 1))),)
    model = Model("flyer", 3, bodies, hinges, gravity, ground=ground, absolute=False)
    q0 = (0.1, 0.2, 0.3, 1, 0, 0, 0, 0.3, 0.6, 0, 0.8, 0, 0.5, 0.1)
    v0 = (0.2, -0.1, 0.3, 0.8, -1.1, 0.6, 1.2, -0.7, 0.9, 0.4, 0.5, 0.1)
    return replace(model, q0=q0, v0=v0)


def reached(tree: FlyingTree, t_end: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    state = tree.begin()
    for _ in range(steps):
        state = tree.step(state, t_end / steps)
    return tree.coordinates(state)


def test_a_tree_keeps_its_momentum_and_the_order() -> None:
    """Against the joint coordinates' own method, whose momentum drifts; judged body by body."""
    model = flyer()
    tree = FlyingTree(model, target=TARGET)
    solver = mstmm.compile(model, target=TARGET)
    exact = solver.simulate(t_end=0.5, dt=1e-3, method="rkmk4")
    before = _momenta(model, np.array(model.q0), np.array(model.v0))
    errors, steps = [], [8, 16, 32]
    for n in steps:
        q, v = reached(tree, 0.5, n)
        turned = np.sign(q[3] * exact.q[-1][3])
        q[3:7] *= turned
        errors.append(float(np.abs(q - exact.q[-1]).max()))
        change = np.abs(_momenta(model, q, v) - before).max()
        assert change < 1e-12 * np.abs(before).max()
    assert 3.8 < order(errors, steps) < 4.2
    run = solver.simulate(t_end=0.5, dt=0.5 / 8, method="rkmk4")
    drift = np.abs(_momenta(model, run.q[-1], run.v[-1]) - before).max()
    assert drift > 1e-8 * np.abs(before).max()


def test_a_tree_falls() -> None:
    g = (1.0, -2.0, -9.0)
    model = flyer(g)
    tree = FlyingTree(model, target=TARGET)
    flight = tree.simulate(steps=50, dt=0.01, record=50)
    mass = 3.6
    grown = flight.momenta[-1][3:] - flight.momenta[0][3:]
    np.testing.assert_allclose(grown, mass * 0.5 * np.array(g), rtol=0, atol=1e-12)
    run = mstmm.compile(model, target=TARGET).simulate(t_end=0.5, dt=1e-3, method="rkmk4")
    expected = _momenta(model, run.q[-1], run.v[-1])
    np.testing.assert_allclose(flight.momenta[-1][:3], expected[3:], rtol=0, atol=1e-6)
    assert flight.energy_drift < 1e-6


def test_a_flight_of_a_tree_has_its_hinges() -> None:
    """Their coordinates and speeds at every record, from any start."""
    model = flyer()
    tree = FlyingTree(model, target="numpy")
    v = 0.5 * np.array(model.v0)
    flight = tree.simulate(model.q0, v, steps=4, dt=0.01, record=2)
    assert flight.q.shape == (3, len(model.q0))
    np.testing.assert_allclose(flight.v[0], v, rtol=0, atol=1e-13)
    run = mstmm.compile(model, target="numpy").simulate(model.q0, v, t_end=0.04, dt=1e-3)
    sign = np.sign(flight.q[-1][3] * run.q[-1][3])
    flight.q[-1][3:7] *= sign
    np.testing.assert_allclose(flight.q[-1], run.q[-1], rtol=0, atol=1e-7)
    assert repr(flight) == "<Flight of 0.04 s: 3 records>"
    with pytest.raises(UsageError, match=r"v has the shape \(2,\)"):
        tree.begin(v=[1.0, 2.0])
    with pytest.raises(UsageError, match="dt = nan must be a positive number"):
        tree.simulate(steps=2, dt=float("nan"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pose": np.eye(3)}, r"pose has the shape \(3, 3\) instead of \(4, 4\)"),
        ({"pose": 2 * np.eye(4)}, "pose must be .* with a rotation R"),
        ({"twist": np.zeros(3)}, r"twist has the shape \(3,\)"),
        ({"steps": -2}, "steps = -2 must be a positive whole number"),
        ({"record": 1.5}, "record = 1.5 must be a positive whole number"),
        ({"record": 3}, "record = 3 must divide steps = 4"),
        ({"dt": 0.0}, "dt = 0.0 must be a positive number of seconds"),
    ],
)
def test_motions_of_a_body_that_are_refused(given: dict[str, object], said: str) -> None:
    body = FreeBody(np.diag([1.0, 2.0, 2.5, 3.0, 3.0, 3.0]), target="numpy")
    usual: dict[str, object] = {"pose": np.eye(4), "twist": np.zeros(6), "steps": 4, "dt": 0.1}
    assert body.simulate(**usual).energy_drift == 0.0  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=said):
        body.simulate(**(usual | given))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_tree_keeps_its_momentum_over_a_hundred_thousand_steps() -> None:
    model = flyer()
    tree = FlyingTree(model, target=TARGET)
    before = _momenta(model, np.array(model.q0), np.array(model.v0))
    q, v = reached(tree, 100.0, 100_000)
    assert np.abs(_momenta(model, q, v) - before).max() < 1e-12 * np.abs(before).max()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"hinges": lambda h: (*h[1:], h[0])}, "first hinge"),
        ({"hinges": lambda h: (replace(h[0], rotor=(1,) * 6), *h[1:])}, "nothing may act"),
    ],
)
def test_trees_that_are_refused(change, match: str) -> None:  # type: ignore[no-untyped-def]
    model = flyer()
    made = {name: make(getattr(model, name)) for name, make in change.items()}
    with pytest.raises(UsageError, match=match):
        FlyingTree(replace(model, q0=(), v0=(), **made), target="numpy")
    with pytest.raises(UsageError, match="in space"):
        FlyingTree(mstmm.load("double-pendulum"), target="numpy")
