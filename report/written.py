"""Formulas written in a line, `V̇_i = V̇_{i−1} + J_i q̈_i`, laid out between the words around them.

A ledger and the statements of kernels say formulas so: a letter with its marks (`q̇`, `~r` the
matrix of a cross product), then indices (`_ij`, `_{i−1}`, `₁`) and exponents (`ᵀ`, `⁻¹`, `^k`); a
space between two factors is a product, `[[a, b], [c, d]]` a matrix. What is no formula is a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..symbolic.equations.layout import Box, fence, op, row, words
from .formulas import GAP, MARKS, SEPARATOR, TIMES, between, decimal, italic, number

#: Characters that are exponents by themselves. There is no raised capital C: `ᶜ` stands for it.
RAISED = dict(zip("ᵀᴬᴮᶜᴷᵇʰˢᵐᵗᵛʷʲᵏⁱⁿ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "TABCKbhsmtvwjkin0123456789−+", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ⱼᵢₖ", "0123456789jik", strict=True))
#: Names of several letters that are no words: functions; and small words in capitals.
FUNCTIONS = frozenset(
    ("Ad", "ad", "dexp", "exp", "diag", "tr", "rank", "sin", "cos", "det", "min", "max", "dt")
)
SHORT_WORDS = frozenset(
    ("An", "As", "At", "By", "If", "In", "Is", "It", "No", "Of", "On", "Or", "So", "To", "We")
)
#: Words that stand as an index; other letters below are indices one by one.
WORDS_BELOW = frozenset(("root", "tip", "tips", "all", "app", "rel", "max", "min"))

#: Between the entries of a row: a gap, and the sign that separates what is not multiplied.
APART = Box("apart")
COMMA = op(",")

_MARK = f"[{''.join(MARKS)}]"
_OTHER = f"(?:(?![{''.join(MARKS)}])[\u0300-\u036f])"
_LETTER = rf"[A-Za-zΑ-Ωα-ω∂𝟙]{_MARK}*"
_INDEX = rf"(?:[A-Za-zΑ-Ωα-ω0-9]{_MARK}*)+(?:[,+−](?:[A-Za-zΑ-Ωα-ω0-9…]{_MARK}*)+)*"
_UP, _DOWN = (f"[{''.join(each)}]" for each in (RAISED, LOWERED))
_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_SCRIPT = re.compile(
    rf"_(?P<sub>{_BRACES}|{_INDEX})|\^(?P<sup>{_BRACES}|{_INDEX})|(?P<hat>\^)"
    rf"|(?P<up>{_UP}+)|(?P<down>{_DOWN}+)|(?P<prime>[′″]+)|(?P<dot>˙)|(?P<star>\*)(?!\w)"
)
_NUMBERED = re.compile(r"\d+")
_WORD = re.compile(rf"[A-Za-z](?:[A-Za-z0-9_'’-]|{_OTHER})*(?:[A-Za-z0-9'’]|{_OTHER})")
#: A number of an equation, `(15)`, and marks of corrections, `X3`, `[X1, X16]`, `E10:`.
_REFERENCE = re.compile(r"\((?:[A-C]\.?)?\d[\d.]*[a-z]?\)|\[X\d+(?:, X\d+)*\]|X\d+\b|E\d+(?=:)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]\d+)?|[½¼¾]")
_BASE = re.compile(rf"~*(?:{_LETTER})")
_SPACES = re.compile(r"\s+")
_BREAK = re.compile(r"[,;:.](?=\s|$)")
_FRACTIONS = {"½": "12", "¼": "14", "¾": "34"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "‖": "‖"}
#: Signs between terms and factors; anything else that is no letter is shown as it is, in words.
_SIGNS = re.compile(r":=|[=+−\-±·×/<>≤≥≠≈∈⟹→←|∘⊕⊗∫√*…~,;:!]")


#: What a formula has that is no single letter or number.
_TELLING = ("sub", "sup", "subsup", "over", "before")
_RELATIONS = frozenset((":=", *"=<>≤≥≠≈←→"))


@dataclass(frozen=True)
class Part:
    """A formula or words of a line: their text, and the formula's layout."""

    text: str
    box: Box | None = None

    def lines(self) -> Iterator[Box]:
        """The formula in the parts that lines may break between: each ends with a relation."""
        assert self.box is not None
        pieces: list[list[Box]] = [[]]
        for each in self.box.parts if self.box.kind == "row" else (self.box,):
            pieces[-1].append(each)
            if each.kind == "op" and each.text in _RELATIONS:
                pieces.append([])
        return (row(piece) for piece in pieces if piece)

    @property
    def is_telling(self) -> bool:
        """Whether it is a formula beyond doubt: letters with an index, a mark, or a relation."""
        every = [*_boxes(self.box)] if self.box else []
        return any(x.kind in ("id", "fn") for x in every) and any(
            x.kind in _TELLING or (x.kind == "op" and x.text in _RELATIONS) for x in every
        )


