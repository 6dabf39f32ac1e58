"""M, C and gravity's forces: against the judge, other algorithms, Lagrange and their own laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import mpmath
import numpy as np
import pytest
import sympy as sp
from acting_models import sprung
from closeness import close
from compiler import needs_compiler
from coupled_models import with_rotors
from independent.joints import _inertia, _number, _place, joint_motion, poses
from independent.tree import extended
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state
from test_inverse import arm, with_laws

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Body, Model, Point
from mstmm.model.expressions.quantities import parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.capabilities.closed_form import VARIANTS
from mstmm.symbolic.exact import screws
from mstmm.symbolic.language.arithmetic import FLOAT, Arithmetic, digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.mechanics.hinges import tidy
from mstmm.symbolic.mechanics.space import Space
from mstmm.symbolic.methods.closed.program import closed_program
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.plans.plan import Plan, plan

#: Double precision; 2e-13 was seen, of values scaled to the largest.
TOLERANCE = 1e-11

#: Differences at this step, in 50 digits, are right to 30.
STEP = mpmath.mpf(10) ** -16

#: The axes in a random model are orthogonal to double precision only; 5e-15 was seen.
ROUNDED = 1e-12

Array = np.ndarray
EXACT = extended(50)
LONGEST = ((3, "free"), (3, "elastic"))

#: Those of six freedoms in space take longest.
KINDS = [
    pytest.param(d, kind, marks=pytest.mark.slow if (d, kind) in LONGEST else ())
    for d in (2, 3)
    for kind in HINGE_KINDS[d]
]


class Closed:
    """The interpreted closed form of a model."""

    def __init__(self, model: Model, arithmetic: Arithmetic = FLOAT) -> None:
        self.n = len(model.speeds)
        self.run = Interpreter(closed_program(plan(model)), arithmetic).results

    def matrix(self, entry: str, q: Sequence, v: Sequence) -> Array:
        (found,) = self.run(entry, {"q": list(q), "v": list(v)}).values()
        return np.array(found).reshape(self.n, self.n)

    def mass(self, q: Sequence) -> Array:
        return self.matrix("mass_matrix", q, [0] * self.n)

    def coriolis(self, variant: str, q: Sequence, v: Sequence) -> Array:
        return self.matrix(f"coriolis_{variant}", q, v)

    def result(self, name: str, entry: str, q: Sequence, v: Sequence) -> Array:
        return np.array(self.run(entry, {"q": list(q), "v": list(v)})[name])


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
def test_every_hinge_kind(dimension: int, kind: str) -> None:
    """M, C v and g give the judge's accelerations, whatever the variant; M is known otherwise."""
    rng = Random(f"{dimension} {kind}")
    model = with_rotors(rng, joint_tree(rng, dimension, [kind], 2))
    q, v = model.q0, model.v0
    tau = [rng.uniform(-5, 5) for _ in model.speeds]
    a = np.asarray(joint_motion(model, q, v, tau).accelerations, dtype=float)
    found = Closed(model)
    M = found.mass(q)
    gravity = found.result("gravity", "gravity_forces", q, v)
    bias = found.result("bias", "bias_forces", q, v)
    close(M @ a + bias, np.array(tau), TOLERANCE * max(1.0, np.abs(a).max()))
    assert (M == M.T).all()
    assert np.linalg.eigvalsh(M).min() > 0
    for variant in VARIANTS:
        total = M @ a + found.coriolis(variant, q, v) @ np.array(v) + gravity
        close(total, np.array(tau), TOLERANCE * max(1.0, np.abs(a).max()))
    other = Interpreter(inverse_program(plan(model)))
    given = {"q": q, "v": v, "ad": [0.0] * len(v)}
    close(M, np.array(other.results("mass_matrix", given)["M"]).reshape(M.shape))
    rest = given | {"v": [0.0] * len(v)}
    close(gravity, other.results("inverse_dynamics", rest)["tau"])


def rates_of(model: Model, q: Sequence, v: Sequence) -> Array:
    found = Interpreter(closed_program(plan(model)), digits(50)).results(
        "rates", {"q": list(q), "v": list(v)}
    )
    return np.array(found["qd"])


