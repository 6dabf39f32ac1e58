"""A program read in symbols and in numbers: against the solver, the states of all ends, by hand."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import beam_models
import numpy as np
import pytest
import random_models
import sympy as sp
from featured_models import FAMILIES, FEATURES, NOW, featured
from sizes import later

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model import GROUND, MODELS, Body, End, Hinge, Load, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.mechanics.traced import Traced
from mstmm.symbolic.methods.riccati import letters
from mstmm.symbolic.plans.plan import reported

Array = np.ndarray

#: Relative to the largest number: the read program keeps 30 digits, the solver rounds.
TOLERANCE = 1e-11

#: Of quantities that one evaluation gives, in doubles at the end.
ROUNDED = 1e-12

#: A unit in the last place of 1.
EPSILON = 2.0**-52

FORWARD = ("riccati", "overall", "dca")
INVERSE = ("rnea-body", "rnea-hybrid")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
SMALL = {"branch-system": {"N": 13}, "rod-chain": {"n": 4}, "ball-chain": {"n": 3}}

#: States faster than this (rad/s, m/s) are not drawn.
FAST = 1e3

#: How many random models there are, and how many of them have each feature at least.
COUNT, SHARE = 300, 30


def drawn(seed: int) -> tuple[Model, Array, Array]:
    """A random model at a state at which its loops are closed; another one if they cannot be."""
    for attempt in count():
        model = featured(seed + attempt * COUNT * len(FAMILIES))
        rng = Random(seed)
        if not model.speeds:
            continue  # every hinge is driven
        q, v = np.array(model.q0), np.array([rng.uniform(-1, 1) for _ in model.speeds])
        if model.cuts or any(hinge.mimic for hinge in model.hinges):
            try:
                q, v = mstmm.compile(model, target="numpy").project(q, v, t=NOW)
            except NumericsError:
                continue
        if np.abs(v).max() > FAST:
            continue  # beside a singular position: speeds that leave no digits
        return model, q, v
    raise AssertionError


def errors(
    model: Model, q: Array, v: Array, algorithm: str, forced: bool
) -> dict[str, float] | None:
    """Of accelerations and end loads, or of forces, of the read program against the solver's.

    Relative to the largest; none where the algorithm does not take the model.
    """
    rng = Random(len(q))
    acting: dict[str, Any] = {"t": NOW}
    if forced:
        acting["wrenches"] = np.zeros((len(model.bodies), 6))
        acting["wrenches"][:, 2:5] = [[rng.uniform(-1, 1) for _ in "mxy"] for _ in model.bodies]
    if forced and algorithm in FORWARD:
        acting["tau"] = np.array([rng.uniform(-1, 1) for _ in model.speeds])
    try:
        solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    except UsageError:
        return None
    if algorithm in INVERSE:
        a = np.array([rng.uniform(-1, 1) for _ in model.speeds])
        expected = {"forces": solver.inverse_dynamics(q, v, a, **acting)}
        acting["a"] = a
    elif algorithm == "overall" and is_redundant(model, q):
        return None  # its system is singular
    else:
        expected = {
            "accelerations": solver.accelerations(q, v, **acting),
            "loads": solver.joint_loads(q, v, **acting),
        }
    found = mstmm.derive(model, algorithm=algorithm).at(q, v, **acting)
    return {
        name: np.abs(found[name] - x).max(initial=0.0) / max(1.0, np.abs(x).max(initial=0.0))
        for name, x in expected.items()
    }


def is_redundant(model: Model, q: Array) -> bool:
    """Whether conditions of its loops follow from others."""
    solver = mstmm.compile(model, target="numpy")
    return bool(solver.conditions) and bool(solver.redundant(q, t=NOW))


def condition(model: Model, q: Array) -> float:
    """The condition number of the mass matrix scaled to unit diagonal, of the tree alone."""
    free = tuple(replace(hinge, mimic=None) for hinge in model.tree_hinges)
    tree = replace(model, hinges=free, cuts=())
    derived = mstmm.derive(tree, algorithm="rnea-body")
    rest = np.zeros(len(tree.speeds))

    def forces(a: Array) -> Array:
        return derived.at(q, rest, a=a, t=NOW)["forces"]

    M = np.array([forces(one) - forces(rest) for one in np.eye(len(rest))])
    scale = np.sqrt(np.diag(M))
    return float(np.linalg.cond(M / np.outer(scale, scale)))


def every(model: Model, q: Array, v: Array, forced: bool) -> list[str]:
    """The algorithms that were compared.

    Whatever solves for accelerations may lose what the mass matrix loses in the coordinates that
    the model has: one unit in the last place times its condition number, which of three bending
    shapes of a beam is 1e5 to 1e7. That is the bound where it is more than the tolerance.
    """
    joint = replace(model, absolute=False, q0=(), v0=()) if model.absolute else model
    taken = []
    for algorithm in (*FORWARD, *INVERSE):
        takes = model if algorithm in ("riccati", "overall") else joint
        at = (q, v) if takes is model else (np.array(joint.q0), np.linspace(-1, 1, len(joint.v0)))
        found = errors(takes, *at, algorithm, forced)
        if found is None:
            continue
        taken.append(algorithm)
        bound, worst = TOLERANCE, max(found.values())
        if worst >= bound and algorithm in FORWARD:
            bound = max(bound, EPSILON * condition(joint, at[0] if takes is joint else joint.q0))
        assert worst < bound, (model.name, algorithm, found, bound)
    return taken


@pytest.mark.parametrize("seed", later(range(COUNT), 7))
def test_random_models_in_numbers(seed: int) -> None:
    assert "riccati" in every(*drawn(seed), forced=seed % 2 == 0)


def test_random_models_have_all_features() -> None:
    models = [featured(seed) for seed in range(COUNT)]
    shares = {name: sum(map(has, models)) for name, has in FEATURES.items()}
    print(shares)
    assert min(shares.values()) >= SHARE, shares


@pytest.mark.slow
def test_random_models_are_taken_by_all_algorithms() -> None:
    taken = Counter()
    for model in map(featured, range(COUNT)):
        for algorithm in (*FORWARD, *INVERSE):
            with suppress(UsageError):
                mstmm.derive(model, algorithm=algorithm).program()
                taken[algorithm] += 1
    print(taken)
    assert min(taken[algorithm] for algorithm in (*FORWARD, *INVERSE)) >= SHARE, taken


@pytest.mark.parametrize("name", later([*MODELS, *map(str, EXAMPLES)], 1))
def test_ready_made_models_in_numbers(name: str) -> None:
    model = mstmm.load(name, **SMALL.get(name, {}))
    if any(beam.linear_alone for beam in model.beams):
        with pytest.raises(UsageError, match="or use linear: riccati takes no such beam"):
            mstmm.derive(model).program()
        return
    v = np.linspace(-0.5, 0.5, len(model.v0))
    assert every(model, np.array(model.q0), v, forced=len(name) % 2 == 0)


# Letters


def check_letters(model: Model, q: Array, v: Array) -> None:
    """z_a = S z_b + e + E μ at every end and z_O = U z of every rigid body and beam."""
    derived = mstmm.derive(model)
    values, program, plan = derived.at(q, v, t=NOW), derived.program(), derived.plan
    places = {name: k for k, name in enumerate(program.sets["states"])}
    pick = ([2, 3, 4], [0, 1, 5]) if model.dimension == 2 else (range(6), range(6))

    def at(end: str) -> tuple[Array, Array]:
        k = places[end]
        return values["za"][k][[*pick[0]]], values["zb"][k][[*pick[1]]]

    def close(found: Array, expected: Array, name: str, of: float = 1.0) -> None:
        scale = max(of, np.abs(expected).max())
        assert np.abs(found - expected).max() < ROUNDED * scale, name

    for end in derived.S:
        z_a, z_b = at(end)
        found = values[f"S[{end}]"] @ z_b + values[f"e[{end}]"]
        if end in derived.E:
            body, _, point = end.partition(":")
            beyond = {x.hinge: x for x in plan.links}
            rooted = end.startswith("hinge ")
            link = beyond[body.removeprefix("hinge ")] if rooted else plan.link(body)
            inner = point in link.inputs and not rooted
            carrier = link.children[link.inputs.index(point)] if inner else link.name
            columns = derived.columns(carrier)
            mu = {k.rpartition("/mu/")[2]: values[k] for k in values if "/mu/" in k}
            found = found + values[f"E[{end}]"].reshape(len(z_a), -1) @ [
                mu[name] for name in columns
            ]
        close(found, z_a, f"{model.name} {end}")
    leaving = {str(reported(hinge)[1]) for hinge in plan.cuts}
    for body in derived.U:
        link = plan.link(body)
        cut = [e.point for hinge in plan.cuts for e in hinge.ends if e.body == body]
        inputs = [*link.inputs, *cut] or [*link.free[:1]] or [link.output]
        z: list[float] = [*at(f"{body}:{inputs[0]}")[1]]
        for point in inputs:
            end = f"{body}:{point}"
            sign = -1 if end in leaving else 0 if [point] == [link.output] and not cut else 1
            z += [*(sign * at(end)[0])]
        z_a, z_b = at(f"{body}:{link.output}")
        U, z_O = values[f"U[{body}]"], np.array([*z_b, *z_a, 1])
        largest = (np.abs(U) @ np.abs([*z, 1])).max()  # of a beam its terms cancel
        close(U @ [*z, 1], z_O, f"{model.name} {body}", largest)


@pytest.mark.parametrize("seed", later(range(60), 6))
def test_coefficients_and_matrices_of_random_models(seed: int) -> None:
    check_letters(*drawn(seed))


@pytest.mark.parametrize("seed", range(3))
def test_matrices_of_beams_in_trees_and_loops(seed: int) -> None:
    """Of functions, inputs and places drawn; the loops are closed, their speeds projected."""
    rng = Random(seed)
    tree = beam_models.beam_tree(rng, 4)
    check_letters(tree, *map(np.array, beam_models.beam_state(rng, tree)))
    loop, q = beam_models.beam_loop_on_body(rng)
    speeds = [rng.uniform(-1, 1) for _ in loop.speeds]
    check_letters(loop, *mstmm.compile(loop, target="numpy").project(q, speeds))
    assert {x.name for x in tree.beams + loop.beams} & {*mstmm.derive(loop).U}


def test_a_wrong_coefficient_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With kernels that no test before has made, and that none after it meets."""
    for name, each in list(vars(letters).items()):
        if isinstance(each, Traced):
            fresh = Traced(each.function, each.table, each.facts, each.parents)
            monkeypatch.setattr(letters, name, fresh)
    said = letters._said
    monkeypatch.setattr(letters, "_said", lambda t, k, IA, *more: said(t, k, -IA, *more))
    with pytest.raises(AssertionError):
        check_letters(*drawn(0))


