"""Sensors in what callers say along a motion: inputs, events, outputs, and what a run recorded.

The judges are geometry in NumPy, motions by SciPy over Lagrange's equations written out here, and
the readings of `independent.forces` in random trees.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import acting_models
import beam_models
import numpy as np
import pytest
import random_models
import scipy
from commands import answer
from compiler import TARGET, needs_compiler
from independent.forces import moving_base, point_place, read
from independent.joints import motions
from independent.loops import opened

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import GROUND, Body, End, Model, Sensor
from mstmm.model.expressions.quantities import parameter
from mstmm.model.files import toml
from mstmm.model.parts.naming import RECORDED
from mstmm.runtime.capabilities.tangent import differences
from mstmm.runtime.linear.state_space import moved
from mstmm.runtime.motions.functions import compiled, over_states
from mstmm.runtime.motions.steering import called_c
from mstmm.runtime.motions.variables import NAMES
from mstmm.runtime.solver import Solver

Array = np.ndarray

#: A mast on a cart: x of the cart, then the angle of the mast from the level.
MAST = """
name = "mast"
dimension = 2
gravity = [0, -9.81]
[parameters]
l = 0.8
[inputs]
push = 0
[bodies.cart]
mass = 2
inertia = 0.1
[bodies.cart.points.O]
[bodies.cart.points.top]
position = [0.1, 0.2]
[bodies.mast]
mass = 1
inertia = 0.05
centre = ["l/2", 0]
[bodies.mast.points.O]
[bodies.mast.points.tip]
position = ["l", 0.1]
[ground.points.dock]
position = [1.5, 0.3]
[hinges.slide]
kind = "prismatic"
parent = "ground"
child = "cart:O"
force = "push"
[hinges.swing]
kind = "pin"
parent = "cart:top"
child = "mast:O"
[sensors.height]
on = "mast:tip"
along = [0, 1]
[sensors.gap]
between = ["ground:dock", "mast:tip"]
"""
LAW = "-3.5*height + 2*gap_rate - 0.5*height_rate*gap + sin(t)"
Q0, V0 = [0.1, 0.3], [0.2, -0.4]
EXACT = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-12}
ALL = pytest.mark.parametrize(
    "target",
    [
        pytest.param("c", marks=needs_compiler),
        pytest.param("c-batch", marks=needs_compiler),
        "numpy",
    ],
)


@cache
def mast(target: str = TARGET) -> Solver:
    return mstmm.compile(toml.from_text(MAST), target=target, parameters=("l",))


def geometry(q: Array, v: Array, length: float = 0.8) -> dict[str, float]:
    """What the mast's sensors measure."""
    (x, angle), (u, w) = q, v
    c, s = np.cos(angle), np.sin(angle)
    tip = np.array([x + 0.1 + length * c - 0.1 * s, 0.2 + length * s + 0.1 * c])
    rate = np.array([u - w * (length * s + 0.1 * c), w * (length * c - 0.1 * s)])
    way = tip - [1.5, 0.3]
    gap = np.hypot(*way)
    return {"height": tip[1], "height_rate": rate[1], "gap": gap, "gap_rate": way @ rate / gap}


def fed_back(t: float, q: Array, v: Array, length: float = 0.8) -> float:
    """`LAW`."""
    s = geometry(q, v, length)
    pull = -3.5 * s["height"] + 2 * s["gap_rate"] - 0.5 * s["height_rate"] * s["gap"]
    return float(pull + np.sin(t))


def motion(t_end: float, length: float = 0.8) -> Any:
    """The mast under `LAW` by SciPy: Lagrange's equations of a cart and a rod."""

    def slope(t: float, y: Array) -> list[float]:
        q, v = y[:2], y[2:]
        c, s, arm = np.cos(q[1]), np.sin(q[1]), length / 2
        M = np.array([[3.0, -arm * s], [-arm * s, 0.05 + arm**2]])
        right = [fed_back(t, q, v, length) + arm * c * v[1] ** 2, -9.81 * arm * c]
        return [*v, *np.linalg.solve(M, right)]

    options: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    return scipy.integrate.solve_ivp(slope, (0, t_end), [*Q0, *V0], dense_output=True, **options)


# Along motions


