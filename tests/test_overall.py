"""The overall transfer equation: against the independent judges and the Riccati method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType, SimpleNamespace

import loop_models
import numpy as np
import pytest
import random_models
from compiler import TARGET, TARGETS
from coupled_models import with_couplings, with_rotors
from independent.joints import joint_motion
from independent.loops import loop_motion
from independent.newton_euler import newton_euler

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.interpreter import FLOAT, Interpreter
from mstmm.codegen.validate import validate
from mstmm.errors import NumericsError, UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.quantities import TIME, hinge_symbol
from mstmm.model.types import HINGE_KINDS
from mstmm.runtime.backend import NumpyModule
from mstmm.symbolic.overall import overall_program
from mstmm.symbolic.plan import plan

#: Relative to the largest number; the conditions of the systems' matrices are 1e5 at worst.
TOLERANCE = 1e-10

Array = np.ndarray


def compare(found: Array | Sequence[float], expected: Array, tolerance: float = TOLERANCE) -> None:
    expected = np.array(expected, dtype=float)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(np.asarray(found, dtype=float) - expected).max(initial=0.0) <= tolerance * scale


def loaded(rng: Random, model: Model) -> tuple[Array, Array, Array]:
    """Random forces: tau, and external loads as the program and as the solver take them."""
    f = random_models.random_wrenches(rng, model)
    wrenches = np.zeros((len(model.bodies), 6))
    if model.dimension == 2:
        wrenches[:, [3, 4, 2]] = f
    else:
        wrenches[:, [3, 4, 5, 0, 1, 2]] = f
    return np.array([rng.uniform(-3, 3) for _ in model.speeds]), f, wrenches


def interpreted(model: Model, entry: str, **arguments: Array) -> dict[str, Array]:
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    program = overall_program(plan(model), forced="tau" in arguments)
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def ends_of(model: Model) -> tuple[str, ...]:
    return overall_program(plan(model)).sets["ends"]


EACH_KIND = [(d, kind) for d in (2, 3) for kind in [*HINGE_KINDS[d], None]]


@pytest.mark.parametrize(("dimension", "kind"), EACH_KIND)
def test_trees_of_each_kind_of_hinge(dimension: int, kind: str | None) -> None:
    for bodies in (1, 4):
        rng = Random(f"{dimension}{kind}{bodies}")
        model = random_models.joint_tree(rng, dimension, kind and [kind], bodies)
        q, v = np.array(model.q0), np.array(model.v0)
        tau, f, wrenches = loaded(rng, model)
        expected = joint_motion(model, q, v, tau, wrenches)
        found = interpreted(model, "joint_loads", q=q, v=v, tau=tau, f=f)
        compare(found["a"], expected.accelerations)
        compare(found["loads"], np.concatenate([expected.loads[end] for end in ends_of(model)]))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(2))
def test_compiled_trees(seed: int, target: str) -> None:
    rng = Random(50 + seed)
    model = random_models.joint_tree(rng, 2 + seed % 2, bodies=6)
    q, v = random_models.random_joint_state(rng, model)
    tau, _, wrenches = loaded(rng, model)
    solver = mstmm.compile(model, algorithm="overall", target=target)
    for forces in ({}, {"tau": tau, "wrenches": wrenches}):
        expected = joint_motion(model, q, v, **forces)
        compare(solver.accelerations(q, v, **forces), expected.accelerations)
        loads = np.array([expected.loads[end] for end in solver.ends])
        compare(solver.joint_loads(q, v, **forces), loads)
    compare(solver.poses(q), expected.poses)
    compare(solver.energy(q, v), expected.energy)


#: Without redundant conditions: one cut or two, some to the ground, some sharing bodies.
LOOPS = [(2, seed) for seed in (0, 1, 2, 3, 7, 13)] + [(3, seed) for seed in (0, 2, 6, 18, 33)]


@pytest.mark.parametrize(("dimension", "seed"), LOOPS)
def test_random_loops(dimension: int, seed: int) -> None:
    """Loops within a tree, to the ground, and across each other; none redundant."""
    rng = Random(100 * dimension + seed)
    kinds, bodies = LOOSE[dimension], rng.randint(4, 6)
    assert check_loops(*loop_models.loop_model(rng, dimension, bodies, 1 + seed % 2, kinds), rng)


def check_loops(model: Model, places: dict[str, list[float]], rng: Random, t: float = 0.0) -> bool:
    """Against the judge, at the model's own place; False where conditions are redundant."""
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)), at=places, t=t)
    v = loop_models.allowed_speeds(rng, at_rest.jacobian, at_rest.opening)
    tau, f, wrenches = loaded(rng, model)
    expected = loop_motion(model, q, v, tau, wrenches, at=places, t=t)
    if expected.redundant:
        return False
    given = {"q": q, "v": v, "tau": tau, "f": f, "t": np.array([t])}
    found = interpreted(model, "joint_loads", **given)
    compare(found["a"], expected.accelerations, 1e-8)
    loads = {**expected.tree.loads, **expected.cut_loads}
    compare(found["loads"], np.concatenate([loads[end] for end in ends_of(model)]), 1e-8)
    if expected.drives:
        needed = interpreted(model, "driving_forces", **given)["drive"]
        compare(needed, np.concatenate(list(expected.drives.values())), 1e-8)
    return True