def skewness(model: Model) -> dict[str, tuple[float, float]]:
    """By variant: how far Ṁ − 2 C is from skew, and vᵀ (Ṁ − 2 C) v; differences in 50 digits."""
    with mpmath.workdps(50):
        q, v = (np.array([mpmath.mpf(x) for x in given]) for given in (model.q0, model.v0))
        found = Closed(model, digits(50))
        step = STEP * rates_of(model, q, v)
        change = (found.mass(q + step) - found.mass(q - step)) / (2 * STEP)
        apart = {}
        for variant in VARIANTS:
            N = change - 2 * found.coriolis(variant, q, v)
            apart[variant] = float(abs(N + N.T).max()), float(abs(v @ N @ v))
        return apart


@pytest.mark.parametrize(
    ("dimension", "kinds"), [(3, ["revolute", "universal", "ball"]), (2, ["pin", "slot"])]
)
def test_the_change_of_mass_less_twice_c_is_skew(dimension: int, kinds: list[str]) -> None:
    """Of two variants; the printed one's is not, though vᵀ (Ṁ − 2 C) v is zero."""
    rng = Random(3)
    apart = skewness(joint_tree(rng, dimension, kinds, 3))
    for variant, (skew, power) in apart.items():
        assert power < ROUNDED
        assert (skew < ROUNDED) == (variant != "printed")
    assert apart["printed"][0] > 1e-2


def christoffel(model: Model) -> tuple[Array, Array]:
    """Γ by differences of M in 50 digits (86), and as C at unit speeds."""
    with mpmath.workdps(50):
        q = np.array([mpmath.mpf(x) for x in model.q0])
        found = Closed(model, digits(50))
        n = found.n
        ones = np.array([[mpmath.mpf(int(i == j)) for j in range(n)] for i in range(n)])
        slopes = np.array(
            [(found.mass(q + STEP * e) - found.mass(q - STEP * e)) / (2 * STEP) for e in ones]
        )
        by_mass = slopes.transpose(1, 2, 0) + slopes.transpose(1, 0, 2) - slopes
        by_c = np.stack([found.coriolis("christoffel", q, e) for e in ones], axis=-1)
        return by_mass / 2, by_c


@pytest.mark.parametrize(
    ("dimension", "kinds"),
    [(3, ["revolute", "prismatic", "helical"]), (3, ["universal", "cylindrical"]), (2, ["slot"])],
)
def test_christoffel_symbols_are_those_of_the_mass_matrix(dimension: int, kinds: list[str]) -> None:
    """Of hinges with several freedoms too, whose own axes change."""
    model = joint_tree(Random(f"{kinds}"), dimension, kinds, 2 if dimension == 3 else 3)
    expected, found = christoffel(model)
    assert float(abs(found - expected).max()) < ROUNDED
    assert float(abs(found - found.transpose(0, 2, 1)).max()) < ROUNDED


