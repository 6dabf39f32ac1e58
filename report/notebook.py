"""What notebooks show of models, derivations, proofs, runs and solvers: short, no scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import singledispatch
from html import escape
from typing import Any

import numpy as np
import sympy as sp

from ..codegen.proof.records import Proof
from ..model import Model
from ..model.expressions.quantities import told
from ..runtime.capabilities.end_states import EndStates
from ..runtime.capabilities.offered import offered_by
from ..runtime.cut_choice import CutChoice
from ..runtime.evaluation.arrays import Floats
from ..runtime.linear.equilibrium import Equilibrium
from ..runtime.linear.state_space import LinearSystem
from ..runtime.motions.batches import Runs
from ..runtime.motions.results import Run
from ..runtime.motions.variables import Part, Variable
from ..runtime.solver import Solver
from ..shown import brief, facts
from ..symbolic.derivation.derivation import Derivation
from ..symbolic.derivation.results import Result
from ..symbolic.equations.ledger import Judged
from ..symbolic.plans.plan import Plan
from .drawing.topology import topology_svg

#: Rows of a table, bodies of a drawn topology, and operations of a formula that is set in type.
MOST_ROWS, MOST_BODIES, MOST_OPERATIONS = 12, 30, 400


def model(shown: Model) -> str:
    """A model: in words, its parameters and coordinates, its topology."""
    values = ", ".join(f"{name} = {value:g}" for name, value in shown.parameters.items())
    rows = [
        ("what", shown.description),
        ("bodies", listed([body.name for body in shown.bodies])),
        ("hinges", listed([f"{hinge.name} ({hinge.kind})" for hinge in shown.hinges])),
        ("cuts", listed(shown.cuts)),
        ("coordinates", listed([f"{x.name} ({x.unit})" for x in shown.coordinate_units])),
        ("parameters", values),
    ]
    drawn = topology_svg(shown, prefix=shown.name) if len(shown.bodies) <= MOST_BODIES else ""
    return titled(f"Model {shown.name}", pairs(rows) + drawn)


def solver(shown: Solver) -> str:
    """A solver: of what, how it was made, and its methods."""
    methods = sorted(offered_by(type(shown)).keys() & set(dir(shown)))
    rows = [
        ("algorithm", f"{shown.algorithm} ({shown.form})"),
        ("target", shown.target),
        ("coordinates", listed(shown.coordinates)),
        ("speeds", listed(shown.speeds)),
        ("ends", listed(shown.ends)),
        ("parameters at run time", listed(shown.parameters)),
        ("methods", ", ".join(methods)),
    ]
    return titled(f"Solver of {shown.model.name}", pairs(rows))


def run(shown: Run) -> str:
    """A run: how it was made, what it kept, and its arrays."""
    rows = [
        ("time", _span(shown.time)),
        ("how", _how(shown)),
        ("energy", f"{shown.energy[0]:.6g} J, changes by {shown.energy_drift:.1e} J at most"),
        ("events", listed([f"{x.name} at {x.time:.6g} s" for x in shown.events])),
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
    table = in_columns(("array", "size", "unit", "what"), arrays)
    return titled(f"Run of {shown.model.name}", pairs(rows) + table)


def runs(shown: Runs) -> str:
    """The runs of a batch: how they were made, and of each what differs and how it ended."""
    first = next(run for run in shown.runs if run is not None)
    rows = [
        ("runs", f"{len(shown)}, {len(shown.failed)} failed"),
        ("time", _span(shown.times)),
        ("how", _how(first, but=tuple(shown.given))),
    ]
    head = ("sample", *shown.given, "ends at (s)", "energy changes by (J)", "failure")
    table = in_columns(head, [_sample(shown, k) for k in range(len(shown))[:MOST_ROWS]])
    return titled(f"Runs of {first.model.name}", pairs(rows) + table + and_more(len(shown)))


def _sample(shown: Runs, k: int) -> tuple[str, ...]:
    """The row of one run in the table of a batch."""
    run, given = shown.runs[k], [f"{values[k]:g}" for values in shown.given.values()]
    if run is None:
        return (str(k), *given, "", "", shown.failed[k])
    return (str(k), *given, f"{run.time[-1]:g}", f"{run.energy_drift:.1e}", "")


def _span(times: Floats) -> str:
    return f"{times[0]:g} to {times[-1]:g} s, {told(len(times), 'record')}"


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
        (
            "verdict",
            f"the code {verdict}: {told(len(shown.rows), 'row')} at {told(shown.points, 'point')}",
        ),
        ("largest error", f"{shown.max_ulps:.2g} ulp of what rounding may leave"),
        ("worst", shown.worst),
    ]
    table = in_columns(
        ("what", "largest error (ulp)", ""),
        [(row.kernel, f"{row.max_ulps:.2g}", "ok" if row.ok else "wrong") for row in worst],
    )
    return titled(f"Proof, target {shown.target}", pairs(rows) + table)


def derivation(shown: Derivation) -> str:
    """A derivation: of what, and which quantities it holds."""
    quantities = list(shown.quantities)
    rows = [
        ("algorithm", shown.algorithm.name),
        ("quantities", listed(list(map(str, quantities)))),
        ("symbols of the paper", listed(shown.symbols)),
    ]
    return titled(f"Derivation of {shown.model.name}", pairs(rows))


def result(shown: Result) -> str:
    """A result of a derivation in LaTeX; of a large one its size."""
    matrix = shown.matrix
    if sp.count_ops(matrix) > MOST_OPERATIONS:
        body = rf"\text{{a matrix of {matrix.rows} by {matrix.cols}, too large to be set}}"
    else:
        body = sp.latex(matrix)
    number = rf" \qquad \text{{({shown.equation})}}" if shown.equation else ""
    return rf"$\displaystyle {sp.latex(sp.Symbol(shown.symbol))} = {body}{number}$"


# What has no page of its own: its fields, or its members by name


@singledispatch
def table_of(shown: Any) -> str:
    """A thing with a line: its fields, each with a short value, or of many things their names."""
    if isinstance(shown, Mapping | Sequence):
        return titled(repr(shown)[1:-1], pairs([("holds", listed(map(_short, shown)))]))
    own = facts(shown) if is_dataclass(shown) else vars(shown).items()
    plain: Any = object.__repr__
    telling = [(x, y) for x, y in own if type(y).__repr__ is not plain]
    return titled(_name(shown), pairs((x, said(y)) for x, y in telling if x[0] != "_"))


@table_of.register
def _equilibrium(shown: Equilibrium) -> str:
    stable = f"unstable, deviations grow at {shown.growth:.3g} /s"
    rows = [
        ("q", said(shown.q)),
        ("v", said(shown.v)),
        ("inputs", said(shown.inputs)),
        ("free", listed(shown.free)),
        ("held", listed(shown.held)),
        ("not alone along", listed(shown.undetermined)),
        ("accelerations left", f"{shown.residual:.1e}"),
        ("stability", stable if shown.unstable else "small deviations do not grow"),
    ]
    return titled("Equilibrium", pairs(rows))


@table_of.register
def _linear_system(shown: LinearSystem) -> str:
    poles = [f"{x.real:.4g} {'+' if x.imag >= 0 else '−'} {abs(x.imag):.4g}i" for x in shown.poles]
    rows = [
        ("states", listed(shown.states)),
        ("inputs", listed(shown.inputs)),
        ("outputs", listed(shown.outputs)),
        ("poles (1/s)", listed(x.removesuffix(" + 0i") for x in poles)),
    ]
    named = (
        ("A", shown.A, shown.states, shown.states),
        ("B", shown.B, shown.states, shown.inputs),
        ("C", shown.C, shown.outputs, shown.states),
        ("D", shown.D, shown.outputs, shown.inputs),
    )
    tables = [_matrix(*each) for each in named if 0 < each[1].size <= MOST_ROWS**2]
    return titled("Linear system", pairs(rows) + "".join(tables))


@table_of.register
def _end_states(shown: EndStates) -> str:
    if shown.loads.ndim > 2:
        return titled(repr(shown)[1:-1], pairs([("ends", listed(shown))]))
    head = ("end", "r̈ (m/s²)", "Ω̇ (rad/s²)", "m (N m)", "q (N)")
    rows = []
    for name in list(shown)[:MOST_ROWS]:
        motion, loads = shown[name].acceleration, shown[name].load
        rows.append((name, *map(said, (motion[:3], motion[3:], loads[:3], loads[3:]))))
    left = and_more(len(shown))
    return titled(
        f"States of {told(len(shown), 'end')}, {shown.frame} frame", in_columns(head, rows) + left
    )


@table_of.register
def _variable(shown: Variable) -> str:
    sizes = ", ".join(f"{x}: {n}" for x, n in zip(shown.dims, shown.values.shape, strict=True))
    units = shown.units or ", ".join(dict.fromkeys(shown.member_units))
    rows = [("axes", sizes), ("unit", units)]
    if shown.values.size:
        rows.append(("from", f"{shown.values.min():.6g} to {shown.values.max():.6g}"))
    return titled(shown.long_name, pairs(rows))


@table_of.register
def _part(shown: Part) -> str:
    rows = [(name, repr(variable)[1:-1]) for name, variable in shown.items()]
    return titled(f"{shown.name} in a run", pairs([*rows, ("reported end", shown.end)]))


@table_of.register
def _cut_choice(shown: CutChoice) -> str:
    rows = [
        (x.hinge, f"{x.force:.4g}", f"{x.moment:.4g}", "cut" if x.is_cut else x.reluctance)
        for x in shown.reactions[:MOST_ROWS]
    ]
    table = in_columns(("hinge", "force (N)", "moment (N m)", ""), rows)
    title = f"Cuts of {shown.model.name}: {', '.join(shown.cuts)}"
    return titled(title, table + and_more(len(shown.reactions)))


@table_of.register
def _entry(shown: Judged) -> str:
    record = shown.record()
    rows = [
        ("as printed", record["as_printed"]),
        ("as derived", record["as_derived"] if shown.correction else ""),
        ("correction", shown.correction),
        ("verdict", record["sentence"]),
        ("judged at", ", ".join(record["instants"])),
    ]
    return titled(f"{shown.paper} ({shown.number}): {shown.title}", pairs(rows))


@table_of.register
def _plan(shown: Plan) -> str:
    lines = [(line,) for line in shown.describe().splitlines()]
    return titled(f"Plan of {shown.model.name}", in_columns(("from the tips to the root",), lines))


def _name(shown: object) -> str:
    """A class's name in words: `Linear system` of LinearSystem."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(shown).__name__).capitalize()


