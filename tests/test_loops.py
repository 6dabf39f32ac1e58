"""Closed loops in joint coordinates against the judge that tries wrenches on the open tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import loop_models
import mpmath
import numpy as np
import pytest
import random_models
import sympy as sp
from compiler import TARGET, TARGETS
from independent.joints import joint_motion
from independent.loops import LoopMotion, loop_motion
from independent.tree import extended

import mstmm
from mstmm.codegen.interpreter import EXACT, FLOAT, Interpreter
from mstmm.codegen.validate import _Judge
from mstmm.errors import ModelError, NumericsError, UsageError
from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.types import TIME, hinge_symbol, parameter
from mstmm.symbolic.cutforces import MEASURED, PUSH
from mstmm.symbolic.cutkernels import CONDITION
from mstmm.symbolic.jointprogram import joint_program
from mstmm.symbolic.loopkernels import COLUMNS
from mstmm.symbolic.plan import plan
from mstmm.symbolic.program import CUT_OFF, Kernel, Let, Program

#: Relative to the largest number; the random loops' conditions are 1e4 at worst.
TOLERANCE = 1e-8

Array = np.ndarray


def results(model: Model, entry: str, forced: bool = False, **arguments: Array) -> dict[str, Array]:
    """The reference interpreter's results in double precision."""
    program = joint_program(plan(model), forced=forced)
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def compare(found: Array, expected: Array, tolerance: float = TOLERANCE) -> None:
    expected = np.array(expected, dtype=float)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * scale


def ends_of(model: Model) -> tuple[str, ...]:
    return joint_program(plan(model)).sets["ends"]


def check(model: Model, places: dict[str, list[float]], rng: Random, t: float = 0.0) -> LoopMotion:
    """At the model's own place and random speeds that its loops allow, loaded by forces."""
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)), at=places, t=t)
    v = loop_models.allowed_speeds(rng, at_rest.jacobian, at_rest.opening)
    size = 3 if model.dimension == 2 else 6
    f = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
    wrenches = np.zeros((len(model.bodies), 6))
    if size == 3:
        wrenches[:, [3, 4, 2]] = f
    else:
        wrenches[:, [3, 4, 5, 0, 1, 2]] = f
    expected = loop_motion(model, q, v, tau, wrenches, at=places, t=t)
    state = {"q": q, "v": v, "t": t}
    if expected.opening.size:
        assert np.abs(expected.opening).max() < 1e-11
        gaps = results(model, "constraints", **state)
        assert np.abs(gaps["phi"]).max() < 1e-13
        assert np.abs(gaps["phid"]).max() < 1e-11
    found = results(model, "joint_loads", forced=True, tau=tau, f=f, **state)
    compare(found["a"], expected.accelerations)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(found["loads"], np.concatenate([given[end] for end in ends_of(model)]))
        if expected.drives:
            needed = results(model, "driving_forces", forced=True, tau=tau, f=f, **state)
            compare(needed["drive"], np.concatenate(list(expected.drives.values())))
    return expected


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(100 * dimension + seed)
    bodies = rng.randint(2, 7)
    check(*loop_models.loop_model(rng, dimension, bodies, rng.randint(1, 3)), rng)


KINDS = [(d, kind) for d, kinds in loop_models.CUTTABLE.items() for kind in kinds]


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
@pytest.mark.parametrize("grounded", [False, True])
def test_every_kind_of_cut(dimension: int, kind: str, grounded: bool) -> None:
    rng = Random(f"{dimension}{kind}{grounded}")
    for _ in range(3):
        check(*loop_models.loop_model(rng, dimension, 6, 1, (kind,), grounded), rng)


#: Kinds of cuts drawn from: those that move where a law acts in them.
KINDLY = {
    (d, acting): (*(kind for kind in kinds if kind != "fixed"), "free") if acting else kinds
    for d, kinds in loop_models.CUTTABLE.items()
    for acting in ("", "loaded")
}

ACTING = [
    *((d, kind, "loaded") for d, kind in KINDS if kind != "fixed"),
    *((d, "free", "loaded") for d in (2, 3)),
    *((d, kind, "driven") for d, kinds in loop_models.DRIVEN.items() for kind in kinds),
]


