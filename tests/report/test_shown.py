"""Everything that the library gives shows itself: in a line, and as a table in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import mstmm

#: The longest line, and the most lines, of what is no part of a model.
LONGEST, LINES = 200, 8


def of_models() -> Iterator[Any]:
    for name in ("double-pendulum", "four-bar", "example-1", "cart-pole"):
        model = mstmm.load(name)
        yield from (model, *model.bodies, *model.hinges, *model.inputs, *model.loads)
    yield mstmm.Sensor("height", (mstmm.End("a", "O"),), (0, 1, 0))
    yield mstmm.choose_cuts("four-bar", t_end=0.05, target="numpy")


def of_solvers() -> Iterator[Any]:
    model = mstmm.load("double-pendulum")
    solver = mstmm.compile(model, target="numpy", parameters=["g"])
    q, v = model.q0, model.v0
    yield from (solver, solver.generated, solver.equilibrium(q), solver.state_space(q))
    yield from (solver.derivatives(q, v, np.zeros(2)), solver.end_states(q, v))
    yield solver.end_states(q, v)["2:O"]
    yield mstmm.validate(solver, points=1)
    yield mstmm.compile("four-bar", target="numpy").assemble()
    yield mstmm.compile(model, algorithm="inverse-rates", target="numpy").inverse_rates(
        q, v, v, v, v
    )


def of_runs() -> Iterator[Any]:
    model = mstmm.load("double-pendulum")
    solver = mstmm.compile(model, target="numpy", parameters=["g"])
    run = solver.simulate(t_end=0.01)
    yield from (run, *run.values(), run[model.hinges[0].name], run[model.coordinates[0]])
    yield solver.simulate(t_end=0.01, parameters={"g": [9.81, 1.625]})
    yield mstmm.FreeBody(np.eye(6), target="numpy")


def of_derivations() -> Iterator[Any]:
    derived = mstmm.derive("double-pendulum")
    at = derived.at([0.1, 0.2], [0.0, 0.0])
    yield from (derived, derived.results, derived.S, derived.plan, derived.program(), at)
    yield from (derived.overall, derived.overall.at([0.1, 0.2], [0.0, 0.0]), derived.draw())
    yield from (derived.quantities, next(iter(derived.quantities.values())), derived.interactive())
    yield from mstmm.derive("branch-pendulum").of_equation(46)
    yield from mstmm.ledger("riccati", 39, 46)


def of_inputs() -> Iterator[Any]:
    table = mstmm.Table(np.linspace(0, 1, 2000), np.linspace(0, 1, 2000))
    yield from (table, mstmm.Sampled(table, 0.1), mstmm.Feedback(np.eye(40)))
    yield from (mstmm.Event("q1"), mstmm.Riccati(), mstmm.Dca(assembly="((1,2),ground)"))
    yield mstmm.Samples.grid(q1=np.linspace(0.0, 1.0, 30))


@pytest.mark.parametrize("made", [of_models, of_solvers, of_runs, of_derivations, of_inputs])
def test_every_object_shows_itself(made: Callable[[], Iterator[Any]]) -> None:
    for thing in made():
        line = repr(thing)
        assert " object at 0x" not in line, line
        assert len(line.splitlines()) <= LINES, line
        is_part = type(thing).__module__.startswith("mstmm.model.parts")
        assert is_part or max(map(len, line.splitlines())) <= LONGEST, line
        if type(thing).__name__ in ("Interactive", "Drawing"):
            continue
        if type(thing).__name__ == "Result":
            assert thing._repr_latex_().startswith("$")
            continue
        shown = thing._repr_html_()
        assert "object at 0x" not in shown
        assert "<table" in shown
        assert "<script" not in shown
        assert len(shown) < 40_000
        ElementTree.fromstring(shown)


def test_every_exported_class_has_a_line_of_its_own() -> None:
    classes = [x for name in mstmm.__all__ if isinstance(x := getattr(mstmm, name), type)]
    for cls in classes:
        if not issubclass(cls, BaseException):
            assert cls.__repr__ is not object.__repr__, cls
            assert hasattr(cls, "_repr_html_"), cls


def test_an_ensemble_shows_itself(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    made = mstmm.ensemble(
        "double-pendulum",
        {"q1": np.linspace(0.0, 1.0, 3)},
        to=tmp_path / "x.zarr",
        t_end=0.01,
        dt=5e-3,
        target="numpy",
    )
    assert repr(made).startswith("<Ensemble of 3 motions in")
    assert "x.zarr" in made._repr_html_()


def test_numbers_in_tables_and_lines_are_short() -> None:
    model = mstmm.load("double-pendulum")
    found = mstmm.compile(model, target="numpy").equilibrium(model.q0)
    assert repr(found).startswith("<Equilibrium: q (3.14159, ")
    assert "unstable" in found._repr_html_()
    system = mstmm.compile(model, target="numpy").state_space(np.zeros(2))
    shown = ElementTree.fromstring(system._repr_html_())
    heads = [[cell.text for cell in table[0]] for table in shown.findall("table")]
    assert ["A", *system.states] in heads
    assert ["B", *system.inputs] in heads
