"""What Riccati paper prints, misprints included. Nothing is derived from it.

Our copy of the paper lacks the displays (6), (8), (16), (36), (37), (43), (44), (49) and (55), so
that they have no print here; what the text says of them in words is here.
"""

from __future__ import annotations

import sympy as sp

from ..mechanics.vectors import skew

LOST = ("6", "8", "16", "36", "37", "43", "44", "49", "55")

m, a, g = sp.symbols("m a g", real=True)
#: An undefined symbol in the print of (47).
c_c = sp.Symbol("c_c", real=True)


def c(body: int | str) -> sp.Expr:
    """cos θ of a body."""
    return sp.cos(sp.Symbol(f"theta{body}", real=True))


def s(body: int | str) -> sp.Expr:
    """sin θ of a body."""
    return sp.sin(sp.Symbol(f"theta{body}", real=True))


def w(body: int | str) -> sp.Symbol:
    """θ̇ of a body."""
    return sp.Symbol(f"omega{body}", real=True)


# (1), (2), (35): the state.


def vectors() -> dict[str, sp.Matrix]:
    """(2)."""
    parts = {"r": "ddx ddy ddz", "Omega": "dOmega_x dOmega_y dOmega_z"}
    parts |= {"m": "m_x m_y m_z", "q": "q_x q_y q_z"}
    return {part: sp.Matrix(sp.symbols(names, real=True)) for part, names in parts.items()}


def state() -> sp.Matrix:
    """(1)."""
    part = vectors()
    return sp.Matrix([*part["r"], *part["Omega"], *part["m"], *part["q"], 1])


def planar_state() -> sp.Matrix:
    """(35)."""
    return sp.Matrix([*sp.symbols("ddx ddy dOmega_z m_z q_x q_y", real=True), 1])


# (4), (5), (9), (14), (17): the rigid body.


def body_coefficients(
    mass: sp.Expr,
    r_IC: sp.Matrix,
    r_IO: sp.Matrix,
    J_I: sp.Matrix,
    Omega: sp.Matrix,
    f_C: sp.Matrix,
    m_C: sp.Matrix,
) -> dict[str, sp.Matrix]:
    """E₁ … E₉ (5), with A ω̃ J' ω written as Ω̃ J_I Ω in inertial axes."""
    O2 = skew(Omega) * skew(Omega)
    return {
        "E1": -skew(r_IO),
        "E2": O2 * r_IO,
        "E3": -mass * sp.eye(3),
        "E4": mass * skew(r_IC),
        "E5": f_C - mass * O2 * r_IC,
        "E6": skew(r_IO),
        "E7": mass * skew(r_IC),
        "E8": J_I,
        "E9": -m_C - skew(r_IC) * f_C + skew(Omega) * J_I * Omega,
    }


def body_matrix(E: dict[str, sp.Matrix]) -> sp.Matrix:
    """(4)."""
    one, zero, nil = sp.eye(3), sp.zeros(3), sp.zeros(3, 1)
    return sp.Matrix(
        sp.BlockMatrix(
            [
                [one, E["E1"], zero, zero, E["E2"]],
                [zero, one, zero, zero, nil],
                [
                    E["E6"] * E["E3"] + E["E7"],
                    E["E6"] * E["E4"] + E["E8"],
                    one,
                    E["E6"],
                    E["E6"] * E["E5"] + E["E9"],
                ],
                [E["E3"], E["E4"], zero, one, E["E5"]],
                [nil.T, nil.T, nil.T, nil.T, sp.ones(1, 1)],
            ]
        ).as_explicit()
    )


def further_columns(E6: sp.Matrix, E_I: sp.Matrix) -> sp.Matrix:
    """The columns m, q that a further input adds to (4): (8), restored with (9)."""
    one, zero, nil = sp.eye(3), sp.zeros(3), sp.zeros(1, 3)
    blocks = [[zero, zero], [zero, zero], [one, E6 + E_I], [zero, one], [nil, nil]]
    return sp.Matrix(sp.BlockMatrix(blocks).as_explicit())


def lever(r: sp.Matrix) -> sp.Matrix:
    """(9); E_1,Ik of (17)."""
    return -skew(r)