@pytest.mark.parametrize(("dimension", "kind", "acting"), ACTING)
def test_every_kind_of_cut_loaded_and_driven(dimension: int, kind: str, acting: str) -> None:
    """Force laws at the cut's own coordinates; the forces that drive it as prescribed."""
    rng = Random(f"{dimension}{kind}{acting}")
    for grounded in (False, True):
        made = loop_models.loop_model(rng, dimension, 5, 1, (kind,), grounded, acting, 0.7)
        check(*made, rng, 0.7)


def test_judge_in_fifty_digits_agrees() -> None:
    rng = Random(5)
    model, _ = loop_models.loop_model(rng, 3, 4, 1, ("revolute",))
    q = np.array(model.q0)
    v = loop_models.allowed_speeds(rng, loop_motion(model, q, 0 * model_speeds(model)).jacobian)
    exact = loop_motion(model, q, v, arithmetic=extended(50))
    found = results(model, "accelerations", q=q, v=v)["a"]
    compare(found, exact.accelerations)


def model_speeds(model: Model) -> Array:
    return np.ones(len(model.speeds))


def double_loop() -> Model:
    """A second chain of two bars from the coupler's pin side to a third pivot."""
    base = loop_models.four_bar()
    second = replace(
        base.bodies[1],
        points=(*base.bodies[1].points, Point("m", (1.2, 0.1))),
    )
    chain = (loop_models.bar("4", 0.9), loop_models.bar("5", 1.1))
    hinges = (
        Hinge("E", "pin", (End("2", "m"), End("4", "a"))),
        Hinge("F", "pin", (End("4", "b"), End("5", "a"))),
        Hinge("G", "pin", (End("5", "b"), End("0", "R"))),
    )
    return replace(
        base,
        bodies=(base.bodies[0], second, base.bodies[2], *chain),
        hinges=(*base.hinges, *hinges),
        ground=(*base.ground, Point("R", (1.0, -0.6))),
        cuts=(),
        q0=(),
        v0=(),
    )


def started(model: Model, **near: float) -> Model:
    """The model with a start near which its loops close."""
    q0 = tuple(near.get(n, x) for n, x in zip(model.coordinates, model.q0, strict=True))
    return replace(model, q0=q0, v0=(0.3,) * len(model.speeds))


MECHANISMS = {
    "four-bar": lambda: started(loop_models.four_bar(), qA=0.9, qB=-0.5, qC=-1.0),
    "slider-crank": lambda: started(loop_models.slider_crank(), qA=0.7, qB=-1.0),
    "double loop": lambda: started(double_loop(), qA=1.0, qB=-0.6, qC=-1.4, qE=-1.0, qF=-1.0),
    "redundant": lambda: started(
        loop_models.four_bar(3, ("revolute",) * 4), qA=0.9, qB=-0.5, qC=-1.0
    ),
    "ball and revolutes": lambda: started(
        loop_models.four_bar(3, ("revolute", "revolute", "ball", "revolute")), qA=0.9, qB=-0.5
    ),
    "cylinder and ball": lambda: started(
        loop_models.four_bar(3, ("revolute", "ball", "cylindrical", "revolute")), qA=0.9
    ),
    "ball in the tree": lambda: started(
        replace(
            loop_models.four_bar(3, ("revolute", "ball", "cylindrical", "revolute")),
            cuts=("D",),
            q0=(),
            v0=(),
        ),
        qA=0.9,
        qC_1=-1.0,
    ),
}

