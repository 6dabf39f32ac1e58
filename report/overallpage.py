"""The overall transfer equation on a page: blocks, elements, named matrices, conditions, counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import sympy as sp

from ..model import GROUND, Beam, Body, End, Model
from ..model.expressions.quantities import Quantity, Vector, parameter
from ..model.expressions.text import read
from ..symbolic.pages.named import forward, named_matrices, subspace
from ..symbolic.plans.deduction import Factor, OverallEquation, Row, Term
from ..symbolic.plans.transfer import Element
from . import mathml
from .environment import environment
from .overallgrid import (
    OWN,
    PAGE,
    PAPER,
    Grid,
    appended,
    factors,
    grid,
    known,
    own_rows,
    some,
    sources,
)

ELEMENTS = 60
DOTS = "<mo>…</mo>"


@dataclass(frozen=True)
class ElementRow:
    """An element, its matrices, and what enters them."""

    matrices: str
    name: str
    data: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NamedShown:
    """A kind of matrix, entry by entry."""

    formula: str
    title: str
    equation: str
    blocks: tuple[str, ...]


def _factor(factor: Factor | None) -> str:
    if factor is None:
        return DOTS
    base = mathml.sub(mathml.bold(factor.letter), *factor.indices)
    if not factor.order:
        return base
    order = f"<mrow><mo>(</mo><mn>{factor.order}</mn><mo>)</mo></mrow>"
    return f"<msubsup>{base[len('<msub>') : -len('</msub>')]}{order}</msubsup>"


def _terms(equation: OverallEquation, terms: Sequence[Term]) -> str:
    if not terms:
        return mathml.bold("O")
    parts = []
    for term in terms:
        if term.sign < 0:
            parts.append(mathml.MINUS)
        elif parts:
            parts.append("<mo>+</mo>")
        shown = factors(equation, term, PAGE.factors)
        parts.append(mathml.TIMES.join(map(_factor, shown)))
    return f"<mrow>{''.join(parts)}</mrow>"


def _cells(rows: Sequence[Sequence[str]], zero: str = mathml.bold("O")) -> str:
    drawn = [
        "".join(f'<mtd class="zero">{x}</mtd>' if x == zero else f"<mtd>{x}</mtd>" for x in row)
        for row in rows
    ]
    body = "".join(f"<mtr>{row}</mtr>" for row in drawn)
    return f'<mtable class="matrix">{body}</mtable>'


def _equation(equation: OverallEquation, shown: Grid) -> str:
    rows = [
        [DOTS if cell is None else _terms(equation, cell) for cell in row] for row in shown.cells
    ]
    states = [
        ["<mo>⋮</mo>" if c is None else mathml.sub(mathml.bold("z"), *equation.end(c).indices)]
        for c in shown.columns
    ]
    zero = mathml.bold("0")
    return mathml.math(f"<mrow>{_cells(rows)}{_cells(states)}<mo>=</mo>{zero}</mrow>")


# The elements


def _quantity(quantity: Quantity) -> str:
    if isinstance(quantity, sp.Expr) and not quantity.is_Float:
        return mathml.expression(quantity)
    return f"<mn>{float(quantity):.6g}</mn>".replace("-", "−")


def _entries(rows: Sequence[Sequence[Quantity]]) -> str:
    return _cells([[_quantity(x) for x in row] for row in rows], "")


def _from(start: Vector, end: Vector) -> str:
    return _entries([[b - a] for a, b in zip(start, end, strict=True)])


def _position(body: Body, end: End) -> Vector:
    return body.point(end.point).position


def _rigid(model: Model, name: str) -> Body:
    body = model.body(name)
    assert isinstance(body, Body)
    return body


def _equal(letter: str, indices: Sequence[str], value: str) -> str:
    return mathml.inline(f"<mrow>{mathml.sub(letter, *indices)}<mo>=</mo>{value}</mrow>")


def _body(model: Model, element: Element) -> ElementRow:
    body, r = _rigid(model, element.name), mathml.bold("r")
    several = len(element.inputs) > 1
    first = _position(body, element.inputs[0])
    I1 = "I1" if several else "I"
    inertia = body.inertia
    J = _entries(inertia) if isinstance(inertia, tuple) else _quantity(inertia)
    data = [
        _equal(mathml.italic("m"), (), _quantity(body.mass)),
        _equal(mathml.bold("J") if isinstance(inertia, tuple) else mathml.italic("J"), ("C",), J),
        _equal(r, (I1, "C"), _from(first, body.centre)),
        _equal(r, (I1, "O"), _from(first, _position(body, element.output))),
    ]
    for k, end in enumerate(element.inputs[1:], start=2):
        data.append(_equal(r, ("I1", f"I{k}"), _from(first, _position(body, end))))
    return _body_row(element, _body_names(element), data)


def _body_names(element: Element) -> list[Factor]:
    """U of each input, and the geometric matrices."""
    several = range(2, len(element.inputs) + 1)
    return [
        *(Factor("U", element.index(k)) for k in range(1, len(element.inputs) + 1)),
        *(Factor("H", element.index(1), k if len(several) > 1 else 0) for k in several),
        *(Factor("H", element.index(k)) for k in several),
    ]


def _body_row(element: Element, names: Sequence[Factor], data: Sequence[str]) -> ElementRow:
    several = len(element.inputs) > 1
    inputs = ", ".join(
        f"I{k if several else ''} at {end.point}" for k, end in enumerate(element.inputs, start=1)
    )
    title = f"{element.kind} {element.name}: {inputs}, O at {element.output.point}"
    return ElementRow(_listed(names), escape(title), (("", "&#x2003;".join(data)),))


def _beam(model: Model, element: Element) -> ElementRow:
    beam = model.body(element.name)
    assert isinstance(beam, Beam)
    x, several = mathml.italic("x"), len(element.inputs) > 1
    data = [
        _equal(mathml.italic(letter), (), _quantity(value))
        for letter, value in (
            ("L", beam.length),
            ("ρA", beam.density),
            ("EA", beam.axial_stiffness),
            ("EI", beam.bending_stiffness),
        )
    ]
    data.append(f"{beam.axial_modes} axial, {beam.bending_modes} bending functions")
    for letter, functions in (("ψ", beam.axial), ("φ", beam.bending)):
        for k, text in enumerate(() if isinstance(functions, int) else functions, start=1):
            function = mathml.expression(read(text, {parameter("xi"): None}, exact=True))
            data.append(_equal(mathml.italic(letter), (str(k),), function))
    if not beam.foreshortening:
        data.append("no foreshortening")
    ends = {f"I{k if several else ''}": end for k, end in enumerate(element.inputs, start=1)}
    for name, end in {**ends, "O": element.output}.items():
        data.append(_equal(x, (name,), _quantity(beam.point(end.point).position[0])))
    names = _body_names(element)
    if beam.modes:
        names += [Factor("G", element.index(k)) for k in range(1, len(ends) + 1)]
    return _body_row(element, names, data)


def _hinge(equation: OverallEquation, element: Element) -> ElementRow:
    model = equation.transfer.model
    names = [Factor("U", (element.label,))]
    from_parent = forward(element, equation)
    way = "parent to child" if from_parent else "child to parent"
    title = (
        f"{element.kind} hinge {element.name}: from {_place(element.inputs[0])} to "
        f"{_place(element.output)}, {way}"
    )
    data: list[tuple[str, str]] = []
    hinge = equation.hinges[element.name]
    if hinge.rotor and element.freedoms:
        rotor = _entries([[x] for x in hinge.rotor])
        data.append(("", _equal(mathml.bold("ρ"), (element.label,), rotor)))
    if hinge.mimic:
        names.append(Factor("K", (element.label,)))
        ratio = _quantity(hinge.mimic.ratio)
        data.append((f"of hinge {escape(hinge.mimic.hinge)}", _equal("<mi>r</mi>", (), ratio)))
    if element.freedoms:
        names.insert(1, Factor("G", (element.label,)))
        H = subspace(model.dimension, element.kind, from_parent)
        data.append(
            (
                f"in the axes of {_place(element.output)}",
                _equal(mathml.bold("H"), (element.label,), mathml.matrix(H)),
            )
        )
    return ElementRow(_listed(names), escape(title), tuple(data))


def _place(end: End) -> str:
    return f"the ground ({end.point})" if end.body == GROUND else str(end)


def _listed(names: Sequence[Factor]) -> str:
    return " ".join(mathml.inline(_factor(name)) for name in names)


# The page


def _row(equation: OverallEquation, row: Row | None) -> str:
    if row is None:
        return "…"
    element = equation.transfer.elements[row.element]
    if row.kind == "main":
        return f"main row of the tree with root {_state(equation, row.entry)}"
    if row.kind == "geometric":
        return f"body {escape(element.name)}, input I<sub>{row.entry}</sub> against I<sub>1</sub>"
    what = "coupled hinge" if row.kind == "coupling" else "beam" if element.is_beam else "hinge"
    return f"{what} {escape(element.name)}"


def _state(equation: OverallEquation, tree: int) -> str:
    root = equation.end(equation.transfer.trees[tree].root)
    return mathml.inline(mathml.sub(mathml.bold("z"), *root.indices))


def _named(equation: OverallEquation) -> tuple[NamedShown, ...]:
    found = []
    for named in named_matrices(equation):
        value = mathml.matrix(named.matrix)
        name = _factor(named.factor)
        found.append(
            NamedShown(
                mathml.math(f"<mrow>{name}<mo>=</mo>{value}</mrow>"),
                _spun(named.title),
                named.equation,
                tuple(
                    mathml.math(f"<mrow>{mathml.symbol(n)}<mo>=</mo>{mathml.matrix(block)}</mrow>")
                    for n, block in named.blocks
                ),
            )
        )
    return tuple(found)


def _conditions(text: str) -> str:
    """What is known at an end, the ground's index lowered."""
    return _spun(text).replace("_g", "<sub>g</sub>")


