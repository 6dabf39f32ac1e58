"""SymPy expressions, matrices and names laid out, in the letters of the paper.

`alphabets` writes a layout as MathML or LaTeX. `c₁`, `s₁` stand for the cosine and sine of θ₁, as
in the paper.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

import sympy as sp

from ..symbolic.equations.layout import Box, op, row, words
from ..symbolic.language.decimals import typed

#: Greek letters by SymPy's names.
GREEK = {
    "theta": "θ", "omega": "ω", "Omega": "Ω", "alpha": "α", "tau": "τ", "lambda": "λ", "lam": "λ",
    "gamma": "γ", "gam": "γ", "psi": "ψ", "phi": "φ", "rho": "ρ", "xi": "ξ",
}  # fmt: skip
#: Names of code that are a letter with dots: the letter, and its dots.
RATES = {"Omegad": ("Omega", "˙"), "rdd": ("r", "¨")}
#: An invisible product; what is between indices, and between arguments; a gap.
TIMES, SEPARATOR, GAP = Box("times"), Box("separator", ","), Box("gap")
MINUS, PLUS, EQUALS = op("−"), op("+"), op("=")
#: Marks above letters.
DOT, DOTS = "˙", "¨"
#: Marks above letters, by the combining characters that stand for them.
MARKS = {
    "\u0303": "~", "\u0304": "¯", "\u0307": DOT, "\u0308": DOTS, "\u030c": "ˇ", "\u20db": "⃛",
    "\u0302": "^", "\u030a": "˚",
}  # fmt: skip


# Names


def italic(letter: str) -> Box:
    """A scalar's letter."""
    return Box("id", letter)


def bold(letter: str, mark: str = "") -> Box:
    """A vector's or matrix's letter, with a mark above if there is one."""
    return _marked(Box("bold", letter), mark)


def dotted(letter: str, dots: str = DOT) -> Box:
    """A scalar's letter with dots above."""
    return _marked(italic(letter), dots)


def _marked(base: Box, mark: str) -> Box:
    return Box("over", mark, (base,)) if mark else base


def number(digits: str) -> Box:
    """As it is written, but a large power of ten as such."""
    if re.fullmatch("10{17,}", digits):
        return Box("sup", parts=(Box("num", "10"), Box("num", str(len(digits) - 1))))
    return Box("num", digits)


def between(parts: Sequence[Box], what: Box) -> Box:
    """Parts in a row, with something between each two; rows in it are taken apart."""
    found: list[Box] = []
    for part in parts:
        found += [what] if found else []
        found += part.parts if part.kind == "row" else [part]
    return found[0] if len(found) == 1 else row(found)


def equal(*sides: Box) -> Box:
    """`a = b = c`."""
    return between(sides, EQUALS)


def sub(base: Box, *indices: str) -> Box:
    """`base` with its indices, separated by commas; an index like `I1` gets its own subscript."""
    if not indices:
        return base
    inner = [part for index in indices for part in (SEPARATOR, _index(index))][1:]
    return Box("sub", parts=(base, row(inner)))


def _index(index: str) -> Box:
    if index.isdigit():
        return number(index)
    if pairs := re.fullmatch(r"(I\d|[IO])(I\d|[CO])", index):
        return row([_index(pairs[1]), _index(pairs[2])])
    if found := re.fullmatch(r"([IO])_?(\d|k|L)", index):
        inner = number(found[2]) if found[2].isdigit() else italic(found[2])
        return Box("sub", parts=(italic(found[1]), inner))
    return italic(index)


def symbol(name: str, blocks: bool = False) -> Box:
    """A symbol of the derivations by its name: `theta1`, `ddx1O`, `T11`, `u_32`, `U_5,I1`, …"""
    if name == "one":
        return number("1")
    if name[0].isdigit():
        return decimal(name)
    for pattern, draw in _SYMBOLS:
        if found := re.fullmatch(pattern, name):
            return draw(*found.groups())
    return _block(name) if blocks else _plain(name)


