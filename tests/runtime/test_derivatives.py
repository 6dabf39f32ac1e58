"""Derivatives of the accelerations: against differences in 50 digits, of mstmm and of a judge."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import acting_models
import beam_models
import loop_models
import mpmath
import numpy as np
import pytest
import scipy
import sympy as sp
from closeness import close
from compiler import TARGET, needs_compiler
from derivative_checks import DIGITS, by_interpreter, differences, interpreted, moved
from independent.joints import joint_motion
from independent.tree import extended
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state, spatial_tree
from systems import LAWS, Sketch, system
from test_closings import ladder

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.proof.records import NO_BLOCKS
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.evaluation.backend import NumpyModule
from mstmm.symbolic.language.program import KernelBuilder, Policy
from mstmm.symbolic.language.tangent import tangent_kernel
from mstmm.symbolic.methods.derivatives.closed import closed_derivatives
from mstmm.symbolic.methods.derivatives.program import (
    derivative_program,
    inverse_derivatives,
    tangents_of_dynamics,
)
from mstmm.symbolic.methods.derivatives.tangents import Columns, tangent_program
from mstmm.symbolic.methods.overall.program import overall_program
from mstmm.symbolic.methods.riccati.absolute import fast_program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

#: Of the largest entry: doubles against 50 digits. 1e-13 was seen, of accelerations whose
#: mass matrix has a condition of some 100.

KINDS = [(dimension, kind) for dimension in (2, 3) for kind in HINGE_KINDS[dimension]]


def sketch(dimension: int, kind: str) -> Sketch:
    """A hinge of the kind, described from either side, and one on it; laws in both, or a drive."""
    rng = Random(kind)
    other = {2: "pin", 3: "revolute"}[dimension]
    kinds = (kind, other if kind == "fixed" or HINGE_KINDS[dimension][kind].speeds > 3 else kind)
    turned = (rng.random() < 0.5, rng.random() < 0.5)
    laws = (rng.choice(LAWS[:-1]), rng.choice(LAWS[:-1] if kind == "fixed" else LAWS))
    return Sketch(dimension, (-1, 0), kinds, turned, laws, (), 1)


#: What is cheap to try at every run; the others before a release.
QUICK = {(2, "pin"), (2, "slot"), (2, "fixed"), (3, "revolute")}


@pytest.mark.parametrize(
    ("dimension", "kind"),
    [pytest.param(*x, marks=[] if x in QUICK else pytest.mark.slow) for x in KINDS],
)
def test_every_hinge(dimension: int, kind: str) -> None:
    """With laws in coordinates, speeds and time, and hinges that are driven."""
    state = system(sketch(dimension, kind))
    given = {"q": state.q, "v": state.v, "tau": state.tau, "t": [state.t]}
    chosen = plan(state.model)
    expected = differences(state.model, by_interpreter(joint_program(chosen, forced=True)), given)
    close(interpreted(derivative_program(chosen), given), expected)


@pytest.mark.parametrize(
    ("dimension", "kind"),
    [
        (2, "slot"),
        pytest.param(3, "ball", marks=pytest.mark.slow),
        pytest.param(3, "universal", marks=pytest.mark.slow),
    ],
)
def test_both_ways_agree(dimension: int, kind: str) -> None:
    state = system(sketch(dimension, kind))
    given = {"q": state.q, "v": state.v, "tau": state.tau, "t": [state.t]}
    chosen = plan(state.model)
    close(
        interpreted(inverse_derivatives(chosen), given),
        interpreted(tangents_of_dynamics(chosen), given),
    )


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_tree_against_the_judge(dimension: int) -> None:
    """The judge: virtual power of all bodies in 50 digits, its accelerations differenced."""
    kinds = {
        2: ("pin", "slot", "pin", "prismatic"),
        3: ("revolute", "universal", "ball", "helical"),
    }
    turned = (False, True, True, False)
    state = system(Sketch(dimension, (-1, 0, 1, 1), kinds[dimension], turned, ("",) * 4, (), 2))
    model = state.model
    given = {"q": state.q, "v": state.v, "tau": state.tau}

    def judged(q: Any, v: Any, tau: Any) -> Any:
        return joint_motion(model, q, v, tau, arithmetic=extended(DIGITS)).accelerations

    close(interpreted(derivative_program(plan(model)), given), differences(model, judged, given))


@pytest.mark.parametrize(
    "way", [inverse_derivatives, pytest.param(tangents_of_dynamics, marks=pytest.mark.slow)]
)
def test_parameters(way: Any) -> None:
    """Masses, places and the strength of gravity: a column for each, by both ways."""
    rng = Random(3)
    model = joint_tree(rng, 2, bodies=3)
    runtime = tuple(model.parameters)
    q, v = random_joint_state(rng, model)
    given = {"q": q, "v": v, "tau": [rng.uniform(-3, 3) for _ in v]}
    given["p"] = [1.1 * value for value in model.parameters.values()]
    chosen = plan(model)
    dynamics = by_interpreter(joint_program(chosen, runtime=runtime, forced=True))
    found = interpreted(way(chosen, runtime=runtime), given)
    assert np.abs(found[:, -len(runtime) :]).max() > 1e-3
    close(found, differences(model, dynamics, given))


def acted(rng: Random) -> Model:
    """Springs, elastic hinges, loads on bodies and a ground that moves."""
    tree = acting_models.tree(rng, 2, 3)
    return acting_models.moved(rng, acting_models.loaded(rng, acting_models.sprung(rng, tree)))


def looped(rng: Random) -> Model:
    return loop_models.four_bar()


def flexible(rng: Random) -> Model:
    return beam_models.beam_tree(rng, 3)


@pytest.mark.parametrize("make", [acted, looped, pytest.param(flexible, marks=pytest.mark.slow)])
def test_tangents_take_what_inverse_dynamics_does_not(make: Any) -> None:
    """Loads and a moving ground; a loop, whose equations are those of its tree; beams."""
    rng = Random(5)
    model = make(rng)
    q = [x + rng.uniform(-0.1, 0.1) for x in model.q0]
    given = {"q": q, "v": [rng.uniform(-1, 1) for _ in model.speeds], "t": [0.3]}
    given["tau"] = [rng.uniform(-3, 3) for _ in model.speeds]
    chosen = plan(model)
    if make is not acted:
        with pytest.raises(UsageError, match="no way by inverse dynamics"):
            inverse_derivatives(chosen)
    program = joint_program(chosen, forced=True)
    given["c"] = [0.0] * len(program.sets.get("conditions", ()))
    known = {name: value for name, value in given.items() if name in owners(program)}
    found = interpreted(derivative_program(chosen), known)
    close(found, differences(model, by_interpreter(program), known), 1e-9)


@pytest.mark.parametrize("feature", ["base", pytest.param("drive", marks=pytest.mark.slow)])
def test_closed_loops_with_parameters(feature: str) -> None:
    """A ground that moves, or a random tree with a driven cut; that loops are open is no matter."""
    rng = Random(8)
    if feature == "base":
        model = loop_models.four_bar()
    else:
        model, _ = loop_models.loop_model(rng, 3, 3, 1, acting="driven", t=0.3)
    parameters = {**model.parameters, **acting_models.PARAMETERS}
    model = acting_models.sprung(rng, replace(model, parameters=parameters))
    if feature == "base":
        model = acting_models.moved(rng, model)
    runtime = ("A", "K")
    q, v = random_joint_state(rng, model)
    given = {"q": q, "v": v, "tau": [rng.uniform(-1, 1) for _ in v], "t": [0.3], "p": [0.5, 2.0]}
    chosen = plan(model)
    program = joint_program(chosen, runtime=runtime, forced=True)
    given["c"] = [0.0] * len(program.sets["conditions"])
    known = {name: x for name, x in given.items() if name in (*owners(program), "p")}
    expected = differences(model, by_interpreter(program), known)
    close(interpreted(closed_derivatives(chosen, runtime=runtime), known), expected, 1e-9)


def test_a_long_row_of_loops_has_as_much_code_as_a_short_one() -> None:
    """Columns of all stages run in the same loops; only tables differ."""
    text = [
        len(generate(ladder(n), algorithm="derivatives").sources.files["ladder_derivatives.c"])
        for n in (3, 5)
    ]
    assert text[1] < 1.1 * text[0]


def owners(program: Any) -> set[str]:
    return {array.owner for array in program.arrays.values()}


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_absolute_coordinates_in_straight_code_and_in_loops(dimension: int) -> None:
    """In space the directions of an orientation are turns about the body's own axes."""
    model = mstmm.load("branch-pendulum") if dimension == 2 else spatial_tree(Random(1), 2)
    assert model.absolute
    rng = Random(4)
    q, v = absolute_state(rng, model)
    given = {"q": q, "v": v, "tau": [rng.uniform(-1, 1) for _ in v]}
    program = fast_program(plan(model), forced=True)
    expected = differences(model, by_interpreter(program), given)
    for straight in (0, 10**6):
        written = tangent_program(program, straight=straight)
        assert any(c.span for s in written.steps for c in s.calls) == (straight == 0)
        close(interpreted(written, given), expected)


