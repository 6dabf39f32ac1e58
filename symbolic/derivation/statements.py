"""States and transfer equations as results: (1)–(3), (6), (7), (11), (14), (15), (35), (56)."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..mechanics.bodies import generic_transfer_matrix
from ..mechanics.planar import decoupled, in_plane, kept
from ..mechanics.vectors import AXES, Layout, symbols
from .formulas import (
    balance_lines,
    end_state,
    input_state,
    moment_blocks,
    moment_free,
    point_rows,
)
from .results import Line, Row


def entries() -> Iterator[Row]:
    """Every result of these numbers, not yet computed."""
    yield Row(
        "z", "1", "state of an end", _components,
        steps=(Line("acceleration, angular acceleration, moment, force of an end, and a 1"),),
    )  # fmt: skip
    yield Row(
        "z_parts", "2", "the four vectors of a state", _vectors,
        steps=(Line("the columns are r̈, Ω̇, m, q, in inertial axes"),),
    )  # fmt: skip
    yield Row(
        "z_O", "3", "output state of a body",
        lambda: _product(sp.Matrix(generic_transfer_matrix(1)), end_state("I")),
        "with (4), (5) inserted",
        steps=(*balance_lines(), Line("z_O = U z_I, with U of (4)")),
    )  # fmt: skip
    yield Row(
        "z_miso", "6", "comprehensive input state of two inputs", lambda: input_state(2),
        why="restored from the row labels of (12) and (13); L = 2",
        steps=(Line("the state of the first input, m and q of every further one, then the 1"),),
    )  # fmt: skip
    yield Row(
        "z_O_miso", "7", "output state of a body with two inputs",
        lambda: _product(sp.Matrix(generic_transfer_matrix(2)), input_state(2)),
        "with (8) restored from (4), (5), (9); L = 2",
        steps=(*balance_lines(2), Line("z_O = U z, with U of (8)")),
    )  # fmt: skip
    yield Row(
        "Uhat_sum", "11", "output of the multi-hinge, L = 2, block by block",
        _multi_hinge, "with (12), (13) inserted", ("X1", "X16"), "printed",
        (
            Line("r̈ of I₁, m and q of every input, and 1 pass the multi-hinge"),
            Line("the body's output carries no moment, which gives Ω̇"),
        ),
    )  # fmt: skip
    yield Row(
        "ddr_Ik", "14", "acceleration of input k", _acceleration,
        steps=(Line("the acceleration row of (4), with the output moved to input k"),),
    )  # fmt: skip
    yield Row(
        "geometric", "15", "geometric equation, left side minus right side, L = 2",
        _geometric, "with m = 0 at k ≥ 2 only, not at the first input", ("X1",), "printed",
        (
            Line("H_r̈,m z_I2 − H_O1,I2 z_O with the matrices of (16): this vanishes"),
            Line("the accelerations obey (14), and m = 0 at input 2"),
        ),
    )  # fmt: skip
    yield Row(
        "z_planar", "35", "state in the plane",
        lambda: _components().extract(list(kept()), [0]), steps=_in_plane,
    )  # fmt: skip
    yield Row(
        "Uall_zall", "56", "overall equation, x_1,O and x_5,O being (r̈, Ω̇, 1) of the chains' ends",
        _overall, "with (57) in letters", ("X7",),
        steps=(
            Line("main equation (53) and geometric equation (54), right side minus left side"),
            Line("the chains' ends inserted by (42) and (48)"),
        ),
    )  # fmt: skip


def _product(matrix: sp.Matrix, state: sp.Matrix) -> sp.Matrix:
    return (matrix * state).expand()


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


def _vectors() -> sp.Matrix:
    layout, z = Layout(3), _components()
    places = (layout.acceleration, layout.angular, layout.moment(), layout.force())
    return sp.Matrix.hstack(*(z.extract(list(part), [0]) for part in places))


def _in_plane(matrix: sp.Matrix) -> tuple[Line, ...]:
    alone = [inputs for inputs in (1, 2) if decoupled(in_plane(inputs), inputs)]
    say = "see no" if alone == [1, 2] else "are not all free of"
    rows = ", ".join(str(i + 1) for i in kept())
    return (
        Line(f"entries {rows} of (1) are kept"),
        Line(
            "for a body whose points lie in the plane and which turns about z, with one and with "
            f"two inputs, kept rows {say} dropped columns, and dropped rows {say} kept ones"
        ),
    )


# Transfer equations of bodies


# The multi-hinge


def _multi_hinge() -> sp.Matrix:
    """(11)."""
    names = ("r_1", "Omega_1", "m_1", "q_1", "m_2", "q_2", "one")
    r1, w1, m1, q1, m2, q2, one = (sp.Symbol(x, commutative=False) for x in names)
    Omega = moment_free(moment_blocks(7), [r1, w1, m1, q1, m2, q2, one])
    return sp.Matrix([r1, Omega, m1, q1, m2, q2, one]).expand()


def _acceleration() -> sp.Matrix:
    """(14)."""
    E1, E2, _ = point_rows()
    return (symbols("ddrI1") + E1 * symbols("dOmegaI1") + E2).expand()


def _geometric() -> sp.Matrix:
    """(15)."""
    E1, E2, _ = point_rows()
    layout, end, z, z_k = Layout(3, 2), Layout(3), input_state(2), end_state("I2")
    rows = sp.Matrix.hstack(sp.eye(3), E1, sp.zeros(3, layout.size - 7), E2)
    picked = z_k.extract([*end.acceleration, *end.moment()], [0])
    return (picked - sp.Matrix.vstack(rows * z, sp.zeros(3, 1))).expand()


def _overall() -> sp.Matrix:
    """(56): (53) and (54) with (42) and (48) inserted, by blocks."""
    names = ("U_7", "Uhat8_I1", "Uhat8_I2", "Utip1", "Utip2", "H_rm", "H_O1_I2", "z_7O")
    U7, hat1, hat2, tip1, tip2, H_rm, H_O1, z7 = (
        sp.Symbol(name, commutative=False) for name in names
    )
    x1, x5 = (sp.Symbol(f"x_{end}", commutative=False) for end in ("1O", "5O"))
    z1, z5 = tip1 * x1, tip2 * x5
    z8 = hat1 * z1 + hat2 * z5
    return sp.Matrix([U7 * z8 - z7, H_O1 * z8 - H_rm * z5]).expand()
