"""The benchmark suite on small cases: its judge, its table, and how it stops."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from compiler import needs_compiler
from places import ROOT

import mstmm

sys.path.append(str(ROOT))

from benchmarks import __main__ as suite
from benchmarks import cases, judge, measure, plot, table
from benchmarks.cases import Case, Floor
from benchmarks.contenders import Contender, absent
from benchmarks.peers import mstmm as ours
from benchmarks.studies import Study

SHORT = {
    "rods": partial(cases.rod_chain, 3),
    "rods in joint angles": partial(cases.rod_chain, 3, absolute=False),
    "branches": lambda: replace(mstmm.load("branch-system", N=13), q0=(), v0=()),
    "balls": partial(cases.ball_chain, 3),
}


def case(name: str, **more: object) -> Case:
    fields = {"states": 16, "targets": ("c", "c-batch"), **more}
    floors = (Floor("c", "slow", 1.0), Floor("c", "gone", 0.5))
    tree = partial(cases.rod_chain_tree, 3)
    return Case(1, name, "forward", SHORT[name], tree, floors, "slow", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SHORT)
def test_the_judge_agrees_with_the_dense_system(name: str) -> None:
    """Two judges with nothing in common but the models' numbers; 30 digits of 40."""
    from independent.joints import joint_motion
    from independent.newton_euler import newton_euler
    from independent.tree import extended

    model = SHORT[name]()
    q, v, tau = case(name).drawn
    assert np.abs(tau).min() > 0
    arithmetic = extended(40)
    dense = newton_euler if model.absolute else joint_motion
    forces = {"tau": tau[0] if model.absolute else list(tau[0]), "arithmetic": arithmetic}
    expected = dense(model, list(q[0]), list(v[0]), **forces).accelerations
    found = judge.forces_first(model, q[0], v[0], tau[0])
    assert len(found) == len(expected)
    largest = max(map(abs, expected))
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-30 * largest


@pytest.mark.parametrize("name", SHORT)
def test_states_turn_into_the_trees_and_back(name: str) -> None:
    """Accelerations are speeds' derivatives: a linear change of speeds goes back to itself."""
    if name == "balls":
        tree = cases.ball_rods(3, 9.81)
    elif name == "branches":
        tree = cases.branch_tree(7)
    else:
        tree = cases.rod_chain_tree(3, joint=name != "rods")
    q, v, _ = case(name).drawn
    assert len(tree.links) == len(SHORT[name]().bodies)
    np.testing.assert_allclose(tree.back(tree.state(q, v)[1]), v, rtol=0, atol=1e-14)


@needs_compiler
@pytest.mark.parametrize(
    ("name", "entry"),
    [*((name, "forward") for name in SHORT), ("rods in joint angles", "mass"), ("balls", "mass")],
)
def test_targets_are_judged_and_timed(name: str, entry: str) -> None:
    found = measure.measure(
        replace(case(name), entry=entry), (ours.contenders,), 2, lambda text: None
    )
    timed = [figure for figure in found.figures if figure.timed]
    assert {"c", "c-batch"} <= {figure.name for figure in timed}
    for figure in timed:
        assert figure.error is not None
        assert figure.error < 1e-13
        assert not figure.wrong


def test_rows_and_columns_of_mass_matrices_go_back() -> None:
    """A tree whose speeds stand in another order, by a change that is no permutation alone."""
    M = np.arange(18.0).reshape(2, 3, 3)
    M += M.swapaxes(1, 2)
    tree = replace(cases.rod_chain_tree(3), back=lambda x: 2 * x[:, [1, 2, 0]])
    expected = 4 * M[:, [1, 2, 0]][:, :, [1, 2, 0]]
    np.testing.assert_array_equal(tree.mass_back(M.reshape(2, -1)), expected.reshape(2, -1))


@needs_compiler
def test_who_is_wrong_is_shown_as_wrong_not_as_fast() -> None:
    def people(given: Case) -> list[Contender]:
        right = ours.contenders(replace(given, targets=("c",)))
        (slow,) = ours.contenders(replace(given, targets=("c",)))
        slow.name, slow.back = "slow", lambda array: array * (1 + 1e-5)
        return [*right, slow, absent("gone", "not installed: buy it")]

    small = case("rods", targets=("c",))
    found = measure.measure(small, (people,), 3, lambda text: None)
    assert found.ratio(small.floors[0]) is None
    page = table.page({"processor": "a fast one"}, [found], [])
    assert "wrong: 1e-05" in page
    assert "slow wrong" in page
    assert "gone not there" in page
    assert "not installed: buy it" in page


def test_ratios_are_of_rounds_and_floors_are_met_or_missed() -> None:
    figures = (
        measure.Figure("c", 0.0, (1.0, 2.0, 30.0)),
        measure.Figure("slow, LOCAL", 0.0, (10.0, 20.0, 300.0)),
        measure.Figure("slow, WORLD", 0.0, (20.0, 40.0, 30.0)),
        measure.Figure("slow → other", 0.0, (1.0, 1.0, 1.0)),
    )
    row = measure.Measured(case("rods"), figures)
    met, missed = Floor("c", "slow", 0.11), Floor("c", "slow", 0.09)
    assert row.ratio(met) == pytest.approx((0.1, 0.1, 0.1))
    assert table.verdict(row, met) == ("1/10 (1/10 … 1/10)", "met")
    assert table.verdict(row, missed)[1] == "**missed**"
    assert table.verdict(row, replace(missed, aim=True))[1] == "aim missed"


def test_files(tmp_path: Path) -> None:
    row = measure.Measured(case("rods"), (measure.Figure("c", 1e-16, (1e-6,)),))
    study = Study(11, "operations", ("what", "how many"), (("a | b", "3"),), (("few", True),))
    table.save(tmp_path, {"processor": "p"}, [row], [study])
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "1 µs" in text
    assert "a \\| b" in text
    data = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert data["rows"][0]["figures"][0]["median"] == 1e-6
    assert data["studies"][0]["verdicts"] == [["few", True]]


def test_a_stop_shows_what_is_done_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    done = measure.Measured(case("rods"), (measure.Figure("c", 1e-16, (1e-6,)),))

    def stop(given: Case, *rest: object) -> measure.Measured:
        if given.row == 3:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(suite, "measure", stop)
    monkeypatch.setattr(suite, "pin_to_one_core", lambda: None)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--rows", "1-3", "--output", str(folder)])
    assert suite.main() == 130
    found = capsys.readouterr()
    assert "1 µs" in found.out
    assert "stopped" in found.err
    assert not folder.exists()


@pytest.mark.parametrize("text", ["", "0", "22", "a", "1-"])
def test_rows_that_there_are_not(text: str) -> None:
    import argparse

    with pytest.raises(argparse.ArgumentTypeError):
        suite.rows_of(text)


def test_rows() -> None:
    assert suite.rows_of("1,4-6") == {1, 4, 5, 6}


def test_labels_of_a_plot_say_once_what_names_begin_with() -> None:
    assert plot.label(["pinocchio, LOCAL", "pinocchio, WORLD"]) == "pinocchio, LOCAL, WORLD"
    assert plot.label(["c-batch", "c-batch native"]) == "c-batch, native"
    assert plot.label(["pinocchio", "mujoco"]) == "pinocchio, mujoco"