#: Conditions that follow from the others: three where all axes are parallel.
REDUNDANT = {"redundant": 3, "ball and revolutes": 1}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("target", TARGETS)
def test_mechanism(name: str, target: str) -> None:
    """Closed from a rough start; compiled accelerations and loads are the judge's."""
    model = MECHANISMS[name]()
    solver = mstmm.compile(model, target=target)
    q, v = solver.project(model.q0, model.v0)
    expected = loop_motion(model, q, v)
    assert np.abs(expected.opening).max() < 1e-12
    assert np.abs(np.concatenate(solver.constraints(q, v))).max() < 1e-11
    compare(solver.accelerations(q, v), expected.accelerations)
    assert solver.redundant(q) == expected.redundant == REDUNDANT.get(name, 0)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(solver.joint_loads(q, v), np.array([given[end] for end in solver.ends]))
    loads, turned = (solver.joint_loads(q, v, frame=frame) for frame in ("inertial", "body"))
    at = solver.poses(q)[[solver.bodies.index(end.split(":")[0]) for end in solver.ends], :3, :3]
    compare(np.einsum("nij,nkj->nki", at, turned.reshape(-1, 2, 3)).reshape(-1, 6), loads, 1e-13)


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanism_moves(name: str) -> None:
    """Energy and closed loops are kept over seconds; the step's error is below 1e-7 J."""
    run = mstmm.compile(MECHANISMS[name](), target=TARGET).simulate(t_end=2.0, dt=1e-3, record=0.01)
    assert run.constraint_position is not None
    assert run.constraint_velocity is not None
    assert run["constraint_position"].values.max() < 1e-10
    assert run["constraint_velocity"].values.max() < 1e-10
    assert run.energy_drift < 1e-6


def test_scipy_methods_close_at_every_record() -> None:
    solver = mstmm.compile(MECHANISMS["four-bar"](), target="numpy")
    run = solver.simulate(t_end=0.3, method="RK45", record=0.05, rtol=1e-10, atol=1e-10)
    fixed = solver.simulate(t_end=0.3, dt=1e-3, record=0.05)
    assert run["constraint_position"].values.max() < 1e-10
    assert np.abs(run.q - fixed.q).max() < 1e-8


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "redundant", "cylinder and ball"])
@pytest.mark.parametrize("target", TARGETS)
def test_compiled_code_is_proven(name: str, target: str) -> None:
    proof = mstmm.validate(mstmm.compile(MECHANISMS[name](), target=target), points=4)
    assert proof.ok, proof.worst


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("acting", ["", "loaded"])
def test_compiled_random_loops(seed: int, acting: str) -> None:
    rng = Random(seed)
    model, places = loop_models.loop_model(
        rng, 2 + seed % 2, rng.randint(2, 6), 2, acting=acting, kinds=KINDLY[2 + seed % 2, acting]
    )
    given = {"at": places, "t": 0.4}
    at_rest = loop_motion(model, model.q0, np.zeros(len(model.speeds)), **given)
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    expected = loop_motion(model, model.q0, v, **given).accelerations
    for target in dict.fromkeys((TARGET, "numpy")):
        solver = mstmm.compile(model, target=target)
        compare(solver.accelerations(model.q0, v, t=0.4), expected)


def test_the_choice_of_cuts_changes_nothing() -> None:
    """The four-bar with each of its hinges cut in turn: poses after the same motion."""
    places = []
    start = mstmm.compile(MECHANISMS["four-bar"](), target="numpy")
    q, v = start.project(start.model.q0, start.model.v0)
    turned = start.poses(q)
    absolute = np.arctan2(turned[:, 1, 0], turned[:, 0, 0])
    # The speeds of the cut hinge from those of the others: all angles add up to none.
    angles = {"qA": q[0], "qB": q[1], "qC": q[2], "qD": -absolute[2]}
    speeds = {"qA": v[0], "qB": v[1], "qC": v[2], "qD": -v.sum()}
    for cut in "ABCD":
        model = replace(start.model, cuts=(cut,), q0=(), v0=())
        assert f"q{cut}" not in model.coordinates
        solver = mstmm.compile(model, target="numpy")
        run = solver.simulate(
            [angles[name] for name in model.coordinates],
            [speeds[name] for name in model.coordinates],
            t_end=0.05,
        )
        places.append(solver.poses(run.q[-1]))
    assert np.abs(np.array(places) - places[0]).max() < 1e-10


def test_redundant_and_planar_four_bar_move_alike() -> None:
    flat, spatial = (
        mstmm.compile(MECHANISMS[name](), target=TARGET) for name in ("four-bar", "redundant")
    )
    model = flat.model
    tilted = replace(spatial.model, gravity=(0.0, -9.81 * 0.8, -9.81 * 0.6))
    bodies = tuple(
        replace(b, inertia=tuple(tuple(f if i == j else 0.0 for j in range(3)) for i in range(3)))
        for b, f in zip(tilted.bodies, (b.inertia for b in model.bodies), strict=True)
    )
    spatial = mstmm.compile(replace(tilted, bodies=bodies), target=TARGET)
    q, v = flat.project(model.q0, model.v0)
    compare(spatial.accelerations(q, v), flat.accelerations(q, v), 1e-10)