@ALL
def test_an_input_feeds_sensors_back(target: str) -> None:
    """Against SciPy over the same closed loop to 1e-9, with a run-time parameter set anew."""
    for length in (0.8, 0.65):
        run = mast(target).simulate(
            Q0, V0, t_end=0.8, record=0.1, inputs={"push": LAW}, parameters={"l": length}, **EXACT
        )
        expected = motion(0.8, length).sol(run.time)
        assert np.abs(np.vstack([run.q.T, run.v.T]) - expected).max() < 1e-9
        pushed = [fed_back(*x, length) for x in zip(run.time, run.q, run.v, strict=True)]
        assert run["push"].values == pytest.approx(pushed, abs=1e-12)


@ALL
def test_events_come_when_a_sensor_says(target: str) -> None:
    """Against the root of the same function on SciPy's motion."""
    found = motion(0.8).sol
    times = [
        scipy.optimize.brentq(
            lambda t, f=f: f(geometry(found(t)[:2], found(t)[2:])), 0.1, 0.3, xtol=1e-14
        )
        for f in (lambda s: s["height"] - 0.24, lambda s: s["gap_rate"] - 1.5 * s["gap"])
    ]
    events = [mstmm.Event("height - 0.3*l"), mstmm.Event("gap_rate - 1.5*gap", terminal=True)]
    assert times[0] < times[1]
    run = mast(target).simulate(
        Q0, V0, t_end=0.8, record=0.1, inputs={"push": LAW}, events=events, **EXACT
    )
    assert [x.time for x in run.events] == pytest.approx(times, abs=1e-9)
    assert run.time[-1] == run.events[-1].time


def test_sampled_and_several_inputs_and_a_method_of_scipy() -> None:
    """Held readings; two expressions at once; and Python's side of an expression."""
    law = mstmm.Sampled("-3.5*height", 0.05)
    run = mast().simulate(Q0, V0, t_end=0.2, record=0.01, inputs={"push": law}, **EXACT)
    for k in range(len(run.time) - 1):
        at = 5 * (k // 5)
        assert run["push"].values[k] == pytest.approx(
            -3.5 * geometry(run.q[at], run.v[at])["height"], abs=1e-12
        )
    both = {("push", "swing"): ["-height", "0.25*gap_rate"]}
    runs = [
        mast().simulate(Q0, V0, t_end=0.2, record=0.1, inputs=both, **{**EXACT, "method": x})
        for x in ("dopri5", "DOP853")
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9
    last = geometry(runs[0].q[-1], runs[0].v[-1])
    assert runs[0].inputs[-1] == pytest.approx([-last["height"], last["gap_rate"] / 4], abs=1e-12)


def test_momenta_are_the_state_of_hdca_but_sensors_read_speeds() -> None:
    solver = mstmm.compile(toml.from_text(MAST), algorithm="hdca", target="numpy")
    run = solver.simulate(Q0, V0, t_end=0.2, record=0.1, inputs={"push": LAW}, **EXACT)
    expected = motion(0.2).sol(run.time)
    assert np.abs(np.vstack([run.q.T, run.v.T]) - expected).max() < 1e-9


@ALL
def test_a_driven_cart_moves_what_is_measured(target: str) -> None:
    """Readings of the time, in an event, in a record and in what a linear system gives."""
    text = MAST.replace('force = "push"', 'motion = "0.3*sin(2*t)"')
    solver = mstmm.compile(toml.from_text(text), target=target)
    events = [mstmm.Event("gap_rate")]
    run = solver.simulate([0.3], [-0.4], t_end=0.5, record=0.1, events=events, **EXACT)

    def at(t: float, q: Array, v: Array) -> dict[str, float]:
        place, rate = 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t)
        return geometry(np.array([place, q[0]]), np.array([rate, v[0]]))

    there = [at(*x) for x in zip(run.time, run.q, run.v, strict=True)]
    for name in ("height", "gap", "gap_rate"):
        assert run[name].values == pytest.approx([x[name] for x in there], abs=1e-12)
    for x in run.events:
        assert at(x.time, x.q, x.v)["gap_rate"] == pytest.approx(0, abs=1e-11)
    assert run.events
    q, v = run.q[2], run.v[2]
    C = solver.state_space(q, v, outputs=["gap_rate"], t=0.2).C
    for column, step in enumerate(np.eye(2) * 1e-3):
        one, two = (
            at(0.2, q + k * step[0], v + k * step[1])["gap_rate"]
            - at(0.2, q - k * step[0], v - k * step[1])["gap_rate"]
            for k in (1, 2)
        )
        assert C[0, column] == pytest.approx((8 * one - two) / 12e-3, abs=1e-8)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_readings_in_random_trees(dimension: int, seed: int) -> None:
    """All kinds of hinges on a base that moves, against the judge of laws that read sensors."""
    rng = Random(f"{dimension}{seed}")
    model = acting_models.tree(rng, dimension, rng.randint(2, 5))
    model = acting_models.moved(rng, acting_models.sensing(rng, model))
    judge(model, np.array(model.q0), np.array(model.v0), rng.uniform(0, 2))


def judged(model: Model, q: Array, v: Array, t: float = 0.0) -> dict[str, float]:
    """The readings by the judge of laws that read sensors."""
    base = moving_base(model, t)
    return read(model, motions(opened(model), q, v, base=base), base, (q, v))


def judge(model: Model, q: Array, v: Array, t: float) -> None:
    names = [name for x in model.sensors for name in (x.name, x.rate)]
    texts = [*names, f"{names[0]}*t - {names[-1]}"]
    found = over_states(model, texts, texts, ())
    rows = found(np.array([t, t]), np.array([q, q]), np.array([v, -v / 3]), np.empty(0))
    for row, speeds in zip(rows, (v, -v / 3), strict=True):
        known = judged(model, q, speeds, t)
        expected = [known[name] for name in names]
        assert row == pytest.approx([*expected, expected[0] * t - expected[-1]], abs=1e-11)


@needs_compiler
def test_the_c_of_expressions() -> None:
    """Of a tree with more links than are written one by one, and numbers that stay arguments."""
    plain = mstmm.load("ball-chain", n=12)
    last = plain.bodies[-1]
    ends = End(plain.bodies[2].name, ""), End(last.name, last.points[-1].name)
    sensors = Sensor("gap", ends), Sensor("height", ends[1:], (0.5, 0, parameter("l")))
    model = replace(plain, sensors=sensors)
    solver = mstmm.compile(model)
    texts = ["2.5*gap_rate", "height - 0.125*t", "height_rate*gap"]
    rng = np.random.default_rng(1)
    q = moved(solver, np.array(model.q0), rng.standard_normal(len(solver.speeds)))
    v, none = rng.standard_normal(len(solver.speeds)), np.empty(0)
    s = judged(model, q, v)
    expected = [2.5 * s["gap_rate"], s["height"] - 0.125, s["height_rate"] * s["gap"]]
    for lift in (False, True):
        address, data, kept = compiled(solver, texts, texts, none, lift=lift)
        found = called_c(address, data, len(texts), kept)(1.0, q, v)
        assert found == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected).min() > 1e-3


