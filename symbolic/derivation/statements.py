"""States and transfer equations as results: (1)–(3), (6), (7), (11), (14), (15), (35)."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..mechanics.bodies import generic_transfer_matrix
from ..mechanics.multihinge import geometric, selector
from ..mechanics.newton_euler import generic
from ..mechanics.planar import decoupled, in_plane, kept
from ..mechanics.vectors import AXES, Layout, symbols
from . import printed as prints
from .formulas import (
    balance_lines,
    end_state,
    input_state,
    matching,
    moment_blocks,
    moment_free,
    point_rows,
    printed_coefficients,
)
from .results import Entry, Form, Line, Result, Verdict, judge


def entries() -> Iterator[Entry]:
    """Every result of these numbers, not yet computed."""
    yield Entry("z", "1", "both", _state)
    yield Entry("z_parts", "2", "both", _vectors)
    yield Entry("z_O", "3", "both", _transfer)
    yield Entry("z_miso", "6", "both", _comprehensive)
    yield Entry("z_O_miso", "7", "both", _comprehensive_transfer)
    yield Entry("Uhat_sum", "11", "printed", _multi_hinge)
    yield Entry("ddr_Ik", "14", "both", _acceleration)
    yield Entry("geometric", "15", "printed", _geometric)
    yield Entry("z_planar", "35", "both", _planar_state)


def _stated(
    symbol: str,
    equation: str,
    title: str,
    matrix: sp.Matrix,
    print_: sp.Matrix,
    steps: tuple[Line, ...],
    why: str = "",
    errata: tuple[str, ...] = (),
) -> Result:
    matrix, print_ = matrix.expand(), print_.expand()
    verdict = judge(matching(matrix, print_), equation, why, errata)
    form: Form = "printed" if "X1" in errata else "both"
    return Result(symbol, equation, title, matrix, print_, verdict, form, steps)


# The state


def _components() -> sp.Matrix:
    """The state in the order of `Layout`, each entry by its own name."""
    layout, z = Layout(3), sp.zeros(Layout(3).size, 1)
    parts = (
        (layout.acceleration, "dd{}"),
        (layout.angular, "dOmega_{}"),
        (layout.moment(), "m_{}"),
        (layout.force(), "q_{}"),
    )
    for places, name in parts:
        for place, axis in zip(places, AXES, strict=True):
            z[place] = sp.Symbol(name.format(axis), real=True)
    z[layout.one] = 1
    return z


def _state() -> Result:
    steps = (Line("acceleration, angular acceleration, moment, force of an end, and a 1"),)
    return _stated("z", "1", "state of an end", _components(), prints.state(), steps)


def _vectors() -> Result:
    layout, z = Layout(3), _components()
    places = (layout.acceleration, layout.angular, layout.moment(), layout.force())
    matrix = sp.Matrix.hstack(*(z.extract(list(part), [0]) for part in places))
    print_ = sp.Matrix.hstack(*prints.vectors().values())
    steps = (Line("the columns are r̈, Ω̇, m, q, in inertial axes"),)
    return _stated("z_parts", "2", "the four vectors of a state", matrix, print_, steps)


def _planar_state() -> Result:
    alone = [inputs for inputs in (1, 2) if decoupled(in_plane(inputs), inputs)]
    say = "see no" if alone == [1, 2] else "are not all free of"
    rows = ", ".join(str(i + 1) for i in kept())
    steps = (
        Line(f"entries {rows} of (1) are kept"),
        Line(
            "for a body whose points lie in the plane and which turns about z, with one and with "
            f"two inputs, kept rows {say} dropped columns, and dropped rows {say} kept ones"
        ),
    )
    matrix = _components().extract(list(kept()), [0])
    return _stated("z_planar", "35", "state in the plane", matrix, prints.planar_state(), steps)


# Transfer equations of bodies


def _transfer() -> Result:
    z = end_state("I")
    matrix = sp.Matrix(generic_transfer_matrix(1)) * z
    print_ = prints.body_matrix(printed_coefficients()) * z
    steps = (*balance_lines(), Line("z_O = U z_I, with U of (4)"))
    why = "with (4), (5) inserted"
    return _stated("z_O", "3", "output state of a body", matrix, print_, steps, why)


def _comprehensive() -> Result:
    matrix = input_state(2)
    why = "restored from the row labels of (12) and (13); L = 2"
    verdict = Verdict("lost", why=why, equation="6")
    steps = (Line("the state of the first input, then m and q of every further one, then the 1"),)
    title = "comprehensive input state of two inputs"
    return Result("z_miso", "6", title, matrix, None, verdict, "both", steps)


def _comprehensive_transfer() -> Result:
    z, E = input_state(2), printed_coefficients()
    matrix = sp.Matrix(generic_transfer_matrix(2)) * z
    single = prints.body_matrix(E)
    columns = prints.further_columns(E["E6"], prints.lever(generic(2).inputs[1]))
    print_ = sp.Matrix.hstack(single[:, :12], columns, single[:, 12]) * z
    steps = (*balance_lines(2), Line("z_O = U z, with U of (8)"))
    why = "with (8) restored from (4), (5), (9); L = 2"
    title = "output state of a body with two inputs"
    return _stated("z_O_miso", "7", title, matrix, print_, steps, why)


# The multi-hinge


def _multi_hinge() -> Result:
    u = moment_blocks(7)
    names = ("r_1", "Omega_1", "m_1", "q_1", "r_2", "Omega_2", "m_2", "q_2", "one")
    r1, w1, m1, q1, r2, w2, m2, q2, one = (sp.Symbol(x, commutative=False) for x in names)
    Omega = moment_free(u, [r1, w1, m1, q1, m2, q2, one])
    matrix = sp.Matrix([r1, Omega, m1, q1, m2, q2, one])
    first, second = sp.Matrix([r1, w1, m1, q1, one]), sp.Matrix([r2, w2, m2, q2, one])
    print_ = prints.first_input_blocks(u) * first + prints.second_input_blocks(u) * second
    steps = (
        Line("r̈ of I₁, m and q of every input, and 1 pass the multi-hinge"),
        Line("the body's output carries no moment, which gives Ω̇", sp.Matrix([Omega])),
    )
    return _stated(
        "Uhat_sum", "11", "output of the multi-hinge, L = 2, block by block", matrix, print_, steps,
        "with (12), (13) inserted", ("X1", "X16"),
    )  # fmt: skip


def _acceleration() -> Result:
    E1, E2, arm = point_rows()
    ddr, dOmega = symbols("ddrI1"), symbols("dOmegaI1")
    matrix = ddr + E1 * dOmega + E2
    print_ = prints.point_acceleration(ddr, dOmega, generic().Omega, arm)
    steps = (Line("the acceleration row of (4), with the output moved to input k"),)
    return _stated("ddr_Ik", "14", "acceleration of input k", matrix, print_, steps)


def _geometric() -> Result:
    E1, E2, arm = point_rows()
    layout, z, z_k = Layout(3, 2), input_state(2), end_state("I2")
    rows = sp.Matrix.hstack(sp.eye(3), E1, sp.zeros(3, layout.size - 7), E2)
    H = geometric(rows, sp.eye(6), layout)
    matrix = selector(sp.eye(13), Layout(3)) * z_k - H * z
    ddr = prints.point_acceleration(z[:3, :], z[3:6, :], generic().Omega, arm)
    print_ = sp.Matrix.vstack(z_k[:3, :] - ddr, z_k[6:9, :])
    steps = (
        Line("H_r̈,m z_I2 − H_O1,I2 z_O with the matrices of (16): this vanishes"),
        Line("the accelerations obey (14), and m = 0 at input 2"),
    )
    return _stated(
        "geometric", "15", "geometric equation, left side minus right side, L = 2",
        matrix, print_, steps, "with m = 0 at k ≥ 2 only, not at the first input", ("X1",),
    )  # fmt: skip
