"""The overall transfer equation as a document: blocks, elements, named matrices, conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from ..errors import UsageError
from ..model import GROUND, Beam, Body, End, Model
from ..model.expressions.quantities import Quantity, Vector, parameter, told
from ..model.expressions.text import read
from ..symbolic.pages.named import Named, displaced, forward, named_matrices, subspace
from ..symbolic.plans.deduction import Factor, OverallEquation
from ..symbolic.plans.transfer import Element
from ..symbolic.plans.transfer import symbol as state_name
from .documents.document import (
    Block,
    Cell,
    Document,
    Fold,
    Formula,
    Formulas,
    Items,
    Prose,
    Section,
    Table,
)
from .documents.entries import said
from .overallgrid import (
    OWN,
    PAGE,
    PAPER,
    appended,
    as_object,
    grid,
    known,
    label,
    matrix_of,
    of_displacements,
    own_rows,
    some,
    sources,
    states_of,
)
from .vibration.overall import OF_SMALL, frequencies, of_displacement_blocks, of_small_motions

ELEMENTS = 60

#: What the symbols of the named matrices are.
LETTERS = (
    "Rows and columns of a state are r̈, Ω̇, m, q, 1. "
    "Inertial axes; from I_1 lead r_IO to the output end, r_IC to the centre of mass and r_I1I2 to "
    "a further input (in plain text o, c and i2), of a hinge d from its input to its output end; J "
    "about I_1; Ω is an angular velocity, f_C and m_C (in plain text f and M) are the external "
    "force, gravity included, and couple; of a hinge H is the motion "
    "subspace, with rows H_r and H_Ω, and τ the force of its law; γ is the hinge’s relative "
    "acceleration that is there without changes of its speeds: with w and ḋ the spin and velocity "
    "of the output end as seen from the input end’s body, γ = (Ω̃ Ω̃ d + 2 Ω̃ ḋ + d̈, Ω̃ w + ẇ) at "
    "constant speeds, Ω being that body’s; of a driven hinge γ has its prescribed accelerations as "
    "well."
)


def of_matrices(small: bool) -> str:
    """What the symbols of the named matrices are, in accelerations or of small motions."""
    return OF_SMALL if small else LETTERS


def see_shown(equation: OverallEquation) -> None:
    """See that every element has matrices.

    Raises
        UsageError: a beam in space, or what spins, of which there are none.
    """
    model = equation.transfer.model
    for body in model.bodies:
        said = body.complex_alone
        if isinstance(body, Beam) and isinstance(body.bending_stiffness, tuple):
            said = "is a beam in space"
        if said:
            raise UsageError(
                f"{model.name}: {body.kind} {body.name} {said}, of which --overall shows no "
                "matrices; mstmm derive MODEL --algorithm damped --output FILE shows them"
            )


def overall_document(
    equation: OverallEquation, command: str = "", *, small: bool = False
) -> Document:
    """The equation with all that it is made of; the same for the same model.

    `small`: that of small motions about rest, whose determinant is zero at natural frequencies.

    Raises
        UsageError: a beam in space, or what spins, of which it has no matrices; of small motions a
            force between points.
    Source
        Deduction paper; hinge rows own. Of small motions Rui, Wang, Lu and Yun (2008).
    """
    see_shown(equation)
    equation = of_small_motions(equation) if small else equation
    model = equation.transfer.model
    lead = f"{model.description or 'a multibody system'}: the overall transfer equation"
    lead += " of small motions about rest" * small
    return Document(
        model.name, f"{lead} by the deduction theorem", overall_sections(equation, small), command
    )


def overall_object(equation: OverallEquation, *, small: bool = False) -> dict[str, Any]:
    """The equation as JSON has it; refuses as `overall_document`."""
    see_shown(equation)
    if not small:
        return as_object(equation)
    found = as_object(of_small_motions(equation))
    ends = [{**end, "known": of_displacements(end["known"])} for end in found["ends"]]
    return {**found, "of": "small motions about rest", "ends": ends}


def overall_sections(equation: OverallEquation, small: bool = False) -> tuple[Section, ...]:
    """The equation, its conditions, its matrices and its elements."""
    found = named_matrices(equation)
    shown = [*filter(None, map(displaced, found))] if small else found
    matrices = [named_fold(named, k, True) for k, named in enumerate(shown)]
    whole, conditions = tuple(_equation(equation)), tuple(_conditions(equation))
    if small:
        whole = (*map(of_displacement_blocks, whole), *frequencies(equation.transfer.model))
        conditions = tuple(map(of_displacement_blocks, conditions))
    return (
        Section("The overall transfer equation", "overall", whole),
        Section("Boundary conditions and counts", "conditions", conditions),
        Section(
            "The named matrices, for element j",
            "named",
            (Prose(of_matrices(small), "caption"), *matrices),
        ),
        Section("The elements, in transfer order", "in-order", tuple(_elements(equation))),
    )


# The equation


def _equation(equation: OverallEquation) -> Iterator[Block]:
    transfer = equation.transfer
    beams = any(element.is_beam for element in transfer.elements)
    modal = any(row.kind == "modal" for row in equation.rows)
    yield Prose(
        f"A {transfer.form} of {told(len(transfer.elements), 'element')}, "
        f"bodies{', beams' * beams} and hinges; states pass from the tips to the root. "
        "Numbers in parentheses are those of the "
        "deduction paper. The choices, which the model’s root, first_inputs and cuts override:"
    )
    yield Items(tuple(transfer.describe().splitlines()[1:]))
    yield Prose(f"U_all z_all = 0, deduction paper {sources(equation)}.")
    if transfer.pairs:
        yield _system(equation, "U_all", PAPER, True)
        yield Prose("With the ends of each cut paired:")
    yield _system(equation, "U_all", PAPER)
    if equation.auxiliaries:
        yield Prose(f"And the {own_rows(equation)}:")
        yield _system(equation, "G_all", OWN)
    yield Prose(
        f"s, which is appended to every state like the paper’s modal accelerations, is "
        f"{appended(equation)}: a smooth hinge does not determine its own relative acceleration. "
        "The 1 of each state and s belong to every state and are counted once. U passes s on, a "
        "further input’s U leaves it out, as it does the 1; each hinge brings a row that says "
        f"what force drives it{', each beam as many as it has functions' * modal}."
    )


def _system(
    equation: OverallEquation, name: str, kinds: Sequence[str], opened: bool = False
) -> Formula:
    shown = grid(equation, kinds, opened)
    rows = tuple(label(equation, row) for row in shown.rows)
    return Formula(
        name, matrix_of(equation, shown, PAGE), states=states_of(equation, shown), rows=rows
    )


def _conditions(equation: OverallEquation) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for column in some(equation.columns, PAGE.columns):
        if column is None:
            rows.append(("…", "", "", ""))
            continue
        end = equation.end(column)
        name = Formulas(((state_name(end.indices), None),), "", state_name(end.indices))
        role = "tip" if end.entry else "root"
        rows.append((name, role, f"{end.condition} at {_place(end.at)}", known(equation, end)))
    yield Table(("state", "role", "end", "known"), tuple(rows))
    counts = equation.counts
    yield Items(
        tuple(
            f"{told(total, what)}: " + ", ".join(_told(*item) for item in items)
            for total, what, items in (
                (counts.unknown, "unknown", counts.unknowns),
                (counts.given, "equation", counts.equations),
            )
        )
    )


def _told(names: str, number: int) -> str:
    """`1 state at cuts`, `3 main rows`."""
    return told(number, re.sub(r"s\b(?= at| of| in|$)", "", names, count=1), names)


def named_fold(named: Named, k: int, opened: bool) -> Fold:
    """A named matrix, entry by entry or with the blocks that it is made of."""
    title, _, more = re.sub(r"[:;] ", "\n", named.title, count=1).partition("\n")
    blocks: list[Block] = [Prose(more)] if more else []
    paper = "deduction paper " if named.equation.startswith("(") else ""
    blocks.append(
        Formula(named.factor.text(), named.matrix, source=f"{paper}{named.equation}", shaded=True)
    )
    if named.blocks:
        blocks.append(Prose("with the blocks"))
        blocks += [Formula(n, block) for n, block in named.blocks]
    return Fold(f"{named.factor.letter}: {title}", f"matrix-{k}", tuple(blocks), opened)


# The elements

#: A datum: its name and value, and words behind them.
Data = Iterator[tuple[str, "sp.Basic | sp.MatrixBase"]]


def _elements(equation: OverallEquation) -> Iterator[Block]:
    yield Prose(
        "Arms and inertia in body axes, with the body’s direction cosines A: "
        "r = A r′, J = A J′ Aᵀ.",
        "caption",
    )
    rows: list[tuple[Cell, ...]] = []
    for element in some(equation.transfer.elements, ELEMENTS):
        if element is None:
            rows.append(("…", "", ""))
        elif element.is_body:
            rows.append(_body_row(equation.transfer.model, element))
        else:
            rows.append(_hinge_row(equation, element))
    yield Table(("matrices", "element", "data"), tuple(rows))


def _cell(values: Sequence[tuple[str, sp.Basic | sp.MatrixBase | None]], words: str = "") -> Cell:
    text = "; ".join(name if x is None else f"{name} = {_typed(x)}" for name, x in values)
    return Formulas(tuple(values), words, "; ".join(filter(None, (text, words))))


def _typed(value: sp.Basic | sp.MatrixBase) -> str:
    if isinstance(value, sp.MatrixBase):
        rows = ["  ".join(map(said, row)) for row in value.tolist()]
        return f"[{'; '.join(rows)}]"
    return said(value)


def _names(factors: Sequence[Factor]) -> Cell:
    return _cell([(factor.text(), None) for factor in factors])


def _value(quantity: Quantity) -> sp.Expr:
    return quantity if isinstance(quantity, sp.Expr) else sp.Float(quantity)


def _arm(start: Vector, end: Vector) -> sp.Matrix:
    return sp.Matrix([_value(b - a) for a, b in zip(start, end, strict=True)])


def _body_row(model: Model, element: Element) -> tuple[Cell, ...]:
    several = len(element.inputs) > 1
    inputs = ", ".join(
        f"I{k if several else ''} at {end.point}" for k, end in enumerate(element.inputs, start=1)
    )
    title = f"{element.kind} {element.name}: {inputs}, O at {element.output.point}"
    body = model.body(element.name)
    if isinstance(body, Beam):
        words = f"{body.axial_modes} axial, {body.bending_modes} bending functions"
        words += "" if body.foreshortening else "; no foreshortening"
        return _names(_factors(element, body)), title, _cell([*_beam(body, element)], words)
    assert isinstance(body, Body)
    return _names(_factors(element, body)), title, _cell([*_rigid(body, element)])


def _factors(element: Element, body: Body | Beam) -> list[Factor]:
    """U of each input, the geometric matrices, and the rows of a beam's functions."""
    several = range(2, len(element.inputs) + 1)
    ends = range(1, len(element.inputs) + 1)
    found = [Factor("U", element.index(k)) for k in ends]
    found += [Factor("H", element.index(1), k if len(several) > 1 else 0) for k in several]
    found += [Factor("H", element.index(k)) for k in several]
    if isinstance(body, Beam) and body.modes:
        found += [Factor("G", element.index(k)) for k in ends]
    return found


