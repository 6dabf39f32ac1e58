"""The page of all algorithms says what the code has."""

from __future__ import annotations

import pydoc
import re
from collections.abc import Callable

import pytest
from file_texts import ROOT

import mstmm
from mstmm.codegen.costs.cost import COLUMNS, costs
from mstmm.codegen.generate import generate
from mstmm.errors import MissingMethodError, UsageError
from mstmm.symbolic.methods import algorithms
from mstmm.symbolic.methods.algorithms import ALGORITHMS

PAGE = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")

TREE = "(crank,(coupler,rocker)),ground"


def section(title: str) -> list[list[str]]:
    """The cells of the rows of the first table after a heading; names without their quotes."""
    lines = PAGE.split(f"# {title}\n", 1)[1].split("\n#", 1)[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return [[re.sub("[`]", "", cell) for cell in row] for row in rows]


def test_every_name_has_a_row_and_no_row_is_too_many() -> None:
    names = [row[0] for row in section("Algorithms")]
    assert sorted(names) == sorted(each.name for each in ALGORITHMS)
    assert all(len(row) == 4 and all(row) for row in section("Algorithms"))


def test_every_program_s_cost_is_there() -> None:
    counted = {row[0] for row in section("Operations")}
    assert counted == {each.name for each in ALGORITHMS if not each.alias_of}


@pytest.mark.parametrize(
    ("model", "asked", "said"),
    [
        ("double-pendulum", {"algorithm": "RNEA-body"}, r"did you mean rnea-body\?\); known: ricc"),
        ("double-pendulum", {"algorithm": "aba"}, "there is no algorithm 'aba'; known: riccati"),
        ("double-pendulum", {"algorithm": "dca", "form": "paper"}, "dca has no form 'paper'"),
        (
            "branch-pendulum",
            {"algorithm": "hdca"},
            "is in absolute coordinates, hdca .* joint ones",
        ),
        ("double-pendulum", {"algorithm": "dca", "assembly": 5}, "assembly = 5 is no text"),
        (
            "double-pendulum",
            {"assembly": "1,2"},
            "riccati has no option 'assembly'; it belongs to dca and hdca",
        ),
        ("spatial-tree", {"algorithm": "dca"}, "spatial-tree: dca takes no .*; use riccati"),
    ],
)
def test_what_there_is_not_is_said(model: str, asked: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        mstmm.compile(model, target="numpy", **asked)  # type: ignore[arg-type]


def test_a_method_is_known_by_its_own_name() -> None:
    """Not by that of the code that computes it, which another algorithm's may share."""
    q = v = [0.0, 0.0]
    solvers = {
        name: mstmm.compile("double-pendulum", algorithm=name, target="numpy")
        for name in ("riccati", "closed-form", "hdca")
    }
    for name in ("riccati", "closed-form"):
        with pytest.raises(UsageError, match=r"compute momenta; compile with algorithm='hdca'$"):
            solvers[name].momenta(q, v)
    for name in ("riccati", "hdca"):
        with pytest.raises(
            UsageError, match=r"compute spatial_momenta; compile with .*'closed-form'"
        ):
            solvers[name].spatial_momenta(q, v)
        with pytest.raises(
            UsageError, match=r"compute coriolis_matrix; compile with .*'closed-form'"
        ):
            solvers[name].coriolis_matrix(q, v)
    with pytest.raises(UsageError, match="compute regauged; compile with algorithm='hdca'"):
        solvers["riccati"].regauged(q, v)


def test_a_solver_has_the_methods_of_its_algorithm() -> None:
    riccati, inverse = (
        mstmm.compile("double-pendulum", algorithm=name, target="numpy")
        for name in ("riccati", "rnea-body")
    )
    for solver, has, lacks in (
        (riccati, "accelerations", "mass_matrix"),
        (inverse, "mass_matrix", "accelerations"),
    ):
        assert hasattr(solver, has)
        assert not hasattr(solver, lacks)
        assert has in dir(solver)
        assert lacks not in dir(solver)
        assert callable(getattr(type(solver), lacks))
        with pytest.raises(MissingMethodError, match=f"does not compute {lacks}; compile with"):
            getattr(solver, lacks)
    text = pydoc.plain(pydoc.render_doc(riccati))
    assert "mass_matrix(self, q:" in text
    assert "The generalised forces that balance gravity." in text


def test_a_record_is_all_that_an_algorithm_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Inward(algorithms.Algorithm):
        """The Riccati method under a third name."""

        name = "inward"
        forms = mstmm.Riccati.forms

    monkeypatch.setattr(algorithms, "ALGORITHMS", (*ALGORITHMS, Inward))
    solver = mstmm.compile("double-pendulum", algorithm="inward", target="numpy")
    other = mstmm.compile("double-pendulum", target="numpy")
    q, v = solver.model.q0, [1.0, 2.0]
    assert (solver.accelerations(q, v) == other.accelerations(q, v)).all()
    with pytest.raises(MissingMethodError, match="inward does not compute mass_matrix"):
        solver.mass_matrix(q)
    with pytest.raises(UsageError, match=r"did you mean inward\?\); known: .*inward"):
        mstmm.compile("double-pendulum", algorithm="inwards", target="numpy")


def test_options_belong_to_their_algorithm() -> None:
    """By name and keyword, or in the algorithm: one way inside."""
    by_name = mstmm.compile("four-bar", algorithm="dca", assembly=TREE, target="numpy")
    in_it = mstmm.compile("four-bar", algorithm=mstmm.Dca(assembly=TREE), target="numpy")
    assert by_name.method == in_it.method
    of_class = mstmm.compile("four-bar", algorithm=mstmm.Dca, assembly=TREE, target="numpy")
    assert of_class.method == in_it.method
    assert "Dca" in dir(mstmm)
    assert by_name.assembly == in_it.assembly == TREE
    assert mstmm.compile("rod-chain:n=2", algorithm="riccati", target="numpy").form == "fast"
    paper = mstmm.Riccati(form="paper")
    assert mstmm.compile("rod-chain:n=2", algorithm=paper, target="numpy").form == "paper"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: mstmm.Riccati(form="rough"), "riccati has no form 'rough'; it has: fast, paper"),
        (lambda: mstmm.Dca(assembly=5), "assembly = 5 is no text"),
        (mstmm.Algorithm, r"take one, such as Riccati\(\)"),
        (
            lambda: mstmm.compile("four-bar", algorithm=mstmm.Dca(), assembly=TREE),
            r"write assembly into the algorithm: Dca\(…\)",
        ),
        (lambda: mstmm.compile("four-bar", paramters=["m"]), "riccati has no option 'paramters'"),
        (lambda: mstmm.compile("four-bar", algorithm=None), "there is no algorithm None"),
    ],
)
def test_an_option_that_is_not_there_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()


