"""The printed overall transfer equation in numbers is the system that is solved.

Its blocks, multiplied out as they are named from the named matrices, must give the compiled
system entry by entry, its solution must make every printed row zero, and be the judges' motion
whichever end is the root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import acting_models
import beam_models
import loop_models
import numpy as np
import pytest
import random_models
import sympy as sp
from coupled_models import with_couplings, with_rotors
from deduction_models import example_2, ring, roots, two_trees
from independent.absolute import Motion
from independent.moving import State
from judging import assert_loads, compare, judged
from scenarios import in_beam_motion, in_motion
from sizes import covered, later

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Base, Model
from mstmm.model.expressions.quantities import TIME
from mstmm.symbolic.derivation.derivation import derive
from mstmm.symbolic.methods.overall.numbers import OverallNumbers
from mstmm.symbolic.plans.deduction import OverallEquation, Row, Term, deduce

#: Relative to the largest number of a row: products of some ten matrices.
TOLERANCE = 1e-12


def models() -> dict[str, Model]:
    rng = Random(5)
    kinds = ("revolute", "prismatic", "ball")
    geared = with_couplings(rng, with_rotors(rng, random_models.joint_tree(rng, 3, kinds, 4)), 2)
    base = Base((TIME**2, sp.sin(TIME) / 3, TIME / 2), (TIME / 3, sp.cos(TIME) / 5, TIME))
    tree = acting_models.sprung(rng, random_models.joint_tree(rng, 2, None, 4))
    beams = replace(beam_models.beam_tree(rng, 3, most=2), base=Base((TIME**2, TIME), (TIME**2,)))
    return {
        "branch-pendulum": mstmm.load("branch-pendulum"),
        "four-bar": mstmm.load("four-bar"),
        "example-1": mstmm.load("example-1"),
        "example-2": mstmm.load("example-2"),
        "ring": ring(),
        "loads": acting_models.loaded(rng, tree),
        "couplings and rotors on a moving base": replace(geared, base=base),
        "beams on a moving base": beams,
    }


def numbers(model: Model, forced: bool) -> OverallNumbers:
    rng = Random(3)
    quaternions = any("Qw" in name for name in model.coordinates)
    q = list(model.q0) if quaternions or model.cuts else [rng.uniform(-0.3, 0.3) for _ in model.q0]
    q = q or [rng.uniform(-0.3, 0.3) for _ in model.coordinates]
    v = [rng.uniform(-1, 1) for _ in model.speeds]
    tau = [rng.uniform(-1, 1) for _ in model.speeds] if forced else None
    wrenches = [[rng.uniform(-1, 1) for _ in range(6)] for _ in model.bodies] if forced else None
    # The equation itself, of the symbols: it holds of open states and any speeds too.
    return derive(model).overall.at(q, v, tau, t=0.4, wrenches=wrenches)


def assembled(at: OverallNumbers) -> tuple[np.ndarray, np.ndarray]:
    """The blocks without the columns of what is known; what that makes is on the right."""
    equation, n = at.equation, at.n
    left, right = [], []
    for row in equation.rows:
        blocks = {c: np.array(at.block(row, c), dtype=float) for c in equation.columns}
        own = [block[:, list(equation.open_entries(c))] for c, block in blocks.items()]
        left.append(np.hstack([*own, sum(block[:, 2 * n : -1] for block in blocks.values())]))
        total = np.zeros(row.size)
        for c, block in blocks.items():
            known = np.array(at.state(c), dtype=float)
            known[[*equation.open_entries(c), *range(2 * n, at.size - 1)]] = 0.0
            total += block @ known
        right.append(-total)
    return np.vstack(left), np.concatenate(right)


def agrees(at: OverallNumbers) -> bool:
    matrix, right = assembled(at)
    found = np.hstack([matrix, right[:, None]])
    whole = np.hstack([np.array(at["U_all"]), np.array(at["r_all"])]).astype(float)
    scale = np.abs(whole).max()
    return bool(np.abs(found - whole).max() <= TOLERANCE * scale)


@covered(1, name=models(), forced=[True, False])
def test_the_blocks_make_up_the_system_that_is_solved(name: str, forced: bool) -> None:
    model = models()[name]
    at = numbers(model, forced)
    assert agrees(at)
    assert len(at["x_all"]) == len(at.equation.unknowns)
    states = {c: np.array(at.state(c), dtype=float) for c in at.equation.columns}
    size = max(np.abs(state).max() for state in states.values())
    for row in at.equation.rows:
        terms = [np.array(at.block(row, c), dtype=float) @ z for c, z in states.items()]
        assert np.abs(sum(terms)).max() <= 1e-11 * size


def tree(rng: Random, d: int) -> Model:
    return random_models.joint_tree(rng, d, None, rng.randint(2, 6))


def loop(rng: Random, d: int) -> Model:
    return loop_models.loop_model(rng, d, rng.randint(2, 4), rng.randint(1, 2))[0]


def trees(rng: Random, d: int) -> Model:
    """Two of them; a hinge is driven."""
    wave = sp.sin(2 * TIME) / 3
    made = two_trees()
    hinges = tuple(replace(h, motion=(wave,)) if h.name == "8" else h for h in made.hinges)
    return replace(made, hinges=hinges, q0=(0.3, -0.4, 0.2, 0.5), v0=())


def closed_ring(rng: Random, d: int) -> Model:
    made = ring()
    found = mstmm.compile(made, target="numpy").assemble([0.1, -0.2, 0.7, 0.4, 0.3, -0.9])
    return replace(made, q0=tuple(map(float, found.q)))


FAMILIES = {"tree": tree, "loop": loop, "trees": trees, "ring": closed_ring}


def drawn(rng: Random, make: Callable[[Random, int], Model], d: int) -> tuple[State, Motion]:
    """A system in motion, whose loads its conditions determine."""
    while True:
        state = in_motion(rng, make(rng, d))
        motion = judged(state)
        if motion is not None and not motion.redundant:
            return state, motion


@pytest.mark.parametrize("seed", later(range(10), 1))
@pytest.mark.parametrize("name", ["tree-2", "tree-3", "loop-2", "loop-3", "trees-2", "ring-2"])
def test_every_root_gives_the_motion_of_the_judge(name: str, seed: int) -> None:
    rng = Random(f"{name} {seed}")
    family, _, dimension = name.partition("-")
    judge(rng, *drawn(rng, FAMILIES[family], int(dimension)))


@pytest.mark.parametrize("seed", later(range(4), 2))
def test_so_does_every_root_of_trees_with_beams(seed: int) -> None:
    rng = Random(seed)
    judge(rng, *in_beam_motion(rng, beam_models.beam_tree(rng, 4, most=2)))


def judge(rng: Random, state: State, motion: Motion) -> None:
    given = state.q, state.v, state.tau
    for turned in roots(state.model, rng, 2):
        at = derive(turned).overall.at(*given, t=state.t, wrenches=state.wrenches)
        assert agrees(at)
        compare(np.ravel(at["accelerations"]), motion.accelerations, motion, "accelerations")
        assert_loads(at._interpreter.program.sets["ends"], np.array(at["loads"]), motion)


def test_a_ring_has_two_forms() -> None:
    recut = replace(ring(), cuts=("5",))
    forms = {deduce(made).transfer.form for made in (ring(), replace(ring(), root="2:c"), recut)}
    assert forms == {"closed loop", "general system"}


def test_a_wrong_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every term of Example 2 in turn with its sign changed: the blocks differ."""
    at = numbers(example_2(), False)
    monkeypatch.setattr(at, "matrix", cache(at.matrix))
    assert agrees(at)
    equation, block = at.equation, OverallEquation.block
    terms = [
        (row, column, i)
        for row in equation.rows
        for column in equation.columns
        for i, _ in enumerate(block(equation, row, column))
    ]
    assert len(terms) == 13
    for there, other, i in terms:

        def wrong(
            self: OverallEquation, row: Row, column: int, at: object = (there, other), i: int = i
        ) -> tuple[Term, ...]:
            found = list(block(self, row, column))
            if (row, column) == at:
                found[i] = replace(found[i], sign=-found[i].sign)
            return tuple(found)

        monkeypatch.setattr(OverallEquation, "block", wrong)
        assert not agrees(at), (there, other, i)