def test_driven_crank_gives_its_power() -> None:
    """No freedom is left; the energy grows by what the drive does."""
    base = loop_models.four_bar()
    model = replace(
        base,
        hinges=(replace(base.hinges[0], motion=(0.9 + 1.5 * TIME,)), *base.hinges[1:]),
        q0=(-0.5, -1.0),
        v0=(),
    )
    assert (model.cuts, model.coordinates) == (("D",), ("qB", "qC"))
    solver = mstmm.compile(model, target="numpy")
    step = 1e-4
    state = solver.project(model.q0, model.v0, t=0.3)
    energies = []
    for t in (0.3 - step, 0.3 + step):
        there = solver.project(*state, t=t)
        energies.append(solver.energy(*there, t=t))
    run = solver.simulate(*state, t_end=0.1, dt=1e-3)
    assert run["constraint_position"].values.max() < 1e-10
    power = 1.5 * solver.driving_forces(*state, t=0.3)[0]
    assert abs((energies[1] - energies[0]) / (2 * step) - power) < 1e-5 * abs(power)


@pytest.mark.parametrize("target", TARGETS)
def test_ground_and_points_may_depend_on_run_time_parameters(target: str) -> None:
    d = parameter("d")
    base = MECHANISMS["four-bar"]()
    placed = replace(base, parameters={"d": 2.0}, ground=(Point("P", (d, d / 8 - 0.25)),))
    free = mstmm.compile(placed, target=target, parameters=("d",))
    q, v = free.project(base.q0, base.v0, parameters={"d": 2.2})
    fixed = replace(base, ground=(Point("P", (2.2, 2.2 / 8 - 0.25)),))
    expected = loop_motion(fixed, q, v)
    assert np.abs(expected.opening).max() < 1e-12
    compare(free.accelerations(q, v, parameters={"d": 2.2}), expected.accelerations)
    run = free.simulate(q, v, t_end=0.05, parameters={"d": 2.2})
    assert run["constraint_position"].values.max() < 1e-10


@pytest.mark.parametrize("seed", range(20))
def test_trees_with_hinges_told_from_either_side(seed: int) -> None:
    rng = Random(seed)
    model = random_models.joint_tree(rng, 2 + seed % 2, None, 4)
    found = results(model, "joint_loads", q=model.q0, v=model.v0)
    expected = joint_motion(model, model.q0, model.v0)
    compare(found["a"], expected.accelerations, 1e-10)
    compare(found["loads"], np.concatenate([expected.loads[e] for e in ends_of(model)]), 1e-10)


def test_two_trees_on_the_ground_do_not_know_each_other() -> None:
    one = replace(
        loop_models.four_bar(),
        bodies=loop_models.four_bar().bodies[:1],
        hinges=loop_models.four_bar().hinges[:1],
        cuts=(),
        q0=(0.4,),
        v0=(0.2,),
    )
    far = Hinge("Z", "pin", (End("0", "P"), End("9", "a")))
    both = replace(
        one,
        bodies=(*one.bodies, loop_models.bar("9", 1.7)),
        hinges=(*one.hinges, far),
        cuts=(),
        q0=(0.4, -0.3),
        v0=(0.2, 0.5),
    )
    assert both.cuts == ()
    found = mstmm.compile(both, target="numpy")
    alone = mstmm.compile(one, target="numpy")
    compare(found.accelerations(both.q0, both.v0)[:1], alone.accelerations(one.q0, one.v0), 1e-14)
    energy = found.energy(both.q0, both.v0)
    assert energy == pytest.approx(
        alone.energy(one.q0, one.v0)
        + 1.7 * (1.7**2 / 3 * 0.5**2 / 2 - 9.81 * 1.7 / 2 * np.sin(0.3))
    )


