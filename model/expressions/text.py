"""Text into SymPy and back, without evaluating anything.

The text is parsed as Python, and only arithmetic is let through: numbers, names that are
given, + - * / **, parentheses and the functions of `FUNCTIONS`. Whole numbers stay exact,
decimal ones are doubles, unless fractions are asked for.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ...errors import ModelError
from .domains import conditions, within
from .functions import FUNCTIONS, WRITTEN, Known
from .quantities import shorten

#: Longest text, deepest brackets, largest exponent: far above what a formula needs. Messages
#: quote the text up to `MAX_SHOWN`.
MAX_LENGTH = 2_000
MAX_DEPTH = 50
MAX_SHOWN = 60
MAX_POWER = 64
#: A rational number with more bits than this can be no double.
MAX_BITS = 2_200


_NAME = re.compile(r"(?<![\w.])([A-Za-z_])")


@dataclass(frozen=True)
class _Term:
    """An expression and its value in double precision, NaN where that is not known."""

    expression: sp.Expr
    value: float


def read(text: str, values: Mapping[sp.Symbol, float | None], *, exact: bool = False) -> sp.Expr:
    """The expression that the text states, in the symbols given with their values.

    A symbol whose value is `None` varies. The values serve as a bound alone: no part of the
    expression may exceed the range of double precision. `exact`: a decimal is the fraction that
    is written, 0.1 is 1/10, not the nearest double.

    Raises
        ModelError: the text is no arithmetic, too long or too deep, uses an unknown name, or
            a number in it is out of range.
    Source
        own
    """
    if len(text) > MAX_LENGTH:
        raise ModelError(
            f"the expression has {len(text)} characters; at most {MAX_LENGTH} are read"
        )
    if not text.isascii() or not text.isprintable():
        raise ModelError(f"{text!r} holds characters that no expression has")
    if _depth(text) > MAX_DEPTH:
        raise ModelError(f"the expression nests brackets more than {MAX_DEPTH} deep")
    shown = repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")
    try:
        source = _NAME.sub(r"_\1", text.strip())
        reader = _Reader(shown, values, source if exact else "")
        return within(reader.read(_parsed(source)).expression, reader.domain)
    except SyntaxError:
        raise ModelError(f"{shown} is no expression") from None
    except (RecursionError, MemoryError):
        raise ModelError(f"{shown} is nested too deeply") from None
    except OverflowError:
        raise ModelError(f"{shown} exceeds the range of double precision") from None
    except ZeroDivisionError:
        raise ModelError(f"{shown} divides by zero") from None
    except ValueError:
        raise ModelError(f"{shown} is no real number at the parameters' values") from None


def _parsed(source: str) -> ast.expr:
    """The syntax tree; an underscore is before each name, so that none is a keyword of Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return ast.parse(source, mode="eval").body


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


class _Reader:
    """Walks the syntax tree; sums and products are built at once, as SymPy holds them."""

    def __init__(self, shown: str, values: Mapping[sp.Symbol, float | None], source: str) -> None:
        """`source`: what is parsed, if decimals are to be read from it exactly."""
        self.shown = shown
        self.source = source
        self.symbols = {symbol.name: symbol for symbol in values}
        self.values = values
        #: What must have a value for the text to have one, as far as it varies.
        self.domain: set[sp.Expr] = set()

    def read(self, node: ast.expr) -> _Term:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self.bounded(self.number(node, number), float(number))
            case ast.Name(id=name):
                return self.symbol(name[1:])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                term = self.read(operand)
                return _Term(-term.expression, -term.value)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self.sum(node)
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return self.product(node)
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                return self.power(self.read(base), self.read(exponent))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=rest):
                return self.function(name[1:], arguments, bool(rest))
        hint = "; a power is written **" if "^" in self.shown else ""
        raise ModelError(
            f"{self.shown} is no arithmetic: numbers, names, + - * / ** and functions are{hint}"
        )

    def number(self, node: ast.Constant, number: int | float) -> sp.Expr:
        if isinstance(number, int):
            return sp.Integer(number)
        if not self.source or math.isinf(number):
            return sp.Float(number)
        written = self.source[node.col_offset : node.end_col_offset].replace("_", "")
        if not number and re.search("[1-9]", re.split("[eE]", written)[0]):
            raise OverflowError  # below all doubles, perhaps with more digits than memory has
        return sp.Rational(written)

    def symbol(self, name: str) -> _Term:
        if name in self.symbols:
            symbol = self.symbols[name]
            value = self.values[symbol]
            return _Term(symbol, math.nan if value is None else value)
        if name == "pi":
            return _Term(sp.pi, math.pi)
        known = shorten([*self.symbols, "pi"], limit=20)
        raise ModelError(f"{self.shown}: there is no {name!r}; there are: {known}")

    def sum(self, node: ast.expr) -> _Term:
        terms: list[_Term] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            term = self.read(node.right)
            subtracted = isinstance(node.op, ast.Sub)
            terms.append(_Term(-term.expression, -term.value) if subtracted else term)
            node = node.left
        terms = [self.read(node), *reversed(terms)]
        return self.bounded(sp.Add(*(t.expression for t in terms)), sum(t.value for t in terms))

    def product(self, node: ast.expr) -> _Term:
        factors: list[_Term] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            factor = self.read(node.right)
            if isinstance(node.op, ast.Div):
                factor = self.partial(1 / factor.expression, 1 / factor.value)
            factors.append(factor)
            node = node.left
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            # A factor of its own: SymPy spreads a sign over a sum, but not over a product.
            factors.append(_Term(sp.Integer(-1), -1.0))
            node = node.operand
        factors = [self.read(node), *reversed(factors)]
        value = math.prod(f.value for f in factors)
        return self.bounded(sp.Mul(*(f.expression for f in factors)), value)

    def power(self, base: _Term, exponent: _Term) -> _Term:
        if not isinstance(exponent.expression, sp.Rational | sp.Float) or not _moderate(
            exponent.expression
        ):
            raise ModelError(f"{self.shown}: an exponent is a number of at most {MAX_POWER}")
        raised = self.partial(
            base.expression**exponent.expression, math.pow(base.value, exponent.value)
        )
        if not all(_moderate(power.exp) for power in raised.expression.atoms(sp.Pow)):
            raise ModelError(f"{self.shown}: powers of powers exceed {MAX_POWER}")
        return raised

    def function(self, name: str, arguments: list[ast.expr], named: bool) -> _Term:
        known = self.known(name)
        if len(arguments) != known.arguments or named:
            count = ("one argument", "two arguments")[known.arguments - 1]
            raise ModelError(f"{name} takes {count} in {self.shown}")
        terms = [self.read(argument) for argument in arguments]
        exact = known.exact(*(term.expression for term in terms))
        return self.partial(exact, known.double(*(term.value for term in terms)))

    def known(self, name: str) -> Known:
        if name not in FUNCTIONS:
            raise ModelError(
                f"{self.shown}: there is no function {name!r}; there are: {', '.join(FUNCTIONS)}"
            )
        return FUNCTIONS[name]

    def partial(self, expression: sp.Expr, value: float) -> _Term:
        """What may have no value somewhere: where it varies, the whole text has none there."""
        if math.isnan(value):
            self.domain |= conditions(expression)
        return self.bounded(expression, value)

    def bounded(self, expression: sp.Expr, value: float) -> _Term:
        if math.isinf(value):
            raise OverflowError
        if isinstance(expression, sp.Rational) and expression.is_finite:
            bits = max(int(expression.p).bit_length(), int(expression.q).bit_length())
            if bits > MAX_BITS:
                raise OverflowError
        return _Term(expression, value)


