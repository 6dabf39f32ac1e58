"""The named matrices that the page shows are those that the program's kernels compute.

In exact fractions, at random numbers for every datum: what kernels make of the unit states is
compared entry by entry with the page's matrix at the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
import sympy as sp

import mstmm
from mstmm.symbolic.language.arithmetic import EXACT
from mstmm.symbolic.language.interpreter import evaluate
from mstmm.symbolic.language.program import Kernel
from mstmm.symbolic.mechanics import beams as theory
from mstmm.symbolic.mechanics.space import Space
from mstmm.symbolic.methods.overall import end_kernels, kernels, row_kernels
from mstmm.symbolic.methods.overall.program import overall_program
from mstmm.symbolic.pages.body import PLANAR_INERTIA, rigid_body
from mstmm.symbolic.pages.named import hinge_blocks
from mstmm.symbolic.plans.plan import plan

Data = dict[str, sp.Matrix]


def run(kernel: Kernel, known: Mapping[str, sp.Matrix]) -> Data:
    """A kernel's outputs in fractions, as matrices."""
    inputs = {
        port.name: [Fraction(str(sp.Rational(known[port.name][i, j]))) for i, j in port.entries]
        for port in kernel.inputs
    }
    found = evaluate(kernel, inputs, EXACT)
    made: Data = {}
    for port in kernel.outputs:
        values = dict(zip(port.entries, found[port.name], strict=True))

        def entry(i: Any, j: Any, values: Any = values) -> sp.Expr:
            value = values.get((int(i), int(j)), values.get((int(j), int(i))))
            return sp.Rational(value.numerator, value.denominator)

        made[port.name] = sp.Matrix(port.rows, port.cols, entry)
    return made


def number(rng: Random) -> sp.Rational:
    return sp.Rational(rng.randint(-40, 40), rng.randint(1, 9))


def vector(rng: Random, count: int) -> sp.Matrix:
    return sp.Matrix([number(rng) for _ in range(count)])


def rotation(dimension: int) -> sp.Matrix:
    """A rotation without roots: by 3, 4, 5, or by the quaternion 1, 2, −1, 3."""
    if dimension == 2:
        return sp.Matrix([[3, -4], [4, 3]]) / 5
    w, x, y, z = 1, 2, -1, 3
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return sp.Matrix(rows) / 15


def state(dimension: int, z: sp.Matrix, label: str = "") -> Data:
    n, spins = Space(dimension).motion, Space(dimension).spins
    parts = {"a": z[:n, :], "m": z[n : n + spins, :], "q": z[n + spins :, :]}
    return {f"{name}{label}": value for name, value in parts.items()}


def behind(found: Data) -> sp.Matrix:
    return sp.Matrix.vstack(found["ao"], found["mo"], found["qo"])


def units(dimension: int) -> list[sp.Matrix]:
    n = Space(dimension).motion
    return [sp.eye(2 * n)[:, i] for i in range(2 * n)]


def body(dimension: int) -> tuple[Data, dict[sp.Symbol, sp.Expr]]:
    """What the kernel says of a body with two inputs, and the page's symbols."""
    rng, space, d = Random(dimension), Space(dimension), dimension
    A, m = rotation(d), sp.Rational(7, 3)
    c, o, i2, f = (vector(rng, d) for _ in range(4))
    spin, couple = vector(rng, space.spins), vector(rng, space.spins)
    J = sp.Matrix(space.spins, space.spins, lambda i, j: sp.Rational(5 + i * j, 2 + i + j))
    square = (c.T * c)[0]
    steiner = sp.Matrix([m * square]) if d == 2 else m * (square * sp.eye(3) - c * c.T)
    own = J - steiner
    known = {
        "A": A,
        "omega": spin if d == 2 else A.T * spin,
        "m": sp.Matrix([m]),
        "g": sp.zeros(d, 1),
        "f": f.col_join(couple),
        "rC": A.T * c,
        "rO": A.T * o,
        "r_I2": A.T * i2,
        "JC": own if d == 2 else A.T * own * A,
    }
    found = run(
        kernels.body.of(dimension=d, input_count=2, push_count=0, forced=True, absolute=False),
        known,
    ) | {"mass": sp.Matrix([m])}
    values: dict[sp.Symbol, sp.Expr] = {sp.Symbol("m", real=True): m}
    for letter, x in (("c", c), ("o", o), ("i2", i2), ("f", f)):
        values |= {
            sp.Symbol(f"{letter}_{axis}", real=True): y for axis, y in zip("xyz", x, strict=False)
        }
    axes = "z" if d == 2 else "xyz"
    for letter, x in (("Omega", spin), ("M", couple)):
        values |= {
            sp.Symbol(f"{letter}_{axis}", real=True): y for axis, y in zip(axes, x, strict=True)
        }
    if d == 2:
        return found, values | {PLANAR_INERTIA: J[0]}
    for i, j in product(range(3), repeat=2):
        values[sp.Symbol(f"J_{i + 1}{j + 1}", real=True)] = J[i, j]
    return found, values


