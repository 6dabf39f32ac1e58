"""The blocks of a deduced equation, their named matrices having values, or being any matrices."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from random import Random
from typing import Any

import sympy as sp

from ...model import Beam, Body, Model
from ...model.expressions.quantities import Quantity, exact_expression, parameter
from ...model.ready.library import MODELS
from ...symbolic.equations.matrices import Mat, vcat
from ...symbolic.equations.worlds import World
from ...symbolic.plans.deduction import Factor, OverallEquation, Row, deduce
from .systems import Sets, entry, inputs, pair

#: A row's kind, and, but for the main one, its element and input.
Key = tuple[str | int, ...]
Letters = dict[str, Callable[..., Any]]


class Blocks:
    """The blocks of an equation as matrices; `shape` is that of a row's."""

    def __init__(
        self,
        equation: OverallEquation,
        value: Callable[[Factor], Any],
        shape: Callable[[Row], tuple[int, int]],
    ) -> None:
        self.equation, self.value, self.shape = equation, value, shape
        ends = {column: equation.end(column) for column in equation.opened}
        self.columns = {pair(end): column for column, end in ends.items() if end.entry}
        (self.root,) = (column for column, end in ends.items() if not end.entry)
        self.rows: dict[Key, Row] = {}
        for row in equation.rows:
            label = int(equation.transfer.elements[row.element].label)
            main = row.kind == "main"
            self.rows[("main",) if main else (row.kind, label, f"I{row.entry}")] = row

    def block(self, opened: bool, key: Key, *end: int) -> Mat | None:
        """A row's block at a boundary end, at the root without one."""
        row = self.rows.get(key)
        column = self.columns.get((end[0], end[1])) if end else self.root
        if row is None or column is None:
            return None
        total = Mat.zeros(*self.shape(row))
        for term in self.equation.block(row, column, opened):
            product = Mat.eye(total.cols)
            for factor in reversed(self.equation.factors(term)):
                product = Mat.of(self.value(factor)) @ product
            total = total + product.times(Fraction(term.sign))
        return total

    def letters(self) -> Letters:
        """M and G, N and K once the ends of cuts are paired, and R of the hinges' rows."""
        found: Letters = {
            "R_nij": lambda n, i, j: self.block(True, ("hinge", n, "I1"), i, j),
        }
        for main, geometric, ends, opened in (("M", "G", "ij", True), ("N", "K", "ab", False)):
            block = partial(self.block, opened)
            found |= {
                f"{main}_r": partial(block, ("main",)),
                f"{main}_{ends}": partial(block, ("main",)),
                f"{geometric}_nkr": partial(_geometric, block),
                f"{geometric}_nk{ends}": partial(_geometric, block),
            }
        return found


def _geometric(block: Callable[..., Mat | None], n: int, k: str, *end: int) -> Mat | None:
    return block(("geometric", n, k), *end)


def factors(equation: OverallEquation, value: Callable[[Factor], Any]) -> Letters:
    """The letters of the elements' matrices."""
    elements = {int(e.label): e for e in equation.transfer.elements}

    def matrix(letter: str, n: int, name: str = "I", order: int = 0) -> Any:
        return value(Factor(letter, elements[n].index(entry(name)), order))

    def first(n: int, k: str) -> Any:
        """H_I1, which depends on k where there are more than two inputs."""
        return matrix("H", n, "I1", entry(k) if len(elements[n].inputs) > 2 else 0)

    return {
        "U_n": partial(matrix, "U"),
        "U_nl": partial(matrix, "U"),
        "H1_nk": first,
        "H_nk": partial(matrix, "H"),
        "C": lambda: value(Factor("C")),
        "I": lambda: value(Factor("I")),
    }


@cache
def drawn(name: str, rows: int, columns: int) -> Mat:
    """A matrix that is any, by its name."""
    draw = Random(name)
    return Mat.of_rows(
        [
            [Fraction(draw.randint(-9, 9), draw.randint(1, 5)) for _ in range(columns)]
            for _ in range(rows)
        ]
    )


def _any(factor: Factor) -> Mat:
    return Mat.eye(3) if factor.letter == "I" else drawn(factor.text(), 3, 3)


class Names(World):
    """An equation's blocks, whose letters are matrices that are any: by them names are judged."""

    def __init__(self, equation: OverallEquation, sets: Sets | None = None) -> None:
        elements = {int(e.label): e for e in equation.transfer.elements}
        self.sets: Sets = {
            "element": lambda: [*elements],
            "further": lambda n: inputs(elements[n])[1:],
            **(sets or {}),
        }
        self.letters = {
            **Blocks(equation, _any, lambda row: (3, 3)).letters(),
            **factors(equation, _any),
            "others": lambda: sum(row.kind == "geometric" for row in equation.rows),
        }


class Ready(Names):
    """A ready-made model: the names in its equation, and its data."""

    def __init__(self, name: str) -> None:
        model = MODELS[name].build()
        equation = deduce(model)
        super().__init__(equation)
        columns = {pair(equation.end(column)): column for column in equation.opened}

        def state(column: int) -> Mat:
            return drawn(f"z_{equation.end(column).indices}", 3, 1)

        def stacked(chosen: tuple[int, ...]) -> Mat:
            return vcat([state(column) for column in chosen])

        def data(kind: type, name: str, body: int) -> sp.Expr:
            found = model.body(str(body))
            assert isinstance(found, kind)
            return decimal(model, getattr(found, name))

        rigid = [int(body.name) for body in model.bodies if isinstance(body, Body)]
        self.sets = {**self.sets, "rigid": lambda: rigid}
        self.letters = {
            **self.letters,
            "z_ne": lambda i, j: state(columns[i, j]),
            "zr": lambda: state(equation.opened[0]),
            "zall": lambda: stacked(equation.opened),
            "zcut": lambda: stacked(equation.columns),
            "un_ij": lambda i, j: sp.Matrix([x + 1 for x in equation.open_entries(columns[i, j])]),
            "mass_t": partial(data, Body, "mass"),
            "JC_t": partial(data, Body, "inertia"),
            "len_t": partial(data, Beam, "length"),
            "EA_t": partial(data, Beam, "axial_stiffness"),
        }


def decimal(model: Model, quantity: Quantity) -> sp.Expr:
    """A quantity with the parameters' values as they are written, in decimals."""
    values = {parameter(name): sp.Rational(repr(x)) for name, x in model.parameters.items()}
    return exact_expression(quantity).xreplace(values)
