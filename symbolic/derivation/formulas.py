"""The results that hold for every model: the element matrices (4), (5), (8)–(17)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import sympy as sp

from ..mechanics.bodies import Coefficients, coefficients, generic_transfer_matrix
from ..mechanics.newton_euler import balance, generic
from ..mechanics.planar import kept, vanishing
from ..mechanics.vectors import Layout, symbols
from .results import Line, Row


@cache
def balance_lines(inputs: int = 1) -> tuple[Line, ...]:
    """From Newton's and Euler's law to (4), or (8) of several inputs, component by component."""
    z_O = end_state("O")
    rows = balance(generic(inputs), input_state(inputs), z_O)
    return (
        Line("kinematics of the rigid body: this vanishes, r̈_O", rows[0:3, :]),
        Line("one angular acceleration: this vanishes, Ω̇_O", rows[3:6, :]),
        Line("force balance: this vanishes, Σ q_I − q_O + f_C − m r̈_C", rows[6:9, :]),
        Line(
            "moment balance about C: this vanishes, with −m_I at inputs and +m_O at the output",
            rows[9:12, :],
        ),
        Line("solved for z_O, which is a lower triangular system; blocks read off"),
        Line("the output state's entries", z_O[: Layout(3).one, :]),
    )


@cache
def planar_balance_lines(inputs: int = 1) -> tuple[Line, ...]:
    """The four balances of a body in the plane: along x and y, and about z.

    Source
        Riccati paper (35).
    """
    states = (end_state("O")[:-1], input_state(inputs)[:-1])
    dropped = [entry for state in states for k, entry in enumerate(state) if k not in kept(inputs)]
    zero = dict.fromkeys([*vanishing(inputs), *dropped], sp.S.Zero)
    planes = ((0, 1), (2,), (0, 1), (2,))
    return tuple(
        replace(line, formula=line.formula.extract(list(rows), [0]).xreplace(zero))
        for line, rows in zip(balance_lines(inputs)[:4], planes, strict=True)
        if line.formula is not None
    )


def end_state(end: str) -> sp.Matrix:
    """The state (1) of an end, as symbols."""
    parts = ("ddr", "dOmega", "m", "q")
    return sp.Matrix([*(x for part in parts for x in symbols(f"{part}{end}")), 1])


def input_state(inputs: int) -> sp.Matrix:
    """The input state of a body: (1) of its one input, or the comprehensive state (6)."""
    if inputs == 1:
        return end_state("I")
    further = [symbols(f"{load}I{k}") for k in range(2, inputs + 1) for load in "mq"]
    return sp.Matrix([*end_state("I1")[:-1], *(x for part in further for x in part), 1])


def entries() -> Iterator[Row]:
    """Every matrix of (4)–(17), not yet computed."""
    left_out = "the moment condition at the first input is left out of (15)"
    passing = (
        Line("r̈ of I₁, m and q of every input, and 1 pass the multi-hinge"),
        Line("the body's output carries no moment: block row 3 of (8) is zero, solved for Ω̇"),
    )
    moved = (Line("the acceleration row of (4), with the output moved to input k (14)"),)
    yield Row(
        "U", "4", "rigid body, one input (J about I, components in inertial axes)",
        lambda: sp.Matrix(generic_transfer_matrix(1)), steps=balance_lines(),
    )  # fmt: skip
    for name, title in _TITLES.items():
        yield Row(
            name, "5", title,
            partial(_coefficient, name),
            errata=("X20",) if name == "E9" else (),
            steps=(*balance_lines(), Line(f"{name}: the block of (4) in its place")),
        )  # fmt: skip
    yield Row(
        "U_miso", "8", "rigid body, two inputs", lambda: sp.Matrix(generic_transfer_matrix(2)),
        why="derived from the balance with two inputs", steps=balance_lines(2),
    )  # fmt: skip
    yield Row(
        "E_I2", "9", "lever of a further input",
        lambda: coefficients(sp.Matrix(generic_transfer_matrix(2)), Layout(3, 2)).E_I[0],
        steps=balance_lines(2),
    )  # fmt: skip
    yield Row(
        "U_hinge", "10", "smooth hinge from its outboard body, block by block",
        _hinge, "but it says that the outboard body's *output* carries no moment, not this hinge",
        ("X1", "X8", "X9"), "printed",
        (
            Line("r̈, m, q and 1 pass a massless hinge"),
            Line("the outboard body's output carries no moment: its block row 3 is zero"),
            Line("solved for Ω̇_O", moment_free(moment_blocks(5), _blocks(5))),
        ),
    )  # fmt: skip
    for number, symbol, equation, input_ in (
        (1, "Uhat_I1", "12", "1"),
        (2, "Uhat_Ik", "13", "k ≥ 2"),
    ):
        yield Row(
            symbol, equation, f"multi-hinge, input {input_} (L = 2, block by block)",
            partial(_multi, number), left_out, ("X1", "X16"), "printed", passing,
        )  # fmt: skip
    yield Row(
        "H", "16", "geometric equation's H_O1,Ik, L = 2", _geometric,
        why="its moment rows are zero for k ≥ 2; the completion asks for m = 0 at k = 1 too",
        errata=("X1",), form="completed",
        steps=(Line("accelerations by (14), moments zero at a smooth hinge"),),
    )  # fmt: skip
    title = "input k's acceleration from the first input's"
    yield Row(
        "E1_Ik", "17", title, lambda: point_rows()[0], steps=moved,
    )  # fmt: skip
    yield Row("E2_Ik", "17", title, lambda: point_rows()[1], steps=moved)


_TITLES = {
    "E1": "lever of the angular acceleration in r̈_O",
    "E2": "centripetal acceleration of O",
    "E3": "inertia force of r̈_I",
    "E4": "inertia force of Ω̇",
    "E5": "external and centripetal force",
    "E6": "lever of q_O about I",
    "E7": "inertia moment of r̈_I about I",
    "E8": "inertia about I, in inertial axes",
    "E9": "external and gyroscopic moment",
}


def _derived() -> Coefficients:
    return coefficients(sp.Matrix(generic_transfer_matrix(1)), Layout(3))


def _coefficient(name: str) -> sp.Matrix:
    found: sp.Matrix = getattr(_derived(), name)
    return found


def moment_blocks(count: int) -> dict[int, sp.Expr]:
    return {k: sp.Symbol(f"u_3{k}", commutative=False) for k in range(1, count + 1)}


def moment_free(u: dict[int, sp.Expr], states: list[sp.Expr]) -> sp.Expr:
    """Ω̇ from u₃,₁ r̈ + u₃,₂ Ω̇ + … = 0, block by block."""
    rest = sum((u[k] * state for k, state in enumerate(states, start=1) if k != 2), sp.S.Zero)
    return sp.expand(-(u[2] ** -1) * rest)


def column_of(expression: sp.Expr, state: sp.Expr) -> sp.Expr:
    """What stands left of `state` in a sum of non-commuting products."""
    found = sp.S.Zero
    for term in sp.Add.make_args(expression):
        factors = term.args if term.is_Mul else (term,)
        if factors and factors[-1] == state:
            found += sp.Mul(*factors[:-1])
    return found


def _blocks(count: int) -> list[sp.Expr]:
    """The blocks of a state, whose last is 1."""
    names = [*(f"z_{k}" for k in range(1, count)), "one"]
    return [sp.Symbol(name, commutative=False) for name in names]


def _hinge() -> sp.Matrix:
    """(10) from the moment row of (4), block by block."""
    Omega = moment_free(moment_blocks(5), _blocks(5))
    matrix = sp.eye(5)
    for k, block in enumerate(_blocks(5)):
        matrix[1, k] = column_of(Omega, block)
    return matrix


def _multi(input_: int) -> sp.Matrix:
    """Û_I1, Û_I2 of L = 2 from the moment row of (8), block by block."""
    states = _blocks(7)
    Omega = moment_free(moment_blocks(7), states)
    own = {1: (0, 1, 2, 3, 6), 2: (None, None, 4, 5, None)}[input_]
    matrix = sp.zeros(7, 5)
    for col, row in enumerate(own):
        if row is None:
            continue
        if row != 1:
            matrix[row, col] = 1
        matrix[1, col] = column_of(Omega, states[row])
    return matrix


def point_rows() -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """E_1,Ik and E_2,Ik: the acceleration row of (4) with the output moved to input k."""
    arm = generic(2).inputs[1]
    moved = dict(zip(generic().output, arm, strict=True))
    E = _derived()
    return E.E1.xreplace(moved), E.E2.xreplace(moved), arm


def _geometric() -> sp.Matrix:
    E1, E2, _ = point_rows()
    left = sp.Matrix.hstack(sp.eye(3), E1, sp.zeros(3, 12), E2)
    return sp.Matrix.vstack(left, sp.zeros(3, 19))
