"""Names of the constants that stand for a model's parameters in emitted code.

A parameter that is baked in keeps its name: `m`, `g`. What the code needs is often a product of
several, which is folded into one number so that it costs no operation, and named after its
factors: `m_a` is m a, `g_per_a` g/a, `m_a2_x4_by3` 4 m a²/3, `m1_plus_m2` m1 + m2. A formula of
more than a few factors gives no name that one would read; its number stays a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ...errors import CodegenError
from ...model.expressions.quantities import shorten
from ..blocks import Module
from ..formulas import formula_of
from .languages import COLUMN_NAMES, FILE_NAMES

#: Characters beyond which a name is not read.
LONGEST_NAME = 24

#: The largest number in a name.
LARGEST = 1000


@dataclass(frozen=True)
class Constant:
    """A named number: its value as text, and what is to be said beside it, if anything."""

    name: str
    value: str
    remark: str


class Constants:
    """The named constants of a module's code; remembers which of them were printed."""

    def __init__(self, module: Module, taken: Iterable[str] = ()) -> None:
        self.order = {name: k for k, name in enumerate(module.program.parameters)}
        owners = {array.owner for array in module.program.arrays.values()}
        functions = [step.name for step in module.steps]
        functions += [entry.name for entry in module.entries]
        self.taken = {"p", *FILE_NAMES, *owners, *functions, *taken}
        if any(block.span for step in module.steps for block in step.blocks):
            self.taken |= COLUMN_NAMES  # which would stand before a parameter called `c`
        self.names: dict[sp.Expr, str] = {}
        self.values: dict[sp.Expr, Fraction] = {}
        self.used: set[sp.Expr] = set()
        self._ones = {x for step in module.steps for block in step.blocks for x in block.graph.ones}
        for formula, value in _formulas(module):
            self._give(formula, value)

    def _give(self, formula: sp.Expr, value: Fraction) -> None:
        formula, value = _positive(formula, value)
        name = self._name(formula) if formula not in self.names else ""
        if not name:
            return
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.names[formula] = name
        self.values[formula] = value

    def text(self, value: Fraction) -> str:
        """The name of a number, with a sign if it needs one; empty if it has none."""
        formula = formula_of(value)
        if formula is None:
            return ""
        positive, _ = _positive(formula, value)
        name = self.names.get(positive)
        if name is None:
            return ""
        self.used.add(positive)
        return name if positive == formula else f"-{name}"

    @property
    def listed(self) -> list[Constant]:
        """Those that were printed: bare parameters in the model's order, then the others."""
        return [
            Constant(self.names[x], literal(self.values[x]), self._remark(x))
            for x in sorted(self.used, key=self._rank)
        ]

    @property
    def ones(self) -> str:
        """Products of parameters that are 1, so that no line shows them as factors."""
        found = sorted(
            {x for x in self._ones if _is_monomial(x)}, key=lambda x: (len(str(x)), str(x))
        )
        return shorten([self._formula(x) for x in found], 8)

    def _rank(self, formula: sp.Expr) -> tuple[bool, int, str]:
        first = min(self.order[str(symbol)] for symbol in formula.free_symbols)
        return not formula.is_Symbol, first, self.names[formula]

    def _remark(self, formula: sp.Expr) -> str:
        """What stands beside a constant: its formula, where its name does not say it."""
        if formula.is_Symbol:
            known = self.names[formula] == str(formula)
            return "" if known else f"the model's {formula}; the name is taken here"
        return self._formula(formula)

    def _formula(self, formula: sp.Expr) -> str:
        first, *others = self._terms(formula)
        text = self._monomial(first)
        for term in others:
            sign, size = ("-", -term) if term.could_extract_minus_sign() else ("+", term)
            text += f" {sign} {self._monomial(size)}"
        return text

    def _monomial(self, formula: sp.Expr) -> str:
        number, above, below = self._factors(formula)
        top = [str(number.p)] if number.p != 1 or not above else []
        top += [_power(x, n, "^") for x, n in above]
        bottom = [str(number.q)] if number.q != 1 else []
        bottom += [_power(x, n, "^") for x, n in below]
        under = " ".join(bottom) if len(bottom) < 2 else f"({' '.join(bottom)})"
        return " ".join(top) + (f"/{under}" if under else "")

    def _name(self, formula: sp.Expr) -> str:
        """A name that says the formula; empty if none would."""
        terms = self._terms(formula)
        if not all(map(_is_monomial, terms)) or terms[0].could_extract_minus_sign():
            return ""
        name, *others = said = [self._said(term) for term in terms]
        for other, term in zip(others, terms[1:], strict=True):
            name += f"_{'minus' if term.could_extract_minus_sign() else 'plus'}_{other}"
        read = all(said) and len(name) <= LONGEST_NAME and name.isascii()
        return name if read and name.isidentifier() else ""

    def _terms(self, formula: sp.Expr) -> list[sp.Expr]:
        """A formula's terms, those with the model's first parameters first, numbers last."""

        def place(term: sp.Expr) -> tuple[bool, list[int], str]:
            own = sorted(self.order[str(symbol)] for symbol in term.free_symbols)
            return term.could_extract_minus_sign(), own or [len(self.order)], str(term)

        return sorted(sp.Add.make_args(sp.expand(formula)), key=place)

    def _said(self, term: sp.Expr) -> str:
        """A term's factors as a name, without its sign; empty if nobody would read it."""
        number, above, below = self._factors(-term if term.could_extract_minus_sign() else term)
        if max(abs(number.p), number.q) > LARGEST:
            return ""
        parts = ["_".join(_power(x, n) for x, n in above)] if above else []
        parts += ["per", *(_power(x, n) for x, n in below)] if below else []
        if not parts:
            parts = [str(number.p)]
        elif number.p != 1:
            parts.append(f"x{number.p}")
        parts += [f"by{number.q}"] if number.q != 1 else []
        return "_".join(parts)

    def _factors(self, formula: sp.Expr) -> tuple[sp.Rational, _Powers, _Powers]:
        """A monomial as a number, the powers above the line and those below it."""
        number, rest = formula.as_coeff_Mul()
        factors = {} if rest == 1 else rest.as_powers_dict()
        powers = sorted(factors.items(), key=lambda power: self.order[str(power[0])])
        above = [(str(x), int(n)) for x, n in powers if n > 0]
        below = [(str(x), -int(n)) for x, n in powers if n < 0]
        return number, above, below


