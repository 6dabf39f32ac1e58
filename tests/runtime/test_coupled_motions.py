"""Small motions of hinges that follow others, against the whole system and formulas of gears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from coupled_models import sharing, with_couplings
from damped_trees import DampedDense, damped_tree
from small_motions import Dense, closed_model, counted, resting_tree, sprung_loops, tied_tree
from test_damped import see_determinants
from test_linear import see_loops

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Mimic, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.vibration.coded.damped import GeneratedComplexStiffness

#: Seeds of trees that have hinges to couple, those for every day first.
SEEDS = (24, 40, 44, 9, 10, 16, 25, 27, 38, 48, 54, 55, 58, 61, 64, 68, 74, 75, 76, 81, 83, 84)
SEEDS += (88, 96, 98, 108, 116, 119, 120, 129, 132, 134)


def coupled(seed: int, made: Callable[[int], Model]) -> tuple[Model, np.ndarray]:
    """A random tree of which at most three hinges share the coordinates of others, and a place."""
    rng = Random(seed)
    model = replace(sharing(with_couplings(rng, made(seed), 3)), q0=())
    assert model.followers
    q = np.array([rng.uniform(-1, 1) for _ in model.coordinates])
    for where in model.quaternions:
        q[where : where + 4] /= np.linalg.norm(q[where : where + 4])
    return model, q


@pytest.mark.parametrize("seed", SEEDS)
def test_shared_coordinates_have_the_eigenvalues_of_the_whole_system(seed: int) -> None:
    """With coordinates of their own too, of which a mode has what follows."""
    model, q = coupled(seed, tied_tree if seed % 3 == 0 else resting_tree)
    known = Dense(model, q).eigenvalues
    reach = abs(known).max()
    solver = mstmm.compile(model, algorithm="linear", target="numpy")
    np.testing.assert_allclose(counted(solver, q, 2 * reach), known, atol=1e-10 * reach)
    own = model.with_own_coordinates()
    every = np.array([float(x) for x in model.with_followers(q).values()])
    solver = mstmm.compile(own, algorithm="linear", target="numpy")
    np.testing.assert_allclose(counted(solver, every, 2 * reach), known, atol=1e-10 * reach)


@pytest.mark.parametrize("seed", SEEDS)
def test_harmonic_loads_move_what_shares_coordinates(seed: int) -> None:
    model, q = coupled(seed, tied_tree if seed % 3 == 0 else resting_tree)
    dense, rng = Dense(model, q), np.random.default_rng(seed)
    solver = mstmm.compile(model, algorithm="linear", target="numpy", wrenches=True)
    tau, wrenches = rng.normal(size=len(model.speeds)), rng.normal(size=(len(model.bodies), 6))
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    omega2 = dense.eigenvalues[0] - 2.5
    got = solver.results("respond", q, None, tau, wrenches=wrenches, omega2=np.array([omega2]))
    s = np.linalg.solve(dense.K - omega2 * dense.M, tau + dense.forces(wrenches))
    assert abs(got["s"] - s).max() < 1e-9 * abs(s).max()
    assert got["u"] @ got["P"] + got["s"] @ got["Ps"] == pytest.approx(s @ dense.M @ s, rel=1e-9)
    work = tau @ s + np.ravel(wrenches[:, _order(model)]) @ got["u"]
    assert work == pytest.approx(s @ (tau + dense.forces(wrenches)), rel=1e-9)


def _order(model: Model) -> list[int]:
    """Where forces, then moments, are among a wrench's six entries."""
    return [3, 4, 2] if model.dimension == 2 else [3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_damped_motions_of_what_shares_coordinates(seed: int, tied: bool) -> None:
    model, q = coupled(seed, lambda k: damped_tree(k, tied=tied))
    dense = DampedDense(model, q)
    see_determinants(dense, GeneratedComplexStiffness(dense.riccati, dense.q), seed)


@pytest.mark.slow
@pytest.mark.parametrize("made", [closed_model, sprung_loops])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_loops_whose_hinges_follow_others(made: Callable[[int], Model], seed: int) -> None:
    see_loops(with_couplings(Random(seed), made(seed), 2), seed)


@pytest.mark.parametrize("half", [4, 0])
def test_a_parallelogram_whose_cranks_are_geared_besides(half: int) -> None:
    """A condition of its loop follows from the gears, which hold anyway.

    Without a spring the opened coupler turns freely: a pole at ω² = 0, but no eigenvalue.
    """
    points = Point("O", (0, 0)), Point("P", (0, -1))
    cranks = (Body(name, 1.0, 0.1, (0, -0.5), points) for name in "ab")
    across = Point("a", (0, 0)), Point("b", (2, 0))
    coupler = Body("coupler", 2.0, 0.3, (0.7, 0.0), across)
    ends = {"a": (GROUND, "O", "a", "O"), "b": (GROUND, "Q", "b", "O")}
    ends |= {"c": ("a", "P", "coupler", "a"), "d": ("b", "P", "coupler", "b")}
    gears = {"b": Mimic("a", 1)}
    model = Model(
        name="parallelogram",
        dimension=2,
        bodies=(*cranks, coupler),
        hinges=tuple(
            Hinge(
                name,
                "pin",
                (End(p, x), End(c, y)),
                mimic=gears.get(name),
                potential=half * hinge_symbol("q", 1) ** 2 if name == "c" else 0,
            )
            for name, (p, x, c, y) in ends.items()
        ),
        gravity=(0, -9.81),
        ground=(Point("Q", (2, 0)),),
        cuts=("d",),
    )
    solver = mstmm.compile(model, target="numpy")
    known = (3 * 9.81 + 2 * half) / (
        2 * 0.35 + 2
    )  # all translates but for the cranks, which turn alike
    modes = solver.modes()
    assert modes.squares == pytest.approx([known], rel=1e-12)
    np.testing.assert_allclose(modes.coordinates, [[1, 1, -1]], atol=1e-12)


#: The wheel's and the pinions' ratios, inertias at the gears, and discs on shafts of the train.
RATIOS, GEARS = (1.0, -2.5, -1.5), (0.8, 0.05, 0.02)
DISCS, SHAFTS = (1.2, 0.5, 0.9), (1000.0, 300.0, 700.0)


def torque_left(square: float) -> float:
    """What Holzer's tables of all shafts leave at the wheel, which turns by 1.

    A shaft k with a disc J asks ω² J k/(k − ω² J) per turn of its gear, at the wheel n² times that.
    """
    parts = zip(RATIOS, GEARS, DISCS, SHAFTS, strict=True)
    return sum(n**2 * (gear + J * k / (k - square * J)) for n, gear, J, k in parts)


def test_geared_shafts_by_formula() -> None:
    modes = mstmm.compile("geared-shafts", target="numpy").modes()
    assert modes.squares[0] == 0
    assert len(modes.squares) == 4
    for square in modes.squares[1:]:  # signs change there, and nowhere else but at poles
        low, high = (torque_left(square * (1 + x)) for x in (-1e-12, 1e-12))
        assert low * high < 0
    known = [679.30264799425854, 813.83630771795248, 4562.4645960036517]
    np.testing.assert_allclose(modes.squares[1:], known, rtol=1e-12)
    turns = dict(zip(modes.names["body"], modes.bodies[:, :, 2].T, strict=True))
    for pinion, n in (("pinion_one", -2.5), ("pinion_two", -1.5)):
        np.testing.assert_allclose(turns[pinion], n * turns["wheel"], atol=1e-13)
    np.testing.assert_allclose(modes.kinetic.sum(axis=1), 1, rtol=1e-12)
    strain = modes.strains.energies.sum(axis=1)
    np.testing.assert_allclose(strain, modes.squares * modes.masses / 2, atol=1e-9)


def test_the_teeth_carry_what_the_shaft_behind_them_asks() -> None:
    """A static torque on a train whose end is held, where each shaft alone turns freely."""
    train = mstmm.load("geared-shafts")
    q = hinge_symbol("q", 1)
    axle = replace(train.hinges[0], potential=50 * q**2)
    held = replace(train, hinges=(axle, *train.hinges[1:]))
    solver = mstmm.compile(held, algorithm="linear", target="numpy", wrenches=True)
    assert solver.modes().strains.names["part"][0] == "hinges axle, mesh_one, mesh_two"
    pushed = np.zeros((len(held.bodies), 6))
    pushed[[body.name for body in held.bodies].index("driven_one"), 2] = 2
    got = solver.results("respond", [0.0] * 4, wrenches=pushed, omega2=[0.0])
    np.testing.assert_allclose(got["s"], [-2.5 * 2 / 100, 0, 2 / 300, 0], atol=1e-15)


def reading(rng: Random, model: Model) -> Model:
    """The model whose hinges' laws read others' coordinates and speeds, beside their own."""
    model = replace(
        model,
        hinges=tuple(
            replace(
                h, name=f"h{h.name}", mimic=h.mimic and replace(h.mimic, hinge=f"h{h.mimic.hinge}")
            )
            for h in model.hinges
        ),
        q0=(),
        v0=(),
    )
    kinds = HINGE_KINDS[model.dimension]
    plain = [h for h in model.hinges if kinds[h.kind].couples or h.kind == "planar"]
    names = [x for h in plain for x in (*model.hinge_coordinates(h), *model.hinge_speeds(h))]

    def fed(hinge: Hinge) -> Hinge:
        own = {*model.hinge_coordinates(hinge), *model.hinge_speeds(hinge)}
        others = [parameter(x) for x in names if x not in own]
        speeds = kinds[hinge.kind].speeds
        if not (speeds and others) or hinge.kind == "elastic" or hinge.mimic:
            return hinge
        force = list(hinge.force) or [0] * speeds
        for x in rng.sample(others, min(2, len(others))):
            own_speed = hinge_symbol("u", 1)
            felt = rng.uniform(-3, 3) * x + rng.uniform(-1, 1) * (x**2 + x * own_speed)
            force[rng.randrange(speeds)] += felt
        return replace(hinge, force=tuple(force))

    return replace(model, hinges=tuple(map(fed, model.hinges)))


@pytest.mark.long
@pytest.mark.parametrize("seed", [40, 44, 8, 9, 3])
def test_laws_that_read_other_hinges(seed: int) -> None:
    """Also those whose coordinates others share: of damped motions alone, by name."""
    rng = Random(seed)
    model = damped_tree(seed, tied=seed % 3 == 0)
    if seed in SEEDS:
        model = replace(sharing(with_couplings(rng, model, 2)), q0=())
    model = reading(rng, model)
    assert model.controlled
    q = np.array([rng.uniform(-1, 1) for _ in model.coordinates])
    for where in model.quaternions:
        q[where : where + 4] /= np.linalg.norm(q[where : where + 4])
    dense = DampedDense(model, q)
    see_determinants(dense, GeneratedComplexStiffness(dense.riccati, q), seed)
    with pytest.raises(UsageError, match=r"energy counts: .*solver\.damped .* takes it"):
        mstmm.compile(model, algorithm="linear", target="numpy")