def test_open_too_far_is_refused() -> None:
    model = loop_models.four_bar()
    far = replace(model, ground=(Point("P", (50.0, 0.0)),))
    with pytest.raises(NumericsError, match="cannot be closed"):
        mstmm.compile(far, target="numpy").simulate(t_end=0.1)


def test_plan_shows_cuts() -> None:
    text = plan(MECHANISMS["ball and revolutes"]()).describe()
    assert "cut: ball hinge C between 2:b and 3:a" in text


def damped_four_bar() -> Model:
    """Friction in every pin, and a spring in one of the tree and in the one that is cut."""
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    base = loop_models.four_bar()
    laws = (-0.2 * u - sp.tanh(50 * u) / 4, -0.3 * u, -0.4 * u - 2 * q, -0.5 * u - 3 * (q - 1))
    hinges = tuple(replace(h, force=(law,)) for h, law in zip(base.hinges, laws, strict=True))
    return started(replace(base, hinges=hinges), qA=0.9, qB=-0.5, qC=-1.0)


@pytest.mark.parametrize("target", TARGETS)
def test_four_bar_with_friction_in_every_pin(target: str) -> None:
    model = damped_four_bar()
    assert model.cuts == ("D",)
    solver = mstmm.compile(model, target=target)
    q, v = solver.project(model.q0, model.v0)
    own = [
        float(law.subs({hinge_symbol("q", 1): x, hinge_symbol("u", 1): y}))
        for (law,), x, y in zip((h.force for h in model.tree_hinges), q, v, strict=True)
    ]
    expected = loop_motion(model, q, v, own, at={"D": [-q.sum()]})
    compare(solver.accelerations(q, v), expected.accelerations)
    given = {**expected.tree.loads, **expected.cut_loads}
    compare(solver.joint_loads(q, v), np.array([given[end] for end in solver.ends]))
    proof = mstmm.validate(solver, points=4)
    assert proof.ok, proof.worst


def test_friction_takes_what_energy_is_lost() -> None:
    """Energy and the springs', with what friction has done, stay the same to the step's error."""
    model = damped_four_bar()
    solver = mstmm.compile(model, target=TARGET)
    run = solver.simulate(t_end=2.0, dt=1e-3)
    turned = run.q.sum(axis=1)
    qs = np.column_stack([run.q, -turned])
    us = np.column_stack([run.v, -run.v.sum(axis=1)])
    springs = qs[:, 2] ** 2 + 1.5 * (qs[:, 3] - 1) ** 2
    lost = us**2 @ [0.2, 0.3, 0.4, 0.5] + us[:, 0] * np.tanh(50 * us[:, 0]) / 4
    work = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2) * 1e-3])
    total = run.energy + springs + work
    assert lost.max() * 2.0 > 1.0
    assert np.abs(total - total[0]).max() < 1e-4
    assert run["constraint_position"].values.max() < 1e-10


def test_any_pin_of_the_damped_four_bar_may_be_cut() -> None:
    model = damped_four_bar()
    base = mstmm.compile(model, target="numpy")
    q, v = base.project(model.q0, model.v0)
    angles = dict(zip("ABCD", [*q, -q.sum()], strict=True))
    speeds = dict(zip("ABCD", [*v, -v.sum()], strict=True))
    rates = base.accelerations(q, v)
    rates = dict(zip("ABCD", [*rates, -rates.sum()], strict=True))
    for cut in "ABC":
        other = replace(model, cuts=(cut,), q0=(), v0=())
        names = [name[1:] for name in other.coordinates]
        state = ([x[name] for name in names] for x in (angles, speeds))
        found = mstmm.compile(other, target="numpy").accelerations(*state)
        compare(found, np.array([rates[name] for name in names]), 1e-11)