# By hand


def rod() -> Model:
    """A rod of mass m and length 2 a on a pin, a force at its end and a moment on it."""
    m, a = sp.symbols("m a", real=True)
    points = (Point("I", (a, 0)), Point("O", (-a, 0)))
    body = Body("1", m, m * a**2 / 3, (0, 0), points)
    hinge = Hinge("h", "pin", (End(GROUND, "O"), End("1", "O")))
    pull = Load("pull", "1", force=(3.0, 5.0), moment=(2.0,), point="I")
    return Model(
        "rod",
        2,
        (body,),
        (hinge,),
        gravity=(0, -9.8),
        parameters={"m": 1.5, "a": 0.4},
        loads=(pull,),
        absolute=False,
    )


def test_one_rod_under_a_force_and_a_moment_by_hand() -> None:
    """J_O Ω̇ = r_C × m g + r_I × F + M about the pin, and S, e of it."""
    model = rod()
    q, v = np.array([0.7]), np.array([1.3])
    derived = mstmm.derive(model)
    m, a = 1.5, 0.4
    J, c, s = 4 / 3 * m * a**2, np.cos(q[0]), np.sin(q[0])
    moment = -a * c * m * 9.8 + 2 * a * (c * 5.0 - s * 3.0) + 2.0
    values = derived.at(q, v)
    assert values["accelerations"] == pytest.approx([moment / J], rel=1e-14)
    assert values["S[1:O]"][0] == pytest.approx([-m * a * s, m * a * c, J], rel=1e-14)
    assert values["e[1:O]"][0] == pytest.approx(-moment, rel=1e-14)
    other = derived.at(q, v, parameters={"m": 3.0})
    assert other["S[1:O]"][0, 2] == pytest.approx(2 * J, rel=1e-14)
    x, y = sp.symbols("m a", real=True)
    theta = sp.Symbol(model.coordinates[0], real=True)
    composed = derived.S["1:O"]
    assert sp.expand(composed[0, 2] - sp.Rational(4, 3) * x * y**2) == 0
    assert sp.expand(composed[0, 0] + x * y * sp.sin(theta)) == 0


