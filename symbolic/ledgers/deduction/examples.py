"""The two examples: deduction paper (40)–(50), in the order of their displays.

The text numbers no display from (40) on by name, so that these numbers are likely, not certain.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from ....model import Beam, Body, Model
from ....model.expressions.quantities import Quantity, exact_expression, parameter
from ....model.ready.library import MODELS
from ...exact.ledger import Instant, Sides, ledger
from ...plans.deduction import Factor, OverallEquation, deduce
from .cases import example_1, example_2, symbols
from .elements import PAPER
from .theorem import ZERO, Case, letter, named

#: Example 2's two ways from the cut to the branching body.
A, B = "U_4 U_5 U_6 U_7 U_8 U_9", "U_10 U_11 U_12 U_13 U_14"


def read(*rows: tuple[str, ...]) -> sp.Matrix:
    """Blocks that are written as `-H_5,I2 U_7 U_8`, sums with ` + `, a zero one as `O`."""

    def product(text: str) -> sp.Expr:
        sign, names = (-1, text[1:]) if text.startswith("-") else (1, text)
        return ZERO if names == "O" else sign * sp.Mul(*(letter(x) for x in names.split()))

    return sp.Matrix([[sum(map(product, block.split(" + "))) for block in row] for row in rows])


def blocks(equation: OverallEquation, rows: tuple[tuple[str, ...], ...], opened: bool) -> Sides:
    """Main and geometric rows of an equation."""
    found = (row for row in equation.rows if row.kind in ("main", "geometric"))
    yield sp.Matrix.vstack(*(named(equation, row, opened) for row in found)), read(*rows)


def written(at: Case, rows: tuple[tuple[str, ...], ...], opened: bool, main: bool = False) -> Sides:
    """The blocks that are written, multiplied out, with the true motion's states of the ends.

    `main`: the first row alone.
    """
    states = [at.system.boundary(column) for column in at.columns(opened)]
    found = [row for row in at.equation.rows if row.kind in ("main", "geometric")]
    for row, texts in list(zip(found, rows, strict=True))[: 1 if main else None]:
        terms = []
        for text, z in zip(texts, states, strict=True):
            parts = [_multiplied(at, part, z)[: row.size, :] for part in text.split(" + ")]
            if text != "O":
                terms.append(sum(parts[1:], parts[0]))
        yield -terms[0], *(terms[1:] or [sp.zeros(row.size, 1)])
        yield sp.Matrix([named(at.equation, row, opened)]), read(texts)


def _multiplied(at: Case, text: str, z: sp.Matrix) -> sp.Matrix:
    """A product like `-H_5,I2 U_7 U_8` of a state."""
    if text == "O":
        return 0 * z
    sign, names = (-1, text[1:]) if text.startswith("-") else (1, text)
    for name in reversed(names.split()):
        letter, _, index = name.partition("_")
        z = at.matrices.of(Factor(letter, tuple(index.split(",")) if index else ())) * z
    return sign * z


def states(equation: OverallEquation, wanted: tuple[str, ...], opened: bool) -> Sides:
    """z_all, each state by its two indices."""
    columns = equation.opened if opened else equation.columns
    names = [f"z_{','.join(equation.end(column).indices)}" for column in columns]
    yield sp.Matrix([letter(x) for x in names]), sp.Matrix([letter(x) for x in wanted])


def conditions(equation: OverallEquation, wanted: tuple[str, ...]) -> Sides:
    """What is known at each end."""
    found = [equation.end(column).condition for column in equation.columns]
    yield sp.Matrix([letter(x) for x in found]), sp.Matrix([letter(x) for x in wanted])


def pinned(at: Case) -> Sides:
    """r̈ = 0 and m = 0 at the ground's pin, of the true motion."""
    root = at.system.boundary(0)
    yield root[:2, :], sp.zeros(2, 1)
    yield root[3:4, :], sp.zeros(1, 1)


def at_rest(at: Case) -> Sides:
    """r̈ and Ω̇ of the ground's end, m and q of the tips vanish in the true motion."""
    root, *tips = (at.system.boundary(column) for column in at.columns())
    yield root[:3, :], sp.zeros(3, 1)
    for tip in tips:
        yield tip[3:6, :], sp.zeros(3, 1)


def matrix_of_cut(at: Case) -> Sides:
    """z_14,9 = C z_9,14 with C = diag(1, 1, 1, −1, −1, −1, 1)."""
    (pair,) = at.equation.transfer.pairs
    kept, dropped = at.system.boundary(pair.kept), at.system.boundary(pair.dropped)
    yield dropped, sp.diag(1, 1, 1, -1, -1, -1, sp.eye(len(kept) - 6)) * kept


def decimal(model: Model, quantity: Quantity) -> sp.Expr:
    """A quantity with the parameters' values as they are written, in decimals."""
    values = {parameter(name): sp.Rational(repr(x)) for name, x in model.parameters.items()}
    return exact_expression(quantity).xreplace(values)


def data(equation: OverallEquation, mass: sp.Rational, inertia: sp.Rational) -> Sides:
    """Mass and inertia of each rigid body."""
    model = equation.transfer.model
    for body in model.bodies:
        if isinstance(body, Body):
            found = [decimal(model, x) for x in (body.mass, body.inertia)]
            yield sp.Matrix(found), sp.Matrix([mass, inertia])


