"""Divide and conquer: accelerations, velocities and momentum rates, judged by dense solutions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
from closeness import close
from compiler import TARGET, TARGETS
from divided_checks import (
    Array,
    along,
    condition,
    constrained,
    jacobian,
    mass_matrix,
    mechanism,
)
from divided_models import HUBS, boxes, case, rods, tree
from independent.joints import joint_motion
from independent.loops import loop_motion
from loop_checks import MECHANISMS, REDUNDANT
from loop_models import bar
from places import DATA as ALL_DATA
from proofs import proof_of_blocks
from reading import FORCE_FIRST, Reading
from sizes import covered

import mstmm
from mstmm.codegen.lower import lower
from mstmm.errors import UsageError
from mstmm.model import Body, End, Hinge, Model, Point, load
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.model.parts.forces import Load
from mstmm.symbolic.language.program import Ref
from mstmm.symbolic.methods.divide.program import dca_program, hdca_program
from mstmm.symbolic.plans.plan import plan

SLOW = pytest.mark.slow

DATA = ALL_DATA / "divide-and-conquer-paper" / "vectors_planar.json"

#: Relative to the largest number, where the loops' system has a condition up to 100.
TOLERANCE = 1e-12


def seeds(dimension: int, fast: int, all_of_them: int) -> list[object]:
    """Seeds of a dimension, the later ones for the slow run."""
    return [
        pytest.param(dimension, k, marks=[pytest.mark.slow] if k >= fast else [])
        for k in range(all_of_them)
    ]


@pytest.mark.parametrize(("dimension", "seed"), [*seeds(2, 4, 12), *seeds(3, 1, 12)])
def test_random_mechanisms(dimension: int, seed: int) -> None:
    model, places, found = mechanism(seed, dimension)
    rng = Random(seed)
    q, n = np.array(model.q0), len(model.speeds)
    M, J = mass_matrix(model, q), jacobian(model, q, places)
    p = np.array([rng.uniform(-2, 2) for _ in range(n)])
    v = found("velocities", q=q, mom=p)["vel"]
    tolerance = TOLERANCE * max(1.0, condition(M, J) / 100)
    close(v, constrained(M, J, p), tolerance)
    close(found("regauge", q=q, mom=p)["pg"], M @ v, tolerance)
    close(found("momenta", q=q, v=v)["pn"], M @ v, TOLERANCE)

    tau = np.array([rng.uniform(-2, 2) for _ in range(n)])
    f = random_models.random_wrenches(rng, model)
    wrenches = np.zeros((len(model.bodies), 6))
    wrenches[:, FORCE_FIRST[dimension]] = f
    a = found("accelerations", q=q, v=v, tau=tau, f=f)["a"]
    if model.cuts:
        expected = loop_motion(model, q, v, tau, wrenches, at=places).accelerations
    else:
        expected = joint_motion(model, q, v, tau, wrenches).accelerations
    close(a, np.array(expected, dtype=float), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("dimension", [2, 3])
def test_velocities_at_a_thousand_states(dimension: int) -> None:
    """Twenty momenta for each of fifty mechanisms, half of them in the plane."""
    for seed in range(100, 125):
        model, places, found = mechanism(seed, dimension)
        q, rng = np.array(model.q0), Random(seed)
        M, J = mass_matrix(model, q), jacobian(model, q, places)
        for _ in range(20):
            p = np.array([rng.uniform(-2, 2) for _ in model.speeds])
            close(found("velocities", q=q, mom=p)["vel"], constrained(M, J, p), TOLERANCE)


@pytest.mark.parametrize(("dimension", "seed"), [*seeds(2, 5, 9), *seeds(3, 1, 9)])
def test_momentum_rates_are_those_of_the_true_motion(dimension: int, seed: int) -> None:
    """At impulses of any size, along a motion that accelerations give."""
    rng = Random(seed)
    model, found, J = regular(seed, dimension)
    q = np.array(model.q0)
    v = loop_models.allowed_speeds(rng, J)
    sigma = np.array([rng.uniform(-2, 2) for _ in found.program.sets["conditions"]])
    p = found("momenta", q=q, v=v, sigma=sigma)["pn"]
    rates = found("momentum_rates", q=q, mom=p)
    close(rates["vel"], v, 1e-10)
    if len(sigma):
        close(found("velocities", q=q, mom=p)["sig"], sigma, 1e-9)
    difference = along(found, q, v, lambda q, v: found("momenta", q=q, v=v, sigma=sigma)["pn"])
    forces = multipliers(found, q, v)
    difference += found("momenta", q=q, sigma=forces)["pn"]  # −Jᵀ λ, as σ grows by λ
    close(rates["pd"], difference, 1e-11)


def regular(seed: int, dimension: int) -> tuple[Model, Reading, Array]:
    """A random mechanism of which no condition is redundant, so that σ is what it is."""
    while True:
        model, places, found = mechanism(seed, dimension)
        J = jacobian(model, np.array(model.q0), places)
        if np.linalg.matrix_rank(J, 1e-3) == len(J):
            return model, found, J
        seed += 30


def multipliers(found: Reading, q: Array, v: Array) -> Array:
    """The forces of the cuts, as the accelerations have them."""
    values = found.values("joint_loads", q=q, v=v)
    at = {ref.member: x for ref, x in values.items() if _is_force(ref)}
    cuts = dict.fromkeys(name.rsplit("_", 1)[0] for name in found.program.sets["conditions"])
    return np.array([x for cut in cuts for x in at[cut]], dtype=float)


def _is_force(ref: Ref) -> bool:
    return ref.array.startswith("sigma") and ref.array.endswith("d")


@covered(1, number=[1, 2, 3], target=TARGETS)
def test_reference_states_of_the_three_cases(number: int, target: str) -> None:
    states = json.loads(DATA.read_text(encoding="utf-8"))[f"case{number}"]["states"]
    solver = mstmm.compile(case(number), algorithm="hdca", target=target)

    def of(name: str) -> Array:
        return np.array([np.ravel(state[name]) for state in states])

    q, p, sigma = of("q"), of("p"), of("sigma_cut")
    qd, pd = solver.momentum_rates(q, p)
    close(qd, of("qd"), 1e-12)
    close(solver.velocities(q, p), of("qd"), 1e-12)
    close(pd, of("pdot"), 1e-12)
    close(solver.impulses(q, p), sigma, 1e-12)
    close(solver.momenta(q, of("qd"), sigma), p, 1e-12)
    close(solver.regauged(q, of("p_regauged")), of("p_regauged"), 1e-12)
    # The reference's accelerations and energies are of states up to 1e-10 from (q, p).
    close(solver.accelerations(q, of("qd")), of("qdd"), 1e-9)
    close(solver.energy(q, of("qd")), np.ravel(of("kinetic") + of("potential")), 1e-9)


TREES = {
    1: ("(1,(2,(3,4))),ground", "((1,ground),2),(3,4)", "(((4,ground),3),2),1"),
    3: (
        "((((1,2),(5,6)),((3,4),(7,8))),ground)",
        "((((((((1,ground),2),3),5),6),7),8),4)",
        "((1,(2,3)),(4,((5,6),(7,8)))),ground",
    ),
}


@pytest.mark.parametrize("number", TREES)
def test_any_assembly_tree_gives_the_same(number: int) -> None:
    model = case(number)
    given = json.loads(DATA.read_text(encoding="utf-8"))[f"case{number}"]["states"][3]
    q, p = np.array(given["q"]), np.array(given["p"])
    v = np.array(given["qd"])
    first = Reading(hdca_program(plan(model)))
    forces = first("accelerations", q=q, v=v)["a"]
    rates = first("momentum_rates", q=q, mom=p)["pd"]
    for text in TREES[number]:
        other = Reading(hdca_program(plan(model), assembly=text))
        close(other("momentum_rates", q=q, mom=p)["pd"], rates, 1e-11)
        close(other("accelerations", q=q, v=v)["a"], forces, 1e-11)


@covered(1, name=list(HUBS), dimension=[2, 3], target=TARGETS)
def test_hubs_take_branches_in(name: str, dimension: int, target: str) -> None:
    """The same motion as by Newton and Euler, the same loads as by the Riccati method."""
    model = tree(HUBS[name], dimension)
    solver = mstmm.compile(model, algorithm="hdca", target=target)
    rng = np.random.default_rng(8)
    q = solver.retracted(model.q0 + 0.4 * rng.normal(size=len(model.q0)))
    v, tau = rng.normal(size=(2, len(model.speeds)))
    expected = joint_motion(model, q, v, tau, np.zeros((len(model.bodies), 6))).accelerations
    close(solver.accelerations(q, v, tau), np.array(expected, dtype=float), 1e-11)
    p = solver.momenta(q, v)
    close(p, mass_matrix(model, q) @ v, 1e-12)
    close(solver.velocities(q, p), v, 1e-10)
    riccati = mstmm.compile(model, target="numpy")
    close(solver.joint_loads(q, v, tau), riccati.joint_loads(q, v, tau), 1e-11)


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=SLOW)])
def test_long_branches_are_gone_along_by_blocks(dimension: int) -> None:
    """A trunk of 40 bodies with a branch of 35, longer than what is gone along body by body."""
    model = tree([*range(-1, 39), 9, *range(40, 74), 20, 20, 76], dimension, 0.3)
    solver = mstmm.compile(model, algorithm="hdca", target="numpy")
    rng = np.random.default_rng(12)
    q = solver.retracted(model.q0 + 0.1 * rng.normal(size=len(model.q0)))
    v = 0.1 * rng.normal(size=len(model.speeds))
    riccati = mstmm.compile(model, target="numpy")
    expected = riccati.accelerations(q, v)
    close(solver.accelerations(q, v), expected, 1e-9)
    close(solver.energy(q, v), riccati.energy(q, v), 1e-12)
    close(solver.poses(q), riccati.poses(q), 1e-13)
    p = solver.momenta(q, v)
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    close(p, inverse.mass_matrix(q) @ v, 1e-12)
    qd, pd = solver.momentum_rates(q, p)
    close(qd, solver.rates(q, v), 1e-9)
    h = 1e-4  # what is cut off is some h² of the momenta
    there, here = (solver.momenta(q + x * qd, v + x * expected) for x in (h, -h))
    close(pd, (there - here) / (2 * h), 1e-6)


@pytest.mark.parametrize(
    ("hub", "dimension"), [("comb", 2), *(pytest.param(hub, 3, marks=SLOW) for hub in HUBS)]
)
def test_hubs_with_long_levers_are_refined(hub: str, dimension: int) -> None:
    """Their branches are merged with them: of their inertia no digit would be left in space."""
    model = tree(HUBS[hub], dimension, 1e4)
    solver = mstmm.compile(model, algorithm="hdca", target="numpy")
    assert "[" not in solver.assembly
    rng = np.random.default_rng(9)
    q = solver.retracted(model.q0 + 0.4 * rng.normal(size=len(model.q0)))
    v = rng.normal(size=len(model.speeds))
    expected = mstmm.compile(model, target="numpy").accelerations(q, v)
    close(solver.accelerations(q, v), expected, 1e-8)
    close(solver.velocities(q, solver.momenta(q, v)), v, 1e-6)


def test_a_given_tree_takes_in_no_branches_with_long_levers() -> None:
    ordinary = tree(HUBS["comb"])
    text = mstmm.compile(ordinary, algorithm="dca", target="numpy").assembly
    assert "[" in text
    dca = mstmm.Dca(assembly=text)
    said = r"tree: .*body2\[…\].* dca takes no levers as long as those of body\d; write"
    with pytest.raises(UsageError, match=said):
        mstmm.compile(tree(HUBS["comb"], 2, 1e4), algorithm=dca, target="numpy")


def test_a_floating_hub_leaves_its_bias_to_its_branches() -> None:
    """Of a free hinge nothing is held: what is nearest to the ground may be a branch's body."""
    model = tree((-1, 0, 0, 0, 0, 1, 2))
    free = replace(model.hinges[0], kind="free", ends=(End("0", "O"), End("body3", "tip")))
    bodies = tuple(
        replace(body, points=(*body.points, Point("tip", (0.3, 0.2))))
        if body.name == "body3"
        else body
        for body in model.bodies
    )
    model = replace(model, bodies=bodies, hinges=(free, *model.hinges[1:]), q0=(), v0=())
    solver = mstmm.compile(model, algorithm="dca", target="numpy")
    assert "body0[body4,body3]" in solver.assembly
    rng = np.random.default_rng(10)
    q, v = rng.normal(size=(2, len(model.speeds)))
    expected = mstmm.compile(model, target="numpy").accelerations(q, v)
    close(solver.accelerations(q, v), expected, 1e-11)