def _rigid(body: Body, element: Element) -> Data:
    first = body.point(element.inputs[0].point).position
    I1 = "I1" if len(element.inputs) > 1 else "I"
    J = body.inertia
    yield "m", _value(body.mass)
    if isinstance(J, tuple):
        yield "J_C", sp.Matrix([[_value(x) for x in row] for row in J])
    else:
        yield "J_C", _value(J)
    yield f"r_{I1},C", _arm(first, body.centre)
    yield f"r_{I1},O", _arm(first, body.point(element.output.point).position)
    for k, end in enumerate(element.inputs[1:], start=2):
        yield f"r_I1,I{k}", _arm(first, body.point(end.point).position)


def _beam(beam: Beam, element: Element) -> Data:
    yield "L", _value(beam.length)
    yield "ρA", _value(beam.density)
    yield "EA", _value(beam.axial_stiffness)
    yield "EI", _value(beam.bending_stiffness)
    for letter, functions in (("ψ", beam.axial), ("φ", beam.bending)):
        for k, text in enumerate(() if isinstance(functions, int) else functions, start=1):
            yield f"{letter}_{k}", read(text, {parameter("xi"): None}, exact=True)
    several = len(element.inputs) > 1
    ends = {f"I{k if several else ''}": end for k, end in enumerate(element.inputs, start=1)}
    for name, end in {**ends, "O": element.output}.items():
        yield f"x_{name}", _value(beam.point(end.point).position[0])