def test_results_are_those_of_the_solver() -> None:
    model = mstmm.load("four-bar")
    solver = mstmm.compile(model, algorithm="overall", target="numpy")
    q, v = solver.project(model.q0, np.full(len(model.speeds), 0.3))
    at = mstmm.derive(model).overall.at(q, v)
    assert np.allclose(np.ravel(at["accelerations"]), solver.accelerations(q, v), rtol=1e-12)
    assert np.allclose(at["loads"], solver.joint_loads(q, v), rtol=1e-11)
    assert solver.unknowns == at.equation.unknowns


def test_names() -> None:
    at = numbers(mstmm.load("branch-pendulum"), False)
    assert {"U_7,I1", "U_7,I2", "H_7,I1", "H_7,I2", "G_2", "U_2", "C"} <= set(at)
    assert np.shape(at["U_7,I1"]) == (10, 10)
    assert np.shape(at["H_7,I1"]) == (3, 10)
    assert all(np.isfinite(np.array(at[name], dtype=float)).all() for name in at)
    assert len(at) == len(list(at))
    with pytest.raises(UsageError, match="there is no matrix 'U_9'"):
        at["U_9"]


@pytest.mark.parametrize("name", ["branch-pendulum", "example-1"])
def test_a_wrong_entry_is_seen(name: str) -> None:
    """The largest number of every named matrix in turn off by a tenth: the blocks differ."""
    at = numbers(mstmm.load(name), False)
    # The largest numbers of U_1 meet the moment and force at a free end, which are zero.
    unused = {"I", "C", "U_1"} if name == "example-1" else {"I", "C"}
    for factor in at.factors.keys() - unused:
        changed = numbers(mstmm.load(name), False)
        right = np.array(changed[factor], dtype=float)
        place = np.unravel_index(np.abs(right[:, : 2 * at.n]).argmax(), right[:, : 2 * at.n].shape)
        right[place] *= 1.1
        plant(changed, factor, right.tolist())
        assert not agrees(changed), factor


def plant(at: OverallNumbers, name: str, wrong: list[list[float]]) -> None:
    """Let a named matrix be another."""
    own = at.matrix
    at.matrix = lambda factor: wrong if factor.text() == name else own(factor)  # type: ignore[method-assign]