@pytest.mark.parametrize("kinds", [["revolute", "prismatic", "helical"], ["revolute"]])
def test_coriolis_matrices_by_body_fixed_twists(kinds: list[str]) -> None:
    """(85), Jᵀ M J̇ − Jᵀ X J, with X of each variant and J, J̇ by differences of the judge's poses.

    Of hinges with one freedom, whose speeds are the rates of their coordinates.
    """
    model = joint_tree(Random(f"{kinds}"), 3, kinds, 3)
    with mpmath.workdps(50):
        q, v = (np.array([mpmath.mpf(x) for x in given]) for given in (model.q0, model.v0))

        def columns(q: Array) -> Array:
            """J of each body, (bodies, 6, n): (ω, v) of C⁻¹ ∂C, C being its pose."""
            here = poses(model, q, EXACT)
            found = []
            for e in np.eye(len(q), dtype=int):
                ahead, behind = (poses(model, q + s * STEP * e, EXACT) for s in (1, -1))
                back = here.transpose(0, 2, 1)[:, :3, :3]
                change = back @ ((ahead - behind) / (2 * STEP))[:, :3]
                found.append([[W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]] for W in change])
            return np.array(found).transpose(1, 2, 0)

        J = columns(q)
        rate = (columns(q + STEP * v) - columns(q - STEP * v)) / (2 * STEP)
        total = dict.fromkeys(VARIANTS, 0)
        for k, (J_i, rate_i) in enumerate(zip(J, rate, strict=True)):
            M = inertia(model, k)
            b, momentum = screws.ad(sp.Matrix(J_i @ v)), sp.Matrix(M @ J_i @ v)
            ad, held = (np.array(x.tolist()) for x in (b, screws.bar(momentum)))
            X = {"printed": ad.T @ M, "skew": held}
            X["christoffel"] = (X["printed"] + held - M @ ad) / 2
            for variant in VARIANTS:
                total[variant] = total[variant] + J_i.T @ (M @ rate_i - X[variant] @ J_i)
        found = Closed(model, digits(50))
        for variant, expected in total.items():
            error = found.coriolis(variant, q, v) - expected
            assert float(abs(error).max()) < ROUNDED, variant


def inertia(model: Model, k: int) -> Array:
    """[[Θ, m ~c], [−m ~c, m 1]] of a body about its origin, along its axes."""
    m = _number(model, model.bodies[k].mass, EXACT)
    centre = _place(model, model.bodies[k].centre, EXACT)
    c = np.array(screws.skew(sp.Matrix(centre)).tolist())
    return np.block([[_inertia(model, k, EXACT) - m * c @ c, m * c], [-m * c, m * np.eye(3)]])


def test_the_wrenches_are_the_momenta_s_change() -> None:
    """(80): Jᵀ (Π̇ − W) = τ, Π̇ by differences along a motion, W the bodies' weights."""
    model = joint_tree(Random(8), 3, ["revolute", "ball", "universal"], 3)
    chosen = plan(model)
    rng = Random(1)
    with mpmath.workdps(50):
        q, v, a = (
            np.array([mpmath.mpf(x) for x in given])
            for given in (model.q0, model.v0, [rng.uniform(-3, 3) for _ in model.speeds])
        )
        found = Closed(model, digits(50))
        step = rates_of(model, q, v)

        def momenta(s: mpmath.mpf) -> Array:
            return found.result("momenta", "spatial_momenta", q + s * step, v + s * a).reshape(
                -1, 6
            )

        change = (momenta(STEP) - momenta(-STEP)) / (2 * STEP)
        J = found.result("screws", "screws", q, v).reshape(-1, 6)
        needed = found.result("gravity", "gravity_forces", q, v)
        own = {s: hinge for hinge in model.hinges for s in model.hinge_speeds(hinge)}
        places = {body.name: k for k, body in enumerate(model.bodies)}
        for k, name in enumerate(model.speeds):
            moved = [b for b in places if own[name].name in ways(chosen, b)]
            needed[k] += J[k] @ sum(change[places[body]] for body in moved)
        given = {"q": list(q), "v": list(v), "ad": list(a)}
        tau = Interpreter(inverse_program(chosen), digits(50)).results("inverse_dynamics", given)
        assert float(abs(needed - np.array(tau["tau"])).max()) < ROUNDED


def ways(chosen: Plan, body: str) -> set[str]:
    """The hinges between a body and the ground."""
    return {chosen.link(name).hinge for name in chosen.way(body)}


# In symbols


def two_links() -> Model:
    """Two pinned links of letters, with masses at their tips."""
    bodies = tuple(
        Body(
            str(k),
            parameter(f"m{k}"),
            0,
            (parameter(f"l{k}"), 0),
            (Point("O", (0, 0)), Point("I", (parameter(f"l{k}"), 0))),
        )
        for k in (1, 2)
    )
    given = {"l1": 0.7, "l2": 0.4, "m1": 1.5, "m2": 0.8, "g": 9.81}
    gravity = (0, -parameter("g"))
    return replace(arm((0.7, 0.4), (1.5, 0.8)), bodies=bodies, gravity=gravity, parameters=given)


