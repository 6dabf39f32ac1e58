"""The paper form and the fast form are one: S = Π IA and e = Π pA, symbolically."""

from __future__ import annotations

import pytest
import sympy as sp

from mstmm.symbolic.exact.budget import Budget
from mstmm.symbolic.exact.rational import Field
from mstmm.symbolic.language.program import Kernel, Let
from mstmm.symbolic.methods.riccati import paper_kernels
from mstmm.symbolic.methods.riccati.dialect import paper_coefficients, wrench_to_loads
from mstmm.symbolic.tree import absolute_kernels as kernels

c, s = sp.symbols("c s", real=True)
m, J, w = sp.symbols("m_0 J_I w", real=True)
r_IC, r_IO = sp.Matrix(sp.symbols("cx cy", real=True)), sp.Matrix(sp.symbols("ox oy", real=True))
gravity = sp.Matrix(sp.symbols("gx gy", real=True))


def outputs(kernel: Kernel, given: dict[str, sp.Matrix]) -> dict[str, sp.Matrix]:
    """A kernel's outputs as expressions in what is given."""
    values: dict[sp.Symbol, sp.Expr] = {}

    def learn(port, value: sp.Matrix) -> None:  # type: ignore[no-untyped-def]
        for i, j in port.entries:
            values[port.symbols()[i, j]] = value[i, j]

    for port in kernel.inputs:
        learn(port, given[port.name])
    found = {}
    for statement in kernel.statements:
        if isinstance(statement, Let):
            value = statement.value.xreplace(values)
        else:
            value = statement.matrix.xreplace(values).inv() * statement.rhs.xreplace(values)
        learn(statement.port, value)
        found[statement.port.name] = value
    return {port.name: found[port.name] for port in kernel.outputs}


def behind_hinge(k: int) -> tuple[sp.Matrix, sp.Matrix]:
    """IA and pA of a child: nothing is left on its Ω̇."""
    x, y, z, p, q = sp.symbols(f"x{k} y{k} z{k} p{k} q{k}", real=True)
    return sp.Matrix([[x, y, 0], [y, z, 0], [0, 0, 0]]), sp.Matrix([p, q, 0])


def same(left: sp.Matrix, right: sp.Matrix) -> bool:
    difference = left - right
    field = Field.of(difference, Budget(500_000), {s: 1 - c**2})
    return field.matrix(difference).is_zero


def forms(inputs: int) -> tuple[dict[str, sp.Matrix], dict[str, sp.Matrix]]:
    """The fast and the paper's kernel of one body, on the same body and children."""
    one = {"c": sp.Matrix([c]), "s": sp.Matrix([s]), "omega": sp.Matrix([w]), "m": sp.Matrix([m])}
    r_OC = r_IC - r_IO
    J_O = J - m * (r_IC.T * r_IC)[0] + m * (r_OC.T * r_OC)[0]
    fast = one | {"g": gravity, "hb": m * r_OC, "J": sp.Matrix([J_O])}
    paper = one | {"g": gravity, "rICb": r_IC, "rIOb": r_IO, "J": sp.Matrix([J])}
    for k in range(1, inputs + 1):
        arm = sp.zeros(2, 1) if k == 1 else sp.Matrix(sp.symbols(f"ax{k} ay{k}", real=True))
        IA, pA = behind_hinge(k)
        at = paper_coefficients(IA, pA, 2)
        fast |= {f"IA_I{k}": IA, f"pA_I{k}": pA, f"rb_I{k}": arm - r_IO}
        paper |= {f"S_I{k}": at.S, f"e_I{k}": at.e, f"rb_I{k}": arm}
    return (
        outputs(kernels.body.of(dimension=2, input_count=inputs, forced=False), fast),
        outputs(
            paper_kernels.body.of(dimension=2, input_count=inputs, forced=False, linked=False),
            paper,
        ),
    )


@pytest.mark.parametrize("inputs", [0, 1, 2, 3])
def test_body(inputs: int) -> None:
    fast, paper = forms(inputs)
    at = paper_coefficients(fast["IA"], fast["pA"], 2)
    assert same(at.S, paper["S"])
    assert same(at.e, paper["e"])
    assert not same(at.S, -paper["S"])


def test_hinge() -> None:
    IA = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"i{min(i, j)}{max(i, j)}", real=True))
    pA = sp.Matrix(sp.symbols("b0 b1 b2", real=True))
    before = paper_coefficients(IA, pA, 2)
    fast = outputs(kernels.hinge.of(dimension=2), {"IA": IA, "pA": pA})
    paper = outputs(
        paper_kernels.hinge.of(dimension=2, pinned=False), {"S": before.S, "e": before.e}
    )
    after = paper_coefficients(fast["IAh"], fast["pAh"], 2)
    assert same(after.S, paper["Sh"])
    assert same(after.e, paper["eh"])
    assert same(fast["P"], paper["P"][2, :2])
    assert same(fast["b"], paper["Pq"][2:, :])


@pytest.mark.parametrize("dimension", [2, 3])
def test_wrench_to_loads_is_orthogonal(dimension: int) -> None:
    Pi = wrench_to_loads(dimension)
    assert Pi * Pi.T == sp.eye(Pi.rows)
