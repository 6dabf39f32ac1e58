"""A program read in symbols and in numbers: against the solver, the states of all ends, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import acting_models
import beam_models
import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from coupled_models import with_couplings, with_rotors
from sizes import later
from systems import LAWS, Sketch, system

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model import GROUND, MODELS, Body, End, Hinge, Load, Model, Point
from mstmm.model.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.methods.riccati import letters
from mstmm.symbolic.methods.riccati.dialect import wrench_to_loads
from mstmm.symbolic.plans.plan import reported

Array = np.ndarray

#: Relative to the largest number: the read program keeps 30 digits, the solver rounds.
TOLERANCE = 1e-11

#: Of quantities that one evaluation gives, in doubles at the end.
ROUNDED = 1e-12

FORWARD = ("riccati", "overall", "dca")
INVERSE = ("rnea-body", "rnea-hybrid")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
SMALL = {"branch-system": {"N": 13}, "rod-chain": {"n": 4}, "ball-chain": {"n": 3}}

FAMILIES = ("acting", "coupled", "loops", "beams", "beam loops", "driven")


def drawn(seed: int) -> tuple[Model, Array, Array]:
    """A random model of one of the families, at its start, with random speeds."""
    rng, family, d = Random(seed), FAMILIES[seed % len(FAMILIES)], 2 + seed // 6 % 2
    if family == "acting":
        model = acting_models.loaded(rng, acting_models.tree(rng, d, 4))
        model = acting_models.moved(rng, model)
    elif family == "coupled":
        model = with_rotors(rng, random_models.joint_tree(rng, d, None, 4))
        model = with_couplings(rng, model, 1)
    elif family == "loops":
        acting = rng.choice(("", "loaded", "driven"))
        model, _ = loop_models.loop_model(rng, d, 4, 1, acting=acting)
    elif family == "beams":
        model = beam_models.beam_tree(rng, 3)
    elif family == "beam loops":
        model = beam_models.beam_loops(rng, 3)
    else:
        bodies = range(rng.randint(2, 5))
        sketch = Sketch(
            dimension=d,
            parents=tuple(rng.randint(-1, k - 1) if k else -1 for k in bodies),
            kinds=tuple(rng.choice(sorted(HINGE_KINDS[d])) for _ in bodies),
            turned=tuple(rng.random() < 0.5 for _ in bodies),
            laws=tuple(rng.choice(("", *LAWS)) for _ in bodies),
            closures=(),
            seed=seed,
        )
        model = system(sketch).model
    speeds = [rng.uniform(-1, 1) for _ in model.speeds]
    return model, np.array(model.q0), np.array(speeds)


def compared(model: Model, q: Array, v: Array, algorithm: str, forced: bool) -> bool:
    """Accelerations and end loads, or forces, of the read program and of the solver."""
    rng = Random(len(q))
    acting = {}
    if forced:
        acting["wrenches"] = np.zeros((len(model.bodies), 6))
        acting["wrenches"][:, 2:5] = [[rng.uniform(-1, 1) for _ in "mxy"] for _ in model.bodies]
    try:
        solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
    except UsageError:
        return False  # the algorithm does not take this model
    derived = mstmm.derive(model, algorithm=algorithm)
    if algorithm in INVERSE:
        a = np.array([rng.uniform(-1, 1) for _ in model.speeds])
        try:
            pairs = {"forces": solver.inverse_dynamics(q, v, a, t=0.3, **acting)}
        except UsageError:
            return False  # closed loops: the forces are not determined
        found = derived.at(q, v, a=a, t=0.3, **acting)
        if "forces" not in found:
            return False  # closed loops: forces and multipliers together
    else:
        if forced:
            acting["tau"] = np.array([rng.uniform(-1, 1) for _ in model.speeds])
        try:
            pairs = {
                "accelerations": solver.accelerations(q, v, t=0.3, **acting),
                "loads": solver.joint_loads(q, v, t=0.3, **acting),
            }
        except NumericsError:
            return False  # conditions are redundant
        found = derived.at(q, v, t=0.3, **acting)
    for name, expected in pairs.items():
        scale = max(1.0, np.abs(expected).max(initial=0.0))
        error = np.abs(found[name] - expected).max(initial=0.0) / scale
        assert error < TOLERANCE, (model.name, algorithm, name, error)
    return True


def every(model: Model, q: Array, v: Array, forced: bool) -> int:
    """How many algorithms were compared."""
    joint = replace(model, absolute=False, q0=(), v0=()) if model.absolute else model
    count = 0
    for algorithm in (*FORWARD, *INVERSE):
        takes = model if algorithm in ("riccati", "overall") else joint
        at = (q, v) if takes is model else (np.array(joint.q0), np.linspace(-1, 1, len(joint.v0)))
        count += compared(takes, *at, algorithm, forced)
    return count


@pytest.mark.parametrize("seed", later(range(300), 6))
def test_random_models_in_numbers(seed: int) -> None:
    assert every(*drawn(seed), forced=seed % 2 == 0)


@pytest.mark.parametrize("name", later([*MODELS, *map(str, EXAMPLES)], 1))
def test_ready_made_models_in_numbers(name: str) -> None:
    model = mstmm.load(name, **SMALL.get(name, {}))
    v = np.linspace(-0.5, 0.5, len(model.v0))
    assert every(model, np.array(model.q0), v, forced=len(name) % 2 == 0)


# Letters


def check_letters(model: Model, q: Array, v: Array) -> None:
    """z_a = S z_b + e + E μ at every end and z_O = U z of every rigid body."""
    derived = mstmm.derive(model)
    values, program, plan = derived.at(q, v, t=0.3), derived.program(), derived.plan
    places = {name: k for k, name in enumerate(program.sets["states"])}
    pick = ([2, 3, 4], [0, 1, 5]) if model.dimension == 2 else (range(6), range(6))

    def at(end: str) -> tuple[Array, Array]:
        k = places[end]
        return values["za"][k][[*pick[0]]], values["zb"][k][[*pick[1]]]

    def close(found: Array, expected: Array, name: str) -> None:
        scale = max(1.0, np.abs(expected).max())
        assert np.abs(found - expected).max() < ROUNDED * scale, name

    for end in derived.S:
        hinge = plan.root.hinge if end == "0:O" else end.removeprefix("0:")
        z_a, z_b = at(f"hinge {hinge}:O" if end.startswith("0:") else end)
        found = values[f"S[{end}]"] @ z_b + values[f"e[{end}]"]
        if end in derived.E:
            body, _, point = end.partition(":")
            link = plan.link(body) if body != GROUND else plan.root
            inner = point in link.inputs and body != GROUND
            carrier = link.children[link.inputs.index(point)] if inner else link.name
            columns = derived.columns(carrier)
            found = found + values[f"E[{end}]"].reshape(len(z_a), -1) @ [
                values[f"multipliers/mu/{name}"] for name in columns
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
        close(values[f"U[{body}]"] @ [*z, 1], np.array([*z_b, *z_a, 1]), f"{model.name} {body}")


@pytest.mark.parametrize("seed", later(range(60), 6))
def test_coefficients_and_matrices_of_random_models(seed: int) -> None:
    check_letters(*drawn(seed))


def test_a_wrong_coefficient_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "wrench_to_loads", lambda d: -wrench_to_loads(d))
    letters.output.cache_clear()
    with pytest.raises(AssertionError):
        check_letters(*drawn(0))
    letters.output.cache_clear()


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