# What is read


def test_quantities_are_what_the_calls_state() -> None:
    derived = mstmm.derive("branch-pendulum")
    quantity = derived.quantities["tips_to_root/IA/3"]
    assert quantity.inputs["m"] == "data"
    assert derived.quantities["S[3:O]"].inputs == {
        "IA": "tips_to_root/IA/3",
        "pA": "tips_to_root/pA/3",
    }
    carried = derived.quantities["tips_to_root/IAh/3"]
    assert sp.Symbol("IA_3_11", real=True) in carried.statements[0].value.free_symbols or any(
        "IA_3" in str(x) for each in carried.statements for x in each.value.free_symbols
    )
    with pytest.raises(UsageError, match="there is no 'IA/3'"):
        _ = derived.quantities["IA/3"]


def test_long_data_have_names() -> None:
    model = random_models.planar_tree(Random(1), 3)
    derived = mstmm.derive(model)
    for name in derived.quantities:
        _ = derived.quantities[name]
    assert derived.data
    assert all(symbol.is_real and x.is_Rational for symbol, x in derived.data.items())


def test_decimals_are_exact() -> None:
    """A file's 1.2 is 6/5, and what is made of such numbers has no long ones."""
    body = replace(rod().bodies[0], mass=1.2, inertia=0.1)
    points = (Point("I", (0.3, 0)), Point("O", (-0.3, 0)))
    model = replace(rod(), bodies=(replace(body, points=points),), parameters={})
    derived = mstmm.derive(model)
    assert derived.S["1:O"][1, 0] == sp.Rational(-6, 5)
    assert derived.S["1:O"][0, 2] == sp.Rational(1, 10) + sp.Rational(6, 5) * sp.Rational(9, 100)
    assert not derived.data


