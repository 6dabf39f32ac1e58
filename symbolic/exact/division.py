"""Exact division of polynomials, given up at the first term that rules it out."""

from __future__ import annotations

from operator import add, sub
from typing import Any

Poly = Any  # SymPy's PolyElement, which has no types
Monomial = tuple[int, ...]


def quotient(num: Poly, den: Poly) -> Poly | None:
    """num / den over the rationals, or None where den does not divide num.

    SymPy's `div` goes on to the end of a remainder that nobody asks for.
    """
    divisor = list(den.iterterms())
    rest = dict(num.iterterms())
    # Of a product the least monomial is that of the factors too, as the greatest is.
    if not rest or _part(min(rest), min(den.itermonoms())) is None:
        return None if rest else num
    top = max(den.itermonoms())
    leading = den[top]
    found = {}
    while rest:
        greatest = max(rest)
        part = _part(greatest, top)
        if part is None:
            return None
        factor = found[part] = rest[greatest] / leading
        for monomial, coefficient in divisor:
            at = tuple(map(add, monomial, part))
            left = rest.get(at, 0) - factor * coefficient
            if left:
                rest[at] = left
            else:
                rest.pop(at, None)
    return num.ring.from_dict(found)


def _part(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The quotient of monomials, None where a power would be negative."""
    part = tuple(map(sub, monomial, divisor))
    return part if min(part, default=0) >= 0 else None
