"""Numbers of papers' equations that a text cites: `screw paper (57), (58)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

#: A paper's name before `paper`, then numbers: alone, several, from one to another.
CITED = re.compile(
    r"(?P<paper>[Rr]iccati|deduction|divide-and-conquer|screw|recursive-formulation) paper,?"
    r"(?: equations?)? (?P<numbers>\([A-C0-9][\w.]*\)(?:(?:, |[-–]| and )\([A-C0-9][\w.]*\))*)"
)
NUMBER = re.compile(r"(?P<to>[-–])?\((?P<number>[^)]*)\)")


def cited(text: str) -> Iterator[tuple[str, str]]:
    """Each paper and number that a text cites; 76 of (76b)."""
    for match in CITED.finditer(text):
        last = ""
        for found in NUMBER.finditer(match["numbers"]):
            number = _number(found)
            if found["to"] and last.isdigit() and number.isdigit():
                between = map(str, range(int(last) + 1, int(number)))
                yield from ((match["paper"].lower(), each) for each in between)
            yield match["paper"].lower(), number
            last = number


def _number(found: re.Match[str]) -> str:
    return re.sub(r"(?<=\d)[a-c]$", "", found["number"])


def with_numbers(text: str, said: Callable[[str, str, str], str]) -> str:
    """The text with `said(as it stands, paper, number)` for each number that it cites."""

    def numbers(match: re.Match[str]) -> str:
        paper = match["paper"].lower()
        before, end = match.start("numbers") - match.start(), len(match[0])
        return match[0][:before] + NUMBER.sub(
            lambda found: (found["to"] or "") + said(f"({found['number']})", paper, _number(found)),
            match[0][before:end],
        )

    return CITED.sub(numbers, text)


def cites(text: str, paper: str, numbers: Collection[str]) -> bool:
    """Whether a text cites one of these numbers of a paper."""
    return any(found == paper and number in numbers for found, number in cited(text))
