"""What Riccati paper prints of the assembled system (50)–(57), written out row by row.

The lost displays (49) and (55) are restored from the text's own lists; the misprints of (46),
(47) and (52), which are judged at their own numbers, are put right. Products and the places of
blocks are written by hand, so that they share nothing with the derivation.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .printed import (
    S2,
    S3,
    a,
    c,
    c_c,
    denominator,
    e2,
    e3,
    g,
    m,
    moment_row_7,
    motion_symbols,
    rod_blocks,
    s,
    w,
)

SIZE = 7


@dataclass(frozen=True)
class Rows:
    """The rows of a state: what each of its entries is of some columns."""

    ddx: sp.Matrix
    ddy: sp.Matrix
    mz: sp.Matrix
    qx: sp.Matrix
    qy: sp.Matrix
    one: sp.Matrix


def whole() -> Rows:
    """A state from itself."""
    unit = [sp.eye(SIZE).row(i) for i in range(SIZE)]
    return Rows(unit[0], unit[1], unit[3], unit[4], unit[5], unit[6])


def tip(S: sp.Matrix, e: sp.Matrix) -> Rows:
    """A state from (r̈, Ω̇, 1) of a chain's end: the rows of U_tip (42), (48)."""
    unit = [sp.eye(4).row(i) for i in range(4)]
    loads = sp.Matrix.hstack(S, e)
    return Rows(unit[0], unit[1], loads.row(0), loads.row(1), loads.row(2), unit[3])


def angular(z: Rows, k: int) -> sp.Matrix:
    """Row 3 of (52), its denominators m a: what Ω̇ of body 7 takes from input k."""
    u = moment_row_7()
    mz, qx, qy = u[3:6] if k == 1 else u[6:9]
    return -(mz * z.mz + qx * z.qx + qy * z.qy) / u[2]


def main(z: Rows, k: int) -> sp.Matrix:
    """(53): what input k's state gives of z_7,O."""
    spin, none = angular(z, k), sp.zeros(1, z.one.cols)
    ddx, ddy, one = (z.ddx, z.ddy, z.one) if k == 1 else (none, none, none)
    c7, s7, w7 = c(7), s(7), w(7) ** 2
    return sp.Matrix.vstack(
        ddx - a * s7 * spin - a * c7 * w7 * one,
        ddy + a * c7 * spin - a * s7 * w7 * one,
        spin,
        none,
        -m * ddx + m * a * s7 * spin + z.qx + m * a * c7 * w7 * one,
        -m * ddy - m * a * c7 * spin + z.qy + (m * a * s7 * w7 - m * g) * one,
        one,
    )


def compatibility(z: Rows, k: int) -> sp.Matrix:
    """(54), right side minus left side: what input k's state gives."""
    spin, none = angular(z, k), sp.zeros(1, z.one.cols)
    arm = sp.Matrix.vstack(-2 * a * s(7) * spin, 2 * a * c(7) * spin, none)
    if k == 2:
        return arm - sp.Matrix.vstack(z.ddx, z.ddy, z.mz)
    centripetal = sp.Matrix.vstack(c(7) * z.one, s(7) * z.one, none)
    return arm + sp.Matrix.vstack(z.ddx, z.ddy, none) - 2 * a * w(7) ** 2 * centripetal


def corrected_S3() -> sp.Matrix:
    """(46) with its two wrong entries put right."""
    c3, c5, s3, s5 = c(3), c(5), s(3), s(5)
    matrix = S3()
    matrix[0, 1] = -3 * m * a * (c3**2 * c5 + c3 * s3 * s5 - 2 * c5) / denominator()
    matrix[0, 2] = sp.Rational(4, 3) * m * a**2 / denominator()
    return matrix


def corrected_e3() -> sp.Matrix:
    """(47) with c3 for its undefined symbol."""
    return e3().xreplace({c_c: c(3)})


def tip_2() -> tuple[sp.Matrix, sp.Matrix]:
    """S4, e4, which the paper forms and does not show: one more step for body 5."""
    T = rod_blocks(5)
    P = sp.Matrix([[1, 0, 2 * a * s(5)], [0, 1, -2 * a * c(5)], [0, 0, 1]])
    S4 = (T["T11"] * corrected_S3() + T["T12"]) * P
    return S4, T["T11"] * corrected_e3() + T["fa"] - S4 * T["fb"]


def overall() -> sp.Matrix:
    """(57)."""
    first, second = tip(S2(1), e2(1)), tip(*tip_2())
    return sp.Matrix.vstack(
        sp.Matrix.hstack(-sp.eye(SIZE), main(first, 1), main(second, 2)),
        sp.Matrix.hstack(sp.zeros(3, SIZE), compatibility(first, 1), compatibility(second, 2)),
    )


def state(end: str) -> sp.Matrix:
    """z of an end in the plane (35)."""
    names = ("ddx", "ddy", "dOmega", "mz", "qx", "qy")
    return sp.Matrix([*(sp.Symbol(f"{name}{end}", real=True) for name in names), 1])


def state_at_tip_1() -> sp.Matrix:
    """(42), the rows of U_tip,1 times (r̈, Ω̇, 1)."""
    motion = motion_symbols("1O")
    return sp.Matrix([*motion, *(S2() * motion + e2()), 1])


def output_of_body_7() -> sp.Matrix:
    """(50), the rows of (49) times z_7,I1-I2: r̈, m, q of the chains' ends and Ω̇ of body 7."""
    first, second = state("1O"), state("5O")
    spin, c7, s7, w7 = state("7O")[2], c(7), s(7), w(7) ** 2
    z = [*first[:2], spin, *first[3:6], *second[3:6], 0]
    return sp.Matrix(
        [
            first[0] - a * s7 * spin - a * c7 * w7,
            first[1] + a * c7 * spin - a * s7 * w7,
            spin,
            (moment_row_7() * sp.Matrix(z))[0],
            first[4] + second[4] - m * first[0] + m * a * s7 * spin + m * a * c7 * w7,
            first[5] + second[5] - m * first[1] - m * a * c7 * spin + m * a * s7 * w7 - m * g,
            1,
        ]
    )


def output_of_multi_hinge_8() -> sp.Matrix:
    """(51)."""
    first, second = state("1O"), state("5O")
    end = whole()
    spin = angular(end, 1) * first + angular(end, 2) * second
    return sp.Matrix([*first[:2], spin[0], *first[3:6], *second[3:6], 1])


def blocks(U7: sp.Expr, Uhat: list[sp.Expr], tips: list[sp.Expr], H: list[sp.Expr]) -> sp.Matrix:
    """(57) in letters; `H` is H_r̈,m and H_O1,I2."""
    H_rm, H_O1 = H
    return sp.Matrix(
        [
            [-1, U7 * Uhat[0] * tips[0], U7 * Uhat[1] * tips[1]],
            [0, H_O1 * Uhat[0] * tips[0], (H_O1 * Uhat[1] - H_rm) * tips[1]],
        ]
    )
