"""What of a body's mass its hinge does not move may as well belong to the parent."""

from __future__ import annotations

from random import Random

import mpmath
import pytest
import sympy as sp
from random_models import joint_tree

from mstmm.codegen.proof.points import sample
from mstmm.model.parts.hinge_kinds import HINGE_KINDS, SIZES
from mstmm.symbolic.exact.evaluation import Points
from mstmm.symbolic.language.arithmetic import digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program, Slot, Storage
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.methods.inverse.places import Representation
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.methods.regroup import DEEPEST, regrouped, unnoticed
from mstmm.symbolic.methods.riccati.bias import Bias
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan
from mstmm.symbolic.tree.joint import Joint

#: Entries of the pseudo-inertia [[Σ, h], [hᵀ, m]] that a hinge does not move.
MASS, ALONG, ALONG_TWICE = (3, 3), (2, 3), (2, 2)
SECOND = {(i, j) for i in range(3) for j in range(i, 3)}
EXPECTED = {
    "revolute": {MASS, ALONG, ALONG_TWICE},
    "prismatic": SECOND,
    "helical": {ALONG_TWICE},
    "cylindrical": {ALONG_TWICE},
    "universal": {MASS},
    "planar": {ALONG_TWICE},
    "slot": {ALONG_TWICE},
    "ball": {MASS},
    "free": set(),
    "elastic": set(),
    "fixed": SECOND | {(k, 3) for k in range(4)},
}


def test_what_each_kind_of_hinge_does_not_move() -> None:
    assert EXPECTED.keys() == set(HINGE_KINDS[3])
    assert {kind: set(unnoticed(kind, False)) for kind in EXPECTED} == EXPECTED