def screw_press(pitch: sp.Expr | float, kind: str = "helical") -> Model:
    """A nut on a slide of the ground, turned by a shaft: the screw between them is cut."""
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    inertia = tuple(tuple(0.02 if i == j else 0.0 for j in range(3)) for i in range(3))
    shaft, nut = (
        Body(name, mass, inertia, (0.0, 0.0, 0.0), (Point("a", (0.0,) * 3), Point("b", far)))
        for name, mass, far in (("1", 0.4, (0.0, 0.0, 0.1)), ("2", 0.7, (0.3, 0.0, 0.1)))
    )
    return Model(
        "screw-press",
        3,
        (shaft, nut),
        (
            Hinge("A", "revolute", (End("0", "O"), End("1", "a"))),
            Hinge("B", "prismatic", (End("0", "P"), End("2", "a"))),
            Hinge("C", kind, (End("1", "b"), End("2", "b")), pitch, (-0.01 * q - 0.02 * u,)),
        ),
        (0.0, 0.0, -9.81),
        {"h": 0.05},
        absolute=False,
        cuts=("C",),
        ground=(Point("P", (-0.3, 0.0, 0.0)),),
    )


def test_a_cut_screw_counts_its_turns() -> None:
    """Against the same press with the screw in the tree, over several turns."""
    cut = mstmm.compile(screw_press(0.05), target=TARGET)
    other = replace(screw_press(0.05), cuts=("B",), q0=(), v0=())
    tree = mstmm.compile(other, target=TARGET)
    run = cut.simulate([0.0, 0.0], [20.0, -1.0], t_end=2.0, dt=1e-3)
    assert cut.model.coordinates == ("qA", "qB")
    assert np.abs(run.q[-1, 0]) > 4 * np.pi
    assert np.abs(run.q[:, 1] + 0.05 * run.q[:, 0]).max() < 1e-10
    there = tree.simulate([0.0, 0.0], [20.0, -20.0], t_end=2.0, dt=1e-3)
    assert there.coordinates == ("qA", "qC")
    assert np.abs(run.q[:, 0] - there.q[:, 0]).max() < 1e-8


def test_a_cut_screw_without_pitch_is_a_revolute() -> None:
    none, plain = screw_press(0), screw_press(0, "revolute")
    q, v = [0.7, 0.0], [0.4, 0.0]
    found, expected = (results(x, "joint_loads", q=q, v=v) for x in (none, plain))
    compare(found["a"], expected["a"], 1e-14)
    compare(found["loads"], expected["loads"], 1e-14)
    h = parameter("h")
    with pytest.raises(ModelError, match="the parameters make its pitch 0"):
        replace(screw_press(h), parameters={"h": 0.0})
    solver = mstmm.compile(screw_press(h), target="numpy", parameters=("h",))
    with pytest.raises(UsageError, match="the parameters make its pitch 0"):
        solver.accelerations(q, v, parameters={"h": 0.0})


def test_atan2_has_no_exact_form() -> None:
    program = joint_program(plan(damped_four_bar()))
    still = [Fraction(0)] * 3
    with pytest.raises(UsageError, match="atan2 has no exact form"):
        Interpreter(program, EXACT).run("accelerations", {"q": still, "v": still, "c": still[:2]})


@pytest.mark.parametrize("target", TARGETS)
def test_driven_cut_is_the_driven_hinge_of_the_tree(target: str) -> None:
    """The four-bar's last pin driven, cut and in the tree: motion, loads and driving force."""
    base = MECHANISMS["four-bar"]()
    free = mstmm.compile(base, target="numpy")
    near = dict(zip(base.coordinates, free.project(base.q0, base.v0)[0], strict=True))
    angle = -sum(near.values())
    last = replace(base.hinges[3], motion=(angle + sp.sin(TIME) / 5,))
    found = []
    for cut in "DC":
        hinges = (*base.hinges[:3], last)
        model = replace(base, hinges=hinges, cuts=(cut,), q0=(), v0=())
        solver = mstmm.compile(model, target=target)
        q, v = solver.project([near[n] for n in model.coordinates], 0 * model_speeds(model), t=0.7)
        assert np.abs(np.concatenate(solver.constraints(q, v, t=0.7))).max() < 1e-11
        loads = dict(
            zip((e[0] for e in solver.ends), solver.joint_loads(q, v, t=0.7), strict=False)
        )
        drive = solver.driving_forces(q, v, t=0.7)
        found.append(np.concatenate([solver.poses(q, t=0.7)[:, :2].ravel(), drive, loads["1"]]))
        run = solver.simulate(q, v, t_end=0.05, dt=1e-3)
        assert run["constraint_position"].values.max() < 1e-10
    compare(found[0], found[1], 1e-9)


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
    proof = mstmm.validate(inverse, points=3)
    assert proof.ok, proof.worst
    last = replace(HINGES[3], motion=(TIME / 5 - run.q[0].sum(),))
    driven = replace(loop_models.four_bar(), hinges=(*HINGES[:3], last), cuts=("D",), q0=(), v0=())
    solver = mstmm.compile(driven, target="numpy")
    inverse = mstmm.compile(driven, target=TARGET, algorithm="rnea-body")
    q, v = solver.project(run.q[0], [0, 0, 0], t=0.7)
    a = solver.accelerations(q, v, t=0.7)
    found = inverse.inverse_drives(q, v, a, t=0.7, passive=driven.speeds)
    compare(found, solver.driving_forces(q, v, t=0.7), 1e-9)