def decimal(digits: str) -> Box:
    """A number as it is typed: 2e-05 is 2 · 10⁻⁵."""
    mantissa, _, power = digits.partition("e")
    if not power:
        return number(mantissa)
    ten = Box("sup", parts=(number("10"), number(str(int(power)).replace("-", "−"))))
    return row([number(mantissa), op("·"), ten])


def _plain(name: str) -> Box:
    """Any other name: its Greek or Latin letter, the rest as indices."""
    for word, letter in GREEK.items():
        if name.startswith(word):
            return sub(italic(letter), *_split(name.removeprefix(word)))
    head, *rest = name.split("_")
    if found := re.fullmatch(r"([A-Za-z]+)(\d+)", head):
        head, rest = found[1], [found[2], *rest]
    return sub(italic(head), *(part for part in rest if part))


def quantity(name: str) -> Box:
    """The name of a matrix of code or of a page: its letters bold, the rest as indices.

    Indices are apart by commas, as in `U_5,I1` or `Û_8,I1`, else by `_`, as in `IA_I1`; a raised
    order is in brackets, as in `H_5,I1^(2)`; a blank is a product.
    """
    tokens = unicodedata.normalize("NFD", name).split(" ")
    drawn = [MINUS if token == "−" else _one(token) for token in tokens]
    found: list[Box] = []
    for each in drawn:
        if each is None:
            return words(name)
        found += [TIMES, each] if found and MINUS not in (each, found[-1]) else [each]
    return found[0] if len(found) == 1 else row(found)


def _one(name: str) -> Box | None:
    """A name without blanks; none if it is no name."""
    name, _, order = name.partition("^")
    head, _, rest = name.partition("_")
    found = re.fullmatch(rf"([^\W\d]+?|…)([{''.join(MARKS)}]?)(\d*)", head)
    if not found or name[-1] in ",_":
        return None
    if head == "rank":
        return Box("fn", head)
    letter, dots = RATES.get(found[1], (found[1], MARKS.get(found[2], "")))
    apart = "," if "," in rest else "_"
    indices = (unicodedata.normalize("NFC", x) for x in (found[3], *rest.split(apart)) if x)
    return _ordered(sub(bold(GREEK.get(letter, letter), dots), *indices), order)


def _ordered(base: Box, order: str) -> Box:
    """With its order raised in brackets, if it has one."""
    return _power(base, Box("fence", "()", (number(order.strip("()")),))) if order else base


def _block(name: str) -> Box:
    """The name of a block: the label of an element, which stays whole, and its ends."""
    name, _, order = name.partition("^")
    letter, _, rest = name.partition("_")
    letter = GREEK.get(letter, letter)
    if not rest:
        return _ordered(bold(letter), order)
    label, *ends = rest.split(",")
    below = [number(label) if label.isdigit() else italic(label)]
    for end in ends:
        below += [SEPARATOR, _index(end)]
    return _ordered(Box("sub", parts=(bold(letter), row(below))), order)


def _split(text: str) -> list[str]:
    return [part for part in text.split("_") if part]


def _transposed(base: Box, part: str) -> Box:
    index = dotted("r") if part == "r" else italic("Ω")
    return Box("subsup", parts=(base, index, italic("T")))