@pytest.mark.parametrize("acting", ["loaded", "driven"])
def test_cuts_with_force_laws_and_drives(acting: str) -> None:
    judged = 0
    for kind in ("pin", "slot") if acting == "loaded" else ("pin", "prismatic"):
        for grounded in (False, True):
            rng = Random(f"{kind}{acting}{grounded}")
            made = loop_models.loop_model(rng, 2, 4, 1, (kind,), grounded, acting, 0.7)
            judged += check_loops(*made, rng, 0.7)
    assert judged >= 3


@pytest.mark.parametrize("dimension", [2, 3])
def test_rotors_and_couplings(dimension: int) -> None:
    coupled = 0
    for seed in range(4):
        rng = Random(seed)
        kinds = ("pin", "prismatic") if dimension == 2 else ("revolute", "prismatic", "ball")
        tree = random_models.joint_tree(rng, dimension, kinds, 5)
        model = with_couplings(rng, with_rotors(rng, tree), 2)
        assert any(hinge.rotor for hinge in model.hinges)
        coupled += sum(hinge.mimic is not None for hinge in model.hinges)
        assert check_loops(model, {}, rng)
    assert coupled >= 4


#: Kinds of cuts with few conditions, so that they are seldom redundant.
LOOSE = {2: ("pin", "slot"), 3: ("ball", "planar", "universal")}


@pytest.mark.parametrize("target", TARGETS)
def test_four_bar(target: str) -> None:
    """Accelerations and loads, projection and motion of a closed loop, as the Riccati method's."""
    model = replace(loop_models.four_bar(), q0=(0.9, -0.5, -1.0), v0=(0.3, 0.3, 0.3))
    overall, riccati = (
        mstmm.compile(model, algorithm=name, target=target) for name in ("overall", "riccati")
    )
    q, v = overall.project(model.q0, model.v0)
    compare(np.concatenate([q, v]), np.concatenate(riccati.project(model.q0, model.v0)))
    expected = loop_motion(model, q, v)
    compare(overall.accelerations(q, v), expected.accelerations)
    loads = {**expected.tree.loads, **expected.cut_loads}
    compare(overall.joint_loads(q, v), np.array([loads[end] for end in overall.ends]))
    runs = [solver.simulate(t_end=0.1, dt=1e-3) for solver in (overall, riccati)]
    compare(runs[0].q, runs[1].q, 1e-9)


@pytest.mark.parametrize("cut", "ABCD")
def test_each_cut_of_the_four_bar(cut: str) -> None:
    """To the ground on either side, or between two trees with a root each."""
    start = replace(loop_models.four_bar(), q0=(0.9, -0.5, -1.0), v0=(0.3, 0.3, 0.3))
    closed = mstmm.compile(start, target="numpy")
    q, v = closed.project(start.q0, start.v0)
    turned = closed.poses(q)
    # The cut hinge's own angle and speed: all angles, and all speeds, add up to none.
    angles = {"A": q[0], "B": q[1], "C": q[2], "D": -np.arctan2(turned[2, 1, 0], turned[2, 0, 0])}
    speeds = {"A": v[0], "B": v[1], "C": v[2], "D": -v.sum()}
    model = replace(start, cuts=(cut,), q0=(), v0=())
    place = np.array([angles[name[1:]] for name in model.coordinates])
    speed = np.array([speeds[name[1:]] for name in model.speeds])
    expected = loop_motion(model, place, speed)
    found = interpreted(model, "joint_loads", q=place, v=speed)
    compare(found["a"], expected.accelerations)
    loads = {**expected.tree.loads, **expected.cut_loads}
    compare(found["loads"], np.concatenate([loads[end] for end in ends_of(model)]))


@pytest.mark.parametrize("target", TARGETS)
def test_redundant_loops_are_singular(target: str) -> None:
    model = replace(loop_models.four_bar(3, ("revolute",) * 4), q0=(0.9, -0.5, -1.0))
    solver = mstmm.compile(model, algorithm="overall", target=target)
    q, v = solver.project(model.q0, model.v0)
    with pytest.raises(NumericsError, match="singular"):
        solver.accelerations(q, v)