def test_passive_speeds_that_cannot_be_so_are_refused() -> None:
    model = MECHANISMS["four-bar"]()
    inverse = mstmm.compile(model, target="numpy", algorithm="rnea-body")
    q, v = mstmm.compile(model, target="numpy").project(model.q0, model.v0)
    with pytest.raises(NumericsError, match="along uA, uB, uC cannot all vanish"):
        inverse.inverse_dynamics(q, v, [3.0, 2.0, 1.0], passive=model.speeds)
    with pytest.raises(UsageError, match="there is no speed 'uD'; there are: uA, uB, uC"):
        inverse.inverse_dynamics(q, v, v, passive=("uD",))
    with pytest.raises(UsageError, match="sequence of names"):
        inverse.inverse_dynamics(q, v, v, passive="uA")
    with pytest.raises(UsageError, match=r"does not compute correction.*'riccati'"):
        inverse.project(q, v)


@pytest.mark.parametrize("target", TARGETS)
def test_validation_stays_sound_where_the_solve_switches(target: str) -> None:
    """A four-bar stretched but for an angle at which a pivot is all but the cut-off."""
    base = replace(loop_models.four_bar(), ground=(Point("P", (4.5, 0.0)),))
    solver = mstmm.compile(base, target=target)

    def is_sound(angle: float) -> bool:
        flat = solver._results("compliance", [angle, 0, 0], [0, 0, 0], 0.0, None, None, None)
        first, between, second = flat["Lam"]
        return bool(min(first, second - between**2 / first) > CUT_OFF * max(first, second))

    low, high = 1e-7, 1e-2
    assert (is_sound(low), is_sound(high)) == (False, True)
    for _ in range(60):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if is_sound(middle) else (middle, high)
    judge = _Judge(solver)
    chooser = Random(0)
    given = {"v": [0.3, -0.2, 0.1], "c": [0.2, -0.1]}
    with mpmath.workdps(50):
        for part in (-1e-3, -1e-7, -1e-15, 0.0, 1e-15, 1e-7, 1e-3):
            judge.point({"q": [high * (1 + part), 0.0, 0.0], **given}, chooser)
    assert judge.proof(7).ok, judge.proof(7).worst


HINGES = loop_models.four_bar().hinges

