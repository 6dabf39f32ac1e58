"""The printed hinge, multi-hinge and geometric equation (10)–(17): what they say exactly."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp

from mstmm.symbolic.derivation import formulas
from mstmm.symbolic.language.arithmetic import GENERIC
from mstmm.symbolic.language.interpreter import evaluate
from mstmm.symbolic.language.written import named
from mstmm.symbolic.mechanics.bodies import transfer_matrix
from mstmm.symbolic.mechanics.matrices import Algebra, M
from mstmm.symbolic.mechanics.newton_euler import BodyData, acceleration_of
from mstmm.symbolic.mechanics.vectors import Layout, column
from mstmm.symbolic.methods.riccati import printed

SPACE = Algebra(3)


def moment_row(U: sp.Matrix, inputs: int) -> list[M]:
    return printed.moment_row(SPACE, M(U, named("U")), inputs)


def hats(U: sp.Matrix, inputs: int) -> list[sp.Matrix]:
    """Û of every input from the outboard body's matrix."""
    return [SPACE.blocks(*hat).value for hat in printed.hats(SPACE, moment_row(U, inputs))]


def vector(rng: Random) -> sp.Matrix:
    return column(*(sp.Rational(rng.randint(-20, 20), rng.randint(1, 7)) for _ in range(3)))


def body(seed: int, inputs: int, inertia: sp.Matrix | None = None) -> BodyData:
    rng = Random(seed)
    return BodyData(
        mass=sp.Rational(3, 2),
        inertia=sp.diag(3, 4, 5) if inertia is None else inertia,
        centre=vector(rng),
        output=vector(rng),
        inputs=(sp.zeros(3, 1), *(vector(rng) for _ in range(inputs - 1))),
        Omega=vector(rng),
        force=vector(rng),
        couple=vector(rng),
    )


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_the_outboard_output_carries_no_moment(inputs: int) -> None:
    """Block row 3 of the body times each Û vanishes: all that (10), (12), (13) state."""
    layout = Layout(3, inputs)
    U = transfer_matrix(body(1, inputs))
    matrices = hats(U, inputs)
    assert len(matrices) == inputs
    for U_hat in matrices:
        assert U_hat.shape == (layout.size, 13)
        assert (U * U_hat).extract([6, 7, 8], list(range(13))).is_zero_matrix
    assert not U.extract([6, 7, 8], list(range(layout.size))).is_zero_matrix


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_pass_through(inputs: int) -> None:
    """r̈ of I₁, m and q of every input and the 1 arrive where (6) has them."""
    layout, end = Layout(3, inputs), Layout(3)
    matrices = hats(transfer_matrix(body(2, inputs)), inputs)
    states = [sp.Matrix([*sp.symbols(f"z{k}_1:13"), 1]) for k in range(inputs)]
    total = sum((U * z for U, z in zip(matrices, states, strict=True)), sp.zeros(layout.size, 1))
    assert total[:3] == states[0][:3]
    assert total[layout.one] == 1
    for k, state in enumerate(states, start=1):
        for entries, own in ((layout.moment(k), end.moment()), (layout.force(k), end.force())):
            assert [total[i] for i in entries] == [state[i] for i in own]


def test_it_does_not_say_that_the_hinge_carries_no_moment() -> None:
    U = hats(transfer_matrix(body(3, 1)), 1)[0]
    assert U.extract([6, 7, 8], [6, 7, 8]) == sp.eye(3)


def test_a_slender_rod_has_no_printed_hinge_in_space() -> None:
    """X9: J' = diag(0, Jz, Jz) about the rod's end makes u3,2 singular, in any direction."""
    J = sp.Rational(1, 3)
    c, s = sp.Rational(3, 5), sp.Rational(4, 5)
    turn = sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    rod = BodyData(
        mass=sp.Integer(1),
        inertia=turn * sp.diag(0, J / 4, J / 4) * turn.T,
        centre=turn * column(sp.Rational(1, 2), 0, 0),
        output=turn * column(1, 0, 0),
        inputs=(sp.zeros(3, 1),),
        Omega=column(0, 0, 2),
        force=column(0, -9, 0),
        couple=sp.zeros(3, 1),
    )
    turning = moment_row(transfer_matrix(rod), 1)[1].value
    assert turning.det() == 0
    assert turning.rank() == 2
    assert moment_row(transfer_matrix(body(4, 1)), 1)[1].value.det() != 0


@pytest.mark.parametrize("k", [2, 3])
def test_geometric_equation(k: int) -> None:
    """(15): H_r̈,m z_Ik = H_O1,Ik z is (14) and m = 0."""
    data, layout = body(5, 3), Layout(3, 3)
    z = sp.Matrix([*(sp.Symbol(f"z{i}") for i in range(layout.size - 1)), 1])
    kernel = printed.geometric.of(dimension=3, input_count=3)
    given = {"A": sp.eye(3), "omega": data.Omega, "rb": data.inputs[k - 1]}
    found = evaluate(kernel, {name: list(x.T.vec()) for name, x in given.items()}, GENERIC)
    H = sp.Matrix(6, layout.size, found["H"])
    expected = acceleration_of(data.inputs[k - 1], z[:3, :], z[3:6, :], data.Omega)
    assert ((H * z)[:3, :] - expected).expand().is_zero_matrix
    assert (H * z)[3:, :].is_zero_matrix


def test_block_forms_against_numbers() -> None:
    """The non-commuting blocks of (12), (13) for L = 2 are those of a body with numbers."""
    layout, end = Layout(3, 2), Layout(3)
    U = transfer_matrix(body(6, 2))
    u = [x.value for x in moment_row(U, 2)]
    numeric = hats(U, 2)
    names = {sp.Symbol(f"u_3{k}", commutative=False): x for k, x in enumerate(u, start=1)}
    for k, U_hat in enumerate(numeric, start=1):
        blocks = formulas._multi(k)
        for col, cols in enumerate(end.blocks.values()):
            term = -blocks[1, col]
            found = U_hat.extract(list(layout.angular), list(cols))
            if term == 0:
                assert found.is_zero_matrix
                continue
            last = term.args[-1] if term.is_Mul else sp.S.One
            expected = -(u[1].inv() * names[last])
            assert found == expected
