"""The words of a written equation, each with its place, and the error that says where one is wrong.

Every sign has a spelling in ASCII: `sum_j`, `d_k(…)`, `xi`, `<=`, `!=`, `in`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import UsageError

#: File, line and column, from 1.
Place = tuple[str, int, int]

#: The longest equation, the deepest nesting and the highest power that are read.
MAX_LENGTH, MAX_DEPTH, MAX_POWER = 4_000, 60, 8

#: Greek letters by their names.
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "ϕ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Xi": "Ξ",
    "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip

LETTER = r"[A-Za-zΑ-Ωα-ωϕ]"
_SUBS = r"_(?:\{[^}]*\}|[A-Za-z0-9]+)"
TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<big>(?:[Σ∂]|sum(?=_)|d(?={_SUBS}\())(?:_(?:\{{[^}}]*\}}|[A-Za-z]+))?)
    |(?P<name>(?!for\b|where\b){LETTER}[A-Za-z0-9Α-Ωα-ωϕ]*'*(?:{_SUBS})?
       (?:\^(?:\{{[^}}]*\}}|[A-SU-Z](?![A-Za-z0-9])))?)
    |(?P<if>\{{[^}}]*\}})
    |(?P<word>for\b|where\b)
    |(?P<sign>:=|\^T\b|\^-1(?![\d.])|.)""",
    re.X,
)
NAME = re.compile(
    rf"(?P<letter>{LETTER}[A-Za-z0-9Α-Ωα-ωϕ]*)(?P<dots>'*)"
    r"(?:_(?P<subs>\{[^}]*\}|[A-Za-z0-9]+))?(?:\^(?P<sup>\{[^}]*\}|\w))?$"
)


class EquationError(UsageError):
    """What is wrong with a written equation, with file, line and column."""

    def __init__(self, said: str, at: Place | None = None) -> None:
        super().__init__(f"{':'.join(map(str, at))}: {said}" if at else said)
        self.said, self.at = said, at


class MissingError(EquationError):
    """A letter or a set that an instant does not have."""


class NoValueError(EquationError):
    """An expression without a value: its shapes do not fit, or an inverse does not exist."""


@dataclass(frozen=True)
class Token:
    """A word: what kind it is, its text, where it begins, whether it is glued to the one before."""

    kind: str
    text: str
    start: int
    glued: bool = False

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end"


def tokens(text: str, at: Place) -> list[Token]:
    """The words of an equation, an empty one at the end.

    Raises
        EquationError: the text is too long.
    """
    if len(text) > MAX_LENGTH:
        raise EquationError(f"an equation has up to {MAX_LENGTH} characters", at)
    return cut(text, TOKEN)


def cut(text: str, pattern: re.Pattern[str]) -> list[Token]:
    """A text's words by a pattern, whose groups are their kinds; an empty one at the end."""
    found, glued = list[Token](), False
    for match in pattern.finditer(text):
        if glued_to_next := not match[0].isspace():
            found.append(Token(match.lastgroup or "", match[0], match.start(), glued))
        glued = glued_to_next
    return [*found, Token("end", "", len(text))]