def _spun(text: str) -> str:
    return escape(text).replace("Ω\u0307", mathml.SPIN)


def _lowered(text: str) -> str:
    """Text with the indices of its states lowered."""
    return re.sub(r"\bz_(\w+,\w+)", r"<b><i>z</i></b><sub>\1</sub>", escape(text))


def overall_context(equation: OverallEquation) -> dict[str, object]:
    """What the section's template needs.

    Source
        own
    """
    transfer, counts = equation.transfer, equation.counts
    rows = [
        None
        if element is None
        else _beam(transfer.model, element)
        if element.is_beam
        else _body(transfer.model, element)
        if element.is_body
        else _hinge(equation, element)
        for element in some(transfer.elements, ELEMENTS)
    ]
    conditions = [
        ("…", "", "", "")
        if column is None
        else (
            mathml.inline(mathml.sub(mathml.bold("z"), *(end := equation.end(column)).indices)),
            "tip" if end.entry else "root",
            f"{end.condition} at {_place(end.at)}",
            _conditions(known(equation, end)),
        )
        for column in some(equation.columns, PAGE.columns)
    ]
    shown, own = grid(equation, PAPER), grid(equation, OWN)
    return {
        "spin": mathml.SPIN,
        "form": transfer.form,
        "choices": [_lowered(line) for line in transfer.describe().splitlines()[1:]],
        "sources": sources(equation),
        "opened": _equation(equation, grid(equation, PAPER, True)) if transfer.pairs else "",
        "closed": _equation(equation, shown),
        "appended": appended(equation),
        "beams": any(element.is_beam for element in transfer.elements),
        "own": _equation(equation, own) if equation.auxiliaries else "",
        "own_rows": own_rows(equation),
        "row_names": [_row(equation, row) for row in shown.rows],
        "own_names": [_row(equation, row) for row in own.rows],
        "elements": rows,
        "number": len(transfer.elements),
        "named": _named(equation),
        "conditions": conditions,
        "unknown": counts.unknown,
        "given": counts.given,
        "unknowns": counts.unknowns,
        "equations": counts.equations,
    }


def overall_page(equation: OverallEquation) -> str:
    """A page of its own with the overall transfer equation; the same for the same model.

    Source
        own
    """
    model = equation.transfer.model
    template = environment().get_template("html/overallpage.html.jinja")
    return template.render(
        name=model.name,
        description=model.description or "a multibody system",
        overall=overall_context(equation),
    )