@pytest.mark.parametrize("name", ["rod-chain:n=1", "branch-pendulum", "branch-system:N=25"])
@pytest.mark.parametrize("target", TARGETS)
def test_absolute_coordinates_in_the_plane(name: str, target: str) -> None:
    model = mstmm.load(name)
    rng = Random(name)
    q, v = random_models.random_state(rng, 2, len(model.bodies))
    tau, f, wrenches = loaded(rng, model)
    solver = mstmm.compile(model, algorithm="overall", target=target)
    for forces, load in (({}, (None, None)), ({"tau": tau, "wrenches": wrenches}, (f, tau))):
        expected = newton_euler(model, q, v, *load)
        compare(solver.accelerations(q, v, **forces), expected.accelerations)
        loads = solver.joint_loads(q, v, **forces)
        compare(loads[:, 3:5], np.array([expected.forces[end] for end in solver.ends]))
        assert np.abs(loads[:, :3]).max() <= 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_absolute_coordinates_in_space(seed: int) -> None:
    rng = Random(seed)
    model = random_models.spatial_tree(rng, 6)
    q, v = random_models.random_state(rng, 3, len(model.bodies))
    tau, f, _ = loaded(rng, model)
    expected = newton_euler(model, q, v, f, tau)
    found = interpreted(model, "joint_loads", q=q, v=v, tau=tau, f=f)
    compare(found["a"], expected.accelerations)
    forces = found["loads"].reshape(-1, 6)[:, 3:]
    compare(forces, np.array([expected.forces[end] for end in ends_of(model)]))


def two_pendulums() -> Model:
    """Two bodies, each hinged to a ground point of its own; one of them carries a slider."""
    ends = (Point("a", (0.0, 0.1)), Point("b", (0.7, 0.0), 0.3))
    bodies = tuple(Body(name, 1.5, 0.2, (0.3, 0.05), ends) for name in ("1", "2"))
    slider = Body("3", 0.4, 0.01, (0.1, 0.0), (Point("a", (0.0, 0.0)),))
    hinges = (
        Hinge("A", "pin", (End(GROUND, "O"), End("1", "a"))),
        Hinge("B", "pin", (End("2", "a"), End(GROUND, "P"))),
        Hinge("C", "prismatic", (End("1", "b"), End("3", "a"))),
    )
    ground = (Point("O", (0.0, 0.0)), Point("P", (2.0, 0.5), 0.4))
    return Model("two", 2, (*bodies, slider), hinges, (0.0, -9.81), absolute=False, ground=ground)


@pytest.mark.parametrize("target", TARGETS)
def test_several_roots(target: str) -> None:
    model = two_pendulums()
    solver = mstmm.compile(model, algorithm="overall", target=target)
    q, v = [0.4, -1.0, 0.2], [1.0, -2.0, 0.5]
    expected = mstmm.compile(model, target=target)
    compare(solver.accelerations(q, v), expected.accelerations(q, v))
    compare(solver.joint_loads(q, v), expected.joint_loads(q, v))


def with_laws() -> Model:
    """Force laws in two hinges, one of them of the time; the third is driven."""
    q1, u1 = hinge_symbol("q", 1), hinge_symbol("u", 1)
    first, second, third = two_pendulums().hinges
    return replace(
        two_pendulums(),
        hinges=(
            replace(first, motion=(0.3 * TIME**2 - TIME,)),
            replace(second, force=(-2 * q1 - u1 / 3,)),
            replace(third, force=(TIME - 5 * q1,)),
        ),
        q0=(),
        v0=(),
    )


@pytest.mark.parametrize("target", TARGETS)
def test_force_laws_and_driven_hinges(target: str) -> None:
    model = with_laws()
    overall, riccati = (
        mstmm.compile(model, algorithm=name, target=target) for name in ("overall", "riccati")
    )
    q, v, tau, t = [-1.0, 0.2], [-2.0, 0.5], [0.3, -0.7], 0.8
    for name in ("accelerations", "joint_loads", "driving_forces"):
        for forces in (None, tau):
            found = [getattr(solver, name)(q, v, forces, t=t) for solver in (overall, riccati)]
            compare(*found)


def test_run_time_parameters_and_batches() -> None:
    model = mstmm.load("rod-chain", n=4)
    for target in dict.fromkeys((TARGET, "numpy")):
        overall, riccati = (
            mstmm.compile(model, algorithm=name, target=target, parameters=("m", "a", "g"))
            for name in ("overall", "riccati")
        )
        rng = np.random.default_rng(0)
        q, v = rng.uniform(-2, 2, (2, 3, 4)), rng.uniform(-2, 2, (3, 4))
        given = {"m": 2.0, "a": 0.7, "g": 3.0}
        found = [solver.accelerations(q, v, parameters=given) for solver in (overall, riccati)]
        assert found[0].shape == (2, 3, 4)
        compare(*found)