def absolute_state(rng: Random, model: Model) -> tuple[list[float], list[float]]:
    v = [rng.uniform(-1, 1) for _ in model.speeds]
    if model.dimension == 2:
        return [rng.uniform(-3, 3) for _ in v], v
    turns = scipy.spatial.transform.Rotation.random(
        len(model.bodies), rng=rng.randrange(100)
    ).as_quat(scalar_first=True)
    return [float(x) for x in np.ravel(turns)], v


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("pins", "numpy"),
        pytest.param("pins", "c", marks=needs_compiler),
        pytest.param("pins", "c-batch", marks=needs_compiler),
        ("arm", "numpy"),
        pytest.param("arm", "c", marks=[SLOW, needs_compiler]),
        pytest.param("arm", "c-batch", marks=[SLOW, needs_compiler]),
        ("rod-chain:n=9", "numpy"),
        pytest.param("rod-chain:n=9", "c", marks=[SLOW, needs_compiler]),
        pytest.param("rod-chain:n=9", "c-batch", marks=[SLOW, needs_compiler]),
    ],
)
def test_solvers_give_them_over_batches(name: str, target: str) -> None:
    """Of trees by inverse dynamics, with a ball in one; of a chain by tangents in loops."""
    own = {"pins": pins, "arm": arm}
    model = own[name]() if name in own else mstmm.load(name)
    solver = mstmm.compile(model, target=target, parameters=("g",))
    rng = Random(6)
    states = [
        random_joint_state(rng, model) if name == "arm" else absolute_state(rng, model)
        for _ in range(3)
    ]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    tau = np.array([rng.uniform(-1, 1) for _ in model.speeds])
    found = solver.derivatives(q[:, None], v, tau)
    n = len(model.speeds)
    assert found.dq.shape == found.dv.shape == found.dtau.shape == (3, 3, n, n)
    assert found.dp.shape == (3, 3, n, 1)
    close(found.a, solver.accelerations(q[:, None], v, tau))
    whole = np.concatenate([found.dq, found.dv, found.dtau, found.dp], axis=-1)
    program = derivative_program(plan(model), runtime=("g",))
    given = {"q": q[1], "v": v[2], "tau": tau, "p": [model.parameters["g"]]}
    close(whole[1, 2], interpreted(program, given))
    halved = solver.derivatives(q[1], v[2], tau, parameters={"g": 0.5 * model.parameters["g"]})
    assert np.abs(halved.dq - found.dq[1, 2]).max() > 1e-3


