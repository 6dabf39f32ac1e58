"""Hinges that follow others: by hand, by inverse dynamics, in motion; what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import sympy as sp
from compiler import TARGET
from coupled_models import with_couplings, with_rotors
from independent.loops import loop_motion
from loop_checks import compare
from planting import mutants
from scenarios import coupled_tree

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import GROUND, Body, End, Hinge, Mimic, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.files import toml
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree.loop_kernels import COLUMNS, COUPLING
from mstmm.symbolic.tree.motion_kernels import ROTOR

Array = np.ndarray


def gears(ratio: float = -2.5, offset: float = 0.3, **first: object) -> Model:
    """Two wheels on the ground, the second with a lever."""
    wheel = Body("1", 2.0, 0.5, (0, 0), (Point("O", (0, 0)),))
    lever = Body("2", 1.5, 0.2, (0.4, 0), (Point("O", (0, 0)),))
    ends = [(End(GROUND, name), End(name, "O")) for name in "12"]
    return Model(
        "gears",
        2,
        (wheel, lever),
        (
            Hinge("a", "pin", ends[0], **first),  # type: ignore[arg-type]
            Hinge("b", "pin", ends[1], mimic=Mimic("a", ratio, offset, own=True)),
        ),
        (0, -9.81),
        absolute=False,
        ground=(Point("1", (0, 0)), Point("2", (1, 0))),
        q0=(0.2, ratio * 0.2 + offset),
    )


def test_gears_by_hand() -> None:
    """One coordinate: (J₁ + r² J₂) α = τ − r m g l cos β."""
    r, J2, weight = -2.5, 0.2 + 1.5 * 0.4**2, 1.5 * 9.81 * 0.4
    model = gears(r, 0.3)
    q, v = np.array([0.2, r * 0.2 + 0.3]), np.array([1.1, r * 1.1])
    solver = mstmm.compile(model, target="numpy")
    alpha = (3.0 - r * weight * np.cos(q[1])) / (0.5 + r**2 * J2)
    compare(solver.accelerations(q, v, [3.0, 0.0]), np.array([alpha, r * alpha]), 1e-13)
    compare(solver.accelerations(q, v, [0.0, 3.0 / r]), np.array([alpha, r * alpha]), 1e-13)
    # What the gear's teeth do to each wheel is what its motion lacks: it shows in the loads.
    loads = solver.joint_loads(q, v, [3.0, 0.0])
    compare(loads[:, 2], np.array([0.5 * alpha, J2 * r * alpha + weight * np.cos(q[1])]), 1e-13)
    gap, opening = solver.constraints([0.2, 0.0], [1.0, 0.5])
    compare(np.array([gap[0], opening[0]]), np.array([-r * 0.2 - 0.3, 0.5 - r]), 1e-14)


def test_rotors_and_couplings_are_gears_with_mass() -> None:
    """A wheel that follows with inertia ρ is a rotor of ratio² ρ in the hinge that leads."""
    model = gears(3.0, 0.0)
    pinion = replace(model.bodies[1], centre=(0, 0))
    coupled = replace(model, bodies=(model.bodies[0], pinion))
    alone = replace(
        model,
        bodies=model.bodies[:1],
        hinges=(replace(model.hinges[0], rotor=(9 * 0.2,)),),
        q0=(0.2,),
        v0=(),
    )
    found = [
        mstmm.compile(m, target="numpy").accelerations(m.q0, 0 * np.array(m.q0), tau)[0]
        for m, tau in ((coupled, [2.0, 0.0]), (alone, [2.0]))
    ]
    compare(found[0], found[1], 1e-14)


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize("dimension", [2, 3])
def test_inverse_dynamics_gives_back_what_moves_so(dimension: int, looped: bool) -> None:
    """τ of accelerations that the couplings allow gives them; what follows may be passive."""
    rng = Random(60 + dimension)
    model = coupled_tree(rng, dimension, 3, 2)
    while looped:
        model = with_couplings(rng, loop_models.loop_model(rng, dimension, 4, 1)[0], 1)
        looped = not any(hinge.mimic for hinge in model.hinges)
    model = with_rotors(rng, model)
    solver = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)))
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    J = inverse.jacobian(q)
    conditions = sum(hinge.mimic is not None for hinge in model.hinges)
    rows = np.asarray(at_rest.jacobian, dtype=float)
    compare(J[-conditions:], rows[-conditions:], 1e-14)
    compare(J, solver.jacobian(q), 1e-14)
    a = solver.accelerations(q, v, np.cos(np.arange(len(v))))
    named = {hinge.name: model.hinge_speeds(hinge) for hinge in model.hinges}
    followers = tuple(u for h in model.hinges if h.mimic for u in named[h.name])
    for passive in ((), followers):
        tau = inverse.inverse_dynamics(q, v, a, passive=passive)
        compare(tau[[model.speeds.index(u) for u in passive]], np.zeros(len(passive)), 1e-9)
        compare(solver.accelerations(q, v, tau), a, 1e-9)
        if at_rest.redundant == 0:
            loads = inverse.inverse_loads(q, v, a, passive=passive)
            compare(loads, solver.joint_loads(q, v, tau), 1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_motion_keeps_energy_and_couplings(dimension: int) -> None:
    rng = Random(40 + dimension)
    model = with_rotors(rng, coupled_tree(rng, dimension, 4, 2))
    solver = mstmm.compile(model, target=TARGET)
    run = solver.simulate(t_end=0.5, dt=1e-3, record=0.01)
    assert run["constraint_position"].values.max() < 1e-10
    assert run["constraint_velocity"].values.max() < 1e-10
    assert run.energy_drift < 1e-6


def test_a_far_start_is_brought_to_the_coupling() -> None:
    model = gears()
    solver = mstmm.compile(model, target="numpy")
    q, v = solver.project([1.0, -4.0], [0.0, 2.0])
    assert abs(q[1] + 2.5 * q[0] - 0.3) < 1e-12
    assert abs(v[1] + 2.5 * v[0]) < 1e-12
    free = np.diag([0.5, 0.2 + 1.5 * 0.16])
    change = free @ (v - [0.0, 2.0])  # least in the kinetic energy: along the condition
    assert abs(change @ [1.0, -2.5]) < 1e-12


def test_couplings_beside_driven_hinges_and_force_laws() -> None:
    """The lever's pivot is carried along by a slide that is driven: its inertia force."""
    base = gears()
    q1, u1 = hinge_symbol("q", 1), hinge_symbol("u", 1)
    slide = Body("3", 1.0, 0, (0, 0), (Point("O", (0, 0)), Point("I", (0, 0))))
    model = replace(
        base,
        bodies=(*base.bodies, slide),
        hinges=(
            replace(base.hinges[0], force=(-2 * q1 - u1,)),
            replace(base.hinges[1], ends=(End("3", "I"), End("2", "O"))),
            Hinge("c", "prismatic", (End(GROUND, "2"), End("3", "O")), motion=(TIME**2,)),
        ),
        q0=(),
    )
    solver = mstmm.compile(model, target="numpy")
    r, J2, first = -2.5, 0.2 + 1.5 * 0.4**2, 1.5 * 0.4
    q, v = np.array([0.2, r * 0.2 + 0.3]), np.array([1.1, r * 1.1])
    pull = first * (2.0 * np.sin(q[1]) - 9.81 * np.cos(q[1]))
    alpha = (-2 * 0.2 - 1.1 + r * pull) / (0.5 + r**2 * J2)
    compare(solver.accelerations(q, v, t=0.7), np.array([alpha, r * alpha]), 1e-13)
    along = 2.5 * 2.0 - first * (r * alpha * np.sin(q[1]) + v[1] ** 2 * np.cos(q[1]))
    compare(solver.driving_forces(q, v, t=0.7), np.array([along]), 1e-13)