def point_acceleration(
    ddr: sp.Matrix, dOmega: sp.Matrix, Omega: sp.Matrix, r: sp.Matrix
) -> sp.Matrix:
    """(14)."""
    return ddr - skew(r) * dOmega + skew(Omega) * skew(Omega) * r


# (10), (12), (13): block by block, u3,m being the outboard body's third block row.


def hinge_blocks(u: dict[int, sp.Expr]) -> sp.Matrix:
    """(10)."""
    i = u[2] ** -1
    return sp.Matrix(
        [
            [1, 0, 0, 0, 0],
            [-i * u[1], 0, -i * u[3], -i * u[4], -i * u[5]],
            [0, 0, 1, 0, 0],
            [0, 0, 0, 1, 0],
            [0, 0, 0, 0, 1],
        ]
    )


def first_input_blocks(u: dict[int, sp.Expr]) -> sp.Matrix:
    """(12) for L = 2."""
    i = u[2] ** -1
    return sp.Matrix(
        [
            [1, 0, 0, 0, 0],
            [-i * u[1], 0, -i * u[3], -i * u[4], -i * u[7]],
            [0, 0, 1, 0, 0],
            [0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1],
        ]
    )


def second_input_blocks(u: dict[int, sp.Expr]) -> sp.Matrix:
    """(13) for k = L = 2."""
    i = u[2] ** -1
    blocks = sp.zeros(7, 5)
    blocks[1, 2], blocks[1, 3] = -i * u[5], -i * u[6]
    blocks[4, 2], blocks[5, 3] = 1, 1
    return blocks


# (38)–(62): the demonstration example.


def moment_row_5(i: int | str = 5) -> sp.Matrix:
    """u3,1 … u3,5 as the text before (44) lists them: row 4 of (36)."""
    u1, u2, u3 = [m * a * s(i), -m * a * c(i)], [-2 * m * a**2 / 3], [1]
    return sp.Matrix([[*u1, *u2, *u3, -2 * a * s(i), 2 * a * c(i), -m * a * g * c(i)]])


def moment_row_7() -> sp.Matrix:
    """u3,1 … u3,7 as the text before (52) lists them: row 4 of (49)."""
    u4, u6 = [-a * s(7), a * c(7)], [a * s(7), -a * c(7)]
    return sp.Matrix([[0, 0, m * a**2 / 3, 1, *u4, 1, *u6, 0]])


def rod_blocks(i: int = 1) -> dict[str, sp.Matrix]:
    """(38)."""
    return {
        "T11": sp.Matrix([[1, -2 * a * s(i), 2 * a * c(i)], [0, 1, 0], [0, 0, 1]]),
        "T12": sp.Matrix(
            [
                [m * a * s(i), -m * a * c(i), -2 * m * a**2 / 3],
                [-m, 0, m * a * s(i)],
                [0, -m, -m * a * c(i)],
            ]
        ),
        "T21": sp.zeros(3),
        "T22": sp.Matrix([[1, 0, -2 * a * s(i)], [0, 1, 2 * a * c(i)], [0, 0, 1]]),
        "fa": sp.Matrix(
            [-m * a * g * c(i), m * a * c(i) * w(i) ** 2, m * a * s(i) * w(i) ** 2 - m * g]
        ),
        "fb": sp.Matrix([-2 * a * c(i) * w(i) ** 2, -2 * a * s(i) * w(i) ** 2, 0]),
    }


def S2(i: int = 1) -> sp.Matrix:
    """(39)."""
    return sp.Matrix(
        [
            [m * a * s(i), -m * a * c(i), 4 * m * a**2 / 3],
            [-m, 0, -m * a * s(i)],
            [0, -m, m * a * c(i)],
        ]
    )


def e2(i: int = 1) -> sp.Matrix:
    """(40)."""
    return sp.Matrix(
        [-m * a * g * c(i), -m * a * c(i) * w(i) ** 2, -m * a * s(i) * w(i) ** 2 - m * g]
    )


