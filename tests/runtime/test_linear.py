"""Small motions about rest: counts and harmonic response, against matrices of the whole system."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from file_texts import ROOT
from loop_models import four_bar
from small_motions import (
    Dense,
    Interpreted,
    arm,
    closed_model,
    counted,
    held_still,
    pendulum,
    resting_tree,
    spring_chain,
    sprung_loops,
    tied_tree,
    twisted,
)

import mstmm
from mstmm.errors import OpenStateError, UsageError
from mstmm.model import Hinge, Load, Mimic
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.runtime.vibration.coded.small import independent
from mstmm.runtime.vibration.decaying import DampedModes

DATA = ROOT / "tests" / "data" / "linear"


def compiled(model: mstmm.model.Model, **how: object) -> mstmm.Solver:
    return mstmm.compile(model, **{"algorithm": "linear", "target": "numpy", **how})


def see_counts(model: mstmm.model.Model, seed: int) -> None:
    """The count and the determinant at frequencies below, between and beyond all eigenvalues."""
    dense, rng = Dense(model, np.array(model.q0)), np.random.default_rng(seed)
    solver, found = compiled(model), dense.eigenvalues
    span = max(1.0, abs(found).max())
    edges = np.sort(np.concatenate([found, [found[0] - span, found[-1] + span]]))
    at = np.array([a + (b - a) * rng.uniform(0.2, 0.8) for a, b in pairwise(edges)])
    apart = np.array([abs(x - found).min() > 1e-6 * span for x in at])
    got = solver.results("count", dense.q, omega2=at[:, None])
    below = np.array([(found < x).sum() for x in at])
    assert (got["below"].ravel()[apart] == below[apart]).all()
    logs = np.array([np.linalg.slogdet(dense.K - x * dense.M)[1] for x in at])
    # What the derivatives lose of K is lost near an eigenvalue.
    near = np.array([span / abs(x - found).min() for x in at])
    assert (abs(got["logdet"].ravel() - logs) < 1e-9 * near).all()
    assert (got["pivot"].ravel() <= 1.0).all()


@pytest.mark.parametrize("seed", range(30))
def test_what_is_below_is_counted(seed: int) -> None:
    see_counts(resting_tree(seed), seed)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_below_is_counted_with_springs_between_points(seed: int) -> None:
    see_counts(tied_tree(seed), seed)


def see_loops(model: mstmm.model.Model, seed: int) -> None:
    """Closed loops that forces keep strained: their eigenvalues are those of the linear system."""
    rng = np.random.default_rng(seed)
    riccati, q = mstmm.compile(model, target="numpy"), np.array(model.q0)
    still, tau = np.zeros(len(model.speeds)), held_still(riccati, q, rng)
    assert abs(riccati.accelerations(q, still, tau)).max() < 1e-6
    A = riccati.linearize(q, still, tau, minimal=True)[0]
    n = len(A) // 2
    known = np.sort(-np.linalg.eigvals(A[n:, :n]).real)
    loads = riccati.joint_loads(q, still, tau)[len(model.bodies) :]
    near = 1e-6 * abs(known).max(initial=1.0)
    at = np.concatenate([known - near, known + near, [known.min(initial=0.0) - 10]])
    apart = abs(at[:, None] - known).min(axis=1, initial=1e9) > 0.9 * near
    solver, given = compiled(model), {"cut": loads.ravel()}
    if riccati.conditions:
        given["kept"] = independent(riccati, q, 0.0, None)
    got = solver.results("count", q, omega2=at[:, None], **given)
    below = (known < at[:, None]).sum(axis=1)
    assert (got["below"].ravel()[apart] == below[apart]).all()


@pytest.mark.parametrize("seed", [*range(5), *range(6, 11)])  # no redundant conditions
def test_eigenvalues_of_closed_loops_are_counted(seed: int) -> None:
    see_loops(closed_model(seed), seed)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 6])
def test_springs_in_hinges_that_are_cut(seed: int) -> None:
    """Whatever the hinge's kind: slot, prismatic, helical, elastic; and where it leaves nothing."""
    see_loops(sprung_loops(seed), seed)


def see_eigenvalues(model: mstmm.model.Model, seed: int, part: float = 1e-10) -> None:
    """Eigenvalues, to a part of the largest, and the unstable pairs; no code is generated."""
    of = Interpreted(model, np.random.default_rng(seed))
    known = of.eigenvalues
    reach = part * abs(known).max(initial=1e-3)
    at = np.array([*(known - reach), *(known + reach), -reach, reach])
    at = at[(abs(at[:, None] - known) > 0.9 * reach).all(axis=1)]
    found = of.counted(at)
    assert (found["below"] == (known < at[:, None]).sum(axis=1)).all()
    assert (found["pivot"] <= 1.0).all()
    for x, log in zip(at, found["logdet"], strict=True):
        if abs(x) == reach and not model.cuts:
            near = abs(known).max() / abs(known - x).min()
            assert abs(log - np.linalg.slogdet(of.K - x * of.M)[1]) < 1e-9 * near


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(4, 6), *range(7, 110)])
def test_springs_in_hinges_that_are_cut_of_many_more(seed: int) -> None:
    see_eigenvalues(sprung_loops(seed), seed)