@pytest.mark.parametrize("dimension", [2, 3])
def test_absolute_coordinates(dimension: int) -> None:
    """Places from the solver's poses, rates by differences of these."""
    rng = Random(dimension)
    tree = random_models.planar_tree if dimension == 2 else random_models.spatial_tree
    bodies = tree(rng, 4)
    q, v = random_models.random_state(rng, dimension, len(bodies.bodies))
    by_poses(bodies, np.array(q), np.array(v), bodies.coordinates[-1])


def test_bodies_behind_beams() -> None:
    rng = Random(13)
    beams = beam_models.beam_tree(rng, 3)
    assert len(beams.beams) == 1
    q, v = beam_models.beam_state(rng, beams)
    by_poses(beams, np.array(q), np.array(v), beams.coordinates[-1])


def by_poses(plain: Model, q: Array, v: Array, coordinate: str) -> None:
    rigid = [body for body in plain.bodies if isinstance(body, Body)]
    ends = End(rigid[0].name, rigid[0].points[-1].name), End(rigid[-1].name, "")
    along = (0.3, -1.1, 0.7)[: plain.dimension]
    model = replace(plain, sensors=(Sensor("gap", ends), Sensor("height", ends[1:], along)))
    texts = ["gap", "height", "gap_rate", "height_rate", f"gap - {coordinate}"]
    found = over_states(model, texts, texts, ())(
        np.zeros(1), q[np.newaxis], v[np.newaxis], np.empty(0)
    )[0]
    solver, names = mstmm.compile(plain, target="numpy"), list(plain.body_names)

    def at(q: Array) -> Array:
        poses = solver.poses(q)
        first, second = ((poses[names.index(x.body)] @ point_place(plain, x))[:3] for x in ends)
        return np.array([np.linalg.norm(second - first), np.dot(along, second[: len(along)])])

    rates = np.linalg.pinv(differences(plain, q)) @ v
    slope = (at(q + 1e-6 * rates) - at(q - 1e-6 * rates)) / 2e-6
    assert found[:2] == pytest.approx(at(q), abs=1e-12)
    assert found[2:4] == pytest.approx(slope, abs=1e-8 * max(1, np.abs(slope).max()))
    assert found[4] == pytest.approx(found[0] - q[-1], abs=1e-12)
    assert np.abs(slope).min() > 1e-3