def test_one_rod_by_hand() -> None:
    """Pinned at its end, horizontal: 3 g / 2 l, and the pin carries a quarter of the weight."""
    found = interpreted(mstmm.load("rod-chain", n=1), "joint_loads", q=[0], v=[0])
    assert abs(found["a"][0]) == pytest.approx(1.5 * 9.81, rel=1e-14)
    assert found["loads"][4] == pytest.approx(-9.81 / 4, rel=1e-13)


def test_the_equation_itself() -> None:
    """Size, names, and that the hinges' own unknowns are the accelerations."""
    model = two_pendulums()
    solver = mstmm.compile(model, algorithm="overall", target="numpy")
    assert len(solver.unknowns) == 2 * 3 + len(model.speeds) + 2 * 3
    q, v = [0.4, -1.0, 0.2], [1.0, -2.0, 0.5]
    matrix, right = solver.overall_equation(q, v)
    assert matrix.shape == (15, 15)
    found = dict(zip(solver.unknowns, np.linalg.solve(matrix, right), strict=True))
    compare([found[name] for name in solver.speeds], solver.accelerations(q, v))
    with pytest.raises(UsageError, match="algorithm='overall'"):
        mstmm.compile(model, target="numpy").overall_equation(q, v)
    assert mstmm.compile(model, target="numpy").unknowns == ()


def test_no_states_in_lanes() -> None:
    with pytest.raises(UsageError, match="overall has no target 'c-batch'"):
        generate(mstmm.load("rod-chain", n=1), algorithm="overall", target="c-batch")


def models_to_prove() -> dict[str, Model]:
    kinds = tuple(HINGE_KINDS[3])
    return {
        "branch": mstmm.load("branch-pendulum"),
        "joint chain": replace(mstmm.load("rod-chain", n=10), absolute=False, q0=(), v0=()),
        "space": random_models.joint_tree(Random(4), 3, kinds, bodies=3),
        "loop": loop_models.slider_crank(),
        "laws": with_laws(),
    }


@pytest.mark.parametrize("name", models_to_prove())
def test_generated_code_is_proven(name: str) -> None:
    for target in dict.fromkeys((TARGET, "numpy")):
        solver = mstmm.compile(models_to_prove()[name], algorithm="overall", target=target)
        proof = validate(solver, points=1)
        assert proof.ok, proof.worst


def test_a_planted_wrong_sign_is_named() -> None:
    generated = generate(mstmm.load("branch-pendulum"), algorithm="overall", target="numpy")
    name = "branch_pendulum.py"
    source = generated.sources.files[name]
    start = source.index("def _carried(")
    lines = [line for line in source[start:].split("\ndef ")[0].splitlines() if " + " in line]
    chosen = [line for line in lines if re.match(r"    \w+ = ", line) and "first" not in line]
    assert len(chosen) > 5
    for line in Random(1).sample(chosen, 3):
        wrong = source[:start] + source[start:].replace(line, line.replace(" + ", " - ", 1), 1)
        files = MappingProxyType({**generated.sources.files, name: wrong})
        backend = NumpyModule(replace(generated.sources, files=files))
        solver = SimpleNamespace(target="numpy", generated=generated, backend=backend)
        proof = validate(solver, points=1)
        assert not proof.ok, line
        assert proof.worst.startswith("carried: "), (line, proof.worst)


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_source_does_not_grow_with_a_uniform_chain(target: str) -> None:
    """Numbers apart, which grow longer; the state in `example_main.c` is one of them."""
    name = "rod_chain.c" if target == "c" else "rod_chain.py"

    def source(n: int) -> str:
        model = replace(mstmm.load("rod-chain", n=n), absolute=False, q0=(), v0=())
        text = generate(model, algorithm="overall", target=target).sources.files[name]
        # The table of costs in the head is as wide as its numbers.
        return re.sub(r"\d+", "", re.sub(r"\A/\*.*?\*/", "", text, flags=re.DOTALL))

    assert source(40) == source(80)


def test_columns_active_at_an_end_are_those_upstream() -> None:
    """Half the square of the chain's length: no column is carried where it is not needed."""
    program = overall_program(plan(mstmm.load("rod-chain", n=50)))
    assert program.arrays["ac"].count(0) == 3 + sum(3 + k for k in range(1, 51))
    spans = dict(zip(program.sets["carried"], program.arrays["ac"].columns, strict=True))
    tree = plan(mstmm.load("branch-pendulum"))
    spans = dict(
        zip(
            overall_program(tree).sets["carried"],
            overall_program(tree).arrays["ac"].columns,
            strict=True,
        )
    )
    for link in tree.links:
        start, stop = spans[link.name]
        inside = [spans[child] for child in link.children]
        assert sum(b - a for a, b in inside) + (0 if inside else 3) + 1 == stop - start
