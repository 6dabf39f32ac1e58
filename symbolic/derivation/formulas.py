"""The results that hold for every model: the element matrices (4), (5), (8)–(17)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import sympy as sp

from ..mechanics.bodies import Coefficients, coefficients, generic_transfer_matrix
from ..mechanics.newton_euler import balance, generic, inertia_about_input
from ..mechanics.vectors import Layout, skew, symbols
from . import printed as prints
from .results import Entry, Line, Result, Verdict, judge


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


def entries() -> Iterator[Entry]:
    """Every matrix of (4)–(17), not yet computed."""
    yield Entry("U", "4", "both", _single)
    for name in _TITLES:
        yield Entry(name, "5", "both", partial(_coefficient, name))
    yield Entry("U_miso", "8", "both", _several)
    yield Entry("E_I2", "9", "both", _lever)
    yield Entry("U_hinge", "10", "printed", _hinge)
    yield Entry("Uhat_I1", "12", "printed", _first_input)
    yield Entry("Uhat_Ik", "13", "printed", _further_input)
    yield Entry("H", "16", "completed", _geometric)
    yield Entry("E1_Ik", "17", "both", partial(_point, "E1_Ik"))
    yield Entry("E2_Ik", "17", "both", partial(_point, "E2_Ik"))


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


def matching(derived: sp.Matrix, print_: sp.Matrix) -> tuple[str, ...]:
    """The entries, counted from 1, at which two polynomial matrices differ."""
    difference = (derived - print_).expand()
    return tuple(
        f"entry ({i + 1},{j + 1})"
        for i in range(difference.rows)
        for j in range(difference.cols)
        if difference[i, j] != 0
    )


def printed_coefficients() -> dict[str, sp.Matrix]:
    body = generic()
    return prints.body_coefficients(
        body.mass,
        body.centre,
        body.output,
        inertia_about_input(),
        body.Omega,
        body.force,
        body.couple,
    )


def _derived() -> Coefficients:
    return coefficients(sp.Matrix(generic_transfer_matrix(1)), Layout(3))


def _single() -> Result:
    U = sp.Matrix(generic_transfer_matrix(1))
    print_ = prints.body_matrix(printed_coefficients()).expand()
    verdict = judge(matching(U, print_), "4")
    title = "rigid body, one input (J about I, components in inertial axes)"
    return Result("U", "4", title, U, print_, verdict, "both", balance_lines())


def _coefficient(name: str) -> Result:
    matrix = getattr(_derived(), name)
    print_ = printed_coefficients()[name].expand()
    errata = ("X20",) if name == "E9" else ()
    verdict = judge(matching(matrix, print_), "5", errata=errata)
    steps = (*balance_lines(), Line(f"{name}: the block of (4) in its place", matrix))
    return Result(name, "5", _TITLES[name], matrix, print_, verdict, "both", steps)


def _several() -> Result:
    U = sp.Matrix(generic_transfer_matrix(2))
    verdict = Verdict("lost", why="derived from the balance with two inputs", equation="8")
    title = "rigid body, two inputs"
    return Result("U_miso", "8", title, U, None, verdict, "both", balance_lines(2))


def _lever() -> Result:
    U = sp.Matrix(generic_transfer_matrix(2))
    matrix = coefficients(U, Layout(3, 2)).E_I[0]
    print_ = prints.lever(generic(2).inputs[1])
    verdict = judge(matching(matrix, print_), "9")
    title = "lever of a further input"
    return Result("E_I2", "9", title, matrix, print_, verdict, "both", balance_lines(2))


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


def _hinge() -> Result:
    u = moment_blocks(5)
    states = [*sp.symbols("z_1:5", commutative=False), sp.Symbol("one", commutative=False)]
    Omega = moment_free(u, states)
    matrix = sp.eye(5)
    for k, state in enumerate(states):
        matrix[1, k] = column_of(Omega, state)
    print_ = prints.hinge_blocks(u)
    verdict = judge(
        matching(matrix, print_),
        "10",
        "but it says that the outboard body's *output* carries no moment, not this hinge",
        ("X1", "X8", "X9"),
    )
    steps = (
        Line("r̈, m, q and 1 pass a massless hinge"),
        Line("the outboard body's output carries no moment: its block row 3 is zero"),
        Line("solved for Ω̇_O", Omega),
    )
    title = "smooth hinge from its outboard body, block by block"
    return Result("U_hinge", "10", title, matrix, print_, verdict, "printed", steps)


def _multi(input_: int) -> sp.Matrix:
    """Û_I1, Û_I2 of L = 2 from the moment row of (8), block by block."""
    u = moment_blocks(7)
    names = ["z_1", "z_2", "z_3", "z_4", "z_5", "z_6", "one"]
    states = [sp.Symbol(name, commutative=False) for name in names]
    Omega = moment_free(u, states)
    own = {1: (0, 1, 2, 3, 6), 2: (None, None, 4, 5, None)}[input_]
    matrix = sp.zeros(7, 5)
    for col, row in enumerate(own):
        if row is None:
            continue
        if row != 1:
            matrix[row, col] = 1
        matrix[1, col] = column_of(Omega, states[row])
    return matrix


def _multi_result(input_: int, symbol: str, equation: str, print_: sp.Matrix) -> Result:
    matrix = _multi(input_)
    verdict = judge(
        matching(matrix, print_),
        equation,
        "the moment condition at the first input is left out of (15)",
        ("X1", "X16"),
    )
    steps = (
        Line("r̈ of I₁, m and q of every input, and 1 pass the multi-hinge"),
        Line("the body's output carries no moment: block row 3 of (8) is zero, solved for Ω̇"),
    )
    title = f"multi-hinge, input {'1' if input_ == 1 else 'k ≥ 2'} (L = 2, block by block)"
    return Result(symbol, equation, title, matrix, print_, verdict, "printed", steps)


def _first_input() -> Result:
    return _multi_result(1, "Uhat_I1", "12", prints.first_input_blocks(moment_blocks(7)))


def _further_input() -> Result:
    return _multi_result(2, "Uhat_Ik", "13", prints.second_input_blocks(moment_blocks(7)))


def point_rows() -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """E_1,Ik and E_2,Ik: the acceleration row of (4) with the output moved to input k."""
    arm = generic(2).inputs[1]
    moved = dict(zip(generic().output, arm, strict=True))
    E = _derived()
    return E.E1.xreplace(moved), E.E2.xreplace(moved), arm


def _point(symbol: str) -> Result:
    E1, E2, arm = point_rows()
    Omega = generic().Omega
    O2 = skew(Omega) * skew(Omega)
    matrix, print_ = {
        "E1_Ik": (E1, prints.lever(arm)),
        "E2_Ik": (E2, (O2 * arm).expand()),
    }[symbol]
    steps = (Line("the acceleration row of (4), with the output moved to input k (14)"),)
    title = "input k's acceleration from the first input's"
    verdict = judge(matching(matrix, print_), "17")
    return Result(symbol, "17", title, matrix, print_, verdict, "both", steps)


def _geometric() -> Result:
    E1, E2, _ = point_rows()
    left = sp.Matrix.hstack(sp.eye(3), E1, sp.zeros(3, 12), E2)
    matrix = sp.Matrix.vstack(left, sp.zeros(3, 19))
    verdict = Verdict(
        "lost",
        why="its moment rows are zero for k ≥ 2; the completion asks for m = 0 at k = 1 too",
        errata=("X1",),
        equation="16",
    )
    steps = (Line("accelerations by (14), moments zero at a smooth hinge"),)
    title = "geometric equation's H_O1,Ik, L = 2"
    return Result("H", "16", title, matrix, None, verdict, "completed", steps)
