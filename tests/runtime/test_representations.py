"""Inverse dynamics in four representations: against the judges, each other and forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random

import acting_models
import beam_models
import loop_models
import numpy as np
import pytest
from closeness import close
from compiler import TARGETS, needs_compiler
from coupled_models import with_couplings, with_rotors
from hypothesis import given, settings
from proofs import proof_of_blocks
from random_models import joint_tree, joint_trees, random_joint_state, random_wrenches
from reading import FORCE_FIRST, Reading
from scenarios import INVERSE

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.methods.algorithms import chosen
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray

KINDS = [(d, kind) for d in (2, 3) for kind in HINGE_KINDS[d]]


def program_of(algorithm: str, model: Model) -> Program:
    """With external loads."""
    return chosen(algorithm).program(plan(model), forced=True)


def agree(model: Model, **arguments: Sequence[float] | Array) -> dict[str, Array]:
    """All results of inverse dynamics with loads, equal in the four representations."""
    first, *others = (
        Reading(program_of(algorithm, model))("inverse_loads", **arguments) for algorithm in INVERSE
    )
    for found in others:
        assert found.keys() == first.keys()
        for name, value in first.items():
            close(found[name], value)
    return first


def test_one_freedom_has_a_screw_fixed_in_the_link() -> None:
    """What the kernels of a fixed screw take for granted: H does not change in the child's axes."""
    found = [joint(d, kind) for d, kind in KINDS if HINGE_KINDS[d][kind].speeds == 1]
    found = [of for of in found if of.steady(backward=False)]
    assert len(found) == 5
    for of in found:
        assert of.bias.is_zero_matrix
        assert of.twist.is_zero_matrix
        assert not of.subspace.free_symbols & set(of.q)


# Everything else that rnea-body takes