def test_what_is_read_of_an_arm_is_lagrange_s() -> None:
    """M, C and g, composed out of the program's steps, and Lagrange's equations by SymPy."""
    model = two_links()
    read, n = mstmm.derive(model, algorithm="closed-form"), range(2)
    speeds = model.speeds
    q1, q2, u1, u2 = (sp.Symbol(x, real=True) for x in (*model.coordinates, *speeds))
    l1, l2, m1, m2, g = (sp.Symbol(x, real=True) for x in ("l1", "l2", "m1", "m2", "g"))
    t = sp.Symbol("t")
    a1, a2 = (sp.Function(f"a{k}")(t) for k in (1, 2))
    x1 = sp.Matrix([l1 * sp.cos(a1), l1 * sp.sin(a1)])
    x2 = x1 + l2 * sp.Matrix([sp.cos(a1 + a2), sp.sin(a1 + a2)])
    T = (m1 * x1.diff(t).dot(x1.diff(t)) + m2 * x2.diff(t).dot(x2.diff(t))) / 2
    V = g * (m1 * x1[1] + m2 * x2[1])
    accelerations = sp.symbols("ud1 ud2")
    named = {a.diff(t, 2): x for a, x in zip((a1, a2), accelerations, strict=True)}
    forces = []
    for a in (a1, a2):
        force = (T.diff(a.diff(t)).diff(t) - T.diff(a) + V.diff(a)).doit()
        force = force.subs(named).subs({a1.diff(t): u1, a2.diff(t): u2}).subs({a1: q1, a2: q2})
        forces.append(force)

    def entry(of: tuple[str, str], name: str, i: int, j: int) -> sp.Expr:
        step = of[i != j]
        return read.composed(f"{step}/{name}/{speeds[i]} {speeds[j]}")[0]

    M = sp.Matrix(2, 2, lambda i, j: entry(("masses", "mass_pairs"), "M", i, j))
    gravity = sp.Matrix([read.composed(f"weights/gravity/{speeds[i]}")[0] for i in n])
    for variant in VARIANTS:
        steps = f"{variant}_hinges", f"{variant}_pairs"
        C = sp.Matrix(2, 2, lambda i, j, of=steps, x=variant: entry(of, f"C_{x}", i, j))
        rest = M * sp.Matrix(accelerations) + C * sp.Matrix([u1, u2]) + gravity
        assert all(same(x, sp.Integer(0)) for x in rest - sp.Matrix(forces))


def same(a: sp.Expr, b: sp.Expr) -> bool:
    short = tidy(sp.Matrix([sp.expand_trig(a - b)]))[0]
    return bool(sp.trigsimp(short) == 0)


@pytest.mark.parametrize("dimension", [2, 3])
def test_operators_are_the_screw_paper_s_in_another_order(dimension: int) -> None:
    """(ω, v) = P (v, ω); in the plane P picks what moves there."""
    space = Space(dimension)
    rows, columns = ((2, 3, 4), (2, 0, 1)) if dimension == 2 else (range(6), (3, 4, 5, 0, 1, 2))
    P = sp.zeros(6, len(columns))
    for row, column in zip(rows, columns, strict=True):
        P[row, column] = 1
    V, W = (sp.Matrix(sp.symbols(f"{x}1:{space.motion + 1}", real=True)) for x in ("v", "w"))
    assert space.ad(V) == P.T * screws.ad(P * V) * P
    assert space.bar(W) == P.T * screws.bar(P * W) * P
    assert (space.bar(W) * V - space.ad(V).T * W).expand().is_zero_matrix