BAD = {
    "no such hinge": ({"cuts": ("X",)}, "no hinge 'X'"),
    "bodies fall off": ({"cuts": ("A", "B")}, "fall off"),
    "a point twice": ({"ground": (Point("P", (0, 0)), Point("P", (1, 0)))}, "2 times"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_loop_is_refused(case: str) -> None:
    changes, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        replace(loop_models.four_bar(), q0=(), v0=(), **changes)


def test_loop_that_cannot_move_is_refused() -> None:
    base = loop_models.four_bar()
    welded = (replace(base.hinges[0], kind="fixed"), replace(base.hinges[1], kind="fixed"))
    twice = Hinge("X", "pin", (End("2", "b"), End("0", "P")))
    model = replace(
        base, bodies=base.bodies[:2], hinges=(*welded, twice), cuts=("X",), q0=(), v0=()
    )
    with pytest.raises(ModelError, match="hinge X: closes a loop in which nothing can move"):
        joint_program(plan(model))


def mutants(
    program: Program, sources: tuple[str, ...] = (COLUMNS, CONDITION)
) -> Iterator[tuple[str, Program]]:
    """One thousandth added to one entry of one statement of the loops' kernels at a time."""
    kernels = [call.kernel for step in program.steps for call in step.calls]
    for kernel in dict.fromkeys(kernels):
        for number, statement in enumerate(kernel.statements):
            if isinstance(statement, Let) and statement.source in sources:
                for i, j in statement.port.entries:
                    value = statement.value.copy()
                    value[i, j] += sp.Rational(1, 1000)
                    changed = list(kernel.statements)
                    changed[number] = replace(statement, value=value)
                    other = replace(kernel, statements=tuple(changed))
                    name = f"{kernel.name}: {statement.port.name}[{i},{j}]"
                    yield name, _with(program, kernel, other)


def _with(program: Program, kernel: Kernel, other: Kernel) -> Program:
    return replace(
        program,
        steps=tuple(
            replace(
                step,
                calls=tuple(
                    replace(call, kernel=other) if call.kernel is kernel else call
                    for call in step.calls
                ),
            )
            for step in program.steps
        ),
    )


def test_every_change_of_the_loops_kernels_is_seen() -> None:
    base = MECHANISMS["slider-crank"]()
    points = (Point("a", (0.1, -0.2), 0.3), Point("b", (0.3, 0.1), -0.4))
    kinds = ("slot", "slot", "prismatic", "slot")
    model = replace(
        base,
        bodies=(*base.bodies[:2], replace(base.bodies[2], points=points)),
        hinges=tuple(replace(h, kind=k) for h, k in zip(base.hinges, kinds, strict=True)),
        ground=(replace(base.ground[0], axes=0.2),),
        cuts=("C",),
        gravity=(3.0, -9.81),
        q0=(),
        v0=(),
    )
    q, v = mstmm.compile(model, target="numpy").project(
        [0.1, 0.7, 0.1, -1.0, 0.9, 0.2], [0.4, 1.0, -0.5, 0.8, 0.3, -0.9]
    )
    program = joint_program(plan(model))
    entries = ("joint_loads", "constraints", "jacobian", "correction", "compliance")
    arguments = {"q": [*q], "v": [*v], "c": [0.3, -0.2, 0.5][: len(program.sets["conditions"])]}

    def everything(of: Program) -> Array:
        runs = Interpreter(of, FLOAT)
        found = [runs.results(entry, arguments) for entry in entries]
        return np.array([x for each in found for values in each.values() for x in values], float)

    right = everything(program)
    unseen = [
        name for name, mutant in mutants(program) if np.abs(everything(mutant) - right).max() < 1e-9
    ]
    assert unseen == []


@pytest.mark.parametrize("kind", ["slot", "free"])
def test_every_change_of_a_cut_force_is_seen(kind: str) -> None:
    model, _ = loop_models.loop_model(Random(7), 2, 2, 1, (kind,), False, "loaded")
    q, v = model.q0, [0.4, -0.7, 0.3, 0.9, -0.2, 0.5][: len(model.speeds)]
    program = joint_program(plan(model))

    def everything(of: Program) -> Array:
        given = {"q": [*q], "v": [*v], "t": [0.3], "c": [0.0] * len(of.sets["conditions"])}
        return np.array(Interpreter(of, FLOAT).results("joint_loads", given)["loads"], float)

    right = everything(program)
    made = list(mutants(program, (MEASURED, PUSH)))
    unseen = [name for name, mutant in made if np.abs(everything(mutant) - right).max() < 1e-9]
    assert len(made) > 20
    spare = {"R[0,1]", "R[1,1]"} | ({"p[1,0]", "pd[1,0]"} if kind == "slot" else set())
    assert {name.split(": ")[1] for name in unseen} == spare


def test_bad_names_of_ground_points_and_repeated_cuts_are_refused() -> None:
    four_bar = MECHANISMS["four-bar"]()
    with pytest.raises(ModelError, match="'a b' is no name"):
        replace(four_bar, ground=(*four_bar.ground, Point("a b", (0.0, 0.0))))
    with pytest.raises(ModelError, match="is named 2 times"):
        replace(four_bar, cuts=four_bar.cuts * 2)
