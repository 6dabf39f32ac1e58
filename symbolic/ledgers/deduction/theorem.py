"""The deduction theorem, applied by hand to a system: names of products, and what they come to.

Ways from the boundary ends to the root are walked on the system's plan; nothing of them is taken
from the code that deduces, which is judged by them.
"""

from __future__ import annotations

from functools import cached_property

import sympy as sp

from ...plans.deduction import OverallEquation, Row, Term
from ...plans.transfer import Element
from .matrices import Matrices
from .system import Plan, System


class Case:
    """A system with its matrices."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.system = System(plan, seed)
        self.matrices = Matrices(self.system)
        self.equation = self.system.equation

    @property
    def elements(self) -> tuple[Element, ...]:
        return self.equation.transfer.elements

    @property
    def branching(self) -> list[Element]:
        """The bodies with several inputs."""
        return [element for element in self.elements if len(element.inputs) > 1]

    def rows(self, *kinds: str) -> list[Row]:
        return [row for row in self.equation.rows if row.kind in kinds]

    def of_body(self, *names: str) -> list[Row]:
        """Geometric rows of some bodies."""
        return [row for row in self.rows("geometric") if self.elements[row.element].name in names]

    def columns(self, opened: bool = False) -> tuple[int, ...]:
        return self.equation.opened if opened else self.equation.columns

    def terms(self, row: Row, opened: bool = False) -> list[sp.Matrix]:
        """What each column adds to a row, in numbers, as far as its block is not zero."""
        found = []
        for column in self.columns(opened):
            z = self.system.boundary(column)
            parts = [
                self.matrices.applied(term, z)[: row.size, :]
                for term in self.equation.block(row, column, opened)
            ]
            if parts:
                found.append(sum(parts[1:], parts[0]))
        return found

    def names(self, row: Row, opened: bool = False) -> sp.Matrix:
        return named(self.equation, row, opened)

    # The theorem, said of the plan itself

    def inputs(self, body: int) -> list[str]:
        """The hinges at a body’s inputs, I₁ first; in a ring the one that it leaves by."""
        joined = self.plan.joined.items()
        return [
            label
            for label, (_, pred, succ) in joined
            if pred == body or (succ == body and label in self.plan.cuts)
        ]

    @cached_property
    def paths(self) -> dict[int, list[tuple[str, int]]]:
        """By boundary end, the elements from it to the root, each with the input entered by."""
        found = {}
        for column in self.equation.opened:
            end = self.equation.end(column)
            if end.entry:
                label = self.equation.transfer.elements[end.element].label
                found[column] = self._walked(label, end.indices[1])
        return found

    def _walked(self, label: str, before: str) -> list[tuple[str, int]]:
        """From an element on; `before` is what its input comes from, 0 for none.

        Towards the ground, in a ring away from it; a planar pin to the ground is no element.
        """
        ring = self.equation.transfer.form == "closed loop"
        route: list[tuple[str, int]] = []
        while True:
            if label in self.plan.joined:
                route.append((label, 1))
                next_ = str(self.plan.joined[label][2 if ring else 1])
                if (label in self.plan.cuts and ring) or next_ == "0":
                    return route
            else:
                inputs = self.inputs(int(label))
                several = len(inputs) > 1 and not ring
                route.append((label, 1 + inputs.index(before) if several else 1))
                next_ = inputs[0] if ring else self.plan.tree[int(label)]
                if self.plan.joined[next_][:2] == ("pin", 0):
                    return route
            label, before = next_, label

    def product(self, route: list[tuple[str, int]]) -> sp.Expr:
        """The successive premultiplication of the elements' matrices."""
        return sp.Mul(*(letter(f"U_{self.index(*place)}") for place in reversed(route)))

    def index(self, label: str, entry: int) -> str:
        """j of one input, j,Ik of several."""
        ring = self.equation.transfer.form == "closed loop"
        several = label not in self.plan.joined and not ring and len(self.inputs(int(label))) > 1
        return f"{label},I{entry}" if several else label

    def before(self, column: int, label: str) -> list[tuple[str, int]] | None:
        """The way from an end to an input of an element; none if it does not lead there."""
        labels = [name for name, _ in self.paths.get(column, [])]
        return self.paths[column][: labels.index(label)] if label in labels else None

    def geometric(self, body: str, k: int) -> sp.Matrix:
        """The geometric row of a body's k-th input: H_I1 times the ways to I₁, −H_Ik to I_k."""
        found = []
        for column in self.equation.opened:
            route = self.before(column, body)
            block = ZERO
            if route is not None:
                entry = dict(self.paths[column])[body]
                head = f"H_{self.index(body, entry)}"
                if entry == 1:
                    several = len(self.inputs(int(body))) > 2
                    block = letter(f"{head}^({k})" if several else head) * self.product(route)
                elif entry == k:
                    block = -letter(head) * self.product(route)
            found.append(block)
        return sp.Matrix([found])

    def main(self) -> sp.Matrix:
        """The first row: −I at the root, at each tip the product along its way."""
        return sp.Matrix(
            [
                [
                    self.product(self.paths[c]) if c in self.paths else -letter("I")
                    for c in self.equation.opened
                ]
            ]
        )


ZERO = sp.Integer(0)


def letter(name: str) -> sp.Symbol:
    """A matrix by its name."""
    return sp.Symbol(name, commutative=False)


def named(equation: OverallEquation, row: Row, opened: bool = False) -> sp.Matrix:
    """A row of blocks as products of letters, which do not commute."""

    def product(term: Term) -> sp.Expr:
        return term.sign * sp.Mul(*(letter(f.text()) for f in equation.factors(term)))

    columns = equation.opened if opened else equation.columns
    blocks = (map(product, equation.block(row, column, opened)) for column in columns)
    return sp.Matrix([[sum(block, ZERO) for block in blocks]])