@pytest.mark.parametrize("kind", sorted(EXPECTED))
@pytest.mark.parametrize("backward", [False, True])
def test_the_energies_do_not_tell_where_that_mass_is(kind: str, backward: bool) -> None:
    """½ tr(Ṫ P Ṫᵀ) and T P e₄ of the link and of its parent, exactly, at random motions."""
    points, of = Points(3), joint(3, kind)
    values: dict[sp.Expr, sp.Expr] = {}
    coordinates = iter(of.q)
    for slot in of.slots:
        if slot is Slot.QUATERNION:
            values |= {next(coordinates): x for x in points.quaternion()}
            continue
        q = next(coordinates)
        values[sp.cos(q)], values[sp.sin(q)] = points.circle()
        values[q] = points.number()
    values |= dict(zip(of.u, points.vector(len(of.u)) if len(of.u) else (), strict=True))
    values |= {size: points.number() for size in SIZES}

    def pose(R: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        return sp.Matrix(sp.BlockMatrix([[R, p], [sp.zeros(1, 3), sp.eye(1)]]).as_explicit())

    R, p = of.rotation, of.position
    A = pose(R.T, -R.T * p) if backward else pose(R, p)
    rate = sum((A.diff(q) * r for q, r in zip(of.q, of.rates, strict=True)), sp.zeros(4))
    at_start = {q: sp.Integer(0) for q in of.q}
    if Slot.QUATERNION in of.slots:
        at_start[of.q[len(of.q) - 4]] = sp.Integer(1)
    start = A.xreplace(at_start).applyfunc(sp.simplify)
    A, rate = A.xreplace(values), rate.xreplace(values)
    P = sp.zeros(4)
    for i, j in unnoticed(kind, backward):
        P[i, j] = P[j, i] = points.number()
    parent = pose(points.rotation(3), points.vector(3))
    motion = sp.Matrix(4, 4, [points.number() for _ in range(16)])
    T, Tdot = parent * A, motion * A + parent * rate
    moved = start * P * start.T
    assert (Tdot * P * Tdot.T).trace() == (motion * moved * motion.T).trace()
    assert (T * P)[:, 3] == (parent * moved)[:, 3]


@pytest.mark.parametrize("seed", range(4))
def test_the_drift_gives_the_accelerations_of_the_plain_recursion(seed: int) -> None:
    """For random trees of all kinds of hinges that hold something: two recursions, other constants.

    The axes of points are doubles, orthogonal to a few 1e-16, which is what is left of 50 digits.
    """
    dimension = 3 if seed else 2
    holding = [kind for kind in HINGE_KINDS[dimension] if kind not in ("free", "elastic")]
    model = joint_tree(Random(seed), dimension, holding, bodies=5)
    agree(joint_program(plan(model), forced=True), "accelerations", "joint_loads", "a", 50)


def test_a_revolute_link_keeps_seven_numbers() -> None:
    model = joint_tree(Random(1), 3, bodies=5)
    tree = Joint(plan(model), forced=False)
    values = {
        sp.Symbol(name, real=True): sp.Rational(str(value))
        for name, value in model.parameters.items()
    }
    data = regrouped(tree, values)
    for link in tree.plan.links:
        attached = tree.attachment(link)
        for i, j in unnoticed(attached.hinge.kind, attached.backward):
            assert data[link.name].pseudo[i, j] == 0, (attached.hinge.kind, i, j)


def test_deep_trees_keep_the_plain_recursion() -> None:
    from mstmm.model import load

    shallow, deep = (
        Joint(plan(load("ball-chain", n=n)), forced=False) for n in (DEEPEST, DEEPEST + 1)
    )
    assert Bias.serves(shallow)
    assert not Bias.serves(deep)
    arrays = joint_program(plan(load("ball-chain", n=DEEPEST + 1))).arrays.values()
    assert not any(a.name.endswith("b") and a.storage is Storage.WORK for a in arrays)


@pytest.mark.parametrize("of", list(Representation))
def test_forces_alone_take_the_lighter_wrenches(of: Representation) -> None:
    """Of a tree of all kinds of hinges: the same forces as with the loads, from other constants."""
    model = joint_tree(Random(5), 3, list(HINGE_KINDS[3]), bodies=6)
    program = inverse_program(plan(model), of=of)
    agree(program, "inverse_dynamics", "inverse_loads", "tau", 50)


def test_the_mass_matrix_of_regrouped_constants_is_the_same() -> None:
    model = joint_tree(Random(5), 3, list(HINGE_KINDS[3]), bodies=6)
    found = []
    for regroup in (True, False):
        program = inverse_program(plan(model), regroup=regroup)
        with mpmath.workdps(50):
            given = sample(program, Random(1), 0)
            run = Interpreter(program, digits(50), {}).run("mass_matrix", given)
            found.append([run[ref][0] for ref in program.refs("M")])
            composites = program.step("composites")
        found.append([[*call.reads["J"]] for call in composites.calls if "J" in call.reads])
    light, constants, whole, others = found
    assert constants != others
    assert max(abs(x - y) for x, y in zip(light, whole, strict=True)) <= 1e-13 * max(whole)


def test_floating_trees_take_the_lighter_recursion() -> None:
    """They take nothing from their bias."""
    model = joint_tree(Random(2), 3, ["free", "revolute", "ball"], bodies=6)
    assert not Bias.serves(Joint(plan(model), forced=True))
    agree(joint_program(plan(model), forced=True), "accelerations", "joint_loads", "a", 50)


def agree(program: Program, short: str, plain: str, result: str, places: int) -> None:
    """Two entries give the same result, by sweeps of their own."""
    sweeps = {entry.name: entry.steps for entry in program.entries}
    assert "inward_b" in sweeps[short]
    assert "inward_b" not in sweeps[plain]
    interpreter = Interpreter(program, digits(places), {})
    with mpmath.workdps(places):
        given = {
            name: list(map(mpmath.mpf, x)) for name, x in sample(program, Random(1), 0).items()
        }
        light, whole = (interpreter.run(name, given) for name in (short, plain))
        refs = list(program.refs(result))
        scale = max(abs(whole[ref][0]) for ref in refs)
        assert scale > 0
        assert all(abs(light[ref][0] - whole[ref][0]) <= 1e-13 * scale for ref in refs)