def said(value: Any) -> str:
    """A value in a cell: numbers with six digits, of many their shape."""
    if isinstance(value, np.ndarray) and value.size > MOST_ROWS:
        return f"{' × '.join(map(str, value.shape))} numbers"
    if isinstance(value, np.ndarray):
        shown = [f"{x:.6g}" for x in value.ravel()]
        return ", ".join(shown) if value.ndim == 1 else _rows(shown, value.shape)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return listed(f"{name} = {_short(x)}" for name, x in value.items())
    return listed(map(_short, value)) if isinstance(value, tuple) else _short(value)


def _short(value: Any) -> str:
    return brief("", value).strip()


def _rows(numbers: list[str], shape: tuple[int, ...]) -> str:
    width = shape[-1] if shape else 1
    lines = [", ".join(numbers[k : k + width]) for k in range(0, len(numbers), width or 1)]
    return "; ".join(lines)


def _matrix(name: str, values: Floats, rows: tuple[str, ...], columns: tuple[str, ...]) -> str:
    body = [(x, *(f"{y:.4g}" for y in row)) for x, row in zip(rows, values, strict=True)]
    return in_columns((name, *columns), body)


def and_more(count: int) -> str:
    return f"<p>… and {count - MOST_ROWS} more</p>" if count > MOST_ROWS else ""


def listed(names: Iterable[str]) -> str:
    """Some names, and how many there are."""
    found = list(names)
    said = ", ".join(found[:MOST_ROWS])
    return said if len(found) <= MOST_ROWS else f"{said}, … ({len(found)} in all)"


def titled(title: str, body: str) -> str:
    return f'<div class="mstmm"><strong>{escape(title)}</strong>{body}</div>'


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what is said of them; what is empty is left out."""
    shown = [(name, said) for name, said in rows if said]
    cells = "".join(
        f'<tr><th style="text-align: left; vertical-align: top">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(said)}</td></tr>'
        for name, said in shown
    )
    return f"<table>{cells}</table>"


def in_columns(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{escape(x)}</td>' for x in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