def _boxes(box: Box) -> Iterator[Box]:
    """A layout with all that is in it."""
    yield box
    for part in box.parts:
        yield from _boxes(part)


def parts(text: str) -> tuple[Part, ...]:
    """The formulas of a line and the words between them, in order; their texts make up the line.

    A formula ends at a word and at a stop or comma before a space.
    """
    found: list[Part] = []
    for part in _Reader(text).line():
        if found and not part.box and not found[-1].box:
            found[-1] = Part(found[-1].text + part.text)
        else:
            found.append(part)
    return tuple(found)


@dataclass(frozen=True)
class _Factor:
    """What stands in a row, and whether it is a sign, a word, or is a name of several letters."""

    box: Box
    sign: bool = False
    long: bool = False


class _Reader:
    """Reads a line from left to right."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFD", text)
        self.at = 0

    def line(self) -> Iterator[Part]:
        said = start = self.at
        formula: list[tuple[bool, _Factor]] = []
        while self.at < len(self.text):
            before = self.at
            spaced = bool(self._match(_SPACES))
            here = self.at
            factor = None if self._stops() else self._factor()
            if factor is None:
                if formula:
                    yield from self._formula(start, before, formula)
                    formula, said = [], before
                self.at = here
                self._word()
                continue
            if not formula:
                yield from self._words(said, here)
                start = here
            formula.append((spaced, factor))
            said = self.at
        if formula:
            yield from self._formula(start, said, formula)
        else:
            yield from self._words(said, self.at)

    def _formula(self, start: int, end: int, line: list[tuple[bool, _Factor]]) -> Iterator[Part]:
        text = self.text[start:end]
        if len(line) == 1 and (line[0][1].sign or text == "a"):
            yield from self._words(start, end)
        else:
            yield Part(unicodedata.normalize("NFC", text), _row(line))

    def _words(self, start: int, end: int) -> Iterator[Part]:
        if start < end:
            yield Part(unicodedata.normalize("NFC", self.text[start:end]))

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _stops(self) -> bool:
        """Whether a word, a reference or the end of a formula stands here."""
        if _BREAK.match(self.text, self.at) or _REFERENCE.match(self.text, self.at):
            return True
        found = _WORD.match(self.text, self.at)
        return bool(found and is_word(found[0]))

    def _word(self) -> None:
        for pattern in (_REFERENCE, _WORD):
            if self._match(pattern):
                return
        self.at = min(self.at + 1, len(self.text))

    def row(self, closing: str = "") -> list[tuple[bool, _Factor]] | None:
        """Factors up to a closing bracket; none if it does not come."""
        found: list[tuple[bool, _Factor]] = []
        while self.at < len(self.text):
            spaced = bool(self._match(_SPACES))
            if closing and self.text.startswith(closing, self.at):
                self.at += len(closing)
                return found
            factor = self._factor() or self._sign_or_word()
            if factor is None:
                return None
            found.append((spaced, factor))
        return None if closing else found

    def _sign_or_word(self) -> _Factor | None:
        if found := self._match(_WORD):
            return _Factor(words(found[0]), long=True)
        return None

    def _factor(self) -> _Factor | None:
        """The factor or sign that stands here, or none where there is neither."""
        text, at = self.text, self.at
        if self.at >= len(text):
            return None
        if before := self._match(_PRESCRIPT):
            base = self._base()
            if base is None:
                self.at = at
                return None
            raised = row(_index("".join(RAISED[c] for c in before[0])))
            scripted = _scripted(base.box, self._scripts(base.box))
            return _Factor(Box("before", parts=(scripted, raised)), long=base.long)
        base = self._base()
        if base is not None:
            return _Factor(_scripted(base.box, self._scripts(base.box)), long=base.long)
        if found := self._match(_SIGNS):
            return _Factor(op(found[0]), sign=True)
        return None

    def _base(self) -> _Factor | None:
        if found := self._match(_NUMBER):
            if found[0] in _FRACTIONS:
                over = tuple(map(number, _FRACTIONS[found[0]]))
                return _Factor(Box("frac", parts=(*over, *over)))
            return _Factor(decimal(found[0]))
        if self.at < len(self.text) and self.text[self.at] in _CLOSING:
            return self._bracketed()
        found = _NAME.match(self.text, self.at)
        if found:
            if is_word(found[0]):
                return None
            self.at = found.end()
            return _Factor(Box("fn", found[0]), long=True)
        if found := self._match(_BASE):
            return _Factor(_letter(found[0]))
        return None

    def _bracketed(self) -> _Factor | None:
        at, opening = self.at, self.text[self.at]
        if opening == "[" and (matrix := self._matrix()):
            return matrix
        self.at = at + 1
        inside = self.row(_CLOSING[opening])
        if inside is None or _talks(inside):
            self.at = at
            return None
        is_list = opening == "[" and all(factor.box != COMMA for _, factor in inside)
        inner = _cells(inside) if is_list else _row(inside)
        return _Factor(fence(opening + _CLOSING[opening], inner))

    def _matrix(self) -> _Factor | None:
        """`[[a, b], [c, d]]`: rows of one length, and more than brackets in brackets."""
        at = self.at
        self.at += 1
        rows: list[Box] = []
        while self.text.startswith("[", self.at):
            self.at += 1
            line = self.row("]")
            if line is None:
                break
            rows.append(row(_split(line)))
            if self.text.startswith("]", self.at):
                self.at += 1
                if len({len(cells.parts) for cells in rows}) == 1:
                    return _Factor(Box("matrix", parts=tuple(rows)))
                break
            if not self._match(_COMMA):
                break
        self.at = at
        return None

    def _scripts(self, base: Box) -> dict[str, list[str]]:
        """Indices and exponents that follow."""
        found: dict[str, list[str]] = {"sub": [], "sup": []}
        if base.kind in ("id", "fn", "over") and (digits := self._match(_NUMBERED)):
            found["sub"].append(digits[0])
        while script := self._match(_SCRIPT):
            kind = str(script.lastgroup)
            text = script[kind]
            if kind in ("up", "down"):
                table = RAISED if kind == "up" else LOWERED
                text = "".join(table[c] for c in text)
            found["sub" if kind in ("sub", "down") else "sup"].append(
                text.removeprefix("{").removesuffix("}")
            )
        return found


_PRESCRIPT = re.compile(rf"(?:{_UP})+(?=~*{_LETTER}|[(\[])")
_NAME = re.compile(r"[A-Za-z]{2,}")
_COMMA = re.compile(r",\s*")


def is_word(name: str) -> bool:
    """Whether several letters are a word of the text, and no name of a quantity or function."""
    if name in FUNCTIONS:
        return False
    head = name.partition("_")[0]
    if head != name and (len(head) <= 3 or head in FUNCTIONS):
        return False
    letters = re.sub(r"\d+$", "", name)
    if len(letters) == 2 and letters not in SHORT_WORDS:
        return letters.islower()
    return len(letters) > 1 and (
        letters.islower() or letters.istitle() or "_" in name or "-" in name
    )


def _talks(line: Sequence[tuple[bool, _Factor]]) -> bool:
    """Whether there are words between brackets, other than one in a formula's place."""
    return len(line) > 1 and any(x.kind == "text" for _, each in line for x in _boxes(each.box))