def test_a_product_of_decimals_is_told_as_one() -> None:
    """0.7 kg at 0.1 m are 0.07 kg m, though the doubles' product is no such number."""
    body = Body("1", 0.7, 0.02, (0.1, -0.2), (Point("I", (0, 0)), Point("O", (0, 0))))
    model = replace(rod(), bodies=(body,), parameters={})
    derived = mstmm.derive(model)
    q, s = sp.Symbol(model.coordinates[0], real=True), derived.S["1:O"]
    assert s[1, 2].coeff(sp.cos(q)) in (sp.Rational(-7, 50), sp.Rational(7, 50))
    assert not derived.data


def test_what_needs_more_arguments_says_which() -> None:
    values = mstmm.derive("double-pendulum", algorithm="rnea-body").at([0.1, 0.2], [0, 0])
    with pytest.raises(UsageError, match="forces needs a=…"):
        _ = values["forces"]


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (
            mstmm.Dca(assembly="nonsense"),
            "assembly: nonsense is no body .* there are: 2, 1, ground",
        ),
        (mstmm.Jacobians(order=-1), "order = -1 must be a whole number from 0 on"),
        (mstmm.Frames(frames=("x",)), "has no frame 'x'; it has: 1, 2"),
    ],
)
def test_an_option_that_the_model_has_not_is_refused_at_once(algorithm, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        mstmm.derive("double-pendulum", algorithm=algorithm)


def test_matrices_of_the_overall_equation_are_arrays() -> None:
    at = mstmm.derive("double-pendulum").overall.at([0.1, 0.2], [0, 0])
    assert all(isinstance(at[name], np.ndarray) and at[name].dtype == float for name in at)
    assert at["U_all"].shape[0] == at["U_all"].shape[1] == at["r_all"].shape[0]
    exact = mstmm.derive("double-pendulum").overall.at([0, 0], [0, 0], arithmetic=digits(30))
    assert exact["U_all"].dtype == object


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar", "spatial-tree"])
def test_coefficients_stand_at_the_ends_that_states_have(name: str) -> None:
    derived = mstmm.derive(name)
    assert {*derived.S} <= {*derived.program().sets["states"]}


def test_what_is_asked_wrongly_is_refused() -> None:
    derived = mstmm.derive("double-pendulum", algorithm="rnea-body")
    values = derived.at([0.1, 0.2], [0, 0])
    with pytest.raises(UsageError, match="needs a=…"):
        _ = values["inward/lam/1"]
    with pytest.raises(UsageError, match="there is no 'x'"):
        _ = values["x"]
    with pytest.raises(UsageError, match="rnea-body takes no tau"):
        derived.at([0.1, 0.2], [0, 0], [0, 0])
    with pytest.raises(UsageError, match="give one state"):
        derived.at([[0.1, 0.2]], [0, 0])
    with pytest.raises(UsageError, match="no run-time parameter"):
        derived.at([0.1, 0.2], [0, 0], parameters={"x": 1.0})


def test_a_derivation_says_what_it_derives() -> None:
    derived = mstmm.derive("double-pendulum", algorithm="dca")
    assert repr(derived) == "<Derivation of double-pendulum: dca (fast)>"


def test_powers_of_three_halves_have_digits_too() -> None:
    """Of a law, and of what the derivatives make of the turn of a bushing."""
    model = mstmm.load("double-pendulum")
    first = replace(model.hinges[0], force=((hinge_symbol("q", 1) ** 2 + 1) ** sp.Rational(3, 2),))
    bent = replace(model, absolute=False, hinges=(first, *model.hinges[1:]), q0=(), v0=())
    q, v = [0.3, -0.2], [0.5, 0.1]
    found = mstmm.derive(bent).at(q, v)["accelerations"]
    expected = mstmm.compile(bent, target="numpy").accelerations(q, v)
    assert found == pytest.approx(expected, rel=1e-13)