def test_side_by_side_on_the_ground() -> None:
    """Rockers that the ground holds one by one, and couplers that close loops between them."""
    model = boxes(5)
    solver = mstmm.compile(model, algorithm="hdca", target="numpy")
    riccati = mstmm.compile(model, target="numpy")
    rng = np.random.default_rng(11)
    q, v = riccati.project(np.add(model.q0, 0.3), rng.normal(size=len(model.speeds)))
    assert solver.redundant(q) == riccati.redundant(q) == 0
    close(solver.accelerations(q, v), riccati.accelerations(q, v), 1e-11)
    close(solver.joint_loads(q, v), riccati.joint_loads(q, v), 1e-11)
    close(solver.velocities(q, solver.momenta(q, v)), v, 1e-12)


def other_mechanism(name: str) -> Model:
    model = MECHANISMS[name]() if name in MECHANISMS else load(name)
    assert isinstance(model, Model)
    return model


@pytest.mark.parametrize(
    ("name", "target"),
    [
        *(("four-bar", target) for target in ("numpy", TARGET)),
        *((name, "numpy") for name in ("slider-crank", "double loop", "hanging", "ball-chain:n=3")),
        pytest.param("redundant", "numpy", marks=SLOW),
        *(
            pytest.param(name, TARGET, marks=SLOW)
            for name in ("example-2", "ball and revolutes", "cylinder and ball", "hanging")
        ),
    ],
)
def test_mechanisms_move_and_bear_as_by_the_riccati_method(name: str, target: str) -> None:
    model = hanging(12) if name == "hanging" else other_mechanism(name)
    divided = mstmm.compile(model, algorithm="dca", target=target)
    riccati = mstmm.compile(model, target="numpy")
    rng = np.random.default_rng(4)
    q, v = riccati.project(model.q0, rng.normal(size=len(model.speeds)))
    close(divided.accelerations(q, v), riccati.accelerations(q, v), 1e-10)
    if name not in REDUNDANT:  # whose loads are not determined
        close(divided.joint_loads(q, v), riccati.joint_loads(q, v), 1e-10)
    if model.cuts:
        near = divided.retracted(q + 1e-4 * rng.normal(size=len(q)))
        there, speeds = divided.project(near, v)
        gap, opening = riccati.constraints(there, speeds)
        assert np.abs(gap).max() < 1e-11
        assert np.abs(opening).max() < 1e-10
        expected = riccati.project(near, v)  # as near, but for the square of the gaps
        close(there, expected[0], 1e-6)
        close(speeds, expected[1], 1e-5)


