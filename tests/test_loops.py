"""Closed loops in joint coordinates against the judge that tries wrenches on the open tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from compiler import TARGET, TARGETS
from independent.joints import joint_motion
from independent.loops import LoopMotion, loop_motion
from independent.tree import extended

import mstmm
from mstmm.codegen.interpreter import FLOAT, Interpreter
from mstmm.errors import ModelError, NumericsError
from mstmm.model import Body, End, Hinge, Model, Point
from mstmm.model.types import TIME, parameter
from mstmm.symbolic.jointprogram import joint_program
from mstmm.symbolic.loopkernels import COLUMNS, CONDITION
from mstmm.symbolic.plan import plan
from mstmm.symbolic.program import Kernel, Let, Program

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


def check(model: Model, rng: Random) -> LoopMotion:
    """At the model's own place and random speeds that its loops allow, loaded by forces."""
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)))
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    size = 3 if model.dimension == 2 else 6
    f = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
    wrenches = np.zeros((len(model.bodies), 6))
    if size == 3:
        wrenches[:, [3, 4, 2]] = f
    else:
        wrenches[:, [3, 4, 5, 0, 1, 2]] = f
    expected = loop_motion(model, q, v, tau, wrenches)
    gaps = results(model, "constraints", q=q, v=v)
    assert np.abs(gaps["phi"]).max() < 1e-13
    assert np.abs(gaps["phid"]).max() < 1e-11
    found = results(model, "joint_loads", forced=True, q=q, v=v, tau=tau, f=f)
    compare(found["a"], expected.accelerations)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(found["loads"], np.concatenate([given[end] for end in ends_of(model)]))
    return expected


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(100 * dimension + seed)
    bodies = rng.randint(2, 7)
    check(loop_models.loop_model(rng, dimension, bodies, rng.randint(1, 3)), rng)


KINDS = [(d, kind) for d, kinds in loop_models.CUTTABLE.items() for kind in kinds]


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
@pytest.mark.parametrize("grounded", [False, True])
def test_every_kind_of_cut(dimension: int, kind: str, grounded: bool) -> None:
    rng = Random(f"{dimension}{kind}{grounded}")
    for _ in range(3):
        check(loop_models.loop_model(rng, dimension, 6, 1, (kind,), grounded), rng)


def test_judge_in_fifty_digits_agrees() -> None:
    rng = Random(5)
    model = loop_models.loop_model(rng, 3, 4, 1, ("revolute",))
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


def six_bars() -> Model:
    """Deduction paper, Example 2: unit squares; a ring of six hangs on the first."""

    def square(name: str, **points: tuple[float, float]) -> Body:
        return Body(name, 1.0, 1 / 6, (0, 0), tuple(Point(n, p) for n, p in points.items()))

    left, right, up, down = (-0.5, 0.0), (0.5, 0.0), (0.5, 0.5), (0.5, -0.5)
    hinges = {
        "0": ("0:O", "1:a"),
        "2": ("1:b", "3:a"),
        "4": ("3:b", "5:a"),
        "6": ("5:b", "7:a"),
        "8": ("7:b", "9:a"),
        "10": ("3:c", "11:a"),
        "12": ("11:b", "13:a"),
        "14": ("13:b", "9:b"),
    }
    return Model(
        "six-bars",
        2,
        (
            square("1", a=left, b=right),
            square("3", a=left, b=up, c=down),
            *(square(name, a=left, b=right) for name in ("5", "7", "11", "13")),
            square("9", a=(-0.5, 0.5), b=(-0.5, -0.5)),
        ),
        tuple(Hinge(name, "pin", (End.parse(a), End.parse(b))) for name, (a, b) in hinges.items()),
        (0.0, -9.81),
        absolute=False,
        q0=(np.pi / 6, *(0.0,) * 6),
    )


def test_example_of_the_deduction_paper() -> None:
    """Reference numbers: angular accelerations at the start, the first body's angle in time."""
    model = six_bars()
    assert model.cuts == ("14",)
    solver = mstmm.compile(model, target=TARGET)
    a = solver.accelerations(model.q0, model.v0)
    expected = [-8.955140047354837, 0.24072058368847, 0.24740726656869, -0.0969569017634]
    found = [a[0], a[:2].sum(), a[:3].sum(), a[:4].sum()]
    assert np.abs(np.array(found) - expected).max() < 1e-12
    run = solver.simulate(t_end=2.0, dt=1e-3, record=0.5)
    angles = [-0.489262817782733, -0.853572555303880, -2.388953666558177, -3.186586105281423]
    assert np.abs(run.q[1:, 0] - angles).max() < 1e-8


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
def test_compiled_random_loops(seed: int) -> None:
    rng = Random(seed)
    model = loop_models.loop_model(rng, 2 + seed % 2, rng.randint(2, 6), 2)
    at_rest = loop_motion(model, model.q0, np.zeros(len(model.speeds)))
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    expected = loop_motion(model, model.q0, v).accelerations
    for target in dict.fromkeys((TARGET, "numpy")):
        compare(mstmm.compile(model, target=target).accelerations(model.q0, v), expected)


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


HINGES = loop_models.four_bar().hinges

BAD = {
    "no such hinge": ({"cuts": ("X",)}, "no hinge 'X'"),
    "bodies fall off": ({"cuts": ("A", "B")}, "fall off"),
    "a force law in every hinge": (
        {"hinges": tuple(replace(h, force=(1,)) for h in HINGES)},
        "force law",
    ),
    "driven": (
        {"hinges": (*HINGES[:3], replace(HINGES[3], motion=(0,))), "cuts": ("D",)},
        "driven",
    ),
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


def mutants(program: Program) -> Iterator[tuple[str, Program]]:
    """One thousandth added to one entry of one statement of the loops' kernels at a time."""
    kernels = [call.kernel for step in program.steps for call in step.calls]
    for kernel in dict.fromkeys(kernels):
        for number, statement in enumerate(kernel.statements):
            if isinstance(statement, Let) and statement.source in (COLUMNS, CONDITION):
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
    entries = ("joint_loads", "end_states", "constraints", "correction", "compliance")
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


def test_bad_names_of_ground_points_and_repeated_cuts_are_refused() -> None:
    four_bar = MECHANISMS["four-bar"]()
    with pytest.raises(ModelError, match="'a b' is no name"):
        replace(four_bar, ground=(*four_bar.ground, Point("a b", (0.0, 0.0))))
    with pytest.raises(ModelError, match="is named 2 times"):
        replace(four_bar, cuts=four_bar.cuts * 2)