def _hinge_row(equation: OverallEquation, element: Element) -> tuple[Cell, ...]:
    model, hinge = equation.transfer.model, equation.hinges[element.name]
    from_parent = forward(element, equation)
    way = "parent to child" if from_parent else "child to parent"
    title = (
        f"{element.kind} hinge {element.name}: from {_place(element.inputs[0])} to "
        f"{_place(element.output)}, {way}"
    )
    own = (element.label,)
    letters = "U" + "G" * bool(element.freedoms) + "K" * bool(hinge.mimic)
    data: list[tuple[str, sp.Basic | sp.MatrixBase]] = []
    words = []
    if hinge.rotor and element.freedoms:
        data.append((f"ρ_{element.label}", sp.Matrix([_value(x) for x in hinge.rotor])))
    if hinge.mimic:
        data.append(("r", _value(hinge.mimic.ratio)))
        words.append(f"r of hinge {hinge.mimic.hinge}")
    if element.freedoms:
        H = subspace(model.dimension, element.kind, from_parent)
        data.append((f"H_{element.label}", H))
        words.append(f"H in the axes of {_place(element.output)}")
    return _names([Factor(letter, own) for letter in letters]), title, _cell(data, ", ".join(words))


def _place(end: End) -> str:
    return f"the ground ({end.point})" if end.body == GROUND else str(end)