def beam_data(equation: OverallEquation) -> Sides:
    """l = 3 m, EA = 1000 N of the beam 3."""
    model = equation.transfer.model
    (beam,) = [body for body in model.bodies if isinstance(body, Beam)]
    found = [decimal(model, x) for x in (beam.length, beam.axial_stiffness)]
    yield sp.Matrix([letter(beam.name), *found]), sp.Matrix([letter("3"), 3, 1000])


def ready_made(name: str) -> Instant:
    return Instant(name, lambda: deduce(MODELS[name].build()))


first, second = ready_made("example-1"), ready_made("example-2")
NAMES = "names of blocks and ends are compared, and a model's data"
display = partial(ledger(PAPER), absent=True, no_claim=NAMES)
judged = partial(display, symbols=symbols, no_claim="")
text = partial(ledger(PAPER), kind="text", no_claim=NAMES)

FIRST = (
    ("-I", "U_6 U_5,I1 U_4 U_3 U_2 U_1", "U_6 U_5,I2 U_7 U_8"),
    ("O", "H_5,I1 U_4 U_3 U_2 U_1", "-H_5,I2 U_7 U_8"),
)
PARTED = (
    ("-I", f"U_1 U_2 U_3,I1 {A}", f"U_1 U_2 U_3,I2 {B}"),
    ("O", f"H_3,I1 {A}", f"-H_3,I2 {B}"),
)
PAIRED = (
    ("-I", f"U_1 U_2 U_3,I1 {A} + U_1 U_2 U_3,I2 {B} C"),
    ("O", f"H_3,I1 {A} + -H_3,I2 {B} C"),
)
ENDS = ("z_6,0", "z_1,0", "z_8,0")


ENTRIES = (
    judged(
        "40",
        "Example 1: overall equation",
        partial(written, rows=FIRST, opened=False),
        "U_all z_all = 0",
        instants=(example_1,),
    ),
    display(
        "41",
        "Example 1: overall matrix",
        partial(blocks, rows=FIRST, opened=False),
        "; ".join(" | ".join(r) for r in FIRST),
        instants=(first,),
    ),
    display(
        "42",
        "Example 1: states of the ends",
        partial(states, wanted=ENDS, opened=True),
        "[z_6,0; z_1,0; z_8,0]",
        instants=(first,),
    ),
    display(
        "43",
        "Example 1: the root is z_6,0",
        partial(states, wanted=ENDS, opened=False),
        "z_root = z_6,0",
        instants=(first,),
    ),
    judged(
        "44",
        "Example 1: its main row",
        partial(written, rows=FIRST, opened=False, main=True),
        "z_6,0 = U_6 U_5,I1 U_4 U_3 U_2 U_1 z_1,0 + U_6 U_5,I2 U_7 U_8 z_8,0",
        instants=(example_1,),
    ),
    judged(
        "45",
        "Example 1: what is known at the ends",
        at_rest,
        "r̈, Ω̇ of z_6,0; m, q of z_1,0 and z_8,0 vanish",
        instants=(example_1,),
    ),
    display(
        "45, by name",
        "the ends' conditions",
        partial(conditions, wanted=("clamped", "free", "free")),
        "clamped; free; free",
        instants=(first,),
    ),
    text(
        "Example 1",
        "masses and inertias",
        partial(data, mass=sp.Rational(39, 5), inertia=sp.Rational(13, 1000)),
        "m = 7.8 kg, J_C = 0.013 kg m²",
        instants=(first,),
    ),
    text(
        "Example 1, beam",
        "the beam's length and stiffness",
        beam_data,
        "l_3 = 3 m, EA_3 = 1000 N",
        instants=(first,),
    ),
    judged(
        "46",
        "Example 2: overall equation",
        partial(written, rows=PARTED, opened=True),
        "U_all z_all = 0",
        instants=(example_2,),
    ),
    display(
        "46, by name",
        "the overall matrix of the ready-made model",
        partial(blocks, rows=PARTED, opened=True),
        "; ".join(" | ".join(r) for r in PARTED),
        instants=(second,),
    ),
    judged(
        "47",
        "Example 2: overall matrix, its cut's ends paired",
        partial(written, rows=PAIRED, opened=False),
        "; ".join(" | ".join(r) for r in PAIRED),
        instants=(example_2,),
    ),
    display(
        "48",
        "Example 2: states of the ends",
        partial(states, wanted=("z_1,0", "z_9,14", "z_14,9"), opened=True),
        "[z_1,0; z_9,14; z_14,9]",
        instants=(second,),
    ),
    judged(
        "49",
        "Example 2: both ends of the cut",
        matrix_of_cut,
        "z_14,9 = diag(1, 1, 1, −1, −1, −1, 1) z_9,14",
        instants=(example_2,),
    ),
    judged(
        "50",
        "Example 2: what is known at the pin to the ground",
        pinned,
        "r̈ = 0, m = 0 of z_1,0",
        instants=(example_2,),
    ),
    display(
        "50, by name",
        "the ends' conditions",
        partial(conditions, wanted=("pinned", "cut")),
        "pinned; nothing at the cut",
        instants=(second,),
    ),
    text(
        "Example 2",
        "masses and inertias",
        partial(data, mass=sp.Integer(1), inertia=sp.Rational(1, 6)),
        "m = 1 kg, J_C = 1/6 kg m²",
        instants=(second,),
    ),
)