def arm() -> Model:
    """A body on a ball, and one on a hinge on it."""
    return system(Sketch(3, (-1, 0), ("ball", "revolute"), (True, False), ("", ""), (), 1)).model


@pytest.mark.parametrize("algorithm", ["rnea-body", "riccati"])
def test_any_algorithm_has_them(algorithm: str) -> None:
    model = pins()
    q, v = random_joint_state(Random(2), model)
    found = mstmm.compile(model, algorithm=algorithm, target="numpy").derivatives(q, v)
    own = mstmm.compile(model, algorithm="derivatives", target="numpy")
    np.testing.assert_array_equal(found.dq, own.derivatives(q, v).dq)
    with pytest.raises(UsageError, match="algorithm='riccati'"):
        own.accelerations(q, v)
    with pytest.raises(UsageError, match="overall has no derivatives"):
        tangent_program(overall_program(plan(mstmm.load("branch-pendulum")), forced=True))


@pytest.mark.parametrize("form", ["fast", pytest.param("tangent", marks=pytest.mark.slow)])
def test_validate_names_a_wrong_block(form: str) -> None:
    """As emitted all is proven; with one sign turned the block is named."""
    solver = mstmm.compile(pins(), algorithm="derivatives", form=form, target="numpy")
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst
    source = solver.generated.sources.files[f"{solver.generated.sources.interface.prefix}.py"]
    stem, kernel = ("varied", "varied_q") if form == "fast" else ("inward", "d_through_pin")
    steps = [step.name for step in solver.generated.module.steps]
    step = next(name for name in steps if name.startswith(stem))
    body = source[source.index(f"def _{step}(") :].split("\ndef ")[0]
    line = next(x for x in body.splitlines() if re.search(r" = .* - .*", x))
    wrong = source.replace(line, line.replace(" - ", " + ", 1), 1)
    proof = proof_of_blocks(altered(solver.generated, wrong))
    bad = [row.kernel for row in proof.rows if not row.ok and not row.kernel.startswith(NO_BLOCKS)]
    assert bad
    assert all(row.startswith(f"{step}: ") for row in bad)
    assert any(kernel in row for row in bad), bad


