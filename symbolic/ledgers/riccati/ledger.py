"""The Riccati paper's results as entries: what is derived, beside what is printed and what is true.

Derived and printed are matrices of symbols, and are compared at exact rational points. What they
say of the example is judged by its true motion there, whether the paper prints it or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import sympy as sp

from ....model import load
from ...derivation import printed as prints
from ...derivation import printed_assembly as assembled
from ...derivation.derivation import Derivation, derive
from ...derivation.results import Result
from ...exact.claims import Symbols
from ...exact.ledger import Entry, Instant, Sides, Stated, ledger
from .claims import CLAIMS
from .example import Example

#: The longest formula that is shown as it stands, as a line of text.
WIDTH = 160


def _inputs_of_8(k: int) -> sp.Matrix:
    """(52) with the denominators m a."""
    matrix = prints.multi_hinge_8()[k]
    matrix[2, 4:6] *= 2
    return matrix


def _tip_1() -> sp.Matrix:
    """(62) with the inverse of T22: the other sign of Ω̇ in the first two rows."""
    found, dOmega = prints.zb1I(), prints.motion_symbols("1O")[2]
    return sp.Matrix([*found[:2, :].xreplace({dOmega: -dOmega}), found[2]])


#: The prints that differ, put right.
CORRECTED: Mapping[str, Callable[[], sp.Matrix]] = {
    "S3": assembled.corrected_S3,
    "e3": assembled.corrected_e3,
    "Uhat8_I1": partial(_inputs_of_8, 0),
    "Uhat8_I2": partial(_inputs_of_8, 1),
    "zb1I": _tip_1,
}


def stated(at: Example, place: int, corrected: bool = True) -> Sides:
    """What is derived in that place and its print, then what it claims and what is true."""
    result = at.derived.results[place]
    if result.verdict.status == "differs" and corrected:
        yield at.at(result.matrix), at.at(CORRECTED[result.symbol]())
    elif result.verdict.status != "own" and result.printed is not None:
        yield at.at(result.matrix), at.at(result.printed)
    if result.symbol in CLAIMS:
        yield from CLAIMS[result.symbol](at, result)


@cache
def derived() -> Derivation:
    """The example's derivation, which every instant reads."""
    return derive(load("branch-pendulum"))


def example(seed: int) -> Example:
    return Example(derived(), seed)


def entries() -> Iterator[Entry]:
    """An entry for each result."""
    points = (Instant(f"true motion {k}", partial(example, k)) for k in (1, 2))
    entry = ledger("riccati", *points)
    for place, result in enumerate(derived().results):
        form = "" if result.form == "both" else f", {result.form}"
        verdict = result.verdict
        given: dict[str, object] = {
            "absent": verdict.status == "lost",
            "symbols": partial(symbols, place=place),
        }
        given["as_derived"] = _formula(result)
        if verdict.status == "differs":
            given["printed"] = partial(stated, place=place, corrected=False)
            given["correction"] = "; ".join((*verdict.errata, verdict.why))
            right = CORRECTED[result.symbol]()
            given["as_printed"] = _entries(result.printed, right)
            given["as_derived"] = _entries(right, result.printed)
        elif verdict.status == "own":
            given["kind"] = "own"
        number = f"{result.equation}, {result.symbol}{form}"
        yield entry(number, result.title, partial(stated, place=place), **given)


def symbols(at: Example, place: int) -> Mapping[str, Any]:
    """What a reader's print may name: the example's data and results, and letters of (18)–(33).

    `c1`, `s1` are cosine and sine of θ₁; `S_i`, `T11`, `f_a` … those of elements that are any,
    `S_next`, `e_next` what (29), (30) make of them. Results are in the form of the entry's own.
    """
    own, x = at.derived.results[place], at.letters
    S = (x["T11"] * x["S_i"] + x["T12"]) * x["P_i"]
    known: dict[str, Any] = {
        **x,
        "S_next": S,
        "e_next": x["T11"] * x["e_i"] + x["f_a"] + S * x["q_i"],
    }
    for expression, value in at.values.items():
        if expression.is_Function:
            letter, body = type(expression).__name__[0], str(expression.args[0])
            known[f"{letter}{body.removeprefix('theta')}"] = value
        else:
            known[str(expression)] = value
    makers: dict[str, Any] = {name: partial(at.of, name, own) for name in at.derived.symbols}
    return Symbols(makers | {name: partial(_same, value) for name, value in known.items()})


def _same(value: Any) -> Any:
    return value


def _entries(matrix: sp.Matrix, other: sp.Matrix) -> Stated:
    """Those in which it is not the other."""
    places = ((i, j) for i in range(matrix.rows) for j in range(matrix.cols))
    return Stated(
        tuple(
            (f"({i + 1},{j + 1})", matrix[i, j]) for i, j in places if matrix[i, j] != other[i, j]
        )
    )


def _formula(result: Result) -> Stated:
    why = result.verdict.why
    stated = Stated(((result.symbol, result.matrix),))
    if len(str(stated)) <= WIDTH:
        return Stated(stated.values, why)
    rows, columns = result.matrix.shape
    long = f"{result.symbol}, {rows} × {columns}: mstmm derive shows it"
    return Stated((), f"{long}; {why}" if why else long)


ENTRIES = tuple(entries())