def test_ratio_and_offset_may_be_run_time_parameters() -> None:
    ratio = parameter("r")
    base = gears()
    follower = replace(base.hinges[1], mimic=Mimic("a", -ratio / 2, ratio / 10, own=True))
    model = replace(base, hinges=(base.hinges[0], follower), parameters={"r": 5.0})
    solver = mstmm.compile(model, target="numpy", parameters=("r",))
    other = mstmm.compile(gears(-1.0, 0.2), target="numpy")
    q, v = np.array([0.4, -0.2]), np.array([1.0, -1.0])
    compare(solver.accelerations(q, v, parameters={"r": 2.0}), other.accelerations(q, v), 1e-14)


def test_columns_travel_no_further_than_needed() -> None:
    """From both hinges to their roots; a third tree on the ground sees nothing of it."""
    base = gears()
    third = Hinge("c", "pin", (End(GROUND, "3"), End("3", "O")))
    far = Body("3", 1.0, 0.1, (0, 0), (Point("O", (0, 0)),))
    model = replace(base, bodies=(*base.bodies, far), hinges=(*base.hinges, third), q0=(), v0=())
    assert "coupled: hinge b follows hinge a" in plan(model).describe()
    calls = [call for step in joint_program(plan(model)).steps for call in step.calls]
    columns = {call.member for call in calls if call.kernel.name.startswith("columns")}
    assert columns == {"1", "2"}
    assert not [call for call in calls if call.kernel.name.startswith("gather")]