#: What is not rigid among the ready-made models: its modes are those of its beams.
BEAMS = {"example-1", "portal-frame", "spatial-frame", "flexible-arm", "ross-rotor"}
#: Those that take long: to be made into code, or 60 eigenvalues of one damped system.
LONG = {"ball-chain", "delta-robot"}
#: Of 500 bodies, whose matrices are not for a test, the smallest that has all its branches.
SMALL = {"branch-system": "branch-system:N=15"}


@pytest.mark.parametrize(
    "name",
    [
        "four-bar-in-space",
        *sorted(mstmm.model.MODELS.keys() - BEAMS - LONG),
        *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(LONG)),
    ],
)
def test_rigid_ready_made_models_have_the_eigenvalues_of_the_linear_system(name: str) -> None:
    """Cut hinges carry weight at rest; in space two conditions of a four-bar follow from others."""
    spatial = name == "four-bar-in-space"
    model = four_bar(3, ("revolute",) * 4) if spatial else mstmm.load(SMALL.get(name, name))
    if model.absolute:
        with pytest.raises(UsageError, match=r'by which modes are found, .*coordinates = "joint"'):
            compiled(model)
        model = replace(model, absolute=False, q0=(), v0=())
    solver = mstmm.compile(model, target="numpy")
    rest, still = solver.equilibrium(), np.zeros(len(solver.speeds))
    A = solver.linearize(rest.q, still, minimal=True)[0]
    n = len(A) // 2
    known = np.sort(-np.linalg.eigvals(A[n:, :n]).real)
    modes, reach = solver.modes(rest.q, count=n), 1e-10 * abs(known).max()
    assert abs(modes.squares - known).max() < reach
    stability = solver.stability(rest.q)
    assert stability.unstable == (known < -reach).sum()
    assert stability.neutral == (abs(known) <= reach).sum()
    assert (stability.unstable > 0) == rest.unstable
    see_damped(solver.damped(rest.q, below=1.1 * abs(np.linalg.eigvals(A)).max()), A)


def see_damped(found: DampedModes, A: np.ndarray) -> None:
    """All eigenvalues of A: where nothing resists each mode's own is double."""
    known = np.linalg.eigvals(A)
    size, s = abs(known).max(), found.eigenvalues
    resting = abs(s) < 1e-6 * size
    assert found.number == len(A)
    assert (found.multiplicity[resting] == (abs(known) < 1e-6 * size).sum()).all()
    assert found.multiplicity[resting].sum() == 2 * resting.sum() ** 2
    s, known = s[~resting], known[abs(known) >= 1e-6 * size]
    s = np.concatenate([s, s[s.imag > 0].conj()])
    assert len(s) == len(known)
    apart = abs(s[:, None] - known)
    assert max(*apart.min(axis=0, initial=size), *apart.min(axis=1, initial=size)) < 1e-10 * size


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_torsional_springs_are_as_stiff_as_the_whole_system_says(kind: str) -> None:
    """One is away from where it rests, by a turn of more than a radian."""
    dense = Dense(twisted(kind), np.array(twisted(kind).q0))
    found = counted(compiled(dense.model), dense.q, 1.5 * abs(dense.eigenvalues).max())
    assert found == pytest.approx(dense.eigenvalues, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 500))
def test_what_is_below_is_counted_in_many_more(seed: int) -> None:
    see_eigenvalues(resting_tree(seed), seed)


def read(name: str) -> dict[str, Any]:
    cases: dict[str, dict[str, Any]] = json.loads((DATA / "cases_gravity.json").read_text())
    return cases[name]


@pytest.mark.parametrize("name", ["14-pendulum-20", "14-pendulum-3-upside-down"])
def test_pendula_swing_as_the_closed_matrices_say(name: str) -> None:
    case = read(name)
    of, known = case["model"], np.array(case["reference"], float)
    solver = compiled(pendulum(of["N"], of["l"], of["m"], of["g"]))
    found = counted(solver, np.zeros(of["N"]), 1e4)
    assert found == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("name", ["14-spatial-arm-loaded", "14-spatial-arm-hanging"])
def test_arms_swing_as_the_hessian_says(name: str) -> None:
    """Static moments in skew hinges make a third of a stiffness, or more."""
    case = read(name)
    found = counted(compiled(arm(case["model"])), np.array(case["equilibrium"], float), 1e4)
    assert found == pytest.approx(np.array(case["reference"], float), rel=1e-12)


def test_a_chain_of_masses_and_springs_keeps_its_digits() -> None:
    """Both of soft modes, where entries of a stiffness would cancel, and of the stiffest."""
    n = 200
    found, known = spring_chain(n), 4 * np.sin(np.arange(1, 2 * n, 2) * np.pi / (4 * n + 2)) ** 2
    for side, count in ((-1, 0), (1, 1)):
        at = known * (1 + side * 1e-13)
        below = compiled(found).results("count", np.zeros(n), omega2=at[:, None])["below"]
        assert (below.ravel() == np.arange(n) + count).all()