_ARMS = {"c": "IC", "o": "IO"}
_SYMBOLS = (
    (r"ddr([IO]\d?)_([xyz])", lambda end, axis: sub(dotted("r", DOTS), end, axis)),
    (r"dOmega([IO]\d?)_([xyz])", lambda end, axis: sub(dotted("Ω"), end, axis)),
    (r"([mq])([IO]\d?)_([xyz])", lambda letter, *at: sub(italic(letter), *at)),
    (r"dd([xyz])(\w*)([IO])", lambda axis, body, end: sub(dotted(axis, DOTS), body, end)),
    (r"dOmega(\w*)([IO])", lambda body, end: sub(dotted("Ω"), "z", body, end)),
    (r"([mq])([xyz])(\d+)([IO])", lambda letter, *at: sub(italic(letter), *at)),
    (r"u_(\d)(\d)", lambda i, j: sub(bold("u"), i, j)),
    (r"T(\d\d)", lambda ij: sub(bold("T"), ij)),
    (r"unit", lambda: bold("I")),
    (r"([XYH])", lambda letter: bold(letter)),
    (r"gamma", lambda: bold("γ")),
    (r"gamma_(O|Ik)", lambda end: sub(bold("γ"), end)),
    (r"Pi", lambda: bold("Π")),
    (r"([LWXY])_(O|Ik)", lambda letter, end: sub(bold(letter), end)),
    (r"([Mp])_([aη]+)", lambda letter, part: sub(bold(letter), part)),
    (r"H_(r|Omega)T", lambda part: _transposed(bold("H"), part)),
    (r"E(\d)", lambda k: sub(bold("E"), k)),
    (r"E_(Ik)", lambda k: sub(bold("E"), k)),
    (r"E([12])_(Ik)", lambda k, point: sub(bold("E"), k, point)),
    (r"dd([xyz])", lambda axis: dotted(axis, DOTS)),
    (r"dOmega_([xyz])", lambda axis: sub(dotted("Ω"), axis)),
    (r"([SPUeqz])_([i\d])", lambda letter, i: sub(bold(letter), i)),
    (r"([Se])_last", lambda letter: sub(bold(letter), "n+1")),
    (r"z_broot", lambda: sub(bold("z"), "bn", "O")),
    (r"z_bnext", lambda: sub(bold("z"), "bi+1", "I")),
    (r"r_(\d)", lambda k: sub(bold("r", DOTS), f"I{k}")),
    (r"Omega_(\d)", lambda k: sub(dotted("Ω"), f"I{k}")),
    (r"([mq])_(\d)", lambda letter, k: sub(bold(letter), f"I{k}")),
    (r"([xz])_(\d)([IO])", lambda letter, body, end: sub(bold(letter), body, end)),
    (r"Uhat8_(I\d)", lambda k: sub(bold("U", MARKS["\u0302"]), "8", k)),
    (r"Utip(\d)", lambda k: sub(bold("U"), "tip", k)),
    (r"H_rm", lambda: sub(bold("H"), "r̈", "m")),
    (r"H_O1_I2", lambda: sub(bold("H"), "O1", "I2")),
    (r"f_([ab])", lambda part: sub(bold("f"), part)),
    (r"z_([ab])([IO])", lambda part, end: sub(bold("z"), part, end)),
    (r"([co])_([xyz])", lambda arm, axis: sub(italic("r"), _ARMS[arm], axis)),
    (r"i(\d)_([xyz])", lambda k, axis: sub(italic("r"), f"I1I{k}", axis)),
    (r"f_([xyz])", lambda axis: sub(italic("f"), "C", axis)),
    (r"M_([xyz])", lambda axis: sub(italic("m"), "C", axis)),
)


def result_name(name: str) -> Box:
    """The symbol of a result (`S2`, `Uhat8_I1`, `S[1:O]`, …) as the paper writes it."""
    return quantity(written_name(name))


def written_name(name: str) -> str:
    """The symbol of a result as text: `S_2`, `Û_8,I1`, `S_1,O`; a name of no result as it is."""
    for pattern, written in _WRITTEN:
        if found := re.fullmatch(pattern, name):
            return unicodedata.normalize("NFC", found.expand(written))
    if found := re.fullmatch(r"([A-Za-z])(\d*)((?:_\w+)?)", name):
        letter, number, rest = found.groups()
        indices = ",".join(x for x in (number, *rest.split("_")) if x)
        return f"{letter}_{indices}" if indices else letter
    return name


