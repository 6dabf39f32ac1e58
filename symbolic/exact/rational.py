"""Exact arithmetic of rational functions of parameters and orientations, under a budget.

A field's generators are symbols and the sines and cosines of angles; `sin² = 1 − cos²` (and
likewise w² of a unit quaternion) is applied after every product, so that two equal functions
are recognised without any open-ended simplification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyRing

from ...errors import DerivationError
from .budget import Budget
from .division import quotient

Poly = Any  # SymPy's PolyElement, which has no types


def generators(expression: sp.Expr) -> set[sp.Expr]:
    """What an expression is a rational function of."""
    if expression.is_Rational:
        return set()
    if expression.is_Add or expression.is_Mul:
        return set().union(*(generators(part) for part in expression.args))
    if expression.is_Pow and expression.exp.is_Integer:
        return generators(expression.base)
    return {expression}


class Field:
    """Rational functions over ℚ of the given generators.

    `relations` say what the square of a generator is; `sin² = 1 − cos²` is known.
    """

    def __init__(
        self,
        gens: Iterable[sp.Expr],
        budget: Budget,
        relations: Mapping[sp.Expr, sp.Expr] | None = None,
    ) -> None:
        found = set(gens)
        for gen in list(found):
            if isinstance(gen, sp.sin):
                found.add(sp.cos(gen.args[0]))
        self.relations = dict(relations or {})
        for square in self.relations.values():
            found |= generators(square)
        ordered = sorted(found, key=generator_order)
        self.budget = budget
        self.ring = PolyRing([str(gen) for gen in ordered], QQ)
        self.gens = {gen: self.ring.gens[i] for i, gen in enumerate(ordered)}
        self.names = {str(gen): gen for gen in ordered}
        self.expressions = tuple(ordered)
        self.squares = self._squares(ordered)

    def _squares(self, ordered: Sequence[sp.Expr]) -> list[tuple[int, Poly]]:
        squares = []
        for i, gen in enumerate(ordered):
            if isinstance(gen, sp.sin):
                squares.append((i, 1 - self.gens[sp.cos(gen.args[0])] ** 2))
        position = {gen: i for i, gen in enumerate(ordered)}
        for gen, square in self.relations.items():
            if gen in position:
                squares.append((position[gen], self._polynomial(square)))
        return squares

    @classmethod
    def of(
        cls,
        expressions: Iterable[sp.Expr],
        budget: Budget,
        relations: Mapping[sp.Expr, sp.Expr] | None = None,
    ) -> Field:
        """The field of everything that occurs in the expressions."""
        return cls(set().union(set(), *map(generators, expressions)), budget, relations)

    def joined(self, other: Field) -> Field:
        """The field of both fields' generators."""
        if other.expressions == self.expressions:
            return self
        return Field(
            {*self.expressions, *other.expressions},
            self.budget,
            {**self.relations, **other.relations},
        )

    def _polynomial(self, expression: sp.Expr) -> Poly:
        """A polynomial in the generators, not reduced."""
        ratio = self._convert(expression)
        assert ratio.den == 1
        return ratio.num

    def ratio(self, expression: sp.Expr | int) -> Ratio:
        """Read a SymPy expression."""
        return self._convert(sp.sympify(expression))

    def matrix(self, matrix: sp.Matrix) -> ExactMatrix:
        """Read a SymPy matrix."""
        return ExactMatrix(
            self,
            [[self.ratio(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)],
        )

    @property
    def zero(self) -> Ratio:
        return Ratio(self, self.ring.zero, self.ring.one)

    @property
    def one(self) -> Ratio:
        return Ratio(self, self.ring.one, self.ring.one)

    def _convert(self, expression: sp.Expr) -> Ratio:
        if expression in self.gens:
            return Ratio(self, self.gens[expression], self.ring.one)
        if expression.is_Rational:
            return Ratio(self, self.ring(QQ(expression.p, expression.q)), self.ring.one)
        if expression.is_Add:
            total = self.zero
            for part in expression.args:
                total = total + self._convert(part)
            return total
        if expression.is_Mul:
            product = self.one
            for part in expression.args:
                product = product * self._convert(part)
            return product
        if expression.is_Pow and expression.exp.is_Integer:
            base, exponent = self._convert(expression.base), int(expression.exp)
            power = self.one
            for _ in range(abs(exponent)):
                power = power * base
            return power if exponent > 0 else self.one / power
        raise DerivationError(f"{expression} is no rational function of {self.expressions}")

    def reduce(self, poly: Poly) -> Poly:
        """Apply the relations, so that their generators occur at most linearly."""
        for index, square in getattr(self, "squares", ()):
            while any(monomial[index] > 1 for monomial in poly):
                low, high = {}, {}
                for monomial, coefficient in poly.terms():
                    power = monomial[index]
                    if power < 2:
                        low[monomial] = coefficient
                    else:
                        high[(*monomial[:index], power - 2, *monomial[index + 1 :])] = coefficient
                self.budget.spend(len(high) * len(square))
                poly = self.ring.from_dict(low) + self.ring.from_dict(high) * square
        return poly

    def make(self, num: Poly, den: Poly) -> Ratio:
        """The ratio in its normal form, as far as cheap cancellation reaches."""
        num = self.reduce(num)
        if not num:
            return self.zero
        if den == 1:
            return Ratio(self, num, den)
        den = self.reduce(den)
        if not den:
            raise DerivationError("a pivot is zero identically", equation="(24)")
        if not den.is_ground:
            common = tuple(map(min, *num.monoms(), *den.monoms()))
            if any(common):
                shift = self.ring.from_dict({common: QQ(1)})
                num, den = num.exquo(shift), den.exquo(shift)
        if not den.is_ground and len(den) <= len(num) * 4:
            self.budget.spend(len(den))
            if len(den) > 1 or len(num) > 1:
                whole = quotient(num, den)
                if whole is not None:
                    return Ratio(self, self.reduce(whole), self.ring.one)
        content, den = den.primitive()
        if den.LC < 0:
            content, den = -content, -den
        return Ratio(self, num.mul_ground(1 / content), den)


def generator_order(gen: sp.Expr) -> tuple[int, str]:
    """Angles after symbols, sines before cosines: readable and stable."""
    return (1 if isinstance(gen, sp.sin | sp.cos) else 0, str(gen))


class Ratio:
    """A quotient of two polynomials of a field."""

    __slots__ = ("den", "field", "num")

    def __init__(self, field: Field, num: Poly, den: Poly) -> None:
        self.field = field
        self.num = num
        self.den = den

    def __bool__(self) -> bool:
        return bool(self.num)

    def __neg__(self) -> Ratio:
        return Ratio(self.field, -self.num, self.den)

    def __add__(self, other: Ratio) -> Ratio:
        if not other.num:
            return self
        if not self.num:
            return other
        spend = self.field.budget.spend
        if self.den == other.den:
            return self.field.make(self.num + other.num, self.den)
        spend(len(self.num) * len(other.den) + len(other.num) * len(self.den))
        for first, second in ((self, other), (other, self)):
            more = quotient(first.den, second.den)
            if more is not None:
                return self.field.make(first.num + second.num * more, first.den)
        return self.field.make(self.num * other.den + other.num * self.den, self.den * other.den)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        if not self.num or not other.num:
            return self.field.zero
        self.field.budget.spend(len(self.num) * len(other.num) + len(self.den) * len(other.den))
        if self.den == 1 and other.den == 1:
            return Ratio(self.field, self.field.reduce(self.num * other.num), self.den)
        return self.field.make(self.num * other.num, self.den * other.den)

    def __truediv__(self, other: Ratio) -> Ratio:
        if not other.num:
            raise DerivationError("a pivot is zero identically", equation="(24)")
        self.field.budget.spend(len(self.num) * len(other.den) + len(self.den) * len(other.num))
        return self.field.make(self.num * other.den, self.den * other.num)

    def __pow__(self, exponent: int) -> Ratio:
        power = self.field.one
        for _ in range(exponent):
            power = power * self
        return power

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and not (self - other)

    __hash__ = None  # type: ignore[assignment]

    def over(self, field: Field) -> Ratio:
        """The same function in a field that has its generators."""
        if field is self.field:
            return self
        return Ratio(field, self.num.set_ring(field.ring), self.den.set_ring(field.ring))

    def at(self, values: Mapping[sp.Expr, sp.Rational]) -> sp.Rational:
        """The exact value where the generators have these values (they obey the relations)."""
        point = [values[gen] for gen in self.field.expressions]

        def value(poly: Poly) -> sp.Rational:
            total = sp.S.Zero
            for monomial, coefficient in poly.terms():
                term = sp.Rational(int(coefficient.numerator), int(coefficient.denominator))
                for power, entry in zip(monomial, point, strict=True):
                    if power:
                        term *= entry**power
                total += term
            return total

        return value(self.num) / value(self.den)

    def expression(self) -> sp.Expr:
        """The function as SymPy writes it: a sum, or a product over the denominator."""
        if self.den == 1:
            return self._write(self.num)
        if len(self.den) == 1:
            return self._write(self.num) / self._write(self.den)
        content, rest = self.num.primitive()
        common = tuple(map(min, *rest.monoms(), rest.monoms()[0]))
        factor = self.field.ring.from_dict({common: content})
        return self._write(factor) * self._write(self.num.exquo(factor)) / self._write(self.den)

    def _write(self, poly: Poly) -> sp.Expr:
        return poly.as_expr(*self.field.expressions)


class ExactMatrix:
    """A matrix over a field; `@ + - .T .inv() .extract` are as in SymPy."""

    def __init__(self, field: Field, rows: list[list[Ratio]]) -> None:
        self.field = field
        self.entries = rows

    @property
    def rows(self) -> int:
        return len(self.entries)

    @property
    def cols(self) -> int:
        return len(self.entries[0]) if self.entries else 0

    def __getitem__(self, place: tuple[int, int]) -> Ratio:
        return self.entries[place[0]][place[1]]

    def extract(self, rows: Sequence[int], cols: Sequence[int]) -> ExactMatrix:
        return ExactMatrix(self.field, [[self.entries[i][j] for j in cols] for i in rows])

    @property
    def T(self) -> ExactMatrix:
        return ExactMatrix(self.field, [list(row) for row in zip(*self.entries, strict=True)])

    def map(self, change: Callable[[Ratio], Ratio]) -> ExactMatrix:
        return ExactMatrix(self.field, [[change(entry) for entry in row] for row in self.entries])

    def over(self, field: Field) -> ExactMatrix:
        """The same matrix over a field that has its generators."""
        return ExactMatrix(field, [[entry.over(field) for entry in row] for row in self.entries])

    def __neg__(self) -> ExactMatrix:
        return self.map(Ratio.__neg__)

    def __add__(self, other: ExactMatrix) -> ExactMatrix:
        return ExactMatrix(
            self.field,
            [
                [x + y for x, y in zip(mine, its, strict=True)]
                for mine, its in zip(self.entries, other.entries, strict=True)
            ],
        )

    def __sub__(self, other: ExactMatrix) -> ExactMatrix:
        return self + (-other)

    def __matmul__(self, other: ExactMatrix) -> ExactMatrix:
        columns = list(zip(*other.entries, strict=True))
        product = []
        for row in self.entries:
            nonzero = [(k, entry) for k, entry in enumerate(row) if entry]
            line = []
            for column in columns:
                total = self.field.zero
                for k, entry in nonzero:
                    if column[k]:
                        total = total + entry * column[k]
                line.append(total)
            product.append(line)
        return ExactMatrix(self.field, product)

    def inv(self) -> ExactMatrix:
        """The inverse, by elimination with the simplest pivot of each column.

        Raises
            DerivationError: the matrix is singular identically.
        """
        n = self.rows
        unit = identity(self.field, n)
        work = [mine + its for mine, its in zip(self.entries, unit.entries, strict=True)]
        for k in range(n):
            candidates = [i for i in range(k, n) if work[i][k]]
            if not candidates:
                raise DerivationError("a pivot is zero identically", equation="(24)")
            best = min(candidates, key=lambda i: len(work[i][k].num) + len(work[i][k].den))
            work[k], work[best] = work[best], work[k]
            pivot = work[k][k]
            work[k] = [entry / pivot if entry else entry for entry in work[k]]
            for i in range(n):
                factor = work[i][k]
                if i != k and factor:
                    work[i] = [
                        x - factor * y if y else x for x, y in zip(work[i], work[k], strict=True)
                    ]
        return ExactMatrix(self.field, [row[n:] for row in work])

    @property
    def is_zero(self) -> bool:
        return not any(entry for row in self.entries for entry in row)

    def matrix(self) -> sp.Matrix:
        """The SymPy matrix."""
        return sp.Matrix(self.rows, self.cols, lambda i, j: self.entries[i][j].expression())

    def at(self, values: Mapping[sp.Expr, sp.Rational]) -> sp.Matrix:
        """The exact values at a point."""
        return sp.Matrix(self.rows, self.cols, lambda i, j: self.entries[i][j].at(values))


def identity(field: Field, n: int) -> ExactMatrix:
    """The n × n identity."""
    return ExactMatrix(
        field, [[field.one if i == j else field.zero for j in range(n)] for i in range(n)]
    )


def zeros(field: Field, rows: int, cols: int) -> ExactMatrix:
    """A matrix of zeros."""
    return ExactMatrix(field, [[field.zero] * cols for _ in range(rows)])


def stack(blocks: Sequence[Sequence[ExactMatrix]]) -> ExactMatrix:
    """A matrix from rows of blocks."""
    rows = []
    for line in blocks:
        for i in range(line[0].rows):
            rows.append([entry for block in line for entry in block.entries[i]])
    return ExactMatrix(blocks[0][0].field, rows)