def test_files_hold_couplings_and_rotors() -> None:
    base = replace(gears(), parameters={"r": 2.0})
    geared = replace(base.hinges[0], rotor=(sp.Rational(1, 4) * parameter("r"),))
    model = replace(base, hinges=(geared, base.hinges[1]))
    text = toml.to_text(model)
    assert 'mimic = { hinge = "a", ratio = -2.5, offset = 0.3, own = true }' in text
    assert toml.from_text(text) == model
    told = re.sub('{ hinge = "a".*}', '{ hinge = "a" }', text)
    shares = r"hinges\.b\.start.*: starts at -0\.2 and shares the coordinate of hinge a, which"
    with pytest.raises(ModelError, match=shares):
        toml.from_text(told)
    told = told.replace("b = -0.2\n", "")
    assert toml.from_text(told).hinges[1].mimic == Mimic("a", 1, 0)
    with pytest.raises(ModelError, match=r"hinges\.b\.mimic: there is no hinge 'z'"):
        toml.from_text(text.replace('hinge = "a"', 'hinge = "z"'))
    with pytest.raises(ModelError, match=r"hinges\.b\.mimic\.factor: there is no such key"):
        toml.from_text(text.replace("ratio =", "factor ="))


PIN = gears().hinges
LOOSE = replace(PIN[1], mimic=None)

