"""What notebooks show of models, derivations, proofs, runs and solvers: short, no scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import sympy as sp

from ..codegen.proof.records import Proof
from ..model import Model
from ..runtime.evaluation.arrays import Floats
from ..runtime.motions.batches import Runs
from ..runtime.motions.results import Run
from ..runtime.solver import Solver
from ..symbolic.derivation.derivation import Derivation
from ..symbolic.derivation.results import Result
from .drawing.topology import topology_svg

#: Rows of a table, bodies of a drawn topology, and operations of a formula that is set in type.
MOST_ROWS, MOST_BODIES, MOST_OPERATIONS = 12, 30, 400


def model(shown: Model) -> str:
    """A model: in words, its parameters and coordinates, its topology."""
    values = ", ".join(f"{name} = {value:g}" for name, value in shown.parameters.items())
    rows = [
        ("what", shown.description),
        ("bodies", _some([body.name for body in shown.bodies])),
        ("hinges", _some([f"{hinge.name} ({hinge.kind})" for hinge in shown.hinges])),
        ("cuts", _some(shown.cuts)),
        ("coordinates", _some([f"{x.name} ({x.unit})" for x in shown.coordinate_units])),
        ("parameters", values),
    ]
    drawn = topology_svg(shown, prefix=shown.name) if len(shown.bodies) <= MOST_BODIES else ""
    return _titled(f"Model {shown.name}", _pairs(rows) + drawn)


def solver(shown: Solver) -> str:
    """A solver: of what, how it was made, and its methods."""
    methods = [name for name in dir(type(shown)) if name in dir(shown) and _is_method(shown, name)]
    rows = [
        ("algorithm", f"{shown.algorithm} ({shown.form})"),
        ("target", shown.target),
        ("coordinates", _some(shown.coordinates)),
        ("speeds", _some(shown.speeds)),
        ("ends", _some(shown.ends)),
        ("parameters at run time", _some(shown.parameters)),
        ("methods", ", ".join(methods)),
    ]
    return _titled(f"Solver of {shown.model.name}", _pairs(rows))


def run(shown: Run) -> str:
    """A run: how it was made, what it kept, and its arrays."""
    rows = [
        ("time", _span(shown.time)),
        ("how", _how(shown)),
        ("energy", f"{shown.energy[0]:.6g} J, changes by {shown.energy_drift:.1e} J at most"),
        ("events", _some([f"{x.name} at {x.time:.6g} s" for x in shown.events])),
    ]
    if shown.constraint_position is not None:
        rows.append(("loops", f"open by {shown.constraint_position.max():.1e} at most"))
    arrays = [
        (
            name,
            " × ".join(map(str, x.values.shape)),
            x.units or ", ".join(dict.fromkeys(x.member_units)),
            x.long_name,
        )
        for name, x in shown.items()
    ]
    table = _table(("array", "size", "unit", "what"), arrays)
    return _titled(f"Run of {shown.model.name}", _pairs(rows) + table)


def runs(shown: Runs) -> str:
    """The runs of a batch: how they were made, and of each what differs and how it ended."""
    first = next(run for run in shown.runs if run is not None)
    rows = [
        ("runs", f"{len(shown)}, {len(shown.failed)} failed"),
        ("time", _span(shown.times)),
        ("how", _how(first, but=tuple(shown.given))),
    ]
    head = ("sample", *shown.given, "ends at (s)", "energy changes by (J)", "failure")
    table = _table(head, [_sample(shown, k) for k in range(len(shown))[:MOST_ROWS]])
    more = len(shown) - MOST_ROWS
    left = f"<p>… and {more} more</p>" if more > 0 else ""
    return _titled(f"Runs of {first.model.name}", _pairs(rows) + table + left)


def _sample(shown: Runs, k: int) -> tuple[str, ...]:
    """The row of one run in the table of a batch."""
    run, given = shown.runs[k], [f"{values[k]:g}" for values in shown.given.values()]
    if run is None:
        return (str(k), *given, "", "", shown.failed[k])
    return (str(k), *given, f"{run.time[-1]:g}", f"{run.energy_drift:.1e}", "")


def _span(times: Floats) -> str:
    return f"{times[0]:g} to {times[-1]:g} s, {len(times)} records"


def _how(shown: Run, but: tuple[str, ...] = ()) -> str:
    """How a run was made, without what is said elsewhere."""
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in shown.attrs.items()
        if name not in ("model", "form", *but)
    )


def proof(shown: Proof) -> str:
    """A proof: whether all is right, the largest error, and the rows that are the worst."""
    verdict = "holds" if shown.ok else "fails"
    worst = sorted(shown.rows, key=lambda row: (row.ok, -row.max_ulps))[:MOST_ROWS]
    rows = [
        ("verdict", f"the code {verdict}: {len(shown.rows)} rows at {shown.points} points"),
        ("largest error", f"{shown.max_ulps:.2g} ulp of what rounding may leave"),
        ("worst", shown.worst),
    ]
    table = _table(
        ("what", "largest error (ulp)", ""),
        [(row.kernel, f"{row.max_ulps:.2g}", "ok" if row.ok else "wrong") for row in worst],
    )
    return _titled(f"Proof, target {shown.target}", _pairs(rows) + table)


def derivation(shown: Derivation) -> str:
    """A derivation: of what, and which quantities it holds."""
    quantities = list(shown.quantities)
    rows = [
        ("algorithm", shown.algorithm.name),
        ("quantities", _some(list(map(str, quantities)))),
        ("symbols of the paper", _some(shown.symbols)),
    ]
    return _titled(f"Derivation of {shown.model.name}", _pairs(rows))


def result(shown: Result) -> str:
    """A result of a derivation in LaTeX; of a large one its size."""
    matrix = shown.matrix
    if sp.count_ops(matrix) > MOST_OPERATIONS:
        body = rf"\text{{a matrix of {matrix.rows} by {matrix.cols}, too large to be set}}"
    else:
        body = sp.latex(matrix)
    number = rf" \qquad \text{{({shown.equation})}}" if shown.equation else ""
    return rf"$\displaystyle {sp.latex(sp.Symbol(shown.symbol))} = {body}{number}$"


def _is_method(shown: Solver, name: str) -> bool:
    return name in vars(type(shown)) and not name.startswith("_") and callable(getattr(shown, name))


def _some(names: Iterable[str]) -> str:
    """Some names, and how many there are."""
    found = list(names)
    said = ", ".join(found[:MOST_ROWS])
    return said if len(found) <= MOST_ROWS else f"{said}, … ({len(found)} in all)"


def _titled(title: str, body: str) -> str:
    return f'<div class="mstmm"><strong>{escape(title)}</strong>{body}</div>'


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what is said of them; what is empty is left out."""
    shown = [(name, said) for name, said in rows if said]
    cells = "".join(
        f'<tr><th style="text-align: left; vertical-align: top">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(said)}</td></tr>'
        for name, said in shown
    )
    return f"<table>{cells}</table>"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{escape(x)}</td>' for x in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