@pytest.mark.parametrize("acting", ["loaded", "driven"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_loops(dimension: int, acting: str) -> None:
    """At any multipliers, as long as they are the same."""
    rng = Random(f"{dimension} {acting}")
    model, _ = loop_models.loop_model(rng, dimension, 3, 1, acting=acting, t=0.3)
    model = with_rotors(rng, model)
    conditions = program_of("rnea-body", model).sets["conditions"]
    q, v = random_joint_state(rng, model)
    values = {
        name: [rng.uniform(-3, 3) for _ in range(n)]
        for name, n in {"ad": len(v), "mu": len(conditions)}.items()
    }
    agree(model, q=q, v=v, t=[0.3], f=random_wrenches(rng, model), **values)


@pytest.mark.parametrize("dimension", [2, 3])
def test_couplings_and_driven_hinges(dimension: int) -> None:
    rng = Random(dimension)
    kinds = ["pin", "prismatic"] if dimension == 2 else ["revolute", "helical"]
    model = with_couplings(rng, joint_tree(rng, dimension, kinds, 4), 1)
    assert any(hinge.mimic for hinge in model.hinges)
    conditions = program_of("rnea-body", model).sets["conditions"]
    q, v = random_joint_state(rng, model)
    ad = [rng.uniform(-3, 3) for _ in v]
    mu = [rng.uniform(-3, 3) for _ in conditions]
    agree(model, q=q, v=v, ad=ad, mu=mu, f=random_wrenches(rng, model))
    from test_inverse import with_laws

    for driven in (False, True):
        model, _ = with_laws(rng, dimension, driven)
        q, v = random_joint_state(rng, model)
        ad = [rng.uniform(-3, 3) for _ in v]
        found = agree(model, q=q, v=v, ad=ad, t=[0.4], f=random_wrenches(rng, model))
        assert ("drive" in found) == driven


def check_compiled(algorithm: str, target: str, model: Model) -> None:
    """In batches, with and without loads; what it computes is proven block by block."""
    rng = Random(algorithm)
    body = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    solver = mstmm.compile(model, algorithm=algorithm, target=target)
    states = [random_joint_state(rng, model) for _ in range(3)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    a = np.array([[rng.uniform(-5, 5) for _ in model.speeds] for _ in states])
    wrenches = np.zeros((len(model.bodies), 6))
    wrenches[:, FORCE_FIRST[model.dimension]] = random_wrenches(rng, model)
    for loads in ({}, {"wrenches": wrenches}):
        expected = body.inverse_dynamics(q, v, a, t=0.7, **loads)
        close(solver.inverse_dynamics(q, v, a, t=0.7, **loads), expected)
        expected = body.inverse_loads(q, v, a, t=0.7, frame="body", **loads)
        close(solver.inverse_loads(q, v, a, t=0.7, frame="body", **loads), expected)
    close(solver.mass_matrix(q), body.mass_matrix(q))
    close(solver.energy(q, v, t=0.7), body.energy(q, v, t=0.7))
    proof = proof_of_blocks(solver, points=1)
    assert proof.ok, proof.worst


@pytest.mark.parametrize(
    ("algorithm", "target"),
    [
        ("rnea-spatial", "numpy"),
        pytest.param("rnea-hybrid", "c", marks=needs_compiler),
        pytest.param("rnea-mixed", "c-batch", marks=needs_compiler),
    ],
)
def test_compiled(algorithm: str, target: str) -> None:
    """With energies stored in hinges."""
    rng = Random(2)
    model = acting_models.sprung(rng, joint_tree(rng, 2, None, 3))
    check_compiled(algorithm, target, model)


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, pytest.param("c-batch", marks=needs_compiler)])
@pytest.mark.parametrize("algorithm", INVERSE[1:])
def test_compiled_with_all_that_acts(algorithm: str, target: str) -> None:
    rng = Random(algorithm)
    model = acting_models.tree(rng, 3, 3, elastic=0.0)
    check_compiled(algorithm, target, acting_models.moved(rng, acting_models.loaded(rng, model)))


def test_beams_are_refused() -> None:
    model = beam_models.beam_tree(Random(1), 2)
    for algorithm in INVERSE[1:]:
        with pytest.raises(UsageError, match=f"{algorithm} takes rigid bodies alone.*rnea-body"):
            mstmm.compile(model, algorithm=algorithm, target="numpy")


# Forward after inverse dynamics

#: Those that take every tree, and one that says by name what it does not take.
FORWARD = ("riccati", "overall", "slaats")
SOME = "dca"


def identity(model: Model) -> None:
    """Forward dynamics at the forces of inverse dynamics gives the accelerations, in every pair.

    Judged by what the accelerations are worth as forces, M a: what M hardly sees is not known.
    """
    rng = Random(len(model.speeds))
    wrenches = random_wrenches(rng, model)
    a = np.array([rng.uniform(-5, 5) for _ in model.speeds])
    at: Mapping[str, Sequence[float] | Array] = {"q": model.q0, "v": model.v0, "f": wrenches}
    programs = {inverse: program_of(inverse, model) for inverse in INVERSE}
    gathered = Reading(programs["rnea-body"])("mass_matrix", **at, ad=a)
    M = gathered["M"].reshape(len(a), len(a))
    forces = {
        inverse: Reading(program)("inverse_dynamics", **at, ad=a)["tau"]
        for inverse, program in programs.items()
    }
    forwards = {forward: program_of(forward, model) for forward in FORWARD}
    with suppress(UsageError):
        forwards[SOME] = program_of(SOME, model)
    for forward, program in forwards.items():
        for inverse, tau in forces.items():
            found = Reading(program)("accelerations", **at, tau=tau)["a"]
            size = max(1.0, np.abs(tau).max(), np.abs(M).max() * np.abs(a).max())
            assert np.abs(M @ (found - a)).max() < 1e-10 * size, (inverse, forward)


@settings(max_examples=4, deadline=None)
@given(joint_trees(3, ["revolute", "prismatic", "universal"], largest=2))
def test_forward_after_inverse(model: Model) -> None:
    identity(model)


@settings(max_examples=12, deadline=None)
@given(joint_trees(2, ["pin", "prismatic"], largest=3))
def test_forward_after_inverse_in_the_plane(model: Model) -> None:
    identity(model)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(joint_trees(3, largest=8) | joint_trees(2, largest=12))
def test_forward_after_inverse_of_a_thousand_trees(model: Model) -> None:
    identity(model)


def test_articulated_is_another_name() -> None:
    """The fast form of `riccati` is the articulated-body recursion; its code is the same."""
    model = joint_tree(Random(4), 2, ["pin"], 2)
    named = mstmm.compile(model, algorithm="articulated", target="numpy")
    riccati = mstmm.compile(model, target="numpy")
    assert named.generated.sources.files == riccati.generated.sources.files
    found = named.accelerations(model.q0, model.v0)
    assert (found == riccati.accelerations(model.q0, model.v0)).all()
    with pytest.raises(UsageError, match="articulated"):
        mstmm.compile(model, algorithm="articulated", form="paper", target="numpy")
    with pytest.raises(UsageError, match="articulated does not compute mass_matrix"):
        named.mass_matrix(model.q0)