def _letter(text: str) -> Box:
    """A letter under its marks, the innermost first; `~` in front is one more."""
    letter = text.lstrip("~")
    shown = italic(letter[0])
    for mark in (*(MARKS[c] for c in letter[1:]), *("~" for _ in range(len(text) - len(letter)))):
        shown = Box("over", mark, (shown,))
    return shown


def _scripted(base: Box, scripts: dict[str, list[str]]) -> Box:
    found = {
        kind: between([row(_index(x)) for x in texts], SEPARATOR)
        for kind, texts in scripts.items()
        if texts
    }
    return Box("".join(found), parts=(base, *found.values())) if found else base


_INDEXED = re.compile(rf"[A-Za-z]{{2,}}|{_LETTER}|\d+|.")


def _index(text: str) -> Sequence[Box]:
    """What stands below or above: letters one by one, but words whole."""
    if re.search(rf"[_ {{]|{_UP}", text):
        return _row(_Reader(text).row() or []).parts
    shown: list[Box] = []
    for token in _INDEXED.findall(text):
        if token in WORDS_BELOW:
            shown.append(Box("fn", token))
        elif token.isdigit():
            shown.append(number(token))
        elif token[0].isalpha() and not token[0].isdigit():
            letters = [_letter(letter) for letter in re.findall(_LETTER, token)]
            shown += letters or [Box("fn", token)]
        else:
            shown.append(op(token))
    return shown


def _split(line: Sequence[tuple[bool, _Factor]]) -> list[Box]:
    """Cells of a row, at its commas."""
    cells: list[list[tuple[bool, _Factor]]] = [[]]
    for spaced, factor in line:
        if factor.box == COMMA:
            cells.append([])
        else:
            cells[-1].append((spaced, factor))
    return [_row(cell) for cell in cells]


def _cells(line: Sequence[tuple[bool, _Factor]]) -> Box:
    """Entries of a row of a matrix, `[I −~r 0]`: a space that a sign has on one side is a gap."""
    shown: list[Box] = []
    for k, (spaced, factor) in enumerate(line):
        is_between = factor.sign and (k + 1 == len(line) or line[k + 1][0])
        if spaced and k and not is_between and not line[k - 1][1].sign:
            shown.append(APART)
        shown.append(factor.box)
    return row(shown)


def _row(line: Sequence[tuple[bool, _Factor]]) -> Box:
    """Factors side by side: a space between two of them is a product."""
    shown: list[Box] = []
    before: _Factor | None = None
    for spaced, factor in line:
        if spaced and before is not None and not before.sign and not factor.sign:
            shown += [GAP, TIMES] if before.long else [TIMES]
        shown.append(factor.box)
        before = factor
    return row(shown)