# Compiled


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("c", marks=needs_compiler),
        "numpy",
        pytest.param("c-batch", marks=[needs_compiler, pytest.mark.slow]),
    ],
)
def test_compiled(target: str) -> None:
    rng = Random(target)
    model = joint_tree(rng, 2, ["slot", "pin"], 2)
    solver = mstmm.compile(model, algorithm="closed-form", target=target)
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    states = [random_joint_state(rng, model) for _ in range(3)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    M, gravity = solver.mass_matrix(q), solver.gravity_forces(q)
    close(M, inverse.mass_matrix(q))
    bias = inverse.inverse_dynamics(q, v, 0 * v)
    close(solver.bias_forces(q, v), bias)
    for variant in VARIANTS:
        C = solver.coriolis_matrix(q, v, variant=variant)
        close(np.einsum("nij,nj->ni", C, v) + gravity, bias)
    symbols = solver.christoffel_symbols(q)
    close(np.einsum("nijk,nk->nij", symbols, v), solver.coriolis_matrix(q, v))
    assert solver.spatial_momenta(q, v).shape == (3, len(model.bodies), 6)
    assert solver.screws(q).shape == (3, len(model.speeds), 6)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_springs_are_no_part_of_it() -> None:
    """What they store is in the energy; M, C and g are those without them."""
    rng = Random(9)
    plain = joint_tree(rng, 2, ["pin", "slot"], 2)
    model = sprung(rng, plain)
    assert any(hinge.potential for hinge in model.hinges)
    with_springs, without = (
        mstmm.compile(each, algorithm="closed-form", target="numpy") for each in (model, plain)
    )
    q, v = plain.q0, plain.v0
    close(with_springs.coriolis_matrix(q, v), without.coriolis_matrix(q, v))
    close(with_springs.gravity_forces(q), without.gravity_forces(q))
    riccati = mstmm.compile(model, target="numpy")
    close(with_springs.energy(q, v), riccati.energy(q, v))


def test_what_it_does_not_take_is_refused() -> None:
    driven, _ = with_laws(Random(1), 2, driven=True)
    for model, reason in ((four_bar(), "closed loops"), (driven, "driven hinges")):
        with pytest.raises(UsageError, match=f"closed-form takes trees.*without {reason}; rnea"):
            mstmm.compile(model, algorithm="closed-form", target="numpy")
    solver = mstmm.compile(arm((1.0,), (1.0,)), algorithm="closed-form", target="numpy")
    with pytest.raises(UsageError, match="no variant 'other'"):
        solver.coriolis_matrix([0], [0], variant="other")
    with pytest.raises(UsageError, match="closed-form does not compute accelerations"):
        solver.accelerations([0], [0])
    riccati = mstmm.compile(arm((1.0,), (1.0,)), target="numpy")
    with pytest.raises(UsageError, match=r"riccati does not compute coriolis_.*'closed-form'"):
        riccati.coriolis_matrix([0], [0])


@pytest.mark.parametrize(("dimension", "kinds"), [(2, ["pin"]), (3, ["revolute", "prismatic"])])
def test_the_derivative_programs_say_the_same(dimension: int, kinds: Sequence[str]) -> None:
    """∂a/∂τ = M⁻¹, and ∂a/∂v = −2 M⁻¹ C, as C of Christoffel's symbols is linear in v.

    The slopes of M in the derivative along q at two accelerations are Γ_ijk + Γ_jik.
    """
    model = joint_tree(Random(f"{dimension} b"), dimension, kinds, 3)
    q, v = (np.array(x) for x in random_joint_state(Random(5), model))
    solver = mstmm.compile(model, target="numpy")
    closed = mstmm.compile(model, algorithm="closed-form", target="numpy")
    M, C = closed.mass_matrix(q), closed.coriolis_matrix(q, v)
    assert np.abs(closed.coriolis_matrix(q, v, variant="skew") - C).max() > 0.1  # another C
    tau, more = 0 * v, np.linspace(1.0, 2.0, len(v))
    slopes, others = solver.derivatives(q, v, tau), solver.derivatives(q, v, more)
    close(M @ slopes.dtau, np.eye(len(v)))
    close(M @ slopes.dv, -2 * C)
    symbols = closed.christoffel_symbols(q)
    of_mass = symbols + symbols.transpose(1, 0, 2)
    change = np.linalg.solve(M, more)
    close(M @ (others.dq - slopes.dq), -np.einsum("ijk,j->ik", of_mass, change))
