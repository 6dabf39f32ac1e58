"""What the Riccati paper's matrices of a body in space claim, beside a body's true motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from ...derivation.results import Result
from ...exact.ledger import Sides
from ...plans.transfer import Element
from ..deduction.matrices import Matrices
from .example import Example

#: Where r̈, Ω̇, m and q stand in a state.
R, W, M, Q = (slice(k, k + 3) for k in (0, 3, 6, 9))


class InSpace:
    """Body 1 with two inputs, body 2 with one, and the values of a generic body's symbols."""

    def __init__(self, at: Example, name: str) -> None:
        self.system, self.matrices = at.branch, Matrices(at.branch)
        self.element: Element = self.matrices.elements[name]

    def filled(
        self, matrix: sp.Matrix, named: Mapping[sp.Expr, sp.Expr] | None = None
    ) -> sp.Matrix:
        """A generic body's matrix with this body's data, and with the names of some states."""
        known = self.matrices.data(self.element) | dict(named or {})
        return sp.Matrix(matrix.xreplace(known))

    def input(self, k: int = 1) -> sp.Matrix:
        """z without s of an input."""
        return sp.Matrix([*self.system.input(self.element, k)[:12, :], 1])

    @property
    def output(self) -> sp.Matrix:
        return sp.Matrix([*self.system.output(self.element)[:12, :], 1])

    @property
    def joined(self) -> sp.Matrix:
        """The comprehensive input state (6): z of I1, then m and q of I2."""
        return sp.Matrix([*self.input()[:12, :], *self.input(2)[6:12, :], 1])

    def named(self) -> dict[sp.Expr, sp.Expr]:
        """The states' entries by their names: I of one input, I1 and I2 of two."""
        count = len(self.element.inputs)
        ends = {("I" if count == 1 else f"I{k}"): self.input(k) for k in range(1, count + 1)}
        return {
            sp.Symbol(f"{kind}{end}_{axis}", real=True): z[3 * part + n]
            for end, z in ends.items()
            for part, kind in enumerate(("ddr", "dOmega", "m", "q"))
            for n, axis in enumerate("xyz")
        }


Claim = Callable[[Example, Result], Sides]


def state(at: Example, result: Result) -> Sides:
    """z_O, entry by entry, by the names of what enters; or what enters itself (6)."""
    of = InSpace(at, "2" if result.symbol == "z_O" else "1")
    found = of.filled(result.matrix, of.named())
    yield of.joined if result.symbol == "z_miso" else of.output, found


def body(at: Example, result: Result) -> Sides:
    of = InSpace(at, "2" if result.symbol == "U" else "1")
    yield of.output, of.filled(result.matrix) * (of.input() if result.symbol == "U" else of.joined)


def second_input(at: Example, result: Result) -> Sides:
    """(16): r̈ of the second input, and no moment."""
    of = InSpace(at, "1")
    there = of.input(2)[R, :]
    yield sp.Matrix.vstack(there, sp.zeros(3, 1)), of.filled(result.matrix) * of.joined


def coefficients(at: Example, result: Result) -> Sides:
    """E1 … E9: r̈_O, q_O and m_O of a body with one input, term by term."""
    of = InSpace(at, "2")
    E = {k: of.filled(at.found(f"E{k}", result)) for k in range(1, 10)}
    z_I, z_O = of.input(), of.output
    yield z_O[R, :] - z_I[R, :], E[1] * z_I[W, :], E[2]
    yield z_O[Q, :] - z_I[Q, :], E[3] * z_I[R, :], E[4] * z_I[W, :], E[5]
    moved = E[7] * z_I[R, :], E[8] * z_I[W, :], E[9]
    yield z_O[M, :] - z_I[M, :], E[6] * z_O[Q, :], *moved


def lever(at: Example, result: Result) -> Sides:
    """(9): the moment of a further input's force, m_O being otherwise as of one input."""
    of = InSpace(at, "1")
    E = {k: of.filled(at.found(f"E{k}")) for k in range(1, 10)}
    z_1, z_2, z_O = of.input(), of.input(2), of.output
    rest = E[6] * z_O[Q, :] + E[7] * z_1[R, :] + E[8] * z_1[W, :] + E[9]
    yield z_O[M, :] - z_1[M, :] - z_2[M, :] - rest, of.filled(result.matrix) * z_2[Q, :]


def further(at: Example, result: Result) -> Sides:
    """(14), (17): r̈ of the second input from that of the first."""
    of = InSpace(at, "1")
    z_1, there = of.input(), of.input(2)[R, :]
    if result.symbol == "ddr_Ik":
        yield there, of.filled(result.matrix, of.named())
        return
    E1, E2 = (of.filled(at.found(f"E{k}_Ik", result)) for k in (1, 2))
    yield there - z_1[R, :], E1 * z_1[W, :], E2


def geometric(at: Example, result: Result) -> Sides:
    """(15): nothing is left of the accelerations, and of the moments the second input's."""
    of = InSpace(at, "1")
    left = sp.Matrix.vstack(sp.zeros(3, 1), of.input(2)[M, :])
    yield left, of.filled(result.matrix, of.named())


SPACE: Mapping[str, Claim] = {
    **dict.fromkeys(("z_O", "z_O_miso", "z_miso"), state),
    **dict.fromkeys(("U", "U_miso"), body),
    **{f"E{k}": coefficients for k in range(1, 10)},
    "E_I2": lever,
    **dict.fromkeys(("ddr_Ik", "E1_Ik", "E2_Ik"), further),
    "geometric": geometric,
    "H": second_input,
}