# Closed loops


#: Of the four-bar linkage: crank, coupler and rocker.
LENGTHS = tuple(mstmm.load("four-bar").parameters[name] for name in "abc")


@cache
def four_bar(target: str = TARGET) -> Solver:
    """With the height of the rocker's top and its way from the crank's pivot."""
    plain = mstmm.load("four-bar")
    sensors = (
        Sensor("height", (End("rocker", "top"),), (0, 1)),
        Sensor("gap", (End(GROUND, "O"), End("rocker", ""))),
    )
    return mstmm.compile(replace(plain, sensors=sensors), target=target)


def linkage(q: Array, v: Array) -> tuple[float, float, float]:
    """Height, gap, and the rate of the gap of the four-bar linkage, from its angles."""
    a, b, c = LENGTHS
    angles, spins = np.cumsum(q), np.cumsum(v)
    x, xd = (np.exp(1j * angles), 1j * spins * np.exp(1j * angles))
    arms = [a, b, c / 2]
    place, rate = (complex(np.dot(arms, y)) for y in (x, xd))
    height = (a * x[0] + b * x[1]).imag
    return height, abs(place), (place.conjugate() * rate).real / abs(place)


def test_a_closed_loop_is_driven_and_watched_by_its_sensors() -> None:
    """The same law and event as Python functions of the angles."""
    solver = four_bar()
    q = solver.assemble().q
    q, v = solver.project(q, [3.0, 0, 0])
    told = solver.simulate(
        q,
        v,
        t_end=0.3,
        record=0.05,
        inputs={"shaft": "0.2*gap_rate - 0.5*height"},
        events=[mstmm.Event("gap - 0.4")],
        **EXACT,
    )

    def law(t: float, q: Array, v: Array) -> float:
        height, _, rate = linkage(q, v)
        return 0.2 * rate - 0.5 * height

    own = solver.simulate(
        q,
        v,
        t_end=0.3,
        record=0.05,
        inputs={"shaft": law},
        events=[mstmm.Event(lambda t, q, v: linkage(q, v)[1] - 0.4)],
        **EXACT,
    )
    assert np.abs(told.q - own.q).max() < 1e-10
    assert [x.time for x in told.events] == pytest.approx([x.time for x in own.events], abs=1e-9)
    assert told.events
    heights = [linkage(*x)[0] for x in zip(told.q, told.v, strict=True)]
    assert told["height"].values == pytest.approx(heights, abs=1e-12)


def test_a_loops_outputs_are_along_its_closed_motions() -> None:
    """Against differences of the angles' geometry at closed states, by fourth order: 1e-8."""
    solver = four_bar("numpy")
    q, v = solver.project(solver.assemble().q, [3.0, 0, 0])
    outputs = ["height", "gap_rate", "qshaft"]
    system = solver.state_space(q, v, inputs=["shaft"], outputs=outputs, minimal=["qshaft"])

    def at(angle: float, speed: float) -> Array:
        there = solver.assemble(q, fixed={"qshaft": q[0] + angle}).q
        _, way = solver.project(there, [1.0, 0, 0])
        height, _, rate = linkage(there, way / way[0] * (v[0] + speed))
        return np.array([height, rate])

    for column, step in enumerate(np.eye(2) * 1e-3):
        slope = (8 * (at(*step) - at(*-step)) - (at(*2 * step) - at(*-2 * step))) / 12e-3
        assert system.C[:2, column] == pytest.approx(slope, abs=1e-8)
    assert system.C[2] == pytest.approx([1, 0])
    assert not system.D.any()


# Linear systems