_WRITTEN = (
    (r"U_miso", "U_I1,…,IL"),
    (r"U_hinge", "U_j"),
    (r"Uhat_(I\w)", r"Û_j,\1"),
    (r"Uhat(\d+)_(I\w)", r"Û_\1,\2"),
    (r"Utip(\d)", r"U_tip,\1"),
    (r"Uall", "U_all"),
    (r"Ubar", "Ū_all"),
    (r"zall", "z_all"),
    (r"Uall_zall", "U_all z_all"),
    (r"z_parts", "r̈, Ω̇, m, q"),
    (r"z_miso", "z_I1,…,IL"),
    (r"z_O(_miso)?", "z_i,O"),
    (r"z_planar", "z"),
    (r"Uhat_sum", "z_j,O"),
    (r"ddr_Ik", "r̈_Ik"),
    (r"geometric", "residual of (15)"),
    (r"chain", "z_n,O"),
    (r"U_chain", "U_1−n"),
    (r"z_([ab])I_next", r"z_\1i+1,I"),
    (r"z_([ab])O_root", r"z_\1n,O"),
    (r"z_([ab])([IO])(_\w+)?", r"z_\1i,\2"),
    (r"z_back", "z_b, z_a"),
    (r"zaO1", "z_a1,O"),
    (r"z(\d)([IO])", r"z_\1,\2"),
    (r"zbar", "z̄_all"),
    (r"z([ab])(\d)([IO])", r"z_\1\2,\3"),
    (r"H_rm", "H_r̈,m"),
    (r"H", "H_O1,Ik"),
    (r"E([12])_Ik", r"E_\1,Ik"),
    (r"([Se])_next", r"\1_i+1"),
    (r"f([ab])", r"f_\1"),
    (r"f([ab])_(\d)", r"f_\1,\2"),
    (r"U(\d+)_rearranged", r"Ũ_\1"),
    (r"main(\d)", r"U_7 Û_8,I\1"),
    (r"geo1", "H_O1,I2 Û_8,I1"),
    (r"geo2", "H_O1,I2 Û_8,I2 − H_r̈,m"),
    (r"([Se])\[(\w+):(\w+)\]", r"\1_\2,\3"),
    (r"rank", "rank Ū_all"),
)


# Expressions


def expression(expr: sp.Expr) -> Box:
    """An expression as one row."""
    if isinstance(expr, sp.Eq):
        return equal(formula(expr.lhs), formula(expr.rhs))
    return row(_terms(expr))


def _terms(expr: sp.Expr) -> list[Box]:
    parts: list[Box] = []
    for term in expr.as_ordered_terms() if expr.is_Add else [expr]:
        coefficient, _ = term.as_coeff_Mul()
        negative = bool(coefficient.is_number and coefficient.is_real and coefficient < 0)
        if negative or parts:
            parts.append(MINUS if negative else PLUS)
        parts += _product(-term if negative else term)
    return parts


def _product(expr: sp.Expr) -> list[Box]:
    """A product without sign: its coefficient, then its factors, over the denominator."""
    if not expr.is_Mul and not (expr.is_Pow and _is_divisor(expr)):
        return [_factor(expr, alone=True)]
    coefficient, rest = expr.as_coeff_Mul()
    factors = [factor for factor in sp.Mul.make_args(rest) if factor is not sp.S.One]
    if rest.is_commutative:
        factors.sort(key=_rank)
    above = [factor for factor in factors if not _is_divisor(factor)]
    below = [1 / factor for factor in factors if _is_divisor(factor)]
    if not below:
        front = [] if coefficient == 1 else [_number(coefficient)]
        return _times([*front, *(_factor(f, alone=not front and len(above) == 1) for f in above)])
    top = [sp.Integer(coefficient.p)] if coefficient.is_Rational else [coefficient]
    bottom = [sp.Integer(coefficient.q)] if coefficient.is_Rational else []
    return [_over(row(_row([*top, *above])), row(_row([*bottom, *below])))]


def _over(above: Box, below: Box) -> Box:
    return Box("frac", parts=(above, below, above, below))


def _row(factors: Sequence[sp.Expr]) -> list[Box]:
    shown = [factor for factor in factors if factor != 1] or [sp.S.One]
    return _times([_factor(factor, alone=len(shown) == 1) for factor in shown])


def _times(factors: Sequence[Box]) -> list[Box]:
    """Factors side by side; a name of several letters keeps its distance from the next."""
    found: list[Box] = []
    for factor in factors:
        if found:
            found += [GAP, TIMES] if _is_word(found[-1]) else [TIMES]
        found.append(factor)
    return found


def _is_word(box: Box) -> bool:
    return box.kind == "id" and len(box.text) > 1


def _is_divisor(expr: sp.Expr) -> bool:
    return bool(expr.is_Pow and expr.is_commutative and expr.exp.is_number and expr.exp.is_negative)