def hinge4_blocks() -> dict[str, sp.Matrix]:
    """(45)."""
    return {
        "T11": sp.eye(3),
        "T12": sp.zeros(3),
        "T21": sp.Matrix(
            [[0, 0, 0], [0, 0, 0], [3 / (2 * m * a**2), -3 * s(5) / (m * a), 3 * c(5) / (m * a)]]
        ),
        "T22": sp.Matrix([[1, 0, 0], [0, 1, 0], [3 * s(5) / (2 * a), -3 * c(5) / (2 * a), 0]]),
        "fa": sp.zeros(3, 1),
        "fb": sp.Matrix([0, 0, -3 * g * c(5) / (2 * a)]),
    }


def denominator() -> sp.Expr:
    """The denominator of (46) and (47)."""
    return 3 * c(3) * c(5) + 3 * s(3) * s(5) + 2


def S3() -> sp.Matrix:
    """(46)."""
    c3, c5, s3, s5 = c(3), c(5), s(3), s(5)
    half = sp.Rational(1, 2)
    rows = sp.Matrix(
        [
            [
                3 * m * a * (s3**2 * s5 + s3 * c3 * c5 - 2 * s5),
                -3 * m * a * (c3**2 * c5 + s3 * c3 * c5 - 2 * c5),
                4 * m * a**2,
            ],
            [
                m * half * (3 * s3**2 + 3 * s3 * s5 - 6 * c3 * c5 - 4),
                -3 * half * m * s3 * (c3 + 3 * c5),
                -m * a * s3,
            ],
            [
                -3 * half * m * c3 * (s3 + 3 * s5),
                m * half * (3 * c3**2 + 3 * c3 * c5 - 6 * s3 * s5 - 4),
                m * a * c3,
            ],
        ]
    )
    return rows / denominator()


def e3() -> sp.Matrix:
    """(47)."""
    c3, c5, s3, s5 = c(3), c(5), s(3), s(5)
    X = g * (c3 + c5) + 2 * a * w(3) ** 2 * (s3 * c5 - c_c * s5) + 2 * g * c5
    X = X / denominator()
    half = sp.Rational(1, 2)
    return sp.Matrix(
        [
            2 * m * a * X - m * a * g * c3,
            -3 * half * m * s3 * X - m * a * w(3) ** 2 * c3,
            3 * half * m * c3 * X - m * a * w(3) ** 2 * s3 - m * g,
        ]
    )


def multi_hinge_8() -> tuple[sp.Matrix, sp.Matrix]:
    """(52), its third row read off the flattened text: denominators m a² and 2 m a."""
    first, second = sp.zeros(10, 7), sp.zeros(10, 7)
    for row, col in ((0, 0), (1, 1), (3, 3), (4, 4), (5, 5), (9, 6)):
        first[row, col] = 1
    for row, col in ((6, 3), (7, 4), (8, 5)):
        second[row, col] = 1
    for matrix, sign in ((first, 1), (second, -1)):
        matrix[2, 3] = -3 / (m * a**2)
        matrix[2, 4] = sign * 3 * s(7) / (2 * m * a)
        matrix[2, 5] = -sign * 3 * c(7) / (2 * m * a)
    return first, second


def motion_symbols(end: str) -> sp.Matrix:
    """ẍ, ÿ, Ω̇ of an end, as symbols."""
    return sp.Matrix([sp.Symbol(f"{name}{end}", real=True) for name in ("ddx", "ddy", "dOmega")])


def za1O() -> sp.Matrix:
    """(61)."""
    return S2() * motion_symbols("1O") + e2()


def zb1I() -> sp.Matrix:
    """(62), its last line."""
    ddx, ddy, dOmega = motion_symbols("1O")
    return sp.Matrix(
        [
            ddx - 2 * a * s(1) * dOmega + 2 * a * c(1) * w(1) ** 2,
            ddy + 2 * a * c(1) * dOmega + 2 * a * s(1) * w(1) ** 2,
            dOmega,
        ]
    )


def z_all() -> sp.Matrix:
    """(58)."""
    load = sp.symbols("mz7O qx7O qy7O", real=True)
    return sp.Matrix(
        [*motion_symbols("7O"), *load, 1, *motion_symbols("1O"), 1, *motion_symbols("5O"), 1]
    )


def z_bar() -> sp.Matrix:
    """(60)."""
    qx, qy = sp.symbols("qx7O qy7O", real=True)
    return sp.Matrix(
        [motion_symbols("7O")[2], qx, qy, *motion_symbols("1O"), *motion_symbols("5O")]
    )
