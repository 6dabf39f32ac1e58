"""Texts of expressions with names in place of their decimal numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

#: A decimal number with its own sign, unless it is an exponent or has one.
_DECIMAL = re.compile(
    r"(?:(?P<before>^\s*|[(+\-*/]\s*)(?P<sign>-)\s*)?"
    r"(?<![\w.])(?<!\*\*)(?<!\*\*-)(?<!\*\*\()(?<!\*\*\(-)"
    r"(?P<number>(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?)(?![\w.])(?!\s*\*\*)"
)


def lifted(taken: Collection[str], texts: Sequence[str]) -> tuple[list[str], dict[str, float]]:
    """The texts with names in place of their decimal numbers, and the numbers by these names.

    So that texts that differ in them alone are compiled once. Exponents stay. `taken` are names
    that mean something else.
    """
    numbers = dict[str, float]()

    def named(found: re.Match[str]) -> str:
        name = f"number{len(numbers)}"
        numbers[name] = float((found["sign"] or "") + found["number"])
        return (found["before"] or "") + name

    changed = [_DECIMAL.sub(named, re.sub(r"\*\*\s*", "**", text)) for text in texts]
    if not numbers.keys().isdisjoint(taken) or not all(map(math.isfinite, numbers.values())):
        return list(texts), {}
    return changed, numbers
