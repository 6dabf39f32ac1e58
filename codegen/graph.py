"""The frozen form: scalar expressions with value numbering.

A node is an operation on earlier nodes. Equal expressions get the same number, constants are
folded exactly, zeros and ones disappear, and signs move outwards until an addition absorbs
them. What is left is what will be computed.

A constant may carry its formula in the model's parameters. Constants of one value and several
formulas are nodes of their own, so that each is printed by its own name; in all else they count
as one, so that no operation is done twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from . import formulas
from .formulas import formula_of
from .solves.elimination import Elimination


class Node(NamedTuple):
    """An operation, the nodes it works on, and the value of a constant or an input's name."""

    op: str
    args: tuple[int, ...] = ()
    value: Fraction | str | int | None = None


#: Operations as they are counted; a sign is free where an addition absorbs it.
COUNTED = {
    "add": "additions",
    "sub": "additions",
    "mul": "multiplications",
    "neg": "negations",
    "recip": "divisions",
    "sqrt": "square roots",
    "sin": "sines and cosines",
    "cos": "sines and cosines",
    **dict.fromkeys(
        ("tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "step", "defined"),
        "other elementary functions",
    ),
}


class Graph:
    """Nodes in the order in which they can be computed."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.names: dict[int, str] = {}
        self.labels: dict[int, str] = {}
        self.label = ""
        self.eliminations: list[Elimination] = []
        #: Formulas of factors that are 1, which no product shows.
        self.ones: set[sp.Expr] = set()
        self._numbers: dict[Node, int] = {}
        self._constants: dict[tuple[int, int], int] = {}
        self._named: dict[tuple[int, sp.Expr | None], int] = {}
        self._same: dict[int, int] = {}
        self._values: list[Fraction | None] = []
        #: By nodes that are wanted, what they need: nodes are added, never changed.
        self._needed: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._read: dict[tuple[int, ...], tuple[str, ...]] = {}

    def _number(self, node: Node) -> int:
        found = self._numbers.get(self.key(node))
        return self._new(node, None) if found is None else found

    def _new(self, node: Node, value: Fraction | None) -> int:
        found = len(self.nodes)
        self.nodes.append(node)
        self._values.append(value)
        self.labels[found] = self.label
        if value is None:
            self._numbers[self.key(node)] = found
        return found

    def same(self, number: int) -> int:
        """The first node of a constant's value, whatever its formula; another node itself."""
        return self._same.get(number, number)

    def key(self, node: Node) -> Node:
        """What two nodes share that compute the same: constants count by value alone."""
        if self._same and node.args:
            return Node(node.op, tuple(map(self.same, node.args)), node.value)
        return node

    def name(self, number: int, name: str) -> None:
        """Give a computed value the name of the quantity it is; the first name stays."""
        if self.nodes[number].op not in ("const", "input", "neg"):
            self.names.setdefault(number, name)

    def const(self, value: Fraction | int) -> int:
        key = value.numerator, value.denominator  # a fraction's own hash is slow
        found = self._constants.get(key)
        if found is None:
            exact = value if isinstance(value, Fraction) else Fraction(value)
            found = self._constants[key] = self._new(Node("const", value=exact), exact)
        formula = formula_of(value)
        if formula == formula_of(self._values[found]):
            return found
        return self._alias(found, value, formula)

    def _alias(self, first: int, value: Fraction | int, formula: sp.Expr | None) -> int:
        """The node of a value that stands in the graph with another formula."""
        found = self._named.get((first, formula))
        if found is None:
            exact = value if isinstance(value, Fraction) else Fraction(value)
            found = self._new(Node("const", value=exact), exact)
            self._named[first, formula] = found
            self._same[found] = first
        return found

    def input(self, name: str) -> int:
        return self._number(Node("input", value=name))

    def constant(self, number: int) -> Fraction | None:
        """The node's value when it is a constant."""
        return self._values[number]

    def neg(self, a: int) -> int:
        value = self.constant(a)
        if value is not None:
            return self.const(formulas.negative(value))
        node = self.nodes[a]
        if node.op == "neg":
            return node.args[0]
        if node.op == "sub":
            return self._number(Node("sub", (node.args[1], node.args[0])))
        return self._number(Node("neg", (a,)))

    def _unsigned(self, a: int) -> tuple[bool, int]:
        value = self._values[a]
        if value is not None:
            return (
                (True, self.const(formulas.negative(value))) if value.numerator < 0 else (False, a)
            )
        node = self.nodes[a]
        return (True, node.args[0]) if node.op == "neg" else (False, a)

    def add(self, a: int, b: int) -> int:
        x, y = self.constant(a), self.constant(b)
        if x is not None and y is not None:
            return self.const(formulas.total(x, y))
        if x is not None and not x:
            return b
        if y is not None and not y:
            return a
        negative_a, a = self._unsigned(a)
        negative_b, b = self._unsigned(b)
        if negative_a == negative_b:
            found = self._number(Node("add", self._ordered(a, b)))
            return self.neg(found) if negative_a else found
        if negative_a:
            a, b = b, a
        return self.const(0) if a == b else self._number(Node("sub", (a, b)))

    def mul(self, a: int, b: int) -> int:
        x, y = self.constant(a), self.constant(b)
        if x is not None and y is not None:
            return self.const(formulas.product(x, y))
        if (x is not None and not x) or (y is not None and not y):
            return self.const(0)
        negative_a, a = self._unsigned(a)
        negative_b, b = self._unsigned(b)
        found = self._product(a, b)
        return self.neg(found) if negative_a != negative_b else found

    def _product(self, a: int, b: int) -> int:
        x, y = self.constant(a), self.constant(b)
        if x == 1 or y == 1:
            left, one = (b, x) if x == 1 else (a, y)
            if (formula := formula_of(one)) not in (None, sp.nan):
                self.ones.add(formula)
            return left
        if x is not None:
            a, b, x, y = b, a, y, x
        if y is not None:
            node = self.nodes[a]
            if node.op == "mul" and (z := self.constant(node.args[1])) is not None:
                return self._product(node.args[0], self.const(formulas.product(y, z)))
            return self._number(Node("mul", (a, b)))
        return self._number(Node("mul", self._ordered(a, b)))

    def _ordered(self, a: int, b: int) -> tuple[int, int]:
        return (a, b) if self.same(a) < self.same(b) else (b, a)

    def recip(self, a: int) -> int:
        value = self.constant(a)
        if value:
            return self.const(formulas.inverse(value))
        negative, a = self._unsigned(a)
        inverse = self._number(Node("recip", (a,)))
        return self.neg(inverse) if negative else inverse

    def power(self, a: int, exponent: int) -> int:
        """An integer power by repeated squaring; a negative one through one division."""
        if exponent < 0:
            return self.recip(self.power(a, -exponent))
        result = self.const(1)
        while exponent:
            if exponent & 1:
                result = self.mul(result, a)
            exponent >>= 1
            if exponent:
                a = self.mul(a, a)
        return result

    def call(self, function: str, *arguments: int) -> int:
        """An elementary function, by the name that C has for it."""
        return self._number(Node(function, arguments))

    def sum(self, terms: Iterable[int]) -> int:
        """Terms with a plus sign first, so that no sign is left over if one has it."""
        ordered = sorted(terms, key=lambda term: self._unsigned(term)[0])
        found = self.const(0)
        for term in ordered:
            found = self.add(found, term)
        return found

    def eliminate(
        self,
        matrix: Sequence[Sequence[int]],
        rhs: Sequence[Sequence[int]],
        solver: str = "solve_lu",
        reach: Sequence[int] = (),
    ) -> list[list[int]]:
        """A solve as one opaque operation; gives the unknowns' numbers."""
        index = len(self.eliminations)
        rows = tuple(map(tuple, matrix)), tuple(map(tuple, rhs))
        system = Elimination(*rows, solver, tuple(reach))
        self.eliminations.append(system)
        whole = self._number(Node("eliminate", system.arguments, index))
        width = len(rhs[0])
        return [
            [self._number(Node("unknown", (whole,), i * width + j)) for j in range(width)]
            for i in range(len(rhs))
        ]

    def solve_ldl(
        self, matrix: Sequence[Sequence[int]], rhs: Sequence[Sequence[int]]
    ) -> list[list[int]]:
        """matrix⁻¹ rhs by L D Lᵀ, one division a pivot; the matrix is symmetric."""
        size = len(matrix)
        scaled: list[list[int]] = []  # L D, row by row
        unit: list[list[int]] = []  # L
        inverse: list[int] = []
        for i in range(size):
            row_scaled: list[int] = []
            row_unit: list[int] = []
            for j in range(i):
                value = self._minus(matrix[i][j], zip(row_scaled, unit[j], strict=False))
                row_scaled.append(value)
                row_unit.append(self.mul(value, inverse[j]))
            pivot = self._minus(matrix[i][i], zip(row_scaled, row_unit, strict=True))
            inverse.append(self.recip(pivot))
            scaled.append(row_scaled)
            unit.append(row_unit)
        columns = []
        for column in zip(*rhs, strict=True):
            y: list[int] = []
            for i in range(size):
                y.append(self._minus(column[i], zip(unit[i], y, strict=False)))
            x = [self.mul(value, r) for value, r in zip(y, inverse, strict=True)]
            for i in reversed(range(size)):
                below = ((unit[k][i], x[k]) for k in range(i + 1, size))
                x[i] = self._minus(x[i], below)
            columns.append(x)
        return [list(row) for row in zip(*columns, strict=True)]

    def copy(
        self, other: Graph, wanted: Iterable[int], known: Mapping[str, int], where: str
    ) -> dict[int, int]:
        """Write what another graph computes into this one; gives the numbers here.

        `known` are its inputs' numbers here; labels say `where` they come from.
        """
        found: dict[int, int] = {}
        for number in other.live(wanted):
            label = other.labels[number]
            self.label = f"{where}: {label}" if label and where else label
            node = other.nodes[number]
            if node.op == "input":
                found[number] = known[str(node.value)]
            else:
                found[number] = self.copied(other, number, found)
            if number in other.names:
                self.name(found[number], other.names[number])
        self.label = ""
        return found

    def copied(self, other: Graph, number: int, found: Mapping[int, int]) -> int:
        """Write one node of another graph into this one; `found` has its arguments' numbers."""
        node = other.nodes[number]
        args = [found[argument] for argument in node.args]
        if node.op == "sub":
            return self.add(args[0], self.neg(args[1]))
        if node.op in ("add", "mul", "neg", "recip"):
            return int(getattr(self, node.op)(*args))
        if node.op == "eliminate":
            assert isinstance(node.value, int)
            system = other.eliminations[node.value]
            matrix, rhs = (
                [[found[entry] for entry in row] for row in rows]
                for rows in (system.matrix, system.rhs)
            )
            reach = [found[entry] for entry in system.reach]
            unknown = self.eliminate(matrix, rhs, system.solver, reach)[0][0]
            return self.nodes[unknown].args[0]
        if isinstance(node.value, Fraction):
            return self.const(node.value)
        return self._number(Node(node.op, tuple(args), node.value))

    def opposite(self, a: int) -> int:
        """−a by a sign alone, where `neg` would turn a difference round."""
        return self._number(Node("neg", (a,)))

    def _minus(self, start: int, pairs: Iterable[tuple[int, int]]) -> int:
        for a, b in pairs:
            start = self.add(start, self.neg(self.mul(a, b)))
        return start

    def live(self, wanted: Iterable[int]) -> tuple[int, ...]:
        """The nodes that the wanted ones need, in order."""
        key = tuple(wanted)
        if key not in self._needed:
            self._needed[key] = tuple(self._live(key)[0])
        return self._needed[key]

    def _live(self, wanted: Iterable[int]) -> tuple[list[int], dict[int, set[int]]]:
        """The same, and which columns of their right-hand sides solves among them need."""
        needed = bytearray(len(self.nodes))
        for number in wanted:
            needed[number] = 1
        found = []
        columns: dict[int, set[int]] = {}
        at = needed.rfind(1)
        while at >= 0:  # what a node works on stands before it
            found.append(at)
            op, args, value = self.nodes[at]
            if op == "unknown":
                assert isinstance(value, int)
                columns.setdefault(args[0], set()).add(value % self._solve(args[0]).width)
            elif op == "eliminate":
                args = self._solve(at).of(columns[at]).arguments
            for argument in args:
                needed[argument] = 1
            at = needed.rfind(1, 0, at)
        found.reverse()
        return found, columns

    def _solve(self, number: int) -> Elimination:
        """The solve that a node is."""
        index = self.nodes[number].value
        assert isinstance(index, int)
        return self.eliminations[index]

    def narrowed(self, wanted: Iterable[int]) -> Graph:
        """The graph with solves for those columns alone that the wanted nodes need."""
        if not self.eliminations:
            return self
        _, columns = self._live(wanted)
        dead = {n: x for n, x in columns.items() if len(x) < self._solve(n).width}
        if not dead:
            return self
        found = copy(self)
        vars(found).update({name: copy(x) for name, x in vars(self).items()})
        found._needed, found._read = {}, {}
        for number, kept in dead.items():
            op, _, index = self.nodes[number]
            assert isinstance(index, int)
            narrow = found.eliminations[index] = self.eliminations[index].of(kept)
            found.nodes[number] = Node(op, narrow.arguments, index)
        for number, (op, args, value) in enumerate(self.nodes):
            if op == "unknown" and args[0] in dead:
                assert isinstance(value, int)
                row, column = divmod(value, self._solve(args[0]).width)
                order = sorted(dead[args[0]])
                if column in order:
                    at = row * len(order) + order.index(column)
                    found.nodes[number] = Node(op, args, at)
        return found

    def inputs(self, wanted: Iterable[int]) -> tuple[str, ...]:
        """The inputs that the wanted nodes need, in order."""
        key = tuple(wanted)
        if key not in self._read:
            found = (self.nodes[number] for number in self.live(key))
            self._read[key] = tuple(str(node.value) for node in found if node.op == "input")
        return self._read[key]

    def count(self, numbers: Iterable[int]) -> Counter[str]:
        """Operations by kind; a solve that stays a call counts as one by pivoted elimination."""
        counts: Counter[str] = Counter()
        for number in numbers:
            node = self.nodes[number]
            if node.op in COUNTED:
                counts[COUNTED[node.op]] += 1
            elif node.op == "eliminate":
                assert isinstance(node.value, int)
                counts.update(self.eliminations[node.value].operations)
        return counts