@pytest.mark.parametrize("target", ["numpy", TARGET])
def test_outputs_of_linear_systems(target: str) -> None:
    """Against slopes of the mast's geometry, by differences of sixth order."""
    texts = ["height", "height_rate", "gap", "gap_rate", "height_rate*qslide - 0.5*l*gap + t"]
    q, v, length = np.array([0.1, 0.3]), np.array([0.5, -1.2]), 0.7
    system = mast(target).state_space(q, v, outputs=texts, parameters={"l": length}, t=2.0)

    def at(x: Array) -> Array:
        s = geometry(x[:2], x[2:], length)
        mixed = s["height_rate"] * x[0] - 0.5 * length * s["gap"]
        return np.array([*s.values(), mixed])[[0, 1, 2, 3, 4]]

    x, h = np.concatenate([q, v]), 1e-2
    for column, unit in enumerate(np.eye(4)):
        steps = [at(x + k * h * unit) - at(x - k * h * unit) for k in (1, 2, 3)]
        slope = (45 * steps[0] - 9 * steps[1] + steps[2]) / (60 * h)
        assert system.C[:, column] == pytest.approx(slope, abs=1e-10)
    assert system.outputs == tuple(texts)
    assert not system.D.any()


def test_outputs_of_places_that_turn() -> None:
    """Along the axes of what moves: a free body's, and a ball's."""
    plain = mstmm.load("ball-chain", n=2)
    ends = End(plain.bodies[0].name, ""), End(plain.bodies[-1].name, "")
    sensors = Sensor("height", ends[1:], (0.2, -0.5, 1)), Sensor("gap", (ends[0], ends[1]))
    solver = mstmm.compile(replace(plain, sensors=sensors), target="numpy")
    rng = np.random.default_rng(3)
    q = moved(solver, np.array(plain.q0), rng.standard_normal(len(solver.speeds)))
    v = rng.standard_normal(len(solver.speeds))
    C = solver.state_space(q, v, outputs=["height", "height_rate", "gap_rate"]).C
    n = len(v)

    def at(step: Array) -> Array:
        there = moved(solver, q, step[:n])
        known = judged(solver.model, there, v + step[n:])
        return np.array([known[name] for name in ("height", "height_rate", "gap_rate")])

    for column, unit in enumerate(np.eye(2 * n)):
        one, two = (at(h * unit) - at(-h * unit) for h in (1e-3, 2e-3))
        assert C[:, column] == pytest.approx((8 * one - two) / 12e-3, abs=1e-9)
    assert np.abs(C).max(axis=1).min() > 0.1


# What was recorded, ensembles, the command line, and what is refused


def test_a_run_tells_what_sensors_measured() -> None:
    given = {"l": 0.65}
    run = mast().simulate(Q0, V0, t_end=0.3, record=0.1, parameters=given)
    for name, unit in (("height", "m"), ("height_rate", "m/s"), ("gap_rate", "m/s")):
        expected = [geometry(*x, 0.65)[name] for x in zip(run.q, run.v, strict=True)]
        assert run[name].values == pytest.approx(expected, abs=1e-12)
        assert run[name].dims == ("time",)
        assert run[name].units == unit
    with pytest.raises(KeyError, match=r"a run has no 'hight': did you mean height\?|height_rate"):
        run["hight"]
    taken = replace(run.model, parameters={**run.model.parameters, "dt": 1.0})
    with pytest.raises(UsageError, match="the parameter dt has the name of a setting"):
        replace(run, model=taken)["height"]


@ALL
def test_runs_side_by_side_have_parameters_of_their_own(target: str) -> None:
    lengths = np.array([0.7, 0.9])
    runs = mast(target).simulate(
        [[0.1, 0.3], [0.2, 0.5]],
        V0,
        t_end=0.2,
        record=0.1,
        parameters={"l": lengths},
        inputs={"push": "-height"},
    )
    for run, length in zip(runs, lengths, strict=True):
        there = [geometry(*x, length)["height"] for x in zip(run.q, run.v, strict=True)]
        assert run["height"].values == pytest.approx(there, abs=1e-12)
        assert -run["push"].values == pytest.approx(there, abs=1e-12)


