"""The study of the divide-and-conquer paper's cases: its parts, and a short run of all of it."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGET, needs_compiler
from independent.pinned import Pinned
from places import DATA as ALL_DATA
from places import ROOT

import mstmm
from mstmm.model import load

sys.path.append(str(ROOT))

from benchmarks.hdca import __main__ as command
from benchmarks.hdca.adams import ERROR, Adams
from benchmarks.hdca.forms import form
from benchmarks.hdca.linkage import Linkage
from benchmarks.hdca.measures import Case, growth
from benchmarks.hdca.middle import cut_in_the_middle
from benchmarks.hdca.plain import beside
from benchmarks.hdca.runs import run
from benchmarks.hdca.study import Settings, studied

DATA = ALL_DATA / "divide-and-conquer-paper"
FORMS = {"DCA": "dca", "HDCA": "hdca", "HDCA+regauge": "hdca, re-gauged"}


@pytest.mark.parametrize("case", [1, 2, 3])
def test_the_linkage_is_that_of_the_judge(case: int) -> None:
    """Places of the links' ends, gaps and energy of open loops in any state."""
    model = load(f"hdca-case-{case}")
    linkage, judge = Linkage(model), Pinned(model)
    q, v = np.random.default_rng(case).uniform(-2, 2, (2, 1, len(model.q0)))
    x = judge.place(q[0])
    h = 1e-6
    u = (judge.place(q[0] + h * v[0]) - judge.place(q[0] - h * v[0])) / (2 * h)
    assert linkage.energy(q, v)[0] == pytest.approx(judge.energy(x, u), abs=1e-7)
    open_, opening = (gap[0] for gap in linkage.gaps(q, v))
    gaps = judge.gaps(x).reshape(-1, 2)
    rates = (judge.jacobian(x) @ u.ravel()).reshape(-1, 2)
    assert open_ == pytest.approx(np.linalg.norm(gaps, axis=1).max(), abs=1e-12)
    assert opening == pytest.approx(np.linalg.norm(rates, axis=1).max(), abs=1e-7)
    end = linkage.point(q, v, "2:right")
    along = np.array([math.cos(x[1, 2]), math.sin(x[1, 2])]) / 2
    assert np.abs(end.x[0] - (x[1, :2] + along)).max() < 1e-12


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_adams_keeps_its_tolerance(tolerance: float) -> None:
    """A pendulum and an exponential; each step calls the rate twice."""
    calls = 0

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return np.array([y[1], -y[0], -y[2] / 3])

    times, states = Adams(rate, np.array([1.0, 0.0, 1.0]), tolerance).until(10.0)
    expected = [math.cos(10), -math.sin(10), math.exp(-10 / 3)]
    assert times[-1] == 10.0
    assert np.abs(states[-1] - expected).max() < 20 * tolerance
    assert 2 * (len(times) - 1) < calls < 2.3 * len(times) + 20


def test_adams_error_constants_are_the_integrals() -> None:
    """γ*_i = ∫ of the backward difference's polynomial over the step before, i from 1."""
    for i, value in enumerate(ERROR, start=1):
        factors = np.poly1d([1.0])
        for k in range(i):
            factors = factors * np.poly1d([1.0, k - 1.0]) / (k + 1)
        assert value == pytest.approx(abs(factors.integ()(1.0) - factors.integ()(0.0)), rel=1e-9)


SLOW = (pytest.param(number, marks=pytest.mark.slow) for number in (2, 3))


@needs_compiler
@pytest.mark.parametrize("number", [1, *SLOW])
def test_the_generated_code_runs_as_programs_of_their_own(number: int) -> None:
    """Stored runs of another DCA and HDCA: the calls, and errors within a tenth or two."""
    case = Case(number, 10.0, "c")
    with (DATA / "rk45.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["case"] == str(number)]
    assert len(rows) == len(FORMS)
    for row in rows:
        line = case.line(run(form(case.name, FORMS[row["form"]], "c"), "RK45", 1e-6, 10.0))
        assert abs(line.calls - line.extra - int(row["nfev"])) <= 12
        assert line.energy == pytest.approx(float(row["dE_max"]), rel=0.1)
        assert line.position == pytest.approx(float(row["pos_max"]), rel=0.45)
        assert line.angle == pytest.approx(float(row["q_err_10s"]), rel=0.1)
        if row["form"] == "DCA":
            assert line.velocity == pytest.approx(float(row["vel_max"]), rel=0.1)
        else:
            assert line.velocity < (1e-13 if "regauge" in row["form"] else 1e-11)


@needs_compiler
def test_the_energy_is_not_better_kept_for_all_cases() -> None:
    """Erratum E14, a claim about runs: case 1 at the paper's tolerance, and its drift grows."""
    case = Case(1, 10.0, "c")
    dca, hdca = (
        case.line(run(form(case.name, name, "c"), "RK45", 1e-6, 10.0)) for name in ("dca", "hdca")
    )
    assert hdca.energy > 1.2 * dca.energy
    assert hdca.position > 1e-6
    assert hdca.growth > 0.5


def test_a_loop_cut_in_the_middle_moves_alike() -> None:
    """The links' angles after a second, by the Riccati method."""
    model = load("hdca-case-1")
    other = cut_in_the_middle(model)
    angles = []
    for each in (model, other):
        assert np.abs(Pinned(each).gaps(Pinned(each).place(np.array(each.q0)))).max() < 1e-15
        made = mstmm.compile(each, target=TARGET).simulate(t_end=1.0, dt=1e-3, record=1.0)
        angles.append(Linkage(each).angles(made.q)[-1])
    assert np.abs(angles[0] - angles[1]).max() < 1e-9
    assert [hinge.ends[0].body for hinge in other.tree_hinges] == ["0", "1", "0", "4"]


@needs_compiler
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_plain_implementation_gives_the_same(number: int) -> None:
    """What is timed beside the emitted code computes the same; times decide nothing."""
    pair = beside(number)
    assert pair.difference < 1e-13
    assert pair.emitted.shape == pair.plain.shape
    assert pair.spread[0] <= pair.ratio <= pair.spread[1]


def test_growth_is_a_power_of_time() -> None:
    times = np.linspace(0.0, 10.0, 200)
    assert growth(times, 3.0 * times**2 + 1e-12) == pytest.approx(2.0, abs=1e-6)


def test_a_short_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table and plot is made; the numbers in the table are those of the runs."""
    pytest.importorskip("matplotlib")
    short = Settings(
        cases=(1,), tolerances=(1e-4, 1e-6), t_end=0.5, long=0.4, repeats=1, most=1, target=TARGET
    )
    found = studied(short, lambda text: None)
    assert len(found.lines) == 1 + 2 * (4 + 4 + 2)
    command.save(tmp_path, found, short, "A machine.")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    for line in found.lines:
        if (line.method, line.tolerance) == ("RK45", 1e-6):
            assert f"{line.energy:.1e}" in text
            assert str(line.calls - line.extra) in text
    with (tmp_path / "runs.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(found.lines)
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert all(f"({name})" in text for name in pictures)
    assert len(pictures) == text.count(".png)") == 8
    assert "nan" not in text
    assert str(tmp_path) not in text
