"""Starts of closed loops: what is asked stays, what may move closes them, and it is said."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGET, TARGETS, needs_compiler
from places import EXAMPLES
from test_singular_starts import level

import mstmm
from mstmm.errors import ModelWarning, NumericsError, UsageError
from mstmm.model.files.toml import from_text, write
from mstmm.runtime.closing import places
from mstmm.runtime.solver import Solver

#: Lengths of the ready-made four-bar: crank, coupler, rocker, between the pivots.
A, B, C, D = 0.2, 0.5, 0.4, 0.5


def solver(model: str | mstmm.Model, algorithm: str = "riccati") -> Solver:
    return mstmm.compile(model, target="numpy", algorithm=algorithm)


def closure(q: np.ndarray) -> tuple[float, float]:
    """Where the four-bar's rocker ends, less its pivot: written down by hand."""
    first, second, third = np.cumsum(q)
    x = A * math.cos(first) + B * math.cos(second) + C * math.cos(third) - D
    y = A * math.sin(first) + B * math.sin(second) + C * math.sin(third)
    return x, y


def opening(q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Its rate."""
    angles, rates = np.cumsum(q), np.cumsum(v)
    lengths = np.array([A, B, C])
    return -lengths @ (np.sin(angles) * rates), lengths @ (np.cos(angles) * rates)


@pytest.mark.parametrize("algorithm", ["riccati", "overall", "dca", "hdca"])
def test_what_is_fixed_stays_and_the_rest_closes_the_loop(algorithm: str) -> None:
    code = solver("four-bar", algorithm)
    for angle in np.linspace(0.0, 2 * np.pi, 9):
        start = code.assemble(fixed={"shaft": angle, "ushaft": 10.0})
        assert (start.q[0], start.v[0]) == (angle, 10.0)
        assert np.allclose(closure(start.q), 0.0, atol=1e-12)
        assert np.allclose(opening(start.q, start.v), 0.0, atol=1e-11)


def test_a_speed_that_is_asked_is_what_a_motion_starts_with() -> None:
    """Asked for 10 rad/s the crank once started with 5.6."""
    run = solver("slider-crank").simulate(v0=[10.0, 0.0, 0.0], t_end=0.001)
    assert run.v[0, 0] == pytest.approx(10.0, abs=1e-12)
    assert run.start is not None
    assert [moved.name for moved in run.start.moved] == ["ucrankpin", "uguide"]
    last = solver("four-bar").simulate(v0=[0.0, 0.0, 7.0], t_end=0.001)
    assert last.v[0, 2] == pytest.approx(7.0, abs=1e-12)  # a speed that is zero gives way


def test_an_angle_that_is_asked_stays() -> None:
    run = solver("four-bar").simulate(q0=[5.236, 0.0, 0.0], t_end=0.001)
    assert run.q[0, 0] == pytest.approx(5.236, abs=1e-12)
    assert np.allclose(closure(run.q[0]), 0.0, atol=1e-12)


def test_a_closed_start_stays_as_it_is() -> None:
    code = solver("four-bar")
    closed = code.assemble(fixed={"shaft": 0.3, "ushaft": 2.0})
    again = code.assemble(closed.q, closed.v)
    assert np.array_equal(again.q, closed.q)
    assert np.array_equal(again.v, closed.v)
    assert str(again) == "the start is closed as asked"


def test_the_guess_decides_the_branch() -> None:
    code = solver("four-bar")
    first = code.assemble([1.0, -0.6, -2.2], fixed={"shaft": 1.0}).q
    second = code.assemble([1.0, 3.9, 2.2], fixed={"shaft": 1.0}).q
    assert np.sign(np.sin(first[2])) == -np.sign(np.sin(second[2]))


def test_what_was_asked_later_gives_way_and_is_named() -> None:
    start = solver(mstmm.load(str(EXAMPLES / "fourbar.toml"))).assemble()
    assert start.q[0] == 1.0
    assert str(start) == (
        "the loops are closed with qshaft as asked, by moving qleft from -0.5 to -0.526089, "
        "qright from -2.2 to -2.17749"
    )


def with_start(folder: Path, start: str, cuts: str = "") -> mstmm.Model:
    text = (EXAMPLES / "fourbar.toml").read_text()
    head = text[: text.index("# The crank starts")].replace("gravity =", f"{cuts}\ngravity =", 1)
    path = folder / "model.toml"
    path.write_text(f"{head}\n[start.positions]\n{start}\n")
    return mstmm.load(str(path))


def test_an_order_of_what_is_asked(tmp_path: Path) -> None:
    model = with_start(tmp_path, "right = -2.2\nshaft = 1.0\nleft = -0.5")
    start = solver(model).assemble()
    assert start.q[2] == -2.2
    assert {moved.name for moved in start.moved} == {"qshaft", "qleft"}


def test_a_guess_moves_before_what_is_given(tmp_path: Path) -> None:
    model = with_start(tmp_path, "shaft = { guess = 1.0 }\nleft = -0.5\nright = { guess = -2.2 }")
    start = solver(model).assemble()
    assert start.q[1] == -0.5
    assert {moved.name for moved in start.moved} == {"qshaft", "qright"}


def test_what_is_fixed_and_cannot_be_is_refused(tmp_path: Path) -> None:
    model = with_start(
        tmp_path, "shaft = { fixed = 1.0 }\nleft = { fixed = -0.5 }\nright = { guess = -2.2 }"
    )
    with pytest.raises(NumericsError, match=r"do not let qleft be -0\.5 with qshaft = 1: it is "):
        solver(model).assemble()


def test_a_start_of_the_hinge_that_would_be_cut_cuts_another(tmp_path: Path) -> None:
    model = with_start(tmp_path, "pivot = 1.2\nleft = { guess = -0.5 }")
    assert model.cuts == ("right",)
    start = solver(model).assemble()
    assert start.q[model.coordinates.index("qpivot")] == 1.2


@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
def test_a_cut_hinge_stands_and_moves_as_asked(tmp_path: Path, algorithm: str) -> None:
    """The rocker's angle from the ground is the sum of all turns, and less what the cut adds."""
    for angle in (0.8, 1.2, 1.7):
        model = with_start(
            tmp_path,
            f"pivot = {{ fixed = {angle} }}\nshaft = {{ guess = 1.0 }}\n"
            "left = { guess = -0.5 }\nright = { guess = -2.2 }",
            'cuts = ["pivot"]',
        )
        start = solver(model, algorithm).assemble()
        turned = start.q.sum() + angle
        assert math.remainder(turned, 2 * math.pi) == pytest.approx(0.0, abs=1e-11)
        moving = solver(model, algorithm).assemble(start.q, fixed={"pivot": angle, "upivot": 1.5})
        assert moving.v.sum() == pytest.approx(-1.5, abs=1e-9)
        assert np.allclose(opening(moving.q, moving.v), 0.0, atol=1e-10)


def test_the_start_of_a_cut_hinge_comes_back_from_a_file(tmp_path: Path) -> None:
    model = with_start(tmp_path, "pivot = { fixed = 1.2 }\nshaft = 1", 'cuts = ["pivot"]')
    path = tmp_path / "again.toml"
    write(model, path)
    assert mstmm.load(str(path)) == model


def test_what_cannot_be_reached_names_the_limit() -> None:
    """From the crank's pin to the rocker's foot are D + A at most."""
    with pytest.raises(NumericsError, match=r"do not let qright be 0: .* and no farther") as at:
        solver("four-bar").assemble(fixed={"right": 0.0})
    least = math.acos(((D + A) ** 2 - B**2 - C**2) / (2 * B * C))
    found = re.search(r"it comes to (\S+) and", str(at.value))
    assert found
    assert abs(float(found[1])) == pytest.approx(least, abs=1e-5)


def case(name: str) -> mstmm.Model:
    return mstmm.load(str(Path(__file__).parents[1] / "data" / "cases" / f"{name}.toml"))


def least_slope(code: Solver, q: np.ndarray) -> float:
    """The least singular value of the conditions' slopes by the speeds."""
    count = len(code.speeds)
    _, rates = code.constraints(np.tile(q, (count, 1)), np.eye(count))
    return float(np.linalg.svd(rates, compute_uv=False)[-1])


def test_every_guess_finds_a_closed_position() -> None:
    """Ten of forty once landed where the crank cannot turn, and were told that loops forbid it."""
    code = mstmm.compile(case("rusr"), target=TARGET)
    random = np.random.default_rng(0)
    for guess in random.uniform(-np.pi, np.pi, (40, 4)):
        start = code.assemble(guess, fixed={"j0": 1.3})
        assert start.q[0] == 1.3
        assert np.abs(code.constraints(start.q, start.v)[0]).max() < 1e-12
    again = code.assemble(guess, fixed={"j0": 1.3})
    assert np.array_equal(again.q, start.q)


def test_a_start_does_not_fold_where_it_need_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of its inertias, which are not the subject
        code = mstmm.compile(case("fl"), target=TARGET)
    start = code.assemble()
    assert start.q[7] == np.pi / 2
    assert start.q[:7] == pytest.approx(code.model.q0[:7], abs=1e-12)  # it moves no loop
    assert least_slope(code, start.q) > 0.1
    assert not start.singular
    q, v = code.project(start.q, np.random.default_rng(0).normal(size=len(code.speeds)))
    assert np.abs(code.constraints(q, v)[1]).max() < 1e-14


def test_a_start_that_can_only_be_singular_says_so() -> None:
    """Level posts of 1 m under a beam of 1.5 m close flat alone; a drive turns one of them."""
    model = level((0.0, 0.0, 0.0))
    assert "singular position" in str(solver(model).assemble([0.0, 0.3, 0.2], fixed={"foot0": 0.0}))


def test_what_is_not_found_is_not_said_to_be_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    """From one start alone the crank seems stuck: that is no proof."""
    monkeypatch.setattr(places, "STARTS", 0)
    monkeypatch.setattr(places, "LED", 0)
    code = mstmm.compile(case("rusr"), target=TARGET)
    said = set()
    for guess in np.random.default_rng(0).uniform(-np.pi, np.pi, (40, 4)):
        try:
            code.assemble(guess, fixed={"j0": 1.3})
        except NumericsError as refused:
            said.add(str(refused))
    assert said
    assert not any("do not let" in text for text in said)


def test_a_cut_hinge_that_cannot_stand_as_asked_is_named() -> None:
    with pytest.raises(NumericsError, match=r"can be closed, but no place with pivot = 3 is found"):
        solver("four-bar").assemble(fixed={"pivot": 3.0})


def test_lengths_that_never_close_are_said_to_be() -> None:
    code = mstmm.compile("four-bar", target="numpy", parameters=["d"])
    with pytest.raises(NumericsError, match=r"nor from 20 about it .* is the farthest from"):
        code.assemble(parameters={"d": 5.0})


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        ({"shafft": 1.0}, "no hinge, coordinate or speed 'shafft'"),
        ({"shaft": [1.0, 2.0]}, "shaft has 2 values instead of 1"),
        ({"pivot": [1.0, 2.0]}, "pivot has 2 values instead of 1"),
        ({"shaft": "x"}, "shaft = 'x' is no number"),
        ({"shaft": float("nan")}, "shaft = nan is not finite"),
        ([1.0], "must map names to values"),
    ],
)
def test_a_bad_wish_is_named(fixed: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        solver("four-bar").assemble(fixed=fixed)


@pytest.mark.parametrize("model", ["hdca-case-3", "example-2"])
def test_several_loops_close_about_what_is_fixed(model: str) -> None:
    code = solver(model)
    first = code.model.coordinates[0]
    wanted = code.model.q0[0] + 0.2
    start = code.assemble(fixed={first: wanted, code.model.speeds[0]: 0.7})
    gap, rate = code.constraints(start.q, start.v)
    assert (start.q[0], start.v[0]) == (wanted, 0.7)
    assert np.abs(gap).max() < 1e-12
    assert np.abs(rate).max() < 1e-11


def test_a_tree_starts_as_asked() -> None:
    start = solver("branch-pendulum").assemble(fixed={"theta3": 0.4, "omega3": 2.0})
    assert (start.q[1], start.v[1], start.moved) == (0.4, 2.0, ())


@pytest.mark.parametrize("target", [*TARGETS, pytest.param("c-batch", marks=needs_compiler)])
def test_loops_of_any_size_are_closed_alike(target: str) -> None:
    """A linkage of half a millimetre and one of 50 km move as one of half a metre, in their time.

    Lengths times k and times times √k are the same motion; loops are kept to 1e-12 of the longest
    bar, and rounding grows in 100 steps by some 1e-13.
    """
    model = mstmm.load("four-bar")
    runs = []
    for k in (1.0, 1e-3, 1e5):
        sizes = {x: model.parameters[x] * k for x in "abcd"}
        scaled = replace(model, parameters={**model.parameters, **sizes})
        step = 2e-3 * math.sqrt(k)
        runs.append(mstmm.compile(scaled, target=target).simulate(t_end=100 * step, dt=step))
        assert runs[-1].constraint_position is not None
        assert runs[-1].constraint_position.max() < 1e-12 * sizes["b"]
        assert np.abs(runs[-1].q - runs[0].q).max() < 1e-10


def test_a_beam_that_cannot_bend_is_named() -> None:
    """Held straight at both ends: without an axial function nothing gives way."""
    text = """
    name = "bridge"
    dimension = 2
    gravity = [0, -9.81]
    [ground.points.far]
    position = [1, 0]
    [beams.deck]
    length = 1
    density = 0.8
    axial_stiffness = 2e4
    bending_stiffness = 40
    axial = AXIAL
    bending = 3
    [beams.deck.points.near]
    [beams.deck.points.far]
    x = 1
    [hinges.left]
    kind = "fixed"
    parent = "ground"
    child = "deck:near"
    [hinges.right]
    kind = "fixed"
    parent = "ground:far"
    child = "deck:far"
    """
    asked = {"t_end": 0.02, "dt": 1e-3}
    stiff = mstmm.compile(from_text(text.replace("AXIAL", "0")), target="numpy")
    with pytest.raises(NumericsError, match=r"; beam deck, held .* give it axial = 1 or more$"):
        stiff.simulate(**asked)
    mstmm.compile(from_text(text.replace("AXIAL", "1")), target="numpy").simulate(**asked)


def test_what_is_fixed_is_led_there_on_the_branch_of_the_guess() -> None:
    """The piston stays on its side of the shaft: x = r cos θ + √(l² - (r sin θ)²), r l s above."""
    solver = mstmm.compile("slider-crank", target="numpy")
    crank, rod = 0.05, 0.15
    at_zero = solver.assemble(fixed={"shaft": 0.0}).q[2]
    for angle in (0.5, 2.0, 3.5, 4.0, 5.0, 6.0, -1.0):
        found = solver.assemble(fixed={"shaft": angle})
        piston = crank * np.cos(angle) - crank - rod
        piston += np.sqrt(rod**2 - (crank * np.sin(angle)) ** 2)
        np.testing.assert_allclose(found.q[2] - at_zero, piston, atol=1e-9)
        assert np.abs(found.q - solver.model.q0)[1] < np.pi, "no full turns"


def test_what_is_fixed_besides_chooses_among_the_ways_to_close() -> None:
    """The crank alone leaves a four-bar two ways; the rod's angle says which."""
    code = solver(replace(mstmm.load("four-bar"), cuts=("pivot",), q0=(), v0=(), asked=()))
    for shaft in (0.4, 1.0, 2.0):
        ways = [code.assemble([shaft, left, right]).q for left, right in ((-0.6, -2.2), (3.9, 2.2))]
        assert abs(ways[0][1] - ways[1][1]) > 0.1
        for way in ways:
            found = code.assemble(fixed={"shaft": way[0], "left": way[1]}).q
            assert np.allclose(found[:2], way[:2], atol=1e-11)
            assert np.allclose(closure(found), 0.0, atol=1e-12)


def test_a_place_that_is_not_found_is_no_limit() -> None:
    """Where two angles decide each other, what is said is no place of only one of them."""
    solver = mstmm.compile(case("rusr"), target="numpy")
    with pytest.raises(NumericsError, match=r"no place with .*qj0 = 1.3, qj3 = 1.3 is found from"):
        solver.assemble(fixed={"j0": 1.3, "j3": 1.3})