def _factor(expr: sp.Expr, *, alone: bool = False) -> Box:
    if expr.is_Number:
        return _number(expr)
    if expr.is_Symbol:
        return symbol(expr.name, not expr.is_commutative)
    if expr.is_Add or expr.is_Mul:
        return row(_terms(expr)) if alone else _parenthesised(expr)
    if expr.is_Pow:
        base = _factor(expr.base)
        if not (expr.base.is_Symbol or expr.base.is_Add or _is_shorthand(expr.base)):
            base = _parenthesised(expr.base)
        return _power(base, expression(expr.exp))
    if _is_shorthand(expr):
        letter = "s" if isinstance(expr, sp.sin) else "c"
        short = sub(italic(letter), *_split(expr.args[0].name.removeprefix("theta")))
        return Box("short", parts=(short, _applied(expr)))
    if expr in _CONSTANTS:
        return italic(_CONSTANTS[expr])
    return _applied(expr) if expr.is_Function else words(str(expr))


def _applied(expr: sp.Expr) -> Box:
    """A function with its arguments."""
    inner = [part for each in expr.args for part in (SEPARATOR, expression(each))][1:]
    return row([Box("fn", type(expr).__name__), Box("fence", "()", (row(inner),))])


def _power(base: Box, exponent: Box) -> Box:
    """The exponent above the index where the base has one."""
    if base.kind == "short":
        return Box("short", parts=tuple(_power(each, exponent) for each in base.parts))
    if base.kind == "sub" and not any(part.kind == "sub" for part in base.parts[1].parts):
        return Box("subsup", parts=(*base.parts, exponent))
    return Box("sup", parts=(base, exponent))


def _is_shorthand(expr: sp.Expr) -> bool:
    """Sine or cosine of a body's angle: `s₁`, `c₁`."""
    return (
        isinstance(expr, sp.sin | sp.cos)
        and expr.args[0].is_Symbol
        and expr.args[0].name.startswith("theta")
    )


def _parenthesised(expr: sp.Expr) -> Box:
    return Box("fence", "()", (row(_terms(expr)),))


def _number(value: sp.Expr) -> Box:
    if value.is_Rational and value.q != 1:
        return _over(number(str(value.p)), number(str(value.q)))
    return number(str(value))


_CONSTANTS = {sp.pi: "π", sp.E: "e"}

_FIRST = {"m": 0, "a": 1, "g": 2}


@lru_cache(maxsize=10_000)
def _rank(factor: sp.Expr) -> tuple[int, int, str]:
    """The paper's order of factors: m a g, other letters, rates, sines and cosines, sums."""
    base = factor.base if factor.is_Pow else factor
    if base.is_Symbol:
        kind = 1 if base.name.startswith("omega") else 0
        return kind, _FIRST.get(base.name, len(_FIRST)), base.name
    kind = 3 if base.is_Add else 2
    inner = base.args[0] if _is_shorthand(base) else base
    return kind, 0, f"{inner} {type(base).__name__}"


# Matrices and whole formulas


def matrix(
    entries: sp.MatrixBase, marked: Collection[tuple[int, int]] = (), shaded: bool = False
) -> Box:
    """A matrix; the `marked` entries (counted from 0) differ, zeros are `shaded` or faint."""
    rows = (
        row(_cell(entries[i, j], (i, j) in marked) for j in range(entries.cols))
        for i in range(entries.rows)
    )
    return Box("matrix", "shaded" if shaded else "", tuple(rows))


def _cell(entry: sp.Expr, marked: bool) -> Box:
    names = [name for name, holds in (("zero", str(entry) in "0O"), ("differs", marked)) if holds]
    return Box("cell", " ".join(names), (expression(entry),))


def formula(
    value: sp.Expr | sp.MatrixBase,
    marked: Collection[tuple[int, int]] = (),
    shaded: bool = False,
) -> Box:
    """A matrix, an equation or an expression; a 1 × 1 matrix is its entry, one of zeros is 0."""
    value = typed(value)
    if not isinstance(value, sp.MatrixBase):
        return expression(value)
    if value.shape == (1, 1):
        return expression(value[0, 0])
    return matrix(value, marked, shaded)