#: Parameters and their exponents.
_Powers = list[tuple[str, int]]


def _is_monomial(formula: sp.Expr) -> bool:
    number, rest = formula.as_coeff_Mul()
    factors = {} if rest == 1 else rest.as_powers_dict()
    return number.is_Rational and all(x.is_Symbol and n.is_Integer for x, n in factors.items())


def _power(name: str, exponent: int, sign: str = "") -> str:
    return name if exponent == 1 else f"{name}{sign}{exponent}"


def literal(value: Fraction) -> str:
    """A double that reads back as itself.

    Raises
        CodegenError: no double is so large.
    """
    try:
        return repr(float(value))
    except OverflowError:
        size = len(str(abs(value.numerator) // value.denominator)) - 1
        raise CodegenError(
            f"a number that the model's parameters make is about 1e{size}, more than a double "
            "holds: choose units in which lengths, masses and forces are of moderate size"
        ) from None


def _formulas(module: Module) -> Iterator[tuple[sp.Expr, Fraction]]:
    """The formulas of all constants in the code; bare parameters first, which keep their names."""
    found: dict[sp.Expr, Fraction] = {}
    for step in module.steps:
        for block in step.blocks:
            for number in block.graph.live(block.wanted()):
                value = block.graph.constant(number)
                formula = formula_of(value)
                if value is not None and formula is not None and formula is not sp.nan:
                    found.setdefault(formula, value)
    yield from sorted(found.items(), key=lambda item: not item[0].is_Symbol)


def _positive(formula: sp.Expr, value: Fraction) -> tuple[sp.Expr, Fraction]:
    """The formula without a sign before it."""
    if formula.could_extract_minus_sign():
        return -formula, -value
    return formula, value