BAD = {
    "no such hinge": ((PIN[0], replace(PIN[1], mimic=Mimic("z"))), "there is no hinge 'z'"),
    "itself": ((PIN[0], replace(PIN[1], mimic=Mimic("b"))), "in a circle: b – b"),
    "a circle": ((replace(PIN[0], mimic=Mimic("b")), PIN[1]), "in a circle: a – b – a"),
    "several coordinates": (
        (replace(PIN[0], kind="slot"), PIN[1]),
        "hinge b · mimic: hinge a is slot, with 2 coordinates",
    ),
    "follows with several": (
        (PIN[0], replace(PIN[1], kind="free")),
        "hinge b is free, with 3 coordinates",
    ),
    "driven": (
        (PIN[0], replace(PIN[1], motion=(TIME,))),
        "hinge b is driven; prescribe the motion of both",
    ),
    "after a driven one": ((replace(PIN[0], motion=(TIME,)), PIN[1]), "hinge a is driven"),
    "no number": ((PIN[0], replace(PIN[1], mimic=Mimic("a", parameter("z")))), "depends on z"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_couplings_are_refused(case: str) -> None:
    hinges, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        replace(gears(), hinges=hinges, q0=(), v0=())


def test_coupled_hinges_are_not_cut() -> None:
    base = loop_models.four_bar()
    hinges = tuple(replace(h, mimic=Mimic("C") if h.name == "D" else None) for h in base.hinges)
    assert replace(base, hinges=hinges, cuts=(), q0=(), v0=()).cuts == ("B",)
    with pytest.raises(ModelError, match="hinge D is cut and has no coordinate"):
        replace(base, hinges=hinges, cuts=("D",), q0=(), v0=())


def test_absolute_coordinates_take_no_coupling() -> None:
    model = mstmm.load("rod-chain", n=2)
    first, second = model.hinges
    with pytest.raises(ModelError, match="mimic: needs joint coordinates"):
        replace(model, hinges=(first, replace(second, mimic=Mimic(first.name))))


def by_laws() -> tuple[Model, sp.Matrix]:
    """Three wheels with levers, of which the last follows both others; and its condition."""
    bodies = tuple(Body(n, 1.0, 0.3, (0.2, 0.1), (Point("O", (0, 0)),)) for n in "123")
    q1, q2, p = hinge_symbol("q", 1), hinge_symbol("q", 2), parameter("p")
    law = p * q1**2 + sp.sin(q1) * q2 - q2**3 / 3
    hinges = tuple(
        Hinge(name, "pin", (End(GROUND, body), End(body, "O")), mimic=mimic)
        for name, body, mimic in (
            ("a", "1", None),
            ("b", "2", None),
            ("c", "3", Mimic(hinges=("a", "b"), law=law)),
        )
    )
    ground = tuple(Point(n, (k, 0)) for k, n in enumerate("123"))
    model = Model(
        "by-laws", 2, bodies, hinges, (0, -9.81), absolute=False, ground=ground,
        parameters={"p": 0.7},
    )  # fmt: skip
    a, b, c = sp.symbols("a b c")
    return model, sp.Matrix([c - law.subs({q1: a, q2: b, p: sp.Float(0.7)}, simultaneous=True)])


def test_a_hinge_follows_others_by_a_law() -> None:
    """By J M⁻¹ Jᵀ λ = −J M⁻¹ f − J̇ v, with J and J̇ v of the law by SymPy; derivatives by
    differences of steps of 1e-6, good to 1e-8."""
    model, gap = by_laws()
    letters = sp.symbols("a b c")
    solver = mstmm.compile(model, target="numpy", parameters=("p",))
    free = mstmm.compile(
        replace(model, hinges=tuple(replace(h, mimic=None) for h in model.hinges)), target="numpy"
    )
    q, v = solver.project([0.4, -0.7, 0.2], [1.1, 0.6, -2.0])
    slope = gap.jacobian(letters)
    turning = (slope * sp.Matrix(v)).jacobian(letters) * sp.Matrix(v)
    at = dict(zip(letters, q, strict=True))
    J, rest = np.array(slope.subs(at), float), float(turning.subs(at)[0])
    a0 = free.accelerations(q, v)
    expected = a0 - J[0] * (J[0] @ a0 + rest) / (J[0] @ J[0])
    compare(solver.accelerations(q, v), expected, 1e-13)
    compare(solver.jacobian(q), J, 1e-14)
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    compare(solver.accelerations(q, v, inverse.inverse_dynamics(q, v, expected)), expected, 1e-12)
    A, _ = solver.linearize(q, v)
    for allowed in np.linalg.svd(J)[2][1:]:  # speeds that the law leaves
        over, under = (solver.accelerations(q, v + sign * 1e-6 * allowed) for sign in (1, -1))
        compare(A[3:, 3:] @ allowed, (over - under) / 2e-6, 1e-7)
    run = solver.simulate(q, v, t_end=0.2, dt=1e-3)
    assert run["constraint_position"].values.max() < 1e-12
    assert run.energy_drift < 1e-8
    assert toml.from_text(toml.to_text(model)) == model
    with pytest.raises(UsageError, match=r"no hinge that follows by a law \(c\); use riccati"):
        mstmm.compile(model, algorithm="overall", target="numpy")


LAWS = {
    "itself": (Mimic(hinges=("b",), law=hinge_symbol("q", 1)), "follows itself"),
    "unknown": (Mimic(hinges=("a",), law=hinge_symbol("q", 2)), "depends on q2; of 1 hinge"),
    "bent": (Mimic(hinges=("a",), law=sp.Abs(hinge_symbol("q", 1))), "must be smooth"),
    "both": (Mimic("a", law=hinge_symbol("q", 1)), "has a law, and needs no hinge"),
}


@pytest.mark.parametrize("case", LAWS)
def test_bad_laws_are_refused(case: str) -> None:
    mimic, words = LAWS[case]
    with pytest.raises(ModelError, match=words):
        replace(gears(), hinges=(PIN[0], replace(PIN[1], mimic=mimic)), q0=(), v0=())


def test_every_change_of_the_couplings_kernels_is_seen() -> None:
    rng = Random(3)
    model = with_rotors(rng, coupled_tree(rng, 3, 3, 2))
    v = [rng.uniform(-2, 2) for _ in model.speeds]
    program = joint_program(plan(model))
    arguments = {"q": [*model.q0], "v": v, "c": [0.3, -0.2][: len(program.sets["conditions"])]}

    def everything(of: object) -> Array:
        runs = Interpreter(of, FLOAT)  # type: ignore[arg-type]
        entries = ("joint_loads", "constraints", "jacobian", "correction", "energy")
        found = [runs.results(entry, arguments) for entry in entries]
        return np.array([x for each in found for values in each.values() for x in values], float)

    right = everything(program)
    # Beyond a root nothing is left but the ground, which does not turn.
    roots = [link.name for link in plan(model).roots]
    calls = [call for step in program.steps for call in step.calls]
    turned = {call.kernel.name for call in calls if call.kernel.name.startswith("columns")}
    inner = {call.kernel.name for call in calls if call.member not in roots}
    inner |= {call.kernel.name for call in calls} - turned
    seen = [
        (name, np.abs(everything(mutant) - right).max())
        for name, mutant in mutants(program, (COLUMNS, COUPLING, ROTOR))
        if name.partition(":")[0] in inner
    ]
    assert len(seen) > 30
    assert any(name.startswith("gap_coupling") for name, _ in seen)
    assert any("spinning" in name for name, _ in seen)
    assert [name for name, change in seen if change < 1e-9] == []
