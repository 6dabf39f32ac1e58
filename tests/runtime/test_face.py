"""What solvers offer: signatures and docstrings as on record, and arrays as the code gives them.

`PYTHONPATH=tests python tests/runtime/test_face.py` writes the record anew, for a change that is
meant.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import TARGETS

import mstmm
from mstmm.runtime.capabilities.offered import offered_by
from mstmm.runtime.capabilities.result import Result, There
from mstmm.runtime.evaluation.evaluator import Evaluator
from mstmm.runtime.solver import Solver

DOCS = Path(__file__).parents[2] / "docs"
RECORD = Path(__file__).parents[1] / "data" / "solver_methods.txt"


def methods() -> list[str]:
    """Each method with its signature, and a hash of its docstring however that is wrapped."""
    own = [name for name in dir(Solver) if name[0] != "_" and not hasattr(Evaluator, name)]
    found = []
    for name in own:
        method = getattr(Solver, name)
        if callable(method) and name != "part":
            text = " ".join((inspect.getdoc(method) or "").split())
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            found.append(f"{digest} {name}{inspect.signature(method)}")
    return found


def test_signatures_and_docstrings_are_those_on_record() -> None:
    assert methods() == RECORD.read_text("utf-8").splitlines()


def test_documents_name_methods_that_there_are_with_what_they_take_and_their_shapes() -> None:
    """In tables what they take and their shapes, elsewhere their names; one page adds a result."""
    offered, found = offered_by(Solver), 0
    for page in {*DOCS.rglob("*.md"), DOCS.parent / "README.md"} - {DOCS / "writing-a-result.md"}:
        text = page.read_text("utf-8")
        for name in re.findall(r"\bsolver\.(\w+)\(", text):
            assert name in {*offered, *dir(Solver)}, f"{page.name}: {name}"
        for name, given, cells in re.findall(r"^\| `(\w+)\((.*)\)` \|(.*)\|$", text, re.MULTILINE):
            if name in offered:
                taken = [*inspect.signature(offered[name].function).parameters.values()][1:]
                assert given == ", ".join(x.name for x in taken if x.default is x.empty), name
                shape = re.search(r"\(.*\)", cells.rpartition("|")[2].replace("`", ""))
                assert shape, name
                told = offered[name].page["shape"]
                assert told[told.index("(") :].startswith(shape[0]), name
                found += 1
    assert found >= 4


def test_arrays_of_a_run_have_the_units_of_their_records() -> None:
    run = mstmm.compile("double-pendulum", target="numpy").simulate(t_end=0.01)
    records = offered_by(Solver)
    loads = ", ".join(dict.fromkeys(run["loads"].member_units))
    for name, units in (("energy", run["energy"].units), ("joint_loads", loads)):
        assert f"{units}." == records[name].page["units"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        ("double-pendulum", "sensitivities"),
        ("spatial-tree", "closed-form"),
        ("four-bar", "hdca"),
    ],
)
def test_a_record_gives_the_arrays_of_the_code(model: str, algorithm: str, target: str) -> None:
    """Bit by bit in the axes of its page: of one state, of a batch, and at given parameters."""
    loaded = mstmm.load(model)
    names = tuple(loaded.parameters)[:1]
    solver = mstmm.compile(loaded, algorithm=algorithm, target=target, parameters=names)
    good: dict[str, Any] = {"q": np.array(loaded.q0), "v": np.array(loaded.v0)}
    good |= {name: np.sin(1.0 + np.arange(len(solver.speeds))) for name in "ap"}
    some = {
        name: x
        for name, x in offered_by(Solver).items()
        if isinstance(x, Result)
        and not (x.read or x.told or x.algorithm)
        and solver.computes(x.entry)
    }
    assert len(some) >= 3
    for name, record in some.items():
        given = {x: good[x] for x in inspect.signature(record.takes).parameters if x in good}
        method, there = getattr(solver, name), There(record, solver)
        for batch in (given, {x: np.stack([y, y, y]) for x, y in given.items()}):
            flat = there.results(**batch)
            for found in (method(**batch), method(**batch, parameters={})):
                parts = [found] if isinstance(found, np.ndarray) else vars(found).values()
                for array, (part, axes) in zip(parts, there.axes.items(), strict=True):
                    assert array.shape == (*flat[part].shape[:-1], *axes), name
                    assert array.tobytes() == flat[part].tobytes(), name


if __name__ == "__main__":
    RECORD.write_text("\n".join([*methods(), ""]), "utf-8")