def _moderate(exponent: sp.Expr) -> bool:
    return not exponent.is_number or (
        abs(exponent) <= MAX_POWER
        and (not isinstance(exponent, sp.Rational) or exponent.q <= MAX_POWER)
    )


def write(expression: sp.Expr) -> str:
    """The text that `read` turns into an equal expression, in SymPy's automatic form.

    Raises
        ModelError: the expression holds a function or a power that files do not have.
    Source
        own
    """
    return _text(expression, 0)


_SUM, _PRODUCT, _POWER = 1, 2, 3


def _text(x: sp.Expr, within: int) -> str:
    """The text of x, in parentheses if it binds less than what it stands in."""
    text, binding = _parts(x)
    return f"({text})" if binding < within else text


def _parts(x: sp.Expr) -> tuple[str, int]:
    match x:
        case sp.Integer():
            return str(int(x)), _SUM if x < 0 else _POWER + 1
        case sp.Rational():
            return f"{x.p}/{x.q}", _SUM if x < 0 else _PRODUCT
        case sp.Float():
            if sp.Float(float(x)) != x:
                raise ModelError(f"{x!s} is no number of double precision")
            return float.__repr__(float(x)), _SUM if x < 0 else _POWER + 1
        case sp.Symbol():
            return x.name, _POWER + 1
        case sp.Add():
            terms = [_text(term, _SUM) for term in x.as_ordered_terms()]
            rest = (f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in terms[1:])
            return terms[0] + "".join(rest), _SUM
        case sp.Mul():
            return _product(x)
        case sp.Pow():
            return _power(x)
    if x == sp.pi:
        return "pi", _POWER + 1
    if x == sp.E:
        return "exp(1)", _POWER + 1
    name = WRITTEN.get(x.func, x.func.__name__)
    if name not in FUNCTIONS or len(x.args) != 1:
        raise ModelError(f"{x} cannot be written: the functions are {', '.join(FUNCTIONS)}")
    return f"{name}({_text(x.args[0], 0)})", _POWER + 1


def _product(x: sp.Expr) -> tuple[str, int]:
    """Every divisor by itself: SymPy would spread a number over a sum in a common one."""
    coefficient, rest = x.as_coeff_Mul()
    sign = "-" if coefficient < 0 else ""
    above: list[str] = []
    below: list[str] = []
    numerator, denominator = abs(coefficient), sp.Integer(1)
    if isinstance(coefficient, sp.Rational):
        numerator, denominator = sp.Integer(abs(coefficient.p)), sp.Integer(coefficient.q)
    if numerator != 1 or isinstance(numerator, sp.Float):
        above.append(_text(numerator, _PRODUCT))
    for factor in sp.Mul.make_args(rest) if isinstance(rest, sp.Mul) else (rest,):
        inverse = isinstance(factor, sp.Pow) and factor.exp.is_Rational and factor.exp < 0
        (below if inverse else above).append(_text(1 / factor if inverse else factor, _POWER))
    if denominator != 1:
        below.append(_text(denominator, _POWER))
    return sign + "/".join(["*".join(above) or "1", *below]), _SUM if sign else _PRODUCT


def _power(x: sp.Expr) -> tuple[str, int]:
    base, exponent = x.base, x.exp
    if not isinstance(exponent, sp.Rational | sp.Float) or not _moderate(exponent):
        raise ModelError(f"{x} cannot be written: an exponent is a number of at most {MAX_POWER}")
    if exponent == sp.Rational(1, 2):
        return f"sqrt({_text(base, 0)})", _POWER + 1
    if isinstance(exponent, sp.Rational) and exponent < 0:
        return f"1/{_text(1 / x, _POWER)}", _PRODUCT
    return f"{_text(base, _POWER + 1)}**{_text(exponent, _POWER)}", _POWER
