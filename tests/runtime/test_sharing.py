"""Hinges that share another's coordinate: by hand, mirrored arms, in motion; what is refused.

Random ones are rows of the table of scenarios, judged as systems with conditions.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from closeness import close
from compiler import TARGET
from coupled_models import FOLLOWED, arms, sharing, spread, with_couplings, with_rotors
from derivative_checks import by_interpreter, differences, interpreted
from independent.absolute import absolute_motion
from independent.moving import State
from judging import compare as judge
from loop_checks import compare
from random_models import joint_tree, random_joint_state

import mstmm
from mstmm.errors import MissingNameError, ModelError, UsageError
from mstmm.model import GROUND, Body, End, Hinge, Mimic, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol, parameter
from mstmm.model.files import toml
from mstmm.model.parts.limits import Limits
from mstmm.symbolic.methods.derivatives.program import inverse_derivatives
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan


def gears(ratio: float = -2.5, offset: float = 0.3, **follower: object) -> Model:
    """Two wheels on the ground, the second with a lever."""
    wheel = Body("1", 2.0, 0.5, (0, 0), (Point("O", (0, 0)),))
    lever = Body("2", 1.5, 0.2, (0.4, 0), (Point("O", (0, 0)),))
    ends = [(End(GROUND, name), End(name, "O")) for name in "12"]
    mimic = Mimic("a", ratio, offset)
    return Model(
        "gears",
        2,
        (wheel, lever),
        (
            Hinge("a", "pin", ends[0]),
            Hinge("b", "pin", ends[1], mimic=mimic, **follower),  # type: ignore[arg-type]
        ),
        (0, -9.81),
        absolute=False,
        ground=(Point("1", (0, 0)), Point("2", (1, 0))),
        q0=(0.2,),
    )


def test_gears_by_hand() -> None:
    """(J₁ + r² (J₂ + ρ)) α = τ − r m g l cos β + r (−k (β − β₀) − d r ω), and T + V."""
    r, J2, first, k, d, rho = -2.5, 0.2 + 1.5 * 0.4**2, 1.5 * 0.4, 3.0, 0.7, 0.05
    q1, u1 = hinge_symbol("q", 1), hinge_symbol("u", 1)
    model = gears(r, 0.3, force=(-d * u1,), potential=k / 2 * (q1 - 0.1) ** 2, rotor=(rho,))
    assert (model.coordinates, model.speeds) == (("qa",), ("ua",))
    assert "shared: hinge b moves by the coordinate of hinge a" in plan(model).describe()
    q, v = 0.2, 1.1
    b, w = r * q + 0.3, r * v
    force = r * (-first * 9.81 * np.cos(b) - k * (b - 0.1) - d * w)
    alpha = (3.0 + force) / (0.5 + r**2 * (J2 + rho))
    solver = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    compare(solver.accelerations([q], [v], [3.0]), np.array([alpha]), 1e-13)
    compare(inverse.inverse_dynamics([q], [v], [alpha]), np.array([3.0]), 1e-13)
    compare(inverse.mass_matrix([q]), np.array([[0.5 + r**2 * (J2 + rho)]]), 1e-14)
    stored = first * 9.81 * np.sin(b) + k / 2 * (b - 0.1) ** 2
    energy = (0.5 * v**2 + (J2 + rho) * w**2) / 2 + stored
    compare(np.ravel(solver.energy([q], [v])), np.array([energy]), 1e-14)
    for name in ("b", "ub"):
        with pytest.raises(UsageError, match=f"^{name}: hinge b moves by .* of hinge a: name that"):
            solver.simulate([q], [v], t_end=0.1, inputs={name: 1.0})


def test_ratio_and_offset_may_be_run_time_parameters() -> None:
    ratio, base = parameter("r"), gears()
    follower = replace(base.hinges[1], mimic=Mimic("a", -ratio / 2, ratio / 10))
    model = replace(base, hinges=(base.hinges[0], follower), parameters={"r": 5.0})
    solver = mstmm.compile(model, target="numpy", parameters=("r",))
    other = mstmm.compile(gears(-1.0, 0.2), target="numpy")
    a = solver.accelerations([0.4], [1.0], parameters={"r": 2.0})
    compare(a, other.accelerations([0.4], [1.0]), 1e-14)


@pytest.mark.parametrize(
    ("waist", "target"), [("revolute", "numpy"), ("revolute", TARGET), ("free", "numpy")]
)
def test_several_coordinates_end_at_one_body(waist: str, target: str) -> None:
    """By the dense system of all bodies with conditions."""
    rng = Random(7)
    model = arms(rng, waist)
    own = model.with_own_coordinates()
    assert len(own.speeds) - len(model.speeds) == len(FOLLOWED)
    q = np.array([rng.uniform(-1, 1) for _ in model.coordinates])
    for where in model.quaternions:
        q[where : where + 4] /= np.linalg.norm(q[where : where + 4])
    v, tau = (np.array([rng.uniform(-1, 1) for _ in model.speeds]) for _ in range(2))
    told = [own.speeds.index(name) for name in model.speeds]
    forces = np.zeros(len(own.speeds))
    forces[told] = tau
    every = np.array([*model.with_followers(q).values()])
    state = State(own, every, spread(model) @ v, 0.0, forces, np.zeros((11, 6)))
    motion = absolute_motion(state)
    solver = mstmm.compile(model, target=target)
    a = solver.accelerations(q, v, tau)
    judge(a, motion.accelerations[told], motion, "accelerations")
    loads = dict(zip(solver.ends, solver.joint_loads(q, v, tau), strict=True))
    for end, load in motion.loads.items():
        judge(loads[end], load, motion, end)
    inverse = mstmm.compile(model, algorithm="rnea-body", target=target)
    judge(inverse.inverse_dynamics(q, v, a), tau, motion, "forces", float(np.abs(a).max()))


def branched(seed: int) -> Model:
    """A planar tree with rotors: a coordinate of hinges one behind the other and side by side."""
    rng = Random(seed)
    return sharing(with_couplings(rng, with_rotors(rng, joint_tree(rng, 2, bodies=5)), 3))


def forked() -> Model:
    """Two levers on a third, geared to ones of their own: M couples them by the third alone."""
    inner = {"1": GROUND, "2": "1", "3": "1", "4": GROUND, "5": GROUND, "6": "2"}
    geared = {"4": Mimic("2", -1.5, 0.2), "5": Mimic("3", 0.7, -0.1), "6": Mimic("2", 0.8, 0.3)}
    places = Point("O", (0, 0)), Point("P", (0.5, 0.2))
    bodies = (Body(name, 1.0 + int(name), 0.2, (0.3, 0.1), places) for name in inner)
    hinges = (
        Hinge(name, "pin", (End(to, "P"), End(name, "O")), mimic=geared.get(name))
        for name, to in inner.items()
    )
    return Model(
        "forked", 2, tuple(bodies), tuple(hinges), (0, -9.81), absolute=False, ground=places[1:]
    )


def geared() -> Model:
    """A law of the follower, and a ratio that is a parameter."""
    base, ratio = gears(force=(-(hinge_symbol("q", 1) ** 3),)), parameter("r")
    follower = replace(base.hinges[1], mimic=Mimic("a", -ratio / 2, ratio / 10))
    return replace(base, hinges=(base.hinges[0], follower), parameters={"r": 5.0})


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(geared(), id="law"),
        pytest.param(forked(), id="forked"),
        pytest.param(branched(6), id="at-a-body"),
        pytest.param(branched(36), id="at-the-ground"),
        pytest.param(arms(Random(7)), id="arms", marks=pytest.mark.slow),
    ],
)
def test_derivatives_go_by_inverse_dynamics(model: Model) -> None:
    """By differences of the recursion in 50 digits."""
    rng, runtime = Random(5), tuple(model.parameters) if model.name == "gears" else ()
    q, v = random_joint_state(rng, model, 1.0)
    given = {"q": q, "v": v, "tau": [rng.uniform(-1, 1) for _ in v]}
    given["p"] = [1.3 * model.parameters[x] for x in runtime]
    chosen = plan(model)
    dynamics = by_interpreter(joint_program(chosen, runtime=runtime, forced=True))
    found = interpreted(inverse_derivatives(chosen, runtime=runtime), given)
    close(found, differences(model, dynamics, given))


def test_jacobians_are_those_of_every_hinge_summed() -> None:
    rng = Random(3)
    model = arms(rng)
    own = model.with_own_coordinates()
    q = np.array([rng.uniform(-1, 1) for _ in model.coordinates])
    for where in model.quaternions:
        q[where : where + 4] /= np.linalg.norm(q[where : where + 4])
    every = np.array([*model.with_followers(q).values()])
    few, all_ = (mstmm.compile(x, target="numpy") for x in (model, own))
    compare(few.frame_jacobian(q), all_.frame_jacobian(every) @ spread(model), 1e-13)
    compare(few.com_jacobian(q), all_.com_jacobian(every) @ spread(model), 1e-13)
    guess = q.copy()
    guess[:2] += 0.05
    reached = few.inverse_kinematics("r3", few.poses(q, frames="r3"), guess)
    np.testing.assert_allclose(
        few.poses(reached, frames="r3"), few.poses(q, frames="r3"), atol=1e-8
    )


def test_motion_keeps_energy() -> None:
    run = mstmm.compile(gears(), target=TARGET).simulate(t_end=0.5, dt=1e-3, record=0.01)
    assert run.energy_drift < 1e-9
    assert run.q.shape[1] == 1


def test_runs_have_what_follows_by_name() -> None:
    """At the ratio and the offset that the run was made with; the load is that of its end."""
    solver = mstmm.compile(geared(), target="numpy", parameters=("r",))
    run = solver.simulate(t_end=0.01, dt=1e-3, parameters={"r": 2.0})
    np.testing.assert_array_equal(run["qb"].values, -1.0 * run.q[:, 0] + 0.2)
    np.testing.assert_array_equal(run["ub"].values, -run.v[:, 0])
    assert (run["qb"].units, run["ub"].units) == ("rad", "rad/s")
    follower = run["b"]
    np.testing.assert_array_equal(follower.a, -run.a)
    assert (follower.coordinates, follower.speeds) == (("qb",), ("ub",))
    assert follower["q"].dims == run["q"].dims
    np.testing.assert_array_equal(follower.loads, run.loads[:, run.ends.index(follower.end)])
    with pytest.raises(MissingNameError, match="b has no 'p' in this run"):
        follower["p"]


def test_followers_are_read_by_name() -> None:
    """In order, at q = r q_a + q₀."""
    model = gears()
    assert model.with_followers([0.2]) == {"qa": 0.2, "qb": -2.5 * 0.2 + 0.3}
    assert model.with_followers([2.0], speeds=True) == {"ua": 2.0, "ub": -5.0}


def test_a_shared_coordinate_keeps_to_all_limits() -> None:
    """q_b = −2.5 q_a + 0.3 within ±1 and |u_b| ≤ 5 beside q_a ≥ −0.2: q_a to 0.52, |u_a| ≤ 2."""
    model = gears(limits=Limits(((-1.0, 1.0),), (5.0,)))
    leader = replace(model.hinges[0], limits=Limits(((-0.2, 3.0),), (4.0,)))
    both = replace(model, hinges=(leader, model.hinges[1]))
    np.testing.assert_allclose(both.position_limits, [(-0.2, 0.52)])
    assert both.speed_limits == (2.0,)
    high = replace(leader, limits=Limits(((1.0, 3.0),)))
    with pytest.raises(ModelError, match=r"hinge b · mimic: hinge a, .* is nowhere within"):
        replace(model, hinges=(high, model.hinges[1]))


def test_a_start_of_all_hinges_is_taken_where_it_is_closed() -> None:
    closed = replace(gears(), q0=(0.2, -0.2), v0=(1.0, -2.5))
    assert (closed.q0, closed.v0) == ((0.2,), (1.0,))
    with pytest.raises(ModelError, match=r"hinge b · q0: starts at 0 and shares the coordinate"):
        replace(gears(), q0=(0.2, 0.0))
    with pytest.raises(ModelError, match=r"hinge b · v0: .* shares the speed of hinge a, .* -2\.5"):
        replace(gears(), q0=(), v0=(1.0, 2.5))


def test_other_hinges_laws_read_the_leader() -> None:
    model = gears()
    other = replace(model.hinges[0], force=(-parameter("qb"),))
    with pytest.raises(ModelError, match="reads qb of hinge b, which shares the coordinate of a"):
        replace(model, hinges=(other, model.hinges[1]))


def test_beside_conditions_couplings_are_some() -> None:
    """Of a cut loop, of a law, or where one hinge keeps its own: then all do."""
    model = gears()
    third = Hinge("c", "pin", (End(GROUND, "1"), End("3", "O")), mimic=Mimic("a", 1, 0, own=True))
    body = replace(model.bodies[0], name="3")
    several = replace(
        model, bodies=(*model.bodies, body), hinges=(*model.hinges, third), q0=(), v0=()
    )
    assert not several.followers
    assert several.speeds == ("ua", "ub", "uc")
    assert len(mstmm.compile(several, target="numpy").conditions) == 2


def test_a_start_may_give_what_a_welded_body_has_none_of() -> None:
    model = gears()
    rim = replace(model.bodies[0], name="rim")
    weld = Hinge("weld", "fixed", (End("1", "O"), End("rim", "O")))
    welded = replace(
        model, bodies=(*model.bodies, rim), hinges=(weld, *model.hinges), q0=(0.2, -0.2), v0=()
    )
    assert welded.q0 == (0.2,)


def test_own_coordinates_are_asked_for_in_files() -> None:
    own = gears().with_own_coordinates()
    text = toml.to_text(own)
    assert "own = true" in text
    assert toml.from_text(text) == own
    assert own.q0 == (0.2, -0.2)
    shares = text.replace(", own = true", "")
    assert toml.from_text(shares) == gears()


def test_closed_form_is_that_of_every_hinge_between_ratios() -> None:
    """Tᵀ M T, Tᵀ C T and Tᵀ g of the hinges one by one, each with its own coordinate."""
    rng = Random(3)
    model = branched(6)
    own = model.with_own_coordinates()
    free = replace(own, hinges=tuple(replace(x, mimic=None) for x in own.hinges))
    few, every = (mstmm.compile(x, algorithm="closed-form", target="numpy") for x in (model, free))
    q, v = random_joint_state(rng, model)
    all_q, all_v = (
        np.array([*model.with_followers(x, speeds=y).values()]) for x, y in ((q, False), (v, True))
    )
    T = spread(model)
    compare(few.mass_matrix(q), T.T @ every.mass_matrix(all_q) @ T, 1e-13)
    for variant in ("christoffel", "skew", "printed"):
        C = every.coriolis_matrix(all_q, all_v, variant=variant)
        compare(few.coriolis_matrix(q, v, variant=variant), T.T @ C @ T, 1e-13)
    compare(few.gravity_forces(q), T.T @ every.gravity_forces(all_q), 1e-13)
    with pytest.raises((AttributeError, UsageError), match="screws"):
        few.screws(q)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid", "mixed"])
def test_geometric_jacobians_are_those_of_every_hinge_times_ratios(representation: str) -> None:
    """J T of the hinges one by one, its derivatives with T at every axis of speeds."""
    model = forked()
    own = model.with_own_coordinates()
    free = replace(own, hinges=tuple(replace(x, mimic=None) for x in own.hinges))
    few, every = (mstmm.compile(x, algorithm="jacobians", target="numpy") for x in (model, free))
    q, _ = random_joint_state(Random(3), model)
    all_q, T = np.array([*model.with_followers(q).values()]), spread(model)
    J = every.geometric_jacobian(all_q, representation=representation)
    compare(few.geometric_jacobian(q, representation=representation), J @ T, 1e-13)
    for order, product in ((1, "brjk,ja,kc->brac"), (2, "brjkl,ja,kc,ld->bracd")):
        told = {"order": order, "representation": representation}
        D = every.geometric_jacobian_derivatives(all_q, **told)
        found = few.geometric_jacobian_derivatives(q, **told)
        compare(found, np.einsum(product, D, *[T] * (order + 1)), 1e-12)


@pytest.mark.parametrize("algorithm", ["overall", "slaats", "sensitivities", "dca"])
def test_what_takes_no_shared_coordinate_says_so(algorithm: str) -> None:
    with pytest.raises(UsageError, match=r"no hinge that shares .*\(b that of a\).* own = true"):
        mstmm.compile(gears(), algorithm=algorithm, target="numpy")


def test_what_takes_conditions_takes_own_coordinates() -> None:
    model = gears()
    overall = mstmm.compile(model.with_own_coordinates(), algorithm="overall", target="numpy")
    a = mstmm.compile(model, target="numpy").accelerations([0.2], [1.0])
    compare(overall.accelerations([0.2, -0.2], [1.0, -2.5])[:1], a, 1e-12)
