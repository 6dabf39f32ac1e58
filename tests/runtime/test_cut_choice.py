"""The choice of cuts by the smallest mean reaction."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from commands import answer, assert_fits_80_columns
from compiler import TARGET
from loop_checks import MECHANISMS
from overconstrained_models import bricard
from singular_models import row_of_four_bars

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.model.parts.base import Base
from mstmm.runtime.cut_choice import CutChoice, cut_at

Array = np.ndarray


def chosen(model: Model | str, t_end: float = 10.0) -> CutChoice:
    return mstmm.choose_cuts(model, t_end=t_end, target=TARGET)


def motion(model: Model, algorithm: str, t_end: float, **more: object) -> tuple[Array, Array]:
    """Poses at some times, and joint momenta."""
    solver = mstmm.compile(model, algorithm=algorithm, target=TARGET)
    asked = {"t_end": t_end, "method": "dopri5", "rtol": 1e-10, "atol": 1e-10}
    run = solver.simulate(**asked, record=t_end / 10, **more)
    return solver.poses(run.q), run.v if run.p is None else run.p


#: The joint in the middle; of two boxes those of both.
EXPECTED = {1: ("3",), 2: ("5",), 3: ("3", "7")}


@pytest.mark.parametrize("number", EXPECTED)
def test_the_papers_cases_are_cut_in_the_middle(number: int) -> None:
    """Whatever the horizon; half of the weight hangs on either pivot, the middle carries least."""
    for t_end in (5.0, 10.0):
        choice = chosen(f"hdca-case-{number}", t_end)
        assert choice.cuts == EXPECTED[number]
        assert {x.hinge for x in choice.reactions if x.is_cut} == set(EXPECTED[number])
    forces = {x.hinge: x.force for x in choice.reactions}
    assert list(forces.values()) == sorted(forces.values())
    pivots = ("1", str({1: 5, 2: 9, 3: 9}[number]))
    weight = len(choice.model.bodies) * 9.81
    assert all(forces[name] > weight / 2 for name in pivots)  # and what the motion adds
    assert all(x.moment < 1e-9 for x in choice.reactions)


def test_momenta_grow_less_where_little_is_carried() -> None:
    model = mstmm.load("hdca-case-1")
    choice = chosen(model)
    old, p = motion(model, "hdca", 10.0, regauge=False)
    new, least = motion(choice.model, "hdca", 10.0, regauge=False)
    assert np.abs(new - old).max() < 1e-6
    assert np.abs(p).max() > 350
    assert np.abs(least).max() < 90


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "cylinder and ball"])
def test_the_model_so_cut_starts_and_moves_as_before(name: str) -> None:
    """In motion from the start, all cuts that there may be, one after another."""
    model = MECHANISMS[name]()
    solver = mstmm.compile(model, target=TARGET)
    q, v = solver.project(model.q0, model.v0)
    model = replace(model, q0=tuple(map(float, q)), v0=tuple(map(float, v)))
    choice = chosen(model, 1.0)
    ranked = [x.hinge for x in choice.reactions if not x.reluctance]
    assert choice.cuts == (ranked[0],)
    expected, _ = motion(model, "riccati", 0.5)
    found, _ = motion(choice.model, "riccati", 0.5)
    assert np.abs(found - expected).max() < 1e-7
    again = chosen(choice.model, 1.0)
    assert again.cuts == choice.cuts
    for one, other in zip(choice.reactions, again.reactions, strict=True):
        assert one.hinge == other.hinge
        assert one.size == pytest.approx(other.size, rel=1e-5)


def test_the_reason_is_shown() -> None:
    choice = chosen("four-bar")
    text = str(choice)
    assert f"cuts: {', '.join(choice.cuts)}; what they carry, as a mean over 10 s" in text
    rows = text.splitlines()[1:-2]
    assert [row.split()[0] for row in rows] == [x.hinge for x in choice.reactions]
    assert [row.split()[0] for row in rows if row.endswith("cut")] == list(choice.cuts)


def test_a_loaded_hinge_is_cut_last() -> None:
    model = mstmm.load("hdca-case-1")
    hinges = list(model.hinges)
    hinges[2] = replace(hinges[2], force=(-hinge_symbol("u", 1) / 10,))
    choice = chosen(replace(model, hinges=tuple(hinges)), 5.0)
    assert choice.cuts != ("3",)
    assert "not plain" in next(x for x in choice.reactions if x.hinge == "3").reluctance


def test_what_has_nothing_to_choose_is_refused() -> None:
    for name in ("double-pendulum", "branch-pendulum"):
        with pytest.raises(UsageError, match=f"{name} has no loops"):
            chosen(name)
    carried = replace(mstmm.load("four-bar"), base=Base((TIME, 0)))
    with pytest.raises(UsageError, match=r"four-bar has a moving base; name its cuts yourself"):
        chosen(carried)


def test_the_command_shows_the_choice() -> None:
    options = ("cuts", "hdca-case-3", "--t-end", "5", "--target", TARGET)
    text = answer(*options)
    assert text == f"{chosen('hdca-case-3', 5.0)}\n"
    assert_fits_80_columns(text)
    found = json.loads(answer(*options, "--json"))
    assert found["cuts"] == ["3", "7"]
    assert [x["hinge"] for x in found["reactions"]][:2] == ["7", "3"]


def test_where_conditions_are_redundant_every_cut_gets_the_same_advice() -> None:
    """The loads that no motion tells are chosen by a law that knows no cuts, and it is said so."""
    choices = [chosen(bricard(cut), 1.0) for cut in "af"]
    first = choices[0]
    assert first.cuts == ("d",)
    for choice in choices:
        assert choice.cuts == first.cuts
        assert [x.hinge for x in choice.reactions] == [x.hinge for x in first.reactions]
        for one, other in zip(choice.reactions, first.reactions, strict=True):
            assert one.size == pytest.approx(other.size, rel=1e-4)
            assert not one.told
    assert "the motion does not tell all loads" in str(first)
    again = chosen(first.model, 1.0)
    assert again.cuts == ("d",)


def test_mirrored_hinges_of_a_parallelogram_get_the_same_advice_from_every_cut() -> None:
    model = row_of_four_bars(1)
    solver = mstmm.compile(model, target=TARGET)
    start = solver.project(model.q0, model.v0)
    for cut in ("left1", "right1"):
        choice = chosen(cut_at(solver, (cut,), *start), 2.0)
        assert choice.cuts == ("right1",)