def through(dimension: int, *entries: int, constants: bool = False, modes: int = 0) -> Kernel:
    given = {"dimension": dimension, "entries": entries, "constants": constants, "count": modes}
    return kernels.through.of(**given)


def geometric(dimension: int, *entries: int, right: bool = False) -> Kernel:
    given = {"dimension": dimension, "number": 2, "entries": entries, "right": right}
    return row_kernels.geometric.of(**given)


def driven(dimension: int, right: bool = False) -> Kernel:
    """With what acts in the hinge on the right-hand side."""
    return row_kernels.hinge.of(dimension=dimension, count=1, right=right, acting=right)


def modal(modes: int, right: bool = False) -> Kernel:
    return row_kernels.modal.of(dimension=2, entries=(1,), count=modes, right=right)


@pytest.mark.parametrize("dimension", [2, 3])
def test_bodies(dimension: int) -> None:
    data, values = body(dimension)
    n, zero = Space(dimension).motion, sp.zeros(2 * Space(dimension).motion, 1)
    page = rigid_body(dimension)
    shown = [matrix.xreplace(values) for matrix in (page.U1, page.U2)]
    for k, matrix in enumerate(shown, start=1):
        kernel = through(dimension, k)
        columns = [
            behind(run(kernel, data | state(dimension, z, f"_I{k}"))) for z in units(dimension)
        ]
        assert sp.Matrix.hstack(*columns) == matrix[: 2 * n, : 2 * n]
    still = data | state(dimension, zero, "_I1") | state(dimension, zero, "_I2")
    whole = through(dimension, 1, 2, constants=True)
    assert behind(run(whole, still)) == shown[0][: 2 * n, -1]
    assert shown[1][:, -1].is_zero_matrix
    first, further = (matrix.xreplace(values) for matrix in (page.H1, page.H2))
    for matrix, sign, k in ((first, 1, 1), (further, -1, 2)):
        kernel = geometric(dimension, k)
        columns = [
            sp.Matrix.vstack(*run(kernel, data | {f"a_I{k}": z[:n, :]}).values())
            for z in units(dimension)
        ]
        assert sign * sp.Matrix.hstack(*columns) == matrix[:, : 2 * n]
    kernel = geometric(dimension, 1, 2, right=True)
    assert -sp.Matrix.vstack(*run(kernel, still).values()) == first[:, -1]


@pytest.mark.parametrize("dimension", [2, 3])
def test_hinges(dimension: int) -> None:
    """X, what it does to (m, q), and G: Hᵀ (−q, m) + τ."""
    rng, n = Random(9), Space(dimension).motion
    d = vector(rng, dimension)
    places = dict(zip(sp.symbols("d_x d_y d_z", real=True), d, strict=False))
    X, Y = (block.xreplace(places) for block in hinge_blocks(dimension))
    kernel = kernels.across.of(dimension=dimension, apart=True, constants=False)
    columns = [
        behind(run(kernel, {"dh": d} | state(dimension, z, "_I1"))) for z in units(dimension)
    ]
    assert sp.Matrix.hstack(*columns) == sp.diag(X, Y)
    H, tau = vector(rng, n), sp.Matrix([number(rng)])
    known = {"Hs1": H, "T1": tau}
    rows = [
        run(driven(dimension), known | state(dimension, z, "o"))["row_1"] for z in units(dimension)
    ]
    H_r, H_w = H[:dimension, :], H[dimension:, :]
    assert sp.Matrix.hstack(*rows[n:]) == H_w.T.row_join(-H_r.T)
    assert sp.Matrix.hstack(*rows[:n]).is_zero_matrix
    zero = state(dimension, sp.zeros(2 * n, 1), "o")
    right = run(driven(dimension, right=True), known | zero)
    assert -right["row_1"] == tau