@pytest.mark.parametrize("made", [resting_tree, tied_tree])
@pytest.mark.parametrize("seed", range(4))
def test_harmonic_loads_move_it_as_the_whole_system_says(
    made: Callable[[int], mstmm.model.Model], seed: int
) -> None:
    model = made(seed)
    dense, rng = Dense(model, np.array(model.q0)), np.random.default_rng(seed)
    solver = compiled(model, wrenches=True)
    tau = rng.uniform(-1, 1, len(model.speeds))
    wrenches = rng.uniform(-1, 1, (len(model.bodies), 6))
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    omega2 = dense.eigenvalues[0] - 2.5
    got = solver.results(
        "respond", dense.q, None, tau, wrenches=wrenches, omega2=np.array([omega2])
    )
    forces = tau + dense.forces(wrenches)
    s = np.linalg.solve(dense.K - omega2 * dense.M, forces)
    assert abs(got["s"] - s).max() < 1e-9 * abs(s).max()
    # Unit loads in turn: by virtual power they say how far each place moves.
    n = 3 if model.dimension == 2 else 6
    order = [3, 4, 2] if n == 3 else [3, 4, 5, 0, 1, 2]
    units = np.eye(6 * len(model.bodies)).reshape(-1, len(model.bodies), 6)
    units = units.reshape(len(model.bodies), 6, len(model.bodies), 6)[:, order]
    u = np.array([[dense.forces(one) @ s for one in body] for body in units])
    assert abs(got["u"].reshape(-1, n) - u).max() < 1e-9 * abs(u).max()
    kinetic = got["u"] @ got["P"] + got["s"] @ got["Ps"]
    assert kinetic == pytest.approx(s @ dense.M @ s, rel=1e-9)


@pytest.mark.parametrize("target", ["numpy", "c", "c-batch"])
def test_the_code_is_what_the_kernels_say(target: str) -> None:
    solver = compiled(tied_tree(3), target=target, wrenches=True)
    proof = mstmm.validate(solver, points=2)
    assert proof.ok, proof


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"force": (hinge_symbol("q", 2), 0)}, "as its slopes are not symmetric; solver.damped"),
        ({"force": (TIME, 0)}, "what depends on the time has none; solver.linearize"),
    ],
)
def test_what_has_no_energy_is_refused(changed: dict[str, Any], said: str) -> None:
    model = twisted("ball")
    (hinge,) = model.hinges
    hinge = Hinge(hinge.name, "cylindrical", hinge.ends, **changed)
    with pytest.raises(UsageError, match=said):
        compiled(replace(model, hinges=(hinge,), q0=(), v0=()))


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ({"force": (1, 0, 0), "frame": "body"}, "it turns with its body; say it in inertial axes"),
        ({"moment": (1, 0, 0)}, "as no moment in space has"),
    ],
)
def test_loads_that_have_no_energy_are_refused(load: dict[str, Any], said: str) -> None:
    model = replace(twisted("ball"), loads=(Load("load", "body", "", **load),))
    with pytest.raises(UsageError, match=said):
        compiled(model)


def test_a_place_with_open_loops_is_refused() -> None:
    solver = mstmm.compile("four-bar", target="numpy")
    with pytest.raises(OpenStateError, match="modes of four-bar: the loops are open"):
        solver.modes(solver.equilibrium().q + 0.1)


def test_hinges_that_follow_by_a_law_are_told_what_takes_them() -> None:
    first, second = mstmm.load("double-pendulum").hinges
    law = Mimic(hinges=(first.name,), law=hinge_symbol("q", 1) ** 2)
    hinges = first, replace(second, mimic=law)
    model = replace(mstmm.load("double-pendulum"), hinges=hinges, q0=(), v0=())
    with pytest.raises(UsageError, match=rf"{second.name} .*solver\.linearize\(q, v\)"):
        compiled(model)


@pytest.mark.parametrize("target", ["numpy", "c"])
def test_what_an_entry_takes_is_said(target: str) -> None:
    solver = mstmm.compile("double-pendulum", algorithm="linear", target=target)
    q = [0.0, 0.0]
    assert solver.results("count", q, omega2=[[20.0], [500.0]])["below"].tolist() == [[1], [2]]
    wrong = (
        ({}, r"count needs omega2 of the shape \(…, 1\); it takes .*omega2"),
        ({"omega": [[1.0]]}, "count has no argument 'omega'; it takes .*omega2"),
        ({"omega2": [1.0, 2.0]}, r"omega2 has the shape \(2,\) instead of \(…, 1\)"),
        ({"omega2": 1.0}, r"omega2 has the shape \(\)"),
        ({"omega2": np.array(1.0)}, r"omega2 has the shape \(\)"),
        ({"omega2": "x"}, "omega2 holds text"),
    )
    for given, said in wrong:
        with pytest.raises(UsageError, match=said):
            solver.results("count", q, **given)