def pins() -> Model:
    """Two bodies on pins, the second with friction."""
    return system(Sketch(2, (-1, 0), ("pin", "pin"), (False, False), ("", "friction"), (), 1)).model


def altered(generated: Any, text: str) -> Any:
    """A solver of changed NumPy code."""
    sources = generated.sources
    files = {**sources.files, f"{sources.interface.prefix}.py": text}
    changed = SimpleNamespace(files=files, interface=sources.interface)
    return SimpleNamespace(target="numpy", generated=generated, backend=NumpyModule(changed))


def pendulum() -> Model:
    """A bob of mass m at the end of a light rod of length L."""
    body = Body("bob", 2.0, 0.0, (0.5, 0.0), (Point("O", (0.0, 0.0)),))
    hinge = Hinge("h", "pin", (End(GROUND, "O"), End("bob", "O")))
    return Model("pendulum", 2, (body,), (hinge,), gravity=(0.0, -9.81), absolute=False)


def test_a_pendulum_by_hand() -> None:
    """m L² q̈ = τ − m g L cos q, q from the horizontal."""
    solver = mstmm.compile(pendulum(), target="numpy")
    q, v = 0.4, 1.5
    A, B = solver.linearize([q], [v])
    close(A, [[0, 1], [9.81 / 0.5 * np.sin(q), 0]])
    close(B, [[0], [1 / (2.0 * 0.25)]])


def test_linearization_of_turning_bodies() -> None:
    """Two neighbouring motions of a free body and a ball on it: how their distance changes."""
    state = system(Sketch(3, (-1, 0), ("free", "ball"), (False, False), ("", ""), (), 3))
    solver = mstmm.compile(state.model, target="numpy")
    A, B = solver.linearize(state.q, state.v, state.tau)
    n = len(state.v)
    h = 1e-4
    for column in range(2 * n):
        apart = np.zeros(2 * n)
        apart[column] = 1e-5

        def at(t: float, apart: Any = apart) -> Any:
            """The distance of two steady motions after a time, seen from the first."""
            q = along(state.q, state.v * t)
            return distance(q, along(along(state.q, apart[:n]), (state.v + apart[n:]) * t))

        rate = (at(h) - at(-h)) / (2 * h)
        close(A[:n] @ apart * 1e5, rate * 1e5, 1e-4)
    assert not B[:n].any()


def along(q: Any, motion: Any) -> Any:
    """A free body moved along and about its own axes, both at once, and a ball's turn."""
    turn = scipy.spatial.transform.Rotation.from_quat(q[3:7], scalar_first=True)
    ball = scipy.spatial.transform.Rotation.from_quat(q[7:], scalar_first=True)
    half = scipy.spatial.transform.Rotation.from_rotvec(
        motion[3:6] / 2
    )  # to second order in the time
    place = q[:3] + (turn * half).apply(motion[:3])
    turned = turn * scipy.spatial.transform.Rotation.from_rotvec(motion[3:6])
    return np.concatenate(
        [
            place,
            turned.as_quat(scalar_first=True),
            (ball * scipy.spatial.transform.Rotation.from_rotvec(motion[6:])).as_quat(
                scalar_first=True
            ),
        ]
    )


def distance(q: Any, other: Any) -> Any:
    first, second = (
        scipy.spatial.transform.Rotation.from_quat(x[3:7], scalar_first=True) for x in (q, other)
    )
    ball, turned = (
        scipy.spatial.transform.Rotation.from_quat(x[7:], scalar_first=True) for x in (q, other)
    )
    return np.concatenate(
        [
            first.inv().apply(other[:3] - q[:3]),
            (first.inv() * second).as_rotvec(),
            (ball.inv() * turned).as_rotvec(),
        ]
    )


