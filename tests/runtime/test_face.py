"""What solvers offer: signatures and docstrings as on record, and arrays as the code gives them.

`python tests/runtime/test_face.py` writes the record anew, for a change that is meant.
"""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path

from mstmm.runtime.evaluation.evaluator import Evaluator
from mstmm.runtime.solver import Solver

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


if __name__ == "__main__":
    RECORD.write_text("\n".join([*methods(), ""]), "utf-8")