def test_ensembles_keep_what_sensors_measure(tmp_path: Path) -> None:
    starts = {"qswing": [0.2, 0.5], "l": [0.7, 0.9]}
    kept = {"q": "q", "v": "v", "up": "height", "rate": "gap_rate + t"}
    found = mstmm.ensemble(
        mast(), starts, to=tmp_path / "e.zarr", t_end=0.2, record=0.1, outputs=kept
    ).data
    for k, length in enumerate(starts["l"]):
        for j, t in enumerate((0.0, 0.1, 0.2)):
            s = geometry(found["q"].values[k, j], found["v"].values[k, j], length)
            assert found["up"].values[k, j] == pytest.approx(s["height"], abs=1e-12)
            assert found["rate"].values[k, j] == pytest.approx(s["gap_rate"] + t, abs=1e-12)
    with pytest.raises(UsageError, match=r"'hight'; .*height_rate.*expression of .*sensors"):
        mstmm.ensemble(
            mast(), starts, to=tmp_path / "f.zarr", t_end=0.2, record=0.1, outputs=["hight"]
        )


def test_the_command_line_reads_sensors(tmp_path: Path) -> None:
    model = tmp_path / "mast.toml"
    model.write_text(MAST)
    told = answer(
        "simulate", model, "--t-end", "1", "--method", "dopri5",
        "--record", "0.1", "--event", "gap_rate + 1", "--stop", "height", "--json",
        "--input", f"push={LAW}", "--target", "numpy", "-o", tmp_path / "x.nc",
    )  # fmt: skip
    said, run = json.loads(told), mstmm.load_run(tmp_path / "x.nc")
    assert [x["event"] for x in said["events"]][-1] == "height"
    last = geometry(run.q[-1], run.v[-1])
    assert last["height"] == pytest.approx(0, abs=1e-12)
    assert run.time[-1] == said["events"][-1]["time"] < 1
    pushed = fed_back(float(run.time[-1]), run.q[-1], run.v[-1])
    assert run["push"].values[-1] == pytest.approx(pushed, abs=1e-12)
    assert run["gap"].values[-1] == pytest.approx(last["gap"], abs=1e-12)


@pytest.mark.parametrize("target", ["numpy", TARGET])
def test_what_is_not_there_is_said_with_the_sensors(target: str) -> None:
    known = "there is no 'hight'; there are: l, t, .*height, height_rate, gap, gap_rate"
    solver = mast(target)
    with pytest.raises(UsageError, match=f"input push: '3.hight': {known}"):
        solver.simulate(Q0, V0, t_end=0.1, inputs={"push": "3*hight"})
    with pytest.raises(UsageError, match=f"event 0: 'hight': {known}"):
        solver.simulate(Q0, V0, t_end=0.1, events=[mstmm.Event("hight")])
    with pytest.raises(UsageError, match=f"output 'hight': 'hight': {known}"):
        solver.state_space(Q0, V0, outputs=["hight"])
    with pytest.raises(UsageError, match=r"output 'height \+ hight': .*gap_rate"):
        solver.state_space(Q0, V0, outputs=["height + hight"])
    with pytest.raises(UsageError, match="'push'"):
        solver.simulate(Q0, V0, t_end=0.1, events=[mstmm.Event("height - push")])
    with pytest.raises(UsageError, match="it has no finite slope there"):
        solver.state_space(Q0, V0, outputs=["sqrt(height - 2)"])


@pytest.mark.parametrize(
    ("name", "message"),
    [("energy", "energy is taken"), ("rail", "rail is taken"), ("urail_dot", "urail_dot is taken")],
)
def test_a_name_by_which_a_run_gives_something_else_is_refused(name: str, message: str) -> None:
    text = """
    name = "cart"
    dimension = 2
    gravity = [0, -9.81]
    [bodies.cart]
    mass = 1
    inertia = 0.1
    points.rail = {}
    [hinges.rail]
    kind = "prismatic"
    parent = "ground"
    child = "cart:rail"
    """
    sensor = f'[sensors.{name}]\non = "cart"\nalong = [1, 0]\n'
    with pytest.raises(ModelError, match=message):
        toml.from_text(text + sensor)
    assert toml.from_text(text + sensor.replace(name, "way")).sensors
    if name == "energy":
        with pytest.raises(
            ModelError, match=r"inputs.energy: energy is taken: .* an array of every run"
        ):
            toml.from_text(text + "[inputs]\nenergy = 1.0\n")


def test_the_names_that_a_run_gives_are_all_kept_from_others() -> None:
    assert {*NAMES} == {*RECORDED}
