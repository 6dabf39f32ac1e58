"""The papers' studies: each in a small size, and their numbers against solutions of others."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from commands import answer, assert_fits_80_columns, assert_one_line, run
from compiler import needs_compiler
from independent.newton_euler import newton_euler
from independent.tree import extended
from places import DATA

import mstmm
from mstmm import papers
from mstmm.errors import UsageError
from mstmm.model import load
from mstmm.papers import PAPERS, study_of
from mstmm.papers.deduction.exactbeam import Small, Straight
from mstmm.papers.deduction.example1 import frequencies, with_functions
from mstmm.papers.recursive.appendix import (
    ALPHA,
    ALPHA_RATE,
    Q_RATE,
    R_RATE,
    Printed,
    Q,
    compared,
    mechanism,
)
from mstmm.papers.recursive.study import at_start
from mstmm.papers.riccati.product import error, hinge, in_digits, in_doubles, rod, state
from mstmm.papers.screw.flights import END, TWIST, free_body, measured, reference
from mstmm.papers.screw.recursions import RECURSIONS, printed
from mstmm.papers.screw.recursions import run as counted
from mstmm.papers.studies import clock
from mstmm.papers.studies.redundant import Redundant
from mstmm.papers.studies.study import Part, Section, Study
from mstmm.report.drawing.assembly import assembly_scene
from mstmm.symbolic.methods.divide.program import assembly_of
from mstmm.symbolic.plans.plan import plan


def test_the_studies_are_listed() -> None:
    text = answer("study")
    assert_fits_80_columns(text)
    for name in PAPERS:
        assert f"{name}: {study_of(name).title}" in " ".join(text.split())


@needs_compiler
@pytest.mark.parametrize("paper", PAPERS)
def test_a_small_size_of_every_study_is_written(paper: str, tmp_path: Path) -> None:
    """All parts, every plot and table that the page names, and that it is a small size."""
    pytest.importorskip("matplotlib")
    study = study_of(paper)
    said = answer("study", paper, "--quick", "-o", tmp_path / "page")
    assert said == f"{tmp_path / 'page' / 'README.md'}: {study.title}\n"
    text = (tmp_path / "page" / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {study.title}\n")
    assert "A small size was run" in text
    assert text.count("\n## ") == len(study.parts)
    shown = set(re.findall(r"\]\((\S+?)\)", text))
    written = {file.name for file in (tmp_path / "page").iterdir()}
    assert shown <= written
    assert {name for name in written if name.endswith((".png", ".svg"))} == shown
    for name in written:
        if name.endswith(".csv"):
            with (tmp_path / "page" / name).open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            assert len(rows) > 1
            assert len({len(row) for row in rows}) == 1
    assert "nan" not in text.lower().replace("nanoseconds", "")


def test_slips_are_answered() -> None:
    result = run("study", "ricatti")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "no paper 'ricatti' (did you mean riccati?)")
    result = run("study", "riccati", "--only", "time")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "no part 'time'", "motion, times, digits")
    result = run("study", "--quick")
    assert result.exit_code == 2
    assert_one_line(result.stderr, "name a paper: riccati")


def test_a_stopped_study_says_so_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")

    def stopped(quick: bool, say: Any) -> Section:
        raise KeyboardInterrupt

    parts = (
        Part("first", "done", lambda quick, say: Section("The first", ("is there",))),
        Part("second", "stopped", stopped),
    )
    one = Study("riccati", "Of two parts", "about", parts)
    monkeypatch.setattr(papers, "study_of", lambda paper: one)
    result = run("study", "riccati", "-o", tmp_path / "page")
    assert result.exit_code == 130
    assert "1 of 2 parts, without second" in result.stderr
    text = (tmp_path / "page" / "README.md").read_text(encoding="utf-8")
    assert "## The first" in text
    assert "Only a part of the study was run: without second." in text


def test_processor_time_is_that_of_the_call() -> None:
    def busy() -> float:
        return sum(float(k) for k in range(2000))

    one = clock.seconds(busy)
    assert clock.seconds(lambda: [busy() for _ in range(10)]) == pytest.approx(10 * one, rel=0.5)
    assert [clock.shown(x) for x in (2.0, 3e-3, 4e-6, 5e-9)] == ["2 s", "3 ms", "4 µs", "5 ns"]


# Redundant coordinates


def test_redundant_coordinates_of_a_branch_system() -> None:
    """Against the dense system of another judge."""
    pytest.importorskip("scipy")
    model = load("branch-system", N=21)
    draw = np.random.default_rng(3)
    q, v = draw.uniform(-2, 2, (2, len(model.bodies)))
    redundant = Redundant(model)
    x, u = redundant.state(q, v)
    assert redundant.gap(x) < 1e-14
    expected = newton_euler(model, q, v)
    found = redundant.accelerations(x, u)
    scale = np.abs(expected.accelerations).max()
    assert np.abs(found[:, 2] - expected.accelerations).max() < 1e-12 * scale
    assert np.abs(found[:, :2] - expected.centres).max() < 1e-12 * scale


def test_redundant_coordinates_of_a_loop() -> None:
    pytest.importorskip("scipy")
    model = load("example-2")
    redundant = Redundant(model)
    x, u = redundant.state([model.q0[0]] * 7, [0.0] * 7)
    assert redundant.gap(x) < 1e-14
    data = json.loads((DATA / "deduction-paper" / "example2.json").read_text(encoding="utf-8"))
    found = dict(zip((b.name for b in model.bodies), redundant.accelerations(x, u), strict=True))
    for name, value in data["initial_Omd"].items():
        assert found[name][2] == pytest.approx(value, rel=1e-11)


def test_redundant_coordinates_refuse_what_they_do_not_know() -> None:
    pytest.importorskip("scipy")
    for name in ("example-1", "ball-chain", "slider-crank"):
        with pytest.raises(UsageError, match="redundant coordinates take planar bodies and pins"):
            Redundant(load(name))


# The plain product


def test_the_plain_product_in_many_digits_is_the_motion() -> None:
    """Against balances and conditions of all rods in one dense system, both in 60 digits."""
    q, v = state(9)
    model = load("rod-chain", n=9)
    expected = newton_euler(model, q, v, arithmetic=extended(60)).accelerations
    exact = in_digits(q, v, digits=60)
    with mpmath.workdps(60):
        pairs = zip(exact, expected, strict=True)
        assert max(abs(a - mpmath.mpf(str(b))) for a, b in pairs) < 1e-40
    assert 1e-16 < error(in_doubles(q, v), exact) < 1e-9


def test_behind_the_printed_hinge_a_rod_carries_no_moment() -> None:
    outboard = rod(0.3, 1.2, np.cos, np.sin)
    assert np.abs(outboard.dot(hinge(outboard))[3]).max() < 1e-15


# The beam itself


def test_the_beam_in_closed_form_has_the_known_frequencies() -> None:
    """Clamped and free: cos x cosh x = −1; both ends clamped: cos x cosh x = 1."""
    beam = Straight(1.0, 1.0, 1e6, 1.0)
    for x in (1.87510406871196, 4.69409113297417, 7.85475743823761):
        clamped = beam.stiffness(x**2)[np.ix_([4, 5], [4, 5])]
        below, above = (beam.stiffness((x + e) ** 2)[4:, 4:] for e in (-1e-6, 1e-6))
        assert np.linalg.det(below) * np.linalg.det(above) < 0
        assert abs(np.linalg.det(clamped)) < 1e-6 * np.abs(clamped).max() ** 2
    for k, x in enumerate((4.73004074486270, 7.85320462409584, 10.9956078380017)):
        assert [beam.held((x + e) ** 2) for e in (-1e-6, 1e-6)] == [k, k + 1]


def test_the_beam_in_closed_form_is_the_static_one_at_rest() -> None:
    beam = Straight(2.0, 0.7, 30.0, 5.0)
    found = beam.stiffness(1e-3)
    L, EI = beam.L, beam.EI
    bending = np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    assert np.allclose(found[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])], bending * EI / L**3, atol=1e-5)
    assert found[0, 3] == pytest.approx(-beam.EA / L, rel=1e-6)


def test_functions_for_the_beam_come_near_its_own_frequencies() -> None:
    """The whole of Example 1: generated accelerations beside the beam in closed form."""
    model = load("example-1")
    exact = Small.of(model).frequencies(4)
    found = frequencies(with_functions(model, 2, 2))[:4] / exact - 1
    assert (found > -1e-9).all()
    assert found.max() < 1e-3


def test_exact_frequencies_are_the_limit_of_finite_elements() -> None:
    """From above, by h⁴ for bending and h² for stretching; none is missed."""
    small = Small.of(load("example-1"))
    exact = small.frequencies(8)
    errors = []
    for count in (20, 40):
        errors.append(small.by_elements(count)[:8] / exact - 1)
    assert (errors[0] > -1e-6).all()  # rounding of the elements
    assert errors[1].max() < 1e-3
    assert errors[1].max() < 0.26 * errors[0].max()


# Screws


@pytest.mark.parametrize("name", RECURSIONS)
def test_recursions_are_right_and_need_what_the_paper_counts(name: str) -> None:
    found = counted(name, 4)
    assert found.error < 1e-13
    assert found.counts == printed(name, 4)


@needs_compiler
@pytest.mark.parametrize("scheme", ["body", "momentum"])
def test_the_schemes_are_of_order_four_against_euler(scheme: str) -> None:
    pytest.importorskip("scipy")
    body, exact = free_body(), reference(END)

    def fly(n: int) -> Any:
        return body.simulate(np.eye(4), TWIST, steps=n, dt=END / n, scheme=scheme)

    found = measured(fly, lambda one: float(np.abs(one.poses[-1] - exact).max()), (40, 80, 160))
    assert found.order == pytest.approx(4, abs=0.15)
    kept = max(found.momentum.values())
    assert (kept < 1e-14) == (scheme == "momentum")


# Appendix C


def test_the_appendix_in_doubles_is_that_of_another_program() -> None:
    """Orientations, velocities, A, B and their rates, against the stored ones."""
    file = DATA / "recursive-formulation-paper" / "appendix-c.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["inputs"]["alpha"] == list(ALPHA)
    assert data["inputs"]["q_d"] == list(Q_RATE)
    of = Printed(ALPHA, Q, ALPHA_RATE, Q_RATE, R_RATE)
    for name in ("R1", "C1", "omega1", "omega2", "b11", "b21", "z", "W", "A", "B", "D"):
        found, expected = np.asarray(getattr(of, name)), np.array(data[name])
        assert np.abs(found.reshape(expected.shape) - expected).max() < 1e-13, name


def test_the_appendix_is_what_the_program_says_but_for_two_prints() -> None:
    derived = mstmm.derive(mechanism(), algorithm="slaats")
    of = Printed(ALPHA, Q, ALPHA_RATE, Q_RATE, R_RATE)
    found = compared(of, derived.at(*at_start(derived, of)))
    assert [one.number for one in found if one.difference > 1e-13] == [
        one.number for one in found if not one.correct
    ]


# Assembly trees


def test_an_assembly_tree_is_drawn_with_all_its_leaves_and_merges() -> None:
    """Each leaf once, each merge with the joints that it eliminates."""
    tree = assembly_of(plan(load("hdca-case-3")), "hdca")
    scene = assembly_scene(tree, "tree")
    texts = {group.name: group.shapes[-1].text for group in scene.groups}
    assert {name: texts[name] for name in texts if name in {x.name for x in tree.leaves}} == {
        node.name: "ground" if node.name.startswith("ground ") else node.name
        for node in tree.leaves
    }
    for node in tree.merges:
        assert texts[node.name] == f"{node.name}: {', '.join(node.joined)}"
    assert len(scene.groups) == len(tree.nodes)