@pytest.mark.parametrize("policy", Policy)
def test_the_tangent_of_a_solve(policy: Policy) -> None:
    """A(s) x = b(s): ẋ = A⁻¹ (ḃ − Ȧ x), and of |s| and a step what they have beside corners."""
    kernel = KernelBuilder("k", "k")
    s = kernel.take("s")[0]
    A = sp.Matrix([[2 + s**2, s], [s, 3 + sp.Abs(s)]])
    reach = A.diagonal().T if policy is Policy.MIN_NORM else None
    x = kernel.solve("x", A, sp.Matrix([sp.sin(s), sp.sign(s)]), "own", policy, reach=reach)
    kernel.let("y", sp.Matrix([x[0] * x[1]]), "own")
    kernel.let("steady", sp.Matrix([7]), "own")
    changed = tangent_kernel(kernel.build("y", "steady"), frozenset({"s"}))
    assert [port.name for port in changed.outputs] == ["d_y"]
    assert [port.name for port in changed.inputs] == ["s", "d_s"]
    from mstmm.symbolic.language.arithmetic import FLOAT
    from mstmm.symbolic.language.interpreter import evaluate

    found = evaluate(changed, {"s": [0.7], "d_s": [2.0]}, FLOAT)["d_y"][0]
    y = A.LUsolve(sp.Matrix([sp.sin(s), 1]))
    slope = sp.diff(sp.prod(y), s).subs(s, sp.Rational(7, 10))
    close(found, 2 * float(slope))


def test_columns_that_cannot_vary_are_not_there() -> None:
    """On one branch nothing is computed along the hinges of another."""
    model = joint_tree(Random(9), 2, bodies=4)
    program = joint_program(plan(model), forced=True)
    written = tangent_program(program)
    columns = Columns(len(model.speeds), ())
    assert columns.count == 3 * len(model.speeds)
    for call in written.step("spins").calls:
        for ref in call.writes.values():
            if ref.column is not None:
                speed = model.speeds[ref.column % len(model.speeds)]
                assert speed in speeds_inside(model, ref.member)


def speeds_inside(model: Model, member: str) -> set[str]:
    """The speeds of the hinges between a body and the ground."""
    chosen = plan(model)
    hinges = {chosen.link(name).hinge for name in chosen.way(member)}
    return {u for hinge in model.hinges if hinge.name in hinges for u in model.hinge_speeds(hinge)}


def test_differences_see_a_wrong_direction() -> None:
    """The check itself: turned about the inertial axis instead of its own a body goes elsewhere."""
    state = system(Sketch(3, (-1,), ("ball",), (False,), ("",), (), 3))
    with mpmath.workdps(30):
        there = moved(state.model, state.q, 0, mpmath.mpf("0.1"))
        turn = scipy.spatial.transform.Rotation.from_quat(state.q, scalar_first=True)
        own = turn * scipy.spatial.transform.Rotation.from_rotvec([np.arctan(0.05) * 2, 0, 0])
        wrong = scipy.spatial.transform.Rotation.from_rotvec([np.arctan(0.05) * 2, 0, 0]) * turn
        found = np.array([float(x) for x in there])
    close(found, own.as_quat(scalar_first=True))
    assert np.abs(found - wrong.as_quat(scalar_first=True)).max() > 1e-3
    assert generate(state.model, algorithm="derivatives").program.algorithm == "derivatives"


def test_inverse_dynamics_is_the_cheaper_way() -> None:
    """The rule by which the way is chosen, counted on a chain of six pins."""
    count = 6
    parents = tuple(range(-1, count - 1))
    made = Sketch(2, parents, ("pin",) * count, (False,) * count, ("",) * count, (), 1)
    operations = {}
    for form in ("fast", "tangent"):
        module = generate(system(made).model, algorithm="derivatives", form=form).module
        operations[form] = sum(module.operations(module.entries[0]).values())
    assert 2 * operations["fast"] < operations["tangent"]


def test_a_parameter_called_like_a_loops_column() -> None:
    """The four-bar's rocker is `c` long: in loops over columns its name stands for no column."""
    model = mstmm.load("four-bar")
    solver = mstmm.compile(model, target=TARGET)
    q, v = solver.project(np.array(model.q0) + 0.02, [0.3, -0.2, 0.5])
    found = solver.derivatives(q, v)
    given = {"q": q.tolist(), "v": v.tolist(), "tau": [0.0] * 3}
    expected = interpreted(tangents_of_dynamics(plan(model)), given)
    close(np.hstack([found.dq, found.dv, found.dtau]), expected)