def hanging(count: int) -> Model:
    """A chain of pins long enough that what repeats is a loop."""
    joints = [(str(k) if k else "0", str(k + 1), (float(k), 0.0)) for k in range(count)]
    model = rods("hanging", [*joints, (str(count), "0", (float(count), 0.0))], count)
    return replace(
        model, hinges=model.hinges[:-1], cuts=(), q0=(0.3,) * count, ground=model.ground[:1]
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("algorithm", [pytest.param("dca", marks=pytest.mark.slow), "hdca"])
def test_the_code_is_what_its_symbols_say(algorithm: str, target: str) -> None:
    solver = mstmm.compile("four-bar", algorithm=algorithm, target=target)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_redundant_conditions_are_proven_too(target: str) -> None:
    """Where a pivot is small and the system is solved by eigenvalues."""
    solver = mstmm.compile(three_rockers(), algorithm="hdca", target=target)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


@pytest.mark.parametrize("algorithm", ["dca", "hdca"])
def test_a_cut_may_have_a_body_s_name(algorithm: str) -> None:
    """The drift of a cut and that of a link's own joint are two things."""
    model = load("hdca-case-1")
    names = dict(zip((hinge.name for hinge in model.hinges), "12543", strict=True))
    renamed = tuple(replace(hinge, name=names[hinge.name]) for hinge in model.hinges)
    model = replace(model, hinges=renamed, cuts=tuple(names[cut] for cut in model.cuts))
    assert set(model.cuts) <= {body.name for body in model.bodies}
    judge = mstmm.compile(model, target="numpy")
    q, v = judge.project(np.add(model.q0, [0.1, 0.05, -0.02, 0.03]), [0.3, 0.2, -0.4, 0.5])
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    close(solver.accelerations(q, v), judge.accelerations(q, v), 1e-12)


def test_operations_of_a_merge() -> None:
    """What the specification counts for the paper's formulas in their cheapest form."""
    spatial = spatial_chain(6)
    for model, size, merge, back in ((case(2), 2, 139, 20), (spatial, 5, 1481, 154)):
        module = lower(hdca_program(plan(model)), ["velocities"], whole=False)
        counted: dict[str, int] = {}
        for step in module.steps:
            for block in step.blocks:
                counted[block.name] = sum(block.operations().values())
        label = f"{size}{size}_{size}{size}_10"
        total = counted[f"merge_{label}"] + counted[f"merge_bias_{label}"]
        assert 0 < total <= merge
        assert 0 < counted[f"back_{label}"] <= back


def spatial_chain(count: int) -> Model:
    """Bodies in space, joined by revolute hinges in all directions."""
    model = load(f"ball-chain:n={count}")
    rng = np.random.default_rng(2)

    def turn() -> tuple[tuple[float, ...], ...]:
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        frame *= np.linalg.det(frame)
        return tuple(tuple(map(float, row)) for row in frame)

    bodies = tuple(
        replace(body, points=tuple(replace(x, axes=turn()) for x in body.points))
        for body in model.bodies
    )
    hinges = tuple(replace(hinge, kind="revolute") for hinge in model.hinges)
    return replace(model, bodies=bodies, hinges=hinges, q0=(), v0=())


def three_rockers() -> Model:
    """A coupler on three equal parallel rockers: one of its four conditions is redundant."""
    rockers = tuple(bar(name, 1.0) for name in ("a", "b", "c"))
    points = tuple(Point(name, (at, 0)) for name, at in (("a", 0), ("b", 1), ("c", 2.5)))
    coupler = Body("coupler", 2.0, 0.5, (1.2, 0.1), points)
    return Model(
        "three-rockers",
        2,
        (*rockers, coupler),
        (
            Hinge("A", "pin", (End("0", "a"), End("a", "a"))),
            Hinge("1", "pin", (End("a", "b"), End("coupler", "a"))),
            Hinge("2", "pin", (End("coupler", "b"), End("b", "b"))),
            Hinge("3", "pin", (End("coupler", "c"), End("c", "b"))),
            Hinge("B", "pin", (End("0", "b"), End("b", "a"))),
            Hinge("C", "pin", (End("0", "c"), End("c", "a"))),
        ),
        (0.0, -9.81),
        absolute=False,
        ground=tuple(Point(name, (at, 0)) for name, at in (("b", 1), ("c", 2.5))),
        cuts=("B", "C"),
        q0=(0.9, -0.9, 0.9, 0.9),
    )


@pytest.mark.parametrize("algorithm", ["dca", "hdca"])
def test_redundant_conditions_are_met_and_counted(algorithm: str) -> None:
    """One degree of freedom; the motion is that of one rocker with all masses."""
    model = three_rockers()
    solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    assert solver.redundant(model.q0) == 1
    assert solver.redundant([model.q0, model.q0]).tolist() == [1, 1]
    assert (
        mstmm.compile("four-bar", algorithm=algorithm, target="numpy").redundant(
            load("four-bar").q0
        )
        == 0
    )
    way = np.array([1.0, -1.0, 1.0, 1.0])
    q, v = np.array(model.q0), 0.7 * way
    inertia = 3 * (1 / 3) + 2.0  # of the rockers about their pins, and the coupler's mass
    torque = -9.81 * np.cos(0.9) * (3 * 0.5 + 2.0)
    close(solver.accelerations(q, v), torque / inertia * way, 1e-11)
    if algorithm == "hdca":
        p = solver.momenta(q, v)
        close(solver.velocities(q, p), v, 1e-12)
        close(solver.velocities(q, solver.momenta(q, v, [3.0, -2.0, 1.0, 4.0])), v, 1e-11)
        run = solver.simulate(t_end=0.2, method="dopri5", rtol=1e-7, atol=1e-7, record=0.1)
        assert run.energy_drift < 1e-6
        assert np.abs(run.v - run.v[:, :1] * way).max() < 1e-10


def shrunk(model: Model, scale: float) -> Model:
    """All lengths by a factor, masses as they are: the same motion of angles."""

    def near(place: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(scale * x for x in place)

    def points(of: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple(replace(point, position=near(point.position)) for point in of)

    bodies = tuple(
        replace(
            body,
            centre=near(body.centre),
            inertia=tuple(map(tuple, scale**2 * np.array(body.inertia))),
            points=points(body.points),
        )
        for body in model.bodies
    )
    gravity = near(model.gravity)
    return replace(model, bodies=bodies, ground=points(model.ground), gravity=gravity)


@pytest.mark.parametrize(
    "algorithm", [pytest.param("riccati"), pytest.param("dca", marks=pytest.mark.slow)]
)
def test_units_do_not_decide_what_is_redundant(algorithm: str) -> None:
    """Conditions of forces give way to 1/m, those of couples to 1/J: 1e-11 of it here."""
    model = other_mechanism("redundant")
    small = shrunk(model, 3e-6)
    judge = mstmm.compile(model, target="numpy")
    q, v = judge.project(model.q0, [0.3, -0.2, 0.1])
    solver = mstmm.compile(small, algorithm=algorithm, target="numpy")
    assert solver.redundant(q) == judge.redundant(q) == REDUNDANT["redundant"]
    close(solver.accelerations(q, v), judge.accelerations(q, v), 1e-10)


def test_a_floating_tree_keeps_its_momentum() -> None:
    """A free body with a branch: the whole momentum is the free hinge's."""
    base = hanging(4)
    free = Hinge("j1", "free", base.hinges[0].ends)
    model = replace(base, hinges=(free, *base.hinges[1:]), gravity=(0.0, 0.0), q0=(), v0=())
    rng = np.random.default_rng(5)
    q, v = rng.normal(size=6), rng.normal(size=6)
    found = Reading(hdca_program(plan(model)))
    p = found("momenta", q=q, v=v)["pn"]
    close(p, mass_matrix(model, q) @ v, 1e-12)
    close(found("velocities", q=q, mom=p)["vel"], v, 1e-11)
    rates = found("momentum_rates", q=q, mom=p)["pd"]
    close(rates[:2], np.zeros(2), 1e-12)


def sprung() -> Model:
    """A chain with a spring and a damper in one hinge and a load on its tip."""
    base = hanging(3)
    law = (-3 * hinge_symbol("q", 1) - hinge_symbol("u", 1) / 2,)
    hinges = (base.hinges[0], replace(base.hinges[1], force=law), base.hinges[2])
    return replace(base, hinges=hinges, loads=(Load("push", "3", force=(1.0, 2.0), moment=(0.5,)),))


def test_force_laws_and_loads() -> None:
    model = sprung()
    rng = np.random.default_rng(6)
    q, v = rng.normal(size=3), rng.normal(size=3)
    found = Reading(hdca_program(plan(model)))
    riccati = mstmm.compile(model, target=TARGET)
    close(found("accelerations", q=q, v=v)["a"], riccati.accelerations(q, v), 1e-12)
    close(found("joint_loads", q=q, v=v)["loads"], np.ravel(riccati.joint_loads(q, v)), 1e-12)
    p = found("momenta", q=q, v=v)["pn"]
    expected = along(found, q, v, lambda q, v: found("momenta", q=q, v=v)["pn"])
    close(found("momentum_rates", q=q, mom=p)["pd"], expected, 1e-11)


def refused() -> dict[str, Callable[[], Model]]:
    def with_hinge(**change: object) -> Model:
        base = hanging(3)
        return replace(base, hinges=(replace(base.hinges[0], **change), *base.hinges[1:]))

    def driven() -> Model:
        base = hanging(3)
        first = replace(base.hinges[0], motion=(TIME,))
        return replace(base, hinges=(first, *base.hinges[1:]), q0=(), v0=())

    def loaded_cut() -> Model:
        base = case(1)
        last = replace(base.hinges[-1], force=(-hinge_symbol("u", 1),))
        return replace(base, hinges=(*base.hinges[:-1], last))

    def universal() -> Model:
        base = spatial_chain(2)
        return replace(
            base, hinges=(replace(base.hinges[0], kind="universal"), *base.hinges[1:]), q0=(), v0=()
        )

    def backward_slot() -> Model:
        base = hanging(2)
        ends = base.hinges[1].ends[::-1]
        slot = replace(base.hinges[1], kind="slot", ends=ends)
        return replace(base, hinges=(base.hinges[0], slot), q0=(), v0=())

    def point_mass() -> Model:
        base = hanging(2)
        return replace(base, bodies=(base.bodies[0], replace(base.bodies[1], inertia=0.0)))

    return {
        "no driven hinge (j1)": driven,
        "no rotor (hinge j1)": lambda: with_hinge(rotor=(0.1,)),
        "no force in a cut hinge (j5)": loaded_cut,
        "no universal hinge (hinge": universal,
        "no slot hinge whose child is the body nearer to the ground (hinge j2)": backward_slot,
        "no body without mass or without inertia about an axis (2)": point_mass,
        "no beams (": lambda: load("example-1"),
    }


@pytest.mark.parametrize("said", refused())
@pytest.mark.parametrize("make", [dca_program, hdca_program])
def test_what_they_do_not_take_is_named(said: str, make: Callable[..., object]) -> None:
    model = refused()[said]()
    with pytest.raises(UsageError) as caught:
        make(plan(model))
    assert said in str(caught.value)


@pytest.mark.parametrize("pitch", [1e-272, -1e-9, 0.0])
def test_a_helical_hinge_may_hardly_climb(pitch: float) -> None:
    """Its constraints are told without a division by the pitch."""
    model = random_models.joint_tree(Random(4), 3, ["helical"], 2)
    model = replace(model, hinges=tuple(replace(h, pitch=pitch) for h in model.hinges))
    solvers = [mstmm.compile(model, algorithm=name, target="numpy") for name in ("dca", "riccati")]
    a, expected = (solver.accelerations(model.q0, model.v0) for solver in solvers)
    close(a, expected, 1e-12)


def test_the_gauge_is_that_of_the_jacobian() -> None:
    """p − Jᵀ μ has σ + μ, in the axes of `hdca`; J v is how fast the cuts open."""
    model = mechanism(1, 2)[0]
    solver = mstmm.compile(model, algorithm="hdca", target=TARGET)
    rng = np.random.default_rng(3)
    v = rng.normal(size=(2, len(model.speeds)))
    q = np.broadcast_to(model.q0, (2, len(model.q0)))
    J = solver.jacobian(q)
    assert J.shape == (2, len(solver.conditions), len(model.speeds))
    _, opening = solver.constraints(q, v)
    close((J @ v[..., None])[..., 0], opening, 1e-12)
    p = solver.regauged(q, rng.normal(size=v.shape))
    if not solver.redundant(q).any():
        mu = rng.normal(size=(2, len(solver.conditions)))
        moved = p - (np.swapaxes(J, 1, 2) @ mu[..., None])[..., 0]
        close(solver.impulses(q, moved), mu, 1e-10)
