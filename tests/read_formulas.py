"""What a reader sees in a page's MathML: a formula written in a line, or a value of SymPy."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from xml.etree import ElementTree as ET

import sympy as sp

from mstmm.report.formulas import expression
from mstmm.symbolic.equations.alphabets import mathml

RAISED = dict(zip("ᵀᴬᴮᶜᴷᵇʰˢᵐᵗᵛʷʲᵏ⁰¹²³⁴⁻⁺′″*˙", "TABCKbhsmtvwjk01234−+′″*˙", strict=True))
LOWERED = dict(zip("₀₁₂₃ⱼ", "0123j", strict=True))
ACCENTS = {"˙": "\u0307", "¨": "\u0308", "~": "\u0303", "¯": "\u0304", "ˇ": "\u030c", "⃛": "\u20db"}
#: Between two indices of one letter.
BETWEEN = "\0"
INVISIBLE, APART = "\u2062", "\u2063"

_MARKS = "[\u0300-\u036f\u20db]"
_INDEX = rf"(?:[A-Za-zΑ-ω0-9]{_MARKS}*)+(?:[,+−](?:[A-Za-zΑ-ω0-9]{_MARKS}*)+)*"


def parsed(html: str) -> ET.Element:
    return ET.fromstring(f"<part>{html}</part>")


# A line


def normal(text: str) -> str:
    """A line as its writer typed it, each index as `_{…}` and each exponent as `^{…}`."""
    text = unicodedata.normalize("NFD", text)
    text = re.sub(rf"~(\w{_MARKS}*)", "\\1\u0303", text)
    text = re.sub(rf"([_^])({_INDEX})", r"\1{\2}", text)
    text = re.sub(r"\^(?!\{)", "^{^}", text)
    for table, mark in ((RAISED, "^"), (LOWERED, "_")):
        some = "".join(map(re.escape, table))
        text = re.sub(
            f"[{some}]+(?!\\w)|[{some}]+(?=[^{some}])",
            lambda at, m=mark, t=table: f"{m}{{{''.join(t[c] for c in at[0])}}}",
            text,
        )
    text = re.sub(rf"(?<![\w{{,])([A-Za-zΑ-ω]{_MARKS}*)(\d+)(?!\w)", r"\1_{\2}", text)
    return _spaced(text)


def _spaced(text: str) -> str:
    """Without the spaces beside signs, an index before an exponent."""
    text = re.sub(r"(\^\{[^{}]*\})(_\{[^{}]*\})", r"\2\1", text.replace("½", "1/2"))
    return re.sub(r" *([^\w\s\u0300-\u036f\u20db{}()\[\]‖^]) *", r"\1", text).replace("\u2009", "")


def line(cell: ET.Element) -> str:
    """All that a cell shows, in the same form."""
    return _spaced("".join(_flow(cell)))


def _flow(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield _text(child) if child.tag == "math" else "".join(_flow(child))
        yield child.tail or ""


def _text(element: ET.Element) -> str:
    own = [_text(child) for child in element]
    match element.tag:
        case "mo" if element.text in (INVISIBLE, APART):
            return " "
        case "mo" if element.get("separator"):
            return BETWEEN
        case "mi" | "mn" | "mo" | "mtext":
            return element.text or ""
        case "msub":
            return own[0] + _scripts("_", own[1])
        case "msup":
            return own[0] + _scripts("^", own[1])
        case "msubsup":
            return own[0] + _scripts("_", own[1]) + _scripts("^", own[2])
        case "mmultiscripts":
            return f"^{{{own[3]}}}{own[0]}"
        case "mover":
            return f"{own[0]}{ACCENTS[own[1]]}"
        case "mfrac":
            return f"{own[0]}/{own[1]}"
        case "mtable" | "mtr":
            return f"[{','.join(own)}]"
        case "math" | "mrow" | "mtd" | "mspace" | "mprescripts":
            return "".join(own)
    raise AssertionError(f"no such element is written: {element.tag}")


def _scripts(mark: str, content: str) -> str:
    return "".join(f"{mark}{{{part}}}" for part in content.split(BETWEEN))


# A value


def key(content: str | ET.Element) -> str:
    """What identifies a letter: its elements, without their classes."""
    element = parsed(content) if isinstance(content, str) else content
    inner = "".join(map(key, element)) or (element.text or "")
    return inner if element.tag in ("part", "mrow") else f"<{element.tag} {inner}>"


def letters(values: Iterable[sp.Basic]) -> Mapping[str, sp.Expr]:
    """The symbols of values by what is drawn for them; no two may look the same."""
    found: dict[str, sp.Expr] = {}
    for value in values:
        for atom in value.free_symbols | value.atoms(sp.sin, sp.cos):
            drawn = key(mathml(expression(atom)))
            assert found.setdefault(drawn, atom) == atom, (found[drawn], atom)
    return found


def equation(math: ET.Element, known: Mapping[str, sp.Expr]) -> tuple[str, sp.Expr | sp.Matrix]:
    """The name, as it is drawn, and the value of `name = value`."""
    [row] = math
    tokens = list(row)
    at = next(k for k, token in enumerate(tokens) if token.tag == "mo" and token.text == "=")
    return "".join(map(key, tokens[:at])), value(tokens[at + 1 :], known)


def value(tokens: list[ET.Element], known: Mapping[str, sp.Expr]) -> sp.Expr | sp.Matrix:
    """A sum of products; factors stand side by side with an invisible sign between them."""
    if len(tokens) == 1 and tokens[0].tag == "mtable":
        return sp.Matrix([[value(list(cell), known) for cell in row] for row in tokens[0]])
    total: sp.Expr = sp.S.Zero
    product: sp.Expr | None = None
    sign, joined = 1, False
    for token in tokens:
        if token.tag == "mspace":
            continue
        if token.tag == "mo":
            joined = token.text == INVISIBLE
            assert joined or token.text in ("+", "−"), token.text
            if not joined:
                total += sign * product if product is not None else 0
                product, sign = None, -1 if token.text == "−" else 1
            continue
        assert product is None or joined, "two factors without a sign of a product"
        factor = _factor(token, known)
        product, joined = factor if product is None else product * factor, False
    assert product is not None
    return total + sign * product


def _factor(token: ET.Element, known: Mapping[str, sp.Expr]) -> sp.Expr:
    if (drawn := key(token)) in known:
        return known[drawn]
    own = list(token)
    match token.tag:
        case "mn":
            return sp.Rational(token.text)
        case "mfrac":
            return _factor(own[0], known) / _factor(own[1], known)
        case "msup":
            return _factor(own[0], known) ** _factor(own[1], {})
        case "msubsup":
            base = ET.Element("msub")
            base.extend(own[:2])
            return known[key(base)] ** _factor(own[2], {})
        case "mrow" if own and own[0].tag == "mo" and own[0].text == "(":
            return value(own[1:-1], known)
        case "mrow":
            return value(own, known)
    raise AssertionError(f"no letter of the formula is drawn so: {drawn}")


# Values that are equal


def same(left: sp.Expr | sp.MatrixBase, right: sp.Expr | sp.MatrixBase) -> bool:
    """Whether two values agree at exact fractions; a matrix of one entry is its entry."""
    if isinstance(left, sp.MatrixBase) and left.shape == (1, 1):
        left = left[0, 0]
    pairs = zip(sp.Matrix([left]), sp.Matrix([right]), strict=True)
    return all(_at_fractions(a - b) == 0 for a, b in pairs)


def _at_fractions(expression: sp.Expr) -> sp.Expr:
    """The value where each symbol, sine and cosine is a fraction of its own."""
    atoms = sorted(expression.atoms(sp.sin, sp.cos), key=str)
    inner = expression.xreplace({a: sp.Rational(k + 3, 2 * k + 7) for k, a in enumerate(atoms)})
    commuting = sorted((x for x in inner.free_symbols if x.is_commutative), key=str)
    at = {x: sp.Rational(2 * k + 5, k + 11) for k, x in enumerate(commuting)}
    return sp.expand(inner.xreplace(at))