def counted() -> list[list[str]]:
    """The table of operations, its figures as they are now; its rows stay."""
    model = mstmm.load(str(ROOT / "docs" / "seven-hinges.toml"))
    rows = section("Operations")
    kinds = [kinds for head, kinds in COLUMNS.items() if head != "sqrt"]
    found = []
    for name in dict.fromkeys(row[0] for row in rows):
        entries = [row[1] for row in rows if row[0] == name]
        made = generate(model, algorithm=name, entries=tuple(entries))
        for entry, cost in zip(entries, costs(made.module), strict=True):
            assert cost.whole.name == entry
            each = [sum(cost.whole.operations.get(k, 0) for k in kind) for kind in kinds]
            found.append([name, entry, *map(str, [*each, cost.whole.pairs])])
    return found


def test_the_figures_are_those_of_the_emitted_code() -> None:
    """Where it costs something else now, this file, run as a program, writes the table anew."""
    assert list(map(" ".join, counted())) == list(map(" ".join, section("Operations")))


def _write() -> None:
    """Write the table anew into the page."""
    text = PAGE
    for old, new in zip(section("Operations"), counted(), strict=True):
        line, now = (
            " | ".join([f"| `{row[0]}` | `{row[1]}`", *row[2:]]) + " |" for row in (old, new)
        )
        assert line in text
        text = text.replace(line, now)
    (ROOT / "docs" / "algorithms.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
