"""A beam's equations: against closed forms, and the form that is run against the paper's."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy as sp

from mstmm.symbolic.language.program import Kernel, Let
from mstmm.symbolic.mechanics import beams as beam
from mstmm.symbolic.mechanics.beams import (
    AXIAL,
    BENDING,
    DAMPING,
    LENGTH,
    MASS,
    SPIN,
    XI,
    Functions,
)
from mstmm.symbolic.tree import beam_kernels

COUNTS = [(1, 0), (0, 1), (2, 0), (0, 3), (1, 2), (2, 4)]
#: With foreshortening too, and of the larger ones, which take long, without it.
FUNCTIONS = [
    *(Functions(*counts, False) for counts in COUNTS),
    *(Functions(*counts) for counts in ((0, 1), (0, 3), (1, 2))),
]


def whole(matrix: sp.Matrix) -> sp.Matrix:
    return matrix.applyfunc(sp.expand)


def closed_form(functions: Functions) -> tuple[sp.Matrix, sp.Matrix]:
    """M and p by the integrals of textbooks: first moment, g, h, M_f and the skew B.

    Of a beam that bending does not shorten.
    """
    x, w = LENGTH * XI, SPIN
    eta, rates = beam.coordinates(functions.modes)
    of = beam.shapes(functions)
    S = sp.Matrix([[0, -1], [1, 0]])
    mean = lambda entries: MASS * entries.applyfunc(lambda f: sp.integrate(f, (XI, 0, 1)))  # noqa: E731
    C = mean(of.psi.col_join(of.phi))
    g, h = mean(x * of.psi.T), mean(x * of.phi.T)
    M_f = mean(of.psi.T * of.psi + of.phi.T * of.phi)
    B = mean(of.psi.T * of.phi - of.phi.T * of.psi)
    stretch, bend = of.psi.diff(XI), of.phi.diff(XI, 2)
    K = AXIAL / LENGTH * (mean(stretch.T * stretch) / MASS)
    K += BENDING / LENGTH**3 * (mean(bend.T * bend) / MASS)
    c = MASS * sp.Matrix([LENGTH / 2, 0]) + C * eta
    turning = MASS * LENGTH**2 / 3 + 2 * (g.T * eta)[0] + (eta.T * M_f * eta)[0]
    M = sp.BlockMatrix(
        [
            [MASS * sp.eye(2), S * c, C],
            [(S * c).T, sp.Matrix([turning]), h.T + eta.T * B],
            [C.T, h + B.T * eta, M_f],
        ]
    ).as_explicit()
    moment = g + M_f * eta
    p = sp.Matrix.vstack(
        -(w**2) * c + 2 * w * S * C * rates,
        2 * w * moment.T * rates,
        -(w**2) * moment - 2 * w * B * rates + K * (eta + DAMPING * rates),
    )
    return M, p


@pytest.mark.parametrize(("axial", "bending"), COUNTS)
def test_the_balance_is_that_of_the_closed_forms(axial: int, bending: int) -> None:
    functions = Functions(axial, bending, False)
    of = beam.balance(functions)
    M, p = closed_form(functions)
    assert whole(of.M - M).is_zero_matrix
    assert whole(of.p - p).is_zero_matrix


@pytest.mark.parametrize("xi", [0, 1, Fraction(2, 7)])
def test_a_section_moves_as_the_closed_form_says(xi: Fraction) -> None:
    at = sp.Rational(xi)
    eta, rates = beam.coordinates(4)
    functions = Functions(1, 3, False)
    J, g = beam.section(functions, at)
    of = beam.shapes(functions).at(at, LENGTH)
    S = sp.Matrix([[0, -1], [1, 0]])
    Phi = of.psi.col_join(of.phi)
    rho = sp.Matrix([at * LENGTH, 0]) + Phi * eta
    expected = sp.BlockMatrix(
        [[sp.eye(2), S * rho, Phi], [sp.zeros(1, 2), sp.ones(1, 1), of.slope]]
    ).as_explicit()
    bias = -(SPIN**2) * rho + 2 * SPIN * S * Phi * rates
    assert whole(J - expected).is_zero_matrix
    assert whole(g - bias.col_join(sp.zeros(1, 1))).is_zero_matrix
    if xi == 0:
        assert sp.eye(3).row_join(sp.zeros(3, 4)) == J


@pytest.mark.parametrize(("axial", "bending"), [(0, 1), (2, 0), (1, 2), (2, 4)])
def test_shape_functions_are_orthogonal_polynomials_clamped_at_the_frame(
    axial: int, bending: int
) -> None:
    of = beam.shapes(Functions(axial, bending))
    start = of.at(sp.Integer(0), LENGTH)
    assert start.psi.is_zero_matrix
    assert start.phi.is_zero_matrix
    assert start.slope.is_zero_matrix
    assert start.shortening.is_zero_matrix
    for row, power, first, count in ((of.psi, 1, 0, axial), (of.phi, 2, axial, bending)):
        functions = [sp.cancel(f / XI**power) for f in row[0, first : first + count]]
        for i, f in enumerate(functions):
            assert sp.degree(f, XI) == i
            for g in functions[:i]:
                assert sp.integrate(f * g, (XI, 0, 1)) == 0


def rational(chooser: random.Random) -> sp.Rational:
    return sp.Rational(chooser.randint(-20, 20), chooser.randint(1, 9))


def random_wrench(chooser: random.Random) -> tuple[sp.Matrix, sp.Matrix]:
    """IA (positive definite) and pA of what hangs at the input."""
    root = sp.Matrix(3, 3, lambda i, j: rational(chooser))
    return root.T * root + sp.eye(3), sp.Matrix(3, 1, lambda i, j: rational(chooser))


def state_of(wrench: sp.Matrix) -> sp.Matrix:
    """(m, q) of λ = (−q, m)."""
    return sp.Matrix.vstack(wrench[2:, :], -wrench[:2, :])


@pytest.mark.parametrize("form", ["appended", "eliminated"])
@pytest.mark.parametrize("functions", FUNCTIONS, ids=lambda x: x.label)
def test_the_fast_form_is_the_papers(functions: Functions, form: str) -> None:
    """Exactly, at random rational points: S and e at the output, from what hangs at the input."""
    chooser = random.Random(functions.modes)
    modes = functions.modes
    eta, rates = beam.coordinates(modes)
    symbols = [*eta, *rates, SPIN]
    for _ in range(2):
        values = {symbol: rational(chooser) for symbol in symbols}
        values |= {x: abs(rational(chooser)) + 1 for x in (MASS, LENGTH, AXIAL, BENDING, DAMPING)}
        IA, pA = random_wrench(chooser)
        fast = _fast(functions, values, IA, pA)
        paper = _paper(functions, values, IA, pA, form)
        assert fast == paper


def _paper(
    functions: Functions,
    values: dict[sp.Symbol, sp.Rational],
    IA: sp.Matrix,
    pA: sp.Matrix,
    form: str,
) -> tuple[sp.Matrix, sp.Matrix]:
    """S, e of z_a = S z_b + e from the transfer matrix and z_a at the input."""
    of = beam.transfer(functions)
    of = beam.Transfer(of.matrix.xreplace(values), of.modal.xreplace(values))
    modes = functions.modes if form == "appended" else 0
    matrix = of.matrix if modes else of.eliminated()
    size = 7 + modes
    # Everything at the input in terms of (r̈, Ω̇, η̈, 1).
    at_input = sp.zeros(size, 4 + modes)
    at_input[:3, :3] = sp.eye(3)
    at_input[3:6, :3], at_input[3:6, 3 + modes] = state_of(IA), state_of(pA)
    at_input[6:, 3:] = sp.eye(1 + modes)
    at_output = matrix * at_input
    if modes:
        rows = of.modal * at_input
        solved = rows[:, 3 : 3 + modes].LUsolve(-rows.extract(range(modes), [0, 1, 2, 3 + modes]))
        back = sp.zeros(4 + modes, 4)
        back[:3, :3], back[3 + modes, 3] = sp.eye(3), 1
        back[3 : 3 + modes, :] = solved
        at_output = at_output * back
    motion, load = at_output[:3, :], at_output[3:6, :]
    S = load[:, :3] * motion[:, :3].inv()
    return S, load[:, 3] - S * motion[:, 3]


def _fast(
    functions: Functions,
    values: dict[sp.Symbol, sp.Rational],
    IA: sp.Matrix,
    pA: sp.Matrix,
) -> tuple[sp.Matrix, sp.Matrix]:
    """The same of the kernel that is run, its axes those of the floating frame."""
    J, g = (part.xreplace(values) for part in beam.section(functions, sp.Integer(1)))
    back = J[:, :3].inv()
    modes = functions.modes
    given = {symbol.name: sp.Matrix([value]) for symbol, value in values.items()}
    given |= {"IAt_I1": IA, "pAt_I1": pA, "C_I1": sp.eye(2), "r_I1": sp.zeros(2, 1)}
    given |= {"gam_I1": sp.zeros(3, 1), "H_I1": sp.zeros(3, modes)}
    given |= {"C_O": sp.eye(2), "r_O": sp.Matrix([-J[1, 2], J[0, 2]])}
    given |= {"gam_O": -back * g, "H_O": -back * J[:, 3:]}
    kernel = beam_kernels.link.of(
        dimension=2, functions=functions, count=modes, input_count=1, forced=False
    )
    found = evaluated(kernel, given)
    return state_of(found["IA"]), state_of(found["pA"])


def evaluated(kernel: Kernel, given: dict[str, sp.Matrix]) -> dict[str, sp.Matrix]:
    """A kernel's statements, one after the other, in rationals."""
    known: dict[sp.Symbol, sp.Expr] = {}
    found = {}
    for port in kernel.inputs:
        known |= dict(zip(port.symbols(), given[port.name], strict=True))
    for statement in kernel.statements:
        if isinstance(statement, Let):
            value = statement.value.xreplace(known)
        else:
            value = statement.matrix.xreplace(known).LUsolve(statement.rhs.xreplace(known))
        found[statement.port.name] = value
        known |= dict(zip(statement.port.symbols(), value, strict=True))
    return found