def test_beams() -> None:
    """U and G of a beam from end to end, which the page's blocks make up."""
    rng, modes = Random(4), 2
    functions = theory.Functions(1, 1, shortens=False)
    eta, rates = theory.coordinates(modes)
    symbols = (*eta, *rates, theory.SPIN, theory.MASS, theory.LENGTH, theory.AXIAL)
    symbols = (*symbols, theory.BENDING, theory.DAMPING)
    values = {symbol: abs(number(rng)) + 1 for symbol in symbols}
    length = values[theory.LENGTH]
    known = {symbol.name: sp.Matrix([x]) for symbol, x in values.items()}
    known |= {"A": sp.eye(2), "g": sp.zeros(2, 1)}
    for end, xi in (("I1", 0), ("O", 1)):
        here = theory.shapes(functions).at(sp.Integer(xi), length)
        known |= {f"at_{end}": sp.Matrix([xi * length]), f"psi1_{end}": here.psi[:, :1]}
        known |= {f"phi1_{end}": here.phi[:, 1:], f"slope1_{end}": here.slope[:, 1:]}
    given = {"dimension": 2, "functions": functions, "input_count": 1, "push_count": 0}
    data = run(kernels.beam.of(**given, count=modes, forced=False), known)
    data |= {"mass": sp.Matrix([values[theory.MASS]])}
    shown = theory.transfer(functions)
    U, G = shown.matrix.xreplace(values), shown.modal.xreplace(values)

    def rows(kernel: Kernel, more: Data) -> sp.Matrix:
        return sp.Matrix.vstack(*run(kernel, data | more).values())

    for i, z in enumerate(units(2)):
        column = behind(run(through(2, 1), data | state(2, z, "_I1")))
        assert column == U[:6, i]
        more = state(2, z, "_I1") | state(2, column, "o")
        assert rows(modal(modes), more) == G[:, i]
    own = run(end_kernels.modal_columns.of(dimension=2, count=modes), data)
    for j in range(modes):
        column = sp.Matrix.vstack(*(own[f"{name}_{j + 1}"] for name in "amq"))
        assert column == U[:6, 6 + j]
        more = state(2, column, "o") | {"unit": sp.eye(modes)[:, j]}
        assert rows(row_kernels.modal_own.of(dimension=2, count=modes), more) == G[:, 6 + j]
    still = state(2, sp.zeros(6, 1), "_I1")
    none = {f"u_{j}": sp.zeros(1, 1) for j in range(1, modes + 1)}
    column = behind(run(through(2, 1, constants=True, modes=modes), data | still | none))
    assert column == U[:6, -1]
    more = still | state(2, column, "o")
    assert -rows(modal(modes, right=True), more) == G[:, -1]


#: What the equation adds to the steps of kinematics that all methods share.
OWN = "thrusts elements begins carried constants rights states results end_loads driving shown"


@pytest.mark.parametrize("name", ["branch-pendulum", "four-bar", "example-1", "example-2"])
@pytest.mark.parametrize("forced", [False, True])
def test_every_kernel_says_its_matrix_equation(name: str, forced: bool) -> None:
    program = overall_program(plan(mstmm.load(name)), forced=forced)
    steps = [step for step in program.steps if step.name in OWN.split()]
    assert len(steps) >= 8
    silent = {
        call.kernel.name
        for step in steps
        for call in step.calls
        if not any(statement.says for statement in call.kernel.statements)
    }
    assert not silent
